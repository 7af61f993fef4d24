"""Real meshes over connections that do what networks do: every one of them heals.

Nodes listen at addresses of their own (127.0.0.1 and on) and are known to each other by the ports
of proxies alone. Times are shorter than in real use, in the same proportions.
"""

from __future__ import annotations

import itertools
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress

import pytest

from node.events import PeerDown, PeerUp, PhaseChanged, Received
from node.link import Limits, Phase, Why
from node.sockets import CurveKeys
from node.watch import WatchLimits
from protocol.contribution import Contribution, Entry, Kind, Place
from protocol.messages import MAX_MESSAGE, EntryMessage, Get, Hello, Role
from protocol.wire import encode, sign
from tests.netfaults.proxy import Faults, Proxy
from tests.node.curve_client import CurveClient
from tests.node.nodes import TABLE, Node, Stranger, eventually, identity, link, running

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="elsewhere the loopback network has one address"
)
LARGE = EntryMessage(
    Entry(
        Place(bytes(32), bytes(32), 1),
        Contribution(0, Kind.SHUFFLE, bytes(20_000), bytes(8), bytes(64)),
    )
)
QUICK = Limits(fallback=0.2, lagging=0.8, away=2.0, attempt=0.2, attempt_max=0.5, retry=0.5)


@pytest.fixture(autouse=True)
def _no_thread_left() -> Iterator[None]:
    yield
    left = [t.name for t in threading.enumerate() if t.name.startswith(("busso-", "proxy"))]
    assert not left


class Net:
    """Nodes, and a proxy for each direction in which one dials another."""

    def __init__(self, stack: ExitStack, count: int, limits: Limits = QUICK) -> None:
        who = sorted((identity(n + 1) for n in range(count)), key=lambda i: i.public)
        self.nodes = [
            Node(one, host=f"127.0.0.{n + 1}", limits=limits) for n, one in enumerate(who)
        ]
        stack.enter_context(running(*self.nodes))
        self.proxies = {
            (a, b): stack.enter_context(
                Proxy((f"127.0.0.{b + 1}", self.nodes[b].mesh.port), seed=10 * a + b)
            )
            for a, b in itertools.permutations(range(count), 2)
        }

    def know(self, a: int, b: int) -> None:
        """Tell node `a` where `b` is: behind the proxy for that direction."""
        other, port = self.nodes[b], self.proxies[a, b].port
        self.nodes[a].mesh.dial(other.key, other.mesh.curve.public, "127.0.0.1", port)

    def link(self) -> None:
        """Everybody knows everybody, and all are linked."""
        for a, b in self.proxies:
            self.know(a, b)
        for a, b in self.proxies:
            self.nodes[a].linked(self.nodes[b])

    def talk(self, step: int) -> None:
        """Every node hears from every other; what is lost is said again."""
        for a, b in self.proxies:
            self.says(a, b, step)

    def says(self, a: int, b: int, step: int) -> None:
        """Node `b` hears a message of `a`, sooner or later."""
        speaker, listener = self.nodes[a], self.nodes[b]
        word = Get(bytes(32), step, (a,))

        def heard() -> bool:
            speaker.mesh.send(listener.key, word)
            return any(e == Received(speaker.key, word) for e in listener.of(Received))

        eventually(heard)


@pytest.mark.parametrize(
    "faults",
    [Faults(delay=0.05), Faults(jitter=0.1), Faults(rate=20_000), Faults(0.02, 0.05, 50_000)],
    ids=["delay", "jitter", "rate", "all"],
)
def test_a_slow_network_is_a_network(faults: Faults) -> None:
    with ExitStack() as stack:
        net = Net(stack, 3)
        for proxy in net.proxies.values():
            proxy.set(delay=faults.delay, jitter=faults.jitter, rate=faults.rate)
        net.link()
        words = [Get(bytes(32), step) for step in range(40)]
        for word in words:
            net.nodes[0].mesh.broadcast(word)
        for node in net.nodes[1:]:
            node.wait(Received, lambda e: e.message == words[-1])
            said = [e.message for e in node.of(Received) if e.key == net.nodes[0].key]
            assert [m for m in said if isinstance(m, Get)] == words


def test_broken_connections_are_made_again() -> None:
    with ExitStack() as stack:
        net = Net(stack, 3)
        net.link()
        for round_ in range(3):
            marks = [node.mark() for node in net.nodes]
            for proxy in net.proxies.values():
                proxy.reset()
            for a, b in net.proxies:
                net.nodes[a].linked(net.nodes[b], since=marks[a])
            net.talk(round_)


