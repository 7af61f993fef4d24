"""A match in plain lines at which one may type at any time, while others are to choose too.

Law: one queue brings what the session tells, with what this seat sees after it, and what somebody
types, each from its own thread; all else happens on the thread of `run`. It knows no socket, no
terminal and no rule: `node.plain` says what an event means and what an answer is. What is typed is
bounded here and stripped where it is used.

    a choice   lines answer the question; talk is shown meanwhile
    else       a line is a question to the table or talk; whether it may be meant for a question
               to come depends on who types (`Ahead`)
"""

from __future__ import annotations

import enum
import queue
import random
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, cast

from node.language import ENGLISH, Language
from node.notices import (
    BackInLobby,
    CodeChanged,
    Gone,
    HostSilent,
    Joined,
    LobbyChanged,
    NotSent,
    Presence,
    Refused,
    SessionEvent,
    Started,
    Stranger,
    Suspended,
    Talked,
)
from node.plain import Left, PlainTable
from node.screen.hearing import Heard
from node.session import Session
from node.typed import command
from node.waiting import Absent, Waiting
from protocol.table import Advanced, CutBack, Finished, Voted, YourMove

MAX_LINE: Final = 400
MAX_AHEAD: Final = 64
"""Lines that wait for a question."""
ALWAYS: Final = (Talked, NotSent, Stranger, CodeChanged, HostSilent, Gone, Joined)
MEANWHILE: Final = (Presence, Waiting, Absent, Suspended, Voted)
"""What is told at once, even while a question waits: of the lobby, and of the match."""


class Ahead(enum.Enum):
    """What becomes of a line that was typed while nothing was asked.

    PERSON    it is answered at once and never kept: one might confirm what isn't there yet
    PROGRAM   commands are obeyed at once, anything else waits for the next question
    SCRIPT    every line waits for its question, in order; reading stops while too many wait
    """

    PERSON = enum.auto()
    PROGRAM = enum.auto()
    SCRIPT = enum.auto()


class Overtaken(Exception):  # no error: the question that was put is due no more
    """What was asked isn't wanted any more."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The session's thread has ended, with what it raised."""

    error: Exception | None


@dataclass(frozen=True, slots=True)
class Typed:
    """A line that somebody typed; None when nobody will type any more."""

    line: str | None


Item = Heard | Ended | Typed
OVERTAKING: Final = (Advanced, CutBack, YourMove, Refused, Finished, Started, BackInLobby, Ended)
"""What says that the question that waits isn't due any more."""
ENDING: Final = (BackInLobby, Ended)
"""What says so of a question that is put while no choice is due: nothing is left to leave."""


def event_of(heard: Heard) -> SessionEvent:
    """What the session told."""
    return cast(SessionEvent, heard.event)  # `on_event` hears of no other


@dataclass(slots=True)
class _Waiting:
    """Events that a question held up, and lines typed ahead."""

    events: deque[Heard | Ended] = field(default_factory=deque)
    lines: deque[str] = field(default_factory=deque)
    closed: bool = False
    overtaking: tuple[type, ...] = OVERTAKING


