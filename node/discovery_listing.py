"""The list of tables that a guest sees: what was heard by UDP and by DNS-SD, merged.

Law: pure. It knows octets, addresses and times, no socket. What it is told by the network is
hostile: everything is bounded, and beyond a bound the newcomer is dropped, never what is there.
Words by UDP are signed by the host's key and count; those by DNS-SD are believed only while there
are no others, and until a door has shown a card (`confirm`) nobody knows the key behind them.
"""

from __future__ import annotations

import enum
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from node.discovery_timing import Rates, patience
from protocol.announce import Announcement, Phase, read_announcement
from protocol.identity import fingerprint
from protocol.wire import WireError

Id = tuple[str, bytes]
"""A host key's fingerprint and the table: by these both ways of finding it mean one."""


@dataclass(frozen=True, slots=True)
class ListingLimits:
    """Bounds of a list; rates are (a second, burst)."""

    tables: int = 64
    a_source: int = 8
    addresses: int = 8
    source_rate: tuple[float, float] = (32, 64)
    total_rate: tuple[float, float] = (400, 400)
    unknown_source_rate: tuple[float, float] = (8, 24)
    unknown_rate: tuple[float, float] = (20, 80)
    closed: int = 128
    closed_for: float = 30.0


class Way(enum.Flag):
    """How a table was found."""

    UDP = enum.auto()
    DNS_SD = enum.auto()


@dataclass(frozen=True, slots=True)
class Listed:
    """One table as a guest sees it.

    `addresses` are numeric hosts (link-local ones with our scope), the best first; `port` is the
    door's. `rules` names a preset, "" for other options. `fingerprint` is the host key's, `key`
    the key itself, b"" as long as only DNS-SD tells of it; `table` its identifier, 16
    octets. `ping` is a round trip in seconds, None if none was measured.
    """

    name: str
    host: str
    game: str
    rules: str
    seats: int
    free: int
    phase: Phase
    code: bool
    addresses: tuple[str, ...]
    port: int
    fingerprint: str
    key: bytes
    table: bytes
    ping: float | None
    ways: Way

    @property
    def open(self) -> bool:
        """Whether somebody could still take a seat."""
        return self.phase is Phase.LOBBY and self.free > 0


@dataclass(frozen=True, slots=True)
class Service:
    """What DNS-SD says of a table, tidied up; nobody signed it. Fields as in `Listed`."""

    instance: str
    name: str
    host: str
    game: str
    rules: str
    seats: int
    free: int
    phase: Phase
    code: bool
    addresses: tuple[str, ...]
    port: int
    fingerprint: str
    table: bytes

    @property
    def id(self) -> Id:
        """Which table it is."""
        return self.fingerprint, self.table


@dataclass(slots=True)
class ListingCounters:
    """What was dropped since the start, for `busso doctor`."""

    heard: int = 0
    repeated: int = 0
    over_rate: int = 0
    malformed: int = 0
    outdated: int = 0
    over_bound: int = 0


@dataclass(slots=True)
class _Entry:
    announcement: Announcement | None = None
    octets: bytes = b""
    heard: dict[str, float] = field(default_factory=dict)
    services: dict[str, Service] = field(default_factory=dict)
    key: bytes = b""
    ping: float | None = None
    asked: float = float("-inf")


