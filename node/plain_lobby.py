"""A table in plain lines from the lobby on: who is there, what is typed, match after match.

Law: the lobby around the matches of `node.plain_match`, which brings the queue and the questions.
It turns typed lines into calls of the session and events into lines, and knows no socket, no
terminal and no rule.

    lobby      every line is a command, at once
    a match    as `node.plain_match` says; what a program typed ahead of a question that never
               came is a command of the lobby afterwards
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from node.code import show_code
from node.errors import NodeError
from node.language import ENGLISH, Language, mark
from node.lobby_words import lobby_lines, option_lines, people_lines, waiting_line
from node.notices import (
    BackInLobby,
    LobbyChanged,
    LobbyView,
    Person,
    SessionEvent,
    Started,
)
from node.plain import Left
from node.plain_match import ALWAYS, Ahead, Item, PlainMatch, Typed, event_of
from node.screen.hearing import Heard
from node.session import Session
from node.typed import command
from protocol.messages import Role

LOBBY_HELP: Final = (
    mark("ready, unready: for the match. who, options: this table. chat TEXT: talk."),
    mark("bots N: bring computer players. start (host): bots for the free seats, and ready."),
    mark("kick NAME (host): remove somebody. invite, code (host): how others get here. leave."),
    mark("chat: what was said. lang: the other language. r PET-22: one rule."),
)


class Lines(Protocol):
    """What tells of a lobby."""

    def __call__(self, view: LobbyView, *, language: Language) -> list[str]:
        """The lines."""
        ...


def _options(view: LobbyView, *, language: Language) -> list[str]:
    return option_lines(view.card, language=language)


@dataclass(slots=True)
class Means:
    """What the lobby can do beyond its session: `bring` starts so many computer players of this
    player, or as many as there are seats for, and says how many; `invitation` tells how to get
    here (NodeError)."""

    bring: Callable[[int], int] | None = None
    invitation: Callable[[], Sequence[str]] | None = None


class PlainLobby(PlainMatch):
    """The interface of one player at one table, as a `PlainMatch` with a lobby around each match;
    `means` is what it can do there."""

    def __init__(
        self,
        say: Callable[[str], None],
        prompt: Callable[[str], None],
        rng: random.Random,
        *,
        means: Means | None = None,
        ahead: Ahead = Ahead.PERSON,
        observe: Callable[[SessionEvent], None] = lambda _: None,
        answered: Callable[[str], None] = lambda _: None,
        language: Language = ENGLISH,
        spoken: Callable[[Language], None] = lambda _: None,
    ) -> None:
        super().__init__(
            say,
            prompt,
            rng,
            ahead=ahead,
            observe=observe,
            answered=answered,
            language=language,
            spoken=spoken,
        )
        self._means = means or Means()
        self._view: LobbyView | None = None
        self._playing = False

    def _next(self) -> Item:
        waiting = self._waiting
        if waiting.lines and not waiting.events and not self._playing:
            return Typed(waiting.lines.popleft())
        return super()._next()

    def _event(self, heard: Heard) -> None:
        event = event_of(heard)
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
            super()._event(heard)

    def _meanwhile(self, heard: Heard) -> bool:
        event = event_of(heard)
        if isinstance(event, ALWAYS):
            self._told(heard, lobby_lines(event, self._view, language=self._language))
            return True
        if isinstance(event, LobbyChanged):
            self._view = event.view
        return super()._meanwhile(heard)

    def _told(self, heard: Heard, lines: list[str]) -> None:
        """Say what the lobby has to say; the table says nothing of it, but keeps it in mind."""
        for line in lines:
            self._say(line)
        self._table.remember(heard)

    # -- what is typed ----------------------------------------------------------------------------

    def _line(self, session: Session, line: str) -> None:
        if self._playing:
            super()._line(session, line)
            return
        word, _, rest = line.strip().partition(" ")
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
        if self._playing:
            super()._close()
            return
        self._waiting.closed = True
        you = self._view.you if self._view is not None else None
        watching = you is not None and you.role is Role.WATCH
        if not watching and (you is None or not you.ready):
            raise Left

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
