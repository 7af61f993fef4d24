"""Tables find their guests: `Announcer` makes a table known, `Browser` lists those of the network.

    with Announcer(identity, open_table) as announcer:      with Browser(show) as browser:
        announcer.update(replace(open_table, free=2))           browser.tables

`node.finding.find` goes from a listed table to the card that its door shows.

Law: this file brings clockwork, list, sockets and DNS-SD together, each in a thread of its own
beside the mesh's: a guest browses before there is any mesh. Whatever the network sends or refuses,
neither stops working; an exception of ours, or of `on_change`, is raised by `stop` (NodeFailed).
The datagrams and all figures: `WIRE.md`, "Discovery".
"""

from __future__ import annotations

import contextlib
import secrets
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from node.discovery_dnssd import DnsSdAnnouncer, DnsSdBrowser, Found, Gone
from node.discovery_listing import Listed, Listing, ListingCounters
from node.discovery_probe import Confirmed, Probe, Prober
from node.discovery_runner import Runner, Scan
from node.discovery_sockets import UDP_PORT, Datagram
from node.discovery_timing import Announcing, Answering, Asking
from node.door import find_table
from node.interfaces import FAR, Interface, nearness, scan
from protocol.announce import (
    UNASKED,
    Announcement,
    Answer,
    Callback,
    Phase,
    Query,
    decode_datagram,
    encode_datagram,
    read_announcement,
    sign_announcement,
)
from protocol.identity import Identity
from protocol.messages import TOKEN_SIZE, TableCard
from protocol.wire import WireError

_TOKENS: Final = 16
_HOSTS: Final = 1_024
"""Hosts whose nearness is kept; a full list has half as many."""
_CALLBACK_TIMEOUT: Final = 2.0


@dataclass(frozen=True, slots=True)
class OpenTable:
    """What a host makes known of its table.

    `rules` names a preset, "" for options of its own; `host` is the player's name; `port` the
    door's; `code` says whether joining takes the table's code. Bounds as in `Announcement`.
    """

    name: str
    host: str
    game: str
    rules: str
    seats: int
    free: int
    port: int
    table: bytes
    phase: Phase = Phase.LOBBY
    code: bool = False

    @classmethod
    def of(
        cls, card: TableCard, host: str, port: int, *, rules: str = "", code: bool = False
    ) -> OpenTable:
        """The table of `card`, in its lobby, at the door on `port`."""
        return cls(
            name=card.name,
            host=host,
            game=card.game,
            rules=rules,
            seats=card.seats,
            free=card.free,
            port=port,
            table=card.table,
            code=code,
        )


