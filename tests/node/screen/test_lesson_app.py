"""Lessons at a terminal: whole ones by keys, wrong moves, other sizes and languages, ways out."""

from __future__ import annotations

import pytest

from engine import registry
from node.lesson_file import LANGUAGES, LessonError
from node.screen.cells import width
from node.screen.lesson_app import Where
from tests.node.screen.learner import is_asked, make_move, read_on, worse_one
from tests.node.screen.lesson_terminal import Learner, at_a_lesson
from tests.node.screen.terminal import KEYS

GAMES = tuple(registry.GAMES)
MAX_BYTES = 4_000
"""Of what is sent for a key: a new stage changes the text and the table."""
YOURS = {"en": "YOUR TURN", "it": "TOCCA A TE"}


def fits(learner: Learner) -> None:
    """Every line that is painted is as wide as its window."""
    columns, rows = learner.screen.columns, learner.screen.lines
    grid = learner.table.paint(columns, rows)
    assert [width(line) for line in grid.lines()] == [columns] * rows


async def to_the_end(learner: Learner, code: str, *, err: bool = False) -> None:
    """Answer everything; with `err` a worse move comes before each good one that has one."""
    table = learner.table
    course = table.course
    assert course is not None
    while True:
        await learner.follow(read_on(table))
        fits(learner)
        if not is_asked(table):
            break
        assert YOURS[code] in learner.shows()
        if err and (worse := worse_one(table)):
            before = course.state
            await learner.follow(make_move(table, worse))
            assert course.state is before
            assert "! " in learner.shows()
            await learner.follow(read_on(table))
            assert YOURS[code] in learner.shows()
        at = course.at
        await learner.follow(make_move(table))
        assert course.at > at, learner.shows()
        assert "✓ " in learner.shows()
    assert course.finished
    assert table.where is Where.MENU
    assert table.menu.ended == course.lesson.game.name


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_a_whole_lesson_is_played_by_keys(game: str, code: str) -> None:
    async def script(learner: Learner) -> None:
        await to_the_end(learner, code)
        menu = learner.table.menu
        assert menu.first == menu.questions > 2
        title = registry.get(game).title
        assert title in learner.shows()
        await learner.press("f10")
        await learner.leaves()

    at_a_lesson(script, game, code=code)


@pytest.mark.parametrize("game", GAMES)
def test_wrong_moves_are_taken_back_on_the_smallest_screen(game: str) -> None:
    async def script(learner: Learner) -> None:
        await to_the_end(learner, "it", err=True)
        menu = learner.table.menu
        assert menu.first < menu.questions

    at_a_lesson(script, game, size=(60, 20), code="it")


def test_what_is_said_to_a_wrong_move_is_the_lessons_sentence() -> None:
    async def script(learner: Learner) -> None:
        await learner.follow(read_on(learner.table))
        await learner.follow(make_move(learner.table, "Fd"))
        shown = learner.shows()
        assert "! A trump for nothing. Keep it for a trick with points in it." in shown
        assert "the move is taken back" in shown
        assert "step 2 of 7" in shown
        await learner.press("f5")
        assert "A good move: play the five of cups" in learner.shows()
        assert "A trump for nothing" not in learner.shows()

    at_a_lesson(script, "briscola")


def test_what_was_picked_for_a_move_that_is_taken_back_stays_picked() -> None:
    """The right exchange of Mambassa lacks its discard: Tab adds it."""

    async def script(learner: Learner) -> None:
        await learner.follow(read_on(learner.table))
        await learner.follow(make_move(learner.table, "2s,4b>Ad,Cd"))
        assert "! The right cards, but the fourth one counts nothing" in learner.shows()
        await learner.press("tab", "enter")
        assert "✓ Ace, king and knight of denari in a row" in learner.shows()

    at_a_lesson(script, "mambassa", size=(110, 34))


def test_a_forbidden_card_is_refused_with_the_sentence_of_its_rule() -> None:
    async def script(learner: Learner) -> None:
        await learner.follow(read_on(learner.table))
        await learner.press("left", "enter")
        shown = learner.shows()
        assert "Not allowed" in shown
        assert "TRA-03:" in shown
        course = learner.table.course
        assert course is not None
        assert len(course.view().trick.laid) == 1
        await learner.press("enter")
        assert "TRA-03:" not in learner.shows()

    at_a_lesson(script, "traversone")


def test_nothing_is_made_while_there_is_something_to_read() -> None:
    """Digits, arrows and hints belong to a decision, which comes after the text."""

    async def script(learner: Learner) -> None:
        before = learner.shows()
        assert "YOUR TURN" not in before
        for key in ("1", "tab", "x", "f5", "escape", "pageup", "left"):
            assert await learner.press(key) == "", key
        assert learner.shows() == before

    at_a_lesson(script, "traversone")


def test_a_key_sends_little_and_nothing_sends_nothing() -> None:
    async def script(learner: Learner) -> None:
        await learner.follow(read_on(learner.table))
        for key in ("3", "5", "escape", "right", "tab"):
            assert len((await learner.press(key)).encode()) <= MAX_BYTES, key
        assert await learner.press("z") == ""
        for key in make_move(learner.table):
            assert len((await learner.press(key)).encode()) <= MAX_BYTES, key

    at_a_lesson(script, "petrangola")


def test_what_is_open_scrolls_no_further_than_its_last_row() -> None:
    async def script(learner: Learner) -> None:
        await learner.follow(read_on(learner.table))
        await learner.press("f2")
        top = learner.shows()
        while await learner.press("pagedown"):
            pass
        end = learner.shows()
        assert end != top
        await learner.press("up")
        assert learner.shows() not in (end, top)

    at_a_lesson(script, "petrangola")


