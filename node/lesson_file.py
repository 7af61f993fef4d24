"""The file of a lesson: a prepared hand of a game, with what there is to read and to decide.

Law: a lesson is a data file, `lesson_files/<game>.toml`; this file reads it and checks its form.
Whether it can be played is found out by `lessons`. No terminal, no network, no chance.

    game, preset, options   the table; `seats` of them, the learner in `learner`
    draw, deck              cards, top first; those after them follow in the order of the deck
    minutes                 how long it takes
    [title]                 one sentence about the lesson

and then steps, of which each is one of

    [[step]]  en, it              something to read
    [[step]]  moves, quiet        moves of any seat, `0 3s`; of quiet ones only the end is told;
                                  whatever is due is dealt before, even where there are none
    [[step]]  en, it, good, worse, other, write, keys
                                  the learner decides: `good` moves go on, `worse` ones and any
                                  `other` legal move are taken back, each with what is said to it;
                                  `write` and `keys` (they may be left out) say how to answer in
                                  plain lines and on the screen

A file is ours, so whatever is wrong with one is a LessonError, our own bug.
"""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from engine import options as house_rules
from engine import registry
from engine.contract import Game
from engine.errors import EngineError

LANGUAGES: Final = ("en", "it")
OTHERS: Final = ("Ada", "Bruno", "Carla")
"""The other seats, as the lessons' texts call them."""
MAX_STEPS: Final = 200
MAX_MINUTES: Final = 30
_FOLDER: Final = Path(__file__).with_name("lesson_files")


class LessonError(Exception):
    """Our own bug: a lesson isn't written as it must be, or can't be played."""


@dataclass(frozen=True, slots=True)
class Text:
    """One text in each language."""

    en: str
    it: str

    def in_(self, code: str) -> str:
        """The text in the language `code`."""
        return self.it if code == "it" else self.en


@dataclass(frozen=True, slots=True)
class Remark:
    """What is said to a move, which is given in notation."""

    move: str
    text: Text


@dataclass(frozen=True, slots=True)
class Reading:
    """Something to read."""

    text: Text


@dataclass(frozen=True, slots=True)
class Play:
    """Moves that are made for the seats: (seat, notation)."""

    moves: tuple[tuple[int, str], ...]
    quiet: bool


@dataclass(frozen=True, slots=True)
class Choose:
    """The learner decides; `write` and `keys` say how, None where the question itself does."""

    ask: Text
    good: tuple[Remark, ...]
    worse: tuple[Remark, ...]
    other: Text
    write: Text | None = None
    keys: Text | None = None


Step = Reading | Play | Choose


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson as its file has it."""

    game: Game
    options: Any
    seats: int
    learner: int
    draw: tuple[str, ...]
    deck: tuple[str, ...]
    title: Text
    steps: tuple[Step, ...]
    minutes: int

    def names(self, own: str) -> tuple[str, ...]:
        """The names of all seats; `own` is the learner's, told apart from the others'."""
        names = list(OTHERS[: self.seats - 1])
        names.insert(self.learner, own_name(own))
        return tuple(names)

    def number(self, at: int) -> int:
        """Which of the steps that say something comes at the place `at`, from 1 on."""
        before = sum(not isinstance(step, Play) for step in self.steps[:at])
        return min(before + 1, self.count)

    @property
    def count(self) -> int:
        """How many steps say something."""
        return sum(not isinstance(step, Play) for step in self.steps)


def own_name(name: str) -> str:
    """The learner's name, told apart from the others'."""
    return f"{name} *" if name.casefold() in map(str.casefold, OTHERS) else name


# -- reading --------------------------------------------------------------------------------------


@functools.cache
def lesson(name: str) -> Lesson:
    """The lesson of the game `name`; OptionError if there is no such game."""
    game = registry.get(name)
    return read((_FOLDER / f"{game.name}.toml").read_text(encoding="utf-8"))


@functools.cache
def _around() -> Mapping[str, Text]:
    table = tomllib.loads((_FOLDER / "words.toml").read_text(encoding="utf-8"))
    return {key: _text(value) for key, value in table.items()}


@functools.cache
def words(code: str) -> Mapping[str, str]:
    """What a lesson says around its texts, by key, in the language `code`."""
    return {key: text.in_(code) for key, text in _around().items()}


def read(text: str) -> Lesson:
    """A lesson from its file's text. LessonError."""
    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise LessonError(str(error)) from error
    names = {"game", "preset", "options", "seats", "learner", "draw", "deck", "title", "step"}
    names.add("minutes")
    if set(data) != names:
        raise LessonError(f"a lesson has {', '.join(sorted(set(data) ^ names))} wrong")
    steps = tuple(_step(step) for step in data["step"])
    if len(steps) > MAX_STEPS or not any(isinstance(step, Choose) for step in steps):
        raise LessonError("a lesson has a decision, and not too many steps")
    if data["minutes"] not in range(1, MAX_MINUTES + 1):
        raise LessonError("a lesson takes some minutes, and not too many")
    try:
        game = registry.get(data["game"])
        pairs = [item.partition("=") for item in data["options"]]
        given = [(name, value) for name, _, value in pairs]
        options: Any = house_rules.make(game.options_type, game.presets[data["preset"]], given)
    except (EngineError, KeyError) as error:
        raise LessonError(str(error)) from error
    return Lesson(
        game,
        options,
        data["seats"],
        data["learner"],
        tuple(data["draw"].split()),
        tuple(data["deck"].split()),
        _text(data["title"]),
        steps,
        data["minutes"],
    )


def _text(value: Mapping[str, Any]) -> Text:
    try:
        text = Text(value["en"], value["it"])
    except KeyError as error:
        raise LessonError(f"a text lacks {error}") from error
    if not all(isinstance(part, str) and part for part in (text.en, text.it)):
        raise LessonError("a text is empty")
    return text


def _step(step: Mapping[str, Any]) -> Step:
    match set(step) - {"en", "it"}:
        case found if found - {"write", "keys"} == {"good", "worse", "other"} and step["good"]:
            good = tuple(Remark(item["move"], _text(item)) for item in step["good"])
            worse = tuple(Remark(item["move"], _text(item)) for item in step["worse"])
            how = (_text(step[name]) if name in step else None for name in ("write", "keys"))
            return Choose(_text(step), good, worse, _text(step["other"]), *how)
        case found if not found:
            return Reading(_text(step))
        case found if found <= {"moves", "quiet"} and not set(step) & {"en", "it"}:
            pairs = (item.partition(" ") for item in step["moves"])
            moves = tuple((int(seat), text) for seat, _, text in pairs)
            return Play(moves, step.get("quiet", False))
    raise LessonError(f"a step has {', '.join(step)}")
