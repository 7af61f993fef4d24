"""The declarations of Picchetto: claims, answers, what they count and disclose (PIC-20..PIC-27)."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest

from engine.contract import Decide, Open
from engine.errors import IllegalMove, NotationError
from engine.games.picchetto import GAME, Phase
from engine.games.picchetto_cards import EVERYTHING, FRENCH, hand_of
from engine.games.picchetto_declare import Category, Claim, holds, numbers, statable
from engine.games.picchetto_moves import Produce
from tests.engine.picchetto_desk import VECTORS, Desk, after, both, desk, make_options

ELDER = "Ah Kh Qh 9h 8h Ad Kd Qd 7c 8c Ts 9s"
YOUNGER = "Jh Th 7h Jd Td 9d 8d Ac Kc Qc Js Qs"
"""Point 5 against 4; two terze (the ace's is the better one) against a quarta; nothing, tris."""

CASES: list[dict[str, Any]] = tomllib.loads(
    (VECTORS / "picchetto" / "declarations.toml").read_text("utf-8")
)["case"]
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])


# ---------------------------------------------------------------------------------------------
# Whole declarations, as data


def declare(made: Desk) -> Desk:
    """Both claim all that they hold."""
    while isinstance(made.state.turn(), Decide) and made.state.phase is not Phase.PLAY:
        texts = made.may()
        if texts[0] == "good" and len(texts) > 1:
            best = next(t for t in ("not-good", "equal", texts[-1]) if t in texts)
            made.say(best)
        elif texts[0].startswith("show"):
            made.say(max(texts, key=len))
        else:
            made.say(texts[-1])
    return made


@both
@each_case
def test_what_two_hands_declare(case: dict[str, Any], live: bool) -> None:
    given = [*case.get("options", []), "target=999"]
    made = declare(after(case["elder"], case["younger"], *given, live=live))
    assert list(made.points()) == case["points"]
    assert bool(made.told("novanta")) == any("novanta: 60" in lines for lines in case["lines"])
    counted = [values[0] for kind in COUNTS for _, values in made.told(kind)]
    assert counted == case["counted"]


COUNTS = ("counts-point", "counts-sequence", "counts-set")


@each_case
def test_what_two_hands_score(case: dict[str, Any]) -> None:
    options = make_options(*case.get("options", []))
    scored = GAME.score(options, [case["elder"], case["younger"]])
    assert [one.points for one in scored] == case["points"]
    assert [[f"{d.category}: {d.text}" for d in one.details] for one in scored] == case["lines"]
    assert [one.hand for one in scored] == [case["elder"], case["younger"]]
    a, b = case["points"]
    assert [one.rank for one in scored] == [1 + (a < b), 1 + (b < a)]


@pytest.mark.parametrize(
    "hands",
    [[], [""], ["Ah", "Ah"], ["Ah Ah"], ["Ah", "Kh", "Qh"], ["2h"], ["Ah Kx"],
     [" ".join(r + s for s in "hd" for r in "AKQJT98")]],
)  # fmt: skip
def test_what_is_no_hand_is_told(hands: list[str]) -> None:
    with pytest.raises(NotationError):
        GAME.score(make_options(), hands)


# ---------------------------------------------------------------------------------------------
# Claims


@both
@pytest.mark.rule("PIC-20", "PIC-26")
def test_one_may_say_less_than_one_holds_but_not_more(live: bool) -> None:
    made = after(ELDER, YOUNGER, live=live)
    assert made.may() == ["pass", "point 3", "point 4", "point 5"]
    with pytest.raises(IllegalMove) as caught:
        made.say("point 6")
    assert caught.value.rule == "PIC-20"
    made.say("pass")
    assert made.may() == ["pass", "point 3", "point 4"]
    made.say("pass")
    assert made.may() == ["pass", "sequence 3"]
    made.say("pass", "pass")
    assert made.may() == ["pass"]
    made.say("pass")
    assert made.may() == ["pass", "three J"]


