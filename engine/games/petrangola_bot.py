"""A player for Petrangola: it collects, denies, and knocks when it is hardly the worst.

Law: this file reads a position through what its seat may see, and asks it for the legal moves.
It must never read a card that `visible` hides, nor know a rule of its own.

Where a number below was measured, its comment says how; engine/BOTS.md has the figures.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

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
from engine.games.petrangola_playout import LOWEST, Faces, Keys, Worths, better, fair, tables

if TYPE_CHECKING:
    from engine.games.petrangola_state import PetrangolaState

_SWAP_FROM: Final = (18, 17, 17, 17, 16, 16)
"""By players, two first: the lowest key of the monte with which the dealer's swap falls less
often than staying does. Measured for 2, 4 and 7 players in 20,000 hands of the roll-outs' policy;
3, 5 and 6 are taken from their neighbours. With more players than that, the last of them."""

_PETRANGOLA_CHANCE: Final = 0.15
"""How likely another petrangola is the better one: a guess."""

_DENIED: Final = 8.0
"""Points that it is worth not to leave the next player a petrangola, while the hand goes on."""
_SHORTLIST: Final = 5
"""Exchanges that are worth searching."""


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
        rounds = view.turns // n
        self.better = better(n, rounds)
        self.fair = fair(n, rounds)
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
        place = key - LOWEST
        return self.better[min(place, len(self.better) - 1)] / 100 if place >= 0 else 1.0

    def _reach(self, known: tuple[int, ...], left: tuple[int, ...]) -> int:
        """The best key that these cards can become."""
        return max((self.keys[a, b, c] for a, b, c in combinations(known + left, HAND)), default=0)

    def given_away(self, left: tuple[int, ...]) -> float:
        """PET-62: what is lost by leaving a petrangola to the next player."""
        known = self.others[0].faces
        return _DENIED if self._reach(known, left) >= LOWEST_PETRANGOLA else 0.0
