"""Lessons look as their files say, fit their windows, and have their texts on their pages."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine import registry
from node.lesson_file import LANGUAGES, Text
from node.lessons import Tone
from node.screen.cells import width
from node.screen.lesson_app import ScreenLesson, Where
from node.screen.lesson_desk import Act
from node.screen.lesson_paint import pages_of, paint_lesson
from node.screen.theme import ThemeName
from tests.node.screen import lesson_golden
from tests.node.screen.learner import is_asked, make_move, read_on, without_terminal
from tests.node.screen.lesson_golden import DARK, FOLDER, MOMENTS, PLAIN, SIZES, at_moment, good

OTHERS = dict(lesson_golden.others())
GAMES = tuple(registry.GAMES)


def read(name: str) -> str:
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", MOMENTS)
def test_a_moment_of_a_lesson_looks_as_agreed(name: str) -> None:
    assert lesson_golden.painted(name) == read(name)


@pytest.mark.parametrize("name", OTHERS)
def test_another_screen_of_a_lesson_looks_as_agreed(name: str) -> None:
    assert OTHERS[name] == read(name)


def test_there_is_no_file_too_many() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(MOMENTS) | set(OTHERS)


def test_every_game_and_every_theme_is_there() -> None:
    assert {f"asked-{name}" for name in GAMES} <= set(MOMENTS)
    assert {f"theme-{name.value}" for name in ThemeName} <= set(OTHERS)


def test_every_line_is_as_wide_as_its_window() -> None:
    for path in FOLDER.glob("*.txt"):
        if path.stem.startswith("theme-"):
            continue
        columns = 0
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("+"):
                columns = len(line)
            elif line.startswith("|"):
                assert width(line) == columns, f"{path.name}: {line}"


def test_ascii_is_ascii_and_no_colour_means_none() -> None:
    assert read("ascii").isascii()
    assert "fg:" not in read("theme-none")
    assert "bg:" not in read("theme-none")


@cache
def learnt(name: str) -> ScreenLesson:
    """A lesson that was answered to its end, shown at its last stage."""
    app = ScreenLesson(DARK, "en", "Tina")
    app.begin(name)
    app.paint(80, 24)
    while app.course is not None and not app.course.finished:
        without_terminal(app, read_on(app))
        good(app)
    return app


WINDOWS = st.tuples(st.integers(1, 240), st.integers(1, 70))


@settings(deadline=None, max_examples=150)
@given(st.sampled_from(GAMES), st.data(), WINDOWS, st.sampled_from(LANGUAGES))
def test_any_page_fits_any_window(
    name: str, data: st.DataObject, window: tuple[int, int], code: str
) -> None:
    app = learnt(name)
    book = app.book
    assert book is not None
    at = data.draw(st.integers(0, len(book.stages) - 1))
    table = replace(app.ui.table, language=code)
    ui = replace(app.ui, table=table, at=at, page=data.draw(st.integers(0, 9)))
    columns, rows = window
    for look in (DARK, PLAIN):
        lines = paint_lesson(book, columns, rows, look, ui).lines()
        assert [width(line) for line in lines] == [columns] * rows
        assert look.unicode or "".join(lines).isascii()


@pytest.mark.parametrize("size", [*SIZES, (79, 23, "it"), (200, 60, "en")])
@pytest.mark.parametrize("name", GAMES)
def test_the_pages_hold_all_that_is_taught(name: str, size: tuple[int, int, str]) -> None:
    columns, rows, code = size
    app = learnt(name)
    book = app.book
    assert book is not None
    for at, stage in enumerate(book.stages):
        ui = replace(app.ui, at=at, remark=None, table=replace(app.ui.table, language=code))
        pages = pages_of(book, columns, rows, ui)
        assert all(pages)
        text = " ".join(span for page in pages for row in page for span, _ in row)
        for said in stage.said:
            if said.tone in (Tone.TEACH, Tone.ASK, Tone.KEYS, Tone.GOOD):
                assert " ".join(said.text.in_(code).split()) in " ".join(text.split())


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("name", GAMES)
def test_a_question_stands_on_one_page_of_the_smallest_screen(name: str, code: str) -> None:
    """With how to answer it; what is longer belongs into something to read before."""
    app = ScreenLesson(DARK, code, "Tina")
    app.begin(name)
    app.paint(60, 20)
    asked = 0
    while app.course is not None and app.where is Where.LESSON:
        without_terminal(app, read_on(app))
        if not is_asked(app):
            break
        step = app.course.lesson.steps[app.course.at]
        lines = app.paint(60, 20).lines()
        shown = " ".join(" ".join(line.strip("│ ") for line in lines).split())
        for text in (getattr(step, "ask", None), getattr(step, "keys", None)):
            assert not isinstance(text, Text) or " ".join(text.in_(code).split()) in shown
        without_terminal(app, make_move(app))
        asked += 1
    assert asked > 2


def test_the_end_of_the_last_unread_lesson_offers_no_other() -> None:
    app = ScreenLesson(DARK, "en", "Tina")
    app.paint(80, 24)
    for number, name in enumerate(GAMES):
        app.begin(name)
        while app.where is Where.LESSON:
            without_terminal(app, read_on(app))
            if is_asked(app):
                good(app)
        new = [pick for pick in app.menu.picks if not isinstance(pick, Act)]
        assert bool(new) is (number < len(GAMES) - 1)


def test_the_list_shows_the_lesson_in_focus_however_few_rows_there_are() -> None:
    for number, name in enumerate(GAMES):
        app = at_moment("list", 60, 20, "it", DARK)
        without_terminal(app, iter(["down"] * number))
        for rows in (20, 24):
            shown = "\n".join(app.paint(60, rows).lines())
            assert f"► {number + 1} {registry.get(name).title}" in shown
