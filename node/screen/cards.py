"""Cards drawn with characters: three sizes, and a strip for long hands.

Law: a face, a size and a few flags become cells. It must never know whose card it is or what may be
done with it. A double border is a selection; a card that can't be played is faint; the letter of
the suit is always there, so that no colour is needed.

    small       medium        large             strip
    ╭──╮        ╭───────╮     ╭─────────╮       ╭──┬──╮ ╭──╮
    │7b│        │7b     │     │7b       │       │Ac│3c│ │2d│
    ╰──╯        │bastoni│     │         │       ╰──┴──╯ ╰──╯
                │     7b│     │  sette  │
                ╰───────╯     │ bastoni │
                              │       7b│
                              ╰─────────╯
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from engine.cards import UNKNOWN, DeckKind
from node.language import Language
from node.screen.cells import Grid, cut, width
from node.screen.glossary import rank_word, suit_word
from node.screen.theme import Role, suit_role


class Size(IntEnum):
    """How large a card is; the value is its height."""

    SMALL = 3
    MEDIUM = 5
    LARGE = 7


_WIDTHS: Final = {Size.SMALL: 4, Size.MEDIUM: 9, Size.LARGE: 11}
_LONG_WORDS: Final = 1
"""French suits have a word of eight letters."""
_SINGLE: Final = "╭─╮│╰╯"
_DOUBLE: Final = "╔═╗║╚╝"
BACK: Final = "▒"
CELL: Final = 3
"""Columns of a card in a strip, with its left border."""


def card_width(size: Size, kind: DeckKind) -> int:
    """Columns of a card."""
    extra = _LONG_WORDS if "h" in kind.suits and size is not Size.SMALL else 0
    return _WIDTHS[size] + extra


@dataclass(frozen=True, slots=True)
class Pose:
    """How a card is shown. `picked`: its letters are reversed; `focus`: it has a double border."""

    focus: bool = False
    picked: bool = False
    dim: bool = False


PLAIN: Final = Pose()


def frame(
    grid: Grid, x: int, y: int, size: tuple[int, int], *, role: Role, double: bool = False
) -> None:
    """A border of `size` (columns, rows)."""
    columns, rows = size
    a, across, b, down, c, d = _DOUBLE if double else _SINGLE
    grid.put(x, y, a + across * (columns - 2) + b, role)
    for row in range(y + 1, y + rows - 1):
        grid.put(x, row, down, role)
        grid.put(x + columns - 1, row, down, role)
    grid.put(x, y + rows - 1, c + across * (columns - 2) + d, role)


@dataclass(frozen=True, slots=True)
class Brush:
    """What cards are drawn with."""

    grid: Grid
    kind: DeckKind
    language: Language

    def width(self, size: Size) -> int:
        """Columns of a card."""
        return card_width(size, self.kind)

    def card(self, x: int, y: int, face: int, size: Size, pose: Pose = PLAIN) -> None:
        """A card with its left upper corner at (x, y)."""
        grid = self.grid
        columns = self.width(size)
        edge = Role.PICKED if pose.focus else Role.DIM if pose.dim else Role.EDGE
        frame(grid, x, y, (columns, size), role=edge, double=pose.focus)
        room = columns - 2
        if face == UNKNOWN:
            for row in range(y + 1, y + size - 1):
                grid.put(x + 1, row, BACK * room, Role.BACK)
            return
        ink = suit_role(self.kind.suits, self.kind.suit(face), pose.dim)
        corner = Role.CHOSEN if pose.picked else ink
        text = self.kind.text(face)
        grid.clear(x + 1, y + 1, room, size - 2)
        grid.put(x + 1, y + 1, text, corner)
        if size is Size.SMALL:
            return
        grid.put(x + 1 + room - len(text), y + size - 2, text, corner)
        words = [suit_word(self.language, self.kind, face)]
        if size is Size.LARGE:
            words.insert(0, rank_word(self.language, self.kind, face))
        for n, word in enumerate(words):
            word_cut = cut(word, room)
            row = y + size // 2 + n
            grid.put(x + 1 + (room - width(word_cut)) // 2, row, word_cut, ink)

    def nothing(self, x: int, y: int, size: Size) -> None:
        """The place of a card that isn't there yet."""
        frame(self.grid, x, y, (self.width(size), size), role=Role.DIM)

    def strip(
        self, x: int, y: int, faces: Sequence[int], poses: Sequence[Pose], room: int
    ) -> list[int]:
        """A long hand; the columns where its cards begin."""
        grid, kind = self.grid, self.kind
        places = [x + place for place in strip_places(faces, kind, room)]
        for n, place in enumerate(places):
            joined = n > 0 and place - places[n - 1] == CELL
            grid.put(place, y, "┬──╮" if joined else "╭──╮", Role.EDGE)
            grid.put(place, y + 1, "│", Role.EDGE)
            grid.put(place + CELL, y + 1, "│", Role.EDGE)
            grid.put(place, y + 2, "┴──╯" if joined else "╰──╯", Role.EDGE)
        for place, face, pose in zip(places, faces, poses, strict=True):
            if face == UNKNOWN:
                grid.put(place + 1, y + 1, BACK * 2, Role.BACK)
                continue
            ink = suit_role(kind.suits, kind.suit(face), pose.dim)
            grid.put(place + 1, y + 1, kind.text(face), Role.CHOSEN if pose.picked else ink)
        for place, pose in zip(places, poses, strict=True):
            if pose.focus:
                frame(grid, place, y, (CELL + 1, Size.SMALL), role=Role.PICKED, double=True)
        return places


# -- strips ---------------------------------------------------------------------------------------


def groups(faces: Sequence[int], kind: DeckKind) -> list[list[int]]:
    """The places of cards that stand together: one list for each suit in a row of cards."""
    found: list[list[int]] = []
    last = None
    for place, face in enumerate(faces):
        suit = -1 if face == UNKNOWN else kind.suit(face)
        if suit != last or not found:
            found.append([])
        found[-1].append(place)
        last = suit
    return found


def strip_places(faces: Sequence[int], kind: DeckKind, room: int) -> list[int]:
    """The column of each card of a strip, from 0. Gaps between suits go if there is no room."""
    parts = groups(faces, kind)
    gap = 2 if CELL * len(faces) + 2 * len(parts) - 1 <= room else 0
    places: list[int] = []
    x = 0
    for part in parts:
        places += [x + CELL * n for n in range(len(part))]
        x += CELL * len(part) + gap
    return places


def strip_width(faces: Sequence[int], kind: DeckKind, room: int) -> int:
    """Columns of a strip."""
    return strip_places(faces, kind, room)[-1] + CELL + 1 if faces else 0
