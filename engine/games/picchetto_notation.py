"""How moves of Picchetto are written.

Law: this file knows the cards in a hand and how they are named. It must never know whose turn it
is or what a move leads to.

    text                 move
    -------------------  ----------------------------------------------------------------------
    bianca 3             the elder announces carta bianca and will exchange three cards
    bianca               the younger announces it
    change Kh 9c 7d      put these aside, take as many
    change Kh 9c take 3  irregular hands: another number is taken
    point 5              five cards of a suit; as an answer: not good, five
    sequence 4           a quarta
    four K, three T      quattordici of kings, tris of tens
    pass                 nothing is declared
    good, not-good       buone, non buone
    how-much             quanto? of an equal number
    sum 48, top K        what the elder states then
    equal                pari
    show Ks Qs Js Ts     the cards of the claim, laid open
    Ks                   a card is played

Cards are listed suit by suit in the order of the deck's suits, in each the highest first, so that
each move has one text. `??` stands for cards that can't be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.cards import UNKNOWN
from engine.contract import Move
from engine.errors import NotationError
from engine.games import picchetto_moves
from engine.games.picchetto_cards import Pack
from engine.games.picchetto_declare import UNSAID, Category, Claim
from engine.games.picchetto_moves import (
    Announce,
    Bianca,
    Change,
    Play,
    Produce,
    Say,
    Tell,
    Word,
    slots_of,
)

_WORDS: Final = {word.value: Say(word) for word in Word}
_NUMBERS: Final = {"three": 3, "four": 4}
_NAMES: Final = {number: name for name, number in _NUMBERS.items()}
_LONGEST_WORDS: Final = 20
EXAMPLES: Final = "Ks, change Kh 9c, point 5, good or show Kh Qh Jh"


def format_move(move: Move, pack: Pack, faces: bytes) -> str:
    """The text of `move` where `faces` are known."""
    match move:
        case Bianca(number):
            return f"bianca {number}" if number else "bianca"
        case Change(given, taken):
            tail = "" if taken == given.bit_count() else f" take {taken}"
            return f"change {_names(pack, faces, slots_of(given))}{tail}"
        case Announce(Claim(Category.SET, size, value)):
            return f"{_NAMES[size]} {pack.rank_text(value)}"
        case Announce(Claim(category, size)):
            return f"{category.name.lower()} {size}"
        case Say(word):
            return word.value
        case Tell(Category.POINT, value):
            return f"sum {value}"
        case Tell(_, value):
            return f"top {pack.rank_text(value)}"
        case Produce(cards):
            return f"show {_names(pack, faces, slots_of(cards))}"
        case Play(slot):
            return pack.kind.text(faces[slot]) if faces else "??"
    raise NotationError(f"{type(move).__name__} is no move of Picchetto")


def _names(pack: Pack, faces: bytes, slots: Sequence[int]) -> str:
    held = [faces[slot] if faces else UNKNOWN for slot in slots]
    return pack.kind.join(in_order(pack, held))


def in_order(pack: Pack, faces: Sequence[int]) -> list[int]:
    """Faces as they are listed; unknown ones last."""
    return sorted(faces, key=lambda face: _place(pack, face))


def _place(pack: Pack, face: int) -> int:
    code = pack.codes[face]
    return code if code == UNKNOWN else code ^ 7  # the highest of a suit first


def parse_move(text: str, pack: Pack, hand: dict[int, int]) -> Move:
    """The inverse of `format_move`; `hand` is face -> slot of the cards that the player holds and
    sees. NotationError for any other text."""
    words = text.split(" ", _LONGEST_WORDS)
    if "" in words or len(words) > _LONGEST_WORDS:
        raise NotationError(f"'{text[:40]}' is no move: write {EXAMPLES}")
    key, rest = words[0], words[1:]
    if text in _WORDS:
        return _WORDS[text]
    if key == "change" and rest:
        return _parse_change(rest, pack, hand)
    if key == "show" and rest:
        return Produce(_mask(rest, pack, hand))
    if key == "bianca" and len(rest) <= 1:
        return Bianca(_number(rest[0]) if rest else 0)
    if key in _NUMBERS and len(rest) == 1:
        return Announce(Claim(Category.SET, _NUMBERS[key], _rank(rest[0], pack)))
    if key in ("point", "sequence") and len(rest) == 1:
        return Announce(Claim(Category[key.upper()], _number(rest[0]), UNSAID))
    if key == "sum" and len(rest) == 1:
        return Tell(Category.POINT, _number(rest[0]))
    if key == "top" and len(rest) == 1:
        return Tell(Category.SEQUENCE, _rank(rest[0], pack))
    if rest:
        raise NotationError(f"'{text[:40]}' is no move: write {EXAMPLES}")
    return picchetto_moves.PLAYS[_slot(key, pack, hand)]


def _parse_change(words: list[str], pack: Pack, hand: dict[int, int]) -> Change:
    if len(words) > 2 and words[-2] == "take":
        change = Change(_mask(words[:-2], pack, hand), _number(words[-1]))
        if change.taken == len(words) - 2:
            raise NotationError("who takes as many as are put aside doesn't say it")
        return change
    return Change(_mask(words, pack, hand), len(words))


def _number(word: str) -> int:
    plain = word.isascii() and word.isdigit() and len(word) <= 2
    if not plain or word[0] == "0":
        raise NotationError(f"'{word[:20]}' is no number that may stand there")
    return int(word)


def _rank(word: str, pack: Pack) -> int:
    strength = pack.strength_of(word)
    if strength < 0:
        raise NotationError(f"'{word[:20]}' is no rank: write one of {pack.kind.ranks}")
    return strength


def _slot(word: str, pack: Pack, hand: dict[int, int]) -> int:
    if word == "??":
        raise NotationError("?? stands for a card that can't be seen from here")
    if len(word) != 2:
        raise NotationError(f"'{word[:40]}' is no move: write {EXAMPLES}")
    slot = hand.get(pack.kind.parse(word))
    if slot is None:
        held = pack.kind.join(in_order(pack, list(hand)))
        raise NotationError(f"{word} is not in the hand: {held or 'nothing is known of it'}")
    return slot


def _mask(words: list[str], pack: Pack, hand: dict[int, int]) -> int:
    slots = [_slot(word, pack, hand) for word in words]
    ordered = pack.kind.join(in_order(pack, [pack.kind.parse(word) for word in words]))
    if len(set(slots)) != len(slots) or ordered != " ".join(words):
        raise NotationError(f"write each card once, suit by suit, high before low: {ordered}")
    return sum(1 << slot for slot in slots)
