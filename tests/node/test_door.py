"""The door over real sockets: what a guest gets, and what everybody else gets."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node import errors
from node.door import (
    MAX_FRAME,
    Door,
    DoorLimits,
    Turnstile,
    fetch_card,
    find_table,
    knock,
)
from node.errors import (
    BadAddress,
    DoorError,
    MeshError,
    NodeFailed,
    NotATable,
    PortTaken,
    TurnedAway,
    Unreachable,
)
from protocol.encoding import pack
from protocol.messages import (
    MAX_SETTINGS,
    Ask,
    Hello,
    Knock,
    Message,
    Ping,
    Reason,
    Refusal,
    TableCard,
    Welcome,
)
from protocol.wire import decode, encode, sign
from tests.node.nodes import HOST, Node, identity, running
from tests.protocol.wire_samples import ADA, card, hello

TIMEOUT = 20.0


def framed(payload: bytes) -> bytes:
    return len(payload).to_bytes(2, "big") + payload


ASK = framed(encode(Ask()))


pytestmark = pytest.mark.usefixtures("no_thread_left")


def opened(**options: object) -> Door:
    return Door(card, host=HOST, **options)  # type: ignore[arg-type]  # each test gives its own


def visit(door: Door) -> socket.socket:
    connection = socket.create_connection((HOST, door.port), TIMEOUT)
    connection.settimeout(TIMEOUT)
    return connection


def read(connection: socket.socket) -> bytes:
    """What comes until the end, which a reset is too."""
    data = b""
    with contextlib.suppress(ConnectionError):
        while part := connection.recv(65_536):
            data += part
    return data


def answer(connection: socket.socket) -> Message:
    head = connection.recv(2, socket.MSG_WAITALL)
    return decode(connection.recv(int.from_bytes(head, "big"), socket.MSG_WAITALL))


def test_a_guest_gets_the_signed_card_of_the_moment() -> None:
    cards = [card(), sign(replace(card(), free=2), ADA)]
    waiting = list(cards)
    with Door(lambda: waiting.pop(0), host=HOST) as door:
        assert fetch_card(HOST, door.port, TIMEOUT) == cards[0]
        assert find_table(HOST, door.port, TIMEOUT) == (cards[1], HOST)
        assert door.served == 2


def test_names_are_resolved_and_both_families_served() -> None:
    with Door(card) as door:
        assert fetch_card("localhost", door.port, TIMEOUT) == card()
        assert find_table(HOST, door.port, TIMEOUT)[1] == HOST
        if socket.has_dualstack_ipv6():
            with contextlib.suppress(Unreachable):  # no IPv6 loopback on this machine
                assert find_table("::1", door.port, TIMEOUT)[1] == "::1"


def test_the_card_leads_to_the_mesh() -> None:
    host, guest = Node(identity(1)), Node(identity(2))
    with running(host, guest):
        unsigned = replace(card(), port=host.mesh.port, curve=host.mesh.curve.public)
        with Door(lambda: sign(unsigned, host.identity), host=HOST) as door:
            table, address = find_table(HOST, door.port, TIMEOUT)
        guest.mesh.dial(table.key, table.curve, address, table.port, at_once=True)
        guest.linked(host)


def test_several_questions_fit_in_one_visit_but_not_many() -> None:
    with opened(limits=DoorLimits(frames=3)) as door, visit(door) as connection:
        connection.sendall(ASK * 3)
        assert [answer(connection) for _ in range(3)] == [card()] * 3
        assert read(connection) == b""


def test_a_knock_is_decided_by_the_table() -> None:
    seen: list[tuple[Hello, str]] = []

    def decide(who: Hello, host: str) -> bool:
        seen.append((who, host))
        return who == hello(0)

    with opened(on_knock=decide) as door:
        assert knock(HOST, door.port, encode(hello(0)), TIMEOUT) == HOST
        with pytest.raises(TurnedAway, match="no new players"):
            knock(HOST, door.port, encode(hello(1)), TIMEOUT)
        assert seen == [(hello(0), HOST), (hello(1), HOST)]
        with visit(door) as connection:
            forged = encode(replace(hello(0), name="Aida"))
            connection.sendall(framed(encode(Knock(forged))))
            assert read(connection) == b""
        assert len(seen) == 2
    with opened() as door, pytest.raises(TurnedAway):
        knock(HOST, door.port, encode(hello(0)), TIMEOUT)


def test_a_restarted_player_knocks_and_gets_in() -> None:
    host, guest = Node(identity(1)), Node(identity(2))

    def decide(who: Hello, _: str) -> bool:
        host.mesh.admit(who.key, who.curve)
        return True

    with running(host, guest), opened(on_knock=decide) as door:
        host.mesh.close_admission()
        knock(HOST, door.port, guest.mesh.hello, TIMEOUT)
        guest.dial(host, at_once=True)
        guest.linked(host)


# What a door gets to hear.


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\nHost: table\r\n\r\n",
        b"\0\0",
        (MAX_FRAME + 1).to_bytes(2, "big"),
        b"\xff\xff" + bytes(70_000),
        framed(b"noise"),
        framed(b"\xdd\xff\xff\xff\xff"),
        framed(encode(Ping(b"12345678"))),
        framed(encode(hello())),
        framed(encode(card())),
        framed(encode(Welcome())),
        framed(encode(Knock(encode(Ask())))),
        framed(bytes(MAX_FRAME)),
    ],
    ids=lambda data: repr(data[:12]),
)
def test_garbage_gets_no_answer(data: bytes) -> None:
    with opened() as door:
        with visit(door) as connection:
            with contextlib.suppress(ConnectionError):
                connection.sendall(data)
            assert read(connection) == b""
        assert fetch_card(HOST, door.port, TIMEOUT) == card()


@given(st.binary(min_size=1, max_size=300))
def test_any_frame_is_answered_by_a_message_or_not_at_all(payload: bytes) -> None:
    door = Door(card)
    reply = door._answer(payload, HOST, None)
    if reply is not None:
        assert isinstance(decode(reply[2:]), TableCard | Refusal)
    door.stop()


def test_another_version_learns_ours() -> None:
    with opened() as door, visit(door) as connection:
        connection.sendall(framed(pack((2, 32))))
        assert isinstance(answer(connection), Refusal)


@pytest.mark.parametrize("beginning", [b"", b"\0", ASK[:3], ASK[:-1]])
def test_a_slow_guest_is_sent_away(beginning: bytes) -> None:
    with opened(limits=DoorLimits(seconds=0.1)) as door, visit(door) as connection:
        connection.sendall(beginning)
        assert read(connection) == b""


def test_octets_one_by_one_are_a_question_too() -> None:
    with opened() as door, visit(door) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for octet in ASK:
            connection.sendall(bytes([octet]))
        assert answer(connection) == card()


def test_connections_are_bounded_and_the_refused_are_told() -> None:
    limits = DoorLimits(seconds=60.0, an_address=3)
    with opened(limits=limits) as door, contextlib.ExitStack() as stack:
        inside = [stack.enter_context(visit(door)) for _ in range(3)]
        for connection in inside:
            connection.sendall(ASK)
            assert answer(connection) == card()
        with pytest.raises(TurnedAway, match="too busy"):
            fetch_card(HOST, door.port, TIMEOUT)
        assert door.turned_away == 1
        inside[0].shutdown(socket.SHUT_WR)
        assert read(inside[0]) == b""
        assert fetch_card(HOST, door.port, TIMEOUT) == card()


def test_a_crowd_at_the_door_is_dropped_without_a_word() -> None:
    limits = DoorLimits(seconds=60.0, connections=2, an_address=9)
    with opened(limits=limits) as door, contextlib.ExitStack() as stack:
        crowd = [stack.enter_context(visit(door)) for _ in range(12)]
        refused = Refusal(Reason.BUSY)
        answers = [read(connection) for connection in crowd[2:]]
        assert set(answers) <= {framed(encode(refused)), b""}
        assert door.turned_away == 10
        crowd[0].sendall(ASK)
        assert answer(crowd[0]) == card()


def test_an_address_that_comes_too_often_waits() -> None:
    now = [0.0]
    limits = DoorLimits(visits_a_second=1.0, visit_burst=2.0)
    with opened(limits=limits, clock=lambda: now[0]) as door:
        for _ in range(2):
            fetch_card(HOST, door.port, TIMEOUT)
        with pytest.raises(TurnedAway):
            fetch_card(HOST, door.port, TIMEOUT)
        now[0] = 1.0
        fetch_card(HOST, door.port, TIMEOUT)


@given(st.lists(st.tuples(st.sampled_from("abcde"), st.booleans(), st.floats(0, 1)), max_size=80))
def test_a_turnstile_keeps_its_bounds(steps: list[tuple[str, bool, float]]) -> None:
    limits = DoorLimits(connections=4, an_address=2, visits_a_second=1, visit_burst=3, addresses=2)
    turnstile, inside, now = Turnstile(limits), list[str](), 0.0
    for address, leaves, later in steps:
        now += later
        if leaves and inside:
            turnstile.leave(inside.pop())
        elif turnstile.enter(address, now):
            inside.append(address)
        assert turnstile.count == len(inside) <= 4
        assert all(inside.count(a) <= 2 for a in inside)
        assert len(turnstile._visits) <= 2


# Our own side.


def test_closing_the_door_ends_every_visit() -> None:
    door = opened(limits=DoorLimits(seconds=60.0))
    door.start()
    with visit(door) as connection:
        connection.sendall(ASK)
        assert answer(connection) == card()
        door.stop()
        assert read(connection) == b""
    door.stop()
    with pytest.raises(Unreachable):
        fetch_card(HOST, door.port, TIMEOUT)


def test_a_taken_port_is_one_clear_sentence() -> None:
    with opened() as door, pytest.raises(PortTaken, match=f"^Port {door.port} is in use by"):
        opened(port=door.port).start()
    with opened(port=door.port) as again:
        assert again.port == door.port
        with pytest.raises(MeshError):
            again.start()
    with pytest.raises(MeshError):
        Door(card, host="203.0.113.1").start()


@pytest.mark.parametrize("broken", [lambda: 1 / 0, lambda: replace(card(), signature=b"")])
def test_a_callable_that_fails_is_our_own_bug(broken: Callable[[], TableCard]) -> None:
    door = Door(broken, host=HOST)
    door.start()
    with pytest.raises(TurnedAway):
        fetch_card(HOST, door.port, TIMEOUT)
    with pytest.raises(NodeFailed):
        door.stop()
    door.stop()


def test_the_largest_card_fits_through_the_door() -> None:
    options = tuple((f"o{i:02}", "x" * 30) for i in range(MAX_SETTINGS))
    large = sign(replace(card(), options=options), ADA)
    with Door(lambda: large, host=HOST) as door:
        assert fetch_card(HOST, door.port, TIMEOUT) == large


# What a guest gets to hear.


@contextlib.contextmanager
def impostor(reply: bytes | None) -> Iterator[int]:
    """Something that answers one connection with `reply` and hangs up; None keeps silent."""
    done = threading.Event()

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(100)
            if reply is None:
                done.wait(TIMEOUT)
            else:
                connection.sendall(reply)

    with socket.create_server((HOST, 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            done.set()
            thread.join()


FORGED = framed(encode(replace(card(), name="Another table")))


@pytest.mark.parametrize(
    ("reply", "error", "says"),
    [
        (b"HTTP/1.1 400 Bad Request\r\n\r\n", NotATable, "not a Busso table"),
        (b"", NotATable, "hung up"),
        (b"\0", NotATable, "hung up"),
        (framed(encode(card()))[:-1], NotATable, "hung up"),
        (framed(b"noise"), NotATable, "not a Busso table"),
        (FORGED, NotATable, "not a Busso table"),
        (framed(encode(Welcome())), NotATable, "no table card"),
        (framed(pack((2, 33, b"?"))), errors.OtherVersion, "version 2; this Busso speaks"),
        (framed(encode(Refusal(Reason.FULL))), TurnedAway, "full"),
        (framed(encode(Refusal(Reason.BROKE_PROTOCOL))), TurnedAway, "says no"),
    ],
)
def test_errors_are_told_apart(reply: bytes, error: type[DoorError], says: str) -> None:
    with impostor(reply) as port, pytest.raises(error, match=says):
        fetch_card(HOST, port, TIMEOUT)


def test_a_silent_host_is_unreachable_in_time() -> None:
    with impostor(None) as port, pytest.raises(Unreachable, match=r"within 0\.2 seconds"):
        fetch_card(HOST, port, 0.2)


def test_a_knock_needs_an_answer_of_its_own() -> None:
    with impostor(framed(encode(card()))) as port, pytest.raises(NotATable):
        knock(HOST, port, encode(hello()), TIMEOUT)


def test_addresses_that_lead_nowhere() -> None:
    with socket.create_server((HOST, 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(Unreachable, match="no table is open on port"):
        fetch_card(HOST, port, TIMEOUT)
    with pytest.raises(Unreachable):
        fetch_card("a" * 70 + ".invalid", port, TIMEOUT)
    for bad in (0, 65_536, -1):
        with pytest.raises(BadAddress):
            fetch_card(HOST, bad, TIMEOUT)
