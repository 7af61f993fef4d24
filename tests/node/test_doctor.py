"""The doctor's judgements on made-up facts, and its trials on the loopback."""

from __future__ import annotations

import json
import os
import socket
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from node.counters import Counters
from node.discovery import Announcer, OpenTable
from node.discovery_sockets import Ether, Way
from node.doctor import (
    Area,
    Finding,
    Firewall,
    Folder,
    Level,
    Libraries,
    Peer,
    Ports,
    Terminal,
    Trial,
    judge_clock,
    judge_counters,
    judge_dns_sd,
    judge_firewalls,
    judge_folder,
    judge_interfaces,
    judge_libraries,
    judge_peer,
    judge_ports,
    judge_terminal,
    judge_trials,
    worst,
)
from node.doctor_trials import (
    _await,
    find_firewalls,
    find_libraries,
    run_program,
    try_folder,
    try_interfaces,
    try_peer,
    try_ports,
    watch_clock,
)
from node.door import Door
from node.interfaces import Address, Interface, Kind
from node.invitation import Place
from protocol.announce import (
    Answer,
    Callback,
    Datagram,
    Query,
    decode_datagram,
    encode_datagram,
)
from protocol.messages import TableCard
from protocol.wire import sign
from tests.node.nodes import PATIENCE
from tests.node.test_discovery import LOOP, loop_only
from tests.protocol.announce_samples import SIGNED
from tests.protocol.wire_samples import ADA, card

HOST = "127.0.0.1"
LAN = Interface("eth0", 2, Kind.ETHERNET, (Address("192.168.1.5", 24),))
WIFI = Interface("wlan0", 3, Kind.WIFI, (Address("10.0.0.5", 24),))
VPN = Interface("wg0", 4, Kind.VPN, (Address("10.8.0.5", 32),))
FINE_PORTS = Ports(28_776, udp=True, door=True, any_tcp=True)
FINE_PEER = Peer("ada.local", "Cucina", door=0.0012, mesh=True, udp=0.001, called_back=True)
FINE_TERMINAL = Terminal(True, "utf-8", 80, 24, "xterm", colours=True, box=4)
FINE_LIBRARIES = Libraries("3.11.7", (4, 3, 5), True, "sodium", "0.154")
NOW = 1_800_000_000.0


def levels(findings: Sequence[Finding]) -> list[Level]:
    return [finding.level for finding in findings]


@pytest.fixture
def port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("", 0))
        number: int = sock.getsockname()[1]
        return number


ALL: dict[str, list[Finding]] = {
    "fine": [
        *judge_interfaces([LAN, LOOP]),
        *judge_trials([Trial("eth0", Kind.ETHERNET, True, True, None)]),
        *judge_dns_sd(""),
        *judge_ports(FINE_PORTS),
        *judge_firewalls([], []),
        *judge_peer(FINE_PEER),
        *judge_clock(NOW, 0.1),
        *judge_terminal(FINE_TERMINAL),
        *judge_libraries(FINE_LIBRARIES),
        *judge_folder(Folder("logs", "x", free=10**12)),
        *judge_counters(Counters(messages_in=5)),
    ],
    "bad": [
        *judge_interfaces([LOOP]),
        *judge_interfaces([LAN, WIFI, VPN, replace(LAN, up=False)]),
        *judge_interfaces([replace(LAN, addresses=(Address("169.254.1.1", 16),))]),
        *judge_trials(
            [Trial("e", Kind.WIFI, *ways) for ways in ((False, True, None), (False,) * 3)]
        ),
        *judge_dns_sd("OSError: no"),
        *judge_ports(Ports(28_776, udp=False, door=False, any_tcp=False)),
        *judge_ports(replace(FINE_PORTS, door=False)),
        *judge_firewalls(Firewall, ["192.168.1.0/24"]),
        *judge_peer(Peer("x", door_error="No answer.")),
        *judge_peer(replace(FINE_PEER, mesh=False, udp=None, called_back=False)),
        *judge_clock(0.0, 0.0),
        *judge_clock(NOW, 9.0),
        *judge_terminal(replace(FINE_TERMINAL, encoding="ascii", columns=40, box=8)),
        *judge_terminal(replace(FINE_TERMINAL, interactive=False)),
        *judge_libraries(replace(FINE_LIBRARIES, curve=False, sodium="")),
        *judge_folder(Folder("logs", "x", error="Permission denied")),
        *judge_folder(Folder("logs", "x", free=1, exposed=True)),
        *judge_counters(Counters(over_rate=3, queue_full=1)),
    ],
}


