"""A lobby painted: who is there, what can be done, what was said, the invitation.

Law: pure: a Room and a size become a grid. It must never know a rule, nor decide anything.

    columns   60 .. 79                      80 .. 109            110 ..
    --------  ----------------------------  -------------------  ---------------------------
    story     its last entry at the bottom  26 columns beside    38 columns beside
    words     under the list, of the focus  the same             three words beside each name
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from engine import registry
from engine.errors import EngineError
from engine.options import from_items
from node.code import show_code
from node.invitation import qr_lines
from node.language import Language, mark
from node.notices import Person
from node.screen.cells import Grid, clean, cut, fill, width, wrap
from node.screen.lobby_page import (
    Edges,
    Over,
    Page,
    Rows,
    box,
    finish,
    finish_plain,
    indented,
    inner_width,
    keys_table,
    page,
    prose,
    too_small,
    typed_line,
)
from node.screen.lobby_room import (
    Button,
    Entry,
    Room,
    RoomUi,
    Told,
    buttons,
    chosen,
    focused,
    on_top,
    removable,
)
from node.screen.lobby_rules import rules_rows, terms
from node.screen.lobby_terms import rules_name
from node.screen.paint import SIDE_FROM, WIDE_FROM
from node.screen.scene import Area
from node.screen.theme import Role as Look
from node.screen.theme import Theme, ThemeName
from node.screen.words import join_names
from node.words import spoken
from protocol.messages import Role, TableCard

_SIDE: Final = 26
_WIDE_SIDE: Final = 38
_NAME: Final = 18


@dataclass(frozen=True, slots=True)
class _Scene:
    page: Page
    room: Room
    ui: RoomUi
    over: Over

    def text(self, message: str) -> str:
        return self.page.text(message)


def paint_lobby(room: Room, columns: int, rows: int, theme: Theme, ui: RoomUi) -> Grid:
    """The screen of `columns` x `rows` cells, in the language of `ui`."""
    p = page(columns, rows, theme, ui.language)
    if p is None:
        return too_small(columns, rows, theme, ui.language)
    s = _Scene(p, room, ui, on_top(room, ui))
    if s.over is Over.INVITE and ui.invited is not None:
        return _invitation(s, columns, rows)
    side = 0 if columns < SIDE_FROM else _SIDE if columns < WIDE_FROM else _WIDE_SIDE
    main = Area(0, 1, columns - side, p.area.height)
    if room.view is None:
        text = s.text("Sitting down at the table.")
        p.grid.put((columns - width(text)) // 2, rows // 2, text, Look.STRONG)
    else:
        _people(s, main)
        if side:
            _story(s, Area(columns - side, 1, side, p.area.height))
    _over(s, p.area if s.over is not Over.CHAT else main, side > 0)
    return finish(p, _edges(s, side > 0))


# -- edges ----------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _known(card: TableCard) -> tuple[Any, Any] | None:
    """The game of a card and its options; None where this program doesn't know them."""
    try:
        game = registry.get(card.game)
        return game, from_items(game.options_type, card.options)
    except EngineError:
        return None


def game_words(language: Language, card: TableCard) -> str:
    """`Petrangola, marche`."""
    known = _known(card)
    if known is None:
        return clean(card.game)
    return f"{known[0].title}, {rules_name(language, *known)}"


def _edges(s: _Scene, side: bool) -> Edges:
    t, view = s.text, s.room.view
    left, right = "Busso", ""
    if view is not None:
        left = f"“{clean(view.card.name)}” · {game_words(s.page.language, view.card)}"
        if view.code:
            right = t("code {0}").format(show_code(view.code))
    last = ""
    if not side and s.room.entries and s.over is not Over.CHAT:
        last = told_words(s.page.language, s.room.entries[-1])
    long = t("F1 help F2 rules F3 chat F9 language F10 leave")
    warning = t("The host doesn't answer; waiting.") if s.room.silent else ""
    return Edges(left, right, _hints(s), long, last, warning)


def _hints(s: _Scene) -> list[str]:
    t = s.text
    match s.over:
        case Over.CHAT:
            return [t("Enter sends"), t("Esc closes")]
        case Over.LEAVE:
            return [t("y leaves"), t("any other key stays")]
        case Over.REMOVE:
            return [t("y removes"), t("any other key keeps")]
        case Over.NONE:
            return [t("←→ choose"), t("Enter does it"), t("↑↓ people")]
    return [t("Enter goes on"), t("↑↓ scroll")]


# -- the people -----------------------------------------------------------------------------------


