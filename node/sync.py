"""What this node lacks and whom it asks: nothing in the mesh relies on delivery.

Law: bookkeeping over positions that peers tell; no socket, the clock is a parameter. Anybody who
tells a position may be asked, seated or not, since authors sign. What a peer tells decides nothing
and holds up nobody: whoever claims to be ahead and brings nothing is asked ever more rarely.

One request is out at a time; unless it brought a step on, or only a part of what there is, the next
one goes out 250 ms later at the earliest. A node asks when a peer is ahead, where it sees two
heads, or when it has waited for a contribution for half a second; then ever more rarely, since most
often somebody is just thinking.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from protocol.messages import State

PATIENCE = 0.25
"""Seconds before another peer is asked."""
STALLED = 0.5
"""Seconds without a step after which a missing contribution is asked for; doubled each time."""
RARELY = 8.0
"""Seconds between two such questions at the most."""
LOOK_BACK = 4
"""How many steps before a divergent entry the comparison begins."""
PEERS = 96
"""Peers whose positions are kept; seats always are, of others the first to come."""

Question = tuple[bytes, int, tuple[int, ...]]
"""(whom to ask, from which step on, the seats whose entry at that step is at hand)"""


@dataclass(slots=True)
class _Peer:
    """`due`: not to be asked before for being ahead; `wait`: how long it is left alone next."""

    state: State | None = None
    asked: float = -1.0
    gone: bool = False
    due: float = -1.0
    wait: float = 0.0
    compare_due: float = -1.0
    compare_wait: float = STALLED
    compared: int | None = None


class Sync:
    """Decides whom to ask for what. `keys` are the seats' keys, `own` this node's seat (or -1)."""

    def __init__(self, keys: Sequence[bytes], own: int, clock: Callable[[], float]) -> None:
        self._keys = tuple(keys)
        self._seats = frozenset(key for seat, key in enumerate(keys) if seat != own)
        self._own = keys[own] if 0 <= own < len(keys) else None
        self._peers = {key: _Peer() for key in self._keys if key in self._seats}
        self._clock = clock
        self._step = 0
        self._held: tuple[int, ...] = ()
        self._idle = STALLED
        self._stalled_at = clock() + STALLED
        self._out: float | None = None
        self._whom: bytes | None = None
        self._more: bytes | None = None
        self._divergent: tuple[bytes, int] | None = None

    def heard(self, key: bytes, state: State) -> None:
        """A peer has told its position."""
        if key not in self._peers:
            if key == self._own or len(self._peers) >= PEERS + len(self._seats):
                return
            self._peers[key] = _Peer()
        self._peers[key].state = state
        self._peers[key].gone = False

    def gone(self, key: bytes) -> None:
        """A peer's link is down."""
        if key in self._seats:
            self._peers[key].gone = True
        else:
            self._peers.pop(key, None)

    def answered(self, key: bytes, more: bool) -> None:
        """A peer has sent what it was asked for; `more` is left."""
        if more and key == self._whom:
            self._more = key

    def diverged(self, key: bytes, step: int) -> None:
        """A peer's entry for `step` stands on another head than ours."""
        peer = self._peers.get(key)
        if self._divergent is not None or peer is None:
            return
        start = max(1, step - LOOK_BACK)
        further = peer.compared is None or start < peer.compared
        if further or self._clock() >= peer.compare_due:
            self._divergent = (key, start)

    def woke(self) -> None:
        """This machine slept: ask at once for what may have been missed."""
        self._stalled_at = self._clock()
        self._out = self._whom = None
        for peer in self._peers.values():
            peer.due, peer.wait = -1.0, 0.0

    def all_done(self) -> bool:
        """Whether every seat has passed the last step that we know of, or has left."""
        return all(
            peer.gone or (peer.state is not None and peer.state.step >= self._step)
            for peer in (self._peers[key] for key in self._seats)
        )

    def ask(self, step: int, held: Sequence[int], missing: Sequence[int]) -> Question | None:
        """The peer to ask now, from which step on and what of that step is at hand; or None."""
        now = self._clock()
        gained = self._progress(step, tuple(held), now)
        if self._out is not None and now - self._out < PATIENCE:
            return None
        self._judge(gained, now)
        if self._divergent is not None:
            return self._compare(*self._divergent, now)
        key = self._choose(step, missing, gained, now)
        if key is None:
            return None
        self._out = self._peers[key].asked = now
        self._whom, self._held = key, tuple(held)
        return key, step, tuple(held)

    def _progress(self, step: int, held: tuple[int, ...], now: float) -> bool:
        """Whether anything has come since the last question, and if so an end of waiting."""
        if step != self._step:
            self._step, self._held, self._out = step, (), None
            self._idle, self._stalled_at = STALLED, now + STALLED
            for peer in self._peers.values():
                peer.compare_wait, peer.compare_due, peer.compared = STALLED, -1.0, None
            return True
        gained = len(held) > len(self._held)
        if gained and self._more is not None:
            self._out = None
        return gained

    def _judge(self, gained: bool, now: float) -> None:
        """Whoever was asked has had its time: it brought something, or is left alone a while."""
        whom, self._whom = self._whom, None
        peer = self._peers.get(whom) if whom is not None else None
        if peer is None:
            return
        if gained:
            peer.wait, peer.due = 0.0, -1.0
        else:
            peer.wait = min(RARELY, max(PATIENCE, 2 * peer.wait))
            peer.due = now + peer.wait

    def _compare(self, key: bytes, start: int, now: float) -> Question | None:
        """Ask for the steps where two logs may part."""
        self._divergent = None
        peer = self._peers.get(key)
        if peer is None:
            return None
        self._out = peer.asked = now
        peer.compared, peer.compare_due = start, now + peer.compare_wait
        peer.compare_wait = min(2 * peer.compare_wait, RARELY)
        return key, start, ()

    def _choose(self, step: int, missing: Sequence[int], gained: bool, now: float) -> bytes | None:
        again, self._more = self._more, None
        if again is not None and gained and again in self._peers:
            return again
        there = {k: p for k, p in self._peers.items() if p.state is not None and not p.gone}
        ahead = [k for k, p in there.items() if p.state and p.state.step > step and now >= p.due]
        if ahead:
            return min(ahead, key=lambda k: there[k].asked)
        if missing and now >= self._stalled_at:
            self._idle = min(2 * self._idle, RARELY)
            self._stalled_at = now + self._idle
            if there:
                return min(there, key=lambda k: there[k].asked)
        return None
