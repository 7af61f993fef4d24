"""Matches that were left before their end, as their files lie in a player's data folder."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from node.unfinished import Place, Whereabouts, keep_whereabouts
from protocol.files import Disk
from protocol.identity import Identity
from protocol.messages import TABLE_SIZE
from tests.protocol.ring import identities
from tests.tools.running import file_of, parts, small

HERE = "127.0.0.1"
ELSEWHERE = "192.0.2.7"
STEPS = 12


@dataclass
class DataFolder:
    """The data folder of seat 0 of `small`, with the first steps of that match once or oftener."""

    path: Path

    @property
    def identity(self) -> Identity:
        """Whose it is."""
        return identities(2)[0]

    def __post_init__(self) -> None:
        """The key lies there already."""
        self.path.mkdir(mode=0o700, parents=True)
        Disk().publish(self.path / "identity", self.identity._content(""))

    def left(self, name: str, host: str, when: int) -> None:
        """A match called `name` that was written to last at `when`, in seconds since 1970; the
        other seat was at `host`."""
        folder = self.path / "matches" / name
        seat = folder / "seat-0"
        seat.mkdir(parents=True)
        (seat / "journal").touch()
        other = identities(2)[1].public
        places = (Place(other, other, host, 5000),)
        keep_whereabouts(seat, Whereabouts(bytes(TABLE_SIZE), "Tavolo", places))
        whole = parts(small())
        log = folder / f"{name}.busso"
        log.write_bytes(file_of(whole.header, whole.payloads[:STEPS]))
        os.utime(log, (when, when))
