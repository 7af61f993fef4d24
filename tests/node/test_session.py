"""Whole nodes over the real mesh: they agree, play, and end with equal logs."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from node.door import find_table
from node.events import HelloReceived
from node.lobby import Offer
from node.mesh import Mesh
from node.session import SessionEvent, Started, Stopped, need
from protocol.audit import Status, audit_file
from protocol.group import default_group
from protocol.group_python import PythonGroup
from protocol.messages import Bye, Message, Reason
from protocol.wire import decode_hello, sign
from tests.node.tables import DEADLINE, offer, play, seat, start


def test_honest_nodes_end_with_equal_logs_that_verify(tmp_path: Path) -> None:
    nodes = play(tmp_path, players=3, hands=2)
    assert [node.error for node in nodes] == [None] * 3
    logs = [node.session.log.read_bytes() for node in nodes if node.session.log]
    assert len(logs) == 3
    assert logs[0] == logs[1] == logs[2]
    report = audit_file(logs[0], default_group())
    assert report.status is Status.COMPLETE
    assert report.good
    assert report.hands == 2
    assert {seat.name for seat in report.header.seats} == {"Ada", "Bruno", "Carla"}  # type: ignore[union-attr]


def test_both_backends_play_together_and_agree(tmp_path: Path) -> None:
    nodes = play(tmp_path, players=2, hands=1, group=PythonGroup())
    assert [node.error for node in nodes] == [None] * 2
    log = nodes[0].session.log
    assert log is not None
    assert audit_file(log, default_group()).good


def test_a_match_lies_in_a_folder_named_alike_at_every_node(tmp_path: Path) -> None:
    nodes = play(tmp_path, players=2, hands=1)
    starts = [e for node in nodes for e in node.events if isinstance(e, Started)]
    assert len({start.log.name for start in starts}) == 1
    assert len({start.seat for start in starts}) == 2


def test_a_table_that_the_rules_forbid_is_not_opened() -> None:
    from engine.errors import OptionError  # noqa: PLC0415

    good = offer(4, 0)
    with pytest.raises(OptionError, match="deck"):
        Offer(good.game, good.options, 60).check()


def test_who_comes_while_a_match_is_on_is_turned_away(tmp_path: Path) -> None:
    nodes = [seat(tmp_path, number) for number in range(3)]
    port = nodes[0].session.host(offer(2, 1), address="127.0.0.1")
    card, address = find_table("127.0.0.1", port, 10)
    nodes[1].session.join(card, address, address="127.0.0.1")
    began = threading.Event()

    def late(event: SessionEvent) -> None:
        nodes[0].events.append(event)
        if isinstance(event, Started):
            began.set()

    nodes[0].session._on_event = late
    started = start(nodes[:2])
    assert began.wait(DEADLINE)
    nodes[2].session.join(card, address, address="127.0.0.1")
    started += start(nodes[2:])
    for thread in started:
        thread.join(DEADLINE)
    assert [node.error for node in nodes[:2]] == [None, None]
    assert isinstance(nodes[2].error, Stopped)
    assert nodes[2].session.table is None


def test_who_introduces_himself_to_a_full_table_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They came in before admission closed, so only the host's answer can tell them."""
    said: list[tuple[bytes, Message]] = []

    def send(_: Mesh, key: bytes, message: Message) -> bool:
        said.append((key, message))
        return True

    monkeypatch.setattr(Mesh, "send", send)
    host, guest, late = (seat(tmp_path, number) for number in range(3))
    for node in (host, guest, late):  # only so that each has a HELLO of its own
        node.session.host(offer(2, 1), address="127.0.0.1")
    sitting = need(host.session._sitting)
    for node in (guest, late):
        own = decode_hello(need(node.session._mesh).hello)
        own = replace(own, table=host.session.card.table)
        sitting.handle(HelloReceived(sign(own, node.identity), ("127.0.0.1", 1)))
    for node in (host, guest, late):
        node.session._close()
    refused = [(key, m.reason) for key, m in said if isinstance(m, Bye)]
    assert refused == [(late.identity.public, Reason.FULL)]
