"""Interfaces: what the system lists, and what is guessed from it."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any

import ifaddr
import pytest

from node.interfaces import (
    Address,
    Interface,
    Kind,
    NoSuchInterface,
    choose,
    guess_kind,
    host_of,
    nearness,
    ranked,
    reachable_addresses,
    scan,
)

LAN = Interface(
    "eth0",
    2,
    Kind.ETHERNET,
    (Address("fe80::1", 64), Address("2001:db8::5", 64), Address("192.168.1.5", 24)),
)
WIFI = Interface("wlan0", 3, Kind.WIFI, (Address("10.1.2.3", 16),), "Wireless-AC 9560")
VPN = Interface("wg0", 4, Kind.VPN, (Address("10.8.0.2", 32),))
LOOP = Interface("lo", 1, Kind.LOOPBACK, (Address("127.0.0.1", 8), Address("::1", 128)))
DOWN = Interface("eth1", 5, Kind.ETHERNET, (Address("172.16.0.1", 12),), up=False)
ALL = (LAN, WIFI, VPN, LOOP, DOWN)


def adapter(name: str, nice: str, *ips: tuple[Any, int], index: int = 7) -> ifaddr.Adapter:
    return ifaddr.Adapter(name, nice, [ifaddr.IP(ip, prefix, nice) for ip, prefix in ips], index)


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        (Kind.ETHERNET, ["eth0", "enp3s0", "eno1", "en0", "em1", "p4p1", "Ethernet 2"]),
        (Kind.WIFI, ["wlan0", "wlp2s0", "wlx00c0ca", "Wi-Fi", "Intel(R) Wi-Fi 6 AX201"]),
        (Kind.VPN, ["tun0", "tap1", "wg0", "utun3", "ppp0", "tailscale0", "ztabc", "nordlynx"]),
        (Kind.CONTAINER, ["docker0", "br-0123456789ab", "veth12ab", "virbr0", "vboxnet0"]),
        (Kind.CONTAINER, ["vEthernet (WSL)", "VMware Network Adapter VMnet8", "lxdbr0", "cni0"]),
        (Kind.LOOPBACK, ["lo", "lo0", "Loopback Pseudo-Interface 1"]),
        (Kind.OTHER, ["br0", "bond0", "awdl0", "x"]),
    ],
)
def test_kinds_are_guessed_from_names(kind: Kind, names: list[str]) -> None:
    assert {name: guess_kind(name) for name in names} == dict.fromkeys(names, kind)


def test_what_the_system_knows_beats_the_name() -> None:
    assert guess_kind("eth0", wireless=True) is Kind.WIFI
    assert guess_kind("x0", point_to_point=True) is Kind.VPN
    assert guess_kind("{0123}", "Realtek Gaming GbE Family Controller") is Kind.ETHERNET


def test_the_likely_come_first_and_what_is_down_last() -> None:
    assert [one.name for one in ranked(reversed(ALL))] == ["eth0", "wlan0", "wg0", "lo", "eth1"]


def test_one_can_be_chosen_by_name_or_title() -> None:
    assert choose(ALL, None) == ALL
    assert choose(ALL, "wg0") == (VPN,)
    assert choose(ALL, "Wireless-AC 9560") == (WIFI,)
    with pytest.raises(NoSuchInterface, match=r"eth9.*try eth0, wlan0"):
        choose(ALL, "eth9")


@pytest.mark.parametrize(
    ("host", "prefix", "broadcast"),
    [
        ("192.168.1.5", 24, "192.168.1.255"),
        ("10.1.2.3", 16, "10.1.255.255"),
        ("127.0.0.1", 8, "127.255.255.255"),
        ("10.0.0.1", 30, "10.0.0.3"),
        ("10.0.0.1", 31, None),
        ("10.0.0.1", 32, None),
        ("fe80::1", 64, None),
    ],
)
def test_directed_broadcasts(host: str, prefix: int, broadcast: str | None) -> None:
    assert Address(host, prefix).broadcast == broadcast


def test_addresses_for_an_invitation() -> None:
    assert reachable_addresses(ALL) == ("192.168.1.5", "2001:db8::5", "10.1.2.3", "10.8.0.2")


def test_own_addresses_are_nearest_and_strangers_farthest() -> None:
    hosts = ["1.2.3.4", "10.8.0.3", "10.1.9.9", "2001:db8::9", "fe80::9%eth0", "192.168.1.9"]
    hosts += ["127.0.0.1"]
    ordered = sorted(hosts, key=lambda host: nearness(host, ALL))
    assert ordered[:2] == ["127.0.0.1", "192.168.1.9"]
    assert set(ordered[2:4]) == {"2001:db8::9", "fe80::9%eth0"}
    assert ordered[4] == "10.1.9.9"
    assert nearness("192.168.1.5", ALL) == 0
    assert nearness("fe80::1%eth0", ALL) == 0
    assert nearness("fe80::1%wlan0", ALL) > nearness("fe80::9%eth0", ALL)


def test_hosts_of_socket_names() -> None:
    (index, name), *_ = socket.if_nameindex()
    assert host_of(("10.0.0.1", 7)) == "10.0.0.1"
    assert host_of(("::ffff:10.0.0.1", 7, 0, 0)) == "10.0.0.1"
    assert host_of(("2001:DB8::1", 7, 0, 0)) == "2001:db8::1"
    assert host_of(("fe80::1", 7, 0, index)) == f"fe80::1%{name}"
    assert host_of((f"fe80::1%{name}", 7, 0, index)) == f"fe80::1%{name}"
    assert host_of(("fe80::1", 7, 0, 0)) == "fe80::1"
    assert host_of(("fe80::1", 7, 0, 2**31 - 1)) == "fe80::1"
    with pytest.raises(ValueError, match="nowhere"):
        host_of(("nowhere", 7))


def test_the_loopback_is_there() -> None:
    loops = [one for one in scan() if one.kind is Kind.LOOPBACK]
    assert loops
    assert any(a.host == "127.0.0.1" for one in loops for a in one.addresses)


def test_what_linux_tells_of_its_interfaces(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name, flags, state in (
        ("en5", "0x1003", "up"),
        ("x1", "0x1091", "unknown"),
        ("a", "0", ""),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "flags").write_text(flags + "\n", "ascii")
        (tmp_path / name / "operstate").write_text(state + "\n", "ascii")
    (tmp_path / "en5" / "phy80211").mkdir()
    (tmp_path / "cable").mkdir()
    (tmp_path / "cable" / "flags").write_text("0x1003\n", "ascii")
    (tmp_path / "cable" / "operstate").write_text("down\n", "ascii")
    six = (("fe80::7%3", 0, 3), 64)
    adapters = [
        adapter("en5", "en5", ("10.0.0.5", 24), six),
        adapter("x1", "x1", ("10.9.0.5", 32)),
        adapter("a", "a", ("10.7.0.5", 24)),
        adapter("cable", "cable", ("10.6.0.5", 24)),
        adapter("bare", "bare"),
        adapter("odd", "odd", ("not an address", 24)),
        adapter("{01-23}", "Ethernet 3", ("10.5.0.5", 24)),
    ]
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: adapters)
    found = {one.name: one for one in scan(sys_net=tmp_path)}
    assert {n: (one.kind, one.up) for n, one in found.items()} == {
        "en5": (Kind.WIFI, True),
        "x1": (Kind.VPN, True),
        "a": (Kind.OTHER, False),
        "cable": (Kind.OTHER, False),
        "Ethernet 3": (Kind.ETHERNET, True),
    }
    assert found["en5"].addresses == (Address("10.0.0.5", 24), Address("fe80::7", 64))


def test_a_thousand_interfaces_are_not_all_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    many = [adapter(f"veth{n}", "x", *((f"10.0.{n % 250}.1", 24),) * 99) for n in range(1_000)]
    monkeypatch.setattr(ifaddr, "get_adapters", lambda: many)
    found = scan()
    assert len(found) == 32
    assert len(found[0].addresses) == 16
