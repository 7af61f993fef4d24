"""Absence: whoever is silent, at whatever step, is left out by the others, and by nobody else.

In memory, over the real deal: a seat's node falls silent at one step, the others vote, the match
ends without it and all logs are equal. The table of decisions itself is explored exhaustively
elsewhere.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from protocol.audit import Ruling, Status, audit_file
from protocol.contribution import Entry, Kind
from protocol.errors import LocalProtocolError
from protocol.table import CutBack, Table, Voted
from protocol.votes import DECISIONS, VOTES
from tests.protocol.ring import Ring

STEPS = (
    Kind.FLIP_COMMIT,
    Kind.FLIP_REVEAL,
    Kind.MOVE,
    Kind.COMMIT,
    Kind.KEY,
    Kind.SHUFFLE,
    Kind.SHARES,
    Kind.REVEAL,
    Kind.CHECKPOINT,
    Kind.FOOTER,
)


class Silent(Ring):
    """A ring in which seats can stop hearing and being heard."""

    silent: frozenset[int] = frozenset()
    back = False
    """Whether somebody was silent and is so no more."""

    def deliver(self, to: int, entry: Entry) -> None:
        if to not in self.silent:
            super().deliver(to, entry)

    def heal(self) -> None:
        """All who are there compare what they hold."""
        for to in self.present():
            for author in self.present():
                if author != to:
                    table = self.tables[to]
                    self.pool += [
                        (to, entry) for entry in self.tables[author].entries_from(table.floor)
                    ]

    def hush(self, seat: int) -> None:
        """The node of `seat` is gone, with all that is under way to and from it."""
        self.silent = self.silent | {seat}
        self.pool = [d for d in self.pool if d[0] != seat and d[1].contribution.seat != seat]

    def present(self) -> list[int]:
        return [seat for seat in range(len(self.keys)) if seat not in self.silent]

    def vote(self) -> list[bool]:
        """All who are there choose to go on; whether each could."""
        said = [self.tables[s].go_on(self.silent) for s in self.present()]
        self.run(start=False)
        return said

    def speak(self, seat: int) -> None:
        """The node of `seat` is back and everybody compares what they hold."""
        self.silent, self.back = self.silent - {seat}, True
        self.heal()
        self.run(start=False)


@contextmanager
def ring_in_memory(count: int, **settings: object) -> Iterator[Silent]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        ring = Silent(Path(name), count, **settings)  # type: ignore[arg-type]
        try:
            yield ring
        finally:
            ring.close()


@contextmanager
def waiting(kind: Kind, count: int = 3, **settings: object) -> Iterator[tuple[Silent, int]]:
    """A ring in which all wait for one seat, whose node was gone before its `kind` went out."""
    gone: list[int] = []

    def tamper(author: int, entry: Entry) -> Iterable[Entry]:
        if author in gone:
            return (entry,) if ring.back and author not in ring.silent else ()
        if gone or entry.contribution.kind is not kind:
            return (entry,)
        gone.append(author)
        return ()

    with ring_in_memory(count, tamper=tamper, **settings) as ring:
        ring.run(lambda: bool(gone) and not ring.pool)
        ring.hush(gone[0])
        ring.run(start=False)
        yield ring, gone[0]


def finished(ring: Silent, out: set[int]) -> bytes:
    """All who are there closed the match with one log, without `out`."""
    ring.run(start=False)
    tables = [ring.tables[seat] for seat in ring.present()]
    for _ in range(3):
        if out and not all(table.position.closed for table in tables):
            ring.vote()  # whoever is out is asked whether it comes back, and is silent again
    assert all(table.position.closed for table in tables)
    assert {table.position.out for table in tables} == {frozenset(out)}
    assert [table.accusation for table in tables] == [None] * len(tables)
    (log,) = {ring.log(seat) for seat in ring.present()}
    report = audit_file(log, ring.group)
    assert (report.status, report.faults) == (Status.COMPLETE, ())
    return log


def decisions(table: Table) -> list[int]:
    return [step.number for step in table.steps if step.entries[0].kind in DECISIONS]


@pytest.mark.parametrize("kind", STEPS)
def test_whoever_is_silent_at_any_step_is_left_out(kind: Kind) -> None:
    with waiting(kind) as (ring, seat):
        others = ring.present()
        step = ring.tables[others[0]].position.step
        assert {ring.tables[s].missing for s in others} == {(seat,)}
        assert ring.vote() == [True, True]
        finished(ring, {seat})
        assert decisions(ring.tables[others[0]])[0] == step
        late = kind in (Kind.REVEAL, Kind.CHECKPOINT, Kind.FOOTER)
        first = others[0]
        reveals = [s for s in ring.tables[first].steps if s.entries[0].kind is Kind.REVEAL]
        assert len(reveals) == (0 if kind is Kind.REVEAL else 1)
        hands = [s for s in ring.tables[first].steps if s.entries[0].kind is Kind.COMMIT]
        flips_or_late = late or kind in (Kind.FLIP_COMMIT, Kind.FLIP_REVEAL)
        before_the_deal = kind in (Kind.MOVE, Kind.COMMIT) and step <= hands[0].number
        assert len(hands) == (1 if flips_or_late or before_the_deal else 2)


@pytest.mark.parametrize("kind", STEPS)
def test_whoever_comes_back_after_the_decision_takes_it_over(kind: Kind) -> None:
    with waiting(kind) as (ring, seat):
        ring.vote()
        ring.run(start=False)
        ring.speak(seat)
        finished(ring, {seat})
        assert ring.tables[seat].steps == ring.tables[(seat + 1) % 3].steps


@pytest.mark.parametrize("kind", STEPS)
def test_whoever_comes_back_before_it_plays_on(kind: Kind) -> None:
    """One has voted already: the other, who holds everything, refuses."""
    with waiting(kind) as (ring, seat):
        first, second = ring.present()
        assert ring.tables[first].go_on()
        assert ring.tables[first].bound
        ring.pool = []  # the vote is still on its way
        held = next(e for e in ring.sent[seat] if e.contribution.kind is kind)
        ring.silent, ring.back = frozenset(), True
        ring.deliver(second, held)
        ring.pool = []
        for _ in range(3):
            ring.heal()
            ring.run(start=False)
        votes = [e.contribution.kind for e in ring.sent[second] if e.contribution.kind in VOTES]
        assert votes == [Kind.REFUSE]
        finished(ring, set())
        assert not decisions(ring.tables[0])


def test_two_leave_no_majority_of_three() -> None:
    with waiting(Kind.SHUFFLE) as (ring, seat):
        other = ring.present()[0]
        ring.hush(other)
        (last,) = ring.present()
        table = ring.tables[last]
        assert ring.vote() == [False]
        assert not table.bound
        assert not any(isinstance(e, Voted) for e in ring.events[last])
        step = table.position.step
        ring.speak(other)
        assert table.position.step == step
        assert ring.vote() == [True, True]
        finished(ring, {seat})


def test_two_players_wait_for_each_other_and_go_on() -> None:
    with waiting(Kind.SHARES, 2) as (ring, seat):
        assert ring.vote() == [False]
        held = next(e for e in ring.sent[seat] if e.contribution.kind is Kind.SHARES)
        ring.silent, ring.back = frozenset(), True
        ring.deliver(1 - seat, held)
        ring.heal()
        finished(ring, set())


def test_a_match_can_be_closed_by_the_one_who_stayed() -> None:
    with waiting(Kind.SHARES, 2) as (ring, seat):
        table = ring.tables[1 - seat]
        assert table.abandon()
        assert table.position.closed
        assert table.position.abandoned_by == (1 - seat,)
        assert audit_file(ring.log(1 - seat), ring.group).status is Status.ABANDONED
        ring.speak(seat)
        assert ring.log(seat) == ring.log(1 - seat)


def test_a_majority_cannot_abandon() -> None:
    with waiting(Kind.SHARES) as (ring, _):
        assert not ring.tables[ring.present()[0]].abandon()


def test_two_silent_seats_of_five_one_found_out_by_the_vote() -> None:
    with waiting(Kind.KEY, 5) as (ring, seat):
        second = ring.present()[-1]
        ring.hush(second)  # its key is here already: the step waits for the first alone
        assert {ring.tables[s].missing for s in ring.present()} == {(seat,)}
        for s in ring.present():
            assert ring.tables[s].go_on()
        ring.run(start=False)
        assert {ring.tables[s].undecided for s in ring.present()} == {(second,)}
        ring.vote()
        finished(ring, {seat, second})


def test_different_views_of_who_is_silent_come_together() -> None:
    """One has a contribution that another lacks: their first votes differ, the second agree."""
    with waiting(Kind.KEY, 5) as (ring, seat):
        present = ring.present()
        second = present[-1]
        late = next(e for e in ring.sent[second] if e.contribution.kind is Kind.KEY)
        without = present[0]
        del ring.tables[without]._pending[second]
        ring.hush(second)
        for s in ring.present():
            assert ring.tables[s].go_on()
        ring.run(start=False)
        assert not decisions(ring.tables[without])
        assert not any(ring.tables[s].bound for s in ring.present())
        ring.tables[without].receive(late)
        ring.vote()
        ring.vote()
        finished(ring, {seat, second})


def test_who_waits_for_itself_has_no_vote() -> None:
    with waiting(Kind.MOVE) as (ring, seat):
        assert not ring.tables[seat].go_on()
        assert not ring.tables[seat].go_on({(seat + 1) % 3})


def test_a_bound_seat_neither_moves_nor_completes(tmp_path: Path) -> None:
    with waiting(Kind.KEY) as (ring, seat):
        first = ring.present()[0]
        table = ring.tables[first]
        ring.tables[first].go_on()
        held = next(e for e in ring.sent[seat] if e.contribution.kind is Kind.KEY)
        step = table.position.step
        table.receive(held)
        assert table.missing == ()
        assert table.position.step == step
        ring.reopen(first)  # a crash doesn't set it free
        table = ring.tables[first]
        table.start()
        for entry in ring.tables[ring.present()[1]].entries_from(step):
            table.receive(entry)
        table.receive(held)
        assert (table.bound, table.position.step) == (True, step)


def test_the_seed_of_a_void_hand_is_gone() -> None:
    with waiting(Kind.SHARES) as (ring, _):
        first = ring.present()[0]
        before = ring.tables[first].position
        player = ring.players[first]
        assert player._journal.seed(player._hand_id(before))
        ring.vote()
        finished(ring, {*range(3)} - set(ring.present()))
        with pytest.raises(LocalProtocolError, match="erased"):
            player._journal.seed(player._hand_id(before))


def test_who_is_left_out_is_cut_back() -> None:
    """Its log held the step that the others decided to do without."""
    with waiting(Kind.SHUFFLE) as (ring, seat):
        step = ring.tables[ring.present()[0]].position.step
        assert ring.tables[seat].position.step == step + 1
        ring.vote()
        ring.speak(seat)
        cuts = [e for e in ring.events[seat] if isinstance(e, CutBack)]
        assert [cut.step for cut in cuts] == [step]
        assert cuts[0].path is not None
        finished(ring, {seat})


@pytest.mark.parametrize(("kind", "audited"), [(Kind.REVEAL, 0), (Kind.CHECKPOINT, 1)])
def test_the_audit_tells_decisions_and_counts_only_hands_whose_seeds_are_out(
    kind: Kind, audited: int
) -> None:
    with waiting(kind) as (ring, seat):
        others = ring.present()
        step = ring.tables[others[0]].position.step
        ring.vote()
        report = audit_file(finished(ring, {seat}), ring.group)
        assert report.rulings == (Ruling(step, Kind.ABSENT, (seat,), tuple(others)),)
        assert report.hands == audited
