"""A position of a match: what is due from whom, whether a contribution is right, what follows.

Law: a Position holds what every node knows after the same steps, and nothing else: no secret, no
socket, no clock. It is immutable; `check` and `advance` are pure, so the live table, the verifier,
the judge of evidence and any rollback run the very same code.

    check(contribution)    -> Checked, or Fault: who did what wrong, at which step
    advance(all the due)   -> the next Position

Two numberings meet here. A **seat** is an index into the header's list (the order of the keys):
logs, signatures and faults use it. A **chair** is a place in the order of play, which a joint coin
flip decides: the engine calls that a seat. `order[chair] = seat`.

What is due follows from `stage` and, in PLAY, from the engine's `turn()`:

    stage         due                       after it
    ------------  ------------------------  ---------------------------------------------
    FLIP_COMMIT   flip-commit, all          FLIP_REVEAL
    FLIP_REVEAL   flip-reveal, all          PLAY (the first flip also gives the order)
    PLAY          by the engine's turn      PLAY, CHECKPOINT after a Reveal, FOOTER when over
    CHECKPOINT    checkpoint, hand's seats  PLAY, or FOOTER after the last agreed hand
    FOOTER        footer, last hand's seats CLOSED
    CLOSED        nothing

Votes of the table may fill a step instead of what is due: see `decisions`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from engine import registry
from engine.contract import (
    Ask,
    Cards,
    Decide,
    Draw,
    Drawn,
    Game,
    Open,
    Over,
    Reseal,
    Reveal,
    Revealed,
    Seen,
    Show,
    Shuffle,
    Shuffled,
    State,
)
from engine.errors import EngineError
from engine.options import from_items
from protocol import decisions, rounds
from protocol import flip as flips
from protocol.contribution import Contribution, Kind, Place, statement
from protocol.deal import Deal, Phase, Terms
from protocol.encoding import pack
from protocol.errors import Fault, InvalidHeader, LocalProtocolError, UnsupportedFormat
from protocol.group import Group
from protocol.header import Header
from protocol.identity import verify
from protocol.log import Step, first_head, next_head
from protocol.stages import Broken, Checked, Due, Stage, hands_limit
from protocol.votes import DECISIONS


@dataclass(frozen=True)
class Position:
    """See the module. `step` is the number of the step that is due, `head` is H_{step-1}."""

    group: Group
    header: Header
    game: Game
    state: State
    step: int
    head: bytes
    stage: Stage = Stage.FLIP_COMMIT
    order: tuple[int, ...] = ()
    flip: flips.Flip | None = None
    joint: bytes = b""
    """A flip's value that no Draw has used yet."""
    deal: Deal | None = None
    hand_seats: tuple[int, ...] = ()
    """Seats of the hand being played or just played, in the order in which they shuffle."""
    moves: tuple[int, ...] = ()
    """The steps of this hand's Moves and Answers, so that a broken promise names its step."""
    broken: tuple[Broken, ...] = ()
    """What the last step showed to be broken."""
    revealed: Revealed | None = None
    """After a Reveal and until the next hand: every card of the hand, as the engine was told."""
    later: bool = False
    """The proofs of this step will be derived from seeds that come later in the same log."""
    signed: Mapping[int, int] = field(default_factory=dict)
    """seat -> the last step to which it contributed."""
    out: frozenset[int] = frozenset()
    """Seats that the table decided to go on without."""
    decided: int = 0
    """The last step that a decision of the table filled, 0 for none."""
    abandoned_by: tuple[int, ...] = ()
    """Who closed the match because they were too few to go on."""

    # -- what is due ------------------------------------------------------------------------

    @property
    def place(self) -> Place:
        """Where the due contributions stand."""
        return Place(self.header.match, self.head, self.step)

    @cached_property
    def full_digest(self) -> bytes:
        """SHA-256 of the canonical public state, 32 octets."""
        return hashlib.sha256(pack(self.state.public())).digest()

    @property
    def digest(self) -> bytes:
        """The first 8 octets of `full_digest`: what every contribution carries."""
        return self.full_digest[:8]

    @property
    def closed(self) -> bool:
        """The footer has been signed: nothing may follow."""
        return self.stage is Stage.CLOSED

    @property
    def settled(self) -> int:
        """The last step on whose head all seats in play have signed; later ones are tentative."""
        signed = (self.signed.get(seat, 0) for seat in self.in_play)
        return max(0, min(signed, default=0) - 1)

    @cached_property
    def in_play(self) -> tuple[int, ...]:
        """The seats that vote, ascending."""
        return decisions.in_play(self)

    @property
    def _last_seats(self) -> set[int]:
        """Those of the last hand who are still there, before the first hand all."""
        return set(self.hand_seats or range(len(self.header.seats))) - self.out

    def chair(self, seat: int) -> int:
        """The place of `seat` in the order of play, which the engine calls its seat."""
        return self.order.index(seat)

    @cached_property
    def due(self) -> Due | None:
        """The contributions that complete this step; None when the match is closed."""
        if self.stage is Stage.CLOSED:
            return None
        if self.stage in (Stage.FLIP_COMMIT, Stage.FLIP_REVEAL):
            commit = self.stage is Stage.FLIP_COMMIT
            kind = Kind.FLIP_COMMIT if commit else Kind.FLIP_REVEAL
            return Due(kind, self._flip().seats)
        if self.stage in (Stage.CHECKPOINT, Stage.FOOTER):
            kind = Kind.CHECKPOINT if self.stage is Stage.CHECKPOINT else Kind.FOOTER
            guilty = {broken.seat for broken in self.broken}
            # If all broke a promise, nobody else is left to close the hand: then they all sign.
            seats = self._last_seats
            return Due(kind, tuple(sorted(seats - guilty or seats)))
        return self._due_in_play()

    def _due_in_play(self) -> Due:
        turn = self.state.turn()
        if isinstance(turn, Decide):
            return Due(Kind.MOVE, (self.order[turn.seat],))
        if isinstance(turn, Ask):
            return Due(Kind.ANSWER, tuple(sorted(self.order[chair] for chair in turn.seats)))
        if isinstance(turn, Over):
            raise LocalProtocolError("a finished match is still in play")
        deal = self.dealt()
        everybody = tuple(sorted(self.hand_seats))
        match turn.requests[0]:
            case Shuffle():
                if deal.phase is Phase.SHUFFLE:
                    return Due(Kind.SHUFFLE, (deal.shuffler,))
                return Due(Kind.COMMIT if deal.phase is Phase.COMMIT else Kind.KEY, everybody)
            case Show() | Open():
                return Due(Kind.SHARES, tuple(s for s in everybody if self.owed(s, turn)))
            case Reseal(by=chair):
                return Due(Kind.RESEAL, (self.order[chair],))
            case Reveal():
                return Due(Kind.REVEAL, everybody)
            case other:
                raise LocalProtocolError(f"no seat can answer {type(other).__name__}")

    def dealt(self) -> Deal:
        """The deal of the hand in play."""
        if self.deal is None:
            raise LocalProtocolError("no hand is being dealt")
        return self.deal

    def _flip(self) -> flips.Flip:
        if self.flip is None:
            raise LocalProtocolError("no coin is being flipped")
        return self.flip

    def owed(self, seat: int, turn: Cards) -> list[int]:
        """The slots for which `seat` owes shares before the engine's request is done."""
        show, open_ = self._wanted(turn)
        return self.dealt().owed(seat, show, open_)

    def _wanted(self, turn: Cards) -> tuple[list[tuple[int, int]], list[int]]:
        """(slot, receiving seat) pairs to show, and slots to open, of Show and Open requests."""
        show: list[tuple[int, int]] = []
        open_: list[int] = []
        for request in turn.requests:
            if isinstance(request, Show):
                show += [(slot, self.order[request.to]) for slot in request.slots]
            elif isinstance(request, Open):
                open_ += request.slots
            else:
                raise LocalProtocolError(f"{type(request).__name__} among Show and Open")
        return show, open_

    # -- checking and going on ----------------------------------------------------------------

    def is_signed(self, seat: int, signed: bytes, signature: bytes) -> bool:
        """Whether `signature` is that of `seat`, one of the header's, on `signed`."""
        return verify(self.header.seats[seat].key, signed, signature)

    def verify_signature(self, c: Contribution, place: Place | None = None) -> None:
        """Fault unless `c` names a seat of the header and that seat signed it for `place`, by
        default the step that is due."""
        if not 0 <= c.seat < len(self.header.seats):
            raise Fault(None, self.step, "seat", f"there is no seat {c.seat} at this table")
        if not self.is_signed(c.seat, statement(place or self.place, c), c.signature):
            raise Fault(c.seat, self.step, "signature", "the signature is not this seat's")

    def check(self, c: Contribution) -> Checked:
        """`c` as part of this step. Fault: its author did wrong, or didn't sign it (`signature`).

        Every other kind of Fault is proved by the contribution itself: it is properly signed at
        this head and yet invalid.
        """
        self.verify_signature(c)
        due = self.due
        if due is None:
            raise Fault(c.seat, self.step, "not-due", "something follows the end of the match")
        if c.kind is not due.kind or c.seat not in due.seats:
            raise Fault(
                c.seat, self.step, "not-due", f"a {c.kind} of this seat is not due, {due.kind} is"
            )
        if c.digest != self.digest:
            raise Fault(c.seat, self.step, "digest", "it was signed on another state of the game")
        return Checked(c, rounds.HANDLERS[c.kind].check(self, c.seat, c.body))

    def advance(self, checked: Iterable[Checked]) -> tuple[Step, Position]:
        """The completed step and the Position after it, from exactly the due contributions.

        Fault, without a seat: each is right and all together are not (keys that cancel out).
        """
        parts = sorted(checked, key=lambda part: part.contribution.seat)
        due = self.due
        if due is None or tuple(p.contribution.seat for p in parts) != due.seats:
            raise LocalProtocolError("a step is completed by exactly the contributions due")
        step = Step(self.step, tuple(p.contribution for p in parts))
        after = rounds.HANDLERS[due.kind].complete(self, parts)
        head = next_head(self.head, step.pack())
        signed = {**self.signed, **dict.fromkeys(due.seats, self.step)}
        # Whatever allowed this step to be proved later says nothing of the next one.
        return step, replace(after, step=self.step + 1, head=head, signed=signed, later=False)

    def settle(self) -> Position:
        """Answer whatever the engine asks that needs nobody's contribution any more."""
        position = self
        while position.stage is Stage.PLAY:
            turn = position.state.turn()
            if isinstance(turn, Over):
                return replace(position, stage=Stage.FOOTER)
            if not isinstance(turn, Cards):
                return position
            following = position._answer(turn)
            if following is None:
                return position
            position = following
        return position

    def _answer(self, turn: Cards) -> Position | None:
        match turn.requests[0]:
            case Draw(deck=deck):
                if not self.joint:
                    seats = tuple(sorted(self._last_seats))
                    return replace(self, stage=Stage.FLIP_COMMIT, flip=flips.Flip(seats))
                drawn = Drawn(flips.draw(self.joint, deck))
                return replace(self, state=self.state.apply(drawn), joint=b"")
            case Shuffle() as request:
                return self._answer_shuffle(request)
            case Show() | Open():
                if any(self.owed(seat, turn) for seat in self.hand_seats):
                    return None
                show, open_ = self._wanted(turn)
                deal = self.dealt()
                faces = tuple(deal.terms.deck.face(deal.card(slot)) for slot in open_)
                state = self.state.apply(Seen(faces))
                return replace(self, state=state, deal=deal.with_shown(show))
        return None

    def _answer_shuffle(self, request: Shuffle) -> Position | None:
        if self.deal is None:
            seats = tuple(self.order[chair] for chair in self.state.players)
            terms = Terms(
                self.header.match,
                self.header.keys,
                self.state.hand,
                seats,
                request.deck,
                request.cut,
            )
            deal = Deal(self.group, terms)
            return replace(self, deal=deal, hand_seats=seats, revealed=None)
        if self.deal.phase is Phase.READY:
            return replace(self, state=self.state.apply(Shuffled(None)))
        return None


