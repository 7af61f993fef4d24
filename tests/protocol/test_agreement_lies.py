"""Traps of the agreement that the search found where one seat lies: what would go wrong without a
rule (`test_agreement_traps` has those without a liar)."""

from __future__ import annotations

import pytest

from protocol.contribution import Contribution, Kind
from protocol.votes import Vote, read_vote, vote_place
from tests.protocol.explore_nodes import Abandon, Crash, GoOn, Hear
from tests.protocol.explore_scene import Scene
from tests.protocol.explore_toy import entry_of

A, B = b"ok\x00a", b"ok\x00b"
"""Two plays of the malicious seat for one step, each right by itself."""


def test_who_is_not_free_to_return_is_followed_by_the_others() -> None:
    """Seat 2 went on with one play of the liar and has voted there; seat 1, which votes to exclude
    the liar, holds the other one: it takes the play on which seat 2 stands."""
    scene = Scene(3, malice=0)
    scene.hear(1, scene.lie(1, 0, A))
    two = scene.lie(1, 0, B)
    scene.hear(2, two, scene.signed(1, Kind.KEY))
    assert scene.go_on((2,))
    scene.hear(1, two)
    scene.hear(2, scene.signed(1, Kind.EXCLUDE))
    scene.hear(1, scene.signed(2, Kind.KEY), scene.signed(2, Kind.REFUSE))
    assert scene.facts(1).heads == scene.facts(2).heads
    scene.heal()
    assert scene.facts(1).position.out == {0}


def test_a_decision_is_not_left_to_exclude_somebody() -> None:
    """Two votes that decide are underway; then one of the voters learns that the silent seat has
    lied, and votes once more. The other one, which had followed, tells it so."""
    scene = Scene(3, malice=0)
    for seat in (1, 2):
        scene.plays(seat, (1, 2))
        scene.hear(seat, scene.lie(seat, 0, A))
    silent = scene.go_on((1, 2))
    place = scene.world.positions[scene.facts(2).heads[1]].place
    lie = next(
        scene.world.number(entry_of(place, c, 1))
        for c in scene.facts(2).table.steps[1].entries
        if c.seat == 0
    )
    scene.hear(2, lie)
    again = scene.signed(2, Kind.EXCLUDE, attempt=1)
    scene.hear(1, again, silent[2])
    assert scene.facts(1).decided == (3,)
    scene.hear(2, silent[1])
    assert scene.facts(2).decided == ()  # its last vote could still decide
    scene.hear(2, scene.signed(1, Kind.REFUSE, attempt=1))
    assert scene.facts(2).decided == (3,)
    scene.heal()


def test_a_proof_that_comes_after_the_votes_that_need_it_brings_back() -> None:
    """Seat 2 has gone beyond the step at which two others exclude the liar, and learns why last:
    at its own step that proof is of no use."""
    scene = Scene(4, malice=1)
    honest = (0, 2, 3)
    for seat in honest:
        scene.plays(seat, honest)
        scene.hear(seat, scene.lie(seat, 1, A))
    move = scene.signed(0, Kind.MOVE)
    wrong = scene.lie(3, 1, A)  # out of turn: it is seat 0's move
    scene.hear(3, wrong)
    vote = scene.signed(3, Kind.EXCLUDE)
    scene.hear(2, move, vote)
    assert scene.facts(2).step == 4
    scene.hear(2, wrong)
    assert scene.facts(2).step == 3
    assert scene.signed(2, Kind.EXCLUDE, step=3)
    scene.heal()
    assert scene.facts(0).position.out == {1}


def test_votes_to_exclude_that_missed_each_other_meet_in_a_further_attempt() -> None:
    """Seat 1 had voted about silence in the attempt in which seat 2 excludes: that is no reason to
    complete the step after all, over and over."""
    scene = Scene(3, malice=0)
    first, second = scene.lie(1, 0, A), scene.lie(1, 0, B)
    scene.hear(1, first)
    (silence,) = scene.go_on((1,)).values()
    scene.hear(1, second)
    scene.hear(2, first, second)
    scene.hear(2, scene.signed(1, Kind.KEY), silence, scene.signed(1, Kind.EXCLUDE, attempt=1))
    assert scene.facts(2).step == 3 or scene.facts(2).bound
    scene.heal()
    assert scene.facts(1).position.out == {0}


