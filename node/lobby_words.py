"""What happens in a lobby as sentences: one pure function for events, one for each list.

Law: values to lines. It must never know a terminal, a socket or a clock.
"""

from __future__ import annotations

from typing import Any, Final

from engine import options as rules
from engine import registry
from engine.errors import EngineError
from node.code import show_code
from node.language import ENGLISH, Language, mark
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


def person_line(person: Person, *, language: Language = ENGLISH) -> str:
    """One member of a table."""
    t = language.text
    marks = []
    if person.you:
        marks.append(t("you"))
    if person.host:
        marks.append(t("host"))
    if person.owner:
        marks.append(t("a computer player of {owner}").format(owner=person.owner))
    if person.role is Role.WATCH:
        marks.append(t("watches"))
    else:
        marks.append(t("ready") if person.ready else t("not ready yet"))
    return f"{person.label} ({', '.join(marks)})"


def people_lines(view: LobbyView, *, language: Language = ENGLISH) -> list[str]:
    """Who is there, and what the table waits for."""
    lines = [f"  {person_line(person, language=language)}" for person in view.people]
    return [*lines, waiting_line(view, language=language)]


def waiting_line(view: LobbyView, *, language: Language = ENGLISH) -> str:
    """What keeps the match from beginning."""
    t = language.text
    if view.free:
        told = t("Seats still free: {free} of {seats}.")
        return told.format(free=view.free, seats=view.card.seats)
    if view.awaited:
        you = t("you")
        names = ", ".join(you if person.you else person.label for person in view.awaited)
        return t("Every seat is taken. The match waits for: {names}.").format(names=names)
    return t("Everybody is ready.")


def option_lines(card: TableCard, *, language: Language = ENGLISH) -> list[str]:
    """The rules of a table in full."""
    t = language.text
    try:
        game = registry.get(card.game)
        options: Any = rules.from_items(game.options_type, card.options)
    except EngineError as error:
        return [f"{card.game}: {language.retold(str(error))}."]
    preset, differing = rules.preset_of(options, game.presets)
    told = t("{game} for {seats}, rules {preset}.")
    if differing:
        told = t("{game} for {seats}, rules {preset}, but {differing}.")
    own = ", ".join(differing)
    lines = [told.format(game=game.title, seats=card.seats, preset=preset, differing=own)]
    lines += [f"  {name} = {rules.text_of(options, name)}" for name in rules.specs(type(options))]
    hands = dict(card.extensions).get(HANDS_EXTENSION)
    if hands:
        ends = language.count(
            "The match is closed after {n} hand.",
            "The match is closed after {n} hands.",
            int(hands),
        )
        lines.append(f"  {ends}")
    return lines


def lobby_lines(
    event: SessionEvent, before: LobbyView | None, *, language: Language = ENGLISH
) -> list[str]:
    """What to say of an event between matches; `before` is the lobby as it was last told."""
    t = language.text
    match event:
        case Joined(person=person, name=name, free=free):
            if person is not None and person.role is Role.WATCH:
                return [t("{name} has come to watch.").format(name=name)]
            told = t("{name} sits down; seats still free: {free}.")
            owner = person.owner if person is not None else ""
            if owner:
                told = t("{name} ({owner}'s computer player) sits down; seats still free: {free}.")
            return [told.format(name=name, owner=owner, free=free)]
        case Gone(person=person, removed=removed):
            told = t("{name} was removed from the table.") if removed else t(_LEFT)
            return [told.format(name=person.label)]
        case LobbyChanged(view=view):
            return _changed(view, before, language)
        case Talked(person=person, text=text):
            return [f"<{person.label}> {text}"]
        case NotSent(why=why):
            return [language.retold(why)]
        case CodeChanged(code=code):
            return [
                t("Too many wrong codes were tried, so this table has a new one."),
                t("The code is now {code}.").format(code=show_code(code)),
            ]
        case Stranger(person=person, known=known):
            return [
                t("WARNING: {name} uses a name that you know, with another key.").format(
                    name=person.label
                ),
                "  "
                + t("The one you know is {name}. This may be somebody else.").format(
                    name=f"{person.name}\u00b7{known}"
                ),
                "  "
                + t("Ask for the three words: they should be '{words}'.").format(
                    words=spoken(person.key)
                ),
            ]
        case HostSilent(back=back):
            return [t("The host is there again." if back else "The host doesn't answer; waiting.")]
        case BackInLobby(log=log):
            return [
                t("The log: {path}").format(path=log),
                t("'ready' for another match with the same players."),
            ]
    return []


_LEFT: Final = mark("{name} has left the table.")


def _changed(view: LobbyView, before: LobbyView | None, language: Language) -> list[str]:
    """Who got ready or was found to be a bot, and what the table waits for now."""
    if before is None or not before.people:
        options = option_lines(view.card, language=language)
        return [*options, *people_lines(view, language=language)]
    lines = []
    for person in view.people:
        old = before.person(person.key)
        if old is None or person.role is Role.WATCH:
            continue
        if person.owner and not old.owner:
            told = language.text("{name} is a computer player of {owner}.")
            lines.append(told.format(name=person.label, owner=person.owner))
        if person.ready and not old.ready:
            told = language.text("You are ready." if person.you else "{name} is ready.")
            lines.append(told.format(name=person.label))
        if old.ready and not person.ready and not view.card.playing:
            told = language.text(
                "You are not ready any more." if person.you else "{name} is not ready any more."
            )
            lines.append(told.format(name=person.label))
    if not view.free and waiting_line(view) != waiting_line(before):
        lines.append(waiting_line(view, language=language))
    return lines
