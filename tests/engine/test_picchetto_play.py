"""The tricks of Picchetto, what they score, and how matches end (PIC-30..PIC-52)."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from engine.contract import Decide, Drawn, Leave, Over, Reveal, Revealed, Shuffled
from engine.errors import IllegalMove, OutOfTurn
from engine.games import picchetto_match
from engine.games.picchetto import GAME, Phase, PicchettoState
from engine.games.picchetto_match import Match, new_match, settle
from engine.games.picchetto_moves import PLAYS
from tests.engine.picchetto_desk import (
    VECTORS,
    Desk,
    after,
    begin,
    both,
    desk,
    make_options,
    silent,
)

STRONG = "Ah Kh Qh Jh Ad Kd Qd Jd Ac Kc As Ks"
WEAK = "Th 9h 8h Td 9d 8d Jc Tc 9c Js Ts 9s"
"""The strong hand takes all twelve tricks."""


def at_play(elder: str, younger: str, *given: str, live: bool = False, **more: Any) -> Desk:
    """The elder leads; nothing was declared."""
    return silent(after(elder, younger, *given, live=live, **more))


def with_points(made: Desk, elder: int, younger: int) -> Desk:
    """The same position after other declarations."""
    state = made.state.with_faces(made.state.faces)
    state.auto = made.state.auto
    state.points = (elder, younger)
    made.state = state
    return made


# ---------------------------------------------------------------------------------------------
# Following and winning


@both
@pytest.mark.rule("PIC-30")
def test_the_second_follows_and_wins_if_able(live: bool) -> None:
    made = at_play("Jh 9h 7h", "Ah Kh 8h Td", live=live)
    made.say("9h")
    assert made.may() == ["Kh", "Ah"] or made.may() == ["Ah", "Kh"]
    for text in ("8h", "Td"):
        with pytest.raises(IllegalMove) as caught:
            made.say(text)
        assert caught.value.rule == "PIC-30"
    made.say("Kh")
    assert made.to_move == 1


@both
@pytest.mark.rule("PIC-30")
def test_without_the_duty_to_win_any_card_of_the_suit_will_do(live: bool) -> None:
    made = at_play("Jh 9h 7h", "Ah Kh 8h Td", "must_win=false", live=live).say("9h")
    assert sorted(made.may()) == ["8h", "Ah", "Kh"]
    made.say("8h")
    assert made.to_move == 0


@both
@pytest.mark.rule("PIC-30")
def test_who_cannot_win_follows_and_who_cannot_follow_plays_anything(live: bool) -> None:
    made = at_play("Ah 7h Kd", "Kh 8h Ad Td 9d 8d 7d 9c 8c 7c 8s 7s", live=live).say("Ah")
    assert sorted(made.may()) == ["8h", "Kh"]
    made.say("8h")
    assert made.to_move == 0
    made = at_play("Js Ts 9s Ah", "Kh 8h Ad Td 9d 8d 7d 9c 8c 7c Th 7h", live=live).say("Js")
    assert len(made.may()) == 12
    made.say("Ad")
    assert made.to_move == 0, "another suit takes no trick"


@pytest.mark.rule("PIC-30")
def test_only_cards_of_the_hand_are_played_each_once() -> None:
    made = at_play("Ah Kh", "Qh Jh")
    with pytest.raises(IllegalMove) as caught:
        made.lie(PLAYS[made.slots(1, "Qh")[0]])
    assert caught.value.rule == "PIC-30"
    first = PLAYS[made.slots(0, "Ah")[0]]
    made.say("Ah", "Jh")
    with pytest.raises(IllegalMove):
        made.lie(first)


@pytest.mark.rule("PIC-30", "PIC-36")
def test_cards_that_lie_open_are_known_to_be_due() -> None:
    """The table sees that the younger holds a higher heart: nothing of it has to be promised."""

    def declared() -> Desk:
        made = after("9h 7h Ac", "Ah Kh Qh 8h Td 7c 7d 8s 8d 9d 9c 7s", live=True)
        made.say("pass", "pass", "pass", "sequence 3", "show Ah Kh Qh", "pass", "pass", "9h")
        return made

    made = declared()
    hidden = set(made.slots(1, "8h Td"))
    open_ = set(made.slots(1, "Ah Kh Qh"))
    slots = {move.slot for move in made.state.legal() if hasattr(move, "slot")}
    assert open_ <= slots
    assert hidden <= slots, "a hidden card may be an ace"
    for cards in ("8h", "Td"):
        made = declared()
        with pytest.raises(IllegalMove) as caught:
            made.lie(PLAYS[made.slots(1, cards)[0]])
        assert caught.value.rule == "PIC-30"


@pytest.mark.rule("PIC-36", "GEN-01")
@pytest.mark.parametrize(
    ("lead", "lie", "then", "text"),
    [
        ("9h", "Td", "8h", "a hearts card"),
        ("9h", "8h", "Kh", "hearts above the 9"),
    ],
)
def test_a_revoke_is_a_broken_promise_as_soon_as_it_shows(
    lead: str, lie: str, then: str, text: str
) -> None:
    made = at_play("Jh 9h 7h As", "Ah Kh 8h Td", live=True).say(lead)
    made.lie(PLAYS[made.slots(1, lie)[0]])
    promise = made.state.promises[-1]
    assert (promise.seat, promise.rule) == (1, "PIC-36")
    assert len(promise.slots) == 11
    assert promise.move == len(made.moves) - 1
    made.say("Jh" if then == "Kh" else "7h")
    made.lie(PLAYS[made.slots(1, then)[0]])
    assert made.result().winners == (0,)
    assert made.state.breaches == (replace(made.state.breaches[0], promise=promise),)
    assert text in made.state.breaches[0].text


@pytest.mark.rule("PIC-36", "GEN-01")
def test_a_revoke_in_a_deal_that_ends_early_shows_when_all_is_revealed() -> None:
    made = at_play("Jh 9h 7h As", "Ah Kh 8h Td", "target=21", live=True)
    made.state.lay = made.state.lay.but(limits=(2, 99))
    made.say("9h").lie(PLAYS[made.slots(1, "Td")[0]])
    assert made.state.promises
    made.say("7h")
    assert made.result().winners == (0,)
    assert [b.promise.seat for b in made.state.breaches] == [1]
    assert made.result().reason == "others-left"


@pytest.mark.rule("PIC-36")
def test_a_kept_promise_holds_to_the_end() -> None:
    for seed in range(6):
        rng = Random(seed)
        made = at_play("", "", live=True, seed=seed)
        made.finish(lambda legal, rng=rng: rng.choice(legal))  # type: ignore[misc]  # bound here
        assert made.state.hand == 2
        assert not made.state.breaches


# ---------------------------------------------------------------------------------------------
# Points of tricks


@both
@pytest.mark.rule("PIC-31", "PIC-24")
def test_a_lead_scores_and_so_does_taking_the_others_lead(live: bool) -> None:
    made = at_play("Jh 9h As", "Ah 8h 7h Ks", live=live)
    made.say("9h")
    assert made.points() == (1, 0)
    made.say("Ah")
    assert made.points() == (1, 1)
    made.say("8h")
    assert made.points() == (1, 2)
    made.say("Jh")
    assert made.points() == (2, 2)
    made.say("As", "Ks")
    assert made.points() == (3, 2), "who takes the own lead has had the point for it"
    assert made.to_move == 0
    assert made.told("leads") == [(0, (1,)), (1, (2,)), (0, (3,))]
    assert made.told("takes") == [(1, (1,)), (0, (2,)), (0, (3,))]


@both
@pytest.mark.rule("PIC-32", "PIC-33")
def test_the_last_trick_scores_two_in_all(live: bool) -> None:
    """Taken on the other's lead or led: 2; six tricks each bring nothing more."""
    elder = "Ah Kh Qh Jh Th 9h Ac 7d 8d 9d Td 7s"
    younger = "8h 7h Ad Kd Qd Jd Kc Qc Jc Tc 9c 8c"
    made = at_play(elder, younger, live=live)
    made.say("Ah", "7h", "Kh", "8h", "Qh", "8c", "Jh", "9c", "Th", "Tc", "9h", "Jc")
    assert made.points() == (6, 0)
    made.say("7d", "Jd", "Qd", "8d", "Kd", "9d", "Ad", "Td", "Qc", "Ac", "7s")
    assert made.points() == (8 + 1, 4 + 1), (made.points(), made.told("takes"))
    made.say("Kc")
    assert made.scored() == (10 + 10, 5)
    assert made.told("last-trick") == [(0, (10,))]
    assert made.told("cards") == [(0, (20,))]


