"""`busso export FILE --format json|record [-o FILE]`: a match for other programs.

Law: this file turns a replay into data; it judges nothing and reads no bodies but through
`node.inputs`. A log that doesn't verify is exported up to the fault, which is then said on
standard error, with exit code 1.

`record` is the text record of `NOTATION.md` that `busso check` reads: seats in the order of play,
all finished hands; of a hand that is still going on only its cut.

`json` is one object. Seats are numbered as they stand in `seats`, cards are written as in the
record, `??` is a card that never came out:

    format      1
    status      as `busso verify` gives it
    match       the match's name in hexadecimal
    game, rules, preset, options (all of them, name -> value), created (seconds since 1970)
    seats       [{name, key, fingerprint}]
    order       the seats in the order of play
    steps       [{step, kind, hand, seats, moves: [{seat, move}], scores}]: `hand` 0 outside a hand,
                `seats` those that signed it, `scores` after it
    hands       [{hand, dealer, seats, deck, revealed, scores, first_step, last_step}]: `seats` in
                the order of dealing, `deck` slot 0 first as it was dealt, before any reseal,
                `scores` as they were signed after the hand, null for one that didn't come to that
    result      {reason, winners, scores, paid, won}, null for a match without end
    fairness    {signatures, shuffle_proofs, share_proofs, seeds_revealed, hands_audited}
    faults      [{step, seat, kind, text}]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine.cards import UNKNOWN
from engine.contract import Answers, Decide, Input, Move, Revealed, State
from engine.options import preset_of, specs, text_of
from engine.record import name_fault, write_record
from engine.replay import RecordWriter
from node.inputs import inputs
from node.narrate import ALL, deck_in, hand_number, known_faces, merged, move_text
from protocol.audit import Moment, Status
from protocol.contribution import Kind
from protocol.errors import CorruptLog
from protocol.group import default_group
from protocol.header import Header
from protocol.identity import fingerprint
from protocol.position import Position
from tools.errors import ExitCode, UnusableFile, UsageError
from tools.matches import (
    Replay,
    by_seat,
    counts,
    fault_data,
    load,
    open_match,
    result_data,
    seat_name,
)
from tools.output import Output

FORMAT = 1


def run(args: argparse.Namespace, out: Output) -> int:
    """Export `args.file`; WRONG if anything is wrong with it, or nothing of it can be read."""
    if args.output and _same(args.output, args.file):
        raise UsageError("the export would overwrite the log", "Give -o another name.")
    try:
        replay = Replay(open_match(load(args.file)), default_group())
    except CorruptLog as error:
        out.error(f"nothing of this file can be exported: {error}")
        return ExitCode.WRONG
    signed, start = replay.match.signed, replay.last
    if signed is None or start is None:
        out.error(f"nothing of this file can be exported: {replay.faults[0].text}")
        return ExitCode.WRONG
    with out.progress(out.t("exporting")) as progress:
        moments: list[Moment] = []
        for moment in replay:
            moments.append(moment)
            progress(moment.step.number, len(replay.match.log.steps))
    if args.format == "record":
        text = _record(moments, start)
    else:
        text = _json(_data(replay, signed.header, moments))
    _deliver(text, args.output, out)
    for found in replay.faults:
        who = "" if found.seat is None else f", {seat_name(signed.header, found.seat)}"
        out.error(f"exported, but step {found.step}{who}: {found.text}")
    return ExitCode.WRONG if replay.faults else ExitCode.FINE


def _same(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:
        return False


def _deliver(text: str, path: str | None, out: Output) -> None:
    if not path or path == "-":
        out.text(text)
        return
    try:
        Path(path).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UnusableFile(f"{path} can't be written: {error.strerror or error}") from error


def _json(data: dict[str, Any]) -> str:
    import json  # noqa: PLC0415  # a record doesn't need it

    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


# -- record -----------------------------------------------------------------------------------


def _record(moments: Iterable[Moment], start: Position) -> str:
    """The record of a match; names that a record can't hold become `Seat 2`."""
    order = start.order
    writer: RecordWriter | None = None
    for moment in moments:
        if writer is None and moment.after.order:
            order = moment.after.order
            writer = _writer(start, order)
        if writer is not None:
            for given in inputs(moment.step, moment.before, moment.after):
                writer.add(given)
    if writer is None:
        writer = _writer(start, tuple(range(len(start.header.seats))))
    return write_record(writer.record())


def _writer(start: Position, order: tuple[int, ...]) -> RecordWriter:
    seats = start.header.seats
    names = [seats[s].name if not name_fault(seats[s].name) else f"Seat {s}" for s in order]
    return RecordWriter(start.game, start.state.options, names)


