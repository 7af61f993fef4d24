"""What a roster remembers of a peer, of a path and of a stranger.

Law: plain records; `node.roster` alone reads and changes them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from node.link import Bucket, Limits, Path, PeerInfo, Phase, Target


@dataclass(slots=True)
class Track:
    """One open path: whose CURVE key it carries, and when we greeted on it.

    `heard` orders paths by who spoke last: a count, since a clock may show one time for two words.
    """

    curve: bytes
    heard: int = 0
    greeted: float | None = None
    introduced: bool = False


@dataclass(slots=True)
class Peer:
    """A player that was heard of. `since` is when it was last linked or came to be known.

    `target` is where it is dialled next, `others` are further addresses of the same process;
    `dialled` the attempt under way or the DEALER at work, begun at `dialled_at`; `shaking` says
    that the attempt has a connection whose handshake isn't over.
    """

    key: bytes
    since: float
    heard: float
    messages: Bucket
    octets: Bucket
    curve: bytes | None = None
    expected: list[bytes] = field(default_factory=list)
    target: Target | None = None
    others: list[Target] = field(default_factory=list)
    dialled: Target | None = None
    dialled_at: float = 0.0
    shaking: bool = False
    asked: float | None = None
    eager: bool = False
    refusals: int = 0
    not_before: float = 0.0
    paths: dict[Path, Track] = field(default_factory=dict)
    up: bool = False
    strikes: int = 0
    drops: int = 0
    behind: bool = False
    round_trip: float | None = None

    def open_paths(self) -> list[Path]:
        """The ways to this player's process, the one last heard from first."""
        tracks = [(t.heard, p) for p, t in self.paths.items() if t.curve == self.curve]
        return [path for _, path in sorted(tracks, key=lambda pair: -pair[0])]


@dataclass(slots=True)
class Stranger:
    """A process that was let in and hasn't said yet who it is."""

    since: float


def phase_of(peer: Peer, now: float, limits: Limits) -> Phase:
    """How far the link with a peer is."""
    if peer.curve is not None:
        if not peer.up:
            return Phase.AWAY
        return Phase.LAGGING if now - peer.heard >= limits.lagging else Phase.LIVE
    if peer.paths:
        return Phase.HELLO
    if peer.dialled is None:
        return Phase.SEEN
    return Phase.HANDSHAKE if peer.shaking else Phase.DIALING


def info_of(peer: Peer, now: float, limits: Limits) -> PeerInfo:
    """What a reader may see of a peer."""
    address = (peer.target.host, peer.target.port) if peer.target else None
    return PeerInfo(
        peer.key,
        peer.curve,
        phase_of(peer, now, limits),
        address,
        max(0.0, now - peer.heard),
        peer.strikes,
        peer.behind,
        tuple(peer.open_paths()),
        peer.round_trip,
    )
