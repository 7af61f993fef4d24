"""What a node keeps of proofs and of votes on other heads, however many a liar signs."""

from __future__ import annotations

from protocol.contribution import Contribution, Entry, Kind, Place
from protocol.convictions import PER_SEAT, STANDS, Convictions
from protocol.errors import Fault
from protocol.votes import Vote, tail_of, vote_place

MATCH = bytes(16)


def proof(seat: int, step: int, count: int = 2) -> tuple[Fault, tuple[Entry, ...]]:
    """Two contributions that contradict each other, or one that is wrong."""
    place = Place(MATCH, bytes(32), step)
    entries = tuple(
        Entry(place, Contribution(seat, Kind.KEY, bytes([n]), bytes(8), bytes(64)))
        for n in range(count)
    )
    return Fault(seat, step, "contradiction", "it lied"), entries


def test_of_many_proofs_those_about_the_latest_steps_are_kept() -> None:
    """Old second signatures must not crowd out the one that has just parted the logs."""
    kept = Convictions()
    for step in range(1, PER_SEAT + 4):
        assert kept.add(*proof(0, step))
    assert kept.steps == set(range(4, PER_SEAT + 4))
    assert not kept.add(*proof(0, 3))
    assert kept.add(*proof(1, 1))  # another seat's don't count


def test_one_proof_of_a_kind_is_kept_for_a_step() -> None:
    kept = Convictions()
    assert kept.add(*proof(0, 5))
    assert not kept.add(*proof(0, 5))
    assert kept.add(*proof(0, 5, count=1))
    assert kept.seats == {0}


def test_of_many_votes_on_other_heads_the_last_few_are_kept() -> None:
    """Each voter's latest ones tell where it stands now."""
    kept, mine = Convictions(), [bytes([n]) * 32 for n in range(10)]
    for step in range(3, 9):
        theirs = [*mine[: step - 1], b"\xff" * 32]
        vote = Vote(Kind.EXCLUDE, 0, (0,), tail=tail_of(theirs, 0))
        place = vote_place(Place(MATCH, theirs[-1], step), 0)
        c = Contribution(1, Kind.EXCLUDE, vote.body(), bytes(8), bytes(64))
        kept.heard(Entry(place, c))
        kept.heard(Entry(place, c))
    assert [step for step, _ in kept.partings(mine)] == [4, 5, 6, 7]
    assert len(kept.partings(mine)) == STANDS


def test_where_a_convicted_seat_says_it_stands_counts_for_nothing() -> None:
    kept, mine = Convictions(), [bytes([n]) * 32 for n in range(4)]
    theirs = [*mine[:2], b"\xff" * 32]
    vote = Vote(Kind.EXCLUDE, 0, (0,), tail=tail_of(theirs, 0))
    place = vote_place(Place(MATCH, theirs[-1], 3), 0)
    kept.heard(Entry(place, Contribution(1, Kind.EXCLUDE, vote.body(), bytes(8), bytes(64))))
    assert [step for step, _ in kept.partings(mine)] == [2]
    kept.add(*proof(1, 1))
    assert not kept.partings(mine)
