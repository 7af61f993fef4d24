"""What keeps this computer from playing, and what to do about it: `busso doctor`'s judgements.

Law: pure functions from facts to findings; whoever calls has gathered the facts (`doctor_trials`)
and shows the findings. Each is one sentence and, if something is wrong, one more that says what to
do. Nothing is changed on the computer. A guess is worded as one.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Final, TypeAlias

from node.counters import Counters
from node.discovery_timing import LEAP
from node.interfaces import Interface, Kind
from node.language import said

Fact: TypeAlias = tuple[str, str | int | float | bool]

CLOCK_FLOOR: Final = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
"""No clock that is right shows an earlier time: this Busso wasn't there yet. Seconds since 1970."""
CLOCK_CEILING: Final = datetime(2100, 1, 1, tzinfo=UTC).timestamp()
MIN_COLUMNS: Final = 60
MIN_LINES: Final = 20
FULL_COLUMNS: Final = 80
FULL_LINES: Final = 24
MIN_FREE: Final = 64 * 2**20
"""Octets that a few evenings of logs need."""
MIN_ZMQ: Final = (4, 3, 2)
"""Older ones can be made to overflow by somebody who isn't admitted yet."""
BOX: Final = "╭──╮"


class Area(enum.StrEnum):
    """What a finding is about, in the order of the report."""

    INTERFACES = "interfaces"
    DISCOVERY = "discovery"
    PORTS = "ports"
    FIREWALL = "firewall"
    PEER = "peer"
    CLOCK = "clock"
    TERMINAL = "terminal"
    LIBRARIES = "libraries"
    FOLDERS = "folders"
    TRAFFIC = "traffic"


class Level(enum.IntEnum):
    """How bad it is."""

    FINE = 0
    NOTE = 1
    """Worth knowing if something doesn't work."""
    WARNING = 2
    """Something will not work, but play is possible."""
    STOPS = 3
    """No play with others before this is put right."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence, what to do about it ("" if nothing), and the same for programs."""

    area: Area
    level: Level
    text: str
    advice: str = ""
    facts: tuple[Fact, ...] = ()


@dataclass(frozen=True, slots=True)
class Trial:
    """What came back of datagrams sent to oneself through `interface` by one way; None: not
    tried, since the interface has no address for it."""

    interface: str
    kind: Kind
    multicast4: bool | None
    broadcast: bool | None
    multicast6: bool | None


@dataclass(frozen=True, slots=True)
class Ports:
    """Whether the shared UDP port, the usual door and any TCP port at all can be had."""

    number: int
    udp: bool
    door: bool
    any_tcp: bool


class Firewall(enum.Enum):
    """Firewalls whose state can be read without privileges, by the command that opens them."""

    UFW = "ufw"
    FIREWALLD = "firewalld"
    NFTABLES = "nftables"
    WINDOWS = "Windows Firewall"
    MACOS = "the macOS application firewall"


@dataclass(frozen=True, slots=True)
class Peer:
    """What was found out together with another computer. Seconds; None: not tried or no answer.

    `door_error` is a sentence if the door didn't show a card, `refused` says that the computer is
    there and nobody listens; `table` is the table's name.
    """

    place: str
    table: str = ""
    door_error: str = ""
    refused: bool = False
    door: float | None = None
    mesh: bool | None = None
    udp: float | None = None
    called_back: bool | None = None


@dataclass(frozen=True, slots=True)
class Terminal:
    """What the terminal is. `box` is the width that it gave BOX, None if it wasn't asked."""

    interactive: bool
    encoding: str
    columns: int
    lines: int
    name: str
    colours: bool
    box: int | None = None


@dataclass(frozen=True, slots=True)
class Libraries:
    """Versions, and whether what is needed of them is there."""

    python: str
    zmq: tuple[int, int, int]
    curve: bool
    sodium: str
    """What computes the deal: the backend's name, or "" if only the slow one is there."""
    zeroconf: str


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder that Busso writes to. `error` is the system's sentence, "" if it is writable."""

    name: str
    path: str
    error: str = ""
    free: int | None = None
    exposed: bool = False
    """Whether others can read the identity key in it."""


