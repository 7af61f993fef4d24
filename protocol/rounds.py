"""The kinds of contribution: for each, when a body is right and what the completed round does.

Law: one handler a kind, all pure. `check` raises Fault naming the author and changes nothing;
`complete` is given exactly the checked contributions that were due. A wrong proof, an illegal
move and an unreadable body are the author's fault; anything else that raises is our own bug.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from engine.contract import (
    Answers,
    Cards,
    Leave,
    Move,
    Open,
    Reseal,
    Resealed,
    Revealed,
    Show,
    State,
)
from engine.errors import IllegalMove, NotationError
from protocol import flip as flips
from protocol.contribution import Kind
from protocol.deal import Deal
from protocol.encoding import array, octets, pack, unpack
from protocol.errors import EncodingError, Fault
from protocol.group import ProofError
from protocol.stages import Broken, Checked, Stage, first_dealer, hands_limit

if TYPE_CHECKING:
    from protocol.position import Position

MAX_MOVE = 60_000


@dataclass(frozen=True, slots=True)
class Handler:
    """How one kind of contribution is checked, and what a whole round of it does."""

    check: Callable[[Position, int, bytes], Any]
    complete: Callable[[Position, Sequence[Checked]], Position]


@contextmanager
def _blaming(position: Position, seat: int | None) -> Iterator[None]:
    """Turn what a wrong body raises into a Fault of its author."""
    try:
        yield
    except ProofError as error:
        raise Fault(seat, position.step, "proof", str(error)) from error
    except EncodingError as error:
        raise Fault(seat, position.step, "malformed", str(error)) from error
    except NotationError as error:
        raise Fault(seat, position.step, "malformed", str(error)) from error
    except IllegalMove as error:
        text = f"{error} ({error.rule})"
        raise Fault(seat, position.step, "illegal-move", text) from error


def _bodies(parts: Sequence[Checked]) -> dict[int, bytes]:
    return {part.contribution.seat: part.contribution.body for part in parts}


def _found(parts: Sequence[Checked]) -> dict[int, Any]:
    return {part.contribution.seat: part.found for part in parts}


# -- coin flips -------------------------------------------------------------------------------


def _check_flip_commit(position: Position, seat: int, body: bytes) -> None:
    if len(body) != flips.COMMITMENT_SIZE:
        text = f"a commitment has {flips.COMMITMENT_SIZE} octets, not {len(body)}"
        raise Fault(seat, position.step, "malformed", text)


def _flip_committed(position: Position, parts: Sequence[Checked]) -> Position:
    flip = flips.Flip(position._flip().seats, position.head, _bodies(parts))
    return replace(position, stage=Stage.FLIP_REVEAL, flip=flip)


def _check_flip_reveal(position: Position, seat: int, body: bytes) -> None:
    with _blaming(position, seat):
        flips.check_secret(position._flip(), position.place, seat, body)


def _flip_revealed(position: Position, parts: Sequence[Checked]) -> Position:
    value = flips.joint(position._flip(), position.header.match, _bodies(parts))
    order = position.order or flips.seating(value, len(position.header.seats))
    state = position.state
    if position.out and not position.order:  # who was voted out before there was an order of play
        state = state.apply(Leave(tuple(sorted(order.index(seat) for seat in position.out))))
    seated = replace(position, stage=Stage.PLAY, flip=None, joint=value, order=order, state=state)
    after = _with_dealer(seated, seated.settle())
    return replace(after, joint=b"")  # a Draw asked for later must not be foreseeable


def _with_dealer(seated: Position, after: Position) -> Position:
    """Turn the order of play until the chair that was drawn to deal first is the agreed seat's.

    Who sits beside whom is still the flip's; only where the round begins was agreed on.
    """
    dealer = first_dealer(seated.header)
    drawn = next((n.seat for n in after.state.notes if n.kind == "dealer-drawn"), None)
    if dealer is None or drawn is None or seated.out:
        return after
    shift = (seated.order.index(dealer) - drawn) % len(seated.order)
    return replace(seated, order=seated.order[shift:] + seated.order[:shift]).settle()


# -- what players decide ------------------------------------------------------------------------


def pack_move(position: Position, move: Move, shares: bytes) -> bytes:
    """The body of a move: [the move, the shares that it makes due from its author]."""
    return pack((position.game.encode(move), shares))


def following(position: Position, move: Move) -> tuple[State, list[int]]:
    """The state after `move` and the slots for which its author then owes shares at once.

    IllegalMove: the rules forbid it as far as public cards tell.
    """
    seat = position.due.seats[0] if position.due else -1
    state = position.state.apply(move)
    turn = state.turn()
    if isinstance(turn, Cards) and isinstance(turn.requests[0], Show | Open):
        return state, position.owed(seat, turn)
    return state, []


def _check_move(position: Position, seat: int, body: bytes) -> Position:
    with _blaming(position, seat):
        encoded, shares = array(unpack(body, limit=MAX_MOVE), "move", 2)
        move = position.game.decode(encoded)
        shares = octets(shares, "shares", 0, MAX_MOVE)
        state, slots = following(position, move)
        deal: Deal | None = position.deal
        if slots:
            points = position.dealt().check_shares(
                seat, slots, shares, position.place, later=position.later
            )
            deal = position.dealt().with_shares(seat, slots, shares, points, position.place)
        elif shares:
            raise ProofError("the move carries shares that are not due")
        moves = (*position.moves, position.step)
        # What the move opens is judged with it: a shown hand must be what the move says.
        return replace(position, state=state, deal=deal, moves=moves, broken=()).settle()


def _moved(_: Position, parts: Sequence[Checked]) -> Position:
    after: Position = parts[0].found
    return after


def pack_answer(position: Position, move: Move) -> bytes:
    """The body of an answer."""
    return pack((position.game.encode(move),))


def _check_answer(position: Position, seat: int, body: bytes) -> Move:
    with _blaming(position, seat):
        (encoded,) = array(unpack(body, limit=MAX_MOVE), "answer", 1)
        move = position.game.decode(encoded)
    if move not in position.state.legal(position.chair(seat)):
        raise Fault(seat, position.step, "illegal-move", "that is no answer to what was asked")
    return move


def _answered(position: Position, parts: Sequence[Checked]) -> Position:
    by_chair = {position.chair(seat): move for seat, move in _found(parts).items()}
    state = position.state.apply(Answers(tuple(sorted(by_chair.items()))))
    # Between two hands the answers belong to none, and what a hand counts begins with the next.
    moves = (*position.moves, position.step) if position.deal else ()
    return replace(position, state=state, moves=moves, broken=()).settle()


# -- the deal -------------------------------------------------------------------------------------


def _check_commit(position: Position, seat: int, body: bytes) -> None:
    with _blaming(position, seat):
        position.dealt().check_commit(body)


def _committed(position: Position, parts: Sequence[Checked]) -> Position:
    return replace(position, deal=position.dealt().with_commits(_bodies(parts), position.place))


def _check_key(position: Position, seat: int, body: bytes) -> Any:
    with _blaming(position, seat):
        return position.dealt().check_key(seat, body, position.place)


def _keyed(position: Position, parts: Sequence[Checked]) -> Position:
    with _blaming(position, None):  # keys that cancel out are no single seat's doing
        deal = position.dealt().with_keys(_bodies(parts), _found(parts), position.place)
    return replace(position, deal=deal)


def _check_shuffle(position: Position, seat: int, body: bytes) -> Any:
    with _blaming(position, seat):
        return position.dealt().check_shuffle(body, position.place, later=position.later)


def _shuffled(position: Position, parts: Sequence[Checked]) -> Position:
    part = parts[0]
    deal = position.dealt().with_shuffle(part.contribution.body, part.found, position.place)
    return replace(position, deal=deal).settle()


def _turn(position: Position) -> Cards:
    turn = position.state.turn()
    if not isinstance(turn, Cards):
        raise TypeError("shares are due only when the engine asks for cards")
    return turn


def _check_shares(position: Position, seat: int, body: bytes) -> Any:
    slots = position.owed(seat, _turn(position))
    with _blaming(position, seat):
        return position.dealt().check_shares(
            seat, slots, body, position.place, later=position.later
        )


def _shared(position: Position, parts: Sequence[Checked]) -> Position:
    deal = position.dealt()
    for part in parts:
        seat, body = part.contribution.seat, part.contribution.body
        slots = position.owed(seat, _turn(position))
        deal = deal.with_shares(seat, slots, body, part.found, position.place)
    return replace(position, deal=deal).settle()


def resealing(position: Position) -> Reseal:
    """The engine's request to reseal, which must be what it asks for now."""
    request = _turn(position).requests[0]
    if not isinstance(request, Reseal):
        raise TypeError("nothing is to be resealed")
    return request


