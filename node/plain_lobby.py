"""A table in plain lines from the lobby on: who is there, what is typed, match after match.

Law: one queue brings what the session tells, with what this seat sees after it, and what somebody
types, each from its own thread; all else happens on the thread of `run`. It turns typed lines into
calls of the session and events into lines, and knows no socket, no terminal and no rule. What is
typed is bounded here and stripped where it is used.

    lobby      every line is a command, at once
    a choice   lines answer the question (`node.plain`); talk is shown meanwhile
    else       a line is a question to the table or talk; what is typed ahead counts only where
               nobody sits (a pipe), since a person might confirm what isn't there yet
"""

from __future__ import annotations

import queue
import random
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, cast

from node.code import show_code
from node.errors import NodeError
from node.language import ENGLISH, Language, mark
from node.lobby_words import lobby_lines, option_lines, people_lines, waiting_line
from node.notices import (
    BackInLobby,
    CodeChanged,
    Gone,
    HostSilent,
    Joined,
    LobbyChanged,
    LobbyView,
    NotSent,
    Person,
    Presence,
    Refused,
    SessionEvent,
    Started,
    Stranger,
    Suspended,
    Talked,
)
from node.plain import Ended, Left, PlainTable
from node.screen.hearing import Heard
from node.session import Session
from node.typed import command
from node.waiting import Absent, Waiting
from protocol.messages import Role
from protocol.table import Advanced, CutBack, Finished, Voted, YourMove

MAX_LINE: Final = 400
MAX_AHEAD: Final = 64
"""Lines that wait for a question at a pipe."""
LOBBY_HELP: Final = (
    mark("ready, unready: for the match. who, options: this table. chat TEXT: talk."),
    mark("bots N: bring computer players. start (host): bots for the free seats, and ready."),
    mark("kick NAME (host): remove somebody. invite, code (host): how others get here. leave."),
    mark("chat: what was said. lang: the other language. r PET-22: one rule."),
)
ALWAYS: Final = (Talked, NotSent, Stranger, CodeChanged, HostSilent, Gone, Joined)
MEANWHILE: Final = (Presence, Waiting, Absent, Suspended, Voted)
"""What is told at once, even while a question waits: of the lobby, and of the match."""
OVERTAKING: Final = (Advanced, CutBack, YourMove, Refused, Finished, Started, BackInLobby, Ended)
"""What says that the question that waits isn't due any more."""
ENDING: Final = (BackInLobby, Ended)
"""What says so of a question that is put while no choice is due: nothing is left to leave."""


class Lines(Protocol):
    """What tells of a lobby."""

    def __call__(self, view: LobbyView, *, language: Language) -> list[str]:
        """The lines."""
        ...


def _options(view: LobbyView, *, language: Language) -> list[str]:
    return option_lines(view.card, language=language)


def _event(heard: Heard) -> SessionEvent:
    return cast(SessionEvent, heard.event)  # `on_event` hears of no other


class Overtaken(Exception):  # no error: the question that was put is due no more
    """What was asked isn't wanted any more."""


@dataclass(frozen=True, slots=True)
class Typed:
    """A line that somebody typed; None when nobody will type any more."""

    line: str | None


@dataclass(slots=True)
class Means:
    """What the lobby can do beyond its session: `bring` starts so many computer players of this
    player, or as many as there are seats for, and says how many; `invitation` tells how to get
    here (NodeError)."""

    bring: Callable[[int], int] | None = None
    invitation: Callable[[], Sequence[str]] | None = None


@dataclass(slots=True)
class _Waiting:
    """Events that a question held up, and lines typed ahead."""

    events: deque[Heard | Ended] = field(default_factory=deque)
    lines: deque[str] = field(default_factory=deque)
    closed: bool = False
    overtaking: tuple[type, ...] = OVERTAKING


