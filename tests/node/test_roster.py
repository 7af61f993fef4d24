"""The bookkeeping of links under a virtual clock: who dials, who is gone; test_roster_doors
has who may come in."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from node.link import (
    Action,
    Dial,
    Down,
    Greet,
    HangUp,
    Limits,
    Path,
    Phase,
    Side,
    Target,
    Up,
    Verdict,
    Why,
)
from node.roster import Roster
from node.watch import Watch, WatchLimits
from tests.node.rosters import CURVES, HIGH, IN, LOW, OTHER, linked, out, phase, roster, target

# Who dials.


def test_the_lower_key_dials_at_once() -> None:
    r = roster(LOW)
    assert r.know(HIGH, target(HIGH), 1.0)
    assert r.take() == [Dial(HIGH, target(HIGH))]
    r.tick(1.1)
    assert r.take() == []


def test_the_higher_key_waits_and_then_dials() -> None:
    r = roster(HIGH)
    r.know(LOW, target(LOW), 0.0)
    r.tick(0.0)
    r.tick(0.69)
    assert r.take() == []
    assert phase(r, LOW, 0.69) is Phase.SEEN
    r.tick(0.7)
    assert r.take() == [Dial(LOW, target(LOW))]
    assert phase(r, LOW, 0.7) is Phase.DIALING


def test_the_higher_key_does_not_dial_who_came_in_time() -> None:
    r = roster(HIGH)
    r.know(LOW, target(LOW), 0.0)
    r.allow(CURVES[LOW], 0.1)
    r.hello(LOW, CURVES[LOW], IN, 0.1)
    for tenth in range(2, 30):
        r.heard(CURVES[LOW], IN, tenth / 10)
        r.tick(tenth / 10)
    assert [a for a in r.take() if isinstance(a, Dial)] == []


def test_after_a_loss_the_higher_key_waits_again() -> None:
    r = roster(HIGH)
    r.know(LOW, target(LOW), 0.0)
    r.hello(LOW, CURVES[LOW], IN, 0.1)
    r.take()
    for tenth in range(2, 21):
        r.heard(CURVES[LOW], IN, tenth / 10)
        r.tick(tenth / 10)
    r.lost(IN, 2.0)
    assert r.take() == [Down(LOW, Why.LOST)]
    r.tick(2.6)
    assert r.take() == []
    r.tick(2.7)
    assert r.take() == [Dial(LOW, target(LOW))]


def test_an_attempt_is_given_up_when_the_other_side_got_through() -> None:
    r = roster(LOW)
    r.know(HIGH, target(HIGH), 0.0)
    r.hello(HIGH, CURVES[HIGH], IN, 0.5)
    r.take()
    r.tick(0.6)
    assert r.take() == [HangUp(CURVES[HIGH])]
    r.tick(0.7)
    assert r.take() == []


def test_a_new_address_replaces_the_attempt() -> None:
    r = roster(LOW)
    r.know(HIGH, target(HIGH), 0.0)
    r.take()
    r.know(HIGH, target(HIGH, 7001), 0.1)
    assert r.take() == [HangUp(CURVES[HIGH]), Dial(HIGH, target(HIGH, 7001))]


def test_refusals_are_asked_again_ever_more_slowly() -> None:
    r = roster(LOW)
    r.know(HIGH, target(HIGH), 0.0)
    dials, now = [0.0], 0.0
    r.take()
    for _ in range(6):
        r.refused(CURVES[HIGH], now)
        while not any(isinstance(a, Dial) for a in r.take()):
            now = round(now + 0.1, 1)
            r.tick(now)
        dials.append(now)
    gaps = [round(b - a, 1) for a, b in itertools.pairwise(dials)]
    assert gaps == [0.7, 1.4, 2.8, 5.0, 5.0, 5.0]


def test_who_can_not_be_reached_is_reported_once() -> None:
    r = roster(LOW)
    r.know(HIGH, target(HIGH), 0.0)
    for tenth in range(1, 200):
        r.tick(tenth / 10)
    assert [a for a in r.take() if isinstance(a, Down)] == [Down(HIGH, Why.UNREACHABLE)]


def test_a_linked_peer_that_is_made_known_again_is_not_reported() -> None:
    r = linked()
    r.know(LOW, target(LOW), 0.0)
    for tenth in range(1, 70):
        r.heard(CURVES[LOW], IN, tenth / 10)
        r.tick(tenth / 10)
    assert r.take() == []


@dataclass
class _Node:
    """A roster in a simulated network of two: what it dials connects if the way is open."""

    key: bytes
    roster: Roster
    open: bool
    dialled: bool = False
    ups: list[Action] = field(default_factory=list)


def simulate(nodes: dict[bytes, _Node], now: float) -> None:
    """Let both act until nothing happens any more at this instant."""
    a, b = nodes.values()
    for _ in range(20):
        acted = False
        for node, other in ((a, b), (b, a)):
            way_out, way_in = Path(Side.OUT, CURVES[other.key]), Path(Side.IN, b"\0" + node.key[:4])
            for action in node.roster.take():
                acted = True
                match action:
                    case Dial():
                        node.dialled = True
                        if node.open and other.roster.allow(CURVES[node.key], now):
                            node.roster.opened(CURVES[other.key], now)
                    case HangUp() if node.dialled:
                        node.dialled = False
                        node.roster.lost(way_out, now)
                        other.roster.lost(way_in, now)
                    case Greet(path) if path == way_out:
                        other.roster.hello(node.key, CURVES[node.key], way_in, now)
                    case Greet():
                        back = Path(Side.OUT, CURVES[node.key])
                        other.roster.hello(node.key, CURVES[node.key], back, now)
                    case Up() | Down():
                        node.ups.append(action)
        if not acted:
            return
    raise AssertionError("it never comes to rest")


@given(st.booleans(), st.booleans(), st.floats(0, 2), st.booleans())
def test_two_nodes_get_linked_if_either_can_reach_the_other(
    low_can: bool, high_can: bool, late: float, both_know: bool
) -> None:
    low = _Node(LOW, roster(LOW), low_can)
    high = _Node(HIGH, roster(HIGH), high_can)
    nodes = {LOW: low, HIGH: high}
    knows = (low, high) if both_know else (high,)
    for node, other, at in ((low, HIGH, 0.0), (high, LOW, late)):
        if node in knows:
            node.roster.know(other, target(other), at)
            simulate(nodes, at)
    now = late
    while now < late + 1.0:
        now += 0.1
        for node in nodes.values():
            node.roster.tick(now)
            for peer in node.roster.up():
                node.roster.heard(CURVES[peer], node.roster.paths(peer)[0], now)
        simulate(nodes, now)
    possible = high_can or (low_can and both_know)
    for node, other in ((low, HIGH), (high, LOW)):
        assert node.roster.up() == ([other] if possible else [])
        assert node.ups == ([Up(other)] if possible else [])


# Paths.


def test_replies_take_the_path_last_heard_from() -> None:
    r = roster(LOW)
    r.know(HIGH, target(HIGH), 0.0)
    r.opened(CURVES[HIGH], 0.1)
    assert phase(r, HIGH, 0.1) is Phase.HELLO
    assert r.paths(HIGH) == []  # not before it introduced itself
    r.hello(HIGH, CURVES[HIGH], out(HIGH), 0.2)
    r.hello(HIGH, CURVES[HIGH], IN, 0.3)
    assert r.paths(HIGH) == [IN, out(HIGH)]
    assert r.heard(CURVES[HIGH], out(HIGH), 0.4) == HIGH
    assert r.paths(HIGH) == [out(HIGH), IN]
    r.lost(out(HIGH), 0.5)
    assert r.paths(HIGH) == [IN]
    assert r.up() == [HIGH]


def test_last_words_on_a_closed_connection_bring_nobody_back() -> None:
    r = linked()
    r.lost(IN, 1.0)
    assert r.take() == [Down(LOW, Why.LOST)]
    assert r.heard(CURVES[LOW], IN, 1.1) == LOW
    assert (r.up(), r.paths(LOW), r.take()) == ([], [], [])


def test_greetings_are_repeated_until_they_are_answered() -> None:
    r = roster(LOW)
    r.know(HIGH, target(HIGH), 0.0)
    r.take()
    r.opened(CURVES[HIGH], 0.0)
    assert r.take() == [Greet(out(HIGH))]
    r.tick(0.4)
    assert r.take() == []
    r.tick(0.5)
    assert r.take() == [Greet(out(HIGH))]
    r.hello(HIGH, CURVES[HIGH], out(HIGH), 0.6)
    r.tick(1.5)
    assert r.take() == [Up(HIGH)]


def test_a_repeated_greeting_is_answered_but_not_every_one() -> None:
    r = linked()
    assert r.hello(LOW, CURVES[LOW], IN, 0.1) is Verdict.AGAIN
    assert r.take() == []
    r.hello(LOW, CURVES[LOW], IN, 0.5)
    assert r.take() == [Greet(IN)]


# Silence.


def test_silence_is_lagging_then_away_and_a_word_ends_it() -> None:
    r = linked()
    lagging = Phase.LAGGING
    for now, expected in ((1.5, Phase.LIVE), (1.6, lagging), (3.0, lagging), (4.9, lagging)):
        r.tick(now)
        assert phase(r, LOW, now) is expected
    r.tick(5.0)
    assert r.take() == [Down(LOW, Why.SILENT)]
    assert phase(r, LOW, 5.0) is Phase.AWAY
    r.tick(6.0)
    assert r.take() == []
    r.heard(CURVES[LOW], IN, 6.1)
    assert r.take() == [Up(LOW)]


def test_a_machine_that_slept_blames_nobody() -> None:
    r = linked(at=0.0)
    r.tick(1.0)
    r.tick(100.0)
    assert r.take() == []
    assert phase(r, LOW, 100.0) is Phase.LIVE
    now = 100.0
    while now < 105.0:
        now += 1.0
        r.tick(now)
    assert r.take() == [Down(LOW, Why.SILENT)]


def test_a_machine_that_slept_dials_at_once() -> None:
    r = roster(HIGH)
    r.know(LOW, target(LOW), 0.0)
    r.tick(0.5)
    r.tick(60.0)
    assert r.take()[0] == Dial(LOW, target(LOW))


def test_a_clock_that_runs_backwards_ends_nothing() -> None:
    r = linked(at=100.0)
    r.tick(100.0)
    r.tick(50.0)
    r.heard(CURVES[LOW], IN, 50.0)
    r.tick(104.0)
    assert r.take() == []


def test_a_link_that_falls_silent_is_dialled_from_the_other_end_too() -> None:
    """TCP may have lost the way for good without a sign; a new connection finds out."""
    r = roster(HIGH)
    r.know(LOW, target(LOW), 0.0)
    r.hello(LOW, CURVES[LOW], IN, 0.1)
    r.take()
    for tenth in range(2, 17):
        r.tick(tenth / 10)
    assert r.take() == []
    r.tick(1.75)
    assert r.take() == [Dial(LOW, target(LOW))]
    r.opened(CURVES[LOW], 1.8)
    r.hello(LOW, CURVES[LOW], out(LOW), 1.9)
    r.lost(IN, 5.0)
    assert (r.up(), r.paths(LOW)) == ([LOW], [out(LOW)])
    assert not [a for a in r.take() if isinstance(a, Down)]


@pytest.mark.parametrize("own", [LOW, HIGH])
def test_who_has_been_silent_for_long_is_dialled_at_once_over_a_new_connection(own: bytes) -> None:
    other = HIGH if own == LOW else LOW
    r = roster(own)
    r.know(other, target(other), 0.0, at_once=True)
    r.opened(CURVES[other], 0.1)
    r.hello(other, CURVES[other], out(other), 0.1)
    r.take()
    for tenth in range(2, 51):
        r.tick(tenth / 10)
    assert r.take() == []
    r.tick(5.1)
    assert r.take() == [
        Down(other, Why.SILENT),
        HangUp(CURVES[other]),
        Dial(other, target(other)),
    ]


def test_an_attempt_that_gets_no_answer_is_begun_anew_ever_more_slowly() -> None:
    r = roster(LOW)
    r.know(HIGH, target(HIGH), 0.0)
    dials = []
    for tenth in range(1201):
        r.tick(tenth / 10)
        dials += [tenth / 10 for a in r.take() if isinstance(a, Dial)]
    gaps = [round(b - a, 1) for a, b in itertools.pairwise(dials)]
    assert max(gaps[:10]) <= 0.4
    assert all(b - a > -0.11 for a, b in itertools.pairwise(gaps))
    assert gaps[-1] == 3.0


def test_an_attempt_whose_handshake_goes_on_has_more_time() -> None:
    r = roster(LOW)
    r.know(HIGH, target(HIGH), 0.0)
    r.connected(CURVES[HIGH])
    r.take()
    assert phase(r, HIGH, 0.1) is Phase.HANDSHAKE
    for tenth in range(30):
        r.tick(tenth / 10)
    assert r.take() == []
    r.tick(3.0)
    assert r.take() == [HangUp(CURVES[HIGH]), Dial(HIGH, target(HIGH))]


def test_a_player_is_dialled_at_each_of_its_addresses_in_turn() -> None:
    r = roster(LOW)
    for port in (7001, 7002, 7003, 7004, 7005, 7006):
        r.know(HIGH, target(HIGH, port), 0.0)
    r.take()
    tried = []
    for tenth in range(60):
        r.tick(tenth / 10)
        tried += [a.target.port for a in r.take() if isinstance(a, Dial)]
    assert set(tried) == {7003, 7004, 7005, 7006}, "the last four that were told"


def test_a_player_is_found_again_where_it_came_from() -> None:
    r = linked(own=LOW, other=HIGH)
    r.learn(CURVES[HIGH], "10.0.0.9", 7000)
    r.take()
    r.lost(IN, 1.0)
    r.tick(1.1)
    assert r.take()[-1] == Dial(HIGH, Target(CURVES[HIGH], "10.0.0.9", 7000))
    r.learn(OTHER, "10.0.0.1", 1)
    assert [a for a in r.take() if isinstance(a, Dial)] == [], "of a stranger nothing is learned"


def test_a_new_process_is_dialled_at_its_own_address() -> None:
    r = roster(LOW)
    r.know(HIGH, target(HIGH), 0.0)
    r.hello(HIGH, OTHER, IN, 0.1)
    r.learn(OTHER, "10.0.0.1", 7777)
    r.take()
    r.lost(IN, 1.0)
    r.tick(1.1)
    assert [a for a in r.take() if isinstance(a, Dial)] == [
        Dial(HIGH, Target(OTHER, "10.0.0.1", 7777))
    ]


def test_who_said_goodbye_is_not_dialled() -> None:
    r = roster(LOW)
    r.know(HIGH, target(HIGH), 0.0)
    r.opened(CURVES[HIGH], 0.1)
    r.hello(HIGH, CURVES[HIGH], out(HIGH), 0.1)
    r.take()
    r.left(HIGH)
    assert r.take() == [HangUp(CURVES[HIGH]), Down(HIGH, Why.LOST)]
    for tenth in range(2, 90):
        r.tick(tenth / 10)
    assert r.take() == []


def test_a_machine_that_slept_dials_anew_whom_it_was_linked_with() -> None:
    r = roster(LOW)
    r.know(HIGH, target(HIGH), 0.0)
    r.opened(CURVES[HIGH], 0.1)
    r.hello(HIGH, CURVES[HIGH], out(HIGH), 0.1)
    r.tick(1.0)
    r.take()
    assert r.tick(2.0) == 0.0
    assert r.tick(60.0) == 58.0
    assert r.take() == [HangUp(CURVES[HIGH]), Dial(HIGH, target(HIGH))]
    assert r.up() == [HIGH], "nobody is blamed"
    r.tick(60.1)
    assert r.take() == []
    r.opened(CURVES[HIGH], 60.2)
    r.heard(CURVES[HIGH], out(HIGH), 60.3)
    assert r.take() == [Greet(out(HIGH))]


def test_changes_of_phase_are_told_once() -> None:
    r = roster(LOW)
    r.know(HIGH, target(HIGH), 0.0)
    assert r.shifts(0.0) == [(HIGH, Phase.DIALING)]
    assert r.shifts(0.1) == []
    r.connected(CURVES[HIGH])
    assert r.shifts(0.1) == [(HIGH, Phase.HANDSHAKE)]
    r.opened(CURVES[HIGH], 0.1)
    assert r.shifts(0.1) == [(HIGH, Phase.HELLO)]
    r.hello(HIGH, CURVES[HIGH], out(HIGH), 0.2)
    assert r.shifts(0.2) == [(HIGH, Phase.LIVE)]
    assert r.shifts(1.8) == [(HIGH, Phase.LAGGING)]
    for now in (1.8, 3.5, 5.3):
        r.tick(now)
    assert r.shifts(5.3) == [(HIGH, Phase.AWAY)]
    r.heard(CURVES[HIGH], out(HIGH), 5.4)
    assert r.shifts(5.4) == [(HIGH, Phase.LIVE)]
    r.remove(HIGH, Why.REMOVED, 5.5)
    assert r.shifts(5.5) == [(HIGH, Phase.BANNED)]
    assert r.shifts(5.6) == []
    r.admit(HIGH, CURVES[HIGH], 6.0)
    assert r.shifts(6.0) == [(HIGH, Phase.SEEN)]


class AnyOrder(RuleBasedStateMachine):
    """Whatever happens in whatever order, what is promised to the mesh holds."""

    KEYS = st.sampled_from([bytes([n]) * 32 for n in range(1, 6)])
    PROCESSES = st.sampled_from([bytes([n]) * 32 for n in range(0x80, 0x88)])
    PATHS = st.sampled_from([Path(Side.IN, bytes([0, n])) for n in range(4)])

    def __init__(self) -> None:
        super().__init__()
        self.limits = Limits(peers=4, strangers=3, keys_a_peer=2, remembered=5, strikes=3)
        self.own, self.own_curve = bytes([3]) * 32, bytes([0x83]) * 32
        self.roster = Roster(self.own, self.own_curve, 0.0, self.limits)
        self.now = 0.0
        self.ups: set[bytes] = set()
        self.lines: set[bytes] = set()

    @rule(key=KEYS, process=PROCESSES, at_once=st.booleans())
    def know(self, key: bytes, process: bytes, at_once: bool) -> None:
        self.roster.know(key, Target(process, "10.0.0.1", 1), self.now, at_once=at_once)

    @rule(key=KEYS, process=PROCESSES)
    def admit(self, key: bytes, process: bytes) -> None:
        self.roster.admit(key, process, self.now)

    @rule(key=KEYS)
    def remove(self, key: bytes) -> None:
        self.roster.remove(key, Why.REMOVED, self.now)
        assert key not in self.roster.up()

    @rule(opened=st.booleans())
    def admission(self, opened: bool) -> None:
        (self.roster.reopen if opened else self.roster.close)()

    @rule(key=KEYS, process=PROCESSES, path=PATHS)
    def hello(self, key: bytes, process: bytes, path: Path) -> None:
        if not self.roster.allow(process, self.now):
            return
        verdict = self.roster.hello(key, process, path, self.now)
        assert verdict.good == (self.roster.heard(process, path, self.now) == key)
        if verdict.good:
            assert self.roster.paths(key)[0] == path
        else:
            self.roster.turn_away(process, self.now)

    @rule(process=PROCESSES, path=PATHS)
    def heard(self, process: bytes, path: Path) -> None:
        self.roster.heard(process, path, self.now)

    @rule(process=PROCESSES, path=PATHS)
    def lost(self, process: bytes, path: Path) -> None:
        self.roster.lost(path, self.now)
        self.roster.lost(Path(Side.OUT, process), self.now)

    @rule(process=PROCESSES)
    def connection(self, process: bytes) -> None:
        if process in self.lines:
            self.roster.opened(process, self.now)

    @rule(process=PROCESSES)
    def refused(self, process: bytes) -> None:
        self.roster.refused(process, self.now)

    @rule(process=PROCESSES)
    def strike(self, process: bytes) -> None:
        self.roster.strike(process, self.now)

    @rule(process=PROCESSES)
    def flooded(self, process: bytes) -> None:
        self.roster.flooded(process, self.now)
        assert not self.roster.allow(process, self.now)

    @rule(seconds=st.floats(-0.5, 4.0))
    def tick(self, seconds: float) -> None:
        self.now += seconds
        self.roster.tick(self.now)

    @invariant()
    def actions_make_sense(self) -> None:
        for action in self.roster.take():
            match action:
                case Up(key):
                    assert key not in self.ups
                    assert key != self.own
                    self.ups.add(key)
                case Down(key):
                    self.ups.discard(key)
                case Dial(_, target):
                    assert target.curve not in self.lines
                    assert target.curve != self.own_curve
                    self.lines.add(target.curve)
                case HangUp(curve):
                    self.lines.discard(curve)
                case _:
                    pass
        assert set(self.roster.up()) == self.ups

    @invariant()
    def everything_is_bounded(self) -> None:
        infos = self.roster.peers(self.now)
        banned = [info for info in infos if info.phase is Phase.BANNED]
        assert len(infos) - len(banned) <= self.limits.peers
        assert len(banned) <= self.limits.remembered
        assert not self.roster.allow(self.own_curve, self.now)
        assert len(self.lines) <= self.limits.peers
        for info in infos:
            if info.key in self.ups:
                assert info.paths
                assert info.curve is not None
                assert self.roster.allow(info.curve, self.now)


TestAnyOrder = AnyOrder.TestCase


TestAnyOrder.settings = settings(max_examples=60, stateful_step_count=40)


def test_limits_of_the_specification() -> None:
    # The figures of WIRE.md; the tests above rely on them by default.
    assert (Limits().fallback, Limits().lagging, Limits().away) == (0.7, 1.6, 5.0)
    assert replace(Limits(), jump=3.0) == Limits()


def test_only_a_connection_that_has_said_nothing_is_new() -> None:
    """A descriptor may be another connection's by the time its last words are read."""
    watch = Watch(WatchLimits())
    assert not watch.new(7)
    watch.opened(7, 0.0)
    assert watch.new(7)
    watch.delivered(7, OTHER, IN, 100, 1)
    assert not watch.new(7)
    watch.delivered(7, CURVES[LOW], Path(Side.IN, b"\0late"), 10**6, 1)
    connection = watch.closed(7)
    assert connection is not None
    assert (connection.curve, connection.path) == (OTHER, IN)
    assert connection.delivered < 1_000
