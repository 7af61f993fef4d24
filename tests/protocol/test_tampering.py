"""A real log, tampered with in every way that LOG.md lists: the audit never says "good".

Raw damage breaks frames; whoever makes the frames right again breaks the chain of signatures; who
holds the keys too is stopped by the replay. One match of two seats and one hand serves all tests.
The whole sweep of octets is marked `long`; the others take a systematic sample of it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

import pytest

from protocol.audit import Report, Status, audit_file
from protocol.contribution import Contribution, Kind, statement
from protocol.encoding import Value, array, octets, pack, unpack
from protocol.errors import CorruptLog, EncodingError, NotALog
from protocol.frames import MAX_PAYLOAD
from protocol.header import Header, Seat, match_id, signed_octets
from protocol.identity import Identity
from protocol.log import Step, chain, read_log
from protocol.position import Position
from tests.protocol import samples
from tests.protocol.groups import vectors
from tests.protocol.ring import file_of, identities, record, resign, seed_of

MATCH = record(2)
KEYS = identities(2)
HEADER = MATCH.header.payload
PAYLOADS = MATCH.payloads
LOG = MATCH.log
STEPS = [moment.step for moment in MATCH.moments]
LAST = len(STEPS)


def audit(data: bytes) -> Report:
    return audit_file(data, MATCH.group)


def refused(data: bytes) -> Report | None:
    """Check that a file isn't taken for a good one, whole or not; None if it isn't even ours."""
    try:
        report = audit(data)
    except NotALog:
        return None
    assert not report.good
    assert report.faults
    assert all(fault.text for fault in report.faults)
    return report


def refused_at(data: bytes, step: int) -> Report:
    """Check that the first thing wrong is found at `step`, and everything before it is right."""
    report = refused(data)
    assert report is not None
    assert report.status is Status.CORRUPT
    assert report.faults[0].step == step
    return report


def relog(steps: Iterable[Step | bytes]) -> bytes:
    return file_of(HEADER, [s if isinstance(s, bytes) else pack_step(s) for s in steps])


def pack_step(step: Step) -> bytes:
    """A payload without the writer's own checks."""
    entries = tuple((c.seat, str(c.kind), c.body, c.digest, c.signature) for c in step.entries)
    return pack((step.number, entries))


def with_step(number: int, step: Step | bytes) -> bytes:
    """The log with another step in the place of step `number`."""
    return relog([*STEPS[: number - 1], step, *STEPS[number:]])


def signed_again(
    number: int, index: int = 0, key: Identity | None = None, **change: object
) -> Step:
    """Step `number` with one contribution changed and signed again, by its author or by `key`."""
    moment = MATCH.moments[number - 1]
    c = moment.step.entries[index]
    place = moment.before.place
    entry = resign(key or KEYS[c.seat], place, c, **change).contribution
    entries = [*moment.step.entries]
    entries[index] = entry
    return Step(number, tuple(entries))


def first(kind: Kind) -> int:
    return MATCH.first(kind).step.number


# -- octets ------------------------------------------------------------------------------


def flip(data: bytes, position: int, bit: int = 1) -> bytes:
    changed = bytearray(data)
    changed[position] ^= bit
    return bytes(changed)


def sweep_raw(positions: Iterable[int]) -> None:
    for position in positions:
        report = refused(flip(LOG, position))
        if report is None:
            assert position < 8
        elif report.status is Status.TORN:  # the last frame looks as if it was never finished
            assert report.steps == LAST - 1
        else:
            assert report.status is Status.CORRUPT


def test_every_raw_flip_is_refused_by_the_reader() -> None:
    """For all octets without the replay: the log can't be read, or its last frame is torn."""
    for position in range(len(LOG)):
        try:
            log = read_log(flip(LOG, position))
        except (NotALog, CorruptLog):
            continue
        assert log.torn
        assert len(log.steps) == LAST - 1


def test_a_sample_of_raw_flips_is_refused() -> None:
    sweep_raw([*range(9), *range(9, len(LOG), 1009), len(LOG) - 1])


@pytest.mark.long
def test_every_raw_flip_is_refused() -> None:
    sweep_raw(range(len(LOG)))


