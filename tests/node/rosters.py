"""Rosters under a virtual clock, for the tests: three keys, their addresses, a link that stands.

Law: it judges nothing but that the link which a test begins with is there.
"""

from __future__ import annotations

from node.link import Greet, Limits, Path, Phase, Side, Target, Up, Verdict
from node.roster import Roster

LOW, MIDDLE, HIGH = (bytes([n]) * 32 for n in (1, 2, 3))
CURVES = {key: bytes([0x80 + key[0]]) * 32 for key in (LOW, MIDDLE, HIGH)}
OTHER = b"\xee" * 32
IN = Path(Side.IN, b"\0abcd")


def target(key: bytes, port: int = 7000) -> Target:
    return Target(CURVES[key], "10.0.0.1", port)


def roster(key: bytes = MIDDLE, limits: Limits | None = None) -> Roster:
    return Roster(key, CURVES[key], 0.0, limits or Limits())


def out(key: bytes) -> Path:
    return Path(Side.OUT, CURVES[key])


def linked(own: bytes = MIDDLE, other: bytes = LOW, at: float = 0.0) -> Roster:
    """A roster whose peer `other` introduced itself through our ROUTER."""
    r = roster(own)
    assert r.allow(CURVES[other], at)
    assert r.hello(other, CURVES[other], IN, at) is Verdict.NEW
    assert r.take() == [Greet(IN), Up(other)]
    return r


def phase(r: Roster, key: bytes, now: float) -> Phase:
    return next(p.phase for p in r.peers(now) if p.key == key)
