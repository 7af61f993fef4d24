"""Picchetto up to the end of the exchange: cards, deal, carta bianca, accomodo (PIC-01..PIC-15)."""

from __future__ import annotations

import itertools
from random import Random

import pytest

from engine.cards import FRENCH32, REGIONAL32, UNKNOWN
from engine.contract import (
    Cards,
    Decide,
    Draw,
    Drawn,
    Leave,
    Open,
    Over,
    Reseal,
    Reveal,
    Shuffle,
    Shuffled,
    mask_of,
)
from engine.errors import IllegalMove, NotationError, OptionError
from engine.games.picchetto import GAME, Phase
from engine.games.picchetto_cards import FRENCH, PACKS, REGIONAL
from engine.games.picchetto_moves import Bianca, Change
from tests.engine.picchetto_desk import (
    after,
    begin,
    both,
    desk,
    is_shown_once,
    make_options,
    silent,
    stack,
)

WHITE = "Ah Th 9h 8h 7h Ad Td 9d 8d 7d Tc 9c"
"""Twelve cards without a figure."""
OTHER = "Kh Qh Jh Kd Qd Jd Kc Qc Jc Ks Qs Js"
COURT_LEFT = "Kh Qh Kd Qd Kc Qc Ks Qs 7c As Ts 9s"
"""The other hand after four jacks went for what the talon then had."""
TALON = "Ac 8c 7c As Ts 9s 8s 7s"
MIXED = "Ah Kh 9h 8h 7h Ad Td 9d 8d 7d Tc 9c"
"""One figure."""
COURT = "Qh Jh Th Kd Qd Jd Kc Qc Jc Ks Qs Js"
"""All the others."""


# ---------------------------------------------------------------------------------------------
# Cards and deal


@pytest.mark.rule("PIC-01", "CARD-02", "CARD-03")
@pytest.mark.parametrize(
    ("name", "kind", "order", "prices"),
    [
        ("french32", FRENCH32, "AKQJT987", (11, 10, 10, 10, 10, 9, 8, 7)),
        ("regional32", REGIONAL32, "ARCF7654", (11, 10, 10, 10, 7, 6, 5, 4)),
    ],
)
def test_cards_rank_and_count_by_their_deck(
    name: str, kind: object, order: str, prices: tuple[int, ...]
) -> None:
    pack = PACKS[name]
    assert pack.kind is kind
    assert begin(f"deck={name}").deck.kind is kind
    for suit, letter in enumerate(pack.kind.suits):
        codes = [pack.codes[pack.kind.parse(rank + letter)] for rank in order]
        assert codes == [suit * 8 + strength for strength in range(7, -1, -1)]
        assert tuple(pack.price(1 << code) for code in codes) == prices
        assert [pack.rank_text(code % 8) for code in codes] == list(order)
        assert [pack.faces[code] for code in codes] == [
            pack.kind.parse(rank + letter) for rank in order
        ]


@pytest.mark.rule("PIC-01")
def test_a_regional_ace_takes_a_king() -> None:
    made = after("Rc 4c", "Ac 5c", "deck=regional32")
    silent(made).say("Rc", "Ac")
    assert made.to_move == 1


def drawing(*cards: str) -> Drawn:
    faces = [FRENCH32.parse(card) for card in cards]
    return Drawn((*faces, *(f for f in range(32) if f not in faces)))


@pytest.mark.rule("PIC-02")
@pytest.mark.parametrize(
    ("cards", "dealer", "drawn"),
    [
        (("7h", "Ah"), 0, 2),
        (("Ah", "Kh"), 1, 2),
        (("Th", "Jd"), 0, 2),
        (("Ks", "Kh", "9h", "8d"), 1, 4),
        (("7h", "7d", "7c", "7s", "Qd", "Ah"), 0, 6),
    ],
)
def test_the_lower_card_deals_first_and_equal_ones_draw_again(
    cards: tuple[str, ...], dealer: int, drawn: int
) -> None:
    start = GAME.start(make_options(), 2)
    assert start.turn() == Cards((Draw(start.deck),))
    state = start.apply(drawing(*cards))
    assert state.dealer == dealer
    assert state.players == (1 - dealer, dealer)
    assert state.notes[0].values == (drawn,)


