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
from datetime import UTC, datetime
from typing import Any

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

_SAYS = {
    Status.COMPLETE: "complete: everything in this log verifies",
    Status.ABANDONED: "abandoned: everything in this log verifies; who was left closed the match",
    Status.OPEN: "open: everything in this log verifies, and the match has no end in it",
    Status.TORN: "torn: the last step was cut off while it was written; the rest is as told here",
    Status.CORRUPT: "corrupt: this log doesn't verify",
    Status.DISPUTED: "disputed: this is evidence, and it convicts {who}",
    Status.UNFOUNDED: "unfounded: this claims to be evidence, and it convicts nobody",
}
_BROKEN = "{status}, but with a broken promise: somebody's cards refute what was promised"


def run(args: argparse.Namespace, out: Output) -> int:
    """Judge `args.file`; FINE if nothing is wrong, WRONG if anything is."""
    started = out.clock()
    data = load(args.file)
    with out.progress("verifying") as progress:
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
        out.line(_fault_line(found, header))
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
        out.line(_result_line(report, header))
    out.line(f"Time        {seconds:.1f} s")


def _tell_status(report: Report, out: Output) -> None:
    if report.good:
        says = _SAYS[report.status]
        gone = report.last.out if report.last and report.status is Status.COMPLETE else ()
        if gone and report.header:
            names = ", ".join(report.header.labels[seat] for seat in sorted(gone))
            says = says.replace("complete:", f"complete without {names}:", 1)
        out.good(says)
        return
    if report.status in (Status.COMPLETE, Status.OPEN):
        out.bad(_BROKEN.format(status=report.status.value))
        return
    who = seat_name(report.header, report.faults[-1].seat) if report.faults else ""
    out.bad(_SAYS[report.status].format(who=who))


def _fault_line(found: Found, header: Header | None) -> str:
    if found.seat is None:
        return f"  step {found.step}: {found.text} [{found.kind}]"
    who = seat_name(header, found.seat)
    return f"  step {found.step}, by {who}: {found.text} [{found.kind}]"


_RULINGS = {
    Kind.ABSENT: "step {step}: {voters} went on without {away}, who was silent by their votes",
    Kind.EXCLUDE: "step {step}: {voters} excluded {away} for cheating; the proof is in that step",
    Kind.ABANDON: "step {step}: {voters} closed the match, too few without {away}",
}


def _tell_ruling(ruling: Ruling, report: Report, out: Output) -> None:
    labels = report.header.labels if report.header else ()
    voters, away = (", ".join(labels[s] for s in seats) for seats in (ruling.voters, ruling.away))
    text = _RULINGS[ruling.kind].format(step=ruling.step, voters=voters, away=away)
    for line in textwrap.wrap(text, 78, subsequent_indent="  "):
        out.line(f"  {line}")


def _tell_match(report: Report, header: Header, out: Output) -> None:
    preset, options = report.preset
    created = _date(header.created)
    out.line(f"Match       {header.match.hex()[:16]}, agreed on {created} by its header")
    rules = ", ".join([f"preset {preset}", *options]) if preset else f"rules {header.rules}"
    out.line(f"Game        {header.game}, {rules}")
    width = max(len(seat.name) for seat in header.seats)
    for number, (seat, print_) in enumerate(zip(header.seats, report.fingerprints, strict=True)):
        start = "Signed by   " if number == 0 else " " * 12
        out.line(f"{start}{number:2} {seat.name:<{width}}  {print_}")
    out.line("            Compare these fingerprints with those that the players know: anybody")
    out.line("            can sign a whole log again, but only with other keys.")


def _date(seconds: int) -> str:
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError, OSError):
        return f"second {seconds} since 1970"


def _tell_checked(report: Report, done: Counter[str], out: Output) -> None:
    text = (
        f"Checked     steps: {report.steps}, hands audited: {report.hands}; the chain, all "
        f"{done['signatures']} signatures, {done['shuffle']} shuffle proofs, every decryption "
        f"share, whose turn it was, every move by the rules, {done['reveal']} seeds against their "
        "commitments, and every card derived from them again"
    )
    for line in textwrap.wrap(text, 80, subsequent_indent=" " * 12):
        out.line(line)


def _tell_kinds(done: Counter[str], out: Output) -> None:
    for kind, number in sorted(done.items()):
        if kind != "signatures":
            out.detail(f"            {number} of kind {kind}")


def _result_line(report: Report, header: Header) -> str:
    result = report.result
    order = report.last.order if report.last else ()
    if result is None:
        return ""
    scores = ", ".join(
        f"{seat.name} {score}"
        for seat, score in zip(header.seats, by_seat(result.scores, order), strict=True)
    )
    winners = ", ".join(header.seats[order[chair]].name for chair in result.winners if order)
    if winners:
        return f"Result      {result.reason}: {winners} won; scores: {scores}"
    return f"Result      {result.reason}; scores: {scores}"
