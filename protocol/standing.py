"""Where a node stands: its log, its votes, and what both and the proofs at hand allow it.

Law: questions only, about what a node holds; it signs nothing, sends nothing and moves nowhere.
`protocol.course` moves along the log and `protocol.table` decides when.
"""

from __future__ import annotations

from protocol.ballot import Ballot
from protocol.branch import Branch
from protocol.contribution import Contribution, Kind
from protocol.convictions import Convictions
from protocol.decisions import check_vote, decide, decision_of
from protocol.log import Step
from protocol.player import Player
from protocol.position import Position
from protocol.votes import DECISIONS, VOTES, Decision, Vote, is_majority


class Standing:
    """What a `Course` knows of itself; only its subclass makes one."""

    def __init__(self, branch: Branch, player: Player | None) -> None:
        self.player = player
        self._branch = branch
        self._convictions = Convictions()
        self._ballots: dict[int, Ballot] = {}
        self._own_votes: dict[bytes, list[Contribution]] = {}
        self._ahead: dict[int, bytes] = {}
        self._stuck = False

    # -- what is where ----------------------------------------------------------------------------

    @property
    def position(self) -> Position:
        """Where the match stands."""
        return self._branch.position

    @property
    def steps(self) -> list[Step]:
        """The steps of the log."""
        return self._branch.steps

    def at(self, step: int) -> Position | None:
        """The position at which `step` is due, None where it isn't kept any more, or not yet."""
        return self._branch.at(step)

    @property
    def heads(self) -> list[bytes]:
        """H_0 and the chain value after each step."""
        return self._branch.heads

    @property
    def halted(self) -> bool:
        """Whether the match is over here: closed, or nobody can go on."""
        return self._stuck or self.position.closed

    @property
    def floor(self) -> int:
        """The first step that could still be cut off: where to compare from after a fork."""
        return self.position.settled + 1

    @property
    def _seat(self) -> int:
        """This seat, -1 for a spectator."""
        return -1 if self.player is None else self.player.seat

    # -- what votes amount to ---------------------------------------------------------------------

    @property
    def undecided(self) -> tuple[int, ...]:
        """The seats whose votes a vote that is under way still waits for."""
        ballot = self._ballots.get(self.position.step)
        away = {seat for seats in self.proposed for seat in seats}
        if ballot is None:
            return ()
        return tuple(sorted(ballot.silent(self.position.in_play, self._seat) - away))

    @property
    def proposed(self) -> tuple[tuple[int, ...], ...]:
        """Whom the latest votes would leave out, each set once."""
        ballot = self._ballots.get(self.position.step)
        votes = ballot.attempts.get(ballot.latest(self._seat), {}) if ballot else {}
        return tuple(sorted({v.away for _, v in votes.values() if v.kind in DECISIONS}))

    def _ballot(self, step: int) -> Ballot:
        return self._ballots.setdefault(step, Ballot())

    def _decided(self, step: int) -> Decision | None:
        """The decision about `step` that this node must follow, if there is one.

        The one of the latest attempt counts: whoever signed in it had followed no earlier one, and
        follows none that it learns of afterwards, while its own vote could still decide.
        """
        ballot, position = self._ballots.get(step), self._branch.at(step)
        if ballot is None or position is None or position.due is None:
            return None
        complete = step < self.position.step
        kept = self._last_word(step)
        if kept:
            same = complete and self.steps[step - 1].entries == kept
            return None if same or kept[0].kind not in VOTES else decision_of(position, kept)
        binding = self._binding(step)
        for attempt, votes in sorted(ballot.attempts.items(), reverse=True):
            if binding is not None and attempt < binding.attempt:
                return None
            decision = decide(position, votes)
            if decision is None:
                continue
            if complete and self.steps[step - 1].entries == decision.votes:
                return None
            if self._concerns(position, decision):
                return decision
        return None

    def _concerns(self, position: Position, decision: Decision) -> bool:
        """Whether this node takes the decision over.

        Those who close a match close it for themselves where the others can go on without them.
        """
        seat = self.player.seat if self.player else -1
        voters = {c.seat for c in decision.votes}
        if seat in voters:
            return position.step == self.position.step
        others = set(position.in_play) - voters
        return decision.kind is not Kind.ABANDON or not is_majority(
            others, position.in_play, decision.convicted
        )

    def _attempt(self, step: int) -> int:
        """The attempt in which a decision that fills `step` was made."""
        return self._branch.entries(step)[0].place.attempt

    # -- what votes and proofs allow --------------------------------------------------------------

    @property
    def bound(self) -> bool:
        """Whether this seat has voted to go on without somebody and waits for what comes of it."""
        step = self.position.step
        return not self._last_word(step) and (self._binds(step) or self._excludes(step))

    @property
    def tied(self) -> bool:
        """Whether this seat has cut its log back behind a vote of its own that could still decide:
        then it signs nothing that could be decided without any seat that may still sign."""
        return bool(self._ahead)

    def _binding(self, step: int) -> Vote | None:
        """The latest vote about `step` that this seat has signed and that could still decide."""
        ballot, position = self._ballots.get(step), self._branch.at(step)
        if ballot is None or position is None or self.player is None:
            return None
        return ballot.binding(self.player.seat, position.in_play)

    def _binds(self, step: int) -> bool:
        return self._binding(step) is not None

    def _bound_beyond(self, step: int) -> bool:
        """Whether a vote of this seat about a step after `step` could still decide."""
        return any(self._binds(later) for later in self._ballots if later > step)

    def _excludes(self, step: int) -> bool:
        """Whether this seat has voted to exclude somebody at `step` and nobody has refused: then
        it doesn't complete the step otherwise, whatever became of that attempt."""
        ballot = self._ballots.get(step)
        if ballot is None:
            return False
        mine = any(v.kind is Kind.EXCLUDE for c, v in ballot.casts() if c.seat == self._seat)
        return mine and not ballot.refused(self._guilty(step))

    def _guilty(self, step: int) -> set[int]:
        """The convicted seats that have a part at `step`."""
        position = self._branch.at(step)
        return {c.seat for c in self._convictions.against(position)} if position else set()

    def _done_for(self, step: int) -> set[int]:
        """The seats that sign nothing any more from `step` on: convicted, or the match is closed
        for them."""
        closed = {
            c.seat
            for at, ballot in self._ballots.items()
            for c, vote in ballot.casts()
            if at <= step and vote.kind is Kind.ABANDON
        }
        return self._guilty(step) | closed - {self._seat}

    def _last_word(self, step: int) -> tuple[Contribution, ...]:
        """What fills `step` for good at another node, where somebody is convicted; else ().

        Only proof gives such a refusal its force: without any, whoever lies could free others of
        their votes by it.
        """
        ballot, guilty = self._ballots.get(step), self._guilty(step)
        return ballot.firm(guilty) if ballot and guilty else ()

    def _firm(self, step: int) -> bool:
        """Whether `step` can't be undone here any more: all have signed upon it, or nobody who
        signed a decision made there or later is known to lie."""
        if step <= self.position.settled or self.position.closed:
            return True
        liars = self._convictions.seats
        return any(
            self._branch.is_decision(s)
            and liars.isdisjoint(c.seat for c in self.steps[s - 1].entries)
            for s in range(step, self.position.step)
        )

    # -- own votes where the log was or comes to --------------------------------------------------

    def _leave(self, step: int) -> None:
        """The log is about to be cut back to `step`: remember what binds this seat beyond."""
        bound = [later for later in self._ballots if later > step and self._binds(later)]
        for later in range(step + 1, max(bound, default=0) + 1):
            self._ahead[later] = self.heads[later - 1]
        self._ballots = {s: ballot for s, ballot in self._ballots.items() if s <= step}

    def _come_to(self, position: Position) -> None:
        """The log has come to `position`, perhaps once more."""
        there = self._ahead.get(position.step, position.head) == position.head
        if self._ahead and (not there or position.step >= max(self._ahead)):
            self._ahead = {}  # it goes another way now, or is where the vote binds by itself
        self._recall(position)

    def _recall(self, position: Position) -> None:
        """Take up what this seat has voted at `position` before."""
        for c in self._own_votes.get(position.head, ()):
            self._ballot(position.step).add(c, check_vote(position, c))
