"""Hands and questions that several tests of Petrangola share.

Law: as its desk, it judges nothing; what a petrangola is, it tells anew by the rules alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from engine.cards import ITALIAN

OPEN_AND_LIVE = pytest.mark.parametrize("live", [False, True], ids=["open", "live"])
POOR = {0: "2c 3d 4s", 1: "3c 4d 5s", 2: "4c 5d 6s"}
MONTE = "7c 6d 2b"
TRIS = {0: "2c 3d 4s", 1: "7c 7d 7s", 2: "4c 5d 6s"}
_ORDER = "234567FCRA"


def is_petrangola(faces: Sequence[int], ace_low: bool) -> bool:
    """Whether three cards are equal, or follow each other in one suit (PET-31, PET-32, PET-35)."""
    ranks, suits = ({text[n] for text in map(ITALIAN.text, faces)} for n in (0, 1))
    runs = [set(_ORDER[n : n + 3]) for n in range(len(_ORDER) - 2)] + [set("A23")] * ace_low
    return len(ranks) == 1 or (len(suits) == 1 and ranks in runs)
