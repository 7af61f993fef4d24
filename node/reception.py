"""What connections do and bring: who is believed, who is struck, and what goes on to the consumer.

Law: this file judges messages by who sent them and whether they may come now, never by what they
mean to a table. It runs on the mesh thread; what is to be done about links is left to the roster.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from node.carrier import Origin
from node.counters import Counters
from node.events import Event, HelloReceived, Received, Struck
from node.link import Path, Side, Verdict
from node.roster import Roster
from protocol.messages import Bye, Hello, MeshMessage, Message, Ping, Pong, Reason
from protocol.wire import WireError, decode, encode

_REASONS: Final = {
    Verdict.OWN_KEY: Reason.CLOSED,
    Verdict.BANNED: Reason.REMOVED,
    Verdict.ANOTHERS: Reason.BROKE_PROTOCOL,
    Verdict.CLOSED: Reason.CLOSED,
    Verdict.CROWDED: Reason.FULL,
}


class Reception:
    """The ear of a carrier (`carrier.Ear`).

    `table` gives the table that this node is at, `put` sends on a path, `emit` tells the consumer,
    `act` carries out what the roster asks for. `hellos` are the introductions of bound processes
    with their ports, `pings` the token and the time of what each peer was asked.
    """

    def __init__(
        self,
        roster: Roster,
        counters: Counters,
        *,
        clock: Callable[[], float],
        table: Callable[[], bytes],
        put: Callable[[Path, bytes], bool | None],
        emit: Callable[[Event], None],
        act: Callable[[], None],
    ) -> None:
        self.hellos: dict[bytes, tuple[bytes, int]] = {}
        self.pings: dict[bytes, tuple[bytes, float]] = {}
        self._roster = roster
        self._counters = counters
        self._clock = clock
        self._table = table
        self._put = put
        self._emit = emit
        self._act = act

    def allow(self, curve: bytes) -> bool:
        """Whether the process `curve` may connect."""
        return self._roster.allow(curve, self._clock())

    def connected(self, curve: bytes) -> None:
        """Something answers where `curve` was dialled."""
        self._roster.connected(curve)

    def opened(self, curve: bytes) -> None:
        """The dialled process `curve` let us in."""
        self._roster.opened(curve, self._clock())

    def refused(self, curve: bytes) -> None:
        """The dialled process `curve` didn't."""
        self._counters.refused_by_others += 1
        self._roster.refused(curve, self._clock())

    def lost(self, path: Path) -> None:
        """A connection closed."""
        self._roster.lost(path, self._clock())

    def flooded(self, curve: bytes) -> None:
        """A connection is cut since it sends a message without end."""
        key = self._roster.flooded(curve, self._clock())
        self.struck(key, "it sent an endless message")

    def arrived(self, origin: Origin, data: bytes, frames: int) -> None:
        """A message came from whoever holds `origin.curve`."""
        now, curve, path = self._clock(), origin.curve, origin.path
        known = self.hellos.get(curve)
        if not self._roster.charge(curve, len(data), now):
            self._counters.over_rate += 1
        elif path.side is Side.IN and (len(path.ident) != 5 or path.ident[0] != 0):
            # Not libzmq's own choice: a chosen id could be meant to look like another's.
            self._strike(curve, "it chose its own routing id")
        elif frames != 1:
            self._counters.extra_frames += 1
            self._strike(curve, "it sent a message of several frames")
        elif known is not None and known[0] == data:
            self._roster.hello(self._roster.expected(curve) or b"", curve, path, now)
            self._learn(origin, known[1])
        else:
            self._read(origin, data)
        # At once: who is up must be known before what it says next.
        self._act()

    def _read(self, origin: Origin, data: bytes) -> None:
        try:
            message = decode(data)
        except WireError as error:
            self._counters.malformed += 1
            self._strike(origin.curve, f"it sent what is not a message: {error}")
            return
        if isinstance(message, Hello):
            self._met(message, data, origin)
        else:
            self._said(message, origin)

    def _met(self, hello: Hello, data: bytes, origin: Origin) -> None:
        """A genuine HELLO arrived: is it of whoever holds this connection, and welcome?"""
        curve, path = origin.curve, origin.path
        if hello.curve != curve:
            self._strike(curve, "it showed another's introduction")
            return
        if hello.table != self._table():
            self._put(path, encode(Bye(Reason.OTHER_TABLE)))
            self._strike(curve, "it came to another table")
            return
        verdict = self._roster.hello(hello.key, curve, path, self._clock())
        if not verdict.good:
            self._put(path, encode(Bye(_REASONS[verdict])))
            self._roster.turn_away(curve, self._clock())
            self.struck(None, f"it was turned away: {verdict.value}")
            return
        self.hellos[curve] = (data, hello.port)
        self._learn(origin, hello.port)
        self._emit(HelloReceived(hello, (origin.host, hello.port)))

    def _learn(self, origin: Origin, port: int) -> None:
        """Whoever came from there listens there: it may have changed the network it is on."""
        if origin.path.side is Side.IN and port:
            self._roster.learn(origin.curve, origin.host, port)

    def _said(self, message: Message, origin: Origin) -> None:
        """Anything but a HELLO."""
        curve, path, now = origin.curve, origin.path, self._clock()
        if not isinstance(message, MeshMessage):
            self._strike(curve, "it sent a message that belongs at the door")
            return
        key = self._roster.heard(curve, path, now)
        if key is None:
            expected = self._roster.expected(curve)
            if isinstance(message, Bye) and path.side is Side.OUT and expected is not None:
                self._emit(Received(expected, message))
                return
            # After a reconnection a STATE may come before the HELLO; more than a few are a fault.
            self._counters.unintroduced += 1
            self._strike(curve, "it spoke before it introduced itself")
            return
        match message:
            case Ping(token):
                self._put(path, encode(Pong(token)))
            case Pong(token):
                sent = self.pings.get(key)
                if sent is not None and sent[0] == token:
                    del self.pings[key]
                    self._roster.measured(key, now - sent[1])
            case _:
                if isinstance(message, Bye):
                    self._roster.left(key)
                self._emit(Received(key, message))

    def _strike(self, curve: bytes, why: str) -> None:
        self.struck(self._roster.strike(curve, self._clock()), why)

    def struck(self, key: bytes | None, why: str) -> None:
        """Count a strike and tell of it."""
        self._counters.strikes += 1
        self._emit(Struck(key, why))
