"""What a position of Picchetto tells: whose turn, which cards, what was said (PIC-14, PIC-26).

Law: this file reads a position and learns of cards that were opened or resealed. It must never
know how one position leads to the next (picchetto_exchange, picchetto_talk, picchetto_play) nor
which moves there are (picchetto_legal).
"""

from __future__ import annotations

from enum import IntEnum
from functools import lru_cache
from typing import Final, NamedTuple, Self

from engine.cards import UNKNOWN
from engine.contract import (
    Breach,
    Cards,
    Note,
    Open,
    Over,
    Pile,
    Promise,
    Public,
    Request,
    Reseal,
    Result,
    Seen,
    Show,
    State,
    Turn,
)
from engine.errors import OutOfTurn
from engine.games.picchetto_cards import FIGURES, NOTHING_KNOWN, RANKS, SUITS, Known, known_of
from engine.games.picchetto_declare import UNSAID, Category, Claim, Demand, holds
from engine.games.picchetto_match import Match, PicchettoOptions
from engine.games.picchetto_moves import SLOTS, Change, slots_of

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


class Layout(NamedTuple):
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


class VowKind(IntEnum):
    """What a promise is about."""

    BIANCA = 0
    FIGURE = 1
    CLAIM = 2
    SUIT = 3


class Vow(NamedTuple):
    """What belongs to a Promise: its content and how many reseals came before it.

    BIANCA   the slots hold no figure (PIC-10)
    FIGURE   they hold one, since carta bianca wasn't announced (`bianca_must_announce`)
    CLAIM    they hold `claim` (PIC-20)
    SUIT     they hold no card of `suit` that is stronger than `floor` (PIC-36)
    """

    kind: VowKind
    reseals: int
    claim: Claim | None = None
    suit: int = 0
    floor: int = -1

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
_SHOW: Final = Act.SHOW
NO_FLOORS: Final = (RANKS - 1,) * (2 * SUITS)


