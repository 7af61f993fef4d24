"""The lobby in plain lines: every command, talk at any time, questions that lapse; no network."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from node.errors import NodeError, Stopped
from node.language import Language, language
from node.lobby_words import lobby_lines, option_lines
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
    Presence,
    Refused,
    SessionEvent,
    Started,
    Stranger,
    Talked,
)
from node.plain import Left, PlainTable
from node.plain_lobby import LOBBY_HELP, Means, PlainLobby
from node.plain_match import MAX_LINE, Ahead
from node.screen.hearing import Heard
from node.session import Session
from node.words import spoken
from protocol.identity import short_form
from protocol.messages import Role
from protocol.table_events import Outgoing, YourMove
from tests.node.test_lobby import GUEST, HOST, OTHER, card
from tests.protocol.groups import FAST
from tests.protocol.ring import Ring

ADA = Person(HOST.public, "Ada", "Ada", Role.SEAT, ready=False, host=True, you=True)
BRUNO = Person(GUEST.public, "Bruno", "Bruno", Role.SEAT, ready=False)
WANDA = Person(OTHER.public, "Wanda", "Wanda", Role.WATCH, ready=False)


class Calls:
    """Stands for a session: writes down what it is told."""

    def __init__(self, view: LobbyView) -> None:
        self.made: list[tuple[str, object]] = []
        self.lobby = view
        self.table = None
        self.log = None

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *given: self.made.append((name, given[0] if given else None))


class Desk:
    """A lobby, a session that only listens, and what was said."""

    def __init__(self, *people: Person, code: str = "", ahead: Ahead = Ahead.PERSON) -> None:
        self.said: list[str] = []
        self.brought: list[int] = []
        self.view = LobbyView(card(), people or (ADA,), code)
        self.calls = Calls(self.view)
        self.lobby = PlainLobby(
            self.said.append,
            self.said.append,
            random.Random(1),
            means=Means(self.bring, lambda: ["busso join busso1-..."]),
            ahead=ahead,
        )

    def bring(self, count: int) -> int:
        """Bring computer players, but no more than there are seats for."""
        coming = min(count, self.view.free - sum(self.brought))
        if coming:
            self.brought.append(coming)
        return coming

    def run(self, *happens: SessionEvent | str | None) -> list[str]:
        """Let all that happen, in that order, and then leave; what was said."""
        self.lobby.on_event(LobbyChanged(self.view))
        for one in happens:
            if one is None or isinstance(one, str):
                self.lobby.typed(one)
            else:
                self.lobby.on_event(one)
        self.lobby.typed("leave")
        self.lobby.typed("y")  # at a match that is asked about
        with pytest.raises(Left):
            self.lobby.run(cast(Session, self.calls))
        return self.said


def test_the_first_thing_said_is_who_is_there_and_by_which_rules() -> None:
    said = Desk(ADA, BRUNO, WANDA).run()
    assert said[: len(option_lines(card()))] == option_lines(card())
    assert "  Ada (you, host, not ready yet)" in said
    assert "  Wanda (watches)" in said
    assert "Every seat is taken. The match waits for: you, Bruno." in said


def test_the_rules_are_told_in_full() -> None:
    lines = option_lines(card())
    named = {line.split(" = ")[0].strip() for line in lines if " = " in line}
    assert named == {name for name, _ in card().options}
    assert any("after 3 hands" in line for line in lines)
    assert option_lines(card(game="poker"))[0].startswith("poker: ")


@pytest.mark.parametrize(
    ("typed", "call"),
    [
        ("ready", ("ready", True)),
        ("unready", ("ready", False)),
        ("READY", ("ready", True)),
        ("/ready", ("ready", True)),
        ("chat buona fortuna!", ("say", "buona fortuna!")),
        ("kick bruno", ("remove", GUEST.public)),
    ],
)
def test_a_command_is_handed_to_the_session(typed: str, call: tuple[str, object]) -> None:
    desk = Desk(ADA, BRUNO)
    desk.run(typed)
    assert desk.calls.made == [call]


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("help", LOBBY_HELP[0]),
        ("?", LOBBY_HELP[0]),
        ("who", "  Bruno (not ready yet)"),
        ("options", option_lines(card())[0]),
        ("invite", "busso join busso1-..."),
        ("code", "The code is K7F2-9QXM."),
        ("kick nobody", "Nobody here is called 'nobody'. 'who' lists everybody."),
        ("bots 1", "bots N: from 1 to the 0 seats that are free."),
        ("dance", "There is no command 'dance'. 'help' lists them, 'chat' talks."),
        (
            "x" * 1000,
            "There is no command 'xxxxxxxxxxxxxxxxxxxx'. 'help' lists them, 'chat' talks.",
        ),
    ],
)
def test_a_command_is_answered(typed: str, says: str) -> None:
    desk = Desk(ADA, BRUNO, code="K7F29QXM")
    assert says in desk.run(typed)
    assert not desk.calls.made


def test_a_name_that_two_have_must_be_said_in_full() -> None:
    bobs = [
        Person(k.public, "Bob", f"Bob·{short_form(k.public)}", Role.SEAT, ready=False)
        for k in (GUEST, OTHER)
    ]
    desk = Desk(ADA, *bobs)
    said = desk.run("kick bob", f"kick {bobs[1].label}")
    assert f"There are several: {bobs[0].label}, {bobs[1].label}. Say which." in said
    assert desk.calls.made == [("remove", OTHER.public)]


def test_start_fills_the_free_seats_and_says_ready() -> None:
    desk = Desk(ADA)
    desk.run("start")
    assert desk.brought == [1]
    assert desk.calls.made == [("ready", True)]


def test_a_seat_that_a_computer_player_is_on_its_way_to_gets_no_other() -> None:
    desk = Desk(ADA)
    said = desk.run("bots 1", "bots 1", "start")
    assert desk.brought == [1]
    assert said.count("A computer player is on its way to every free seat.") == 1
    assert desk.calls.made == [("ready", True)]


def test_only_the_host_starts() -> None:
    guest = Person(GUEST.public, "Bruno", "Bruno", Role.SEAT, ready=False, you=True)
    desk = Desk(replace(ADA, you=False), guest)
    assert any("Only the host can start" in line for line in desk.run("start"))
    assert not desk.calls.made


def test_computer_players_that_cant_be_started_are_one_sentence() -> None:
    desk = Desk(ADA)

    def fail(_: int) -> int:
        raise NodeError("There is no room.")

    desk.lobby._means.bring = fail
    assert "No computer player could be started: There is no room." in desk.run("start", "bots 1")
    assert not desk.calls.made
    desk = Desk(ADA)
    desk.lobby._means.bring = None
    assert any("no computer players" in line for line in desk.run("bots 1"))


@pytest.mark.parametrize(
    ("event", "says"),
    [
        (Joined("Bruno", 1, BRUNO), "Bruno sits down; seats still free: 1."),
        (Joined("Wanda", 1, WANDA), "Wanda has come to watch."),
        (Gone(BRUNO, removed=False), "Bruno has left the table."),
        (Gone(BRUNO, removed=True), "Bruno was removed from the table."),
        (Talked(BRUNO, "ciao"), "<Bruno> ciao"),
        (NotSent("No."), "No."),
        (CodeChanged("K7F29QXM"), "The code is now K7F2-9QXM."),
        (HostSilent(back=False), "The host doesn't answer; waiting."),
        (HostSilent(back=True), "The host is there again."),
        (BackInLobby(Path("x.busso")), "The log: x.busso"),
    ],
)
def test_what_happens_is_told(event: SessionEvent, says: str) -> None:
    assert says in Desk(ADA).run(event)


def test_a_name_with_another_key_is_told_loudly_with_what_to_ask_for() -> None:
    lines = lobby_lines(Stranger(BRUNO, "k7f2"), None)
    assert lines[0].startswith("WARNING: Bruno uses a name that you know")
    assert "Bruno·k7f2" in lines[1]
    assert spoken(GUEST.public) in lines[2]


def test_who_gets_ready_is_told_once() -> None:
    ready = Person(GUEST.public, "Bruno", "Bruno", Role.SEAT, ready=True)
    before = LobbyView(card(), (ADA, BRUNO))
    after = LobbyView(card(), (ADA, ready))
    assert lobby_lines(LobbyChanged(after), before) == [
        "Bruno is ready.",
        "Every seat is taken. The match waits for: you.",
    ]
    assert lobby_lines(LobbyChanged(after), after) == []


def test_a_bots_owner_is_told() -> None:
    owned = Person(GUEST.public, "Bruno", "Bruno", Role.SEAT, ready=False, owner="Ada")
    before, after = (LobbyView(card(), (ADA, who)) for who in (BRUNO, owned))
    assert lobby_lines(LobbyChanged(after), before) == ["Bruno is a computer player of Ada."]


def test_the_end_of_the_session_is_raised() -> None:
    desk = Desk(ADA)
    desk.lobby.ended(Stopped("The host has left the table."))
    with pytest.raises(Stopped):
        desk.lobby.run(cast(Session, desk.calls))
    desk = Desk(ADA)
    desk.lobby.ended(None)
    desk.lobby.run(cast(Session, desk.calls))


def test_a_closed_keyboard_leaves_unless_a_match_was_asked_for() -> None:
    desk = Desk(ADA)
    desk.lobby.on_event(LobbyChanged(desk.view))
    desk.lobby.typed(None)
    with pytest.raises(Left):
        desk.lobby.run(cast(Session, desk.calls))
    ready = Person(HOST.public, "Ada", "Ada", Role.SEAT, ready=True, host=True, you=True)
    desk = Desk(ready)
    desk.lobby.on_event(LobbyChanged(desk.view))
    desk.lobby.typed(None)
    desk.lobby.ended(None)
    desk.lobby.run(cast(Session, desk.calls))


# -- while a match is on --------------------------------------------------------------------------

ASKED: Any = object()
"""Stands for whatever makes the table of a match ask."""
STARTED = Started(cast(Any, None), 0, Path("x"))


class Question:
    """Stands for the table of a match: puts one question and writes down what it was answered."""

    def __init__(self, desk: Desk) -> None:
        self.answers: list[str | None] = []
        self.shown: list[object] = []
        self._ask = desk.lobby._ask

    def attend(self, _: object) -> None:
        """As the real one."""

    def hear(self, event: object) -> Heard:
        return Heard(event)

    def remember(self, heard: Heard) -> None:
        """As the real one."""

    def asked(self, line: str) -> bool:
        if line == "q" and self._ask("Leave? ") == "y":
            raise Left
        return line in ("h", "q")

    def show(self, heard: Heard) -> None:
        self.shown.append(heard.event)
        if heard.event is ASKED:
            self.answers.append(self._ask("> "))


def playing(*, ahead: Ahead = Ahead.PERSON) -> tuple[Desk, Question]:
    desk = Desk(ADA, BRUNO, ahead=ahead)
    table = Question(desk)
    desk.lobby._table = cast(Any, table)
    return desk, table


def test_talk_is_shown_while_a_question_waits_and_other_things_afterwards() -> None:
    desk, table = playing()
    later = Presence(1, up=False)
    desk.run(STARTED, ASKED, Talked(BRUNO, "ciao"), later, "knock")
    assert table.answers == ["knock"]
    assert desk.said.count("> ") == 2, "asked again after what was said between, and only then"
    assert desk.said.index("> ") < desk.said.index("<Bruno> ciao")
    assert later in table.shown


def test_what_makes_a_question_pointless_ends_it() -> None:
    desk, table = playing()
    back = BackInLobby(Path("x.busso"))
    said = desk.run(STARTED, ASKED, back, "who")
    assert table.answers == []
    assert "That is not asked any more." in said
    assert said.index("That is not asked any more.") < said.index("The log: x.busso")
    assert "  Bruno (not ready yet)" in said[said.index("The log: x.busso") :]


def test_a_line_before_its_question_counts_at_a_pipe_and_not_at_a_keyboard() -> None:
    desk, table = playing(ahead=Ahead.PROGRAM)
    desk.run(STARTED, "knock", ASKED)
    assert table.answers == ["knock"]
    desk, table = playing()
    said = desk.run(STARTED, "knock", ASKED, "pass")
    assert table.answers == ["pass"]
    assert any("isn't your turn" in line for line in said)


def test_while_nothing_is_asked_one_may_talk_and_ask() -> None:
    desk, table = playing()
    desk.run(STARTED, "chat well played", "h")
    assert desk.calls.made == [("say", "well played")]
    assert not table.answers


def test_a_closed_keyboard_is_no_answer_and_ends_it_after_the_match() -> None:
    desk, table = playing()
    for event in (LobbyChanged(desk.view), STARTED, ASKED):
        desk.lobby.on_event(event)
    desk.lobby.typed(None)
    desk.lobby.on_event(BackInLobby(Path("x")))
    with pytest.raises(Left):
        desk.lobby.run(cast(Session, desk.calls))
    assert table.answers == [None]


def test_a_closed_keyboard_leaves_a_match_at_once_and_a_closed_pipe_at_its_end() -> None:
    for ahead in (Ahead.PERSON, Ahead.PROGRAM):
        desk, table = playing(ahead=ahead)
        for event in (LobbyChanged(desk.view), STARTED):
            desk.lobby.on_event(event)
        desk.lobby.typed(None)
        desk.lobby.on_event(Presence(1, up=False))
        desk.lobby.on_event(BackInLobby(Path("x")))
        with pytest.raises(Left):
            desk.lobby.run(cast(Session, desk.calls))
        assert ("The log: x" in desk.said) is (ahead is Ahead.PROGRAM)
        assert len(table.shown) == (1 if ahead is Ahead.PERSON else 2)


def test_what_is_typed_is_bounded() -> None:
    desk, table = playing()
    desk.run(STARTED, ASKED, "x" * 10_000)
    assert table.answers == ["x" * MAX_LINE]


def test_what_the_others_do_takes_no_answer_away_from_who_wants_to_leave() -> None:
    desk, _ = playing()
    steps = [Presence(1, up=False), cast(Any, Refused)(None, None)]
    said = desk.run(STARTED, "leave", *steps, "y")
    assert "That is not asked any more." not in said
    desk, _ = playing()
    said = desk.run(STARTED, "q", BackInLobby(Path("x.busso")), "who")
    assert "That is not asked any more." in said, "nothing is left to leave"
    assert "  Bruno (not ready yet)" in said


# -- a real table ---------------------------------------------------------------------------------


class Match:
    """A lobby at a match of real tables that is played while the lobby's own thread looks away."""

    def __init__(self, folder: Path) -> None:
        self.desk = Desk(ADA, BRUNO)
        self.spoken: list[Language] = []
        self.desk.lobby._spoken = self.spoken.append
        self.told: list[str] = []
        self._folder = folder
        self._live = PlainTable(self.told.append, lambda _: "", random.Random(1))

    def play(self, *, to_a_choice: bool = False) -> Match:
        """Play a hand, or up to this seat's first choice."""
        ring = Ring(self._folder, 2, game="briscola", hands=1, group=FAST)
        done = False

        def hear(seat: int, event: object) -> None:
            nonlocal done
            if seat != 0 or done or isinstance(event, Outgoing):
                return
            done = to_a_choice and isinstance(event, YourMove)
            if not isinstance(event, YourMove) or done:
                self.desk.lobby.on_event(cast(SessionEvent, event))
            if not isinstance(event, YourMove):
                self._live.show(cast(SessionEvent, event))

        hear(0, Started(ring.tables[0], 0, Path("match.busso")))
        ring.on_event = hear
        ring.run(until=lambda: done)
        ring.close()
        return self


