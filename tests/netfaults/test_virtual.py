"""The virtual network does what its scripts say, and the same each time."""

from __future__ import annotations

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.netfaults.virtual import Network, Node, Stuck, Way, storm

A, B, C, D = (bytes([n]) * 32 for n in range(4))


class Ears:
    """What each node heard, in order."""

    def __init__(self, net: Network, *keys: bytes) -> None:
        self.net = net
        self.heard: dict[bytes, list[tuple[bytes, bytes]]] = {key: [] for key in keys}
        self.changes: list[tuple[bytes, bytes, bool]] = []
        self.nodes: dict[bytes, Node] = {key: self.attach(key) for key in keys}

    def attach(self, key: bytes) -> Node:
        return self.net.attach(
            key,
            lambda sender, octets: self.heard[key].append((sender, octets)),
            lambda other, up: self.changes.append((key, other, up)),
        )


def words(count: int) -> list[bytes]:
    return [n.to_bytes(2, "big") for n in range(count)]


def test_messages_arrive_in_their_order_after_their_delay() -> None:
    net = Network(1, way=Way(delay=0.01, jitter=0.05))
    ears = Ears(net, A, B)
    for word in words(100):
        assert ears.nodes[A].send(B, word)
    net.run(0.009)
    assert ears.heard[B] == []
    net.run(0.06)
    assert ears.heard[B] == [(A, word) for word in words(100)]


@pytest.mark.parametrize("fault", ["drop", "double", "late"])
def test_each_fault_does_its_part_of_the_messages_and_no_more(fault: str) -> None:
    net = Network(2, way=Way(**{fault: 0.3}))  # type: ignore[arg-type]  # one name of several
    ears = Ears(net, A, B)
    for word in words(1000):
        ears.nodes[A].send(B, word)
    net.run(1)
    heard = [word for _, word in ears.heard[B]]
    if fault == "drop":
        assert 650 < len(heard) < 750
        assert heard == sorted(heard)
    elif fault == "double":
        assert 1250 < len(heard) < 1350
        assert set(heard) == set(words(1000))
    else:
        assert sorted(heard) == words(1000)
        assert heard != sorted(heard)


def test_a_rate_makes_messages_wait_for_each_other() -> None:
    net = Network(3, way=Way(delay=0.0, rate=100.0))
    ears = Ears(net, A, B)
    for _ in range(4):
        ears.nodes[A].send(B, bytes(50))
    net.run(1.25)
    assert len(ears.heard[B]) == 2
    net.run(1)
    assert len(ears.heard[B]) == 4


def test_what_is_under_way_when_a_way_shuts_is_lost_even_if_it_opens_again() -> None:
    net = Network(4, way=Way(delay=1.0))
    ears = Ears(net, A, B)
    ears.nodes[A].send(B, b"lost")
    ears.nodes[B].send(A, b"lost too")
    net.at(net.now + 0.4, lambda: net.cut(A, B))
    net.at(net.now + 0.6, lambda: net.join(A, B))
    net.run(0.5)
    assert not ears.nodes[A].send(B, b"nobody to send to")
    net.run(0.2)
    assert ears.nodes[A].send(B, b"arrives")
    net.run(2)
    assert ears.heard == {A: [], B: [(A, b"arrives")]}
    assert ears.changes == [(A, B, True), (B, A, True)] + [
        (a, b, up) for up in (False, True) for a, b in ((A, B), (B, A))
    ]


def test_a_one_way_wall_leaves_no_link() -> None:
    net = Network(5)
    ears = Ears(net, A, B)
    ears.nodes[B].send(A, b"on its way")
    net.shut(A, B)
    assert not net.linked(A, B)
    net.run(1)
    assert ears.heard[A] == [(B, b"on its way")], "that direction was never shut"


def test_a_split_network_is_two() -> None:
    net = Network(6)
    ears = Ears(net, A, B, C, D)
    net.split({A, B}, {C})
    assert [ears.nodes[key].links() for key in (A, B, C, D)] == [[B], [A], [], []]
    net.heal()
    assert all(len(node.links()) == 3 for node in ears.nodes.values())
    ears.nodes[A].broadcast(b"all")
    net.run(1)
    assert all(ears.heard[key] == [(A, b"all")] for key in (B, C, D))


def test_links_are_noticed_when_the_network_says_so() -> None:
    net = Network(7, notice=0.5)
    ears = Ears(net, A, B)
    net.run(0.4)
    assert ears.changes == []
    net.run(0.2)
    assert ears.changes == [(A, B, True), (B, A, True)]


def test_a_crash_takes_messages_and_timers_with_it() -> None:
    net = Network(8, way=Way(delay=1.0))
    ears = Ears(net, A, B)
    fired: list[int] = []
    ears.nodes[B].after(2.0, lambda: fired.append(1))
    ears.nodes[B].every(0.4, lambda: fired.append(2))
    ears.nodes[A].send(B, b"lost")
    net.run(0.5)
    ears.nodes[B].detach()
    ears.nodes[B].detach()
    assert not ears.nodes[B].send(A, b"from the grave")
    ears.attach(B)
    net.run(5)
    assert fired == [2]
    assert ears.heard == {A: [], B: []}
    with pytest.raises(ValueError, match="still there"):
        ears.attach(B)


def test_time_is_the_networks_and_waiting_costs_none() -> None:
    net = Network(9, start=50.0)
    done: list[float] = []
    net.every(1000.0, lambda: done.append(net.clock()))
    net.run(3500)
    assert done == [1050.0, 2050.0, 3050.0]
    assert net.clock() == 3550.0
    net.sleep(5000)
    net.run(0)
    assert done[3:] == [8550.0], "what was missed is done once, late"
    with pytest.raises(ValueError, match="pass"):
        net.every(0, lambda: None)


def test_waiting_in_vain_says_what_happened() -> None:
    net = Network(10)
    ears = Ears(net, A, B)
    ears.nodes[A].send(B, b"x")
    with pytest.raises(Stuck, match="0000 > 0101"):
        net.run_until(lambda: False, limit=1.0)
    assert net.run_until(lambda: True) == net.now


@given(st.integers(0, 2**32))
def test_one_seed_is_one_course_of_events(seed: int) -> None:
    courses = set()
    for _ in range(2):
        net = Network(seed, way=Way(drop=0.2, double=0.2, late=0.2, jitter=0.1))
        ears = Ears(net, A, B, C)
        storm(net, (A, B, C), 5.0, 0.5)
        for word in words(20):
            net.after(net.random.random() * 5, partial(ears.nodes[A].broadcast, word))
        net.run(6)
        assert len(net.all_links()) == 6, "a storm ends with everything healed"
        courses.add(net.course.hexdigest())
    assert len(courses) == 1


def test_another_seed_is_another_course() -> None:
    courses = set()
    for seed in range(5):
        net = Network(seed, way=Way(drop=0.5))
        ears = Ears(net, A, B)
        for word in words(50):
            ears.nodes[A].send(B, word)
        net.run(1)
        courses.add(net.course.hexdigest())
    assert len(courses) == 5
