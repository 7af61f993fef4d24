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
    judge = view.match.judge

    def key(hand: Faces) -> int:
        return judge.value(hand).key

    turn = Turn(view, seat, key, _SPECIAL)
    if view.phase is Phase.CHOOSE and isinstance(move, Stay | Camicia):
        return (Reason("monte", turn.monte),) if UNKNOWN not in turn.monte else ()
    if isinstance(move, Bottom):
        return _spared(view, turn.hand, turn.hand[move.place]) if turn.hand else ()
    if not turn.known:
        return ()
    cards = turn.hand + turn.monte
    others = [*(exchange.hand(cards) for exchange in _PLAIN), turn.monte]
    if isinstance(move, Exchange):
        return turn.exchanged(move.hand(cards), move.monte(cards), others)
    if isinstance(move, Camicia):
        return turn.exchanged(turn.monte, turn.hand, others)
    if isinstance(move, Discard):
        spare = (_spared(view, turn.hand, face) for face in turn.hand)
        return next((found for found in spare if found), ())
    return turn.kept(others) if isinstance(move, Knock) else ()


def _spared(view: MambassaState, hand: Faces, face: int) -> tuple[Reason, ...]:
    """Whether a card of the hand counts in it."""
    if UNKNOWN in hand:
        return ()
    cards = {text for text, _ in counted(hand, view.options)}
    return () if view.deck.kind.text(face) in cards else (Reason("spare", (face,)),)
