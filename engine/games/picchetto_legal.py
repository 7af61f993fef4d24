"""Which moves there are in a position of Picchetto (PIC-10..PIC-13, PIC-30).

Law: this file lists moves from what the position knows. A hand that is wholly known gets exactly
what the rules allow; of one that isn't, hidden cards rule out nothing. It must never know what a
move leads to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from engine.contract import Decide, Move
from engine.errors import OutOfTurn
from engine.games.picchetto_cards import EVERYTHING
from engine.games.picchetto_dialogue import MAY, Parley
from engine.games.picchetto_frame import DEALT, ELDERS_TALON, NOBODY, Phase, Talk
from engine.games.picchetto_moves import BIANCAS, changes, plays
from engine.games.picchetto_position import Position

# Members as plain names: to look one up in its class takes longer than to compare it.
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

    def _said(self) -> Talk:
        """Where the dialogue stands."""
        talk = self.talk
        if talk is None:
            raise OutOfTurn("nothing is being declared")
        return talk

    def _parley(self) -> Parley:
        """What it is about."""
        deal, held, (a, b) = self.deal, self.held, self.held
        known = deal.known
        owns = (
            EVERYTHING if a & known.dark else known.holding(a),
            EVERYTHING if b & known.dark else known.holding(b),
        )
        return Parley(deal.match.pack, known, held, owns, self.lay.mute)

    def _sayings(self) -> Sequence[Move]:
        return MAY[self.phase](self._parley(), self._said())

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
            if not known.over:
                known.order()
            follow = follow & known.over[code] or follow
        return follow | hand & known.dark


_LISTS: Final[tuple[Callable[[Legal], Sequence[Move]], ...]] = (
    *(Legal._nothing,) * Phase.ELDER,
    Legal._exchanges,
    Legal._exchanges,
    Legal._exchanges,
    Legal._exchanges,
    *(Legal._sayings,) * len(MAY),
    Legal._plays,
    Legal._nothing,
    Legal._nothing,
)
"""Indexed by Phase: what a player can do."""
