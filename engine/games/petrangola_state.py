"""A position of Petrangola and the way forward from it (PET-04..PET-27, GEN-01, GEN-02).

Law: this file knows the order of a hand: what is due, what it opens, when it ends. It must never
know how cards are dealt, nor judge hands and tokens by itself (petrangola_hands,
petrangola_settle); nothing in it looks at a card that its state doesn't show.

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

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Final

from engine.cards import ITALIAN, UNKNOWN
from engine.contract import (
    Answers,
    Ask,
    Breach,
    Cards,
    Decide,
    Draw,
    Drawn,
    Input,
    Leave,
    Move,
    Open,
    Over,
    Promise,
    Reveal,
    Revealed,
    Seen,
    Show,
    Shuffled,
    mask_of,
)
from engine.errors import EngineError, IllegalMove, OutOfTurn
from engine.games import petrangola_settle
from engine.games.petrangola_deal import looked_at, packets, shuffle
from engine.games.petrangola_hands import MAX_DECKS, MAX_SEATS, PetrangolaOptions, deck_for
from engine.games.petrangola_moves import (
    Camicia,
    Cut,
    Decline,
    Exchange,
    Knock,
    KnockShow,
    Reenter,
    Stay,
)
from engine.games.petrangola_position import Deal, Hand, Phase, Position, text_of
from engine.games.petrangola_settle import Match, Outcome
from engine.position import new_blank, note, open_slots

_PLAY = Phase.PLAY
_DECIDE: Final = tuple(Decide(seat) for seat in range(MAX_SEATS))
_REVEAL: Final = Cards((Reveal(),))
_ACE_OF_DENARI: Final = ITALIAN.parse("Ad")
_BIT: Final = tuple(1 << slot for slot in range(MAX_DECKS * ITALIAN.size))


@lru_cache(maxsize=MAX_SEATS)
def _nothing(seats: int) -> tuple[int, ...]:
    return (0,) * seats


@lru_cache(maxsize=256)
def _ask(seats: tuple[int, ...]) -> Ask:
    return Ask(seats)


@lru_cache(maxsize=1024)
def _decides(players: tuple[int, ...]) -> tuple[Decide, ...]:
    return tuple([_DECIDE[seat] for seat in players])


class PetrangolaState(Position):
    """A position that `apply` leads on from; `Position` has the fields."""

    __slots__ = ()

    def apply(self, given: Input) -> PetrangolaState:
        phase = self.phase
        handler = (_TURNS if phase is _PLAY else _TABLE[phase]).get(type(given))
        if handler is not None:
            return handler(self, given)
        if isinstance(given, Move) and isinstance(self.due, Decide):
            raise _misplaced(phase)
        raise OutOfTurn(f"{type(given).__name__} isn't due in phase {phase.name}")

    def played_openly(self, faces: bytes) -> PetrangolaState:
        """This position as an open one with the deck `faces`, for roll-outs; it must agree with
        what is known here (ValueError), and what is due is answered at once."""
        faces = self._checked(faces)
        self._agree(faces)
        new = self._copy()
        new.deal = self.deal.but(faces=faces, auto=True)
        if new.phase is Phase.REVEAL:
            return new._finish(new.deal.outcome, (), False)
        if Seen not in _TABLE[new.phase]:
            return new
        return new.apply(Seen(tuple(faces[slot] for slot in open_slots(new.due))))

    # A method below that begins with `_to_` or `_after_` changes the fresh copy it belongs to.

    def _drawn(self, given: Drawn) -> PetrangolaState:
        """PET-04."""
        self.deck.check(given.faces)
        new = self._copy()
        at = given.faces.index(_ACE_OF_DENARI)
        dealer = self.players[at % len(self.players)]
        new.notes = (note("dealer-drawn", dealer, (at + 1,)),)
        return new._to_cut(dealer)

    def _to_cut(self, dealer: int) -> PetrangolaState:
        """The next hand, with `dealer` as the last of the living (PET-05)."""
        deal = self.deal
        living = deal.match.living()
        at = living.index(dealer) + 1
        return self._to_cut_for(living[at:] + living[:at], deal.match, deal.start, deal.outcome)

    def _to_cut_for(
        self, players: tuple[int, ...], match: Match, start: int, outcome: Outcome | None
    ) -> PetrangolaState:
        """The next hand of `players`, with nothing of the last one's cards left (PET-06)."""
        old = self.deal
        hand, dealer = old.hand + 1, players[-1]
        self.deal = Deal(
            *(old.options, old.seats, old.deck, match, players, _decides(players)),
            *(len(players) * old.options.max_rounds, hand, dealer, start),
            breaches=old.breaches,
            outcome=outcome,
        )
        self._clear()
        self.phase = Phase.CUT
        self.due = self.deal.decides[-2]
        self.notes += (note("deals", dealer, (hand,)),)
        return self

    def _clear(self) -> None:
        """No card of the last hand is left."""
        self.opened = 0
        self.shown = _nothing(self.deal.seats)
        self.promises = ()
        self.held = ()
        self.monte = ()
        self.when = ()
        self.at = self.turns = 0
        self.left = -1

    def _cut(self, move: Cut) -> PetrangolaState:
        old = self.deal
        if move.at >= old.deck.size:
            raise IllegalMove("PET-06", f"the cut must be from 1 to {old.deck.size - 1}")
        new = self._copy()
        if old.breaches or old.outcome:
            new.deal = Deal(
                *(old.options, old.seats, old.deck, old.match, old.players, old.decides),
                *(old.most, old.hand, old.dealer, old.start),
            )
        new.phase = Phase.SHUFFLE
        new.due = shuffle(old.deck.copies, move.at)
        new.notes = (note("cut", old.players[-2], (move.at,)),)
        return new

    def _shuffled(self, given: Shuffled) -> PetrangolaState:
        """CARD-06: packets of three, then the monte; the rest is the stock."""
        old = self.deal
        new = self._copy()
        n = len(old.players)
        new.held, new.monte, new.when = packets(n)
        if given.faces is None:
            faces = bytes((UNKNOWN,)) * old.deck.size
        else:
            faces = self._checked(given.faces)
        auto = given.faces is not None
        new.deal = Deal(
            *(old.options, old.seats, old.deck, old.match, old.players, old.decides),
            *(old.most, old.hand, old.dealer, old.start, faces, auto),
        )
        if auto:
            return new._after_look()
        new.phase = Phase.LOOK
        shows = [Show(new.held[i], old.players[i]) for i in range(n - 1)]
        new.due = Cards((*shows, Show(new.monte, old.dealer)))
        return new

    def _looked(self, given: Seen) -> PetrangolaState:
        return self._see(given)._after_look()

    def _after_look(self) -> PetrangolaState:
        """PET-11: the dealer saw the monte, and nobody the dealer's hand (PET-12)."""
        deal = self.deal
        self.shown = looked_at(deal.seats, deal.players)
        self.phase = Phase.CHOOSE
        self.due = deal.decides[-1]
        return self

    def _stay(self, _: Stay) -> PetrangolaState:
        new = self._copy()
        new.notes = (note("stays", self.dealer),)
        return new._to_turnup(self.monte)

    def _swap(self, _: Camicia) -> PetrangolaState:
        """PET-11, PET-13: the dealer keeps the monte, and the blind hand becomes the monte."""
        new = self._copy()
        players = self.deal.players
        n = len(players)
        new.monte = self.held[-1]
        new.held = (*self.held[:-1], self.monte)
        new.when = (*self.when[:-1], n)
        new.left = n - 1
        new.notes = (note("swaps", players[-1]), note("dies-with", players[-2]))
        if not self.deal.options.open_after_dealer_swap:
            return new._to_turnup(new.monte)
        return new._to_turnup(new.monte, tuple([s for hand in self.held[:-1] for s in hand]))

    def _to_turnup(self, *opened: tuple[int, ...]) -> PetrangolaState:
        """PET-11, PET-14: piles that everybody sees, and the dealer the hand that stays."""
        if self.deal.auto:
            for slots in opened:
                self.opened |= mask_of(slots)
            return self._after_turnup()
        opens = [Open(slots) for slots in opened]
        shows = [Show(self.held[-1], self.dealer)] if self.left < 0 else []
        self.phase = Phase.TURNUP
        self.due = Cards((*opens, *shows))
        return self

    def _turned_up(self, given: Seen) -> PetrangolaState:
        return self._see(given)._after_turnup()

    def _after_turnup(self) -> PetrangolaState:
        if self.left < 0:
            shown = list(self.shown)
            shown[self.deal.players[-1]] |= mask_of(self.held[-1])
            self.shown = tuple(shown)
        self.phase = _PLAY
        self.due = self.deal.decides[0]
        return self

    # ------------------------------------------------------------------ turns

    def _exchange(self, move: Exchange) -> PetrangolaState:
        cards = self.held[self.at] + self.monte
        new = self._trade(move.hand(cards), move.monte(cards))
        if new.left > 0:
            new.left -= 1
        return new._bring_out(new.monte, Phase.OPENING)

    def _camicia(self, _: Camicia) -> PetrangolaState:
        at = self.at
        new = self._trade(self.monte, self.held[at])
        new._count_knock()
        new.notes = (note("swaps", self.deal.players[at]), *new.notes)
        return new._bring_out(new.monte, Phase.OPENING)

    def _trade(self, hand: Hand, monte: Hand) -> PetrangolaState:
        """PET-21: what was given lies open in the monte, what was taken lay open there. A match
        spends its time here, so nothing is copied that changes; `due` and `phase` follow."""
        held, when = list(self.held), list(self.when)
        new: PetrangolaState = new_blank(PetrangolaState)
        new.at = at = self.at
        new.turns = turns = self.turns + 1
        held[at] = hand
        when[at] = len(held) + turns
        new.held = tuple(held)
        new.monte = monte
        new.when = tuple(when)
        new.deal = self.deal
        new.left = self.left
        new.opened = self.opened
        new.shown = self.shown
        new.promises = self.promises
        new.notes = ()
        return new

    def _knock(self, move: Knock | KnockShow) -> PetrangolaState:
        """PET-22 to PET-24."""
        at, deal = self.at, self.deal
        seat, hand = deal.players[at], self.held[at]
        showing = type(move) is KnockShow
        new = self._copy()
        new.turns += 1
        if deal.options.show_petrangola_on_knock:
            if self._shape(hand) is (not showing):
                raise _wrong_form(showing)
            if not showing and any(not self.opened >> slot & 1 for slot in hand):
                new.promises = (*self.promises, Promise(seat, "PET-24", hand, self.turns + 2))
        elif showing:
            raise IllegalMove("PET-24", "a knock shows nothing by the rules of this table")
        new._count_knock()
        new.notes = (note("knocks", seat), *new.notes)
        if not showing:
            return new._after_move()
        new.notes = (note("shows", seat), *new.notes)
        return new._bring_out(hand, Phase.PROVE)

    def _count_knock(self) -> None:
        """PET-23: after the first bussata each other player has one more turn."""
        if self.left > 0:
            self.left -= 1
            return
        players = self.deal.players
        self.left = len(players) - 1
        self.notes = (note("dies-with", players[self.at - 1]),)

    def _bring_out(self, slots: Sequence[int], phase: Phase) -> PetrangolaState:
        """Open those of `slots` that aren't, in a live state by stopping at `phase`."""
        a, b, c = slots
        seen = self.opened
        known = seen | _BIT[a] | _BIT[b] | _BIT[c]
        if self.deal.auto:
            self.opened = known
        elif known != seen:
            hidden = tuple(slot for slot in slots if not self.opened >> slot & 1)
            self.phase = phase
            self.due = Cards((Open(hidden),))
            return self
        return self._after_move()

    def _given(self, given: Seen) -> PetrangolaState:
        return self._see(given)._after_move()

    def _proved(self, given: Seen) -> PetrangolaState:
        new = self._see(given)
        if not new._shape(new.held[new.at]):
            raise _wrong_form(True)
        return new._after_move()

    def _after_move(self) -> PetrangolaState:
        """The next player's turn (PET-20), or the end of the hand (PET-23, PET-26)."""
        deal, left = self.deal, self.left
        if not left or (left < 0 and self.turns == deal.most):
            return self._to_show()
        at = self.at + 1
        self.at = at = 0 if at == len(deal.decides) else at
        self.phase = _PLAY
        self.due = deal.decides[at]
        return self

    # ------------------------------------------------------------------ the end of a hand

    def _to_show(self) -> PetrangolaState:
        """PET-25."""
        if self.deal.auto:
            self.opened = (1 << len(self.deal.faces)) - 1
            return self._after_show()
        slots = [slot for hand in self.held for slot in hand]
        hidden = tuple(slot for slot in slots if not self.opened >> slot & 1)
        self.phase = Phase.SHOW
        if not hidden:
            return self._after_show()
        self.due = Cards((Open(hidden),))
        return self

    def _showed(self, given: Seen) -> PetrangolaState:
        return self._see(given)._after_show()

    def _after_show(self) -> PetrangolaState:
        """The promises are settled, since every hand is open, and the hands are compared."""
        deal = self.deal
        breaches = deal.breaches
        if self.promises:
            breaches = self._refuted()
            self.promises = ()
        values = deal.match.judge.values(deal.faces, self.held)
        outcome = petrangola_settle.settle(deal.match, deal.players, values, self.when)
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

    def _goes_on(self, outcome: Outcome) -> bool:
        """Whether the deal is over with nobody dead."""
        tokens = outcome.match.tokens
        alive = 0 not in tokens or 0 not in [tokens[seat] for seat in self.deal.players]
        return alive and not outcome.verdict

    def _after_deal(self, outcome: Outcome) -> PetrangolaState:
        """The usual end: the deal passes to the next in order."""
        deal = self.deal
        players = deal.players[1:] + deal.players[:1]
        return self._to_cut_for(players, outcome.match, deal.dealer + 1, outcome)

    def _refuted(self) -> tuple[Breach, ...]:
        return tuple(
            Breach(p, f"seat {p.seat} knocked without showing {text_of(self.faces, p.slots)}")
            for p in self.promises
            if self._shape(p.slots)
        )

    def _revealed(self, given: Revealed) -> PetrangolaState:
        faces = self._checked(given.faces)
        self._agree(faces)
        new = self._copy()
        new.deal = self.deal.but(faces=faces)
        new.opened = (1 << self.deck.size) - 1
        return new._finish(new.deal.outcome, (), False)

    def _finish(
        self, outcome: Outcome | None, leavers: tuple[int, ...], may_return: bool
    ) -> PetrangolaState:
        """GEN-01, then PET-47 from step 5; `leavers` left after the showdown."""
        deal = self.deal
        if outcome is None:
            raise EngineError("a hand ends after its showdown only")
        if not (deal.breaches or leavers) and self._goes_on(outcome):
            return self._after_deal(outcome)
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

    def _to_verdict(self, outcome: Outcome) -> PetrangolaState:
        """PET-45: nobody is left."""
        deal, verdict = self.deal, outcome.verdict
        self.deal = deal.but(match=outcome.match, start=deal.dealer + 1, outcome=outcome)
        alone = verdict == petrangola_settle.DEALER_WINS
        return self._to_over((deal.dealer,) if alone else tuple(sorted(deal.players)), verdict)

    def _after_deaths(
        self, outcome: Outcome | None, match: Match, start: int, dead: Iterable[int]
    ) -> PetrangolaState:
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

    def _answered(self, given: Answers) -> PetrangolaState:
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

    def _to_next(self, match: Match, start: int, outcome: Outcome | None) -> PetrangolaState:
        """PET-05."""
        living = match.living()
        at = living.index(match.first_living(start)) + 1
        return self._to_cut_for(living[at:] + living[:at], match, start, outcome)

    def _to_draw(self) -> PetrangolaState:
        self.deal = self.deal.but(players=self.deal.match.living())
        self.phase = Phase.DRAW
        self.due = Cards((Draw(self.deal.deck),))
        return self

    def _to_over(self, winners: tuple[int, ...], reason: str) -> PetrangolaState:
        result = petrangola_settle.result(self.match, winners, reason, self.dealer)
        self.phase = Phase.OVER
        self.due = Over(result)
        self.notes += tuple(note("wins", seat, (result.won[seat],)) for seat in winners)
        return self

    def _leave(self, given: Leave) -> PetrangolaState:
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
_TURNS: Final[dict[type, Callable[..., PetrangolaState]]] = {
    Exchange: _S._exchange,
    Camicia: _S._camicia,
    Knock: _S._knock,
    KnockShow: _S._knock,
    Leave: _S._leave,
}
_TABLE: Final[list[dict[type, Callable[..., PetrangolaState]]]] = [
    {Drawn: _S._drawn, Leave: _S._leave},
    {Cut: _S._cut, Leave: _S._leave},
    {Shuffled: _S._shuffled, Leave: _S._leave},
    {Seen: _S._looked, Leave: _S._leave},
    {Stay: _S._stay, Camicia: _S._swap, Leave: _S._leave},
    {Seen: _S._turned_up, Leave: _S._leave},
    _TURNS,
    {Seen: _S._given, Leave: _S._leave},
    {Seen: _S._proved, Leave: _S._leave},
    {Seen: _S._showed, Leave: _S._leave},
    {Revealed: _S._revealed, Leave: _S._leave},
    {Answers: _S._answered, Leave: _S._leave},
    {},
]
"""Indexed by Phase: which inputs are due and what they do."""


def begin(options: PetrangolaOptions, seats: int) -> PetrangolaState:
    """The first position of a match; OptionError if the decks can't serve it (PET-01)."""
    deck = deck_for(options, seats)
    new: PetrangolaState = new_blank(PetrangolaState)
    new.deal = Deal(options, seats, deck, petrangola_settle.new_match(options, seats, deck))
    new.notes = ()
    new._clear()
    return new._to_draw()
