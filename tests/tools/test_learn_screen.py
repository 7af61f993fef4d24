"""`busso learn` at a terminal: which interface there is, and a real one with keys."""

from __future__ import annotations

import sys

import pytest

from node.screen.lesson_app import ScreenLesson
from tests.tools.running import Stream
from tools import learn
from tools.arguments import make_parser
from tools.errors import ExitCode, UsageError
from tools.output import Output
from tools.screen import lesson_screen

if sys.platform != "win32":
    from tests.tools.test_play_screen import Window

TERMINAL = {"TERM": "xterm-256color"}


@pytest.fixture
def out(monkeypatch: pytest.MonkeyPatch) -> Output:
    """Somebody at both ends of a window of 80 by 24."""
    monkeypatch.setattr(sys, "stdin", Stream("utf-8", terminal=True))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("BUSSO_LANG", "en")
    streams = (Stream("utf-8", terminal=True), Stream("utf-8", terminal=True))
    return Output(*streams, colour=True)


def said(out: Output) -> str:
    stream = out.out
    assert isinstance(stream, Stream)
    return stream.said()


@pytest.mark.parametrize(("stays", "text"), [(True, ""), (False, "You leave the lesson.\n")])
@pytest.mark.parametrize("game", [None, "briscola"])
def test_at_a_terminal_there_is_the_screen(
    out: Output, game: str | None, stays: bool, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str | None] = []

    def run(_: ScreenLesson, game: str | None = None) -> bool:
        begun.append(game)
        return stays

    monkeypatch.setattr(ScreenLesson, "run", run)
    words = ["learn", *([game] if game else [])]
    assert learn.run(make_parser().parse_args(words), out) == ExitCode.FINE
    assert begun == [game]
    assert said(out) == text


def test_a_theme_may_be_asked_for(out: Output) -> None:
    args = make_parser().parse_args(["learn", "--theme", "light"])
    screen = lesson_screen(args, out, "Tina", TERMINAL)
    assert screen is not None
    assert screen._theme.name == "light"
    wrong = {**TERMINAL, "BUSSO_THEME": "pink"}
    with pytest.raises(UsageError):
        lesson_screen(make_parser().parse_args(["learn"]), out, "Tina", wrong)


def test_lines_where_they_were_asked_for_or_nothing_else_is_possible(
    out: Output, monkeypatch: pytest.MonkeyPatch
) -> None:
    args = make_parser().parse_args(["learn"])
    assert lesson_screen(args, out, "Tina", {"TERM": "dumb"}) is None
    assert said(out) == ""
    monkeypatch.setenv("COLUMNS", "59")
    assert lesson_screen(args, out, "Tina", TERMINAL) is None
    assert "so here are plain lines" in said(out)
    monkeypatch.setattr(sys, "stdin", Stream("utf-8", terminal=False))
    assert lesson_screen(args, out, "Tina", TERMINAL) is None


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_a_lesson_in_a_real_terminal() -> None:
    class Lesson(Window):
        """A window with `busso learn` in it."""

        verb = ("learn", "--lang", "it")

    shown = Lesson(80, 24, [], BUSSO_NAME="Tina", TERM="xterm-256color")
    try:
        shown.until(lambda: "► 1 Petrangola" in shown.shown())
        shown.press("4\r")
        shown.until(lambda: "passo 1 di 7" in shown.shown())
        shown.press("\x1b[20~")
        shown.until(lambda: "step 1 of 7" in shown.shown())
        shown.press("\r")
        shown.until(lambda: "YOUR TURN" in shown.shown())
        shown.press("2\r")
        shown.until(lambda: "A trump for nothing." in shown.shown())
        shown.press("\x1b[21~y")
        shown.until(lambda: "Lessons: a prepared hand" in shown.shown())
        shown.press("q")
        assert shown.end() == 0
        assert "Traceback" not in shown.sent
    finally:
        shown.close()
