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

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from operator import attrgetter
from typing import Final

from engine.cards import ITALIAN, UNKNOWN, Deck
from engine.contract import (
    Cards,
    Decide,
    Draw,
    Drawn,
    Input,
    Leave,
    Move,
    Note,
    Open,
    Over,
    Pile,
    Public,
    Request,
    Result,
    Reveal,
    Revealed,
    Seen,
    Show,
    Shuffle,
    Shuffled,
    State,
    Turn,
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
    NOTHING,
    RANKS,
    BriscolaOptions,
    Cardset,
    beats,
)


@dataclass(frozen=True, slots=True)
class Play(Move):
    """Lay the card of `slot` on the table (BRI-06)."""

    slot: int


PLAYS: Final = tuple(Play(slot) for slot in range(ITALIAN.size))


class Phase(IntEnum):
    """Where a match stands; the module has the table of what leads where."""

    DRAW = 0
    SHUFFLE = 1
    LOOK = 2
    PLAY = 3
    OPENING = 4
    DRAWING = 5
    REVEAL = 6
    OVER = 7


_PLAY: Final = Phase.PLAY
_DECIDE: Final = tuple(Decide(seat) for seat in range(MAX_SEATS))
_REVEAL: Final = Cards((Reveal(),))
_TAKES: Final = tuple(
    tuple((Note("takes", seat, (points,)),) for points in range(ALL_POINTS + 1))
    for seat in range(MAX_SEATS)
)
_ALONE: Final = tuple((slot,) for slot in range(FULL.deck.size))
_blank: Final = object.__new__


@dataclass(frozen=True, slots=True)
class Deal:
    """What stays the same from card to card of an open hand; see BriscolaState for the fields."""

    options: BriscolaOptions
    seats: int
    living: tuple[int, ...]
    games: tuple[int, ...]
    hand: int = 0
    dealer: int = -1
    players: tuple[int, ...] = ()
    cards: Cardset = FULL
    deck: Deck = FULL.deck
    faces: bytes = b""
    briscola: int = -1
    beats: tuple[bytes, ...] = ()
    auto: bool = False


