"""`busso bench engine` and `busso bench bots`: what they count, and that luck cancels out."""

from __future__ import annotations

import json
import math
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine import registry
from engine.contract import Cards, Decide, Move, State
from node.search import Budget, Level
from tests.tools.running import busso
from tools import bench_games, duels
from tools.bench_games import Pace, RollOuts, Walk, dealt, floor, moves_of_a_hand, pace, speed
from tools.errors import ExitCode, UsageError

every_game = pytest.mark.parametrize("name", registry.GAMES)
FEW = Budget(math.inf, 12)


@every_game
def test_a_game_has_a_speed_by_its_api_and_by_its_roll_outs(name: str) -> None:
    game = registry.get(name)
    seats = duels.usual_players(game, None)
    found = speed(game, seats, Pace(1000, 0.001, 0.001), seconds=1e-6)
    assert found["players"] == seats
    for figure in ("moves_per_s", "moves_per_wall_s", "roll_outs_per_s", "roll_out_moves_per_s"):
        assert found[figure] > 0
    assert found["ratio"] == pytest.approx(1_000_000 / found["moves_per_s"], abs=0.06)


@every_game
def test_the_walk_counts_every_move_that_somebody_chose(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    game = registry.get(name)
    walk = Walk(game, duels.usual_players(game, None))
    applied = 0

    class Seen:
        """Counts what is applied; everything else is the state's."""

        def __init__(self, state: State) -> None:
            self.state = state

        def turn(self) -> object:
            return self.state.turn()

        def legal(self, seat: int | None = None) -> object:
            return self.state.legal(seat)

        def apply(self, given: Any) -> Seen:
            nonlocal applied
            if isinstance(given, Move):
                applied += 1
            elif hasattr(given, "moves"):
                applied += len(given.moves)
            return Seen(self.state.apply(given))

    walk.state = cast(State, Seen(walk.state))
    start = game.start
    monkeypatch.setattr(game, "start", lambda options, seats: Seen(start(options, seats)))
    assert walk.hands() == applied > 0


def test_the_floor_makes_as_many_calls() -> None:
    assert floor() == 1000


def test_a_pace_is_what_was_done_in_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    times = iter([0.0, 0.25, 0.5, 1.0])
    walls = iter([10.0, 14.0])
    clocks = SimpleNamespace(process_time=lambda: next(times), perf_counter=lambda: next(walls))
    monkeypatch.setattr(bench_games, "time", clocks)
    found = pace(lambda: 100, 1.0)
    assert found == Pace(300, 4.0, 1.0)
    assert (found.per_s, found.per_wall_s) == (300, 75)


def test_a_trick_taking_hand_has_as_many_moves_as_cards() -> None:
    assert moves_of_a_hand(registry.get("traversone"), 4, 2) == 40
    assert moves_of_a_hand(registry.get("traversone"), 3, 2) == 40
    assert moves_of_a_hand(registry.get("briscola"), 2, 2) == 40


@every_game
def test_roll_outs_begin_with_the_first_choice_of_a_deal(name: str) -> None:
    game = registry.get(name)
    seats = duels.usual_players(game, None)
    state = dealt(game, seats, 1)
    assert state.faces
    assert not isinstance(state.turn(), Decide) or state.legal()
    assert RollOuts(game, seats).some() == 20


# -- duels -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 7])
def test_every_seat_is_played_by_both_levels_equally(seats: int) -> None:
    """What a seat is worth cancels out: each mean is over the same seats, equally often."""
    lines = list(duels.lineups(seats))
    for seat in range(seats):
        weight = sum(1 / sum(line) if line[seat] else -1 / (seats - sum(line)) for line in lines)
        assert weight == pytest.approx(0)
    if seats == 4:
        assert all(line[0] == line[2] != line[1] == line[3] for line in lines), "partners"


@every_game
def test_a_level_is_as_strong_as_itself(name: str) -> None:
    """The same players all round: whatever the deal, its luck cancels out to nothing."""
    game = registry.get(name)
    seats = duels.usual_players(game, None)
    pair = (Level.MEDIUM, Level.MEDIUM)
    for number in range(3):
        assert duels.difference(game, seats, number, pair, FEW) == pytest.approx(0)


@every_game
def test_a_duel_can_be_had_again(name: str) -> None:
    game = registry.get(name)
    seats = duels.usual_players(game, None)
    once, again = (duels.duel(game, seats, 2, duels.PAIRS[0], FEW) for _ in range(2))
    assert once == again


def test_an_interval_is_two_standard_errors_wide(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(duels, "difference", lambda *given: float(given[2] % 2))
    done: list[int] = []
    found = duels.duel(registry.get("briscola"), 2, 100, duels.PAIRS[0], FEW, told=done.append)
    assert found.margin == 0.5
    assert found.error == pytest.approx(1.96 * math.sqrt(100 / 99 * 0.25 / 100))
    assert found.sure
    assert done == list(range(1, 101))
    narrow = duels.Strength(Level.HARD, Level.MEDIUM, 9, 0.1, 0.2)
    assert not narrow.sure


def test_other_deals_can_be_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def difference(_game: object, _seats: int, number: int, *_: object) -> float:
        asked.append(number)
        return 1.0

    monkeypatch.setattr(duels, "difference", difference)
    given = ("--game", "briscola", "--games", "3", "--first", "40", "--samples", "6")
    said = busso("bench", "bots", "--json", *given)
    assert asked == [40, 41, 42] * len(duels.PAIRS)
    assert json.loads(said.out)["first"] == 40


@pytest.mark.parametrize(("name", "sign"), [("traversone", -1), ("petrangola", 1)])
def test_penalties_count_against_a_level(
    monkeypatch: pytest.MonkeyPatch, name: str, sign: int
) -> None:
    """The better level's seats get 6, the others 2."""

    def scores(
        _game: object, _seats: int, _number: int, levels: list[Level], _budget: object
    ) -> tuple[int, ...]:
        return tuple(6 if level is Level.HARD else 2 for level in levels)

    monkeypatch.setattr(duels, "play_hand", scores)
    assert duels.difference(registry.get(name), 4, 1, duels.PAIRS[1], FEW) == 4 * sign


@pytest.mark.parametrize("name", ["petrangola", "traversone"])
def test_medium_beats_easy(name: str) -> None:
    """The only test of strength: a wide gap, fixed deals."""
    game = registry.get(name)
    assert duels.duel(game, 4, 40, (Level.MEDIUM, Level.EASY), FEW).sure


def test_a_table_that_a_game_is_not_for_is_refused() -> None:
    with pytest.raises(UsageError, match="isn't for 9 players"):
        duels.usual_players(registry.get("traversone"), 9)
    assert duels.usual_players(registry.get("petrangola"), 9) == 9


def test_decks_are_whole() -> None:
    state = registry.get("briscola").start(duels.usual_options(registry.get("briscola")), 3)
    drawn = duels.shuffled(cast(Cards, state.turn()), Random(1))
    assert drawn is not None
    state.apply(drawn)


def test_bots_are_told_as_data() -> None:
    said = busso("bench", "bots", "--json", "--game", "briscola", "--games", "2", "--samples", "6")
    value = json.loads(said.out)
    pairs = value["games"]["briscola"]["pairs"]
    assert [(p["better"], p["worse"], p["deals"]) for p in pairs] == [
        ("medium", "easy", 2),
        ("hard", "medium", 2),
    ]
    assert said.code == (0 if all(pair["sure"] for pair in pairs) else 1)


def test_speeds_are_told_with_a_floor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bench_games, "_SECONDS", 1e-6)
    said = busso("bench", "engine", "--game", "briscola")
    assert said.code == 0
    first, second = said.out.splitlines()
    assert first.startswith("bare calls")
    assert "times the floor" in second
    value = json.loads(busso("bench", "engine", "--json", "--game", "briscola").out)
    assert value["floor_moves_per_s"] > 0
    assert set(value["games"]) == {"briscola"}


@pytest.mark.parametrize("think", ["0", "61", "-1", "1e1", "x", "1.2.3", ""])
def test_thinking_takes_a_time_that_makes_sense(think: str) -> None:
    said = busso("bench", "bots", "--think", think)
    assert said.code == ExitCode.USAGE
    assert "--think" in said.err


def test_a_level_is_one_of_three() -> None:
    said = busso("demo", "--level", "grandmaster")
    assert said.code == ExitCode.USAGE
    assert "--level" in said.err


@pytest.mark.parametrize(
    ("what", "keys"),
    [
        ("deal", {"shuffle_and_prove", "verify_shuffle", "make_shares", "verify_shares"}),
        ("verify", {"verify_ms", "signatures_ms", "status"}),
    ],
)
def test_dealing_and_verifying_are_measured(what: str, keys: set[str]) -> None:
    said = busso("bench", what, "--players", "2", "--json")
    assert said.code == 0
    value = json.loads(said.out)
    assert keys <= set(value)
    for name in keys & {"shuffle_and_prove", "verify_shuffle", "make_shares", "verify_shares"}:
        assert value[name]["ratio"] > 0
    assert value.get("status", "complete") == "complete"
    assert len(value.get("deal_ms", [1.0, 1.0, 1.0])) == 3
