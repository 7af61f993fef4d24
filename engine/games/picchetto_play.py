"""The tricks of Picchetto and their count (PIC-30..PIC-36, PIC-15).

Law: this file knows how a card is played, what that promises and what it scores. It must never
know what was declared, nor a card that its position doesn't show.
"""

from __future__ import annotations

from typing import Final, Self

from engine.errors import IllegalMove
from engine.games.picchetto_cards import RANKS, SUITS
from engine.games.picchetto_exchange import BONUS_AT, ELDER, Exchanging
from engine.games.picchetto_match import SEATS
from engine.games.picchetto_moves import Play
from engine.games.picchetto_position import DEALT, Act, Aim, Deal, Phase, Vow, VowKind
from engine.position import new_blank, note

SESSANTA: Final = 30
"""What is added when the 30 is reached in the play (PIC-34)."""
CARDS_POINTS: Final = 10
CAPPOTTO_POINTS: Final = 40
_HALF: Final = 6
_MOST_NOTED: Final = 256
_LEADS: Final = tuple(
    tuple((note("leads", seat, (total,)),) for total in range(_MOST_NOTED)) for seat in range(SEATS)
)
_TAKES: Final = tuple(
    tuple((note("takes", seat, (total,)),) for total in range(_MOST_NOTED)) for seat in range(SEATS)
)
"""By seat and by what it has then: notes made once, because there are so many tricks. Nobody can
score so much in a deal."""

_FLOORS: Final = tuple((floor,) for floor in (*range(RANKS), -1))
"""By floor, -1 being the last one."""

# Members as plain names: to look one up in its class takes longer than to compare it.
_ACT_OPEN: Final = Act.OPEN
_AIM_LAID: Final = Aim.LAID
_PHASE_PLAY: Final = Phase.PLAY
_VOW_SUIT: Final = VowKind.SUIT


class Playing(Exchanging):
    """A position that can play tricks."""

    __slots__ = ()

    def _play(self, move: Play) -> Self:
        slot = move.slot
        bit = 1 << slot
        may = self.may
        if may < 0:
            may = self._playable()
        if not may & bit:
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
        """The card of `slot` lies on the table: this is where most of the time is spent, so every
        field is new or copied here."""
        at, led, deal = self.at, self.led, self.deal
        bit = 1 << slot
        new = new_blank(type(self))
        new.deal = deal
        new.lay = self.lay
        new.phase = _PHASE_PLAY
        new.wait = None
        new.talk = None
        new.opened = self.opened | bit
        new.moves = self.moves + 1
        new.may = -1
        new.vows = self.vows
        new.floors = self.floors
        new.points = self.points
        new.notes = ()
        a, b = self.held
        if at:
            b ^= bit
        else:
            a ^= bit
        new.held = (a, b)
        if led >= 0:
            new.at = at
            new.led = -1
            return new._after_trick(led, slot, self.won, deal)
        new.led = slot
        new.won = self.won
        # PIC-31: the lead's point, lost or not by what follows
        if deal.options.trick_scoring == "battuta_presa":
            new.at = at
            ended = new._counts_one(at)
            new.notes = _LEADS[deal.players[at]][new.points[at]] + new.notes
            if ended:
                return new._to_reveal()
        if not (a if at else b):
            new.at = at
            return new._after_lone(slot)
        new.at = other = 1 - at
        new.due = deal.decides[other]
        return new

    def _after_trick(self, led_slot: int, slot: int, won: tuple[int, int], deal: Deal) -> Self:
        """PIC-31; `won`: the slots that the two have won before."""
        at = self.at
        codes, options = deal.known.codes, deal.options
        led, code = codes[led_slot], codes[slot]
        taker = 1 - at
        if code >> 3 != led >> 3:
            self._promise(led, -1)
        elif code > led:
            taker = at
        elif options.must_win:
            self._promise(led, led & 7)
        trick = 1 << led_slot | 1 << slot
        a, b = won
        self.won = (a, b | trick) if taker else (a | trick, b)
        if options.trick_scoring == "battuta_presa":
            ended = taker == at and self._counts_one(at)
        else:
            ended = self._gain(taker, 2, 0 if taker else SESSANTA)
        self.notes = _TAKES[deal.players[taker]][self.points[taker]] + self.notes
        if ended:
            return self._to_reveal()
        a, b = self.held
        if a and b:
            self.at = taker
            self.due = deal.decides[taker]
            return self
        return self._after_exhausted(taker)

    def _counts_one(self, at: int) -> bool:
        """`_gain` of one point, which most of the time does nothing else."""
        lay = self.lay
        a, b = self.points
        if at:
            b = after = b + 1
        else:
            a = after = a + 1
        if after == BONUS_AT or after >= lay.limits[at] or lay.mute == at:
            return self._gain(at, 1, SESSANTA if at == ELDER else 0)
        self.points = (a, b)
        return False

    def _promise(self, led: int, floor: int) -> None:
        """PIC-36: what is left of the hand holds nothing of the led suit above `floor`. Once
        promised, less needs no promise, since a hand only shrinks."""
        at, floors = self.at, self.floors
        suit = led >> 3
        key = at * SUITS + suit
        if floors[key] <= floor:
            return
        hidden = self.held[at] & ~self.opened
        if not hidden:
            return
        self.floors = floors[:key] + _FLOORS[floor] + floors[key + 1 :]
        seat, move = self.deal.players[at], self.moves - 1  # the move that is being counted
        vow = Vow(seat, "PIC-36", hidden, move, self.lay.reseals, _VOW_SUIT, None, suit, floor)
        self.vows += (vow,)

    # ------------------------------------------------------------------ the end of the tricks

    def _after_exhausted(self, taker: int) -> Self:
        """A hand is used up: both, unless one was irregular (PIC-15)."""
        a, b = self.held
        left = ELDER if a else 1
        if (a or b) and self.lay.sizes[left] == DEALT:
            self.at = left  # the other had eleven cards: the last one of this hand is a trick
            self.due = self.deal.decides[left]
            return self
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
            self.notes = _TAKES[self.deal.players[at]][self.points[at]] + self.notes
            if ended:
                return self._to_reveal()
        return self._to_cards(at)

    def tricks(self, at: int) -> int:
        """How many tricks player `at` has; a lone last card is one, too."""
        return (self.won[at].bit_count() + 1) // 2

    def _to_cards(self, last: int) -> Self:
        """PIC-32, PIC-33, in this order (PIC-40): the last trick's point, then the 10 or 40."""
        tricks = (self.tricks(ELDER), self.tricks(1 - ELDER))
        cappotto = tricks[last] == DEALT
        if self.deal.options.trick_scoring == "battuta_presa" and not cappotto:
            ended = self._gain(last, 1, SESSANTA if last == ELDER else 0)
            self.notes += (note("last-trick", self.deal.players[last], (self.points[last],)),)
            if ended:
                return self._to_reveal()
        for at, number in enumerate(tricks):
            if number > _HALF:
                self._gain(at, CAPPOTTO_POINTS if cappotto else CARDS_POINTS, 0)
                kind = "cappotto" if cappotto else "cards"
                self.notes += (note(kind, self.deal.players[at], (self.points[at],)),)
        return self._to_reveal()
