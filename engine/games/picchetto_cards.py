"""The cards of Picchetto as its rules see them: strength, price, runs (PIC-01, PIC-21..PIC-23).

Law: this file knows the two decks and what a set of cards holds. It must never know a slot, a
seat or a turn.

A **code** is a card of either deck: suit * 8 + strength, where strength 7 is the ace and 0 the
lowest card. A **hand** is a 32-bit mask of codes, so that each suit is one octet of it:

    suit byte   bit   7  6  5  4  3  2  1  0
    french32          A  K  Q  J  T  9  8  7
    regional32        A  R  C  F  7  6  5  4
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import accumulate
from operator import itemgetter
from typing import Final, TypeVar

from engine.cards import FRENCH32, REGIONAL32, UNKNOWN, Deck, DeckKind

T = TypeVar("T")
RANKS: Final = 8
SUITS: Final = 4
SLOTS: Final = RANKS * SUITS
ACE: Final = 7
LOWEST_SET: Final = 3
"""Strength of the ten (the regional seven), the lowest card that makes a set (PIC-23)."""
SETS: Final = 0b11111000
"""The ranks that make sets, in a suit byte."""
_FIGURE_BITS: Final = 0b01110000
FIGURES: Final = 0x01010101 * _FIGURE_BITS
"""The hand of all figures; the ace is none (PIC-10)."""
SHORTEST: Final = 3
"""Cards of the shortest point, sequence or set."""


@dataclass(frozen=True, slots=True, eq=False)
class Pack:
    """One of the two decks, with tables indexed by its faces or by codes. There are just the two,
    so they are compared by identity, which caches are glad of.

    prices   by suit byte, the points of its cards together (PIC-01)
    points   by the hand of some cards of one suit, likewise: the sum of a point
    codes    translates faces to codes octet by octet; UNKNOWN stays what it is
    """

    deck: Deck
    prices: tuple[int, ...]
    points: dict[int, int] = field(repr=False)
    codes: bytes
    faces: bytes = field(repr=False)
    sorted_deck: bytes = field(repr=False)

    @property
    def kind(self) -> DeckKind:
        """The kind of deck."""
        return self.deck.kind

    def rank_text(self, strength: int) -> str:
        """The letter of a rank."""
        return self.kind.text(self.faces[strength])[0]

    def strength_of(self, letter: str) -> int:
        """The strength of the rank written `letter`, -1 if there is none."""
        letters = [self.rank_text(strength) for strength in range(RANKS)]
        return letters.index(letter) if letter in letters else -1

    def price(self, hand: int) -> int:
        """The sum of a point: what its cards are worth together."""
        prices = self.prices
        return (
            prices[hand & 255]
            + prices[hand >> 8 & 255]
            + prices[hand >> 16 & 255]
            + prices[hand >> 24]
        )


def _pack(kind: DeckKind, lowest: tuple[int, ...]) -> Pack:
    """`lowest`: the points of the four ranks below the figures."""
    size = kind.size
    shift = 1 if kind.ranks[0] == "A" else 0
    codes = bytearray(range(256))
    for face in range(size):
        strength = (kind.rank(face) - shift) % RANKS
        codes[face] = kind.suit(face) * RANKS + strength
    faces = bytearray(size)
    for face in range(size):
        faces[codes[face]] = face
    each = (*lowest, 10, 10, 10, 11)
    prices = tuple(
        sum(price for strength, price in enumerate(each) if byte >> strength & 1)
        for byte in range(256)
    )
    points = {
        byte << suit * RANKS: price for suit in range(SUITS) for byte, price in enumerate(prices)
    }
    return Pack(Deck(kind), prices, points, bytes(codes), bytes(faces), bytes(range(size)))


FRENCH: Final = _pack(FRENCH32, (7, 8, 9, 10))
REGIONAL: Final = _pack(REGIONAL32, (4, 5, 6, 7))
PACKS: Final = {"french32": FRENCH, "regional32": REGIONAL}


def by_parts(things: Sequence[T]) -> tuple[tuple[tuple[T, ...], ...], ...]:
    """For the lowest 11 bits of a mask of 32, for the next 11 and for the last 10: by their value,
    which of the `things` are in it."""
    tables = []
    for low, high in ((0, 11), (11, 22), (22, SLOTS)):
        table: list[tuple[T, ...]] = [()]
        for thing in things[low:high]:
            table += [(*before, thing) for before in table]
        tables.append(tuple(table))
    return tuple(tables)


_S0, _S1, _S2 = by_parts(range(SLOTS))


def slots_of(mask: int) -> tuple[int, ...]:
    """The slots in `mask`, or the codes in a hand, ascending."""
    return _S0[mask & 2047] + _S1[mask >> 11 & 2047] + _S2[mask >> 22]


def hand_of(codes: Iterable[int]) -> int:
    """The hand of these codes."""
    hand = 0
    for code in codes:
        hand |= 1 << code
    return hand


def codes_of(hand: int) -> tuple[int, ...]:
    """The codes in a hand: suit by suit, in each the highest card first."""
    return tuple(
        suit * RANKS + strength
        for suit in range(SUITS)
        for strength in range(ACE, -1, -1)
        if hand >> suit * RANKS + strength & 1
    )


def suits_of(hand: int) -> tuple[int, int, int, int]:
    """The four suit bytes."""
    return hand & 255, hand >> 8 & 255, hand >> 16 & 255, hand >> 24


def _runs(byte: int) -> tuple[tuple[int, int], ...]:
    found = []
    length = 0
    for strength in range(RANKS + 1):
        if byte >> strength & 1:
            length += 1
            continue
        if length >= SHORTEST:
            found.append((length, strength - 1))
        length = 0
    return tuple(sorted(found, reverse=True))


RUNS: Final = tuple(_runs(byte) for byte in range(256))
"""By suit byte: its runs of three or more as (length, strength of the top), the best first."""
BEST_RUN: Final = tuple(runs[0][0] * RANKS + runs[0][1] if runs else 0 for runs in RUNS)
"""By suit byte: length * 8 + strength of the top of its best run, 0 if it has none of three."""


_SIZES: Final = tuple(byte.bit_count() for byte in range(256))
"""By suit byte, its cards."""


def runs_of(hand: int) -> list[tuple[int, int]]:
    """All runs of three or more, the best first."""
    a, b, c, d = suits_of(hand)
    return sorted((*RUNS[a], *RUNS[b], *RUNS[c], *RUNS[d]), reverse=True)


_OF_RUNS: Final = tuple(
    byte for byte in range(256) if sum(n for n, _ in RUNS[byte]) == byte.bit_count()
)
"""The suit bytes in which every card is in a run."""


@cache
def run_parts(byte: int) -> tuple[int, ...]:
    """The parts of a suit byte, the empty one first, that consist of runs of three or more."""
    return tuple([part for part in _OF_RUNS if not part & ~byte])


@cache
def subsets(byte: int, size: int) -> tuple[int, ...]:
    """The parts of a suit byte with `size` cards, ascending as numbers."""
    if not size or not byte:
        return () if size else (0,)
    top = 1 << byte.bit_length() - 1
    rest = byte ^ top
    return subsets(rest, size) + tuple([part | top for part in subsets(rest, size - 1)])


@cache
def sums(pack: Pack, byte: int, size: int) -> frozenset[int]:
    """The prices that `size` cards of a suit byte can have."""
    return frozenset([pack.prices[part] for part in subsets(byte, size)])


def threes_of(a: int, b: int, c: int, d: int) -> int:
    """The strengths of which a hand of these suit bytes has three or more: sets (PIC-23)."""
    return (a & b & (c | d) | (a | b) & c & d) & SETS


def _ranked(threes: int, fours: int) -> tuple[tuple[int, int], ...]:
    found = [(3 + (fours >> rank & 1), rank) for rank in range(RANKS) if threes >> rank & 1]
    return tuple(sorted(found, reverse=True))


_RANKED: Final = tuple(
    tuple(_ranked(threes << LOWEST_SET, fours << LOWEST_SET) for fours in range(32))
    for threes in range(32)
)
"""By the five strengths that may make sets: of which there are three or more, and all four."""


def ranks_of(hand: int) -> tuple[tuple[int, int], ...]:
    """(how many, strength) of each rank that makes a set, the best first."""
    a, b, c, d = suits_of(hand)
    return _RANKED[threes_of(a, b, c, d) >> LOWEST_SET][(a & b & c & d) >> LOWEST_SET]


@dataclass(slots=True)
class Holding:
    """What a hand holds, in a few numbers.

    suit, run      cards of the longest suit, and of the longest run, 0 if none has three
    threes, fours  strengths of which it has three or more, or all four: sets alone (PIC-23)
    """

    hand: int
    suit: int
    run: int
    threes: int
    fours: int

    @classmethod
    def of(cls, hand: int) -> Holding:
        """What `hand` holds."""
        a, b, c, d = hand & 255, hand >> 8 & 255, hand >> 16 & 255, hand >> 24
        size, best = _SIZES, BEST_RUN
        return cls(
            hand,
            max(size[a], size[b], size[c], size[d]),
            max(best[a], best[b], best[c], best[d]) >> 3,
            threes_of(a, b, c, d),
            a & b & c & d & SETS,
        )


EVERYTHING: Final = Holding.of((1 << RANKS * SUITS) - 1)
"""What a hand may hold of which cards are hidden: nothing can be ruled out."""


@dataclass(slots=True, eq=False)
class Known:
    """What a state knows of its cards, as masks of slots.

    codes    by slot, UNKNOWN where nothing is known
    suits    by suit, the slots that are known to hold a card of it
    figures  the slots that are known to hold a figure
    dark     the slots of which nothing is known
    holdings what `holding` has worked out, since the same hands are asked for again and again
    places   by code, the slot that is known to hold that card, as a mask; once `order` was called
    over     by code, the slots that are known to hold a card after it; likewise

    It isn't frozen, since that takes twice as long to make, but nobody changes one.
    """

    codes: bytes
    suits: tuple[int, ...]
    figures: int = 0
    dark: int = 0
    holdings: dict[int, Holding] = field(default_factory=dict, repr=False)
    places: list[int] = field(default_factory=list, repr=False)
    over: tuple[int, ...] = field(default=(), repr=False)

    def hand(self, slots: int) -> int:
        """The hand of the known cards among `slots` (a mask)."""
        found = slots_of(slots)
        if len(found) < 2:
            return _CARD[self.codes[found[0]]] if found else 0
        return sum(map(_CARD.__getitem__, itemgetter(*found)(self.codes)))

    def holding(self, slots: int) -> Holding:
        """What `slots` (a mask), all of them known, hold."""
        found = self.holdings.get(slots)
        if found is None:
            found = self.holdings[slots] = Holding.of(self.hand(slots))
        return found

    def order(self) -> None:
        """Work out `places` and `over`."""
        where = bytes.maketrans(_EACH + self.codes, _NOWHERE + _EACH)[:SLOTS]
        self.places = list(itemgetter(*where)(_BITS))
        self.over = _over(self.places)

    def slots(self, hand: int) -> int:
        """Where the cards of `hand`, all of them known, lie: a mask of slots."""
        if not self.places:
            self.order()
        return sum(map(self.places.__getitem__, slots_of(hand)))


_CARD: Final = [*(1 << code for code in range(SLOTS)), *(0,) * (UNKNOWN + 1 - SLOTS)]
"""By code, the hand of that card alone."""
_EACH: Final = bytes(range(SLOTS))
_NOWHERE: Final = bytes((SLOTS,)) * SLOTS
_BITS: Final = (*(1 << slot for slot in range(SLOTS)), 0)
"""By slot, its mask; that of a card which lies nowhere is empty."""
_ALL_SLOTS: Final = (1 << SLOTS) - 1
_ENDS: Final = tuple(suit * RANKS + ACE for suit in range(SUITS))
"""By suit, the code of its ace."""
_IN_SUIT: Final = tuple(
    bytes(b"01"[code // RANKS == suit] for code in range(UNKNOWN + 1)) for suit in range(SUITS)
)
_IS_FIGURE: Final = bytes(b"01"[FIGURES >> code & 1] for code in range(UNKNOWN + 1))
"""For bytes.translate: from codes to the digits of a number."""
NOTHING_KNOWN: Final = Known(b"", (0,) * SUITS)


def known_of(pack: Pack, faces: bytes) -> Known:
    """What `faces`, one a slot, tell."""
    codes = faces.translate(pack.codes)
    if UNKNOWN not in codes:
        return _all_known(codes)
    last_first = codes[::-1]
    first, second, third, fourth = _IN_SUIT
    a, b, c, d = suits = (
        int(last_first.translate(first), 2),
        int(last_first.translate(second), 2),
        int(last_first.translate(third), 2),
        int(last_first.translate(fourth), 2),
    )
    figures = int(last_first.translate(_IS_FIGURE), 2)
    return Known(codes, suits, figures, _ALL_SLOTS & ~(a | b | c | d))


def _all_known(codes: bytes) -> Known:
    """The same of a whole deck: a suit's cards come one after another in its order."""
    places = list(itemgetter(*bytes.maketrans(codes, _EACH)[:SLOTS])(_BITS))
    over = _over(places)
    b, c, d = over[_ENDS[0]], over[_ENDS[1]], over[_ENDS[2]]
    figures = int(codes[::-1].translate(_IS_FIGURE), 2)
    return Known(codes, (_ALL_SLOTS - b, b - c, c - d, d), figures, 0, {}, places, over)


def _over(places: list[int]) -> tuple[int, ...]:
    """Known.over of these places."""
    return tuple(accumulate(places[:0:-1], initial=0))[::-1]
