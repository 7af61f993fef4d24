"""The moves of Picchetto and their form in a log.

Law: this file knows slots and numbers, never faces, so a log can't hold one either. It must never
know whose turn it is or what a move leads to. The texts of moves are picchetto_notation's.

    move                     in a log
    -----------------------  ------------------------------------------
    Bianca(3)                ("bianca", 3)              0: nothing is exchanged yet
    Change(mask, 2)          ("change", (3, 17), 2)     slots given away, number taken
    Announce(claim)          ("point", 5) ("sequence", 4) ("set", 4, 6)
    Say(Word.GOOD)           ("good",)
    Tell(category, value)   ("sum", 48) ("top", 7)
    Produce(mask)            ("show", (0, 1, 2))
    Play(17)                 ("play", 17)

Slots are places in the deck as it lies now. A rank is its strength, 0..7 (picchetto_cards).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import combinations
from typing import Final, overload

from engine.contract import Move, Public
from engine.errors import NotationError
from engine.games import picchetto_cards
from engine.games.picchetto_cards import ACE, LOWEST_SET, SHORTEST, SLOTS
from engine.games.picchetto_declare import LONGEST_CLAIM, UNSAID, Category, Claim

slots_of: Final = picchetto_cards.slots_of
MAX_TAKEN: Final = 7
"""The younger may take so many of the talon: the elder takes one at least."""
MAX_PRICE: Final = 75


class Word(StrEnum):
    """What is said in a dialogue; the value is its text."""

    PASS = "pass"  # noqa: S105 - a word of the game
    GOOD = "good"
    NOT_GOOD = "not-good"
    HOW_MUCH = "how-much"
    EQUAL = "equal"


@dataclass(frozen=True, slots=True)
class Bianca(Move):
    """Carta bianca (PIC-10). The elder says how many cards will be exchanged, the younger 0."""

    number: int

    def __post_init__(self) -> None:
        _check(self.number, 0, MAX_TAKEN, "number of cards")


@dataclass(frozen=True, slots=True)
class Change(Move):
    """Put the cards of the slots in the mask `given` aside and take `taken` of the talon."""

    given: int
    taken: int

    def __post_init__(self) -> None:
        _check_mask(self.given, MAX_TAKEN + 1)
        _check(self.taken, 1, MAX_TAKEN, "number of cards")


@dataclass(frozen=True, slots=True)
class Announce(Move):
    """A claim, alone or against another one (PIC-21): only a set has its value with it."""

    claim: Claim

    def __post_init__(self) -> None:
        claim = self.claim
        if type(claim) is not Claim or type(claim.category) is not Category:
            raise NotationError("a claim is a point, a sequence or a set")
        is_set = claim.category is Category.SET
        _check(claim.size, SHORTEST, 4 if is_set else LONGEST_CLAIM, "number of cards")
        low, high = (LOWEST_SET, ACE) if is_set else (UNSAID, UNSAID)
        _check(claim.value, low, high, "rank")


@dataclass(frozen=True, slots=True)
class Say(Move):
    """A word of the dialogue."""

    word: Word

    def __post_init__(self) -> None:
        if type(self.word) is not Word:
            raise NotationError("a word of the dialogue is " + ", ".join(w.value for w in Word))


@dataclass(frozen=True, slots=True)
class Tell(Move):
    """The answer to `how-much`: the sum of a point or the top card of a sequence (PIC-21)."""

    category: Category
    value: int

    def __post_init__(self) -> None:
        if type(self.category) is not Category or self.category is Category.SET:
            raise NotationError("a sum or a top card is stated")
        high = MAX_PRICE if self.category is Category.POINT else ACE
        _check(self.value, 0, high, "sum or top card")


@dataclass(frozen=True, slots=True)
class Produce(Move):
    """Lay open the cards of a claim that scored or tied: a mask of slots (PIC-26)."""

    cards: int

    def __post_init__(self) -> None:
        _check_mask(self.cards, SLOTS)


@dataclass(frozen=True, slots=True)
class Play(Move):
    """Lay the card of `slot` on the table (PIC-30)."""

    slot: int

    def __post_init__(self) -> None:
        _check(self.slot, 0, SLOTS - 1, "slot")


def _check(value: object, low: int, high: int, what: str) -> None:
    if type(value) is not int or not low <= value <= high:
        raise NotationError(f"the {what} is out of range")


def _check_mask(mask: object, most: int) -> None:
    if type(mask) is not int or not 0 < mask < 1 << SLOTS or mask.bit_count() > most:
        raise NotationError(f"one to {most} of the {SLOTS} slots are named")


# ---------------------------------------------------------------------------------------------
# Ready-made moves

_blank: Final = object.__new__
_lay_open: Final = Produce.__dict__["cards"].__set__
PASS: Final = Say(Word.PASS)
GOOD: Final = Say(Word.GOOD)
NOT_GOOD: Final = Say(Word.NOT_GOOD)
HOW_MUCH: Final = Say(Word.HOW_MUCH)
EQUAL: Final = Say(Word.EQUAL)
BIANCAS: Final = tuple(Bianca(number) for number in range(MAX_TAKEN + 1))
PLAYS: Final = tuple(Play(slot) for slot in range(SLOTS))
PLAYS_OF: Final = picchetto_cards.by_parts(PLAYS)
_P0, _P1, _P2 = PLAYS_OF


class Productions(Sequence[Produce]):
    """Ways to lay cards open, each made when somebody looks at it: there may be a hundred of them,
    of which one is chosen.

    parts  those of a hand that may be laid open
    slots  where the cards of such a part lie, as a mask
    """

    __slots__ = ("_parts", "_slots")

    def __init__(self, parts: tuple[int, ...], slots: Callable[[int], int]) -> None:
        self._parts = parts
        self._slots = slots

    def __len__(self) -> int:
        return len(self._parts)

    @overload
    def __getitem__(self, at: int) -> Produce: ...

    @overload
    def __getitem__(self, at: slice) -> Sequence[Produce]: ...

    def __getitem__(self, at: int | slice) -> Produce | Sequence[Produce]:
        if isinstance(at, slice):
            return tuple(Productions(self._parts[at], self._slots))
        move = _blank(Produce)  # of slots of a hand: nothing needs to be checked
        _lay_open(move, self._slots(self._parts[at]))
        return move


def plays(mask: int) -> tuple[Play, ...]:
    """The plays of the slots in `mask`, ascending."""
    return _P0[mask & 2047] + _P1[mask >> 11 & 2047] + _P2[mask >> 22]


def mask_from(slots: tuple[int, ...]) -> int:
    """The mask of ascending slots."""
    return sum(1 << slot for slot in slots)


@lru_cache(maxsize=64)
def changes(hand: int, fewest: int, low: int, high: int, slack: int) -> tuple[Change, ...]:
    """The exchanges of `fewest` cards or more that take `low` to `high`. `slack` 1: one card more
    or less may be put aside than is taken (PIC-15)."""
    found: tuple[Change, ...] = ()
    for number in range(max(fewest, low - slack), high + slack + 1):
        found += _changes_of(hand, number, max(low, number - slack), min(high, number + slack))
    return found


@lru_cache(maxsize=64)
def _changes_of(hand: int, number: int, low: int, high: int) -> tuple[Change, ...]:
    """Those of `number` cards."""
    bits = [1 << slot for slot in slots_of(hand)]
    taken = range(low, high + 1)
    return tuple([Change(sum(some), n) for some in combinations(bits, number) for n in taken])


@lru_cache(maxsize=32)
def productions(hand: int, fewest: int, most: int) -> tuple[Produce, ...]:
    """Every choice of `fewest` to `most` cards from a hand that isn't known."""
    slots = slots_of(hand)
    return tuple(
        Produce(mask_from(shown))
        for number in range(fewest, min(most, len(slots)) + 1)
        for shown in combinations(slots, number)
    )


