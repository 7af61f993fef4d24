"""The full screen of one seat at a table that is played by a session.

Law: a GridApp that decides nothing: what it has heard goes through `hearing`, what is seen through
`paint`, what a key means through `desk`. What is slow to import comes after the first screen. A
session's thread calls `on_event`, `decide` and `ended`; all else happens on the thread of `run`.

The bell rings once when a choice becomes due, unless its owner wants none, and never otherwise.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyPressEvent
from prompt_toolkit.output import Output

from node.language import following
from node.screen.cells import Grid
from node.screen.desk import Dialog, Do, Effect, Key, Say, Ui, Wish, begin, notice, press
from node.screen.grid_app import GridApp
from node.screen.paint import paint, paint_waiting, settled
from node.screen.theme import Theme
from node.screen.view import TableView

if TYPE_CHECKING:
    from node.screen.hearing import Hearing
    from node.session import Session
    from node.waiting import Absent
    from protocol.table_events import YourMove

_ALONE: Final = frozenset({"none", "pass", "good"})
"""Words that are said without asking where the rules leave no other."""


@dataclass(frozen=True, slots=True)
class _Over:
    """The session has ended, with what it raised."""

    error: Exception | None


class ScreenTable(GridApp):
    """The interface of one seat on a terminal; as PlainTable for a session, and in `run`.

    `rng` is for advice; `source` and `sink` are the terminal, by default the process's own; without
    `bell` it is silent.
    """

    def __init__(
        self,
        theme: Theme,
        language: str,
        rng: random.Random,
        *,
        source: Input | None = None,
        sink: Output | None = None,
        bell: bool = True,
    ) -> None:
        super().__init__(theme, source=source, sink=sink)
        self._bell = bell
        self._rng = rng
        self._session: Session | None = None
        self._starting: Callable[[], Session] | None = None
        self._hearing: Hearing | None = None
        self.decisions = 0
        """How many choices have been asked for."""
        self._view: TableView | None = None
        self._ui = Ui(language=language)
        self._over: _Over | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._thinking: asyncio.Task[None] | None = None
        self._clock: asyncio.Task[None] | None = None
        self._deadline: float | None = None

    # -- on the session's thread ----------------------------------------------------------------

    def on_event(self, event: object) -> None:
        """Keep a notice, with what this seat sees of the game after it."""
        if self._hearing is None:
            from node.screen.hearing import Hearing  # noqa: PLC0415  # slow, and not for a start

            self._hearing = Hearing()
        self._hearing.hear(event)
        self._wake()

    def missing(self, absent: Absent, session: Session) -> None:
        """The event itself says that somebody is missing."""

    def decide(self, decision: YourMove, session: Session) -> None:
        """The event itself says that a choice is due."""

    def ended(self, error: Exception | None) -> None:
        """The session is over."""
        self._over = _Over(error)
        self._wake()

    def _wake(self) -> None:
        loop = self._loop
        if loop is not None:
            with contextlib.suppress(RuntimeError):  # it has just been closed
                loop.call_soon_threadsafe(self._read)

    # -- on the interface's thread ----------------------------------------------------------------

    def run(self, session: Session) -> None:
        """Show and ask until the session ends. Left: the player leaves; raises what ended it."""
        asyncio.run(self.run_async(session))

    def run_from(self, start: Callable[[], Session]) -> bool:
        """The same with a session that `start` makes and runs, called on another thread once the
        first screen is there; what it raises is raised here. Whether the player stayed to the end.
        """

        async def both() -> None:
            self._starting = start
            await self.run_async(None)

        try:
            asyncio.run(both())
        except Exception as error:
            from node.plain import Left  # noqa: PLC0415  # as in _leave

            if isinstance(error, Left):
                return False
            raise
        return True

    def show(self, view: TableView) -> None:
        """Show a table that no session plays, as a bench or a lesson has it."""
        self._view = view
        self._ui = begin(view, self._ui)
        self._redraw()

    async def run_async(self, session: Session | None) -> None:
        """The same as a coroutine; without a session there is what `show` shows."""
        self._session = session
        await self._run_app()

    def failed(self, error: Exception) -> None:
        """A bug of ours ends the screen and is raised by `run`."""
        self.ended(error)

    def _begin(self) -> None:
        super()._begin()
        loop = asyncio.get_running_loop()
        self._read()
        if self._starting is not None:
            self._tasks.add(loop.create_task(self._start(self._starting)))

    async def _start(self, start: Callable[[], Session]) -> None:
        app = self._app
        while app is not None and app.render_counter == 0:
            await asyncio.sleep(0)
        try:
            self._session = await asyncio.to_thread(start)
        except Exception as error:  # raised again by `run_from`
            self.ended(error)

    def paint(self, columns: int, rows: int) -> Grid:
        """The grid for a window of that size; painted once for the same values."""
        self._size = (columns, rows)
        wanted = (self._view, self._ui, columns, rows)
        if self._painted != wanted:
            if self._view is None:
                self._grid = paint_waiting(columns, rows, self._theme, self._ui.language)
            else:
                self._grid = paint(self._view, columns, rows, self._theme, self._ui)
            self._painted = wanted
        return self._grid

    # -- notices --------------------------------------------------------------------------------

    def _read(self) -> None:
        """Take in all notices that wait, then look at the table once."""
        if self._over is not None and self._over.error is not None and self.running is not None:
            self.running.exit(exception=self._over.error)
            return
        hearing = self._hearing
        if hearing is not None:
            before = hearing.memory
            news = hearing.read()
            self.decisions += news.decision
            if news.started:
                self._ui = replace(self._ui, seen=0)
            if news.refused is not None:
                self._ui = notice(self._ui, news.refused)
            if news.waiting:
                self._count_down(news.left)
            if hearing.memory is not before:
                self._look(news.decision)

    def _count_down(self, left: float | None) -> None:
        """Begin, or end, to show how long the table still waits for somebody."""
        if self._clock is not None:
            self._clock.cancel()
            self._clock = None
        self._deadline = None
        if left is not None and self._loop is not None:
            self._deadline = self._loop.time() + left
            self._clock = self._loop.create_task(self._tick())

    async def _tick(self) -> None:
        while self._seconds():
            await asyncio.sleep(1)
            self._look(decision=False)

    def _seconds(self) -> int | None:
        """What is left of the countdown."""
        if self._deadline is None or self._loop is None:
            return None
        return max(0, math.ceil(self._deadline - self._loop.time()))

    def _look(self, decision: bool) -> None:
        hearing = self._hearing
        if hearing is None:
            return
        was_due = self._view is not None and self._view.deciding
        view = hearing.memory.look(can_chat=self._session is not None, seconds=self._seconds())
        self._view = view
        self.looked()
        if view is not None and decision and view.deciding:
            self._ui = begin(view, self._ui)
            if self._says_alone(view):
                return
            if self._bell and not was_due and self._app is not None:
                self._app.output.bell()
        self._redraw()

    def _says_alone(self, view: TableView) -> bool:
        """Say what has to be said without asking, where it is the only thing."""
        items = view.choices.items
        if len(items) != 1 or items[0].word not in _ALONE:
            return False
        self._effect(Do(items[0].move))
        return True

    def looked(self) -> None:
        """The view is a new one; for whoever wants to know."""

    @property
    def view(self) -> TableView | None:
        """What is seen, None before the match has begun."""
        return self._view

    @property
    def ui(self) -> Ui:
        """Where the reader stands."""
        return self._ui

    # -- keys -----------------------------------------------------------------------------------

    def _pasted(self, event: KeyPressEvent) -> object:
        """A paste is text for a line that is being written, and nothing else."""
        if self._ui.dialog is not Dialog.CHAT:
            return NotImplemented
        for character in event.data:
            self.key(Key.SPACE if character in " \r\n\t" else character)
        return None

    def key(self, name: str) -> object:
        """A key; NotImplemented where nothing changes, so that nothing is drawn."""
        view = self._view
        if view is None or (self._over is not None and self._ui.dialog is Dialog.NONE):
            if name in (Key.LEAVE, Key.INTERRUPT, Key.ENTER, Key.ESCAPE) and not self._result_open(
                view
            ):
                self._leave()
            if view is None:
                return self._key_before(name)
        ui, effect = press(view, self._ui, name)
        if self._size is not None:
            ui = settled(view, *self._size, self._theme, ui)
        changed = ui != self._ui
        self._ui = ui
        if effect is not None:
            self._effect(effect)
        return None if changed and self._differs() else NotImplemented

    def _result_open(self, view: TableView | None) -> bool:
        return (
            view is not None
            and view.story.result is not None
            and (view.story.result.hand > self._ui.seen)
        )

    def _key_before(self, name: str) -> object:
        """A key before there is a table to see."""
        if name != Key.LANGUAGE:
            return NotImplemented
        self._ui = replace(self._ui, language=following(self._ui.language))
        return None

    def _effect(self, effect: Effect) -> None:
        session = self._session
        if isinstance(effect, Do) and session is not None:
            hearing = self._hearing
            session.choose(effect.move, hearing.decision if hearing else None)
            self._remember(asked=False)
        elif isinstance(effect, Say) and session is not None:
            session.say(effect.text)
        elif effect in (Wish.GO_ON, Wish.WAIT) and session is not None:
            (session.go_on if effect is Wish.GO_ON else session.wait)()
            self._remember(question=())
        elif effect is Wish.ABANDON and session is not None:
            session.abandon()
        elif effect is Wish.LEAVE:
            self._leave()
        elif effect is Wish.ADVICE and self._loop is not None and self._thinking is None:
            self._thinking = self._loop.create_task(self._advise())

    def _remember(self, **changes: Any) -> None:
        """Something the reader did is known before it comes back as a notice."""
        if self._hearing is not None:
            self._hearing.memory = replace(self._hearing.memory, **changes)
            self._look(decision=False)

    def _leave(self) -> None:
        if self.running is not None:
            finished = self._view is not None and self._view.result is not None
            if finished or (self._over is not None and self._over.error is None):
                self.running.exit()
            else:
                from node.plain import Left  # noqa: PLC0415  # slow, and only for the end

                self.running.exit(exception=Left())

    async def _advise(self) -> None:
        """Find an advice on another thread, and show it unless the decision has passed."""
        view = self._view
        try:
            if view is None or not view.deciding:
                return
            rng = random.Random(self._rng.getrandbits(64))
            from node.screen.advice import advise  # noqa: PLC0415  # slow, and rarely asked for

            found = await asyncio.to_thread(advise, view.state, view.me, rng)
            if self._view is not None and self._view.state is view.state:
                self._ui = notice(self._ui, found)
                self._redraw()
        finally:
            self._thinking = None
