"""`--json` tells everything that a person is told, as JSON that any reader takes."""

from __future__ import annotations

import json
import types
from pathlib import Path
from typing import Any, get_args

import pytest

from engine.errors import IllegalMove
from node import notices
from node.notices import LobbyView, Person, SessionEvent
from node.waiting import Absent, Waiting
from protocol import table as tables
from protocol.errors import Fault
from protocol.messages import Role
from tests.node.test_lobby import GUEST, card
from tools.json_events import event_data

BRUNO = Person(GUEST.public, "Bruno", "Bruno·k7f2", Role.SEAT, ready=True, owner="Ada")
FAULT = Fault(1, 7, "proof", "a wrong proof")
SAMPLES: tuple[tuple[SessionEvent, dict[str, Any]], ...] = (
    (notices.LobbyChanged(LobbyView(card(), (BRUNO,), "K7F29QXM")), {"code": "K7F29QXM"}),
    (notices.Joined("Bruno", 2, BRUNO), {"event": "joined", "free": 2}),
    (notices.Joined("Bruno", 2), {"person": {"label": "Bruno"}}),
    (notices.Gone(BRUNO, removed=True), {"event": "gone", "removed": True}),
    (notices.Talked(BRUNO, "ciao"), {"event": "chat", "label": "Bruno·k7f2", "text": "ciao"}),
    (notices.NotSent("No."), {"event": "refused", "text": "No."}),
    (notices.CodeChanged("K7F29QXM"), {"event": "code", "code": "K7F29QXM"}),
    (notices.Stranger(BRUNO, "abcd"), {"event": "warning", "known": "abcd"}),
    (notices.HostSilent(back=True), {"event": "host", "there": True}),
    (notices.BackInLobby(Path("x")), {"event": "back", "log": "x"}),
    (notices.Presence(1, up=False), {"event": "presence", "seat": 1, "up": False}),
    (notices.Suspended((1, 2)), {"event": "suspended", "seats": [1, 2]}),
    (Waiting((1,), (1,), 3.0), {"event": "waiting", "away": [1], "left": 3.0}),
    (Absent((1,)), {"event": "absent", "seats": [1]}),
    (tables.Voted(1, (2,)), {"event": "vote", "seat": 1, "away": [2], "closing": False}),
    (tables.Voted(1, (2,), closing=True), {"event": "vote", "away": [2], "closing": True}),
    (tables.CutBack(9, None), {"event": "cut", "step": 9}),
    (
        notices.EvidenceKept(tables.Accused(FAULT, b"", ()), Path("e")),
        {"event": "evidence", "seat": 1, "step": 7, "path": "e"},
    ),
)
PLAYED = {"Started", "Advanced", "YourMove", "Refused", "Finished"}
"""What takes a real match: `test_host.py`."""
NODES_ONLY = {"Outgoing", "Accused", "Stands"}
"""What comes in another event besides, or only nodes care about."""


def kinds(union: Any) -> set[str]:
    """The names of all classes of a union."""
    parts = get_args(union)
    if not parts:
        return {union.__name__}
    return {name for part in parts for name in kinds(part)}


@pytest.mark.parametrize(("event", "said"), SAMPLES, ids=lambda v: type(v).__name__)
def test_an_event_is_told(event: SessionEvent, said: dict[str, Any]) -> None:
    value = event_data(event, 0)
    assert value is not None
    assert said.items() <= value.items()
    assert json.loads(json.dumps(value)) == value


def test_every_event_is_told_or_left_out_on_purpose() -> None:
    told = {type(event).__name__ for event, _ in SAMPLES}
    assert told | PLAYED | NODES_ONLY == kinds(SessionEvent)


def test_a_refused_move_names_its_rule() -> None:
    decision = types.SimpleNamespace()
    event = notices.Refused(IllegalMove("PET-22", "not now"), decision)  # type: ignore[arg-type] # it isn't looked at
    assert event_data(event, 0) == {"event": "illegal", "rule": "PET-22", "text": "not now"}
