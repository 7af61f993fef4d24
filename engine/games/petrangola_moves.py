"""The moves of Petrangola, their text and their form in a log.

Law: this file knows positions in a hand and in the monte, and how cards are named there. It must
never know whose turn it is or what a move leads to.

    text          move                 in a log
    ------------  -------------------  ----------------------------
    cut 17        Cut(17)              ("cut", 17)
    stay          STAY                 ("stay",)
    camicia       CAMICIA              ("camicia",)
    knock         KNOCK                ("knock",)
    knock-show    KNOCK_SHOW           ("knock-show",)
    Rd>7c         one card             ("exchange", (0,), (2,))
    Rd,Cd>7c,2s   two cards            ("exchange", (0, 1), (0, 2))
    reenter       REENTER              ("reenter",)
    decline       DECLINE              ("decline",)

`camicia` is the dealer's swap and a player's exchange of all three alike. Both lists of an
exchange ascend by position, and so does their text: the card at the i-th given position and the
card at the i-th taken one change places, so that every outcome has one move and one text. Of
equal cards that lie together (several decks) the second is written `7c'`, the third `7c''`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from operator import itemgetter
from typing import Final

from engine.cards import ITALIAN, UNKNOWN
from engine.contract import Move, Public
from engine.errors import NotationError
from engine.games import monte_moves
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
from engine.games.petrangola_hands import HAND, MAX_DECKS

__all__ = [
    "CAMICIA",
    "DECLINE",
    "EXCHANGES",
    "FIRST_THREE",
    "KNOCK",
    "KNOCK_SHOW",
    "LAST_THREE",
    "MAX_CUT",
    "REENTER",
    "STAY",
    "Camicia",
    "Cut",
    "Decline",
    "Exchange",
    "Knock",
    "KnockShow",
    "Plan",
    "Reenter",
    "Stay",
    "decode_move",
    "encode_move",
    "format_move",
    "names",
    "parse_move",
]

FIRST_THREE: Final[Plan] = itemgetter(0, 1, 2)
LAST_THREE: Final[Plan] = itemgetter(3, 4, 5)
MAX_CUT: Final = MAX_DECKS * ITALIAN.size - 1


@dataclass(frozen=True, slots=True)
class Cut(Move):
    """Cut the deck at `at`, 1 <= at < its size (PET-06)."""

    at: int

    def __post_init__(self) -> None:
        if type(self.at) is not int or not 1 <= self.at <= MAX_CUT:
            raise NotationError(f"a cut is a whole number from 1 to {MAX_CUT}")


@dataclass(frozen=True, slots=True)
class KnockShow(Move):
    """No exchange, and the petrangola in hand is shown (PET-24)."""


@dataclass(frozen=True, slots=True)
class Reenter(Move):
    """A dead player pays again and plays on (PET-50)."""


@dataclass(frozen=True, slots=True)
class Decline(Move):
    """A dead player stays out for good (PET-50)."""


@dataclass(frozen=True, slots=True)
class Exchange(monte_moves.Exchange):
    """One or two cards for as many of the monte (PET-21): positions 0..2."""

    def __post_init__(self) -> None:
        for places in (self.give, self.take):
            if type(places) is not tuple or places not in _PLACES:
                raise NotationError("an exchange gives and takes one or two positions, ascending")
        self._plan(HAND)


_PLACES = tuple(places for count in (1, 2) for places in combinations(range(HAND), count))

KNOCK_SHOW: Final = KnockShow()
REENTER: Final = Reenter()
DECLINE: Final = Decline()
EXCHANGES: Final = tuple(Exchange(give, take) for give, take in pairs(_PLACES))
"""The nine exchanges of one card, then the nine of two."""

_WORDS: Final[dict[str, Move]] = {
    "stay": STAY,
    "camicia": CAMICIA,
    "knock": KNOCK,
    "knock-show": KNOCK_SHOW,
    "reenter": REENTER,
    "decline": DECLINE,
}
_WORD_OF: Final = {type(move): word for word, move in _WORDS.items()}


def names(faces: Sequence[int]) -> list[str]:
    """Cards as a move names them: equal ones that lie together are told apart by strokes."""
    return [
        ITALIAN.text(face) + "'" * (faces[:i].count(face) if face != UNKNOWN else 0)
        for i, face in enumerate(faces)
    ]


def format_move(move: Move, hand: Sequence[int], monte: Sequence[int]) -> str:
    """The text of `move` for a player with the faces `hand` before the faces `monte`."""
    if isinstance(move, Exchange):
        check_held(HAND, hand, monte)
        mine, theirs = names(hand), names(monte)
        given = ",".join(mine[i] for i in move.give)
        return f"{given}>{','.join(theirs[i] for i in move.take)}"
    if isinstance(move, Cut):
        return f"cut {move.at}"
    word = _WORD_OF.get(type(move))
    if word is None:
        raise NotationError(f"{type(move).__name__} is no move of Petrangola")
    return word


def parse_move(text: str, hand: Sequence[int], monte: Sequence[int]) -> Move:
    """The inverse of `format_move`; NotationError for any other text."""
    found = _WORDS.get(text)
    if found is not None:
        return found
    if text.startswith("cut "):
        digits = text[4:]
        plain = digits.isascii() and digits.isdigit() and len(digits) <= 3
        if not plain or digits[0] == "0":
            raise NotationError(f"a cut is a whole number from 1 to {MAX_CUT}, as in cut 17")
        return Cut(int(digits))
    given, arrow, taken = text.partition(">")
    if not arrow:
        raise NotationError(
            f"'{text[:40]}' is no move: write {', '.join(_WORDS)}, cut 17, Rd>7c or Rd,Cd>7c,2s"
        )
    check_held(HAND, hand, monte)
    give = _positions(given, hand, "hand")
    take = _positions(taken, monte, "monte")
    if len(give) == HAND and len(take) == HAND:
        raise NotationError("an exchange of all three is written camicia")
    return Exchange(give, take)


def _positions(text: str, faces: Sequence[int], pile: str) -> tuple[int, ...]:
    words = text.split(",", HAND)
    held = names(faces)
    found: list[int] = []
    for word in words:
        check_seen(word, pile)
        ITALIAN.parse(word.rstrip("'") if len(word) <= HAND + 1 else word)
        if word not in held:
            raise NotationError(f"{word} is not in the {pile}: {' '.join(held)}")
        found.append(held.index(word))
    if found != sorted(set(found)):
        raise NotationError(f"write each card once, in the order of the {pile}: {' '.join(held)}")
    return tuple(found)


def encode_move(move: Move) -> Public:
    """The form in a log: a word, then a number or positions, never faces."""
    if isinstance(move, Exchange):
        return ("exchange", move.give, move.take)
    if isinstance(move, Cut):
        return ("cut", move.at)
    word = _WORD_OF.get(type(move))
    if word is None:
        raise NotationError(f"{type(move).__name__} is no move of Petrangola")
    return (word,)


def decode_move(data: object) -> Move:
    """The inverse of `encode_move` for data from outside; NotationError unless exact."""
    if type(data) is tuple and data and type(data[0]) is str:
        word = data[0]
        if len(data) == 1 and word in _WORDS:
            return _WORDS[word]
        if len(data) == 2 and word == "cut":
            return Cut(data[1])
        if len(data) == 3 and word == "exchange":
            give, take = data[1:]
            if exact(give, take):
                return Exchange(give, take)
    raise NotationError("the data is no move of Petrangola")
