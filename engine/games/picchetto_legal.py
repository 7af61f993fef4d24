"""Which moves there are in a position of Picchetto (PIC-10..PIC-13, PIC-20..PIC-26, PIC-30).

Law: this file lists moves from what the position knows. A hand that is wholly known gets exactly
what the rules allow; of one that isn't, hidden cards rule out nothing. It must never know what a
move leads to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import combinations
from typing import Final

from engine.contract import Decide, Move
from engine.games.picchetto_cards import ACE, DOWN, RANKS, SHORTEST, Holding, suits_of
from engine.games.picchetto_declare import (
    LONGEST_CLAIM,
    Category,
    Claim,
    choices,
    every_claim,
    every_value,
    stated,
)
from engine.games.picchetto_moves import (
    BIANCAS,
    EQUAL,
    GOOD,
    HOW_MUCH,
    MAX_PRICE,
    NOT_GOOD,
    PASS,
    Announce,
    Tell,
    changes,
    plays,
    productions,
    productions_of,
)
from engine.games.picchetto_position import DEALT, ELDERS_TALON, NOBODY, Phase, Position

_TELLS: Final = {
    category: tuple(Tell(category, value) for value in range(most + 1))
    for category, most in ((Category.POINT, MAX_PRICE), (Category.SEQUENCE, ACE))
}
_ANNOUNCES: Final = {
    category: tuple(Announce(claim) for claim in every_claim(category)) for category in Category
}
_UP_TO: Final = {
    category: tuple(every[: max(0, most - SHORTEST + 1)] for most in range(LONGEST_CLAIM + 1))
    for category, every in _ANNOUNCES.items()
}
"""By category and number of cards: the claims of so many or fewer."""
_GOOD: Final[tuple[Move, ...]] = (GOOD,)


@lru_cache(maxsize=1024)  # five ranks, in three or four suits
def _sets(threes: int, fours: int) -> tuple[Announce, ...]:
    """The sets of a hand with three cards, or all four, of these strengths."""
    return tuple(
        move
        for move in _ANNOUNCES[Category.SET]
        if (threes if move.claim.size == SHORTEST else fours) >> move.claim.value & 1
    )


# Members as plain names: to look one up in its class takes longer than to compare it.
_CATEGORY_POINT: Final = Category.POINT
_CATEGORY_SET: Final = Category.SET
_PHASE_CHANGE: Final = Phase.CHANGE
_PHASE_ELDER: Final = Phase.ELDER
_PHASE_FIX: Final = Phase.FIX
_PHASE_PLAY: Final = Phase.PLAY
_PHASE_YOUNGER: Final = Phase.YOUNGER


class Legal(Position):
    """A position that lists its moves."""

    __slots__ = ()

    def legal(self, seat: int | None = None) -> Sequence[Move]:
        phase = self.phase
        if phase is _PHASE_PLAY and seat is None:
            hand = self.held[self.at]
            self.may = may = hand if self.led < 0 else self._following(hand)
            return plays(may)
        due = self.due
        if not isinstance(due, Decide) or (seat is not None and seat != due.seat):
            return ()
        return _LISTS[phase](self)

    def _own(self) -> Holding | None:
        """What the player whose turn it is holds, None unless all of it is known."""
        known, slots = self.deal.known, self.held[self.at]
        own = known.holdings.get(slots)
        if own is None and not slots & known.dark:
            own = known.holding(slots)
        return own

    # ------------------------------------------------------------------ exchange

    def _exchanges(self) -> Sequence[Move]:
        low, high, slack = self._bounds()
        options = self.deal.options
        fewest = options.min_exchange
        ordinary = changes(self.held[self.at], fewest, low, high, slack)
        if not self._may_be_white():
            return ordinary
        figure = self._has_figure(self.at)
        if figure is True:
            return ordinary
        announced = BIANCAS[:1] if self.at else BIANCAS[fewest : ELDERS_TALON + 1]
        if figure is False and options.bianca_must_announce:
            return announced
        return announced + ordinary

    def _bounds(self) -> tuple[int, int, int]:
        """How many cards may be taken at least and at most (PIC-11, PIC-13), and by how many the
        cards put aside may differ from that (PIC-15)."""
        lay, phase = self.lay, self.phase
        options = self.deal.options
        low = options.min_exchange
        high = ELDERS_TALON
        other = lay.sizes[1 - self.at] - DEALT
        if phase is _PHASE_FIX:
            high = len(lay.talon) - lay.announced
        elif phase is _PHASE_CHANGE:
            low = high = lay.announced
            other = lay.fixed.taken - lay.fixed.given.bit_count() if lay.fixed else 0
        elif phase is _PHASE_YOUNGER:
            high = len(lay.talon)
        return low, high, int(options.irregular_hands and not other)

    def _may_be_white(self) -> bool:
        """Whether carta bianca may be announced now: both can't have it, for there are twelve
        figures, and 12 + 12 cards without one would be more than the other twenty."""
        return self.lay.white == NOBODY and self.phase in (_PHASE_ELDER, _PHASE_YOUNGER)

    # ------------------------------------------------------------------ declarations

    def _category(self) -> Category:
        return self.talk.category if self.talk else _CATEGORY_POINT

    def _claims(self) -> tuple[Announce, ...]:
        own, category = self._own(), self._category()
        if own is None:
            return _ANNOUNCES[category]
        if category is _CATEGORY_SET:
            return _sets(own.threes, own.fours)
        return _UP_TO[category][own.suit if category is _CATEGORY_POINT else own.run]

    def _openings(self) -> tuple[Move, ...]:
        return (PASS, *self._claims())

    def _answers(self) -> tuple[Move, ...]:
        """PIC-21."""
        claim = self.talk.claim if self.talk else None
        claims = self._claims()
        if claim is None:
            return (PASS, *claims)
        size = claim.size
        if claim.category is _CATEGORY_SET:
            return (GOOD, *[move for move in claims if move.claim.beats(claim)])
        if len(claims) <= size - SHORTEST:
            return _GOOD
        return (GOOD, HOW_MUCH, *claims[size - SHORTEST + 1 :])

    def _stated(self, claim: Claim) -> Sequence[int]:
        """What the player whose turn it is can say of a claim of this size, ascending."""
        own, pack = self._own(), self.deal.match.pack
        if own is None:
            return every_value(pack, claim.category, claim.size)
        return stated(pack, claim.category, claim.size, own.hand)

    def _statements(self) -> tuple[Move, ...]:
        claim = self.talk.claim if self.talk else None
        if claim is None:
            return ()
        return tuple(_TELLS[claim.category][value] for value in self._stated(claim))

    def _verdicts(self) -> tuple[Move, ...]:
        claim = self.talk.claim if self.talk else None
        own = self._stated(claim) if claim else ()
        if claim is None or not own:
            return _GOOD
        better = (NOT_GOOD,) if own[-1] > claim.value else ()
        return (GOOD, *better, EQUAL) if claim.value in own else (GOOD, *better)

    def _productions(self) -> Sequence[Move]:
        if not self.talk:
            return ()
        demand, own = self.talk.due[0], self._own()
        if own is None:
            slots, size = self.held[self.at], demand.claim.size
            return productions(slots, size, slots.bit_count() if demand.more else size)
        slots_of = self.deal.known.slots
        if demand.claim.category is _CATEGORY_POINT and demand.low <= 0 and demand.high > MAX_PRICE:
            return productions_of(self._points(demand.claim.size, own.hand))
        parts = choices(self.deal.match.pack, demand, own.hand)
        return productions_of([slots_of(part) for part in parts])

    def _points(self, size: int, hand: int) -> Sequence[int]:
        """`choices` of a point whose sum nobody asked for, which are many, as masks of slots."""
        find, found = self.deal.known.codes.find, []
        for suit, byte in enumerate(suits_of(hand)):
            if byte.bit_count() >= size:
                cards = [1 << find(suit * RANKS + rank) for rank in DOWN[byte]]
                found += list(map(sum, combinations(cards, size)))[::-1]  # ascending by codes
        return found

    # ------------------------------------------------------------------ tricks

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
            follow = known.above(code, follow) or follow
        return follow | hand & known.dark


_LISTS: Final[dict[Phase, Callable[[Legal], Sequence[Move]]]] = {
    Phase.ELDER: Legal._exchanges,
    Phase.FIX: Legal._exchanges,
    Phase.CHANGE: Legal._exchanges,
    Phase.YOUNGER: Legal._exchanges,
    Phase.CLAIM: Legal._openings,
    Phase.COUNTER: Legal._answers,
    Phase.STATE: Legal._statements,
    Phase.VERDICT: Legal._verdicts,
    Phase.PRODUCE: Legal._productions,
    Phase.PLAY: lambda state: plays(state._playable()),
}
"""What a player can do, by what is to be decided."""
