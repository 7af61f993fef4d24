"""A match of Traversone: totals, going out, places, further deals, leaving (TRA-20..23, GEN-02)."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from engine import registry
from engine.contract import Decide, Leave, Over
from engine.errors import OptionError
from engine.games.traversone import GAME, TraversoneOptions
from engine.games.traversone_count import ACE_OF_BASTONI
from engine.games.traversone_match import Match, new_match, put_out, settle
from tests.engine.table import Dealer, at_random, play
from tests.engine.tricks_desk import Desk, options_of, sit_down


def after(match: Match, *penalties: int) -> Match:
    """A deal in which the living seats, ascending, get these penalties."""
    return settle(match, match.living, penalties)


def match_of(seats: int, totals: Sequence[int] = (), **given: object) -> Match:
    match = new_match(TraversoneOptions(**given), seats)  # type: ignore[arg-type] # by name
    return settle(match, match.living, totals) if totals else match


# ---------------------------------------------------------------------------------------------
# Going out


@pytest.mark.rule("TRA-20")
def test_at_the_threshold_one_is_out_and_the_others_go_on() -> None:
    match = after(match_of(4, (20, 20, 20, 20)), 0, 10, 0, 11)
    assert match.totals == (20, 30, 20, 31)
    assert match.living == (0, 1, 2)
    assert not match.ended


@pytest.mark.rule("TRA-20")
def test_the_threshold_is_an_option() -> None:
    assert after(match_of(3, threshold=11), 11, 0, 0).living == (1, 2)
    assert after(match_of(3, threshold=12), 11, 0, 0).living == (0, 1, 2)
    for wrong in ("10", "1000", "x"):
        with pytest.raises(OptionError):
            options_of("traversone", f"threshold={wrong}")


@pytest.mark.rule("TRA-20", "TRA-21")
def test_the_last_below_the_threshold_wins() -> None:
    match = after(match_of(3, (30, 20, 5)), 5, 0, 6)
    assert match.living == (1, 2)
    match = after(match, 11, 0)
    assert (match.ended, match.placed) == ("below-threshold", (2,))
    assert match.result().scores == (35, 31, 11)


@pytest.mark.rule("TRA-21")
def test_two_or_three_may_win() -> None:
    match = after(match_of(4, (30, 5, 5, 5), winners=3), 1, 2, 3, 5)
    assert (match.ended, match.placed) == ("below-threshold", (1, 2, 3))
    match = after(match_of(5, (30, 30, 5, 5, 30), winners=2), 4, 4, 0, 0, 3)
    assert (match.ended, match.placed) == ("below-threshold", (2, 3))


@pytest.mark.rule("TRA-21")
def test_there_are_fewer_winners_than_players() -> None:
    for seats, winners in ((2, 2), (2, 3), (3, 3)):
        with pytest.raises(OptionError):
            registry.get("traversone").start(TraversoneOptions(winners=winners), seats)
    registry.get("traversone").start(TraversoneOptions(winners=3), 4)


@pytest.mark.rule("TRA-21")
def test_free_places_go_to_the_lowest_of_those_whom_this_deal_put_out() -> None:
    """Seat 0 went out earlier with less than any of them: it doesn't come back."""
    match = after(match_of(5, (30, 30, 29, 29, 5), winners=2), 1, 0, 0, 0, 0)
    assert match.living == (1, 2, 3, 4)
    match = after(match, 5, 4, 2, 0)
    assert match.totals == (31, 35, 33, 31, 5)
    assert (match.ended, match.placed) == ("lowest-total", (3, 4))


@pytest.mark.rule("TRA-22")
def test_if_all_go_out_together_the_lowest_total_wins() -> None:
    match = after(match_of(4, (25, 30, 28, 29)), 9, 2, 5, 5)
    assert match.totals == (34, 32, 33, 34)
    assert (match.ended, match.placed) == ("lowest-total", (1,))
    assert after(match_of(3, (30, 25, 30), winners=2), 5, 6, 9).placed == (0, 1)


# ---------------------------------------------------------------------------------------------
# Ties


@pytest.mark.rule("TRA-22")
def test_of_three_who_are_tied_all_three_play_on() -> None:
    match = after(match_of(4, (30, 30, 30, 30)), 2, 2, 2, 5)
    assert match.further
    assert match.living == (0, 1, 2)
    assert not match.ended
    again = after(match, 3, 3, 5)
    assert again.living == (0, 1)
    assert again.totals == (32, 32, 32, 35), "further deals begin from 0"
    last = after(again, 11, 0)
    assert (last.ended, last.placed) == ("further-deal", (1,))
    assert last.result().scores == (32, 32, 32, 35)


