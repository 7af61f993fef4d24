"""The clockwork of discovery under a virtual clock."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.discovery_timing import (
    INTERVALS,
    Announcing,
    Answering,
    Asking,
    Leaps,
    Rates,
    Recent,
    patience,
)
from protocol.announce import Phase

TOKEN = b"question"


def asked(asking: Asking, times: list[float]) -> list[float]:
    return [now for now in times if asking.due(now)]


def test_a_guest_asks_three_times_soon_and_then_every_five_seconds() -> None:
    asking = Asking(100.0)
    ticks = [100 + tick / 20 for tick in range(240)]
    assert asked(asking, ticks) == [100.0, 100.25, 101.0, 106.0, 111.0]


def test_after_a_sleep_one_question_will_do() -> None:
    asking = Asking(0.0)
    assert asking.due(50.0)
    assert asking.next == 55.0
    assert not asking.due(50.0)


def test_whoever_wakes_asks_anew() -> None:
    asking = Asking(0.0)
    assert asked(asking, [0.0, 0.25, 1.0, 2.0]) == [0.0, 0.25, 1.0]
    asking.again(3.0)
    assert asked(asking, [3.0, 3.1, 3.25, 3.5, 4.0, 4.5]) == [3.0, 3.25, 4.0]


@pytest.mark.parametrize("phase", [Phase.LOBBY, Phase.PLAYING])
def test_a_table_announces_in_its_interval(phase: Phase) -> None:
    announcing = Announcing(10.0)
    ticks = [10 + tick / 10 for tick in range(121)]
    times = [now for now in ticks if announcing.due(now, phase)]
    step = INTERVALS[phase]
    assert times == [10 + step * n for n in range(int(12 / step) + 1)]
    assert INTERVALS[phase] == (2.0 if phase is Phase.LOBBY else 5.0)
    assert patience(phase) == 3 * INTERVALS[phase]


def test_a_change_is_announced_at_once_but_not_too_often() -> None:
    announcing = Announcing(0.0)
    assert announcing.due(0.0, Phase.PLAYING)
    announcing.change(3.0)
    assert announcing.due(3.0, Phase.PLAYING)
    announcing.change(3.02)
    assert not announcing.due(3.05, Phase.PLAYING)
    assert announcing.next == pytest.approx(3.1)
    announcing.change(3.06)
    assert announcing.due(3.11, Phase.PLAYING)
    assert not announcing.due(8.0, Phase.PLAYING)
    assert announcing.due(8.11, Phase.PLAYING)


@given(st.lists(st.floats(0, 0.2), max_size=60))
def test_however_often_it_changes_ten_a_second_are_announced(gaps: list[float]) -> None:
    announcing = Announcing(0.0)
    now, sent = 0.0, 0
    for gap in gaps:
        now += gap
        announcing.change(now)
        sent += announcing.due(now, Phase.LOBBY)
    assert sent <= now / 0.1 + 1 + 1e-6


@pytest.mark.parametrize(
    ("now", "wall", "leapt"),
    [
        (1.0, 1_001.0, False),
        (3.0, 1_003.0, False),
        (3.1, 1_003.1, True),  # nobody looked for long
        (1.0, 1_004.1, True),  # the computer slept, which only the wall clock counts
        (1.0, 997.0, True),  # somebody set it back
        (1.0, 1_003.9, False),
    ],
)
def test_leaps(now: float, wall: float, leapt: bool) -> None:
    leaps = Leaps(0.0, 1_000.0)
    assert leaps.look(now, wall) is leapt
    assert leaps.look(now + 1, wall + 1) is False


def test_only_the_recent_is_remembered() -> None:
    recent: Recent[int] = Recent(3)
    assert [recent.first(n) for n in (1, 2, 3, 1, 4, 1)] == [True, True, True, False, True, True]


def test_a_source_that_floods_uses_up_its_own_share_only() -> None:
    rates = Rates((2, 4), (10, 10), 0.0)
    assert sum(rates.take("flood", 0.0) for _ in range(100)) == 4
    assert rates.take("quiet", 0.0)
    assert sum(rates.take("flood", 1.0) for _ in range(100)) == 2


def test_many_sources_share_a_bound_and_are_not_all_remembered() -> None:
    rates = Rates((2, 4), (10, 10), 0.0, sources=8)
    assert sum(rates.take(str(n), 0.0) for n in range(1_000)) == 10
    assert len(rates._buckets) == 8


def test_a_question_by_three_ways_is_answered_once() -> None:
    answering = Answering(0.0)
    assert [answering.question("a", 1, TOKEN, 0.0) for _ in range(3)] == [True, False, False]
    assert answering.question("b", 1, TOKEN, 0.0)
    assert answering.question("a", 2, TOKEN, 0.0)
    assert answering.question("a", 1, b"another!", 0.0)


def test_answers_to_a_source_are_bounded() -> None:
    answering = Answering(0.0)
    tokens = [n.to_bytes(8, "big") for n in range(1, 100)]
    assert sum(answering.question("a", 1, token, 0.0) for token in tokens) == 16


def test_one_callback_a_second_for_everybody() -> None:
    answering = Answering(0.0)
    times = (0.0, 0.5, 0.9, 1.0, 1.5, 2.1)
    assert [answering.callback(now) for now in times] == [True, False, False, True, False, True]
