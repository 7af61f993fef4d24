"""The order of a hand of Mambassa: who acts, what is opened, who sees what, when it ends."""

from __future__ import annotations

import pytest

from engine.cards import ITALIAN
from engine.contract import (
    Answers,
    Cards,
    Decide,
    Draw,
    Drawn,
    Leave,
    Open,
    Reveal,
    Revealed,
    Show,
    Shuffle,
    Shuffled,
    mask_of,
)
from engine.errors import IllegalMove, NotationError
from engine.games.mambassa import FRENCH40, GAME, Exchange
from engine.games.mambassa_moves import (
    BOTTOMS,
    CAMICIA,
    DISCARD,
    EXCHANGES,
    KNOCK,
    NONE,
    STAY,
)
from tests.engine.mambassa_desk import (
    begin,
    cards,
    make_options,
    pile,
    table,
    with_tokens,
)

OPEN_AND_LIVE = pytest.mark.parametrize("live", [False, True], ids=["open", "live"])


# ---------------------------------------------------------------------------------------------
# Before the deal


@pytest.mark.rule("MAM-02")
def test_one_of_the_tokens_lies_in_the_pot_at_the_start() -> None:
    state = GAME.start(make_options("tokens=5", "stake=3"), 4)
    assert state.scores() == (4,) * 4
    assert state.standing().paid == (3,) * 4
    assert state.match.pot == 12
    assert GAME.start(make_options(), 2).scores() == (3, 3)


@pytest.mark.rule("MAM-03")
@pytest.mark.parametrize(
    ("drawn", "dealer"),
    [
        ("2c 7d Ab", 2),
        ("Rd Fs Cb", 0),
        ("7d Fb 6d", 1),
        ("Fd Cb 7d", 1),
        ("2b 2c 2s", 2),
        ("2b 2c 2d", 2),
        ("Ab Ac 2d", 1),
        ("Ad Rd As", 0),
    ],
)
def test_the_highest_card_deals_first(drawn: str, dealer: int) -> None:
    state = GAME.start(make_options(), 3)
    assert state.turn() == Cards((Draw(state.deck),))
    top = ITALIAN.split(drawn)
    rest = tuple(face for face in range(40) if face not in top)
    after = state.apply(Drawn(top + rest))
    assert after.dealer == dealer
    assert after.apply(Shuffled()).players[-1] == dealer
    assert state.apply(Drawn(top + rest[::-1])).dealer == dealer


@pytest.mark.rule("MAM-03", "MAM-22")
def test_french_suits_decide_the_draw_in_their_order() -> None:
    state = GAME.start(make_options("deck=french40"), 4)
    top = FRENCH40.split("Ks Kc Kd Kh")
    rest = tuple(face for face in range(40) if face not in top)
    assert state.apply(Drawn(top + rest)).dealer == 3


@pytest.mark.rule("CARD-06", "MAM-04", "MAM-05", "MAM-06")
def test_packets_of_four_then_the_monte_then_the_stock_and_nobody_cuts() -> None:
    state = begin(4, 2)
    assert state.turn() == Cards((Shuffle(state.deck, 0),))
    state = state.apply(Shuffled())
    assert state.players == (3, 0, 1, 2)
    assert [pile(state, "hand", s) for s in (3, 0, 1, 2)] == [
        tuple(range(n, n + 4)) for n in (0, 4, 8, 12)
    ]
    assert pile(state, "monte") == (16, 17, 18, 19)
    assert pile(state, "stock") == tuple(range(20, 40))
    shows = [Show(tuple(range(n, n + 4)), s) for n, s in ((0, 3), (4, 0), (8, 1), (16, 2))]
    assert state.turn() == Cards(tuple(shows))


@pytest.mark.rule("MAM-01", "MAM-12")
@pytest.mark.parametrize("seats", range(2, 9))
def test_the_stock_has_what_the_hands_and_the_monte_leave(seats: int) -> None:
    state = begin(seats, 0).apply(Shuffled())
    assert len(pile(state, "stock")) == 36 - 4 * seats >= 4


@pytest.mark.rule("MAM-33")
def test_the_dead_get_no_cards() -> None:
    state = with_tokens(begin(5, 2), [3, 0, 3, 0, 3]).apply(Shuffled())
    assert state.players == (4, 0, 2)


# ---------------------------------------------------------------------------------------------
# The dealer's choice