@both
@pytest.mark.rule("PIC-33")
def test_six_tricks_each_bring_nothing(live: bool) -> None:
    elder = "Ah Kh Qh Jh Th 9h 7d 8d 9d 7c 7s 8s"
    younger = "8h 7h Ad Kd Qd Jd Td Kc Qc Jc Tc 9c"
    made = at_play(elder, younger, live=live)
    made.say("Ah", "7h", "Kh", "8h", "Qh", "9c", "Jh", "Tc", "Th", "Jc", "9h", "Qc")
    made.say("7d", "Td", "Jd", "8d", "Qd", "9d", "Kd", "7s", "Ad", "8s", "Kc", "7c")
    assert made.scored() == (7, 1 + 5 + 1)
    assert not made.told("cards")
    assert not made.told("cappotto")


@both
@pytest.mark.rule("PIC-33", "PIC-32", "PIC-40")
def test_a_cappotto_of_69(live: bool) -> None:
    """17 declared, the other nothing, all twelve: 17 + 12 + 40; no point for the last trick."""
    made = with_points(at_play(STRONG, WEAK, live=live), 17, 0)
    leads = ["Ah", "Kh", "Qh", "Jh", "Ad", "Kd", "Qd", "Jd", "Ac", "Kc", "As", "Ks"]
    for lead in leads:
        made.say(lead)
        made.say(made.may()[0])
    assert made.scored() == (69, 0)
    assert made.told("cappotto") == [(0, (69,))]
    assert not made.told("last-trick")
    assert not made.told("cards")
    assert not made.told("sessanta"), "29 and the 40 never make a Sessanta"


