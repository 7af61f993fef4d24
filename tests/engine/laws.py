"""What the tests of the laws share: matches played once by chance, and ways to look at them."""

from __future__ import annotations

import itertools
import re
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st

import engine
from engine import registry
from engine.contract import (
    Answers,
    Ask,
    Decide,
    Input,
    Move,
    State,
)
from tests.engine import table
from tests.engine.table import Dealer, Setting, at_random, play, play_open

RULES = Path(engine.__file__).parent / "rules"
SETTINGS = table.settings()
every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=str)
every_game = pytest.mark.parametrize("name", registry.GAMES)
seeds = st.integers(0, 2**32 - 1)
few = settings(
    max_examples=2,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],  # a seed doesn't shrink to a simpler match
    suppress_health_check=[HealthCheck.too_slow],
)
Position = tuple[State, Input, State]


@cache
def positions(setting: Setting, seed: int = 1) -> tuple[Position, ...]:
    """A whole open match, kept for all laws that only look at it."""
    return tuple(play_open(setting, seed))


@cache
def live_positions(setting: Setting, seed: int = 1) -> tuple[Position, ...]:
    rng = Random(seed)
    return tuple(play(setting.start(), Dealer(rng, live=True, generous=True), at_random(rng)))


def sample(setting: Setting, most: int = 60) -> list[Position]:
    """Some positions of an open match and the first and last of it."""
    found = positions(setting)
    if len(found) <= most:
        return list(found)
    return [*found[: most // 3], *Random(7).sample(found, most // 3), *found[-most // 3 :]]


@cache
def rule_ids() -> frozenset[str]:
    """The rules that the texts in engine/rules explain."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(RULES.glob("*.md")))
    return frozenset(itertools.chain(*(re.findall(r"\b[A-Z]{3,4}-\d\d\b", t) for t in texts)))


def fields(state: State) -> tuple[object, ...]:
    """All that the contract lets one read of a state."""
    return (
        state.public(),
        state.turn(),
        state.seats,
        state.hand,
        state.players,
        state.dealer,
        state.deck,
        state.faces,
        state.opened,
        state.shown,
        state.promises,
        state.breaches,
        state.notes,
        state.piles(),
        state.scores(),
        state.standing(),
    )


def deciders(state: State) -> tuple[int, ...]:
    match state.turn():
        case Decide(seat):
            return (seat,)
        case Ask(seats):
            return seats
    return ()


def with_move(state: State, seat: int, move: Move) -> Input:
    """The input by which `seat` chooses `move`; other asked seats take what they may."""
    turn = state.turn()
    if isinstance(turn, Ask):
        return Answers(tuple((s, move if s == seat else state.legal(s)[0]) for s in turn.seats))
    return move


def leavers(state: State, rng: Random) -> tuple[int, ...]:
    """Some seats of the hand or of the question that is open."""
    there = sorted({*state.players, *deciders(state)}) or list(range(state.seats))
    return tuple(sorted(rng.sample(there, rng.randint(1, min(2, len(there))))))
