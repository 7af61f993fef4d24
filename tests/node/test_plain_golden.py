"""Plain mode says in both languages what was agreed, for a hand of every game."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine import registry
from node.language import CODES
from node.typed import COMMANDS, command
from tests.node.plain_golden import FIRST, FOLDER, RULE, SEATS, files, transcripts

FILES = list(files())
NOTATION = re.compile(r"(?<![\w'])(?:\?\?|[A2-7FCRTJQK89][cdsbh])(?!\w)|\d+")


def read(game: str, code: str) -> list[str]:
    return (FOLDER / f"{game}-{code}.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(("game", "code", "path"), FILES)
def test_a_hand_is_told_as_agreed(game: str, code: str, path: Path) -> None:
    assert transcripts(game)[code] == path.read_text(encoding="utf-8")


def test_every_game_is_there_in_every_language_and_nothing_else() -> None:
    assert set(SEATS) == set(registry.GAMES)
    assert set(FOLDER.iterdir()) == {path for _, _, path in FILES}


def answers(lines: list[str]) -> list[str]:
    """What is said between one prompt and the next: each language breaks its lines by itself."""
    return "\n".join(lines).split("\n> ")


@pytest.mark.parametrize("game", SEATS)
def test_every_language_tells_the_same(game: str) -> None:
    told = [answers(read(game, code)) for code in CODES]
    assert len({len(one) for one in told}) == 1
    for one, other in zip(*told, strict=True):
        found = [NOTATION.findall(re.sub(r"(\d)[.,](\d)", r"\1.\2", said)) for said in (one, other)]
        assert sorted(found[0]) == sorted(found[1]), one


BOXES = re.compile("[\u2500-\u259f\u2190-\u21ff●○►▸✓·]")


@pytest.mark.parametrize(("game", "code", "path"), FILES)
def test_lines_are_for_ears_too(game: str, code: str, path: Path) -> None:
    """No boxes or signs, no line that is only padding; what tells is a sentence."""
    for line in path.read_text(encoding="utf-8").splitlines():
        assert not BOXES.search(line), line
        assert line == line.strip(), line
        assert "  " not in line, line


@pytest.mark.parametrize("game", SEATS)
def test_italian_lines_are_no_english_ones(game: str) -> None:
    """A line that both languages have alike is notation, a name, or a term of the game."""
    english, italian = set(read(game, "en")), set(read(game, "it"))
    for line in english & italian:
        if "." in line and not line.startswith("> "):
            assert re.search(r"[a-z]: (?:\?\?|[A-Z2-9]|buone|non buone|quanto|pari)", line), line


def test_a_command_is_understood_in_every_language() -> None:
    said = [[command(line.split()[0]) for line in FIRST[code]] for code in CODES]
    assert said[0][:-2] == said[1][:-2]
    assert said[0][:4] == ["help", "h", "t", "o"]
    assert command(RULE["it"]) == command(RULE["en"]) == "r"
    assert command("PRONTA") == command("ready") == "ready"
    assert command("avanti") == "goon"
    assert command("aspetta") == "wait"
    assert command("scrivi") == "chat"
    assert command("Knock-Show") == "knock-show"


def test_no_command_is_a_move(tmp_path: Path) -> None:
    moves = {
        *("stay", "camicia", "knock", "knock-show", "reenter", "decline", "cut", "discard"),
        *("declare", "none", "bottom", "aside", "play", "point", "sequence", "set", "pass", "good"),
        *("not-good", "how-much", "equal", "sum", "top", "bianca", "show", "change", "leave-it"),
    }
    assert not moves & set(COMMANDS)
    assert not any(re.fullmatch(r"[a2-7fcrtjqk89][cdsbh]|\d+", word) for word in COMMANDS)