# -- json -------------------------------------------------------------------------------------


@dataclass
class _Hand:
    """One hand, while its steps are gathered."""

    number: int
    moments: list[Moment] = field(default_factory=list)

    @property
    def revealed(self) -> Revealed | None:
        """What its seeds told, None if they never came out."""
        return next((m.after.revealed for m in self.moments if m.after.revealed), None)


def _data(replay: Replay, header: Header, moments: list[Moment]) -> dict[str, Any]:
    hands = _hands(moments)
    last = moments[-1].after if moments else replay.last
    if last is None:
        raise UnusableFile("there is nothing to export")
    options: Any = last.state.options
    done = counts(header, tuple(m.step for m in moments))
    audited = sum(m.before.stage.name == "CHECKPOINT" for m in moments)
    return {
        "format": FORMAT,
        "status": _status(replay, last).value,
        "match": header.match.hex(),
        "game": header.game,
        "rules": header.rules,
        "preset": preset_of(options, last.game.presets)[0],
        "options": {name: text_of(options, name) for name in specs(type(options))},
        "created": header.created,
        "seats": [
            {"name": s.name, "key": s.key.hex(), "fingerprint": fingerprint(s.key)}
            for s in header.seats
        ],
        "order": list(last.order),
        "steps": [_step_data(moment, hand.revealed) for hand in hands for moment in hand.moments],
        "hands": [_hand_data(hand) for hand in hands if hand.number],
        "result": result_data(last.state.standing(), last.order) if last.closed else None,
        "fairness": {
            "signatures": done["signatures"],
            "shuffle_proofs": done["shuffle"],
            "share_proofs": done["shares"],
            "seeds_revealed": done["reveal"],
            "hands_audited": audited,
        },
        "faults": [fault_data(found) for found in replay.faults],
    }


def _status(replay: Replay, last: Position) -> Status:
    """As the audit of the same file gives it."""
    kinds = [found.kind for found in replay.faults if found.kind != "broken-promise"]
    if replay.match.case and len(kinds) == 1:
        return Status.UNFOUNDED if kinds[0] == "unfounded" else Status.DISPUTED
    if kinds:
        return Status.TORN if kinds == ["torn"] else Status.CORRUPT
    if last.abandoned_by:
        return Status.ABANDONED
    return Status.COMPLETE if last.closed else Status.OPEN


def _hands(moments: Iterable[Moment]) -> list[_Hand]:
    hands: list[_Hand] = []
    for moment in moments:
        number = hand_number(moment.before)
        if not hands or hands[-1].number != number:
            hands.append(_Hand(number))
        hands[-1].moments.append(moment)
    return hands


def _step_data(moment: Moment, revealed: Revealed | None) -> dict[str, Any]:
    before, after = moment.before, moment.after
    moves: list[dict[str, Any]] = []
    if moment.step.entries[0].kind in (Kind.MOVE, Kind.ANSWER):
        given = inputs(moment.step, before, after)[0]
        deck = deck_in(before, revealed)
        moves = [
            {"seat": before.order[chair], "move": move_text(before.state, move, faces)}
            for chair, move in _moves(before.state, given)
            for faces in [merged(known_faces(before.state, deck, ALL), after.state.faces)]
        ]
    return {
        "step": moment.step.number,
        "kind": str(moment.step.entries[0].kind),
        "hand": hand_number(before),
        "seats": [entry.seat for entry in moment.step.entries],
        "moves": moves,
        "scores": list(by_seat(after.state.scores(), after.order)),
    }


def _moves(state: State, given: Input) -> tuple[tuple[int, Move], ...]:
    turn = state.turn()
    if isinstance(given, Answers):
        return given.moves
    return ((turn.seat, given),) if isinstance(turn, Decide) and isinstance(given, Move) else ()


def _hand_data(hand: _Hand) -> dict[str, Any]:
    first, last = hand.moments[0], hand.moments[-1]
    state, order = first.before.state, first.before.order
    revealed = hand.revealed
    deck = revealed.faces if revealed else b""
    for moment in hand.moments:
        if revealed is None and moment.after.state.faces:
            deck = moment.after.state.faces  # what lay open when the log ended
    signed = [m for m in hand.moments if m.step.entries[0].kind is Kind.CHECKPOINT]
    return {
        "hand": hand.number,
        "dealer": order[state.dealer] if state.dealer >= 0 else None,
        "seats": [order[chair] for chair in state.players],
        "deck": ["??" if face == UNKNOWN else state.deck.kind.text(face) for face in deck],
        "revealed": revealed is not None,
        "scores": list(by_seat(signed[0].after.state.scores(), order)) if signed else None,
        "first_step": first.step.number,
        "last_step": last.step.number,
    }
