"""Durable files: whole or absent, never replaced, never read without a bound."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from protocol.errors import FileError
from protocol.files import Disk, read_file


def test_a_published_file_is_whole_and_alone(tmp_path: Path) -> None:
    Disk().publish(tmp_path / "a", b"content")
    assert (tmp_path / "a").read_bytes() == b"content"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def no_links(old: Path, new: Path) -> None:
    raise OSError(errno.EPERM, os.strerror(errno.EPERM))


@pytest.mark.parametrize("links", [True, False])
def test_publishing_never_replaces(
    tmp_path: Path, links: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    Disk().publish(tmp_path / "a", b"first")
    with pytest.raises(FileExistsError):
        Disk().publish(tmp_path / "a", b"second")
    assert (tmp_path / "a").read_bytes() == b"first"
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_a_draft_of_a_dead_process_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / f"a.new-{os.getpid()}").write_bytes(b"half of some")
    Disk().publish(tmp_path / "a", b"content")
    assert [p.name for p in tmp_path.iterdir()] == ["a"]


def test_reading_is_bounded(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert read_file(path, 5) == b"12345"
    with pytest.raises(FileError, match="larger than 4 octets"):
        read_file(path, 4)
    with pytest.raises(FileError, match="can't be read"):
        read_file(tmp_path / "b", 4)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    for odd in (tmp_path, Path(os.devnull)):
        with pytest.raises(FileError):
            read_file(odd, 4)
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(FileError, match="not a regular file"):
        read_file(tmp_path / "pipe", 4)