# -- judgements -------------------------------------------------------------------------------


def judge_interfaces(interfaces: Sequence[Interface]) -> list[Finding]:
    """What the interfaces lead to; none but the loopback stops play."""
    found = [_interface(one) for one in interfaces if one.kind is not Kind.LOOPBACK]
    if not any(one.up for one in interfaces if one.kind is not Kind.LOOPBACK):
        text = "This computer is on no network."
        advice = "Plug a cable in or join the Wi-Fi; games against computer players work without."
        return [Finding(Area.INTERFACES, Level.STOPS, text, advice), *found]
    likely = [one for one in interfaces if one.up and one.kind in (Kind.ETHERNET, Kind.WIFI)]
    if len(likely) > 1:
        names = ", ".join(one.name for one in likely)
        text = f"{names} may lead to two networks that don't know each other."
        advice = f"If others don't find you, restrict Busso to one: --iface {likely[0].name}."
        found.append(Finding(Area.INTERFACES, Level.NOTE, text, advice))
    return found


def _interface(one: Interface) -> Finding:
    addresses = ", ".join(f"{a.host}/{a.prefix}" for a in one.addresses)
    facts: tuple[Fact, ...] = (
        ("name", one.name),
        ("kind", one.kind.value),
        ("up", one.up),
        ("addresses", addresses),
    )
    kind = _KIND_WORDS[one.kind]
    if not one.up:
        text = f"{one.name} ({kind}): {addresses}, not connected."
        return Finding(Area.INTERFACES, Level.NOTE, text, "", facts)
    text = f"{one.name} ({kind}): {addresses}."
    level, advice = Level.FINE, ""
    if one.kind is Kind.VPN:
        level = Level.NOTE
        advice = "A VPN can hide the local network: switch it off if others don't find you."
    elif one.addresses and all(a.host.startswith("169.254.") for a in one.addresses[:1]):
        level = Level.NOTE
        advice = "No router gave it an address; that works as long as nobody's did."
    return Finding(Area.INTERFACES, level, text, advice, facts)


_KIND_WORDS: Final = {
    Kind.ETHERNET: "probably a cable",
    Kind.WIFI: "probably Wi-Fi",
    Kind.OTHER: "of unknown kind",
    Kind.VPN: "probably a VPN",
    Kind.CONTAINER: "probably for containers or virtual machines",
    Kind.LOOPBACK: "this computer itself",
}


def judge_trials(trials: Sequence[Trial]) -> list[Finding]:
    """Whether discovery's datagrams come back; other computers may still not get them."""
    found = []
    for one in trials:
        ways = {
            "multicast": one.multicast4,
            "broadcast": one.broadcast,
            "IPv6 multicast": one.multicast6,
        }
        facts: tuple[Fact, ...] = (
            ("interface", one.interface),
            *((way, result) for way, result in ways.items() if result is not None),
        )
        works = [way for way, result in ways.items() if result]
        fails = [way for way, result in ways.items() if result is False]
        if not works and not fails:
            continue
        if not fails:
            text = f"On {one.interface} {_and(works)} came back to this computer."
            found.append(Finding(Area.DISCOVERY, Level.FINE, text, "", facts))
        elif works:
            text = f"On {one.interface} {_and(fails)} didn't come back, but {_and(works)} did."
            advice = "That is enough to find tables."
            found.append(Finding(Area.DISCOVERY, Level.NOTE, text, advice, facts))
        else:
            text = f"On {one.interface} {_and(fails)} didn't come back."
            advice = "Tables won't be listed there; join by an invitation or an address instead."
            likely = one.kind in (Kind.ETHERNET, Kind.WIFI)
            level = Level.WARNING if likely else Level.NOTE
            found.append(Finding(Area.DISCOVERY, level, text, advice, facts))
    return found


def judge_dns_sd(problem: str | None) -> list[Finding]:
    """`problem` as `DnsSdBrowser` says it, None if DNS-SD wasn't tried."""
    if problem is None:
        return []
    if not problem:
        text = "DNS-SD works as far as this computer can tell alone."
        return [Finding(Area.DISCOVERY, Level.FINE, text)]
    text = f"DNS-SD doesn't work: {problem}."
    advice = "Tables are still found by UDP, by an invitation or by an address."
    return [Finding(Area.DISCOVERY, Level.NOTE, text, advice)]


