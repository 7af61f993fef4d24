"""Before a match: players come to a table, and all sign one header.

Law: this file knows cards, HELLOs and signatures on a header. It must never know a move nor what
becomes of the match (`node.match`). It runs on the session's thread alone, except that the door
asks it for the card on its own.

The host collects HELLOs and proposes; each guest compares the proposal with the card it came by
(`node.lobby`). `agreed` is set once every seat's signature is at hand.
"""

from __future__ import annotations

from collections.abc import Callable

from node.door import Door
from node.errors import Stopped, need
from node.events import Event, HelloReceived, PeerDown, PeerUp, Received
from node.lobby import Offer, agree, header_entry, is_agreement, make_card, propose, sealed
from node.match import Agreed
from node.mesh import Mesh, Profile
from node.notices import Joined, SessionEvent
from protocol.contribution import Entry, Kind
from protocol.header import Header
from protocol.identity import Identity
from protocol.messages import (
    NONCE_SIZE,
    SESSION_SIZE,
    Bye,
    EntryMessage,
    Hello,
    Propose,
    Reason,
    Role,
    State,
    TableCard,
)
from protocol.wire import decode_hello, encode


def new_profile(
    table: bytes, name: str, random: Callable[[int], bytes], role: Role = Role.SEAT
) -> Profile:
    """How a player introduces itself at `table`: a new session, a new nonce."""
    return Profile(table, random(SESSION_SIZE), random(NONCE_SIZE), name, role)


class Sitting:
    """One node's way into one match. `host_of` is set for whoever keeps the table."""

    def __init__(
        self,
        identity: Identity,
        mesh: Mesh,
        *,
        card: TableCard | None = None,
        host_address: str = "",
        on_event: Callable[[SessionEvent], None],
        now: Callable[[], float],
    ) -> None:
        """A guest's with the `card` that it came by; a host calls `open` afterwards."""
        self.agreed: Agreed | None = None
        self._identity = identity
        self._mesh = mesh
        self._card = card
        self._host_address = host_address
        self._on_event = on_event
        self._now = now
        self._offer: Offer | None = None
        self._door: Door | None = None
        self._seated: dict[bytes, tuple[Hello, bytes, tuple[str, int]]] = {}
        self._proposal: Propose | None = None
        self._header: Header | None = None
        self._agreements: dict[int, Entry] = {}

    def open(self, offer: Offer, table: bytes, *, address: str, port: int) -> int:
        """Keep the table: open its door; the door's port. PortTaken."""
        self._offer = offer
        at = (self._mesh.curve.public, self._mesh.port)
        self._card = make_card(offer, self._identity, at, table, offer.seats - 1)
        self._seated[self._identity.public] = (self._own_hello(), self._mesh.hello, ("", 0))
        self._door = Door(self._current_card, host=address, port=port)
        self._door.start()
        return self._door.port

    def close(self) -> None:
        """Shut the door; the mesh is the session's."""
        if self._door is not None:
            self._door.stop()

    def _current_card(self) -> TableCard:
        """On the door's thread: the card with the seats that are free now."""
        offer, card = need(self._offer), need(self._card)
        free = max(0, offer.seats - len(self._seated))
        at = (self._mesh.curve.public, self._mesh.port)
        return make_card(offer, self._identity, at, card.table, free)

    def _own_hello(self) -> Hello:
        return decode_hello(self._mesh.hello)

    # -- what comes in ----------------------------------------------------------------------------

    def handle(self, event: Event) -> None:
        """Take an event of the mesh. Stopped: this sitting can't go on; LobbyError."""
        match event:
            case HelloReceived(hello=hello, address=address):
                self._hello(hello, address)
            case Received(key=key, message=message):
                self._message(key, message)
            case PeerUp(key=key):
                self._introduce(key)
            case PeerDown(key=key, why=why):
                if self._header is None and self._from_host(key):
                    raise Stopped(f"The table can't be reached any more: {why.value}.")
                if self._header is None and self._offer is not None:
                    self._seated.pop(key, None)

    def _from_host(self, key: bytes) -> bool:
        return self._card is not None and key == self._card.key

    def _hello(self, hello: Hello, address: tuple[str, int]) -> None:
        offer, card = self._offer, self._card
        if offer is None or card is None:
            return
        if hello.table != card.table or hello.role is not Role.SEAT:
            return
        if hello.key not in self._seated and len(self._seated) >= offer.seats:
            self._mesh.send(hello.key, Bye(Reason.FULL, "every seat is taken"))
            return
        if self._proposal is not None:
            return
        self._seated[hello.key] = (hello, encode(hello), (address[0], hello.port))
        self._on_event(Joined(hello.name, offer.seats - len(self._seated)))
        if len(self._seated) == offer.seats:
            self._mesh.close_admission()
            self._proposal = propose(card, self._seated, int(self._now()))
            self._mesh.broadcast(self._proposal)
            self._accept(self._proposal)

    def _message(self, key: bytes, message: object) -> None:
        match message:
            case Propose() if self._offer is None and self._from_host(key):
                if self._proposal is None:
                    self._accept(message)
            case EntryMessage(entry=entry) if entry.contribution.kind is Kind.HEADER:
                if self._header is not None and is_agreement(self._header, entry):
                    self._agreements.setdefault(entry.contribution.seat, entry)
                    self._seal()
            case State():
                if self._header is not None and message.match != self._header.match:
                    self._introduce(key)
            case Bye(reason=reason, text=text) if self._header is None and self._from_host(key):
                raise Stopped(f"The table says no: {text or reason.name.lower()}.")

    def _accept(self, proposal: Propose) -> None:
        card = need(self._card)
        header = agree(card, self._own_hello(), proposal, int(self._now()))
        self._proposal, self._header = proposal, header
        for data, (host, port) in zip(proposal.hellos, proposal.addresses, strict=True):
            hello = decode_hello(data)
            if hello.key in (self._identity.public, card.key):
                continue
            self._mesh.admit(hello.key, hello.curve)
            if self._offer is None and port:
                self._mesh.dial(hello.key, hello.curve, self._seen_from_here(host), port)
        own = header_entry(header, self._identity)
        self._agreements[own.contribution.seat] = own
        self._mesh.broadcast(EntryMessage(own))
        self._seal()

    def _seen_from_here(self, host: str) -> str:
        """A player on the host's own computer is reached where the host is reached."""
        return self._host_address if host in ("127.0.0.1", "::1") else host

    def _introduce(self, key: bytes) -> None:
        """Tell a peer whose link has come up what it may have missed."""
        if self._offer is not None and self._proposal is not None:
            self._mesh.send(key, self._proposal)
        for entry in self._agreements.values():
            self._mesh.send(key, EntryMessage(entry))

    def _seal(self) -> None:
        """The match is agreed on once every seat has signed the header."""
        header = need(self._header)
        signed = sealed(header, self._agreements)
        if signed is not None and self.agreed is None:
            entries = tuple(self._agreements[seat] for seat in range(len(header.seats)))
            self.agreed = Agreed(need(self._card), need(self._proposal), signed, entries)
