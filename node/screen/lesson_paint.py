"""A lesson painted: the table of a match, and over it the teacher's box; the lists around lessons.

Law: pure: a Book or a Menu and a size become a grid. The box is as high as its window allows and
never higher, so that the table doesn't move under it: what is longer has pages.

    ╭ Briscola ─────────────────────────────────────────────── step 2 of 7 ╮
    │ Ada leads the 2 of spade: no points. The trump jack would take it,   │
    │ but is that worth it? What can you best do without?                  │
    ╰───────────────────────────────────────────────── PgUp: once more ────╯
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from engine import registry
from node.language import Language, language
from node.lesson_file import lesson
from node.lessons import Said, Stage, Tone
from node.screen import paint as table
from node.screen.cards import frame
from node.screen.cells import Grid, Span, cut, fill, wrap
from node.screen.desk import Dialog, open_dialog
from node.screen.lesson_desk import (
    Act,
    Book,
    Learn,
    LessonUi,
    Menu,
    MenuUi,
    Pick,
    decides,
    stage_of,
    view_of,
)
from node.screen.lobby_page import (
    FOOT,
    Over,
    Page,
    Rows,
    box,
    finish_plain,
    inner_width,
    keys_table,
    page,
    prose,
    too_small,
)
from node.screen.paint import SIDE_FROM, fits
from node.screen.scene import Area, Scene
from node.screen.theme import Role, Theme
from node.screen.view import TableView

_TALL: Final = 24
"""Rows from which the box is framed on all sides; below, the bar is its upper edge."""
_LINES: Final = 5
_FEW_LINES: Final = 3
_MANY_LINES: Final = 7
"""Lines where the learner has no cards, so that there is little of a table below."""
_WIDEST: Final = 90
"""Columns of a line of text: longer ones are hard to read."""
_LOOKS: Final = {
    Tone.PLAYED: (Role.DIM, ""),
    Tone.TOLD: (Role.DIM, ""),
    Tone.TEACH: (Role.TEXT, ""),
    Tone.ASK: (Role.STRONG, ""),
    Tone.KEYS: (Role.DIM, ""),
    Tone.GOOD: (Role.FAIR, "✓ "),
    Tone.WORSE: (Role.WARN, "! "),
    Tone.HINT: (Role.NAME, "► "),
}
"""The role of a paragraph, and the sign that says the same without colour."""


# -- pages of the teacher's text ------------------------------------------------------------------


def lines_of(view: TableView, rows: int) -> int:
    """Lines of text that the box has in a window of so many rows."""
    if not view.hand:
        return _MANY_LINES
    return _LINES if rows >= _TALL else _FEW_LINES


def paragraphs(stage: Stage, columns: int) -> tuple[Said, ...]:
    """What stands in the box: what shows on the table, or beside it, only where it is all."""
    said, view = stage.said, stage.view
    taught = [one for one in said if one.tone not in (Tone.PLAYED, Tone.TOLD, Tone.WRITE)]
    if not taught:
        return said
    covered = bool(view.pile("monte") or view.trick.laid)  # else the table tells what happened
    shown = columns >= SIDE_FROM or not covered
    told = [] if shown else [one for one in said if one.tone is Tone.TOLD]
    return (*told, *taught)


def pages_of(book: Book, columns: int, rows: int, ui: LessonUi) -> tuple[Rows, ...]:
    """What is said at the stage that is shown, as pages of lines for a window of that size."""
    stage = stage_of(book, ui)
    room, most = min(columns - 4, _WIDEST), lines_of(stage.view, rows)
    pages: list[Rows] = []
    current: Rows = []
    for lines in _blocks(paragraphs(stage, columns), ui.table.language, room):
        if current and len(current) + len(lines) > most:
            pages.append(current)
            current = []
        parts = -(-len(lines) // most)
        size = -(-len(lines) // parts)
        last = size * (parts - 1)
        pages += [lines[n : n + size] for n in range(0, last, size)]
        current = current + lines[last:]
    return (*pages, current)


def _blocks(said: Sequence[Said], code: str, room: int) -> list[Rows]:
    """Paragraphs as lines. What happened is one, as is what is asked with how to answer it."""
    blocks: list[Rows] = []
    told = [one.text.in_(code) for one in said if one.tone in (Tone.PLAYED, Tone.TOLD)]
    if told:
        whole = " ".join(text if text[-1] in ".!?" else f"{text}." for text in told)
        blocks.append([[(line, Role.DIM)] for line in wrap(whole, room)])
    for one in said:
        if one.tone in (Tone.PLAYED, Tone.TOLD):
            continue
        role, sign = _LOOKS[one.tone]
        lines: Rows = [[(line, role)] for line in wrap(sign + one.text.in_(code), room)]
        if one.tone is Tone.KEYS:
            blocks[-1] = blocks[-1] + lines
        else:
            blocks.append(lines)
    return blocks


# -- a lesson -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Box:
    """What stands in the teacher's box, and on its edges."""

    title: str
    step: str
    lines: Rows
    hint: str


