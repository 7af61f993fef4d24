"""The log of a match: a header, then one frame a step, chained by hashes (`LOG.md`).

Law: this file knows frames, steps and the chain. It must never know whose contribution is due nor
what a body means: signatures are checked where the rules are known, by replay.

    frame 0  the header's payload (`header.py`)
    frame i  step i: [i, [[seat, kind, body, digest, signature], ...]], seats strictly ascending
    H_0 = SHA-256(0x00 payload_0)        H_i = SHA-256(0x01 H_{i-1} SHA-256(payload_i))

The hashes are of the octets received. Signatures are inside the chain, since a signer can make
several valid ones for one message.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

from protocol.contribution import (
    DIGEST_SIZE,
    MAX_BODY,
    MAX_SEATS,
    MAX_STEP,
    SIGNATURE_SIZE,
    Contribution,
    Kind,
)
from protocol.encoding import Value, array, integer, octets, pack, text, unpack
from protocol.errors import CorruptLog, EncodingError, FileError, LocalProtocolError
from protocol.files import Disk, read_file, reason
from protocol.frames import (
    MAGIC_SIZE,
    MAX_FILE,
    MAX_PAYLOAD,
    FrameFile,
    Frames,
    Magic,
    check_magic,
    payload_at,
    read_frames,
)

_HEADER_READ: Final = 2**16
"""Octets that hold the magic and the largest frame of a header (`header.MAX_HEADER`)."""
_KINDS: Final = {kind.value: kind for kind in Kind}


@dataclass(frozen=True, slots=True)
class Step:
    """One step: its number, from 1, and its contributions in the order of their seats."""

    number: int
    entries: tuple[Contribution, ...]

    def pack(self) -> bytes:
        """The step's payload; `EncodingError` if it is not one that `parse` reads."""
        payload = pack((self.number, tuple(contribution_value(c) for c in self.entries)))
        Step.parse(payload)
        return payload

    @classmethod
    def parse(cls, payload: bytes) -> Step:
        """Read a payload strictly; `EncodingError`."""
        number, entries = array(unpack(payload, limit=MAX_PAYLOAD), "step", 2)
        contributions = tuple(
            parse_contribution(entry) for entry in array(entries, "entries", 1, MAX_SEATS)
        )
        previous = -1
        for contribution in contributions:
            if contribution.seat <= previous:
                raise EncodingError(f"seat {contribution.seat} is out of order or doubled")
            previous = contribution.seat
        return cls(integer(number, "step number", 1, MAX_STEP), contributions)


def contribution_value(c: Contribution) -> Value:
    """[seat, kind, body, digest, signature]."""
    return (c.seat, c.kind.value, c.body, c.digest, c.signature)


def parse_contribution(value: Value) -> Contribution:
    """The contribution that `contribution_value` wrote; `EncodingError`."""
    seat, kind, body, digest, signature = array(value, "contribution", 5)
    name = text(kind, "kind", 1, 32)
    if name not in _KINDS:
        raise EncodingError(f"a contribution of the unknown kind {name!r}")
    return Contribution(
        integer(seat, "seat", 0, MAX_SEATS - 1),
        _KINDS[name],
        octets(body, "body", 0, MAX_BODY),
        octets(digest, "digest", DIGEST_SIZE),
        octets(signature, "signature", SIGNATURE_SIZE),
    )


def first_head(header: bytes) -> bytes:
    """H_0 = SHA-256(0x00, header payload)."""
    return hashlib.sha256(b"\x00" + header).digest()


def next_head(head: bytes, payload: bytes) -> bytes:
    """H_i = SHA-256(0x01, H_{i-1}, SHA-256(payload of step i))."""
    return hashlib.sha256(b"\x01" + head + hashlib.sha256(payload).digest()).digest()


@dataclass(frozen=True, slots=True)
class LogFile:
    """What a log file holds: everything up to a torn tail, checked but for signatures and rules.

    `payloads[i]` is step i + 1's and `heads[i]` is H_i; `offsets[i]` is where frame i starts.
    """

    header: bytes
    payloads: tuple[bytes, ...]
    steps: tuple[Step, ...]
    heads: tuple[bytes, ...]
    offsets: tuple[int, ...]
    torn: bytes

    @property
    def head(self) -> bytes:
        """The chain value after the last step."""
        return self.heads[-1]


def read_log(source: Path | bytes) -> LogFile:
    """Read a whole log.

    `NotALog` for other files; `CorruptLog` with the first bad frame and its offset, also where a
    valid frame holds the wrong step. A torn tail is no error: it is returned apart.
    """
    data = source if isinstance(source, bytes) else read_file(source, MAX_FILE)
    return _log_file(read_frames(data, Magic.LOG))


