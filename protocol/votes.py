"""Votes: how those who are there decide about those who are silent or have cheated.

Law: this file knows what a vote says and what a set of votes amounts to. It knows no game and no
proof of a deal; who is in play and what is due comes from a Position (`agreement` in DEAL.md).

    absent   [attempt, away]                 "these seats are silent: on without them"
    exclude  [attempt, away, tail, proof]    "this seat has cheated": `proof` convicts one of
                                             `away`; `tail` says on which steps the voter stands
    refuse   [attempt, firm, [contribution, ...]]
                                             "no: the step is complete here", with what completes
                                             it; `firm`: and it can't be undone any more
    abandon  [attempt, away]                 "we are too few to go on, and close the match"

A vote is about one step on one head, in one attempt; a seat signs one in each attempt. It is
decided when every seat in play that isn't `away` has signed the same, and they are a majority of
the seats in play, those not counted that the proof convicts. An abandonment is what fewer decide.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from protocol.contribution import (
    DIGEST_SIZE,
    HASH_SIZE,
    MAX_ATTEMPT,
    MAX_BODY,
    MAX_SEATS,
    MAX_STEP,
    SIGNATURE_SIZE,
    Class,
    Contribution,
    Entry,
    Kind,
    Place,
    sealed_statement,
)
from protocol.encoding import Value, array, integer, octets, pack, text, unpack
from protocol.errors import EncodingError
from protocol.log import contribution_value, parse_contribution

VOTES: Final = (Kind.ABSENT, Kind.EXCLUDE, Kind.REFUSE, Kind.ABANDON)
"""The kinds of contribution that are votes; their place has class VOTE."""
DECISIONS: Final = (Kind.ABSENT, Kind.EXCLUDE, Kind.ABANDON)
"""The votes that can fill a step."""
MAX_PLAY_BODY: Final = 56_000
"""Octets of a play's body that a vote can quote; longer ones are not taken from the network."""
MARK_SIZE: Final = 8
"""Octets of a head that a tail holds."""
MAX_TAIL: Final = 64
"""Heads that a tail holds at most: the last ones."""


@dataclass(frozen=True, slots=True)
class Vote:
    """What a vote's body says. `away` ascends; `proof` may be empty (see the module)."""

    kind: Kind
    attempt: int
    away: tuple[int, ...] = ()
    tail: bytes = b""
    """The first octets of the voter's heads, from its last settled step's to the vote's own."""
    proof: bytes = b""
    firm: bool = False
    kept: tuple[Contribution, ...] = ()

    @property
    def stand(self) -> tuple[Kind, tuple[int, ...]]:
        """What must be the same in all votes that decide something together."""
        return self.kind, self.away

    def body(self) -> bytes:
        """The octets that the contribution carries."""
        value: tuple[Value, ...]
        match self.kind:
            case Kind.ABSENT | Kind.ABANDON:
                value = (self.attempt, self.away)
            case Kind.EXCLUDE:
                value = (self.attempt, self.away, self.tail, self.proof)
            case _:
                kept = tuple(contribution_value(c) for c in self.kept)
                value = (self.attempt, int(self.firm), kept)
        return pack(value)


def read_vote(kind: Kind, body: bytes) -> Vote:
    """The vote in `body`; EncodingError."""
    value = unpack(body, limit=MAX_BODY)
    if kind in (Kind.ABSENT, Kind.ABANDON):
        attempt, away = array(value, "vote", 2)
        return Vote(kind, _attempt(attempt), _seats(away))
    if kind is Kind.EXCLUDE:
        attempt, away, tail, proof = array(value, "vote", 4)
        return Vote(
            kind,
            _attempt(attempt),
            _seats(away),
            _tail(tail),
            octets(proof, "proof", 0, MAX_BODY),
        )
    if kind is Kind.REFUSE:
        attempt, firm, kept = array(value, "refusal", 3)
        items = tuple(parse_contribution(c) for c in array(kept, "contributions", 1, MAX_SEATS))
        return Vote(kind, _attempt(attempt), firm=integer(firm, "firm", 0, 1) == 1, kept=items)
    raise EncodingError(f"a {kind} is no vote")


def _attempt(value: Value) -> int:
    return integer(value, "attempt", 0, MAX_ATTEMPT)


def _tail(value: Value) -> bytes:
    tail = octets(value, "tail", 0, MARK_SIZE * MAX_TAIL)
    if len(tail) % MARK_SIZE:
        raise EncodingError("a tail of no whole number of heads")
    return tail


def _seats(value: Value) -> tuple[int, ...]:
    seats = tuple(
        integer(seat, "seat", 0, MAX_SEATS - 1) for seat in array(value, "seats", 1, MAX_SEATS)
    )
    if list(seats) != sorted(set(seats)):
        raise EncodingError("seats that don't ascend")
    return seats


def vote_place(place: Place, attempt: int) -> Place:
    """Where a vote about the step at `place` stands."""
    return Place(place.match, place.head, place.step, attempt, Class.VOTE)


def place_of(place: Place, c: Contribution) -> Place:
    """Where `c` stands if it belongs to the step at `place`: a vote's attempt is in its body.

    EncodingError: it is a vote whose body can't be read.
    """
    if c.kind not in VOTES:
        return place
    return vote_place(place, read_vote(c.kind, c.body).attempt)


# -- tails ----


def tail_of(heads: Sequence[bytes], settled: int) -> bytes:
    """What a vote on the last of `heads` (H_0, H_1, ...) says of where its voter stands."""
    return b"".join(head[:MARK_SIZE] for head in heads[settled:][-MAX_TAIL:])


