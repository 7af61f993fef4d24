"""The codec of the messages: one encoding each, bounds on everything, nothing but `WireError`."""

from __future__ import annotations

import ast
import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import messages as m
from protocol.contribution import MAX_BODY, Class, Entry, Kind
from protocol.encoding import Value, pack, unpack
from protocol.errors import EncodingError, LocalProtocolError
from protocol.messages import (
    MAX_BATCH,
    MAX_CARD,
    MAX_MESSAGE,
    Batch,
    Bye,
    Chat,
    EntryMessage,
    Get,
    Hello,
    Message,
    Ping,
    Propose,
    Reason,
    State,
    TableCard,
)
from protocol.wire import (
    OtherVersion,
    WireError,
    decode,
    decode_hello,
    encode,
    introductions,
    paginate,
    sign,
    vouch,
    vouched,
)
from tests.protocol.samples import contribution, header
from tests.protocol.wire_samples import (
    ADA,
    BRUNO,
    TABLE,
    VECTORS,
    card,
    entry,
    hello,
    messages,
)

MESSAGES = messages()
GOLDEN = {
    vector["name"]: bytes.fromhex(vector["hex"])
    for vector in json.loads((VECTORS / "good.json").read_text("utf-8"))
}

BAD = json.loads((VECTORS / "bad.json").read_text("utf-8"))


def fields(data: bytes) -> list[Value]:
    value = unpack(data, limit=MAX_MESSAGE)
    assert isinstance(value, tuple)
    return list(value)


def talk() -> Chat:
    line = MESSAGES["chat"]
    assert isinstance(line, Chat)
    return line


@pytest.mark.parametrize("name", MESSAGES)
def test_golden_octets(name: str) -> None:
    assert encode(MESSAGES[name]) == GOLDEN[name]
    assert decode(GOLDEN[name]) == MESSAGES[name]


def test_the_example_of_the_specification_is_the_golden_state() -> None:
    text = (Path(m.__file__).parent / "WIRE.md").read_text("utf-8")
    lines = text.split("```")[1].strip().splitlines()
    octets = "".join(re.split(r"(?<=\S) {3,}", line)[0].replace(" ", "") for line in lines)
    assert bytes.fromhex(octets) == GOLDEN["state"]


def test_every_type_has_a_golden_message() -> None:
    union = ast.parse(Path(m.__file__).read_text("utf-8"))
    parts = {"Role", "Reason", "Member"}
    classes = {n.name for n in union.body if isinstance(n, ast.ClassDef)} - parts
    assert {type(message).__name__ for message in MESSAGES.values()} == classes
    assert GOLDEN.keys() == MESSAGES.keys()


@pytest.mark.parametrize("vector", BAD, ids=lambda v: v["name"])
def test_bad_octets(vector: dict[str, str]) -> None:
    with pytest.raises(WireError, match=vector["says"]):
        decode(bytes.fromhex(vector["hex"]))


def test_another_version_is_told_apart_from_noise() -> None:
    for rest in ((4, b"x"), (99,), (4, 1, 2, 3, 4, 5, 6, 7)):
        with pytest.raises(OtherVersion) as caught:
            decode(pack((2, *rest)))
        assert caught.value.version == 2


@given(st.binary(max_size=600))
def test_arbitrary_octets_give_a_message_or_a_wire_error(data: bytes) -> None:
    try:
        message = decode(data)
    except WireError:
        return
    assert encode(message) == data


VALUES: st.SearchStrategy[Value] = st.recursive(
    st.integers(-2, 2**33) | st.binary(max_size=70) | st.text("abÈ\u202e\n %:.", max_size=9),
    lambda inner: st.lists(inner, max_size=4).map(tuple),
    max_leaves=12,
)


@given(st.sampled_from(sorted(MESSAGES)), st.data())
def test_a_changed_field_gives_a_message_or_a_wire_error(name: str, data: st.DataObject) -> None:
    items = fields(GOLDEN[name])
    at = data.draw(st.integers(0, len(items) - 1))
    items[at] = data.draw(VALUES)
    try:
        octets = pack(tuple(items))
        message = decode(octets)
    except EncodingError:  # a value that the encoding itself refuses, or not a message
        return
    assert encode(message) == octets


@given(st.sampled_from(sorted(MESSAGES)), st.data())
def test_a_flipped_bit_never_goes_unnoticed_in_what_is_signed(
    name: str, data: st.DataObject
) -> None:
    octets = bytearray(GOLDEN[name])
    at = data.draw(st.integers(0, len(octets) - 1))
    octets[at] ^= 1 << data.draw(st.integers(0, 7))
    try:
        message = decode(bytes(octets))
    except WireError:
        return
    assert message != MESSAGES[name]
    assert not isinstance(message, TableCard | Hello | Chat)


