"""The table: any order of delivery, any loss and any crash lead to the same log everywhere."""

from __future__ import annotations

import random
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.errors import IllegalMove
from engine.games.petrangola_moves import STAY, Cut
from protocol.audit import audit_file
from protocol.contribution import Class, Entry, Kind
from protocol.errors import Fault, LocalProtocolError
from protocol.log import LogWriter
from protocol.table import (
    EARLY_COPIES,
    EARLY_STEPS,
    Advanced,
    Event,
    Finished,
    Outgoing,
    Table,
    Verdict,
    YourMove,
)
from tests.protocol.faults import Killed
from tests.protocol.groups import FAST
from tests.protocol.ring import Record, Ring, identities, record, resign

MATCH = record(2)
KEYS = identities(2)


@contextmanager
def ring_in_memory(count: int, **settings: object) -> Iterator[Ring]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        ring = Ring(Path(name), count, **settings)  # type: ignore[arg-type]
        try:
            yield ring
        finally:
            ring.close()


def finished(ring: Ring) -> bytes:
    """Check that all tables closed the match with the same log, and return it."""
    assert [table.accusation for table in ring.tables] == [None] * len(ring.tables)
    assert all(table.position.closed for table in ring.tables)
    (log,) = {ring.log(seat) for seat in range(len(ring.keys))}
    return log


# -- any schedule ------------------------------------------------------------------------------


@given(count=st.sampled_from([2, 2, 3]), order=st.randoms(use_true_random=False))
@settings(max_examples=5)
def test_any_order_and_any_number_of_copies(count: int, order: random.Random) -> None:
    def twice(author: int, entry: Entry) -> Iterable[Entry]:
        return (entry,) * order.choice((1, 1, 2, 3))

    with ring_in_memory(count, pick=order.randrange, tamper=twice) as ring:
        ring.run()
        finished(ring)


@pytest.mark.parametrize("late", [0, 2])
def test_a_seat_that_hears_everything_last(late: int) -> None:
    """What it is sent waits until nothing else moves, and then comes newest first."""

    def pick(n: int) -> int:
        others = [i for i, (to, _) in enumerate(ring.pool) if to != late]
        return others[0] if others else n - 1

    with ring_in_memory(3, pick=pick) as ring:
        ring.run()
        finished(ring)


@pytest.mark.parametrize("seed", range(2))
def test_what_was_lost_is_asked_for(seed: int) -> None:
    loss = random.Random(seed)

    def lose(author: int, entry: Entry) -> Iterable[Entry]:
        return (entry,) if loss.random() < 0.5 else ()

    with ring_in_memory(2, tamper=lose, seed=seed) as ring:
        ring.run()
        for _ in range(100):
            if all(table.position.closed for table in ring.tables):
                break
            ring.heal()
            ring.run(start=False)
        finished(ring)


def test_one_order_of_delivery_or_another_gives_the_same_log() -> None:
    """The rules fix the order of contributions, so with the same secrets nothing can differ."""
    with ring_in_memory(2, pick=lambda n: n - 1) as ring:
        ring.run(lambda: ring.reach(9))
        for seat in (0, 1):
            steps = [step.pack() for step in ring.tables[seat].steps[:8]]
            assert steps == list(MATCH.payloads[:8])


# -- crashes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("seat", "sent"), [(0, False), (1, True)])
def test_a_node_killed_at_every_event_plays_on_in_the_same_hand(seat: int, sent: bool) -> None:
    """Before or after what it signed went out; each event kills the node once.

    The node that comes back has its disk and nothing else, and says the very same octets again.
    """
    done: set[tuple[str, int]] = set()

    def kill(who: int, event: Event) -> None:
        if who != seat:
            return
        name, step = type(event).__name__, ring.tables[seat].position.step
        if (name, step) not in done:
            done.add((name, step))
            if sent and isinstance(event, Outgoing):
                ring.sent[seat].append(event.entry)
                ring.send(seat, event.entry)
            raise Killed

    with ring_in_memory(2) as ring:
        ring.on_event = kill
        for _ in range(200):
            try:
                for table in ring.tables:
                    if not table._started:
                        table.start()
                ring.heal()
                ring.run(start=False)
                break
            except Killed:
                ring.reopen(seat)
        finished(ring)
        said = defaultdict(set)
        for entry in ring.sent[seat]:
            said[entry.place].add(entry)
        assert all(len(entries) == 1 for entries in said.values())
        kinds = {name for name, _ in done}
        assert kinds == {"Outgoing", "Advanced", "YourMove"}  # what is closed isn't closed again
        assert len(done) > 20


