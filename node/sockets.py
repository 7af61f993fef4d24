"""The mesh's ZeroMQ sockets and their options (`WIRE.md`, "Sockets").

Law: this file knows libzmq's options and endpoints. It must never know peers or messages.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import functools
import ipaddress
import itertools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

import zmq
from zmq.utils import z85
from zmq.utils.monitor import parse_monitor_message

from node.errors import BadAddress, MeshError, PortTaken
from node.zap import DOMAIN

ZContext: TypeAlias = "zmq.Context[zmq.Socket[bytes]]"
ZSocket: TypeAlias = "zmq.Socket[bytes]"

MAX_FRAME: Final = 65_536

_COMMON: Final[tuple[tuple[int, int], ...]] = (
    (zmq.IPV6, 1),
    (zmq.LINGER, 0),
    (zmq.SNDHWM, 256),
    (zmq.RCVHWM, 256),
    (zmq.MAXMSGSIZE, MAX_FRAME),
    # 30 s by default, and idle connections would lock players out for as long.
    (zmq.HANDSHAKE_IVL, 3_000),
    (zmq.CONNECT_TIMEOUT, 2_000),
    (zmq.RECONNECT_IVL, 200),
    (zmq.RECONNECT_IVL_MAX, 2_000),
    # None of libzmq's own heartbeats: one that falls due on a connection which was cut while its
    # queue was full aborts the whole process (`!_io_error`). STATE tells who is alive.
    (zmq.HEARTBEAT_IVL, 0),
)
_ROUTER_EVENTS: Final = zmq.EVENT_ACCEPTED | zmq.EVENT_DISCONNECTED
_DEALER_EVENTS: Final = (
    zmq.EVENT_CONNECTED
    | zmq.EVENT_DISCONNECTED
    | zmq.EVENT_HANDSHAKE_SUCCEEDED
    | zmq.EVENT_HANDSHAKE_FAILED_AUTH
)
_EVENTS_AT_ONCE: Final = 256
_names: Final = itertools.count()


@dataclass(frozen=True, slots=True, repr=False)
class CurveKeys:
    """A process's CURVE key pair, 32 octets each. The secret is never shown."""

    public: bytes
    secret: bytes

    @classmethod
    def generate(cls) -> CurveKeys:
        """A new pair from libzmq's random source."""
        public, secret = zmq.curve_keypair()
        return cls(z85.decode(public), z85.decode(secret))

    @classmethod
    def of_secret(cls, secret: bytes) -> CurveKeys:
        """The pair of a secret key that was kept, so that a restarted process is known again."""
        if len(secret) != 32:
            raise MeshError("a CURVE secret key has 32 octets")
        return cls(z85.decode(zmq.curve_public(z85.encode(secret))), secret)

    def __repr__(self) -> str:
        return f"CurveKeys({self.public.hex()})"


class Watched:
    """A socket with its monitor; `events` yields what libzmq reports of its connections."""

    def __init__(self, context: ZContext, kind: int, mask: int) -> None:
        self.socket: ZSocket = context.socket(kind)
        try:
            for option, value in _COMMON:
                self.socket.setsockopt(option, value)
            name = f"inproc://busso-monitor-{next(_names)}"
            self.socket.monitor(name, mask)
            self.monitor: ZSocket = context.socket(zmq.PAIR)
            self.monitor.setsockopt(zmq.LINGER, 0)
            self.monitor.connect(name)
        except zmq.ZMQError:
            self.socket.close()
            raise

    def events(self) -> list[tuple[int, int]]:
        """The (event, value) pairs that wait."""
        found: list[tuple[int, int]] = []
        for _ in range(_EVENTS_AT_ONCE):
            try:
                event = parse_monitor_message(self.monitor.recv_multipart(zmq.DONTWAIT))
            except zmq.Again:
                break
            found.append((int(event["event"]), int(event["value"])))
        return found

    def close(self, linger: int = 0) -> None:
        """Close both sockets; unsent messages get `linger` milliseconds."""
        self.socket.disable_monitor()
        self.monitor.close()
        self.socket.close(linger)


