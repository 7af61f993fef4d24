"""The lower part of the table: what is asked, the reader's own cards, the buttons.

Law: paints what `desk` and `words` say, from the bottom of its area upwards, and gives back what is
left above; it must never know a rule.
"""

from __future__ import annotations

from typing import Final

from node.screen import situation, words
from node.screen.cards import CELL, Pose, Size, strip_width
from node.screen.cells import cut, width
from node.screen.desk import Item, Place, ready, variants
from node.screen.glossary import card_words
from node.screen.scene import Area, Scene
from node.screen.theme import Role

_LARGE_FROM: Final = 28
"""Rows of the table from which cards are large."""
_MEDIUM_FROM: Final = 14
"""Rows from which they are of medium size: with fewer there is a strip, for the middle's sake."""
_MAX_BUTTON_ROWS: Final = 4


def paint(s: Scene, area: Area) -> Area:
    """Paint the hand at the bottom of `area`; the rows above it."""
    rows = _button_rows(s, area.width)
    shown = rows[:_MAX_BUTTON_ROWS]
    _buttons(s, area.foot(len(shown)), shown)
    if s.view.choices.numbers:
        shown = [[]]
        _number(s, area.foot(1))
    area = area.above(len(shown))
    if s.view.hand:
        size = _size(s, area)
        height = (size or Size.SMALL) + 1
        _hand(s, area.foot(height), size)
        area = area.above(height)
    _prompt(s, area.foot(2))
    return area.above(2)


# -- buttons ----------------------------------------------------------------------------------


def _button_text(s: Scene, item: Item) -> str:
    text = words.label(s.language, s.view, item.choice) if item.choice else ""
    number = f"{item.number} " if item.number >= 0 else ""
    left, right = ("[", "]") if item == s.focus else (" ", " ")
    return f"{left}{number}{text}{right}"


def _button_rows(s: Scene, room: int) -> list[list[tuple[int, Item]]]:
    """The buttons in rows, each with its column; the one in focus is among the first rows."""
    rows: list[list[tuple[int, Item]]] = []
    x = room
    for item in s.items:
        if item.place is not Place.BUTTON:
            continue
        columns = min(room - 2, width(_button_text(s, item)))
        if x + columns > room - 1:
            rows.append([])
            x = 2
        rows[-1].append((x, item))
        x += columns + 1
    return _around_focus(s, rows)


def _around_focus(s: Scene, rows: list[list[tuple[int, Item]]]) -> list[list[tuple[int, Item]]]:
    """Drop rows from the top until the focus is among those that are shown."""
    at = next((n for n, row in enumerate(rows) if any(i == s.focus for _, i in row)), 0)
    return rows[max(0, at - _MAX_BUTTON_ROWS + 1) :]


def _buttons(s: Scene, area: Area, rows: list[list[tuple[int, Item]]]) -> None:
    for n, row in enumerate(rows):
        for x, item in row:
            text = cut(_button_text(s, item), area.width - x)
            role = Role.CHOSEN if item == s.focus else Role.STRONG
            s.grid.put(area.x + x, area.y + n, text, role)


def _number(s: Scene, area: Area) -> None:
    """A number between its bounds."""
    numbers = s.view.choices.numbers
    chosen = ready(s.view, s.ui)
    low, high = numbers[0].rest[0], numbers[-1].rest[0]
    value = chosen.rest[0] if chosen else low
    x = area.x + 3
    x = s.grid.put(x, area.y, "◄ ", Role.DIM)
    x = s.grid.put(x, area.y, f"[{value:>3} ]", Role.CHOSEN)
    x = s.grid.put(x, area.y, " ►", Role.DIM)
    s.grid.put(x, area.y, f"   {low}–{high}", Role.DIM)


# -- cards ------------------------------------------------------------------------------------


def _size(s: Scene, area: Area) -> Size | None:
    """How large the own cards are; None for a strip."""
    count = len(s.view.hand)
    for size in (Size.LARGE, Size.MEDIUM):
        if size is Size.LARGE and area.height < _LARGE_FROM - 2:
            continue
        if size is Size.MEDIUM and area.height < _MEDIUM_FROM:
            continue
        if count * (s.brush.width(size) + 1) + 1 <= min(area.width, 56 if size < 7 else 200):
            return size
    return None


