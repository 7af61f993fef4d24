"""What the moves that were seen tell of hidden hands of Mambassa, and the roll-outs' best hands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations, islice
from random import Random
from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import registry, worlds
from engine.contract import Move, State
from engine.games import mambassa_playout as playout
from engine.games.mambassa_hands import MambassaOptions, judge
from engine.games.mambassa_moves import BOTTOMS, DISCARD, KNOCK, Discard, Exchange
from engine.games.mambassa_playout import STEP, faces_of
from engine.games.mambassa_position import Phase
from engine.games.mambassa_state import MambassaState
from engine.games.mambassa_worlds import ODD, first_knock, likelihood, past_of
from tests.engine.table import Dealer, Setting, at_random, by_advice, play

KNOWN = playout.tables(judge(MambassaOptions()))
EIGHT_CARDS = st.lists(st.integers(0, 39), min_size=8, max_size=8, unique=True)
GAME = registry.get("mambassa")


def mask(faces: list[int]) -> int:
    return sum(1 << face for face in faces)


def fours(cards: int) -> list[int]:
    return [sum(bits) for bits in combinations([1 << face for face in faces_of(cards)], 4)]


@given(EIGHT_CARDS)
def test_the_best_four_of_eight_are_found_without_trying_all(faces: list[int]) -> None:
    cards = mask(faces)
    for cores, table in ((KNOWN.best_now, KNOWN.keys), (KNOWN.best, KNOWN.worths)):
        worth, core = playout.best_of(cards, cores)
        assert worth == max(table[hand] for hand in fours(cards))
        assert core & ~cards == 0
        with_rest = [hand for hand in fours(cards) if hand & core == core]
        assert {table[hand] for hand in with_rest} == {worth}, "the rest counts for nothing"


@given(EIGHT_CARDS, st.sampled_from([None, 50 * STEP, 56 * STEP]))
def test_the_best_exchange_is_the_likeliest(faces: list[int], least: int | None) -> None:
    own, monte = mask(faces[:4]), mask(faces[4:])
    hands = fours(own | monte)
    chances = {hand: likelihood(own, monte, hand, least, KNOWN) for hand in hands}
    table = KNOWN.keys if least is None else KNOWN.worths
    most = max(table[hand] for hand in hands)
    assert all(table[hand] == most for hand, chance in chances.items() if chance > ODD)
    assert sum(chance for chance in chances.values() if chance > ODD) <= 1 + 1e-9
    assert min(chances.values()) > 0


def positions(seed: int) -> Iterator[tuple[MambassaState, list[tuple[str, int, frozenset[int]]]]]:
    """Positions of a match by advice, and what happened in the hand: (what, player, hand after)."""
    rng = Random(seed)
    start = Setting("mambassa", "mambassa", 4).start()
    done: list[tuple[str, int, frozenset[int]]] = []
    game = play(start, Dealer(rng, live=True), by_advice(rng))
    for state, move, after in islice(game, 400):
        before, now = cast(MambassaState, state), cast(MambassaState, after)
        if before.phase is Phase.CHOOSE:
            done = []
        if before.phase is Phase.PLAY:
            yield before, list(done)
        if isinstance(move, Exchange):
            done.append(("exchange", before.at, frozenset(now.held[before.at])))
        elif before.phase is Phase.BOTTOM:
            done.append(("draw", before.at, frozenset(now.held[before.at])))
        elif before.phase is Phase.PLAY and not isinstance(move, Discard):
            done.append(("other", before.at, frozenset()))


@cache
def some_positions() -> list[tuple[MambassaState, list[tuple[str, int, frozenset[int]]]]]:
    return [found for seed in range(4) for found in positions(seed)]


def test_statements_tell_what_was_exchanged_and_drawn() -> None:
    exchanges = draws = 0
    for state, done in some_positions():
        past = past_of(state)
        for turn in past.turns:
            assert ("exchange", turn.at, frozenset(turn.after)) in done
            assert set(turn.after) <= set(turn.before)
            exchanges += 1
        for at, hand in past.drawn.items():
            assert ("draw", at, frozenset(hand)) in done
            draws += 1
        knock = first_knock(state)
        assert (knock >= 0) == (state.left >= 0 and state.turns > 3 - state.left)
    assert exchanges > 100
    assert draws > 50


def test_nothing_is_told_of_cards_that_nobody_can_follow_any_more() -> None:
    """A reseal makes what its slots told before useless: they may hold other cards now."""
    draws = 0
    for state, done in some_positions():
        turns = past_of(state).turns
        for number, (what, at, _) in enumerate(done):
            if what == "draw":
                draws += 1
                own = [hand for _, who, hand in done[:number] if who == at and hand]
                mixed = own[-1] if own else frozenset(range(4 * at, 4 * at + 4))
                for turn in turns:
                    event = ("exchange", turn.at, frozenset(turn.after))
                    if event in done[:number] and event not in done[number:]:
                        assert mixed.isdisjoint(turn.before)
    assert draws > 100


def test_what_is_public_tells_it() -> None:
    for state, _ in some_positions()[::5]:
        views = [cast(MambassaState, state.view(seat)) for seat in (None, 0, 1, 2, 3)]
        assert all(past_of(view) == past_of(state) for view in views)


def average(view: MambassaState, at: int, decks: list[bytes]) -> float:
    """What the hand of player `at` is worth in half points."""
    hands = [[deck[slot] for slot in view.held[at]] for deck in decks]
    return sum(view.match.judge.value(hand).halves for hand in hands) / len(hands)


@pytest.mark.parametrize("what", ["exchange", "draw", "other"])
def test_who_had_a_turn_is_taken_to_hold_more_than_chance_gives(what: str) -> None:
    tried = 0
    for state, done in some_positions():
        if not done or done[-1][0] != what or tried == 6:
            continue
        at = done[-1][1]
        seat = state.players[state.at]
        view = cast(MambassaState, state.view(seat))
        hidden = sum(not view.visible(seat) >> slot & 1 for slot in view.held[at])
        if hidden >= 2 and at != state.at:
            tried += 1
            weighed = [GAME.determine(view, seat, Random(n)).faces for n in range(40)]
            guessed = [worlds.guess(view, seat, Random(n)) for n in range(40)]
            assert average(view, at, weighed) > average(view, at, guessed) + 4
    assert tried > 2


def test_who_knocks_at_once_is_taken_to_hold_a_good_hand() -> None:
    for seed in range(3):
        rng = Random(seed)
        start = Setting("mambassa", "mambassa", 4).start()
        for state, _, _ in play(start, Dealer(rng, live=True), knocking):
            own = cast(MambassaState, state)
            if own.phase is Phase.PLAY and own.turns == 1:
                seat = own.players[1]
                view = cast(MambassaState, own.view(seat))
                worth = average(view, 0, [GAME.determine(view, seat, rng).faces for _ in range(40)])
                assert worth > 55
                break


def knocking(state: State, seat: int) -> Move:
    """Nobody swaps, and the first player knocks."""
    legal = state.legal(seat)
    return KNOCK if KNOCK in legal else legal[0]


@pytest.mark.parametrize("seed", range(12))
def test_a_roll_out_discards_what_a_draw_can_but_improve(seed: int) -> None:
    """After a reseal, and never by what is going to be drawn."""
    rng = Random(seed)
    start = Setting("mambassa", "mambassa", 3).start()
    for _, _, after in play(start, Dealer(rng, generous=True), discarding):
        state = cast(MambassaState, after)
        if state.phase is not Phase.BOTTOM:
            continue
        faces = [state.faces[slot] for slot in state.held[state.at]]
        apart = playout.suit_apart(mask(faces), KNOWN.keys)
        place = playout.discard(state, Random(1))
        if apart:
            assert 1 << faces[place] == apart
        deck = bytearray(state.faces)
        first, last = state.stock[0], state.stock[-1]
        deck[first], deck[last] = deck[last], deck[first]
        other = state.view(None).with_faces(bytes(deck))
        assert playout.discard(cast(MambassaState, other), Random(1)) == place
        seat = state.players[state.at]
        expected = playout.roll_out(state.apply(BOTTOMS[place]), seat, Random(1))
        assert playout.roll_out(state, seat, Random(1)) == expected
        break


def discarding(state: State, seat: int) -> Move:
    legal = state.legal(seat)
    return DISCARD if DISCARD in legal else legal[0]


def test_a_world_is_found_whatever_was_played() -> None:
    """Hands that lie open are stated without a promise, so what follows them can't be told."""
    tried = 0
    for seed in range(4):
        rng = Random(seed)
        dealer = Dealer(rng, live=True)
        start = Setting("mambassa", "mambassa", 3).start()
        for state, _, _ in islice(play(start, dealer, swapping(rng)), 300):
            before = cast(MambassaState, state)
            if before.phase in (Phase.PLAY, Phase.BOTTOM):
                seat = before.players[before.at]
                world = GAME.determine(dealer.seen_by(state, seat), seat, rng)
                world.deck.check(world.faces)
                tried += 1
    assert tried > 150


def swapping(rng: Random) -> Callable[[State, int], Move]:
    """Often three cards of the monte, once all four, and otherwise by chance."""
    chance = at_random(rng)

    def choose(state: State, seat: int) -> Move:
        legal = state.legal(seat)
        three = [move for move in legal if isinstance(move, Exchange) and len(move.take) == 3]
        return rng.choice(three) if three and rng.random() < 0.7 else chance(state, seat)

    return choose
