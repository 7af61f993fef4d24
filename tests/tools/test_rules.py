"""`busso rules`: the texts laid out, and the options generated from what the games declare."""

from __future__ import annotations

import dataclasses
import unicodedata

import pytest

from engine import registry
from engine.options import specs
from node.rule_files import SOURCE, document, rules_of, words
from tests.tools.running import busso
from tools.errors import ExitCode
from tools.rules import MARK, orders

GAMES = tuple(registry.GAMES)


def test_without_a_game_each_has_its_sentence() -> None:
    lines = busso("rules").out
    for name in (*GAMES, "general"):
        assert f"{name} " in lines
    assert busso("rules", "--lang", "it").out != lines
    assert [game["name"] for game in busso("rules", "--json").json()["games"]] == [
        *GAMES,
        "general",
    ]


@pytest.mark.parametrize("code", ["en", "it", "fa"])
@pytest.mark.parametrize("name", GAMES)
def test_a_game_is_printed_whole(name: str, code: str) -> None:
    said = busso("rules", name, "--lang", code, "-q")
    assert (said.code, said.err) == (0, "")
    flat = " ".join(said.out.replace(MARK, "").split())
    for rule, text in rules_of(document(name, code)).items():
        assert rule in said.out
        assert " ".join(text.split()) in flat, rule
    for option in specs(registry.get(name).options_type):
        assert f"\n{option} = " in said.out