def fields(step: Step) -> list[tuple[int, str, int]]:
    """(contribution, field, length) of every field of a step."""
    return [
        (index, name, len(getattr(c, name)))
        for index, c in enumerate(step.entries)
        for name in ("body", "digest", "signature")
    ]


def test_a_flip_in_every_field_of_every_contribution_is_refused() -> None:
    """With frames and chain made right again: the step and, but for its signature, no seat."""
    for step in STEPS:
        for index, name, size in fields(step):
            for position in {0, size // 2, size - 1}:
                c = step.entries[index]
                value = flip(getattr(c, name), position, 0x10)
                changed = replace(c, **{name: value})  # type: ignore[arg-type]
                entries = [*step.entries]
                entries[index] = changed
                assert_unsigned(step.number, Step(step.number, tuple(entries)))


def assert_unsigned(number: int, step: Step) -> None:
    """The step isn't accepted at its Position, and the audit stops there."""
    with pytest.raises(Exception, match="signature is not this seat's"):
        check_all(MATCH.moments[number - 1].before, step)


def check_all(position: Position, step: Step) -> None:
    for c in step.entries:
        position.check(c)


@pytest.mark.parametrize("number", range(1, LAST + 1))
def test_a_flip_in_a_signature_or_body_stops_the_audit_at_its_step(number: int) -> None:
    name = ("body", "digest", "signature")[number % 3]
    c = STEPS[number - 1].entries[-1]
    value = flip(getattr(c, name), number % 8)
    changed = replace(c, **{name: value})  # type: ignore[arg-type]
    step = Step(number, (*STEPS[number - 1].entries[:-1], changed))
    report = refused_at(with_step(number, step), number)
    assert report.faults[0].kind == "signature"
    assert report.steps == number - 1


def sweep_payloads(positions: Callable[[bytes], Iterable[int]]) -> None:
    """Flips inside payloads whose frames are right: refused, and the first fault is there."""
    everything = [HEADER, *PAYLOADS]
    for number, payload in enumerate(everything):
        for position in positions(payload):
            changed = [*everything]
            changed[number] = flip(payload, position, 1 << position % 8)
            refused_at(file_of(changed[0], changed[1:]), number)


def test_a_sample_of_flips_with_frames_rebuilt_is_refused() -> None:
    rng = random.Random(5)
    sweep_payloads(lambda payload: [rng.randrange(len(payload))])


@pytest.mark.long
@pytest.mark.timeout(0)
def test_every_flip_with_frames_rebuilt_is_refused() -> None:
    sweep_payloads(lambda payload: range(len(payload)))


def test_every_flip_in_the_header_is_refused() -> None:
    """All octets, with the frame rebuilt: nobody signed these terms."""
    for position in range(len(HEADER)):
        refused_at(file_of(flip(HEADER, position), []), 0)


# -- steps -------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(1, LAST))
def test_a_dropped_step(number: int) -> None:
    """As it is, and renumbered: the signatures name step and chain."""
    rest = STEPS[number:]
    refused_at(relog([*STEPS[: number - 1], *rest]), number)
    renumbered = [replace(s, number=s.number - 1) for s in rest]
    refused_at(relog([*STEPS[: number - 1], *renumbered]), number)


@pytest.mark.parametrize("number", [1, 3, 6, 8, LAST - 1, LAST])
def test_a_doubled_step(number: int) -> None:
    refused_at(relog([*STEPS[:number], *STEPS[number - 1 :]]), number + 1)
    renumbered = [replace(s, number=s.number + 1) for s in STEPS[number - 1 :]]
    report = refused_at(relog([*STEPS[:number], *renumbered]), number + 1)
    if number == LAST:
        assert report.faults[0].kind == "not-due"  # nothing may follow the footer


@pytest.mark.parametrize("number", [1, 3, 6, 9, LAST - 1])
def test_swapped_steps(number: int) -> None:
    a, b = STEPS[number - 1], STEPS[number]
    refused_at(relog([*STEPS[: number - 1], b, a, *STEPS[number + 1 :]]), number)
    swapped = [replace(b, number=number), replace(a, number=number + 1)]
    refused_at(relog([*STEPS[: number - 1], *swapped, *STEPS[number + 1 :]]), number)


ROUNDS = [step.number for step in STEPS if len(step.entries) == 2]


@pytest.mark.parametrize("number", ROUNDS)
def test_a_round_with_a_seat_swapped_doubled_or_missing(number: int) -> None:
    a, b = STEPS[number - 1].entries
    for entries in ((b, a), (a, a), (a, b, b)):
        refused_at(with_step(number, Step(number, entries)), number)
    renamed = (replace(b, seat=0), replace(a, seat=1))
    assert (
        refused_at(with_step(number, Step(number, renamed)), number).faults[0].kind == "signature"
    )
    for left in (a, b):
        fault = refused_at(with_step(number, Step(number, (left,))), number).faults[0]
        assert (fault.kind, fault.seat) == ("missing", 1 - left.seat)
    third = replace(b, seat=2)
    fault = refused_at(with_step(number, Step(number, (a, b, third))), number).faults[0]
    assert fault.seat is None


def test_steps_under_the_header_of_another_match_of_the_same_players() -> None:
    other = replace(MATCH.header.header, created=1_700_000_001)
    header = other.seal([other.sign(k) for k in KEYS])
    refused_at(file_of(header.payload, PAYLOADS), 1)


def test_a_reversed_or_empty_round() -> None:
    refused_at(with_step(1, pack((1, ()))), 1)
    refused_at(with_step(1, Step(1, STEPS[0].entries[::-1])), 1)


# -- whoever holds other keys ------------------------------------------------------------


@pytest.mark.parametrize("number", [1, 3, 7, LAST])
def test_a_step_signed_by_an_outsider(number: int) -> None:
    step = signed_again(number, key=Identity(bytes(32)))
    assert refused_at(with_step(number, step), number).faults[0].kind == "signature"


def test_a_whole_log_signed_again_by_outsiders() -> None:
    """Bodies are bound to the match, and so to its keys: it stops where the first flip opens."""
    outsiders = identities(2, 90)
    seats = tuple(
        Seat(seat.name, key.public, seat.nonce)
        for seat, key in zip(MATCH.header.header.seats, outsiders, strict=True)
    )
    header = replace(MATCH.header.header, seats=seats)
    sealed = header.seal([header.sign(k) for k in outsiders])
    payloads = signed_by(outsiders, sealed.match, sealed.payload)
    report = refused_at(file_of(sealed.payload, payloads), 2)
    assert report.faults[0].kind == "proof"


def test_a_whole_match_of_outsiders_verifies_under_other_fingerprints() -> None:
    """Nothing in a file tells who holds a key: that is why a report shows the fingerprints."""
    ours, theirs = audit(LOG), audit(record(2, first_key=90).log)
    assert theirs.good
    assert theirs.header is not None
    assert ours.header is not None
    names = [[seat.name for seat in header.seats] for header in (ours.header, theirs.header)]
    assert names[0] == names[1]
    assert not set(ours.fingerprints) & set(theirs.fingerprints)


def signed_by(keys: Sequence[Identity], match: bytes, header: bytes) -> list[bytes]:
    """All steps with the bodies that they have, signed again for another match."""
    payloads: list[bytes] = []
    for moment in MATCH.moments:
        head = chain(header, payloads)[-1]
        place = replace(moment.before.place, match=match, head=head)
        entries = [resign(keys[c.seat], place, c).contribution for c in moment.step.entries]
        payloads.append(Step(moment.step.number, tuple(entries)).pack())
    return payloads


# -- cuts and tails ----------------------------------------------------------------------


def test_a_cut_at_every_octet_is_open_or_torn() -> None:
    log = read_log(LOG)
    ends = [*log.offsets[1:], len(LOG)]
    for size in range(8, len(LOG)):
        if size < ends[0]:
            with pytest.raises(CorruptLog):
                read_log(LOG[:size])
            continue
        cut = read_log(LOG[:size])
        whole = sum(end <= size for end in ends) - 1
        assert (len(cut.steps), bool(cut.torn)) == (whole, size not in ends)


@pytest.mark.parametrize("part", [0.3, 0.8])
@pytest.mark.parametrize("number", [1, 3, 6, 11, LAST])
def test_a_torn_log_says_what_is_left(number: int, part: float) -> None:
    log = read_log(LOG)
    ends = [*log.offsets[1:], len(LOG)]
    size = ends[number - 1] + int((ends[number] - ends[number - 1]) * part)
    report = refused(LOG[:size])
    assert report is not None
    assert (report.status, report.steps) == (Status.TORN, number - 1)
    assert [(f.step, f.kind) for f in report.faults] == [(number, "torn")]
    whole = audit(LOG[: ends[number - 1]])
    assert (whole.status, whole.good, whole.steps) == (Status.OPEN, True, number - 1)


@pytest.mark.parametrize(
    "tail", [bytes(1), bytes(4096), b"\xff" * 100, LOG[-40:-1], random.Random(1).randbytes(999)]
)
def test_a_tail_after_the_footer(tail: bytes) -> None:
    report = refused(LOG + tail)
    assert report is not None
    assert (report.status, report.steps) == (Status.TORN, LAST)


def test_a_valid_frame_after_the_footer() -> None:
    more = resign(KEYS[0], MATCH.moments[-1].after.place, STEPS[-1].entries[0]).contribution
    step = Step(LAST + 1, (more,))
    report = refused_at(relog([*STEPS, step]), LAST + 1)
    assert report.faults[0].kind == "not-due"


# -- signatures --------------------------------------------------------------------------


@pytest.mark.parametrize("number", [2, 6, LAST - 1])
def test_a_second_valid_signature_on_equal_content_breaks_the_chain(number: int) -> None:
    """The step alone is right; everything that was signed after it was signed on another head."""
    moment = MATCH.moments[number - 1]
    c = moment.step.entries[0]
    signature = samples.second_signature(seed_of(KEYS[c.seat]), statement(moment.before.place, c))
    step = Step(number, (replace(c, signature=signature), *moment.step.entries[1:]))
    check_all(moment.before, step)
    report = refused_at(with_step(number, step), number + 1)
    assert report.faults[0].kind == "signature"
    end = audit(relog([*STEPS[: number - 1], step]))
    assert (end.status, end.steps) == (Status.OPEN, number)


@pytest.mark.parametrize("number", [1, 3, LAST])
def test_a_signature_with_s_plus_l(number: int) -> None:
    c = STEPS[number - 1].entries[0]
    s = int.from_bytes(c.signature[32:], "little") + 2**252 + 27742317777372353535851937790883648493
    moved = replace(c, signature=c.signature[:32] + s.to_bytes(32, "little"))
    step = Step(number, (moved, *STEPS[number - 1].entries[1:]))
    assert refused_at(with_step(number, step), number).faults[0].kind == "signature"


BAD_KEYS = vectors("log/keys-bad.json")


@pytest.mark.parametrize("bad", BAD_KEYS, ids=[v["name"] for v in BAD_KEYS])
def test_a_header_with_a_key_that_may_not_sit_at_a_table(bad: dict[str, str]) -> None:
    """Made by hand, since no Header can hold it: small order, mixed order, not canonical."""
    core = list(array(unpack(MATCH.header.header.core, limit=40_000), "core", 8))
    a, b = (list(array(seat, "seat", 3)) for seat in array(core[6], "seats", 2))
    a[1] = bytes.fromhex(bad["hex"])
    seats = sorted((tuple(a), tuple(b)), key=lambda seat: octets(seat[1], "key", 0, 99))
    core[6] = tuple(seats)
    made = pack(tuple(core))
    assert match_id(made) != MATCH.header.match
    signatures = [
        KEYS[1].sign(signed_octets(made)) if seat[1] == KEYS[1].public else bytes([1]) + bytes(63)
        for seat in seats
    ]
    refused_at(file_of(pack((made, tuple(signatures))), PAYLOADS), 0)


def test_a_header_with_one_player_twice() -> None:
    header = MATCH.header.header
    with pytest.raises(EncodingError, match="two seats with the key"):
        Header(
            header.game,
            header.rules,
            header.options,
            header.created,
            (header.seats[0], header.seats[0]),
        )


# -- properly signed, and wrong ----------------------------------------------------------


def rewritten(values: Sequence[Value], kind: Kind) -> Step:
    """The round of `kind` with another body, which all seats sign: they are all in it."""
    number = first(kind)
    moment = MATCH.moments[number - 1]
    body = pack(tuple(values))
    entries = [
        resign(KEYS[c.seat], moment.before.place, c, body=body).contribution
        for c in moment.step.entries
    ]
    return Step(number, tuple(entries))


def values_of(kind: Kind) -> list[Value]:
    body = MATCH.first(kind).step.entries[0].body
    return list(array(unpack(body, limit=1000), "values", 2, 3))


def test_a_footer_with_a_wrong_result_signed_by_all() -> None:
    result, digest = values_of(Kind.FOOTER)
    winners, *others = array(result, "result", 5)
    step = rewritten([((0,), *others), digest], Kind.FOOTER)
    fault = refused_at(with_step(LAST, step), LAST).faults[0]
    assert (fault.kind, winners) == ("footer", ())


def test_a_checkpoint_with_wrong_scores_signed_by_all() -> None:
    hand, _, digest = values_of(Kind.CHECKPOINT)
    step = rewritten([hand, (9, 9), digest], Kind.CHECKPOINT)
    assert refused_at(with_step(step.number, step), step.number).faults[0].kind == "checkpoint"


@pytest.mark.parametrize("number", range(1, LAST + 1))
def test_a_wrong_digest_properly_signed(number: int) -> None:
    step = signed_again(number, digest=bytes(8))
    fault = refused_at(with_step(number, step), number).faults[0]
    assert (fault.kind, fault.seat) == ("digest", step.entries[0].seat)


def test_an_illegal_move_properly_signed() -> None:
    number = first(Kind.MOVE)
    for body, kind in (
        (pack((("cut", 40), b"")), "illegal-move"),
        (pack((("stay",), b"")), "illegal-move"),
        (pack((("cut", 0), b"")), "malformed"),
        (b"\xc1", "malformed"),
    ):
        step = signed_again(number, body=body)
        fault = refused_at(with_step(number, step), number).faults[0]
        assert (fault.kind, fault.seat) == (kind, step.entries[0].seat)


def test_a_reveal_that_does_not_match_its_commitment() -> None:
    number = first(Kind.REVEAL)
    step = signed_again(number, index=1, body=bytes(32))
    fault = refused_at(with_step(number, step), number).faults[0]
    assert (fault.kind, fault.seat) == ("proof", 1)


@pytest.mark.parametrize("kind", [Kind.COMMIT, Kind.SHUFFLE, Kind.FOOTER])
def test_a_kind_that_is_not_due_properly_signed(kind: Kind) -> None:
    step = signed_again(first(Kind.MOVE), kind=kind)
    assert refused_at(with_step(step.number, step), step.number).faults[0].kind == "not-due"


# -- payloads ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "payload",
    [
        b"\xc0",
        b"\x92\x01",
        b"\x92\x01\xdd\xff\xff\xff\xff",
        b"\x92\xcc\x01\x90",
        pack((1, 2)),
        pack((1, ((0, "nonsense", b"", bytes(8), bytes(64)),))),
        pack((1, ((64, "move", b"", bytes(8), bytes(64)),))),
        bytes(MAX_PAYLOAD),
        b"\x91" * 1000,
    ],
    ids=["nil", "cut", "bomb", "long int", "no list", "kind", "seat", "zeros", "deep"],
)
def test_payloads_that_are_no_step(payload: bytes) -> None:
    refused_at(with_step(1, payload), 1)


def test_a_contribution_of_an_unknown_seat() -> None:
    moment = MATCH.moments[0]
    c: Contribution = replace(moment.step.entries[1], seat=5)
    fault = refused_at(with_step(1, Step(1, (moment.step.entries[0], c))), 1).faults[0]
    assert (fault.seat, fault.kind) == (None, "seat")
