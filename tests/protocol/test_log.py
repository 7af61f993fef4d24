"""The log file: every damage is seen and placed, and no crash leaves anything but a log."""

from __future__ import annotations

import hashlib
import random
import re
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from protocol import frames as framing
from protocol.contribution import Contribution, Kind
from protocol.encoding import Value, pack
from protocol.errors import (
    CorruptLog,
    EncodingError,
    FileError,
    NotALog,
)
from protocol.evidence_file import read_evidence
from protocol.frames import MAX_PAYLOAD, Frames, Magic, frame, payload_at, read_frames
from protocol.header import parse_header
from protocol.log import (
    LogFile,
    LogWriter,
    Step,
    first_head,
    next_head,
    read_log,
    read_log_header,
)
from tests.protocol import samples

SPEC = Path(__file__).parent.parent.parent / "protocol" / "LOG.md"
LOG = samples.log(4)
OFFSETS = read_log(LOG).offsets
ENDS = (*OFFSETS[1:], len(LOG))


def join(payloads: Sequence[bytes], magic: Magic = Magic.LOG) -> bytes:
    return magic.value + b"".join(map(frame, payloads))


def frame_of(position: int) -> int:
    return max(i for i, offset in enumerate(OFFSETS) if offset <= position)


def result(data: bytes) -> LogFile | CorruptLog:
    try:
        return read_log(data)
    except CorruptLog as error:
        return error


def split(data: bytes) -> Frames | CorruptLog:
    try:
        return read_frames(data, Magic.LOG)
    except CorruptLog as error:
        return error


# Golden files and the specification


@pytest.mark.parametrize("name", samples.golden())
def test_golden_files(name: str) -> None:
    assert samples.golden()[name] == (samples.VECTORS / name).read_bytes()


def test_the_example_of_the_specification() -> None:
    block = SPEC.read_text("utf-8").split("```")[1]
    lines = [line.split(";")[0] for line in block.splitlines()[1:]]
    assert bytes.fromhex("".join(lines)) == (samples.VECTORS / "tiny.busso").read_bytes()


def test_the_specification_names_the_chain_values_of_its_example() -> None:
    log = read_log(samples.VECTORS / "tiny.busso")
    text = SPEC.read_text("utf-8")
    for value in (*log.heads, parse_header(log.header).match):
        assert re.search(rf"`{value.hex()}`", text)


def test_what_a_log_holds() -> None:
    log = read_log(LOG)
    header, *payloads = (payload_at(LOG, offset) for offset in OFFSETS)
    assert log.header == header == samples.signed_header().payload
    assert list(log.payloads) == payloads == samples.steps(4)
    assert [step.number for step in log.steps] == [1, 2, 3, 4]
    assert [[c.seat for c in step.entries] for step in log.steps] == [[0, 1], [0, 1], [1], [0]]
    assert log.torn == b""
    head = hashlib.sha256(b"\x00" + log.header).digest()
    assert log.heads[0] == first_head(log.header) == head
    for payload, expected in zip(log.payloads, log.heads[1:], strict=True):
        head = hashlib.sha256(b"\x01" + head + hashlib.sha256(payload).digest()).digest()
        assert expected == head
    assert log.head == head


def test_a_signature_is_inside_the_chain() -> None:
    entry = Contribution(0, Kind.MOVE, b"x", bytes(8), bytes(64))
    other = Contribution(0, Kind.MOVE, b"x", bytes(8), b"\x01" + bytes(63))
    assert next_head(bytes(32), Step(1, (entry,)).pack()) != next_head(
        bytes(32), Step(1, (other,)).pack()
    )


# Damage


@pytest.mark.parametrize("flip", [0x01, 0x80])
def test_every_flipped_octet_is_placed(flip: int) -> None:
    for position in range(len(LOG)):
        data = bytearray(LOG)
        data[position] ^= flip
        if position < 8:
            with pytest.raises(NotALog):
                read_log(bytes(data))
            continue
        number = frame_of(position)
        if number < len(OFFSETS) - 1:
            with pytest.raises(CorruptLog) as caught:
                read_log(bytes(data))
            assert (caught.value.offset, caught.value.frame) == (OFFSETS[number], number)
        else:
            log = read_log(bytes(data))  # the last frame: as if it had never been finished
            assert len(log.steps) == number - 1
            assert log.torn == data[OFFSETS[number] :]


