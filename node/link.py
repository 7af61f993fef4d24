"""The vocabulary of links: paths, phases, limits, and what a roster asks the mesh to do.

Law: plain data and a token bucket. `node.roster` decides, `node.mesh` carries out.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Side(enum.Enum):
    """Which socket a path goes through."""

    IN = "in"
    OUT = "out"


@dataclass(frozen=True, slots=True)
class Path:
    """One way to a peer: `ident` is the ROUTER's routing id (IN) or the CURVE key dialled (OUT)."""

    side: Side
    ident: bytes


class Phase(enum.StrEnum):
    """How far a link is. What the table adds to it is `node.presence`'s business."""

    SEEN = "seen"
    DIALING = "dialing"
    HANDSHAKE = "handshake"
    HELLO = "hello"
    LIVE = "live"
    LAGGING = "lagging"
    AWAY = "away"
    BANNED = "banned"


class Why(enum.StrEnum):
    """Why a peer went down."""

    LOST = "its connection closed"
    SILENT = "nothing was heard from it for too long"
    UNREACHABLE = "it could not be reached"
    REFUSED = "it refused this key"
    REMOVED = "it was removed"
    STRUCK = "it broke the protocol too often"
    IMPOSTOR = "it is not who it was said to be"


@dataclass(frozen=True, slots=True)
class Limits:
    """Times in seconds, sizes in octets; the figures are those of `WIRE.md`, "Mesh"."""

    fallback: float = 0.7
    lagging: float = 1.6
    away: float = 5.0
    greet: float = 0.5
    stranger: float = 3.0
    retry: float = 5.0
    jump: float = 3.0
    attempt: float = 0.3
    attempt_max: float = 3.0
    strangers: int = 32
    callers: int = 8
    peers: int = 96
    keys_a_peer: int = 4
    addresses_a_peer: int = 4
    remembered: int = 1024
    strikes: int = 16
    messages_a_second: float = 4_000.0
    message_burst: float = 4_096.0
    octets_a_second: float = 16e6
    octet_burst: float = 32e6
    drops_a_strike: int = 256


@dataclass(slots=True)
class Bucket:
    """A token bucket: `rate` tokens a second, at most `burst` of them."""

    rate: float
    burst: float
    level: float
    at: float

    def take(self, tokens: float, now: float) -> bool:
        """Take `tokens`; False, and nothing taken, when there are not that many."""
        self.level = min(self.burst, self.level + self.rate * max(0.0, now - self.at))
        self.at = max(self.at, now)
        if tokens > self.level:
            return False
        self.level -= tokens
        return True


@dataclass(frozen=True, slots=True)
class Target:
    """Where a peer can be dialled: its CURVE server key, a numeric host and a port."""

    curve: bytes
    host: str
    port: int


# What the mesh is told to do.


@dataclass(frozen=True, slots=True)
class Dial:
    """Open a DEALER to `target`."""

    key: bytes
    target: Target


@dataclass(frozen=True, slots=True)
class HangUp:
    """Close the DEALER to this CURVE key, if there is one."""

    curve: bytes


@dataclass(frozen=True, slots=True)
class Greet:
    """Send our HELLO on this path."""

    path: Path


@dataclass(frozen=True, slots=True)
class Cut:
    """Shut every connection of this CURVE key."""

    curve: bytes


@dataclass(frozen=True, slots=True)
class Up:
    """The peer is bound and linked."""

    key: bytes


@dataclass(frozen=True, slots=True)
class Down:
    """The peer is no longer linked, or could not be in the first place."""

    key: bytes
    why: Why


Action = Dial | HangUp | Greet | Cut | Up | Down


class Verdict(enum.Enum):
    """What became of a HELLO."""

    NEW = "a peer, or a new process of a peer, is bound"
    AGAIN = "the same process introduced itself again"
    OWN_KEY = "it uses this player's own key"
    BANNED = "it was removed from this table"
    ANOTHERS = "it speaks for another key than the one expected on this link"
    CLOSED = "the table takes no new players"
    CROWDED = "too many players"

    @property
    def good(self) -> bool:
        """Whether the sender is bound now."""
        return self in (Verdict.NEW, Verdict.AGAIN)


@dataclass(frozen=True, slots=True)
class PeerInfo:
    """One peer as a reader of `Mesh.peers` sees it; ages and round trips in seconds."""

    key: bytes
    curve: bytes | None
    phase: Phase
    address: tuple[str, int] | None
    silent: float
    strikes: int
    behind: bool
    paths: tuple[Path, ...]
    round_trip: float | None
