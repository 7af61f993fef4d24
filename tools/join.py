"""`busso join` and `busso watch`: sit down at a table of this network, or look on.

Law: from what was typed to one table's card and address; the rest is `tools.table`'s.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import queue
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from node.code import BadCode, read_code
from node.door import find_table
from node.errors import DoorError
from node.invitation import BadInvitation, BadPlace, Invitation, Place, parse_target
from node.language import Language, mark
from node.typed import command
from protocol.messages import Role, TableCard
from tools import settings
from tools.bots import CODE
from tools.errors import CommandError, ExitCode, NetworkFailed, UsageError
from tools.keyboard import Keyboard
from tools.output import Output
from tools.screen import lobby_screen
from tools.table import Doorway, Seat, Teller

if TYPE_CHECKING:
    from node.discovery import Listed

TIMEOUT: Final = 3.0
"""Seconds to wait for a door."""
HELP: Final = mark("the number of one joins it, 'host GAME' opens one, 'q' leaves")
PRESETS_HELP: Final = mark(
    "'presets GAME' tells its house rules, 'host GAME --preset NAME' plays them."
)
OF_A_PERSON: Final = ("name", "iface", "level", "think", "theme", "bell")
"""What was said to `join` holds for a table of one's own too."""
MAX_WORDS: Final = 40
SEARCH: Final = 3.0
"""Seconds to look for a table by its name."""


@dataclass(frozen=True, slots=True)
class Found:
    """A table that answered: its card, the numeric host, its door's port, a code if it is known."""

    card: TableCard
    host: str
    port: int
    code: str = ""


class HostInstead(Exception):  # no error: the player opens a table of its own
    """Nobody's table is wanted; `args` are those of `busso host`."""

    def __init__(self, args: argparse.Namespace) -> None:
        super().__init__()
        self.args_of_host = args


class Gone(Exception):  # no error: the player doesn't want any table
    """Nobody chooses any more."""


def run(args: argparse.Namespace, out: Output) -> int:
    """Join until the table is left. UsageError, NodeError, FileError."""
    return sit_down(args, out, Role.SEAT)


def sit_down(args: argparse.Namespace, out: Output, role: Role) -> int:
    """Find the table, and play or watch there."""
    screen = lobby_screen(args, out)
    if screen is not None:
        from tools.room import at_the_screen  # noqa: PLC0415  # slow, and only for a screen

        return at_the_screen(args, out, screen, sit=args.table, watches=role is Role.WATCH)
    keyboard = Keyboard()
    seat = Seat(args, out, keyboard)
    typed: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    keyboard.to(typed.put)
    keyboard.start()
    try:
        if args.table is None:
            found = at(_choose(args, seat.teller, typed))
        else:
            with out.progress(out.t("looking for the table")):
                found = find(args)
        code = _code(args, found, seat.teller, typed)
    except Gone:
        return ExitCode.FINE
    except HostInstead as wish:
        keyboard.to(None)
        return _host(wish.args_of_host, out, keyboard, typed)
    keyboard.to(None)
    seat.session.join(found.card, found.host, role=role, code=code, door=found.port)
    while not typed.empty():  # typed before the table was there
        seat.lobby.typed(typed.get())
    return seat.play(Doorway(found.host, found.port, code))


def _host(
    args: argparse.Namespace,
    out: Output,
    keyboard: Keyboard,
    typed: queue.SimpleQueue[str | None],
) -> int:
    """Open a table after all."""
    from tools.host import open_table  # noqa: PLC0415  # slow, and for this alone

    while not typed.empty():
        keyboard.back(typed.get())
    return open_table(args, out, keyboard, lambda: None)


def arguments_of_host(
    words: list[str], args: argparse.Namespace, teller: Teller
) -> argparse.Namespace:
    """What `busso host` with these words asks for, where `join` was asked for `args`.
    CommandError, EngineError: such a table can't be; SystemExit: its help was wanted and told."""
    from tools.arguments import make_parser  # noqa: PLC0415  # for this alone
    from tools.help import translate  # noqa: PLC0415  # as above
    from tools.host import offer_of  # noqa: PLC0415  # as above

    own = settings.load()
    said = {name: (getattr(args, name), ()) for name in OF_A_PERSON}
    argv = ["host", *words]

    def say(text: str) -> None:
        for line in text.splitlines():
            teller.say(line)

    parser = make_parser({**own.defaults(os.environ), **said}, argv, say)
    translate(parser, teller.language)
    wanted = parser.understood(argv)
    own.settle(wanted)
    offer_of(wanted)
    return wanted


