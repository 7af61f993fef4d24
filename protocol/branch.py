"""The steps that a node holds: its log, and the Positions from which it may still be cut back.

Law: a list of steps and what follows from them, on the disk where there is a writer. It decides
nothing; what may be cut is `protocol.table`'s question.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from protocol.contribution import Contribution, Entry, Place
from protocol.errors import LocalProtocolError
from protocol.log import LogWriter, Step
from protocol.position import Position
from protocol.votes import DECISIONS, place_of

RETAINED = 128
"""Positions that are kept at least; those from the last settled step on are kept always."""


class Branch:
    """`heads[i]` is H_i; `position` stands after the last step."""

    def __init__(self, first: Position, writer: LogWriter | None = None) -> None:
        """Begin after the header."""
        self.position = first
        self.steps: list[Step] = []
        self.heads: list[bytes] = [first.head]
        self._writer = writer
        self._positions: dict[int, Position] = {first.step: first}
        self._oldest = first.step

    def at(self, step: int) -> Position | None:
        """The Position at which `step` is due, or None if it isn't kept any more."""
        return self._positions.get(step)

    def holds(self, step: int, head: bytes) -> bool:
        """Whether `step` stands on `head` here; it must not be ahead."""
        return self.heads[step - 1] == head

    def take(self, step: Step, after: Position) -> None:
        """Remember a step that the log has already."""
        self.steps.append(step)
        self.heads.append(after.head)
        self.position = after
        self._positions[after.step] = after
        keep = min(after.settled + 1, after.step - RETAINED)
        while self._oldest < keep:
            del self._positions[self._oldest]
            self._oldest += 1

    def extend(self, step: Step, after: Position) -> None:
        """Take the next step and write it."""
        self.take(step, after)
        if self._writer:
            self._writer.append(step)

    def cut(self, step: int) -> Path | None:
        """Drop `step` and what follows; where the octets went, if there is a log."""
        position = self.at(step)
        if position is None:
            raise LocalProtocolError(f"step {step} can't be cut off any more")
        for later in range(step + 1, self.position.step + 1):
            del self._positions[later]
        del self.steps[step - 1 :]
        del self.heads[step:]
        self.position = position
        return self._writer.cut_to(step - 1) if self._writer else None

    def sync(self) -> None:
        """Return when all is on the disk."""
        if self._writer:
            self._writer.sync()

    def entries(self, step: int) -> list[Entry]:
        """What fills `step`, as it travels."""
        before = self.place(step)
        return [Entry(place_of(before, c), c) for c in self.steps[step - 1].entries]

    def place(self, step: int) -> Place:
        """Where plays for `step` stand; it must not be ahead."""
        return replace(self.position.place, head=self.heads[step - 1], step=step)

    def contribution(self, step: int, seat: int) -> Contribution | None:
        """What `seat` contributed to a completed step."""
        return next((c for c in self.steps[step - 1].entries if c.seat == seat), None)

    def is_decision(self, step: int) -> bool:
        """Whether the table's votes fill a completed step."""
        return self.steps[step - 1].entries[0].kind in DECISIONS
