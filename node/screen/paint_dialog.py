"""What lies over the table for a while: help, rules, log and fairness, results, questions.

Law: a dialog is a title and rows of pieces, put into a frame that can be scrolled; it must never
know a rule. A result stays until it is put away, while the table goes on below it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.errors import IllegalMove
from node.screen import accounts, counsel, paint_result, situation, words
from node.screen.cards import frame
from node.screen.cells import cut, fill, width, wrap
from node.screen.desk import Advice, Dialog, open_dialog, ready
from node.screen.paint_result import Rows, indented, prose
from node.screen.scene import Area, Scene
from node.screen.story import KEPT
from node.screen.theme import Role

_WIDEST: Final = 78


def paint(s: Scene, area: Area, side: bool) -> None:
    """Paint the dialog that is open over `area`; a chat that has its panel needs none."""
    dialog = open_dialog(s.view, s.ui)
    if dialog is Dialog.NONE or (dialog is Dialog.CHAT and side):
        return
    title, rows = _PARTS[dialog](s, _room(area))
    _box(s, area, title, rows, tail=dialog is Dialog.CHAT)


def furthest(s: Scene, area: Area) -> int:
    """How far what is open can be scrolled: until its last row is shown."""
    dialog = open_dialog(s.view, s.ui)
    if dialog is Dialog.NONE:
        return 0
    _, rows = _PARTS[dialog](s, _room(area))
    return max(0, len(rows) - (area.height - 2))


def _room(area: Area) -> int:
    """The columns of a row of text."""
    return min(area.width - 4, _WIDEST) - 4


def _box(s: Scene, area: Area, title: str, rows: Rows, *, tail: bool) -> None:
    """A frame as large as what it holds, or with a mark where there is more."""
    room = area.height - 2
    longest = max([width(title) + 2, *(sum(width(text) for text, _ in row) for row in rows)])
    columns = min(area.width - 2, longest + 4)
    if columns > area.width * 2 // 3:  # rather than leave the ends of lines beside it
        columns = area.width - 2
    height = min(area.height, len(rows) + 2)
    x = area.x + (area.width - columns) // 2
    y = area.y + (area.height - height) // 2
    last = max(0, len(rows) - room)
    first = last if tail else min(s.ui.scroll, last)
    s.grid.clear(x - 1, y, columns + 2, height)
    frame(s.grid, x, y, (columns, height), role=Role.RULE)
    s.grid.put(x + 2, y, f" {cut(title, columns - 6)} ", Role.STRONG)
    for n, row in enumerate(rows[first : first + height - 2]):
        s.grid.spans(x + 2, y + 1 + n, row, columns - 4)
    if first < last:
        s.grid.put(x + columns - 5, y + height - 1, " ↓ ", Role.STRONG)
    if first > 0:
        s.grid.put(x + columns - 5, y, " ↑ ", Role.STRONG)


# -- help and rules ---------------------------------------------------------------------------


def _help(s: Scene, room: int) -> tuple[str, Rows]:
    t = s.text
    keys = (
        (t("arrows"), t("move along your cards, the cards on the table and the buttons")),
        ("1-9 0", t("go to what has that number; where cards are exchanged, pick it")),
        (t("Space"), t("pick a card for an exchange, or put it back")),
        (t("Enter"), t("do what the line above your cards says: nothing is played before")),
        (t("Tab"), t("another move with the same cards, where there is one")),
        ("Esc", t("put the picked cards back, close what is open")),
        ("?", t("why a faint card can't be played, or the rules of the moment")),
        ("F1 h", t("this help")),
        ("F2 r", t("the rules about what is happening now")),
        ("F3 c", t("write to the others")),
        ("F4 o", t("why the deal is fair, and what happened")),
        ("F5 s", t("what a computer player would choose, and why")),
        ("F9 l", t("the other language, at once")),
        ("F10 q", t("leave the table")),
    )
    column = max(width(key) for key, _ in keys) + 2
    rows: Rows = []
    for key, text in keys:
        first, *more = wrap(text, room - column)
        rows.append([(fill(key, column), Role.STRONG), (first, Role.TEXT)])
        rows += [[(" " * column, Role.TEXT), (line, Role.TEXT)] for line in more]
    return t("Keys"), rows


def _rules(s: Scene, room: int) -> tuple[str, Rows]:
    rows: Rows = []
    question = situation.question(s.language, s.view)
    if question:
        rows += [*prose(question[:1].upper() + question[1:], room, Role.STRONG), []]
    rows += _in_focus(s, room)
    for rule, chosen in accounts.rules(s.language, s.view):
        rows += [*prose(rule, room), *indented(chosen, room), []]
    return s.text("The rules of the moment"), rows[:-1]


def _in_focus(s: Scene, room: int) -> Rows:
    """What Enter would do, and what is so then."""
    chosen = ready(s.view, s.ui) if s.view.deciding else None
    if chosen is None:
        return []
    facts = counsel.facts(s.language, s.view, chosen.move)
    if not facts:
        return []
    deed = s.text("Enter: {0}").format(words.deed(s.language, s.view, chosen))
    rows = prose(deed, room)
    for text in facts:
        rows += indented(text, room, Role.TEXT)
    return [*rows, []]


# -- fairness and log -------------------------------------------------------------------------


def _log(s: Scene, room: int) -> tuple[str, Rows]:
    """Why the deal is fair, with names and log entries; then what happened, the latest first."""
    t = s.text
    rows: Rows = []
    warnings = len(s.view.around.fairness.warnings)
    for n, text in enumerate(accounts.fairness(s.language, s.view)):
        rows += prose(text, room, Role.WARN if n < warnings else Role.TEXT)
    rows += [[], [(t("What happened, the latest first:"), Role.STRONG)]]
    for text in accounts.happenings(s.language, s.view, KEPT):
        rows += prose(text, room, Role.DIM)
    return t("Why the deal is fair"), rows


def _leave(s: Scene, room: int) -> tuple[str, Rows]:
    t = s.text
    rows: Rows = []
    for text in accounts.leaving(s.language, s.view):
        rows += prose(text, room)
    rows += prose(t("y leaves the table, any other key stays."), room, Role.STRONG)
    return t("Leave the table?"), rows


def _missing(s: Scene, room: int) -> tuple[str, Rows]:
    t = s.text
    first, *others = accounts.missing(s.language, s.view)
    rows = prose(first, room)
    for text in others:
        rows += prose(text, room, Role.DIM)
    rows += [[], *prose(t("g goes on, w waits longer."), room, Role.STRONG)]
    return t("Somebody is missing"), rows


def _chat(s: Scene, room: int) -> tuple[str, Rows]:
    rows: Rows = []
    for said in s.view.around.chat[-20:]:
        rows += prose(f"{said.name}: {said.text}", room)
    shown = s.ui.line[-(room - 4) :]
    rows.append(
        [("> ", Role.STRONG), (shown, Role.TEXT), ("_", Role.STRONG), (" " * 20, Role.TEXT)]
    )
    return s.text("Chat"), rows


# -- notices ----------------------------------------------------------------------------------


def _notice(s: Scene, room: int) -> tuple[str, Rows]:
    t = s.text
    match s.ui.notice:
        case IllegalMove() as error:
            return t("Not allowed"), _spaced(accounts.refusal(s.language, s.view, error), room)
        case Advice() as advice:
            return t("A suggestion"), _spaced(accounts.advice(s.language, s.view, advice), room)
        case str(message):
            return t("Please note"), prose(t(message), room)
    return t("Please note"), []


def _spaced(texts: Sequence[str], room: int) -> Rows:
    """The first sentence, and under it the others."""
    rows = prose(texts[0], room, Role.STRONG)
    for text in texts[1:]:
        rows += [[], *prose(text, room)]
    return rows


_PARTS: Final = {
    Dialog.HELP: _help,
    Dialog.RULES: _rules,
    Dialog.CHAT: _chat,
    Dialog.LOG: _log,
    Dialog.LEAVE: _leave,
    Dialog.MISSING: _missing,
    Dialog.NOTICE: _notice,
    Dialog.RESULT: paint_result.result,
}
