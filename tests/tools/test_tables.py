"""The listing in lines, for programs, and picking from it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from node.discovery_listing import Listed, Way
from node.discovery_timing import Asking
from protocol.announce import Phase
from protocol.identity import fingerprint
from tests.protocol.announce_samples import ADA, BRUNO
from tools.errors import UsageError
from tools.tables import LOOK_FOR, describe, pick, table_data, table_lines

CUCINA = Listed(
    name="Cucina",
    host="Ada",
    game="petrangola",
    rules="marche",
    seats=4,
    free=3,
    phase=Phase.LOBBY,
    code=False,
    addresses=("192.168.1.5", "fe80::1%eth0"),
    port=28_776,
    fingerprint=fingerprint(ADA.public),
    key=ADA.public,
    table=bytes(range(16)),
    ping=0.0015,
    ways=Way.UDP,
)
SALA = replace(
    CUCINA,
    name="Sala",
    host="Bruno",
    rules="",
    fingerprint=fingerprint(BRUNO.public),
    key=b"",
    free=0,
    code=True,
    ping=None,
    ways=Way.DNS_SD,
)


def test_one_line_a_table() -> None:
    mark = fingerprint(ADA.public)[:9]
    assert table_lines([CUCINA, SALA]) == (
        f"1. Cucina: petrangola (marche), Ada hosts, 3 of 4 seats free, 1.5 ms, {mark}",
        "2. Sala: petrangola, Bruno hosts, full, needs its code, no answer yet, "
        + fingerprint(BRUNO.public)[:9],
    )
    assert "playing" in describe(replace(CUCINA, phase=Phase.PLAYING))
    assert table_lines([]) == ()


def test_for_programs() -> None:
    first, second = table_data([CUCINA, SALA])
    assert first["ping_ms"] == 1.5
    assert first["state"] == "lobby"
    assert first["found_by"] == ["UDP"]
    assert first["table"] == bytes(range(16)).hex()
    assert (second["ping_ms"], second["key"], second["found_by"]) == (None, "", ["DNS_SD"])


@pytest.mark.parametrize(
    ("words", "table"),
    [
        *(("1", CUCINA), ("2", SALA), (" cucina ", CUCINA), ("SALA", SALA), ("bruno", SALA)),
        (CUCINA.fingerprint[:4].lower(), CUCINA),
        (SALA.fingerprint, SALA),
    ],
)
def test_picking(words: str, table: Listed) -> None:
    assert pick([CUCINA, SALA], words) == table


@pytest.mark.parametrize("words", ["", "0", "3", "999", "٢", "cuc", CUCINA.fingerprint[:3]])
def test_what_is_no_table(words: str) -> None:
    with pytest.raises(UsageError, match="no table"):
        pick([CUCINA, SALA], words)


def test_two_of_one_name_are_told_apart_by_more() -> None:
    twin = replace(SALA, name="Cucina")
    with pytest.raises(UsageError, match="2 tables"):
        pick([CUCINA, twin], "Cucina")
    assert pick([CUCINA, twin], "2") == twin
    assert pick([CUCINA, twin], twin.fingerprint[:9]) == twin


def test_a_look_lasts_for_three_questions() -> None:
    asking = Asking(0.0)
    assert sum(asking.due(tick / 100) for tick in range(int(LOOK_FOR * 100))) == 3
