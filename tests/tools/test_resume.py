"""`busso` alone finds a match that was left, whoever played it, and offers to go back to it."""

from __future__ import annotations

import argparse
import io
import sys
from pathlib import Path

import pytest

from node.unfinished import Unfinished, first_choice, unfinished
from tests.tools.left import ELSEWHERE, HERE, STEPS, DataFolder
from tests.tools.running import Said, Stream, busso
from tools import resume
from tools.errors import ExitCode, UsageError
from tools.output import Output

ASKED = "Enter: go back to it. n: not now. "


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DataFolder:
    """An empty data folder that the commands use."""
    monkeypatch.setenv("BUSSO_HOME", str(tmp_path / "data"))
    return DataFolder(tmp_path / "data")


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the matches that are taken up."""
    names: list[str] = []

    def take_up(_: argparse.Namespace, __: Output, match: Unfinished) -> int:
        names.append(match.name)
        return ExitCode.FINE

    monkeypatch.setattr(resume, "take_up", take_up)
    return names


def offered(monkeypatch: pytest.MonkeyPatch, typed: str, language: str = "en") -> Said:
    """What `busso` alone offers in lines to somebody at a terminal who types that; 75 for going
    on to the list of tables."""
    out = Output(Stream("utf-8", True), Stream("utf-8", True), plain=True, language=language)
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    code = resume.offer(argparse.Namespace(), out)
    out.line("Then.")
    assert isinstance(out.out, Stream)
    assert isinstance(out.err, Stream)
    return Said(75 if code is None else code, out.out.said(), out.err.said())


@pytest.mark.parametrize("host", [HERE, ELSEWHERE])
def test_any_match_that_was_left_is_offered_in_the_same_words(
    data: DataFolder, taken: list[str], monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    data.left("one", host, 1_000)
    said = offered(monkeypatch, "\n")
    (match,) = unfinished(data.path, data.identity)
    told = f"You left a match before its end: {resume.describe(match)}."
    assert said.out == f"{told}\n{ASKED}Then.\n"
    assert f"step {STEPS}" in said.out
    assert (said.code, taken) == (ExitCode.FINE, ["one"])


@pytest.mark.parametrize("typed", ["n\n", ""])
def test_whoever_refuses_goes_on_to_the_list_of_tables(
    data: DataFolder, taken: list[str], monkeypatch: pytest.MonkeyPatch, typed: str
) -> None:
    data.left("one", HERE, 1_000)
    said = offered(monkeypatch, typed, "it")
    assert (said.code, taken) == (75, [])
    assert said.out.startswith("Hai lasciato una partita prima della fine: petrangola con ")
    assert said.out.endswith(f"n: non adesso. {'' if typed else chr(10)}Then.\n")


def test_nothing_is_offered_where_nothing_was_left(
    data: DataFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert offered(monkeypatch, "\n") == (75, "Then.\n", "")


@pytest.mark.parametrize(
    ("matches", "first"),
    [
        ((("old", HERE), ("new", HERE)), "new"),
        ((("old", ELSEWHERE), ("new", ELSEWHERE)), "new"),
        ((("old", ELSEWHERE), ("new", HERE)), "old"),
        ((("old", HERE), ("new", ELSEWHERE)), "new"),
    ],
)
def test_people_who_may_be_anywhere_go_before_players_of_this_computer(
    data: DataFolder,
    taken: list[str],
    monkeypatch: pytest.MonkeyPatch,
    matches: tuple[tuple[str, str], ...],
    first: str,
) -> None:
    for when, (name, host) in enumerate(matches):
        data.left(name, host, 1_000 + when)
    offered(monkeypatch, "\n")
    found = tuple(unfinished(data.path, data.identity))
    chosen = first_choice(found)
    assert chosen is not None
    assert {chosen.name, resume.choose(found, None).name, *taken} == {first}


def test_without_a_match_there_is_none_to_choose() -> None:
    assert first_choice(()) is None
    with pytest.raises(UsageError, match="no match to take up"):
        resume.choose((), None)


def test_a_list_says_of_which_the_players_ended(data: DataFolder) -> None:
    data.left("far", ELSEWHERE, 1_000)
    data.left("near", HERE, 1_001)
    near, far = busso("resume", "--list").out.splitlines()
    assert near.startswith("near: petrangola with ")
    assert near.endswith(" (computer players of this computer, which ended with it)")
    assert far.startswith("far: petrangola with ")
    assert far.endswith(f"step {STEPS}")
