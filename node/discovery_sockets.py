"""The UDP sockets of discovery: listeners on the shared port, a querier for each address.

Law: this file knows sockets, options and addresses. It must never know what a datagram says. No
error of sending, joining or binding is fatal: an interface that goes away, a network that forbids
broadcasts, an address family that is missing leave the others working.

A listener holds the fixed port, which every process of this computer may share: what is sent to a
broadcast or a group reaches all of them, what is sent to the computer alone reaches one. A querier
is bound to one address of one interface, so that its datagrams leave there and no elsewhere, and
to a port of its own, so that the answers to it reach nobody else.
"""

from __future__ import annotations

import contextlib
import enum
import socket
import struct
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

from node.interfaces import Address, Interface, Kind, host_of
from protocol.announce import MAX_DATAGRAM

UDP_PORT: Final = 28_776
GROUP4: Final = "239.255.28.77"
GROUP6: Final = "ff12::28:77"
EVERYBODY: Final = "255.255.255.255"
_AT_ONCE: Final = 64
"""Datagrams that are taken from one socket before the others have their turn."""


class Way(enum.Enum):
    """How a datagram reaches everybody on a link."""

    MULTICAST4 = "IPv4 group"
    DIRECTED = "the network's broadcast address"
    LIMITED = "255.255.255.255"
    MULTICAST6 = "IPv6 group"


