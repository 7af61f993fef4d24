"""The thread under an announcer or a browser: it waits for datagrams, for its time, for a change.

Law: this file knows sockets, clocks and interfaces. It must never know what a datagram says.
Interfaces are looked at every LOOK_EVERY seconds and after a leap of the clocks.
"""

from __future__ import annotations

import contextlib
import selectors
import socket
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Final, TypeAlias

from node.discovery_sockets import Datagram, Ether
from node.discovery_timing import LOOK_EVERY, Leaps
from node.errors import MeshError, NodeFailed
from node.interfaces import Interface

LONGEST_WAIT: Final = 1.0
"""Seconds between two looks at the clocks."""

Scan: TypeAlias = Callable[[str | None], tuple[Interface, ...]]


class Runner(ABC):
    """A thread that waits for datagrams and for its time."""

    def __init__(
        self,
        name: str,
        *,
        iface: str | None,
        port: int,
        scan_now: Scan,
        clock: Callable[[], float],
        wall: Callable[[], float],
    ) -> None:
        self._iface = iface
        self._scan = scan_now
        self._clock = clock
        self._wall = wall
        self._ether = Ether(port)
        self._interfaces: tuple[Interface, ...] = ()
        self._bell: socket.socket | None = None
        self._stopping = False
        self._failure: Exception | None = None
        self._name = name
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin. MeshError: started before; NoSuchInterface: there is none called `iface`."""
        if self._thread is not None or self._stopping:
            raise MeshError("This was started before.")
        self._interfaces = self._scan(self._iface)
        alarm, self._bell = socket.socketpair()
        alarm.setblocking(False)
        self._bell.setblocking(False)
        self._ether.refresh(self._interfaces)
        self._thread = threading.Thread(
            target=self._run, args=(alarm,), name=self._name, daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """End and wait for the threads; twice does no harm. NodeFailed: we had a bug.

        From a callback, on the thread itself, it ends once that returns; nobody waits then.
        """
        self._stopping = True
        self._ring()
        if self._thread is threading.current_thread():
            return
        if self._thread is not None:
            self._thread.join()
        if self._bell is not None:
            self._bell.close()
        failure, self._failure = self._failure, None
        if failure is not None:
            raise NodeFailed(f"Discovery met an unexpected error: {failure!r}") from failure

    def _ring(self) -> None:
        if self._bell is not None:
            with contextlib.suppress(OSError):  # full, so it will wake anyway, or closed
                self._bell.send(b"!")

    def _run(self, alarm: socket.socket) -> None:
        try:
            with selectors.DefaultSelector() as selector:
                self._loop(selector, alarm)
        except Exception as error:  # reported by stop(): nobody else could catch it
            self._failure = error
        finally:
            try:
                self._leave()
            except Exception as error:  # as above
                self._failure = self._failure or error
            self._ether.close()
            alarm.close()

    def _loop(self, selector: selectors.BaseSelector, alarm: socket.socket) -> None:
        now = self._clock()
        leaps = Leaps(now, self._wall())
        self._begin(now)
        look = now + LOOK_EVERY
        _watch(selector, {alarm, *self._ether.sockets})
        while not self._stopping:
            until = min(now + LONGEST_WAIT, self._next(), look)
            ready = [key.fileobj for key, _ in selector.select(max(0.0, until - now))]
            now = self._clock()
            if alarm in ready:
                with contextlib.suppress(OSError):
                    alarm.recv(4_096)
            leapt = leaps.look(now, self._wall())
            if leapt or now >= look:
                look = now + LOOK_EVERY
                changed = self._look()
                if changed:
                    _watch(selector, {alarm, *self._ether.sockets})
                if changed or leapt:
                    self._woken(now)
            sockets = [s for s in ready if isinstance(s, socket.socket) and s is not alarm]
            for datagram in self._ether.receive(s for s in sockets if s.fileno() >= 0):
                self._arrived(datagram, self._clock())
            self._due(self._clock())

    def _look(self) -> bool:
        """Look at the interfaces again; whether any address came or went."""
        try:
            interfaces = self._scan(self._iface)
        except (MeshError, OSError):  # the chosen one is unplugged: it may come back
            interfaces = ()
        changed = self._ether.refresh(interfaces)
        if interfaces != self._interfaces:
            self._interfaces = interfaces
            self._moved(interfaces)
        return changed

    # What the two kinds do.

    @abstractmethod
    def _begin(self, now: float) -> None:
        """The thread has started."""

    @abstractmethod
    def _next(self) -> float:
        """When it is time again."""

    @abstractmethod
    def _due(self, now: float) -> None:
        """It is time."""

    @abstractmethod
    def _arrived(self, datagram: Datagram, now: float) -> None:
        """A datagram came."""

    @abstractmethod
    def _woken(self, now: float) -> None:
        """The clock leapt, or the interfaces are others: what was heard may be out of date."""

    @abstractmethod
    def _moved(self, interfaces: tuple[Interface, ...]) -> None:
        """The interfaces are others."""

    @abstractmethod
    def _leave(self) -> None:
        """The thread ends."""


def _watch(selector: selectors.BaseSelector, wanted: set[socket.socket]) -> None:
    """Have `selector` wait for the sockets that there are now."""
    watched = {key.fileobj for key in selector.get_map().values()}
    for fileobj in watched - wanted:
        selector.unregister(fileobj)
    for sock in wanted - watched:
        selector.register(sock, selectors.EVENT_READ)