@pytest.mark.rule("PIC-26")
def test_three_of_four_kings_may_be_claimed() -> None:
    hand = "Kh Kd Kc Ks Qh Qd Qc 7h 8h 9d 8d 7d"
    made = after(hand, "")
    made.say("pass", "pass", "pass", "pass")
    assert made.may() == ["pass", "three Q", "three K", "four K"]
    made.say("three K", "good")
    assert made.may().count("show Kh Kd Kc") == 1
    shows = [text for text in made.may() if "Q" not in text]
    assert len(shows) == 4, "any three of the four"
    assert all(text.count("K") == 3 for text in made.may())
    made.say("show Kh Qh Kd Qd Qc Ks")
    assert made.points() == (6, 0)


@pytest.mark.rule("PIC-26", "PIC-22")
def test_a_terza_out_of_a_quarta() -> None:
    made = after("Kh Qh Jh Th 9d 8d 7d 7c 8c As Ks 9s", "")
    made.say("pass", "pass", "sequence 3", "good")
    texts = made.may()
    assert "show Kh Qh Jh" in texts
    assert "show Qh Jh Th" in texts
    assert "show Kh Qh Jh 9d 8d 7d" in texts
    assert not any("Kh Qh Jh Th" in text for text in texts)
    made.say("show Qh Jh Th 9d 8d 7d")
    assert made.points() == (6, 0)


@both
@pytest.mark.rule("PIC-21", "PIC-26")
def test_a_part_of_a_point_has_its_own_sum(live: bool) -> None:
    hand = "Ah Kh 9h 8h 7h Kd 7d 8c 9c Ts 9s 8s"
    made = after(hand, "Qh Jh Th Ad Qd Jd Td Ac Kc Qc As Ks", live=live)
    made.say("point 4", "how-much")
    assert made.may() == [f"sum {n}" for n in (34, 35, 36, 37, 38)]
    made.say("sum 35", "not-good")
    made.say("show Ad Qd Jd Td")
    assert made.points() == (0, 4)


@both
@pytest.mark.rule("PIC-21")
def test_the_dialogue_of_equal_points(live: bool) -> None:
    """Elder 40, younger 41: not good. The sum is said only when it was asked for."""
    elder = "Kh Qh Jh Th 7d 8d 9d 7c 8c 9c 7s 8s"
    made = after(elder, "Ad Kd Qd Jd 9h 8h 7h Ac Tc 9s Ts Js", live=live)
    made.say("point 4")
    assert made.may() == ["good", "how-much"]
    made.say("how-much")
    assert made.to_move == 0
    assert made.may() == ["sum 40"]
    assert made.told("states-sum") == []
    made.say("sum 40")
    assert made.may() == ["good", "not-good"]
    made.say("not-good")
    assert made.to_move == 1
    assert made.may() == ["show Ad Kd Qd Jd"]
    made.say("show Ad Kd Qd Jd")
    assert made.points() == (0, 4)


@both
@pytest.mark.rule("PIC-21", "PIC-26")
def test_equal_sums_score_nothing_and_both_are_opened(live: bool) -> None:
    elder = "Kh Qh Jh Th 7d 8d 9d 7c 8c 9c 7s 8s"
    made = after(elder, "Td Kd Qd Jd 9h 8h 7h Ac Tc 9s Ts Js", live=live)
    made.say("point 4", "how-much", "sum 40")
    assert made.may() == ["good", "equal"]
    made.say("equal")
    assert made.to_move == 0
    made.say("show Kh Qh Jh Th", "show Kd Qd Jd Td")
    assert made.points() == (0, 0)
    assert made.told("nobody-scores") == [(-1, (0,))]
    assert made.state.opened.bit_count() == 8
    assert made.state.phase is Phase.CLAIM
    assert not made.state.promises, "both were proved"


