"""A match at one node, from the signed header to the footer: table, log, journal and peers.

Law: everything here stands on a header that every seat has signed. It must never know how the
players met (`node.sitting`), nor a thread: `node.session` hands it the mesh's events and the
player's choices, on one thread, and asks whether it is over. It decides nothing about the game: a
choice that is due goes to `decide` and comes back through `play`. A node without a seat (`player`
None) follows and signs nothing.
"""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from engine.contract import Ask, Move
from engine.errors import IllegalMove
from node.counters import Entries
from node.errors import Stopped, need
from node.events import Event, PeerDown, PeerUp, PhaseChanged, Received, Woke
from node.link import PeerInfo
from node.mesh import Mesh
from node.notices import (
    EvidenceKept,
    MatchNotice,
    Presence,
    Refused,
    Stands,
    Started,
    Suspended,
)
from node.presence import Attendance, Changed, Standing
from node.relay import Relay
from node.sync import Sync
from node.unfinished import Place, Unfinished, Whereabouts, keep_whereabouts
from node.waiting import PATIENCE, Absent, Press, Vigil
from protocol import table as tables
from protocol.contribution import Entry, Kind
from protocol.files import Disk
from protocol.group import Group
from protocol.header import Header, SignedHeader
from protocol.identity import Identity
from protocol.journal import Journal
from protocol.log import LogWriter
from protocol.messages import Batch, EntryMessage, Get, Propose, State, TableCard
from protocol.player import Player
from protocol.stages import PATIENCE_EXTENSION, TIMER_EXTENSION, agreements
from protocol.wire import paginate

LINGER = 3.0
"""Seconds that a node stays after the end for others who still miss something."""
VERDICT = 1.0
"""Seconds that it stays after a match that can't go on, so that the others learn it."""

PAGE = 256
"""Entries that one answer looks at; a long log isn't walked through for each page of it."""


@dataclass(frozen=True, slots=True)
class Agreed:
    """What the sitting ended with: the terms, and what tells a latecomer of them.

    `agreements` are the seats' signatures as they travel, in seat order; `proposal` introduces the
    seats to each other, None if they have met before.
    """

    card: TableCard
    proposal: Propose | None
    signed: SignedHeader
    agreements: tuple[Entry, ...]

    @property
    def header(self) -> Header:
        """The terms."""
        return self.signed.header


@dataclass(frozen=True, slots=True)
class MatchFiles:
    """The open files of a match: its log, and for a seat its journal."""

    log: Path
    writer: LogWriter
    journal: Journal | None
    folder: Path | None = None
    """A seat's own folder."""

    def close(self) -> None:
        """Close them."""
        self.writer.close()
        if self.journal is not None:
            self.journal.close()


def create_files(
    data: Path, signed: SignedHeader, seat: int | None, random: Callable[[int], bytes]
) -> MatchFiles:
    """New files in `data`/matches/NAME, NAME being the same at every node; FileError."""
    header = signed.header
    when = datetime.fromtimestamp(header.created, UTC).strftime("%Y%m%d-%H%M%S")
    name = f"{header.game}-{when}-{header.match.hex()[:8]}"
    folder = data / "matches" / name
    own = None if seat is None else folder / f"seat-{seat}"
    journal = None if own is None else Journal(own, random=random)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    log = folder / f"{name}.busso"
    return MatchFiles(log, LogWriter.create(log, signed.payload), journal, own)


def open_files(found: Unfinished, random: Callable[[int], bytes]) -> MatchFiles:
    """The files of a match that is taken up again. FileInUse: another process has it; FileError."""
    journal = Journal(found.seat_folder, random=random)
    try:
        writer = LogWriter.reopen(found.log)
    except BaseException:
        journal.close()
        raise
    return MatchFiles(found.log, writer, journal, found.seat_folder)


def seat_of(header: Header, identity: Identity) -> int | None:
    """The seat that `identity` has in a match, None for a spectator."""
    return header.keys.index(identity.public) if identity.public in header.keys else None


