"""For whom the table waits, for how long, and when those who are there are asked what to do.

Law: readings of a clock and sets of seats; no socket, no table. A clock decides nothing here but
when to ask: going on without a seat is the players' choice and the votes' decision. Whoever is away
is waited for as long as was agreed (`patience`); whoever is there and thinks, for as long as it
likes unless a turn was given a time (`timer`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

PATIENCE: Final = 120
"""Seconds that a table waits for somebody who is away, unless it agreed otherwise."""
NOTICEABLE: Final = 1.0
"""Seconds after which waiting is worth telling."""
PRESS: Final = 1.0
"""Seconds until a vote that brought nothing is given again; doubled each time."""
PRESS_RARELY: Final = 16.0


@dataclass(frozen=True, slots=True)
class Waiting:
    """The table waits for `seats`, of which `away` can't be reached; empty: no longer.

    `left` are the seconds until those who are there are asked, None if they won't be. Where a
    turn has a time, `seats` names this player too while its own part lacks: all see the timer.
    """

    seats: tuple[int, ...]
    away: tuple[int, ...] = ()
    left: float | None = None


@dataclass(frozen=True, slots=True)
class Absent:
    """The question to everybody who is there: wait for `seats`, or go on without them?"""

    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Press:
    """Vote, or vote again: those in `away` can't be reached."""

    away: tuple[int, ...]


Act = Waiting | Absent | Press


class Vigil:
    """One node's patience during a match."""

    def __init__(
        self,
        patience: float,
        timer: float,
        clock: Callable[[], float],
        seat: int | None = None,
    ) -> None:
        """`patience` for who is away and `timer` for who is there, in seconds; 0: no limit.
        `seat`: this node's own, None for a spectator."""
        self._seat = seat
        self._patience = patience
        self._timer = timer
        self._clock = clock
        self._step = -1
        self._begin(clock())
        self._told: Waiting | None = None

    def _begin(self, now: float) -> None:
        self._since = now
        self._away: dict[int, float] = {}
        self._wants = False
        self._ask_at = now
        self._press_at = now
        self._press_wait = PRESS

    def go_on(self) -> None:
        """The player chose to go on without whoever is missing at this step."""
        self._wants = True
        self._press_at = self._clock()

    def wait(self) -> None:
        """The player chose to wait; the question comes again after the same time."""
        self._wants = False
        self._ask_at = self._clock() + max(self._patience, self._timer, PRESS)

    def woke(self) -> None:
        """This computer slept: nobody was away because of that."""
        now = self._clock()
        self._since = now
        self._away = dict.fromkeys(self._away, now)
        self._ask_at = now

    def look(
        self,
        step: int,
        missing: frozenset[int],
        unreachable: frozenset[int],
        *,
        out: frozenset[int] = frozenset(),
        own: bool = False,
        voting: bool = False,
        asked: bool = False,
    ) -> list[Act]:
        """What is to be done now.

        `missing`: the seats, but for one's own, whose part lacks at `step`; `out`: those of whom
        the table has decided to go on without; `own`: this node's own part lacks, too; `voting`:
        its vote still waits; `asked`: somebody else has voted and this node hasn't.

        While somebody who is there still has to choose, this player included, nobody is asked and
        no vote is given: it would leave out whoever merely thinks.
        """
        now = self._clock()
        if step != self._step:
            self._step = step
            self._begin(now)
        away = missing & unreachable
        self._away = {seat: self._away.get(seat, now) for seat in away}
        shown = missing
        if own and self._timer and self._seat is not None:
            shown = missing | {self._seat}
        acts = self._tell(shown, away, now)
        late = {seat for seat in missing if self._due(seat) <= now}
        known = bool(missing) and missing <= out & unreachable
        thinking = own or not missing <= late | away
        if voting or (not thinking and (known or (self._wants and missing))):
            if now >= self._press_at:
                self._press_at = now + self._press_wait
                self._press_wait = min(2 * self._press_wait, PRESS_RARELY)
                acts.append(Press(tuple(sorted(unreachable))))
        elif not thinking and missing and (late or asked) and now >= self._ask_at:
            self._ask_at = now + max(self._patience, self._timer, PRESS)
            acts.append(Absent(tuple(sorted(late or missing))))
        return acts

    def _due(self, seat: int) -> float:
        """When the table is asked about a seat that is missing."""
        if seat in self._away:
            return self._away[seat] + self._patience if self._patience else float("inf")
        return self._since + self._timer if self._timer else float("inf")

    def _tell(self, missing: frozenset[int], away: frozenset[int], now: float) -> list[Act]:
        """A notice when those waited for have changed."""
        if missing and now - self._since < NOTICEABLE:
            return []
        due = min((self._due(seat) for seat in missing), default=float("inf"))
        left = None if due == float("inf") else max(0.0, due - now)
        notice = Waiting(tuple(sorted(missing)), tuple(sorted(away)), left)
        before = self._told
        same = before is not None and (before.seats, before.away) == (notice.seats, notice.away)
        if same or (before is None and not missing):
            return []
        self._told = notice if missing else None
        return [notice]