def test_every_flipped_octet_inside_a_valid_frame_changes_the_chain() -> None:
    """An attacker makes the checksums right again; then the structure or the chain tells."""
    log = read_log(LOG)
    payloads = [log.header, *log.payloads]
    for number in range(1, len(payloads)):
        for position in range(len(payloads[number])):
            changed = bytearray(payloads[number])
            changed[position] ^= 0x01
            data = join([*payloads[:number], bytes(changed), *payloads[number + 1 :]])
            again = result(data)
            if isinstance(again, CorruptLog):
                assert (again.offset, again.frame) == (OFFSETS[number], number)
            else:
                assert again.heads[:number] == log.heads[:number]
                assert all(map(bytes.__ne__, again.heads[number:], log.heads[number:]))


def test_a_cut_at_every_octet_is_torn() -> None:
    for size in range(len(LOG)):
        data = LOG[:size]
        if size < 8:
            with pytest.raises(NotALog):
                read_log(data)
        elif size < ENDS[0]:
            with pytest.raises(CorruptLog) as caught:
                read_log(data)
            assert (caught.value.offset, caught.value.frame) == (8, 0)
        else:
            log = read_log(data)
            whole = max(i for i, end in enumerate(ENDS) if end <= size)
            assert len(log.steps) == whole
            assert log.torn == data[ENDS[whole] :]


@pytest.mark.parametrize(
    "tail",
    [
        bytes(1),
        bytes(4096),
        b"\xff" * 4096,
        random.Random(1).randbytes(20_000),
        frame(samples.steps(5)[4])[:-1],
        frame(samples.steps(5)[4])[1:],
        (MAX_PAYLOAD + 1).to_bytes(4, "big") + bytes(100),
        b"\x00\x00\x00\x00" + zlib.crc32(bytes(4)).to_bytes(4, "big"),
    ],
    ids=["zero", "zeros", "ones", "noise", "front half", "rear half", "too long", "empty frame"],
)
def test_tails_are_torn(tail: bytes) -> None:
    log = read_log(LOG + tail)
    assert len(log.steps) == 4
    assert log.torn == tail


def test_a_valid_frame_after_a_bad_one_is_no_torn_tail() -> None:
    more = frame(samples.steps(5)[4])
    least = b"x" + frame(b"\x00")
    for tail in (b"\x00" + more, bytes(5000) + more, more[:-1] + more, b"\0\0\1" + more, least):
        with pytest.raises(CorruptLog) as caught:
            read_log(LOG + tail)
        assert (caught.value.offset, caught.value.frame) == (len(LOG), 5)


@pytest.mark.parametrize("size", [1, 2, 255, 256, 257, 65_535, 65_536, 65_537, MAX_PAYLOAD])
def test_a_valid_frame_of_any_length_is_found(size: int) -> None:
    with pytest.raises(CorruptLog):
        read_frames(LOG + b"bad" + frame(b"\xff" * size), Magic.LOG)


def big_step(body: bytes) -> bytes:
    entries = tuple(Contribution(s, Kind.MOVE, body, bytes(8), bytes(64)) for s in range(15))
    return frame(Step(5, entries).pack())


def test_a_valid_frame_hidden_in_a_body_does_not_make_a_crash_look_like_damage() -> None:
    tail = big_step(b"x" * 100 + frame(samples.steps(5)[4]) + b"y" * 100)
    for size in range(1, len(tail), 97):
        assert read_log(LOG + tail[:size]).torn == tail[:size]
    assert read_log(LOG + tail[:-1]).torn == tail[:-1]


