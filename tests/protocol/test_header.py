"""The header: every seat agreed to exactly these terms, and only such headers are read."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.encoding import Value, array, pack, unpack
from protocol.errors import EncodingError, InvalidHeader, InvalidKey, UnsupportedFormat
from protocol.header import (
    MAX_CORE,
    MAX_HEADER,
    Header,
    Seat,
    SignedHeader,
    match_id,
    parse_core,
    parse_header,
    signed_octets,
)
from protocol.identity import Identity
from tests.protocol import samples

VECTORS = Path(__file__).parent.parent / "vectors" / "log"
CORE = 2  # positions in the core follow the specification
GAME, RULES, OPTIONS, CREATED, SEATS, EXTENSIONS = range(CORE, 8)


def terms() -> list[Any]:
    return list(array(unpack(samples.header().core, limit=MAX_CORE), "core", 8))


def resigned(core: bytes) -> bytes:
    """A payload whose signatures are right whatever the core says."""
    keys = samples.identities(2)
    return pack((core, tuple(identity.sign(signed_octets(core)) for identity in keys)))


def changed(position: int, value: Value) -> bytes:
    items = terms()
    items[position] = value
    return resigned(pack(tuple(items)))


def test_round_trip_and_ids() -> None:
    for seats in range(2, 6):
        signed = samples.signed_header(seats)
        again = parse_header(signed.payload)
        assert again == signed
        assert again.payload == signed.payload
        assert again.match == hashlib.sha256(b"busso/match/1\x00" + again.header.core).digest()
        assert again.header.keys == tuple(i.public for i in samples.identities(seats))
        assert parse_core(signed.header.core) == signed.header


def test_golden_header() -> None:
    golden = json.loads((VECTORS / "header.json").read_text("utf-8"))
    signed = samples.signed_header()
    assert golden == {
        "core": signed.header.core.hex(),
        "match": signed.match.hex(),
        "signatures": [signature.hex() for signature in signed.signatures],
        "payload": signed.payload.hex(),
    }


def test_seats_and_options_are_put_in_order() -> None:
    header = samples.header(5)
    shuffled = Header.draft(
        header.game, header.rules, reversed(header.options), header.created, header.seats[::-1]
    )
    assert shuffled == header


def test_every_changed_octet_is_refused() -> None:
    payload = samples.signed_header().payload
    for i in range(len(payload)):
        broken = bytearray(payload)
        broken[i] ^= 0x01
        with pytest.raises((EncodingError, UnsupportedFormat)):
            parse_header(bytes(broken))
    for i in range(len(payload)):
        with pytest.raises(EncodingError):
            parse_header(payload[:i])
    with pytest.raises(EncodingError):
        parse_header(payload + b"\x00")


@settings(max_examples=60)
@given(st.binary(max_size=80))
def test_arbitrary_octets(data: bytes) -> None:
    for read in (parse_header, parse_core):
        with pytest.raises((EncodingError, UnsupportedFormat)):
            read(data)


def test_the_helper_can_succeed() -> None:
    """Otherwise the refusals below would prove nothing."""
    items = terms()
    for position in range(8):
        assert parse_header(changed(position, items[position])) == samples.signed_header()


def seat(name: str = "Ada", key: int = 0, nonce: bytes = bytes(16)) -> Value:
    return (name, samples.identities(2)[key].public, nonce)


TOO_MANY = tuple((f"a{i:02}", 1) for i in range(65))


@pytest.mark.parametrize(
    ("position", "value", "message"),
    [
        (0, 0, "format"),
        (0, "1", "format"),
        (1, 0, "lowest reader"),
        (1, 2, "lowest reader"),
        (GAME, "", "game"),
        (GAME, "Petrangola", "game"),
        (GAME, "../x", "game"),
        (GAME, 1, "game"),
        (GAME, "a" * 33, "game"),
        (RULES, 0, "rules version"),
        (RULES, "1", "rules version"),
        (OPTIONS, (("b", 1), ("a", 1)), "out of order"),
        (OPTIONS, (("a", 1), ("a", 1)), "doubled"),
        (OPTIONS, (("a", b"x"),), "neither"),
        (OPTIONS, (("a", ()),), "neither"),
        (OPTIONS, (("a",),), "option"),
        (OPTIONS, (("A", 1),), "small letters"),
        (OPTIONS, (("a", "x" * 257),), "longer"),
        (OPTIONS, TOO_MANY, "options"),
        (CREATED, -1, "created"),
        (CREATED, 2**41, "created"),
        (SEATS, (seat(),), "seats"),
        (SEATS, (seat(key=1), seat(key=0)), "order of their keys"),
        (SEATS, (seat(), seat()), "two seats"),
        (SEATS, (seat(name=""), seat(key=1)), "name"),
        (SEATS, (seat(name="x" * 33), seat(key=1)), "name"),
        (SEATS, (seat(name=" x"), seat(key=1)), "odd spaces"),
        (SEATS, (seat(nonce=bytes(15)), seat(key=1)), "nonce"),
        (SEATS, (seat()[:2], seat(key=1)), "seat"),  # type: ignore[index]  # a tuple here
        (EXTENSIONS, (("b", 1), ("a", 1)), "out of order"),
        (EXTENSIONS, 0, "extension"),
    ],
)
def test_terms_that_no_table_may_have(position: int, value: Value, message: str) -> None:
    with pytest.raises(EncodingError, match=message):
        parse_header(changed(position, value))


def test_a_core_of_another_length() -> None:
    for items in (terms()[:7], [*terms(), 0]):
        with pytest.raises(EncodingError, match="header core"):
            parse_header(resigned(pack(tuple(items))))


def test_keys_outside_the_group_are_refused_in_a_header() -> None:
    bad = json.loads((VECTORS / "keys-bad.json").read_text("utf-8"))
    for key in (bytes.fromhex(v["hex"]) for v in bad if len(v["hex"]) == 64):
        first, second = sorted((key, samples.identities(2)[0].public))
        seats = (("a", first, bytes(16)), ("b", second, bytes(16)))
        with pytest.raises(InvalidKey):
            parse_header(changed(SEATS, seats))


def test_a_later_format_says_who_reads_it() -> None:
    items = (3, 2, "a future", 7, (), b"unknown", ())
    with pytest.raises(UnsupportedFormat, match=r"format 3; .* reads format 2\b.*reads format 1"):
        parse_header(resigned(pack(items)))


def test_a_later_format_that_this_reader_understands() -> None:
    items = terms()
    items[0], items[EXTENSIONS] = 2, (("later", "x"),)
    header = parse_header(resigned(pack(tuple(items)))).header
    assert (header.format, header.lowest_reader) == (2, 1)
    assert header.extensions == (("later", "x"),)


def swapped(signatures: list[bytes]) -> list[bytes]:
    return signatures[::-1]


def missing(signatures: list[bytes]) -> list[bytes]:
    return signatures[:1]


def doubled(signatures: list[bytes]) -> list[bytes]:
    return [signatures[0], signatures[0]]


def one_more(signatures: list[bytes]) -> list[bytes]:
    return [*signatures, signatures[0]]


def of_an_outsider(signatures: list[bytes]) -> list[bytes]:
    return [signatures[0], samples.header().sign(Identity(bytes(32)))]


def untagged(signatures: list[bytes]) -> list[bytes]:
    return [signatures[0], samples.identities(2)[1].sign(samples.header().core)]


@pytest.mark.parametrize("change", [swapped, missing, doubled, one_more, of_an_outsider, untagged])
def test_signatures_of_all_seats_and_no_others(
    change: Callable[[list[bytes]], list[bytes]],
) -> None:
    signed = samples.signed_header()
    signatures = change(list(signed.signatures))
    with pytest.raises(EncodingError):
        parse_header(pack((signed.header.core, tuple(signatures))))
    with pytest.raises(InvalidHeader):
        signed.header.seal(signatures)


def test_one_seat_signs() -> None:
    header, (first, second) = samples.header(), samples.identities(2)
    assert header.is_signed_by(0, header.sign(first))
    assert not header.is_signed_by(0, header.sign(second))
    assert not header.is_signed_by(1, header.sign(first))


def test_a_nonce_makes_a_new_match() -> None:
    header = samples.header()
    again = dataclasses.replace(header.seats[1], nonce=b"\xee" * 16)
    other = dataclasses.replace(header, seats=(header.seats[0], again))
    assert other.match != header.match
    with pytest.raises(InvalidHeader, match="seat 0"):
        SignedHeader(other, samples.signed_header().signatures)


def test_ids_and_statements_are_apart() -> None:
    core = samples.header().core
    assert match_id(core) != hashlib.sha256(signed_octets(core)).digest()
    assert match_id(core) != hashlib.sha256(core).digest()


def test_a_full_table_fits() -> None:
    keys = sorted((Identity(bytes([i]) * 32) for i in range(64)), key=lambda k: k.public)
    seats = [Seat("李" * 32, k.public, bytes(16)) for k in keys]
    options = [(f"option-{i:02}", "x" * 100) for i in range(64)]
    header = Header.draft("a" * 32, 65_536, options, 2**40, seats)
    signed = header.seal([header.sign(k) for k in keys])
    assert len(signed.payload) <= MAX_HEADER
    assert parse_header(signed.payload) == signed
    with pytest.raises(InvalidHeader, match="octets"):
        Header.draft("a" * 32, 1, [(name, "李" * 256) for name, _ in options], 0, seats)
