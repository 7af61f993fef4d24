"""Lessons in full screen: the list of them, a lesson, and what comes after it.

Law: a GridApp that decides nothing: what a key means is said by `lesson_desk`, what is seen is
painted by `lesson_paint`, and whether a move is good is known by the Course.

    LIST --choose--> LESSON --read to its end--> END --> LESSON, LIST
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from enum import Enum

from prompt_toolkit.input import Input
from prompt_toolkit.output import Output

from engine import registry
from node.lesson_file import lesson
from node.lessons import Course, taken_back
from node.screen import lesson_desk
from node.screen.cells import Grid
from node.screen.desk import Key, Ui
from node.screen.grid_app import GridApp
from node.screen.lesson_desk import (
    Act,
    Answer,
    Book,
    Effect,
    Learn,
    LessonUi,
    Menu,
    MenuUi,
    Pick,
    Want,
)
from node.screen.lesson_paint import pages_of, paint_lesson, paint_menu
from node.screen.paint import fits, settled
from node.screen.theme import Theme


class Where(Enum):
    """What is shown."""

    MENU = "menu"
    LESSON = "lesson"


class ScreenLesson(GridApp):
    """Lessons for the learner who is called `name`."""

    def __init__(
        self,
        theme: Theme,
        language: str,
        name: str,
        *,
        source: Input | None = None,
        sink: Output | None = None,
    ) -> None:
        super().__init__(theme, source=source, sink=sink)
        self._name = name
        self._games = tuple(registry.GAMES)
        self._done: frozenset[str] = frozenset()
        self._where = Where.MENU
        self._listed = True
        self._menu = lesson_desk.all_lessons(self._games, self._done)
        self._menu_ui = MenuUi(language)
        self._game = ""
        self._course: Course | None = None
        self._book: Book | None = None
        self._ui = LessonUi(Ui(language=language))
        self._questions = 0
        self._first = 0
        self._failed_once = False

    def run(self, game: str | None = None) -> bool:
        """Show the lesson of `game`, or the list; whether nothing was left before its end.

        OptionError: there is no such game.
        """
        if game is not None:
            self.begin_alone(registry.get(game).name)
        asyncio.run(self.run_async())
        return self._where is not Where.LESSON

    async def run_async(self) -> None:
        """The same as a coroutine, with what `begin` began."""
        await self._run_app()

    def begin(self, game: str) -> None:
        """Begin the lesson of a game."""
        given = lesson(game)
        course = Course(given, given.names(self._name))
        stages = course.go_on()
        self._game, self._course = game, course
        self._questions = self._first = 0
        self._failed_once = False
        self._book = Book(given.title, stages, course.finished)
        fresh = LessonUi(Ui(language=self.code))
        self._ui = lesson_desk.at_stage(self._book, fresh, 0)
        self._where = Where.LESSON

    def begin_alone(self, game: str) -> None:
        """The same for a lesson that was asked for: whoever leaves it, leaves the screen."""
        self._listed = False
        self.begin(game)

    @property
    def code(self) -> str:
        """The language that is spoken."""
        lesson_goes_on = self._where is Where.LESSON
        return self._ui.table.language if lesson_goes_on else self._menu_ui.language

    @property
    def where(self) -> Where:
        """What is shown."""
        return self._where

    @property
    def menu(self) -> Menu:
        """The list that is shown, or was last."""
        return self._menu

    @property
    def book(self) -> Book | None:
        """The lesson as far as it has got."""
        return self._book

    @property
    def course(self) -> Course | None:
        """The lesson that is taught."""
        return self._course

    @property
    def ui(self) -> LessonUi:
        """Where the learner is."""
        return self._ui

    def paint(self, columns: int, rows: int) -> Grid:
        """The grid for a window of that size; painted once for the same values."""
        self._size = (columns, rows)
        shown = (
            (self._book, self._ui) if self._where is Where.LESSON else (self._menu, self._menu_ui)
        )
        wanted = (self._where, *shown, columns, rows)
        if self._painted != wanted:
            if self._where is Where.LESSON and self._book is not None:
                self._grid = paint_lesson(self._book, columns, rows, self._theme, self._ui)
            else:
                self._grid = paint_menu(self._menu, columns, rows, self._theme, self._menu_ui)
            self._painted = wanted
        return self._grid

    # -- keys -------------------------------------------------------------------------------------

    def key(self, name: str) -> object:
        """A key; NotImplemented where nothing changes, so that nothing is drawn."""
        if name in (Key.LEAVE, Key.INTERRUPT) and self._size and not fits(*self._size):
            self._leave()  # in so small a window nothing could be asked
        elif self._where is Where.LESSON and self._book is not None:
            self._in_lesson(self._book, name)
        else:
            self._menu_ui, pick = lesson_desk.press_menu(self._menu, self._menu_ui, name)
            if pick is not None:
                self._choose(pick)
        return None if self._differs() else NotImplemented

    def pages(self) -> int:
        """How many pages has what is said now, in this window."""
        if self._book is None or self._size is None:
            return 1
        return len(pages_of(self._book, *self._size, self._ui))

    def _in_lesson(self, book: Book, name: str) -> None:
        count = self.pages()
        ui, effect = lesson_desk.press(book, self._ui, name, count)
        if self._size is not None:
            view = lesson_desk.view_of(book, ui, count)
            ui = replace(ui, table=settled(view, *self._size, self._theme, ui.table, whole=True))
        self._ui = ui
        if effect is not None:
            self._do(effect)

    def _do(self, effect: Effect) -> None:
        course = self._course
        if isinstance(effect, Answer) and course is not None:
            self._answer(course, effect)
        elif effect is Want.HINT and course is not None:
            self._ui = lesson_desk.told(self._ui, course.advice())
        elif effect is Want.END:
            self._end()
        elif effect is Want.LEAVE:
            self._leave()

    def _answer(self, course: Course, answer: Answer) -> None:
        verdict, stage = course.answer(answer.move)
        if stage is None or self._book is None:
            self._failed_once = True
            self._ui = lesson_desk.told(self._ui, taken_back(verdict))
            return
        self._questions += 1
        self._first += not self._failed_once
        self._failed_once = False
        stages = (*self._book.stages, stage, *course.go_on())
        self._book = replace(self._book, stages=stages, whole=course.finished)
        self._ui = lesson_desk.at_stage(self._book, self._ui, self._ui.at + 1)

    def _end(self) -> None:
        """The last page was read."""
        self._done |= {self._game}
        menu = lesson_desk.after(self._game, self._games, self._done, self._questions, self._first)
        self._show(menu)

    def _show(self, menu: Menu, at: int = 0) -> None:
        self._menu_ui = MenuUi(self.code, at)
        self._menu = menu
        self._where = Where.MENU

    def _list(self) -> None:
        at = self._games.index(self._game) if self._game else 0
        self._show(lesson_desk.all_lessons(self._games, self._done), at)

    def _choose(self, pick: Pick) -> None:
        if isinstance(pick, Learn):
            self.begin(pick.game)
        elif pick is Act.AGAIN:
            self.begin(self._game)
        elif pick is Act.LIST:
            self._listed = True
            self._list()
        elif self.running is not None:
            self.running.exit()

    def _leave(self) -> None:
        """Leave the lesson: for the list, or for good where there was none."""
        if self._where is Where.LESSON and self._listed:
            self._list()
        elif self.running is not None:
            self.running.exit()
