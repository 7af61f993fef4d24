"""What speaks for a move of Mambassa; monte_advice has the kinds.

Law: as there. This file knows the moves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from engine.cards import UNKNOWN
from engine.contract import Move, Reason
from engine.games.mambassa_hands import TRIS
from engine.games.mambassa_moves import (
    EXCHANGES,
    Bottom,
    Camicia,
    Discard,
    Exchange,
    Knock,
    Stay,
)
from engine.games.mambassa_position import Phase
from engine.games.mambassa_reasons import counted
from engine.games.monte_advice import Faces, Turn

if TYPE_CHECKING:
    from engine.games.mambassa_state import MambassaState

_PLAIN: Final = tuple(exchange for exchange in EXCHANGES if not exchange.discard)
_SPECIAL: Final = TRIS * 1000
"""The lowest key of a hand of which the fourth card decides nothing any more."""


def reasons(view: MambassaState, seat: int, move: Move) -> tuple[Reason, ...]:
    """See the module; nothing while a card of the hand isn't known."""
    turn = Turn(view, seat, _SPECIAL)
    if view.phase is Phase.CHOOSE and isinstance(move, Stay | Camicia):
        return turn.chosen()
    if isinstance(move, Bottom):
        return _spared(view, turn.hand, turn.hand[move.place]) if turn.hand else ()
    if isinstance(move, Exchange | Camicia | Knock):
        return turn.moved(move, _PLAIN)
    if isinstance(move, Discard) and turn.known:
        spare = (_spared(view, turn.hand, face) for face in turn.hand)
        return next((found for found in spare if found), ())
    return ()


def _spared(view: MambassaState, hand: Faces, face: int) -> tuple[Reason, ...]:
    """Whether a card of the hand counts in it."""
    if UNKNOWN in hand:
        return ()
    cards = {text for text, _ in counted(hand, view.options)}
    return () if view.deck.kind.text(face) in cards else (Reason("spare", (face,)),)
