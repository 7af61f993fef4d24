"""What a node counts, for `busso doctor`.

Law: plain numbers since the start of a node, and the file in which the last ones are kept. Nothing
is decided by them. The file is written by us but read like a stranger's: what is wrong with it is
said, and never a traceback.

    {"version": 1, "mesh": {"messages_in": 812, ...}, "entries": {"accepted": 390, ...}}
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Final, TypeVar

from node.errors import NodeError
from protocol.errors import FileError
from protocol.files import Disk, read_file, reason
from protocol.table import Verdict

FILE: Final = "counters.json"
VERSION: Final = 1
MAX_FILE: Final = 16_384
MAX_COUNT: Final = 2**63 - 1
_T = TypeVar("_T")


class CountersError(NodeError):
    """The counters can't be kept, or those that were kept can't be read."""


@dataclass(slots=True)
class Traffic:
    """What went through the sockets."""

    messages_in: int = 0
    octets_in: int = 0
    messages_out: int = 0
    octets_out: int = 0
    dials: int = 0
    mute: int = 0
    floods: int = 0


@dataclass(slots=True)
class Entries:
    """What became of the entries that came in; each is a `protocol.table.Verdict`, but

    `repeated`: copies within a moment, dropped before their signature was checked, and `passed_on`:
    those that this node relayed.
    """

    accepted: int = 0
    duplicate: int = 0
    early: int = 0
    divergent: int = 0
    foreign: int = 0
    forged: int = 0
    guilty: int = 0
    halted: int = 0
    repeated: int = 0
    passed_on: int = 0

    def note(self, verdict: Verdict) -> None:
        """Count an entry that was judged."""
        name = verdict.value
        if name in Entries.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + 1)


@dataclass(slots=True)
class Counters:
    """What happened since the start. `malformed` messages include those over our own bound; what is
    over the socket's costs the connection and shows as a flood or a loss."""

    messages_in: int = 0
    octets_in: int = 0
    messages_out: int = 0
    octets_out: int = 0
    dials: int = 0
    mute: int = 0
    floods: int = 0
    zap_accepted: int = 0
    zap_refused: int = 0
    malformed: int = 0
    extra_frames: int = 0
    unintroduced: int = 0
    over_rate: int = 0
    strikes: int = 0
    queue_full: int = 0
    no_path: int = 0
    commands_full: int = 0
    refused_by_others: int = 0
    callback_errors: int = 0
    wakes: int = 0
    lost_links: int = 0
    entries: Entries = field(default_factory=Entries)

    def save(self, folder: Path) -> None:
        """Keep these in `folder` instead of those kept before; CountersError."""
        mesh = asdict(self)
        data = {"version": VERSION, "mesh": mesh, "entries": mesh.pop("entries")}
        draft = folder / f"{FILE}.new-{os.getpid()}"
        disk = Disk()
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            disk.remove(draft)
            fd = disk.create(draft)
            try:
                disk.write(fd, json.dumps(data, indent=1).encode("ascii"))
            finally:
                disk.close(fd)
            draft.replace(folder / FILE)
        except OSError as error:
            raise CountersError(f"The counters can't be kept: {reason(error)}.") from error

    @classmethod
    def load(cls, folder: Path) -> Counters | None:
        """The counters that were kept last in `folder`, None if there are none; CountersError."""
        path = folder / FILE
        if not path.exists():
            return None
        try:
            value = json.loads(read_file(path, MAX_FILE))
        except FileError as error:
            raise CountersError(f"The counters can't be read: {error}.") from error
        except (ValueError, RecursionError) as error:
            raise CountersError(f"{FILE} isn't what this program wrote.") from error
        if not isinstance(value, dict) or value.get("version") != VERSION:
            raise CountersError(f"{FILE} isn't of this program's version.")
        entries = _numbers(Entries, value.get("entries"))
        return _numbers(cls, value.get("mesh"), entries=entries)


def _numbers(kind: type[_T], value: Any, **more: Any) -> _T:
    """A `kind` of the numbers in `value`; those that it lacks are 0, those unknown are left out."""
    if not isinstance(value, dict):
        raise CountersError(f"{FILE} isn't what this program wrote.")
    known = {f.name for f in fields(kind) if f.name not in more}  # type: ignore[arg-type]  # both are dataclasses
    found = {name: count for name, count in value.items() if name in known}
    for count in found.values():
        if type(count) is not int or not 0 <= count <= MAX_COUNT:
            raise CountersError(f"{FILE} holds what isn't a count.")
    return kind(**found, **more)
