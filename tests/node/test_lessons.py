"""Every lesson can be played to its end, in each language, and says something to every move."""

from __future__ import annotations

import re
import tomllib
from itertools import pairwise
from pathlib import Path

import pytest

import node.lesson_file
from engine import registry
from engine.cards import UNKNOWN
from engine.contract import Move
from engine.errors import IllegalMove, NotationError
from node.lesson_file import (
    LANGUAGES,
    Choose,
    Lesson,
    LessonError,
    Play,
    Reading,
    lesson,
    read,
    words,
)
from node.lessons import Course, Said, Stage, Tone

GAMES = tuple(registry.GAMES)
NAMES = ("Learner", "Ada", "Bruno", "Carla")
FILES = Path(node.lesson_file.__file__).with_name("lesson_files")
SCORES = {
    "petrangola": (3, 2, 3),
    "mambassa": (4, 3, 2),
    "traversone": (0, 1, 4, 6),
    "briscola": (1, 0),
    "picchetto": (121, 2),
}
"""What the closing words of each lesson say."""


def begun(name: str) -> Course:
    given = lesson(name)
    return Course(given, NAMES[: given.seats])


def decisions(given: Lesson) -> list[Choose]:
    return [step for step in given.steps if isinstance(step, Choose)]


def played(course: Course, good: dict[int, int] | None = None) -> list[Stage]:
    """All stages of a lesson; `good` chooses another good move than the first at a decision."""
    stages: list[Stage] = []
    number = 0
    while True:
        stages += course.go_on()
        if course.finished:
            return stages
        choose = decisions(course.lesson)[number]
        text = choose.good[(good or {}).get(number, 0)].move
        verdict, stage = course.answer(course.parse(text))
        assert verdict.good
        assert stage is not None
        assert stage.said[-1] == Said(Tone.GOOD, verdict.text)
        stages.append(stage)
        number += 1


def told_in(stages: list[Stage], code: str) -> list[str]:
    return [said.text.in_(code) for stage in stages for said in stage.said]


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_a_lesson_is_played_to_its_end(name: str, code: str) -> None:
    course = begun(name)
    told = told_in(played(course), code)
    assert course.ended
    assert course.state.scores() == SCORES[name]
    for step in course.lesson.steps:
        if isinstance(step, Reading):
            assert step.text.in_(code) in told
        elif isinstance(step, Choose):
            ways = [way.in_(code) for way in (step.ask, step.write, step.keys) if way]
            assert set(ways) <= set(told)
    assert course.lesson.learner in range(course.lesson.seats)
    assert not any("{" in line for line in told)


@pytest.mark.parametrize("name", GAMES)
def test_every_good_move_leads_to_the_end(name: str) -> None:
    for number, choose in enumerate(decisions(lesson(name))):
        for which in range(len(choose.good)):
            course = begun(name)
            played(course, {number: which})
            assert course.ended


@pytest.mark.parametrize("name", GAMES)
def test_every_other_legal_move_is_answered_and_taken_back(name: str) -> None:
    course = begun(name)
    while True:
        course.go_on()
        if course.finished:
            break
        before = course.state
        step = course.lesson.steps[course.at]
        assert isinstance(step, Choose)
        good = {course.parse(remark.move) for remark in step.good}
        worse = {course.parse(remark.move): remark.text.en for remark in step.worse}
        assert not good & set(worse)
        legal: list[Move] = [one.move for one in course.choices()]
        assert good | set(worse) <= set(legal)
        for move in [*worse, *legal[:: 1 + len(legal) // 40]]:
            if move in good:
                continue
            verdict, stage = course.answer(move)
            assert not verdict.good
            assert verdict.text.en == worse.get(move, step.other.en)
            assert stage is None
            assert course.state is before
        course.answer(course.parse(course.hint))


@pytest.mark.parametrize("name", GAMES)
def test_the_learner_sees_no_card_of_the_others(name: str) -> None:
    course = begun(name)
    course.go_on()
    view = course.view()
    assert all(view.face(slot) != UNKNOWN for slot in view.hand)
    for seat in view.seats:
        if not seat.me:
            assert set(seat.cards) == {UNKNOWN}


@pytest.mark.parametrize("name", GAMES)
def test_what_the_rules_forbid_is_told_by_its_rule(name: str) -> None:
    course = begun(name)
    course.go_on()
    with pytest.raises(NotationError):
        course.parse("xx")
    if name == "traversone":
        with pytest.raises(IllegalMove) as caught:
            course.parse("3s")
        assert caught.value.rule == "TRA-03"


def texts(value: object) -> list[dict[str, str]]:
    """Every table of a file that has a text in it."""
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    if isinstance(value, dict):
        own = [value] if "en" in value or "it" in value else []
        return own + [text for item in value.values() for text in texts(item)]
    return []


@pytest.mark.parametrize("name", [*GAMES, "words"])
def test_every_text_is_there_in_each_language(name: str) -> None:
    found = texts(tomllib.loads((FILES / f"{name}.toml").read_text("utf-8")))
    assert found
    for text in found:
        assert text["en"] != text["it"]
        assert text["en"].count("{0}") == text["it"].count("{0}")


def test_the_words_around_a_lesson() -> None:
    assert words("it")["left"] != words("en")["left"]
    assert set(words("it")) == set(words("en"))


def test_a_lesson_for_no_game_is_refused() -> None:
    with pytest.raises(Exception, match="there is no game 'chess'"):
        lesson("chess")


BRISCOLA = (FILES / "briscola.toml").read_text("utf-8")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("seats = 2\n", ""),
        ("seats = 2\n", "seats = 2\nmore = 1\n"),
        ("minutes = 2\n", ""),
        ("minutes = 2\n", "minutes = 0\n"),
        ("minutes = 2\n", "minutes = 300\n"),
        ('game = "briscola"', 'game = "chess"'),
        ('preset = "classic"', 'preset = "other"'),
        ('options = ["games=1"]', 'options = ["games=99"]'),
        ('options = ["games=1"]', "options = ["),
        ('moves = ["1 2s"]', 'moves = ["1 2s"]\nen = "a"\nit = "b"'),
        ('moves = ["1 2s"]', 'moves = ["1 2s"]\nloud = true'),
        ("it = ", 'it = ""\nold = '),
        ("it = ", "old = "),
        ("good = [", "good = []\nbad = ["),
        ("good = [", "goods = ["),
    ],
)
def test_a_file_that_is_written_wrongly_is_our_bug(old: str, new: str) -> None:
    assert old in BRISCOLA
    with pytest.raises(LessonError):
        read(BRISCOLA.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('moves = ["1 2s"]', 'moves = ["0 5c"]'),
        ('moves = ["1 2s"]', 'moves = ["1 Ac"]'),
        ('moves = ["1 2s"]', 'moves = ["1 2s", "1 7c"]'),
        ('move = "Fd"', 'move = "Rs"'),
        ('draw = "4c Rd"', 'draw = "4c 4c"'),
    ],
)
def test_a_lesson_that_cannot_be_played_is_our_bug(old: str, new: str) -> None:
    assert old in BRISCOLA
    course = Course(read(BRISCOLA.replace(old, new)), NAMES[:2])
    with pytest.raises((LessonError, NotationError)):
        played(course)


