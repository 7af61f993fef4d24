"""A table in play: entries come in, in any order and from anywhere; the match goes on.

Law: this is the live side of `position`: it collects the due contributions, adds this node's own
when they are due, writes the log, votes about those who are silent or have cheated, and keeps proof
of what others did wrong. It knows no socket, no clock and no terminal: `receive`, `play`, `go_on`
and `abandon` go in, events come out through `emit`, in order, from the same thread. Nothing is sent
before the journal holds it.

An honest node never needs to be told what is due; a node that missed something asks others for
the entries from a step on (`entries_from`).

How forks are kept out (`DEAL.md`, "Absence and exclusion"): whoever voted to leave something out
completes the step in no other way while that vote could still decide (`Ballot.binding`). A decision
is taken over by whom it leaves out, by whoever has no vote, and by its voters. Beyond that a log is
cut back only where a seat is proved to lie: to exclude it with the others, or to follow one of them
for whom the step can't be undone (`Standing._firm`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from engine.contract import Move
from protocol.contribution import (
    MAX_ATTEMPT,
    Class,
    Contribution,
    Entry,
    Kind,
    Place,
    statement,
)
from protocol.convictions import Conviction
from protocol.course import Course
from protocol.decisions import check_vote, follow_decision
from protocol.errors import Fault, LocalProtocolError
from protocol.evidence_file import Case, Charge, pack_evidence
from protocol.position import Position
from protocol.table_events import (
    Accused,
    Advanced,
    CutBack,
    Event,
    Finished,
    Outgoing,
    Verdict,
    Voted,
    YourMove,
)
from protocol.votes import (
    DECISIONS,
    MAX_PLAY_BODY,
    VOTES,
    Decision,
    Vote,
    is_majority,
    place_of,
    tail_of,
)

EARLY_STEPS = 16
"""How many steps ahead of ours an entry may be and still be kept."""
EARLY_COPIES = 4
"""How many signed entries of one seat are kept for one step ahead."""
MAX_QUOTED = 2_000
"""Octets of a proof that every voter repeats; a longer one stands in the first vote only."""


class Table(Course):
    """One match at one node: a player's, or a spectator's without `player`."""

    def start(self) -> None:
        """Begin: contribute whatever is due from this seat now."""
        self._started = True
        self._own()
        self._go_on()  # after a restart this seat's part may have been the last one missing

    # -- what comes in ----------------------------------------------------------------------------

    def receive(self, entry: Entry) -> Verdict:
        """Take an entry from the network."""
        verdict = self._admit(entry)
        if verdict in (Verdict.ACCEPTED, Verdict.GUILTY):
            self._go_on()
        return verdict

    def _admit(self, entry: Entry) -> Verdict:
        place, c = entry.place, entry.contribution
        if place.match != self.header.match or not self._has_place(place, c):
            return Verdict.FOREIGN
        if self.halted and place.step >= self.position.step:
            return Verdict.HALTED
        if place.step > self.position.step:
            return self._receive_early(entry)
        if not self._branch.holds(place.step, place.head):
            return self._receive_elsewhere(entry)
        known = self._known(place, c.seat)
        if known is not None and known == c:
            return Verdict.DUPLICATE
        if not self._signed(entry):
            return Verdict.FORGED
        if known is not None:
            return self._contradiction(place, known, c)
        if place.cls is Class.VOTE:
            return self._take_vote(entry)
        if place.step < self.position.step:
            return self._take_late(entry)
        return self._take(entry)

    def _has_place(self, place: Place, c: Contribution) -> bool:
        if place.step < 1 or not 0 <= c.seat < len(self.header.header.seats):
            return False
        if (place.cls is Class.VOTE) != (c.kind in VOTES):
            return False
        return place.cls is Class.VOTE or (not place.attempt and len(c.body) <= MAX_PLAY_BODY)

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

    def _receive_elsewhere(self, entry: Entry) -> Verdict:
        """An exclusion's vote on another branch says where its voter stands."""
        if entry.contribution.kind is Kind.EXCLUDE and self._signed(entry):
            self._convictions.heard(entry)
            self._resolve()
            self._go_on()
        return Verdict.DIVERGENT

    def _signed(self, entry: Entry) -> bool:
        c = entry.contribution
        return self.position.is_signed(c.seat, statement(entry.place, c), c.signature)

    def _known(self, place: Place, seat: int) -> Contribution | None:
        if place.cls is Class.VOTE:
            ballot = self._ballots.get(place.step)
            cast = ballot.of(seat, place.attempt) if ballot else None
            if cast is None and place.step < self.position.step:
                standing = self._branch.contribution(place.step, seat)
                same = standing is not None and standing.kind in VOTES
                cast = standing if same and self._attempt(place.step) == place.attempt else None
            return cast
        if place.step == self.position.step:
            pending = self._pending.get(seat)
            return pending.contribution if pending else None
        standing = self._branch.contribution(place.step, seat)
        return standing if standing is not None and standing.kind not in VOTES else None

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

    def _take_late(self, entry: Entry) -> Verdict:
        """A signed contribution to a step that was completed without it: wrong if it was never
        due, and of no use any more if the table decided to go on without it."""
        before = self._branch.at(entry.place.step)
        try:
            if before is not None:
                before.check(entry.contribution)
        except Fault as fault:
            return self._accuse(fault, Charge.INVALID, (entry,))
        return Verdict.FOREIGN

    # -- going on ---------------------------------------------------------------------------------

    @property
    def deciding(self) -> bool:
        """Whether a decision of this seat is due that it hasn't made and may make now: whoever has
        voted to go on without somebody waits for what comes of it."""
        player = self.player
        if player is None or self.halted or self.bound or player.seat in self._pending:
            return False
        return player.must_decide(self.position)

    def play(self, move: Move) -> None:
        """This seat's choice. IllegalMove if the rules forbid it; nothing has happened then."""
        if self.player is None or not self.player.must_decide(self.position) or self.halted:
            raise LocalProtocolError("no decision of this seat is due")
        if self.player.seat in self._pending:
            raise LocalProtocolError("this seat has already decided")
        if self.bound:
            raise LocalProtocolError("this seat waits for what comes of its vote")
        self._send(self.player, self.player.contribute(self.position, move))
        self._go_on()

    def _go_on(self) -> None:
        """Complete every step that can be completed, contributing what is due on the way."""
        while not self.halted:
            decision = self._decided(self.position.step)
            if decision is not None:
                self._adopt(self.position.step, decision)
            elif not self._complete():
                return
            self._own()
            for entry in self._early.pop(self.position.step, ()):
                if entry.place.head == self.position.head and not self.halted:
                    self._admit(entry)
            self._assure()

    def _complete(self) -> bool:
        """Complete the step that is due by what is due, if that is all here and allowed."""
        step = self.position.step
        if self.missing or self.bound:
            return False
        before = self.position
        try:
            done, after = before.advance(self._pending.values())
        except Fault as fault:  # nobody in particular did it, so there is no evidence
            self._stuck = True
            self._tell(Accused(fault, b"", ()))
            return False
        self._convictions.completed(before, done.entries)
        self._arrive(done, before, after)
        if step in self._ballots:
            self._answer(step)
            self._resolve()
        return True

    # -- votes ------------------------------------------------------------------------------------

    def go_on(self, away: Collection[int] = ()) -> bool:
        """Vote to go on without those whose part is missing, those of `away` included that have a
        vote; whether there is anything to vote for that a majority could decide.

        Asked again it votes in a further attempt if the seats to go on without have changed, and
        else sends its vote again.
        """
        player, position = self.player, self.position
        guilty = self._convictions.against(position)
        if player is None or self.halted or player.seat not in position.in_play:
            return False
        self._repeat(player.seat)
        if self._last_word(position.step):
            return False
        missing = set(self.missing)
        if guilty:
            # Who hasn't contributed yet isn't silent: whoever sees the proof votes instead.
            leaving = {c.seat for c in guilty}
        elif missing and player.seat not in missing and not self.tied:
            leaving = missing
        else:
            return False  # nobody is waited for, or this seat itself is
        able = self._done_for(position.step) if self.tied else position.in_play
        leaving |= set(away) & set(able) & set(position.in_play)
        if player.seat in leaving:
            return False
        stand = tuple(sorted(leaving))
        convicted = guilty[0].seat if guilty else None
        if not is_majority(set(position.in_play) - set(stand), position.in_play, convicted):
            return False
        self._vote(Vote(Kind.EXCLUDE if guilty else Kind.ABSENT, 0, stand), guilty)
        self._go_on()
        return True

    def abandon(self, away: Collection[int] = ()) -> bool:
        """Vote to close the match because too few are left; whether that is so."""
        player, position = self.player, self.position
        if player is None or self.halted or player.seat not in position.in_play:
            return False
        stand = (set(self.missing) | set(away) & set(position.in_play)) - {player.seat}
        voters = set(position.in_play) - stand
        if not stand or is_majority(voters, position.in_play, None):
            return False
        self._vote(Vote(Kind.ABANDON, 0, tuple(sorted(stand))), [])
        self._go_on()
        return True

    def _vote(self, vote: Vote, guilty: Sequence[Conviction]) -> None:
        """Sign `vote` in the attempt that is due for it, or send the one again that says it."""
        if self.player is None:
            return
        ballot = self._ballot(self.position.step)
        attempt = ballot.next_attempt(self.player.seat, vote.stand, self.position.in_play)
        if attempt is None:
            return
        vote = replace(vote, attempt=attempt)
        if guilty:
            self._exclude(vote, guilty[0])
        else:
            self._cast(self.position, vote)

    def _exclude(self, vote: Vote, guilty: Conviction) -> None:
        """Sign `vote` with what convicts `guilty`, and with where this node stands."""
        voters = sorted(set(self.position.in_play) - set(vote.away))
        proof = guilty.proof
        if len(proof) > MAX_QUOTED and voters[0] != self._seat:
            proof = b""
        tail = tail_of(self.heads, self.position.settled)
        self._cast(self.position, replace(vote, proof=proof, tail=tail))

    def _repeat(self, seat: int) -> None:
        """Send again what this seat has voted: those who never heard it have moved on, and only
        their refusals can set it free."""
        ballot = self._ballots.get(self.position.step)
        for c, vote in ballot.casts() if ballot else ():
            if c.seat == seat:
                place = replace(self.position.place, attempt=vote.attempt, cls=Class.VOTE)
                self._emit(Outgoing(Entry(place, c)))

    def _cast(self, position: Position, vote: Vote) -> None:
        if self.player is None:
            return
        self._branch.sync()
        entry = self.player.vote(position, vote)
        self._ballot(position.step).add(entry.contribution, vote)
        self._own_votes.setdefault(position.head, []).append(entry.contribution)
        self._emit(Outgoing(entry))
        self._emit(Voted(self.player.seat, vote.away, vote.kind is Kind.ABANDON))

    def _take_vote(self, entry: Entry) -> Verdict:
        step = entry.place.step
        position = self._branch.at(step)
        if position is None:
            return Verdict.FOREIGN  # long settled
        try:
            vote = check_vote(position, entry.contribution)
        except Fault as fault:
            return Verdict.FORGED if fault.kind == "signature" else Verdict.FOREIGN
        self._ballot(step).add(entry.contribution, vote)
        self._emit(Voted(entry.contribution.seat, vote.away, vote.kind is Kind.ABANDON))
        if vote.kind is Kind.REFUSE:
            self._take_kept(position, entry.contribution.seat, vote)
        elif step < self.position.step:
            self._answer(step)
        self._resolve()
        return Verdict.ACCEPTED

    def _take_kept(self, position: Position, author: int, vote: Vote) -> None:
        """What a refusal keeps completes the step that is due; of two contributions of a convicted
        seat those count on which another one has gone on."""
        for c in vote.kept:
            place = place_of(position.place, c)
            known = self._known(place, c.seat)
            if known is not None and known != c:
                self._contradiction(place, known, c)
            if position.step != self.position.step:
                continue  # completed already, perhaps by a vote that was kept
            others_word = self._last_word(position.step) not in ((), vote.kept)
            if known is None:
                self._take_vote(Entry(place, c)) if c.kind in VOTES else self._take(Entry(place, c))
            elif author not in self._convictions.seats and not others_word:
                self._replace(position, c)

    def _replace(self, position: Position, c: Contribution) -> None:
        """Let a checked contribution stand for the other one that its seat has signed."""
        if c.kind in VOTES:
            self._ballot(position.step).replace(c, check_vote(position, c))
        else:
            self._pending[c.seat] = position.check(c)

    def _answer(self, step: int) -> None:
        """Refuse votes about a step that is complete here, or cut back to take it over."""
        decision = self._decided(step)
        if decision is not None:
            self._cut(step)  # the loop of `_go_on` takes it from here
            return
        player, position = self.player, self._branch.at(step)
        if player is None or position is None or player.seat not in position.in_play:
            return
        guilty = self._guilty(step)
        for attempt, votes in sorted(self._ballot(step).attempts.items()):
            asked = [v for s, (_, v) in votes.items() if v.kind in DECISIONS and s not in guilty]
            if player.seat in votes or all(player.seat in v.away for v in asked):
                continue
            if self._branch.is_decision(step) and attempt <= self._attempt(step):
                continue  # whoever voted there voted later, too, or was left out
            excluding = [v for v in asked if v.kind is Kind.EXCLUDE]
            if excluding and self._returns(step, excluding):
                return
            if not excluding or self._may_refuse(step):
                self._refuse(step, attempt, {seat for v in asked for seat in v.away})

    def _refuse(self, step: int, attempt: int, away: set[int]) -> None:
        """Say what completes `step` here."""
        position = self._branch.at(step)
        kept: tuple[Contribution, ...] = self.steps[step - 1].entries
        if not self._branch.is_decision(step):
            kept = tuple(c for c in kept if c.seat in away) or kept[:1]
        # Whoever closed the match for itself is in nobody's way.
        if position is not None and kept[0].kind is not Kind.ABANDON:
            firm = self._firm(step)
            self._cast(position, Vote(Kind.REFUSE, attempt, firm=firm, kept=kept))

    def _adopt(self, step: int, decision: Decision) -> None:
        before = self.position
        done, after = follow_decision(before, decision)
        self._convictions.resolved()
        self._ahead = {}
        self._arrive(done, before, after)
        self._answer(step)  # somebody may wait in a later attempt

    # -- evidence ---------------------------------------------------------------------------------

    def _contradiction(self, place: Place, first: Contribution, second: Contribution) -> Verdict:
        text = "it signed two different contributions to one step"
        fault = Fault(first.seat, place.step, "contradiction", text)
        entries = (Entry(place, first), Entry(place, second))
        return self._accuse(fault, Charge.CONTRADICTION, entries)

    def _accuse(self, fault: Fault, charge: Charge, entries: tuple[Entry, ...]) -> Verdict:
        if self._convictions.add(fault, entries):
            payloads = [step.pack() for step in self.steps[: fault.step - 1]]
            evidence = pack_evidence(self.header.payload, payloads, Case(charge, entries))
            self._branch.sync()
            self._tell(Accused(fault, evidence, entries))
            self._resolve()
        return Verdict.GUILTY

    def _resolve(self) -> None:
        """Vote to exclude whoever is convicted and in play, from where the others stand too."""
        self._meet()
        self._be_led()
        self._assure()
        # What is proved about an earlier step may be no use here, and bring us back there.
        for step in sorted(s for s in self._ballots if s < self.position.step):
            self._answer(step)
        position = self.position
        guilty = self._guilty(position.step)
        if self.halted or not guilty or self._last_word(position.step):
            return
        ballot = self._ballots.get(position.step)
        if ballot is None or not ballot.excluding(self._seat, position.in_play, guilty):
            self.go_on()

    def _meet(self) -> None:
        """On a fork, cut back to where it parts."""
        for step, vote in self._convictions.partings(self.heads):
            if self._returns(step, (vote,)):
                return

    def _returns(self, step: int, votes: Sequence[Vote]) -> bool:
        """Cut back to `step`, where others vote to exclude somebody convicted, if that is safe.

        It is if all seats that may still sign are to vote there: whoever does has settled, and
        will sign, nothing beyond, so no step from there on is settled anywhere. Those who'd go on
        without somebody else are followed only by whoever has no vote beyond that could decide.
        """
        player, there = self.player, self._branch.at(step)
        guilty = self._guilty(step)
        if player is None or there is None or not guilty:
            return False
        if player.seat in guilty or player.seat not in there.in_play:
            return False  # it has no vote that would hold it there
        if step >= self.position.step or self._firm(step) or self._last_word(step):
            return False
        whole = any(self._done_for(step).issuperset(vote.away) for vote in votes)
        free = not (self.tied or self._bound_beyond(step) or self._branch.is_decision(step))
        if not whole and not free:
            return False
        self._cut(step)
        self.go_on()
        return True

    def _may_refuse(self, step: int) -> bool:
        """Whether this seat refuses to exclude somebody at `step`: what stands there must stay."""
        return self._firm(step) or self._branch.is_decision(step) or self._bound_beyond(step)

    def _insist(self, step: int) -> None:
        """Say, once, what stands at `step` for good, to those who may have gone on otherwise."""
        there, guilty = self._branch.at(step), self._guilty(step)
        if there is None or self._seat not in there.in_play or not guilty - {self._seat}:
            return
        ballot = self._ballot(step)
        mine = [vote for c, vote in ballot.casts() if c.seat == self._seat]
        if any(vote.firm for vote in mine):
            return
        attempts = [vote.attempt for vote in mine]
        if self._branch.is_decision(step):
            attempts.append(self._attempt(step))
        attempt = max(attempts, default=-1) + 1
        if attempt <= MAX_ATTEMPT:
            self._refuse(step, attempt, guilty)

    def _assure(self) -> None:
        """Say on which of two contributions that contradict each other this log stands for good."""
        for step in self._convictions.steps:
            if step < self.position.step and self._firm(step):
                self._insist(step)

    def _be_led(self) -> None:
        """Take over what stands for good at another node."""
        for step in sorted(s for s in self._ballots if s < self.position.step):
            kept = self._last_word(step)
            if kept and not self._firm(step) and not set(kept) <= set(self.steps[step - 1].entries):
                self._cut(step)
                for c in kept:
                    self._replace(self.position, c)
                return


__all__ = [
    "EARLY_COPIES",
    "EARLY_STEPS",
    "Accused",
    "Advanced",
    "CutBack",
    "Event",
    "Finished",
    "Outgoing",
    "Table",
    "Verdict",
    "Voted",
    "YourMove",
]
