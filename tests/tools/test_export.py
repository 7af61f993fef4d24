"""`busso export`: a match as data and as a text record."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.record import read_record
from protocol.evidence_file import Charge
from tests.tools.running import (
    Said,
    busso,
    evidence,
    flipped,
    lied,
    once,
    parts,
    small,
    tricks,
    whole,
    with_entry,
    with_terms,
)

KEYS = [
    *("format", "status", "match", "game", "rules", "preset", "options", "created", "seats"),
    *("order", "steps", "hands", "result", "fairness", "faults"),
]


@pytest.fixture
def export(tmp_path: Path) -> Callable[..., Said]:
    """Export these octets as a file."""

    def run(data: bytes, kind: str, *flags: str) -> Said:
        path = tmp_path / "match.busso"
        path.write_bytes(data)
        return busso("export", path, "--format", kind, *flags)

    return run


Export = Callable[..., Said]


def verified(data: bytes, folder: Path) -> Any:
    path = folder / "verify.busso"
    path.write_bytes(data)
    return json.loads(busso("verify", path, "--json").out)


@pytest.mark.parametrize("match", [small, whole, tricks])
def test_the_record_is_one_that_check_accepts(match: Callable[[], bytes]) -> None:
    said = once("export", match, "--format", "record")
    assert (said.code, said.err) == (0, "")
    checked = busso("check", "-", "--json", stdin=said.out.encode())
    assert checked.code == 0
    data, report = checked.json(), once("verify", match, "--json").json()
    assert data["hands"] == report["hands"]
    order = report["order"]
    assert [order[winner] for winner in data["result"]["winners"]] == report["result"]["winners"]
    for key in ("scores", "paid", "won"):
        by_seat = [data["result"][key][order.index(seat)] for seat in range(len(order))]
        assert by_seat == report["result"][key]
    names = [report["seats"][seat]["name"] for seat in order]
    assert list(read_record(said.out).names) == names


def test_the_data_are_what_is_documented() -> None:
    said = once("export", whole, "--format", "json")
    data, report = said.json(), once("verify", whole, "--json").json()
    assert said.code == 0
    assert list(data) == KEYS
    for key in ("status", "match", "game", "rules", "preset", "created", "order", "result"):
        assert data[key] == report[key]
    assert data["options"]["tokens"] == "1"
    log = parts(whole())
    assert [step["step"] for step in data["steps"]] == list(range(1, len(log.steps) + 1))
    for step, true in zip(data["steps"], log.steps, strict=True):
        assert step["kind"] == true.entries[0].kind
        assert step["seats"] == [entry.seat for entry in true.entries]
        assert bool(step["moves"]) == (step["kind"] in ("move", "answer"))
    assert data["fairness"]["hands_audited"] == report["hands"] == len(data["hands"])
    contributions = sum(len(step.entries) for step in log.steps)
    assert data["fairness"]["signatures"] == contributions + 3
    assert data["fairness"]["shuffle_proofs"] == data["fairness"]["seeds_revealed"]


def test_hands_decks_and_moves_agree_with_the_record() -> None:
    data = once("export", whole, "--format", "json").json()
    text = once("export", whole, "--format", "record").out
    order = data["order"]
    told = [
        f"{order.index(move['seat'])} {move['move']}"
        for step in data["steps"]
        for move in step["moves"]
    ]
    lines = [line for line in text.splitlines() if line.split(" ")[0].isdigit()]
    assert told == lines
    assert not any("?" in line for line in told)
    for hand in data["hands"]:
        assert hand["revealed"]
        assert len(set(hand["deck"])) == 40
        assert f"deck {' '.join(hand['deck'][:20])}\n+ {' '.join(hand['deck'][20:])}\n" in text
        assert hand["dealer"] == hand["seats"][-1]
        assert data["steps"][hand["first_step"] - 1]["moves"][0]["move"].startswith("cut ")
        signed = [
            step
            for step in data["steps"]
            if step["hand"] == hand["hand"] and step["kind"] == "checkpoint"
        ]
        assert [step["scores"] for step in signed] == [hand["scores"]]
    assert data["hands"][-1]["scores"] == data["result"]["scores"]


def test_a_match_with_a_broken_promise() -> None:
    said = once("export", lied, "--format", "json")
    assert said.code == 1
    data = json.loads(said.out)
    assert data["status"] == "complete"
    assert [fault["kind"] for fault in data["faults"]] == ["broken-promise"]
    record = once("export", lied, "--format", "record")
    assert record.code == 1
    assert "\ndeck unknown\nleave " in record.out
    assert busso("check", "-", stdin=record.out.encode()).code == 0


def test_an_open_match(export: Export) -> None:
    data = small()[: parts(small()).offsets[9]]
    told = export(data, "json").json()
    assert (told["status"], told["result"]) == ("open", None)
    (hand,) = told["hands"]
    assert (hand["revealed"], hand["scores"]) == (False, None)
    record = export(data, "record")
    assert record.code == 0
    assert "deck" not in record.out
    checked = busso("check", "-", "--json", stdin=record.out.encode()).json()
    assert (checked["ok"], checked["hands"]) == (True, 0)


def test_a_match_without_a_step(export: Export) -> None:
    data = small()[: parts(small()).offsets[1]]
    told = export(data, "json").json()
    assert (told["order"], told["steps"], told["hands"]) == ([], [], [])
    record = export(data, "record")
    assert busso("check", "-", stdin=record.out.encode()).code == 0


def damaged(kind: str) -> bytes:
    log = parts(small())
    match kind:
        case "torn":
            return small()[: log.offsets[9] + 7]
        case "flipped":
            return flipped(small(), log.offsets[9] + 60)
        case "forged":
            entry = log.steps[8].entries[0]
            return with_entry(small(), 9, signature=flipped(entry.signature, 1))
        case "disputed":
            return evidence(Charge.INVALID, 9, body=b"nonsense")
        case _:
            return evidence(Charge.INVALID, 9)


@pytest.mark.parametrize("kind", ["torn", "flipped", "forged", "disputed", "unfounded"])
def test_what_does_not_verify_is_exported_up_to_the_fault(
    kind: str, export: Export, tmp_path: Path
) -> None:
    data = damaged(kind)
    said = export(data, "json")
    assert said.code == 1
    assert said.err.startswith("busso: exported, but step 9")
    told, report = json.loads(said.out), verified(data, tmp_path)
    assert len(told["steps"]) == 8
    assert told["status"] == report["status"]
    assert [fault["kind"] for fault in told["faults"]] == [f["kind"] for f in report["faults"]]
    record = export(data, "record")
    assert record.code == 1
    assert busso("check", "-", stdin=record.out.encode()).code == 0


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (lambda: b"", 3),
        (lambda: b"no log at all", 3),
        (lambda: with_terms(2, rules=9), 3),
        (lambda: with_terms(2, options=()), 1),
        (lambda: flipped(small(), 70), 1),
    ],
    ids=["empty", "text", "rules", "options", "header"],
)
@pytest.mark.parametrize("kind", ["json", "record"])
def test_nothing_to_export(data: Callable[[], bytes], code: int, kind: str, export: Export) -> None:
    said = export(data(), kind)
    assert said.code == code
    said.complaint()


def test_into_a_file(export: Export, tmp_path: Path) -> None:
    target = tmp_path / "out.txt"
    said = export(small(), "record", "-o", str(target))
    assert said == (0, "", "")
    assert target.read_bytes().decode() == once("export", small, "--format", "record").out
    said = export(small(), "record", "-o", str(tmp_path / "match.busso"))
    assert said.code == 2
    assert "overwrite" in said.complaint()
    said = export(small(), "record", "-o", str(tmp_path / "no" / "folder"))
    assert said.code == 3
    said.complaint()


def test_a_record_is_utf_8_whatever_the_terminal_is(export: Export, tmp_path: Path) -> None:
    path = tmp_path / "named.busso"
    path.write_bytes(named("Niccolò ", "Zoë"))
    said = busso("export", path, "--format", "record", encoding="ascii")
    assert "seat 0 Niccolò" in said.out or "seat 1 Niccolò" in said.out


def named(*names: str) -> bytes:
    """A log that is only a header, with these names."""
    from dataclasses import replace  # noqa: PLC0415  # for this alone

    from protocol.header import parse_header  # noqa: PLC0415

    seats = parse_header(parts(small()).header).header.seats
    return with_terms(
        2, seats=tuple(replace(s, name=n.strip()) for s, n in zip(seats, names, strict=True))
    )
