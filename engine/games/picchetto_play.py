"""The tricks of Picchetto and their count (PIC-30..PIC-36, PIC-15).

Law: this file knows how a card is played, what that promises and what it scores. It must never
know what was declared, nor a card that its position doesn't show.
"""

from __future__ import annotations

from typing import Final, Self

from engine.errors import IllegalMove
from engine.games.picchetto_cards import RANKS, SUITS
from engine.games.picchetto_exchange import BATTUTA, Exchanging
from engine.games.picchetto_frame import DEALT, ELDER, Act, Aim, Phase, VowKind
from engine.games.picchetto_match import SEATS
from engine.games.picchetto_moves import Play
from engine.position import note

SESSANTA: Final = 30
"""What is added when the 30 is reached in the play (PIC-34)."""
CARDS_POINTS: Final = 10
CAPPOTTO_POINTS: Final = 40
_HALF: Final = 6
_MOST_NOTED: Final = 256
LEADS: Final = tuple(
    tuple((note("leads", seat, (total,)),) for total in range(_MOST_NOTED)) for seat in range(SEATS)
)
TAKES: Final = tuple(
    tuple((note("takes", seat, (total,)),) for total in range(_MOST_NOTED)) for seat in range(SEATS)
)
"""By seat and by what it has then: notes made once, because there are so many tricks. Nobody can
score so much in a deal."""


# Members as plain names: to look one up in its class takes longer than to compare it.
_ACT_OPEN: Final = Act.OPEN
_AIM_LAID: Final = Aim.LAID
_PHASE_PLAY: Final = Phase.PLAY
_VOW_SUIT: Final = VowKind.SUIT


