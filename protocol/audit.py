"""The audit: a whole log, or a file of evidence, judged by replaying it through the engine.

Law: verifying is replaying. This file walks `position` over what a file holds and reports what it
finds; it keeps no rule of its own and trusts nothing: signatures, chain, whose contributions were
due, every proof and move, seeds against commitments and the octets derived from them, promises,
checkpoints, result. What is not in the file (who somebody really is) it can't know: a whole log can
be signed again with other keys, so a report shows the keys' fingerprints.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.contract import Result
from engine.options import preset_of
from protocol.contribution import Class, Entry, Kind, statement
from protocol.errors import (
    CorruptLog,
    EncodingError,
    Fault,
    FileError,
    NotALog,
    ProtocolError,
    UnsupportedFormat,
)
from protocol.evidence_file import Charge, EvidenceFile, read_evidence
from protocol.files import read_file
from protocol.frames import MAX_FILE, Magic
from protocol.group import Group
from protocol.header import Header, SignedHeader, parse_header
from protocol.identity import fingerprint, verify
from protocol.log import LogFile, Step, chain, read_log
from protocol.position import Position, checked_step, first_position
from protocol.votes import DECISIONS, read_vote


class Status(enum.StrEnum):
    """What a file is, in one word; always shown."""

    COMPLETE = "complete"
    ABANDONED = "abandoned"
    """Too few were left to go on, and they closed it; that the others were gone proves nothing."""
    OPEN = "open"
    """It has no footer: the match went on, or was broken off."""
    TORN = "torn"
    """Its last frame is unfinished; what comes before is as reported."""
    CORRUPT = "corrupt"
    """It doesn't verify."""
    DISPUTED = "disputed"
    """It is evidence, and it convicts somebody."""
    UNFOUNDED = "unfounded"
    """It claims to be evidence, and it convicts nobody."""


@dataclass(frozen=True, slots=True)
class Found:
    """Something wrong: at which step, by which seat where one can be named, what, in words."""

    step: int
    seat: int | None
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Ruling:
    """A decision of the table that fills a step: by whose votes, without whom it goes on."""

    step: int
    kind: Kind
    away: tuple[int, ...]
    voters: tuple[int, ...]

    @classmethod
    def of(cls, step: Step) -> Ruling | None:
        """What the votes in `step` decided; None if it is no decision."""
        first = step.entries[0]
        if first.kind not in DECISIONS:
            return None
        voters = tuple(entry.seat for entry in step.entries)
        return cls(step.number, first.kind, read_vote(first.kind, first.body).away, voters)


@dataclass(frozen=True, slots=True)
class Moment:
    """One step of a replay, with the Position before it and the one after it."""

    step: Step
    before: Position
    after: Position


@dataclass(frozen=True, slots=True)
class Report:
    """What an audit found. `steps` counts those that verified, `hands` those that were audited."""

    status: Status
    header: Header | None
    hands: int
    steps: int
    result: Result | None
    faults: tuple[Found, ...]
    last: Position | None
    rulings: tuple[Ruling, ...] = ()

    @property
    def good(self) -> bool:
        """Nothing is wrong: no fault, no torn tail, no claim that doesn't hold."""
        return not self.faults and self.status in (Status.COMPLETE, Status.ABANDONED, Status.OPEN)

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """The short form of each seat's key, to compare by eye."""
        return tuple(fingerprint(seat.key) for seat in self.header.seats) if self.header else ()

    @property
    def preset(self) -> tuple[str, list[str]]:
        """The preset that was played and the options that differ from it."""
        if self.last is None:
            return "", []
        return preset_of(self.last.state.options, self.last.game.presets)


Progress = Callable[[int, int], None]
"""Called with the number of steps done and of all steps."""


def moments(
    header: SignedHeader, log: LogFile, group: Group, *, quick: bool = False
) -> Iterator[Moment]:
    """Replay a log step by step; Fault at the first step that doesn't verify.

    `quick`: where a hand's seeds are out, its proofs are judged by deriving them again, which is
    done anyway, and not by their equations too. What is wrong is found all the same, but perhaps
    at the reveal, by another name: whoever must name the step replays again without it.
    """
    position = first_position(header.header, log.header, group)
    later = _derived_later(log.steps) if quick else set()
    for step in log.steps:
        before = replace(position, later=step.number in later)
        _, position = checked_step(before, step.entries)
        yield Moment(step, before, position)


def _derived_later(steps: Sequence[Step]) -> set[int]:
    """The steps of hands in which every seat that committed reveals: from there to the reveal."""
    found: set[int] = set()
    hand: list[int] = []
    committed: list[int] = []
    for step in steps:
        kind = step.entries[0].kind
        seats = [entry.seat for entry in step.entries]
        if kind is Kind.COMMIT:
            hand, committed = [], seats
        hand.append(step.number)
        if kind is Kind.REVEAL and seats == committed:
            found.update(hand)
            hand = []
    return found


def audit_file(source: Path | bytes, group: Group, progress: Progress | None = None) -> Report:
    """Judge a log or a file of evidence.

    NotALog, UnsupportedFormat, FileError: it can't be judged at all.
    """
    data = source if isinstance(source, bytes) else read_file(source, MAX_FILE)
    if data.startswith(Magic.EVIDENCE.value):
        return _audit_evidence(data, group, progress)
    try:
        log = read_log(data)
    except CorruptLog as error:
        found = Found(error.frame, None, "corrupt", error.text)
        if error.frame == 0:
            return _corrupt(found)
        return _up_to(found, audit_log(read_log(data[: error.offset]), group, progress))
    return audit_log(log, group, progress)


