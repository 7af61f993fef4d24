"""What a deal costs in the games with a monte: tokens, the pot, and how a match ends.

Law: this file knows a match between two deals (PET-02, PET-03, MAM-02). It must never know slots,
turns or what a hand is worth: that is each game's own.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Generic, NamedTuple, Self, TypeVar

from engine.cards import Deck
from engine.contract import Result

LAST_ALIVE: Final = "last-alive"
DEALER_WINS: Final = "dealer-wins"
ABANDONED: Final = "abandoned"
"""Why a match ended: one seat has tokens, none has after a deal, none has since all left."""

V = TypeVar("V")


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

    def without(self, seats: Collection[int], price: int) -> Self:
        """GEN-01, GEN-02: `seats` are dead; `price` goes into the pot for each token they had."""
        if not seats:
            return self
        tokens, paid = list(self.tokens), list(self.paid)
        for seat in seats:
            paid[seat] += tokens[seat] * price
            tokens[seat] = 0
        return replace(self, tokens=tuple(tokens), paid=tuple(paid))

    def result(self, winners: Sequence[int], reason: str, dealer: int) -> Result:
        """PET-60, PET-45, MAM-33: the winners share the pot equally; what is left over is the
        dealer's, or the first winner's if the dealer isn't one.

        `won` counts what was drawn from the pot too, so that paid and won balance at the end.
        """
        won = list(self.drawn)
        if winners:
            share, rest = divmod(self.pot, len(winners))
            for seat in winners:
                won[seat] += share
            won[dealer if dealer in winners else winners[0]] += rest
        return Result(tuple(winners), self.tokens, self.paid, tuple(won), reason)


class Shown(NamedTuple, Generic[V]):
    """One hand at the end of a deal: rank 1 is best, equal hands share one, PET-36 included."""

    seat: int
    value: V
    rank: int
    lost: int
    gained: int


def ranked(
    players: Sequence[int],
    values: Sequence[V],
    strength: Sequence[int],
    lost: Mapping[int, int],
    gained: Mapping[int, int],
) -> tuple[Shown[V], ...]:
    """The hands of `players`, in their order: the higher the `strength` the better; `lost` and
    `gained` have the tokens of the seats that lose or gain any."""
    return tuple(
        Shown(
            seat,
            value,
            1 + sum(other > own for other in strength),
            lost.get(seat, 0),
            gained.get(seat, 0),
        )
        for seat, value, own in zip(players, values, strength, strict=True)
    )
