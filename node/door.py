"""The door: where somebody who knows nothing but an address asks a table for its card.

Law: this file moves frames of at most `MAX_FRAME` octets over plain TCP. It must never read from
or write to the table: what to answer is a callable's business.

    frame = u16be length, payload           payload: one door message (`WIRE.md`, "Door")

The door is no ZeroMQ socket on purpose: whatever a stranger sends here, a connection holds one
frame, lasts `DoorLimits.seconds` and is one of a bounded number. A small asyncio loop on a thread
of its own serves it; the client functions block.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import threading
import time
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from node import errors
from node.errors import (
    BadAddress,
    MeshError,
    NodeFailed,
    NotATable,
    PortTaken,
    TurnedAway,
    Unreachable,
)
from node.link import Bucket
from node.sockets import numeric
from protocol.messages import (
    Ask,
    CodeHello,
    CodeProof,
    Hello,
    Knock,
    Message,
    Reason,
    Refusal,
    TableCard,
    Welcome,
)
from protocol.wire import OtherVersion, WireError, decode, decode_hello, encode

MAX_FRAME: Final = 2_048
_PREFIX: Final = 2
_BUSY: Final = 0.25
"""Seconds that a visitor who is turned away has to read why."""
_REFUSALS: Final = {
    Reason.FULL: "That table is full.",
    Reason.CLOSED: "That table takes no new players.",
    Reason.REMOVED: "That table has removed this player.",
    Reason.OTHER_TABLE: "Another table is at that address now.",
    Reason.BUSY: "That table is too busy to answer; try again in a moment.",
    Reason.WRONG_CODE: "That is not the table's code.",
    Reason.LOCKED: "Too many wrong codes came from this computer; try again in a minute.",
    Reason.NO_WATCHERS: "That table wants no spectators.",
}


@dataclass(frozen=True, slots=True)
class DoorLimits:
    """Seconds a connection may last, how many there may be, how often an address may come."""

    seconds: float = 2.0
    connections: int = 32
    an_address: int = 4
    visits_a_second: float = 4.0
    visit_burst: float = 16.0
    addresses: int = 512
    frames: int = 8


class Turnstile:
    """Who may come in now: counts connections and visits, by address. Pure; `now` in seconds."""

    def __init__(self, limits: DoorLimits) -> None:
        self._limits = limits
        self._inside: dict[str, int] = {}
        self._visits: OrderedDict[str, Bucket] = OrderedDict()
        self.count = 0

    def enter(self, address: str, now: float) -> bool:
        """Whether one more connection of `address` is let in; `leave` must follow if so."""
        limits = self._limits
        bucket = self._visits.pop(address, None) or Bucket(
            limits.visits_a_second, limits.visit_burst, limits.visit_burst, now
        )
        self._visits[address] = bucket
        if len(self._visits) > limits.addresses:
            self._visits.popitem(last=False)
        inside = self._inside.get(address, 0)
        if self.count >= limits.connections or inside >= limits.an_address:
            return False
        if not bucket.take(1, now):
            return False
        self.count += 1
        self._inside[address] = inside + 1
        return True

    def leave(self, address: str) -> None:
        """A connection that was let in is over."""
        self.count -= 1
        self._inside[address] -= 1
        if not self._inside[address]:
            del self._inside[address]


class Guard(ABC):
    """Whoever stands at the door of a table with a code (`node.code`). On the door's thread."""

    @abstractmethod
    def answer(self, message: Message, host: str, visit: object) -> Message | None:
        """What to answer in the connection `visit` from `host`; None to hang up. WireError."""

    @abstractmethod
    def gone(self, visit: object) -> None:
        """That connection is over."""


