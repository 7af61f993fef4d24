"""The moves of Traversone, their text and their form in a log.

Law: this file knows slots and how the cards in them are named. It must never know whose turn it
is or what a move leads to.

    text       move         in a log
    ---------  -----------  ---------------
    3s         Play(17)     ("play", 17)
    aside Rd   Aside(39)    ("aside", 39)

A slot is a card's place in the dealt deck, so a log names places, never faces.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from engine import position
from engine.cards import ITALIAN
from engine.contract import Move, Public
from engine.errors import NotationError
from engine.games.traversone_count import DECK

_ASIDE_WORD = "aside "


@dataclass(frozen=True, slots=True)
class Play(Move):
    """Lay the card of `slot` on the table (TRA-03)."""

    slot: int

    def __post_init__(self) -> None:
        _check(self.slot)


@dataclass(frozen=True, slots=True)
class Aside(Move):
    """The dealer of three puts the card of `slot` aside, face down (TRA-31)."""

    slot: int

    def __post_init__(self) -> None:
        _check(self.slot)


def _check(slot: int) -> None:
    if type(slot) is not int or not 0 <= slot < DECK.size:
        raise NotationError(f"a slot is a whole number from 0 to {DECK.size - 1}")


PLAYS: Final = tuple(Play(slot) for slot in range(DECK.size))
ASIDES: Final = tuple(Aside(slot) for slot in range(DECK.size))

_OCTET: Final = 255
slots_of: Final = position.slots_of
_PLAYS: Final = tuple(
    tuple(tuple(map(PLAYS.__getitem__, slots)) for slots in row) for row in position.OCTETS
)
"""_PLAYS[n][octet]: the plays of the slots in octet n of a mask."""
_P0, _P1, _P2, _P3, _P4 = _PLAYS


@lru_cache(maxsize=1 << 14)  # a packet of ten slots has 1,024 hands; fewer would be forgotten
def plays(mask: int) -> tuple[Play, ...]:
    """The plays of the slots in `mask`, ascending."""
    return (
        _P0[mask & _OCTET]
        + _P1[mask >> 8 & _OCTET]
        + _P2[mask >> 16 & _OCTET]
        + _P3[mask >> 24 & _OCTET]
        + _P4[mask >> 32 & _OCTET]
    )


def format_move(move: Move, faces: bytes) -> str:
    """The text of `move` where `faces` are known."""
    if isinstance(move, Play):
        return ITALIAN.text(faces[move.slot])
    if isinstance(move, Aside):
        return _ASIDE_WORD + ITALIAN.text(faces[move.slot])
    raise NotationError(f"{type(move).__name__} is no move of Traversone")


def parse_move(text: str, hand: Mapping[int, int]) -> Move:
    """The inverse of `format_move`; `hand` is face -> slot of the cards in hand."""
    aside = text.startswith(_ASIDE_WORD)
    word = text.removeprefix(_ASIDE_WORD) if aside else text
    if word == "??":
        raise NotationError("?? stands for a card that can't be seen from here")
    slot = hand.get(ITALIAN.parse(word))
    if slot is None:
        raise NotationError(f"{word} is not in the hand: {ITALIAN.join(hand)}")
    return ASIDES[slot] if aside else PLAYS[slot]


def encode_move(move: Move) -> Public:
    """The form in a log: a word and a slot."""
    if isinstance(move, Play):
        return ("play", move.slot)
    if isinstance(move, Aside):
        return ("aside", move.slot)
    raise NotationError(f"{type(move).__name__} is no move of Traversone")


def decode_move(data: object) -> Move:
    """The inverse of `encode_move` for data from outside; NotationError unless exact."""
    if type(data) is tuple and len(data) == 2 and type(data[0]) is str:
        word, slot = data
        if type(slot) is int and 0 <= slot < DECK.size and word in {"play", "aside"}:
            return PLAYS[slot] if word == "play" else ASIDES[slot]
    raise NotationError("the data is no move of Traversone")
