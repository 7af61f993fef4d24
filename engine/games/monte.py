"""What the games share in which hands are exchanged with a monte until somebody has knocked.

Law: this file knows packets, hands and the monte (PET-05, CARD-06). It must never
know what cards are worth, nor what a turn consists of: that is each game's own.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple, Self

from engine.cards import UNKNOWN, Deck
from engine.contract import (
    Breach,
    Cards,
    Decide,
    Draw,
    Leave,
    Note,
    Open,
    Over,
    Pile,
    Result,
    Seen,
    Show,
    Shuffled,
    Turn,
    mask_of,
)
from engine.games.monte_tokens import Tokens
from engine.games.phases import decides
from engine.position import Dealt, Kept, new_blank, note, open_slots

Hand = tuple[int, ...]
"""Slots."""


class Stages(NamedTuple):
    """Those phases that the games share, as each counts its own."""

    draw: IntEnum
    play: IntEnum
    show: IntEnum
    over: IntEnum


@dataclass(slots=True)
class Deal(Kept):
    """What stays the same from turn to turn of an open hand; see Round for the fields."""

    match: Any
    players: tuple[int, ...] = ()
    decides: tuple[Decide, ...] = ()
    after: tuple[tuple[int, Decide], ...] = ()
    most: int = 0
    hand: int = 0
    dealer: int = -1
    start: int = 0
    faces: bytes = b""
    auto: bool = False
    breaches: tuple[Breach, ...] = ()
    outcome: Any = None
    known: Any = None

    def but(self, **changes: Any) -> Self:
        new = Kept.but(self, **changes)  # super() would mean the class before it got slots
        if "faces" in changes:
            new.known = None
        return new

    def settled(self, match: Any, start: int, outcome: Any) -> Self:
        """The same after the hand, with what it cost."""
        new = new_blank(type(self))  # `but` takes twice as long, and many hands end so
        new.match = match
        new.players = self.players
        new.decides = self.decides
        new.after = self.after
        new.most = self.most
        new.hand = self.hand
        new.dealer = self.dealer
        new.start = start
        new.faces = self.faces
        new.auto = self.auto
        new.breaches = self.breaches
        new.outcome = outcome
        new.known = self.known
        return new


class Round(Dealt):
    """A position; see `State` for the fields that all games have. Further ones, for reading:

    phase    where the match stands, by the table of the game's own state
    match    tokens, payments and options (Tokens)
    held     the slots of each hand, indexed like `players`
    monte    the slots of the monte, () before the deal
    at       whose turn it is, an index into `players`
    left     turns that remain after a bussata, -1 before it
    turns    turns begun in this hand
    decides  what is due when it is that player's turn, indexed like `players`
    after    whose turn comes next, as `at` and `due`, indexed like `players`
    most     with how many turns the hand ends at the latest (PET-26), 0 if it doesn't
    outcome  what the hands showed, until the next deal
    start    the seat from which the next dealer is looked for (PET-05, GEN-02)
    auto     an open state, which answers its own card requests
    known    what a game worked out from `faces` for itself, None if nothing yet

    Only `deal` and slots are stored, so that a turn costs a short copy.
    """

    __slots__ = (
        *("at", "deal", "due", "held", "left", "monte"),
        *("notes", "opened", "phase", "turns"),
    )
    stages: ClassVar[Stages]
    deal: Deal
    phase: IntEnum
    match: Tokens
    due: Turn
    held: tuple[Hand, ...]
    monte: Hand
    at: int
    left: int
    turns: int
    decides: tuple[Decide, ...]
    after: tuple[tuple[int, Decide], ...]
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

    def _result(self, winners: tuple[int, ...], reason: str) -> Result:
        """What the match comes to if it ends now."""
        return self.match.result(winners, reason, self.dealer)

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

    def _openly(self, faces: bytes) -> Self:
        """A copy that is an open one with the deck `faces`, which must agree with what is known
        here (ValueError)."""
        faces = self._checked(faces)
        self._agree(faces)
        new = self._copy()
        new.deal = self.deal.but(faces=faces, auto=True)
        return new

    def _see(self, given: Seen) -> Self:
        """A copy that knows what the due Open requests showed."""
        new = self._copy()
        new.deal = self.deal.but(faces=self._shown_by(given))
        new.opened |= mask_of(open_slots(self.due))
        return new

    def _dealt(self, given: Shuffled, size: int) -> Self:
        """A copy with packets of `size` dealt, then the monte (CARD-06)."""
        old, faces = self.deal, given.faces
        deck = old.match.deck
        if faces is not None:
            deck.check(faces)
        new = self._copy()
        new.held, new.monte, _ = packets(len(old.players), size, deck.size)
        new.deal = deal = new_blank(type(old))  # once in each hand: a constructor takes longer
        deal.match = old.match
        deal.players = old.players
        deal.decides = old.decides
        deal.after = old.after
        deal.most = old.most
        deal.hand = old.hand
        deal.dealer = old.dealer
        deal.start = old.start
        deal.faces = bytes((UNKNOWN,)) * deck.size if faces is None else bytes(faces)
        deal.auto = faces is not None
        deal.breaches = ()
        deal.outcome = None
        deal.known = None
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

    def _to_draw(self) -> Self:
        """Before the first dealer is known: a card for each of the living."""
        deal = self.deal
        self.deal = deal.but(players=deal.match.living())
        self.phase = self.stages.draw
        self.due = _draw(deal.match.deck)
        return self

    def _begin(self, deal: Deal) -> Self:
        """The first position of a match, from a blank one."""
        self.deal = deal
        self.notes = ()
        self._clear()
        return self._to_draw()

    def _after_turn(self) -> Self:
        """The next player's turn (PET-20), or the end of the hand (PET-23, PET-26)."""
        deal, left = self.deal, self.left
        if not left or (left < 0 and self.turns == deal.most):
            return self._to_show()
        self.at, self.due = deal.after[self.at]
        self.phase = self.stages.play
        return self

    def _to_show(self) -> Self:
        """All hands are shown (PET-25); after a declaration, too, the others' follow at once."""
        if self.deal.auto:
            self.opened = (1 << len(self.deal.faces)) - 1
            return self._after_show()
        opened = self.opened
        hidden = tuple([slot for hand in self.held for slot in hand if not opened >> slot & 1])
        self.phase = self.stages.show
        if not hidden:
            return self._after_show()
        self.due = Cards((Open(hidden),))
        return self

    def _showed(self, given: Seen) -> Self:
        return self._see(given)._after_show()

    @abstractmethod
    def _after_show(self) -> Self:
        """The hands are open: promises are settled and it is told what the hands cost."""

    def _audited(self, faces: bytes) -> Self:
        """A copy that knows the deck, which lies as `faces` when the hand is revealed."""
        self._agree(faces)
        new = self._copy()
        new.deal = self.deal.but(faces=faces)
        new.opened = (1 << len(faces)) - 1
        return new

    def _parting(self, given: Leave) -> tuple[Self, set[int], tuple[int, ...]]:
        """A copy that tells who leaves, then all who leave, then the living among them (GEN-02);
        nobody who is away knocks (PET-27)."""
        gone, tokens = self._gone(given), self.deal.match.tokens
        leaving = tuple([seat for seat in sorted(gone) if tokens[seat]])
        new = self._copy()
        new.notes = tuple([note("leaves", seat) for seat in leaving])
        return new, gone, leaving

    def _void(self) -> None:
        """The hand doesn't count, and no card of it is left (GEN-02)."""
        if self.phase is not self.stages.draw:
            self.notes += (note("void"),)
        self._clear()
        self.deal = self.deal.but(faces=b"", auto=False, breaches=(), outcome=None)

    def _deals(self, players: tuple[int, ...], match: Any, start: int, outcome: Any) -> None:
        """The next hand of `players`, with nothing of the last one's cards left (PET-05)."""
        old = self.deal
        self.deal = deal = new_blank(type(old))
        deal.match = match
        deal.players = players
        deal.decides, deal.after = turns_of(players)
        deal.most = len(players) * match.options.max_rounds
        deal.hand = hand = old.hand + 1
        deal.dealer = dealer = players[-1]
        deal.start = start
        deal.faces = b""
        deal.auto = False
        deal.breaches = old.breaches
        deal.outcome = outcome
        deal.known = None
        self._clear()
        self.notes += (note("deals", dealer, (hand,)),)

    def _clear(self) -> None:
        """No card of the last hand is left."""
        self.opened = self.at = self.turns = 0
        self.held = ()
        self.monte = ()
        self.left = -1
        self._forget()

    @abstractmethod
    def _forget(self) -> None:
        """Nothing of the last hand is left in the fields of the game's own."""

    def _to_over(self, winners: tuple[int, ...], reason: str) -> Self:
        result = self._result(winners, reason)
        self.phase = self.stages.over
        self.due = Over(result)
        self.notes += tuple([note("wins", seat, (result.won[seat],)) for seat in winners])
        return self


# These are read from a position's match; a position doesn't store them.
for _name in ("options", "deck"):
    setattr(Round, _name, property(attrgetter(f"deal.match.{_name}")))
setattr(Round, "seats", property(lambda self: len(self.deal.match.tokens)))  # noqa: B010


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
def turns_of(
    players: tuple[int, ...],
) -> tuple[tuple[Decide, ...], tuple[tuple[int, Decide], ...]]:
    """What is due at the turn of each, and whose turn comes after it; see `Round`."""
    due = decides(players)
    places = (*range(1, len(players)), 0)
    return due, tuple([(at, due[at]) for at in places])


@lru_cache(maxsize=8)
def _draw(deck: Deck) -> Cards:
    """What is due before the first dealer is known."""
    return Cards((Draw(deck),))


@lru_cache(maxsize=64)
def nothing(seats: int) -> tuple[int, ...]:
    """A zero for each seat."""
    return (0,) * seats