class PlainMatch:
    """The interface of one seat. `say` prints a line, `prompt` something before an answer.

    `ahead` says who types, `observe` hears every event before anything is said of it, `answered`
    every line that answers a question, `spoken` of another language."""

    def __init__(
        self,
        say: Callable[[str], None],
        prompt: Callable[[str], None],
        rng: random.Random,
        *,
        ahead: Ahead = Ahead.PERSON,
        observe: Callable[[SessionEvent], None] = lambda _: None,
        answered: Callable[[str], None] = lambda _: None,
        language: Language = ENGLISH,
        spoken: Callable[[Language], None] = lambda _: None,
    ) -> None:
        self._language = language
        self._spoken = spoken
        self._print = say
        self._said = 0
        self._observe = observe
        self._answered = answered
        self._prompt = prompt
        self._ahead = ahead
        self._room = threading.Semaphore(MAX_AHEAD)
        self._queue: queue.SimpleQueue[Item] = queue.SimpleQueue()
        self._waiting = _Waiting()
        self._table = PlainTable(self._say, self._ask, rng, language=language, spoken=self._speak)
        self._begun = False
        self._session: Session | None = None

    # -- from other threads -----------------------------------------------------------------------

    def on_event(self, event: SessionEvent) -> None:
        """The session tells something, and goes on once it has been looked at."""
        self._queue.put(self._table.hear(event))

    def decide(self, decision: YourMove, session: Session) -> None:
        """The event itself says that a choice is due."""

    def missing(self, absent: Absent, session: Session) -> None:
        """The event itself says that somebody is missing."""

    def ended(self, error: Exception | None) -> None:
        """The session is over."""
        self._queue.put(Ended(error))

    def typed(self, line: str | None) -> None:
        """Somebody typed a line; None: the keyboard is gone. Waits for room, if a script types."""
        if self._ahead is Ahead.SCRIPT and line is not None:
            self._room.acquire()
        self._queue.put(Typed(None if line is None else line[:MAX_LINE]))

    # -- on the interface's thread ----------------------------------------------------------------

    def run(self, session: Session) -> None:
        """Show and obey until the session ends. Left: the player leaves; raises what ended it."""
        self._session = session
        self._table.attend(session)
        while True:
            item = self._next()
            if isinstance(item, Ended):
                if item.error is not None:
                    raise item.error
                return
            try:
                if not isinstance(item, Typed):
                    self._event(item)
                elif item.line is None:
                    self._close()
                else:
                    self._line(session, item.line)
            except Overtaken:
                self._tell("That is not asked any more.")

    def _next(self) -> Item:
        return self._waiting.events.popleft() if self._waiting.events else self._take()

    def _take(self) -> Item:
        while True:
            try:
                # A wait without an end can't be interrupted on Windows.
                item = self._queue.get(timeout=0.2)
            except queue.Empty:
                continue
            if isinstance(item, Heard):
                self._observe(event_of(item))
            return item

    def _event(self, heard: Heard) -> None:
        if isinstance(heard.event, Started):
            self._begun = True
        self._table.show(heard)

    def _speak(self, language: Language) -> None:
        """The table speaks another language from now on, and so does all around it."""
        self._language = language
        self._spoken(language)

    def _say(self, text: str) -> None:
        self._said += 1
        self._print(text)

    def _tell(self, message: str, **fields: object) -> None:
        """Say a message of the catalogue, its fields filled in."""
        self._say(self._language.text(message).format(**fields))

    # -- a line while nothing is asked ------------------------------------------------------------

    def _close(self) -> None:
        """Nobody will type any more: a person leaves, else the next question has no answer."""
        self._waiting.closed = True
        if self._ahead is Ahead.PERSON:
            raise Left

    def _line(self, session: Session, line: str) -> None:
        if self._ahead is Ahead.SCRIPT:
            self._waiting.lines.append(line)
            return
        word, _, rest = line.strip().partition(" ")
        name = command(word)
        if name == "chat":
            self._chat(session, rest)
        elif name in ("leave", "q"):
            self._ask_to_leave()
        elif self._table.asked(line):
            return
        elif self._ahead is Ahead.PROGRAM and len(self._waiting.lines) < MAX_AHEAD:
            self._waiting.lines.append(line)
        elif word and self._begun:
            self._tell("It isn't your turn. 'chat TEXT' talks, ? helps.")
        elif word:
            self._tell("The table is being set.")

    def _ask_to_leave(self) -> None:
        """Leave once that is confirmed; what the others do meanwhile takes no answer away."""
        self._waiting.overtaking = ENDING
        try:
            if not self._table.asked("q"):
                raise Left
        finally:
            self._waiting.overtaking = OVERTAKING

    def _chat(self, session: Session, text: str) -> None:
        """Say something; without a text, what was said last."""
        if text.strip():
            session.say(text.strip())
        else:
            self._table.asked("chat")

    # -- a question -------------------------------------------------------------------------------

    def _ask(self, prompt: str) -> str | None:
        """The answer to a question of the table; None when nobody is there any more.

        Overtaken: something happened that makes it pointless."""
        self._prompt(prompt)
        said, waiting = self._said, self._waiting
        if waiting.lines:
            return self._answer(waiting.lines.popleft())
        if waiting.closed:
            return None
        while True:
            if self._said != said:  # something stands between the question and its answer
                self._prompt(prompt)
                said = self._said
            item = self._take()
            if isinstance(item, Typed):
                if item.line is None:
                    waiting.closed = True
                    return None
                return self._answer(item.line)
            if isinstance(item, Heard) and self._meanwhile(item):
                continue
            waiting.events.append(item)
            event = item.event if isinstance(item, Heard) else item
            if isinstance(event, waiting.overtaking):
                raise Overtaken

    def _answer(self, line: str) -> str:
        if self._ahead is Ahead.SCRIPT:
            self._room.release()
        self._answered(line)
        return line

    def _meanwhile(self, heard: Heard) -> bool:
        """Tell at once of what takes no answer away; False: it has to wait for the answer."""
        if isinstance(heard.event, (*ALWAYS, *MEANWHILE)):
            self._table.show(heard)
            return True
        return isinstance(heard.event, LobbyChanged)
