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
from engine.games.picchetto_moves import Announce, Produce, Say, Tell, Word
from engine.games.picchetto_position import Act, Aim, Phase, Step, Talk, VowKind
from engine.position import note

_ANY: Final = 99
"""Above every sum and every rank."""
_RULES: Final = ("PIC-21", "PIC-22", "PIC-23")
"""By category."""
_SPOKEN: Final = {word: word.value for word in Word} | {Word.PASS: "passes"}
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
_PHASE_PLAY: Final = Phase.PLAY
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
        self.talk = _TALKS[category]
        return self._to_decide(_PHASE_CLAIM, ELDER)

    def _said(self) -> Talk:
        """What was said so far in this category."""
        if self.talk is None:
            raise OutOfTurn("nothing is being declared")
        return self.talk

    def _tells(self, kind: str, *values: int) -> None:
        self.notes = (*self.notes, note(kind, self.deal.players[self.at], values))

    # ------------------------------------------------------------------ what is said

    def _announce(self, move: Announce) -> Self:
        """A claim of the elder, or a claim of the younger that is good as soon as it is made."""
        talk, claim = self._said(), move.claim
        rule = _RULES[talk.category]
        if claim.category is not talk.category:
            raise IllegalMove(rule, _DUE[talk.category])
        if self.phase is _PHASE_COUNTER and talk.claim and not claim.beats(talk.claim):
            raise IllegalMove("PIC-21", "only a better claim is an answer; else good or how-much")
        own = self._own()
        if own is not None and not holds_claim(claim, own):
            raise IllegalMove("PIC-20", "nobody can declare what the own hand doesn't hold")
        new = self._copy()
        new._claimed(claim)
        new.moves += 1
        values = (claim.size,) if claim.value == UNSAID else (claim.size, claim.value)
        new._tells(_CLAIMS[talk.category], *values)
        if self.phase is _PHASE_CLAIM:
            new.talk = Talk(talk.category, claim)
            return new._to_decide(_PHASE_COUNTER, YOUNGER)
        low, high = (claim.value, claim.value) if claim.value != UNSAID else (0, _ANY)
        return new._to_produce(new._demand(YOUNGER, claim, low, high))

    def _claimed(self, claim: Claim) -> None:
        """PIC-20: a promise about the hand as it is."""
        self._vow("PIC-20", self.held[self.at], _VOW_CLAIM, claim)

    def _say(self, move: Say) -> Self:
        talk, word = self._said(), move.word
        claim = talk.claim
        if not self._may_say(word, claim):
            raise self._unfit(word)
        new = self._copy()
        new.moves += 1
        new.notes = (note(_SPOKEN[word], self.deal.players[self.at], (talk.category,)),)
        if word is _WORD_PASS:
            if self.phase is _PHASE_CLAIM:
                return new._to_decide(_PHASE_COUNTER, YOUNGER)
            return new._after_category()
        if claim is None:
            raise self._unfit(word)
        if word is _WORD_HOW_MUCH:
            new.moves = self.moves
            new._claimed(Claim(claim.category, claim.size))
            new.moves += 1
            return new._to_decide(_PHASE_STATE, ELDER)
        stated = claim.value
        low, high = (0, _ANY) if stated == UNSAID else (stated, stated)
        if word is _WORD_GOOD:
            return new._to_produce(new._demand(ELDER, claim, low, high))
        if word is _WORD_NOT_GOOD:
            return new._to_produce(new._demand(YOUNGER, claim, stated + 1, _ANY))
        tie = [
            Demand(at, claim, stated, stated, more=False, counts=False) for at in (ELDER, YOUNGER)
        ]
        return new._to_produce(*tie)

    def _may_say(self, word: Word, claim: Claim | None) -> bool:
        """Whether the word is an answer here, where `claim` is in question, and true as far as this
        position can tell."""
        if claim is None or self.phase is _PHASE_CLAIM:
            return word is _WORD_PASS
        if word is _WORD_GOOD:
            return True
        if self.phase is _PHASE_COUNTER:
            own = self._own()
            return (
                word is _WORD_HOW_MUCH
                and claim.category is not _CATEGORY_SET
                and (own is None or holds_claim(claim, own))
            )
        true = self._stated(claim)
        if word is _WORD_EQUAL:
            return claim.value in true
        return word is _WORD_NOT_GOOD and bool(true) and true[-1] > claim.value

    def _unfit(self, word: Word) -> IllegalMove:
        if self.phase is _PHASE_COUNTER and word is _WORD_HOW_MUCH:
            return IllegalMove("PIC-21", "how-much is asked by who holds as many cards as claimed")
        if self.phase is _PHASE_VERDICT:
            return IllegalMove("PIC-20", "the own hand must hold what not-good or equal says")
        return IllegalMove("PIC-21", "{word} is no answer here", word=word.value)

    def _tell(self, move: Tell) -> Self:
        """The elder's answer to how-much."""
        talk = self._said()
        claim = talk.claim
        if claim is None or move.category is not talk.category:
            point = talk.category is _CATEGORY_POINT
            raise IllegalMove(
                "PIC-21", "the sum is asked for" if point else "the top card is asked for"
            )
        if move.value not in self._stated(claim):
            raise IllegalMove("PIC-20", "no cards of the own hand are such a claim")
        new = self._copy()
        stated = Claim(claim.category, claim.size, move.value)
        new._claimed(stated)
        new.moves += 1
        new.talk = Talk(talk.category, stated)
        new._tells("states-sum" if talk.category is _CATEGORY_POINT else "states-top", move.value)
        return new._to_decide(_PHASE_VERDICT, YOUNGER)

    # ------------------------------------------------------------------ what is laid open

    def _demand(self, at: int, claim: Claim, low: int, high: int) -> Demand:
        """The cards of a claim that scores; a hand of 13 only proves what it contests with."""
        counts = self.lay.mute != at
        more = counts and claim.category is not _CATEGORY_POINT
        return Demand(at, claim, low, high, more, counts)

    def _to_produce(self, *due: Demand) -> Self:
        talk = self._said()
        self.talk = Talk(talk.category, talk.claim, due)
        return self._to_decide(_PHASE_PRODUCE, due[0].player)

    def _produce(self, move: Produce) -> Self:
        """PIC-26: exactly the claimed cards that scored or tied are opened."""
        demand = self._said().due[0]
        cards, size = move.cards, demand.claim.size
        count = cards.bit_count()
        if cards & ~self.held[self.at]:
            raise IllegalMove("PIC-26", "only cards of the own hand can be laid open")
        if count < size or (count > size and not demand.more):
            raise IllegalMove("PIC-26", "the {size} cards of the claim are laid open", size=size)
        auto = self.deal.auto
        if not auto and not cards & self.deal.known.dark:
            self._judged(demand, cards)
        new = self._copy()
        new.moves += 1
        hidden = cards & ~self.opened
        if not hidden or auto:
            new.opened |= cards
            return new._after_produced(cards)
        opens: Step = ((_ACT_OPEN, hidden, self.deal.players[self.at]),)
        return new._serve([opens], _AIM_PRODUCED, cards)

    def _judged(self, demand: Demand, cards: int) -> tuple[int, ...]:
        """What the open cards are worth; IllegalMove if they aren't what was claimed."""
        points = worth(self.deal.match.pack, demand, self.deal.known.hand(cards))
        if not points:
            raise IllegalMove("PIC-26", _OTHERS[demand.claim.category])
        return points

    def _after_produced(self, cards: int) -> Self:
        """The cards lie open: they score one by one, or prove a tie."""
        talk = self._said()
        demand, *rest = talk.due
        at = demand.player
        points = self._judged(demand, cards)
        self._released(at, talk.category)
        seat = self.deal.players[at]
        for number in points if demand.counts else ():
            ended = self._gain(at, number, NOVANTA)
            counted = note(_COUNTS[talk.category], seat, (number, self.points[at]))
            self.notes = (*self.notes, counted)
            if ended:
                return self._to_reveal()
        if rest:
            return self._to_produce(*rest)
        if not demand.counts:
            self.notes = (*self.notes, note("nobody-scores", -1, (talk.category,)))
        return self._after_category()

    def _after_category(self) -> Self:
        category = self._said().category
        if category is not _CATEGORY_SET:
            return self._to_claim(_NEXT[category])
        self.talk = None
        return self._to_decide(_PHASE_PLAY, ELDER)
