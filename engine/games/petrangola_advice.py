"""What speaks for a move of Petrangola; monte_advice has the kinds.

Law: as there. This file knows the moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.contract import Move, Reason
from engine.games.monte_advice import Turn
from engine.games.petrangola_hands import LOWEST_PETRANGOLA
from engine.games.petrangola_moves import (
    EXCHANGES,
    Camicia,
    Cut,
    Exchange,
    Knock,
    KnockShow,
    Stay,
)
from engine.games.petrangola_position import Phase

if TYPE_CHECKING:
    from engine.games.petrangola_state import PetrangolaState


def reasons(view: PetrangolaState, seat: int, move: Move) -> tuple[Reason, ...]:
    """See the module; nothing while a card of the hand isn't known."""
    if isinstance(move, Cut):
        return (Reason("cut"),)
    turn = Turn(view, seat, LOWEST_PETRANGOLA)
    if view.phase is Phase.CHOOSE and isinstance(move, Stay | Camicia):
        return turn.chosen()
    if isinstance(move, Exchange | Camicia | Knock | KnockShow):
        return turn.moved(move, EXCHANGES)
    return ()
