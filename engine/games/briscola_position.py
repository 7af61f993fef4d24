"""What a position of Briscola tells: whose turn, which plays, which cards (BRI-01, BRI-06).

Law: this file reads a position. It must never know how one position leads to the next
(briscola_state).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from typing import Final, Self

from engine.cards import ITALIAN, UNKNOWN, Deck
from engine.contract import (
    Cards,
    Decide,
    Move,
    Over,
    Pile,
    Public,
    Result,
    Show,
    mask_of,
)
from engine.games import tricks
from engine.games.briscola_cards import (
    CARDSETS,
    FULL,
    MAX_SEATS,
    RANKS,
    BriscolaOptions,
    Cardset,
    beats,
)
from engine.games.tricks import WORTH_AT
from engine.position import Kept, reads_from, slots_of


@dataclass(frozen=True, slots=True)
class Play(Move):
    """Lay the card of `slot` on the table (BRI-06)."""

    slot: int


PLAYS: Final = tuple(Play(slot) for slot in range(ITALIAN.size))


class Phase(IntEnum):
    """Where a match stands; the module has the table of what leads where."""

    DRAW = 0
    SHUFFLE = 1
    LOOK = 2
    PLAY = 3
    OPENING = 4
    DRAWING = 5
    REVEAL = 6
    OVER = 7


_PLAY: Final = Phase.PLAY
_WORTH: Final = [
    CARDSETS.get(players, FULL).points.ljust(UNKNOWN + 1, b"\0") for players in range(MAX_SEATS + 1)
]
"""By the number of players, for bytes.translate: faces to points, 0 for a card that isn't known."""
SIDES: Final = tuple(
    tuple(seat % 2 if seats == MAX_SEATS else seat for seat in range(seats))
    for seats in range(MAX_SEATS + 1)
)
"""SIDES[seats][seat]: opposite seats of four are partners (BRI-02)."""


class _Plays(dict[int, tuple[Play, ...]]):
    """The plays of the slots in a mask, in the order in which they were drawn: the briscola last.
    Of three slots in forty there are few, so they are kept."""

    __slots__ = ("_briscola",)

    def __init__(self, briscola: int) -> None:
        super().__init__()
        self._briscola = briscola

    def __missing__(self, mask: int) -> tuple[Play, ...]:
        slots, briscola = slots_of(mask), self._briscola
        if mask >> briscola & 1:
            slots = (*(slot for slot in slots if slot != briscola), briscola)
        found = self[mask] = tuple(PLAYS[slot] for slot in slots)
        return found


@cache  # by the number of players the briscola lies in one of three slots
def _plays_beside(briscola: int) -> _Plays:
    return _Plays(briscola)


_NO_PLAYS: Final = _Plays(ITALIAN.size)


