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
from protocol.table_events import Advanced, YourMove


@dataclass(slots=True)
class News:
    """What has come in since the last look.

    decision  a choice is due that nobody has been told of
    refused   why the last choice was refused
    waiting   the countdown changed; `left` are its seconds, None without one
    """

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
        if isinstance(event, Advanced):
            after = event.after
            state = self._player.view(after) if self._player else after.state
        self._mail.put((event, state))

    def read(self) -> News:
        """On the interface's thread: take in all that waits."""
        news = News()
        while True:
            try:
                event, state = self._mail.get_nowait()
            except queue.Empty:
                return news
            self.memory = self.memory.heard(event, state)
            if isinstance(event, Waiting):
                news.waiting = True
                news.left = event.left if event.away else None
            if isinstance(event, Refused):
                news.refused = event.error
                event = event.decision
            if isinstance(event, YourMove):
                self.decision = event
                news.decision = True
            elif isinstance(event, Advanced):
                news.decision = False
