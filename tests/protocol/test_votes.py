"""What votes amount to: `protocol.votes.decided` over sets of checked votes."""

from __future__ import annotations

import pytest

from protocol.contribution import Contribution, Kind
from protocol.votes import Vote, decided


def cast(seat: int, kind: Kind, away: tuple[int, ...]) -> tuple[Contribution, Vote]:
    """A vote of the first attempt, unsigned: what was signed has been checked before."""
    vote = Vote(kind, 0, away)
    return Contribution(seat, kind, vote.body(), bytes(16), bytes(64)), vote


@pytest.mark.parametrize("count", range(3, 13))
def test_a_majority_goes_on_in_the_attempt_in_which_one_seat_closes_the_match(count: int) -> None:
    """In whatever order the votes of one attempt are looked at."""
    for closer in range(count):
        others = tuple(seat for seat in range(count) if seat != closer)
        votes = {seat: cast(seat, Kind.ABSENT, (closer,)) for seat in others}
        votes[closer] = cast(closer, Kind.ABANDON, others)
        found = decided(votes, range(count), {})
        assert found is not None
        assert (found.kind, found.away) == (Kind.ABSENT, (closer,))


def test_one_seat_alone_closes_a_match_that_nobody_else_decides_about() -> None:
    found = decided({2: cast(2, Kind.ABANDON, (0, 1))}, range(3), {})
    assert found is not None
    assert (found.kind, [c.seat for c in found.votes]) == (Kind.ABANDON, [2])


def test_a_majority_closes_nothing() -> None:
    votes = {seat: cast(seat, Kind.ABANDON, (0,)) for seat in (1, 2)}
    assert decided(votes, range(3), {}) is None
