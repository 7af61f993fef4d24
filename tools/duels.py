"""Levels of computer players against each other, on open deals that both sides play.

Law: it asks the contract and `node.search` alone and knows no game. Each deal is played once for
every way round in which the two levels can sit, with the same decks, so that the luck of the cards
and of the seats cancels out. All chance comes from the number of the deal.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine import options as house
from engine.contract import (
    Answers,
    Cards,
    Decide,
    Draw,
    Drawn,
    Game,
    Input,
    Over,
    Shuffle,
    Shuffled,
    State,
)
from node.search import Budget, Level, choose
from tools.errors import UsageError

USUAL_PLAYERS: Final = 4
PAIRS: Final = ((Level.MEDIUM, Level.EASY), (Level.HARD, Level.MEDIUM))
_NORMAL_95: Final = 1.96


@dataclass(frozen=True, slots=True)
class Strength:
    """How much better `better` did than `worse`: the mean difference of their scores in one hand,
    in the game's own unit, and half the width of its 95 % interval."""

    better: Level
    worse: Level
    deals: int
    margin: float
    error: float

    @property
    def sure(self) -> bool:
        """Whether the interval excludes that both are as strong."""
        return self.margin > self.error


def usual_players(game: Game, players: int | None) -> int:
    """How many sit at the table of a bench; UsageError if that many can't."""
    if players is None:
        return min(max(USUAL_PLAYERS, game.min_seats), game.max_seats)
    if not game.min_seats <= players <= game.max_seats:
        raise UsageError(f"{game.title} isn't for {players} players")
    return players


def usual_options(game: Game) -> Any:
    """The house rules of the game's own preset."""
    return house.make(game.options_type, game.presets[game.default_preset])


def shuffled(turn: Cards, rng: random.Random) -> Input | None:
    """A deck by chance for a Draw or a Shuffle; None for another request."""
    request = turn.requests[0]
    if not isinstance(request, Draw | Shuffle):
        return None
    faces = [request.deck.face(card) for card in range(request.deck.size)]
    rng.shuffle(faces)
    return Drawn(tuple(faces)) if isinstance(request, Draw) else Shuffled(bytes(faces))


def lineups(seats: int) -> Iterable[tuple[bool, ...]]:
    """Who plays for the better level: every other seat (partners sit so), all ways round."""
    for turned in range(2 if seats % 2 == 0 else seats):
        yield tuple((seat + turned) % seats % 2 == 0 for seat in range(seats))


def play_hand(
    game: Game, seats: int, number: int, levels: Sequence[Level], budget: Budget
) -> tuple[int, ...]:
    """The scores after the first hand of the match that deal `number` gives."""
    decks, chance = random.Random(number), random.Random(f"players {number}")
    state: State = game.start(usual_options(game), seats)
    begun = 0
    while True:
        turn = state.turn()
        if isinstance(turn, Over) or (begun and state.hand != begun):
            return state.scores()
        if isinstance(turn, Cards):
            given = shuffled(turn, decks)
            if isinstance(given, Shuffled):
                if begun:
                    return state.scores()
                begun = state.hand
            if given is None:
                raise TypeError(f"{game.name}: an open state asks for {turn.requests}")
            state = state.apply(given)
            continue
        asked = (turn.seat,) if isinstance(turn, Decide) else turn.seats
        moves = [(s, choose(levels[s], state, s, chance, budget)) for s in asked]
        state = state.apply(moves[0][1] if isinstance(turn, Decide) else Answers(tuple(moves)))


def difference(
    game: Game, seats: int, number: int, pair: tuple[Level, Level], budget: Budget
) -> float:
    """How much the first of `pair` did better on one deal, over all ways round."""
    better, worse = pair
    total = 0.0
    lines = tuple(lineups(seats))
    for line in lines:
        levels = [better if mine else worse for mine in line]
        scores = play_hand(game, seats, number, levels, budget)
        mine = [score for score, own in zip(scores, line, strict=True) if own]
        theirs = [score for score, own in zip(scores, line, strict=True) if not own]
        total += sum(mine) / len(mine) - sum(theirs) / len(theirs)
    return (-total if game.low_score_wins else total) / len(lines)


def duel(
    game: Game,
    seats: int,
    deals: int,
    pair: tuple[Level, Level],
    budget: Budget,
    *,
    first: int = 0,
    told: Callable[[int], None] = lambda done: None,
) -> Strength:
    """`pair` on `deals` deals (two or more) from the number `first` on; `told` hears how many are
    done."""
    found = []
    for number in range(first, first + deals):
        found.append(difference(game, seats, number, pair, budget))
        told(len(found))
    mean = sum(found) / deals
    variance = sum((x - mean) ** 2 for x in found) / (deals - 1)
    return Strength(*pair, deals, mean, _NORMAL_95 * math.sqrt(variance / deals))
