"""Positions in the play of Picchetto that several tests share.

Law: as its desk, it judges nothing.
"""

from __future__ import annotations

from typing import Any

from tests.engine.picchetto_desk import Desk, after, silent

STRONG = "Ah Kh Qh Jh Ad Kd Qd Jd Ac Kc As Ks"
WEAK = "Th 9h 8h Td 9d 8d Jc Tc 9c Js Ts 9s"
"""The strong hand takes all twelve tricks."""


def at_play(elder: str, younger: str, *given: str, live: bool = False, **more: Any) -> Desk:
    """The elder leads; nothing was declared."""
    return silent(after(elder, younger, *given, live=live, **more))


def with_points(made: Desk, elder: int, younger: int) -> Desk:
    """The same position after other declarations."""
    state = made.state.with_faces(made.state.faces)
    state.auto = made.state.auto
    state.points = (elder, younger)
    made.state = state
    return made