@pytest.mark.parametrize("name", MESSAGES)
def test_a_missing_and_a_further_field_are_refused(name: str) -> None:
    items = fields(GOLDEN[name])
    for wrong in (items[:-1], [*items, 0], [*items, b""], [tuple(items)]):
        with pytest.raises(WireError):
            decode(pack(tuple(wrong)))
    with pytest.raises(WireError):
        decode(GOLDEN[name] + b"\0")


@pytest.mark.parametrize(
    "field", [f.name for f in dataclasses.fields(Hello) if f.name != "signature"]
)
def test_a_hello_binds_all_its_fields(field: str) -> None:
    ours, other = hello(0), hello(1)
    changed: dict[str, Any] = {
        field: getattr(other, field) if getattr(other, field) != getattr(ours, field) else None
    }
    changed[field] = (
        changed[field]
        or {
            "table": b"T" * 16,
            "session": b"S" * 16,
            "role": m.Role.WATCH,
        }[field]
    )
    with pytest.raises(WireError, match="wrong signature"):
        decode(encode(dataclasses.replace(ours, **changed)))


def test_a_card_binds_all_its_fields() -> None:
    good = card()
    assert decode(encode(good)) == good
    changes: dict[str, Any] = {
        "game": "traversone",
        "options": (),
        "extensions": (("code", 1),),
        "name": "Bruno's table",
        "seats": 5,
        "free": 2,
        "key": BRUNO.public,
        "curve": bytes(32),
        "port": 7001,
        "table": bytes(16),
        "code": True,
        "watchers": False,
        "playing": True,
    }
    assert changes.keys() == {f.name for f in dataclasses.fields(TableCard)} - {"signature"}
    for field, value in changes.items():
        with pytest.raises(WireError, match="wrong signature"):
            decode(encode(dataclasses.replace(good, **{field: value})))


def test_a_signature_of_one_type_is_worthless_for_another() -> None:
    # Chat and HELLO of one author: the tags keep their signatures apart.
    with pytest.raises(WireError, match="wrong signature"):
        decode(encode(dataclasses.replace(talk(), signature=hello().signature)))


def test_a_key_of_small_order_is_refused() -> None:
    # With the neutral point as key, R = neutral and S = 0 sign everything (RFC 8032, no clamping).
    neutral = b"\x01" + bytes(31)
    forged = dataclasses.replace(hello(), key=neutral, signature=neutral + bytes(32))
    with pytest.raises(WireError):
        decode(encode(forged))


def test_only_a_hello_is_a_hello() -> None:
    assert decode_hello(GOLDEN["hello"]) == hello()
    with pytest.raises(WireError, match="not a HELLO"):
        decode_hello(GOLDEN["ping"])


def test_introductions_of_a_proposal_are_verified() -> None:
    good = MESSAGES["propose"]
    assert isinstance(good, Propose)
    assert introductions(good) == (hello(0), hello(1))
    forged = encode(dataclasses.replace(hello(1), name="Brunò"))
    with pytest.raises(WireError, match="wrong signature"):
        introductions(dataclasses.replace(good, hellos=(good.hellos[0], forged)))


OURS: list[tuple[str, Message]] = [
    ("an unsigned card", dataclasses.replace(card(), signature=b"")),
    (
        "a card too large",
        dataclasses.replace(card(), options=tuple((f"o{i:02}", "x" * 64) for i in range(32))),
    ),
    ("more free seats than seats", dataclasses.replace(card(), free=5)),
    ("options out of order", dataclasses.replace(card(), options=(("b", 1), ("a", 1)))),
    ("a doubled option", dataclasses.replace(card(), options=(("a", 1), ("a", 1)))),
    ("a name with a control", dataclasses.replace(hello(), name="A\x1b[2J")),
    ("a name that turns the text", dataclasses.replace(hello(), name="A\u202eb")),
    ("an empty name", dataclasses.replace(hello(), name="")),
    ("a long name", dataclasses.replace(hello(), name="a" * 33)),
    ("port 0", dataclasses.replace(hello(), port=0)),
    ("port 65,536", dataclasses.replace(hello(), port=65_536)),
    ("a short token", Ping(b"1234567")),
    ("links out of order", State(links=(2, 1))),
    ("a doubled link", State(links=(1, 1))),
    ("a link of no seat", State(links=(64,))),
    ("settled beyond the log", State(step=3, settled=4)),
    ("a truth for an integer", State(step=True)),
    ("a negative step", Get(bytes(32), -1)),
    ("a step too large", Get(bytes(32), 2**32)),
    ("steps that descend", Batch(header().match, (entry(2), entry(1)))),
    ("another match's entry", Batch(bytes(32), (entry(1),))),
    ("a long goodbye", Bye(Reason.LEAVING, "x" * 81)),
    ("empty talk", dataclasses.replace(talk(), text="")),
    ("long talk", dataclasses.replace(talk(), text="x" * 401)),
    ("one seat", Propose(b"x", (b"h",), (("", 0),))),
    ("an address missing", Propose(b"x", (b"h", b"h"), (("", 0),))),
    ("a name for an address", Propose(b"x", (b"h", b"h"), (("", 0), ("localhost", 1)))),
    ("a local scope", Propose(b"x", (b"h", b"h"), (("", 0), ("fe80::1%eth0", 1)))),
    ("a long form", Propose(b"x", (b"h", b"h"), (("", 0), ("fe80:0::1", 1)))),
    ("no host but a port", Propose(b"x", (b"h", b"h"), (("", 1), ("::1", 1)))),
    ("a host but no port", Propose(b"x", (b"h", b"h"), (("", 0), ("::1", 0)))),
    ("a body too large", EntryMessage(entry(body=bytes(MAX_BODY + 1)))),
]


