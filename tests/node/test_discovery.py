"""Announcers and browsers over real sockets, on the loopback alone.

Their clocks are the tests': a browser whose clock stands still asks once and then only listens.
"""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace

import pytest

from node.discovery import Announcer, Browser, OpenTable
from node.discovery_dnssd import Found, Gone
from node.discovery_listing import Listed, Way
from node.discovery_sockets import shared_socket
from node.errors import MeshError, NodeFailed, Unreachable
from node.interfaces import Address, Interface, Kind, NoSuchInterface, choose
from protocol.announce import (
    MAX_DATAGRAM,
    UNASKED,
    Answer,
    Callback,
    Phase,
    Query,
    decode_datagram,
    encode_datagram,
)
from protocol.errors import LocalProtocolError
from protocol.identity import fingerprint
from protocol.messages import TableCard
from tests.node.nodes import PATIENCE
from tests.node.test_discovery_listing import service
from tests.protocol.announce_samples import ADA, BRUNO, SIGNED
from tests.protocol.wire_samples import card

HOST = "127.0.0.1"
LOOP = Interface("lo", 1, Kind.LOOPBACK, (Address(HOST, 8),))
NOWHERE = Interface("eth7", 99, Kind.ETHERNET, (Address("192.0.2.200", 24), Address("fe80::9", 64)))
TABLE = OpenTable.of(card(), "Ada", 7000, rules="marche")


@pytest.fixture(autouse=True)
def _no_thread_left() -> Iterator[None]:
    yield
    left = [t.name for t in threading.enumerate() if t.name.startswith("busso-")]
    assert not [name for name in left if name != "busso-prober"]


@pytest.fixture
def port() -> int:
    """A UDP port that nobody uses."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("", 0))
        number: int = sock.getsockname()[1]
        return number


class Clock:
    """Stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def loop_only(only: str | None) -> tuple[Interface, ...]:
    return choose((NOWHERE, LOOP), only)


def announcer(port: int, table: OpenTable = TABLE, **options: object) -> Announcer:
    settings: dict[str, object] = {"dns_sd": False, "scan_now": loop_only} | options
    return Announcer(ADA, table, port=port, **settings)  # type: ignore[arg-type] # each test its own


class Guest:
    """A browser and what it told."""

    def __init__(self, port: int, **options: object) -> None:
        self._news = threading.Condition()
        self._tables: tuple[Listed, ...] = ()
        settings: dict[str, object] = {"dns_sd": False, "scan_now": loop_only} | options
        self.browser = Browser(self._note, port=port, **settings)  # type: ignore[arg-type] # as above

    def _note(self, tables: tuple[Listed, ...]) -> None:
        with self._news:
            self._tables = tables
            self._news.notify_all()

    def wait(self, test: Callable[[tuple[Listed, ...]], bool]) -> tuple[Listed, ...]:
        with self._news:
            assert self._news.wait_for(lambda: test(self._tables), PATIENCE), self._tables
            return self._tables

    def table(self, test: Callable[[Listed], bool] = lambda _: True) -> Listed:
        return self.wait(lambda tables: len(tables) == 1 and test(tables[0]))[0]

    def __enter__(self) -> Guest:
        self.browser.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.browser.stop()


def until(test: Callable[[], bool]) -> None:
    """Wait for something that another thread does."""
    gate = threading.Event()
    for _ in range(int(PATIENCE * 200)):
        if test():
            return
        gate.wait(0.005)
    pytest.fail("it never happened")