def find(args: argparse.Namespace) -> Found:
    """The table that was asked for. UsageError, NetworkFailed, DoorError."""
    spelled = " " not in args.table and bool(set(args.table) & set(".:[]"))
    target: Invitation | Place | None = None
    try:
        target = parse_target(args.table)
    except BadInvitation as error:
        raise UsageError(str(error)) from error
    except BadPlace as error:
        if spelled:
            raise UsageError(str(error)) from error
        # a table may be called what no computer is
    if isinstance(target, Invitation):
        return invited(target)
    if target is not None and spelled:
        return place(target)
    listed = _search(args)
    if listed is not None:
        return at(listed)
    if target is None:
        raise NetworkFailed(f"there is no table called '{args.table[:40]}' on this network")
    return place(target)


def place(target: Place) -> Found:
    """The table behind a door. DoorError."""
    card, host = find_table(target.host, target.port, TIMEOUT)
    return Found(card, host, target.port)


def invited(invitation: Invitation) -> Found:
    """The table that an invitation means, at the first of its addresses where it is. DoorError."""
    failure: DoorError | None = None
    for one in invitation.places:
        try:
            card, host = find_table(one.host, one.port, TIMEOUT)
        except DoorError as error:
            failure = failure or error
            continue
        if invitation.matches(card):
            return Found(card, host, one.port, invitation.code)
    if failure is not None:
        raise failure
    raise NetworkFailed("another table is where the invitation leads", "Ask for a new invitation.")


def at(listed: Listed) -> Found:
    """A table of the list: the card must be the one that was announced. DoorError."""
    failure: DoorError | None = None
    for host in listed.addresses:
        try:
            card, numeric = find_table(host, listed.port, TIMEOUT)
        except DoorError as error:
            failure = failure or error
            continue
        same = card.table[: len(listed.table)] == listed.table
        if same and listed.key in (b"", card.key):
            return Found(card, numeric, listed.port)
    if failure is not None:
        raise failure
    raise NetworkFailed(f"the table '{listed.name}' is gone")


def _code(
    args: argparse.Namespace,
    found: Found,
    teller: Teller,
    typed: queue.SimpleQueue[str | None],
) -> str:
    """The table's code: from the flag, the invitation, BUSSO_CODE or the keyboard; "" if it has
    none."""
    if not found.card.code:
        return ""
    given = args.code or found.code or os.environ.get(CODE, "")
    try:
        if given:
            return read_code(given)
        while True:
            teller.prompt(teller.language.text("The table's code:") + " ")
            line = _line(typed)
            if line is None:
                raise Gone
            teller.answered()
            try:
                return read_code(line)
            except BadCode as error:
                teller.say(teller.language.retold(str(error)))
    except BadCode as error:
        raise UsageError(str(error)) from error


def _line(typed: queue.SimpleQueue[str | None]) -> str | None:
    """The next line; a wait without an end can't be interrupted on Windows."""
    while True:
        with contextlib.suppress(queue.Empty):
            return typed.get(timeout=0.2)


def _search(args: argparse.Namespace) -> Listed | None:
    """The table of that name, or of a host of that name, if the network shows one soon.
    UsageError: there are several."""
    from node.discovery import Browser  # noqa: PLC0415  # zeroconf is slow to import
    from tools.tables import pick  # noqa: PLC0415  # with it

    seen: queue.SimpleQueue[Sequence[Listed]] = queue.SimpleQueue()
    until = time.monotonic() + SEARCH
    with Browser(seen.put, iface=args.iface), contextlib.suppress(queue.Empty):
        while (left := until - time.monotonic()) > 0:
            tables = seen.get(timeout=left)
            names = {name.casefold() for table in tables for name in (table.name, table.host)}
            if args.table.casefold() in names:
                return pick(tables, args.table)
    return None


