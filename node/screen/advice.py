"""What a computer player would choose, what speaks for it, and how it did in sampled deals.

Law: it asks the game and the search, from the reader's view alone; a reason is what was found out
on the way and nothing else. Randomness and time are parameters; the budget is counted.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final

from engine.contract import Decide, Move, State
from engine.errors import EngineError
from node.screen.desk import Advice, Why
from node.screen.story import scores
from node.search import Budget, Comparison, compare

SAMPLES: Final = 1600
"""Roll-outs for one advice: some hundreds of deals, a fraction of a second."""
SECONDS: Final = 2.0
"""What an advice takes at the most."""
DEALS: Final = 160
"""Deals that are sampled to see how a hand that is kept stands."""
_KEEPS: Final = frozenset({"knock", "knock-show"})


def advise(
    view: State, seat: int, rng: random.Random, clock: Callable[[], float] = time.monotonic
) -> Advice:
    """A move for `seat`, whose turn it is in `view`."""
    game = view.game
    view = view.view(seat)
    legal = view.legal(seat)
    if len(legal) == 1:
        return Advice(legal[0], Why.ONLY)
    found = _compared(view, seat, rng, clock)
    move = found.move if found else game.suggest(view, seat, rng)
    reasons = game.reasons(view, seat, move)
    if found is None:
        return Advice(move, Why.HABIT, reasons)
    holds = _holds(view, seat, move, rng)
    return Advice(move, Why.WORLDS, reasons, found, game.lead_parts(view), holds)


def _compared(
    view: State, seat: int, rng: random.Random, clock: Callable[[], float]
) -> Comparison | None:
    """How moves do in sampled deals; None where none can be sampled."""
    if not isinstance(view.turn(), Decide):
        return None
    try:
        return compare(view, seat, rng, Budget(SECONDS, SAMPLES), clock=clock)
    except EngineError:
        return None


def _holds(view: State, seat: int, move: Move, rng: random.Random) -> tuple[int, int] | None:
    """In how many sampled deals a hand that is kept isn't the worst, as the cards lie now."""
    word = view.game.encode(move)
    if not isinstance(word, tuple) or word[0] not in _KEEPS:
        return None
    good = 0
    for _ in range(DEALS):
        world = view.game.determine(view, seat, rng)
        hands = {
            pile.seat: [world.faces[slot] for slot in pile.slots]
            for pile in world.piles()
            if pile.name == "hand" and pile.slots
        }
        ranks = {
            one: found.rank
            for one, found in zip(hands, scores(world, list(hands.values())), strict=True)
        }
        good += ranks.get(seat, 0) < max(ranks.values())
    return good, DEALS
