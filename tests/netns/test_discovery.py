"""Whether tables are found on networks as people have them: open ones, and ones that block.

Ada hosts, Bruno looks. Both run the real thing in namespaces of their own; see `network`. With
`pytest -m netns -s tests/netns` it is also told how long finding took.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import pytest

from tests.netns.network import Actor, Network, missing
from tests.protocol.announce_samples import ADA

pytestmark = pytest.mark.netns

MULTICAST = "ip daddr 224.0.0.0/4 drop\nip6 daddr ff00::/8 udp dport != 546 drop"
BROADCAST = "meta pkttype broadcast drop"
DISCOVERY = "udp dport 28776 drop\nudp sport 28776 drop"
GUARDED = """\
ct state established,related accept
iif lo accept
meta l4proto { icmp, ipv6-icmp } accept
udp dport 5353 accept
drop"""
"""As desktop firewalls are set up: answers, pings and multicast DNS come in, and nothing else."""


@pytest.fixture(scope="module", autouse=True)
def _able() -> None:
    if reason := missing():
        pytest.skip(reason)


@pytest.fixture
def network() -> Iterator[Network]:
    one = Network()
    yield one
    one.close()


def hosting(network: Network) -> Actor:
    """Ada's table, known by all ways that her network lets through."""
    host = network.ada.actor("host")
    host.wait("known")
    return host


def test_on_an_open_network_udp_finds_the_table_at_once(network: Network) -> None:
    hosting(network)
    guest = network.bruno.actor("guest")
    table = guest.table()
    assert "UDP" in table["ways"]
    assert table["key"] == ADA.public.hex()
    everything = guest.table(lambda t: t["ways"] == ["UDP", "DNS_SD"] and t["answered"])
    assert "10.77.0.1" in everything["addresses"]
    sys.stdout.write(f"listed by UDP after {table['ms']} ms\n")


def test_a_goodbye_takes_it_away(network: Network) -> None:
    host = hosting(network)
    guest = network.bruno.actor("guest")
    guest.table()
    host.stop()
    guest.wait("listed", lambda event: not event["tables"])


def test_where_the_port_is_blocked_dns_sd_finds_it(network: Network) -> None:
    network.bruno.rules(DISCOVERY, DISCOVERY)
    hosting(network)
    guest = network.bruno.actor("guest")
    table = guest.table()
    assert table["ways"] == ["DNS_SD"]
    sys.stdout.write(f"listed by DNS-SD after {table['ms']} ms\n")
    # Nobody signed that, so the door was asked.
    confirmed = guest.table(lambda t: t["answered"])
    assert confirmed["ways"] == ["DNS_SD"]
    assert confirmed["key"] == ADA.public.hex()


def test_without_multicast_broadcasts_find_it(network: Network) -> None:
    network.ada.rules(MULTICAST, MULTICAST)
    hosting(network)
    guest = network.bruno.actor("guest")
    table = guest.table(lambda t: t["answered"])
    assert table["ways"] == ["UDP"]
    assert table["addresses"] == ["10.77.0.1"]
    sys.stdout.write(f"listed by broadcast after {table['ms']} ms\n")


def test_without_broadcasts_multicast_finds_it(network: Network) -> None:
    network.ada.rules(BROADCAST, BROADCAST)
    hosting(network)
    guest = network.bruno.actor("guest")
    assert "UDP" in guest.table(lambda t: t["answered"])["ways"]


def test_without_ipv4_the_link_local_address_is_found_and_reached() -> None:
    network = Network(ipv4=False)
    try:
        hosting(network)
        guest = network.bruno.actor("guest")
        table = guest.table(lambda t: "UDP" in t["ways"])
        (address, *_) = table["addresses"]
        assert address.startswith("fe80::")
        assert address.endswith("%eth0")
        guest.say("join")
        assert guest.wait("joined")["doors"] == [address]
    finally:
        network.close()


def test_a_guest_behind_a_firewall_finds_the_table_by_dns_sd(network: Network) -> None:
    network.bruno.rules(GUARDED)
    hosting(network)
    guest = network.bruno.actor("guest")
    table = guest.table(lambda t: t["answered"])
    assert table["ways"] == ["DNS_SD"]
    guest.say("join")
    assert guest.wait("joined")["doors"] == ["10.77.0.1"]


def test_a_host_behind_a_firewall_is_listed_and_can_not_be_joined(network: Network) -> None:
    network.ada.rules(GUARDED)
    hosting(network)
    guest = network.bruno.actor("guest")
    guest.table()
    guest.say("join")
    assert guest.wait("joined")["doors"] == [""]


def test_a_cable_that_is_plugged_in_later_is_noticed(network: Network) -> None:
    hosting(network)
    network.bruno.link("down")
    guest = network.bruno.actor("guest")
    guest.wait("looking")
    network.bruno.link("up")
    assert "UDP" in guest.table()["ways"]


# -- the doctor -------------------------------------------------------------------------------


def findings(network: Network, *words: str) -> tuple[int, dict[str, list[str]]]:
    """What Bruno's doctor ended with, and the levels of what it found, by area."""
    done = network.bruno.run("tools", "doctor", "--json", *words)
    assert done.stderr == ""
    found: dict[str, list[str]] = {}
    for finding in json.loads(done.stdout)["findings"]:
        found.setdefault(finding["area"], []).append(finding["level"])
    return done.returncode, found


def peer_levels(network: Network) -> tuple[int, list[str]]:
    code, found = findings(network, "10.77.0.1")
    return code, found["peer"]


def test_the_doctor_finds_nothing_wrong_with_an_open_network(network: Network) -> None:
    hosting(network)
    code, found = findings(network, "10.77.0.1")
    # The card of the tests names a mesh port at which nobody listens: that stops play.
    assert code == 4
    assert found["peer"] == ["fine", "stops", "fine"]
    assert found["discovery"] == ["fine", "fine"]
    assert set(found["interfaces"]) == {"fine"}


def test_the_doctor_sees_that_this_computer_lets_nobody_in(network: Network) -> None:
    network.bruno.rules(GUARDED)
    hosting(network)
    _, levels = peer_levels(network)
    assert levels == ["fine", "stops", "warning"]


def test_the_doctor_sees_that_the_other_one_lets_nobody_in(network: Network) -> None:
    network.ada.rules(GUARDED)
    hosting(network)
    assert peer_levels(network) == (4, ["stops"])


def test_the_doctor_sees_what_a_firewall_here_drops(network: Network) -> None:
    network.bruno.rules(MULTICAST, MULTICAST)
    _, found = findings(network)
    assert "note" in found["discovery"]
    network.bruno.rules(BROADCAST, BROADCAST)
    _, found = findings(network)
    assert "warning" in found["discovery"]


def test_the_doctor_sees_a_cable_that_is_not_plugged_in(network: Network) -> None:
    network.bruno.link("down")
    code, found = findings(network)
    assert code == 4
    assert "stops" in found["interfaces"]