def test_a_refusal_about_silence_refuses_no_exclusion() -> None:
    """Seat 2 said that the step is complete before anybody knew of the lie: it may still return."""
    scene = Scene(3, malice=0)
    first, second = scene.lie(1, 0, A), scene.lie(1, 0, B)
    scene.hear(1, scene.signed(2, Kind.KEY))
    (silence,) = scene.go_on((1,)).values()
    scene.hear(1, first, second)
    scene.hear(2, first, scene.signed(1, Kind.KEY), silence)
    assert scene.signed(2, Kind.REFUSE)
    scene.hear(2, scene.signed(1, Kind.EXCLUDE, attempt=1), second)
    scene.heal()
    assert scene.facts(1).position.out == {0}


def test_a_refusal_of_one_attempt_releases_from_no_other() -> None:
    """The liar refuses the first attempt and joins the second: whoever was free because of the
    refusal would complete the step while the others decide to do without it."""
    scene = Scene(4, malice=3)
    plays = {seat: scene.world.entries[scene.signed(seat, Kind.KEY)] for seat in (0, 1)}
    refusal = Vote(Kind.REFUSE, 0, kept=tuple(e.contribution for _, e in sorted(plays.items())))
    for seat in (0, 1):
        scene.plays(seat, (0, 1))
        scene.hear(seat, scene.lie(seat, 3, A))
    refused = scene.lie(0, 3, refusal)
    scene.go_on((0, 1))
    for seat in (0, 1):
        scene.hear(seat, refused)
        assert not scene.facts(seat).bound
    votes = {seat: scene.act(seat, GoOn())[-1] for seat in (0, 1)}
    assert {scene.world.entries[m].place.attempt for m in votes.values()} == {1}
    scene.plays(1, (2,))
    scene.hear(1, refused)
    assert (scene.facts(1).step, scene.facts(1).bound) == (2, True)
    joined = scene.lie(0, 3, Vote(Kind.ABSENT, 1, (2,)))
    scene.hear(0, joined, votes[1])
    assert scene.facts(0).decided == (2,)
    scene.hear(1, joined, votes[0])
    assert scene.facts(1).heads == scene.facts(0).heads


def test_an_old_contradiction_cuts_nothing_that_is_settled() -> None:
    """The liar kept its second signature for a step that everybody has signed upon."""
    scene = Scene(3, malice=0, step=4)
    first = scene.world.positions[scene.facts(1).heads[0]]
    played = next(c for c in scene.facts(1).table.steps[0].entries if c.seat == 0)
    late = scene.world.number(entry_of(first.place, played, 1))
    heads = scene.facts(1).heads[: scene.facts(1).settled + 1]
    assert len(heads) > 1
    for seat in (1, 2):
        scene.hear(seat, late)
    scene.heal()
    for seat in (1, 2):
        assert scene.facts(seat).heads[: len(heads)] == heads
        assert scene.facts(seat).position.out == {0}


def test_whoever_leaves_a_branch_says_which_and_sets_the_other_one_free() -> None:
    """Seat 2 has voted on its branch of a fork and needs seat 1 there, which was on the other one
    and has left it: only by what that one says in its vote seat 2 learns that nobody will come."""
    scene = Scene(3, malice=0)
    one, two = scene.lie(1, 0, A), scene.lie(1, 0, B)
    scene.hear(1, one, scene.signed(2, Kind.KEY))
    scene.hear(2, two, scene.signed(1, Kind.KEY))
    assert scene.facts(1).heads != scene.facts(2).heads
    scene.go_on((2,))
    scene.hear(2, one)
    scene.hear(1, two)
    scene.hear(1, scene.signed(2, Kind.EXCLUDE, attempt=1))
    assert scene.facts(1).step == 2
    scene.hear(2, scene.signed(1, Kind.EXCLUDE, step=2))
    assert scene.facts(2).decided == (2,)
    scene.heal()
    assert scene.facts(1).position.out == scene.facts(2).position.out == {0}


def test_who_followed_a_decision_keeps_it_though_the_seat_has_lied_too() -> None:
    """Others may have followed it, whose votes decided it."""
    scene = Scene(3, malice=0)
    for seat in (1, 2):
        scene.plays(seat, (1, 2))
        scene.hear(seat, scene.lie(seat, 0, A))
    silent = scene.go_on((1, 2))
    place = scene.world.positions[scene.facts(2).heads[1]].place
    played = next(c for c in scene.facts(2).table.steps[1].entries if c.seat == 0)
    lie = scene.world.number(entry_of(place, played, 1))
    scene.hear(2, lie)
    scene.hear(1, silent[2], lie)
    assert scene.facts(1).decided == (3,)
    scene.hear(1, scene.signed(2, Kind.EXCLUDE, attempt=1))
    assert scene.facts(1).decided == (3,)
    scene.hear(2, silent[1], scene.signed(1, Kind.REFUSE, attempt=1))
    assert scene.facts(2).heads == scene.facts(1).heads
    scene.heal()