# -- judgements -------------------------------------------------------------------------------


def test_where_all_is_well_every_area_says_so() -> None:
    assert set(levels(ALL["fine"])) == {Level.FINE}
    assert {finding.area for finding in ALL["fine"]} == set(Area)
    assert all(finding.advice == "" for finding in ALL["fine"])
    assert worst(ALL["fine"]) is Level.FINE
    assert worst([]) is Level.FINE


@pytest.mark.parametrize("finding", [*ALL["fine"], *ALL["bad"]], ids=lambda f: f.text[:30])
def test_each_finding_is_a_sentence_and_what_to_do(finding: Finding) -> None:
    assert finding.text.endswith(".")
    assert finding.text.count("\n") == 0
    if finding.level >= Level.WARNING:
        assert finding.advice.endswith(".")
    names = [name for name, _ in finding.facts]
    assert len(set(names)) == len(names)
    json.dumps(dict(finding.facts))


@pytest.mark.parametrize(
    ("interfaces", "expected"),
    [
        ([LAN, LOOP], [Level.FINE]),
        ([LOOP], [Level.STOPS]),
        ([], [Level.STOPS]),
        ([replace(LAN, up=False), LOOP], [Level.STOPS, Level.NOTE]),
        ([LAN, WIFI], [Level.FINE, Level.FINE, Level.NOTE]),
        ([LAN, VPN], [Level.FINE, Level.NOTE]),
        ([replace(LAN, addresses=(Address("169.254.7.7", 16),))], [Level.NOTE]),
        ([replace(LAN, kind=Kind.CONTAINER)], [Level.FINE]),
    ],
)
def test_interfaces(interfaces: list[Interface], expected: list[Level]) -> None:
    assert levels(judge_interfaces(interfaces)) == expected


@pytest.mark.parametrize(
    ("kind", "ways", "level"),
    [
        (Kind.WIFI, (True, True, True), Level.FINE),
        (Kind.WIFI, (True, True, None), Level.FINE),
        (Kind.WIFI, (False, True, None), Level.NOTE),
        (Kind.WIFI, (True, False, False), Level.NOTE),
        (Kind.WIFI, (False, False, False), Level.WARNING),
        (Kind.VPN, (False, None, None), Level.NOTE),
    ],
)
def test_trials(
    kind: Kind, ways: tuple[bool | None, bool | None, bool | None], level: Level
) -> None:
    assert levels(judge_trials([Trial("x", kind, *ways)])) == [level]
    assert judge_trials([Trial("x", kind, None, None, None)]) == []


def test_ports() -> None:
    assert levels(judge_ports(FINE_PORTS)) == [Level.FINE]
    assert levels(judge_ports(replace(FINE_PORTS, udp=False))) == [Level.WARNING]
    assert levels(judge_ports(replace(FINE_PORTS, door=False))) == [Level.NOTE]
    none = judge_ports(replace(FINE_PORTS, door=False, any_tcp=False))
    assert levels(none) == [Level.STOPS]


def test_firewalls_tell_how_to_let_the_network_in() -> None:
    networks = ["192.168.1.0/24", "10.0.0.0/8"]
    (ufw,) = judge_firewalls([Firewall.UFW], networks)
    assert ufw.level is Level.WARNING
    assert "sudo ufw allow from 192.168.1.0/24; sudo ufw allow from 10.0.0.0/8." in ufw.advice
    assert len(judge_firewalls(Firewall, networks)) == len(Firewall)


