"""A player for Briscola: spends little on little, takes what counts, feeds a partner.

Law: this file reads a position through what its seat may see, and asks it for the legal moves.
It must never read a card that `visible` hides, nor know a rule of its own.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from engine.cards import UNKNOWN
from engine.contract import Move
from engine.errors import OutOfTurn
from engine.games.briscola_cards import RANKS
from engine.games.briscola_careful import costs

if TYPE_CHECKING:
    from engine.games.briscola_state import BriscolaState


def suggest(view: BriscolaState, seat: int, rng: random.Random) -> Move:
    """A sensible legal move of `seat`; ties are broken by `rng`."""
    legal = list(view.legal(seat))
    if not legal:
        raise OutOfTurn(f"seat {seat} isn't to move")
    visible = view.visible(seat)
    hand = view.hand_of(seat)
    cards = [view.faces[slot] if visible >> slot & 1 else UNKNOWN for slot in hand]
    if UNKNOWN in cards:
        return rng.choice(legal)
    worths = [_worth(view, seat, face) for face in cards]
    most = max(worths)
    return rng.choice([move for move, w in zip(legal, worths, strict=True) if w == most])


def _worth(view: BriscolaState, seat: int, face: int) -> float:
    """Points that playing `face` now may bring, less what it gives away for later."""
    points = view.cards.points
    trump = view.faces[view.briscola] // RANKS
    cost = costs(view.cards, trump)[face]
    if not view.trick:
        return -points[face] - cost
    pot = points[face] + sum(points[view.faces[slot]] for slot in view.trick)
    wins = view.beats[view.best][face]
    last = len(view.trick) == len(view.players) - 1
    ours = wins or view.side(view.players[view.taker]) == view.side(seat)
    # Before the last player a trick is only likely to stay where it is.
    sure = 1.0 if last or view.best // RANKS == trump else 0.6
    return (pot if ours else -pot) * sure - cost
