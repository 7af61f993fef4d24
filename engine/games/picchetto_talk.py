"""The declarations of Picchetto: a dialogue of three categories (PIC-20..PIC-27).

Law: this file knows who speaks when, what is promised by it and what is laid open when a category
is settled. It must never use a card that its position doesn't show: what is said says no more
than it says.

    CLAIM    elder     a claim, or pass
    COUNTER  younger   after a pass: a claim, or pass; else good, how-much, or a better claim
    STATE    elder     the sum or the top card
    VERDICT  younger   good, not-good, or equal
    PRODUCE  whoever scored, or both of a tie: the cards that were claimed
"""

from __future__ import annotations

from typing import Final, Self

from engine.errors import IllegalMove, OutOfTurn
from engine.games.picchetto_declare import (
    UNSAID,
    Category,
    Claim,
    Demand,
    holds_claim,
    worth,
)
from engine.games.picchetto_exchange import ELDER, NOVANTA, YOUNGER, Exchanging
from engine.games.picchetto_frame import Act, Aim, Phase, Step, Talk, VowKind
from engine.games.picchetto_match import SEATS
from engine.games.picchetto_moves import Announce, Produce, Say, Tell, Word
from engine.position import new_tuple, note

_ANY: Final = 99
"""Above every sum and every rank."""
_RULES: Final = ("PIC-21", "PIC-22", "PIC-23")
"""By category."""
_SPOKEN: Final = {
    word: tuple(
        tuple((note(told, seat, (category,)),) for seat in range(SEATS)) for category in Category
    )
    for word, told in [(word, word.value) for word in Word] + [(Word.PASS, "passes")]
}
"""By word, category and seat: what is told of it."""
_NEXT: Final = (Category.SEQUENCE, Category.SET)
_TALKS: Final = tuple(Talk(category) for category in Category)
"""By category: nothing has been said."""
_NAMES: Final = ("point", "sequence", "set")
_DUE: Final = (
    "a point is declared now, or pass",
    "a sequence is declared now, or pass",
    "a set is declared now, or pass",
)
_OTHERS: Final = (
    "these cards aren't the point that was claimed",
    "these cards aren't the sequence that was claimed",
    "these cards aren't the set that was claimed",
)
_CLAIMS: Final = tuple(f"claims-{name}" for name in _NAMES)
_COUNTS: Final = tuple(f"counts-{name}" for name in _NAMES)

# Members as plain names: to look one up in its class takes longer than to compare it.
_ACT_OPEN: Final = Act.OPEN
_AIM_PRODUCED: Final = Aim.PRODUCED
_CATEGORY_POINT: Final = Category.POINT
_CATEGORY_SET: Final = Category.SET
_PHASE_CLAIM: Final = Phase.CLAIM
_PHASE_COUNTER: Final = Phase.COUNTER
_PHASE_PRODUCE: Final = Phase.PRODUCE
_PHASE_STATE: Final = Phase.STATE
_PHASE_VERDICT: Final = Phase.VERDICT
_VOW_CLAIM: Final = VowKind.CLAIM
_WORD_EQUAL: Final = Word.EQUAL
_WORD_GOOD: Final = Word.GOOD
_WORD_HOW_MUCH: Final = Word.HOW_MUCH
_WORD_NOT_GOOD: Final = Word.NOT_GOOD
_WORD_PASS: Final = Word.PASS


