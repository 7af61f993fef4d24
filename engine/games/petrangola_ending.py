"""How a hand of Petrangola ends and the next begins (PET-25, PET-40..PET-53, GEN-01, GEN-02).

Law: this file knows when promises are settled, who is asked to come back and what becomes of a
hand. It must never know turns (petrangola_state), nor judge hands and tokens by itself
(petrangola_hands, petrangola_settle).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final, Self

from engine.contract import (
    Answers,
    Ask,
    Breach,
    Cards,
    Leave,
    Open,
    Reveal,
    Revealed,
    Seen,
)
from engine.errors import EngineError, IllegalMove, OutOfTurn
from engine.games import petrangola_settle
from engine.games.monte import dealt_by, decides
from engine.games.petrangola_moves import Decline, Reenter
from engine.games.petrangola_position import Deal, Phase, Position, text_of
from engine.games.petrangola_settle import Match, Outcome
from engine.position import note

_REVEAL: Final = Cards((Reveal(),))


@lru_cache(maxsize=256)
def _ask(seats: tuple[int, ...]) -> Ask:
    return Ask(seats)


class Ending(Position):
    """The part of a state that leads from the last turn of a hand to the next hand.

    A method that begins with `_to_` or `_after_` changes the fresh copy it belongs to.
    """

    __slots__ = ()

    def _to_show(self) -> Self:
        """PET-25."""
        if self.deal.auto:
            self.opened = (1 << len(self.deal.faces)) - 1
            return self._after_show()
        hidden = self._hidden()
        self.phase = Phase.SHOW
        if not hidden:
            return self._after_show()
        self.due = Cards((Open(hidden),))
        return self

    def _showed(self, given: Seen) -> Self:
        return self._see(given)._after_show()

    def _after_show(self) -> Self:
        """The promises are settled, since every hand is open, and the hands are compared."""
        deal = self.deal
        breaches = deal.breaches
        if self.promises:
            breaches = self._refuted()
            self.promises = ()
        values = deal.match.judge.values(deal.faces, self.held)
        outcome = petrangola_settle.settle(deal.match, deal.players, values, self._times)
        if not breaches:
            self.notes += outcome.notes
        else:
            self.notes += tuple([note("broken-promise", b.promise.seat) for b in breaches])
            self.deal = deal = deal.but(breaches=breaches)
        if deal.auto:
            return self._finish(outcome, (), False)
        self.deal = deal.but(outcome=outcome)
        self.phase = Phase.REVEAL
        self.due = _REVEAL
        return self

    def _refuted(self) -> tuple[Breach, ...]:
        return tuple(
            Breach(p, f"seat {p.seat} knocked without showing {text_of(self.faces, p.slots)}")
            for p in self.promises
            if self._shape(p.slots)
        )

    def _revealed(self, given: Revealed) -> Self:
        faces = self._checked(given.faces)
        self._agree(faces)
        new = self._copy()
        new.deal = self.deal.but(faces=faces)
        new.opened = (1 << self.deck.size) - 1
        return new._finish(new.deal.outcome, (), False)

    def _finish(self, outcome: Outcome | None, leavers: tuple[int, ...], may_return: bool) -> Self:
        """GEN-01, then PET-47 from step 5; `leavers` left after the showdown."""
        deal = self.deal
        if outcome is None:
            raise EngineError("a hand ends after its showdown only")
        if not (deal.breaches or leavers or outcome.verdict):
            players, left = deal.players, outcome.match.tokens
            if 0 not in left or 0 not in [left[seat] for seat in players]:  # nobody died
                players = players[1:] + players[:1]
                return self._to_cut_for(players, outcome.match, deal.dealer + 1, outcome)
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
        tokens = match.tokens
        asked = [seat for seat in deal.players if not tokens[seat] and seat not in leavers]
        if leavers and len(match.living()) > 1:
            match = petrangola_settle.put_out(match, leavers)
        tokens, before = match.tokens, deal.match.tokens
        died = [seat for seat, n in enumerate(before) if n and not tokens[seat]]
        self.notes += tuple([note("dies", seat) for seat in died])
        return self._after_deaths(outcome, match, deal.dealer + 1, died if may_return else asked)

    def _to_verdict(self, outcome: Outcome) -> Self:
        """PET-45: nobody is left."""
        deal, verdict = self.deal, outcome.verdict
        self.deal = deal.but(match=outcome.match, start=deal.dealer + 1, outcome=outcome)
        alone = verdict == petrangola_settle.DEALER_WINS
        return self._to_over((deal.dealer,) if alone else tuple(sorted(deal.players)), verdict)

    def _after_deaths(
        self, outcome: Outcome | None, match: Match, start: int, dead: Iterable[int]
    ) -> Self:
        """PET-47, steps 7 to 9; `dead` may be asked to re-enter."""
        living = match.living()
        if len(living) > 1:
            asked = petrangola_settle.may_reenter(match, dead)
            if not asked and self.deal.dealer >= 0:
                return self._to_next(match, start, outcome)
        self.deal = self.deal.but(match=match, start=start, outcome=outcome)
        if len(living) < 2:
            alive = bool(living)
            reason = petrangola_settle.LAST_ALIVE if alive else petrangola_settle.ABANDONED
            return self._to_over(living, reason)
        if not asked:
            return self._to_draw()
        self.phase = Phase.ASK
        self.due = _ask(asked)
        terms = petrangola_settle.offer(match)
        self.notes += tuple([note("asked", seat, terms) for seat in asked])
        return self

    def _answered(self, given: Answers) -> Self:
        """PET-50 to PET-53."""
        asked = self.due.seats if isinstance(self.due, Ask) else ()
        if tuple([seat for seat, _ in given.moves]) != asked:
            raise OutOfTurn(f"answers are due from the seats {asked} in this order")
        new = self._copy()
        match = self.deal.match
        terms = petrangola_settle.offer(match)
        back, notes = [], []
        for seat, move in given.moves:
            if type(move) is Reenter:
                back.append(seat)
            elif type(move) is not Decline:
                raise IllegalMove("PET-50", "a dead player can only re-enter or decline")
            notes.append(note("reenters", seat, terms) if seat in back else note("declines", seat))
        if back:
            match = petrangola_settle.reenter(match, back)
            notes.append(note("pot", -1, (match.pot,)))
        new.notes = tuple(notes)
        deal = self.deal
        if deal.dealer >= 0:
            return new._to_next(match, deal.start, deal.outcome)
        new.deal = deal.but(match=match)
        return new._to_draw()

    def _to_next(self, match: Match, start: int, outcome: Outcome | None) -> Self:
        """PET-05."""
        players = dealt_by(match.living(), match.first_living(start))
        return self._to_cut_for(players, match, start, outcome)

    def _to_draw(self) -> Self:
        self._draws()
        self.phase = Phase.DRAW
        return self

    def _to_over(self, winners: tuple[int, ...], reason: str) -> Self:
        self._ends(winners, reason)
        self.phase = Phase.OVER
        return self

    def _leave(self, given: Leave) -> Self:
        """GEN-02; never a knock for the one who is away (PET-27)."""
        gone = self._gone(given)
        new = self._copy()
        leaving = tuple(sorted(seat for seat in gone if self.match.tokens[seat]))
        asked = set(self.due.seats) if isinstance(self.due, Ask) else set()
        new.notes = tuple(note("leaves", seat) for seat in leaving)
        if not leaving and not asked & gone:
            return new
        if self.phase is Phase.REVEAL:
            return new._finish(self.deal.outcome, leaving, given.may_return)
        match, start = petrangola_settle.put_out(self.match, leaving), self.start
        new.notes += tuple(note("declines", seat) for seat in sorted(asked & gone))
        if self.phase is not Phase.ASK:
            start = self.dealer
            if self.phase is not Phase.DRAW:
                new.notes += (note("void"),)
            new._clear()
            new.deal = self.deal.but(faces=b"", auto=False, breaches=(), outcome=None)
        if self.dealer in leaving and start == self.dealer:
            start += 1
        new.notes += tuple(note("dies", seat) for seat in leaving)
        asked = asked - gone | set(leaving if given.may_return else ())
        return new._after_deaths(new.deal.outcome, match, start, sorted(asked))

    # ------------------------------------------------------------------ the next hand

    def _to_cut(self, dealer: int) -> Self:
        """The next hand, with `dealer` as the last of the living (PET-05)."""
        deal = self.deal
        players = dealt_by(deal.match.living(), dealer)
        return self._to_cut_for(players, deal.match, deal.start, deal.outcome)

    def _to_cut_for(
        self, players: tuple[int, ...], match: Match, start: int, outcome: Outcome | None
    ) -> Self:
        """The next hand of `players`, with nothing of the last one's cards left (PET-06)."""
        old = self.deal
        hand, dealer, due = old.hand + 1, players[-1], decides(players)
        self.deal = Deal(
            old.options,
            old.seats,
            old.deck,
            match,
            players,
            due,
            len(players) * old.options.max_rounds,
            hand,
            dealer,
            start,
            b"",
            False,
            old.breaches,
            outcome,
        )
        self._clear()
        self.phase = Phase.CUT
        self.due = due[-2]
        self.notes += (note("deals", dealer, (hand,)),)
        return self

    def _clear(self) -> None:
        """No card of the last hand is left."""
        self.opened = self.knocks = 0
        self.promises = ()
        self.held = ()
        self.monte = ()
        self.at = self.turns = 0
        self.left = -1
