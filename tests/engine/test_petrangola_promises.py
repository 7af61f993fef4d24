"""What a hand of Petrangola can't show at once: knocks that show, promises, and the audit."""

from __future__ import annotations

import pytest

from engine.cards import ITALIAN, UNKNOWN
from engine.contract import Cards, Open, Over, Reveal, Revealed, Seen
from engine.errors import IllegalMove, NotationError, OutOfTurn
from engine.games.petrangola_moves import KNOCK, KNOCK_SHOW
from tests.engine.petrangola_desk import Desk, seat_down
from tests.engine.petrangola_hands import MONTE, OPEN_AND_LIVE, POOR, TRIS

# ---------------------------------------------------------------------------------------------
# Knocks that show, and promises


@pytest.mark.rule("PET-24")
def test_only_the_right_form_of_a_knock_is_legal_for_who_sees_the_hand() -> None:
    for live in (False, True):
        desk = seat_down(TRIS, "Rc 2b 3b", preset="marche", live=live).say("stay")
        view = desk.seen(1) if live else desk.state.view(1)
        assert {KNOCK, KNOCK_SHOW} & set(view.legal()) == {KNOCK_SHOW}
        with pytest.raises(IllegalMove) as caught:
            view.apply(KNOCK)
        assert caught.value.rule == "PET-24"
        desk.say("7c>Rc")
        view = desk.seen(2) if live else desk.state.view(2)
        assert {KNOCK, KNOCK_SHOW} & set(view.legal()) == {KNOCK}
        with pytest.raises(IllegalMove) as caught:
            view.apply(KNOCK_SHOW)
        assert caught.value.rule == "PET-24"
        if live:
            assert {KNOCK, KNOCK_SHOW} <= set(desk.state.legal())


@pytest.mark.rule("PET-24")
def test_knock_show_opens_the_hand_and_must_be_a_petrangola() -> None:
    desk = seat_down(TRIS, "Rc 2b 3b", preset="marche", live=True).say("stay")
    asked = desk.state.apply(KNOCK_SHOW)
    assert asked.turn() == Cards((Open((0, 1, 2)),))
    with pytest.raises(IllegalMove) as caught:
        asked.apply(Seen(ITALIAN.split("7c 7d 6s")))
    assert caught.value.rule == "PET-24"
    desk.say("knock-show")
    assert desk.state.opened & 7 == 7
    assert desk.said("shows") == [(1, ())]
    assert desk.state.promises == ()
    assert desk.to_move == 2


@pytest.mark.rule("PET-24")
def test_a_hand_that_is_all_public_needs_no_promise() -> None:
    desk = seat_down(POOR, MONTE, preset="marche", live=True).say("camicia")
    assert {KNOCK, KNOCK_SHOW} & set(desk.state.legal()) == {KNOCK}
    desk.say("knock")
    assert desk.state.promises == ()
    with pytest.raises(IllegalMove):
        desk.state.apply(KNOCK_SHOW)


@pytest.mark.rule("PET-24")
def test_nothing_is_shown_without_the_option_nor_with_an_exchange_of_three() -> None:
    desk = seat_down(TRIS, "Rc Rd Rs", live=True).say("stay")
    assert KNOCK_SHOW not in desk.state.legal()
    with pytest.raises(IllegalMove) as caught:
        desk.state.apply(KNOCK_SHOW)
    assert caught.value.rule == "PET-24"
    assert desk.state.apply(KNOCK).promises == ()
    desk = seat_down(TRIS, "Rc Rd Rs", preset="marche", live=True).say("stay", "camicia")
    assert desk.said("shows") == []
    assert desk.state.promises == ()


@pytest.mark.rule("PET-24", "GEN-01")
def test_a_plain_knock_is_a_promise() -> None:
    desk = seat_down(POOR, MONTE, preset="marche", live=True).say("stay", "3c>7c", "knock")
    (promise,) = desk.state.promises
    assert (promise.seat, promise.rule, promise.slots, promise.move) == (2, "PET-24", (3, 4, 5), 3)
    desk.say("knock")
    assert [(p.seat, p.move) for p in desk.state.promises] == [(2, 3), (0, 4)]
    desk.say("knock")
    assert desk.state.promises == ()
    assert desk.state.breaches == ()
    assert desk.state.hand == 2
    assert sum(desk.state.scores()) == 8