def test_what_a_refusal_keeps_is_taken_no_further_than_its_step() -> None:
    """The first contribution that it keeps convicts the liar and brings about a decision; the
    others then belong to a step that is complete, and contradict nothing."""
    scene = Scene(3, malice=0)
    scene.hear(1, scene.lie(1, 0, A))
    scene.hear(2, scene.lie(2, 0, b"wrong"))
    keys = [scene.world.entries[scene.signed(seat, Kind.KEY)].contribution for seat in (1, 2)]
    other = scene.world.entries[scene.lie(1, 0, B)].contribution
    refusal = scene.lie(1, 0, Vote(Kind.REFUSE, 0, kept=(other, *keys)))
    scene.hear(1, scene.signed(2, Kind.EXCLUDE), refusal)
    assert scene.facts(1).decided == (2,)
    assert scene.facts(1).convicted == {0}
    scene.heal()


def test_who_cannot_tell_where_a_fork_parts_is_told_more() -> None:
    """Both on a fork exclude the liar for what it did before the fork, where they stand on the
    same: until they name the fork's own contradiction each waits for the other's vote for good."""
    scene = Scene(3, malice=0)
    first = scene.world.positions[scene.facts(1).heads[0]]
    played = next(c for c in scene.facts(1).table.steps[0].entries if c.seat == 0)
    before = scene.world.number(entry_of(first.place, played, 1))
    one, two = scene.lie(1, 0, A), scene.lie(1, 0, B)
    scene.hear(1, one, scene.signed(2, Kind.KEY), before)
    scene.hear(2, two, scene.signed(1, Kind.KEY), before)
    assert scene.facts(1).heads != scene.facts(2).heads
    assert scene.facts(1).bound
    assert scene.facts(2).bound
    scene.heal()
    assert scene.facts(1).position.out == scene.facts(2).position.out == {0}


def test_a_fork_into_three_is_none_that_somebody_stays_on() -> None:
    """The liar signs one play twice and another one: what the others stand on need not be among the
    two contributions that this node can tell apart."""
    scene = Scene(3, malice=0)
    one, again, two = scene.lie(1, 0, A), scene.lie(1, 0, A, 1), scene.lie(1, 0, B)
    scene.hear(1, scene.signed(2, Kind.KEY), two, one)
    scene.go_on((1,))
    scene.hear(2, scene.signed(1, Kind.KEY), again)
    assert scene.facts(1).heads != scene.facts(2).heads
    assert scene.facts(1).step == scene.facts(2).step == 3
    scene.heal()
    assert scene.facts(1).position.out == scene.facts(2).position.out == {0}


def test_a_decision_stands_on_the_vote_that_was_followed_though_another_one_was_heard() -> None:
    """The liar votes with each of two others to leave out the other one. The first has gone on; the
    second, which knew the other vote only, is brought along by the first one's refusal."""
    scene = Scene(3, malice=0)
    for seat in (1, 2):
        scene.hear(seat, scene.lie(1, 0, A))
    scene.hear(1, scene.lie(1, 0, Vote(Kind.ABSENT, 0, (2,))))
    scene.hear(2, scene.lie(2, 0, Vote(Kind.ABSENT, 0, (1,))))
    scene.go_on((1,))
    assert scene.facts(1).decided == (2,)
    assert scene.facts(2).decided == ()
    scene.heal()
    assert scene.facts(2).heads == scene.facts(1).heads


def test_whoever_is_bound_beyond_returns_where_all_but_the_liar_are_to_vote() -> None:
    """Seats 1 and 2 voted that seat 3 is silent, which the liar could still make a decision: no
    refusal sets them free. Seat 3 has voted beyond; only with its vote they exclude the liar."""
    scene = Scene(4, malice=0)
    one, two = scene.lie(1, 0, A), scene.lie(1, 0, B)
    for seat in (1, 2):
        scene.plays(seat, (1, 2))
        scene.hear(seat, one)
    silence = scene.go_on((1, 2))
    scene.plays(3, (1, 2))
    scene.hear(3, one)
    assert scene.facts(3).step == 3
    assert scene.go_on((3,))
    for seat in (1, 2, 3):
        scene.hear(seat, one, two)
    votes = [scene.signed(seat, Kind.EXCLUDE, step=2, attempt=1) for seat in (1, 2)]
    scene.hear(3, *silence.values(), *votes)
    assert scene.facts(3).decided == (2,)
    scene.heal()
    assert scene.facts(1).position.out == scene.facts(3).position.out == {0}


