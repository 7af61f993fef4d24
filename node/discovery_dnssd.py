"""Tables by DNS-SD (RFC 6763) over multicast DNS (RFC 6762), through python-zeroconf.

    Cucina (00010203)._busso._tcp.local.   SRV, A, AAAA
    TXT  v=1 g=petrangola p=marche h=Ada s=4 f=3 m=0 c=0 k=ABCD-... t=00010203...

Law: this file alone knows zeroconf, and imports it on a thread of its own, since that takes long.
Every service browser of the network sees what is said here, and nobody signs it. Nothing here is
fatal: without multicast DNS a table is found by UDP or an invitation; `problem` says what failed.
What is read is tidied up, bounded, or dropped.
"""

from __future__ import annotations

import ipaddress
import queue
import socket
import struct
import threading
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from node.discovery_listing import Service
from node.interfaces import Interface, host_of, reachable_addresses
from protocol.announce import Announcement, Phase
from protocol.contribution import MAX_SEATS
from protocol.encoding import check_text, clean_text
from protocol.errors import EncodingError
from protocol.identity import fingerprint
from protocol.messages import MAX_NAME, TABLE_SIZE, VERSION

if TYPE_CHECKING:
    from zeroconf import ServiceInfo, Zeroconf

TYPE: Final = "_busso._tcp.local."
MAX_TXT: Final = 200
MAX_SERVICES: Final = 64
MAX_ADDRESSES: Final = 8
_MAX_LABEL: Final = 63
_GROUP4: Final = "224.0.0.251"
_GROUP6: Final = "ff02::fb"
_PATIENCE_MS: Final = 1_000
"""How long somebody who announced an instance gets to say where it is."""

Interfaces = tuple[Interface, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """An instance was found or has changed."""

    service: Service


@dataclass(frozen=True, slots=True)
class Gone:
    """An instance has said goodbye, or makes no sense any more."""

    instance: str


# -- texts ------------------------------------------------------------------------------------


def tidy(raw: str, limit: int = MAX_NAME) -> str:
    """`raw` as a name of `limit` characters at most, without anything that could steer a terminal
    or hide; "" if nothing is left."""
    kept = []
    for c in unicodedata.normalize("NFC", raw[: 4 * limit]):
        try:
            check_text(c)
        except EncodingError:
            continue
        kept.append(" " if c.isspace() else c)
    text = " ".join("".join(kept).split())[:limit].strip()
    while text:
        try:
            return clean_text(text, limit)
        except EncodingError:  # stray marks: what is left of them makes a name
            text = "".join(c for c in text if not unicodedata.category(c).startswith("M"))[:-1]
            text = text.strip()
    return ""


def shortened(text: str, octets: int) -> str:
    """The beginning of `text` that fits into so many octets of UTF-8."""
    return text.encode("utf-8")[:octets].decode("utf-8", "ignore").strip()


def instance_name(announcement: Announcement) -> str:
    """The full name of the instance: a table's name and what tells it from others of that name."""
    mark = f" ({announcement.table[:4].hex()})"
    name = announcement.name.replace(".", " ").replace("\\", " ")
    return f"{shortened(name, _MAX_LABEL - len(mark))}{mark}.{TYPE}"


def properties(announcement: Announcement) -> dict[str, str]:
    """The TXT record, at most MAX_TXT octets as it travels."""
    return {
        "v": str(VERSION),
        "g": shortened(announcement.game, MAX_NAME),
        "p": shortened(announcement.rules, MAX_NAME),
        "h": shortened(announcement.host, MAX_NAME),
        "s": str(announcement.seats),
        "f": str(announcement.free),
        "m": str(int(announcement.phase)),
        "c": str(int(announcement.code)),
        "k": fingerprint(announcement.key),
        "t": announcement.table.hex(),
    }


def read_service(
    instance: str,
    port: int | None,
    addresses: Iterable[str],
    txt: Mapping[bytes, bytes | None],
) -> Service | None:
    """The table that an instance (its full name) describes; None if it makes no sense."""
    words = {key: _text(txt.get(key.encode("ascii"))) for key in "vghpsfmckt"}
    label = instance.removesuffix("." + TYPE)
    name = tidy(label.removesuffix(f" ({words['t'][:8]})"))
    game, host = tidy(words["g"]), tidy(words["h"])
    seats = _number(words["s"], 1, MAX_SEATS)
    free = _number(words["f"], 0, seats or 0)
    phase = _number(words["m"], 0, Phase.PLAYING)
    code = _number(words["c"], 0, 1)
    table = _hexadecimal(words["t"])
    places = tuple(dict.fromkeys(filter(None, map(_host, addresses))))[:MAX_ADDRESSES]
    if words["v"] != str(VERSION) or not (name and game and host and table and places):
        return None
    if seats is None or free is None or phase is None or code is None:
        return None
    if not _is_fingerprint(words["k"]) or port is None or not 1 <= port <= 65_535:
        return None
    return Service(
        instance=instance,
        name=name,
        host=host,
        game=game,
        rules=tidy(words["p"]),
        seats=seats,
        free=free,
        phase=Phase(phase),
        code=bool(code),
        addresses=places,
        port=port,
        fingerprint=words["k"],
        table=table,
    )


def _host(text: str) -> str:
    """A numeric host, its scope by name as everywhere else; "" if nobody can be there."""
    host, _, scope = text.partition("%")
    try:
        address = ipaddress.ip_address(host)
        if address.is_multicast or address.is_unspecified:
            return ""
        return host_of((host, 0, 0, int(scope)) if scope else (host, 0))
    except ValueError:
        return ""


def _text(value: bytes | None) -> str:
    return (value or b"")[:MAX_TXT].decode("utf-8", "replace")


def _number(text: str, low: int, high: int) -> int | None:
    plain = text.isascii() and text.isdigit() and len(text) <= 3
    return int(text) if plain and low <= int(text) <= high else None


def _hexadecimal(text: str) -> bytes:
    try:
        found = bytes.fromhex(text)
    except ValueError:
        return b""
    return found if len(found) == TABLE_SIZE and found.hex() == text else b""


def _is_fingerprint(text: str) -> bool:
    groups = text.split("-")
    letters = set("".join(groups)) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    return letters and [len(group) for group in groups] == [4] * 5


# -- zeroconf ---------------------------------------------------------------------------------


def choices(interfaces: Iterable[Interface]) -> list[str | int]:
    """What zeroconf is to use: IPv4 addresses, and the indices of interfaces with IPv6."""
    found: list[str | int] = []
    for one in interfaces:
        if one.up:
            found += [a.host for a in one.addresses if a.version == 4]
            if one.index and any(a.needs_scope for a in one.addresses):
                found.append(one.index)
    return found


def usable(chosen: Iterable[str | int]) -> list[str | int]:
    """Those of `choices` that can join mDNS's groups: one that can't would stop zeroconf as a
    whole, and leave its socket open."""
    return [one for one in chosen if _joins(one)]


def _joins(choice: str | int) -> bool:
    six = isinstance(choice, int)
    try:
        with socket.socket(socket.AF_INET6 if six else socket.AF_INET, socket.SOCK_DGRAM) as sock:
            if isinstance(choice, int):
                group = socket.inet_pton(socket.AF_INET6, _GROUP6) + struct.pack("@I", choice)
                sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_JOIN_GROUP, group)
            else:
                group = socket.inet_aton(_GROUP4) + socket.inet_aton(choice)
                sock.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
    except OSError:
        return False
    return True