@pytest.mark.rule("PIC-33")
def test_the_younger_can_make_a_cappotto() -> None:
    made = at_play("Th 9h 8h Td 9d 8d 7c 8c 9c 7s 8s 9s", STRONG)
    made.say("8h")
    while made.state.hand == 1:
        made.say(made.may()[-1] if made.to_move else made.may()[0])
    assert made.scored() == (1, 12 + 40)


# ---------------------------------------------------------------------------------------------
# Sessanta


@both
@pytest.mark.rule("PIC-34")
def test_sessanta_on_a_lead_even_if_the_trick_is_lost(live: bool) -> None:
    made = with_points(at_play("9h 7h", "Ah Kh", live=live), 29, 0).say("9h")
    assert made.points() == (60, 0)
    assert made.told("sessanta") == [(0, (60, 30))]
    made.say("Ah")
    assert made.points() == (60, 1)


@pytest.mark.rule("PIC-34")
@pytest.mark.parametrize(
    ("elder", "younger", "leads", "made_it"),
    [(28, 0, 2, True), (29, 1, 1, False), (28, 0, 1, False), (30, 1, 1, False)],
)
def test_sessanta_needs_the_other_at_nothing(
    elder: int, younger: int, leads: int, made_it: bool
) -> None:
    made = with_points(at_play(STRONG, WEAK), elder, younger)
    for lead in ("Ah", "Kh")[:leads]:
        made.say(lead)
        made.say(made.may()[0])
    assert bool(made.told("sessanta")) is made_it
    assert made.points() == (elder + leads + 30 * made_it, younger)


@pytest.mark.rule("PIC-34", "PIC-25")
def test_never_both_bonuses_and_never_the_younger() -> None:
    made = with_points(at_play(STRONG, WEAK), 92, 0).say("Ah")
    assert made.points() == (93, 0)
    made = with_points(at_play("8h 7h", STRONG), 0, 29).say("8h")
    made.say(made.may()[0])
    assert made.points() == (1, 30)
    mute = with_points(at_play("8h 7h", STRONG), 0, 29)
    mute.state.lay = mute.state.lay.but(sizes=(13, 12), mute=0)
    mute.say("8h")
    mute.say(mute.may()[0])
    assert mute.points() == (0, 30)


