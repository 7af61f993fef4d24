"""A player's statistics: verdicts on logs, added up.

Law: pure arithmetic over `node.statistics.Verdict`s; whatever is counted was verified. A match that
lies in several files counts once, by the file that tells most of it. A match with no end yet, or
one that ended without a winner, is neither won nor lost, and neither ends nor lengthens a streak.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from engine import registry
from node.statistics import Verdict
from protocol.audit import Status

_RANK: Final = {Status.COMPLETE: 2, Status.ABANDONED: 1, Status.OPEN: 0}


@dataclass(slots=True)
class Streak:
    """How many matches in a row: `now` is positive for wins, negative for losses."""

    now: int = 0
    best: int = 0
    worst: int = 0

    def add(self, won: bool) -> None:
        """One match more."""
        step = 1 if won else -1
        self.now = self.now + step if self.now * step > 0 else step
        self.best = max(self.best, self.now)
        self.worst = min(self.worst, self.now)


@dataclass(slots=True)
class Tally:
    """What one game came to.

    undecided  matches that ended without a winner (as the table agreed, or a draw)
    open       matches without an end; `abandoned` those that were closed too few being left
    paid, won_units   units of the stake
    best       the best final score, None before there is one; low scores are best in some games
    marks      what the game announced about the player: kind -> (how often, highest value)
    void       hands that counted for nothing, of `hands` + `void`
    left, excluded    matches that went on without the player: absent, or convicted of cheating
    """

    matches: int = 0
    won: int = 0
    lost: int = 0
    undecided: int = 0
    open: int = 0
    abandoned: int = 0
    hands: int = 0
    void: int = 0
    paid: int = 0
    won_units: int = 0
    best: int | None = None
    left: int = 0
    excluded: int = 0
    streak: Streak = field(default_factory=Streak)
    marks: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def balance(self) -> int:
        """Units won less units paid."""
        return self.won_units - self.paid


@dataclass(slots=True)
class Opponent:
    """Another player, by key: `name` in the newest match; who won how many of `matches`."""

    key: bytes
    name: str
    matches: int = 0
    mine: int = 0
    theirs: int = 0
    excluded: int = 0


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything about one player.

    games      by name, in the registry's order; only those that were played
    opponents  those met most often first
    """

    games: dict[str, Tally]
    opponents: tuple[Opponent, ...]


def summary(verdicts: Iterable[Verdict], me: bytes, game: str | None = None) -> Summary:
    """Add up the matches of the player with the key `me`, of one `game` if it is given."""
    tallies: dict[str, Tally] = {}
    people: dict[bytes, Opponent] = {}
    for verdict in _once(verdicts):
        if game is not None and verdict.game != game:
            continue
        keys = [seat.key for seat in verdict.seats]
        if me not in keys:
            continue
        seat = keys.index(me)
        _add(tallies.setdefault(verdict.game, Tally()), verdict, seat)
        _meet(people, verdict, seat)
    return Summary(
        {name: tallies[name] for name in registry.GAMES if name in tallies},
        tuple(sorted(people.values(), key=lambda one: (-one.matches, one.name, one.key))),
    )


def _once(verdicts: Iterable[Verdict]) -> list[Verdict]:
    """Each match once, the oldest first."""
    best: dict[bytes, Verdict] = {}
    for verdict in verdicts:
        other = best.get(verdict.match)
        if other is None or _told(verdict) > _told(other):
            best[verdict.match] = verdict
    return sorted(best.values(), key=lambda verdict: (verdict.created, verdict.match))


def _told(verdict: Verdict) -> tuple[int, int]:
    return _RANK[verdict.status], verdict.hands


def _add(tally: Tally, verdict: Verdict, seat: int) -> None:
    tally.matches += 1
    tally.hands += verdict.hands
    tally.void += verdict.void
    tally.left += seat in verdict.absent
    tally.excluded += seat in verdict.excluded
    for mark in verdict.marks:
        if mark.seat == seat:
            often, highest = tally.marks.get(mark.kind, (0, 0))
            tally.marks[mark.kind] = often + mark.count, max(highest, mark.highest)
    if verdict.status is Status.ABANDONED:
        tally.abandoned += 1
    result = verdict.result
    if result is None or verdict.status is not Status.COMPLETE:
        tally.open += verdict.status is Status.OPEN
        return
    tally.paid += result.paid[seat]
    tally.won_units += result.won[seat]
    score = result.scores[seat]
    better = min if registry.get(verdict.game).low_score_wins else max
    tally.best = score if tally.best is None else better(tally.best, score)
    if not result.winners:
        tally.undecided += 1
        return
    won = seat in result.winners
    tally.won += won
    tally.lost += not won
    tally.streak.add(won)


def _meet(people: dict[bytes, Opponent], verdict: Verdict, seat: int) -> None:
    winners = verdict.result.winners if verdict.result else ()
    if verdict.status is not Status.COMPLETE:
        winners = ()
    for number, other in enumerate(verdict.seats):
        if number == seat:
            continue
        one = people.setdefault(other.key, Opponent(other.key, other.name))
        one.name = other.name  # the matches come oldest first
        one.matches += 1
        one.mine += seat in winners and number not in winners
        one.theirs += number in winners and seat not in winners
        one.excluded += number in verdict.excluded
