"""The agreement, searched through: every course of events up to a bound (`explore`).

Each search checks in every state that honest logs agree as far as they are settled and that nobody
honest is convicted, and heals the network from every state: then one log must come of it.
"""

from __future__ import annotations

import pytest

from tests.protocol.explore import Bounds, Search

SMALL = {
    "three": (3, None, 0, Bounds(states=1_500)),
    "three, one of them silent": (3, 0, 0, Bounds(states=2_000)),
    "three and a crash": (3, None, 0, Bounds(states=1_000, crashes=1)),
}


@pytest.mark.parametrize("name", SMALL)
def test_whatever_happens_up_to_a_bound(name: str) -> None:
    count, malice, spectators, bounds = SMALL[name]
    Search(count, malice, spectators, bounds).run()
