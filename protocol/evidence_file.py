"""Files of evidence: what convicts a seat, with all that is needed to judge it offline.

Law: this file knows the container. Whether its content proves anything is judged where the rules
are known.

    file   = magic of evidence, then frames (`frames.py`)
    frames = the header's payload, the steps before the disputed one, one last frame
    last   = [kind, [[match, head, step, attempt, class, seat, kind, body, digest, signature], ...]]

`invalid` names one contribution that is wrong by itself, `contradiction` two that exclude each
other. The disputed step is the earliest one named.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from protocol.contribution import (
    HASH_SIZE,
    MAX_ATTEMPT,
    MAX_STEP,
    Class,
    Entry,
    Place,
)
from protocol.encoding import Value, array, integer, octets, pack, text, unpack
from protocol.errors import CorruptLog, EncodingError, FileError
from protocol.files import Disk, read_file, reason
from protocol.frames import MAX_FILE, MAX_PAYLOAD, Magic, frame, read_frames
from protocol.log import Step, chain, contribution_value, parse_contribution, parse_steps


class Charge(enum.StrEnum):
    """What a seat is accused of."""

    INVALID = "invalid"
    CONTRADICTION = "contradiction"


ENTRIES: Final = {Charge.INVALID: 1, Charge.CONTRADICTION: 2}
"""How many contributions prove each charge."""


@dataclass(frozen=True, slots=True)
class Case:
    """A charge and the contributions that prove it, each with its place."""

    charge: Charge
    entries: tuple[Entry, ...]

    def pack(self) -> bytes:
        """The octets of the last frame, also the body of a contribution of kind `exclude`."""
        payload = pack((self.charge.value, tuple(entry_value(entry) for entry in self.entries)))
        Case.parse(payload)
        return payload

    @classmethod
    def parse(cls, payload: bytes) -> Case:
        """Read it strictly; `EncodingError`."""
        name, entries = array(unpack(payload, limit=MAX_PAYLOAD), "evidence", 2)
        name = text(name, "charge", 1, 32)
        if name not in tuple(Charge):
            raise EncodingError(f"a charge of the unknown kind {name!r}")
        charge = Charge(name)
        wanted = array(entries, "entries of the charge", ENTRIES[charge])
        return cls(charge, tuple(parse_entry(entry) for entry in wanted))


@dataclass(frozen=True, slots=True)
class EvidenceFile:
    """What a file of evidence holds; `heads[i]` is H_i, `payloads[i]` belongs to step i + 1."""

    header: bytes
    payloads: tuple[bytes, ...]
    steps: tuple[Step, ...]
    heads: tuple[bytes, ...]
    case: Case


def entry_value(entry: Entry) -> Value:
    """[match, head, step, attempt, class, seat, kind, body, digest, signature]."""
    place = entry.place
    where: tuple[Value, ...] = (
        place.match,
        place.head,
        place.step,
        place.attempt,
        int(place.cls),
    )
    return where + array(contribution_value(entry.contribution), "contribution", 5)


def parse_entry(value: Value) -> Entry:
    """The entry that `entry_value` wrote; `EncodingError`."""
    items = array(value, "entry", 10)
    place = Place(
        octets(items[0], "match", HASH_SIZE),
        octets(items[1], "head", HASH_SIZE),
        integer(items[2], "step", 0, MAX_STEP),
        integer(items[3], "attempt", 0, MAX_ATTEMPT),
        Class(integer(items[4], "class", 0, len(Class) - 1)),
    )
    return Entry(place, parse_contribution(items[5:]))


def pack_evidence(header: bytes, payloads: Sequence[bytes], case: Case) -> bytes:
    """The octets of a file of evidence; `EncodingError` if they are not one."""
    data = Magic.EVIDENCE.value + b"".join(
        frame(payload) for payload in (header, *payloads, case.pack())
    )
    try:
        read_evidence(data)
    except CorruptLog as error:
        raise EncodingError(f"this makes no file of evidence: {error}") from error
    return data


def write_evidence(
    path: Path, header: bytes, payloads: Sequence[bytes], case: Case, *, disk: Disk | None = None
) -> None:
    """Make a file of evidence, on the disk whole before this returns; `FileError`.

    `payloads` are those of steps 1 to the one before the disputed step.
    """
    data = pack_evidence(header, payloads, case)
    try:
        (disk or Disk()).publish(path, data)
    except FileExistsError as error:
        raise FileError(f"{path.name} exists already") from error
    except OSError as error:
        raise FileError(f"{path.name} can't be written: {reason(error)}") from error


def read_evidence(source: Path | bytes) -> EvidenceFile:
    """Read a file of evidence: `NotALog`, or `CorruptLog` for any damage, a cut one included."""
    data = source if isinstance(source, bytes) else read_file(source, MAX_FILE)
    frames = read_frames(data, Magic.EVIDENCE)
    if frames.torn or len(frames.payloads) < 2:
        raise CorruptLog("the evidence was cut off or changed", frames.size, len(frames.payloads))
    header, *payloads, last = frames.payloads
    steps = parse_steps(payloads, frames.offsets[1:-1])
    try:
        case = Case.parse(last)
        if len(steps) >= min(entry.place.step for entry in case.entries):
            raise EncodingError("steps from the disputed one on")
    except EncodingError as error:
        raise CorruptLog(
            f"the last frame holds no evidence: {error}", frames.offsets[-1], len(steps) + 1
        ) from error
    return EvidenceFile(header, tuple(payloads), steps, chain(header, payloads), case)
