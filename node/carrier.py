"""The mesh thread's sockets: octets to and from connections, each with its CURVE key.

Law: this file moves octets and reports connections. It must never know what the octets mean, nor
which player holds a CURVE key. Everything here runs on the mesh thread, except making a carrier.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

import zmq

from node.counters import Traffic
from node.errors import BadAddress
from node.link import Path, Side, Target
from node.sockets import CurveKeys, Watched, ZContext, ZSocket, bind_router, dial_dealer, numeric
from node.watch import Watch, WatchLimits, cut, received
from node.zap import Zap

_READS: Final = 256
# Plain numbers: the library's enumerations cost as much as what is done with them.
_DONTWAIT: Final = int(zmq.DONTWAIT)
_EVENTS: Final = int(zmq.EVENTS)
_POLLIN: Final = int(zmq.POLLIN)
_RCVMORE: Final = int(zmq.RCVMORE)


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a message came from: the authenticated CURVE key, the path, the numeric host."""

    curve: bytes
    path: Path
    host: str


class Ear(Protocol):
    """Who is told what connections do and bring."""

    def allow(self, curve: bytes) -> bool:
        """Whether the process `curve` may connect."""

    def arrived(self, origin: Origin, data: bytes, frames: int) -> None:
        """A message of so many frames, of which `data` is the first."""

    def connected(self, curve: bytes) -> None:
        """Something answers where `curve` was dialled; the handshake goes on."""

    def opened(self, curve: bytes) -> None:
        """The dialled process `curve` answered and let us in."""

    def refused(self, curve: bytes) -> None:
        """The dialled process `curve` doesn't let us in, or can't be dialled at all."""

    def lost(self, path: Path) -> None:
        """The connection behind `path` closed."""

    def flooded(self, curve: bytes) -> None:
        """A connection of `curve` sends an endless message and is about to be cut."""


@dataclass(slots=True)
class _Line:
    """A DEALER that dials one process; `fd` while it has a connection."""

    watched: Watched
    host: str
    fd: int | None = None


@dataclass(frozen=True, slots=True)
class _Guest:
    """A connection that others made to us, as its first message showed it."""

    fd: int
    curve: bytes
    path: Path
    origin: Origin


