"""How a hand of Traversone ends and the next begins (TRA-11..TRA-22, TRA-31, GEN-01, GEN-02).

Law: this file knows when a hand is counted, which promises its end settles and what becomes of the
match. It must never know turns (traversone_state), nor count penalties and places by itself
(traversone_count, traversone_match).
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, Self

from engine.contract import (
    Breach,
    Cards,
    Draw,
    Leave,
    Open,
    Over,
    Promise,
    Revealed,
    Seen,
    Shuffle,
)
from engine.games import traversone_match
from engine.games.phases import REVEAL, dealt_by, decides
from engine.games.traversone_count import DECK, Count, count
from engine.games.traversone_match import Match
from engine.games.traversone_moves import slots_of
from engine.games.traversone_position import SUITS, Deal, Phase, Position, Vow
from engine.games.tricks import ALL_SLOTS, WORTH_AT
from engine.position import note

_SHUFFLE: Final = Cards((Shuffle(DECK),))


class Ending(Position):
    """The part of a state that leads from the last trick of a hand to the next hand.

    A method that begins with `_to_` or `_after_` changes the fresh copy it belongs to.
    """

    __slots__ = ()

    def _to_count(self) -> Self:
        """Every promise is kept: the hands have come out. TRA-31: now the card put aside does."""
        self.vows = ()
        self.vowed = 0
        if self.aside >= 0:
            if not self.auto:
                self.phase = Phase.COUNT
                self.due = Cards((Open((self.aside,)),))
                return self
            self.opened |= 1 << self.aside
        return self._after_count()

    def _turned_up(self, given: Seen) -> Self:
        return self._see(given)._after_count()

    def _after_count(self) -> Self:
        """TRA-11 to TRA-13."""
        deal = self.deal
        last, players = self.taker, deal.players
        if deal.aside >= 0:
            took = list(self.took)
            took[last] += deal.worth[deal.aside] << WORTH_AT | 1 << deal.aside
            self.took = tuple(took)
        thirds = [took >> WORTH_AT for took in self.took]
        counted = count(deal.options, thirds, last)
        notes = [*self.notes, note("last-trick", players[last])]
        if counted.cappotto >= 0:
            notes.append(note("cappotto", players[last]))
        for seat, n, own in sorted(zip(players, counted.penalties, thirds, strict=True)):
            notes.append(note("counts", seat, (n, own)))
        self.notes = tuple(notes)
        if deal.auto:
            return self._finish((), counted)
        self.deal = deal.but(count=counted)
        return self._to_reveal()

    def _to_reveal(self) -> Self:
        self.phase = Phase.REVEAL
        self.due = REVEAL
        return self._finish((), self.count) if self.auto else self

    def _to_breach(self, vow: Vow, slot: int) -> Self:
        """GEN-01: the hand is void, so it isn't played on, nor counted."""
        self.vows = tuple(held for held in self.vows if held != vow)
        self.deal = self.deal.but(count=None, breaches=(self._breach(vow, slot),))
        self.notes = (note("broken-promise", self.players[vow[0] // SUITS]),)
        return self._to_reveal()

    def _breach(self, vow: Vow, slot: int) -> Breach:
        bit, hidden, move = vow
        seat, suit = self.players[bit // SUITS], DECK.kind.suit_names[bit % SUITS]
        card = DECK.kind.text(self.faces[slot])
        promise = Promise(seat, "TRA-04", slots_of(hidden), move)
        return Breach(promise, f"seat {seat} didn't follow {suit} and held {card}")

    def _revealed(self, given: Revealed) -> Self:
        """What a hand that ended early left hidden settles the promises that are left."""
        faces = self._checked(given.faces)
        self._agree(faces)
        new = self.with_faces(faces)
        breaches = list(self.breaches)
        for vow in self.vows:
            bit, hidden, _ = vow
            held = slots_of(hidden & new.suits[bit % SUITS])
            if held:
                breaches.append(new._breach(vow, held[0]))
        new.deal = new.deal.but(breaches=tuple(breaches))
        new.opened = ALL_SLOTS
        cheats = sorted({breach.promise.seat for breach in breaches})
        new.notes = tuple(note("broken-promise", seat) for seat in cheats)
        return new._finish((), new.deal.count)

    def _finish(self, leavers: Collection[int], counted: Count | None) -> Self:
        """GEN-01, then TRA-20 to TRA-22; `leavers` went away when only the reveal was due."""
        deal = self.deal
        before = deal.match
        if deal.auto:
            self.opened = ALL_SLOTS
        if counted is None:
            self.notes += (note("void"),)
            cheats = {breach.promise.seat for breach in deal.breaches}
            after = traversone_match.put_out(before, cheats | set(leavers))
            return self._after_match(after, deal.dealer)
        after = traversone_match.settle(before, deal.players, counted.penalties)
        if after.living != before.living and not before.further:
            out = sorted(set(before.living) - set(after.living) - set(after.placed))
            self.notes += tuple([note("out", seat, (after.totals[seat],)) for seat in out])
        if after.further:
            self.notes += tuple([note("further-deal", seat) for seat in after.living])
        if leavers:
            after = traversone_match.put_out(after, leavers)
        if after.ended:
            self.deal = deal.but(count=counted)
        return self._after_match(after, deal.dealer + 1)

    def _leave(self, given: Leave) -> Self:
        """GEN-02."""
        gone = self._gone(given)
        new = self._copy()
        leaving = sorted(gone & {*self.match.living, *self.match.placed})
        new.notes = tuple(note("leaves", seat) for seat in leaving)
        if not leaving:
            return new
        if self.phase is Phase.REVEAL:
            return new._finish(leaving, self.deal.count)
        if self.faces:
            new.notes += (note("void"),)
        after = traversone_match.put_out(self.match, leaving)
        new.deal = Deal(
            *(self.options, self.seats, after, self.hand, self.dealer, self.players),
            self.deal.decides,
            shown=(0,) * self.seats,
        )
        new._clear()
        if self.dealer < 0 and not after.ended:
            return new._to_draw()
        return new._after_match(after, self.dealer)

    # ------------------------------------------------------------------ the next hand

    def _after_match(self, match: Match, start: int) -> Self:
        """The end of `match`, or its next deal by the first living seat from `start` on."""
        if not match.ended:
            return self._to_deal(match, match.next_dealer(start))
        self.deal = self.deal.but(match=match)
        self.phase = Phase.OVER
        self.due = Over(match.result())
        self.notes += tuple(note("wins", seat) for seat in match.placed)
        return self

    def _to_deal(self, match: Match, dealer: int) -> Self:
        """The next hand, with nothing of the last one's cards left (TRA-02, TRA-22)."""
        old = self.deal
        hand = old.hand + 1
        players = dealt_by(match.living, dealer)
        self.deal = Deal(
            old.options,
            old.seats,
            match,
            hand,
            dealer,
            players,
            decides(players),
            shown=(0,) * old.seats,
            breaches=old.breaches,
        )
        self._clear()
        self.phase = Phase.SHUFFLE
        self.due = _SHUFFLE
        self.notes += (note("deals", dealer, (hand,)),)
        return self

    def _to_draw(self) -> Self:
        living = self.match.living
        self.deal = self.deal.but(players=living, drawing=living)
        self.phase = Phase.DRAW
        self.due = Cards((Draw(DECK),))
        return self

    def _forget(self) -> None:
        self.may = -1
        self.vowed = 0
        self.vows = ()
