"""What one player sees of a table: one pure value, for the full screen and for plain lines alike.

Law: the engine is asked whose turn it is, what is legal, where the cards lie and what they are;
nothing is worked out here by a rule, and no sentence of any language is made. A card that the
player doesn't see is UNKNOWN here, so nothing that is painted from this value can betray one.

Seats are the engine's: places in the order of play.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, runtime_checkable

from engine.cards import UNKNOWN, DeckKind
from engine.contract import Ask, Cards, Decide, Over, Pile, Result, State
from node.screen.cells import clean
from node.screen.choices import NONE, Choice, Choices, choices
from node.screen.story import Story, Trick

SPECTATOR: Final = -1
SHORT: Final = 5
"""Cards of another seat's hand that are shown as they lie; the own hand is sorted by suits."""


@dataclass(frozen=True, slots=True)
class Fairness:
    """Why the deal is fair, as far as it has got.

    shuffles  who has shuffled this hand's deck and proved it, and in which step of the log
    sharers   how many have to
    step      the step of the log that is due
    settled   the last step on whose head all have signed
    hands     hands that were audited
    warnings  promises that were broken, and other evidence: (name, step, rule)
    log       where the log lies, "" before there is one
    """

    shuffles: tuple[tuple[str, int], ...] = ()
    sharers: int = 0
    step: int = 0
    settled: int = 0
    hands: int = 0
    warnings: tuple[tuple[str, int, str], ...] = ()
    log: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """A line of chat."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known about the table besides the game.

    names     of every seat
    present   whether each can be reached
    fairness  see there
    seconds   what is left of a countdown, None if there is none
    absent    the seats for which the table waits since they can't be reached
    suspended too few are there to go on without them
    question  the seats about which the reader is asked: wait, or go on without them?
    chat      the last lines; `can_chat` whether one can be written
    finished  the match has ended, as all have signed, even where the game could go on
    title     the table's name, "" if it has none
    """

    names: tuple[str, ...]
    present: tuple[bool, ...] = ()
    fairness: Fairness = field(default_factory=Fairness)
    seconds: int | None = None
    absent: tuple[int, ...] = ()
    suspended: bool = False
    question: tuple[int, ...] = ()
    chat: tuple[Line, ...] = ()
    can_chat: bool = False
    finished: bool = False
    title: str = ""


@dataclass(frozen=True, slots=True)
class SeatView:
    """One seat. `cards`: the faces of its hand, UNKNOWN for hidden ones; `taken`: cards won."""

    seat: int
    name: str
    me: bool
    cards: tuple[int, ...]
    score: int
    running: int
    taken: int
    aside: int
    dealer: bool
    due: bool
    playing: bool
    present: bool


@dataclass(frozen=True)
class TableView:
    """See the module. `seats` begin with the one after the reader's own, in the order of play."""

    state: State
    me: int
    around: Surroundings
    story: Story
    seats: tuple[SeatView, ...]
    choices: Choices
    hand: tuple[int, ...]
    """The slots of the own hand in the order in which it is shown."""
    discard: tuple[int, ...]
    """The slots that the reader put aside and may look at."""
    piles: tuple[Pile, ...]
    """What lies on the table."""
    winning: int
    """The slot that takes the trick on the table so far, -1 if there is none."""
    pot: int | None
    """What lies in the pot, None where there is none."""
    result: Result | None
    """How the match ended."""

    @property
    def kind(self) -> DeckKind:
        """The kind of deck in play."""
        return self.state.deck.kind

    @property
    def deciding(self) -> bool:
        """Whether the reader has to choose."""
        return bool(self.choices)

    def face(self, slot: int) -> int:
        """The card of a slot, UNKNOWN if the reader doesn't see it."""
        faces = self.state.faces
        return faces[slot] if 0 <= slot < len(faces) else UNKNOWN

    def pile(self, name: str) -> tuple[int, ...]:
        """The slots of a pile of the table."""
        return next((pile.slots for pile in self.piles if pile.name == name), ())

    @property
    def names(self) -> list[str]:
        """The name of every seat, in the order of play."""
        return [seat.name for seat in sorted(self.seats, key=lambda seat: seat.seat)]

    def seat(self, number: int) -> SeatView:
        """The seat `number`."""
        return next(seat for seat in self.seats if seat.seat == number)

    @property
    def trick(self) -> Trick:
        """The trick on the table, or the last one that was taken, while the hand goes on."""
        story = self.story
        if story.trick.laid or not story.tricks or story.hand != self.state.hand:
            return story.trick
        return story.tricks[-1]

    @property
    def listed(self) -> tuple[Choice, ...]:
        """The choices one after the other, as they are numbered where they are listed: cards that
        are played one by one in the order of the hand, numbers from the least, words before the
        cards that are changed for others."""
        offered = self.choices
        if offered.numbers:
            return offered.numbers
        if not offered.single:
            said = offered.buttons
            return (*said, *(choice for choice in offered.items if choice not in said))
        cards = (offered.by_cards.get((frozenset((s,)), frozenset()), ()) for s in self.hand)
        return (*(one for found in cards for one in found), *offered.buttons)

    @property
    def waiting_for(self) -> tuple[int, ...]:
        """The seats that have to choose."""
        turn = self.state.turn()
        if isinstance(turn, Decide):
            return (turn.seat,)
        return turn.seats if isinstance(turn, Ask) else ()

    @property
    def dealing(self) -> bool:
        """Whether cards are being shuffled, shown or opened."""
        return isinstance(self.state.turn(), Cards)


