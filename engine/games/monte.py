"""What the games share in which hands are exchanged with a monte until somebody has knocked.

Law: this file knows tokens, packets, hands and the monte (PET-03, PET-05, CARD-06). It must never
know what cards are worth, nor what a turn consists of: that is each game's own.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol, Self

from engine.cards import UNKNOWN, Deck
from engine.contract import (
    Breach,
    Cards,
    Decide,
    Draw,
    Note,
    Over,
    Pile,
    Result,
    Seen,
    Show,
    Shuffled,
    Turn,
    mask_of,
)
from engine.position import Dealt, Kept, note, open_slots

Hand = tuple[int, ...]
"""Slots."""


@dataclass(slots=True)
class Tokens:
    """A match between two deals; one integer a seat in each tuple. Nobody changes one: it isn't
    frozen since one is made for each deal, and that would take several times as long.

    tokens  held now; 0 is dead
    paid    into the pot, in units of the stake's kind
    drawn   out of the pot before the end, in the same units
    """

    options: Any
    deck: Deck
    judge: Any
    tokens: tuple[int, ...]
    paid: tuple[int, ...]
    drawn: tuple[int, ...]

    @property
    def pot(self) -> int:
        """What lies in the pot now (PET-03), in units of the stake's kind."""
        return sum(self.paid) - sum(self.drawn)

    def living(self) -> tuple[int, ...]:
        """The seats with tokens, ascending."""
        return tuple([seat for seat, tokens in enumerate(self.tokens) if tokens])

    def first_living(self, start: int) -> int:
        """The first living seat from `start` on, in the order of play (PET-05)."""
        seats = len(self.tokens)
        seat = start % seats
        while not self.tokens[seat]:
            seat = (seat + 1) % seats
        return seat


class Shows(Protocol):
    """What the end of a deal showed."""

    @property
    def shown(self) -> tuple[Any, ...]: ...


@dataclass(slots=True)
class Deal(Kept):
    """What stays the same from turn to turn of an open hand; see Round for the fields."""

    options: Any
    seats: int
    deck: Deck
    match: Any
    players: tuple[int, ...] = ()
    decides: tuple[Decide, ...] = ()
    most: int = 0
    hand: int = 0
    dealer: int = -1
    start: int = 0
    faces: bytes = b""
    auto: bool = False
    breaches: tuple[Breach, ...] = ()
    outcome: Any = None


