"""The votes about one step on one head, and what they allow whoever signed some of them.

Law: bookkeeping over checked votes; it signs nothing and knows no game. What keeps forks out is
here: whoever signed a vote neither completes the step otherwise nor leaves it, unless that vote is
*dead*: another seat that would have to sign the same has signed something else in the same attempt,
or can't sign on this branch any more. A seat signs once in an attempt, so dead is for good.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from protocol.contribution import MAX_ATTEMPT, Contribution, Kind
from protocol.votes import DECISIONS, Vote

Cast = tuple[Contribution, Vote]


@dataclass(slots=True)
class Ballot:
    """`attempts` maps each attempt to what each seat signed in it."""

    attempts: dict[int, dict[int, Cast]] = field(default_factory=dict)

    def add(self, c: Contribution, vote: Vote) -> None:
        """Take in a checked vote; the first of a seat in an attempt stays."""
        self.attempts.setdefault(vote.attempt, {}).setdefault(c.seat, (c, vote))

    def of(self, seat: int, attempt: int) -> Contribution | None:
        """What `seat` signed in `attempt`."""
        cast = self.attempts.get(attempt, {}).get(seat)
        return cast[0] if cast else None

    def casts(self) -> Iterator[Cast]:
        """All votes, by attempt and seat."""
        for _, votes in sorted(self.attempts.items()):
            for _, cast in sorted(votes.items()):
                yield cast

    @property
    def latest(self) -> int:
        """The last attempt in which anybody voted, -1 before any."""
        return max(self.attempts, default=-1)

    def dead(self, vote: Vote, in_play: Collection[int], elsewhere: Collection[int] = ()) -> bool:
        """Whether `vote` can never be part of a decision; `elsewhere` are seats on other branches
        of a fork, which sign nothing more on this one."""
        votes = self.attempts.get(vote.attempt, {})
        needed = set(in_play) - set(vote.away)
        if needed & set(elsewhere):
            return True
        return any(s in votes and votes[s][1].stand != vote.stand for s in needed)

    def binds(self, seat: int, in_play: Collection[int], elsewhere: Collection[int] = ()) -> bool:
        """Whether `seat` has signed a vote to leave something out that isn't dead."""
        return any(
            votes[seat][1].kind in DECISIONS and not self.dead(votes[seat][1], in_play, elsewhere)
            for votes in self.attempts.values()
            if seat in votes
        )

    def next_attempt(self, seat: int, stand: tuple[Kind, tuple[int, ...]]) -> int | None:
        """The attempt in which `seat` shall vote for `stand`; None if it has done so in the
        latest one, or there is none left."""
        latest = self.latest
        if latest < 0:
            return 0
        cast = self.attempts[latest].get(seat)
        if cast is None:
            return latest
        if cast[1].stand == stand or latest == MAX_ATTEMPT:
            return None
        return latest + 1

    def silent(self, in_play: Collection[int]) -> set[int]:
        """The seats in play without a vote in the latest attempt, if there is one."""
        votes = self.attempts.get(self.latest, {})
        return set(in_play) - set(votes) if votes else set()
