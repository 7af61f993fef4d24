"""Petrangola: not to be the worst. Rules: rules/petrangola.md (PET-01..PET-62).

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

Notes, each with its seat (-1: the table) and values:

    dealer-drawn  seat, cards dealt face up      deals   seat, number of the hand
    cut           seat, where                    stays   the dealer
    swaps         seat (cambio camicia)          knocks  seat
    shows         seat (a petrangola)            dies-with  the last seat to play
    falls         seat, tokens lost, left        fall-together  -1, how many
    fallen-with-petrangola  seat                 bisciola  seat, deals in a row
    bonus         seat, tokens gained, now       broken-promise  seat
    void          -1 (the deal counts nothing)   replayed  -1 (PET-45)
    leaves        seat                           dies      seat
    asked         seat, tokens offered, price    reenters  seat, tokens, price
    declines      seat                           pot       -1, what it holds (when it grew)
    wins          seat, units of stake
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import Final

from engine.cards import ITALIAN, UNKNOWN, Deck, DeckKind
from engine.contract import (
    Answers,
    Ask,
    Breach,
    Cards,
    Decide,
    Draw,
    Drawn,
    Game,
    Input,
    Leave,
    Move,
    Note,
    Open,
    Over,
    Pile,
    Promise,
    Public,
    Result,
    Reveal,
    Revealed,
    Scored,
    Seen,
    Show,
    Shuffle,
    Shuffled,
    State,
    Turn,
    mask_of,
)
from engine.errors import EngineError, IllegalMove, OutOfTurn
from engine.games import petrangola_bot, petrangola_hands, petrangola_moves, petrangola_settle
from engine.games.petrangola_hands import HAND, MAX_SEATS, PRESETS, PetrangolaOptions
from engine.games.petrangola_moves import (
    CAMICIA,
    DECLINE,
    EXCHANGES,
    KNOCK,
    KNOCK_SHOW,
    REENTER,
    STAY,
    Camicia,
    Cut,
    Decline,
    Exchange,
    Knock,
    KnockShow,
    Reenter,
    Stay,
)
from engine.games.petrangola_settle import Match, Outcome, Shown

Hand = tuple[int, ...]
"""Three slots."""


class Phase(IntEnum):
    """Where a match stands; the table is above."""

    DRAW = 0
    CUT = 1
    SHUFFLE = 2
    LOOK = 3
    CHOOSE = 4
    TURNUP = 5
    PLAY = 6
    OPENING = 7
    PROVE = 8
    SHOW = 9
    REVEAL = 10
    ASK = 11
    OVER = 12


_PLAY = Phase.PLAY
_DECIDE: Final = tuple(Decide(seat) for seat in range(MAX_SEATS))
_REVEAL: Final = Cards((Reveal(),))
_ACE_OF_DENARI: Final = ITALIAN.parse("Ad")
_CUTS: Final = tuple(Cut(at) for at in range(1, petrangola_moves.MAX_CUT + 1))
_PLAIN: Final[tuple[Move, ...]] = (KNOCK, *EXCHANGES, CAMICIA)
_SHOWN: Final[tuple[Move, ...]] = (KNOCK_SHOW, *EXCHANGES, CAMICIA)
_EITHER: Final[tuple[Move, ...]] = (KNOCK, KNOCK_SHOW, *EXCHANGES, CAMICIA)
_CHOICE: Final[tuple[Move, ...]] = (STAY, CAMICIA)
_ANSWER: Final[tuple[Move, ...]] = (REENTER, DECLINE)


class PetrangolaState(State):
    """A position; see `State` for the fields that all games have. Further ones, for reading:

    match    tokens, payments and options (petrangola_settle.Match)
    phase    the row of the table above
    held     the slots of each hand, indexed like `players`
    monte    the slots of the monte, () before the deal
    when     when each hand was completed, the higher the later (PET-36), indexed like `players`
    at       whose turn it is, an index into `players`
    left     turns that remain after a bussata, -1 before it
    turns    turns taken in this hand
    outcome  what the showdown showed, until the next cut
    start    the seat from which the next dealer is looked for (PET-05, GEN-02)
    auto     an open state, which answers its own card requests
    """

    __slots__ = (
        "at",
        "auto",
        "breaches",
        "dealer",
        "deck",
        "due",
        "faces",
        "hand",
        "held",
        "left",
        "match",
        "monte",
        "notes",
        "opened",
        "options",
        "outcome",
        "phase",
        "players",
        "promises",
        "seats",
        "shown",
        "start",
        "turns",
        "when",
    )
    match: Match
    phase: Phase
    due: Turn
    held: tuple[Hand, ...]
    monte: tuple[int, ...]
    when: tuple[int, ...]
    at: int
    left: int
    turns: int
    outcome: Outcome | None
    start: int
    auto: bool

    # ------------------------------------------------------------------ what it tells

    def turn(self) -> Turn:
        return self.due

    def legal(self, seat: int | None = None) -> Sequence[Move]:
        phase = self.phase
        if phase is _PLAY:
            if seat is not None and seat != self.players[self.at]:
                return ()
            if not self.match.options.show_petrangola_on_knock:
                return _PLAIN
            shape = self._shape(self.held[self.at])
            return _EITHER if shape is None else _SHOWN if shape else _PLAIN
        if phase is Phase.ASK and isinstance(self.due, Ask):
            return _ANSWER if seat is None or seat in self.due.seats else ()
        if not isinstance(self.due, Decide) or seat not in (None, self.due.seat):
            return ()
        return _CHOICE if phase is Phase.CHOOSE else _CUTS[: self.deck.size - 1]

    def public(self) -> Public:
        cut = 0
        asked: tuple[int, ...] = ()
        if isinstance(self.due, Cards) and isinstance(self.due.requests[0], Shuffle):
            cut = self.due.requests[0].cut
        elif isinstance(self.due, Ask):
            asked = self.due.seats
        match = self.match
        end: Public = self.due.result.public() if isinstance(self.due, Over) else ()
        return (
            (self.phase.name.lower(), self.hand, self.dealer, self.start, cut, asked, end),
            (match.tokens, match.paid, match.drawn, match.used, match.streak),
            self.players,
            tuple((s, f) for s, f in enumerate(self.faces) if self.opened >> s & 1),
            (self.held, self.monte, self.when),
            (self.at, self.left, self.turns),
            tuple((p.seat, p.rule, p.slots, p.move) for p in self.promises),
            tuple((b.promise.seat, b.promise.rule, b.promise.move) for b in self.breaches),
        )

    def piles(self) -> tuple[Pile, ...]:
        if not self.faces:
            return ()
        hands = [Pile("hand", seat, h) for seat, h in zip(self.players, self.held, strict=True)]
        hands.sort(key=lambda pile: pile.seat)
        stock = tuple(range(HAND * len(self.players) + HAND, self.deck.size))
        return (*hands, Pile("monte", -1, self.monte), Pile("stock", -1, stock))

    def scores(self) -> tuple[int, ...]:
        """Tokens."""
        return self.match.tokens

    def standing(self) -> Result:
        if isinstance(self.due, Over):
            return self.due.result
        return petrangola_settle.result(self.match, (), petrangola_settle.UNFINISHED)

    def showdown(self) -> tuple[Shown, ...]:
        """Each hand's worth, in dealing order, and who falls: from the showdown to the next cut;
        () otherwise."""
        return self.outcome.shown if self.outcome else ()

    def hand_of(self, seat: int) -> tuple[int, ...]:
        """The slots of `seat`'s hand, () if it holds none."""
        if seat not in self.players or not self.held:
            return ()
        return self.held[self.players.index(seat)]

    def with_faces(self, faces: bytes) -> PetrangolaState:
        new = self._copy()
        new.faces = faces
        new.auto = False
        return new

    def played_openly(self, faces: bytes) -> PetrangolaState:
        """This position as an open one with the deck `faces`, for roll-outs; it must agree with
        what is known here (ValueError), and what is due is answered at once."""
        self.deck.check(faces)
        self._agree(faces)
        new = self._copy()
        new.faces = faces
        new.auto = True
        if new.phase is Phase.REVEAL:
            return new._finish((), False)
        if Seen not in _TABLE[new.phase]:
            return new
        return new.apply(Seen(tuple(faces[slot] for slot in _open_slots(new.due))))

    def _shape(self, slots: Sequence[int]) -> bool | None:
        """Whether these cards are a petrangola; None while one of them is unknown."""
        faces = self.faces
        a, b, c = slots
        a, b, c = faces[a], faces[b], faces[c]
        if UNKNOWN in (a, b, c):
            return None
        return (a * 40 + b) * 40 + c in self.match.judge.petrangole

    # ------------------------------------------------------------------ the way forward

    def apply(self, given: Input) -> PetrangolaState:
        handler = _TABLE[self.phase].get(type(given))
        if handler is not None:
            return handler(self, given)
        if isinstance(given, Move) and isinstance(self.due, Decide):
            raise _misplaced(self.phase)
        raise OutOfTurn(f"{type(given).__name__} isn't due in phase {self.phase.name}")

    def _copy(self) -> PetrangolaState:
        new: PetrangolaState = object.__new__(PetrangolaState)
        new.match = self.match
        new.options = self.options
        new.seats = self.seats
        new.hand = self.hand
        new.players = self.players
        new.dealer = self.dealer
        new.deck = self.deck
        new.faces = self.faces
        new.opened = self.opened
        new.shown = self.shown
        new.promises = self.promises
        new.breaches = self.breaches
        new.notes = ()
        new.phase = self.phase
        new.due = self.due
        new.held = self.held
        new.monte = self.monte
        new.when = self.when
        new.at = self.at
        new.left = self.left
        new.turns = self.turns
        new.outcome = self.outcome
        new.start = self.start
        new.auto = self.auto
        return new

    # A method below that begins with `_to_` or `_after_` changes the fresh copy it belongs to.

    def _drawn(self, given: Drawn) -> PetrangolaState:
        """PET-04."""
        self.deck.check(given.faces)
        new = self._copy()
        at = given.faces.index(_ACE_OF_DENARI)
        dealer = self.players[at % len(self.players)]
        new.notes = (Note("dealer-drawn", dealer, (at + 1,)),)
        return new._to_cut(dealer)

    def _to_cut(self, dealer: int) -> PetrangolaState:
        """The next hand, with nothing of the last one's cards left (PET-05, PET-06)."""
        living = self.match.living()
        self.hand += 1
        self.dealer = dealer
        at = living.index(dealer)
        self.players = living[at + 1 :] + living[: at + 1]
        self.faces = b""
        self.opened = 0
        self.shown = (0,) * self.seats
        self.promises = ()
        self.held = ()
        self.monte = ()
        self.when = ()
        self.at = self.turns = 0
        self.left = -1
        self.auto = False
        self.phase = Phase.CUT
        self.due = _DECIDE[self.players[-2]]
        self.notes += (Note("deals", dealer, (self.hand,)),)
        return self

    def _cut(self, move: Cut) -> PetrangolaState:
        if move.at >= self.deck.size:
            raise IllegalMove("PET-06", f"the cut must be from 1 to {self.deck.size - 1}")
        new = self._copy()
        new.breaches = ()
        new.outcome = None
        new.phase = Phase.SHUFFLE
        new.due = Cards((Shuffle(self.deck, move.at),))
        new.notes = (Note("cut", self.players[-2], (move.at,)),)
        return new

    def _shuffled(self, given: Shuffled) -> PetrangolaState:
        """CARD-06: packets of three, then the monte; the rest is the stock."""
        new = self._copy()
        n = len(self.players)
        packets = [(s, s + 1, s + 2) for s in range(0, HAND * n + HAND, HAND)]
        new.held = tuple(packets[:n])
        new.monte = packets[n]
        new.when = tuple(range(n))
        if given.faces is None:
            new.faces = bytes((UNKNOWN,)) * self.deck.size
        else:
            self.deck.check(given.faces)
            new.faces = bytes(given.faces)
            new.auto = True
        new.phase = Phase.LOOK
        if new.auto:
            return new._after_look()
        shows = [Show(new.held[i], self.players[i]) for i in range(n - 1)]
        new.due = Cards((*shows, Show(new.monte, self.dealer)))
        return new

    def _looked(self, given: Seen) -> PetrangolaState:
        return self._see(given)._after_look()

    def _after_look(self) -> PetrangolaState:
        """PET-11: the dealer saw the monte, and nobody the dealer's hand (PET-12)."""
        shown = [0] * self.seats
        for seat, hand in zip(self.players, self.held, strict=True):
            shown[seat] = mask_of(self.monte if seat == self.dealer else hand)
        self.shown = tuple(shown)
        self.phase = Phase.CHOOSE
        self.due = _DECIDE[self.dealer]
        return self

    def _stay(self, _: Stay) -> PetrangolaState:
        new = self._copy()
        new.notes = (Note("stays", self.dealer),)
        return new._to_turnup(Open(self.monte), Show(self.held[-1], self.dealer))

    def _swap(self, _: Camicia) -> PetrangolaState:
        """PET-11, PET-13: the dealer keeps the monte, and the blind hand becomes the monte."""
        new = self._copy()
        n = len(self.players)
        new.monte = self.held[-1]
        new.held = (*self.held[:-1], self.monte)
        new.when = (*self.when[:-1], n)
        new.left = n - 1
        new.notes = (Note("swaps", self.dealer), Note("dies-with", self.players[-2]))
        opens = [Open(new.monte)]
        if self.match.options.open_after_dealer_swap:
            opens.append(Open(tuple(slot for hand in self.held[:-1] for slot in hand)))
        return new._to_turnup(*opens)

    def _to_turnup(self, *requests: Open | Show) -> PetrangolaState:
        self.phase = Phase.TURNUP
        self.due = Cards(requests)
        return self._after_turnup() if self.auto else self

    def _turned_up(self, given: Seen) -> PetrangolaState:
        return self._see(given)._after_turnup()

    def _after_turnup(self) -> PetrangolaState:
        self.opened |= mask_of(_open_slots(self.due))
        if self.left < 0:
            shown = list(self.shown)
            shown[self.dealer] |= mask_of(self.held[-1])
            self.shown = tuple(shown)
        self.phase = _PLAY
        self.due = _DECIDE[self.players[0]]
        return self

    # ------------------------------------------------------------------ turns

    def _exchange(self, move: Exchange) -> PetrangolaState:
        return self._trade(move.plan, False)

    def _camicia(self, _: Camicia) -> PetrangolaState:
        return self._trade(petrangola_moves.ALL_THREE, True)

    def _trade(self, plan: petrangola_moves.Plan, knocked: bool) -> PetrangolaState:
        """PET-21: what was given lies open in the monte, what was taken lay open there."""
        at, held, when = self.at, self.held, self.when
        a, b, c, *monte = plan(held[at] + self.monte)
        new = self._copy()
        new.held = (*held[:at], (a, b, c), *held[at + 1 :])
        new.monte = tuple(monte)
        new.when = (*when[:at], len(held) + 1 + self.turns, *when[at + 1 :])
        new._count(knocked)
        if knocked:
            new.notes = (Note("swaps", self.players[at]), *new.notes)
        return new._bring_out(new.monte, Phase.OPENING)

    def _knock(self, move: Knock | KnockShow) -> PetrangolaState:
        """PET-22 to PET-24."""
        at = self.at
        seat, hand = self.players[at], self.held[at]
        showing = type(move) is KnockShow
        new = self._copy()
        if self.match.options.show_petrangola_on_knock:
            if self._shape(hand) is (not showing):
                raise _wrong_form(showing)
            if not showing and any(not self.opened >> slot & 1 for slot in hand):
                new.promises = (*self.promises, Promise(seat, "PET-24", hand, self.turns + 2))
        elif showing:
            raise IllegalMove("PET-24", "a knock shows nothing by the rules of this table")
        new._count(True)
        new.notes = (Note("knocks", seat), *new.notes)
        if not showing:
            return new._after_move()
        new.notes = (Note("shows", seat), *new.notes)
        return new._bring_out(hand, Phase.PROVE)

    def _count(self, knocked: bool) -> None:
        """PET-23: after the first bussata each other player has one more turn."""
        self.turns += 1
        if self.left > 0:
            self.left -= 1
        elif knocked:
            self.left = len(self.players) - 1
            self.notes = (Note("dies-with", self.players[self.at - 1]),)

    def _bring_out(self, slots: Sequence[int], phase: Phase) -> PetrangolaState:
        """Open those of `slots` that aren't, in a live state by stopping at `phase`."""
        a, b, c = slots
        mask = 1 << a | 1 << b | 1 << c
        if self.auto:
            self.opened |= mask
        elif mask & ~self.opened:
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
        n = len(self.players)
        if not self.left or (self.left < 0 and self.turns == n * self.match.options.max_rounds):
            return self._to_show()
        at = self.at + 1
        self.at = at = 0 if at == n else at
        self.phase = _PLAY
        self.due = _DECIDE[self.players[at]]
        return self

    # ------------------------------------------------------------------ the end of a hand

    def _to_show(self) -> PetrangolaState:
        """PET-25."""
        slots = [slot for hand in self.held for slot in hand]
        hidden = tuple(slot for slot in slots if not self.opened >> slot & 1)
        self.phase = Phase.SHOW
        if self.auto or not hidden:
            self.opened |= mask_of(hidden)
            return self._after_show()
        self.due = Cards((Open(hidden),))
        return self

    def _showed(self, given: Seen) -> PetrangolaState:
        return self._see(given)._after_show()

    def _after_show(self) -> PetrangolaState:
        """The promises are settled, since every hand is open, and the hands are compared."""
        faces = self.faces
        self.breaches = tuple(
            Breach(p, f"seat {p.seat} knocked without showing {_text(faces, p.slots)}")
            for p in self.promises
            if self._shape(p.slots)
        )
        self.promises = ()
        judge = self.match.judge
        values = [judge.value((faces[a], faces[b], faces[c])) for a, b, c in self.held]
        self.outcome = petrangola_settle.settle(self.match, self.players, values, self.when)
        if self.breaches:
            self.notes += tuple(Note("broken-promise", b.promise.seat) for b in self.breaches)
        else:
            self.notes += self.outcome.notes
        self.phase = Phase.REVEAL
        self.due = _REVEAL
        return self._finish((), False) if self.auto else self

    def _revealed(self, given: Revealed) -> PetrangolaState:
        faces = bytes(given.faces)
        self.deck.check(faces)
        self._agree(faces)
        new = self._copy()
        new.faces = faces
        new.opened = (1 << self.deck.size) - 1
        return new._finish((), False)

    def _finish(self, leavers: tuple[int, ...], may_return: bool) -> PetrangolaState:
        """GEN-01, then PET-47 from step 5; `leavers` left after the showdown."""
        if self.outcome is None:
            raise EngineError("a hand ends after its showdown only")
        cheats = {b.promise.seat for b in self.breaches}
        outcome = self.outcome
        verdict = outcome.verdict
        if cheats or verdict == petrangola_settle.REPLAY:
            self.notes += (Note("void"),) if cheats else (Note("replayed"),)
            gone = cheats | set(leavers)
            self.match = petrangola_settle.put_out(self.match, gone)
            self.start = self.dealer + (self.dealer in gone)
            self.notes += tuple(Note("dies", seat) for seat in sorted(gone))
            return self._after_deaths(set(leavers) - cheats if may_return else set())
        before = self.match.tokens
        self.match = outcome.match
        self.start = self.dealer + 1
        if verdict:
            winners = (self.dealer,) if verdict == petrangola_settle.DEALER_WINS else None
            return self._to_over(winners or tuple(sorted(self.players)), verdict)
        dead = {seat for seat in self.players if not self.match.tokens[seat]}
        if len(self.match.living()) > 1:
            self.match = petrangola_settle.put_out(self.match, leavers)
        died = {s for s, tokens in enumerate(before) if tokens and not self.match.tokens[s]}
        self.notes += tuple(Note("dies", seat) for seat in sorted(died))
        return self._after_deaths(died if may_return else dead - set(leavers))

    def _after_deaths(self, dead: set[int]) -> PetrangolaState:
        """PET-47, steps 7 to 9; `dead` may be asked to re-enter."""
        living = self.match.living()
        if len(living) < 2:
            alive = bool(living)
            reason = petrangola_settle.LAST_ALIVE if alive else petrangola_settle.ABANDONED
            return self._to_over(living, reason)
        asked = petrangola_settle.may_reenter(self.match, dead)
        if not asked:
            return self._to_next()
        self.phase = Phase.ASK
        self.due = Ask(asked)
        terms = petrangola_settle.offer(self.match)
        self.notes += tuple(Note("asked", seat, terms) for seat in asked)
        return self

    def _answered(self, given: Answers) -> PetrangolaState:
        """PET-50 to PET-53."""
        asked = self.due.seats if isinstance(self.due, Ask) else ()
        if tuple(seat for seat, _ in given.moves) != asked:
            raise OutOfTurn(f"answers are due from the seats {asked} in this order")
        if any(type(move) not in {Reenter, Decline} for _, move in given.moves):
            raise IllegalMove("PET-50", "a dead player can only re-enter or decline")
        back = [seat for seat, move in given.moves if type(move) is Reenter]
        new = self._copy()
        terms = petrangola_settle.offer(self.match)
        new.notes = tuple(
            Note("reenters", seat, terms) if seat in back else Note("declines", seat)
            for seat in asked
        )
        if back:
            new.match = petrangola_settle.reenter(self.match, back)
            new.notes += (Note("pot", -1, (new.match.pot,)),)
        return new._to_next()

    def _to_next(self) -> PetrangolaState:
        """PET-05; before the first dealer is known, the draw again."""
        if self.dealer < 0:
            return self._to_draw()
        return self._to_cut(self.match.first_living(self.start))

    def _to_draw(self) -> PetrangolaState:
        self.players = self.match.living()
        self.phase = Phase.DRAW
        self.due = Cards((Draw(self.deck),))
        return self

    def _to_over(self, winners: tuple[int, ...], reason: str) -> PetrangolaState:
        result = petrangola_settle.result(self.match, winners, reason, self.dealer)
        self.phase = Phase.OVER
        self.due = Over(result)
        self.notes += tuple(Note("wins", seat, (result.won[seat],)) for seat in winners)
        return self

    def _leave(self, given: Leave) -> PetrangolaState:
        """GEN-02; never a knock for the one who is away (PET-27)."""
        gone = set(given.seats)
        if len(gone) != len(given.seats) or not gone <= set(range(self.seats)):
            raise OutOfTurn(f"{given.seats} aren't different seats of this match")
        new = self._copy()
        leaving = tuple(sorted(seat for seat in gone if self.match.tokens[seat]))
        asked = set(self.due.seats) if isinstance(self.due, Ask) else set()
        new.notes = tuple(Note("leaves", seat) for seat in leaving)
        if not leaving and not asked & gone:
            return new
        if self.phase is Phase.REVEAL:
            return new._finish(leaving, given.may_return)
        new.match = petrangola_settle.put_out(self.match, leaving)
        new.notes += tuple(Note("declines", seat) for seat in sorted(asked & gone))
        if self.phase is not Phase.ASK:
            new.start = self.dealer
            if self.phase is not Phase.DRAW:
                new.notes += (Note("void"),)
            new.breaches = ()
            new.outcome = None
        if self.dealer in leaving and new.start == self.dealer:
            new.start += 1
        new.notes += tuple(Note("dies", seat) for seat in leaving)
        return new._after_deaths(asked - gone | set(leaving if given.may_return else ()))

    # ------------------------------------------------------------------ knowledge

    def _see(self, given: Seen) -> PetrangolaState:
        """A copy that knows what the due Open requests showed."""
        slots = _open_slots(self.due)
        if len(given.faces) != len(slots):
            raise OutOfTurn(f"{len(slots)} faces are due, not {len(given.faces)}")
        new = self._copy()
        faces = bytearray(self.faces)
        for slot, face in zip(slots, given.faces, strict=True):
            if not 0 <= face < ITALIAN.size or faces[slot] not in (face, UNKNOWN):
                raise ValueError(f"slot {slot} can't show the face {face}")
            faces[slot] = face
        new.faces = bytes(faces)
        new.opened |= mask_of(slots)
        return new

    def _agree(self, faces: bytes) -> None:
        """ValueError unless the whole deck agrees with every card known so far: whoever opened
        or dealt them had to see to that, so it is no player's fault."""
        for slot, face in enumerate(self.faces):
            if face not in (faces[slot], UNKNOWN):
                raise ValueError(f"slot {slot} was opened as {face} and is revealed otherwise")


