"""The tricks of an open hand of Picchetto, stored as what was played.

Law: this file knows who may follow and who takes a trick (PIC-30, PIC-31) for the sake of speed,
and must know no more of the rules: what a point may end is picchetto_exchange's, and the last
trick is played by picchetto_play.

    Leading    a trick is to be led to: what is left of the hands, and the points
    Following  a card was led: that card, and the Leading that it came from
    Close...   the same where points may end the deal or make a Sessanta
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from engine.contract import Decide, Input, Move, Turn
from engine.games.picchetto_cards import SLOTS
from engine.games.picchetto_exchange import BONUS_AT, counted
from engine.games.picchetto_frame import DEALT, ELDER, Deal, Layout, Phase
from engine.games.picchetto_moves import PLAYS, PLAYS_OF, Play
from engine.games.picchetto_play import SESSANTA
from engine.games.picchetto_short import Short, ended, tells
from engine.games.picchetto_state import PicchettoState

_BITS: Final = tuple(1 << slot for slot in range(SLOTS))
_P0, _P1, _P2 = PLAYS_OF
_NONE_OVER: Final = (0,) * SLOTS
"""In place of Known.over where nobody has to win."""
_PHASE_OVER: Final = Phase.OVER
_PHASE_PLAY: Final = Phase.PLAY

_YOUNGERS: Final = 16
"""Bits of a score before those of the younger."""
_ONE: Final = (1, 1 << _YOUNGERS)
_ONE_EACH: Final = sum(_ONE)
_ELDERS: Final = (1 << _YOUNGERS) - 1

Past = tuple["Past | None", int, int]
"""The tricks before the last one, and the slots that were played to it."""


@dataclass(slots=True, eq=False)
class Course:
    """What the tricks of a hand have in common.

    first    the position before them
    decides  what is due when a player leads, and `replies` when that player has led
    codes    as in Known
    over     as in Known, if one has to win a trick (PIC-30)
    cards    the slots that were in the hands then
    """

    first: Short
    deal: Deal
    lay: Layout
    decides: tuple[Decide, ...]
    replies: tuple[Decide, ...]
    codes: tuple[int, ...]
    suits: tuple[int, ...]
    over: tuple[int, ...]
    cards: int
    leads: type[Leading]
    follows: type[Following]


class Leading(Short):
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
                new = course.follows()
                new.lead = self
                new.led = slot
                new.may = follow & course.over[code] or follow or hand
                return new
        return self.whole_of().apply(given)

    def _begun(self) -> tuple[PicchettoState, list[Input]]:
        inputs: list[Input] = []
        past = self.past
        while past:
            past, led, slot = past
            inputs += (PLAYS[slot], PLAYS[led])
        return self.course.first.whole_of(), inputs


class Following(Short):
    """The card of slot `led` was led from `lead`; the cards `may` may be played."""

    __slots__ = ("lead", "led", "may")
    lead: Leading
    may: int

    def turn(self) -> Turn:
        lead = self.lead
        return lead.course.replies[lead.at]

    def legal(self, seat: int | None = None) -> Sequence[Move]:
        lead = self.lead
        if seat is not None and seat != lead.course.replies[lead.at].seat:
            return ()
        may = self.may
        return _P0[may & 2047] + _P1[may >> 11 & 2047] + _P2[may >> 22]

    def apply(self, given: Input) -> PicchettoState:
        if type(given) is Play:
            slot = given.slot
            bit = _BITS[slot]
            if self.may & bit:
                lead, led = self.lead, self.led
                own = lead.other - bit
                if not own:
                    return self._last(slot)
                first = _BITS[led]
                other = lead.own - first
                course, at = lead.course, lead.at
                new = course.leads()
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
                new.taken = lead.taken if at else lead.taken + bit + first
                return new
        return self.whole_of().apply(given)

    def _last(self, slot: int) -> PicchettoState:
        """After the card of `slot` a hand is empty."""
        lead, led = self.lead, self.led
        course, at = lead.course, lead.at
        code = course.codes[led]
        taker = 1 - at if code < course.codes[slot] <= code | 7 else at
        new = self.whole()
        new.deal = course.deal
        new.lay = course.lay
        new.at = 1 - at
        new.held = (0, 0)
        new.points = _points(lead.score + _ONE[at])
        taken = lead.taken if taker else lead.taken | _BITS[slot] | _BITS[led]
        new.won = (taken, course.cards ^ taken)
        new.notes = ()
        found: PicchettoState = new._after_trick(taker)
        if found.phase is _PHASE_OVER:
            return ended(self, PLAYS[slot], course.deal, found.points)
        return found

    def _begun(self) -> tuple[PicchettoState, list[Input]]:
        return self.lead.whole_of(), [PLAYS[self.led]]


class CloseLeading(Leading):
    """A Leading where the lead's point may matter."""

    __slots__ = ()

    def apply(self, given: Input) -> PicchettoState:
        new = Leading.apply(self, given)
        if not isinstance(new, Following):
            return new
        course, at, before = self.course, self.at, _points(self.score)
        points = counted(before, at, 1, 0 if at else SESSANTA, course.lay)
        if points[at] >= course.lay.limits[at]:
            return ended(self, given, course.deal, points)
        bonus = points[at] - before[at] - 1
        if bonus:
            new.lead = lead = CloseLeading()
            for name in Leading.__slots__:
                setattr(lead, name, getattr(self, name))
            lead.score += bonus * _ONE[at]
        return new


class CloseFollowing(Following):
    """A Following where the point of whoever takes the trick may matter."""

    __slots__ = ()

    def apply(self, given: Input) -> PicchettoState:
        new = Following.apply(self, given)
        if not isinstance(new, Leading) or new.at == self.lead.at:
            return new
        course, points = new.course, _points(new.score)
        if points[new.at] >= course.lay.limits[new.at]:
            return ended(self, given, course.deal, points)
        return new  # and no Sessanta, since the other has led


def _points(score: int) -> tuple[int, int]:
    return score & _ELDERS, score >> _YOUNGERS


def leading(
    first: Short, deal: Deal, lay: Layout, held: tuple[int, int], points: tuple[int, int]
) -> Leading:
    """The elder is to lead to the first trick after the position `first`."""
    (own, other), (p, q), (c, d) = held, points, lay.limits
    # Of a trick nobody has more than a point.
    close = p + DEALT >= c or q + DEALT >= d or (not q and p < BONUS_AT <= p + DEALT)
    leads, follows = (CloseLeading, CloseFollowing) if close else (Leading, Following)
    known = deal.known
    new = leads()
    new.course = Course(
        first,
        deal,
        lay,
        deal.decides,
        deal.decides[::-1],
        tuple(known.codes),
        known.suits,
        known.over if deal.options.must_win else _NONE_OVER,
        own | other,
        leads,
        follows,
    )
    new.past = None
    new.at = ELDER
    new.own = own
    new.other = other
    new.score = p | q << _YOUNGERS
    new.taken = 0
    return new


for _class in (Leading, Following):
    _deal = "course.deal" if _class is Leading else "lead.course.deal"
    tells(_class, {"deal": attrgetter(_deal), "phase": lambda _: _PHASE_PLAY, "due": _class.turn})
