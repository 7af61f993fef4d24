"""Matches of this player that have no end yet, and where the others were last reached.

Law: this file reads what lies in the data folder and writes one small file a match; no socket. What
it finds may be taken up again (`node.reunion`): the log says how far the match is, the journal what
this seat has signed.

    data/matches/NAME/NAME.busso             the log
    data/matches/NAME/seat-K/journal         what seat K signed
    data/matches/NAME/seat-K/whereabouts     [1, table, its name, [[key, CURVE key, host, port]]]
"""

from __future__ import annotations

import contextlib
import ipaddress
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from protocol.contribution import KEY_SIZE, MAX_SEATS, Kind
from protocol.encoding import array, integer, octets, pack, text, unpack
from protocol.errors import EncodingError, FileError, ProtocolError
from protocol.files import Disk, read_file
from protocol.header import SignedHeader, parse_header
from protocol.identity import Identity
from protocol.log import read_log
from protocol.messages import MAX_NAME, TABLE_SIZE

FORMAT: Final = 1
FILE: Final = "whereabouts"
MAX_FILE: Final = 16_384
MAX_MATCHES: Final = 4_096
"""Folders that are looked at, the newest first."""
_ENDS: Final = (Kind.FOOTER, Kind.ABANDON)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a process of a player listened when it was last heard; `host` is numeric."""

    key: bytes
    curve: bytes
    host: str
    port: int


@dataclass(frozen=True, slots=True)
class Whereabouts:
    """The table of a match, its name, and where the other seats were."""

    table: bytes
    name: str
    places: tuple[Place, ...] = ()

    def pack(self) -> bytes:
        """The octets of the file."""
        places = tuple((p.key, p.curve, p.host, p.port) for p in self.places)
        return pack((FORMAT, self.table, self.name, places))

    @classmethod
    def parse(cls, data: bytes) -> Whereabouts:
        """Read it strictly; EncodingError."""
        version, table, name, places = array(unpack(data, limit=MAX_FILE), "whereabouts", 4)
        integer(version, "format", FORMAT, FORMAT)
        found = []
        for item in array(places, "places", 0, MAX_SEATS):
            key, curve, host, port = array(item, "place", 4)
            found.append(
                Place(
                    octets(key, "key", KEY_SIZE),
                    octets(curve, "CURVE key", KEY_SIZE),
                    _numeric(text(host, "host", 1, 64)),
                    integer(port, "port", 1, 65_535),
                )
            )
        return cls(
            octets(table, "table", TABLE_SIZE), text(name, "name", 1, MAX_NAME), tuple(found)
        )


def _numeric(host: str) -> str:
    try:
        return str(ipaddress.ip_address(host))
    except ValueError as error:
        raise EncodingError("a host that is no address") from error


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A match that can be taken up again: its log in `folder`, this player's `seat`."""

    folder: Path
    log: Path
    signed: SignedHeader
    seat: int
    steps: int

    @property
    def name(self) -> str:
        """The name of the match's folder and log."""
        return self.folder.name

    @property
    def seat_folder(self) -> Path:
        """Where the journal lies."""
        return self.folder / f"seat-{self.seat}"

    @property
    def local(self) -> bool:
        """Whether all others were on this computer, as computer players are who end with it."""
        known = self.whereabouts()
        places = known.places if known else ()
        return bool(places) and all(ipaddress.ip_address(p.host).is_loopback for p in places)

    def whereabouts(self) -> Whereabouts | None:
        """Where the others were, None if that isn't known: then they have to be found."""
        with contextlib.suppress(FileError, EncodingError, OSError):
            return Whereabouts.parse(read_file(self.seat_folder / FILE, MAX_FILE))
        return None


def keep_whereabouts(folder: Path, whereabouts: Whereabouts) -> None:
    """Write them into a seat's folder, whole or not at all. Failing is no harm: they are a hint."""
    with contextlib.suppress(OSError):
        Disk().replace(folder / FILE, whereabouts.pack())


def unfinished(data: Path, identity: Identity) -> Iterator[Unfinished]:
    """This player's matches without an end, the newest first; unreadable files are passed over."""
    folder = data / "matches"
    if not folder.is_dir():
        return
    dated = []
    for match in folder.iterdir():
        log = match / f"{match.name}.busso"
        with contextlib.suppress(OSError):
            dated.append((log.stat().st_mtime, match.name, match, log))
    for _, _, match, log in sorted(dated, reverse=True)[:MAX_MATCHES]:
        with contextlib.suppress(ProtocolError, OSError):
            found = _look(match, log, identity)
            if found is not None:
                yield found


def first_choice(found: Iterable[Unfinished]) -> Unfinished | None:
    """The match to go back to where nobody says which, of several with the newest first: one whose
    players may be anywhere rather than one that was played on this computer alone."""
    newest: Unfinished | None = None
    for match in found:
        if not match.local:
            return match
        newest = newest or match
    return newest


def _look(folder: Path, log: Path, identity: Identity) -> Unfinished | None:
    held = read_log(log)
    signed = parse_header(held.header)
    if identity.public not in signed.header.keys:
        return None
    if held.steps and held.steps[-1].entries[0].kind in _ENDS:
        return None
    seat = signed.header.keys.index(identity.public)
    if not (folder / f"seat-{seat}" / "journal").exists():
        return None
    return Unfinished(folder, log, signed, seat, len(held.steps))
