"""What a position of Mambassa tells: whose turn it is, which moves, which cards (MAM-10..MAM-14).

Law: this file reads a position and learns of cards that were opened. It must never know how one
position leads to the next (mambassa_state).

Who knows what. `opened` and `shown` say which slots a seat may see *now*. A reseal takes its slots
out of `opened` and out of the `shown` of everybody but the owner, who made the permutation and so
still knows all of them: the one that is then discarded too, wherever it lies, until somebody who
drew it reseals it in turn (MAM-13).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple, Self

from engine.cards import UNKNOWN, Deck
from engine.contract import (
    Ask,
    Breach,
    Decide,
    Move,
    Note,
    Over,
    Pile,
    Promise,
    Public,
    Result,
    Seen,
    Turn,
    mask_of,
)
from engine.games import mambassa_settle
from engine.games.mambassa_hands import DECLARED, MambassaOptions
from engine.games.mambassa_moves import (
    BOTTOMS,
    CAMICIA,
    DECLARE,
    DISCARD,
    EXCHANGES,
    KNOCK,
    NONE,
    STAY,
)
from engine.games.mambassa_settle import Match, Outcome, Shown
from engine.position import Dealt, Kept, open_slots, reads_from

Hand = tuple[int, ...]
"""Four slots."""
Claim = tuple[bool, int]
"""What a promise says: declared or not, and how many reseals of the hand came before it."""


class Statement(NamedTuple):
    """A promise of `seat`: whether it `declares` the cards of `slots`, by which move of the hand,
    and how many reseals came before it."""

    seat: int
    slots: Hand
    move: int
    declares: bool
    reseals: int

    @property
    def promise(self) -> Promise:
        """What the contract calls it."""
        return Promise(self.seat, "MAM-32", self.slots, self.move)

    @property
    def claim(self) -> Claim:
        """What it says."""
        return self.declares, self.reseals


class Phase(IntEnum):
    """Where a match stands; mambassa_state has the table of what leads where."""

    DRAW = 0
    SHUFFLE = 1
    LOOK = 2
    CHOOSE = 3
    TURNUP = 4
    STATEMENTS = 5
    PLAY = 6
    OPENING = 7
    STATEMENT = 8
    RESEAL = 9
    BOTTOM = 10
    DRAWING = 11
    SHOW = 12
    REVEAL = 13
    OVER = 14


_PLAY = Phase.PLAY
_STATEMENT = Phase.STATEMENT
_CHOICE: Final[tuple[Move, ...]] = (STAY, CAMICIA)
_TURN: Final[tuple[Move, ...]] = (KNOCK, DISCARD, *EXCHANGES, CAMICIA)
_BOTTOM: Final[tuple[Move, ...]] = BOTTOMS
_EITHER: Final[tuple[Move, ...]] = (DECLARE, NONE)
_DECLARE: Final[tuple[Move, ...]] = (DECLARE,)
_NONE: Final[tuple[Move, ...]] = (NONE,)


@dataclass(slots=True)
class Deal(Kept):
    """What stays the same from turn to turn of an open hand; see Position for the fields."""

    options: MambassaOptions
    seats: int
    deck: Deck
    match: Match
    players: tuple[int, ...] = ()
    decides: tuple[Decide, ...] = ()
    most: int = 0
    hand: int = 0
    dealer: int = -1
    start: int = 0
    faces: bytes = b""
    auto: bool = False
    breaches: tuple[Breach, ...] = ()
    outcome: Outcome | None = None


class Position(Dealt):
    """A position; see `State` for the fields that all games have. Further ones, for reading:

    match    tokens, payments and options (mambassa_settle.Match)
    phase    the row of mambassa_state's table
    held     the slots of each hand, indexed like `players`
    monte    the slots of the monte, () before the deal
    stock    the slots of the stock, its top first
    at       whose turn it is, an index into `players`
    left     turns that remain after a bussata, -1 before it
    turns    turns begun in this hand
    made     Moves and Answers of this hand so far
    discard  a discard follows in this turn
    reseals  reseals of this hand so far
    said     what was stated and isn't settled
    claims   what each of `promises` says
    declared the seats that declared, in the order of play
    decides  what is due when it is that player's turn, indexed like `players`
    most     with how many turns the hand ends at the latest (PET-26), 0 if it doesn't
    outcome  what the hands showed, until the next deal
    start    the seat from which the next dealer is looked for (PET-05, GEN-02)
    auto     an open state, which answers its own card requests

    Only `deal` and the slots below are stored, so that a turn costs a short copy.
    """

    __slots__ = (
        *("at", "deal", "declared", "discard", "due", "held", "left", "made", "monte"),
        *("notes", "opened", "phase", "reseals", "said", "shown", "stock", "turns"),
    )
    deal: Deal
    match: Match
    phase: Phase
    due: Turn
    held: tuple[Hand, ...]
    monte: Hand
    stock: tuple[int, ...]
    at: int
    left: int
    turns: int
    made: int
    discard: bool
    reseals: int
    said: tuple[Statement, ...]
    claims: tuple[Claim, ...]
    declared: tuple[int, ...]
    decides: tuple[Decide, ...]
    most: int
    notes: tuple[Note, ...]
    outcome: Outcome | None
    start: int
    auto: bool

    # ------------------------------------------------------------------ what it tells

    def legal(self, seat: int | None = None) -> Sequence[Move]:
        phase, due = self.phase, self.due
        if isinstance(due, Decide):
            if seat is not None and seat != due.seat:
                return ()
            if phase is _PLAY:
                return _TURN
            if phase is _STATEMENT:
                return self._statements(self.held[self.at])
            return _BOTTOM if phase is Phase.BOTTOM else _CHOICE
        if not isinstance(due, Ask):
            return ()
        if seat is None:
            return _EITHER
        return self._statements(self.hand_of(seat)) if seat in due.seats else ()

    def _statements(self, slots: Hand) -> tuple[Move, ...]:
        true = special(self.deal.faces, slots)
        return _EITHER if true is None else _DECLARE if true else _NONE

    def public(self) -> Public:
        asked = self.due.seats if isinstance(self.due, Ask) else ()
        match, phase = self.match, self.phase.name.lower()
        return (
            (phase, self.hand, self.dealer, self.start, asked, self._end()),
            (match.tokens, match.paid, match.drawn),
            self.players,
            self._table(),
            (self.held, self.monte, self.stock),
            (self.at, self.left, self.turns, self.made, int(self.discard), self.reseals),
            self._promised(),
            self._broken(),
        )

    def piles(self) -> tuple[Pile, ...]:
        if not self.faces:
            return ()
        hands = [Pile("hand", seat, h) for seat, h in zip(self.players, self.held, strict=True)]
        hands.sort(key=lambda pile: pile.seat)
        return (*hands, Pile("monte", -1, self.monte), Pile("stock", -1, self.stock))

    def scores(self) -> tuple[int, ...]:
        """Tokens."""
        return self.match.tokens

    def standing(self) -> Result:
        if isinstance(self.due, Over):
            return self.due.result
        return mambassa_settle.result(self.match, (), mambassa_settle.UNFINISHED)

    def showdown(self) -> tuple[Shown, ...]:
        """Each hand's worth, in dealing order, and who pays: from the end of a deal to the next;
        () otherwise."""
        return self.outcome.shown if self.outcome else ()

    def hand_of(self, seat: int) -> Hand:
        """The slots of `seat`'s hand, () if it holds none."""
        if seat not in self.players or not self.held:
            return ()
        return self.held[self.players.index(seat)]

    def with_faces(self, faces: bytes) -> Self:
        new = self._copy()
        new.deal = self.deal.but(faces=faces, auto=False)
        return new

    def _copy(self) -> Self:
        new = object.__new__(type(self))
        new.deal = self.deal
        new.opened = self.opened
        new.shown = self.shown
        new.said = self.said
        new.notes = ()
        new.phase = self.phase
        new.due = self.due
        new.held = self.held
        new.monte = self.monte
        new.stock = self.stock
        new.at = self.at
        new.left = self.left
        new.turns = self.turns
        new.made = self.made
        new.discard = self.discard
        new.reseals = self.reseals
        new.declared = self.declared
        return new

    def _see(self, given: Seen) -> Self:
        """A copy that knows what the due Open requests showed."""
        new = self._copy()
        new.deal = self.deal.but(faces=self._shown_by(given))
        new.opened |= mask_of(open_slots(self.due))
        return new


def _promises(self: Position) -> tuple[Promise, ...]:
    return tuple(statement.promise for statement in self.said)


def _claims(self: Position) -> tuple[Claim, ...]:
    return tuple(statement.claim for statement in self.said)


# These are read from a position's deal, or made when somebody asks; a position doesn't store them.
reads_from(Position, "deal", Deal)
_MADE: Final[dict[str, Callable[[Position], object]]] = {"promises": _promises, "claims": _claims}
for _name, _make in _MADE.items():
    setattr(Position, _name, property(_make))


def special(faces: bytes, slots: Sequence[int]) -> bool | None:
    """Whether the cards of four slots are to be declared (MAM-31); None if one is unknown."""
    a, b, c, d = slots
    a, b, c, d = faces[a], faces[b], faces[c], faces[d]
    mask = 1 << a | 1 << b | 1 << c | 1 << d
    if mask >> UNKNOWN:
        return None
    return mask in DECLARED