class Door:
    """Serves `card()`, a signed card, to whoever asks.

    `on_knock(hello, host)` says whether a process that introduces itself may connect to the mesh
    although admission is closed, and has it admitted if so; without it nobody may. `guard` asks for
    the table's code. All run on the door's thread. `host` is a numeric address to listen on or "*".
    """

    def __init__(
        self,
        card: Callable[[], TableCard],
        *,
        on_knock: Callable[[Hello, str], bool] | None = None,
        guard: Guard | None = None,
        host: str = "*",
        port: int = 0,
        limits: DoorLimits | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.port = 0
        self.turned_away = 0
        self.served = 0
        self._card = card
        self._on_knock = on_knock
        self._guard = guard
        self._bind = (host, port)
        self._limits = limits or DoorLimits()
        self._clock = clock
        self._turnstile = Turnstile(self._limits)
        self._tasks: set[asyncio.Task[None]] = set()
        self._failure: Exception | None = None
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closing: asyncio.Event | None = None

    def start(self) -> None:
        """Listen and serve; raises `PortTaken` or another `MeshError`."""
        if self._thread is not None:
            raise MeshError("This door was opened before.")
        listener = _listen(*self._bind)
        self.port = listener.getsockname()[1]
        ready = threading.Event()
        self._thread = threading.Thread(
            target=self._run, args=(listener, ready), name="busso-door", daemon=True
        )
        self._thread.start()
        ready.wait()

    def stop(self) -> None:
        """Close every connection and wait for the thread; twice does no harm.

        Raises `NodeFailed` if a callable raised: that is our own bug.
        """
        if self._thread is None:
            return
        if self._loop is not None and self._closing is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed already
                self._loop.call_soon_threadsafe(self._closing.set)
        self._thread.join()
        failure, self._failure = self._failure, None
        if failure is not None:
            raise NodeFailed(f"The door met an unexpected error: {failure!r}") from failure

    def __enter__(self) -> Door:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _run(self, listener: socket.socket, ready: threading.Event) -> None:
        try:
            asyncio.run(self._serve(listener, ready))
        except Exception as error:  # reported by stop(): nobody else could catch it
            self._failure = self._failure or error
        finally:
            listener.close()
            ready.set()

    async def _serve(self, listener: socket.socket, ready: threading.Event) -> None:
        self._loop, self._closing = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._visit, sock=listener, limit=2 * MAX_FRAME)
        ready.set()
        await self._closing.wait()
        server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection, from its acceptance to its end."""
        task = asyncio.current_task()
        if task is None or len(self._tasks) >= 2 * self._limits.connections:
            self.turned_away += 1
            writer.transport.abort()
            return
        self._tasks.add(task)
        host = _peer(writer)
        entered = self._turnstile.enter(host, self._clock())
        try:
            async with asyncio.timeout(self._limits.seconds if entered else _BUSY):
                if entered:
                    await self._talk(reader, writer, host)
                else:
                    self.turned_away += 1
                    writer.write(_frame(Refusal(Reason.BUSY)))
                    # Closing on an unread question would reset the connection and lose the answer.
                    await reader.read(MAX_FRAME)
                writer.close()
                await writer.wait_closed()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # slow, gone, not one of ours, or the door closes: nothing to tell anybody
        finally:
            if entered:
                self._turnstile.leave(host)
            self._tasks.discard(task)
            writer.transport.abort()

    async def _talk(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str
    ) -> None:
        visit = object()
        try:
            for _ in range(self._limits.frames):
                size = int.from_bytes(await reader.readexactly(_PREFIX), "big")
                if not 1 <= size <= MAX_FRAME:
                    return
                answer = self._answer(await reader.readexactly(size), host, visit)
                if answer is None:
                    return
                writer.write(answer)
                await writer.drain()
        finally:
            if self._guard is not None:
                self._guard.gone(visit)

    def _answer(self, payload: bytes, host: str, visit: object) -> bytes | None:
        """The frame that answers one, None to hang up on what is none of ours."""
        try:
            answer = self._decide(payload, host, visit)
            return None if answer is None else _frame(answer)
        except OtherVersion:
            # In our own version, so that the visitor learns which one we speak.
            return _frame(Refusal(Reason.CLOSED))
        except WireError:
            return None
        except Exception as error:  # a consumer's bug must not take the door down with it
            self._failure = self._failure or error
            return _frame(Refusal(Reason.BUSY))

    def _decide(self, payload: bytes, host: str, visit: object) -> Message | None:
        match decode(payload):
            case Ask():
                self.served += 1
                return self._card()
            case Knock(data):
                hello = decode_hello(data)
                if self._on_knock is not None and self._on_knock(hello, host):
                    return Welcome()
                return Refusal(Reason.CLOSED)
            case CodeHello() | CodeProof() as message if self._guard is not None:
                return self._guard.answer(message, host, visit)
            case _:
                return None


def fetch_card(host: str, port: int, timeout: float) -> TableCard:
    """Ask the table at `host` (a name or an address) for its card, within `timeout` seconds.

    The card's signature is verified. Raises `Unreachable`, `NotATable`, `OtherVersion` or
    `TurnedAway`.
    """
    return find_table(host, port, timeout)[0]


def find_table(host: str, port: int, timeout: float) -> tuple[TableCard, str]:
    """As `fetch_card`, and the numeric host that answered, to dial the mesh at."""
    answer, address = _ask(host, port, Ask(), timeout)
    if not isinstance(answer, TableCard):
        raise NotATable(f"What answers at {host} port {port} has no table card.")
    return answer, address


def knock(host: str, port: int, hello: bytes, timeout: float) -> str:
    """Show our HELLO at the door of a table whose admission is closed; raises as `fetch_card`.

    Returns the numeric host once the process may connect to its mesh.
    """
    answer, address = _ask(host, port, Knock(hello), timeout)
    if not isinstance(answer, Welcome):
        raise NotATable(f"What answers at {host} port {port} gave no answer to a knock.")
    return address


def _ask(host: str, port: int, message: Message, timeout: float) -> tuple[Message, str]:
    with Caller(host, port, timeout) as caller:
        return caller.ask(message), caller.address


class Caller:
    """A visit to the door at `host` (a name or an address), all within `timeout` seconds."""

    def __init__(self, host: str, port: int, timeout: float) -> None:
        if not 1 <= port <= 65_535:
            raise BadAddress(f"{port} is not a port.")
        self.address = ""
        self._host = host
        self._place = f"{host} port {port}"
        self._port = port
        self._timeout = timeout
        self._deadline = time.monotonic() + timeout
        self._connection: socket.socket | None = None

    def __enter__(self) -> Caller:
        """Go there; `address` is the numeric host that was reached. Unreachable."""
        with self._explained():
            self._connection = socket.create_connection((self._host, self._port), self._timeout)
            self.address = _scoped(self._connection.getpeername())
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection is not None:
            self._connection.close()

    def ask(self, message: Message) -> Message:
        """Say `message`; the answer, verified. Unreachable, NotATable, OtherVersion, TurnedAway."""
        if self._connection is None:
            raise MeshError("Nobody is at a door.")
        with self._explained():
            self._connection.sendall(_frame(message))
            size = int.from_bytes(_exactly(self._connection, _PREFIX, self._deadline), "big")
            if not 1 <= size <= MAX_FRAME:
                raise NotATable(f"What answers at {self._place} is not a Busso table.")
            payload = _exactly(self._connection, size, self._deadline)
        return _understood(payload, self._place)

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        place = self._place
        try:
            yield
        except socket.gaierror as error:
            text = f"There is no computer called {self._host} on this network."
            raise Unreachable(text) from error
        except (TimeoutError, UnicodeError) as error:
            text = f"No answer from {place} within {self._timeout:g} seconds."
            raise Unreachable(text) from error
        except ConnectionRefusedError as error:
            text = f"{self._host} is there, but no table is open on port {self._port}."
            raise Unreachable(text) from error
        except ConnectionError as error:
            raise NotATable(f"{place} hung up: not a Busso table, or a busy one.") from error
        except OSError as error:
            text = f"{place} can't be reached: {error.strerror or error}."
            raise Unreachable(text) from error


def _understood(payload: bytes, place: str) -> Message:
    try:
        answer = decode(payload)
    except OtherVersion as error:
        raise errors.OtherVersion(f"The table at {place} is of another Busso: {error}.") from error
    except WireError as error:
        raise NotATable(f"What answers at {place} is not a Busso table.") from error
    if isinstance(answer, Refusal):
        raise TurnedAway(_REFUSALS.get(answer.reason, "That table says no."))
    return answer


def _exactly(connection: socket.socket, size: int, deadline: float) -> bytes:
    data = b""
    while len(data) < size:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        connection.settimeout(left)
        part = connection.recv(size - len(data))
        if not part:
            raise ConnectionResetError
        data += part
    return data


def _frame(message: Message) -> bytes:
    payload = encode(message)
    if len(payload) > MAX_FRAME:
        raise MeshError(f"A door message of {len(payload)} octets.")
    return len(payload).to_bytes(_PREFIX, "big") + payload


def _listen(host: str, port: int) -> socket.socket:
    try:
        if host == "*":
            if socket.has_dualstack_ipv6():
                return socket.create_server(
                    ("", port), family=socket.AF_INET6, dualstack_ipv6=True, backlog=16
                )
            return socket.create_server(("", port), backlog=16)
        family = socket.AF_INET6 if ":" in numeric(host) else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=16)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            sentence = f"Port {port} is in use by another program; choose another port."
            raise PortTaken(sentence) from error
        if error.errno == errno.EACCES:
            sentence = f"This user may not listen on port {port}; choose one above 1023."
            raise PortTaken(sentence) from error
        raise MeshError(f"Can't listen on {host} port {port}: {error.strerror}") from error


def _peer(writer: asyncio.StreamWriter) -> str:
    name = writer.get_extra_info("peername")
    return _scoped(name) if name else "?"


def _scoped(name: tuple[str, int] | tuple[str, int, int, int]) -> str:
    """The numeric host of a socket name; a link-local one with the scope that it is valid in."""
    host = name[0]
    if len(name) == 4 and name[3] and "%" not in host:
        host = f"{host}%{socket.if_indextoname(name[3])}"
    return numeric(host)