def paint_lesson(book: Book, columns: int, rows: int, theme: Theme, ui: LessonUi) -> Grid:
    """The screen of `columns` x `rows` cells, in the language of `ui`."""
    tongue = language(ui.table.language)
    if not fits(columns, rows):
        return too_small(columns, rows, theme, tongue.code)
    t = tongue.text
    pages = pages_of(book, columns, rows, ui)
    at = min(ui.page, len(pages) - 1)
    deciding = decides(book, ui, len(pages))
    stage = stage_of(book, ui)
    hint = t("PgUp: read again") if deciding else t("Enter: read on")
    if len(pages) > 1:
        hint = f"{hint} · {at + 1}/{len(pages)}"
    step = t("step {0} of {1}").format(stage.number, stage.count)
    taught = _Box(t("The teacher"), step, pages[at], hint)
    view = view_of(book, ui, len(pages))
    grid = table.paint(
        view,
        columns,
        rows,
        theme,
        ui.table,
        top=partial(_teacher, taught),
        waiting=t("Read what stands above; Enter goes on."),
    )
    p = Page(grid, tongue, theme, Area(0, 1, columns, rows - 1 - FOOT))
    covered = open_dialog(view, ui.table) is not Dialog.NONE
    _edges(p, ui, reading=not deciding and not covered)
    if ui.over is Over.HELP:
        room = inner_width(p.area)
        box(p, p.area, t("Keys"), _help(p, room), scroll=ui.scroll)
    elif ui.over is Over.LEAVE:
        box(p, p.area, t("Leave the lesson?"), _leave(p, inner_width(p.area)))
    return finish_plain(p)


def _teacher(taught: _Box, s: Scene, area: Area) -> int:
    """Paint the box at the top of `area`; the rows that it takes."""
    grid, columns = s.grid, area.width
    tall = grid.height >= _TALL
    lines = lines_of(s.view, grid.height)
    height = lines + 1 + tall
    first, last = area.y + tall, area.y + height - 1
    if tall:
        frame(grid, 0, area.y, (columns, height), role=Role.PICKED)
        end = grid.put(2, area.y, f" {taught.title} ", Role.CHOSEN)
        s.right(Area(end, 0, columns - 2 - end, 1), area.y, f" {taught.step} ", Role.STRONG)
    else:
        frame(grid, 0, area.y, (columns, height), role=Role.PICKED)
        grid.put(0, area.y, "│" + " " * (columns - 2) + "│", Role.PICKED)
        grid.put(2, last, f" {taught.step} ", Role.STRONG)
    s.right(Area(0, 0, columns - 2, 1), last, f" {taught.hint} ", Role.TURN)
    for n, line in enumerate(taught.lines):
        grid.spans(2, first + n, line, columns - 4)
    return height


def _edges(p: Page, ui: LessonUi, *, reading: bool) -> None:
    """What a lesson's edges say other than a match's: nothing is shuffled, and there is no chat."""
    grid, t, columns = p.grid, p.text, p.grid.width
    row = grid.height - FOOT
    grid.put(0, row, "─" * columns, Role.RULE)
    text = t("a lesson: prepared cards, nothing is sent")
    grid.put(2, row, f" ✓ {cut(text, columns - 8)} ", Role.FAIR)
    hints: list[str] = []
    if ui.over is Over.LEAVE:
        hints = [t("y leaves"), t("any other key stays")]
    elif ui.over is not Over.NONE:
        hints = [t("Enter goes on"), t("↑↓ PgUp PgDn scroll")]
    elif reading:
        hints = [t("Enter reads on"), t("PgUp goes back"), t("? rules")]
    if hints:
        _hint_row(p, row + 1, hints)
    keys = t("F1 help F2 rules F5 hint F9 language F10 leave")
    grid.put(0, row + 2, fill(f" {keys}", columns), Role.BAR)


def _hint_row(p: Page, row: int, hints: Sequence[str]) -> None:
    p.grid.put(0, row, " " * p.grid.width, Role.TEXT)
    p.grid.put(1, row, cut("  ".join(hints), p.grid.width - 2), Role.DIM)


