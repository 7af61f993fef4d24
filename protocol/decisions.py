"""Decisions of the table: when a vote is right, what a set of votes does to a Position.

Law: pure functions of a Position, used alike by the live table, the verifier and the judge of
evidence. Nothing here can tell whether a seat was really silent: a majority that says so decides
(`DEAL.md`, "Limits"); that a seat has cheated is decided by nobody, it is proved.

What a decision does depends on where it falls:

    stage                 effect on the hand                          then
    --------------------  ------------------------------------------  -------------------------
    FLIP_*                none                                        flipped again by the others
    PLAY                  void: no seed of it is ever revealed        the engine goes on (GEN-02)
    PLAY, at the Reveal   the result stands, the silent seat's open   CHECKPOINT of the others
                          promises count as broken (GEN-01)
    CHECKPOINT            the result stands                           CHECKPOINT of the others
    FOOTER                the result stands                           FOOTER of the others
    any, by `abandon`     none                                        CLOSED

In all but the last the seats that are away are out from then on. A few who close a match for
themselves say nothing of the others, who may go on: so nothing more is settled by it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.contract import Ask, Cards, Leave, Over, Reveal, State
from protocol import flip as flips
from protocol.contribution import Contribution, Kind, sealed_statement
from protocol.errors import EncodingError, Fault
from protocol.log import Step, next_head
from protocol.rounds import broken_promises
from protocol.stages import Stage, hands_limit
from protocol.votes import (
    DECISIONS,
    Contradiction,
    Decision,
    Invalid,
    Vote,
    decided,
    read_proof,
    read_vote,
    vote_place,
)

if TYPE_CHECKING:
    from protocol.position import Position


def in_play(position: Position) -> tuple[int, ...]:
    """The seats that vote: those of the hand, between hands those that may be in the next one.

    A dead seat that is being asked whether it comes back doesn't count (GEN-02).
    """
    seats = set(position.hand_seats or range(len(position.header.seats))) - position.out
    if position.stage is Stage.PLAY and position.deal is None:
        turn = position.state.turn()
        if isinstance(turn, Ask):
            seats -= {position.order[chair] for chair in turn.seats}
    return tuple(sorted(seats))


def check_vote(position: Position, c: Contribution) -> Vote:
    """The vote that `c` is, about the step that is due. Fault: its author did wrong, or didn't
    sign it (`signature`)."""
    step = position.step
    if not 0 <= c.seat < len(position.header.seats):
        raise Fault(None, step, "seat", f"there is no seat {c.seat} at this table")
    try:
        vote = read_vote(c.kind, c.body)
    except EncodingError as error:
        # Its attempt can't be read, so neither can what was signed: nobody is named.
        raise Fault(c.seat, step, "signature", f"no vote that can be read: {error}") from error
    position.verify_signature(c, vote_place(position.place, vote.attempt))
    if position.due is None or c.seat not in in_play(position):
        raise Fault(c.seat, step, "not-due", "this seat has no vote now")
    if c.digest != position.digest:
        raise Fault(c.seat, step, "digest", "it was signed on another state of the game")
    try:
        _check_stand(position, c.seat, vote)
    except EncodingError as error:
        raise Fault(c.seat, step, "vote", f"its vote can't stand: {error}") from error
    return vote


def _check_stand(position: Position, seat: int, vote: Vote) -> None:
    """Raise EncodingError unless the vote could be an honest seat's."""
    if vote.kind is Kind.REFUSE:
        _check_kept(position, vote)
        return
    due = position.due
    allowed = set(in_play(position)) | set(due.seats if due else ())
    if seat in vote.away or not set(vote.away) <= allowed:
        raise EncodingError("it is about seats that can't be missed here")
    if vote.kind is Kind.EXCLUDE and vote.proof and convicted(position, vote.proof) is None:
        raise EncodingError("its proof proves nothing")
    if vote.proof and convicted(position, vote.proof) not in vote.away:
        raise EncodingError("its proof is about another seat")


def _check_kept(position: Position, vote: Vote) -> None:
    """A refusal keeps what completes the step: contributions that are due, or a decision."""
    kinds = {c.kind for c in vote.kept}
    if kinds <= set(DECISIONS):
        if any(read_vote(c.kind, c.body).attempt >= vote.attempt for c in vote.kept):
            raise EncodingError("it refers to votes that come later")
        if decision_of(position, vote.kept) is None:
            raise EncodingError("the votes that it keeps decide nothing")
        return
    try:
        for c in vote.kept:
            position.check(c)
    except Fault as fault:
        raise EncodingError(f"what it keeps is wrong: {fault}") from fault
    if len({c.seat for c in vote.kept}) != len(vote.kept):
        raise EncodingError("it keeps two contributions of one seat")


