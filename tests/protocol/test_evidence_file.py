"""Files of evidence: whole, in order and complete, or refused."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from protocol.errors import (
    CorruptLog,
    EncodingError,
    FileError,
    NotALog,
)
from protocol.evidence_file import Case, Charge, pack_evidence, read_evidence, write_evidence
from protocol.frames import Magic, frame, read_frames
from protocol.log import read_log
from tests.protocol import samples

LOG = samples.log(4)


def join(payloads: Sequence[bytes], magic: Magic = Magic.LOG) -> bytes:
    return magic.value + b"".join(map(frame, payloads))


@pytest.mark.parametrize("charge", Charge)
def test_evidence_round_trip(charge: Charge, tmp_path: Path) -> None:
    case = samples.case(charge, 3)
    path = tmp_path / "e.evidence"
    write_evidence(path, samples.signed_header().payload, samples.steps(2), case)
    assert path.read_bytes() == samples.evidence(charge)
    found = read_evidence(path)
    assert found.case == case
    assert found.header == samples.signed_header().payload
    assert found.payloads == tuple(samples.steps(2))
    assert found.heads == read_log(samples.log(2)).heads
    assert [step.number for step in found.steps] == [1, 2]
    with pytest.raises(FileError, match="exists already"):
        write_evidence(path, found.header, found.payloads, case)
    with pytest.raises(FileError, match="can't be written"):
        write_evidence(tmp_path / "nowhere" / "e", found.header, found.payloads, case)


@pytest.mark.parametrize("charge", Charge)
def test_damaged_evidence(charge: Charge) -> None:
    data = samples.evidence(charge)
    offsets = read_frames(data, Magic.EVIDENCE).offsets
    for position in range(len(data)):
        changed = bytearray(data)
        changed[position] ^= 0x01
        with pytest.raises((CorruptLog, NotALog)) as caught:
            read_evidence(bytes(changed))
        if isinstance(caught.value, CorruptLog):
            assert caught.value.offset == max(o for o in offsets if o <= position)
    for size in range(len(data)):
        with pytest.raises((CorruptLog, NotALog)):
            read_evidence(data[:size])


def test_what_is_no_evidence() -> None:
    top, payloads = samples.signed_header().payload, samples.steps(4)
    last = samples.case(Charge.INVALID, 3).pack()
    fields = samples.case(Charge.INVALID, 3).entries[0]
    assert read_evidence(join([top, *payloads[:2], last], Magic.EVIDENCE)).case.entries == (fields,)
    for parts, where in (
        ([top, *payloads[:2]], 2),
        ([top, payloads[1], last], 1),
        ([top, *payloads[:3], last], 4),
        ([top, *payloads[:2], last, last], 3),
        ([last], 1),
    ):
        with pytest.raises(CorruptLog) as caught:
            read_evidence(join(parts, Magic.EVIDENCE))
        assert caught.value.frame == where
    with pytest.raises(NotALog, match="this is the log of a match"):
        read_evidence(LOG)
    with pytest.raises(EncodingError):
        pack_evidence(top, payloads[:2], Case(Charge.INVALID, ()))
    for wrong in (payloads[1:2], payloads[:3]):
        with pytest.raises(EncodingError, match="no file of evidence"):
            pack_evidence(top, wrong, samples.case(Charge.INVALID, 3))
