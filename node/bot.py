"""A bot: an ordinary player whose choices come from the game's own suggestion.

Law: a bot sees the view that its seat has and nothing else; it has the same keys and gives the same
proofs as a person. Whoever runs its process could read its hand, so the table says whose it is.
"""

from __future__ import annotations

import random

from node.session import Session
from protocol.table import YourMove


class Bot:
    """Chooses at once. `rng` is the only randomness, so a seed gives the same play again."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng

    def decide(self, decision: YourMove, session: Session) -> None:
        """Answer with the suggestion for what this seat sees."""
        table, game = session.table, decision.position.game
        if table is None or table.player is None:
            return
        chair = decision.position.chair(table.player.seat)
        session.choose(game.suggest(decision.view, chair, self._rng))
