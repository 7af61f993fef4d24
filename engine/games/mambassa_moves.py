"""The moves of Mambassa, their text and their form in a log.

Law: this file knows positions in a hand and in the monte, and how cards are named there. It must
never know whose turn it is or what a move leads to.

    text             move                            in a log
    ---------------  ------------------------------  ------------------------------
    stay             STAY                            ("stay",)
    camicia          CAMICIA                         ("camicia",)
    knock            KNOCK                           ("knock",)
    Rd>7c            one card for one                ("exchange", (0,), (2,), 0)
    Cd,Rd>7c,2s      two for two, or three           ("exchange", (0, 1), (0, 2), 0)
    Rd>7c discard    the same, then a discard        ("exchange", (0,), (2,), 1)
    discard          DISCARD: no exchange, a discard ("discard",)
    bottom 7s        Bottom(2)                       ("bottom", 2)
    declare          DECLARE                         ("declare",)
    none             NONE                            ("none",)

`camicia` is the dealer's swap and a player's exchange of all four alike. Positions ascend, and the
card at the i-th given one and the card at the i-th taken one change places. In a text the cards of
each side stand in the order of the deck, not as they lie: after a reseal they lie in an order that
only their owner knows, and a record, which has no reseals, must read the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import itemgetter
from typing import Final

from engine.cards import UNKNOWN, DeckKind
from engine.contract import Move, Public
from engine.errors import NotationError
from engine.games import monte_moves
from engine.games.mambassa_hands import HAND
from engine.games.monte_moves import (
    CAMICIA,
    KNOCK,
    STAY,
    Camicia,
    Knock,
    Plan,
    Stay,
    check_held,
    check_seen,
    exact,
    pairs,
)

__all__ = [
    "BOTTOMS",
    "CAMICIA",
    "DECLARE",
    "DISCARD",
    "EXCHANGES",
    "FIRST_FOUR",
    "KNOCK",
    "LAST_FOUR",
    "NONE",
    "STAY",
    "Bottom",
    "Camicia",
    "Declare",
    "Discard",
    "Exchange",
    "Knock",
    "Nothing",
    "Plan",
    "Stay",
    "decode_move",
    "encode_move",
    "format_move",
    "parse_move",
]

FIRST_FOUR: Final[Plan] = itemgetter(0, 1, 2, 3)
LAST_FOUR: Final[Plan] = itemgetter(4, 5, 6, 7)
_DISCARD: Final = " discard"


@dataclass(frozen=True, slots=True)
class Discard(Move):
    """No exchange, but a discard follows (MAM-10)."""


@dataclass(frozen=True, slots=True)
class Bottom(Move):
    """The card at `place`, 0..3, of the hand as it was resealed goes to the bottom (MAM-12)."""

    place: int

    def __post_init__(self) -> None:
        if type(self.place) is not int or not 0 <= self.place < HAND:
            raise NotationError(f"a discard names a position from 0 to {HAND - 1}")


@dataclass(frozen=True, slots=True)
class Declare(Move):
    """The hand is a mambassa or a quarantuna: open it (MAM-31)."""


@dataclass(frozen=True, slots=True)
class Nothing(Move):
    """The hand is neither: a promise (MAM-32)."""


@dataclass(frozen=True, slots=True)
class Exchange(monte_moves.Exchange):
    """One, two or three cards for as many of the monte: positions 0..3; `discard`: a discard
    follows (MAM-10)."""

    discard: bool = False

    def __post_init__(self) -> None:
        for places in (self.give, self.take):
            if type(places) is not tuple or places not in _PLACES or type(self.discard) is not bool:
                raise NotationError("an exchange gives and takes one to three positions, ascending")
        self._plan(HAND)


_PLACES = tuple(places for count in (1, 2, 3) for places in combinations(range(HAND), count))

DISCARD: Final = Discard()
DECLARE: Final = Declare()
NONE: Final = Nothing()
BOTTOMS: Final = tuple(Bottom(place) for place in range(HAND))
EXCHANGES: Final = tuple(
    Exchange(give, take, discard) for discard in (False, True) for give, take in pairs(_PLACES)
)
"""16 of one card, 36 of two and 16 of three without a discard, then the same with one."""

_WORDS: Final[dict[str, Move]] = {
    "stay": STAY,
    "camicia": CAMICIA,
    "knock": KNOCK,
    "discard": DISCARD,
    "declare": DECLARE,
    "none": NONE,
}
_WORD_OF: Final = {type(move): word for word, move in _WORDS.items()}


def _word(move: Move) -> str:
    word = _WORD_OF.get(type(move))
    if word is None:
        raise NotationError(f"{type(move).__name__} is no move of Mambassa")
    return word


def format_move(kind: DeckKind, move: Move, hand: Sequence[int], monte: Sequence[int]) -> str:
    """The text of `move` for a player with the faces `hand` before the faces `monte`."""
    if isinstance(move, Exchange):
        check_held(HAND, hand, monte)
        text = f"{_names(kind, hand, move.give)}>{_names(kind, monte, move.take)}"
        return text + _DISCARD if move.discard else text
    if isinstance(move, Bottom):
        if len(hand) != HAND:
            raise NotationError("there is no card to discard now")
        return f"bottom {kind.text(hand[move.place])}"
    return _word(move)


def _names(kind: DeckKind, faces: Sequence[int], places: Sequence[int]) -> str:
    return ",".join(kind.text(face) for face in sorted(faces[place] for place in places))


def parse_move(kind: DeckKind, text: str, hand: Sequence[int], monte: Sequence[int]) -> Move:
    """The inverse of `format_move`; NotationError for any other text."""
    found = _WORDS.get(text)
    if found is not None:
        return found
    if text.startswith("bottom "):
        if len(hand) != HAND:
            raise NotationError("there is no card to discard now")
        (place, *others) = _positions(kind, text.removeprefix("bottom "), hand, "hand")
        if others:
            raise NotationError("one card is discarded, as in bottom 7s")
        return BOTTOMS[place]
    given, arrow, taken = text.removesuffix(_DISCARD).partition(">")
    if not arrow:
        raise NotationError(
            f"'{text[:40]}' is no move: write {', '.join(_WORDS)}, Rd>7c, Cd,Rd>7c,2s, "
            "Rd>7c discard or bottom 7s"
        )
    check_held(HAND, hand, monte)
    give = _positions(kind, given, hand, "hand")
    take = _positions(kind, taken, monte, "monte")
    if len(give) == HAND or len(take) == HAND:
        raise NotationError("an exchange of all four is written camicia, and nothing follows it")
    return Exchange(give, take, text.endswith(_DISCARD))


def _positions(kind: DeckKind, text: str, faces: Sequence[int], pile: str) -> tuple[int, ...]:
    found: list[int] = []
    for word in text.split(",", HAND):
        check_seen(word, pile)
        face = kind.parse(word)
        if face not in faces:
            known = kind.join(sorted(faces))
            raise NotationError(f"{kind.text(face)} is not in the {pile}: {known}")
        found.append(face)
    if found != sorted(set(found)):
        known = kind.join(face for face in sorted(faces) if face != UNKNOWN)
        raise NotationError(f"write each card once, in the order of the deck: {known}")
    return tuple(sorted(faces.index(face) for face in found))


def encode_move(move: Move) -> Public:
    """The form in a log: a word, then positions, never faces."""
    if isinstance(move, Exchange):
        return ("exchange", move.give, move.take, int(move.discard))
    if isinstance(move, Bottom):
        return ("bottom", move.place)
    return (_word(move),)


def decode_move(data: object) -> Move:
    """The inverse of `encode_move` for data from outside; NotationError unless exact."""
    if type(data) is tuple and data and type(data[0]) is str:
        word = data[0]
        if len(data) == 1 and word in _WORDS:
            return _WORDS[word]
        if len(data) == 2 and word == "bottom":
            return Bottom(data[1])
        if len(data) == 4 and word == "exchange":
            give, take, discard = data[1:]
            if exact(give, take) and type(discard) is int and discard in (0, 1):
                return Exchange(give, take, bool(discard))
    raise NotationError("the data is no move of Mambassa")