class PlainLobby:
    """The interface of one player at one table. `say` prints a line, `prompt` something before an
    answer. `ahead` says that lines may come before their question, as from a pipe. `observe` hears
    every event before anything is said of it, `spoken` of another language."""

    def __init__(
        self,
        say: Callable[[str], None],
        prompt: Callable[[str], None],
        rng: random.Random,
        *,
        means: Means | None = None,
        ahead: bool = False,
        observe: Callable[[SessionEvent], None] = lambda _: None,
        language: Language = ENGLISH,
        spoken: Callable[[Language], None] = lambda _: None,
    ) -> None:
        self._language = language
        self._spoken = spoken
        self._print = say
        self._said = 0
        self._observe = observe
        self._prompt = prompt
        self._means = means or Means()
        self._ahead = ahead
        self._queue: queue.SimpleQueue[Heard | Ended | Typed] = queue.SimpleQueue()
        self._waiting = _Waiting()
        self._table = PlainTable(self._say, self._ask, rng, language=language, spoken=self._speak)
        self._view: LobbyView | None = None
        self._playing = False
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
        """Somebody typed a line; None: the keyboard is gone."""
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
                if isinstance(item, Typed):
                    self._line(session, item.line)
                else:
                    self._event(item)
            except Overtaken:
                self._tell("That is not asked any more.")

    def _next(self) -> Heard | Ended | Typed:
        if self._waiting.events:
            return self._waiting.events.popleft()
        if self._waiting.lines and not self._playing:
            return Typed(self._waiting.lines.popleft())
        return self._take()

    def _take(self) -> Heard | Ended | Typed:
        while True:
            try:
                # A wait without an end can't be interrupted on Windows.
                item = self._queue.get(timeout=0.2)
            except queue.Empty:
                continue
            if isinstance(item, Heard):
                self._observe(_event(item))
            return item

    def _event(self, heard: Heard) -> None:
        event = _event(heard)
        if isinstance(event, Started):
            self._playing = True
        if isinstance(event, BackInLobby):
            self._playing = False
        lines = lobby_lines(event, self._view, language=self._language)
        if isinstance(event, LobbyChanged):
            if self._playing:
                lines = []
            self._view = event.view
        if lines:
            self._told(heard, lines)
        if isinstance(event, BackInLobby) and self._waiting.closed:
            raise Left
        if not lines:
            self._table.show(heard)

    def _told(self, heard: Heard, lines: list[str]) -> None:
        """Say what the lobby has to say; the table says nothing of it, but keeps it in mind."""
        for line in lines:
            self._say(line)
        self._table.remember(heard)

    def _speak(self, language: Language) -> None:
        """The table speaks another language from now on, and so does the lobby."""
        self._language = language
        self._spoken(language)

    def _say(self, text: str) -> None:
        self._said += 1
        self._print(text)

    def _tell(self, message: str, **fields: object) -> None:
        """Say a message of the catalogue, its fields filled in."""
        self._say(self._language.text(message).format(**fields))

    # -- what is typed ----------------------------------------------------------------------------

    def _line(self, session: Session, line: str | None) -> None:
        if line is None:
            self._close()
            return
        word, _, rest = line.strip().partition(" ")
        if self._playing:
            self._aside(session, line, command(word), rest)
            return
        if not word:
            return
        deed = self._commands(session).get(command(word.removeprefix("/")))
        if deed is None:
            unknown = mark("There is no command '{word}'. 'help' lists them, 'chat' talks.")
            self._tell(unknown, word=word[:20])
            return
        deed(rest.strip())

    def _close(self) -> None:
        """Nobody will type any more: wait only for what has been asked for."""
        self._waiting.closed = True
        you = self._view.you if self._view is not None else None
        watching = you is not None and you.role is Role.WATCH
        if not self._playing and not watching and (you is None or not you.ready):
            raise Left

    def _aside(self, session: Session, line: str, word: str, rest: str) -> None:
        """A line while a match is on and no choice is due."""
        if word == "chat":
            self._chat(session, rest)
        elif word in ("leave", "q"):
            self._ask_to_leave()
        elif self._table.asked(line):
            return
        elif self._ahead and len(self._waiting.lines) < MAX_AHEAD:
            self._waiting.lines.append(line)
        elif word:
            self._tell("It isn't your turn. 'chat TEXT' talks, ? helps.")

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

    def _lang(self, word: str) -> None:
        """Another language, and in it what the table waits for."""
        if self._table.speak(word) and self._view is not None:
            self._say(waiting_line(self._view, language=self._language))

    def _rule(self, rule: str) -> None:
        """One rule, or the rules of this table."""
        if rule:
            self._say(self._table.rule(rule))
        else:
            self._list(_options)

    def _commands(self, session: Session) -> dict[str, Callable[[str], None]]:
        return {
            "help": self._help,
            "ready": lambda _: session.ready(True),
            "unready": lambda _: session.ready(False),
            "who": lambda _: self._list(people_lines),
            "options": lambda _: self._list(_options),
            "r": self._rule,
            "lang": self._lang,
            "chat": lambda text: self._chat(session, text),
            "kick": lambda name: self._kick(session, name),
            "bots": self._bots,
            "start": lambda _: self._start(session),
            "invite": lambda _: self._invite(),
            "code": lambda _: self._code(),
            "leave": self._leave,
            "q": self._leave,
        }

    def _help(self, _: str) -> None:
        for line in LOBBY_HELP:
            self._tell(line)

    def _leave(self, _: str) -> None:
        raise Left

    def _list(self, lines: Lines) -> None:
        if self._view is None:
            self._tell("Not at the table yet.")
            return
        for line in lines(self._view, language=self._language):
            self._say(line)

    def _kick(self, session: Session, name: str) -> None:
        found = self._named(name)
        if len(found) == 1:
            session.remove(found[0].key)
        elif not found:
            self._tell("Nobody here is called '{name}'. 'who' lists everybody.", name=name[:40])
        else:
            labels = ", ".join(person.label for person in found)
            self._tell("There are several: {labels}. Say which.", labels=labels)

    def _named(self, name: str) -> list[Person]:
        people = self._view.people if self._view is not None else ()
        exact = [person for person in people if person.label.casefold() == name.casefold()]
        return exact or [person for person in people if person.name.casefold() == name.casefold()]

    def _bots(self, text: str) -> None:
        count = int(text) if text.isascii() and text.isdigit() and len(text) <= 3 else 0
        if not 1 <= count <= self._free():
            self._tell("bots N: from 1 to the {free} seats that are free.", free=self._free())
            return
        if self._bring(count) == 0:
            self._tell("A computer player is on its way to every free seat.")

    def _start(self, session: Session) -> None:
        you = self._view.you if self._view is not None else None
        if you is None or not you.host:
            self._tell("Only the host can start; 'ready' says that you are.")
            return
        if self._free() and self._bring(self._free()) is None:
            return
        session.ready(True)

    def _bring(self, count: int) -> int | None:
        """How many computer players are coming now; None after a sentence that says why not."""
        if self._means.bring is None:
            self._tell("There are no computer players to bring here.")
            return None
        try:
            return self._means.bring(count)
        except (NodeError, OSError) as error:
            why = self._language.retold(str(error))
            self._tell("No computer player could be started: {error}", error=why)
            return None

    def _free(self) -> int:
        return self._view.free if self._view is not None else 0

    def _invite(self) -> None:
        if self._means.invitation is None:
            self._tell("Only the host can invite.")
            return
        try:
            lines = self._means.invitation()
        except NodeError as error:
            lines = [self._language.retold(str(error))]
        for line in lines:
            self._say(line)

    def _code(self) -> None:
        code = self._view.code if self._view is not None else ""
        if self._session is not None and self._session.lobby is not None:
            code = self._session.lobby.code
        self._tell(
            "The code is {code}." if code else "You know of no code here.", code=show_code(code)
        )

    # -- a question -------------------------------------------------------------------------------

    def _ask(self, prompt: str) -> str | None:
        """The answer to a question of the table; None when nobody is there any more.

        Overtaken: something happened that makes it pointless."""
        self._prompt(prompt)
        said, waiting = self._said, self._waiting
        if waiting.lines:
            return waiting.lines.popleft()
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
                return item.line
            event = _event(item) if isinstance(item, Heard) else item
            if isinstance(item, Heard) and isinstance(event, ALWAYS):
                self._told(item, lobby_lines(event, self._view, language=self._language))
                continue
            if isinstance(item, Heard) and isinstance(event, MEANWHILE):
                self._table.show(item)
                continue
            if isinstance(event, LobbyChanged):
                self._view = event.view
                continue
            waiting.events.append(item)
            if isinstance(event, waiting.overtaking):
                raise Overtaken