class Announcer(Runner):
    """Makes a table known from `start` to `stop`.

    `iface` restricts it to one interface; without `dns_sd` only UDP is used. LocalProtocolError if
    the table can't be described (a name with control characters, say): our own bug.
    """

    def __init__(
        self,
        identity: Identity,
        table: OpenTable,
        *,
        iface: str | None = None,
        port: int = UDP_PORT,
        dns_sd: bool = True,
        scan_now: Scan = scan,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        super().__init__(
            "busso-announcer", iface=iface, port=port, scan_now=scan_now, clock=clock, wall=wall
        )
        self.answered = 0
        """Questions that were answered."""
        self.called_back = 0
        self._identity = identity
        self._table = table
        self._serial = int(wall() * 1_000)
        self._lock = threading.Lock()
        self._octets = self._signed(table, self._serial)
        self._changed = False
        self._use_dns_sd = dns_sd
        self._dns: DnsSdAnnouncer | None = None
        self._announcing = Announcing(clock())
        self._answering = Answering(clock())

    def update(self, table: OpenTable) -> None:
        """The table is like this now; from any thread. Others hear of it within 0.1 s."""
        with self._lock:
            if table == self._table:
                return
            octets = self._signed(table, self._serial + 1)
            self._serial += 1
            self._table, self._octets, self._changed = table, octets, True
            if self._dns is not None:
                self._dns.update(read_announcement(octets))
        self._ring()

    @property
    def dns_sd_problem(self) -> str:
        """What keeps DNS-SD from working; "" if nothing is known to."""
        return self._dns.problem if self._dns is not None else ""

    @property
    def in_dns_sd(self) -> bool:
        """Whether the table stands in DNS-SD yet."""
        return self._dns is not None and self._dns.registered.is_set()

    def __enter__(self) -> Announcer:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _signed(self, table: OpenTable, serial: int) -> bytes:
        return sign_announcement(
            Announcement(
                game=table.game,
                rules=table.rules,
                name=table.name,
                host=table.host,
                seats=table.seats,
                free=table.free,
                phase=table.phase,
                code=table.code,
                port=table.port,
                key=self._identity.public,
                table=table.table,
                serial=serial,
            ),
            self._identity,
        )

    def _begin(self, now: float) -> None:
        self._announcing = Announcing(now)
        self._answering = Answering(now)
        if self._use_dns_sd:
            with self._lock:
                self._dns = DnsSdAnnouncer(read_announcement(self._octets), self._interfaces)
            self._dns.start()

    def _next(self) -> float:
        return self._announcing.next

    def _due(self, now: float) -> None:
        with self._lock:
            changed, self._changed = self._changed, False
            phase, octets = self._table.phase, self._octets
        if changed:
            self._announcing.change(now)
        if self._announcing.due(now, phase):
            self._ether.broadcast(encode_datagram(Answer(UNASKED, octets)))

    def _arrived(self, datagram: Datagram, now: float) -> None:
        if not datagram.listener:
            return
        try:
            question = decode_datagram(datagram.data)
        except WireError:
            return
        match question:
            case Query(token):
                if self._answering.question(datagram.host, datagram.port, token, now):
                    answer = encode_datagram(Answer(token, self._octets))
                    self.answered += self._ether.send(answer, datagram.socket, datagram.name)
            case Callback(token, port):
                if self._answering.callback(now):
                    self.called_back += 1
                    threading.Thread(
                        target=_call_back, args=(datagram.host, port, token), daemon=True
                    ).start()

    def _woken(self, now: float) -> None:
        self._announcing.change(now)

    def _moved(self, interfaces: tuple[Interface, ...]) -> None:
        if self._dns is not None:
            self._dns.follow(interfaces)

    def _leave(self) -> None:
        with self._lock:
            closed = replace(self._table, phase=Phase.CLOSED)
            octets = self._signed(closed, self._serial + 1)
        goodbye = encode_datagram(Answer(UNASKED, octets))
        for _ in range(2):  # nobody answers a goodbye, and one may get lost
            self._ether.broadcast(goodbye)
        if self._dns is not None:
            self._dns.stop()


def _call_back(host: str, port: int, token: bytes) -> None:
    """Show a guest that it can be reached, or not."""
    with (
        contextlib.suppress(OSError),
        socket.create_connection((host, port), _CALLBACK_TIMEOUT) as connection,
    ):
        connection.sendall(token)


class Browser(Runner):
    """Lists the tables of the network from `start` to `stop`.

    `on_change(tables)` is called on the browser's thread with the whole list whenever something
    in it but a known ping changed. `iface` restricts it to one interface; without `dns_sd` only
    UDP is used. A table that only DNS-SD tells of is asked for its card at its door (`probe`).
    """

    def __init__(
        self,
        on_change: Callable[[tuple[Listed, ...]], None] = lambda tables: None,
        *,
        iface: str | None = None,
        port: int = UDP_PORT,
        dns_sd: bool = True,
        scan_now: Scan = scan,
        probe: Probe = find_table,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
        random: Callable[[int], bytes] = secrets.token_bytes,
    ) -> None:
        super().__init__(
            "busso-browser", iface=iface, port=port, scan_now=scan_now, clock=clock, wall=wall
        )
        self._on_change = on_change
        self._random = random
        self._tables: tuple[Listed, ...] = ()
        self._asking = Asking(clock())
        self._listing = Listing(clock(), nearness=self._nearness)
        self._tokens: OrderedDict[bytes, float] = OrderedDict()
        self._news: OrderedDict[object, Found | Gone | Confirmed] = OrderedDict()
        self._lock = threading.Lock()
        self._use_dns_sd = dns_sd
        self._dns: DnsSdBrowser | None = None
        self._prober = Prober(probe, clock, self._note, lambda host: self._nearness(host) < FAR)
        self._near: dict[str, int] = {}
        self._shown = (0, 0)

    @property
    def tables(self) -> tuple[Listed, ...]:
        """The list as it is now; from any thread."""
        return self._tables

    @property
    def counters(self) -> ListingCounters:
        """What was dropped, for `busso doctor`."""
        return self._listing.counters

    @property
    def listening(self) -> bool:
        """Whether the shared UDP port could be had."""
        return self._ether.listening

    @property
    def dns_sd_problem(self) -> str:
        """What keeps DNS-SD from working; "" if nothing is known to."""
        return self._dns.problem if self._dns is not None else ""

    def __enter__(self) -> Browser:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _nearness(self, host: str) -> int:
        found = self._near.get(host)
        if found is None:
            if len(self._near) >= _HOSTS:
                self._near.clear()
            found = self._near[host] = nearness(host, self._interfaces)
        return found

    def _note(self, news: Found | Gone | Confirmed) -> None:
        """From a thread of DNS-SD or of the prober; the last word on a thing counts."""
        subject: object = news.id if isinstance(news, Confirmed) else _instance(news)
        with self._lock:
            self._news.pop(subject, None)
            self._news[subject] = news
        self._ring()

    def _begin(self, now: float) -> None:
        self._asking = Asking(now)
        if self._use_dns_sd:
            self._dns = DnsSdBrowser(self._note, self._interfaces)
            self._dns.start()

    def _next(self) -> float:
        return self._asking.next

    def _due(self, now: float) -> None:
        asked = self._asking.due(now)
        if asked:
            self._ask(now)
        with self._lock:
            news = list(self._news.values())
            self._news.clear()
        for one in news:
            match one:
                case Found(service):
                    self._listing.service(service)
                case Gone(instance):
                    self._listing.service_gone(instance)
                case Confirmed(identifier, key, ping):
                    self._listing.confirm(identifier, key, ping)
        self._listing.expire(now)
        changed = self._publish()
        if changed or asked:
            self._prober.look(self._listing.unconfirmed(), now)

    def _publish(self) -> bool:
        """Make the list anew if there is anything new to it; whether that was worth telling."""
        state = self._listing.changes, self._listing.pings
        changed = state[0] != self._shown[0]
        if state != self._shown:
            self._shown = state
            self._tables = self._listing.tables()
        if changed:
            self._on_change(self._tables)
        return changed

    def _ask(self, now: float) -> None:
        token = self._random(TOKEN_SIZE)
        if token == UNASKED:
            return
        self._tokens[token] = now
        if len(self._tokens) > _TOKENS:
            self._tokens.popitem(last=False)
        self._ether.broadcast(encode_datagram(Query(token)))

    def _arrived(self, datagram: Datagram, now: float) -> None:
        if not self._listing.admit(datagram.host, now):
            return
        try:
            answer = decode_datagram(datagram.data)
        except WireError:
            self._listing.counters.malformed += 1
            return
        if isinstance(answer, Answer):
            asked = self._tokens.get(answer.token)
            self._listing.hear(answer.announcement, datagram.host, now, asked)

    def _woken(self, now: float) -> None:
        self._asking.again(now)

    def _moved(self, interfaces: tuple[Interface, ...]) -> None:
        self._near.clear()
        self._shown = (-1, -1)  # other addresses may be the best ones now
        if self._dns is not None:
            self._dns.follow(interfaces)

    def _leave(self) -> None:
        self._prober.stop()
        if self._dns is not None:
            self._dns.stop(patience=0.5)


def _instance(news: Found | Gone) -> str:
    return news.service.instance if isinstance(news, Found) else news.instance


__all__ = ["UDP_PORT", "Announcer", "Browser", "Listed", "OpenTable"]