def _up_to(damage: Found, report: Report) -> Report:
    """A report on the steps before the damage, with the damage in it."""
    faults = report.faults
    if report.status is not Status.CORRUPT:
        faults = (*faults, damage)
    return replace(report, status=Status.CORRUPT, result=None, faults=faults)


def audit_log(log: LogFile, group: Group, progress: Progress | None = None) -> Report:
    """Judge a log that was read."""
    try:
        return _audit_log(log, group, progress, quick=True)
    except (ProtocolError, ValueError) as error:  # what an unproven card led to, too
        if isinstance(error, UnsupportedFormat):
            raise
        return _audit_log(log, group, progress, quick=False)


def _audit_log(log: LogFile, group: Group, progress: Progress | None, *, quick: bool) -> Report:
    try:
        signed = parse_header(log.header)
        last = first_position(signed.header, log.header, group)
    except UnsupportedFormat:
        raise
    except EncodingError as error:
        return _corrupt(Found(0, None, "header", str(error)))
    header = signed.header
    faults: list[Found] = []
    rulings: list[Ruling] = []
    hands, steps = 0, 0
    try:
        for moment in moments(signed, log, group, quick=quick):
            last, steps = moment.after, moment.step.number
            if ruling := Ruling.of(moment.step):
                rulings.append(ruling)
            if moment.step.entries[0].kind is Kind.CHECKPOINT:
                hands += moment.before.revealed is not None  # else somebody kept a seed back
            if moment.step.entries[0].kind is Kind.REVEAL:
                faults += _broken(last)
            if progress:
                progress(steps, len(log.steps))
    except Fault as fault:
        if quick:
            raise
        faults.append(Found(fault.step, fault.seat, fault.kind, fault.text))
        found = tuple(faults)
        return Report(Status.CORRUPT, header, hands, steps, None, found, last, tuple(rulings))
    status = Status.COMPLETE if last.closed else Status.OPEN
    if last.abandoned_by:
        status = Status.ABANDONED
    if log.torn:
        status = Status.TORN
        text = f"the file ends in {len(log.torn)} octets of a step that was never completed"
        faults.append(Found(steps + 1, None, "torn", text))
    result = last.state.standing() if last.closed else None
    return Report(status, header, hands, steps, result, tuple(faults), last, tuple(rulings))


def _broken(position: Position) -> list[Found]:
    return [
        Found(broken.step, broken.seat, "broken-promise", f"{broken.text} ({broken.rule})")
        for broken in position.broken
    ]


def _corrupt(found: Found) -> Report:
    return Report(Status.CORRUPT, None, 0, 0, None, (found,), None)


# -- evidence ---------------------------------------------------------------------------------


def _audit_evidence(data: bytes, group: Group, progress: Progress | None) -> Report:
    try:
        evidence = read_evidence(data)
    except CorruptLog as error:
        return _corrupt(Found(error.frame, None, "corrupt", error.text))
    payloads = evidence.payloads
    try:
        steps = tuple(Step.parse(payload) for payload in payloads)
    except EncodingError as error:
        return _corrupt(Found(0, None, "corrupt", str(error)))
    heads = chain(evidence.header, payloads)
    prefix = LogFile(evidence.header, payloads, steps, heads, (), b"")
    report = audit_log(prefix, group, progress)
    if report.last is None or report.status is Status.CORRUPT:
        return report  # what leads up to the charge doesn't verify
    fault = judge(evidence, report.last)
    found = Found(fault.step, fault.seat, fault.kind, fault.text)
    status = Status.UNFOUNDED if fault.kind == "unfounded" else Status.DISPUTED
    return Report(
        status,
        report.header,
        report.hands,
        report.steps,
        None,
        (*report.faults, found),
        report.last,
        report.rulings,
    )


def judge(evidence: EvidenceFile, position: Position) -> Fault:
    """The fault that the evidence proves at `position`, which its steps lead to.

    A Fault of kind `unfounded`, with no seat, if it proves none: nobody is convicted by something
    that isn't signed, isn't at this place, or isn't wrong.
    """
    case = evidence.case
    step = position.step

    def unfounded(text: str) -> Fault:
        return Fault(None, step, "unfounded", text)

    for entry in case.entries:
        if replace(entry.place, attempt=0, cls=Class.PLAY) != position.place:
            return unfounded("a contribution in it was signed for another place in the match")
        if not _is_signed(entry, position.header):
            return unfounded("a contribution in it was not signed by the seat that it names")
    first = case.entries[0].contribution
    if case.charge is Charge.CONTRADICTION:
        second = case.entries[1].contribution
        apart = case.entries[0].place != case.entries[1].place
        if apart or first.seat != second.seat or first == second:
            return unfounded("its two contributions don't contradict each other")
        text = "it signed two different contributions to one step"
        return Fault(first.seat, step, "contradiction", text)
    if case.entries[0].place != position.place:
        return unfounded("a wrong vote is no fault")
    try:
        position.check(first)
    except Fault as fault:
        return fault
    return unfounded("the contribution in it is valid")


def _is_signed(entry: Entry, header: Header) -> bool:
    c = entry.contribution
    if c.seat >= len(header.seats):
        return False
    return verify(header.seats[c.seat].key, statement(entry.place, c), c.signature)


__all__ = [
    "CorruptLog",
    "FileError",
    "Found",
    "Moment",
    "NotALog",
    "Report",
    "Ruling",
    "Status",
    "audit_file",
    "audit_log",
    "judge",
    "moments",
]
