"""From the penalties of a deal to totals, places and the end (TRA-20..TRA-23, GEN-01, GEN-02).

Law: this file knows a match between two deals and what a deal or a departure does to it. It must
never know slots, turns or who may see what.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from engine.contract import Result
from engine.games.traversone_count import TraversoneOptions

PLAY_ON: Final = ""
BELOW_THRESHOLD: Final = "below-threshold"
LOWEST_TOTAL: Final = "lowest-total"
FURTHER_DEAL: Final = "further-deal"
SHARED: Final = "shared"
OTHERS_LEFT: Final = "others-left"
ABANDONED: Final = "abandoned"
UNFINISHED: Final = "unfinished"


@dataclass(slots=True)
class Match:
    """What outlives a deal. Nobody changes one: it isn't frozen since one is made for each deal,
    and that would take several times as long.

    totals   penalties of each seat, further deals not included (they begin from 0)
    living   the seats that play the next deal, ascending
    placed   seats that have their place while others still play for one (TRA-22)
    further  the next deal is a further one: it decides between seats that were tied
    ended    why the match is over, PLAY_ON while it isn't; then `placed` are the winners
    """

    options: TraversoneOptions
    totals: tuple[int, ...]
    living: tuple[int, ...]
    placed: tuple[int, ...] = ()
    further: bool = False
    ended: str = PLAY_ON

    def next_dealer(self, start: int) -> int:
        """The first living seat from `start` on, in the order of play."""
        start %= len(self.totals)
        return next((seat for seat in self.living if seat >= start), self.living[0])

    def result(self) -> Result:
        """How it ended, or how it stands (`unfinished`); no money is played for."""
        nothing = (0,) * len(self.totals)
        winners = self.placed if self.ended else ()
        reason = self.ended or UNFINISHED
        return Result(winners, self.totals, nothing, nothing, reason)


def new_match(options: TraversoneOptions, seats: int) -> Match:
    """A match before its first deal."""
    return Match(options, (0,) * seats, tuple(range(seats)))


def settle(match: Match, players: Sequence[int], penalties: Sequence[int]) -> Match:
    """What a deal does whose `players` got these `penalties`."""
    if match.further:
        scored = dict(zip(players, penalties, strict=True))
        return _places(match, scored, FURTHER_DEAL)
    options = match.options
    more = list(match.totals)
    for seat, penalty in zip(players, penalties, strict=True):
        more[seat] += penalty
    totals, threshold = tuple(more), options.threshold
    below = tuple([seat for seat in match.living if more[seat] < threshold])
    if len(below) > options.winners:
        return Match(options, totals, below)
    match = replace(match, totals=totals, placed=below)
    if len(below) == options.winners:
        return _end(match, BELOW_THRESHOLD)
    put_out = {seat: totals[seat] for seat in match.living if seat not in below}
    return _places(match, put_out, LOWEST_TOTAL)


def _places(match: Match, scored: dict[int, int], reason: str) -> Match:
    """TRA-21, TRA-22: the lower scores take the free places; of those who are tied for the last
    one a further deal decides, or they share it."""
    free = match.options.winners - len(match.placed)
    line = sorted(scored.values())[free - 1]
    lower = [seat for seat, score in scored.items() if score < line]
    tied = tuple(sorted(seat for seat, score in scored.items() if score == line))
    match = replace(match, placed=tuple(sorted([*match.placed, *lower])))
    if len(lower) + len(tied) == free:
        return _end(match, reason, tied)
    if match.options.tie_break == "share":
        return _end(match, SHARED, tied)
    return replace(match, living=tied, further=True)


def put_out(match: Match, seats: Collection[int]) -> Match:
    """GEN-02: `seats` go away and get no place; an ended match stays as it ended."""
    if match.ended or not seats:
        return match
    match = replace(
        match,
        living=tuple(seat for seat in match.living if seat not in seats),
        placed=tuple(seat for seat in match.placed if seat not in seats),
    )
    if len(match.living) + len(match.placed) > match.options.winners:
        return match
    there = bool(match.living or match.placed)
    return _end(match, OTHERS_LEFT if there else ABANDONED, match.living)


def _end(match: Match, reason: str, more: Iterable[int] = ()) -> Match:
    return replace(match, placed=tuple(sorted({*match.placed, *more})), living=(), ended=reason)