def judge_ports(ports: Ports) -> list[Finding]:
    """Whether there is a port to ask, to be asked and to let guests in."""
    found = []
    facts: tuple[Fact, ...] = (
        ("port", ports.number),
        ("udp", ports.udp),
        ("door", ports.door),
        ("any_tcp", ports.any_tcp),
    )
    if not ports.any_tcp:
        text = "No TCP port can be opened, so nobody can connect to this computer."
        advice = "Some other program or a policy of this computer forbids it."
        found.append(Finding(Area.PORTS, Level.STOPS, text, advice, facts))
    if not ports.udp:
        text = f"UDP port {ports.number} belongs to another program that doesn't share it."
        advice = "Find it and end it; until then tables are heard of more slowly."
        found.append(Finding(Area.PORTS, Level.WARNING, text, advice, facts))
    if not ports.door and ports.any_tcp:
        text = f"TCP port {ports.number} is in use, perhaps by a table of this computer."
        advice = "A further table takes another port by itself."
        found.append(Finding(Area.PORTS, Level.NOTE, text, advice, facts))
    if not found:
        text = f"Port {ports.number} is free, for UDP and for TCP."
        found.append(Finding(Area.PORTS, Level.FINE, text, "", facts))
    return found


def judge_firewalls(active: Iterable[Firewall], networks: Sequence[str]) -> list[Finding]:
    """What firewalls that are switched on will do to guests. `networks` as 192.168.1.0/24."""
    found = []
    for one in active:
        commands = {
            Firewall.UFW: [f"sudo ufw allow from {n}" for n in networks],
            Firewall.FIREWALLD: [
                f"sudo firewall-cmd --zone=trusted --add-source={n}" for n in networks
            ],
        }.get(one, [])
        advice = {
            Firewall.UFW: f"Let your network in: {'; '.join(commands)}.",
            Firewall.FIREWALLD: f"Let your network in for now: {'; '.join(commands)}.",
            Firewall.NFTABLES: "Let the addresses of your network in, TCP and UDP.",
            Firewall.WINDOWS: "Allow Python on private networks when Windows asks, or in its "
            "settings.",
            Firewall.MACOS: "Allow Python to receive connections, in System Settings, Network.",
        }[one]
        name = f"{one.value[0].upper()}{one.value[1:]}"
        text = f"{name} is on: it probably keeps guests out."
        facts: tuple[Fact, ...] = (("firewall", one.value),)
        found.append(Finding(Area.FIREWALL, Level.WARNING, text, advice, facts))
    if not found:
        text = "No firewall was found to be on, as far as can be told without privileges."
        found.append(Finding(Area.FIREWALL, Level.FINE, text))
    return found


def judge_peer(peer: Peer) -> list[Finding]:
    """What works between here and the other computer, each direction by itself."""
    facts: list[Fact] = [("place", peer.place)]
    for name, value in (("door", peer.door), ("mesh", peer.mesh), ("udp", peer.udp)):
        if value is not None:
            facts.append((name, value))
    if peer.called_back is not None:
        facts.append(("called_back", peer.called_back))
    told = tuple(facts)
    if peer.door is None:
        advice = "Is a table open there? If so, its firewall keeps guests out."
        if peer.refused:
            advice = "Open a table there, or say at which port it is: HOST:PORT."
        return [Finding(Area.PEER, Level.STOPS, peer.door_error, advice, told)]
    ms = peer.door * 1_000
    text = f"The table {peer.table} at {peer.place} answers in {ms:.1f} ms."
    found = [Finding(Area.PEER, Level.FINE, text, "", told)]
    if peer.mesh is False:
        text = f"The door at {peer.place} answers, but the port that play goes through doesn't."
        advice = "The firewall there has to let in more than the door: all TCP of this network."
        found.append(Finding(Area.PEER, Level.STOPS, text, advice, told))
    if peer.udp is None:
        text = f"{peer.place} doesn't answer by UDP, so its table may be missing in lists."
        advice = "Join it by its address or an invitation."
        found.append(Finding(Area.PEER, Level.WARNING, text, advice, told))
    if peer.called_back is True:
        text = f"{peer.place} can connect to this computer as well: you could host."
        found.append(Finding(Area.PEER, Level.FINE, text, "", told))
    elif peer.called_back is False:
        text = f"{peer.place} couldn't connect back: a firewall here keeps others out."
        advice = "You can join tables; to host one, let your network in."
        found.append(Finding(Area.PEER, Level.WARNING, text, advice, told))
    return found


