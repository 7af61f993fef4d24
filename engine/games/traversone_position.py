"""What a position of Traversone tells: whose turn, which plays, which cards (TRA-03, TRA-30).

Law: this file reads a position and learns of cards that were opened. It must never know how one
position leads to the next (traversone_state).
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Final, Self

from engine.cards import UNKNOWN
from engine.contract import (
    Cards,
    Move,
    Open,
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
from engine.games.traversone_count import DECK, RANKS, Count, TraversoneOptions
from engine.games.traversone_match import Match
from engine.games.traversone_moves import ASIDES, plays, slots_of

SUITS: Final = len(DECK.kind.suits)
ALL_SLOTS: Final = (1 << DECK.size) - 1
SORTED_DECK: Final = bytes(range(DECK.size))


class Phase(IntEnum):
    """Where a match stands; traversone_state has the table of what leads where."""

    DRAW = 0
    SHUFFLE = 1
    LOOK = 2
    ASIDE = 3
    PLAY = 4
    OPENING = 5
    DRAWING = 6
    COUNT = 7
    REVEAL = 8
    OVER = 9


_PLAY: Final = Phase.PLAY
_NO_SUITS: Final = (0,) * SUITS


def suit_masks(faces: bytes) -> tuple[int, ...]:
    """For each suit the slots that are known to hold a card of it."""
    masks = [0] * SUITS
    for slot, face in enumerate(faces):
        if face != UNKNOWN:
            masks[face // RANKS] |= 1 << slot
    return tuple(masks)


class Position(State):
    """A position; see `State` for the fields that all games have. Further ones, for reading, with
    masks of slots (bit i: slot i) and one item for each of `players`, in their order:

    match    totals, places and options (traversone_match.Match)
    phase    the row of traversone_state's table
    packets  the slots that each player was dealt or drew
    left     the slots that are in the hands still
    stock    the first slot of the stock that wasn't drawn; the deck's size if there is none
    aside    the slot put aside by the dealer of three, -1 if there is none (TRA-31)
    trick    the slots on the table, in the order of play
    led      the suit that was led, -1 before a lead
    best     the face that takes the trick so far
    taker    who played it, an index into `players`; between tricks who took the last one
    at       whose turn it is, an index into `players`
    won      the slots that each player took
    moves    moves made in this hand; before the first, draws that left it open who deals
    laying   the slot that is being opened, -1 if none is
    suits    for each suit the slots that are known to hold a card of it
    vowed    bit at * 4 + suit: that player promised to hold none of the suit (TRA-04)
    vows     for each of `promises` its bit in `vowed`
    count    what the hand comes to, from its last trick to the end of its audit
    drawing  the seats among which the draw for the first deal goes on
    auto     an open state, which answers its own card requests
    """

    __slots__ = (
        "aside",
        "at",
        "auto",
        "best",
        "breaches",
        "count",
        "dealer",
        "deck",
        "drawing",
        "due",
        "faces",
        "hand",
        "laying",
        "led",
        "left",
        "match",
        "moves",
        "notes",
        "opened",
        "options",
        "packets",
        "phase",
        "players",
        "promises",
        "seats",
        "shown",
        "stock",
        "suits",
        "taker",
        "trick",
        "vowed",
        "vows",
        "won",
    )
    options: TraversoneOptions
    match: Match
    phase: Phase
    due: Turn
    packets: tuple[int, ...]
    left: int
    stock: int
    aside: int
    trick: tuple[int, ...]
    led: int
    best: int
    taker: int
    at: int
    won: tuple[int, ...]
    moves: int
    laying: int
    suits: tuple[int, ...]
    vowed: int
    vows: tuple[int, ...]
    count: Count | None
    drawing: tuple[int, ...]
    auto: bool

    def turn(self) -> Turn:
        return self.due

    def legal(self, seat: int | None = None) -> Sequence[Move]:
        at = self.at
        if self.phase is _PLAY and (seat is None or seat == self.players[at]):
            hand = self.packets[at] & self.left
            if self.led >= 0:
                follow = hand & self.suits[self.led]
                if follow:
                    return plays(follow if self.auto else follow | hand & self.dark())
            return plays(hand)
        if self.phase is Phase.ASIDE and seat in (None, self.dealer):
            return tuple(ASIDES[slot] for slot in slots_of(self.packets[-1]))
        return ()

    def dark(self) -> int:
        """The slots whose card isn't known."""
        a, b, c, d = self.suits
        return ~(a | b | c | d)

    def public(self) -> Public:
        end: Public = self.due.result.public() if isinstance(self.due, Over) else ()
        match = self.match
        return (
            (self.phase.name.lower(), self.hand, self.dealer, self.drawing, end),
            (match.totals, match.living, match.placed, int(match.further), match.ended),
            self.players,
            tuple((s, f) for s, f in enumerate(self.faces) if self.opened >> s & 1),
            (self.packets, self.left, self.stock, self.aside, self.won),
            (self.trick, self.taker, self.at, self.moves, self.laying),
            tuple((p.seat, p.rule, p.slots, p.move) for p in self.promises),
            tuple((b.promise.seat, b.promise.rule, b.promise.move) for b in self.breaches),
        )

    def piles(self) -> tuple[Pile, ...]:
        """Hands, what each took (`won`), and on the table `trick`, `aside` and `stock`."""
        if not self.faces:
            return ()
        order = sorted(range(len(self.players)), key=self.players.__getitem__)
        hands = [
            Pile("hand", self.players[i], slots_of(self.packets[i] & self.left)) for i in order
        ]
        won = [Pile("won", self.players[i], slots_of(self.won[i])) for i in order]
        table = [Pile("trick", -1, self.trick)]
        if self.aside >= 0 and self.count is None:
            table.append(Pile("aside", -1, (self.aside,)))
        if len(self.players) == 2:
            table.append(Pile("stock", -1, tuple(range(self.stock, self.deck.size))))
        return (*hands, *won, *table)

    def scores(self) -> tuple[int, ...]:
        """Penalties."""
        return self.match.totals

    def standing(self) -> Result:
        return self.match.result()

    def hand_of(self, seat: int) -> tuple[int, ...]:
        """The slots of `seat`'s hand, () if it holds none."""
        if seat not in self.players or not self.faces:
            return ()
        return slots_of(self.packets[self.players.index(seat)] & self.left)

    def with_faces(self, faces: bytes) -> Self:
        new = self._copy()
        new.notes = self.notes
        new.faces = faces
        new.suits = suit_masks(faces) if faces else _NO_SUITS
        new.auto = False
        return new

    def _copy(self) -> Self:
        new = object.__new__(type(self))
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
        new.match = self.match
        new.phase = self.phase
        new.due = self.due
        new.packets = self.packets
        new.left = self.left
        new.stock = self.stock
        new.aside = self.aside
        new.trick = self.trick
        new.led = self.led
        new.best = self.best
        new.taker = self.taker
        new.at = self.at
        new.won = self.won
        new.moves = self.moves
        new.laying = self.laying
        new.suits = self.suits
        new.vowed = self.vowed
        new.vows = self.vows
        new.count = self.count
        new.drawing = self.drawing
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
            if not 0 <= face < DECK.size or faces[slot] not in (face, UNKNOWN):
                raise ValueError(f"slot {slot} can't show the face {face}")
            faces[slot] = face
        new.faces = bytes(faces)
        new.suits = suit_masks(new.faces)
        new.opened |= mask_of(slots)
        return new

    def _checked(self, faces: bytes) -> bytes:
        """`faces` if they are the deck; else NotationError, which says what is wrong."""
        if bytes(sorted(faces)) != SORTED_DECK:
            self.deck.check(faces)
        return bytes(faces)

    def _agree(self, faces: bytes) -> None:
        """ValueError unless the whole deck agrees with every card known so far: whoever opened
        or dealt them had to see to that, so it is no player's fault."""
        for slot, face in enumerate(self.faces):
            if face not in (faces[slot], UNKNOWN):
                raise ValueError(f"slot {slot} was opened as {face} and is revealed otherwise")


def open_slots(due: Turn) -> tuple[int, ...]:
    """The slots that the due requests open, in their order."""
    requests = due.requests if isinstance(due, Cards) else ()
    return tuple(slot for r in requests if isinstance(r, Open) for slot in r.slots)
