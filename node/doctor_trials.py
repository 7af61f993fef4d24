"""Gathering the facts for `node.doctor`: what can be tried from here, and with another computer.

Law: this file tries and measures; it judges nothing. It opens sockets of its own on ports of its
own and sends to groups and broadcasts of this link alone, reads files that anybody may read, and
runs only programs that are handed to it as `run`. Whatever fails is a fact, not an error.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import selectors
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from node.discovery_dnssd import DnsSdBrowser
from node.discovery_sockets import Ether, Way
from node.doctor import Firewall, Folder, Libraries, Peer, Ports, Trial
from node.door import find_table
from node.errors import DoorError
from node.interfaces import Interface, Kind
from node.invitation import Place
from protocol.announce import (
    MAX_DATAGRAM,
    Answer,
    Callback,
    Query,
    decode_datagram,
    encode_datagram,
)
from protocol.files import reason
from protocol.group import choose_group
from protocol.group_python import PythonGroup
from protocol.messages import TOKEN_SIZE
from protocol.wire import WireError

PATIENCE: Final = 0.5
"""Seconds that a datagram to ourselves gets to come back."""
PEER_PATIENCE: Final = 3.0
_RUN_PATIENCE: Final = 5.0

Run = Callable[[Sequence[str]], str | None]
"""Runs a program and returns what it printed; None if there is none or it failed."""


def run_program(argv: Sequence[str]) -> str | None:
    """A `Run` for this computer: a bounded time, no input, no shell."""
    if shutil.which(argv[0]) is None:
        return None
    try:
        done = subprocess.run(  # noqa: S603 - the callers name the programs, nobody else does
            list(argv),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_RUN_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


# -- discovery --------------------------------------------------------------------------------


def try_interfaces(
    interfaces: Sequence[Interface],
    *,
    random: Callable[[int], bytes] = secrets.token_bytes,
    patience: float = PATIENCE,
) -> list[Trial]:
    """Send to ourselves through each interface that is up, by each way, and see what comes back.

    On a port that nobody else uses, so that no table of this computer is bothered.
    """
    outward = (one for one in interfaces if one.up and one.kind is not Kind.LOOPBACK)
    return [_try_interface(one, random, patience) for one in outward]


def _try_interface(one: Interface, random: Callable[[int], bytes], patience: float) -> Trial:
    wanted: dict[bytes, Way] = {}
    ether = Ether(_free_port())
    try:
        ether.refresh([one])
        for way, querier, name in ether.ways():
            token = random(TOKEN_SIZE)
            if ether.send(encode_datagram(Query(token)), querier, name):
                wanted[token] = way
        tried = {way for way, _, _ in ether.ways()}
        back = _await(ether, wanted, patience)
    finally:
        ether.close()

    def result(*ways: Way) -> bool | None:
        """Whether any of these came back; None if none was tried."""
        return any(w in back for w in ways) if tried & set(ways) else None

    return Trial(
        one.name,
        one.kind,
        multicast4=result(Way.MULTICAST4),
        broadcast=result(Way.DIRECTED, Way.LIMITED),
        multicast6=result(Way.MULTICAST6),
    )


def _await(ether: Ether, wanted: dict[bytes, Way], patience: float) -> set[Way]:
    """The ways by which the tokens in `wanted` arrived at a listener."""
    back: set[Way] = set()
    deadline = time.monotonic() + patience
    with selectors.DefaultSelector() as selector:
        for sock in ether.sockets:
            selector.register(sock, selectors.EVENT_READ)
        while back != set(wanted.values()) and (left := deadline - time.monotonic()) > 0:
            ready = [key.fileobj for key, _ in selector.select(left)]
            for datagram in ether.receive(s for s in ready if isinstance(s, socket.socket)):
                with contextlib.suppress(WireError):
                    query = decode_datagram(datagram.data)
                    if isinstance(query, Query) and query.token in wanted:
                        back.add(wanted[query.token])
    return back


def _free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("", 0))
        number: int = sock.getsockname()[1]
        return number


def try_dns_sd(interfaces: Sequence[Interface]) -> str:
    """What keeps zeroconf from opening on these interfaces, "" if nothing does."""
    browser = DnsSdBrowser(lambda news: None, tuple(interfaces))
    browser.start()
    browser.stop()
    return browser.problem


def try_ports(number: int) -> Ports:
    """Which ports this computer gives away."""
    ether = Ether(number)
    try:
        ether.refresh([])
        udp = ether.listening
    finally:
        ether.close()
    return Ports(number, udp, _listens(number), _listens(0))


def _listens(port: int) -> bool:
    try:
        socket.create_server(("", port)).close()
    except OSError:
        return False
    return True


# -- the firewall -----------------------------------------------------------------------------


def find_firewalls(
    run: Run, *, platform: str = sys.platform, root: Path = Path("/")
) -> list[Firewall]:
    """The firewalls that are known to be on; what needs privileges to be read is left unknown."""
    if platform == "win32":
        said = run(["netsh", "advfirewall", "show", "currentprofile", "state"]) or ""
        # Windows says it in its own language; in another than these it stays unknown.
        on = {word.upper() for word in said.split()} & {"ON", "ATTIVATO", "ATTIVA", "EIN"}
        return [Firewall.WINDOWS] if on else []
    if platform == "darwin":
        tool = "/usr/libexec/ApplicationFirewall/socketfilterfw"
        said = run([tool, "--getglobalstate"]) or ""
        return [Firewall.MACOS] if "State = 1" in said or "State = 2" in said else []
    found = []
    with contextlib.suppress(OSError, UnicodeDecodeError):
        lines = (root / "etc/ufw/ufw.conf").read_text("utf-8").lower().splitlines()
        if "enabled=yes" in [line.replace(" ", "").strip() for line in lines]:
            found.append(Firewall.UFW)
    if (run(["firewall-cmd", "--state"]) or "").strip() == "running":
        found.append(Firewall.FIREWALLD)
    if not found and _drops(run(["nft", "-j", "list", "ruleset"])):
        found.append(Firewall.NFTABLES)
    return found


def _drops(ruleset: str | None) -> bool:
    """Whether a chain for what comes in drops what no rule lets in."""
    try:
        parts = json.loads(ruleset or "{}").get("nftables", [])
        chains: list[Any] = [part["chain"] for part in parts if "chain" in part]
        return any(c.get("hook") == "input" and c.get("policy") == "drop" for c in chains)
    except (ValueError, TypeError, AttributeError, RecursionError):
        return False


# -- another computer -------------------------------------------------------------------------


def try_peer(
    place: Place,
    udp_port: int,
    *,
    patience: float = PEER_PATIENCE,
    random: Callable[[int], bytes] = secrets.token_bytes,
    clock: Callable[[], float] = time.perf_counter,
) -> Peer:
    """What works between here and the table at `place`, each direction by itself."""
    peer = Peer(str(place))
    begun = clock()
    try:
        card, host = find_table(place.host, place.port, patience)
    except DoorError as error:
        refused = isinstance(error.__cause__, ConnectionRefusedError)
        return replace(peer, door_error=str(error), refused=refused)
    peer = replace(peer, table=card.name, door=clock() - begun)
    mesh = _connects(host, card.port, patience)
    try:
        infos = socket.getaddrinfo(host, udp_port, type=socket.SOCK_DGRAM)
        family, kind, _, _, name = infos[0]
        with socket.socket(family, kind) as sock:
            sock.settimeout(patience / 3)
            udp = _udp_ping(sock, name, random, clock)
            back = None if udp is None else _call_back(sock, name, family, patience, random)
    except OSError:
        udp, back = None, None
    return replace(peer, mesh=mesh, udp=udp, called_back=back)


def _connects(host: str, port: int, patience: float) -> bool:
    try:
        socket.create_connection((host, port), patience).close()
    except OSError:
        return False
    return True


def _udp_ping(
    sock: socket.socket,
    name: tuple[Any, ...],
    random: Callable[[int], bytes],
    clock: Callable[[], float],
) -> float | None:
    """Seconds until a table there answered; three questions, since one may get lost."""
    for _ in range(3):
        token = random(TOKEN_SIZE)
        begun = clock()
        try:
            sock.sendto(encode_datagram(Query(token)), name)
            answer = decode_datagram(sock.recv(MAX_DATAGRAM))
        except (OSError, WireError):
            continue
        if isinstance(answer, Answer) and answer.token == token:
            return clock() - begun
    return None


def _call_back(
    sock: socket.socket,
    name: tuple[Any, ...],
    family: int,
    patience: float,
    random: Callable[[int], bytes],
) -> bool | None:
    """Whether the table there could connect to us; None if we can't be connected to by anybody."""
    token = random(TOKEN_SIZE)
    deadline = time.monotonic() + patience
    try:
        server = socket.create_server(("", 0), family=socket.AddressFamily(family))
    except OSError:
        return None
    with server:
        port = server.getsockname()[1]
        sock.sendto(encode_datagram(Callback(token, port)), name)
        while (left := deadline - time.monotonic()) > 0:
            server.settimeout(left)
            try:
                connection, _ = server.accept()
                with connection:
                    connection.settimeout(max(0.001, deadline - time.monotonic()))
                    if connection.recv(TOKEN_SIZE, socket.MSG_WAITALL) == token:
                        return True
            except OSError:
                continue
    return False