def _people(s: _Scene, area: Area) -> None:
    """The seats, whoever watches, the state of things, and what can be done."""
    p, view, ui = s.page, s.room.view, s.ui
    if view is None:
        return
    button_rows = _buttons(s, area)
    foot = area.above(button_rows + 1)
    state = wrap(state_words(p.language, s.room), area.width - 3)[:2]
    for n, line in enumerate(state):
        p.grid.put(1, foot.bottom - len(state) + n, line, Look.STRONG)
    _focus_words(s, foot.above(len(state)).foot(1))
    listed = foot.above(len(state) + 2)
    here = focused(s.room, ui)
    taken = s.text("Seats: {0} of {1} taken").format(len(view.seated), view.card.seats)
    p.grid.put(1, listed.y, cut(taken, listed.width - 2), Look.STRONG)
    listed = listed.below(1)
    rows: list[tuple[str, Person | None]] = [("", person) for person in view.seated]
    if view.free:
        text = p.language.count("{n} free seat", "{n} free seats", view.free)
        rows.append((f"  · {text}", None))
    if view.watching:
        rows.append((s.text("They watch:"), None))
        rows += [("", person) for person in view.watching]
    at = next((n for n, (_, who) in enumerate(rows) if who is not None and who == here), 0)
    first = max(0, min(at - listed.height // 2, len(rows) - listed.height))
    for n, (text, who) in enumerate(rows[first : first + listed.height]):
        if who is None:
            role = Look.DIM if text.startswith(" ") else Look.STRONG
            p.grid.put(1, listed.y + n, cut(text, listed.width - 2), role)
        else:
            _person(s, Area(0, listed.y + n, listed.width, 1), who, who == here)
    if first > 0:
        p.grid.put(listed.width - 3, listed.y, "↑", Look.STRONG)
    if first + listed.height < len(rows):
        p.grid.put(listed.width - 3, listed.bottom - 1, "↓", Look.STRONG)


def _person(s: _Scene, area: Area, person: Person, here: bool) -> None:
    """One row: ready or not, the name, what there is to know."""
    grid, t = s.page.grid, s.text
    if here:
        grid.put(1, area.y, "►", Look.STRONG)
    watches = person.role is Role.WATCH
    mark = " " if watches else "✓" if person.ready else "…"
    grid.put(3, area.y, mark, Look.FAIR if person.ready else Look.DIM)
    name = fill(clean(person.label), _NAME)
    strange = s.room.is_strange(person.key)
    x = grid.put(5, area.y, name, Look.WARN if strange else Look.NAME) + 1
    notes = []
    if person.you:
        notes.append(t("you"))
    if person.host:
        notes.append(t("host"))
    if person.owner:
        notes.append(t("computer player of {0}").format(clean(person.owner)))
    if strange:
        notes.append(t("another key!"))
    if not watches and not person.owner:
        notes.append(t("ready") if person.ready else t("not ready yet"))
    words = "" if person.owner or area.width < WIDE_FROM - _WIDE_SIDE else spoken(person.key)
    room = area.width - x - (width(words) + 3 if words else 1)
    grid.put(x, area.y, cut(", ".join(notes), room), Look.WARN if strange else Look.TEXT)
    if words:
        grid.put(area.width - width(words) - 2, area.y, words, Look.DIM)


def _focus_words(s: _Scene, area: Area) -> None:
    """The three words of whoever is in focus, which that player sees as well."""
    person = focused(s.room, s.ui)
    if person is None:
        return
    words = spoken(person.key)
    if person.you:
        text = s.text("Your three words: {0}").format(words)
    elif person.owner:
        text = s.text("{0} plays at the computer of {1}.").format(
            clean(person.label), clean(person.owner)
        )
    else:
        text = s.text("The three words of {0}: {1}").format(clean(person.label), words)
    s.page.grid.put(1, area.y, cut(text, area.width - 2), Look.DIM)


def state_words(language: Language, room: Room) -> str:
    """What the table waits for."""
    view, t = room.view, language.text
    if view is None:
        return ""
    if view.card.playing:
        return t("A match is on; you come in as it goes on.")
    if view.free:
        return language.count(
            "{n} seat is free: the match begins when it is taken and all are ready.",
            "{n} seats are free: the match begins when they are taken and all are ready.",
            view.free,
        )
    awaited = view.awaited
    if not awaited:
        return t("Everybody is ready: the rules are being signed.")
    others = [clean(person.label) for person in awaited if not person.you]
    if len(others) < len(awaited):
        if not others:
            return t("Everybody waits for you: get ready.")
        return t("The match waits for you and {0}.").format(join_names(language, others))
    return t("The match waits for {0}.").format(join_names(language, others))


def _label(s: _Scene, button: Button) -> str:
    t = s.text
    match button:
        case Button.READY:
            ready = s.room.you is not None and s.room.you.ready
            return t("Not ready after all") if ready else t("Ready")
        case Button.START:
            return t("Start with computer players")
        case Button.BOT:
            return t("Computer player")
        case Button.INVITE:
            return t("Invite")
        case Button.REMOVE:
            person = removable(s.room, s.ui)
            return t("Remove {0}").format(cut(clean(person.label), 14) if person else "")
        case Button.RULES:
            return t("Rules")
        case Button.CHAT:
            return t("Chat")


def _buttons(s: _Scene, area: Area) -> int:
    """The buttons at the foot of `area`; how many rows they take."""
    here = chosen(s.room, s.ui)
    lines: list[list[tuple[Button, str]]] = [[]]
    x = 1
    for button in buttons(s.room, s.ui):
        text = f"{button.value} {_label(s, button)}"
        if x > 1 and x + width(text) + 5 > area.width:
            lines.append([])
            x = 1
        lines[-1].append((button, text))
        x += width(text) + 5
    for n, line in enumerate(lines):
        x, y = 1, area.bottom - len(lines) + n
        for button, text in line:
            chose = button is here and s.over is Over.NONE
            a, b = ("[", "]") if not chose else ("►", "◄")
            x = s.page.grid.put(x, y, f"{a} {text} {b}", Look.CHOSEN if chose else Look.TEXT) + 1
    return len(lines)


# -- the story ------------------------------------------------------------------------------------


_TOLD: Final = {
    Told.CAME: mark("{0} sits down."),
    Told.BOT: mark("{0}, a computer player of {1}, sits down."),
    Told.WATCHES: mark("{0} comes to watch."),
    Told.LEFT: mark("{0} leaves."),
    Told.REMOVED: mark("{0} was removed."),
    Told.READY: mark("{0} is ready."),
    Told.UNREADY: mark("{0} is not ready any more."),
    Told.SILENT: mark("The host doesn't answer; waiting."),
    Told.BACK: mark("The host is there again."),
    Told.COMING: mark("Computer players on their way: {1}"),
    Told.ALL_COMING: mark("A computer player is on its way to every free seat."),
    Told.OVER: mark("The match is over. Another one? Get ready."),
}


def told_words(language: Language, entry: Entry) -> str:
    """One entry as a sentence."""
    name, text = clean(entry.name), clean(entry.text)
    match entry.told:
        case Told.SAID:
            return f"{name}: {text}"
        case Told.NOTE:
            return language.retold(text)
        case Told.CODE:
            sentence = language.text("Too many wrong codes: the code is {0} now.")
            return sentence.format(show_code(entry.text))
    return language.text(_TOLD[entry.told]).format(name, text)


def _story(s: _Scene, area: Area) -> None:
    """What happened and what was said, the latest at the bottom, and the line being written."""
    grid = s.page.grid
    for row in range(area.y, area.bottom):
        grid.put(area.x, row, "│", Look.RULE)
    inner = Area(area.x + 2, area.y, area.width - 3, area.height)
    grid.put(inner.x, inner.y, s.text("chat"), Look.STRONG)
    typing = s.over is Over.CHAT
    body = inner.below(1).above(1 if typing else 0)
    lines: list[tuple[str, Entry]] = []
    for entry in reversed(s.room.entries):
        text = told_words(s.page.language, entry)
        lines[:0] = [(line, entry) for line in wrap(text, inner.width)]
        if len(lines) >= body.height:
            break
    last = None
    for n, (line, entry) in enumerate(lines[-body.height :]):
        row = body.y + n
        said = entry.told is Told.SAID
        grid.put(inner.x, row, line, Look.TEXT if said else Look.DIM)
        if said and entry is not last:
            grid.put(inner.x, row, cut(f"{clean(entry.name)}:", inner.width), Look.NAME)
        last = entry
    if typing:
        grid.spans(inner.x, inner.bottom - 1, typed_line(s.ui.line, inner.width), inner.width)


# -- boxes ----------------------------------------------------------------------------------------


def _over(s: _Scene, area: Area, side: bool) -> None:
    if s.over is Over.NONE or (s.over is Over.CHAT and side):
        return
    room = inner_width(area)
    title, rows = _contents(s, room)
    box(s.page, area, title, rows, scroll=s.ui.scroll, tail=s.over is Over.CHAT)


def _contents(s: _Scene, room: int) -> tuple[str, Rows]:
    t, view = s.text, s.room.view
    match s.over:
        case Over.HELP:
            return t("Keys"), _help(s, room)
        case Over.RULES if view is not None:
            known = _known(view.card)
            extensions = dict(view.card.extensions)
            rows = terms(s.page.language, known, view.card.seats, extensions, room)
            if known is not None:
                rows += [[], *rules_rows(s.page.language, known[0].name, room)]
            return t("The rules of this table"), rows
        case Over.CHAT:
            rows = []
            for entry in s.room.entries[-20:]:
                rows += prose(told_words(s.page.language, entry), room)
            return t("Chat"), [*rows, [*typed_line(s.ui.line, room), (" " * 20, Look.TEXT)]]
        case Over.LEAVE:
            return t("Leave the table?"), _leave(s, room)
        case Over.REMOVE:
            person = removable(s.room, s.ui)
            name = clean(person.label) if person else ""
            rows = prose(t("{0} can't come back to this table.").format(name), room)
            rows += prose(t("y removes, any other key keeps."), room, Look.STRONG)
            return t("Remove {0}?").format(cut(name, room - 16)), rows
        case Over.STRANGER if s.room.warned:
            return t("WARNING: a known name with another key"), _stranger(s, room)
        case _:
            text = clean(s.page.language.retold(s.ui.notice))
            return t("Please note"), prose(text, room)


def _help(s: _Scene, room: int) -> Rows:
    t = s.text
    keys = (
        ("← →", t("choose a button; Enter does what it says, so does its letter")),
        ("↑ ↓", t("go through the people, to see their three words or to remove one")),
        ("F2 o", t("all rules of this table, and those of the game")),
        ("F3 c", t("write to the others")),
        ("F9 l", t("the other language, at once")),
        ("F10 q", t("leave the table")),
    )
    rows = keys_table(s.page, keys, room)
    rows.append([])
    text = t(
        "The three words belong to a player's key. Ask for them aloud: who says others isn't "
        "the one you think."
    )
    return rows + prose(text, room)


def _leave(s: _Scene, room: int) -> Rows:
    t = s.text
    if s.room.hosting and len(s.room.people) > 1:
        rows = prose(t("The table is yours: without you it closes for all."), room)
    else:
        rows = prose(t("Your seat is free for somebody else then."), room)
    return rows + prose(t("y leaves the table, any other key stays."), room, Look.STRONG)


def _stranger(s: _Scene, room: int) -> Rows:
    t, (person, known) = s.text, s.room.warned[0]
    name = clean(person.name)
    text = t("{0} uses a name that you know, with another key. This may be somebody else.")
    rows = prose(text.format(clean(person.label)), room, Look.WARN)
    rows += prose(t("The one you know is {0}·{1}.").format(name, known), room)
    rows += [[], *prose(t("Ask for the three words. They should be:"), room)]
    rows += indented(spoken(person.key), room, Look.STRONG)
    return [*rows, [], *prose(t("Enter: you have read this."), room, Look.DIM)]


# -- the invitation -------------------------------------------------------------------------------

_BORDERS: Final = (2, 1)
"""Squares around a QR code: two, or one where there is no room."""


@lru_cache(maxsize=8)
def _code_picture(text: str, ascii_only: bool, border: int) -> tuple[str, ...]:
    return qr_lines(text.replace("-", ""), ascii_only=ascii_only, border=border)


def _invitation(s: _Scene, columns: int, rows: int) -> Grid:
    """The QR code as large as it is, and beside or under it what to type instead."""
    p, t, invited = s.page, s.text, s.ui.invited
    grid = p.grid
    if invited is None:
        return grid
    found = None
    for border in _BORDERS:
        picture = _code_picture(invited.text, not p.theme.unicode, border)
        if len(picture) <= rows - 1 and len(picture[0]) <= columns - 22:
            found = picture
            break
    light = Look.BAR if p.theme.name is ThemeName.LIGHT else Look.TEXT
    x = 1
    for n, line in enumerate(found or ()):
        grid.put(1, n, line, light)
        x = len(line) + 3
    lines: Rows = prose(t("Invitation"), columns - x - 1, Look.STRONG)
    room = columns - x - 1
    if found is None:
        size = _code_picture(invited.text, not p.theme.unicode, 1)
        text = t("The QR code needs a window of {0} columns and {1} rows.")
        lines += prose(text.format(len(size[0]) + 22, len(size) + 1), room, Look.DIM)
    else:
        lines += prose(t("Photograph it, or type:"), room)
    lines += [[("busso join", Look.STRONG)], *prose(_typable(invited.text, room), room)]
    if invited.places:
        lines += [[], *prose(t("Or the address:"), room)]
        lines += [[(cut(place, room), Look.STRONG)] for place in invited.places[:3]]
    if invited.code:
        lines += [[], *prose(t("code {0}").format(show_code(invited.code)), room, Look.STRONG)]
    lines += [[], [(t("Enter goes on"), Look.DIM)]]
    for n, row in enumerate(lines[: rows - 1]):
        grid.spans(x, n, row, room)
    return finish_plain(p)


def _typable(text: str, room: int) -> str:
    """An invitation with blanks where its lines may end; it is read with them as well."""
    lines: list[str] = []
    line = ""
    for group in text.split("-"):
        together = f"{line}-{group}" if line else group
        if width(together) >= room and line:
            lines.append(f"{line}-")
            together = group
        line = together
    return " ".join([*lines, line])
