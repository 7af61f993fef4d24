"""What four cards are worth (MAM-20 to MAM-24), and the options that say so."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from engine import options as house_rules
from engine.cards import ITALIAN, Deck
from engine.errors import NotationError, OptionError
from engine.games.mambassa import FRENCH40, GAME, value
from engine.games.mambassa_hands import deck_for, is_declared, judge, kind_for
from tests.engine.mambassa_desk import make_options

VECTORS = Path(__file__).parents[1] / "vectors" / "mambassa"
DATA = tomllib.loads((VECTORS / "hands.toml").read_text("utf-8"))
DEFAULTS = {
    "deck": "italian40",
    "tokens": "4",
    "stake": "1",
    "max_rounds": "0",
    "ace_low": "false",
}


def options_of(case: dict[str, Any]) -> Any:
    return make_options(*case.get("options", ()))


def by_name(table: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", DATA[table], ids=[case["name"] for case in DATA[table]])


@by_name("hand")
@pytest.mark.rule("MAM-20", "MAM-22", "MAM-23", "MAM-24")
def test_a_hand_is_worth(case: dict[str, Any]) -> None:
    options = options_of(case)
    a, b, c, d = kind_for(options).split(case["cards"])
    for faces in ((a, b, c, d), (d, a, b, c), (c, d, b, a)):
        found = value(faces, options)
        assert (found.kind, found.halves) == (case["kind"], case["halves"])
        assert is_declared(faces) == (case["kind"] in ("mambassa", "quarantuna"))
    scored = GAME.score(options, [case["cards"], case["cards"].replace(" ", "")])
    assert {(s.hand, s.kind, s.points, s.parts, s.rank) for s in scored} == {
        (case["cards"], case["kind"], case["halves"], 2, 1)
    }
    assert float(scored[0].amount) == case["halves"] / 2


@by_name("order")
@pytest.mark.rule("MAM-20", "MAM-21", "MAM-22", "MAM-23", "MAM-24")
def test_hands_rank(case: dict[str, Any]) -> None:
    hands = [hand for equal in case["hands"] for hand in equal]
    expected, place = [], 1
    for equal in case["hands"]:
        expected += [place] * len(equal)
        place += len(equal)
    options = options_of(case)
    assert [s.rank for s in GAME.score(options, hands)] == expected
    assert [s.rank for s in GAME.score(options, hands[::-1])] == expected[::-1]


@by_name("count")
@pytest.mark.rule("MAM-20", "MAM-23")
def test_so_many_hands_of_each_kind_exist(case: dict[str, Any]) -> None:
    values = judge(options_of(case))
    found = Counter(values.value(faces).kind for faces in combinations(range(40), 4))
    assert dict(found) == case["kinds"]
    assert found.total() == 91_390


@pytest.mark.rule("MAM-20", "MAM-23")
def test_so_many_hands_have_so_many_points() -> None:
    """And what has equal points is equal; no hand of points has more than 38."""
    values = judge(make_options())
    every = [values.value(faces) for faces in combinations(range(40), 4)]
    points = Counter(v.halves for v in every if v.kind == "points")
    assert max(points) == 76
    assert points[76] == 4
    assert all(halves % 2 == 0 for halves in points)
    assert {str(halves // 2): n for halves, n in sorted(points.items())} == DATA["points"]
    keys: dict[int, set[int]] = {}
    for v in every:
        keys.setdefault(v.halves, set()).add(v.key)
    assert all(len(keys[halves]) == 1 for halves in points)
    assert {halves: len(keys[halves]) for halves in (77, 78, 79, 80, 82, 88)} == {
        77: 32,  # eight top cards in four suits
        78: 10,
        79: 24,
        80: 9,
        82: 4,
        88: 1,
    }
    order = sorted({(v.key, v.halves) for v in every})
    assert [halves for _, halves in order] == sorted(halves for _, halves in order)


# ---------------------------------------------------------------------------------------------
# Options


def test_the_options_are_those_of_the_rules_with_their_defaults() -> None:
    options = GAME.options_type()
    assert {
        name: house_rules.text_of(options, name) for name in house_rules.specs(type(options))
    } == DEFAULTS
    rules = (Path(house_rules.__file__).parent / "rules" / "mambassa.md").read_text("utf-8")
    for name, spec in house_rules.specs(GAME.options_type).items():
        assert f"`{name} = {DEFAULTS[name]}" in rules
        assert f"**{spec.rule}**" in rules
    assert GAME.presets == {"mambassa": {}}


@pytest.mark.rule("MAM-02")
@pytest.mark.parametrize(
    "given",
    [["tokens=1"], ["tokens=10"], ["stake=0"], ["deck=french32"], ["ace_low=yes"], ["decks=1"]],
)
def test_other_values_are_refused(given: list[str]) -> None:
    with pytest.raises(OptionError):
        make_options(*given)
    assert [make_options(f"tokens={n}").tokens for n in (2, 9)] == [2, 9]


@pytest.mark.rule("MAM-01", "MAM-12", "MAM-22")
def test_the_deck_serves_two_to_eight() -> None:
    assert deck_for(make_options(), 2) == Deck(ITALIAN)
    assert deck_for(make_options("deck=french40"), 8) == Deck(FRENCH40)
    assert (FRENCH40.size, FRENCH40.ranks, FRENCH40.suits) == (40, "A234567JQK", "hdcs")
    for seats, words in ((1, "at least 2"), (9, "no stock"), (12, "8 can play")):
        with pytest.raises(OptionError, match=words):
            GAME.start(make_options(), seats)
    assert (GAME.min_seats, GAME.max_seats) == (2, 8)


# ---------------------------------------------------------------------------------------------
# Scoring what people type


@pytest.mark.parametrize(
    "hands",
    [
        ["2d 2c 2s"],
        ["2d 2c 2s 2b 3c"],
        ["2d 2c 8s 3c"],
        ["2d 2d 2c 3c"],
        ["?? 2d 2c 3c"],
        ["Kd Qd Jd Ad"],
        [""],
        ["2d2c2s2"],
        ["2D 2c 2s 3c"],
        ["Ac Ad As Ab", "nothing"],
    ],
)
def test_what_is_no_hand_is_refused(hands: Sequence[str]) -> None:
    with pytest.raises(NotationError):
        GAME.score(make_options(), hands)


def test_hands_to_score_may_share_cards() -> None:
    scored = GAME.score(make_options(), ["Ac Ad As Ab", "Ac Rc Cc Fc", "Rc Fc Cc Ac"])
    assert [s.rank for s in scored] == [1, 2, 2]
    assert [s.amount for s in scored] == ["44", "41", "41"]
