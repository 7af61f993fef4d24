"""Joint coin flips: open randomness to which every seat contributes and which none can choose.

Law: this file knows octets. Each seat commits to 32 secret octets, then opens them; the result is
a hash over all of them. A seat that commits and doesn't open can only make the others flip again
without it (`DEAL.md`, "What a flip can't prevent").

    commitment = H("flip", version, match, seat, head, secret), its first 32 octets
    joint      = H("flip-joint", version, match, head, secrets of all seats in order)

`head` is the chain value on which the commitments stand.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.cards import Deck
from protocol.contribution import Place
from protocol.group import ProofError
from protocol.hashing import VERSION, Stream, encode_list, hash_parts, u64le

SECRET_SIZE = 32
COMMITMENT_SIZE = 32


@dataclass(frozen=True, slots=True)
class Flip:
    """A flip under way: who takes part, where the commitments stand, what they are."""

    seats: tuple[int, ...]
    head: bytes = b""
    commitments: Mapping[int, bytes] = field(default_factory=dict)


def commitment(match: bytes, seat: int, head: bytes, secret: bytes) -> bytes:
    """What `seat` publishes before any secret is open."""
    return hash_parts("flip", VERSION, match, u64le(seat), head, secret)[:COMMITMENT_SIZE]


def check_secret(flip: Flip, place: Place, seat: int, secret: bytes) -> None:
    """Raise ProofError unless `secret` is what `seat` committed to."""
    if len(secret) != SECRET_SIZE:
        raise ProofError(f"a flip's secret has {SECRET_SIZE} octets, not {len(secret)}")
    if commitment(place.match, seat, flip.head, secret) != flip.commitments[seat]:
        raise ProofError("the opened secret is not the one that was committed to")


def joint(flip: Flip, match: bytes, secrets: Mapping[int, bytes]) -> bytes:
    """64 octets that are uniform if any one seat drew its secret honestly."""
    ordered = encode_list([secrets[seat] for seat in flip.seats])
    return hash_parts("flip-joint", VERSION, match, flip.head, ordered)


def seating(value: bytes, seats: int) -> tuple[int, ...]:
    """The order of play: a uniform permutation of the seats."""
    return Stream(hash_parts("flip-use", value, b"seating")).permutation(seats)


def draw(value: bytes, deck: Deck) -> tuple[int, ...]:
    """An openly shuffled deck: the face of each card, top first."""
    order = Stream(hash_parts("flip-use", value, b"draw")).permutation(deck.size)
    return tuple(deck.face(physical) for physical in order)
