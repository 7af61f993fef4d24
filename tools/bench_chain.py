"""What `busso bench mesh` needs beside meshes: a pretended match, and a cable that can be cut.

Law: the chain knows signatures and heads and no game; the cable knows octets and no message.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import threading
from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType
from typing import Final

from protocol.contribution import Contribution, Entry, Kind, Place, statement
from protocol.identity import Identity, verify

MATCH: Final = bytes(32)
BODY: Final = bytes(60)
"""About as long as a move's; some 220 octets travel."""


def entry_at(identity: Identity, seat: int, step: int, head: bytes) -> Entry:
    """A signed contribution to a step of the pretended match."""
    place = Place(MATCH, head, step)
    blank = Contribution(seat, Kind.MOVE, BODY, bytes(8), b"")
    return Entry(place, replace(blank, signature=identity.sign(statement(place, blank))))


class Chain:
    """What stands in for a table: the next step, the head, and who may sign."""

    def __init__(self, keys: Sequence[bytes]) -> None:
        self.keys = keys
        self.step = 1
        self.head = bytes(32)

    def apply(self, entry: Entry) -> bool:
        """Check and append one contribution; False if it isn't the next one, or not signed."""
        place, c = entry.place, entry.contribution
        if place.step != self.step or place.head != self.head:
            return False
        if not verify(self.keys[c.seat], statement(place, c), c.signature):
            return False
        self.append(entry)
        return True

    def append(self, entry: Entry) -> None:
        """Append what is known to be right."""
        self.head = hashlib.sha256(self.head + entry.contribution.identity(entry.place)).digest()
        self.step += 1


class Cable:
    """Forwards TCP connections to a port of the same host, on a thread of its own, until `cut`."""

    def __init__(self, host: str, port: int) -> None:
        self.port = 0
        self._to = (host, port)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._server: asyncio.Server | None = None
        self._ends: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Cable:
        self._thread.start()
        self.mend()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.cut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def cut(self) -> None:
        """Reset every connection; new ones are refused."""
        asyncio.run_coroutine_threadsafe(self._cut(), self._loop).result()

    def mend(self) -> None:
        """Take connections (again), on the same port."""
        asyncio.run_coroutine_threadsafe(self._mend(), self._loop).result()

    async def _mend(self) -> None:
        self._server = await asyncio.start_server(self._visit, self._to[0], self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _cut(self) -> None:
        if self._server is not None:
            self._server.close()
        for end in self._ends:
            end.transport.abort()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        self._ends.add(writer)
        try:
            far_reader, far_writer = await asyncio.open_connection(*self._to)
            self._ends.add(far_writer)
            await asyncio.gather(_pump(reader, far_writer), _pump(far_reader, writer))
            self._ends.discard(far_writer)
        except OSError:
            writer.transport.abort()
        self._ends.discard(writer)


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    writer.close()
