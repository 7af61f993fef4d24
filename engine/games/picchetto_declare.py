"""What can be declared with a hand, and what declared cards are worth (PIC-20..PIC-26).

Law: this file judges hands (masks of codes) and claims about them. It must never know slots,
seats or turns.

A claim is (category, size, value). `value` is what is said beyond the number of cards: of a point
its sum, of a sequence the strength of its top, of a set the strength of its rank; UNSAID while it
wasn't asked for. Of two claims the larger size wins, then the larger value.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, lru_cache
from itertools import product
from typing import Final

from engine.contract import mask_of
from engine.games.picchetto_cards import (
    ACE,
    BEST_RUN,
    LOWEST_SET,
    RANKS,
    SHORTEST,
    SUITS,
    Holding,
    Pack,
    ranks_of,
    run_parts,
    runs_of,
    subsets,
    suits_of,
    sums,
    threes_of,
)

UNSAID: Final = -1
LONGEST_CLAIM: Final = 8
_FOUR: Final = 4
SEQUENCE_POINTS: Final = (0, 0, 0, 3, 4, 15, 16, 17, 18)
"""By length (PIC-22)."""
SET_POINTS: Final = {3: 3, 4: 14}
"""PIC-23."""


class Category(IntEnum):
    """In the order in which they are declared and counted."""

    POINT = 0
    SEQUENCE = 1
    SET = 2


_POINT: Final = Category.POINT
_SEQUENCE: Final = Category.SEQUENCE
_SET: Final = Category.SET
_ONE_OF_EACH: Final = 0x01010101
"""The lowest card of each suit; shifted, the four cards of a rank."""


@dataclass(frozen=True, slots=True)
class Claim:
    """See the module."""

    category: Category
    size: int
    value: int = UNSAID

    def beats(self, other: Claim) -> bool:
        """Whether this claim is better by what was said of both."""
        return (self.size, self.value) > (other.size, other.value)


@dataclass(slots=True)
class Demand:
    """What the cards that a player lays open must be, once a category is settled.

    player  an index into the hand's players
    claim   its category and size; the value must be within low..high
    more    further sequences or sets may come along, none better than the claimed one
    counts  the cards score; else they only prove a tie, or a 13-card hand contests with them
    """

    player: int
    claim: Claim
    low: int
    high: int
    more: bool
    counts: bool


_EVERY_CLAIM: Final = (
    tuple(Claim(Category.POINT, n) for n in range(SHORTEST, LONGEST_CLAIM + 1)),
    tuple(Claim(Category.SEQUENCE, n) for n in range(SHORTEST, LONGEST_CLAIM + 1)),
    tuple(
        Claim(Category.SET, n, rank) for n in (SHORTEST, _FOUR) for rank in range(LOWEST_SET, RANKS)
    ),
)
_FULL: Final = 255
_SHIFTS: Final = tuple(suit * RANKS for suit in range(SUITS))


def every_claim(category: Category) -> tuple[Claim, ...]:
    """All claims that somebody might make, the lowest first."""
    return _EVERY_CLAIM[category]


def longest_suit(hand: int) -> int:
    """The number of cards of the longest suit."""
    a, b, c, d = suits_of(hand)
    return max(a.bit_count(), b.bit_count(), c.bit_count(), d.bit_count())


def longest_run(hand: int) -> int:
    """The length of the longest run, 0 if none has three cards."""
    return best_run(hand) // RANKS


def best_run(hand: int) -> int:
    """length * 8 + strength of the top of the best run, 0 if none has three cards."""
    best = BEST_RUN
    return max(best[hand & 255], best[hand >> 8 & 255], best[hand >> 16 & 255], best[hand >> 24])


def true_claims(category: Category, hand: int) -> tuple[Claim, ...]:
    """The claims that `hand` can make, parts included (PIC-26), the lowest first."""
    every = _EVERY_CLAIM[category]
    if category is _SET:
        return tuple(claim for claim in every if holds_set(claim, hand))
    most = longest_suit(hand) if category is _POINT else longest_run(hand)
    return every[: max(0, most - SHORTEST + 1)]


def holds_set(claim: Claim, hand: int) -> bool:
    """Whether a hand has so many of the rank."""
    return (hand >> claim.value & _ONE_OF_EACH).bit_count() >= claim.size


def can_claim(claim: Claim, hand: int) -> bool:
    """Whether a claim without a sum or a top card is true of `hand`."""
    if claim.category is _SET:
        return holds_set(claim, hand)
    most = longest_suit(hand) if claim.category is _POINT else longest_run(hand)
    return claim.size <= most


def holds_claim(claim: Claim, own: Holding) -> bool:
    """`can_claim` for a hand of which it is known what it holds."""
    if claim.category is _SET:
        ranks = own.fours if claim.size == _FOUR else own.threes
        return ranks >> claim.value & 1 == 1
    return claim.size <= (own.suit if claim.category is _POINT else own.run)


def values(pack: Pack, category: Category, size: int, hand: int) -> frozenset[int]:
    """What may be said on `how-much` of a point or a sequence of `size` cards of `hand`."""
    if category is _POINT:
        return frozenset[int]().union(*(sums(pack, byte, size) for byte in suits_of(hand)))
    return frozenset(
        end for n, top in runs_of(hand) for end in range(top, top - (n - size) - 1, -1)
    )


def statable(pack: Pack, category: Category, size: int, hand: int) -> int:
    """`values` as a mask, bit i for i, by tables, since a dialogue asks for them several times."""
    table = _statable(pack, category, size)
    return table[hand & 255] | table[hand >> 8 & 255] | table[hand >> 16 & 255] | table[hand >> 24]


@lru_cache(maxsize=64)  # two packs, two categories, six sizes
def _statable(pack: Pack, category: Category, size: int) -> tuple[int, ...]:
    """By suit byte the `values` of that suit alone: bit i stands for i."""
    if category is _POINT:
        return tuple([mask_of(sums(pack, byte, size)) for byte in range(_FULL + 1)])
    return tuple([mask_of(values(pack, category, size, byte)) for byte in range(_FULL + 1)])


@lru_cache(maxsize=1 << 12)
def numbers(mask: int) -> tuple[int, ...]:
    """Which bits are set, ascending."""
    return tuple([number for number in range(mask.bit_length()) if mask >> number & 1])


def holds(pack: Pack, claim: Claim, hand: int) -> bool:
    """Whether `claim` is true of `hand`."""
    if claim.category is _SET or claim.value == UNSAID:
        return can_claim(claim, hand)
    return claim.value in values(pack, claim.category, claim.size, hand)


# ---------------------------------------------------------------------------------------------
# Cards laid open


def worth(pack: Pack, demand: Demand, hand: int) -> tuple[int, ...]:
    """The points of each combination in the open cards `hand`, the best first; () if they aren't
    what `demand` asks for."""
    claim, low, high = demand.claim, demand.low, demand.high
    category, size = claim.category, claim.size
    if category is _POINT:
        good = hand.bit_count() == size and low <= pack.points.get(hand, UNSAID) <= high
        return (size,) if good else ()
    if category is _SEQUENCE:
        return _worth_of_runs(hand, (size, low, high, demand.more))
    return _worth_of_sets(hand, (size, low, high, demand.more))


_Wanted = tuple[int, int, int, bool]
"""Size, low, high and more of a Demand."""


@lru_cache(maxsize=1 << 12)  # what lies open is a few cards, so the same few come again
def _worth_of_runs(hand: int, wanted: _Wanted) -> tuple[int, ...]:
    found = runs_of(hand)
    points = tuple(SEQUENCE_POINTS[n] for n, _ in found)
    return points if _meets(found, hand, wanted) else ()


@lru_cache(maxsize=1 << 12)
def _worth_of_sets(hand: int, wanted: _Wanted) -> tuple[int, ...]:
    found = ranks_of(hand)
    points = tuple(SET_POINTS[n] for n, _ in found)
    return points if _meets(found, hand, wanted) else ()


def _meets(found: Sequence[tuple[int, int]], hand: int, wanted: _Wanted) -> bool:
    """Whether these combinations, the best first, are all of `hand` and what is wanted."""
    size, low, high, more = wanted
    if not found or sum(n for n, _ in found) != hand.bit_count():
        return False
    return found[0][0] == size and low <= found[0][1] <= high and (more or len(found) == 1)


@cache  # six sizes
def _of_one_suit(size: int) -> tuple[tuple[tuple[int, ...], ...], ...]:
    """By suit and by its byte in a hand: the parts of it that have `size` cards."""
    return tuple(
        tuple(tuple([part << shift for part in subsets(byte, size)]) for byte in range(_FULL + 1))
        for shift in _SHIFTS
    )


def choices(pack: Pack, demand: Demand, hand: int) -> tuple[int, ...]:
    """The parts of `hand` that meet `demand`, in a fixed order."""
    claim, low, high = demand.claim, demand.low, demand.high
    size, category = claim.size, claim.category
    if category is _POINT:
        a, b, c, d = _of_one_suit(size)
        found = a[hand & 255] + b[hand >> 8 & 255] + c[hand >> 16 & 255] + d[hand >> 24]
        if not low and high >= pack.prices[_FULL]:
            return found
        points = pack.points
        return tuple([part for part in found if low <= points[part] <= high])
    if category is _SEQUENCE:
        made = _runs_between(hand, size * RANKS + low, size * RANKS + min(high, ACE))
    else:
        made = _rank_sets(_with_sets(hand), size, high)
    if demand.more:
        return made
    return tuple([part for part in made if worth(pack, demand, part)])


def _with_sets(hand: int) -> int:
    """The cards of `hand` whose rank makes a set."""
    return threes_of(*suits_of(hand)) * _ONE_OF_EACH & hand


def _runs_between(hand: int, low: int, high: int) -> tuple[int, ...]:
    """Every part of `hand` that consists of runs, the best of them from `low` to `high`, which
    are length * RANKS + top."""
    best = BEST_RUN
    some = [
        (byte, shift) for byte, shift in zip(suits_of(hand), _SHIFTS, strict=True) if best[byte]
    ]
    if len(some) == 1:  # as in most hands
        byte, shift = some[0]
        return _runs_of_suit(byte, shift, low, high)
    kept = [[p << shift for p in run_parts(byte) if best[p] <= high] for byte, shift in some]
    parts = [sum(parts) for parts in product(*kept)]
    return tuple([part for part in parts if best_run(part) >= low])


@lru_cache(maxsize=1 << 12)  # few suits have a run, and they are much alike
def _runs_of_suit(byte: int, shift: int, low: int, high: int) -> tuple[int, ...]:
    """`_runs_between` of the suit whose cards are `byte` << `shift`."""
    return tuple([part << shift for part in run_parts(byte) if low <= BEST_RUN[part] <= high])


@lru_cache(maxsize=1 << 12)
def _rank_sets(hand: int, size: int, rank: int) -> tuple[int, ...]:
    """Every part of `hand` that consists of threes and fours of a rank, the best of them `size`
    of `rank`."""
    ways = [_ways(hand, other, (size, rank)) for _, other in ranks_of(hand)]
    parts = [sum(chosen) for chosen in product(*ways)]
    return tuple([part for part in parts if ranks_of(part)[:1] == ((size, rank),)])


def _ways(hand: int, rank: int, best: tuple[int, int]) -> Iterable[int]:
    """The cards of a rank that may be laid open: none, three of them, or all four."""
    bits = [1 << suit * RANKS + rank for suit in range(SUITS) if hand >> suit * RANKS + rank & 1]
    ways = [0]
    if (SHORTEST, rank) <= best:
        ways += [sum(bits) - bit for bit in bits] if len(bits) == _FOUR else [sum(bits)]
    if len(bits) == _FOUR and (_FOUR, rank) <= best:
        ways.append(sum(bits))
    return ways
