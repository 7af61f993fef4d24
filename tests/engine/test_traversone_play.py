"""A hand of Traversone: dealing, following suit, promises, two and three players (TRA-02..04,
TRA-30..34)."""

from __future__ import annotations

import pytest

from engine.cards import UNKNOWN
from engine.contract import (
    Breach,
    Cards,
    Decide,
    Drawn,
    Leave,
    Open,
    Promise,
    Reveal,
    Revealed,
    Seen,
    Show,
    Shuffle,
    Shuffled,
)
from engine.errors import IllegalMove, NotationError, OptionError
from engine.games.traversone import GAME, Aside, Play
from tests.engine.traversone_desk import DRAWS, FOUR, TWO, four, own, three, two
from tests.engine.tricks_desk import Desk, filled, options_of, sit_down


def play_on(desk: Desk, hand: int) -> Desk:
    """The first legal moves, till the hand is over."""
    while desk.state.hand == hand and isinstance(desk.state.turn(), Decide):
        view = desk.seen(desk.to_move)
        desk.give(view.legal()[0])
        desk.settle()
    return desk


def promised(desk: Desk) -> list[Promise]:
    return list(desk.state.promises)


def refuted(desk: Desk) -> list[Breach]:
    return list(desk.state.breaches)


# ---------------------------------------------------------------------------------------------
# The deal


@pytest.mark.rule("TRA-02", "TRA-30", "TRA-31", "TRA-32", "CARD-06")
@pytest.mark.parametrize(
    ("seats", "sizes"),
    [(2, [10, 10]), (3, [13, 13, 14]), (4, [10] * 4), (5, [8] * 5)],
)
def test_hands_are_packets_from_the_dealers_right(seats: int, sizes: list[int]) -> None:
    """The dealer, here in the middle of the seats, gets the last packet."""
    dealer = seats // 2
    draw = ["3c", "3d", "3s", "3b"]
    draw.insert(dealer, "4c")
    state = sit_down("traversone", seats, " ".join(draw[:seats]), live=True).state
    assert state.turn() == Cards((Shuffle(state.deck),))
    state = state.apply(Shuffled(None))
    turn = state.turn()
    assert isinstance(turn, Cards)
    tops = [sum(sizes[:i]) for i in range(seats)]
    order = [(dealer + 1 + i) % seats for i in range(seats)]
    assert turn.requests == tuple(
        Show(tuple(range(top, top + size)), seat)
        for top, size, seat in zip(tops, sizes, order, strict=True)
    )
    state = state.apply(Seen())
    first = dealer if seats == 3 else order[0]
    assert state.turn() == Decide(first)
    assert state.players == tuple(order)


@pytest.mark.rule("TRA-02")
def test_the_right_of_the_dealer_leads_and_the_deal_passes_right() -> None:
    desk = four()
    assert desk.to_move == 0
    assert desk.state.dealer == 3
    play_on(desk, 1)
    assert (desk.state.hand, desk.state.dealer, desk.state.players) == (2, 0, (1, 2, 3, 0))


@pytest.mark.rule("TRA-33")
@pytest.mark.parametrize(
    ("seats", "draw", "dealer"),
    [
        (4, "4c 5c 6c 7c", 0),
        (4, "Ac 2c 3c Rc", 3),
        (4, "3c 2c Ac Rc", 3),
        (4, "Fc 7c Rc Cc", 1),
        (4, "4c 5c 4d 6c 3c 7c", 2),
        (3, "4c 4d 4s Rc Rd Rs Ac 2c 7c", 2),
        (3, "4c 4d 4s Rc 5d 5s Ac 2c", 1),
        (2, "3c 3d 2c 2d Ac Ad Rc Cd", 1),
        (5, "4c 4d 4s 4b 5c 7s 7d 7b 6d", 3),
    ],
)
def test_the_lowest_card_deals_and_ties_draw_on(seats: int, draw: str, dealer: int) -> None:
    state = sit_down("traversone", seats, draw).state
    assert state.dealer == dealer


@pytest.mark.rule("TRA-33")
def test_a_deck_that_decides_nothing_is_followed_by_another() -> None:
    state = GAME.start(options_of("traversone"), 2)
    pairs = [rank + suit for rank in "A234567FCR" for suit in "cdsb"]
    again = state.apply(Drawn(tuple(filled(state, " ".join(pairs)))))
    assert isinstance(again.turn(), Cards)
    assert again.turn() == state.turn()
    assert again.public() != state.public()
    assert again.apply(Drawn(tuple(filled(state, "4c 3c")))).dealer == 0