def test_whoever_returned_behind_its_own_vote_leaves_out_nobody_but_the_liar() -> None:
    """Somebody who isn't heard may have made a decision of that vote: a crash changes nothing."""
    scene = Scene(4, malice=0)
    one, two = scene.lie(1, 0, A), scene.lie(1, 0, B)
    scene.plays(3, (1, 2))
    scene.hear(3, one)
    assert scene.go_on((3,))
    scene.hear(1, one, two)
    scene.hear(3, two, scene.signed(1, Kind.EXCLUDE, step=2))
    assert scene.facts(3).step == 2
    for action in (GoOn((2,)), Crash(), Hear(one), Hear(two), GoOn((2,))):
        scene.act(3, action)
    mine = [scene.world.entries[m] for m in scene.facts(3).signed]
    stands = {
        read_vote(e.contribution.kind, e.contribution.body).away
        for e in mine
        if e.place.step == 2 and e.contribution.kind is Kind.EXCLUDE
    }
    assert stands == {(0,)}
    scene.heal()


def left_on_another_branch() -> tuple[Scene, int]:
    """Seats 0 and 1 have gone on, with the liar 2, without seat 3, which stands on the liar's other
    play of an earlier step; and what seat 1 tells it to stand there for good."""
    scene = Scene(4, malice=2)
    one, two = scene.lie(0, 2, A), scene.lie(0, 2, B)
    for seat in (0, 1, 3):
        scene.hear(seat, two if seat == 3 else one)
        scene.plays(seat, (0, 1, 3))
    scene.hear(1, scene.signed(0, Kind.MOVE))
    scene.hear(0, scene.signed(1, Kind.MOVE))
    assert (scene.facts(0).step, scene.facts(1).step, scene.facts(3).step) == (5, 5, 3)
    silence = scene.lie(0, 2, Vote(Kind.ABSENT, 0, (3,)))
    for seat in (0, 1):
        scene.plays(seat, (0, 1), Kind.REVEAL)
        scene.hear(seat, scene.lie(0, 2, A), silence)
    votes = scene.go_on((0, 1))
    scene.hear(1, votes[0])
    scene.hear(0, votes[1])
    assert scene.facts(0).decided == scene.facts(1).decided == (5,)
    for seat in (0, 1, 3):
        scene.hear(seat, one, two)
    assert scene.facts(3).bound
    assert scene.facts(3).heads[2] != scene.facts(1).heads[2]
    return scene, scene.signed(1, Kind.REFUSE, step=2)


def plays_of_the_liar(scene: Scene) -> list[int]:
    """What seat 2 played for step 2, the one and the other."""
    plays = [
        n
        for n, entry in enumerate(scene.world.entries)
        if (entry.place.step, entry.contribution.seat) == (2, 2)
        and entry.contribution.kind is Kind.KEY
    ]
    assert len(plays) == 2
    return plays


def test_whoever_was_left_out_on_the_other_branch_of_a_fork_is_led_there() -> None:
    """Nobody returns any more to where they parted, so it is told what stands there for good."""
    scene, refusal = left_on_another_branch()
    scene.hear(3, refusal)
    assert scene.facts(3).heads[2] == scene.facts(1).heads[2]
    scene.heal()
    assert scene.facts(3).position.out == {2, 3}


@pytest.mark.parametrize("at", range(5))
def test_whoever_dies_on_the_way_to_another_branch_goes_on_from_there(at: int) -> None:
    """It votes about the same step as before, on another head."""
    scene, refusal = left_on_another_branch()
    scene.act(3, Crash(9, Hear(refusal), at))
    scene.plays(3, (0, 1))
    scene.hear(3, *plays_of_the_liar(scene), refusal)
    assert scene.facts(3).heads[2] == scene.facts(1).heads[2]
    scene.heal()
    assert scene.facts(3).position.out == {2, 3}


