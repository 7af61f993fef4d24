"""Which moves there are in a position of Picchetto (PIC-10..PIC-13, PIC-20..PIC-26, PIC-30).

Law: this file lists moves from what the position knows. A hand that is wholly known gets exactly
what the rules allow; of one that isn't, hidden cards rule out nothing. It must never know what a
move leads to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.contract import Decide, Move
from engine.games.picchetto_cards import ACE, SHORTEST
from engine.games.picchetto_declare import (
    Category,
    Claim,
    choices,
    every_claim,
    every_value,
    holds_set,
    longest_run,
    longest_suit,
    values,
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
    Produce,
    Tell,
    changes,
    plays,
    productions,
)
from engine.games.picchetto_position import DEALT, ELDERS_TALON, NOBODY, Phase, Position

_TELLS: Final = {
    category: tuple(Tell(category, value) for value in range(most + 1))
    for category, most in ((Category.POINT, MAX_PRICE), (Category.SEQUENCE, ACE))
}
_ANNOUNCES: Final = {
    category: tuple(Announce(claim) for claim in every_claim(category)) for category in Category
}

# Members as plain names: to look one up in its class takes longer than to compare it.
_CATEGORY_POINT: Final = Category.POINT
_CATEGORY_SET: Final = Category.SET
_PHASE_CHANGE: Final = Phase.CHANGE
_PHASE_CLAIM: Final = Phase.CLAIM
_PHASE_COUNTER: Final = Phase.COUNTER
_PHASE_ELDER: Final = Phase.ELDER
_PHASE_FIX: Final = Phase.FIX
_PHASE_PLAY: Final = Phase.PLAY
_PHASE_PRODUCE: Final = Phase.PRODUCE
_PHASE_STATE: Final = Phase.STATE
_PHASE_VERDICT: Final = Phase.VERDICT
_PHASE_YOUNGER: Final = Phase.YOUNGER


class Legal(Position):
    """A position that lists its moves."""

    __slots__ = ()

    def legal(self, seat: int | None = None) -> Sequence[Move]:
        due = self.due
        if not isinstance(due, Decide) or (seat is not None and seat != due.seat):
            return ()
        phase = self.phase
        if phase is _PHASE_PLAY:
            return plays(self._playable())
        if phase is _PHASE_CLAIM:
            return (PASS, *self._claims())
        if phase is _PHASE_COUNTER:
            return self._answers()
        if phase is _PHASE_STATE:
            return self._statements()
        if phase is _PHASE_VERDICT:
            return self._verdicts()
        if phase is _PHASE_PRODUCE:
            return self._productions()
        return self._exchanges()

    def _own(self) -> int | None:
        """The cards of the player whose turn it is, None unless all are known."""
        slots = self.held[self.at]
        return None if slots & self.known.dark else self.known.hand(slots)

    # ------------------------------------------------------------------ exchange

    def _exchanges(self) -> Sequence[Move]:
        low, high, slack = self._bounds()
        fewest = self.options.min_exchange
        ordinary = changes(self.held[self.at], fewest, low, high, slack)
        if not self._may_be_white():
            return ordinary
        figure = self._has_figure(self.at)
        if figure is True:
            return ordinary
        announced = BIANCAS[:1] if self.at else BIANCAS[fewest : ELDERS_TALON + 1]
        if figure is False and self.options.bianca_must_announce:
            return announced
        return announced + ordinary

    def _bounds(self) -> tuple[int, int, int]:
        """How many cards may be taken at least and at most (PIC-11, PIC-13), and by how many the
        cards put aside may differ from that (PIC-15)."""
        lay = self.lay
        low = self.options.min_exchange
        high = ELDERS_TALON
        other = lay.sizes[1 - self.at] - DEALT
        if self.phase is _PHASE_FIX:
            high = len(lay.talon) - lay.announced
        elif self.phase is _PHASE_CHANGE:
            low = high = lay.announced
            other = lay.fixed.taken - lay.fixed.given.bit_count() if lay.fixed else 0
        elif self.phase is _PHASE_YOUNGER:
            high = len(lay.talon)
        return low, high, int(self.options.irregular_hands and not other)

    def _may_be_white(self) -> bool:
        """Whether carta bianca may be announced now: both can't have it, for there are twelve
        figures, and 12 + 12 cards without one would be more than the other twenty."""
        return self.phase in (_PHASE_ELDER, _PHASE_YOUNGER) and self.lay.white == NOBODY

    # ------------------------------------------------------------------ declarations

    def _category(self) -> Category:
        return self.talk.category if self.talk else _CATEGORY_POINT

    def _claims(self) -> tuple[Announce, ...]:
        hand, category = self._own(), self._category()
        every = _ANNOUNCES[category]
        if hand is None:
            return every
        if category is _CATEGORY_SET:
            return tuple([move for move in every if holds_set(move.claim, hand)])
        most = longest_suit(hand) if category is _CATEGORY_POINT else longest_run(hand)
        return every[: max(0, most - SHORTEST + 1)]

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
            return (GOOD,)
        return (GOOD, HOW_MUCH, *claims[size - SHORTEST + 1 :])

    def _stated(self, claim: Claim) -> Sequence[int]:
        """What the player whose turn it is can say of a claim of this size, ascending."""
        hand, pack = self._own(), self.match.pack
        if hand is None:
            return every_value(pack, claim.category, claim.size)
        return sorted(values(pack, claim.category, claim.size, hand))

    def _statements(self) -> tuple[Move, ...]:
        claim = self.talk.claim if self.talk else None
        if claim is None:
            return ()
        return tuple(_TELLS[claim.category][value] for value in self._stated(claim))

    def _verdicts(self) -> tuple[Move, ...]:
        claim = self.talk.claim if self.talk else None
        own = self._stated(claim) if claim else ()
        if claim is None or not own:
            return (GOOD,)
        better = (NOT_GOOD,) if own[-1] > claim.value else ()
        return (GOOD, *better, EQUAL) if claim.value in own else (GOOD, *better)

    def _productions(self) -> Sequence[Move]:
        if not self.talk:
            return ()
        demand, hand = self.talk.due[0], self._own()
        if hand is None:
            slots, size = self.held[self.at], demand.claim.size
            return productions(slots, size, slots.bit_count() if demand.more else size)
        known = self.known
        return tuple(Produce(known.slots(part)) for part in choices(self.match.pack, demand, hand))

    # ------------------------------------------------------------------ tricks

    def _playable(self) -> int:
        """PIC-30: the cards that may be played, unknown ones among them while they may be what
        has to be played."""
        hand = self.held[self.at]
        if self.led < 0:
            return hand
        known = self.known
        led = known.codes[self.led]
        follow = hand & known.suits[led >> 3]
        if not follow:
            return hand
        if self.options.must_win:
            follow = hand & known.above[led] or follow
        return follow | hand & known.dark
