"""The writer of logs: whatever stops it, it leaves a log."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from protocol.errors import (
    EncodingError,
    FileError,
    FileInUse,
    LocalProtocolError,
)
from protocol.files import Disk
from protocol.frames import Magic, frame
from protocol.log import LogWriter, Step, read_log
from tests.protocol import samples
from tests.protocol.faults import FaultyDisk, Killed, Operation

LOG = samples.log(4)


def join(payloads: Sequence[bytes], magic: Magic = Magic.LOG) -> bytes:
    return magic.value + b"".join(map(frame, payloads))


def write(path: Path, count: int, disk: Disk | None = None) -> None:
    with LogWriter.create(path, samples.signed_header().payload, disk=disk) as log:
        for payload in samples.steps(count):
            log.append(payload)
            log.sync()


def test_the_writer_writes_what_the_reader_reads(tmp_path: Path) -> None:
    path = tmp_path / "a.busso"
    expected = read_log(LOG)
    with LogWriter.create(path, expected.header) as log:
        assert (log.last, log.head, log.path) == (0, expected.heads[0], path)
        for number, step in enumerate(expected.steps, 1):
            given_ = step if number % 2 else expected.payloads[number - 1]
            assert log.append(given_) == log.head == expected.heads[number]
            assert log.last == number
        assert [log.head_after(i) for i in range(5)] == list(expected.heads)
    assert path.read_bytes() == LOG
    assert [p.name for p in tmp_path.iterdir()] == ["a.busso"]


def test_the_writer_refuses_a_gap(tmp_path: Path) -> None:
    first, second, third, _ = samples.steps(4)
    with LogWriter.create(tmp_path / "a.busso", samples.signed_header().payload) as log:
        for wrong in (second, Step.parse(second)):
            with pytest.raises(LocalProtocolError):
                log.append(wrong)
        log.append(first)
        for wrong in (first, third):
            with pytest.raises(LocalProtocolError):
                log.append(wrong)
        with pytest.raises(EncodingError):
            log.append(b"\x00")
        for step in (-1, 2):
            with pytest.raises(LocalProtocolError):
                log.head_after(step)
            with pytest.raises(LocalProtocolError):
                log.cut_to(step)
    with pytest.raises(LocalProtocolError, match="closed"):
        log.append(second)
    assert read_log(tmp_path / "a.busso").payloads == (first,)


def test_a_log_is_created_once(tmp_path: Path) -> None:
    path = tmp_path / "a.busso"
    write(path, 1)
    before = path.read_bytes()
    with pytest.raises(FileError, match="exists already"):
        LogWriter.create(path, samples.signed_header().payload)
    assert path.read_bytes() == before
    with pytest.raises(FileError, match="can't be made"):
        LogWriter.create(tmp_path / "nowhere" / "a.busso", samples.signed_header().payload)


def test_only_one_process_writes(tmp_path: Path) -> None:
    path = tmp_path / "a.busso"
    with LogWriter.create(path, samples.signed_header().payload):
        with pytest.raises(FileInUse):
            LogWriter.reopen(path)
        assert read_log(path).header
    LogWriter.reopen(path).close()


def test_reopening_after_a_cut_at_every_octet(tmp_path: Path) -> None:
    full = samples.log(2)
    ends = [*read_log(full).offsets[1:], len(full)]
    for size in range(ends[0], len(full)):
        path = tmp_path / f"{size}.busso"
        path.write_bytes(full[:size])
        whole = max(i for i, end in enumerate(ends) if end <= size)
        with LogWriter.reopen(path, disk=FaultyDisk()) as log:
            assert log.last == whole
            assert log.opened.torn == full[ends[whole] : size]
            for payload in samples.steps(2)[whole:]:
                log.append(payload)
        assert path.read_bytes() == full
        aside = path.with_name(path.name + ".torn-1")
        assert aside.exists() == (size not in ends)
        if aside.exists():
            assert aside.read_bytes() == full[ends[whole] : size]


def test_torn_tails_never_overwrite_each_other(tmp_path: Path) -> None:
    path = tmp_path / "a.busso"
    write(path, 1)
    for tail in (b"one", b"two", b"three"):
        with path.open("ab") as file:
            file.write(tail)
        LogWriter.reopen(path).close()
    asides = sorted(p.read_bytes() for p in tmp_path.glob("a.busso.torn-*"))
    assert asides == [b"one", b"three", b"two"]
    assert read_log(path).payloads == tuple(samples.steps(1))


def test_a_corrupt_log_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.busso"
    payloads = samples.steps(4)
    wrong_number = join([samples.signed_header().payload, payloads[0], payloads[2]])
    for data in (LOG[:600] + b"\x00" + LOG[600:], LOG[:60], b"", wrong_number, wrong_number + b"x"):
        path.write_bytes(data)
        with pytest.raises(FileError):
            LogWriter.reopen(path)
        assert path.read_bytes() == data
        assert list(tmp_path.iterdir()) == [path]


def test_cutting_back(tmp_path: Path) -> None:
    path = tmp_path / "a.busso"
    payloads = samples.steps(4)
    write(path, 4)
    with LogWriter.reopen(path) as log:
        assert log.cut_to(4) is None
        aside = log.cut_to(2)
        assert aside == tmp_path / "a.busso.cut-1"
        assert aside.read_bytes() == frame(payloads[2]) + frame(payloads[3])
        assert log.last == 2
        log.append(payloads[2])
        assert log.cut_to(0) == tmp_path / "a.busso.cut-2"
        for payload in payloads:
            log.append(payload)
    assert path.read_bytes() == LOG


def test_cutting_forgets_where_the_frames_were(tmp_path: Path) -> None:
    first, second, *_ = samples.steps(4)
    longer = Step(2, Step.parse(second).entries[:1]).pack()
    third = samples.steps(4)[2]
    with LogWriter.create(tmp_path / "a.busso", samples.signed_header().payload) as log:
        for payload in (first, second, third):
            log.append(payload)
        log.cut_to(1)
        for payload in (longer, third):
            log.append(payload)
        aside = log.cut_to(2)
        assert aside is not None
        assert aside.read_bytes() == frame(third)
    assert read_log(tmp_path / "a.busso").payloads == (first, longer)


PUBLISH = ["remove", "create", "write", "sync", "link", "remove", "sync_folder"]


def test_what_is_moved_is_on_the_disk_before_the_log_is_cut(tmp_path: Path) -> None:
    path, disk = tmp_path / "a.busso", FaultyDisk()
    with LogWriter.create(path, samples.signed_header().payload, disk=disk) as log:
        assert [o.name for o in disk.done] == [*PUBLISH, "truncate"]
        log.append(samples.steps(1)[0])
        disk.done.clear()
        log.cut_to(0)
        assert [o.name for o in disk.done] == ["sync", *PUBLISH, "truncate", "sync"]
    with path.open("ab") as file:
        file.write(b"torn")
    disk.done.clear()
    with LogWriter.reopen(path, disk=disk):
        assert [o.name for o in disk.done] == [*PUBLISH, "truncate", "sync"]


# Crashes: the process ends at every single operation on the disk


def operations(path: Path, act: Callable[[Path, Disk], None]) -> list[Operation]:
    disk = FaultyDisk()
    act(path, disk)
    return disk.done


def play(path: Path, disk: Disk) -> None:
    """All that a log goes through: made, grown, cut back, reopened with a torn tail."""
    payloads = samples.steps(4)
    with LogWriter.create(path, samples.signed_header().payload, disk=disk) as log:
        for payload in payloads[:3]:
            log.append(payload)
            log.sync()
        log.cut_to(1)
    fd = disk.open(path)
    disk.truncate(fd, path.stat().st_size)
    disk.write(fd, b"torn")
    disk.close(fd)
    with LogWriter.reopen(path, disk=disk) as log:
        for payload in payloads[1:]:
            log.append(payload)


def test_a_kill_at_every_operation_leaves_a_log(tmp_path: Path) -> None:
    (tmp_path / "count").mkdir()
    done = operations(tmp_path / "count" / "a.busso", play)
    assert {"create", "write", "sync", "link", "truncate", "sync_folder"} <= {o.name for o in done}
    longest = read_log(LOG).payloads
    for number, operation in enumerate(done):
        for part in range(3 if operation.name == "write" else 1):
            folder = tmp_path / f"{number}-{part}"
            folder.mkdir()
            path = folder / "a.busso"
            with pytest.raises(Killed):
                play(path, FaultyDisk(kill_at=number, part=part))
            if not path.exists():  # before it was published
                LogWriter.create(path, samples.signed_header().payload).close()
            with LogWriter.reopen(path) as log:
                kept = log.opened.payloads
                assert kept == longest[: len(kept)]
                for payload in longest[len(kept) :]:
                    log.append(payload)
            assert path.read_bytes() == LOG


def test_a_failing_disk_at_every_operation_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "count").mkdir()
    done = operations(tmp_path / "count" / "a.busso", play)
    tried = 0
    for number, operation in enumerate(done):
        if operation.name in {"close", "remove"}:
            continue
        folder = tmp_path / f"{number}"
        folder.mkdir()
        path = folder / "a.busso"
        own = operation.caller == "play"  # the test's own use of the disk
        with pytest.raises(OSError if own else FileError, match="No space left"):
            play(path, FaultyDisk(fail_at=number))
        tried += 1
        if path.exists():
            LogWriter.reopen(path).close()
    assert tried > 20


def test_a_full_disk_leaves_no_half_frame_behind(tmp_path: Path) -> None:
    path = tmp_path / "a.busso"
    disk = FaultyDisk()
    first, second, *_ = samples.steps(4)
    with LogWriter.create(path, samples.signed_header().payload, disk=disk) as log:
        log.append(first)
        disk.fail_at, disk.part = len(disk.done), 1
        with pytest.raises(FileError, match="No space left"):
            log.append(second)
        assert read_log(path).torn == b""
        log.append(second)  # there is room again
    assert read_log(path).payloads == (first, second)


def test_after_a_failed_sync_nothing_more_is_written(tmp_path: Path) -> None:
    """A failed fsync says nothing about what is on the disk, a repeated one even less."""
    disk = FaultyDisk()
    first, second, *_ = samples.steps(4)
    log = LogWriter.create(tmp_path / "a.busso", samples.signed_header().payload, disk=disk)
    log.append(first)
    disk.fail_at = len(disk.done)
    with pytest.raises(FileError, match="No space left"):
        log.sync()
    for act in (lambda: log.append(second), log.sync, lambda: log.cut_to(0)):
        with pytest.raises(FileError, match="start Busso again"):
            act()
    log.close()
    LogWriter.reopen(tmp_path / "a.busso").close()
