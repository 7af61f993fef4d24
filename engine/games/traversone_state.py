"""A position of Traversone and the way forward from it (TRA-02..TRA-04, TRA-30..TRA-34).

Law: this file knows the order of a hand: what is due, what it opens, when it ends. It must never
know how cards are dealt, nor count penalties and places by itself (traversone_count,
traversone_match); nothing in it looks at a card that its state doesn't show.

    phase    turn()                                   next
    -------  ---------------------------------------  -------------------------------------------
    DRAW     Cards(Draw)                              SHUFFLE: the lowest card deals (TRA-33)
    SHUFFLE  Cards(Shuffle)                           LOOK
    LOOK     Cards(Show each hand to its owner)       PLAY; ASIDE with three
    ASIDE    Decide(dealer)                           PLAY
    PLAY     Decide(seat)                             OPENING
    OPENING  Cards(Open the card)                     PLAY, DRAWING, COUNT, REVEAL
    DRAWING  Cards(Open what the two draw)            PLAY
    COUNT    Cards(Open the card put aside)           REVEAL
    REVEAL   Cards(Reveal)                            SHUFFLE, OVER
    OVER     Over

A card that lies open (two players draw openly) skips OPENING, only a card put aside needs COUNT,
and an open state passes over LOOK, OPENING, DRAWING, COUNT and REVEAL by itself. A card that
refutes a promise leads from OPENING to REVEAL at once, since the hand is void then (GEN-01).
`Leave` leads to SHUFFLE or OVER (before the first dealer is known, back to DRAW); when only the
reveal is due it doesn't undo what was played.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from engine.cards import UNKNOWN
from engine.contract import (
    Breach,
    Cards,
    Decide,
    Draw,
    Drawn,
    Input,
    Leave,
    Move,
    Note,
    Open,
    Over,
    Promise,
    Reveal,
    Revealed,
    Seen,
    Show,
    Shuffle,
    Shuffled,
)
from engine.errors import IllegalMove, OutOfTurn
from engine.games import traversone_match
from engine.games.traversone_count import (
    BEATS,
    DECK,
    MAX_SEATS,
    RANKS,
    STRENGTH,
    THIRDS,
    TraversoneOptions,
    check_seats,
    count,
)
from engine.games.traversone_moves import Aside, Play, slots_of
from engine.games.traversone_position import (
    ALL_SLOTS,
    SUITS,
    Phase,
    Position,
    open_slots,
    suit_masks,
)

DISTRIBUTION: Final = {2: (10, 10), 3: (13, 13, 14), 4: (10,) * 4, 5: (8,) * 5}
"""Cards of each player in the order of dealing (TRA-02, TRA-30..TRA-32)."""

_PLAY: Final = Phase.PLAY
_DECIDE: Final = tuple(Decide(seat) for seat in range(MAX_SEATS))
_REVEAL: Final = Cards((Reveal(),))
_SHUFFLE: Final = Cards((Shuffle(DECK),))
_MOST_THIRDS: Final = sum(THIRDS[True])
_TAKES: Final = tuple(
    tuple((Note("takes", seat, (thirds,)),) for thirds in range(_MOST_THIRDS + 1))
    for seat in range(MAX_SEATS)
)
"""_TAKES[seat][thirds]: the notes of a trick, made once because there are so many tricks."""
_ASIDE_PLAYERS: Final = 3
_DRAWING_PLAYERS: Final = 2


class TraversoneState(Position):
    """A position that `apply` leads on from; `Position` has the fields."""

    __slots__ = ()

    def apply(self, given: Input) -> TraversoneState:
        if type(given) is Play and self.phase is _PLAY:
            return self._play(given)
        handler = _TABLE[self.phase].get(type(given))
        if handler is not None:
            return handler(self, given)
        if isinstance(given, Move) and isinstance(self.due, Decide):
            raise _misplaced(self.phase)
        raise OutOfTurn(f"{type(given).__name__} isn't due in phase {self.phase.name}")

    def played_openly(self, faces: bytes) -> TraversoneState:
        """This position as an open one with the deck `faces`, for roll-outs; it must agree with
        what is known here (ValueError), and what is due is answered at once."""
        if not self.faces:
            raise OutOfTurn("no deck lies dealt")
        faces = self._checked(faces)
        self._agree(faces)
        if self.phase is Phase.REVEAL:
            return self._revealed(Revealed(faces))
        new = self.with_faces(faces)
        if Seen not in _TABLE[new.phase]:
            new.auto = new.phase is not Phase.OVER
            return new
        new.auto = True
        return new.apply(Seen(tuple(faces[slot] for slot in open_slots(new.due))))

    # A method below that begins with `_to_` or `_after_` changes the fresh copy it belongs to.

    # ------------------------------------------------------------------ before the play

    def _drawn(self, given: Drawn) -> TraversoneState:
        """TRA-33: round after round the seats that are tied for the lowest card draw one each.

        Should the deck end before a round could be dealt, those seats draw from a new one.
        """
        self.deck.check(given.faces)
        new = self._copy()
        at = 0
        drawing = self.drawing
        while len(drawing) > 1 and at + len(drawing) <= len(given.faces):
            cards = given.faces[at : at + len(drawing)]
            at += len(drawing)
            lowest = min(STRENGTH[face] for face in cards)
            drawing = tuple(
                seat for seat, face in zip(drawing, cards, strict=True) if STRENGTH[face] == lowest
            )
        if len(drawing) > 1:
            new.drawing = drawing
            new.moves += 1  # another state, though the seats be the same
            new.notes = tuple(Note("draws-again", seat) for seat in drawing)
            return new
        new.notes = (Note("dealer-drawn", drawing[0], (at,)),)
        return new._to_deal(drawing[0])

    def _to_deal(self, dealer: int) -> TraversoneState:
        """The next hand, with nothing of the last one's cards left (TRA-02, TRA-22)."""
        living = self.match.living
        self.hand += 1
        self.dealer = dealer
        self.drawing = ()
        at = living.index(dealer)
        self.players = living[at + 1 :] + living[: at + 1]
        self._clear()
        self.phase = Phase.SHUFFLE
        self.due = _SHUFFLE
        self.notes += (Note("deals", dealer, (self.hand,)),)
        return self

    def _clear(self) -> None:
        """No card of the last hand is left."""
        self.faces = b""
        self.opened = self.left = self.moves = self.at = self.taker = self.vowed = 0
        self.shown = (0,) * self.seats
        self.promises = ()
        self.vows = ()
        self.packets = self.won = ()
        self.trick = ()
        self.led = self.best = self.aside = self.laying = -1
        self.stock = self.deck.size
        self.suits = (0,) * SUITS
        self.count = None
        self.auto = False

    def _shuffled(self, given: Shuffled) -> TraversoneState:
        """CARD-06: each hand is one packet; what is left is the stock."""
        new = self._copy()
        if given.faces is None:
            new.faces = bytes((UNKNOWN,)) * self.deck.size
        else:
            new.faces = self._checked(given.faces)
            new.suits = suit_masks(new.faces)
            new.auto = True
        new.breaches = ()
        top = 0
        packets = []
        for size in DISTRIBUTION[len(self.players)]:
            packets.append((1 << top + size) - (1 << top))
            top += size
        new.packets = tuple(packets)
        new.left = (1 << top) - 1
        new.stock = top
        new.won = (0,) * len(packets)
        new.phase = Phase.LOOK
        if new.auto:
            return new._after_look()
        new.due = Cards(
            tuple(
                Show(slots_of(packet), seat)
                for packet, seat in zip(packets, self.players, strict=True)
            )
        )
        return new

    def _looked(self, given: Seen) -> TraversoneState:
        return self._see(given)._after_look()

    def _after_look(self) -> TraversoneState:
        shown = [0] * self.seats
        for seat, packet in zip(self.players, self.packets, strict=True):
            shown[seat] = packet
        self.shown = tuple(shown)
        if len(self.players) == _ASIDE_PLAYERS:
            self.phase = Phase.ASIDE
            self.due = _DECIDE[self.dealer]
            return self
        self.phase = _PLAY
        self.due = _DECIDE[self.players[0]]
        return self

    def _put_aside(self, move: Aside) -> TraversoneState:
        """TRA-31, TRA-34: any card, face down until the count."""
        bit = 1 << move.slot
        if not self.packets[-1] & bit:
            raise IllegalMove("TRA-31", "the dealer puts aside a card of the own hand")
        new = self._copy()
        new.aside = move.slot
        new.packets = (*self.packets[:-1], self.packets[-1] ^ bit)
        new.left ^= bit
        new.moves = 1
        new.notes = (Note("puts-aside", self.dealer),)
        new.phase = _PLAY
        new.due = _DECIDE[self.players[0]]
        return new

    # ------------------------------------------------------------------ tricks

    def _play(self, move: Play) -> TraversoneState:
        """TRA-03; a card that nobody has seen is opened before it counts."""
        bit = 1 << move.slot
        allowed = self.packets[self.at] & self.left
        if self.led >= 0:
            follow = allowed & self.suits[self.led]
            if follow and not follow & bit and not (allowed & bit and self.dark() & bit):
                raise self._refused(bit)
        if not allowed & bit:
            raise self._refused(bit)
        new = self._copy()
        if self.auto or self.opened & bit:
            return new._after_opening(move.slot)
        new.laying = move.slot
        new.phase = Phase.OPENING
        new.due = Cards((Open((move.slot,)),))
        return new

    def _refused(self, bit: int) -> IllegalMove:
        if not self.packets[self.at] & self.left & bit:
            return IllegalMove("TRA-03", "that card isn't in the hand")
        suit = DECK.kind.suit_names[self.led]
        return IllegalMove("TRA-03", f"{suit} was led, and whoever has {suit} must follow")

    def _laid(self, given: Seen) -> TraversoneState:
        """The card came out: it must follow as far as public cards tell, and agree with what its
        player promised (TRA-04)."""
        new = self._see(given)
        slot = self.laying
        suit = new.faces[slot] // RANKS
        if suit != self.led >= 0 and self.packets[self.at] & self.left & self.suits[self.led]:
            raise self._refused(1 << slot)
        new.laying = -1
        new.phase = _PLAY
        if self.vowed >> self.at * SUITS + suit & 1:
            return new._to_breach(slot)
        return new._after_opening(slot)

    def _after_opening(self, slot: int) -> TraversoneState:
        """The card of `slot` lies on the table: this is where most of the time is spent."""
        at = self.at
        bit = 1 << slot
        face = self.faces[slot]
        self.left ^= bit
        self.opened |= bit
        led = self.led
        if led < 0:
            self.led = face // RANKS
            self.best = face
            self.taker = at
        elif BEATS[self.best][face]:
            self.best = face
            self.taker = at
        elif face // RANKS != led and not self.vowed >> at * SUITS + led & 1:
            hidden = self.packets[at] & self.left & ~self.opened
            if hidden:
                self._vow(at * SUITS + led, hidden)
        self.moves += 1
        self.trick = trick = (*self.trick, slot)
        players = self.players
        if len(trick) == len(players):
            return self._after_trick()
        at += 1
        self.at = at = 0 if at == len(players) else at
        self.due = _DECIDE[players[at]]
        return self

    def _vow(self, vow: int, hidden: int) -> None:
        """TRA-04: the hidden cards of the hand hold none of the led suit. Cards that come to the
        hand later lie open, so one promise a suit says it all."""
        seat = self.players[self.at]
        self.vowed |= 1 << vow
        self.vows = (*self.vows, vow)
        self.promises = (*self.promises, Promise(seat, "TRA-04", slots_of(hidden), self.moves))

    def _after_trick(self) -> TraversoneState:
        """TRA-03; with two players both draw, the winner first (TRA-30)."""
        taker = self.taker
        faces = self.faces
        worth = THIRDS[self.options.ace_of_bastoni]
        took = thirds = 0
        for slot in self.trick:
            took |= 1 << slot
            thirds += worth[faces[slot]]
        won = self.won
        self.won = (*won[:taker], won[taker] | took, *won[taker + 1 :])
        self.notes = _TAKES[self.players[taker]][thirds]
        self.trick = ()
        self.led = self.best = -1
        self.at = taker
        self.due = _DECIDE[self.players[taker]]
        if self.stock < DECK.size and len(self.players) == _DRAWING_PLAYERS:
            return self._to_drawing()
        return self if self.left else self._to_count()

    def _to_drawing(self) -> TraversoneState:
        first, second = self.stock, self.stock + 1
        mine, theirs = 1 << first, 1 << second
        a, b = self.packets
        self.packets = (a | mine, b | theirs) if self.taker == 0 else (a | theirs, b | mine)
        self.left |= mine | theirs
        self.stock += 2
        if self.auto:
            self.opened |= mine | theirs
            return self
        self.phase = Phase.DRAWING
        self.due = Cards((Open((first,)), Open((second,))))
        return self

    def _drew(self, given: Seen) -> TraversoneState:
        new = self._see(given)
        new.phase = _PLAY
        new.due = _DECIDE[self.players[self.at]]
        return new

    # ------------------------------------------------------------------ the end of a hand

    def _to_count(self) -> TraversoneState:
        """Every promise is kept: the hands have come out. TRA-31: now the card put aside does."""
        self.promises = ()
        self.vows = ()
        self.vowed = 0
        if self.aside >= 0:
            if not self.auto:
                self.phase = Phase.COUNT
                self.due = Cards((Open((self.aside,)),))
                return self
            self.opened |= 1 << self.aside
        return self._after_count()

    def _turned_up(self, given: Seen) -> TraversoneState:
        return self._see(given)._after_count()

    def _after_count(self) -> TraversoneState:
        """TRA-11 to TRA-13."""
        last = self.taker
        won = list(self.won)
        if self.aside >= 0:
            won[last] |= 1 << self.aside
            self.won = tuple(won)
        worth = THIRDS[self.options.ace_of_bastoni]
        faces = self.faces
        thirds = [sum(worth[faces[slot]] for slot in slots_of(mask)) for mask in won]
        self.count = counted = count(self.options, thirds, last)
        self.notes += (Note("last-trick", self.players[last]),)
        if counted.cappotto >= 0:
            self.notes += (Note("cappotto", self.players[last]),)
        order = sorted(zip(self.players, counted.penalties, thirds, strict=True))
        self.notes += tuple(Note("counts", seat, (n, own)) for seat, n, own in order)
        return self._to_reveal()

    def _to_reveal(self) -> TraversoneState:
        self.phase = Phase.REVEAL
        self.due = _REVEAL
        return self._finish(()) if self.auto else self

    def _to_breach(self, slot: int) -> TraversoneState:
        """GEN-01: the hand is void, so it isn't played on."""
        vow = self.at * SUITS + self.faces[slot] // RANKS
        at = self.vows.index(vow)
        self.breaches = (self._breach(self.promises[at], slot),)
        self.promises = (*self.promises[:at], *self.promises[at + 1 :])
        self.vows = (*self.vows[:at], *self.vows[at + 1 :])
        self.notes = (Note("broken-promise", self.breaches[0].promise.seat),)
        return self._to_reveal()

    def _breach(self, promise: Promise, slot: int) -> Breach:
        face = self.faces[slot]
        suit = DECK.kind.suit_names[face // RANKS]
        text = f"seat {promise.seat} didn't follow {suit} and held {DECK.kind.text(face)}"
        return Breach(promise, text)

    def _revealed(self, given: Revealed) -> TraversoneState:
        """What a hand that ended early left hidden settles the promises that are left."""
        faces = self._checked(given.faces)
        self._agree(faces)
        new = self.with_faces(faces)
        new.opened = ALL_SLOTS
        for vow, promise in zip(self.vows, self.promises, strict=True):
            held = [s for s in promise.slots if faces[s] // RANKS == vow % SUITS]
            if held:
                new.breaches += (new._breach(promise, held[0]),)
        cheats = sorted({breach.promise.seat for breach in new.breaches})
        new.notes = tuple(Note("broken-promise", seat) for seat in cheats)
        return new._finish(())

    def _finish(self, leavers: Collection[int]) -> TraversoneState:
        """GEN-01, then TRA-20 to TRA-22; `leavers` went away when only the reveal was due."""
        cheats = {breach.promise.seat for breach in self.breaches}
        if self.auto:
            self.opened = ALL_SLOTS
        if cheats or self.count is None:
            self.notes += (Note("void"),)
            self.match = traversone_match.put_out(self.match, cheats | set(leavers))
            return self._after_match(self.dealer)
        before = self.match
        after = traversone_match.settle(before, self.players, self.count.penalties)
        out = sorted(set(before.living) - set(after.living) - set(after.placed))
        if not before.further:
            self.notes += tuple(Note("out", seat, (after.totals[seat],)) for seat in out)
        if after.further:
            self.notes += tuple(Note("further-deal", seat) for seat in after.living)
        self.match = traversone_match.put_out(after, leavers)
        return self._after_match(self.dealer + 1)

    def _after_match(self, start: int) -> TraversoneState:
        """The end, or the next deal by the first living seat from `start` on."""
        match = self.match
        if not match.ended:
            return self._to_deal(match.next_dealer(start))
        self.phase = Phase.OVER
        self.due = Over(match.result())
        self.notes += tuple(Note("wins", seat) for seat in match.placed)
        return self

    def _to_draw(self) -> TraversoneState:
        self.players = self.drawing = self.match.living
        self.phase = Phase.DRAW
        self.due = Cards((Draw(DECK),))
        return self

    def _leave(self, given: Leave) -> TraversoneState:
        """GEN-02."""
        gone = set(given.seats)
        if not gone or len(gone) != len(given.seats) or not gone <= set(range(self.seats)):
            raise OutOfTurn(f"{given.seats} aren't different seats of this match")
        new = self._copy()
        leaving = sorted(gone & {*self.match.living, *self.match.placed})
        new.notes = tuple(Note("leaves", seat) for seat in leaving)
        if not leaving:
            return new
        if self.phase is Phase.REVEAL:
            return new._finish(leaving)
        new.match = traversone_match.put_out(self.match, leaving)
        if self.faces:
            new.notes += (Note("void"),)
        new._clear()
        new.breaches = ()
        if self.dealer < 0 and not new.match.ended:
            return new._to_draw()
        return new._after_match(self.dealer)


def _misplaced(phase: Phase) -> IllegalMove:
    """A move of another phase than the one where a player is to decide."""
    if phase is Phase.ASIDE:
        return IllegalMove("TRA-31", "the dealer puts a card aside now, as in aside Rd")
    return IllegalMove("TRA-03", "a turn is a card of the hand, as in Rd")


_S = TraversoneState
_TABLE: Final[list[dict[type, Callable[..., TraversoneState]]]] = [
    {Drawn: _S._drawn, Leave: _S._leave},
    {Shuffled: _S._shuffled, Leave: _S._leave},
    {Seen: _S._looked, Leave: _S._leave},
    {Aside: _S._put_aside, Leave: _S._leave},
    {Play: _S._play, Leave: _S._leave},
    {Seen: _S._laid, Leave: _S._leave},
    {Seen: _S._drew, Leave: _S._leave},
    {Seen: _S._turned_up, Leave: _S._leave},
    {Revealed: _S._revealed, Leave: _S._leave},
    {},
]
"""Indexed by Phase: which inputs are due and what they do."""


def begin(options: TraversoneOptions, seats: int) -> TraversoneState:
    """The first position of a match; OptionError if so many can't play it."""
    check_seats(options, seats)
    new: TraversoneState = object.__new__(TraversoneState)
    new.match = traversone_match.new_match(options, seats)
    new.options = options
    new.seats = seats
    new.hand = 0
    new.dealer = -1
    new.deck = DECK
    new.breaches = ()
    new.notes = ()
    new._clear()
    return new._to_draw()
