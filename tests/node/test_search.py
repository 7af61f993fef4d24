"""Levels of computer players: legal, blind, within their budget, for every registered game."""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast

import pytest

from engine import registry, worlds
from engine.contract import Ask, Decide, Game, Move, State
from engine.games.traversone import Aside
from node import bot as bots
from node import search
from node.bot import Bot
from node.match import Match
from node.search import Budget, Level, choose, compare
from node.session import Session
from protocol.group import default_group
from protocol.identity import Identity
from protocol.table import YourMove
from tests.engine.table import Dealer, Setting, at_random, play

every_game = pytest.mark.parametrize("name", registry.GAMES)
every_level = pytest.mark.parametrize("level", Level)
COUNTED = Budget(math.inf, 24)


def setting(name: str) -> Setting:
    game = registry.get(name)
    return Setting(name, game.default_preset, min(max(3, game.min_seats), game.max_seats))


@cache
def choices(name: str, live: bool, most: int = 24) -> tuple[tuple[State, State, int], ...]:
    """(state, the view of who is to choose, that seat), spread over two matches by chance."""
    found = []
    for seed in (1, 2):
        rng = Random(seed)
        dealer = Dealer(rng, live=live)
        for state, _, _ in itertools.islice(
            play(setting(name).start(), dealer, at_random(rng)), 400
        ):
            turn = state.turn()
            if isinstance(turn, Decide | Ask):
                seats = (turn.seat,) if isinstance(turn, Decide) else turn.seats
                found += [(state, dealer.seen_by(state, seat), seat) for seat in seats]
    step = max(1, len(found) // most)
    return tuple(found[::step])


@every_game
@every_level
@pytest.mark.parametrize("live", [False, True], ids=["open", "live"])
def test_a_choice_is_legal_for_who_sees_the_cards(name: str, level: Level, live: bool) -> None:
    for n, (_, view, seat) in enumerate(choices(name, live)):
        assert choose(level, view, seat, Random(n), COUNTED) in view.legal(seat)


@every_game
@every_level
def test_cards_that_a_seat_cannot_see_change_nothing(name: str, level: Level) -> None:
    """Two worlds that a seat can't tell apart, handed over whole: the same choice in both."""
    tried = 0
    for n, (state, view, seat) in enumerate(choices(name, live=False)):
        if not view.faces:
            continue
        other = state.game.determine(view, seat, Random(n))
        if other.faces == state.faces:
            continue
        tried += 1
        expected = choose(level, state, seat, Random(n), COUNTED)
        assert choose(level, other, seat, Random(n), COUNTED) == expected
    assert tried > 5


@every_game
def test_a_seed_and_a_counted_budget_give_the_same_choice(name: str) -> None:
    for n, (_, view, seat) in enumerate(choices(name, live=True)[:8]):
        once, again = (choose(Level.HARD, view, seat, Random(n), COUNTED) for _ in range(2))
        assert once == again


def first_choice(name: str = "traversone") -> tuple[State, int]:
    """A view with many moves to choose from."""
    for _, view, seat in choices(name, live=True):
        if view.faces and len(view.legal(seat)) > 2 and not isinstance(view.legal(seat)[0], Aside):
            return view, seat
    raise AssertionError("no such position")


class Counting:
    """`Game.roll_out` of one game, counted."""

    def __init__(self, patch: pytest.MonkeyPatch, game: Game) -> None:
        self.calls = 0
        real = game.roll_out

        def roll_out(state: State, seat: int, rng: Random) -> int:
            self.calls += 1
            return real(state, seat, rng)

        patch.setattr(game, "roll_out", roll_out)


@pytest.mark.parametrize("samples", [1, 50, 333])
def test_a_counted_budget_is_kept_but_for_the_last_world(
    monkeypatch: pytest.MonkeyPatch, samples: int
) -> None:
    view, seat = first_choice()
    counting = Counting(monkeypatch, view.game)
    choose(Level.HARD, view, seat, Random(1), Budget(math.inf, samples))
    moves = len(view.legal(seat))
    assert max(samples, moves) <= counting.calls < samples + moves + 1


def ticking(step: float) -> Iterator[float]:
    return itertools.count(0.0, step)


def test_the_clock_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock that goes a tenth of a second whenever it is looked at: some twenty looks in two."""
    view, seat = first_choice()
    counting = Counting(monkeypatch, view.game)
    time = ticking(0.1)
    choose(Level.HARD, view, seat, Random(1), Budget(2.0), clock=lambda: next(time))
    moves = len(view.legal(seat))
    assert moves < counting.calls < 20 * moves


def test_one_world_is_played_however_late_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    view, seat = first_choice()
    counting = Counting(monkeypatch, view.game)
    time = ticking(100.0)
    move = choose(Level.HARD, view, seat, Random(1), Budget(0.5), clock=lambda: next(time))
    assert counting.calls == len(view.legal(seat))
    assert move in view.legal(seat)


def test_a_search_that_is_stopped_answers_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    view, seat = first_choice()
    counting = Counting(monkeypatch, view.game)
    choose(Level.HARD, view, seat, Random(1), Budget(math.inf, 10**6), stopped=lambda: True)
    assert counting.calls == len(view.legal(seat))


@every_game
def test_nothing_is_searched_where_there_is_one_move(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    view, seat = first_choice(name)
    only = view.legal(seat)[-1]
    monkeypatch.setattr(type(view), "legal", lambda *_: (only,))
    counting = Counting(monkeypatch, view.game)
    assert choose(Level.HARD, view, seat, Random(1), COUNTED) == only
    assert counting.calls == 0


@pytest.mark.parametrize("samples", [50, 600])
def test_the_best_move_by_the_roll_outs_is_chosen(
    monkeypatch: pytest.MonkeyPatch, samples: int
) -> None:
    """Whatever is suggested: the last move's roll-outs go well here, all others badly. With few of
    them the last share alone has too few worlds to tell."""
    view, seat = first_choice()
    best = view.legal(seat)[-1]

    def roll_out(state: State, _: int, rng: Random) -> int:
        return rng.randrange(3) + 2 * played(state, best)

    def played(state: State, move: Move) -> bool:
        return bool(state.opened >> cast(Any, move).slot & 1)

    monkeypatch.setattr(view.game, "roll_out", roll_out)
    for seed in range(5):
        assert choose(Level.HARD, view, seat, Random(seed), Budget(math.inf, samples)) == best


@pytest.mark.parametrize(("seconds", "samples"), [(0.0, 1), (-1.0, 1), (1.0, 0), (math.nan, 1)])
def test_a_budget_allows_something(seconds: float, samples: int) -> None:
    with pytest.raises(ValueError, match="budget"):
        Budget(seconds, samples)


@every_game
def test_a_game_that_adds_nothing_for_searching_is_searched_all_the_same(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without its own worlds, roll-outs and open positions: the contract's defaults do."""
    positions = choices(name, live=True)[:10]
    game = registry.get(name)
    for method in ("determine", "roll_out", "easy"):
        if method in vars(type(game)):
            monkeypatch.delattr(type(game), method)
    for kind in type(positions[0][0]).__mro__[:-3]:
        if "played_openly" in vars(kind) and kind is not State:
            monkeypatch.delattr(kind, "played_openly")
    for n, (_, view, seat) in enumerate(positions):
        for level in Level:
            assert choose(level, view, seat, Random(n), COUNTED) in view.legal(seat)


def test_the_default_roll_out_prefers_the_better_score() -> None:
    """Briscola's last trick: the world's only lines differ in who takes what is on the table."""
    game = registry.get("briscola")
    state = Setting("briscola", game.default_preset, 2).start()
    rng = Random(3)
    dealer = Dealer(rng)
    for before, _, after in play(state, dealer, at_random(rng)):
        if after.hand == 2:
            ended = before
            break
    seat = cast(Decide, ended.turn()).seat
    move = ended.legal(seat)[0]
    scores = ended.apply(move).scores()
    mine = worlds.play_out(ended.apply(move), seat, Random(1))
    assert mine == 2 * scores[seat] - sum(scores)
    assert worlds.play_out(ended, seat, Random(1)) == mine


# -- the bot at a session --------------------------------------------------------------------------


class Listener:
    """What a bot sees of a session."""

    def __init__(self) -> None:
        self.table = SimpleNamespace(player=SimpleNamespace(seat=0))
        self.chosen: list[tuple[Move, object]] = []
        self.errors: list[Exception] = []
        self.threads: list[int] = []
        self.told = threading.Event()

    def choose(self, move: Move, decision: object = None) -> None:
        self.chosen.append((move, decision))
        self.threads.append(threading.get_ident())
        self.told.set()

    def fail(self, error: Exception) -> None:
        self.errors.append(error)
        self.told.set()


def decision_of(view: State, seat: int) -> YourMove:
    position = SimpleNamespace(chair=lambda _: seat, step=5, head=b"5")
    return YourMove(cast(Any, position), view)


@every_level
def test_a_bot_answers_the_decision_that_it_was_asked_for(level: Level) -> None:
    view, seat = first_choice()
    listener = Listener()
    decision = decision_of(view, seat)
    Bot(Random(1), level, COUNTED).decide(decision, cast(Session, listener))
    assert listener.told.wait(20)
    ((move, answered),) = listener.chosen
    assert answered is decision
    assert move in view.legal(seat)
    beside = listener.threads[0] != threading.get_ident()
    assert beside is (level is Level.HARD), "the session's thread mustn't wait for thought"


def test_an_older_decision_is_given_up_when_another_comes_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    view, seat = first_choice()
    listener = Listener()
    entered, stops = threading.Event(), []

    def slow(*_: object, stopped: Any) -> Move:
        stops.append(stopped)
        entered.set()
        return view.legal(seat)[0]

    monkeypatch.setattr(bots, "choose", slow)
    bot = Bot(Random(1), Level.HARD, COUNTED)
    bot.decide(decision_of(view, seat), cast(Session, listener))
    assert entered.wait(20)
    entered.clear()
    assert not stops[0]()
    bot.decide(decision_of(view, seat), cast(Session, listener))
    assert stops[0]()
    assert entered.wait(20)
    assert not stops[1]()


def test_a_bot_that_breaks_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    view, seat = first_choice()
    listener = Listener()

    def broken(*_: object, **__: object) -> Move:
        raise KeyError("a bug")

    monkeypatch.setattr(bots, "choose", broken)
    Bot(Random(1), Level.HARD, COUNTED).decide(decision_of(view, seat), cast(Session, listener))
    assert listener.told.wait(20)
    assert [type(error) for error in listener.errors] == [KeyError]


def session(tmp_path: Path) -> Session:
    return Session(
        Identity.generate(),
        "Ada",
        tmp_path,
        group=default_group(),
        chooser=Bot(Random(1)),
        on_event=lambda _: None,
    )


@pytest.mark.parametrize(
    ("step", "head", "deciding", "counts"),
    [
        (5, b"5", True, True),
        (6, b"5", True, False),
        (5, b"6", True, False),
        (5, b"5", False, False),
    ],
)
def test_a_match_drops_the_answer_to_what_is_due_no_more(
    step: int, head: bytes, deciding: bool, counts: bool
) -> None:
    view, seat = first_choice()
    played: list[Move] = []
    here = SimpleNamespace(step=step, head=head)
    match = object.__new__(Match)  # its table is all that the question takes
    table = SimpleNamespace(position=here, halted=False, deciding=deciding, play=played.append)
    match.table = cast(Any, table)
    match.play(view.legal(seat)[0], decision_of(view, seat))
    assert len(played) == counts


def test_a_session_raises_what_broke_its_chooser(tmp_path: Path) -> None:
    node = session(tmp_path)
    node._sitting = cast(Any, SimpleNamespace())  # somebody who sits can be asked to choose
    node.fail(KeyError("a bug"))
    with pytest.raises(KeyError, match="a bug"):
        node.run()


def test_a_view_without_cards_is_left_to_the_suggestion() -> None:
    """Petrangola's cut: no deck lies dealt, so there is no world to sample."""
    for _, view, seat in choices("petrangola", live=True):
        if not view.faces:
            expected = view.game.suggest(view, seat, Random(4))
            assert choose(Level.HARD, view, seat, Random(4), COUNTED) == expected
            return
    raise AssertionError("no cut")


@every_game
def test_a_comparison_is_of_what_would_be_chosen(name: str) -> None:
    compared = 0
    for n, (_, view, seat) in enumerate(choices(name, live=True, most=12)):
        found = compare(view, seat, Random(n), COUNTED)
        if found is None:
            assert len(view.legal(seat)) == 1 or not view.faces or name in {"mambassa", "picchetto"}
            continue
        compared += 1
        assert found.move == choose(Level.HARD, view, seat, Random(n), COUNTED)
        assert found.move != found.other in view.legal(seat)
    assert compared > 3


@pytest.mark.parametrize("name", ["traversone", "briscola", "petrangola"])
def test_a_comparison_counts_the_roll_outs_that_were_made(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Written down as they are made, and added up anew: both moves in the same worlds."""
    made: list[tuple[Move, int, int]] = []
    real = search._Search._try

    def tried(self: Any, world: State, move: Move, seed: int) -> int:
        worth = real(self, world, move, seed)
        made.append((move, seed, worth))
        return worth

    monkeypatch.setattr(search._Search, "_try", tried)
    for n, (_, view, seat) in enumerate(choices(name, live=True, most=8)):
        made.clear()
        found = compare(view, seat, Random(n), Budget(math.inf, 60))
        if found is None:
            continue
        own = {seed: worth for move, seed, worth in made if move == found.move}
        other = {seed: worth for move, seed, worth in made if move == found.other}
        both = own.keys() & other.keys()
        leads = [own[seed] - other[seed] for seed in both]
        totals: dict[Move, int] = {}
        for move in {move for move, _, _ in made}:
            worths = [worth for one, _, worth in made if one == move]
            if len(worths) == found.worlds:
                totals[move] = sum(worths)
        assert max(totals[move] for move in totals if move != found.move) == totals[found.other]
        assert found.worlds == len(both) == max(len(own), len(other))
        assert found.lead == sum(leads)
        assert found.better == sum(lead > 0 for lead in leads)
        assert found.worse == sum(lead < 0 for lead in leads)


@pytest.mark.parametrize("name", ["traversone", "picchetto", "petrangola", "mambassa"])
def test_what_a_point_of_lead_is_in_a_roll_out(name: str) -> None:
    """After a hand a roll-out is its result: so many times the lead over the others' average."""
    game, rng = registry.get(name), Random(5)
    ends = 0
    for before, given, after in play(setting(name).start(), Dealer(rng), at_random(rng)):
        if not isinstance(given, Move) or after.hand == before.hand or not before.faces:
            continue
        totals = after.scores()
        if name == "traversone":  # the penalties of the deal
            totals = tuple(b - a for a, b in zip(before.scores(), totals, strict=True))
        seat = before.players[0]
        own, others = totals[seat], sum(totals) - totals[seat]
        lead = game.lead_parts(before) * own - others
        found = game.roll_out(after, seat, rng)
        assert found == (-lead if game.low_score_wins else lead)
        ends += 1
        if len(after.players) < len(before.players):
            break
    assert ends


def test_a_roll_out_that_counts_more_than_points_has_no_such_number() -> None:
    assert registry.get("briscola").lead_parts(setting("briscola").start()) == 0
