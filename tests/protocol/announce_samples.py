"""The datagrams of discovery with fixed keys, and what is wrong with others.

`python -m tests.protocol.announce_samples` writes `tests/vectors/wire/discovery.json` anew; do
that only when a version changes.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from protocol.announce import (
    MAX_DATAGRAM,
    UNASKED,
    Announcement,
    Answer,
    Callback,
    Datagram,
    Phase,
    Query,
    encode_datagram,
    read_announcement,
    sign_announcement,
)
from protocol.encoding import Value, pack, unpack
from tests.protocol.samples import identities

VECTORS = Path(__file__).parent.parent / "vectors" / "wire" / "discovery.json"
ADA, BRUNO = identities(2)
TOKEN = b"question"


def announcement() -> Announcement:
    """Ada's table, not signed yet."""
    return Announcement(
        "petrangola",
        "marche",
        "Cucina",
        "Ada",
        4,
        3,
        Phase.LOBBY,
        code=True,
        port=28_776,
        key=ADA.public,
        table=bytes(range(16)),
        serial=7,
    )


SIGNED = sign_announcement(announcement(), ADA)


def good() -> dict[str, Datagram]:
    """One datagram of every type, and an announcement that nobody asked for."""
    return {
        "query": Query(TOKEN),
        "answer": Answer(TOKEN, SIGNED),
        "unasked": Answer(UNASKED, SIGNED),
        "callback": Callback(TOKEN, 40_000),
    }


def values(data: bytes) -> list[Value]:
    """The items of an array."""
    value = unpack(data, limit=MAX_DATAGRAM)
    assert isinstance(value, tuple)
    return list(value)


def changed(data: bytes, at: int, value: Value) -> bytes:
    """`data` with one item of its array replaced."""
    items = values(data)
    items[at] = value
    return pack(tuple(items))


def bad_datagrams() -> dict[str, tuple[bytes, str]]:
    """Datagrams with one fault each, and what is said of it."""
    query, answer, callback = (encode_datagram(good()[n]) for n in ("query", "answer", "callback"))
    padding = values(query)[3]
    assert isinstance(padding, bytes)
    return {
        "nothing": (b"", "not one value"),
        "too long": (query + b"\0", "at most 560"),
        "no array": (b"\x01", "an array expected"),
        "another version": (pack((2, 48, TOKEN)), "protocol version 2"),
        "an unknown type": (pack((1, 51, TOKEN)), "unknown type"),
        "a message of the mesh": (pack((1, 7, TOKEN)), "unknown type"),
        "a short query": (pack((1, 48, TOKEN, bytes(256))), "padded"),
        "a query without padding": (pack((1, 48, TOKEN)), "2 items expected"),
        "a query padded with news": (changed(query, 3, padding[:-1] + b"\1"), "padded"),
        "a query with an empty token": (changed(query, 2, bytes(8)), "a token of zeros"),
        "a long token": (changed(answer, 2, bytes(9)), "token: 8 octets"),
        "an announcement that is text": (changed(answer, 3, "Cucina"), "octets expected"),
        "an empty announcement": (changed(answer, 3, b""), "announcement: 1 to 536"),
        "a further field": (pack((*values(answer), 1)), "answer: 2 items"),
        "nested arrays": (pack((1, 49, TOKEN, ((),))), "nested too deep"),
        "a privileged port": (changed(callback, 3, 1_023), "port: 1023"),
        "a port beyond the last": (
            pack((*values(callback)[:3], 65_536, bytes(539))),
            "port: 65536",
        ),
        "a callback with an empty token": (changed(callback, 2, bytes(8)), "a token of zeros"),
    }


def bad_announcements() -> dict[str, tuple[bytes, str]]:
    """Announcements with one fault each, properly signed unless that is the fault."""
    faults: dict[str, tuple[int, Value, str]] = {
        "no game": (0, "", "game: 1 to 32"),
        "a long game": (0, "g" * 33, "game: 1 to 32"),
        "rules with two spaces": (1, "a  b", "odd spaces"),
        "rules that are a number": (1, 1, "rules: a string"),
        "no name": (2, "", "table name: 1 to 32"),
        "a name that ends in a space": (2, "Cucina ", "odd spaces"),
        "a long host's name": (3, "A" * 33, "host's name: 1 to 32"),
        "no seats": (4, 0, "seats: 0"),
        "65 seats": (4, 65, "seats: 65"),
        "more free seats than seats": (5, 5, "free seats: 5"),
        "an unknown phase": (6, 3, "phase: 3"),
        "a code that is two": (7, 2, "code: 2"),
        "port 0": (8, 0, "port: 0"),
        "port 65536": (8, 65_536, "port: 65536"),
        "a short table": (10, bytes(15), "table: 16 octets"),
        "a negative serial": (11, -1, "serial: -1"),
    }
    found: dict[str, tuple[bytes, str]] = {}
    for name, (at, value, says) in faults.items():
        items = values(SIGNED)
        items[at] = value
        items[12] = ADA.sign(b"busso/announcement/1\x00" + pack(tuple(items[:12])))
        found[name] = (pack(tuple(items)), says)
    signature = values(SIGNED)[12]
    assert isinstance(signature, bytes)
    found["a signature with one bit wrong"] = (
        changed(SIGNED, 12, signature[:-1] + bytes([signature[-1] ^ 1])),
        "a wrong signature",
    )
    found["another's key"] = (changed(SIGNED, 9, BRUNO.public), "a wrong signature")
    found["another's name"] = (changed(SIGNED, 3, "Bruno"), "a wrong signature")
    # The neutral point: every signature of it with R = S B is valid for every text.
    weak = replace(read_announcement(SIGNED), key=b"\1" + bytes(31), signature=b"\1" + bytes(63))
    fields = (weak.game, weak.rules, weak.name, weak.host, 4, 3, 0, 1, weak.port)
    found["a key that fits every text"] = (
        pack((*fields, weak.key, weak.table, weak.serial, weak.signature)),
        "subgroup",
    )
    return found


def write() -> None:
    """Write the vectors."""
    document = {
        "good": {name: encode_datagram(datagram).hex() for name, datagram in good().items()},
        "bad": [{"name": n, "hex": d.hex(), "says": s} for n, (d, s) in bad_datagrams().items()],
        "bad announcements": [
            {"name": n, "hex": d.hex(), "says": s} for n, (d, s) in bad_announcements().items()
        ],
    }
    VECTORS.write_text(json.dumps(document, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    write()
