"""A match as a machine of phases: what is due in each of them, from whom, and what it does.

Law: this file knows phases, inputs and the order of seats. It must never know what cards are worth
nor when a phase leads to which: that is each game's own, and a game may do without this file.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import Final, TypeVar

from engine.contract import (
    Answers,
    Ask,
    Cards,
    Decide,
    Input,
    Leave,
    Move,
    Reveal,
    Seen,
    State,
    Turn,
)
from engine.errors import EngineError, IllegalMove, OutOfTurn
from engine.position import open_slots

REVEAL: Final = Cards((Reveal(),))
"""What is due at the end of a hand that wasn't played openly."""

S = TypeVar("S", bound=State)
P = TypeVar("P", bound=IntEnum)
Handlers = list[dict[type, Callable[..., S]]]
"""Indexed by phase: which inputs are due and what they do to a state."""


def handlers(leave: Callable[..., S], *rows: dict[type, Callable[..., S]]) -> Handlers[S]:
    """A row for each phase in order, the last one left out: in each of them somebody may leave,
    and when a match is over nothing is due."""
    return [*({**row, Leave: leave} for row in rows), {}]


def refusal(
    given: Input, phase: P, due: Turn, misplaced: Callable[[P], IllegalMove]
) -> EngineError:
    """Why `given`, for which there is no handler, can't be applied; `misplaced` says what a move
    breaks that belongs to another phase than the one where a player is to decide."""
    if isinstance(given, Move) and isinstance(due, Decide):
        return misplaced(phase)
    return OutOfTurn(f"{type(given).__name__} isn't due in phase {phase.name}")


def opened_by(due: Turn, faces: Sequence[int]) -> Seen:
    """What the requests that are due open when the cards lie as `faces` says."""
    return Seen(tuple([faces[slot] for slot in open_slots(due)]))


def check_answers(given: Answers, due: Turn) -> None:
    """OutOfTurn unless `given` comes from exactly those who are asked, in that order."""
    asked = due.seats if isinstance(due, Ask) else ()
    if tuple([seat for seat, _ in given.moves]) != asked:
        raise OutOfTurn(f"answers are due from the seats {asked} in this order")


@lru_cache(maxsize=1024)
def dealt_by(living: tuple[int, ...], dealer: int) -> tuple[int, ...]:
    """Who plays a hand that `dealer`, one of `living`, deals: in the order of play, in which the
    dealer is last."""
    at = living.index(dealer) + 1
    return living[at:] + living[:at]


@lru_cache(maxsize=1024)
def decides(players: tuple[int, ...]) -> tuple[Decide, ...]:
    """What is due at the turn of each."""
    return tuple([Decide(seat) for seat in players])


def own(kind: type[S], state: State) -> S:
    """`state` as one of a game's own `kind`; OutOfTurn if it belongs to another game."""
    if not isinstance(state, kind):
        raise OutOfTurn("the state belongs to another game")
    return state