def _open_slots(due: Turn) -> tuple[int, ...]:
    requests = due.requests if isinstance(due, Cards) else ()
    return tuple(slot for r in requests if isinstance(r, Open) for slot in r.slots)


def _text(faces: bytes, slots: Sequence[int]) -> str:
    return ITALIAN.join(faces[slot] for slot in slots)


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
_TABLE: Final[list[dict[type, Callable[..., PetrangolaState]]]] = [
    {Drawn: _S._drawn, Leave: _S._leave},
    {Cut: _S._cut, Leave: _S._leave},
    {Shuffled: _S._shuffled, Leave: _S._leave},
    {Seen: _S._looked, Leave: _S._leave},
    {Stay: _S._stay, Camicia: _S._swap, Leave: _S._leave},
    {Seen: _S._turned_up, Leave: _S._leave},
    {
        Exchange: _S._exchange,
        Camicia: _S._camicia,
        Knock: _S._knock,
        KnockShow: _S._knock,
        Leave: _S._leave,
    },
    {Seen: _S._given, Leave: _S._leave},
    {Seen: _S._proved, Leave: _S._leave},
    {Seen: _S._showed, Leave: _S._leave},
    {Revealed: _S._revealed, Leave: _S._leave},
    {Answers: _S._answered, Leave: _S._leave},
    {},
]
"""Indexed by Phase: which inputs are due and what they do."""