@pytest.mark.rule("PIC-02")
def test_a_deck_of_equal_pairs_is_followed_by_another_deck() -> None:
    pairs = [f"{rank}{suits[n]}" for rank in "AKQJT987" for suits in ("hd", "cs") for n in (0, 1)]
    start = GAME.start(make_options(), 2)
    again = start.apply(drawing(*pairs))
    assert again.turn() == start.turn()
    assert again.public() != start.public()
    assert again.apply(drawing("7h", "Ah")).dealer == 0


@pytest.mark.rule("PIC-02")
def test_the_deal_alternates() -> None:
    state = begin(dealer=1)
    dealers = []
    for seed in range(3):
        dealers.append(state.dealer)
        made = desk(state=state, seed=seed).finish()
        state = made.state
    assert dealers == [1, 0, 1]


@both
@pytest.mark.rule("PIC-03", "CARD-06")
@pytest.mark.parametrize("packet", [3, 2])
def test_packets_fall_in_turn_the_elder_first(packet: int, live: bool) -> None:
    made = desk("", "", "", f"packet={packet}", live=live)
    elder = [slot for slot in range(24) if slot // packet % 2 == 0]
    assert list(made.state.hand_of(0)) == elder
    assert list(made.state.hand_of(1)) == [slot for slot in range(24) if slot not in elder]
    assert made.state.piles()[-1].slots == tuple(range(24, 32))
    assert made.to_move == 0
    assert made.state.visible(0) == mask_of(elder)
    assert made.state.visible(1) == (1 << 24) - 1 - mask_of(elder)


def test_only_two_can_play() -> None:
    for seats in (1, 3):
        with pytest.raises(OptionError):
            GAME.start(make_options(), seats)


# ---------------------------------------------------------------------------------------------
# Carta bianca


@both
@pytest.mark.rule("PIC-10", "PIC-14")
def test_the_elders_carta_bianca(live: bool) -> None:
    """Number, the younger's discard, the open hand, 10 points, both exchange."""
    made = desk(WHITE, OTHER, TALON, live=live)
    made.say("bianca 2")
    assert made.to_move == 1
    assert made.points() == (0, 0)
    assert not made.state.opened
    view = made.seen(1)
    assert {m.taken for m in view.legal() if isinstance(m, Change)} == set(range(1, 7))
    assert not any(isinstance(m, Bianca) for m in made.state.legal())
    made.say("change Jh Jd Jc Js")
    assert made.points() == (10, 0)
    assert made.told("counts-bianca") == [(0, (10, 10))]
    assert made.state.lay.bared == tuple(FRENCH32.split(WHITE))
    opened = [r for r in made.dealer.asked if isinstance(r, Open)]
    if live:
        assert opened == [Open(made.state.hand_of(0))]
    assert not made.state.opened, "resealed: nobody can follow its cards any more"
    assert made.to_move == 0
    with pytest.raises(IllegalMove) as caught:
        made.say("change 9h 8h 7h")
    assert caught.value.rule == "PIC-11"
    made.say("change 7h 7d")
    assert made.state.phase is Phase.CLAIM
    assert made.hand(0) == made.state.deck.kind.join(
        sorted(FRENCH32.split(WHITE.replace("7h ", "").replace("7d ", "") + " Ac 8c"))
    )
    assert set(made.hand(1).split()) == set(COURT_LEFT.split())
    assert len(made.state.piles()[-1].slots) == 2


@both
@pytest.mark.rule("PIC-10")
def test_the_younger_announces_when_the_elder_has_exchanged(live: bool) -> None:
    made = desk(OTHER, WHITE, TALON, live=live).say("change Jh Jd Jc")
    assert "bianca" in made.may()
    made.say("bianca")
    assert made.points() == (0, 10)
    assert made.state.lay.white == 1
    assert not made.state.opened
    assert made.to_move == 1
    assert "bianca" not in made.may()
    made.say("change 7h 7d")
    assert made.state.phase is Phase.CLAIM


@pytest.mark.rule("PIC-10")
@pytest.mark.parametrize("figure", ["Kh", "Qh", "Jh"])
def test_a_figure_is_no_carta_bianca_and_an_ace_is_no_figure(figure: str) -> None:
    made = desk(WHITE.replace("Th", figure), "", "Th")
    with pytest.raises(IllegalMove) as caught:
        made.say("bianca 2")
    assert caught.value.rule == "PIC-10"
    assert not any(text.startswith("bianca") for text in made.may())
    assert "bianca 5" in desk(WHITE, OTHER, TALON).may()


@pytest.mark.rule("PIC-10")
def test_regional_figures_are_fante_cavallo_and_re() -> None:
    white = "Ac 7c 6c 5c 4c Ad 7d 6d 5d 4d As 7s"
    assert "bianca 1" in desk(white, "", "", "deck=regional32").may()
    for figure in ("Fc", "Cc", "Rc"):
        hand = white.replace("7c", figure)
        assert "bianca 1" not in desk(hand, "", "", "deck=regional32").may()


@pytest.mark.rule("PIC-10", "PIC-11")
def test_the_number_announced_is_an_exchange_that_may_be_made() -> None:
    for given, low in (((), 1), (("min_exchange=2",), 2)):
        made = desk(WHITE, OTHER, TALON, *given)
        whites = [text for text in made.may() if text.startswith("bianca")]
        assert whites == [f"bianca {n}" for n in range(low, 6)]
    for text in ("bianca", "bianca 6", "bianca 7"):
        with pytest.raises(IllegalMove) as caught:
            made.say(text)
        assert caught.value.rule == "PIC-10"
    with pytest.raises(IllegalMove):
        desk(OTHER, WHITE, TALON).say("change Jh").say("bianca 2")


@both
@pytest.mark.rule("PIC-10")
def test_announcing_may_be_a_duty(live: bool) -> None:
    must = "bianca_must_announce=true"
    for first in (True, False):
        hands = (WHITE, OTHER) if first else (OTHER, WHITE)
        made = desk(*hands, TALON, must, live=live)
        if not first:
            made.say("change Jh")
        assert made.may() == ([f"bianca {n}" for n in range(1, 6)] if first else ["bianca"])
        with pytest.raises(IllegalMove) as caught:
            made.say("change Ah")
        assert caught.value.rule == "PIC-10"
        assert f"change {'Jd' if first else '7h'}" not in made.may()
        if not live:  # else the table can't know
            with pytest.raises(IllegalMove) as caught:
                made.state.apply(Change(mask_of(made.slots(1 - first, "7h")), 1))
            assert caught.value.rule == "PIC-10"


@pytest.mark.rule("PIC-10", "GEN-01")
@pytest.mark.parametrize("seat", [0, 1])
def test_a_carta_bianca_that_was_kept_quiet_is_a_broken_promise_when_it_was_a_duty(
    seat: int,
) -> None:
    """It shows in the cards as they lay before the reseals that came after it."""
    hands = (WHITE, OTHER) if seat == 0 else (OTHER, WHITE)
    for seed in range(3):
        made = desk(*hands, TALON, "bianca_must_announce=true", live=True, seed=seed)
        if seat:
            made.say("change Kh Jh")
        made.lie(Change(mask_of(made.slots(seat, "Ah 7h")), 2))
        if not seat:
            made.say("change Jh")
        silent(made).finish()
        assert made.result().winners == (1 - seat,)
        assert [b.promise.rule for b in made.state.breaches] == ["PIC-10"]
        assert made.state.breaches[0].promise.seat == seat
        assert made.state.breaches[0].promise.move == seat


@pytest.mark.rule("PIC-10")
def test_a_figure_keeps_the_promise_of_not_announcing() -> None:
    made = desk(MIXED, "", "", "bianca_must_announce=true", live=True).say("change Kh 9h")
    made.say("change " + made.hand(1).split()[0])
    assert len(made.state.promises) == 2
    silent(made).finish()
    assert not made.state.breaches
    assert made.state.hand == 2


@pytest.mark.rule("PIC-10", "PIC-14")
def test_a_promise_is_about_the_cards_as_they_lay_when_it_was_made() -> None:
    """The one figure is kept and may come to lie where a card of the talon lay; a figure that was
    drawn may come to lie where a dealt card did. Neither changes what was promised before."""
    must = "bianca_must_announce=true"
    figures = "Kc Qc Jc Ks Qs"
    for seed in range(8):
        kept = desk(MIXED, "", "", must, live=True, seed=seed).say("change 9h 8h 7h 8d 7d")
        kept.say(kept.may()[0])
        silent(kept).finish()
        assert not kept.state.breaches
        quiet = desk(WHITE, "", f"{figures} As Ts 9s", must, live=True, seed=seed)
        quiet.lie(Change(mask_of(quiet.slots(0, "9h 8h 7h 8d 7d")), 5))
        quiet.say(quiet.may()[0])
        silent(quiet).finish()
        assert [b.promise.rule for b in quiet.state.breaches] == ["PIC-10"]


@pytest.mark.rule("PIC-10", "GEN-01")
def test_a_false_carta_bianca_of_the_elder_is_a_broken_promise() -> None:
    made = desk(MIXED, "", "", live=True)
    made.lie(Bianca(2))
    before = made.state
    made.say("change " + made.hand(1).split()[0])
    assert before.promises[0].rule == "PIC-10"
    assert made.result().winners == (1,)
    assert made.result().scores == (0, 0)
    assert made.state.breaches[0].promise.seat == 0


@pytest.mark.rule("PIC-10")
def test_a_false_carta_bianca_of_the_younger_is_an_illegal_move() -> None:
    """It is opened with the move itself, so the move proves it."""
    made = desk("", MIXED, "", live=True)
    made.say("change " + made.hand(0).split()[0])
    with pytest.raises(IllegalMove) as caught:
        made.lie(Bianca(0))
    assert caught.value.rule == "PIC-10"


@pytest.mark.rule("PIC-10")
def test_both_cannot_have_one() -> None:
    """Twelve figures of thirty-two cards leave twenty others."""
    assert sum(FRENCH.kind.text(face)[0] in "KQJ" for face in range(32)) == 12
    assert sum(REGIONAL.kind.text(face)[0] in "RCF" for face in range(32)) == 12
    made = desk(WHITE, OTHER, TALON, live=True).say("bianca 3")
    assert not any(isinstance(move, Bianca) for move in made.state.legal())


# ---------------------------------------------------------------------------------------------
# The exchange


@both
@pytest.mark.rule("PIC-11", "PIC-12", "PIC-13", "PIC-14")
def test_a_whole_exchange_and_who_sees_what(live: bool) -> None:
    made = desk(COURT, MIXED, TALON, live=live)
    dealt = [made.state.hand_of(seat) for seat in (0, 1)]
    made.say("change Jd Js")
    state = made.state
    aside = set(dealt[0]) - set(state.hand_of(0))
    assert set(state.hand_of(0)) - set(dealt[0]) == {24, 25}
    looked = {26, 27, 28}
    assert {slot for slot in range(32) if state.visible(0) >> slot & 1} == (
        set(state.hand_of(0)) | aside | looked
    )
    assert state.visible(1) == mask_of(dealt[1])
    assert made.to_move == 1
    made.say("change Kh 7h 8d 7d")
    state = made.state
    assert set(state.hand_of(1)) - set(dealt[1]) == {26, 27, 28, 29}
    left = {30, 31}
    assert {slot for slot in range(32) if state.visible(1) >> slot & 1} == (
        set(dealt[1]) | {26, 27, 28, 29} | left
    )
    assert {slot for slot in range(32) if state.visible(0) >> slot & 1} == (
        set(state.hand_of(0)) | aside
    )
    piles = {(pile.name, pile.seat): pile.slots for pile in state.piles()}
    assert set(piles["discard", 0]) == aside
    assert set(piles["discard", 1]) == set(dealt[1]) - set(state.hand_of(1))
    assert piles["talon", -1] == (30, 31)
    assert not state.opened
    assert set(made.hand(0).split()) == set(COURT.split()) - {"Jd", "Js"} | {"Ac", "8c"}
    assert set(made.hand(1).split()) == (
        set(MIXED.split()) - {"Kh", "7h", "7d", "8d"} | {"7c", "As", "Ts", "9s"}
    )


@both
@pytest.mark.rule("PIC-12", "PIC-13")
def test_what_the_younger_leaves_is_shown_the_elders_leavings_among_it(live: bool) -> None:
    made = desk(COURT, MIXED, TALON, live=live)
    made.say("change Jd")
    assert made.state.visible(0) >> 25 & 15 == 15
    made.say("change 8h 7h")
    assert made.state.visible(1) >> 27 & 31 == 31, "two left by the elder, three at the bottom"
    assert made.state.visible(0) >> 27 & 31 == 0, "what was looked at has been resealed since"
    view = made.seen(1)
    # which card lies where among the elder's leavings is open: the elder resealed them
    seen = sorted(FRENCH32.text(view.faces[slot]) for slot in range(25, 32))
    assert UNKNOWN not in [view.faces[slot] for slot in range(27, 32)]
    if not live:
        assert sorted(["8c", "7c", "As", "Ts", "9s", "8s", "7s"]) == seen


@pytest.mark.rule("PIC-11")
@pytest.mark.parametrize(("low", "given"), [(1, ()), (2, ("min_exchange=2",))])
def test_the_elder_exchanges_up_to_five(low: int, given: tuple[str, ...]) -> None:
    made = desk(MIXED, "", "", *given)
    sizes = {m.taken for m in made.seen(0).legal() if isinstance(m, Change)}
    assert sizes == set(range(low, 6))
    texts = MIXED.split()
    for number in (*range(low), 6, 7):
        move = Change(mask_of(made.slots(0, " ".join(texts[: number or 1]))), number or 1)
        if low == 1 and not number:
            continue
        with pytest.raises(IllegalMove) as caught:
            made.lie(move)
        assert caught.value.rule == "PIC-11"


@pytest.mark.rule("PIC-13")
@pytest.mark.parametrize("taken", [1, 3, 5])
@pytest.mark.parametrize("low", [1, 2])
def test_the_younger_exchanges_up_to_what_is_left(taken: int, low: int) -> None:
    if taken < low:
        return
    made = desk(COURT, MIXED, "", f"min_exchange={low}")
    made.say("change " + " ".join(["Qh", "Jh", "Th", "Kd", "Qd"][:taken]))
    assert {m.taken for m in made.seen(1).legal() if isinstance(m, Change)} == (
        set(range(low, 8 - taken + 1))
    )
    cards = " ".join(made.hand(1).split()[: 8 - taken + 1])
    with pytest.raises(IllegalMove) as caught:
        made.lie(Change(mask_of(made.slots(1, cards)), min(7, 8 - taken + 1)))
    assert caught.value.rule in ("PIC-13", "PIC-15")


@pytest.mark.rule("PIC-11", "PIC-14")
def test_an_exchange_is_of_own_cards_as_many_as_are_taken_and_final() -> None:
    made = desk(COURT, MIXED, "")
    for move, rule in (
        (Change(1 << 3, 1), "PIC-11"),
        (Change(1 << 24, 1), "PIC-11"),
        (Change(0b11, 1), "PIC-15"),
        (Change(0b11, 3), "PIC-15"),
    ):
        with pytest.raises(IllegalMove) as caught:
            made.lie(move)
        assert caught.value.rule == rule
    made.say("change Qh")
    assert made.to_move == 1
    with pytest.raises(NotationError):
        made.say("change Qh")  # it isn't the younger's


@pytest.mark.rule("PIC-14")
@pytest.mark.parametrize("seat", [0, 1])
def test_hands_are_resealed_before_cards_leave_and_after_the_exchange(seat: int) -> None:
    made = desk(COURT, MIXED, TALON, live=True)
    made.say("change Qh Jh").say("change 9h 8h 7h")
    owner = [r for r in made.dealer.asked if isinstance(r, Reseal) and r.by == seat]
    dealt = [slot for slot in range(24) if slot // 3 % 2 == seat]
    hand = made.state.hand_of(seat)
    resealed = [r.slots for r in owner]
    assert tuple(dealt) in resealed
    assert hand in resealed
    assert resealed.index(tuple(dealt)) < resealed.index(hand)
    if seat == 0:
        assert (26, 27, 28) in resealed, "what the elder saw and left"
    assert is_shown_once(made.dealer.asked)


@pytest.mark.rule("PIC-14")
@pytest.mark.parametrize("white", ["", "elder", "younger"])
@pytest.mark.parametrize("seed", range(4))
def test_no_ciphertext_is_shown_to_two_seats(white: str, seed: int) -> None:
    hands = {"": (MIXED, ""), "elder": (WHITE, OTHER), "younger": (OTHER, WHITE)}[white]
    made = desk(*hands, "", live=True, seed=seed)
    rng = Random(seed)
    if white == "elder":
        made.say(f"bianca {rng.randint(1, 5)}")
    while made.state.phase in (Phase.ELDER, Phase.YOUNGER, Phase.FIX, Phase.CHANGE):
        texts = made.may()
        made.say("bianca" if white and "bianca" in texts else rng.choice(texts[-200:]))
    silent(made).finish()
    assert is_shown_once(made.dealer.asked)
    assert sum(isinstance(r, Reseal) for r in made.dealer.asked) == len(made.dealer.reseals)


@both
@pytest.mark.rule("PIC-14")
def test_one_may_look_at_the_own_discard_during_the_play(live: bool) -> None:
    made = desk(COURT, MIXED, "", live=live).say("change Qh Jh Th", "change 8h 7h")
    silent(made)
    for seat, cards in ((0, "Qh Jh Th"), (1, "7h 8h")):
        pile = next(p for p in made.state.piles() if p.name == "discard" and p.seat == seat)
        mine, theirs = made.seen(seat), made.seen(1 - seat)
        assert {FRENCH32.text(mine.faces[slot]) for slot in pile.slots} == set(cards.split())
        assert {theirs.faces[slot] for slot in pile.slots} == {UNKNOWN}


@pytest.mark.rule("PIC-14")
def test_where_a_played_card_lies_doesnt_tell_whether_it_was_drawn() -> None:
    """Over many seals each place in the hand is as likely to hold a drawn card as any other."""
    counts: dict[int, int] = {}
    for seed in range(240):
        made = desk(COURT, MIXED, TALON, live=True, seed=seed)
        made.say("change Qh Jh Th")
        hand = made.state.hand_of(0)
        for slot in made.slots(0, "Ac 8c 7c"):
            counts[hand.index(slot)] = counts.get(hand.index(slot), 0) + 1
    assert set(counts) == set(range(12))
    assert max(counts.values()) < 2 * min(counts.values())


# ---------------------------------------------------------------------------------------------
# Irregular hands


@pytest.mark.rule("PIC-15")
def test_irregular_hands_are_a_house_rule() -> None:
    made = desk(COURT, MIXED, "", "irregular_hands=true")
    assert "change Qh Jh take 1" in made.may()
    assert "change Kd take 2" in made.may()
    assert "change Kd take 3" not in made.may()
    assert "change Qh Jh Th Kd Qd Jd take 5" in made.may()
    assert not any("take" in text for text in desk(COURT, MIXED, "").may())
    with pytest.raises(NotationError):
        made.say("change Kd take 1")  # that goes without saying
    made.say("change Qh Jh take 1")
    assert made.state.lay.sizes == (11, 12)
    assert not any("take" in text for text in made.may()), "the younger can't be so as well"
    made.say("change 7h")
    assert made.state.lay.sizes == (11, 12)


@pytest.mark.rule("PIC-15")
def test_the_younger_may_be_irregular_when_the_elder_isnt() -> None:
    made = desk(COURT, MIXED, "", "irregular_hands=true").say("change Kd", "change 7h take 2")
    assert made.state.lay.sizes == (12, 13)
    assert made.state.lay.mute == 1


@both
@pytest.mark.rule("PIC-10", "PIC-15")
def test_thirteen_cards_undo_even_a_carta_bianca(live: bool) -> None:
    made = desk(WHITE, OTHER, TALON, "irregular_hands=true", live=live)
    made.say("bianca 2", "change Kh")
    assert made.points() == (10, 0)
    made.say("change 7h take 2")
    assert made.points() == (0, 0)
    assert made.state.lay.sizes == (13, 12)


# ---------------------------------------------------------------------------------------------
# Text and data


@pytest.mark.parametrize(
    "text",
    [
        "change", "change Kd Kd", "change Qd Kd", "change ??", "change Xx", "Change Kd",
        "change kd", "change Kd take", "change Kd take 0", "change Kd take 01", "change Kd  Qd",
        "bianca 0", "bianca -1", "bianca 1 2", "bianca 99", "point", "point 2", "point 9",
        "point five", "sequence 2", "four 9", "four", "five K", "three 1", "sum 0", "sum 76", "sum",
        "top 1", "top", "show", "show Kd Kd", "good good", "passo", "Ah", "10h", "KD", " Kd", "Kd ",
    ],
)  # fmt: skip
def test_what_is_no_move_is_told(text: str) -> None:
    made = desk(COURT, MIXED, "")
    with pytest.raises(NotationError) as caught:
        GAME.parse(made.seen(0), text, 0)
    assert 0 < len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "data",
    [
        ("change", (1, 0), 2), ("change", (0, 0), 2), ("change", (32,), 1), ("change", (-1,), 1),
        ("change", (), 1), ("change", (0,), 0), ("change", (0,), 8), ("change", (0,), True),
        ("change", (True,), 1), ("change", tuple(range(9)), 7), ("bianca", 8), ("bianca", -1),
        ("bianca", False), ("point", 2), ("point", 9), ("sequence", 2), ("set", 5, 7),
        ("set", 3, 2), ("set", 3, 8), ("sum", -1), ("sum", 76), ("top", 8), ("show", ()),
        ("show", (3, 3)), ("play", 32), ("play", True), ("good", 1), ("passes",),
        ["good"], ("good",) * 2, "good",
    ],
)  # fmt: skip
def test_what_is_no_data_of_a_move_is_refused(data: object) -> None:
    with pytest.raises(NotationError):
        GAME.decode(data)


def test_a_match_can_be_left_before_its_first_deal() -> None:
    for seats, winners in (((0,), (1,)), ((1,), (0,)), ((0, 1), ())):
        turn = GAME.start(make_options(), 2).apply(Leave(seats)).turn()
        assert isinstance(turn, Over)
        assert turn.result.winners == winners


def test_a_live_hand_asks_for_everything_in_order() -> None:
    made = desk(live=True)
    kinds = [type(request).__name__ for request in made.dealer.asked]
    assert kinds == ["Shuffle", "Reseal", "Reseal", "Show", "Show"]
    assert isinstance(made.state.turn(), Decide)
    silent(made.say(made.may()[0]).say(made.may()[0])).finish()
    kinds = [type(request).__name__ for request in made.dealer.asked]
    assert kinds.count("Open") == 24
    assert kinds[-1] == "Reveal"
    assert isinstance(made.dealer.asked[-1], Reveal)
    assert isinstance(made.dealer.asked[0], Shuffle)


def test_a_deck_is_laid_as_the_desk_says() -> None:
    deck = stack(FRENCH32, OTHER, WHITE, TALON)
    state = begin().apply(Shuffled(deck))
    assert FRENCH32.join(sorted(state.faces[s] for s in state.hand_of(0))) == FRENCH32.join(
        sorted(FRENCH32.split(OTHER))
    )
    assert list(itertools.islice(state.hand_of(1), 4)) == [3, 4, 5, 9]