def test_peers() -> None:
    assert levels(judge_peer(FINE_PEER)) == [Level.FINE, Level.FINE]
    assert "1.2 ms" in judge_peer(FINE_PEER)[0].text
    (nobody,) = judge_peer(Peer("x", door_error="No answer from x."))
    assert (nobody.level, nobody.text) == (Level.STOPS, "No answer from x.")
    (refused,) = judge_peer(Peer("x", door_error="x is there.", refused=True))
    assert "firewall" in nobody.advice
    assert "HOST:PORT" in refused.advice
    assert Level.STOPS in levels(judge_peer(replace(FINE_PEER, mesh=False)))
    blocked = judge_peer(replace(FINE_PEER, udp=None, called_back=None))
    assert levels(blocked) == [Level.FINE, Level.WARNING]
    inward = judge_peer(replace(FINE_PEER, called_back=False))
    assert levels(inward) == [Level.FINE, Level.WARNING]
    assert "host" in inward[1].advice


@pytest.mark.parametrize(
    ("wall", "leapt", "level"),
    [
        (NOW, 0.0, Level.FINE),
        (NOW, -2.9, Level.FINE),
        (NOW, 3.1, Level.WARNING),
        (NOW, -3_600.0, Level.WARNING),
        (0.0, 0.0, Level.STOPS),
        (1_700_000_000.0, 0.0, Level.STOPS),
        (5e9, 0.0, Level.STOPS),
        (1e300, 0.0, Level.STOPS),
    ],
)
def test_clocks(wall: float, leapt: float, level: Level) -> None:
    assert levels(judge_clock(wall, leapt)) == [level]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, [Level.FINE]),
        ({"box": None}, [Level.FINE]),
        ({"encoding": "UTF_8"}, [Level.FINE]),
        ({"interactive": False, "columns": 1}, [Level.NOTE]),
        ({"encoding": "latin-1"}, [Level.NOTE]),
        ({"columns": 59}, [Level.NOTE]),
        ({"lines": 19}, [Level.NOTE]),
        ({"box": 8}, [Level.WARNING]),
        ({"box": 8, "lines": 3, "encoding": "ascii"}, [Level.NOTE, Level.NOTE, Level.WARNING]),
    ],
)
def test_terminals(changes: dict[str, Any], expected: list[Level]) -> None:
    assert levels(judge_terminal(replace(FINE_TERMINAL, **changes))) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, [Level.FINE]),
        ({"zmq": (4, 3, 1)}, [Level.STOPS]),
        ({"zmq": (4, 3, 2)}, [Level.FINE]),
        ({"curve": False}, [Level.STOPS]),
        ({"sodium": ""}, [Level.WARNING]),
        ({"sodium": "", "curve": False}, [Level.STOPS, Level.WARNING]),
    ],
)
def test_libraries(changes: dict[str, Any], expected: list[Level]) -> None:
    assert levels(judge_libraries(replace(FINE_LIBRARIES, **changes))) == expected


def test_folders() -> None:
    folder = Folder("logs", "x", free=2**40)
    assert levels(judge_folder(folder)) == [Level.FINE]
    assert levels(judge_folder(replace(folder, error="No"))) == [Level.STOPS]
    assert levels(judge_folder(replace(folder, exposed=True))) == [Level.STOPS]
    assert levels(judge_folder(replace(folder, free=2**20))) == [Level.WARNING]


def test_what_the_last_match_lost() -> None:
    assert judge_counters(None) == []
    (fine,) = judge_counters(Counters(messages_in=7, messages_out=5))
    assert fine.level is Level.FINE
    assert "12 messages" in fine.text
    (lost,) = judge_counters(Counters(messages_in=7, malformed=3, no_path=2))
    assert lost.level is Level.NOTE
    assert "3 couldn't be read" in lost.text
    assert "2 had no way" in lost.text
    facts = dict(lost.facts)
    assert facts["malformed"] == 3
    assert facts["entries_forged"] == 0
    assert len(facts) >= len(fields(Counters))


# -- trials -----------------------------------------------------------------------------------


def test_what_is_sent_through_an_interface_comes_back() -> None:
    seen = replace(LOOP, kind=Kind.ETHERNET)  # the loopback itself is left out
    (trial,) = try_interfaces([seen, LOOP, replace(seen, up=False)], patience=PATIENCE)
    assert trial == Trial("lo", Kind.ETHERNET, multicast4=True, broadcast=True, multicast6=None)


