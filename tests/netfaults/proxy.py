"""A TCP proxy on the loopback that does to a connection what networks do.

Law: it forwards octets between whoever connects to it and one address, late, slowly, one way only
or not at all, as its faults say at that moment; it must never know what they mean. It runs on a
thread of its own, so meshes on both sides are real.

The proxy connects from an address at which nobody listens, so that no mesh finds its way around it
by calling back where a connection came from.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import TracebackType

SOURCE = "127.0.0.9"


@dataclass(frozen=True, slots=True)
class Faults:
    """Seconds, octets a second (0: any); `there` and `back` are the two directions.

    A direction that isn't open is a black hole: what was sent is neither lost nor delivered until
    it opens again, and nobody is told. `answers` False makes half a connection: it is accepted, and
    nobody is behind it.
    """

    delay: float = 0.0
    jitter: float = 0.0
    rate: float = 0.0
    there: bool = True
    back: bool = True
    answers: bool = True


class Proxy:
    """Listens on `port` of 127.0.0.1 and forwards to `target`."""

    def __init__(self, target: tuple[str, int], seed: int = 1, faults: Faults | None = None):
        self.port = 0
        self.connections = 0
        self._target = target
        self._random = random.Random(seed)
        self._faults = faults or Faults()
        self._changed = asyncio.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy", daemon=True)
        self._server: asyncio.Server | None = None
        self._ends: set[asyncio.StreamWriter] = set()
        self._visits: set[asyncio.Task[None]] = set()

    def __enter__(self) -> Proxy:
        self._thread.start()
        self.accept()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._do(self._close)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    # What a test does.

    def set(self, **changes: float | bool) -> None:
        """From now on the faults are these."""

        async def change() -> None:
            self._faults = replace(self._faults, **changes)  # type: ignore[arg-type]  # by its fields
            self._changed.set()
            self._changed = asyncio.Event()

        self._do(change)

    def reset(self) -> None:
        """Break every connection; new ones may be made at once."""
        self._do(self._reset)

    def refuse(self) -> None:
        """Break every connection and refuse new ones."""
        self._do(self._refuse)

    def accept(self) -> None:
        """Take new connections (again), on the same port."""
        self._do(self._accept)

    # What the loop does.

    def _do(self, work: Callable[[], object]) -> None:
        async def run() -> None:
            result = work()
            if asyncio.iscoroutine(result):
                await result

        asyncio.run_coroutine_threadsafe(run(), self._loop).result(30)

    async def _accept(self) -> None:
        self._server = await asyncio.start_server(self._visit, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _refuse(self) -> None:
        if self._server is not None:
            self._server.close()
            self._server = None
        await self._reset()

    async def _reset(self) -> None:
        for end in list(self._ends):
            end.transport.abort()
        for visit in list(self._visits):
            visit.cancel()
        await asyncio.gather(*self._visits, return_exceptions=True)

    async def _close(self) -> None:
        await self._refuse()

    async def _visit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is None:
            return
        self._visits.add(task)
        self._ends.add(writer)
        self.connections += 1
        try:
            await self._serve(reader, writer)
        except (OSError, asyncio.CancelledError):
            pass  # cut, by either side or by the test
        finally:
            writer.transport.abort()
            self._ends.discard(writer)
            self._visits.discard(task)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._faults.answers:
            await self._until(lambda f: f.answers)
        far_reader, far_writer = await asyncio.open_connection(
            *self._target, local_addr=(SOURCE, 0)
        )
        self._ends.add(far_writer)
        pumps = [
            asyncio.ensure_future(self._pump(reader, far_writer, "there")),
            asyncio.ensure_future(self._pump(far_reader, writer, "back")),
        ]
        try:
            await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for pump in pumps:
                pump.cancel()
            await asyncio.gather(*pumps, return_exceptions=True)
            far_writer.transport.abort()
            self._ends.discard(far_writer)

    async def _pump(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, way: str
    ) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(16_384):
                faults = self._faults
                wait = faults.delay + self._random.random() * faults.jitter
                if faults.rate:
                    wait += len(data) / faults.rate
                if wait:
                    await asyncio.sleep(wait)
                await self._until(lambda f: bool(getattr(f, way)))
                writer.write(data)
                await writer.drain()

    async def _until(self, test: Callable[[Faults], bool]) -> None:
        while not test(self._faults):
            await self._changed.wait()
