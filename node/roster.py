"""Peers, links and their bookkeeping, without a socket.

Law: this file knows keys, paths and readings of a clock. It must never know a socket, a thread or
what a message means: `node.mesh` feeds it what happened and carries out the actions it returns.

An Ed25519 key names a peer, a CURVE key names one process of that peer. A CURVE key is *bound*
once a verified HELLO arrived over it; until then it belongs to a *stranger*, or to the peer that
somebody vouched for (`know`, `admit`). A *path* is one way to a peer: IN through our ROUTER, OUT
through the DEALER with which we dialled it.

Who dials is `node.dialling`'s business. Replies take the path that was last heard from.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

from node.dialling import Dialling
from node.link import (
    Action,
    Bucket,
    Cut,
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
from node.records import Peer, Stranger, Track, info_of, phase_of

_T = TypeVar("_T")


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
        self._peers: dict[bytes, Peer] = {}
        self._owner: dict[bytes, bytes] = {}
        self._strangers: OrderedDict[bytes, Stranger] = OrderedDict()
        self._refused: OrderedDict[bytes, None] = OrderedDict()
        self._banned: OrderedDict[bytes, None] = OrderedDict()
        self._faults: OrderedDict[bytes, int] = OrderedDict()
        self._actions: list[Action] = []
        self._dialling = Dialling(own_key, limits, self._actions)
        self._lost: OrderedDict[Path, None] = OrderedDict()
        self._told: dict[bytes, Phase] = {}
        self._last_tick = now
        self._words = 0

    def take(self) -> list[Action]:
        """The actions since the last call, in order."""
        actions = list(self._actions)
        self._actions.clear()
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
        self._dialling.aim(peer, target)
        peer.eager, peer.asked = at_once, now
        peer.refusals, peer.not_before = 0, now
        self._dialling.look(peer, now)
        return True

    def learn(self, curve: bytes, host: str, port: int) -> None:
        """The process `curve` came from `host` and says that it listens on `port`: its addresses
        change when it restarts, or with the network it is on."""
        peer = self._bound(curve)
        target = Target(curve, host, port)
        if peer is None or peer.target == target or target in peer.others:
            return
        if peer.target is None or peer.target.curve != curve:
            self._dialling.aim(peer, target)
        else:
            # It may be reached there too; the way that works now stays the first.
            peer.others = [target, *peer.others][: self.limits.addresses_a_peer - 1]

    def left(self, key: bytes) -> None:
        """The peer said goodbye: it isn't dialled until somebody says where it is again."""
        if (peer := self._peers.get(key)) is not None:
            self._dialling.hang_up(peer)
            peer.target, peer.others, peer.asked = None, [], None

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
        """The ZAP decision: may a process with this CURVE key connect?

        A closed table still lets a few in: a player whose process restarted is a stranger until it
        has introduced itself.
        """
        if curve in self._refused or curve == self.own_curve:
            return False
        if curve in self._owner:
            return True
        self._strangers.setdefault(curve, Stranger(now))
        room = self.limits.strangers if self.open else self.limits.callers
        while len(self._strangers) > room:
            # The oldest goes: an honest HELLO follows its handshake within milliseconds.
            oldest, _ = self._strangers.popitem(last=False)
            self._actions.append(Cut(oldest))
        return True

    def reopen(self) -> None:
        """Open admission again."""
        self.open = True

    def close(self) -> None:
        """Close admission: only players that are known already may come in from now on."""
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
        track = peer.paths.setdefault(path, Track(curve))
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
        if path not in self._lost:  # else these are the last words on a connection that closed
            self._hear(peer, peer.paths.setdefault(path, Track(curve)), now)
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

    def strike_key(self, key: bytes, now: float) -> bool:
        """As `strike`, for a peer that is known by its key; False if there is none."""
        peer = self._peers.get(key)
        if peer is None or peer.curve is None:
            return False
        self.strike(peer.curve, now)
        return True

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
        self._strangers[curve] = Stranger(now)
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

    def connected(self, curve: bytes) -> None:
        """The DEALER to `curve` has a connection; its handshake goes on."""
        if (peer := self._dialled(curve)) is not None:
            peer.shaking = True

    def opened(self, curve: bytes, now: float) -> None:
        """The DEALER to `curve` has a connection whose handshake succeeded: greet on it."""
        peer = self._dialled(curve)
        if peer is None:
            self._actions.append(HangUp(curve))
            return
        peer.shaking = False
        path = Path(Side.OUT, curve)
        track = peer.paths[path] = Track(curve)
        self._greet(path, track, now)
        if peer.curve == curve:
            self._hear(peer, track, now)

    def lost(self, path: Path, now: float) -> None:
        """The connection behind `path` closed."""
        if path.side is Side.IN:  # such a name is never given again
            _remember(self._lost, path, self.limits.remembered)
        for peer in self._peers.values():
            if peer.paths.pop(path, None) is not None and not self.paths(peer.key):
                peer.since = now
                self._dialling.down(peer, Why.LOST)

    def refused(self, curve: bytes, now: float) -> None:
        """The process we dialled at `curve` refused our key: ask again later, ever more slowly."""
        peer = self._dialled(curve)
        if peer is None:
            return
        self._dialling.hang_up(peer)
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

    def tick(self, now: float) -> float:
        """Let time pass: dial, greet again, notice silence. Call it at least every 0.1 s.

        The answer is for how many seconds this machine seems to have slept, or 0.
        """
        leap = now - self._last_tick
        slept = leap if leap > self.limits.jump else 0.0
        if slept:
            self._wake(now)
        self._last_tick = max(self._last_tick, now)
        for curve, stranger in list(self._strangers.items()):
            if now - stranger.since >= self.limits.stranger:
                del self._strangers[curve]
                self._actions.append(Cut(curve))
        for peer in list(self._peers.values()):
            if peer.up and now - peer.heard >= self.limits.away:
                # Whatever stands of the old connections, only new ones can tell.
                peer.since = peer.heard
                self._dialling.down(peer, Why.SILENT)
                self._dialling.hang_up(peer)
            self._greet_again(peer, now)
            self._dialling.look(peer, now)
            if peer.asked is not None and now - peer.asked >= self.limits.away:
                peer.asked = None
                if not peer.up:
                    self._actions.append(Down(peer.key, Why.UNREACHABLE))
        return slept

    # What others may read.

    def paths(self, key: bytes) -> list[Path]:
        """The open paths to a bound peer, the one last heard from first."""
        peer = self._peers.get(key)
        return [] if peer is None else peer.open_paths()

    def up(self) -> list[bytes]:
        """The keys of the peers that are up."""
        return [key for key, peer in self._peers.items() if peer.up]

    def shifts(self, now: float) -> list[tuple[bytes, Phase]]:
        """The peers that are in another phase than at the last call."""
        phases = {key: phase_of(peer, now, self.limits) for key, peer in self._peers.items()}
        phases.update((key, Phase.BANNED) for key in self._told if key in self._banned)
        changed = [(key, phase) for key, phase in phases.items() if self._told.get(key) != phase]
        self._told = phases
        return changed

    def peers(self, now: float) -> tuple[PeerInfo, ...]:
        """Every peer, in the order of keys, then the banned ones."""
        infos = [info_of(peer, now, self.limits) for _, peer in sorted(self._peers.items())]
        infos += [
            PeerInfo(key, None, Phase.BANNED, None, 0.0, 0, False, (), None)
            for key in sorted(self._banned)
        ]
        return tuple(infos)

    # Inside.

    def _peer(self, key: bytes, now: float) -> Peer | None:
        """The record of `key`, made if there is room."""
        if (peer := self._peers.get(key)) is not None:
            return peer
        if len(self._peers) >= self.limits.peers:
            return None
        lim = self.limits
        messages = Bucket(lim.messages_a_second, lim.message_burst, lim.message_burst, now)
        octets = Bucket(lim.octets_a_second, lim.octet_burst, lim.octet_burst, now)
        peer = self._peers[key] = Peer(key, now, now, messages, octets)
        return peer

    def _bound(self, curve: bytes) -> Peer | None:
        key = self._owner.get(curve)
        peer = self._peers.get(key) if key is not None else None
        return peer if peer is not None and peer.curve == curve else None

    def _dialled(self, curve: bytes) -> Peer | None:
        key = self._owner.get(curve)
        peer = self._peers.get(key) if key is not None else None
        if peer is None or peer.dialled is None or peer.dialled.curve != curve:
            return None
        return peer

    def _curves(self, peer: Peer) -> set[bytes]:
        curves = set(peer.expected)
        curves.update(track.curve for track in peer.paths.values())
        if peer.curve is not None:
            curves.add(peer.curve)
        if peer.dialled is not None:
            curves.add(peer.dialled.curve)
        return curves

    def _expect(self, peer: Peer, curve: bytes) -> bool:
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
        if expected is None and not self.open and key not in self._peers:
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
        peer.others = [t for t in peer.others if t.curve != curve]
        if peer.dialled is not None and peer.dialled.curve == curve:
            peer.dialled, peer.shaking = None, False
        if peer.curve == curve:
            peer.curve = None
            self._dialling.down(peer, Why.IMPOSTOR)

    def _hear(self, peer: Peer, track: Track, now: float) -> None:
        self._words += 1
        track.heard = self._words
        peer.heard = max(peer.heard, now)
        if not peer.up:
            peer.up, peer.asked, peer.eager = True, None, False
            self._actions.append(Up(peer.key))

    def _greet(self, path: Path, track: Track, now: float) -> None:
        track.greeted = now
        self._actions.append(Greet(path))

    def _greet_again(self, peer: Peer, now: float) -> None:
        """A HELLO may have been lost with its link: repeat ours until theirs has come."""
        for path, track in peer.paths.items():
            due = track.greeted is None or now - track.greeted >= self.limits.greet
            if path.side is Side.OUT and not track.introduced and due:
                self._greet(path, track, now)

    def _wake(self, now: float) -> None:
        """This machine slept: nobody was silent but us. Give everyone a fresh start, over fresh
        connections, since the old ones may be dead without a sign."""
        for stranger in self._strangers.values():
            stranger.since = now
        for peer in self._peers.values():
            if peer.up:
                peer.heard = now
            self._dialling.wake(peer, now)


def _remember(memory: OrderedDict[_T, None], item: _T, bound: int) -> None:
    """Add `item`, forgetting the oldest beyond `bound`."""
    memory[item] = None
    memory.move_to_end(item)
    while len(memory) > bound:
        memory.popitem(last=False)