@pytest.mark.rule("PIC-21")
def test_a_better_claim_settles_it() -> None:
    made = after(YOUNGER, ELDER)
    made.say("point 4")
    assert made.may() == ["good", "how-much", "point 5"]
    with pytest.raises(IllegalMove) as caught:
        made.say("point 4")
    assert caught.value.rule == "PIC-21"
    made.say("point 5", "show Ah Kh Qh 9h 8h")
    assert made.points() == (0, 5)


@pytest.mark.rule("PIC-21")
def test_after_a_pass_the_youngers_claim_is_good() -> None:
    made = after(ELDER, YOUNGER).say("pass", "point 3")
    assert made.to_move == 1
    assert len(made.may()) == 1 + 4 + 1, "any three cards of a suit"
    made.say("show Jd 9d 8d")
    assert made.points() == (0, 3)


@pytest.mark.rule("PIC-21")
@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ((), ["good", "not-good", "equal", "how-much", "sum 40", "sequence 3", "three K"]),
        (("point 3",), ["pass", "not-good", "equal", "point 3", "sum 24", "sequence 4"]),
        (("point 5",), ["how-much"]),
        (("point 4", "how-much"), ["good", "pass", "sum 36", "top A", "point 5"]),
        (("point 4", "how-much", "sum 40"), ["how-much", "pass", "equal", "not-good", "sum 40"]),
        (("pass",), ["good", "how-much", "point 5", "sequence 3"]),
        (("pass", "pass", "sequence 3", "good"), ["pass", "good", "show Ah Kh", "sequence 3"]),
        (("pass", "pass", "pass", "pass"), ["three K", "point 5"]),
    ],
)
def test_what_is_no_answer_is_refused_by_a_rule(said: tuple[str, ...], wrong: list[str]) -> None:
    made = after(ELDER, YOUNGER).say(*said)
    texts = made.may()
    for text in wrong:
        assert text not in texts
        with pytest.raises(IllegalMove) as caught:
            made.say(text)
        assert caught.value.rule.startswith("PIC-2")


@pytest.mark.rule("PIC-22")
def test_a_lower_top_loses_and_an_equal_one_scores_for_nobody() -> None:
    elder = "Kh Qh Jh 9d 8d 7d 7c 8c 9c 7s Ks 9h"
    younger = "Kd Qd Jd Ac Kc Qc Ts 9s 8s 7h 8h Ah"
    made = after(elder, younger).say("pass", "pass", "sequence 3", "how-much")
    assert made.may() == ["top 9", "top K"]
    made.say("top K")
    assert made.may() == ["good", "not-good", "equal"]
    equal = after(elder, younger).say("pass", "pass", "sequence 3", "how-much", "top K", "equal")
    assert equal.may() == ["show Kh Qh Jh"], "no other sequence comes along"
    equal.say("show Kh Qh Jh", "show Kd Qd Jd")
    assert equal.points() == (0, 0)
    made.say("not-good")
    assert all("Ac Kc Qc" in text for text in made.may())
    made.say("show Kd Qd Jd Ac Kc Qc Ts 9s 8s")
    assert made.points() == (0, 9)


@pytest.mark.rule("PIC-22")
def test_an_ace_follows_no_seven() -> None:
    assert (
        "sequence 3"
        not in after("Ah 8h 7h Kd Qd 9d 8d Jc Tc 8c As Ks", "").say("pass", "pass").may()
    )


@pytest.mark.rule("PIC-23")
def test_nine_eight_and_seven_make_no_set() -> None:
    hand = "9h 9d 9c 9s 8h 8d 8c 8s 7h 7d 7c 7s"
    assert after(hand, "").say("pass", "pass", "pass", "pass").may() == ["pass"]
    regional = "6c 6d 6s 6b 5c 5d 5s 5b 7c 7d 7s 4c"
    made = after(regional, "", "deck=regional32").say("pass", "pass", "pass", "pass")
    assert made.may() == ["pass", "three 7"]


