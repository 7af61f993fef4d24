"""The datagrams of discovery against their vectors, and against whatever else may arrive."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.announce import (
    MAX_DATAGRAM,
    Announcement,
    Answer,
    Datagram,
    Query,
    decode_datagram,
    encode_datagram,
    read_announcement,
    sign_announcement,
)
from protocol.encoding import Value, pack
from protocol.errors import EncodingError, LocalProtocolError
from protocol.wire import OtherVersion, WireError
from tests.protocol.announce_samples import (
    ADA,
    BRUNO,
    SIGNED,
    TOKEN,
    VECTORS,
    announcement,
    bad_announcements,
    bad_datagrams,
    changed,
    good,
    values,
)

CLEF = "\U0001d11e"
"""A character of four octets."""
DOCUMENT: dict[str, Any] = json.loads(VECTORS.read_text("utf-8"))


@pytest.mark.parametrize("name", good())
def test_golden_octets(name: str) -> None:
    octets = bytes.fromhex(DOCUMENT["good"][name])
    assert encode_datagram(good()[name]) == octets
    assert decode_datagram(octets) == good()[name]


def test_the_vectors_are_the_samples() -> None:
    assert DOCUMENT["good"].keys() == good().keys()
    assert [v["name"] for v in DOCUMENT["bad"]] == list(bad_datagrams())
    assert [v["name"] for v in DOCUMENT["bad announcements"]] == list(bad_announcements())


@pytest.mark.parametrize("vector", DOCUMENT["bad"], ids=lambda v: v["name"])
def test_bad_datagrams(vector: dict[str, str]) -> None:
    with pytest.raises(WireError, match=vector["says"]):
        decode_datagram(bytes.fromhex(vector["hex"]))


@pytest.mark.parametrize("vector", DOCUMENT["bad announcements"], ids=lambda v: v["name"])
def test_bad_announcements(vector: dict[str, str]) -> None:
    with pytest.raises(WireError, match=vector["says"]):
        read_announcement(bytes.fromhex(vector["hex"]))


def test_another_version_is_told_apart_from_noise() -> None:
    with pytest.raises(OtherVersion) as caught:
        decode_datagram(pack((3, 48, "whatever", 1, 2)))
    assert caught.value.version == 3


def test_no_answer_is_longer_than_its_question() -> None:
    longest = replace(
        announcement(),
        game="g" * 32,
        rules="r" * 32,
        name=CLEF * 32,
        host=CLEF * 32,
        port=65_535,
        serial=2**64 - 1,
    )
    answer = encode_datagram(Answer(TOKEN, sign_announcement(longest, ADA)))
    question = encode_datagram(Query(TOKEN))
    assert len(answer) <= len(question) == MAX_DATAGRAM


def test_an_announcement_is_its_signers() -> None:
    signed = read_announcement(sign_announcement(announcement(), BRUNO))
    assert signed == replace(announcement(), key=BRUNO.public, signature=signed.signature)


@pytest.mark.parametrize(
    "wrong",
    [
        replace(announcement(), name="Cu\u202ecina"),
        replace(announcement(), host="A\x1b[2J"),
        replace(announcement(), free=5),
        replace(announcement(), game=CLEF * 32, rules=CLEF * 32, name=CLEF * 32, host=CLEF * 32),
        replace(announcement(), table=b""),
    ],
)
def test_what_nobody_would_accept_is_not_signed(wrong: Announcement) -> None:
    with pytest.raises(LocalProtocolError):
        sign_announcement(wrong, ADA)


@pytest.mark.parametrize("wrong", [Query(b"short"), Query(bytes(8)), Answer(TOKEN, b"")])
def test_what_nobody_would_accept_is_not_sent(wrong: Datagram) -> None:
    with pytest.raises(LocalProtocolError):
        encode_datagram(wrong)


@given(st.binary(max_size=600))
def test_arbitrary_octets_give_a_datagram_or_a_wire_error(data: bytes) -> None:
    try:
        datagram = decode_datagram(data)
    except WireError:
        return
    assert encode_datagram(datagram) == data


VALUES: st.SearchStrategy[Value] = (
    st.integers(-2, 2**33)
    | st.binary(max_size=70)
    | st.text("abÈ\u202e\n %:.", max_size=9)
    | st.just(())
)


@given(st.integers(0, 11), VALUES)
def test_a_changed_field_breaks_the_signature_at_least(at: int, value: Value) -> None:
    if values(SIGNED)[at] == value:
        return
    try:
        data = changed(SIGNED, at, value)
    except EncodingError:  # a value that the encoding itself refuses
        return
    with pytest.raises(WireError):
        read_announcement(data)
