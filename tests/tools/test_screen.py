"""Which interface this terminal gets, and what is handed to it."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from node.screen.app import ScreenTable
from node.screen.console import ConsoleOutput
from node.screen.theme import Role
from tests.node.screen.terminal import Paper
from tests.tools.running import Stream
from tools.arguments import make_parser
from tools.output import Output, wants_colour
from tools.screen import full_screen, lobby_screen
from tools.settings import read

TERMINAL = {"TERM": "xterm-256color"}


@pytest.fixture
def seated(monkeypatch: pytest.MonkeyPatch) -> Output:
    """Somebody at both ends of a window of 80 by 24."""
    monkeypatch.setattr(sys, "stdin", Stream("utf-8", terminal=True))
    monkeypatch.setattr(sys, "stdout", Paper())
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    return Output(Stream("utf-8", terminal=True), Stream("utf-8", terminal=True))


@pytest.mark.parametrize(
    ("words", "text", "rings"),
    [
        ((), "", True),
        (("--no-bell",), "", False),
        ((), "bell = false", False),
        ((), "bell = true", True),
        (("--no-bell",), "bell = true", False),
    ],
)
@pytest.mark.parametrize("verb", ["play", "host", "join"])
def test_the_screen_is_told_whether_to_ring(
    seated: Output, verb: str, words: tuple[str, ...], text: str, rings: bool
) -> None:
    defaults = read(text, Path("config.toml")).defaults({})
    args = make_parser(defaults).parse_args([verb, *words])
    screen: ScreenTable | None
    if verb == "play":
        screen = full_screen(args, seated, random.Random(1), TERMINAL)
    else:
        screen = lobby_screen(args, seated, TERMINAL)
    assert screen is not None
    assert screen._bell is rings


@pytest.mark.parametrize(
    ("term", "console"),
    [
        ("linux", True),
        ("ansi", True),
        ("xterm-256color", False),
        ("screen", False),
        ("tmux-256color", False),
        ("vt100", False),
    ],
)
def test_a_console_gets_what_it_can_show(seated: Output, term: str, console: bool) -> None:
    seated.colour = True
    args = make_parser().parse_args(["play"])
    screen = full_screen(args, seated, random.Random(1), {"TERM": term})
    assert screen is not None
    assert isinstance(screen._sink, ConsoleOutput) is console
    assert screen._theme.look(Role.RED).ink.startswith("ansi") is console


@pytest.mark.parametrize(
    ("term", "coloured"),
    [
        *(("vt100", False), ("vt220", False), ("vt420", False), ("xterm-mono", False)),
        *(("ansi-m", False), ("dumb", False), ("unknown", False)),
        *(("vt340", True), ("linux", True), ("xterm", True), ("tmux-256color", True)),
    ],
)
def test_a_terminal_without_colours_is_sent_none(term: str, coloured: bool) -> None:
    assert wants_colour(Stream("utf-8", True), {"TERM": term}, windows=False) is coloured


@pytest.mark.parametrize(
    ("encoding", "unicode"),
    [("utf-8", True), ("UTF8", True), ("ascii", False), ("cp437", False), ("iso8859-1", False)],
)
def test_an_encoding_without_box_characters_gets_ascii(
    monkeypatch: pytest.MonkeyPatch, encoding: str, unicode: bool
) -> None:
    monkeypatch.setattr(sys, "stdin", Stream("utf-8", terminal=True))
    out = Output(Stream(encoding, terminal=True), Stream(encoding, terminal=True))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    screen = full_screen(make_parser().parse_args(["play"]), out, random.Random(1), TERMINAL)
    assert screen is not None
    assert screen._theme.unicode is unicode
