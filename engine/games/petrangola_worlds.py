"""Worlds of Petrangola: hidden hands, as likely as the moves that were seen make them.

Law: this file reads a position through what one seat may see, and takes the others for players of
the usual kind (petrangola_playout). It must never read a card that `visible` hides.

A position tells how it came about: an exchange swaps the places of two or four slots, so the turns
that lead from the deal to where the slots lie now can be found again (`histories`). Each of them
was a choice among six cards, of which all but the player's own were public. Given the turns, what
two players hide is therefore independent but for their cards being different ones, and a hidden
hand weighs as much as the chance that its player would have moved as it did with it (Bayes' rule,
where all deals are equally likely before). What was collected, what was left to the next player
and who knocked or didn't are all part of it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, combinations
from operator import eq
from typing import TYPE_CHECKING, Final

from engine import worlds
from engine.games.petrangola_hands import HAND, LOWEST_PETRANGOLA
from engine.games.petrangola_moves import EXCHANGES, FIRST_THREE, LAST_THREE
from engine.games.petrangola_playout import KNOCK, SIX, SWAP, Keys, Worths, enough, tables
from engine.worlds import Hands

if TYPE_CHECKING:
    from engine.games.petrangola_state import PetrangolaState

Slots = tuple[int, ...]

ODD: Final = 0.04
"""The chance that is left to a move that the usual policy doesn't make: medium players differ from
it in one turn of twenty."""
_KNOCKED_FROM: Final = 17
"""Below this nobody is taken to have knocked in the first rounds, or to have kept the monte."""
_MOST_STEPS: Final = 3_000
_MOST_HISTORIES: Final = 4
_MOST_HANDS: Final = 8_000
"""Hidden hands that are weighed for one view, shared among players and histories."""
_LEAST_HANDS: Final = 100
_TRIES: Final = 40
_PLACES: Final = {frozenset(places): at for at, places in enumerate(SIX)}
_ENDS: Final = ((FIRST_THREE, LAST_THREE), (LAST_THREE, FIRST_THREE))
"""The turns without a move: what a hand becomes, and the monte."""
_EXCHANGES: Final = tuple((move.give, move.hand, move.monte) for move in EXCHANGES)


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn that was taken.

    at      whose it was, an index into the players
    before  the six slots of hand and monte
    place   what was kept, an index into petrangola_playout.SIX
    rounds  whole rounds gone before it; -1 after a bussata
    """

    at: int
    before: Slots
    place: int
    rounds: int


@dataclass(frozen=True, slots=True)
class _Pasts:
    """The hidden hands after each history, and running sums of how likely each is."""

    hands: tuple[tuple[Hands, ...], ...]
    weights: tuple[float, ...]


def determine(view: PetrangolaState, seat: int, rng: random.Random) -> PetrangolaState:
    """A world that agrees with what `seat` sees and with the plain knocks (PET-24), the likelier
    the better it explains how the others moved."""
    pasts = _pasts(view, seat)
    keys, _ = tables(view.match.judge)
    vows = [promise.slots for promise in view.promises]
    for _ in range(_TRIES):
        hands = pasts.hands[worlds.pick(pasts.weights, rng)]
        faces = worlds.likely(view, seat, hands, rng)
        if not any(_key(keys, faces, slots) >= LOWEST_PETRANGOLA for slots in vows):
            break
    return view.played_openly(faces)


def _key(keys: Keys, faces: bytes | bytearray, slots: Sequence[int]) -> int:
    a, b, c = slots
    return keys[faces[a], faces[b], faces[c]]


@lru_cache(maxsize=4)  # a search asks for many worlds of one view, which is compared as an object
def _pasts(view: PetrangolaState, seat: int) -> _Pasts:
    slots, pool = worlds.hidden(view, seat)
    found = histories(view) or ((),)
    most = _MOST_HANDS // (len(found) * len(view.players))
    weigher = _Weigher(view, frozenset(slots), pool, max(most, _LEAST_HANDS))
    pasts = [weigher.past(turns) for turns in found]
    return _Pasts(
        tuple(hands for hands, _ in pasts), tuple(accumulate(weight for _, weight in pasts))
    )


