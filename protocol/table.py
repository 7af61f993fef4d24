"""A table in play: entries come in, in any order and from anywhere; the match goes on.

Law: this is the live side of `position`: it collects the due contributions, adds this node's own
when they are due, writes the log and keeps proof of what others did wrong. It knows no socket, no
clock and no terminal: `receive` and `play` go in, events come out through `emit`, in order, from
the same thread. Nothing is sent before the journal holds it.

An honest node never needs to be told what is due; a node that missed something asks others for
the entries from a step on (`entries_from`).
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from engine.contract import Move, State
from protocol.contribution import Class, Contribution, Entry, Place, statement
from protocol.errors import Fault, LocalProtocolError
from protocol.evidence_file import Case, Charge, pack_evidence
from protocol.group import Group
from protocol.header import SignedHeader
from protocol.identity import verify
from protocol.log import LogWriter, Step
from protocol.player import Player
from protocol.position import Position, checked_step, first_position
from protocol.stages import Checked

EARLY_STEPS = 16
"""How many steps ahead of ours an entry may be and still be kept."""
EARLY_COPIES = 4
"""How many signed entries of one seat are kept for one step ahead."""


class Verdict(enum.Enum):
    """What became of an entry."""

    ACCEPTED = "accepted"
    DUPLICATE = "duplicate"
    EARLY = "early"
    """For a step ahead of ours: kept, ask for what lies between."""
    DIVERGENT = "divergent"
    """On a head that isn't ours: no offence, but ask for the steps where we part."""
    FOREIGN = "foreign"
    """Of another match, or of a kind that has no place here."""
    FORGED = "forged"
    """Not signed by the seat that it names: whoever passed it on is at fault."""
    GUILTY = "guilty"
    """It proves its author's fault; an `Accused` event tells more."""
    HALTED = "halted"
    """Nothing is taken any more: the match is disputed or closed."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Give this to every other node."""

    entry: Entry


@dataclass(frozen=True, slots=True)
class Advanced:
    """A step is complete."""

    step: Step
    before: Position
    after: Position


@dataclass(frozen=True, slots=True)
class YourMove:
    """This seat has to choose; `view` is the game as it sees it. Answer with `Table.play`."""

    position: Position
    view: State


@dataclass(frozen=True, slots=True)
class Accused:
    """A seat has done wrong and signed it; `evidence` is a file that anybody can judge.

    `entries` are what convicts: give them to every other node. Keys that cancel out have no single
    author: then `fault.seat` is None, and `evidence` and `entries` are empty.
    """

    fault: Fault
    evidence: bytes
    entries: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Finished:
    """The footer is complete."""

    position: Position


Event = Outgoing | Advanced | YourMove | Accused | Finished


