"""What the moves that were seen tell of hidden hands of Petrangola."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, islice
from random import Random
from typing import cast

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engine import worlds
from engine.contract import Cards, Decide, Input, State
from engine.games import petrangola_playout as playout
from engine.games import petrangola_worlds
from engine.games.petrangola import PetrangolaState
from engine.games.petrangola_bot import suggest
from engine.games.petrangola_hands import PRESETS, Judge, PetrangolaOptions, judge
from engine.games.petrangola_position import Phase
from engine.games.petrangola_worlds import ODD, Turn, histories, likelihood, likelihood_at_last
from tests.engine.petrangola_desk import seat_down
from tests.engine.table import Dealer, Setting, at_random, by_advice, play

SIX_CARDS = st.lists(st.integers(0, 39), min_size=6, max_size=6, unique=True)


def marche() -> Judge:
    return judge(PetrangolaOptions(**PRESETS["marche"]))  # type: ignore[arg-type] # data


def played(seed: int, seats: int, advised: bool) -> list[tuple[PetrangolaState, list[Turn]]]:
    """Positions of some hands, before each turn, with the turns of the hand up to there."""
    rng = Random(seed)
    choose = by_advice(rng) if advised else at_random(rng)
    found, turns = [], list[Turn]()
    start = Setting("petrangola", "marche", seats).start()
    for state, _, after in islice(play(start, Dealer(rng, live=True), choose), 120):
        before, now = cast(PetrangolaState, state), cast(PetrangolaState, after)
        if before.phase is Phase.PLAY:
            found.append((before, list(turns)))
            at = before.at
            six = before.held[at] + before.monte
            kept = frozenset(map(six.index, (now.held or before.held)[at]))
            place = [frozenset(places) for places in playout.SIX].index(kept)
            rounds = before.turns // len(before.players) if before.left < 0 else -1
            turns.append(Turn(at, six, place, rounds))
        elif before.phase is Phase.CHOOSE:
            turns.clear()
    return found


@pytest.mark.parametrize("seats", [2, 4])
@pytest.mark.parametrize("advised", [False, True], ids=["by chance", "by advice"])
def test_what_happened_is_found_again(seats: int, advised: bool) -> None:
    """In the first two rounds nearly always, and never anything that the rules don't allow."""
    right = asked = 0
    for seed in range(3):
        for state, turns in played(seed, seats, advised):
            n = len(state.players)
            if state.turns > 2 * n:
                continue
            asked += 1
            ways = histories(state)
            right += tuple(turns) in ways
            for way in ways:
                assert [turn.at for turn in way] == [turn % n for turn in range(state.turns)]
                assert [turn.rounds for turn in way] == [turn.rounds for turn in turns]
    assert asked > 15
    assert right >= 0.9 * asked


def test_what_happened_is_told_by_what_is_public() -> None:
    for state, _ in played(1, 4, advised=True)[:25]:
        assert (
            len({histories(cast(PetrangolaState, state.view(seat))) for seat in (None, 0, 1, 2, 3)})
            == 1
        )


@given(SIX_CARDS, st.integers(15, 25))
@example([30, 0, 1, 37, 38, 39], 15)  # a scala lies in the monte, and a better one is in reach
def test_the_usual_policy_is_the_likeliest(cards: list[int], least: int) -> None:
    """What a roll-out would do is never an odd move, and all that isn't odd is one choice."""
    keys, values = playout.tables(marche())
    six = tuple(cards)
    places = range(len(playout.SIX))
    chances = [likelihood(six, place, least, values) for place in places]
    assert chances[playout.on(six, least, values)] == max(chances) > ODD
    assert sum(chance for chance in chances if chance > ODD) <= 2  # two knocks may be worth as much
    last = [likelihood_at_last(six, place, keys) for place in places]
    most = max(keys[a, b, c] for a, b, c in combinations(six, 3))
    for place in places:
        a, b, c = (six[at] for at in playout.SIX[place])
        assert (last[place] > ODD) <= (keys[a, b, c] == most)
    assert last[playout.last(six, keys)] > ODD
    assert sum(chance for chance in last if chance > ODD) == pytest.approx(1)


def share(view: PetrangolaState, seat: int, holds: int, faces: str) -> float:
    """In how many of 300 worlds the player `holds` has one of these cards."""
    wanted = set(view.deck.kind.split(faces))
    hits = 0
    for seed in range(300):
        world = view.game.determine(view, seat, Random(seed))
        hits += any(world.faces[slot] in wanted for slot in view.hand_of(holds))
    return hits / 300


def test_who_collects_a_suit_is_taken_to_hold_it() -> None:
    """Seat 1 gives a re for the 2 of bastoni: it is after bastoni, and not after anything else."""
    desk = seat_down({1: "7b 6b Rc", 2: "4s 5d 6c"}, "2b 3d 2s", seats=4, live=True)
    desk = desk.say("stay", "Rc>2b")
    view = desk.seen(2)
    clubs = share(view, 2, 1, "Ab Rb Cb Fb 7b 6b 5b 4b 3b")
    assert clubs > 0.75  # half of all hands do
    cups = share(view, 2, 1, "Ac Cc Fc 7c 5c 4c 3c 2c")
    assert cups < 0.25


def test_who_does_not_knock_is_taken_to_have_had_no_reason() -> None:
    """Nobody who holds 20 points or more exchanges in the first round, where 4 play."""
    desk = seat_down({1: "7b 6b Rc", 2: "4s 5d 6c"}, "2b 3d 2s", seats=4, live=True)
    view = desk.say("stay", "Rc>2b").seen(2)
    assert playout.enough(4, 0) == 20

    def good(decks: Iterable[bytes]) -> int:
        return sum(view.match.judge.value(deck[:3]).key >= 20 for deck in decks)

    guessed = good(worlds.guess(view, 2, Random(n)) for n in range(300))
    weighed = good(view.game.determine(view, 2, Random(n)).faces for n in range(300))
    assert weighed < guessed / 2


@pytest.mark.parametrize("seats", [2, 4, 12, 13])
def test_worlds_are_found_for_any_number_of_players(seats: int) -> None:
    """With 12 players 39 of 40 cards are dealt; with 13 cards come twice."""
    state: State = Setting("petrangola", "marche", seats).start()
    rng = Random(seats)
    dealer = Dealer(rng, live=True)
    tried = 0
    while tried < 2 * seats:
        turn = state.turn()
        given: Input
        if isinstance(turn, Cards):
            given = dealer.answer(turn)
        else:
            seat = turn.seat if isinstance(turn, Decide) else -1
            view = dealer.seen_by(state, seat)
            own = cast(PetrangolaState, view)
            if own.phase is Phase.PLAY:
                tried += 1
                world = view.game.determine(view, seat, rng)
                world.deck.check(world.faces)
            given = suggest(own, seat, rng)
        state = state.apply(given)


def test_who_knocked_had_a_reason_even_if_it_cannot_be_told_how(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """After many rounds what happened isn't found again; the knock is known all the same."""
    view = seat_down({}, "7s Cb 3b", live=True).say("stay", "knock").seen(2)
    monkeypatch.setattr(petrangola_worlds, "histories", lambda _: ())
    value = view.match.judge.value
    for seed in range(60):
        world = view.game.determine(view, 2, Random(seed))
        assert value([world.faces[slot] for slot in view.held[0]]).key >= 17
