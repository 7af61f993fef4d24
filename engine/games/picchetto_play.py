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
from engine.games.picchetto_position import DEALT, Act, Aim, Phase, Vow, VowKind
from engine.position import new_blank, new_tuple, note

SESSANTA: Final = 30
"""What is added when the 30 is reached in the play (PIC-34)."""
CARDS_POINTS: Final = 10
CAPPOTTO_POINTS: Final = 40
_HALF: Final = 6
_BATTUTA: Final = "battuta_presa"
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
        """What `apply` doesn't find in `may`: a card that is illegal, or that other nodes don't
        know."""
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

    # Most of the time is spent in the next two methods. So each makes its position at once, every
    # field new or copied, and leaves to others what comes but once or twice in a hand.

    def _lead(self, slot: int) -> Self:
        """PIC-31: the lead's point, lost or not by what follows; then what may follow (PIC-30)."""
        at, deal, lay, points = self.at, self.deal, self.lay, self.points
        bit = 1 << slot
        new = new_blank(type(self))
        new.deal = deal
        new.lay = lay
        new.phase = _PHASE_PLAY
        new.wait = new.talk = None
        new.opened = self.opened | bit
        new.moves = self.moves + 1
        new.vows = self.vows
        new.floors = self.floors
        new.won = self.won
        new.led = slot
        a, b = self.held
        if at:
            other, hand = 0, a
            new.held = (a, b ^ bit)
        else:
            other, hand = 1, b
            new.held = (a ^ bit, b)
        options = deal.options
        total = points[at] + 1
        if (
            total == BONUS_AT
            or total >= lay.limits[at]
            or not hand
            or lay.mute == at
            or options.trick_scoring != _BATTUTA
        ):
            new.at, new.points, new.notes, new.may = at, points, (), 0
            return new._after_lead(slot)
        new.points = (points[0], total) if at else (total, points[1])
        new.notes = _LEADS[deal.players[at]][total]
        new.at = other
        new.due = deal.decides[other]
        new.may = new._following(hand) if deal.auto else 0
        return new

    def _after_lead(self, slot: int) -> Self:
        """A lead that may end the deal, make a Sessanta, or be the last card."""
        at, deal = self.at, self.deal
        if deal.options.trick_scoring == _BATTUTA:
            ended = self._gain(at, 1, 0 if at else SESSANTA)
            self.notes = _LEADS[deal.players[at]][self.points[at]] + self.notes
            if ended:
                return self._to_reveal()
        if not self.held[1 - at]:
            return self._after_lone(slot)
        self.at = other = 1 - at
        self.due = deal.decides[other]
        if deal.auto:
            self.may = self._following(self.held[other])
        return self

    def _follow(self, slot: int) -> Self:
        """PIC-31: who wins the trick leads to the next."""
        at, deal, lay, points, led_slot = self.at, self.deal, self.lay, self.points, self.led
        bit = 1 << slot
        new = new_blank(type(self))
        new.deal = deal
        new.lay = lay
        new.phase = _PHASE_PLAY
        new.wait = new.talk = None
        new.opened = self.opened | bit
        new.moves = self.moves + 1
        new.vows = self.vows
        new.floors = self.floors
        new.led = -1
        a, b = self.held
        if at:
            b ^= bit
        else:
            a ^= bit
        new.held = (a, b)
        codes, options = deal.known.codes, deal.options
        led, code = codes[led_slot], codes[slot]
        taker = 1 - at
        if code >> 3 != led >> 3:
            new._promise(at, led >> 3, -1)
        elif code > led:
            taker = at
        elif options.must_win:
            new._promise(at, led >> 3, led & 7)
        bit |= 1 << led_slot
        c, d = self.won
        new.won = (c, d | bit) if taker else (c | bit, d)
        total = points[taker]
        if taker == at:
            total += 1
        if (
            total == BONUS_AT
            or total >= lay.limits[taker]
            or not (a and b)
            or lay.mute == taker
            or options.trick_scoring != _BATTUTA
        ):
            new.at, new.points, new.notes, new.may = at, points, (), 0
            return new._after_trick(taker)
        if taker == at:
            points = (points[0], total) if at else (total, points[1])
        new.points = points
        new.notes = _TAKES[deal.players[taker]][total]
        new.at = taker
        new.due = deal.decides[taker]
        new.may = (b if taker else a) if deal.auto else 0
        return new

    def _after_trick(self, taker: int) -> Self:
        """A trick that may end the deal, make a Sessanta, or be the last one of a hand."""
        battuta = self.deal.options.trick_scoring == _BATTUTA
        ended = False
        if not battuta:
            ended = self._gain(taker, 2, 0 if taker else SESSANTA)
        elif taker == self.at:
            ended = self._gain(taker, 1, 0 if taker else SESSANTA)
        self.notes = _TAKES[self.deal.players[taker]][self.points[taker]] + self.notes
        if ended:
            return self._to_reveal()
        a, b = self.held
        return self._to_play(taker) if a and b else self._after_exhausted(taker)

    def _promise(self, at: int, suit: int, floor: int) -> None:
        """PIC-36: what is left of the hand holds nothing of `suit` above `floor`. Once promised,
        less needs no promise, since a hand only shrinks."""
        key, floors = at * SUITS + suit, self.floors
        if floors[key] <= floor:
            return
        hidden = self.held[at] & ~self.opened
        if not hidden:
            return
        self.floors = floors[:key] + _FLOORS[floor] + floors[key + 1 :]
        move = self.moves - 1  # the move that is being counted
        seat, reseals = self.deal.players[at], self.lay.reseals
        vow = new_tuple(Vow, (seat, "PIC-36", hidden, move, reseals, _VOW_SUIT, None, suit, floor))
        self.vows += (vow,)

    # ------------------------------------------------------------------ the end of the tricks

    def _after_exhausted(self, taker: int) -> Self:
        """A hand is used up: both, unless one was irregular (PIC-15)."""
        a, b = self.held
        left = ELDER if a else 1
        if (a or b) and self.lay.sizes[left] == DEALT:
            return self._to_play(left)  # the other had eleven cards: this last one is a trick
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
        if self.deal.options.trick_scoring == _BATTUTA and not cappotto:
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
