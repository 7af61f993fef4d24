"""A position of Petrangola and the way forward from it (PET-04..PET-27, GEN-01, GEN-02).

Law: this file knows the order of a hand: what is due, what it opens, when it ends. It must never
know how cards are dealt, nor judge hands and tokens by itself (petrangola_hands,
petrangola_settle); nothing in it looks at a card that its state doesn't show. What follows a hand's
last turn is petrangola_ending's.

    phase    turn()                                   next
    -------  ---------------------------------------  -------------------------------------------
    DRAW     Cards(Draw)                              CUT: the ace of denari deals (PET-04)
    CUT      Decide(dealer's left)                    SHUFFLE
    SHUFFLE  Cards(Shuffle)                           LOOK
    LOOK     Cards(Show hands, Show monte to dealer)  CHOOSE
    CHOOSE   Decide(dealer)                           TURNUP
    TURNUP   Cards(Open ..., Show ...)                PLAY
    PLAY     Decide(seat)                             PLAY, OPENING, PROVE, SHOW
    OPENING  Cards(Open what was given)               PLAY, SHOW
    PROVE    Cards(Open the hand of a knock-show)     PLAY, SHOW
    SHOW     Cards(Open all hands)                    REVEAL
    REVEAL   Cards(Reveal)                            CUT, ASK, OVER
    ASK      Ask(the dead)                            CUT, OVER
    OVER     Over

A phase whose requests are empty is passed over, and an open state passes over LOOK, TURNUP,
OPENING, PROVE, SHOW and REVEAL by itself. `Leave` leads to CUT, ASK or OVER (before the first
dealer is known, back to DRAW); after the showdown it doesn't undo what the hands showed.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from engine.cards import ITALIAN, Deck
from engine.contract import (
    Answers,
    Cards,
    Drawn,
    Input,
    Open,
    Revealed,
    Seen,
    Show,
    Shuffle,
    Shuffled,
    mask_of,
)
from engine.errors import IllegalMove
from engine.games import petrangola_settle
from engine.games.monte import Hand
from engine.games.petrangola_ending import Ending
from engine.games.petrangola_hands import HAND, MAX_DECKS, PetrangolaOptions, deck_for
from engine.games.petrangola_moves import (
    Camicia,
    Cut,
    Exchange,
    Knock,
    KnockShow,
    Stay,
)
from engine.games.petrangola_position import Deal, Phase
from engine.games.phases import Handlers, handlers, opened_by, refusal
from engine.position import note

# Members that are needed in each hand are looked up once; see petrangola_position.
_PLAY, _SHUFFLE, _CHOOSE = Phase.PLAY, Phase.SHUFFLE, Phase.CHOOSE
_ACE_OF_DENARI: Final = ITALIAN.parse("Ad")
_BIT: Final = tuple(1 << slot for slot in range(MAX_DECKS * ITALIAN.size))


_mask = lru_cache(maxsize=1024)(mask_of)  # as packets are dealt, the same come again


@lru_cache(maxsize=4 * ITALIAN.size)
def _shuffle(copies: int, cut: int) -> Cards:
    return Cards((Shuffle(Deck(ITALIAN, copies), cut),))


class PetrangolaState(Ending):
    """A position that `apply` leads on from; `Position` has the fields."""

    __slots__ = ()

    def apply(self, given: Input) -> PetrangolaState:
        """See `State.apply`. An exchange (PET-21) is carried out right here, since most turns are
        one and a match spends its time on them: what was given lies open in the monte, what was
        taken lay open there."""
        if self.phase is not _PLAY or type(given) is not Exchange:
            handler = _TABLE[self.phase].get(type(given))
            if handler is None:
                raise refusal(given, self.phase, self.due, _misplaced)
            return handler(self, given)
        at, deal = self.at, self.deal
        order, left = given.order, self.left
        hands = [*self.held]
        x, y, z, a, b, c = order(hands[at] + self.monte)
        hands[at] = (x, y, z)
        new = PetrangolaState()
        new.deal = deal
        new.held = (*hands,)
        new.monte = (a, b, c)
        new.knocks = self.knocks
        new.said = self.said
        new.notes = ()
        new.turns = turns = self.turns + 1
        seen = self.opened
        new.opened = known = seen | _BIT[a] | _BIT[b] | _BIT[c]
        if not deal.auto and known != seen:
            new.at = at
            new.left = left - 1 if left > 0 else left
            new.opened = seen
            return new._to_open(new.monte, Phase.OPENING)
        if left < 0:  # what _after_turn does, written out
            new.left = left
            over = turns == deal.most
        else:
            new.left = left = left - 1
            over = not left
        if over:
            new.at = at
            return new._to_show()
        new.at, new.due = deal.after[at]
        new.phase = _PLAY
        return new

    def played_openly(self, faces: bytes) -> PetrangolaState:
        """This position as an open one with the deck `faces`, for roll-outs; it must agree with
        what is known here (ValueError), and what is due is answered at once."""
        new = self._openly(faces)
        if new.phase is Phase.REVEAL:
            return new._finish(new.deal.outcome, (), False)
        return new.apply(opened_by(new.due, faces)) if Seen in _TABLE[new.phase] else new

    # A method below that begins with `_to_` or `_after_` changes the fresh copy it belongs to.

    def _drawn(self, given: Drawn) -> PetrangolaState:
        """PET-04."""
        self.deck.check(given.faces)
        new = self._copy()
        at = given.faces.index(_ACE_OF_DENARI)
        dealer = self.players[at % len(self.players)]
        new.notes = (note("dealer-drawn", dealer, (at + 1,)),)
        return new._to_cut(dealer)

    def _cut(self, move: Cut) -> PetrangolaState:
        old = self.deal
        if move.at >= old.match.deck.size:
            raise IllegalMove(
                "PET-06", "the cut must be from 1 to {most}", most=old.match.deck.size - 1
            )
        new = self._copy()
        if old.breaches:
            new.deal = old.but(breaches=())
        new.phase = _SHUFFLE
        new.due = _shuffle(old.match.deck.copies, move.at)
        new.notes = (note("cut", old.players[-2], (move.at,)),)
        return new

    def _shuffled(self, given: Shuffled) -> PetrangolaState:
        """CARD-06: packets of three, then the monte; the rest is the stock."""
        new = self._dealt(given, HAND)
        if new.deal.auto:
            return new._after_look()
        new.phase = Phase.LOOK
        new.due = new._looks()
        return new

    def _looked(self, given: Seen) -> PetrangolaState:
        return self._see(given)._after_look()

    def _after_look(self) -> PetrangolaState:
        """PET-11: the dealer saw the monte, and nobody the dealer's hand (PET-12)."""
        self.phase = _CHOOSE
        self.due = self.deal.decides[-1]
        return self

    def _stay(self, _: Stay) -> PetrangolaState:
        new = self._copy()
        new.notes = (note("stays", self.dealer),)
        return new._to_turnup(self.monte)

    def _swap(self, _: Camicia) -> PetrangolaState:
        """PET-11, PET-13: the dealer keeps the monte, and the blind hand becomes the monte."""
        new = self._swapped()
        new.knocks = 1
        if not self.deal.match.options.open_after_dealer_swap:
            return new._to_turnup(new.monte)
        return new._to_turnup(new.monte, tuple(range(HAND * (len(new.held) - 1))))  # as dealt

    def _to_turnup(self, *opened: tuple[int, ...]) -> PetrangolaState:
        """PET-11, PET-14: piles that everybody sees, and the dealer the hand that stays."""
        if self.deal.auto:
            for slots in opened:
                self.opened |= _mask(slots)
            return self._after_turnup()
        opens = [Open(slots) for slots in opened]
        shows = [Show(self.held[-1], self.dealer)] if self.left < 0 else []
        self.phase = Phase.TURNUP
        self.due = Cards((*opens, *shows))
        return self

    def _turned_up(self, given: Seen) -> PetrangolaState:
        return self._see(given)._after_turnup()

    def _after_turnup(self) -> PetrangolaState:
        self.phase = _PLAY
        self.due = self.deal.decides[0]
        return self

    # ------------------------------------------------------------------ turns

    def _camicia(self, _: Camicia) -> PetrangolaState:
        """PET-22: an exchange of all three."""
        at = self.at
        new = self._copy()
        hands = list(self.held)
        given = hands[at]
        hands[at] = self.monte
        new.held = tuple(hands)
        new.monte = given
        new.turns += 1
        new._count_knock()
        new.notes = (note("swaps", self.deal.players[at]), *new.notes)
        known = new.opened | _mask(given)
        if self.deal.auto:
            new.opened = known
        elif known != new.opened:
            return new._to_open(given, Phase.OPENING)
        return new._after_turn()

    def _knock(self, move: Knock | KnockShow) -> PetrangolaState:
        """PET-22 to PET-24."""
        at, deal = self.at, self.deal
        seat, hand = deal.players[at], self.held[at]
        showing = type(move) is KnockShow
        new = self._copy()
        new.turns += 1
        new.knocks |= 1 << new.turns
        if deal.match.options.show_petrangola_on_knock:
            if self._shape(hand) is (not showing):
                raise _wrong_form(showing)
            if not showing and any(not self.opened >> slot & 1 for slot in hand):
                new.said = (*self.said, (seat, hand, self.turns + 2))
        elif showing:
            raise IllegalMove("PET-24", "a knock shows nothing by the rules of this table")
        new._count_knock()
        new.notes = (note("knocks", seat), *new.notes)
        if not showing:
            return new._after_turn()
        new.notes = (note("shows", seat), *new.notes)
        known = new.opened | _mask(hand)
        if deal.auto:
            new.opened = known
        elif known != new.opened:
            return new._to_open(hand, Phase.PROVE)
        return new._after_turn()

    def _to_open(self, slots: Hand, phase: Phase) -> PetrangolaState:
        """Stop at `phase` until those of `slots` lie open that don't."""
        hidden = tuple([slot for slot in slots if not self.opened >> slot & 1])
        self.phase = phase
        self.due = Cards((Open(hidden),))
        return self

    def _given(self, given: Seen) -> PetrangolaState:
        return self._see(given)._after_turn()

    def _proved(self, given: Seen) -> PetrangolaState:
        new = self._see(given)
        if not new._shape(new.held[new.at]):
            raise _wrong_form(True)
        return new._after_turn()


