"""Who is at a table, as its host says and this node has checked.

Law: from the host's LOBBY to people with names; pure but for remembering the last one. It must
never know a socket. Nothing is believed of a member that its own HELLO, or its owner's voucher,
doesn't say.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from node.lobby import LobbyError
from node.notices import LobbyView, Person
from protocol.errors import EncodingError
from protocol.identity import labels, short_form
from protocol.messages import Hello, Lobby, TableCard
from protocol.wire import decode_hello, vouched


@dataclass(frozen=True, slots=True)
class Change:
    """What a LOBBY brought: who is new, who has left, which keys were removed for good."""

    come: tuple[Person, ...] = ()
    gone: tuple[Person, ...] = ()
    removed: tuple[bytes, ...] = ()


@dataclass(slots=True)
class Company:
    """The people at the table of `card`, as seen by the player with the key `own`."""

    card: TableCard
    own: bytes
    serial: int = -1
    view: LobbyView = field(init=False)
    hellos: dict[bytes, Hello] = field(default_factory=dict)
    addresses: dict[bytes, tuple[str, int]] = field(default_factory=dict)
    _read: dict[bytes, Hello] = field(default_factory=dict)
    _removed: set[bytes] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Nobody is known to be there yet."""
        self.view = LobbyView(self.card, ())

    def take(self, lobby: Lobby) -> Change | None:
        """Believe a LOBBY of the host's; None if a later one is known. LobbyError: it lies."""
        if lobby.serial <= self.serial:
            return None
        hellos = self._hellos(lobby)
        named = labels({key: hello.name for key, hello in hellos.items()})
        people = []
        for member, hello in zip(lobby.members, hellos.values(), strict=True):
            owner = named.get(member.owner) or short_form(member.owner) if member.owner else ""
            if member.owner and not vouched(
                member.owner, self.card.table, hello.key, member.voucher
            ):
                raise LobbyError("The host says of a player whose bot it is, and nobody signed it.")
            people.append(
                Person(
                    hello.key,
                    hello.name,
                    named[hello.key],
                    hello.role,
                    member.ready,
                    owner,
                    host=hello.key == self.card.key,
                    you=hello.key == self.own,
                )
            )
        before = self.view
        self.serial = lobby.serial
        self.view = replace(before, people=tuple(people))
        self.hellos = hellos
        self.addresses = {
            hello.key: member.address
            for member, hello in zip(lobby.members, hellos.values(), strict=True)
        }
        removed = tuple(key for key in lobby.removed if key not in self._removed)
        self._removed = set(lobby.removed)
        return Change(
            tuple(p for p in people if before.person(p.key) is None),
            tuple(p for p in before.people if p.key not in hellos),
            removed,
        )

    def shut_out(self, key: bytes) -> bool:
        """Whether the host has removed `key` from the table."""
        return key in self._removed

    def _hellos(self, lobby: Lobby) -> dict[bytes, Hello]:
        hellos: dict[bytes, Hello] = {}
        read: dict[bytes, Hello] = {}
        for member in lobby.members:
            try:
                hello = self._read.get(member.hello) or decode_hello(member.hello)
            except EncodingError as error:
                raise LobbyError(f"The host shows an introduction that is none: {error}.") from None
            if hello.table != self.card.table:
                raise LobbyError("The host shows somebody from another table.")
            if hello.key in hellos:
                raise LobbyError("The host shows one player twice.")
            hellos[hello.key] = read[member.hello] = hello
        if next(iter(hellos)) != self.card.key:
            raise LobbyError("The host is not at its own table.")
        self._read = read  # each is verified once, however often the lobby changes
        return hellos
