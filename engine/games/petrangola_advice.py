"""What speaks for a move of Petrangola; monte_advice has the kinds.

Law: as there. This file knows the moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.cards import UNKNOWN
from engine.contract import Move, Reason
from engine.games.monte_advice import Faces, Turn
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
    judge = view.match.judge

    def key(hand: Faces) -> int:
        return judge.value(hand).key

    turn = Turn(view, seat, key, LOWEST_PETRANGOLA)
    if view.phase is Phase.CHOOSE and isinstance(move, Stay | Camicia):
        return (Reason("monte", turn.monte),) if UNKNOWN not in turn.monte else ()
    if not turn.known:
        return ()
    cards = turn.hand + turn.monte
    others = [*(exchange.hand(cards) for exchange in EXCHANGES), turn.monte]
    if isinstance(move, Exchange):
        return turn.exchanged(move.hand(cards), move.monte(cards), others)
    if isinstance(move, Camicia):
        return turn.exchanged(turn.monte, turn.hand, others)
    return turn.kept(others) if isinstance(move, Knock | KnockShow) else ()
