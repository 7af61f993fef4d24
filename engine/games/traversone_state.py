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

from collections.abc import Collection
from functools import lru_cache
from itertools import accumulate
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
    Note,
    Open,
    Over,
    Promise,
    Revealed,
    Seen,
    Show,
    Shuffle,
    Shuffled,
)
from engine.errors import IllegalMove, OutOfTurn
from engine.games import traversone_match
from engine.games.phases import REVEAL, Handlers, dealt_by, handlers, opened_by, refusal
from engine.games.traversone_count import (
    BEATS,
    DECK,
    MAX_SEATS,
    NOTHING,
    RANKS,
    STRENGTH,
    THIRDS,
    Count,
    TraversoneOptions,
    check_seats,
    count,
)
from engine.games.traversone_match import Match
from engine.games.traversone_moves import Aside, Play, slots_of
from engine.games.traversone_position import (
    ALL_SLOTS,
    DRAWING_PLAYERS,
    SUITS,
    THIRDS_AT,
    WORTH,
    Deal,
    Phase,
    Position,
    Vow,
    suit_masks,
)
from engine.position import new_blank, note, open_slots

DISTRIBUTION: Final = {2: (10, 10), 3: (13, 13, 14), 4: (10,) * 4, 5: (8,) * 5}
"""Cards of each player in the order of dealing (TRA-02, TRA-30..TRA-32)."""


def _packets(sizes: tuple[int, ...]) -> tuple[tuple[int, ...], int]:
    """CARD-06: each hand is one packet; a mask of slots for each, and of all of them."""
    tops = list(accumulate(sizes))
    packets = tuple((1 << top) - (1 << top - n) for top, n in zip(tops, sizes, strict=True))
    return packets, (1 << tops[-1]) - 1


_PACKETS: Final = {players: _packets(sizes) for players, sizes in DISTRIBUTION.items()}

_PLAY: Final = Phase.PLAY
_DECIDE: Final = tuple(Decide(seat) for seat in range(MAX_SEATS))
_SHUFFLE: Final = Cards((Shuffle(DECK),))
_MOST_THIRDS: Final = sum(THIRDS[True])
_TAKES: Final = tuple(
    tuple((Note("takes", seat, (thirds,)),) for thirds in range(_MOST_THIRDS + 1))
    for seat in range(MAX_SEATS)
)
"""_TAKES[seat][thirds]: the notes of a trick, made once because there are so many tricks."""
_ASIDE_PLAYERS: Final = 3
_ALL_UNKNOWN: Final = bytes((UNKNOWN,)) * DECK.size
_ALONE: Final = tuple((slot,) for slot in range(DECK.size))


@lru_cache(maxsize=256)
def _seated(living: tuple[int, ...], dealer: int) -> tuple[tuple[int, ...], tuple[Decide, ...]]:
    """The players of a hand that `dealer`, one of `living`, deals (TRA-02), and what is due at the
    turn of each."""
    players = dealt_by(living, dealer)
    return players, tuple([_DECIDE[seat] for seat in players])


@lru_cache(maxsize=256)
def _dealt(seats: int, players: tuple[int, ...]) -> tuple[int, ...]:
    """For each seat the packet that is shown to it."""
    shown = [0] * seats
    for seat, packet in zip(players, _PACKETS[len(players)][0], strict=True):
        shown[seat] = packet
    return tuple(shown)


