"""The network interfaces of this computer and the addresses on them.

Law: this file lists and guesses; it sends nothing. What the system doesn't tell is taken for the
best: an interface that is not known to be down is up, since trying costs an error and no more.
Names come from the system and may hold anything; whoever shows them makes them safe.
"""

from __future__ import annotations

import contextlib
import enum
import ipaddress
import re
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import ifaddr

from node.errors import MeshError

SYS_NET: Final = Path("/sys/class/net")
"""Where Linux describes its interfaces, one folder each."""
MAX_INTERFACES: Final = 32
MAX_ADDRESSES: Final = 16
_UP: Final = 0x1
_POINT_TO_POINT: Final = 0x10


class Kind(enum.StrEnum):
    """What an interface probably is, the likeliest to lead to other players first."""

    ETHERNET = "ethernet"
    WIFI = "wifi"
    OTHER = "other"
    VPN = "vpn"
    CONTAINER = "container"
    LOOPBACK = "loopback"


RANK: Final = {kind: rank for rank, kind in enumerate(Kind)}
FAR: Final = 3 * len(RANK)
"""The `nearness` of what is on no link of ours."""

# Tried in this order: a "WireGuard Tunnel" is no tunnel for Ethernet, a "vEthernet" no Ethernet.
_NAMES: Final = (
    (Kind.LOOPBACK, r"lo\d*$|loopback"),
    (
        Kind.CONTAINER,
        r"docker|podman|veth|virbr|vmnet|vboxnet|lxc|lxd|incus|cni|cali|flannel|br-[0-9a-f]{12}$|"
        r"vethernet|hyper-v|virtualbox|vmware|wsl|bridge\d{3}|anbox|waydroid",
    ),
    (
        Kind.VPN,
        r"tun|tap|wg|ppp|utun|ipsec|tailscale|zt|ham\d|nordlynx|proton|mullvad|gpd|vpn|wireguard|"
        r"zerotier|cisco anyconnect|fortinet|ts\d",
    ),
    (Kind.WIFI, r"wl|wifi|wi-fi|ath\d|ra\d|wlan|.*(wireless|802\.11|wi-?fi)"),
    (Kind.ETHERNET, r"eth|en|em\d|p\d+p\d|.*(ethernet|gigabit|gbe|lan\b)"),
)


class NoSuchInterface(MeshError):
    """`--iface` names none of this computer's interfaces; the sentence tells which there are."""


@dataclass(frozen=True, slots=True)
class Address:
    """A numeric address without a scope, and how many of its bits name the network."""

    host: str
    prefix: int

    @property
    def version(self) -> int:
        """4 or 6."""
        return 6 if ":" in self.host else 4

    @property
    def needs_scope(self) -> bool:
        """Whether it means something only together with an interface: IPv6 link-local."""
        return self.version == 6 and ipaddress.ip_address(self.host).is_link_local

    @property
    def network(self) -> ipaddress.IPv4Network | ipaddress.IPv6Network:
        """What lies on the same link."""
        return ipaddress.ip_network(f"{self.host}/{self.prefix}", strict=False)

    @property
    def broadcast(self) -> str | None:
        """The directed broadcast address; None for IPv6 and where a network has only two ends."""
        network = self.network
        if isinstance(network, ipaddress.IPv6Network) or network.prefixlen > 30:
            return None
        return str(network.broadcast_address)


@dataclass(frozen=True, slots=True)
class Interface:
    """One interface: `name` as the system's tools say it, `title` its longer description."""

    name: str
    index: int
    kind: Kind
    addresses: tuple[Address, ...]
    title: str = ""
    up: bool = True


def scan(only: str | None = None, *, sys_net: Path = SYS_NET) -> tuple[Interface, ...]:
    """The interfaces with an address, the likeliest first; just `only` if a name is given.

    NoSuchInterface if there is none of that name.
    """
    found = [_interface(adapter, sys_net) for adapter in ifaddr.get_adapters()]
    found = [one for one in found if one.addresses][:MAX_INTERFACES]
    return choose(ranked(found), only)


