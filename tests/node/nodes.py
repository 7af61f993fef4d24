"""Mesh nodes and strangers for the tests, over the loopback. Waits end with an event or a failure.

Law: this file knows sockets and keys; it judges nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar

import zmq
from zmq.utils.monitor import parse_monitor_message

from node.events import Event, PeerUp
from node.mesh import Mesh, Profile
from node.sockets import CurveKeys
from protocol.identity import Identity
from protocol.messages import Hello, Message, Role
from protocol.wire import decode, encode, sign

HOST = "127.0.0.1"
TABLE = b"T" * 16
PATIENCE = 20.0
"""Seconds after which something that should happen counts as not happening."""

_E = TypeVar("_E")


def identity(number: int) -> Identity:
    """A fixed identity."""
    return Identity(bytes([number]) * 32)


class Node:
    """A mesh and what it reported."""

    def __init__(self, who: Identity, *, table: bytes = TABLE, **options: Any) -> None:
        self.identity = who
        self.events: list[Event] = []
        self._news = threading.Condition()
        profile = Profile(table, b"S" * 16, who.public[:16], f"p{who.public.hex()[:4]}")
        options.setdefault("host", HOST)
        self.mesh = Mesh(who, profile, self._note, **options)
        self.key = who.public

    def _note(self, event: Event) -> None:
        with self._news:
            self.events.append(event)
            self._news.notify_all()

    def mark(self) -> int:
        """Where in `events` we are now."""
        with self._news:
            return len(self.events)

    def wait(
        self, kind: type[_E], test: Callable[[_E], bool] = lambda _: True, *, since: int = 0
    ) -> _E:
        """The first event of `kind` that passes `test`."""
        found: list[_E] = []

        def happened() -> bool:
            found[:] = [e for e in self.events[since:] if isinstance(e, kind) and test(e)]
            return bool(found)

        with self._news:
            if not self._news.wait_for(happened, PATIENCE):
                last = [str(event)[:200] for event in self.events[since:][-12:]]
                raise AssertionError(f"no {kind.__name__}; the last events were {last}")
        return found[0]

    def of(self, kind: type[_E]) -> list[_E]:
        """All events of `kind` so far."""
        with self._news:
            return [e for e in self.events if isinstance(e, kind)]

    def dial(self, other: Node, **options: Any) -> None:
        """Tell this node where the other is."""
        self.mesh.dial(other.key, other.mesh.curve.public, HOST, other.mesh.port, **options)

    def linked(self, other: Node, *, since: int = 0) -> None:
        """Wait until the other is up here."""
        self.wait(PeerUp, lambda e: e.key == other.key, since=since)


def eventually(test: Callable[[], bool]) -> None:
    """Wait for something that no event reports."""
    pause = threading.Event()
    end = time.monotonic() + PATIENCE
    while not test():
        if time.monotonic() > end:
            raise AssertionError("it didn't happen")
        pause.wait(0.005)


@contextmanager
def running(*nodes: Node) -> Iterator[Sequence[Node]]:
    """Start the nodes, and stop them whatever happens."""
    with ExitStack() as stack:
        for node in nodes:
            stack.enter_context(node.mesh)
        yield nodes


def introduce(nodes: Sequence[Node]) -> None:
    """Tell everyone where everyone is."""
    for a in nodes:
        for b in nodes:
            if a is not b:
                a.dial(b)


def link(nodes: Sequence[Node]) -> None:
    """Introduce, and wait until all are linked with all."""
    introduce(nodes)
    for a in nodes:
        for b in nodes:
            if a is not b:
                a.linked(b)


class Stranger:
    """A bare DEALER: it can send a node whatever it likes."""

    def __init__(
        self, server: Node, who: Identity, keys: CurveKeys | None = None, *, routing: bytes = b""
    ) -> None:
        self.identity = who
        self.keys = keys or CurveKeys.generate()
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self.socket = self._context.socket(zmq.DEALER)
        for option, value in (
            (zmq.LINGER, 0),
            (zmq.CURVE_SERVERKEY, server.mesh.curve.public),
            (zmq.CURVE_PUBLICKEY, self.keys.public),
            (zmq.CURVE_SECRETKEY, self.keys.secret),
            (zmq.RCVTIMEO, int(PATIENCE * 1000)),
            (zmq.SNDTIMEO, int(PATIENCE * 1000)),
            (zmq.RECONNECT_IVL, 20),
        ):
            self.socket.setsockopt(option, value)
        if routing:
            self.socket.setsockopt(zmq.ROUTING_ID, routing)
        self._monitor = self.socket.get_monitor_socket()
        self._monitor.setsockopt(zmq.RCVTIMEO, int(PATIENCE * 1000))
        self.socket.connect(f"tcp://{HOST}:{server.mesh.port}")

    def hello(self, **changes: Any) -> Hello:
        """Its introduction, signed."""
        fields: dict[str, Any] = {
            "curve": self.keys.public,
            "table": TABLE,
            "session": b"s" * 16,
            "name": "stranger",
            "role": Role.SEAT,
            "port": 9,
            "nonce": b"n" * 16,
        }
        return sign(Hello(b"", **{**fields, **changes}), self.identity)

    def send(self, *frames: bytes) -> None:
        """One message of these frames."""
        self.socket.send_multipart(list(frames))

    def say(self, message: Message) -> None:
        """A well-formed message."""
        self.send(encode(message))

    def hear(self, kind: type[_E]) -> _E:
        """The next message of `kind`."""
        while not isinstance(message := decode(self.socket.recv()), kind):
            pass
        return message

    def until(self, *events: int) -> int:
        """Wait until libzmq reports one of these events of the connection; which."""
        while True:
            event = parse_monitor_message(self._monitor.recv_multipart())["event"]
            if event in events:
                return int(event)

    def close(self) -> None:
        """Close everything."""
        self.socket.disable_monitor()
        self._monitor.close(0)
        self.socket.close(0)
        self._context.term()

    def __enter__(self) -> Stranger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
