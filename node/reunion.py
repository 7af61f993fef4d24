"""Back at the table: a match that was left behind, taken up by the process that comes after.

Law: it takes the place of `node.sitting` where the match is agreed on already: whoever holds a key
of the header is let in, nobody else. It finds the others where they were last (`node.unfinished`),
and looks for them on the network (`Finder`), since all of them may have moved. It must never know a
move; what the log lacks is `node.match`'s business.
"""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from engine import registry
from engine.options import from_items
from node.discovery import Announcer, Browser, OpenTable
from node.discovery_listing import Listed
from node.door import find_table, knock
from node.errors import DoorError, MeshError, NodeError, Stopped
from node.events import Event, HelloReceived, Received
from node.lobby import Offer, make_card
from node.match import Agreed
from node.mesh import Mesh, Profile
from node.notices import LobbyNotice, LobbyView, NotSent, Person, Talked
from node.talk import Talk
from node.unfinished import Unfinished, Whereabouts
from protocol.announce import Phase
from protocol.contribution import DIGEST_SIZE, HASH_SIZE, Contribution, Entry, Kind, Place
from protocol.header import SignedHeader
from protocol.identity import Identity
from protocol.messages import Bye, Chat, Hello, Reason, Role, State, TableCard
from protocol.stages import HANDS_EXTENSION, PATIENCE_EXTENSION, TIMER_EXTENSION, agreements

PATIENCE = 2.0
"""Seconds for a visit at a door that was found."""
BEGUN = 6.0
"""Seconds after which a seat that isn't in the match by now never began it."""


def agreed_again(unfinished: Unfinished, card: TableCard) -> Agreed:
    """What the match was agreed to be, from its log."""
    signed = unfinished.signed
    place = Place(signed.header.match, bytes(HASH_SIZE), 0)
    entries = tuple(
        Entry(place, Contribution(seat, Kind.HEADER, b"", bytes(DIGEST_SIZE), signature))
        for seat, signature in enumerate(signed.signatures)
    )
    return Agreed(card, None, signed, entries)


def offer_of(signed: SignedHeader, name: str) -> Offer:
    """What is played at the table, as a host would have offered it."""
    header = signed.header
    game = registry.get(header.game)
    terms = agreements(header)
    return Offer(
        game,
        from_items(game.options_type, header.options),
        len(header.seats),
        terms.get(HANDS_EXTENSION, 0),
        name,
        watchers=False,
        patience=terms.get(PATIENCE_EXTENSION, 0),
        timer=terms.get(TIMER_EXTENSION, 0),
    )


@dataclass(frozen=True, slots=True)
class Here:
    """Where this process is: to be shown at its own door."""

    identity: Identity
    mesh: Mesh
    offer: Offer
    table: bytes

    def card(self) -> TableCard:
        """The card of the table, as any seat may show it during a match."""
        at = (self.mesh.curve.public, self.mesh.port)
        return make_card(self.offer, self.identity, at, self.table, 0, playing=True)


