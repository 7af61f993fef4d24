"""What happens at a table as data: one JSON object a line (`busso host --json`, `join`, `watch`).

Law: values to values. Commands come in as the same lines that a person types.

    {"event": "lobby", "free": 1, "people": [{"label": "Ada", "ready": false, ...}, ...]}
    {"event": "your_move", "moves": ["knock", ...]}      answered by one of them, or its number
"""

from __future__ import annotations

from typing import Any, Final

from node.narrate import ALL, names_of, narrate_step
from node.notices import (
    BackInLobby,
    CodeChanged,
    EvidenceKept,
    Gone,
    HostSilent,
    Joined,
    LobbyChanged,
    LobbyView,
    NotSent,
    Person,
    Presence,
    Refused,
    SessionEvent,
    Started,
    Stranger,
    Suspended,
    Talked,
)
from node.waiting import Absent, Waiting
from node.words import spoken
from protocol.table import Advanced, CutBack, Finished, Voted, YourMove

MAX_MOVES: Final = 200
"""More choices than this aren't listed."""


def event_data(event: SessionEvent, seat: int | None) -> dict[str, Any] | None:
    """An event as JSON takes it; None for what only nodes care about. `seat` is this player's in
    the match, None before it and for a spectator."""
    return _lobby_data(event) or _match_data(event, seat)


def _lobby_data(event: SessionEvent) -> dict[str, Any] | None:
    match event:
        case LobbyChanged(view=view):
            return {"event": "lobby", **lobby_data(view)}
        case Joined(person=person, name=name, free=free):
            who = person_data(person) if person is not None else {"label": name}
            return {"event": "joined", "free": free, "person": who}
        case Gone(person=person, removed=removed):
            return {"event": "gone", "person": person_data(person), "removed": removed}
        case Talked(person=person, text=text):
            return {"event": "chat", "label": person.label, "text": text}
        case NotSent(why=why):
            return {"event": "refused", "text": why}
        case CodeChanged(code=code):
            return {"event": "code", "code": code}
        case Stranger(person=person, known=known):
            return {
                "event": "warning",
                "person": person_data(person),
                "known": known,
                "words": spoken(person.key).split(),
            }
        case HostSilent(back=back):
            return {"event": "host", "there": back}
        case BackInLobby(log=log):
            return {"event": "back", "log": str(log)}
    return None


def _match_data(event: SessionEvent, seat: int | None) -> dict[str, Any] | None:
    match event:
        case Started(table=table, seat=own, log=log):
            seats = list(table.header.header.labels)
            return {"event": "started", "seat": own, "seats": seats, "log": str(log)}
        case Advanced(step=step, before=before, after=after):
            lines = narrate_step(step, before, after, deck=after.state.faces, view=ALL)
            kind = step.entries[0].kind.value
            authors = [entry.seat for entry in step.entries]
            return {
                "event": "step",
                "step": before.step,
                "kind": kind,
                "seats": authors,
                "lines": lines,
            }
        case YourMove(position=position):
            return {
                "event": "your_move",
                "step": position.step,
                "players": list(names_of(position)),
                "moves": _moves(event, seat),
            }
        case Refused(error=error):
            return {"event": "illegal", "rule": error.rule, "text": str(error)}
        case Presence(seat=other, up=up):
            return {"event": "presence", "seat": other, "up": up}
        case Waiting(seats=waited, away=away, left=left):
            return {"event": "waiting", "seats": list(waited), "away": list(away), "left": left}
        case Absent(seats=missing):
            return {"event": "absent", "seats": list(missing)}
        case Suspended(seats=missing):
            return {"event": "suspended", "seats": list(missing)}
        case Voted(seat=other, away=away, closing=closing):
            return {"event": "vote", "seat": other, "away": list(away), "closing": closing}
        case CutBack(step=first):
            return {"event": "cut", "step": first}
        case EvidenceKept(accused=accused, path=path):
            fault = accused.fault
            return {
                "event": "evidence",
                "seat": fault.seat,
                "step": fault.step,
                "path": str(path),
            }
        case Finished():
            return {"event": "finished"}
    return None


def _moves(event: YourMove, seat: int | None) -> list[str]:
    """What may be answered, in notation; nothing where there is too much of it."""
    if seat is None or seat not in event.position.order:
        return []
    view = event.view
    legal = view.legal(event.position.chair(seat))
    return [view.game.format(view, move) for move in legal] if len(legal) <= MAX_MOVES else []


def lobby_data(view: LobbyView) -> dict[str, Any]:
    """A lobby with its people."""
    return {
        "game": view.card.game,
        "options": dict(view.card.options),
        "seats": view.card.seats,
        "free": view.free,
        "code": view.code,
        "people": [person_data(person) for person in view.people],
    }


def person_data(person: Person) -> dict[str, Any]:
    """One member of a table."""
    return {
        "label": person.label,
        "name": person.name,
        "key": person.key.hex(),
        "role": person.role.value,
        "ready": person.ready,
        "owner": person.owner,
        "host": person.host,
        "you": person.you,
    }
