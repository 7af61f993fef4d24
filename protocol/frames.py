"""Framed files: logs, evidence and journals are a magic, then frames.

Law: this file knows octets and frames. It must never know what a payload means.

    file  = magic frame*
    magic = B5 'B' 'U' kind CR LF 1A LF
    frame = u32be length, payload, u32be CRC-32 of length and payload        (at most 1 MiB in all)

The magic has a non-ASCII octet, both line ends and ^Z: a program that treats the file as text
changes at least one of them. A payload is one value of the canonical encoding. A crash can only
leave an unfinished frame at the end, the *torn tail*; a bad frame that a valid one follows was
damaged later, and nothing may be written after it.
"""

from __future__ import annotations

import enum
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeVar

from protocol.errors import CorruptLog, EncodingError, FileError, LocalProtocolError, NotALog
from protocol.files import Disk, read_file, reason

MAX_FRAME: Final = 2**20
FRAME_OVERHEAD: Final = 8
MAX_PAYLOAD: Final = MAX_FRAME - FRAME_OVERHEAD
MAGIC_SIZE: Final = 8
MAX_FILE: Final = 2**30
"""Octets of a file that is read into memory; a match of 100,000 entries takes some 15 MiB."""

T = TypeVar("T")

_SCAN_BUDGET: Final = 64 * MAX_FRAME
_LENGTH: Final = re.compile(rb"(?=\x00(?:[\x01-\x0f]|\x00[^\x00]|\x00\x00[^\x00]))")
"""Where four octets may be the length of a frame: 1 to 2^20 - 1."""
_MAX_ASIDE: Final = 10_000


class Magic(enum.Enum):
    """The kinds of framed file."""

    LOG = b"\xb5BUL\r\n\x1a\n"
    EVIDENCE = b"\xb5BUE\r\n\x1a\n"
    JOURNAL = b"\xb5BUJ\r\n\x1a\n"


@dataclass(frozen=True, slots=True)
class Frames:
    """The valid frames at the start of a file: payloads, where each frame starts, the torn rest."""

    payloads: tuple[bytes, ...]
    offsets: tuple[int, ...]
    torn: bytes

    @property
    def size(self) -> int:
        """Octets up to the end of the last valid frame."""
        if not self.offsets:
            return MAGIC_SIZE
        return self.offsets[-1] + FRAME_OVERHEAD + len(self.payloads[-1])


def frame(payload: bytes) -> bytes:
    """The frame that holds `payload`, 1 octet to `MAX_PAYLOAD`; `EncodingError` otherwise."""
    if not 1 <= len(payload) <= MAX_PAYLOAD:
        raise EncodingError(f"a frame of {len(payload)} octets; 1 to {MAX_PAYLOAD} fit")
    checked = len(payload).to_bytes(4, "big") + payload
    return checked + zlib.crc32(checked).to_bytes(4, "big")


def payload_at(data: bytes, offset: int) -> bytes | None:
    """The payload of the valid frame that starts at `offset`, or None."""
    end = _claimed_end(data, offset)
    if end is None or end > len(data):
        return None
    if zlib.crc32(data[offset : end - 4]) != int.from_bytes(data[end - 4 : end], "big"):
        return None
    return data[offset + 4 : end - 4]


def read_frames(data: bytes, magic: Magic) -> Frames:
    """Split a whole file. `NotALog` for other files, `CorruptLog` where a valid frame follows."""
    check_magic(data, magic)
    payloads: list[bytes] = []
    offsets: list[int] = []
    offset = MAGIC_SIZE
    while offset < len(data):
        payload = payload_at(data, offset)
        if payload is None:
            if _is_followed(data, offset):
                raise CorruptLog(
                    f"frame {len(payloads)}, {offset} octets into the file, was changed",
                    offset,
                    len(payloads),
                )
            break
        payloads.append(payload)
        offsets.append(offset)
        offset += FRAME_OVERHEAD + len(payload)
    return Frames(tuple(payloads), tuple(offsets), data[offset:])


def check_magic(data: bytes, magic: Magic) -> None:
    """Raise `NotALog` unless `data` begins as a file of this kind; the sentence says why."""
    want = magic.value
    head = data[: 2 * MAGIC_SIZE]
    if head.startswith(want):
        return
    if not data:
        raise NotALog("the file is empty")
    for other in Magic:
        if head.startswith(other.value):
            raise NotALog(f"this is {_A[other]}, where {_A[magic]} was expected")
    if want.startswith(data):
        raise NotALog("the file was cut off within its first 8 octets")
    for start, sentence in _MANGLED:
        if head.startswith(start(want)):
            raise NotALog(sentence)
    for start_of_other, sentence in _FOREIGN:
        if head.startswith(start_of_other):
            raise NotALog(sentence)
    raise NotALog("this file was not written by Busso")


