"""Proposals of a match on their way to being signed by every seat: the one that counts, and those
that were replaced.

Law: proposals, headers and the signatures of seats; pure. It must never know who asks nor what a
match is.

Whoever held every signature may have begun the match and crashed before its own got out. So a
proposal that was replaced isn't forgotten: if all its signatures turn up after all, it is a match.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Final

from node.lobby import is_agreement, sealed
from node.match import Agreed
from protocol.contribution import Entry
from protocol.header import Header
from protocol.messages import Propose, TableCard

MAX_REPLACED: Final = 4


@dataclass(slots=True)
class Signing:
    """One proposal, with the signatures that are at hand, by seat."""

    proposal: Propose
    header: Header
    agreements: dict[int, Entry] = field(default_factory=dict)

    def take(self, entry: Entry) -> bool:
        """Keep a seat's signature on this header; False if it isn't one, or is known."""
        seat = entry.contribution.seat
        if seat in self.agreements or not is_agreement(self.header, entry):
            return False
        self.agreements[seat] = entry
        return True

    def agreed(self, card: TableCard) -> Agreed | None:
        """The match, once every seat has signed."""
        signed = sealed(self.header, self.agreements)
        if signed is None:
            return None
        entries = tuple(self.agreements[seat] for seat in range(len(self.header.seats)))
        return Agreed(card, self.proposal, signed, entries)


class Signings:
    """The proposal that counts now, `current`, and some that it replaced."""

    def __init__(self) -> None:
        self.current: Signing | None = None
        self._replaced: deque[Signing] = deque(maxlen=MAX_REPLACED)

    def begin(self, proposal: Propose, header: Header) -> Signing:
        """That proposal counts from now on."""
        self.set_aside()
        self.current = Signing(proposal, header)
        return self.current

    def set_aside(self) -> None:
        """No proposal counts."""
        if self.current is not None:
            self._replaced.append(self.current)
        self.current = None

    def forget(self) -> None:
        """Nothing that was proposed up to now can become a match."""
        self.current = None
        self._replaced.clear()

    def take(self, entry: Entry) -> Signing | None:
        """The proposal that a signature is news for: the one that counts, or one that was replaced
        and is complete now."""
        if self.current is not None and self.current.take(entry):
            return self.current
        for old in self._replaced:
            if old.take(entry):
                return old if len(old.agreements) == len(old.header.seats) else None
        return None