def hide_routing_ids(random: Callable[[int], bytes]) -> None:
    """Seed C's `rand`, from which libzmq draws the first routing id of a ROUTER.

    libzmq numbers connections from there on and never seeds it, so the numbers are the same in
    every process; and it aborts the process when the next number is one that a peer has chosen as
    its own routing id. Whoever can't predict the numbers can't choose one.
    """
    # A C library without it is one where this can't be helped.
    with contextlib.suppress(OSError, AttributeError):
        c = ctypes.CDLL("ucrtbase" if sys.platform == "win32" else None)
        c.srand(ctypes.c_uint(int.from_bytes(random(4), "big")))


def bind_router(
    context: ZContext,
    keys: CurveKeys,
    host: str,
    port: int,
    random: Callable[[int], bytes],
) -> tuple[Watched, int]:
    """The ROUTER listening on `host` ("*" for all) and `port` (0 for any), and its port.

    `random` gives secret octets. Raises `PortTaken` or another `MeshError`.
    """
    where = "*" if host == "*" else _bracketed(numeric(host))
    hide_routing_ids(random)
    watched = Watched(context, zmq.ROUTER, _ROUTER_EVENTS)
    router = watched.socket
    try:
        router.setsockopt(zmq.BACKLOG, 64)
        router.setsockopt(zmq.ROUTER_MANDATORY, 1)
        # With handover a valid peer could take another's routing id, and with it its messages.
        router.setsockopt(zmq.ROUTER_HANDOVER, 0)
        router.setsockopt(zmq.CURVE_SERVER, 1)
        router.setsockopt(zmq.CURVE_SECRETKEY, keys.secret)
        router.setsockopt(zmq.CURVE_PUBLICKEY, keys.public)
        router.setsockopt(zmq.ZAP_DOMAIN, DOMAIN)
        router.bind(f"tcp://{where}:{port}")
        endpoint = router.getsockopt(zmq.LAST_ENDPOINT)
    except zmq.ZMQError as error:
        watched.close()
        raise _bind_error(error, host, port) from error
    text = endpoint.decode("ascii") if isinstance(endpoint, bytes) else str(endpoint)
    return watched, int(text.rstrip("\0").rsplit(":", 1)[1])


def dial_dealer(context: ZContext, keys: CurveKeys, server: bytes, host: str, port: int) -> Watched:
    """A DEALER that connects to `host` and `port`, where only the holder of `server` can answer."""
    watched = Watched(context, zmq.DEALER, _DEALER_EVENTS)
    dealer = watched.socket
    try:
        # Nothing is queued for a connection that is not there.
        dealer.setsockopt(zmq.IMMEDIATE, 1)
        dealer.setsockopt(zmq.CURVE_SERVERKEY, server)
        dealer.setsockopt(zmq.CURVE_SECRETKEY, keys.secret)
        dealer.setsockopt(zmq.CURVE_PUBLICKEY, keys.public)
        dealer.connect(f"tcp://{_bracketed(host)}:{port}")
    except zmq.ZMQError as error:
        watched.close()
        raise BadAddress(f"{host} port {port} can't be dialled: {error.strerror}") from error
    return watched


@functools.lru_cache(maxsize=256)
def numeric(host: str) -> str:
    """`host` if it is an IP address (a local scope allowed), v4-mapped ones as IPv4; `BadAddress`.

    Names are resolved elsewhere: libzmq would do it on the thread that serves all connections.
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError as error:
        raise BadAddress(f"{host!r} is not a numeric address") from error
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return str(mapped or address)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _bind_error(error: zmq.ZMQError, host: str, port: int) -> MeshError:
    if error.errno == zmq.EADDRINUSE:
        return PortTaken(f"Port {port} is in use by another program; choose another port.")
    if error.errno == errno.EACCES:
        return PortTaken(f"This user may not listen on port {port}; choose one above 1023.")
    if error.errno == zmq.EADDRNOTAVAIL:
        return BadAddress(f"{host} is not an address of this computer.")
    return MeshError(f"Can't listen on {host} port {port}: {error.strerror}")
