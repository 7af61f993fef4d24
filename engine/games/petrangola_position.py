"""What a position of Petrangola tells: whose turn, which moves, which cards (PET-21..PET-24).

Law: this file reads a position and learns of cards that were opened. It must never know how one
position leads to the next (petrangola_state).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Final, Self

from engine.cards import ITALIAN, UNKNOWN
from engine.contract import (
    Ask,
    Cards,
    Decide,
    Move,
    Open,
    Over,
    Pile,
    Public,
    Result,
    Seen,
    Shuffle,
    State,
    Turn,
    mask_of,
)
from engine.errors import OutOfTurn
from engine.games import petrangola_moves, petrangola_settle
from engine.games.petrangola_hands import HAND, MAX_DECKS
from engine.games.petrangola_moves import (
    CAMICIA,
    DECLINE,
    EXCHANGES,
    KNOCK,
    KNOCK_SHOW,
    REENTER,
    STAY,
    Cut,
)
from engine.games.petrangola_settle import Match, Outcome, Shown

Hand = tuple[int, ...]
"""Three slots."""


class Phase(IntEnum):
    """Where a match stands; petrangola_state has the table of what leads where."""

    DRAW = 0
    CUT = 1
    SHUFFLE = 2
    LOOK = 3
    CHOOSE = 4
    TURNUP = 5
    PLAY = 6
    OPENING = 7
    PROVE = 8
    SHOW = 9
    REVEAL = 10
    ASK = 11
    OVER = 12


_PLAY = Phase.PLAY
_new = object.__new__
_ALL_CUTS: Final = tuple(Cut(at) for at in range(1, petrangola_moves.MAX_CUT + 1))
_CUTS: Final = {
    ITALIAN.size * copies: _ALL_CUTS[: ITALIAN.size * copies - 1]
    for copies in range(1, MAX_DECKS + 1)
}
"""By the size of the deck."""
_PLAIN: Final[tuple[Move, ...]] = (KNOCK, *EXCHANGES, CAMICIA)
_SHOWN: Final[tuple[Move, ...]] = (KNOCK_SHOW, *EXCHANGES, CAMICIA)
_EITHER: Final[tuple[Move, ...]] = (KNOCK, KNOCK_SHOW, *EXCHANGES, CAMICIA)
_CHOICE: Final[tuple[Move, ...]] = (STAY, CAMICIA)
_ANSWER: Final[tuple[Move, ...]] = (REENTER, DECLINE)


class Position(State):
    """A position; see `State` for the fields that all games have. Further ones, for reading:

    match    tokens, payments and options (petrangola_settle.Match)
    phase    the row of petrangola_state's table
    held     the slots of each hand, indexed like `players`
    monte    the slots of the monte, () before the deal
    when     when each hand was completed, the higher the later (PET-36), indexed like `players`
    at       whose turn it is, an index into `players`
    left     turns that remain after a bussata, -1 before it
    turns    turns taken in this hand
    outcome  what the showdown showed, until the next cut
    start    the seat from which the next dealer is looked for (PET-05, GEN-02)
    auto     an open state, which answers its own card requests
    """

    __slots__ = (
        "at",
        "auto",
        "breaches",
        "dealer",
        "deck",
        "due",
        "faces",
        "hand",
        "held",
        "left",
        "match",
        "monte",
        "notes",
        "opened",
        "options",
        "outcome",
        "phase",
        "players",
        "promises",
        "seats",
        "shown",
        "start",
        "turns",
        "when",
    )
    match: Match
    phase: Phase
    due: Turn
    held: tuple[Hand, ...]
    monte: tuple[int, ...]
    when: tuple[int, ...]
    at: int
    left: int
    turns: int
    outcome: Outcome | None
    start: int
    auto: bool

    # ------------------------------------------------------------------ what it tells

    def turn(self) -> Turn:
        return self.due

    def legal(self, seat: int | None = None) -> Sequence[Move]:
        phase = self.phase
        if phase is _PLAY:
            if seat is not None and seat != self.players[self.at]:
                return ()
            if not self.options.show_petrangola_on_knock:
                return _PLAIN
            shape = self._shape(self.held[self.at])
            return _EITHER if shape is None else _SHOWN if shape else _PLAIN
        if phase is Phase.ASK and isinstance(self.due, Ask):
            return _ANSWER if seat is None or seat in self.due.seats else ()
        if not isinstance(self.due, Decide) or seat not in (None, self.due.seat):
            return ()
        return _CHOICE if phase is Phase.CHOOSE else _CUTS[len(self.match.sorted_deck)]

    def public(self) -> Public:
        cut = 0
        asked: tuple[int, ...] = ()
        if isinstance(self.due, Cards) and isinstance(self.due.requests[0], Shuffle):
            cut = self.due.requests[0].cut
        elif isinstance(self.due, Ask):
            asked = self.due.seats
        match = self.match
        end: Public = self.due.result.public() if isinstance(self.due, Over) else ()
        return (
            (self.phase.name.lower(), self.hand, self.dealer, self.start, cut, asked, end),
            (match.tokens, match.paid, match.drawn, match.used, match.streak),
            self.players,
            tuple((s, f) for s, f in enumerate(self.faces) if self.opened >> s & 1),
            (self.held, self.monte, self.when),
            (self.at, self.left, self.turns),
            tuple((p.seat, p.rule, p.slots, p.move) for p in self.promises),
            tuple((b.promise.seat, b.promise.rule, b.promise.move) for b in self.breaches),
        )

    def piles(self) -> tuple[Pile, ...]:
        if not self.faces:
            return ()
        hands = [Pile("hand", seat, h) for seat, h in zip(self.players, self.held, strict=True)]
        hands.sort(key=lambda pile: pile.seat)
        stock = tuple(range(HAND * len(self.players) + HAND, self.deck.size))
        return (*hands, Pile("monte", -1, self.monte), Pile("stock", -1, stock))

    def scores(self) -> tuple[int, ...]:
        """Tokens."""
        return self.match.tokens

    def standing(self) -> Result:
        if isinstance(self.due, Over):
            return self.due.result
        return petrangola_settle.result(self.match, (), petrangola_settle.UNFINISHED)

    def showdown(self) -> tuple[Shown, ...]:
        """Each hand's worth, in dealing order, and who falls: from the showdown to the next cut;
        () otherwise."""
        return self.outcome.shown if self.outcome else ()

    def hand_of(self, seat: int) -> tuple[int, ...]:
        """The slots of `seat`'s hand, () if it holds none."""
        if seat not in self.players or not self.held:
            return ()
        return self.held[self.players.index(seat)]

    def with_faces(self, faces: bytes) -> Self:
        new = self._copy()
        new.faces = faces
        new.auto = False
        return new

    def _shape(self, slots: Sequence[int]) -> bool | None:
        """Whether these cards are a petrangola; None while one of them is unknown."""
        faces = self.faces
        a, b, c = slots
        a, b, c = faces[a], faces[b], faces[c]
        if a | b | c == UNKNOWN:  # all bits, as no known face has
            return None
        return (a * 40 + b) * 40 + c in self.match.judge.petrangole

    def _copy(self) -> Self:
        new = _new(type(self))
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
        new.when = self.when
        new.at = self.at
        new.left = self.left
        new.turns = self.turns
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
            if not 0 <= face < ITALIAN.size or faces[slot] not in (face, UNKNOWN):
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
        """ValueError unless the whole deck agrees with every card known so far: whoever opened
        or dealt them had to see to that, so it is no player's fault."""
        for slot, face in enumerate(self.faces):
            if face not in (faces[slot], UNKNOWN):
                raise ValueError(f"slot {slot} was opened as {face} and is revealed otherwise")


def open_slots(due: Turn) -> tuple[int, ...]:
    requests = due.requests if isinstance(due, Cards) else ()
    return tuple(slot for r in requests if isinstance(r, Open) for slot in r.slots)


def text_of(faces: bytes, slots: Sequence[int]) -> str:
    return ITALIAN.join(faces[slot] for slot in slots)