def _check_reseal(position: Position, seat: int, body: bytes) -> Any:
    slots = resealing(position).slots
    with _blaming(position, seat):
        return position.dealt().check_reseal(
            seat, slots, body, position.place, later=position.later
        )


def _resealed(position: Position, parts: Sequence[Checked]) -> Position:
    part = parts[0]
    c, slots = part.contribution, resealing(position).slots
    deal = position.dealt().with_reseal(c.seat, slots, c.body, part.found, position.place)
    return replace(position, deal=deal, state=position.state.apply(Resealed())).settle()


# -- the end of a hand and of the match -----------------------------------------------------------


def broken_promises(position: Position, state: State) -> tuple[Broken, ...]:
    """What `state`, the end of the hand at `position`, shows to have been broken in it."""
    return tuple(
        Broken(
            position.order[breach.promise.seat],
            position.moves[breach.promise.move],
            breach.promise.rule,
            # The engine counts chairs; who it was stands in `seat`.
            breach.text.removeprefix(f"seat {breach.promise.seat} "),
        )
        for breach in state.breaches
    )


def _check_reveal(position: Position, seat: int, body: bytes) -> Any:
    with _blaming(position, seat):
        return position.dealt().check_reveal(seat, body)


def _revealed(position: Position, parts: Sequence[Checked]) -> Position:
    deal = position.dealt()
    deck = deal.terms.deck
    faces = bytes(deck.face(card) for card in deal.order(_found(parts)))
    told = Revealed(faces, deal.reseals(_found(parts)))
    state = position.state.apply(told)
    broken = broken_promises(position, state)
    return replace(
        position,
        state=state,
        deal=deal.revealed(),
        stage=Stage.CHECKPOINT,
        broken=broken,
        revealed=told,
        moves=(),
    )


