"""The forms in which a position of Picchetto is stored: whole, or as what was played.

Law: this file writes positions shorter and must never know more of the rules than who may follow
and who takes a trick (PIC-30, PIC-31). Whatever else a short position tells is found when somebody
asks, mostly by `Playing`, which is given the same cards once more.

    Whole      every field of picchetto_position.Position, for all that isn't written shorter
    Leading    a trick is to be led to: what is left of the hands, and the tricks before
    Following  a card was led: that card, and the Leading that it came from

Most positions are tricks, and nearly all of those lead to nothing but the next one: every card is
known and no point can end the deal or make a Sessanta. Of these, nothing is made that the next
move doesn't need. `shorten` says where that begins; the last trick is played by picchetto_play.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Final

from engine.contract import Cards, Decide, Draw, Input, Move, Note, Turn
from engine.games import picchetto_match
from engine.games.picchetto_cards import SLOTS
from engine.games.picchetto_exchange import BATTUTA, BONUS_AT, DECIDE
from engine.games.picchetto_frame import NO_FLOORS, NOBODY, Deal, Phase, Vow
from engine.games.picchetto_match import PicchettoOptions
from engine.games.picchetto_moves import PLAYS_OF, Play
from engine.games.picchetto_play import LEADS, TAKES
from engine.games.picchetto_state import PicchettoState

_BITS: Final = tuple(1 << slot for slot in range(SLOTS))
_P0, _P1, _P2 = PLAYS_OF
_ALL_BELOW: Final = (-1,) * SLOTS
"""In place of Known.upto where nobody has to win."""
_PHASE_PLAY: Final = Phase.PLAY

_YOUNGERS: Final = 16
"""Bits of a score before those of the younger."""
_ONE: Final = (1, 1 << _YOUNGERS)
_ONE_EACH: Final = sum(_ONE)
_ELDERS: Final = (1 << _YOUNGERS) - 1

Past = tuple["Past | None", int, int]
"""The tricks before the last one, and the slots that were played to it."""


class Whole(PicchettoState):
    """A position with every field."""

    __slots__ = (
        *("at", "deal", "due", "floors", "held", "laid", "lay", "led", "made"),
        *("notes", "phase", "points", "talk", "vows", "wait", "won"),
    )

    def _shortened(self) -> PicchettoState:
        return shorten(self)


@dataclass(slots=True, eq=False)
class Course:
    """What the short positions of a hand have in common.

    first  the position that was written shorter
    cards  the slots that were in the hands and tricks then
    upto   as in Known, if one has to win a trick (PIC-30)
    """

    first: Whole
    deal: Deal
    decides: tuple[Decide, ...]
    codes: bytes
    suits: tuple[int, ...]
    upto: tuple[int, ...]
    cards: int


class Leading(PicchettoState):
    """A trick is to be led to, by player `at`.

    past   the tricks since `course.first`, None before they are any
    own    what is left of the hand of `at`, and `other` of the other's
    score  the points of both in one number
    taken  the slots in the elder's tricks
    """

    __slots__ = ("at", "course", "other", "own", "past", "score", "taken")
    course: Course
    past: Past | None
    own: int
    other: int
    score: int
    taken: int

    def turn(self) -> Turn:
        return self.course.decides[self.at]

    def legal(self, seat: int | None = None) -> Sequence[Move]:
        if seat is not None and seat != self.course.decides[self.at].seat:
            return ()
        may = self.own
        return _P0[may & 2047] + _P1[may >> 11 & 2047] + _P2[may >> 22]

    def apply(self, given: Input) -> PicchettoState:
        if type(given) is Play:
            slot = given.slot
            if self.own & _BITS[slot]:
                course, hand = self.course, self.other
                code = course.codes[slot]
                follow = hand & course.suits[code >> 3]
                new = Following()
                new.lead = self
                new.led = slot
                new.may = follow & ~course.upto[code] or follow or hand
                return new
        return PicchettoState.apply(self, given)

    def _shortened(self) -> PicchettoState:
        return self

    def _replayed(self) -> PicchettoState:
        """The same position as Playing makes it, with every field."""
        tricks: list[tuple[int, int]] = []
        past = self.past
        while past:
            past, led, slot = past
            tricks.append((led, slot))
        found: PicchettoState = self.course.first
        for led, slot in reversed(tricks):
            found = found._lay(led)._lay(slot)
        return found


class Following(PicchettoState):
    """The card of slot `led` was led from `lead`; the cards `may` may be played."""

    __slots__ = ("lead", "led", "may")
    lead: Leading
    may: int

    def turn(self) -> Turn:
        lead = self.lead
        return lead.course.decides[1 - lead.at]

    def legal(self, seat: int | None = None) -> Sequence[Move]:
        lead = self.lead
        if seat is not None and seat != lead.course.decides[1 - lead.at].seat:
            return ()
        may = self.may
        return _P0[may & 2047] + _P1[may >> 11 & 2047] + _P2[may >> 22]

    def apply(self, given: Input) -> PicchettoState:
        if type(given) is Play:
            slot = given.slot
            bit = _BITS[slot]
            if self.may & bit:
                lead, led = self.lead, self.led
                own, other = lead.other ^ bit, lead.own ^ _BITS[led]
                if not (own and other):
                    return self._last(slot)
                course, at = lead.course, lead.at
                new = Leading()
                new.course = course
                new.past = (lead.past, led, slot)
                code = course.codes[led]
                if code < course.codes[slot] <= code | 7:
                    at = 1 - at
                    new.own = own
                    new.other = other
                    new.score = lead.score + _ONE_EACH
                else:
                    new.own = other
                    new.other = own
                    new.score = lead.score + _ONE[at]
                new.at = at
                new.taken = lead.taken if at else lead.taken | bit | _BITS[led]
                return new
        return PicchettoState.apply(self, given)

    def _shortened(self) -> PicchettoState:
        return self

    def _last(self, slot: int) -> PicchettoState:
        """After the card of `slot` a hand is empty."""
        lead, led = self.lead, self.led
        own, other = lead.other ^ _BITS[slot], lead.own ^ _BITS[led]
        if own or other:
            return lead._replayed()._lay(led)._lay(slot)
        course, at = lead.course, lead.at
        code, first = course.codes[led], course.first
        taker = 1 - at if code < course.codes[slot] <= code | 7 else at
        new = Whole()
        new.deal = course.deal
        new.lay = first.lay
        new.phase = first.phase
        new.wait = new.talk = None
        new.laid = first.laid
        new.made = first.made
        new.at = 1 - at
        new.due = course.decides[1 - at]
        new.led = -1
        new.held = (0, 0)
        new.points = self.points
        taken = lead.taken if taker else lead.taken | _BITS[slot] | _BITS[led]
        new.won = (taken, course.cards ^ taken)
        new.vows = new.notes = ()
        new.floors = NO_FLOORS
        return new._after_trick(taker)


# ---------------------------------------------------------------------------------------------
# What short positions tell when somebody asks


def _held(self: Leading) -> tuple[int, int]:
    return (self.other, self.own) if self.at else (self.own, self.other)


def _points(self: Leading) -> tuple[int, int]:
    return self.score & _ELDERS, self.score >> _YOUNGERS


def _won(self: Leading) -> tuple[int, int]:
    return self.taken, self.course.cards ^ (self.own | self.other | self.taken)


def _takes(self: Leading) -> tuple[Note, ...]:
    if self.past is None:
        return self.course.first.notes
    return TAKES[self.players[self.at]][self.points[self.at]]


def _vows(self: Leading) -> tuple[Vow, ...]:
    return self._replayed().vows


def _floors(self: Leading) -> tuple[int, ...]:
    return self._replayed().floors


def _held_then(self: Following) -> tuple[int, int]:
    (a, b), bit = self.lead.held, _BITS[self.led]
    return a & ~bit, b & ~bit


def _points_then(self: Following) -> tuple[int, int]:
    p, q = self.lead.points
    return (p, q + 1) if self.lead.at else (p + 1, q)


def _leads(self: Following) -> tuple[Note, ...]:
    at = self.lead.at
    return LEADS[self.players[at]][self.points[at]]


_BEFORE: Final = ("lay", "phase", "wait", "talk", "laid", "made")
"""What no trick changes."""
_LEADING: Final[dict[str, Callable[[Any], object]]] = {
    "deal": attrgetter("course.deal"),
    **{name: attrgetter(f"course.first.{name}") for name in _BEFORE},
    "due": Leading.turn,
    "held": _held,
    "led": lambda _: -1,
    "points": _points,
    "won": _won,
    "notes": _takes,
    "vows": _vows,
    "floors": _floors,
}
_FOLLOWING: Final[dict[str, Callable[[Any], object]]] = {
    **{name: attrgetter(f"lead.{name}") for name in ("deal", "won", "vows", "floors", *_BEFORE)},
    "at": lambda self: 1 - self.lead.at,
    "due": Following.turn,
    "held": _held_then,
    "points": _points_then,
    "notes": _leads,
}
for _class, _told in ((Leading, _LEADING), (Following, _FOLLOWING)):
    for _name, _tell in _told.items():
        setattr(_class, _name, property(_tell))


# ---------------------------------------------------------------------------------------------


def shorten(whole: Whole) -> PicchettoState:
    """`whole` as a Leading, if nothing but tricks can come before the last one; else as it is."""
    deal, lay = whole.deal, whole.lay
    if whole.led >= 0 or not deal.auto or whole.phase is not _PHASE_PLAY:
        return whole
    own, other = whole.held
    (p, q), (c, d), most = whole.points, lay.limits, max(own.bit_count(), other.bit_count())
    # Of a trick nobody has more than a point.
    if p + most >= c or q + most >= d or (not q and p < BONUS_AT <= p + most):
        return whole
    options = deal.options
    if not (own and other) or options.trick_scoring != BATTUTA or lay.mute != NOBODY:
        return whole
    known = deal.known
    if not known.upto:
        known.order()
    new = Leading()
    taken, theirs = whole.won
    new.course = Course(
        whole,
        deal,
        deal.decides,
        known.codes,
        known.suits,
        known.upto if options.must_win else _ALL_BELOW,
        own | other | taken | theirs,
    )
    new.past = None
    new.at = at = whole.at
    new.own, new.other = (other, own) if at else (own, other)
    new.score = p | q << _YOUNGERS
    new.taken = taken
    return new


def begin(options: PicchettoOptions, seats: int) -> PicchettoState:
    """The first position of a match; OptionError unless two play."""
    new = Whole()
    match = picchetto_match.new_match(options, seats)
    new.deal = Deal(options, seats, match.pack.deck, match, tuple(range(seats)), DECIDE)
    new.notes = ()
    new._clear(Phase.DRAW)
    new.due = Cards((Draw(new.deal.deck),))
    return new


PicchettoState.whole = Whole
