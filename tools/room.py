"""A player at the full screen: tables are found, sat down at, opened and left, one after another.

Law: it brings the node, the network, the screen and the computer players together, and clears up
after them. It decides nothing; what a person does comes from the screen (`House`), what happens
goes to it.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Final

from node.code import BadCode, new_code, read_code
from node.discovery_listing import Listed
from node.errors import NodeError, TurnedAway
from node.finding import Target, find
from node.habits import Habits
from node.interfaces import reachable_addresses, scan
from node.invitation import BadPlace, Invitation, Place, invite, parse_target
from node.language import ENGLISH, Language
from node.lobby import Offer
from node.notices import BackInLobby, LobbyChanged, NotSent, SessionEvent, Started
from node.screen.list_desk import Sit
from node.screen.lobby_app import ScreenLobby
from node.screen.lobby_house import CodeWanted
from node.screen.lobby_room import Invited
from node.screen.lobby_setup import Plan
from node.session import Session
from node.sitting import Manner
from node.unfinished import Unfinished, first_choice, unfinished
from protocol.group import default_group
from protocol.messages import Role, TableCard
from tools import settings
from tools.bots import CODE, Bots
from tools.errors import ExitCode
from tools.host import announced, listen_address, open_door
from tools.output import Output
from tools.person import known_players, load_identity, own_folder, player_name
from tools.table import Company, Doorway

if TYPE_CHECKING:
    from node.discovery import Browser

TIMEOUT: Final = 3.0
"""Seconds to wait for a door."""
SEARCH: Final = 3.0
"""Seconds to look for a table by its name."""


def at_the_screen(
    args: argparse.Namespace,
    out: Output,
    screen: ScreenLobby,
    start: Callable[[Home], Session] | None = None,
    *,
    sit: str | None = None,
    watches: bool = False,
) -> int:
    """Stay until the player leaves: at the table that `start` sits down at, else at the list of
    tables, where `sit` is tried at once. FileError, NodeError, UsageError."""
    home = Home(args, screen)
    resume = home.unfinished(out.speech) if start is None and sit is None else ""
    begin = None if start is None else lambda: start(home)
    coded = bool(_given(args))
    try:
        stayed = screen.run_house(
            home, home.name, begin, resume=resume, watches=watches, coded=coded, sit=sit or ""
        )
    finally:
        home.close()
        for log in home.logs:
            out.line(out.t("The log: {path}").format(path=log))
    if not stayed and home.seated:
        out.line(out.t("You leave the table."))
    return ExitCode.FINE


def _given(args: argparse.Namespace) -> str:
    """The code that was given with the command, or in BUSSO_CODE; "" without one."""
    flag: str = getattr(args, "code", None) or ""
    return flag or os.environ.get(CODE, "")


class Home:
    """This player, and the table that it sits at, if any: the House of a screen."""

    def __init__(self, args: argparse.Namespace, screen: ScreenLobby) -> None:
        """Load the key, which may ask for a passphrase, the name and the habits. FileError,
        UsageError, UnusableFile."""
        self.name = player_name(args.name)
        self._habits = settings.load().habits()
        self.logs: list[Path] = []
        """The logs of the matches that were played to the end."""
        self.seated = False
        """Whether there was a table at all."""
        self._args = args
        self._screen = screen
        self._identity = load_identity()
        self._known = known_players()
        self._found: Unfinished | None = None
        self._stack = ExitStack()
        self._session: Session | None = None
        self._doorway: Doorway | None = None
        self._company: Company | None = None
        self._update: list[Callable[[], None]] = []
        self._browser: Browser | None = None
        self._looking: threading.Thread | None = None
        self._told = threading.Condition()
        self._tables: tuple[Listed, ...] = ()

    @property
    def habits(self) -> Habits:
        """What the player wants of a new table, as it is set."""
        return self._habits

    # -- finding tables ---------------------------------------------------------------------------

    def unfinished(self, language: Language = ENGLISH) -> str:
        """Which match could be taken up again; "" if there is none."""
        from tools.resume import describe  # noqa: PLC0415  # it imports this module's neighbours

        self._found = first_choice(unfinished(own_folder(), self._identity))
        return describe(self._found, language) if self._found is not None else ""

    def watch_tables(self, show: Callable[[Sequence[Listed]], None]) -> None:
        """Look for tables from now on, on a thread of its own: what it needs is slow to import."""

        def seen(tables: tuple[Listed, ...]) -> None:
            with self._told:
                self._tables = tables
                self._told.notify_all()
            show(tables)

        def look() -> None:
            from node.discovery import Browser  # noqa: PLC0415  # zeroconf is slow to import

            browser = Browser(seen, iface=self._args.iface)
            try:
                browser.start()
            except NodeError as error:
                self._screen.ended(error)
            else:
                self._browser = browser

        self._looking = threading.Thread(target=look, name="busso-look", daemon=True)
        self._looking.start()

    def _target(self, sit: Sit) -> Target:
        """What was meant: a table of the list, an invitation, a place, a table's or host's name."""
        if isinstance(sit.target, Listed):
            return sit.target
        text = sit.target
        spelled = bool(set(text) & set(".:[]"))
        target: Invitation | Place | None = None
        try:
            target = parse_target(text)
        except BadPlace:
            listed = None if spelled else self._named(text)
            if listed is None:
                raise
            return listed
        if isinstance(target, Invitation) or spelled:
            return target
        return self._named(text) or target

    def _named(self, name: str) -> Listed | None:
        """The one table of that name, or of a host of that name, if the network shows it soon."""
        wanted = name.casefold()

        def named() -> list[Listed]:
            tables = self._tables
            found = [table for table in tables if table.name.casefold() == wanted]
            return found or [table for table in tables if table.host.casefold() == wanted]

        until = time.monotonic() + SEARCH
        with self._told:
            while not named() and (left := until - time.monotonic()) > 0:
                self._told.wait(left)
            found = named()
        return found[0] if len(found) == 1 else None

    # -- sitting down -----------------------------------------------------------------------------

    def sit_down(self, sit: Sit) -> Session:
        """Take a seat, or watch. CodeWanted, NodeError."""
        target = self._target(sit)
        card, host = find(target, TIMEOUT)
        port = target.places[0].port if isinstance(target, Invitation) else target.port
        code = self._code(card, sit, target)
        session = self._new_session()
        role = Role.WATCH if sit.watch else Role.SEAT
        try:
            session.join(card, host, role=role, code=code, door=port)
        except TurnedAway as error:
            if card.code:
                raise CodeWanted(sit, str(error)) from error
            raise
        self._play(session, Doorway(host, port, code))
        return session

    def _code(self, card: TableCard, sit: Sit, target: Target) -> str:
        """The table's code: typed, from the invitation, the flag or BUSSO_CODE. CodeWanted."""
        if not card.code:
            return ""
        invited = target.code if isinstance(target, Invitation) else ""
        given = sit.code or invited or _given(self._args)
        if not given:
            raise CodeWanted(sit)
        try:
            return read_code(given)
        except BadCode as error:
            raise CodeWanted(sit, str(error)) from error

    def open_table(self, plan: Plan) -> Session:
        """Open a table that the network is shown. NodeError."""
        return self.host(plan.offer, plan.bots, new_code() if plan.code else "")

    def host(self, offer: Offer, bots: int = 0, code: str = "") -> Session:
        """Open a table, and bring computer players along. OptionError, NodeError."""
        args = self._args
        session = self._new_session()
        address, local = listen_address(args.iface)
        port = open_door(session, offer, address, getattr(args, "port", 0), code)
        last = self._stack.enter_context(ExitStack())  # guests hear the goodbye before the network
        self._play(session, Doorway(local, port, code))
        if not getattr(args, "hidden", False):
            door = (port, args.iface)
            last.enter_context(announced(session, offer, door, self._update, self._note))
        if bots:
            try:
                self.bring(bots)
            except BaseException:
                self.leave()
                raise
        return session

    def resume(self) -> Session:
        """Go back to the unfinished match. NodeError, FileError."""
        if self._found is None:
            self.unfinished()
        if self._found is None:
            raise NodeError("There is no match to take up again.")
        return self.take_up(self._found)

    def take_up(self, match: Unfinished, at: Place | None = None) -> Session:
        """Play a match on; look for the others at `at` too. NodeError, FileError."""
        session = self._new_session()
        door = session.resume(match)
        if at is not None:
            session.visit(at.host, at.port)
        self._play(session, Doorway("127.0.0.1", door))
        return session

    def _note(self, text: str) -> None:
        self._screen.on_event(NotSent(text))

    def _new_session(self) -> Session:
        session = Session(
            self._identity,
            self.name,
            own_folder(),
            group=default_group(),
            chooser=self._screen,
            on_event=self._on_event,
            manner=Manner(eager=False),
            stay=True,
            known=self._known,
        )
        self._screen.attend(session)
        return session

    def _on_event(self, event: SessionEvent) -> None:
        """On the session's thread."""
        if isinstance(event, LobbyChanged | Started | BackInLobby):
            for update in self._update:
                update()
        if isinstance(event, BackInLobby):
            self.logs.append(event.log)
        self._screen.on_event(event)

    def _play(self, session: Session, doorway: Doorway) -> None:
        """Run the session on a thread of its own; be ready to bring computer players."""
        folder = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="busso-bots-"))
        bots = self._stack.enter_context(Bots(Path(folder), code=doorway.code))
        self._company = Company(bots, session, doorway, self._args, self._on_event)
        self._session, self._doorway, self.seated = session, doorway, True

        def run() -> None:
            try:
                session.run()
            except Exception as error:  # shown, or raised again, on the interface's thread
                if session is self._session:
                    self._screen.ended(error)
            else:
                self._screen.ended(None)

        thread = threading.Thread(target=run, name="busso-session", daemon=True)
        thread.start()
        self._stack.callback(thread.join)
        self._stack.callback(session.stop)

    # -- at the table -----------------------------------------------------------------------------

    def bring(self, count: int) -> int:
        """Bring so many computer players to the table, or as many as it has seats for."""
        return self._company(count) if self._company is not None else 0

    def invite(self) -> Invited:
        """How others get here. BadInvitation."""
        session, doorway = self._session, self._doorway
        if session is None or doorway is None:
            raise NodeError("There is no table here.")
        view = session.lobby
        code = view.code if view is not None else ""
        addresses = reachable_addresses(scan(self._args.iface))
        invitation = invite(session.card, addresses, doorway.port, code)
        places = tuple(str(place) for place in invitation.places)
        return Invited(str(invitation), places, code)

    def leave(self) -> None:
        """Leave the table, if any."""
        self._session = None
        self._update.clear()
        self._stack.close()
        self._company = self._doorway = None

    def close(self) -> None:
        """Leave, and look for tables no more."""
        self.leave()
        if self._looking is not None:
            self._looking.join()
        if self._browser is not None:
            self._browser.stop()