def checkpoint_body(position: Position) -> bytes:
    """[hand number, scores, full digest of the canonical state]."""
    hand = position.dealt().terms.hand
    return pack((hand, position.state.scores(), position.full_digest))


def footer_body(position: Position) -> bytes:
    """[result, full digest of the canonical state]."""
    return pack((position.state.standing().public(), position.full_digest))


def _check_exactly(what: str, make: Callable[[Position], bytes]) -> Callable[..., None]:
    def check(position: Position, seat: int, body: bytes) -> None:
        if body != make(position):
            text = f"the {what} is not what the log leads to"
            raise Fault(seat, position.step, what, text)

    return check


def _checkpointed(position: Position, _: Sequence[Checked]) -> Position:
    limit = hands_limit(position.header)
    if limit and position.dealt().terms.hand >= limit:
        return replace(position, deal=None, stage=Stage.FOOTER)
    return replace(position, deal=None, stage=Stage.PLAY).settle()


def _closed(position: Position, _: Sequence[Checked]) -> Position:
    return replace(position, stage=Stage.CLOSED)


HANDLERS: dict[Kind, Handler] = {
    Kind.FLIP_COMMIT: Handler(_check_flip_commit, _flip_committed),
    Kind.FLIP_REVEAL: Handler(_check_flip_reveal, _flip_revealed),
    Kind.MOVE: Handler(_check_move, _moved),
    Kind.ANSWER: Handler(_check_answer, _answered),
    Kind.COMMIT: Handler(_check_commit, _committed),
    Kind.KEY: Handler(_check_key, _keyed),
    Kind.SHUFFLE: Handler(_check_shuffle, _shuffled),
    Kind.RESEAL: Handler(_check_reseal, _resealed),
    Kind.SHARES: Handler(_check_shares, _shared),
    Kind.REVEAL: Handler(_check_reveal, _revealed),
    Kind.CHECKPOINT: Handler(_check_exactly("checkpoint", checkpoint_body), _checkpointed),
    Kind.FOOTER: Handler(_check_exactly("footer", footer_body), _closed),
}
