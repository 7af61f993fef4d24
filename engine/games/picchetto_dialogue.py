"""The dialogue of the declarations: who may say what, and what is said then (PIC-20..PIC-27).

Law: this file knows two hands and what was said of them. It must never know a whole position:
what is promised, told and counted by what is said is picchetto_talk's.

    CLAIM    elder     a claim, or pass
    COUNTER  younger   after a pass: a claim, or pass; else good, how-much, or a better claim
    STATE    elder     the sum or the top card
    VERDICT  younger   good, not-good, or equal
    PRODUCE  whoever scored, or both of a tie: the cards that were claimed

`MAY` lists what may be said or laid open in these phases, `ANSWERS` has what is said next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from engine.contract import Move
from engine.errors import IllegalMove
from engine.games.picchetto_cards import EVERYTHING, SHORTEST, Holding, Known, Pack
from engine.games.picchetto_declare import (
    LONGEST_CLAIM,
    UNSAID,
    Category,
    Claim,
    Demand,
    choices,
    every_claim,
    holds_claim,
    numbers,
    statable,
    worth,
)
from engine.games.picchetto_frame import ELDER, YOUNGER, Phase, Talk
from engine.games.picchetto_moves import (
    EQUAL,
    GOOD,
    HOW_MUCH,
    NOT_GOOD,
    PASS,
    Announce,
    Produce,
    Productions,
    Say,
    Tell,
    Word,
    productions,
)

_ANY: Final = 99
"""Above every sum and every rank."""
_RULES: Final = ("PIC-21", "PIC-22", "PIC-23")
"""By category."""
_DUE: Final = (
    "a point is declared now, or pass",
    "a sequence is declared now, or pass",
    "a set is declared now, or pass",
)
_OTHERS: Final = (
    "these cards aren't the point that was claimed",
    "these cards aren't the sequence that was claimed",
    "these cards aren't the set that was claimed",
)

# Members as plain names: to look one up in its class takes longer than to compare it.
_CATEGORY_POINT: Final = Category.POINT
_CATEGORY_SET: Final = Category.SET
_PHASE_CLAIM: Final = Phase.CLAIM
_PHASE_COUNTER: Final = Phase.COUNTER
_PHASE_PRODUCE: Final = Phase.PRODUCE
_PHASE_STATE: Final = Phase.STATE
_PHASE_VERDICT: Final = Phase.VERDICT
_WORD_EQUAL: Final = Word.EQUAL
_WORD_GOOD: Final = Word.GOOD
_WORD_HOW_MUCH: Final = Word.HOW_MUCH
_WORD_NOT_GOOD: Final = Word.NOT_GOOD
_WORD_PASS: Final = Word.PASS

OPENING: Final = Talk(_PHASE_CLAIM, ELDER, _CATEGORY_POINT)
"""How the dialogue begins."""
_PASSED: Final = tuple(Talk(_PHASE_COUNTER, YOUNGER, category) for category in Category)
"""By category: the elder has passed."""
_AFTER: Final = (
    Talk(_PHASE_CLAIM, ELDER, Category.SEQUENCE),
    Talk(_PHASE_CLAIM, ELDER, _CATEGORY_SET),
    Talk(Phase.PLAY, ELDER, _CATEGORY_SET),
)
"""By category: it is settled."""


@dataclass(slots=True, eq=False)
class Parley:
    """What is talked about. Pairs are indexed like `players`.

    pack   the deck in play
    known  what is known of its cards
    held   the hands, as masks of slots
    owns   what they hold; EVERYTHING unless all of a hand is known
    mute   who scores nothing (PIC-15), NOBODY if nobody does
    """

    pack: Pack
    known: Known
    held: tuple[int, int]
    owns: tuple[Holding, Holding]
    mute: int


# ---------------------------------------------------------------------------------------------
# What may be said

_ANNOUNCES: Final = tuple(
    tuple(Announce(claim) for claim in every_claim(category)) for category in Category
)
_OPENINGS: Final = tuple(
    tuple((PASS, *every[: max(0, most - SHORTEST + 1)]) for most in range(LONGEST_CLAIM + 1))
    for every in _ANNOUNCES[:_CATEGORY_SET]
)
"""By category and by how many cards of a suit or in a run one has: what may be said first."""
_REPLIES: Final = tuple(
    tuple(
        tuple(
            (GOOD, HOW_MUCH, *every[size - SHORTEST + 1 : most - SHORTEST + 1])
            if most >= size
            else (GOOD,)
            for most in range(LONGEST_CLAIM + 1)
        )
        for size in range(LONGEST_CLAIM + 1)
    )
    for every in _ANNOUNCES[:_CATEGORY_SET]
)
"""By category, by the cards that the other claims and by those that one has (PIC-21)."""
_VERDICTS: Final = (
    ((GOOD,), (GOOD, EQUAL)),
    ((GOOD, NOT_GOOD), (GOOD, NOT_GOOD, EQUAL)),
)
"""By whether one has more than what was stated, and whether one has as much."""


@lru_cache(maxsize=1 << 10)  # five ranks, in three or four suits
def _set_openings(threes: int, fours: int) -> tuple[Move, ...]:
    """The sets of a hand with three cards, or all four, of these strengths."""
    sets = [
        move
        for move in _ANNOUNCES[_CATEGORY_SET]
        if (threes if move.claim.size == SHORTEST else fours) >> move.claim.value & 1
    ]
    return (PASS, *sets)


@lru_cache(maxsize=1 << 12)
def _set_replies(threes: int, fours: int, size: int, rank: int) -> tuple[Move, ...]:
    """Those of them that beat `size` cards of `rank`."""
    other = Claim(_CATEGORY_SET, size, rank)
    sets = _set_openings(threes, fours)
    return (GOOD, *[m for m in sets if isinstance(m, Announce) and m.claim.beats(other)])


@lru_cache(maxsize=1 << 12)
def _tells(category: Category, mask: int) -> tuple[Move, ...]:
    """The statements of the sums or top cards in `mask`."""
    return tuple([Tell(category, value) for value in numbers(mask)])


def _openings(parley: Parley, talk: Talk) -> Sequence[Move]:
    own, category = parley.owns[talk.at], talk.category
    if category is _CATEGORY_SET:
        return _set_openings(own.threes, own.fours)
    return _OPENINGS[category][own.suit if category is _CATEGORY_POINT else own.run]


def _answers(parley: Parley, talk: Talk) -> Sequence[Move]:
    """PIC-21."""
    claim = talk.claim
    if claim is None:
        return _openings(parley, talk)
    own, category = parley.owns[talk.at], talk.category
    if category is _CATEGORY_SET:
        return _set_replies(own.threes, own.fours, claim.size, claim.value)
    return _REPLIES[category][claim.size][own.suit if category is _CATEGORY_POINT else own.run]


def _statable(parley: Parley, talk: Talk, claim: Claim) -> int:
    """What whose turn it is can say of a claim of this size: a mask of values."""
    return statable(parley.pack, talk.category, claim.size, parley.owns[talk.at].hand)


def _statements(parley: Parley, talk: Talk) -> Sequence[Move]:
    claim = talk.claim
    return _tells(talk.category, _statable(parley, talk, claim)) if claim else ()


def _verdicts(parley: Parley, talk: Talk) -> Sequence[Move]:
    claim = talk.claim
    if claim is None:
        return ()
    own = _statable(parley, talk, claim) >> claim.value
    return _VERDICTS[own > 1][own & 1]


def _productions(parley: Parley, talk: Talk) -> Sequence[Move]:
    demand, own = talk.due[0], parley.owns[talk.at]
    if own is EVERYTHING:
        slots, size = parley.held[talk.at], demand.claim.size
        return productions(slots, size, slots.bit_count() if demand.more else size)
    return Productions(choices(parley.pack, demand, own.hand), parley.known.slots)


MAY: Final[dict[Phase, Callable[[Parley, Talk], Sequence[Move]]]] = {
    Phase.CLAIM: _openings,
    Phase.COUNTER: _answers,
    Phase.STATE: _statements,
    Phase.VERDICT: _verdicts,
    Phase.PRODUCE: _productions,
}
"""By phase: the moves of whose turn it is, in a fixed order."""


# ---------------------------------------------------------------------------------------------
# What is said then


def _announce(parley: Parley, talk: Talk, move: Announce) -> Talk:
    """A claim of the elder, or a claim of the younger that is good as soon as it is made."""
    claim, category, other = move.claim, talk.category, talk.claim
    if claim.category is not category:
        raise IllegalMove(_RULES[category], _DUE[category])
    if other and not claim.beats(other):
        raise IllegalMove("PIC-21", "only a better claim is an answer; else good or how-much")
    if not holds_claim(claim, parley.owns[talk.at]):
        raise IllegalMove("PIC-20", "nobody can declare what the own hand doesn't hold")
    if talk.phase is _PHASE_CLAIM:
        return Talk(_PHASE_COUNTER, YOUNGER, category, claim)
    return _scores(parley, talk, YOUNGER, claim)


def _open(_: Parley, talk: Talk, move: Say) -> Talk:
    """The elder passes."""
    if move.word is not _WORD_PASS:
        raise _unfit(talk, move.word)
    return _PASSED[talk.category]


def _counter(parley: Parley, talk: Talk, move: Say) -> Talk:
    """The younger takes up a claim, or passes as the elder did."""
    word, claim, category = move.word, talk.claim, talk.category
    if claim is None:
        if word is not _WORD_PASS:
            raise _unfit(talk, word)
        return _AFTER[category]
    if word is _WORD_GOOD:
        return _scores(parley, talk, ELDER, claim)
    if (
        word is not _WORD_HOW_MUCH
        or category is _CATEGORY_SET
        or not holds_claim(claim, parley.owns[talk.at])
    ):
        raise _unfit(talk, word)
    return Talk(_PHASE_STATE, ELDER, category, claim)


def _tell(parley: Parley, talk: Talk, move: Tell) -> Talk:
    """The elder's answer to how-much."""
    claim, category, value = talk.claim, talk.category, move.value
    if claim is None or move.category is not category:
        point = category is _CATEGORY_POINT
        raise IllegalMove(
            "PIC-21", "the sum is asked for" if point else "the top card is asked for"
        )
    if not _statable(parley, talk, claim) >> value & 1:
        raise IllegalMove("PIC-20", "no cards of the own hand are such a claim")
    stated = Claim(category, claim.size, value)
    return Talk(_PHASE_VERDICT, YOUNGER, category, stated)


