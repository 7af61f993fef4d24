"""What attackers get from a mesh over real sockets: forgeries, stolen names, floods, silence."""

from __future__ import annotations

import contextlib
import ctypes
import socket
import sys
from dataclasses import replace

import pytest
import zmq

from node.events import HelloReceived, PeerDown, PeerUp, Received, Struck
from node.link import Side, Why
from node.sockets import CurveKeys
from node.watch import WatchLimits
from protocol.messages import MAX_MESSAGE, Bye, Get, Hello, Reason, Role
from protocol.wire import encode, sign
from tests.node.curve_client import CurveClient
from tests.node.meshes import GET, PATIENT, pair
from tests.node.nodes import HOST, TABLE, Node, Stranger, eventually, identity, link, running
from tests.protocol.wire_samples import card

pytestmark = pytest.mark.usefixtures("no_thread_left")


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
