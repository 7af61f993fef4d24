"""What cards cost in Traversone: rank, thirds, the count of a deal (TRA-01, TRA-10..TRA-13).

Law: this file knows faces, sums of thirds and the options that change them. It must never know
slots, turns or totals of a match. Sums are whole numbers of thirds of a point.

    >>> count(TraversoneOptions(), (6, 6, 9, 11), 3).penalties
    (2, 2, 3, 4)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from engine import options as house
from engine.cards import ITALIAN, Deck
from engine.contract import Detail, Scored
from engine.errors import NotationError, OptionError
from engine.options import choice, number, switch

MIN_SEATS: Final = 2
MAX_SEATS: Final = 5
DECK: Final = Deck(ITALIAN)
RANKS: Final = 10
"""Cards of a suit: face // RANKS is the suit."""
ACE: Final = 0
ACE_OF_BASTONI: Final = ITALIAN.parse("Ab")
_ORDER = "4567FCRA23"
"""TRA-01, weakest first."""
_ONE = 3
"""A point, in thirds."""
_CHEAP: Final = "32RCF"
"""What costs a third."""

STRENGTH: Final = bytes(_ORDER.index(ITALIAN.ranks[face % RANKS]) for face in range(DECK.size))
"""Face -> 0 (a 4) to 9 (a 3), comparable within a suit."""
BEATS: Final = (
    *(
        bytes(
            face // RANKS == best // RANKS and STRENGTH[face] > STRENGTH[best]
            for face in range(DECK.size)
        )
        for best in range(DECK.size)
    ),
    bytes((True,)) * DECK.size,
)
"""BEATS[best][face]: `face` takes the trick from `best`, which led it or follows the led suit;
BEATS[NOTHING][face]: whatever is led takes it for the time being."""


@dataclass(frozen=True, slots=True)
class TraversoneOptions:
    """The house rules; rules/traversone.md explains them."""

    cappotto: str = choice("counted", "all_points", rule="TRA-12")
    ace_of_bastoni: bool = switch(False, "TRA-13")
    threshold: int = number(31, 11, 999, "TRA-20")
    winners: int = number(1, 1, 3, "TRA-21")
    tie_break: str = choice("deal", "share", rule="TRA-22")

    def __post_init__(self) -> None:
        house.check(self)


def check_seats(options: TraversoneOptions, seats: int) -> None:
    """OptionError unless so many can play by these options."""
    if type(seats) is not int or not MIN_SEATS <= seats <= MAX_SEATS:
        raise OptionError(f"Traversone is for {MIN_SEATS} to {MAX_SEATS} players")
    if options.winners >= seats:
        raise OptionError(
            f"winners={options.winners} needs more than {options.winners} players, not {seats}"
        )


def _thirds(face: int, ace_of_bastoni: bool) -> int:
    if face == ACE_OF_BASTONI and ace_of_bastoni:
        return 11 * _ONE
    if face % RANKS == ACE:
        return _ONE
    return int(ITALIAN.ranks[face % RANKS] in _CHEAP)


THIRDS: Final = tuple(bytes(_thirds(f, dear) for f in range(DECK.size)) for dear in (False, True))
"""THIRDS[ace_of_bastoni][face], in thirds of a point (TRA-10, TRA-13)."""
_EVERYTHING: Final = tuple(sum(row) for row in THIRDS)
TOTAL: Final = (11, 21)
"""What a deal is counted to, by ace_of_bastoni (TRA-11, TRA-13)."""


@dataclass(frozen=True, slots=True)
class Count:
    """A counted deal: penalties in the order of the sums, and whose cappotto it was, or -1."""

    penalties: tuple[int, ...]
    cappotto: int = -1


def count(options: TraversoneOptions, thirds: Sequence[int], last: int) -> Count:
    """TRA-11 to TRA-13: `thirds` is what each player took, `last` who took the last trick."""
    dear = options.ace_of_bastoni
    total = TOTAL[dear]
    penalties = [own // _ONE for own in thirds]
    penalties[last] += total - sum(penalties)
    if options.cappotto == "all_points":
        made = thirds[last] == _EVERYTHING[dear]
    else:
        made = penalties[last] == total
    if not made:
        return Count(tuple(penalties))
    return Count(tuple(0 if i == last else total for i in range(len(penalties))), last)


def score_piles(options: TraversoneOptions, piles: Sequence[str], last: int) -> tuple[Scored, ...]:
    """Penalties of a whole deal: what each seat took, in the order of seats, each as its cards
    (`""`: nothing) and who took the last trick, from 0. Fewest penalties rank first."""
    if not MIN_SEATS <= len(piles) <= MAX_SEATS:
        raise NotationError(f"a deal has {MIN_SEATS} to {MAX_SEATS} piles, not {len(piles)}")
    if type(last) is not int or not 0 <= last < len(piles):
        raise NotationError(f"the last trick went to one of 0 to {len(piles) - 1}")
    faces = [ITALIAN.split(pile) for pile in piles]
    together = [face for pile in faces for face in pile]
    for face in together:
        if together.count(face) > 1:
            raise NotationError(f"{ITALIAN.text(face)} is there more than once")
    worth = THIRDS[options.ace_of_bastoni]
    missing = [f for f in range(DECK.size) if worth[f] and f not in together]
    if missing:
        raise NotationError(f"these cards count and are missing: {ITALIAN.join(missing)}")
    if not faces[last]:
        raise NotationError("whoever took the last trick has cards")
    sums = [sum(worth[face] for face in pile) for pile in faces]
    counted = count(options, sums, last)
    return tuple(
        Scored(
            pile,
            "cappotto" if i == counted.cappotto else points_text(sums[i]),
            penalty,
            1 + sum(other < penalty for other in counted.penalties),
        )
        for i, (pile, penalty) in enumerate(zip(piles, counted.penalties, strict=True))
    )


def tally(options: TraversoneOptions, faces: Iterable[int]) -> tuple[Detail, ...]:
    """What taken cards cost: the aces, then what costs a third each (TRA-10, TRA-13)."""
    worth = THIRDS[options.ace_of_bastoni]
    taken = sorted((face for face in faces if face < DECK.size and worth[face]), key=_rank_first)
    aces = [face for face in taken if face % RANKS == ACE]
    others = taken[len(aces) :]
    return tuple(
        Detail(ranks, ITALIAN.join(cards), sum(worth[face] for face in cards))
        for ranks, cards in (("A", aces), (_CHEAP, others))
        if cards
    )


def _rank_first(face: int) -> tuple[int, int]:
    """Aces first, then by strength."""
    return (-1 if face % RANKS == ACE else -STRENGTH[face] + RANKS, face)


def points_text(thirds: int) -> str:
    """`2 2/3`: a sum of thirds as a person writes it."""
    whole, rest = divmod(thirds, _ONE)
    if not rest:
        return str(whole)
    return f"{whole} {rest}/3" if whole else f"{rest}/3"
