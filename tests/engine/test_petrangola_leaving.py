"""Who leaves a match of Petrangola, dies, comes back: what becomes of the hand and the pot."""

from __future__ import annotations

import pytest

from engine.contract import Answers, Ask, Cards, Decide, Drawn, Reveal, Seen, Shuffled
from engine.errors import IllegalMove, OutOfTurn
from engine.games.petrangola import GAME
from engine.games.petrangola_moves import DECLINE, EXCHANGES, KNOCK, REENTER, STAY, Cut
from tests.engine.petrangola_desk import Desk, begin, lay, make_options, seat_down
from tests.engine.petrangola_hands import MONTE, POOR

# ---------------------------------------------------------------------------------------------
# Leaving


def leaving_points() -> list[Desk]:
    """The same hand at all kinds of moments."""
    found = []
    state = begin(4, 1, "marche", ["reentries=2"])
    deck = lay(state, {2: "7c 7d 7s"})
    desk = Desk(state, deck, True)
    inputs = [Cut(1), Shuffled(), Seen(), STAY, "", KNOCK, EXCHANGES[0], ""]
    for given in inputs:
        found.append(Desk(desk.state, deck, True))
        if given == "":
            desk.deal()
        else:
            desk.give(given)  # type: ignore[arg-type] # the rest are inputs
    return [*found, desk]


@pytest.mark.rule("GEN-02", "PET-27")
def test_a_hand_that_somebody_leaves_is_void_and_the_same_dealer_deals() -> None:
    for desk in leaving_points():
        after = desk.state
        desk.leave(3)
        assert desk.state.scores() == (3, 3, 3, 0)
        assert (desk.state.hand, desk.state.dealer) == (after.hand + 1, 1)
        assert desk.state.players == (2, 0, 1)
        assert desk.state.turn() == Decide(0)
        assert (desk.state.faces, desk.state.promises) == (b"", ())
        assert 3 not in [seat for seat, _ in desk.said("knocks") + desk.said("swaps")]
        assert (-1, ()) in desk.said("void")


@pytest.mark.rule("GEN-02")
def test_if_the_dealer_left_the_next_living_seat_deals() -> None:
    for desk in leaving_points():
        desk.leave(1, 2)
        assert (desk.state.dealer, desk.state.players) == (3, (0, 3))


@pytest.mark.rule("GEN-02", "PET-50")
def test_who_left_may_re_enter_where_the_rules_say_so() -> None:
    for desk in leaving_points():
        desk.leave(1, may_return=True)
        assert desk.state.turn() == Ask((1,))
        assert desk.state.faces == b""
        desk.say("reenter")
        assert desk.state.scores() == (3, 3, 3, 3)
        assert desk.state.standing().paid == (3, 6, 3, 3)
        assert (desk.state.dealer, desk.state.hand) == (2, 2)


@pytest.mark.rule("GEN-02")
def test_the_last_who_stays_has_won_and_tokens_go_into_the_pot() -> None:
    desk = Desk(begin(3, 0, "emilia", ["stake=2"]), b"")
    desk.leave(2)
    assert desk.state.standing().paid == (0, 0, 6)
    desk.leave(0, may_return=True)
    assert (desk.result.winners, desk.result.reason) == ((1,), "last-alive")
    assert desk.result.won == (0, 12, 0)
    everybody = Desk(begin(3, 0), b"").leave(0, 1, 2)
    assert (everybody.result.winners, everybody.result.reason) == ((), "abandoned")


@pytest.mark.rule("GEN-02")
def test_leaving_before_the_first_dealer_is_known() -> None:
    desk = Desk(GAME.start(make_options(), 3), b"").leave(1)
    assert desk.state.players == (0, 2)
    assert isinstance(desk.state.turn(), Cards)
    desk.give(Drawn(tuple(range(40))))
    assert (desk.state.dealer, desk.state.hand) == (0, 1)


@pytest.mark.rule("GEN-01", "GEN-02")
def test_leaving_after_the_showdown_undoes_no_loss() -> None:
    desk = seat_down(POOR, MONTE, live=True, tokens=[2, 3, 3]).say("stay", "knock", "knock")
    desk.give(KNOCK)
    slots = [s for r in desk.state.turn().requests for s in r.slots]  # type: ignore[union-attr]
    desk.give(Seen(tuple(desk.deck[slot] for slot in slots)))
    assert desk.state.turn() == Cards((Reveal(),))
    loser, other = Desk(desk.state, desk.deck), Desk(desk.state, desk.deck)
    loser.leave(0)
    assert loser.state.scores() == (0, 3, 3)
    other.leave(2)
    assert other.state.scores() == (1, 3, 0)
    assert (other.state.hand, other.state.dealer) == (2, 1)


@pytest.mark.rule("PET-50", "GEN-02")
def test_leaving_while_the_dead_are_asked() -> None:
    desk = seat_down({1: "Rc Fc 2d", 2: "Rd 5d 2s", 3: "Ac 2c 4b", 0: "2b 3c 4d"}, seats=4,
                     tokens=[1, 3, 3, 3])  # fmt: skip
    desk.say("stay", "knock", "knock", "knock", "knock")
    assert desk.state.turn() == Ask((0,))
    asked = Desk(desk.state, b"").leave(0)
    assert (asked.state.scores(), asked.state.dealer) == ((0, 3, 3, 3), 1)
    living = Desk(desk.state, b"").leave(1)
    assert living.state.turn() == Ask((0,))
    assert living.say("reenter").state.players == (3, 0, 2)
    alone = Desk(desk.state, b"").leave(1, 2)
    assert alone.result.winners == (3,)


@pytest.mark.rule("PET-50", "PET-51")
def test_a_second_death_is_final_with_one_reentry() -> None:
    desk = seat_down({0: "Rc Fc 2d", 1: "2c 3d 4s", 2: "Rd Fd 2s"}, tokens=[3, 1, 1])
    desk.say("stay", "knock", "knock", "knock", "reenter")
    assert desk.state.scores() == (3, 1, 1)
    desk.deck = lay(desk.state, {0: "Rc Fc 2d", 1: "2c 3d 4s", 2: "Rd Fd 2s"})
    desk.say("cut 1", "stay", "knock", "knock", "knock")
    assert desk.state.scores() == (3, 0, 1)
    assert isinstance(desk.state.turn(), Decide)


@pytest.mark.rule("PET-50")
def test_answers_must_be_those_that_are_asked_for() -> None:
    desk = seat_down({0: "Rc Fc 2d", 1: "2c 3d 4s", 2: "Rd Fd 2s"}, tokens=[3, 1, 1])
    desk.say("stay", "knock", "knock", "knock")
    state = desk.state
    assert list(state.legal(1)) == [REENTER, DECLINE]
    assert list(state.legal(0)) == []
    with pytest.raises(IllegalMove) as caught:
        state.apply(Answers(((1, KNOCK),)))
    assert caught.value.rule == "PET-50"
    for wrong in ((), ((0, REENTER),), ((1, REENTER), (1, REENTER))):
        with pytest.raises(OutOfTurn):
            state.apply(Answers(wrong))