def test_a_mesh_of_four_heals_after_a_cut() -> None:
    with ExitStack() as stack:
        net = Net(stack, 4)
        net.link()
        marks = [node.mark() for node in net.nodes]
        for proxy in net.proxies.values():
            proxy.refuse()
        for a, b in net.proxies:
            node, key = net.nodes[a], net.nodes[b].key
            node.wait(PeerDown, lambda e, key=key: e.key == key, since=marks[a])  # type: ignore[misc]
        for proxy in net.proxies.values():
            proxy.accept()
        net.talk(1)


def test_a_hole_is_noticed_and_gone_around_from_the_other_end() -> None:
    """The connection stands and nothing comes through: the dialled side opens one of its own."""
    with ExitStack() as stack:
        net = Net(stack, 2)
        low, high = net.nodes
        net.know(0, 1)
        net.know(1, 0)
        low.linked(high)
        high.linked(low)
        net.proxies[0, 1].set(there=False, back=False)
        high.wait(PhaseChanged, lambda e: e.phase is Phase.LAGGING)
        net.says(1, 0, 1)
        net.says(0, 1, 2)
        assert net.proxies[1, 0].connections > 0
        assert not low.of(PeerDown)


def test_a_hole_without_a_way_around_is_silence_until_it_closes() -> None:
    with ExitStack() as stack:
        net = Net(stack, 2)
        low, high = net.nodes
        net.know(0, 1)
        low.linked(high)
        net.proxies[0, 1].set(there=False, back=False)
        assert low.wait(PeerDown) == PeerDown(high.key, Why.SILENT)
        assert high.wait(PeerDown).why in (Why.SILENT, Why.LOST)
        mark = low.mark()
        net.proxies[0, 1].set(there=True, back=True)
        low.linked(high, since=mark)
        net.says(0, 1, 1)
        net.says(1, 0, 2)


@pytest.mark.parametrize("way", ["there", "back"])
def test_a_way_that_works_in_one_direction_only_is_gone_around(way: str) -> None:
    with ExitStack() as stack:
        net = Net(stack, 2)
        net.know(0, 1)
        net.know(1, 0)
        net.nodes[0].linked(net.nodes[1])
        net.proxies[0, 1].set(**{way: False})
        deaf = net.nodes[1] if way == "there" else net.nodes[0]
        deaf.wait(PhaseChanged, lambda e: e.phase is Phase.LAGGING)
        net.proxies[0, 1].refuse()
        net.says(0, 1, 1)
        net.says(1, 0, 2)


def test_a_firewall_that_lets_one_side_dial_is_enough() -> None:
    for shut, open_ in (((0, 1), (1, 0)), ((1, 0), (0, 1))):
        with ExitStack() as stack:
            net = Net(stack, 2)
            net.proxies[shut].refuse()
            net.link()
            net.talk(1)
            assert net.proxies[shut].connections == 0
            assert net.proxies[open_].connections > 0


def test_half_a_connection_holds_up_nobody() -> None:
    """Something accepts the connection and then says nothing, as a stalled machine does."""
    with ExitStack() as stack:
        net = Net(stack, 3)
        net.proxies[0, 1].set(answers=False)
        net.proxies[1, 0].set(answers=False)
        for a, b in net.proxies:
            net.know(a, b)
        for a, b in ((0, 2), (2, 0), (1, 2), (2, 1)):
            net.nodes[a].linked(net.nodes[b])
            net.says(a, b, 1)
        eventually(lambda: net.proxies[0, 1].connections >= 2)
        key = net.nodes[1].key
        assert key not in [e.key for e in net.nodes[0].of(PeerUp)]
        for proxy in (net.proxies[0, 1], net.proxies[1, 0]):
            proxy.set(answers=True)
        net.nodes[0].linked(net.nodes[1])
        net.talk(2)


def test_a_player_with_two_addresses_is_found_at_the_one_that_works() -> None:
    with ExitStack() as stack:
        net = Net(stack, 2)
        low, high = net.nodes
        with socket.create_server(("127.0.0.5", 0)) as dead:
            port = dead.getsockname()[1]
        net.know(0, 1)
        low.mesh.dial(high.key, high.mesh.curve.public, "127.0.0.5", port)
        low.linked(high)
        net.says(0, 1, 1)


