"""The command line: words in, one exit code out, and never a traceback."""

from __future__ import annotations

import argparse
import importlib.metadata
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import registry
from engine.errors import IllegalMove, NotationError, OptionError, OutOfTurn
from node.errors import NodeFailed, Unreachable
from protocol.errors import (
    CorruptLog,
    EncodingError,
    Fault,
    FileInUse,
    LocalProtocolError,
    NotALog,
    UnsupportedFormat,
)
from protocol.group import BackendError
from tests.tools.running import Said, Stream, busso
from tools import arguments, play, score
from tools.arguments import make_parser
from tools.errors import (
    CommandError,
    ExitCode,
    NetworkFailed,
    TerminalNeeded,
    UnusableFile,
    UsageError,
    ending,
)
from tools.output import Output, fitting, safe, to_ascii, wants_colour
from tools.verbs import HIDDEN, VERBS

ROOT = Path(__file__).resolve().parent.parent.parent
SCORE = ("score", "petrangola", "2d 2c 2s")
VISIBLE = [verb for verb in VERBS if verb not in HIDDEN]


def child(*argv: str, code: str = "", **settings: Any) -> subprocess.CompletedProcess[bytes]:
    """`busso` in a process of its own, or `code` with these arguments."""
    start = ["-c", code] if code else ["-m", "tools"]
    return subprocess.run(
        [sys.executable, *start, *argv], cwd=ROOT, check=False, timeout=60, **settings
    )


def during(monkeypatch: pytest.MonkeyPatch, act: Callable[..., Any]) -> Said:
    """Run a verb that does `act`."""
    monkeypatch.setattr(score, "run", act)
    return busso(*SCORE)


def raising(error: BaseException) -> Callable[..., Any]:
    def act(*_: object) -> None:
        raise error

    return act


# -- words ------------------------------------------------------------------------------------


@pytest.mark.parametrize("argv", [(), ("--help",)])
def test_help_lists_the_verbs_and_hides_what_busso_says_to_itself(argv: tuple[str, ...]) -> None:
    said = busso(*argv)
    assert (said.code, said.err) == (0, "")
    for verb in VISIBLE:
        assert f"\n    {verb} " in said.out
    for verb in HIDDEN:
        assert f"    {verb}" not in said.out


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(verb: str) -> None:
    said = busso(verb, "--help")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"usage: busso {verb} ")


@pytest.mark.parametrize("argv", [("--version",), ("verify", "--version")])
def test_version(argv: tuple[str, ...]) -> None:
    assert busso(*argv) == (0, f"busso {importlib.metadata.version('busso')}\n", "")


FLAGS = ("--json", "--plain", "--ascii", "--no-color", "-q", "-v", "--lang", "it")


@pytest.mark.parametrize("verb", [("verify", "x"), ("demo",), ("bench", "deal")])
def test_flags_stand_before_or_after_the_verb(verb: tuple[str, ...]) -> None:
    before = make_parser().parse_args([*FLAGS, *verb])
    after = make_parser().parse_args([*verb, *FLAGS])
    neither = make_parser().parse_args(verb)
    assert before == after
    for name in ("json", "plain", "ascii", "quiet", "verbose"):
        assert getattr(before, name) is True
        assert not getattr(neither, name)
    assert (before.colour, neither.colour) == (False, None)
    assert (before.lang, neither.lang) == ("it", None)


def test_demo_and_play_take_the_rules_of_a_table() -> None:
    words = ["--game", "g", "--preset", "p", "--option", "a=1", "--option", "b=c=d", "--hands", "7"]
    demo = make_parser().parse_args(
        ["demo", *words, "--players", "5", "--log", "f", "--backend", "python"]
    )
    table = make_parser().parse_args(["play", *words, "--bots", "1", "--name", "Ada", "--log", "f"])
    for args in (demo, table):
        assert (args.game, args.preset, args.hands, args.log) == ("g", "p", 7, "f")
        assert args.options == [("a", "1"), ("b", "c=d")]
    assert (demo.players, demo.backend) == (5, "python")
    assert (table.bots, table.name) == (1, "Ada")
    defaults = make_parser().parse_args(["demo"])
    assert (defaults.players, defaults.backend, defaults.hands) == (None, "auto", None)


@pytest.mark.parametrize(
    ("game", "seats"), [("petrangola", 4), ("picchetto", 2), ("briscola", 4), ("mambassa", 4)]
)
def test_a_game_is_played_by_as_many_as_it_takes(
    monkeypatch: pytest.MonkeyPatch, game: str, seats: int
) -> None:
    found: list[int] = []

    def sits(args: argparse.Namespace, *_: object) -> ExitCode:
        found.append(args.bots + 1)
        return ExitCode.FINE

    monkeypatch.setattr(play, "_in_lines", sits)
    assert busso("play", game, "--plain").code == ExitCode.FINE
    assert found == [seats]
    assert arguments.seats_of(registry.get(game)) == seats
    assert arguments.seats_of(registry.get("picchetto"), 9) == 2


