"""A position of Briscola and the way forward from it (BRI-03..BRI-11, GEN-02).

Law: this file knows the order of a hand: what is due, what it shows, when it ends. It must never
know how cards are dealt; nothing in it looks at a card that its state doesn't show.

    phase    turn()                                              next
    -------  --------------------------------------------------  ------------------------------
    DRAW     Cards(Draw)                                         SHUFFLE: the lowest deals (BRI-03)
    SHUFFLE  Cards(Shuffle)                                      LOOK
    LOOK     Cards(Show each hand to its owner, Open briscola)   PLAY
    PLAY     Decide(seat)                                        OPENING
    OPENING  Cards(Open the card)                                PLAY, DRAWING, REVEAL
    DRAWING  Cards(Show each card drawn to its owner)            PLAY
    REVEAL   Cards(Reveal)                                       SHUFFLE, OVER
    OVER     Over

The briscola lies open, so who draws and plays it shows it to nobody again: such requests are left
out, and a phase without requests is passed over. An open state passes over LOOK, OPENING, DRAWING
and REVEAL. `Leave` leads to SHUFFLE or OVER (before the first dealer is known, back to DRAW).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final

from engine.cards import UNKNOWN
from engine.contract import (
    Cards,
    Decide,
    Draw,
    Drawn,
    Input,
    Leave,
    Note,
    Open,
    Over,
    Request,
    Revealed,
    Seen,
    Show,
    Shuffle,
    Shuffled,
    mask_of,
)
from engine.errors import IllegalMove, OptionError, OutOfTurn
from engine.games.briscola_cards import (
    ALL_POINTS,
    CARDSETS,
    FULL,
    HAND,
    MAX_SEATS,
    MIN_SEATS,
    BriscolaOptions,
    Cardset,
)
from engine.games.briscola_position import (
    PLAYS,
    SIDES,
    Deal,
    Phase,
    Play,
    Position,
)
from engine.games.phases import REVEAL, Handlers, dealt_by, decides, handlers, refusal
from engine.games.tricks import ALONE, packets
from engine.position import new_blank, note, open_slots, slots_of

__all__ = ["PLAYS", "BriscolaState", "Phase", "Play", "begin"]

_PLAY: Final = Phase.PLAY
_SHUFFLE: Final = {n: Cards((Shuffle(cards.deck),)) for n, cards in CARDSETS.items()}
_OPEN_BRISCOLA: Final = {n: Cards((Open((HAND * n,)),)) for n in CARDSETS}
"""By the number of players."""
_TAKES: Final = tuple(
    tuple((Note("takes", seat, (points,)),) for points in range(ALL_POINTS + 1))
    for seat in range(MAX_SEATS)
)
"""Notes by seat and points, made once because there are so many of them."""
_PACKETS: Final = {n: packets((HAND,) * n) for n in CARDSETS}
_BIT: Final = {slot: 1 << slot for slot in range(FULL.deck.size)}


@lru_cache(maxsize=256)
def _seated(
    living: tuple[int, ...], start: int
) -> tuple[int, tuple[int, ...], tuple[Decide, ...], tuple[int, ...], Cardset, Cards]:
    """The dealer, who is the first of `living` from `start` on (BRI-03), the players with what is
    due at each one's turn and who follows, and their cards."""
    dealer = next((seat for seat in living if seat >= start), living[0])
    players = dealt_by(living, dealer)
    return (
        *(dealer, players, decides(players)),
        *((*range(1, len(players)), 0), CARDSETS[len(players)], _SHUFFLE[len(players)]),
    )


