"""What the games' machines of phases have in common: which inputs are due, and what is refused.

Law: one example of each answer; that every game gives them is held by the laws of all games.
"""

from __future__ import annotations

from enum import IntEnum

import pytest

from engine.cards import ITALIAN, Deck
from engine.contract import (
    Answers,
    Ask,
    Cards,
    Decide,
    Drawn,
    Leave,
    Open,
    Reseal,
    Seen,
    Show,
    Shuffle,
    Shuffled,
    State,
)
from engine.errors import IllegalMove, OutOfTurn
from engine.games.briscola import BriscolaState, Play
from engine.games.mambassa import MambassaState
from engine.games.petrangola_moves import KNOCK, STAY
from engine.games.phases import check_answers, dealt_by, handlers, opened_by, own, refusal
from tests.engine.table import Setting


class Phase(IntEnum):
    DRAW = 0
    PLAY = 1
    OVER = 2


def _misplaced(phase: Phase) -> IllegalMove:
    return IllegalMove("GEN-01", f"not in {phase.name}")


def _apply(state: State, _: object) -> State:
    return state


def _leave(state: State, _: object) -> State:
    return state


def test_somebody_may_leave_in_every_phase_but_the_last_where_nothing_is_due() -> None:
    table = handlers(_leave, {Drawn: _apply}, {})
    assert table == [{Drawn: _apply, Leave: _leave}, {Leave: _leave}, {}]


def test_a_move_breaks_a_rule_when_a_player_is_to_decide_and_is_out_of_turn_otherwise() -> None:
    found = refusal(Play(3), Phase.PLAY, Decide(1), _misplaced)
    assert isinstance(found, IllegalMove)
    assert found.rule == "GEN-01"
    for given, due in ((Play(3), Cards((Open((3,)),))), (Shuffled(None), Decide(1))):
        early = refusal(given, Phase.PLAY, due, _misplaced)
        assert isinstance(early, OutOfTurn)
        assert str(early) == f"{type(given).__name__} isn't due in phase PLAY"


def test_what_is_due_opens_cards_in_the_order_of_its_requests() -> None:
    faces = bytes(range(10, 20))
    due = Cards((Open((4, 2)), Show((1,), 0), Open((0,))))
    assert opened_by(due, faces) == Seen((14, 12, 10))
    assert opened_by(Cards((Reseal((1,), 0),)), faces) == Seen(())
    assert opened_by(Decide(0), faces) == Seen(())
    assert opened_by(Cards((Shuffle(Deck(ITALIAN)),)), faces) == Seen(())


@pytest.mark.parametrize("seats", [(), (2,), (2, 0), (0, 2, 3), (0, 1)])
def test_answers_come_from_all_who_are_asked_in_their_order(seats: tuple[int, ...]) -> None:
    check_answers(Answers(((0, STAY), (2, KNOCK))), Ask((0, 2)))
    given = Answers(tuple((seat, STAY) for seat in seats))
    with pytest.raises(OutOfTurn):
        check_answers(given, Ask((0, 2)))


def test_no_answer_is_due_from_nobody() -> None:
    with pytest.raises(OutOfTurn):
        check_answers(Answers(((0, STAY),)), Decide(0))


def test_the_dealer_is_last_and_whoever_follows_is_first() -> None:
    assert dealt_by((0, 2, 3, 5), 2) == (3, 5, 0, 2)
    assert dealt_by((0, 2, 3, 5), 5) == (0, 2, 3, 5)
    assert dealt_by((4,), 4) == (4,)


def test_a_state_of_another_game_is_refused() -> None:
    state = Setting("briscola", "classic", 2).start()
    assert own(BriscolaState, state) is state
    with pytest.raises(OutOfTurn, match="another game"):
        own(MambassaState, state)
