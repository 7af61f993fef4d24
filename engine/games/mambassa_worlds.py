"""Worlds of Mambassa: hidden hands, as likely as the moves that were seen make them.

Law: this file reads a position through what one seat may see, and takes the others for players of
the usual kind (mambassa_playout, mambassa_bot). It must never read a card that `visible` hides.

The statements that were made (MAM-32) name the slots of each hand that there was, so they tell the
turns of a hand (`Past`). A turn without a discard was a choice of four of eight cards, of which all
but the player's own were public: it is as likely as the usual player would have chosen so. After a
reseal nobody can tell the cards of a hand apart, so what was done before is no use any more; that
hand is as likely as hands are after a draw, by what they are worth. Given all that, what two
players hide is independent but for their cards being different ones.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Final

from engine import worlds
from engine.games.mambassa_hands import HAND, is_declared
from engine.games.mambassa_playout import (
    STEP,
    Tables,
    best_of,
    enough,
    faces_of,
    suit_apart,
    tables,
)
from engine.worlds import Hands

if TYPE_CHECKING:
    from engine.games.mambassa_state import MambassaState

Slots = tuple[int, ...]

ODD: Final = 0.01
"""The chance that is left to a move that the usual player doesn't make."""
_NOT_DRAWN: Final = 0.02
"""The chance that a hand of points keeps a card that a drawn one could but improve."""
_TRIES: Final = 30
_MOST_HANDS: Final = 4_000
"""Hidden hands that are weighed for one view, shared among the players."""
_DRAWN: Final = (
    (40, 0.2),
    (48, 1.7),
    (52, 5.0),
    (56, 8.0),
    (77, 12.0),
    (78, 14.0),
    (79, 0.5),
    (99, 20.0),
)
_KEPT: Final = ((40, 0.02), (48, 0.2), (56, 1.3), (64, 5.0), (99, 12.0))
_STOOD: Final = ((40, 0.001), (48, 0.02), (56, 0.5), (64, 5.0), (77, 10.0), (99, 12.0))
"""(half points, times): how much likelier than by chance it is to hold less than so many: after a
draw, after an exchange without one, and for who left a turn with the hand as it was. Measured in
500 hands of medium players."""


@dataclass(frozen=True, slots=True)
class Turn:
    """An exchange after which nothing was drawn.

    at      whose it was, an index into the players
    before  the slots of hand and monte
    after   the slots of the hand then
    turn    which turn of its player, from 0
    last    a bussata came before
    """

    at: int
    before: Slots
    after: Slots
    turn: int
    last: bool


@dataclass(slots=True)
class Past:
    """What the statements of a hand tell. Only what no later reseal has made useless is kept.

    turns  exchanges
    drawn  by player, the slots of its hand after its last draw
    kept   by player, the slots of its hand after its last exchange
    taken  by player, turns that left a statement
    """

    turns: list[Turn] = field(default_factory=list)
    drawn: dict[int, Slots] = field(default_factory=dict)
    kept: dict[int, Slots] = field(default_factory=dict)
    taken: list[int] = field(default_factory=list)


def first_knock(view: MambassaState) -> int:
    """Which turn of this hand, from 0, was the first bussata; -1 if none was, as before it or where
    the dealer kept the monte (MAM-04)."""
    return view.turns - len(view.players) + view.left if view.left >= 0 else -1


def past_of(view: MambassaState) -> Past:
    """What happened in this hand, as far as it can be told; what is public is enough."""
    return _Reader(view).past if view.held else Past()


class _Reader:
    """Goes through the statements."""

    def __init__(self, view: MambassaState) -> None:
        self.view = view
        n = len(view.players)
        self.past = Past(taken=[0] * n)
        packets = [tuple(range(s, s + HAND)) for s in range(0, HAND * n + HAND, HAND)]
        self.knocked = first_knock(view)
        if view.left >= 0 and self.knocked < 0:
            packets[-1], packets[-2] = packets[-2], packets[-1]
        *self.held, self.monte = packets
        self.reseals = 0
        self.lost = False
        self.made = [-9] * n
        """The number of each player's last statement."""
        seat_of = {seat: at for at, seat in enumerate(view.players)}
        for promise, (_, reseals) in zip(view.promises, view.claims, strict=True):
            if promise.move > 1:
                self._say(seat_of[promise.seat], promise.slots, promise.move, reseals)
        if view.reseals > self.reseals:
            self._resealed(self.held[view.at])

    def _say(self, at: int, hand: Slots, made: int, reseals: int) -> None:
        """A statement about `hand`: after an exchange, or after a draw if a reseal came before."""
        drew = reseals > self.reseals
        if not (drew and made == self.made[at] + 2):
            self.past.taken[at] += 1
        self.made[at] = made
        if drew:
            self.reseals = reseals
            self._resealed(self.held[at] + hand)
            self.past.drawn[at] = hand
        else:
            self._exchanged(at, hand)
        self.held[at] = hand

    def _resealed(self, hand: Slots) -> None:
        """Nothing that these slots told before holds any more."""
        past, gone = self.past, set(hand)
        past.turns = [turn for turn in past.turns if gone.isdisjoint(turn.before)]
        past.drawn = {at: slots for at, slots in past.drawn.items() if gone.isdisjoint(slots)}
        past.kept = {at: slots for at, slots in past.kept.items() if gone.isdisjoint(slots)}

    def _exchanged(self, at: int, hand: Slots) -> None:
        before = self.held[at] + self.monte
        self.past.kept[at] = hand
        if self.lost or not set(hand) <= set(before):
            self.lost = True  # a hand that lay open was stated without a promise
            return
        turn = self.past.taken[at] - 1
        number = turn * len(self.held) + at
        last = self.view.left >= 0 and number > self.knocked
        self.past.turns.append(Turn(at, before, hand, turn, last))
        self.monte = tuple(slot for slot in before if slot not in hand)