@pytest.mark.rule("PIC-10", "PIC-34")
def test_no_sessanta_against_a_carta_bianca() -> None:
    made = with_points(at_play(STRONG, WEAK), 29, 0)
    made.state.lay = made.state.lay.but(white=1)
    assert made.say("Ah").points() == (30, 0)


# ---------------------------------------------------------------------------------------------
# Two points a trick


@both
@pytest.mark.rule("PIC-35")
def test_two_points_a_trick(live: bool) -> None:
    made = at_play("Jh 9h As", "Ah 8h 7h Ks", "trick_scoring=two_per_trick", live=live)
    made.say("9h")
    assert made.points() == (0, 0)
    made.say("Ah")
    assert made.points() == (0, 2)
    made.say("8h", "Jh", "As", "Ks")
    assert made.points() == (4, 2)
    assert not made.told("leads")


@pytest.mark.rule("PIC-35", "PIC-33")
def test_two_points_a_trick_have_the_same_awards_but_no_last_trick() -> None:
    made = at_play(STRONG, WEAK, "trick_scoring=two_per_trick").finish()
    assert made.scored() == (24 + 40, 0)
    elder = "Ah Kh Qh Jh Th 9h Ac 7d 8d 9d Td 7s"
    younger = "8h 7h Ad Kd Qd Jd Kc Qc Jc Tc 9c 8c"
    made = at_play(elder, younger, "trick_scoring=two_per_trick")
    made.say("Ah", "7h", "Kh", "8h", "Qh", "8c", "Jh", "9c", "Th", "Tc", "9h", "Jc")
    made.say("7d", "Jd", "Qd", "8d", "Kd", "9d", "Ad", "Td", "Qc", "Ac", "7s", "Kc")
    assert made.scored() == (16 + 10, 8)
    assert not made.told("last-trick")


@pytest.mark.rule("PIC-35", "PIC-34")
def test_sessanta_after_a_trick_for_the_elder_only() -> None:
    given = "trick_scoring=two_per_trick"
    made = with_points(at_play(STRONG, WEAK, given), 28, 0).say("Ah")
    assert made.points() == (28, 0)
    made.say(made.may()[0])
    assert made.points() == (60, 0)
    made = with_points(at_play(STRONG, WEAK, given), 29, 0).say("Ah")
    made.say(made.may()[0])
    assert made.points() == (61, 0)
    made = with_points(at_play("8h 7h", STRONG, given), 0, 29).say("8h")
    made.say(made.may()[0])
    assert made.points() == (0, 31)


# ---------------------------------------------------------------------------------------------
# Irregular hands in the play


def irregular(seat: int, kind: int, *given: str, live: bool = False) -> Desk:
    """The strong hand is the elder's; `seat` ends with eleven or thirteen cards."""
    talon = "7h 7d 7c 8c 7s 8s Qc Qs"
    made = desk(STRONG, WEAK, talon, "irregular_hands=true", *given, live=live)
    for at, card in ((0, "Ks"), (1, "9s")):
        if at != seat:
            made.say(f"change {card}")
        elif kind == 13:
            made.say(f"change {card} take 2")
        else:
            made.say(f"change {'Kc' if at == 0 else '9c'} {card} take 1")
    return silent(made)


@both
@pytest.mark.rule("PIC-15")
@pytest.mark.parametrize("seat", [0, 1])
def test_the_last_card_against_eleven_is_a_trick_of_two(seat: int, live: bool) -> None:
    made = irregular(seat, 11, live=live)
    assert made.state.lay.sizes[seat] == 11
    while made.state.held[seat] or made.state.led >= 0:
        made.say(made.may()[-1])
    assert made.state.held[seat] == 0
    before = made.points()
    assert made.to_move == 1 - seat
    assert len(made.may()) == 1
    tricks = [made.state.tricks(at) for at in (0, 1)]
    assert sum(tricks) == 11
    made.say(made.may()[0])
    after_ = list(made.scored())
    for at in (0, 1):
        own = tricks[at] + (at != seat)
        extra = 40 if own == 12 else 10 if own > 6 else 0
        last = 0 if at == seat else 1 if own == 12 else 2
        assert after_[at] == before[at] + last + extra