@pytest.mark.parametrize(
    "argv",
    [
        ("vrify", "x"),
        ("verify",),
        ("verify", "x", "y"),
        ("verify", "x", "--jso"),
        ("--verb",),
        ("demo", "--players", "1"),
        ("demo", "--players", "65"),
        ("demo", "--players", "four"),
        ("demo", "--hands", "0"),
        ("demo", "--hands", "-1"),
        ("demo", "--hands", "9" * 30),
        ("demo", "--hands", "\u0663"),
        ("demo", "--backend", "fast"),
        ("demo", "--option", "tokens"),
        ("demo", "--option", "=5"),
        ("play", "--lang", "de"),
        ("export", "x"),
        ("export", "x", "--format", "html"),
        ("bench", "everything"),
        ("score", "petrangola"),
    ],
)
def test_wrong_words_are_one_sentence(argv: tuple[str, ...]) -> None:
    said = busso(*argv)
    assert said.code == ExitCode.USAGE
    assert "--help" in said.complaint()


def test_an_unknown_verb_is_told_without_the_hidden_ones() -> None:
    assert "node" not in busso("nod").complaint()


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ({"game": "briscola-x"}, "no game 'briscola-x'"),
        ({"preset": "umbria"}, "no preset 'umbria'; there are: marche, emilia, pagat"),
        ({"options": [("tokns", "3")]}, "no option 'tokns'"),
        ({"options": [("tokens", "99")]}, "tokens must be"),
        ({"options": [("tokens", "3"), ("tokens", "4")]}, "twice"),
    ],
)
def test_rules_that_there_are_not(given: dict[str, Any], text: str) -> None:
    args = argparse.Namespace(**{"game": None, "preset": None, "options": []} | given)
    with pytest.raises((OptionError, UsageError), match=text) as caught:
        arguments.table_rules(args)
    assert ending(caught.value).code == ExitCode.USAGE


