"""The full screen from the list of tables to the end of a match, and back into the lobby.

Law: a ScreenTable that has pages before its table. It decides nothing: what is heard goes through
`Room`, what a key means through the page's `press`, what has to be done to the House or the
session. Whatever takes long runs on another thread while the screen goes on.

    LIST  --sit down-->  LOBBY  --all have signed-->  TABLE  --put away-->  LOBBY ...
      |                    ^
      +--> FORM --open-----+
"""

from __future__ import annotations

import asyncio
import queue
import random
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from enum import Enum
from typing import TYPE_CHECKING, Any

from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyPressEvent
from prompt_toolkit.output import Output

from engine.errors import EngineError, OutOfTurn
from node.discovery_listing import Listed
from node.errors import NodeError, NodeFailed
from node.notices import BackInLobby, SessionEvent, Started
from node.screen import list_desk, lobby_room, lobby_setup
from node.screen.app import ScreenTable
from node.screen.cells import Grid, cut, width
from node.screen.desk import Dialog, Key, open_dialog
from node.screen.list_desk import ListUi, Sit, Tables
from node.screen.list_paint import paint_list
from node.screen.lobby_house import CodeWanted, House
from node.screen.lobby_page import Over
from node.screen.lobby_paint import paint_lobby
from node.screen.lobby_room import Ask, Entry, Remove, Room, RoomUi, Speak, Told
from node.screen.lobby_setup import Form, FormUi, Plan
from node.screen.lobby_setup_paint import paint_setup
from node.screen.theme import Role, Theme
from protocol.errors import LocalProtocolError, ProtocolError

if TYPE_CHECKING:
    from node.session import Session

_BUGS = (NodeFailed, LocalProtocolError, OutOfTurn)
"""Of the layers' errors those that are bugs of ours: they end the screen."""
_ANSWERS = (Key.ENTER, Key.ESCAPE, Key.LEAVE, Key.INTERRUPT)
"""Keys that put away a match that is over."""


class Where(Enum):
    """The page that is shown."""

    LIST = "list"
    FORM = "form"
    LOBBY = "lobby"
    TABLE = "table"


