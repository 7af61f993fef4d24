"""What a position of Picchetto is made of: phases, layout, dialogue, promises, deal.

Law: these are records and what can be read off one of them. This file must never know a whole
position, nor what leads to what.

What hardly changes is kept in records that many positions share, since a move has to make a new
position, and copying a field costs about as much as a step of any other work:

    Deal    once a hand, or when a live state learns of a card
    Layout  when cards change their places

Records that are made often aren't frozen: that takes several times as long. How positions
themselves are stored is picchetto_forms'.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple

from engine.cards import Deck
from engine.contract import (
    Breach,
    Decide,
    Open,
    Promise,
    Public,
    Request,
    Reseal,
    Show,
)
from engine.games.picchetto_cards import FIGURES, NOTHING_KNOWN, RANKS, SLOTS, SUITS, Known
from engine.games.picchetto_declare import Category, Claim, Demand, holds
from engine.games.picchetto_match import Match, PicchettoOptions
from engine.games.picchetto_moves import Change, slots_of
from engine.position import Kept, keeps

DEALT: Final = 12
"""Cards of a hand (PIC-03)."""
ELDERS_TALON: Final = 5
NOBODY: Final = -1
ELDER: Final = 0
YOUNGER: Final = 1
ALL_SLOTS: Final = (1 << SLOTS) - 1


class Phase(IntEnum):
    """Where a match stands; picchetto_state has the table of what leads where."""

    DRAW = 0
    SHUFFLE = 1
    SERVE = 2
    ELDER = 3
    FIX = 4
    CHANGE = 5
    YOUNGER = 6
    CLAIM = 7
    COUNTER = 8
    STATE = 9
    VERDICT = 10
    PRODUCE = 11
    PLAY = 12
    REVEAL = 13
    OVER = 14


class Aim(IntEnum):
    """What the cards that are being dealt with lead to."""

    ELDER = 0
    WHITE_ELDER = 1
    CHANGE = 2
    YOUNGER = 3
    WHITE_YOUNGER = 4
    TALK = 5
    PRODUCED = 6
    LAID = 7


class Act(IntEnum):
    """What is done to cards."""

    OPEN = 0
    SHOW = 1
    RESEAL = 2


Step = tuple[tuple[Act, int, int], ...]
"""What is asked for at one turn, as (act, mask of slots, seat): the seat that looks or reseals."""


def requests_of(step: Step) -> tuple[Request, ...]:
    """The step as requests to whoever deals."""
    made: list[Request] = []
    for act, mask, seat in step:
        slots = slots_of(mask)
        if act is Act.OPEN:
            made.append(Open(slots))
        else:
            made.append(Show(slots, seat) if act is Act.SHOW else Reseal(slots, seat))
    return tuple(made)


class Wait(NamedTuple):
    """Card requests that are due, a step a turn; then `aim`, about the slots in `cards`."""

    steps: tuple[Step, ...]
    aim: Aim
    cards: int = 0


@dataclass(slots=True)
class Layout(Kept):
    """Where the cards lie and what became of the exchange. Pairs are indexed like `players`.

    talon     slots that are left of it, top first
    seen      how many of them the elder saw and left (PIC-12)
    aside     what each put aside, a mask
    sizes     cards of each hand after the exchange (PIC-15)
    mute      who holds 13 cards and scores nothing (PIC-15), NOBODY if nobody does
    white     who showed carta bianca, NOBODY if nobody did
    bared     the faces of that hand: once public, though nobody can tell any more where they are
    announced cards that the elder said would be exchanged when announcing it
    fixed     the younger's exchange that waits for it
    limits    the points with which each ends the deal (PIC-40)
    shown     by seat, the slots that were shown to it
    reseals   how many reseals there were in this hand
    """

    talon: tuple[int, ...] = ()
    seen: int = 0
    aside: tuple[int, int] = (0, 0)
    sizes: tuple[int, int] = (DEALT, DEALT)
    mute: int = NOBODY
    white: int = NOBODY
    bared: tuple[int, ...] = ()
    announced: int = 0
    fixed: Change | None = None
    limits: tuple[int, int] = (0, 0)
    shown: tuple[int, int] = (0, 0)
    reseals: int = 0

    def public(self) -> Public:
        """All of it, in canonical form."""
        fixed = (self.fixed.given, self.fixed.taken) if self.fixed else ()
        return (
            (self.talon, self.seen, self.aside, self.sizes),
            (self.white, self.bared, self.announced, fixed),
        )


@dataclass(slots=True)
class Talk:
    """Where the dialogue stands: what is due from player `at` (picchetto_dialogue), and the elder's
    claim, None while there is none or for a pass.

    `due` are the cards that are to be laid open now that a category is settled.
    """

    phase: Phase
    at: int
    category: Category
    claim: Claim | None = None
    due: tuple[Demand, ...] = ()

    def public(self) -> Public:
        """All of it, in canonical form."""
        claim = (self.claim.size, self.claim.value) if self.claim else ()
        due = tuple(
            (d.player, d.claim.size, d.low, d.high, int(d.more), int(d.counts)) for d in self.due
        )
        return (self.category.name.lower(), claim, due)


class VowKind(IntEnum):
    """What a promise is about."""

    BIANCA = 0
    FIGURE = 1
    CLAIM = 2
    SUIT = 3


class Vow(NamedTuple):
    """A promise of `seat` about the slots in `cards` (a mask): its content, the move that made it
    (counted from 0) and how many reseals came before it.

    BIANCA   the slots hold no figure (PIC-10)
    FIGURE   they hold one, since carta bianca wasn't announced (`bianca_must_announce`)
    CLAIM    they hold `claim` (PIC-20)
    SUIT     they hold no card of `suit` that is stronger than `floor` (PIC-36)
    """

    seat: int
    rule: str
    cards: int
    move: int
    reseals: int
    kind: VowKind
    claim: Claim | None = None
    suit: int = 0
    floor: int = -1

    @property
    def promise(self) -> Promise:
        """What the contract calls it."""
        return Promise(self.seat, self.rule, slots_of(self.cards), self.move)

    def kept(self, match: Match, hand: int) -> bool:
        """Whether it is true of the cards `hand`."""
        match self.kind:
            case VowKind.BIANCA:
                return not hand & FIGURES
            case VowKind.FIGURE:
                return bool(hand & FIGURES)
            case VowKind.SUIT:
                return not (hand >> self.suit * RANKS & 255) >> self.floor + 1
        return self.claim is None or holds(match.pack, self.claim, hand)


NO_FLOORS: Final = (RANKS - 1,) * (2 * SUITS)


@dataclass(slots=True)
class Deal(Kept):
    """What stays the same from card to card of an open hand; see Position for the fields."""

    options: PicchettoOptions
    seats: int
    deck: Deck
    match: Match
    players: tuple[int, ...]
    decides: tuple[Decide, ...]
    hand: int = 0
    dealer: int = -1
    faces: bytes = b""
    known: Known = NOTHING_KNOWN
    auto: bool = False
    breaches: tuple[Breach, ...] = ()


keeps(Layout)
