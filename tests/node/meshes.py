"""Meshes of two for the tests of the mesh.

Law: it opens sockets on the loopback alone, and judges nothing but that all of them are closed.
"""

from __future__ import annotations

from node.link import Limits
from protocol.messages import Get
from tests.node.nodes import Node, identity

PATIENT = Limits(fallback=60.0)
"""The node with the higher key never dials of its own accord."""
GET = Get(bytes(32), 7)


def pair(limits: Limits = PATIENT) -> tuple[Node, Node]:
    """Two nodes, the one with the lower key first."""
    a, b = sorted((identity(1), identity(2)), key=lambda who: who.public)
    return Node(a, limits=limits), Node(b, limits=limits)