# -- this computer ----------------------------------------------------------------------------


def find_libraries() -> Libraries:
    """What is installed."""
    import zeroconf  # noqa: PLC0415  # slow
    import zmq  # noqa: PLC0415  # slow

    major, minor, patch = (*zmq.zmq_version_info(), 0, 0, 0)[:3]
    group = choose_group({})
    return Libraries(
        python=".".join(map(str, sys.version_info[:3])),
        zmq=(int(major), int(minor), int(patch)),
        curve=bool(zmq.has("curve")),
        sodium="" if isinstance(group, PythonGroup) else group.backend,
        zeroconf=zeroconf.__version__,
    )


def try_folder(name: str, path: Path) -> Folder:
    """Write a file where Busso would, or in the next folder above that exists."""
    place = path
    while not place.exists() and place != place.parent:
        place = place.parent
    folder = Folder(name, str(path))
    try:
        with tempfile.TemporaryFile(dir=place) as file:
            file.write(b"busso")
        folder = replace(folder, free=shutil.disk_usage(place).free)
    except OSError as error:
        return replace(folder, error=reason(error))
    if os.name == "posix":
        with contextlib.suppress(OSError):
            mode = stat.S_IMODE((path / "identity").stat().st_mode)
            folder = replace(folder, exposed=bool(mode & 0o077))
    return folder


def watch_clock(
    since: tuple[float, float],
    clock: Callable[[], float] = time.monotonic,
    wall: Callable[[], float] = time.time,
) -> tuple[float, float]:
    """The time of day, and by how many seconds it leapt since `since` (clock, wall)."""
    now, day = clock(), wall()
    return day, (day - since[1]) - (now - since[0])
