"""The tables of the network in lines, and how a person picks one of them.

    1. Cucina: petrangola (marche), Ada hosts, 3 of 4 seats free, 1.5 ms, ABCD-EFGH

Law: this file words what `node.discovery` has listed; it opens no connection. Plain lines without
boxes, one a table, so that a screen reader tells a table in one breath. Nothing here is trusted:
names are a stranger's, and `Output` makes them safe for the terminal.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Final

from node.discovery import Browser
from node.discovery_listing import Listed, Way
from node.language import ENGLISH, Language, mark
from protocol.announce import Phase
from tools.errors import UsageError

LOOK_FOR: Final = 1.5
"""Seconds in which a table on an open network is sure to be heard: three questions' time."""
_STATES: Final = {
    Phase.LOBBY: mark("full"),
    Phase.PLAYING: mark("playing"),
    Phase.CLOSED: mark("closed"),
}


def look(seconds: float = LOOK_FOR, *, iface: str | None = None) -> tuple[Listed, ...]:
    """The tables that were found within `seconds`. NoSuchInterface, NodeFailed."""
    with Browser(iface=iface) as browser:
        threading.Event().wait(seconds)
        return browser.tables


def table_lines(tables: Sequence[Listed]) -> tuple[str, ...]:
    """One line a table, numbered from 1."""
    return tuple(f"{number}. {describe(table)}" for number, table in enumerate(tables, 1))


def describe(table: Listed, language: Language = ENGLISH) -> str:
    """One table in one line."""
    t = language.text
    game = f"{table.game} ({table.rules})" if table.rules else table.game
    seats = t(_STATES[table.phase])
    if table.open:
        free = t("{free} of {seats} seats free")
        seats = free.format(free=table.free, seats=table.seats)
    parts = [f"{table.name}: {game}", t("{host} hosts").format(host=table.host), seats]
    if table.code:
        parts.append(t("needs its code"))
    ping = t("no answer yet") if table.ping is None else f"{table.ping * 1_000:.1f} ms"
    parts.append(ping)
    # Two groups of the fingerprint tell two hosts of one name apart; the door shows the whole.
    parts.append(table.fingerprint[:9])
    return ", ".join(parts)


def table_data(tables: Sequence[Listed]) -> list[dict[str, Any]]:
    """The tables for programs."""
    return [
        {
            "name": table.name,
            "host": table.host,
            "game": table.game,
            "rules": table.rules,
            "seats": table.seats,
            "free": table.free,
            "state": table.phase.name.lower(),
            "code": table.code,
            "addresses": list(table.addresses),
            "port": table.port,
            "fingerprint": table.fingerprint,
            "key": table.key.hex(),
            "table": table.table.hex(),
            "ping_ms": None if table.ping is None else round(table.ping * 1_000, 3),
            "found_by": [way.name for way in Way if way in table.ways],
        }
        for table in tables
    ]


def pick(tables: Sequence[Listed], words: str) -> Listed:
    """The table that `words` mean: its number, its name, its host's name or its fingerprint's
    beginning (four characters or more). UsageError if that is none or several."""
    asked = words.strip()
    plain = asked.isascii() and asked.isdigit() and len(asked) < 4
    if plain and 1 <= int(asked) <= len(tables):
        return tables[int(asked) - 1]
    wanted = asked.casefold()
    for names in ("name", "host"):
        found = [table for table in tables if str(getattr(table, names)).casefold() == wanted]
        if found:
            return _one(found, asked)
    if len(wanted) >= 4:
        found = [t for t in tables if t.fingerprint.casefold().startswith(wanted)]
        if found:
            return _one(found, asked)
    raise UsageError(f"there is no table '{asked[:40]}'", "Say its number or its name.")


def _one(found: Sequence[Listed], asked: str) -> Listed:
    if len(found) > 1:
        text = f"'{asked[:40]}' could be {len(found)} tables"
        raise UsageError(text, "Say its number, or its fingerprint's beginning.")
    return found[0]
