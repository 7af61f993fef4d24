"""Whatever a match comes to has its golden screen: phases, who is to choose, what may be said."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from random import Random

import pytest

from engine import registry
from engine.contract import Ask, Cards, Decide, State
from node.screen.situation import RULES, phase
from tests.engine.table import Dealer, Setting, at_random, play
from tests.node.screen import golden
from tests.node.screen.golden import MOMENTS
from tests.node.screen.phases import MINE, OTHERS, OVER, PHASES, Stage, stage
from tests.node.screen.scenes import move_word

INPUTS = {"picchetto": 900, "petrangola": 240, "mambassa": 240}
MOST_SEATS = 7


def stages(dealer: Dealer, state: State) -> Iterator[Stage]:
    """Where a position is, for each who may look at it: who is to choose and who isn't."""
    turn, name, where = state.turn(), state.game.name, phase(state)
    if isinstance(turn, Cards):
        yield (name, where, type(turn.requests[0]).__name__.lower(), "")
    elif isinstance(turn, Decide | Ask):
        seats = (turn.seat,) if isinstance(turn, Decide) else turn.seats
        if len(seats) < state.seats:
            yield (name, where, OTHERS, "")
        for seat in seats:
            seen = dealer.seen_by(state, seat)
            words = {move_word(seen, move) for move in seen.legal(seat)}
            yield (name, where, MINE, " ".join(sorted(words)))
    else:
        yield (name, where, OVER, "")


def met(name: str, seed: int) -> set[Stage]:
    """The stages of a match by chance for every preset and number of players."""
    game = registry.get(name)
    found: set[Stage] = set()
    for preset in game.presets:
        for seats in range(game.min_seats, min(game.max_seats, MOST_SEATS) + 1):
            rng = Random(seed)
            dealer = Dealer(rng, live=True, generous=True)
            start = Setting(name, preset, seats).start()
            found |= set(stages(dealer, start))
            match = play(start, dealer, at_random(rng))
            for _, _, after in itertools.islice(match, INPUTS.get(name, 400)):
                found |= set(stages(dealer, after))
    return found


@pytest.mark.parametrize("name", registry.GAMES)
def test_every_stage_that_a_match_comes_to_has_a_golden_screen(name: str) -> None:
    shown = {stage(golden.view_of(m)) for m in MOMENTS if m.table.game == name}
    for seed in range(1, 6 if name == "picchetto" else 3):
        assert met(name, seed) - shown == set()


@pytest.mark.parametrize("name", registry.GAMES)
def test_every_phase_of_a_game_has_a_golden_screen(name: str) -> None:
    """Also those that chance hardly ever comes to."""
    shown = {stage(golden.view_of(m))[1] for m in MOMENTS if m.table.game == name}
    assert shown == set(RULES[name])


def test_a_scene_of_a_phase_is_of_that_phase() -> None:
    names = [moment.name for moment in MOMENTS]
    assert len(set(names)) == len(names)
    for moment in PHASES:
        found = stage(golden.view_of(moment))
        assert moment.name.startswith(f"{found[0]}-{found[1].lower()}")


def test_a_stage_without_a_scene_is_found() -> None:
    some = {stage(golden.view_of(m)) for m in MOMENTS if m.name.startswith("briscola-draw")}
    assert met("briscola", 1) - some
