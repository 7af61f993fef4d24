"""From a target to a card: which door is asked, whose card is taken, what is said if none is."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from node.discovery_listing import Listing
from node.door import Door
from node.errors import DoorError, NotATable, TurnedAway, Unreachable
from node.finding import OtherTable, find, first_door, is_listed
from node.invitation import Place, invite
from protocol.messages import TableCard
from protocol.wire import sign
from tests.node.nodes import PATIENCE
from tests.protocol.announce_samples import SIGNED
from tests.protocol.wire_samples import ADA, BRUNO, card

HOSTS = ("10.0.0.1", "10.0.0.2", "10.0.0.3")
PLACES = [Place(host, 7_000) for host in HOSTS]
OTHER = sign(replace(card(), table=b"x" * 16), ADA)
FALSE = sign(card(), BRUNO)


class Doors:
    """What is behind each host: a card, an error, or silence until the end of the test."""

    def __init__(self, **behind: TableCard | Exception) -> None:
        self.behind = {f"10.0.0.{name[1:]}": what for name, what in behind.items()}
        self.asked: list[str] = []
        self.end = threading.Event()

    def __call__(self, host: str, port: int, timeout: float) -> tuple[TableCard, str]:
        self.asked.append(host)
        what = self.behind.get(host)
        if what is None:
            self.end.wait(PATIENCE)
            raise Unreachable("Silence.")
        if isinstance(what, Exception):
            raise what
        return what, host


@pytest.fixture
def silent() -> Iterator[Doors]:
    """The first two hosts are silent, the third is the table."""
    doors = Doors(h3=card())
    yield doors
    doors.end.set()


def test_the_first_door_is_enough() -> None:
    doors = Doors(h1=card(), h2=card())
    assert first_door(PLACES, lambda _: True, PATIENCE, doors) == (card(), "10.0.0.1")
    assert doors.asked == ["10.0.0.1"]


@pytest.mark.timeout(PATIENCE)
def test_silent_addresses_delay_the_next_and_no_more(silent: Doors) -> None:
    # Whoever waited for a silent one would wait for days.
    assert first_door(PLACES, lambda _: True, 1e6, silent) == (card(), "10.0.0.3")
    assert silent.asked == list(HOSTS)


def test_a_door_that_fails_hands_on_at_once() -> None:
    doors = Doors(h1=Unreachable("1."), h2=NotATable("2."), h3=card())
    assert first_door(PLACES, lambda _: True, PATIENCE, doors)[1] == "10.0.0.3"


def test_an_invitation_takes_no_other_table() -> None:
    invitation = invite(card(), HOSTS, 7_000)
    doors = Doors(h1=OTHER, h2=FALSE, h3=card())
    assert find(invitation, PATIENCE, probe=doors) == (card(), "10.0.0.3")
    with pytest.raises(OtherTable):
        find(invitation, PATIENCE, probe=Doors(h1=OTHER, h2=FALSE, h3=Unreachable("3.")))


def test_a_listed_table_takes_no_other_table() -> None:
    listing = Listing(0.0)
    for host in HOSTS:
        listing.hear(SIGNED, host, 0.0)
    (listed,) = listing.tables()
    assert is_listed(card(), listed)
    assert not is_listed(OTHER, listed)
    assert not is_listed(FALSE, listed)
    doors = Doors(h1=FALSE, h2=OTHER, h3=card())
    assert find(listed, PATIENCE, probe=doors) == (card(), "10.0.0.3")


def test_a_place_takes_whoever_is_there() -> None:
    assert find(PLACES[0], PATIENCE, probe=Doors(h1=OTHER)) == (OTHER, "10.0.0.1")


@pytest.mark.parametrize(
    ("behind", "says"),
    [
        ((Unreachable("1."), Unreachable("2."), Unreachable("3.")), "1."),
        ((NotATable("1."), Unreachable("2."), TurnedAway("3.")), "3."),
        ((Unreachable("1."), OTHER, Unreachable("3.")), "Another table"),
    ],
)
def test_what_helps_most_is_said(behind: tuple[TableCard | Exception, ...], says: str) -> None:
    doors = Doors(**{f"h{number}": what for number, what in enumerate(behind, 1)})
    with pytest.raises(DoorError, match=says):
        find(invite(card(), HOSTS, 7_000), PATIENCE, probe=doors)


def test_silence_everywhere_ends() -> None:
    doors = Doors()
    try:
        with pytest.raises(Unreachable, match="No address"):
            first_door(PLACES[:1], lambda _: True, 0.01, doors)
    finally:
        doors.end.set()
    with pytest.raises(Unreachable):
        first_door([], lambda _: True, 0.01, doors)


def test_our_own_bug_is_not_a_silent_door() -> None:
    doors = Doors(h1=ZeroDivisionError(), h2=Unreachable("2."), h3=TurnedAway("3."))
    with pytest.raises(ZeroDivisionError):
        first_door(PLACES, lambda _: True, PATIENCE, doors)


def test_a_hundred_addresses_are_not_all_knocked_at() -> None:
    many = [Place(f"10.1.0.{number}", 7_000) for number in range(100)]
    doors = Doors()
    doors.behind = {place.host: Unreachable("No.") for place in many}
    with pytest.raises(Unreachable):
        first_door(many, lambda _: True, PATIENCE, doors)
    assert len(doors.asked) == 8


def test_a_real_door() -> None:
    with Door(card, host="127.0.0.1") as door:
        assert find(Place("127.0.0.1", door.port), PATIENCE) == (card(), "127.0.0.1")