class _Worker(ABC):
    """A thread that has one Zeroconf and makes it anew when the interfaces are others."""

    def __init__(self, name: str, interfaces: Interfaces) -> None:
        self.problem = ""
        """What went wrong last, in the library's words; "" if nothing."""
        self._interfaces = interfaces
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._zeroconf: Zeroconf | None = None
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin; returns at once."""
        self._jobs.put(self._open)
        self._thread.start()

    def stop(self, patience: float = 5.0) -> None:
        """Say goodbye and wait so many seconds for the thread."""
        self._jobs.put(None)
        self._thread.join(patience)

    def follow(self, interfaces: Interfaces) -> None:
        """The interfaces are these now."""

        def anew() -> None:
            if interfaces != self._interfaces:
                self._close()
                self._interfaces = interfaces
                self._open()

        self._jobs.put(anew)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            self.attempt(job)
        self.attempt(self._close)

    def attempt(self, job: Callable[[], None]) -> None:
        """Do it; what goes wrong becomes `problem`."""
        try:
            job()
        except Exception as error:  # a library's, a system's: none may end what works without it
            self.problem = f"{type(error).__name__}: {error}"[:200]

    def _open(self) -> None:
        from zeroconf import Zeroconf  # noqa: PLC0415  # slow, and on this thread only

        chosen = usable(choices(self._interfaces))
        if not chosen:
            self.problem = "no interface can join the groups of multicast DNS"
            return
        self._zeroconf = Zeroconf(interfaces=chosen)
        self._ready(self._zeroconf)
        self.problem = ""

    def _close(self) -> None:
        zeroconf, self._zeroconf = self._zeroconf, None
        if zeroconf is not None:
            try:
                self._leave(zeroconf)
            finally:
                zeroconf.close()

    @abstractmethod
    def _ready(self, zeroconf: Zeroconf) -> None:
        """DNS-SD works from now on."""

    def _leave(self, zeroconf: Zeroconf) -> None:  # noqa: B027  # a browser has nothing to undo
        """It is about to be closed."""


class DnsSdAnnouncer(_Worker):
    """Keeps one table among the services of the network."""

    def __init__(self, announcement: Announcement, interfaces: Interfaces) -> None:
        super().__init__("busso-dnssd-announcer", interfaces)
        self._announcement = announcement
        self._info: ServiceInfo | None = None
        self.registered = threading.Event()
        """Set once the network has been told for the first time: probing takes about a second."""

    def update(self, announcement: Announcement) -> None:
        """The table is like this now."""

        def change() -> None:
            self._announcement = announcement
            if self._zeroconf is not None and self._info is not None:
                self._info = self._described()
                self._zeroconf.update_service(self._info)

        self._jobs.put(change)

    def _described(self) -> ServiceInfo:
        from zeroconf import ServiceInfo  # noqa: PLC0415  # as above

        addresses = reachable_addresses(self._interfaces)[:MAX_ADDRESSES]
        everything = [a.host for one in self._interfaces for a in one.addresses]
        return ServiceInfo(
            TYPE,
            instance_name(self._announcement),
            port=self._announcement.port,
            properties=properties(self._announcement),
            server=f"busso-{self._announcement.table[:4].hex()}.local.",
            parsed_addresses=list(addresses or everything[:MAX_ADDRESSES]),
        )

    def _ready(self, zeroconf: Zeroconf) -> None:
        self._info = self._described()
        zeroconf.register_service(self._info)
        self.registered.set()

    def _leave(self, zeroconf: Zeroconf) -> None:
        info, self._info = self._info, None
        if info is not None:
            zeroconf.unregister_service(info)


class DnsSdBrowser(_Worker):
    """Tells `on_news` what tables DNS-SD knows; on threads of its own."""

    def __init__(self, on_news: Callable[[Found | Gone], None], interfaces: Interfaces) -> None:
        super().__init__("busso-dnssd-browser", interfaces)
        self._on_news = on_news
        self._instances: set[str] = set()

    def _ready(self, zeroconf: Zeroconf) -> None:
        from zeroconf import ServiceBrowser  # noqa: PLC0415  # as above

        ServiceBrowser(zeroconf, TYPE, listener=_Listener(self))  # type: ignore[arg-type]  # alike

    def _leave(self, zeroconf: Zeroconf) -> None:
        for instance in list(self._instances):
            self.gone(instance)

    def found(self, zeroconf: Zeroconf, instance: str) -> None:
        """An instance was named: its records came along, or it is asked for them later."""
        if instance not in self._instances and len(self._instances) >= MAX_SERVICES:
            return
        self._instances.add(instance)
        if not self._tell(zeroconf, instance, patience_ms=0):
            self._jobs.put(lambda: self._resolve(zeroconf, instance))

    def gone(self, instance: str) -> None:
        """An instance has gone."""
        self._instances.discard(instance)
        self._on_news(Gone(instance))

    def _resolve(self, zeroconf: Zeroconf, instance: str) -> None:
        if zeroconf is not self._zeroconf or instance not in self._instances:
            return
        if not self._tell(zeroconf, instance, patience_ms=_PATIENCE_MS):
            self.gone(instance)

    def _tell(self, zeroconf: Zeroconf, instance: str, *, patience_ms: int) -> bool:
        """Report what is known of an instance; False if that isn't enough."""
        from zeroconf import ServiceInfo  # noqa: PLC0415  # as above

        info = ServiceInfo(TYPE, instance)
        if not info.load_from_cache(zeroconf) and not (
            patience_ms and info.request(zeroconf, patience_ms)
        ):
            return False
        txt = {key: value for key, value in info.properties.items() if len(key) == 1}
        service = read_service(instance, info.port, info.parsed_scoped_addresses(), txt)
        if service is None:
            self.gone(instance)
        else:
            self._on_news(Found(service))
        return True


class _Listener:
    """What zeroconf calls on its own thread; nothing may escape into it."""

    def __init__(self, browser: DnsSdBrowser) -> None:
        self._browser = browser

    def add_service(self, zc: Zeroconf, type_: str, name: str) -> None:
        """An instance is new."""
        self._browser.attempt(lambda: self._browser.found(zc, name))

    def update_service(self, zc: Zeroconf, type_: str, name: str) -> None:
        """Its records have changed."""
        self.add_service(zc, type_, name)

    def remove_service(self, zc: Zeroconf, type_: str, name: str) -> None:
        """It has gone."""
        self._browser.attempt(lambda: self._browser.gone(name))
