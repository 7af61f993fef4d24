"""Whole nodes over the real mesh: they agree, play, and end with equal logs."""

from __future__ import annotations

from pathlib import Path

import pytest

from node.lobby import Offer
from node.session import Started
from protocol.audit import Status, audit_file
from protocol.group import default_group
from protocol.group_python import PythonGroup
from tests.node.tables import offer, play


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
