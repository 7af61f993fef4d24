"""The names of things: cards, what a hand is worth, scores. One word for one thing in a language.

Law: words only; it must never know whose turn it is. The letters on cards are those of the
notation in every language (CARD-05), so that what is seen can be typed, said and found in a log.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from engine.cards import UNKNOWN, DeckKind
from engine.contract import Game, Scored
from node.language import Language, mark

_RANKS: Final = {
    "A": mark("ace"),
    "2": mark("two"),
    "3": mark("three"),
    "4": mark("four"),
    "5": mark("five"),
    "6": mark("six"),
    "7": mark("seven"),
    "8": mark("eight"),
    "9": mark("nine"),
    "T": mark("ten"),
    "F": mark("jack"),
    "C": mark("knight"),
    "R": mark("king"),
    "J": mark("jack"),
    "Q": mark("queen"),
    "K": mark("king"),
}
_RANKS_OF_MANY: Final = {
    "2": mark("twos"),
    "3": mark("threes"),
    "4": mark("fours"),
    "5": mark("fives"),
    "6": mark("sixes"),
    "T": mark("tens"),
    "7": mark("sevens"),
    "J": mark("jacks"),
    "F": mark("jacks"),
    "Q": mark("queens"),
    "C": mark("knights"),
    "K": mark("kings"),
    "R": mark("kings"),
    "A": mark("aces"),
}
_ITALIAN_SUITS: Final = {
    "c": mark("cups"),
    "d": mark("coins"),
    "s": mark("swords"),
    "b": mark("batons"),
}
_FRENCH_SUITS: Final = {
    "h": mark("hearts"),
    "d": mark("diamonds"),
    "c": mark("clubs"),
    "s": mark("spades"),
}
_KINDS: Final = {
    "points": mark("mere points"),
    "tris": mark("tris"),
    "scala": mark("scala"),
    "three-aces": mark("three aces"),
    "petrangulo": mark("petranguló"),
    "mambassa": mark("mambassa"),
    "quarantuna": mark("quarantuna"),
    "quartina": mark("quartina"),
    "scala-lunga": mark("scala lunga"),
    "scala-corta": mark("scala corta"),
}
_REASONS: Final = {
    ("petrangola", "tris"): mark("three cards of one rank"),
    ("petrangola", "scala"): mark("three cards of one suit in a row"),
    ("petrangola", "three-aces"): mark("three aces beat every other petrangola"),
    ("petrangola", "petrangulo"): mark("three identical cards of swords beat everything"),
    ("mambassa", "mambassa"): mark("four aces beat everything"),
    ("mambassa", "quarantuna"): mark("ace, king, knight and jack of one suit"),
    ("mambassa", "quartina"): mark("four cards of one rank"),
    ("mambassa", "scala-lunga"): mark("four cards of one suit in a row"),
    ("mambassa", "tris"): mark("three cards of one rank"),
    ("mambassa", "scala-corta"): mark("three cards of one suit in a row"),
}


@lru_cache(maxsize=512)
def rank_word(language: Language, kind: DeckKind, face: int) -> str:
    """`seven`; "?" for a hidden card."""
    if face == UNKNOWN:
        return "?"
    return language.text(_RANKS[kind.ranks[kind.rank(face)]])


def rank_of_letter(language: Language, letter: str, *, many: bool = False) -> str:
    """`king`, `kings`; the letter itself if no rank is written so."""
    words = _RANKS_OF_MANY if many else _RANKS
    return language.text(words[letter]) if letter in words else letter


@lru_cache(maxsize=512)
def suit_word(language: Language, kind: DeckKind, face: int) -> str:
    """`cups`; "" for a hidden card."""
    if face == UNKNOWN:
        return ""
    words = _FRENCH_SUITS if "h" in kind.suits else _ITALIAN_SUITS
    return language.text(words[kind.suits[kind.suit(face)]])


@lru_cache(maxsize=512)
def card_word(language: Language, kind: DeckKind, face: int) -> str:
    """`seven of cups`."""
    if face == UNKNOWN:
        return language.text("a hidden card")
    rank, suit = rank_word(language, kind, face), suit_word(language, kind, face)
    return language.text("{rank} of {suit}").format(rank=rank, suit=suit)


def card_words(language: Language, kind: DeckKind, faces: Sequence[int]) -> str:
    """Cards by their names; more than three by their letters, with one space between."""
    if len(faces) > 3:
        return kind.join(faces)
    return ", ".join(card_word(language, kind, face) for face in faces)


def amount(language: Language, number: str) -> str:
    """A number with a part as the language writes it: 39.5 or 39,5."""
    return number.replace(".", language.text(".", "decimal"))


def kind_word(language: Language, kind: str) -> str:
    """`scala`: what a kind of hand is called."""
    return language.text(_KINDS[kind]) if kind in _KINDS else kind


def worth_words(language: Language, scored: Scored | None) -> str:
    """`27 points`, `scala of 30`; "" for what has no worth."""
    if scored is None:
        return ""
    number = amount(language, scored.amount)
    if scored.kind == "points":
        if scored.points == scored.parts:
            return language.text("{0} point").format(number)
        return language.text("{0} points").format(number)
    kind = kind_word(language, scored.kind)
    return language.text("{kind} of {0}").format(number, kind=kind)


def reason_words(language: Language, game: str, scored: Scored | None) -> str:
    """Why a hand ranks where it does; "" if there is nothing to say."""
    reason = _REASONS.get((game, scored.kind)) if scored else None
    return language.text(reason) if reason else ""


def score_label(language: Language, game: Game) -> str:
    """What the scores of a game are: `Tokens`, `Penalties`."""
    phrase = game.phrases.get("scores", mark("Scores: {0}."))
    return language.text(phrase).partition(":")[0]


_THIRDS: Final = "traversone"


def running_words(language: Language, game: str, number: int) -> str:
    """What a hand has brought a seat so far: thirds of a point in Traversone, else points."""
    if game != _THIRDS:
        return str(number)
    whole, rest = divmod(number, 3)
    part = f"{rest}/3" if rest else ""
    return f"{whole} {part}".strip() if whole or not rest else part
