"""Lessons: a prepared hand of each game in which a beginner is asked at every point that matters.

Law: this file plays a lesson's file (`lesson_file`) through the engine and gives what there is to
see and to read, in every language at once. The engine says what is legal: the file only says which
of the legal moves is good, and why another one is worse. No terminal, no network, no chance.

A file that can't be played is a LessonError, our own bug: the tests play all of them to their ends,
in each language.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Final

from engine.contract import (
    Answers,
    Ask,
    Cards,
    Decide,
    Draw,
    Input,
    Move,
    Over,
    Shuffle,
    Shuffled,
    State,
)
from engine.errors import EngineError, IllegalMove, NotationError
from engine.replay import complete_draw
from node.language import Language, language
from node.lesson_file import Choose, Lesson, LessonError, Play, Reading, Text, words
from node.narrate import NEW_HAND
from node.screen.choices import Choice
from node.screen.story import Happening, Story, Trick
from node.screen.view import Surroundings, TableView, look
from node.screen.words import deed, happened, routine

_SILENT: Final = "silent"
"""The note that somebody has nothing to declare, which a beginner needn't hear each time."""


class Tone(Enum):
    """What a sentence of a stage is."""

    PLAYED = "played"
    """A card was played or taken: it shows on the table anyhow."""
    TOLD = "told"
    """Something else happened."""
    TEACH = "teach"
    """Something to read."""
    ASK = "ask"
    WRITE = "write"
    """How to answer in plain lines."""
    KEYS = "keys"
    """How to answer on the screen."""
    GOOD = "good"
    """What is said to a good move."""
    WORSE = "worse"
    """What is said to one that is taken back."""
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Said:
    """One paragraph."""

    tone: Tone
    text: Text


@dataclass(frozen=True)
class Stage:
    """What the learner sees and reads at one moment, until going on or, if it `asks`, deciding.

    view    the table as the learner sees it; it offers choices only where the stage asks
    number  which step of `count` this is
    """

    view: TableView
    said: tuple[Said, ...]
    number: int
    count: int
    asks: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is said to a move: whether the lesson goes on with it, and the words."""

    good: bool
    text: Text


def in_each(told: Callable[[Language], str]) -> Text:
    """What `told` says in each language."""
    return Text(told(language("en")), told(language("it")))


def taken_back(verdict: Verdict) -> Said:
    """What is said where a move doesn't stand."""
    return Said(
        Tone.WORSE,
        in_each(lambda told: f"{verdict.text.in_(told.code)} {words(told.code)['back']}"),
    )


