"""What keys mean in a lesson: reading, deciding, boxes; and the list around lessons."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.lesson_file import lesson
from node.lessons import Course
from node.screen.desk import Dialog, Key, Ui
from node.screen.lesson_desk import (
    Act,
    Answer,
    Book,
    Learn,
    LessonUi,
    Menu,
    MenuUi,
    Want,
    after,
    all_lessons,
    at_stage,
    decides,
    press,
    press_menu,
    stage_of,
    told,
    view_of,
)
from node.screen.lobby_page import Over

GIVEN = lesson("traversone")
COURSE = Course(GIVEN, GIVEN.names("Tina"))
BOOK = Book(GIVEN.title, COURSE.go_on())
FIRST = at_stage(BOOK, LessonUi(Ui(language="en")), 0)
ASKED = at_stage(BOOK, FIRST, len(BOOK.stages) - 1)
GAMES = ("a", "b", "c")


@pytest.mark.parametrize("key", [Key.ENTER, Key.SPACE, Key.PAGE_DOWN, Key.RIGHT, Key.DOWN])
def test_reading_goes_page_by_page_and_then_to_the_next_stage(key: str) -> None:
    ui, effect = press(BOOK, FIRST, key, 2)
    assert (ui.at, ui.page, effect) == (0, 1, None)
    ui, effect = press(BOOK, ui, key, 2)
    assert (ui.at, ui.page, effect) == (1, 0, None)


@pytest.mark.parametrize("key", [Key.PAGE_UP, Key.BACKSPACE, Key.LEFT, Key.UP])
def test_reading_goes_back(key: str) -> None:
    ui, _ = press(BOOK, replace(FIRST, page=1), key, 2)
    assert (ui.at, ui.page) == (0, 0)
    assert press(BOOK, ui, key, 2) == (ui, None)
    ui, _ = press(BOOK, ASKED, key, 2)
    assert ui.at == ASKED.at - 1


def test_where_there_are_fewer_pages_than_before_the_last_one_counts() -> None:
    ui, _ = press(BOOK, replace(ASKED, page=5), Key.PAGE_UP, 2)
    assert (ui.at, ui.page) == (ASKED.at, 0)


def test_a_decision_is_due_on_the_last_page_of_the_last_stage_only() -> None:
    assert not decides(BOOK, FIRST, 1)
    assert not decides(BOOK, ASKED, 2)
    assert decides(BOOK, replace(ASKED, page=1), 2)
    assert decides(BOOK, ASKED, 1)
    assert not view_of(BOOK, ASKED, 2).deciding
    assert view_of(BOOK, ASKED, 1).deciding


def test_an_old_question_is_not_asked_again() -> None:
    later = replace(BOOK, stages=(*BOOK.stages, BOOK.stages[0]))
    assert not decides(later, ASKED, 1)
    ui, effect = press(later, ASKED, Key.ENTER, 1)
    assert (ui.at, effect) == (ASKED.at + 1, None)


def test_a_move_is_an_effect_and_only_where_one_is_asked_for() -> None:
    _, effect = press(BOOK, ASKED, Key.ENTER, 1)
    assert isinstance(effect, Answer)
    assert effect.move in [choice.move for choice in BOOK.stages[-1].view.choices.items]
    ui, effect = press(BOOK, ASKED, Key.ENTER, 2)
    assert (ui.page, effect) == (1, None)


def test_while_deciding_page_up_reads_again() -> None:
    ui, effect = press(BOOK, ASKED, Key.PAGE_UP, 1)
    assert (ui.at, effect) == (ASKED.at - 1, None)


def test_a_hint_is_for_who_decides() -> None:
    assert press(BOOK, ASKED, Key.ADVICE, 1) == (ASKED, Want.HINT)
    assert press(BOOK, ASKED, "s", 1) == (ASKED, Want.HINT)
    assert press(BOOK, FIRST, Key.ADVICE, 1) == (FIRST, None)


def test_the_end_comes_after_the_last_page_of_a_whole_lesson() -> None:
    read = Book(BOOK.title, BOOK.stages[:1], whole=True)
    ui, effect = press(read, FIRST, Key.ENTER, 2)
    assert (ui.page, effect) == (1, None)
    assert press(read, ui, Key.ENTER, 2) == (ui, Want.END)
    unfinished = replace(read, whole=False)
    assert press(unfinished, ui, Key.ENTER, 2) == (ui, None)


def test_what_was_said_last_is_read_first_and_belongs_to_the_question() -> None:
    remark = COURSE.advice()
    ui = told(replace(ASKED, page=1), remark)
    assert (ui.page, stage_of(BOOK, ui).said[0]) == (0, remark)
    picked = replace(ASKED, table=replace(ASKED.table, marked=frozenset((1, 2)), variant=3))
    assert told(picked, remark).table == picked.table
    back, _ = press(BOOK, ui, Key.PAGE_UP, 1)
    assert remark not in stage_of(BOOK, back).said


def test_boxes_open_and_close() -> None:
    ui, _ = press(BOOK, ASKED, Key.HELP, 1)
    assert ui.over is Over.HELP
    assert press(BOOK, ui, Key.DOWN, 1)[0].scroll == 1
    assert press(BOOK, ui, "5", 1) == (ui, None)
    assert press(BOOK, ui, Key.LEAVE, 1)[0].over is Over.LEAVE
    for key in (Key.ENTER, Key.ESCAPE, Key.SPACE, Key.HELP):
        assert press(BOOK, ui, key, 1) == (ASKED, None)
    ui, _ = press(BOOK, ASKED, Key.LOG, 1)
    assert ui.table.dialog is Dialog.NOTICE
    ui, _ = press(BOOK, ui, Key.ENTER, 1)
    assert ui.table.dialog is Dialog.NONE
    ui, _ = press(BOOK, FIRST, Key.WHY, 1)
    assert ui.table.dialog is Dialog.RULES
    ui, _ = press(BOOK, ui, Key.ENTER, 1)
    assert (ui.table.dialog, ui.at) == (Dialog.NONE, 0)


def test_the_language_changes_whatever_is_open() -> None:
    for start in (FIRST, ASKED, replace(ASKED, over=Over.HELP), replace(FIRST, over=Over.LEAVE)):
        ui, effect = press(BOOK, start, Key.LANGUAGE, 1)
        assert (ui.table.language, ui.over, effect) == ("it", start.over, None)


def test_leaving() -> None:
    ui, effect = press(BOOK, ASKED, Key.LEAVE, 1)
    assert (ui.over, effect) == (Over.LEAVE, None)
    for key in "yYsS":
        assert press(BOOK, ui, key, 1)[1] is Want.LEAVE
    assert press(BOOK, ui, Key.INTERRUPT, 1)[1] is Want.LEAVE
    assert press(BOOK, ui, "n", 1) == (ASKED, None)


KEYS = st.sampled_from([*Key, *"yshrcolq?159xz"])


@given(st.lists(KEYS, max_size=40), st.integers(1, 3))
def test_no_key_leads_out_of_the_lesson(keys: list[str], pages: int) -> None:
    ui = FIRST
    for key in keys:
        ui, effect = press(BOOK, ui, key, pages)
        assert 0 <= ui.at < len(BOOK.stages)
        assert 0 <= ui.page < pages
        if isinstance(effect, Answer):
            assert decides(BOOK, ui, pages)
        assert effect is not Want.END


# -- the list -------------------------------------------------------------------------------------


def test_the_list_is_gone_through_by_arrows_and_digits() -> None:
    menu = all_lessons(GAMES, frozenset())
    ui = MenuUi("en")
    assert press_menu(menu, ui, Key.DOWN)[0].at == 1
    assert press_menu(menu, ui, Key.UP)[0].at == 2
    assert press_menu(menu, ui, "3")[0].at == 2
    assert press_menu(menu, ui, "4") == (ui, None)
    assert press_menu(menu, ui, "z") == (ui, None)
    assert press_menu(menu, replace(ui, at=1), Key.ENTER)[1] == Learn("b")
    assert press_menu(menu, ui, Key.LANGUAGE)[0].language == "it"
    for key in (Key.LEAVE, Key.INTERRUPT, "q"):
        assert press_menu(menu, ui, key)[1] is Act.LEAVE


def test_after_a_lesson_the_next_unread_one_is_offered_first() -> None:
    assert after("b", GAMES, frozenset("b"), 3, 2).picks[0] == Learn("c")
    assert after("c", GAMES, frozenset("c"), 3, 2).picks[0] == Learn("a")
    assert after("c", GAMES, frozenset("ac"), 3, 2).picks[0] == Learn("b")
    ended = after("c", GAMES, frozenset("abc"), 3, 2)
    assert ended == Menu(
        (Act.AGAIN, Act.LIST, Act.LEAVE), frozenset("abc"), "c", questions=3, first=2
    )
