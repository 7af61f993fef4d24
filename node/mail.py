"""What reaches a session from other threads: its mailbox's letters, and who stands at a table.

Law: plain data and one interface; what a letter does is `node.session`'s business.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from engine.contract import Move
from node.events import Event
from node.match import Agreed
from node.notices import LobbyView
from protocol.messages import Hello, TableCard
from protocol.table import YourMove


class Choice(enum.Enum):
    """What a player can do about somebody who is missing."""

    GO_ON = enum.auto()
    WAIT = enum.auto()
    ABANDON = enum.auto()


@dataclass(frozen=True, slots=True)
class Chosen:
    """A move that was asked for."""

    move: Move
    decision: YourMove | None


@dataclass(frozen=True, slots=True)
class Failed:
    """Whoever was to choose broke."""

    error: Exception


@dataclass(frozen=True, slots=True)
class Stop:
    """End the session."""

    reason: str


@dataclass(frozen=True, slots=True)
class Ready:
    """Ready for the next match, or not."""

    ready: bool


@dataclass(frozen=True, slots=True)
class Say:
    """Talk."""

    text: str


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove a guest."""

    key: bytes


@dataclass(frozen=True, slots=True)
class NewCode:
    """The table's code is another one."""

    code: str


@dataclass(frozen=True, slots=True)
class Absence:
    """What to do about who is missing."""

    choice: Choice


Mail: TypeAlias = Absence | Chosen | Failed | Stop | Ready | Say | Remove | NewCode | None


class Gathering(Protocol):
    """The players around a match: a `Sitting` that leads to one, or a `Reunion` in the middle."""

    agreed: Agreed | None

    @property
    def ready(self) -> bool:
        """What to tell the others: ready for the next match."""

    @property
    def view(self) -> LobbyView:
        """Who is there."""

    def card(self) -> TableCard:
        """The table's card; asked by the door's thread."""

    def knock(self, hello: Hello, host: str, /) -> bool:
        """Whether a process may connect; asked by the door's thread."""

    def set_ready(self, ready: bool, /) -> None:
        """The player is ready, or not any more."""

    def say(self, text: str) -> None:
        """Talk."""

    def remove(self, key: bytes, /) -> None:
        """Remove a guest."""

    def show_code(self, code: str, /) -> None:
        """The table's code is another one."""

    def again(self, dealer: bytes | None = None, /) -> None:
        """The match is over; `dealer` deals first in the next one of the same players."""

    def handle(self, event: Event) -> None:
        """Take an event of the mesh."""

    def tick(self) -> None:
        """Let time pass."""
