"""What a position of Mambassa tells: whose turn it is, which moves, which cards (MAM-10..MAM-14).

Law: this file reads a position and learns of cards that were opened. It must never know how one
position leads to the next (mambassa_state).

Who knows what. `opened` and `shown` say which slots a seat may see *now*. A reseal takes its slots
out of `opened` and out of the `shown` of everybody but the owner, who made the permutation and so
still knows all of them: the one that is then discarded too, wherever it lies, until somebody who
drew it reseals it in turn (MAM-13).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Final, Self

from engine.cards import UNKNOWN
from engine.contract import (
    Ask,
    Decide,
    Move,
    Over,
    Pile,
    Public,
    Result,
    Seen,
    State,
    Turn,
    mask_of,
)
from engine.errors import OutOfTurn
from engine.games import mambassa_settle
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
from engine.games.petrangola_position import open_slots

Hand = tuple[int, ...]
"""Four slots."""
Claim = tuple[bool, int]
"""What a promise says: declared or not, and how many reseals of the hand came before it."""


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


class Position(State):
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
    claims   what each of `promises` says
    declared the seats that declared, in the order of play
    outcome  what the hands showed, until the next deal
    start    the seat from which the next dealer is looked for (PET-05, GEN-02)
    auto     an open state, which answers its own card requests
    """

    __slots__ = (
        "at",
        "auto",
        "breaches",
        "claims",
        "dealer",
        "deck",
        "declared",
        "discard",
        "due",
        "faces",
        "hand",
        "held",
        "left",
        "made",
        "match",
        "monte",
        "notes",
        "opened",
        "options",
        "outcome",
        "phase",
        "players",
        "promises",
        "reseals",
        "seats",
        "shown",
        "start",
        "stock",
        "turns",
    )
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
    claims: tuple[Claim, ...]
    declared: tuple[int, ...]
    outcome: Outcome | None
    start: int
    auto: bool

    # ------------------------------------------------------------------ what it tells

    def turn(self) -> Turn:
        return self.due

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
        true = special(self.faces, slots)
        return _EITHER if true is None else _DECLARE if true else _NONE

    def public(self) -> Public:
        asked = self.due.seats if isinstance(self.due, Ask) else ()
        end: Public = self.due.result.public() if isinstance(self.due, Over) else ()
        match = self.match
        return (
            (self.phase.name.lower(), self.hand, self.dealer, self.start, asked, end),
            (match.tokens, match.paid, match.drawn),
            self.players,
            tuple((s, f) for s, f in enumerate(self.faces) if self.opened >> s & 1),
            (self.held, self.monte, self.stock),
            (self.at, self.left, self.turns, self.made, int(self.discard), self.reseals),
            tuple((p.seat, p.rule, p.slots, p.move) for p in self.promises),
            tuple((b.promise.seat, b.promise.rule, b.promise.move) for b in self.breaches),
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
        new.faces = faces
        new.auto = False
        return new

    def _copy(self) -> Self:
        new = object.__new__(type(self))
        new.match = self.match
        new.options = self.options
        new.seats = self.seats
        new.hand = self.hand
        new.players = self.players
        new.dealer = self.dealer
        new.deck = self.deck
        new.faces = self.faces
        new.opened = self.opened
        new.shown = self.shown
        new.promises = self.promises
        new.breaches = self.breaches
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
        new.claims = self.claims
        new.declared = self.declared
        new.outcome = self.outcome
        new.start = self.start
        new.auto = self.auto
        return new

    def _see(self, given: Seen) -> Self:
        """A copy that knows what the due Open requests showed."""
        slots = open_slots(self.due)
        if len(given.faces) != len(slots):
            raise OutOfTurn(f"{len(slots)} faces are due, not {len(given.faces)}")
        new = self._copy()
        faces = bytearray(self.faces)
        for slot, face in zip(slots, given.faces, strict=True):
            if not 0 <= face < self.deck.size or faces[slot] not in (face, UNKNOWN):
                raise ValueError(f"slot {slot} can't show the face {face}")
            faces[slot] = face
        new.faces = bytes(faces)
        new.opened |= mask_of(slots)
        return new

    def _checked(self, faces: bytes) -> bytes:
        """`faces` if they are the deck; else NotationError, which says what is wrong."""
        if bytes(sorted(faces)) != self.match.sorted_deck:
            self.deck.check(faces)
        return bytes(faces)

    def _agree(self, faces: bytes) -> None:
        """ValueError unless the whole deck, as it lies now, agrees with every card known so far:
        whoever opened or dealt them had to see to that, so it is no player's fault."""
        for slot, face in enumerate(self.faces):
            if face not in (faces[slot], UNKNOWN):
                raise ValueError(f"slot {slot} was opened as {face} and is revealed otherwise")


def special(faces: bytes, slots: Sequence[int]) -> bool | None:
    """Whether the cards of four slots are to be declared (MAM-31); None if one is unknown."""
    a, b, c, d = slots
    a, b, c, d = faces[a], faces[b], faces[c], faces[d]
    mask = 1 << a | 1 << b | 1 << c | 1 << d
    if mask >> UNKNOWN:
        return None
    return mask in DECLARED
