"""Where a peer stands: what the link says, how far its log is, what was decided."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.events import PeerDown, PhaseChanged
from node.link import Phase, Why
from node.presence import BEHIND, Attendance, Changed, Standing
from protocol.messages import State

ADA, BRUNO, OTHER = (bytes([n]) * 32 for n in range(3))
MATCH = b"m" * 32


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
def here(clock: Clock) -> Attendance:
    return Attendance([ADA, BRUNO], clock)


def walk(here: Attendance, key: bytes, *phases: Phase) -> list[Standing]:
    """Where a peer stands after each phase of its link."""
    found = []
    for phase in phases:
        here.event(PhaseChanged(key, phase))
        found.append(here.of(key))
    return found


def test_every_phase_of_a_link_has_a_standing(here: Attendance) -> None:
    assert [s.value for s in walk(here, ADA, *Phase)] == [p.value for p in Phase]
    assert here.of(BRUNO) is Standing.SEEN


def test_changes_are_told_once_and_with_their_time(here: Attendance, clock: Clock) -> None:
    walk(here, ADA, Phase.LIVE)
    clock.now += 1.5
    change = Changed(ADA, Standing.LIVE, Standing.LAGGING, 1.5)
    assert here.event(PhaseChanged(ADA, Phase.LAGGING)) == (change,)
    assert here.event(PhaseChanged(ADA, Phase.LAGGING)) == ()
    clock.now += 2
    assert here.since(ADA) == pytest.approx(2)
    clock.now -= 50
    assert here.since(ADA) == 0.0, "a clock that runs backwards shows nothing absurd"


def test_who_is_far_behind_is_catching_up_until_it_is_level(here: Attendance) -> None:
    walk(here, ADA, Phase.LIVE)
    assert here.told(ADA, State(MATCH, 100 - BEHIND), MATCH, 100) == ()
    (change,) = here.told(ADA, State(MATCH, 99 - BEHIND), MATCH, 100)
    assert change.after is Standing.SYNCING
    assert here.told(ADA, State(MATCH, 98), MATCH, 100) == ()
    (change,) = here.told(ADA, State(MATCH, 99), MATCH, 100)
    assert change.after is Standing.LIVE
    assert here.told(ADA, State(MATCH, 2**32 - 1), MATCH, 100) == ()


def test_who_has_not_begun_the_match_is_catching_up(here: Attendance) -> None:
    walk(here, ADA, Phase.LIVE)
    (change,) = here.told(ADA, State(), MATCH, 1)
    assert change.after is Standing.SYNCING
    assert walk(here, ADA, Phase.LAGGING, Phase.AWAY, Phase.LIVE) == [
        *(Standing.LAGGING, Standing.AWAY, Standing.SYNCING)
    ]


def test_a_decision_outlasts_the_link_and_a_ban_the_decision(here: Attendance) -> None:
    walk(here, ADA, Phase.AWAY)
    (change,) = here.decided([ADA, OTHER])
    assert (change.key, change.after) == (ADA, Standing.GONE)
    assert walk(here, ADA, Phase.LIVE, Phase.AWAY) == [Standing.GONE] * 2
    assert walk(here, ADA, Phase.BANNED) == [Standing.BANNED]
    walk(here, ADA, Phase.LIVE)
    (change,) = here.decided([])
    assert change.after is Standing.LIVE


def test_strangers_and_other_events_change_nothing(here: Attendance) -> None:
    assert here.event(PhaseChanged(OTHER, Phase.LIVE)) == ()
    assert here.event(PeerDown(ADA, Why.LOST)) == ()
    assert here.told(OTHER, State(), MATCH, 50) == ()
    assert (here.of(OTHER), here.since(OTHER)) == (Standing.SEEN, 0.0)


def test_only_who_answers_is_heard() -> None:
    assert [s for s in Standing if s.heard] == [Standing.SYNCING, Standing.LIVE]


@given(
    st.lists(
        st.sampled_from(list(Phase))
        | st.integers(0, 40).map(lambda step: State(MATCH, step))
        | st.booleans()
    )
)
def test_what_is_told_is_always_where_it_stands(steps: list[Phase | State | bool]) -> None:
    here = Attendance([ADA], Clock())
    last = here.of(ADA)
    for step in steps:
        if isinstance(step, Phase):
            changes = here.event(PhaseChanged(ADA, step))
        elif isinstance(step, State):
            changes = here.told(ADA, step, MATCH, 20)
        else:
            changes = here.decided([ADA] if step else [])
        for change in changes:
            assert change.before is last
            assert change.after is not last
            last = change.after
        assert here.of(ADA) is last