def test_what_was_said_can_be_read_again() -> None:
    async def script(learner: Learner) -> None:
        first = learner.shows()
        await learner.press("enter")
        second = learner.shows()
        assert "step 1 of 7" in first
        assert "step 2 of 7" in second
        await learner.press("pageup")
        assert learner.shows() == first
        await learner.press("pageup", "pagedown")
        assert learner.shows() == second

    at_a_lesson(script, "briscola")


def test_the_language_changes_at_once() -> None:
    async def script(learner: Learner) -> None:
        await learner.press("f9")
        assert "passo 1 di 7" in learner.shows()
        assert "Tre carte a testa." in learner.shows()
        await learner.follow(read_on(learner.table))
        await learner.follow(make_move(learner.table, "Fd"))
        assert "Una briscola per niente." in learner.shows()
        await learner.press("l")
        assert "A trump for nothing." in learner.shows()
        assert "what happened" in learner.shows()
        assert "Tina deals hand 1." in learner.shows()
        await learner.press("f1", "f9")
        assert "Tasti" in learner.shows()

    at_a_lesson(script, "briscola")


def test_the_language_goes_along_from_page_to_page() -> None:
    async def script(learner: Learner) -> None:
        await learner.press("f9", "enter")
        assert "passo 1 di" in learner.shows()
        await learner.press("f9", "f10", "y")
        assert "Lessons: a prepared hand of each game" in learner.shows()

    at_a_lesson(script)


def test_the_window_changes_its_size_in_a_lesson() -> None:
    async def script(learner: Learner) -> None:
        await learner.follow(read_on(learner.table))
        for columns, rows in ((60, 20), (200, 60), (110, 34), (60, 24), (80, 24)):
            await learner.resize(columns, rows)
            await learner.follow(read_on(learner.table))
            shown = learner.shows()
            assert "YOUR TURN" in shown
            assert "step 4 of 11" in shown
            fits(learner)
        await learner.resize(59, 20)
        assert "This window is too small" in learner.shows()
        await learner.resize(80, 24)
        await learner.follow(make_move(learner.table))
        assert "✓ Yes: 25 points of denari" in learner.shows()

    at_a_lesson(script, "petrangola")


def test_fewer_rows_ask_to_read_the_rest_before_anything_is_made() -> None:
    async def script(learner: Learner) -> None:
        table = learner.table
        await learner.follow(read_on(table))
        await learner.press("f5")
        assert is_asked(table)
        await learner.resize(60, 20)
        assert not is_asked(table)
        assert "Enter: read on · 1/2" in learner.shows()
        await learner.press("enter")
        assert is_asked(table)

    at_a_lesson(script, "mambassa", size=(110, 34))


@pytest.mark.parametrize("keys", [("f10", "y"), ("q", "Y"), ("f10", "s"), ("\x03", "\x03")])
def test_leaving_a_lesson_is_asked_for_once(keys: tuple[str, ...]) -> None:
    async def script(learner: Learner) -> None:
        first, *rest = keys
        await learner.press(first)
        assert "Leave the lesson?" in learner.shows()
        assert learner.table.running is not None
        for key in rest:
            learner.pipe.send_text(key)
        await learner.leaves()
        assert learner.table.where is Where.LESSON

    at_a_lesson(script, "briscola")


@pytest.mark.parametrize("game", ["", "briscola"])
def test_where_nothing_can_be_asked_leaving_is_at_once(game: str) -> None:
    async def script(learner: Learner) -> None:
        await learner.resize(59, 20)
        assert "leave with F10" in learner.shows()
        learner.pipe.send_text(KEYS["f10"])
        await learner.leaves()

    at_a_lesson(script, game)


def test_another_key_stays() -> None:
    async def script(learner: Learner) -> None:
        await learner.press("f10", "escape")
        assert "Leave the lesson?" not in learner.shows()
        assert learner.table.where is Where.LESSON
        await learner.press("f1", "f10", "n")
        assert "step 1 of 7" in learner.shows()

    at_a_lesson(script, "briscola")


def test_from_the_list_to_a_lesson_and_back() -> None:
    async def script(learner: Learner) -> None:
        table = learner.table
        assert "► 1 Petrangola" in learner.shows()
        await learner.press("up", "down", "down", "down", "down")
        assert "► 4 Briscola  2 minutes" in learner.shows()
        await learner.press("enter")
        assert "step 1 of 7" in learner.shows()
        await learner.press("f10", "y")
        assert table.where is Where.MENU
        assert "► 4 Briscola" in learner.shows()
        assert "read" not in learner.shows()
        await learner.press("enter")
        await to_the_end(learner, "en")
        assert "The next lesson: Picchetto" in learner.shows()
        assert "4 of your answers stood at once" in learner.shows()
        await learner.press("down", "enter")
        assert "step 1 of 7" in learner.shows()
        await to_the_end(learner, "en")
        await learner.press("3", "enter")
        assert "► 4 Briscola  2 minutes  ✓ read" in learner.shows()
        await learner.press("escape", "q")
        await learner.leaves()

    at_a_lesson(script)


def test_a_bug_in_a_lesson_ends_the_screen_and_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    async def script(learner: Learner) -> None:
        await learner.follow(read_on(learner.table))
        course = learner.table.course
        assert course is not None

        def broken(*_: object) -> None:
            raise LessonError("can't be played")

        monkeypatch.setattr(course, "answer", broken)
        learner.pipe.send_text("1\r")
        await learner.leaves()
        assert "Traceback" not in learner.paper.getvalue()

    with pytest.raises(LessonError):
        at_a_lesson(script, "briscola")
