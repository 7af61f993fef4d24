"""A position of Mambassa and the way forward from it (MAM-03..MAM-14, MAM-32, GEN-01, GEN-02).

Law: this file knows the order of a hand: what is due, what it opens, when it ends. It must never
know how cards are dealt, nor judge hands and tokens by itself (mambassa_hands, mambassa_settle);
nothing in it looks at a card that its state doesn't show.

    phase       turn()                                   next
    ----------  ---------------------------------------  ----------------------------------------
    DRAW        Cards(Draw)                              SHUFFLE: the highest card deals (MAM-03)
    SHUFFLE     Cards(Shuffle)                           LOOK
    LOOK        Cards(Show hands, Show monte to dealer)  CHOOSE
    CHOOSE      Decide(dealer)                           TURNUP
    TURNUP      Cards(Open ..., Show ...)                STATEMENTS
    STATEMENTS  Ask(all): declare or none                PLAY, SHOW if somebody declared
    PLAY        Decide(seat)                             OPENING, RESEAL, the next turn, SHOW
    OPENING     Cards(Open what was given)               STATEMENT
    STATEMENT   Decide(seat): declare or none            RESEAL, the next turn, SHOW
    RESEAL      Cards(Reseal the hand)                   BOTTOM
    BOTTOM      Decide(seat): which card to discard      DRAWING
    DRAWING     Cards(Show the kept, Show the top)       STATEMENT
    SHOW        Cards(Open all hands)                    REVEAL
    REVEAL      Cards(Reveal)                            SHUFFLE, OVER
    OVER        Over

A turn with both steps is thus PLAY, OPENING, STATEMENT, RESEAL, BOTTOM, DRAWING, STATEMENT. A
phase whose requests are empty is passed over, and an open state passes over LOOK, TURNUP, OPENING,
RESEAL, DRAWING, SHOW and REVEAL by itself; its reseals leave the cards where they are. `Leave`
leads to SHUFFLE or OVER (before the first dealer is known, back to DRAW); from SHOW on see
mambassa_ending.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from engine.cards import UNKNOWN
from engine.contract import (
    Answers,
    Ask,
    Cards,
    Drawn,
    Input,
    Move,
    Note,
    Open,
    Reseal,
    Resealed,
    Revealed,
    Seen,
    Show,
    Shuffled,
    mask_of,
)
from engine.errors import IllegalMove
from engine.games import mambassa_settle
from engine.games.mambassa_ending import Ending
from engine.games.mambassa_hands import HAND, MAX_SEATS, MambassaOptions, deck_for
from engine.games.mambassa_moves import (
    Bottom,
    Camicia,
    Declare,
    Discard,
    Exchange,
    Knock,
    Nothing,
    Stay,
)
from engine.games.mambassa_position import Deal, Phase, Statement
from engine.games.monte import Hand, looked_at, packets
from engine.games.phases import Handlers, check_answers, handlers, opened_by, refusal
from engine.position import note, open_slots

# An enum's member is looked up anew whenever it is named, which takes as long as a call.
_PLAY, _STATEMENT, _BOTTOM = Phase.PLAY, Phase.STATEMENT, Phase.BOTTOM
_SILENT: Final = tuple((Note("silent", seat),) for seat in range(MAX_SEATS))
_DISCARDS: Final = tuple((Note("discards", seat),) for seat in range(MAX_SEATS))
_claim: Final[Callable[..., Statement]] = tuple.__new__  # the half of what Statement(...) takes
_DRAW_ORDER: Final = (9, 0, 1, 2, 3, 4, 5, 6, 7, 8)
"""MAM-03, by rank as it is printed: the ace is high."""


class MambassaState(Ending):
    """A position that `apply` leads on from; `Position` has the fields."""

    __slots__ = ()

    def apply(self, given: Input) -> MambassaState:
        handler = _TABLE[self.phase].get(type(given))
        if handler is None:
            raise refusal(given, self.phase, self.due, _misplaced)
        return handler(self, given)

    def played_openly(self, faces: bytes) -> MambassaState:
        """This position as an open one, for roll-outs, where `faces` is the whole deck as it lies
        now; it must agree with what is known here (ValueError), and what is due is answered at
        once."""
        new = self._openly(faces)
        if new.phase is Phase.REVEAL:
            return new._finish((), new.deal.outcome)
        if new.phase is Phase.RESEAL:
            return new._after_reseal()
        return new.apply(opened_by(new.due, faces)) if Seen in _TABLE[new.phase] else new

    # A method below that begins with `_to_` or `_after_` changes the fresh copy it belongs to.

    def _drawn(self, given: Drawn) -> MambassaState:
        """MAM-03: seat i has the i-th card."""
        self.deck.check(given.faces)
        new = self._copy()
        strength = self.match.judge.suit_strength
        kind = self.deck.kind
        cards = [
            (_DRAW_ORDER[kind.rank(face)], strength[kind.suit(face)], seat)
            for seat, face in zip(self.players, given.faces, strict=False)
        ]
        dealer = max(cards)[2]
        new.notes = (note("dealer-drawn", dealer),)
        return new._to_shuffle(dealer)

    def _shuffled(self, given: Shuffled) -> MambassaState:
        """CARD-06, MAM-04, MAM-05: packets of four, then the monte; the rest is the stock."""
        new = self._dealt(given, HAND)
        new.stock = packets(len(new.held), HAND, new.deal.match.deck.size)[2]
        new.phase = Phase.LOOK
        if new.deal.auto:
            return new._after_look()
        new.due = new._looks()
        return new

    def _looked(self, given: Seen) -> MambassaState:
        return self._see(given)._after_look()

    def _after_look(self) -> MambassaState:
        """MAM-04: the dealer saw the next four cards, and nobody the dealer's hand."""
        deal = self.deal
        self.shown = looked_at(len(deal.match.tokens), deal.players, HAND)
        self.phase = Phase.CHOOSE
        self.due = deal.decides[-1]
        return self

    def _stay(self, _: Stay) -> MambassaState:
        new = self._copy()
        new.notes = (note("stays", self.dealer),)
        return new._to_turnup(Open(self.monte), Show(self.held[-1], self.dealer))

    def _swap(self, _: Camicia) -> MambassaState:
        """MAM-04, PET-13: the dealer keeps the four cards, and the blind hand becomes the monte."""
        new = self._swapped()
        return new._to_turnup(Open(new.monte))

    def _to_turnup(self, *requests: Open | Show) -> MambassaState:
        self.made = 1
        self.phase = Phase.TURNUP
        self.due = Cards(requests)
        return self._after_turnup() if self.deal.auto else self

    def _turned_up(self, given: Seen) -> MambassaState:
        return self._see(given)._after_turnup()

    def _after_turnup(self) -> MambassaState:
        self.opened |= mask_of(open_slots(self.due))
        if self.left < 0:
            self.shown = _with(self.shown, self.dealer, mask_of(self.held[-1]))
        self.phase = Phase.STATEMENTS
        self.due = _ask(self.deal.players)
        return self

    # ------------------------------------------------------------------ statements

    def _answered(self, given: Answers) -> MambassaState:
        """MAM-32: each states what the own hand is."""
        check_answers(given, self.due)
        said = dict(given.moves)
        new = self._copy()
        for seat, hand in zip(self.players, self.held, strict=True):
            new._state(seat, hand, said[seat])
        new.made += 1
        if new.declared:
            return new._to_show()
        new.phase = _PLAY
        new.due = self.deal.decides[0]
        return new

    def _declares(self, move: Declare) -> MambassaState:
        """MAM-31: the deal ends at once."""
        at = self.at
        new = self._copy()
        new._state(self.deal.players[at], self.held[at], move)
        new.made += 1
        return new._to_show()

    def _silent(self, _: Nothing) -> MambassaState:
        """What `_state` does for who has nothing to declare, then the next player's turn or this
        one's discard. Half of all moves are this one, so that nothing is copied that changes."""
        at, deal = self.at, self.deal
        seat, hand = deal.players[at], self.held[at]
        a, b, c, d = hand
        mask = 1 << a | 1 << b | 1 << c | 1 << d
        declared = (deal.known or self._where_special())[0]
        if mask in declared:
            raise _wrong_statement(False)
        new = MambassaState()
        new.deal = deal
        new.opened = opened = self.opened
        new.shown = self.shown
        new.said = said = self.said
        if mask & ~opened:
            claim = _claim(Statement, (seat, hand, self.made, False, self.reseals))
            new.said = (*said, claim)
        new.notes = _SILENT[seat]
        new.held = self.held
        new.monte = self.monte
        new.stock = self.stock
        new.left = left = self.left
        new.turns = turns = self.turns
        new.made = self.made + 1
        new.discard = discard = self.discard
        new.reseals = self.reseals
        new.declared = ()
        if discard:
            new.at = at
            return new._to_reseal()
        if not left or (left < 0 and turns == deal.most):  # what _after_turn does, written out
            new.at = at
            return new._to_show()
        new.at, new.due = deal.after[at]
        new.phase = _PLAY
        return new

    def _state(self, seat: int, hand: Hand, move: Move) -> None:
        """Note down a statement; while the cards can't be seen it is a promise."""
        declares = type(move) is Declare
        if not declares and type(move) is not Nothing:
            raise IllegalMove("MAM-32", "the answer is declare or none")
        a, b, c, d = hand
        mask = 1 << a | 1 << b | 1 << c | 1 << d
        declared, hidden = self.deal.known or self._where_special()
        if not mask & hidden and (mask in declared) is not declares:
            raise _wrong_statement(declares)
        if mask & ~self.opened:
            self.said += (Statement(seat, hand, self.made, declares, self.reseals),)
        if declares:
            self.declared = (*self.declared, seat)
            self.notes += (note("declares", seat),)
        else:
            self.notes += _SILENT[seat]

    # ------------------------------------------------------------------ turns

    def _exchange(self, move: Exchange) -> MambassaState:
        """MAM-10; the third of all moves, so that nothing is copied that changes."""
        at, left = self.at, self.left
        order, hands = move.order, [*self.held]
        w, x, y, z, a, b, c, d = order(hands[at] + self.monte)
        hands[at] = (w, x, y, z)
        new = MambassaState()
        new.deal = self.deal
        new.shown = self.shown
        new.said = self.said
        new.notes = ()
        new.held = (*hands,)
        new.monte = (a, b, c, d)
        new.stock = self.stock
        new.at = at
        new.left = left - 1 if left > 0 else left
        new.turns = self.turns + 1
        new.made = self.made + 1
        new.discard = move.discard
        new.reseals = self.reseals
        new.declared = ()
        return new._to_opening(1 << a | 1 << b | 1 << c | 1 << d, self.opened)

    def _camicia(self, _: Camicia) -> MambassaState:
        """MAM-11: an exchange of all four."""
        at = self.at
        new = self._copy()
        hands = [*self.held]
        new.monte = a, b, c, d = hands[at]
        hands[at] = self.monte
        new.held = (*hands,)
        new.turns += 1
        new.made += 1
        new._count_knock()
        new.notes = (note("swaps", self.deal.players[at]), *new.notes)
        return new._to_opening(1 << a | 1 << b | 1 << c | 1 << d, self.opened)

    def _to_opening(self, mask: int, opened: int) -> MambassaState:
        """MAM-10: what was given, `mask`, lies open in the monte, what was taken lay open there."""
        if not self.deal.auto and mask & ~opened:
            self.opened = opened
            self.phase = Phase.OPENING
            self.due = Cards((Open(tuple([s for s in self.monte if not opened >> s & 1])),))
            return self
        self.opened = opened | mask
        self.phase = _STATEMENT
        self.due = self.deal.decides[self.at]
        return self

    def _given(self, given: Seen) -> MambassaState:
        return self._see(given)._to_statement()

    def _to_statement(self) -> MambassaState:
        self.phase = _STATEMENT
        self.due = self.deal.decides[self.at]
        return self

    def _knock(self, _: Knock) -> MambassaState:
        """MAM-11."""
        new = self._copy()
        new.turns += 1
        new.made += 1
        new._count_knock()
        new.notes = (note("knocks", self.players[self.at]), *new.notes)
        return new._after_turn()

    def _only_discard(self, _: Discard) -> MambassaState:
        """MAM-10: no exchange, and it is no bussata either."""
        new = self._copy()
        new.turns += 1
        new.made += 1
        if new.left > 0:
            new.left -= 1
        return new._to_reseal()

    def _to_reseal(self) -> MambassaState:
        """MAM-14."""
        if self.deal.auto:
            return self._after_reseal()
        seat = self.players[self.at]
        self.discard = True
        self.phase = Phase.RESEAL
        self.due = Cards((Reseal(self.held[self.at], seat),))
        return self

    def _resealed(self, _: Resealed) -> MambassaState:
        return self._copy()._after_reseal()

    def _after_reseal(self) -> MambassaState:
        """Nobody but the owner knows any more what lies where: not even what lay open before."""
        deal = self.deal
        hand, seat = self.held[self.at], deal.players[self.at]
        a, b, c, d = hand
        mask = 1 << a | 1 << b | 1 << c | 1 << d
        if not deal.auto:
            faces = bytearray(deal.faces)
            for slot in hand:
                faces[slot] = UNKNOWN
            self.deal = deal.but(faces=bytes(faces))
        self.opened &= ~mask
        shown = [*map((~mask).__and__, self.shown)]
        shown[seat] |= mask
        self.shown = (*shown,)
        self.reseals += 1
        self.discard = False
        self.phase = _BOTTOM
        self.due = deal.decides[self.at]
        return self

    def _bottom(self, move: Bottom) -> MambassaState:
        """MAM-12: the discard goes to the bottom, then the top is drawn in its place."""
        at, deal, place = self.at, self.deal, move.place
        seat, hands = deal.players[at], [*self.held]
        hand = [*hands[at]]
        top, *stock = (*self.stock, hand[place])
        hand[place] = top
        hands[at] = (*hand,)
        new = MambassaState()  # as in `_silent`
        new.deal = deal
        new.opened = self.opened
        new.shown = self.shown
        new.said = self.said
        new.notes = _DISCARDS[seat]
        new.held = (*hands,)
        new.monte = self.monte
        new.stock = (*stock,)
        new.at = at
        new.left = self.left
        new.turns = self.turns
        new.made = self.made + 1
        new.discard = False
        new.reseals = self.reseals
        new.declared = ()
        if deal.auto:
            return new._after_drawing()
        kept = (*hand[:place], *hand[place + 1 :])
        new.phase = Phase.DRAWING
        new.due = Cards((Show(kept, seat), Show((top,), seat)))
        return new

    def _drew(self, given: Seen) -> MambassaState:
        return self._see(given)._after_drawing()

    def _after_drawing(self) -> MambassaState:
        a, b, c, d = self.held[self.at]
        deal, at = self.deal, self.at
        shown = [*self.shown]
        shown[deal.players[at]] |= 1 << a | 1 << b | 1 << c | 1 << d
        self.shown = (*shown,)
        self.phase = _STATEMENT
        self.due = deal.decides[at]
        return self


