"""A person at a terminal that is no terminal, from the list of tables on; the tables are real.

Law: meshes on the loopback, other players are nodes of this process (`tests.node.lobbies`); only
the network's announcements are missing: the list is what the test says.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path

from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.input.base import PipeInput

from node.discovery_listing import Listed, Way
from node.door import find_table
from node.errors import NodeError, TurnedAway
from node.finding import find
from node.habits import NO_HABITS, Habits
from node.plain import Left
from node.screen.list_desk import Sit
from node.screen.lobby_app import ScreenLobby, Where
from node.screen.lobby_house import CodeWanted
from node.screen.lobby_room import Invited, Room
from node.screen.lobby_setup import Plan
from node.screen.theme import ThemeName, theme
from node.session import Session
from node.sitting import Manner
from protocol.announce import Phase
from protocol.group import default_group
from protocol.identity import Identity, fingerprint
from protocol.messages import Role
from tests.node.lobbies import LOOPBACK, Node
from tests.node.screen.terminal import PATIENCE, Person, Watched


class WatchedLobby(Watched, ScreenLobby):
    """A screen that tells when it has taken in a key or a notice."""


class Visitor(Person):
    """Somebody who looks for a table."""

    def __init__(self, pipe: PipeInput, columns: int, rows: int, code: str) -> None:
        super().__init__(pipe, columns, rows, theme(ThemeName.DARK), code)
        self.lobby = WatchedLobby(
            theme(ThemeName.DARK), code, self.table._rng, source=pipe, sink=self.sink
        )
        self.table = self.lobby

    async def sees(self, *texts: str) -> str:
        """Wait until all these stand on the screen; what stands there."""
        await self.until(lambda: all(text in self.shows() for text in texts))
        return self.shows()

    async def at(self, where: Where) -> None:
        """Wait for a page."""
        await self.until(lambda: self.lobby.where is where)

    async def room(self, test: Callable[[Room], object]) -> Room:
        """Wait until what was heard passes a test."""
        await self.until(lambda: bool(test(self.lobby.room)))
        return self.lobby.room


def listed(port: int) -> Listed:
    """The table behind a door as a list has it."""
    card, _ = find_table(LOOPBACK, port, 10)
    return Listed(
        card.name,
        "Ada",
        card.game,
        "",
        card.seats,
        card.free,
        Phase.LOBBY,
        card.code,
        (LOOPBACK,),
        port,
        fingerprint(card.key),
        card.key,
        card.table,
        0.001,
        Way.UDP,
    )


class Street:
    """A House whose tables are at doors of this process."""

    def __init__(self, folder: Path, visitor: Visitor) -> None:
        self._folder = folder
        self._visitor = visitor
        self._show: Callable[[Sequence[Listed]], None] = lambda _: None
        self.nodes: list[Node] = []
        self.session: Session | None = None
        self.port = 0
        self.sits: list[Sit] = []
        self.left = 0
        self.slow = False
        """Whether computer players take their time to come."""
        self.coming: list[str] = []
        self._thread: threading.Thread | None = None

    # -- what a test does ---------------------------------------------------------------------

    def node(self, name: str, *, eager: bool = False) -> Node:
        """Another player."""
        node = Node(self._folder, name, manner=Manner(eager=eager))
        self.nodes.append(node)
        return node

    def show(self, *tables: Listed) -> None:
        """The network shows these tables now."""
        self._show(tables)

    def close(self) -> None:
        """Everybody goes."""
        self.leave()
        for node in self.nodes:
            with suppress(Exception):
                node.stop()

    # -- the House --------------------------------------------------------------------------------

    def watch_tables(self, show: Callable[[Sequence[Listed]], None]) -> None:
        self._show = show

    def sit_down(self, sit: Sit) -> Session:
        self.sits.append(sit)
        if isinstance(sit.target, str):
            raise NodeError("That is neither an address nor the name of a computer.")
        card, host = find(sit.target, 10)
        if card.code and not sit.code:
            raise CodeWanted(sit)
        session = self._session()
        role = Role.WATCH if sit.watch else Role.SEAT
        try:
            session.join(
                card, host, address=LOOPBACK, role=role, code=sit.code, door=sit.target.port
            )
        except TurnedAway as error:
            raise CodeWanted(sit, str(error)) from error
        return self._run(session)

    @property
    def habits(self) -> Habits:
        return NO_HABITS

    def open_table(self, plan: Plan) -> Session:
        session = self._session()
        self.port = session.host(plan.offer, address=LOOPBACK)
        return self._run(session)

    def resume(self) -> Session:
        raise NodeError("There is no match to take up again.")

    def leave(self) -> None:
        self.left += 1
        if self.session is not None and self._thread is not None:
            self.session.stop()
            self._thread.join(PATIENCE)
        self.session = None

    def bring(self, count: int) -> int:
        """Whatever is asked for, but no more than there are seats."""
        view = self.session.lobby if self.session is not None else None
        coming = min(count, view.free - len(self.coming)) if view is not None else 0
        for number in range(coming):
            name = f"Bot {len(self.nodes) + number + 1}"
            if self.slow:
                self.coming.append(name)
            else:
                self.node(name, eager=True).join(self.port)
        return coming

    def invite(self) -> Invited:
        if not self.port:
            raise NodeError("Only the host can invite.")
        return Invited("busso1-0c381hg-rg4z9k2-ab3cd4e", (f"{LOOPBACK}:{self.port}",))

    def _session(self) -> Session:
        return Session(
            Identity.generate(),
            "Vera",
            self._folder / "vera",
            group=default_group(),
            chooser=self._visitor.lobby,
            on_event=self._visitor.lobby.on_event,
            manner=Manner(eager=False),
            stay=True,
        )

    def _run(self, session: Session) -> Session:
        def run() -> None:
            try:
                session.run()
            except Exception as error:  # shown by the screen
                if session is self.session:
                    self._visitor.lobby.ended(error)

        self.session = session
        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()
        return session


Script = Callable[[Visitor, Street], Awaitable[None]]


async def _visit(visitor: Visitor, street: Street, script: Script, watches: bool, sit: str) -> None:
    visitor.lobby.visit(street, "Vera", watches=watches, sit=sit)
    screen = asyncio.create_task(visitor.lobby.run_async(None))
    await visitor.settle()
    try:
        await script(visitor, street)
    finally:
        if not screen.done() and (app := visitor.lobby.running) is not None:
            app.exit(exception=Left())
        await asyncio.wait({screen}, timeout=PATIENCE)
    error = screen.exception()
    if error is not None and not isinstance(error, Left):
        raise error


def in_the_street(
    folder: Path,
    script: Script,
    *,
    size: tuple[int, int] = (80, 24),
    code: str = "en",
    watches: bool = False,
    sit: str = "",
) -> None:
    """Look for a table and follow `script`."""
    with create_pipe_input() as pipe:
        visitor = Visitor(pipe, *size, code)
        street = Street(folder, visitor)
        try:
            asyncio.run(_visit(visitor, street, script, watches, sit))
        finally:
            street.close()
