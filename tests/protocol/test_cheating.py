"""Cheats in memory: each is seen by every honest table, named with its step, and proved by a file.

One seat sends something wrong at one step and the game goes no further. The same over a real mesh
is tested with the node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from protocol.audit import Status, audit_file
from protocol.contribution import Entry, Kind, statement
from protocol.encoding import pack
from protocol.errors import LocalProtocolError
from protocol.player import Player
from protocol.table import CutBack, Verdict
from tests.protocol import samples
from tests.protocol.cheats import (
    CHEATS,
    Change,
    Committer,
    Liar,
    Noncer,
    Sharer,
    Shuffler,
    one_hunts,
)
from tests.protocol.ring import Ring, Tamper, record, resign, seed_of

ORDER = 2**252 + 27742317777372353535851937790883648493
LIE = 5
"""A seed with which seat 1 comes to hold a petrangola, at a table of two as of three."""
SHORT = (("max_rounds", "5"),)

EARLY = {Kind.FLIP_COMMIT, Kind.FLIP_REVEAL, Kind.COMMIT, Kind.KEY, Kind.SHUFFLE, Kind.SHARES}
"""Kinds that come early enough in a match to be tried at a table of three."""


@pytest.fixture
def ring_of(tmp_path: Path) -> Iterator[Callable[..., Ring]]:
    """Make rings in folders of their own, closed after the test."""
    rings: list[Ring] = []

    def make(count: int = 3, **settings: object) -> Ring:
        ring = Ring(tmp_path / str(len(rings)), count, **settings)  # type: ignore[arg-type]
        rings.append(ring)
        return ring

    yield make
    for ring in rings:
        ring.close()


def convicted(ring: Ring, entry: Entry, kind: str) -> bytes:
    """Check that all other tables name author, step and kind, exclude it at once, play on to the
    end with one log, and can prove it.

    Return the evidence, which is the same at all of them.
    """
    seat, step = entry.contribution.seat, entry.place.step
    ring.run(start=False)
    evidence, logs = set(), set()
    for other in others(ring, seat):
        table = ring.tables[other]
        accused = table.accusation
        assert accused is not None
        fault = accused.fault
        assert (fault.seat, fault.step, fault.kind) == (seat, step, kind)
        votes = table.steps[step - 1].entries
        assert {c.kind for c in votes} == {Kind.EXCLUDE}
        assert [c.seat for c in votes] == others(ring, seat)
        assert table.position.closed
        assert table.position.out == {seat}
        logs.add(ring.log(other))
        evidence.add(accused.evidence)
    assert len(logs) == 1
    report = audit_file(logs.pop(), ring.group)
    assert report.status is Status.COMPLETE
    assert len(evidence) == 1
    report = audit_file(evidence.copy().pop(), ring.group)
    assert report.status is Status.DISPUTED
    assert [(f.seat, f.step, f.kind) for f in report.faults] == [(seat, step, kind)]
    return evidence.pop()


def goes_on(ring: Ring, cheat: int) -> None:
    """Let the others compare what they have until the match ends without the cheat: one log."""
    honest = others(ring, cheat)
    for _ in range(20):
        ring.run(start=False)
        if all(ring.tables[seat].position.closed for seat in honest):
            break
        for seat in honest:
            ring.tables[seat].go_on()
        ring.heal()
    assert all(ring.tables[seat].position.closed for seat in honest)
    assert {ring.tables[seat].position.out for seat in honest} == {frozenset({cheat})}
    (log,) = {ring.log(seat) for seat in honest}
    assert audit_file(log, ring.group).status is Status.COMPLETE


@pytest.mark.parametrize(
    ("kind", "change", "fault"), [c[1:] for c in CHEATS], ids=[c[0] for c in CHEATS]
)
def test_a_wrong_contribution_convicts_its_author(
    ring_of: Callable[..., Ring], kind: Kind, change: Change, fault: str
) -> None:
    sent: list[Entry] = []

    def tamper(author: int, entry: Entry) -> Iterable[Entry]:
        c = entry.contribution
        body = change(ring, ring.tables[author].position, entry) if c.kind is kind else None
        if sent or body is None:
            return (entry,)
        sent.append(resign(ring.keys[author], entry.place, c, body=body))
        return (sent[0],)

    ring = ring_of(3 if kind in EARLY else 2, tamper=tamper)
    ring.run(lambda: bool(sent) and not ring.pool)
    convicted(ring, sent[0], fault)


# -- contributions that are not due, or contradict each other ----------------------------


def withheld(ring_of: Callable[..., Ring], kind: Kind, count: int = 3) -> tuple[Ring, Entry]:
    """A ring in which everybody waits for one entry of `kind`, and that entry."""
    held: list[Entry] = []

    def tamper(author: int, entry: Entry) -> Iterable[Entry]:
        if held or entry.contribution.kind is not kind:
            return (entry,)
        held.append(entry)
        return ()

    ring = ring_of(count, tamper=tamper)
    ring.run(lambda: bool(held) and not ring.pool)
    return ring, held[0]


def others(ring: Ring, seat: int) -> list[int]:
    return [s for s in range(len(ring.keys)) if s != seat]


def give(ring: Ring, entry: Entry, to: Iterable[int]) -> set[Verdict]:
    """Deliver an entry at once; what the tables say to it."""
    return {ring.tables[seat].receive(entry) for seat in to}


def finished(ring: Ring) -> None:
    """Let an undisturbed match end: nobody is accused and all logs are equal."""
    ring.run(start=False)
    assert [table.accusation for table in ring.tables] == [None] * len(ring.tables)
    assert all(table.position.closed for table in ring.tables)
    assert len({ring.log(seat) for seat in range(len(ring.keys))}) == 1
    assert audit_file(ring.log(), ring.group).good


@pytest.mark.parametrize("kind", [Kind.FLIP_REVEAL, Kind.MOVE, Kind.SHUFFLE])
def test_a_wrong_digest_convicts(ring_of: Callable[..., Ring], kind: Kind) -> None:
    ring, real = withheld(ring_of, kind)
    seat = real.contribution.seat
    wrong = resign(ring.keys[seat], real.place, real.contribution, digest=bytes(8))
    assert give(ring, wrong, others(ring, seat)) == {Verdict.GUILTY}
    convicted(ring, wrong, "digest")


@pytest.mark.parametrize("kind", [Kind.FLIP_COMMIT, Kind.MOVE, Kind.SHUFFLE])
def test_another_kind_convicts(ring_of: Callable[..., Ring], kind: Kind) -> None:
    ring, real = withheld(ring_of, kind)
    seat = real.contribution.seat
    wrong = resign(ring.keys[seat], real.place, real.contribution, kind=Kind.FOOTER)
    assert give(ring, wrong, others(ring, seat)) == {Verdict.GUILTY}
    convicted(ring, wrong, "not-due")


@pytest.mark.parametrize("kind", [Kind.MOVE, Kind.SHUFFLE])
@pytest.mark.parametrize("late", [False, True])
def test_a_contribution_out_of_turn_convicts(
    ring_of: Callable[..., Ring], kind: Kind, late: bool
) -> None:
    """Before the step is complete as after it."""
    ring, real = withheld(ring_of, kind)
    author = real.contribution.seat
    seat = (author + 1) % 3
    wrong = resign(ring.keys[seat], real.place, real.contribution, seat=seat)
    if late:
        give(ring, real, others(ring, author))
    assert give(ring, wrong, others(ring, seat)) == {Verdict.GUILTY}
    for other in others(ring, seat):
        accused = ring.accused(other)
        assert accused is not None
        assert (accused.fault.seat, accused.fault.step) == (seat, real.place.step)
        found = audit_file(accused.evidence, ring.group).faults
        assert [(f.seat, f.step, f.kind) for f in found] == [(seat, real.place.step, "not-due")]
    if not late:
        goes_on(ring, seat)


def second_move(ring: Ring, real: Entry) -> Entry:
    body = pack((("cut", 7), b""))
    return resign(ring.keys[real.contribution.seat], real.place, real.contribution, body=body)


def second_signature(ring: Ring, real: Entry) -> Entry:
    """The same words under a second valid signature: with it the log would be another one."""
    c = real.contribution
    key = seed_of(ring.keys[c.seat])
    signature = samples.second_signature(key, statement(real.place, c))
    return Entry(real.place, replace(c, signature=signature))


@pytest.mark.parametrize("make", [second_move, second_signature])
@pytest.mark.parametrize("swap", [False, True])
def test_two_contributions_to_one_step_convict(
    ring_of: Callable[..., Ring], make: Callable[[Ring, Entry], Entry], swap: bool
) -> None:
    ring, real = withheld(ring_of, Kind.MOVE)
    seat = real.contribution.seat
    pair = [real, make(ring, real)]
    for entry in reversed(pair) if swap else pair:
        verdicts = give(ring, entry, others(ring, seat))
    assert verdicts == {Verdict.GUILTY}
    for other in others(ring, seat):
        accused = ring.accused(other)
        assert accused is not None
        fault = accused.fault
        assert (fault.seat, fault.step, fault.kind) == (seat, real.place.step, "contradiction")
        assert set(accused.entries) == set(pair)
        report = audit_file(accused.evidence, ring.group)
        assert report.status is Status.DISPUTED
        assert report.faults[-1].seat == seat
    goes_on(ring, seat)


def test_different_contributions_to_different_nodes_meet(ring_of: Callable[..., Ring]) -> None:
    """Both nodes go on in good faith; once they compare steps, both hold the proof."""
    ring, real = withheld(ring_of, Kind.MOVE)
    seat = real.contribution.seat
    first, second = others(ring, seat)
    give(ring, real, [first])
    give(ring, second_move(ring, real), [second])
    assert ring.tables[first].position.step == ring.tables[second].position.step == 4
    mine = next(e for e in ring.sent[first] if e.place.step == 4)
    assert give(ring, mine, [second]) == {Verdict.DIVERGENT}
    assert ring.tables[second].accusation is None
    for a, b in ((first, second), (second, first)):
        for entry in ring.tables[a].entries_from(real.place.step):
            ring.tables[b].receive(entry)
        accused = ring.accused(b)
        assert accused is not None
        assert (accused.fault.seat, accused.fault.step) == (seat, real.place.step)
        assert audit_file(accused.evidence, ring.group).status is Status.DISPUTED
    goes_on(ring, seat)
    for other in (first, second):
        cuts = [e for e in ring.events[other] if isinstance(e, CutBack)]
        assert cuts[0].step == real.place.step


# -- what convicts nobody ----------------------------------------------------------------


def test_a_forged_first_copy_neither_convicts_nor_suppresses(ring_of: Callable[..., Ring]) -> None:
    ring, real = withheld(ring_of, Kind.MOVE)
    c, liar = real.contribution, ring.keys[(real.contribution.seat + 1) % 3]
    s = int.from_bytes(c.signature[32:], "little") + ORDER
    forged = [
        resign(liar, real.place, c, body=pack((("cut", 7), b""))),
        Entry(real.place, replace(c, signature=bytes(64))),
        Entry(real.place, replace(c, signature=c.signature[:32] + s.to_bytes(32, "little"))),
        Entry(real.place, replace(c, seat=(c.seat + 1) % 3)),
    ]
    for entry in forged:
        assert give(ring, entry, others(ring, c.seat)) == {Verdict.FORGED}
    assert give(ring, Entry(real.place, replace(c, seat=3)), range(3)) == {Verdict.FOREIGN}
    ring.send(c.seat, real)
    for entry in forged:  # nor does a forged second copy look like a contradiction
        ring.send(c.seat, entry)
    finished(ring)


def test_replays_from_another_match_convict_nobody(ring_of: Callable[..., Ring]) -> None:
    """As they were, and relabelled: the same players with the same options a minute later."""
    ring, real = withheld(ring_of, Kind.MOVE, 2)
    seat = real.contribution.seat
    foreign = record(2, created=1_700_000_060)
    assert foreign.header.header.keys == ring.header.header.keys
    for moment in foreign.moments:
        theirs = moment.before.place
        for c in moment.step.entries:
            assert give(ring, Entry(theirs, c), (0, 1)) == {Verdict.FOREIGN}
            there = replace(theirs, match=real.place.match)
            assert give(ring, Entry(there, c), (0, 1)) <= {Verdict.DIVERGENT, Verdict.FORGED}
            assert give(ring, Entry(real.place, c), [1 - seat]) == {Verdict.FORGED}
    ring.send(seat, real)
    finished(ring)


def test_old_entries_again_convict_nobody(ring_of: Callable[..., Ring]) -> None:
    ring = ring_of(2)
    ring.run(lambda: ring.reach(12))
    old = [e for sent in ring.sent for e in sent if e.place.step < 12]
    assert give(ring, old[0], [1]) == {Verdict.DUPLICATE}
    ring.pool += [(to, e) for to in (0, 1) for e in old]
    finished(ring)


# -- lies that only the end of a hand shows ----------------------------------------------


@pytest.mark.parametrize("player", [Shuffler, Noncer, Sharer, Committer])
def test_what_the_seed_does_not_derive_convicts_at_the_reveal(
    ring_of: Callable[..., Ring], player: type[Player]
) -> None:
    ring = ring_of(2, players={1: player})
    ring.run()
    sent = ring.sent[1][-1]
    assert sent.contribution.kind is Kind.REVEAL
    convicted(ring, sent, "proof")


def test_a_broken_promise_is_named_with_the_step_of_the_knock(ring_of: Callable[..., Ring]) -> None:
    """Three play: the deal is void, the liar is out, and the others go on without it."""
    ring = ring_of(3, hands=2, seed=LIE, players={1: Liar}, chooser=one_hunts, given=SHORT)
    ring.run()
    report = audit_file(ring.log(), ring.group)
    assert report.status is Status.COMPLETE
    assert not report.good
    (found,) = report.faults
    assert (found.seat, found.kind) == (1, "broken-promise")
    knock = ring.tables[0].steps[found.step - 1].entries[0]
    assert (knock.seat, knock.body) == (1, pack((("knock",), b"")))
    assert "seat" not in found.text  # whose it is stands in `seat`, in the log's own numbers
    after = report.last
    assert after is not None
    assert 1 not in after.hand_seats
    assert after.state.scores()[after.chair(1)] == 0
    assert [after.state.scores()[after.chair(s)] > 0 for s in (0, 2)] == [True, True]
    assert len({ring.log(seat) for seat in range(3)}) == 1


def test_of_two_players_the_other_wins(ring_of: Callable[..., Ring]) -> None:
    ring = ring_of(2, hands=2, seed=LIE, players={1: Liar}, chooser=one_hunts, given=SHORT)
    ring.run()
    report = audit_file(ring.log(), ring.group)
    assert report.status is Status.COMPLETE
    assert [(f.seat, f.kind) for f in report.faults] == [(1, "broken-promise")]
    assert report.last is not None
    assert report.result is not None
    assert report.result.winners == (report.last.chair(0),)
    assert [c.seat for c in ring.tables[0].steps[-1].entries] == [0]  # the liar isn't waited for


# -- answers -----------------------------------------------------------------------------


def dying(ring_of: Callable[..., Ring], tamper: Tamper | None = None) -> Ring:
    """Three seats with one token each: who falls in the first hand is asked to come back."""
    return ring_of(3, hands=2, given=(("tokens", "1"),), tamper=tamper)


def test_the_dead_answer_and_the_others_go_on(ring_of: Callable[..., Ring]) -> None:
    ring = dying(ring_of)
    ring.run()
    finished(ring)
    steps = ring.tables[0].steps
    (asked,) = [step for step in steps if step.entries[0].kind is Kind.ANSWER]
    commits = [step for step in steps if step.entries[0].kind is Kind.COMMIT]
    assert len(asked.entries) < 3
    assert len(commits) == 2
    assert steps[asked.number - 2].entries[0].kind is Kind.CHECKPOINT


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (pack((("knock",),)), "illegal-move"),
        (pack((("stay",), b"")), "malformed"),
    ],
)
def test_no_answer_to_the_question_convicts(
    ring_of: Callable[..., Ring], body: bytes, kind: str
) -> None:
    sent: list[Entry] = []

    def tamper(author: int, entry: Entry) -> Iterable[Entry]:
        if sent or entry.contribution.kind is not Kind.ANSWER:
            return (entry,)
        sent.append(resign(ring.keys[author], entry.place, entry.contribution, body=body))
        return (sent[0],)

    ring = dying(ring_of, tamper)
    ring.run(lambda: bool(sent) and not ring.pool)
    convicted(ring, sent[0], kind)


def test_a_choice_waits_while_its_seat_has_voted_to_exclude(ring_of: Callable[..., Ring]) -> None:
    """A proof arrives while somebody thinks: the choice that follows is no longer to be made."""
    ring = ring_of(3)
    ring.run(lambda: bool(ring._turns) and not ring.pool)
    ((seat, turn),) = ring._turns.items()
    table, cheat = ring.tables[seat], (seat + 1) % 3
    assert [t.deciding for t in ring.tables].count(True) == 1
    step = table.steps[0]
    lie = next(c for c in step.entries if c.seat == cheat)
    place = replace(table.position.place, head=table.heads[0], step=1)
    assert table.receive(resign(ring.keys[cheat], place, lie, body=bytes(32))) is Verdict.GUILTY
    assert table.bound
    assert [t.deciding for t in ring.tables].count(True) == 0
    with pytest.raises(LocalProtocolError, match="vote"):
        table.play(ring.choose(seat, turn))
