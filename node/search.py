"""How a computer player chooses: easy, medium or hard.

Law: it sees the view of one seat and nothing else: the view is masked first, and all that the
hard level knows of hidden cards it has sampled (`Game.determine`). It knows no game; time and
randomness are parameters. With a counted budget it needs no clock, so a seed gives the same choice.

The hard level is a determinised search: it samples worlds that its seat can't tell from the real
one, tries its moves in each and lets the game play every hand to its end (`Game.roll_out`). All
moves that are left are tried in the same worlds with the same chance, so that their difference is
due to the moves; the worse half is dropped after each share of the budget (successive halving).
What the game suggests stays in the race, and is chosen unless another move is clearly ahead of it
in all worlds that both were tried in.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from engine import worlds
from engine.contract import Move, State

MAX_SECONDS = 60.0
MAX_CANDIDATES = 64
"""Moves that are looked at; a game with more gives the first of them and the suggestion."""


_DOUBT = 0.5
"""Standard errors by which a move must be ahead of the suggested one to be preferred to it.
engine/BOTS.md tells how this and the use of all worlds were found."""

_FEWEST = 8
"""Worlds without which no lead counts."""


class Level(StrEnum):
    """How well a computer player plays; engine/BOTS.md says what that means in each game."""

    EASY = "easy"
    MEDIUM = "medium"
    HARD = "hard"


@dataclass(frozen=True, slots=True)
class Budget:
    """What the hard level may spend on a choice: whichever is used up first.

    seconds  of the clock that it is given
    samples  roll-outs
    """

    seconds: float = 1.0
    samples: int = 1_000_000

    def __post_init__(self) -> None:
        if not (self.seconds > 0 and self.samples > 0):
            raise ValueError("a budget must allow something")


@dataclass(frozen=True, slots=True)
class Comparison:
    """The move of the hard level beside the best of those that were left at the end.

    worlds  in which both were tried
    lead    by how much the roll-outs after `move` were ahead of those after `other`, together
    better  in how many worlds they were ahead, and `worse` behind
    """

    move: Move
    other: Move
    worlds: int
    lead: int
    better: int
    worse: int


@dataclass(slots=True)
class _Candidate:
    """A move; the sums of its roll-outs' leads over the suggestion's, and of their squares."""

    move: Move
    lead: int = 0
    squares: int = 0
    leads: list[int] = field(default_factory=list)

    def doubtful(self, worlds_tried: int) -> bool:
        """Whether the lead may be due to chance."""
        if worlds_tried < _FEWEST:
            return True
        mean = self.lead / worlds_tried
        variance = self.squares / worlds_tried - mean * mean
        return mean <= _DOUBT * math.sqrt(max(0.0, variance) / worlds_tried)


def choose(
    level: Level,
    view: State,
    seat: int,
    rng: random.Random,
    budget: Budget | None = None,
    *,
    clock: Callable[[], float] = time.monotonic,
    stopped: Callable[[], bool] = lambda: False,
) -> Move:
    """A legal move of `seat` by `level`; `budget` and `clock` are for the hard one.

    `stopped` is asked often: once it says yes, the best move so far is returned.
    """
    game = view.game
    view = view.view(seat)
    legal = view.legal(seat)
    if len(legal) == 1:
        return legal[0]
    if level is Level.EASY:
        return game.easy(view, seat, rng)
    if level is Level.MEDIUM or not view.faces:
        return game.suggest(view, seat, rng)
    moves = _candidates(view, seat, rng)
    if len(moves) == 1:
        return moves[0]
    search = _Search(view, seat, rng, budget or Budget(), clock, stopped)
    return search.best(moves)[0].move


def compare(
    view: State,
    seat: int,
    rng: random.Random,
    budget: Budget,
    *,
    clock: Callable[[], float] = time.monotonic,
) -> Comparison | None:
    """What the hard level chooses, and how it did beside the best other move; None where it has
    no deal to sample or nothing to compare."""
    view = view.view(seat)
    if not view.faces or len(view.legal(seat)) == 1:
        return None
    moves = _candidates(view, seat, rng)
    if len(moves) == 1:
        return None
    search = _Search(view, seat, rng, budget, clock, lambda: False)
    chosen, *others = search.best(moves)
    other = max(others, key=lambda candidate: candidate.lead)
    leads = [own - their for own, their in zip(chosen.leads, other.leads, strict=True)]
    return Comparison(
        chosen.move,
        other.move,
        len(leads),
        sum(leads),
        sum(lead > 0 for lead in leads),
        sum(lead < 0 for lead in leads),
    )


def _candidates(view: State, seat: int, rng: random.Random) -> list[Move]:
    """The suggestion, then the other moves that are worth searching."""
    suggested = view.game.suggest(view, seat, rng)
    others = [move for move in view.game.shortlist(view, seat) if move != suggested]
    return [suggested, *others[: MAX_CANDIDATES - 1]]


@dataclass(slots=True)
class _Search:
    """One choice of the hard level."""

    view: State
    seat: int
    rng: random.Random
    budget: Budget
    clock: Callable[[], float]
    stopped: Callable[[], bool]
    begun: float = 0.0
    used: int = 0
    tried: int = 0

    def best(self, moves: Sequence[Move]) -> list[_Candidate]:
        """The move that is furthest ahead of the first one, the suggestion (that one in doubt);
        behind it the others that were left at the end."""
        self.begun = self.clock()
        first, *others = (_Candidate(move) for move in moves)
        rounds = max(1, math.ceil(math.log2(len(moves))))
        for n in range(1, rounds + 1):
            while self._within(n / rounds):
                self._sample(first, others)
            others.sort(key=lambda candidate: -candidate.lead)
            if n < rounds:
                others = others[: (len(others) + 1) // 2]
        if others[0].doubtful(self.tried):
            return [first, *others]
        return [others[0], first, *others[1:]]

    def _within(self, share: float) -> bool:
        """Whether a share of the budget isn't used up yet; the first world is always played."""
        if not self.used:
            return True
        if self.used >= self.budget.samples * share or self.stopped():
            return False
        return self.clock() - self.begun < self.budget.seconds * share

    def _sample(self, first: _Candidate, others: Sequence[_Candidate]) -> None:
        """Try all moves that are left in one world, with the same chance."""
        world = self.view.game.determine(self.view, self.seat, self.rng)
        seed = self.rng.getrandbits(32)
        usual = self._try(world, first.move, seed)
        for candidate in others:
            lead = self._try(world, candidate.move, seed) - usual
            candidate.lead += lead
            candidate.squares += lead * lead
            candidate.leads.append(lead)
        first.leads.append(0)
        self.used += 1 + len(others)
        self.tried += 1

    def _try(self, world: State, move: Move, seed: int) -> int:
        chance = random.Random(seed)
        after = world.apply(worlds.chosen(world, self.seat, move, chance))
        return self.view.game.roll_out(after, self.seat, chance)
