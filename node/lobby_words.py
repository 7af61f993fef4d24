"""What happens in a lobby as sentences: one pure function for events, one for each list.

Law: values to lines. It must never know a terminal, a socket or a clock.
"""

from __future__ import annotations

from typing import Any

from engine import options as rules
from engine import registry
from engine.errors import EngineError
from node.code import show_code
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
    Stranger,
    Talked,
)
from node.words import spoken
from protocol.messages import Role, TableCard
from protocol.stages import HANDS_EXTENSION


def person_line(person: Person) -> str:
    """One member of a table."""
    marks = []
    if person.you:
        marks.append("you")
    if person.host:
        marks.append("host")
    if person.owner:
        marks.append(f"a computer player of {person.owner}")
    if person.role is Role.WATCH:
        marks.append("watches")
    else:
        marks.append("ready" if person.ready else "not ready yet")
    return f"{person.label} ({', '.join(marks)})"


def people_lines(view: LobbyView) -> list[str]:
    """Who is there, and what the table waits for."""
    lines = [f"  {person_line(person)}" for person in view.people]
    return [*lines, waiting_line(view)]


def waiting_line(view: LobbyView) -> str:
    """What keeps the match from beginning."""
    if view.free:
        return f"Seats still free: {view.free} of {view.card.seats}."
    if view.awaited:
        names = ", ".join("you" if person.you else person.label for person in view.awaited)
        return f"Every seat is taken. The match waits for: {names}."
    return "Everybody is ready."


def option_lines(card: TableCard) -> list[str]:
    """The rules of a table in full."""
    try:
        game = registry.get(card.game)
        options: Any = rules.from_items(game.options_type, card.options)
    except EngineError as error:
        return [f"{card.game}: {error}."]
    preset, differing = rules.preset_of(options, game.presets)
    house = f", but {', '.join(differing)}" if differing else ""
    lines = [f"{game.title} for {card.seats}, rules {preset}{house}."]
    lines += [f"  {name} = {rules.text_of(options, name)}" for name in rules.specs(type(options))]
    hands = dict(card.extensions).get(HANDS_EXTENSION)
    if hands:
        lines.append(f"  The match is closed after {hands} hand{'' if hands == 1 else 's'}.")
    return lines


def lobby_lines(event: SessionEvent, before: LobbyView | None) -> list[str]:
    """What to say of an event between matches; `before` is the lobby as it was last told."""
    match event:
        case Joined(person=person, name=name, free=free):
            if person is not None and person.role is Role.WATCH:
                return [f"{name} has come to watch."]
            owner = f" ({person.owner}'s computer player)" if person and person.owner else ""
            return [f"{name}{owner} sits down; seats still free: {free}."]
        case Gone(person=person, removed=removed):
            return [f"{person.label} {'was removed from' if removed else 'has left'} the table."]
        case LobbyChanged(view=view):
            return _changed(view, before)
        case Talked(person=person, text=text):
            return [f"<{person.label}> {text}"]
        case NotSent(why=why):
            return [why]
        case CodeChanged(code=code):
            return [
                "Too many wrong codes were tried, so this table has a new one.",
                f"The code is now {show_code(code)}.",
            ]
        case Stranger(person=person, known=known):
            return [
                f"WARNING: {person.label} uses a name that you know, with another key.",
                f"  The one you know is {person.name}\u00b7{known}. This may be somebody else.",
                f"  Ask for the three words: they should be '{spoken(person.key)}'.",
            ]
        case HostSilent(back=back):
            return ["The host is there again." if back else "The host doesn't answer; waiting."]
        case BackInLobby(log=log):
            return [f"The log: {log}", "'ready' for another match with the same players."]
    return []


def _changed(view: LobbyView, before: LobbyView | None) -> list[str]:
    """Who got ready or was found to be a bot, and what the table waits for now."""
    if before is None or not before.people:
        return [*option_lines(view.card), *people_lines(view)]
    lines = []
    for person in view.people:
        old = before.person(person.key)
        if old is None or person.role is Role.WATCH:
            continue
        if person.owner and not old.owner:
            lines.append(f"{person.label} is a computer player of {person.owner}.")
        if person.ready and not old.ready:
            lines.append(f"{'You are' if person.you else f'{person.label} is'} ready.")
        if old.ready and not person.ready and not view.card.playing:
            lines.append(f"{'You are' if person.you else f'{person.label} is'} not ready any more.")
    if not view.free and waiting_line(view) != waiting_line(before):
        lines.append(waiting_line(view))
    return lines