def test_what_never_comes_back_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Ether, "receive", lambda self, ready: [s.recv(9) for s in ready][:0])
    (trial,) = try_interfaces([replace(LOOP, kind=Kind.WIFI)], patience=0.01)
    assert trial == Trial("lo", Kind.WIFI, multicast4=False, broadcast=False, multicast6=None)


def test_what_others_send_is_not_ours(port: int) -> None:
    ether = Ether(port)
    try:
        ether.refresh([LOOP])
        for token in (b"stranger", b"our own!"):
            assert ether.broadcast(encode_datagram(Query(token)))
        assert _await(ether, {b"our own!": Way.DIRECTED}, PATIENCE) == {Way.DIRECTED}
    finally:
        ether.close()


def test_an_interface_without_an_address_of_ours_is_not_tried() -> None:
    (trial,) = try_interfaces([LAN], patience=PATIENCE)
    assert (trial.multicast4, trial.broadcast, trial.multicast6) == (None, None, None)


def test_ports_of_others_are_noticed(port: int) -> None:
    assert try_ports(port) == Ports(port, udp=True, door=True, any_tcp=True)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as selfish, socket.socket() as table:
        selfish.bind(("", port))
        table.bind(("", port))
        table.listen()
        assert try_ports(port) == Ports(port, udp=False, door=False, any_tcp=True)


def test_programs_are_run_or_not() -> None:
    assert (run_program([sys.executable, "-c", "print('è')"]) or "").strip() == "è"
    assert run_program([sys.executable, "-c", "raise SystemExit(3)"]) is None
    assert run_program(["there-is-no-such-program"]) is None


def saying(**answers: str) -> Callable[[Sequence[str]], str | None]:
    return lambda argv: answers.get(Path(argv[0]).name.replace("-", "_"))


DROPPING = json.dumps(
    {"nftables": [{"metainfo": {}}, {"chain": {"hook": "input", "policy": "drop", "name": "i"}}]}
)


@pytest.mark.parametrize(
    ("platform", "answers", "ufw", "found"),
    [
        ("linux", {}, None, []),
        ("linux", {}, "# x\nENABLED=yes\n", [Firewall.UFW]),
        ("linux", {}, " Enabled = YES \n", [Firewall.UFW]),
        ("linux", {}, "ENABLED=no\n# ENABLED=yes\n", []),
        ("linux", {"firewall_cmd": "running\n"}, None, [Firewall.FIREWALLD]),
        ("linux", {"firewall_cmd": "not running\n"}, None, []),
        ("linux", {"nft": DROPPING}, None, [Firewall.NFTABLES]),
        ("linux", {"nft": DROPPING}, "ENABLED=yes", [Firewall.UFW]),
        ("linux", {"nft": DROPPING.replace("drop", "accept")}, None, []),
        ("linux", {"nft": DROPPING.replace("input", "forward")}, None, []),
        ("linux", {"nft": "[]"}, None, []),
        ("linux", {"nft": '{"nftables": [1]}'}, None, []),
        ("linux", {"nft": "noise"}, None, []),
        ("darwin", {"socketfilterfw": "Firewall is enabled. (State = 1)"}, None, [Firewall.MACOS]),
        ("darwin", {"socketfilterfw": "Firewall is disabled. (State = 0)"}, None, []),
        ("win32", {"netsh": "Profile:\n----\nState    ON\nOk."}, None, [Firewall.WINDOWS]),
        ("win32", {"netsh": "Profile:\n----\nState    OFF\nOk."}, None, []),
        ("win32", {}, None, []),
    ],
)
def test_firewalls_that_can_be_seen(
    platform: str, answers: dict[str, str], ufw: str | None, found: list[Firewall], tmp_path: Path
) -> None:
    if ufw is not None:
        (tmp_path / "etc/ufw").mkdir(parents=True)
        (tmp_path / "etc/ufw/ufw.conf").write_text(ufw, "utf-8")
    assert find_firewalls(saying(**answers), platform=platform, root=tmp_path) == found


