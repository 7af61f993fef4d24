"""What a screen makes of its session's notices: all that is slow to import, and not needed for the
first screen.

Law: a notice goes in on the session's thread, with what the seat sees after it; on the interface's
thread it becomes another Memory and a few facts that a screen acts upon. No terminal.
"""

from __future__ import annotations

import queue
from dataclasses import dataclass, replace

from engine.contract import State
from engine.errors import IllegalMove
from node.notices import Refused, Started
from node.screen.memory import Memory, begun
from node.waiting import Waiting
from protocol.player import Player
from protocol.position import Position
from protocol.table_events import Advanced, CutBack, YourMove


@dataclass(slots=True)
class News:
    """What has come in since the last look.

    started   another match has begun
    decision  a choice is due that nobody has been told of
    refused   why the last choice was refused
    waiting   the countdown changed; `left` are its seconds, None without one
    """

    started: bool = False
    decision: bool = False
    refused: IllegalMove | None = None
    waiting: bool = False
    left: float | None = None


@dataclass(frozen=True, slots=True)
class Heard:
    """A notice with what this seat saw of the game after it.

    `begun`: what its log tells before it, where that isn't what was heard last: a match starts, or
    steps were taken out of the log.
    """

    event: object
    state: State | None = None
    begun: Memory | None = None

    def before(self, memory: Memory) -> Memory:
        """What is remembered before this notice; what no log holds stays as it was."""
        if self.begun is None:
            return memory
        if isinstance(self.event, Started):
            return replace(self.begun, chat=memory.chat)
        return replace(
            self.begun,
            chat=memory.chat,
            warnings=memory.warnings,
            down=memory.down,
            awaited=memory.awaited,
            question=memory.question,
            suspended=memory.suspended,
        )

    def remembered(self, memory: Memory) -> Memory:
        """`memory` after this notice."""
        before = self.before(memory)
        return before if isinstance(self.event, Started) else before.heard(self.event, self.state)


class Ear:
    """Looks at the table of a session, best on the thread to which it belongs: whoever hears of a
    match on another one may find steps in its log that are still to be told."""

    def __init__(self) -> None:
        self._player: Player | None = None
        self._started: Started | None = None
        self._step = 0
        """Where the log stood when the match began; 0 once that has been told."""

    def hear(self, event: object) -> Heard:
        """A notice with all that has to be looked up now, before the table goes on."""
        if isinstance(event, Started):
            self._started, self._player = event, event.table.player
            position = event.table.position
            self._step = position.step
            state = self._seen(position)
            return Heard(event, state, Memory().heard(event, state))
        if isinstance(event, Advanced):
            return Heard(event, self._seen(event.after), self._late(event.step.number))
        if isinstance(event, CutBack) and self._started is not None:
            state = self._seen(self._started.table.position)
            return Heard(event, state, replace(begun(self._started), state=state))
        return Heard(event)

    def _late(self, step: int) -> Memory | None:
        """What there was before the first step that is told, if the log had it already."""
        ahead, self._step = step < self._step, 0
        return begun(self._started, step) if ahead and self._started is not None else None

    def _seen(self, position: Position) -> State:
        return self._player.view(position) if self._player else position.state


class Hearing:
    """The notices of one session, from its thread to the interface's."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.decision: YourMove | None = None
        self._ear = Ear()
        self._mail: queue.SimpleQueue[Heard] = queue.SimpleQueue()

    def hear(self, event: object) -> None:
        """On the session's thread: keep a notice, with what this seat sees of the game after it."""
        self._mail.put(self._ear.hear(event))

    def read(self) -> News:
        """On the interface's thread: take in all that waits."""
        news = News()
        while True:
            try:
                heard = self._mail.get_nowait()
            except queue.Empty:
                return news
            self.memory = heard.remembered(self.memory)
            event = heard.event
            news.started = news.started or isinstance(event, Started)
            if isinstance(event, Waiting):
                news.waiting = True
                news.left = event.left if event.seats else None
            if isinstance(event, Refused):
                news.refused = event.error
                event = event.decision
            if isinstance(event, YourMove):
                self.decision = event
                news.decision = True
            elif isinstance(event, Advanced):
                news.decision = False