class Carrier:
    """A ROUTER that listens, a DEALER for each process dialled, the ZAP handler, the watchdog."""

    def __init__(
        self,
        context: ZContext,
        ear: Ear,
        *,
        curve: CurveKeys,
        bind: tuple[str, int],
        clock: Callable[[], float],
        random: Callable[[int], bytes],
        limits: WatchLimits,
    ) -> None:
        """Listen on `bind`, a host and a port (0 for any); raises a `MeshError`."""
        self.traffic = Traffic()
        self._context = context
        self._curve = curve
        self._ear = ear
        self._clock = clock
        self._watch = Watch(limits)
        self._poller = zmq.Poller()
        self._handlers: dict[ZSocket, Callable[[], object]] = {}
        self._lines: dict[bytes, _Line] = {}
        self._guests: dict[bytes, _Guest] = {}
        # The handler comes first: without one libzmq would let everybody in.
        self.zap: Final = Zap(context, ear.allow)
        try:
            self._router, self.port = bind_router(context, curve, *bind, random)
        except BaseException:
            self.zap.close()
            raise
        self.listen(self.zap.socket, self.zap.answer)
        self.listen(self._router.monitor, self._router_events)
        self.listen(self._router.socket, self._from_router)

    def listen(self, socket: ZSocket, handler: Callable[[], object]) -> None:
        """Call `handler` whenever `socket` has something to read."""
        self._handlers[socket] = handler
        self._poller.register(socket, zmq.POLLIN)

    def poll(self, seconds: float, first: Callable[[], None]) -> None:
        """Wait at most so long, call `first`, then handle everything that is ready.

        `first` obeys what other threads have asked: whom they admitted before a connection came in
        must be known before that connection is judged.
        """
        ready = self._poller.poll(math.ceil(max(0.0, seconds) * 1_000))
        first()
        for socket, _ in ready:
            # A handler may have closed a socket that was ready too.
            if (handler := self._handlers.get(socket)) is not None:
                handler()

    def close(self, linger: int = 0) -> None:
        """Close every socket; what was sent gets `linger` milliseconds to leave."""
        for line in self._lines.values():
            line.watched.close(linger)
        self._lines.clear()
        self._router.close(linger)
        self.zap.close()

    # What leaves.

    def put(self, path: Path, data: bytes) -> bool | None:
        """Queue `data`: True, False when the queue is full, None when the path is gone."""
        try:
            if path.side is Side.IN:
                self._router.socket.send(path.ident, zmq.SNDMORE | zmq.DONTWAIT)
                self._router.socket.send(data, zmq.DONTWAIT)
            else:
                line = self._lines.get(path.ident)
                if line is None:
                    return None
                line.watched.socket.send(data, zmq.DONTWAIT)
        except zmq.Again:
            return False
        except zmq.ZMQError as error:
            if error.errno == zmq.EHOSTUNREACH:
                return None
            raise
        self.traffic.messages_out += 1
        self.traffic.octets_out += len(data)
        return True

    # Connections.

    def dial(self, target: Target) -> None:
        """Keep dialling `target` until `hang_up`."""
        self.hang_up(target.curve)
        try:
            watched = dial_dealer(
                self._context, self._curve, target.curve, target.host, target.port
            )
        except BadAddress:
            self._ear.refused(target.curve)
            return
        self.traffic.dials += 1
        self._lines[target.curve] = _Line(watched, target.host)
        self.listen(watched.monitor, partial(self._dealer_events, target.curve))
        self.listen(watched.socket, partial(self._from_dealer, target.curve))

    def hang_up(self, curve: bytes) -> None:
        """Close the DEALER to `curve`, if there is one."""
        line = self._lines.pop(curve, None)
        if line is None:
            return
        if line.fd is not None:
            self._watch.closed(line.fd)
        for socket in (line.watched.monitor, line.watched.socket):
            del self._handlers[socket]
            self._poller.unregister(socket)
        line.watched.close()

    def cut(self, curve: bytes) -> None:
        """Shut every connection that `curve` made to us."""
        for fd in self._watch.of(curve):
            self._cut(fd)

    def check(self) -> None:
        """Cut connections that say nothing and those that flood."""
        # What closed meanwhile must not be judged: its descriptor may be another's by now.
        self._router_events()
        for curve in list(self._lines):
            self._dealer_events(curve)
        for fd in self._watch.mute(self._clock()):
            self.traffic.mute += 1
            self._cut(fd)
        drained = self._from_router(ready=False)
        for curve in list(self._lines):
            drained = self._from_dealer(curve, ready=False) and drained
        for connection in self._watch.floods(self._clock(), received, drained=drained):
            self.traffic.floods += 1
            if connection.curve is not None:
                self._ear.flooded(connection.curve)
            self._cut(connection.fd)

    def _cut(self, fd: int) -> None:
        """Shut a connection and treat its path as lost at once."""
        cut(fd)
        self._closed(fd)

    def _closed(self, fd: int) -> None:
        connection = self._watch.closed(fd)
        if connection is not None and connection.path is not None:
            self._guests.pop(connection.path.ident, None)
            self._ear.lost(connection.path)

    def _router_events(self) -> None:
        for event, value in self._router.events():
            if event == zmq.EVENT_ACCEPTED:
                self._watch.opened(value, self._clock())
            elif event == zmq.EVENT_DISCONNECTED:
                self._closed(value)

    def _dealer_events(self, curve: bytes) -> None:
        line = self._lines.get(curve)
        if line is None:
            return
        for event, value in line.watched.events():
            if event == zmq.EVENT_CONNECTED:
                line.fd = value
                self._watch.opened(value, self._clock(), curve=curve)
                self._ear.connected(curve)
            elif event == zmq.EVENT_HANDSHAKE_SUCCEEDED:
                self._ear.opened(curve)
            elif event == zmq.EVENT_HANDSHAKE_FAILED_AUTH:
                self._ear.refused(curve)
            elif event == zmq.EVENT_DISCONNECTED:
                line.fd = None
                self._watch.closed(value)
                self._ear.lost(Path(Side.OUT, curve))

    # What arrives.

    def _from_router(self, ready: bool = True) -> bool:
        """Read what the ROUTER has; whether that was all. `ready`: something is known to wait."""
        router = self._router.socket
        for _ in range(_READS):
            if not ready and not _waiting(router):
                return True
            ready = False
            try:
                routing = router.recv(_DONTWAIT)
            except zmq.Again:
                return True  # it was taken back with its connection
            guest = self._guests.get(routing)
            if guest is None:
                guest, data = self._met(routing)
            else:
                data = router.recv(_DONTWAIT)
            frames, octets = self._rest(router, len(data))
            self._watch.delivered(guest.fd, guest.curve, guest.path, octets, frames)
            self._ear.arrived(guest.origin, data, frames)
        return False

    def _met(self, routing: bytes) -> tuple[_Guest, bytes]:
        """The first message of a connection: what libzmq and our ZAP handler say of its sender
        stays as it is for as long as the connection does, so it is asked once."""
        frame = self._router.socket.recv(zmq.DONTWAIT, copy=False)
        curve = bytes.fromhex(str(frame.get("User-Id")))
        path = Path(Side.IN, routing)
        host = numeric(str(frame.get("Peer-Address")))
        guest = _Guest(int(frame.get(zmq.SRCFD)), curve, path, Origin(curve, path, host))
        if self._watch.new(guest.fd):
            self._guests[routing] = guest
        return guest, frame.bytes

    def _from_dealer(self, curve: bytes, ready: bool = True) -> bool:
        """Read what the DEALER to `curve` has; as `_from_router`."""
        path = Path(Side.OUT, curve)
        for _ in range(_READS):
            line = self._lines.get(curve)
            if line is None or (not ready and not _waiting(line.watched.socket)):
                return True
            ready = False
            try:
                data = line.watched.socket.recv(_DONTWAIT)
            except zmq.Again:
                return True
            frames, octets = self._rest(line.watched.socket, len(data))
            if line.fd is not None:
                self._watch.delivered(line.fd, curve, path, octets, frames)
            self._ear.arrived(Origin(curve, path, line.host), data, frames)
        return False

    def _rest(self, socket: ZSocket, octets: int) -> tuple[int, int]:
        """Read what follows a message's first frame; frames and octets of the whole."""
        frames = 1
        while socket.getsockopt(_RCVMORE):
            octets += len(socket.recv(_DONTWAIT))
            frames += 1
        self.traffic.messages_in += 1
        self.traffic.octets_in += octets
        return frames, octets


def _waiting(socket: ZSocket) -> bool:
    """Whether there is something to read; an exception of `recv` would cost more."""
    return bool(int(socket.getsockopt(_EVENTS)) & _POLLIN)
