"""Traps of the agreement that the search found, each by itself: what would go wrong without a rule.

A scene is a toy match (`explore_toy`) in which everybody waits for step 2, nothing of it heard yet.
"""

from __future__ import annotations

from collections.abc import Iterable

from protocol.contribution import MAX_ATTEMPT, Contribution, Kind
from protocol.votes import Vote, vote_place
from tests.protocol.explore import Bounds, Search
from tests.protocol.explore_nodes import Abandon, Action, Crash, Facts, GoOn, Hear
from tests.protocol.explore_toy import entry_of


class Scene:
    """The nodes of a match, acted on one by one; what is lost is never heard."""

    def __init__(self, count: int, malice: int | None = None, step: int = 2) -> None:
        self.search = Search(count, malice, bounds=Bounds(step=step))
        self.world = self.search.world
        self.nodes = dict(zip(self.search.honest, self.search.start, strict=True))

    def facts(self, seat: int) -> Facts:
        """What a node knows."""
        return self.world.nodes[self.nodes[seat]]

    def act(self, seat: int, action: Action) -> tuple[int, ...]:
        """Let something happen to a node; what it sends."""
        sent = self.world.sent(self.nodes[seat], action)
        self.nodes[seat] = self.world.act(self.nodes[seat], action)
        return sent

    def hear(self, seat: int, *entries: int) -> None:
        """Let a node hear entries."""
        for number in entries:
            self.act(seat, Hear(number))

    def signed(self, author: int, kind: Kind, step: int | None = None, attempt: int = 0) -> int:
        """What an honest seat has signed."""
        return max(
            m
            for m in self.facts(author).signed
            if (e := self.world.entries[m]).contribution.kind is kind
            and e.place.attempt == attempt
            and step in (None, e.place.step)
        )

    def plays(self, seat: int, authors: Iterable[int], kind: Kind = Kind.KEY) -> None:
        """Let a node hear what `authors` contribute."""
        self.hear(seat, *(self.signed(author, kind) for author in authors if author != seat))

    def go_on(self, seats: Iterable[int], away: tuple[int, ...] = ()) -> dict[int, int]:
        """Let players vote; their votes."""
        return {seat: max(self.act(seat, GoOn(away))) for seat in seats}

    def lie(self, at: int, seat: int, body: Vote | bytes, variant: int = 0) -> int:
        """What the malicious seat says about the step that is due at the node `at`."""
        position = self.facts(at).position
        place, kind = position.place, position.due.kind if position.due else Kind.MOVE
        octets = body if isinstance(body, bytes) else body.body()
        if isinstance(body, Vote):
            place, kind = vote_place(place, body.attempt), body.kind
        c = Contribution(seat, kind, octets, position.digest, b"")
        return self.world.number(entry_of(place, c, variant))

    def heal(self, gone: Iterable[int] = ()) -> None:
        """Everybody hears everybody and wants to go on; they come to one end."""
        nodes = self.search.healed(tuple(self.nodes.values()), gone)
        self.nodes = dict(zip(self.nodes, nodes, strict=True))


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


# -- one seat lies -----------------------------------------------------------------------------

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
    heads = scene.facts(1).heads
    assert scene.facts(1).settled >= 1
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
