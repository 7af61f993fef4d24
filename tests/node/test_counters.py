"""Counters are kept for later, and a file that is not ours is told from one that is."""

from __future__ import annotations

import contextlib
import json
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.counters import FILE, MAX_COUNT, MAX_FILE, Counters, CountersError, Entries
from protocol.table import Verdict


def test_what_was_kept_comes_back(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    assert Counters.load(folder) is None
    counters = Counters(malformed=3, floods=1, entries=Entries(accepted=7, passed_on=2))
    counters.save(folder)
    assert Counters.load(folder) == counters
    later = Counters(strikes=9)
    later.save(folder)
    assert Counters.load(folder) == later
    assert [path.name for path in folder.iterdir()] == [FILE]
    assert (folder / FILE).stat().st_mode & 0o077 == 0


def test_every_verdict_is_counted_under_its_name() -> None:
    entries = Entries()
    for verdict in Verdict:
        entries.note(verdict)
    judged = {f.name: getattr(entries, f.name) for f in fields(Entries)}
    assert judged.pop("repeated") == judged.pop("passed_on") == 0
    assert set(judged) <= {verdict.value for verdict in Verdict}
    assert set(judged.values()) == {1}


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "[]", "null", "[" * 9_000, "9" * 9_000),
        *('{"version": 2}', '{"version": 1}', '{"version": 1, "mesh": {}, "entries": 3}'),
        '{"version": 1, "mesh": {"dials": -1}, "entries": {}}',
        '{"version": 1, "mesh": {"dials": true}, "entries": {}}',
        '{"version": 1, "mesh": {"dials": 1e3}, "entries": {}}',
        f'{{"version": 1, "mesh": {{"dials": {MAX_COUNT + 1}}}, "entries": {{}}}}',
        '{"version": 1, "mesh": {}, "entries": {"forged": "1"}}',
        " " * (MAX_FILE + 1),
        "\udcff",
    ],
)
def test_a_file_of_another_kind_is_one_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(CountersError, match=r"^[^\n]+\.$"):
        Counters.load(tmp_path)


def test_what_can_not_be_kept_or_read_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CountersError, match="can't be kept"):
        Counters().save(tmp_path / "file")
    (tmp_path / FILE).mkdir()
    with pytest.raises(CountersError, match="can't be read"):
        Counters.load(tmp_path)


def test_counters_of_a_later_program_are_read_as_far_as_they_are_known(tmp_path: Path) -> None:
    value = {"version": 1, "mesh": {"dials": 4, "unheard_of": "x"}, "entries": {"early": 1}}
    (tmp_path / FILE).write_text(json.dumps(value))
    assert Counters.load(tmp_path) == Counters(dials=4, entries=Entries(early=1))


@given(
    st.recursive(
        st.none() | st.integers() | st.text(),
        lambda v: (
            st.lists(v)
            | st.dictionaries(st.sampled_from(["version", "mesh", "entries", "dials", "forged"]), v)
        ),
    )
)
def test_no_json_brings_a_traceback(
    tmp_path_factory: pytest.TempPathFactory, value: object
) -> None:
    folder = tmp_path_factory.mktemp("counters")
    (folder / FILE).write_text(json.dumps(value))
    with contextlib.suppress(CountersError):
        Counters.load(folder)
