"""The forms in which a position of Picchetto is stored: whole, or as what was said and played.

Law: this file writes positions shorter and must know no more of the rules than how an ordinary
exchange changes a hand (PIC-11, PIC-13); what is said and what it counts is picchetto_dialogue's
and picchetto_exchange's.

    Whole      every field of picchetto_position.Position
    Changing   cards are to be exchanged: the hands
    Speaking   the dialogue: where it stands, and the points
    Leading    a trick is to be led to (picchetto_tricks)
    Following  a card was led

All but the first are short (picchetto_short). A Whole begins a match and every hand, and goes on
where cards are hidden, where a carta bianca may be announced, and by the house rules that make
hands of eleven or thirteen cards or count tricks in another way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Final

from engine.contract import Cards, Draw, Input, Move, Shuffled, Turn
from engine.games import picchetto_match
from engine.games.picchetto_cards import SLOTS
from engine.games.picchetto_dialogue import (
    ANSWERS,
    MAY,
    OPENING,
    Parley,
    after_open,
    fits,
    judged,
)
from engine.games.picchetto_exchange import (
    BATTUTA,
    DEALS,
    DECIDE,
    NOVANTA,
    TALON,
    counted,
    dealt,
    limits_of,
)
from engine.games.picchetto_frame import (
    ELDER,
    ELDERS_TALON,
    NOBODY,
    YOUNGER,
    Deal,
    Layout,
    Phase,
    Talk,
)
from engine.games.picchetto_match import PicchettoOptions
from engine.games.picchetto_moves import Change, Produce, changes
from engine.games.picchetto_position import FIELDS
from engine.games.picchetto_short import Ended, Short, ended, tells
from engine.games.picchetto_state import PicchettoState
from engine.games.picchetto_tricks import leading

_PHASE_ELDER: Final = Phase.ELDER
_PHASE_PLAY: Final = Phase.PLAY
_PHASE_SHUFFLE: Final = Phase.SHUFFLE
_PHASE_YOUNGER: Final = Phase.YOUNGER

Said = tuple["Said | None", Input]
"""What led to a position before the last input, and that input."""


class Whole(PicchettoState):
    """A position with every field."""

    __slots__ = FIELDS

    def apply(self, given: Input) -> PicchettoState:
        if type(given) is Shuffled and self.phase is _PHASE_SHUFFLE and given.faces is not None:
            return _changing(self, given) or PicchettoState.apply(self, given)
        return PicchettoState.apply(self, given)


PicchettoState.whole = Whole


class Changing(Short):
    """Player `at` is to exchange cards.

    first  where the deck was to be shuffled, and `past` what led from there to here
    plain  the Layout of a hand in which nothing has happened but the deal
    held   the hands
    left   how many cards are in the talon
    """

    __slots__ = ("at", "deal", "first", "held", "left", "past", "plain")
    first: PicchettoState
    past: Said
    plain: Layout
    left: int

    def turn(self) -> Turn:
        return self.deal.decides[self.at]

    def legal(self, seat: int | None = None) -> Sequence[Move]:
        at, deal = self.at, self.deal
        hand = self.held[at]
        if not hand & deal.known.figures:
            return self.whole_of().legal(seat)
        if seat is not None and seat != deal.decides[at].seat:
            return ()
        fewest = deal.options.min_exchange
        return changes(hand, fewest, fewest, self.left if at else ELDERS_TALON, 0)

    def apply(self, given: Input) -> PicchettoState:
        at, left, held, deal = self.at, self.left, self.held, self.deal
        hand = held[at]
        if type(given) is not Change or not hand & deal.known.figures:
            return self.whole_of().apply(given)
        cards, taken = given.given, given.taken
        if (
            cards & ~hand
            or cards.bit_count() != taken
            or not deal.options.min_exchange <= taken <= (left if at else ELDERS_TALON)
        ):
            return self.whole_of().apply(given)
        hand ^= cards | ((1 << taken) - 1) << SLOTS - left
        past = (self.past, given)
        if at:
            return _speaking(self, (held[ELDER], hand), past)
        new = Changing()
        new.deal = deal
        new.first = self.first
        new.plain = self.plain
        new.past = past
        new.at = YOUNGER
        new.held = (hand, held[YOUNGER])
        new.left = left - taken
        return new

    def _begun(self) -> tuple[PicchettoState, list[Input]]:
        return self.first, _inputs(self.past)


@dataclass(slots=True, eq=False)
class Dialogue(Parley):
    """What the positions of a dialogue have in common; see Changing."""

    first: PicchettoState
    deal: Deal
    plain: Layout


class Speaking(Short):
    """Something is to be said, or cards are to be laid open, as `talk` says; Course.first is one
    where nothing of it is left.

    past  what led here from `dialogue.first`
    """

    __slots__ = ("dialogue", "past", "points", "talk")
    dialogue: Dialogue
    past: Said
    talk: Talk

    def turn(self) -> Turn:
        return self.dialogue.deal.decides[self.talk.at]

    def legal(self, seat: int | None = None) -> Sequence[Move]:
        talk, dialogue = self.talk, self.dialogue
        if seat is not None and seat != dialogue.deal.decides[talk.at].seat:
            return ()
        return MAY[talk.phase](dialogue, talk)

    def apply(self, given: Input) -> PicchettoState:
        dialogue, talk, points = self.dialogue, self.talk, self.points
        answer = ANSWERS[talk.phase].get(type(given))
        if answer:
            talk = answer(dialogue, talk, given)
        elif type(given) is Produce and talk.due:
            demand, plain, at = talk.due[0], dialogue.plain, talk.at
            fits(dialogue, talk, given)
            numbers = judged(dialogue.pack, demand, dialogue.known.hand(given.cards))
            if demand.counts:
                for number in numbers:
                    points = counted(points, at, number, NOVANTA, plain)
                    if points[at] >= plain.limits[at]:
                        return ended(self, given, dialogue.deal, points)
            talk = after_open(talk)
        else:
            return self.whole_of().apply(given)
        new = Speaking()
        new.dialogue = dialogue
        new.past = (self.past, given)
        new.talk = talk
        new.points = points
        if talk.phase is not _PHASE_PLAY:
            return new
        return leading(new, dialogue.deal, dialogue.plain, dialogue.held, points)

    def _begun(self) -> tuple[PicchettoState, list[Input]]:
        return self.dialogue.first, _inputs(self.past)


# ---------------------------------------------------------------------------------------------
# From one form to the next


def _changing(whole: Whole, given: Shuffled) -> Changing | None:
    """After the deal (PIC-03); None if the house rules leave the hand to a Whole."""
    old = whole.deal
    options = old.options
    if options.irregular_hands or options.trick_scoring != BATTUTA:
        return None
    new = Changing()
    new.deal = dealt(old, whole._checked(given.faces or b""), True)
    new.first = whole
    new.plain = Layout(limits=limits_of(old.match, old.dealer))
    new.past = (None, given)
    new.at = ELDER
    new.held = DEALS[options.packet]
    new.left = len(TALON)
    return new


def _speaking(old: Changing, held: tuple[int, int], past: Said) -> Speaking:
    """After the exchange."""
    deal = old.deal
    known, (a, b) = deal.known, held
    owns = known.holding(a), known.holding(b)
    new = Speaking()
    new.dialogue = Dialogue(deal.match.pack, known, held, owns, NOBODY, old.first, deal, old.plain)
    new.past = past
    new.talk = OPENING
    new.points = (0, 0)
    return new


def _inputs(past: Said | None) -> list[Input]:
    """What is kept of them, the last one first."""
    found: list[Input] = []
    while past:
        past, given = past
        found.append(given)
    return found


tells(
    Changing,
    {"phase": lambda self: _PHASE_YOUNGER if self.at else _PHASE_ELDER, "due": Changing.turn},
)
tells(
    Speaking,
    {
        "deal": attrgetter("dialogue.deal"),
        "held": attrgetter("dialogue.held"),
        "phase": attrgetter("talk.phase"),
        "at": attrgetter("talk.at"),
        "due": Speaking.turn,
    },
)
tells(Ended, {"phase": lambda _: Phase.OVER})


def begin(options: PicchettoOptions, seats: int) -> PicchettoState:
    """The first position of a match; OptionError unless two play."""
    new = Whole()
    match = picchetto_match.new_match(options, seats)
    new.deal = Deal(options, seats, match.pack.deck, match, tuple(range(seats)), DECIDE)
    new.notes = ()
    new._clear(Phase.DRAW)
    new.due = Cards((Draw(new.deal.deck),))
    return new
