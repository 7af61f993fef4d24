"""Which moves there are in a position of Picchetto (PIC-10..PIC-13, PIC-20..PIC-26, PIC-30).

Law: this file lists moves from what the position knows. A hand that is wholly known gets exactly
what the rules allow; of one that isn't, hidden cards rule out nothing. It must never know what a
move leads to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final

from engine.contract import Decide, Move
from engine.games.picchetto_cards import (
    EVERYTHING,
    RANKS,
    SHORTEST,
    SUITS,
    Holding,
)
from engine.games.picchetto_declare import (
    LONGEST_CLAIM,
    Category,
    Claim,
    choices,
    every_claim,
    numbers,
    statable,
)
from engine.games.picchetto_frame import DEALT, ELDERS_TALON, NOBODY, Phase
from engine.games.picchetto_moves import (
    BIANCAS,
    EQUAL,
    GOOD,
    HOW_MUCH,
    NOT_GOOD,
    PASS,
    Announce,
    Productions,
    Tell,
    changes,
    plays,
    productions,
)
from engine.games.picchetto_position import Position

_ANNOUNCES: Final = tuple(
    tuple(Announce(claim) for claim in every_claim(category)) for category in Category
)
_OPENINGS: Final = tuple(
    tuple((PASS, *every[: max(0, most - SHORTEST + 1)]) for most in range(LONGEST_CLAIM + 1))
    for every in _ANNOUNCES[: Category.SET]
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
    for every in _ANNOUNCES[: Category.SET]
)
"""By category, by the cards that the other claims and by those that one has (PIC-21)."""
_SHIFTS: Final = tuple(suit * RANKS for suit in range(SUITS))
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
        for move in _ANNOUNCES[Category.SET]
        if (threes if move.claim.size == SHORTEST else fours) >> move.claim.value & 1
    ]
    return (PASS, *sets)


@lru_cache(maxsize=1 << 12)
def _set_replies(threes: int, fours: int, size: int, rank: int) -> tuple[Move, ...]:
    """Those of them that beat `size` cards of `rank`."""
    other = Claim(Category.SET, size, rank)
    sets = _set_openings(threes, fours)
    return (GOOD, *[m for m in sets if isinstance(m, Announce) and m.claim.beats(other)])


@lru_cache(maxsize=1 << 12)
def _tells(category: Category, mask: int) -> tuple[Move, ...]:
    """The statements of the sums or top cards in `mask`."""
    return tuple([Tell(category, value) for value in numbers(mask)])


# Members as plain names: to look one up in its class takes longer than to compare it.
_CATEGORY_POINT: Final = Category.POINT
_CATEGORY_SET: Final = Category.SET
_PHASE_CHANGE: Final = Phase.CHANGE
_PHASE_ELDER: Final = Phase.ELDER
_PHASE_FIX: Final = Phase.FIX
_PHASE_YOUNGER: Final = Phase.YOUNGER


class Legal(Position):
    """A position that lists its moves."""

    __slots__ = ()

    def legal(self, seat: int | None = None) -> Sequence[Move]:
        if seat is not None:
            due = self.due
            if not isinstance(due, Decide) or seat != due.seat:
                return ()
        return _LISTS[self.phase](self)

    def _nothing(self) -> Sequence[Move]:
        return ()

    def _own(self) -> Holding:
        """What the player whose turn it is holds; unless all of it is known, EVERYTHING."""
        known, slots = self.deal.known, self.held[self.at]
        own = known.holdings.get(slots)
        if own is None:
            if slots & known.dark:
                return EVERYTHING
            own = known.holdings[slots] = Holding.of(known.hand(slots))
        return own

    # ------------------------------------------------------------------ exchange

    def _exchanges(self) -> Sequence[Move]:
        low, high, slack = self._bounds()
        options = self.deal.options
        fewest = options.min_exchange
        ordinary = changes(self.held[self.at], fewest, low, high, slack)
        figure = self._has_figure(self.at)
        if figure or not self._may_be_white():
            return ordinary
        announced = BIANCAS[:1] if self.at else BIANCAS[fewest : ELDERS_TALON + 1]
        if figure is False and options.bianca_must_announce:
            return announced
        return announced + ordinary

    def _bounds(self) -> tuple[int, int, int]:
        """How many cards may be taken at least and at most (PIC-11, PIC-13), and by how many the
        cards put aside may differ from that (PIC-15)."""
        options, lay, phase = self.deal.options, self.lay, self.phase
        low, high = options.min_exchange, ELDERS_TALON
        if phase is _PHASE_YOUNGER:
            high = len(lay.talon)
        elif phase is _PHASE_FIX:
            high = len(lay.talon) - lay.announced
        elif phase is _PHASE_CHANGE:
            low = high = lay.announced
        if not options.irregular_hands:
            return low, high, 0
        other = lay.sizes[1 - self.at] - DEALT
        if phase is _PHASE_CHANGE:
            other = lay.fixed.taken - lay.fixed.given.bit_count() if lay.fixed else 0
        return low, high, int(not other)

    def _may_be_white(self) -> bool:
        """Whether carta bianca may be announced now: both can't have it, for there are twelve
        figures, and 12 + 12 cards without one would be more than the other twenty."""
        return self.lay.white == NOBODY and self.phase in (_PHASE_ELDER, _PHASE_YOUNGER)

    # ------------------------------------------------------------------ declarations

    def _openings(self) -> tuple[Move, ...]:
        own, category = (
            self._own(),
            self.talk.category if self.talk else _CATEGORY_POINT,
        )
        if category is _CATEGORY_SET:
            return _set_openings(own.threes, own.fours)
        return _OPENINGS[category][own.suit if category is _CATEGORY_POINT else own.run]

    def _answers(self) -> tuple[Move, ...]:
        """PIC-21."""
        talk = self.talk
        claim = talk.claim if talk else None
        if claim is None:
            return self._openings()
        own, category, size = self._own(), claim.category, claim.size
        if category is _CATEGORY_SET:
            return _set_replies(own.threes, own.fours, size, claim.value)
        return _REPLIES[category][size][own.suit if category is _CATEGORY_POINT else own.run]

    def _statable(self, claim: Claim) -> int:
        """What the player whose turn it is can say of a claim of this size: a mask of values."""
        return statable(self.deal.match.pack, claim.category, claim.size, self._own().hand)

    def _statements(self) -> tuple[Move, ...]:
        talk = self.talk
        claim = talk.claim if talk else None
        return _tells(claim.category, self._statable(claim)) if claim else ()

    def _verdicts(self) -> tuple[Move, ...]:
        talk = self.talk
        claim = talk.claim if talk else None
        if claim is None:
            return _VERDICTS[0][0]
        own = self._statable(claim) >> claim.value
        return _VERDICTS[own > 1][own & 1]

    def _productions(self) -> Sequence[Move]:
        talk = self.talk
        if not talk:
            return ()
        demand, own, slots = talk.due[0], self._own(), self.held[self.at]
        size, known = demand.claim.size, self.deal.known
        if own is EVERYTHING:
            return productions(slots, size, slots.bit_count() if demand.more else size)
        return Productions(choices(self.deal.match.pack, demand, own.hand), known.slots)

    # ------------------------------------------------------------------ tricks

    def _plays(self) -> Sequence[Move]:
        return plays(self._playable())

    def _playable(self) -> int:
        """PIC-30: the cards that may be played, unknown ones among them while they may be what
        has to be played."""
        hand = self.held[self.at]
        return hand if self.led < 0 else self._following(hand)

    def _following(self, hand: int) -> int:
        """The cards of `hand` that may follow what was led."""
        deal = self.deal
        known = deal.known
        code = known.codes[self.led]
        follow = hand & known.suits[code >> 3]
        if not follow:
            return hand
        if deal.options.must_win:
            if not known.upto:
                known.order()
            follow = follow & ~known.upto[code] or follow
        return follow | hand & known.dark


_LISTS: Final[tuple[Callable[[Legal], Sequence[Move]], ...]] = (
    *(Legal._nothing,) * Phase.ELDER,
    Legal._exchanges,
    Legal._exchanges,
    Legal._exchanges,
    Legal._exchanges,
    Legal._openings,
    Legal._answers,
    Legal._statements,
    Legal._verdicts,
    Legal._productions,
    Legal._plays,
    Legal._nothing,
    Legal._nothing,
)
"""Indexed by Phase: what a player can do."""
