"""A player for Petrangola: greedy for its own hand, patient in knocking.

Law: this file reads a position through what its seat may see, and asks it for the legal moves.
It must never read a card that `visible` hides, nor know a rule of its own.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.cards import UNKNOWN
from engine.contract import Move
from engine.games.petrangola_hands import Value
from engine.games.petrangola_moves import (
    Camicia,
    Cut,
    Decline,
    Exchange,
    Knock,
    KnockShow,
    Reenter,
    Stay,
)

if TYPE_CHECKING:
    from engine.games.petrangola_state import PetrangolaState

# Points with which a player likely isn't the worst, by the number of players, measured with the
# player itself: the fewer others there are, the better one must be than all of them.
_ENOUGH = {2: 26, 3: 25, 4: 24, 5: 23, 6: 22}
_ENOUGH_MANY = 21
_ONE_TURN = 4
"""How much less is enough for the dealer's swap, after which the others have one turn."""
_PATIENCE = 2
"""Points that a knock may be worse for each round that has gone."""
_NEAR_PETRANGOLA = 2.5
"""What two cards towards a petrangola are worth in points, while the hand may go on."""


def suggest(view: PetrangolaState, seat: int, rng: random.Random) -> Move:
    """A sensible legal move of `seat`; ties are broken by `rng`."""
    legal = list(view.legal(seat))
    first = legal[0]
    if isinstance(first, Cut):
        return rng.choice(legal)
    if isinstance(first, Reenter | Decline):
        return first
    visible = view.visible(seat)
    monte = _faces(view, view.monte, visible)
    if isinstance(first, Stay):
        if UNKNOWN in monte:
            return first
        value = view.match.judge.value(monte)
        enough = _enough(len(view.players), 0) - _ONE_TURN
        return legal[1] if value.petrangola or value.points >= enough else first
    hand = _faces(view, view.hand_of(seat), visible)
    if UNKNOWN in hand or UNKNOWN in monte:
        return rng.choice(legal)
    return _turn(view, legal, hand, monte, rng)


def _faces(view: PetrangolaState, slots: Sequence[int], visible: int) -> tuple[int, ...]:
    return tuple(view.faces[slot] if visible >> slot & 1 else UNKNOWN for slot in slots)


def _enough(players: int, rounds: int) -> int:
    return _ENOUGH.get(players, _ENOUGH_MANY) - _PATIENCE * rounds


def _turn(
    view: PetrangolaState,
    legal: Sequence[Move],
    hand: tuple[int, ...],
    monte: tuple[int, ...],
    rng: random.Random,
) -> Move:
    """A last turn takes the best hand there is; before that a knock must be worth it."""
    judge = view.match.judge
    last = view.left >= 0
    enough = _enough(len(view.players), view.turns // len(view.players))
    best: list[Move] = []
    best_worth = float("-inf")
    for move in legal:
        if isinstance(move, Exchange):
            after = move.hand(hand + monte)
        elif isinstance(move, Camicia):
            after = monte
        else:
            after = hand
        value = judge.value(after)
        worth = float(value.key)
        if not last:
            worth += _now(value, enough, isinstance(move, Exchange), after)
        elif isinstance(move, Knock | KnockShow):
            worth += 0.5  # of equal hands the one that was completed earlier (PET-36)
        if worth > best_worth:
            best, best_worth = [move], worth
        elif worth == best_worth:
            best.append(move)
    return rng.choice(best)


def _now(value: Value, enough: int, goes_on: bool, hand: tuple[int, ...]) -> float:
    """What a turn before any bussata is worth beyond the hand that it leaves."""
    if goes_on:
        return 0.0 if value.petrangola else _prospects(hand)
    if value.petrangola:
        return 1.0
    return 50.0 if value.points >= enough else -50.0


def _prospects(hand: Sequence[int]) -> float:
    """Pairs of equal rank and neighbours of a suit may become a petrangola."""
    a, b, c = hand
    pairs = ((a, b), (a, c), (b, c))
    near = any(x % 10 == y % 10 or (x // 10 == y // 10 and abs(x - y) <= 2) for x, y in pairs)
    return _NEAR_PETRANGOLA if near else 0.0
