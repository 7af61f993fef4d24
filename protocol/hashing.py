"""Hashes of the deal: statements, challenges, derived secrets, points without a known logarithm.

Law: this file knows how octets are hashed and what is derived from a hash. It must never know
what a statement is about, and it never draws randomness: a seed comes in as an argument.

    u64le(n)      = n in 8 little-endian octets
    frame(x)      = u64le(len(x)) || x
    encode_list   = u64le(count) || frame(item) for each item
    H(tag, parts) = SHA-512(frame("busso/1/" + tag) || frame(part) for each part)
    C128(...)     = the first 16 octets of H as a little-endian integer

Every part is length-prefixed and every use has its own tag, so no two statements share octets
(`PROOFS.md`, "Hashing").
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence

from protocol.group import Group, Point, Q

DOMAIN = "busso/1/"
"""Before every tag; the number is the version of the deal's formulas."""

VERSION = b"busso/1"
"""The version field of statements and contexts."""

HASH_SIZE = 64
SEED_SIZE = 32
CHALLENGE_SIZE = 16
MAX_CARDS = 160
"""Cards in the largest deck; also the largest number of slots in one proof."""


def u64le(n: int) -> bytes:
    """8 little-endian octets; OverflowError outside 0 .. 2^64 - 1 (our own bug)."""
    return n.to_bytes(8, "little")


def frame(part: bytes) -> bytes:
    """A part with its length in front."""
    return len(part).to_bytes(8, "little") + part


def encode_list(items: Sequence[bytes]) -> bytes:
    """A list as one part: its count, then each item with its length in front."""
    return u64le(len(items)) + b"".join(map(frame, items))


@functools.lru_cache(maxsize=64)
def _framed_tag(tag: str) -> bytes:
    return frame((DOMAIN + tag).encode("ascii"))


def hash_parts(tag: str, *parts: bytes) -> bytes:
    """H: 64 octets over a tag and any number of parts."""
    return hashlib.sha512(b"".join((_framed_tag(tag), *map(frame, parts)))).digest()


def challenge(tag: str, *parts: bytes) -> int:
    """C128: an integer below 2^128."""
    return int.from_bytes(hash_parts(tag, *parts)[:CHALLENGE_SIZE], "little")


class Stream:
    """An endless deterministic string: block i is H("stream", key, u64le(i)), 64 octets each.

    Scalars take one whole block; permutations take 8-octet words. One stream serves one purpose.
    """

    __slots__ = ("_index", "_key", "_words")

    def __init__(self, key: bytes) -> None:
        """Start at block 0 of the stream named by a 64-octet key."""
        self._key = key
        self._index = 0
        self._words = b""

    def block(self) -> bytes:
        """The next 64 octets."""
        data = hash_parts("stream", self._key, u64le(self._index))
        self._index += 1
        return data

    def scalar(self) -> int:
        """Uniform in [0, Q), up to a bias of 2^-259: a block as an integer, modulo Q."""
        return int.from_bytes(self.block(), "little") % Q

    def scalars(self, count: int) -> tuple[int, ...]:
        """The next `count` scalars."""
        return tuple(self.scalar() for _ in range(count))

    def nonzero_scalar(self) -> int:
        """The next scalar that isn't 0."""
        while True:
            k = self.scalar()
            if k:
                return k

    def below(self, bound: int) -> int:
        """Uniform in [0, bound) for 1 <= bound <= 2^32, by rejection: no bias at all."""
        limit = 2**64 - 2**64 % bound
        while True:
            if not self._words:
                self._words = self.block()
            word = int.from_bytes(self._words[:8], "little")
            self._words = self._words[8:]
            if word < limit:
                return word % bound

    def permutation(self, count: int) -> tuple[int, ...]:
        """A uniform permutation of 0 .. count - 1 (Fisher-Yates from the last place down)."""
        order = list(range(count))
        for i in range(count - 1, 0, -1):
            j = self.below(i + 1)
            order[i], order[j] = order[j], order[i]
        return tuple(order)


def derive(seed: bytes, label: str, *parts: bytes) -> Stream:
    """The stream for one label and one statement, from a 32-octet secret seed.

    Key: H("derive", seed, label, parts). ValueError: the seed has another length (our own bug).
    """
    if len(seed) != SEED_SIZE:
        raise ValueError("a seed is 32 octets long")
    return Stream(hash_parts("derive", seed, label.encode("ascii"), *parts))


def hash_to_group(group: Group, tag: str, *parts: bytes) -> Point:
    """A point whose logarithm nobody knows: from_uniform(H(tag, group, parts))."""
    return group.from_uniform(hash_parts(tag, group.name.encode("ascii"), *parts))


@functools.lru_cache(maxsize=8)
def second_generator(group: Group) -> Point:
    """h = hash_to_group("generator")."""
    return hash_to_group(group, "generator")


@functools.lru_cache(maxsize=8)
def _all_generators(group: Group) -> tuple[Point, ...]:
    return tuple(hash_to_group(group, "generators", u64le(i)) for i in range(MAX_CARDS))


def generators(group: Group, count: int) -> tuple[Point, ...]:
    """h_0 .. h_{count-1}; h_i = hash_to_group("generators", u64le(i)); count up to MAX_CARDS."""
    if not 0 <= count <= MAX_CARDS:
        raise ValueError("too many generators")
    return _all_generators(group)[:count]


@functools.lru_cache(maxsize=64)
def card_points(group: Group, deck_kind: str, count: int) -> tuple[Point, ...]:
    """M_0 .. M_{count-1}; M_i = hash_to_group("card", deck kind, u64le(i)).

    Several decks of one kind together have as many times the indices, so no two cards of a game
    share a point. ValueError: count outside 1 .. MAX_CARDS (our own bug).
    """
    if not 1 <= count <= MAX_CARDS:
        raise ValueError("a deck has 1 to 160 cards")
    kind = deck_kind.encode("utf-8")
    return tuple(hash_to_group(group, "card", kind, u64le(i)) for i in range(count))