class _Weigher:
    """Weighs what the players of one view may hide."""

    def __init__(
        self, view: PetrangolaState, hidden: frozenset[int], pool: Sequence[int], most: int
    ) -> None:
        self.view = view
        self.hidden = hidden
        self.pool = pool
        self.most = most
        self.keys, self.worths = tables(view.match.judge)
        self.vowed = {promise.slots for promise in view.promises}
        n = len(view.players)
        turn = first_knock(view)
        self.knocker = (n - 1 if turn < 0 else turn % n) if view.left >= 0 else -1
        self.least = min(_KNOCKED_FROM, enough(n, max(turn, 0) // n))

    def past(self, turns: Sequence[Turn]) -> tuple[tuple[Hands, ...], float]:
        """The hidden hands of all who did something, if `turns` were taken, and how likely that
        is."""
        view, weight = self.view, 1.0
        found = []
        for at, hand in enumerate(view.held):
            slots = tuple(slot for slot in hand if slot in self.hidden)
            own = [turn for turn in turns if turn.at == at]
            least = self.least if at == self.knocker else 0
            if slots and (own or least or hand in self.vowed):
                faces = worlds.some_hands(self.pool, len(slots), self.most)
                weights = self._weights(hand, slots, faces, own, least)
                hands = worlds.weighed(slots, faces, weights)
                if hands:
                    found.append(hands)
                    weight *= hands.weights[-1] / len(faces)
        return tuple(found), weight

    def _weights(
        self,
        hand: Slots,
        slots: Slots,
        hands: Sequence[Slots],
        turns: Sequence[Turn],
        least: int,
    ) -> Iterator[float]:
        """The chance of `turns` for each of `hands`, and of a key of at least `least`."""
        deck, n = bytearray(self.view.faces), len(self.view.players)
        vowed = hand in self.vowed
        plans = [(t.before, t.place, enough(n, t.rounds) if t.rounds >= 0 else None) for t in turns]
        for faces in hands:
            for slot, face in zip(slots, faces, strict=True):
                deck[slot] = face
            weight = 1.0
            key = _key(self.keys, deck, hand)
            if key < least or (vowed and key >= LOWEST_PETRANGOLA):
                yield 0.0
                continue
            for before, place, enough_now in plans:
                cards = tuple([deck[slot] for slot in before])
                if enough_now is None:
                    weight *= likelihood_at_last(cards, place, self.keys)
                else:
                    weight *= likelihood(cards, place, enough_now, self.worths)
            yield weight


def likelihood_at_last(cards: tuple[int, ...], place: int, keys: Keys) -> float:
    """The chance that a last turn with these six cards keeps those of SIX[place]."""
    found = list(map(keys.__getitem__, combinations(cards, HAND)))
    most = max(found)
    if found[place] < most or (place != KNOCK and found[KNOCK] == most):
        return ODD
    return 1.0 if place == KNOCK else 1.0 / found.count(most)


def likelihood(cards: tuple[int, ...], place: int, least: int, worths: Worths) -> float:
    """The same for a turn before any bussata by who knocks from the key `least` on."""
    found = list(map(worths.__getitem__, combinations(cards, HAND)))
    best = max(found)
    own, swap = worths.now[cards[:HAND]], worths.now[cards[HAND:]]
    knock = max(own, swap)
    knocks = knock >= least and (knock >= LOWEST_PETRANGOLA or best < LOWEST_PETRANGOLA)
    if place in (KNOCK, SWAP):
        key = own if place == KNOCK else swap
        if knocks and key == knock:
            return 1.0
        return ODD if key >= min(least, _KNOCKED_FROM) else 0.0
    if knocks:
        return ODD
    going = found[KNOCK + 1 : SWAP]
    most = max(going)
    return 1.0 / going.count(most) if found[place] == most else ODD


# -- how a position came about ---------------------------------------------------------------------


def first_knock(view: PetrangolaState) -> int:
    """Which turn of this hand, from 0, was the first bussata; -1 if none was, as before it or where
    the dealer kept the monte (PET-13)."""
    return view.turns - len(view.players) + view.left if view.left >= 0 else -1


def histories(view: PetrangolaState) -> tuple[tuple[Turn, ...], ...]:
    """Turns that lead from the deal to this position, in the order of play: every such list if
    there are few and they are soon found, else some or none. What is public is enough."""
    return tuple(_Histories(view).found) if view.held else ()


class _Histories:
    """A depth-first search for what happened."""

    def __init__(self, view: PetrangolaState) -> None:
        self.view = view
        n = len(view.players)
        self.found: list[tuple[Turn, ...]] = []
        self.steps = 0
        packets = [tuple(range(s, s + HAND)) for s in range(0, HAND * n + HAND, HAND)]
        self.knocked = first_knock(view)
        if view.left >= 0 and self.knocked < 0:
            packets[-1], packets[-2] = packets[-2], packets[-1]
        self._go(0, packets[:n], packets[n], ())

    def _go(self, turn: int, held: list[Slots], monte: Slots, turns: tuple[Turn, ...]) -> None:
        """Go on from the position before `turn`."""
        view, n = self.view, len(self.view.players)
        if turn == view.turns:
            if monte == view.monte and tuple(held) == view.held:
                self.found.append(turns)
            return
        at, last = turn % n, view.left >= 0 and turn > self.knocked
        before = held[at] + monte
        for hand, left in self._ways(turn, before):
            self.steps += 1
            if self.steps > _MOST_STEPS or len(self.found) == _MOST_HISTORIES:
                return
            place = _PLACES[frozenset(map(before.index, hand))]
            taken = Turn(at, before, place, -1 if last else turn // n)
            self._go(turn + 1, [*held[:at], hand, *held[at + 1 :]], left, (*turns, taken))

    def _ways(self, turn: int, before: Slots) -> Iterator[tuple[Slots, Slots]]:
        """What `turn` may have made of hand and monte, as far as the end tells it."""
        view, n = self.view, len(self.view.players)
        goal = view.held[turn % n] if turn + n >= view.turns else None
        if turn >= self.knocked and view.left >= 0:
            for hand, left in _ENDS:
                if goal in (None, hand(before)):
                    yield hand(before), left(before)
        if turn != self.knocked:
            # What is kept stays in its place, so after the last turn but one some places must be
            # as they are now.
            free = goal is not None or turn + 2 * n < view.turns or view.left >= 0
            now = view.held[turn % n]
            shut = [not view.opened >> slot & 1 for slot in before[:HAND]]
            for give, hand, left in _EXCHANGES:
                if any(shut[place] for place in give):
                    continue
                after = hand(before)
                if after == goal or (goal is None and (free or any(map(eq, after, now)))):
                    yield after, left(before)
