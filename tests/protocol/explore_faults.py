"""Whole toy matches under seeded faults.

Law: as `explore`, but one course of events a seed and nobody who lies. It must never look at a
clock: what is under way, and until when somebody is cut off, is counted in events.

    python -m tests.protocol.explore_faults 4 --matches 10000
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.protocol.explore import Bounds, Nodes, Search
from tests.protocol.explore_nodes import Action, Crash, GoOn, Hear, Violation, World

EVENTS = 150
"""After so many events the network is healed."""


@dataclass(frozen=True, slots=True)
class Faults:
    """Probabilities: an entry is lost, arrives twice; at an event a partition begins (it lasts for
    `lasting` events), somebody chooses to go on, a process dies."""

    loss: float = 0.0
    double: float = 0.0
    partition: float = 0.0
    lasting: int = 40
    vote: float = 0.0
    crash: float = 0.0


@dataclass(slots=True)
class _Match:
    nodes: Nodes
    pool: list[tuple[int, int]] = field(default_factory=list)
    """(to which node, entry)"""
    apart: frozenset[int] = frozenset()
    """Nodes that are cut off from the others."""
    until: int = 0


class Course:
    """Matches of `count` seats; all of them share what was worked out (`World`)."""

    def __init__(self, count: int) -> None:
        self.search = Search(count, bounds=Bounds(step=1))
        self.events = 0
        self.kills = 0

    @property
    def world(self) -> World:
        """What is known of nodes."""
        return self.search.world

    def play(self, rng: random.Random, faults: Faults) -> Nodes:
        """One match; the nodes at its end. Violation."""
        match = _Match(self.search.start)
        for i, node in enumerate(match.nodes):
            self._send(match, rng, faults, i, sorted(self.world.nodes[node].signed))
        for event in range(EVENTS):
            self.events += 1
            if not match.pool and all(self.world.nodes[n].closed for n in match.nodes):
                break
            self._partition(match, rng, faults, event)
            i = rng.randrange(len(match.nodes))
            if rng.random() < faults.crash:
                self._die(match, rng, faults, i)
            elif rng.random() < faults.vote:
                others = [s for s in range(len(match.nodes)) if s != i]
                away = rng.sample(others, rng.randrange(len(others)))
                self.act(match, rng, faults, i, GoOn(tuple(sorted(away))))
            elif match.pool:
                self._deliver(match, rng, faults)
            else:
                self._ask(match, rng, i)
            self.search.check(match.nodes)
        nodes = self.search.healed(match.nodes)
        if not all(self.world.nodes[n].closed for n in nodes):
            raise Violation("all are there and the match doesn't end")
        return nodes

    def act(
        self, match: _Match, rng: random.Random, faults: Faults, i: int, action: Action
    ) -> None:
        """Let something happen to a node, and send what it says."""
        node = match.nodes[i]
        sent = self.world.sent(node, action)
        match.nodes = (*match.nodes[:i], self.world.act(node, action), *match.nodes[i + 1 :])
        self._send(match, rng, faults, i, sent)

    def _send(
        self, match: _Match, rng: random.Random, faults: Faults, i: int, sent: Sequence[int]
    ) -> None:
        for m in sent:
            for j in range(len(match.nodes)):
                cut = (i in match.apart) != (j in match.apart)
                if j == i or cut or rng.random() < faults.loss:
                    continue
                match.pool += [(j, m)] * (2 if rng.random() < faults.double else 1)

    def _partition(self, match: _Match, rng: random.Random, faults: Faults, event: int) -> None:
        if event >= match.until and match.apart:
            match.apart = frozenset()
        if not match.apart and rng.random() < faults.partition:
            size = rng.randrange(1, len(match.nodes))
            match.apart = frozenset(rng.sample(range(len(match.nodes)), size))
            match.until = event + rng.randrange(1, faults.lasting)
            match.pool = [d for d in match.pool if rng.random() < 0.5]

    def _deliver(self, match: _Match, rng: random.Random, faults: Faults) -> None:
        to, m = match.pool.pop(rng.randrange(len(match.pool)))
        self.act(match, rng, faults, to, Hear(m))

    def _ask(self, match: _Match, rng: random.Random, i: int) -> None:
        """A node asks another one, on its side of a partition, for what it lacks."""
        j = rng.randrange(len(match.nodes))
        if i != j and (i in match.apart) == (j in match.apart):
            floor = self.world.nodes[match.nodes[i]].settled + 1
            match.pool += [(i, m) for m in self.world.told(match.nodes[j], floor)]

    def _die(self, match: _Match, rng: random.Random, faults: Faults, i: int) -> None:
        during: Action | None = GoOn()
        mine = [m for to, m in match.pool if to == i]
        if mine and rng.random() < 0.8:
            during = Hear(rng.choice(mine))
        self.kills += 1
        self.act(match, rng, faults, i, Crash(rng.randrange(3), during, rng.randrange(6)))


def killed_match(course: Course, rng: random.Random) -> None:
    """One node dies at one write of a match without other faults, and nobody is left out."""
    match = _Match(course.search.start)
    quiet = Faults()
    for i, node in enumerate(match.nodes):
        course._send(match, rng, quiet, i, sorted(course.world.nodes[node].signed))
    at = rng.randrange(30)
    for _ in range(at):
        if match.pool:
            course._deliver(match, rng, quiet)
    course._die(match, rng, quiet, rng.randrange(len(match.nodes)))
    while match.pool:
        course._deliver(match, rng, quiet)
        course.search.check(match.nodes)
    nodes = course.search._compared(match.nodes, range(len(match.nodes)))
    if any(course.world.nodes[n].decided for n in nodes):
        raise Violation("somebody was left out")
    if not all(course.world.nodes[n].closed for n in nodes):
        raise Violation("the match doesn't end")


def main(arguments: Sequence[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description="play toy matches under seeded faults")
    parser.add_argument("count", type=int)
    parser.add_argument("--matches", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    course = Course(given.count)
    faults = Faults(loss=0.2, double=0.1, partition=0.02, vote=0.02, crash=0.01)
    for n in range(given.matches):
        course.play(random.Random(given.seed * 1_000_003 + n), faults)
    print(  # noqa: T201  # this is a command
        f"{given.matches} matches, {course.events} events, {course.kills} kills, "
        f"{len(course.world.nodes)} states of nodes"
    )


if __name__ == "__main__":
    main()
