"""The journal: nothing leaves the node that isn't on its disk, nothing is signed against itself."""

from __future__ import annotations

import dataclasses
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.contribution import Class, Contribution, Entry, Kind, Place, statement
from protocol.encoding import pack
from protocol.errors import (
    CorruptLog,
    FileError,
    FileInUse,
    LocalProtocolError,
    NotALog,
    RemoteProtocolError,
    WouldContradict,
)
from protocol.files import Disk
from protocol.frames import Magic, frame, read_frames
from protocol.identity import Identity, verify
from protocol.journal import Journal
from tests.protocol.faults import FaultyDisk, Killed

ME = Identity(bytes([1]) * 32)
OTHER = Identity(bytes([2]) * 32)
PLACE = Place(b"m" * 32, b"h" * 32, 5)
DIGEST = b"digest.."


class Source:
    """Octets that differ with every draw."""

    def __init__(self, first: int = 1) -> None:
        self.draws = first

    def __call__(self, size: int) -> bytes:
        self.draws += 1
        return self.draws.to_bytes(size, "big")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "journal"


@pytest.fixture
def journal(folder: Path) -> Iterator[Journal]:
    with Journal(folder, random=Source(), disk=FaultyDisk()) as opened:
        yield opened


def move(
    journal: Journal, place: Place = PLACE, body: bytes = b"a", *, release: bool = False
) -> Contribution:
    return journal.sign(ME, place, 2, Kind.MOVE, body, DIGEST, release=release)


def replaced(place: Place, **changes: object) -> Place:
    return dataclasses.replace(place, **changes)  # type: ignore[arg-type]  # fields of a Place


# Signing


def test_it_signs_what_was_asked(journal: Journal) -> None:
    made = move(journal)
    assert made == Contribution(2, Kind.MOVE, b"a", DIGEST, made.signature)
    assert verify(ME.public, statement(PLACE, made), made.signature)
    assert journal.entries(PLACE.match) == (Entry(PLACE, made),)
    assert journal.entries(b"x" * 32) == ()


def test_the_same_again_is_the_same_octets(journal: Journal, folder: Path) -> None:
    made = move(journal)
    size = (folder / "journal").stat().st_size
    assert move(journal) is made
    assert move(journal, release=True) is made
    assert (folder / "journal").stat().st_size == size


@pytest.mark.parametrize("release", [False, True])
@pytest.mark.parametrize(
    "content",
    [
        (2, Kind.MOVE, b"b", DIGEST),
        (2, Kind.ANSWER, b"a", DIGEST),
        (3, Kind.MOVE, b"a", DIGEST),
        (2, Kind.MOVE, b"a", b"other..."),
    ],
    ids=["body", "kind", "seat", "digest"],
)
def test_other_content_is_never_signed_at_the_same_place(
    journal: Journal, content: tuple[int, Kind, bytes, bytes], release: bool
) -> None:
    made = move(journal)
    with pytest.raises(WouldContradict, match="step 5 was already signed with other content"):
        journal.sign(ME, PLACE, *content, release=release)
    assert journal.entries(PLACE.match) == (Entry(PLACE, made),)


def test_another_head_needs_a_release(journal: Journal) -> None:
    first = move(journal)
    place = replaced(PLACE, head=b"g" * 32)
    with pytest.raises(WouldContradict, match="another head"):
        move(journal, place)
    second = move(journal, place, release=True)
    assert verify(ME.public, statement(place, second), second.signature)
    assert move(journal, place) == second
    assert move(journal) == first
    with pytest.raises(WouldContradict):
        move(journal, place, b"b", release=True)
    with pytest.raises(WouldContradict):
        move(journal, replaced(PLACE, head=b"f" * 32))


@pytest.mark.parametrize(
    "changes",
    [{"match": b"n" * 32}, {"step": 6}, {"attempt": 1}, {"cls": Class.VOTE}],
    ids=lambda c: next(iter(c)),
)
def test_other_places_are_free(journal: Journal, changes: dict[str, object]) -> None:
    move(journal)
    assert move(journal, replaced(PLACE, **changes), b"b").body == b"b"


def test_a_journal_serves_one_identity(journal: Journal) -> None:
    move(journal)
    with pytest.raises(LocalProtocolError, match="another identity"):
        journal.sign(OTHER, PLACE, 2, Kind.MOVE, b"a", DIGEST)


