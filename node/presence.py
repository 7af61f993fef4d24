"""How far each player is from playing along, as the interface shows it.

Law: a table of states and readings of a clock; no socket. It is fed the mesh's events, the
positions that peers tell and the decisions that the log holds, and says what changed. Nothing in a
game follows from it: whether a seat is gone is decided by votes, and those by the log.

    SEEN - DIALING - HANDSHAKE - HELLO - SYNCING - LIVE - LAGGING - AWAY
                                    what the link says, and after HELLO how far its log is
    GONE      the log says that the seat is out; its node may follow, and may be heard of again
    BANNED    this node lets it in no more
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from node.events import Event, PhaseChanged
from node.link import Phase
from protocol.messages import State

BEHIND: Final = 8
"""Steps that a peer must be behind to count as catching up; while messages travel one is normal."""
LEVEL: Final = 1
"""Steps that it may be behind to count as level again."""


class Standing(enum.StrEnum):
    """Where a peer stands."""

    SEEN = "seen"
    DIALING = "dialing"
    HANDSHAKE = "handshake"
    HELLO = "hello"
    SYNCING = "syncing"
    LIVE = "live"
    LAGGING = "lagging"
    AWAY = "away"
    GONE = "gone"
    BANNED = "banned"

    @property
    def heard(self) -> bool:
        """Whether its node answers now: others needn't pass on what it says."""
        return self in (Standing.SYNCING, Standing.LIVE)


@dataclass(frozen=True, slots=True)
class Changed:
    """A peer stands elsewhere than before; `lasted` is how many seconds it stood there."""

    key: bytes
    before: Standing
    after: Standing
    lasted: float


_LINKS: Final = {phase: Standing(phase.value) for phase in Phase}


@dataclass(slots=True)
class _Peer:
    standing: Standing
    since: float
    phase: Phase = Phase.SEEN
    behind: bool = False
    out: bool = False


class Attendance:
    """All peers that `keys` name; others are nobody's business here."""

    def __init__(self, keys: Iterable[bytes], clock: Callable[[], float]) -> None:
        self._clock = clock
        self._peers = {key: _Peer(Standing.SEEN, clock()) for key in keys}

    def of(self, key: bytes) -> Standing:
        """Where a peer stands; SEEN for one that isn't among the keys."""
        peer = self._peers.get(key)
        return Standing.SEEN if peer is None else peer.standing

    def since(self, key: bytes) -> float:
        """For how many seconds it has stood there: what a countdown shows."""
        peer = self._peers.get(key)
        return 0.0 if peer is None else max(0.0, self._clock() - peer.since)

    def event(self, event: Event) -> tuple[Changed, ...]:
        """Take an event of the mesh."""
        if not isinstance(event, PhaseChanged) or event.key not in self._peers:
            return ()
        self._peers[event.key].phase = event.phase
        return self._settle(event.key)

    def told(self, key: bytes, state: State, match: bytes, step: int) -> tuple[Changed, ...]:
        """A peer has told its position; `step` of `match` is ours."""
        peer = self._peers.get(key)
        if peer is None:
            return ()
        if state.match != match:
            peer.behind = True
        else:
            peer.behind = step - state.step > (LEVEL if peer.behind else BEHIND)
        return self._settle(key)

    def decided(self, out: Iterable[bytes]) -> tuple[Changed, ...]:
        """The log says that these are out, and nobody else."""
        gone = set(out)
        found: list[Changed] = []
        for key, peer in self._peers.items():
            peer.out = key in gone
            found.extend(self._settle(key))
        return tuple(found)

    def _settle(self, key: bytes) -> tuple[Changed, ...]:
        peer = self._peers[key]
        after = _LINKS[peer.phase]
        if after is not Standing.BANNED and peer.out:
            after = Standing.GONE
        elif after is Standing.LIVE and peer.behind:
            after = Standing.SYNCING
        before, now = peer.standing, self._clock()
        if after is before:
            return ()
        lasted, peer.standing, peer.since = max(0.0, now - peer.since), after, now
        return (Changed(key, before, after, lasted),)