def test_without_proof_nobody_is_told_what_stands_for_good() -> None:
    """Else the liar could free a seat of the vote with which others have gone on without it."""
    scene = Scene(3, malice=0)
    one = scene.lie(1, 0, A)
    keys = [scene.world.entries[scene.signed(seat, Kind.KEY)].contribution for seat in (1, 2)]
    scene.hear(1, one)
    scene.go_on((1,))
    kept = (scene.world.entries[one].contribution, *keys)
    scene.hear(1, scene.lie(1, 0, Vote(Kind.REFUSE, 1, firm=True, kept=kept)))
    assert (scene.facts(1).step, scene.facts(1).bound) == (2, True)


def test_the_liars_own_last_word_counts_for_nothing() -> None:
    """It signs three plays, and refuses with one of them what all others are to decide."""
    scene = Scene(3, malice=0)
    one, again = scene.lie(1, 0, A), scene.lie(1, 0, A, 1)
    other = scene.world.entries[scene.lie(1, 0, B)].contribution
    scene.hear(1, one, again)
    scene.hear(1, scene.lie(1, 0, Vote(Kind.REFUSE, 0, firm=True, kept=(other,))))
    scene.plays(1, (2,))
    assert (scene.facts(1).step, scene.facts(1).bound) == (2, True)
    scene.heal()
    assert scene.facts(1).position.out == {0}


def test_the_vote_of_a_convicted_seat_is_not_even_answered() -> None:
    """Its vote to exclude somebody needs no proof where another voter would have to hold it."""
    scene = Scene(4, malice=3)
    for seat in (0, 1, 2):
        scene.hear(seat, scene.lie(0, 3, A))
    away = scene.lie(0, 3, Vote(Kind.EXCLUDE, 0, (2,)))
    scene.hear(2, scene.lie(0, 3, A, 1))
    scene.plays(1, (0, 2))
    scene.hear(1, scene.signed(0, Kind.KEY))
    place = scene.world.positions[scene.facts(1).heads[1]].place
    assert scene.facts(1).step == 3
    scene.hear(1, scene.world.number(entry_of(place, _played(scene, 1, 2, 3), 1)))
    assert scene.facts(1).convicted == {3}
    assert scene.act(1, Hear(away)) == ()
    assert scene.facts(1).step == 3
    scene.heal()


def _played(scene: Scene, at: int, step: int, author: int) -> Contribution:
    """What `author` contributed to a step in the log of the node `at`."""
    entries = scene.facts(at).table.steps[step - 1].entries
    return next(c for c in entries if c.seat == author)


def test_who_closed_the_match_is_in_nobodys_way() -> None:
    """One seat closed it for itself; the others exclude the liar, and go on without both."""
    scene = Scene(4, malice=3)
    one, two = scene.lie(0, 3, A), scene.lie(0, 3, B)
    scene.act(0, Abandon((1, 2)))
    assert scene.facts(0).closed
    for seat in (1, 2):
        scene.hear(seat, one, two)
    scene.plays(1, (0, 2))
    scene.plays(2, (0, 1))
    scene.hear(0, one, two, *(scene.signed(seat, Kind.EXCLUDE) for seat in (1, 2)))
    for seat in (1, 2):
        scene.hear(seat, scene.signed(0, Kind.ABANDON))
        assert not scene.facts(seat).closed
    for seat in (1, 2):
        vote = scene.signed(seat, Kind.EXCLUDE, attempt=1)
        assert scene.act(0, Hear(vote)) == ()
    votes = scene.go_on((1, 2), (0,))
    scene.hear(1, votes[2])
    scene.hear(2, votes[1])
    assert scene.facts(1).position.out == scene.facts(2).position.out == {0, 3}
    assert scene.facts(1).heads == scene.facts(2).heads