@pytest.mark.parametrize("flags", [(), ("--plain",)])
@pytest.mark.parametrize("name", [*GAMES, "general"])
def test_persian_keeps_to_a_narrow_terminal(
    monkeypatch: pytest.MonkeyPatch, name: str, flags: tuple[str, ...]
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = busso("rules", name, "--lang", "fa", *flags).out.splitlines()
    assert max(len(line.removeprefix(MARK)) for line in lines) < 60
    heads = [n for n, line in enumerate(lines) if line.startswith("[")]
    assert [lines[n].strip("[]") for n in heads] == list(rules_of(document(name, "fa")))
    for n in heads:  # its first letter is what gives a line its direction
        assert unicodedata.bidirectional(lines[n + 1][0]) == "AL", lines[n]


def _direction(line: str) -> str:
    """Which way a terminal runs a line: the class of its first strong letter (UAX #9, P2)."""
    return next(
        (way for c in line if (way := unicodedata.bidirectional(c)) in ("L", "R", "AL")), ""
    )


@pytest.mark.parametrize("columns", ["40", "60", "88"])
@pytest.mark.parametrize("name", [*GAMES, "general"])
def test_every_line_of_persian_prose_runs_from_right_to_left(
    monkeypatch: pytest.MonkeyPatch, name: str, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = busso("rules", name, "--lang", "fa", "-q").out.splitlines()
    persian = [line for line in lines if any(unicodedata.bidirectional(c) == "AL" for c in line)]
    assert {_direction(line) for line in persian} <= {"AL", "R"}
    assert not [line for line in lines if line.startswith("[") and MARK in line]


def test_persian_is_joined_by_its_own_semicolon_and_notation_runs_as_it_is_typed() -> None:
    said = busso("rules", "petrangola", "--lang", "fa", "-q").out
    see = words("fa")["explained"].format("PET-35")
    assert f"\npetrangulo = false\n{MARK}    true {words('fa')['or']} false؛ {see}\n" in said
    assert MARK not in busso("rules", "petrangola", "--lang", "it").out
    games = busso("rules", "--lang", "fa").out.splitlines()
    assert [line.split()[0] for line in games if MARK in line] == [
        f"{MARK}{name}" for name in (*GAMES, "general")
    ]


@pytest.mark.parametrize("columns", [40, 80, 200])
def test_lines_fit_the_terminal(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = busso("rules", "petrangola").out.splitlines()
    assert max(map(len, lines)) <= min(columns - 1, 88)
    assert max(map(len, lines)) > min(columns - 1, 88) - 10


def test_options_and_presets_come_from_the_specs(monkeypatch: pytest.MonkeyPatch) -> None:
    game = registry.get("petrangola")
    monkeypatch.setattr(
        type(game), "presets", {"plain": {}, "odd": {"tokens": 7, "pot": "bought", "decks": 2}}
    )
    monkeypatch.setattr(type(game), "default_preset", "odd")
    said = busso("rules", "petrangola").out
    assert "Without --preset a table plays odd." in said
    assert "The preset plain has all defaults." in said
    # `pot` is named by the preset, but doesn't differ.
    assert said.endswith("odd differs from the defaults above in:\n    decks = 2\n    tokens = 7\n")
    assert "| Option" not in said
    assert "Option " not in said
    spec = specs(game.options_type)["decks"]
    assert f"decks = auto\n    auto or a number from {spec.low} to {spec.high}; see PET-01" in said
    assert dataclasses.is_dataclass(game.options_type)


@pytest.mark.parametrize("argv", [("PET-22",), ("petrangola", "pet-22")])
def test_one_rule(argv: tuple[str, ...]) -> None:
    said = busso("rules", *argv)
    assert said.out.startswith("PET-22  To exchange nothing")
    assert len(said.out.splitlines()) < 5
    data = busso("rules", *argv, "--json", "--lang", "it").json()
    assert (data["id"], data["language"]) == ("PET-22", "it")


def test_a_rule_of_all_games_is_found_from_each() -> None:
    assert busso("rules", "briscola", "GEN-01").out.startswith("GEN-01")
    assert busso("rules", "GEN-01").out.startswith("GEN-01")
    persian = busso("rules", "mambassa", "GEN-01", "--lang", "fa").out
    assert persian == busso("rules", "general", "GEN-01", "--lang", "fa").out
    assert persian.startswith("[GEN-01]\n")


@pytest.mark.parametrize(
    "argv", [("chess",), ("PET-99",), ("petrangola", "BRI-01"), ("x" * 500,), ("\x1b[2J",)]
)
def test_what_is_not_there_is_one_sentence(argv: tuple[str, ...]) -> None:
    said = busso("rules", *argv)
    assert said.code == ExitCode.USAGE
    assert len(said.complaint()) < 200
    assert "\x1b" not in said.err


def test_a_missing_language_is_said_and_answered_in_english(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("tools.rules.languages", lambda _: (SOURCE,))
    said = busso("rules", "mambassa", "--lang", "fa").out
    assert said.splitlines()[0].endswith("here is the English.")
    assert "Mambassa\n========" in said


def test_right_to_left_is_printed_in_its_order_with_a_note_where_it_may_look_reversed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    piped = busso("rules", "briscola", "--lang", "fa").out
    shown = busso("rules", "briscola", "--lang", "fa", terminal=True).out
    assert piped.startswith("بریسکولا\n")
    assert shown.startswith("This text runs from right to left")
    assert shown.endswith(piped)
    assert "\n[BRI-06]\n" in piped
    assert "می\u200cشود" in piped  # the joiner inside a word isn't lost
    monkeypatch.setenv("VTE_VERSION", "7600")
    assert busso("rules", "briscola", "--lang", "fa", terminal=True).out == piped


@pytest.mark.parametrize(
    ("environ", "known"),
    [
        ({}, False),
        ({"VTE_VERSION": "5799"}, False),
        ({"VTE_VERSION": "5800"}, True),
        ({"VTE_VERSION": "six"}, False),
        ({"VTE_VERSION": "٦٠٠٠"}, False),
        ({"KONSOLE_VERSION": "220401"}, True),
        ({"TERM": "mlterm-256color"}, True),
        ({"TERM": "xterm-256color"}, False),
        ({"TERM_PROGRAM": "Apple_Terminal"}, True),
    ],
)
def test_which_terminals_order_text(environ: dict[str, str], known: bool) -> None:
    assert orders(environ) is known


def test_ascii_and_poor_encodings_are_no_obstacle() -> None:
    assert busso("rules", "picchetto", "--lang", "it", "--ascii").out.isascii()
    assert busso("rules", "petrangola", "--lang", "fa", encoding="ascii").code == 0


def test_json_has_everything() -> None:
    data = busso("rules", "petrangola", "--json").json()
    assert [rule["id"] for rule in data["rules"]] == list(rules_of(document("petrangola", SOURCE)))
    assert data["options"][0] == {
        "name": "decks",
        "rule": "PET-01",
        "default": "auto",
        "allowed": "auto or a number from 1 to 4",
    }
    assert data["default_preset"] == "marche"
    assert data["presets"]["emilia"]["court_tris"] == "by_rank"
    assert "options" not in busso("rules", "general", "--json").json()
