"""When to ask, when to announce, whom to answer: the clockwork of discovery.

Law: pure. `now` is seconds of a clock that never runs backwards, whoever calls reads it. The
figures are those of `WIRE.md`, "Discovery".
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Final, Generic, TypeVar

from node.link import Bucket
from protocol.announce import Phase

ASK_AT: Final = (0.0, 0.25, 1.0)
"""Seconds after the start at which a guest asks; what is lost once comes through later."""
ASK_EVERY: Final = 5.0
INTERVALS: Final = {Phase.LOBBY: 2.0, Phase.PLAYING: 5.0, Phase.CLOSED: 2.0}
"""Seconds between two announcements."""
MISSED: Final = 3
"""How many of them may be missing before a table counts as gone."""
LOOK_EVERY: Final = 5.0
"""Seconds between two looks at the interfaces."""
LEAP: Final = 3.0
_CHANGE_GAP: Final = 0.1

K = TypeVar("K", bound=Hashable)


def patience(phase: Phase) -> float:
    """Seconds after which a table in `phase` that isn't heard is forgotten."""
    return MISSED * INTERVALS[phase]


class Asking:
    """When a guest asks who is there."""

    def __init__(self, now: float) -> None:
        self._waiting = [now + delay for delay in ASK_AT]

    @property
    def next(self) -> float:
        """When it asks next."""
        return self._waiting[0]

    def due(self, now: float) -> bool:
        """Whether to ask now; True once for each time that has come."""
        if now < self._waiting[0]:
            return False
        # After a sleep several times have passed: one question will do.
        self._waiting = [t for t in self._waiting if t > now] or [now + ASK_EVERY]
        return True

    def again(self, now: float) -> None:
        """Begin anew: an interface came, or the computer slept."""
        self._waiting = [now + delay for delay in ASK_AT]


class Announcing:
    """When a table announces itself."""

    def __init__(self, now: float) -> None:
        self._last = now - _CHANGE_GAP
        self.next = now
        """When it announces next."""

    def change(self, now: float) -> None:
        """Something changed: at once, but not more often than ten times a second."""
        self.next = min(self.next, max(now, self._last + _CHANGE_GAP))

    def due(self, now: float, phase: Phase) -> bool:
        """Whether to announce now; then the next time is an interval of `phase` later."""
        if now < self.next:
            return False
        self._last = now
        self.next = now + INTERVALS[phase]
        return True


class Leaps:
    """Notices that the computer slept: a clock leapt, or nobody looked for long."""

    def __init__(self, now: float, wall: float) -> None:
        self._now = now
        self._wall = wall

    def look(self, now: float, wall: float) -> bool:
        """Whether more than LEAP seconds were skipped since the last look."""
        gone, by_wall = now - self._now, wall - self._wall
        self._now, self._wall = now, wall
        return gone > LEAP or abs(by_wall - gone) > LEAP


class Recent(Generic[K]):
    """The last `size` things that were seen."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._seen: OrderedDict[K, None] = OrderedDict()

    def first(self, thing: K) -> bool:
        """Whether `thing` is new; it isn't from now on."""
        if thing in self._seen:
            return False
        self._seen[thing] = None
        if len(self._seen) > self._size:
            self._seen.popitem(last=False)
        return True


class Rates:
    """How many datagrams a source may send, and all together; at most `sources` are remembered.

    A bucket is (tokens a second, burst). A source that is forgotten begins anew, hence the bound
    for all.
    """

    def __init__(
        self,
        source: tuple[float, float],
        total: tuple[float, float],
        now: float,
        sources: int = 512,
    ) -> None:
        self._rate = source
        self._total = Bucket(*total, total[1], now)
        self._sources = sources
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()

    def take(self, source: str, now: float) -> bool:
        """Whether one more of `source` is within the bounds."""
        rate, burst = self._rate
        bucket = self._buckets.pop(source, None) or Bucket(rate, burst, burst, now)
        self._buckets[source] = bucket
        if len(self._buckets) > self._sources:
            self._buckets.popitem(last=False)
        # The source's own bound first, so that a flood from one doesn't use up what is all's.
        return bucket.take(1, now) and self._total.take(1, now)


class Answering:
    """Whose question a table answers: each once, and not too many."""

    def __init__(self, now: float) -> None:
        self._rates = Rates((8, 16), (200, 200), now)
        self._asked: Recent[tuple[str, int, bytes]] = Recent(1_024)
        self._callback = Bucket(1, 1, 1, now)

    def question(self, source: str, port: int, token: bytes, now: float) -> bool:
        """Whether to answer this one: a guest asks by three ways and needs one answer."""
        return self._asked.first((source, port, token)) and self._rates.take(source, now)

    def callback(self, now: float) -> bool:
        """Whether to connect to somebody who asked for it."""
        return self._callback.take(1, now)
