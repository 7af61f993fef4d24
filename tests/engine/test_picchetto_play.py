"""The tricks of Picchetto, what they score, and counts of positions (PIC-30..PIC-36)."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from engine.contract import Drawn, Shuffled
from engine.errors import IllegalMove
from engine.games import picchetto_match
from engine.games.picchetto import GAME, Phase, PicchettoState
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
from tests.engine.picchetto_plays import STRONG, WEAK, at_play, with_points

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