class BriscolaState(Position):
    """A position that `apply` leads on from; `Position` has the fields."""

    __slots__ = ()

    def apply(self, given: Input) -> BriscolaState:
        if type(given) is Play and self.phase is _PLAY:
            slot = given.slot
            if not self.packets[self.at] & self.left & _BIT.get(slot, 0):
                raise IllegalMove("BRI-06", "that card isn't in the hand")
            deal = self.deal
            if deal.auto or self.opened >> slot & 1:
                return self._lay(slot, deal)
            new = self._copy()
            new.phase = Phase.OPENING
            new.due = Cards((Open((slot,)),))
            return new
        handler = _TABLE[self.phase].get(type(given))
        if handler is None:
            raise refusal(given, self.phase, self.due, _misplaced)
        return handler(self, given)

    def played_openly(self, faces: bytes) -> BriscolaState:
        """This position as an open one with the deck `faces`, for roll-outs; a card is to be
        played, and the deck must agree with what is known here (ValueError)."""
        if self.phase is not _PLAY:
            raise OutOfTurn(f"no card is to be played in phase {self.phase.name}")
        faces = self._checked(faces)
        self._agree(faces)
        new = self._copy()
        new.deal = self.deal.knowing(faces, auto=True)
        return new

    # A method below that begins with `_to_` or `_after_` changes the fresh copy it belongs to.

    def _drawn(self, given: Drawn) -> BriscolaState:
        """BRI-03; of equal ranks the suit that the deck has first is the lower."""
        self.deck.check(given.faces)
        strength = self.cards.strength
        lowest = min(
            (strength[face], face, seat)
            for seat, face in zip(self.players, given.faces, strict=False)
        )
        new = self._copy()
        new.notes = (note("dealer-drawn", lowest[2]),)
        return new._to_deal(self.living, lowest[2], self.games)

    def _to_deal(
        self, living: tuple[int, ...], start: int, games: tuple[int, ...]
    ) -> BriscolaState:
        """The next hand, dealt by the first living seat from `start` on (BRI-03)."""
        old = self.deal
        hand = old.hand + 1
        dealer, players, turns, after, cards, due = _seated(living, start % old.seats)
        self.deal = Deal(
            *(old.options, old.seats, living, games, hand, dealer),
            *(players, turns, after, cards, cards.deck),
        )
        self._clear()
        self.phase = Phase.SHUFFLE
        self.due = due
        self.notes += (note("deals", dealer, (hand,)),)
        return self

    def _forget(self) -> None:
        self.stock = 0

    def _shuffled(self, given: Shuffled) -> BriscolaState:
        """BRI-04: packets of three, the briscola, the stock."""
        old = self.deal
        players = len(old.players)
        briscola = HAND * players
        auto = given.faces is not None
        if given.faces is None:
            faces = bytes((UNKNOWN,)) * old.deck.size
        else:
            old.deck.check(given.faces)
            faces = bytes(given.faces)
        new = self._copy()
        new.deal = old.knowing(faces, auto, briscola)
        new.packets, new.left = _PACKETS[players]
        new.stock = briscola + 1
        new.took = (0,) * players
        if auto:
            new.opened = 1 << briscola
            new.phase = _PLAY
            new.due = new.deal.decides[0]
            return new
        new.phase = Phase.LOOK
        return new._to_requests([*new._looks(), *_OPEN_BRISCOLA[players].requests])

    def _to_requests(self, requests: Sequence[Request]) -> BriscolaState:
        """Stop for `requests`, or answer them where all cards are known or nothing is asked."""
        self.due = Cards(tuple(requests))
        return self._after_cards() if self.auto or not requests else self

    def _seen(self, given: Seen) -> BriscolaState:
        slots = open_slots(self.due)
        faces = self._shown_by(given)
        deal = self.deal
        if slots:
            deal = deal.knowing(faces, deal.auto)
        if self.phase is Phase.OPENING:
            return self._lay(slots[0], deal)
        new = self._copy()
        new.deal = deal
        return new._after_cards()

    def _after_cards(self) -> BriscolaState:
        """What the requests showed is seen, and the next player decides."""
        self.opened |= mask_of(open_slots(self.due))
        self.phase = _PLAY
        self.due = self.deal.decides[self.at]
        return self

    def _lay(self, slot: int, deal: Deal) -> BriscolaState:
        """BRI-06: the known card of `slot` lies on the table. Here a match spends its time."""
        bit = 1 << slot
        face = deal.faces[slot]
        at = self.at
        best = self.best
        new: BriscolaState = new_blank(BriscolaState)
        new.deal = deal
        new.phase = _PLAY
        new.opened = self.opened | bit
        new.left = self.left ^ bit
        new.packets = self.packets
        new.stock = self.stock
        new.took = self.took
        new.notes = ()
        if deal.beats[best][face]:
            new.best = face
            new.taker = at
        else:
            new.best = best
            new.taker = self.taker
        new.trick = trick = self.trick + ALONE[slot]
        if len(trick) == len(deal.players):
            return new._after_trick()
        new.at = at = deal.after[at]
        new.due = deal.decides[at]
        return new

    def _after_trick(self) -> BriscolaState:
        """BRI-06, BRI-07."""
        deal = self.deal
        self.notes = _TAKES[deal.players[self.taker]][self._take_trick()]
        if self.stock <= len(deal.faces):
            return self._to_drawing()
        return self if self.left else self._to_reveal()

    def _to_drawing(self) -> BriscolaState:
        """BRI-07: each draws, the winner first; whoever is last may get the briscola."""
        deal = self.deal
        size, after = len(deal.faces), deal.after
        packets = list(self.packets)
        first = slot = self.stock
        at = self.taker
        for _ in packets:
            packets[at] |= 1 << (slot if slot < size else deal.briscola)
            slot += 1
            at = after[at]
        self.packets = tuple(packets)
        self.left |= (1 << slot) - (1 << first)
        if slot > size:
            self.left ^= 1 << size | 1 << deal.briscola
        self.stock = slot
        if deal.auto:
            return self
        self.phase = Phase.DRAWING
        drawn = ((1 << min(slot, size)) - 1) >> first << first
        seats = (deal.players[self.taker :] + deal.players[: self.taker])[: drawn.bit_count()]
        return self._to_requests(
            [Show((at,), seat) for at, seat in zip(slots_of(drawn), seats, strict=True)]
        )

    # ------------------------------------------------------------------ the end of a hand

    def _to_reveal(self) -> BriscolaState:
        """BRI-08."""
        self.phase = Phase.REVEAL
        self.due = REVEAL
        points = self.points()
        counted = sorted(zip(self.deal.players, points, strict=True))
        self.notes += tuple([note("counts", seat, (own,)) for seat, own in counted])
        return self._finish((), points) if self.deal.auto else self

    def _revealed(self, given: Revealed) -> BriscolaState:
        faces = self._checked(given.faces)
        self._agree(faces)
        new = self._copy()
        new.deal = self.deal.knowing(faces, self.auto)
        return new._finish((), new.points())

    def _finish(self, leavers: Collection[int], points: tuple[int, ...]) -> BriscolaState:
        """BRI-09, BRI-10; `leavers` went away when only the reveal was due."""
        deal = self.deal
        living, games = deal.living, deal.games
        self.opened = (1 << len(deal.faces)) - 1
        side_of = SIDES[deal.seats]
        sums = [0] * deal.seats
        for seat, own in zip(deal.players, points, strict=True):
            sums[side_of[seat]] += own
        most = max(sums)
        if sums.count(most) > 1:
            self.notes += (note("drawn"),)
        else:
            first = sums.index(most)
            won = [seat for seat in living if side_of[seat] == first]
            games = tuple([n + (seat in won) for seat, n in enumerate(games)])
            self.notes += tuple([note("game", seat, (games[seat],)) for seat in won])
            if games[won[0]] >= deal.options.games:
                self.deal = deal.but(games=games)
                return self._to_over(tuple(won), "games-won")
        if not leavers:
            return self._to_deal(living, deal.dealer + 1, games)
        living = tuple(seat for seat in living if seat not in leavers)
        return self._after_leaving(living, deal.dealer + 1, games)

    def _to_over(self, winners: tuple[int, ...], reason: str) -> BriscolaState:
        self.phase = Phase.OVER
        self.due = Over(self._result(winners, reason))
        self.notes += tuple(note("wins", seat) for seat in winners)
        return self

    def _after_leaving(
        self, living: tuple[int, ...], start: int, games: tuple[int, ...]
    ) -> BriscolaState:
        """BRI-11: the next deal by the first of `living` from `start` on, unless it is decided."""
        deal = self.deal
        sides = [self.side(seat) for seat in living]
        whole = {side for side in sides if sides.count(side) > 1}
        if len(set(sides)) < 2 or len(whole) == 1:
            self.deal = deal.but(living=living, games=games)
            winners = tuple(s for s in living if len(whole) != 1 or self.side(s) in whole)
            return self._to_over(winners, "others-left" if living else "abandoned")
        if deal.dealer >= 0:
            return self._to_deal(living, start, games)
        self._to_no_deal(living, living)
        self.phase = Phase.DRAW
        self.due = Cards((Draw(self.deal.deck),))
        return self

    def _to_no_deal(self, living: tuple[int, ...], players: tuple[int, ...]) -> None:
        """A hand that is void, or none yet: no card lies dealt."""
        old = self.deal
        cards = CARDSETS.get(len(players), FULL)
        self.deal = Deal(
            *(old.options, old.seats, living, old.games, old.hand, old.dealer, players),
            decides(players),
            (*range(1, len(players)), 0),
            *(cards, cards.deck),
        )
        self._clear()

    def _leave(self, given: Leave) -> BriscolaState:
        """GEN-02."""
        gone = self._gone(given)
        new = self._copy()
        leaving = sorted(gone & set(self.living))
        new.notes = tuple(note("leaves", seat) for seat in leaving)
        if not leaving:
            return new
        if self.phase is Phase.REVEAL:
            return new._finish(leaving, new.points())
        if self.faces:
            new.notes += (note("void"),)
        living = tuple(seat for seat in self.living if seat not in gone)
        new._to_no_deal(living, self.players)
        return new._after_leaving(living, self.dealer, self.games)


def _misplaced(_: Phase) -> IllegalMove:
    return IllegalMove("BRI-06", "a turn is a card of the hand, as in Rd")


_S = BriscolaState
_TABLE: Final[Handlers[BriscolaState]] = handlers(
    _S._leave,
    {Drawn: _S._drawn},
    {Shuffled: _S._shuffled},
    {Seen: _S._seen},
    {},
    {Seen: _S._seen},
    {Seen: _S._seen},
    {Revealed: _S._revealed},
)
"""Indexed by Phase: which inputs are due and what they do."""


def begin(options: BriscolaOptions, seats: int) -> BriscolaState:
    """The first position of a match; OptionError if so many can't play it."""
    if type(seats) is not int or not MIN_SEATS <= seats <= MAX_SEATS:
        raise OptionError(f"Briscola is for {MIN_SEATS} to {MAX_SEATS} players")
    living = tuple(range(seats))
    new: BriscolaState = new_blank(BriscolaState)
    new.deal = Deal(options, seats, living, (0,) * seats)
    new.notes = ()
    return new._after_leaving(living, 0, new.deal.games)
