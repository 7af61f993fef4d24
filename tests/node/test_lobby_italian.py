"""The lobby in Italian: what is told, what may be typed; no English is left."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from node.language import language
from node.lobby_words import lobby_lines
from node.notices import (
    BackInLobby,
    CodeChanged,
    Gone,
    HostSilent,
    Joined,
    LobbyChanged,
    LobbyView,
    NotSent,
    SessionEvent,
    Stranger,
)
from node.plain import Left
from node.plain_lobby import Means, PlainLobby
from node.session import Session
from protocol.identity import short_form
from tests.node.test_lobby import GUEST, card
from tests.node.test_plain_lobby import ADA, BRUNO, WANDA, Calls

IT = language("it")
ENGLISH = re.compile(r"\b(the|is|are|of|you|there|not|with|seats?|ready|nobody)\b", re.IGNORECASE)
VIEW = LobbyView(card(), (ADA, BRUNO, WANDA), "K7F29QXM")


def typed(*lines: str, view: LobbyView = VIEW) -> tuple[list[str], list[tuple[str, object]]]:
    """What is said and what the session is told when somebody types `lines`, then leaves."""
    said: list[str] = []
    calls = Calls(view)
    means = Means(lambda count: count, lambda: ["busso join busso1-..."])
    rng = random.Random(1)
    lobby = PlainLobby(said.append, said.append, rng, means=means, language=IT)
    lobby.on_event(LobbyChanged(view))
    for line in [*lines, "esci"]:
        lobby.typed(line)
    with pytest.raises(Left):
        lobby.run(cast("Session", calls))
    return said, calls.made


def test_who_is_there_is_told_in_italian() -> None:
    said, _ = typed()
    assert any(line.startswith("  Ada (tu, ") for line in said)
    assert "Tutti i posti sono presi. La partita aspetta: tu, Bruno." in said
    assert not [line for line in said if " = " not in line and ENGLISH.search(line)]


@pytest.mark.parametrize(
    ("line", "call"),
    [
        ("pronto", ("ready", True)),
        ("Pronta", ("ready", True)),
        ("ready", ("ready", True)),
        ("nonpronto", ("ready", False)),
        ("scrivi ciao a tutti", ("say", "ciao a tutti")),
        ("caccia bruno", ("remove", GUEST.public)),
    ],
)
def test_commands_are_typed_in_either_language(line: str, call: tuple[str, object]) -> None:
    assert typed(line)[1] == [call]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("aiuto", "pronto, nonpronto: per la partita."),
        ("codice", "Il codice è K7F2-9QXM."),
        ("caccia zoe", "Qui nessuno si chiama 'zoe'. 'chi' elenca tutti."),
        ("bot 9", "bot N: da 1 ai 0 posti liberi."),
        ("frulla", "Non c'è il comando 'frulla'. 'aiuto' li elenca, 'chat' parla."),
    ],
)
def test_answers_are_in_italian(line: str, told: str) -> None:
    said, _ = typed(line)
    assert any(one.startswith(told) for one in said), said


EVENTS: tuple[SessionEvent, ...] = (
    Joined("Zoe", 1),
    Joined("Bot", 1, replace(BRUNO, owner="Ada")),
    Joined("Wanda", 1, WANDA),
    Gone(BRUNO, removed=False),
    Gone(BRUNO, removed=True),
    NotSent("Only the host can remove a player."),
    CodeChanged("K7F29QXM"),
    Stranger(BRUNO, short_form(GUEST.public)),
    HostSilent(back=True),
    HostSilent(back=False),
    LobbyChanged(replace(VIEW, people=(replace(ADA, ready=True), replace(BRUNO, owner="Ada")))),
)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_every_event_is_told_in_italian(event: SessionEvent) -> None:
    italian, english = lobby_lines(event, VIEW, language=IT), lobby_lines(event, VIEW)
    assert len(italian) == len(english) > 0
    for line in italian:
        assert not ENGLISH.search(line), line
    assert not set(italian) & set(english)


def test_the_way_back_into_the_lobby_is_told_in_italian() -> None:
    lines = lobby_lines(BackInLobby(Path("match.busso")), VIEW, language=IT)
    assert lines[1] == "'pronto' per un'altra partita con gli stessi giocatori."