class Table:
    """One match at one node: a player's, or a spectator's without `player`."""

    def __init__(
        self,
        header: SignedHeader,
        group: Group,
        emit: Callable[[Event], None],
        *,
        player: Player | None = None,
        writer: LogWriter | None = None,
    ) -> None:
        """Take up the match where `writer`'s log ends, or at its beginning.

        Fault: the log at hand doesn't verify. InvalidHeader, UnsupportedFormat: it can't be
        played here.
        """
        self._emit = emit
        self.player = player
        self._writer = writer
        self.header = header
        self.position = first_position(header.header, header.payload, group)
        self.steps: list[Step] = []
        self.heads: list[bytes] = [self.position.head]
        self.accusation: Accused | None = None
        self._pending: dict[int, Checked] = {}
        self._early: dict[int, list[Entry]] = {}
        self._started = False
        hand: list[Position] = []
        for step in writer.opened.steps if writer else ():
            done, self.position = checked_step(self.position, step.entries)
            self._keep(done)
            hand = [p for p in hand if p.state.hand == self.position.state.hand]
            hand.append(self.position)
        for position in hand:  # of earlier hands the seed may be erased
            self._follow(position)

    @property
    def halted(self) -> bool:
        """Whether the match is over here: closed or disputed."""
        return self.accusation is not None or self.position.closed

    @property
    def held(self) -> tuple[int, ...]:
        """The seats whose contributions to the step that is due are at hand."""
        return tuple(sorted(self._pending))

    @property
    def missing(self) -> tuple[int, ...]:
        """The seats for which the step that is due still waits."""
        due = self.position.due
        return tuple(seat for seat in due.seats if seat not in self._pending) if due else ()

    def start(self) -> None:
        """Begin: contribute whatever is due from this seat now."""
        self._started = True
        self._own()
        self._go_on()  # after a restart this seat's part may have been the last one missing

    # -- what comes in ------------------------------------------------------------------------

    def receive(self, entry: Entry) -> Verdict:
        """Take an entry from the network."""
        place = entry.place
        if place.match != self.header.match or place.cls is not Class.PLAY or place.attempt:
            return Verdict.FOREIGN
        if place.step < 1 or not 0 <= entry.contribution.seat < len(self.header.header.seats):
            return Verdict.FOREIGN
        if self.halted and place.step >= self.position.step:
            return Verdict.HALTED
        if place.step > self.position.step:
            return self._receive_early(entry)
        if place.head != self.heads[place.step - 1]:
            return Verdict.DIVERGENT
        known = self._known(place, entry.contribution.seat)
        if known is not None and known == entry.contribution:
            return Verdict.DUPLICATE
        if not self._signed(entry):
            return Verdict.FORGED
        if known is not None:
            return self._contradiction(place, known, entry.contribution)
        if place.step < self.position.step:  # signed, for a past step in which it had no part
            text = "it contributed to a step that needed nothing of it"
            fault = Fault(entry.contribution.seat, place.step, "not-due", text)
            return self._accuse(fault, Charge.INVALID, (entry,))
        verdict = self._take(entry)
        if verdict is Verdict.ACCEPTED:
            self._go_on()
        return verdict

    def play(self, move: Move) -> None:
        """This seat's choice. IllegalMove if the rules forbid it; nothing has happened then."""
        if self.player is None or not self.player.must_decide(self.position) or self.halted:
            raise LocalProtocolError("no decision of this seat is due")
        if self.player.seat in self._pending:
            raise LocalProtocolError("this seat has already decided")
        self._send(self.player, self.player.contribute(self.position, move))
        self._go_on()

    def _receive_early(self, entry: Entry) -> Verdict:
        step = entry.place.step
        if step > self.position.step + EARLY_STEPS:
            return Verdict.EARLY
        if not self._signed(entry):
            return Verdict.FORGED
        waiting = self._early.setdefault(step, [])
        if entry in waiting:
            return Verdict.DUPLICATE
        seat = entry.contribution.seat
        if sum(other.contribution.seat == seat for other in waiting) < EARLY_COPIES:
            waiting.append(entry)
        return Verdict.EARLY

    def _signed(self, entry: Entry) -> bool:
        c = entry.contribution
        key = self.header.header.seats[c.seat].key
        return verify(key, statement(entry.place, c), c.signature)

    def _known(self, place: Place, seat: int) -> Contribution | None:
        if place.step == self.position.step:
            pending = self._pending.get(seat)
            return pending.contribution if pending else None
        entries = self.steps[place.step - 1].entries
        return next((c for c in entries if c.seat == seat), None)

    def _take(self, entry: Entry) -> Verdict:
        """Check a signed contribution to the step that is due, and keep it."""
        try:
            checked = self.position.check(entry.contribution)
        except Fault as fault:
            if fault.kind == "signature":
                return Verdict.FORGED
            return self._accuse(fault, Charge.INVALID, (entry,))
        self._pending[entry.contribution.seat] = checked
        return Verdict.ACCEPTED

    # -- going on -----------------------------------------------------------------------------

    def _go_on(self) -> None:
        """Complete every step that can be completed, contributing what is due on the way."""
        while not self.halted and not self.missing:
            before = self.position
            try:
                step, self.position = before.advance(self._pending.values())
            except Fault as fault:  # nobody in particular did it, so there is no evidence
                self._halt(Accused(fault, b"", ()))
                return
            self._pending = {}
            self._keep(step)
            if self._writer:
                self._writer.append(step)
            self._follow(self.position)
            self._emit(Advanced(step, before, self.position))
            if self.position.closed:
                self._sync()
                self._emit(Finished(self.position))
                return
            self._own()
            for entry in self._early.pop(self.position.step, ()):
                if entry.place.head == self.position.head and not self.halted:
                    self._take_early(entry)

    def _take_early(self, entry: Entry) -> None:
        seat = entry.contribution.seat
        known = self._pending.get(seat)
        if known is None:
            self._take(entry)
        elif known.contribution != entry.contribution:
            self._contradiction(entry.place, known.contribution, entry.contribution)

    def _own(self) -> None:
        """Contribute what is due from this seat, or ask for its decision."""
        player = self.player
        if not self._started or player is None or not player.is_due(self.position):
            return
        if player.seat in self._pending:
            return
        signed = player.signed(self.position)
        if signed is not None:  # before a crash: the same octets go out again
            self._send(player, signed)
        elif player.must_decide(self.position):
            self._sync()
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

    def _keep(self, step: Step) -> None:
        self.steps.append(step)
        self.heads.append(self.position.head)

    def _sync(self) -> None:
        if self._writer:
            self._writer.sync()

    # -- what goes out --------------------------------------------------------------------------

    def entries_from(self, step: int, held: Sequence[int] = ()) -> Iterator[Entry]:
        """The entries of `step` and all later ones, less those of seats `held` at `step`."""
        for number in range(max(step, 1), self.position.step + 1):
            place = Place(self.header.match, self.heads[number - 1], number)
            if number <= len(self.steps):
                contributions = self.steps[number - 1].entries
            else:
                contributions = tuple(c.contribution for _, c in sorted(self._pending.items()))
            for contribution in contributions:
                if number > step or contribution.seat not in held:
                    yield Entry(place, contribution)

    # -- evidence -------------------------------------------------------------------------------

    def _contradiction(self, place: Place, first: Contribution, second: Contribution) -> Verdict:
        text = "it signed two different contributions to one step"
        fault = Fault(first.seat, place.step, "contradiction", text)
        entries = (Entry(place, first), Entry(place, second))
        return self._accuse(fault, Charge.CONTRADICTION, entries)

    def _accuse(self, fault: Fault, charge: Charge, entries: tuple[Entry, ...]) -> Verdict:
        if self.accusation is None:
            payloads = [step.pack() for step in self.steps[: fault.step - 1]]
            evidence = pack_evidence(self.header.payload, payloads, Case(charge, entries))
            self._halt(Accused(fault, evidence, entries))
        return Verdict.GUILTY

    def _halt(self, accusation: Accused) -> None:
        self.accusation = accusation
        self._sync()
        self._emit(accusation)
