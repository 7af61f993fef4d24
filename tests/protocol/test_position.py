"""A Position: what is due, what is refused, and that nothing but a Fault comes of bad input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.contract import Decide, Move
from engine.games.petrangola_moves import (
    CAMICIA,
    DECLINE,
    EXCHANGES,
    KNOCK,
    KNOCK_SHOW,
    REENTER,
    STAY,
    Cut,
)
from protocol.audit import Moment
from protocol.contribution import Contribution, Kind
from protocol.encoding import pack
from protocol.errors import Fault, InvalidHeader, LocalProtocolError, UnsupportedFormat
from protocol.position import Position, checked_step, first_position
from protocol.stages import Broken, Stage, hands_limit
from tests.protocol.groups import FAST
from tests.protocol.ring import identities, record, resign, signed_header

MATCH = record(2)
LONG = record(3, hands=2, seed=4, preset="pagat")
KEYS = identities(2)
MOVES: tuple[Move, ...] = (
    *(Cut(at) for at in (1, 20, 39, 40, 159)),
    *EXCHANGES,
    CAMICIA,
    DECLINE,
    KNOCK,
    KNOCK_SHOW,
    REENTER,
    STAY,
)


def test_what_is_due_names_kind_and_seats_ascending() -> None:
    for moment in (*MATCH.moments, *LONG.moments):
        due = moment.before.due
        assert due is not None
        assert {c.kind for c in moment.step.entries} == {due.kind}
        assert tuple(c.seat for c in moment.step.entries) == due.seats
        assert list(due.seats) == sorted(set(due.seats))
    last = MATCH.moments[-1].after
    assert (last.due, last.closed, last.stage) == (None, True, Stage.CLOSED)


def test_stages_follow_the_table() -> None:
    stages = [m.before.stage.name for m in LONG.moments]
    runs = [stage for i, stage in enumerate(stages) if i == 0 or stages[i - 1] != stage]
    flips = ["FLIP_COMMIT", "FLIP_REVEAL"]
    assert runs == [*flips, "PLAY", "CHECKPOINT", "PLAY", "CHECKPOINT", "FOOTER"]
    checkpoints = [m.before for m in LONG.moments if m.before.stage is Stage.CHECKPOINT]
    assert [at.dealt().terms.hand for at in checkpoints] == [1, 2]


def test_a_position_is_a_value() -> None:
    """Checking and completing leave it as it was, so both can be done again: rollback is free."""
    for moment in MATCH.moments:
        at = moment.before
        before = (at.step, at.head, at.stage, at.full_digest, at.deal, at.signed)
        for _ in range(2):
            step, after = checked_step(at, moment.step.entries)
            assert step.pack() == moment.step.pack()
            assert (after.head, after.full_digest) == (
                moment.after.head,
                moment.after.full_digest,
            )
        assert before == (at.step, at.head, at.stage, at.full_digest, at.deal, at.signed)


def test_chairs_and_seats_are_told_apart() -> None:
    for moment in LONG.moments[2:]:
        at = moment.before
        assert sorted(at.order) == [0, 1, 2]
        assert [at.chair(seat) for seat in at.order] == [0, 1, 2]
        turn = at.state.turn()
        if isinstance(turn, Decide) and at.due and at.due.kind is Kind.MOVE:
            assert at.due.seats == (at.order[turn.seat],)
    assert any(m.before.order not in ((), (0, 1, 2)) for m in LONG.moments)


def settled_by_hand(moments: Sequence[Moment], seats: tuple[int, ...]) -> int:
    """The last step on whose head every one of `seats` has signed, counted from the steps."""
    signed = dict.fromkeys(seats, 0)
    for moment in moments:
        for c in moment.step.entries:
            if c.seat in signed:
                signed[c.seat] = moment.step.number - 1  # it signed H_{i-1}
    return max(0, min(signed.values()))


@pytest.mark.parametrize("match", [MATCH, LONG], ids=["two", "three"])
def test_settled_is_what_all_in_play_have_signed(match: object) -> None:
    moments = (MATCH if match is MATCH else LONG).moments
    previous = 0
    for i, moment in enumerate(moments, 1):
        after = moment.after
        seats = after.hand_seats or tuple(range(len(after.header.seats)))
        assert after.settled == settled_by_hand(moments[:i], seats)
        assert previous <= after.settled < after.step
        previous = after.settled


# -- what is refused ---------------------------------------------------------------------


def test_a_round_lacks_nobody_and_has_no_strangers() -> None:
    moment = MATCH.first(Kind.COMMIT)
    at, (a, b) = moment.before, moment.step.entries
    for left, missing in ((a, 1), (b, 0)):
        with pytest.raises(Fault) as caught:
            checked_step(at, [left])
        assert (caught.value.seat, caught.value.kind) == (missing, "missing")
    checked = [at.check(a), at.check(b)]
    assert at.advance(reversed(checked))[1].head == moment.after.head
    for parts in ([checked[0]], [checked[0], checked[0]], [*checked, checked[0]], []):
        with pytest.raises(LocalProtocolError):
            at.advance(parts)
    with pytest.raises(LocalProtocolError):
        MATCH.moments[-1].after.advance(checked)
    with pytest.raises(Fault, match="follows the end"):
        MATCH.moments[-1].after.check(
            resign(KEYS[0], MATCH.moments[-1].after.place, a).contribution
        )
    with pytest.raises(Fault, match="follows the end"):
        checked_step(MATCH.moments[-1].after, [a])


def verdict(at: Position, c: Contribution) -> str:
    """ "taken", or the kind of the Fault, which must name the author and this step."""
    try:
        at.check(c)
    except Fault as caught:
        fault = caught
    else:
        return "taken"
    assert (fault.seat, fault.step) == (c.seat, at.step)
    return fault.kind


def test_any_move_at_any_moment_is_taken_or_its_authors_fault() -> None:
    """Moves of other phases, of other players, with and without shares: nothing else is raised."""
    verdicts = set()
    for moment in (*MATCH.moments, *LONG.moments[:20]):
        at = moment.before
        if at.due is None or at.due.kind is not Kind.MOVE:
            continue
        keys = identities(len(at.header.seats))
        c = moment.step.entries[0]
        for move in MOVES:
            for shares in (b"", bytes(192)):
                body = pack((at.game.encode(move), shares))
                entry = resign(keys[c.seat], at.place, c, body=body)
                verdicts.add(verdict(at, entry.contribution))
    assert verdicts == {"taken", "illegal-move", "proof"}


@given(
    moment=st.sampled_from(MATCH.moments),
    body=st.binary(max_size=300)
    | st.recursive(
        st.integers(-(2**31), 2**31) | st.binary(max_size=40) | st.text("abcknoutsy-", max_size=8),
        lambda inner: st.lists(inner, max_size=3).map(tuple),
        max_leaves=6,
    ).map(pack),
)
@settings(max_examples=200)
def test_any_body_is_taken_or_its_authors_fault(moment: Moment, body: bytes) -> None:
    c = moment.step.entries[0]
    entry = resign(KEYS[c.seat], moment.before.place, c, body=body)
    assert verdict(moment.before, entry.contribution) not in {"signature", "not-due", "digest"}


def test_a_body_longer_or_shorter_by_an_octet_is_never_taken() -> None:
    for moment in MATCH.moments:
        c = moment.step.entries[-1]
        for body in (c.body[:-1], c.body + b"\x00"):
            entry = resign(KEYS[c.seat], moment.before.place, c, body=body)
            with pytest.raises(Fault) as caught:
                moment.before.check(entry.contribution)
            assert caught.value.seat == c.seat


def test_faults_are_found_in_the_order_of_the_specification() -> None:
    """Signature, then whether it is due, then digest, then body."""
    moment = MATCH.first(Kind.SHUFFLE)
    at, c = moment.before, moment.step.entries[0]

    def kind(**change: object) -> str:
        signed: Contribution = resign(KEYS[c.seat], at.place, c, **change).contribution
        with pytest.raises(Fault) as caught:
            at.check(signed)
        return caught.value.kind

    assert kind(digest=bytes(8), body=b"", kind=Kind.MOVE) == "not-due"
    assert kind(digest=bytes(8), body=b"") == "digest"
    assert kind(body=b"") == "proof"
    with pytest.raises(Fault) as caught:
        at.check(replace(c, body=b"", digest=bytes(8), kind=Kind.MOVE))
    assert caught.value.kind == "signature"
    with pytest.raises(Fault) as caught:
        at.check(replace(c, seat=7))
    assert (caught.value.seat, caught.value.kind) == (None, "seat")


# -- the end of a hand and of a match ----------------------------------------------------


def broken(*seats: int) -> tuple[Broken, ...]:
    return tuple(Broken(seat, 13, "PET-24", "knocked without showing") for seat in seats)


@pytest.mark.parametrize("kind", [Kind.CHECKPOINT, Kind.FOOTER])
@pytest.mark.parametrize(
    ("guilty", "due"), [((), (0, 1)), ((0,), (1,)), ((1, 1), (0,)), ((0, 1), (0, 1))]
)
def test_nobody_waits_for_a_cheat_and_somebody_always_signs(
    kind: Kind, guilty: tuple[int, ...], due: tuple[int, ...]
) -> None:
    at: Position = replace(MATCH.first(kind).before, broken=broken(*guilty))
    assert at.due is not None
    assert at.due.seats == due


def test_terms_that_this_program_can_not_play() -> None:
    header = MATCH.header.header
    for change, error in (
        ({"game": "scopa"}, UnsupportedFormat),
        ({"rules": 2}, UnsupportedFormat),
        ({"options": (("nonsense", 1),)}, InvalidHeader),
        ({"extensions": (("nonsense", 1),)}, InvalidHeader),
        ({"extensions": (("hands", 1), ("nonsense", 1))}, InvalidHeader),
        ({"extensions": (("hands", 10_001),)}, InvalidHeader),
    ):
        with pytest.raises(error):
            first_position(replace(header, **change), MATCH.header.payload, FAST)
    assert hands_limit(header) == 1
    assert hands_limit(signed_header(KEYS).header) == 0
    first = first_position(header, MATCH.header.payload, FAST)
    assert (first.step, first.settled, first.stage) == (1, 0, Stage.FLIP_COMMIT)