def _choose(
    args: argparse.Namespace, teller: Teller, typed: queue.SimpleQueue[str | None]
) -> Listed:
    """List the tables as they appear until one is chosen by its number. Gone."""
    from node.discovery import Browser  # noqa: PLC0415  # zeroconf is slow to import

    seen: queue.SimpleQueue[Sequence[Listed]] = queue.SimpleQueue()
    board = Board(teller, args)
    teller.tell("Tables of this network; {help}.", help=teller.language.text(HELP))
    teller.say(teller.language.text(PRESETS_HELP))
    with Browser(seen.put, iface=args.iface):
        while True:
            with contextlib.suppress(queue.Empty):
                board.show(seen.get(timeout=0.1))
            while not typed.empty():
                chosen = board.typed(typed.get())
                if chosen is not None:
                    return chosen


class Board:
    """The tables that were listed, each under a number that it keeps."""

    def __init__(self, teller: Teller, args: argparse.Namespace) -> None:
        self._teller = teller
        self._args = args
        self._numbers: dict[tuple[str, bytes], int] = {}
        self._tables: dict[int, Listed] = {}

    def show(self, tables: Sequence[Listed]) -> None:
        """Say what is new or another; numbers of tables that are gone aren't given again."""
        from tools.tables import describe, table_data  # noqa: PLC0415  # zeroconf is slow

        here: dict[int, Listed] = {}
        for table in tables:
            identity = (table.fingerprint, table.table)
            number = self._numbers.setdefault(identity, len(self._numbers) + 1)
            here[number] = table
            old = self._tables.get(number)
            if old is None or _news(old) != _news(table):
                self._teller.say(f"{number:>3}. {describe(table, self._teller.language)}")
        for number in sorted(self._tables.keys() - here.keys()):
            told = self._teller.language.text("{name} is gone")
            self._teller.say(f"{number:>3}. {told.format(name=self._tables[number].name)}")
        self._tables = here
        if self._teller.json:
            data = [
                {"number": number} | one
                for number, one in zip(here, table_data(tables), strict=True)
            ]
            self._teller.data({"event": "tables", "tables": data})

    def typed(self, line: str | None) -> Listed | None:
        """The table that was chosen by its number or name; None if none was yet. Gone: nobody
        wants one; HostInstead: one of one's own is wanted."""
        from tools.tables import pick  # noqa: PLC0415  # zeroconf is slow to import

        if line is None or command(line.strip()) in {"q", "leave"}:
            raise Gone
        text = line.strip()
        if not text:
            return None
        verb, *words = text.split()
        if command(verb) in ("host", "presets"):
            self._own(command(verb), words[:MAX_WORDS])
            return None
        plain = text.isascii() and text.isdigit() and len(text) <= 6
        try:
            if plain and int(text) in self._tables:
                return self._tables[int(text)]
            return pick(() if plain else tuple(self._tables.values()), text)
        except UsageError as error:
            speech = self._teller.language
            self._teller.say(f"{speech.retold(str(error))}: {speech.text(HELP)}.")
            return None

    def _own(self, verb: str, words: list[str]) -> None:
        """Open a table, or tell of house rules; what can't be is told. HostInstead."""
        from engine.errors import EngineError  # noqa: PLC0415  # slow, and for this alone

        speech = self._teller.language
        try:
            if verb == "host":
                raise HostInstead(arguments_of_host(words, self._args, self._teller))
            for line in preset_words(words[0] if words else None, speech):
                self._teller.say(line)
        except (CommandError, EngineError) as error:
            self._teller.say(f"{speech.retold(str(error))}.")
        except SystemExit:  # --help has been said
            return


def preset_words(name: str | None, language: Language) -> list[str]:
    """The house rules that a table of the game may have, the player's own among them.
    CommandError, EngineError."""
    from engine import registry  # noqa: PLC0415  # slow, and for this alone
    from node.habits import preset_lines  # noqa: PLC0415  # with it

    game = registry.get(name or registry.DEFAULT)
    habits = settings.load().habits()
    lines = preset_lines(game, habits.own, habits.preset(game), language=language)
    return [f"{game.title}:", *(f"  {line}" for line in lines)]


def _news(table: Listed) -> Listed:
    """What is worth another line: a ping that varies, or another way, is not."""
    return replace(table, ping=None, ways=type(table.ways)(0), addresses=())
