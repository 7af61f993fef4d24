"""Why hands of Petrangola rank as they do: what counts in each, and what decides between two.

Law: this file tells what petrangola_hands and petrangola_settle have judged; it judges nothing, and
nobody asks it while a hand is played.

    >>> counted(ITALIAN.split("3c 6c 7d"), "points", 9)
    (('6c', 6), ('3c', 3))
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from engine.cards import ITALIAN
from engine.contract import Ground, Scored
from engine.games import petrangola_hands
from engine.games.petrangola_hands import FACE_POINTS, PetrangolaOptions, Value
from engine.games.petrangola_settle import Shown

_WHOLE: Final = frozenset({"three-aces", "petrangulo"})
"""Kinds whose cards aren't added up (PET-33, PET-35)."""
_RANKS: Final = len(ITALIAN.ranks)


def score(options: PetrangolaOptions, hands: Sequence[str]) -> tuple[Scored, ...]:
    """petrangola_hands.score, with the cards that count."""
    return tuple(
        replace(one, counted=counted(ITALIAN.split(one.hand), one.kind, one.points))
        for one in petrangola_hands.score(options, hands)
    )


def counted(faces: Sequence[int], kind: str, points: int) -> tuple[tuple[str, int], ...]:
    """The cards that make a hand what it is, the dearest first, with what each adds: of a hand of
    points those of its best suit, else all three."""
    cards = sorted(faces, key=lambda face: (-FACE_POINTS[face], -(face % _RANKS), face))
    if kind in _WHOLE:
        return tuple((ITALIAN.text(face), 0) for face in cards)
    if kind == "points":
        suits = [[face for face in cards if ITALIAN.suit(face) == n] for n in range(4)]
        cards = next(own for own in suits if sum(FACE_POINTS[face] for face in own) == points)
    return tuple((ITALIAN.text(face), FACE_POINTS[face]) for face in cards)


def grounds(options: PetrangolaOptions, shown: Sequence[Shown]) -> dict[int, Ground]:
    """For each seat what puts its hand above the next worse one (PET-30 to PET-36)."""
    ranks = [one.rank for one in shown]
    found = {}
    for own in shown:
        worse = [other for other in shown if other.rank > own.rank]
        if ranks.count(own.rank) > 1:
            found[own.seat] = Ground.LAST_TWO if len(shown) == 2 else Ground.EQUAL
        elif worse:
            next_one = min(worse, key=lambda other: other.rank)
            found[own.seat] = _ground(options, own.value, next_one.value)
    return found


def _ground(options: PetrangolaOptions, better: Value, worse: Value) -> Ground:
    if better.key == worse.key:
        return Ground.EARLIER
    if better.kind != worse.kind:
        return Ground.KIND
    if better.kind == "scala":
        return Ground.TOP
    if better.kind == "tris":
        return Ground.LOWER if options.low_tris_wins else Ground.HIGHER
    return Ground.POINTS if better.kind == "points" else Ground.HIGHER
