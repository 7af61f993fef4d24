"""What a player's verified logs add up to: results, units won, marks, and who met whom.

Law: pure. A log is judged here by the same walk as `protocol.audit`'s, which also counts what the
games announced; a log that doesn't verify is told, never counted. Players are told apart by their
keys alone: a name is what somebody called themselves last. No file is read or written here.

    log --judged--> Verdict | Refusal        kept by the file's hash: `pack`, `parse`
    verdicts --summary--> Summary            of one player, by their key
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from engine import registry
from engine.contract import Note, Result
from node.inputs import inputs
from protocol.audit import Ruling, Status, audit_file, moments
from protocol.contribution import KEY_SIZE, MAX_SEATS, Kind
from protocol.encoding import Value, array, integer, octets, pack, text, unpack
from protocol.errors import EncodingError, ProtocolError, UnsupportedFormat
from protocol.frames import Magic
from protocol.group import Group
from protocol.header import MAX_NAME, parse_header
from protocol.log import LogFile, read_log
from protocol.position import Position

FORMAT: Final = 1
MAX_VERDICT: Final = 1 << 16
"""Octets of a kept verdict."""
MAX_MARKS: Final = 4096
_MAX_TEXT: Final = 400
_HASH: Final = 32
_STATUSES: Final = (Status.COMPLETE, Status.ABANDONED, Status.OPEN)

MARKS: Final[Mapping[str, tuple[str, ...]]] = {
    "petrangola": ("falls", "bisciola", "fallen-with-petrangola", "bonus", "dies", "reenters"),
    "mambassa": ("pays", "mambassa", "quarantuna", "dies"),
    "traversone": ("cappotto",),
    "briscola": (),
    "picchetto": ("novanta", "sessanta", "cappotto"),
}
"""For each game the notes that are worth counting, by the seat that they are about."""


@dataclass(frozen=True, slots=True)
class Mark:
    """How often a game's note was about a seat, and the highest first value that it had."""

    seat: int
    kind: str
    count: int
    highest: int


@dataclass(frozen=True, slots=True)
class Seated:
    """One seat of a match: whose key, and the name in that match."""

    key: bytes
    name: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a log that verifies is remembered by. Seats are those of its header.

    created  seconds since 1970, as the header says
    hands    hands that were audited; `void` those that counted for nothing
    absent, excluded   seats that the table went on without: silent, or convicted of cheating
    result   how the match ended; None while it has no end
    """

    match: bytes
    game: str
    created: int
    status: Status
    seats: tuple[Seated, ...]
    hands: int
    void: int
    absent: tuple[int, ...]
    excluded: tuple[int, ...]
    result: Result | None
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a log isn't counted."""

    text: str


# -- judging --------------------------------------------------------------------------------------


Progress = Callable[[int], None]
"""Called with each step that was verified."""


def is_log(data: bytes) -> bool:
    """Whether `data` says that it is the log of a match; evidence isn't."""
    return data.startswith(Magic.LOG.value)


def players(data: bytes) -> tuple[bytes, ...] | None:
    """The keys of the seats of a log whose header all of them signed; None if there is none."""
    try:
        return parse_header(read_log(data).header).header.keys
    except (ProtocolError, ValueError):
        return None


def judged(data: bytes, group: Group, progress: Progress | None = None) -> Verdict | Refusal:
    """Audit a log and count what is in it."""
    try:
        log = read_log(data)
        if log.torn:
            return _refused(data, group)
        return _walked(log, group, progress)
    except UnsupportedFormat as error:
        return Refusal(str(error)[:_MAX_TEXT])
    except (ProtocolError, ValueError):  # as in an audit: what an unproven card led to, too
        return _refused(data, group)


def _refused(data: bytes, group: Group) -> Refusal:
    """The first thing that an audit says is wrong, in its words."""
    try:
        report = audit_file(data, group)
    except ProtocolError as error:
        return Refusal(str(error)[:_MAX_TEXT] or "it can't be read")
    fault = report.faults[0].text if report.faults else "it doesn't verify"
    return Refusal(f"{report.status}: {fault}"[:_MAX_TEXT])


@dataclass(slots=True)
class _Counts:
    """What a walk over a log has counted."""

    hands: int = 0
    void: int = 0
    absent: set[int] = field(default_factory=set)
    excluded: set[int] = field(default_factory=set)
    marks: Counter[tuple[int, str]] = field(default_factory=Counter)
    highest: dict[tuple[int, str], int] = field(default_factory=dict)