def parting(heads: Sequence[bytes], place: Place, tail: bytes) -> int | None:
    """The first step that differs between a log of `heads` and the voter's whose vote at `place`
    has this `tail`; None if one log is the beginning of the other, or that can't be told.

    Where the tail begins after the parting it is the tail's first step.
    """
    marks = [tail[i : i + MARK_SIZE] for i in range(0, len(tail), MARK_SIZE)]
    first = place.step - len(marks)
    known = [(i, mark) for i, mark in enumerate(marks, start=first) if 0 <= i < len(heads)]
    differing = [i for i, mark in known if heads[i][:MARK_SIZE] != mark]
    return max(1, differing[0]) if differing else None


# -- proofs ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Sealed:
    """A contribution of which only the hash of its body is known: enough for its signature."""

    kind: Kind
    body_hash: bytes
    digest: bytes
    signature: bytes

    @classmethod
    def of(cls, c: Contribution) -> Sealed:
        """`c` without its body."""
        return cls(c.kind, hashlib.sha256(c.body).digest(), c.digest, c.signature)

    def identity(self, place: Place, seat: int) -> bytes:
        """`Contribution.identity` of what was sealed."""
        statement = sealed_statement(place, seat, self.kind, self.digest, self.body_hash)
        return hashlib.sha256(statement + self.signature).digest()


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two different contributions of `seat` that it signed for one place."""

    place: Place
    seat: int
    first: Sealed
    second: Sealed

    @property
    def identities(self) -> tuple[bytes, bytes]:
        """What tells the two apart, in the order in which they stand."""
        return (
            self.first.identity(self.place, self.seat),
            self.second.identity(self.place, self.seat),
        )


@dataclass(frozen=True, slots=True)
class Invalid:
    """A play for the step in question that is wrong by itself."""

    contribution: Contribution


Proof = Contradiction | Invalid


def prove(entries: Sequence[Entry]) -> bytes:
    """The proof in an exclusion's vote: of one invalid entry, or of two that contradict."""
    first = entries[0]
    if len(entries) == 1:
        return pack(("invalid", contribution_value(first.contribution)))
    place = first.place
    where = (place.head, place.step, place.attempt, int(place.cls), first.contribution.seat)
    # In one order at every node, so that all proofs of one contradiction are the same octets.
    ordered = sorted(entries, key=lambda entry: entry.contribution.identity(place))
    parts = [Sealed.of(entry.contribution) for entry in ordered]
    sealed = tuple((p.kind.value, p.body_hash, p.digest, p.signature) for p in parts)
    return pack(("contradiction", where, sealed))


def read_proof(place: Place, data: bytes) -> Proof:
    """The proof that a vote about the step at `place` carries; EncodingError."""
    name, *rest = array(unpack(data, limit=MAX_BODY), "proof", 2, 3)
    name = text(name, "charge", 1, 32)
    if name == "invalid" and len(rest) == 1:
        return Invalid(parse_contribution(rest[0]))
    if name != "contradiction" or len(rest) != 2:
        raise EncodingError(f"a proof of the unknown kind {name!r}")
    head, step, attempt, cls, seat = array(rest[0], "place", 5)
    at = Place(
        place.match,
        octets(head, "head", HASH_SIZE),
        integer(step, "step", 1, MAX_STEP),
        _attempt(attempt),
        _class(cls),
    )
    first, second = (_read_sealed(item) for item in array(rest[1], "contributions", 2))
    found = Contradiction(at, integer(seat, "seat", 0, MAX_SEATS - 1), first, second)
    one, other = found.identities
    if one >= other:
        raise EncodingError("two contributions that don't ascend")
    return found


def _class(value: Value) -> Class:
    return Class(integer(value, "class", 0, len(Class) - 1))


def _read_sealed(value: Value) -> Sealed:
    kind, body_hash, digest, signature = array(value, "contribution", 4)
    name = text(kind, "kind", 1, 32)
    if name not in tuple(Kind):
        raise EncodingError(f"a contribution of the unknown kind {name!r}")
    return Sealed(
        Kind(name),
        octets(body_hash, "hash of a body", HASH_SIZE),
        octets(digest, "digest", DIGEST_SIZE),
        octets(signature, "signature", SIGNATURE_SIZE),
    )


# -- what votes amount to ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Decision:
    """What was decided: `votes` in the order of their seats fill the step."""

    kind: Kind
    away: tuple[int, ...]
    convicted: int | None
    votes: tuple[Contribution, ...]


def is_majority(voters: Collection[int], in_play: Collection[int], convicted: int | None) -> bool:
    """Whether `voters` are more than half of the seats in play, a convicted one not counted."""
    counted = set(in_play) - {convicted}
    return 2 * len(set(voters) & counted) > len(counted)


def decided(
    votes: Mapping[int, tuple[Contribution, Vote]],
    in_play: Collection[int],
    convicted_by: Mapping[bytes, int],
) -> Decision | None:
    """What the votes of one attempt decide, if anything.

    `votes` maps seats in play to their checked votes, `convicted_by` each proof among them to the
    seat that it convicts.
    """
    # A few may close the match in the attempt in which the others decide to go on without them.
    stands = {vote.stand for _, vote in votes.values()}
    for stand in sorted(stands, key=lambda stand: (stand[0] is Kind.ABANDON, *stand)):
        kind, away = stand
        if kind not in DECISIONS:
            continue
        voters = sorted(set(in_play) - set(away))
        if not voters or any(s not in votes or votes[s][1].stand != stand for s in voters):
            continue
        # The proof is looked for at one place only, so that a step need not hold it many times.
        convicted = convicted_by.get(votes[voters[0]][1].proof)
        if kind is Kind.EXCLUDE and convicted is None:
            continue
        enough = is_majority(voters, in_play, convicted)
        if enough == (kind is Kind.ABANDON):
            continue
        return Decision(kind, away, convicted, tuple(votes[seat][0] for seat in voters))
    return None
