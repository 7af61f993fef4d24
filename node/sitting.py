"""Before and between matches: players come to a table, talk, get ready, and all sign one header.

Law: this file knows cards, HELLOs and signatures on a header, and hands the host's list of who is
there on (`node.guests`). It must never know a move nor what becomes of the match (`node.match`).
It runs on the session's thread alone.

    OPEN      the host lists who is there (`node.hosting`), guests believe it (`node.guests`);
              every seat taken and ready: the host proposes
    SIGNING   each seat compares the proposal with the card it came by and signs (`node.lobby`);
              a seat that is lost meanwhile takes the proposal with it: OPEN again
    PLAYING   every seat has signed: `agreed` is set. Who comes now may watch. `again` follows.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from node.errors import Stopped, need
from node.events import Event, HelloReceived, PeerDown, PeerUp, Received
from node.guests import Guests
from node.hosting import Desk
from node.known import KnownPlayers
from node.link import Bucket, Why
from node.lobby import (
    Rematch,
    agree,
    header_entry,
    make_card,
    propose,
)
from node.match import Agreed
from node.mesh import Mesh, Profile
from node.notices import (
    HostSilent,
    LobbyNotice,
    LobbyView,
    NotSent,
    Talked,
)
from node.signing import Signing, Signings
from node.talk import Talk
from protocol.contribution import Entry, Kind
from protocol.header import match_id
from protocol.identity import Identity
from protocol.messages import (
    NONCE_SIZE,
    SESSION_SIZE,
    Bye,
    Chat,
    EntryMessage,
    Hello,
    Lobby,
    Owned,
    Propose,
    Reason,
    Role,
    State,
    TableCard,
)
from protocol.wire import decode_hello, encode

PATIENCE: Final = 8.0
"""Seconds that a guest waits for a host that it can't reach any more."""
TELLINGS: Final = 10.0
TELLINGS_AT_ONCE: Final = 64.0
"""How often a second the host tells who is there, and how often at once."""
FAREWELL: Final = 0.3
"""Seconds that somebody who is removed has to read why."""
_SAYINGS: Final = {
    Reason.FULL: "every seat is taken",
    Reason.REMOVED: "the host has removed you from the table",
    Reason.NO_WATCHERS: "it wants no spectators",
    Reason.OTHER_TABLE: "another table is there now",
}


class Phase(enum.Enum):
    """See the module."""

    OPEN = enum.auto()
    SIGNING = enum.auto()
    PLAYING = enum.auto()


@dataclass(frozen=True, slots=True)
class Manner:
    """How a node behaves at a table: `eager` is ready without being asked; a bot has an owner."""

    eager: bool = True
    owned: Owned | None = None


def new_profile(
    table: bytes, name: str, random: Callable[[int], bytes], role: Role = Role.SEAT
) -> Profile:
    """How a player introduces itself at `table`: a new session, a new nonce."""
    return Profile(table, random(SESSION_SIZE), random(NONCE_SIZE), name, role)


