"""What a deal costs and earns (MAM-30 to MAM-33): deals.toml, open and live."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from engine.contract import Cards, Note, Shuffle
from engine.games.mambassa_hands import MambassaOptions, Value, deck_for
from engine.games.mambassa_settle import new_match, settle
from tests.engine.mambassa_desk import Desk, seat_down

VECTORS = Path(__file__).parents[1] / "vectors" / "mambassa"
DEALS = tomllib.loads((VECTORS / "deals.toml").read_text("utf-8"))["deal"]


def sit(case: dict[str, Any], live: bool) -> Desk:
    return seat_down(
        dict(enumerate(case["hands"])),
        case.get("monte", ""),
        case.get("stock", ""),
        seats=case.get("seats", 3),
        dealer=case.get("dealer_before", 0),
        given=case.get("options", ()),
        tokens=case.get("tokens", ()),
        live=live,
    )


@pytest.mark.parametrize("live", [False, True], ids=["open", "live"])
@pytest.mark.parametrize("case", DEALS, ids=[case["name"] for case in DEALS])
def test_a_deal(case: dict[str, Any], live: bool) -> None:
    desk = sit(case, live).say(*case["moves"])
    state = desk.state
    assert sorted(seat for seat, _ in desk.said("pays")) == case["pays"]
    assert sorted(s.seat for s in state.showdown() if s.lost) == case["pays"]
    assert [s.seat for s in state.showdown() if s.gained] == case.get("gains", [])
    assert state.scores() == tuple(case["after"])
    assert not state.breaches
    if "over" in case:
        reason, winners, won = case["over"]
        result = desk.result
        assert (result.reason, result.winners) == (reason, tuple(winners))
        assert result.won == tuple(won)
        assert sum(result.won) == sum(result.paid)
        assert state.standing() == result
    else:
        assert state.turn() == Cards((Shuffle(state.deck),))
        assert (state.dealer, state.hand) == (case["dealer"], 2)
        assert state.players[-1] == case["dealer"]
    if "paid" in case:
        assert state.standing().paid == tuple(case["paid"])
    for kind, seat, *values in case.get("notes", ()):
        assert Note(kind, seat, tuple(values)) in desk.notes


@pytest.mark.rule("MAM-31", "MAM-32")
def test_the_token_comes_out_of_the_pot_after_the_payments() -> None:
    """Whatever the pot held before, the worst has paid into it: it can't be empty then."""
    options = MambassaOptions(stake=2)
    match = new_match(options, 2, deck_for(options, 2))
    assert (match.tokens, match.pot) == ((3, 3), 4)
    best, worst = Value(82_040, "quarantuna", 82), Value(20_000, "points", 20)
    after = settle(match, (1, 0), (best, worst), (1,)).match
    assert (after.tokens, after.paid, after.drawn, after.pot) == ((2, 4), (4, 2), (0, 2), 4)
    plain = settle(match, (1, 0), (best, worst), ()).match  # nobody declared it
    assert (plain.tokens, plain.pot) == ((2, 3), 6)