def _judge(parley: Parley, talk: Talk, move: Say) -> Talk:
    """The younger compares what the elder stated with the own cards."""
    word, claim = move.word, talk.claim
    if claim is None:
        raise _unfit(talk, word)
    if word is _WORD_GOOD:
        return _scores(parley, talk, ELDER, claim)
    own = _statable(parley, talk, claim) >> claim.value
    if word is _WORD_NOT_GOOD and own > 1:
        return _scores(parley, talk, YOUNGER, claim, claim.value + 1)
    if word is not _WORD_EQUAL or not own & 1:
        raise _unfit(talk, word)
    value = claim.value
    tie = [Demand(at, claim, value, value, more=False, counts=False) for at in (ELDER, YOUNGER)]
    return Talk(_PHASE_PRODUCE, ELDER, talk.category, claim, tuple(tie))


def _unfit(talk: Talk, word: Word) -> IllegalMove:
    if talk.phase is _PHASE_COUNTER and word is _WORD_HOW_MUCH:
        return IllegalMove("PIC-21", "how-much is asked by who holds as many cards as claimed")
    if talk.phase is _PHASE_VERDICT:
        return IllegalMove("PIC-20", "the own hand must hold what not-good or equal says")
    return IllegalMove("PIC-21", "{word} is no answer here", word=word.value)