@pytest.fixture
def stranger() -> Iterator[socket.socket]:
    """A socket that nobody knows, on this computer."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind((HOST, 0))
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        sock.settimeout(PATIENCE)
        yield sock


# -- finding ----------------------------------------------------------------------------------


def test_a_question_finds_the_table(port: int) -> None:
    with announcer(port, clock=Clock()) as host, Guest(port) as guest:
        table = guest.table(lambda table: table.ping is not None)
        assert host.answered >= 1
    assert (table.name, table.host, table.free) == (TABLE.name, "Ada", 3)
    assert (table.addresses, table.port, table.ways) == ((HOST,), 7000, Way.UDP)
    assert table.key == ADA.public
    assert table.ping is not None
    assert 0 <= table.ping < PATIENCE


def test_whoever_asked_too_early_hears_the_announcement(port: int) -> None:
    with Guest(port, clock=Clock()) as guest:
        until(lambda: guest.browser._ether.sent > 0)
        with announcer(port) as host:
            table = guest.table()
            assert host.answered == 0
    assert table.ping is None


def test_changes_and_the_goodbye_are_told_at_once(port: int) -> None:
    clock = Clock()
    with Guest(port, clock=Clock()) as guest:
        host = announcer(port, clock=clock)
        host.start()
        guest.table()
        clock.now += 0.1
        host.update(replace(TABLE, free=1))
        guest.table(lambda table: table.free == 1)
        clock.now += 0.1
        host.update(replace(TABLE, free=0, phase=Phase.PLAYING))
        guest.table(lambda table: table.phase is Phase.PLAYING)
        host.stop()
        guest.wait(lambda tables: not tables)


def test_two_processes_share_the_port_and_both_are_found(port: int) -> None:
    other = Announcer(
        BRUNO,
        replace(TABLE, name="Sala", host="Bruno"),
        port=port,
        dns_sd=False,
        scan_now=loop_only,
        clock=Clock(),
    )
    with announcer(port, clock=Clock()), other, Guest(port) as guest, Guest(port) as second:
        for one in (guest, second):
            found = one.wait(lambda tables: len(tables) == 2)
            assert [table.host for table in found] == ["Ada", "Bruno"]


def test_a_restarted_table_of_the_same_host_is_another_one(port: int) -> None:
    with Guest(port) as guest:
        with announcer(port):
            guest.table()
        guest.wait(lambda tables: not tables)
        with announcer(port, replace(TABLE, table=b"n" * 16)):
            guest.table(lambda table: table.table == b"n" * 16)


def test_a_table_that_can_not_be_described_is_our_bug(port: int) -> None:
    with pytest.raises(LocalProtocolError):
        announcer(port, replace(TABLE, name="a\x1bb"))
    with announcer(port) as host, pytest.raises(LocalProtocolError):
        host.update(replace(TABLE, free=9))


# -- the network is hostile -------------------------------------------------------------------


def noise() -> list[bytes]:
    query = encode_datagram(Query(b"question"))
    return [
        *(b"", b"\0", b"\xff" * 60_000, query[:-1], query + b"\0", b"\x93\x02\x30\x01"),
        encode_datagram(Answer(UNASKED, SIGNED[:-1] + b"\0")),
        encode_datagram(Answer(UNASKED, b"\x91" * 500)),
    ]


def test_noise_disturbs_neither(port: int, stranger: socket.socket) -> None:
    with Guest(port, clock=Clock()) as guest, announcer(port) as host:
        guest.table()
        for octets in noise():
            stranger.sendto(octets, ("127.255.255.255", port))
        host.update(replace(TABLE, free=1))
        guest.table(lambda table: table.free == 1)
        assert guest.browser.counters.malformed >= 2


def test_answers_to_one_source_are_bounded_and_each_token_has_one(
    port: int, stranger: socket.socket
) -> None:
    with announcer(port, clock=Clock()) as host, socket.create_server((HOST, 0)) as server:
        server.settimeout(PATIENCE)
        for number in range(1, 41):
            question = encode_datagram(Query(number.to_bytes(8, "big")))
            stranger.sendto(question, (HOST, port))
            stranger.sendto(question, (HOST, port))
        stranger.sendto(
            encode_datagram(Callback(b"the last", server.getsockname()[1])), (HOST, port)
        )
        server.accept()[0].close()  # so everything before it was dealt with
        answers = [decode_datagram(stranger.recv(MAX_DATAGRAM)) for _ in range(16)]
        assert host.answered == 16
        stranger.settimeout(0)
        with pytest.raises(BlockingIOError):
            stranger.recv(MAX_DATAGRAM)
    tokens = [answer.token for answer in answers if isinstance(answer, Answer)]
    assert tokens == [number.to_bytes(8, "big") for number in range(1, 17)]


def test_a_flood_at_a_guest_is_dropped_unread(port: int, stranger: socket.socket) -> None:
    with Guest(port, clock=Clock()) as guest:
        for _ in range(100):
            stranger.sendto(b"flood", ("127.255.255.255", port))
        until(lambda: guest.browser.counters.over_rate > 0)
        assert guest.browser.counters.malformed <= 64  # our own question came by as well


def test_tokens_that_nobody_gave_out_are_no_ping(port: int, stranger: socket.socket) -> None:
    with Guest(port, clock=Clock()) as guest:
        octets = encode_datagram(Answer(b"invented", SIGNED))
        stranger.sendto(octets, ("127.255.255.255", port))
        assert guest.table().ping is None


def test_who_asks_for_it_is_called_back_once_a_second(port: int, stranger: socket.socket) -> None:
    clock = Clock()
    with (
        announcer(port, clock=clock) as host,
        socket.create_server((HOST, 0)) as server,
    ):
        server.settimeout(PATIENCE)
        door = server.getsockname()[1]
        for token in (b"callback", b"too soon"):
            stranger.sendto(encode_datagram(Callback(token, door)), (HOST, port))
        connection, _ = server.accept()
        with connection:
            connection.settimeout(PATIENCE)
            assert connection.recv(64) == b"callback"
            assert connection.recv(64) == b""
        stranger.sendto(encode_datagram(Query(b"question")), (HOST, port))
        assert stranger.recv(MAX_DATAGRAM)  # so what was sent before it was dealt with
        clock.now += 1.0
        stranger.sendto(encode_datagram(Callback(b"in time!", door)), (HOST, port))
        connection, _ = server.accept()
        with connection:
            connection.settimeout(PATIENCE)
            assert connection.recv(64) == b"in time!"
        assert host.called_back == 2


# -- the network changes ----------------------------------------------------------------------


def test_an_interface_that_comes_is_asked_on(port: int) -> None:
    here: list[tuple[Interface, ...]] = [()]
    clock, wall = Clock(), Clock()
    with announcer(port, clock=Clock()) as host, ExitStack() as stack:
        until(lambda: host._ether.sent > 0)  # what is announced later would be heard
        guest = Guest(port, clock=clock, wall=wall, scan_now=lambda _: here[0])
        stack.enter_context(guest)
        until(lambda: bool(guest.browser._tokens))
        here[0] = (NOWHERE, LOOP)
        for _ in range(2):  # in steps that are no leaps
            clock.now += 2.9
            wall.now += 2.9
            guest.browser._ring()
            until(lambda: guest.browser._asking.next > clock.now)
        guest.table()


def test_an_interface_that_goes_disturbs_nobody(port: int) -> None:
    gone = threading.Event()

    def scan_now(only: str | None) -> tuple[Interface, ...]:
        if gone.is_set():
            raise OSError
        return (LOOP,)

    clock = Clock()
    with announcer(port) as host, Guest(port, clock=clock, scan_now=scan_now) as guest:
        guest.table()
        gone.set()
        clock.now += 5.0
        guest.browser._ring()
        until(lambda: not guest.browser._ether._queriers)
        gone.clear()
        clock.now += 5.0
        host.update(replace(TABLE, free=0))
        guest.browser._ring()
        guest.table(lambda table: table.free == 0)


def test_a_leap_of_the_clock_asks_anew(port: int) -> None:
    clock, wall = Clock(), Clock()
    with announcer(port) as host, Guest(port, clock=clock, wall=wall) as guest:
        guest.table(lambda table: table.ping is not None)
        before = host.answered
        wall.now += 3_600
        guest.browser._ring()
        until(lambda: host.answered > before)


def test_a_table_that_falls_silent_is_forgotten(port: int, stranger: socket.socket) -> None:
    clock = Clock()
    with Guest(port, clock=clock) as guest:
        stranger.sendto(encode_datagram(Answer(UNASKED, SIGNED)), ("127.255.255.255", port))
        guest.table()
        clock.now += 6.0
        guest.browser._ring()
        guest.wait(lambda tables: not tables)


def test_a_port_that_somebody_keeps_leaves_the_queriers(port: int) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as selfish:
        selfish.bind(("", port))
        selfish.settimeout(PATIENCE)
        with Guest(port) as guest:
            assert not guest.browser.listening
            question, name = selfish.recvfrom(MAX_DATAGRAM)
            query = decode_datagram(question)
            assert isinstance(query, Query)
            selfish.sendto(encode_datagram(Answer(query.token, SIGNED)), name)
            assert guest.table().ping is not None


# -- beginning and ending ---------------------------------------------------------------------


def test_an_interface_that_is_not_there_is_said_at_once(port: int) -> None:
    for one in (announcer(port, iface="eth9"), Guest(port, iface="eth9").browser):
        with pytest.raises(NoSuchInterface, match="eth9"):
            one.start()
        one.stop()
    with Guest(port, iface="lo") as guest, announcer(port, iface="lo"):
        guest.table()


def test_starting_twice_is_refused_and_stopping_twice_is_not(port: int) -> None:
    host = announcer(port)
    host.start()
    with pytest.raises(MeshError):
        host.start()
    host.stop()
    host.stop()
    with pytest.raises(MeshError):
        host.start()
    announcer(port).stop()


def test_a_callback_may_stop_its_own_browser(port: int) -> None:
    told: list[int] = []

    def enough(tables: tuple[Listed, ...]) -> None:
        told.append(len(tables))
        browser.stop()

    browser = Browser(enough, port=port, dns_sd=False, scan_now=loop_only)
    browser.start()
    with announcer(port):
        until(lambda: browser._thread is not None and not browser._thread.is_alive())
    browser.stop()
    assert told == [1]


def test_a_callback_of_ours_that_breaks_is_our_bug(port: int) -> None:
    def broken(tables: tuple[Listed, ...]) -> None:
        raise ZeroDivisionError

    browser = Browser(broken, port=port, dns_sd=False, scan_now=loop_only)
    browser.start()
    with announcer(port):
        until(lambda: browser._failure is not None)
    with pytest.raises(NodeFailed) as caught:
        browser.stop()
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    browser.stop()


# -- tables that only DNS-SD tells of ---------------------------------------------------------


def test_a_door_is_asked_for_what_dns_sd_tells(port: int) -> None:
    asked: list[tuple[str, int]] = []

    def probe(host: str, door: int, timeout: float) -> tuple[TableCard, str]:
        asked.append((host, door))
        if host == "10.0.0.1":
            raise Unreachable("No.")
        return card(), host

    def two_networks(only: str | None) -> tuple[Interface, ...]:
        return (LOOP, replace(NOWHERE, addresses=(Address("10.0.0.9", 24),)))

    found = service(addresses=("8.8.8.8", "10.0.0.1", "10.0.0.2", "10.0.0.3"))
    false = replace(
        found,
        instance="false",
        fingerprint=fingerprint(BRUNO.public),
        addresses=("8.8.8.8", "10.0.0.2"),
    )
    with Guest(port, probe=probe, scan_now=two_networks) as guest:
        guest.browser._note(Found(found))
        guest.table(lambda table: table.key == ADA.public and table.ping is not None)
        assert asked == [("10.0.0.1", found.port), ("10.0.0.2", found.port)]
        guest.browser._note(Found(false))
        until(lambda: len(asked) >= 3)
        assert asked[2:] == [("10.0.0.2", found.port)]
        guest.browser._note(Gone(found.instance))
        assert guest.table(lambda table: table.fingerprint == false.fingerprint).key == b""


def test_a_flood_of_services_is_the_last_word_on_each(port: int) -> None:
    with Guest(port, probe=_nobody) as guest:
        for number in range(1_000):
            guest.browser._note(Found(service(free=number % 4)))
        guest.browser._note(Found(service(free=0)))
        guest.table(lambda table: table.free == 0)


def _nobody(host: str, port: int, timeout: float) -> tuple[TableCard, str]:
    raise Unreachable("Nobody.")


def test_a_shared_socket_gets_a_port_of_its_own_where_any_will_do() -> None:
    with shared_socket(socket.AF_INET, 0) as one, shared_socket(socket.AF_INET, 0) as other:
        assert one.getsockname()[1] != other.getsockname()[1]