class Position(State):
    """A position; see `State` for the fields that all games have. Further ones, for reading, with
    masks of slots, and pairs indexed like `players` (0: the elder, 1: the younger):

    match    totals, how it ended, options (picchetto_match.Match)
    phase    the row of picchetto_state's table
    wait     the card requests that are due, None if there are none
    lay      talon, discards, carta bianca
    talk     the dialogue of the declarations, None outside
    held     the hands
    at       whose turn it is, an index into `players`
    led      the slot on the table, -1 if there is none
    points   what each has scored in this deal, undoubled (PIC-24)
    won      the slots in the tricks of each
    moves    moves made in this hand; before the first, draws that decided nothing
    reseals  how many reseals there were in this hand
    vows     for each of `promises` what it is about
    floors   by player * 4 + suit: the player promised to hold nothing stronger of that suit
    known    what `faces` tells, by codes
    auto     an open state, which answers its own card requests
    """

    __slots__ = (
        "at",
        "auto",
        "breaches",
        "dealer",
        "deck",
        "due",
        "faces",
        "floors",
        "hand",
        "held",
        "known",
        "lay",
        "led",
        "match",
        "moves",
        "notes",
        "opened",
        "options",
        "phase",
        "players",
        "points",
        "promises",
        "reseals",
        "seats",
        "shown",
        "talk",
        "vows",
        "wait",
        "won",
    )
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
    reseals: int
    vows: tuple[Vow, ...]
    floors: tuple[int, ...]
    known: Known
    auto: bool

    def turn(self) -> Turn:
        return self.due

    def public(self) -> Public:
        end: Public = self.due.result.public() if isinstance(self.due, Over) else ()
        match, wait = self.match, self.wait
        steps: Public = (wait.aim.name.lower(), len(wait.steps), wait.cards) if wait else ()
        return (
            (self.phase.name.lower(), self.hand, self.dealer, steps, end),
            (match.totals, match.deals, match.ended),
            self.players,
            tuple((s, f) for s, f in enumerate(self.faces) if self.opened >> s & 1),
            self.lay.public(),
            self.talk.public() if self.talk else (),
            (self.held, self.at, self.led, self.points, self.won, self.moves, self.reseals),
            tuple((p.seat, p.rule, p.slots, p.move) for p in self.promises),
            tuple((b.promise.seat, b.promise.rule, b.promise.move) for b in self.breaches),
        )

    def piles(self) -> tuple[Pile, ...]:
        """Hands, what each put aside (`discard`) and took (`won`), then `trick` and `talon`."""
        if not self.faces:
            return ()
        order = sorted(range(len(self.players)), key=self.players.__getitem__)
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
        new._learn(faces)
        new.auto = False
        return new

    def _learn(self, faces: bytes) -> None:
        self.faces = faces
        self.known = known_of(self.match.pack, faces) if faces else NOTHING_KNOWN

    def _copy(self) -> Self:
        new = object.__new__(type(self))
        new.options = self.options
        new.seats = self.seats
        new.hand = self.hand
        new.players = self.players
        new.dealer = self.dealer
        new.deck = self.deck
        new.faces = self.faces
        new.opened = self.opened
        new.shown = self.shown
        new.promises = self.promises
        new.breaches = self.breaches
        new.notes = ()
        new.match = self.match
        new.phase = self.phase
        new.due = self.due
        new.wait = self.wait
        new.lay = self.lay
        new.talk = self.talk
        new.held = self.held
        new.at = self.at
        new.led = self.led
        new.points = self.points
        new.won = self.won
        new.moves = self.moves
        new.reseals = self.reseals
        new.vows = self.vows
        new.floors = self.floors
        new.known = self.known
        new.auto = self.auto
        return new

    # ------------------------------------------------------------------ cards that come out

    def _has_figure(self, at: int) -> bool | None:
        """Whether the hand of player `at` holds a figure, None if that can't be told."""
        hand = self.held[at]
        if self.known.hand(hand) & FIGURES:
            return True
        return None if hand & self.known.dark else False

    def _effect(self, step: Step) -> None:
        """What a step changes in what is known, but for the faces that a live state learns."""
        for act, mask, seat in step:
            if act is _OPEN:
                self.opened |= mask
            elif act is _SHOW:
                a, b = self.shown
                self.shown = (a | mask, b) if seat == 0 else (a, b | mask)
            else:
                self.reseals += 1
                self._forget(mask)

    def _forget(self, mask: int) -> None:
        """After a reseal nothing is known about its slots; an open state's cards lie where they
        lay, since of all permutations it takes the one that moves nothing."""
        a, b = self.shown
        self.shown = (a & ~mask, b & ~mask)
        self.opened &= ~mask
        if not self.auto:
            self._learn(
                bytes(UNKNOWN if mask >> s & 1 else face for s, face in enumerate(self.faces))
            )

    def _see(self, given: Seen) -> None:
        """Learn what the due Open requests showed."""
        slots = open_slots(self.due)
        if len(given.faces) != len(slots):
            raise OutOfTurn(f"{len(slots)} faces are due, not {len(given.faces)}")
        faces = bytearray(self.faces)
        for slot, face in zip(slots, given.faces, strict=True):
            if not 0 <= face < SLOTS or faces[slot] not in (face, UNKNOWN):
                raise ValueError(f"slot {slot} can't show the face {face}")
            faces[slot] = face
        if slots:
            self._learn(bytes(faces))

    def _checked(self, faces: bytes) -> bytes:
        """`faces` if they are the deck; else NotationError, which says what is wrong."""
        if bytes(sorted(faces)) != self.match.pack.sorted_deck:
            self.deck.check(faces)
        return bytes(faces)

    def _agree(self, faces: bytes) -> None:
        """ValueError unless the whole deck agrees with every card known so far: whoever opened
        or dealt them had to see to that, so it is no player's fault."""
        for slot, face in enumerate(self.faces):
            if face not in (faces[slot], UNKNOWN):
                raise ValueError(f"slot {slot} was opened as {face} and is revealed otherwise")

    def _vow(self, rule: str, cards: int, vow: Vow) -> None:
        """The player who moves promises something about `cards` (a mask)."""
        promise = Promise(self.players[self.at], rule, slots_of(cards), self.moves)
        self.promises = (*self.promises, promise)
        self.vows = (*self.vows, vow)

    def _released(self, at: int, category: Category) -> None:
        """The claims of a player about a category have been proved."""
        seat = self.players[at]
        kept = [
            n
            for n, vow in enumerate(self.vows)
            if not vow.claim or vow.claim.category is not category or self.promises[n].seat != seat
        ]
        self.promises = tuple([self.promises[n] for n in kept])
        self.vows = tuple([self.vows[n] for n in kept])

    def _breached(self, at: int) -> None:
        """The promise at index `at` is broken."""
        promise, vow = self.promises[at], self.vows[at]
        self.promises = self.promises[:at] + self.promises[at + 1 :]
        self.vows = self.vows[:at] + self.vows[at + 1 :]
        self.breaches = (
            *self.breaches,
            Breach(promise, f"seat {promise.seat} {self._what_broke(vow)}"),
        )
        if all(note != Note("broken-promise", promise.seat) for note in self.notes):
            self.notes = (*self.notes, Note("broken-promise", promise.seat))

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


@lru_cache(maxsize=4096)
def note(kind: str, seat: int = -1, values: tuple[int, ...] = ()) -> Note:
    """A note; the same few are made in every hand."""
    return Note(kind, seat, values)


def open_slots(due: Turn) -> tuple[int, ...]:
    """The slots that the due requests open, in their order."""
    requests = due.requests if isinstance(due, Cards) else ()
    return tuple(slot for r in requests if isinstance(r, Open) for slot in r.slots)
