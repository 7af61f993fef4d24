"""How a hand of Petrangola is cut and dealt, worked out once for all hands alike (CARD-06, PET-06).

Law: this file knows how many play and where the packets lie. It must never know a face.
"""

from __future__ import annotations

from functools import lru_cache

from engine.cards import ITALIAN, Deck
from engine.contract import Cards, Shuffle
from engine.games.petrangola_hands import HAND, MAX_SEATS
from engine.games.petrangola_position import Hand


@lru_cache(maxsize=MAX_SEATS)
def packets(n: int) -> tuple[tuple[Hand, ...], Hand, tuple[int, ...]]:
    """The hands of n players, the monte, and the order in which they were dealt (CARD-06)."""
    piles = [(s, s + 1, s + 2) for s in range(0, HAND * n + HAND, HAND)]
    return tuple(piles[:n]), piles[n], tuple(range(n))


@lru_cache(maxsize=4 * ITALIAN.size)
def shuffle(copies: int, cut: int) -> Cards:
    """What is due after a cut of `copies` decks."""
    return Cards((Shuffle(Deck(ITALIAN, copies), cut),))


@lru_cache(maxsize=1024)
def looked_at(seats: int, players: tuple[int, ...]) -> tuple[int, ...]:
    """What each seat saw of the cards just dealt (PET-11, PET-12): its hand, the dealer the monte,
    which lies behind the hand of the dealer."""
    shown = [0] * seats
    for at, seat in enumerate(players):
        shown[seat] = 7 << HAND * (at + (seat == players[-1]))
    return tuple(shown)
