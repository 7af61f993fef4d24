"""A disk that ends the process, or is full, at a chosen operation."""

from __future__ import annotations

import errno
import os
import sys
from dataclasses import dataclass
from pathlib import Path

from protocol.files import Disk


class Killed(BaseException):
    """The process is gone: no handler may run to any effect after this."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation and the function that asked for it."""

    name: str
    caller: str


class FaultyDisk(Disk):
    """Counts what changes the disk; at one number it kills the process or fails with "no space".

    A write that is hit writes nothing (`part` 0), one half (1) or all (2) of its octets. After a
    kill every operation but closing is dead: what a `finally` would tidy up stays.
    """

    def __init__(self, kill_at: int = -1, fail_at: int = -1, part: int = 0) -> None:
        self.kill_at = kill_at
        self.fail_at = fail_at
        self.part = part
        self.done: list[Operation] = []
        self._dead = False

    def _step(self, name: str) -> bool:
        """Count an operation; whether it is the one that fails."""
        if self._dead:
            raise Killed
        number = len(self.done)
        self.done.append(Operation(name, sys._getframe(2).f_code.co_name))
        if number == self.kill_at:
            self._dead = True
        return number in (self.kill_at, self.fail_at)

    def _fail(self) -> None:
        if self._dead:
            raise Killed
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def create(self, path: Path) -> int:
        if self._step("create"):
            self._fail()
        return super().create(path)

    def write(self, fd: int, data: bytes) -> None:
        if self._step("write"):
            super().write(fd, data[: len(data) * self.part // 2])
            self._fail()
        super().write(fd, data)

    def sync(self, fd: int) -> None:
        # Only a power cut would tell whether octets were synced, so the slow real call is left out.
        if self._step("sync"):
            self._fail()

    def truncate(self, fd: int, size: int) -> None:
        if self._step("truncate"):
            self._fail()
        super().truncate(fd, size)

    def link(self, old: Path, new: Path) -> None:
        if self._step("link"):
            self._fail()
        super().link(old, new)

    def remove(self, path: Path) -> None:
        if self._step("remove"):
            self._fail()
        super().remove(path)

    def sync_folder(self, folder: Path) -> None:
        if self._step("sync_folder"):
            self._fail()

    def close(self, fd: int) -> None:
        super().close(fd)