# ---------------------------------------------------------------------------------------------
# In a log


def encode_move(move: Move) -> Public:
    """The form in a log: a word, then numbers."""
    match move:
        case Bianca(number):
            return ("bianca", number)
        case Change(given, taken):
            return ("change", slots_of(given), taken)
        case Announce(Claim(Category.SET, size, value)):
            return ("set", size, value)
        case Announce(Claim(category, size)):
            return (category.name.lower(), size)
        case Say(word):
            return (word.value,)
        case Tell(category, value):
            return ("sum" if category is Category.POINT else "top", value)
        case Produce(cards):
            return ("show", slots_of(cards))
        case Play(slot):
            return ("play", slot)
    raise NotationError(f"{type(move).__name__} is no move of Picchetto")


def decode_move(data: object) -> Move:
    """The inverse of `encode_move` for data from outside; NotationError unless exact."""
    match data if type(data) is tuple else ():
        case ("bianca", int(number)):
            return Bianca(number)
        case ("change", tuple(given), int(taken)):
            return Change(_decode_slots(given), taken)
        case ("set", int(size), int(value)):
            return Announce(Claim(Category.SET, size, value))
        case ("point", int(size)):
            return Announce(Claim(Category.POINT, size))
        case ("sequence", int(size)):
            return Announce(Claim(Category.SEQUENCE, size))
        case (str(word),) if word in _WORDS:
            return Say(_WORDS[word])
        case ("sum", int(value)):
            return Tell(Category.POINT, value)
        case ("top", int(value)):
            return Tell(Category.SEQUENCE, value)
        case ("show", tuple(cards)):
            return Produce(_decode_slots(cards))
        case ("play", int(slot)):
            return Play(slot)
    raise NotationError("the data is no move of Picchetto")


_WORDS: Final = {word.value: word for word in Word}


def _decode_slots(slots: tuple[object, ...]) -> int:
    """The mask of ascending slots, each once."""
    last = -1
    mask = 0
    for slot in slots:
        if type(slot) is not int or not last < slot < SLOTS:
            raise NotationError("slots are named in ascending order, each once")
        last = slot
        mask |= 1 << slot
    return mask
