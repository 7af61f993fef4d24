"""Tricks of Picchetto that are stored as what was played, against positions with every field.

Law: the plain way is the one that a position with hidden cards takes; nothing else is compared.
"""

from __future__ import annotations

from random import Random

import pytest

from engine import registry
from engine.contract import Over, Public, State
from engine.errors import IllegalMove
from engine.games.picchetto import Phase, PicchettoState
from engine.games.picchetto_forms import Following, Leading, Whole
from engine.games.picchetto_moves import PLAYS, Produce, Productions
from tests.engine.table import Dealer, at_random, options_of, play

RULES = {
    "classic": [],
    "a short match": [("target", "60")],
    "a longer hand": [("irregular_hands", "true")],
    "two points a trick": [("trick_scoring", "two_per_trick")],
    "any card of the suit": [("must_win", "false"), ("deck", "regional32")],
}


def told(state: State) -> tuple[object, ...]:
    """All that a state tells."""
    return (
        *(state.public(), state.notes, state.turn(), tuple(state.legal()), state.piles()),
        *(tuple(state.legal(0)), tuple(state.legal(1)), state.opened, state.shown),
    )


def plain(state: PicchettoState) -> PicchettoState:
    """The same open position with every field."""
    found = state.played_openly(state.faces)
    assert type(found) is Whole
    return found


@pytest.mark.rule("PIC-30", "PIC-31", "PIC-34", "PIC-36", "PIC-40")
@pytest.mark.parametrize("rules", RULES)
def test_a_card_leads_to_the_same_however_its_position_is_stored(rules: str) -> None:
    game = registry.get("picchetto")
    kept = 0
    for seed in range(2):
        rng = Random(seed)
        start = game.start(options_of(game, "classic", RULES[rules]), 2)
        for state, given, after in play(start, Dealer(rng, generous=True), at_random(rng)):
            assert isinstance(state, PicchettoState)
            if state.phase is not Phase.PLAY:
                continue
            kept += isinstance(state, Leading | Following)
            without = plain(state)
            assert told(without) == told(state)
            assert told(without.apply(given)) == told(after)
            assert (state.vows, state.floors) == (without.vows, without.floors)
            assert (state.held, state.points, state.won) == (
                without.held,
                without.points,
                without.won,
            )
            for move in set(PLAYS) - set(state.legal()):
                texts = []
                for one in (state, without):
                    with pytest.raises(IllegalMove) as refused:
                        one.apply(move)
                    texts.append(str(refused.value))
                assert texts[0] == texts[1]
    assert (kept > 100) is (rules != "two points a trick")


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
