"""Why hands of Mambassa rank as they do: what counts in each, and what decides between two.

Law: this file tells what mambassa_hands and mambassa_settle have judged; it judges nothing, and
nobody asks it while a hand is played.

    >>> counted(ITALIAN.split("Fc 7c 6c 2d"), MambassaOptions())
    (('Fc', 0), ('7c', 0), ('6c', 0))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from engine.contract import Ground, Scored
from engine.games import mambassa_hands
from engine.games.mambassa_hands import POINTS, MambassaOptions, Value, judge, kind_for
from engine.games.mambassa_settle import Shown

_RANKS: Final = len(POINTS)
_SUITS: Final = 4
_STEP: Final = 1000
_HALVES: Final = 2
_SEQUENCES: Final = frozenset({"quarantuna", "scala-lunga", "scala-corta"})


def score(options: MambassaOptions, hands: Sequence[str]) -> tuple[Scored, ...]:
    """mambassa_hands.score, with the cards that count."""
    kind = kind_for(options)
    return tuple(
        replace(one, counted=counted(kind.split(one.hand), options))
        for one in mambassa_hands.score(options, hands)
    )


def counted(faces: Sequence[int], options: MambassaOptions) -> tuple[tuple[str, int], ...]:
    """The cards that make a hand what it is, the dearest first, with what each adds in halves of a
    point: of a hand of points those of its best suit, of a tris and a scala corta three (MAM-23).
    """
    kind = kind_for(options)
    value = judge(options).value(faces)
    cards = sorted(faces, key=lambda face: (-POINTS[face % _RANKS], -(face % _RANKS), face))
    if value.kind == "points":
        suits = [[face for face in cards if face // _RANKS == n] for n in range(_SUITS)]
        worth = [_HALVES * sum(POINTS[face % _RANKS] for face in own) for own in suits]
        best = suits[worth.index(value.halves)]
        return tuple((kind.text(face), _HALVES * POINTS[face % _RANKS]) for face in best)
    if value.kind == "tris":
        ((rank, _),) = Counter(face % _RANKS for face in cards).most_common(1)
        cards = [face for face in cards if face % _RANKS == rank]
    elif value.kind == "scala-corta":
        cards = _without_the_fourth(cards, value, options)
    return tuple((kind.text(face), 0) for face in cards)


def _without_the_fourth(cards: Sequence[int], value: Value, options: MambassaOptions) -> list[int]:
    """The three of a scala corta: those without which the hand wouldn't be the same scala."""
    unlike = [face for face in range(_SUITS * _RANKS) if face not in cards]
    found = []
    for card in cards:
        rest = [face for face in cards if face != card]
        others = (judge(options).value((*rest, face)) for face in unlike)
        if any(other.kind == value.kind and other.key == value.key for other in others):
            continue
        found.append(card)
    return found


def grounds(shown: Sequence[Shown]) -> dict[int, Ground]:
    """For each seat what puts its hand above the next worse one (MAM-20 to MAM-23)."""
    ranks = [one.rank for one in shown]
    found = {}
    for own in shown:
        worse = [other for other in shown if other.rank > own.rank]
        if ranks.count(own.rank) > 1:
            found[own.seat] = Ground.EQUAL
        elif worse:
            next_one = min(worse, key=lambda other: other.rank)
            found[own.seat] = _ground(own.value, next_one.value)
    return found


def _ground(better: Value, worse: Value) -> Ground:
    if better.kind != worse.kind:
        return Ground.KIND
    if better.kind == "points":
        return Ground.POINTS
    if better.kind in _SEQUENCES:
        same = better.key % _STEP // _SUITS == worse.key % _STEP // _SUITS
        return Ground.SUIT if same else Ground.TOP
    return Ground.LOWER
