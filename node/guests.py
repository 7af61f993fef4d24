"""The others at a table: whom a node links with, whom it remembers, of whom it tells.

Law: from the list that the host tells (`node.company` checks it) to links of the mesh and notices.
It must never know what is signed nor whether a match is on. It runs on the session's thread alone.

    somebody new       a guest lets it in and dials it; it is remembered, and a known name with
                       another key is a warning
    another process    the same player with another CURVE key: let in and dialled anew
    removed            its link goes too
"""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Final

from node.company import Company
from node.known import KnownPlayers
from node.mesh import Mesh
from node.notices import Gone, Joined, LobbyChanged, LobbyNotice, LobbyView, Person, Stranger
from protocol.identity import Identity
from protocol.messages import Hello, Lobby, TableCard
from protocol.wire import decode_hello

MAX_MET: Final = 128
"""Players that are remembered of one table."""


def seen_from(host_address: str, told: str) -> str:
    """Where a guest dials a player of whom the host says that it is at `told`; the guest reaches
    the host itself at `host_address`.

    A player on the host's own computer is where the host is; a link-local address takes the scope
    of the link to the host.
    """
    if told in ("127.0.0.1", "::1"):
        return host_address
    scope = host_address.partition("%")[2]
    return f"{told}%{scope}" if scope and ipaddress.ip_address(told).is_link_local else told


class Guests:
    """Who is at the table of `card`, as one node sees it: the host's, if that `hosts`, or a
    guest's that reaches the host at `host_address`. `known` remembers whom it met."""

    def __init__(
        self,
        identity: Identity,
        mesh: Mesh,
        card: TableCard,
        *,
        hosts: bool,
        host_address: str,
        known: KnownPlayers | None,
        on_event: Callable[[LobbyNotice], None],
        now: Callable[[], float],
    ) -> None:
        self._identity = identity
        self._mesh = mesh
        self._card = card
        self._hosts = hosts
        self._host_address = host_address
        self._known = known
        self._on_event = on_event
        self._now = now
        self._company = Company(card, identity.public)
        self._met: set[bytes] = set()

    @property
    def view(self) -> LobbyView:
        """Who is there."""
        return self._company.view

    @property
    def hellos(self) -> Mapping[bytes, Hello]:
        """How each of them introduced itself, by its key."""
        return self._company.hellos

    def show_code(self, code: str) -> None:
        """The table's code is another one."""
        self._company.view = replace(self._company.view, code=code)

    def take(self, lobby: Lobby) -> None:
        """Believe the host's list, and do what follows from it. LobbyError: it lies."""
        company, first = self._company, self._company.serial < 0
        processes = {key: hello.curve for key, hello in company.hellos.items()}
        change = company.take(lobby)
        if change is None:
            return
        for key in change.removed:
            if not self._hosts and key != self._identity.public:
                self._mesh.remove(key)
        for key, hello in company.hellos.items():
            if processes.get(key) != hello.curve:
                self._link(hello, company.addresses[key])
        for person in change.come:
            self._meet(person)
            if not first and not person.you:
                self._on_event(Joined(person.label, company.view.free, person))
        for person in change.gone:
            self._on_event(Gone(person, company.shut_out(person.key)))
        self._on_event(LobbyChanged(company.view))

    def link(self, hellos: Iterable[bytes], addresses: Iterable[tuple[str, int]]) -> None:
        """Link with the seats of a proposal of whom the host's list hasn't told yet."""
        for data, address in zip(hellos, addresses, strict=True):
            hello = decode_hello(data)
            known = self.hellos.get(hello.key)
            if known is None or known.curve != hello.curve:
                self._link(hello, address)

    def _link(self, hello: Hello, address: tuple[str, int]) -> None:
        """As a guest, let another guest in, and dial it."""
        host, port = address
        if self._hosts or hello.key in (self._identity.public, self._card.key):
            return
        self._mesh.admit(hello.key, hello.curve)
        if port:
            self._mesh.dial(hello.key, hello.curve, seen_from(self._host_address, host), port)

    def _meet(self, person: Person) -> None:
        """Remember a player, and warn of one who uses the name of another."""
        if self._known is None or person.you or person.owner or len(self._met) >= MAX_MET:
            return  # a host that makes players up must not push out the true ones
        self._met.add(person.key)
        other = self._known.meet(person.key, person.name, int(self._now()))
        if other:
            self._on_event(Stranger(person, other))
