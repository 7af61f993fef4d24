"""What the mesh tells its consumer, and a bounded queue to carry it to another thread.

Law: plain data and one lock; it must never know a socket.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from node.link import Phase, Why
from protocol.messages import Hello, MeshMessage


@dataclass(frozen=True, slots=True)
class PeerUp:
    """`key` introduced itself and can be sent to."""

    key: bytes


@dataclass(frozen=True, slots=True)
class PeerDown:
    """`key` can't be reached any more, or (never having been up) could not be in the first place.

    Presence only: what it means for the game is decided in the log.
    """

    key: bytes
    why: Why


@dataclass(frozen=True, slots=True)
class Received:
    """A message of `key`, which is known from the link and never from the message."""

    key: bytes
    message: MeshMessage


@dataclass(frozen=True, slots=True)
class HelloReceived:
    """A new or changed introduction; `address` is the numeric host it came from and its port."""

    hello: Hello
    address: tuple[str, int]


@dataclass(frozen=True, slots=True)
class Struck:
    """Somebody broke the protocol; `key` is None before an introduction. `why` is a sentence."""

    key: bytes | None
    why: str


@dataclass(frozen=True, slots=True)
class PhaseChanged:
    """How far the link with `key` is now; within 0.1 s of the change."""

    key: bytes
    phase: Phase


@dataclass(frozen=True, slots=True)
class Woke:
    """This machine slept for so many seconds: what others said meanwhile was missed."""

    seconds: float


Event: TypeAlias = PeerUp | PeerDown | Received | HelloReceived | Struck | PhaseChanged | Woke


class Inbox:
    """A bounded queue of events from the mesh thread to one consumer.

    Give the inbox itself to `Mesh` as its callback. `wake` is called (on the mesh thread) when the
    inbox was empty, for example `lambda: loop.call_soon_threadsafe(handle)`. At `limit` events,
    messages and strikes are dropped, which the protocol heals; what is told of links never is.
    """

    def __init__(self, limit: int = 4_096, wake: Callable[[], None] | None = None) -> None:
        self.dropped = 0
        self._limit = limit
        self._wake = wake
        self._events: deque[Event] = deque()
        self._ready = threading.Condition()

    def __call__(self, event: Event) -> None:
        """Take one event."""
        with self._ready:
            if len(self._events) >= self._limit and isinstance(event, Received | Struck):
                self.dropped += 1
                return
            first = not self._events
            self._events.append(event)
            self._ready.notify()
        if first and self._wake is not None:
            self._wake()

    def drain(self) -> list[Event]:
        """Every event that waits, without waiting."""
        with self._ready:
            events = list(self._events)
            self._events.clear()
        return events

    def get(self, timeout: float) -> Event | None:
        """The next event, or None after `timeout` seconds."""
        with self._ready:
            if not self._ready.wait_for(lambda: bool(self._events), timeout):
                return None
            return self._events.popleft()
