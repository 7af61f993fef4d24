"""What a deal costs and earns (PET-36, PET-40 to PET-60): deals.toml, open and live."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from engine.contract import Ask, Decide, Note
from tests.engine.petrangola_desk import Desk, seat_down

VECTORS = Path(__file__).parents[1] / "vectors" / "petrangola"
DEALS = tomllib.loads((VECTORS / "deals.toml").read_text("utf-8"))["deal"]


def sit(case: dict[str, Any], live: bool) -> Desk:
    return seat_down(
        dict(enumerate(case["hands"])),
        case.get("monte", ""),
        seats=case.get("seats", 3),
        dealer=case.get("dealer_before", 0),
        preset=case.get("preset", "pagat"),
        given=case.get("options", ()),
        tokens=case.get("tokens", ()),
        live=live,
    )


@pytest.mark.parametrize("live", [False, True], ids=["open", "live"])
@pytest.mark.parametrize("case", DEALS, ids=[case["name"] for case in DEALS])
def test_a_deal(case: dict[str, Any], live: bool) -> None:
    desk = sit(case, live).say(*case["moves"])
    state, turn = desk.state, desk.state.turn()
    assert sorted(seat for seat, _ in desk.said("falls")) == case["falls"]
    assert sorted(s.seat for s in state.showdown() if s.lost) == case["falls"]
    assert state.scores() == tuple(case["after"])
    if "over" in case:
        reason, winners, won = case["over"]
        result = desk.result
        assert (result.reason, result.winners) == (reason, tuple(winners))
        assert result.won == tuple(won)
        assert sum(result.won) == sum(result.paid)
        assert state.standing() == result
    elif "asked" in case:
        assert turn == Ask(tuple(case["asked"]))
    else:
        assert isinstance(turn, Decide)
        assert (state.dealer, state.hand) == (case["dealer"], 2)
        assert state.players[-1] == case["dealer"]
        assert state.players[-2] == turn.seat
    if "paid" in case:
        assert state.standing().paid == tuple(case["paid"])
    for kind, seat, *values in case.get("notes", ()):
        assert Note(kind, seat, tuple(values)) in desk.notes
