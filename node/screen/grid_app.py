"""A grid of cells at a terminal: prompt_toolkit draws what a subclass paints and reads its keys.

Law: with its subclasses this is all that knows a terminal; it knows no card. A subclass paints a
Grid for a size and takes keys by name. Nothing is sent to the terminal while nothing changes: a
grid that is like the one that is shown causes no redraw.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Final

from prompt_toolkit.application import Application
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Layout, UIContent, UIControl, Window
from prompt_toolkit.output import Output

from node.screen.cells import Grid
from node.screen.desk import Key
from node.screen.theme import Role, Theme

ESCAPE_WAIT: Final = 0.03
"""Seconds after which an Escape that nothing follows is the key itself."""
_KEYS: Final = {
    Keys.Left: Key.LEFT,
    Keys.Right: Key.RIGHT,
    Keys.Up: Key.UP,
    Keys.Down: Key.DOWN,
    Keys.ControlM: Key.ENTER,
    Keys.ControlI: Key.TAB,
    Keys.Escape: Key.ESCAPE,
    Keys.ControlH: Key.BACKSPACE,
    Keys.PageUp: Key.PAGE_UP,
    Keys.PageDown: Key.PAGE_DOWN,
    Keys.F1: Key.HELP,
    Keys.F2: Key.RULES,
    Keys.F3: Key.CHAT,
    Keys.F4: Key.LOG,
    Keys.F5: Key.ADVICE,
    Keys.F9: Key.LANGUAGE,
    Keys.F10: Key.LEAVE,
    Keys.ControlC: Key.INTERRUPT,
}


class Screen(UIControl):
    """A control that shows what `painter` paints for the size of the window."""

    def __init__(self, painter: Callable[[int, int], Grid], theme: Theme) -> None:
        self._painter = painter
        self._styles = tuple(theme.look(role).style for role in Role)

    def create_content(self, width: int, height: int) -> UIContent:
        """The grid as lines of prompt_toolkit."""
        grid = self._painter(width, height)
        styles = self._styles

        def line(y: int) -> StyleAndTextTuples:
            return [(styles[role], text) for text, role in grid.runs(y)]

        return UIContent(get_line=line, line_count=grid.height, show_cursor=False)

    def is_focusable(self) -> bool:
        """It takes the keys."""
        return True


class GridApp(ABC):
    """A full screen. `source` and `sink` are the terminal, by default the process's own."""

    def __init__(
        self, theme: Theme, *, source: Input | None = None, sink: Output | None = None
    ) -> None:
        self._theme = theme
        self._source = source
        self._sink = sink
        self._app: Application[None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._size: tuple[int, int] | None = None
        self._painted: tuple[object, ...] = ()
        self._grid = Grid(0, 0)

    @abstractmethod
    def paint(self, columns: int, rows: int) -> Grid:
        """The grid for a window of that size, which becomes `_size`; it is kept as `_grid`."""

    @abstractmethod
    def key(self, name: str) -> object:
        """A key; NotImplemented where nothing changes, so that nothing is drawn."""

    def failed(self, error: Exception) -> None:
        """A bug of ours ends the screen and is raised where it runs: nobody reads it here."""
        if self.running is not None:
            self.running.exit(exception=error)

    def _begin(self) -> None:
        """What is done when the screen begins to run."""
        self._loop = asyncio.get_running_loop()

    async def _run_app(self) -> None:
        asyncio.get_running_loop().set_exception_handler(self._unexpected)
        await self._application().run_async(
            pre_run=self._begin, handle_sigint=False, set_exception_handler=False
        )

    def _unexpected(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, Exception):
            self.failed(error)

    def _application(self) -> Application[None]:
        control = Screen(self.paint, self._theme)
        app: Application[None] = Application(
            layout=Layout(Window(control, always_hide_cursor=True)),
            key_bindings=self._bindings(),
            full_screen=True,
            input=self._source,
            output=self._sink,
            mouse_support=False,
        )
        app.timeoutlen = ESCAPE_WAIT
        app.ttimeoutlen = ESCAPE_WAIT
        self._app = app
        return app

    @property
    def running(self) -> Application[None] | None:
        """The application while it runs."""
        return self._app if self._app is not None and self._app.is_running else None

    def _redraw(self) -> None:
        if self.running is not None and self._differs():
            self.running.invalidate()

    def _differs(self) -> bool:
        """Whether anything on the screen would be another than now; painted once for both."""
        shown = self._grid
        size = self._size
        return size is None or self.paint(*size) != shown

    # -- keys -----------------------------------------------------------------------------------

    def _bindings(self) -> KeyBindings:
        bindings = KeyBindings()
        for key, name in _KEYS.items():
            bindings.add(key, eager=key is not Keys.Escape)(self._handler(name))
        bindings.add(Keys.Any)(self._character)
        bindings.add(Keys.BracketedPaste)(self._pasted)
        return bindings

    def _handler(self, name: Key) -> Callable[[KeyPressEvent], object]:
        def handle(_: KeyPressEvent) -> object:
            return self.key(name)

        return handle

    def _character(self, event: KeyPressEvent) -> object:
        return self.key(Key.SPACE if event.data == " " else event.data)

    def _pasted(self, event: KeyPressEvent) -> object:
        """A paste is text: nothing where no line is being written."""
        return NotImplemented
