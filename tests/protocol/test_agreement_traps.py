"""Traps of the agreement that the search found, each by itself: what would go wrong without a rule.

Here all are honest; `test_agreement_lies` has those in which one seat lies.
"""

from __future__ import annotations

from protocol.contribution import MAX_ATTEMPT, Kind
from protocol.votes import Vote
from tests.protocol.explore_nodes import Abandon, Crash, GoOn
from tests.protocol.explore_scene import Scene


def test_of_two_decisions_about_a_step_the_later_attempt_counts() -> None:
    """Seat 0's vote comes late: with it the first attempt is decided, after three have gone on to
    vote without it. One of them would follow the first decision, two the second."""
    scene = Scene(5)
    voters = (0, 1, 3, 4)
    for seat in voters:
        scene.plays(seat, voters)
    first = scene.go_on(voters)
    for seat in (1, 3, 4):
        scene.hear(seat, *(first[other] for other in (1, 3, 4) if other != seat))
    second = scene.go_on((1, 3, 4), (0,))
    scene.hear(3, first[0])
    assert scene.facts(3).step == 2
    for seat in (1, 3, 4):
        scene.hear(seat, *(second[other] for other in (1, 3, 4) if other != seat))
    assert scene.facts(1).decided == scene.facts(3).decided == (2,)
    assert scene.facts(1).heads == scene.facts(3).heads == scene.facts(4).heads
    scene.hear(0, *(first[other] for other in (1, 3, 4)))
    assert scene.facts(0).step == 3  # it follows the first, not knowing better
    scene.heal()
    assert scene.facts(2).heads == scene.facts(0).heads == scene.facts(1).heads


def test_whoever_was_left_out_twice_follows_the_later_decision_for_good() -> None:
    scene = Scene(5)
    voters = (0, 1, 3, 4)
    for seat in voters:
        scene.plays(seat, voters)
    first = scene.go_on(voters)
    for seat in (1, 3, 4):
        scene.hear(seat, *(first[other] for other in (1, 3, 4) if other != seat))
    second = scene.go_on((1, 3, 4), (0,))
    scene.hear(2, *first.values())
    assert scene.facts(2).decided == (2,)
    before = scene.facts(2).heads
    scene.hear(2, *second.values())
    after = scene.facts(2).heads
    assert after != before
    scene.hear(2, *first.values(), *second.values())
    assert scene.facts(2).heads == after


def test_a_power_cut_takes_no_head_that_was_signed_on() -> None:
    """Else a seat could vote about a step that it had completed, and others had settled."""
    scene = Scene(3)
    scene.plays(0, (1, 2))
    assert scene.facts(0).step == 4  # its own move was all that step 3 waited for
    scene.act(0, Crash(lost=9))
    assert scene.facts(0).step == 4


def test_a_vote_that_nobody_heard_is_sent_again_until_it_is_refused() -> None:
    """Seat 0 waits for what comes of its vote, and nothing else is missing at it."""
    scene = Scene(3)
    scene.plays(0, (2,))
    (vote,) = scene.go_on((0,)).values()
    scene.plays(0, (1,))
    for seat in (1, 2):
        scene.plays(seat, range(3))
    assert scene.facts(0).bound
    assert scene.act(0, GoOn()) == (vote,)
    scene.hear(2, vote)
    scene.hear(0, scene.signed(2, Kind.REFUSE))
    assert (scene.facts(0).bound, scene.facts(0).step) == (False, 4)


def test_one_seat_alone_cannot_use_up_the_attempts() -> None:
    scene = Scene(5, malice=0)
    last = Vote(Kind.ABSENT, MAX_ATTEMPT, (1,))
    honest = (1, 2, 3, 4)
    for seat in honest:
        scene.hear(seat, scene.lie(1, 0, last))
        scene.plays(seat, set(honest) - ({2} if seat == 1 else set()))
    votes = scene.go_on(honest)  # they differ: another attempt is needed
    assert {scene.world.entries[m].place.attempt for m in votes.values()} <= {0, 1}
    scene.heal()
    assert scene.facts(1).closed


def test_a_vote_binds_after_a_crash_as_before() -> None:
    scene = Scene(3)
    scene.plays(0, (2,))
    (vote,) = scene.go_on((0,)).values()
    scene.act(0, Crash(lost=9))
    scene.plays(0, (1, 2))
    assert (scene.facts(0).step, scene.facts(0).bound) == (2, True)
    scene.plays(2, (0,))
    scene.hear(2, vote)  # with this one it would have been decided
    scene.go_on((2,))
    scene.hear(0, scene.signed(2, Kind.ABSENT))
    assert scene.facts(0).decided == (2,)


def test_whoever_is_to_be_left_out_sets_no_voter_free() -> None:
    scene = Scene(3)
    scene.plays(1, (2,))
    scene.plays(0, (1,))
    votes = scene.go_on((0, 1))
    scene.hear(1, votes[0])
    scene.plays(1, (0,))
    assert (scene.facts(1).step, scene.facts(1).bound) == (2, True)


def test_a_vote_keeps_back_nothing_that_was_signed_before_it() -> None:
    """Two think that the other is silent, and die before either vote is heard: only with what they
    had contributed before the third can complete the step and refuse both votes."""
    scene = Scene(3)
    for seat in (0, 1):
        scene.plays(seat, (2,))
        scene.go_on((seat,))
        scene.act(seat, Crash(lost=9))
        assert scene.facts(seat).bound
        assert seat in scene.facts(seat).table.held
    scene.heal()
    assert scene.facts(2).position.out == frozenset()


def test_few_close_the_match_for_nobody_who_can_go_on_without_them() -> None:
    scene = Scene(3)
    for seat in (1, 2):
        scene.plays(seat, (1, 2))
    (closing,) = scene.act(0, Abandon())
    assert scene.facts(0).closed
    scene.hear(1, closing)
    assert not scene.facts(1).closed
    (vote,) = scene.go_on((1,)).values()
    scene.hear(2, vote, closing)
    scene.go_on((2,))
    assert scene.facts(2).decided == (2,)  # in the attempt in which the other one closed it
    scene.heal()
    assert scene.facts(1).heads == scene.facts(2).heads
    assert scene.facts(1).closed
    assert not scene.facts(1).position.abandoned_by


def test_half_of_a_table_closes_it_for_the_other_half_too() -> None:
    scene = Scene(4)
    for seat in (0, 1):
        scene.plays(seat, (0, 1))
    first = scene.act(0, Abandon())
    assert not scene.facts(0).closed
    scene.hear(1, *first)
    (second,) = scene.act(1, Abandon())
    scene.hear(2, *first)
    assert not scene.facts(2).closed
    scene.hear(2, second)
    assert scene.facts(2).position.abandoned_by == scene.facts(1).position.abandoned_by == (0, 1)


def test_closing_the_match_settles_nothing() -> None:
    """The others had voted already to go on without the one that closed it, one step before."""
    scene = Scene(3)
    for seat in (0, 1):
        scene.plays(seat, (0, 1))
    votes = scene.go_on((0, 1))
    scene.plays(2, (0, 1))
    assert scene.facts(2).step == 3
    scene.act(2, Abandon((1,)))
    assert scene.facts(2).closed
    assert scene.facts(2).settled == 1
    scene.hear(2, *votes.values())
    assert scene.facts(2).decided == (2,)
    scene.heal()
    assert scene.facts(2).heads == scene.facts(0).heads