def test_a_decision_on_the_disk_is_not_asked_for_again() -> None:
    with ring_in_memory(2) as ring:
        move_step = MATCH.first(Kind.MOVE).step.number
        ring.run(lambda: ring.reach(move_step) and not ring.pool and bool(ring._turns))
        (seat,) = ring._turns
        ring.players[seat].contribute(ring.tables[seat].position, Cut(9))  # and then it is killed
        ring.reopen(seat)
        ring.tables[seat].start()
        assert not isinstance(ring.events[seat][-1], YourMove)
        assert isinstance(ring.events[seat][-1], Outgoing)
        ring.run(start=False)
        finished(ring)
        cut = ring.tables[0].steps[move_step - 1].entries[0]
        assert ring.tables[0].position.game.encode(Cut(9)) == ("cut", 9)
        assert b"cut\x09" in cut.body


def test_a_log_that_does_not_verify_is_not_taken_up(tmp_path: Path) -> None:
    first, second = MATCH.moments[0].step, MATCH.moments[1].step
    wrong = replace(
        second, entries=tuple(replace(c, seat=1 - c.seat) for c in second.entries[::-1])
    )
    with LogWriter.create(tmp_path / "a.busso", MATCH.header.payload) as writer:
        writer.append(first)
        writer.append(wrong)
    with LogWriter.reopen(tmp_path / "a.busso") as writer, pytest.raises(Fault) as caught:
        Table(MATCH.header, FAST, lambda _: None, writer=writer)
    assert caught.value.step == 2


# -- one table, fed by hand -----------------------------------------------------------------------


def spectator(events: list[Event] | None = None) -> Table:
    return Table(MATCH.header, FAST, (events if events is not None else []).append)


def entries(match: Record, until: int = 1000) -> list[Entry]:
    return [
        Entry(m.before.place, c)
        for m in match.moments
        for c in m.step.entries
        if m.step.number < until
    ]


def test_a_spectator_follows_from_any_nodes_entries() -> None:
    source, events = spectator(), list[Event]()
    for entry in entries(MATCH):
        assert source.receive(entry) is Verdict.ACCEPTED
    late = spectator(events)
    for entry in source.entries_from(1):
        late.receive(entry)
    assert late.heads == source.heads
    assert late.position.closed
    assert isinstance(events[-1], Finished)
    assert [e.step.pack() for e in events if isinstance(e, Advanced)] == list(MATCH.payloads)
    assert late.receive(entries(MATCH)[0]) is Verdict.DUPLICATE


def test_entries_from_a_step_less_what_is_held() -> None:
    table = spectator()
    first, second, third, *_ = entries(MATCH)
    for entry in (first, second, third):
        table.receive(entry)
    assert (table.position.step, table.held, table.missing) == (2, (0,), (1,))
    assert list(table.entries_from(1)) == [first, second, third]
    assert list(table.entries_from(0)) == [first, second, third]
    assert list(table.entries_from(1, [0])) == [second, third]
    assert list(table.entries_from(2)) == [third]
    assert list(table.entries_from(2, [0])) == []
    assert list(table.entries_from(9)) == []