def judge_clock(wall: float, leapt: float) -> list[Finding]:
    """`wall` is the time of day in seconds since 1970; `leapt` by how much it differs from a clock
    that only ran, since the doctor came."""
    facts: tuple[Fact, ...] = (("time", round(wall, 3)), ("leapt", round(leapt, 3)))
    try:
        shown = datetime.fromtimestamp(wall, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError, OSError):
        shown = f"{wall:.0f} seconds"
    if not CLOCK_FLOOR <= wall <= CLOCK_CEILING:
        text = f"The clock says {shown}, which can't be."
        advice = "Set it: a match needs clocks that agree within a day."
        return [Finding(Area.CLOCK, Level.STOPS, text, advice, facts)]
    if abs(leapt) > LEAP:
        text = f"The clock leapt by {leapt:.1f} s while it was watched."
        advice = "It will be asked anew each time; a broken battery or a virtual machine does this."
        return [Finding(Area.CLOCK, Level.WARNING, text, advice, facts)]
    return [Finding(Area.CLOCK, Level.FINE, f"The clock says {shown}.", "", facts)]


def judge_terminal(terminal: Terminal) -> list[Finding]:
    """Whether the full screen would look right; plain mode works anywhere."""
    facts: tuple[Fact, ...] = (
        ("interactive", terminal.interactive),
        ("encoding", terminal.encoding),
        ("columns", terminal.columns),
        ("lines", terminal.lines),
        ("name", terminal.name),
        ("colours", terminal.colours),
    )
    if terminal.box is not None:
        facts += (("box", terminal.box),)
    if not terminal.interactive:
        text = "Nobody sits at this terminal, so plain lines are used."
        return [Finding(Area.TERMINAL, Level.NOTE, text, "", facts)]
    found = []
    size = f"{terminal.columns}x{terminal.lines}"
    if terminal.encoding.replace("-", "").replace("_", "").lower() not in ("utf8", "cp65001"):
        text = f"The terminal's encoding is {terminal.encoding}, which has no boxes and suits."
        found.append(Finding(Area.TERMINAL, Level.NOTE, text, "Choose UTF-8, or --ascii.", facts))
    if terminal.columns < MIN_COLUMNS or terminal.lines < MIN_LINES:
        text = f"The terminal has {size} characters: too few for a screen of cards."
        advice = f"Make it {FULL_COLUMNS}x{FULL_LINES} or larger; until then plain lines are used."
        found.append(Finding(Area.TERMINAL, Level.NOTE, text, advice, facts))
    if terminal.box is not None and terminal.box != len(BOX):
        text = f"The terminal draws a box of {len(BOX)} characters {terminal.box} wide."
        advice = "Set ambiguous characters to narrow in its settings, or use --ascii."
        found.append(Finding(Area.TERMINAL, Level.WARNING, text, advice, facts))
    if not found:
        text = (
            f"The terminal has {size} characters, {terminal.encoding}, with colours."
            if terminal.colours
            else f"The terminal has {size} characters, {terminal.encoding}, without colours."
        )
        found.append(Finding(Area.TERMINAL, Level.FINE, text, "", facts))
    return found