@OPEN_AND_LIVE
@pytest.mark.rule("MAM-04")
def test_the_dealer_sees_the_next_four_and_not_the_hand(live: bool) -> None:
    desk = table(live)
    state = desk.state
    assert state.turn() == Decide(0)
    assert list(state.legal()) == [STAY, CAMICIA]
    own, monte = mask_of(state.hand_of(0)), mask_of(state.monte)
    assert state.visible(0) == monte
    assert state.opened == 0
    assert not any(state.visible(seat) & own for seat in range(3))
    assert [state.visible(s) for s in (1, 2)] == [mask_of(state.hand_of(s)) for s in (1, 2)]
    for wrong in (KNOCK, NONE, DISCARD):
        with pytest.raises(IllegalMove) as caught:
            state.apply(wrong)
        assert caught.value.rule == "MAM-04"


@OPEN_AND_LIVE
@pytest.mark.rule("MAM-04")
def test_stay_turns_the_monte_up_and_shows_the_dealer_the_hand(live: bool) -> None:
    desk = table(live)
    hand, monte = desk.state.hand_of(0), desk.state.monte
    after = desk.state.apply(STAY)
    if live:
        assert after.turn() == Cards((Open(monte), Show(hand, 0)))
    desk.say("stay")
    state = desk.state
    assert state.opened == mask_of(monte)
    assert state.visible(0) == mask_of(monte) | mask_of(hand)
    assert state.left == -1
    assert cards(desk, 0) == "2c 3d 4s 5b"


@OPEN_AND_LIVE
@pytest.mark.rule("MAM-04", "MAM-06")
def test_the_dealers_swap_is_a_bussata(live: bool) -> None:
    desk = table(live)
    blind, kept = desk.state.hand_of(0), desk.state.monte
    after = desk.state.apply(CAMICIA)
    if live:
        assert after.turn() == Cards((Open(blind),))
    desk.say("camicia")
    state = desk.state
    assert (state.monte, state.hand_of(0)) == (blind, kept)
    assert state.opened == mask_of(blind)
    assert not any(state.visible(seat) & mask_of(kept) for seat in (1, 2))
    assert desk.said("dies-with") == [(2, ())]
    desk.say("3c>2c", "none")
    assert desk.to_move == 2
    desk.say("knock")
    assert desk.state.hand == 2  # the dealer had no turn


# ---------------------------------------------------------------------------------------------
# Turns


@OPEN_AND_LIVE
@pytest.mark.rule("MAM-06", "MAM-10", "MAM-11")
def test_a_turn_is_an_exchange_a_discard_both_or_a_knock(live: bool) -> None:
    desk = table(live).say("stay")
    desk.give(Answers(tuple((s, NONE) for s in range(3))))
    state = desk.state
    assert state.turn() == Decide(1)
    assert list(state.legal()) == [KNOCK, DISCARD, *EXCHANGES, CAMICIA]
    counts = {(n, d): 0 for n in (1, 2, 3) for d in (False, True)}
    for move in EXCHANGES:
        counts[len(move.give), move.discard] += 1
    assert counts == {(n, d): k for n, k in ((1, 16), (2, 36), (3, 16)) for d in (False, True)}
    for wrong in (STAY, NONE, BOTTOMS[0]):
        with pytest.raises(IllegalMove) as caught:
            state.apply(wrong)
        assert caught.value.rule == "MAM-10"


@OPEN_AND_LIVE
@pytest.mark.rule("MAM-10")
def test_what_is_given_lies_open_and_what_is_taken_lay_open(live: bool) -> None:
    desk = table(live).say("stay")
    hand, monte = desk.state.hand_of(1), desk.state.monte
    desk.say("3c,5s>7c,3b")
    state = desk.state
    assert state.hand_of(1) == (monte[0], hand[1], monte[2], hand[3])
    assert state.monte == (hand[0], monte[1], hand[2], monte[3])
    assert state.opened == mask_of((*state.monte, monte[0], monte[2]))
    assert cards(desk, 1) == "7c 4d 3b 7b"


@OPEN_AND_LIVE
@pytest.mark.rule("MAM-11", "MAM-06")
@pytest.mark.parametrize("first", ["knock", "camicia"])
def test_after_a_bussata_everybody_else_has_one_turn_with_both_steps(
    live: bool, first: str
) -> None:
    desk = table(live).say("stay", first)
    if first == "camicia":
        desk.say("none")
    assert desk.said("dies-with") == [(0, ())]
    assert desk.to_move == 2
    taken = "7c" if first == "knock" else "3c"
    desk.say(f"4c>{taken} discard", "none", f"bottom {taken}", "none")
    assert desk.to_move == 0
    assert desk.state.hand == 1
    desk.say("knock")
    assert desk.state.hand == 2
    assert desk.said("dies-with") == [(0, ())]


@OPEN_AND_LIVE
@pytest.mark.rule("MAM-11")
@pytest.mark.parametrize("turn", [["discard", "bottom 3c", "none"], ["3c>7c", "none"]])
def test_one_step_alone_is_no_bussata(live: bool, turn: list[str]) -> None:
    desk = table(live).say("stay", *turn)
    assert desk.state.left == -1
    assert desk.said("knocks") == desk.said("dies-with") == []
    assert desk.to_move == 2


