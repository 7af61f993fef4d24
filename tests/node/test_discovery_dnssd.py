"""DNS-SD: what is written into a TXT record, what is believed of one, and once the real thing."""

from __future__ import annotations

import os
import queue
import socket
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.discovery_dnssd import (
    MAX_TXT,
    TYPE,
    DnsSdAnnouncer,
    DnsSdBrowser,
    Found,
    Gone,
    choices,
    instance_name,
    properties,
    read_service,
    shortened,
    tidy,
    usable,
)
from node.discovery_listing import Service
from node.interfaces import Address, Interface, Kind
from protocol.announce import Announcement, Phase, read_announcement
from protocol.encoding import clean_text
from protocol.errors import EncodingError
from tests.node.nodes import PATIENCE
from tests.node.test_discovery_listing import service
from tests.protocol.announce_samples import SIGNED, announcement

HEX = announcement().table.hex()
LOOPED = os.urandom(16)
"""Whoever runs these tests beside us on this computer has another table."""
CLEF = "\U0001d11e"
LOOP = Interface("lo", 1, Kind.LOOPBACK, (Address("127.0.0.1", 8),))
CUCINA = read_announcement(SIGNED)


def octets_of(txt: dict[str, str]) -> int:
    """As it travels: a length before each `key=value`."""
    return sum(1 + len(f"{key}={value}".encode()) for key, value in txt.items())


def txt_of(said: Announcement, **changes: str | None) -> dict[bytes, bytes | None]:
    txt: dict[str, str | None] = {**properties(said), **changes}
    return {k.encode(): None if v is None else v.encode() for k, v in txt.items()}


def read(
    said: Announcement = CUCINA,
    port: int | None = 28_776,
    addresses: tuple[str, ...] = ("10.0.0.7",),
    **changes: str | None,
) -> Service | None:
    return read_service(instance_name(said), port, addresses, txt_of(said, **changes))


# -- texts ------------------------------------------------------------------------------------


def test_what_is_written_is_read() -> None:
    assert instance_name(CUCINA) == "Cucina (00010203)._busso._tcp.local."
    assert read() == service()


@given(st.text(max_size=32), st.text(max_size=32), st.sampled_from([Phase.LOBBY, Phase.PLAYING]))
def test_any_name_fits_and_comes_back_as_far_as_it_fits(name: str, host: str, phase: Phase) -> None:
    try:
        clean_text(name, 32)
        clean_text(host, 32)
    except EncodingError:
        return
    said = replace(CUCINA, name=name, host=host, phase=phase)
    label = instance_name(said).removesuffix("." + TYPE)
    assert len(label.encode()) <= 63
    assert "." not in label
    assert octets_of(properties(said)) <= MAX_TXT
    found = read(said)
    if found is not None:  # nothing may be left of a name, as of one dot
        assert host.startswith(found.host)
        assert found.phase is phase


def test_the_longest_names_fit() -> None:
    longest = replace(
        CUCINA,
        **dict.fromkeys(("name", "host", "game", "rules"), CLEF * 32),  # type: ignore[arg-type] # all strings
        seats=64,
        free=64,
    )
    assert octets_of(properties(longest)) <= MAX_TXT
    found = read(longest)
    assert found is not None
    assert (found.name, found.host, found.free) == (CLEF * 13, CLEF * 8, 64)


@given(st.text(max_size=300))
def test_whatever_is_tidied_is_a_name_or_nothing(raw: str) -> None:
    found = tidy(raw)
    assert found == "" or clean_text(found, 32) == found


@pytest.mark.parametrize(
    ("raw", "tidied"),
    [
        ("Cucina", "Cucina"),
        ("  Cu\u00a0 cina\n", "Cu cina"),
        ("Cu\u202ecina\x1b[2J", "Cucina[2J"),
        ("\u0301\u0301\u0301", ""),
        ("e\u0301", "é"),
        ("x" * 99, "x" * 32),
        ("\u200b\u2066\x00", ""),
        ("a\u0300\u0300\u0300\u0300b", "à"),
    ],
)
def test_how_names_are_tidied(raw: str, tidied: str) -> None:
    assert tidy(raw).startswith(tidied[:1])
    assert tidy(raw) == tidied or not tidied.isascii()


def test_text_is_cut_between_characters() -> None:
    assert shortened("è" * 10, 7) == "èèè"
    assert shortened("ab cd", 3) == "ab"