def judge_libraries(libraries: Libraries) -> list[Finding]:
    """Whether what Busso stands on is there and new enough."""
    number = ".".join(map(str, libraries.zmq))
    facts: tuple[Fact, ...] = (
        ("python", libraries.python),
        ("zmq", number),
        ("curve", libraries.curve),
        ("sodium", libraries.sodium),
        ("zeroconf", libraries.zeroconf),
    )
    found = []
    if libraries.zmq < MIN_ZMQ or not libraries.curve:
        text = (
            f"libzmq {number} can be crashed by strangers."
            if libraries.curve
            else f"libzmq {number} has no encryption."
        )
        advice = "Install pyzmq from a wheel: pip install --force-reinstall pyzmq."
        found.append(Finding(Area.LIBRARIES, Level.STOPS, text, advice, facts))
    if not libraries.sodium:
        text = "libsodium was not found: dealing takes seconds instead of milliseconds."
        advice = "Install it: pip install rbcl, or libsodium from your system."
        found.append(Finding(Area.LIBRARIES, Level.WARNING, text, advice, facts))
    if not found:
        text = (
            f"Python {libraries.python}, libzmq {number}, {libraries.sodium}, "
            f"zeroconf {libraries.zeroconf}."
        )
        found.append(Finding(Area.LIBRARIES, Level.FINE, text, "", facts))
    return found


def judge_folder(folder: Folder) -> list[Finding]:
    """Whether logs and keys can be kept there, and by nobody else read."""
    facts: tuple[Fact, ...] = (("folder", folder.name), ("path", folder.path))
    if folder.free is not None:
        facts += (("free", folder.free),)
    if folder.error:
        text = f"The folder of {folder.name}, {folder.path}, can't be written: {folder.error}."
        advice = "Make it yours, or name another in BUSSO_HOME."
        return [Finding(Area.FOLDERS, Level.STOPS, text, advice, facts)]
    found = []
    if folder.exposed:
        text = f"Other users of this computer can read the identity key in {folder.path}."
        advice = "Take their rights away (chmod 600 identity); if in doubt delete it for a new one."
        found.append(Finding(Area.FOLDERS, Level.STOPS, text, advice, facts))
    if folder.free is not None and folder.free < MIN_FREE:
        text = f"Only {folder.free // 2**20} MB are free where {folder.name} are kept."
        advice = "Make room: a match that can't be written down can't go on."
        found.append(Finding(Area.FOLDERS, Level.WARNING, text, advice, facts))
    if not found:
        text = f"The folder of {folder.name} is {folder.path}."
        found.append(Finding(Area.FOLDERS, Level.FINE, text, "", facts))
    return found


_DROPPED: Final = {
    "over_rate": said("{count} came faster than anybody sends who plays"),
    "malformed": said("{count} couldn't be read"),
    "queue_full": said("{count} found a queue full: a computer or its link was too slow"),
    "no_path": said("{count} had no way to their player"),
    "zap_refused": said("connections refused: {count}"),
    "floods": said("connections cut because they flooded: {count}"),
    "strikes": said("{count} broke the protocol"),
}


def judge_counters(counters: Counters | None) -> list[Finding]:
    """What the last match lost on the way; None if none left its counters."""
    if counters is None:
        return []
    numbers = asdict(counters)
    entries = numbers.pop("entries")
    facts: tuple[Fact, ...] = (
        *numbers.items(),
        *((f"entries_{name}", count) for name, count in entries.items()),
    )
    total = counters.messages_in + counters.messages_out
    lost = {name: numbers[name] for name in _DROPPED if numbers[name]}
    if not lost:
        text = f"The last match sent and received {total} messages and lost none."
        return [Finding(Area.TRAFFIC, Level.FINE, text, "", facts)]
    words = "; ".join(_DROPPED[name].format(count=count) for name, count in lost.items())
    text = f"Of {total} messages of the last match {words}."
    advice = "Lost messages are fetched again; if play was slow, try a cable instead of Wi-Fi."
    return [Finding(Area.TRAFFIC, Level.NOTE, text, advice, facts)]


def worst(findings: Iterable[Finding]) -> Level:
    """The level of the worst of them."""
    return max((finding.level for finding in findings), default=Level.FINE)


_SEVERAL: Final = said("{first}; {rest}")
"""How parts of a sentence are joined here."""


def _and(words: Sequence[str]) -> str:
    return " and ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} and {words[-1]}"