def determine(view: MambassaState, seat: int, rng: random.Random) -> MambassaState:
    """A world that agrees with what `seat` sees and, if it is found, with what others denied, the
    likelier the better it explains how they moved."""
    denied = [
        promise.slots
        for promise, (declares, reseals) in zip(view.promises, view.claims, strict=True)
        if not declares and reseals == view.reseals and promise.seat != seat
    ]
    hands = _hands(view, seat)
    for _ in range(_TRIES):
        faces = worlds.likely(view, seat, hands, rng)
        if not any(is_declared([faces[slot] for slot in slots]) for slots in denied):
            break
    return view.played_openly(faces)


@lru_cache(maxsize=4)  # a search asks for many worlds of one view, which is compared as an object
def _hands(view: MambassaState, seat: int) -> tuple[Hands, ...]:
    """What each player may hide who did something in this hand."""
    slots, pool = worlds.hidden(view, seat)
    shut, past, n = set(slots), past_of(view), len(view.players)
    knocked = first_knock(view)
    weigher = _Weigher(view, past, slots)
    found = []
    for at, held in enumerate(view.held):
        own = tuple(slot for slot in held if slot in shut)
        done = view.turns // n + (at < view.turns % n)
        swapped = view.left >= 0 and knocked < 0 and at == n - 1
        if own and view.players[at] != seat and (done or swapped):
            faces = worlds.some_hands(pool, len(own), _MOST_HANDS // n)
            stood = swapped or done > past.taken[at]
            weights = weigher.weights(at, own, faces, stood)
            hands = worlds.weighed(own, faces, weights)
            if hands:
                found.append(hands)
    return tuple(found)


class _Weigher:
    """Weighs what the players of one view may hide."""

    def __init__(self, view: MambassaState, past: Past, hidden: Sequence[int]) -> None:
        self.view = view
        self.hidden = hidden
        self.past = past
        self.known = tables(view.match.judge)

    def weights(
        self, at: int, slots: Slots, hands: Sequence[Slots], stood: bool
    ) -> Iterator[float]:
        """How likely each of `hands` is in the slots that player `at` hides. `stood`: the hand
        was left as it was in a turn."""
        deck, n = bytearray(self.view.faces), len(self.view.players)
        seen = set(range(len(deck))).difference(self.hidden).union(slots)
        turns = [
            (turn.before, turn.after, None if turn.last else enough(n, turn.turn))
            for turn in self.past.turns
            if turn.at == at and seen.issuperset(turn.before)
        ]
        drawn = self.past.drawn.get(at, (-1,))
        kept = self.past.kept.get(at, (-1,))
        held = self.view.held[at]
        for faces in hands:
            for slot, face in zip(slots, faces, strict=True):
                deck[slot] = face
            weight = 1.0
            if stood:
                weight *= _times(_STOOD, self._key(deck, held))
            if seen.issuperset(drawn):
                weight *= _times(_DRAWN, self._key(deck, drawn))
            elif not turns and seen.issuperset(kept):
                weight *= _times(_KEPT, self._key(deck, kept))
            for before, after, least in turns:
                own = _mask(deck, before[:HAND])
                cards = own | _mask(deck, before[HAND:])
                weight *= likelihood(own, cards ^ own, _mask(deck, after), least, self.known)
            yield weight

    def _key(self, deck: bytearray, slots: Slots) -> int:
        return self.known.keys[_mask(deck, slots)]


def _mask(deck: bytearray, slots: Slots) -> int:
    a, b, c, d = slots
    return 1 << deck[a] | 1 << deck[b] | 1 << deck[c] | 1 << deck[d]


def _times(rows: Sequence[tuple[int, float]], key: int) -> float:
    halves = key // STEP
    return next(times for below, times in rows if halves < below)


def likelihood(own: int, monte: int, kept: int, least: int | None, known: Tables) -> float:
    """The chance that a turn makes `kept` of the hand `own`, by an exchange with `monte`, and
    draws nothing (masks of faces). `least`: the key to knock with; None after a bussata."""
    table: dict[int, int]
    table, cores = (known.keys, known.best_now) if least is None else (known.worths, known.best)
    best, _ = best_of(own | monte, cores)
    chance = ODD
    if table[kept] == best:
        bits = [1 << face for face in faces_of(own | monte)]
        found = [table[hand] for hand in map(sum, combinations(bits, HAND))]
        chance = 1.0 / found.count(best)
    if least is not None:
        worth = known.keys[own]
        if worth >= least and worth + 2 * STEP >= best:
            chance *= ODD
    return chance * _NOT_DRAWN if suit_apart(kept, known.keys) else chance
