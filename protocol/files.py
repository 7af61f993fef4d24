"""Durable files: the few operations on a disk that logs, journals and keys are built from.

Law: this file knows paths and octets; it must never know what is written. Every write of the
protocol layer goes through a `Disk`, so that a test can stop it at any one of them.

A file that must be whole or absent is *published*: written under another name, synced, then linked
to its own name, which fails if that name is taken; then the folder is synced.
"""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

from protocol.errors import FileError, FileInUse

_BINARY = getattr(os, "O_BINARY", 0)
_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_LOCK_OFFSET = 2**30  # Windows locks octets, not files: one that no file of ours reaches


class Disk:
    """The operating system's files. Descriptors are ints; failures are `OSError`."""

    def create(self, path: Path) -> int:
        """Make a file that doesn't exist yet, readable by its owner only."""
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _BINARY | _NO_FOLLOW, 0o600)

    def open(self, path: Path) -> int:
        """Open an existing file for reading and writing."""
        return os.open(path, os.O_RDWR | _BINARY)

    def write(self, fd: int, data: bytes) -> None:
        """Write all of `data` at the end of what was written before."""
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]

    def sync(self, fd: int) -> None:
        """Return when the file's octets are on the disk."""
        os.fsync(fd)

    def truncate(self, fd: int, size: int) -> None:
        """Cut the file to `size` octets and go on writing there."""
        os.ftruncate(fd, size)
        os.lseek(fd, size, os.SEEK_SET)

    def link(self, old: Path, new: Path) -> None:
        """Give `old` the name `new`; `FileExistsError` if that is taken."""
        if sys.platform == "win32":
            old.rename(new)  # never replaces on Windows
            return
        try:
            os.link(old, new)
        except FileExistsError:
            raise
        except OSError:
            # Some file systems have no hard links. The check and the renaming are then two steps,
            # which the callers' locks make safe enough.
            if new.exists():
                raise FileExistsError(str(new)) from None
            old.rename(new)

    def remove(self, path: Path) -> None:
        """Delete a file; no error if there is none."""
        path.unlink(missing_ok=True)

    def sync_folder(self, folder: Path) -> None:
        """Return when the names in `folder` are on the disk (Windows does that by itself)."""
        if sys.platform == "win32":
            return
        fd = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def lock(self, fd: int) -> None:
        """Take the file's lock, which ends with the process; `FileInUse` if another has it."""
        try:
            if sys.platform == "win32":
                import msvcrt  # noqa: PLC0415  # exists on Windows only

                here = os.lseek(fd, 0, os.SEEK_CUR)
                os.lseek(fd, _LOCK_OFFSET, os.SEEK_SET)
                try:
                    msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)
                finally:
                    os.lseek(fd, here, os.SEEK_SET)
            else:
                import fcntl  # noqa: PLC0415  # exists on POSIX only

                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise FileInUse("another running Busso uses this file") from error

    def close(self, fd: int) -> None:
        """Close a descriptor, and with it its lock."""
        os.close(fd)

    def publish(self, path: Path, data: bytes) -> None:
        """Make the file `path` with the content `data`, whole or not at all.

        `FileExistsError` if the name is taken. A process killed meanwhile may leave a file
        `<name>.new-<process>` that means nothing.
        """
        draft = path.with_name(f"{path.name}.new-{os.getpid()}")
        self.remove(draft)
        try:
            fd = self.create(draft)
            try:
                self.write(fd, data)
                self.sync(fd)
            finally:
                self.close(fd)
            self.link(draft, path)
        finally:
            self.remove(draft)
        self.sync_folder(path.parent)

    def replace(self, path: Path, data: bytes) -> None:
        """Give the file `path` the content `data`, whole or not at all, whether or not there is
        one; readable by its owner only. A process killed meanwhile leaves the old content."""
        draft = path.with_name(f"{path.name}.new-{os.getpid()}")
        self.remove(draft)
        try:
            fd = self.create(draft)
            try:
                self.write(fd, data)
                self.sync(fd)
            finally:
                self.close(fd)
            draft.replace(path)
        finally:
            self.remove(draft)
        self.sync_folder(path.parent)


def read_file(path: Path, limit: int) -> bytes:
    """The content of a regular file of at most `limit` octets; `FileError` otherwise."""
    try:
        # Asked before it is opened: opening a pipe waits for its other end.
        if not stat.S_ISREG(path.stat().st_mode):
            raise FileError(f"{path.name} is not a regular file")
        with path.open("rb") as file:
            data = file.read(limit + 1)
    except OSError as error:
        raise FileError(f"{path.name} can't be read: {reason(error)}") from error
    if len(data) > limit:
        raise FileError(f"{path.name} is larger than {limit} octets")
    return data


def reason(error: OSError) -> str:
    """Why the operating system refused, in its own words."""
    return error.strerror or type(error).__name__