def test_the_search_for_a_valid_frame_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Octets that claim a long frame everywhere can't make it check the file over and over."""
    checked = 0
    real = payload_at

    def counting(data: bytes, offset: int) -> bytes | None:
        nonlocal checked
        checked += min(int.from_bytes(data[offset : offset + 4], "big"), len(data))
        return real(data, offset)

    monkeypatch.setattr(framing, "payload_at", counting)
    tail = bytearray(big_step(b"\x00\x08" * 30_000))
    tail[-1] ^= 1
    with pytest.raises(CorruptLog):
        read_log(LOG + bytes(tail))
    assert checked <= 80 * 2**20
    tail[3] ^= 1  # its length too: the inner lengths don't agree any more
    with pytest.raises(CorruptLog):
        read_log(LOG + bytes(tail))


@settings(max_examples=150)
@given(st.binary(max_size=300))
@example(b"\x00" * 9)
def test_arbitrary_octets(data: bytes) -> None:
    with pytest.raises((NotALog, CorruptLog)):
        read_log(data)
    for magic in (Magic.LOG, Magic.EVIDENCE):
        with pytest.raises(CorruptLog):
            (read_log if magic is Magic.LOG else read_evidence)(magic.value + data)
    assert read_log(LOG + data).torn == data


@settings(max_examples=100)
@given(st.lists(st.binary(min_size=1, max_size=40), max_size=6), st.binary(max_size=40))
def test_arbitrary_frames(payloads: list[bytes], tail: bytes) -> None:
    """Valid frames of any content, and whatever follows, are split as they were joined."""
    data = join(payloads) + tail
    frames = split(data)
    if isinstance(frames, CorruptLog):
        assert frames.offset >= len(join(payloads))
    else:
        assert frames.payloads[: len(payloads)] == tuple(payloads)
        assert frames.offsets[: len(payloads)] == tuple(
            8 + sum(len(p) + 8 for p in payloads[:i]) for i in range(len(payloads))
        )
    assert payloads or isinstance(result(data), CorruptLog)


# Steps


def moved(payloads: list[bytes]) -> dict[str, tuple[list[bytes], int]]:
    """Tampered lists of payloads, and the frame at which each is caught."""
    return {
        "first dropped": (payloads[1:], 1),
        "dropped": ([payloads[0], *payloads[2:]], 2),
        "duplicated": ([payloads[0], *payloads], 2),
        "swapped": ([payloads[1], payloads[0], *payloads[2:]], 1),
        "renumbered": ([*payloads[:2], Step(7, Step.parse(payloads[2]).entries).pack()], 3),
        "header again": ([samples.signed_header().payload, *payloads], 1),
    }


@pytest.mark.parametrize("name", moved(samples.steps(4)))
def test_steps_are_numbered(name: str) -> None:
    payloads, where = moved(samples.steps(4))[name]
    with pytest.raises(CorruptLog) as caught:
        read_log(join([samples.signed_header().payload, *payloads]))
    assert caught.value.frame == where


def entry(seat: Value = 0, kind: Value = "move", body: Value = b"x") -> list[Value]:
    return [seat, kind, body, bytes(8), bytes(64)]


@pytest.mark.parametrize(
    ("step", "message"),
    [
        ([1, [entry(1), entry(0)]], "out of order"),
        ([1, [entry(0), entry(0)]], "doubled"),
        ([1, [entry(64)]], "seat: 64"),
        ([1, [entry(-1)]], "seat: -1"),
        ([1, []], "entries: 1 to 64 items"),
        ([1, [entry(s) for s in range(64)] + [entry(63)]], "entries"),
        ([0, [entry()]], "step number"),
        ([2**32, [entry()]], "step number"),
        (["1", [entry()]], "step number"),
        ([1, [entry(kind="cheat")]], "unknown kind"),
        ([1, [entry(kind=b"move")]], "kind"),
        ([1, [entry(body="x")]], "body"),
        ([1, [entry(body=b"x" * 60_001)]], "body"),
        ([1, [entry()[:4]]], "contribution"),
        ([1, [[*entry(), 0]]], "contribution"),
        ([1, [[0, "move", b"", bytes(7), bytes(64)]]], "digest"),
        ([1, [[0, "move", b"", bytes(8), bytes(63)]]], "signature"),
        ([1, [entry()], 0], "step"),
        ([1], "step"),
        (1, "step"),
    ],
    ids=range(20),
)
def test_malformed_steps(step: object, message: str) -> None:
    def as_value(x: object) -> Value:
        return tuple(map(as_value, x)) if isinstance(x, list) else x  # type: ignore[return-value]

    payload = pack(as_value(step))
    with pytest.raises(EncodingError, match=message):
        Step.parse(payload)
    with pytest.raises(CorruptLog, match=r"frame 1, .* holds no step"):
        read_log(join([samples.signed_header().payload, payload]))