def first_position(header: Header, header_payload: bytes, group: Group) -> Position:
    """The Position after the header: step 1 is due.

    UnsupportedFormat: a game or a version of its rules that this program doesn't know.
    InvalidHeader: the game can't be played with these options by so many.
    """
    if header.game not in registry.GAMES:
        raise UnsupportedFormat(f"this match is of a game called {header.game}, not known here")
    game = registry.get(header.game)
    if header.rules != game.version:
        raise UnsupportedFormat(
            f"this match was played by version {header.rules} of the rules of {header.game}; "
            f"this program has version {game.version}"
        )
    hands_limit(header)
    try:
        options: Any = from_items(game.options_type, header.options)
        state = game.start(options, len(header.seats))
    except EngineError as error:
        raise InvalidHeader(f"the table can't be set up: {error}") from error
    seats = tuple(range(len(header.seats)))
    return Position(
        group, header, game, state, 1, first_head(header_payload), flip=flips.Flip(seats)
    )


def checked_step(position: Position, entries: Sequence[Contribution]) -> tuple[Step, Position]:
    """Check and complete a whole step, as a verifier does: Fault for the first thing wrong.

    A seat that is missing or doesn't belong is named, since signatures alone would accept a round
    with somebody left out.
    """
    due = position.due
    if due is None:
        seat = entries[0].seat if entries else None
        raise Fault(seat, position.step, "not-due", "something follows the end of the match")
    if entries and entries[0].kind in DECISIONS:
        return _checked_decision(position, entries)
    checked = [position.check(c) for c in entries]
    for seat in due.seats:
        if seat not in {c.seat for c in entries}:
            raise Fault(seat, position.step, "missing", f"the {due.kind} of this seat is missing")
    return position.advance(checked)


def _checked_decision(position: Position, votes: Sequence[Contribution]) -> tuple[Step, Position]:
    """The step that votes fill: exactly those of one decision, whole."""
    decision = decisions.decision_of(position, votes)
    if decision is None or decision.votes != tuple(votes):
        raise Fault(None, position.step, "vote", "these votes decide nothing")
    return decisions.follow_decision(position, decision)
