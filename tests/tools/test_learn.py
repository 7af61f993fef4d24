"""`busso learn`: a whole lesson in lines, what is said to other words, and leaving."""

from __future__ import annotations

import pytest

from engine import registry
from node.lesson_file import Choose, lesson, own_name
from tests.tools.running import busso
from tools.errors import ExitCode

GAMES = tuple(registry.GAMES)


def good(name: str) -> list[str]:
    """The words of a learner who gets everything right."""
    return [step.good[0].move for step in lesson(name).steps if isinstance(step, Choose)]


def typed(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


@pytest.mark.parametrize("code", ["en", "it"])
@pytest.mark.parametrize("name", GAMES)
def test_a_lesson_in_lines(name: str, code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("BUSSO_NAME", "Zoe")
    said = busso("learn", name, "--lang", code, stdin=typed(*good(name)))
    assert (said.code, said.err) == (0, "")
    last = {"en": "That was the lesson.", "it": "La lezione è finita."}[code]
    assert said.out.splitlines()[-1] == last
    assert "Zoe" in said.out
    assert max(map(len, said.out.splitlines())) <= 88
    for step in lesson(name).steps:
        if isinstance(step, Choose):
            assert " ".join(step.ask.in_(code).split()) in " ".join(said.out.split())


@pytest.mark.parametrize("words", [("q",), ("Q",), (), ("knock", "q")])
def test_a_learner_may_leave_at_any_time(words: tuple[str, ...]) -> None:
    said = busso("learn", "petrangola", stdin=typed(*words))
    assert (said.code, said.err) == (0, "")
    assert said.out.splitlines()[-1] == "You leave the lesson."


def test_a_worse_move_is_taken_back_with_a_word_about_why() -> None:
    said = busso("learn", "briscola", stdin=typed("Fd", "5c", "q")).out
    assert "A trump for nothing." in said
    assert said.index("Think again") < said.index("plays 5c")
    assert "plays Fd" not in said


def test_a_number_is_a_choice_and_a_question_mark_lists_them() -> None:
    said = busso("learn", "briscola", stdin=typed("?", "1", "q")).out
    assert " 1  5c  play the five of cups" in said
    assert "plays 5c." in said
    assert "1585 moves" in busso("learn", "picchetto", stdin=typed("?", "1", "q")).out


def test_a_forbidden_move_is_told_by_its_rule_in_the_language() -> None:
    said = " ".join(
        busso("learn", "traversone", "--lang", "it", stdin=typed("3s", "q")).out.split()
    )
    assert "Qui non è permesso (TRA-03)." in said
    assert "Si risponde al seme d'uscita" in said


@pytest.mark.parametrize("word", ["xx", "0", "99", "\x1b[2J", "?" * 500, "Rd>", "\u0661"])
def test_other_words_are_no_move(word: str) -> None:
    said = busso("learn", "petrangola", stdin=typed(word, "q"))
    assert said.code == 0
    assert "That is no move here" in said.out
    assert "\x1b" not in said.out


def test_octets_that_are_no_text_do_not_crash() -> None:
    assert busso("learn", "briscola", stdin=b"\xff\xfe\nq\n").code == 0


def test_hints_the_table_and_help() -> None:
    said = busso("learn", "briscola", stdin=typed("s", "t", "", "q")).out
    assert "A good move: 5c" in said
    assert said.count("Your hand: 5c Fd 3b") == 2
    assert said.count("Trump: 4d") == 2
    assert said.count("Write a move as shown") == 2


def test_without_a_game_the_lessons_are_listed() -> None:
    lines = busso("learn").out.splitlines()
    assert [line.split()[0] for line in lines] == list(GAMES)


def test_what_cannot_be_taught() -> None:
    assert busso("learn", "chess").code == ExitCode.USAGE
    assert "no JSON" in busso("learn", "briscola", "--json").complaint()


@pytest.mark.parametrize(
    ("given", "shown"), [("Zoe", "Zoe"), ("ada", "ada *"), ("Carla", "Carla *")]
)
def test_the_learner_is_told_apart_from_the_others(given: str, shown: str) -> None:
    assert own_name(given) == shown