def _help(p: Page, room: int) -> Rows:
    t = p.text
    keys = (
        (t("Enter"), t("read on; where you are asked, do what the line over your cards says")),
        (t("PgUp PgDn"), t("back to what was said before, and forward again")),
        (t("arrows"), t("move along your cards, the cards on the table and the buttons")),
        ("1-9 0", t("go to what has that number; where cards are exchanged, pick it")),
        (t("Space"), t("pick a card for an exchange, or put it back")),
        (t("Tab"), t("another move with the same cards, where there is one")),
        ("?", t("why a faint card can't be played, or the rules of the moment")),
        ("F2 r", t("the rules about what is happening now")),
        ("F5 s", t("a good move")),
        ("F9 l", t("the other language, at once")),
        ("F10 q", t("leave the lesson")),
    )
    return keys_table(p, keys, room)


def _leave(p: Page, room: int) -> Rows:
    t = p.text
    rows = prose(t("The next time it begins from its first step."), room)
    return [*rows, *prose(t("y leaves, any other key stays."), room, Role.STRONG)]


# -- lists ----------------------------------------------------------------------------------------


def paint_menu(menu: Menu, columns: int, rows: int, theme: Theme, ui: MenuUi) -> Grid:
    """The list of lessons, or what can be done after one."""
    p = page(columns, rows, theme, ui.language)
    if p is None:
        return too_small(columns, rows, theme, ui.language)
    t = p.text
    top = _ended(p, menu) if menu.ended else 1
    blocks = [_entry(p, menu, ui, n) for n in range(len(menu.picks))]
    _shown(p, Area(0, top + 1, columns, p.area.bottom - top - 1), blocks, ui.at)
    grid, row = p.grid, p.grid.height - FOOT
    left = t("The end of the lesson") if menu.ended else t("Lessons: a prepared hand of each game")
    grid.put(0, 0, fill(f" {left}", columns), Role.BAR)
    grid.put(0, row, "─" * columns, Role.RULE)
    _hint_row(
        p, row + 1, [t("↑↓ choose"), t("Enter confirms") if menu.ended else t("Enter begins")]
    )
    grid.put(0, row + 2, fill(f" {t('F9 language F10 leave')}", columns), Role.BAR)
    return finish_plain(p)


def _ended(p: Page, menu: Menu) -> int:
    """What there is to say at the end; the row after it."""
    t, title = p.text, registry.get(menu.ended).title
    rows = prose(t("That was the lesson about {0}.").format(title), 70, Role.STRONG)
    told = p.language.count(
        "You were asked {n} question, and {0} of your answers stood at once.",
        "You were asked {n} questions, and {0} of your answers stood at once.",
        menu.questions,
        menu.first,
    )
    rows += [[], *prose(told, p.area.width - 6)]
    text = t("'busso play --game {0}' sits you down at a real table.").format(menu.ended)
    rows += prose(text, p.area.width - 6)
    for n, row in enumerate(rows):
        p.grid.spans(3, 2 + n, row, p.area.width - 6)
    return 2 + len(rows)


def _entry(p: Page, menu: Menu, ui: MenuUi, n: int) -> Rows:
    """The rows of one entry."""
    pick, here = menu.picks[n], ui.at == n
    number: list[Span] = [
        ("► " if here else "  ", Role.STRONG),
        (f"{n + 1} ", Role.NUMBER),
        (_label(p.language, menu, pick), Role.CHOSEN if here else Role.NAME),
    ]
    if not isinstance(pick, Learn):
        return [number]
    given = lesson(pick.game)
    number.append((f"  {_minutes(p.language, given.minutes)}", Role.DIM))
    if pick.game in menu.done:
        number.append((f"  ✓ {p.text('read')}", Role.FAIR))
    room = min(p.area.width - 8, _WIDEST)
    about = prose(given.title.in_(ui.language), room, Role.TEXT if here else Role.DIM)
    return [number, *([("    ", Role.TEXT), *row] for row in about)]


def _label(tongue: Language, menu: Menu, pick: Pick) -> str:
    t = tongue.text
    if isinstance(pick, Learn):
        title = registry.get(pick.game).title
        return t("The next lesson: {0}").format(title) if menu.ended else title
    labels = {
        Act.AGAIN: t("This lesson once more"),
        Act.LIST: t("All lessons"),
        Act.LEAVE: t("Leave"),
    }
    return labels[pick]


def _minutes(tongue: Language, minutes: int) -> str:
    return tongue.count("{n} minute", "{n} minutes", minutes)


def _shown(p: Page, area: Area, blocks: Sequence[Rows], at: int) -> None:
    """The entries, with room between them where there is; the one in focus is among them."""
    gap = 1 if sum(len(rows) + 1 for rows in blocks) <= area.height else 0
    first = at
    room = area.height - len(blocks[at])
    while first > 0 and room >= len(blocks[first - 1]) + gap:
        first -= 1
        room -= len(blocks[first]) + gap
    y = area.y
    for rows in blocks[first:]:
        if y + len(rows) > area.bottom:
            break
        for row in rows:
            p.grid.spans(2, y, row, area.width - 4)
            y += 1
        y += gap
