"""From the draw for the first deal to the end of the exchange (PIC-02, PIC-03, PIC-10..PIC-15).

Law: this file knows in which order cards are dealt, looked at, resealed and exchanged. It must
never know a face by other means than its position, nor anything of declarations and tricks.

No ciphertext is shown to two seats: what the elder saw and left is resealed before the younger
may see it. A hand is resealed before cards leave it face down and again after the exchange, so
that nobody can tell whether a played card was dealt or drawn (PIC-14).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Final, NamedTuple, Self

from engine.cards import UNKNOWN
from engine.contract import (
    Cards,
    Decide,
    Drawn,
    Resealed,
    Seen,
    Shuffle,
    Shuffled,
)
from engine.errors import IllegalMove, OutOfTurn
from engine.games.picchetto_cards import FIGURES, PACKS, RANKS, SLOTS, codes_of, known_of
from engine.games.picchetto_dialogue import OPENING
from engine.games.picchetto_frame import (
    DEALT,
    ELDER,
    ELDERS_TALON,
    NO_FLOORS,
    YOUNGER,
    Act,
    Aim,
    Deal,
    Layout,
    Phase,
    Step,
    Talk,
    VowKind,
    Wait,
    requests_of,
)
from engine.games.picchetto_legal import Legal
from engine.games.picchetto_match import SEATS, Match
from engine.games.picchetto_moves import Bianca, Change
from engine.position import note

DECIDE: Final = tuple(Decide(seat) for seat in range(SEATS))
_DECIDES: Final = (DECIDE[::-1], DECIDE)
"""By dealer: what is due at the turn of the elder and of the younger."""
BATTUTA: Final = "battuta_presa"
"""The usual way to count tricks (PIC-35)."""
_SHUFFLE: Final = {name: Cards((Shuffle(pack.deck),)) for name, pack in PACKS.items()}
_NO_LAYOUT: Final = Layout()
WHITE_POINTS: Final = 10
BONUS_AT: Final = 30
NOVANTA: Final = 60
"""What is added when the 30 is reached in the declarations (PIC-25)."""
_SIZES: Final = (DEALT, DEALT)
TALON: Final = tuple(range(SEATS * DEALT, SLOTS))


def _packets(packet: int, at: int) -> int:
    """The slots of one of the two when packets of this size are dealt in turn (CARD-06)."""
    return sum(1 << slot for slot in range(SEATS * DEALT) if slot // packet % SEATS == at)


DEALS: Final = {packet: (_packets(packet, ELDER), _packets(packet, YOUNGER)) for packet in (2, 3)}
"""By size of the packets: the slots of the elder and of the younger."""


def _looks(packet: int, dealer: int) -> tuple[Step, ...]:
    """What is asked for after a deal."""
    (mine, theirs), elder = DEALS[packet], 1 - dealer
    return (
        ((Act.RESEAL, mine, elder),),
        ((Act.RESEAL, theirs, dealer),),
        ((Act.SHOW, mine, elder), (Act.SHOW, theirs, dealer)),
    )


_LOOKS: Final = {packet: [_looks(packet, dealer) for dealer in range(SEATS)] for packet in DEALS}
_LOOKED: Final = {packet: (hands[::-1], hands) for packet, hands in DEALS.items()}
"""By size of the packets and by dealer: what is asked for after a deal, and what each seat has seen
when it is done."""
_ALL_UNKNOWN: Final = bytes((UNKNOWN,)) * SLOTS


AFTER_TRADES: Final[dict[Aim, tuple[Phase, int, Talk | None]]] = {
    Aim.ELDER: (Phase.ELDER, ELDER, None),
    Aim.CHANGE: (Phase.CHANGE, ELDER, None),
    Aim.YOUNGER: (Phase.YOUNGER, YOUNGER, None),
    Aim.TALK: (OPENING.phase, OPENING.at, OPENING),
}
"""What cards that are dealt or exchanged lead to: the phase, whose turn it is and the dialogue."""


class _Trade(NamedTuple):
    """The cards of an exchange that was made, as masks of slots.

    seen  what the elder saw and left, which the elder reseals before the younger may see it
    hand  the hand after the exchange, which `seat` reseals and is shown again
    more  what else is shown to `seat`: the rest of the elder's five cards (PIC-12), or for the
          younger the rest of the talon (PIC-13)
    """

    elder: int
    seat: int
    seen: int
    hand: int
    more: int

    def steps(self) -> list[Step]:
        """What is asked for."""
        elder, seat, seen, hand, more = self
        first: Step = ((Act.RESEAL, seen, elder),) if seen else ()
        looks: Step = ((Act.SHOW, hand, seat),)
        return [
            first,
            ((Act.RESEAL, hand, seat),),
            (*looks, (Act.SHOW, more, seat)) if more else looks,
        ]


# Members as plain names: to look one up in its class takes longer than to compare it.
_ACT_OPEN: Final = Act.OPEN
_ACT_RESEAL: Final = Act.RESEAL
_ACT_SHOW: Final = Act.SHOW
_AIM_CHANGE: Final = Aim.CHANGE
_AIM_ELDER: Final = Aim.ELDER
_AIM_TALK: Final = Aim.TALK
_AIM_WHITE_ELDER: Final = Aim.WHITE_ELDER
_AIM_WHITE_YOUNGER: Final = Aim.WHITE_YOUNGER
_AIM_YOUNGER: Final = Aim.YOUNGER
_PHASE_ELDER: Final = Phase.ELDER
_PHASE_FIX: Final = Phase.FIX
_PHASE_PLAY: Final = Phase.PLAY
_PHASE_SERVE: Final = Phase.SERVE
_PHASE_SHUFFLE: Final = Phase.SHUFFLE
_PHASE_YOUNGER: Final = Phase.YOUNGER
_VOW_BIANCA: Final = VowKind.BIANCA
_VOW_FIGURE: Final = VowKind.FIGURE


class Exchanging(Legal):
    """A position that can deal and exchange."""

    __slots__ = ()

    # A method below that begins with `_to_` or `_after_`, and `_serve`, changes the fresh copy it
    # belongs to.

    # ------------------------------------------------------------------ cards that are asked for

    def _serve(self, steps: Iterable[Step], aim: Aim, cards: int = 0) -> Self:
        """Have the requests of `steps` done, one turn each, then go on to `aim`."""
        if self.deal.auto:
            self._effect(steps)
            return self._arrive(aim, cards)
        due = tuple(step for step in steps if step)
        if not due:
            return self._arrive(aim, cards)
        self.phase = _PHASE_SERVE
        self.wait = Wait(due, aim, cards)
        self.due = Cards(requests_of(due[0]))
        return self

    def _seen(self, given: Seen) -> Self:
        if not self.wait or self.wait.steps[0][0][0] is _ACT_RESEAL:
            raise OutOfTurn("a reseal is due")
        new = self._copy()
        new._see(given)
        return new._after_step()

    def _resealed(self, _: Resealed) -> Self:
        if not self.wait or self.wait.steps[0][0][0] is not _ACT_RESEAL:
            raise OutOfTurn("no reseal is due")
        return self._copy()._after_step()

    def _after_step(self) -> Self:
        wait = self.wait
        if wait is None:
            raise OutOfTurn("no cards are due")
        self._effect(wait.steps[:1])
        if len(wait.steps) > 1:
            self.wait = wait._replace(steps=wait.steps[1:])
            self.due = Cards(requests_of(wait.steps[1]))
            return self
        self.wait = None
        return self._arrive(wait.aim, wait.cards)

    @abstractmethod
    def _arrive(self, aim: Aim, cards: int) -> Self:
        """What the cards were asked for."""

    @abstractmethod
    def _to_reveal(self) -> Self:
        """The deal is over."""

    # ------------------------------------------------------------------ the deal

    def _drawn(self, given: Drawn) -> Self:
        """PIC-02: each draws a card, seat 0 first, until they differ in rank; if a whole deck
        decides nothing, from another one."""
        self.deck.check(given.faces)
        codes = self.match.pack.codes
        new = self._copy()
        for at in range(0, len(given.faces), SEATS):
            mine, theirs = (codes[face] % RANKS for face in given.faces[at : at + SEATS])
            if mine != theirs:
                dealer = 0 if mine < theirs else 1
                new.notes = (note("dealer-drawn", dealer, (at + SEATS,)),)
                return new._to_deal(dealer, self.match)
        new.moves += 1  # another state, though the same is due
        new.notes = (note("draws-again"),)
        return new

    def _to_deal(self, dealer: int, match: Match) -> Self:
        """The next hand, with nothing of the last one's cards left."""
        old = self.deal
        hand = old.hand + 1
        self.deal = Deal(
            old.options,
            old.seats,
            old.deck,
            match,
            (1 - dealer, dealer),
            _DECIDES[dealer],
            hand,
            dealer,
            breaches=old.breaches,
        )
        self._clear(_PHASE_SHUFFLE)
        self.due = _SHUFFLE[old.options.deck]
        self.notes += (note("deals", dealer, (hand,)),)
        return self

    def _clear(self, phase: Phase) -> None:
        """No card of the last hand is left."""
        self.lay = _NO_LAYOUT
        self.phase = phase
        self.wait = self.talk = None
        self.laid = self.made = 0
        self.at = 0
        self.vows = ()
        self.floors = NO_FLOORS
        self.held = self.points = self.won = (0, 0)
        self.led = -1

    def _shuffled(self, given: Shuffled) -> Self:
        """PIC-03. Each reseals the hand that fell to it, so that no card can be followed from the
        deck to where it is put aside or played."""
        old = self.deal
        match, packet, dealer = old.match, old.options.packet, old.dealer
        auto = given.faces is not None
        faces = _ALL_UNKNOWN if given.faces is None else self._checked(given.faces)
        new: Self = self.whole()
        new.deal = dealt(old, faces, auto)
        new.held = DEALS[packet]
        shown, reseals = (_LOOKED[packet][dealer], SEATS) if auto else ((0, 0), 0)
        lay = Layout(TALON, limits=limits_of(match, dealer), shown=shown, reseals=reseals)
        new.lay = lay
        new.phase = _PHASE_ELDER
        new.wait = new.talk = None
        new.laid = new.made = 0
        new.at = ELDER
        new.led = -1
        new.points = new.won = (0, 0)
        new.notes = new.vows = ()
        new.floors = NO_FLOORS
        new.due = old.decides[ELDER]
        return new if auto else new._serve(_LOOKS[packet][dealer], _AIM_ELDER)

    # ------------------------------------------------------------------ carta bianca

    def _bianca(self, move: Bianca) -> Self:
        """PIC-10. The elder's hand is opened when the younger has fixed the own discard."""
        low = self.options.min_exchange
        if not self._may_be_white():
            raise IllegalMove("PIC-10", "carta bianca is announced before one's own exchange")
        if self._has_figure(self.at):
            raise IllegalMove("PIC-10", "this hand holds a figure")
        if self.at == YOUNGER and move.number:
            raise IllegalMove("PIC-10", "the younger says no number with the carta bianca")
        if self.at == ELDER and not low <= move.number <= ELDERS_TALON:
            text = "say how many cards will be exchanged, {low} to {high}: bianca {low}"
            raise IllegalMove("PIC-10", text, low=low, high=ELDERS_TALON)
        new = self._copy()
        hand = self.held[self.at]
        seat = self.players[self.at]
        new.vows += (self._vow("PIC-10", hand, _VOW_BIANCA),)
        new.moves += 1
        new.notes = (note("bianca", seat, (move.number,) if move.number else ()),)
        if self.at == YOUNGER:
            return new._serve([((_ACT_OPEN, hand, seat),)], _AIM_WHITE_YOUNGER)
        new.lay = self.lay.but(announced=move.number)
        return new._to_decide(_PHASE_FIX, YOUNGER)

    def _after_white(self, at: int) -> Self:
        """The hand lies open: it counts 10 at once, then nobody can follow its cards any more."""
        hand = self.held[at]
        vow = next(n for n, v in enumerate(self.vows) if v.kind is _VOW_BIANCA)
        if self.known.hand(hand) & FIGURES:
            if at == YOUNGER:
                raise IllegalMove("PIC-10", "the hand that was shown holds a figure")
            self._breached(vow)
            return self._to_reveal()
        self.vows = self.vows[:vow] + self.vows[vow + 1 :]
        faces = self.match.pack.faces
        bared = tuple(faces[code] for code in codes_of(self.known.hand(hand)))
        self.lay = self.lay.but(white=at, bared=bared)
        ended = self._gain(at, WHITE_POINTS, 0)
        seat = self.players[at]
        self.notes += (note("counts-bianca", seat, (WHITE_POINTS, self.points[at])),)
        if ended:
            return self._to_reveal()
        aim = _AIM_YOUNGER if at == YOUNGER else _AIM_CHANGE
        return self._serve([((_ACT_RESEAL, hand, seat),), ((_ACT_SHOW, hand, seat),)], aim)

    # ------------------------------------------------------------------ the exchange

    def _change(self, move: Change) -> Self:
        """PIC-11 to PIC-15."""
        at, deal, lay = self.at, self.deal, self.lay
        count, taken, phase = move.given.bit_count(), move.taken, self.phase
        low, high, slack = self._bounds()
        if (
            move.given & ~self.held[at]
            or not low <= taken <= high
            or not -slack <= count - taken <= slack
            or count < deal.options.min_exchange
        ):
            raise self._refused_change(move)
        if phase is _PHASE_FIX:
            new = self._next(phase, at)
            new.notes = (note("fixes", deal.players[at], (count, taken)),)
            new.lay = lay.but(fixed=move)
            white = (_ACT_OPEN, self.held[ELDER], deal.players[ELDER])
            return new._serve([(white,)], _AIM_WHITE_ELDER)
        fixed = lay.fixed
        aim = _AIM_YOUNGER if at == ELDER and fixed is None else _AIM_TALK
        phase, turn, talk = AFTER_TRADES[aim] if deal.auto else (phase, at, None)
        new = self._next(phase, turn, talk)
        new.notes = (note("exchanges", deal.players[at], (count, taken)),)
        if deal.options.bianca_must_announce and self._may_be_white():
            figure = self._has_figure(at)
            if figure is False:
                raise IllegalMove("PIC-10", "a hand without a figure is announced: bianca")
            if figure is None:
                new.vows += (self._vow("PIC-10", self.held[at], _VOW_FIGURE),)
        trades = [new._take(at, move)]
        if at == ELDER and fixed:
            trades.append(new._take(YOUNGER, fixed))
        if deal.auto:
            return new
        return new._serve([step for trade in trades if trade for step in trade.steps()], aim)

    def _refused_change(self, move: Change) -> IllegalMove:
        low, high, slack = self._bounds()
        count = move.given.bit_count()
        if move.given & ~self.held[self.at]:
            return IllegalMove("PIC-11", "a card that isn't in the hand can't be put aside")
        if abs(count - move.taken) > slack:
            return IllegalMove("PIC-15", "as many cards are taken as are put aside")
        rule = "PIC-13" if self.at == YOUNGER else "PIC-11"
        if low == high:
            return IllegalMove(rule, "here {low} cards are exchanged", low=low)
        return IllegalMove(rule, "here {low} to {high} cards are exchanged", low=low, high=high)

    def _take(self, at: int, move: Change) -> _Trade | None:
        """A fresh copy's cards change their places (PIC-14: for good). What is asked for then; None
        in an open state, which knows the answers."""
        deal, lay, taken, given = self.deal, self.lay, move.taken, move.given
        talon, before, mute, fixed = lay.talon, lay.seen, lay.mute, lay.fixed
        left = talon[taken:]
        top = SLOTS - len(talon)  # the talon is the end of the deck
        (a, b), (put, other), (mine, theirs) = self.held, lay.aside, lay.sizes
        hand = (b if at else a) & ~given | ((1 << taken) - 1) << top
        size = hand.bit_count()
        if at == ELDER:
            a, put, mine, resealed = hand, given, size, 0
            looks = seen = ELDERS_TALON - taken
        else:
            b, other, theirs, fixed = hand, given, size, None
            looks, resealed = len(left), ((1 << before) - 1) << top
            seen = before - taken if before > taken else 0
        self.held = (a, b)
        if size > DEALT:  # PIC-15: even a carta bianca that was counted comes to nothing
            mute, points = at, self.points
            self.points = (0, points[1]) if at == ELDER else (points[0], 0)
        more = ((1 << looks) - 1) << top + taken
        players, shown, reseals = deal.players, lay.shown, lay.reseals
        trade: _Trade | None = None
        if deal.auto:
            free, saw = ~(resealed | hand), hand | more
            self.laid &= free
            c, d = shown
            shown = (c & free, d & free | saw) if players[at] else (c & free | saw, d & free)
            reseals += 2 if resealed else 1
        else:
            trade = _Trade(players[ELDER], players[at], resealed, hand, more)
        self.lay = Layout(
            left,
            seen,
            (put, other),
            (mine, theirs),
            mute,
            lay.white,
            lay.bared,
            lay.announced,
            fixed,
            lay.limits,
            shown,
            reseals,
        )
        return trade

    # ------------------------------------------------------------------ counting

    def _gain(self, at: int, points: int, bonus: int) -> bool:
        """Player `at` counts `points`; True if that ends the deal (PIC-40). See `counted`."""
        lay = self.lay
        if lay.mute == at:
            return False
        before = self.points
        self.points = after = counted(before, at, points, bonus, lay)
        own = after[at]
        if own - before[at] > points:
            kind = "novanta" if bonus == NOVANTA else "sessanta"
            self.notes += (note(kind, self.deal.players[at], (own, bonus)),)
        return own >= lay.limits[at]


def dealt(old: Deal, faces: bytes, auto: bool) -> Deal:
    """The same when the deck lies dealt."""
    return Deal(
        old.options,
        old.seats,
        old.deck,
        old.match,
        old.players,
        old.decides,
        old.hand,
        old.dealer,
        faces,
        known_of(old.match.pack, faces),
        auto,
    )


def limits_of(match: Match, dealer: int) -> tuple[int, int]:
    """With how many points the elder and the younger end the next deal (PIC-40)."""
    a, b = match.limit(0), match.limit(1)
    return (a, b) if dealer else (b, a)


def counted(
    points: tuple[int, int], at: int, number: int, bonus: int, lay: Layout
) -> tuple[int, int]:
    """What the elder and the younger have when player `at` counts `number`: with `bonus` when the
    30 is reached while the other has nothing and showed no carta bianca (PIC-10, PIC-25, PIC-34).
    """
    a, b = points
    if at:
        after = b + number
        if b < BONUS_AT <= after and not a and lay.white != ELDER:
            after += bonus
        return a, after
    after = a + number
    if a < BONUS_AT <= after and not b and lay.white != YOUNGER:
        after += bonus
    return after, b
