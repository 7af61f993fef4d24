"""Which interface this terminal gets, and what is handed to it."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from node.screen.app import ScreenTable
from tests.tools.running import Stream
from tools.arguments import make_parser
from tools.output import Output
from tools.screen import full_screen, lobby_screen
from tools.settings import read

TERMINAL = {"TERM": "xterm-256color"}


@pytest.fixture
def seated(monkeypatch: pytest.MonkeyPatch) -> Output:
    """Somebody at both ends of a window of 80 by 24."""
    monkeypatch.setattr(sys, "stdin", Stream("utf-8", terminal=True))
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
