"""What a position of Picchetto keeps for the next move, against the same position without it.

Law: the plain way is the one that a position with hidden cards takes; nothing else is compared.
"""

from __future__ import annotations

from random import Random

import pytest

from engine import registry
from engine.contract import Over, Public, State
from engine.errors import IllegalMove
from engine.games.picchetto import Phase, PicchettoState
from engine.games.picchetto_frame import NO_MARK
from engine.games.picchetto_moves import PLAYS
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
    return state.public(), state.notes, state.turn(), tuple(state.legal()), state.piles()


def plain(state: PicchettoState) -> PicchettoState:
    """The same open position, which has to look everything up."""
    found = state.played_openly(state.faces)
    found.frame = state.frame.but(mark=NO_MARK)
    assert not found.may
    return found


@pytest.mark.rule("PIC-30", "PIC-31", "PIC-34", "PIC-36", "PIC-40")
@pytest.mark.parametrize("rules", RULES)
def test_a_card_leads_to_the_same_whatever_was_known_beforehand(rules: str) -> None:
    game = registry.get("picchetto")
    kept = 0
    for seed in range(4):
        rng = Random(seed)
        start = game.start(options_of(game, "classic", RULES[rules]), 2)
        for state, given, after in play(start, Dealer(rng, generous=True), at_random(rng)):
            assert isinstance(state, PicchettoState)
            if state.phase is not Phase.PLAY:
                continue
            kept += state.may > 0
            without = plain(state)
            assert told(without) == told(state)
            assert told(without.apply(given)) == told(after)
            for move in set(PLAYS) - set(state.legal()):
                texts = []
                for one in (state, without):
                    with pytest.raises(IllegalMove) as refused:
                        one.apply(move)
                    texts.append(str(refused.value))
                assert texts[0] == texts[1]
    assert kept > 100


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
