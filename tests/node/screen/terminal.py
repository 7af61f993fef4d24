"""A person at a terminal that is no terminal: keys go in by a pipe, what is drawn goes to pyte.

Law: the match is a real one, of tables in this process without sockets (`Ring`); the other seats
play as computer players do. What the person sees is what the terminal shows, never the view.
"""

from __future__ import annotations

import asyncio
import io
import queue
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Generic, TypeVar

import pyte
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.input.base import PipeInput
from prompt_toolkit.output import ColorDepth
from prompt_toolkit.output.vt100 import Vt100_Output

from engine.contract import Move
from node.notices import Started
from node.plain import Left
from node.screen.app import ScreenTable
from node.screen.grid_app import GridApp
from node.screen.theme import Theme, ThemeName, theme
from protocol.table import Event, Outgoing, YourMove
from tests.protocol.ring import Ring

PATIENCE = 60.0
KEYS = {
    "right": "\x1b[C",
    "left": "\x1b[D",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "enter": "\r",
    "escape": "\x1b",
    "tab": "\t",
    "f1": "\x1bOP",
    "f2": "\x1bOQ",
    "f3": "\x1bOR",
    "f4": "\x1bOS",
    "f5": "\x1b[15~",
    "f9": "\x1b[20~",
    "f10": "\x1b[21~",
    "pageup": "\x1b[5~",
    "pagedown": "\x1b[6~",
    "space": " ",
}


class Paper(io.StringIO):
    """What a terminal is sent."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class Watching(GridApp):
    """A screen that tells when it has taken in a key."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.changed = asyncio.Event()
        self.keys = 0

    def key(self, name: str) -> object:
        self.keys += 1
        self.changed.set()
        return super().key(name)  # type: ignore[safe-super]  # mixed into a screen that has it


class Watched(Watching, ScreenTable):
    """The same for a table: it tells of notices too."""

    def looked(self) -> None:
        self.changed.set()


W = TypeVar("W", bound=Watching)


class Viewer(Generic[W]):
    """Somebody at a screen: keys, and what stands there. Whoever derives from it gives `table`."""

    table: W

    def __init__(self, pipe: PipeInput, columns: int, rows: int) -> None:
        self.paper = Paper()
        self.size = Size(rows=rows, columns=columns)
        self.sink = Vt100_Output(
            self.paper,
            lambda: self.size,
            term="xterm-256color",
            default_color_depth=ColorDepth.DEPTH_24_BIT,
            enable_cpr=False,
        )
        self.pipe = pipe
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self.screen)
        self._read = 0

    def sent(self) -> str:
        """What came since the last time; the terminal has it now."""
        text = self.paper.getvalue()[self._read :]
        self._read += len(text)
        self._stream.feed(text)
        return text

    def shows(self) -> str:
        """The lines of the terminal."""
        self.sent()
        return "\n".join(line.rstrip() for line in self.screen.display)

    async def press(self, *keys: str) -> str:
        """Press keys and let them be drawn; what was sent for them."""
        self.sent()
        for key in keys:
            taken = self.table.keys
            self.pipe.send_text(KEYS.get(key, key))
            await self.until(partial(self._has_taken, taken + 1))
        return self.sent()

    def _has_taken(self, keys: int) -> bool:
        return self.table.keys >= keys

    async def resize(self, columns: int, rows: int) -> None:
        """Drag the window's corner."""
        self.sent()
        self.size = Size(rows=rows, columns=columns)
        self.screen.resize(rows, columns)
        app = self.table.running
        if app is not None:
            app._on_resize()
        await self.settle()
        self.sent()

    async def settle(self) -> None:
        """Let what is due on the loop be done, and what is to be drawn be drawn."""
        for _ in range(12):
            await asyncio.sleep(0)
        async with asyncio.timeout(PATIENCE):
            while (app := self.table.running) is not None and app.invalidated:
                await asyncio.sleep(0)

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something to be seen."""
        async with asyncio.timeout(PATIENCE):
            while not condition():
                self.table.changed.clear()
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.table.changed.wait(), 0.05)
        await self.settle()


class Person(Viewer[Watched]):
    """Somebody at a table."""

    def __init__(self, pipe: PipeInput, columns: int, rows: int, look: Theme, code: str) -> None:
        super().__init__(pipe, columns, rows)
        self.table = Watched(look, code, Random(3), source=pipe, sink=self.sink)

    def has_decided(self, before: int) -> bool:
        """Whether another choice than the `before`-th is due."""
        return self.table.decisions > before


class Seat:
    """A session as the screen needs one: the tables run on a thread of their own."""

    def __init__(self, ring: Ring, me: int, person: Person, log: Path) -> None:
        self._ring = ring
        self.me = me
        self._person = person
        self._log = log
        self._answers: queue.SimpleQueue[Move | None] = queue.SimpleQueue()
        self.chosen: list[Move] = []
        self.said: list[str] = []
        self.held = False
        self.decision: YourMove | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        ring.on_event = self._event
        ring.chooser = self._choose

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Let the thread end, whatever it waits for."""
        self._answers.put(None)
        self._thread.join(PATIENCE)

    def choose(self, move: Move, decision: YourMove | None = None) -> None:
        """What the screen chose; it goes no further while `held`."""
        self.chosen.append(move)
        self.decision = decision
        if not self.held:
            self._answers.put(move)

    def say(self, text: str) -> None:
        self.said.append(text)

    def go_on(self) -> None:
        self.said.append("(go on)")

    def wait(self) -> None:
        self.said.append("(wait)")

    def _event(self, seat: int, event: Event) -> None:
        if seat == self.me and not isinstance(event, Outgoing):
            self._person.table.on_event(event)

    def _choose(self, seat: int, event: YourMove) -> Move | None:
        if seat != self.me:
            return None
        move = self._answers.get()
        if move is None:
            raise _Over
        return move

    def _run(self) -> None:
        table = self._person.table
        table.on_event(Started(self._ring.tables[self.me], self.me, self._log))
        try:
            self._ring.run()
        except _Over:
            table.ended(Left())
        except Exception as error:  # raised again where the screen runs
            table.ended(error)
        else:
            table.ended(None)


class _Over(Exception):
    """The test needs no more of the match."""


async def _session(
    ring: Ring, script: Callable[[Person, Seat], Awaitable[None]], person: Person, log: Path
) -> None:
    seat = Seat(ring, 0, person, log)
    session: Any = seat
    screen = asyncio.create_task(person.table.run_async(session))
    await person.settle()
    try:
        seat.start()
        await script(person, seat)
    finally:
        if not screen.done():
            person.table.ended(Left())
        await asyncio.wait({screen}, timeout=PATIENCE)
        seat.stop()
        error = screen.exception()
    if error is not None and not isinstance(error, Left):
        raise error


def at_the_screen(
    folder: Path,
    script: Callable[[Person, Seat], Awaitable[None]],
    *,
    game: str = "petrangola",
    seats: int = 2,
    size: tuple[int, int] = (80, 24),
    code: str = "en",
    look: ThemeName = ThemeName.DARK,
) -> None:
    """Sit down at seat 0 of a match of one hand and follow `script`."""
    ring = Ring(folder, seats, game=game, hands=1)
    try:
        with create_pipe_input() as pipe:

            async def run() -> None:
                person = Person(pipe, *size, theme(look), code)
                await _session(ring, script, person, folder / "match.busso")

            asyncio.run(run())
    finally:
        ring.close()
