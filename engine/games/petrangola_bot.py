"""A player for Petrangola: it collects, denies, and knocks when it is hardly the worst.

Law: this file reads a position through what its seat may see, and asks it for the legal moves.
It must never read a card that `visible` hides, nor know a rule of its own.

Where a number below was measured, its comment says how; engine/BOTS.md has the figures.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

from engine import worlds
from engine.cards import UNKNOWN
from engine.contract import Move
from engine.games.petrangola_hands import HAND, LOWEST_PETRANGOLA
from engine.games.petrangola_moves import (
    FIRST_THREE,
    LAST_THREE,
    Camicia,
    Cut,
    Decline,
    Exchange,
    Knock,
    KnockShow,
    Reenter,
    Stay,
)
from engine.games.petrangola_playout import Faces, Keys, Worths, tables

if TYPE_CHECKING:
    from engine.games.petrangola_state import PetrangolaState

_SWAP_FROM: Final = (18, 17, 17, 17, 16, 16)
"""By players, two first: the lowest key of the monte with which the dealer's swap falls less
often than staying does. Measured for 2, 4 and 7 players in 20,000 hands of the roll-outs' policy;
3, 5 and 6 are taken from their neighbours. With more players than that, the last of them."""

_LOWEST: Final = 9
_BETTER: Final = (
    # Nobody knocked before, or the dealer swapped; then one round had gone, then two, then more.
    (99, 98, 96, 94, 90, 86, 81, 74, 66, 62, 57, 49, 40, 36, 32, 29, 26, 23, 20, 17, 17, 17, 16),
    (100, 100, 99, 98, 96, 94, 91, 86, 80, 76, 71, 64, 56, 51, 46, 43, 39, 34, 29, 26, 26, 26, 24),
    (100, 100, 99, 98, 96, 93, 89, 83, 76, 71, 64, 57, 49, 45, 41, 38, 35, 30, 26, 24, 24, 24, 23),
    (100, 99, 99, 98, 96, 91, 84, 76, 64, 57, 50, 45, 40, 36, 33, 31, 30, 24, 22, 20, 20, 20, 20),
)
_BETTER_OF_TWO: Final = (
    (100, 99, 97, 95, 91, 86, 80, 73, 65, 61, 56, 46, 38, 35, 31, 28, 25, 21, 18, 15, 15, 15, 15),
    (100, 99, 98, 96, 93, 89, 84, 77, 69, 65, 60, 50, 39, 34, 28, 25, 23, 19, 16, 15, 15, 15, 14),
    (100, 99, 98, 96, 92, 88, 81, 72, 61, 55, 48, 35, 21, 16, 11, 9, 8, 7, 6, 6, 6, 6, 5),
    (100, 99, 98, 95, 90, 84, 76, 65, 47, 37, 30, 18, 7, 4, 2, 2, 2, 1, 1, 1, 1, 1, 1),
)
"""[rounds before the knock][key - 9]: per cent of other players who end with a better key, in
20,000 hands of the roll-outs' policy with its first thresholds; for many players those of 4. The
first row for many lies, by hand, between a knock in the first round and the dealer's swap."""
_PETRANGOLA_CHANCE: Final = 0.15
"""How likely another petrangola is the better one: a guess."""

_FAIR: Final = 0.7
"""A knock must make it so much less likely to be the worst than it is with equal chances. From
0.5 to 0.9 no difference was found in 1,200 deals of 4; 1.2 lost."""
_IMPATIENCE: Final = 0.2
"""How much likelier it may be for each round from the third on, so that every hand ends."""
_DENIED: Final = 8.0
"""Points that it is worth not to leave the next player a petrangola, while the hand goes on."""
_SHORTLIST: Final = 5
"""Exchanges that are worth searching."""
_MAX_TRIES: Final = 40
_LEAST_KNOCK: Final = 17
"""Below this nobody is taken to have knocked; the roll-outs' thresholds reach it after rounds."""


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
    keys, worths = tables(view.match.judge)
    if isinstance(first, Stay):
        if UNKNOWN in monte:
            return first
        least = _SWAP_FROM[min(len(view.players) - 2, len(_SWAP_FROM) - 1)]
        return legal[1] if keys[monte] >= least else first
    hand = _faces(view, view.hand_of(seat), visible)
    if UNKNOWN in hand or UNKNOWN in monte:
        return rng.choice(legal)
    table = _Table(view, visible, keys, worths)
    best: list[Move] = []
    most = (float("-inf"), float("-inf"))
    for move in legal:
        worth = table.worth(move, hand + monte)
        if worth > most:
            best, most = [move], worth
        elif worth == most:
            best.append(move)
    return rng.choice(best)


def shortlist(view: PetrangolaState, seat: int) -> Sequence[Move]:
    """The ways to knock, and the exchanges that look best."""
    legal = view.legal(seat)
    visible = view.visible(seat)
    if Exchange not in map(type, legal):
        return legal
    cards = (*_faces(view, view.hand_of(seat), visible), *_faces(view, view.monte, visible))
    if UNKNOWN in cards:
        return legal
    table = _Table(view, visible, *tables(view.match.judge))
    order = sorted(legal, key=lambda move: table.worth(move, cards), reverse=True)
    exchanges = [move for move in order if isinstance(move, Exchange)][:_SHORTLIST]
    return [*exchanges, *(move for move in legal if not isinstance(move, Exchange))]


