"""Every registered game over the real mesh: dealt, played, logged, verified, replayed, exported."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import registry
from engine.contract import Over
from engine.record import read_record
from engine.replay import check
from node.session import need
from protocol.audit import Status, audit_file
from protocol.group import default_group
from tests.node.tables import play
from tools.cli import main


@pytest.fixture(scope="module", params=registry.GAMES)
def log(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The log of one hand of each game, at the smallest table."""
    name: str = request.param
    seats = registry.get(name).min_seats
    nodes = play(tmp_path_factory.mktemp(name), players=seats, hands=1, game=name)
    assert [node.error for node in nodes] == [None] * seats
    logs = [need(node.session.log) for node in nodes]
    assert len({path.read_bytes() for path in logs}) == 1
    return logs[0]


def test_a_hand_is_played_live_and_verifies(log: Path) -> None:
    report = audit_file(log, default_group())
    assert report.status is Status.COMPLETE
    assert report.good
    assert report.hands == 1


def test_it_is_replayed_with_all_hands(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(log)]) == 0
    out, err = capsys.readouterr()
    assert not err
    assert "Hand 1" in out
    assert "Audit: every seed fits" in out
    assert "??" not in out, "the seeds are out: no card is hidden any more"


def test_what_the_table_saw_hides_cards(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(log), "--as", "table"]) == 0
    assert len(capsys.readouterr().out) > 0


def test_its_record_plays_to_the_same_scores(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", str(log), "--format", "record"]) == 0
    record = read_record(capsys.readouterr().out)
    state = check(record)
    last = need(audit_file(log, default_group()).last)
    assert state.scores() == last.state.scores()
    assert isinstance(state.turn(), Over) == isinstance(last.state.turn(), Over)
