"""A mesh over a virtual network: what `node.match.Match` needs of a mesh, without sockets.

Law: messages are encoded, carried and decoded as in the real one; links come and go as the network
says; silence, beats and strikes keep the real mesh's times. It must never know a game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from node.events import Event, PeerDown, PeerUp, PhaseChanged, Received, Woke
from node.link import Limits, PeerInfo, Phase, Why
from node.mesh import BEAT, GATHER, TICK
from protocol.messages import MeshMessage, State
from protocol.wire import WireError, decode, encode
from tests.netfaults.virtual import Network


@dataclass(slots=True)
class _Peer:
    heard: float
    phase: Phase = Phase.LIVE


class VirtualMesh:
    """One node's mesh. `on_event` gets what the real one tells, on the network's one thread."""

    def __init__(
        self,
        net: Network,
        key: bytes,
        on_event: Callable[[Event], None],
        limits: Limits | None = None,
    ) -> None:
        self.key = key
        self.net = net
        self.limits = limits or Limits()
        self.strikes: Counter[bytes] = Counter()
        self.reasons: list[str] = []
        self._on_event = on_event
        self._peers: dict[bytes, _Peer] = {}
        self._state = encode(State())
        self._gathering = False
        self._ticked = net.now
        self.node = net.attach(key, self._deliver, self._changed)
        self.node.every(BEAT, self._tell)
        self.node.every(TICK, self._tick)

    # What a match calls.

    def send(self, key: bytes, message: MeshMessage) -> bool:
        """As `Mesh.send`: True doesn't mean that it will arrive."""
        return key in self._peers and self.node.send(key, encode(message))

    def broadcast(self, message: MeshMessage) -> bool:
        """As `Mesh.broadcast`."""
        for key in list(self._peers):
            self.node.send(key, encode(message))
        return True

    def set_state(self, state: State) -> None:
        """As `Mesh.set_state`: told soon if it changed, and again and again."""
        data = encode(state)
        if data != self._state:
            self._state = data
            if not self._gathering:
                self._gathering = True
                self.node.after(GATHER, self._tell)

    def strike(self, key: bytes, why: str) -> None:
        """As `Mesh.strike`: enough of them remove the peer."""
        self.strikes[key] += 1
        self.reasons.append(why)
        if self.strikes[key] == self.limits.strikes:
            self._peers.pop(key, None)
            self._on_event(PeerDown(key, Why.STRUCK))

    def peers(self) -> tuple[PeerInfo, ...]:
        """As `Mesh.peers`, as far as a virtual link has such things."""
        return tuple(
            PeerInfo(key, None, p.phase, None, self.net.now - p.heard, 0, False, (), None)
            for key, p in sorted(self._peers.items())
        )

    # What the network does.

    def _tell(self) -> None:
        self._gathering = False
        for key in list(self._peers):
            self.node.send(key, self._state)

    def _changed(self, key: bytes, up: bool) -> None:
        if up and self.strikes[key] < self.limits.strikes:
            self._hear(key)
            self.node.send(key, self._state)
        elif not up and self._peers.pop(key, None) is not None:
            self._on_event(PeerDown(key, Why.LOST))
            self._on_event(PhaseChanged(key, Phase.AWAY))

    def _hear(self, key: bytes) -> None:
        peer = self._peers.get(key)
        if peer is None:
            self._peers[key] = _Peer(self.net.now)
            self._on_event(PeerUp(key))
            self._on_event(PhaseChanged(key, Phase.LIVE))
            return
        peer.heard = self.net.now
        if peer.phase is Phase.LAGGING:
            peer.phase = Phase.LIVE
            self._on_event(PhaseChanged(key, Phase.LIVE))

    def _deliver(self, sender: bytes, octets: bytes) -> None:
        if self.strikes[sender] >= self.limits.strikes:
            return
        self._hear(sender)
        try:
            message = decode(octets)
        except WireError as error:
            self.strike(sender, str(error))
            return
        self._on_event(Received(sender, message))  # type: ignore[arg-type]  # none is a door's

    def _tick(self) -> None:
        leap, self._ticked = self.net.now - self._ticked, self.net.now
        if leap > self.limits.jump:
            for peer in self._peers.values():
                peer.heard = self.net.now
            self._on_event(Woke(leap))
            self._tell()
        for key, peer in list(self._peers.items()):
            silent = self.net.now - peer.heard
            if silent >= self.limits.away:
                del self._peers[key]
                self._on_event(PeerDown(key, Why.SILENT))
                self._on_event(PhaseChanged(key, Phase.AWAY))
            elif silent >= self.limits.lagging and peer.phase is Phase.LIVE:
                peer.phase = Phase.LAGGING
                self._on_event(PhaseChanged(key, Phase.LAGGING))