def _pose(s: Scene, slot: int) -> Pose:
    item = s.item_of(slot)
    if item is None:
        said = s.focus.choice if s.focus is not None else None
        return Pose(picked=said is not None and slot in said.give)
    return Pose(
        focus=item == s.focus, picked=slot in s.ui.marked, dim=not item.usable and s.view.deciding
    )


def _hand(s: Scene, area: Area, size: Size | None) -> None:
    faces = [s.view.face(slot) for slot in s.view.hand]
    poses = [_pose(s, slot) for slot in s.view.hand]
    if size is None:
        x = area.x + max(0, (area.width - strip_width(faces, s.view.kind, area.width)) // 2)
        places = s.brush.strip(x, area.y, faces, poses, area.width)
        columns = CELL + 1
    else:
        columns = s.brush.width(size)
        x = area.x + (area.width - len(faces) * (columns + 1) + 1) // 2
        places = [x + n * (columns + 1) for n in range(len(faces))]
        for place, face, pose in zip(places, faces, poses, strict=True):
            s.brush.card(place, area.y, face, size, pose)
    for place, slot in zip(places, s.view.hand, strict=True):
        item = s.item_of(slot)
        if item is not None and item.usable:
            s.number(place, area.bottom - 1, item, columns)


# -- the question -----------------------------------------------------------------------------


def _prompt(s: Scene, area: Area) -> None:
    """Two rows: whose turn it is, and what Enter would do."""
    view, t = s.view, s.text
    x = area.x + 1
    worth = words.own_worth(s.language, view)
    own = words.own_numbers(s.language, view)
    s.right(Area(area.x, 0, area.width - 1, 1), area.y, own, Role.DIM)
    if not view.deciding:
        text = s.waiting or words.waiting(s.language, view)
        s.grid.put(x, area.y, cut(text, area.width - 4 - width(own)), Role.DIM)
        s.right(Area(area.x, 0, area.width - 1, 1), area.bottom - 1, worth, Role.DIM)
        return
    x = s.grid.put(x, area.y, t("► YOUR TURN"), Role.TURN) + 1
    room = area.x + area.width - x - 2 - width(own)
    question = situation.question(s.language, view)
    s.grid.put(x, area.y, cut(question, room), Role.STRONG)
    room = area.width - 2 - (width(worth) + 2 if worth else 0)
    text = next(
        (
            text
            for letters, more in ((False, True), (True, True), (True, False))
            if width(text := _what_enter_does(s, letters=letters, more=more)) <= room
        ),
        _what_enter_does(s, letters=True, more=False),
    )
    s.grid.put(area.x + 1, area.y + 1, cut(text, room))
    s.right(Area(area.x, 0, area.width - 1, 1), area.y + 1, worth, Role.DIM)


def _what_enter_does(s: Scene, *, letters: bool, more: bool) -> str:
    """One line; `letters`: cards by their letters, `more`: with a word about other choices."""
    view, t = s.view, s.text
    chosen = ready(view, s.ui)
    if chosen is not None:
        text = t("Enter: {0}").format(words.deed(s.language, view, chosen, letters=letters))
        value = words.outcome(s.language, view, chosen)
        if value:
            text = t("{0} = {1}").format(text, value)
        if more and variants(view, s.ui) > 1:
            text = t("{0} (Tab: another way)").format(text)
        return text
    if s.ui.marked:
        order = (*view.hand, *view.choices.table)
        picked = words.faces_of(view, order, s.ui.marked)
        return t("Picked: {0}").format(card_words(s.language, view.kind, picked))
    item = s.focus
    if item is not None and not item.usable:
        return t("This card can't be played now: ? says why.")
    if item is not None and item.slot >= 0:
        return t("Enter: pick the {0}").format(
            card_words(s.language, view.kind, [view.face(item.slot)])
        )
    return ""
