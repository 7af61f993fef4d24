"""What the pages around a table share: their edges, boxes over them, and a line that is written.

Law: pure painting and editing of values; it must never know what a page is about. A page has a bar
at the top, and at the bottom the fairness line, the keys that do something now and the function
keys, each where the table has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from node.language import Language, language
from node.screen.cards import frame
from node.screen.cells import Grid, Span, cut, fill, width, wrap
from node.screen.desk import Key
from node.screen.paint import asciified, fits, say_too_small
from node.screen.scene import Area
from node.screen.theme import Role, Theme

Rows = list[list[Span]]
FOOT: Final = 3
WIDEST: Final = 78
_WHOLE: Final = 2 / 3
"""A box wider than this part of its area takes all of it, rather than leave ends of lines."""


class Over(Enum):
    """What lies over a page."""

    NONE = "none"
    HELP = "help"
    RULES = "rules"
    CHAT = "chat"
    LEAVE = "leave"
    INVITE = "invite"
    REMOVE = "remove"
    STRANGER = "stranger"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True)
class Page:
    """A page in the making; `area` is what its edges leave."""

    grid: Grid
    language: Language
    theme: Theme
    area: Area

    def text(self, message: str, context: str = "") -> str:
        """The sentence for `message`."""
        return self.language.text(message, context)


@dataclass(frozen=True, slots=True)
class Edges:
    """What stands on the edges: the bar's two ends, the hints, the function keys."""

    left: str
    right: str
    hints: Sequence[str]
    keys: str
    last: str = ""
    """What was said last, where there is no panel for it."""
    warning: str = ""
    """What the fairness line says instead of being content."""


def page(columns: int, rows: int, theme: Theme, code: str) -> Page | None:
    """An empty page in the language `code`; None where the window is too small for one."""
    if not fits(columns, rows):
        return None
    grid = Grid(columns, rows)
    return Page(grid, language(code), theme, Area(0, 1, columns, rows - 1 - FOOT))


def too_small(columns: int, rows: int, theme: Theme, code: str) -> Grid:
    """What a window shows that is too small."""
    grid = Grid(columns, rows)
    say_too_small(grid, language(code))
    return grid if theme.unicode else asciified(grid)


def finish(p: Page, edges: Edges) -> Grid:
    """Paint the edges; the grid, as the theme wants it."""
    grid, columns = p.grid, p.grid.width
    grid.put(0, 0, " " * columns, Role.BAR)
    right = cut(edges.right, columns // 2)
    room = columns - width(right) - 4
    grid.put(1, 0, cut(edges.left, room), Role.BAR)
    grid.put(columns - width(right) - 1, 0, right, Role.BAR)
    row = grid.height - FOOT
    grid.put(0, row, "─" * columns, Role.RULE)
    if edges.warning:
        grid.put(2, row, f" ! {cut(edges.warning, columns - 8)} ", Role.WARN)
    else:
        grid.put(2, row, f" ✓ {p.text('no server, everybody shuffles')} ", Role.FAIR)
    _hints(p, edges, row + 1)
    grid.put(0, row + 2, fill(f" {edges.keys}", columns), Role.BAR)
    return finish_plain(p)


def finish_plain(p: Page) -> Grid:
    """A page without edges, as the theme wants it."""
    return p.grid if p.theme.unicode else asciified(p.grid)


def _hints(p: Page, edges: Edges, row: int) -> None:
    hints, room = list(edges.hints), p.grid.width - 2
    while len(hints) > 1 and width("  ".join(hints)) > room:
        del hints[-1]
    end = p.grid.put(1, row, cut("  ".join(hints), room), Role.DIM)
    space = room - end - 2
    if edges.last and space >= 12:
        text = cut(edges.last, space)
        p.grid.put(1 + room - width(text), row, text)


def prose(text: str, room: int, role: Role = Role.TEXT) -> Rows:
    """`text` as rows."""
    return [[(line, role)] for line in wrap(text, room)]


def indented(text: str, room: int, role: Role = Role.DIM) -> Rows:
    """`text` as rows that stand in."""
    return [[("  ", Role.TEXT), (line, role)] for line in wrap(text, room - 2)]


def inner_width(area: Area) -> int:
    """Columns of text in a box over `area`."""
    return min(area.width - 4, WIDEST) - 4


def box(
    p: Page, area: Area, title: str, rows: Rows, *, scroll: int = 0, tail: bool = False
) -> None:
    """A frame as large as what it holds, or with a mark where there is more."""
    grid, room = p.grid, area.height - 2
    longest = max([width(title) + 2, *(sum(width(text) for text, _ in row) for row in rows)])
    columns = min(area.width - 2, longest + 4)
    if columns > area.width * _WHOLE:
        columns = area.width - 2
    height = min(area.height, len(rows) + 2)
    x = area.x + (area.width - columns) // 2
    y = area.y + (area.height - height) // 2
    last = max(0, len(rows) - room)
    first = last if tail else min(scroll, last)
    grid.clear(x - 1, y, columns + 2, height)
    frame(grid, x, y, (columns, height), role=Role.RULE)
    grid.put(x + 2, y, f" {cut(title, columns - 6)} ", Role.STRONG)
    for n, row in enumerate(rows[first : first + height - 2]):
        grid.spans(x + 2, y + 1 + n, row, columns - 4)
    if first < last:
        grid.put(x + columns - 5, y + height - 1, " ↓ ", Role.STRONG)
    if first > 0:
        grid.put(x + columns - 5, y, " ↑ ", Role.STRONG)


def keys_table(p: Page, keys: Sequence[tuple[str, str]], room: int) -> Rows:
    """Keys and what they do."""
    column = max(width(key) for key, _ in keys) + 2
    rows: Rows = []
    for key, text in keys:
        first, *more = wrap(text, room - column)
        rows.append([(fill(key, column), Role.STRONG), (first, Role.TEXT)])
        rows += [[(" " * column, Role.TEXT), (line, Role.TEXT)] for line in more]
    return rows


def typed_line(line: str, room: int) -> list[Span]:
    """A line that is being written: its end, and the place where it goes on."""
    kept = line
    while width(kept) > room - 3:
        kept = kept[1:]
    return [("> ", Role.STRONG), (kept, Role.TEXT), ("_", Role.STRONG)]


SCROLLS: Final = {Key.UP: -1, Key.DOWN: 1, Key.PAGE_UP: -10, Key.PAGE_DOWN: 10}
_FAR: Final = 100_000
"""Rows that no text has."""


def scrolled(scroll: int, key: str) -> int:
    """Where a text stands after a key that moves it."""
    return max(0, min(_FAR, scroll + SCROLLS[Key(key)]))


def edited(line: str, key: str, limit: int) -> str:
    """A line after a key that writes or takes away a character; itself after any other."""
    if key == Key.BACKSPACE:
        return line[:-1]
    character = " " if key == Key.SPACE else key
    if len(character) == 1 and character.isprintable() and len(line) < limit:
        return line + character
    return line
