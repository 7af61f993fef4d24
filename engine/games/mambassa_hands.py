"""What four cards are worth in Mambassa (MAM-20..MAM-24).

Law: this file knows four faces and the options that rank hands. It must never know who holds them
or what they cost. Points are counted in halves, since a scala is worth 39.5 or 38.5.

    >>> judge(MambassaOptions()).value(ITALIAN.split("Fc 7c 6c 2d"))
    Value(key=77062, kind='scala-corta', halves=77)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from engine import options as house
from engine.cards import ITALIAN, Deck, DeckKind
from engine.contract import Scored
from engine.errors import NotationError, OptionError
from engine.options import choice, number, switch

MIN_SEATS: Final = 2
MAX_SEATS: Final = 8
HAND: Final = 4
"""Cards in a hand, and in the monte."""

FRENCH40 = DeckKind(
    "french40",
    "A234567JQK",
    "hdcs",
    ("ace", "two", "three", "four", "five", "six", "seven", "jack", "queen", "king"),
    ("hearts", "diamonds", "clubs", "spades"),
)
"""The French deck without 8, 9 and 10; ranks stand where the Italian ones do (MAM-22)."""

_SUITS_BEST_FIRST: Final = {ITALIAN.name: "dscb", FRENCH40.name: "hdcs"}
_RANKS: Final = 10
_SUITS: Final = 4
_ONE_SUIT: Final = (1 << _RANKS) - 1
POINTS: Final = (11, 2, 3, 4, 5, 6, 7, 10, 10, 10)
_TOP: Final = 10
"""The place of a high ace: a 2 has place 1, a fante 7, a re 9; a low ace has 0 (MAM-24)."""
_STEP: Final = 1000
"""Keys are half points times this, and what decides between equal points."""
MAMBASSA: Final = 88
QUARANTUNA: Final = 82
QUARTINA: Final = 80
SCALA_LUNGA: Final = 79
TRIS: Final = 78
SCALA_CORTA: Final = 77


@dataclass(frozen=True, slots=True)
class MambassaOptions:
    """The house rules, each with its default; rules/mambassa.md explains them."""

    deck: str = choice("italian40", "french40", rule="MAM-22")
    tokens: int = number(4, 2, 9, "MAM-02")
    stake: int = number(1, 1, 1_000_000, "MAM-02")
    max_rounds: int = number(0, 0, 99, "MAM-06")
    ace_low: bool = switch(False, "MAM-24")

    def __post_init__(self) -> None:
        house.check(self)


PRESETS: Final[Mapping[str, Mapping[str, house.Value]]] = {"mambassa": {}}
"""One preset: all the defaults."""


def kind_for(options: MambassaOptions) -> DeckKind:
    """The kind of deck that the options name (MAM-01, MAM-22)."""
    return FRENCH40 if options.deck == "french40" else ITALIAN


def deck_for(options: MambassaOptions, seats: int) -> Deck:
    """The deck of a match of `seats` (MAM-01); OptionError where it can't serve the table."""
    deck = Deck(kind_for(options))
    if type(seats) is not int or seats < MIN_SEATS:
        raise OptionError(f"Mambassa needs at least {MIN_SEATS} players")
    if seats > MAX_SEATS:
        raise OptionError(
            f"{seats} players and the monte would need {HAND * seats + HAND} of {deck.size} "
            f"cards and leave no stock; {MAX_SEATS} can play"
        )
    return deck


@dataclass(frozen=True, slots=True, order=True)
class Value:
    """A hand's worth. `key` orders all hands, the better the higher; equal keys are equal hands.

    kind    mambassa, quarantuna, quartina, scala-lunga, tris, scala-corta or points
    halves  half points: 88 for 44
    """

    key: int
    kind: str
    halves: int


def is_declared(faces: Sequence[int]) -> bool:
    """Whether four faces are a mambassa or a quarantuna, which end the deal (MAM-31)."""
    a, b, c, d = faces
    return 1 << a | 1 << b | 1 << c | 1 << d in DECLARED


DECLARED: Final = frozenset(
    [sum(1 << _RANKS * suit for suit in range(_SUITS))]
    + [(1 << 0 | 1 << 7 | 1 << 8 | 1 << 9) << _RANKS * suit for suit in range(_SUITS)]
)
"""The five hands of MAM-31 as masks of faces."""