_A: Final = {
    Magic.LOG: "the log of a match",
    Magic.EVIDENCE: "a file of evidence",
    Magic.JOURNAL: "a node's journal",
}
_TEXT = "a program that treated the file as text changed it: copy it again in binary mode"
_MANGLED: Final[tuple[tuple[Callable[[bytes], bytes], str], ...]] = (
    (lambda m: m.replace(b"\r\n", b"\n"), _TEXT + " (CR LF became LF)"),
    (lambda m: m.replace(b"\r\n", b"\r"), _TEXT + " (CR LF became CR)"),
    (lambda m: m.replace(b"\n", b"\r\n"), _TEXT + " (LF became CR LF)"),
    (lambda m: m[:-1] + b"\r\n", _TEXT + " (LF became CR LF)"),
    (lambda m: m.replace(b"\n", b"\r"), _TEXT + " (LF became CR)"),
    (lambda m: m.replace(b"\x1a", b""), _TEXT + " (^Z was removed)"),
    (lambda m: bytes([m[0] & 0x7F]) + m[1:4], "the file went through a channel of 7 bits"),
    (lambda m: b"\xc2" + m[:4], _TEXT + " (Latin-1 became UTF-8)"),
    (lambda m: b"\xef\xbf\xbd" + m[1:4], _TEXT + " (it was read as UTF-8)"),
    (lambda m: b"?" + m[1:4], _TEXT + " (it was read as ASCII)"),
    (lambda m: m[1:4], "the file lost its first octet"),
)
_FOREIGN: Final = (
    (b"\x1f\x8b", "this file is compressed (gzip): unpack it first"),
    (b"PK\x03\x04", "this file is an archive (zip): unpack it first"),
    (b"\x28\xb5\x2f\xfd", "this file is compressed (zstd): unpack it first"),
    (b"\xfd7zXZ", "this file is compressed (xz): unpack it first"),
)


def _claimed_end(data: bytes, offset: int) -> int | None:
    """Where the frame at `offset` ends if its length is to be believed, None if it can't be."""
    if len(data) - offset < 4:
        return None
    length = int.from_bytes(data[offset : offset + 4], "big")
    return offset + FRAME_OVERHEAD + length if 1 <= length <= MAX_PAYLOAD else None


def _is_followed(data: bytes, bad: int) -> bool:
    """Whether a valid frame starts anywhere after the bad one at `bad`.

    A frame that was cut off is told first, by its own inner lengths: they run past the end of the
    file, or to where its CRC should stand. Otherwise a peer could hide a valid frame in a body, and
    a node that crashed while it wrote that body would take its own log for corrupt. The search
    after that checks a bounded number of octets; when they don't suffice, the careful answer is
    yes.
    """
    end = _claimed_end(data, bad)
    if end is not None and end > len(data):
        value_end = _value_end(data, bad + 4)
        if value_end is not None and (value_end > len(data) or value_end == end - 4):
            return False
    budget = _SCAN_BUDGET
    for found in _LENGTH.finditer(data, bad + 1):
        offset = found.start()
        end = _claimed_end(data, offset)
        if end is None or end > len(data):
            continue
        budget -= end - offset
        if budget < 0 or payload_at(data, offset) is not None:
            return True
    return False


def _value_end(data: bytes, offset: int) -> int | None:
    """Where the value of the encoding that starts at `offset` ends, by its inner lengths.

    More than `len(data)` if it continues past the end; None for what the encoding doesn't have.
    """
    items = 1
    while items:
        if offset >= len(data):
            return len(data) + 1
        first = data[offset]
        offset += 1
        items -= 1
        if first in _COUNTED:
            width, fixed, each_is_item = _COUNTED[first]
            if offset + width > len(data):
                return len(data) + 1
            count = int.from_bytes(data[offset : offset + width], "big")
            offset += width
            if each_is_item:
                items += count
            else:
                offset += fixed + count
        elif 0x90 <= first <= 0x9F:
            items += first & 0x0F
        elif 0xA0 <= first <= 0xBF:
            offset += first & 0x1F
        elif first in (0xC0, 0xC1) or 0x80 <= first <= 0x8F or 0xC2 <= first < 0xE0:
            return None  # outside the subset: not something that we began to write
    return offset


# First octet: (octets of the count, fixed octets, whether the count is of items). msgpack's
# bin 8-32, uint and int 8-64 (no count, fixed size), str 8-32, array 16-32.
_COUNTED: Final[dict[int, tuple[int, int, bool]]] = (
    {0xC4 + i: (1 << i, 0, False) for i in range(3)}
    | {0xCC + i: (0, 1 << i, False) for i in range(4)}
    | {0xD0 + i: (0, 1 << i, False) for i in range(4)}
    | {0xD9 + i: (1 << i, 0, False) for i in range(3)}
    | {0xDC: (2, 0, True), 0xDD: (4, 0, True)}
)