def convicted(position: Position, proof: bytes) -> int | None:
    """The seat that `proof` convicts at the step that is due, or None."""
    try:
        found = read_proof(position.place, proof)
    except EncodingError:
        return None
    if isinstance(found, Invalid):
        return _wrong(position, found)
    return _contradicted(position, found)


def _wrong(position: Position, found: Invalid) -> int | None:
    """Only what is played can be wrong; a wrong vote counts as none."""
    try:
        position.check(found.contribution)
    except Fault as fault:
        return fault.seat if fault.kind != "signature" else None
    return None


def _contradicted(position: Position, found: Contradiction) -> int | None:
    """Both must be properly signed, in this match; on which head is beside the point."""
    if found.seat >= len(position.header.seats):
        return None
    for part in (found.first, found.second):
        signed = sealed_statement(found.place, found.seat, part.kind, part.digest, part.body_hash)
        if not position.is_signed(found.seat, signed, part.signature):
            return None
    return found.seat


def decision_of(position: Position, votes: Sequence[Contribution]) -> Decision | None:
    """What votes of one attempt decide about the step that is due; Fault for a wrong vote."""
    checked = {c.seat: (c, check_vote(position, c)) for c in votes}
    if len(checked) != len(votes) or len({vote.attempt for _, vote in checked.values()}) != 1:
        return None
    return decide(position, checked)


def decide(position: Position, votes: Mapping[int, tuple[Contribution, Vote]]) -> Decision | None:
    """What checked votes of one attempt decide, or None."""
    proofs = {vote.proof for _, vote in votes.values() if vote.proof}
    seats = {proof: seat for proof in proofs if (seat := convicted(position, proof)) is not None}
    return decided(votes, in_play(position), seats)


def follow_decision(position: Position, decision: Decision) -> tuple[Step, Position]:
    """The step that a decision fills, and the Position after it."""
    step = Step(position.step, decision.votes)
    head = next_head(position.head, step.pack())
    seats = [c.seat for c in decision.votes]
    after = replace(
        position,
        step=position.step + 1,
        head=head,
        signed={**position.signed, **dict.fromkeys(seats, position.step)},
        decided=position.step,
        later=False,
    )
    if decision.kind is Kind.ABANDON:
        return step, replace(after, stage=Stage.CLOSED, abandoned_by=tuple(seats))
    return step, _without(replace(after, out=position.out | set(decision.away)), decision)


def _without(position: Position, decision: Decision) -> Position:
    """The match goes on without the seats that are out."""
    match position.stage:
        case Stage.FLIP_COMMIT | Stage.FLIP_REVEAL:
            if not position.order:  # the engine hears of it once there is an order of play
                seats = tuple(sorted(set(range(len(position.header.seats))) - position.out))
                return replace(position, stage=Stage.FLIP_COMMIT, flip=flips.Flip(seats))
            return _left(replace(position, stage=Stage.PLAY, flip=None), decision)
        case Stage.PLAY:
            turn = position.state.turn()
            if isinstance(turn, Cards) and isinstance(turn.requests[0], Reveal):
                return _withheld(position, decision)
            return _left(replace(position, deal=None), decision)
        case Stage.CHECKPOINT:
            over = isinstance(position.state.turn(), Over)
            limit = hands_limit(position.header)
            if over or (limit and position.dealt().terms.hand >= limit):
                return position
            return replace(position, state=_leave(position, decision))
    return position


def _leave(position: Position, decision: Decision) -> State:
    chairs = tuple(sorted(position.chair(seat) for seat in decision.away))
    return position.state.apply(Leave(chairs, may_return=decision.kind is Kind.ABSENT))


def _left(position: Position, decision: Decision) -> Position:
    """The hand, if there is one, is void."""
    state = _leave(position, decision)
    return replace(position, state=state, moves=(), broken=(), revealed=None, joint=b"").settle()


def _withheld(position: Position, decision: Decision) -> Position:
    """Too late to undo a loss: the result was public before the seeds were due."""
    state = _leave(position, decision)
    broken = broken_promises(position, state)
    deal = position.dealt().revealed()
    return replace(
        position,
        state=state,
        deal=deal,
        stage=Stage.CHECKPOINT,
        broken=broken,
        revealed=None,
        moves=(),
    )