class Talking(Exchanging):
    """A position that can lead the dialogue."""

    __slots__ = ()

    def _to_claim(self, category: Category) -> Self:
        return self._to_decide(_PHASE_CLAIM, ELDER, _TALKS[category])

    def _said(self) -> Talk:
        """What was said so far in this category."""
        talk = self.talk
        if talk is None:
            raise OutOfTurn("nothing is being declared")
        return talk

    # ------------------------------------------------------------------ what is said

    def _announce(self, move: Announce) -> Self:
        """A claim of the elder, or a claim of the younger that is good as soon as it is made."""
        talk, claim = self.talk or self._said(), move.claim
        (category, other, _), value = talk, claim.value
        if claim.category is not category:
            raise IllegalMove(_RULES[category], _DUE[category])
        if other and (claim.size, value) <= (other.size, other.value):
            raise IllegalMove("PIC-21", "only a better claim is an answer; else good or how-much")
        if not holds_claim(claim, self._own()):
            raise IllegalMove("PIC-20", "nobody can declare what the own hand doesn't hold")
        said = (claim.size,) if value == UNSAID else (claim.size, value)
        if self.phase is _PHASE_CLAIM:
            new = self._next(_PHASE_COUNTER, YOUNGER, new_tuple(Talk, (category, claim, ())))
        else:
            low, high = (0, _ANY) if value == UNSAID else (value, value)
            new = self._to_produce(self._demand(YOUNGER, claim, low, high))
        new.vows += (self._vow("PIC-20", self.held[self.at], _VOW_CLAIM, claim),)
        new.notes = (note(_CLAIMS[category], self.deal.players[self.at], said),)
        return new

    def _open(self, move: Say) -> Self:
        """The elder passes."""
        word, talk = move.word, self.talk or self._said()
        if word is not _WORD_PASS:
            raise self._unfit(word)
        return self._saying(word, self._next(_PHASE_COUNTER, YOUNGER, talk))

    def _counter(self, move: Say) -> Self:
        """The younger takes up a claim, or passes as the elder did."""
        word, talk = move.word, self.talk or self._said()
        _, claim, _ = talk
        if claim is None:
            if word is not _WORD_PASS:
                raise self._unfit(word)
            passed = self._saying(word, self._next(_PHASE_COUNTER, YOUNGER, talk))
            return passed._after_category()
        if word is _WORD_GOOD:
            low, high = (0, _ANY) if claim.value == UNSAID else (claim.value, claim.value)
            return self._saying(word, self._to_produce(self._demand(ELDER, claim, low, high)))
        if (
            word is not _WORD_HOW_MUCH
            or claim.category is _CATEGORY_SET
            or not holds_claim(claim, self._own())
        ):
            raise self._unfit(word)
        new = self._saying(word, self._next(_PHASE_STATE, ELDER, talk))
        new.vows += (self._vow("PIC-20", self.held[self.at], _VOW_CLAIM, claim),)
        return new

    def _judge(self, move: Say) -> Self:
        """The younger compares what the elder stated with the own cards."""
        word, claim = move.word, self._said().claim
        if claim is None:
            raise self._unfit(word)
        value = claim.value
        if word is _WORD_GOOD:
            return self._saying(word, self._to_produce(self._demand(ELDER, claim, value, value)))
        own = self._statable(claim) >> value
        if word is _WORD_NOT_GOOD and own > 1:
            better = self._demand(YOUNGER, claim, value + 1, _ANY)
            return self._saying(word, self._to_produce(better))
        if word is not _WORD_EQUAL or not own & 1:
            raise self._unfit(word)
        tie = [Demand(at, claim, value, value, more=False, counts=False) for at in (ELDER, YOUNGER)]
        return self._saying(word, self._to_produce(*tie))

    def _saying(self, word: Word, new: Self) -> Self:
        """`new` is what comes of `word`: it tells so."""
        talk = self.talk or self._said()
        new.notes = _SPOKEN[word][talk.category][self.deal.players[self.at]]
        return new

    def _unfit(self, word: Word) -> IllegalMove:
        if self.phase is _PHASE_COUNTER and word is _WORD_HOW_MUCH:
            return IllegalMove("PIC-21", "how-much is asked by who holds as many cards as claimed")
        if self.phase is _PHASE_VERDICT:
            return IllegalMove("PIC-20", "the own hand must hold what not-good or equal says")
        return IllegalMove("PIC-21", "{word} is no answer here", word=word.value)

    def _tell(self, move: Tell) -> Self:
        """The elder's answer to how-much."""
        talk = self.talk or self._said()
        claim, category = talk.claim, talk.category
        point = category is _CATEGORY_POINT
        if claim is None or move.category is not category:
            raise IllegalMove(
                "PIC-21", "the sum is asked for" if point else "the top card is asked for"
            )
        value = move.value
        if not self._statable(claim) >> value & 1:
            raise IllegalMove("PIC-20", "no cards of the own hand are such a claim")
        stated = Claim(category, claim.size, value)
        new = self._next(_PHASE_VERDICT, YOUNGER, new_tuple(Talk, (category, stated, ())))
        new.vows += (self._vow("PIC-20", self.held[self.at], _VOW_CLAIM, stated),)
        told = "states-sum" if point else "states-top"
        new.notes = (note(told, self.deal.players[self.at], (value,)),)
        return new

    # ------------------------------------------------------------------ what is laid open

    def _demand(self, at: int, claim: Claim, low: int, high: int) -> Demand:
        """The cards of a claim that scores; a hand of 13 only proves what it contests with."""
        counts = self.lay.mute != at
        more = counts and claim.category is not _CATEGORY_POINT
        return new_tuple(Demand, (at, claim, low, high, more, counts))

    def _to_produce(self, *due: Demand) -> Self:
        """A copy after one more move, where these cards are to be laid open one after another."""
        talk = self.talk or self._said()
        left = new_tuple(Talk, (talk.category, talk.claim, due))
        return self._next(_PHASE_PRODUCE, due[0].player, left)

    def _produce(self, move: Produce) -> Self:
        """PIC-26: exactly the claimed cards that scored or tied are opened."""
        talk, cards, deal, at = self.talk or self._said(), move.cards, self.deal, self.at
        demand = talk.due[0]
        size, count = demand.claim.size, cards.bit_count()
        if cards & ~self.held[at]:
            raise IllegalMove("PIC-26", "only cards of the own hand can be laid open")
        if count != size and (count < size or not demand.more):
            raise IllegalMove("PIC-26", "the {size} cards of the claim are laid open", size=size)
        new = self._next(_PHASE_PRODUCE, at, talk)
        if deal.auto:
            new.laid |= cards
            return new._after_produced(cards)
        if not cards & deal.known.dark:
            self._judged(demand, cards)
        hidden = cards & ~new.laid
        if not hidden:
            return new._after_produced(cards)
        opens: Step = ((_ACT_OPEN, hidden, deal.players[at]),)
        return new._serve([opens], _AIM_PRODUCED, cards)

    def _judged(self, demand: Demand, cards: int) -> tuple[int, ...]:
        """What the open cards are worth; IllegalMove if they aren't what was claimed."""
        points = worth(self.deal.match.pack, demand, self.deal.known.hand(cards))
        if not points:
            raise IllegalMove("PIC-26", _OTHERS[demand.claim.category])
        return points

    def _after_produced(self, cards: int) -> Self:
        """The cards lie open: they score one by one, or prove a tie."""
        talk = self.talk or self._said()
        category, claim, due = talk
        demand, more = due[0], due[1:]
        at = demand.player
        points = self._judged(demand, cards)
        if self.vows:
            self._released(at, category)
        if demand.counts:
            seat, told = self.deal.players[at], _COUNTS[category]
            for number in points:
                ended = self._gain(at, number, NOVANTA)
                self.notes += (note(told, seat, (number, self.points[at])),)
                if ended:
                    return self._to_reveal()
        elif not more:
            self.notes += (note("nobody-scores", -1, (category,)),)
        if more:
            left = new_tuple(Talk, (category, claim, more))
            return self._to_decide(_PHASE_PRODUCE, more[0].player, left)
        if category is _CATEGORY_SET:
            return self._to_play(ELDER)
        return self._to_decide(_PHASE_CLAIM, ELDER, _TALKS[_NEXT[category]])

    def _after_category(self) -> Self:
        category = self._said().category
        if category is not _CATEGORY_SET:
            return self._to_claim(_NEXT[category])
        return self._to_play(ELDER)
