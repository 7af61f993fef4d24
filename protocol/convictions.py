"""Who has cheated, as far as this node holds proof, and what it knows of a fork that came of it.

Law: bookkeeping over proof; it signs nothing. On a fork both sides are honest: only who signed two
things for one place, or a wrong play, is convicted, never who stands on another head.

A fork needs a seat that gave one contribution to some and another to others. Who votes to exclude
it says which of the two stands in its own log (`Vote.on`), so all learn whether there is a fork at
all: only then the steps from there on are cut off.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from protocol.branch import Branch
from protocol.contribution import Class, Contribution, Entry, Kind, Place
from protocol.errors import EncodingError, Fault
from protocol.position import Position
from protocol.votes import Contradiction, prove, read_proof, read_vote

PER_SEAT = 4
"""Proofs that are kept against one seat; one would do."""


@dataclass(frozen=True, slots=True)
class Conviction:
    """Proof against `seat`: one wrong play, or two contributions that contradict each other."""

    seat: int
    entries: tuple[Entry, ...]

    @property
    def step(self) -> int:
        """The step that it is about."""
        return self.entries[0].place.step

    @property
    def proof(self) -> bytes:
        """What a vote to exclude carries."""
        return prove(self.entries)

    def usable(self, position: Position) -> bool:
        """Whether everybody who stands at `position` can judge it."""
        return len(self.entries) > 1 or self.entries[0].place == position.place

    def identities(self) -> tuple[bytes, ...]:
        """What tells the contributions apart."""
        return tuple(e.contribution.identity(e.place) for e in self.entries)

    def stands_in(self, branch: Branch) -> bytes:
        """The identity of the contribution that `branch` is built on; b"" if it's on neither."""
        place = self.entries[0].place
        if place.step >= branch.position.step or not branch.holds(place.step, place.head):
            return b""
        entries = branch.entries(place.step)
        for entry, identity in zip(self.entries, self.identities(), strict=True):
            if entry in entries:
                return identity
        if place.cls is Class.VOTE and not branch.is_decision(place.step):
            # Without the refusal this seat's other vote would have bound whoever went on.
            for entry, identity in zip(self.entries, self.identities(), strict=True):
                if entry.contribution.kind is Kind.REFUSE:
                    return identity
        return b""


class Convictions:
    """All convictions of a match. `elsewhere` are the seats known to be on another branch.

    `divided`: somebody votes to exclude on a head that isn't in this node's log, so there is a
    fork, and this node has to say on what it stands until it is known where they part.
    """

    def __init__(self) -> None:
        self.divided = False
        self._all: list[Conviction] = []
        self._heard: dict[int, set[tuple[Place, bytes]]] = {}
        self._left: dict[Place, bytes] = {}
        self.elsewhere: set[int] = set()

    def add(self, fault: Fault, entries: tuple[Entry, ...]) -> bool:
        """Keep a proof, unless it is one of a thing that is known; whether it was kept."""
        if fault.seat is None:
            return False
        known = [c for c in self._all if c.seat == fault.seat]
        places = {(c.entries[0].place, len(c.entries)) for c in known}
        if len(known) >= PER_SEAT or (entries[0].place, len(entries)) in places:
            return False
        self._all.append(Conviction(fault.seat, entries))
        self._all.sort(key=lambda c: (c.step, c.seat))
        return True

    def against(self, position: Position) -> list[Conviction]:
        """One conviction, the earliest, of each seat that has a part at `position`."""
        found: dict[int, Conviction] = {}
        seats = set(position.in_play) | set(position.due.seats if position.due else ())
        for conviction in self._all:
            if conviction.seat in seats and conviction.usable(position):
                found.setdefault(conviction.seat, conviction)
        return list(found.values())

    def completed(self, before: Position, contributions: Sequence[Contribution]) -> None:
        """A step was completed: a seat that also signed a wrong play for it contradicts itself."""
        for n, conviction in enumerate(self._all):
            wrong = conviction.entries
            if len(wrong) > 1 or wrong[0].place != before.place:
                continue
            for c in contributions:
                if c.seat == conviction.seat:
                    self._all[n] = Conviction(c.seat, (*wrong, Entry(before.place, c)))

    def heard(self, entry: Entry) -> None:
        """Somebody votes to exclude: remember on what its log stands."""
        try:
            vote = read_vote(entry.contribution.kind, entry.contribution.body)
            proof = read_proof(entry.place, vote.proof) if vote.on else None
        except EncodingError:
            return
        if not isinstance(proof, Contradiction) or vote.on not in proof.identities:
            return
        stands = self._heard.setdefault(entry.contribution.seat, set())
        if len(stands) < PER_SEAT:
            stands.add((proof.place, vote.on))

    def untold(self, told: Collection[bytes], branch: Branch) -> Conviction | None:
        """A contradiction of whose two sides this node hasn't said yet on which `branch` stands;
        `told`: what it has said."""
        for conviction in self._all:
            here = self.stands(conviction, branch)
            if here and here not in told:
                return conviction
        return None

    def parting(self, branch: Branch) -> int | None:
        """The first step at which an honest seat is known to be on another branch than `branch`."""
        convicted = {c.seat for c in self._all}
        steps: list[int] = []
        for conviction in self._all:
            here, place = self.stands(conviction, branch), conviction.entries[0].place
            away = {
                seat
                for seat, stands in self._heard.items()
                if seat not in convicted and any(p == place and on != here for p, on in stands)
            }
            if here and away:
                self.elsewhere |= away
                steps.append(conviction.step)
        return min(steps, default=None)

    def stands(self, conviction: Conviction, branch: Branch) -> bytes:
        """On which of the two contributions `branch` is built, or was before it was cut there."""
        return conviction.stands_in(branch) or self._left.get(conviction.entries[0].place, b"")

    def leave(self, branch: Branch, step: int) -> None:
        """`branch` is about to be cut to `step`, for good: remember what it was built on."""
        for conviction in self._all:
            here = conviction.stands_in(branch)
            if here and conviction.step == step:
                self._left.setdefault(conviction.entries[0].place, here)

    def resolved(self) -> None:
        """The table has decided: whoever was on another branch no longer is."""
        self.divided = False
        self.elsewhere.clear()
        self._heard.clear()
        self._left.clear()

    def entries(self, position: Position) -> Iterator[Entry]:
        """What convicts seats that are still in play."""
        for conviction in self._all:
            if conviction.seat in position.in_play:
                yield from conviction.entries