def look(
    state: State, me: int, story: Story, around: Surroundings, *, answered: bool = False
) -> TableView:
    """The table as seat `me` (SPECTATOR: nobody) sees it in `state`, which is its view.

    `answered`: the choice that is due was made already, so that none is offered.
    """
    piles = state.piles()
    turn = state.turn()
    first = 0 if me == SPECTATOR else me + 1
    order = [(first + n) % state.seats for n in range(state.seats)]
    due = (turn.seat,) if isinstance(turn, Decide) else turn.seats if isinstance(turn, Ask) else ()
    scores = state.scores()
    running = story.running if story.hand == state.hand else ()

    def slots(name: str, seat: int) -> tuple[int, ...]:
        return next((p.slots for p in piles if p.name == name and p.seat == seat), ())

    seats = tuple(
        SeatView(
            seat=n,
            name=clean(around.names[n]),
            me=n == me,
            cards=_sorted(state.faces, slots("hand", n)),
            score=scores[n],
            running=running[n] if running else 0,
            taken=len(slots("won", n)),
            aside=len(slots("discard", n)),
            dealer=n == state.dealer,
            due=n in due,
            playing=n in state.players,
            present=around.present[n] if around.present else True,
        )
        for n in order
    )
    offered = NONE if me == SPECTATOR or answered else choices(state, me)
    own = slots("hand", me)
    own = _by_face(state.faces, own)
    table = tuple(pile for pile in piles if pile.seat < 0)
    return TableView(
        state=state,
        me=me,
        around=around,
        story=story,
        seats=seats,
        choices=offered,
        hand=own,
        discard=_by_face(state.faces, slots("discard", me)),
        piles=table,
        winning=_winning(state, story),
        pot=_pot(state),
        result=turn.result
        if isinstance(turn, Over)
        else state.standing()
        if around.finished
        else None,
    )


def _by_face(faces: bytes, slots: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted(slots, key=lambda slot: (faces[slot], slot)))


def _sorted(faces: bytes, slots: Sequence[int]) -> tuple[int, ...]:
    """The cards of a hand: as they lie, long ones by suits with the hidden ones first."""
    cards = [faces[slot] for slot in slots]
    if len(cards) > SHORT:
        cards.sort(key=lambda face: (face != UNKNOWN, face))
    return tuple(cards)


@runtime_checkable
class _HasPot(Protocol):
    """What a match with a pot tells about it."""

    @property
    def pot(self) -> int: ...


def _pot(state: State) -> int | None:
    match = getattr(state, "match", None)
    return match.pot if isinstance(match, _HasPot) else None


def _winning(state: State, story: Story) -> int:
    """What the engine says of the trick on the table, where it says anything."""
    taker = getattr(state, "taker", None)
    trick = next((p.slots for p in state.piles() if p.name == "trick"), ())
    if not isinstance(taker, int) or not trick or not 0 <= taker < len(state.players):
        return -1
    seat = state.players[taker]
    return next((slot for by, slot in story.trick.laid if by == seat and slot in trick), -1)
