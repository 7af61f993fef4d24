"""The bookkeeping of who may come in: strangers, processes, strikes, rates and floods."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.link import (
    Bucket,
    Cut,
    Dial,
    Down,
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
from node.watch import OVERHEAD, Watch, WatchLimits
from tests.node.rosters import (
    CURVES,
    HIGH,
    IN,
    LOW,
    MIDDLE,
    OTHER,
    linked,
    out,
    phase,
    roster,
    target,
)

# Who may come in.


def test_strangers_have_three_seconds_and_are_few() -> None:
    r = roster(limits=Limits(strangers=2))
    a, b, c = (bytes([n]) * 32 for n in (0x41, 0x42, 0x43))
    assert r.allow(a, 0.0)
    assert r.allow(b, 1.0)
    assert r.allow(c, 2.0)
    assert r.take() == [Cut(a)]
    r.tick(2.0)
    r.tick(3.9)
    assert r.take() == []
    r.tick(4.0)
    assert r.take() == [Cut(b)]


def test_a_closed_table_cuts_strangers_and_keeps_players() -> None:
    r = linked()
    r.allow(OTHER, 0.0)
    r.admit(HIGH, CURVES[HIGH], 0.0)
    r.close()
    assert r.take() == [Cut(OTHER)]
    assert r.allow(CURVES[LOW], 1.0)
    assert r.allow(CURVES[HIGH], 1.0)
    assert r.hello(b"x" * 32, OTHER, IN, 1.0) is Verdict.CLOSED
    r.reopen()
    assert r.hello(b"x" * 32, OTHER, IN, 1.0) is Verdict.NEW


def test_a_closed_table_knows_a_player_who_restarted() -> None:
    r = linked()
    r.close()
    assert r.allow(OTHER, 1.0)
    assert r.hello(LOW, OTHER, Path(Side.IN, b"\0back"), 1.0) is Verdict.NEW
    assert Cut(CURVES[LOW]) in r.take()
    assert r.up() == [LOW]


def test_few_may_introduce_themselves_to_a_closed_table_at_a_time() -> None:
    r = roster(limits=Limits(callers=2))
    r.close()
    callers = [bytes([n]) * 32 for n in (0x41, 0x42, 0x43)]
    assert all(r.allow(curve, 0.0) for curve in callers)
    assert r.take() == [Cut(callers[0])]


def test_our_own_curve_key_is_never_let_in() -> None:
    r = roster()
    assert not r.allow(CURVES[MIDDLE], 0.0)
    assert not r.admit(HIGH, CURVES[MIDDLE], 0.0)
    assert not r.know(MIDDLE, target(HIGH), 0.0)
    assert r.hello(MIDDLE, OTHER, IN, 0.0) is Verdict.OWN_KEY


def test_a_curve_key_belongs_to_one_player() -> None:
    r = linked()
    assert not r.admit(HIGH, CURVES[LOW], 0.0)
    assert not r.know(HIGH, target(LOW), 0.0)
    assert r.hello(HIGH, CURVES[LOW], IN, 0.0) is Verdict.ANOTHERS
    assert r.heard(CURVES[LOW], IN, 0.1) == LOW


def test_a_process_that_speaks_for_two_players_is_nobodys() -> None:
    r = linked()
    assert r.hello(HIGH, CURVES[LOW], IN, 0.1) is Verdict.ANOTHERS
    r.turn_away(CURVES[LOW], 0.1)
    assert Down(LOW, Why.IMPOSTOR) in r.take()
    assert (r.up(), r.paths(LOW)) == ([], [])
    assert r.heard(CURVES[LOW], IN, 0.2) is None
    assert r.hello(LOW, CURVES[LOW], IN, 0.2) is Verdict.BANNED


def test_an_attempt_at_another_process_is_no_link() -> None:
    r = linked(own=MIDDLE, other=LOW)
    r.know(LOW, Target(OTHER, "10.0.0.1", 7000), 1.0)
    r.opened(OTHER, 1.1)
    r.take()
    r.lost(IN, 1.2)
    assert r.take() == [Down(LOW, Why.LOST)]


def test_whoever_answers_a_dial_must_be_who_was_dialled() -> None:
    r = roster(LOW)
    r.know(HIGH, target(HIGH), 0.0)
    r.opened(CURVES[HIGH], 0.1)
    r.take()
    assert r.hello(MIDDLE, CURVES[HIGH], out(HIGH), 0.2) is Verdict.ANOTHERS
    actions = r.take()
    assert Down(HIGH, Why.IMPOSTOR) in actions
    assert HangUp(CURVES[HIGH]) in actions
    assert not r.allow(CURVES[HIGH], 0.3)


def test_a_removed_player_stays_out_with_any_key() -> None:
    r = linked()
    r.remove(LOW, Why.REMOVED, 1.0)
    assert Down(LOW, Why.REMOVED) in r.take()
    assert not r.allow(CURVES[LOW], 1.0)
    assert r.hello(LOW, OTHER, IN, 1.0) is Verdict.BANNED
    assert not r.know(LOW, target(LOW), 1.0)
    assert phase(r, LOW, 1.0) is Phase.BANNED
    assert r.admit(LOW, CURVES[LOW], 2.0)
    assert r.allow(CURVES[LOW], 2.0)
    assert r.hello(LOW, CURVES[LOW], IN, 2.0) is Verdict.NEW


def test_the_later_process_of_a_player_wins_for_good() -> None:
    r = linked()
    later = Path(Side.IN, b"\0late")
    assert r.allow(OTHER, 1.0)
    assert r.hello(LOW, OTHER, later, 1.0) is Verdict.NEW
    actions = r.take()
    assert Cut(CURVES[LOW]) in actions
    assert not any(isinstance(action, Up | Down) for action in actions)
    assert r.paths(LOW) == [later]
    assert r.heard(CURVES[LOW], IN, 1.1) is None
    assert not r.allow(CURVES[LOW], 1.1)
    assert r.hello(LOW, CURVES[LOW], IN, 1.1) is Verdict.BANNED


def test_a_restarted_player_can_be_dialled_while_its_old_link_still_stands() -> None:
    r = linked(own=MIDDLE, other=LOW)
    new = Target(OTHER, "10.0.0.1", 7000)
    assert r.know(LOW, new, 1.0)
    assert r.take() == [Dial(LOW, new)]


def test_players_are_bounded() -> None:
    r = roster(limits=Limits(peers=2))
    for number in range(2):
        r.hello(bytes([number]) * 32, bytes([0x90 + number]) * 32, IN, 0.0)
    assert r.hello(HIGH, CURVES[HIGH], IN, 0.0) is Verdict.CROWDED
    assert not r.admit(HIGH, CURVES[HIGH], 0.0)
    assert len(r.peers(0.0)) == 2


def test_processes_of_a_player_are_bounded() -> None:
    r = linked()
    for number in range(20):
        assert r.admit(LOW, bytes([number]) * 32, 0.0)
    allowed = [n for n in range(20) if r.allow(bytes([n]) * 32, 0.0)]
    assert allowed == [17, 18, 19]
    assert r.heard(CURVES[LOW], IN, 0.1) == LOW


def test_strikes_end_in_removal_and_not_earlier() -> None:
    r = linked()
    for _ in range(Limits().strikes - 1):
        assert r.strike(CURVES[LOW], 0.0) == LOW
    assert r.take() == []
    r.strike(CURVES[LOW], 0.0)
    assert Down(LOW, Why.STRUCK) in r.take()


def test_a_player_can_be_struck_by_its_key() -> None:
    r = linked()
    assert not r.strike_key(HIGH, 0.0)
    for _ in range(Limits().strikes):
        assert r.strike_key(LOW, 0.0)
    assert Down(LOW, Why.STRUCK) in r.take()
    assert not r.strike_key(LOW, 0.0)


def test_a_rate_is_kept() -> None:
    limits = Limits(messages_a_second=10.0, message_burst=5.0, drops_a_strike=3, octet_burst=1e9)
    r = roster(limits=limits)
    r.hello(LOW, CURVES[LOW], IN, 0.0)
    assert [r.charge(CURVES[LOW], 1, 0.0) for _ in range(7)] == [True] * 5 + [False] * 2
    assert r.charge(CURVES[LOW], 1, 0.1)
    assert r.peers(0.1)[0].strikes == 0
    assert not r.charge(CURVES[LOW], 1, 0.1)
    assert r.peers(0.1)[0].strikes == 1


@given(st.lists(st.tuples(st.floats(0, 5), st.floats(-1, 5)), max_size=50))
def test_a_bucket_never_gives_more_than_its_rate_and_burst(
    steps: list[tuple[float, float]],
) -> None:
    bucket = Bucket(2.0, 7.0, 7.0, 0.0)
    now = latest = taken = 0.0
    for tokens, later in steps:
        now += later
        latest = max(latest, now)
        if bucket.take(tokens, now):
            taken += tokens
        assert taken <= 7.0 + 2.0 * latest + 1e-6


# The flood watch.


def test_a_connection_that_delivers_what_it_receives_is_fine() -> None:
    watch = Watch(WatchLimits(excess=1_000, idle_rate=10.0))
    watch.opened(7, 0.0)
    total = 0
    for second in range(1, 200):
        total += 900 + OVERHEAD + 9
        watch.delivered(7, OTHER, IN, 900, 1)
        assert watch.floods(float(second), {7: total}.get, drained=True) == []


@pytest.mark.parametrize(("drained", "at"), [(True, 11), (False, 16)])
def test_what_piles_up_beyond_the_bound_is_a_flood(drained: bool, at: int) -> None:
    watch = Watch(WatchLimits(excess=1_000, undelivered=500, idle_rate=0.0))
    watch.opened(7, 0.0)
    watch.opened(8, 0.0)
    for hundred in range(1, at + 1):
        totals = {7: 100 * hundred, 8: 5}
        floods = watch.floods(0.1, totals.get, drained=drained)
        assert [c.fd for c in floods] == ([7] if hundred == at else [])


def test_small_messages_earn_no_credit() -> None:
    watch = Watch(WatchLimits(excess=1_000, idle_rate=0.0))
    watch.opened(7, 0.0)
    for _ in range(10_000):
        watch.delivered(7, OTHER, IN, 0, 1)  # counted as 64 octets where 40 came
    assert watch.floods(0.1, lambda _: 400_000, drained=True) == []
    assert len(watch.floods(0.2, lambda _: 401_001, drained=True)) == 1


def test_mute_connections_are_late_or_too_many() -> None:
    watch = Watch(WatchLimits(mute=6.0, mute_connections=2))
    for fd in range(3):
        watch.opened(fd, float(fd))
    watch.opened(9, 0.0, curve=OTHER)  # one that we dialled
    assert watch.mute(2.0) == [0]
    watch.delivered(1, OTHER, IN, 1, 1)
    assert watch.mute(6.0) == [0]
    assert watch.mute(8.0) == [0, 2]
    assert watch.of(OTHER) == [1]
    closed = watch.closed(1)
    assert closed is not None
    assert closed.path == IN
    assert watch.of(OTHER) == []


def test_a_descriptor_that_is_used_again_starts_anew() -> None:
    watch = Watch(WatchLimits(excess=100, idle_rate=0.0))
    watch.opened(7, 0.0)
    watch.delivered(7, OTHER, IN, 1, 1)
    watch.opened(7, 1.0)
    assert watch.of(OTHER) == []
    assert len(watch) == 1
