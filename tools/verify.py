"""`busso verify FILE`: judge the log of a match, or a file of evidence.

Law: this file tells what `protocol.audit` found, to people or to programs; it judges nothing.

JSON: {status, match, game, seats: [{name, fingerprint}], hands, steps, result, faults: [{step,
seat, kind, text}], decisions: [{step, kind, away, voters}], out, preset, options, rules, created,
order, torn_octets}. Seats are numbered as they
stand in `seats`, and `order` lists them in the order of play; `result` is null until a match has
ended; `match` is its name in hexadecimal, `created` seconds since 1970.
"""

from __future__ import annotations

import argparse
import textwrap
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from node.language import mark
from node.screen.words import ended
from protocol.audit import Found, Report, Ruling, Status, audit_file
from protocol.contribution import Kind
from protocol.errors import CorruptLog
from protocol.group import default_group
from protocol.header import Header
from tools.errors import ExitCode
from tools.matches import (
    MatchFile,
    by_seat,
    counts,
    fault_data,
    load,
    open_match,
    result_data,
    ruling_data,
    seat_name,
)
from tools.output import Output

_SAYS: Final[Mapping[Status, str]] = {
    Status.COMPLETE: mark("complete: everything in this log verifies"),
    Status.ABANDONED: mark(
        "abandoned: everything in this log verifies; who was left closed the match"
    ),
    Status.OPEN: mark("open: everything in this log verifies, and the match has no end in it"),
    Status.TORN: mark(
        "torn: the last step was cut off while it was written; the rest is as told here"
    ),
    Status.CORRUPT: mark("corrupt: this log doesn't verify"),
    Status.DISPUTED: mark("disputed: this is evidence, and it convicts {who}"),
    Status.UNFOUNDED: mark("unfounded: this claims to be evidence, and it convicts nobody"),
}
_WITHOUT: Final = mark("complete without {names}: everything in this log verifies")
_BROKEN: Final[Mapping[Status, str]] = {
    Status.COMPLETE: mark(
        "complete, but with a broken promise: somebody's cards refute what was promised"
    ),
    Status.OPEN: mark("open, but with a broken promise: somebody's cards refute what was promised"),
}
_MARGIN: Final = 12
"""Columns of what stands before a row."""


def run(args: argparse.Namespace, out: Output) -> int:
    """Judge `args.file`; FINE if nothing is wrong, WRONG if anything is."""
    started = out.clock()
    data = load(args.file)
    with out.progress(out.t("verifying")) as progress:
        report = audit_file(data, default_group(), progress)
    match = _readable(data)
    if out.json:
        out.data(_data(report, match))
    else:
        _tell(report, match, out, out.clock() - started)
    return ExitCode.FINE if report.good else ExitCode.WRONG


def _readable(data: bytes) -> MatchFile | None:
    """What of a file can be read, for counting; None if not even its header."""
    try:
        return open_match(data)
    except CorruptLog:
        return None


def _data(report: Report, match: MatchFile | None) -> dict[str, Any]:
    header = report.header
    preset, options = report.preset
    order = report.last.order if report.last else ()
    seats = zip(header.seats, report.fingerprints, strict=True) if header else ()
    return {
        "status": report.status.value,
        "match": header.match.hex() if header else None,
        "game": header.game if header else None,
        "seats": [{"name": seat.name, "fingerprint": print_} for seat, print_ in seats],
        "hands": report.hands,
        "steps": report.steps,
        "result": result_data(report.result, order) if report.result else None,
        "faults": [fault_data(found) for found in report.faults],
        "decisions": [ruling_data(ruling) for ruling in report.rulings],
        "out": sorted(report.last.out) if report.last else [],
        "preset": preset or None,
        "options": options,
        "rules": header.rules if header else None,
        "created": header.created if header else None,
        "order": list(order),
        "torn_octets": len(match.log.torn) if match else 0,
    }


# -- for people -------------------------------------------------------------------------------


def _tell(report: Report, match: MatchFile | None, out: Output, seconds: float) -> None:
    header = report.header
    _tell_status(report, out)
    for found in report.faults:
        out.line(_fault_line(found, header, out))
    for ruling in report.rulings if header else ():
        _tell_ruling(ruling, report, out)
    if header is None or out.quiet:
        return
    out.line()
    _tell_match(report, header, out)
    if match:
        done = counts(header, match.log.steps[: report.steps])
        _tell_checked(report, done, out)
        _tell_kinds(done, out)
    if report.result:
        _tell_result(report, header, out)
    _row(out, out.t("Time"), out.t("{seconds} s").format(seconds=f"{seconds:.1f}"))


