"""Statements, the face-down discard and who may know what of it (MAM-10 to MAM-14, MAM-32)."""

from __future__ import annotations

from random import Random

import pytest

from engine.cards import ITALIAN, UNKNOWN
from engine.contract import (
    Answers,
    Ask,
    Cards,
    Decide,
    Move,
    Open,
    Promise,
    Reseal,
    Reveal,
    Show,
    mask_of,
)
from engine.errors import IllegalMove, OutOfTurn
from engine.games.mambassa import MambassaState, Phase
from engine.games.mambassa_moves import (
    BOTTOMS,
    CAMICIA,
    DECLARE,
    DISCARD,
    KNOCK,
    NONE,
    STAY,
    Bottom,
)
from tests.engine.mambassa_desk import (
    MONTE,
    POOR,
    Desk,
    begin,
    cards,
    pile,
    seat_down,
    table,
)

OPEN_AND_LIVE = pytest.mark.parametrize("live", [False, True], ids=["open", "live"])


# ---------------------------------------------------------------------------------------------
# Statements


@OPEN_AND_LIVE
@pytest.mark.rule("MAM-32")
def test_all_are_asked_after_the_dealers_choice(live: bool) -> None:
    for choice in (STAY, CAMICIA):
        desk = table(live)
        desk.give(choice)
        desk.deal()
        state = desk.state
        assert state.turn() == Ask((0, 1, 2))
        for seat in range(3):
            assert list(state.legal(seat)) == ([DECLARE, NONE] if live else [NONE])
            assert list(desk.seen(seat).legal(seat)) == [NONE]
            assert list(desk.seen(seat).legal((seat + 1) % 3)) == [DECLARE, NONE]
        assert state.legal(7) == ()


@OPEN_AND_LIVE
@pytest.mark.rule("MAM-31", "MAM-32")
def test_only_the_truth_is_legal_for_who_sees_the_hand(live: bool) -> None:
    hands = {1: "Ac Ad As Ab", 0: "Rs Cs Fd 2b", 2: "Rc Cc Fc 7d"}
    desk = seat_down(hands, live=live)
    desk.give(STAY)
    desk.deal()
    for seat, true, false in ((0, NONE, DECLARE), (1, DECLARE, NONE), (2, NONE, DECLARE)):
        view = desk.seen(seat)
        assert list(view.legal(seat)) == [true]
        with pytest.raises(IllegalMove) as caught:
            view.apply(Answers(tuple((s, false if s == seat else NONE) for s in range(3))))
        assert caught.value.rule == "MAM-32"


@OPEN_AND_LIVE
@pytest.mark.rule("MAM-32")
def test_whoever_exchanged_or_drew_states_it(live: bool) -> None:
    for move, more in (("3c>7c", []), ("camicia", []), ("discard", ["bottom 3c"])):
        one = table(live).say("stay", move, *more)
        assert one.state.phase is Phase.STATEMENT
        assert one.state.turn() == Decide(1)
        assert list(one.seen(1).legal()) == [NONE]
        hidden = live and move != "camicia"  # all four lay open
        assert list(one.state.legal()) == ([DECLARE, NONE] if hidden else [NONE])
        assert any(p.move == one.state.made for p in one.state.apply(NONE).promises) == (
            move != "camicia"
        )
        with pytest.raises(IllegalMove) as caught:
            one.seen(1).apply(DECLARE)
        assert caught.value.rule == "MAM-32"
        with pytest.raises(IllegalMove) as caught:
            one.state.apply(KNOCK)
        assert caught.value.rule == "MAM-32"
        assert one.say("none").to_move == 2
    assert table(live).say("stay", "knock").to_move == 2  # nothing new to say


@OPEN_AND_LIVE
@pytest.mark.rule("MAM-31", "MAM-32")
def test_a_quarantuna_made_by_the_exchange_is_declared_before_any_discard(live: bool) -> None:
    hands = {**POOR, 1: "Ac Rc Cc 7d"}
    desk = seat_down(hands, "Fc 6d 3b Fs", live=live).say("stay", "7d>Fc discard")
    assert list(desk.seen(1).legal()) == [DECLARE]
    desk.say("declare")
    assert desk.said("quarantuna") == [(1, ())]
    assert not desk.reseals


