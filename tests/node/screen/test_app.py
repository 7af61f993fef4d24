"""The screen at a terminal: whole hands by keys, nothing sent for nothing, and a way out."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from engine.errors import IllegalMove
from node.notices import Person as Somebody
from node.notices import Presence, Refused, Talked
from node.screen.desk import Dialog, Place, items
from node.screen.theme import ThemeName
from node.waiting import Absent, Waiting
from protocol.messages import Role
from tests.node.screen.terminal import Person, Seat, at_the_screen

MAX_BYTES = 1_500
"""Of what is sent for a key."""


def due(person: Person) -> bool:
    view = person.table.view
    return view is not None and view.deciding


def over(person: Person) -> bool:
    view = person.table.view
    return view is not None and view.result is not None


async def play(person: Person, turn: int) -> None:
    """One decision by keys: one exchange at first, later a knock; else what is offered first."""
    view = person.table.view
    assert view is not None
    offered = view.choices
    found = items(view)
    if person.table.ui.dialog is not Dialog.NONE or "The end of hand" in person.shows():
        await person.press("enter")
    if offered.by_cards and not offered.single:
        knock = next((n.number for n in found if n.choice and "knock" in n.choice.word), -1)
        table = next((n.number for n in found if n.place is Place.TABLE), -1)
        if turn > 2 and knock >= 0:
            await person.press(str(knock))
        else:
            await person.press("1")
            if table >= 0:
                await person.press("up", "enter")
    await person.press("enter")


async def to_the_end(person: Person, seat: Seat) -> None:
    """Play until the match is over, and look at every screen on the way."""
    turn = 0
    while True:
        await person.until(lambda: due(person) or over(person))
        if over(person):
            break
        shown = person.shows()
        assert "YOUR TURN" in shown
        made = len(seat.chosen)
        await play(person, turn)
        assert len(seat.chosen) > made, person.shows()
        turn += 1
    await person.until(lambda: "Checked" in person.shows())
    assert "The end of hand 1" in person.shows()
    await person.press("enter", "f10")
    await person.until(lambda: person.table.running is None)


@pytest.mark.parametrize(
    ("game", "seats"),
    [
        ("petrangola", 2),
        ("mambassa", 2),
        ("traversone", 3),
        ("picchetto", 2),
        ("briscola", 2),
    ],
)
def test_a_whole_hand_is_played_by_keys(tmp_path: Path, game: str, seats: int) -> None:
    at_the_screen(tmp_path, to_the_end, game=game, seats=seats)


async def my_turn(person: Person) -> None:
    """Go on to the first exchange of the match."""
    while True:
        await person.until(lambda: due(person))
        view = person.table.view
        assert view is not None
        if "exchange" in view.choices.words:
            return
        await person.press("enter")
        await person.until(partial(person.has_decided, person.table.decisions))


def test_a_key_sends_little_and_nothing_sends_nothing(tmp_path: Path) -> None:
    async def script(person: Person, seat: Seat) -> None:
        await my_turn(person)
        for key in ("right", "left", "1", " ", "up", "down", "tab"):
            sent = await person.press(key)
            assert len(sent.encode()) <= MAX_BYTES, key
        await person.press("escape")
        assert await person.press("z") == ""
        assert await person.press("9") == ""
        assert await person.press("escape") == ""
        await person.press("f1")
        assert await person.press("x") == ""
        assert not seat.chosen or all("Cut" in type(m).__name__ for m in seat.chosen)

    at_the_screen(tmp_path, script)


def test_nothing_is_played_before_the_second_step(tmp_path: Path) -> None:
    async def script(person: Person, seat: Seat) -> None:
        await my_turn(person)
        made = len(seat.chosen)
        await person.press("1", "up", " ")
        assert "Enter: give" in person.shows()
        assert len(seat.chosen) == made
        await person.press("escape")
        assert "Enter: pick" in person.shows()
        await person.press("1", "up", " ", "enter")
        assert len(seat.chosen) == made + 1

    at_the_screen(tmp_path, script)


def test_escape_closes_what_is_open_without_waiting_for_more(tmp_path: Path) -> None:
    async def script(person: Person, seat: Seat) -> None:
        await my_turn(person)
        for key, title in (("f1", "Keys"), ("f2", "The rules of the moment"), ("f4", "Why the")):
            await person.press(key)
            assert title in person.shows()
            await person.press("escape")
            assert title not in person.shows()
        app = person.table.running
        assert app is not None
        assert app.timeoutlen is not None
        assert app.timeoutlen <= 0.05
        assert app.ttimeoutlen <= 0.05

    at_the_screen(tmp_path, script)


def test_the_language_changes_at_once(tmp_path: Path) -> None:
    async def script(person: Person, seat: Seat) -> None:
        await my_turn(person)
        assert "YOUR TURN" in person.shows()
        await person.press("f9")
        shown = person.shows()
        assert "TOCCA A TE" in shown
        assert "Bussa" in shown
        assert "YOUR TURN" not in shown
        await person.press("f9")
        assert "YOUR TURN" in person.shows()

    at_the_screen(tmp_path, script)


def test_leaving_is_asked_about(tmp_path: Path) -> None:
    async def script(person: Person, seat: Seat) -> None:
        await my_turn(person)
        await person.press("f10")
        assert "Leave the table?" in person.shows()
        await person.press("n")
        assert "Leave the table?" not in person.shows()
        assert person.table.running is not None
        await person.press("f10", "y")
        assert person.table.running is None

    at_the_screen(tmp_path, script)


def test_a_line_of_chat_is_written_and_sent(tmp_path: Path) -> None:
    async def script(person: Person, seat: Seat) -> None:
        await my_turn(person)
        await person.press("f3", *"buona notte 1", "\x7f", "2")
        assert "> buona notte 2_" in person.shows()
        await person.press("enter")
        assert seat.said == ["buona notte 2"]
        await person.press("f3", "x", "escape")
        assert seat.said == ["buona notte 2"]
        assert "> x" not in person.shows()

    at_the_screen(tmp_path, script)


def test_a_suggestion_comes_with_one_reason(tmp_path: Path) -> None:
    async def script(person: Person, seat: Seat) -> None:
        await my_turn(person)
        made = len(seat.chosen)
        await person.press("f5")
        await person.until(lambda: person.table.ui.dialog is Dialog.NOTICE)
        assert "A suggestion" in person.shows()
        await person.press("enter")
        assert "A suggestion" not in person.shows()
        assert len(seat.chosen) == made

    at_the_screen(tmp_path, script)


def test_the_bell_rings_when_a_choice_becomes_due_and_never_else(tmp_path: Path) -> None:
    async def script(person: Person, seat: Seat) -> None:
        await my_turn(person)
        rung = person.paper.getvalue().count("\a")
        assert rung == len(seat.chosen) + 1
        await person.press("right", "f1", "escape", "f9", "z", "1", "up")
        assert person.paper.getvalue().count("\a") == rung

    at_the_screen(tmp_path, script)


def test_a_window_that_changes_its_size_is_painted_anew(tmp_path: Path) -> None:
    async def script(person: Person, seat: Seat) -> None:
        await my_turn(person)
        await person.resize(110, 34)
        assert "what happened" in person.shows()
        assert "cups" in person.shows() or "coins" in person.shows() or "swords" in person.shows()
        await person.resize(60, 20)
        assert "what happened" not in person.shows()
        assert "YOUR TURN" in person.shows()
        await person.resize(50, 12)
        assert "too small: 60 columns and 20" in person.shows()
        await person.resize(80, 24)
        assert "YOUR TURN" in person.shows()

    at_the_screen(tmp_path, script)


def test_without_colours_none_is_sent(tmp_path: Path) -> None:
    async def script(person: Person, seat: Seat) -> None:
        await my_turn(person)
        await person.press("right", "1", "up")
        assert "YOUR TURN" in person.shows()
        assert "38;2" not in person.paper.getvalue()
        assert "48;2" not in person.paper.getvalue()

    at_the_screen(tmp_path, script, look=ThemeName.NONE)


def test_what_ended_the_session_is_raised_where_the_screen_runs(tmp_path: Path) -> None:
    async def script(person: Person, seat: Seat) -> None:
        await my_turn(person)
        person.table.ended(ValueError("the network is gone"))
        await person.until(lambda: person.table.running is None)

    with pytest.raises(ValueError, match="the network is gone"):
        at_the_screen(tmp_path, script)


def test_a_countdown_is_shown_and_who_is_missing_asked_about(tmp_path: Path) -> None:
    async def script(person: Person, seat: Seat) -> None:
        await my_turn(person)
        other = 1 - seat.me
        person.table.on_event(Presence(other, False))
        person.table.on_event(Waiting((other,), (other,), 90.0))
        await person.until(lambda: "1:30" in person.shows() or "1:29" in person.shows())
        person.table.on_event(Absent((other,)))
        await person.until(lambda: "Somebody is missing" in person.shows())
        await person.press("z")
        assert seat.said == []
        await person.press("w")
        assert seat.said == ["(wait)"]
        assert "Somebody is missing" not in person.shows()
        person.table.on_event(Absent((other,)))
        await person.until(lambda: "Somebody is missing" in person.shows())
        await person.press("g")
        assert seat.said == ["(wait)", "(go on)"]
        person.table.on_event(Absent((other,)))
        await person.until(lambda: "Somebody is missing" in person.shows())
        person.table.on_event(Waiting((), ()))
        await person.until(lambda: "Somebody is missing" not in person.shows())
        assert ":" not in person.screen.display[-2]
        person.table.on_event(Waiting((seat.me,), (), 30.0))  # a turn that was given a time
        await person.until(lambda: "0:30" in person.shows() or "0:29" in person.shows())
        assert "can't be reached" not in person.shows()
        person.table.on_event(Waiting(()))
        await person.until(lambda: "0:" not in person.shows().splitlines()[-2])

    at_the_screen(tmp_path, script)


def test_a_notice_that_shows_nowhere_sends_nothing(tmp_path: Path) -> None:
    async def script(person: Person, seat: Seat) -> None:
        await my_turn(person)
        person.sent()
        for notice in (Presence(0, True), Presence(1, True), Waiting(()), object()):
            person.table.on_event(notice)
            await person.settle()
        assert person.sent() == ""

    at_the_screen(tmp_path, script)


def test_what_others_say_cant_steer_the_terminal(tmp_path: Path) -> None:
    async def script(person: Person, seat: Seat) -> None:
        await my_turn(person)
        talker = Somebody(b"k" * 32, "E\x1b[2J", "E\x1b[2J", Role.SEAT, True)
        person.table.on_event(Talked(talker, "ciao\x1b]0;x\x07\u202e tutti\n"))
        await person.until(lambda: "tutti" in person.shows())
        sent = person.paper.getvalue()
        assert "\x1b]0;" not in sent
        assert "\u202e" not in sent
        assert "E[2J: ciao" in person.shows()

    at_the_screen(tmp_path, script)


def test_a_choice_is_sent_once_and_asked_again_when_it_was_refused(tmp_path: Path) -> None:
    async def script(person: Person, seat: Seat) -> None:
        await my_turn(person)
        seat.held = True
        rung = person.paper.getvalue().count("\a")
        made = len(seat.chosen)
        await person.press("7", "enter", "enter", "enter")
        assert len(seat.chosen) == made + 1
        assert "YOUR TURN" not in person.shows()
        assert seat.decision is not None
        again = replace(seat.decision)
        assert again is not seat.decision
        person.table.on_event(Refused(IllegalMove("PET-24", "whoever knocks shows it"), again))
        await person.until(lambda: "Not allowed" in person.shows())
        assert "PET-24" in person.shows()
        await person.press("enter", "7", "enter")
        assert len(seat.chosen) == made + 2
        assert seat.decision is again
        assert person.paper.getvalue().count("\a") == rung + 1

    at_the_screen(tmp_path, script, size=(110, 34))


def test_a_refusal_while_a_choice_is_due_rings_no_bell(tmp_path: Path) -> None:
    async def script(person: Person, seat: Seat) -> None:
        await my_turn(person)
        hearing = person.table._hearing
        assert hearing is not None
        assert hearing.decision is not None
        rung = person.paper.getvalue().count("\a")
        person.table.on_event(Refused(IllegalMove("PET-24", "no"), replace(hearing.decision)))
        await person.until(lambda: "Not allowed" in person.shows())
        assert person.paper.getvalue().count("\a") == rung

    at_the_screen(tmp_path, script)


def test_a_bug_is_raised_where_the_screen_runs_and_shown_to_nobody(tmp_path: Path) -> None:
    seen: list[str] = []

    async def broken(person: Person, seat: Seat) -> None:
        await my_turn(person)

        def explode(*_: object) -> None:
            raise ZeroDivisionError("a bug")

        person.table.paint = explode  # type: ignore[assignment] # what no screen should do
        person.table.on_event(Presence(1 - seat.me, False))
        await person.until(lambda: person.table.running is None)
        seen.append(person.paper.getvalue())

    with pytest.raises(ZeroDivisionError):
        at_the_screen(tmp_path, broken)
    assert "Traceback" not in seen[0]
    assert "ZeroDivisionError" not in seen[0]
