"""Who is dialled, when and where (`WIRE.md`, "Links").

Law: the part of a roster that decides about connections of ours; it knows peers' records, readings
of a clock and what to ask of the mesh, and neither a socket nor who may come in.

The lower Ed25519 key dials at once, the other after `Limits.fallback` without a link, or when the
link is silent for `Limits.lagging`. An attempt without an answer is begun anew.
"""

from __future__ import annotations

from node.link import Action, Dial, Down, HangUp, Limits, Path, Side, Target, Why
from node.records import Peer


class Dialling:
    """The rule of who dials. What is to be done about it goes into `actions`, the roster's own."""

    def __init__(self, own_key: bytes, limits: Limits, actions: list[Action]) -> None:
        self._own_key = own_key
        self._limits = limits
        self._actions = actions

    def aim(self, peer: Peer, target: Target) -> None:
        """Dial `peer` at `target` from now on; addresses that it had before come after it."""
        known = [peer.target, *peer.others] if peer.target is not None else peer.others
        rest = [t for t in known if t.curve == target.curve and t != target]
        peer.target, peer.others = target, rest[: self._limits.addresses_a_peer - 1]

    def look(self, peer: Peer, now: float) -> None:
        """Dial, or hang up, as the rule of who dials says."""
        if peer.target is None:
            return
        if peer.dialled is not None and peer.dialled != peer.target:
            self.hang_up(peer)
        lags = peer.up and now - peer.heard >= self._limits.lagging
        linked = peer.up and peer.curve == peer.target.curve and bool(peer.open_paths())
        current = linked and not lags
        if peer.dialled is not None:
            if Path(Side.OUT, peer.dialled.curve) in peer.paths:
                return
            if current:
                # They reached us while we were still trying: one two-way link is enough.
                self.hang_up(peer)
            if current or now - peer.dialled_at < self._patience(peer, now):
                return
            # Waiting for the retries of TCP would take longer than a fresh attempt, and the player
            # may be at another of its addresses by now.
            self.hang_up(peer)
            if peer.others:
                self.aim(peer, peer.others[-1])
        mine = self._own_key < peer.key or peer.eager
        if not current and now >= peer.not_before:
            stale = peer.curve is not None and peer.curve != peer.target.curve
            if mine or stale or lags or now - peer.since >= self._limits.fallback:
                peer.dialled, peer.dialled_at = peer.target, now
                self._actions.append(Dial(peer.key, peer.target))

    def _patience(self, peer: Peer, now: float) -> float:
        """How long an attempt may take: ever longer for who has been silent for long."""
        limits = self._limits
        if peer.shaking:
            return limits.attempt_max
        return min(limits.attempt_max, max(limits.attempt, (now - peer.heard) / 20))

    def hang_up(self, peer: Peer) -> None:
        """Close the DEALER to `peer`, if there is one; with its last path the peer is down."""
        if peer.dialled is None:
            return
        curve, peer.dialled, peer.shaking = peer.dialled.curve, None, False
        had = peer.paths.pop(Path(Side.OUT, curve), None)
        self._actions.append(HangUp(curve))
        if had is not None and not peer.open_paths():
            self.down(peer, Why.LOST)

    def down(self, peer: Peer, why: Why) -> None:
        """The peer isn't linked any more."""
        if peer.up:
            peer.up = False
            self._actions.append(Down(peer.key, why))

    def wake(self, peer: Peer, now: float) -> None:
        """This machine slept: dial anew, since an old connection may be dead without a sign."""
        if peer.target is None:
            return
        if peer.dialled is not None:
            curve, peer.dialled, peer.shaking = peer.dialled.curve, None, False
            # Not a loss: it counts as linked until it has been silent for too long.
            peer.paths.pop(Path(Side.OUT, curve), None)
            self._actions.append(HangUp(curve))
        peer.not_before, peer.since = now, now - self._limits.fallback
        if not peer.open_paths():
            peer.dialled, peer.dialled_at = peer.target, now
            self._actions.append(Dial(peer.key, peer.target))
