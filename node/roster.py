"""Peers, links and their bookkeeping, without a socket.

Law: this file knows keys, paths and readings of a clock. It must never know a socket, a thread or
what a message means: `node.mesh` feeds it what happened and carries out the actions it returns.

An Ed25519 key names a peer, a CURVE key names one process of that peer. A CURVE key is *bound*
once a verified HELLO arrived over it; until then it belongs to a *stranger*, or to the peer that
somebody vouched for (`know`, `admit`). A *path* is one way to a peer: IN through our ROUTER, OUT
through the DEALER with which we dialled it.

Who dials (`WIRE.md`, "Links"): the lower Ed25519 key at once, the other after `Limits.fallback`
without a link. Replies take the path that was last heard from.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field

from node.link import (
    Action,
    Bucket,
    Cut,
    Dial,
    Down,
    Greet,
    HangUp,
    Limits,
    Path,
    PeerInfo,
    Phase,
    Side,
    Target,
    Up,
    Verdict,
    Why,
)


@dataclass(slots=True)
class _Track:
    """One open path: whose CURVE key it carries, and when we greeted on it.

    `heard` orders paths by who spoke last: a count, since a clock may show one time for two words.
    """

    curve: bytes
    heard: int = 0
    greeted: float | None = None
    introduced: bool = False


@dataclass(slots=True)
class _Peer:
    key: bytes
    since: float
    heard: float
    messages: Bucket
    octets: Bucket
    curve: bytes | None = None
    expected: list[bytes] = field(default_factory=list)
    target: Target | None = None
    dialled: Target | None = None
    asked: float | None = None
    eager: bool = False
    refusals: int = 0
    not_before: float = 0.0
    paths: dict[Path, _Track] = field(default_factory=dict)
    up: bool = False
    strikes: int = 0
    drops: int = 0
    behind: bool = False
    round_trip: float | None = None


@dataclass(slots=True)
class _Stranger:
    since: float


class Roster:
    """The bookkeeping of one node's links.

    Every method takes the time `now` (seconds, any origin); what is to be done about it waits in
    order until `take` hands it out. A clock that runs backwards stands still here; a leap of more
    than `Limits.jump` between two ticks means that this machine slept, and blames nobody.
    """

    def __init__(self, own_key: bytes, own_curve: bytes, now: float, limits: Limits) -> None:
        self.limits = limits
        self.own_key = own_key
        self.own_curve = own_curve
        self.open = True
        self._peers: dict[bytes, _Peer] = {}
        self._owner: dict[bytes, bytes] = {}
        self._strangers: OrderedDict[bytes, _Stranger] = OrderedDict()
        self._refused: OrderedDict[bytes, None] = OrderedDict()
        self._banned: OrderedDict[bytes, None] = OrderedDict()
        self._faults: OrderedDict[bytes, int] = OrderedDict()
        self._actions: list[Action] = []
        self._last_tick = now
        self._words = 0

    def take(self) -> list[Action]:
        """The actions since the last call, in order."""
        actions, self._actions = self._actions, []
        return actions

    # Who may connect.

    def know(self, key: bytes, target: Target, now: float, *, at_once: bool = False) -> bool:
        """`key` can be dialled at `target`; False when there is no room or it is banned.

        The caller vouches that the CURVE key belongs to `key` (a signed card or HELLO said so).
        `at_once` dials whatever the order of the keys: for joining a host that can't know us yet.
        """
        if key == self.own_key or key in self._banned or target.curve in self._refused:
            return False
        peer = self._peer(key, now)
        if peer is None or not self._expect(peer, target.curve):
            return False
        peer.target, peer.eager, peer.asked = target, at_once, now
        peer.refusals, peer.not_before = 0, now
        self._dial(peer, now)
        return True

    def admit(self, key: bytes, curve: bytes, now: float) -> bool:
        """Let the process `curve` of `key` in, admission open or not; lifts a ban of `key`."""
        if key == self.own_key or curve == self.own_curve:
            return False
        self._banned.pop(key, None)
        self._refused.pop(curve, None)
        peer = self._peer(key, now)
        return peer is not None and self._expect(peer, curve)

    def remove(self, key: bytes, why: Why, now: float) -> None:
        """Ban `key`: its processes are refused from now on and its connections shut."""
        del now  # the same shape as every other event
        _remember(self._banned, key, self.limits.remembered)
        peer = self._peers.pop(key, None)
        if peer is None:
            return
        for curve in self._curves(peer):
            self._refuse(curve)
        self._actions.append(Down(key, why))

    def allow(self, curve: bytes, now: float) -> bool:
        """The ZAP decision: may a process with this CURVE key connect?"""
        if curve in self._refused or curve == self.own_curve:
            return False
        if curve in self._owner:
            return True
        if not self.open:
            return False
        self._strangers.setdefault(curve, _Stranger(now))
        while len(self._strangers) > self.limits.strangers:
            # The oldest goes: an honest HELLO follows its handshake within milliseconds.
            oldest, _ = self._strangers.popitem(last=False)
            self._actions.append(Cut(oldest))
        return True

    def reopen(self) -> None:
        """Open admission again."""
        self.open = True

    def close(self) -> None:
        """Close admission: only keys already bound or admitted may connect from now on."""
        self.open = False
        for curve in self._strangers:
            self._actions.append(Cut(curve))
        self._strangers.clear()

    # What arrives.

    def hello(self, key: bytes, curve: bytes, path: Path, now: float) -> Verdict:
        """A HELLO of `key` arrived over `curve`; its signature and its CURVE key were checked."""
        refusal = self._objection(key, curve)
        peer = None if refusal else self._peer(key, now)
        if refusal is not None or peer is None:
            refusal = refusal or Verdict.CROWDED
            if refusal is Verdict.ANOTHERS and path.side is Side.OUT:
                self.impostor(curve, now)
            return refusal
        again, old = peer.curve == curve, peer.curve
        if not again:
            if not self._expect(peer, curve):
                return Verdict.CROWDED
            peer.curve = curve
            if old is not None:
                # Were it let back, two processes of one player would throw each other out for ever.
                self._refuse(old)
        self._strangers.pop(curve, None)
        track = peer.paths.setdefault(path, _Track(curve))
        track.introduced, track.curve = True, curve
        if track.greeted is None or now - track.greeted >= self.limits.greet / 2:
            self._greet(path, track, now)
        peer.refusals = 0
        self._hear(peer, track, now)
        return Verdict.AGAIN if again else Verdict.NEW

    def heard(self, curve: bytes, path: Path, now: float) -> bytes | None:
        """Something arrived over `curve`: the bound peer's key, or None for anyone else."""
        peer = self._bound(curve)
        if peer is None:
            return None
        track = peer.paths.setdefault(path, _Track(curve))
        self._hear(peer, track, now)
        return peer.key

    def expected(self, curve: bytes) -> bytes | None:
        """The key that this CURVE key is bound to or vouched for."""
        return self._owner.get(curve)

    def charge(self, curve: bytes, octets: int, now: float) -> bool:
        """Whether the peer bound to `curve` is within its rate; a strike for so many drops."""
        peer = self._bound(curve)
        if peer is None:
            return True
        if peer.messages.take(1, now) and peer.octets.take(octets, now):
            return True
        peer.drops += 1
        if peer.drops % self.limits.drops_a_strike == 0:
            self.strike(curve, now)
        return False

    def strike(self, curve: bytes, now: float) -> bytes | None:
        """Count a breach of the protocol; the peer's key if the sender is bound.

        At `Limits.strikes` the peer is banned; a stranger is refused.
        """
        peer = self._bound(curve)
        if peer is not None:
            peer.strikes += 1
            if peer.strikes >= self.limits.strikes:
                self.remove(peer.key, Why.STRUCK, now)
            return peer.key
        # Not introduced: the count outlives the connection, so that reconnecting gains nothing.
        faults = self._faults[curve] = self._faults.pop(curve, 0) + 1
        if len(self._faults) > self.limits.remembered:
            self._faults.popitem(last=False)
        if faults >= self.limits.strikes:
            self._refuse(curve)
        return None

    def flooded(self, curve: bytes, now: float) -> bytes | None:
        """A connection of `curve` was cut for flooding: no second chance."""
        peer = self._bound(curve)
        if peer is None:
            self._refuse(curve)
            return None
        self.remove(peer.key, Why.STRUCK, now)
        return peer.key

    def turn_away(self, curve: bytes, now: float) -> None:
        """Refuse this process from now on, and cut it once it had time to read why."""
        self._forget(curve)
        self._strangers[curve] = _Stranger(now)
        self._actions.append(HangUp(curve))

    def impostor(self, curve: bytes, now: float) -> None:
        """Whoever we dialled at `curve` is not the key that it was said to be."""
        del now
        key = self._owner.get(curve)
        peer = self._peers.get(key) if key is not None else None
        was_up = peer is not None and peer.up
        self._refuse(curve)
        if peer is not None and not was_up:
            self._actions.append(Down(peer.key, Why.IMPOSTOR))

    # What connections do.

    def opened(self, curve: bytes, now: float) -> None:
        """The DEALER to `curve` has a connection whose handshake succeeded: greet on it."""
        peer = self._dialling(curve)
        if peer is None:
            self._actions.append(HangUp(curve))
            return
        path = Path(Side.OUT, curve)
        track = peer.paths[path] = _Track(curve)
        self._greet(path, track, now)
        if peer.curve == curve:
            self._hear(peer, track, now)

    def lost(self, path: Path, now: float) -> None:
        """The connection behind `path` closed."""
        for peer in self._peers.values():
            if peer.paths.pop(path, None) is not None and not self.paths(peer.key):
                peer.since = now
                self._down(peer, Why.LOST)

    def refused(self, curve: bytes, now: float) -> None:
        """The process we dialled at `curve` refused our key: ask again later, ever more slowly."""
        peer = self._dialling(curve)
        if peer is None:
            return
        self._hang_up(peer)
        wait = min(self.limits.retry, self.limits.fallback * 2.0 ** min(peer.refusals, 16))
        peer.not_before = now + wait
        peer.refusals += 1
        if peer.refusals == 1 and not peer.up:
            peer.asked = None
            self._actions.append(Down(peer.key, Why.REFUSED))

    def behind(self, key: bytes, value: bool) -> None:
        """Remember that a send found the peer's queue full (it will pull), or that it is not."""
        if (peer := self._peers.get(key)) is not None:
            peer.behind = value

    def measured(self, key: bytes, round_trip: float) -> None:
        """A PONG came back after `round_trip` seconds."""
        if (peer := self._peers.get(key)) is not None:
            peer.round_trip = round_trip

    # What time does.

    def tick(self, now: float) -> None:
        """Let time pass: dial, greet again, notice silence. Call it at least every 0.1 s."""
        if now - self._last_tick > self.limits.jump:
            self._wake(now)
        self._last_tick = max(self._last_tick, now)
        for curve, stranger in list(self._strangers.items()):
            if now - stranger.since >= self.limits.stranger:
                del self._strangers[curve]
                self._actions.append(Cut(curve))
        for peer in list(self._peers.values()):
            if peer.up and now - peer.heard >= self.limits.away:
                peer.since = now
                self._down(peer, Why.SILENT)
            self._greet_again(peer, now)
            self._dial(peer, now)
            if peer.asked is not None and now - peer.asked >= self.limits.away:
                peer.asked = None
                if not peer.up:
                    self._actions.append(Down(peer.key, Why.UNREACHABLE))

    # What others may read.

    def paths(self, key: bytes) -> list[Path]:
        """The open paths to a bound peer, the one last heard from first."""
        peer = self._peers.get(key)
        if peer is None or peer.curve is None:
            return []
        tracks = [(t.heard, p) for p, t in peer.paths.items() if t.curve == peer.curve]
        return [path for _, path in sorted(tracks, key=lambda pair: -pair[0])]

    def up(self) -> list[bytes]:
        """The keys of the peers that are up."""
        return [key for key, peer in self._peers.items() if peer.up]

    def peers(self, now: float) -> tuple[PeerInfo, ...]:
        """Every peer, in the order of keys, then the banned ones."""
        infos = [self._info(peer, now) for _, peer in sorted(self._peers.items())]
        infos += [
            PeerInfo(key, None, Phase.BANNED, None, 0.0, 0, False, (), None)
            for key in sorted(self._banned)
        ]
        return tuple(infos)

    # Inside.

    def _info(self, peer: _Peer, now: float) -> PeerInfo:
        address = (peer.target.host, peer.target.port) if peer.target else None
        silent = max(0.0, now - peer.heard)
        return PeerInfo(
            peer.key,
            peer.curve,
            self._phase(peer, silent),
            address,
            silent,
            peer.strikes,
            peer.behind,
            tuple(self.paths(peer.key)),
            peer.round_trip,
        )

    def _phase(self, peer: _Peer, silent: float) -> Phase:
        if peer.curve is not None:
            if not peer.up:
                return Phase.AWAY
            return Phase.LAGGING if silent >= self.limits.lagging else Phase.LIVE
        if peer.paths:
            return Phase.HELLO
        return Phase.DIALING if peer.dialled is not None else Phase.SEEN

    def _peer(self, key: bytes, now: float) -> _Peer | None:
        """The record of `key`, made if there is room."""
        if (peer := self._peers.get(key)) is not None:
            return peer
        if len(self._peers) >= self.limits.peers:
            return None
        lim = self.limits
        messages = Bucket(lim.messages_a_second, lim.message_burst, lim.message_burst, now)
        octets = Bucket(lim.octets_a_second, lim.octet_burst, lim.octet_burst, now)
        peer = self._peers[key] = _Peer(key, now, now, messages, octets)
        return peer

    def _bound(self, curve: bytes) -> _Peer | None:
        key = self._owner.get(curve)
        peer = self._peers.get(key) if key is not None else None
        return peer if peer is not None and peer.curve == curve else None

    def _dialling(self, curve: bytes) -> _Peer | None:
        key = self._owner.get(curve)
        peer = self._peers.get(key) if key is not None else None
        if peer is None or peer.dialled is None or peer.dialled.curve != curve:
            return None
        return peer

    def _curves(self, peer: _Peer) -> set[bytes]:
        curves = set(peer.expected)
        curves.update(track.curve for track in peer.paths.values())
        if peer.curve is not None:
            curves.add(peer.curve)
        if peer.dialled is not None:
            curves.add(peer.dialled.curve)
        return curves

    def _expect(self, peer: _Peer, curve: bytes) -> bool:
        """Vouch for `curve` as a process of `peer`; False if it is another's or our own."""
        if self._owner.get(curve, peer.key) != peer.key or curve == self.own_curve:
            return False
        if curve not in peer.expected:
            for old in list(peer.expected):
                if len(peer.expected) < self.limits.keys_a_peer:
                    break
                if old != peer.curve:
                    self._refuse(old)
            peer.expected.append(curve)
        self._owner[curve] = peer.key
        self._strangers.pop(curve, None)
        return True

    def _objection(self, key: bytes, curve: bytes) -> Verdict | None:
        expected = self._owner.get(curve)
        if self.own_key == key or self.own_curve == curve:
            return Verdict.OWN_KEY
        if key in self._banned or curve in self._refused:
            return Verdict.BANNED
        if expected is not None and expected != key:
            return Verdict.ANOTHERS
        if expected is None and not self.open:
            return Verdict.CLOSED
        return None

    def _refuse(self, curve: bytes) -> None:
        self._forget(curve)
        self._actions.append(HangUp(curve))
        self._actions.append(Cut(curve))

    def _forget(self, curve: bytes) -> None:
        """Nobody's from now on, and refused; a peer that was bound to it is down."""
        key = self._owner.pop(curve, None)
        peer = self._peers.get(key) if key is not None else None
        self._strangers.pop(curve, None)
        self._faults.pop(curve, None)
        _remember(self._refused, curve, self.limits.remembered)
        if peer is None:
            return
        if curve in peer.expected:
            peer.expected.remove(curve)
        for path in [p for p, t in peer.paths.items() if t.curve == curve]:
            del peer.paths[path]
        if peer.target is not None and peer.target.curve == curve:
            peer.target = None
        if peer.dialled is not None and peer.dialled.curve == curve:
            peer.dialled = None
        if peer.curve == curve:
            peer.curve = None
            self._down(peer, Why.IMPOSTOR)

    def _hear(self, peer: _Peer, track: _Track, now: float) -> None:
        self._words += 1
        track.heard = self._words
        peer.heard = max(peer.heard, now)
        if not peer.up:
            peer.up, peer.asked, peer.eager = True, None, False
            self._actions.append(Up(peer.key))

    def _down(self, peer: _Peer, why: Why) -> None:
        if peer.up:
            peer.up = False
            self._actions.append(Down(peer.key, why))

    def _greet(self, path: Path, track: _Track, now: float) -> None:
        track.greeted = now
        self._actions.append(Greet(path))

    def _greet_again(self, peer: _Peer, now: float) -> None:
        """A HELLO may have been lost with its link: repeat ours until theirs has come."""
        for path, track in peer.paths.items():
            due = track.greeted is None or now - track.greeted >= self.limits.greet
            if path.side is Side.OUT and not track.introduced and due:
                self._greet(path, track, now)

    def _dial(self, peer: _Peer, now: float) -> None:
        """Dial, or hang up, as the rule of who dials says."""
        target, dialled = peer.target, peer.dialled
        if target is None:
            return
        current = peer.curve == target.curve and peer.up
        if dialled is not None and dialled != target:
            self._hang_up(peer)
            dialled = None
        if dialled is not None:
            if current and Path(Side.OUT, target.curve) not in peer.paths:
                # They reached us while we were still trying: one two-way link is enough.
                self._hang_up(peer)
            return
        mine = self.own_key < peer.key or peer.eager
        if not current and now >= peer.not_before:
            stale = peer.curve is not None and peer.curve != target.curve
            if mine or stale or now - peer.since >= self.limits.fallback:
                peer.dialled = target
                self._actions.append(Dial(peer.key, target))

    def _hang_up(self, peer: _Peer) -> None:
        if peer.dialled is None:
            return
        curve, peer.dialled = peer.dialled.curve, None
        had = peer.paths.pop(Path(Side.OUT, curve), None)
        self._actions.append(HangUp(curve))
        if had is not None and not self.paths(peer.key):
            self._down(peer, Why.LOST)

    def _wake(self, now: float) -> None:
        """This machine slept: nobody was silent but us. Give everyone a fresh start."""
        for stranger in self._strangers.values():
            stranger.since = now
        for peer in self._peers.values():
            if peer.up:
                peer.heard = now
            elif peer.target is not None:
                self._hang_up(peer)
                peer.not_before, peer.since = now, now - self.limits.fallback


def _remember(memory: OrderedDict[bytes, None], item: bytes, bound: int) -> None:
    """Add `item`, forgetting the oldest beyond `bound`."""
    memory[item] = None
    memory.move_to_end(item)
    while len(memory) > bound:
        memory.popitem(last=False)