def _with(shown: tuple[int, ...], seat: int, mask: int) -> tuple[int, ...]:
    """`shown` after `seat` saw the slots of `mask`."""
    return (*shown[:seat], shown[seat] | mask, *shown[seat + 1 :])


@lru_cache(maxsize=256)
def _ask(players: tuple[int, ...]) -> Ask:
    return Ask(tuple(sorted(players)))


def _wrong_statement(declares: bool) -> IllegalMove:
    if declares:
        return IllegalMove("MAM-32", "only a mambassa or a quarantuna is declared")
    return IllegalMove("MAM-32", "whoever holds a mambassa or a quarantuna declares it")


def _misplaced(phase: Phase) -> IllegalMove:
    """A move of another phase than the one where a player is to decide."""
    if phase is Phase.CHOOSE:
        return IllegalMove("MAM-04", "the dealer chooses between stay and camicia now")
    if phase is Phase.STATEMENT:
        return IllegalMove("MAM-32", "declare or none is to be stated now")
    if phase is Phase.BOTTOM:
        return IllegalMove("MAM-12", "a card is to be put under the stock now, as in bottom 7s")
    return IllegalMove("MAM-10", "a turn is an exchange, a discard, both, or a knock")


_S = MambassaState
_TABLE: Final[Handlers[MambassaState]] = handlers(
    _S._leave,
    {Drawn: _S._drawn},
    {Shuffled: _S._shuffled},
    {Seen: _S._looked},
    {Stay: _S._stay, Camicia: _S._swap},
    {Seen: _S._turned_up},
    {Answers: _S._answered},
    {
        Exchange: _S._exchange,
        Camicia: _S._camicia,
        Knock: _S._knock,
        Discard: _S._only_discard,
    },
    {Seen: _S._given},
    {Declare: _S._declares, Nothing: _S._silent},
    {Resealed: _S._resealed},
    {Bottom: _S._bottom},
    {Seen: _S._drew},
    {Seen: _S._showed},
    {Revealed: _S._revealed},
)
"""Indexed by Phase: which inputs are due and what they do."""


def begin(options: MambassaOptions, seats: int) -> MambassaState:
    """The first position of a match; OptionError if the deck can't serve it (MAM-01)."""
    deck = deck_for(options, seats)
    return MambassaState()._begin(Deal(mambassa_settle.new_match(options, seats, deck)))