@pytest.mark.rule("TRA-33")
def test_whoever_leaves_before_the_draw_does_not_draw() -> None:
    state = GAME.start(options_of("traversone"), 4).apply(Leave((0,)))
    assert state.apply(Drawn(tuple(filled(state, "3c 4c 2c")))).dealer == 2


def test_the_table_has_two_to_five_seats() -> None:
    for seats in (0, 1, 6, True):
        with pytest.raises(OptionError):
            GAME.start(options_of("traversone"), seats)


# ---------------------------------------------------------------------------------------------
# Tricks


@pytest.mark.rule("TRA-03")
def test_the_highest_of_the_led_suit_takes_and_leads() -> None:
    desk = four().say("6d 4d Rd 3b")
    assert desk.said("takes") == [(2, (2,))]
    assert desk.pile("won", 2) == "6d 4d Rd 3b"
    assert desk.to_move == 2
    assert desk.pile("trick") == ""


@pytest.mark.rule("TRA-03")
def test_whoever_can_must_follow() -> None:
    desk = four().say("6d")
    assert desk.may() == "Ad 4d 5d Cd"
    for text in ("7c", "3c", "4s"):
        move = GAME.parse(desk.state, text)
        with pytest.raises(IllegalMove) as caught:
            desk.state.apply(move)
        assert caught.value.rule == "TRA-03"
    desk.say("Cd 2d")
    assert desk.may() == " ".join(FOUR[3].split())


@pytest.mark.rule("TRA-03")
def test_what_one_sees_is_illegal_though_the_table_cannot_tell() -> None:
    desk = four(live=True).say("6d")
    assert len(desk.state.legal()) == 10
    assert desk.may() == "Ad 4d 5d Cd"
    view = desk.seen(1)
    revoke = GAME.parse(view, "3c")
    with pytest.raises(IllegalMove):
        view.apply(revoke)
    assert desk.state.apply(revoke).turn() == Cards((Open((11,)),))


@pytest.mark.rule("TRA-03")
def test_a_card_of_another_hand_or_played_already_is_no_move() -> None:
    desk = four().say("6d 4d")
    for slot in (10, 0, 3, 13, 39):
        with pytest.raises(IllegalMove) as caught:
            desk.state.apply(Play(slot))
        assert caught.value.rule == "TRA-03"
    with pytest.raises(NotationError, match="not in the hand"):
        GAME.parse(desk.state, "6d")
    with pytest.raises(IllegalMove):
        desk.state.apply(Aside(20))


# ---------------------------------------------------------------------------------------------
# Promises


@pytest.mark.rule("TRA-04")
def test_not_to_follow_is_a_promise_about_the_hand() -> None:
    desk = four(live=True).say("6d 4d Rd")
    assert promised(desk) == []
    desk.say("3b")
    (promise,) = promised(desk)
    assert (promise.seat, promise.rule, promise.move) == (3, "TRA-04", 3)
    assert promise.slots == (30, 31, 32, 33, *range(35, 40))
    desk.say("3d 2b 7d 5d")
    assert promised(desk) == [promise], "the same again promises nothing new"
    desk.say("As 4b 2s 4s")
    assert [p.move for p in promised(desk)] == [3, 9]


@pytest.mark.rule("TRA-04")
def test_kept_promises_are_gone_after_the_last_trick() -> None:
    for live in (False, True):
        desk = play_on(four(live=live), 1)
        assert desk.state.hand == 2
        assert not promised(desk)
        assert not refuted(desk)
        assert sum(desk.state.scores()) == 11


@pytest.mark.rule("TRA-04", "GEN-01")
def test_a_refuted_promise_ends_the_hand_and_names_its_player() -> None:
    desk = four(live=True).say("4c")
    desk.say("Ad", cheating=True)
    (promise,) = promised(desk)
    desk.say("6c Rc Cc 5c")
    view = desk.seen(1)
    desk.give(GAME.parse(view, "7c"))
    turn = desk.state.turn()
    assert turn == Cards((Open((10,)),))
    desk.give(Seen((desk.deck[10],)))
    assert desk.state.turn() == Cards((Reveal(),))
    (breach,) = refuted(desk)
    assert breach.promise == promise
    assert promise.move == 1
    assert breach.text == "seat 1 didn't follow coppe and held 7c"
    desk.give(Revealed(desk.deck))
    assert desk.said("broken-promise") == [(1, ()), (1, ())]
    assert refuted(desk) == [breach]
    assert desk.state.scores() == (0, 0, 0, 0)
    assert (desk.state.hand, desk.state.dealer) == (2, 3)
    assert desk.state.players == (0, 2, 3)
    after = desk.state.apply(Shuffled(None))
    assert after.breaches == ()


