"""The declarations of Picchetto: what is promised, told, laid open and counted (PIC-20..PIC-27).

Law: this file knows what the dialogue (picchetto_dialogue) does to a position. It must never use a
card that its position doesn't show: what is said says no more than it says.
"""

from __future__ import annotations

from typing import Final, Self

from engine.contract import Move, Note
from engine.errors import IllegalMove
from engine.games.picchetto_declare import UNSAID, Category
from engine.games.picchetto_dialogue import ANSWERS, after_open, fits, judged
from engine.games.picchetto_exchange import NOVANTA, Exchanging
from engine.games.picchetto_frame import Act, Aim, Phase, Step, Talk, VowKind
from engine.games.picchetto_match import SEATS
from engine.games.picchetto_moves import Announce, Produce, Say, Tell, Word
from engine.position import note

_SPOKEN: Final = {
    word: tuple(
        tuple((note(told, seat, (category,)),) for seat in range(SEATS)) for category in Category
    )
    for word, told in [(word, word.value) for word in Word] + [(Word.PASS, "passes")]
}
"""By word, category and seat: what is told of it."""
_NAMES: Final = ("point", "sequence", "set")
_CLAIMS: Final = tuple(f"claims-{name}" for name in _NAMES)
_STATES: Final = ("states-sum", "states-top")
_COUNTS: Final = tuple(f"counts-{name}" for name in _NAMES)
"""By category."""

# Members as plain names: to look one up in its class takes longer than to compare it.
_ACT_OPEN: Final = Act.OPEN
_AIM_PRODUCED: Final = Aim.PRODUCED
_PHASE_PLAY: Final = Phase.PLAY
_PHASE_PRODUCE: Final = Phase.PRODUCE
_PHASE_STATE: Final = Phase.STATE
_PHASE_VERDICT: Final = Phase.VERDICT
_VOW_CLAIM: Final = VowKind.CLAIM


class Talking(Exchanging):
    """A position that can lead the dialogue."""

    __slots__ = ()

    def _say(self, move: Move) -> Self:
        """What is said promises that the own hand holds it, and so does `how-much` of a claim."""
        talk = self._said()
        said = ANSWERS[talk.phase][type(move)](self._parley(), talk, move)
        new = self._next(self.phase, self.at)._to_talk(said)
        claim = said.claim if said.phase in (_PHASE_STATE, _PHASE_VERDICT) else None
        if isinstance(move, Announce):
            claim = move.claim
        if claim:
            new.vows += (self._vow("PIC-20", self.held[self.at], _VOW_CLAIM, claim),)
        new.notes = _told(move, talk.category, self.deal.players[self.at])
        return new

    def _to_talk(self, talk: Talk) -> Self:
        """The dialogue stands at `talk`; perhaps it is over."""
        return self._to_decide(talk.phase, talk.at, None if talk.phase is _PHASE_PLAY else talk)

    def _produce(self, move: Produce) -> Self:
        """PIC-26: exactly the claimed cards that scored or tied are opened."""
        talk, cards, deal = self._said(), move.cards, self.deal
        fits(self._parley(), talk, move)
        new = self._next(_PHASE_PRODUCE, self.at, talk)
        if deal.auto:
            new.laid |= cards
            return new._after_produced(cards)
        if not cards & deal.known.dark:
            judged(deal.match.pack, talk.due[0], deal.known.hand(cards))
        hidden = cards & ~new.laid
        if not hidden:
            return new._after_produced(cards)
        opens: Step = ((_ACT_OPEN, hidden, deal.players[self.at]),)
        return new._serve([opens], _AIM_PRODUCED, cards)

    def _after_produced(self, cards: int) -> Self:
        """The cards lie open: they score one by one, or prove a tie."""
        talk, deal = self._said(), self.deal
        category, demand = talk.category, talk.due[0]
        at = demand.player
        points = judged(deal.match.pack, demand, deal.known.hand(cards))
        self._released(at, category)
        if demand.counts:
            seat, told = deal.players[at], _COUNTS[category]
            for number in points:
                ended = self._gain(at, number, NOVANTA)
                self.notes += (note(told, seat, (number, self.points[at])),)
                if ended:
                    return self._to_reveal()
        elif len(talk.due) == 1:
            self.notes += (note("nobody-scores", -1, (category,)),)
        return self._to_talk(after_open(talk))


def _told(move: Move, category: Category, seat: int) -> tuple[Note, ...]:
    """What is told when `seat` says `move`."""
    if isinstance(move, Say):
        return _SPOKEN[move.word][category][seat]
    if isinstance(move, Announce):
        size, value = move.claim.size, move.claim.value
        return (note(_CLAIMS[category], seat, (size,) if value == UNSAID else (size, value)),)
    if isinstance(move, Tell):
        return (note(_STATES[category], seat, (move.value,)),)
    raise IllegalMove("PIC-21", "this is no answer in the dialogue of the declarations")
