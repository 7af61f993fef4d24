"""How a hand of Mambassa ends and the next begins (MAM-30..MAM-33, GEN-01, GEN-02, PET-05).

Law: this file knows when promises are settled and what becomes of a hand. It must never know turns
(mambassa_state), nor judge hands and tokens by itself (mambassa_hands, mambassa_settle).

Every statement is a promise (MAM-32). It is settled with the hands if no reseal has come between,
else by the reveal, which tells how each reseal moved the cards. A seat that leaves when only the
reveal is due doesn't undo what the hands showed, unless a promise is still open then: what nobody
can audit doesn't count (GEN-01).
"""

from __future__ import annotations

from typing import Final, Self

from engine.contract import (
    Breach,
    Cards,
    Draw,
    Leave,
    Note,
    Open,
    Over,
    Promise,
    Reveal,
    Revealed,
    Seen,
    Shuffle,
)
from engine.errors import EngineError, OutOfTurn
from engine.games import mambassa_settle
from engine.games.mambassa_position import Claim, Phase, Position, special

_REVEAL: Final = Cards((Reveal(),))


class Ending(Position):
    """The part of a state that leads from the last turn of a hand to the next hand.

    A method that begins with `_to_` or `_after_` changes the fresh copy it belongs to.
    """

    __slots__ = ()

    def _to_show(self) -> Self:
        """All hands are shown, after a declaration too: there the others' follow at once."""
        if self.auto:
            self.opened = (1 << self.deck.size) - 1
            return self._after_show()
        slots = [slot for hand in self.held for slot in hand]
        hidden = tuple(slot for slot in slots if not self.opened >> slot & 1)
        self.phase = Phase.SHOW
        if not hidden:
            return self._after_show()
        self.due = Cards((Open(hidden),))
        return self

    def _showed(self, given: Seen) -> Self:
        return self._see(given)._after_show()

    def _after_show(self) -> Self:
        """What was promised since the last reseal is settled, and the hands are compared."""
        faces = self.faces
        if self.auto:
            self.promises = self.claims = ()  # an open state took no false statement
        elif self.promises:
            self._settle_promises(dict.fromkeys((self.reseals,), faces))
        judge = self.match.judge
        values = [judge.value((faces[a], faces[b], faces[c], faces[d])) for a, b, c, d in self.held]
        self.phase = Phase.REVEAL
        self.due = _REVEAL
        if self.breaches:
            self.notes += tuple(Note("broken-promise", b.promise.seat) for b in self.breaches)
        else:
            self.outcome = mambassa_settle.settle(self.match, self.players, values, self.declared)
            self.notes += self.outcome.notes
        return self._finish(()) if self.auto else self

    def _settle_promises(self, lay: dict[int, bytes]) -> None:
        """Settle those promises before which as many reseals came as `lay` tells the cards for."""
        kept: list[tuple[Promise, Claim]] = []
        broken: list[Breach] = []
        for promise, (declares, reseals) in zip(self.promises, self.claims, strict=True):
            faces = lay.get(reseals)
            if faces is None:
                kept.append((promise, (declares, reseals)))
            elif special(faces, promise.slots) is not declares:
                cards = self.deck.kind.join(faces[slot] for slot in promise.slots)
                said = "declared" if declares else "stated none with"
                broken.append(Breach(promise, f"seat {promise.seat} {said} {cards}"))
        self.promises = tuple(promise for promise, _ in kept)
        self.claims = tuple(claim for _, claim in kept)
        self.breaches += tuple(broken)

    def _revealed(self, given: Revealed) -> Self:
        """The audit: how the cards lay before each reseal is known now.

        `given` tells all of the hand's reseals; none at all if all of them moved nothing.
        """
        self._checked(given.faces)
        if len(given.reseals) not in {0, self.reseals}:
            raise ValueError(f"{self.reseals} reseals were made, {len(given.reseals)} revealed")
        faces = given.moved()
        self._agree(faces)
        new = self._copy()
        new.faces = faces
        new.opened = (1 << self.deck.size) - 1
        told = len(self.breaches)
        new._settle_promises({n: given.moved(n) for n in {count for _, count in self.claims}})
        new.notes = tuple(Note("broken-promise", b.promise.seat) for b in new.breaches[told:])
        return new._finish(())

    def _finish(self, leavers: tuple[int, ...]) -> Self:
        """GEN-01, then what the deal costs; `leavers` left when only the reveal was due."""
        cheats = {b.promise.seat for b in self.breaches}
        outcome = self.outcome
        before = self.match.tokens
        if cheats or self.promises:
            gone = cheats | set(leavers)
            self.match = mambassa_settle.put_out(self.match, gone)
            self.start = self.dealer + (self.dealer in gone)
            self.notes += (Note("void"), *(Note("dies", seat) for seat in sorted(gone)))
            return self._after_deaths()
        if outcome is None:
            raise EngineError("a hand ends after its hands were shown only")
        self.match = outcome.match
        self.start = self.dealer + 1
        living = self.match.living()
        if not living:
            return self._to_over((self.dealer,), mambassa_settle.DEALER_WINS)
        if len(living) > 1 and leavers:
            self.match = mambassa_settle.put_out(self.match, leavers)
        after = self.match.tokens
        self.notes += tuple(
            [Note("dies", s) for s, tokens in enumerate(before) if tokens and not after[s]]
        )
        return self._after_deaths()

    def _after_deaths(self) -> Self:
        """MAM-33; before the first dealer is known, the draw again."""
        living = self.match.living()
        if len(living) < 2:
            ended = mambassa_settle.LAST_ALIVE if living else mambassa_settle.ABANDONED
            return self._to_over(living, ended)
        if self.dealer < 0:
            return self._to_draw()
        return self._to_shuffle(self.match.first_living(self.start))

    def _to_draw(self) -> Self:
        self.players = self.match.living()
        self.phase = Phase.DRAW
        self.due = Cards((Draw(self.deck),))
        return self

    def _to_over(self, winners: tuple[int, ...], reason: str) -> Self:
        result = mambassa_settle.result(self.match, winners, reason)
        self.phase = Phase.OVER
        self.due = Over(result)
        self.notes += tuple(Note("wins", seat, (result.won[seat],)) for seat in winners)
        return self

    def _leave(self, given: Leave) -> Self:
        """GEN-02; nobody comes back into Mambassa, and nobody who is away knocks (PET-27)."""
        gone = set(given.seats)
        if not gone or len(gone) != len(given.seats) or not gone <= set(range(self.seats)):
            raise OutOfTurn(f"{given.seats} aren't different seats of this match")
        new = self._copy()
        leaving = tuple(sorted(seat for seat in gone if self.match.tokens[seat]))
        new.notes = tuple(Note("leaves", seat) for seat in leaving)
        if not leaving:
            return new
        if self.phase is Phase.REVEAL:
            return new._finish(leaving)
        new.match = mambassa_settle.put_out(self.match, leaving)
        new.start = self.dealer + (self.dealer in leaving)
        if self.phase is not Phase.DRAW:
            new.notes += (Note("void"),)
        new._clear()
        new.breaches = ()
        new.outcome = None
        new.notes += tuple(Note("dies", seat) for seat in leaving)
        return new._after_deaths()

    # ------------------------------------------------------------------ the next hand

    def _to_shuffle(self, dealer: int) -> Self:
        """The next hand, with nothing of the last one's cards left (PET-05)."""
        living = self.match.living()
        self.hand += 1
        self.dealer = dealer
        at = living.index(dealer)
        self.players = living[at + 1 :] + living[: at + 1]
        self._clear()
        self.phase = Phase.SHUFFLE
        self.due = Cards((Shuffle(self.deck),))
        self.notes += (Note("deals", dealer, (self.hand,)),)
        return self

    def _clear(self) -> None:
        """No card of the last hand is left."""
        self.faces = b""
        self.opened = 0
        self.shown = (0,) * self.seats
        self.promises = ()
        self.claims = ()
        self.held = ()
        self.monte = self.stock = ()
        self.at = self.turns = self.made = self.reseals = 0
        self.left = -1
        self.discard = self.auto = False
        self.declared = ()
