"""A bot: an ordinary player whose choices are made by `node.search`.

Law: a bot sees the view that its seat has and nothing else; it has the same keys and gives the same
proofs as a person. Whoever runs its process could read its hand, so the table says whose it is.
"""

from __future__ import annotations

import random
import threading

from node.search import Budget, Level, choose
from node.session import Session
from node.waiting import Absent
from protocol.table import YourMove


class Bot:
    """Chooses at its level. `rng` is the only randomness, so with a budget that counts samples a
    seed gives the same play again.

    The hard level thinks on a thread of its own, so that its node goes on hearing the others; a
    decision that is due no more when it has thought is dropped (`Session.choose`).
    """

    def __init__(
        self, rng: random.Random, level: Level = Level.MEDIUM, budget: Budget | None = None
    ) -> None:
        self._rng = rng
        self._level = level
        self._budget = budget or Budget()
        self._given_up = threading.Event()

    def missing(self, _: Absent, session: Session) -> None:
        """A bot has waited for as long as was agreed, and goes on."""
        session.go_on()

    def decide(self, decision: YourMove, session: Session) -> None:
        """Answer for what this seat sees, at once or after some thought."""
        table = session.table
        if table is None or table.player is None:
            return
        chair = decision.position.chair(table.player.seat)
        self._given_up.set()  # what an older decision is still thought about
        given_up = self._given_up = threading.Event()
        rng = random.Random(self._rng.getrandbits(64))

        def think() -> None:
            try:
                move = choose(
                    self._level, decision.view, chair, rng, self._budget, stopped=given_up.is_set
                )
            except Exception as error:  # raised again by the session, which would wait for ever
                session.fail(error)
            else:
                session.choose(move, decision)

        if self._level is Level.HARD:
            threading.Thread(target=think, name="thinking", daemon=True).start()
        else:
            think()
