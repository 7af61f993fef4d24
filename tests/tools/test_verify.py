"""`busso verify`: what it says about logs and evidence, good, damaged and forged."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.contract import Result
from protocol.audit import audit_file
from protocol.contribution import Kind
from protocol.evidence_file import Charge
from protocol.frames import Magic
from protocol.header import parse_header
from protocol.identity import fingerprint
from tests.protocol.groups import FAST
from tests.protocol.ring import identities
from tests.tools.running import (
    Said,
    busso,
    evidence,
    file_of,
    flipped,
    lied,
    once,
    parts,
    small,
    whole,
    with_entry,
    with_terms,
)
from tools.matches import result_data

KEYS = ["status", "match", "game", "seats", "hands", "steps", "result", "faults"]
PRINTS = [fingerprint(key.public) for key in identities(3)]


@pytest.fixture
def judge(tmp_path: Path) -> Callable[..., Said]:
    """Verify these octets as a file."""

    def run(data: bytes, *flags: str) -> Said:
        path = tmp_path / "match.busso"
        path.write_bytes(data)
        return busso("verify", path, *flags)

    return run


Judge = Callable[..., Said]


def test_a_good_log_as_data() -> None:
    said = once("verify", whole, "--json")
    data = said.json()
    assert said.code == 0
    assert list(data)[: len(KEYS)] == KEYS
    log = parts(whole())
    assert data["status"] == "complete"
    assert data["match"] == parse_header(log.header).match.hex()
    assert data["game"] == "petrangola"
    assert data["seats"] == [
        {"name": name, "fingerprint": print_}
        for name, print_ in zip(("Ada", "Bruno", "Carla"), PRINTS, strict=True)
    ]
    assert data["steps"] == len(log.steps)
    assert data["hands"] == sum(step.entries[0].kind is Kind.CHECKPOINT for step in log.steps)
    assert data["faults"] == []
    assert (data["preset"], data["options"]) == ("marche", ["tokens=1"])
    assert sorted(data["order"]) == [0, 1, 2]


def test_a_result_is_told_by_the_seats_of_the_header() -> None:
    data = once("verify", whole, "--json").json()
    result, report = data["result"], audit_file(whole(), FAST)
    assert report.result is not None
    assert report.last is not None
    order = report.last.order
    assert result["reason"] == "last-alive"
    assert result["winners"] == [order[report.result.winners[0]]]
    for key in ("scores", "paid", "won"):
        by_chair = getattr(report.result, key)
        assert [result[key][order[chair]] for chair in range(3)] == list(by_chair)
    assert result["scores"][result["winners"][0]] > 0


def test_the_order_of_play_becomes_the_order_of_the_seats() -> None:
    result = Result((1,), (1, 2, 3), (4, 5, 6), (7, 8, 9), "last-alive")
    assert result_data(result, (2, 0, 1)) == {
        "reason": "last-alive",
        "winners": [0],
        "scores": [2, 3, 1],
        "paid": [5, 6, 4],
        "won": [8, 9, 7],
    }
    assert result_data(result, ())["scores"] == [1, 2, 3]


def test_a_good_log_for_people(judge: Judge) -> None:
    said = judge(small())
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("✓ complete")
    for name, print_ in zip(("Ada", "Bruno"), PRINTS, strict=False):
        assert any(name in line and print_ in line for line in said.out.splitlines())
    contributions = sum(len(step.entries) for step in parts(small()).steps)
    text = " ".join(said.out.split())
    assert f"{contributions + 2} signatures, 2 shuffle proofs" in text
    assert "hands audited: 1;" in text
    assert max(map(len, said.out.splitlines())) <= 80
    assert judge(small(), "-q").out == "✓ complete: everything in this log verifies\n"
    assert "of kind shuffle" in judge(small(), "-v").out


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"busso",
        b"\x00" * 100,
        random.Random(1).randbytes(5000),
        b"busso record 1\ngame petrangola 1\n",
    ],
    ids=["empty", "short", "zeros", "noise", "record"],
)
@pytest.mark.parametrize("flags", [(), ("--json",)])
def test_what_is_no_log(data: bytes, flags: tuple[str, ...], judge: Judge) -> None:
    said = judge(data, *flags)
    assert said.code == 3
    said.complaint()


def test_a_log_that_a_text_transfer_mangled(judge: Judge) -> None:
    assert judge(small().replace(b"\r\n", b"\n")).code == 3


def test_files_that_can_not_be_read(tmp_path: Path) -> None:
    for path in (tmp_path / "missing.busso", tmp_path):
        said = busso("verify", path)
        assert said.code == 3
        assert path.name in said.complaint()


@pytest.mark.parametrize("terms", [{"rules": 99}, {"game": "ruba"}], ids=str)
def test_a_game_or_rules_that_this_program_does_not_know(
    terms: dict[str, Any], judge: Judge
) -> None:
    assert judge(with_terms(2, **terms)).code == 3


def test_a_header_that_no_table_can_play(judge: Judge) -> None:
    said = judge(with_terms(2, options=()), "--json")
    assert said.code == 1
    assert [fault["kind"] for fault in said.json()["faults"]] == ["header"]


@pytest.mark.parametrize("frame", [0, 1, 7, -1])
def test_a_flipped_bit_is_found_and_what_comes_before_it_told(frame: int, judge: Judge) -> None:
    log = parts(small())
    number = frame % len(log.offsets)
    said = judge(flipped(small(), log.offsets[frame] + 60), "--json")
    data = said.json()
    assert said.code == 1
    last = number == len(log.offsets) - 1  # a bad last frame is one that was never completed
    assert data["status"] == ("torn" if last else "corrupt")
    assert data["result"] is None
    assert data["faults"][-1]["step"] == number
    assert data["faults"][-1]["seat"] is None
    assert data["steps"] == max(0, number - 1)
    assert len(data["seats"]) == (2 if number else 0)


def test_a_bit_flipped_in_the_magic(judge: Judge) -> None:
    assert judge(flipped(small(), 3)).code == 3


def test_every_cut_at_a_frame_is_an_open_log_and_every_other_a_torn_one(judge: Judge) -> None:
    offsets = parts(small()).offsets
    for number in (1, 5, len(offsets) - 1):
        said = judge(small()[: offsets[number]], "--json")
        assert said.code == 0
        assert said.json()["status"] == "open"
        assert (said.json()["steps"], said.json()["result"]) == (number - 1, None)
        said = judge(small()[: offsets[number] + 9], "--json")
        assert said.code == 1
        assert said.json()["status"] == "torn"
        assert said.json()["torn_octets"] == 9
        assert said.json()["faults"][-1]["step"] == number
    assert judge(small()[: offsets[3]]).out.startswith("✓ open")
    assert judge(small()[: offsets[3] + 9]).out.startswith("✗ torn")
    assert judge(small()[: offsets[1] - 1]).code == 1


def test_a_forged_signature_in_sound_frames_names_step_and_seat(judge: Judge) -> None:
    entry = parts(small()).steps[5].entries[0]
    forged = with_entry(small(), 6, signature=flipped(entry.signature, 3))
    data = judge(forged, "--json").json()
    assert data["status"] == "corrupt"
    assert data["steps"] == 5
    (fault,) = data["faults"]
    assert (fault["step"], fault["seat"], fault["kind"]) == (6, entry.seat, "signature")
    said = judge(forged)
    assert said.code == 1
    name = ("Ada", "Bruno")[entry.seat]
    assert f"step 6, by {name} (seat {entry.seat}): " in said.out


def test_a_fault_before_the_damage_is_the_one_that_is_told(judge: Judge) -> None:
    entry = parts(small()).steps[2].entries[0]
    forged = with_entry(small(), 3, signature=flipped(entry.signature, 3))
    damaged = flipped(forged, parts(forged).offsets[8] + 60)
    data = judge(damaged, "--json").json()
    assert [(f["step"], f["kind"]) for f in data["faults"]] == [(3, "signature")]


def test_evidence_of_a_contradiction_convicts(judge: Judge) -> None:
    data = evidence(Charge.CONTRADICTION, 1, body=b"\x07" * 32)
    told = judge(data, "--json")
    assert told.code == 1
    assert told.json()["status"] == "disputed"
    (fault,) = told.json()["faults"]
    assert (fault["step"], fault["seat"], fault["kind"]) == (1, 0, "contradiction")
    said = judge(data)
    assert said.code == 1
    assert said.out.startswith("✗ disputed: this is evidence, and it convicts Ada (seat 0)")


def test_evidence_of_an_invalid_contribution_convicts(judge: Judge) -> None:
    data = judge(evidence(Charge.INVALID, 1, body=b"too short"), "--json").json()
    assert data["status"] == "disputed"
    assert data["faults"][0]["seat"] == 0


@pytest.mark.parametrize("charge", Charge)
def test_unfounded_evidence_convicts_nobody(charge: Charge, judge: Judge) -> None:
    data = evidence(charge, 1)  # what was really signed, and nothing else
    told = judge(data, "--json")
    assert told.code == 1
    assert told.json()["status"] == "unfounded"
    assert [fault["seat"] for fault in told.json()["faults"]] == [None]
    assert "convicts nobody" in judge(data).out


def test_damaged_evidence_is_corrupt(judge: Judge) -> None:
    data = evidence(Charge.INVALID, 1, body=b"x")
    for damaged in (data[:-5], flipped(data, len(data) - 20), Magic.EVIDENCE.value):
        told = judge(damaged, "--json")
        assert (told.code, told.json()["status"]) == (1, "corrupt")


def test_steps_left_out_or_swapped(judge: Judge) -> None:
    log = parts(small())
    for payloads in (log.payloads[:4] + log.payloads[5:], log.payloads[1:]):
        told = judge(file_of(log.header, payloads), "--json")
        assert (told.code, told.json()["status"]) == (1, "corrupt")


def test_a_broken_promise_is_told_though_the_log_is_whole() -> None:
    data = once("verify", lied, "--json").json()
    assert data["status"] == "complete"
    (fault,) = data["faults"]
    assert (fault["seat"], fault["kind"]) == (1, "broken-promise")
    assert parts(lied()).steps[fault["step"] - 1].entries[0].kind is Kind.MOVE
    assert data["result"]["winners"] == [0]
    said = once("verify", lied)
    assert said.code == 1
    assert said.out.startswith("✗ complete, but with a broken promise")
    assert f"step {fault['step']}, by Bruno (seat 1): {fault['text']}" in said.out


def test_a_time_that_no_calendar_has(judge: Judge) -> None:
    said = judge(with_terms(2, created=2**40))
    assert said.code == 0
    assert "second 1099511627776 since 1970" in said.out
