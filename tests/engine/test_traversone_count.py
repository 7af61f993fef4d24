"""What cards cost in Traversone: rank, thirds, the count, cappotto (TRA-01, TRA-10..13, 40, 41)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from engine.cards import ITALIAN
from engine.errors import NotationError
from engine.games.traversone import GAME
from engine.games.traversone_count import BEATS, THIRDS, count, points_text
from engine.games.tricks import NOTHING
from tests.engine.tricks_desk import VECTORS, options_of, sit_down

CASES: list[Any] = json.loads((VECTORS / "traversone" / "counts.json").read_text(encoding="utf-8"))


def face(text: str) -> int:
    return ITALIAN.parse(text)


@pytest.mark.rule("TRA-01")
def test_the_order_in_a_suit() -> None:
    order = "32ARCF7654"
    for i, better in enumerate(order):
        for j, worse in enumerate(order):
            assert BEATS[face(f"{worse}d")][face(f"{better}d")] == (i < j)
            assert not BEATS[face(f"{worse}d")][face(f"{better}s")], "there is no trump"
            assert BEATS[NOTHING][face(f"{better}d")], "a lead stands against nothing"


@pytest.mark.rule("TRA-10")
def test_the_cards_hold_ten_and_two_thirds() -> None:
    for suit in ITALIAN.suits:
        for ranks, thirds in (("A", 3), ("32RCF", 1), ("7654", 0)):
            for rank in ranks:
                assert THIRDS[False][face(rank + suit)] == thirds
    assert sum(THIRDS[False]) == 32


@pytest.mark.rule("TRA-13")
def test_the_ace_of_bastoni_is_worth_eleven_and_not_twelve() -> None:
    assert THIRDS[True][face("Ab")] == 33
    assert sum(THIRDS[True]) == 62
    others = [f for f in range(40) if f != face("Ab")]
    assert all(THIRDS[True][f] == THIRDS[False][f] for f in others)


@pytest.mark.rule("TRA-11", "TRA-12", "TRA-13", "TRA-40")
@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case["thirds"])))
def test_deals_are_counted(case: Any) -> None:
    options = options_of("traversone", *case.get("options", ()))
    counted = count(options, case["thirds"], case["last"])
    assert list(counted.penalties) == case["penalties"]
    assert counted.cappotto == case.get("cappotto", -1)


def splits(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Every way to share `total` among `parts`."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in splits(total - first, parts - 1):
            yield (first, *rest)


@pytest.mark.rule("TRA-11", "TRA-12", "TRA-13")
@pytest.mark.parametrize(("dear", "total", "thirds"), [("false", 11, 32), ("true", 21, 62)])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_split_of_the_thirds_sums_to_the_whole(
    dear: str, total: int, thirds: int, players: int
) -> None:
    """Against exact fractions; a cappotto costs every opponent the whole and its maker nothing."""
    options = options_of("traversone", f"ace_of_bastoni={dear}")
    last = players - 1
    for own in splits(thirds, players):
        counted = count(options, own, last)
        wholes = [int(Fraction(part, 3)) for part in own[:-1]]
        if not any(wholes):
            assert counted.penalties == (*[total] * last, 0)
            assert counted.cappotto == last
        else:
            assert counted.penalties == (*wholes, total - sum(wholes))
            assert counted.cappotto == -1
            assert max(counted.penalties) < total


@pytest.mark.rule("TRA-11")
def test_it_is_the_last_trick_that_counts_and_not_the_last_seat() -> None:
    options = options_of("traversone")
    for last in range(4):
        own = [5, 5, 5, 5]
        own[last] = 17
        counted = count(options, own, last).penalties
        assert counted[last] == 8
        assert sorted(counted) == [1, 1, 1, 8]


@pytest.mark.rule("TRA-41")
def test_the_trick_of_the_example_holds_one_and_a_third() -> None:
    desk = sit_down("traversone", 4, "3c 3d 3s 4c").deal(
        "4c 5d 6d 7d Fd Cd Rd 4d 2d 3d",
        "7c 5s 6s 7s Fs Cs Rs 4s 2s 3s",
        "Ac 5b 6b 7b Fb Cb Rb 4b 2b 3b",
        "3c 2c Rc Cc Fc 6c 5c Ad As Ab",
    )
    desk.say("4c 7c Ac 3c")
    assert desk.said("takes") == [(3, (4,))]
    assert desk.pile("won", 3) == "4c 7c Ac 3c"
    assert desk.to_move == 3
    assert points_text(4) == "1 1/3"


# ---------------------------------------------------------------------------------------------
# busso score


FIGURES = [f"{rank}{suit}" for suit in "cdsb" for rank in "32RCF"]


@pytest.mark.rule("TRA-40")
def test_piles_are_scored_as_a_deal() -> None:
    """6, 6, 9 and 11L thirds."""
    piles = [
        "Ac " + " ".join(FIGURES[:3]),
        "Ad " + " ".join(FIGURES[3:6]) + " 4c 5d",
        "As " + " ".join(FIGURES[6:12]),
        "Ab " + " ".join(FIGURES[12:]),
    ]
    scored = GAME.score_piles(options_of("traversone"), piles, 3)
    assert [(one.points, one.rank, one.kind) for one in scored] == [
        (2, 1, "2"), (2, 1, "2"), (3, 3, "3"), (4, 4, "3 2/3"),
    ]  # fmt: skip
    assert [one.hand for one in scored] == piles
    dear = GAME.score_piles(options_of("traversone", "ace_of_bastoni=true"), piles, 3)
    assert [one.points for one in dear] == [2, 2, 3, 14]


@pytest.mark.rule("TRA-12")
def test_a_cappotto_is_scored_by_piles() -> None:
    everything = " ".join(ITALIAN.text(f) for f in range(40))
    scored = GAME.score_piles(options_of("traversone"), ["", everything, ""], 1)
    assert [(one.points, one.kind) for one in scored] == [(11, "0"), (0, "cappotto"), (11, "0")]
    assert [one.rank for one in scored] == [2, 1, 2]


@pytest.mark.parametrize(
    ("piles", "last"),
    [
        (["Ac"], 0),
        ([], 0),
        (["Ac"] * 6, 0),
        (["Ac", "Ac"], 0),
        (["Ac Ac", ""], 0),
        (["Ac Ad", "As Ab"], 0),
        (["XX", "Ac"], 0),
        ([" ".join(ITALIAN.text(f) for f in range(40)), ""], 1),
        ([" ".join(ITALIAN.text(f) for f in range(40)), ""], 2),
        ([" ".join(ITALIAN.text(f) for f in range(40)), ""], -1),
        ([" ".join(ITALIAN.text(f) for f in range(40)), ""], True),
    ],
)
def test_what_is_no_deal_is_refused(piles: list[str], last: int) -> None:
    with pytest.raises(NotationError) as caught:
        GAME.score_piles(options_of("traversone"), piles, last)
    assert len(str(caught.value)) < 400


def test_a_pile_alone_has_no_worth() -> None:
    with pytest.raises(NotationError, match="last trick"):
        GAME.score(options_of("traversone"), ["Ac 3d"])