def test_pack_refuses_what_parse_would() -> None:
    good = Step.parse(samples.steps(1)[0])
    assert good.pack() == samples.steps(1)[0]
    for bad in (
        Step(1, good.entries[::-1]),
        Step(1, ()),
        Step(0, good.entries),
        Step(1, (Contribution(0, Kind.MOVE, b"", b"", b""),)),
    ):
        with pytest.raises(EncodingError):
            bad.pack()
    full = tuple(Contribution(s, Kind.MOVE, bytes(60_000), bytes(8), bytes(64)) for s in range(18))
    with pytest.raises(EncodingError):
        Step(1, full).pack()


def test_a_frame_holds_up_to_a_mebibyte() -> None:
    assert len(frame(bytes(MAX_PAYLOAD))) == 2**20
    assert payload_at(frame(bytes(MAX_PAYLOAD)), 0) == bytes(MAX_PAYLOAD)
    for size in (0, MAX_PAYLOAD + 1):
        with pytest.raises(EncodingError):
            frame(bytes(size))


# Files that are not ours, or no longer


@pytest.mark.parametrize(
    ("mangle", "message"),
    [
        (lambda d: b"", "is empty"),
        (lambda d: d[:5], "cut off within its first 8"),
        (lambda d: d.replace(b"\r\n", b"\n"), "CR LF became LF"),
        (lambda d: d.replace(b"\n", b"\r\n"), "LF became CR LF"),
        (lambda d: d.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"), "LF became CR LF"),
        (lambda d: d.replace(b"\n", b"\r"), "LF became CR"),
        (lambda d: d.replace(b"\r\n", b"\r"), "CR LF became CR"),
        (lambda d: d.replace(b"\x1a", b""), r"\^Z was removed"),
        (lambda d: d[: d.index(b"\x1a")], "cut off within its first 8"),
        (lambda d: bytes(b & 0x7F for b in d), "7 bits"),
        (lambda d: d.decode("latin-1").encode("utf-8"), "Latin-1 became UTF-8"),
        (lambda d: d.decode("utf-8", "replace").encode("utf-8"), "read as UTF-8"),
        (lambda d: d.decode("ascii", "replace").encode("ascii", "replace"), "read as ASCII"),
        (lambda d: d[1:], "lost its first octet"),
        (lambda d: b"\x1f\x8b\x08" + d, "gzip"),
        (lambda d: b"PK\x03\x04" + d, "zip"),
        (lambda d: b"# a text file\n", "not written by Busso"),
        (lambda d: Magic.EVIDENCE.value + d[8:], "this is a file of evidence"),
        (lambda d: Magic.JOURNAL.value + d[8:], "this is a node's journal"),
    ],
    ids=range(19),
)
def test_mangled_files_are_recognised(mangle: Callable[[bytes], bytes], message: str) -> None:
    with pytest.raises(NotALog, match=message):
        read_log(mangle(LOG))


def test_files_that_can_not_be_read(tmp_path: Path) -> None:
    for read in (read_log, read_log_header, read_evidence, LogWriter.reopen):
        with pytest.raises(FileError, match="nowhere"):
            read(tmp_path / "nowhere")
        with pytest.raises(FileError):
            read(tmp_path)


def test_the_header_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.busso"
    path.write_bytes(LOG)
    assert read_log_header(path) == samples.signed_header().payload
    path.write_bytes(LOG[:50])
    with pytest.raises(CorruptLog):
        read_log_header(path)
    path.write_bytes(b"")
    with pytest.raises(NotALog):
        read_log_header(path)


def test_frames_of_an_empty_file() -> None:
    assert read_frames(Magic.LOG.value, Magic.LOG) == Frames((), (), b"")
    assert Frames((), (), b"").size == 8