class Listing:
    """The tables; `nearness` ranks a numeric host (lower is better). Not safe between threads."""

    def __init__(
        self,
        now: float,
        *,
        limits: ListingLimits | None = None,
        nearness: Callable[[str], int] = lambda host: 0,
    ) -> None:
        self.counters = ListingCounters()
        self.changes = 0
        """Grows whenever `tables` would say something new, but for the figure of a known ping."""
        self.pings = 0
        """Grows whenever a ping is measured."""
        self._limits = limits or ListingLimits()
        self._nearness = nearness
        self._entries: dict[Id, _Entry] = {}
        self._instances: dict[str, Id] = {}
        self._known: dict[bytes, Id] = {}
        self._closed: OrderedDict[Id, tuple[int, float]] = OrderedDict()
        self._rates = Rates(self._limits.source_rate, self._limits.total_rate, now)
        self._unknown = Rates(self._limits.unknown_source_rate, self._limits.unknown_rate, now)

    # -- what is heard ----------------------------------------------------------------------------

    def admit(self, source: str, now: float) -> bool:
        """Whether one more datagram of `source` may be looked at."""
        if self._rates.take(source, now):
            return True
        self.counters.over_rate += 1
        return False

    def hear(self, octets: bytes, source: str, now: float, asked: float | None = None) -> None:
        """An announcement's octets arrived from the host `source`, in answer to a question of the
        time `asked` unless nobody asked. Never raises: what is no announcement is counted."""
        known = self._known.get(octets)
        if known is not None:
            self.counters.repeated += 1
            self._touch(self._entries[known], source, now, asked)
            return
        if not self._unknown.take(source, now):
            self.counters.over_rate += 1
            return
        try:
            announcement = read_announcement(octets)
        except WireError:
            self.counters.malformed += 1
            return
        self._news(announcement, octets, source, now, asked)

    def _news(
        self, new: Announcement, octets: bytes, source: str, now: float, asked: float | None
    ) -> None:
        identifier = fingerprint(new.key), new.table
        entry = self._entries.get(identifier)
        closed, _ = self._closed.get(identifier, (-1, 0.0))
        before = entry.announcement.serial if entry and entry.announcement else -1
        if new.serial <= max(closed, before):
            self.counters.outdated += 1
            return
        if new.phase is Phase.CLOSED:
            self._close(identifier, new.serial, now)
            return
        if entry is None:
            if self._crowded(source):
                return
            entry = self._entries[identifier] = _Entry()
        self._known.pop(entry.octets, None)
        self._known[octets] = identifier
        entry.announcement, entry.octets, entry.key = new, octets, new.key
        self.counters.heard += 1
        self.changes += 1
        self._touch(entry, source, now, asked)

    def _touch(self, entry: _Entry, source: str, now: float, asked: float | None) -> None:
        if source in entry.heard:
            entry.heard[source] = now
        elif len(entry.heard) < self._limits.addresses:
            entry.heard[source] = now
            self.changes += 1
        else:
            self.counters.over_bound += 1
        if asked is None:
            return
        self.changes += entry.ping is None
        self.pings += 1
        # Of the answers to one question, by several ways, the fastest counts.
        ping = max(0.0, now - asked)
        known = entry.ping if asked <= entry.asked else None
        entry.ping = ping if known is None else min(ping, known)
        entry.asked = max(asked, entry.asked)

    def _crowded(self, source: str) -> bool:
        """Whether there is no room for a new table, from `source` or at all; counted."""
        own = sum(source in entry.heard for entry in self._entries.values())
        full = len(self._entries) >= self._limits.tables or own >= self._limits.a_source
        self.counters.over_bound += full
        return full

    def _close(self, identifier: Id, serial: int, now: float) -> None:
        """Take a table away, and remember for a while that its host did."""
        self._forget(identifier)
        self._closed.pop(identifier, None)
        self._closed[identifier] = (serial, now + self._limits.closed_for)
        if len(self._closed) > self._limits.closed:
            self._closed.popitem(last=False)

    def service(self, service: Service) -> None:
        """DNS-SD found a table, or something new about it."""
        identifier = service.id
        if self._instances.get(service.instance) != identifier:
            self.service_gone(service.instance)
        if identifier in self._closed:
            self.counters.outdated += 1
            return
        entry = self._entries.get(identifier)
        if entry is None:
            if len(self._entries) >= self._limits.tables:
                self.counters.over_bound += 1
                return
            entry = self._entries[identifier] = _Entry()
        if service.instance in entry.services or len(entry.services) < self._limits.addresses:
            self.changes += entry.services.get(service.instance) != service
            entry.services[service.instance] = service
            self._instances[service.instance] = identifier

    def service_gone(self, instance: str) -> None:
        """DNS-SD says goodbye to an instance."""
        identifier = self._instances.pop(instance, None)
        if identifier is not None:
            self._entries[identifier].services.pop(instance, None)
            self.changes += 1
            self._drop_empty(identifier)

    def confirm(self, identifier: Id, key: bytes, ping: float) -> None:
        """The door of a table found by DNS-SD has shown a card signed by `key`, which has its
        fingerprint, within `ping` seconds."""
        entry = self._entries.get(identifier)
        if entry is not None and fingerprint(key) == identifier[0]:
            entry.key, entry.ping = key, ping
            self.changes += 1

    # -- what is forgotten ------------------------------------------------------------------------

    def expire(self, now: float) -> None:
        """Forget what hasn't been heard for too long."""
        for identifier, entry in list(self._entries.items()):
            if entry.announcement is None:
                continue
            oldest = now - patience(entry.announcement.phase)
            for source in [s for s, heard in entry.heard.items() if heard <= oldest]:
                del entry.heard[source]
                self.changes += 1
            if not entry.heard:
                self._known.pop(entry.octets, None)
                entry.announcement, entry.octets = None, b""
                self._drop_empty(identifier)
        for identifier in [i for i, (_, until) in self._closed.items() if until <= now]:
            del self._closed[identifier]

    def _drop_empty(self, identifier: Id) -> None:
        entry = self._entries[identifier]
        if entry.announcement is None and not entry.services:
            del self._entries[identifier]

    def _forget(self, identifier: Id) -> None:
        entry = self._entries.pop(identifier, None)
        if entry is not None:
            self.changes += 1
            self._known.pop(entry.octets, None)
            for instance in entry.services:
                del self._instances[instance]

    # -- what is shown ----------------------------------------------------------------------------

    def tables(self) -> tuple[Listed, ...]:
        """The tables: those with room first, then by name; the order is the same everywhere."""
        listed = [self._listed(*item) for item in self._entries.items()]
        return tuple(
            sorted(listed, key=lambda t: (not t.open, t.name.casefold(), t.fingerprint, t.table))
        )

    def unconfirmed(self) -> tuple[Listed, ...]:
        """Those of which only DNS-SD tells and no door has shown a card."""
        return tuple(table for table in self.tables() if not table.key)

    def _listed(self, identifier: Id, entry: _Entry) -> Listed:
        services = list(entry.services.values())
        said = entry.announcement or services[-1]
        ways = Way.DNS_SD if services else Way(0)
        hosts = list(entry.heard)
        if entry.announcement is not None:
            ways |= Way.UDP
        # A service with another port is another's, or an old one: its addresses lead nowhere.
        hosts += [h for s in services if s.port == said.port for h in s.addresses]
        addresses = sorted(dict.fromkeys(hosts), key=self._nearness)
        return Listed(
            name=said.name,
            host=said.host,
            game=said.game,
            rules=said.rules,
            seats=said.seats,
            free=said.free,
            phase=said.phase,
            code=said.code,
            addresses=tuple(addresses[: self._limits.addresses]),
            port=said.port,
            fingerprint=identifier[0],
            key=entry.key,
            table=identifier[1],
            ping=entry.ping,
            ways=ways,
        )