def _row(out: Output, label: str, text: str) -> None:
    """What it is about, then the rest in lines of its own margin."""
    start, empty = f"{label:<{_MARGIN}}", " " * _MARGIN
    for line in textwrap.wrap(text, 80, initial_indent=start, subsequent_indent=empty):
        out.line(line)


def _tell_status(report: Report, out: Output) -> None:
    if report.good:
        gone = report.last.out if report.last and report.status is Status.COMPLETE else ()
        if gone and report.header:
            names = ", ".join(report.header.labels[seat] for seat in sorted(gone))
            out.good(out.t(_WITHOUT).format(names=names))
        else:
            out.good(out.t(_SAYS[report.status]))
        return
    if report.status in _BROKEN:
        out.bad(out.t(_BROKEN[report.status]))
        return
    seat = report.faults[-1].seat if report.faults else None
    who = seat_name(report.header, seat, out.speech) if report.faults else ""
    out.bad(out.t(_SAYS[report.status]).format(who=who))


def _fault_line(found: Found, header: Header | None, out: Output) -> str:
    text = out.speech.retold(found.text)
    if found.seat is None:
        told = out.t("step {step}: {text} [{kind}]")
        return "  " + told.format(step=found.step, text=text, kind=found.kind)
    who = seat_name(header, found.seat, out.speech)
    told = out.t("step {step}, by {who}: {text} [{kind}]")
    return "  " + told.format(step=found.step, who=who, text=text, kind=found.kind)


_RULINGS = {
    Kind.ABSENT: mark(
        "step {step}: {voters} went on without {away}, who was silent by their votes"
    ),
    Kind.EXCLUDE: mark(
        "step {step}: {voters} excluded {away} for cheating; the proof is in that step"
    ),
    Kind.ABANDON: mark("step {step}: {voters} closed the match, too few without {away}"),
}


def _tell_ruling(ruling: Ruling, report: Report, out: Output) -> None:
    labels = report.header.labels if report.header else ()
    voters, away = (", ".join(labels[s] for s in seats) for seats in (ruling.voters, ruling.away))
    text = out.t(_RULINGS[ruling.kind]).format(step=ruling.step, voters=voters, away=away)
    for line in textwrap.wrap(text, 78, subsequent_indent="  "):
        out.line(f"  {line}")


def _tell_match(report: Report, header: Header, out: Output) -> None:
    preset, options = report.preset
    created = _date(header.created, out)
    agreed = out.t("{match}, agreed on {created} by its header")
    match = header.match.hex()[:16]
    _row(out, out.t("Match"), agreed.format(match=match, created=created))
    rules = out.t("preset {preset}").format(preset=preset)
    if not preset:
        rules = out.t("rules {version}").format(version=header.rules)
    _row(out, out.t("Game"), ", ".join([header.game, rules, *(options if preset else ())]))
    width = max(len(seat.name) for seat in header.seats)
    for number, (seat, print_) in enumerate(zip(header.seats, report.fingerprints, strict=True)):
        start = f"{out.t('Signed by') if number == 0 else '':<{_MARGIN}}"
        out.line(f"{start}{number:2} {seat.name:<{width}}  {print_}")
    warning = out.t(
        "Compare these fingerprints with those that the players know: anybody can sign a whole log "
        "again, but only with other keys."
    )
    _row(out, "", warning)


def _date(seconds: int, out: Output) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError, OSError):
        return out.t("second {seconds} since 1970").format(seconds=seconds)


def _tell_checked(report: Report, done: Counter[str], out: Output) -> None:
    checked = out.t(
        "steps: {steps}, hands audited: {hands}; the chain, all {signatures} signatures, "
        "{shuffles} shuffle proofs, every decryption share, whose turn it was, every move by the "
        "rules, {reveals} seeds against their commitments, and every card derived from them again"
    )
    told = checked.format(
        steps=report.steps,
        hands=report.hands,
        signatures=done["signatures"],
        shuffles=done["shuffle"],
        reveals=done["reveal"],
    )
    _row(out, out.t("Checked"), told)


def _tell_kinds(done: Counter[str], out: Output) -> None:
    for kind, number in sorted(done.items()):
        if kind != "signatures":
            told = out.t("{number} of kind {kind}").format(number=number, kind=kind)
            out.detail(f"{'':<{_MARGIN}}{told}")


def _tell_result(report: Report, header: Header, out: Output) -> None:
    result = report.result
    order = report.last.order if report.last else ()
    if result is None:
        return
    scores = ", ".join(
        f"{seat.name} {score}"
        for seat, score in zip(header.seats, by_seat(result.scores, order), strict=True)
    )
    names = [header.labels[seat] for seat in order]
    if names:
        _row(out, out.t("Result"), ended(out.speech, result, names))
    _row(out, out.t("Scores"), scores)