@pytest.mark.rule("PIC-15", "PIC-33")
def test_eleven_cards_make_no_cappotto_and_no_last_trick() -> None:
    made = irregular(0, 11)
    for lead in ["Ah", "Kh", "Qh", "Jh", "Ad", "Kd", "Qd", "Jd", "Ac", "As"]:
        made.say(lead)
        made.say(made.may()[0])
    made.say(made.may()[0])
    made.finish()
    assert not made.told("cappotto")
    assert {seat for seat, _ in made.told("last-trick")} == {1}


@pytest.mark.rule("PIC-15", "PIC-33", "PIC-32")
def test_a_cappotto_against_eleven_cards_counts_one_for_the_last_trick() -> None:
    made = irregular(1, 11)
    while made.state.held[1]:
        made.say(made.may()[-1] if made.to_move == 0 else made.may()[0])
    if made.state.tricks(0) == 11:
        made.finish()
        assert made.scored()[0] == 12 + 40
        assert not made.told("last-trick")


@pytest.mark.rule("PIC-15", "PIC-35")
def test_the_lone_last_card_scores_two_where_each_trick_does() -> None:
    made = irregular(0, 11, "trick_scoring=two_per_trick")
    while made.state.held[0]:
        made.say(made.may()[-1])
    before = made.points()
    own = made.state.tricks(1) + 1
    made.finish()
    assert made.scored()[1] == before[1] + 2 + (10 if own > 6 else 0)


@both
@pytest.mark.rule("PIC-15")
@pytest.mark.parametrize("seat", [0, 1])
def test_thirteen_cards_score_nothing_and_one_is_left(seat: int, live: bool) -> None:
    made = irregular(seat, 13, live=live)
    hand = made.state.hand
    while made.state.hand == hand:
        held = made.state.held
        assert made.points()[seat] == 0
        made.say(made.may()[-1])
    assert sum(mask.bit_count() for mask in held) == 2, "before the last card"
    assert made.scored()[seat] == 0
    assert made.scored()[1 - seat] > 0


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


# ---------------------------------------------------------------------------------------------
# Counts of positions

PERFT: list[dict[str, Any]] = [
    case
    for path in sorted((VECTORS / "perft").glob("picchetto*.json"))
    for case in json.loads(path.read_text("utf-8"))
]


def position(case: dict[str, Any]) -> PicchettoState:
    """The open position of a case: {game, options, draw, deck, moves, counts}."""
    state = GAME.start(make_options(*case["options"]), 2)
    kind = state.deck.kind
    top = kind.split(case["draw"])
    state = state.apply(Drawn((*top, *(f for f in range(kind.size) if f not in top))))
    state = state.apply(Shuffled(bytes(kind.split(case["deck"]))))
    for text in case["moves"]:
        state = state.apply(GAME.parse(state, text))
    return state


def perft(state: PicchettoState, depth: int) -> int:
    """The number of ways to make `depth` moves in the hand."""
    if depth == 0:
        return 1
    legal = state.legal()
    if depth == 1:
        return len(legal)
    hand = state.hand
    after_ = [state.apply(move) for move in legal]
    return sum(perft(s, depth - 1) for s in after_ if s.hand == hand)


@pytest.mark.parametrize("case", PERFT, ids=lambda c: f"{c['deck'][:5]}-after-{len(c['moves'])}")
def test_the_number_of_positions(case: dict[str, Any]) -> None:
    state = position(case)
    counts = [perft(state, depth) for depth in range(1, len(case["counts"]) + 1)]
    assert counts == case["counts"]


def test_there_are_counts_of_every_part_of_a_hand() -> None:
    phases = {position(case).phase for case in PERFT}
    assert phases >= {Phase.ELDER, Phase.YOUNGER, Phase.CLAIM, Phase.PLAY}


def test_a_match_begins_with_a_draw() -> None:
    assert begin().hand == 1
    assert picchetto_match.PLAY_ON == ""
