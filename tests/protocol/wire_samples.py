"""One message of every type with fixed keys: what `tests/vectors/wire/good.json` is built from.

`python -m tests.protocol.wire_samples` writes that file anew; do that only when a version changes.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path

from protocol.contribution import Class, Entry, Kind, Place
from protocol.messages import (
    Ask,
    Batch,
    Bye,
    Chat,
    CodeHello,
    CodeProof,
    CodeReply,
    EntryMessage,
    Get,
    Hello,
    Knock,
    Lobby,
    Member,
    Message,
    Owned,
    Ping,
    Pong,
    Propose,
    Reason,
    Refusal,
    Role,
    State,
    TableCard,
    Welcome,
)
from protocol.wire import encode, sign, vouch
from tests.protocol.samples import contribution, header, identities

VECTORS = Path(__file__).parent.parent / "vectors" / "wire"
TABLE = bytes(range(16))
SESSION = b"\x5e" * 16
ADA, BRUNO = identities(2)


def curve_of(number: int) -> bytes:
    """Stands for a CURVE public key."""
    return hashlib.sha256(b"curve %d" % number).digest()


def card() -> TableCard:
    """Ada's table, signed."""
    return sign(
        TableCard(
            "petrangola",
            (("decks", 1), ("end", "last")),
            (),
            "Ada's table",
            4,
            3,
            b"",
            curve_of(0),
            7000,
            TABLE,
        ),
        ADA,
    )


def hello(number: int = 0) -> Hello:
    """Ada's or Bruno's introduction, signed."""
    identity, name = ((ADA, "Ada"), (BRUNO, "Bruno"))[number]
    nonce = bytes([0x10 + number]) * 16
    unsigned = Hello(b"", curve_of(number), TABLE, SESSION, name, Role.SEAT, 7000 + number, nonce)
    return sign(unsigned, identity)


def entry(step: int = 1, body: bytes = b"knock", cls: Class = Class.PLAY) -> Entry:
    """A move of Ada's, or her vote."""
    place = Place(header().match, hashlib.sha256(b"head").digest(), step, cls.value, cls)
    kind = Kind.MOVE if cls is Class.PLAY else Kind.ABSENT
    return Entry(place, contribution(ADA, place, 0, kind, body))


def messages() -> dict[str, Message]:
    """By name, one of every type and then some variants."""
    match, head = header().match, hashlib.sha256(b"head").digest()
    return {
        "state": State(match, 7, head, 5, (0, 2, 3), ready=True),
        "state at rest": State(),
        "hello": hello(),
        "propose": Propose(
            header().core, (encode(hello(0)), encode(hello(1))), (("", 0), ("192.168.1.7", 7001))
        ),
        "entry": EntryMessage(entry()),
        "entry: a vote": EntryMessage(entry(cls=Class.VOTE)),
        "get": Get(match, 3, (1,)),
        "batch": Batch(match, (entry(1), entry(2)), more=True),
        "batch: nothing": Batch(match, ()),
        "ping": Ping(b"12345678"),
        "pong": Pong(b"12345678"),
        "bye": Bye(Reason.LEAVING, "buona notte"),
        "chat": sign(Chat(b"", TABLE, SESSION, 1, "Busso! È finita"), ADA),
        "lobby": Lobby(
            3,
            (
                Member(encode(hello(0)), ("", 0), ready=True),
                Member(
                    encode(hello(1)),
                    ("192.168.1.7", 7001),
                    owner=ADA.public,
                    voucher=vouch(ADA, TABLE, BRUNO.public),
                ),
            ),
            (b"\x22" * 32,),
        ),
        "owned": Owned(ADA.public, vouch(ADA, TABLE, BRUNO.public)),
        "ask": Ask(),
        "card": card(),
        "card: a match is on": sign(
            dataclasses.replace(card(), code=True, watchers=False, playing=True), ADA
        ),
        "refusal": Refusal(Reason.BUSY),
        "knock": Knock(encode(hello(1))),
        "welcome": Welcome(),
        "code hello": CodeHello(encode(hello(1)), b"S" + bytes(range(32))),
        "code reply": CodeReply(b"S" + bytes(range(32, 64))),
        "code proof": CodeProof(bytes(range(64, 96))),
    }


def main() -> None:
    """Write the golden file."""
    VECTORS.mkdir(exist_ok=True)
    lines = [
        json.dumps({"name": name, "hex": encode(message).hex()}, ensure_ascii=False)
        for name, message in messages().items()
    ]
    text = "[\n  " + ",\n  ".join(lines) + "\n]\n"
    (VECTORS / "good.json").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
