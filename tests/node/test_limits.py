"""The table of limits in `WIRE.md` says what the code does, and what is dropped is counted."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from node.commands import COMMAND_OCTETS, COMMANDS
from node.events import Inbox, Received
from node.link import Limits
from node.match import PAGE
from node.relay import REMEMBERED
from node.sockets import MAX_FRAME, bind_router
from node.sync import PEERS
from node.watch import WatchLimits
from protocol import table as tables
from protocol.contribution import Entry
from protocol.messages import MAX_BATCH, MAX_MESSAGE, EntryMessage
from tests.netfaults.matches import Matches

WIRE = Path(__file__).parents[2] / "protocol" / "WIRE.md"
LIMITS, WATCH = Limits(), WatchLimits()
INBOX = inspect.signature(Inbox).parameters["limit"].default
BOUNDS: dict[str, Iterable[float]] = {
    "message": [MAX_MESSAGE],
    "frame": [MAX_FRAME],
    "received in the middle of a message": [WATCH.excess],
    "asked of the mesh thread": [COMMANDS, COMMAND_OCTETS],
    "waiting for the session": [INBOX],
    "a peer's rate": [LIMITS.messages_a_second, LIMITS.octets_a_second],
    "its bursts": [LIMITS.message_burst, LIMITS.octet_burst],
    "strikes": [LIMITS.strikes],
    "players": [LIMITS.peers],
    "processes of a player": [LIMITS.keys_a_peer],
    "addresses of a player": [LIMITS.addresses_a_peer],
    "strangers": [LIMITS.strangers, LIMITS.callers],
    "a stranger's time": [LIMITS.stranger],
    "connections that say nothing": [WATCH.mute_connections, WATCH.mute],
    "keys and paths remembered as refused or closed": [LIMITS.remembered],
    "entries remembered as seen": [REMEMBERED],
    "positions of peers without a seat": [PEERS],
    "steps that an entry may be early": [tables.EARLY_STEPS, tables.EARLY_COPIES],
    "a BATCH": [MAX_BATCH, PAGE],
}
OF_LIBZMQ = {"queued to or from a peer": "HWM"}


def rows() -> dict[str, list[float]]:
    """What each row of the table bounds, and the numbers in it."""
    text = WIRE.read_text("utf-8").split("**Limits**", 1)[1].split("**Floods.**", 1)[0]
    found = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| ") and cells[0] != "what":
            numbers = re.findall(r"[0-9][0-9,.]*(?<![,.])", cells[1])
            found[cells[0]] = [float(number.replace(",", "")) for number in numbers]
    return found


def test_the_table_of_limits_is_what_the_code_does() -> None:
    table = rows()
    assert set(table) == set(BOUNDS) | set(OF_LIBZMQ)
    for what, bounds in BOUNDS.items():
        assert table[what] == list(bounds), what
    source = inspect.getsource(inspect.getmodule(bind_router) or bind_router)
    for option in ("SNDHWM", "RCVHWM"):
        assert f"(zmq.{option}, {table['queued to or from a peer'][0]:.0f})" in source


def test_what_is_dropped_in_a_match_is_counted_and_only_a_forger_is_struck(tmp_path: Path) -> None:
    """Replayed, reordered, foreign, divergent and forged entries, from a peer that invents them."""
    with Matches(tmp_path, 2) as table:
        table.run(lambda: table.step(0) >= 12)
        match, mesh, sender = table.seats[0].match, table.seats[0].mesh, table.keys[1]
        assert match is not None
        assert mesh is not None
        (old, *_) = match.table.entries_from(3)
        place, c = old.place, old.contribution
        bad = {
            "duplicate": old,
            "early": Entry(replace(place, step=match.table.position.step + 40), c),
            "divergent": Entry(replace(place, head=bytes(32)), c),
            "foreign": Entry(replace(place, match=bytes(32)), c),
            "forged": Entry(place, replace(c, signature=bytes(64))),
        }
        for name, entry in bad.items():
            before, strikes = getattr(match.entries, name), sum(mesh.strikes.values())
            match.handle(Received(sender, EntryMessage(entry)))
            assert getattr(match.entries, name) == before + 1, name
            assert sum(mesh.strikes.values()) - strikes == (name == "forged"), name
        repeated = match.entries.repeated
        match.handle(Received(sender, EntryMessage(old)))
        assert match.entries.repeated == repeated + 1
        table.run()
        assert len(table.logs()) == 1


@pytest.mark.parametrize("size", [MAX_BATCH, MAX_MESSAGE])
def test_messages_fit_a_frame(size: int) -> None:
    assert size + 1024 < MAX_FRAME
