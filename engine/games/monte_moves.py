"""The moves of the games in which hands are exchanged with a monte, and what names cards in them.

Law: this file knows positions in a hand and in the monte. It must never know how many cards a game
lets change places, nor how its moves are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final

from engine.contract import Move
from engine.errors import NotationError

Plan = Callable[[tuple[int, ...]], tuple[int, ...]]
"""From hand + monte (slots or faces) some of them, as they lie after an exchange."""
Places = tuple[int, ...]
"""Positions in a hand or in the monte, counted from 0, ascending."""


@dataclass(frozen=True, slots=True)
class Stay(Move):
    """The dealer turns the monte up (PET-11, MAM-04)."""


@dataclass(frozen=True, slots=True)
class Camicia(Move):
    """Cambio camicia: the dealer's swap (PET-11, MAM-04) or a player's exchange of all cards
    (PET-22, MAM-11)."""


@dataclass(frozen=True, slots=True)
class Knock(Move):
    """No exchange (PET-22, MAM-11); with `show_petrangola_on_knock` a promise as well (PET-24)."""


STAY: Final = Stay()
CAMICIA: Final = Camicia()
KNOCK: Final = Knock()


@dataclass(frozen=True, slots=True)
class Exchange(Move):
    """Some cards of the hand for as many of the monte: the card at the i-th given place and the
    card at the i-th taken one change places.

    order, hand, monte  from hand + monte both as they lie afterwards, or one of them
    """

    give: Places
    take: Places
    order: Plan = field(init=False, repr=False, compare=False)
    hand: Plan = field(init=False, repr=False, compare=False)
    monte: Plan = field(init=False, repr=False, compare=False)

    def _plan(self, size: int) -> None:
        """Work the plans out for a hand and a monte of `size` cards each; NotationError unless as
        many cards are taken as given."""
        if len(self.give) != len(self.take):
            raise NotationError("an exchange takes as many cards as it gives")
        order = list(range(2 * size))
        for give, take in zip(self.give, self.take, strict=True):
            order[give], order[size + take] = size + take, give
        object.__setattr__(self, "order", itemgetter(*order))
        object.__setattr__(self, "hand", itemgetter(*order[:size]))
        object.__setattr__(self, "monte", itemgetter(*order[size:]))


def pairs(places: Sequence[Places]) -> Iterable[tuple[Places, Places]]:
    """What may be given with what may be taken for it, in the order of `places`."""
    return ((give, take) for give in places for take in places if len(give) == len(take))


def check_held(size: int, *piles: Sequence[int]) -> None:
    """NotationError unless each of `piles`, the hand and the monte, has its `size` cards."""
    if any(len(pile) != size for pile in piles):
        raise NotationError("there are no cards to exchange now")


def check_seen(word: str, pile: str) -> None:
    """NotationError if `word` stands for no card that could be named."""
    if word == "??":
        raise NotationError(f"?? stands for a card of the {pile} that can't be seen from here")


def exact(*places: object) -> bool:
    """Whether each is a tuple of plain ints: True is no position, though it equals 1."""
    return all(type(own) is tuple and all(type(place) is int for place in own) for own in places)
