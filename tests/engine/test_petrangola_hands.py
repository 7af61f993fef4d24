"""What three cards are worth (PET-30 to PET-35), and the options that say so."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Sequence
from itertools import combinations, combinations_with_replacement
from math import comb
from pathlib import Path
from typing import Any

import pytest

from engine import options as house_rules
from engine.cards import ITALIAN
from engine.errors import NotationError, OptionError
from engine.games.petrangola import GAME, value
from engine.games.petrangola_hands import decks_needed, petrangole
from tests.engine.petrangola_desk import make_options
from tests.engine.petrangola_hands import is_petrangola

VECTORS = Path(__file__).parents[1] / "vectors" / "petrangola"
DATA = tomllib.loads((VECTORS / "hands.toml").read_text("utf-8"))


def options_of(case: dict[str, Any]) -> Any:
    return make_options(case.get("preset", "marche"), *case.get("options", ()))


def by_name(table: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("case", DATA[table], ids=[case["name"] for case in DATA[table]])


@by_name("hand")
@pytest.mark.rule("PET-30", "PET-31", "PET-32", "PET-33", "PET-35")
def test_a_hand_is_worth(case: dict[str, Any]) -> None:
    options = options_of(case)
    a, b, c = ITALIAN.split(case["cards"])
    for faces in ((a, b, c), (b, c, a), (c, b, a)):
        found = value(faces, options)
        assert (found.kind, found.points) == (case["kind"], case["points"])
        assert found.petrangola == (case["kind"] != "points")
        assert is_petrangola(faces, options.ace_low) == found.petrangola
        code = (faces[0] * 40 + faces[1]) * 40 + faces[2]
        assert (code in petrangole(options.ace_low)) == found.petrangola
    scored = GAME.score(options, [case["cards"], case["cards"].replace(" ", "")])
    assert {(s.hand, s.kind, s.points, s.rank) for s in scored} == {
        (case["cards"], case["kind"], case["points"], 1)
    }


@by_name("order")
@pytest.mark.rule("PET-32", "PET-33", "PET-34", "PET-35")
def test_hands_rank(case: dict[str, Any]) -> None:
    hands = [hand for equal in case["hands"] for hand in equal]
    expected, place = [], 1
    for equal in case["hands"]:
        expected += [place] * len(equal)
        place += len(equal)
    scored = GAME.score(options_of(case), hands)
    assert [s.rank for s in scored] == expected
    backwards = GAME.score(options_of(case), hands[::-1])
    assert [s.rank for s in backwards] == expected[::-1]


def weight(faces: tuple[int, ...], decks: int) -> int:
    """In how many ways the decks hold these faces."""
    ways = 1
    for n in Counter(faces).values():
        ways *= comb(decks, n)
    return ways


@by_name("count")
@pytest.mark.rule("PET-31", "PET-32", "PET-33", "PET-35")
def test_so_many_hands_of_each_kind_exist(case: dict[str, Any]) -> None:
    options, decks = options_of(case), case["decks"]
    found: Counter[str] = Counter()
    for faces in combinations_with_replacement(range(40), 3):
        found[value(faces, options, decks).kind] += weight(faces, decks)
    found = +found
    assert dict(found) == case["kinds"]
    assert found.total() == comb(40 * decks, 3)


@pytest.mark.rule("PET-30")
def test_so_many_hands_have_so_many_points() -> None:
    options = make_options()
    values = [value(faces, options) for faces in combinations(range(40), 3)]
    found = Counter(v.points for v in values if not v.petrangola)
    assert {str(points): n for points, n in sorted(found.items())} == DATA["points"]
    assert all(v.key == v.points for v in values if not v.petrangola)


@pytest.mark.rule("PET-31", "PET-33")
@pytest.mark.parametrize("preset", GAME.presets)
def test_every_petrangola_beats_every_hand_of_points(preset: str) -> None:
    options = make_options(preset)
    values = [value(faces, options) for faces in combinations(range(40), 3)]
    best_points = max(v for v in values if not v.petrangola)
    assert all(v > best_points for v in values if v.petrangola)
    best = max(values)
    assert {v.kind for v in values if v == best} == {"three-aces"}


# ---------------------------------------------------------------------------------------------
# Options

MARCHE = {
    "tris_beats_scala": "false",
    "low_tris_wins": "false",
    "court_tris": "equal_by_points",
    "open_after_dealer_swap": "true",
    "show_petrangola_on_knock": "true",
    "equal_petrangole_last_loses": "true",
    "final_tie": "nondealer_loses_token",
    "reentries": "1",
    "pot": "bought",
    "petrangulo": "true",
}
PAGAT = {
    **dict.fromkeys(MARCHE, "false"),
    "low_tris_wins": "true",
    "court_tris": "by_rank",
    "final_tie": "both_lose",
    "reentries": "1",
    "pot": "bought",
}
EMILIA = {
    **PAGAT,
    "tris_beats_scala": "true",
    "final_tie": "nondealer_loses_token",
    "reentries": "0",
    "pot": "lost_tokens",
}
DEFAULTS = {
    "decks": "auto",
    "tokens": "3",
    "stake": "1",
    "pot": "bought",
    "open_after_dealer_swap": "false",
    "show_petrangola_on_knock": "false",
    "max_rounds": "0",
    "ace_low": "false",
    "tris_beats_scala": "false",
    "low_tris_wins": "false",
    "court_tris": "equal_by_points",
    "petrangulo": "false",
    "equal_petrangole_last_loses": "false",
    "lowest_tie": "each_loses_one",
    "aces_bonus": "1",
    "final_tie": "nondealer_loses_token",
    "all_die": "dealer_wins",
    "reentries": "1",
    "reentry_min_alive": "2",
}


def texts(options: Any) -> dict[str, str]:
    return {name: house_rules.text_of(options, name) for name in house_rules.specs(type(options))}


def test_the_options_are_those_of_the_rules_with_their_defaults() -> None:
    assert texts(GAME.options_type()) == DEFAULTS
    rules = (Path(house_rules.__file__).parent / "rules" / "petrangola.md").read_text("utf-8")
    for name, spec in house_rules.specs(GAME.options_type).items():
        assert f"`{name} = {DEFAULTS[name]}" in rules
        assert f"**{spec.rule}**" in rules


@pytest.mark.parametrize(
    ("preset", "table"), [("marche", MARCHE), ("emilia", EMILIA), ("pagat", PAGAT)]
)
def test_a_preset_changes_its_table_only(preset: str, table: dict[str, str]) -> None:
    assert GAME.default_preset == "marche"
    assert set(GAME.presets[preset]) == set(MARCHE)
    assert texts(make_options(preset)) == {**DEFAULTS, **table}


@pytest.mark.parametrize(
    "given",
    [
        ["tokens=0"],
        ["tokens=10"],
        ["stake=0"],
        ["decks=5"],
        ["reentries=10"],
        ["reentry_min_alive=1"],
        ["pot=bank"],
        ["ace_low=yes"],
        ["auto_cut=true"],
        ["tokens=3", "tokens=3"],
    ],
)
def test_other_values_are_refused(given: list[str]) -> None:
    with pytest.raises(OptionError):
        make_options("pagat", *given)


@pytest.mark.rule("PET-03")
def test_lost_tokens_leave_no_reentry() -> None:
    with pytest.raises(OptionError, match="reentries=0"):
        make_options("marche", "pot=lost_tokens")
    assert make_options("marche", "pot=lost_tokens", "reentries=0").reentries == 0


@pytest.mark.rule("PET-01")
@pytest.mark.parametrize(
    ("seats", "decks"), [(2, 1), (12, 1), (13, 2), (25, 2), (26, 3), (39, 3), (40, 4), (52, 4)]
)
def test_the_decks_follow_from_the_seats(seats: int, decks: int) -> None:
    assert decks_needed(seats) == decks
    assert GAME.start(make_options(), seats).deck.copies == decks
    assert GAME.start(make_options("marche", "decks=4"), seats).deck.size == 160
    if decks > 1:
        with pytest.raises(OptionError, match=f"decks={decks}"):
            GAME.start(make_options("marche", f"decks={decks - 1}"), seats)


@pytest.mark.rule("PET-01")
@pytest.mark.parametrize(("seats", "text"), [(1, "at least 2"), (0, "2"), (53, "5 decks")])
def test_a_table_that_cannot_be_served_is_refused(seats: int, text: str) -> None:
    with pytest.raises(OptionError, match=text):
        GAME.start(make_options(), seats)


# ---------------------------------------------------------------------------------------------
# Scoring what people type


@pytest.mark.parametrize(
    "hands",
    [
        ["2d 2c"],
        ["2d 2c 2s 2b"],
        ["2d 2c 8s"],
        ["2d 2d 2c"],
        ["?? 2d 2c"],
        ["Kd Qd Jd"],
        [""],
        ["2d2c2"],
        ["2D 2c 2s"],
    ],
)
def test_what_is_no_hand_is_refused(hands: Sequence[str]) -> None:
    with pytest.raises(NotationError):
        GAME.score(make_options(), hands)


def test_hands_to_score_may_share_cards_and_decks_allow_equal_ones() -> None:
    assert [s.rank for s in GAME.score(make_options(), ["Ac Ad As", "Ac Rc Cc"])] == [1, 2]
    assert GAME.score(make_options("marche", "decks=2"), ["2d 2d 3c"])[0].points == 4
    with pytest.raises(NotationError, match="decks=2"):
        GAME.score(make_options("marche", "decks=2"), ["2d 2d 2d"])
