"""The whole screen as one pure function: a view and a size become a grid of cells.

Law: this file divides the screen and paints its edges: the bar at the top, and at the bottom the
fairness line, which is always there, the keys that do something now, and the function keys. What
is between is painted by its neighbours. It must never know a rule, nor a terminal.

    columns   60 .. 79              80 .. 109             110 ..
    --------  --------------------  --------------------  ---------------------------------
    side      none: F3, F4 show it  26 columns            38 columns
    cards     medium, strips        medium, strips        large from 34 rows on
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from node.language import Language, language
from node.screen import paint_dialog, paint_hand, paint_side, paint_table
from node.screen.cells import Grid, cut, fill, width, wrap
from node.screen.desk import Dialog, Ui, open_dialog, variants
from node.screen.glossary import score_label
from node.screen.scene import Area, Scene, scene
from node.screen.theme import Role, Theme
from node.screen.view import TableView

MIN_WIDTH: Final = 60
MIN_HEIGHT: Final = 20
SIDE_FROM: Final = 80
WIDE_FROM: Final = 110
_SIDE: Final = 26
_WIDE_SIDE: Final = 38
_FOOT: Final = 3
_SHORTEST_CHAT: Final = 12
"""Columns that a line of chat needs beside the hints, where there is no panel for it."""


Top = Callable[[Scene, Area], int]
"""Paints something over a table, from the top of what is between the edges; the rows it took."""


def fits(columns: int, rows: int) -> bool:
    """Whether a table can be painted in such a window."""
    return columns >= MIN_WIDTH and rows >= MIN_HEIGHT


def paint(
    view: TableView,
    columns: int,
    rows: int,
    theme: Theme,
    ui: Ui,
    *,
    top: Top | None = None,
    waiting: str = "",
) -> Grid:
    """The screen of `columns` x `rows` cells, in the language of `ui`.

    `top` paints over the table, which has less room then, and what is open lies over both;
    `waiting` is said where nothing is asked.
    """
    tongue = language(ui.language)
    grid = Grid(columns, rows)
    if not fits(columns, rows):
        say_too_small(grid, tongue)
        return grid if theme.unicode else asciified(grid)
    picture = scene(grid, view, ui, tongue, theme, waiting=waiting)
    side, body = _parts(columns, rows)
    _bar(picture)
    table = body.below(top(picture, Area(0, 1, columns, body.height)) if top else 0)
    paint_table.paint(picture, paint_hand.paint(picture, table))
    if side:
        paint_side.paint(picture, Area(columns - side, table.y, side, table.height))
    _fairness(picture, rows - 3)
    _hints(picture, rows - 2)
    _function_keys(picture, rows - 1)
    paint_dialog.paint(picture, body._replace(width=columns) if top else body, side > 0)
    return grid if theme.unicode else asciified(grid)


def _parts(columns: int, rows: int) -> tuple[int, Area]:
    """The columns of the side panel, and what is left of the window between its edges."""
    side = 0 if columns < SIDE_FROM else _SIDE if columns < WIDE_FROM else _WIDE_SIDE
    return side, Area(0, 1, columns - side, rows - 1 - _FOOT)


def settled(
    view: TableView, columns: int, rows: int, theme: Theme, ui: Ui, *, whole: bool = False
) -> Ui:
    """`ui` scrolled no further than what it shows: paging past an end needs no paging back.

    `whole`: something is painted over the table, so that what is open has the whole width."""
    if not ui.scroll or not fits(columns, rows):
        return ui
    picture = scene(Grid(columns, rows), view, ui, language(ui.language), theme)
    body = _parts(columns, rows)[1]
    last = paint_dialog.furthest(picture, body._replace(width=columns) if whole else body)
    return replace(ui, scroll=min(ui.scroll, last))


def paint_waiting(columns: int, rows: int, theme: Theme, code: str) -> Grid:
    """The screen before the match has begun."""
    tongue = language(code)
    grid = Grid(columns, rows)
    if not fits(columns, rows):
        say_too_small(grid, tongue)
    else:
        lines = (
            (tongue.text("The table is being set."), Role.STRONG),
            (tongue.text("The players sign the rules, then flip a coin for the seats."), Role.DIM),
            (tongue.text("F10 leaves"), Role.DIM),
        )
        for n, (text, role) in enumerate(lines):
            grid.put(max(0, (columns - width(text)) // 2), rows // 2 - 1 + n, text, role)
    return grid if theme.unicode else asciified(grid)


def say_too_small(grid: Grid, tongue: Language) -> None:
    """Paint what a window shows that is too small, as much of it as there is room for."""
    need = tongue.text("This window is too small: {0} columns and {1} rows are needed.")
    way = tongue.text("Make it larger, or leave with F10 and play with --plain.")
    lines = [(line, Role.STRONG) for line in wrap(need.format(MIN_WIDTH, MIN_HEIGHT), grid.width)]
    lines += [(line, Role.TEXT) for line in wrap(way, grid.width)]
    for y, (line, role) in enumerate(lines):
        grid.put(0, y, line, role)


# -- edges ------------------------------------------------------------------------------------


def _bar(s: Scene) -> None:
    """Game, hand, dealer; on the right the pot and the scores."""
    view, t = s.view, s.text
    state = view.state
    s.grid.put(0, 0, " " * s.grid.width, Role.BAR)
    parts = [state.game.title]
    if view.around.title:
        parts[0] += f" “{view.around.title}”"
    if state.hand:
        parts.append(t("hand {0}").format(state.hand))
    if state.dealer >= 0:
        parts.append(t("{0} deals").format(cut(view.seat(state.dealer).name, 14)))
    left = " " + " · ".join(parts)
    end = s.grid.put(0, 0, cut(left, s.grid.width - 1), Role.BAR)
    room = s.grid.width - end - 3
    scores = [
        f"{t('you') if seat.me else cut(seat.name, 10)} {seat.score}"
        for seat in (*view.seats[-1:], *view.seats[:-1])
    ]
    label = score_label(s.language, state.game)
    pot = [t("pot {0}").format(view.pot)] if view.pot is not None else []
    attempts = [
        f"{label}: " + " · ".join(scores) + "".join(f" · {word}" for word in pot),
        " · ".join(scores + pot),
        " · ".join(scores[:1] + pot),
        scores[0],
    ]
    text = next((text for text in attempts if width(text) <= room), "")
    s.right(Area(end, 0, s.grid.width - end - 1, 1), 0, text, Role.BAR)


def _fairness(s: Scene, row: int) -> None:
    fair, t = s.view.around.fairness, s.text
    s.grid.put(0, row, "─" * s.grid.width, Role.RULE)
    done = len(fair.shuffles)
    if fair.warnings:
        mark, role = "!", Role.WARN
        parts = [s.language.count("{n} warning", "{n} warnings", len(fair.warnings))]
        parts.append(t("F4 says who and where"))
    else:
        mark, role = "✓", Role.FAIR
        if fair.sharers and done == fair.sharers:
            parts = [t("deck shuffled by {0}/{1}, proved").format(done, fair.sharers)]
            parts.append(t("cards face down"))
        elif fair.sharers:
            parts = [t("shuffling: {0}/{1} proved").format(done, fair.sharers)]
        else:
            parts = [t("no server, everybody shuffles")]
        parts.append(s.language.count("{n} warning", "{n} warnings", 0))
    parts.append(t("log step {0}").format(fair.step))
    text = ""
    for part in parts:
        longer = f"{text} · {part}" if text else part
        if width(longer) > s.grid.width - 8:
            break
        text = longer
    s.grid.put(2, row, f" {mark} {text} ", role)


def _hints(s: Scene, row: int) -> None:
    """The keys that do something now, what was said last, and the countdown."""
    view = s.view
    dialog = open_dialog(view, s.ui)
    hints = _dialog_hints(s, dialog) if dialog is not Dialog.NONE else _choice_hints(s)
    seconds = view.around.seconds
    clock = "" if seconds is None else f"{seconds // 60}:{seconds % 60:02}"
    room = s.grid.width - 2 - (len(clock) + 2 if clock else 0)
    while len(hints) > 1 and width("  ".join(hints)) > room:
        del hints[-1]
    end = s.grid.put(1, row, cut("  ".join(hints), room), Role.DIM)
    s.right(Area(0, row, s.grid.width - 1, 1), row, clock, Role.STRONG)
    space = room - end - 2
    if s.grid.width < SIDE_FROM and view.around.chat and dialog is not Dialog.CHAT:
        said = view.around.chat[-1]
        if space >= _SHORTEST_CHAT:
            text = cut(f"{said.name}: {said.text}", space)
            s.grid.put(1 + room - width(text), row, text, Role.TEXT)


def _dialog_hints(s: Scene, dialog: Dialog) -> list[str]:
    t = s.text
    if dialog is Dialog.CHAT:
        return [t("Enter sends"), t("Esc closes")]
    if dialog is Dialog.LEAVE:
        return [t("y leaves"), t("any other key stays")]
    if dialog is Dialog.MISSING:
        return [t("g goes on, w waits longer.")]
    return [t("Enter goes on"), t("↑↓ PgUp PgDn scroll")]


def _choice_hints(s: Scene) -> list[str]:
    view, t = s.view, s.text
    if not view.deciding:
        return [t("F10 leaves")] if view.result is not None else []
    if view.choices.numbers:
        return [t("←→ or digits choose"), t("Enter confirms"), t("? rules")]
    if view.choices.by_cards and not view.choices.single:
        hints = [t("arrows move"), t("Space or 1-9 picks"), t("Enter confirms"), t("Esc undoes")]
        if variants(view, s.ui) > 1:
            hints.insert(2, t("Tab varies"))
        return hints
    if view.choices.single:
        enter = t("Enter plays") if "play" in view.choices.words else t("Enter confirms")
        return [t("←→ or 1-9 choose"), enter, t("? why")]
    return [t("←→ or 1-9 choose"), t("Enter confirms"), t("? rules")]


def _function_keys(s: Scene, row: int) -> None:
    t = s.text
    long = t("F1 help F2 rules F3 chat F4 log F5 suggest F9 language F10 leave")
    short = t("F1 help F2 rules F3 chat F4 log F5 hint F9 lang F10 leave")
    text = long if width(long) < s.grid.width - 1 else short
    s.grid.put(0, row, fill(f" {text}", s.grid.width), Role.BAR)


# -- ASCII ------------------------------------------------------------------------------------

_SIGNS: Final = {
    **dict.fromkeys("─", "-"),
    **dict.fromkeys("│║", "|"),
    **dict.fromkeys("╭╮┬", "."),
    **dict.fromkeys("╰╯┴", "'"),
    **dict.fromkeys("╔╗╚╝═", "#"),
    **dict.fromkeys("▒", "#"),
    **dict.fromkeys("●", "*"),
    **dict.fromkeys("○", "o"),
    **dict.fromkeys("►→▸", ">"),
    **dict.fromkeys("◄←", "<"),
    **dict.fromkeys("↑", "^"),
    **dict.fromkeys("↓", "v"),
    **dict.fromkeys("✓", "v"),
    **dict.fromkeys("·", "-"),
    **dict.fromkeys("…", "."),
    **dict.fromkeys("“”", '"'),
    **dict.fromkeys("’‘", "'"),
    **dict.fromkeys("–—", "-"),
    **dict.fromkeys("×", "x"),
}


def asciified(grid: Grid) -> Grid:
    """The same grid with nothing but ASCII in it, each sign in its place."""
    for row in grid.rows:
        for x, text in enumerate(row):
            if text.isascii():
                if not text:  # the second half of a wide character
                    row[x] = " "
                continue
            row[x] = _SIGNS.get(text) or _plain(text)
    return grid


def _plain(text: str) -> str:
    """A character without its accent; a question mark for one that has no ASCII form."""
    bare = [c for c in unicodedata.normalize("NFKD", text) if c.isascii() and c.isprintable()]
    return bare[0] if bare else "?"
