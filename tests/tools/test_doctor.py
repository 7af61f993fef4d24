"""`busso doctor`: how findings are told, to people and to programs; what a terminal answers."""

from __future__ import annotations

import io
import os
import select
import sys
import threading
from collections.abc import Callable
from dataclasses import replace

import pytest

from node import doctor_trials
from node.counters import Counters
from node.doctor import (
    BOX,
    Area,
    Firewall,
    Folder,
    Level,
    Libraries,
    Peer,
    Ports,
    Terminal,
    Trial,
)
from node.interfaces import Address, Interface, Kind
from node.invitation import Place, invite
from tests.protocol.wire_samples import card
from tests.tools.running import Stream, busso
from tools import doctor
from tools.doctor_terminal import ask_width, find_terminal
from tools.places import data_folder

LAN = Interface("eth0", 2, Kind.ETHERNET, (Address("192.168.1.5", 24),))
LOOP = Interface("lo", 1, Kind.LOOPBACK, (Address("127.0.0.1", 8),))


class Computer:
    """A healthy computer, until a test makes it ill; what was tried with whom."""

    def __init__(self) -> None:
        self.interfaces: tuple[Interface, ...] = (LAN, LOOP)
        self.trials = [Trial("eth0", Kind.ETHERNET, True, True, None)]
        self.dns_sd = ""
        self.ports = Ports(28_776, udp=True, door=True, any_tcp=True)
        self.firewalls: list[Firewall] = []
        self.libraries = Libraries("3.11.7", (4, 3, 5), True, "sodium", "0.154")
        self.folder_error = ""
        self.answering: set[str] = set()
        self.asked: list[Place] = []

    def peer(self, place: Place, port: int) -> Peer:
        self.asked.append(place)
        if place.host not in self.answering:
            return Peer(str(place), door_error=f"No answer from {place}.")
        return Peer(str(place), "Cucina", door=0.001, mesh=True, udp=0.001, called_back=True)


@pytest.fixture
def computer(monkeypatch: pytest.MonkeyPatch) -> Computer:
    one = Computer()
    monkeypatch.setattr(doctor, "scan", lambda only: one.interfaces)
    for name, answer in {
        "try_interfaces": lambda interfaces: one.trials,
        "try_dns_sd": lambda interfaces: one.dns_sd,
        "try_ports": lambda number: one.ports,
        "find_firewalls": lambda run: one.firewalls,
        "find_libraries": lambda: one.libraries,
        "try_folder": lambda name, path: Folder(name, "x", error=one.folder_error, free=2**40),
        "try_peer": one.peer,
        "watch_clock": lambda since: (1_800_000_000.0, 0.0),
    }.items():
        monkeypatch.setattr(doctor_trials, name, answer)
    return one


def test_a_healthy_computer(computer: Computer) -> None:
    said = busso("doctor")
    assert (said.code, said.err) == (0, "")
    lines = said.out.splitlines()
    assert lines[-1] == "✓ Nothing keeps this computer from playing."
    assert lines[0].startswith("✓ eth0 (probably a cable): 192.168.1.5/24.")
    assert "✓ Port 28776 is free, for UDP and for TCP." in lines


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (lambda c: setattr(c, "interfaces", (LOOP,)), "on no network"),
        (lambda c: setattr(c, "ports", replace(c.ports, any_tcp=False)), "No TCP port"),
        (lambda c: setattr(c, "libraries", replace(c.libraries, curve=False)), "no encryption"),
        (lambda c: setattr(c, "folder_error", "Permission denied"), "can't be written"),
    ],
)
def test_what_stops_play_is_4(
    computer: Computer, break_it: Callable[[Computer], None], words: str
) -> None:
    break_it(computer)
    said = busso("doctor")
    assert said.code == 4
    assert said.err == ""
    assert [line for line in said.out.splitlines() if line.startswith("✗") and words in line]
    assert said.out.splitlines()[-1].startswith("✗ Something keeps this computer")
    assert busso("doctor", "--json").json()["ok"] is False


def test_what_only_hinders_is_0(computer: Computer) -> None:
    computer.firewalls = [Firewall.UFW]
    computer.dns_sd = "OSError: no"
    said = busso("doctor")
    assert said.code == 0
    assert "! Ufw is on: it probably keeps guests out. Let your network in: sudo ufw allow" in (
        said.out
    )
    assert "from 192.168.1.0/24." in said.out
    assert "· DNS-SD doesn't work: OSError: no." in said.out
    assert said.out.splitlines()[-1].startswith("Play is possible")


