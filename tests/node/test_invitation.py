"""Invitations and places: one text each way, and a sentence for everything else."""

from __future__ import annotations

import ipaddress
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.invitation import (
    _TAG,
    DEFAULT_PORT,
    DIGITS,
    MAX_ADDRESSES,
    BadInvitation,
    BadPlace,
    Invitation,
    Place,
    _base32,
    _checksum,
    invite,
    parse_invitation,
    parse_place,
    parse_target,
    qr_lines,
)
from protocol.wire import sign
from tests.protocol.wire_samples import ADA, BRUNO, card

ROOT = Path(__file__).resolve().parents[2]
VECTORS = json.loads((ROOT / "tests/vectors/wire/invitations.json").read_text("utf-8"))
ADDRESSES = ("192.168.1.5", "2001:db8::5")
CODE = "7K2MPQ0Z"
GIVEN = invite(card(), ADDRESSES, 7000, CODE)
TEXT = str(GIVEN)


def written(payload: bytes) -> str:
    """An invitation's text with a right checksum, whatever it holds."""
    return "busso1" + _base32(payload + _checksum(payload))


hosts = st.lists(
    st.ip_addresses().filter(
        lambda a: not (a.is_multicast or a.is_unspecified or getattr(a, "ipv4_mapped", None))
    ),
    min_size=1,
    max_size=MAX_ADDRESSES,
    unique=True,
)
invitations = st.builds(
    Invitation,
    hosts.map(lambda found: tuple(map(str, found))),
    st.integers(1, 65_535),
    st.binary(min_size=4, max_size=4),
    st.binary(min_size=10, max_size=10),
    st.just("") | st.text(DIGITS, min_size=8, max_size=8),
)


# -- invitations ------------------------------------------------------------------------------


@given(invitations)
def test_what_is_written_is_read(invitation: Invitation) -> None:
    assert parse_invitation(str(invitation)) == invitation
    assert parse_target(str(invitation)) == invitation


@given(invitations, st.data())
def test_a_mistyped_digit_is_noticed(invitation: Invitation, data: st.DataObject) -> None:
    text = str(invitation).replace("-", "").upper()
    at = data.draw(st.integers(6, len(text) - 1))
    other = data.draw(st.sampled_from(DIGITS.replace(text[at], "")))
    with pytest.raises(BadInvitation):
        parse_invitation(text[:at] + other + text[at + 1 :])


@pytest.mark.parametrize("digit", DIGITS)
def test_the_last_digit_has_one_form(digit: str) -> None:
    assert len(TEXT.replace("-", "")[6:]) * 5 % 8  # so it holds bits that mean nothing
    if digit != TEXT[-1].upper():
        with pytest.raises(BadInvitation):
            parse_invitation(TEXT[:-1] + digit)


@given(invitations, st.data())
def test_two_digits_in_the_wrong_order_are_noticed(
    invitation: Invitation, data: st.DataObject
) -> None:
    text = str(invitation).replace("-", "").upper()
    at = data.draw(st.integers(6, len(text) - 2))
    if text[at] != text[at + 1]:
        with pytest.raises(BadInvitation):
            parse_invitation(text[:at] + text[at + 1] + text[at] + text[at + 2 :])


@given(st.text(max_size=80))
def test_any_text_is_an_invitation_or_a_sentence(text: str) -> None:
    for given_text in (text, "busso1" + text):
        said = ""
        try:
            parse_invitation(given_text)
        except BadInvitation as error:
            said = str(error)
        assert said.isprintable()


@given(st.binary(max_size=60))
def test_any_payload_is_an_invitation_or_a_sentence(data: bytes) -> None:
    try:
        found = parse_invitation(written(data))
    except BadInvitation:
        return
    assert str(found).replace("-", "") == written(data).lower()


