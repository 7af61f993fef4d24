"""From a step of a log to what it told the engine: the inputs between two positions.

Law: pure. A step may bring the engine several inputs (a move, and the cards that it opens), and
a position keeps only the state after the last of them; whoever announces, records or exports a
match wants each. What they are follows from the step and the two positions alone, and they are
checked: they lead from the one state to the other.
"""

from __future__ import annotations

from typing import Final

from engine.contract import (
    Answers,
    Cards,
    Draw,
    Drawn,
    Input,
    Leave,
    Move,
    Open,
    Reseal,
    Resealed,
    Seen,
    Show,
    Shuffle,
    Shuffled,
    State,
)
from protocol import flip
from protocol.contribution import Contribution, Kind
from protocol.encoding import array, unpack
from protocol.errors import LocalProtocolError
from protocol.log import Step
from protocol.position import Position
from protocol.rounds import MAX_MOVE
from protocol.votes import read_vote

MAX_INPUTS: Final = 64
"""No step brings more; one that seems to is a bug."""


def inputs(step: Step, before: Position, after: Position) -> tuple[Input, ...]:
    """What `step`, which led from `before` to `after`, told the engine; () for most steps.

    LocalProtocolError: the two positions don't belong together.
    """
    target = after.state
    state = before.state
    if state is target:
        return ()
    wanted = target.public(), target.turn()
    found: list[Input] = []
    while (state.public(), state.turn()) != wanted:
        given = _next(step, before, after, state, first=not found)
        if given is None or len(found) == MAX_INPUTS:
            raise LocalProtocolError(f"step {step.number} doesn't lead from state to state")
        found.append(given)
        state = state.apply(given)
    return tuple(found)


def move_of(position: Position, contribution: Contribution) -> Move:
    """The move in the body of a contribution that was checked."""
    return position.game.decode(array(unpack(contribution.body, limit=MAX_MOVE), "move", 1, 2)[0])


def _next(
    step: Step, before: Position, after: Position, state: State, *, first: bool
) -> Input | None:
    """The input that `state` was given."""
    kind = step.entries[0].kind
    if first and kind in (Kind.ABSENT, Kind.EXCLUDE):
        away = read_vote(kind, step.entries[0].body).away
        chairs = tuple(sorted(before.chair(seat) for seat in away))
        return Leave(chairs, may_return=kind is Kind.ABSENT)
    if first and kind is Kind.FLIP_REVEAL and before.out and not before.order:
        return Leave(tuple(sorted(after.chair(seat) for seat in before.out)))
    if first and kind is Kind.MOVE:
        return move_of(before, step.entries[0])
    if first and kind is Kind.ANSWER:
        moves = ((before.chair(c.seat), move_of(before, c)) for c in step.entries)
        return Answers(tuple(sorted(moves, key=lambda pair: pair[0])))
    turn = state.turn()
    if not isinstance(turn, Cards):
        return None
    match turn.requests[0]:
        case Draw(deck=deck) if kind is Kind.FLIP_REVEAL and before.flip is not None:
            secrets = {c.seat: c.body for c in step.entries}
            return Drawn(flip.draw(flip.joint(before.flip, before.header.match, secrets), deck))
        case Shuffle():
            return Shuffled(None)
        case Reseal() if kind is Kind.RESEAL:
            return Resealed()
        case Show() | Open():
            slots = (s for r in turn.requests if isinstance(r, Open) for s in r.slots)
            faces = after.state.faces or before.state.faces
            return Seen(tuple(faces[slot] for slot in slots))
    return after.revealed if kind is Kind.REVEAL else None
