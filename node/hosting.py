"""The host's side of a lobby: who sits, who watches, who is ready, who may not come back.

Law: a list of members that HELLOs, links and the host's own commands change; it says what to tell
the guests (`lobby`) and when a match can be proposed (`complete`). It must never know a socket, a
signature on a header nor a move. `may_enter`, `returns` and `free` are also asked by the door's
thread; they only read.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from node.lobby import Offer
from protocol.messages import MAX_REMOVED, Hello, Lobby, Member, Owned, Reason, Role
from protocol.wire import vouched

MAX_WATCHERS: Final = 16


@dataclass(slots=True)
class _Guest:
    """Somebody at the table; `up` is whether the link stands, `data` the HELLO as it came."""

    hello: Hello
    data: bytes
    address: tuple[str, int]
    ready: bool = False
    owner: bytes = b""
    voucher: bytes = b""
    up: bool = True


class Desk:
    """Who is at one host's table. The host itself is a member from the start."""

    def __init__(self, offer: Offer, own: Hello, data: bytes) -> None:
        self.offer = offer
        self.table = own.table
        self.serial = 0
        self._key = own.key
        self._members: dict[bytes, _Guest] = {own.key: _Guest(own, data, ("", 0))}
        self._away: OrderedDict[bytes, _Guest] = OrderedDict()
        """Guests whose link was lost between matches: they come back without a new HELLO."""
        self._removed: OrderedDict[bytes, None] = OrderedDict()
        self._used: set[bytes] = set()
        self._playing: frozenset[bytes] = frozenset()

    # -- also from the door's thread --------------------------------------------------------------

    @property
    def free(self) -> int:
        """Seats that nobody has."""
        return max(0, self.offer.seats - self._count(Role.SEAT))

    @property
    def playing(self) -> bool:
        """Whether a match is on."""
        return bool(self._playing)

    def may_enter(self, hello: Hello) -> Reason | None:
        """Why whoever introduces itself so can't come in; None if it can."""
        if hello.table != self.table:
            return Reason.OTHER_TABLE
        if hello.key in self._removed:
            return Reason.REMOVED
        known = self._members.get(hello.key)
        if known is not None and known.hello.role is hello.role:
            return None
        if hello.role is Role.WATCH:
            if not self.offer.watchers:
                return Reason.NO_WATCHERS
            return Reason.FULL if self._count(Role.WATCH) >= MAX_WATCHERS else None
        return Reason.FULL if self.playing or not self.free else None

    def returns(self, hello: Hello) -> bool:
        """Whether this is a seat of the match that is on: its process may have restarted."""
        return hello.table == self.table and hello.key in self._playing

    # -- who comes and goes -----------------------------------------------------------------------

    def enter(self, hello: Hello, data: bytes, address: tuple[str, int]) -> Reason | None:
        """Take in whoever introduced itself, or say why not; a member's new HELLO replaces its
        old one, and it has to say again that it is ready."""
        refusal = self.may_enter(hello)
        if refusal is not None:
            return refusal
        known = self._members.get(hello.key)
        if known is not None and known.hello.role is not hello.role:
            del self._members[hello.key]
            known = None
        # A scope means something on this computer alone; guests add their own.
        at = (address[0].partition("%")[0], hello.port)
        if known is None:
            self._away.pop(hello.key, None)
            self._members[hello.key] = _Guest(hello, data, at)
        else:
            self._members[hello.key] = _Guest(
                hello, data, at, owner=known.owner, voucher=known.voucher
            )
        return None

    def up(self, key: bytes) -> bool:
        """The link with `key` came up; whether that changes anything. Somebody who was away sits
        down again if there is still room."""
        member = self._members.get(key)
        if member is not None:
            member.up = True
            return False
        guest = self._away.pop(key, None)
        if guest is None or self.may_enter(guest.hello) is not None:
            return False
        guest.up, guest.ready = True, False
        self._members[key] = guest
        return True

    def down(self, key: bytes, *, for_good: bool = False) -> bool:
        """The link with `key` is gone; whether a place is free now. A seat of the match that is on
        keeps it, and so its owner can come back."""
        member = self._members.get(key)
        if member is None or key == self._key:
            return False
        if key in self._playing:
            member.up = False
            return False
        del self._members[key]
        if not for_good:
            self._away[key] = member
            if len(self._away) > MAX_WATCHERS:
                self._away.popitem(last=False)
        return True

    def remove(self, key: bytes) -> bool:
        """Remove a guest for good; whether there was such a guest, who isn't playing."""
        if key == self._key or key not in self._members or key in self._playing:
            return False
        del self._members[key]
        self._removed[key] = None
        if len(self._removed) > MAX_REMOVED:
            self._removed.popitem(last=False)
        return True

    def own(self, hello: Hello, data: bytes) -> None:
        """The host's own HELLO, with the nonce for the next match."""
        self._members[self._key].hello, self._members[self._key].data = hello, data

    def ready(self, key: bytes, ready: bool) -> bool:
        """A member says whether it is ready; whether that is news."""
        member = self._members.get(key)
        if member is None or member.ready == ready or member.hello.role is not Role.SEAT:
            return False
        member.ready = ready
        return True

    def owned(self, key: bytes, message: Owned) -> bool:
        """A bot says whose it is; whether that is news. A voucher that isn't one is ignored."""
        member = self._members.get(key)
        if member is None or member.owner == message.owner:
            return False
        if not vouched(message.owner, self.table, key, message.voucher):
            return False
        member.owner, member.voucher = message.owner, message.voucher
        return True

    # -- what follows -----------------------------------------------------------------------------

    def lobby(self) -> Lobby:
        """What to tell the guests; a later serial every time."""
        self.serial += 1
        members = tuple(
            Member(g.data, g.address, self._is_ready(g), g.owner, g.voucher)
            for g in self._members.values()
        )
        return Lobby(self.serial, members, tuple(self._removed))

    def complete(self) -> dict[bytes, tuple[Hello, bytes, tuple[str, int]]] | None:
        """The seats of the next match, once every seat is taken, there, ready and has a new
        nonce."""
        seats = [g for g in self._members.values() if g.hello.role is Role.SEAT]
        if len(seats) != self.offer.seats:
            return None
        if not all(g.up and self._is_ready(g) for g in seats):
            return None
        return {g.hello.key: (g.hello, g.data, g.address) for g in seats}

    def begin(self, keys: Collection[bytes], nonces: Collection[bytes]) -> None:
        """A match is on between those."""
        self._playing = frozenset(keys)
        self._used.update(nonces)

    def end(self) -> None:
        """It is over: whoever isn't there any more loses its place."""
        self._playing = frozenset()
        for key, member in list(self._members.items()):
            if not member.up and key != self._key:
                del self._members[key]

    def _is_ready(self, guest: _Guest) -> bool:
        return guest.ready and guest.hello.nonce not in self._used

    def _count(self, role: Role) -> int:
        return sum(guest.hello.role is role for guest in list(self._members.values()))
