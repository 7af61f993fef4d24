"""A mesh, or a bot at a table, in a network namespace of its own, driven by lines of JSON.

    python -m tests.netns.mesh_actor mesh 1                 a node that says what it hears
    python -m tests.netns.mesh_actor host 3 FOLDER          keeps a table for three and plays
    python -m tests.netns.mesh_actor join HOST PORT FOLDER  takes a seat and plays

Law: real meshes and sessions with nothing replaced. Each line that it prints is a JSON object; it
ends when its standard input does, or when the match is over.
"""

from __future__ import annotations

import hashlib
import json
import sys
import threading
import time
from pathlib import Path

from node.door import find_table
from node.errors import need
from node.events import Event, PeerDown, PeerUp, PhaseChanged, Received
from node.mesh import Mesh, Profile
from protocol.identity import Identity
from protocol.messages import Get
from tests.node.tables import offer, seat

_lock = threading.Lock()


def say(**fields: object) -> None:
    """One line; the time is the machine's, so that actors can be compared."""
    with _lock:
        sys.stdout.write(json.dumps({**fields, "at": time.monotonic()}) + "\n")
        sys.stdout.flush()


def hear(event: Event) -> None:
    """Tell what the mesh tells."""
    match event:
        case PeerUp(key=key):
            say(event="up", key=key.hex())
        case PeerDown(key=key, why=why):
            say(event="down", key=key.hex(), why=why.name)
        case PhaseChanged(key=key, phase=phase):
            say(event="phase", key=key.hex(), phase=phase.name)
        case Received(key=key, message=Get(step=step)):
            say(event="heard", key=key.hex(), step=step)


def mesh(number: int) -> None:
    """A node; `{"dial": [key, curve, host, port]}` and `{"say": step}` make it do so."""
    who = Identity(bytes([number]) * 32)
    profile = Profile(bytes(16), bytes(16), who.public[:16], f"node {number}")
    with Mesh(who, profile, hear) as one:
        say(event="ready", key=who.public.hex(), curve=one.curve.public.hex(), port=one.port)
        for line in sys.stdin:
            order = json.loads(line)
            if "dial" in order:
                key, curve, host, port = order["dial"]
                one.dial(bytes.fromhex(key), bytes.fromhex(curve), host, port)
            else:
                one.broadcast(Get(bytes(32), order["say"]))


def play(folder: Path, *, host: int = 0, join: tuple[str, int] | None = None) -> None:
    """A bot that hosts a table for so many, or joins one."""
    seated = seat(folder, int(folder.name))
    if join is None:
        say(event="open", port=seated.session.host(offer(host, 1, "briscola")))
    else:
        card, address = find_table(*join, 10)
        seated.session.join(card, address)
        say(event="joined")
    seated.run()
    log = seated.session.log
    if seated.error is not None or log is None:
        say(event="failed", error=repr(seated.error))
        return
    passed_on = need(seated.session._match).entries.passed_on
    digest = hashlib.sha256(log.read_bytes()).hexdigest()
    say(event="finished", log=digest, passed_on=passed_on)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["mesh", number]:
            mesh(int(number))
        case ["host", players, folder]:
            play(Path(folder), host=int(players))
        case ["join", host, port, folder]:
            play(Path(folder), join=(host, int(port)))