class FrameFile:
    """A framed file that grows at its end; the one place that writes such files.

    Use `create` or `reopen`. Every method may raise `FileError`; after one that could not be
    undone the file refuses to be written.
    """

    def __init__(
        self, path: Path, fd: int, disk: Disk, *, offsets: tuple[int, ...], size: int
    ) -> None:
        """Where the valid frames start and the last one ends; `fd` stands at the end."""
        self.path = path
        self._fd: int | None = fd
        self._offsets = list(offsets)
        self._size = size
        self._disk = disk
        self._broken = False

    @classmethod
    def create(cls, path: Path, magic: Magic, first: bytes, disk: Disk) -> FrameFile:
        """Make the file with its first frame, on the disk whole before this returns."""
        data = magic.value + frame(first)
        try:
            disk.publish(path, data)
        except FileExistsError as error:
            raise FileError(f"{path.name} exists already") from error
        except OSError as error:
            raise FileError(f"{path.name} can't be made: {reason(error)}") from error
        return cls.reopen(path, magic, disk, lambda frames: frames)[0]

    @classmethod
    def reopen(
        cls, path: Path, magic: Magic, disk: Disk, read: Callable[[Frames], T]
    ) -> tuple[FrameFile, T]:
        """Go on with a file: `read` makes what it likes of its frames, then a torn tail is moved.

        `CorruptLog` if anything before the tail is damaged, `FileInUse` if another process
        writes the file, or what `read` raises; in all these cases nothing is changed.
        """
        try:
            fd = disk.open(path)
        except OSError as error:
            raise FileError(f"{path.name} can't be opened: {reason(error)}") from error
        try:
            disk.lock(fd)
            frames = read_frames(read_file(path, MAX_FILE), magic)
            if not frames.payloads:
                raise CorruptLog("frame 0, 8 octets into the file, was changed", MAGIC_SIZE, 0)
            content = read(frames)
            file = cls(path, fd, disk, offsets=frames.offsets, size=frames.size)
            if frames.torn:
                file._set_aside("torn", frames.torn)
            file._change(lambda: disk.truncate(fd, frames.size))
            if frames.torn:
                file.sync()
        except BaseException:
            disk.close(fd)
            raise
        return file, content

    @property
    def count(self) -> int:
        """Frames in the file."""
        return len(self._offsets)

    def append(self, payload: bytes) -> None:
        """Write one more frame; `sync` puts it on the disk."""
        data = frame(payload)
        if self._size + len(data) > MAX_FILE:
            raise FileError(f"{self.path.name} would grow beyond {MAX_FILE} octets")
        fd = self._open()
        try:
            self._disk.write(fd, data)
        except OSError as error:
            self._change(lambda: self._disk.truncate(fd, self._size))
            raise FileError(f"{self.path.name} can't be written: {reason(error)}") from error
        self._offsets.append(self._size)
        self._size += len(data)

    def sync(self) -> None:
        """Return when all that was appended is on the disk."""
        fd = self._open()
        self._change(lambda: self._disk.sync(fd))

    def cut(self, count: int) -> Path | None:
        """Keep the first `count` frames; the others are moved beside the file, whose path returns.

        The copy is on the disk before the file is cut, so a crash between leaves both.
        """
        if not 1 <= count <= self.count:
            raise LocalProtocolError(f"{self.path.name} has {self.count} frames, not {count}")
        if count == self.count:
            return None
        fd = self._open()
        size = self._offsets[count]
        self.sync()
        aside = self._set_aside("cut", self._read()[size : self._size])
        self._change(lambda: self._disk.truncate(fd, size))
        self.sync()
        del self._offsets[count:]
        self._size = size
        return aside

    def close(self) -> None:
        """Sync and close; closing twice does nothing."""
        if self._fd is None:
            return
        try:
            if not self._broken:
                self.sync()
        finally:
            self._disk.close(self._fd)
            self._fd = None

    def _open(self) -> int:
        if self._fd is None:
            raise LocalProtocolError(f"{self.path.name} was closed")
        if self._broken:
            raise FileError(f"{self.path.name} could not be written before; start Busso again")
        return self._fd

    def _change(self, act: Callable[[], None]) -> None:
        """Do what can't be undone: if it fails, what the disk holds is no longer known."""
        try:
            act()
        except OSError as error:
            self._broken = True
            raise FileError(f"{self.path.name} can't be written: {reason(error)}") from error

    def _read(self) -> bytes:
        return read_file(self.path, MAX_FILE)

    def _set_aside(self, why: str, data: bytes) -> Path:
        """Publish `data` as the first free of `<name>.<why>-1`, `-2`, ..."""
        for path in _aside_names(self.path, why):
            try:
                self._disk.publish(path, data)
            except FileExistsError:
                continue
            except OSError as error:
                raise FileError(f"{path.name} can't be written: {reason(error)}") from error
            return path
        raise FileError(f"there are {_MAX_ASIDE} files beside {self.path.name}; tidy up first")


def _aside_names(path: Path, why: str) -> Iterator[Path]:
    for number in range(1, _MAX_ASIDE + 1):
        yield path.with_name(f"{path.name}.{why}-{number}")
