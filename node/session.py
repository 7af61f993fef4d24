"""One node at one table, from joining to the footer: a sitting, then a match, over one mesh.

Law: one thread runs a session (`run`); the mesh's thread and a person's interface reach it through
its mailbox only, where `node.mail` says what they may ask. It decides nothing about the game: a
`Chooser` (a bot, or a person) is asked when a choice is due and answers by `choose`. What happens
is told through `on_event`, on the session's thread. How players come to agree is `node.sitting`'s
business, what follows `node.match`'s.
"""

from __future__ import annotations

import contextlib
import queue
import secrets
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Protocol

from node.code import CodeGuard, show_at_door
from node.counters import CountersError
from node.door import Door
from node.errors import Stopped, need
from node.events import Event, HelloReceived, Inbox, Received
from node.hosting import Desk
from node.known import KnownPlayers
from node.lobby import LobbyError, Offer, make_card, next_dealer, playable
from node.mail import (
    Absence,
    Choice,
    Chosen,
    Failed,
    Gathering,
    Mail,
    NewCode,
    Postbox,
    Ready,
    Remove,
    Say,
    Stop,
)
from node.match import Agreed, Match, MatchFiles, create_files, open_files, seat_of
from node.mesh import Mesh, Profile
from node.notices import (
    BackInLobby,
    CodeChanged,
    EvidenceKept,
    Joined,
    LobbyView,
    NotSent,
    Presence,
    Refused,
    SessionEvent,
    Started,
)
from node.reunion import Finder, Here, Reunion, offer_of
from node.sitting import Manner, Sitting, new_profile
from node.unfinished import Unfinished
from node.waiting import Absent
from protocol.deal import warm_up
from protocol.group import Group
from protocol.identity import Identity
from protocol.messages import TABLE_SIZE, Bye, Owned, Reason, Role, State, TableCard
from protocol.player import Player
from protocol.position import Position
from protocol.table import Table, YourMove
from protocol.wire import decode_hello, vouch

GOODBYE = 0.25
"""Seconds at the most in which the guests of a host that leaves hear of it."""
TICK = 0.1
"""Seconds between two looks at what is missing."""


class Chooser(Protocol):
    """Whoever decides for a seat."""

    def decide(self, decision: YourMove, session: Session) -> None:
        """Called when a choice is due; `session.choose(move)` answers, now or later, from any
        thread."""

    def missing(self, absent: Absent, session: Session) -> None:
        """Called when the table has waited long enough: `session.go_on()` or `session.wait()`
        answers, now or later, from any thread."""