@pytest.mark.parametrize(("what", "message"), OURS, ids=[what for what, _ in OURS])
def test_what_nobody_would_accept_is_our_own_bug(what: str, message: Message) -> None:
    with pytest.raises(LocalProtocolError):
        encode(message)


def test_signing_what_can_not_be_sent_is_our_own_bug() -> None:
    with pytest.raises(LocalProtocolError):
        sign(dataclasses.replace(hello(), name="\x07"), BRUNO)


def test_the_largest_messages_fit() -> None:
    assert len(encode(EntryMessage(entry(body=bytes(MAX_BODY))))) <= MAX_MESSAGE
    biggest = tuple((f"o{i:02}", "x" * 30) for i in range(32))
    assert len(encode(sign(dataclasses.replace(card(), options=biggest), BRUNO))) <= MAX_CARD


def test_a_batch_has_its_own_bound() -> None:
    # Within MAX_MESSAGE, so it is the type's bound that refuses it.
    big = entry(body=bytes(MAX_BATCH))
    match = header().match
    raw = pack((1, 6, match, (fields(encode(EntryMessage(big)))[3],), 0))
    assert len(raw) < MAX_MESSAGE
    with pytest.raises(WireError, match="at most 48000"):
        decode(raw)


KINDS = st.sampled_from(list(Kind))
BODIES = st.integers(0, 3_000) | st.sampled_from([MAX_BATCH - 400, MAX_BATCH, MAX_BODY])


@given(st.lists(BODIES, max_size=30), KINDS)
def test_pages_hold_every_entry_in_order_within_the_bound(sizes: list[int], kind: Kind) -> None:
    template = entry()
    entries = [
        Entry(
            dataclasses.replace(template.place, step=i),
            dataclasses.replace(template.contribution, kind=kind, body=bytes(size)),
        )
        for i, size in enumerate(sizes)
    ]
    pages = list(paginate(template.place.match, entries))
    seen: list[Entry] = []
    for page in pages:
        assert decode(encode(page)) == page
        seen += page.entries if isinstance(page, Batch) else [page.entry]
    assert sorted(seen, key=lambda e: e.place.step) == entries
    batches = [page for page in pages if isinstance(page, Batch)]
    assert [batch.more for batch in batches] == [True] * (len(batches) - 1) + [False]


def test_many_small_entries_take_several_pages() -> None:
    template = entry()
    tiny = dataclasses.replace(template.contribution, body=b"")
    entries = [Entry(dataclasses.replace(template.place, step=i), tiny) for i in range(600)]
    pages = list(paginate(template.place.match, entries))
    assert len(pages) > 1
    assert all(decode(encode(page)) == page for page in pages)


HASHES = st.binary(min_size=32, max_size=32)
SEATS = st.sets(st.integers(0, 63)).map(lambda s: tuple(sorted(s)))
STEPS = st.integers(0, 2**32 - 1)


@given(HASHES, STEPS, STEPS, SEATS, st.booleans())
def test_states_and_requests_survive_the_wire(
    match: bytes, a: int, b: int, seats: tuple[int, ...], ready: bool
) -> None:
    state = State(match, max(a, b), match[::-1], min(a, b), seats, ready)
    for message in (state, Get(match, a, seats)):
        assert decode(encode(message)) == message


@given(STEPS, st.binary(max_size=500), st.sampled_from(Class), st.integers(0, 255))
def test_entries_survive_the_wire(step: int, body: bytes, cls: Class, attempt: int) -> None:
    place = dataclasses.replace(entry().place, step=step, cls=cls, attempt=attempt)
    message = EntryMessage(Entry(place, contribution(BRUNO, place, 1, Kind.MOVE, body)))
    assert decode(encode(message)) == message


def test_a_voucher_is_for_one_bot_at_one_table_by_one_owner() -> None:
    voucher = vouch(ADA, TABLE, BRUNO.public)
    assert vouched(ADA.public, TABLE, BRUNO.public, voucher)
    assert not vouched(BRUNO.public, TABLE, BRUNO.public, voucher)
    assert not vouched(ADA.public, bytes(16), BRUNO.public, voucher)
    assert not vouched(ADA.public, TABLE, ADA.public, voucher)