def test_libraries_of_this_computer() -> None:
    found = find_libraries()
    assert found.curve
    assert found.zmq >= (4, 3, 2)
    assert found.python.startswith("3.")


def test_folders_of_this_computer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = try_folder("logs", tmp_path)
    assert (there.error, there.exposed) == ("", False)
    assert there.free is not None
    assert there.free > 0
    assert try_folder("logs", tmp_path / "not" / "yet").error == ""
    assert not (tmp_path / "not").exists()
    if os.name == "posix":
        (tmp_path / "identity").touch(mode=0o600)
        assert not try_folder("keys", tmp_path).exposed
        (tmp_path / "identity").chmod(0o640)
        assert try_folder("keys", tmp_path).exposed

    def refuse(**_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(tempfile, "TemporaryFile", refuse)
    assert try_folder("logs", tmp_path).error == "Permission denied"


def test_a_clock_that_leaps_is_watched() -> None:
    day, leapt = watch_clock((10.0, 1_000.0), lambda: 12.0, lambda: 1_010.0)
    assert (day, leapt) == (1_010.0, 8.0)


# -- together ---------------------------------------------------------------------------------


class Table:
    """A door, a mesh port that takes connections, and an announcer, on the loopback."""

    def __init__(self, port: int, *, mesh: bool = True, announced: bool = True) -> None:
        self._mesh = socket.create_server((HOST, 0))
        shown: TableCard = sign(
            TableCard(**{**_fields(card()), "port": self._mesh.getsockname()[1]}), ADA
        )
        if not mesh:
            self._mesh.close()
        self.door = Door(lambda: shown, host=HOST)
        table = OpenTable.of(shown, "Ada", 7_000)
        self._announcer = Announcer(ADA, table, port=port, dns_sd=False, scan_now=loop_only)
        self._announced = announced

    def __enter__(self) -> Table:
        self.door.start()
        if self._announced:
            self._announcer.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.door.stop()
        self._announcer.stop()
        self._mesh.close()


def _fields(shown: TableCard) -> dict[str, Any]:
    return {f.name: getattr(shown, f.name) for f in fields(TableCard)}


def test_a_table_is_tried_in_both_directions(port: int) -> None:
    with Table(port) as table:
        peer = try_peer(Place(HOST, table.door.port), port, patience=PATIENCE)
    assert (peer.table, peer.door_error) == ("Ada's table", "")
    assert (peer.mesh, peer.called_back) == (True, True)
    assert peer.door is not None
    assert peer.udp is not None


def test_what_is_closed_is_noticed(port: int) -> None:
    with Table(port, mesh=False, announced=False) as table:
        peer = try_peer(Place(HOST, table.door.port), port, patience=0.3)
    assert (peer.mesh, peer.udp, peer.called_back) == (False, None, None)
    assert peer.door is not None
    nobody = try_peer(Place(HOST, table.door.port), port, patience=0.3)
    assert nobody.door is None
    assert "no table is open" in nobody.door_error
    assert nobody.refused


def test_a_table_that_can_not_call_back_is_noticed(port: int) -> None:
    with Table(port, announced=False) as table, socket.socket(type=socket.SOCK_DGRAM) as there:
        there.bind((HOST, port))
        there.settimeout(PATIENCE)
        heard: list[Datagram] = []

        def answer() -> None:
            """Noise, an answer to somebody else, then as a table does; no callback."""
            for number in range(4):
                data, name = there.recvfrom(2_048)
                heard.append(decode_datagram(data))
                if number == 0:
                    there.sendto(b"noise", name)
                elif isinstance(heard[-1], Query):
                    token = b"anothers" if number == 1 else heard[-1].token
                    there.sendto(encode_datagram(Answer(token, SIGNED)), name)

        thread = threading.Thread(target=answer)
        thread.start()
        peer = try_peer(Place(HOST, table.door.port), port, patience=0.5)
        thread.join()
    assert [type(one) for one in heard] == [Query, Query, Query, Callback]
    assert peer.udp is not None
    assert peer.called_back is False