def _faces(view: PetrangolaState, slots: Sequence[int], visible: int) -> Faces:
    a, b, c = (view.faces[slot] if visible >> slot & 1 else UNKNOWN for slot in slots)
    return a, b, c


@dataclass(frozen=True, slots=True)
class _Other:
    """What is known of another hand, and whether its player has another turn after this one."""

    faces: tuple[int, ...]
    to_come: bool
    next: bool


class _Table:
    """The turn of one seat, before or after a bussata."""

    def __init__(self, view: PetrangolaState, visible: int, keys: Keys, worths: Worths) -> None:
        n, at = len(view.players), view.at
        self.keys = keys
        self.worths = worths
        self.last = view.left >= 0
        rows = _BETTER_OF_TWO if n == 2 else _BETTER
        self.better = rows[min(view.turns // n, len(rows) - 1)]
        rounds = view.turns // n
        self.fair = _FAIR / n + _IMPATIENCE * max(0, rounds - 2)
        turns_to_come = view.left - 1 if self.last else n - 1
        self.others = []
        for ahead in range(1, n):
            known = [view.faces[s] for s in view.held[(at + ahead) % n] if visible >> s & 1]
            faces = tuple(face for face in known if face != UNKNOWN)
            self.others.append(_Other(faces, ahead <= turns_to_come, ahead == 1))

    def worth(self, move: Move, cards: tuple[int, ...]) -> tuple[float, float]:
        """The better move has the greater worth."""
        if isinstance(move, Exchange):
            hand, left = move.hand(cards), move.monte(cards)
        elif isinstance(move, Camicia):
            hand, left = LAST_THREE(cards), FIRST_THREE(cards)
        else:
            hand, left = FIRST_THREE(cards), LAST_THREE(cards)
        a, b, c = hand
        key = self.keys[a, b, c]
        if self.last:
            # Of equal hands the one that was completed earlier is the better (PET-36).
            return -self.worst(key, left), key + 0.5 * isinstance(move, Knock | KnockShow)
        if isinstance(move, Exchange):
            return self.worths[a, b, c] - self.given_away(left), 0.0
        chance = self.worst(key, left)
        return (50.0 if chance <= self.fair else -50.0) + key, 1.0

    def worst(self, key: int, left: tuple[int, ...]) -> float:
        """The chance that every other hand ends better than `key`, were they independent."""
        chance = 1.0
        for other in self.others:
            chance *= self._is_better(other, key, left)
        return chance

    def _is_better(self, other: _Other, key: int, left: tuple[int, ...]) -> float:
        if len(other.faces) == HAND and not other.to_come:
            return float(self._reach(other.faces, ()) > key)
        reach = self._reach(other.faces, left) if other.next and other.to_come else 0
        if reach > key:
            return 1.0
        if len(other.faces) == HAND and other.next and other.to_come:
            return 0.0
        if key >= LOWEST_PETRANGOLA:
            return _PETRANGOLA_CHANCE
        place = key - _LOWEST
        return self.better[min(place, len(self.better) - 1)] / 100 if place >= 0 else 1.0

    def _reach(self, known: tuple[int, ...], left: tuple[int, ...]) -> int:
        """The best key that these cards can become."""
        return max((self.keys[a, b, c] for a, b, c in combinations(known + left, HAND)), default=0)

    def given_away(self, left: tuple[int, ...]) -> float:
        """PET-62: what is lost by leaving a petrangola to the next player."""
        known = self.others[0].faces
        return _DENIED if self._reach(known, left) >= LOWEST_PETRANGOLA else 0.0


def determine(view: PetrangolaState, seat: int, rng: random.Random) -> PetrangolaState:
    """A world that agrees with what `seat` sees, with the plain knocks (PET-24), and with the
    first knock being worth it; after _MAX_TRIES the knocks need not be."""
    keys, _ = tables(view.match.judge)
    vows = [promise.slots for promise in view.promises]
    knocker = (view.at + view.left) % len(view.players) if view.left >= 0 else -1
    fair = view.held[knocker] if knocker >= 0 and view.players[knocker] != seat else ()
    for faces in _guesses(view, seat, rng):
        if any(_key(keys, faces, slots) >= LOWEST_PETRANGOLA for slots in vows):
            continue
        if not fair or _key(keys, faces, fair) >= _LEAST_KNOCK:
            break
    return view.played_openly(faces)


def _guesses(view: PetrangolaState, seat: int, rng: random.Random) -> Iterator[bytes]:
    for _ in range(_MAX_TRIES):
        yield worlds.guess(view, seat, rng)


def _key(keys: Keys, faces: bytes, slots: Sequence[int]) -> int:
    a, b, c = slots
    return keys[faces[a], faces[b], faces[c]]