class Reunion:
    """One node's way back into a match. Used by the session as a `Sitting` is."""

    def __init__(
        self,
        here: Here,
        profile: Profile,
        unfinished: Unfinished,
        *,
        on_event: Callable[[LobbyNotice], None],
        clock: Callable[[], float],
    ) -> None:
        self.agreed: Agreed | None = agreed_again(unfinished, here.card())
        self.ready = False
        self._here = here
        self._header = unfinished.signed.header
        self._on_event = on_event
        self._talk = Talk(here.identity, here.table, profile.session, clock)
        self._hellos: dict[bytes, Hello] = {}
        self._clock = clock
        self._fresh = unfinished.steps == 0
        self._elsewhere: float | None = None

    def start(self, whereabouts: Whereabouts | None) -> None:
        """Try to reach the others where they were."""
        for place in whereabouts.places if whereabouts else ():
            if place.key in self._header.keys and place.key != self._here.identity.public:
                with contextlib.suppress(MeshError):
                    self._here.mesh.dial(
                        place.key, place.curve, place.host, place.port, at_once=True
                    )

    # -- what the door asks, on its own thread ----------------------------------------------------

    def card(self) -> TableCard:
        """The card of the table."""
        return self._here.card()

    def knock(self, hello: Hello, _: str) -> bool:
        """Let a seat's process in, and nobody else."""
        if hello.key not in self._header.keys or hello.table != self._here.table:
            return False
        self._here.mesh.admit(hello.key, hello.curve)
        return True

    # -- as a sitting -----------------------------------------------------------------------------

    @property
    def view(self) -> LobbyView:
        """The seats, and who of them has been met."""
        people = tuple(
            Person(seat.key, seat.name, label, Role.SEAT, ready=True, you=seat.key == self._own)
            for seat, label in zip(self._header.seats, self._header.labels, strict=True)
        )
        return LobbyView(self._here.card(), people)

    @property
    def _own(self) -> bytes:
        return self._here.identity.public

    def set_ready(self, _: bool) -> None:
        """There is nothing to get ready for."""

    def say(self, text: str) -> None:
        """Say something to the others."""
        chat = self._talk.say(text)
        if chat is None:
            self._on_event(NotSent("Nothing was said: empty, or too many lines at once."))
            return
        self._here.mesh.broadcast(chat)
        you = self.view.person(self._own)
        if you is not None:
            self._on_event(Talked(you, chat.text))

    def remove(self, _: bytes) -> None:
        """Nobody is removed from a match but by the table's votes."""
        self._on_event(NotSent("Nobody can be removed during a match."))

    def show_code(self, _: str) -> None:
        """Keys open this table, not a code."""

    def again(self, _: bytes | None = None) -> None:
        """A match taken up again leads to no other."""

    def handle(self, event: Event) -> None:
        """Take an event of the mesh: only seats of the match may stay."""
        match event:
            case HelloReceived(hello=hello):
                if hello.key in self._header.keys:
                    self._hellos[hello.key] = hello
                else:
                    self._here.mesh.send(hello.key, Bye(Reason.CLOSED, "a match is on"))
                    self._here.mesh.remove(hello.key)
            case Received(message=Chat() as chat):
                self._hear(chat)
            case Received(key=key, message=State(match=match)) if key in self._header.keys:
                self._fresh = self._fresh and match != self._header.match
                if self._fresh and self._elsewhere is None:
                    self._elsewhere = self._clock()

    def tick(self) -> None:
        """Let time pass. Stopped: the process died between signing and the match's beginning, and
        the others, who lacked its signature, never began."""
        elsewhere = self._elsewhere
        if self._fresh and elsewhere is not None and self._clock() - elsewhere >= BEGUN:
            raise Stopped("The others never began this match. Join their table again.")

    def _hear(self, chat: Chat) -> None:
        hello, person = self._hellos.get(chat.key), self.view.person(chat.key)
        text = self._talk.hear(chat, hello.session) if hello else ""
        if text and person is not None:
            self._on_event(Talked(person, text))


class Finder:
    """Makes a resumed match known on the network and reaches the others who do the same.

    It has threads of its own: those of discovery, and one that visits the doors found. Finding
    fails quietly: the others may find us.
    """

    def __init__(self, here: Here, hello: bytes, keys: Iterable[bytes], door: int) -> None:
        """`hello` introduces us; `keys` are the seats', `door` is the port of our own door."""
        self._here = here
        self._hello = hello
        self._keys = frozenset(keys) - {here.identity.public}
        name = here.offer.game.name
        table = replace(
            OpenTable.of(here.card(), here.offer.name, door, rules=""),
            game=name,
            phase=Phase.PLAYING,
        )
        self._announcer = Announcer(here.identity, table)
        self._browser = Browser(self._changed)
        self._doors: queue.Queue[Listed | None] = queue.Queue(64)
        self._visited: set[tuple[str, int, bytes]] = set()
        self._thread = threading.Thread(target=self._visit_all, name="busso-finder", daemon=True)

    def start(self) -> None:
        """Begin."""
        for part in (self._announcer, self._browser):
            with contextlib.suppress(NodeError, OSError):
                part.start()
        self._thread.start()

    def stop(self) -> None:
        """End, and wait for the threads."""
        if not self._thread.is_alive():
            return
        self._doors.put(None)
        for part in (self._announcer, self._browser):
            with contextlib.suppress(NodeError, OSError):
                part.stop()
        self._thread.join()

    def _changed(self, tables: tuple[Listed, ...]) -> None:
        for table in tables:
            if table.table == self._here.table:
                with contextlib.suppress(queue.Full):
                    self._doors.put_nowait(table)

    def _visit_all(self) -> None:
        while (table := self._doors.get()) is not None:
            for host in table.addresses:
                if self.visit(host, table.port):
                    break

    def visit(self, host: str, port: int) -> bool:
        """Reach whoever of the match has its door there; whether one was found."""
        try:
            card, address = find_table(host, port, PATIENCE)
            seen = (address, port, card.curve)
            if card.table != self._here.table or card.key not in self._keys:
                return False
            if seen not in self._visited:
                knock(host, port, self._hello, PATIENCE)
                self._visited.add(seen)
                self._here.mesh.dial(card.key, card.curve, address, card.port, at_once=True)
        except (DoorError, MeshError):
            return False
        return True
