"""`busso play` at a terminal: a real one, with the program in a process of its own."""

from __future__ import annotations

import io
import os
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager

import pyte
import pytest

from node.screen.theme import ThemeName
from tools.arguments import make_parser
from tools.errors import UsageError
from tools.output import Output
from tools.screen import theme_name

if sys.platform == "win32":
    pytest.skip("Windows has no pseudo-terminals", allow_module_level=True)

import fcntl
import pty
import termios

PATIENCE = 90.0
LEAVES_FULL_SCREEN = "\x1b[?1049l"


class Window:
    """A terminal window with `busso play` in it, or another `verb`."""

    verb: Sequence[str] = ("play", "--bots", "1", "--hands", "1")

    def __init__(self, columns: int, rows: int, words: list[str], **variables: str) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.Stream(self.screen)
        self.sent = ""
        own, its = pty.openpty()
        fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        environment = {**os.environ, "COLUMNS": str(columns), "LINES": str(rows), **variables}
        command = [sys.executable, "-P", "-m", "tools", *self.verb]
        self.process = subprocess.Popen(
            [*command, *words], stdin=its, stdout=its, stderr=its, env=environment, close_fds=True
        )
        os.close(its)
        self._own = own

    def read(self) -> bool:
        """Take in what there is, waiting a moment for it; False at the end."""
        if not select.select([self._own], [], [], 0.1)[0]:
            return self.process.poll() is None
        try:
            octets = os.read(self._own, 65_536)
        except OSError:  # the program has ended and nobody else has the terminal
            return False
        text = octets.decode("utf-8", "replace")
        self.sent += text
        self._stream.feed(text)
        return bool(octets)

    def until(self, condition: Callable[[], bool]) -> None:
        """Wait for something to be seen."""
        end = time.monotonic() + PATIENCE
        while not condition():
            assert self.read(), self.sent[-2_000:]
            assert time.monotonic() < end, self.shown()

    def shown(self) -> str:
        """What stands in the window."""
        return "\n".join(self.screen.display)

    def press(self, keys: str) -> None:
        """Type."""
        os.write(self._own, keys.encode())

    def end(self) -> int:
        """Read to the end; the exit code."""
        while self.read():
            pass
        return self.process.wait(PATIENCE)

    def close(self) -> None:
        """Leave nothing running."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._own)


@contextmanager
def window(columns: int, rows: int, *words: str, **variables: str) -> Iterator[Window]:
    """A window that is closed at the end."""
    opened = Window(columns, rows, list(words), **variables)
    try:
        yield opened
    finally:
        opened.close()


def test_a_person_sits_down_sees_the_table_and_leaves() -> None:
    with window(80, 24, "--lang", "en") as shown:
        shown.until(lambda: "The table is being set." in shown.shown())
        shown.until(lambda: "hand 1" in shown.shown())
        shown.until(lambda: "─ ✓ " in shown.shown())
        shown.press("\x1b[21~")
        shown.until(lambda: "Leave the table?" in shown.shown())
        shown.press("y")
        assert shown.end() == 0
        after = shown.sent.rpartition(LEAVES_FULL_SCREEN)[2]
        assert "You leave the table." in after
        assert "The log: " in after
        assert "Traceback" not in shown.sent


@pytest.mark.parametrize(
    ("words", "hint"), [(["--plain"], "? helps."), (["--lang", "it", "--plain"], "? aiuta.")]
)
def test_who_asks_for_lines_gets_lines(words: list[str], hint: str) -> None:
    with window(80, 24, *words) as shown:
        shown.until(lambda: hint in shown.sent)
        assert "\x1b[?1049h" not in shown.sent


def test_in_lines_one_is_answered_while_the_others_are_to_choose() -> None:
    """From the first line on, before there is any turn."""
    with window(80, 24, "--plain", "--lang", "en") as shown:
        shown.until(lambda: "? helps." in shown.sent)
        shown.press("?\nchat ciao\nlang it\n")
        shown.until(lambda: "Tocca a te" in shown.sent)
        before = shown.sent[: shown.sent.index("Tocca a te")]
        assert "s: a suggestion" in before
        assert "> ciao" in before
        assert "Your turn" not in shown.sent
        shown.press("esci\n")
        shown.until(lambda: "Lasci il tavolo?" in shown.sent)
        shown.press("s\n")
        assert shown.end() == 0


def test_ctrl_c_at_a_question_ends_it_on_a_line_of_its_own() -> None:
    with window(80, 24, "--plain", "--lang", "en") as shown:
        shown.until(lambda: "\n> " in shown.sent)
        shown.process.send_signal(signal.SIGINT)
        assert shown.end() == 130
        assert "\nbusso: interrupted." in shown.sent
        assert "\nThe log: " in shown.sent
        assert "Traceback" not in shown.sent


class Alone(Window):
    """The same with no verb."""

    verb = ()


def test_a_match_whose_process_was_killed_is_offered_and_can_be_closed() -> None:
    with window(80, 24, "--plain", "--lang", "en") as shown:
        shown.until(lambda: "\n> " in shown.sent)
        shown.process.kill()
        shown.end()
    with closing(Alone(80, 24, ["--plain", "--lang", "en"])) as again:
        again.until(lambda: "n: not now. " in again.sent)
        again.press("\n")
        again.until(lambda: "'abandon' closes it." in again.sent)
        again.until(lambda: "\n> " in again.sent)
        again.press("abandon\n")
        assert again.end() == 0
        assert "The match was closed before its end." in again.sent
    with closing(Alone(80, 24, ["--plain", "--lang", "en"])) as third:
        third.until(lambda: "q' leaves" in third.sent)
        assert "You left a match" not in third.sent


def test_a_dumb_terminal_gets_lines() -> None:
    with window(80, 24, TERM="dumb") as shown:
        shown.until(lambda: "? helps." in shown.sent)
        assert "\x1b" not in shown.sent


def test_a_small_window_gets_a_sentence_and_lines() -> None:
    with window(59, 24) as shown:
        shown.until(lambda: "? helps." in shown.sent)
        assert "needs 60 columns and 20 rows" in " ".join(shown.sent.split())
        assert "\x1b[?1049h" not in shown.sent


def test_no_color_and_ascii_are_kept_to() -> None:
    with window(80, 24, "--lang", "it", "--ascii", NO_COLOR="1") as shown:
        shown.until(lambda: "mano 1" in shown.shown())
        assert shown.shown().isascii()
        assert "\x1b[38;" not in shown.sent


def test_an_unknown_theme_is_one_sentence() -> None:
    with window(80, 24, BUSSO_THEME="pink") as shown:
        assert shown.end() == 2
        assert "BUSSO_THEME=pink is no theme" in shown.sent
        assert "Traceback" not in shown.sent


def test_a_flag_goes_before_the_environment_and_no_colour_before_both() -> None:
    def named(*words: str, colour: bool = True, **environ: str) -> ThemeName:
        args = make_parser().parse_args(["play", *words])
        out = Output(io.StringIO(), io.StringIO(), colour=colour)
        return theme_name(out, args.theme, environ)

    assert named() is ThemeName.DARK
    assert named(BUSSO_THEME="light") is ThemeName.LIGHT
    assert named("--theme", "safe", BUSSO_THEME="light") is ThemeName.SAFE
    assert named("--theme", "safe", colour=False) is ThemeName.NONE
    with pytest.raises(UsageError):
        named(BUSSO_THEME="pink")
    with pytest.raises(UsageError):
        named("--theme", "pink")
