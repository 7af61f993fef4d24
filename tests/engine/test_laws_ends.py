"""Laws of how matches end, of every registered game: results, records, seats that leave."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from engine import registry
from engine.contract import (
    Answers,
    Ask,
    Cards,
    Decide,
    Leave,
    Open,
    Over,
    Result,
    Revealed,
    Show,
    Shuffled,
    State,
)
from engine.errors import IllegalMove, OutOfTurn
from engine.record import HandLine, read_record, write_record
from engine.replay import check, normalize, record_of
from tests.engine import table
from tests.engine.laws import (
    SETTINGS,
    Position,
    every_game,
    every_setting,
    few,
    leavers,
    live_positions,
    sample,
    seeds,
)
from tests.engine.table import Dealer, Setting, at_random, play, play_open


def check_result(state: State, result: Result) -> None:
    seats = state.seats
    assert len(result.scores) == len(result.paid) == len(result.won) == seats
    assert list(result.winners) == sorted(set(result.winners))
    assert set(result.winners) <= set(range(seats))
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", result.reason)
    assert all(amount >= 0 for amount in (*result.paid, *result.won))
    assert result.scores == state.scores()
    if result.winners:
        assert sum(result.won) == sum(result.paid)


@every_setting
@few
@for_all(seed=seeds)
def test_every_match_ends_with_a_balanced_result(setting: Setting, seed: int) -> None:
    last = setting.start()
    hand = last.hand
    assert last.standing().winners == ()
    for _, _, after in play_open(setting, seed):
        assert after.hand - hand in (0, 1), "hands are counted one by one"
        hand = after.hand
        last = after
        turn = after.turn()
        if not isinstance(turn, Over):
            assert after.standing().reason == "unfinished"
            assert sum(after.standing().won) <= sum(after.standing().paid)
    turn = last.turn()
    assert isinstance(turn, Over)
    assert turn.result.winners
    assert turn.result == last.standing()
    check_result(last, turn.result)


@every_setting
@few
@for_all(seed=seeds)
def test_a_match_is_its_record(setting: Setting, seed: int) -> None:
    game = registry.get(setting.game)
    rng = Random(seed)
    dealer = Dealer(rng, live=rng.random() < 0.5, generous=True)
    start = setting.start()
    played = list(play(start, dealer, at_random(rng)))
    stop = rng.choice([len(played), rng.randrange(len(played)) + 1])
    inputs = [given for _, given, _ in played[:stop]]
    names = [f"P{seat}" for seat in range(setting.seats)]
    record = record_of(game, start.options, names, inputs)
    text = write_record(record)
    again = read_record(text)
    assert again == record
    assert write_record(again) == text
    assert normalize(again) == record
    last = check(again)
    if stop == len(played) or not dealer.live:
        end = played[stop - 1][2]
        assert last.public() == end.public()
        assert (last.turn(), last.piles(), last.faces) == (end.turn(), end.piles(), end.faces)


# ---------------------------------------------------------------------------------------------
# Leaving


def play_and_leave(setting: Setting, seed: int, live: bool) -> Iterator[Position]:
    """A match by chance that seats leave at any point of it."""
    rng = Random(seed)
    dealer = Dealer(rng, live=live, generous=True)
    state = setting.start()
    for _ in range(table.MAX_STEPS):
        given = table.next_input(state, dealer, at_random(rng))
        if given is None:
            return
        chance = 0.2 if isinstance(given, Revealed) else 0.03
        if rng.random() < chance:
            given = Leave(leavers(state, rng), rng.random() < 0.5)
        after = state.apply(given)
        yield state, given, after
        state = after
    raise AssertionError("the match doesn't end")


@every_setting
@few
@for_all(seed=seeds, live=st.booleans())
def test_seats_may_leave_at_any_point_and_the_match_still_ends(
    setting: Setting, seed: int, live: bool
) -> None:
    last = setting.start()
    for state, given, after in play_and_leave(setting, seed, live):
        if isinstance(given, Leave):
            check_left(state, given, after)
        last = after
    turn = last.turn()
    assert isinstance(turn, Over)
    check_result(last, turn.result)


@every_setting
@few
@for_all(seed=seeds, live=st.booleans())
def test_a_match_that_seats_left_is_its_record(setting: Setting, seed: int, live: bool) -> None:
    """Void hands, whose deck is unknown, and hands left after their showdown included."""
    start = setting.start()
    played = list(play_and_leave(setting, seed, live))
    names = [f"P{seat}" for seat in range(setting.seats)]
    record = record_of(start.game, start.options, names, [given for _, given, _ in played])
    text = write_record(record)
    assert read_record(text) == record
    assert normalize(record) == record
    last, end = check(record), played[-1][2]
    assert last.turn() == end.turn()
    assert last.public() == end.public()
    hands = [state.hand for state, given, _ in played if isinstance(given, Shuffled)]
    written = [entry.number for entry in record.entries if isinstance(entry, HandLine)]
    assert set(hands) <= set(written)
    assert written == sorted(set(written))


def check_left(state: State, given: Leave, after: State) -> None:
    """GEN-02: who left doesn't act; a hand in play is void, its number is used up."""
    asked = after.turn()
    hand_was_on = bool(state.faces)
    if isinstance(asked, Decide):
        assert asked.seat not in given.seats
    if isinstance(asked, Ask) and not given.may_return:
        assert not set(asked.seats) & set(given.seats)
    if not isinstance(asked, Ask | Over):
        assert not set(after.players) & set(given.seats)
    if hand_was_on and not isinstance(asked, Over | Ask):
        assert after.hand == state.hand + 1
        assert after.faces == b""
        assert after.promises == ()


