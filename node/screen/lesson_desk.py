"""What keys do in a lesson on the screen, and in the list that one is chosen from.

Law: pure. A lesson has stages, and what is said at one has pages, as many as the window needs; on
the last page of the last stage the learner decides, by the keys of a table (`desk`). It must never
know how anything looks, nor which move is good.

    reading     Enter, Space, PgDn and forward arrows go on; PgUp, Backspace and the others go back
    deciding    as at a table; PgUp reads again
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from engine.contract import Move
from node.language import following, mark
from node.lesson_file import Text
from node.lessons import Said, Stage, Tone
from node.screen import desk
from node.screen.choices import NONE
from node.screen.desk import LETTERS, Dialog, Do, Key, Ui, notice, open_dialog
from node.screen.lobby_page import SCROLLS, Over, scrolled
from node.screen.view import TableView

NO_LOG: Final = mark(
    "The cards of a lesson are prepared, so nothing is shuffled, signed or sent. At a real table "
    "this key says who shuffled and proved it."
)
_FORWARD: Final = (Key.ENTER, Key.SPACE, Key.PAGE_DOWN, Key.RIGHT, Key.DOWN)
_BACK: Final = (Key.PAGE_UP, Key.BACKSPACE, Key.LEFT, Key.UP)


# -- a lesson -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Book:
    """A lesson as far as it has got. `whole`: nothing comes after the last stage."""

    title: Text
    stages: tuple[Stage, ...]
    whole: bool = False


@dataclass(frozen=True, slots=True)
class LessonUi:
    """Where the learner is: at a page of a stage. `remark` is what was said to the last move or
    asked for as a hint, at the stage that is due; `table` is where the keys of the table are."""

    table: Ui
    at: int = 0
    page: int = 0
    remark: Said | None = None
    over: Over = Over.NONE
    scroll: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """The learner's move."""

    move: Move


class Want(Enum):
    """Effects without a value."""

    HINT = "hint"
    END = "end"
    LEAVE = "leave"


Effect = Answer | Want


def stage_of(book: Book, ui: LessonUi) -> Stage:
    """The stage that is shown, with what was said last at the one that is due."""
    stage = book.stages[ui.at]
    if ui.remark is None or not is_due(book, ui):
        return stage
    news = (Tone.PLAYED, Tone.TOLD)
    return replace(stage, said=(ui.remark, *(one for one in stage.said if one.tone not in news)))


def is_due(book: Book, ui: LessonUi) -> bool:
    """Whether the stage that is shown is the last one so far."""
    return ui.at == len(book.stages) - 1


def decides(book: Book, ui: LessonUi, pages: int) -> bool:
    """Whether the keys are those of the table; what is said has so many `pages`."""
    return is_due(book, ui) and book.stages[ui.at].asks and ui.page >= pages - 1


def view_of(book: Book, ui: LessonUi, pages: int) -> TableView:
    """The table that is shown: it asks nothing before all has been read."""
    view = book.stages[ui.at].view
    return view if decides(book, ui, pages) or not view.choices else replace(view, choices=NONE)


def at_stage(book: Book, ui: LessonUi, at: int) -> LessonUi:
    """At the first page of a stage, nothing picked."""
    table = desk.begin(book.stages[at].view, replace(ui.table, dialog=Dialog.NONE, notice=None))
    return replace(ui, table=table, at=at, page=0, remark=None)


def told(ui: LessonUi, remark: Said) -> LessonUi:
    """After something was said about the decision that is due: it is read first. What is picked
    stays so, since mostly a part of it was right."""
    return replace(ui, page=0, remark=remark)


def press(book: Book, ui: LessonUi, key: str, pages: int) -> tuple[LessonUi, Effect | None]:
    """What `key` leads to; what is said has so many `pages` in this window."""
    ui = replace(ui, page=min(ui.page, pages - 1))  # a larger window has fewer
    view = view_of(book, ui, pages)
    if key == Key.INTERRUPT:
        if ui.over is Over.LEAVE:
            return ui, Want.LEAVE
        key = Key.LEAVE
    if key == Key.LANGUAGE:
        return _through_desk(view, ui, key)
    if ui.over is not Over.NONE:
        return _in_box(ui, key)
    dialog = open_dialog(view, ui.table)
    if dialog is Dialog.NONE:
        key = LETTERS.get(key, key)
    if key in _BOXES:
        return replace(ui, over=_BOXES[Key(key)], scroll=0), None
    if key == Key.LOG:
        return replace(ui, table=notice(ui.table, NO_LOG)), None
    if dialog is not Dialog.NONE or key in (Key.RULES, Key.CHAT):
        return _through_desk(view, ui, key)
    if decides(book, ui, pages):
        if key == Key.ADVICE:
            return ui, Want.HINT
        if key == Key.PAGE_UP and not view.choices.numbers:
            return _turn_back(book, ui), None
        return _through_desk(view, ui, key)
    return _read(book, ui, key, pages)


