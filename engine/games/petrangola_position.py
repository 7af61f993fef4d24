"""What a position of Petrangola tells: whose turn, which moves, which cards (PET-21..PET-24).

Law: this file reads a position and learns of cards that were opened. It must never know how one
position leads to the next (petrangola_state).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Final, Self

from engine.cards import ITALIAN, UNKNOWN
from engine.contract import (
    Ask,
    Cards,
    Decide,
    Move,
    Promise,
    Public,
    Shuffle,
)
from engine.games import monte, petrangola_moves
from engine.games.petrangola_hands import HAND, MAX_DECKS, PETRANGOLA
from engine.games.petrangola_moves import (
    CAMICIA,
    DECLINE,
    EXCHANGES,
    KNOCK,
    KNOCK_SHOW,
    REENTER,
    STAY,
    Cut,
)
from engine.games.petrangola_settle import Match, Outcome, Shown
from engine.position import reads_from

Said = tuple[int, monte.Hand, int]
"""A promise of PET-24: seat, hand, number of the move."""


class Phase(IntEnum):
    """Where a match stands; petrangola_state has the table of what leads where."""

    DRAW = 0
    CUT = 1
    SHUFFLE = 2
    LOOK = 3
    CHOOSE = 4
    TURNUP = 5
    PLAY = 6
    OPENING = 7
    PROVE = 8
    SHOW = 9
    REVEAL = 10
    ASK = 11
    OVER = 12


# An enum's member is looked up anew whenever it is named, which takes as long as a call.
_PLAY, _CHOOSE, _ASK = Phase.PLAY, Phase.CHOOSE, Phase.ASK
_ALL_CUTS: Final = tuple(Cut(at) for at in range(1, petrangola_moves.MAX_CUT + 1))
_CUTS: Final = {
    ITALIAN.size * copies: _ALL_CUTS[: ITALIAN.size * copies - 1]
    for copies in range(1, MAX_DECKS + 1)
}
"""By the size of the deck."""
_PLAIN: Final[tuple[Move, ...]] = (KNOCK, *EXCHANGES, CAMICIA)
_SHOWN: Final[tuple[Move, ...]] = (KNOCK_SHOW, *EXCHANGES, CAMICIA)
_EITHER: Final[tuple[Move, ...]] = (KNOCK, KNOCK_SHOW, *EXCHANGES, CAMICIA)
_CHOICE: Final[tuple[Move, ...]] = (STAY, CAMICIA)
_ANSWER: Final[tuple[Move, ...]] = (REENTER, DECLINE)


@dataclass(slots=True)
class Deal(monte.Deal):
    """What stays the same from turn to turn of an open hand."""

    match: Match
    outcome: Outcome | None = None


@lru_cache(maxsize=1024)
def _looked(seats: int, players: tuple[int, ...], stayed: bool) -> tuple[int, ...]:
    """What each seat saw of the cards dealt; a dealer who stayed saw the own hand, too (PET-11)."""
    shown = list(monte.looked_at(seats, players, HAND))
    if stayed:
        shown[players[-1]] |= (1 << HAND) - 1 << HAND * (len(players) - 1)
    return tuple(shown)


class Position(monte.Round):
    """A position; see `State` and `monte.Round` for its fields. Further ones, for reading:

    phase    the row of petrangola_state's table
    knocks   bit i set: in turn i of the hand, the first one being 1, nothing was exchanged;
             bit 0: the dealer knocked by keeping the monte (PET-13)
    said     by whom, of which hand and by which move it was said that it is no petrangola (PET-24)
    when     when each hand was completed, the higher the later (PET-36), indexed like `players`
    """

    __slots__ = ("knocks", "said")
    stages = monte.Stages(Phase.DRAW, Phase.PLAY, Phase.SHOW, Phase.OVER)
    deal: Deal
    match: Match
    phase: Phase
    knocks: int
    said: tuple[Said, ...]
    outcome: Outcome | None

    # ------------------------------------------------------------------ what it tells

    @property
    def when(self) -> tuple[int, ...]:
        return self._times()

    def _times(self) -> tuple[int, ...]:
        """The place in the order of dealing, a kept monte being dealt last, or how many hands and
        turns there had been with a player's last exchange. Who knocks has no turn after it, so
        two rounds tell it all."""
        n, turns, knocks = len(self.held), self.turns, self.knocks
        found = list(range(n))
        if knocks & 1:
            found[-1] = n
        for turn in range(max(1, turns - 2 * n + 1), turns + 1):
            if not knocks >> turn & 1:
                found[(turn - 1) % n] = n + turn
        return tuple(found)

    def legal(self, seat: int | None = None) -> Sequence[Move]:
        phase = self.phase
        if phase is _PLAY:
            deal = self.deal
            if seat is not None and seat != deal.players[self.at]:
                return ()
            told = deal.match.told
            if told is None:
                return _PLAIN
            # `_shape`, written out, since this is asked at each turn
            faces = deal.faces
            a, b, c = self.held[self.at]
            if not deal.auto and faces[a] | faces[b] | faces[c] == UNKNOWN:
                return _EITHER
            grade = told[(faces[a] * 40 + faces[b]) * 40 + faces[c]]
            return _PLAIN if grade < PETRANGOLA else _SHOWN
        due = self.due
        if isinstance(due, Decide):
            if seat is not None and seat != due.seat:
                return ()
            return _CHOICE if phase is _CHOOSE else _CUTS[self.deal.match.deck.size]
        if phase is _ASK and isinstance(due, Ask):
            return _ANSWER if seat is None or seat in due.seats else ()
        return ()

    def public(self) -> Public:
        cut = 0
        asked: tuple[int, ...] = ()
        if isinstance(self.due, Cards) and isinstance(self.due.requests[0], Shuffle):
            cut = self.due.requests[0].cut
        elif isinstance(self.due, Ask):
            asked = self.due.seats
        match = self.match
        phase = self.phase.name.lower()
        return (
            (phase, self.hand, self.dealer, self.start, cut, asked, self._end()),
            (match.tokens, match.paid, match.drawn, match.used, match.streak),
            self.players,
            self._table(),
            (self.held, self.monte, self.when),
            (self.at, self.left, self.turns),
            self._promised(),
            self._broken(),
        )

    def _stock(self) -> tuple[int, ...]:
        return monte.packets(len(self.players), HAND, self.deck.size)[2]

    def showdown(self) -> tuple[Shown, ...]:
        """Each hand's worth, in dealing order, and who falls: from the showdown to the next cut;
        () otherwise."""
        outcome = self.deal.outcome
        return outcome.shown if outcome and self.phase is not Phase.SHUFFLE else ()

    def _shape(self, slots: Sequence[int]) -> bool | None:
        """Whether these cards are a petrangola; None while one of them is unknown."""
        faces = self.deal.faces
        a, b, c = slots
        if faces[a] | faces[b] | faces[c] == UNKNOWN:  # all bits, as no known face has
            return None
        return self.deal.match.judge.grade((faces[a], faces[b], faces[c])) >= PETRANGOLA

    def _copy(self) -> Self:
        new = type(self)()
        new.deal = self.deal
        new.phase = self.phase
        new.due = self.due
        new.opened = self.opened
        new.said = self.said
        new.notes = ()
        new.held = self.held
        new.monte = self.monte
        new.knocks = self.knocks
        new.at = self.at
        new.left = self.left
        new.turns = self.turns
        return new


def _shown(self: Position) -> tuple[int, ...]:
    if not self.held or self.phase is Phase.LOOK:
        return monte.nothing(self.seats)
    stayed = self.phase > Phase.TURNUP and not self.knocks & 1
    return _looked(self.seats, self.players, stayed)


def _promises(self: Position) -> tuple[Promise, ...]:
    return tuple([Promise(seat, "PET-24", slots, move) for seat, slots, move in self.said])


# These are read from a position's deal, or worked out; a position doesn't store them.
reads_from(Position, "deal", Deal)
for _name, _make in {"shown": _shown, "promises": _promises}.items():
    setattr(Position, _name, property(_make))


def text_of(faces: bytes, slots: Sequence[int]) -> str:
    return ITALIAN.join(faces[slot] for slot in slots)
