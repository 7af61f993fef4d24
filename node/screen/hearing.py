"""What a screen makes of its session's notices: all that is slow to import, and not needed for the
first screen.

Law: a notice goes in on the session's thread, with what the seat sees after it; on the interface's
thread it becomes another Memory and a few facts that a screen acts upon. No terminal.
"""

from __future__ import annotations

import queue
from dataclasses import dataclass

from engine.contract import State
from engine.errors import IllegalMove
from node.notices import Refused, Started
from node.screen.memory import Memory
from node.waiting import Waiting
from protocol.player import Player
from protocol.position import Position
from protocol.table_events import Advanced, YourMove


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


class Hearing:
    """The notices of one session, from its thread to the interface's."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.decision: YourMove | None = None
        self._player: Player | None = None
        self._mail: queue.SimpleQueue[tuple[object, State | None]] = queue.SimpleQueue()

    def hear(self, event: object) -> None:
        """On the session's thread: keep a notice, with what this seat sees of the game after it."""
        state = None
        if isinstance(event, Started):
            self._player = event.table.player
            state = self._seen(event.table.position)
        if isinstance(event, Advanced):
            state = self._seen(event.after)
        self._mail.put((event, state))

    def _seen(self, position: Position) -> State:
        return self._player.view(position) if self._player else position.state

    def read(self) -> News:
        """On the interface's thread: take in all that waits."""
        news = News()
        while True:
            try:
                event, state = self._mail.get_nowait()
            except queue.Empty:
                return news
            self.memory = self.memory.heard(event, state)
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
