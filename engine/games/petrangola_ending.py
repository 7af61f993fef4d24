"""How a hand of Petrangola ends and the next begins (PET-25, PET-40..PET-53, GEN-01, GEN-02).

Law: this file knows when promises are settled, who is asked to come back and what becomes of a
hand. It must never know turns (petrangola_state), nor judge hands and tokens by itself
(petrangola_hands, petrangola_settle). What Mambassa does alike is monte's.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Self

from engine.contract import Answers, Ask, Breach, Leave, Revealed
from engine.errors import EngineError, IllegalMove
from engine.games import petrangola_settle
from engine.games.monte_tokens import ABANDONED, DEALER_WINS, LAST_ALIVE
from engine.games.petrangola_moves import Decline, Reenter
from engine.games.petrangola_position import Phase, Position, text_of
from engine.games.petrangola_settle import Match, Outcome, settle
from engine.games.phases import REVEAL, check_answers, dealt_by
from engine.position import note

# Members that are needed in each hand are looked up once; see petrangola_position.
_CUT, _REVEALING, _ASKING = Phase.CUT, Phase.REVEAL, Phase.ASK


@lru_cache(maxsize=256)
def _ask(seats: tuple[int, ...]) -> Ask:
    return Ask(seats)


class Ending(Position):
    """The part of a state that leads from the last turn of a hand to the next hand.

    A method that begins with `_to_` or `_after_` changes the fresh copy it belongs to.
    """

    __slots__ = ()

    def _after_show(self) -> Self:
        """The promises are settled, since every hand is open, and the hands are compared."""
        deal = self.deal
        match = deal.match
        grades = match.judge.graded(deal.faces, self.held)
        outcome = settle(match, deal.players, grades, self._times)
        breaches = self._refuted() if self.said else ()
        self.said = ()
        if breaches:
            self.notes += tuple([note("broken-promise", b.promise.seat) for b in breaches])
            self.deal = deal = deal.but(breaches=breaches)
        else:
            self.notes += outcome.notes
        if deal.auto:
            return self._finish(outcome, (), False)
        self.deal = deal.but(outcome=outcome)
        self.phase = _REVEALING
        self.due = REVEAL
        return self

    def _refuted(self) -> tuple[Breach, ...]:
        return tuple(
            [
                Breach(p, f"seat {p.seat} knocked without showing {text_of(self.faces, p.slots)}")
                for p in self.promises
                if self._shape(p.slots)
            ]
        )

    def _revealed(self, given: Revealed) -> Self:
        new = self._audited(self._checked(given.faces))
        return new._finish(new.deal.outcome, (), False)

    def _finish(self, outcome: Outcome | None, leavers: tuple[int, ...], may_return: bool) -> Self:
        """GEN-01, then PET-47 from step 5; `leavers` left after the showdown."""
        deal = self.deal
        if outcome is None:
            raise EngineError("a hand ends after its showdown only")
        if deal.breaches or leavers or outcome.verdict:
            return self._disturbed(outcome, leavers, may_return)
        match, players = outcome.match, deal.players
        left = match.tokens
        died = sorted([seat for seat in players if not left[seat]]) if 0 in left else ()
        if not died:
            return self._to_cut_for(players[1:] + players[:1], match, deal.dealer + 1, outcome)
        self.notes += tuple([note("dies", seat) for seat in died])
        return self._after_deaths(outcome, match, deal.dealer + 1, died)

    def _disturbed(self, outcome: Outcome, leavers: tuple[int, ...], may_return: bool) -> Self:
        """`_finish` where a promise was broken, somebody left or nobody has a token."""
        deal = self.deal
        cheats = {b.promise.seat for b in deal.breaches}
        if cheats or outcome.verdict == petrangola_settle.REPLAY:
            self.notes += (note("void"),) if cheats else (note("replayed"),)
            gone = cheats | set(leavers)
            match = petrangola_settle.put_out(deal.match, gone)
            self.notes += tuple(note("dies", seat) for seat in sorted(gone))
            asked = sorted(set(leavers) - cheats) if may_return else []
            return self._after_deaths(outcome, match, deal.dealer + (deal.dealer in gone), asked)
        if outcome.verdict:
            return self._to_verdict(outcome)
        match = outcome.match
        asked = [seat for seat in deal.players if not match.tokens[seat] and seat not in leavers]
        if len(match.living()) > 1:
            match = petrangola_settle.put_out(match, leavers)
        tokens, before = match.tokens, deal.match.tokens
        died = [seat for seat, n in enumerate(before) if n and not tokens[seat]]
        self.notes += tuple([note("dies", seat) for seat in died])
        return self._after_deaths(outcome, match, deal.dealer + 1, died if may_return else asked)

    def _to_verdict(self, outcome: Outcome) -> Self:
        """PET-45: nobody is left."""
        deal, verdict = self.deal, outcome.verdict
        self.deal = deal.settled(outcome.match, deal.dealer + 1, outcome)
        alone = verdict == DEALER_WINS
        return self._to_over((deal.dealer,) if alone else tuple(sorted(deal.players)), verdict)

    def _after_deaths(
        self, outcome: Outcome | None, match: Match, start: int, dead: Iterable[int]
    ) -> Self:
        """PET-47, steps 7 to 9; `dead` may be asked to re-enter."""
        living = match.living()
        if len(living) < 2:
            self.deal = self.deal.settled(match, start, outcome)
            return self._to_over(living, LAST_ALIVE if living else ABANDONED)
        asked = petrangola_settle.may_reenter(match, dead)
        if not asked and self.deal.dealer >= 0:
            return self._to_next(match, start, outcome)
        self.deal = self.deal.settled(match, start, outcome)
        if not asked:
            return self._to_draw()
        self.phase = _ASKING
        self.due = _ask(asked)
        terms = petrangola_settle.offer(match)
        self.notes += tuple([note("asked", seat, terms) for seat in asked])
        return self

    def _answered(self, given: Answers) -> Self:
        """PET-50 to PET-53."""
        check_answers(given, self.due)
        new, deal = self._copy(), self.deal
        match = deal.match
        terms = petrangola_settle.offer(match)
        back, notes = [], []
        for seat, move in given.moves:
            if type(move) is Reenter:
                back.append(seat)
                notes.append(note("reenters", seat, terms))
            elif type(move) is Decline:
                notes.append(note("declines", seat))
            else:
                raise IllegalMove("PET-50", "a dead player can only re-enter or decline")
        if back:
            match = petrangola_settle.reenter(match, back)
            notes.append(note("pot", -1, (match.pot,)))
        new.notes = tuple(notes)
        if deal.dealer >= 0:
            return new._to_next(match, deal.start, deal.outcome)
        new.deal = deal.but(match=match)
        return new._to_draw()

    def _leave(self, given: Leave) -> Self:
        """GEN-02."""
        new, gone, leaving = self._parting(given)
        asked = set(self.due.seats) if isinstance(self.due, Ask) else set()
        if not leaving and not asked & gone:
            return new
        if self.phase is _REVEALING:
            return new._finish(self.deal.outcome, leaving, given.may_return)
        match, start = petrangola_settle.put_out(self.match, leaving), self.start
        new.notes += tuple(note("declines", seat) for seat in sorted(asked & gone))
        if self.phase is not _ASKING:
            start = self.dealer
            new._void()
        if self.dealer in leaving and start == self.dealer:
            start += 1
        new.notes += tuple(note("dies", seat) for seat in leaving)
        asked = asked - gone | set(leaving if given.may_return else ())
        return new._after_deaths(new.deal.outcome, match, start, sorted(asked))

    # ------------------------------------------------------------------ the next hand

    def _to_next(self, match: Match, start: int, outcome: Outcome | None) -> Self:
        """PET-05."""
        players = dealt_by(match.living(), match.first_living(start))
        return self._to_cut_for(players, match, start, outcome)

    def _to_cut(self, dealer: int) -> Self:
        """The next hand, with `dealer` as the last of the living (PET-05)."""
        deal = self.deal
        players = dealt_by(deal.match.living(), dealer)
        return self._to_cut_for(players, deal.match, deal.start, deal.outcome)

    def _to_cut_for(
        self, players: tuple[int, ...], match: Match, start: int, outcome: Outcome | None
    ) -> Self:
        """The next hand of `players` (PET-06)."""
        self._deals(players, match, start, outcome)
        self.phase = _CUT
        self.due = self.deal.decides[-2]
        return self

    def _forget(self) -> None:
        self.knocks = 0
        self.said = ()