def _scores(parley: Parley, talk: Talk, at: int, claim: Claim, least: int = UNSAID) -> Talk:
    """A claim of player `at` scores, with what was said of it or `least` or more: its cards are
    due. A hand of 13 only proves what it contests with."""
    low = high = claim.value
    if low == UNSAID or least != UNSAID:
        low, high = max(least, 0), _ANY
    counts = parley.mute != at
    more = counts and claim.category is not _CATEGORY_POINT
    due = (Demand(at, claim, low, high, more, counts),)
    return Talk(_PHASE_PRODUCE, at, talk.category, talk.claim, due)


ANSWERS: Final[dict[Phase, dict[type, Callable[[Parley, Talk, Any], Talk]]]] = {
    Phase.CLAIM: {Announce: _announce, Say: _open},
    Phase.COUNTER: {Announce: _announce, Say: _counter},
    Phase.STATE: {Tell: _tell},
    Phase.VERDICT: {Say: _judge},
    Phase.PRODUCE: {},
}
"""By phase and by the type of a move: the dialogue after it; IllegalMove if it may not be made."""


# ---------------------------------------------------------------------------------------------
# What is laid open


def fits(parley: Parley, talk: Talk, move: Produce) -> None:
    """IllegalMove unless cards of the own hand are laid open, and as many as are due (PIC-26)."""
    cards, demand = move.cards, talk.due[0]
    size, count = demand.claim.size, cards.bit_count()
    if cards & ~parley.held[talk.at]:
        raise IllegalMove("PIC-26", "only cards of the own hand can be laid open")
    if count != size and (count < size or not demand.more):
        raise IllegalMove("PIC-26", "the {size} cards of the claim are laid open", size=size)


def judged(pack: Pack, demand: Demand, hand: int) -> tuple[int, ...]:
    """What the open cards `hand` are worth; IllegalMove if they aren't what was claimed."""
    points = worth(pack, demand, hand)
    if not points:
        raise IllegalMove("PIC-26", _OTHERS[demand.claim.category])
    return points


def after_open(talk: Talk) -> Talk:
    """The first cards that were due lie open."""
    more = talk.due[1:]
    if more:
        return Talk(_PHASE_PRODUCE, more[0].player, talk.category, talk.claim, more)
    return _AFTER[talk.category]