@pytest.mark.parametrize(
    ("place", "body", "digest"),
    [
        (replaced(PLACE, match=b"m"), b"a", DIGEST),
        (replaced(PLACE, head=b""), b"a", DIGEST),
        (replaced(PLACE, step=-1), b"a", DIGEST),
        (replaced(PLACE, step=2**32), b"a", DIGEST),
        (replaced(PLACE, attempt=256), b"a", DIGEST),
        (PLACE, bytes(60_001), DIGEST),
        (PLACE, b"a", b"short"),
    ],
    ids=range(7),
)
def test_what_could_not_be_read_back_is_not_signed(
    journal: Journal, folder: Path, place: Place, body: bytes, digest: bytes
) -> None:
    before = (folder / "journal").read_bytes()
    with pytest.raises(LocalProtocolError):
        journal.sign(ME, place, 2, Kind.MOVE, body, digest)
    with pytest.raises(LocalProtocolError):
        journal.sign(ME, PLACE, 64, Kind.MOVE, b"a", DIGEST)
    assert (folder / "journal").read_bytes() == before


def test_all_is_remembered(folder: Path) -> None:
    places = [replaced(PLACE, step=step) for step in range(1, 5)]
    with Journal(folder, random=Source()) as journal:
        made = [move(journal, place) for place in places]
        flip, seed = journal.flip_secret(b"flip"), journal.seed(b"hand 1")
        journal.seed(b"hand 2")
        journal.erase_seed(b"hand 2")
    with Journal(folder, random=Source(100)) as journal:
        assert [move(journal, place) for place in places] == made
        assert [e.contribution for e in journal.entries(PLACE.match)] == made
        for place in places:
            with pytest.raises(WouldContradict):
                move(journal, place, b"b")
        assert journal.flip_secret(b"flip") == flip
        assert journal.seed(b"hand 1") == seed
        with pytest.raises(LocalProtocolError, match="erased"):
            journal.seed(b"hand 2")


def test_own_contributions_come_back_from_peers(journal: Journal, tmp_path: Path) -> None:
    made = move(journal)
    with Journal(tmp_path / "new") as fresh:
        fresh.adopt(ME.public, PLACE, made)
        fresh.adopt(ME.public, PLACE, made)
        assert fresh.entries(PLACE.match) == (Entry(PLACE, made),)
        assert move(fresh) == made
        with pytest.raises(WouldContradict):
            move(fresh, body=b"b")
        with pytest.raises(RemoteProtocolError):
            fresh.adopt(OTHER.public, PLACE, made)
        with pytest.raises(RemoteProtocolError):
            fresh.adopt(ME.public, replaced(PLACE, step=6), made)
    with Journal(tmp_path / "new") as fresh:
        assert move(fresh) == made


# Secrets


def test_secrets_are_drawn_once(journal: Journal) -> None:
    drawn = {
        journal.flip_secret(b"1"),
        journal.flip_secret(b"2"),
        journal.seed(b"1"),
        journal.seed(b"2"),
    }
    assert len(drawn) == 4
    assert all(len(secret) == 32 for secret in drawn)
    assert {journal.flip_secret(b"1"), journal.flip_secret(b"2")} < drawn
    assert {journal.seed(b"1"), journal.seed(b"2")} < drawn


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")
def test_only_the_owner_can_read_them(folder: Path) -> None:
    before = os.umask(0)
    try:
        with Journal(folder) as journal:
            journal.seed(b"hand")
    finally:
        os.umask(before)
    modes = {p.relative_to(folder).parts[0]: p.stat().st_mode & 0o777 for p in folder.iterdir()}
    assert modes == {"journal": 0o600, "seeds": 0o700}
    assert [p.stat().st_mode & 0o777 for p in (folder / "seeds").iterdir()] == [0o600]
    assert folder.stat().st_mode & 0o777 == 0o700


def test_an_erased_seed_is_nowhere(journal: Journal, folder: Path) -> None:
    seed = journal.seed(b"hand")
    assert any(seed in p.read_bytes() for p in folder.rglob("*") if p.is_file())
    journal.erase_seed(b"hand")
    journal.erase_seed(b"hand")
    assert not any(seed in p.read_bytes() for p in folder.rglob("*") if p.is_file())
    with pytest.raises(LocalProtocolError, match="erased"):
        journal.seed(b"hand")


def test_a_hand_can_be_given_up_before_its_seed_is_drawn(journal: Journal) -> None:
    journal.erase_seed(b"hand")
    with pytest.raises(LocalProtocolError, match="erased"):
        journal.seed(b"hand")


def test_a_lost_seed_is_not_replaced(journal: Journal, folder: Path) -> None:
    """Its commitment may be out: another seed would make its owner a cheat."""
    journal.seed(b"hand")
    (file,) = (folder / "seeds").iterdir()
    file.write_bytes(b"short")
    with pytest.raises(FileError, match="not the seed of a hand"):
        journal.seed(b"hand")
    file.unlink()
    with pytest.raises(FileError, match="can't be read"):
        journal.seed(b"hand")
    journal.close()
    with Journal(folder) as again, pytest.raises(FileError, match="can't be read"):
        again.seed(b"hand")


