"""`busso check`: a text record, played by the rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.running import busso

NOTATION = Path(__file__).resolve().parent.parent.parent / "engine" / "NOTATION.md"
EXAMPLE = NOTATION.read_text("utf-8").split("```")[1].lstrip("\n")
KEYS = ["ok", "line", "rule", "text", "game", "hands", "result"]


def line_of(text: str) -> int:
    return EXAMPLE.split("\n").index(text) + 1


def test_a_good_record_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "example.txt"
    path.write_text(EXAMPLE, encoding="utf-8")
    said = busso("check", path, "--json")
    data = said.json()
    assert said.code == 0
    assert list(data) == KEYS
    assert data == {
        "ok": True,
        "line": None,
        "rule": None,
        "text": None,
        "game": "petrangola",
        "hands": 1,
        "result": {
            "reason": "last-alive",
            "winners": [1],
            "scores": [0, 1],
            "paid": [1, 1],
            "won": [0, 2],
        },
    }


def test_a_good_record_for_people() -> None:
    said = busso("check", "-", stdin=EXAMPLE.encode())
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("✓ ")
    assert "Bruno is the last one with tokens and wins." in said.out
    assert busso("check", "-", "-q", stdin=EXAMPLE.encode()).out.count("\n") == 1


@pytest.mark.parametrize("ends_after", ["1 cut 17", "0 stay", "preset marche"])
def test_hands_are_counted_when_they_are_over(ends_after: str) -> None:
    lines = EXAMPLE.split("\n")[: line_of(ends_after)]
    if ends_after == "preset marche":
        lines += ["seat 0 Ada", "seat 1 Bruno"]
    data = busso("check", "-", "--json", stdin="\n".join(lines).encode()).json()
    assert (data["ok"], data["hands"], data["result"]["reason"]) == (True, 0, "unfinished")


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("1 cut 17", "1 cut 40", "PET-06"),
        ("0 stay", "0 knock", "PET-11"),
        ("1 knock-show", "1 knock", "PET-24"),
        ("0 knock", "0 knock-show", "PET-24"),
        ("1 2c>Cd", "1 2c>Cb", None),
        ("1 2c>Cd", "0 2c>Cd", None),
        ("1 2c>Cd", "1 dance", None),
        ("option tokens 1", "option tokens 0", None),
    ],
)
def test_the_first_wrong_line_is_named_with_its_rule(old: str, new: str, rule: str | None) -> None:
    wrong = EXAMPLE.replace(f"\n{old}\n", f"\n{new}\n").encode()
    said = busso("check", "-", "--json", stdin=wrong)
    data = said.json()
    assert said.code == 1
    assert list(data) == KEYS
    assert (data["ok"], data["line"], data["rule"]) == (False, line_of(old), rule)
    assert len(data["text"]) > 10
    assert (data["game"], data["hands"], data["result"]) == ("petrangola", None, None)
    told = busso("check", "-", stdin=wrong)
    assert (told.code, told.err) == (1, "")
    assert told.out.startswith(f"✗ line {line_of(old)}: {data['text']}")
    assert rule is None or f"[{rule}]" in told.out


def test_a_wrong_result_is_found() -> None:
    wrong = EXAMPLE.replace("won 0 2", "won 0 3").encode()
    data = busso("check", "-", "--json", stdin=wrong).json()
    assert (data["ok"], data["line"]) == (False, len(EXAMPLE.rstrip().split("\n")))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x7fELF\x00\x01",
        b"dear diary\n",
        EXAMPLE.replace("busso record 1", "busso record 2").encode(),
        EXAMPLE.replace("game petrangola 1", "game petrangola 99").encode(),
        EXAMPLE.replace("game petrangola 1", "game ruba-x 1").encode(),
        EXAMPLE.replace("Bruno", "Br\xfcno").encode("latin-1"),
        EXAMPLE.encode("utf-8-sig"),
        EXAMPLE.encode() + b"# much more\n" * 100_000,
    ],
    ids=["empty", "binary", "prose", "format", "rules", "game", "latin-1", "bom", "huge"],
)
def test_what_is_no_record_or_an_unknown_one(data: bytes) -> None:
    said = busso("check", "-", stdin=data)
    assert said.code == 3
    assert "line" in said.complaint() or "record" in said.complaint()
    told = busso("check", "-", "--json", stdin=data)
    assert told.code == 3
    assert told.json()["ok"] is False


def test_files_that_can_not_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "missing", tmp_path):
        said = busso("check", path)
        assert said.code == 3
        assert path.name in said.complaint()