_BOXES: Final = {Key.HELP: Over.HELP, Key.LEAVE: Over.LEAVE}


def _through_desk(view: TableView, ui: LessonUi, key: str) -> tuple[LessonUi, Effect | None]:
    table, effect = desk.press(view, ui.table, key)
    ui = replace(ui, table=table)
    return ui, Answer(effect.move) if isinstance(effect, Do) else None


def _read(book: Book, ui: LessonUi, key: str, pages: int) -> tuple[LessonUi, Effect | None]:
    """A key while something is read."""
    if key == Key.WHY:
        return _through_desk(book.stages[ui.at].view, ui, Key.RULES)
    if key in _FORWARD:
        return _turn(book, ui, pages)
    return _turn_back(book, ui) if key in _BACK else ui, None


def _turn(book: Book, ui: LessonUi, pages: int) -> tuple[LessonUi, Effect | None]:
    """To the next page."""
    if ui.page < pages - 1:
        return replace(ui, page=ui.page + 1), None
    if not is_due(book, ui):
        return at_stage(book, ui, ui.at + 1), None
    return ui, Want.END if book.whole else None


def _turn_back(book: Book, ui: LessonUi) -> LessonUi:
    """To the page before."""
    if ui.page > 0:
        return replace(ui, page=ui.page - 1)
    return at_stage(book, ui, ui.at - 1) if ui.at > 0 else ui


def _in_box(ui: LessonUi, key: str) -> tuple[LessonUi, Effect | None]:
    closed = replace(ui, over=Over.NONE)
    if ui.over is Over.LEAVE:
        return closed, Want.LEAVE if key in ("y", "Y", "s", "S") else None
    if key in SCROLLS:
        return replace(ui, scroll=scrolled(ui.scroll, key)), None
    if key == Key.LEAVE:
        return replace(ui, over=Over.LEAVE, scroll=0), None
    return (closed, None) if key in (Key.ENTER, Key.ESCAPE, Key.SPACE, Key.HELP) else (ui, None)


# -- choosing what to do --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Learn:
    """Begin the lesson of a game."""

    game: str


class Act(Enum):
    """What else can be chosen."""

    AGAIN = "again"
    LIST = "list"
    LEAVE = "leave"


Pick = Learn | Act


@dataclass(frozen=True, slots=True)
class Menu:
    """A list to choose from. `done` are the games whose lessons were read to their ends.

    ended      the game whose lesson has just ended, "" in the list of lessons
    questions  how many were asked in it; `first`: how many were answered well at once
    """

    picks: tuple[Pick, ...]
    done: frozenset[str] = frozenset()
    ended: str = ""
    questions: int = 0
    first: int = 0


@dataclass(frozen=True, slots=True)
class MenuUi:
    """Where the reader stands."""

    language: str
    at: int = 0


def all_lessons(games: tuple[str, ...], done: frozenset[str]) -> Menu:
    """The list of lessons."""
    return Menu(tuple(map(Learn, games)), done)


def after(
    game: str, games: tuple[str, ...], done: frozenset[str], questions: int, first: int
) -> Menu:
    """What can be done after the lesson of `game`: first of all, a lesson that is new."""
    at = games.index(game)
    new = [other for other in games[at:] + games[:at] if other not in done]
    picks: tuple[Pick, ...] = (Act.AGAIN, Act.LIST, Act.LEAVE)
    return Menu((*map(Learn, new[:1]), *picks), done, game, questions, first)


def press_menu(menu: Menu, ui: MenuUi, key: str) -> tuple[MenuUi, Pick | None]:
    """What `key` leads to."""
    key = LETTERS.get(key, key)
    count = len(menu.picks)
    if key == Key.LANGUAGE:
        return replace(ui, language=following(ui.language)), None
    if key in (Key.LEAVE, Key.INTERRUPT):
        return ui, Act.LEAVE
    if key in (Key.UP, Key.DOWN, Key.TAB):
        step = -1 if key == Key.UP else 1
        return replace(ui, at=(ui.at + step) % count), None
    if key == Key.ENTER:
        return ui, menu.picks[ui.at]
    if len(key) == 1 and key in "123456789" and int(key) <= count:
        return replace(ui, at=int(key) - 1), None
    return ui, None