def test_a_decision_that_the_liar_made_possible_gives_way_to_what_the_others_have_settled() -> None:
    """The liar voted with three to go on without seat 3, which seat 0 did, and refused to the other
    two, which completed the step and went on without seat 0 later."""
    scene = Scene(5, malice=4)
    for seat in (0, 1, 2):
        scene.plays(seat, (0, 1, 2))
        scene.hear(seat, scene.lie(0, 4, A))
    silence = scene.go_on((0, 1, 2))
    joined = scene.lie(0, 4, Vote(Kind.ABSENT, 0, (3,)))
    kept = tuple(
        scene.world.entries[m].contribution for m in (scene.signed(3, Kind.KEY), scene.lie(0, 4, A))
    )
    refused = scene.lie(0, 4, Vote(Kind.REFUSE, 0, kept=kept))
    scene.hear(0, silence[1], silence[2], joined)
    assert scene.facts(0).decided == (2,)
    for seat in (1, 2):
        scene.hear(seat, silence[0], *(silence[s] for s in (1, 2) if s != seat), refused)
        assert scene.facts(seat).step == 3
    scene.plays(3, (0, 1, 2))
    scene.hear(3, scene.lie(3, 4, A))
    joined = scene.lie(1, 4, Vote(Kind.ABSENT, 0, (0,)))
    votes = scene.go_on((1, 2, 3))
    for seat in (1, 2, 3):
        scene.hear(seat, *votes.values(), joined)
        assert scene.facts(seat).decided == (3,)
    scene.heal()
    assert scene.facts(0).heads == scene.facts(1).heads
    assert scene.facts(0).position.out == {0, 4}


def test_the_liar_cannot_take_back_on_which_of_its_plays_another_one_stands() -> None:
    """Seat 2 has refused, with the liar's second play; a refusal of the liar with its first one
    would part seat 1 from it again."""
    scene = Scene(4, malice=0)
    one, two = scene.lie(1, 0, A), scene.lie(1, 0, B)
    scene.plays(2, (1, 3))
    scene.hear(2, two)
    assert scene.go_on((2,))
    scene.plays(1, (2,))
    scene.hear(1, one, two)
    scene.hear(2, scene.signed(1, Kind.EXCLUDE))
    scene.hear(1, scene.signed(2, Kind.REFUSE))
    first = scene.world.entries[one].contribution
    scene.hear(1, scene.lie(1, 0, Vote(Kind.REFUSE, 0, kept=(first,))))
    scene.plays(1, (3,))
    assert scene.facts(1).step == 3
    assert scene.facts(1).heads == scene.facts(2).heads
    scene.heal()


def test_nobodys_last_word_undoes_what_is_settled() -> None:
    """One seat is proved to lie and a second one lies as well: it names the first one's other play
    of a step on which all have signed."""
    scene = Scene(3, malice=0, step=4)
    first = scene.world.positions[scene.facts(2).heads[0]]
    late = entry_of(first.place, _played(scene, 2, 1, 0), 1)
    kept = Vote(Kind.REFUSE, 0, firm=True, kept=(late.contribution,))
    c = Contribution(1, Kind.REFUSE, kept.body(), first.digest, b"")
    settled = scene.facts(2).heads[: scene.facts(2).settled + 1]
    assert len(settled) > 1
    scene.hear(2, scene.world.number(late))
    assert scene.facts(2).convicted == {0}
    scene.hear(2, scene.world.number(entry_of(vote_place(first.place, 0), c)))
    assert scene.facts(2).heads[: len(settled)] == settled


def test_the_liars_refusal_releases_nobody_who_has_voted_to_exclude_it() -> None:
    """That vote is dead, since another one had voted about silence in the same attempt."""
    scene = Scene(4, malice=0)
    one, two = scene.lie(1, 0, A), scene.lie(1, 0, B)
    scene.plays(2, (1,))
    scene.hear(2, one)
    (silence,) = scene.go_on((2,)).values()
    scene.plays(1, (2,))
    scene.hear(1, one, two)
    first = scene.world.entries[one].contribution
    scene.hear(1, scene.lie(1, 0, Vote(Kind.REFUSE, 0, kept=(first,))), silence)
    scene.plays(1, (3,))
    assert (scene.facts(1).step, scene.facts(1).bound) == (2, True)
    scene.heal()


def test_whoever_returned_may_leave_out_who_has_closed_the_match() -> None:
    """That seat signs nothing any more, so nothing can come of what it signed before."""
    scene = Scene(4, malice=0)
    one, two = scene.lie(1, 0, A), scene.lie(1, 0, B)
    scene.plays(3, (1, 2))
    scene.hear(3, one)
    assert scene.go_on((3,))
    (closing,) = scene.act(2, Abandon((1, 3)))
    scene.hear(1, one, two, closing)
    scene.hear(3, two, closing, scene.signed(1, Kind.EXCLUDE, step=2))
    assert scene.facts(3).step == 2
    votes = scene.go_on((1, 3), (2,))
    scene.hear(1, votes[3])
    scene.hear(3, votes[1])
    assert scene.facts(3).decided == scene.facts(1).decided == (2,)
    assert scene.facts(3).position.out == {0, 2}
