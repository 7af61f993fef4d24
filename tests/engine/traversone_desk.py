"""Hands of Traversone for the tests: four, two or three players, dealt as written down.

Law: it deals what is written here and passes on what players say. It judges nothing.
"""

from __future__ import annotations

from engine.contract import State
from engine.games.traversone import TraversoneState
from tests.engine.tricks_desk import Desk, sit_down

FOUR = (
    "4c 5c Ac 6d 7d Fd 3s 2s Rb Cb",
    "7c 3c Ad 4d 5d Cd 4s 5s 6s 7s",
    "6c 2c 3d 2d Rd Fs Cs Rs As Ab",
    "Rc Cc Fc 2b 3b 4b 5b 6b 7b Fb",
)
"""Seat 3 deals; it has neither denari nor spade."""
TWO = (
    "4c 5c 6c 7c 4d 5d 6d 7d 4s 3s",
    "Ac 2c 3c Rc Ad 2d 3d Rd As 2s",
    "Fc Cd Fd Cs",
)
"""Seat 1 deals; then the top of the stock."""
DRAWS = {2: "3c 4c", 3: "3c 3d 4c", 4: "3c 3d 3s 4c", 5: "3c 3d 3s 3b 4c"}
"""The last seat draws the lowest card."""


def four(*given: str, live: bool = False) -> Desk:
    return sit_down("traversone", 4, DRAWS[4], *given, live=live).deal(*FOUR)


def two(*given: str, live: bool = False) -> Desk:
    return sit_down("traversone", 2, DRAWS[2], *given, live=live).deal(*TWO)


def three(live: bool = False) -> Desk:
    deck = " ".join(FOUR).split()
    return sit_down("traversone", 3, DRAWS[3], live=live).deal(*deck)


def own(state: State) -> TraversoneState:
    assert isinstance(state, TraversoneState)
    return state
