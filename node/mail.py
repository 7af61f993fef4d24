"""What reaches a session from other threads: its mailbox, the letters, and who stands at a table.

Law: plain data, the box that they are put into, and one interface. Whoever puts a letter in doesn't
wait for what becomes of it: what a letter does is `node.session`'s business, on its own thread.
"""

from __future__ import annotations

import enum
import queue
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


class Postbox:
    """What any thread may ask of a session: each call is a letter, read when its turn comes."""

    def __init__(self) -> None:
        self._mail: queue.SimpleQueue[Mail] = queue.SimpleQueue()

    def choose(self, move: Move, decision: YourMove | None = None) -> None:
        """The choice that was asked for. With `decision` it counts for that one only: it is
        dropped if something else is due by now, as when a player has left meanwhile."""
        self._mail.put(Chosen(move, decision))

    def fail(self, error: Exception) -> None:
        """Whoever was to choose broke: `run` raises `error`."""
        self._mail.put(Failed(error))

    def stop(self, reason: str = "The player left.") -> None:
        """End the session; `run` raises Stopped."""
        self._mail.put(Stop(reason))

    def ready(self, ready: bool = True) -> None:
        """The player is ready for the next match, or not any more."""
        self._mail.put(Ready(ready))

    def go_on(self) -> None:
        """The player votes to go on without whoever is missing at this step."""
        self._mail.put(Absence(Choice.GO_ON))

    def wait(self) -> None:
        """The player chooses to wait for whoever is missing, and is asked again later."""
        self._mail.put(Absence(Choice.WAIT))

    def abandon(self) -> None:
        """The player closes the match for good, if those who are there are too few to go on."""
        self._mail.put(Absence(Choice.ABANDON))

    def say(self, text: str) -> None:
        """Say something to everybody at the table."""
        self._mail.put(Say(text))

    def remove(self, key: bytes) -> None:
        """As the host, remove a guest for good; not during a match."""
        self._mail.put(Remove(key))


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
