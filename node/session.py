"""One node at one table, from joining to the footer: mesh, lobby, table and log brought together.

Law: one thread runs a session (`run`); the mesh's thread and a person's interface reach it through
its mailbox only. It decides nothing about the game: a `Chooser` (a bot, or a person) is asked when
a choice is due and answers by `choose`. What happens is told through `on_event`, on the session's
thread. A match's files lie in a folder of their own, named alike at every node.
"""

from __future__ import annotations

import contextlib
import queue
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, TypeVar

from engine.contract import Move
from engine.errors import IllegalMove
from node.door import Door
from node.errors import NodeError, NodeFailed
from node.events import HelloReceived, Inbox, PeerDown, PeerUp, Received, Struck
from node.lobby import (
    LobbyError,
    Offer,
    agree,
    header_entry,
    is_agreement,
    make_card,
    playable,
    propose,
    sealed,
)
from node.mesh import Mesh, Profile
from node.sync import Sync
from protocol import table as tables
from protocol.contribution import Entry, Kind
from protocol.deal import warm_up
from protocol.files import Disk
from protocol.group import Group
from protocol.header import Header
from protocol.identity import Identity
from protocol.journal import Journal
from protocol.log import LogWriter
from protocol.messages import (
    NONCE_SIZE,
    SESSION_SIZE,
    TABLE_SIZE,
    Batch,
    Bye,
    EntryMessage,
    Get,
    Hello,
    Propose,
    Reason,
    Role,
    State,
    TableCard,
)
from protocol.player import Player
from protocol.position import Position
from protocol.wire import decode_hello, encode, paginate

T = TypeVar("T")

TICK = 0.1
"""Seconds between two looks at what is missing."""
LINGER = 3.0
"""Seconds that a node stays after the end for others who still miss something."""


class Stopped(NodeError):
    """The session ended before the match did; its text says why."""


# -- what a session tells ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Joined:
    """A player has taken a seat; `free` seats are left."""

    name: str
    free: int


@dataclass(frozen=True, slots=True)
class Started:
    """All have signed the header."""

    table: tables.Table
    seat: int
    log: Path


@dataclass(frozen=True, slots=True)
class Presence:
    """A seated player's link came up or went down; it means nothing to the game."""

    seat: int
    up: bool


@dataclass(frozen=True, slots=True)
class Refused:
    """A choice that the rules forbid; the same decision is due again."""

    error: IllegalMove
    decision: tables.YourMove


@dataclass(frozen=True, slots=True)
class EvidenceKept:
    """The evidence against a seat lies in `path`."""

    accused: tables.Accused
    path: Path


SessionEvent = Joined | Started | Presence | Refused | EvidenceKept | tables.Event


class Chooser(Protocol):
    """Whoever decides for a seat."""

    def decide(self, decision: tables.YourMove, session: Session) -> None:
        """Called when a choice is due; `session.choose(move)` answers, now or later, from any
        thread."""


@dataclass(frozen=True, slots=True)
class _Chosen:
    move: Move
    decision: tables.YourMove | None


@dataclass(frozen=True, slots=True)
class _Failed:
    error: Exception