@pytest.mark.rule("MAM-32")
def test_declare_opens_the_hands_and_ends_the_deal() -> None:
    desk = seat_down({1: "Ac Ad As Ab"}, MONTE, live=True)
    desk.give(STAY)
    desk.deal()
    desk.give(Answers(((0, NONE), (1, DECLARE), (2, NONE))))
    state = desk.state
    hidden = tuple(slot for hand in state.held for slot in hand)
    assert state.turn() == Cards((Open(hidden),))
    desk.deal(stop=Reveal)
    assert all(desk.state.opened >> slot & 1 for slot in state.hand_of(1))
    assert desk.state.turn() == Cards((Reveal(),))


@pytest.mark.rule("GEN-01", "MAM-32")
def test_a_false_declaration_is_a_broken_promise() -> None:
    desk = table(True)
    desk.give(STAY)
    desk.deal()
    desk.give(Answers(((0, NONE), (1, DECLARE), (2, NONE))))
    assert Promise(1, "MAM-32", (0, 1, 2, 3), 1) in desk.state.promises
    desk.deal()
    (breach,) = desk.state.breaches
    assert (breach.promise.seat, breach.promise.rule, breach.promise.move) == (1, "MAM-32", 1)
    assert breach.text == "seat 1 declared 3c 4d 5s 7b"
    assert desk.state.scores() == (3, 0, 3)
    assert desk.state.match.pot == 6
    assert desk.said("void") == [(-1, ())]
    assert desk.said("pays") == []
    assert desk.state.dealer == 0


@pytest.mark.rule("GEN-01", "MAM-32")
@pytest.mark.parametrize("discards", [0, 1, 2])
def test_a_silent_quarantuna_is_found_by_the_audit(discards: int) -> None:
    """With the hands where nothing was resealed since, else with how the reseals moved cards."""
    hands = {**POOR, 1: "Ac Rc Cc Fc"}
    desk = seat_down(hands, MONTE, "Rd Rs 2d 2s", live=True)
    desk.give(STAY)
    desk.deal()
    desk.give(Answers(((0, NONE), (1, NONE), (2, NONE))))
    for _ in range(discards):
        if desk.to_move != 1:
            desk.say("discard", "bottom 2b" if desk.to_move == 2 else "bottom 2c", "none")
            continue
        desk.say("discard", "bottom Ac", "none")
    while desk.state.left != 0 and desk.state.phase is Phase.PLAY:
        desk.give(KNOCK)
    desk.deal(stop=Reveal)
    assert bool(desk.state.breaches) == (discards == 0)
    assert bool(desk.state.promises) == (discards > 0)
    desk.deal()
    (breach,) = desk.state.breaches
    assert (breach.promise.seat, breach.promise.move) == (1, 1)
    assert breach.text == "seat 1 stated none with Ac Rc Cc Fc"
    assert desk.state.scores() == (3, 0, 3)
    assert desk.said("broken-promise") == [(1, ())]


@pytest.mark.rule("GEN-01", "MAM-32")
def test_the_audit_looks_at_the_cards_as_they_lay_at_the_statement() -> None:
    """Drawn to a quarantuna, kept silent, and broken up by another discard before the end."""
    hands = {**POOR, 1: "Ac Rc Cc 2d"}
    desk = seat_down(hands, MONTE, "Fc 7s", live=True).say("stay", "discard", "bottom 2d")
    assert list(desk.seen(1).legal()) == [DECLARE]
    made = desk.state.made
    desk.give(NONE)
    desk.say("knock", "knock", "discard", "bottom Ac", "none")
    (breach,) = desk.state.breaches
    assert (breach.promise.seat, breach.promise.move) == (1, made)
    assert sorted(breach.text.split()[-4:]) == ["Ac", "Cc", "Fc", "Rc"]
    assert desk.state.scores() == (3, 0, 3)


