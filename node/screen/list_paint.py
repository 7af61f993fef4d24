"""The list of tables painted.

Law: pure: the tables and a size become a grid. Names are a stranger's and are cleaned here.

    ► 1 Cucina        Ada         Petrangola marche     2 of 4 free    1.5 ms
      2 Terrazza      Carla       Traversone ciapano    a match is on  3.0 ms
        Open a table of your own
        Address or invitation: 192.168.1.5:28776_
"""

from __future__ import annotations

from typing import Final

from engine import registry
from engine.errors import EngineError
from node.discovery_listing import Listed
from node.language import Language
from node.screen.cells import Grid, clean, cut, fill, width
from node.screen.list_desk import ListUi, Spot, Tables, focus_of, table_id
from node.screen.lobby_page import (
    Edges,
    Over,
    Page,
    Rows,
    box,
    finish,
    inner_width,
    keys_table,
    page,
    prose,
    too_small,
    typed_line,
)
from node.screen.paint import SIDE_FROM, WIDE_FROM
from node.screen.scene import Area
from node.screen.theme import Role, Theme
from node.words import spoken
from protocol.announce import Phase

_PING: Final = 8
_WORDS: Final = 20
"""Cells of the three words of a key."""
_DETAIL: Final = 3
"""Rows that tell more of the table in focus."""


def paint_list(tables: Tables, columns: int, rows: int, theme: Theme, ui: ListUi) -> Grid:
    """The screen of `columns` x `rows` cells, in the language of `ui`."""
    p = page(columns, rows, theme, ui.language)
    if p is None:
        return too_small(columns, rows, theme, ui.language)
    _body(p, tables, ui)
    if ui.over is not Over.NONE:
        room = inner_width(p.area)
        title, lines = _help(p, room) if ui.over is Over.HELP else _notice(p, ui, room)
        box(p, p.area, title, lines, scroll=ui.scroll)
    t = p.text
    left = t("Tables of this network")
    right = t("you: {0}").format(clean(tables.you))
    return finish(p, Edges(left, right, _hints(p, tables, ui), t("F1 help F9 language F10 leave")))


def _hints(p: Page, tables: Tables, ui: ListUi) -> list[str]:
    t = p.text
    if ui.over is not Over.NONE:
        return [t("Enter goes on"), t("↑↓ scroll")]
    if ui.busy:
        return [t("Knocking at the door.")]
    if ui.asking is not None:
        enter = t("Enter watches") if ui.asking.watch else t("Enter sits down")
        return [enter, t("Esc goes back")]
    here = focus_of(tables, ui)
    enter = t("Enter sits down")
    if here is Spot.OPEN:
        enter = t("Enter opens one")
    elif here is Spot.RESUME:
        enter = t("Enter goes back to it")
    elif tables.watches:
        enter = t("Enter watches")
    hints = [t("↑↓ choose"), enter]
    if here is Spot.LINE:
        return [*hints, t("Esc clears")]
    if not tables.watches and here not in (Spot.OPEN, Spot.RESUME):
        hints.append(t("w watches"))
    return [*hints, t("n new table")]


# -- rows -----------------------------------------------------------------------------------------


def _body(p: Page, tables: Tables, ui: ListUi) -> None:
    t, grid, area = p.text, p.grid, p.area
    here = focus_of(tables, ui)
    y = area.y + 1
    if tables.resume:
        text = t("Go back to your match: {0}").format(clean(tables.resume))
        _choice(p, y, text, here is Spot.RESUME)
        y += 2
    foot = area.foot(_DETAIL + 4)
    _table_rows(p, Area(0, y, area.width, foot.y - y - 1), tables, ui)
    _choice(p, foot.y, t("Open a table of your own"), here is Spot.OPEN)
    _line(p, foot.y + 1, ui, here is Spot.LINE)
    focused = next((table for table in tables.tables if table_id(table) == here), None)
    if focused is not None:
        for n, (text, role) in enumerate(_detail(p, focused)):
            grid.put(3, foot.y + 3 + n, cut(text, area.width - 4), role)


def _choice(p: Page, y: int, text: str, here: bool) -> None:
    if here:
        p.grid.put(1, y, "►", Role.STRONG)
    p.grid.put(3, y, cut(text, p.area.width - 4), Role.STRONG if here else Role.TEXT)


def _line(p: Page, y: int, ui: ListUi, here: bool) -> None:
    if ui.asking is not None:
        label = p.text("The table's code:")
    else:
        label = p.text("Address or invitation:")
    _choice(p, y, label, here or ui.asking is not None)
    x = 3 + width(label) + 1
    if here or ui.asking is not None:
        p.grid.spans(x, y, typed_line(ui.line, p.area.width - x - 1))
    else:
        p.grid.put(x, y, cut(clean(ui.line), p.area.width - x - 1), Role.DIM)


