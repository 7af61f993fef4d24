"""Who passes what to whom: everybody in reach gets every entry, once where all agree."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.relay import REMEMBERED, WINDOW, Relay
from protocol.contribution import Contribution, Entry, Kind, Place, statement
from protocol.messages import State
from protocol.table import Verdict
from tests.protocol.ring import identities

IDENTITIES = identities(6)
KEYS = tuple(identity.public for identity in IDENTITIES)
Links = set[frozenset[int]]


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def entry(seat: int = 0, step: int = 1, body: bytes = b"x") -> Entry:
    """A signed contribution."""
    place = Place(bytes(32), bytes(32), step)
    blank = Contribution(seat, Kind.MOVE, body, bytes(8), b"")
    signature = IDENTITIES[seat].sign(statement(place, blank))
    return Entry(place, replace(blank, signature=signature))


def relays(count: int, links: Iterable[Iterable[int]], clock: Clock | None = None) -> list[Relay]:
    """The relays of seats that are linked so and have told each other."""
    joined = {frozenset(pair) for pair in links}
    found = [Relay(KEYS[:count], seat, clock or Clock()) for seat in range(count)]
    for a, b in itertools.permutations(range(count), 2):
        found[a].link(KEYS[b], frozenset((a, b)) in joined)
    for a, b in itertools.permutations(range(count), 2):
        if frozenset((a, b)) in joined:
            found[a].heard(KEYS[b], State(links=found[b].links))
    return found


def spread(nodes: list[Relay], author: int) -> list[int]:
    """How often each seat gets an entry of `author`."""
    copies = [0] * len(nodes)
    sent = entry(author)
    waiting = [(KEYS[author], seat) for seat in nodes[author].links]
    while waiting:
        sender, seat = waiting.pop(0)
        copies[seat] += 1
        verdict = Verdict.ACCEPTED if copies[seat] == 1 else Verdict.DUPLICATE
        for key in nodes[seat].onward(sender, sent, verdict):
            assert key != sender
            waiting.append((KEYS[seat], KEYS.index(key)))
    return copies


def test_a_full_mesh_relays_nothing() -> None:
    nodes = relays(4, itertools.combinations(range(4), 2))
    assert all(node.ways(author) == () for node in nodes for author in range(4))


def test_the_lowest_key_that_sees_both_passes_on() -> None:
    links = [pair for pair in itertools.combinations(range(4), 2) if pair != (0, 3)]
    nodes = relays(4, links)
    assert nodes[1].ways(0) == (KEYS[3],)
    assert nodes[1].ways(3) == (KEYS[0],)
    assert nodes[2].ways(0) == nodes[2].ways(3) == ()
    assert all(node.ways(author) == () for node in nodes for author in (1, 2))


def test_a_chain_passes_on_from_end_to_end() -> None:
    nodes = relays(5, [(0, 1), (1, 2), (2, 3), (3, 4)])
    assert spread(nodes, 0) == [0, 1, 1, 1, 1]
    assert spread(nodes, 4) == [1, 1, 1, 1, 0]


def test_a_link_that_one_end_alone_believes_in_is_none() -> None:
    """A one-way wall: 0 hears 2, and 2 doesn't hear 0."""
    nodes = relays(3, [(0, 1), (1, 2), (0, 2)])
    nodes[2].link(KEYS[0], False)
    nodes[1].heard(KEYS[2], State(links=nodes[2].links))
    assert nodes[1].ways(0) == (KEYS[2],)
    assert nodes[1].ways(2) == (KEYS[0],)


def test_whoever_is_not_heard_any_more_is_not_believed() -> None:
    nodes = relays(4, [pair for pair in itertools.combinations(range(4), 2) if pair != (0, 3)])
    assert nodes[2].ways(0) == ()
    assert nodes[2].link(KEYS[1], False), "1 would have done it, but 2 has lost sight of it"
    assert not nodes[2].link(KEYS[1], False), "no change"
    nodes[2].heard(KEYS[0], State(links=(2,)))
    nodes[2].heard(KEYS[3], State(links=(2,)))
    assert nodes[2].ways(0) == (KEYS[3],)
    assert nodes[2].links == (0, 3)


