"""What votes say and amount to: their bodies, tails, and `protocol.votes.decided` over sets of
checked votes."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.contribution import Contribution, Kind, Place
from protocol.encoding import pack
from protocol.errors import EncodingError
from protocol.log import contribution_value
from protocol.votes import (
    MARK_SIZE,
    MAX_TAIL,
    Vote,
    decided,
    parting,
    read_vote,
    tail_of,
)


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


# -- where a voter stands ------------------------------------------------------------------------


def _heads(path: list[int]) -> list[bytes]:
    """H_0, H_1, ... of a log whose step i has content `path[i - 1]`."""
    heads = [bytes(32)]
    for content in path:
        heads.append(hashlib.sha256(heads[-1] + bytes([content])).digest())
    return heads


@given(st.data())
def test_a_tail_tells_where_two_logs_part(data: st.DataObject) -> None:
    common = data.draw(st.lists(st.integers(0, 1), max_size=80))
    here = data.draw(st.lists(st.integers(0, 1), max_size=12))
    there = data.draw(st.lists(st.integers(0, 1), max_size=12))
    mine, theirs = _heads(common + here), _heads(common + there)
    settled = data.draw(st.integers(0, len(theirs) - 1))
    tail = tail_of(theirs, settled)
    assert len(tail) == MARK_SIZE * min(MAX_TAIL, len(theirs) - settled)
    place = Place(bytes(32), theirs[-1], len(theirs))
    parted = next((i for i, (p, q) in enumerate(zip(mine, theirs, strict=False)) if p != q), None)
    first = len(theirs) - len(tail) // MARK_SIZE
    if parted is None or max(parted, first) >= len(mine):
        assert parting(mine, place, tail) is None
    else:
        assert parting(mine, place, tail) == max(parted, first)


@pytest.mark.parametrize("tail", [bytes(7), bytes(9), bytes(8 * 65)])
def test_a_tail_is_of_whole_heads_and_bounded(tail: bytes) -> None:
    with pytest.raises(EncodingError):
        read_vote(Kind.EXCLUDE, pack((0, (1,), tail, b"")))


@given(st.binary(max_size=512), st.integers(1, 1 << 40))
def test_no_tail_makes_a_log_part_before_its_first_step(tail: bytes, step: int) -> None:
    """Whoever signs it can write what it likes into it."""
    found = parting(_heads([0, 1, 0]), Place(bytes(32), bytes(32), step), tail)
    assert found is None or 1 <= found <= 3


@pytest.mark.parametrize("value", [-1, 2, True, None])
def test_a_refusal_is_firm_or_not(value: object) -> None:
    kept = contribution_value(Contribution(0, Kind.KEY, b"", bytes(8), bytes(64)))
    with pytest.raises(EncodingError):
        read_vote(Kind.REFUSE, pack((0, value, (kept,))))  # type: ignore[arg-type]


@pytest.mark.parametrize("firm", [False, True])
def test_a_vote_is_read_as_it_was_written(firm: bool) -> None:
    kept = (Contribution(0, Kind.KEY, b"x", bytes(8), bytes(64)),)
    for vote in (
        Vote(Kind.REFUSE, 3, firm=firm, kept=kept),
        Vote(Kind.EXCLUDE, 2, (1, 4), tail=bytes(16), proof=b"p"),
    ):
        assert read_vote(vote.kind, vote.body()) == vote
