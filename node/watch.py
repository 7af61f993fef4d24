"""The flood watchdog: what each connection was sent against what it delivered.

Law: this file counts octets of connections. It must never know what they mean, nor decide who is
to blame beyond the connection.

libzmq gathers all frames of a multipart message before it delivers the first one, and neither its
message bound nor its high-water mark limits their number: an endless message grows without being
seen. So the kernel is asked how much a connection has received; what did not come out as messages
is sitting in libzmq. A leaky sum of that difference beyond a bound convicts the connection, which
is then shut through its descriptor. Where the kernel can't be asked (`received` returns None)
only connections that never say anything are found.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from node.link import Path

OVERHEAD: Final = 64
"""Octets of ZMTP and CURVE around a frame, at most (RFC 23 and 26: at most 50)."""

_TCP_INFO_SIZE: Final = 136
_BYTES_RECEIVED: Final = 128
"""Where Linux's `struct tcp_info` has the octets received on a connection (since 4.1)."""


@dataclass(frozen=True, slots=True)
class WatchLimits:
    """Octets, octets a second (heartbeats and such), seconds, connections."""

    excess: int = 1 << 20
    undelivered: int = 256 * 65_536
    idle_rate: float = 1_024.0
    mute: float = 6.0
    mute_connections: int = 64


@dataclass(slots=True)
class Connection:
    """One TCP connection: the CURVE key and the path are unknown until its first message."""

    fd: int
    since: float
    incoming: bool
    checked: float
    curve: bytes | None = None
    path: Path | None = None
    total: int = 0
    delivered: int = 0
    excess: float = 0.0


class Watch:
    """All connections of one node."""

    def __init__(self, limits: WatchLimits) -> None:
        self.limits = limits
        self._connections: dict[int, Connection] = {}

    def __len__(self) -> int:
        return len(self._connections)

    def opened(self, fd: int, now: float, *, curve: bytes | None = None) -> None:
        """A connection: accepted, or dialled when `curve` says to whom."""
        self._connections[fd] = Connection(fd, now, curve is None, now, curve)

    def closed(self, fd: int) -> Connection | None:
        """The connection is over; what was known of it."""
        return self._connections.pop(fd, None)

    def new(self, fd: int) -> bool:
        """Whether this is an open connection that hasn't delivered anything yet."""
        connection = self._connections.get(fd)
        return connection is not None and connection.path is None

    def delivered(self, fd: int, curve: bytes, path: Path, octets: int, frames: int) -> None:
        """A message of so many frames, together `octets`, came out of this connection."""
        connection = self._connections.get(fd)
        if connection is None or connection.path not in (None, path):
            return  # its closing was noticed before its last words
        connection.curve, connection.path = curve, path
        connection.delivered += octets + frames * OVERHEAD

    def of(self, curve: bytes) -> list[int]:
        """The descriptors of the accepted connections of this CURVE key."""
        return [c.fd for c in self._connections.values() if c.incoming and c.curve == curve]

    def mute(self, now: float) -> list[int]:
        """Accepted connections that had their time to say something, or are too many."""
        silent = [c for c in self._connections.values() if c.incoming and c.path is None]
        late = {c.fd for c in silent if now - c.since >= self.limits.mute}
        excess = len(silent) - self.limits.mute_connections
        late.update(c.fd for c in silent[: max(0, excess)])  # the oldest come first
        return sorted(late)

    def floods(
        self, now: float, received: Callable[[int], int | None], *, drained: bool
    ) -> list[Connection]:
        """Connections that send more than they deliver.

        `drained` says that every complete message was read just before; if not, as much as the
        queue may hold is allowed on top.
        """
        limits = self.limits
        bound = limits.excess + (0 if drained else limits.undelivered)
        found: list[Connection] = []
        for c in self._connections.values():
            total = received(c.fd)
            if total is None or total < c.total:
                continue  # it can't be told, or the descriptor is another connection's by now
            allowed = c.delivered + limits.idle_rate * max(0.0, now - c.checked)
            c.excess = max(0.0, c.excess + (total - c.total) - allowed)
            c.total, c.delivered, c.checked = total, 0, now
            if c.excess > bound:
                found.append(c)
        return found


def received(fd: int) -> int | None:
    """Octets that libzmq has read from the connection `fd`, or None where that can't be told."""
    if sys.platform != "linux":
        return None
    import fcntl  # noqa: PLC0415  # absent elsewhere
    import termios  # noqa: PLC0415  # absent elsewhere

    try:
        with _borrowed(fd) as connection:
            info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_SIZE)
            waiting = fcntl.ioctl(fd, termios.FIONREAD, bytes(4))
    except OSError:
        return None
    if len(info) < _TCP_INFO_SIZE:
        return None
    total: int = struct.unpack_from("=Q", info, _BYTES_RECEIVED)[0]
    return total - int(struct.unpack("=i", waiting)[0])


def cut(fd: int) -> None:
    """Shut the connection behind `fd`; its owner, libzmq, notices and closes it."""
    # A descriptor that was closed meanwhile, or belongs to something else by now, is no error.
    with contextlib.suppress(OSError), _borrowed(fd) as connection:
        connection.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def _borrowed(fd: int) -> Iterator[socket.socket]:
    """A socket object on a descriptor that stays its owner's."""
    connection = socket.socket(fileno=fd)
    try:
        yield connection
    finally:
        connection.detach()
