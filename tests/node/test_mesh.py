"""The mesh over real sockets: who gets linked and who is believed; attackers are in
test_mesh_attacks."""

from __future__ import annotations

import itertools
import subprocess
import sys
import threading
import time
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
from protocol.errors import LocalProtocolError
from protocol.messages import Bye, Get, Hello, Ping, Pong, Reason, Role, State
from protocol.wire import encode, sign
from tests.node.meshes import GET, PATIENT, pair
from tests.node.nodes import HOST, TABLE, Node, Stranger, eventually, identity, link, running

pytestmark = pytest.mark.usefixtures("no_thread_left")


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
