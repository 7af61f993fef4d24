"""A learner at a terminal that is no terminal: keys go in by a pipe, what is drawn goes to pyte."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator

from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.input.base import PipeInput

from node.screen.lesson_app import ScreenLesson
from node.screen.theme import ThemeName, theme
from tests.node.screen.learner import MAX_KEYS
from tests.node.screen.terminal import PATIENCE, Viewer, Watching


class WatchedLesson(Watching, ScreenLesson):
    """A screen that tells when it has taken in a key."""


class Learner(Viewer[WatchedLesson]):
    """Somebody who learns."""

    def __init__(self, pipe: PipeInput, columns: int, rows: int, code: str) -> None:
        super().__init__(pipe, columns, rows)
        look = theme(ThemeName.DARK)
        self.table = WatchedLesson(look, code, "Tina", source=pipe, sink=self.sink)

    async def follow(self, keys: Iterator[str]) -> None:
        """Press keys that are made from what each led to."""
        for count, key in enumerate(keys):
            assert count < MAX_KEYS, "the keys lead nowhere"
            await self.press(key)

    async def leaves(self) -> None:
        """Wait until the screen has ended."""
        await self.until(lambda: self.table.running is None)


Script = Callable[[Learner], Awaitable[None]]


def at_a_lesson(
    script: Script, game: str = "", *, size: tuple[int, int] = (80, 24), code: str = "en"
) -> None:
    """Sit down at the lesson of a game, or before the list, and follow `script`."""
    with create_pipe_input() as pipe:

        async def run() -> None:
            learner = Learner(pipe, *size, code)
            if game:
                learner.table.begin_alone(game)
            screen = asyncio.create_task(learner.table.run_async())
            await learner.settle()
            try:
                await script(learner)
            finally:
                app = learner.table.running
                if app is not None and not screen.done():
                    app.exit()
                await asyncio.wait({screen}, timeout=PATIENCE)
            await screen

        asyncio.run(run())
