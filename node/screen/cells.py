"""A grid of cells, and text that fits into it whatever its characters are.

Law: this file knows how wide characters are and where they go. It must never know what is painted.
A cell is a string of one character (and what combines with it) and a role, which a theme turns into
a look. A character of two cells leaves the cell after it empty. Nothing ever lands outside.

    >>> grid = Grid(10, 1)
    >>> grid.put(0, 0, "Ada")
    3
    >>> grid.lines()
    ['Ada       ']
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from wcwidth import wcwidth

from node.screen.theme import Role

_UNSAFE: Final = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
Span = tuple[str, Role]
"""A piece of a line and its role."""


@lru_cache(maxsize=4096)
def clean(text: str) -> str:
    """`text` without what could steer a terminal, as one line: names and chat come from others."""
    if text.isascii() and text.isprintable():
        return text
    kept = (" " if c in "\t\n\r" else c for c in unicodedata.normalize("NFC", text))
    return "".join(c for c in kept if unicodedata.category(c) not in _UNSAFE and wcwidth(c) >= 0)


@lru_cache(maxsize=4096)
def width(text: str) -> int:
    """How many cells `text` takes."""
    if text.isascii():
        return len(text)
    return sum(max(0, wcwidth(c)) for c in text)


@lru_cache(maxsize=4096)
def cut(text: str, room: int, mark: str = "…") -> str:
    """`text` in at most `room` cells; where something is missing `mark` ends it."""
    if width(text) <= room:
        return text
    if room <= 0:
        return ""
    mark = mark if width(mark) < room else ""
    left = room - width(mark)
    kept = []
    for c in text:
        left -= max(0, wcwidth(c))
        if left < 0:
            break
        kept.append(c)
    return "".join(kept).rstrip() + mark


def fill(text: str, room: int) -> str:
    """`text` in exactly `room` cells."""
    text = cut(text, room)
    return text + " " * (room - width(text))


@lru_cache(maxsize=2048)
def wrap(text: str, room: int) -> tuple[str, ...]:
    """`text` as lines of at most `room` cells, broken between words where that is possible."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        together = f"{line} {word}" if line else word
        if width(together) <= room:
            line = together
            continue
        if line:
            lines.append(line)
        *whole, line = _pieces(word, room)
        lines += whole
    return (*lines, line) if line or not lines else tuple(lines)


def _pieces(word: str, room: int) -> list[str]:
    """A word in pieces of at most `room` cells; "" for what fits nowhere."""
    pieces: list[str] = []
    while width(word) > room:
        piece = cut(word, room, "")
        if not piece:
            return [*pieces, ""]
        pieces.append(piece)
        word = word[len(piece) :]
    return [*pieces, word]


class Grid:
    """`height` rows of `width` cells. Painting outside is cut off, and shifts nothing."""

    __slots__ = ("height", "roles", "rows", "width")

    def __init__(self, columns: int, rows: int, role: Role = Role.TEXT) -> None:
        self.width = columns
        self.height = rows
        self.rows = [[" "] * columns for _ in range(rows)]
        self.roles = [[role] * columns for _ in range(rows)]

    def put(self, x: int, y: int, text: str, role: Role = Role.TEXT, room: int = 10_000) -> int:
        """Write `text` from cell (x, y) on, in at most `room` cells; the column after it."""
        end = min(self.width, x + room)
        if not 0 <= y < self.height or x >= end:
            return x
        row, roles = self.rows[y], self.roles[y]
        if x >= 0 and text.isascii():
            text = text[: end - x]
            after = x + len(text)
            if text:
                self._free(row, x, after)
            row[x:after] = text
            roles[x:after] = [role] * len(text)
            return after
        for c in text:
            wide = wcwidth(c)
            if wide <= 0:
                if wide == 0 and 0 < x <= self.width and row[x - 1]:
                    row[x - 1] += c
                continue
            if x + wide > end:
                break
            if x >= 0:
                self._free(row, x, x + wide)
                row[x] = c
                roles[x] = role
                if wide == 2:
                    row[x + 1] = ""
                    roles[x + 1] = role
            x += wide
        return x

    def _free(self, row: list[str], x: int, end: int) -> None:
        """Don't leave half of a wide character beside the cells x..end-1."""
        if row[x] == "" and x:
            row[x - 1] = " "
        if end < self.width and row[end] == "":
            row[end] = " "

    def spans(self, x: int, y: int, spans: Sequence[Span], room: int = 10_000) -> int:
        """Write pieces one after another; the column after them."""
        end = x + room
        for text, role in spans:
            x = self.put(x, y, text, role, max(0, end - x))
        return x

    def role(self, x: int, y: int, columns: int, role: Role) -> None:
        """Give `columns` cells from (x, y) on another role."""
        if 0 <= y < self.height:
            start, end = max(0, x), max(0, min(self.width, x + columns))
            self.roles[y][start:end] = [role] * (end - start)

    def clear(self, x: int, y: int, columns: int, rows: int, role: Role = Role.TEXT) -> None:
        """Empty a rectangle."""
        for row in range(y, y + rows):
            self.put(max(0, x), row, " " * columns, role, columns)

    def lines(self) -> list[str]:
        """The characters alone, a string a row."""
        return ["".join(row) for row in self.rows]

    def runs(self, y: int) -> Iterator[Span]:
        """Row `y` as pieces of one role each, left to right."""
        row, roles = self.rows[y], self.roles[y]
        start = 0
        for x in range(1, self.width + 1):
            if x == self.width or roles[x] is not roles[start]:
                yield "".join(row[start:x]), roles[start]
                start = x

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Grid):
            return NotImplemented
        return self.rows == other.rows and self.roles == other.roles

    __hash__ = None  # type: ignore[assignment] # mutable while it is painted