class Round(Dealt):
    """A position; see `State` for the fields that all games have. Further ones, for reading:

    match    tokens, payments and options (Tokens)
    held     the slots of each hand, indexed like `players`
    monte    the slots of the monte, () before the deal
    at       whose turn it is, an index into `players`
    left     turns that remain after a bussata, -1 before it
    turns    turns begun in this hand
    decides  what is due when it is that player's turn, indexed like `players`
    most     with how many turns the hand ends at the latest (PET-26), 0 if it doesn't
    outcome  what the hands showed, until the next deal
    start    the seat from which the next dealer is looked for (PET-05, GEN-02)
    auto     an open state, which answers its own card requests

    Only `deal` and slots are stored, so that a turn costs a short copy.
    """

    __slots__ = (
        *("at", "deal", "due", "held", "left", "monte"),
        *("notes", "opened", "turns"),
    )
    deal: Deal
    match: Tokens
    due: Turn
    held: tuple[Hand, ...]
    monte: Hand
    at: int
    left: int
    turns: int
    decides: tuple[Decide, ...]
    most: int
    notes: tuple[Note, ...]
    outcome: Any
    start: int
    auto: bool

    def piles(self) -> tuple[Pile, ...]:
        if not self.faces:
            return ()
        hands = [Pile("hand", seat, h) for seat, h in zip(self.players, self.held, strict=True)]
        hands.sort(key=lambda pile: pile.seat)
        return (*hands, Pile("monte", -1, self.monte), Pile("stock", -1, self._stock()))

    @abstractmethod
    def _stock(self) -> tuple[int, ...]:
        """The slots of the stock, its top first."""

    def scores(self) -> tuple[int, ...]:
        """Tokens."""
        return self.match.tokens

    def standing(self) -> Result:
        return self.due.result if isinstance(self.due, Over) else self._result((), "unfinished")

    @abstractmethod
    def _result(self, winners: tuple[int, ...], reason: str) -> Result:
        """What the match comes to if it ends now."""

    def hand_of(self, seat: int) -> Hand:
        """The slots of `seat`'s hand, () if it holds none."""
        if seat not in self.players or not self.held:
            return ()
        return self.held[self.players.index(seat)]

    def with_faces(self, faces: bytes) -> Self:
        new = self._copy()
        new.deal = self.deal.but(faces=faces, auto=False)
        return new

    @abstractmethod
    def _copy(self) -> Self:
        """Another position with the same fields, but without notes."""

    def _see(self, given: Seen) -> Self:
        """A copy that knows what the due Open requests showed."""
        new = self._copy()
        new.deal = self.deal.but(faces=self._shown_by(given))
        new.opened |= mask_of(open_slots(self.due))
        return new

    def _dealt(self, given: Shuffled, size: int) -> Self:
        """A copy with packets of `size` dealt, then the monte (CARD-06)."""
        old = self.deal
        new = self._copy()
        new.held, new.monte, _ = packets(len(old.players), size, old.deck.size)
        faces = given.faces
        faces = bytes((UNKNOWN,)) * old.deck.size if faces is None else self._checked(faces)
        new.deal = type(old)(
            old.options,
            old.seats,
            old.deck,
            old.match,
            old.players,
            old.decides,
            old.most,
            old.hand,
            old.dealer,
            old.start,
            faces,
            given.faces is not None,
        )
        return new

    def _looks(self) -> Cards:
        """Each sees the own hand, but the dealer the monte instead (PET-11, PET-12, MAM-04)."""
        *others, dealer = self.deal.players
        shows = [Show(hand, seat) for hand, seat in zip(self.held, others, strict=False)]
        return Cards((*shows, Show(self.monte, dealer)))

    def _swapped(self) -> Self:
        """A copy in which the dealer keeps the monte, the blind hand becomes the monte, and the
        bussata is counted (PET-11, PET-13, MAM-04)."""
        new = self._copy()
        players = self.deal.players
        new.monte = self.held[-1]
        new.held = (*self.held[:-1], self.monte)
        new.left = len(players) - 1
        new.notes = (note("swaps", players[-1]), note("dies-with", players[-2]))
        return new

    # What follows changes the fresh copy it belongs to.

    def _count_knock(self) -> None:
        """PET-23: after the first bussata each other player has one more turn."""
        if self.left > 0:
            self.left -= 1
            return
        players = self.deal.players
        self.left = len(players) - 1
        self.notes = (note("dies-with", players[self.at - 1]),)

    def _draws(self) -> None:
        """Before the first dealer is known: a card for each of the living."""
        self.deal = self.deal.but(players=self.deal.match.living())
        self.due = Cards((Draw(self.deal.deck),))

    def _ends(self, winners: tuple[int, ...], reason: str) -> None:
        result = self._result(winners, reason)
        self.due = Over(result)
        self.notes += tuple(note("wins", seat, (result.won[seat],)) for seat in winners)

    def _hidden(self) -> Hand:
        """The slots of all hands that nobody has opened yet."""
        opened = self.opened
        return tuple([slot for hand in self.held for slot in hand if not opened >> slot & 1])


class Table(Round):
    """A position that stores what was shown to each seat."""

    __slots__ = ("shown",)


@lru_cache(maxsize=128)
def packets(players: int, size: int, cards: int) -> tuple[tuple[Hand, ...], Hand, Hand]:
    """The hands of so many players, `size` cards each, then the monte, then the stock of a deck of
    so many cards (CARD-06)."""
    piles = [tuple(range(s, s + size)) for s in range(0, size * (players + 1), size)]
    return tuple(piles[:players]), piles[players], tuple(range(size * (players + 1), cards))


@lru_cache(maxsize=1024)
def looked_at(seats: int, players: tuple[int, ...], size: int) -> tuple[int, ...]:
    """What each seat saw of the cards just dealt (PET-11, PET-12, MAM-04): its hand, the dealer
    the monte, which lies behind the hand of the dealer."""
    shown = [0] * seats
    for at, seat in enumerate(players):
        shown[seat] = (1 << size) - 1 << size * (at + (seat == players[-1]))
    return tuple(shown)


@lru_cache(maxsize=1024)
def decides(players: tuple[int, ...]) -> tuple[Decide, ...]:
    """What is due at the turn of each."""
    return tuple([Decide(seat) for seat in players])


@lru_cache(maxsize=1024)
def dealt_by(living: tuple[int, ...], dealer: int) -> tuple[int, ...]:
    """Who plays a hand that `dealer`, one of `living`, deals and plays last (PET-05)."""
    at = living.index(dealer) + 1
    return living[at:] + living[:at]


@lru_cache(maxsize=64)
def nothing(seats: int) -> tuple[int, ...]:
    """A zero for each seat."""
    return (0,) * seats
