"""The agreement, searched through: every course of events up to a bound (`explore`).

In every state honest logs agree as far as they are settled and nobody honest is convicted; from
every `heal`-th state the network is healed, and then one log must come of it, closed, unless those
who are there and whom no vote could still leave out are no majority. A seat never signs two things
for one place: the journal would refuse, and that counts as a violation.

What the searches cover (attempts 0 and 1 unless said; `away` 1: a player may think any other silent
besides those whose part is missing):

    seats  lies  says  window  crashes            states
    3      -     -     2       -                  first 2,000
    3      0     0     2       -                  441, which are all: it only plays, or doesn't
    3      0     1     2       -                  first 1,000
    3      -     -     2       1, at any write    first 1,000
    4      -     -     1       -                  first 2,500
    4      1     1     1       -                  first 500

and, after `-m long`, 100 to 1,000 times as many, with two players thought silent, more lies and
spectators, and thousands of random walks of 40 to 60 events. One of them by hand:

    python -m tests.protocol.explore 5 --malice 2 --budget 3 --crashes 1 --walks 3000 --length 50

A malicious seat says at most so many things that an honest one would not have said: a second play,
another signature, a wrong play or one out of turn, votes to leave out anybody, refusals. Not
covered: one that lends its vote to two minorities on two sides of a partition (`DEAL.md`, Limits).
"""

from __future__ import annotations

import random

import pytest

from tests.protocol.explore import Bounds, Search
from tests.protocol.explore_nodes import Violation

SMALL = {
    "three": (3, None, 0, Bounds(states=2_000, heal=8)),
    "three, one of them at times silent": (3, 0, 0, Bounds(heal=2)),
    "three, one of them lies once": (3, 0, 0, Bounds(budget=1, states=1_000, heal=8)),
    "three and a crash": (3, None, 0, Bounds(states=1_000, heal=8, crashes=1, during=True)),
    "four": (4, None, 0, Bounds(window=1, away=0, attempts=0, states=2_500, heal=8)),
    "four, one of them lies once": (
        *(4, 1, 0),
        Bounds(window=1, away=0, attempts=0, budget=1, states=500, heal=8),
    ),
}
LARGE = {
    "three": (3, None, 1, Bounds(states=300_000, heal=32, abandon=True)),
    "three, one of them lies": (3, 0, 0, Bounds(budget=2, states=200_000, heal=32)),
    "three and two crashes": (3, None, 0, Bounds(states=200_000, heal=32, crashes=2, during=True)),
    "four, one of them lies": (4, 1, 0, Bounds(window=1, budget=2, states=200_000, heal=32)),
    "five": (5, None, 0, Bounds(window=1, states=200_000, heal=64)),
    "five, one of them lies": (5, 2, 0, Bounds(window=1, budget=1, states=100_000, heal=64)),
}
WALKS = {
    "three": (3, None, 1, Bounds(attempts=2, crashes=2, during=True)),
    "three, one of them lies": (3, 0, 0, Bounds(attempts=2, budget=4)),
    "four": (4, None, 1, Bounds(attempts=2, crashes=2, during=True)),
    "four, one of them lies": (4, 1, 0, Bounds(attempts=1, budget=3)),
    "five, two thought silent": (5, None, 0, Bounds(attempts=2, away=2)),
    "five, one of them lies": (5, 2, 1, Bounds(attempts=1, budget=3, crashes=1)),
    "three, one of them lies, any may close": (3, 0, 0, Bounds(attempts=2, budget=4, abandon=True)),
    "four, one of them lies, any may close": (4, 1, 0, Bounds(attempts=1, budget=3, abandon=True)),
}


@pytest.mark.parametrize("name", SMALL)
def test_whatever_happens_up_to_a_bound(name: str) -> None:
    count, malice, spectators, bounds = SMALL[name]
    search = Search(count, malice, spectators, bounds).run()
    assert search.whole or search.states == bounds.states


@pytest.mark.parametrize("name", WALKS)
def test_walks(name: str) -> None:
    count, malice, spectators, bounds = WALKS[name]
    search = Search(count, malice, spectators, bounds)
    for seed in range({3: 6, 4: 3, 5: 1}[count]):
        search.walk(random.Random(seed), 40)
    assert search.healings


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", LARGE)
def test_whatever_happens_up_to_a_larger_bound(name: str) -> None:
    count, malice, spectators, bounds = LARGE[name]
    search = Search(count, malice, spectators, bounds).run()
    assert search.whole or search.states == bounds.states


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("name", WALKS)
def test_many_walks(name: str) -> None:
    count, malice, spectators, bounds = WALKS[name]
    search = Search(count, malice, spectators, bounds)
    for seed in range(1_000):
        search.walk(random.Random(seed), 50)


def test_the_search_finds_a_rule_that_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a majority's say each of two could leave out the other."""
    monkeypatch.setattr("protocol.votes.is_majority", lambda *_: True)
    monkeypatch.setattr("protocol.table.is_majority", lambda *_: True)
    with pytest.raises(Violation, match="settled different steps"):
        Search(3, None, 0, Bounds(states=3_000, heal=10**9, window=3)).run()
