"""What two hands declare against each other: `busso score picchetto ELDER YOUNGER`.

Law: this file plays the declarations of two hands in full, with the game's own counting
(PIC-21..PIC-25). It must never know a deal: carta bianca, parts and silence are for the table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from engine.contract import Detail, Scored
from engine.errors import NotationError
from engine.games.picchetto_cards import PACKS, Pack, hand_of, ranks_of, runs_of
from engine.games.picchetto_declare import (
    SEQUENCE_POINTS,
    SET_POINTS,
    Category,
    Claim,
    true_claims,
    values,
)
from engine.games.picchetto_exchange import BONUS_AT, NOVANTA
from engine.games.picchetto_frame import DEALT
from engine.games.picchetto_match import SEATS, PicchettoOptions

_NAMES: Final = ("point", "sequences", "sets")


@dataclass(slots=True)
class _Side:
    """One hand while the declarations are counted; `details` say what it scores, in order."""

    text: str
    hand: int
    points: int = 0
    kind: str = "nothing"
    details: list[Detail] = field(default_factory=list)


def score(options: PicchettoOptions, hands: Sequence[str]) -> tuple[Scored, ...]:
    """One hand alone, or the elder's and the younger's: points, and `details` with what they are
    made of. NotationError for what is no hand."""
    if not 1 <= len(hands) <= SEATS:
        raise NotationError(f"declarations are between {SEATS} hands, not {len(hands)}")
    pack = PACKS[options.deck]
    sides = [_Side(text, _hand(pack, text)) for text in hands]
    if len(sides) == SEATS and sides[0].hand & sides[1].hand:
        raise NotationError("a card is in both hands")
    for category in Category:
        _count(pack, category, sides)
    ranks = [1 + sum(other.points > side.points for other in sides) for side in sides]
    return tuple(
        Scored(side.text, side.kind, side.points, rank, details=tuple(side.details))
        for side, rank in zip(sides, ranks, strict=True)
    )


def _hand(pack: Pack, text: str) -> int:
    faces = pack.kind.split(text)
    if not 1 <= len(faces) <= DEALT + 1:
        raise NotationError(f"a hand has up to {DEALT} cards, in irregular ones {DEALT + 1}")
    if len(set(faces)) != len(faces):
        raise NotationError("a card is in the hand more than once")
    return hand_of(pack.codes[face] for face in faces)


def _best(pack: Pack, category: Category, side: _Side) -> Claim | None:
    """The whole of what a hand holds in a category, with its sum or top card."""
    claims = true_claims(category, side.hand)
    if not claims or category is Category.SET:
        return claims[-1] if claims else None
    size = claims[-1].size
    return Claim(category, size, max(values(pack, category, size, side.hand)))


def _count(pack: Pack, category: Category, sides: Sequence[_Side]) -> None:
    """The better claim scores, with what comes along; of equal ones none does."""
    held = [_best(pack, category, side) for side in sides]
    for side, own in zip(sides, held, strict=True):
        others = [claim for claim in held if claim is not own and claim is not None]
        if own is None or not all(own.beats(other) for other in others):
            tied = own is not None and own in others
            if tied:
                side.details.append(Detail(_NAMES[category], "equal, nothing", 0))
            continue
        parts = _parts(pack, category, own, side.hand)
        words, points_of = zip(*parts, strict=True)
        side.details.append(Detail(_NAMES[category], ", ".join(words), sum(points_of)))
        if side.kind == "nothing":
            side.kind = "declared"
        for _, points in parts:
            before = side.points
            side.points += points
            nothing = all(other.points == 0 for other in sides if other is not side)
            if before < BONUS_AT <= side.points and nothing:
                side.points += NOVANTA
                side.kind = "novanta"
                side.details.append(Detail("novanta", str(NOVANTA), NOVANTA))


def _parts(pack: Pack, category: Category, own: Claim, hand: int) -> list[tuple[str, int]]:
    """Each combination that scores, in words and in points."""
    rank = pack.rank_text
    if category is Category.POINT:
        return [(f"{own.size} cards of {own.value} = {own.size}", own.size)]
    if category is Category.SEQUENCE:
        found = [(n, top, SEQUENCE_POINTS[n]) for n, top in runs_of(hand)]
        return [(f"{n} to the {rank(top)} = {points}", points) for n, top, points in found]
    counted = [(n, strength, SET_POINTS[n]) for n, strength in ranks_of(hand)]
    return [(f"{n} of {rank(strength)} = {points}", points) for n, strength, points in counted]
