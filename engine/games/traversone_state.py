"""A position of Traversone and the way forward from it (TRA-02..TRA-04, TRA-30..TRA-34).

Law: this file knows the order of a hand: what is due, what it opens, when it ends. It must never
know how cards are dealt; nothing in it looks at a card that its state doesn't show. What follows a
hand's last trick is traversone_ending's.

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

from functools import lru_cache
from typing import Final

from engine.cards import UNKNOWN
from engine.contract import (
    Cards,
    Drawn,
    Input,
    Note,
    Open,
    Revealed,
    Seen,
    Shuffled,
)
from engine.errors import IllegalMove, OutOfTurn
from engine.games import traversone_match
from engine.games.phases import Handlers, handlers, opened_by, refusal
from engine.games.traversone_count import (
    BEATS,
    DECK,
    MAX_SEATS,
    RANKS,
    STRENGTH,
    THIRDS,
    TraversoneOptions,
    check_seats,
)
from engine.games.traversone_ending import Ending
from engine.games.traversone_moves import Aside, Play
from engine.games.traversone_position import (
    DRAWING_PLAYERS,
    SUITS,
    WORTH,
    Deal,
    Phase,
    suit_masks,
)
from engine.games.tricks import ALONE, packets
from engine.position import new_blank, note, open_slots

DISTRIBUTION: Final = {2: (10, 10), 3: (13, 13, 14), 4: (10,) * 4, 5: (8,) * 5}
"""Cards of each player in the order of dealing (TRA-02, TRA-30..TRA-32)."""


_PACKETS: Final = {players: packets(sizes) for players, sizes in DISTRIBUTION.items()}

_PLAY: Final = Phase.PLAY
_MOST_THIRDS: Final = sum(THIRDS[True])
_TAKES: Final = tuple(
    tuple((Note("takes", seat, (thirds,)),) for thirds in range(_MOST_THIRDS + 1))
    for seat in range(MAX_SEATS)
)
"""_TAKES[seat][thirds]: the notes of a trick, made once because there are so many tricks."""
_ASIDE_PLAYERS: Final = 3
_ALL_UNKNOWN: Final = bytes((UNKNOWN,)) * DECK.size


@lru_cache(maxsize=256)
def _dealt(seats: int, players: tuple[int, ...]) -> tuple[int, ...]:
    """For each seat the packet that is shown to it."""
    shown = [0] * seats
    for seat, packet in zip(players, _PACKETS[len(players)][0], strict=True):
        shown[seat] = packet
    return tuple(shown)


class TraversoneState(Ending):
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
        new.due = Cards(tuple(new._looks()))
        return new

    def _looked(self, given: Seen) -> TraversoneState:
        new = self._see(given)
        new.deal = new.deal.but(shown=_dealt(self.seats, self.players))
        return new._after_look()

    def _after_look(self) -> TraversoneState:
        if len(self.players) == _ASIDE_PLAYERS:
            self.phase = Phase.ASIDE
            self.due = self.deal.decides[-1]
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
        new.due = self.deal.decides[0]
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
        new.trick = trick = self.trick + ALONE[slot]
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
        self.notes = _TAKES[self.deal.players[self.taker]][self._take_trick()]
        if len(self.took) == DRAWING_PLAYERS and self.stock < DECK.size:
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
        new.due = self.deal.decides[self.at]
        return new


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
