"""A node's journal: what it signed and drew, on the disk before anybody sees it.

Law: this file knows what was signed where and which secrets were drawn. It must never know what
they are for, and nothing in it is ever sent.

    folder/journal    magic, then frames: [1], then records; locked while a process uses it
    folder/seeds/*    the seed of one hand each, readable by the owner only

    record = ["signed", [match, head, step, attempt, class, seat, kind, body, digest, signature]]
           | ["flip", name, secret] | ["seed", name] | ["erased", name]

After a crash the same octets go out again. A seed lies in a file of its own so that it can be
erased: the seed of a void hand would open everybody's hand.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import Final, Self

from protocol.contribution import (
    SIGNATURE_SIZE,
    Class,
    Contribution,
    Entry,
    Kind,
    Place,
    statement,
)
from protocol.encoding import Value, array, integer, octets, pack, text, unpack
from protocol.errors import (
    CorruptLog,
    EncodingError,
    FileError,
    LocalProtocolError,
    RemoteProtocolError,
    WouldContradict,
)
from protocol.evidence_file import entry_value, parse_entry
from protocol.files import Disk, read_file, reason
from protocol.frames import MAX_PAYLOAD, FrameFile, Frames, Magic
from protocol.identity import Identity, verify

FORMAT: Final = 1
SECRET_SIZE: Final = 32
MAX_LABEL: Final = 128

_Slot = tuple[bytes, int, int, Class]
"""(match, step, attempt, class): where a node signs once, unless a decision releases it."""


class Journal:
    """The journal in one folder; `FileError`. Only one process at a time may have it open."""

    def __init__(
        self,
        folder: Path,
        *,
        random: Callable[[int], bytes] = secrets.token_bytes,
        disk: Disk | None = None,
    ) -> None:
        """Open the journal, or begin one; `FileInUse` if another process has it.

        `random` gives secret octets.
        """
        self._folder = folder
        self._random = random
        self._disk = disk or Disk()
        self._entries: list[Entry] = []
        self._slots: dict[_Slot, dict[bytes, Contribution]] = {}
        self._flips: dict[bytes, bytes] = {}
        self._drawn: set[bytes] = set()
        self._erased: set[bytes] = set()
        self._seeds: Final = folder / "seeds"
        try:
            self._make_folders()
        except OSError as error:
            raise FileError(f"{folder.name} can't hold a journal: {reason(error)}") from error
        self._file = self._open_file(folder / "journal")
        try:
            self._sweep()
        except BaseException:
            self._file.close()
            raise

    def sign(  # noqa: PLR0917  # what is signed, in the order in which it is signed
        self,
        identity: Identity,
        place: Place,
        seat: int,
        kind: Kind,
        body: bytes,
        digest: bytes,
        *,
        release: bool = False,
    ) -> Contribution:
        """The contribution of `seat` at `place`, on the disk before this returns.

        Asked again for the same, it returns the same octets. `WouldContradict` if other content
        was signed at that place, or if another head was signed for the same step, attempt and
        class; `release` allows the latter, after a decision of the table that cut the log back.
        """
        unsigned = Contribution(seat, kind, body, digest, bytes(SIGNATURE_SIZE))
        _check_readable(Entry(place, unsigned))
        signed = self._slots.get(_slot(place), {})
        before = signed.get(place.head)
        if before is not None:
            if before == Contribution(seat, kind, body, digest, before.signature):
                if not verify(identity.public, statement(place, before), before.signature):
                    raise LocalProtocolError("this journal belongs to another identity")
                return before
            raise WouldContradict(
                f"step {place.step} was already signed with other content ({before.kind})"
            )
        if signed and not release:
            raise WouldContradict(f"step {place.step} was already signed on another head")
        signature = identity.sign(statement(place, unsigned))
        contribution = Contribution(seat, kind, body, digest, signature)
        self._record(("signed", entry_value(Entry(place, contribution))))
        self._remember(Entry(place, contribution))
        return contribution

    def adopt(self, key: bytes, place: Place, contribution: Contribution) -> None:
        """Take back an own contribution that peers kept while this journal was lost.

        `key` is the own public key. `RemoteProtocolError` if it didn't sign this. Contradicting
        ones are all kept: whatever was signed before stays signed.
        """
        _check_readable(Entry(place, contribution))
        if not verify(key, statement(place, contribution), contribution.signature):
            raise RemoteProtocolError("this contribution was not signed by us")
        signed = self._slots.get(_slot(place), {})
        if signed.get(place.head) == contribution:
            return
        self._record(("signed", entry_value(Entry(place, contribution))))
        self._remember(Entry(place, contribution))

    def signed_at(self, place: Place) -> Contribution | None:
        """What was signed at `place`, if anything."""
        return self._slots.get(_slot(place), {}).get(place.head)

    def entries(self, match: bytes) -> tuple[Entry, ...]:
        """All that was signed in a match, oldest first: what a node sends again after a crash."""
        return tuple(entry for entry in self._entries if entry.place.match == match)

    def flip_secret(self, flip: bytes) -> bytes:
        """The 32-octet secret of a joint coin flip, drawn the first time and kept."""
        _check_label(flip)
        if flip not in self._flips:
            secret = self._draw()
            self._record(("flip", flip, secret))
            self._flips[flip] = secret
        return self._flips[flip]

    def seed(self, hand_id: bytes) -> bytes:
        """The 32-octet seed of a hand, drawn the first time and kept until it is erased.

        `LocalProtocolError` after `erase_seed`; `FileError` if the file was lost. A second seed is
        never drawn for one hand: its commitment may be out.
        """
        _check_label(hand_id)
        if hand_id in self._erased:
            raise LocalProtocolError("the seed of this hand was erased")
        path = self._seed_path(hand_id)
        if hand_id in self._drawn or path.exists():
            seed = read_file(path, SECRET_SIZE)
            if len(seed) != SECRET_SIZE:
                raise FileError(f"{path.name} is not the seed of a hand")
        else:
            seed = self._draw()
            try:
                self._disk.publish(path, seed)
            except OSError as error:
                raise FileError(f"{path.name} can't be written: {reason(error)}") from error
        if hand_id not in self._drawn:
            self._record(("seed", hand_id))
            self._drawn.add(hand_id)
        return seed

    def erase_seed(self, hand_id: bytes) -> None:
        """Delete a hand's seed for good; a hand whose seed was never drawn gets none any more."""
        _check_label(hand_id)
        if hand_id not in self._erased:
            self._record(("erased", hand_id))
            self._erased.add(hand_id)
        self._wipe(self._seed_path(hand_id))

    def close(self) -> None:
        """Close the file and let go of its lock; closing twice does nothing."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _make_folders(self) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self._seeds.exists():
            self._seeds.mkdir(mode=0o700, exist_ok=True)
            self._disk.sync_folder(self._folder)
            self._disk.sync_folder(self._folder.parent)

    def _open_file(self, path: Path) -> FrameFile:
        if not path.exists():
            return FrameFile.create(path, Magic.JOURNAL, pack((FORMAT,)), self._disk)
        return FrameFile.reopen(path, Magic.JOURNAL, self._disk, self._read)[0]

    def _read(self, frames: Frames) -> None:
        for number, payload in enumerate(frames.payloads):
            try:
                if number == 0:
                    integer(array(unpack(payload, limit=16), "journal", 1)[0], "format", 1, FORMAT)
                else:
                    self._replay(unpack(payload, limit=MAX_PAYLOAD))
            except EncodingError as error:
                raise CorruptLog(
                    f"record {number} of the journal can't be read: {error}",
                    frames.offsets[number],
                    number,
                ) from error

    def _replay(self, value: Value) -> None:
        name, *fields = array(value, "record", 2, 3)
        what = text(name, "record", 1, 16)
        if what == "signed" and len(fields) == 1:
            self._remember(parse_entry(fields[0]))
            return
        label = octets(fields[0], "label", 1, MAX_LABEL)
        if what == "flip" and len(fields) == 2:
            self._flips[label] = octets(fields[1], "secret", SECRET_SIZE)
        elif what == "seed" and len(fields) == 1:
            self._drawn.add(label)
        elif what == "erased" and len(fields) == 1:
            self._erased.add(label)
        else:
            raise EncodingError(f"an unknown record {what!r}")

    def _record(self, value: Value) -> None:
        """Write a record and return when it is on the disk."""
        self._file.append(pack(value))
        self._file.sync()

    def _remember(self, entry: Entry) -> None:
        self._entries.append(entry)
        signed = self._slots.setdefault(_slot(entry.place), {})
        signed.setdefault(entry.place.head, entry.contribution)

    def _draw(self) -> bytes:
        secret = self._random(SECRET_SIZE)
        if len(secret) != SECRET_SIZE:
            raise LocalProtocolError(f"the source of randomness gave {len(secret)} octets")
        return secret

    def _sweep(self) -> None:
        """Finish what a crash interrupted: drafts of seeds and seeds recorded as erased."""
        try:
            for draft in self._seeds.glob("*.new-*"):
                self._disk.remove(draft)  # not overwritten: perhaps a second name of a live seed
        except OSError as error:
            raise FileError(f"the seeds can't be tidied up: {reason(error)}") from error
        for hand_id in self._erased:
            self._wipe(self._seed_path(hand_id))

    def _seed_path(self, hand_id: bytes) -> Path:
        return self._seeds / hashlib.sha256(b"busso/seed-file/1\x00" + hand_id).hexdigest()[:32]

    def _wipe(self, path: Path) -> None:
        if not path.exists():
            return
        try:
            # Overwritten first, for what that is worth on the disk at hand.
            fd = self._disk.open(path)
            try:
                self._disk.write(fd, bytes(SECRET_SIZE))
                self._disk.sync(fd)
            finally:
                self._disk.close(fd)
            self._disk.remove(path)
            self._disk.sync_folder(self._seeds)
        except OSError as error:
            raise FileError(f"{path.name} can't be erased: {reason(error)}") from error


def _slot(place: Place) -> _Slot:
    return place.match, place.step, place.attempt, place.cls


def _check_readable(entry: Entry) -> None:
    """Refuse what could not be read back: one such record would make the journal useless."""
    try:
        parse_entry(entry_value(entry))
    except EncodingError as error:
        raise LocalProtocolError(f"this can't be signed: {error}") from error


def _check_label(label: bytes) -> None:
    if not 1 <= len(label) <= MAX_LABEL:
        raise LocalProtocolError(f"a label has 1 to {MAX_LABEL} octets, not {len(label)}")
