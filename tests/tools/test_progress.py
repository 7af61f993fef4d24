"""What a person sees while work takes long, and who sees nothing of it."""

from __future__ import annotations

import io
import os
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from node.language import ENGLISH, language
from node.notices import Started
from protocol.contribution import Kind
from protocol.table_events import Advanced
from tests.protocol.ring import Ring
from tests.tools.running import Stream
from tools.meanwhile import AGAIN, QUIET, Meanwhile, Waits
from tools.output import LINES_AFTER, LINES_EVERY, Output


class Clock:
    """A time that somebody sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def output(clock: Clock, *, terminal: bool = True, **flags: Any) -> tuple[Output, Stream]:
    err = Stream("utf-8", terminal)
    environ = {"TERM": "xterm"} | flags.pop("environ", {})
    out = Output(Stream("utf-8", terminal), err, clock=clock, environ=environ, **flags)
    return out, err


def worked(out: Output, clock: Clock, seconds: float = 12.0) -> None:
    """Work that tells of itself every half second."""
    with out.progress("verifying") as progress:
        for step in range(int(seconds * 2) + 1):
            clock.now = step / 2
            progress(step, int(seconds * 2))


@pytest.mark.parametrize(
    "flags",
    [{"terminal": False}, {"quiet": True}, {"json": True}],
    ids=["no terminal", "-q", "--json"],
)
def test_nothing_is_shown_to_who_does_not_look_or_want_it(flags: dict[str, Any]) -> None:
    clock = Clock()
    out, err = output(clock, **flags)
    worked(out, clock)
    assert err.said() == ""


def test_nothing_is_shown_beside_a_pager() -> None:
    reading, writing = os.pipe()
    try:
        with io.TextIOWrapper(os.fdopen(writing, "wb"), encoding="utf-8") as pipe:
            clock = Clock()
            err = Stream("utf-8", True)
            worked(Output(pipe, err, clock=clock, environ={"TERM": "xterm"}), clock)
            assert err.said() == ""
    finally:
        os.close(reading)


def test_progress_is_shown_where_the_result_goes_to_a_file(tmp_path: Path) -> None:
    clock = Clock()
    err = Stream("utf-8", True)
    with (tmp_path / "out").open("w", encoding="utf-8") as file:
        worked(Output(file, err, clock=clock, environ={"TERM": "xterm"}), clock)
    assert "verifying: 1 of 24 steps" in err.said()


@pytest.mark.parametrize(
    ("flags", "stays"),
    [
        ({}, False),
        ({"plain": True}, True),
        ({"environ": {"TERM": "dumb"}}, True),
        ({"environ": {"TERM": ""}}, True),
    ],
    ids=["a terminal", "--plain", "dumb", "no TERM"],
)
def test_lines_are_added_where_none_can_be_taken_back(flags: dict[str, Any], stays: bool) -> None:
    if stays and os.name == "nt" and not flags.get("plain"):
        pytest.skip("Windows has no TERM")
    clock = Clock()
    out, err = output(clock, **flags)
    worked(out, clock)
    assert ("\r" in err.said()) is not stays
    if stays:
        steps = [int(line.split()[1]) / 2 for line in err.said().splitlines()]
        assert steps == [LINES_AFTER, LINES_AFTER + LINES_EVERY, LINES_AFTER + 2 * LINES_EVERY]


def test_a_line_that_is_printed_meanwhile_has_its_line_to_itself() -> None:
    clock = Clock()
    both = Stream("utf-8", True)
    out = Output(both, both, clock=clock, environ={"TERM": "xterm"})
    with out.progress("replaying") as progress:
        clock.now = 1.0
        progress(1, 3)
        out.line("Ada knocks.")
        out.line("Bruno draws.")
        clock.now = 2.0
        progress(2, 3)
        out.prompt("> ")
    width = len("replaying: 1 of 3 steps")
    blank = "\r" + " " * width + "\r"
    assert both.said() == (
        f"\rreplaying: 1 of 3 steps{blank}Ada knocks.\nBruno draws.\n"
        f"\rreplaying: 2 of 3 steps{blank}> "
    )


def test_what_is_said_while_a_question_waits_has_its_line_to_itself() -> None:
    both = Stream("utf-8", True)
    out = Output(both, both)
    out.prompt("> ")
    out.line("<Bruno> ciao")
    out.line("<Bruno> ora tu")
    out.prompt("> ")
    both.write("7c\n")  # as a terminal shows what is typed
    out.answered()
    out.line("You play 7c.")
    out.prompt("> ")
    out.error("interrupted")
    assert both.said() == (
        "> \n<Bruno> ciao\n<Bruno> ora tu\n> 7c\nYou play 7c.\n> \nbusso: interrupted.\n"
    )


def test_progress_fits_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    clock = Clock()
    out, err = output(clock, ascii=True)
    with out.progress("più lungo di una riga intera") as progress:
        clock.now = 1.0
        progress.tell("\x1b[2J è")
    shown = err.said().split("\r")[1]
    assert shown == "piu lungo di una ri"


def test_work_that_says_nothing_is_seen_to_go_on() -> None:
    """The only one with a real clock: it waits for what it looks for."""
    err = Stream("utf-8", True)
    out = Output(Stream("utf-8", True), err, environ={"TERM": "xterm"})
    with out.progress("measuring") as progress:
        thread = progress._thread
        assert thread is not None
        while "measuring ..." not in err.said():
            thread.join(0.01)
    assert not thread.is_alive()
    assert err.said().endswith("\r" + " " * len("measuring ...") + "\r")


# -- what the table waits for ---------------------------------------------------------------------


def events(tmp_path: Path) -> list[object]:
    """What seat 0 hears of a hand of three."""
    ring = Ring(tmp_path, 3, hands=1)
    heard: list[object] = []
    ring.on_event = lambda seat, event: heard.append(event) if seat == 0 else None
    ring.run()
    heard.insert(0, Started(ring.tables[0], 0, tmp_path))
    ring.close()
    return heard


def told_if_it_stopped(heard: list[object], code: str = "en") -> list[str]:
    """After each event: the line that somebody would read if nothing else happened."""
    lines = []
    for count in range(1, len(heard) + 1):
        waits = Waits(language(code), "", 0.0)
        for event in heard[:count]:
            waits.note(event, 0.0)
        assert waits.line(QUIET / 2) == ""
        lines.append(waits.line(QUIET))
    return lines


def test_each_wait_is_told_and_never_for_oneself(tmp_path: Path) -> None:
    heard = events(tmp_path)
    lines = told_if_it_stopped(heard)
    for event, line in zip(heard, lines, strict=True):
        if not isinstance(event, Advanced):
            continue
        due = event.after.due
        if due is None or (due.kind in (Kind.MOVE, Kind.ANSWER) and 0 in due.seats):
            assert line == ""
        elif due.kind in (Kind.MOVE, Kind.ANSWER):
            (seat,) = due.seats
            assert line == f"{event.after.header.labels[seat]} is to choose."
    shuffles = [line for line in dict.fromkeys(lines) if line.startswith("The deck")]
    assert shuffles == [f"The deck is being shuffled: {n} of 3." for n in range(3)]
    assert "The cards are being dealt with." in lines


def test_after_a_match_is_taken_up_in_the_middle_no_shuffle_is_waited_for(tmp_path: Path) -> None:
    heard = events(tmp_path)
    shuffled = max(
        n
        for n, event in enumerate(heard)
        if isinstance(event, Advanced) and event.step.entries[0].kind is Kind.SHUFFLE
    )
    lines = set(told_if_it_stopped([heard[0], *heard[shuffled + 1 :]]))
    assert "The cards are being dealt with." in lines
    assert not any(line.startswith("The deck is being shuffled") for line in lines)


def test_waits_are_told_in_the_language(tmp_path: Path) -> None:
    lines = told_if_it_stopped(events(tmp_path), "it")
    assert "Si mescola il mazzo: 1 di 3." in lines


def test_another_language_holds_for_the_next_wait(tmp_path: Path) -> None:
    waits = Waits(ENGLISH, "", 0.0)
    heard = events(tmp_path)
    first = next(n for n, line in enumerate(told_if_it_stopped(heard)) if "0 of 3" in line)
    waits.speak(language("it"))
    for event in heard[: first + 1]:
        waits.note(event, 0.0)
    assert waits.line(QUIET) == "Si mescola il mazzo: 0 di 3."


def test_a_wait_is_told_once_and_another_of_its_kind_now_and_then() -> None:
    waits = Waits(ENGLISH, "The table is being set.", 0.0)
    assert waits.line(QUIET) == "The table is being set."
    assert waits.line(QUIET + 100) == ""
    for n in range(12):  # one shuffle a second
        waits._wait("deal", f"{n} of 12", 200.0 + n)
        assert waits.left(200.0 + n) is not None
        expected = {2: "2 of 12", 7: "7 of 12"}.get(n, "")
        assert waits.line(200.0 + n) == expected
        assert (waits.left(200.0 + n) is None) == bool(expected)  # nobody watches what is told
    assert (QUIET, AGAIN) == (2.0, 5.0)
    waits._wait("", "", 300.0)
    assert waits.left(300.0) is None
    assert waits.line(400.0) == ""


@pytest.mark.parametrize(
    "flags",
    [{"terminal": False}, {"quiet": True}, {"json": True}],
    ids=["no terminal", "-q", "json"],
)
def test_nobody_is_told_who_does_not_look_or_want_it(flags: dict[str, Any]) -> None:
    out, _ = output(Clock(), **flags)
    with Meanwhile(out, "Waiting.") as meanwhile:
        assert meanwhile._thread is None


def test_a_wait_is_told_on_standard_error() -> None:
    clock = Clock()
    out, err = output(clock)
    clock.now = 0.0
    with Meanwhile(out, "Waiting.", clock) as meanwhile:
        clock.now = QUIET
        while not err.said():
            meanwhile.note(SimpleNamespace())
    assert err.said() == "Waiting.\n"
    assert out.out.said() == ""  # type: ignore[attr-defined] # a Stream


class Stuck(Stream):
    """A terminal that somebody has stopped (Ctrl-S): what is written waits."""

    def __init__(self) -> None:
        super().__init__("utf-8", True)
        self.written = threading.Event()
        self.goes_on = threading.Event()

    def write(self, text: str) -> int:
        self.written.set()
        self.goes_on.wait()
        return super().write(text)


def test_a_terminal_that_stands_still_does_not_stop_the_session() -> None:
    err, clock = Stuck(), Clock()
    out = Output(Stream("utf-8", True), err, clock=clock, environ={"TERM": "xterm"})
    meanwhile = Meanwhile(out, "Waiting.", clock)
    clock.now = QUIET
    try:
        with meanwhile:
            assert err.written.wait(60)
            session = threading.Thread(target=meanwhile.note, args=(None,), daemon=True)
            session.start()
            session.join(10)  # it would wait for ever if the writer held the lock
            stopped = session.is_alive()
            err.goes_on.set()
            session.join()
    finally:
        err.goes_on.set()
    assert not stopped
    assert err.said() == "Waiting.\n"