@pytest.mark.rule("PIC-24", "PIC-27", "PIC-25")
def test_points_are_counted_at_once_category_by_category() -> None:
    """The younger's as soon as the category is settled, before the elder says anything more."""
    made = after(ELDER, YOUNGER).say("pass", "point 4", "show Jd Td 9d 8d")
    assert made.points() == (0, 4)
    assert made.to_move == 0
    made.say("sequence 3", "sequence 4", "show Jd Td 9d 8d Ac Kc Qc")
    assert made.points() == (0, 11)
    made.say("pass", "three J", "show Jh Jd Js")
    assert made.points() == (0, 14)
    made.say("Ah", "Jh", "Kh")
    assert made.told("leads") == [(0, (1,)), (0, (2,))]


@pytest.mark.rule("PIC-27", "PIC-40")
def test_the_younger_may_win_while_declaring() -> None:
    made = after(ELDER, YOUNGER, "target=21", live=True)
    made.state.match = type(made.state.match)(
        made.state.match.options, made.state.match.pack, (18, 18)
    )
    made.state.lay = made.state.lay.but(limits=(3, 3))
    made.say("pass", "point 4", "show Jd Td 9d 8d")
    assert made.result().winners == (1,)
    assert made.result().scores == (18, 22)
    assert made.result().reason == "target-reached"


# ---------------------------------------------------------------------------------------------
# What is disclosed


@pytest.mark.rule("PIC-26")
def test_exactly_the_claimed_cards_are_opened() -> None:
    made = after(ELDER, YOUNGER, live=True).say("point 5", "good", "show Ah Kh Qh 9h 8h")
    assert [r for r in made.dealer.asked if isinstance(r, Open)] == [
        Open(made.slots(0, "Ah Kh Qh 9h 8h"))
    ]
    made.say("sequence 3", "sequence 4", "show Jd Td 9d 8d")
    opens = [r for r in made.dealer.asked if isinstance(r, Open)]
    assert opens[1:] == [Open(made.slots(1, "Jd Td 9d 8d"))], "the beaten terze stay closed"
    made.say("pass", "pass")
    assert made.state.phase is Phase.PLAY


@pytest.mark.rule("PIC-26")
def test_cards_that_lie_open_are_not_opened_again() -> None:
    made = after(ELDER, YOUNGER, live=True).say("pass", "point 4", "show Jd Td 9d 8d")
    made.say("pass", "sequence 4", "show Jd Td 9d 8d")
    assert len([r for r in made.dealer.asked if isinstance(r, Open)]) == 1


@pytest.mark.rule("PIC-26")
def test_other_cards_than_the_claimed_ones_are_an_illegal_move() -> None:
    for cards in ("Ah Kh Qh 9h Ad", "Ah Kh Qh 9h", "Ah Kh Qh 9h 8h Ad", "Ts"):
        made = after(ELDER, YOUNGER, live=True).say("point 5", "good")
        with pytest.raises(IllegalMove) as caught:
            made.lie(Produce(sum(1 << slot for slot in made.slots(0, cards))))
        assert caught.value.rule == "PIC-26"
    made = after(ELDER, YOUNGER, live=True).say("point 5", "good")
    with pytest.raises(IllegalMove):
        made.lie(Produce(sum(1 << slot for slot in made.slots(1, "Jd Td 9d 8d Js"))))


@pytest.mark.rule("PIC-26")
def test_what_is_shown_is_no_better_than_what_was_claimed() -> None:
    """Else a claim of a terza could hide a quinta from the answer."""
    hand = "Kh Qh Jh Th 9h 9d 8d 7d 7c 8c As 9s"
    made = after(hand, "").say("pass", "pass", "sequence 3", "good")
    assert not any("Kh Qh Jh Th" in text for text in made.may())
    with pytest.raises(IllegalMove):
        made.say("show Kh Qh Jh Th 9h 9d 8d 7d")