class Playing(Exchanging):
    """A position that can play tricks."""

    __slots__ = ()

    def _play(self, move: Play) -> Self:
        """A card is played; others may have to see it before it lies on the table."""
        slot = move.slot
        bit = 1 << slot
        if not self._playable() & bit:
            raise self._refused(bit)
        if self.deal.auto or self.opened & bit:
            return self._lay(slot)
        new = self._copy()
        return new._serve([((_ACT_OPEN, bit, self.deal.players[self.at]),)], _AIM_LAID, bit)

    def _refused(self, bit: int) -> IllegalMove:
        if not self.held[self.at] & bit:
            return IllegalMove("PIC-30", "that card isn't in the hand")
        known = self.deal.known
        led = known.codes[self.led]
        suit = self.match.pack.kind.suit_names[led // RANKS]
        if bit & known.suits[led // RANKS]:
            return IllegalMove("PIC-30", "whoever can win the trick in {suit} must", suit=suit)
        return IllegalMove(
            "PIC-30", "{suit} was led, and whoever has {suit} must follow", suit=suit
        )

    def _after_opened(self, bit: int) -> Self:
        """The card came out: it must be one that public cards allowed, and agree with what its
        player promised."""
        slot = bit.bit_length() - 1
        if not self._playable() & bit:
            raise self._refused(bit)
        code = self.deal.known.codes[slot]
        at, suit = self.at, code // RANKS
        self.phase = _PHASE_PLAY
        if code % RANKS > self.floors[at * SUITS + suit]:
            seat = self.deal.players[at]
            self._breached(
                next(
                    n
                    for n, vow in enumerate(self.vows)
                    if vow.seat == seat
                    and vow.kind is _VOW_SUIT
                    and vow.suit == suit
                    and vow.floor < code % RANKS
                )
            )
            return self._to_reveal()
        return self._lay(slot)

    def _lay(self, slot: int) -> Self:
        """The card of `slot` lies on the table."""
        return self._lead(slot) if self.led < 0 else self._follow(slot)

    def _lead(self, slot: int) -> Self:
        """PIC-31: the lead's point, lost or not by what follows."""
        at = self.at
        new = self._without(slot)
        new.led = slot
        if self.deal.options.trick_scoring == BATTUTA:
            ended = new._gain(at, 1, 0 if at else SESSANTA)
            new.notes = LEADS[self.deal.players[at]][new.points[at]] + new.notes
            if ended:
                return new._to_reveal()
        if not new.held[1 - at]:
            return new._after_lone(slot)
        return new._to_turn(1 - at)

    def _follow(self, slot: int) -> Self:
        """PIC-31: who wins the trick leads to the next."""
        at, codes = self.at, self.deal.known.codes
        new = self._without(slot)
        new.led = -1
        led, code = codes[self.led], codes[slot]
        taker, suit = 1 - at, led // RANKS
        floor = self.floors[at * SUITS + suit]
        if code // RANKS != suit:
            if floor > -1:
                new._promise(self, suit, -1)
        elif code > led:
            taker = at
        elif floor > led % RANKS and self.deal.options.must_win:
            new._promise(self, suit, led % RANKS)
        (a, b), cards = self.won, 1 << slot | 1 << self.led
        new.won = (a, b | cards) if taker else (a | cards, b)
        return new._after_trick(taker)

    def _without(self, slot: int) -> Self:
        """A copy where the card of `slot` has left the hand of who plays it; a card changes
        nothing of what was before the play."""
        (a, b), bit = self.held, 1 << slot
        new: Self = self.whole()
        new.deal = self.deal
        new.lay = self.lay
        new.phase = self.phase
        new.wait = new.talk = None
        new.laid = self.laid
        new.made = self.made
        new.at = at = self.at
        new.due = self.due
        new.held = (a, b ^ bit) if at else (a ^ bit, b)
        new.points = self.points
        new.vows = self.vows
        new.floors = self.floors
        new.won = self.won
        new.notes = ()
        return new

    def _to_turn(self, at: int) -> Self:
        """Player `at` plays the next card."""
        self.at = at
        self.due = self.deal.decides[at]
        return self

    def _after_trick(self, taker: int) -> Self:
        """A trick's points, and who leads to the next; see _lead for those of the lead."""
        ended = False
        if self.deal.options.trick_scoring != BATTUTA:
            ended = self._gain(taker, 2, 0 if taker else SESSANTA)
        elif taker == self.at:
            ended = self._gain(taker, 1, 0 if taker else SESSANTA)
        self.notes = TAKES[self.deal.players[taker]][self.points[taker]] + self.notes
        if ended:
            return self._to_reveal()
        a, b = self.held
        return self._to_turn(taker) if a and b else self._after_exhausted(taker)

    def _promise(self, old: Self, suit: int, floor: int) -> None:
        """PIC-36: what is left of the hand of `old`'s player holds nothing of `suit` above `floor`.
        Once promised, less needs no promise, since a hand only shrinks."""
        at, floors = old.at, self.floors
        hidden = self.held[at] & ~self.laid
        if not hidden:
            return
        key = at * SUITS + suit
        self.floors = (*floors[:key], floor, *floors[key + 1 :])
        vow = old._vow("PIC-36", hidden, _VOW_SUIT)
        self.vows += (vow._replace(move=old.moves, suit=suit, floor=floor),)

    # ------------------------------------------------------------------ the end of the tricks

    def _after_exhausted(self, taker: int) -> Self:
        """A hand is used up: both, unless one was irregular (PIC-15)."""
        a, b = self.held
        left = ELDER if a else 1
        if (a or b) and self.lay.sizes[left] == DEALT:
            # the other had eleven cards: this last one is a trick
            return self._to_turn(left)
        return self._to_cards(taker)

    def _after_lone(self, slot: int) -> Self:
        """The twelfth trick of a player whose opponent had eleven cards."""
        at = self.at
        a, b = self.won
        self.won = (a | 1 << slot, b) if at == ELDER else (a, b | 1 << slot)
        self.led = -1
        if self.deal.options.trick_scoring == "two_per_trick":
            bonus = SESSANTA if at == ELDER else 0
            ended = self._gain(at, 2, bonus)
            self.notes = TAKES[self.deal.players[at]][self.points[at]] + self.notes
            if ended:
                return self._to_reveal()
        return self._to_cards(at)

    def tricks(self, at: int) -> int:
        """How many tricks player `at` has; a lone last card is one, too."""
        return (self.won[at].bit_count() + 1) // 2

    def _to_cards(self, last: int) -> Self:
        """PIC-32, PIC-33, in this order (PIC-40): the last trick's point, then the 10 or 40."""
        players, tricks = self.deal.players, (self.tricks(ELDER), self.tricks(1 - ELDER))
        cappotto = tricks[last] == DEALT
        if not cappotto and self.deal.options.trick_scoring == BATTUTA:
            ended = self._gain(last, 1, SESSANTA if last == ELDER else 0)
            self.notes += (note("last-trick", players[last], (self.points[last],)),)
            if ended:
                return self._to_reveal()
        for at, number in enumerate(tricks):
            if number > _HALF:
                self._gain(at, CAPPOTTO_POINTS if cappotto else CARDS_POINTS, 0)
                kind = "cappotto" if cappotto else "cards"
                self.notes += (note(kind, players[at], (self.points[at],)),)
        return self._to_reveal()