@pytest.mark.rule("GEN-01")
def test_between_two_the_other_wins_after_a_broken_promise() -> None:
    desk = seat_down({0: "2c 3d 4s 6b", 1: "3c 4d 5s 7b"}, MONTE, seats=2, live=True)
    desk.give(STAY)
    desk.deal()
    desk.give(Answers(((0, NONE), (1, DECLARE))))
    desk.deal()
    assert desk.result.winners == (0,)
    assert desk.result.reason == "last-alive"


# ---------------------------------------------------------------------------------------------
# The discard


@OPEN_AND_LIVE
@pytest.mark.rule("MAM-10", "MAM-12")
def test_the_discard_goes_to_the_bottom_and_the_top_is_drawn(live: bool) -> None:
    desk = table(live).say("stay")
    stock = pile(desk.state, "stock")
    desk.say("discard")
    hand = desk.state.hand_of(1)
    place = [desk.lies[slot] for slot in hand].index(ITALIAN.parse("5s"))
    desk.say("bottom 5s")
    state = desk.state
    assert state.stock == (*stock[1:], hand[place])
    assert len(state.stock) == 24
    assert state.hand_of(1) == (*hand[:place], stock[0], *hand[place + 1 :])
    assert cards(desk, 1) == "3c Rc 4d 7b"
    assert desk.said("discards") == [(1, ())]


@pytest.mark.rule("MAM-12")
def test_the_smallest_stock_gives_the_discard_back_after_four_draws() -> None:
    """Eight play: the bottom card comes up again, and the stock never runs out."""
    desk = seat_down({}, seats=8)
    desk.say("stay")
    first = ""
    for n in range(13):
        desk.deal()
        seat = desk.to_move if not isinstance(desk.state.turn(), Ask) else 1
        low = ITALIAN.text(min(desk.lies[slot] for slot in desk.state.hand_of(seat)))
        drawn = ITALIAN.text(desk.lies[desk.state.stock[0]])
        first = first or low
        desk.say("discard", f"bottom {low}")
        assert len(desk.state.stock) == 4
        assert (drawn == first) == (n == 4)
        if desk.seen(seat).legal() == (DECLARE,):
            return
        desk.say("none")


@pytest.mark.rule("MAM-14")
def test_the_hand_is_resealed_before_a_card_leaves_it() -> None:
    desk = table(True).say("stay", "3c>7c discard")
    hand = desk.state.hand_of(1)
    desk.give(NONE)
    assert desk.state.turn() == Cards((Reseal(hand, 1),))
    with pytest.raises(OutOfTurn):
        desk.state.apply(BOTTOMS[0])
    desk.deal()
    assert desk.state.turn() == Decide(1)
    assert list(desk.state.legal()) == list(BOTTOMS)
    for wrong in (KNOCK, NONE, DISCARD):
        with pytest.raises(IllegalMove) as caught:
            desk.state.apply(wrong)
        assert caught.value.rule == "MAM-12"
    desk.give(Bottom(2))
    kept = (hand[0], hand[1], hand[3])
    assert desk.state.turn() == Cards((Show(kept, 1), Show((16,), 1)))


@OPEN_AND_LIVE
@pytest.mark.rule("MAM-13", "MAM-14")
def test_after_a_reseal_only_the_owner_knows_the_hand(live: bool) -> None:
    """The card taken openly is forgotten by all the others, and so is what they had given."""
    desk = table(live).say("stay", "3c>7c", "none", "4c>6d discard")
    hand = desk.state.hand_of(2)
    before = mask_of(hand)
    open_before = desk.state.opened & before
    assert open_before
    desk.say("none")
    state = desk.state
    assert state.phase is Phase.BOTTOM
    assert state.visible(2) & before == before
    assert not (state.opened | state.visible(0) | state.visible(1)) & before
    for seat in (0, 1):
        assert [desk.seen(seat).faces[slot] for slot in hand] == [UNKNOWN] * 4
    assert cards(desk, 2) == "5d 6d 6s 2b"
    if live:
        assert [state.faces[slot] for slot in hand] == [UNKNOWN] * 4