@pytest.mark.rule("TRA-22")
def test_who_is_lower_has_a_place_while_the_tied_play_for_the_last() -> None:
    match = after(match_of(4, (30, 30, 30, 30), winners=2), 1, 3, 3, 4)
    assert (match.placed, match.living, match.further) == ((0,), (1, 2), True)
    end = after(match, 4, 7)
    assert (end.ended, end.placed) == ("further-deal", (0, 1))


@pytest.mark.rule("TRA-22")
def test_the_lower_scores_of_a_further_deal_take_all_free_places() -> None:
    match = after(match_of(4, (30, 30, 30, 30), winners=3), 3, 3, 3, 3)
    assert (match.placed, match.living) == ((), (0, 1, 2, 3))
    match = after(match, 1, 4, 2, 4)
    assert (match.placed, match.living) == ((0, 2), (1, 3))
    assert after(match, 7, 4).placed == (0, 2, 3)


@pytest.mark.rule("TRA-22")
def test_those_below_the_threshold_are_not_asked_again() -> None:
    match = after(match_of(4, (30, 30, 30, 10), winners=2), 3, 4, 3, 1)
    assert (match.placed, match.living, match.further) == ((3,), (0, 2), True)


@pytest.mark.rule("TRA-22")
def test_a_tie_may_be_shared() -> None:
    match = after(match_of(4, (30, 30, 30, 30), tie_break="share"), 2, 2, 2, 5)
    assert (match.ended, match.placed) == ("shared", (0, 1, 2))
    match = after(match_of(4, (30, 30, 30, 30), tie_break="share", winners=2), 1, 3, 3, 4)
    assert (match.ended, match.placed) == ("shared", (0, 1, 2))


@pytest.mark.rule("TRA-22")
def test_the_threshold_does_not_count_in_a_further_deal_but_cappotto_does() -> None:
    match = after(match_of(3, (30, 30, 30), threshold=11), 2, 2, 2)
    assert after(match, 11, 11, 0).placed == (2,)
    tied = after(match, 0, 11, 0)
    assert (tied.living, tied.ended) == ((0, 2), "")


@pytest.mark.rule("TRA-22")
def test_a_tie_of_five_for_one_place() -> None:
    match = after(match_of(5, (30,) * 5), 2, 2, 2, 2, 2)
    assert match.living == (0, 1, 2, 3, 4)
    assert after(match, 2, 2, 3, 2, 2).living == (0, 1, 3, 4)


# ---------------------------------------------------------------------------------------------
# Leaving


@pytest.mark.rule("GEN-02")
def test_who_leaves_has_no_place() -> None:
    match = put_out(match_of(4), [1])
    assert (match.living, match.ended) == ((0, 2, 3), "")
    assert put_out(match, [0, 3]).placed == (2,)
    assert put_out(match, [0, 3]).ended == "others-left"
    nobody = put_out(match, [0, 2, 3])
    assert (nobody.placed, nobody.ended) == ((), "abandoned")


@pytest.mark.rule("GEN-02", "TRA-21")
def test_leaving_ends_a_match_that_has_no_more_players_than_places() -> None:
    match = put_out(match_of(4, winners=2), [0])
    assert not match.ended
    match = put_out(match, [2])
    assert (match.ended, match.placed) == ("others-left", (1, 3))


@pytest.mark.rule("GEN-02", "TRA-22")
def test_whoever_of_the_tied_stays_takes_the_place() -> None:
    tied = after(match_of(4, (30, 30, 30, 30), winners=2), 1, 3, 3, 4)
    assert put_out(tied, [2]).placed == (0, 1)
    assert put_out(tied, [0]).placed == (1, 2), "a place that was given up is free again"
    assert put_out(tied, [3]) == tied


# ---------------------------------------------------------------------------------------------
# At the table


def played_out(desk: Desk, cards: str = "") -> Desk:
    """Play a whole deal by the first legal moves."""
    hand = desk.state.hand
    desk.deal(cards)
    while desk.state.hand == hand and isinstance(desk.state.turn(), Decide):
        desk.give(desk.state.legal()[0])
    return desk