@dataclass(slots=True)
class Deal(Kept):
    """What stays the same from card to card of an open hand; see Position for the fields."""

    options: BriscolaOptions
    seats: int
    living: tuple[int, ...]
    games: tuple[int, ...]
    hand: int = 0
    dealer: int = -1
    players: tuple[int, ...] = ()
    decides: tuple[Decide, ...] = ()
    after: tuple[int, ...] = ()
    cards: Cardset = FULL
    deck: Deck = FULL.deck
    faces: bytes = b""
    worth: bytes = b""
    briscola: int = -1
    beats: tuple[bytes, ...] = ()
    plays: _Plays = field(default_factory=lambda: _NO_PLAYS)
    auto: bool = False

    def knowing(self, faces: bytes, auto: bool, briscola: int | None = None) -> Deal:
        """The same with other knowledge of the cards, or with another slot turned up."""
        if briscola is None:
            briscola = self.briscola
        face = faces[briscola] if faces else UNKNOWN
        players = self.players
        return Deal(
            *(self.options, self.seats, self.living, self.games, self.hand, self.dealer),
            *(players, self.decides, self.after, self.cards, self.deck),
            faces,
            faces.translate(_WORTH[len(players)]),
            briscola,
            beats(len(players), face // RANKS) if face != UNKNOWN else (),
            _plays_beside(briscola),
            auto,
        )


class Position(tricks.Round):
    """A position; see `State` and `tricks.Round` for its fields. Further ones, for reading, with
    one item for each of `players`, in their order:

    living    the seats that are still in the match, ascending
    games     games won, for each seat (both partners the same)
    decides   what is due when it is that player's turn
    after     who plays next, an index into `players`
    cards     the deck in play with its values
    worth     the points of each slot, 0 where the card isn't known
    briscola  the slot that was turned up, and is drawn last; -1 before the deal
    beats     what takes a trick from what; () until the briscola is known
    auto      an open state, which answers its own card requests
    held      the slots in each hand, in the order in which they came
    stock     the next slot to be drawn; deck.size: the briscola; deck.size + 1: nothing is left
    """

    __slots__ = ("stock",)
    deal: Deal
    options: BriscolaOptions
    living: tuple[int, ...]
    games: tuple[int, ...]
    decides: tuple[Decide, ...]
    after: tuple[int, ...]
    cards: Cardset
    worth: bytes
    briscola: int
    beats: tuple[bytes, ...]
    auto: bool
    phase: Phase
    held: tuple[tuple[int, ...], ...]
    stock: int
    promises = ()  # nothing is promised: there is no duty to follow (BRI-06)
    breaches = ()

    def legal(self, seat: int | None = None) -> Sequence[Move]:
        deal = self.deal
        if self.phase is not _PLAY or (seat is not None and seat != deal.players[self.at]):
            return ()
        return deal.plays[self.packets[self.at] & self.left]

    def public(self) -> Public:
        return (
            (self.phase.name.lower(), self.hand, self.dealer, self.living, self.games, self._end()),
            self.players,
            self._table(),
            (self.held, self.stock, self.trick, self.taker, self.at, self.won),
        )

    def piles(self) -> tuple[Pile, ...]:
        """Hands, what each took (`won`), and on the table `trick`, `briscola` and `stock`."""
        if not self.faces:
            return ()
        size = self.deck.size
        left = (self.briscola,) if self.stock <= size else ()
        return (
            *self._played(),
            Pile("briscola", -1, left),
            Pile("stock", -1, tuple(range(self.stock, size))),
        )

    def scores(self) -> tuple[int, ...]:
        """Games won."""
        return self.games

    def standing(self) -> Result:
        return self.due.result if isinstance(self.due, Over) else self._result((), "unfinished")

    def points(self) -> tuple[int, ...]:
        """Points that each of `players` took so far (BRI-01)."""
        return tuple([took >> WORTH_AT for took in self.took])

    def _hand(self, at: int) -> tuple[int, ...]:
        return tuple([play.slot for play in plays(self.packets[at] & self.left, self.briscola)])

    def side(self, seat: int) -> int:
        """The side of a seat: opposite seats of four are partners (BRI-02)."""
        return SIDES[self.deal.seats][seat]

    def _result(self, winners: tuple[int, ...], reason: str) -> Result:
        nothing = (0,) * self.seats
        return Result(winners, self.games, nothing, nothing, reason)

    def _copy(self) -> Self:
        new = object.__new__(type(self))
        new.deal = self.deal
        new.phase = self.phase
        new.due = self.due
        new.opened = self.opened
        new.packets = self.packets
        new.left = self.left
        new.stock = self.stock
        new.trick = self.trick
        new.best = self.best
        new.taker = self.taker
        new.at = self.at
        new.took = self.took
        new.notes = ()
        return new


def plays(mask: int, briscola: int) -> tuple[Play, ...]:
    """The plays of the slots in `mask` in the order in which they were drawn: the briscola last."""
    return _plays_beside(briscola)[mask]


def _held(self: Position) -> tuple[tuple[int, ...], ...]:
    return tuple([self._hand(at) for at in range(len(self.packets))])


def _shown(self: Position) -> tuple[int, ...]:
    """Everybody saw what it was dealt or drew, except what is being shown now; the briscola lies
    open and is shown to nobody."""
    shown = [0] * self.seats
    for seat, packet in zip(self.players, self.packets, strict=False):
        shown[seat] = packet & ~(1 << self.briscola)
    for request in self.due.requests if isinstance(self.due, Cards) else ():
        if isinstance(request, Show):
            shown[request.to] &= ~mask_of(request.slots)
    return tuple(shown)


# These are read from a position's deal, or made when somebody asks; a position doesn't store them.
reads_from(Position, "deal", Deal)
for _name, _make in {"held": _held, "shown": _shown}.items():
    setattr(Position, _name, property(_make))
