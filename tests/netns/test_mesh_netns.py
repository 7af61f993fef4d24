"""Meshes on networks as they are: cables out, packets lost, walls of one direction.

Ada and Bruno, and Carla where a third is needed, are namespaces on one switch; what happens to them
happens in the kernel. `pytest -m netns -s tests/netns` also tells how long healing took.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.netns.network import Actor, Computer, Network, _nft, missing

pytestmark = pytest.mark.netns
HOSTS = {"ada": "10.77.0.1", "bruno": "10.77.0.2", "carla": "10.77.0.3"}


@pytest.fixture(scope="module", autouse=True)
def _able() -> None:
    if reason := missing():
        pytest.skip(reason)


class Room(Network):
    """Three computers on the switch."""

    def __init__(self) -> None:
        super().__init__()
        self.carla = self._computer(f"{self._stem}-switch", "carla", f"{HOSTS['carla']}/24")
        self.started: list[Actor] = []

    def start(self, name: str, *words: str) -> Actor:
        """An actor of ours on a computer."""
        computer: Computer = getattr(self, name)
        one = Actor(computer.command("-m", "tests.netns.mesh_actor", *words))
        self.started.append(one)
        return one

    def close(self) -> None:
        """End ours too."""
        for one in getattr(self, "started", ()):
            one.stop()
        super().close()


@pytest.fixture
def room() -> Iterator[Room]:
    one = Room()
    yield one
    one.close()


class Pair:
    """A mesh on Ada's computer and one on Bruno's."""

    def __init__(self, room: Room) -> None:
        self.ada, self.bruno = room.start("ada", "mesh", "1"), room.start("bruno", "mesh", "2")
        self.about = {"ada": self.ada.wait("ready"), "bruno": self.bruno.wait("ready")}

    def dial(self, who: str, whom: str) -> None:
        """Tell one where the other is."""
        it = self.about[whom]
        order(getattr(self, who), dial=[it["key"], it["curve"], HOSTS[whom], it["port"]])

    def link(self) -> None:
        """Both know both and are linked."""
        self.dial("ada", "bruno")
        self.dial("bruno", "ada")
        self.ada.wait("up")
        self.bruno.wait("up")

    def talk(self, step: int) -> None:
        """Each hears the other."""
        for one, other in ((self.ada, self.bruno), (self.bruno, self.ada)):
            order(one, say=step)
            other.wait("heard", lambda e: e["step"] == step)


def order(actor: Actor, **what: Any) -> None:
    actor.say(json.dumps(what))


def lift(computer: Computer) -> None:
    """Take a computer's rules away."""
    _nft(computer.namespace, "delete table inet busso")


def healed(pair: Pair, since: float, what: str) -> None:
    """Both are linked again, and talk."""
    last = max(actor.wait("up")["at"] for actor in (pair.ada, pair.bruno))
    pair.talk(1)
    sys.stdout.write(f"{what} healed in {(last - since) * 1000:.0f} ms\n")


def test_a_cable_that_is_plugged_in_again_heals(room: Room) -> None:
    pair = Pair(room)
    pair.link()
    room.bruno.link("down")
    pair.ada.wait("phase", lambda e: e["phase"] == "LAGGING")
    assert pair.ada.wait("down")["why"] in ("SILENT", "LOST")
    pair.bruno.wait("down")
    order(pair.bruno, say=0)
    room.bruno.link("up")
    healed(pair, time.monotonic(), "a cable")


@pytest.mark.parametrize("wall", ["ada", "bruno"])
def test_a_firewall_on_one_side_is_gone_around(room: Room, wall: str) -> None:
    """It lets connections out and none in: whoever is behind it dials, whichever key is lower."""
    guarded: Computer = getattr(room, wall)
    guarded.rules("ct state established,related accept\niif lo accept\nmeta l4proto tcp drop")
    pair = Pair(room)
    pair.link()
    pair.talk(1)


def test_lost_packets_lose_no_message(room: Room) -> None:
    """A third of all packets is dropped on arrival."""
    pair = Pair(room)
    pair.link()
    room.bruno.rules("meta l4proto tcp numgen random mod 100 < 30 drop")
    for step in range(1, 21):
        order(pair.ada, say=step)
    heard = [pair.bruno.wait("heard")["step"] for _ in range(20)]
    assert heard == list(range(1, 21))


def test_a_hole_in_the_network_is_silence_and_heals(room: Room) -> None:
    """Nobody is told that packets vanish, and TCP waits ever longer between its attempts."""
    pair = Pair(room)
    pair.link()
    room.bruno.rules("meta l4proto tcp drop", "meta l4proto tcp drop")
    pair.ada.wait("down")
    pair.bruno.wait("down")
    lift(room.bruno)
    healed(pair, time.monotonic(), "a hole")


def test_two_that_can_not_reach_each_other_play_over_a_third(room: Room, tmp_path: Path) -> None:
    """A wall between two guests; the host sees both. All three end with one log."""
    for one, other in (("bruno", "carla"), ("carla", "bruno")):
        getattr(room, one).rules(f"ip saddr {HOSTS[other]} drop", f"ip daddr {HOSTS[other]} drop")
    folders = {name: str(tmp_path / number) for name, number in zip(HOSTS, "012", strict=True)}
    host = room.start("ada", "host", "3", folders["ada"])
    port = str(host.wait("open")["port"])
    guests, begun = [], 0.0
    for name in ("bruno", "carla"):
        guests.append(room.start(name, "join", HOSTS["ada"], port, folders[name]))
        begun = guests[-1].wait("joined")["at"]
    ends = [actor.wait("finished") for actor in (host, *guests)]
    assert len({end["log"] for end in ends}) == 1
    assert [end["passed_on"] > 0 for end in ends] == [True, False, False]
    sys.stdout.write(f"played in {ends[0]['at'] - begun:.1f} s\n")