@OPEN_AND_LIVE
@pytest.mark.rule("MAM-06")
def test_the_hand_ends_after_max_rounds(live: bool) -> None:
    desk = table(live, given=["max_rounds=1"]).say("stay", "3c>7c", "none", "4c>3c", "none")
    assert desk.state.hand == 1
    desk.say("discard", "bottom 2c", "none")
    assert desk.state.hand == 2
    knocked = table(live, given=["max_rounds=1"])
    knocked.say("stay", "3c>7c", "none", "4c>3c", "none", "knock")
    assert knocked.state.hand == 1
    assert knocked.to_move == 1


@pytest.mark.rule("MAM-10")
def test_all_four_leave_no_discard() -> None:
    with pytest.raises(NotationError, match="camicia"):
        table(False).say("stay", "3c,4d,5s,7b>7c,6d,Fs,3b discard")
    with pytest.raises(NotationError):
        Exchange((0, 1, 2, 3), (0, 1, 2, 3), True)


# ---------------------------------------------------------------------------------------------
# The end of a hand


@pytest.mark.rule("GEN-03", "MAM-30")
def test_all_hands_are_shown_then_the_deck_is_revealed() -> None:
    desk = table(True).say("stay", "discard", "bottom 3c", "none", "knock", "knock")
    desk.give(KNOCK)
    state = desk.state
    hidden = tuple(s for hand in state.held for s in hand if not state.opened >> s & 1)
    assert state.turn() == Cards((Open(hidden),))
    desk.deal(stop=Reveal)
    assert desk.state.turn() == Cards((Reveal(),))
    assert desk.state.showdown()
    assert len(desk.said("pays")) == 1
    before = desk.state
    after = before.apply(Revealed(desk.deck, tuple(desk.reseals)))
    assert after.hand == 2
    assert (after.promises, after.breaches) == ((), ())


def test_a_reveal_that_contradicts_the_open_cards_is_no_players_fault() -> None:
    desk = table(True).say("stay", "discard", "bottom 3c", "none", "knock", "knock")
    desk.give(KNOCK)
    desk.deal(stop=Reveal)
    wrong = bytes(desk.deck[1:] + desk.deck[:1])
    with pytest.raises(ValueError, match="revealed otherwise"):
        desk.state.apply(Revealed(wrong, tuple(desk.reseals)))
    with pytest.raises(ValueError, match="revealed otherwise"):
        desk.state.apply(Revealed(desk.deck, (((0, 1, 2, 3), (2, 3, 0, 1)),)))
    with pytest.raises(ValueError, match="1 reseals were made"):
        desk.state.apply(Revealed(desk.deck, (*desk.reseals, *desk.reseals)))


@pytest.mark.rule("GEN-02", "MAM-06")
def test_leaving_is_death_and_its_tokens_go_into_the_pot() -> None:
    desk = table(True).say("stay", "knock").leave(2)
    state = desk.state
    assert (state.scores(), state.match.pot) == ((3, 3, 0), 6)
    assert state.turn() == Cards((Shuffle(state.deck),))
    assert (state.dealer, state.hand, state.players) == (0, 2, (1, 0))
    assert desk.said("knocks") == [(1, ())]  # of the one who knocked, not of the one who left
    again = table(True).say("stay").leave(0)
    assert (again.state.dealer, again.state.players) == (1, (2, 1))
    assert table(True).leave(0, 1).result.winners == (2,)


@pytest.mark.rule("GEN-01", "GEN-02")
def test_leaving_when_only_the_reveal_is_due() -> None:
    """It doesn't undo a loss; but what a missing seed leaves unaudited doesn't count."""
    plain = table(True).say("stay", "knock", "knock")
    plain.give(KNOCK)
    plain.deal(stop=Reveal)
    assert plain.state.promises == ()
    assert plain.said("pays") == [(0, (2,))]
    left = plain.state.apply(Leave((2,)))
    assert left.scores() == (2, 3, 0)
    assert left.dealer == 1
    alone = plain.state.apply(Leave((0,)))
    assert (alone.scores(), alone.dealer) == ((0, 3, 3), 1)
    resealed = table(True).say("stay", "discard", "bottom 3c", "none", "knock", "knock")
    resealed.give(KNOCK)
    resealed.deal(stop=Reveal)
    assert resealed.state.promises
    after = resealed.state.apply(Leave((2,)))
    assert after.scores() == (3, 3, 0)
    assert after.dealer == 0
    assert "void" in {note.kind for note in after.notes}