def test_an_invitation_as_people_hand_it_on() -> None:
    spoiled = TEXT.upper().replace("-", " ").replace("0", "o").replace("1", "l")
    assert parse_invitation("\n" + "BUSSO1" + spoiled[6:] + " ") == GIVEN
    assert len(str(invite(card(), ADDRESSES[:1], 7000, CODE))) < 80


def test_the_octets_of_an_invitation() -> None:
    # By the module's docstring: two addresses and a code, port 7000, the table's first octets.
    number = 0
    for c in TEXT[6:].replace("-", "").upper():
        number = number * 32 + "0123456789ABCDEFGHJKMNPQRSTVWXYZ".index(c)
    size = len(TEXT[6:].replace("-", "")) * 5
    data = (number >> size % 8).to_bytes(size // 8, "big")
    assert data[:7] == b"\x12\x1b\x58\0\1\2\3"
    assert data[22:-4] == b"\4\xc0\xa8\1\5\6" + ipaddress.ip_address("2001:db8::5").packed
    assert _TAG == b"busso/invitation/1\0"


def test_only_the_table_that_was_meant_matches() -> None:
    assert GIVEN.matches(card())
    assert GIVEN.matches(sign(replace(card(), free=0, name="Sala"), ADA))
    assert not GIVEN.matches(sign(card(), BRUNO))
    assert not GIVEN.matches(sign(replace(card(), table=b"\0\1\2\4" + bytes(12)), ADA))
    assert [str(place) for place in GIVEN.places] == ["192.168.1.5:7000", "[2001:db8::5]:7000"]


def test_addresses_that_mean_nothing_elsewhere_are_left_out() -> None:
    here = ["127.0.0.1", "::1", "fe80::1%eth0", "fe80::1", "239.1.1.1", "::"]
    found = invite(card(), [*here, "10.0.0.1", "::ffff:10.0.0.1", "169.254.0.2"], 7000)
    assert found.addresses == ("10.0.0.1", "169.254.0.2")
    with pytest.raises(BadInvitation, match="no address"):
        invite(card(), here, 7000)
    many = invite(card(), [f"10.0.1.{n}" for n in range(20)], 7000)
    assert many.addresses == tuple(f"10.0.1.{n}" for n in range(MAX_ADDRESSES))


@pytest.mark.parametrize("code", ["7K2MPQ0", "7K2MPQ0ZZ", "7K2MPQU0", "7K2MPQ0é"])
def test_a_code_that_is_none_is_not_handed_on(code: str) -> None:
    with pytest.raises(BadInvitation):
        invite(card(), ADDRESSES, 7000, code)


@pytest.mark.parametrize("vector", VECTORS["good"], ids=lambda v: v["name"])
def test_golden_texts(vector: dict[str, Any]) -> None:
    invitation = Invitation(
        tuple(vector["addresses"]),
        vector["port"],
        bytes.fromhex(vector["table"]),
        bytes.fromhex(vector["key"]),
        vector["code"],
    )
    assert str(invitation) == vector["text"]
    assert parse_invitation(vector["text"]) == invitation


@pytest.mark.parametrize("vector", VECTORS["bad"], ids=lambda v: v["name"])
def test_what_is_no_invitation(vector: dict[str, str]) -> None:
    with pytest.raises(BadInvitation, match=vector["says"]):
        parse_invitation(vector["text"])


def test_the_example_of_the_specification_is_golden() -> None:
    specification = (ROOT / "protocol" / "WIRE.md").read_text("utf-8")
    assert VECTORS["good"][0]["text"] in specification


# -- places -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("192.168.1.5", "192.168.1.5", DEFAULT_PORT),
        (" 192.168.1.5:7000 ", "192.168.1.5", 7000),
        ("ada.local", "ada.local", DEFAULT_PORT),
        ("ada-laptop:65535", "ada-laptop", 65_535),
        ("busso1.local", "busso1.local", DEFAULT_PORT),
        ("busso1", "busso1", DEFAULT_PORT),
        ("::1", "::1", DEFAULT_PORT),
        ("[::1]", "::1", DEFAULT_PORT),
        ("[2001:DB8::0:5]:7000", "2001:db8::5", 7000),
        ("[fe80::1%eth0]:7000", "fe80::1%eth0", 7000),
        ("fe80::1%12", "fe80::1%12", DEFAULT_PORT),
        ("::ffff:10.0.0.1", "10.0.0.1", DEFAULT_PORT),
    ],
)
def test_places(text: str, host: str, port: int) -> None:
    place = parse_place(text)
    assert place == Place(host, port)
    assert parse_target(text) == place
    assert parse_place(str(place)) == place


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " ",
            ":7000",
            "ada:",
            "ada:0",
            "ada:65536",
            "ada:+1",
            "ada:٣",
            "ada:7 0",
            "ada:007000",
        ),
        *("7", "10.1", "300.1.1.1", "0x7f.1", "1.2.3.4.5", "-ada", ".ada", "a..b", "a b", "a/b"),
        *("[::1", "[::1]7000", "[::1]:", "[ada]:1", "[]", "[10.0.0.1]:1", "1:2:3", ":::", "::1%lo"),
        *("fe80::1%", "fe80::1%" + "x" * 33, "a" * 254, "ada\x1b[2J", "ada\u202e", "http://ada"),
        *("0x\x1b[2J", "1:\x1b[2J:", "ada:\x1b[2J", "[fe80::1%\x1b]", "[:\u202e]"),
    ],
)
def test_what_is_no_place(text: str) -> None:
    with pytest.raises(BadPlace) as caught:
        parse_place(text)
    assert str(caught.value).endswith(".")
    assert str(caught.value).isprintable()


