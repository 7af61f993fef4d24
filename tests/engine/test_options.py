"""House rules: every option of every game as text and as header items, both ways; presets."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import options, registry
from engine.contract import Game
from engine.errors import EngineError, OptionError
from engine.options import Spec, choice, number, switch

GAMES = tuple(registry.get(name) for name in registry.GAMES)
games = pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)


@dataclass(frozen=True, slots=True)
class Rules:
    """One option of each type."""

    wild: bool = switch(False, "XXX-01")
    lives: int = number(3, 1, 9, "XXX-02", {"many": 100})
    ending: str = choice("sudden", "slow", rule="XXX-03")


PRESETS = {"plain": {}, "wild": {"wild": True, "lives": 5}}


def values_of(spec: Spec) -> st.SearchStrategy[bool | int | str]:
    """What an option may be."""
    if isinstance(spec.default, bool):
        return st.booleans()
    if spec.choices:
        return st.sampled_from(spec.choices)
    words = [st.just(value) for _, value in spec.words]
    return st.one_of(st.integers(spec.low, spec.high), *words)


def rules() -> st.SearchStrategy[Rules]:
    return st.builds(Rules, **{n: values_of(s) for n, s in options.specs(Rules).items()})


def written(given_options: Any) -> list[tuple[str, str]]:
    return [
        (name, options.text_of(given_options, name)) for name in options.specs(type(given_options))
    ]


def test_the_defaults_are_those_declared() -> None:
    assert options.make(Rules, {}) == Rules(False, 3, "sudden")
    assert options.make(Rules, PRESETS["wild"]) == Rules(True, 5, "sudden")


def test_what_is_given_goes_on_top_of_the_preset() -> None:
    assert options.make(Rules, PRESETS["wild"], [("lives", "7")]) == Rules(True, 7, "sudden")
    assert options.make(Rules, PRESETS["wild"], [("wild", "false")]) == Rules(False, 5, "sudden")


@given(rules())
def test_options_as_text_read_back(chosen: Rules) -> None:
    assert options.make(Rules, {}, written(chosen)) == chosen


@given(rules())
def test_options_as_header_items_read_back(chosen: Rules) -> None:
    items = options.items(chosen)
    assert all(type(name) is str and type(value) in (int, str) for name, value in items)
    assert options.from_items(Rules, items) == chosen
    assert options.from_items(Rules, items[::-1]) == chosen
    options.check(options.from_items(Rules, items))


@given(rules())
def test_the_fitting_preset_and_what_differs_give_the_options(chosen: Rules) -> None:
    name, differing = options.preset_of(chosen, PRESETS)
    pairs = [(item.partition("=")[0], item.partition("=")[2]) for item in differing]
    assert options.make(Rules, PRESETS[name], pairs) == chosen
    others = [options.preset_of(chosen, {key: PRESETS[key]})[1] for key in PRESETS]
    assert len(differing) == min(len(other) for other in others)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("wild", "True"), ("wild", "1"), ("wild", ""), ("wild", "yes"), ("wild", " true"),
        ("lives", "0"), ("lives", "10"), ("lives", "-1"), ("lives", "+3"), ("lives", "3.0"),
        ("lives", ""), ("lives", "100"), ("lives", "\u0663"), ("lives", "\u00b3"), ("lives", "3 "),
        ("lives", "1_0"), ("lives", "9" * 5000), ("lives", "Many"),
        ("ending", "Sudden"), ("ending", ""), ("ending", "slow\n"), ("ending", "0"),
        ("", "true"), ("Wild", "true"), ("__class__", "true"), ("x" * 5000, "true"),
    ],
)  # fmt: skip
def test_hostile_text_is_refused_in_a_short_sentence(name: str, text: str) -> None:
    with pytest.raises(OptionError) as caught:
        options.make(Rules, {}, [(name, text)])
    assert len(str(caught.value)) < 200


def test_a_word_stands_for_a_number_outside_the_range() -> None:
    chosen = options.make(Rules, {}, [("lives", "many")])
    assert chosen.lives == 100
    assert options.text_of(chosen, "lives") == "many"


def test_leading_zeros_name_the_same_number_once() -> None:
    assert options.make(Rules, {}, [("lives", "007")]).lives == 7
    assert options.text_of(options.make(Rules, {}, [("lives", "007")]), "lives") == "7"


def test_an_option_given_twice_is_refused() -> None:
    with pytest.raises(OptionError, match="twice"):
        options.make(Rules, {}, [("lives", "7"), ("lives", "7")])


@pytest.mark.parametrize(
    "wrong",
    [
        {"wild": 1}, {"wild": "true"}, {"wild": None}, {"lives": True}, {"lives": "3"},
        {"lives": 3.0}, {"lives": 10}, {"lives": -1}, {"lives": 10**50}, {"lives": [3]},
        {"ending": "quick"}, {"ending": b"slow"}, {"ending": ("slow",)}, {"ending": 0},
    ],
)  # fmt: skip
def test_values_of_the_wrong_type_or_range_fail_the_check(wrong: dict[str, Any]) -> None:
    with pytest.raises(OptionError) as caught:
        options.check(Rules(**wrong))
    assert len(str(caught.value)) < 200
    assert next(iter(wrong)) in str(caught.value)


@pytest.mark.parametrize(
    "items",
    [
        (),
        (("wild", 0), ("lives", 3)),
        (("wild", 0), ("wild", 0), ("lives", 3), ("ending", "sudden")),
        (("wild", 2), ("lives", 3), ("ending", "sudden")),
        (("wild", True), ("lives", 3), ("ending", "sudden")),
        (("wild", "false"), ("lives", 3), ("ending", "sudden")),
        (("wild", 0), ("lives", 3), ("ending", "sudden"), ("more", 1)),
    ],
)
def test_header_items_must_be_exactly_the_options(items: tuple[tuple[str, Any], ...]) -> None:
    with pytest.raises(OptionError):
        options.from_items(Rules, items)


def test_no_preset_is_an_error() -> None:
    with pytest.raises(OptionError):
        options.preset_of(Rules(), {})


def test_the_words_for_what_is_allowed_name_every_way_out() -> None:
    allowed = {name: spec.allowed() for name, spec in options.specs(Rules).items()}
    assert allowed == {
        "wild": "true or false",
        "lives": "many or a whole number from 1 to 9",
        "ending": "sudden or slow",
    }


# ---------------------------------------------------------------------------------------------
# Of every game


@games
def test_each_preset_of_a_game_can_be_played(game: Game) -> None:
    assert game.default_preset in game.presets
    for preset in game.presets.values():
        chosen: Any = options.make(game.options_type, preset)
        options.check(chosen)
        assert set(preset) <= set(options.specs(game.options_type))
        assert game.start(chosen, game.min_seats).seats == game.min_seats


@games
def test_each_preset_of_a_game_is_told_by_its_name(game: Game) -> None:
    for name, preset in game.presets.items():
        chosen: Any = options.make(game.options_type, preset)
        assert options.preset_of(chosen, game.presets) == (name, [])


@games
def test_options_of_a_game_read_back_from_text_and_items(game: Game) -> None:
    for preset in game.presets.values():
        chosen: Any = options.make(game.options_type, preset)
        assert options.make(game.options_type, {}, written(chosen)) == chosen
        assert options.from_items(game.options_type, options.items(chosen)) == chosen


@games
def test_options_of_a_game_are_frozen_and_cite_their_rules(game: Game) -> None:
    chosen: Any = options.make(game.options_type, game.presets[game.default_preset])
    specs = options.specs(game.options_type)
    assert specs
    for name, spec in specs.items():
        assert spec.rule
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(chosen, name, getattr(chosen, name))


@games
def test_a_game_refuses_options_of_the_wrong_type(game: Game) -> None:
    wrong: list[object] = [None, b"", 10**30, "nonsense", [], 1.5]
    for name in options.specs(game.options_type):
        for hostile in wrong:
            with pytest.raises(EngineError):
                game.start(game.options_type(**{name: hostile}), game.min_seats)


@games
@pytest.mark.parametrize("seats", [-1, 0, 1, 65, 10**9])
def test_a_game_refuses_a_number_of_seats_that_it_cannot_serve(game: Game, seats: int) -> None:
    chosen: Any = options.make(game.options_type, game.presets[game.default_preset])
    with pytest.raises(OptionError):
        game.start(chosen, seats)
