"""`busso replay FILE`: tell a match again, step by step.

Law: this file prints what `node.narrate` says, in order and line by line; it decides only what to
leave out (`--hand`) and who is looking (`--as`). A hand is told when its last step was read, since
only its audit tells what everybody held.
"""

from __future__ import annotations

import argparse
import shutil
import textwrap
from collections.abc import Callable, Iterator

from node.narrate import (
    ALL,
    NEW_HAND,
    TABLE,
    deck_in,
    hand_heading,
    hand_number,
    names_of,
    narrate_step,
)
from protocol.audit import Found, Moment
from protocol.errors import CorruptLog
from protocol.group import default_group
from protocol.header import Header
from protocol.stages import Stage
from tools.errors import ExitCode, UsageError
from tools.matches import Replay, load, open_match, seat_name
from tools.output import Output

_WORDS = {"all": ALL, "table": TABLE}


def run(args: argparse.Namespace, out: Output) -> int:
    """Replay `args.file` as far as it verifies; WRONG if anything is wrong with it."""
    if args.json:
        raise UsageError(
            "a replay is told in words", "busso export --format json has it for programs."
        )
    data = load(args.file)
    try:
        match = open_match(data)
    except CorruptLog as error:
        told = out.t("nothing of this file can be replayed: {error}")
        out.bad(told.format(error=out.speech.retold(str(error))))
        return ExitCode.WRONG
    replay = Replay(match, default_group())
    header = match.signed.header if match.signed else None
    view = _view(args.view, header)
    if header is not None and replay.last is not None:
        _tell_header(header, out)
        _tell_hands(replay, view, args.hand, out)
    _tell_end(replay, header, out)
    return ExitCode.WRONG if replay.faults else ExitCode.FINE


def _view(text: str, header: Header | None) -> int:
    """ALL, TABLE or a seat of the header; UsageError for what names none, or several."""
    if text in _WORDS or header is None:
        return _WORDS.get(text, ALL)
    seats = header.seats
    if text.isascii() and text.isdigit() and len(text) < 4 and int(text) < len(seats):
        return int(text)
    found = [n for n, seat in enumerate(seats) if seat.name.casefold() == text.casefold()]
    if len(found) != 1:
        known = ", ".join(f"{number} {seat.name}" for number, seat in enumerate(seats))
        raise UsageError(
            f"'{text[:40]}' names several seats of this match"
            if found
            else f"'{text[:40]}' names no seat of this match",
            f"Say all, table or the number of one of: {known}.",
        )
    return found[0]


def _tell_header(header: Header, out: Output) -> None:
    names = ", ".join(seat.name for seat in header.seats)
    told = out.t("Match {match}: {game}, signed by {names}.")
    out.remark(told.format(match=header.match.hex()[:16], game=header.game, names=names))


def _tell_hands(replay: Replay, seat: int, only: int | None, out: Output) -> None:
    """Tell every hand, or one; `seat` is a view or a seat of the header."""
    told = False
    with out.progress(out.t("replaying")) as progress:
        total = len(replay.match.log.steps)
        for moments in _hands(replay, lambda step: progress(step, total)):
            number = hand_number(moments[0].before)
            if only is None or number == only:
                told = True
                _tell_hand(moments, seat, out)
    if not told and only is not None and not replay.faults:
        raise UsageError(f"this match has no hand {only}")


def _hands(replay: Replay, told: Callable[[int], None]) -> Iterator[list[Moment]]:
    """The moments of each hand; those before the first and after the last are lists as well. `told`
    hears of every step."""
    held: list[Moment] = []
    for moment in replay:
        told(moment.step.number)
        if held and hand_number(moment.before) != hand_number(held[0].before):
            yield held
            held = []
        held.append(moment)
    if held:
        yield held


def _tell_hand(moments: list[Moment], seat: int, out: Output) -> None:
    revealed = next((m.after.revealed for m in moments if m.after.revealed), None)
    first = moments[0].before
    if hand_number(first) or first.stage is Stage.FOOTER:
        out.line()
    if hand_number(first):
        for line in hand_heading(first.state, names_of(first), language=out.speech):
            _wrapped(line, out)
    for moment in moments:
        view = seat
        if seat >= 0:  # a seat of the header: the engine numbers by the order of play
            order = moment.after.order
            view = order.index(seat) if order else TABLE
        deck = deck_in(moment.after, revealed)
        for line in narrate_step(
            *(moment.step, moment.before, moment.after),
            deck=deck,
            view=view,
            skip=(NEW_HAND,),
            language=out.speech,
        ):
            _wrapped(line, out)
        out.detail("  " + out.t("(step {step})").format(step=moment.step.number))


def _wrapped(text: str, out: Output) -> None:
    width = max(20, min(80, shutil.get_terminal_size((80, 24)).columns))
    for line in textwrap.wrap(text, width, subsequent_indent="  ") or [""]:
        out.line(line)


def _tell_end(replay: Replay, header: Header | None, out: Output) -> None:
    out.line()
    if replay.faults:
        for found in replay.faults:
            out.bad(_fault_text(found, header, out))
        return
    if replay.last is not None and replay.last.closed:
        out.good(out.t("everything in this log verifies"))
    else:
        out.good(out.t("everything in this log verifies; the match has no end in it"))


def _fault_text(found: Found, header: Header | None, out: Output) -> str:
    text = out.speech.retold(found.text)
    if found.seat is None:
        return out.t("step {step}: {text}").format(step=found.step, text=text)
    who = seat_name(header, found.seat, out.speech)
    return out.t("step {step}, {who}: {text}").format(step=found.step, who=who, text=text)
