"""The players that this one has met: which key goes with which name, since when.

Law: one text file in the data folder, read strictly and written whole; no socket, the time is a
parameter. It trusts on first use: a name belongs to the first key that was seen with it, and
whoever comes with that name and another key is told of. It never keeps anybody out.

    busso known players 1
    34dcc679f7a8...  1700000000  1700500000  Ada
    key in hex       first seen  last seen   name     seconds since 1970, ascending by key

`first seen` begins anew when a player takes another name, so nobody gets an older claim to a name
by renaming.
"""

from __future__ import annotations

import contextlib
import itertools
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from protocol.contribution import KEY_SIZE
from protocol.encoding import clean_text
from protocol.errors import EncodingError, FileError, FileInUse
from protocol.files import Disk, read_file
from protocol.identity import short_form
from protocol.messages import MAX_NAME

MAX_PLAYERS: Final = 1_024
"""Beyond this the one seen longest ago is forgotten."""
MAX_TIME: Final = 2**40
_HEADING: Final = "busso known players 1"
_LINE: Final = 2 * KEY_SIZE + 3 * 2 + 2 * 13 + 4 * MAX_NAME + 1
_MAX_FILE: Final = len(_HEADING) + 1 + MAX_PLAYERS * _LINE


@dataclass(frozen=True, slots=True)
class Known:
    """One player that was met."""

    key: bytes
    name: str
    first: int
    last: int


class KnownPlayers:
    """The file `path`; made when somebody is met."""

    def __init__(self, path: Path, *, disk: Disk | None = None) -> None:
        """Read it. FileError: it can't be read, or isn't what this program writes."""
        self._path = path
        self._disk = disk or Disk()
        self._players = self._load()
        self._unsaved: dict[bytes, Known] = {}
        """What couldn't be written yet."""

    def __iter__(self) -> Iterator[Known]:
        """Those that were met, by key."""
        return iter(sorted(self._players.values(), key=lambda known: known.key))

    def meet(self, key: bytes, name: str, now: int) -> str:
        """Remember that `key` was met as `name`.

        The short form of the key to which the name belongs, if that is another one; else "". What
        can't be written is remembered until the program ends.
        """
        with self._locked() as locked:
            may_write = locked
            if may_write:
                try:
                    self._players = self._load() | self._unsaved
                except FileError:
                    may_write = False  # somebody damaged it meanwhile: a match goes on
            known = self._players.get(key)
            if known is None or known.name != name:
                known = Known(key, name, now, now)
            known = replace(known, last=max(now, known.last))
            self._players[key] = self._unsaved[key] = known
            while len(self._players) > MAX_PLAYERS:
                oldest = min(self._players.values(), key=_age).key
                del self._players[oldest]
                self._unsaved.pop(oldest, None)
            if may_write and self._save():
                self._unsaved = {}
        holder = self.holder(name)
        return short_form(holder.key) if holder is not None and holder.key != key else ""

    def holder(self, name: str) -> Known | None:
        """Whoever was first met with that name."""
        same = [known for known in self._players.values() if _folded(known.name) == _folded(name)]
        return min(same, key=lambda known: (known.first, known.key), default=None)

    def forget(self, name: str) -> int:
        """Forget everybody of that name, or whose short form it is; how many. FileError."""
        with self._locked() as may_write:
            if not may_write:
                raise FileInUse(f"another Busso is writing {self._path.name}; try again")
            self._players = self._load()
            gone = [
                known.key
                for known in self._players.values()
                if _folded(known.name) == _folded(name) or short_form(known.key) == name.lower()
            ]
            for key in gone:
                del self._players[key]
            if gone and not self._save():
                raise FileError(f"{self._path.name} can't be written")
        return len(gone)

    @contextlib.contextmanager
    def _locked(self) -> Iterator[bool]:
        """Whether no other process writes the file meanwhile."""
        lock = self._path.with_name(f"{self._path.name}.lock")
        try:
            try:
                fd = self._disk.create(lock)
            except FileExistsError:
                fd = self._disk.open(lock)
        except OSError:
            yield False
            return
        try:
            try:
                self._disk.lock(fd)
            except FileInUse:
                yield False
                return
            yield True
        finally:
            self._disk.close(fd)

    def _load(self) -> dict[bytes, Known]:
        if not self._path.exists():
            return {}
        data = read_file(self._path, _MAX_FILE)
        try:
            heading, *lines, end = data.decode("utf-8").split("\n")
            if heading != _HEADING or end or len(lines) > MAX_PLAYERS:
                raise EncodingError("not the file of known players")
            players = [_parse(line) for line in lines]
            if any(a.key >= b.key for a, b in itertools.pairwise(players)):
                raise EncodingError("keys that don't ascend")
        except ValueError as error:
            text = f"{self._path.name} is damaged ({error}); move it away to begin anew"
            raise FileError(text) from error
        return {known.key: known for known in players}

    def _save(self) -> bool:
        """Whether it could be written: a full disk must not end a match."""
        lines = [f"{k.key.hex()} {k.first} {k.last} {k.name}" for k in self]
        try:
            self._disk.replace(self._path, "\n".join([_HEADING, *lines, ""]).encode("utf-8"))
        except OSError:
            return False
        return True


def _parse(line: str) -> Known:
    key, first, last, name = line.split(" ", 3)
    known = Known(bytes.fromhex(key), clean_text(name, MAX_NAME), int(first), int(last))
    if len(known.key) != KEY_SIZE or not 0 <= known.first <= known.last < MAX_TIME:
        raise EncodingError("a key or a time out of bounds")
    if line != f"{known.key.hex()} {known.first} {known.last} {known.name}":
        raise EncodingError("a line that is written otherwise than here")
    return known


def _age(known: Known) -> tuple[int, bytes]:
    return known.last, known.key


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()
