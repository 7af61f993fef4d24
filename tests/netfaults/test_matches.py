"""Whole matches on networks that misbehave: one log at the end, nobody blamed, nobody stuck.

A seed is one course of events, so a failure here is had again by its number.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from node.events import Woke
from node.match import Match
from node.waiting import PATIENCE
from protocol.contribution import Entry
from protocol.messages import EntryMessage, Get
from protocol.wire import encode
from tests.netfaults.matches import Matches
from tests.netfaults.virtual import Way, storm

BAD = Way(delay=0.005, jitter=0.05, drop=0.1, double=0.1, late=0.1)


@contextmanager
def played(folder: Path, count: int, **given: Any) -> Iterator[Matches]:
    """A table that is checked at the end: one log, complete, and nobody accused."""
    with Matches(folder, count, **given) as table:
        yield table
        assert table.closed()
        assert len(table.logs()) == 1
        assert table.accusations() == []
        for seat in table.seats:
            assert seat.mesh is None or not seat.mesh.strikes


def matches(table: Matches) -> list[Match]:
    return [seat.match for seat in table.seats if seat.match is not None]


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> float:
    """How many seconds a match of four takes on a calm network, where nobody passes anything on."""
    with played(tmp_path_factory.mktemp("calm"), 4) as table:
        took = table.run()
        assert sum(match.entries.passed_on for match in matches(table)) == 0
    return took


@pytest.mark.parametrize("pair", [(0, 1), (2, 3)])
def test_two_that_can_not_reach_each_other_play_as_fast_as_others(
    tmp_path: Path, usual: float, pair: tuple[int, int]
) -> None:
    with played(tmp_path, 4) as table:
        table.start()
        table.net.cut(*(table.keys[seat] for seat in pair))
        assert table.run() < usual + 1.0
        helpers = [m.entries.passed_on for m in matches(table)]
        lowest = min(seat for seat in range(4) if seat not in pair)
        assert helpers[lowest] > 0
        assert sum(helpers) - helpers[lowest] == 0, "one of them passes on, and once"


def test_a_chain_of_players_is_a_table(tmp_path: Path) -> None:
    with played(tmp_path, 4) as table:
        table.start()
        for a, b in ((0, 2), (0, 3), (1, 3)):
            table.net.cut(table.keys[a], table.keys[b])
        assert table.run() < 12


def test_a_hole_that_nobody_is_told_of_is_gone_around(tmp_path: Path) -> None:
    """The link stands and nothing comes through: after 1.6 s of silence others pass on."""
    with played(tmp_path, 3) as table:
        table.start()
        for a, b in ((0, 1), (1, 0)):
            table.net.set_way(table.keys[a], table.keys[b], Way(drop=1.0))
        assert table.run() < 12
        assert matches(table)[2].entries.passed_on > 0


def test_a_wall_of_one_direction_is_gone_around(tmp_path: Path) -> None:
    with played(tmp_path, 3) as table:
        table.start()
        table.net.set_way(table.keys[0], table.keys[1], Way(drop=1.0))
        assert table.run() < 15
        assert matches(table)[2].entries.passed_on > 0


@pytest.mark.parametrize("seed", range(3))
def test_a_match_survives_a_storm(tmp_path: Path, seed: int) -> None:
    with played(tmp_path, 3 + seed % 2, seed=seed, way=BAD) as table:
        storm(table.net, table.keys, 15)
        table.run()


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 160))
def test_a_match_survives_many_storms(tmp_path: Path, seed: int) -> None:
    with played(tmp_path, 2 + seed % 3, seed=seed, way=BAD) as table:
        storm(table.net, table.keys, 40, every=0.5)
        table.run()


def test_a_split_table_waits_and_goes_on_at_once(tmp_path: Path) -> None:
    with Matches(tmp_path, 4) as table:
        table.run(lambda: table.step(0) >= 10)
        table.net.split(table.keys[:2], table.keys[2:])
        table.net.run(3)
        before = max(table.step(seat) for seat in range(4))
        table.net.run(1)
        assert max(table.step(seat) for seat in range(4)) == before
        table.net.heal()
        healed = table.net.now
        table.run(lambda: min(table.step(seat) for seat in range(4)) > before)
        assert table.net.now - healed < 0.5
        assert table.accusations() == []


@pytest.mark.parametrize("victim", [0, 2])
def test_a_node_that_is_killed_takes_up_the_match_where_it_was(tmp_path: Path, victim: int) -> None:
    with played(tmp_path, 3, way=BAD) as table:
        for step in (8, 30):
            table.run(lambda s=step: table.step(victim) >= s)  # type: ignore[misc]
            table.seats[victim].crash()
            table.net.run(2.0)
        table.run()


def hardship(table: Matches, seed: int) -> None:
    """Up to three times somebody is lost for a while: long enough, or not, for the rest to vote."""
    chance = random.Random(seed)
    for _ in range(3):
        step = max(table.step(seat) for seat in range(len(table.seats))) + chance.randrange(1, 15)
        table.run(lambda s=step: table.closed() or s <= max(map(table.step, range(2))))  # type: ignore[misc]
        if table.closed():
            return
        one, other = chance.sample(range(len(table.seats)), 2)
        part = set(chance.sample(table.keys, chance.randrange(1, len(table.seats))))
        match chance.choice(["split", "cut", "hole", "crash"]):
            case "split":
                table.net.split(part, set(table.keys) - part)
            case "cut":
                table.net.cut(table.keys[one], table.keys[other])
            case "hole":
                table.net.set_way(table.keys[one], table.keys[other], Way(drop=1.0))
            case _:
                table.seats[one].crash()
        table.net.run(chance.choice([5, PATIENCE + 10, 2 * PATIENCE + 20]))
        table.net.weather(BAD)
        table.net.heal()
        table.start()


def suffer(folder: Path, seed: int) -> frozenset[int]:
    """Play a match with hardships to its end; who is out, which all agree on."""
    with played(folder, 3 + seed % 2, seed=seed, way=BAD, patient=False) as table:
        hardship(table, seed)
        table.run(limit=1_500)
        (out,) = {match.table.position.out for match in matches(table)}
    return out


def test_the_rest_go_on_without_who_is_away_and_all_agree(tmp_path: Path) -> None:
    found = [suffer(tmp_path / str(seed), seed) for seed in (1, 3, 9)]
    assert any(found), "no schedule here is hard enough"


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 160))
def test_all_agree_whatever_happens(tmp_path: Path, seed: int) -> None:
    suffer(tmp_path, seed)


def test_a_room_that_slept_goes_on_and_blames_nobody(tmp_path: Path) -> None:
    with played(tmp_path, 3) as table:
        table.run(lambda: table.step(1) >= 20)
        table.net.sleep(3600)
        assert table.run() < 10


def test_who_slept_asks_at_once_for_what_it_missed(tmp_path: Path) -> None:
    with Matches(tmp_path, 2) as table:
        table.run(lambda: table.step(0) >= 6 and bool(matches(table)[0].table.missing))
        match, mesh = matches(table)[0], table.seats[0].mesh
        assert mesh is not None
        asked: list[object] = []

        def send(key: bytes, message: object) -> bool:
            asked.append(message)
            return bool(key)

        mesh.send = send  # type: ignore[method-assign]  # to see
        match.tick()
        assert asked == []
        match.handle(Woke(60.0))
        match.tick()
        assert [type(message) for message in asked] == [Get]


def test_one_course_of_events_is_had_again_from_its_seed(tmp_path: Path) -> None:
    courses = set()
    for number in range(2):
        with Matches(tmp_path / str(number), 3, seed=5, way=BAD) as table:
            storm(table.net, table.keys, 5)
            table.run(lambda: table.step(0) >= 12)
            courses.add(table.net.course.hexdigest())
    assert len(courses) == 1


def forge(entry: Entry) -> bytes:
    """The same entry with a signature that its author never made."""
    c = entry.contribution
    return encode(EntryMessage(Entry(entry.place, replace(c, signature=bytes(64)))))


def test_who_hands_out_forgeries_is_struck_and_whoever_relays_is_not(tmp_path: Path) -> None:
    """Seat 2 is a crook that hands everybody forged copies of what others sign. Seats 0 and 1 have
    no link, so seat 2 and seat 3 might both pass on; nobody hands a forgery on in good faith."""
    with Matches(tmp_path, 4) as table:
        table.start()
        crook = table.seats[2].mesh
        assert crook is not None
        table.net.cut(table.keys[0], table.keys[1])
        real = crook._deliver

        def spoil(sender: bytes, octets: bytes) -> None:
            real(sender, octets)
            match, step = table.seats[2].match, table.step(2)
            if match is not None and step > 1 and crook.net.random.random() < 0.05:
                for entry in match.table.entries_from(step - 1):
                    crook.node.broadcast(forge(entry))

        crook.node.deliver = spoil
        table.run(lambda: min(table.step(seat) for seat in (0, 1, 3)) >= 50)
        for seat in (0, 1, 3):
            mesh = table.seats[seat].mesh
            assert mesh is not None
            assert set(mesh.strikes) <= {table.keys[2]}
            assert set(mesh.reasons) <= {"an entry that its author did not sign"}
        assert any(s.mesh is not None and s.mesh.strikes for s in table.seats)
        assert table.accusations() == []


def test_a_liar_about_its_position_does_not_starve_who_lost_something(tmp_path: Path) -> None:
    """It claims to be ahead for ever and answers nothing; another has what was lost."""
    with played(tmp_path, 3) as table:
        table.run(lambda: table.step(0) >= 10)
        liar = table.seats[2].mesh
        assert liar is not None
        send = liar.node.send

        def lie(key: bytes, octets: bytes) -> bool:
            if octets[2] in (4, 6):  # STATE, BATCH
                match = table.seats[2].match
                state = replace(match.state(), step=2**32 - 1) if match else None
                return send(key, encode(state)) if state and octets[2] == 4 else True
            return send(key, octets)

        liar.node.send = lie  # type: ignore[method-assign]  # it is the one that lies
        table.net.set_way(table.keys[0], table.keys[1], Way(drop=0.3))
        assert table.run() < 60