def test_labels_and_randomness_are_checked(tmp_path: Path) -> None:
    with Journal(tmp_path, random=lambda size: b"short") as journal:
        for act in (journal.flip_secret, journal.seed):
            with pytest.raises(LocalProtocolError, match="randomness"):
                act(b"x")
        takers: tuple[Callable[[bytes], object], ...]
        takers = (journal.flip_secret, journal.seed, journal.erase_seed)
        for take in takers:
            for label in (b"", b"x" * 129):
                with pytest.raises(LocalProtocolError, match="label"):
                    take(label)


# The file


def test_everything_is_synced_before_it_is_shown(folder: Path) -> None:
    disk = FaultyDisk()
    publish = ["remove", "create", "write", "sync", "link", "remove", "sync_folder"]
    record = ["write", "sync"]
    with Journal(folder, random=Source(), disk=disk) as journal:
        acts: list[tuple[Callable[[], object], list[str]]] = [
            (lambda: move(journal), record),
            (lambda: journal.flip_secret(b"1"), record),
            (lambda: journal.seed(b"1"), publish + record),
            (lambda: journal.seed(b"1"), []),
            (lambda: journal.erase_seed(b"1"), [*record, "write", "sync", "remove", "sync_folder"]),
        ]
        for act, expected in acts:
            disk.done.clear()
            act()
            assert [operation.name for operation in disk.done] == expected


def test_a_cut_at_every_octet(folder: Path, tmp_path: Path) -> None:
    places = [replaced(PLACE, step=step) for step in (1, 2)]
    with Journal(folder, disk=FaultyDisk()) as journal:
        made = [move(journal, place) for place in places]
    data = (folder / "journal").read_bytes()
    offsets = [*read_frames(data, Magic.JOURNAL).offsets, len(data)]
    for size in range(offsets[1], len(data)):
        cut = tmp_path / str(size)
        cut.mkdir()
        (cut / "journal").write_bytes(data[:size])
        whole = sum(offset <= size for offset in offsets) - 2
        with Journal(cut, disk=FaultyDisk()) as journal:
            assert [e.contribution for e in journal.entries(PLACE.match)] == made[:whole]
            assert [move(journal, place) for place in places] == made
        assert (cut / "journal").read_bytes() == data
        assert (cut / "journal.torn-1").exists() == (size not in offsets)


def test_damage_and_strangers_are_refused(folder: Path) -> None:
    with Journal(folder) as journal:
        move(journal)
        journal.flip_secret(b"1")
    file = folder / "journal"
    data = file.read_bytes()
    changed = bytearray(data)
    changed[40] ^= 1
    first = Magic.JOURNAL.value + frame(pack((1,)))
    for content, error in (
        (bytes(changed), CorruptLog),
        (data[:10], CorruptLog),
        (b"", NotALog),
        (Magic.LOG.value + data[8:], NotALog),
        (Magic.JOURNAL.value + frame(pack((2,))), CorruptLog),
        (first + frame(pack(("signed", 1))), CorruptLog),
        (first + frame(pack(("flip", b"1"))), CorruptLog),
        (first + frame(pack(("seed", b"1", b"2"))), CorruptLog),
        (first + frame(pack(("else", b"1"))), CorruptLog),
        (first + frame(pack(1)), CorruptLog),
        (first + frame(b"\xc0"), CorruptLog),
    ):
        file.write_bytes(content)
        with pytest.raises(error):
            Journal(folder)
        assert file.read_bytes() == content
    file.write_bytes(data)
    Journal(folder).close()  # and none of the refusals kept the lock


