"""A lobby as one value, and what keys do in it.

Law: pure. A notice goes in and another Room comes out; a key goes in and another RoomUi comes out,
with an effect where somebody outside has to act. It must never know a terminal, a socket, nor how
anything looks. Names and talk are cleaned where they are painted.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from node.language import following
from node.notices import (
    BackInLobby,
    CodeChanged,
    Gone,
    HostSilent,
    Joined,
    LobbyChanged,
    LobbyView,
    NotSent,
    Person,
    SessionEvent,
    Started,
    Stranger,
    Talked,
)
from node.screen.desk import MAX_TYPED, Key
from node.screen.lobby_page import SCROLLS, Over, edited, scrolled
from protocol.messages import Role

KEPT: Final = 100
"""Entries of the lobby's story."""
MAX_STRANGERS: Final = 16
"""Warnings that wait to be read: a host that makes players up fills no memory."""


class Told(Enum):
    """What an entry tells of `name`; for SAID and NOTE `text` is what is said,
    for COMING how many computer players."""

    SAID = "said"
    NOTE = "note"
    COMING = "coming"
    ALL_COMING = "all coming"
    CAME = "came"
    BOT = "bot"
    WATCHES = "watches"
    LEFT = "left"
    REMOVED = "removed"
    READY = "ready"
    UNREADY = "unready"
    CODE = "code"
    SILENT = "silent"
    BACK = "back"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Entry:
    """One thing that happened in the lobby."""

    told: Told
    name: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Invited:
    """How others get here: an invitation as text, the places of the door, the code or ""."""

    text: str
    places: tuple[str, ...]
    code: str = ""


@dataclass(frozen=True, slots=True)
class Room:
    """What has been heard.

    strangers  the keys that were warned of, with the short form of the key that the name belongs to
    warned     those of them whose warning wasn't put away yet, the oldest first
    silent     whether the host can't be reached
    log        where the log of the last match lies, "" before there is one
    can_bring  whether computer players can be brought
    settling   a match has begun since somebody last got ready: that nobody is any more isn't told
    """

    view: LobbyView | None = None
    entries: tuple[Entry, ...] = ()
    strangers: tuple[tuple[Person, str], ...] = ()
    warned: tuple[tuple[Person, str], ...] = ()
    silent: bool = False
    log: str = ""
    can_bring: bool = True
    settling: bool = False

    def heard(self, notice: SessionEvent) -> Room:
        """After a notice of the lobby; itself after any other."""
        match notice:
            case LobbyChanged(view=view):
                return self._changed(view)
            case Started():
                return replace(self, settling=True, silent=False)
            case Joined(name=name, person=person):
                if person is not None and person.role is Role.WATCH:
                    return self.add(Entry(Told.WATCHES, name))
                owner = person.owner if person is not None else ""
                return self.add(Entry(Told.BOT if owner else Told.CAME, name, owner))
            case Gone(person=person, removed=removed):
                return self.add(Entry(Told.REMOVED if removed else Told.LEFT, person.label))
            case Talked(person=person, text=text):
                return self.add(Entry(Told.SAID, person.label, text))
            case NotSent(why=why):
                return self.add(Entry(Told.NOTE, text=why))
            case CodeChanged(code=code):
                shown = replace(self.view, code=code) if self.view is not None else None
                return replace(self, view=shown).add(Entry(Told.CODE, text=code))
            case Stranger(person=person, known=known):
                one = ((person, known),)
                strangers = (*self.strangers, *one)[-MAX_STRANGERS:]
                warned = (*self.warned, *one)[-MAX_STRANGERS:]
                return replace(self, strangers=strangers, warned=warned)
            case HostSilent(back=back):
                told = Told.BACK if back else Told.SILENT
                return replace(self, silent=not back).add(Entry(told))
            case BackInLobby(log=log):
                return replace(self, log=str(log)).add(Entry(Told.OVER))
        return self

    def _changed(self, view: LobbyView) -> Room:
        """Who got ready, isn't any more, or was found to be a computer player."""
        before = self.view
        room = replace(self, view=view)
        for person in view.seated if before is not None else ():
            old = before.person(person.key) if before is not None else None
            if old is None:
                continue
            if person.owner and not old.owner:
                room = room._found_out(person)
            elif person.ready and not old.ready and not person.owner:
                room = replace(room, settling=False).add(Entry(Told.READY, person.label))
            elif old.ready and not person.ready and not person.owner and not room.settling:
                room = room.add(Entry(Told.UNREADY, person.label))
        return room

    def _found_out(self, person: Person) -> Room:
        """Somebody who has just come says whose computer player it is."""
        came = Entry(Told.CAME, person.label)
        known = Entry(Told.BOT, person.label, person.owner)
        if came not in self.entries[-8:]:
            return self.add(known)
        at = len(self.entries) - 1 - self.entries[::-1].index(came)
        return replace(self, entries=(*self.entries[:at], known, *self.entries[at + 1 :]))

    def add(self, *entries: Entry) -> Room:
        """The room with more entries."""
        if not entries:
            return self
        return replace(self, entries=(*self.entries, *entries)[-KEPT:])

    # -- what follows from it ---------------------------------------------------------------------

    @property
    def people(self) -> tuple[Person, ...]:
        """Everybody, those who sit before those who watch."""
        return (*self.view.seated, *self.view.watching) if self.view is not None else ()

    @property
    def you(self) -> Person | None:
        """This player, once the host has let it in."""
        return self.view.you if self.view is not None else None

    @property
    def hosting(self) -> bool:
        """Whether the table is this player's own."""
        return self.you is not None and self.you.host

    def is_strange(self, key: bytes) -> bool:
        """Whether the player with that key was warned of."""
        return any(person.key == key for person, _ in self.strangers)