@dataclass(frozen=True, slots=True)
class _Stop:
    reason: str


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
        self.log: Path | None = None
        self.table: tables.Table | None = None
        self.evidence: Path | None = None
        self._identity = identity
        self._folder = folder
        self._group = group
        self._chooser = chooser
        self._on_event = on_event
        self._clock = clock
        self._now = now
        self._random = random
        self._mail: queue.SimpleQueue[_Chosen | _Failed | _Stop | None] = queue.SimpleQueue()
        self._inbox = Inbox(wake=lambda: self._mail.put(None))
        self._card: TableCard | None = None
        self._offer: Offer | None = None
        self._mesh: Mesh | None = None
        self._door: Door | None = None
        self._seated: dict[bytes, tuple[Hello, bytes, tuple[str, int]]] = {}
        self._proposal: Propose | None = None
        self._header: Header | None = None
        self._agreements: dict[int, Entry] = {}
        self._journal: Journal | None = None
        self._writer: LogWriter | None = None
        self._sync: Sync | None = None
        self._host_address = ""
        self._over_since: float | None = None

    # -- from any thread --------------------------------------------------------------------------

    def choose(self, move: Move, decision: tables.YourMove | None = None) -> None:
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
        self._offer = offer
        warm_up(self._group, offer.game.start(offer.options, offer.seats).deck)
        table = self._random(TABLE_SIZE)
        mesh = self._start_mesh(table, address)
        self._card = make_card(
            offer, self._identity, (mesh.curve.public, mesh.port), table, offer.seats - 1
        )
        self._seated[self._identity.public] = (self._own_hello(), mesh.hello, ("", 0))
        self._door = Door(self._current_card, host=address, port=port)
        self._door.start()
        return self._door.port

    def join(self, card: TableCard, host: str, *, address: str = "*") -> None:
        """Ask for a seat at the table that showed `card` at the numeric address `host`."""
        self._card = card
        warm_up(self._group, playable(card).deck)
        mesh = self._start_mesh(card.table, address)
        mesh.dial(card.key, card.curve, host, card.port, at_once=True)
        self._host_address = host

    def _start_mesh(self, table: bytes, address: str) -> Mesh:
        profile = Profile(
            table, self._random(SESSION_SIZE), self._random(NONCE_SIZE), self.name, Role.SEAT
        )
        mesh = Mesh(self._identity, profile, self._inbox, host=address, random=self._random)
        mesh.start()
        self._mesh = mesh
        return mesh

    def _current_card(self) -> TableCard:
        """On the door's thread: the card with the seats that are free now."""
        offer, mesh, card = need(self._offer), need(self._mesh), need(self._card)
        free = max(0, offer.seats - len(self._seated))
        at = (mesh.curve.public, mesh.port)
        return make_card(offer, self._identity, at, card.table, free)

    def _own_hello(self) -> Hello:
        return decode_hello(need(self._mesh).hello)

    # -- the loop ---------------------------------------------------------------------------------

    def run(self) -> Position:
        """Play until the footer is signed; the last Position.

        Stopped: the session was ended, a seat was convicted, or no match could be agreed on.
        """
        try:
            while not self._finished():
                try:
                    item = self._mail.get(timeout=TICK)
                except queue.Empty:
                    item = None
                self._handle(item)
            return need(self.table).position
        finally:
            self._close()

    def _handle(self, item: _Chosen | _Failed | _Stop | None) -> None:
        if isinstance(item, _Stop):
            raise Stopped(item.reason)
        if isinstance(item, _Failed):
            raise item.error
        if isinstance(item, _Chosen):
            self._play(item)
        for event in self._inbox.drain():
            self._mesh_event(event)
        self._tick()

    def _finished(self) -> bool:
        table = self.table
        if table is None or not table.halted:
            return False
        now = self._clock()
        if self._over_since is None:
            self._over_since = now
        everybody = self._sync is not None and self._sync.all_done()
        if table.accusation is None and not everybody and now - self._over_since < LINGER:
            return False
        if table.accusation is not None and now - self._over_since < 1.0:
            return False  # what convicts is still on its way to the others
        if table.accusation is not None:
            fault = table.accusation.fault
            raise Stopped(f"{self.seat_name(fault.seat)} broke the rules: {fault.text}.")
        return True

    def seat_name(self, seat: int | None) -> str:
        """The name of a seat of the header."""
        if self._header is None or seat is None:
            return "Somebody"
        return self._header.seats[seat].name

    def _mesh_event(self, event: object) -> None:
        match event:
            case HelloReceived(hello=hello, address=address):
                self._hello(hello, address)
            case Received(key=key, message=message):
                self._message(key, message)
            case PeerUp(key=key):
                self._introduce(key)
                self._presence(key, True)
            case PeerDown(key=key, why=why):
                if self._header is None and self._card and key == self._card.key:
                    raise Stopped(f"The table can't be reached any more: {why.value}.")
                if self._header is None and self._offer is not None:
                    self._seated.pop(key, None)
                if self._sync is not None:
                    self._sync.gone(key)
                self._presence(key, False)
            case Struck():
                pass  # counted by the mesh

    def _presence(self, key: bytes, up: bool) -> None:
        if self._header is not None and key in self._header.keys:
            self._on_event(Presence(self._header.keys.index(key), up))

    # -- the lobby --------------------------------------------------------------------------------

    def _hello(self, hello: Hello, address: tuple[str, int]) -> None:
        offer, card = self._offer, self._card
        if offer is None or card is None:
            return
        if hello.table != card.table or hello.role is not Role.SEAT:
            return
        if hello.key not in self._seated and len(self._seated) >= offer.seats:
            need(self._mesh).send(hello.key, Bye(Reason.FULL, "every seat is taken"))
            return
        if self._proposal is not None:
            return
        self._seated[hello.key] = (hello, encode(hello), (address[0], hello.port))
        self._on_event(Joined(hello.name, offer.seats - len(self._seated)))
        if len(self._seated) == offer.seats:
            need(self._mesh).close_admission()
            self._proposal = propose(card, self._seated, int(self._now()))
            need(self._mesh).broadcast(self._proposal)
            self._accept(self._proposal)

    def _accept(self, proposal: Propose) -> None:
        card, mesh = need(self._card), need(self._mesh)
        header = agree(card, self._own_hello(), proposal, int(self._now()))
        self._proposal, self._header = proposal, header
        self._sync = Sync(header.keys, header.keys.index(self._identity.public), self._clock)
        for data, (host, port) in zip(proposal.hellos, proposal.addresses, strict=True):
            hello = decode_hello(data)
            if hello.key in (self._identity.public, card.key):
                continue
            mesh.admit(hello.key, hello.curve)
            if self._offer is None and port:
                mesh.dial(hello.key, hello.curve, self._seen_from_here(host), port)
        own = header_entry(header, self._identity)
        self._agreements[own.contribution.seat] = own
        mesh.broadcast(EntryMessage(own))
        self._begin()

    def _seen_from_here(self, host: str) -> str:
        """A player on the host's own computer is reached where the host is reached."""
        return self._host_address if host in ("127.0.0.1", "::1") else host

    def _introduce(self, key: bytes) -> None:
        """Tell a peer whose link has come up what it may have missed of the lobby."""
        mesh = need(self._mesh)
        if self._offer is not None and self._proposal is not None:
            mesh.send(key, self._proposal)
        for entry in self._agreements.values():
            mesh.send(key, EntryMessage(entry))

    def _begin(self) -> None:
        """Start the match once every seat has signed the header."""
        header = need(self._header)
        signed = sealed(header, self._agreements)
        if signed is None or self.table is not None:
            return
        when = datetime.fromtimestamp(header.created, UTC).strftime("%Y%m%d-%H%M%S")
        name = f"{header.game}-{when}-{header.match.hex()[:8]}"
        folder = self._folder / "matches" / name
        seat = header.keys.index(self._identity.public)
        self._journal = Journal(folder / f"seat-{seat}", random=self._random)
        self.log = folder / f"{name}.busso"
        self._writer = LogWriter.create(self.log, signed.payload)
        player = Player(self._identity, seat, self._journal)
        self.table = tables.Table(
            signed, self._group, self._table_event, player=player, writer=self._writer
        )
        self._on_event(Started(self.table, seat, self.log))
        self.table.start()
        self._tell_state()

    # -- the match --------------------------------------------------------------------------------

    def _message(self, key: bytes, message: object) -> None:
        match message:
            case Propose() if self._offer is None and key == need(self._card).key:
                if self._proposal is None:
                    self._accept(message)
            case EntryMessage(entry=entry) if entry.contribution.kind is Kind.HEADER:
                if self._header is not None and is_agreement(self._header, entry):
                    self._agreements.setdefault(entry.contribution.seat, entry)
                    self._begin()
            case EntryMessage(entry=entry):
                self._entry(key, entry)
            case State():
                self._state(key, message)
            case Get() if self.table is not None and message.match == self.table.header.match:
                self._answer(key, message)
            case Batch() if self.table is not None:
                for entry in message.entries:
                    self._entry(key, entry)
                need(self._sync).answered(key, message.more)
            case Bye(reason=reason, text=text) if self._is_refusal(key):
                raise Stopped(f"The table says no: {text or reason.name.lower()}.")

    def _is_refusal(self, key: bytes) -> bool:
        return self._header is None and self._card is not None and key == self._card.key

    def _state(self, key: bytes, state: State) -> None:
        if self._sync is None:
            return
        self._sync.heard(key, state)
        if self.table is not None and state.match != self.table.header.match:
            self._introduce(key)

    def _entry(self, key: bytes, entry: Entry) -> None:
        if self.table is None:
            return
        verdict = self.table.receive(entry)
        if verdict is tables.Verdict.DIVERGENT and self._sync is not None:
            self._sync.diverged(key, entry.place.step)

    def _answer(self, key: bytes, message: Get) -> None:
        table, mesh = need(self.table), need(self._mesh)
        entries = list(table.entries_from(message.step, message.held))
        for page in paginate(message.match, entries[:256]):
            mesh.send(key, page)
            if isinstance(page, Batch):
                break  # the rest is asked for when this has arrived

    def _play(self, chosen: _Chosen) -> None:
        table = need(self.table)
        if chosen.decision is not None and not self._still_due(chosen.decision):
            return
        try:
            table.play(chosen.move)
        except IllegalMove as error:
            player = need(table.player)
            decision = tables.YourMove(table.position, player.view(table.position))
            self._on_event(Refused(error, decision))

    def _still_due(self, decision: tables.YourMove) -> bool:
        """Whether the table is where it was when `decision` came up."""
        table = need(self.table)
        there, here = decision.position, table.position
        return not table.halted and (there.step, there.head) == (here.step, here.head)

    def _table_event(self, event: tables.Event) -> None:
        mesh = need(self._mesh)
        match event:
            case tables.Outgoing(entry=entry):
                mesh.broadcast(EntryMessage(entry))
            case tables.Advanced():
                self._tell_state()
            case tables.Accused():
                self._accused(event)
        self._on_event(event)
        if isinstance(event, tables.YourMove):
            self._chooser.decide(event, self)

    def _accused(self, accused: tables.Accused) -> None:
        """Keep the evidence and hand it round: every honest node shall see it."""
        for entry in accused.entries:
            need(self._mesh).broadcast(EntryMessage(entry))
        seat = accused.fault.seat
        folder = need(self.log).parent
        path = folder / f"evidence-step-{accused.fault.step}-seat-{seat}.busso"
        with contextlib.suppress(FileExistsError):
            Disk().publish(path, accused.evidence)
        self.evidence = path
        self._on_event(EvidenceKept(accused, path))

    def _tell_state(self) -> None:
        table = need(self.table)
        p = table.position
        state = State(table.header.match, p.step, p.head, p.settled, (), True)
        need(self._mesh).set_state(state)

    def _tick(self) -> None:
        if self.table is None or self._sync is None:
            return
        position = self.table.position
        ask = self._sync.ask(position.step, self.table.held, self.table.missing)
        if ask is not None:
            key, step, held = ask
            need(self._mesh).send(key, Get(self.table.header.match, step, held))

    def _close(self) -> None:
        for part in (self._door, self._mesh):
            if part is not None:
                part.stop()
        if self._writer is not None:
            self._writer.close()
        if self._journal is not None:
            self._journal.close()


def need(value: T | None) -> T:
    """`value`, which must be there by now (NodeFailed: our own bug)."""
    if value is None:
        raise NodeFailed("A part of the session was used before it began.")
    return value


__all__ = ["Chooser", "LobbyError", "Session", "SessionEvent", "Stopped"]