def cheat(seats: int = 3, tokens: tuple[int, ...] = ()) -> Desk:
    """Seat 1 knocks with a tris and keeps it closed."""
    desk = seat_down(TRIS, "Rc 2b 3b", seats=seats, preset="marche", tokens=tokens, live=True)
    desk.say("stay")
    desk.give(KNOCK)
    return desk.say(*["knock"] * (seats - 1))


@pytest.mark.rule("GEN-01", "PET-24")
def test_a_broken_promise_voids_the_deal_and_its_author_is_out() -> None:
    desk = cheat(tokens=(1, 3, 3))
    (breach,) = desk.state.breaches
    assert (breach.promise.seat, breach.promise.move) == (1, 2)
    assert desk.state.scores() == (1, 0, 3)
    assert desk.state.dealer == 0
    assert desk.state.players == (2, 0)
    assert desk.state.hand == 2
    assert desk.said("broken-promise") == [(1, ())]
    assert desk.said("falls") == []
    assert desk.said("asked") == []
    desk.say("cut 3")
    assert desk.state.breaches == ()


@pytest.mark.rule("GEN-01")
def test_of_two_the_other_wins() -> None:
    result = cheat(2, tokens=(1, 3)).result
    assert (result.winners, result.scores, result.won) == ((0,), (1, 0), (6, 0))


# ---------------------------------------------------------------------------------------------
# The audit


@pytest.mark.rule("GEN-03", "GEN-01")
def test_the_result_shows_before_the_reveal_and_counts_after_it() -> None:
    desk = seat_down(POOR, MONTE, live=True).say("stay", "knock", "knock")
    state = desk.state.apply(KNOCK)
    slots = [s for r in state.turn().requests for s in r.slots]  # type: ignore[union-attr]
    state = state.apply(Seen(tuple(desk.deck[slot] for slot in slots)))
    assert state.turn() == Cards((Reveal(),))
    assert [shown.seat for shown in state.showdown() if shown.lost] == [0]
    assert [(s.seat, s.rank) for s in state.showdown()] == [(1, 2), (2, 1), (0, 3)]
    assert state.scores() == (3, 3, 3)
    assert state.faces.count(UNKNOWN) == 40 - 12
    assert state.apply(Revealed(desk.deck)).scores() == (2, 3, 3)
    other = bytearray(desk.deck)
    other[0], other[20] = other[20], other[0]
    with pytest.raises(ValueError, match="slot 0") as caught:
        state.apply(Revealed(bytes(other)))
    assert not isinstance(caught.value, IllegalMove | OutOfTurn | NotationError)
    stock = bytearray(desk.deck)
    stock[30], stock[31] = stock[31], stock[30]
    assert state.apply(Revealed(bytes(stock))).scores() == (2, 3, 3)


@pytest.mark.rule("GEN-03")
def test_views_hide_what_isnt_public_until_the_deal_ends() -> None:
    desk = seat_down(TRIS, "Rc 2b 3b").say("stay", "7c>Rc")
    known = {
        seat: {s for s, f in enumerate(desk.state.view(seat).faces) if f != UNKNOWN}
        for seat in (None, 0, 1, 2)
    }
    table = {0, 9, 10, 11}
    assert known == {
        None: table,
        0: table | {6, 7, 8},
        1: table | {1, 2},
        2: table | {3, 4, 5},
    }


@OPEN_AND_LIVE
@pytest.mark.rule("GEN-03")
def test_all_cards_are_public_when_the_deal_has_ended(live: bool) -> None:
    desk = seat_down(TRIS, "Rc 2b 3b", seats=2, tokens=[1, 1], given=["reentries=0"], live=live)
    desk.say("stay", "knock", "knock")
    assert isinstance(desk.state.turn(), Over)
    assert desk.state.view(None).faces == desk.deck
