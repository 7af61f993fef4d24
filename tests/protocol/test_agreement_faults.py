"""Whole matches under seeded faults: loss, delay, partitions, crashes, a process that dies midway.

No clock and no waiting: a match is a pool of entries under way, and a seeded generator says which
arrives, is lost or doubled, who is cut off from whom, who chooses to go on, who dies and at which
operation on its disk. At every moment honest logs agree as far as they are settled; at the end,
when all hear each other, they are equal and the match is closed.

The toy plays thousands of matches, `python -m tests.protocol.explore_faults` more; the real deal
and the real disk play a few of the same kind.
"""

from __future__ import annotations

import itertools
import random
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from protocol.audit import Status, audit_file
from protocol.contribution import Entry
from tests.protocol.explore_faults import Course, Faults, killed_match
from tests.protocol.faults import FaultyDisk, Killed
from tests.protocol.ring import Ring

QUIET = Faults()
ROUGH = Faults(loss=0.2, double=0.1, partition=0.02, vote=0.01, crash=0.005)


@pytest.mark.parametrize(("count", "matches"), [(2, 200), (3, 120), (4, 40), (5, 10)])
def test_matches_with_faults_end_in_one_log(count: int, matches: int) -> None:
    course = Course(count)
    for seed in range(matches):
        course.play(random.Random(seed), ROUGH)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(("count", "matches"), [(2, 3000), (3, 5000), (4, 2000), (5, 1000)])
def test_many_matches_with_faults_end_in_one_log(count: int, matches: int) -> None:
    course = Course(count)
    for seed in range(matches):
        course.play(random.Random(1_000_000 + seed), ROUGH)


def test_a_match_without_faults_leaves_nobody_out() -> None:
    course = Course(3)
    for seed in range(20):
        nodes = course.play(random.Random(seed), QUIET)
        assert {course.world.nodes[n].decided for n in nodes} == {()}


def test_a_process_that_dies_at_any_write_plays_on_in_the_same_hand() -> None:
    """A thousand times: the node, the write and the order of all else are drawn."""
    course = Course(3)
    for seed in range(1000):
        killed_match(course, random.Random(seed))
    assert course.kills == 1000


# -- the real deal, the real disk --------------------------------------------------------------


class Stormy(Ring):
    """A ring in which entries are lost and doubled, players go on without others, and processes
    die at a write and are started again."""

    def __init__(self, folder: Path, count: int, seed: int, *, votes: bool) -> None:
        self.storm = random.Random(seed)
        self.votes = votes
        self.blowing = True
        self.kills = 0
        super().__init__(folder, count, tamper=self._weather, pick=self.storm.randrange, seed=seed)

    def _weather(self, _: int, entry: Entry) -> Iterable[Entry]:
        if not self.blowing:
            return (entry,)
        return (entry,) * self.storm.choice((0, 1, 1, 1, 2))

    def deliver(self, to: int, entry: Entry) -> None:
        if self.blowing and self.storm.random() < 0.03:
            disk = FaultyDisk(kill_at=self.storm.randrange(4), part=self.storm.randrange(3))
            self.journals[to]._disk = self.journals[to]._file._disk = disk
            self.writers[to]._file._disk = disk
        super().deliver(to, entry)
        if self.blowing and self.votes and self.storm.random() < 0.02:
            away = self.storm.sample(range(len(self.keys)), 1)
            self._guard(to, lambda: self.tables[to].go_on(away))

    def _guard(self, seat: int, act: Callable[[], Any]) -> Any:
        try:
            return super()._guard(seat, act)
        except Killed:
            self.kills += 1
            self.again(seat)
            return None

    def again(self, seat: int) -> None:
        """Start a process that died."""
        for file in (self.journals[seat]._file, self.writers[seat]._file):
            file._broken = True  # it isn't there any more to tidy up
        self.reopen(seat)
        self.tables[seat].start()

    def agree(self) -> None:
        """Honest logs agree as far as they are settled."""
        for one, other in itertools.combinations(self.tables, 2):
            common = min(one.position.settled, other.position.settled)
            assert one.heads[common] == other.heads[common]

    def play(self) -> None:
        """Blow for a while, then let all hear each other until the match is closed."""
        self.start()
        for _ in range(40):
            for _ in range(10):
                if self.pool:
                    self.deliver(*self.pool.pop(self.pick(len(self.pool))))
                else:
                    self._decide()
            self.agree()
            self.heal()
        self.blowing = False
        for seat in range(len(self.keys)):
            self.again(seat)
        for _ in range(30):
            self.heal()
            self.run(start=False)
            self.agree()
            if all(table.halted for table in self.tables):
                break
            for table in self.tables:
                table.go_on()


def stormy(seed: int, *, votes: bool) -> int:
    """One real match in a storm; how often a process died."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        ring = Stormy(Path(name), 2 + seed % 2, seed, votes=votes)
        try:
            ring.play()
            assert all(table.position.closed for table in ring.tables)
            assert [table.accusation for table in ring.tables] == [None] * len(ring.tables)
            (log,) = {ring.log(seat) for seat in range(len(ring.keys))}
            assert votes or not ring.tables[0].position.out
        finally:
            ring.close()
        assert audit_file(log, ring.group).status is Status.COMPLETE
        return ring.kills


@pytest.mark.parametrize("votes", [False, True])
def test_real_matches_in_a_storm_end_in_one_log(votes: bool) -> None:
    assert sum(stormy(seed, votes=votes) for seed in range(2)) > 0


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("votes", [False, True])
def test_many_real_matches_in_a_storm_end_in_one_log(votes: bool) -> None:
    assert sum(stormy(seed, votes=votes) for seed in range(2, 60)) > 50
