"""How matches of Picchetto end, to a target or as a rubicone (PIC-40..PIC-52); who leaves one."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine.contract import Decide, Leave, Over, Reveal, Revealed
from engine.errors import OutOfTurn
from engine.games.picchetto import Phase
from engine.games.picchetto_match import Match, new_match, settle
from tests.engine.picchetto_desk import Desk, after, both, desk, make_options
from tests.engine.picchetto_plays import STRONG, WEAK, at_play, with_points

# ---------------------------------------------------------------------------------------------
# The match


def in_match(made: Desk, mine: int, theirs: int) -> Desk:
    """The same position with other totals."""
    state = made.state.with_faces(made.state.faces)
    state.auto = made.state.auto
    state.match = replace(state.match, totals=(mine, theirs))
    state.lay = state.lay.but(
        limits=(state.match.limit(state.players[0]), state.match.limit(state.players[1]))
    )
    made.state = state
    return made


@both
@pytest.mark.rule("PIC-40", "PIC-41")
def test_whoever_reaches_the_target_while_counting_ends_the_deal(live: bool) -> None:
    made = in_match(at_play("Jh 9h As", "Ah 8h 7h Ks", live=live), 149, 150).say("9h")
    assert isinstance(made.state.turn(), Decide)
    made.say("Ah")
    assert made.result().winners == (1,)
    assert made.result().scores == (150, 151)
    assert made.result().won == (0, 1)
    assert made.result().paid == (1, 0)
    made = in_match(at_play("Jh 9h As", "Ah 8h 7h Ks", live=live), 150, 150).say("9h")
    assert made.result().winners == (0,)
    assert made.result().scores == (151, 150)


@pytest.mark.rule("PIC-40")
def test_what_reaches_the_target_first_stops_the_count() -> None:
    """The point is enough, so neither sequences nor sets are declared any more; and of several
    sequences those that come after it aren't counted."""
    made = in_match(after("Ah Kh Qh Jh 9h 9d 8d 7d", ""), 146, 0)
    made.say("point 5", "good", "show Ah Kh Qh Jh 9h")
    assert made.result().scores == (151, 0)
    made = in_match(after("Ah Kh Qh Jh 9h 9d 8d 7d", ""), 147, 0)
    made.say("pass", "pass", "sequence 4", "good", "show Ah Kh Qh Jh 9d 8d 7d")
    assert made.result().scores == (151, 0)


@pytest.mark.rule("PIC-40", "PIC-32", "PIC-33")
def test_after_the_last_card_its_trick_counts_then_the_last_point_then_the_10() -> None:
    elder = "Ah Kh Qh Jh Th 9h Ac 7d 8d 9d Td 7s"
    younger = "8h 7h Ad Kd Qd Jd Kc Qc Jc Tc 9c 8c"
    for total, end in ((151 - 9, 151), (151 - 10, 151), (151 - 20, 151), (151 - 21, None)):
        made = in_match(at_play(elder, younger), total, 0)
        made.say("Ah", "7h", "Kh", "8h", "Qh", "8c", "Jh", "9c", "Th", "Tc", "9h", "Jc")
        made.say("7d", "Jd", "Qd", "8d", "Kd", "9d", "Ad", "Td", "Qc", "Ac", "7s")
        if total == 151 - 9:
            assert made.result().scores == (151, 5)
            continue
        made.say("Kc")
        if end:
            assert made.result().scores == (151, 5)
            assert bool(made.told("cards")) == (total == 151 - 20)
        else:
            assert made.state.hand == 2
            assert made.state.scores() == (150, 5)


@both
@pytest.mark.rule("PIC-10", "PIC-40")
def test_a_carta_bianca_may_win_the_match(live: bool) -> None:
    white = "Ah Th 9h 8h 7h Ad Td 9d 8d 7d Tc 9c"
    court = "Kh Qh Jh Kd Qd Jd Kc Qc Jc Ks Qs Js"
    made = in_match(desk(court, white, "", live=live), 0, 141).say("change Kh")
    made.say("bianca")
    assert made.result().winners == (1,)
    assert made.result().scores == (0, 151)
    made = in_match(desk(white, court, "", live=live), 141, 0).say("bianca 5", "change Kh")
    assert made.result().winners == (0,)


@pytest.mark.rule("PIC-40", "PIC-34")
def test_a_sessanta_counts_at_once() -> None:
    made = with_points(in_match(at_play(STRONG, WEAK), 100, 0), 29, 0).say("Ah")
    assert made.result().scores == (160, 0)


@pytest.mark.rule("PIC-41")
@pytest.mark.parametrize(
    ("given", "amount"),
    [
        (("stake=5",), 5),
        (("settle=difference",), 51),
        (("settle=difference", "point_value=3", "stake=7"), 153),
    ],
)
def test_what_the_loser_pays(given: tuple[str, ...], amount: int) -> None:
    match = replace(new_match(make_options(*given), 2), totals=(140, 90))
    ended = settle(match, (11, 10))
    assert ended.result().won == (amount, 0)
    assert ended.result().paid == (0, amount)
    assert ended.ended == "target-reached"
    assert settle(match, (10, 10)).ended == ""


def rubicone(*deals: tuple[int, int], given: tuple[str, ...] = ()) -> Match:
    match = new_match(make_options("mode=rubicone", *given), 2)
    for deal in deals:
        assert not match.ended
        match = settle(match, deal)
    return match


