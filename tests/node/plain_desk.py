"""A seat in plain lines at a choice of a live match, and somebody who types there.

Law: the match is dealt by the real protocol, once for all tests that look at the same choice; the
session only writes down what it is told.
"""

from __future__ import annotations

import functools
import random
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from engine.contract import Move, State
from node.language import ENGLISH, Language
from node.notices import SessionEvent, Started
from node.plain import Left, PlainTable
from node.screen.hearing import Ear, Heard
from node.session import Session
from protocol.table_events import Outgoing, YourMove
from tests.protocol.groups import FAST
from tests.protocol.ring import Ring

ME = 0
Wanted = Callable[[State], bool]


@dataclass
class Calls:
    """What a session is told."""

    made: list[tuple[str, object]] = field(default_factory=list)

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *given: self.made.append((name, given[0] if given else None))


def words_of(state: State, seat: int) -> set[str]:
    """The first words of the moves that a seat may make, as in a log."""
    return {str(cast(Any, state.game.encode(move))[0]) for move in state.legal(seat)}


@functools.cache
def heard(game: str, seats: int, word: str, seed: int = 1, last: bool = False) -> tuple[Heard, ...]:
    """What a seat heard of a match up to its first choice with that word among its moves; `last`:
    where it may not play all of its cards."""
    found: list[Heard] = []
    done = False
    ear = Ear()

    def hear(seat: int, event: object) -> None:
        nonlocal done
        if seat != ME or done or isinstance(event, Outgoing):
            return
        found.append(ear.hear(event))
        if isinstance(event, YourMove):
            chair = event.position.chair(seat)
            hand = next((p.slots for p in event.view.piles() if p.seat == chair), ())
            few = len(event.view.legal(chair)) < len(hand)
            done = word in words_of(event.view, chair) and (few or not last)

    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        ring = Ring(Path(name), seats, game=game, hands=2, group=FAST, seed=seed)
        hear(ME, Started(ring.tables[ME], ME, Path("match.busso")))
        ring.on_event = hear
        ring.run(until=lambda: done)
        ring.close()
    if not done:
        raise AssertionError(f"no {word} in this match")
    return tuple(found)


class Desk:
    """One seat: what was said, what the session was told, the moves that were chosen."""

    def __init__(
        self,
        events: tuple[Heard, ...],
        *,
        language: Language = ENGLISH,
        clock: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self.calls = Calls()
        self.said: list[str] = []
        self.spoken: list[Language] = []
        self.left = False
        self._typed: list[str] = []
        self.table = PlainTable(
            self.said.append,
            self._ask,
            random.Random(1),
            language=language,
            clock=clock,
            spoken=self.spoken.append,
        )
        self.table.attend(cast(Session, self.calls))
        *before, self._choice = events
        for one in before:
            if not isinstance(one.event, YourMove):
                self.table.show(one)

    def _ask(self, prompt: str) -> str | None:
        self.said.append(prompt)
        return self._typed.pop(0) if self._typed else None

    def hear(self, *events: SessionEvent) -> Desk:
        """More that happens before the choice."""
        for event in events:
            self.table.show(Heard(event))
        return self

    def type(self, *lines: str) -> list[str]:
        """What is said at the choice from the first prompt on, to somebody who types these lines
        and then closes the input."""
        self._typed = list(lines)
        start = len(self.said)
        try:
            self.table.show(self._choice)
        except Left:
            self.left = True
        said = self.said[start:]
        return said[said.index("> ") + 1 :] if "> " in said else said

    def introduced(self) -> list[str]:
        """What is said when the choice becomes due."""
        start = len(self.said)
        self.type()
        return self.said[start:-1]

    @property
    def moves(self) -> list[Move]:
        """The moves that were chosen."""
        return [cast(Move, move) for name, move in self.calls.made if name == "choose"]

    def written(self) -> list[str]:
        """The same in notation."""
        view = cast(YourMove, self._choice.event).view
        return [view.game.format(view, move) for move in self.moves]
