"""The votes about one step on one head, and what they allow whoever signed some of them.

Law: bookkeeping over checked votes; it signs nothing and knows no game. What keeps forks out is
here: whoever signed a vote neither completes the step otherwise nor leaves it, unless that vote is
*dead*: another seat that would have to sign the same has signed something else in the same attempt.
A seat signs once in an attempt, so dead is for good.
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

    def replace(self, c: Contribution, vote: Vote) -> None:
        """Let a checked vote stand for the other one that its seat has signed in the attempt."""
        self.attempts.setdefault(vote.attempt, {})[c.seat] = (c, vote)

    def of(self, seat: int, attempt: int) -> Contribution | None:
        """What `seat` signed in `attempt`."""
        cast = self.attempts.get(attempt, {}).get(seat)
        return cast[0] if cast else None

    def casts(self) -> Iterator[Cast]:
        """All votes, by attempt and seat."""
        for _, votes in sorted(self.attempts.items()):
            for _, cast in sorted(votes.items()):
                yield cast

    def latest(self, seat: int) -> int:
        """The attempt that the votes have come to, as `seat` sees it; -1 before any.

        That is its own last one, or a later one that two others have come to: a single seat that
        runs ahead isn't followed, or it could use up all attempts that there are.
        """
        come_to = max(self._last(seat), self._common(seat))
        return come_to if come_to >= 0 else max(self.attempts, default=-1)

    def dead(self, vote: Vote, in_play: Collection[int]) -> bool:
        """Whether `vote` can never be part of a decision."""
        votes = self.attempts.get(vote.attempt, {})
        needed = set(in_play) - set(vote.away)
        return any(s in votes and votes[s][1].stand != vote.stand for s in needed)

    def binding(self, seat: int, in_play: Collection[int]) -> Vote | None:
        """The latest vote to leave something out that `seat` has signed and that isn't dead."""
        for _, votes in sorted(self.attempts.items(), reverse=True):
            vote = votes[seat][1] if seat in votes else None
            if vote and vote.kind in DECISIONS and not self.dead(vote, in_play):
                return vote
        return None

    def next_attempt(
        self, seat: int, stand: tuple[Kind, tuple[int, ...]], in_play: Collection[int]
    ) -> int | None:
        """The attempt in which `seat` shall vote for `stand`; None if it has done so in the latest
        one and that can still decide, or if there is none left."""
        own = self._last(seat)
        latest = max(own, self._common(seat), 0)
        if own < latest:
            return latest
        vote = self.attempts[own][seat][1]
        if own == MAX_ATTEMPT or (vote.stand == stand and not self.dead(vote, in_play)):
            return None
        return own + 1

    def excluding(self, seat: int, in_play: Collection[int], but: Collection[int]) -> bool:
        """Whether the last vote of `seat` is to exclude somebody, and could still decide or was
        refused by a seat other than those of `but`."""
        votes = self.attempts.get(self._last(seat), {})
        if seat not in votes or votes[seat][1].kind is not Kind.EXCLUDE:
            return False
        return self.refused(but) or not self.dead(votes[seat][1], in_play)

    def refused(self, but: Collection[int]) -> bool:
        """Whether a seat other than those of `but` has refused to exclude anybody."""
        for votes in self.attempts.values():
            said = {vote.kind for seat, (_, vote) in votes.items() if seat not in but}
            if {Kind.REFUSE, Kind.EXCLUDE} <= said:
                return True
        return False

    def firm(self, but: Collection[int]) -> tuple[Contribution, ...]:
        """What fills the step for good, as a seat other than those of `but` has said; else ()."""
        for c, vote in self.casts():
            if vote.firm and c.seat not in but:
                return vote.kept
        return ()

    def _last(self, seat: int) -> int:
        """The last attempt in which `seat` voted, -1 if it never did."""
        return max((a for a, votes in self.attempts.items() if seat in votes), default=-1)

    def _common(self, seat: int) -> int:
        """The last attempt that two others than `seat` have come to, -1 if there is none."""
        others = {voter for votes in self.attempts.values() for voter in votes} - {seat}
        return sorted([-1, -1, *map(self._last, others)])[-2]

    def silent(self, in_play: Collection[int], seat: int = -1) -> set[int]:
        """The seats in play without a vote in the latest attempt, as `seat` sees it, if any."""
        votes = self.attempts.get(self.latest(seat), {})
        return set(in_play) - set(votes) if votes else set()
