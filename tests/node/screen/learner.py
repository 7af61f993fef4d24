"""A learner who knows every lesson: the keys for a move, and those that read on.

Law: keys are made one by one from what is shown after the one before, so that whoever presses them
may do it at a terminal or without one.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.contract import Move
from node.lesson_file import Choose
from node.screen.desk import Item, Place, focused, items, ready
from node.screen.lesson_app import ScreenLesson, Where
from node.screen.lesson_desk import decides
from node.screen.view import TableView

MAX_KEYS = 400


def is_asked(app: ScreenLesson) -> bool:
    """Whether the learner is to decide."""
    book = app.book
    return app.where is Where.LESSON and book is not None and decides(book, app.ui, app.pages())


def view_of(app: ScreenLesson) -> TableView:
    """The table at which something is asked."""
    if app.book is None:
        raise AssertionError("no lesson goes on")
    return app.book.stages[-1].view


def read_on(app: ScreenLesson) -> Iterator[str]:
    """Up to the next question, or past the last page."""
    while app.where is Where.LESSON and not is_asked(app):
        yield "enter"


def worse_one(app: ScreenLesson) -> str:
    """A move that the lesson has a word about, in notation; "" if there is none."""
    if app.course is None:
        return ""
    step = app.course.lesson.steps[app.course.at]
    return step.worse[0].move if isinstance(step, Choose) and step.worse else ""


def make_move(app: ScreenLesson, text: str = "") -> Iterator[str]:
    """Make a move, the good one if none is given."""
    course, view = app.course, view_of(app)
    if course is None:
        return
    move = course.parse(text or course.hint)
    choice = next(one for one in view.choices.items if one.move == move)
    found = items(view)
    button = next((item for item in found if item.choice == choice), None)
    if button is not None:
        yield from _reach(app, button)
    else:
        if app.ui.table.marked - (choice.give | choice.take):
            yield "escape"
        for slot in (choice.give | choice.take) - app.ui.table.marked:
            item = next(item for item in found if item.slot == slot)
            yield from _reach(app, item)
        while _meant(app, view) != move:
            yield "tab"
    yield "enter"


def _meant(app: ScreenLesson, view: TableView) -> Move | None:
    chosen = ready(view, app.ui.table)
    return chosen.move if chosen is not None else None


def _reach(app: ScreenLesson, item: Item) -> Iterator[str]:
    """Go to an item, by its digit or by arrows; pick it where cards are picked."""
    view = view_of(app)
    if item.number >= 0:
        yield str(item.number)
        return
    while focused(view, app.ui.table) != item:
        here = focused(view, app.ui.table)
        yield "right" if here is not None and here.place is item.place else "up"
    if item.place is not Place.BUTTON and not view.choices.single:
        yield "space"


def without_terminal(app: ScreenLesson, keys: Iterator[str]) -> None:
    """Press keys at a screen that isn't shown."""
    for count, key in enumerate(keys):
        assert count < MAX_KEYS, "the keys lead nowhere"
        app.key(key)
