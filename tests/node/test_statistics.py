"""Verdicts on logs agree with the audit; kept ones are read strictly; sums are what they say."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.contract import Result
from node.narrate import narrate_step
from node.statistics import (
    MARKS,
    Mark,
    Refusal,
    Seated,
    Verdict,
    is_log,
    judged,
    packed,
    parsed,
    players,
)
from node.statistics_sum import Streak, summary
from protocol.audit import Status, audit_file, moments
from protocol.encoding import pack
from protocol.errors import EncodingError
from protocol.evidence_file import Charge
from protocol.header import parse_header
from protocol.log import read_log
from tests.protocol.groups import FAST
from tests.protocol.ring import identities
from tests.tools import running
from tools.matches import by_seat

LOGS = [running.small, running.whole, running.tricks, running.lied]
VERSION = "1.2.3"


@functools.cache
def good(log: Callable[[], bytes]) -> Verdict:
    verdict = judged(log(), FAST)
    assert isinstance(verdict, Verdict)
    return verdict


# -- judging --------------------------------------------------------------------------------------


@pytest.mark.parametrize("log", LOGS)
def test_a_verdict_agrees_with_the_audit(log: Callable[[], bytes]) -> None:
    verdict, report = good(log), audit_file(log(), FAST)
    assert report.header is not None
    assert report.last is not None
    assert report.result is not None
    assert verdict.result is not None
    order = report.last.order
    assert verdict.status is report.status
    assert (verdict.match, verdict.game) == (report.header.match, report.header.game)
    assert [seat.key for seat in verdict.seats] == list(report.header.keys)
    assert verdict.hands == report.hands
    assert verdict.result.scores == by_seat(report.result.scores, order)
    assert verdict.result.paid == by_seat(report.result.paid, order)
    assert verdict.result.won == by_seat(report.result.won, order)
    assert verdict.result.winners == tuple(sorted(order[n] for n in report.result.winners))
    assert set(verdict.excluded) == {found.seat for found in report.faults}


@pytest.mark.parametrize("log", [running.small, running.whole])
def test_marks_are_what_the_game_said(log: Callable[[], bytes]) -> None:
    held = read_log(log())
    signed = parse_header(held.header)
    lines = [
        line
        for moment in moments(signed, held, FAST)
        for line in narrate_step(moment.step, moment.before, moment.after)
    ]
    told = {
        seat: sum(line.startswith(f"{name} falls (casca)") for line in lines)
        for seat, name in enumerate(signed.header.labels)
    }
    counted = {mark.seat: mark.count for mark in good(log).marks if mark.kind == "falls"}
    assert sum(told.values()) > 0
    assert {seat: count for seat, count in told.items() if count} == counted


def test_a_broken_promise_is_a_void_hand_and_an_exclusion() -> None:
    verdict = good(running.lied)
    assert (verdict.void, verdict.excluded, verdict.absent) == (1, (1,), ())
    assert good(running.small).void == 0


def test_steps_are_told_as_they_are_verified() -> None:
    steps: list[int] = []
    judged(running.small(), FAST, steps.append)
    assert steps == list(range(1, len(read_log(running.small()).steps) + 1))


@pytest.mark.parametrize(
    ("damaged", "text"),
    [
        (lambda log: running.flipped(log, 400), "corrupt"),
        (lambda log: running.with_entry(log, 5, signature=bytes(64)), "corrupt"),
        (lambda log: log[:-5], "torn"),
        (lambda log: log + b"x", "torn"),
        (lambda log: log[:8], ""),
        (lambda log: b"", ""),
        (lambda log: b"\xff" * 100, ""),
    ],
)
def test_what_does_not_verify_is_refused(damaged: Callable[[bytes], bytes], text: str) -> None:
    verdict = judged(damaged(running.small()), FAST)
    assert isinstance(verdict, Refusal)
    assert verdict.text.startswith(text)
    assert verdict.text
    assert "Traceback" not in verdict.text


def test_a_log_without_an_end_is_open() -> None:
    held = read_log(running.small())
    verdict = judged(running.file_of(held.header, held.payloads[:6]), FAST)
    assert isinstance(verdict, Verdict)
    assert (verdict.status, verdict.result, verdict.hands) == (Status.OPEN, None, 0)


def test_whose_log_it_is() -> None:
    assert players(running.small()) == tuple(key.public for key in identities(2))
    assert players(b"") is None
    assert players(running.flipped(running.small(), 60)) is None
    assert is_log(running.small())
    assert not is_log(running.evidence(Charge.INVALID, 3))


# -- keeping --------------------------------------------------------------------------------------


@pytest.mark.parametrize("log", LOGS)
def test_a_kept_verdict_is_the_same(log: Callable[[], bytes]) -> None:
    assert parsed(packed(good(log), VERSION), VERSION) == good(log)


def test_a_kept_refusal_is_the_same() -> None:
    assert parsed(packed(Refusal("corrupt: so"), VERSION), VERSION) == Refusal("corrupt: so")


VERDICT = Verdict(
    match=bytes(range(32)),
    game="petrangola",
    created=1_700_000_000,
    status=Status.COMPLETE,
    seats=(Seated(bytes([1]) * 32, "Ada"), Seated(bytes([2]) * 32, "Bruno")),
    hands=3,
    void=1,
    absent=(),
    excluded=(1,),
    result=(RESULT := Result((0,), (2, 0), (3, 3), (6, 0), "last-alive")),
    marks=(Mark(0, "falls", 1, 0), Mark(1, "bisciola", 1, 3)),
)
KEPT = packed(VERDICT, VERSION)


@given(at=st.integers(0, len(KEPT) - 1), bit=st.integers(0, 7))
def test_other_octets_are_another_verdict_or_none(at: int, bit: int) -> None:
    changed = KEPT[:at] + bytes([KEPT[at] ^ 1 << bit]) + KEPT[at + 1 :]
    try:
        verdict = parsed(changed, VERSION)
    except EncodingError:
        return
    assert packed(verdict, VERSION) == changed


@given(size=st.integers(0, len(KEPT) - 1))
def test_a_part_of_a_verdict_is_none(size: int) -> None:
    with pytest.raises(EncodingError):
        parsed(KEPT[:size], VERSION)


@pytest.mark.parametrize(
    "data",
    [
        KEPT + b"\x00",
        packed(VERDICT, "1.2.4"),
        pack((2, VERSION, "so")),
        pack((1, VERSION, "")),
        pack((1, VERSION, "x" * 401)),
        pack((1, VERSION, 7)),
        packed(dataclasses.replace(VERDICT, match=b"short"), VERSION),
        packed(dataclasses.replace(VERDICT, game="chess"), VERSION),
        packed(dataclasses.replace(VERDICT, status=Status.CORRUPT), VERSION),
        packed(dataclasses.replace(VERDICT, seats=()), VERSION),
        packed(dataclasses.replace(VERDICT, hands=-1), VERSION),
        packed(dataclasses.replace(VERDICT, absent=(2,)), VERSION),
        packed(dataclasses.replace(VERDICT, excluded=(1, 0)), VERSION),
        packed(dataclasses.replace(VERDICT, marks=(Mark(0, "novanta", 1, 0),)), VERSION),
        packed(dataclasses.replace(VERDICT, marks=(Mark(0, "falls", 0, 0),)), VERSION),
        packed(dataclasses.replace(VERDICT, marks=(Mark(9, "falls", 1, 0),)), VERSION),
        packed(dataclasses.replace(VERDICT, result=dataclasses.replace(RESULT, paid=())), VERSION),
        packed(
            dataclasses.replace(VERDICT, result=dataclasses.replace(RESULT, winners=(1, 1))),
            VERSION,
        ),
    ],
)
def test_what_we_would_not_have_written_is_refused(data: bytes) -> None:
    with pytest.raises(EncodingError):
        parsed(data, VERSION)


# -- sums -----------------------------------------------------------------------------------------

ME, ADA, BRUNO = bytes(31) + b"\1", bytes(31) + b"\2", bytes(31) + b"\3"


def match(number: int, *winners: int, **changes: object) -> Verdict:
    """A match of ME (0), ADA (1) and BRUNO (2), who pay 3 each; the winners share 9."""
    won = tuple(9 // len(winners) if n in winners else 0 for n in range(3))
    base = Verdict(
        match=bytes([number]) * 32,
        game="petrangola",
        created=number,
        status=Status.COMPLETE,
        seats=(Seated(ME, "I"), Seated(ADA, f"Ada {number}"), Seated(BRUNO, "Bruno")),
        hands=number,
        void=0,
        absent=(),
        excluded=(),
        result=Result(winners, (number, 0, 0), (3, 3, 3), won, "last-alive"),
        marks=(Mark(0, "bisciola", 1, number), Mark(1, "falls", 5, 0)),
    )
    return dataclasses.replace(base, **changes)  # type: ignore[arg-type] # fields by name


def test_results_units_marks_and_streaks() -> None:
    total = summary([match(3, 1), match(1, 0), match(2, 0), match(5, 2), match(4, 1)], ME)
    tally = total.games["petrangola"]
    assert (tally.matches, tally.won, tally.lost, tally.undecided) == (5, 2, 3, 0)
    assert (tally.paid, tally.won_units, tally.balance) == (15, 18, 3)
    assert (tally.hands, tally.best) == (15, 5)
    assert tally.marks == {"bisciola": (5, 5)}
    assert tally.streak == Streak(now=-3, best=2, worst=-3)  # in the order in which they began


def test_head_to_head_is_by_key_and_by_the_last_name() -> None:
    total = summary([match(1, 0), match(2, 1), match(3, 1, excluded=(2,)), match(4, 0, 1)], ME)
    ada, bruno = total.opponents
    assert (ada.key, ada.name, ada.matches, ada.mine, ada.theirs) == (ADA, "Ada 4", 4, 1, 2)
    assert (bruno.matches, bruno.mine, bruno.theirs, bruno.excluded) == (4, 2, 0, 1)


def test_what_has_no_winner_is_neither_won_nor_lost() -> None:
    open_ = match(2, status=Status.OPEN, result=None)
    abandoned = match(3, 0, status=Status.ABANDONED)
    undecided = match(4, result=Result((), (1, 2, 3), (3, 3, 3), (0, 0, 0), "unfinished"))
    tally = summary([match(1, 0), open_, abandoned, undecided], ME).games["petrangola"]
    assert (tally.won, tally.lost, tally.open, tally.abandoned, tally.undecided) == (1, 0, 1, 1, 1)
    assert tally.streak == Streak(1, 1, 0)
    assert tally.paid == 6  # an abandoned match costs nothing


def test_a_match_in_two_files_counts_once_by_the_fuller_one() -> None:
    early = match(1, status=Status.OPEN, result=None, hands=0)
    for order in ([early, match(1, 0)], [match(1, 0), early]):
        tally = summary(order, ME).games["petrangola"]
        assert (tally.matches, tally.won, tally.open) == (1, 1, 0)


def test_absences_exclusions_and_void_hands_are_told() -> None:
    tally = summary([match(1, 1, absent=(0,), void=2), match(2, 1, excluded=(0,))], ME).games[
        "petrangola"
    ]
    assert (tally.left, tally.excluded, tally.void) == (1, 1, 2)


def test_low_scores_are_best_where_points_are_penalties() -> None:
    low = [match(n, 0, game="traversone", marks=()) for n in (7, 4, 9)]
    assert summary(low, ME).games["traversone"].best == 4


def test_only_one_game_and_only_own_matches() -> None:
    some = [match(1, 0), match(2, 0, game="briscola", marks=())]
    assert list(summary(some, ME).games) == ["petrangola", "briscola"]
    assert list(summary(some, ME, "briscola").games) == ["briscola"]
    assert summary(some, bytes(32)).games == {}


def test_every_mark_is_a_note_of_its_game() -> None:
    from engine import registry  # noqa: PLC0415  # for this alone

    assert set(MARKS) == set(registry.GAMES)
    for name, kinds in MARKS.items():
        phrases = {key.partition(".")[0] for key in registry.get(name).phrases}
        assert set(kinds) <= phrases