def test_a_match_that_is_shown_late_is_told_as_it_was_seen(tmp_path: Path) -> None:
    match = Match(tmp_path).play()
    match.desk.lobby.on_event(BackInLobby(Path("match.busso")))
    said = match.desk.run()
    assert len(match.told) > 30
    assert said[: len(match.told)] == match.told


def test_chat_alone_says_what_was_said_in_the_lobby_and_while_a_question_waited(
    tmp_path: Path,
) -> None:
    desk = Desk(ADA, BRUNO)
    said = desk.run("chat", Talked(BRUNO, "ciao"), "chat")
    assert said.count("Nobody has said anything yet.") == 1
    assert said.count("<Bruno> ciao") == 2
    assert not desk.calls.made

    match = Match(tmp_path)
    match.desk.lobby.on_event(Talked(BRUNO, "ciao"))
    said = match.play(to_a_choice=True).desk.run(
        Talked(BRUNO, "tocca a te"), "c", "q", "n", "f3", "q", "y"
    )
    assert said.count("<Bruno> ciao") == 3
    assert said.count("<Bruno> tocca a te") == 3
    assert not match.desk.calls.made


def test_another_language_at_the_table_is_the_lobbys_at_once(tmp_path: Path) -> None:
    match = Match(tmp_path).play(to_a_choice=True)
    said = match.desk.run("f9", Joined("Wanda", 1, WANDA), "q", "s")
    assert [spoken.code for spoken in match.spoken] == ["it"]
    assert "Wanda viene a guardare." in said


def test_another_language_and_a_rule_in_the_lobby() -> None:
    said = Desk(ADA, BRUNO).run("lang klingon", "r BRI-06", "lang it", "r", "f2 BRI-06", "chi")
    assert "There is no language 'klingon' here." in said
    assert "Tutti i posti sono presi. La partita aspetta: tu, Bruno." in said
    rules = [line for line in said if line.startswith("BRI-06")]
    assert len(rules) == len(set(rules)) == 2
    assert option_lines(card(), language=language("it"))[0] in said
