"""What the games share in which a card each makes a trick, and whoever takes it leads to the next.

Law: this file knows hands, tricks and what was taken, as masks of at most forty slots (CARD-06). It
must never know which card takes a trick, what one is worth, or what follows a trick: that is each
game's own. So is laying a card on the table, where a match spends its time.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from enum import IntEnum
from itertools import accumulate
from typing import Any, Final, Self

from engine.contract import Note, Pile, Show, Turn
from engine.position import Dealt, slots_of

NOTHING: Final = -1
"""In place of the face that takes a trick to which nobody has led."""
SLOTS: Final = 40
_MOST_PLAYERS: Final = 5
ALL_SLOTS: Final = (1 << SLOTS) - 1
WORTH_AT: Final = SLOTS
"""Below this bit of a number are slots, from it on is what their cards are worth."""
ORDERS: Final = tuple(
    tuple(tuple((at + n) % players for n in range(players)) for at in range(players))
    for players in range(_MOST_PLAYERS + 1)
)
"""ORDERS[players][at]: who plays in a trick that `at` leads."""
ALONE: Final = tuple((slot,) for slot in range(SLOTS))


class Round(Dealt):
    """A position; see `State` for the fields that all games have. Further ones, for reading, with
    masks of slots (bit i: slot i) and one item for each of `players`, in their order:

    phase    where the match stands, by the table of the game's own state
    packets  the slots that each player was dealt or drew
    left     the slots that are in the hands still
    trick    the slots on the table, in the order of play
    best     the face that takes the trick so far, NOTHING before a lead
    taker    who played it, an index into `players`; between tricks who took the last one
    at       whose turn it is, an index into `players`
    won      the slots that each player took
    took     the same with what the cards are worth above them, times 1 << WORTH_AT

    `deal` is what stays the same from card to card: it has at least `decides`, what is due at the
    turn of each, and `worth`, what the card of each slot counts for whoever takes it. Only `deal`
    and slots are stored, so that a card costs a short copy.
    """

    __slots__ = (
        *("at", "best", "deal", "due", "left", "notes", "opened"),
        *("packets", "phase", "taker", "took", "trick"),
    )
    deal: Any
    phase: IntEnum
    due: Turn
    packets: tuple[int, ...]
    left: int
    trick: tuple[int, ...]
    best: int
    taker: int
    at: int
    took: tuple[int, ...]
    notes: tuple[Note, ...]

    @property
    def won(self) -> tuple[int, ...]:
        return tuple([took & ALL_SLOTS for took in self.took])

    def hand_of(self, seat: int) -> tuple[int, ...]:
        """The slots of `seat`'s hand, () if it holds none."""
        if seat not in self.players or not self.packets:
            return ()
        return self._hand(self.players.index(seat))

    def _hand(self, at: int) -> tuple[int, ...]:
        """The slots in the hand of player `at`."""
        return slots_of(self.packets[at] & self.left)

    def _played(self) -> tuple[Pile, ...]:
        """The hands, what each took (`won`), and the `trick` on the table."""
        order, players, won = self._order(), self.players, self.won
        hands = [Pile("hand", players[i], self._hand(i)) for i in order]
        taken = [Pile("won", players[i], slots_of(won[i])) for i in order]
        return (*hands, *taken, Pile("trick", -1, self.trick))

    def with_faces(self, faces: bytes) -> Self:
        new = self._copy()
        new.notes = self.notes
        new.deal = self.deal.knowing(faces, auto=False)
        return new

    @abstractmethod
    def _copy(self) -> Self:
        """Another position with the same fields, but without notes."""

    def _looks(self) -> list[Show]:
        """Each sees the hand that was dealt to it."""
        players = zip(self.packets, self.players, strict=True)
        return [Show(slots_of(packet), seat) for packet, seat in players]

    # What follows changes the fresh copy it belongs to.

    def _take_trick(self) -> int:
        """The trick is its taker's, who is to lead; what its cards are worth."""
        deal, taker = self.deal, self.taker
        worths = deal.worth
        cards = worth = 0
        for slot in self.trick:
            cards |= 1 << slot
            worth += worths[slot]
        took = list(self.took)
        took[taker] += worth << WORTH_AT | cards
        self.took = tuple(took)
        self.trick = ()
        self.best = NOTHING
        self.at = taker
        self.due = deal.decides[taker]
        return worth

    def _clear(self) -> None:
        """No card lies dealt."""
        self.opened = self.left = self.at = self.taker = 0
        self.packets = self.took = self.trick = ()
        self.best = NOTHING
        self._forget()

    @abstractmethod
    def _forget(self) -> None:
        """Nothing of the last hand is left in the fields of the game's own."""


def packets(sizes: Iterable[int]) -> tuple[tuple[int, ...], int]:
    """CARD-06: each hand is one packet; a mask of slots for each, and of all of them."""
    sizes = tuple(sizes)
    tops = list(accumulate(sizes))
    masks = tuple([(1 << top) - (1 << top - n) for top, n in zip(tops, sizes, strict=True)])
    return masks, (1 << tops[-1]) - 1
