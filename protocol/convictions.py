"""Who has cheated, as far as this node holds proof, and what it knows of a fork that came of it.

Law: bookkeeping over proof; it signs nothing. On a fork both sides are honest: only who signed two
things for one place, or a wrong play, is convicted, never who stands on another head.

A fork needs a seat that gave one contribution to some and another to others. Who votes to exclude
it says on which steps it stands (`Vote.tail`), so all learn where they part: only then the steps
from there on are cut off.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from protocol.contribution import Contribution, Entry, Place
from protocol.errors import EncodingError, Fault
from protocol.position import Position
from protocol.votes import Vote, parting, prove, read_vote

PER_SEAT = 16
"""Proofs that are kept against one seat; one would do to exclude it."""
STANDS = 4
"""Votes on other heads that are kept of one seat."""


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


class Convictions:
    """All convictions of a match, and where those stand who vote on other heads."""

    def __init__(self) -> None:
        self._all: list[Conviction] = []
        self._heard: dict[int, list[tuple[Place, Vote]]] = {}

    @property
    def seats(self) -> set[int]:
        """Who is convicted, in play or not."""
        return {c.seat for c in self._all}

    @property
    def steps(self) -> set[int]:
        """The steps that convictions are about."""
        return {c.step for c in self._all}

    def add(self, fault: Fault, entries: tuple[Entry, ...]) -> bool:
        """Keep a proof, unless one of the same kind is known for the step; whether it was kept.

        Of too many those about the latest steps are kept: what could still part logs is there.
        """
        if fault.seat is None:
            return False
        new = Conviction(fault.seat, entries)
        known = [c for c in self._all if c.seat == new.seat]
        if any((c.step, len(c.entries)) == (new.step, len(entries)) for c in known):
            return False
        oldest = min(known, key=lambda c: c.step, default=new)
        if len(known) >= PER_SEAT:
            if new.step < oldest.step:
                return False
            self._all.remove(oldest)
        self._all.append(new)
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
        """Somebody votes to exclude on a head that isn't in this log: remember where it stands."""
        try:
            vote = read_vote(entry.contribution.kind, entry.contribution.body)
        except EncodingError:
            return
        stands = self._heard.setdefault(entry.contribution.seat, [])
        stand = (entry.place, replace(vote, proof=b""))
        if stand not in stands:
            stands.append(stand)
            del stands[:-STANDS]

    def partings(self, heads: Sequence[bytes]) -> list[tuple[int, Vote]]:
        """Where others, none of them convicted, are known to have parted from a log of `heads`:
        steps, ascending, and the votes that tell so."""
        found: list[tuple[int, Vote]] = []
        for seat, stands in self._heard.items():
            for place, vote in stands if seat not in self.seats else ():
                step = parting(heads, place, vote.tail)
                if step is not None:
                    found.append((step, vote))
        return sorted(found, key=lambda item: item[0])

    def resolved(self) -> None:
        """The table has decided: whoever was on another branch no longer is."""
        self._heard.clear()

    def entries(self, position: Position) -> Iterator[Entry]:
        """What convicts seats that are still in play."""
        for conviction in self._all:
            if conviction.seat in position.in_play:
                yield from conviction.entries