@pytest.mark.rule("TRA-04", "GEN-01")
def test_a_revoke_that_comes_out_with_the_very_last_card_counts() -> None:
    """Seat 2 keeps its coppe to the end, when the hand is counted already."""
    desk = sit_down("traversone", 4, DRAWS[4], live=True).deal(
        "4d 5d 6d 7d Fd Cd Rd Ad 2d 3b",
        "4s 5s 6s 7s Fs Cs Rs As 2s 3s",
        "4b 5b 6b 7b Fb Cb Rb Ab 2b 4c",
        "5c 6c 7c Fc Cc Rc Ac 2c 3c 3d",
    )
    desk.say("Ad 4s 4b 3d")
    for trick in (
        "5c 4d 5s 5b", "6c 5d 6s 6b", "7c 6d 7s 7b", "Fc 7d Fs Fb", "Cc Fd Cs Cb", "Rc Cd Rs Rb",
        "Ac Rd As Ab", "2c 2d 2s 2b",
    ):  # fmt: skip
        desk.say(trick, cheating=True)
    assert not refuted(desk)
    desk.say("3c 3b 3s")
    desk.give(GAME.parse(desk.seen(2), "4c"))
    desk.give(Seen((desk.deck[29],)))
    assert [b.promise.seat for b in refuted(desk)] == [2]
    assert desk.state.turn() == Cards((Reveal(),))
    desk.settle()
    assert desk.state.scores() == (0, 0, 0, 0)
    assert 2 not in desk.state.players


@pytest.mark.rule("TRA-04", "GEN-01")
def test_the_reveal_settles_what_a_hand_that_ended_left_hidden() -> None:
    """Seats 1 and 2 revoke; the card of seat 1 ends the hand before that of seat 2 comes out."""
    desk = four(live=True).say("4c")
    desk.say("Ad Ab", cheating=True)
    desk.say("Rc Cc 5c")
    desk.say("7c", cheating=True)
    assert [b.promise.seat for b in refuted(desk)] == [1, 2]
    assert desk.state.players == (0, 3)
    assert (desk.state.hand, desk.state.dealer) == (2, 3)


@pytest.mark.rule("TRA-04", "GEN-01")
def test_of_two_the_other_wins() -> None:
    desk = two(live=True).say("4c")
    desk.say("2s", cheating=True)
    assert desk.to_move == 0
    desk.say("5c")
    desk.give(GAME.parse(desk.seen(1), "Ac"))
    desk.give(Seen((desk.deck[10],)))
    desk.settle()
    assert desk.result.winners == (0,)
    assert desk.result.scores == (0, 0)
    assert desk.state.faces == desk.deck


@pytest.mark.rule("TRA-04", "TRA-30")
def test_cards_that_lie_open_need_no_promise() -> None:
    """Seat 1 drew the fante of coppe and the cavallo of spade in the open."""
    desk = two(live=True).say("4c Ac As 3s 5c")
    assert desk.to_move == 1
    texts = [GAME.format(desk.seen(1), move) for move in desk.state.legal()]
    assert texts == ["2c", "3c", "Rc", "Ad", "2d", "3d", "Rd", "2s", "Fc"]
    with pytest.raises(IllegalMove) as caught:
        desk.state.apply(GAME.parse(desk.seen(1), "Cs"))
    assert caught.value.rule == "TRA-03"
    hidden = desk.state.apply(GAME.parse(desk.seen(1), "2s"))
    with pytest.raises(IllegalMove) as caught:
        hidden.apply(Seen((desk.deck[19],)))
    assert caught.value.rule == "TRA-03"
    assert desk.may() == "2c 3c Rc Fc"


# ---------------------------------------------------------------------------------------------
# Two, three