@dataclass(frozen=True, slots=True)
class Datagram:
    """What arrived: octets, the numeric host and port it came from, and how to answer."""

    data: bytes
    host: str
    port: int
    listener: bool
    socket: socket.socket = field(repr=False)
    name: tuple[Any, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class _Place:
    """One address of one interface."""

    interface: str
    index: int
    address: Address
    loopback: bool


class Ether:
    """All sockets of one announcer or browser; `port` the fixed one. Not safe between threads."""

    def __init__(self, port: int = UDP_PORT) -> None:
        self.port = port
        self.sent = 0
        self.failed = 0
        self._listeners: dict[int, socket.socket] = {}
        self._queriers: dict[_Place, socket.socket] = {}

    @property
    def sockets(self) -> tuple[socket.socket, ...]:
        """What to wait for."""
        return (*self._listeners.values(), *self._queriers.values())

    @property
    def listening(self) -> bool:
        """Whether the shared port could be had, for IPv4 at least."""
        return socket.AF_INET in self._listeners

    def refresh(self, interfaces: Iterable[Interface]) -> bool:
        """Follow the interfaces as they are now; True if any address came or went."""
        for family in (socket.AF_INET, socket.AF_INET6):
            if family not in self._listeners:
                with contextlib.suppress(OSError):
                    self._listeners[family] = _listener(family, self.port)
        wanted = {place for one in interfaces if one.up for place in _places(one)}
        gone = self._queriers.keys() - wanted
        came = wanted - self._queriers.keys()
        for place in gone:
            self._queriers.pop(place).close()
            self._membership(place, join=False)
        opened = 0
        for place in sorted(came, key=lambda p: (p.index, p.address.host)):
            with contextlib.suppress(OSError):
                self._queriers[place] = _querier(place)
                opened += 1
        # All of them each time: to leave by an address that has gone may leave another's group.
        for place in self._queriers:
            self._membership(place, join=True)
        return bool(gone or opened)

    def broadcast(self, data: bytes) -> int:
        """Send to everybody on every interface; how many datagrams went out."""
        return sum(self.send(data, querier, name) for _, querier, name in self.ways())

    def ways(self) -> Iterator[tuple[Way, socket.socket, tuple[Any, ...]]]:
        """Every way to everybody: what it is, the socket to send through, and where to."""
        for place, querier in self._queriers.items():
            for way, name in _targets(place, self.port):
                yield way, querier, name

    def send(self, data: bytes, through: socket.socket, name: tuple[Any, ...]) -> bool:
        """Send one datagram; whether the system took it."""
        try:
            through.sendto(data, name)
        except OSError:  # no route, not permitted, buffer full, interface down
            self.failed += 1
            return False
        self.sent += 1
        return True

    def receive(self, ready: Iterable[socket.socket]) -> Iterator[Datagram]:
        """What waits at these sockets, so many of each at most."""
        listeners = set(self._listeners.values())
        for sock in ready:
            for _ in range(_AT_ONCE):
                try:
                    data, name = sock.recvfrom(MAX_DATAGRAM + 1)
                except BlockingIOError:
                    break
                except OSError:  # an earlier datagram found nobody: Windows tells us here
                    continue
                with contextlib.suppress(ValueError):
                    yield Datagram(data, host_of(name), name[1], sock in listeners, sock, name)

    def close(self) -> None:
        """Close all sockets."""
        for sock in self.sockets:
            sock.close()
        self._listeners.clear()
        self._queriers.clear()

    def _membership(self, place: _Place, *, join: bool) -> None:
        family = socket.AF_INET6 if place.address.version == 6 else socket.AF_INET
        listener = self._listeners.get(family)
        if listener is None:
            return
        if family == socket.AF_INET:
            level, group = socket.IPPROTO_IP, socket.inet_aton(GROUP4)
            option = socket.IP_ADD_MEMBERSHIP if join else socket.IP_DROP_MEMBERSHIP
            value = group + socket.inet_aton(place.address.host)
        else:
            level, group = socket.IPPROTO_IPV6, socket.inet_pton(family, GROUP6)
            option = socket.IPV6_JOIN_GROUP if join else socket.IPV6_LEAVE_GROUP
            value = group + struct.pack("@I", place.index)
        with contextlib.suppress(OSError):  # joined by another address, gone, or not supported
            listener.setsockopt(level, option, value)


def shared_socket(family: int, port: int) -> socket.socket:
    """A UDP socket bound to `port` of every address, which other processes may bind too; OSError.

    Port 0 gives one that is free.
    """
    sock = socket.socket(family, socket.SOCK_DGRAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if hasattr(socket, "SO_REUSEPORT"):
            with contextlib.suppress(OSError):
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        if family == socket.AF_INET6:
            sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        sock.bind(("", port))
        sock.setblocking(False)
    except OSError:
        sock.close()
        raise
    return sock


def _listener(family: int, port: int) -> socket.socket:
    sock = shared_socket(family, port)
    if sys.platform == "linux" and family == socket.AF_INET:
        # Otherwise a socket hears every group that anybody on this computer has joined.
        with contextlib.suppress(OSError, AttributeError):
            sock.setsockopt(socket.IPPROTO_IP, _IP_MULTICAST_ALL, 0)
    return sock


_IP_MULTICAST_ALL: Final = 49
"""Linux's number; the socket module has no name for it."""


def _places(interface: Interface) -> Iterator[_Place]:
    """The addresses to send from: every IPv4 one, and one link-local or loopback IPv6 one."""
    loopback = interface.kind is Kind.LOOPBACK
    six = [a for a in interface.addresses if a.version == 6 and (a.needs_scope or loopback)]
    four = [a for a in interface.addresses if a.version == 4]
    for address in (*four, *six[:1]):
        yield _Place(interface.name, interface.index, address, loopback)


def _querier(place: _Place) -> socket.socket:
    six = place.address.version == 6
    sock = socket.socket(socket.AF_INET6 if six else socket.AF_INET, socket.SOCK_DGRAM)
    try:
        if six:
            level = socket.IPPROTO_IPV6
            sock.setsockopt(level, socket.IPV6_MULTICAST_IF, place.index)
            sock.setsockopt(level, socket.IPV6_MULTICAST_HOPS, 1)
            sock.setsockopt(level, socket.IPV6_MULTICAST_LOOP, 1)
            scope = place.index if place.address.needs_scope else 0
            sock.bind((place.address.host, 0, 0, scope))
        else:
            level = socket.IPPROTO_IP
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
            own = socket.inet_aton(place.address.host)
            sock.setsockopt(level, socket.IP_MULTICAST_IF, own)
            sock.setsockopt(level, socket.IP_MULTICAST_TTL, 1)
            sock.setsockopt(level, socket.IP_MULTICAST_LOOP, 1)
            sock.bind((place.address.host, 0))
        sock.setblocking(False)
    except OSError:
        sock.close()
        raise
    return sock


def _targets(place: _Place, port: int) -> Iterator[tuple[Way, tuple[Any, ...]]]:
    """Where to send so that everybody on the link hears it."""
    if place.address.version == 6:
        yield Way.MULTICAST6, (GROUP6, port, 0, place.index)
        return
    yield Way.MULTICAST4, (GROUP4, port)
    directed = place.address.broadcast
    if directed is not None:
        yield Way.DIRECTED, (directed, port)
    if not place.loopback:
        yield Way.LIMITED, (EVERYBODY, port)
