"""A process dies in the middle of a hand; the next one of that player plays the same hand on."""

from __future__ import annotations

from pathlib import Path

import pytest

from node.counters import Counters
from node.door import find_table
from node.errors import need
from node.unfinished import FILE, Place, Unfinished, Whereabouts, keep_whereabouts, unfinished
from protocol.audit import Status, audit_file
from protocol.contribution import Kind
from protocol.errors import EncodingError, FileInUse
from protocol.group import default_group
from protocol.identity import Identity
from protocol.votes import DECISIONS
from tests.node.tables import DEADLINE, Seated, seat, start
from tests.node.test_absence import LOOPBACK, ended, table_of, vanish_at


def taken_up(node: Seated, number: int, folder: Path) -> tuple[Seated, Unfinished]:
    """The next process of a player, which has found the match by itself."""
    (found,) = unfinished(folder / str(number), node.identity)
    again = seat(folder, number)
    again.session.identity = node.identity
    again.identity = node.identity
    return again, found


def ends_alike(nodes: list[Seated]) -> None:
    """All ended the match with one log, and nobody was left out."""
    (log,) = {need(node.session.log).read_bytes() for node in nodes}
    report = audit_file(log, default_group())
    assert (report.status, report.faults) == (Status.COMPLETE, ())
    assert report.last is not None
    assert report.last.out == frozenset()
    assert not any(s.entries[0].kind in DECISIONS for s in need(nodes[0].session.table).steps)
    assert report.hands == 1


@pytest.mark.parametrize("number", [0, 2], ids=["the host", "a guest"])
@pytest.mark.parametrize("kind", [Kind.FLIP_COMMIT, Kind.KEY, Kind.SHUFFLE, Kind.MOVE, Kind.SHARES])
def test_a_player_whose_process_died_plays_the_same_hand_on(
    tmp_path: Path, number: int, kind: Kind
) -> None:
    nodes = table_of(tmp_path, 3, patience=600)
    vanish_at(nodes[number], kind)
    start(nodes)
    need(nodes[number].thread).join(DEADLINE)
    again, found = taken_up(nodes[number], number, tmp_path)
    assert found.steps == len(need(nodes[number].session.table).steps)
    again.session.resume(found, address=LOOPBACK, search=False)
    nodes[number] = again
    start([again])
    ended(nodes)
    ends_alike(nodes)
    assert not list(unfinished(tmp_path / str(number), again.identity))


def test_all_processes_died_and_meet_at_each_others_doors(tmp_path: Path) -> None:
    nodes = table_of(tmp_path, 3, patience=600)
    for node in nodes:
        vanish_at(node, Kind.SHUFFLE)
    start(nodes)
    for node in nodes:
        need(node.thread).join(DEADLINE)
    back = [taken_up(node, number, tmp_path) for number, node in enumerate(nodes)]
    doors = [again.session.resume(found, address=LOOPBACK, search=False) for again, found in back]
    assert back[1][0].session.visit(LOOPBACK, doors[0])
    assert back[2][0].session.visit(LOOPBACK, doors[0])  # by way of one all meet
    start([again for again, _ in back])
    ended([again for again, _ in back])
    ends_alike([again for again, _ in back])


def test_strangers_are_not_let_in(tmp_path: Path) -> None:
    nodes = table_of(tmp_path, 2, patience=600)
    for node in nodes:
        vanish_at(node, Kind.KEY)
    start(nodes)
    for node in nodes:
        need(node.thread).join(DEADLINE)
    again, found = taken_up(nodes[0], 0, tmp_path)
    door = again.session.resume(found, address=LOOPBACK, search=False)
    card, _ = find_table(LOOPBACK, door, 5)
    assert (card.free, card.playing, card.key) == (0, True, again.identity.public)
    start([again])
    stranger = seat(tmp_path, 2)
    stranger.session.join(card, LOOPBACK, address=LOOPBACK)
    start([stranger])
    need(stranger.thread).join(DEADLINE)
    assert stranger.error is not None
    assert again.session.table is not None
    again.session.stop()
    need(again.thread).join(DEADLINE)


def test_two_processes_cannot_play_one_seat(tmp_path: Path) -> None:
    nodes = table_of(tmp_path, 2, patience=600)
    for node in nodes:
        vanish_at(node, Kind.KEY)
    start(nodes)
    for node in nodes:
        need(node.thread).join(DEADLINE)
    first, found = taken_up(nodes[0], 0, tmp_path)
    first.session.resume(found, address=LOOPBACK, search=False)
    second, _ = taken_up(nodes[0], 0, tmp_path)
    with pytest.raises(FileInUse):
        second.session.resume(found, address=LOOPBACK, search=False)
    start([first])
    first.session.stop()
    need(first.thread).join(DEADLINE)


def test_whereabouts_are_read_strictly(tmp_path: Path) -> None:
    here = Whereabouts(bytes(16), "Cucina", (Place(bytes(32), bytes(32), "192.168.1.7", 4711),))
    assert Whereabouts.parse(here.pack()) == here
    keep_whereabouts(tmp_path, here)
    keep_whereabouts(tmp_path, here)
    assert (tmp_path / FILE).read_bytes() == here.pack()
    for wrong in (
        b"",
        here.pack()[:-1],
        here.pack() + b"\x00",
        here.pack().replace(b"192", b"x92"),
    ):
        with pytest.raises(EncodingError):
            Whereabouts.parse(wrong)


def test_only_own_and_open_matches_are_found(tmp_path: Path) -> None:
    identity = Identity.generate()
    assert not list(unfinished(tmp_path, identity))
    (tmp_path / "matches" / "rubbish").mkdir(parents=True)
    (tmp_path / "matches" / "rubbish" / "rubbish.busso").write_bytes(b"no log")
    (tmp_path / "matches" / "file").write_bytes(b"")
    assert not list(unfinished(tmp_path, identity))


def test_a_session_leaves_its_counters_for_the_doctor(tmp_path: Path) -> None:
    nodes = table_of(tmp_path, 2)
    start(nodes)
    ended(nodes)
    counters = Counters.load(tmp_path / "0")
    assert counters is not None
    assert counters.messages_in > 0
    assert counters.entries.accepted > 0
