"""What a table tells: the verdicts on entries, and the events of a match in play.

Law: plain values; who emits them and when is `protocol.table`'s business.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path

from engine.contract import State
from protocol.contribution import Entry
from protocol.errors import Fault
from protocol.log import Step
from protocol.position import Position


class Verdict(enum.Enum):
    """What became of an entry."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    EARLY = "early"
    """For a step ahead of ours: kept, ask for what lies between."""
    DIVERGENT = "divergent"
    """On a head that isn't ours: no offence, but ask for the steps where we part."""
    FOREIGN = "foreign"
    """Of another match, or of a kind that has no place here."""
    FORGED = "forged"
    """Not signed by the seat that it names: whoever passed it on is at fault."""
    GUILTY = "guilty"
    """It proves its author's fault; an `Accused` event tells more."""
    HALTED = "halted"
    """Nothing is taken any more: the match is closed, or can't go on."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Give this to every other node."""

    entry: Entry


@dataclass(frozen=True, slots=True)
class Advanced:
    """A step is complete, by what was due or by a decision of the table."""

    step: Step
    before: Position
    after: Position


@dataclass(frozen=True, slots=True)
class YourMove:
    """This seat has to choose; `view` is the game as it sees it. Answer with `Table.play`."""

    position: Position
    view: State


@dataclass(frozen=True, slots=True)
class Voted:
    """`seat` has voted to go on without `away`; empty: it says that nobody is missing. `closing`:
    it votes to close the match instead, too few being there without them."""

    seat: int
    away: tuple[int, ...]
    closing: bool = False


@dataclass(frozen=True, slots=True)
class CutBack:
    """Steps from `step` on were taken out of the log; they lie in `path`, if there is a log."""

    step: int
    path: Path | None


@dataclass(frozen=True, slots=True)
class Accused:
    """A seat has done wrong and signed it; `evidence` is a file that anybody can judge.

    `entries` are what convicts: give them to every other node. Keys that cancel out have no single
    author: then `fault.seat` is None, and `evidence` and `entries` are empty.
    """

    fault: Fault
    evidence: bytes
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """The footer is complete, or the match was abandoned."""

    position: Position


Event = Outgoing | Advanced | YourMove | Voted | CutBack | Accused | Finished
