"""Hands and questions that several tests of Petrangola share.

Law: as its desk, it judges nothing.
"""

from __future__ import annotations

import pytest

OPEN_AND_LIVE = pytest.mark.parametrize("live", [False, True], ids=["open", "live"])
POOR = {0: "2c 3d 4s", 1: "3c 4d 5s", 2: "4c 5d 6s"}
MONTE = "7c 6d 2b"
TRIS = {0: "2c 3d 4s", 1: "7c 7d 7s", 2: "4c 5d 6s"}
