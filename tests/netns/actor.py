"""A host or a guest in a network namespace of its own, driven through its standard streams.

    python -m tests.netns.actor host        opens a door and announces it
    python -m tests.netns.actor guest       lists what it finds

Law: this file runs the node's discovery as a player's program would, with nothing replaced. Each
line that it prints is a JSON object; it ends when its standard input does.
"""

from __future__ import annotations

import json
import sys
import threading
import time

from node.discovery import Announcer, Browser, Listed, OpenTable
from node.door import Door
from node.errors import DoorError
from node.finding import find
from node.invitation import DEFAULT_PORT
from tests.protocol.announce_samples import ADA
from tests.protocol.wire_samples import card


def say(**fields: object) -> None:
    sys.stdout.write(json.dumps(fields) + "\n")
    sys.stdout.flush()


def host() -> None:
    """Ada's table: its door is on the usual port."""
    with Door(card, port=DEFAULT_PORT) as door:
        table = OpenTable.of(card(), "Ada", door.port, rules="marche")
        with Announcer(ADA, table) as announcer:
            say(event="open")
            gate = threading.Event()
            while not announcer.in_dns_sd and not announcer.dns_sd_problem:
                gate.wait(0.02)
            say(event="known", problem=announcer.dns_sd_problem)
            sys.stdin.read()


def guest() -> None:
    """Tells every change of the list; for each table whether its door shows a card."""
    begun = time.perf_counter()

    def show(tables: tuple[Listed, ...]) -> None:
        ms = round((time.perf_counter() - begun) * 1_000, 1)
        say(event="listed", ms=ms, tables=[_told(table) for table in tables])

    with Browser(show) as browser:
        say(event="looking")
        for line in sys.stdin:
            if line.strip() == "join":
                say(event="joined", doors=[_door(table) for table in browser.tables])


def _told(table: Listed) -> dict[str, object]:
    return {
        "name": table.name,
        "ways": [way.name for way in table.ways],
        "addresses": list(table.addresses),
        "key": table.key.hex(),
        "answered": table.ping is not None,
    }


def _door(table: Listed) -> str:
    """The host at which the table's door showed its card, "" if none did."""
    try:
        return find(table, 2.0)[1]
    except DoorError:
        return ""


if __name__ == "__main__":
    {"host": host, "guest": guest}[sys.argv[1]]()
