"""One node at one table, from joining to the footer: a sitting, then a match, over one mesh.

Law: one thread runs a session (`run`); the mesh's thread and a person's interface reach it through
its mailbox only. It decides nothing about the game: a `Chooser` (a bot, or a person) is asked when
a choice is due and answers by `choose`. What happens is told through `on_event`, on the session's
thread. How players come to agree is `node.sitting`'s business, what follows `node.match`'s.
"""

from __future__ import annotations

import queue
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

from engine.contract import Move
from node.errors import Stopped, need
from node.events import Inbox
from node.lobby import LobbyError, Offer, playable
from node.match import Agreed, Match, MatchFiles, create_files, seat_of
from node.mesh import Mesh
from node.notices import EvidenceKept, Joined, Presence, Refused, SessionEvent, Started
from node.sitting import Sitting, new_profile
from protocol.deal import warm_up
from protocol.group import Group
from protocol.identity import Identity
from protocol.messages import TABLE_SIZE, TableCard
from protocol.player import Player
from protocol.position import Position
from protocol.table import Table, YourMove

TICK = 0.1
"""Seconds between two looks at what is missing."""


class Chooser(Protocol):
    """Whoever decides for a seat."""

    def decide(self, decision: YourMove, session: Session) -> None:
        """Called when a choice is due; `session.choose(move)` answers, now or later, from any
        thread."""


@dataclass(frozen=True, slots=True)
class _Chosen:
    move: Move
    decision: YourMove | None


@dataclass(frozen=True, slots=True)
class _Failed:
    error: Exception


@dataclass(frozen=True, slots=True)
class _Stop:
    reason: str


_Mail: TypeAlias = _Chosen | _Failed | _Stop | None


class Session:
    """One player's node. Make one with `host` or `join`, then `run` it."""

    def __init__(
        self,
        identity: Identity,
        name: str,
        folder: Path,
        *,
        group: Group,
        chooser: Chooser,
        on_event: Callable[[SessionEvent], None],
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        random: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        self.name = name
        self._identity = identity
        self._folder = folder
        self._group = group
        self._chooser = chooser
        self._on_event = on_event
        self._clock = clock
        self._now = now
        self._random = random
        self._mail: queue.SimpleQueue[_Mail] = queue.SimpleQueue()
        self._inbox = Inbox(wake=lambda: self._mail.put(None))
        self._mesh: Mesh | None = None
        self._sitting: Sitting | None = None
        self._match: Match | None = None

    @property
    def table(self) -> Table | None:
        """The match in play, once there is one."""
        return None if self._match is None else self._match.table

    @property
    def log(self) -> Path | None:
        """Where the match's log lies, once there is one."""
        return None if self._match is None else self._match.log

    @property
    def evidence(self) -> Path | None:
        """Where the evidence against a seat lies, if any was kept."""
        return None if self._match is None else self._match.evidence

    def seat_name(self, seat: int | None) -> str:
        """The name of a seat of the header."""
        return "Somebody" if self._match is None else self._match.seat_name(seat)

    # -- from any thread --------------------------------------------------------------------------

    def choose(self, move: Move, decision: YourMove | None = None) -> None:
        """The choice that was asked for. With `decision` it counts for that one only: it is
        dropped if something else is due by now, as when a player has left meanwhile."""
        self._mail.put(_Chosen(move, decision))

    def fail(self, error: Exception) -> None:
        """Whoever was to choose broke: `run` raises `error`."""
        self._mail.put(_Failed(error))

    def stop(self, reason: str = "The player left.") -> None:
        """End the session; `run` raises Stopped."""
        self._mail.put(_Stop(reason))

    # -- taking a seat ----------------------------------------------------------------------------

    def host(self, offer: Offer, *, address: str = "*", port: int = 0) -> int:
        """Open a table and a door; the door's port. PortTaken, OptionError."""
        offer.check()
        warm_up(self._group, offer.game.start(offer.options, offer.seats).deck)
        table = self._random(TABLE_SIZE)
        sitting = self._sit(table, address)
        return sitting.open(offer, table, address=address, port=port)

    def join(self, card: TableCard, host: str, *, address: str = "*") -> None:
        """Ask for a seat at the table that showed `card` at the numeric address `host`."""
        warm_up(self._group, playable(card).deck)
        self._sit(card.table, address, card, host)
        need(self._mesh).dial(card.key, card.curve, host, card.port, at_once=True)

    def _sit(
        self, table: bytes, address: str, card: TableCard | None = None, host: str = ""
    ) -> Sitting:
        profile = new_profile(table, self.name, self._random)
        mesh = Mesh(self._identity, profile, self._inbox, host=address, random=self._random)
        mesh.start()
        self._mesh = mesh
        self._sitting = Sitting(
            self._identity,
            mesh,
            card=card,
            host_address=host,
            on_event=self._on_event,
            now=self._now,
        )
        return self._sitting

    # -- the loop ---------------------------------------------------------------------------------

    def run(self) -> Position:
        """Play until the footer is signed; the last Position.

        Stopped: the session was ended, a seat was convicted, or no match could be agreed on.
        """
        try:
            while self._match is None or not self._match.over():
                try:
                    item = self._mail.get(timeout=TICK)
                except queue.Empty:
                    item = None
                self._handle(item)
            return self._match.table.position
        finally:
            self._close()

    def _handle(self, item: _Mail) -> None:
        match item:
            case _Stop(reason=reason):
                raise Stopped(reason)
            case _Failed(error=error):
                raise error
            case _Chosen(move=move, decision=decision):
                need(self._match).play(move, decision)
        for event in self._inbox.drain():
            sitting, playing = need(self._sitting), self._match
            sitting.handle(event)
            if playing is not None:
                playing.handle(event)
            elif sitting.agreed is not None:
                self._begin(sitting.agreed)
        if self._match is not None:
            self._match.tick()

    def _begin(self, agreed: Agreed) -> None:
        """The header is signed: play."""
        seat = seat_of(agreed.header, self._identity)
        files = create_files(self._folder, agreed.signed, seat, self._random)
        player = None
        if seat is not None:
            player = Player(self._identity, seat, need(files.journal))
        self._match = self._make_match(agreed, player, files)
        self._match.start()

    def _make_match(self, agreed: Agreed, player: Player | None, files: MatchFiles) -> Match:
        return Match(
            agreed,
            need(self._mesh),
            player,
            files,
            group=self._group,
            on_event=self._on_event,
            decide=lambda decision: self._chooser.decide(decision, self),
            clock=self._clock,
        )

    def _close(self) -> None:
        for part in (self._sitting, self._match):
            if part is not None:
                part.close()
        if self._mesh is not None:
            self._mesh.stop()


__all__ = [
    "Chooser",
    "EvidenceKept",
    "Joined",
    "LobbyError",
    "Presence",
    "Refused",
    "Session",
    "SessionEvent",
    "Started",
    "Stopped",
    "need",
]