# -- keys -----------------------------------------------------------------------------------------


class Button(Enum):
    """What can be done in a lobby; the value is its key on the keyboard."""

    READY = "r"
    START = "s"
    BOT = "b"
    INVITE = "i"
    REMOVE = "k"
    RULES = "o"
    CHAT = "c"


class Ask(Enum):
    """Effects without a value."""

    READY = "ready"
    UNREADY = "unready"
    BOT = "bot"
    START = "start"
    INVITE = "invite"
    LEAVE = "leave"
    HEED = "heed"
    """The oldest warning was read."""


@dataclass(frozen=True, slots=True)
class Speak:
    """Say a line to everybody."""

    text: str


@dataclass(frozen=True, slots=True)
class Remove:
    """Remove somebody for good."""

    key: bytes


Effect = Ask | Speak | Remove


@dataclass(frozen=True, slots=True)
class RoomUi:
    """Where the reader stands. `person` is the key of whoever is in focus, `button` an index."""

    language: str = "en"
    person: bytes = b""
    button: int = 0
    over: Over = Over.NONE
    scroll: int = 0
    line: str = ""
    invited: Invited | None = None
    notice: str = ""


def buttons(room: Room, ui: RoomUi) -> tuple[Button, ...]:
    """What can be done now."""
    view, you = room.view, room.you
    if view is None or you is None:
        return ()
    found = []
    if you.role is Role.SEAT:
        found.append(Button.READY)
        if room.hosting and view.free and room.can_bring:
            found.append(Button.START)
        if view.free and room.can_bring:
            found.append(Button.BOT)
    if room.hosting:
        found.append(Button.INVITE)
        if removable(room, ui) is not None:
            found.append(Button.REMOVE)
    return (*found, Button.RULES, Button.CHAT)


def focused(room: Room, ui: RoomUi) -> Person | None:
    """Whoever is in focus; this player if nobody is."""
    people = room.people
    found = next((person for person in people if person.key == ui.person), None)
    return found or room.you or next(iter(people), None)


def removable(room: Room, ui: RoomUi) -> Person | None:
    """Whom the host could remove: the guest in focus."""
    person = focused(room, ui)
    if person is None or person.you or not room.hosting:
        return None
    return person


def chosen(room: Room, ui: RoomUi) -> Button | None:
    """The button that Enter would press."""
    found = buttons(room, ui)
    return found[min(ui.button, len(found) - 1)] if found else None


def on_top(room: Room, ui: RoomUi) -> Over:
    """What lies over the lobby: what the reader opened, else a warning that waits."""
    if ui.over is not Over.NONE:
        return ui.over
    return Over.STRANGER if room.warned else Over.NONE


