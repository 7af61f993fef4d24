"""Typing at a match in plain lines: at once while others are to choose, or in order by a script."""

from __future__ import annotations

import random
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest

from node.errors import Stopped
from node.language import ENGLISH, Language
from node.notices import (
    LobbyChanged,
    LobbyView,
    NotSent,
    Person,
    Presence,
    SessionEvent,
    Started,
    Talked,
)
from node.plain import Left, PlainTable
from node.plain_lines import HELP
from node.plain_match import MAX_AHEAD, MAX_LINE, Ahead, PlainMatch
from node.screen.hearing import Heard
from node.screen.words import rule_words
from node.session import Session
from protocol.messages import Role
from protocol.table_events import Outgoing, YourMove
from tests.node.plain_desk import Calls, heard
from tests.node.tables import DEADLINE
from tests.node.test_lobby import GUEST, card
from tests.protocol.groups import FAST
from tests.protocol.ring import Ring

BRUNO = Person(GUEST.public, "Bruno", "Bruno", Role.SEAT, ready=False)
*BEFORE, CHOICE = heard("briscola", 2, "play")
"""What a seat hears up to its first choice, and that it is due."""
AGAIN = CHOICE
"""The same choice once more, as after a move that was refused."""


class Desk:
    """A seat in plain lines at a real match, a session that only listens, and what was said."""

    def __init__(self, ahead: Ahead = Ahead.PERSON) -> None:
        self.said: list[str] = []
        self.answers: list[str] = []
        self.spoken: list[Language] = []
        self.calls = Calls()
        self.match = PlainMatch(
            self.said.append,
            self.said.append,
            random.Random(1),
            ahead=ahead,
            answered=self.answers.append,
            spoken=self.spoken.append,
        )

    def happens(self, *items: Heard | str | None) -> Desk:
        """What is heard and typed, in that order."""
        for one in items:
            if isinstance(one, Heard):
                self.match._queue.put(one)
            else:
                self.match.typed(one)
        return self

    def leaves(self) -> list[str]:
        """Let it all happen until the player leaves; what was said."""
        with pytest.raises(Left):
            self.match.run(cast(Session, self.calls))
        return self.said

    def after(self, line: str) -> list[str]:
        """What was said from that line on."""
        return self.said[self.said.index(line) :]


def begins(said: Sequence[str], start: str) -> int:
    """The number of the first line that begins so."""
    return next(number for number, line in enumerate(said) if line.startswith(start))


# -- a person -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "answer"),
    [
        ("?", HELP[0]),
        ("f1", HELP[0]),
        ("scores", "Deals won: "),
        ("log", "What happened, the latest first:"),
        ("fair", "The log has "),
        ("r BRI-06", "BRI-06"),
        ("chat", "Nobody has said anything yet."),
        ("why", "It isn't your turn."),
        ("7c", "It isn't your turn."),
    ],
)
def test_what_is_asked_while_others_are_to_choose_is_answered_at_once(
    typed: str, answer: str
) -> None:
    said = Desk().happens(*BEFORE, typed, CHOICE, "q", "y").leaves()
    assert begins(said, answer) < begins(said, "Your turn")


def test_what_a_person_types_ahead_answers_no_question() -> None:
    desk = Desk().happens(*BEFORE, "1", "", CHOICE, "q", "y")
    desk.leaves()
    assert desk.answers == ["q", "y"]
    assert not desk.calls.made


def test_talk_and_votes_go_to_the_session_at_once() -> None:
    desk = Desk().happens(*BEFORE, "chat well played", "wait", "goon", "q", "y")
    desk.leaves()
    assert desk.calls.made == [("say", "well played"), ("wait", None), ("go_on", None)]


def test_who_wants_to_leave_is_asked_while_others_are_to_choose() -> None:
    said = Desk().happens(*BEFORE, "leave", "", "leave", "y").leaves()
    assert sum(line.startswith("Leave the table?") for line in said) == 2
    assert not any(line.startswith("Your turn") for line in said)


def test_a_person_whose_keyboard_is_gone_leaves_at_once() -> None:
    desk = Desk().happens(*BEFORE, None, CHOICE, "1", "")
    assert not any(line.startswith("Your turn") for line in desk.leaves())