def test_steps_are_what_they_seem() -> None:
    kinds = [type(step) for step in lesson("briscola").steps]
    assert kinds[:4] == [Play, Reading, Play, Choose]
    assert kinds[-2:] == [Play, Reading]


def test_a_stage_offers_choices_only_where_it_asks() -> None:
    for name in GAMES:
        stages = played(begun(name))
        assert [bool(stage.view.choices) for stage in stages] == [s.asks for s in stages]
        for stage in stages:
            assert stage.asks == any(said.tone is Tone.ASK for said in stage.said)
            assert stage.said


def test_the_steps_are_counted_by_what_they_say() -> None:
    for name in GAMES:
        stages = played(begun(name))
        numbers = [stage.number for stage in stages]
        assert numbers == sorted(numbers)
        assert set(numbers) == set(range(1, stages[0].count + 1))
        for before, after in pairwise(stages):
            if before.asks:
                assert after.number == before.number


def test_a_trick_that_is_taken_can_be_looked_at_before_the_next_card() -> None:
    """Where others take one and lead the next between two decisions."""
    for name, seats in (("traversone", 4), ("briscola", 2)):
        stages = played(begun(name))
        (taken,) = [one for one in stages if {said.tone for said in one.said} == {Tone.PLAYED}]
        assert taken.view.trick.taker >= 0
        assert len(taken.view.trick.laid) == seats


def test_of_quiet_moves_only_the_end_is_told() -> None:
    last = played(begun("briscola"))[-1]
    assert Tone.PLAYED not in {said.tone for said in last.said}
    assert len(last.view.story.happenings) > 30


def test_nothing_of_the_next_hand_is_shown_after_the_last() -> None:
    for name in GAMES:
        view = played(begun(name))[-1].view
        assert not any(seat.due for seat in view.seats)
        kinds = [told.note.kind for told in view.story.happenings if told.note]
        assert kinds.count("deals") == 1
        assert view.state.hand == 1 or not view.story.trick.laid


def test_a_hint_is_a_sentence_about_cards() -> None:
    course = begun("petrangola")
    course.go_on()
    assert (course.hint, course.advice().tone) == ("3s>5d", Tone.HINT)
    assert course.advice().text.en == "A good move: give three of swords for five of coins"
    assert course.advice().text.it.startswith("Una mossa buona: ")
    played(course)
    assert course.hint == ""
    with pytest.raises(LessonError):
        course.advice()


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_screen_is_told_nothing_about_writing(code: str) -> None:
    """How a move is written belongs to plain lines, which `write` is for."""
    written = re.compile(r"\w\w>|\bbottom\b|\bdiscard [2-9ARCF]|knock-show|change [2-9AKQJT]")
    for name in GAMES:
        for said in [said for stage in played(begun(name)) for said in stage.said]:
            if said.tone not in (Tone.WRITE, Tone.TOLD, Tone.PLAYED):
                assert not written.search(said.text.in_(code)), said
