"""The mesh over real sockets: who gets linked, who is believed, and what attackers get."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
import zmq

from node.carrier import Origin
from node.errors import BadAddress, MeshError, NodeFailed, PortTaken
from node.events import (
    Event,
    HelloReceived,
    Inbox,
    PeerDown,
    PeerUp,
    PhaseChanged,
    Received,
    Struck,
    Woke,
)
from node.link import Limits, Path, Phase, Side, Target, Why
from node.mesh import Mesh, Profile
from node.sockets import CurveKeys, numeric
from node.watch import WatchLimits
from protocol.errors import LocalProtocolError
from protocol.messages import (
    MAX_MESSAGE,
    Bye,
    Get,
    Hello,
    Ping,
    Pong,
    Reason,
    Role,
    State,
)
from protocol.wire import encode, sign
from tests.node.curve_client import CurveClient
from tests.node.nodes import (
    HOST,
    TABLE,
    Node,
    Stranger,
    eventually,
    identity,
    link,
    running,
)
from tests.protocol.wire_samples import card

PATIENT = Limits(fallback=60.0)
"""The node with the higher key never dials of its own accord."""
GET = Get(bytes(32), 7)


def pair(limits: Limits = PATIENT) -> tuple[Node, Node]:
    """Two nodes, the one with the lower key first."""
    a, b = sorted((identity(1), identity(2)), key=lambda who: who.public)
    return Node(a, limits=limits), Node(b, limits=limits)


@pytest.fixture(autouse=True)
def _no_thread_left() -> Iterator[None]:
    yield
    assert not [t.name for t in threading.enumerate() if t.name.startswith("busso-")]


@pytest.mark.parametrize("count", [2, 3, 4, 5])
def test_a_mesh_forms_with_one_link_a_pair(count: int) -> None:
    with running(*(Node(identity(i), limits=PATIENT) for i in range(1, count + 1))) as nodes:
        link(nodes)
        assert sum(node.mesh.counters().dials for node in nodes) == count * (count - 1) // 2
        for node, other in itertools.permutations(nodes, 2):
            info = next(p for p in node.mesh.peers() if p.key == other.key)
            assert info.phase is Phase.LIVE
            assert info.curve == other.mesh.curve.public
            side = Side.OUT if node.key < other.key else Side.IN
            assert [path.side for path in info.paths] == [side]
            assert len([e for e in node.of(HelloReceived) if e.hello.key == other.key]) == 1
            mark = other.mark()
            node.mesh.send(other.key, GET)
            assert other.wait(Received, lambda e: e.message == GET, since=mark).key == node.key


def test_every_node_says_hello_before_it_is_up() -> None:
    a, b = pair()
    with running(a, b):
        link((a, b))
        for node, other in ((a, b), (b, a)):
            kinds = [type(e) for e in node.events if not isinstance(e, PhaseChanged)]
            assert kinds[:2] == [HelloReceived, PeerUp]
            met = node.wait(HelloReceived)
            assert met.address == (HOST, other.mesh.port)
            assert encode(met.hello) == other.mesh.hello


class Deaf:
    """A carrier that takes everything and gives nothing."""

    def put(self, path: Path, data: bytes) -> bool:
        return bool(path and data)


def test_a_peer_is_up_before_what_it_says_in_the_same_breath() -> None:
    a, _ = pair()
    a.mesh._carrier = Deaf()  # type: ignore[assignment]  # only what is needed here
    who, curve = identity(3), b"c" * 32
    hello = sign(Hello(b"", curve, TABLE, b"s" * 16, "x", Role.SEAT, 9, b"n" * 16), who)
    origin = Origin(curve, Path(Side.IN, b"\0abcd"), HOST)
    for message in (hello, GET):
        a.mesh._reception.arrived(origin, encode(message), 1)
    assert a.events == [
        HelloReceived(hello, (HOST, 9)),
        PeerUp(who.public),
        Received(who.public, GET),
    ]


def test_an_introduction_from_elsewhere_tells_where_its_author_is_now() -> None:
    """The same process on another network says the same HELLO."""
    a, _ = pair()
    a.mesh._carrier = Deaf()  # type: ignore[assignment]  # only what is needed here
    who, curve = identity(3), b"c" * 32
    hello = encode(sign(Hello(b"", curve, TABLE, b"s" * 16, "x", Role.SEAT, 9, b"n" * 16), who))
    for ident, host in ((b"\0aaaa", HOST), (b"\0bbbb", "10.0.0.7")):
        a.mesh._reception.arrived(Origin(curve, Path(Side.IN, ident), host), hello, 1)
    peer = a.mesh._roster._peers[who.public]
    assert [peer.target, *peer.others] == [Target(curve, HOST, 9), Target(curve, "10.0.0.7", 9)]


def test_the_higher_key_dials_when_the_lower_does_not() -> None:
    a, b = pair(Limits(fallback=0.05))
    with running(a, b):
        b.dial(a)
        b.linked(a)
        a.linked(b)
        assert (a.mesh.counters().dials, b.mesh.counters().dials) == (0, 1)


def test_a_guest_dials_a_host_that_does_not_know_it_at_once() -> None:
    a, b = pair()
    with running(a, b):
        b.dial(a, at_once=True)
        b.linked(a)
        a.linked(b)


def test_the_sender_is_known_from_the_link() -> None:
    nodes = [Node(identity(i)) for i in range(1, 4)]
    with running(*nodes):
        link(nodes)
        for step, node in enumerate(nodes):
            node.mesh.broadcast(Get(bytes(32), step))
        for node, (step, sender) in itertools.product(nodes, enumerate(nodes)):
            if node is not sender:
                message = Get(bytes(32), step)
                got = node.wait(Received, lambda e, m=message: e.message == m)  # type: ignore[misc]
                assert got.key == sender.key


def test_a_new_state_is_told_at_once_and_again() -> None:
    a, b = pair()
    with running(a, b):
        link((a, b))
        state = State(b"m" * 32, 9, b"h" * 32, 4, (0, 1), ready=True)
        a.mesh.set_state(state)
        b.wait(Received, lambda e: e.message == state)
        mark = b.mark()
        b.wait(Received, lambda e: e.message == state, since=mark)


def test_a_round_trip_is_measured_and_pings_are_answered() -> None:
    a, b = pair()
    with running(a, b), Stranger(b, identity(3)) as stranger:
        link((a, b))
        eventually(lambda: all(p.round_trip is not None for p in a.mesh.peers()))
        stranger.say(stranger.hello())
        stranger.hear(Hello)
        stranger.say(Ping(b"12345678"))
        assert stranger.hear(Pong) == Pong(b"12345678")


def test_a_changed_profile_is_told_on_every_link() -> None:
    a, b = pair()
    with running(a, b):
        link((a, b))
        old = b.wait(HelloReceived).hello
        a.mesh.set_profile(Profile(TABLE, b"S" * 16, b"new nonce 123456", "Nuova", Role.WATCH))
        new = b.wait(HelloReceived, lambda e: e.hello.name == "Nuova").hello
        assert (new.role, new.nonce) == (Role.WATCH, b"new nonce 123456")
        assert new.curve == old.curve
        assert len(b.of(PeerUp)) == 1


def test_stopping_says_goodbye() -> None:
    a, b = pair()
    with running(a, b):
        link((a, b))
        a.mesh.stop(Bye(Reason.LEAVING, "buona notte"))
        assert b.wait(Received, lambda e: isinstance(e.message, Bye)).message == Bye(
            Reason.LEAVING, "buona notte"
        )
        assert b.wait(PeerDown).why is Why.LOST
        eventually(lambda: b.mesh.peers()[0].phase is Phase.AWAY)
        eventually(lambda: b.mesh.peers()[0].address is None)  # it isn't dialled any more
        a.mesh.stop()


# Keys.


def test_a_wrong_server_key_gets_nowhere() -> None:
    a, b = pair(replace(PATIENT, away=0.5))
    with running(a, b):
        wrong = CurveKeys.generate().public
        a.mesh.dial(b.key, wrong, HOST, b.mesh.port)
        assert a.wait(PeerDown) == PeerDown(b.key, Why.UNREACHABLE)
        assert not a.of(PeerUp)
        assert not b.events


def test_a_peer_that_is_not_who_it_was_said_to_be_is_dropped() -> None:
    a, b = pair()
    with running(a, b):
        somebody = identity(77).public
        a.mesh.dial(somebody, b.mesh.curve.public, HOST, b.mesh.port, at_once=True)
        assert a.wait(PeerDown) == PeerDown(somebody, Why.IMPOSTOR)
        assert not a.of(PeerUp)


def test_a_peer_at_our_own_address_is_not_linked() -> None:
    a, _ = pair(replace(PATIENT, away=0.3))
    with running(a):
        a.mesh.dial(identity(9).public, a.mesh.curve.public, HOST, a.mesh.port, at_once=True)
        a.mesh.dial(a.key, CurveKeys.generate().public, HOST, a.mesh.port, at_once=True)
        a.mesh.set_state(State(ready=True))
        with Stranger(a, identity(3), a.mesh.curve) as mirror:
            assert mirror.until(zmq.EVENT_HANDSHAKE_FAILED_AUTH, zmq.EVENT_HANDSHAKE_SUCCEEDED) == (
                zmq.EVENT_HANDSHAKE_FAILED_AUTH
            )
        assert not a.of(PeerUp)


def test_a_removed_peer_is_refused_until_it_is_admitted_again() -> None:
    a, b = pair(Limits(fallback=0.05, retry=0.1))
    with running(a, b):
        link((a, b))
        mark = b.mark()
        a.mesh.remove(b.key)
        assert a.wait(PeerDown) == PeerDown(b.key, Why.REMOVED)
        assert b.wait(PeerDown, since=mark).why is Why.LOST
        eventually(lambda: a.mesh.counters().zap_refused >= 2)
        assert b.wait(PeerDown, lambda e: e.why is Why.REFUSED).key == a.key
        assert [p.phase for p in a.mesh.peers()] == [Phase.BANNED]
        assert len(a.of(PeerUp)) == 1
        mark = a.mark()
        a.mesh.admit(b.key, b.mesh.curve.public)
        a.linked(b, since=mark)


def test_after_a_refusal_libzmq_tries_no_more() -> None:
    a, _ = pair()
    keys = CurveKeys.generate()
    with running(a):
        a.mesh.admit(identity(3).public, keys.public)
        a.mesh.remove(identity(3).public)
        with Stranger(a, identity(3), keys) as stranger:
            stranger.until(zmq.EVENT_HANDSHAKE_FAILED_AUTH)
            # Were it a 300, the next event would be another attempt after 20 ms.
            stranger._monitor.setsockopt(zmq.RCVTIMEO, 300)
            with pytest.raises(zmq.Again):
                stranger.until(zmq.EVENT_CONNECTED, zmq.EVENT_CONNECT_RETRIED)
        assert a.mesh.counters().zap_refused == 1


def test_a_closed_table_lets_in_the_admitted_alone() -> None:
    a, b = pair()
    with running(a, b):
        a.mesh.close_admission()
        with Stranger(a, identity(3)) as stranger:
            stranger.say(stranger.hello())
            assert stranger.hear(Bye).reason is Reason.CLOSED
        a.mesh.admit(b.key, b.mesh.curve.public)
        b.dial(a, at_once=True)
        a.linked(b)
        # The CURVE key was admitted for one player and for no other.
        keys = CurveKeys.generate()
        a.mesh.admit(identity(5).public, keys.public)
        with Stranger(a, identity(3), keys) as stranger:
            stranger.say(stranger.hello())
            assert stranger.hear(Bye).reason is Reason.BROKE_PROTOCOL
        assert len(a.of(PeerUp)) == 1


def test_a_player_who_restarts_replaces_its_old_process() -> None:
    a, b = pair()
    with running(a, b):
        link((a, b))
        again = Node(b.identity, limits=PATIENT)
        mark = a.mark()
        with running(again):
            again.dial(a, at_once=True)
            again.linked(a)
            met = a.wait(HelloReceived, since=mark).hello
            assert met.curve == again.mesh.curve.public
            a.mesh.send(b.key, GET)
            again.wait(Received, lambda e: e.message == GET)
            assert b.wait(PeerDown).why is Why.LOST
            assert not [e for e in b.of(Received) if e.message == GET]


def test_a_player_who_restarts_comes_back_to_a_closed_table() -> None:
    a, b = pair()
    with running(a):
        with running(b):
            link((a, b))
            a.mesh.close_admission()
        a.wait(PeerDown)
        mark = a.mark()
        again = Node(b.identity, limits=PATIENT)
        with running(again):
            again.dial(a, at_once=True)
            a.linked(again, since=mark)
            met = a.wait(HelloReceived, since=mark)
            assert met.address == (HOST, again.mesh.port)
            info = next(p for p in a.mesh.peers() if p.key == b.key)
            assert (info.curve, info.address) == (met.hello.curve, met.address)


def test_a_restarted_player_is_dialled_where_it_is_now() -> None:
    """The node that heard from the new process knows its address: it can be called back."""
    a, b = pair(Limits(fallback=0.05))
    with running(a):
        with running(b):
            link((a, b))
        a.wait(PeerDown)
        with running(again := Node(b.identity, limits=PATIENT)):
            again.dial(a, at_once=True)
            a.linked(again, since=a.mark() - 1)
            again.linked(a)
            mark = a.mark()
            again.mesh.remove(a.key)
            a.wait(PeerDown, since=mark)
            again.mesh.admit(a.key, a.mesh.curve.public)
            a.linked(again, since=mark)


def test_a_process_that_kept_its_curve_key_comes_back_to_a_closed_table() -> None:
    a, b = pair()
    with running(a):
        with running(b):
            b.dial(a, at_once=True)
            a.linked(b)
            a.mesh.close_admission()
        a.wait(PeerDown)
        mark = a.mark()
        again = Node(b.identity, curve=CurveKeys.of_secret(b.mesh.curve.secret))
        with running(again):
            again.dial(a, at_once=True)
            a.linked(again, since=mark)


def test_phases_are_told_as_they_change() -> None:
    a, b = pair()
    with running(a, b):
        link((a, b))
        a.wait(PhaseChanged, lambda e: e == PhaseChanged(b.key, Phase.LIVE))
        b.mesh.stop()
        a.wait(PhaseChanged, lambda e: e == PhaseChanged(b.key, Phase.AWAY))
        a.mesh.remove(b.key)
        a.wait(PhaseChanged, lambda e: e == PhaseChanged(b.key, Phase.BANNED))


def test_a_leap_of_the_clock_is_a_wake_up_and_blames_nobody() -> None:
    leap = 0.0
    a, b = pair()
    a = Node(a.identity, limits=PATIENT, clock=lambda: time.monotonic() + leap)
    with running(a, b):
        link((a, b))
        mark = b.mark()
        leap = 60.0
        assert a.wait(Woke).seconds > 59
        b.linked(a, since=mark)
        mark = b.mark()
        b.wait(Received, lambda e: isinstance(e.message, State), since=mark)
        assert not a.of(PeerDown)
        assert (a.mesh.counters().wakes, a.mesh.counters().dials) == (1, 2)


# Attacks.


def test_who_passes_on_forgeries_is_struck_by_its_reader() -> None:
    a, b = pair(replace(PATIENT, strikes=3))
    with running(a, b):
        link((a, b))
        a.mesh.strike(identity(9).public, "nobody knows it")
        for _ in range(3):
            a.mesh.strike(b.key, "it passed on a forgery")
        assert a.wait(Struck) == Struck(b.key, "it passed on a forgery")
        assert a.wait(PeerDown) == PeerDown(b.key, Why.STRUCK)
        assert [e.key for e in a.of(Struck)][:3] == [b.key] * 3


def test_another_players_introduction_is_worthless() -> None:
    a, b = pair()
    with running(a, b), Stranger(a, identity(3)) as thief:
        link((a, b))
        thief.send(b.mesh.hello)
        struck = a.wait(Struck)
        assert struck == Struck(None, "it showed another's introduction")
        thief.say(GET)
        a.wait(Struck, lambda e: "before it introduced" in e.why)
        a.mesh.send(b.key, GET)
        b.wait(Received, lambda e: e.message == GET)
        assert not [e for e in a.of(Received) if e.message == GET]
        assert len(a.of(HelloReceived)) == 1


def test_a_peers_routing_id_can_not_be_taken_over() -> None:
    a, b = pair()
    with running(a, b):
        link((a, b))
        (path,) = b.mesh.peers()[0].paths
        assert path.side is Side.IN
        with Stranger(b, identity(3), routing=path.ident) as thief:
            thief.until(zmq.EVENT_HANDSHAKE_SUCCEEDED)
            thief.say(thief.hello())
            for step in range(20):
                b.mesh.send(a.key, Get(bytes(32), step))
                a.wait(Received, lambda e, s=step: e.message == Get(bytes(32), s))  # type: ignore[misc]
            assert [e.hello.key for e in b.of(HelloReceived)] == [a.key]


def test_a_chosen_routing_id_is_a_strike() -> None:
    a, _ = pair()
    with running(a), Stranger(a, identity(3), routing=b"mine") as stranger:
        stranger.say(stranger.hello())
        assert a.wait(Struck) == Struck(None, "it chose its own routing id")
        assert not a.of(HelloReceived)


def test_routing_ids_can_not_be_predicted() -> None:
    # A peer that chose the next id would make libzmq abort the process.
    if sys.platform == "win32":
        pytest.skip("the C library seeds each thread apart")
    seen = set()
    for _ in range(2):
        a, _ = pair()
        ctypes.CDLL(None).srand(1)
        with running(a), Stranger(a, identity(3)) as stranger:
            stranger.say(stranger.hello())
            a.wait(PeerUp)
            eventually(lambda node=a: bool(node.mesh.peers()))  # type: ignore[misc]
            seen.add(a.mesh.peers()[0].paths[0].ident)
    assert len(seen) == 2


def test_nobody_can_use_our_own_key() -> None:
    a, _ = pair()
    with running(a), Stranger(a, a.identity) as mirror:
        mirror.say(mirror.hello())
        assert mirror.hear(Bye).reason is Reason.CLOSED
        assert not a.of(HelloReceived)


def test_a_guest_of_another_table_is_told() -> None:
    a, _ = pair()
    with running(a), Stranger(a, identity(3)) as stranger:
        stranger.say(stranger.hello(table=b"U" * 16))
        assert stranger.hear(Bye).reason is Reason.OTHER_TABLE
        assert a.wait(Struck).why == "it came to another table"
        assert not a.of(PeerUp)


def test_a_banned_player_can_not_return_with_another_process() -> None:
    a, b = pair()
    with running(a, b):
        link((a, b))
        a.mesh.remove(b.key)
        a.wait(PeerDown)
        with Stranger(a, b.identity) as again:
            again.say(again.hello())
            assert again.hear(Bye).reason is Reason.REMOVED
        assert len(a.of(PeerUp)) == 1


FAULTS = {
    "noise": (b"\xff" * 40,),
    "nothing": (b"",),
    "over our bound, within the socket's": (bytes(MAX_MESSAGE + 1),),
    "a door message": (encode(card()),),
    "two frames": (encode(GET), b"x"),
    "a forged introduction": (
        encode(
            replace(
                sign(
                    Hello(b"", bytes(32), TABLE, b"s" * 16, "x", Role.SEAT, 9, b"n" * 16),
                    identity(3),
                ),
                name="y",
            )
        ),
    ),
}


@pytest.mark.parametrize("frames", FAULTS.values(), ids=FAULTS)
def test_a_peer_that_breaks_the_protocol_often_enough_is_removed(frames: tuple[bytes, ...]) -> None:
    a, _ = pair(replace(PATIENT, strikes=5))
    with running(a), Stranger(a, identity(3)) as cheat:
        cheat.say(cheat.hello())
        a.wait(PeerUp)
        for _ in range(4):
            cheat.send(*frames)
        cheat.say(GET)
        a.wait(Received, lambda e: e.message == GET)
        assert [e.key for e in a.of(Struck)] == [identity(3).public] * 4
        cheat.send(*frames)
        assert a.wait(PeerDown) == PeerDown(identity(3).public, Why.STRUCK)
        cheat.until(zmq.EVENT_DISCONNECTED)
        cheat.until(zmq.EVENT_HANDSHAKE_FAILED_AUTH)


def test_a_stranger_that_breaks_the_protocol_is_refused_across_reconnections() -> None:
    a, _ = pair(replace(PATIENT, strikes=4))
    keys = CurveKeys.generate()
    with running(a):
        for count in range(1, 4):
            with Stranger(a, identity(3), keys) as stranger:
                stranger.send(b"noise")
                eventually(lambda n=count: len(a.of(Struck)) == n)  # type: ignore[misc]
        with Stranger(a, identity(3), keys) as stranger:
            stranger.send(b"noise")
            stranger.until(zmq.EVENT_HANDSHAKE_FAILED_AUTH)
        assert {e.key for e in a.of(Struck)} == {None}


def test_a_message_beyond_the_sockets_bound_costs_the_connection() -> None:
    a, _ = pair()
    with running(a), Stranger(a, identity(3)) as cheat:
        cheat.say(cheat.hello())
        a.wait(PeerUp)
        cheat.send(bytes(70_000))
        assert a.wait(PeerDown).why is Why.LOST
        assert a.mesh.counters().octets_in < 70_000


def test_a_flood_of_messages_is_dropped_and_its_author_removed() -> None:
    limits = replace(
        PATIENT, messages_a_second=1.0, message_burst=20.0, drops_a_strike=10, strikes=3
    )
    a, _ = pair(limits)
    with running(a), Stranger(a, identity(3)) as cheat:
        cheat.say(cheat.hello())
        a.wait(PeerUp)
        for _ in range(60):
            cheat.say(GET)
        assert a.wait(PeerDown).why is Why.STRUCK
        assert len([e for e in a.of(Received) if e.message == GET]) <= 21
        assert a.mesh.counters().over_rate >= 30


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel can't be asked elsewhere")
@pytest.mark.parametrize("introduced", [True, False])
def test_an_endless_message_is_cut_off(introduced: bool) -> None:
    a = Node(identity(1), watch_limits=WatchLimits(excess=200_000))
    keys, cheat = CurveKeys.generate(), identity(3)
    with running(a), CurveClient(HOST, a.mesh.port, a.mesh.curve.public, keys) as client:
        if introduced:
            hello = Hello(b"", keys.public, TABLE, b"s" * 16, "x", Role.SEAT, 9, b"n" * 16)
            client.send(0, encode(sign(hello, cheat)))
            a.wait(PeerUp)
        with pytest.raises(OSError, match=r"reset|pipe"):
            client.flood(bytes(10_000))
        assert a.mesh.counters().floods == 1
        assert a.mesh.counters().messages_in <= 1
        if introduced:
            assert a.wait(PeerDown) == PeerDown(cheat.public, Why.STRUCK)
            with Stranger(a, cheat, keys) as again:
                again.until(zmq.EVENT_HANDSHAKE_FAILED_AUTH)


@pytest.mark.skipif(sys.platform != "linux", reason="the kernel can't be asked elsewhere")
def test_much_honest_traffic_is_no_flood() -> None:
    a = Node(identity(1), watch_limits=WatchLimits(excess=100_000, idle_rate=0.0))
    with running(a), Stranger(a, identity(3)) as peer:
        peer.say(peer.hello())
        a.wait(PeerUp)
        for step in range(2_000):
            peer.say(Get(bytes(32), step, tuple(range(64))))
        a.wait(Received, lambda e: e.message == Get(bytes(32), 1_999, tuple(range(64))))
        eventually(lambda: a.mesh.counters().messages_in > 2_000)
        mark = a.mark()
        peer.say(GET)
        a.wait(Received, lambda e: e.message == GET, since=mark)
        assert a.mesh.counters().floods == 0
        assert not a.of(PeerDown)


def test_nothing_is_kept_of_connections_that_closed() -> None:
    a, _ = pair()
    with running(a):
        for number in range(5):
            with Stranger(a, identity(10 + number)) as stranger:
                stranger.say(stranger.hello())
                a.wait(PeerUp, lambda e, w=stranger.identity: e.key == w.public)  # type: ignore[misc]
                stranger.say(GET)
                a.wait(Received, lambda e, w=stranger.identity: e.key == w.public)  # type: ignore[misc]
        eventually(lambda: len(a.of(PeerDown)) == 5)
        assert a.mesh._carrier._guests == {}
        assert len(a.mesh._carrier._watch) == 0


def test_idle_connections_do_not_lock_players_out() -> None:
    a, b = pair()
    a = Node(a.identity, limits=PATIENT, watch_limits=WatchLimits(mute_connections=8))
    with running(a, b), contextlib.ExitStack() as stack:
        idle = []
        for _ in range(40):
            connection = stack.enter_context(socket.create_connection((HOST, a.mesh.port)))
            connection.settimeout(20)
            idle.append(connection)
        b.dial(a, at_once=True)
        a.linked(b)
        eventually(lambda: a.mesh.counters().mute >= 32)
        greeting = idle[0].recv(64)
        while greeting:  # what ZMTP says first, then the end
            greeting = idle[0].recv(64)


def test_a_stranger_that_says_nothing_is_cut() -> None:
    a, _ = pair(replace(PATIENT, stranger=0.2))
    a = Node(a.identity, limits=PATIENT, watch_limits=WatchLimits(mute=0.2))
    with running(a), Stranger(a, identity(3)) as stranger:
        stranger.until(zmq.EVENT_HANDSHAKE_SUCCEEDED)
        stranger.until(zmq.EVENT_DISCONNECTED)
        assert a.mesh.counters().mute >= 1


# Our own side.


def test_a_taken_port_is_one_clear_sentence() -> None:
    a, _ = pair()
    sentence = "^Port [0-9]+ is in use by another program; choose another port.$"
    with running(a), pytest.raises(PortTaken, match=sentence):
        Node(identity(5), port=a.mesh.port).mesh.start()
    again = Node(identity(5), port=a.mesh.port)
    with running(again):
        assert again.mesh.port == a.mesh.port


@pytest.mark.parametrize("host", ["localhost", "", "1.2.3", "::g", "127.0.0.1:80", "*"])
def test_only_numeric_addresses_are_dialled(host: str) -> None:
    a, _ = pair()
    with pytest.raises(BadAddress):
        a.mesh.dial(identity(5).public, bytes(32), host, 7000)
    for port in (0, 65_536, -1):
        with pytest.raises(BadAddress):
            a.mesh.dial(identity(5).public, bytes(32), HOST, port)
    with pytest.raises(MeshError):
        a.mesh.dial(b"short", bytes(32), HOST, 7000)


def test_addresses_have_one_form() -> None:
    assert numeric("::ffff:10.0.0.1") == "10.0.0.1"
    assert numeric("FE80::0:1%eth0") == "fe80::1%eth0"


def test_a_callback_may_send_and_stop() -> None:
    done = threading.Event()
    nodes: list[Mesh] = []
    b = Node(identity(2), limits=PATIENT)

    def answer(event: Event) -> None:
        if isinstance(event, PeerUp):
            nodes[0].send(event.key, GET)
            nodes[0].stop()
            done.set()

    with running(b):
        profile = Profile(TABLE, b"S" * 16, b"N" * 16, "a")
        nodes.append(Mesh(identity(1), profile, answer, host=HOST, limits=PATIENT))
        nodes[0].start()
        nodes[0].dial(b.key, b.mesh.curve.public, HOST, b.mesh.port, at_once=True)
        assert done.wait(20)
        b.wait(Received, lambda e: e.message == GET)
        nodes[0].stop()
        assert not nodes[0].alive


def test_a_callback_that_raises_is_our_own_bug_and_reported() -> None:
    def broken(event: Event) -> None:
        raise KeyError(type(event).__name__)

    b = Node(identity(2), limits=PATIENT)
    mesh = Mesh(identity(1), Profile(TABLE, b"S" * 16, b"N" * 16, "a"), broken, host=HOST)
    with running(b):
        mesh.start()
        mesh.dial(b.key, b.mesh.curve.public, HOST, b.mesh.port, at_once=True)
        b.wait(PeerUp)
        eventually(lambda: mesh.counters().callback_errors >= 2)
        assert mesh.alive
        with pytest.raises(NodeFailed, match="KeyError") as caught:
            mesh.stop()
        assert isinstance(caught.value.__cause__, KeyError)
        mesh.stop()


def test_a_mesh_that_fails_tells_its_consumer() -> None:
    broken = threading.Event()

    def clock() -> float:
        if broken.is_set():
            raise ZeroDivisionError
        return time.monotonic()

    a, b = Node(identity(1), clock=clock), Node(identity(2))
    a.mesh.start()
    with running(b):
        link((a, b))
        broken.set()
        assert a.wait(PeerDown) == PeerDown(b.key, Why.LOST)
        eventually(lambda: not a.mesh.alive)
        assert not a.mesh.send(b.key, GET)
        with pytest.raises(NodeFailed) as caught:
            a.mesh.stop()
        assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_a_profile_that_nobody_would_accept_opens_nothing() -> None:
    profile = Profile(TABLE, b"S" * 16, b"N" * 16, "\x1b[2J")
    mesh = Mesh(identity(1), profile, print, host=HOST)
    with pytest.raises(LocalProtocolError):
        mesh.start()
    again = Node(identity(1), port=mesh.port)
    with running(again):
        assert again.mesh.port == mesh.port


def test_dialling_a_removed_player_is_answered() -> None:
    a, b = pair()
    with running(a):
        a.mesh.remove(b.key)
        a.mesh.dial(b.key, b.mesh.curve.public, HOST, 7000)
        assert a.wait(PeerDown) == PeerDown(b.key, Why.UNREACHABLE)


def test_a_mesh_starts_once() -> None:
    a, _ = pair()
    with running(a), pytest.raises(MeshError):
        a.mesh.start()
    with pytest.raises(MeshError):
        a.mesh.start()
    Node(identity(4)).mesh.stop()


def test_what_is_asked_before_the_start_is_done_after_it() -> None:
    a, b = pair()
    with running(b):
        a.dial(b)
        with running(a):
            a.linked(b)


def test_the_queue_of_a_mesh_is_bounded() -> None:
    a, _ = pair()
    sent = [a.mesh.send(identity(2).public, GET) for _ in range(9_000)]
    assert sent.count(True) == 8_192
    assert a.mesh.counters().commands_full == 9_000 - 8_192


def test_a_peer_that_does_not_read_is_behind_and_stops_nobody() -> None:
    a, b = pair()
    with running(a, b), Stranger(a, identity(3)) as deaf:
        link((a, b))
        deaf.say(deaf.hello())
        a.wait(PeerUp, lambda e: e.key == deaf.identity.public)
        big = Bye(Reason.LEAVING, "x" * 80)

        def behind() -> bool:
            for _ in range(500):
                a.mesh.send(deaf.identity.public, big)
            return any(p.behind for p in a.mesh.peers() if p.key == deaf.identity.public)

        eventually(behind)
        a.mesh.send(b.key, GET)
        b.wait(Received, lambda e: e.message == GET)
        assert a.mesh.counters().queue_full > 0


def test_an_inbox_is_bounded_but_keeps_presence() -> None:
    woken = []
    inbox = Inbox(2, wake=lambda: woken.append(1))
    key = identity(1).public
    for _ in range(3):
        inbox(Received(key, GET))
    inbox(Struck(key, "x"))
    inbox(PeerDown(key, Why.LOST))
    assert (inbox.dropped, len(woken)) == (2, 1)
    assert inbox.drain() == [Received(key, GET), Received(key, GET), PeerDown(key, Why.LOST)]
    assert inbox.get(0.0) is None
    inbox(PeerUp(key))
    assert len(woken) == 2
    assert inbox.get(1.0) == PeerUp(key)


CHILD = """
import sys
from node.events import Inbox, Received
from protocol.messages import Get
from tests.node.nodes import HOST, Node, identity
from node.events import PeerUp, PeerDown
key, curve, port = bytes.fromhex(sys.argv[1]), bytes.fromhex(sys.argv[2]), int(sys.argv[3])
node = Node(identity(2))
with node.mesh:
    node.mesh.dial(key, curve, HOST, port, at_once=True)
    node.wait(PeerUp)
    got = node.wait(Received, lambda e: isinstance(e.message, Get))
    assert got.key == key
    node.mesh.send(key, Get(got.message.match, got.message.step + 1))
    node.wait(PeerDown)
"""


def test_two_processes_talk() -> None:
    a = Node(identity(1))
    with running(a):
        child = subprocess.Popen(
            [
                *(sys.executable, "-W", "error", "-c", CHILD),
                *(a.key.hex(), a.mesh.curve.public.hex(), str(a.mesh.port)),
            ],
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            up = a.wait(PeerUp)
            assert up.key == identity(2).public
            a.mesh.send(up.key, GET)
            a.wait(Received, lambda e: e.message == Get(bytes(32), 8))
        finally:
            a.mesh.stop()
            _, complaints = child.communicate(timeout=30)
        assert (child.returncode, complaints) == (0, "")
