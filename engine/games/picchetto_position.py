"""What a position of Picchetto tells: whose turn, which cards, what was said (PIC-14, PIC-26).

Law: this file reads a position and learns of cards that were opened or resealed. It must never
know how one position leads to the next (picchetto_exchange, picchetto_talk, picchetto_play) nor
which moves there are (picchetto_legal).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Final, Self

from engine.cards import UNKNOWN
from engine.contract import (
    Breach,
    Decide,
    Pile,
    Promise,
    Public,
    Result,
    Seen,
    Turn,
)
from engine.games.picchetto_cards import (
    NOTHING_KNOWN,
    Known,
    known_of,
)
from engine.games.picchetto_declare import UNSAID, Category, Claim
from engine.games.picchetto_frame import (
    Act,
    Deal,
    Layout,
    Phase,
    Step,
    Talk,
    Vow,
    VowKind,
    Wait,
)
from engine.games.picchetto_match import Match, PicchettoOptions
from engine.games.picchetto_moves import slots_of
from engine.position import Dealt, new_tuple, note, reads_from

__all__ = ["Phase", "Position"]

_OPEN: Final = Act.OPEN
_RESEAL: Final = Act.RESEAL
FIELDS: Final = (
    *("at", "deal", "due", "floors", "held", "laid", "lay", "led", "made"),
    *("notes", "phase", "points", "talk", "vows", "wait", "won"),
)
"""What has to be stored, or found when somebody asks."""
_STORED: Final = ()
"""None of the fields: each class that is made has its own. (It is a name so that type checkers let
the methods of a position set fields.)"""


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
    laid     what lay open when the play began, and until then what lies open
    made     likewise, the moves made

    What of it is stored, and what is found when somebody asks, is said by the classes that are made
    (picchetto_forms).
    """

    __slots__ = _STORED
    whole: ClassVar[type[Any]]
    """What is made of a position that changes: see picchetto_forms."""
    deal: Deal
    laid: int
    made: int
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
        new: Self = self.whole()
        new.deal = self.deal
        new.lay = self.lay
        new.phase = self.phase
        new.wait = self.wait
        new.talk = self.talk
        new.laid = self.laid
        new.made = self.made
        new.due = self.due
        new.held = self.held
        new.at = self.at
        new.led = self.led
        new.points = self.points
        new.won = self.won
        new.vows = self.vows
        new.floors = self.floors
        new.notes = ()
        return new

    def _to_decide(self, phase: Phase, at: int, talk: Talk | None = None) -> Self:
        """A fresh copy where player `at` is to decide."""
        self.phase = phase
        self.wait = None
        self.talk = talk
        self.at = at
        self.due = self.deal.decides[at]
        return self

    def _next(self, phase: Phase, at: int, talk: Talk | None = None) -> Self:
        """A copy after one more move, where player `at` is to decide."""
        deal = self.deal
        new: Self = self.whole()
        new.deal = deal
        new.lay = self.lay
        new.phase = phase
        new.wait = None
        new.talk = talk
        new.laid = self.laid
        new.made = self.made + 1
        new.at = at
        new.due = deal.decides[at]
        new.held = self.held
        new.points = self.points
        new.vows = self.vows
        new.floors = self.floors
        new.won = self.won
        new.led = self.led
        new.notes = ()
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
        seat, reseals = self.deal.players[self.at], self.lay.reseals
        return new_tuple(Vow, (seat, rule, cards, self.made, reseals, kind, claim, 0, -1))

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
    return self.lay.shown


def _played(self: Position) -> int:
    """The slots in tricks and on the table."""
    a, b = self.won
    return a | b | (1 << self.led if self.led >= 0 else 0)


def _opened(self: Position) -> int:
    return self.laid | _played(self)


def _moves(self: Position) -> int:
    return self.made + _played(self).bit_count()


def _set_opened(self: Position, opened: int) -> None:
    self.laid = opened


def _set_moves(self: Position, moves: int) -> None:
    self.made = moves - _played(self).bit_count()


# These are read from a position's deal, or made when somebody asks; a position doesn't store them.
reads_from(Position, "deal", Deal)
_MADE: Final[dict[str, Callable[[Position], object]]] = {"promises": _promises, "shown": _shown}
for _name, _make in _MADE.items():
    setattr(Position, _name, property(_make))
setattr(Position, "opened", property(_opened, _set_opened))  # noqa: B010 - declared already
setattr(Position, "moves", property(_moves, _set_moves))  # noqa: B010 - declared already