@settings(max_examples=40)
@given(data=st.lists(st.binary(min_size=1, max_size=60), max_size=4), tail=st.binary(max_size=60))
def test_arbitrary_journals(
    data: list[bytes], tail: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("journal")
    content = Magic.JOURNAL.value + frame(pack((1,))) + b"".join(map(frame, data)) + tail
    (folder / "journal").write_bytes(content)
    if data:
        with pytest.raises(CorruptLog):
            Journal(folder, disk=FaultyDisk())
    else:
        Journal(folder, disk=FaultyDisk()).close()


def test_folders_that_can_not_hold_a_journal(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    for folder in (tmp_path / "file", tmp_path / "file" / "deeper"):
        with pytest.raises(FileError, match="can't hold a journal"):
            Journal(folder)


# One process at a time


def test_two_can_not_have_it_open(folder: Path) -> None:
    with Journal(folder) as journal:
        with pytest.raises(FileInUse, match="another running Busso"):
            Journal(folder)
        move(journal)
    journal.close()
    Journal(folder).close()


HOLD = """
import sys
from pathlib import Path
from protocol.journal import Journal
from protocol.identity import Identity
from protocol.contribution import Place, Kind
journal = Journal(Path(sys.argv[1]))
place = Place(b"m" * 32, b"h" * 32, 5)
made = journal.sign(Identity(bytes([1]) * 32), place, 2, Kind.MOVE, b"a", b"digest..")
print(made.signature.hex(), flush=True)
sys.stdin.read()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_a_killed_process_leaves_no_lock_and_all_it_signed(folder: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parent.parent.parent,
    ) as process:
        assert process.stdout is not None
        signature = bytes.fromhex(process.stdout.readline().decode())
        with pytest.raises(FileInUse):
            Journal(folder)
        process.send_signal(signal.SIGKILL)
        process.wait()
    with Journal(folder) as journal:
        assert move(journal).signature == signature
        with pytest.raises(WouldContradict):
            move(journal, body=b"b")


# Crashes


def session(folder: Path, disk: Disk, shown: list[object], first_draw: int) -> None:
    """Everything that a node shows to others goes through `shown`, as it would onto a wire."""
    with Journal(folder, random=Source(first_draw), disk=disk) as journal:
        shown.append(("move", move(journal)))
        shown.append(("flip", journal.flip_secret(b"flip")))
        seed = journal.seed(b"hand")
        assert seed != bytes(32)  # which is what an erased one would hold
        shown.append(("seed", seed))
        shown.append(("vote", move(journal, replaced(PLACE, cls=Class.VOTE), b"v")))
        journal.erase_seed(b"hand 0")


def survivors(folder: Path, first_draw: int) -> list[object]:
    shown: list[object] = []
    session(folder, FaultyDisk(), shown, first_draw)
    return shown


@pytest.mark.parametrize("how", ["kill", "fail"])
def test_nothing_shown_is_ever_forgotten(tmp_path: Path, how: str) -> None:
    disk = FaultyDisk()
    session(tmp_path / "count", disk, [], 1)
    assert len(disk.done) > 20
    for number, operation in enumerate(disk.done):
        for part in range(3 if operation.name == "write" else 1):
            folder = tmp_path / f"{number}-{part}"
            shown: list[object] = []
            faulty = FaultyDisk(part=part, **{f"{how}_at": number})
            if how == "fail" and operation.name == "remove":
                continue
            with pytest.raises(Killed if how == "kill" else FileError):
                session(folder, faulty, shown, 1)
            again = survivors(folder, 1000)
            assert again[: len(shown)] == shown
            assert survivors(folder, 2000) == again


def test_a_crash_while_erasing_is_finished_at_the_next_start(tmp_path: Path) -> None:
    def erase(folder: Path, disk: Disk) -> None:
        with Journal(folder, random=Source(), disk=disk) as journal:
            journal.seed(b"hand")
            journal.erase_seed(b"hand")

    disk = FaultyDisk()
    erase(tmp_path / "count", disk)
    erased = b'"erased"'
    for number in range(len(disk.done)):
        folder = tmp_path / str(number)
        with pytest.raises(Killed):
            erase(folder, FaultyDisk(kill_at=number))
        recorded = (folder / "journal").exists() and erased[1:-1] in (
            folder / "journal"
        ).read_bytes()
        with Journal(folder, disk=FaultyDisk()) as journal:
            names = [p.name for p in (folder / "seeds").iterdir()]
            assert not any(".new-" in name for name in names)
            if recorded:
                assert names == []
                with pytest.raises(LocalProtocolError):
                    journal.seed(b"hand")


@pytest.mark.parametrize("draft", [True, False])
def test_a_failing_start_is_one_sentence_and_lets_go_of_the_journal(
    folder: Path, draft: bool
) -> None:
    with Journal(folder, random=Source()) as journal:
        journal.seed(b"hand")
        (file,) = (folder / "seeds").iterdir()
        seed = file.read_bytes()
        journal.erase_seed(b"hand")
    (file.with_name(file.name + ".new-1") if draft else file).write_bytes(seed)
    disk = FaultyDisk()
    disk.fail_at = 1 if draft else 2  # removing the draft; syncing the zeros
    with pytest.raises(FileError, match="No space left"):
        Journal(folder, disk=disk)
    Journal(folder).close()
    assert list((folder / "seeds").iterdir()) == []
