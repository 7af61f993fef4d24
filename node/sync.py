"""What this node lacks and whom it asks: nothing in the mesh relies on delivery.

Law: bookkeeping over positions that peers tell; no socket, the clock is a parameter. One request is
out at a time; unless it brought a step on, or only a part of what there is, the next one goes out
250 ms later at the earliest. A node asks when a peer is ahead, where it sees two heads, or when it
has waited for a contribution for half a second; then ever more rarely, since most often somebody is
just thinking.
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


@dataclass(slots=True)
class _Peer:
    state: State | None = None
    asked: float = -1.0
    gone: bool = False


class Sync:
    """Decides whom to ask for what. `keys` are the seats' keys, `own` this node's seat."""

    def __init__(self, keys: Sequence[bytes], own: int, clock: Callable[[], float]) -> None:
        self._keys = tuple(keys)
        self._peers = {key: _Peer() for seat, key in enumerate(keys) if seat != own}
        self._clock = clock
        self._step = 0
        self._idle = STALLED
        self._stalled_at = clock() + STALLED
        self._out: float | None = None
        self._more: bytes | None = None
        self._divergent: tuple[bytes, int] | None = None

    def heard(self, key: bytes, state: State) -> None:
        """A peer has told its position."""
        if key in self._peers:
            self._peers[key].state = state
            self._peers[key].gone = False

    def gone(self, key: bytes) -> None:
        """A peer's link is down."""
        if key in self._peers:
            self._peers[key].gone = True

    def answered(self, key: bytes, more: bool) -> None:
        """A peer has sent what it was asked for; `more` is left."""
        if more:
            self._out, self._more = None, key

    def diverged(self, key: bytes, step: int) -> None:
        """A peer's entry for `step` stands on another head than ours."""
        if self._divergent is None and key in self._peers:
            self._divergent = (key, max(1, step - LOOK_BACK))

    def all_done(self) -> bool:
        """Whether every peer has passed the last step that we know of, or has left."""
        return all(
            peer.gone or (peer.state is not None and peer.state.step >= self._step)
            for peer in self._peers.values()
        )

    def ask(
        self, step: int, held: Sequence[int], missing: Sequence[int]
    ) -> tuple[bytes, int, tuple[int, ...]] | None:
        """The peer to ask now, from which step on and what of that step is at hand; or None."""
        now = self._clock()
        if step != self._step:
            self._step, self._out = step, None
            self._idle, self._stalled_at = STALLED, now + STALLED
        if self._out is not None and now - self._out < PATIENCE:
            return None
        if self._divergent is not None:
            key, start = self._divergent
            self._divergent, self._out = None, now
            return key, start, ()
        peer = self._whom(step, missing, now)
        if peer is None:
            return None
        self._out = self._peers[peer].asked = now
        return peer, step, tuple(held)

    def _whom(self, step: int, missing: Sequence[int], now: float) -> bytes | None:
        if self._more is not None:
            again, self._more = self._more, None
            return again
        ahead = [
            k for k, p in self._peers.items() if p.state and p.state.step > step and not p.gone
        ]
        if ahead:
            return min(ahead, key=lambda k: self._peers[k].asked)
        if missing and now >= self._stalled_at:
            self._idle = min(2 * self._idle, RARELY)
            self._stalled_at = now + self._idle
            level = [k for k, p in self._peers.items() if p.state and not p.gone]
            if level:
                return min(level, key=lambda k: self._peers[k].asked)
        return None