@pytest.mark.rule("TRA-02", "TRA-20", "TRA-23", "TRA-33")
def test_a_table_of_five_shrinks_and_the_deal_skips_who_is_out() -> None:
    """Each hand has the distribution for its number, and nobody goes out in the middle."""
    sizes = {2: [10, 10], 3: [13, 13, 14], 4: [10] * 4, 5: [8] * 5}
    seen = set()
    for seed in range(6):
        rng = Random(seed)
        start = GAME.start(TraversoneOptions(threshold=11), 5)
        dealer = -1
        for state, given, now in play(start, Dealer(rng), at_random(rng)):
            if type(given).__name__ == "Shuffled":
                hands = [pile for pile in now.piles() if pile.name == "hand"]
                by_seat = {pile.seat: len(pile.slots) for pile in hands}
                assert [by_seat[seat] for seat in now.players] == sizes[len(now.players)]
                if dealer >= 0:
                    order = [(dealer + 1 + n) % 5 for n in range(5)]
                    assert now.dealer == next(s for s in order if s in now.players)
                dealer = now.dealer
                seen.add(len(now.players))
            elif now.hand == state.hand and state.faces:
                assert now.players == state.players
            if not isinstance(now.turn(), Over):
                totals = now.scores()
                living = {seat for seat in range(5) if totals[seat] < 11}
                tied = now.match.further  # type: ignore[attr-defined] # of Traversone
                assert tied or living == set(now.players)
    assert seen == {2, 3, 4, 5}


@pytest.mark.rule("TRA-22")
def test_a_further_deal_is_dealt_right_among_the_tied() -> None:
    """By chance, until three different further deals were seen."""
    found = 0
    for seed in range(400):
        rng = Random(seed)
        start = GAME.start(TraversoneOptions(threshold=11, winners=2), 5)
        for state, _, now in play(start, Dealer(rng), at_random(rng)):
            match = now.match  # type: ignore[attr-defined] # of Traversone
            if match.further and now.hand == state.hand + 1:
                assert set(now.players) == set(match.living)
                order = [(state.dealer + 1 + n) % 5 for n in range(5)]
                assert now.dealer == next(seat for seat in order if seat in match.living)
                assert now.players[-1] == now.dealer
                assert now.scores() == match.totals
                found += 1
        if found >= 3:
            return
    raise AssertionError("no further deal")


@pytest.mark.rule("TRA-12", "TRA-20")
def test_a_cappotto_is_charged_to_the_others_without_asking() -> None:
    """Seat 0 has all the coppe and leads: nobody can take a trick from it."""
    for option in ("counted", "all_points"):
        desk = sit_down("traversone", 4, "3c 3d 3s 4c", f"cappotto={option}")
        played_out(desk, "4c 5c 6c 7c Fc Cc Rc Ac 2c 3c")
        assert desk.said("cappotto") == [(0, ())]
        assert desk.state.scores() == (0, 11, 11, 11)


@pytest.mark.rule("TRA-13")
def test_with_the_dear_ace_a_deal_is_counted_to_twenty_one() -> None:
    for seats in (2, 3, 4, 5):
        draw = " ".join([*("3c", "3d", "3s", "3b")[: seats - 1], "4c"])
        desk = played_out(sit_down("traversone", seats, draw, "ace_of_bastoni=true"))
        assert sum(desk.state.scores()) in (21, 21 * (seats - 1))
        thirds = [values[1] for _, values in desk.said("counts")]
        assert sum(thirds) == 62
    assert GAME.kind.text(ACE_OF_BASTONI) == "Ab"


@pytest.mark.rule("GEN-02")
def test_a_void_deal_changes_nothing_and_the_same_dealer_deals() -> None:
    desk = played_out(sit_down("traversone", 4, "3c 3d 3s 4c"))
    scores, dealer = desk.state.scores(), desk.state.dealer
    desk.deal().leave((dealer + 2) % 4)
    assert (desk.state.scores(), desk.state.dealer, desk.state.hand) == (scores, dealer, 3)
    desk.deal().leave(dealer)
    assert desk.state.dealer not in (dealer, (dealer + 2) % 4)
    assert desk.state.scores() == scores


@pytest.mark.rule("GEN-02")
def test_a_seat_that_is_out_already_may_go_without_a_trace() -> None:
    rng = Random(3)
    start = GAME.start(TraversoneOptions(threshold=11), 4)
    for _, _, now in play(start, Dealer(rng), at_random(rng)):
        out = [seat for seat in range(4) if seat not in now.players]
        if out and now.faces and isinstance(now.turn(), Decide):
            gone = now.apply(Leave((out[0],)))
            assert gone.public() == now.public()
            assert list(gone.legal()) == list(now.legal())
            return
    raise AssertionError("nobody went out")
