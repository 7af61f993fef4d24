"""What a position of Traversone tells: whose turn, which plays, which cards (TRA-03, TRA-30).

Law: this file reads a position and learns of cards that were opened. It must never know how one
position leads to the next (traversone_state).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, Self

from engine.cards import UNKNOWN, Deck
from engine.contract import (
    Breach,
    Decide,
    Move,
    Pile,
    Promise,
    Public,
    Result,
    Seen,
    mask_of,
)
from engine.games import tricks
from engine.games.traversone_count import (
    DECK,
    RANKS,
    THIRDS,
    Count,
    TraversoneOptions,
)
from engine.games.traversone_match import Match
from engine.games.traversone_moves import ASIDES, plays, slots_of
from engine.games.tricks import NOTHING
from engine.position import Kept, open_slots, reads_from

SUITS: Final = len(DECK.kind.suits)
DECK_SIZE: Final = DECK.size
DRAWING_PLAYERS: Final = 2
"""So many play with a stock (TRA-30)."""
Vow = tuple[int, int, int]


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
WORTH: Final = tuple(row.ljust(UNKNOWN + 1, b"\0") for row in THIRDS)
"""THIRDS for bytes.translate, with nothing for a card that isn't known."""

_IN_SUIT: Final = tuple(
    bytes(b"01"[face < DECK.size and face // RANKS == suit] for face in range(UNKNOWN + 1))
    for suit in range(SUITS)
)
"""For bytes.translate: from faces to the digits of a number."""


def suit_masks(faces: bytes) -> tuple[int, ...]:
    """For each suit the slots that are known to hold a card of it."""
    if not faces:
        return (0,) * SUITS
    last_first = faces[::-1]
    return tuple([int(last_first.translate(digits), 2) for digits in _IN_SUIT])


@dataclass(slots=True)
class Deal(Kept):
    """What stays the same from card to card of an open hand; see Position for the fields."""

    options: TraversoneOptions
    seats: int
    match: Match
    hand: int = 0
    dealer: int = -1
    players: tuple[int, ...] = ()
    decides: tuple[Decide, ...] = ()
    drawing: tuple[int, ...] = ()
    draws: int = 0
    deck: Deck = DECK
    faces: bytes = b""
    suits: tuple[int, ...] = (0,) * SUITS
    worth: bytes = b""
    shown: tuple[int, ...] = ()
    aside: int = -1
    count: Count | None = None
    breaches: tuple[Breach, ...] = ()
    auto: bool = False

    def knowing(self, faces: bytes, auto: bool) -> Deal:
        """The same with other knowledge of the cards."""
        worth = faces.translate(WORTH[self.options.ace_of_bastoni])
        return self.but(faces=faces, suits=suit_masks(faces), worth=worth, auto=auto)


class Position(tricks.Round):
    """A position; see `State` and `tricks.Round` for its fields. Further ones, for reading:

    match    totals, places and options (traversone_match.Match)
    phase    the row of traversone_state's table
    may      the slots that may be played now, -1 until somebody has asked
    aside    the slot put aside by the dealer of three, -1 if there is none (TRA-31)
    decides  what is due when it is that player's turn
    worth    the thirds of each slot, 0 where the card isn't known
    suits    for each suit the slots that are known to hold a card of it
    vowed    bit at * SUITS + suit: that player promised to hold none of the suit (TRA-04)
    vows     for each promise its bit in `vowed`, the slots it is about, and its move
    count    what the hand comes to, from its last trick to the end of its audit
    drawing  the seats among which the draw for the first deal goes on
    draws    draws that left that open
    auto     an open state, which answers its own card requests
    """

    __slots__ = ("may", "vowed", "vows")
    deal: Deal
    options: TraversoneOptions
    match: Match
    phase: Phase
    may: int
    aside: int
    suits: tuple[int, ...]
    vowed: int
    vows: tuple[Vow, ...]
    count: Count | None
    drawing: tuple[int, ...]
    draws: int
    auto: bool

    @property
    def led(self) -> int:
        """The suit that was led, NOTHING before a lead."""
        return self.best // RANKS if self.best >= 0 else NOTHING

    @property
    def stock(self) -> int:
        """The first slot of the stock that wasn't drawn; the deck's size if there is none."""
        packets = self.packets
        if len(packets) != DRAWING_PLAYERS:
            return DECK_SIZE
        return (packets[0] | packets[1]).bit_length()

    @property
    def moves(self) -> int:
        """Moves made in this hand."""
        return self.stock - self.left.bit_count() if self.packets else 0

    def legal(self, seat: int | None = None) -> Sequence[Move]:
        if self.phase is _PLAY and (seat is None or seat == self.deal.players[self.at]):
            # TRA-03: unknown cards are among them while they may follow
            may = self.packets[self.at] & self.left
            best = self.best
            if best >= 0:
                deal = self.deal
                follow = may & deal.suits[best // RANKS]
                if follow:
                    may = follow if deal.auto else follow | may & self.dark()
            self.may = may
            return plays(may)
        if self.phase is Phase.ASIDE and seat in (None, self.dealer):
            return tuple(ASIDES[slot] for slot in slots_of(self.packets[-1]))
        return ()

    def dark(self) -> int:
        """The slots whose card isn't known."""
        a, b, c, d = self.deal.suits
        return ~(a | b | c | d)

    def public(self) -> Public:
        match = self.match
        phase = self.phase.name.lower()
        return (
            (phase, self.hand, self.dealer, self.drawing, self.draws, self._end()),
            (match.totals, match.living, match.placed, int(match.further), match.ended),
            self.players,
            self._table(),
            (self.packets, self.left, self.aside, self.won),
            (self.trick, self.taker, self.at),
            self._promised(),
            self._broken(),
        )

    def piles(self) -> tuple[Pile, ...]:
        """Hands, what each took (`won`), and on the table `trick`, `aside` and `stock`."""
        if not self.faces:
            return ()
        table = []
        if self.aside >= 0 and self.count is None:
            table.append(Pile("aside", -1, (self.aside,)))
        if len(self.players) == DRAWING_PLAYERS:
            table.append(Pile("stock", -1, tuple(range(self.stock, self.deck.size))))
        return (*self._played(), *table)

    def scores(self) -> tuple[int, ...]:
        """Penalties."""
        return self.match.totals

    def standing(self) -> Result:
        return self.match.result()

    def _copy(self) -> Self:
        new = object.__new__(type(self))
        new.deal = self.deal
        new.phase = self.phase
        new.due = self.due
        new.packets = self.packets
        new.left = self.left
        new.may = -1
        new.opened = self.opened
        new.trick = self.trick
        new.best = self.best
        new.taker = self.taker
        new.at = self.at
        new.took = self.took
        new.vowed = self.vowed
        new.vows = self.vows
        new.notes = ()
        return new

    def _see(self, given: Seen) -> Self:
        """A copy that knows what the due Open requests showed."""
        new = self._copy()
        new.deal = self.deal.knowing(self._shown_by(given), self.auto)
        new.opened |= mask_of(open_slots(self.due))
        return new


def _promises(self: Position) -> tuple[Promise, ...]:
    return tuple(
        Promise(self.players[vow // SUITS], "TRA-04", slots_of(hidden), move)
        for vow, hidden, move in self.vows
    )


# These are read from a position's deal, or made when somebody asks; a position doesn't store them.
reads_from(Position, "deal", Deal)
setattr(Position, "promises", property(_promises))  # noqa: B010  # mypy knows it as a field
