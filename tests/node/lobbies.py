"""Nodes in a lobby: real meshes on the loopback, and waiting for what they tell."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from node.bot import Bot
from node.door import find_table
from node.known import KnownPlayers
from node.lobby import Offer
from node.notices import LobbyChanged, LobbyView
from node.session import Session, SessionEvent
from node.sitting import Manner
from protocol.group import default_group
from protocol.identity import Identity
from protocol.messages import Role
from protocol.position import Position
from tests.node.tables import DEADLINE, offer

LOOPBACK = "127.0.0.1"
PERSON = Manner(eager=False)
N = TypeVar("N")


class Node:
    """One node at a table; a bot decides for it, but it gets ready only when it is told to."""

    def __init__(
        self,
        folder: Path,
        name: str,
        *,
        identity: Identity | None = None,
        manner: Manner = PERSON,
        stay: bool = True,
        known: KnownPlayers | None = None,
    ) -> None:
        self.identity = identity or Identity.generate()
        self.events: list[SessionEvent] = []
        self.end: Position | None = None
        self.error: Exception | None = None
        self._told = threading.Condition()
        self._thread: threading.Thread | None = None
        self.session = Session(
            self.identity,
            name,
            folder / f"{name}-{self.identity.public.hex()[:8]}",
            group=default_group(),
            chooser=Bot(random.Random(1)),
            on_event=self._on_event,
            manner=manner,
            stay=stay,
            known=known,
        )

    def _on_event(self, event: SessionEvent) -> None:
        with self._told:
            self.events.append(event)
            self._told.notify_all()

    def host(self, table: Offer | None = None, code: str = "") -> int:
        """Open a table of two for one hand, or another one; the door's port."""
        port = self.session.host(table or offer(2, 1), address=LOOPBACK, code=code)
        self._start()
        return port

    def join(self, port: int, *, role: Role = Role.SEAT, code: str = "") -> Node:
        """Sit down at the table behind that door."""
        card, host = find_table(LOOPBACK, port, 10)
        self.session.join(card, host, address=LOOPBACK, role=role, code=code, door=port)
        self._start()
        return self

    def _start(self) -> None:
        def run() -> None:
            try:
                self.end = self.session.run()
            except Exception as error:  # looked at by the test
                self.error = error
            with self._told:
                self._told.notify_all()

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()

    def wait(
        self, kind: type[N], test: Callable[[N], object] = lambda _: True, *, nth: int = 1
    ) -> N:
        """The `nth` event of that kind that passes the test; fails if the session ends first."""

        def found() -> list[N]:
            return [e for e in self.events if isinstance(e, kind) and test(e)]

        with self._told:
            self._told.wait_for(lambda: len(found()) >= nth or self._ended(), timeout=DEADLINE)
            events = found()
        if len(events) < nth:
            raise AssertionError(f"{self.session.name}: no {kind.__name__}; {self.error!r}")
        return events[nth - 1]

    def sees(self, test: Callable[[LobbyView], object]) -> LobbyView:
        """The first lobby that passes the test."""
        return self.wait(LobbyChanged, lambda event: test(event.view)).view

    def told(self, kind: type[Any]) -> list[Any]:
        """The events of that kind up to now."""
        return [event for event in self.events if isinstance(event, kind)]

    def ended(self) -> Exception | None:
        """Wait for the session's end; what ended it."""
        if self._thread is not None:
            self._thread.join(DEADLINE)
        return self.error

    def stop(self) -> None:
        """Leave the table."""
        self.session.stop()
        self.ended()

    def _ended(self) -> bool:
        return (self._thread is not None and not self._thread.is_alive()) or self.error is not None


def full(view: LobbyView) -> bool:
    """Every seat is taken."""
    return not view.free