class Judge:
    """Values hands by one choice of options; what it found out it keeps.

    `suit_strength`: 3 for the best suit (MAM-22), by the index of the suit in the deck.
    """

    __slots__ = ("_known", "_runs", "ace_low", "suit_strength")

    def __init__(self, kind: DeckKind, ace_low: bool) -> None:
        best = _SUITS_BEST_FIRST[kind.name]
        self.ace_low = ace_low
        self.suit_strength = tuple(_SUITS - 1 - best.index(suit) for suit in kind.suits)
        self._runs = _runs(ace_low)
        self._known: dict[int, Value] = {}

    def value(self, faces: Sequence[int]) -> Value:
        """The worth of four different faces, in any order."""
        a, b, c, d = faces
        mask = 1 << a | 1 << b | 1 << c | 1 << d
        found = self._known.get(mask)
        if found is None:
            found = self._known[mask] = self._judge(mask)
        return found

    def _judge(self, mask: int) -> Value:
        a, b, c, d = suits = tuple(mask >> _RANKS * s & _ONE_SUIT for s in range(_SUITS))
        four = a & b & c & d
        if four:
            if four == 1:
                return Value(MAMBASSA * _STEP, "mambassa", MAMBASSA)
            return Value(QUARTINA * _STEP + _low_first(four), "quartina", QUARTINA)
        length, top, suit = max(
            (*self._runs[s], self.suit_strength[n]) for n, s in enumerate(suits)
        )
        between = top * _SUITS + suit
        if length == HAND and top == _TOP:
            return Value(QUARANTUNA * _STEP + between, "quarantuna", QUARANTUNA)
        if length == HAND:
            return Value(SCALA_LUNGA * _STEP + between, "scala-lunga", SCALA_LUNGA)
        three = a & b & c | a & b & d | a & c & d | b & c & d
        if three:
            return Value(TRIS * _STEP + _low_first(three), "tris", TRIS)
        if length:
            return Value(SCALA_CORTA * _STEP + between, "scala-corta", SCALA_CORTA)
        halves = 2 * max(_SUMS[s] for s in suits)
        return Value(halves * _STEP, "points", halves)


def _low_first(rank_bit: int) -> int:
    """MAM-21: aces best, then 2, 3, 4 ... and the re worst."""
    return _RANKS - rank_bit.bit_length()


_SUMS: Final = tuple(
    sum(POINTS[rank] for rank in range(_RANKS) if suit >> rank & 1) for suit in range(1 << _RANKS)
)
"""The points of the cards of one suit, by the mask of their ranks."""


@lru_cache(maxsize=2)
def _runs(ace_low: bool) -> tuple[tuple[int, int], ...]:
    """By the mask of a suit's ranks: length (4, 3, or 0) and top place of its best sequence."""
    found = []
    for suit in range(1 << _RANKS):
        places = suit & ~1 | (suit & 1) << _TOP | (suit & 1 if ace_low else 0)
        found.append(
            next(
                (
                    (length, low + length - 1)
                    for length in (4, 3)
                    for low in range(_TOP + 1 - length, -1, -1)
                    if places >> low & (1 << length) - 1 == (1 << length) - 1
                ),
                (0, 0),
            )
        )
    return tuple(found)


@lru_cache(maxsize=4)
def _shared(deck: str, ace_low: bool) -> Judge:
    return Judge(kind_for(MambassaOptions(deck=deck)), ace_low)


def judge(options: MambassaOptions) -> Judge:
    """The judge for `options`."""
    return _shared(options.deck, options.ace_low)


def value(faces: Sequence[int], options: MambassaOptions) -> Value:
    """The worth of four faces by `options`."""
    return judge(options).value(faces)


def score(options: MambassaOptions, hands: Sequence[str]) -> tuple[Scored, ...]:
    """Judge hands written as `2d 2c 2s 7b` or `2d2c2s7b`; NotationError for what is no hand.

    `Scored.points` are half points. Each hand is judged alone, so hands may share cards.
    """
    kind = kind_for(options)
    found = [_read(text, kind) for text in hands]
    values = [judge(options).value(faces) for faces in found]
    return tuple(
        Scored(
            kind.join(faces), v.kind, v.halves, 1 + sum(other.key > v.key for other in values), 2
        )
        for faces, v in zip(found, values, strict=True)
    )


def _read(text: str, kind: DeckKind) -> tuple[int, ...]:
    words = text.split()
    if len(words) == 1 and len(words[0]) == 2 * HAND:
        words = [words[0][i : i + 2] for i in range(0, 2 * HAND, 2)]
    if len(words) != HAND:
        raise NotationError(f"'{text[:40]}' is no hand: a hand is four cards, as in 2d 2c 2s 7c")
    faces = tuple(kind.parse(word) for word in words)
    if len(set(faces)) != HAND:
        raise NotationError(f"a card is in the hand twice: {kind.join(faces)}")
    return faces