# -- endings ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (UsageError("no"), 2),
        (UnusableFile("no"), 3),
        (NetworkFailed("no"), 4),
        (TerminalNeeded("no"), 5),
        (CommandError("no"), 70),
        (OptionError("no"), 2),
        (NotationError("no"), 2),
        (IllegalMove("PET-22", "no"), 2),
        (OutOfTurn("no"), 70),
        (NotALog("no"), 3),
        (UnsupportedFormat("no"), 3),
        (FileInUse("no"), 3),
        (CorruptLog("no", 8, 0), 1),
        (Fault(1, 2, "signature", "no"), 1),
        (EncodingError("no"), 1),
        (LocalProtocolError("no"), 70),
        (BackendError("no"), 2),
        (Unreachable("no"), 4),
        (NodeFailed("no"), 70),
        (FileNotFoundError(2, "no such file", "x"), 3),
        (OSError(28, "no space left"), 3),
        (MemoryError(), 70),
        (RecursionError("no"), 70),
        (ZeroDivisionError("no"), 70),
        (KeyboardInterrupt(), 130),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else str(value),
)
def test_every_error_has_its_code_and_one_sentence(
    error: BaseException, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = during(monkeypatch, raising(error))
    assert said.code == code
    assert len(said.complaint()) > len("busso: .")


def test_a_bug_says_how_to_see_more_and_then_shows_it(monkeypatch: pytest.MonkeyPatch) -> None:
    said = during(monkeypatch, raising(ZeroDivisionError("\x1b[2J")))
    assert "BUSSO_DEBUG=1" in said.complaint()
    monkeypatch.setenv("BUSSO_DEBUG", "1")
    said = during(monkeypatch, raising(ZeroDivisionError("secret")))
    assert said.code == ExitCode.BUG
    assert "Traceback" in said.err
    assert "secret" in said.err


@pytest.fixture
def hears_ctrl_c() -> Iterator[None]:
    """A shell's background job inherits that SIGINT is ignored, and Python then leaves it so."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("hears_ctrl_c")
def test_ctrl_c_ends_quietly(monkeypatch: pytest.MonkeyPatch) -> None:
    said = during(monkeypatch, lambda *_: signal.raise_signal(signal.SIGINT))
    assert said.code == ExitCode.INTERRUPTED
    assert said.complaint() == "busso: interrupted."


def test_a_reader_that_has_gone_ends_quietly() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = child(*SCORE, stdout=writing, stderr=subprocess.PIPE)
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (ExitCode.PIPE, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_one_sentence() -> None:
    with Path("/dev/full").open("wb") as full:
        done = child(*SCORE, stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == ExitCode.UNREADABLE
    assert done.stderr.startswith(b"busso: ")
    assert done.stderr.count(b"\n") == 1


def test_no_streams_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    from tools.cli import main  # noqa: PLC0415  # beside the streams that it must do without

    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert main(list(SCORE)) == 0
    assert main(["score"]) == ExitCode.USAGE


@pytest.mark.parametrize("argv", [("--help",), ("verify", "--help"), SCORE])
def test_what_needs_no_network_imports_none(argv: tuple[str, ...]) -> None:
    code = (
        "import sys; from tools.cli import main; main(sys.argv[1:]); "
        "sys.exit(repr({'zmq', 'prompt_toolkit', 'cryptography', 'msgpack', 'rbcl', 'asyncio'} "
        "& sys.modules.keys()))"
    )
    done = child(*argv, code=code, capture_output=True)
    assert done.stderr == b"set()\n"
    assert b"petrangola" in done.stdout or b"tris" in done.stdout or b"evidence" in done.stdout


@pytest.mark.parametrize("language", ["en", "it"])
def test_help_waits_for_nothing_slow(language: str) -> None:
    slow = {"dataclasses", "inspect", "json", "importlib.metadata", "tomllib"}
    code = (
        "import sys; from tools.cli import main; main(sys.argv[1:]); "
        f"sys.exit(repr({slow} & sys.modules.keys()))"
    )
    assert child("--lang", language, "--help", code=code, capture_output=True).stderr == b"set()\n"


# -- terminals --------------------------------------------------------------------------------

RECORD = """\
busso record 1
game petrangola 1
preset emilia
seat 0 Niccolò
seat 1 Zoë Łukasz
"""


@pytest.mark.parametrize(
    ("encoding", "mark", "names"),
    [
        ("utf-8", "✓", "Niccolò 3, Zoë Łukasz 3"),
        ("cp1252", "OK", "Niccolò 3, Zoë Lukasz 3"),
        ("latin-1", "OK", "Niccolò 3, Zoë Lukasz 3"),
        ("ascii", "OK", "Niccolo 3, Zoe Lukasz 3"),
    ],
)
def test_a_terminal_gets_what_it_can_show(encoding: str, mark: str, names: str) -> None:
    said = busso("check", "-", encoding=encoding, stdin=RECORD.encode())
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith(f"{mark} ")
    assert names in said.out


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_process_with_another_encoding_does_not_crash(encoding: str) -> None:
    environment = os.environ | {"PYTHONIOENCODING": encoding}
    done = child("check", "-", input=RECORD.encode(), capture_output=True, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"OK ")
    assert done.stdout.decode(encoding).count("\n") == 2


def test_ascii_on_demand() -> None:
    said = busso("check", "-", "--ascii", stdin=RECORD.encode())
    assert said.out.isascii()
    assert "Niccolo 3" in said.out


def test_colour_only_where_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    def coloured(*flags: str, terminal: bool = True) -> bool:
        said = busso("check", "-", *flags, terminal=terminal, stdin=RECORD.encode())
        return "\x1b[32m✓\x1b[0m " in said.out

    assert coloured()
    assert not coloured(terminal=False)
    assert not coloured("--no-color")
    assert not coloured("--plain")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not coloured()
    monkeypatch.setenv("NO_COLOR", "")
    assert coloured()
    monkeypatch.setenv("TERM", "dumb")
    assert not coloured()


def test_windows_terminals_that_know_colours() -> None:
    terminal = Stream("utf-8", True)
    assert not wants_colour(terminal, {}, windows=True)
    assert wants_colour(terminal, {"WT_SESSION": "x"}, windows=True)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain à", "plain à"),
        ("\x1b[2Jboo", "?[2Jboo"),
        ("a\u202eb\u2066c", "a?b?c"),
        ("a\nb\tc\x9b", "a?b?c?"),
        ("bad \udc80 name", "bad ? name"),
    ],
)
def test_nothing_steers_the_terminal(text: str, shown: str) -> None:
    assert safe(text) == shown
    out, err = Stream("utf-8", False), Stream("utf-8", False)
    output = Output(out, err)
    output.line(text)
    output.error(text)
    assert out.said() == f"{shown}\n"
    assert err.said() == f"busso: {shown}.\n"


def test_a_hostile_file_name_is_shown_harmlessly() -> None:
    assert "\x1b" not in busso("verify", "\x1b[2J\u202e.busso").complaint()


def test_degrading_keeps_what_fits() -> None:
    assert to_ascii("✓ è – 漢 …") == "OK e - ? ..."
    assert fitting("✓ è 漢", "latin-1") == "OK è ?"
    assert fitting("✓ è", "no-such-encoding") == "OK e"


def progress_of(*, terminal: bool = True, quiet: bool = False) -> str:
    """What 1 s of work shows, told of every 0.05 s."""
    err = Stream("utf-8", terminal)
    now = 0.0
    output = Output(Stream("utf-8", False), err, quiet=quiet, clock=lambda: now)
    with output.progress("verifying") as progress:
        for step in range(21):
            now = step * 0.05
            progress(step, 20)
    return err.said()


def test_progress_appears_after_a_while_and_goes_away() -> None:
    shown = progress_of()
    assert shown.startswith("\rverifying: 6 of 20 steps\rverifying: 8 of 20 steps\r")
    assert shown.endswith("\r" + " " * len("verifying: 20 of 20 steps") + "\r")
    assert "\n" not in shown


def test_progress_is_for_people() -> None:
    assert progress_of(terminal=False) == ""
    assert progress_of(quiet=True) == ""


def test_short_work_shows_no_progress() -> None:
    err = Stream("utf-8", True)
    with Output(Stream("utf-8", False), err, clock=lambda: 0.0).progress("x") as progress:
        progress(1, 1)
    assert err.said() == ""
