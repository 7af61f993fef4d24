"""A table in plain lines: for any terminal, a screen reader, a pipe, SSH. Append-only.

Law: this file turns notices into lines and a person's lines into moves; it reads and writes through
the callables that it is given. All that it says comes from the view that the screen paints, by way
of `plain_lines` and `plain_told`; it asks the engine what is legal and why not, and never decides.
A choice by its number or its cards is confirmed, a move in notation isn't asked twice. Sentences
are in one language at a time, commands may be typed in any.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from engine.contract import Decide, Move
from engine.errors import IllegalMove, NotationError
from node import plain_lines as lines
from node.errors import need
from node.language import CODES, ENGLISH, Language, following, language
from node.narrate import hand_number
from node.notices import NotSent, Refused, SessionEvent, Started, Talked
from node.plain_lines import HELP, MANY
from node.plain_picks import chosen_cards, numbered, why_lines
from node.plain_told import hand_of, told
from node.screen import accounts
from node.screen.hearing import Ear, Heard
from node.screen.memory import Memory
from node.screen.view import TableView
from node.screen.words import rule_words
from node.session import Session
from node.typed import LANGUAGES, YES, command
from node.waiting import Waiting
from protocol.table_events import Advanced, YourMove

_WITH_TEXT: Final = frozenset({"r", "chat", "help", "why", "lang"})
"""Commands that something may follow."""
_OWN_TURN: Final = frozenset({"s", "list", "why"})
"""Commands that mean something only while a choice is due."""


class Left(Exception):  # no error: the player wants to go
    """The player leaves the table."""


class PlainTable:
    """The interface of one seat. `say` prints a line; `ask` prompts and returns a line, or None
    when nobody is there any more. `rng` is for advice and for what a player leaves to chance,
    `clock` gives seconds, `spoken` hears of another language."""

    def __init__(
        self,
        say: Callable[[str], None],
        ask: Callable[[str], str | None],
        rng: random.Random,
        *,
        language: Language = ENGLISH,
        clock: Callable[[], float] = time.monotonic,
        spoken: Callable[[Language], None] = lambda _: None,
    ) -> None:
        self._language = language
        self._say = say
        self._ask = ask
        self._rng = rng
        self._clock = clock
        self._spoken = spoken
        self._ear = Ear()
        self._memory = Memory()
        self._session: Session | None = None
        self._hand = 0
        self._deadline: float | None = None

    # -- on the session's thread ----------------------------------------------------------------

    def hear(self, event: SessionEvent) -> Heard:
        """An event with what this seat sees after it, for `show` on the interface's thread."""
        return self._ear.hear(event)

    # -- on the interface's thread ----------------------------------------------------------------

    def attend(self, session: Session) -> None:
        """Whose table it is."""
        self._session = session

    def remember(self, event: SessionEvent | Heard) -> None:
        """Keep in mind what somebody else tells of, such as talk."""
        heard = event if isinstance(event, Heard) else self.hear(event)
        self._memory = heard.remembered(self._memory)

    def show(self, event: SessionEvent | Heard) -> None:
        """Tell of an event; where a choice is due, ask for it. Left: the player leaves."""
        heard = event if isinstance(event, Heard) else self.hear(event)
        notice = heard.event
        before = heard.before(self._memory)
        self._memory = heard.remembered(self._memory)
        if isinstance(notice, Started):
            position = self._memory.position
            midway = position is not None and position.order and position.deal is not None
            self._hand = hand_number(need(position)) if midway else 0
        if isinstance(notice, Waiting):
            left = notice.left if notice.seats else None
            self._deadline = None if left is None else self._clock() + left
        match notice:
            case Talked(person=person, text=text):
                self._say(f"<{person.label}> {text}")
            case NotSent(why=why):
                self._say(self._language.retold(why))
            case YourMove():
                self._choose(notice)
            case Refused(error=error, decision=decision):
                self._refuse(error)
                self._choose(decision)
            case _:
                begins = isinstance(notice, Advanced) and hand_of(notice) not in (0, self._hand)
                if isinstance(notice, Advanced) and begins:
                    self._hand = hand_of(notice)
                self._lines(told(self._language, notice, before, self._memory, begins=begins))

    def _tell(self, message: str, **fields: object) -> None:
        """Say a message of the catalogue, its fields filled in."""
        self._say(self._language.text(message).format(**fields))

    def _lines(self, said: list[str]) -> None:
        for line in said:
            self._say(line)

    def _look(self) -> TableView | None:
        """The table as the screen would show it now."""
        seconds = None
        if self._deadline is not None:
            seconds = max(0, math.ceil(self._deadline - self._clock()))
        return self._memory.look(can_chat=self._session is not None, seconds=seconds)

    def asked(self, line: str) -> bool:
        """Answer a question that is put while no choice is due; False if it isn't one."""
        word, _, rest = line.strip().partition(" ")
        name = command(word)
        if name == "chat" and not rest.strip():
            self._talk()
            return True
        view = self._look()
        if view is None:
            return self._early(name, rest.strip())
        if name in _OWN_TURN or (name == "help" and rest):
            return False
        return self._obey(name, rest.strip(), view)

    def _early(self, name: str, rest: str) -> bool:
        """As `asked`, before there is anything to be seen."""
        if name == "help" and not rest:
            self._lines([self._language.text(line) for line in HELP])
        elif name == "lang":
            if self.speak(rest):
                self._tell("The table is being set.")
        elif name in ("r", "options") and rest:
            self._say(self.rule(rest))
        else:
            return False
        return True

    # -- a decision ------------------------------------------------------------------------

    def _choose(self, decision: YourMove) -> None:
        """Ask until a legal move is chosen, and play it."""
        self._introduce()
        while True:
            answer = self._ask("> ")
            if answer is None:
                raise Left
            view = self._look()
            if view is None or not view.deciding:
                return  # what came meanwhile has taken the choice away
            move = self._read(answer.strip(), view)
            if move is not None:
                self._memory = replace(self._memory, asked=False)
                if self._session:
                    self._session.choose(move, decision)
                return

    def _introduce(self) -> None:
        view = self._look()
        if view is not None:
            self._lines(lines.turn_lines(self._language, view))

    def _read(self, text: str, view: TableView) -> Move | None:
        """The move that was chosen; None after anything else, which has been answered."""
        if not text:
            return self._nothing(view)
        if text.isascii() and text.isdigit():
            return self._numbered(int(text[:6]), view)
        word, _, rest = text.partition(" ")
        if self._obey(command(word), rest.strip(), view):
            return None
        return self._written(text, view)

    def _nothing(self, view: TableView) -> Move | None:
        """Enter alone: the only choice, or chance where there are many."""
        listed = view.listed
        if len(listed) == 1:
            return listed[0].move
        if len(listed) > MANY or view.choices.numbers:
            return self._rng.choice(listed).move
        self._help("", view)
        return None

    def _numbered(self, number: int, view: TableView) -> Move | None:
        choice = numbered(view, number)
        if choice is not None:
            return self._confirmed(lines.confirmed(self._language, view, choice), choice.move)
        if view.choices.numbers:
            self._lines(lines.choice_lines(self._language, view))
        else:
            self._tell("There are choices 1 to {most}. ? helps.", most=len(view.listed))
        return None

    def _confirmed(self, question: str, move: Move) -> Move | None:
        answer = self._ask(f"{question} ")
        if answer is None:
            raise Left
        return move if not answer.strip() else None

    def _written(self, text: str, view: TableView) -> Move | None:
        """A move in notation, or the cards that it moves."""
        state = view.state
        try:
            move = state.game.parse(state, text, view.me)
            if isinstance(state.turn(), Decide):
                state.apply(move)
            elif not any(choice.move == move for choice in view.choices.items):
                self._tell("That is no answer to what was asked.")
                return None
        except IllegalMove as error:
            self._refuse(error)
            return None
        except NotationError as error:
            return self._picked(text, view, error)
        return move

    def _picked(self, text: str, view: TableView, error: NotationError) -> Move | None:
        """Cards that were named without a word: the one choice that moves them, or which."""
        found = chosen_cards(view, text)
        if found is None:
            self._tell("{error}. ? helps.", error=self._language.retold(str(error)))
            return None
        if not found:
            self._tell("No choice moves just these cards.")
            return None
        if len(found) == 1:
            return self._confirmed(lines.confirmed(self._language, view, found[0]), found[0].move)
        listed = view.listed
        items = [lines.item(self._language, view, listed.index(c) + 1, c) for c in found]
        self._lines(lines.packed(items))
        return None

    def _refuse(self, error: IllegalMove) -> None:
        self._tell(
            "Not allowed: {why} ({rule}). 'r {rule}' shows the rule.",
            why=self._language.refilled(error.template, error.values),
            rule=error.rule,
        )

    # -- commands -------------------------------------------------------------------------------

    def _obey(self, name: str, rest: str, view: TableView) -> bool:
        """Do what a command says; False if it is none."""
        if name == "options":  # the word for the rules, in the lobby and here
            name = "r"
        shown = _SHOWN.get(name)
        if rest and name not in _WITH_TEXT:
            return False
        if shown is not None:
            self._lines(shown(self._language, view))
            return True
        deed = self._deeds().get(name)
        if deed is None:
            return False
        deed(rest, view)
        return True

    def _deeds(self) -> dict[str, Callable[[str, TableView], None]]:
        session = self._session
        return {
            "help": self._help,
            "why": self._why,
            "s": self._suggest,
            "list": lambda _, view: self._lines(lines.turn_lines(self._language, view)),
            "r": self._rule,
            "chat": self._chat,
            "lang": self._speak,
            "q": self._leave,
            "leave": self._leave,
            "goon": lambda *_: session.go_on() if session else None,
            "wait": lambda *_: session.wait() if session else None,
            "abandon": lambda *_: session.abandon() if session else None,
        }

    def _help(self, rest: str, view: TableView) -> None:
        if rest:
            self._why(rest, view)
            return
        for line in HELP:
            self._tell(line)

    def _why(self, rest: str, view: TableView) -> None:
        self._lines(why_lines(self._language, view, rest))

    def _suggest(self, _: str, view: TableView) -> None:
        from node.screen.advice import advise  # noqa: PLC0415  # slow, and rarely asked for

        found = advise(view.state, view.me, self._rng)
        self._lines(accounts.advice(self._language, view, found))

    def _rule(self, rest: str, view: TableView) -> None:
        if not rest:
            self._lines(lines.rules_lines(self._language, view))
            return
        self._say(self.rule(rest))

    def rule(self, name: str) -> str:
        """The text of a rule, or that there is none of that name."""
        found = rule_words(self._language, name.upper())
        return found or self._language.text("There is no such rule.")

    def _chat(self, rest: str, view: TableView) -> None:
        if not rest:
            self._talk()
        elif self._session:
            self._session.say(rest)

    def _talk(self) -> None:
        self._lines(lines.chat_lines(self._language, self._memory.chat))

    def speak(self, name: str) -> bool:
        """Speak the language called `name`, or the one that follows; False if there is none."""
        word = name.casefold()
        code = LANGUAGES.get(word, word) or following(self._language.code)
        if code not in CODES:
            self._tell("There is no language '{word}' here.", word=name[:20])
            return False
        self._language = language(code)
        self._spoken(self._language)
        return True

    def _speak(self, rest: str, view: TableView) -> None:
        """Another language, at once: what is due is said again in it."""
        if not self.speak(rest):
            return
        if view.deciding:
            self._lines(lines.turn_lines(self._language, view))
        else:
            self._say(lines.due_line(self._language, view))

    def _leave(self, _: str, view: TableView) -> None:
        """Leave, once that is confirmed; what has ended can be left at once."""
        if view.result is not None:
            raise Left
        self._lines(accounts.leaving(self._language, view))
        answer = self._ask(f"{self._language.text('Leave the table? y leaves, Enter stays.')} ")
        said = None if answer is None else answer.strip().casefold()
        if said is None or said in YES:
            raise Left
        if said == "x" and view.around.suspended and self._session:
            self._session.abandon()


_SHOWN: Final[dict[str, Callable[[Language, TableView], list[str]]]] = {
    "h": lines.table_lines,
    "t": lines.score_lines,
    "who": lines.score_lines,
    "u": lines.story_lines,
    "log": lines.log_lines,
    "result": lines.result_lines,
    "time": lines.time_lines,
    "o": accounts.fairness,
}
"""Commands that only show something."""