@pytest.mark.rule("PIC-26", "PIC-20")
def test_good_may_be_said_with_a_better_holding_which_stays_secret() -> None:
    """Two deals that differ in the younger's holding lead to the same public state."""
    publics = []
    for younger in (YOUNGER, "Jh Th 7h Jd Td 9d 7d Ac Kc Jc Js 7s"):
        made = after(ELDER, younger, live=True, seed=3)
        made.say("point 4", "good", "show Ah Kh Qh 9h", "sequence 3", "good")
        made.say("show Ah Kh Qh", "pass", "pass")
        publics.append((made.state.public(), made.state.notes, list(made.state.legal())))
    assert publics[0] == publics[1]


@pytest.mark.rule("PIC-20", "PIC-26", "GEN-01")
@pytest.mark.parametrize(
    ("texts", "rule_at"),
    [
        (["point 6", "point 7"], 0),
        (["sequence 5", "sequence 6"], 1),
        (["four K", "four A"], 2),
    ],
)
def test_a_beaten_claim_is_checked_at_the_end_of_the_deal(texts: list[str], rule_at: int) -> None:
    """The elder lies, the younger beats it with a truth: the elder's cards stay closed."""
    younger = "Ad Kd Qd Jd Td 9d 8d Ac Ah As 7s 7h"
    made = after("Kh Qh Jh 9h 8h Kc Qc Jc Ks Qs Js 8s", younger, live=True)
    for _ in range(rule_at):
        made.say("pass", "pass")
    made.lie(made.claim(texts[0]))
    made.say(texts[1])
    made.say(max(made.may(), key=len))
    while made.state.phase is not Phase.PLAY:
        made.say("pass")
    assert [p.rule for p in made.state.promises] == ["PIC-20"]
    made.finish()
    assert made.result().winners == (1,)
    assert made.result().scores == (0, 0), "the deal is void"
    breach = made.state.breaches[0]
    assert (breach.promise.seat, breach.promise.rule) == (0, "PIC-20")
    assert breach.promise.move == 2 + 2 * rule_at
    assert breach.text.startswith("seat 0 claimed ")


@pytest.mark.rule("PIC-20", "GEN-01")
def test_a_false_sum_is_a_broken_promise_too() -> None:
    elder = "Kh Qh Jh Th 7d 8d 9d 7c 8c 9c 7s 8s"
    made = after(elder, "Ad Kd Qd Jd 9h 8h 7h Ac Tc 9s Ts Js", live=True)
    made.say("point 4", "how-much")
    made.lie(made.claim("sum 38"))
    made.say("not-good", "show Ad Kd Qd Jd")
    while made.state.phase is not Phase.PLAY:
        made.say("pass")
    made.finish()
    assert made.result().winners == (1,)
    assert [b.promise.move for b in made.state.breaches] == [4]


@pytest.mark.rule("PIC-20", "PIC-21")
def test_how_much_promises_equality() -> None:
    younger = "Kd Qd Jd Td Ac Kc Qc Jc As Ks Ts 9s"
    made = after("Ah Kh Qh Jh 9h 7d 8d 9d 7c 8c 7s 8s", younger, live=True).say("point 5")
    made.lie(made.claim("how-much"))
    made.say("sum 50", "good", "show Ah Kh Qh Jh 9h")
    assert [(p.seat, p.rule) for p in made.state.promises] == [(1, "PIC-20")]
    while made.state.phase is not Phase.PLAY:
        made.say("pass")
    made.finish()
    assert made.result().winners == (0,)


@pytest.mark.rule("PIC-20")
def test_true_claims_that_were_beaten_keep_their_promise() -> None:
    made = after(ELDER, YOUNGER, live=True)
    made.say("point 3", "point 4", "show Jd Td 9d 8d", "sequence 3", "sequence 4")
    made.say("show Jd Td 9d 8d", "pass", "pass")
    assert len(made.state.promises) == 2
    made.finish()
    assert not made.state.breaches
    assert made.state.hand == 2


