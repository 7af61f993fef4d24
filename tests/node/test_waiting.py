"""How long the table waits, and when who is there is asked, by a clock of the test's own."""

from __future__ import annotations

import itertools

from node.waiting import PRESS, PRESS_RARELY, Absent, Press, Vigil, Waiting

ONE = frozenset({1})
NOBODY: frozenset[int] = frozenset()


class Clock:
    """Time as the test sets it."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def vigil(patience: float = 120, timer: float = 0) -> tuple[Vigil, Clock]:
    clock = Clock()
    return Vigil(patience, timer, clock), clock


def test_a_player_who_thinks_is_waited_for_without_end() -> None:
    watch, clock = vigil()
    assert watch.look(5, ONE, NOBODY) == []
    clock.now += 2
    assert watch.look(5, ONE, NOBODY) == [Waiting((1,), (), None)]
    clock.now += 100_000
    assert watch.look(5, ONE, NOBODY) == []


def test_a_player_who_is_away_is_asked_about_after_the_agreed_time() -> None:
    watch, clock = vigil(patience=60)
    watch.look(5, ONE, ONE)
    clock.now += 10
    assert watch.look(5, ONE, ONE) == [Waiting((1,), (1,), 50.0)]
    clock.now += 49
    assert watch.look(5, ONE, ONE) == []
    clock.now += 1
    assert watch.look(5, ONE, ONE) == [Absent((1,))]
    assert watch.look(5, ONE, ONE) == []
    clock.now += 60  # unanswered, the question comes again
    assert watch.look(5, ONE, ONE) == [Absent((1,))]


def test_the_time_starts_again_when_a_player_was_back() -> None:
    watch, clock = vigil(patience=60)
    watch.look(5, ONE, ONE)
    clock.now += 59
    watch.look(5, ONE, NOBODY)
    clock.now += 5
    assert Absent((1,)) not in watch.look(5, ONE, ONE)
    clock.now += 59
    assert Absent((1,)) not in watch.look(5, ONE, ONE)
    clock.now += 1
    assert watch.look(5, ONE, ONE) == [Absent((1,))]


def test_a_turns_time_asks_about_who_is_there() -> None:
    watch, clock = vigil(timer=30)
    watch.look(5, ONE, NOBODY)
    clock.now += 30
    assert watch.look(5, ONE, NOBODY) == [Waiting((1,), (), 0.0), Absent((1,))]
    watch.wait()
    assert watch.look(5, ONE, NOBODY) == []
    clock.now += 120
    assert watch.look(5, ONE, NOBODY) == [Absent((1,))]


def test_whoever_chose_to_go_on_votes_ever_more_rarely_until_the_step_is_done() -> None:
    watch, clock = vigil()
    watch.look(5, ONE, ONE)
    watch.go_on()
    pressed = []
    for _ in range(2000):
        pressed += [clock.now for act in watch.look(5, ONE, ONE) if isinstance(act, Press)]
        clock.now += 0.1
    gaps = [b - a for a, b in itertools.pairwise(pressed)]
    assert [round(gap) for gap in gaps[:5]] == [PRESS, 2, 4, 8, PRESS_RARELY]
    assert round(gaps[-1]) == PRESS_RARELY
    assert not any(isinstance(act, Press) for act in watch.look(6, ONE, ONE))


def test_a_vote_that_waits_is_pressed_without_being_asked() -> None:
    watch, _ = vigil()
    assert watch.look(5, NOBODY, frozenset({3}), voting=True) == [Press((3,))]


def test_another_players_vote_puts_the_question_at_once() -> None:
    watch, _ = vigil()
    assert watch.look(5, ONE, ONE, asked=True) == [Absent((1,))]
    assert watch.look(5, ONE, ONE, asked=True) == []


def test_who_is_out_and_away_is_not_waited_for_again() -> None:
    watch, _ = vigil()
    assert watch.look(5, ONE, ONE, out=ONE) == [Press((1,))]
    back, _ = vigil()
    assert back.look(5, ONE, NOBODY, out=ONE) == []


def test_sleep_blames_nobody() -> None:
    watch, clock = vigil(patience=60)
    watch.look(5, ONE, ONE)
    clock.now += 3600
    watch.woke()
    assert Absent((1,)) not in watch.look(5, ONE, ONE)
    clock.now += 60
    assert Absent((1,)) in watch.look(5, ONE, ONE)


def test_the_end_of_waiting_is_told_once() -> None:
    watch, clock = vigil()
    watch.look(5, ONE, NOBODY)
    clock.now += 2
    watch.look(5, ONE, NOBODY)
    assert watch.look(6, NOBODY, NOBODY) == [Waiting(())]
    assert watch.look(6, NOBODY, NOBODY) == []


def test_nobody_is_left_out_while_somebody_who_is_there_still_chooses() -> None:
    two = frozenset({1, 2})
    watch, clock = vigil(patience=60)
    watch.look(5, two, ONE)
    watch.go_on()
    clock.now += 100
    told = watch.look(5, two, ONE)
    assert [type(act) for act in told] == [Waiting]
    assert watch.look(5, ONE, ONE, own=True) == [Waiting((1,), (1,), 0.0)]
    assert watch.look(5, ONE, ONE) == [Press((1,))]


def test_the_question_waits_for_who_is_there_too() -> None:
    two = frozenset({1, 2})
    watch, clock = vigil(patience=60)
    watch.look(5, two, ONE)
    clock.now += 60
    assert not any(isinstance(act, Absent) for act in watch.look(5, two, ONE))
    assert any(isinstance(act, Absent) for act in watch.look(5, ONE, ONE))


def test_a_turns_time_is_shown_to_whose_turn_it_is() -> None:
    clock = Clock()
    watch = Vigil(120, 30, clock, seat=0)
    watch.look(5, NOBODY, NOBODY, own=True)
    clock.now += 10
    assert watch.look(5, NOBODY, NOBODY, own=True) == [Waiting((0,), (), 20.0)]
    clock.now += 30
    assert watch.look(5, NOBODY, NOBODY, own=True) == []  # the others are asked, not this one
    untimed = Vigil(120, 0, clock, seat=0)
    untimed.look(5, NOBODY, NOBODY, own=True)
    clock.now += 10
    assert untimed.look(5, NOBODY, NOBODY, own=True) == []