class BriscolaState(State):
    """A position; see `State` for the fields that all games have. Further ones, for reading, with
    one item for each of `players`, in their order:

    living    the seats that are still in the match, ascending
    games     games won, for each seat (both partners the same)
    cards     the deck in play with its values
    briscola  the slot that was turned up, and is drawn last; -1 before the deal
    beats     what takes a trick from what; () until the briscola is known
    auto      an open state, which answers its own card requests
    phase     the row of the table above
    held      the slots in each hand, in the order in which they came
    stock     the next slot to be drawn; deck.size: the briscola; deck.size + 1: nothing is left
    trick     the slots on the table, in the order of play
    best      the face that takes the trick so far, NOTHING before a lead
    taker     who played it, an index into `players`
    at        whose turn it is, an index into `players`
    won       masks of the slots that each player took
    result    how the match ended, None while it goes on
    """

    __slots__ = (
        *("at", "best", "deal", "due", "held", "notes", "opened", "phase", "shown", "stock"),
        *("taker", "trick", "won"),
    )
    deal: Deal
    options: BriscolaOptions
    living: tuple[int, ...]
    games: tuple[int, ...]
    cards: Cardset
    briscola: int
    beats: tuple[bytes, ...]
    auto: bool
    phase: Phase
    due: Turn
    held: tuple[tuple[int, ...], ...]
    stock: int
    trick: tuple[int, ...]
    best: int
    taker: int
    at: int
    won: tuple[int, ...]
    promises = ()  # nothing is promised: there is no duty to follow (BRI-06)
    breaches = ()

    # ------------------------------------------------------------------ what it tells

    def turn(self) -> Turn:
        return self.due

    def legal(self, seat: int | None = None) -> Sequence[Move]:
        if self.phase is not _PLAY or (seat is not None and seat != self.deal.players[self.at]):
            return ()
        return [PLAYS[slot] for slot in self.held[self.at]]

    def public(self) -> Public:
        end: Public = self.due.result.public() if isinstance(self.due, Over) else ()
        return (
            (self.phase.name.lower(), self.hand, self.dealer, self.living, self.games, end),
            self.players,
            tuple((s, f) for s, f in enumerate(self.faces) if self.opened >> s & 1),
            (self.held, self.stock, self.trick, self.taker, self.at, self.won),
        )

    def piles(self) -> tuple[Pile, ...]:
        """Hands, what each took (`won`), and on the table `trick`, `briscola` and `stock`."""
        if not self.faces:
            return ()
        order = sorted(range(len(self.players)), key=self.players.__getitem__)
        size = self.deck.size
        left = (self.briscola,) if self.stock <= size else ()
        return (
            *(Pile("hand", self.players[i], self.held[i]) for i in order),
            *(Pile("won", self.players[i], _slots(self.won[i])) for i in order),
            Pile("trick", -1, self.trick),
            Pile("briscola", -1, left),
            Pile("stock", -1, tuple(range(self.stock, size))),
        )

    def scores(self) -> tuple[int, ...]:
        """Games won."""
        return self.games

    def standing(self) -> Result:
        return self.due.result if isinstance(self.due, Over) else self._result((), "unfinished")

    def points(self) -> tuple[int, ...]:
        """Points that each of `players` took so far (BRI-01)."""
        worth = self.cards.points
        counting = [(s, worth[f]) for s, f in enumerate(self.faces) if f != UNKNOWN and worth[f]]
        return tuple([sum([n for s, n in counting if mask >> s & 1]) for mask in self.won])

    def hand_of(self, seat: int) -> tuple[int, ...]:
        """The slots of `seat`'s hand, () if it holds none."""
        if seat not in self.players or not self.held:
            return ()
        return self.held[self.players.index(seat)]

    def side(self, seat: int) -> int:
        """The side of a seat: opposite seats of four are partners (BRI-02)."""
        return seat % 2 if self.seats == MAX_SEATS else seat

    def with_faces(self, faces: bytes) -> BriscolaState:
        new = self._copy()
        new.notes = self.notes
        new.deal = replace(_knowing(self.deal, faces), auto=False)
        return new

    def _result(self, winners: tuple[int, ...], reason: str) -> Result:
        nothing = (0,) * self.seats
        return Result(winners, self.games, nothing, nothing, reason)

    def _copy(self) -> BriscolaState:
        new: BriscolaState = _blank(BriscolaState)
        new.deal = self.deal
        new.phase = self.phase
        new.due = self.due
        new.opened = self.opened
        new.shown = self.shown
        new.held = self.held
        new.stock = self.stock
        new.trick = self.trick
        new.best = self.best
        new.taker = self.taker
        new.at = self.at
        new.won = self.won
        new.notes = ()
        return new

    # ------------------------------------------------------------------ the way forward

    def apply(self, given: Input) -> BriscolaState:
        if type(given) is Play and self.phase is _PLAY:
            slot = given.slot
            if slot not in self.held[self.at]:
                raise IllegalMove("BRI-06", "that card isn't in the hand")
            deal = self.deal
            if deal.auto or self.opened >> slot & 1:
                return self._lay(slot, deal)
            new = self._copy()
            new.phase = Phase.OPENING
            new.due = Cards((Open((slot,)),))
            return new
        handler = _TABLE[self.phase].get(type(given))
        if handler is not None:
            return handler(self, given)
        if isinstance(given, Move) and self.phase is _PLAY:
            raise IllegalMove("BRI-06", "a turn is a card of the hand, as in Rd")
        raise OutOfTurn(f"{type(given).__name__} isn't due in phase {self.phase.name}")

    def played_openly(self, faces: bytes) -> BriscolaState:
        """This position as an open one with the deck `faces`, for roll-outs; a card is to be
        played, and the deck must agree with what is known here (ValueError)."""
        if self.phase is not _PLAY:
            raise OutOfTurn(f"no card is to be played in phase {self.phase.name}")
        self.deck.check(faces)
        if any(known not in (face, UNKNOWN) for known, face in zip(self.faces, faces, strict=True)):
            raise ValueError("the deck doesn't agree with the cards that are known")
        new = self._copy()
        new.deal = replace(_knowing(self.deal, bytes(faces)), auto=True)
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
        new.notes = (Note("dealer-drawn", lowest[2]),)
        return new._to_deal(self.living, lowest[2])

    def _to_deal(self, living: tuple[int, ...], start: int) -> BriscolaState:
        """The next hand, dealt by the first living seat from `start` on (BRI-03)."""
        seats = self.seats
        dealer = next(s % seats for s in range(start, start + seats) if s % seats in living)
        at = living.index(dealer) + 1
        self._clear(living, living[at:] + living[:at])
        self.deal = replace(self.deal, hand=self.hand + 1, dealer=dealer)
        self.phase = Phase.SHUFFLE
        self.due = Cards((Shuffle(self.deck),))
        self.notes += (Note("deals", dealer, (self.hand,)),)
        return self

    def _clear(self, living: tuple[int, ...], players: tuple[int, ...]) -> None:
        """No card lies dealt; `players` are next."""
        old = self.deal
        cards = CARDSETS.get(len(players), FULL)
        self.deal = Deal(
            *(old.options, old.seats, living, old.games, old.hand, old.dealer),
            *(players, cards, cards.deck),
        )
        self.opened = self.stock = self.taker = self.at = 0
        self.shown = (0,) * old.seats
        self.held = self.trick = self.won = ()
        self.best = NOTHING

    def _shuffled(self, given: Shuffled) -> BriscolaState:
        """BRI-04: packets of three, the briscola, the stock."""
        players = len(self.players)
        deal = replace(self.deal, briscola=HAND * players, auto=given.faces is not None)
        faces = bytes((UNKNOWN,)) * self.deck.size
        if given.faces is not None:
            self.deck.check(given.faces)
            faces = bytes(given.faces)
        new = self._copy()
        new.deal = _knowing(deal, faces)
        new.held = tuple((s, s + 1, s + 2) for s in range(0, HAND * players, HAND))
        new.stock = HAND * players + 1
        new.won = (0,) * players
        new.phase = Phase.LOOK
        shows = [Show(h, seat) for h, seat in zip(new.held, self.players, strict=True)]
        return new._to_requests([*shows, Open((deal.briscola,))])

    def _to_requests(self, requests: Sequence[Request]) -> BriscolaState:
        """Stop for `requests`, or answer them where all cards are known or nothing is asked."""
        self.due = Cards(tuple(requests))
        return self._after_cards() if self.auto or not requests else self

    def _seen(self, given: Seen) -> BriscolaState:
        slots = _opening(self.due)
        if len(given.faces) != len(slots):
            raise OutOfTurn(f"{len(slots)} faces are due, not {len(given.faces)}")
        faces = bytearray(self.faces)
        for slot, face in zip(slots, given.faces, strict=True):
            if not 0 <= face < self.deck.kind.size or faces[slot] not in (face, UNKNOWN):
                raise ValueError(f"slot {slot} can't show the face {face}")
            faces[slot] = face
        deal = _knowing(self.deal, bytes(faces)) if slots else self.deal
        if self.phase is Phase.OPENING:
            return self._lay(slots[0], deal)
        new = self._copy()
        new.deal = deal
        return new._after_cards()

    def _after_cards(self) -> BriscolaState:
        """What the requests showed is seen, and the next player decides."""
        shown = list(self.shown)
        for request in self.due.requests if isinstance(self.due, Cards) else ():
            if isinstance(request, Show):
                shown[request.to] |= mask_of(request.slots)
        self.shown = tuple(shown)
        self.opened |= mask_of(_opening(self.due))
        self.phase = _PLAY
        self.due = _DECIDE[self.players[self.at]]
        return self

    def _lay(self, slot: int, deal: Deal) -> BriscolaState:
        """BRI-06: the known card of `slot` lies on the table."""
        face = deal.faces[slot]
        at = self.at
        players = deal.players
        new: BriscolaState = _blank(BriscolaState)
        new.deal = deal
        new.phase = _PLAY
        new.opened = self.opened | 1 << slot
        new.shown = self.shown
        hands = list(self.held)
        hands[at] = tuple([s for s in hands[at] if s != slot])
        new.held = tuple(hands)
        new.stock = self.stock
        new.won = self.won
        new.notes = ()
        if deal.beats[self.best][face]:
            new.best = face
            new.taker = at
        else:
            new.best = self.best
            new.taker = self.taker
        new.trick = trick = self.trick + _ALONE[slot]
        if len(trick) == len(players):
            return new._after_trick()
        at += 1
        new.at = at = 0 if at == len(players) else at
        new.due = _DECIDE[players[at]]
        return new

    def _after_trick(self) -> BriscolaState:
        """BRI-06, BRI-07."""
        deal, taker = self.deal, self.taker
        took = points = 0
        for slot in self.trick:
            took |= 1 << slot
            points += deal.cards.points[deal.faces[slot]]
        won = list(self.won)
        won[taker] |= took
        self.won = tuple(won)
        self.notes = _TAKES[deal.players[taker]][points]
        self.trick = ()
        self.best = NOTHING
        self.at = taker
        self.due = _DECIDE[deal.players[taker]]
        if self.stock <= deal.deck.size:
            return self._to_drawing()
        return self if self.held[taker] else self._to_reveal()

    def _to_drawing(self) -> BriscolaState:
        """BRI-07: each draws, the winner first; whoever is last may get the briscola."""
        deal = self.deal
        size, players = deal.deck.size, deal.players
        held, shown = list(self.held), list(self.shown)
        draws: list[tuple[int, int]] = []
        at, slot = self.taker, self.stock
        for _ in players:
            if slot < size:
                draws.append((slot, players[at]))
                shown[players[at]] |= 1 << slot
                held[at] += _ALONE[slot]
            else:
                held[at] += _ALONE[deal.briscola]
            slot += 1
            at += 1
            if at == len(players):
                at = 0
        self.held = tuple(held)
        self.stock = slot
        if deal.auto:
            self.shown = tuple(shown)
            return self
        self.phase = Phase.DRAWING
        return self._to_requests([Show((slot,), seat) for slot, seat in draws])

    # ------------------------------------------------------------------ the end of a hand

    def _to_reveal(self) -> BriscolaState:
        """BRI-08."""
        self.phase = Phase.REVEAL
        self.due = _REVEAL
        counted = sorted(zip(self.players, self.points(), strict=True))
        self.notes += tuple(Note("counts", seat, (points,)) for seat, points in counted)
        return self._finish(()) if self.auto else self

    def _revealed(self, given: Revealed) -> BriscolaState:
        self.deck.check(given.faces)
        for slot, face in enumerate(self.faces):
            if face not in (given.faces[slot], UNKNOWN):
                raise ValueError(f"slot {slot} was opened as {face} and is revealed otherwise")
        new = self._copy()
        new.deal = _knowing(self.deal, bytes(given.faces))
        return new._finish(())

    def _finish(self, leavers: Collection[int]) -> BriscolaState:
        """BRI-09, BRI-10; `leavers` went away when only the reveal was due."""
        self.opened = (1 << self.deck.size) - 1
        sums: dict[int, int] = {}
        for seat, points in zip(self.players, self.points(), strict=True):
            sums[self.side(seat)] = sums.get(self.side(seat), 0) + points
        first = [side for side, points in sums.items() if points == max(sums.values())]
        if len(first) > 1:
            self.notes += (Note("drawn"),)
        else:
            games = tuple(
                n + (s in self.living and self.side(s) == first[0])
                for s, n in enumerate(self.games)
            )
            self.deal = replace(self.deal, games=games)
            won = [seat for seat in self.living if self.side(seat) == first[0]]
            self.notes += tuple(Note("game", seat, (games[seat],)) for seat in won)
            if max(games) >= self.options.games:
                return self._to_over(tuple(won), "games-won")
        living = tuple(seat for seat in self.living if seat not in leavers)
        return self._after_leaving(living, self.dealer + 1)

    def _to_over(self, winners: tuple[int, ...], reason: str) -> BriscolaState:
        self.phase = Phase.OVER
        self.due = Over(self._result(winners, reason))
        self.notes += tuple(Note("wins", seat) for seat in winners)
        return self

    def _after_leaving(self, living: tuple[int, ...], start: int) -> BriscolaState:
        """BRI-11: the next deal by the first of `living` from `start` on, unless it is decided."""
        sides = [self.side(seat) for seat in living]
        whole = {side for side in sides if sides.count(side) > 1}
        if len(set(sides)) < 2 or len(whole) == 1:
            winners = tuple(s for s in living if len(whole) != 1 or self.side(s) in whole)
            return self._to_over(winners, "others-left" if living else "abandoned")
        if self.dealer >= 0:
            return self._to_deal(living, start)
        self._clear(living, living)
        self.phase = Phase.DRAW
        self.due = Cards((Draw(self.deck),))
        return self

    def _leave(self, given: Leave) -> BriscolaState:
        """GEN-02."""
        gone = set(given.seats)
        if not gone or len(gone) != len(given.seats) or not gone <= set(range(self.seats)):
            raise OutOfTurn(f"{given.seats} aren't different seats of this match")
        new = self._copy()
        leaving = sorted(gone & set(self.living))
        new.notes = tuple(Note("leaves", seat) for seat in leaving)
        if not leaving:
            return new
        if self.phase is Phase.REVEAL:
            return new._finish(leaving)
        if self.faces:
            new.notes += (Note("void"),)
        living = tuple(seat for seat in self.living if seat not in gone)
        new._clear(living, self.players)
        return new._after_leaving(living, self.dealer)