class Petrangola(Game):
    """Options, first state, and the forms of moves; see the module for phases and notes."""

    name = "petrangola"
    title = "Petrangola"
    version = 1
    kind: DeckKind = ITALIAN
    options_type = PetrangolaOptions
    presets = PRESETS
    default_preset = "marche"
    min_seats = petrangola_hands.MIN_SEATS
    max_seats = MAX_SEATS

    def start(self, options: PetrangolaOptions, seats: int) -> PetrangolaState:
        deck: Deck = petrangola_hands.deck_for(options, seats)
        new: PetrangolaState = object.__new__(PetrangolaState)
        new.match = petrangola_settle.new_match(options, seats, deck)
        new.options = options
        new.seats = seats
        new.hand = 0
        new.dealer = -1
        new.start = 0
        new.deck = deck
        new.faces = b""
        new.opened = 0
        new.shown = (0,) * seats
        new.promises = ()
        new.breaches = ()
        new.notes = ()
        new.held = ()
        new.monte = ()
        new.when = ()
        new.at = new.turns = 0
        new.left = -1
        new.outcome = None
        new.auto = False
        return new._to_draw()

    def format(self, state: State, move: Move) -> str:
        return petrangola_moves.format_move(move, *_cards(state, None))

    def parse(self, state: State, text: str, seat: int | None = None) -> Move:
        return petrangola_moves.parse_move(text, *_cards(state, seat))

    def encode(self, move: Move) -> Public:
        return petrangola_moves.encode_move(move)

    def decode(self, data: object) -> Move:
        return petrangola_moves.decode_move(data)

    def score(self, options: PetrangolaOptions, hands: Sequence[str]) -> tuple[Scored, ...]:
        """`2d 2c 2s` or `2d2c2s`; see petrangola_hands.score."""
        return petrangola_hands.score(options, hands)

    def suggest(self, view: State, seat: int, rng: random.Random) -> Move:
        return petrangola_bot.suggest(_own(view), seat, rng)


def _own(state: State) -> PetrangolaState:
    if not isinstance(state, PetrangolaState):
        raise OutOfTurn("the state belongs to another game")
    return state


def _cards(state: State, seat: int | None) -> tuple[list[int], list[int]]:
    """The faces of the hand that is meant and of the monte, while cards can be exchanged."""
    own = _own(state)
    if own.phase is not _PLAY:
        return [], []
    slots = own.hand_of(own.players[own.at] if seat is None else seat)
    return [own.faces[s] for s in slots], [own.faces[s] for s in own.monte]


GAME: Final = Petrangola()
PetrangolaState.game = GAME
