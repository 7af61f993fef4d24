"""The panel beside a wide table: the hand's tricks or what happened, and under it the chat.

Law: paints what `story` and `words` tell; it must never know a rule, and never covers the table.
"""

from __future__ import annotations

from typing import Final

from node.screen import words
from node.screen.cells import cut, wrap
from node.screen.desk import Dialog
from node.screen.scene import Area, Scene
from node.screen.story import Trick
from node.screen.theme import Role, suit_role

_CHAT_ROWS: Final = 6
_MANY: Final = 60
"""Happenings that are looked through for a panel."""


def paint(s: Scene, area: Area) -> None:
    """Paint the panel: a line at its left, then the two parts."""
    for row in range(area.y, area.bottom):
        s.grid.put(area.x, row, "│", Role.RULE)
    inner = Area(area.x + 2, area.y, area.width - 3, area.height)
    talk = bool(s.view.around.chat) or s.view.around.can_chat
    chat = _CHAT_ROWS if talk else 0
    upper = inner.above(chat)
    tricks = _tricks(s)
    if tricks:
        rows = min(len(tricks) + 1, upper.height * 2 // 3)
        _trick_rows(s, upper.top(rows), tricks)
        upper = upper.below(rows + 1)
    _log(s, upper)
    if chat:
        _chat(s, inner.foot(chat))


def _tricks(s: Scene) -> tuple[Trick, ...]:
    story = s.view.story
    if story.hand != s.view.state.hand:
        return ()
    return story.tricks + ((story.trick,) if story.trick.laid else ())


def _trick_rows(s: Scene, area: Area, tricks: tuple[Trick, ...]) -> None:
    """`3 4s Cs 2s Ada`: the cards in the order of play, and who took them."""
    view = s.view
    s.grid.put(area.x, area.y, s.text("tricks"), Role.STRONG)
    first = max(0, len(tricks) - (area.height - 1))
    for n, trick in enumerate(tricks[first:], first):
        row = area.y + 1 + n - first
        x = s.grid.put(area.x, row, f"{n + 1:>2} ", Role.DIM)
        for seat, slot in trick.laid:
            face = view.face(slot)
            text = view.kind.text(face)
            known = text != "??"
            role = suit_role(view.kind.suits, view.kind.suit(face)) if known else Role.BACK
            x = s.grid.put(x, row, text, role)
            x = s.grid.put(x, row, "*" if seat == trick.taker else " ", Role.STRONG)
        if trick.taker >= 0:
            name = s.text("you") if trick.taker == view.me else view.seat(trick.taker).name
            s.grid.put(x, row, cut(name, area.x + area.width - x), Role.DIM)


def _log(s: Scene, area: Area) -> None:
    """The last happenings, the latest at the bottom."""
    if area.height < 2:
        return
    s.grid.put(area.x, area.y, s.text("what happened"), Role.STRONG)
    room = area.height - 1
    lines: list[tuple[str, Role]] = []
    for told in reversed(s.view.story.happenings[-_MANY:]):
        text = words.happened(s.language, s.view, told)
        if not text or words.routine(told):
            continue
        wrapped = wrap(text, area.width)
        role = Role.TEXT if not lines else Role.DIM
        lines[:0] = [(line, role) for line in wrapped]
        if len(lines) >= room:
            break
    for n, (line, role) in enumerate(lines[-room:]):
        s.grid.put(area.x, area.y + 1 + n, line, role)


def _chat(s: Scene, area: Area) -> None:
    s.grid.put(area.x, area.y, s.text("chat"), Role.STRONG)
    lines: list[tuple[str, str]] = []
    for said in s.view.around.chat[-_CHAT_ROWS:]:
        first, *more = wrap(f"{said.name}: {said.text}", area.width)
        lines += [(said.name, first), *(("", line) for line in more)]
    typing = s.ui.dialog is Dialog.CHAT
    room = area.height - 1 - typing
    for n, (name, line) in enumerate(lines[-room:]):
        row = area.y + 1 + n
        s.grid.put(area.x, row, line)
        if name:
            s.grid.put(area.x, row, cut(f"{name}:", area.width), Role.NAME)
    if typing:
        row = area.bottom - 1
        x = s.grid.put(area.x, row, "> ", Role.STRONG)
        shown = s.ui.line[-(area.width - 4) :]
        x = s.grid.put(x, row, shown)
        s.grid.put(x, row, "_", Role.STRONG)