def test_quiet_leaves_out_what_is_fine(computer: Computer) -> None:
    computer.firewalls = [Firewall.UFW]
    lines = busso("doctor", "-q").out.splitlines()
    assert [line[0] for line in lines] == ["!", "P"]


def test_for_programs(computer: Computer) -> None:
    value = busso("doctor", "--json").json()
    assert value["ok"] is True
    areas = {finding["area"] for finding in value["findings"]}
    assert areas == {area.value for area in Area} - {"peer", "traffic"}
    assert {finding["level"] for finding in value["findings"]} <= {
        level.name.lower() for level in Level
    }
    (lan,) = [f for f in value["findings"] if f["area"] == "interfaces"]
    assert lan["facts"]["kind"] == "ethernet"
    assert set(lan) == {"area", "level", "text", "advice", "facts"}


def test_names_of_the_system_do_not_steer_the_terminal(computer: Computer) -> None:
    computer.interfaces = (replace(LAN, name="e\x1b[2J\u202e"), LOOP)
    said = busso("doctor")
    assert "\x1b" not in said.out
    assert "\u202e" not in said.out
    assert "e?[2J?" in said.out


def test_the_last_match_is_told(computer: Computer) -> None:
    assert "last match" not in busso("doctor").out
    Counters(messages_in=5, malformed=2).save(data_folder())
    assert "2 couldn't be read" in busso("doctor").out
    (data_folder() / "counters.json").write_text("noise", "utf-8")
    said = busso("doctor")
    assert said.code == 0
    assert "· counters.json isn't what this program wrote." in said.out


# -- with another computer --------------------------------------------------------------------


def test_a_table_is_asked_at_its_place(computer: Computer) -> None:
    computer.answering = {"ada.local"}
    said = busso("doctor", "ada.local:7000")
    assert said.code == 0
    assert computer.asked == [Place("ada.local", 7_000)]
    assert "The table Cucina at ada.local:7000 answers in 1.0 ms." in said.out
    assert "you could host" in said.out


def test_of_an_invitation_the_first_place_that_answers_counts(computer: Computer) -> None:
    computer.answering = {"10.0.0.2"}
    text = str(invite(card(), ["10.0.0.1", "10.0.0.2", "10.0.0.3"], 7_000))
    said = busso("doctor", text)
    assert said.code == 0
    assert [place.host for place in computer.asked] == ["10.0.0.1", "10.0.0.2"]
    assert "No answer" not in said.out
    computer.answering = set()
    said = busso("doctor", text)
    assert said.code == 4
    assert said.out.count("No answer from") == 3


@pytest.mark.parametrize("target", ["300.1.1.1", "a b", "busso1" + "0" * 40])
def test_what_is_no_place_is_a_usage_error(computer: Computer, target: str) -> None:
    said = busso("doctor", target)
    assert said.code == 2
    said.complaint()
    assert computer.asked == []


def test_an_interface_that_is_not_there_is_one_sentence() -> None:
    said = busso("doctor", "--iface", "eth99")
    assert said.code == 4
    assert "There is no interface eth99" in said.complaint()


def test_the_real_computer_is_examined() -> None:
    value = busso("doctor", "--json", "--iface", _loopback()).json()
    findings = {finding["area"]: finding for finding in value["findings"]}
    assert findings["interfaces"]["level"] == "stops"  # the loopback alone is no network
    assert findings["libraries"]["facts"]["curve"] is True
    assert findings["folders"]["level"] == "fine"


def _loopback() -> str:
    from node.interfaces import scan  # noqa: PLC0415  # for this alone

    return next(one.name for one in scan() if one.kind is Kind.LOOPBACK)


# -- terminals --------------------------------------------------------------------------------


class Screen:
    """The other end of a terminal: answers where its cursor is, or whatever it is told to."""

    def __init__(self, answer: bytes | None = None) -> None:
        import pty  # noqa: PLC0415  # POSIX only

        self.master, self.slave = pty.openpty()
        self.seen = b""
        self._answer = answer
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        asked = False
        while not self.seen.endswith(b"\r\x1b[K"):
            self.seen += os.read(self.master, 64)
            if b"\x1b[6n" in self.seen and not asked:
                asked = True
                text = self.seen.partition(b"\x1b[6n")[0].rpartition(b"\r")[2].decode("utf-8")
                answer = b"\x1b[7;%dR" % (len(text) + 1)
                os.write(self.master, answer if self._answer is None else self._answer)

    def __enter__(self) -> Screen:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._thread.join()
        os.close(self.master)
        os.close(self.slave)


