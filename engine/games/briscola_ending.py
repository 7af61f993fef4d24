"""The last tricks of Briscola between two sides that see everything: the best play of both.

Law: this file knows faces, points and what takes what. It must never know slots or hidden cards.
With two players and an empty stock each can tell the other's hand, so this is no guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from engine.games.tricks import NOTHING

Hand = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ending:
    """worth: the points of each face; beats: rows as in briscola_cards.beats."""

    worth: Sequence[int]
    beats: Sequence[Sequence[int]]

    def margin(self, own: Hand, other: Hand, led: int = NOTHING) -> int:
        """The points that whoever is to play takes from now on, less what the other takes, if both
        play as well as can be. `led`: the face to answer. At most three cards a hand."""
        if led != NOTHING:
            return max(self._answered(own, other, led, face) for face in own)
        if not own:
            return 0
        return max(-self.margin(other, without(own, face), face) for face in own)

    def _answered(self, own: Hand, other: Hand, led: int, face: int) -> int:
        pot = self.worth[led] + self.worth[face]
        rest = without(own, face)
        if self.beats[led][face]:
            return pot + self.margin(rest, other)
        return -pot - self.margin(other, rest)


def without(hand: Hand, face: int) -> Hand:
    """`hand` after `face` was played."""
    at = hand.index(face)
    return hand[:at] + hand[at + 1 :]
