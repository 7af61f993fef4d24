"""What a session tells whoever shows it to somebody.

Law: plain data, given out in order on the session's thread. It must never know a socket, and nobody
who hears it decides anything by it that the log doesn't say.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from engine.errors import IllegalMove
from protocol import table as tables


@dataclass(frozen=True, slots=True)
class Joined:
    """A player has taken a seat; `free` seats are left."""

    name: str
    free: int


@dataclass(frozen=True, slots=True)
class Started:
    """All have signed the header. `seat` is this node's, None for a spectator."""

    table: tables.Table
    seat: int | None
    log: Path


@dataclass(frozen=True, slots=True)
class Presence:
    """A seated player's link came up or went down; it means nothing to the game."""

    seat: int
    up: bool


@dataclass(frozen=True, slots=True)
class Refused:
    """A choice that the rules forbid; the same decision is due again."""

    error: IllegalMove
    decision: tables.YourMove


@dataclass(frozen=True, slots=True)
class EvidenceKept:
    """The evidence against a seat lies in `path`."""

    accused: tables.Accused
    path: Path


MatchNotice: TypeAlias = Started | Presence | Refused | EvidenceKept | tables.Event
SessionEvent: TypeAlias = Joined | MatchNotice