def test_a_player_that_moved_is_found_where_it_is_said_to_be_now() -> None:
    with ExitStack() as stack:
        net = Net(stack, 2)
        low, high = net.nodes
        moved = stack.enter_context(Proxy(("127.0.0.2", high.mesh.port)))
        net.know(0, 1)
        low.linked(high)
        net.proxies[0, 1].refuse()
        low.wait(PeerDown)
        mark = low.mark()
        low.mesh.dial(high.key, high.mesh.curve.public, "127.0.0.1", moved.port)
        low.linked(high, since=mark)
        net.says(1, 0, 1)


# One bad peer.


def _flood(victim: Node, stop: threading.Event) -> None:
    """Well-formed messages as fast as it can, from a peer that introduced itself."""
    with Stranger(victim, identity(66)) as bad:
        bad.say(bad.hello())
        data = encode(Get(bytes(32), 1))
        while not stop.is_set():
            for _ in range(500):
                with suppress(Exception):  # full, or removed by now
                    bad.socket.send(data, 1)


def _oversize(victim: Node, stop: threading.Event) -> None:
    while not stop.is_set():
        with Stranger(victim, identity(66)) as bad, suppress(Exception):
            bad.socket.setsockopt(28, 200)  # SNDTIMEO
            bad.say(bad.hello())
            bad.send(bytes(MAX_MESSAGE + 1))
            bad.send(bytes(70_000))
            stop.wait(0.01)


def _endless(victim: Node, stop: threading.Event) -> None:
    """Frames of one message without an end."""
    while not stop.is_set():
        keys = CurveKeys.generate()
        with suppress(OSError, AssertionError):
            host, port = victim.mesh._bind[0], victim.mesh.port
            with CurveClient(host, port, victim.mesh.curve.public, keys) as bad:
                hello = Hello(b"", keys.public, TABLE, b"s" * 16, "x", Role.SEAT, 9, b"n" * 16)
                bad.send(0, encode(sign(hello, identity(66))))
                while not stop.is_set():
                    bad.send(1, bytes(10_000))


def _halves(victim: Node, stop: threading.Event) -> None:
    """Connections that are opened and never used."""
    with ExitStack() as stack:
        while not stop.is_set():
            with suppress(OSError):
                address = (victim.mesh._bind[0], victim.mesh.port)
                stack.enter_context(socket.create_connection(address, 1))
            stop.wait(0.005)


def _deaf(victim: Node, stop: threading.Event) -> None:
    """A peer that introduces itself and never reads, while the victim has much to tell it."""
    with Stranger(victim, identity(66)) as bad:
        bad.say(bad.hello())
        while not stop.is_set():
            for _ in range(50):
                victim.mesh.send(identity(66).public, LARGE)
            stop.wait(0.001)


ATTACKS: dict[str, tuple[Callable[[Node, threading.Event], None], str]] = {
    "flood": (_flood, "over_rate"),
    "oversize": (_oversize, "malformed"),
    "endless message": (_endless, "floods"),
    "half connections": (_halves, "mute"),
    "never reads": (_deaf, "queue_full"),
}


@pytest.mark.parametrize("name", ATTACKS)
def test_one_bad_peer_holds_up_nobody(name: str) -> None:
    """While it goes on, until it shows in a counter, the others talk as before."""
    attack, counter = ATTACKS[name]
    limits = Limits(messages_a_second=2_000.0, message_burst=2_000.0, drops_a_strike=64)
    watch = WatchLimits(mute=0.5, excess=200_000)
    victim = Node(identity(1), limits=limits, watch_limits=watch)
    others = [Node(identity(n), limits=limits) for n in (2, 3)]
    stop = threading.Event()
    with running(victim, *others):
        link((victim, *others))
        bad = threading.Thread(target=attack, args=(victim, stop))
        bad.start()
        try:
            for step in itertools.count():
                word, marks = Get(bytes(32), step, (7,)), (victim.mark(), others[1].mark())
                others[0].mesh.send(victim.key, word)
                victim.wait(Received, lambda e, w=word: e.message == w, since=marks[0])  # type: ignore[misc]
                victim.mesh.send(others[1].key, word)
                others[1].wait(Received, lambda e, w=word: e.message == w, since=marks[1])  # type: ignore[misc]
                if step >= 25 and getattr(victim.mesh.counters(), counter):
                    break
                assert step < 20_000, "the attack has no effect"
        finally:
            stop.set()
            bad.join(30)
        down = {e.key for e in victim.of(PeerDown)}
        assert not down & {node.key for node in others}
        assert victim.mesh.alive