LETTERS: Final = {"h": Key.HELP, "?": Key.HELP, "l": Key.LANGUAGE, "q": Key.LEAVE}
"""For keyboards and terminals without function keys, where nothing is typed."""
_OPENS: Final = {
    Key.HELP: Over.HELP,
    Key.RULES: Over.RULES,
    Key.CHAT: Over.CHAT,
    Key.LEAVE: Over.LEAVE,
}


def press(room: Room, ui: RoomUi, key: str) -> tuple[RoomUi, Effect | None]:
    """What `key` leads to."""
    over = on_top(room, ui)
    if key == Key.INTERRUPT:
        if over is Over.LEAVE:
            return ui, Ask.LEAVE
        return _open(ui, Over.LEAVE), None
    if over is Over.CHAT:
        return _type(ui, key)
    if over is Over.NONE:
        key = LETTERS.get(key, key)
    if key == Key.LANGUAGE:
        return replace(ui, language=following(ui.language)), None
    if key in _OPENS:
        wanted = _OPENS[Key(key)]
        return _close(ui) if ui.over is wanted else _open(ui, wanted), None
    if over is not Over.NONE:
        return _in_box(room, ui, over, key)
    return _walk(room, ui, key)


def _open(ui: RoomUi, over: Over) -> RoomUi:
    return replace(ui, over=over, scroll=0, line="")


def _close(ui: RoomUi) -> RoomUi:
    return replace(ui, over=Over.NONE, scroll=0, line="", notice="")


def _type(ui: RoomUi, key: str) -> tuple[RoomUi, Effect | None]:
    if key == Key.ENTER:
        text = ui.line.strip()
        return _close(ui), Speak(text) if text else None
    if key in (Key.ESCAPE, Key.CHAT):
        return _close(ui), None
    return replace(ui, line=edited(ui.line, key, MAX_TYPED)), None


def _in_box(room: Room, ui: RoomUi, over: Over, key: str) -> tuple[RoomUi, Effect | None]:
    if key in SCROLLS:
        return replace(ui, scroll=scrolled(ui.scroll, key)), None
    if over is Over.LEAVE:
        yes = key.lower() in ("y", "s")
        return _close(ui), Ask.LEAVE if yes else None
    if over is Over.REMOVE:
        person = removable(room, ui)
        yes = key.lower() in ("y", "s") and person is not None
        return _close(ui), Remove(person.key) if yes and person is not None else None
    if key not in (Key.ENTER, Key.ESCAPE, Key.SPACE):
        return ui, None
    return _close(ui), Ask.HEED if over is Over.STRANGER else None


def _walk(room: Room, ui: RoomUi, key: str) -> tuple[RoomUi, Effect | None]:
    found = buttons(room, ui)
    if key in (Key.UP, Key.DOWN):
        return _focus(room, ui, -1 if key == Key.UP else 1), None
    if key in (Key.LEFT, Key.RIGHT, Key.TAB) and found:
        step = -1 if key == Key.LEFT else 1
        at = (min(ui.button, len(found) - 1) + step) % len(found)
        return replace(ui, button=at), None
    if key == Key.ENTER:
        button = chosen(room, ui)
        return (ui, None) if button is None else _do(room, ui, button)
    known = {button.value: button for button in found}
    if key.lower() in known:
        return _do(room, ui, known[key.lower()])
    return ui, None


def _focus(room: Room, ui: RoomUi, step: int) -> RoomUi:
    people = room.people
    here = focused(room, ui)
    if here is None:
        return ui
    at = max(0, min(len(people) - 1, people.index(here) + step))
    return replace(ui, person=people[at].key)


def _do(room: Room, ui: RoomUi, button: Button) -> tuple[RoomUi, Effect | None]:
    match button:
        case Button.READY:
            ready = room.you is not None and room.you.ready
            return ui, Ask.UNREADY if ready else Ask.READY
        case Button.START:
            return ui, Ask.START
        case Button.BOT:
            return ui, Ask.BOT
        case Button.INVITE:
            return ui, Ask.INVITE
        case Button.REMOVE:
            return _open(ui, Over.REMOVE), None
        case Button.RULES:
            return _open(ui, Over.RULES), None
        case Button.CHAT:
            return _open(ui, Over.CHAT), None
