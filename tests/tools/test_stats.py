"""`busso stats`: logs are audited once, kept verdicts are dropped when they aren't ours."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest

from node.language import CODES, language
from node.statistics_sum import Streak, Tally
from protocol.evidence_file import Charge
from protocol.identity import Identity
from tests.protocol.ring import identities
from tests.tools import running
from tests.tools.running import Stream, busso
from tools.errors import ExitCode
from tools.output import Output
from tools.places import data_folder, logs_folder
from tools.stats import _MARKS, _game_lines, cache_folder, collect

ME = Identity(bytes([1]) * 32)
"""A player who has a seat in every log of `running`."""


@pytest.fixture(autouse=True)
def player() -> None:
    logs_folder().mkdir(parents=True)
    ME.save(data_folder() / "identity", "")


def keep(name: str, data: bytes) -> Path:
    path = logs_folder() / f"{name}.busso"
    path.write_bytes(data)
    return path


def stats(*argv: str) -> Any:
    return busso("stats", "--json", *argv).json()


def kept() -> list[Path]:
    return sorted(cache_folder().glob("*"))


def test_without_logs_there_is_nothing_to_add_up() -> None:
    said = busso("stats")
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("No match of yours")
    assert stats()["games"] == {}


def test_logs_are_added_up_and_audited_once() -> None:
    keep("one", running.whole())
    keep("two", running.tricks())
    first, second = stats(), stats()
    assert first["logs"] == {"counted": 2, "elsewhere": 0, "refused": [], "audited": 2}
    assert second["logs"]["audited"] == 0
    assert first["games"] == second["games"]
    assert list(first["games"]) == ["petrangola", "traversone"]
    tally = first["games"]["petrangola"]
    assert tally["matches"] == tally["won"] + tally["lost"] == 1
    assert tally["balance"] == tally["won_units"] - tally["paid"]
    assert len(first["players"]) == 2
    assert {one["matches"] for one in first["players"]} == {2}
    assert len(kept()) == 2


def test_one_game_only() -> None:
    keep("one", running.whole())
    keep("two", running.tricks())
    assert list(stats("--game", "traversone")["games"]) == ["traversone"]
    assert busso("stats", "--game", "chess").code == ExitCode.USAGE


@pytest.mark.parametrize("damage", ["flip", "cut", "empty", "other", "folder"])
def test_a_kept_verdict_that_is_not_ours_is_dropped(damage: str) -> None:
    keep("one", running.small())
    before = stats()
    (path,) = kept()
    data = path.read_bytes()
    if damage == "flip":
        path.write_bytes(running.flipped(data, 0))
    elif damage == "other":
        path.write_bytes(data.replace(b"petrangola", b"petrangoli"))
    elif damage == "folder":
        path.unlink()
        path.mkdir()
    else:
        path.write_bytes(data[:-1] if damage == "cut" else b"")
    after = busso("stats", "--json").json()
    assert after["logs"]["audited"] == 1
    assert after["games"] == before["games"]


def test_a_verdict_by_another_version_is_dropped(monkeypatch: pytest.MonkeyPatch) -> None:
    keep("one", running.small())
    stats()
    monkeypatch.setattr("tools.stats.version", lambda _: "99")
    assert stats()["logs"]["audited"] == 1
    assert stats()["logs"]["audited"] == 0


def test_what_does_not_verify_is_listed_and_not_counted() -> None:
    keep("good", running.small())
    keep("bad", running.with_entry(running.whole(), 5, signature=bytes(64)))
    keep("torn", running.whole()[:-3])
    keep("junk", b"BUSSO")
    said = busso("stats")
    assert said.code == ExitCode.WRONG
    assert "not counted: bad.busso: corrupt" in said.out
    assert "not counted: torn.busso: torn" in said.out
    data = busso("stats", "--json")
    assert data.code == ExitCode.WRONG
    assert data.json()["logs"]["counted"] == 1
    assert data.json()["logs"]["audited"] == 0  # refusals are kept, too
    assert [Path(one["file"]).name for one in data.json()["logs"]["refused"]] == [
        "bad.busso",
        "torn.busso",
    ]


def test_a_log_that_is_changed_is_audited_anew() -> None:
    path = keep("one", running.small())
    stats()
    path.write_bytes(running.with_entry(running.small(), 5, signature=bytes(64)))
    said = busso("stats", "--json")
    assert said.json()["logs"]["audited"] == 1
    assert said.json()["games"] == {}


def test_copies_evidence_and_matches_of_others_are_not_counted() -> None:
    keep("one", running.small())
    folder = data_folder() / "matches" / "one"
    folder.mkdir(parents=True)
    (folder / "one.busso").write_bytes(running.small())
    (folder / "evidence-step-3-seat-0.busso").write_bytes(running.evidence(Charge.INVALID, 3))
    assert stats()["logs"] == {"counted": 1, "elsewhere": 0, "refused": [], "audited": 1}
    Identity(bytes([77]) * 32).save(data_folder() / "identity", "")
    other = stats()
    assert other["logs"] == {"counted": 0, "elsewhere": 1, "refused": [], "audited": 0}
    assert kept() == []  # verdicts that nobody asks for are forgotten


def test_cheats_and_void_hands_are_told() -> None:
    keep("one", running.lied())
    said = busso("stats").out
    assert "1 void hand\n" in said
    assert "  excluded for cheating: 1\n" in said
    assert "  escluso perché baravi: 1\n" in busso("stats", "--lang", "it").out
    innocent = next(key for key in identities(2) if key.public != ME.public)
    innocent.save(data_folder() / "identity", "")
    assert "was excluded for cheating" in busso("stats").out


def test_a_progress_line_shows_where_it_takes_long() -> None:
    keep("one", running.small())
    ticks = iter(range(10_000))
    terminal = Stream("utf-8", terminal=True)
    out = Output(io.StringIO(), terminal, clock=lambda: float(next(ticks)))
    collect(ME.public, out)
    assert "auditing 1 log: 2 of " in terminal.said()
    quick = Stream("utf-8", terminal=True)
    collect(ME.public, Output(io.StringIO(), quick, clock=lambda: 0.0))
    assert quick.said() == ""


def test_every_mark_has_its_words() -> None:
    tally = Tally(marks=dict.fromkeys(_MARKS, (2, 3)))
    for code in CODES:
        lines = list(_game_lines("A game", tally, language(code)))
        assert len(lines) == 2 + len(_MARKS)
    assert "  bisciole: 2, the longest of 3 deals" in _game_lines("A game", tally, language("en"))


def test_everything_that_can_be_told_of_a_game() -> None:
    tally = Tally(
        matches=9,
        won=2,
        lost=1,
        undecided=1,
        open=2,
        abandoned=3,
        hands=40,
        void=1,
        paid=9,
        won_units=6,
        best=3,
        left=1,
        excluded=1,
        streak=Streak(-1, 2, -1),
    )
    assert list(_game_lines("Briscola", tally, language("en"))) == [
        "Briscola: 9 matches, 2 won, 1 lost",
        "  1 ended without a winner",
        "  2 have no end yet",
        "  3 were abandoned",
        "  40 hands audited",
        "  1 void hand",
        "  paid 9, won 6: -3",
        "  best final score: 3",
        "  1 loss in a row now",
        "  longest streaks: 2 won, 1 lost",
        "  1 match went on without you",
        "  excluded for cheating: 1",
    ]
