"""The audit: what a report says of good logs, and evidence that convicts the guilty only."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest

from protocol.audit import Report, Status, _derived_later, audit_file, judge
from protocol.contribution import Class, Contribution, Entry, Kind
from protocol.encoding import pack
from protocol.errors import EncodingError, NotALog, UnsupportedFormat
from protocol.evidence_file import Case, Charge, pack_evidence, read_evidence
from protocol.frames import Magic, frame
from protocol.header import Header
from protocol.identity import fingerprint
from protocol.log import Step, first_head
from tests.protocol.ring import file_of, identities, record, resign

GOLDEN = Path(__file__).parent.parent / "vectors" / "golden"
MATCH = record(2)
KEYS = identities(2)


def moment_of(kind: Kind) -> int:
    """The number of the first step of that kind."""
    return MATCH.first(kind).step.number


def entry_of(step: int, seat: int) -> Entry:
    moment = MATCH.moments[step - 1]
    c = next(c for c in moment.step.entries if c.seat == seat)
    return Entry(moment.before.place, c)


def evidence(charge: Charge, step: int, *entries: Entry) -> bytes:
    """A file that accuses with `entries` after the honest steps before `step`."""
    header = MATCH.header.payload
    return pack_evidence(header, MATCH.payloads[: step - 1], Case(charge, entries))


def audit(data: bytes) -> Report:
    return audit_file(data, MATCH.group)


# -- logs ------------------------------------------------------------------------------------


def test_a_complete_log() -> None:
    progress: list[tuple[int, int]] = []
    report = audit_file(MATCH.log, MATCH.group, lambda done, of: progress.append((done, of)))
    steps = len(MATCH.moments)
    assert (report.status, report.good, report.faults) == (Status.COMPLETE, True, ())
    assert (report.hands, report.steps) == (1, steps)
    assert progress == [(i, steps) for i in range(1, steps + 1)]
    assert report.fingerprints == tuple(fingerprint(k.public) for k in KEYS)
    assert report.preset == ("marche", [])
    assert report.result == MATCH.moments[-1].after.state.standing()
    assert report.last is not None
    assert report.last.head == MATCH.moments[-1].after.head


@pytest.mark.parametrize("missing", [len(MATCH.moments), 14, 9, 1])
def test_an_open_log(missing: int) -> None:
    steps = len(MATCH.moments) - missing
    report = audit(file_of(MATCH.header.payload, MATCH.payloads[:steps]))
    assert (report.status, report.good, report.steps) == (Status.OPEN, True, steps)
    assert report.result is None
    assert report.hands == (1 if missing == 1 else 0)  # the footer, after the checkpoint


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.busso")), ids=lambda path: path.stem)
def test_golden_logs_stay_verifiable(path: Path) -> None:
    """Logs of a version of the rules must verify as long as that version is supported."""
    report = audit_file(path, MATCH.group)
    assert (report.status, report.faults) == (Status.COMPLETE, ())
    assert report.header is not None
    assert path.stem.startswith(f"{report.header.game}-{report.header.rules}")


def test_there_is_a_golden_log_of_this_version_of_the_rules() -> None:
    header = MATCH.header.header
    assert list(GOLDEN.glob(f"{header.game}-{header.rules}-*.busso"))


@pytest.mark.parametrize(("field", "value"), [("game", "tressette"), ("rules", 99)])
def test_a_game_or_rules_not_known_here_are_no_corruption(field: str, value: object) -> None:
    header: Header = replace(MATCH.header.header, **{field: value})  # type: ignore[arg-type]
    payload = header.seal([header.sign(k) for k in KEYS]).payload
    with pytest.raises(UnsupportedFormat, match=str(value)):
        audit(file_of(payload, []))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("options", (*MATCH.header.header.options[:-1], ("tris_beats_scala", 7))),
        ("options", (*MATCH.header.header.options, ("zebra", 1))),
        ("extensions", (("hands", 0),)),
        ("extensions", (("hands", "one"),)),
        ("extensions", (("hands", 1), ("zebra", 1))),
        ("extensions", (("anything", 1),)),
    ],
)
def test_terms_that_no_table_can_have(field: str, value: object) -> None:
    header: Header = replace(MATCH.header.header, **{field: value})  # type: ignore[arg-type]
    payload = header.seal([header.sign(k) for k in KEYS]).payload
    report = audit(file_of(payload, []))
    assert report.status is Status.CORRUPT
    assert [(f.step, f.kind) for f in report.faults] == [(0, "header")]


def test_what_is_no_file_of_ours() -> None:
    with pytest.raises(NotALog):
        audit(b"PK\x03\x04 and so on")


# -- evidence --------------------------------------------------------------------------------


def guilty_file(kind: Kind) -> tuple[bytes, int, int]:
    """Evidence that convicts: (file, seat, step)."""
    step = moment_of(kind)
    real = entry_of(step, MATCH.moments[step - 1].step.entries[0].seat)
    seat = real.contribution.seat
    wrong = resign(KEYS[seat], real.place, real.contribution, body=b"\x00")
    return evidence(Charge.INVALID, step, wrong), seat, step


@pytest.mark.parametrize("kind", [Kind.FLIP_COMMIT, Kind.MOVE, Kind.SHARES, Kind.FOOTER])
def test_evidence_is_judged_alone(kind: Kind) -> None:
    data, seat, step = guilty_file(kind)
    report = audit(data)
    assert report.status is Status.DISPUTED
    assert not report.good
    assert [(f.seat, f.step) for f in report.faults] == [(seat, step)]
    assert report.steps == step - 1


def convicts(data: bytes) -> set[int | None]:
    """The seats that a file convicts."""
    try:
        report = audit(data)
    except (NotALog, UnsupportedFormat):
        return set()
    return {f.seat for f in report.faults} if report.status is Status.DISPUTED else set()


def test_evidence_with_a_changed_octet_convicts_nobody_else() -> None:
    """Every octet of the raw file and, with frames made right again, of each payload."""
    data, seat, step = guilty_file(Kind.MOVE)
    for position in range(len(data)):
        changed = bytearray(data)
        changed[position] ^= 1
        assert convicts(bytes(changed)) <= {seat}
    payloads = [MATCH.header.payload, *MATCH.payloads[: step - 1]]
    payloads.append(read_evidence(data).case.pack())
    for number, payload in enumerate(payloads):
        for position in range(len(payload)):
            changed = bytearray(payload)
            changed[position] ^= 1
            frames = [*payloads[:number], bytes(changed), *payloads[number + 1 :]]
            assert convicts(Magic.EVIDENCE.value + b"".join(map(frame, frames))) <= {seat}


def test_evidence_of_a_contradiction_with_a_changed_octet_convicts_nobody_else() -> None:
    step = moment_of(Kind.SHUFFLE)
    position = MATCH.moments[step - 1].before
    seat = MATCH.moments[step - 1].step.entries[0].seat
    first = resign(KEYS[seat], position.place, entry_of(step, seat).contribution, body=b"one")
    second = resign(KEYS[seat], position.place, first.contribution, body=b"two")
    case = Case(Charge.CONTRADICTION, (first, second)).pack()
    found = set()
    for place in range(len(case)):
        changed = bytearray(case)
        changed[place] ^= 1
        try:
            whole = pack_evidence(
                MATCH.header.payload, MATCH.payloads[: step - 1], Case.parse(bytes(changed))
            )
        except EncodingError:
            continue
        fault = judge(read_evidence(whole), position)
        found.add((fault.seat, fault.kind))
    assert found == {(None, "unfounded")}
    assert (
        judge(read_evidence(evidence(Charge.CONTRADICTION, step, first, second)), position).seat
        == seat
    )


def test_honest_contributions_are_no_evidence() -> None:
    """Whatever an honest seat has signed in a match, no charge can be made of it."""
    for moment in MATCH.moments:
        step, position = moment.step.number, moment.before
        for c in moment.step.entries:
            entry = Entry(position.place, c)
            case = Case(Charge.INVALID, (entry,))
            file = read_evidence(
                pack_evidence(MATCH.header.payload, MATCH.payloads[: step - 1], case)
            )
            assert judge(file, position).kind == "unfounded"


def test_fabricated_evidence_is_unfounded() -> None:
    step = moment_of(Kind.MOVE)
    honest = entry_of(step, MATCH.moments[step - 1].step.entries[0].seat)
    seat = honest.contribution.seat
    liar = KEYS[1 - seat]
    body = pack((("cut", 7), b""))
    in_its_name = resign(liar, honest.place, honest.contribution, body=body)
    earlier, later = entry_of(1, seat), entry_of(2, seat)
    elsewhere = [
        Entry(replace(honest.place, **change), honest.contribution)
        for change in (
            {"match": bytes(32)},
            {"head": bytes(32)},
            {"step": step + 1},
            {"attempt": 1},
            {"cls": Class.VOTE},
        )
    ]
    files = [
        evidence(Charge.INVALID, step, honest),
        evidence(Charge.INVALID, step, in_its_name),
        evidence(Charge.CONTRADICTION, step, honest, honest),
        evidence(Charge.CONTRADICTION, step, honest, in_its_name),
        evidence(Charge.CONTRADICTION, 1, earlier, later),
        evidence(Charge.CONTRADICTION, 1, earlier, entry_of(1, 1 - seat)),
        evidence(Charge.INVALID, 1, later),
        evidence(Charge.INVALID, step - 1, honest),
        *(evidence(Charge.INVALID, min(e.place.step, step), e) for e in elsewhere),
        evidence(Charge.INVALID, step, Entry(honest.place, replace(honest.contribution, seat=9))),
    ]
    for data in files:
        report = audit(data)
        assert report.status is Status.UNFOUNDED
        assert [f.seat for f in report.faults] == [None]
        assert not report.good


def test_an_honest_contribution_on_a_forged_past_is_no_evidence() -> None:
    """The cheat signs another step before it; what was honest there isn't signed on that head."""
    step = moment_of(Kind.COMMIT)
    before = MATCH.moments[step - 2]
    mover = before.step.entries[0].seat
    other_cut = resign(
        KEYS[mover],
        before.before.place,
        before.step.entries[0],
        body=pack((("cut", 7), b"")),
    )
    forged = before.before.advance([before.before.check(other_cut.contribution)])[0]
    payloads = [*MATCH.payloads[: step - 2], forged.pack()]
    case = Case(Charge.INVALID, (entry_of(step, 1 - mover),))
    report = audit(pack_evidence(MATCH.header.payload, payloads, case))
    assert (report.status, report.steps) == (Status.UNFOUNDED, step - 1)