@pytest.mark.rule("PIC-20", "PIC-21", "PIC-22", "PIC-23")
@pytest.mark.parametrize(
    ("claim", "cards", "kept"),
    [
        (Claim(Category.POINT, 3), "Ah Kh Qh Jd", True),
        (Claim(Category.POINT, 4), "Ah Kh Qh Jd", False),
        (Claim(Category.POINT, 3, 31), "Ah Kh Qh Jd", True),
        (Claim(Category.POINT, 3, 30), "Ah Kh Qh Jd", False),
        (Claim(Category.POINT, 3, 30), "Ah Kh Qh Jh", True),
        (Claim(Category.SEQUENCE, 3), "Ah Kh Jh Th", False),
        (Claim(Category.SEQUENCE, 3), "Ah Kh Jh Th 9h", True),
        (Claim(Category.SEQUENCE, 3, 7), "Ah Kh Jh Th 9h", False),
        (Claim(Category.SEQUENCE, 3, 4), "Ah Kh Jh Th 9h", True),
        (Claim(Category.SEQUENCE, 3, 5), "Kh Qh Jh Th", True),
        (Claim(Category.SEQUENCE, 3, 4), "Kh Qh Jh Th", False),
        (Claim(Category.SET, 3, 6), "Kh Kd Kc Ks", True),
        (Claim(Category.SET, 4, 6), "Kh Kd Kc Qs", False),
    ],
)
def test_claims_and_the_hands_that_keep_them(claim: Claim, cards: str, kept: bool) -> None:
    codes = [FRENCH.codes[face] for face in FRENCH.kind.split(cards)]
    assert holds(FRENCH, claim, hand_of(codes)) is kept


@pytest.mark.rule("PIC-21", "PIC-22")
def test_all_that_may_be_said_of_a_claim() -> None:
    """By a hand that is hidden, so that nothing can be ruled out."""

    def every_value(category: Category, size: int) -> tuple[int, ...]:
        return numbers(statable(FRENCH, category, size, EVERYTHING.hand))

    assert every_value(Category.POINT, 8) == (75,)
    assert every_value(Category.POINT, 7) == (64, 65, 66, 67, 68)
    assert every_value(Category.SEQUENCE, 3) == (2, 3, 4, 5, 6, 7)
    assert every_value(Category.SEQUENCE, 8) == (7,)


# ---------------------------------------------------------------------------------------------
# Bonuses and irregular hands

RICH = "Ah Kh Qh Ad Kd As Ks Qs Js Ts 9s 7s"
POOR = "Jh Th 8h 7h Qd Jd 9d 8d Qc Jc 9c 8c"


@both
@pytest.mark.rule("PIC-25")
def test_novanta(live: bool) -> None:
    made = declare(after(RICH, POOR, live=live))
    assert made.points() == (7 + 16 + 3 + 3 + 3 + 60, 0)
    assert made.told("novanta") == [(0, (92, 60))]
    assert [values[1] for _, values in made.told("counts-set")] == [29, 92]


@both
@pytest.mark.rule("PIC-25", "PIC-10")
def test_no_novanta_against_a_carta_bianca(live: bool) -> None:
    """The elder's 32 stay 32."""
    white = "Th 9h 8h 7h Td 9d 8d 7d Ac Tc 9c 8c"
    rich = "Ah Kh Qh Ad Kd As Ks Qs Js Ts 9s Jc"
    made = desk(rich, white, "7s 7c Kc Qc Jh Qd Jd 8s", live=live)
    made.say("change Jc", "bianca", "change 8c")
    declare(made)
    assert made.points() == (32, 10)
    assert not made.told("novanta")


@pytest.mark.rule("PIC-25", "PIC-10")
def test_the_own_carta_bianca_counts_toward_the_30() -> None:
    white = "Ah Th 9h 8h 7h Ad Td 9d 8d 7d Ac Tc"
    made = desk(white, "", "Jh Jd 7s 9c 8c Ts As 9s").say("bianca 1")
    made.say(next(t for t in made.may() if t.count(" ") == 1)).say("change Ac")
    declare(made)
    # 10 + point 6 + sequence of 5 (15): 31, and 60 more at that moment
    assert made.told("novanta")[0] == (0, (91, 60))


