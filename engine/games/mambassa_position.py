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

from engine.cards import ITALIAN, UNKNOWN
from engine.contract import (
    Ask,
    Decide,
    Move,
    Promise,
    Public,
    mask_of,
)
from engine.games import monte
from engine.games.mambassa_hands import DECLARED
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
from engine.games.monte import Hand
from engine.position import reads_from

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


# An enum's member is looked up anew whenever it is named, which takes as long as a call.
_PLAY, _STATEMENT, _BOTTOMS = Phase.PLAY, Phase.STATEMENT, Phase.BOTTOM
_CHOICE: Final[tuple[Move, ...]] = (STAY, CAMICIA)
_TURN: Final[tuple[Move, ...]] = (KNOCK, DISCARD, *EXCHANGES, CAMICIA)
_BOTTOM: Final[tuple[Move, ...]] = BOTTOMS
_EITHER: Final[tuple[Move, ...]] = (DECLARE, NONE)
_DECLARE: Final[tuple[Move, ...]] = (DECLARE,)
_NONE: Final[tuple[Move, ...]] = (NONE,)


@dataclass(slots=True)
class Deal(monte.Deal):
    """What stays the same from turn to turn of an open hand."""

    match: Match
    outcome: Outcome | None = None


class Position(monte.Table):
    """A position; see `State` and `monte.Table` for its fields. Further ones, for reading:

    phase    the row of mambassa_state's table
    stock    the slots of the stock, its top first
    made     Moves and Answers of this hand so far
    discard  a discard follows in this turn
    reseals  reseals of this hand so far
    said     what was stated and isn't settled
    claims   what each of `promises` says
    declared the seats that declared, in the order of play
    """

    __slots__ = ("declared", "discard", "made", "reseals", "said", "stock")
    stages = monte.Stages(Phase.DRAW, Phase.PLAY, Phase.SHOW, Phase.OVER)
    deal: Deal
    match: Match
    phase: Phase
    stock: tuple[int, ...]
    made: int
    discard: bool
    reseals: int
    said: tuple[Statement, ...]
    claims: tuple[Claim, ...]
    declared: tuple[int, ...]
    outcome: Outcome | None

    # ------------------------------------------------------------------ what it tells

    def legal(self, seat: int | None = None) -> Sequence[Move]:
        phase, due = self.phase, self.due
        if phase is _STATEMENT:  # half of all moves
            if seat is not None and seat != self.deal.players[self.at]:
                return ()
            # `_statements`, written out
            a, b, c, d = self.held[self.at]
            mask = 1 << a | 1 << b | 1 << c | 1 << d
            declared, hidden = self.deal.known or self._where_special()
            if mask in declared:
                return _DECLARE
            return _EITHER if mask & hidden else _NONE
        if isinstance(due, Decide):
            if seat is not None and seat != due.seat:
                return ()
            if phase is _PLAY:
                return _TURN
            return _BOTTOM if phase is _BOTTOMS else _CHOICE
        if not isinstance(due, Ask):
            return ()
        if seat is None:
            return _EITHER
        return self._statements(self.hand_of(seat)) if seat in due.seats else ()

    def _statements(self, slots: Hand) -> tuple[Move, ...]:
        a, b, c, d = slots
        mask = 1 << a | 1 << b | 1 << c | 1 << d
        declared, hidden = self.deal.known or self._where_special()
        if mask in declared:
            return _DECLARE
        return _EITHER if mask & hidden else _NONE

    def _where_special(self) -> tuple[frozenset[int], int]:
        """`where_special`, worked out once for all positions of this deal."""
        known = self.deal.known = where_special(self.deal.faces)
        return known

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

    def _stock(self) -> tuple[int, ...]:
        return self.stock

    def showdown(self) -> tuple[Shown, ...]:
        """Each hand's worth, in dealing order, and who pays: from the end of a deal to the next;
        () otherwise."""
        return self.outcome.shown if self.outcome else ()

    def _copy(self) -> Self:
        new = type(self)()
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


def _promises(self: Position) -> tuple[Promise, ...]:
    return tuple(statement.promise for statement in self.said)


def _claims(self: Position) -> tuple[Claim, ...]:
    return tuple(statement.claim for statement in self.said)


# These are read from a position's deal, or made when somebody asks; a position doesn't store them.
reads_from(Position, "deal", Deal)
_MADE: Final[dict[str, Callable[[Position], object]]] = {"promises": _promises, "claims": _claims}
for _name, _make in _MADE.items():
    setattr(Position, _name, property(_make))


_DECLARED_FACES: Final = tuple(
    tuple(face for face in range(ITALIAN.size) if mask >> face & 1) for mask in sorted(DECLARED)
)


def where_special(faces: bytes) -> tuple[frozenset[int], int]:
    """Where those hands of MAM-31 lie that are known, as masks of slots, and a mask of the slots
    that aren't: what `special` tells, for one deal and many hands."""
    find = faces.find
    places = [[find(face) for face in four] for four in _DECLARED_FACES]
    found = [1 << a | 1 << b | 1 << c | 1 << d for a, b, c, d in places if min(a, b, c, d) >= 0]
    hidden = 0
    if UNKNOWN in faces:
        hidden = mask_of([slot for slot, face in enumerate(faces) if face == UNKNOWN])
    return frozenset(found), hidden


def special(faces: bytes, slots: Sequence[int]) -> bool | None:
    """Whether the cards of four slots are to be declared (MAM-31); None if one is unknown."""
    a, b, c, d = slots
    a, b, c, d = faces[a], faces[b], faces[c], faces[d]
    mask = 1 << a | 1 << b | 1 << c | 1 << d
    if mask >> UNKNOWN:
        return None
    return mask in DECLARED