class Course:
    """A lesson on its way: `go_on` gives all up to the learner's next decision, `answer` takes it.

    names  of all seats
    at     the number of the step that comes next
    """

    def __init__(self, given: Lesson, names: Sequence[str]) -> None:
        self.lesson = given
        self._names = tuple(names)
        self.at = 0
        self._story = Story()
        self._answers: list[tuple[int, Move]] = []
        self._brief = False
        self._state = given.game.start(given.options, given.seats)
        if len(self._names) != given.seats:
            raise LessonError("each seat has a name")

    @property
    def state(self) -> State:
        """Where the hand stands, all cards known."""
        return self._state

    @property
    def finished(self) -> bool:
        """Whether all has been told."""
        return self.at >= len(self.lesson.steps)

    @property
    def ended(self) -> bool:
        """Whether the hand of the lesson is over."""
        return isinstance(self._state.turn(), Over) or self._state.hand > 1

    @property
    def hint(self) -> str:
        """A good move, in notation; "" while nothing is asked."""
        step = self._choose()
        return step.good[0].move if step else ""

    def advice(self) -> Said:
        """The same as a sentence about cards. LessonError: nothing is asked."""
        step = self._choose()
        if step is None:
            raise LessonError("nothing is asked")
        move = self._parsed(self.lesson.learner, step.good[0].move)
        view = self.view()
        choice = next(one for one in view.choices.items if one.move == move)
        text = in_each(lambda told: words(told.code)["hint"].format(deed(told, view, choice)))
        return Said(Tone.HINT, text)

    def view(self) -> TableView:
        """The table as the learner sees it; it offers choices while something is asked."""
        answered = self._choose() is None
        around = Surroundings(self._names)
        return look(self._own(), self.lesson.learner, self._story, around, answered=answered)

    def choices(self) -> tuple[Choice, ...]:
        """The learner's legal moves, single cards by suits."""
        view = self.view()
        kind, offered = view.kind, view.choices.items
        if all(len(view.state.game.format(view.state, one.move)) == 2 for one in offered):
            return tuple(sorted(offered, key=lambda one: kind.parse(self._written(one.move))))
        return tuple(offered)

    def go_on(self) -> tuple[Stage, ...]:
        """The stages up to and with the next decision, or up to the end. LessonError.

        A trick that is taken ends a stage, so that it can be looked at before the next card."""
        stages: list[Stage] = []
        told: list[Said] = []
        while not self.finished and self._choose() is None:
            step = self.lesson.steps[self.at]
            if isinstance(step, Reading):
                stages.append(self._stage([*told, Said(Tone.TEACH, step.text)]))
                told = []
            elif isinstance(step, Play):
                stages += self._play(step, told)
            self.at += 1
        told += self._deal()
        asked = self._choose()
        if asked is not None:
            stages.append(self._stage([*told, *_asked(asked)], asks=True))
        elif told:
            stages.append(self._stage(told))
        return tuple(stages)

    def _play(self, step: Play, told: list[Said]) -> list[Stage]:
        """Make the moves of a step. What comes after the last stage is left in `told`."""
        stages: list[Stage] = []
        told += self._deal()
        self._brief = step.quiet
        for n, (seat, text) in enumerate(step.moves, 1):
            tricks = self._story.tricks
            last = n == len(step.moves)
            lines = self._made(seat, text)
            told += lines if last or not step.quiet else []
            if self._story.tricks != tricks and not last and not step.quiet:
                stages.append(self._stage(told))
                told.clear()
        self._brief = False
        return stages

    def parse(self, text: str) -> Move:
        """The move that the learner writes. NotationError, AmbiguousMove, IllegalMove."""
        move = self.lesson.game.parse(self._state, text, self.lesson.learner)
        if move not in self._state.legal(self.lesson.learner):
            self._state.apply(move)  # which says the rule
            raise NotationError("that can't be said now")
        return move

    def answer(self, move: Move) -> tuple[Verdict, Stage | None]:
        """Judge a legal move of the learner's; a good one is made, and what it does is a stage."""
        step = self._choose()
        if step is None:
            raise LessonError("nothing is asked")
        written = self._written(move)
        for remark in step.good:
            if self._parsed(self.lesson.learner, remark.move) == move:
                number = self.lesson.number(self.at)
                told = self._made(self.lesson.learner, written)
                self.at += 1
                said = [*told, Said(Tone.GOOD, remark.text)]
                return Verdict(True, remark.text), self._stage(said, number)
        for remark in step.worse:
            if self._parsed(self.lesson.learner, remark.move) == move:
                return Verdict(False, remark.text), None
        return Verdict(False, step.other), None

    def _stage(self, said: Sequence[Said], number: int = 0, *, asks: bool = False) -> Stage:
        around = Surroundings(self._names)
        view = look(self._own(), self.lesson.learner, self._story, around, answered=not asks)
        if self.ended:
            view = replace(view, seats=tuple(replace(seat, due=False) for seat in view.seats))
        number = number or self.lesson.number(self.at)
        return Stage(view, tuple(said), number, self.lesson.count, asks)

    def _choose(self) -> Choose | None:
        step = None if self.finished else self.lesson.steps[self.at]
        return step if isinstance(step, Choose) else None

    def _own(self) -> State:
        return self._state.view(self.lesson.learner)

    def _written(self, move: Move) -> str:
        return self.lesson.game.format(self._state, move)

    def _parsed(self, seat: int, text: str) -> Move:
        """The legal move that a lesson's file means. LessonError."""
        try:
            move = self.lesson.game.parse(self._state, text, seat)
        except EngineError as error:
            raise LessonError(f"'{text}': {error}") from error
        turn = self._state.turn()
        due = turn.seat if isinstance(turn, Decide) else -1
        if isinstance(turn, Ask):
            due = turn.seats[len(self._answers)]
        if due != seat or move not in self._state.legal(seat):
            raise LessonError(f"'{text}' of seat {seat} isn't legal, or not its turn")
        return move

    def _made(self, seat: int, text: str) -> list[Said]:
        lines = self._deal()
        move = self._parsed(seat, text)
        turn = self._state.turn()
        if not isinstance(turn, Ask):
            return lines + self._apply(move)
        self._answers.append((seat, move))
        if len(self._answers) < len(turn.seats):
            return lines
        answers, self._answers = Answers(tuple(self._answers)), []
        return lines + self._apply(answers)

    def _deal(self) -> list[Said]:
        """Draw and deal what is due from the prepared cards."""
        lines: list[Said] = []
        while isinstance(turn := self._state.turn(), Cards):
            if self._state.hand > 1:
                break  # a lesson is one hand
            kind = self._state.deck.kind
            match turn.requests[0]:
                case Draw(deck):
                    cards = tuple(deck.kind.parse(card) for card in self.lesson.draw)
                    lines += self._apply(complete_draw(self._state, cards))
                case Shuffle(deck):
                    first = [kind.parse(card) for card in self.lesson.deck]
                    rest = [deck.face(n) for n in range(deck.size)]
                    for face in first:
                        rest.remove(face)
                    lines += self._apply(Shuffled(bytes([*first, *rest])))
                case request:
                    raise LessonError(f"an open hand asks for {type(request).__name__}")
        return lines

    def _apply(self, given: Input) -> list[Said]:
        before, seen = self._state, self._own()
        try:
            self._state = before.apply(given)
        except IllegalMove as error:
            raise LessonError(f"{error.rule}: {error}") from error
        known = len(self._story.happenings)
        view = self._own()
        self._story = self._story.told(seen, given, view, self._state.notes)
        if self._state.hand > 1:  # a lesson is one hand: nothing of another is seen or told
            told = tuple(one for one in self._story.happenings if not self._is_next_hand(one))
            self._story = replace(self._story, trick=Trick(), happenings=told)
        around = Surroundings(self._names)
        table = look(view, self.lesson.learner, self._story, around, answered=True)
        news = [one for one in self._story.happenings[known:] if self._tells(one)]
        found = [_told(table, one) for one in news]
        return [said for said in found if said.text.en]

    def _tells(self, one: Happening) -> bool:
        if self._brief and routine(one):
            return False
        return one.note is None or one.note.kind != _SILENT

    def _is_next_hand(self, one: Happening) -> bool:
        note = one.note
        return note is not None and note.kind == NEW_HAND and note.values[0] > 1


def _told(table: TableView, one: Happening) -> Said:
    tone = Tone.PLAYED if routine(one) else Tone.TOLD
    return Said(tone, in_each(lambda told: happened(told, table, one)))


def _asked(step: Choose) -> list[Said]:
    """A question, and how to answer it."""
    ways = ((Tone.WRITE, step.write), (Tone.KEYS, step.keys))
    return [Said(Tone.ASK, step.ask), *(Said(tone, text) for tone, text in ways if text)]