def _walked(log: LogFile, group: Group, progress: Progress | None) -> Verdict:
    """Walk over the whole log. ProtocolError, ValueError: it doesn't verify."""
    signed = parse_header(log.header)
    header = signed.header
    counts = _Counts()
    last: Position | None = None
    for moment in moments(signed, log, group, quick=True):
        last = moment.after
        kind = moment.step.entries[0].kind
        if kind is Kind.CHECKPOINT:
            counts.hands += moment.before.revealed is not None
        elif kind is Kind.REVEAL:
            counts.excluded.update(broken.seat for broken in last.broken)
        ruling = Ruling.of(moment.step)
        if ruling is not None and kind is Kind.ABSENT:
            counts.absent.update(ruling.away)
        elif ruling is not None and kind is Kind.EXCLUDE:
            counts.excluded.update(ruling.away)
        state = moment.before.state
        for given in inputs(moment.step, moment.before, moment.after):
            state = state.apply(given)
            for note in state.notes:
                _count(counts, header.game, note, last.order)
        if progress is not None:
            progress(moment.step.number)
    status = Status.COMPLETE if last is not None and last.closed else Status.OPEN
    if last is not None and last.abandoned_by:
        status = Status.ABANDONED
    result = _by_seat(last) if last is not None and last.closed else None
    marks = tuple(
        Mark(seat, kind, number, counts.highest[seat, kind])
        for (seat, kind), number in sorted(counts.marks.items())
    )
    return Verdict(
        header.match,
        header.game,
        header.created,
        status,
        tuple(Seated(seat.key, seat.name) for seat in header.seats),
        counts.hands,
        counts.void,
        tuple(sorted(counts.absent)),
        tuple(sorted(counts.excluded)),
        result,
        marks,
    )


def _count(counts: _Counts, game: str, note: Note, order: tuple[int, ...]) -> None:
    counts.void += note.kind == "void"
    if note.kind in MARKS.get(game, ()) and 0 <= note.seat < len(order):
        key = order[note.seat], note.kind
        counts.marks[key] += 1
        counts.highest[key] = max(counts.highest.get(key, 0), *note.values[:1], 0)


def _by_seat(position: Position) -> Result:
    """The result by the header's seats."""
    result, order = position.state.standing(), position.order
    if not order:
        return result
    chair = [order.index(seat) for seat in range(len(order))]
    return Result(
        tuple(sorted(order[winner] for winner in result.winners)),
        tuple(result.scores[n] for n in chair),
        tuple(result.paid[n] for n in chair),
        tuple(result.won[n] for n in chair),
        result.reason,
    )


# -- keeping --------------------------------------------------------------------------------------


def packed(verdict: Verdict | Refusal, version: str) -> bytes:
    """The octets by which a verdict is kept; `version` is that of the program that judged."""
    if isinstance(verdict, Refusal):
        return pack((FORMAT, version, verdict.text))
    v, r = verdict, verdict.result
    result = () if r is None else (r.reason, r.winners, r.scores, r.paid, r.won)
    body: Value = (
        v.match,
        v.game,
        v.created,
        str(v.status),
        tuple((seat.key, seat.name) for seat in v.seats),
        v.hands,
        v.void,
        v.absent,
        v.excluded,
        result,
        tuple((mark.seat, mark.kind, mark.count, mark.highest) for mark in v.marks),
    )
    return pack((FORMAT, version, body))


def parsed(data: bytes, version: str) -> Verdict | Refusal:
    """The inverse of `packed`, strictly; EncodingError also for another format or version."""
    kept, by, body = array(unpack(data, limit=MAX_VERDICT), "verdict", 3)
    integer(kept, "format", FORMAT, FORMAT)
    if text(by, "version", 0, 64) != version:
        raise EncodingError("a verdict of another version of the program")
    if isinstance(body, str):
        return Refusal(text(body, "refusal", 1, _MAX_TEXT))
    match, game, created, status, people, hands, void, absent, excluded, result, marks = array(
        body, "log", 11
    )
    seats = tuple(_seated(item) for item in array(people, "seats", 1, MAX_SEATS))
    name = text(game, "game", 1, 64)
    if name not in registry.GAMES:
        raise EncodingError("a verdict about an unknown game")
    said = text(status, "status", 1, 16)
    if said not in _STATUSES:
        raise EncodingError("a verdict with another status")
    verdict = Verdict(
        octets(match, "match", _HASH),
        name,
        integer(created, "created"),
        Status(said),
        seats,
        integer(hands, "hands"),
        integer(void, "void"),
        _numbers(absent, len(seats)),
        _numbers(excluded, len(seats)),
        _result(result, len(seats)),
        tuple(_mark(item, name, len(seats)) for item in array(marks, "marks", 0, MAX_MARKS)),
    )
    if packed(verdict, version) != data:
        raise EncodingError("a verdict in other words than ours")
    return verdict


def _seated(value: Value) -> Seated:
    key, name = array(value, "seat", 2)
    return Seated(octets(key, "key", KEY_SIZE), text(name, "name", 1, MAX_NAME))


def _numbers(value: Value, seats: int) -> tuple[int, ...]:
    found = tuple(integer(item, "seat", 0, seats - 1) for item in array(value, "seats", 0, seats))
    if list(found) != sorted(set(found)):
        raise EncodingError("seats that don't ascend")
    return found


def _result(value: Value, seats: int) -> Result | None:
    parts = array(value, "result", 0, 5)
    if not parts:
        return None
    reason, winners, *amounts = array(value, "result", 5)
    scores, paid, won = (
        tuple(integer(item, "amount", -(2**62), 2**62) for item in array(part, "amounts", seats))
        for part in amounts
    )
    return Result(_numbers(winners, seats), scores, paid, won, text(reason, "reason", 1, 64))


def _mark(value: Value, game: str, seats: int) -> Mark:
    seat, kind, count, highest = array(value, "mark", 4)
    found = text(kind, "mark", 1, 64)
    if found not in MARKS[game]:
        raise EncodingError("a mark that this game hasn't")
    return Mark(
        integer(seat, "seat", 0, seats - 1),
        found,
        integer(count, "count", 1),
        integer(highest, "highest"),
    )
