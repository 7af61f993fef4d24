"""The tables of the network as a list, and what keys do in it.

Law: pure. The list keeps the order in which tables appeared, and the focus keeps to its table:
nothing moves under a finger. What is typed goes into the line at the bottom: an address, an
invitation, or a code that a table asks for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from node.discovery_listing import Listed
from node.language import following
from node.screen.desk import Key
from node.screen.lobby_page import SCROLLS, Over, edited, scrolled

MAX_TARGET: Final = 512
"""Characters of an invitation or an address."""
LETTERS: Final = {"h": Key.HELP, "?": Key.HELP, "l": Key.LANGUAGE, "q": Key.LEAVE}
"""For keyboards and terminals without function keys, where nothing is typed."""
Id = tuple[str, bytes]


class Spot(Enum):
    """What can be reached besides the tables."""

    RESUME = "resume"
    OPEN = "open"
    LINE = "line"


Focus = Spot | Id


@dataclass(frozen=True, slots=True)
class Tables:
    """The list. `resume` tells of an unfinished match, "" if there is none; `you` is the name;
    `watches`: whoever sits down here only wants to watch; `coded`: a code was given beforehand,
    so that none is asked for unless the door wants another."""

    you: str = ""
    tables: tuple[Listed, ...] = ()
    resume: str = ""
    watches: bool = False
    coded: bool = False

    def seen(self, tables: Sequence[Listed]) -> Tables:
        """The list after another look at the network."""
        now = {table_id(table): table for table in tables}
        kept = [now.pop(table_id(old)) for old in self.tables if table_id(old) in now]
        return replace(self, tables=(*kept, *now.values()))


def table_id(table: Listed) -> Id:
    """What tells a table from all others."""
    return table.fingerprint, table.table


@dataclass(frozen=True, slots=True)
class ListUi:
    """Where the reader stands. `asking` is the target whose code is typed, None if none is asked
    for; `busy`: a door is being called; `notice` is a sentence, as it was said in English."""

    language: str = "en"
    focus: Focus | None = None
    line: str = ""
    asking: Sit | None = None
    busy: bool = False
    over: Over = Over.NONE
    scroll: int = 0
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Sit:
    """Sit down at `target`, or watch there; `code` as it was typed."""

    target: Listed | str
    watch: bool = False
    code: str = ""


class Want(Enum):
    """Effects without a value."""

    RESUME = "resume"
    OPEN = "open"
    LEAVE = "leave"


Effect = Sit | Want


def spots(tables: Tables) -> tuple[Focus, ...]:
    """Everything that can be reached, from the top."""
    first: tuple[Focus, ...] = (Spot.RESUME,) if tables.resume else ()
    return (*first, *map(table_id, tables.tables), Spot.OPEN, Spot.LINE)


def focus_of(tables: Tables, ui: ListUi) -> Focus:
    """Where the focus is: on the first thing until it was moved, or if its table has gone."""
    found = spots(tables)
    return ui.focus if ui.focus in found else found[0]


def table_of(tables: Tables, focus: Focus) -> Listed | None:
    """The table in focus."""
    return next((table for table in tables.tables if table_id(table) == focus), None)


def press(tables: Tables, ui: ListUi, key: str) -> tuple[ListUi, Effect | None]:
    """What `key` leads to."""
    if key == Key.INTERRUPT:
        return ui, Want.LEAVE
    if ui.asking is None and focus_of(tables, ui) is not Spot.LINE:
        key = LETTERS.get(key, key)
    if key == Key.LANGUAGE:
        return replace(ui, language=following(ui.language)), None
    if ui.over is not Over.NONE:
        return _in_box(ui, key)
    if key == Key.LEAVE:
        return ui, Want.LEAVE
    if key == Key.HELP:
        return replace(ui, over=Over.HELP, scroll=0), None
    if ui.busy:
        return ui, None
    if ui.asking is not None:
        return _code(ui, ui.asking, key)
    return _walk(tables, ui, key)


def _in_box(ui: ListUi, key: str) -> tuple[ListUi, Effect | None]:
    if key in SCROLLS:
        return replace(ui, scroll=scrolled(ui.scroll, key)), None
    if key == Key.LEAVE and ui.over is not Over.HELP:
        return ui, Want.LEAVE
    if key in (Key.ENTER, Key.ESCAPE, Key.SPACE, Key.HELP, Key.LEAVE):
        return replace(ui, over=Over.NONE, notice=""), None
    return ui, None


def _code(ui: ListUi, asking: Sit, key: str) -> tuple[ListUi, Effect | None]:
    """A key while a code is typed."""
    if key == Key.ESCAPE:
        return replace(ui, asking=None, line=""), None
    if key == Key.ENTER:
        text = ui.line.strip()
        if not text:
            return ui, None
        return replace(ui, busy=True), replace(asking, code=text)
    return replace(ui, line=edited(ui.line, key, 40)), None


def _walk(tables: Tables, ui: ListUi, key: str) -> tuple[ListUi, Effect | None]:
    found = spots(tables)
    here = focus_of(tables, ui)
    at = found.index(here)
    if key in (Key.UP, Key.DOWN, Key.TAB):
        step = -1 if key == Key.UP else 1
        return replace(ui, focus=found[(at + step) % len(found)]), None
    if key == Key.ENTER:
        return _enter(tables, ui, here, watch=tables.watches)
    if here is Spot.LINE:
        if key == Key.ESCAPE:
            return replace(ui, line="", focus=found[0]), None
        return replace(ui, line=edited(ui.line, key, MAX_TARGET), focus=here), None
    table = table_of(tables, here)
    if key.lower() in ("w", "g") and table is not None:
        return _enter(tables, ui, here, watch=True)
    if key.lower() == "n":
        return ui, Want.OPEN
    if len(key) == 1 and key in "123456789" and int(key) <= len(tables.tables):
        return replace(ui, focus=table_id(tables.tables[int(key) - 1])), None
    return ui, None


def _enter(tables: Tables, ui: ListUi, here: Focus, *, watch: bool) -> tuple[ListUi, Effect | None]:
    ui = replace(ui, focus=here)
    if here is Spot.RESUME:
        return replace(ui, busy=True), Want.RESUME
    if here is Spot.OPEN:
        return ui, Want.OPEN
    if here is Spot.LINE:
        text = ui.line.strip()
        return (replace(ui, busy=True), Sit(text, watch)) if text else (ui, None)
    table = table_of(tables, here)
    if table is None:
        return ui, None
    sit = Sit(table, watch or not table.open)
    if table.code and not tables.coded:
        return ask(ui, sit), None
    return replace(ui, busy=True), sit


def ask(ui: ListUi, sit: Sit, notice: str = "") -> ListUi:
    """Ask for the code of a table."""
    over = Over.NOTICE if notice else Over.NONE
    return replace(ui, asking=sit, line="", busy=False, notice=notice, over=over, scroll=0)


def told(ui: ListUi, notice: str) -> ListUi:
    """Tell why nothing came of it."""
    return replace(ui, busy=False, notice=notice, over=Over.NOTICE, scroll=0)


def pasted(ui: ListUi, text: str) -> ListUi:
    """A paste is an address or an invitation, wherever the focus is; or the code asked for."""
    if ui.over is not Over.NONE or ui.busy:
        return ui
    for character in " ".join(text.split()):
        key = Key.SPACE if character == " " else character
        ui = replace(ui, line=edited(ui.line, key, MAX_TARGET))
    return ui if ui.asking is not None else replace(ui, focus=Spot.LINE)
