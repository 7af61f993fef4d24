"""What a position of Picchetto tells: whose turn, which cards, what was said (PIC-14, PIC-26).

Law: this file reads a position and learns of cards that were opened or resealed. It must never
know how one position leads to the next (picchetto_exchange, picchetto_talk, picchetto_play) nor
which moves there are (picchetto_legal).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from operator import attrgetter
from typing import Any, Final, NamedTuple, Self

from engine.cards import UNKNOWN, Deck
from engine.contract import (
    Breach,
    Decide,
    Open,
    Pile,
    Promise,
    Public,
    Request,
    Reseal,
    Result,
    Seen,
    Show,
    Turn,
)
from engine.games.picchetto_cards import (
    FIGURES,
    NOTHING_KNOWN,
    RANKS,
    SLOTS,
    SUITS,
    Known,
    known_of,
)
from engine.games.picchetto_declare import UNSAID, Category, Claim, Demand, holds
from engine.games.picchetto_match import Match, PicchettoOptions
from engine.games.picchetto_moves import Change, slots_of
from engine.position import Dealt, Kept, keeps, new_blank, new_tuple, note, reads_from

DEALT: Final = 12
"""Cards of a hand (PIC-03)."""
ELDERS_TALON: Final = 5
NOBODY: Final = -1
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


class Talk(NamedTuple):
    """The dialogue about a category: the elder's claim, None while there is none or for a pass.

    `due` are the cards that are to be laid open now that it is settled.
    """

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


Mark = tuple[int, int]
NO_MARK: Final[Mark] = (0, 0)


@dataclass(slots=True)
class Frame(Kept):
    """What no trick changes, so that a card that is played copies a reference to it and no fields.

    opened, moves  what `Position` calls so, as it was before the first trick: the tricks say what
                   came after
    mark           by player: with fewer points than that, a point in the play is just counted; with
                   as many it may end the deal or make a Sessanta. 0 where this wasn't looked at
    """

    lay: Layout
    phase: Phase
    wait: Wait | None = None
    talk: Talk | None = None
    opened: int = 0
    moves: int = 0
    mark: Mark = NO_MARK


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


_OPEN: Final = Act.OPEN
_RESEAL: Final = Act.RESEAL
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


class Position(Dealt):
    """A position; see `State` for the fields that all games have. Further ones, for reading, with
    masks of slots, and pairs indexed like `players` (0: the elder, 1: the younger):

    match    totals, how it ended, options (picchetto_match.Match)
    phase    the row of picchetto_state's table
    wait     the card requests that are due, None if there are none
    lay      talon, discards, carta bianca, who saw what
    talk     the dialogue of the declarations, None outside
    held     the hands
    at       whose turn it is, an index into `players`
    led      the slot on the table, -1 if there is none
    points   what each has scored in this deal, undoubled (PIC-24)
    won      the slots in the tricks of each
    moves    moves made in this hand; before the first, draws that decided nothing
    reseals  how many reseals there were in this hand
    vows     what each of `promises` is about
    floors   by player * 4 + suit: the player promised to hold nothing stronger of that suit
    known    what `faces` tells, by codes
    decides  what is due when it is that player's turn
    auto     an open state, which answers its own card requests
    frame    lay, phase, wait, talk, and what lay open before the play
    may      in an open hand's play the slots that may be played now; 0 where that isn't known
             beforehand

    Only `deal`, `frame` and the slots below are stored, so that a card costs a short copy.
    """

    __slots__ = (
        *("at", "deal", "due", "floors", "frame", "held"),
        *("led", "may", "notes", "points", "vows", "won"),
    )
    deal: Deal
    frame: Frame
    options: PicchettoOptions
    match: Match
    phase: Phase
    due: Turn
    wait: Wait | None
    lay: Layout
    talk: Talk | None
    held: tuple[int, int]
    at: int
    led: int
    points: tuple[int, int]
    won: tuple[int, int]
    moves: int
    vows: tuple[Vow, ...]
    floors: tuple[int, ...]
    may: int
    known: Known
    decides: tuple[Decide, ...]
    auto: bool

    @property
    def reseals(self) -> int:
        return self.lay.reseals

    def public(self) -> Public:
        match, wait = self.match, self.wait
        steps: Public = (wait.aim.name.lower(), len(wait.steps), wait.cards) if wait else ()
        return (
            (self.phase.name.lower(), self.hand, self.dealer, steps, self._end()),
            (match.totals, match.deals, match.ended),
            self.players,
            self._table(),
            self.lay.public(),
            self.talk.public() if self.talk else (),
            (self.held, self.at, self.led, self.points, self.won, self.moves, self.reseals),
            self._promised(),
            self._broken(),
        )

    def piles(self) -> tuple[Pile, ...]:
        """Hands, what each put aside (`discard`) and took (`won`), then `trick` and `talon`."""
        if not self.faces:
            return ()
        order = self._order()
        piles = [
            Pile(name, self.players[i], slots_of(masks[i]))
            for name, masks in (("hand", self.held), ("discard", self.lay.aside), ("won", self.won))
            for i in order
        ]
        trick = (self.led,) if self.led >= 0 else ()
        return (*piles, Pile("trick", -1, trick), Pile("talon", -1, self.lay.talon))

    def scores(self) -> tuple[int, ...]:
        """Points of the deals that counted; `points` has those of the deal in play."""
        return self.match.totals

    def standing(self) -> Result:
        return self.match.result()

    def hand_of(self, seat: int) -> tuple[int, ...]:
        """The slots of `seat`'s hand, () if it holds none."""
        if seat not in self.players or not self.faces:
            return ()
        return slots_of(self.held[self.players.index(seat)])

    def with_faces(self, faces: bytes) -> Self:
        new = self._copy()
        new.notes = self.notes
        new._learn(faces, False)
        return new

    def _learn(self, faces: bytes, auto: bool) -> None:
        deal = self.deal
        known = known_of(deal.match.pack, faces) if faces else NOTHING_KNOWN
        self.deal = deal.but(faces=faces, known=known, auto=auto)

    def _copy(self) -> Self:
        new = new_blank(type(self))
        new.deal = self.deal
        new.frame = self.frame.but()
        new.due = self.due
        new.held = self.held
        new.at = self.at
        new.led = self.led
        new.points = self.points
        new.won = self.won
        new.vows = self.vows
        new.floors = self.floors
        new.notes = ()
        new.may = 0
        return new

    def _to_decide(self, phase: Phase, at: int, talk: Talk | None = None) -> Self:
        """A fresh copy, which has a frame of its own, where player `at` is to decide."""
        frame = self.frame
        frame.phase = phase
        frame.wait = None
        frame.talk = talk
        self.at = at
        self.due = self.deal.decides[at]
        return self

    def _next(self, phase: Phase, at: int, talk: Talk | None = None) -> Self:
        """A copy after one more move, where player `at` is to decide, with a frame of its own."""
        deal, old = self.deal, self.frame
        new = new_blank(type(self))
        new.deal = deal
        new.frame = Frame(old.lay, phase, None, talk, old.opened, old.moves + 1)
        new.at = at
        new.due = deal.decides[at]
        new.held = self.held
        new.points = self.points
        new.vows = self.vows
        new.floors = self.floors
        new.won = self.won
        new.led = self.led
        new.notes = ()
        new.may = 0
        return new

    # ------------------------------------------------------------------ cards that come out

    def _has_figure(self, at: int) -> bool | None:
        """Whether the hand of player `at` holds a figure, None if that can't be told."""
        hand, known = self.held[at], self.deal.known
        if hand & known.figures:
            return True
        return None if hand & known.dark else False

    def _effect(self, steps: Iterable[Step]) -> None:
        """What steps change in what is known, but for the faces that a live state learns. After a
        reseal nothing is known about its slots; an open state's cards lie where they lay, since of
        all permutations it takes the one that moves nothing."""
        lay, opened = self.lay, self.opened
        a, b = lay.shown
        reseals = lay.reseals
        for step in steps:
            for act, mask, seat in step:
                if act is _OPEN:
                    opened |= mask
                elif act is _RESEAL:
                    reseals += 1
                    a, b, opened = a & ~mask, b & ~mask, opened & ~mask
                    if not self.deal.auto:
                        self._forget(mask)
                elif seat == 0:
                    a |= mask
                else:
                    b |= mask
        self.opened = opened
        self.lay = lay.but(shown=(a, b), reseals=reseals)

    def _forget(self, mask: int) -> None:
        faces = enumerate(self.deal.faces)
        self._learn(bytes(UNKNOWN if mask >> slot & 1 else face for slot, face in faces), False)

    def _see(self, given: Seen) -> None:
        """Learn what the due Open requests showed."""
        faces = self._shown_by(given)
        if faces != self.deal.faces:
            self._learn(faces, self.deal.auto)

    def _vow(self, rule: str, cards: int, kind: VowKind, claim: Claim | None = None) -> Vow:
        """What the player who moves promises about `cards` (a mask)."""
        frame, seat = self.frame, self.deal.players[self.at]
        reseals = frame.lay.reseals
        return new_tuple(Vow, (seat, rule, cards, frame.moves, reseals, kind, claim, 0, -1))

    def _released(self, at: int, category: Category) -> None:
        """The claims of a player about a category have been proved."""
        seat = self.deal.players[at]
        self.vows = tuple(
            [
                vow
                for vow in self.vows
                if not vow.claim or vow.claim.category is not category or vow.seat != seat
            ]
        )

    def _breached(self, at: int) -> None:
        """The promise at index `at` is broken."""
        vow = self.vows[at]
        self.vows = self.vows[:at] + self.vows[at + 1 :]
        breach = Breach(vow.promise, f"seat {vow.seat} {self._what_broke(vow)}")
        self.deal = self.deal.but(breaches=(*self.deal.breaches, breach))
        told = note("broken-promise", vow.seat)
        if told not in self.notes:
            self.notes = (*self.notes, told)

    def _what_broke(self, vow: Vow) -> str:
        """What the cards refuted, in words."""
        kind, rank = self.match.pack.kind, self.match.pack.rank_text
        if vow.kind is VowKind.BIANCA:
            return "announced carta bianca and held a figure"
        if vow.kind is VowKind.FIGURE:
            return "held carta bianca and didn't announce it"
        if vow.kind is VowKind.SUIT:
            suit = kind.suit_names[vow.suit]
            what = f"a {suit} card" if vow.floor < 0 else f"{suit} above the {rank(vow.floor)}"
            return f"held {what} and didn't play it when it was due"
        claim = vow.claim or Claim(Category.POINT, 0)
        if claim.category is Category.SET:
            return f"claimed {claim.size} of rank {rank(claim.value)} and didn't hold them"
        text = f"claimed a {claim.category.name.lower()} of {claim.size}"
        if claim.value != UNSAID:
            point = claim.category is Category.POINT
            text += f" and {claim.value}" if point else f" up to the {rank(claim.value)}"
        return f"{text} and didn't hold it"