def _table_rows(p: Page, area: Area, tables: Tables, ui: ListUi) -> None:
    if not tables.tables:
        room = min(72, area.width - 8)
        rows = prose(p.text("No table is to be seen yet. They appear here by themselves."), room)
        rows += [[], *prose(p.text("Are there some? 'busso doctor' finds what hides them."), room)]
        for n, row in enumerate(rows[: area.height]):
            p.grid.spans(5, area.y + n, [(text, Role.DIM) for text, _ in row])
        return
    here = focus_of(tables, ui)
    at = next((n for n, table in enumerate(tables.tables) if table_id(table) == here), 0)
    first = max(0, min(at - area.height // 2, len(tables.tables) - area.height))
    short = area.width < SIDE_FROM
    state = max(width(state_words(p.language, table, short)) for table in tables.tables)
    for n, table in enumerate(tables.tables[first : first + area.height], first):
        _table(p, area.y + n - first, n + 1, table, state, here=table_id(table) == here)
    if first > 0:
        p.grid.put(area.width - 2, area.y, "↑", Role.STRONG)
    if first + area.height < len(tables.tables):
        p.grid.put(area.width - 2, area.bottom - 1, "↓", Role.STRONG)


def _table(p: Page, y: int, number: int, table: Listed, state: int, *, here: bool) -> None:
    """One row, its columns as wide as the window allows; `state` cells tell how full it is."""
    grid, columns = p.grid, p.area.width
    if here:
        grid.put(1, y, "►", Role.STRONG)
    if number <= 9:
        grid.put(3, y, str(number), Role.NUMBER)
    text = _ping(table)
    right = columns - 2
    grid.put(right - width(text), y, text, Role.DIM)
    right -= _PING + 1
    if columns >= WIDE_FROM:
        words = spoken(table.key) if table.key else table.fingerprint[:9]
        right -= _WORDS
        grid.put(right, y, words, Role.DIM)
        right -= 2
    right -= state
    short = columns < SIDE_FROM
    grid.put(right, y, state_words(p.language, table, short), Role.TEXT if table.open else Role.DIM)
    room = right - 6
    name, host = room * 3 // 9, room * 2 // 9
    role = Role.STRONG if here else Role.NAME if table.open else Role.DIM
    x = grid.put(5, y, fill(clean(table.name), name - 1), role) + 1
    x = grid.put(x, y, fill(clean(table.host), host - 1), Role.TEXT) + 1
    game = game_words(table)
    grid.put(x, y, cut(game, room - name - host), Role.TEXT if table.open else Role.DIM)


def _ping(table: Listed) -> str:
    return f"{table.ping * 1_000:.1f} ms" if table.ping is not None else "…"


def game_words(table: Listed) -> str:
    """`Petrangola marche`; a game that this program doesn't know as it is called. Rules that are
    called as their game are its only ones."""
    try:
        title = registry.get(table.game).title
    except EngineError:
        title = clean(table.game)
    return title if table.rules in ("", table.game) else f"{title} {clean(table.rules)}"


def state_words(language: Language, table: Listed, short: bool) -> str:
    """How full a table is, and unless it has to be `short` whether it takes a code."""
    t = language.text
    if table.phase is Phase.PLAYING:
        text = t("a match is on")
    elif not table.open:
        text = t("full")
    else:
        text = t("{0} of {1} free").format(table.free, table.seats)
    return f"{text}, {t('code')}" if table.code and not short else text


def _detail(p: Page, table: Listed) -> list[tuple[str, Role]]:
    """More about the table in focus."""
    t = p.text
    host = clean(table.host)
    lines = [(f"“{clean(table.name)}”: {game_words(table)}", Role.STRONG)]
    if table.key:
        text = t("{0} hosts; three words: {1}").format(host, spoken(table.key))
    else:
        text = t("{0} hosts; key {1}").format(host, table.fingerprint[:9])
    lines.append((text, Role.DIM))
    if table.code:
        lines.append((t("Who wants in needs the table's code."), Role.DIM))
    elif not table.open:
        lines.append((t("No seat is free; you can watch."), Role.DIM))
    return lines


# -- boxes ----------------------------------------------------------------------------------------


def _notice(p: Page, ui: ListUi, room: int) -> tuple[str, Rows]:
    return p.text("Please note"), prose(clean(p.language.retold(ui.notice)), room)


def _help(p: Page, room: int) -> tuple[str, Rows]:
    t = p.text
    keys = (
        ("↑ ↓", t("go through the tables, and to what is under them")),
        ("1-9", t("go to the table with that number")),
        (t("Enter"), t("sit down at the table, or do what the line says")),
        ("w", t("watch: you see the open cards only")),
        ("n", t("open a table of your own")),
        ("F9", t("the other language, at once")),
        ("F10", t("leave")),
    )
    rows = keys_table(p, keys, room)
    text = t(
        "A table that isn't shown can be reached by its address or its invitation: paste it, "
        "or type it into the last line."
    )
    return t("Keys"), [*rows, [], *prose(text, room)]