def choose(interfaces: Sequence[Interface], only: str | None) -> tuple[Interface, ...]:
    """Those of `interfaces` called `only` (all without it); NoSuchInterface."""
    if only is None:
        return tuple(interfaces)
    chosen = tuple(one for one in interfaces if only in (one.name, one.title))
    if not chosen:
        names = ", ".join(one.name for one in interfaces) or "none"
        raise NoSuchInterface(f"There is no interface {only[:40]} with an address; try {names}.")
    return chosen


def ranked(interfaces: Iterable[Interface]) -> list[Interface]:
    """The likeliest to lead to other players first; equal ones by their index."""
    return sorted(interfaces, key=lambda one: (not one.up, RANK[one.kind], one.index))


def reachable_addresses(interfaces: Iterable[Interface]) -> tuple[str, ...]:
    """What an invitation can name: addresses that mean something beyond this computer's links.

    IPv4 first within an interface, since more home networks carry it.
    """
    found: dict[str, None] = {}
    for one in interfaces:
        if one.up and one.kind is not Kind.LOOPBACK:
            for address in sorted(one.addresses, key=lambda a: a.version):
                if not address.needs_scope:
                    found[address.host] = None
    return tuple(found)


def nearness(host: str, interfaces: Sequence[Interface]) -> int:
    """How good an address `host` (numeric, scope allowed) is to dial: lower is better.

    Our own addresses come first, then those on the link of a likely interface, then the rest (FAR).
    """
    bare, _, scope = host.partition("%")
    address = ipaddress.ip_address(bare)
    best = FAR
    for one in interfaces:
        here = not scope or scope in (one.name, str(one.index))
        for own in one.addresses:
            if own.host == bare and here:
                return 0
            if here and address in own.network:
                # IPv4 before IPv6 on the same link: fewer firewalls are in its way.
                best = min(best, 1 + 2 * RANK[one.kind] + (address.version == 6))
    return best


def guess_kind(
    name: str, title: str = "", *, wireless: bool = False, point_to_point: bool = False
) -> Kind:
    """What an interface of this name, or of this description, is."""
    if wireless:
        return Kind.WIFI
    for kind, pattern in _NAMES:
        if re.match(pattern, name, re.IGNORECASE) or re.match(pattern, title, re.IGNORECASE):
            return kind
    return Kind.VPN if point_to_point else Kind.OTHER


def host_of(name: tuple[Any, ...]) -> str:
    """The numeric host of a socket name, as the `socket` module gives it: v4-mapped ones as IPv4,
    link-local ones with the scope that they are valid in here."""
    host, _, scope = str(name[0]).partition("%")
    address = ipaddress.ip_address(host)
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        if address.is_link_local:
            if not scope and len(name) == 4 and name[3]:
                with contextlib.suppress(OSError):  # the interface has just gone
                    scope = socket.if_indextoname(name[3])
            return f"{address}%{scope}" if scope else str(address)
    return str(address)


def _interface(adapter: ifaddr.Adapter, sys_net: Path) -> Interface:
    addresses: list[Address] = []
    name = adapter.name
    for ip in adapter.ips[:MAX_ADDRESSES]:
        host = ip.ip if isinstance(ip.ip, str) else ip.ip[0]
        with contextlib.suppress(ValueError):  # an address family that we don't speak
            bare = str(ipaddress.ip_address(host.partition("%")[0]))
            addresses.append(Address(bare, ip.network_prefix))
        # On Windows the adapter's own name is a number in braces.
        name = ip.nice_name if adapter.name.startswith("{") else name
    folder = sys_net / adapter.name
    flags = _flags(folder)
    up = flags is None or (bool(flags & _UP) and _read(folder / "operstate") != "down")
    kind = guess_kind(
        name,
        adapter.nice_name,
        wireless=(folder / "wireless").exists() or (folder / "phy80211").exists(),
        point_to_point=bool((flags or 0) & _POINT_TO_POINT),
    )
    title = adapter.nice_name if adapter.nice_name != name else ""
    return Interface(name, adapter.index or 0, kind, tuple(addresses), title, up)


def _flags(folder: Path) -> int | None:
    try:
        return int(_read(folder / "flags"), 16)
    except ValueError:
        return None


def _read(path: Path) -> str:
    try:
        return path.read_text("ascii")[:32].strip()
    except (OSError, UnicodeDecodeError, ValueError):
        return ""