needs_terminals = pytest.mark.skipif(
    sys.platform == "win32", reason="there are no pseudo terminals"
)


@needs_terminals
@pytest.mark.parametrize(
    ("answer", "width"),
    [
        (None, 4),
        (b"\x1b[1;9R", 8),
        (b"j\x1b[A\x1b[24;5R", 4),  # somebody types meanwhile
        (b"\x1b[1;xR", None),
        (b"\x1b[1;123456R", None),
        (b"x" * 200, None),
    ],
)
def test_a_terminal_says_how_wide_a_box_is(
    monkeypatch: pytest.MonkeyPatch, answer: bytes | None, width: int | None
) -> None:
    monkeypatch.setattr(os, "tcgetpgrp", lambda fd: os.getpgrp())
    with Screen(answer) as screen:
        assert ask_width(screen.slave, screen.slave, BOX, "utf-8") == width


@needs_terminals
def test_a_terminal_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    import termios  # noqa: PLC0415  # POSIX only

    monkeypatch.setattr(os, "tcgetpgrp", lambda fd: os.getpgrp())
    with Screen() as screen:
        before = termios.tcgetattr(screen.slave)
        ask_width(screen.slave, screen.slave, BOX, "utf-8")
        assert termios.tcgetattr(screen.slave) == before


@needs_terminals
def test_what_is_no_terminal_is_not_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    reader, writer = os.pipe()
    try:
        assert ask_width(reader, writer, BOX, "utf-8") is None
        monkeypatch.setattr(os, "tcgetpgrp", lambda fd: os.getpgrp() + 1)
        assert ask_width(reader, writer, BOX, "utf-8") is None
        monkeypatch.setattr(os, "tcgetpgrp", lambda fd: os.getpgrp())
        assert ask_width(reader, writer, BOX, "ascii") is None
        assert ask_width(reader, writer, BOX, "utf-8") is None
    finally:
        os.close(reader)
        os.close(writer)


@needs_terminals
def test_a_job_in_the_background_asks_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    import pty  # noqa: PLC0415  # POSIX only

    monkeypatch.setattr(os, "tcgetpgrp", lambda fd: os.getpgrp() + 1)
    master, slave = pty.openpty()
    try:
        assert ask_width(slave, slave, BOX, "utf-8") is None
        assert select.select([master], [], [], 0)[0] == []
    finally:
        os.close(master)
        os.close(slave)


@pytest.mark.parametrize(
    ("flags", "asked"), [((), True), (("--json",), False), (("--plain",), False)]
)
def test_a_terminal_that_wants_none_gets_no_control_sequence(
    computer: Computer, monkeypatch: pytest.MonkeyPatch, flags: tuple[str, ...], asked: bool
) -> None:
    calls: list[bool] = []

    def find(*_: object, ask: bool) -> Terminal:
        calls.append(ask)
        return Terminal(False, "utf-8", 80, 24, "xterm", colours=False)

    monkeypatch.setattr(doctor, "find_terminal", find)
    busso("doctor", *flags)
    assert calls == [asked]


@needs_terminals
def test_a_terminal_is_only_asked_if_it_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "tcgetpgrp", lambda fd: os.getpgrp())
    with Screen() as screen, os.fdopen(os.dup(screen.slave), "w", encoding="utf-8") as stream:
        found = find_terminal(stream, stream, {"TERM": "xterm"})
        assert found.box == 4
        assert find_terminal(stream, stream, {"TERM": "xterm"}, ask=False).box is None
        assert find_terminal(stream, stream, {"TERM": "dumb"}).box is None
        assert screen.seen.count(b"\x1b[6n") == 1


def test_terminals_are_described() -> None:
    found = find_terminal(Stream("utf-8", terminal=False), None, {"TERM": "xterm"})
    assert (found.interactive, found.encoding, found.box) == (False, "utf-8", None)
    both = find_terminal(
        Stream("utf-8", terminal=True), Stream("utf-8", terminal=True), {"TERM": "xterm"}
    )
    assert both.interactive
    assert both.colours
    assert both.box is None  # these streams have no file descriptors
    dumb = find_terminal(Stream("ascii", terminal=True), io.StringIO(), {"TERM": "dumb"})
    assert (dumb.interactive, dumb.colours) == (False, False)