class TraversoneState(Position):
    """A position that `apply` leads on from; `Position` has the fields."""

    __slots__ = ()

    def apply(self, given: Input) -> TraversoneState:
        if type(given) is not Play or self.phase is not _PLAY:
            return self._other(given)
        # TRA-03. What follows here and in _lay is where a match spends its time.
        slot = given.slot
        bit = 1 << slot
        deal = self.deal
        if self.may < 0:
            self.legal()
        may = self.may
        if not may & bit:
            raise self._refused(bit)
        if deal.auto or self.opened & bit:
            return self._lay(slot, deal)
        new = self._copy()
        new.phase = Phase.OPENING
        new.due = Cards((Open((slot,)),))
        return new

    def _other(self, given: Input) -> TraversoneState:
        handler = _TABLE[self.phase].get(type(given))
        if handler is None:
            raise refusal(given, self.phase, self.due, _misplaced)
        return handler(self, given)

    def played_openly(self, faces: bytes) -> TraversoneState:
        """This position as an open one with the deck `faces`, for roll-outs; it must agree with
        what is known here (ValueError), and what is due is answered at once."""
        if not self.faces:
            raise OutOfTurn("no deck lies dealt")
        faces = self._checked(faces)
        self._agree(faces)
        if self.phase is Phase.REVEAL:
            return self._revealed(Revealed(faces))
        new = self._copy()
        new.deal = self.deal.knowing(faces, auto=self.phase is not Phase.OVER)
        return new.apply(opened_by(new.due, faces)) if Seen in _TABLE[new.phase] else new

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
            new.deal = self.deal.but(drawing=drawing, draws=self.draws + 1)
            new.notes = tuple(note("draws-again", seat) for seat in drawing)
            return new
        new.notes = (note("dealer-drawn", drawing[0], (at,)),)
        return new._to_deal(self.match, drawing[0])

    def _after_match(self, match: Match, start: int) -> TraversoneState:
        """The end of `match`, or its next deal by the first living seat from `start` on."""
        if not match.ended:
            return self._to_deal(match, match.next_dealer(start))
        self.deal = self.deal.but(match=match)
        self.phase = Phase.OVER
        self.due = Over(match.result())
        self.notes += tuple(note("wins", seat) for seat in match.placed)
        return self

    def _to_deal(self, match: Match, dealer: int) -> TraversoneState:
        """The next hand, with nothing of the last one's cards left (TRA-02, TRA-22)."""
        old = self.deal
        hand = old.hand + 1
        players, decides = _seated(match.living, dealer)
        self.deal = Deal(
            old.options,
            old.seats,
            match,
            hand,
            dealer,
            players,
            decides,
            shown=(0,) * old.seats,
            breaches=old.breaches,
        )
        self._clear()
        self.phase = Phase.SHUFFLE
        self.due = _SHUFFLE
        self.notes += (note("deals", dealer, (hand,)),)
        return self

    def _clear(self) -> None:
        """No card lies dealt."""
        self.may = -1
        self.opened = self.left = self.at = self.taker = self.vowed = 0
        self.packets = self.took = self.trick = ()
        self.vows = ()
        self.best = NOTHING

    def _shuffled(self, given: Shuffled) -> TraversoneState:
        """CARD-06: what isn't dealt is the stock."""
        old = self.deal
        new = self._copy()
        auto = given.faces is not None
        faces = self._checked(given.faces) if given.faces is not None else _ALL_UNKNOWN
        new.packets, new.left = _PACKETS[len(old.players)]
        new.deal = Deal(
            old.options,
            old.seats,
            old.match,
            old.hand,
            old.dealer,
            old.players,
            old.decides,
            faces=faces,
            suits=suit_masks(faces),
            worth=faces.translate(WORTH[old.options.ace_of_bastoni]),
            shown=_dealt(old.seats, old.players) if auto else (0,) * old.seats,
            auto=auto,
        )
        new.took = (0,) * len(new.packets)
        new.phase = Phase.LOOK
        if auto:
            return new._after_look()
        new.due = Cards(
            tuple(
                Show(slots_of(packet), seat)
                for packet, seat in zip(new.packets, self.players, strict=True)
            )
        )
        return new

    def _looked(self, given: Seen) -> TraversoneState:
        new = self._see(given)
        new.deal = new.deal.but(shown=_dealt(self.seats, self.players))
        return new._after_look()

    def _after_look(self) -> TraversoneState:
        if len(self.players) == _ASIDE_PLAYERS:
            self.phase = Phase.ASIDE
            self.due = _DECIDE[self.dealer]
            return self
        self.phase = _PLAY
        self.due = self.deal.decides[0]
        return self

    def _put_aside(self, move: Aside) -> TraversoneState:
        """TRA-31, TRA-34: any card, face down until the count."""
        bit = 1 << move.slot
        if not self.packets[-1] & bit:
            raise IllegalMove("TRA-31", "the dealer puts aside a card of the own hand")
        new = self._copy()
        new.deal = self.deal.but(aside=move.slot)
        new.packets = (*self.packets[:-1], self.packets[-1] ^ bit)
        new.left ^= bit
        new.notes = (note("puts-aside", self.dealer),)
        new.phase = _PLAY
        new.due = _DECIDE[self.players[0]]
        return new

    # ------------------------------------------------------------------ tricks

    def _refused(self, bit: int) -> IllegalMove:
        if not self.packets[self.at] & self.left & bit:
            return IllegalMove("TRA-03", "that card isn't in the hand")
        suit = DECK.kind.suit_names[self.led]
        return IllegalMove(
            "TRA-03", "{suit} was led, and whoever has {suit} must follow", suit=suit
        )

    def _laid(self, given: Seen) -> TraversoneState:
        """The card came out: it must follow as far as public cards tell, and agree with what its
        player promised (TRA-04)."""
        (slot,) = open_slots(self.due)
        deal = self._see(given).deal
        suit = deal.faces[slot] // RANKS
        if suit != self.led >= 0 and self.packets[self.at] & self.left & self.suits[self.led]:
            raise self._refused(1 << slot)
        new = self._lay(slot, deal)
        for vow in self.vows:
            if vow[0] == self.at * SUITS + suit:
                return new._to_breach(vow, slot)
        return new

    def _lay(self, slot: int, deal: Deal) -> TraversoneState:
        """The known card of `slot` lies on the table: every field but `deal` is new or copied."""
        bit = 1 << slot
        face = deal.faces[slot]
        at = self.at
        best = self.best
        new: TraversoneState = new_blank(TraversoneState)
        new.deal = deal
        new.phase = _PLAY
        new.packets = self.packets
        new.left = self.left ^ bit
        new.may = -1
        new.opened = self.opened | bit
        new.took = self.took
        new.vowed = self.vowed
        new.vows = self.vows
        new.notes = ()
        if BEATS[best][face]:
            new.best = face
            new.taker = at
        else:
            new.best = best
            new.taker = self.taker
            suit = best // RANKS
            if face // RANKS != suit:
                vow = at * SUITS + suit
                if not self.vowed >> vow & 1:
                    hidden = self.packets[at] & new.left & ~new.opened
                    if hidden:
                        new._vow(vow, hidden)
        new.trick = trick = self.trick + _ALONE[slot]
        decides = deal.decides
        if len(trick) == len(decides):
            return new._after_trick()
        at += 1
        if at == len(decides):
            at = 0
        new.at = at
        new.due = decides[at]
        return new

    def _vow(self, vow: int, hidden: int) -> None:
        """TRA-04: the hidden cards of the hand hold none of the led suit; the card that says so
        was just laid. Cards that come to the hand later lie open, so one promise a suit says it
        all."""
        self.vowed |= 1 << vow
        self.vows += ((vow, hidden, self.stock - self.left.bit_count() - 1),)

    def _after_trick(self) -> TraversoneState:
        """TRA-03; with two players both draw, the winner first (TRA-30)."""
        deal = self.deal
        taker = self.taker
        worth = deal.worth
        cards = thirds = 0
        for slot in self.trick:
            cards |= 1 << slot
            thirds += worth[slot]
        took = list(self.took)
        took[taker] += thirds << THIRDS_AT | cards
        self.took = tuple(took)
        self.notes = _TAKES[deal.players[taker]][thirds]
        self.trick = ()
        self.best = NOTHING
        self.at = taker
        self.due = deal.decides[taker]
        if len(took) == DRAWING_PLAYERS and self.stock < DECK.size:
            return self._to_drawing()
        return self if self.left else self._to_count()

    def _to_drawing(self) -> TraversoneState:
        first, second = self.stock, self.stock + 1
        mine, theirs = 1 << first, 1 << second
        a, b = self.packets
        self.packets = (a | mine, b | theirs) if self.taker == 0 else (a | theirs, b | mine)
        self.left |= mine | theirs
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
        deal = self.deal
        last, players = self.taker, deal.players
        if deal.aside >= 0:
            took = list(self.took)
            took[last] += deal.worth[deal.aside] << THIRDS_AT | 1 << deal.aside
            self.took = tuple(took)
        thirds = [took >> THIRDS_AT for took in self.took]
        counted = count(deal.options, thirds, last)
        notes = [*self.notes, note("last-trick", players[last])]
        if counted.cappotto >= 0:
            notes.append(note("cappotto", players[last]))
        for seat, n, own in sorted(zip(players, counted.penalties, thirds, strict=True)):
            notes.append(note("counts", seat, (n, own)))
        self.notes = tuple(notes)
        if deal.auto:
            return self._finish((), counted)
        self.deal = deal.but(count=counted)
        return self._to_reveal()

    def _to_reveal(self) -> TraversoneState:
        self.phase = Phase.REVEAL
        self.due = REVEAL
        return self._finish((), self.count) if self.auto else self

    def _to_breach(self, vow: Vow, slot: int) -> TraversoneState:
        """GEN-01: the hand is void, so it isn't played on, nor counted."""
        self.vows = tuple(held for held in self.vows if held != vow)
        self.deal = self.deal.but(count=None, breaches=(self._breach(vow, slot),))
        self.notes = (note("broken-promise", self.players[vow[0] // SUITS]),)
        return self._to_reveal()

    def _breach(self, vow: Vow, slot: int) -> Breach:
        bit, hidden, move = vow
        seat, suit = self.players[bit // SUITS], DECK.kind.suit_names[bit % SUITS]
        card = DECK.kind.text(self.faces[slot])
        promise = Promise(seat, "TRA-04", slots_of(hidden), move)
        return Breach(promise, f"seat {seat} didn't follow {suit} and held {card}")

    def _revealed(self, given: Revealed) -> TraversoneState:
        """What a hand that ended early left hidden settles the promises that are left."""
        faces = self._checked(given.faces)
        self._agree(faces)
        new = self.with_faces(faces)
        breaches = list(self.breaches)
        for vow in self.vows:
            bit, hidden, _ = vow
            held = slots_of(hidden & new.suits[bit % SUITS])
            if held:
                breaches.append(new._breach(vow, held[0]))
        new.deal = new.deal.but(breaches=tuple(breaches))
        new.opened = ALL_SLOTS
        cheats = sorted({breach.promise.seat for breach in breaches})
        new.notes = tuple(note("broken-promise", seat) for seat in cheats)
        return new._finish((), new.deal.count)

    def _finish(self, leavers: Collection[int], counted: Count | None) -> TraversoneState:
        """GEN-01, then TRA-20 to TRA-22; `leavers` went away when only the reveal was due."""
        deal = self.deal
        before = deal.match
        if deal.auto:
            self.opened = ALL_SLOTS
        if counted is None:
            self.notes += (note("void"),)
            cheats = {breach.promise.seat for breach in deal.breaches}
            after = traversone_match.put_out(before, cheats | set(leavers))
            return self._after_match(after, deal.dealer)
        after = traversone_match.settle(before, deal.players, counted.penalties)
        if after.living != before.living and not before.further:
            out = sorted(set(before.living) - set(after.living) - set(after.placed))
            self.notes += tuple([note("out", seat, (after.totals[seat],)) for seat in out])
        if after.further:
            self.notes += tuple([note("further-deal", seat) for seat in after.living])
        if leavers:
            after = traversone_match.put_out(after, leavers)
        if after.ended:
            self.deal = deal.but(count=counted)
        return self._after_match(after, deal.dealer + 1)

    def _to_draw(self) -> TraversoneState:
        living = self.match.living
        self.deal = self.deal.but(players=living, drawing=living)
        self.phase = Phase.DRAW
        self.due = Cards((Draw(DECK),))
        return self

    def _leave(self, given: Leave) -> TraversoneState:
        """GEN-02."""
        gone = self._gone(given)
        new = self._copy()
        leaving = sorted(gone & {*self.match.living, *self.match.placed})
        new.notes = tuple(note("leaves", seat) for seat in leaving)
        if not leaving:
            return new
        if self.phase is Phase.REVEAL:
            return new._finish(leaving, self.deal.count)
        if self.faces:
            new.notes += (note("void"),)
        after = traversone_match.put_out(self.match, leaving)
        new.deal = Deal(
            *(self.options, self.seats, after, self.hand, self.dealer, self.players),
            self.deal.decides,
            shown=(0,) * self.seats,
        )
        new._clear()
        if self.dealer < 0 and not after.ended:
            return new._to_draw()
        return new._after_match(after, self.dealer)


def _misplaced(phase: Phase) -> IllegalMove:
    """A move of another phase than the one where a player is to decide."""
    if phase is Phase.ASIDE:
        return IllegalMove("TRA-31", "the dealer puts a card aside now, as in aside Rd")
    return IllegalMove("TRA-03", "a turn is a card of the hand, as in Rd")


_S = TraversoneState
_TABLE: Final[Handlers[TraversoneState]] = handlers(
    _S._leave,
    {Drawn: _S._drawn},
    {Shuffled: _S._shuffled},
    {Seen: _S._looked},
    {Aside: _S._put_aside},
    {},
    {Seen: _S._laid},
    {Seen: _S._drew},
    {Seen: _S._turned_up},
    {Revealed: _S._revealed},
)
"""Indexed by Phase: which inputs are due and what they do."""


def begin(options: TraversoneOptions, seats: int) -> TraversoneState:
    """The first position of a match; OptionError if so many can't play it."""
    check_seats(options, seats)
    new: TraversoneState = new_blank(TraversoneState)
    match = traversone_match.new_match(options, seats)
    new.deal = Deal(options, seats, match, shown=(0,) * seats)
    new.notes = ()
    new._clear()
    return new._to_draw()