def read_log_header(path: Path) -> bytes:
    """The header payload alone, without reading the rest: enough to list a match."""
    try:
        with path.open("rb") as file:
            data = file.read(_HEADER_READ)
    except OSError as error:
        raise FileError(f"{path.name} can't be read: {reason(error)}") from error
    check_magic(data, Magic.LOG)
    header = payload_at(data, MAGIC_SIZE)
    if header is None:
        raise CorruptLog("frame 0, 8 octets into the file, was changed", MAGIC_SIZE, 0)
    return header


def _log_file(frames: Frames) -> LogFile:
    if not frames.payloads:
        raise CorruptLog("frame 0, 8 octets into the file, was changed", MAGIC_SIZE, 0)
    header, *payloads = frames.payloads
    steps = parse_steps(payloads, frames.offsets[1:])
    return LogFile(
        header, tuple(payloads), steps, chain(header, payloads), frames.offsets, frames.torn
    )


def parse_steps(payloads: Sequence[bytes], offsets: Sequence[int]) -> tuple[Step, ...]:
    """Steps 1, 2, ... from their payloads; `CorruptLog` at the offset of the first wrong one."""
    steps: list[Step] = []
    for number, (payload, offset) in enumerate(zip(payloads, offsets, strict=True), 1):
        try:
            step = Step.parse(payload)
        except EncodingError as error:
            raise CorruptLog(
                f"frame {number}, {offset} octets into the file, holds no step: {error}",
                offset,
                number,
            ) from error
        if step.number != number:
            raise CorruptLog(
                f"frame {number}, {offset} octets into the file, holds step {step.number}",
                offset,
                number,
            )
        steps.append(step)
    return tuple(steps)


def chain(header: bytes, payloads: Iterable[bytes]) -> tuple[bytes, ...]:
    """H_0 and the chain value after each of the payloads."""
    heads = [first_head(header)]
    for payload in payloads:
        heads.append(next_head(heads[-1], payload))
    return tuple(heads)


class LogWriter:
    """The log of a match that is being played. Use `create` or `reopen`; `FileError`.

    Every state that a crash can leave is a log, perhaps with a torn tail that `reopen` moves away.
    """

    def __init__(self, file: FrameFile, log: LogFile) -> None:
        """Go on after the last step of `log`, whose file is `file`."""
        self._file = file
        self._heads = list(log.heads)
        self.opened: Final = log
        """What the file held when it was opened."""

    @classmethod
    def create(cls, path: Path, header: bytes, *, disk: Disk | None = None) -> Self:
        """Make a log with its header's payload, on the disk before this returns.

        `FileError` if there is a file of that name.
        """
        file = FrameFile.create(path, Magic.LOG, header, disk or Disk())
        return cls(file, LogFile(header, (), (), (first_head(header),), (MAGIC_SIZE,), b""))

    @classmethod
    def reopen(cls, path: Path, *, disk: Disk | None = None) -> Self:
        """Go on with a log; its torn tail is moved to `<name>.torn-<n>` first.

        Raises as `read_log`, or `FileInUse` if another process writes it; then nothing changed.
        """
        return cls(*FrameFile.reopen(path, Magic.LOG, disk or Disk(), _log_file))

    @property
    def path(self) -> Path:
        """Where the log lies."""
        return self._file.path

    @property
    def last(self) -> int:
        """The number of the last step, 0 for a log that is only a header."""
        return len(self._heads) - 1

    @property
    def head(self) -> bytes:
        """The chain value after the last step."""
        return self._heads[-1]

    def head_after(self, step: int) -> bytes:
        """H_step, for 0 <= step <= last."""
        if not 0 <= step <= self.last:
            raise LocalProtocolError(f"step {step} is not in a log of {self.last} steps")
        return self._heads[step]

    def append(self, step: Step | bytes) -> bytes:
        """Write the next step, or its payload as received; return the new chain value.

        It is on the disk after `sync`.
        """
        payload = step if isinstance(step, bytes) else step.pack()
        number = step.number if isinstance(step, Step) else Step.parse(payload).number
        if number != self.last + 1:
            raise LocalProtocolError(f"step {number} can't follow step {self.last}")
        self._file.append(payload)
        self._heads.append(next_head(self.head, payload))
        return self.head

    def sync(self) -> None:
        """Return when all steps are on the disk."""
        self._file.sync()

    def cut_to(self, step: int) -> Path | None:
        """Drop what follows `step`; the frames are moved to `<name>.cut-<n>`, which is returned."""
        aside = self._file.cut(step + 1)
        del self._heads[step + 1 :]
        return aside

    def close(self) -> None:
        """Sync and close."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