class Sitting:
    """One node's way into the matches at one table: a guest's, or with a `desk` the host's."""

    def __init__(
        self,
        identity: Identity,
        mesh: Mesh,
        profile: Profile,
        *,
        card: TableCard,
        desk: Desk | None = None,
        host_address: str = "",
        manner: Manner,
        known: KnownPlayers | None = None,
        on_event: Callable[[LobbyNotice], None],
        now: Callable[[], float],
        clock: Callable[[], float],
        random: Callable[[int], bytes],
    ) -> None:
        """`card` is the host's own, or the one that a guest came by."""
        self.agreed: Agreed | None = None
        self.phase = Phase.OPEN
        self.code = ""
        self._identity = identity
        self._mesh = mesh
        self._profile = profile
        self._card = card
        self._desk = desk
        self._manner = manner
        self._on_event = on_event
        self._now = now
        self._clock = clock
        self._random = random
        self._guests = Guests(
            identity,
            mesh,
            card,
            hosts=desk is not None,
            host_address=host_address,
            known=known,
            on_event=on_event,
            now=now,
        )
        self._talk = Talk(identity, card.table, profile.session, clock)
        self._ready = False
        self._host_up = desk is not None
        self._host_seen = False
        self._silent_since: float | None = None
        self._farewell: str | None = None
        self._condemned: dict[bytes, float] = {}
        self._tellings = Bucket(TELLINGS, TELLINGS_AT_ONCE, TELLINGS_AT_ONCE, clock())
        self._untold = False
        self._signings = Signings()
        self._played: set[bytes] = set()
        self._rematch: Rematch | None = None

    def start(self) -> None:
        """Be there: the host's table is open from now on, a guest's mesh dials the host."""
        if self._card.code:
            self._mesh.close_admission()
        self.set_ready(self._manner.eager)
        if self._desk is not None:
            self._changed()

    # -- what the door asks, on its own thread ----------------------------------------------------

    def card(self) -> TableCard:
        """The host's card with the seats that are free now."""
        desk = need(self._desk)
        at = (self._mesh.curve.public, self._mesh.port)
        return make_card(
            desk.offer,
            self._identity,
            at,
            self._card.table,
            desk.free,
            code=self._card.code,
            playing=desk.playing,
        )

    def knock(self, hello: Hello, _: str) -> bool:
        """Let a seat of the match that is on come back as another process."""
        if not need(self._desk).returns(hello):
            return False
        self._mesh.admit(hello.key, hello.curve)
        return True

    # -- what the player wants --------------------------------------------------------------------

    @property
    def view(self) -> LobbyView:
        """Who is at the table."""
        return self._guests.view

    @property
    def ready(self) -> bool:
        """What to tell the host: ready for the next match. A bot first says whose it is."""
        return self._ready and self._host_up

    def set_ready(self, ready: bool) -> None:
        """The player is ready for the next match, or not any more."""
        if ready and self._profile.role is Role.WATCH and not self._manner.eager:
            self._on_event(NotSent("You watch; those who play get ready."))
        self._ready = ready and self._profile.role is Role.SEAT
        if self._desk is not None and self._desk.ready(self._identity.public, self._ready):
            self._changed()

    def say(self, text: str) -> None:
        """Say something to everybody at the table."""
        chat = self._talk.say(text)
        if chat is None:
            self._on_event(NotSent("Nothing was said: empty, or too many lines at once."))
            return
        self._mesh.broadcast(chat)
        you = self.view.you
        if you is not None:
            self._on_event(Talked(you, chat.text))

    def remove(self, key: bytes) -> None:
        """The host removes somebody, who can't come back to this table."""
        person = self.view.person(key)
        if self._desk is None:
            self._on_event(NotSent("Only the host can remove a player."))
        elif person is None or not self._desk.remove(key):
            self._on_event(NotSent("Nobody was removed: only a guest can be, before the match."))
        else:
            self._mesh.send(key, Bye(Reason.REMOVED, _SAYINGS[Reason.REMOVED]))
            self._condemned[key] = self._clock() + FAREWELL
            if self._in_proposal(key):
                self._withdraw()
                self._signings.forget()
            self._changed()

    def again(self, dealer: bytes | None = None) -> None:
        """The match is over: the same players may have another one, in which `dealer` deals first
        if the rules say so. Stopped: the host has left."""
        self._rematch = None
        if self.agreed is not None:
            self._played.add(self.agreed.header.match)
            if dealer is not None and self.agreed.proposal is not None:
                hellos = map(decode_hello, self.agreed.proposal.hellos)
                self._rematch = Rematch({hello.key: hello.session for hello in hellos}, dealer)
        self._withdraw()
        self._signings.forget()
        if self._farewell is not None:
            raise Stopped(self._farewell)
        self.agreed = None
        self._profile = replace(self._profile, nonce=self._random(NONCE_SIZE))
        self._mesh.set_profile(self._profile)
        self.set_ready(self._manner.eager)
        if self._desk is not None:
            self._desk.end()
            self._changed()
        if self._silent_since is not None:
            self._silent_since = self._clock()

    # -- what comes in ----------------------------------------------------------------------------

    def handle(self, event: Event) -> None:
        """Take an event of the mesh. Stopped: there is nothing to wait for here; LobbyError."""
        match event:
            case HelloReceived(hello=hello, address=address) if self._desk is not None:
                self._enter(self._desk, hello, address)
            case Received(key=key, message=message):
                self._message(key, message)
            case PeerUp(key=key):
                self._up(key)
            case PeerDown(key=key, why=why):
                self._down(key, why)

    def tick(self) -> None:
        """Let time pass."""
        now = self._clock()
        for key in [key for key, due in self._condemned.items() if now >= due]:
            del self._condemned[key]
            self._mesh.remove(key)
        if self._untold:
            self._changed()
        waiting = self.phase is not Phase.PLAYING and self._silent_since is not None
        if waiting and now - need(self._silent_since) >= PATIENCE:
            raise Stopped("The table can't be reached any more: its host doesn't answer.")
        if self._desk is not None and self.phase is Phase.OPEN:
            self._propose(self._desk)

    def _up(self, key: bytes) -> None:
        if self._desk is not None:
            if self._desk.up(key):
                self._changed()
            elif self.view.person(key) is not None:
                self._mesh.send(key, self._desk.lobby())
        elif key == self._card.key:
            self._host_up = self._host_seen = True
            if self._manner.owned is not None:
                self._mesh.send(key, self._manner.owned)
            if self._silent_since is not None:
                self._silent_since = None
                self._on_event(HostSilent(back=True))
        self._introduce(key)

    def _down(self, key: bytes, why: Why) -> None:
        if self._desk is not None:
            self._lose(self._desk, key, for_good=False)
        elif key == self._card.key:
            self._host_up = False
            if self.phase is Phase.OPEN and not self._host_seen:
                raise Stopped(f"The table can't be reached: {why.value}.")
            if self._silent_since is None:
                self._silent_since = self._clock()
                self._on_event(HostSilent(back=False))

    def _enter(self, desk: Desk, hello: Hello, address: tuple[str, int]) -> None:
        """Somebody introduces itself to the host."""
        before = self.view.person(hello.key)
        refusal = desk.enter(hello, encode(hello), address)
        if refusal is not None:
            self._mesh.send(hello.key, Bye(refusal, _SAYINGS.get(refusal, "")))
            return
        if before is not None and self._in_proposal(hello.key):
            self._withdraw()  # another process of the player, or another nonce
        self._changed()

    def _lose(self, desk: Desk, key: bytes, *, for_good: bool) -> None:
        if not desk.down(key, for_good=for_good):
            return
        if self._in_proposal(key):
            self._withdraw()
        self._changed()

    def _in_proposal(self, key: bytes) -> bool:
        current = self._signings.current
        signing = self.phase is Phase.SIGNING and current is not None
        return signing and key in need(current).header.keys

    def _message(self, key: bytes, message: object) -> None:
        match message:
            case Lobby() if self._desk is None and key == self._card.key:
                self._guests.take(message)
            case Propose() if self._desk is None and key == self._card.key:
                self._proposed(message)
            case EntryMessage(entry=entry) if entry.contribution.kind is Kind.HEADER:
                self._agreement(entry)
            case State():
                current = self._signings.current
                if current is not None and message.match != current.header.match:
                    self._introduce(key)
                if self._desk is not None and self._desk.ready(key, message.ready):
                    self._changed()
            case Owned() if self._desk is not None:
                if self._desk.owned(key, message):
                    self._changed()
            case Chat():
                self._hear(message)
            case Bye(reason=reason, text=text):
                self._bye(key, reason, text)

    def _bye(self, key: bytes, reason: Reason, text: str) -> None:
        if self._desk is not None:
            self._lose(self._desk, key, for_good=True)
        elif key == self._card.key:
            if reason is Reason.LEAVING:
                self._farewell = "The host has left the table."
            else:
                self._farewell = f"The table says no: {text or reason.name.lower()}."
            if self.phase is not Phase.PLAYING:
                raise Stopped(self._farewell)

    def _hear(self, chat: Chat) -> None:
        hello, person = self._guests.hellos.get(chat.key), self.view.person(chat.key)
        if hello is None or person is None:
            return
        text = self._talk.hear(chat, hello.session)
        if not text:
            return
        if self._desk is not None:
            self._mesh.broadcast(chat)  # guests needn't be linked with each other
        self._on_event(Talked(person, text))

    # -- who is there -----------------------------------------------------------------------------

    def _changed(self) -> None:
        """The host's list is another: tell everybody, and see whether a match can be proposed.

        What changes without end, as when somebody wavers a thousand times a second, is told at
        the bucket's rate.
        """
        desk = need(self._desk)
        self._untold = not self._tellings.take(1, self._clock())
        if not self._untold:
            lobby = desk.lobby()
            self._mesh.broadcast(lobby)
            self._guests.take(lobby)
        if self.phase is Phase.OPEN:
            self._propose(desk)

    def show_code(self, code: str) -> None:
        """The host's code is another one."""
        self.code = code
        self._guests.show_code(code)

    # -- agreeing on a match ----------------------------------------------------------------------

    def _propose(self, desk: Desk) -> None:
        """Propose a match if every seat is taken and ready."""
        data = self._mesh.hello  # of the mesh's thread: after `again` the old one for a moment
        own = decode_hello(data)
        if own.nonce != self._profile.nonce:
            return
        desk.own(own, data)
        seats = desk.complete()
        if seats is None:
            return
        if not desk.offer.watchers:
            self._mesh.close_admission()
        proposal = propose(self._card, seats, int(self._now()), self._rematch)
        self._mesh.broadcast(proposal)
        self._accept(proposal)

    def _proposed(self, proposal: Propose) -> None:
        """The host proposes: a match, or again one that we know."""
        current = self._signings.current
        known = current is not None and current.header.core == proposal.core
        if known or match_id(proposal.core) in self._played:
            return
        if self.phase is not Phase.PLAYING:
            self._accept(proposal)
        elif self._profile.role is Role.WATCH:
            # The players are at the next match already: nobody will tell the end of the last one.
            self._played.add(need(current).header.match)
            self._accept(proposal)

    def _accept(self, proposal: Propose) -> None:
        own = None
        if self._profile.role is Role.SEAT:
            p, m = self._profile, self._mesh
            own = Hello(m.key, m.curve.public, p.table, p.session, p.name, p.role, m.port, p.nonce)
        header = agree(self._card, own, proposal, int(self._now()), self._rematch)
        signing = self._signings.begin(proposal, header)
        self.phase = Phase.SIGNING
        self._guests.link(proposal.hellos, proposal.addresses)
        if self._desk is None:
            self._mesh.close_admission()
        if own is not None:
            entry = header_entry(header, self._identity)
            signing.take(entry)
            self._mesh.broadcast(EntryMessage(entry))
        self._seal(signing)

    def _agreement(self, entry: Entry) -> None:
        """A seat's signature: perhaps the last one."""
        signing = self._signings.take(entry) if self.phase is not Phase.PLAYING else None
        if signing is None:
            return
        if self._desk is not None:
            self._mesh.broadcast(EntryMessage(entry))
        self._seal(signing)

    def _introduce(self, key: bytes) -> None:
        """Tell a peer whose link has come up what it may have missed."""
        current = self._signings.current
        if self.phase is not Phase.SIGNING or current is None:
            return
        if self._desk is not None:
            self._mesh.send(key, current.proposal)
        for entry in current.agreements.values():
            self._mesh.send(key, EntryMessage(entry))

    def _seal(self, signing: Signing) -> None:
        """The match is agreed on once every seat has signed the header."""
        agreed = signing.agreed(self._card)
        if agreed is None:
            return
        self._signings.current = signing
        self.phase, self.agreed = Phase.PLAYING, agreed
        if self._desk is not None:
            header = signing.header
            self._desk.begin(header.keys, [seat.nonce for seat in header.seats])

    def _withdraw(self) -> None:
        """There is no proposal any more, and others may come."""
        self._signings.set_aside()
        self.phase = Phase.OPEN
        if self._card.code:
            self._mesh.close_admission()
        else:
            self._mesh.open_admission()
