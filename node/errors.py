"""The errors of the node layer.

Law: each says what a player can do about it; none blames a peer for our own bug.

    NodeError
    ├── NodeFailed          a bug: one of our threads or callbacks raised; the cause is attached
    ├── Stopped             a session ended before its match did
    ├── MeshError           the mesh or the door can't do what was asked
    │   ├── PortTaken       another program holds the port
    │   └── BadAddress      not a numeric address and port of the wanted kind
    └── DoorError           asking a table for its card failed
        ├── Unreachable     nobody answers at that address
        ├── NotATable       somebody answers, but not as a Busso table does
        ├── OtherVersion    a Busso table that speaks another version
        └── TurnedAway      a Busso table that is too busy or says no

The first argument of each is one sentence that a user can read.
"""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


class NodeError(Exception):
    """Anything that the node layer raises on purpose."""


class NodeFailed(NodeError):
    """Our own bug: `__cause__` is the first exception that the thread met."""


class Stopped(NodeError):
    """The session ended before the match did; its text says why."""


class MeshError(NodeError):
    """The mesh can't do what was asked of it."""


class PortTaken(MeshError):
    """The port to listen on belongs to another program, or may not be used."""


class BadAddress(MeshError, ValueError):
    """Not a numeric host and a port from 1 to 65535: names are resolved before they get here."""


class DoorError(NodeError):
    """A table could not be asked for its card."""


class Unreachable(DoorError):
    """No connection, or no answer in time."""


class NotATable(DoorError):
    """The answer is not that of a Busso table."""


class OtherVersion(DoorError):
    """A Busso table of another protocol version."""


class TurnedAway(DoorError):
    """The table is too busy, or doesn't want us."""


def need(value: T | None) -> T:
    """`value`, which must be there by now (NodeFailed: our own bug)."""
    if value is None:
        raise NodeFailed("A part of the session was used before it began.")
    return value