@pytest.mark.rule("TRA-30")
def test_two_draw_in_the_open_the_winner_first() -> None:
    desk = two(live=True)
    assert desk.pile("stock").split()[:4] == TWO[2].split()
    desk.give(GAME.parse(desk.seen(0), "4c"))
    desk.give(Seen((desk.deck[0],)))
    desk.give(GAME.parse(desk.seen(1), "Ac"))
    desk.give(Seen((desk.deck[10],)))
    assert desk.state.turn() == Cards((Open((20,)), Open((21,))))
    desk.settle()
    assert desk.pile("hand", 1).endswith("Fc"), "who took the trick draws first"
    assert desk.pile("hand", 0).endswith("Cd")
    assert desk.state.faces[20] != UNKNOWN
    assert desk.state.faces[21] != UNKNOWN
    assert desk.to_move == 1
    assert len(desk.pile("stock").split()) == 18


@pytest.mark.rule("TRA-30", "TRA-34")
def test_two_follow_while_the_stock_lasts_and_play_twenty_tricks() -> None:
    desk = two().say("4d")
    assert desk.may() == "Ad 2d 3d Rd"
    play_on(desk, 1)
    assert len(desk.said("takes")) == 20
    assert sum(desk.state.scores()) == 11
    assert desk.state.faces == b"", "no card of the last deal is left"


@pytest.mark.rule("TRA-30")
def test_a_drawn_card_is_played_without_opening_it_again() -> None:
    desk = two(live=True).say("4c Ac")
    view = desk.seen(1)
    after = desk.state.apply(GAME.parse(view, "Fc"))
    assert after.turn() == Decide(0)


@pytest.mark.rule("TRA-31", "TRA-34")
def test_the_dealer_of_three_puts_any_card_aside_face_down() -> None:
    desk = three(live=True)
    assert desk.to_move == 2
    assert len(desk.state.legal()) == 14
    assert desk.may().startswith("aside ")
    with pytest.raises(IllegalMove) as caught:
        desk.state.apply(Play(30))
    assert caught.value.rule == "TRA-31"
    with pytest.raises(IllegalMove) as caught:
        desk.state.apply(Aside(3))
    assert caught.value.rule == "TRA-31"
    desk.say("aside 3b")
    assert desk.to_move == 0
    slot = desk.deck.index(GAME.kind.parse("3b"))
    assert desk.state.faces[slot] == UNKNOWN
    assert not desk.state.opened >> slot & 1
    assert desk.pile("aside") == "3b"
    again = GAME.parse(desk.seen(0), "aside 4c")
    with pytest.raises(IllegalMove):
        desk.state.apply(again)
    assert desk.seen(0).faces[slot] == UNKNOWN
    assert desk.seen(2).faces[slot] != UNKNOWN


@pytest.mark.rule("TRA-31", "TRA-34")
def test_the_card_aside_is_shown_at_the_count_and_goes_with_the_last_trick() -> None:
    desk = three(live=True).say("aside 3b")
    slot = desk.deck.index(GAME.kind.parse("3b"))
    while not (isinstance(desk.state.turn(), Cards)):
        view = desk.seen(desk.to_move)
        desk.give(view.legal()[0])
        while isinstance(turn := desk.state.turn(), Cards) and turn != Cards((Open((slot,)),)):
            slots = [s for r in turn.requests if isinstance(r, Open) for s in r.slots]
            desk.give(Seen(tuple(desk.deck[s] for s in slots)))
    assert desk.state.turn() == Cards((Open((slot,)),))
    assert own(desk.state).left == 0
    assert not desk.state.opened >> slot & 1
    last = own(desk.state).players[own(desk.state).taker]
    desk.give(Seen((desk.deck[slot],)))
    assert desk.state.turn() == Cards((Reveal(),))
    assert "3b" in desk.pile("won", last).split()
    thirds = {seat: values[1] for seat, values in desk.said("counts")}
    assert sum(thirds.values()) == 32
    assert desk.said("last-trick") == [(last, ())]
    desk.settle()
    assert sum(desk.state.scores()) in (11, 22)


@pytest.mark.rule("TRA-31")
def test_a_card_aside_is_no_card_of_the_hand_any_more() -> None:
    """The dealer has one coppe and puts it aside: not to follow is right then."""
    desk = sit_down("traversone", 3, DRAWS[3], live=True).deal(
        "4c 5c 6c 7c Fc Cc Rc Ac 2c 4d 5d 6d 7d",
        "Fd Cd Rd Ad 2d 3d 4s 5s 6s 7s Fs Cs Rs",
        "3c As 2s 3s",
    )
    desk.say("aside 3c 4c Fd As")
    play_on(desk, 1)
    assert desk.state.hand == 2
    assert refuted(desk) == []