class ScreenLobby(ScreenTable):
    """The interface of one player, from wherever `run_house` begins. `name` is the player's."""

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
        super().__init__(theme, language, rng, source=source, sink=sink, bell=bell)
        self._house: House | None = None
        self._where = Where.LOBBY
        self._from_list = False
        self._back = False
        self._bringing = asyncio.Lock()
        self._news: queue.SimpleQueue[SessionEvent | tuple[Listed, ...]] = queue.SimpleQueue()
        self._tables = Tables()
        self._list_ui = ListUi(language=language)
        self._form = Form("")
        self._form_ui = FormUi(language=language)
        self._room = Room()
        self._room_ui = RoomUi(language=language)

    # -- from other threads -----------------------------------------------------------------------

    def on_event(self, event: Any) -> None:
        """Keep a notice, for the lobby and for the table."""
        self._news.put(event)
        super().on_event(event)

    def attend(self, session: Session) -> None:
        """The session that keys go to from now on, even while it is only about to sit down."""
        self._session = session

    def _on_tables(self, tables: Sequence[Listed]) -> None:
        self._news.put(tuple(tables))
        self._wake()

    # -- beginning --------------------------------------------------------------------------------

    def run_house(
        self,
        house: House,
        name: str,
        start: Callable[[], Session] | None = None,
        *,
        resume: str = "",
        watches: bool = False,
        coded: bool = False,
        sit: str = "",
    ) -> bool:
        """Show the list of tables, or with `start` the table that it sits down at (on another
        thread, once the first screen is there). Whether the player stayed until the session's end.

        `resume` tells of an unfinished match, `watches` that the player only looks on, `coded`
        that a code was given; `sit` is what was typed to sit down at, tried at once. Raises what
        `start` raises, or what ended the session.
        """
        listing = start is None
        self.visit(
            house, name, listing=listing, resume=resume, watches=watches, coded=coded, sit=sit
        )
        if start is not None:
            return self.run_from(start)
        from node.plain import Left  # noqa: PLC0415  # slow, and only for the end

        try:
            asyncio.run(self.run_async(None))
        except Left:
            return False
        return True

    def visit(
        self,
        house: House,
        name: str,
        *,
        listing: bool = True,
        resume: str = "",
        watches: bool = False,
        coded: bool = False,
        sit: str = "",
    ) -> None:
        """Be ready to run: with `listing` at the list of tables. The rest as in `run_house`."""
        self._house = house
        self._tables = Tables(you=name, resume=resume, watches=watches, coded=coded)
        self._form = lobby_setup.begin(name, house.habits)
        if listing:
            self._where, self._from_list = Where.LIST, True
        if sit:
            focus = list_desk.Spot.LINE
            self._list_ui = replace(self._list_ui, line=sit, focus=focus, busy=True)

    def _begin(self) -> None:
        super()._begin()
        house = self._house
        if self._where is not Where.LIST or house is None:
            return
        house.watch_tables(self._on_tables)
        if self._list_ui.busy:
            sit = Sit(self._list_ui.line, self._tables.watches)
            self._soon(self._enter(lambda: house.sit_down(sit)))

    def _run_here(self) -> bool:
        from node.plain import Left  # noqa: PLC0415  # slow, and only for the end

        try:
            asyncio.run(self.run_async(None))
        except Left:
            return False
        return True

    # -- what is shown ----------------------------------------------------------------------------

    @property
    def where(self) -> Where:
        """The page that is shown."""
        return self._where

    @property
    def room(self) -> Room:
        """What has been heard in the lobby."""
        return self._room

    def paint(self, columns: int, rows: int) -> Grid:
        """The grid of the page for a window of that size; painted once for the same values."""
        if self._where is Where.TABLE:
            grid = super().paint(columns, rows)
            if self._back:
                self._say_back(grid)
            return grid
        self._size = (columns, rows)
        match self._where:
            case Where.LIST:
                wanted: tuple[object, ...] = (self._tables, self._list_ui)
            case Where.FORM:
                wanted = (self._form, self._form_ui)
            case _:
                wanted = (self._room, self._room_ui)
        wanted = (self._where, *wanted, columns, rows)
        if self._painted != wanted:
            self._grid = self._paint_page(columns, rows)
            self._painted = wanted
        return self._grid

    def _paint_page(self, columns: int, rows: int) -> Grid:
        match self._where:
            case Where.LIST:
                return paint_list(self._tables, columns, rows, self._theme, self._list_ui)
            case Where.FORM:
                return paint_setup(self._form, columns, rows, self._theme, self._form_ui)
        return paint_lobby(self._room, columns, rows, self._theme, self._room_ui)

    def _say_back(self, grid: Grid) -> None:
        """The way back into the lobby, on the line of hints; the same however often it is said."""
        from node.language import language  # noqa: PLC0415  # beside its only use
        from node.screen.paint import fits  # noqa: PLC0415  # as above

        if not fits(grid.width, grid.height) or self._covered():
            return
        text = language(self._ui.language).text("The match is over. Enter: back to the lobby")
        text = cut(text, grid.width - 2)
        grid.put(0, grid.height - 2, " " * grid.width, Role.TEXT)
        grid.put((grid.width - width(text)) // 2, grid.height - 2, text, Role.STRONG)

    def _covered(self) -> bool:
        """Whether something lies over the table that has to be put away first."""
        view = self._view
        return view is not None and open_dialog(view, self._ui) is not Dialog.NONE

    def _go(self, where: Where) -> None:
        self._where = where
        self._painted = ()
        self.looked()
        self._redraw()

    # -- notices ----------------------------------------------------------------------------------

    def _read(self) -> None:
        """Take in what waits for the pages, then what waits for the table."""
        while True:
            try:
                item = self._news.get_nowait()
            except queue.Empty:
                break
            self._take(item)
        over = self._over
        error = over.error if over is not None else None
        if self._from_list and isinstance(error, NodeError) and not isinstance(error, _BUGS):
            self._to_list(error)
            return
        super()._read()
        self.looked()
        self._redraw()

    def _take(self, item: SessionEvent | tuple[Listed, ...]) -> None:
        if isinstance(item, tuple):
            self._tables = self._tables.seen(item)
            return
        self._room = self._room.heard(item)
        if isinstance(item, Started):
            self._back = False
            self._room_ui = replace(self._room_ui, over=Over.NONE, line="")
            self._where, self._painted = Where.TABLE, ()
        elif isinstance(item, BackInLobby):
            self._back = True
            self._painted = ()

    def _to_list(self, error: NodeError) -> None:
        """The table is gone: back to the list, with the reason."""
        self._over = self._session = None
        self._hearing = self._view = None
        self._room, self._back = Room(), False
        if self._house is not None:
            self._soon(self._away(self._house))
        self._list_ui = list_desk.told(self._list_ui, str(error))
        self._go(Where.LIST)

    async def _away(self, house: House) -> None:
        await asyncio.to_thread(house.leave)

    # -- keys -------------------------------------------------------------------------------------

    def key(self, name: str) -> object:
        """A key; NotImplemented where nothing changes, so that nothing is drawn."""
        if self._where is Where.TABLE:
            if self._back and name in _ANSWERS and not self._covered():
                self._go(Where.LOBBY)
                return None
            return super().key(name)
        before = self._ui.language
        match self._where:
            case Where.LIST:
                self._list_ui, wanted = list_desk.press(self._tables, self._list_ui, name)
                self._speak(self._list_ui.language, before)
                self._do_in_list(wanted)
            case Where.FORM:
                self._form, self._form_ui, meant = lobby_setup.press(
                    self._form, self._form_ui, name
                )
                self._speak(self._form_ui.language, before)
                self._do_in_form(meant)
            case _:
                self._room_ui, effect = lobby_room.press(self._room, self._room_ui, name)
                self._speak(self._room_ui.language, before)
                self._do_in_lobby(effect)
        return None if self._differs() else NotImplemented

    def _speak(self, code: str, before: str) -> None:
        """The language of one page is that of all."""
        if code != before:
            self._ui = replace(self._ui, language=code)
            self._list_ui = replace(self._list_ui, language=code)
            self._form_ui = replace(self._form_ui, language=code)
            self._room_ui = replace(self._room_ui, language=code)

    def _leave(self) -> None:
        """Leave the page: a match that is over for its lobby, anything else for good."""
        if self._where is Where.TABLE and self._back:
            self._go(Where.LOBBY)
        elif self._over is not None:
            super()._leave()
        elif self.running is not None:
            from node.plain import Left  # noqa: PLC0415  # slow, and only for the end

            self.running.exit(exception=Left())

    def _pasted(self, event: KeyPressEvent) -> object:
        """A paste is text for a line, and nothing else."""
        if self._where is Where.TABLE:
            return super()._pasted(event)
        if self._where is Where.LIST:
            self._list_ui = list_desk.pasted(self._list_ui, event.data)
            return None if self._differs() else NotImplemented
        if self._where is Where.LOBBY and self._room_ui.over is Over.CHAT:
            for character in event.data:
                self.key(Key.SPACE if character in " \r\n\t" else character)
            return None
        return NotImplemented

    # -- what has to be done ----------------------------------------------------------------------

    def _soon(self, work: Coroutine[Any, Any, None]) -> None:
        """Do something while the screen goes on."""
        if self._loop is None:
            work.close()
            return
        task = self._loop.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and isinstance(error := task.exception(), Exception):
            self.ended(error)  # a bug of ours: `run_house` raises it

    def _do_in_list(self, wanted: list_desk.Effect | None) -> None:
        house = self._house
        if wanted is list_desk.Want.LEAVE:
            self._leave()
        elif wanted is list_desk.Want.OPEN:
            self._form_ui = replace(self._form_ui, over=Over.NONE, busy=False)
            self._go(Where.FORM)
        elif wanted is list_desk.Want.RESUME and house is not None:
            self._soon(self._enter(house.resume))
        elif isinstance(wanted, Sit) and house is not None:
            sit = wanted
            self._soon(self._enter(lambda: house.sit_down(sit)))

    async def _enter(self, start: Callable[[], Session]) -> None:
        """Sit down on another thread; say on the page what came in the way."""
        try:
            self._session = await asyncio.to_thread(start)
        except CodeWanted as error:
            self._session = None
            self._list_ui = list_desk.ask(self._list_ui, error.sit, str(error))
        except (NodeError, EngineError, ProtocolError) as error:
            self._session = None
            if isinstance(error, _BUGS):
                raise
            if self._where is Where.FORM:
                self._form_ui = lobby_setup.told(self._form_ui, str(error))
            else:
                self._list_ui = list_desk.told(self._list_ui, str(error))
        else:
            self._list_ui = replace(self._list_ui, busy=False, asking=None, line="")
            self._form_ui = replace(self._form_ui, busy=False)
            if self._where is not Where.TABLE:  # where a resumed match is at once
                self._where = Where.LOBBY
        self._go(self._where)

    def _do_in_form(self, meant: lobby_setup.Effect | None) -> None:
        house = self._house
        if meant is lobby_setup.Want.BACK:
            self._go(Where.LIST)
        elif meant is lobby_setup.Want.LEAVE:
            self._leave()
        elif isinstance(meant, Plan) and house is not None:
            plan = meant
            self._soon(self._enter(lambda: house.open_table(plan)))

    def _do_in_lobby(self, effect: lobby_room.Effect | None) -> None:
        session, house, view = self._session, self._house, self._room.view
        if effect is Ask.LEAVE:
            self._leave()
        elif effect is Ask.HEED:
            self._room = replace(self._room, warned=self._room.warned[1:])
        elif session is None or house is None:
            return
        elif effect in (Ask.READY, Ask.UNREADY):
            session.ready(effect is Ask.READY)
        elif isinstance(effect, Speak):
            session.say(effect.text)
        elif isinstance(effect, Remove):
            session.remove(effect.key)
        elif effect is Ask.INVITE:
            self._soon(self._invite(house))
        elif effect in (Ask.BOT, Ask.START) and view is not None and view.free:
            count = view.free if effect is Ask.START else 1
            self._soon(self._bring(house, session, count, ready=effect is Ask.START))

    async def _bring(self, house: House, session: Session, count: int, *, ready: bool) -> None:
        try:
            async with self._bringing:
                coming = await asyncio.to_thread(house.bring, count)
        except (NodeError, OSError) as error:
            self._room = self._room.add(Entry(Told.NOTE, text=str(error)))
        else:
            if coming:  # it is a while until they are there
                self._room = self._room.add(Entry(Told.COMING, text=str(coming)))
            elif not ready:
                self._room = self._room.add(Entry(Told.ALL_COMING))
            if ready:
                session.ready(True)
        self._go(self._where)

    async def _invite(self, house: House) -> None:
        try:
            invited = await asyncio.to_thread(house.invite)
        except NodeError as error:
            self._room_ui = replace(self._room_ui, over=Over.NOTICE, notice=str(error), scroll=0)
        else:
            self._room_ui = replace(self._room_ui, over=Over.INVITE, invited=invited)
        self._go(self._where)