class Session(Postbox):
    """One player's node. Make one with `host` or `join`, then `run` it.

    `manner` says whether it is ready for a match without being asked, and whose bot it is; with
    `stay` it goes back to the lobby after a match, for another one. `known` remembers whom it met.
    """

    def __init__(
        self,
        identity: Identity,
        name: str,
        folder: Path,
        *,
        group: Group,
        chooser: Chooser,
        on_event: Callable[[SessionEvent], None],
        manner: Manner | None = None,
        stay: bool = False,
        known: KnownPlayers | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
        random: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        super().__init__()
        self.name = name
        self.identity = identity
        self._folder = folder
        self._group = group
        self._chooser = chooser
        self._on_event = on_event
        self._manner = manner or Manner()
        self._stay = stay
        self._known = known
        self._clock = clock
        self._now = now
        self._random = random
        self._inbox = Inbox(wake=lambda: self._mail.put(None))
        self._mesh: Mesh | None = None
        self._door: Door | None = None
        self._card: TableCard | None = None
        self._sitting: Gathering | None = None
        self._finder: Finder | None = None
        self._resumed: Unfinished | None = None
        self._match: Match | None = None
        self._playing = False

    @property
    def lobby(self) -> LobbyView | None:
        """Who is at the table, as last told."""
        return None if self._sitting is None else self._sitting.view

    @property
    def card(self) -> TableCard:
        """The table's card, signed: the host's as it is now, a guest's as it was when it came."""
        if self._door is not None:
            return need(self._sitting).card()
        return need(self._card)

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

    def vouch(self, bot: bytes) -> Owned:
        """What a bot with the key `bot` needs to say that it is this player's."""
        table = need(self._card).table
        return Owned(self.identity.public, vouch(self.identity, table, bot))

    # -- taking a seat ----------------------------------------------------------------------------

    def host(self, offer: Offer, *, address: str = "*", port: int = 0, code: str = "") -> int:
        """Open a table and a door; the door's port. Who wants in needs the `code`, if there is one.

        PortTaken, OptionError.
        """
        offer.check()
        warm_up(self._group, offer.game.start(offer.options, offer.seats).deck)
        profile = new_profile(self._random(TABLE_SIZE), self.name, self._random)
        mesh = self._open_mesh(profile, address)
        at = (mesh.curve.public, mesh.port)
        self._card = card = make_card(
            offer, self.identity, at, profile.table, offer.seats - 1, code=bool(code)
        )
        desk = Desk(offer, decode_hello(mesh.hello), mesh.hello)
        sitting = self._sit(mesh, profile, desk=desk)
        sitting.show_code(code)
        guard = None
        if code:
            guard = CodeGuard(
                card,
                code,
                may_enter=desk.may_enter,
                admit=lambda hello: mesh.admit(hello.key, hello.curve),
                renewed=lambda new: self._mail.put(NewCode(new)),
                clock=self._clock,
                random=self._random,
            )
        self._door = Door(
            sitting.card, on_knock=sitting.knock, guard=guard, host=address, port=port
        )
        sitting.start()
        self._door.start()
        return self._door.port

    def join(
        self,
        card: TableCard,
        host: str,
        *,
        address: str = "*",
        role: Role = Role.SEAT,
        code: str = "",
        door: int = 0,
    ) -> None:
        """Ask for a seat, or to watch, at the table that showed `card` at the numeric `host`.

        A table with a code is shown `code` at its door, which is at the port `door`. DoorError;
        LobbyError: it can't be played here, or is this player's own.
        """
        if card.key == self.identity.public:
            raise LobbyError(
                "That table is your own. BUSSO_HOME=FOLDER makes a second player of this computer."
            )
        warm_up(self._group, playable(card).deck)
        self._card = card
        profile = new_profile(card.table, self.name, self._random, role)
        mesh = self._open_mesh(profile, address)
        sitting = self._sit(mesh, profile, host_address=host)
        try:
            sitting.start()
            if card.code:
                show_at_door(
                    host, door, card=card, hello=mesh.hello, code=code, random=self._random
                )
        except BaseException:
            self._close()
            raise
        mesh.dial(card.key, card.curve, host, card.port, at_once=True)

    def resume(
        self, found: Unfinished, *, address: str = "*", port: int = 0, search: bool = True
    ) -> int:
        """Take up a match again where its log and journal end; the port of this node's own door.

        `search`: look for the others on the network too, not only where they were. FileInUse:
        another process plays it. FileError, Fault, InvalidHeader: it can't be taken up.
        """
        whereabouts = found.whereabouts()
        table = whereabouts.table if whereabouts else found.signed.header.match[:TABLE_SIZE]
        offer = offer_of(found.signed, whereabouts.name if whereabouts else "Busso")
        header = found.signed.header
        self.name = header.seats[found.seat].name
        warm_up(self._group, offer.game.start(offer.options, offer.seats).deck)
        profile = new_profile(table, self.name, self._random)
        mesh = self._open_mesh(profile, address)
        try:
            here = Here(self.identity, mesh, offer, table)
            self._card = here.card()
            reunion = Reunion(here, profile, found, on_event=self._on_event, clock=self._clock)
            self._sitting, self._resumed, self._stay = reunion, found, False
            self._door = Door(reunion.card, on_knock=reunion.knock, host=address, port=port)
            self._door.start()
            reunion.start(whereabouts)
            self._begin()
            self._finder = Finder(here, mesh.hello, header.keys, self._door.port)
            if search:
                self._finder.start()
        except BaseException:
            self._close()
            raise
        return self._door.port

    def visit(self, host: str, port: int) -> bool:
        """Look for a seat of a resumed match at a door; whether one is there."""
        return self._finder is not None and self._finder.visit(host, port)

    def _open_mesh(self, profile: Profile, address: str) -> Mesh:
        mesh = Mesh(self.identity, profile, self._inbox, host=address, random=self._random)
        mesh.start()
        self._mesh = mesh
        return mesh

    def _sit(
        self, mesh: Mesh, profile: Profile, *, desk: Desk | None = None, host_address: str = ""
    ) -> Sitting:
        sitting = Sitting(
            self.identity,
            mesh,
            profile,
            card=need(self._card),
            desk=desk,
            host_address=host_address,
            manner=self._manner,
            known=self._known,
            on_event=self._on_event,
            now=self._now,
            clock=self._clock,
            random=self._random,
        )
        self._sitting = sitting
        return sitting

    # -- the loop ---------------------------------------------------------------------------------

    def run(self) -> Position:
        """Play until the footer is signed; the last Position. With `stay`, play until stopped.

        Stopped: the session was ended, a seat was convicted, or no match could be agreed on.
        """
        try:
            while not self._over():
                try:
                    item = self._mail.get(timeout=TICK)
                except queue.Empty:
                    item = None
                self._handle(item)
            return need(self._match).table.position
        finally:
            self._close()

    def _over(self) -> bool:
        """Whether there is nothing left to do; after a match it may be the lobby again."""
        match = self._match
        if match is None or not self._playing:
            return False
        if not self._stay or not match.table.position.closed:
            return match.over()
        self._playing = False
        self._on_event(BackInLobby(match.log))
        need(self._sitting).again(next_dealer(match.table.position))
        return False

    def _handle(self, item: Mail) -> None:
        sitting = need(self._sitting)
        match item:
            case Stop(reason=reason):
                raise Stopped(reason)
            case Failed(error=error):
                raise error
            case Chosen(move=move, decision=decision):
                need(self._match).play(move, decision)
            case Absence(choice=choice):
                self._choose_absence(choice)
            case Ready(ready=ready):
                sitting.set_ready(ready)
            case Say(text=text):
                sitting.say(text)
            case Remove(key=key):
                sitting.remove(key)
            case NewCode(code=code):
                sitting.show_code(code)
                self._on_event(CodeChanged(code))
        for event in self._inbox.drain():
            self._dispatch(event)
        sitting.tick()
        self._go_on()

    def _choose_absence(self, choice: Choice) -> None:
        match = self._match
        if match is None or not self._playing:
            return
        if choice is Choice.GO_ON:
            match.go_on()
        elif choice is Choice.WAIT:
            match.wait()
        elif not match.abandon():
            self._on_event(NotSent("Enough players are there to go on without the others."))

    def _dispatch(self, event: Event) -> None:
        """The lobby hears everything. So does the match; when it is over it only answers."""
        need(self._sitting).handle(event)
        if self._door is None and self._playing and isinstance(event, HelloReceived):
            self._let_in(event.hello.key)
        if self._match is not None and (self._playing or isinstance(event, Received)):
            self._match.handle(event)
        self._begin()

    def _let_in(self, key: bytes) -> None:
        """During a match a guest's mesh is open to seats and to whom the host has let in."""
        seats = need(self._match).agreed.header.keys
        if key not in seats and need(self._sitting).view.person(key) is None:
            need(self._mesh).remove(key)

    def _go_on(self) -> None:
        """Begin what was agreed on; tell how far we are."""
        self._begin()
        sitting, match = need(self._sitting), self._match
        if match is not None:
            match.tick()
        if not self._playing:
            state = (
                State(ready=sitting.ready) if match is None else match.state(ready=sitting.ready)
            )
            need(self._mesh).set_state(state)

    def _begin(self) -> None:
        """Play, once a header is signed."""
        agreed = need(self._sitting).agreed
        if agreed is None or (self._match is not None and self._match.agreed is agreed):
            return
        if self._match is not None:
            self._match.close()
        seat = seat_of(agreed.header, self.identity)
        if self._resumed is not None:
            files = open_files(self._resumed, self._random)
        else:
            files = create_files(self._folder, agreed.signed, seat, self._random)
        player = None
        if seat is not None:
            player = Player(self.identity, seat, need(files.journal))
        self._match = self._make_match(agreed, player, files)
        self._playing = True
        if self._door is None and seat is not None:
            # A seat's process may die and another come after it, whose CURVE key nobody knows.
            need(self._mesh).open_admission()
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
            choose=self.choose,
            ask=lambda absent: self._chooser.missing(absent, self),
            clock=self._clock,
        )

    def _farewell(self, mesh: Mesh) -> None:
        """As a host, say goodbye and give the guests a moment to hear it: what a connection
        brought is lost with it if it closes before that was read."""
        mesh.broadcast(Bye(Reason.LEAVING))
        until = self._clock() + GOODBYE
        while self._clock() < until and any(peer.paths for peer in mesh.peers()):
            with contextlib.suppress(queue.Empty):
                self._mail.get(timeout=TICK / 4)

    def _close(self) -> None:
        if self._stay and self._door is not None and self._mesh is not None:
            self._farewell(self._mesh)
        for part in (self._finder, self._door, self._mesh):
            if part is not None:
                part.stop()
        if self._match is not None:
            self._match.close()
        self._keep_counters()

    def _keep_counters(self) -> None:
        """What was dropped, for `busso doctor`; that it can't be kept is no reason to fail."""
        if self._mesh is None:
            return
        counters = self._mesh.counters()
        if self._match is not None:
            counters = replace(counters, entries=self._match.entries)
        with contextlib.suppress(CountersError):
            counters.save(self._folder)


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
