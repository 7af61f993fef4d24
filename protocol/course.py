"""The course of a match at one node: its log, what is due from this seat, what others see of it.

Law: it moves along the log, on and back, and tells of it: what is due from this seat, what the log
holds and what goes out to others. What may be done is `protocol.standing`'s question, when it is
done `protocol.table`'s; it knows no socket, no clock and no terminal either.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from protocol.branch import Branch
from protocol.contribution import Class, Entry
from protocol.errors import Fault, LocalProtocolError
from protocol.group import Group
from protocol.header import SignedHeader
from protocol.log import LogWriter, Step
from protocol.player import Player
from protocol.position import Position, checked_step, first_position
from protocol.stages import Checked
from protocol.standing import Standing
from protocol.table_events import Accused, Advanced, CutBack, Event, Finished, Outgoing, YourMove
from protocol.votes import DECISIONS, VOTES


class Course(Standing):
    """What a `Table` moves along; only its subclass makes one."""

    def __init__(
        self,
        header: SignedHeader,
        group: Group,
        emit: Callable[[Event], None],
        *,
        player: Player | None = None,
        writer: LogWriter | None = None,
        first: Position | None = None,
    ) -> None:
        """Take up the match where `writer`'s log ends, or at its beginning.

        `first`: the Position after the header, by default the header's own.
        Fault: the log at hand doesn't verify (its proofs aren't checked a second time).
        InvalidHeader, UnsupportedFormat: it can't be played here.
        """
        begin = first or first_position(header.header, header.payload, group)
        super().__init__(Branch(begin, writer), player)
        self._emit = emit
        self.header = header
        self._pending: dict[int, Checked] = {}
        self._early: dict[int, list[Entry]] = {}
        self._started = False
        self.accusation: Accused | None = None
        self._restore(writer)

    def _restore(self, writer: LogWriter | None) -> None:
        """Read the log again, and what this seat has voted."""
        hand: list[Position] = []
        for step in writer.opened.steps if writer else ():
            before = self.position
            # This node verified the proofs before it wrote them; what they prove is read again.
            done, after = checked_step(replace(before, later=True), step.entries)
            self._branch.take(done, after)
            self._forget(before, after)
            hand = [p for p in hand if p.state.hand == after.state.hand]
            hand.append(after)
        for position in hand:  # of earlier hands the seed may be erased
            self._follow(position)
        if self.player is not None:
            self._remember_votes(self.player)

    def _remember_votes(self, player: Player) -> None:
        """What this seat voted before a restart binds it as before."""
        position = self.position
        for entry in player.all_signed(self.header.match):
            number, head, c = entry.place.step, entry.place.head, entry.contribution
            player.cut_back |= number > position.step or not self._branch.holds(number, head)
            if c.kind in VOTES:
                self._own_votes.setdefault(head, []).append(c)
                if number > position.step and c.kind in DECISIONS:
                    self._ahead = {number: head}
        for number in range(1, position.step + 1):
            there = self._branch.at(number)
            if there is not None:
                self._recall(there)

    @property
    def held(self) -> tuple[int, ...]:
        """The seats whose contributions to the step that is due are at hand."""
        return tuple(sorted(self._pending))

    @property
    def missing(self) -> tuple[int, ...]:
        """The seats for which the step that is due still waits."""
        due = self.position.due
        return tuple(seat for seat in due.seats if seat not in self._pending) if due else ()

    # -- going on ----------------------------------------------------------------------------------

    def _arrive(self, done: Step, before: Position, after: Position) -> None:
        self._pending = {}
        self._branch.extend(done, after)
        if before.decided != after.decided:  # the seeds go only when the log says why
            self._branch.sync()
            self._forget(before, after)
        self._follow(after)
        self._come_to(after)
        for step in [s for s in self._ballots if self._branch.at(s) is None]:
            del self._ballots[step]
        self._emit(Advanced(done, before, after))
        if after.closed:
            self._branch.sync()
            self._emit(Finished(after))

    def _own(self) -> None:
        """Contribute what is due from this seat, or ask for its decision."""
        player = self.player
        if not self._started or self.halted or player is None:
            return
        if not player.is_due(self.position) or player.seat in self._pending:
            return
        signed = player.signed(self.position)
        if signed is not None:  # before a crash: the same octets go out again
            self._send(player, signed)  # even if a later vote binds, since others may build on it
            return
        if self.bound:
            return
        # What is signed on a head is never lost before the head itself: a node that a power cut
        # sets back behind its own signatures could vote about steps that it had completed.
        self._branch.sync()
        if player.must_decide(self.position):
            self._emit(YourMove(self.position, player.view(self.position)))
        else:
            self._send(player, player.contribute(self.position))

    def _send(self, player: Player, entry: Entry) -> None:
        # Sent first, checked afterwards: the others verify a shuffle while we do.
        self._emit(Outgoing(entry))
        try:
            # Our own proofs follow from our own seed, so only what they prove is read.
            checked = replace(self.position, later=True).check(entry.contribution)
        except Fault as fault:
            raise LocalProtocolError(f"our own contribution is wrong: {fault}") from fault
        self._pending[player.seat] = checked

    def _follow(self, position: Position) -> None:
        if self.player:
            self.player.follow(position)

    def _forget(self, before: Position, after: Position) -> None:
        """Erase the seed of a hand that a decision has made void."""
        if self.player and before.decided != after.decided and before.deal is not None:
            self.player.forget(before)

    def _cut(self, step: int) -> None:
        """Cut the log back: `step` is due again, what was contributed to it still at hand."""
        dropped = self.steps[step - 1].entries
        self._leave(step)
        path = self._branch.cut(step)
        self._pending = {}
        for c in dropped:
            if c.kind not in VOTES:
                self._pending[c.seat] = replace(self.position, later=True).check(c)
        self._early = {}
        if self.player:
            self.player.cut_back = True
            self.player.look_again(self.position)
        self._branch.sync()
        self._emit(CutBack(step, path))

    def _tell(self, accused: Accused) -> None:
        self.accusation = self.accusation or accused
        self._branch.sync()
        self._emit(accused)

    # -- what goes out ----------------------------------------------------------------------------

    def entries_from(self, step: int, held: Sequence[int] = ()) -> Iterator[Entry]:
        """The entries of `step` and all later ones, less those of seats `held` at `step`, with the
        votes about them and what convicts a seat."""
        later = sorted(self._convictions.entries(self.position), key=lambda e: e.place.step)
        yield from (entry for entry in later if entry.place.step < step)
        for number in range(max(step, 1), self.position.step + 1):
            place = self._branch.place(number)
            if number <= len(self.steps):
                entries = self._branch.entries(number)
            else:
                entries = [Entry(place, c.contribution) for _, c in sorted(self._pending.items())]
            for entry in entries:
                if number > step or entry.contribution.seat not in held or entry.place != place:
                    yield entry
            ballot = self._ballots.get(number)
            for c, vote in ballot.casts() if ballot else ():
                yield Entry(replace(place, attempt=vote.attempt, cls=Class.VOTE), c)
            yield from (entry for entry in later if entry.place.step == number)
