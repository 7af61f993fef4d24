"""What the painters share: the grid, the values that are painted, and rectangles.

Law: plain values; it must never know what goes where.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from node.language import Language
from node.screen.cards import Brush
from node.screen.cells import Grid, cut, width
from node.screen.desk import Item, Ui, focused, items
from node.screen.theme import Role, Theme
from node.screen.view import TableView


class Area(NamedTuple):
    """A rectangle of cells."""

    x: int
    y: int
    width: int
    height: int

    @property
    def bottom(self) -> int:
        """The row after its last one."""
        return self.y + self.height

    def top(self, rows: int) -> Area:
        """Its first rows."""
        return Area(self.x, self.y, self.width, max(0, min(rows, self.height)))

    def below(self, rows: int) -> Area:
        """What is left under its first rows."""
        rows = max(0, min(rows, self.height))
        return Area(self.x, self.y + rows, self.width, self.height - rows)

    def foot(self, rows: int) -> Area:
        """Its last rows."""
        return self.below(self.height - max(0, rows))

    def above(self, rows: int) -> Area:
        """What is left over its last rows."""
        return self.top(self.height - max(0, rows))


@dataclass(frozen=True)
class Scene:
    """One painting in the making."""

    grid: Grid
    view: TableView
    ui: Ui
    language: Language
    theme: Theme
    brush: Brush
    items: tuple[Item, ...]
    focus: Item | None
    waiting: str = ""
    """What is said instead of whom the table waits for; "" for that."""

    def text(self, message: str, context: str = "") -> str:
        """The sentence for `message`."""
        return self.language.text(message, context)

    def item_of(self, slot: int) -> Item | None:
        """The item of a card, None if it can't be reached."""
        return next((item for item in self.items if item.slot == slot), None)

    def number(self, x: int, y: int, item: Item, columns: int) -> None:
        """The digit of an item, centred in `columns` cells; a star where it is picked."""
        text = str(item.number) if item.number >= 0 else ""
        picked = item.slot in self.ui.marked
        if picked:
            text += "*"
        chosen = item == self.focus
        role = Role.CHOSEN if chosen or picked else Role.NUMBER
        self.grid.put(x + (columns - len(text)) // 2, y, text, role)

    def right(self, area: Area, row: int, text: str, role: Role = Role.TEXT) -> None:
        """Text that ends where `area` does."""
        text = cut(text, area.width)
        self.grid.put(area.x + area.width - width(text), row, text, role)


def scene(
    grid: Grid, view: TableView, ui: Ui, language: Language, theme: Theme, *, waiting: str = ""
) -> Scene:
    """A scene to paint into `grid`."""
    brush = Brush(grid, view.kind, language)
    found = items(view), focused(view, ui)
    return Scene(grid, view, ui, language, theme, brush, *found, waiting)