@given(st.integers(2, 6), st.data())
def test_everybody_in_reach_gets_everything_once(count: int, data: st.DataObject) -> None:
    pairs = list(itertools.combinations(range(count), 2))
    links = data.draw(st.sets(st.sampled_from(pairs)))
    author = data.draw(st.integers(0, count - 1))
    nodes = relays(count, links)
    reach, before = {author}, set[int]()
    while reach != before:
        before = set(reach)
        reach |= {b for a, b in (*links, *((b, a) for a, b in links)) if a in reach}
    # A node knows its neighbours' links, so a third hop away it may guess wrong: then two send.
    copies = spread(nodes, author)
    near = {seat for link in links if author in link for seat in link}
    second = {s for link in links if near & set(link) for s in link}
    for seat in range(count):
        if seat == author:
            continue
        assert (copies[seat] > 0) == (seat in reach)
        if second >= reach:
            assert copies[seat] <= 1


@given(st.data())
def test_no_picture_of_the_links_makes_an_entry_go_round_for_ever(data: st.DataObject) -> None:
    """Each node believes what it likes: whatever they tell each other, each sends once."""
    seats = range(4)
    nodes = [Relay(KEYS[:4], seat, Clock()) for seat in seats]
    for a, b in itertools.permutations(seats, 2):
        nodes[a].link(KEYS[b], True)
        links = data.draw(st.sets(st.sampled_from([s for s in seats if s != b])))
        nodes[a].heard(KEYS[b], State(links=tuple(sorted(links))))
    assert max(spread(nodes, 0)) <= len(nodes)


def test_a_second_copy_within_a_moment_is_not_read() -> None:
    clock = Clock()
    node = relays(3, [(0, 1), (1, 2)], clock)[1]
    first = entry()
    assert node.fresh(first)
    assert node.onward(KEYS[0], first, Verdict.ACCEPTED) == (KEYS[2],)
    assert not node.fresh(first)
    assert node.fresh(replace(first, contribution=replace(first.contribution, signature=bytes(64))))
    clock.now += WINDOW
    assert node.fresh(first), "it may have been asked for"
    assert node.onward(KEYS[2], first, Verdict.ACCEPTED) == (), "but it was passed on"
    assert (node.entries.repeated, node.entries.passed_on) == (1, 1)
    clock.now -= 50
    assert node.fresh(first), "a clock that runs backwards suppresses nothing"


@pytest.mark.parametrize(
    "verdict", [v for v in Verdict if v not in (Verdict.ACCEPTED, Verdict.GUILTY)]
)
def test_what_may_be_a_forgery_is_not_passed_on_and_suppresses_nothing(verdict: Verdict) -> None:
    node = relays(3, [(0, 1), (1, 2)])[1]
    good = entry()
    forged = replace(good, contribution=replace(good.contribution, signature=bytes(64)))
    assert node.onward(KEYS[0], forged, verdict) == ()
    assert node.fresh(good)
    assert node.onward(KEYS[0], good, Verdict.ACCEPTED) == (KEYS[2],)


def test_what_could_not_be_used_yet_may_come_again() -> None:
    node = relays(3, [(0, 1), (1, 2)])[1]
    for verdict in (Verdict.DIVERGENT, Verdict.HALTED, Verdict.FOREIGN):
        node.onward(KEYS[0], entry(), verdict)
        assert node.fresh(entry())


def test_an_early_entry_is_passed_on_if_it_is_signed() -> None:
    node = relays(3, [(0, 1), (1, 2)])[1]
    assert node.onward(KEYS[0], entry(step=40), Verdict.EARLY) == (KEYS[2],)
    strange = replace(entry(), contribution=replace(entry().contribution, seat=63))
    assert node.onward(KEYS[0], strange, Verdict.EARLY) == ()


def test_memory_is_bounded() -> None:
    node = relays(3, [(0, 1), (1, 2)])[1]
    blank = entry()
    for number in range(REMEMBERED + 50):
        body = replace(blank.contribution, body=number.to_bytes(4, "big"))
        node.onward(KEYS[0], replace(blank, contribution=body), Verdict.ACCEPTED)
    assert len(node._seen) == REMEMBERED
    node.heard(b"stranger" * 4, State(links=(0, 1, 2)))
    node.heard(KEYS[0], State(links=tuple(range(64))))
    assert node._told[0] == {1, 2}


def test_a_spectator_passes_nothing_on() -> None:
    node = Relay(KEYS[:3], None, Clock())
    for key in KEYS[:3]:
        node.link(key, True)
    assert node.onward(KEYS[0], entry(), Verdict.ACCEPTED) == ()
    assert node.links == (0, 1, 2)
