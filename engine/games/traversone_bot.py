"""A player for Traversone: ducks, sheds what is dangerous, gives points away.

Law: this file reads a position through what its seat may see, and asks it for the legal moves.
It must never read a card that `visible` hides, nor know a rule of its own.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from engine.cards import UNKNOWN
from engine.contract import Move
from engine.errors import OutOfTurn
from engine.games.traversone_count import BEATS, DECK, RANKS, STRENGTH, THIRDS
from engine.games.traversone_moves import Aside, Play
from engine.games.traversone_position import SUITS

if TYPE_CHECKING:
    from engine.games.traversone_state import TraversoneState

_LATE = 3
"""Cards in hand from which the last trick is planned for."""
_TRIES = 20
"""Samples that are tried before promises are left out of account."""
_CHEAP = 1
"""Thirds for which a trick may be taken to be rid of a high card."""


def suggest(view: TraversoneState, seat: int, rng: random.Random) -> Move:
    """A sensible legal move of `seat`; ties are broken by `rng`."""
    legal = list(view.legal(seat))
    if not legal:
        raise OutOfTurn(f"seat {seat} isn't to move")
    visible = view.visible(seat)
    faces = bytes(f if visible >> s & 1 else UNKNOWN for s, f in enumerate(view.faces))
    hand = [faces[slot] for slot in view.hand_of(seat)]
    if UNKNOWN in hand:
        return rng.choice(legal)
    table = _Table(view, faces, hand)
    if isinstance(legal[0], Aside):
        return _best(legal, faces, table.danger, rng)
    if not view.trick:
        return _best(legal, faces, table.lead, rng)
    if any(faces[_slot(move)] // RANKS == view.led for move in legal):
        return _best(legal, faces, table.follow, rng)
    return _best(legal, faces, table.discard, rng)


def determine(view: TraversoneState, seat: int, rng: random.Random) -> TraversoneState:
    """An open position that `seat` can't tell from the real one: the cards it doesn't see by
    chance, but for the suits that the others promised not to hold (TRA-04)."""
    visible = view.visible(seat)
    seen = {slot: view.faces[slot] for slot in range(DECK.size) if visible >> slot & 1}
    free = sorted(set(range(DECK.size)) - set(seen.values()))
    barred = {
        slot: frozenset(vow % SUITS for vow, hidden, _ in view.vows if hidden >> slot & 1)
        for slot in range(DECK.size)
        if slot not in seen
    }
    anything = dict.fromkeys(barred, frozenset[int]())
    for rules in (*[barred] * _TRIES, anything):
        found = _sampled(rules, free, rng)
        if found is not None:
            seen |= found
            break
    return view.played_openly(bytes(seen[slot] for slot in range(DECK.size)))


def _sampled(
    barred: Mapping[int, frozenset[int]], faces: Sequence[int], rng: random.Random
) -> dict[int, int] | None:
    """A face for each slot, of none of its barred suits; None if chance led into a corner."""
    left = list(faces)
    rng.shuffle(left)
    found = {}
    for slot in sorted(barred, key=lambda slot: -len(barred[slot])):
        face = next((face for face in left if face // RANKS not in barred[slot]), None)
        if face is None:
            return None
        left.remove(face)
        found[slot] = face
    return found


def _slot(move: Move) -> int:
    return move.slot if isinstance(move, Play | Aside) else -1


def _best(
    legal: Sequence[Move], faces: bytes, worth: Callable[[int], float], rng: random.Random
) -> Move:
    worths = [worth(faces[_slot(move)]) for move in legal]
    most = max(worths)
    return rng.choice([m for m, w in zip(legal, worths, strict=True) if w == most])


class _Table:
    """What one seat knows at its turn, and how it values the cards it may play."""

    __slots__ = ("best", "faces", "hand", "last_to_play", "late", "pot", "unseen", "worth")

    def __init__(self, view: TraversoneState, faces: bytes, hand: Sequence[int]) -> None:
        """`unseen`: the faces that the others may still play, as far as can be told."""
        self.hand = hand
        self.worth = THIRDS[view.options.ace_of_bastoni]
        played = view.opened & ~view.left
        gone = {faces[slot] for slot in range(DECK.size) if played >> slot & 1}
        self.unseen = frozenset(range(DECK.size)) - gone - frozenset(hand)
        self.best = view.best
        self.pot = sum(self.worth[faces[slot]] for slot in view.trick)
        self.last_to_play = len(view.trick) == len(view.players) - 1
        self.late = len(hand) <= _LATE and view.stock >= DECK.size

    def _above(self, face: int) -> int:
        return sum(BEATS[face][other] for other in self.unseen)

    def _below(self, face: int) -> int:
        return sum(BEATS[other][face] for other in self.unseen)

    def danger(self, face: int) -> float:
        """How badly one wants to be rid of a card: it takes tricks, it costs by itself, and no
        lower card of its suit protects it."""
        guards = sum(
            BEATS[face][other] == 0 and other // RANKS == face // RANKS and other != face
            for other in self.hand
        )
        takes = self._below(face) - self._above(face)
        return takes + 2.0 * STRENGTH[face] / (1 + guards) + self.worth[face]

    def lead(self, face: int) -> float:
        """A card that somebody must or may overtake; late, what would take the last trick."""
        above, below = self._above(face), self._below(face)
        if self.late:
            return below - above if len(self.hand) > 1 else 0.0
        if not above + below:
            return -20.0 - self.worth[face]  # nobody follows: the trick and all discards are ours
        risk = below / (above + below)
        return -10.0 * risk - 2.0 * self.worth[face] - 0.1 * STRENGTH[face]

    def follow(self, face: int) -> float:
        """Duck with the highest that ducks; else take a cheap trick with the highest, or stay as
        low as one can if somebody may still overtake."""
        if not BEATS[self.best][face]:
            return 100.0 + self.danger(face)
        if self.last_to_play:
            cheap = self.pot + self.worth[face] <= _CHEAP and not self.late
            return (
                (150.0 if cheap and STRENGTH[face] > 7 else 10.0)
                + STRENGTH[face]
                - (20.0 * (self.worth[face] > 1))
            )
        return 10.0 * self._above(face) - STRENGTH[face] - 3.0 * self.worth[face]

    def discard(self, face: int) -> float:
        """Aces onto others first, then what is dangerous."""
        return 8.0 * (self.worth[face] > 1) + self.danger(face)
