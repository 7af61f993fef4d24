"""What a computer player would choose, and one reason for it.

Law: it asks the game and the search for a move, from the reader's view alone; the reason is what
was found out on the way and nothing else. Randomness is a parameter; the budget is counted.
"""

from __future__ import annotations

import random
from typing import Final

from engine.contract import Decide, Move, State
from engine.errors import EngineError
from node.screen.desk import Advice, Why
from node.search import Budget, Level, choose

SAMPLES: Final = 160
"""Deals that are played on for one advice: a fraction of a second."""


def advise(view: State, seat: int, rng: random.Random) -> Advice:
    """A move for `seat`, whose turn it is in `view`."""
    legal = view.legal(seat)
    if len(legal) == 1:
        return Advice(legal[0], Why.ONLY)
    compared = view.game.hands_compare
    if not isinstance(view.turn(), Decide) or not view.faces:
        return Advice(view.game.suggest(view, seat, rng), Why.HABIT)
    if compared:
        move = view.game.suggest(view, seat, rng)
        return Advice(move, Why.WORTH if _changes(view, seat, move) else Why.HABIT)
    try:
        move = choose(Level.HARD, view, seat, rng, Budget(seconds=2.0, samples=SAMPLES))
    except EngineError:
        return Advice(view.game.suggest(view, seat, rng), Why.HABIT)
    return Advice(move, Why.WORLDS, SAMPLES)


def _changes(view: State, seat: int, move: Move) -> bool:
    """Whether the hand is another one after `move`."""

    def hand(state: State) -> frozenset[int]:
        piles = (p.slots for p in state.piles() if p.name == "hand" and p.seat == seat)
        return frozenset(next(piles, ()))

    return hand(view.apply(move)) != hand(view)