@given(st.text(max_size=60))
def test_any_text_is_a_target_or_a_sentence(text: str) -> None:
    said = ""
    try:
        parse_target(text)
    except (BadInvitation, BadPlace) as error:
        said = str(error)
    assert said.isprintable()


# -- the QR code ------------------------------------------------------------------------------


def squares(lines: tuple[str, ...], ascii_only: bool) -> list[str]:
    """The rows of squares, `#` for light ones."""
    if ascii_only:
        return [line[::2] for line in lines]
    rows = []
    for line in lines:
        rows.append("".join("#" if c in "▀█" else " " for c in line))
        rows.append("".join("#" if c in "▄█" else " " for c in line))
    return rows


@pytest.mark.parametrize("ascii_only", [False, True])
def test_the_code_is_square_framed_and_fits_a_terminal(ascii_only: bool) -> None:
    lines = qr_lines(str(invite(card(), ADDRESSES[:1], 7000, CODE)), ascii_only=ascii_only)
    assert all(len(line) == len(lines[0]) for line in lines)
    assert len(lines[0]) <= 80
    assert ascii_only or len(lines) <= 23
    assert "".join(lines).isascii() == ascii_only
    rows = squares(lines, ascii_only)
    size = len(rows[0])
    rows = rows[:size]
    finder = ["       ", " ##### ", " #   # ", " #   # ", " #   # ", " ##### ", "       "]
    assert [row[2:9] for row in rows[2:9]] == finder
    assert [row[-9:-2] for row in rows[2:9]] == finder
    assert [row[2:9] for row in rows[-9:-2]] == finder
    assert set(rows[0] + rows[1] + rows[-1] + rows[-2]) == {"#"}
    assert {row[:2] + row[-2:] for row in rows} == {"####"}


def test_both_forms_show_the_same_code() -> None:
    blocks = squares(qr_lines(TEXT), ascii_only=False)
    letters = squares(qr_lines(TEXT, ascii_only=True), ascii_only=True)
    assert blocks[: len(letters)] == letters


def test_another_invitation_is_another_code() -> None:
    other = str(invite(card(), ADDRESSES, 7001, CODE))
    assert qr_lines(TEXT) != qr_lines(other)
    assert qr_lines(TEXT.upper()) == qr_lines(TEXT)
