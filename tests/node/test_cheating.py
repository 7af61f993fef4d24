"""Cheating nodes over the real mesh: every other node names them, with evidence to judge offline.

Each cheat plays the honest protocol at its own table and sends the others something else, properly
signed. Harm would be a hand that goes on: the honest logs must end before the cheat's step.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from engine.games.petrangola_moves import Cut
from node.link import Limits
from node.session import need
from protocol.audit import Status, audit_file
from protocol.contribution import Entry, Kind
from protocol.deal import DealSecrets
from protocol.encoding import array, pack, unpack
from protocol.group import default_group
from protocol.log import read_log
from protocol.messages import EntryMessage
from protocol.shuffle import CIPHERTEXT_SIZE
from tests.node.tables import CheatingSession, Tamper, forge, play, resign

CARD = CIPHERTEXT_SIZE


def _doubled_card(_: CheatingSession, body: bytes) -> bytes:
    return body[:CARD] + body[:CARD] + body[2 * CARD :]


def _changed_ciphertext(_: CheatingSession, body: bytes) -> bytes:
    # A point for a point: it decodes, and is another card.
    half = CARD // 2
    return body[half:CARD] + body[half:CARD] + body[CARD:]


def _wrong_proof(_: CheatingSession, body: bytes) -> bytes:
    return body[:-32] + bytes([body[-32] ^ 1]) + body[-31:]


def _wrong_share(_: CheatingSession, body: bytes) -> bytes:
    return body[32:64] + body[:32] + body[64:]


def _key_without_commitment(session: CheatingSession, _: bytes) -> bytes:
    position = need(session.table).position
    seat = position.header.keys.index(session.cheat.public)
    return DealSecrets(b"another seed, not committed to..", seat).open_key(
        position.dealt(), position.place
    )


def _wrong_seed(_: CheatingSession, body: bytes) -> bytes:
    return body[:-1] + bytes([body[-1] ^ 1])


def _illegal_move(session: CheatingSession, body: bytes) -> bytes:
    game = need(session.table).position.game
    _, shares = array(unpack(body, limit=65_536), "move", 2)
    return pack((game.encode(Cut(150)), shares))


CHEATS = {
    "doubled card": (Kind.SHUFFLE, _doubled_card, "proof"),
    "changed ciphertext": (Kind.SHUFFLE, _changed_ciphertext, "proof"),
    "wrong proof": (Kind.SHUFFLE, _wrong_proof, "proof"),
    "wrong share": (Kind.SHARES, _wrong_share, "proof"),
    "key without its commitment": (Kind.KEY, _key_without_commitment, "proof"),
    "wrong seed": (Kind.REVEAL, _wrong_seed, "proof"),
    "illegal move": (Kind.MOVE, _illegal_move, "illegal-move"),
}


@pytest.mark.parametrize("name", CHEATS)
def test_every_honest_node_names_the_cheat_before_harm(tmp_path: Path, name: str) -> None:
    kind, spoil, expected = CHEATS[name]

    def tamper(session: CheatingSession, entry: Entry) -> Iterable[Entry]:
        if entry.contribution.kind is not kind:
            return (entry,)
        return (resign(session.cheat, entry, spoil(session, entry.contribution.body)),)

    _all_name_the_cheat(tmp_path, tamper, expected, kind)


def test_two_signed_contributions_to_one_step_are_evidence(tmp_path: Path) -> None:
    def tamper(session: CheatingSession, entry: Entry) -> Iterable[Entry]:
        if entry.contribution.kind is not Kind.COMMIT:
            return (entry,)
        body = entry.contribution.body
        return (entry, resign(session.cheat, entry, body[:-1] + bytes([body[-1] ^ 1])))

    _all_name_the_cheat(tmp_path, tamper, "contradiction", Kind.COMMIT)


def _all_name_the_cheat(tmp_path: Path, tamper: Tamper, expected: str, kind: Kind) -> None:
    nodes = play(tmp_path, players=3, hands=1, tamper=tamper)
    cheat = nodes[-1].identity.public
    steps, logs = set(), set()
    for node in nodes[:-1]:
        assert node.error is None
        table = need(node.session.table)
        accusation = need(table.accusation)
        seat = table.header.header.keys.index(cheat)
        assert accusation.fault.seat == seat
        assert accusation.fault.kind == expected
        report = audit_file(need(node.evidence), default_group())
        assert report.status is Status.DISPUTED
        assert [(f.seat, f.kind) for f in report.faults] == [(seat, expected)]
        steps.add(accusation.fault.step)
        assert table.position.closed
        assert table.position.out == {seat}
        logs.add(need(node.session.log).read_bytes())
        log = read_log(need(node.session.log))
        written = [c for step in log.steps for c in step.entries if c.kind is kind]
        if expected != "contradiction":
            assert seat not in {c.seat for c in written}, "the cheat went into the log"
    assert len(steps) == 1
    assert len(logs) == 1


def test_a_forged_signature_accuses_nobody_and_hides_nothing(tmp_path: Path) -> None:
    """Carla sends moves and shares in the others' names first: they are dropped as forged.

    Not so many that she would be removed for it, which would leave the table waiting for her.
    """
    strikes = iter(range(Limits().strikes - 2))

    def tamper(_: CheatingSession, entry: Entry) -> Iterable[Entry]:
        seats = [seat for seat in range(3) if seat != entry.contribution.seat]
        forged = [forge(entry, seat=seat) for seat in seats if next(strikes, None) is not None]
        return (*forged, entry)

    nodes = play(tmp_path, players=3, hands=1, tamper=tamper)
    assert [node.error for node in nodes[:-1]] == [None, None]
    logs = {need(node.session.log).read_bytes() for node in nodes[:-1]}
    assert len(logs) == 1
    assert audit_file(logs.pop(), default_group()).good


def test_two_stories_told_to_two_nodes_convict_at_both(tmp_path: Path) -> None:
    """Each has seen one commitment only: the logs part, are compared, and the cheat is named."""

    def tamper(session: CheatingSession, entry: Entry) -> Iterable[Entry]:
        if entry.contribution.kind is not Kind.COMMIT:
            return (entry,)
        body = entry.contribution.body
        other = resign(session.cheat, entry, body[:-1] + bytes([body[-1] ^ 1]))
        keys = need(session.table).header.header.keys
        honest = [key for key in keys if key != session.cheat.public]
        for key, story in zip(honest, (entry, other), strict=True):
            need(session._mesh).send(key, EntryMessage(story))
        return ()

    _all_name_the_cheat(tmp_path, tamper, "contradiction", Kind.COMMIT)


def test_a_fault_that_one_node_was_shown_reaches_all(tmp_path: Path) -> None:
    """One honest node gets a wrong shuffle, the other the right one: both name the cheat."""

    def tamper(session: CheatingSession, entry: Entry) -> Iterable[Entry]:
        if entry.contribution.kind is not Kind.SHUFFLE:
            return (entry,)
        wrong = resign(session.cheat, entry, _wrong_proof(session, entry.contribution.body))
        keys = need(session.table).header.header.keys
        honest = [key for key in keys if key != session.cheat.public]
        for key, story in zip(honest, (wrong, entry), strict=True):
            need(session._mesh).send(key, EntryMessage(story))
        return ()

    nodes = play(tmp_path, players=3, hands=1, tamper=tamper)
    for node in nodes[:-1]:
        assert node.error is None
        fault = need(need(node.session.table).accusation).fault
        assert fault.kind in {"proof", "contradiction"}
        report = audit_file(need(node.evidence), default_group())
        assert [(f.seat, f.kind) for f in report.faults] == [(fault.seat, fault.kind)]