def _opening(due: Turn) -> tuple[int, ...]:
    """The slots that the due requests open, in their order."""
    requests = due.requests if isinstance(due, Cards) else ()
    return tuple(slot for r in requests if isinstance(r, Open) for slot in r.slots)


def _slots(mask: int) -> tuple[int, ...]:
    return tuple(slot for slot in range(mask.bit_length()) if mask >> slot & 1)


def _knowing(deal: Deal, faces: bytes) -> Deal:
    """The same deal with other knowledge of the cards."""
    face = faces[deal.briscola] if faces else UNKNOWN
    takes = beats(len(deal.players), face // RANKS) if face != UNKNOWN else ()
    return replace(deal, faces=faces, beats=takes)


# These are read from a position's deal; a position doesn't store them.
for _name in Deal.__dataclass_fields__:
    setattr(BriscolaState, _name, property(attrgetter(f"deal.{_name}")))

_S = BriscolaState
_TABLE: Final[list[dict[type, Callable[..., BriscolaState]]]] = [
    {Drawn: _S._drawn, Leave: _S._leave},
    {Shuffled: _S._shuffled, Leave: _S._leave},
    {Seen: _S._seen, Leave: _S._leave},
    {Leave: _S._leave},
    {Seen: _S._seen, Leave: _S._leave},
    {Seen: _S._seen, Leave: _S._leave},
    {Revealed: _S._revealed, Leave: _S._leave},
    {},
]
"""Indexed by Phase: which inputs are due and what they do."""


def begin(options: BriscolaOptions, seats: int) -> BriscolaState:
    """The first position of a match; OptionError if so many can't play it."""
    if type(seats) is not int or not MIN_SEATS <= seats <= MAX_SEATS:
        raise OptionError(f"Briscola is for {MIN_SEATS} to {MAX_SEATS} players")
    living = tuple(range(seats))
    new: BriscolaState = _blank(BriscolaState)
    new.deal = Deal(options, seats, living, (0,) * seats)
    new.notes = ()
    return new._after_leaving(living, 0)