@pytest.mark.parametrize(
    "change",
    [
        *({"v": "2"}, {"v": None}, {"g": ""}, {"g": "\u202e"}, {"h": None}),
        *({"s": "0"}, {"s": "65"}, {"s": "x"}, {"s": "٣"}, {"s": "0004"}, {"s": None}),
        *({"f": "5"}, {"f": "-1"}, {"m": "2"}, {"m": ""}, {"c": "2"}, {"c": None}),
        *({"k": "ABCD"}, {"k": "abcd-" * 4 + "abcd"}, {"k": "ABC1-" * 4 + "ABC1"}, {"k": None}),
        *({"t": ""}, {"t": "00"}, {"t": HEX + " "}, {"t": HEX[:-2] + "zz"}),
        *({"t": HEX + "00"}, {"t": HEX[:16]}, {"t": HEX.upper()}),
    ],
)
def test_a_record_that_makes_no_sense_is_nobody(change: dict[str, str | None]) -> None:
    assert read(**change) is None  # type: ignore[arg-type] # none of them is `port`


def test_so_is_one_without_a_place() -> None:
    assert read(port=None) is None
    assert read(port=0) is None
    assert read(addresses=()) is None
    assert read(addresses=("nowhere", "239.1.1.1", "::", "fe80::1%x")) is None
    assert read_service("." + TYPE, 7, ("10.0.0.7",), txt_of(CUCINA)) is None


def test_addresses_are_numeric_once_each_and_bounded() -> None:
    (index, name), *_ = socket.if_nameindex()
    many = tuple(f"10.0.0.{number}" for number in range(99))
    found = read(addresses=("10.0.0.7", "10.0.0.7", f"fe80::1%{index}", "::ffff:10.0.0.7", *many))
    assert found is not None
    assert found.addresses[:3] == ("10.0.0.7", f"fe80::1%{name}", "10.0.0.0")
    assert len(found.addresses) == 8


@given(
    st.dictionaries(
        st.sampled_from([key.encode() for key in "vghpsfmckt"]),
        st.none() | st.binary(max_size=300) | st.sampled_from([b"1", b"4"]),
    ),
    st.text(max_size=70),
)
def test_any_record_is_a_table_or_nobody(txt: dict[bytes, bytes | None], name: str) -> None:
    found = read_service(name + "." + TYPE, 7, ("10.0.0.7",), txt)
    if found is not None:
        for said in (found.name, found.host, found.game):
            assert clean_text(said, 32) == said


def test_zeroconf_gets_addresses_of_what_is_up() -> None:
    eth = Interface("e", 2, Kind.ETHERNET, (Address("10.0.0.1", 8), Address("fe80::1", 64)))
    down = replace(eth, index=3, up=False)
    plain = replace(eth, index=4, addresses=(Address("10.9.0.1", 8), Address("2001:db8::1", 64)))
    assert choices((LOOP, eth, down, plain)) == ["127.0.0.1", "10.0.0.1", 2, "10.9.0.1"]


# -- the real thing ---------------------------------------------------------------------------


def test_a_table_is_found_changes_and_goes_on_the_loopback() -> None:
    news: queue.Queue[Found | Gone] = queue.Queue()
    said = replace(announcement(), table=LOOPED)

    def wait_for(**fields: object) -> Service:
        while True:
            one = news.get(timeout=PATIENCE)
            if isinstance(one, Found) and one.service.table == LOOPED:
                found = one.service
                if all(getattr(found, key) == value for key, value in fields.items()):
                    return found

    browser = DnsSdBrowser(news.put, (LOOP,))
    host = DnsSdAnnouncer(said, (LOOP,))
    browser.start()
    host.start()
    try:
        found = wait_for()
        assert found == service(
            instance=f"Cucina ({LOOPED[:4].hex()})._busso._tcp.local.",
            addresses=("127.0.0.1",),
            table=LOOPED,
        )
        host.update(replace(said, free=1))
        wait_for(free=1)
        browser.follow((LOOP, replace(LOOP, name="lo2", addresses=())))  # closes and opens again
        while news.get(timeout=PATIENCE) != Gone(found.instance):
            pass
        wait_for(free=1)
    finally:
        host.stop(PATIENCE)
    try:
        while news.get(timeout=PATIENCE) != Gone(found.instance):
            pass
    finally:
        browser.stop(PATIENCE)
    assert (host.problem, browser.problem) == ("", "")


def test_without_an_interface_that_can_it_is_said_and_nothing_breaks() -> None:
    away = replace(LOOP, addresses=(Address("192.0.2.200", 24), Address("fe80::9", 64)), index=9999)
    assert usable(choices((away, LOOP))) == ["127.0.0.1"]
    for interfaces in ((away,), ()):
        host = DnsSdAnnouncer(announcement(), interfaces)
        host.start()
        host.update(replace(announcement(), free=0))
        host.stop(PATIENCE)
        assert "no interface" in host.problem