def test_what_is_early_is_kept_within_bounds() -> None:
    table = spectator()
    place = replace(MATCH.moments[0].before.place, head=bytes(32))
    c = MATCH.moments[0].step.entries[0]
    far = resign(KEYS[0], replace(place, step=2 + EARLY_STEPS), c)
    assert table.receive(far) is Verdict.EARLY
    assert not table._early
    for step in range(2, 2 + EARLY_STEPS):
        for number in range(EARLY_COPIES + 3):
            entry = resign(KEYS[0], replace(place, step=step), c, body=bytes([number]) * 100)
            assert table.receive(entry) is Verdict.EARLY
        kept = table._early[step]
        assert len(kept) == EARLY_COPIES
        assert table.receive(kept[0]) is Verdict.DUPLICATE
        forged = Entry(kept[0].place, replace(kept[0].contribution, seat=1))
        assert table.receive(forged) is Verdict.FORGED
        mine = resign(KEYS[1], replace(place, step=step), c, seat=1)
        assert table.receive(mine) is Verdict.EARLY
        assert table._early[step][-1] == mine  # one seat's noise takes nothing from another
    assert set(table._early) == set(range(2, 2 + EARLY_STEPS))
    for entry in entries(MATCH):  # entries on an unknown head are no offence, and don't stick
        table.receive(entry)
    assert table.accusation is None
    assert table.position.closed
    assert not any(step < table.position.step for step in table._early)


def test_a_lie_that_came_early_convicts_when_its_time_comes() -> None:
    table = spectator()
    moment = MATCH.moments[1]
    lie = resign(KEYS[0], moment.before.place, moment.step.entries[0], body=bytes(32))
    assert table.receive(lie) is Verdict.EARLY
    for entry in entries(MATCH, 2):
        table.receive(entry)
    assert table.accusation is not None
    assert (table.accusation.fault.seat, table.accusation.fault.step) == (0, 2)
    assert table.position.step == 2  # who only follows waits for what the others decide
    assert table.receive(entries(MATCH)[0]) is Verdict.DUPLICATE


def test_what_has_no_place_here() -> None:
    table = spectator()
    entry = entries(MATCH)[0]
    for wrong in (
        Entry(replace(entry.place, match=bytes(32)), entry.contribution),
        Entry(replace(entry.place, attempt=1), entry.contribution),
        Entry(replace(entry.place, cls=Class.VOTE), entry.contribution),
        Entry(replace(entry.place, step=0), entry.contribution),
        Entry(replace(entry.place, step=-1), entry.contribution),
        Entry(entry.place, replace(entry.contribution, seat=2)),
        Entry(entry.place, replace(entry.contribution, seat=-1)),
    ):
        assert table.receive(wrong) is Verdict.FOREIGN
    assert table.receive(Entry(replace(entry.place, head=bytes(32)), entry.contribution)) is (
        Verdict.DIVERGENT
    )
    assert table.accusation is None
    assert table.receive(entry) is Verdict.ACCEPTED
    assert table.receive(entry) is Verdict.DUPLICATE


def test_only_a_due_decision_can_be_played(tmp_path: Path) -> None:
    with pytest.raises(LocalProtocolError, match="no decision"):
        spectator().play(STAY)
    with ring_in_memory(2) as ring:
        with pytest.raises(LocalProtocolError, match="no decision"):
            ring.tables[0].play(STAY)
        ring.run(lambda: bool(ring._turns) and not ring.pool)
        (seat,) = ring._turns
        table, before = ring.tables[seat], len(ring.journals[seat].entries(MATCH.header.match))
        with pytest.raises(IllegalMove) as caught:
            table.play(STAY)
        assert caught.value.rule == "PET-06"
        with pytest.raises(IllegalMove):
            table.play(Cut(40))
        assert len(ring.journals[seat].entries(MATCH.header.match)) == before
        with pytest.raises(LocalProtocolError, match="no decision"):
            ring.tables[1 - seat].play(Cut(3))
        ring.run(start=False)
        finished(ring)


def test_steps_are_on_the_disk_before_a_decision_and_at_the_end() -> None:
    with ring_in_memory(2) as ring:

        def check(seat: int, event: Event) -> None:
            if isinstance(event, YourMove | Finished):
                report = audit_file(ring.logs[seat], FAST)
                assert report.good
                assert report.steps == len(ring.tables[seat].steps)

        ring.on_event = check
        ring.run()
        finished(ring)