def _wrong_form(showing: bool) -> IllegalMove:
    if showing:
        return IllegalMove("PET-24", "only a petrangola is shown with a knock")
    return IllegalMove("PET-24", "whoever knocks with a petrangola shows it")


def _misplaced(phase: Phase) -> IllegalMove:
    """A move of another phase than the one where a player is to decide."""
    if phase is Phase.CUT:
        return IllegalMove("PET-06", "the deck is to be cut now, as in cut 17")
    if phase is Phase.CHOOSE:
        return IllegalMove("PET-11", "the dealer chooses between stay and camicia now")
    return IllegalMove("PET-21", "a turn is an exchange of cards or a knock")


_S = PetrangolaState
_TABLE: Final[Handlers[PetrangolaState]] = handlers(
    _S._leave,
    {Drawn: _S._drawn},
    {Cut: _S._cut},
    {Shuffled: _S._shuffled},
    {Seen: _S._looked},
    {Stay: _S._stay, Camicia: _S._swap},
    {Seen: _S._turned_up},
    {
        Camicia: _S._camicia,
        Knock: _S._knock,
        KnockShow: _S._knock,
    },
    {Seen: _S._given},
    {Seen: _S._proved},
    {Seen: _S._showed},
    {Revealed: _S._revealed},
    {Answers: _S._answered},
)
"""Indexed by Phase: which inputs are due and what they do; `apply` itself knows an Exchange."""


def begin(options: PetrangolaOptions, seats: int) -> PetrangolaState:
    """The first position of a match; OptionError if the decks can't serve it (PET-01)."""
    return _first(options, seats, deck_for(options, seats))


@lru_cache(maxsize=64)
def _first(options: PetrangolaOptions, seats: int, deck: Deck) -> PetrangolaState:
    """Made once for all matches of a kind, since nobody changes a state."""
    return PetrangolaState()._begin(Deal(petrangola_settle.new_match(options, seats, deck)))
