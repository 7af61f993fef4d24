"""The file of a match as the commands use it: what it is, how far it can be read, who is who.

Law: this file reads and counts; what a file is worth is `protocol.audit`'s to say. Commands show
seats by their number in the header, as logs and faults do; the engine's seats, the places in the
order of play, are turned into those here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.contract import Result
from node.language import ENGLISH, Language
from protocol.audit import Found, Moment, Ruling, judge, moments
from protocol.contribution import Kind
from protocol.errors import CorruptLog, EncodingError, Fault, UnsupportedFormat
from protocol.evidence_file import EvidenceFile, read_evidence
from protocol.files import read_file
from protocol.frames import MAX_FILE, Magic
from protocol.group import Group
from protocol.header import Header, SignedHeader, parse_header
from protocol.log import LogFile, Step, read_log
from protocol.position import Position, first_position


@dataclass(frozen=True, slots=True)
class MatchFile:
    """What could be read: `log` holds the steps before `damage`, if anything was damaged.

    signed  None if the header itself doesn't verify; then `damage` says why
    case    what the file accuses a seat of, if it is one of evidence
    """

    signed: SignedHeader | None
    log: LogFile
    damage: Found | None
    case: EvidenceFile | None = None


def open_match(data: bytes) -> MatchFile:
    """Read a log or a file of evidence as far as its octets are whole.

    NotALog, UnsupportedFormat: it can't be read at all. CorruptLog: not even its header.
    """
    evidence: EvidenceFile | None = None
    damage: Found | None = None
    if data.startswith(Magic.EVIDENCE.value):
        evidence = read_evidence(data)
        log = LogFile(evidence.header, evidence.payloads, evidence.steps, evidence.heads, (), b"")
    else:
        try:
            log = read_log(data)
        except CorruptLog as error:
            if error.frame == 0:
                raise
            damage = Found(error.frame, None, "corrupt", error.text)
            log = read_log(data[: error.offset])
    try:
        return MatchFile(parse_header(log.header), log, damage, evidence)
    except UnsupportedFormat:
        raise
    except EncodingError as error:
        return MatchFile(None, log, Found(0, None, "header", str(error)))


def load(path: str) -> bytes:
    """The octets of a file; FileError."""
    return read_file(Path(path), MAX_FILE)


class Replay:
    """A match that is being replayed: iterate it, then ask what stopped it.

    faults  what is wrong, in the order of the steps; complete when the iteration has ended
    last    the Position after the last step that verified, None if not even the header does
    """

    def __init__(self, match: MatchFile, group: Group) -> None:
        """UnsupportedFormat: of a game or of rules that this program doesn't know."""
        self.match = match
        self.faults: list[Found] = []
        self.last: Position | None = None
        self._group = group
        if match.signed is None:
            self.faults += [match.damage] if match.damage else []
            return
        try:
            self.last = first_position(match.signed.header, match.log.header, group)
        except UnsupportedFormat:
            raise
        except EncodingError as error:
            self.faults.append(Found(0, None, "header", str(error)))

    def __iter__(self) -> Iterator[Moment]:
        """Every step that verifies, in turn."""
        match = self.match
        if self.last is None or match.signed is None:
            return
        try:
            for moment in moments(match.signed, match.log, self._group):
                self.last = moment.after
                if moment.step.entries[0].kind is Kind.REVEAL:
                    self.faults += [
                        Found(b.step, b.seat, "broken-promise", f"{b.text} ({b.rule})")
                        for b in moment.after.broken
                    ]
                yield moment
        except Fault as fault:
            self.faults.append(Found(fault.step, fault.seat, fault.kind, fault.text))
            return
        if match.damage:
            self.faults.append(match.damage)
        if match.log.torn:
            text = f"the file ends in {len(match.log.torn)} octets of a step never completed"
            self.faults.append(Found(self.last.step, None, "torn", text))
        if match.case:
            proved = judge(match.case, self.last)
            self.faults.append(Found(proved.step, proved.seat, proved.kind, proved.text))


def seat_name(header: Header | None, seat: int | None, language: Language = ENGLISH) -> str:
    """`Bruno (seat 1)`, or `nobody in particular`."""
    if header is None or seat is None or not 0 <= seat < len(header.seats):
        return language.text("nobody in particular")
    return language.text("{name} (seat {seat})").format(name=header.seats[seat].name, seat=seat)


def by_seat(values: tuple[int, ...], order: tuple[int, ...]) -> tuple[int, ...]:
    """Numbers given in the order of play, in the order of the header's seats."""
    if not order:
        return values
    return tuple(values[order.index(seat)] for seat in range(len(order)))


def result_data(result: Result, order: tuple[int, ...]) -> dict[str, Any]:
    """A result for programs, by the header's seats."""
    winners = sorted(order[chair] for chair in result.winners) if order else result.winners
    return {
        "reason": result.reason,
        "winners": list(winners),
        "scores": list(by_seat(result.scores, order)),
        "paid": list(by_seat(result.paid, order)),
        "won": list(by_seat(result.won, order)),
    }


def fault_data(found: Found) -> dict[str, Any]:
    """A fault for programs."""
    return {"step": found.step, "seat": found.seat, "kind": found.kind, "text": found.text}


def ruling_data(ruling: Ruling) -> dict[str, Any]:
    """A decision of the table for programs."""
    return {
        "step": ruling.step,
        "kind": str(ruling.kind),
        "away": list(ruling.away),
        "voters": list(ruling.voters),
    }


def counts(header: Header, steps: tuple[Step, ...]) -> Counter[str]:
    """How many contributions of each kind there are, and `signatures` with the header's."""
    found = Counter(str(entry.kind) for step in steps for entry in step.entries)
    found["signatures"] = found.total() + len(header.seats)
    return found
