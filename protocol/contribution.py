"""A contribution: what one seat signs for one step.

Law: this file knows bytes, keys and where a contribution stands in the chain. It must never know
what a body means: games, deals and votes are read elsewhere.

The signature covers (`LOG.md`, "Signatures")

    "busso/contribution/1", match, H_{i-1}, i, attempt, class, seat, kind, digest, SHA-256(body)

so bytes signed for one place in one match are worthless anywhere else. The signature is part of a
contribution: two valid signatures of one body are two contributions, told apart by `identity`.
"""

from __future__ import annotations

import enum
import hashlib
from dataclasses import dataclass

HASH_SIZE = 32
DIGEST_SIZE = 8
SIGNATURE_SIZE = 64
KEY_SIZE = 32
MAX_SEATS = 64
MAX_STEP = 2**32 - 1
MAX_ATTEMPT = 255
MAX_BODY = 60_000
"""Octets of a body; the largest honest one is a shuffle of four decks (36,192 octets)."""


class Class(enum.IntEnum):
    """What a signature is for: a contribution to a step, or a vote about a step."""

    PLAY = 0
    VOTE = 1


class Kind(enum.StrEnum):
    """The kinds of contribution, in the order in which a match first needs them."""

    HEADER = "header"
    FLIP_COMMIT = "flip-commit"
    FLIP_REVEAL = "flip-reveal"
    MOVE = "move"
    ANSWER = "answer"
    COMMIT = "commit"
    KEY = "key"
    SHUFFLE = "shuffle"
    RESEAL = "reseal"
    SHARES = "shares"
    REVEAL = "reveal"
    CHECKPOINT = "checkpoint"
    FOOTER = "footer"
    ABSENT = "absent"
    REFUSE = "refuse"
    EXCLUDE = "exclude"
    ABANDON = "abandon"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a contribution stands: the step `step` of `match` on the chain value `head` (H_{i-1}).

    `attempt` counts the votes about one step; plays have attempt 0.
    """

    match: bytes
    head: bytes
    step: int
    attempt: int = 0
    cls: Class = Class.PLAY


@dataclass(frozen=True, slots=True)
class Contribution:
    """One seat's signed part of a step.

    `seat` is the index in the header's list; `digest` the first 8 octets of the SHA-256 of the
    public state before the step; `body` opaque here.
    """

    seat: int
    kind: Kind
    body: bytes
    digest: bytes
    signature: bytes

    def identity(self, place: Place) -> bytes:
        """SHA-256 over all octets, signature included: how duplicates are recognised."""
        return hashlib.sha256(statement(place, self) + self.signature).digest()


def statement(place: Place, c: Contribution) -> bytes:
    """The octets that the author of `c` signs at `place`: a fixed layout, all integers u64be."""
    return sealed_statement(place, c.seat, c.kind, c.digest, hashlib.sha256(c.body).digest())


def sealed_statement(place: Place, seat: int, kind: Kind, digest: bytes, body_hash: bytes) -> bytes:
    """`statement` of a contribution whose body has the SHA-256 `body_hash`."""

    def u64(n: int) -> bytes:
        return n.to_bytes(8, "big")

    name = kind.value.encode("ascii")
    return b"".join(
        (
            b"busso/contribution/1\x00",
            place.match,
            place.head,
            u64(place.step),
            u64(place.attempt),
            u64(place.cls),
            u64(seat),
            u64(len(name)),
            name,
            digest,
            body_hash,
        )
    )


@dataclass(frozen=True, slots=True)
class Entry:
    """A contribution together with its place: what travels between nodes."""

    place: Place
    contribution: Contribution
