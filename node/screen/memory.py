"""What an interface has heard from its session, kept as one value that the screen is made from.

Law: pure: a notice and the reader's state after it go in, another Memory comes out. It must never
know a terminal or a socket, nor ask what a notice means for the game: the log says that.

Two numberings meet here, as in a Position: a *seat* is an index into the header's list, a *chair*
a place in the order of play. All that goes into a TableView is by chairs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from engine.contract import State
from node.inputs import inputs
from node.narrate import ALL, known_faces, names_of
from node.notices import EvidenceKept, Presence, Refused, Started, Suspended, Talked
from node.screen import past
from node.screen.cells import clean
from node.screen.story import Happening, Story, Told
from node.screen.view import SPECTATOR, Fairness, Line, Surroundings, TableView, look
from node.waiting import Absent, Waiting
from protocol.contribution import Kind
from protocol.errors import LocalProtocolError
from protocol.log import Step
from protocol.position import Position
from protocol.table_events import Advanced, CutBack, Finished, Voted, YourMove
from protocol.votes import DECISIONS, read_vote

CHAT_LINES: Final = 100
"""Lines of chat that are kept."""
_DECIDED: Final = {
    Kind.ABSENT: Told.WITHOUT,
    Kind.EXCLUDE: Told.EXCLUDED,
    Kind.ABANDON: Told.CLOSED,
}


@dataclass(frozen=True, slots=True)
class Memory:
    """See the module. `position` and `state` are None before the match has begun.

    seat      this node's seat of the header, None for a spectator
    asked     a choice is due from this seat, and none has been sent
    down      the seats whose link is down
    awaited   the seats for which the table waits since they can't be reached
    question  the seats about which the reader is asked: wait, or go on without them?
    suspended whether too few are there to go on
    shuffles  who shuffled this hand's deck, and in which step
    audited   how many hands were audited
    """

    story: Story = field(default_factory=Story)
    position: Position | None = None
    state: State | None = None
    seat: int | None = None
    asked: bool = False
    finished: bool = False
    down: frozenset[int] = frozenset()
    awaited: tuple[int, ...] = ()
    question: tuple[int, ...] = ()
    suspended: bool = False
    shuffles: tuple[tuple[str, int], ...] = ()
    audited: int = 0
    warnings: tuple[tuple[str, int, str], ...] = ()
    chat: tuple[Line, ...] = ()
    log: str = ""

    def heard(self, notice: object, state: State | None) -> Memory:
        """After `notice`; `state` is the game as the reader sees it after it, if it changed."""
        match notice:
            case Started():
                return replace(begun(notice), state=state, chat=self.chat)
            case Advanced() if state is not None:
                return self._advanced(notice, state)
            case YourMove(position=position, view=view):
                return replace(self, position=position, state=view, asked=True)
            case Refused(decision=decision):
                return replace(self, state=decision.view, asked=True)
            case Presence(seat=seat, up=up):
                return replace(self, down=self.down - {seat} if up else self.down | {seat})
            case EvidenceKept(accused=accused):
                fault = accused.fault
                name = self.name(fault.seat)
                return replace(self, warnings=(*self.warnings, (name, fault.step, fault.kind)))
            case Finished(position=position):
                return replace(self, position=position, finished=True, awaited=(), question=())
            case Talked(person=person, text=text):
                return self.said(person.label, text)
        return self._missing(notice)

    def _shuffled(self, steps: Iterable[Step]) -> tuple[tuple[str, int], ...]:
        """Who has shuffled the deck in play, by a log that is taken up again."""
        found: list[tuple[str, int]] = []
        for step in steps:
            kind = step.entries[0].kind
            if kind is Kind.COMMIT:
                found.clear()
            elif kind is Kind.SHUFFLE:
                found.append((self.name(step.entries[0].seat), step.number))
        return tuple(found)

    def _missing(self, notice: object) -> Memory:
        """What is told about those who are silent."""
        match notice:
            case Waiting(away=away):
                question = self.question if away else ()
                suspended = self.suspended and bool(away)
                return replace(self, awaited=away, question=question, suspended=suspended)
            case Absent(seats=seats):
                return replace(self, question=seats)
            case Suspended(seats=seats):
                return replace(self, awaited=seats, question=(), suspended=True)
            case Voted(seat=seat, away=away, closing=closing):
                kind = Told.CLOSING if closing else Told.VOTED
                told = Happening(kind, text=self.name(seat), names=self.names(away))
                return replace(self, story=self.story.add(told))
            case CutBack(step=step):
                told = Happening(Told.CUT, values=(step,))
                return replace(self, story=self.story.add(told), asked=False)
        return self

    def names(self, seats: Iterable[int]) -> tuple[str, ...]:
        """The names of several."""
        return tuple(self.name(seat) for seat in seats)

    def said(self, name: str, text: str) -> Memory:
        """After somebody has said something."""
        line = Line(clean(name), clean(text))
        return replace(self, chat=(*self.chat, line)[-CHAT_LINES:])

    def name(self, seat: int | None) -> str:
        """The name of a seat of the header, `?` before it is known."""
        if self.position is None or seat is None:
            return "?"
        return clean(self.position.header.labels[seat])

    def _advanced(self, advanced: Advanced, state: State) -> Memory:
        """One more step of the log."""
        before, after = advanced.before, advanced.after
        memory = replace(
            self, position=after, state=state, asked=False, question=(), suspended=False
        )
        entries = advanced.step.entries
        kind, number = entries[0].kind, advanced.step.number
        if kind is Kind.COMMIT:
            memory = replace(memory, shuffles=())
        if kind is Kind.SHUFFLE:
            done = (self.name(entries[0].seat), number)
            if done not in memory.shuffles:  # a log that was read late holds it already
                memory = replace(memory, shuffles=(*memory.shuffles, done))
        story = memory.story
        try:
            givens = inputs(advanced.step, before, after)
        except LocalProtocolError:  # a decision of the table, which the game didn't bring about
            givens = ()
        here = self.position is not None and self.position.head == before.head
        seen = self.state if self.state is not None and here else before.state
        at = before.state
        for given in givens:
            at = at.apply(given)
            faces = known_faces(at, state.faces if len(state.faces) == len(at.faces) else b"", ALL)
            now = at.with_faces(faces) if at.faces else at
            now = state if at is after.state else now
            story = story.told(seen, given, now, at.notes)
            seen = now
        memory = replace(memory, story=story)
        if kind in DECISIONS:
            away = memory.names(read_vote(kind, entries[0].body).away)
            told = Happening(_DECIDED[kind], names=away)
            return replace(memory, story=story.add(told), awaited=())
        if kind is Kind.REVEAL:
            return memory._audited(number, after)
        if kind is Kind.CHECKPOINT:
            told = Happening(Told.SIGNED, values=(number,))
            return replace(memory, story=story.add(told))
        return memory

    def _audited(self, number: int, after: Position) -> Memory:
        if after.broken:
            found = tuple((self.name(b.seat), b.step, b.rule) for b in after.broken)
            told = [Happening(Told.BROKEN, text=name, values=(step,)) for name, step, _ in found]
            return replace(self, warnings=self.warnings + found, story=self.story.add(*told))
        told_fine = Happening(Told.AUDITED, values=(number,))
        return replace(self, audited=self.audited + 1, story=self.story.add(told_fine))

    # -- what is seen -------------------------------------------------------------------------

    def chair(self) -> int:
        """The reader's place in the order of play."""
        if self.position is None or self.seat is None or not self.position.order:
            return SPECTATOR
        return self.position.chair(self.seat)

    def surroundings(self, *, can_chat: bool = False, seconds: int | None = None) -> Surroundings:
        """What is known besides the game."""
        position = self.position
        if position is None:
            raise LocalProtocolError("the match hasn't begun")
        order = position.order or tuple(range(len(position.header.seats)))
        return Surroundings(
            names=tuple(clean(name) for name in names_of(position)),
            present=tuple(seat not in self.down for seat in order),
            fairness=self.fairness(position),
            seconds=seconds,
            absent=tuple(order.index(seat) for seat in self.awaited if seat in order),
            suspended=self.suspended,
            question=tuple(order.index(seat) for seat in self.question if seat in order),
            chat=self.chat,
            can_chat=can_chat,
            finished=self.finished,
        )

    def fairness(self, position: Position) -> Fairness:
        """Why the deal is fair, as far as it has got."""
        deal = position.deal
        return Fairness(
            shuffles=self.shuffles,
            sharers=len(deal.terms.seats) if deal is not None else len(self.shuffles),
            step=position.step,
            settled=position.settled,
            hands=self.audited,
            warnings=self.warnings,
            log=self.log,
        )

    def look(self, *, can_chat: bool = False, seconds: int | None = None) -> TableView | None:
        """The table as the reader sees it, None before the seats are known."""
        if self.position is None or self.state is None or not self.position.order:
            return None
        around = self.surroundings(can_chat=can_chat, seconds=seconds)
        return look(self.state, self.chair(), self.story, around, answered=not self.asked)


def begun(started: Started, until: int | None = None) -> Memory:
    """What is remembered when a match begins: nothing, or what the log tells that it is taken up
    from, as it would have been heard; with `until` only what stands before that step."""
    table = started.table
    steps = table.steps if until is None else table.steps[: until - 1]
    events = [event for event in past.kept(table) if event.step.number <= len(steps)]
    first = events[0].before if events else table.position
    last = events[-1].after if events else first
    earlier = past.audited(steps[: len(steps) - len(events) + 1])
    memory = Memory(seat=started.seat, position=first, audited=earlier, log=str(started.log))
    for event, state in zip(events, past.seen(table, events), strict=True):
        memory = memory.heard(event, state)
    return replace(memory, position=last, shuffles=memory._shuffled(steps))
