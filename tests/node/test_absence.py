"""A node that vanishes from a real mesh: the others go on, and it follows when it is back."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

from engine.contract import Ask
from node.door import find_table
from node.errors import Stopped, need
from node.notices import SessionEvent, Started, Suspended
from node.session import Session
from node.waiting import Absent
from protocol.audit import Status, audit_file
from protocol.contribution import Kind
from protocol.group import default_group
from protocol.table import Advanced, YourMove
from tests.node.tables import DEADLINE, Seated, offer, seat, start

LOOPBACK = "127.0.0.1"


class Still:
    """Somebody who doesn't choose; the node is there all the same."""

    def decide(self, decision: YourMove, session: Session) -> None:
        """Think."""

    def missing(self, absent: Absent, session: Session) -> None:
        """Wait."""


def table_of(folder: Path, players: int, *, patience: int = 0, timer: int = 0) -> list[Seated]:
    """Nodes that sit at one table and don't run yet; the last one is a bot like all."""
    nodes = [seat(folder, number) for number in range(players)]
    terms = replace(offer(players, 1), patience=patience, timer=timer)
    port = nodes[0].session.host(terms, address=LOOPBACK)
    for node in nodes[1:]:
        card, address = find_table(LOOPBACK, port, 10)
        node.session.join(card, address, address=LOOPBACK)
    return nodes


def vanish_at(node: Seated, kind: Kind) -> threading.Event:
    """The node dies without a word when the first step of `kind` is complete."""
    gone = threading.Event()
    session = node.session
    tell = session._on_event

    def on_event(event: SessionEvent) -> None:
        tell(event)
        if isinstance(event, Advanced) and event.step.entries[0].kind is kind and not gone.is_set():
            gone.set()
            session.stop("killed")

    session._on_event = on_event
    return gone


def ended(nodes: list[Seated]) -> None:
    for node in nodes:
        need(node.thread).join(DEADLINE)
        assert node.error is None


def test_the_others_go_on_without_a_node_that_vanished(tmp_path: Path) -> None:
    nodes = table_of(tmp_path, 3, patience=1)
    vanish_at(nodes[2], Kind.SHUFFLE)
    start(nodes)
    need(nodes[2].thread).join(DEADLINE)
    assert isinstance(nodes[2].error, Stopped)
    ended(nodes[:2])
    (log,) = {need(node.session.log).read_bytes() for node in nodes[:2]}
    report = audit_file(log, default_group())
    assert (report.status, report.faults) == (Status.COMPLETE, ())
    assert report.last is not None
    key = nodes[2].identity.public
    assert report.last.out == {report.last.header.keys.index(key)}
    asked = [e for e in nodes[0].events if isinstance(e, Absent)]
    assert asked


def test_the_hosts_node_is_one_of_the_seats(tmp_path: Path) -> None:
    """It is killed for good, and the match goes on."""
    nodes = table_of(tmp_path, 3, patience=1)
    vanish_at(nodes[0], Kind.MOVE)
    start(nodes)
    ended(nodes[1:])
    (log,) = {need(node.session.log).read_bytes() for node in nodes[1:]}
    report = audit_file(log, default_group())
    assert report.status is Status.COMPLETE
    assert report.last is not None
    assert len(report.last.out) == 1


def test_two_players_are_suspended_and_one_can_close_the_match(tmp_path: Path) -> None:
    nodes = table_of(tmp_path, 2, patience=1)
    vanish_at(nodes[1], Kind.KEY)
    closed = threading.Event()
    session = nodes[0].session
    tell = session._on_event

    def on_event(event: SessionEvent) -> None:
        tell(event)
        if isinstance(event, Suspended) and not closed.is_set():
            closed.set()
            session.abandon()

    session._on_event = on_event
    start(nodes)
    ended(nodes[:1])
    report = audit_file(need(nodes[0].session.log), default_group())
    assert (report.status, report.faults) == (Status.ABANDONED, ())


def test_a_turns_time_leads_to_the_question(tmp_path: Path) -> None:
    nodes = table_of(tmp_path, 3, patience=60, timer=1)
    nodes[1].session._chooser = Still()
    start(nodes)
    others = [nodes[0], nodes[2]]
    ended(others)
    (log,) = {need(node.session.log).read_bytes() for node in others}
    report = audit_file(log, default_group())
    assert report.last is not None
    assert report.last.out == {report.last.header.keys.index(nodes[1].identity.public)}
    assert any(isinstance(e, Started) for e in nodes[1].events)
    nodes[1].session.stop()
    need(nodes[1].thread).join(DEADLINE)


def test_nobody_is_asked_where_only_one_answer_is_possible(tmp_path: Path) -> None:
    """Mambassa asks all who hold no special hand too; their nodes say so by themselves (MAM-32)."""
    nodes = [seat(tmp_path, number) for number in range(3)]
    port = nodes[0].session.host(offer(3, 1, "mambassa"), address=LOOPBACK)
    for node in nodes[1:]:
        card, address = find_table(LOOPBACK, port, 10)
        node.session.join(card, address, address=LOOPBACK)
    start(nodes)
    ended(nodes)
    asked = 0
    for node in nodes:
        steps = need(node.session.table).steps
        asked += sum(step.entries[0].kind is Kind.ANSWER for step in steps)
        for event in node.events:
            if isinstance(event, YourMove) and isinstance(event.view.turn(), Ask):
                own = need(need(node.session.table).player).seat
                assert len(event.view.legal(event.position.chair(own))) > 1
    assert asked