@every_setting
def test_the_others_win_when_all_but_one_leave(setting: Setting) -> None:
    for state, _, _ in sample(setting, 20):
        if isinstance(state.turn(), Over) or not state.players:
            continue
        stays = state.players[0]
        gone = Leave(tuple(sorted(set(range(setting.seats)) - {stays})))
        try:
            after = state.apply(gone)
        except (IllegalMove, OutOfTurn):
            gone = Leave(tuple(sorted(set(state.players) - {stays})))
            after = state.apply(gone)
        turn = after.turn()
        assert isinstance(turn, Over), (state.turn(), turn)
        assert turn.result.winners == (stays,)
        check_result(after, turn.result)


@every_setting
def test_leaving_voids_a_hand_wherever_it_stands(setting: Setting) -> None:
    """A void hand's effect is who left: the point in the hand and its cards don't matter, which
    is why a record can say it without the deck."""
    for early, late in voided(setting):
        assert early.turn() == late.turn()
        assert early.standing() == late.standing()
        assert (early.hand, early.dealer) == (late.hand, late.dealer)
        if not isinstance(early.turn(), Ask | Over):
            assert early.public() == late.public()


@every_game
def test_nothing_of_a_void_hand_is_left(name: str) -> None:
    for setting in SETTINGS:
        if setting.game == name:
            for early, late in voided(setting):
                assert late.faces == b""
                assert late.promises == ()
                assert early.public() == late.public()


def voided(setting: Setting) -> Iterator[tuple[State, State]]:
    """A hand left at once, and the same hand left by the same seats later on."""
    first: dict[int, State] = {}
    rng = Random(2)
    for state, given, after in live_positions(setting):
        if isinstance(given, Shuffled):
            first[after.hand] = after
        turn = state.turn()
        playing = isinstance(turn, Decide) or (
            isinstance(turn, Cards) and isinstance(turn.requests[0], Show | Open)
        )
        if playing and state.faces and rng.random() < 0.3:
            gone = Leave(tuple(sorted(state.players[: rng.randint(1, len(state.players))])))
            yield first[state.hand].apply(gone), state.apply(gone)


# ---------------------------------------------------------------------------------------------
# Tokens and the pot of Petrangola


@pytest.mark.rule("PET-03", "PET-50", "PET-51")
@pytest.mark.parametrize("preset", ["marche", "emilia", "pagat"])
@pytest.mark.parametrize("leaving", [False, True], ids=["staying", "leaving"])
@settings(few, max_examples=10)
@for_all(
    seed=seeds,
    seats=st.integers(2, 9),
    stake=st.integers(1, 9),
    all_die=st.sampled_from(["dealer_wins", "replay", "split_pot"]),
    lowest_tie=st.sampled_from(["each_loses_one", "all_out"]),
)
def test_tokens_and_the_pot_are_conserved(
    *, preset: str, leaving: bool, seed: int, seats: int, stake: int, all_die: str, lowest_tie: str
) -> None:
    """`bought`: the pot is what was paid, a full price a purchase. `lost_tokens`: a token is in
    somebody's hand or in the pot, and the bonus comes from there."""
    game = registry.get("petrangola")
    given_options = [("stake", str(stake)), ("all_die", all_die), ("lowest_tie", lowest_tie)]
    options = table.options_of(game, preset, [*given_options, ("tokens", "2")])
    start = game.start(options, seats)
    price = stake * options.tokens
    again = 0
    rng = Random(seed)
    state = start
    dealer = Dealer(rng, generous=True)
    for _ in range(table.MAX_STEPS):
        given = table.next_input(state, dealer, at_random(rng))
        if given is None:
            break
        if leaving and rng.random() < 0.03:
            given = Leave(leavers(state, rng), rng.random() < 0.5)
        if isinstance(given, Answers):
            again += sum(game.encode(move) == ("reenter",) for _, move in given.moves)
        state = state.apply(given)
        result = state.standing()
        drawn = result.won if not isinstance(state.turn(), Over) else (0,)
        if options.pot == "bought":
            assert sum(result.paid) == price * (seats + again)
            assert sum(drawn) == 0
        elif not isinstance(state.turn(), Over):
            assert stake * sum(state.scores()) + sum(result.paid) - sum(drawn) == price * seats
    assert isinstance(state.turn(), Over)
    check_result(state, state.standing())
