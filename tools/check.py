"""`busso check RECORD`: play a text record by the rules, and tell the first thing wrong.

Law: this file reads a record's octets and shows what `engine.replay` says about them.

JSON: {ok, line, rule, text, game, hands, result}. `line` counts from 1 (0: the record as a whole)
and is null, as `rule` and `text` are, when all is well; `hands` counts those that came to an end;
`result` is {reason, winners, scores, paid, won} by seat, as the record's last line leaves it.

Exit code 1: a record that breaks a rule or has a wrong line. 3: no record at all, or one of a
format, a game or a version of the rules that this program doesn't know.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from engine import record as text_record
from engine import replay
from engine.contract import Ask, Over, State
from engine.errors import NotationError
from engine.record import MAX_BYTES, Record
from engine.replay import RecordFault
from node.screen.words import ended
from protocol.files import read_file
from tools.errors import ExitCode
from tools.output import Output


def run(args: argparse.Namespace, out: Output) -> int:
    """Check `args.file`; FINE, WRONG or UNREADABLE as the module says."""
    record: Record | None = None
    data = _read(args.file)
    try:
        text = text_record.decode_record(data)
    except NotationError as error:
        return _wrong(out, None, _fault(error), ExitCode.UNREADABLE)
    try:
        with out.progress(out.t("checking")):
            record = text_record.read_record(text)
            state = replay.check(record)
    except NotationError as error:
        code = ExitCode.WRONG if error.line > 1 else ExitCode.UNREADABLE
        return _wrong(out, record, _fault(error), code)
    except RecordFault as fault:
        known = record is None or fault.line != record.game_line
        return _wrong(out, record, fault, ExitCode.WRONG if known else ExitCode.UNREADABLE)
    hands = finished_hands(state)
    result = replay.standing(state)
    if out.json:
        told = {
            "reason": result.reason,
            "winners": list(result.winners),
            "scores": list(result.scores),
            "paid": list(result.paid),
            "won": list(result.won),
        }
        out.data(_data(True, None, record, hands, told))
        return ExitCode.FINE
    follows = out.t("this record follows the rules of {game}")
    out.good(follows.format(game=state.game.title))
    names = record.names
    scores = ", ".join(f"{n} {s}" for n, s in zip(names, result.scores, strict=True))
    counted = out.t("hands: {hands}; scores: {scores}").format(hands=hands, scores=scores)
    out.remark(f"  {counted}")
    if result.winners:
        out.remark(f"  {ended(out.speech, result, names)}")
    return ExitCode.FINE


def finished_hands(state: State) -> int:
    """How many hands came to an end before `state`, void ones included."""
    ended = isinstance(state.turn(), Over | Ask)
    return state.hand if ended else max(0, state.hand - 1)


def _read(file: str) -> bytes:
    """At most one octet more than a record may have, from a file or from standard input."""
    if file == "-":
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    return read_file(Path(file), MAX_BYTES)


def _fault(error: NotationError) -> RecordFault:
    return RecordFault(error.line, None, str(error))


def _wrong(out: Output, record: Record | None, fault: RecordFault, code: ExitCode) -> int:
    if out.json:
        out.data(_data(False, fault, record, None, None))
        return code
    told = out.t("line {line}: {text}") if fault.line else out.t("the record as a whole: {text}")
    words = told.format(line=fault.line, text=out.speech.retold(str(fault)))
    rule = f" [{fault.rule}]" if fault.rule else ""
    if code is ExitCode.UNREADABLE:
        out.error(words)
    else:
        out.bad(words + rule)
    return code


def _data(
    ok: bool,
    fault: RecordFault | None,
    record: Record | None,
    hands: int | None,
    result: dict[str, Any] | None,
) -> dict[str, Any]:
    return {
        "ok": ok,
        "line": fault.line if fault else None,
        "rule": fault.rule if fault else None,
        "text": str(fault) if fault else None,
        "game": record.game if record else None,
        "hands": hands,
        "result": result,
    }