class Match:
    """One match in play. `start` it; then `handle` events and call `tick` ten times a second."""

    def __init__(
        self,
        agreed: Agreed,
        mesh: Mesh,
        player: Player | None,
        files: MatchFiles,
        *,
        group: Group,
        on_event: Callable[[MatchNotice], None],
        decide: Callable[[tables.YourMove], None],
        choose: Callable[[Move, tables.YourMove], None],
        ask: Callable[[Absent], None],
        clock: Callable[[], float],
    ) -> None:
        """Take up the match where the log in `files` ends. Fault, InvalidHeader as `Table`."""
        self.agreed = agreed
        self.log = files.log
        self.evidence: Path | None = None
        self._mesh = mesh
        self._files = files
        self._on_event = on_event
        self._decide = decide
        self._choose = choose
        self._ask = ask
        self._clock = clock
        self._over_since: float | None = None
        self.seat = None if player is None else player.seat
        keys = agreed.header.keys
        self._sync = Sync(keys, -1 if self.seat is None else self.seat, clock)
        self._relay = Relay(keys, self.seat, clock)
        own = None if self.seat is None else keys[self.seat]
        self._attendance = Attendance([key for key in keys if key != own], clock)
        terms = agreements(agreed.header)
        self._vigil = Vigil(
            terms.get(PATIENCE_EXTENSION, PATIENCE),
            terms.get(TIMER_EXTENSION, 0),
            clock,
            self.seat,
        )
        self._voted: set[int] = set()
        self._suspended: tuple[int, tuple[int, ...]] | None = None
        self._places: tuple[Place, ...] = ()
        self.table = tables.Table(
            agreed.signed, group, self._table_event, player=player, writer=files.writer
        )

    def start(self) -> None:
        """Contribute what is due and tell the others how far we are."""
        self._on_event(Started(self.table, self.seat, self.log))
        self.standings(self._mesh.peers())
        self._keep_whereabouts()
        self.table.start()
        self._mesh.set_state(self.state())

    def close(self) -> None:
        """Close the files; the mesh is the session's."""
        self._files.close()

    def over(self) -> bool:
        """Whether nobody needs this node for the match any more; Stopped if nobody can go on."""
        table = self.table
        if not table.halted:
            return False
        now = self._clock()
        if self._over_since is None:
            self._over_since = now
        since = now - self._over_since
        if table.position.closed:
            return self._sync.all_done() or since >= LINGER
        if since < VERDICT:
            return False  # what the others lack is still on its way to them
        fault = need(table.accusation).fault
        raise Stopped(f"The match can't go on: {fault.text}.")

    def seat_name(self, seat: int | None) -> str:
        """The name of a seat of the header, told apart from others."""
        return "Somebody" if seat is None else self.agreed.header.labels[seat]

    def state(self, *, ready: bool = False) -> State:
        """How far this node is; `ready` for the next match at this table."""
        p = self.table.position
        links = self._relay.links
        return State(self.agreed.header.match, p.step, p.head, p.settled, links, ready)

    @property
    def entries(self) -> Entries:
        """What became of the entries that came in."""
        return self._relay.entries

    def standing(self, seat: int) -> tuple[Standing, float]:
        """How near a seat is to playing along, and for how many seconds it has been so."""
        key = self.agreed.header.keys[seat]
        return self._attendance.of(key), self._attendance.since(key)

    def standings(self, infos: Iterable[PeerInfo]) -> None:
        """How the peers stood when the match began."""
        for info in infos:
            self._moved(self._attendance.event(PhaseChanged(info.key, info.phase)))

    # -- what comes in ----------------------------------------------------------------------------

    def handle(self, event: Event) -> None:
        """Take an event of the mesh."""
        match event:
            case Received(key=key, message=message):
                self._message(key, message)
            case PeerUp(key=key):
                if not self.table.halted:
                    self._introduce(key)
                self._presence(key, True)
            case PeerDown(key=key):
                self._sync.gone(key)
                self._presence(key, False)
            case PhaseChanged():
                self._moved(self._attendance.event(event))
            case Woke():
                self._vigil.woke()
                self._sync.woke()

    def tick(self) -> None:
        """Ask for what is missing; see for whom the table waits."""
        position = self.table.position
        ask = self._sync.ask(position.step, self.table.held, self.table.missing)
        if ask is not None:
            key, step, held = ask
            if step < position.step:  # to compare: all that could still be cut off
                step, held = min(step, self.table.floor), ()
            self._mesh.send(key, Get(self.agreed.header.match, step, held))
        if not self.table.halted:
            self._watch()
            self._keep_whereabouts()

    def _keep_whereabouts(self) -> None:
        """Remember where the others are, for the process that comes after this one."""
        keys = set(self.agreed.header.keys)
        places = tuple(
            Place(info.key, info.curve, *info.address)
            for info in self._mesh.peers()
            if info.key in keys and info.curve is not None and info.address is not None
        )
        if self._files.folder is not None and places and places != self._places:
            self._places = places
            card = self.agreed.card
            keep_whereabouts(self._files.folder, Whereabouts(card.table, card.name, places))

    def _watch(self) -> None:
        """Wait for who is missing, ask what to do, vote."""
        table = self.table
        missing = frozenset(table.missing) - {self.seat}
        seats = frozenset(range(len(self.agreed.header.seats)))
        away = seats - self._relay.reached() - {self.seat}
        for act in self._vigil.look(
            table.position.step,
            missing,
            away,
            out=table.position.out,
            own=self.seat in table.missing,
            voting=table.bound,
            asked=bool(self._voted) and self.seat not in self._voted,
        ):
            if isinstance(act, Press):
                if not table.go_on(act.away) and missing and not table.bound:
                    self._suspend(tuple(sorted(missing)))
                continue
            self._on_event(act)
            if isinstance(act, Absent) and self.seat in table.position.in_play:
                self._ask(act)

    def _suspend(self, missing: tuple[int, ...]) -> None:
        """Too few are here to decide; told once for each step and each set of those missing."""
        told = (self.table.position.step, missing)
        if self.seat is not None and told != self._suspended:
            self._suspended = told
            self._on_event(Suspended(missing))

    def go_on(self) -> None:
        """The player chooses to go on without whoever is missing."""
        self._vigil.go_on()

    def wait(self) -> None:
        """The player chooses to wait longer."""
        self._vigil.wait()

    def abandon(self) -> bool:
        """Close the match for good because too few are left; whether that is so."""
        missing = frozenset(range(len(self.agreed.header.seats))) - self._relay.reached()
        return self.table.abandon(missing)

    def play(self, move: Move, decision: tables.YourMove | None = None) -> None:
        """This seat's choice; with `decision` it counts for that one only."""
        if decision is not None and not self._still_due(decision):
            return
        if not self.table.deciding:  # a vote has overtaken it, or it was given twice
            return
        try:
            self.table.play(move)
        except IllegalMove as error:
            player = need(self.table.player)
            position = self.table.position
            self._on_event(Refused(error, tables.YourMove(position, player.view(position))))

    def _still_due(self, decision: tables.YourMove) -> bool:
        """Whether the table is where it was when `decision` came up."""
        there, here = decision.position, self.table.position
        return not self.table.halted and (there.step, there.head) == (here.step, here.head)

    def _message(self, key: bytes, message: object) -> None:
        match message:
            case EntryMessage(entry=entry) if entry.contribution.kind is not Kind.HEADER:
                if self._relay.fresh(entry):
                    verdict = self._entry(key, entry)
                    for other in self._relay.onward(key, entry, verdict):
                        self._mesh.send(other, EntryMessage(entry))
            case State():
                self._told(key, message)
                if message.match == self.agreed.header.match:
                    self._sync.heard(key, message)
                elif not self.table.halted:
                    self._introduce(key)
            case Get() if message.match == self.agreed.header.match:
                self._answer(key, message)
            case Batch():
                for entry in message.entries:
                    self._entry(key, entry)
                self._sync.answered(key, message.more)

    def _entry(self, key: bytes, entry: Entry) -> tables.Verdict:
        verdict = self.table.receive(entry)
        if verdict is tables.Verdict.DIVERGENT:
            self._sync.diverged(key, entry.place.step)
        elif verdict is tables.Verdict.FORGED:
            self._mesh.strike(key, "an entry that its author did not sign")
        return verdict

    def _told(self, key: bytes, state: State) -> None:
        """A peer tells how far its log is, and whom it hears."""
        table, match = self.table, self.agreed.header.match
        self._relay.heard(key, state)
        self._moved(self._attendance.told(key, state, match, table.position.step))
        level = state.match == match and 1 <= state.step <= table.position.step
        if level and table.heads[state.step - 1] != state.head:
            self._sync.diverged(key, state.step)

    def _moved(self, changes: Iterable[Changed]) -> None:
        """Peers stand elsewhere than before."""
        keys = self.agreed.header.keys
        for change in changes:
            self._on_event(Stands(keys.index(change.key), change.after))
            if self._relay.link(change.key, change.after.heard):
                self._mesh.set_state(self.state())

    def _answer(self, key: bytes, message: Get) -> None:
        entries = self.table.entries_from(message.step, message.held)
        for page in paginate(message.match, list(itertools.islice(entries, PAGE))):
            self._mesh.send(key, page)
            if isinstance(page, Batch):
                break  # the rest is asked for when this has arrived

    def _introduce(self, key: bytes) -> None:
        """Tell a peer what it may have missed of the agreement."""
        if self.agreed.card.key == self._mesh.key and self.agreed.proposal is not None:
            self._mesh.send(key, self.agreed.proposal)
        for entry in self.agreed.agreements:
            self._mesh.send(key, EntryMessage(entry))

    def _presence(self, key: bytes, up: bool) -> None:
        keys = self.agreed.header.keys
        if key in keys:
            self._on_event(Presence(keys.index(key), up))

    # -- what goes out ----------------------------------------------------------------------------

    def _table_event(self, event: tables.Event) -> None:
        match event:
            case tables.Outgoing(entry=entry):
                self._mesh.broadcast(EntryMessage(entry))
            case tables.Advanced(before=before, after=after):
                self._voted.clear()
                self._mesh.set_state(self.state())
                if before.out != after.out:
                    keys = self.agreed.header.keys
                    self._moved(self._attendance.decided(keys[seat] for seat in after.out))
            case tables.CutBack():
                self._mesh.set_state(self.state())
            case tables.Voted(seat=seat, away=away) if away:
                self._voted.add(seat)
            case tables.Accused():
                self._accused(event)
        forced = self._forced(event) if isinstance(event, tables.YourMove) else None
        if forced is not None and isinstance(event, tables.YourMove):
            self._choose(forced, event)
            return
        self._on_event(event)
        if isinstance(event, tables.YourMove):
            self._decide(event)

    def _forced(self, decision: tables.YourMove) -> Move | None:
        """The one answer that a question to several leaves this seat: nobody is bothered by it."""
        if self.seat is None or not isinstance(decision.view.turn(), Ask):
            return None
        legal = decision.view.legal(decision.position.chair(self.seat))
        return legal[0] if len(legal) == 1 else None

    def _accused(self, accused: tables.Accused) -> None:
        """Keep the evidence and hand it round: every honest node shall see it."""
        for entry in accused.entries:
            self._mesh.broadcast(EntryMessage(entry))
        seat = accused.fault.seat
        path = self.log.parent / f"evidence-step-{accused.fault.step}-seat-{seat}.busso"
        with contextlib.suppress(FileExistsError):
            Disk().publish(path, accused.evidence)
        self.evidence = path
        self._on_event(EvidenceKept(accused, path))
