"""What a session tells whoever shows it to somebody.

Law: plain data, given out in order on the session's thread. It must never know a socket, and nobody
who hears it decides anything by it that the log doesn't say.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from engine.errors import IllegalMove
from node.presence import Standing
from node.waiting import Absent, Waiting
from protocol import table as tables
from protocol.messages import Role, TableCard


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody at a table. `label` is the name, told apart from all others there (`Bob·k7f2`);
    `owner` the label of whose bot it is, "" for a person."""

    key: bytes
    name: str
    label: str
    role: Role
    ready: bool
    owner: str = ""
    host: bool = False
    you: bool = False


@dataclass(frozen=True, slots=True)
class LobbyView:
    """Who is at a table between matches, the host first; `card` has the rules in full.

    `code` is what the host may tell others, "" for guests and where there is none.
    """

    card: TableCard
    people: tuple[Person, ...]
    code: str = ""

    @property
    def seated(self) -> tuple[Person, ...]:
        """Those who will play."""
        return tuple(person for person in self.people if person.role is Role.SEAT)

    @property
    def watching(self) -> tuple[Person, ...]:
        """Those who came to watch."""
        return tuple(person for person in self.people if person.role is Role.WATCH)

    @property
    def free(self) -> int:
        """How many seats are left."""
        return max(0, self.card.seats - len(self.seated))

    @property
    def awaited(self) -> tuple[Person, ...]:
        """Those at a full table for whom the match waits."""
        return tuple(person for person in self.seated if not person.ready)

    @property
    def you(self) -> Person | None:
        """This node's player, once the host has let it in."""
        return next((person for person in self.people if person.you), None)

    def person(self, key: bytes) -> Person | None:
        """Whoever has that key."""
        return next((person for person in self.people if person.key == key), None)


@dataclass(frozen=True, slots=True)
class LobbyChanged:
    """Somebody came, went or got ready, or the code is another."""

    view: LobbyView


@dataclass(frozen=True, slots=True)
class Joined:
    """Somebody has come to the table; `free` seats are left. `name` is the label."""

    name: str
    free: int
    person: Person | None = None


@dataclass(frozen=True, slots=True)
class Gone:
    """Somebody has left the table, or was removed."""

    person: Person
    removed: bool


@dataclass(frozen=True, slots=True)
class Talked:
    """Somebody at the table says something."""

    person: Person
    text: str


@dataclass(frozen=True, slots=True)
class NotSent:
    """What the player wanted to say or do in the lobby wasn't done; `why` is a sentence."""

    why: str


@dataclass(frozen=True, slots=True)
class CodeChanged:
    """The table has a new code, since the old one was guessed at too often."""

    code: str


@dataclass(frozen=True, slots=True)
class Stranger:
    """A loud warning: somebody uses a name by which this player knows another key.

    `known` is the short form of the key that the name belongs to here.
    """

    person: Person
    known: str


@dataclass(frozen=True, slots=True)
class HostSilent:
    """The host can't be reached (`back` False), or can be again."""

    back: bool


@dataclass(frozen=True, slots=True)
class BackInLobby:
    """A match is over and the table stays: a rematch, once all are ready."""

    log: Path


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
class Stands:
    """A seated player is nearer to playing along, or further from it, than before."""

    seat: int
    standing: Standing


@dataclass(frozen=True, slots=True)
class Suspended:
    """Too few are there to go on without `seats`: the match waits until they are back."""

    seats: tuple[int, ...]


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


LobbyNotice: TypeAlias = (
    LobbyChanged
    | Joined
    | Gone
    | Talked
    | NotSent
    | CodeChanged
    | Stranger
    | HostSilent
    | BackInLobby
)
MatchNotice: TypeAlias = (
    Started
    | Presence
    | Stands
    | Waiting
    | Absent
    | Suspended
    | Refused
    | EvidenceKept
    | tables.Event
)
SessionEvent: TypeAlias = LobbyNotice | MatchNotice