def test_evidence_whose_past_does_not_verify_is_corrupt() -> None:
    data, _, step = guilty_file(Kind.MOVE)
    payloads = list(MATCH.payloads[: step - 1])
    payloads[0] = bytes(payloads[0][:-1]) + bytes([payloads[0][-1] ^ 1])
    case = read_evidence(data).case
    report = audit(pack_evidence(MATCH.header.payload, payloads, case))
    assert report.status is Status.CORRUPT
    assert report.faults[0].step == 1


def test_noise_after_the_magic_never_breaks_the_audit() -> None:
    rng = random.Random(1)
    for size in (0, 1, 8, 100):
        for magic in (Magic.EVIDENCE, Magic.LOG):
            report = audit(magic.value + rng.randbytes(size))
            assert report.status is Status.CORRUPT
            assert not report.good


def test_a_header_alone_fixes_the_first_head() -> None:
    assert MATCH.moments[0].before.head == first_head(MATCH.header.payload)


@pytest.mark.parametrize(("revealing", "found"), [((0, 1), {2, 3, 4}), ((0,), set())])
def test_proofs_are_left_to_a_reveal_of_all_who_committed(
    revealing: tuple[int, ...], found: set[int]
) -> None:
    """A seat that doesn't reveal can't be derived, so its proofs must be checked as they come."""

    def step(number: int, kind: Kind, seats: tuple[int, ...]) -> Step:
        return Step(number, tuple(Contribution(s, kind, b"", bytes(8), bytes(64)) for s in seats))

    steps = (
        step(1, Kind.MOVE, (0,)),
        step(2, Kind.COMMIT, (0, 1)),
        step(3, Kind.SHUFFLE, (1,)),
        step(4, Kind.REVEAL, revealing),
        step(5, Kind.CHECKPOINT, (0, 1)),
    )
    assert _derived_later(steps) == found
