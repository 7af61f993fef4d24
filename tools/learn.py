"""`busso learn [GAME]`: a guided hand with prepared cards, offline, on the screen or in lines.

Law: what is taught stands in the lessons' files and what is legal in the engine; this file chooses
between the full screen and lines, and shows and asks in lines. A move that is legal but worse is
taken back with a word about why.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import textwrap
from collections.abc import Callable
from typing import Final

from engine import registry
from engine.contract import Move
from engine.errors import EngineError, IllegalMove
from node.language import language, preferred
from node.lesson_file import lesson, words
from node.lessons import Course, Said, Stage, Tone
from node.rule_files import bare_rule
from node.screen.words import deed, label, own_worth
from tools.errors import ExitCode, UsageError
from tools.output import Output
from tools.person import player_name
from tools.screen import lesson_screen

LISTED: Final = 24
"""More choices than this are not listed one by one."""
LEAVE: Final = ("q", "quit", "esci")
_WIDE: Final = 88
_QUESTION: Final = (Tone.ASK, Tone.WRITE)
_MAX_LINE: Final = 200


def run(args: argparse.Namespace, out: Output) -> int:
    """Teach one game, or list the lessons. UsageError, OptionError."""
    if out.json:
        raise UsageError("learn talks to a person and has no JSON", "busso rules --json has data.")
    code = preferred(out.language, os.environ)
    given = lesson(args.game) if args.game is not None else None
    name = player_name(None)
    screen = lesson_screen(args, out, name)
    if screen is not None:
        if not screen.run(given.game.name if given is not None else None):
            out.line(words(screen.code)["left"])
        return ExitCode.FINE
    if given is None:
        _list(out, code)
    else:
        Lines(Course(given, given.names(name)), code, out, asker(out)).run()
    return ExitCode.FINE


def _list(out: Output, code: str) -> None:
    """The lessons, a line each."""
    for name in registry.GAMES:
        given = lesson(name)
        minutes = language(code).count("{n} minute", "{n} minutes", given.minutes)
        out.line(f"{name:<12}{minutes:<11}{given.title.in_(code)}")


def asker(out: Output) -> Callable[[], str | None]:
    """Reads a line from whoever types; None when nobody is there any more."""

    def ask() -> str | None:
        out.out.write("> ")
        out.out.flush()
        try:
            line = sys.stdin.readline()
        except UnicodeDecodeError:
            return "?"
        if not line:
            out.line()
            return None
        if not sys.stdin.isatty():
            out.line(line[:_MAX_LINE].rstrip("\n"))  # what a pipe types isn't seen otherwise
        return line[:_MAX_LINE].strip()

    return ask


class Lines:
    """A lesson in plain lines."""

    def __init__(
        self, course: Course, code: str, out: Output, ask: Callable[[], str | None]
    ) -> None:
        self._course = course
        self._code = code
        self._said = words(code)
        self._out = out
        self._ask = ask
        self._question: list[Said] = []

    def run(self) -> None:
        """Teach to the end, or until the learner leaves."""
        course = self._course
        self._say(course.lesson.title.in_(self._code))
        self._say(self._said["help"])
        while True:
            for stage in course.go_on():
                self._tell(stage)
            if course.finished:
                self._say(self._said["over"])
                return
            self._ask_again()
            if not self._decided():
                self._say(self._said["left"])
                return

    def _decided(self) -> bool:
        """Ask until a good move was made; False if the learner leaves."""
        while True:
            text = self._ask()
            if text is None or text.lower() in LEAVE:
                return False
            move = self._understood(text)
            if move is None:
                continue
            verdict, stage = self._course.answer(move)
            if stage is not None:
                self._tell(stage)
                return True
            self._say(verdict.text.in_(self._code))
            self._say(self._said["back"])

    def _understood(self, text: str) -> Move | None:
        """The move that was written; None if something else was asked, or it is none."""
        match text.lower():
            case "":
                self._say(self._said["help"])
            case "?":
                self._list()
            case "s":
                self._say(self._said["hint"].format(self._course.hint))
            case "t":
                self._ask_again()
            case _:
                return self._move(text)
        return None

    def _move(self, text: str) -> Move | None:
        choices = self._course.choices()
        if text.isascii() and text.isdigit() and len(choices) <= LISTED:
            number = int(text[:4])
            if 1 <= number <= len(choices):
                return choices[number - 1].move
        try:
            return self._course.parse(" ".join(text.split()))
        except IllegalMove as error:
            self._say(self._said["illegal"].format(error.rule))
            self._say(bare_rule(error.rule, self._code) or error.rule)
        except EngineError:
            self._say(self._said["unknown"])
        return None

    def _list(self) -> None:
        choices = self._course.choices()
        if len(choices) > LISTED:
            self._say(self._said["many"].format(len(choices)))
            return
        view, tongue = self._course.view(), language(self._code)
        for number, one in enumerate(choices, 1):
            written = view.state.game.format(self._course.state, one.move)
            name = deed(tongue, view, one) or label(tongue, view, one)
            self._say(f"{number:2}  {written}  {'' if name == written else name}".rstrip())

    def _tell(self, stage: Stage) -> None:
        """What there is to read; the question comes after the table."""
        for said in stage.said:
            if said.tone in _QUESTION:
                self._question = [*self._question, said] if said.tone is Tone.WRITE else [said]
            elif said.tone is not Tone.KEYS:
                if said.tone is Tone.TEACH:
                    self._say()
                self._say(said.text.in_(self._code))

    def _ask_again(self) -> None:
        self._table()
        self._say(" ".join(said.text.in_(self._code) for said in self._question))

    def _table(self) -> None:
        """The own hand and what lies open on the table."""
        view = self._course.view()
        hand = view.kind.join(view.face(slot) for slot in view.hand)
        worth = own_worth(language(self._code), view)
        self._say()
        self._say(self._said["hand"].format(f"{hand} ({worth})" if worth else hand))
        for name in ("briscola", "monte", "trick"):
            slots = view.pile(name)
            if slots:
                cards = view.kind.join(view.face(slot) for slot in slots)
                self._say(self._said[name].format(cards))

    def _say(self, text: str = "") -> None:
        width = max(20, min(_WIDE, shutil.get_terminal_size().columns - 1))
        for line in textwrap.wrap(text, width, break_on_hyphens=False) or [""]:
            self._out.line(line)