@pytest.mark.rule("PIC-50", "PIC-51")
def test_rubicone_with_both_above() -> None:
    match = rubicone((30, 20), (40, 10), (25, 35), (15, 30))
    assert match.totals == (155, 145)
    assert match.result().won == (10, 0)
    assert match.ended == "difference"


@pytest.mark.rule("PIC-50", "PIC-51", "PIC-41")
def test_rubicone_with_one_above() -> None:
    deals = ((30, 20), (40, 10), (25, 15), (30, 15))
    match = rubicone(*deals)
    assert match.totals == (185, 95)
    assert match.result().won == (280, 0)
    assert match.ended == "rubicon"
    bonus = rubicone(*deals, given=("rubicon_bonus=100", "point_value=2", "stake=9"))
    assert bonus.result().won == (760, 0)


@pytest.mark.rule("PIC-51")
def test_rubicone_with_both_below() -> None:
    match = rubicone((10, 20), (20, 10), (9, 15), (15, 10), given=("point_value=2",))
    assert match.totals == (79, 85)
    assert match.result().won == (0, 12)


@pytest.mark.rule("PIC-52")
def test_exactly_100_is_above_or_not() -> None:
    deals = ((20, 30), (20, 20), (20, 30), (10, 10))
    assert rubicone(*deals).totals == (100, 130)
    assert rubicone(*deals).result().won == (0, 30)
    below = rubicone(*deals, given=("rubicon_inclusive=false",))
    assert below.result().won == (0, 230)


@pytest.mark.rule("PIC-52")
def test_level_after_four_deals_is_followed_by_two_that_arent_doubled() -> None:
    level = rubicone((10, 20), (20, 10), (30, 20), (10, 10))
    assert level.totals == (90, 90)
    assert not level.ended
    assert level.factor == 1
    five = settle(level, (30, 10))
    assert not five.ended, "both are played"
    assert settle(five, (10, 20)).totals == (130, 120)
    assert settle(five, (10, 20)).result().won == (10, 0)
    draw = settle(five, (10, 30))
    assert draw.ended == "draw"
    assert draw.result().winners == (0, 1)
    assert draw.result().won == (0, 0)


@pytest.mark.rule("PIC-50", "PIC-52")
def test_the_first_and_the_fourth_deal_of_a_rubicone_are_doubled() -> None:
    match = rubicone()
    factors = []
    for _ in range(4):
        factors.append(match.factor)
        match = settle(match, (1, 0))
    assert factors == [2, 1, 1, 2]
    assert [new_match(make_options(), 2).factor] == [1]


@pytest.mark.rule("PIC-50", "PIC-52")
def test_bonuses_look_at_points_before_they_are_doubled_and_nothing_stops_at_151() -> None:
    made = with_points(at_play(STRONG, WEAK, "mode=rubicone"), 28, 0).say("Ah")
    assert not made.told("sessanta")
    assert made.points() == (29, 0)
    made = with_points(in_match(at_play(STRONG, WEAK, "mode=rubicone"), 150, 0), 92, 0)
    made.finish()
    assert made.state.hand == 2
    assert made.state.scores() == (150 + 2 * (92 + 12 + 40), 0)


@pytest.mark.rule("GEN-02", "PIC-41")
@pytest.mark.parametrize(
    ("given", "totals", "paid"),
    [
        ((), (100, 40), 1),
        (("settle=difference",), (100, 40), 51),
        (("settle=difference", "point_value=2"), (40, 100), 222),
        (("mode=rubicone", "rubicon_bonus=100"), (70, 80), 250),
    ],
)
def test_who_leaves_has_lost(given: tuple[str, ...], totals: tuple[int, int], paid: int) -> None:
    made = in_match(at_play(STRONG, WEAK, *given), *totals)
    state = made.state.apply(Leave((0,)))
    turn = state.turn()
    assert isinstance(turn, Over)
    assert turn.result.winners == (1,)
    assert turn.result.reason == "others-left"
    if totals == (100, 40) and given:
        paid = 151 - 100
    if given == ("settle=difference", "point_value=2"):
        paid = (151 - 40) * 2
    assert turn.result.won == (0, paid)
    assert turn.result.scores == totals


@pytest.mark.rule("GEN-01", "GEN-02")
def test_leaving_when_only_the_reveal_is_due_undoes_the_hand() -> None:
    made = in_match(at_play(STRONG, WEAK, live=True), 140, 0)
    made.say("Ah")
    while isinstance(made.state.turn(), Decide):
        made.state = made.state.apply(made.seen(made.to_move).legal()[0])
        made.serve(until=Phase.REVEAL)
        if made.state.phase is Phase.REVEAL:
            break
    assert made.state.turn().requests == (Reveal(),)  # type: ignore[union-attr]  # it is Cards
    left = made.state.apply(Leave((0,)))
    assert left.standing().winners == (1,)
    assert left.scores() == (140, 0)


def test_a_reveal_must_tell_of_every_reseal_and_agree_with_what_was_seen() -> None:
    made = at_play(STRONG, WEAK, live=True).say("Ah")
    while made.state.phase is not Phase.REVEAL:
        made.state = made.state.apply(made.seen(made.to_move).legal()[0])
        made.serve(until=Phase.REVEAL)
    told = Revealed(made.dealer.deck, tuple(made.dealer.reseals))
    assert made.state.apply(told).hand == 2
    with pytest.raises(OutOfTurn):
        made.state.apply(Revealed(told.faces, told.reseals[:-1]))
    with pytest.raises(ValueError, match="revealed otherwise"):
        made.state.apply(Revealed(told.faces))
