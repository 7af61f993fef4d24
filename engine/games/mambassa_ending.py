"""How a hand of Mambassa ends and the next begins (MAM-30..MAM-33, GEN-01, GEN-02, PET-05).

Law: this file knows when promises are settled and what becomes of a hand. It must never know turns
(mambassa_state), nor judge hands and tokens by itself (mambassa_hands, mambassa_settle). What
Petrangola does alike is monte's.

Every statement is a promise (MAM-32). It is settled with the hands if no reseal has come between,
else by the reveal, which tells how each reseal moved the cards. A seat that leaves when only the
reveal is due doesn't undo what the hands showed, unless a promise is still open then: what nobody
can audit doesn't count (GEN-01).
"""

from __future__ import annotations

from typing import Final, Self

from engine.cards import ITALIAN, Deck
from engine.contract import Breach, Cards, Leave, Revealed, Shuffle
from engine.errors import EngineError
from engine.games import mambassa_settle
from engine.games.mambassa_hands import FRENCH40
from engine.games.mambassa_position import Phase, Position, Statement, special
from engine.games.mambassa_settle import Match, Outcome
from engine.games.monte import nothing
from engine.games.monte_tokens import ABANDONED, DEALER_WINS, LAST_ALIVE
from engine.games.phases import REVEAL, dealt_by
from engine.position import note

_SHUFFLE: Final = {kind.name: Cards((Shuffle(Deck(kind)),)) for kind in (ITALIAN, FRENCH40)}
"""By the kind of deck."""


class Ending(Position):
    """The part of a state that leads from the last turn of a hand to the next hand.

    A method that begins with `_to_` or `_after_` changes the fresh copy it belongs to.
    """

    __slots__ = ()

    def _after_show(self) -> Self:
        """What was promised since the last reseal is settled, and the hands are compared."""
        if self.deal.auto:
            self.said = ()  # an open state took no false statement
        elif self.said:
            self._settle_promises(dict.fromkeys((self.reseals,), self.deal.faces))
        deal = self.deal
        faces, value = deal.faces, deal.match.judge.value
        self.phase = Phase.REVEAL
        self.due = REVEAL
        outcome = None
        if deal.breaches:
            self.notes += tuple(note("broken-promise", b.promise.seat) for b in deal.breaches)
        else:
            values = [value((faces[a], faces[b], faces[c], faces[d])) for a, b, c, d in self.held]
            outcome = mambassa_settle.settle(deal.match, deal.players, values, self.declared)
            self.notes += outcome.notes
        if deal.auto:
            return self._finish((), outcome)
        self.deal = deal.but(outcome=outcome)
        return self

    def _settle_promises(self, lay: dict[int, bytes]) -> None:
        """Settle those promises before which as many reseals came as `lay` tells the cards for."""
        kept: list[Statement] = []
        broken: list[Breach] = []
        for claim in self.said:
            faces = lay.get(claim.reseals)
            if faces is None:
                kept.append(claim)
            elif special(faces, claim.slots) is not claim.declares:
                cards = self.deck.kind.join(faces[slot] for slot in claim.slots)
                said = "declared" if claim.declares else "stated none with"
                broken.append(Breach(claim.promise, f"seat {claim.seat} {said} {cards}"))
        self.said = tuple(kept)
        if broken:
            self.deal = self.deal.but(breaches=(*self.deal.breaches, *broken))

    def _revealed(self, given: Revealed) -> Self:
        """The audit: how the cards lay before each reseal is known now.

        `given` tells all of the hand's reseals; none at all if all of them moved nothing.
        """
        self._checked(given.faces)
        if len(given.reseals) not in {0, self.reseals}:
            raise ValueError(f"{self.reseals} reseals were made, {len(given.reseals)} revealed")
        new = self._audited(given.moved())
        told = len(self.breaches)
        new._settle_promises({n: given.moved(n) for n in {claim.reseals for claim in self.said}})
        new.notes = tuple(note("broken-promise", b.promise.seat) for b in new.breaches[told:])
        return new._finish((), new.deal.outcome)

    def _finish(self, leavers: tuple[int, ...], outcome: Outcome | None) -> Self:
        """GEN-01, then what the deal costs; `leavers` left when only the reveal was due."""
        deal = self.deal
        before = deal.match
        if deal.breaches or self.said:
            gone = {b.promise.seat for b in deal.breaches} | set(leavers)
            match = mambassa_settle.put_out(before, gone)
            self.notes += (note("void"), *(note("dies", seat) for seat in sorted(gone)))
            return self._after_deaths(match, deal.dealer + (deal.dealer in gone), outcome)
        if outcome is None:
            raise EngineError("a hand ends after its hands were shown only")
        match, start = outcome.match, deal.dealer + 1
        living = match.living()
        if not living:
            self.deal = deal.settled(match, start, outcome)
            return self._to_over((deal.dealer,), DEALER_WINS)
        if leavers and len(living) > 1:
            match = mambassa_settle.put_out(match, leavers)
        if 0 in match.tokens:
            died = [s for s, tokens in enumerate(before.tokens) if tokens and not match.tokens[s]]
            self.notes += tuple([note("dies", seat) for seat in died])
        return self._after_deaths(match, start, outcome)

    def _after_deaths(self, match: Match, start: int, outcome: Outcome | None) -> Self:
        """MAM-33; before the first dealer is known, the draw again."""
        living = match.living()
        if len(living) > 1 and self.deal.dealer >= 0:
            return self._to_next(match, match.first_living(start), start, outcome)
        self.deal = self.deal.settled(match, start, outcome)
        if len(living) > 1:
            return self._to_draw()
        return self._to_over(living, LAST_ALIVE if living else ABANDONED)

    def _leave(self, given: Leave) -> Self:
        """GEN-02; nobody comes back into Mambassa."""
        new, _, leaving = self._parting(given)
        if not leaving:
            return new
        if self.phase is Phase.REVEAL:
            return new._finish(leaving, self.deal.outcome)
        match = mambassa_settle.put_out(self.match, leaving)
        new._void()
        new.notes += tuple(note("dies", seat) for seat in leaving)
        return new._after_deaths(match, self.dealer + (self.dealer in leaving), None)

    # ------------------------------------------------------------------ the next hand

    def _to_shuffle(self, dealer: int) -> Self:
        """The next hand, dealt by `dealer`."""
        return self._to_next(self.deal.match, dealer, self.deal.start, self.deal.outcome)

    def _to_next(self, match: Match, dealer: int, start: int, outcome: Outcome | None) -> Self:
        """The next hand, dealt by `dealer` (PET-05)."""
        self._deals(dealt_by(match.living(), dealer), match, start, outcome)
        self.phase = Phase.SHUFFLE
        self.due = _SHUFFLE[self.deal.match.deck.kind.name]
        return self

    def _forget(self) -> None:
        self.shown = nothing(self.seats)
        self.said = ()
        self.stock = ()
        self.made = self.reseals = 0
        self.discard = False
        self.declared = ()
