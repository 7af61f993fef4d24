"""Positions of Picchetto that store what was said and played, against positions with every field.

Law: the plain way is the one that a position with hidden cards takes; nothing else is compared.
"""

from __future__ import annotations

from random import Random

import pytest

from engine import registry
from engine.contract import Decide, Leave, Move, Over, Public, State
from engine.errors import IllegalMove, OutOfTurn
from engine.games.picchetto import Phase, PicchettoState
from engine.games.picchetto_forms import Whole
from engine.games.picchetto_moves import Change, Produce, Productions, slots_of
from engine.games.picchetto_short import Short
from tests.engine.table import Dealer, at_random, options_of, play

RULES = {
    "classic": [],
    "a short match": [("target", "40")],
    "two deals in one": [("mode", "rubicone"), ("packet", "2")],
    "carta bianca must be announced": [("bianca_must_announce", "true"), ("target", "60")],
    "two cards or more": [("min_exchange", "2"), ("target", "60")],
    "any card of the suit": [("must_win", "false"), ("deck", "regional32")],
}
PHASES = {Phase.ELDER, Phase.YOUNGER, *range(Phase.CLAIM, Phase.REVEAL)}
LEFT_WHOLE = {
    "a longer hand": [("irregular_hands", "true")],
    "two points a trick": [("trick_scoring", "two_per_trick")],
}


def told(state: State) -> tuple[object, ...]:
    """All that a state tells."""
    assert isinstance(state, PicchettoState)
    return (
        *(state.public(), state.notes, state.turn(), tuple(state.legal()), state.piles()),
        *(tuple(state.legal(0)), tuple(state.legal(1)), state.opened, state.shown),
        *(state.scores(), state.standing(), state.vows, state.floors, state.phase, state.due),
        *(state.held, state.points, state.won, state.at, state.led, state.talk, state.lay.public()),
    )


def refusals(state: State, moves: list[Move]) -> list[str]:
    """Why each of these moves can't be made."""
    found = []
    for move in moves:
        with pytest.raises((IllegalMove, OutOfTurn)) as refused:
            state.apply(move)
        found.append(f"{type(refused.value).__name__} {refused.value}")
    return found


@pytest.mark.rule("PIC-11", "PIC-13", "PIC-21", "PIC-25", "PIC-26", "PIC-30", "PIC-31", "PIC-34")
@pytest.mark.rule("PIC-40")
@pytest.mark.parametrize("rules", RULES | LEFT_WHOLE)
def test_an_input_leads_to_the_same_however_its_position_is_stored(rules: str) -> None:
    game = registry.get("picchetto")
    short, phases = 0, set[Phase]()
    options = options_of(game, "classic", (RULES | LEFT_WHOLE)[rules])
    for seed in range(6):
        rng = Random(seed)
        start = whole = game.start(options, 2)
        other: list[Move] = []
        for state, given, after in play(start, Dealer(rng, generous=seed % 2 > 0), at_random(rng)):
            assert isinstance(whole, PicchettoState)
            if isinstance(state.turn(), Decide):
                legal = list(state.legal())
                lowest = slots_of(whole.held[whole.at])[:2]
                pool = [*other, Change(sum(1 << slot for slot in lowest), len(lowest) or 1)]
                wrong = [move for move in pool if move not in legal]
                assert refusals(state, wrong) == refusals(whole, wrong)
                other = [*rng.sample(legal, min(3, len(legal))), *other[:20]]
                left = Leave((seed % 2,))
                assert told(state.apply(left)) == told(whole.apply(left))
            whole = PicchettoState.apply(whole, given)
            assert type(whole) is Whole
            assert told(after) == told(whole)
            assert isinstance(after, PicchettoState)
            if isinstance(after, Short):
                short += 1
                phases.add(after.phase)
    assert short > 300 if rules in RULES else short == 0
    assert phases >= PHASES or rules in LEFT_WHOLE


@pytest.mark.rule("PIC-14")
def test_nothing_is_said_while_cards_are_still_exchanged() -> None:
    """Whose exchange it was is public until its cards are there."""
    game = registry.get("picchetto")
    rng = Random(1)
    served = []
    start = game.start(options_of(game, "classic", []), 2)
    for state, given, after in play(start, Dealer(rng, live=True), at_random(rng)):
        assert isinstance(state, PicchettoState)
        assert isinstance(after, PicchettoState)
        if isinstance(given, Change):
            assert (after.phase, after.at, after.talk) == (Phase.SERVE, state.at, None)
            served.append(after.at)
    assert {0, 1} == set(served)


@pytest.mark.parametrize("live", [False, True], ids=["open", "live"])
def test_no_input_changes_the_position_that_it_is_applied_to(live: bool) -> None:
    """Positions share what stays the same; none may reach into another."""
    game = registry.get("picchetto")
    for seed in range(3):
        rng = Random(seed)
        start = game.start(options_of(game, "classic", [("target", "60")]), 2)
        before: list[tuple[State, Public]] = []
        for state, _, after in play(start, Dealer(rng, live=live), at_random(rng)):
            before.append((state, state.public()))
            assert all(one.public() == public for one, public in before[-4:])
            assert not isinstance(state.turn(), Over)
            assert after is not state
        assert all(one.public() == public for one, public in before)
        assert len(before) > 50


def test_ways_to_lay_cards_open_are_a_sequence_like_a_tuple() -> None:
    ways = Productions((1, 2, 0x300), lambda hand: hand << 1)
    made = (Produce(2), Produce(4), Produce(0x600))
    assert tuple(ways) == made
    for at in range(-3, 3):
        assert ways[at] == made[at]
        assert ways[at:] == made[at:]
    for at in (-4, 3):
        with pytest.raises(IndexError):
            ways[at]
    assert len(ways) == 3
    assert made[1] in ways
    assert Produce(8) not in ways
