"""Worlds and roll-outs of Mambassa for players that search.

Law: this file repeats the turns of mambassa_state for speed (MAM-10, MAM-11, MAM-31) and nothing
else of it. Each player of a roll-out sees its own hand and the monte, as at the table. What hands
are worth comes from mambassa_hands, what they cost from mambassa_settle.
"""

from __future__ import annotations

import random
from functools import lru_cache
from itertools import combinations
from typing import Final

from engine import worlds
from engine.contract import Cards, Decide, Over
from engine.games import mambassa_settle
from engine.games.mambassa_hands import HAND, Judge, is_declared
from engine.games.mambassa_position import Phase
from engine.games.mambassa_state import MambassaState

Faces = tuple[int, ...]
_MAX_TRIES: Final = 30
_MAX_ROUNDS: Final = 8
"""Rounds after which everybody knocks, so that every roll-out ends."""
_RANKS: Final = 10
_HIGH: Final = (11, 2, 3, 4, 5, 6, 7, 10, 10, 10)
_ENOUGH: Final = {2: 62, 3: 58, 4: 56, 5: 54}
_ENOUGH_MANY: Final = 52
_PATIENCE: Final = 2
_STEP: Final = 1000
"""Half points count so much in a key, and what decides between equal ones less."""


class Keys(dict[Faces, int]):
    """`Value.key` of four ascending faces, worked out when first asked for."""

    __slots__ = ("_judge",)

    def __init__(self, judge: Judge) -> None:
        super().__init__()
        self._judge = judge

    def __missing__(self, faces: Faces) -> int:
        key = self[faces] = self._judge.value(faces).key
        return key


@lru_cache(maxsize=8)
def _keys(judge: Judge) -> Keys:
    return Keys(judge)


def determine(view: MambassaState, seat: int, rng: random.Random) -> MambassaState:
    """A world that agrees with what `seat` sees and, if it is found, with what others denied."""
    denied = [
        promise.slots
        for promise, (declares, reseals) in zip(view.promises, view.claims, strict=True)
        if not declares and reseals == view.reseals and promise.seat != seat
    ]
    faces = worlds.guess(view, seat, rng)
    for _ in range(_MAX_TRIES):
        if not any(is_declared([faces[slot] for slot in slots]) for slots in denied):
            break
        faces = worlds.guess(view, seat, rng)
    return view.played_openly(faces)


def roll_out(state: MambassaState, seat: int, rng: random.Random) -> int:
    """How far `seat`'s tokens are above the average after this hand, times the seats."""
    hand, current = state.hand, state
    while current.hand == hand and current.phase is not Phase.PLAY:
        turn = current.turn()
        if isinstance(turn, Cards | Over):
            break
        due = turn.seat if isinstance(turn, Decide) else turn.seats[0]
        move = rng.choice(current.legal(due))
        current = current.apply(worlds.chosen(current, due, move, rng))
    if current.phase is not Phase.PLAY:
        return worlds.margin(current, seat)
    hands, declared = finish(current)
    judge = current.match.judge
    values = [judge.value(faces) for faces in hands]
    after_it = mambassa_settle.settle(current.match, current.players, values, declared).match
    tokens = after_it.tokens
    return tokens[seat] * len(tokens) - sum(tokens)


def finish(state: MambassaState) -> tuple[list[Faces], tuple[int, ...]]:
    """The hands at the end, in the order of `state.players`, and who declared."""
    keys = _keys(state.match.judge)
    faces, players = state.faces, state.players
    hands = [tuple(sorted(faces[slot] for slot in held)) for held in state.held]
    monte = tuple(sorted(faces[slot] for slot in state.monte))
    stock = [faces[slot] for slot in state.stock]
    n, at, left, turns = len(hands), state.at, state.left, state.turns
    limit = n * state.match.options.max_rounds or -1
    while left and not (left < 0 and turns == limit):
        own = hands[at]
        cards = sorted(own + monte)
        best = max(combinations(cards, HAND), key=keys.__getitem__)
        least = (_ENOUGH.get(n, _ENOUGH_MANY) - _PATIENCE * (turns // n)) * _STEP
        tired = turns >= n * _MAX_ROUNDS
        knocks = left < 0 and (
            tired or (keys[own] >= least and keys[own] >= keys[best] - 2 * _STEP)
        )
        swaps = best == monte
        if not knocks:
            hands[at], monte = best, _without(cards, best)
            if not swaps:
                hands[at] = _drawn(best, stock, keys)
            if is_declared(hands[at]):
                return hands, (players[at],)
        if left > 0:
            left -= 1
        elif knocks or swaps:
            left = n - 1
        turns += 1
        at = at + 1 if at + 1 < n else 0
    return hands, ()


def _without(cards: list[int], taken: Faces) -> Faces:
    left = list(cards)
    for face in taken:
        left.remove(face)
    return tuple(left)


def _drawn(hand: Faces, stock: list[int], keys: Keys) -> Faces:
    """A hand of points changes its lowest card outside its best suit for the stock's top one."""
    if keys[hand] // _STEP > 76:
        return hand
    sums = [0] * 4
    for face in hand:
        sums[face // _RANKS] += _HIGH[face % _RANKS]
    suit = sums.index(max(sums))
    outside = [face for face in hand if face // _RANKS != suit]
    if not outside or not stock:
        return hand
    given = min(outside, key=lambda face: _HIGH[face % _RANKS])
    stock.append(given)
    rest = list(hand)
    rest.remove(given)
    rest.append(stock.pop(0))
    return tuple(sorted(rest))
