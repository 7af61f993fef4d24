"""Search through all that can happen to a table: loss, delay, votes, crashes, and one that lies.

Law: it searches; what a node does is `explore_nodes`' business. A state is the honest nodes' states
and what the malicious seat has said so far. Whatever was signed can be heard by anybody at any time
or never, so delay, loss, repetition and order need no network: an edge is one node hearing one
entry, its player's choice to go on, or its crash. A node is not given what is ahead of it, since
it would only keep that until its time comes.

The malicious seat needs no node: at any time it may say whatever it can sign about any step at
hand: two plays, one with another signature, a wrong one, one out of turn, every vote to leave out
others, refusals. `budget` bounds how many of these it says, plays that an honest seat would have
made not counted.

What must hold is checked in every state (`check`), and from every state the network is healed
(`healed`): all compare what they hold and choose to go on without who isn't there, until the match
ends.

    python -m tests.protocol.explore 4 --malice --budget 2 --crashes 1 --states 1000000
"""

from __future__ import annotations

import argparse
import itertools
import random
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace

from protocol.contribution import Contribution, Kind
from protocol.votes import DECISIONS, Vote, is_majority, vote_place
from tests.protocol.explore_nodes import (
    SPECTATOR,
    Abandon,
    Action,
    Crash,
    Facts,
    GoOn,
    Hear,
    Violation,
    World,
)
from tests.protocol.explore_toy import GOOD, ROUNDS, Script, ToyPosition, entry_of

Nodes = tuple[int, ...]
Event = tuple[int, Action]
"""What happens to which of the nodes."""
ROUNDS_OF_HEALING = 60


@dataclass(frozen=True, slots=True)
class State:
    """The honest nodes, what the malicious seat has said, how many crashes there were."""

    nodes: Nodes
    said: frozenset[int] = frozenset()
    crashes: int = 0


@dataclass(frozen=True, slots=True)
class Bounds:
    """How far a search goes.

    `step`: where it begins; `window`: how many steps from there on are heard of; `attempts`: the
    highest attempt from which nobody votes on; `away`: how many seats a player may think silent;
    `budget` and `pairs`: how much the malicious seat says, and how many seats its votes leave out.
    """

    step: int = 2
    window: int = 2
    attempts: int = 1
    away: int = 1
    crashes: int = 0
    during: bool = False
    abandon: bool = False
    budget: int = 0
    pairs: int = 1
    states: int = 100_000
    heal: int = 1
    """Every how many states one is healed."""