def _promises(self: Position) -> tuple[Promise, ...]:
    return tuple(vow.promise for vow in self.vows)


def _shown(self: Position) -> tuple[int, ...]:
    return self.frame.lay.shown


def _played(self: Position) -> int:
    """The slots in tricks and on the table."""
    a, b = self.won
    return a | b | (1 << self.led if self.led >= 0 else 0)


def _opened(self: Position) -> int:
    return self.frame.opened | _played(self)


def _moves(self: Position) -> int:
    return self.frame.moves + _played(self).bit_count()


def _setter(name: str) -> Callable[[Position, Any], None]:
    """For a position that somebody is making: it gets a frame of its own, without a mark."""

    def write(position: Position, value: object) -> None:
        position.frame = position.frame.but(**{"mark": NO_MARK, name: value})

    return write


def _set_moves(self: Position, moves: int) -> None:
    _setter("moves")(self, moves - _played(self).bit_count())


# These are read from a position's deal, or made when somebody asks; a position doesn't store them.
reads_from(Position, "deal", Deal)
for _kept in (Frame, Layout):
    keeps(_kept)
_MADE: Final[dict[str, Callable[[Position], object]]] = {"promises": _promises, "shown": _shown}
for _name, _make in _MADE.items():
    setattr(Position, _name, property(_make))
for _name in ("lay", "phase", "wait", "talk"):
    setattr(Position, _name, property(attrgetter(f"frame.{_name}"), _setter(_name)))
setattr(Position, "opened", property(_opened, _setter("opened")))  # noqa: B010 - declared already
setattr(Position, "moves", property(_moves, _set_moves))  # noqa: B010 - declared already