@OPEN_AND_LIVE
@pytest.mark.rule("MAM-13")
def test_a_discard_is_known_to_its_player_and_to_whoever_draws_it(live: bool) -> None:
    desk = table(live).say("stay", "discard", "bottom 4d")
    slot = desk.state.stock[-1]
    face = desk.lies[slot]
    assert ITALIAN.text(face) == "4d"

    def who() -> list[int]:
        return [seat for seat in range(3) if desk.state.visible(seat) >> slot & 1]

    assert who() == [1]
    desk.say("none")
    drawn = 1
    while slot in desk.state.stock:  # seat 0 never discards, so that the one of 1 comes to 2
        seat = desk.to_move
        assert who() == [1]
        if seat == 0 and drawn < 24:
            given, taken = (
                min(desk.lies[s] for s in pile_)
                for pile_ in (desk.state.hand_of(0), desk.state.monte)
            )
            desk.say(f"{ITALIAN.text(given)}>{ITALIAN.text(taken)}", "none")
            continue
        hand = [desk.lies[s] for s in desk.state.hand_of(seat)]
        desk.say("discard", f"bottom {ITALIAN.text(hand[drawn % 4])}")
        if desk.seen(seat).legal() == (DECLARE,):
            pytest.fail("lay other cards")
        if slot in desk.state.stock:
            desk.say("none")
        drawn += 1
    assert seat != 1
    assert who() == sorted([1, seat])
    assert desk.seen(1).faces[slot] == desk.seen(seat).faces[slot] == face
    assert desk.state.faces[slot] == (UNKNOWN if live else face)
    other = 3 - seat - 1
    assert desk.seen(other).faces[slot] == UNKNOWN
    desk.say("none")
    while desk.to_move != seat:
        first = desk.lies[desk.state.hand_of(desk.to_move)[0]]
        desk.say("discard", f"bottom {ITALIAN.text(first)}", "none")
    desk.say("discard")
    assert slot in desk.state.hand_of(seat)
    assert who() == [seat]  # its drawer resealed it: now the first player has lost sight of it


@pytest.mark.rule("MAM-13", "MAM-14")
def test_two_deals_that_differ_in_unknown_cards_look_the_same_all_along() -> None:
    """A whole live hand with discards, by two decks between which a spectator can't tell."""
    rng = Random(4)
    desk = table(True)
    moves: list[Move | Answers] = []
    seen: list[tuple[object, ...]] = []

    def look(state: MambassaState) -> tuple[object, ...]:
        legal = [tuple(state.legal(seat)) for seat in range(3)]
        return state.public(), state.turn(), legal, state.piles(), state.promises, state.notes

    desk.give(STAY)
    desk.deal()
    moves += [STAY, Answers(tuple((s, NONE) for s in range(3)))]
    desk.give(moves[-1])
    for _ in range(60):
        desk.deal()
        legal = desk.seen(desk.to_move).legal()
        plain = [m for m in legal if m not in (KNOCK, CAMICIA)]
        move = rng.choice([m for m in plain if getattr(m, "discard", True)])
        moves.append(move)
        desk.give(move)
        seen.append(look(desk.state))
    desk.deal()
    state = desk.state
    public = {f for f in range(40) if any(f in dict(p[0][3]).values() for p in seen)}  # type: ignore[index]
    # Cards that never lay open may change places: those of the stock that were drawn and hidden.
    hidden = [slot for slot in range(40) if desk.deck[slot] not in public]
    assert len(hidden) > 8
    found = 0
    for _ in range(200):
        shuffled = hidden[:]
        rng.shuffle(shuffled)
        deck = bytearray(desk.deck)
        for a, b in zip(hidden, shuffled, strict=True):
            deck[a] = desk.deck[b]
        other = Desk(begin(3, 0), bytes(deck), True)
        other.deal()
        look_alike: list[tuple[object, ...]] = []
        try:
            for n, made in enumerate(moves):
                other.deal()
                turn = other.state.turn()
                if isinstance(turn, Decide):
                    other.seen(turn.seat).apply(made)
                other.give(made)
                if n > 1:
                    look_alike.append(look(other.state))
        except IllegalMove:
            continue  # a statement that would be a lie there
        other.deal()
        assert look_alike == seen
        assert other.state.public() == state.public()
        assert other.lies != desk.lies
        found += 1
        if found == 5:
            return
    pytest.fail("no other deal fits")
