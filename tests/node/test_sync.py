"""Whom a node asks for what, under a virtual clock."""

from __future__ import annotations

import pytest

from node.sync import PATIENCE, PEERS, RARELY, STALLED, Sync
from protocol.messages import State

KEYS = tuple(bytes([n]) * 32 for n in range(4))


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sync(clock: Clock) -> Sync:
    """Seat 0 at step 5, like its three peers."""
    sync = Sync(KEYS, 0, clock)
    for key in KEYS[1:]:
        sync.heard(key, State(step=5))
    sync.ask(5, (), (1,))
    return sync


def test_a_level_table_is_left_alone_at_first(sync: Sync, clock: Clock) -> None:
    clock.now += STALLED - 0.01
    assert sync.ask(5, (), (1,)) is None


def test_who_waits_long_asks_for_what_is_missing(sync: Sync, clock: Clock) -> None:
    clock.now += STALLED
    asked = sync.ask(5, (2, 3), (1,))
    assert asked is not None
    assert asked[1:] == (5, (2, 3))


def test_nobody_is_asked_when_nothing_is_missing(sync: Sync, clock: Clock) -> None:
    clock.now += 60
    assert sync.ask(5, (), ()) is None


@pytest.mark.parametrize("answers", [True, False])
def test_a_table_that_waits_for_somebody_who_thinks_is_quiet(
    sync: Sync, clock: Clock, answers: bool
) -> None:
    """Ten minutes of thought, an event every 10 ms: a question each eight seconds at most."""
    questions = 0
    for _ in range(60_000):
        clock.now += 0.01
        asked = sync.ask(5, (), (1,))
        if asked is not None:
            questions += 1
            if answers:
                sync.answered(asked[0], more=False)
    assert questions <= 600 / RARELY + 6


def test_a_peer_that_is_ahead_is_asked_at_once(sync: Sync, clock: Clock) -> None:
    sync.heard(KEYS[2], State(step=9))
    assert sync.ask(5, (), (1,)) == (KEYS[2], 5, ())


def test_one_question_is_out_at_a_time_and_the_next_goes_to_another(
    sync: Sync, clock: Clock
) -> None:
    sync.heard(KEYS[2], State(step=9))
    sync.heard(KEYS[3], State(step=9))
    first = sync.ask(5, (), (1,))
    assert first is not None
    clock.now += PATIENCE - 0.01
    assert sync.ask(5, (), (1,)) is None
    clock.now += 0.02
    second = sync.ask(5, (), (1,))
    assert second is not None
    assert {first[0], second[0]} == {KEYS[2], KEYS[3]}


def test_a_page_is_followed_by_the_next_at_once(sync: Sync) -> None:
    sync.heard(KEYS[2], State(step=9))
    sync.ask(5, (), (1,))
    sync.answered(KEYS[2], more=True)
    assert sync.ask(5, (1,), (2,)) == (KEYS[2], 5, (1,))
    sync.answered(KEYS[2], more=True)
    assert sync.ask(6, (), (1,)) == (KEYS[2], 6, ())


def test_pages_without_end_that_bring_nothing_are_not_followed(sync: Sync, clock: Clock) -> None:
    sync.heard(KEYS[2], State(step=9))
    asked = 0
    for _ in range(1_000):
        clock.now += 0.01
        asked += sync.ask(5, (), (1,)) is not None
        sync.answered(KEYS[2], more=True)
    assert asked <= 12


@pytest.mark.parametrize("lies", ["ahead", "another head"])
def test_a_liar_does_not_keep_others_from_being_asked(sync: Sync, clock: Clock, lies: str) -> None:
    """It says that it is far ahead, or shows entries on heads of its own, and brings nothing."""
    asked: list[bytes] = []
    for _ in range(400):
        clock.now += 0.01
        if lies == "ahead":
            sync.heard(KEYS[1], State(step=2**32 - 1))
        else:
            sync.diverged(KEYS[1], 9)
        if (question := sync.ask(5, (), (2,))) is not None:
            asked.append(question[0])
    assert {KEYS[2], KEYS[3]} < set(asked)
    assert asked.count(KEYS[1]) <= 6


def test_who_brings_something_is_asked_again_at_once(sync: Sync, clock: Clock) -> None:
    sync.heard(KEYS[1], State(step=90))
    for step in range(5, 60):
        assert sync.ask(step, (), (2,)) == (KEYS[1], step, ())
        clock.now += 0.01


def test_a_spectator_may_be_asked_too_and_is_forgotten_when_it_leaves(
    sync: Sync, clock: Clock
) -> None:
    watcher = b"w" * 32
    sync.heard(watcher, State(step=7))
    assert sync.ask(5, (), (1,)) == (watcher, 5, ())
    sync.gone(watcher)
    sync.diverged(watcher, 6)
    clock.now += PATIENCE
    assert sync.ask(5, (), ()) is None
    sync.heard(KEYS[0], State(step=99))
    assert sync.ask(5, (), ()) is None, "nobody asks itself"


def test_positions_are_kept_of_so_many(sync: Sync) -> None:
    for number in range(1000, 1000 + 3 * PEERS):
        sync.heard(number.to_bytes(32, "big"), State(step=9))
    assert len(sync._peers) <= PEERS + 3
    sync.heard(KEYS[3], State(step=9))
    for key in list(sync._peers):
        if key != KEYS[3]:
            sync.gone(key)
    assert sync.ask(5, (), ()) == (KEYS[3], 5, ())


def test_who_slept_asks_at_once(sync: Sync, clock: Clock) -> None:
    clock.now += STALLED
    assert sync.ask(5, (), (1,)) is not None
    clock.now += 0.01
    assert sync.ask(5, (), (1,)) is None
    sync.woke()
    assert sync.ask(5, (), (1,)) is not None


def test_an_answer_that_brings_nothing_is_not_asked_for_again_at_once(sync: Sync) -> None:
    sync.heard(KEYS[2], State(step=9))
    sync.ask(5, (), (1,))
    sync.answered(KEYS[2], more=False)
    assert sync.ask(5, (), (1,)) is None


def test_two_heads_are_compared_from_some_steps_before(sync: Sync) -> None:
    sync.diverged(KEYS[3], 9)
    assert sync.ask(9, (), ()) == (KEYS[3], 5, ())
    sync.diverged(KEYS[3], 2)
    assert sync.ask(10, (), ()) == (KEYS[3], 1, ())


def test_all_are_done_when_each_has_passed_the_step_or_left(sync: Sync) -> None:
    sync.ask(6, (), ())
    assert not sync.all_done()
    for key in KEYS[1:3]:
        sync.heard(key, State(step=6))
    assert not sync.all_done()
    sync.gone(KEYS[3])
    assert sync.all_done()
    sync.heard(KEYS[3], State(step=5))
    assert not sync.all_done(), "it is back, and behind"