@dataclass(slots=True)
class Search:
    """One search: `count` seats, `malice` the seat that lies (None: nobody)."""

    count: int
    malice: int | None = None
    spectators: int = 0
    bounds: Bounds = Bounds()
    script: Script = ROUNDS
    hands: int = 1
    world: World = field(init=False)
    start: Nodes = field(init=False)
    states: int = 0
    healings: int = 0
    whole: bool = False
    """Whether the search ended because there was nothing left."""
    _agreed: set[tuple[int, int]] = field(default_factory=set)
    _menus: dict[tuple[bytes, frozenset[int]], tuple[int, ...]] = field(default_factory=dict)
    _healed: set[tuple[Nodes, frozenset[int]]] = field(default_factory=set)
    _sound: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.world = World(self.count, self.script, self.hands)
        honest = [seat for seat in range(self.count) if seat != self.malice]
        seats = honest + [SPECTATOR] * self.spectators
        self.start = self._reached(tuple(self.world.begin(s) for s in seats), self.bounds.step)

    @property
    def honest(self) -> tuple[int, ...]:
        """The seats that play by the protocol."""
        return tuple(seat for seat in range(self.count) if seat != self.malice)

    # -- what can be heard ------------------------------------------------------------------------

    def _reached(self, nodes: Nodes, step: int) -> Nodes:
        """All nodes where `step` is due, nothing lost before it."""
        while any(self.world.nodes[n].step < step for n in nodes):
            heard = [m for m in self._signed(nodes) if self.world.entries[m].place.step < step]
            if self.malice is not None:
                here = min((self.world.nodes[n] for n in nodes), key=lambda f: f.step)
                heard += [self._play(here.position, self.malice, b"\x00a")]
            before = nodes
            for m in sorted(heard):
                nodes = tuple(self.world.act(n, Hear(m)) for n in nodes)
            if nodes == before:
                raise AssertionError("the match doesn't get there")
        return nodes

    def _signed(self, nodes: Nodes) -> frozenset[int]:
        return frozenset[int]().union(*(self.world.nodes[n].signed for n in nodes))

    def _play(
        self, position: ToyPosition, seat: int, said: bytes, variant: int = 0, good: bytes = GOOD
    ) -> int:
        due = position.due
        kind = due.kind if due else Kind.MOVE
        c = Contribution(seat, kind, good + said, position.digest, b"")
        return self.world.number(entry_of(position.place, c, variant))

    def menu(self, nodes: Nodes, signed: frozenset[int]) -> frozenset[int]:
        """What the malicious seat could say about the steps that honest nodes hold."""
        if self.malice is None:
            return frozenset()
        heads = {h for n in nodes for h in self.world.nodes[n].retained}
        return frozenset(m for head in sorted(heads) for m in self._sayings(head, signed))

    def _sayings(self, head: bytes, signed: frozenset[int]) -> tuple[int, ...]:
        entries = self.world.entries
        there = frozenset(m for m in signed if entries[m].place.head == head)
        if (head, there) not in self._menus:
            position = self.world.positions[head]
            held = [entries[m].contribution for m in sorted(there)]
            sayings = tuple(self._lies(position, held)) if self._late(position) else ()
            self._menus[head, there] = sayings
        return self._menus[head, there]

    def _late(self, position: ToyPosition) -> bool:
        """Whether the search's window has this step."""
        first = max(1, self.bounds.step - 1)
        return position.due is not None and position.step in range(
            first, self.bounds.step + self.bounds.window
        )

    def _lies(self, position: ToyPosition, held: Sequence[Contribution]) -> Iterator[int]:
        seat, due = self.malice or 0, position.due
        plays = [b"\x00a", b"\x00b"] if due and seat in due.seats else [b"\x00a"]
        for said in plays:
            yield self._play(position, seat, said)
        yield self._play(position, seat, b"\x00a", 1)
        yield self._play(position, seat, b"", good=b"wrong")
        if seat not in position.in_play:
            return
        for attempt in range(self.bounds.attempts + 1):
            for vote in self._votes(position, held, seat):
                body = replace(vote, attempt=attempt).body()
                place = vote_place(position.place, attempt)
                c = Contribution(seat, vote.kind, body, position.digest, b"")
                yield self.world.number(entry_of(place, c))

    def _votes(
        self, position: ToyPosition, held: Sequence[Contribution], seat: int
    ) -> Iterator[Vote]:
        others = [s for s in position.in_play if s != seat]
        for size in range(1, self.bounds.pairs + 1):
            for away in itertools.combinations(others, size):
                yield Vote(Kind.ABSENT, 0, away)
        due = position.due
        kept = {c.seat: c for c in held if due and c.kind is due.kind}
        own: list[Contribution | None] = [None]
        if due and seat in due.seats:
            own = [
                self.world.entries[self._play(position, seat, w)].contribution
                for w in (b"\x00a", b"\x00b")
            ]
        for mine in own:
            with_mine = {**kept, seat: mine} if mine else kept
            for firm in (False, True) if with_mine else ():
                together = tuple(c for _, c in sorted(with_mine.items()))
                yield Vote(Kind.REFUSE, 0, firm=firm, kept=together)

    # -- edges ------------------------------------------------------------------------------------

    def edges(self, state: State) -> Iterator[tuple[int, Action, State]]:
        """(which node, what happens, the state after it), those without effect left out."""
        signed = self._signed(state.nodes)
        menu = self.menu(state.nodes, signed)
        for i, node in enumerate(state.nodes):
            for action, said in self._actions(state, node, signed, menu):
                after = self.world.act(node, action)
                if after != node:
                    nodes = (*state.nodes[:i], after, *state.nodes[i + 1 :])
                    crashes = state.crashes + isinstance(action, Crash)
                    yield i, action, State(nodes, said, crashes)

    def _actions(
        self, state: State, node: int, signed: frozenset[int], menu: frozenset[int]
    ) -> Iterator[tuple[Action, frozenset[int]]]:
        facts, entries = self.world.nodes[node], self.world.entries
        last = self.bounds.step + self.bounds.window
        for m in signed - facts.signed:
            if entries[m].place.step <= min(facts.step, last - 1):
                yield Hear(m), state.said
        for m in menu:
            if entries[m].place.head in facts.retained:
                said = state.said if self._free(m) else state.said | {m}
                if len(said) <= self.bounds.budget:
                    yield Hear(m), said
        if facts.seat != SPECTATOR and facts.step < last and facts.latest <= self.bounds.attempts:
            for away in self._silent(facts.seat):
                yield GoOn(away), state.said
                if self.bounds.abandon:
                    yield Abandon(away), state.said
        if state.crashes < self.bounds.crashes:
            for lost in range(facts.unsynced + 1):
                yield Crash(lost), state.said
            if self.bounds.during:
                yield from self._crashes_during(state, facts.signed, signed, node)

    def _crashes_during(
        self, state: State, own: frozenset[int], signed: frozenset[int], node: int
    ) -> Iterator[tuple[Action, frozenset[int]]]:
        facts = self.world.nodes[node]
        inner: list[Action] = [
            Hear(m) for m in signed - own if self.world.entries[m].place.step <= facts.step
        ]
        if facts.seat != SPECTATOR:
            inner.append(GoOn())
        for action in inner:
            if self.world.act(node, action) != node:
                for at in range(5):
                    yield Crash(9, action, at), state.said

    def _free(self, m: int) -> bool:
        """What an honest seat would have said."""
        c = self.world.entries[m].contribution
        return c.body == GOOD + b"\x00a" and c.signature[-1] == 0

    def _silent(self, seat: int) -> Iterator[tuple[int, ...]]:
        others = [s for s in range(self.count) if s != seat]
        for size in range(self.bounds.away + 1):
            yield from itertools.combinations(others, size)

    # -- what must hold ---------------------------------------------------------------------------

    def check(self, nodes: Nodes) -> None:
        """Violation unless honest logs agree as far as they are settled, and nobody honest is
        convicted."""
        for node in nodes:
            if node not in self._sound:
                if self.world.nodes[node].convicted - {self.malice}:
                    raise Violation(f"{self.world.nodes[node].seat} convicts an honest seat")
                self._sound.add(node)
        for pair in itertools.combinations(nodes, 2):
            if pair not in self._agreed:
                self._agree(*pair)
                self._agreed.add(pair)

    def _agree(self, a: int, b: int) -> None:
        one, other = self.world.nodes[a], self.world.nodes[b]
        common = min(one.settled, other.settled)
        if one.heads[common] != other.heads[common]:
            raise Violation(f"seats {one.seat} and {other.seat} have settled different steps")
        if self.malice is None:
            parted = next(
                (s for s, (p, q) in enumerate(zip(one.heads, other.heads, strict=False)) if p != q),
                None,
            )
            if parted is not None and not (self._out(a, b, parted) or self._out(b, a, parted)):
                raise Violation(f"seats {one.seat} and {other.seat} part at step {parted}")

    def _out(self, a: int, b: int, step: int) -> bool:
        """Whether a decision at `step` of `a`'s log was made without the seat of `b`."""
        entries = self.world.nodes[a].table.steps[step - 1].entries
        if entries[0].kind not in DECISIONS:
            return False
        seat = self.world.nodes[b].seat
        return seat not in {c.seat for c in entries}

    def healed(self, nodes: Nodes, gone: Iterable[int] = ()) -> Nodes:
        """Where it ends when all but the nodes of seats `gone` hear each other and want to go on;
        Violation unless that is one log, closed, or they are too few."""
        missing = frozenset(gone)
        self.healings += 1
        there = [i for i, n in enumerate(nodes) if self.world.nodes[n].seat not in missing]
        liar = {self.malice} if self.malice is not None else set[int]()
        for _ in range(ROUNDS_OF_HEALING):
            before = nodes
            nodes = self._compared(nodes, there)
            facts = [self.world.nodes[nodes[i]] for i in there]
            absent = missing | liar | {f.seat for f in facts if f.position.abandoned_by}
            for i in there:
                seat = self.world.nodes[nodes[i]].seat
                if seat != SPECTATOR:
                    nodes = self._chosen(nodes, i, there, GoOn(tuple(sorted(absent - {seat}))))
            self.check(nodes)
            if nodes == before:
                break
        self._ended(nodes, there)
        return nodes

    def _chosen(self, nodes: Nodes, i: int, there: Sequence[int], action: Action) -> Nodes:
        """A player chooses, and everybody who is there hears what it says."""
        sent = self.world.sent(nodes[i], action)
        nodes = (*nodes[:i], self.world.act(nodes[i], action), *nodes[i + 1 :])
        for j in there:
            for m in sent if j != i else ():
                nodes = (*nodes[:j], self.world.act(nodes[j], Hear(m)), *nodes[j + 1 :])
        return nodes

    def _compared(self, nodes: Nodes, there: Sequence[int]) -> Nodes:
        """All who are there ask each other for all they could lack, until nothing changes."""
        for _ in range(ROUNDS_OF_HEALING):
            before = nodes
            for i, j in itertools.permutations(there, 2):
                floor = self.world.nodes[nodes[i]].settled + 1
                for m in self.world.told(nodes[j], floor):
                    nodes = (*nodes[:i], self.world.act(nodes[i], Hear(m)), *nodes[i + 1 :])
            if nodes == before:
                return nodes
        raise Violation("they never have compared all")

    def _ended(self, nodes: Nodes, there: Sequence[int]) -> None:
        facts = [self.world.nodes[nodes[i]] for i in there]
        seats = {f.seat for f in facts}
        # Who closes a match because too few are left closes it for whoever can't go on either.
        gone = {f.seat for f in facts if f.position.abandoned_by}
        facts = [f for f in facts if f.seat not in gone]
        done = gone | ({self.malice} if self.malice is not None else set[int]())
        if all(done.issuperset(f.position.in_play) or f.seat == SPECTATOR for f in facts):
            return
        furthest = max(facts, key=lambda f: (f.closed, f.step))
        if all(f.closed for f in facts) and len({f.heads for f in facts}) == 1:
            return
        if not furthest.closed and any(self._too_few(f, seats - gone - f.left) for f in facts):
            return
        lines = [
            f"seat {f.seat} step {f.step}@{f.heads[-1].hex()[:4]} settled {f.settled} closed "
            f"{f.closed} bound {f.bound} decided {f.decided} convicted {sorted(f.convicted)}"
            f" in play {f.position.in_play} held {f.table.held} missing {f.table.missing}"
            for f in facts
        ]
        raise Violation("the table sticks:\n    " + "\n    ".join(lines))

    def _too_few(self, facts: Facts, seats: set[int]) -> bool:
        """Whether `seats`, those who are there less those whom a vote leaves out that somebody
        gone could still make a decision, are no majority."""
        position = facts.position
        proved = {c.seat for c in facts.table._convictions.against(position)}
        convicted = self.malice if self.malice in proved else None
        return facts.seat in position.in_play and not is_majority(
            seats, position.in_play, convicted
        )

    # -- searching --------------------------------------------------------------------------------

    def run(self) -> Search:
        """Breadth first, up to the bounds; Violation with the shortest trace."""
        first = State(self.start)
        came: dict[State, tuple[State, int, Action] | None] = {first: None}
        queue = deque([first])
        while queue and self.states < self.bounds.states:
            state = queue.popleft()
            self.states += 1
            try:
                self.check(state.nodes)
                if self.states % self.bounds.heal == 0:
                    self.healed(state.nodes)
                for i, action, after in self.edges(state):
                    if after not in came:
                        came[after] = state, i, action
                        queue.append(after)
            except Violation as found:
                raise Violation(found.text, self._trace(state, came)) from found
        self.whole = not queue
        return self

    def _trace(
        self, state: State, came: dict[State, tuple[State, int, Action] | None]
    ) -> list[str]:
        steps: list[str] = []
        while (before := came[state]) is not None:
            steps.append(self.told(state, *before))
            state = before[0]
        return steps[::-1]

    def told(self, after: State, before: State, i: int, action: Action) -> str:
        """An edge in words."""
        facts, then = self.world.nodes[before.nodes[i]], self.world.nodes[after.nodes[i]]
        what = str(action)
        if isinstance(action, Hear):
            what = f"hears {self.world.text(action.entry)}"
        said = [self.world.text(m) for m in sorted(then.signed - facts.signed)]
        moved = (
            "" if facts.heads == then.heads else f"; now at {then.step}@{then.heads[-1].hex()[:4]}"
        )
        return f"{facts.seat} {what}{moved}" + "".join(f"\n      signs {s}" for s in said)

    def walk(self, rng: random.Random, length: int) -> None:
        """One course of events at random, checked at every moment and healed at its end;
        Violation with a trace of which nothing could be left out."""
        state, course = State(self.start), list[Event]()
        try:
            for _ in range(length):
                found = list(self.edges(state))
                if not found:
                    break
                i, action, state = rng.choice(found)
                course.append((i, action))
                self.states += 1
                self.check(state.nodes)
            self.healed(state.nodes)
        except Violation:
            self._shrink(course)

    def _shrink(self, course: list[Event]) -> None:
        at = 0
        while at < len(course):
            shorter = course[:at] + course[at + 1 :]
            if self._replayed(shorter) is not None:
                course = shorter
            else:
                at += 1
        found = self._replayed(course)
        if found is not None:
            raise found

    def _can_be_heard(self, nodes: Nodes, m: int) -> bool:
        lied = self.world.entries[m].contribution.seat == self.malice
        return lied or m in self._signed(nodes)

    def _replayed(self, course: Sequence[Event]) -> Violation | None:
        """What goes wrong in a course of events, of which those that can't be are left out."""
        state, steps = State(self.start), list[str]()
        try:
            for i, action in course:
                if isinstance(action, Hear) and not self._can_be_heard(state.nodes, action.entry):
                    continue
                node = self.world.act(state.nodes[i], action)
                after = State((*state.nodes[:i], node, *state.nodes[i + 1 :]))
                steps.append(self.told(after, state, i, action))
                state = after
                self.check(state.nodes)
            self.healed(state.nodes)
        except Violation as found:
            return Violation(found.text, steps)
        return None


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="search through what can happen to a table")
    parser.add_argument("count", type=int)
    parser.add_argument("--malice", type=int, default=None)
    parser.add_argument("--spectators", type=int, default=0)
    for name in ("step", "window", "attempts", "away", "crashes", "budget", "pairs", "states"):
        parser.add_argument(f"--{name}", type=int, default=getattr(Bounds(), name))
    parser.add_argument("--heal", type=int, default=1)
    parser.add_argument("--during", action="store_true")
    parser.add_argument("--abandon", action="store_true")
    parser.add_argument("--walks", type=int, default=0)
    parser.add_argument("--length", type=int, default=40)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    bounds = Bounds(**{f.name: getattr(given, f.name) for f in fields(Bounds)})
    search = Search(given.count, given.malice, given.spectators, bounds)
    if given.walks:
        for n in range(given.walks):
            search.walk(random.Random(given.seed * 1_000_003 + n), given.length)
    else:
        search.run()
    print(  # noqa: T201  # this is a command
        f"{search.states} states, {'all' if search.whole else 'not all'}; "
        f"{len(search.world.nodes)} states of nodes; {search.healings} healings"
    )


if __name__ == "__main__":
    main()