@pytest.mark.rule("PIC-25")
def test_the_younger_can_make_a_novanta() -> None:
    made = declare(after(POOR, RICH))
    assert made.points() == (0, 92)


@pytest.mark.rule("PIC-25")
def test_novanta_is_judged_when_the_30_is_reached() -> None:
    """The other's point counts before the sets: no bonus; after them it is too late to matter."""
    elder = "Ah Kh Qh Jh Th Ad Kd Qd Ac Kc Qc As"
    younger = "9h 8h 7h Jd Td 9d 8d 7d Ks Qs Js Ts"
    made = after(elder, younger)
    made.say("point 3", "point 4")
    made.say(next(t for t in made.may() if "Jd" in t))
    declare(made)
    assert made.points()[1] > 0
    assert made.points()[0] >= 30
    assert not made.told("novanta")


@both
@pytest.mark.rule("PIC-15")
@pytest.mark.parametrize("seat", [0, 1])
def test_a_hand_of_thirteen_voids_what_it_equals_or_beats(seat: int, live: bool) -> None:
    hands = (ELDER, "Jh Th 7h Jd Td 9d 8d Ac Kc Qc Js Qs")
    talon = "Jc 9c Tc Ks As 7d 7s 8s"
    made = desk(*hands, talon, "irregular_hands=true", live=live)
    if seat == 0:
        made.say("change 8c take 2", "change 7h")
    else:
        made.say("change 8c", "change 7h take 2")
    assert made.state.lay.mute == seat
    declare(made)
    assert made.points()[seat] == 0
    made.finish()
    assert made.scored()[seat] == 0
    assert made.state.hand == 2


@pytest.mark.rule("PIC-15")
def test_a_hand_of_thirteen_shows_only_what_it_contests_with() -> None:
    made = desk(ELDER, YOUNGER, "Jc 9c Tc Ks As 7d 7s 8s", "irregular_hands=true")
    made.say("change 8c take 2", "change 7h")
    made.say("point 5", "good", "show Ah Kh Qh 9h 8h")
    assert made.points() == (0, 0)
    made.say("sequence 3", "good")
    assert all(len(text.split()) == 4 for text in made.may()), "no other sequence comes along"


@pytest.mark.rule("PIC-15")
def test_a_hand_of_eleven_declares_as_usual() -> None:
    made = desk(ELDER, YOUNGER, "Jc 9c Tc Ks As 7d 7s 8s", "irregular_hands=true")
    made.say("change 8c 7c take 1", "change 7h", "point 5", "good", "show Ah Kh Qh 9h 8h")
    assert made.points() == (5, 0)


# ---------------------------------------------------------------------------------------------
# Sentences


@pytest.mark.rule("PIC-24")
def test_every_note_has_a_sentence() -> None:
    """Of all kinds that the playthroughs show, with the values that they have there."""
    found: dict[str, set[int]] = {}
    for path in sorted((VECTORS.parent / "playthroughs").glob("picchetto-*.record")):
        for line in path.read_text("utf-8").splitlines():
            words = line.split()
            if words[:2] == ["#", "note"]:
                found.setdefault(words[2], set()).add(len(words) - 4)
    assert len(found) > 20
    for kind, counts in found.items():
        for values in counts:
            sentence = GAME.phrases[kind].format(*range(values), name="Ada")
            assert sentence.endswith((".", "!", "?")) or "(" in sentence


@pytest.mark.parametrize("key", sorted(GAME.phrases))
def test_sentences_are_whole_and_ask_for_values_that_there_are(key: str) -> None:
    sentence = GAME.phrases[key].format(*range(4), name="Ada")
    assert "{" not in sentence
    assert sentence[0].isupper()
    kind, *first = key.split(".")
    assert kind in GAME.phrases
    assert all(value.isdigit() for value in first)