def test_what_others_do_is_told_while_a_question_waits_and_it_is_put_again() -> None:
    quiet = Heard(LobbyChanged(LobbyView(card(), (BRUNO,))))
    desk = Desk().happens(*BEFORE, CHOICE, Heard(Talked(BRUNO, "ciao")), quiet, "q", "y")
    desk.happens(Heard(Presence(1, up=False)), Heard(NotSent("No.")))
    said = desk.leaves()
    assert "<Bruno> ciao" in said[begins(said, "Your turn") : begins(said, "Leave the table?")]
    assert said.count("> ") == 2


def test_a_choice_that_is_due_no_more_is_taken_back() -> None:
    desk = Desk().happens(*BEFORE, CHOICE, AGAIN, "q", "y")
    said = desk.leaves()
    assert said.count("That is not asked any more.") == 1
    assert said.count("> ") == 2


def test_before_the_table_is_set_one_can_have_help_a_language_and_leave() -> None:
    desk = Desk().happens("?", "h", "r BRI-06", "", "lang it", "h", "leave")
    said = desk.leaves()
    assert said == [
        *HELP,
        "The table is being set.",
        rule_words(ENGLISH, "BRI-06"),
        *["Si apparecchia il tavolo."] * 2,
    ]
    assert [spoken.code for spoken in desk.spoken] == ["it"]
    assert not desk.calls.made


def test_a_line_is_bounded_and_the_session_ends_it_all() -> None:
    desk = Desk().happens(*BEFORE, CHOICE, "x" * 10_000)
    desk.match.ended(Stopped("The host has left the table."))
    with pytest.raises(Stopped):
        desk.match.run(cast(Session, desk.calls))
    assert desk.answers == ["x" * MAX_LINE]
    desk = Desk().happens(*BEFORE)
    desk.match.ended(None)
    desk.match.run(cast(Session, desk.calls))


def test_a_hand_that_is_taken_up_again_in_the_middle_doesnt_begin_anew(tmp_path: Path) -> None:
    ring = Ring(tmp_path, 2, game="briscola", hands=2, group=FAST)
    ring.run(until=lambda: ring.reach(12))
    said: list[str] = []
    table = PlainTable(said.append, lambda _: None, random.Random(1))
    table.show(Started(ring.tables[0], 0, Path("match.busso")))

    def hear(seat: int, event: object) -> None:
        if seat == 0 and not isinstance(event, Outgoing | YourMove):
            table.show(cast(SessionEvent, event))

    ring.on_event = hear
    ring.run(start=False)
    ring.close()
    assert said[0].startswith("The match goes on.")
    assert [line for line in said if line.startswith("Hand ")] == ["Hand 2"]


# -- a script -------------------------------------------------------------------------------------


def test_a_scripts_lines_are_used_in_order_each_for_the_next_question() -> None:
    lines = ["h", "chat ciao", "leave", "", "scores", "", "?"]
    desk = Desk(Ahead.SCRIPT).happens(*lines[:3], *BEFORE, *lines[3:], None, CHOICE)
    said = desk.leaves()
    turn = begins(said, "Your turn")
    assert desk.answers == lines
    assert desk.calls.made == [("say", "ciao")]
    assert begins(said, "Your hand") > turn
    assert begins(said, "Deals won: ") > said.index("> ")
    assert said[-len(HELP) - 1 : -1] == list(HELP)


def test_a_script_that_has_ended_leaves_at_the_next_question_and_not_before() -> None:
    said = Desk(Ahead.SCRIPT).happens(None, *BEFORE, CHOICE).leaves()
    assert said[-1] == "> "


def test_a_script_waits_while_too_many_of_its_lines_do() -> None:
    desk = Desk(Ahead.SCRIPT).happens(*["scores"] * MAX_AHEAD)
    assert not desk.match._room.acquire(blocking=False)
    more = threading.Thread(target=desk.happens, args=("q", "y"), daemon=True)
    more.start()
    desk.happens(*BEFORE, CHOICE)
    desk.leaves()
    more.join(DEADLINE)
    assert not more.is_alive()
    assert desk.answers == [*["scores"] * MAX_AHEAD, "q", "y"]
