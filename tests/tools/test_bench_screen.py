"""`busso bench screen`: what it counts, and that the counts keep their limits.

The clock decides nothing here: a busy computer is no fault of the screen.
"""

from __future__ import annotations

import json

import pytest

from engine import registry
from tools import bench_screen
from tools.cli import main


def test_the_figures_are_there_and_the_counts_keep_their_limits(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_screen, "PAINTS", 3)
    monkeypatch.setattr(bench_screen, "ROUNDS", 1)
    assert main(["bench", "screen", "--json"]) == 0
    value = json.loads(capsys.readouterr().out)
    assert set(value["paint_ms"]) == set(registry.GAMES)
    assert 0 < value["key_bytes"] <= bench_screen.LIMITS["key_bytes"]
    assert value["idle_bytes"] == 0
    assert value["first_ms"] > 0
    assert value["kept"]["key_bytes"]
    assert value["kept"]["idle_bytes"]


def test_people_get_a_line_for_each_figure(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench_screen, "PAINTS", 1)
    monkeypatch.setattr(bench_screen, "_process", lambda _: (1.0, 1.0))
    assert main(["bench", "screen"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(bench_screen.LIMITS)
    assert all("limit" in line for line in lines)


@pytest.mark.parametrize("name", registry.GAMES)
def test_there_is_something_to_choose_at_every_table(name: str) -> None:
    view = bench_screen.table(name)
    assert view.deciding
    assert view.state.faces
