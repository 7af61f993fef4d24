"""Known players: a name belongs to the first key; the file is strict, bounded and its owner's."""

from __future__ import annotations

import json
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node import known as module
from node.known import KnownPlayers
from node.words import spoken
from protocol.errors import FileError
from protocol.files import Disk
from protocol.identity import short_form

ADA, BRUNO, CARLA = (bytes([n]) * 32 for n in (1, 2, 3))
VECTORS = Path(__file__).parent.parent / "vectors" / "identity"


def test_who_was_met_is_remembered_from_one_run_to_the_next(tmp_path: Path) -> None:
    path = tmp_path / "known_players"
    players = KnownPlayers(path)
    assert players.meet(BRUNO, "Bruno", 200) == ""
    assert players.meet(ADA, "Ada", 100) == ""
    assert players.meet(ADA, "Ada", 300) == ""
    assert path.read_text("utf-8") == (
        f"busso known players 1\n{ADA.hex()} 100 300 Ada\n{BRUNO.hex()} 200 200 Bruno\n"
    )
    assert [k.name for k in KnownPlayers(path)] == ["Ada", "Bruno"]
    if sys.platform != "win32":
        assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_name_belongs_to_the_first_key(tmp_path: Path) -> None:
    players = KnownPlayers(tmp_path / "known_players")
    players.meet(ADA, "Ada", 100)
    assert players.meet(BRUNO, "ada", 200) == short_form(ADA), "in any case of the letters"
    assert players.meet(BRUNO, "ada", 300) == short_form(ADA), "every time, not only once"
    assert players.meet(ADA, "Ada", 400) == ""


def test_a_new_name_is_no_old_claim(tmp_path: Path) -> None:
    """Carla was met long before Ada, but not as Ada."""
    players = KnownPlayers(tmp_path / "known_players")
    players.meet(CARLA, "Carla", 1)
    players.meet(ADA, "Ada", 100)
    assert players.meet(CARLA, "Ada", 200) == short_form(ADA)
    assert players.meet(ADA, "Ada", 300) == ""


def test_a_forgotten_name_is_free(tmp_path: Path) -> None:
    players = KnownPlayers(tmp_path / "known_players")
    players.meet(ADA, "Ada", 100)
    players.meet(BRUNO, "Ada", 200)
    assert players.forget(short_form(ADA)) == 1
    assert players.meet(BRUNO, "Ada", 300) == ""
    assert players.forget("nobody") == 0
    assert players.forget("ADA") == 1
    assert not list(KnownPlayers(tmp_path / "known_players"))


def test_the_one_seen_longest_ago_gives_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_PLAYERS", 2)
    players = KnownPlayers(tmp_path / "known_players")
    for now, (key, name) in enumerate(((ADA, "Ada"), (BRUNO, "Bruno"), (ADA, "Ada"))):
        players.meet(key, name, now)
    players.meet(CARLA, "Carla", 9)
    assert [k.name for k in KnownPlayers(tmp_path / "known_players")] == ["Ada", "Carla"]


def test_two_programs_dont_forget_each_others_players(tmp_path: Path) -> None:
    one, two = (KnownPlayers(tmp_path / "known_players") for _ in range(2))
    one.meet(ADA, "Ada", 100)
    two.meet(BRUNO, "Bruno", 100)
    assert len(list(KnownPlayers(tmp_path / "known_players"))) == 2


GOOD = f"{ADA.hex()} 100 300 Ada"


@pytest.mark.parametrize(
    "lines",
    [
        [],
        ["busso known players 2", ""],
        ["busso known players 1"],
        ["busso known players 1", GOOD],
        ["busso known players 1", GOOD, GOOD, ""],
        ["busso known players 1", f"{BRUNO.hex()} 1 1 B", GOOD, ""],
        ["busso known players 1", f"{ADA.hex()[:-2]} 100 300 Ada", ""],
        ["busso known players 1", f"{'AB' * 32} 100 300 Ada", ""],
        ["busso known players 1", f"{ADA.hex()} 300 100 Ada", ""],
        ["busso known players 1", f"{ADA.hex()} -1 100 Ada", ""],
        ["busso known players 1", f"{ADA.hex()} 0100 300 Ada", ""],
        ["busso known players 1", f"{ADA.hex()} 100 {2**40} Ada", ""],
        ["busso known players 1", f"{ADA.hex()} 100 300 ", ""],
        ["busso known players 1", f"{ADA.hex()} 100 300 A\x1bda", ""],
        ["busso known players 1", f"{ADA.hex()} 100 300", ""],
        ["busso known players 1", "", ""],
    ],
)
def test_a_damaged_file_is_refused_and_left_alone(tmp_path: Path, lines: list[str]) -> None:
    path = tmp_path / "known_players"
    path.write_text("\n".join(lines), "utf-8")
    before = path.read_bytes()
    with pytest.raises(FileError, match="move it away"):
        KnownPlayers(path)
    assert path.read_bytes() == before


@given(st.binary(max_size=300))
def test_any_octets_are_refused_or_read(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.mktemp("known") / "known_players"
    path.write_bytes(data)
    with pytest.raises(FileError):
        KnownPlayers(path)


def test_a_full_disk_ends_no_match(tmp_path: Path) -> None:
    class Full(Disk):
        def write(self, fd: int, data: bytes) -> None:
            raise OSError(28, "No space left on device")

    players = KnownPlayers(tmp_path / "known_players", disk=Full())
    assert players.meet(ADA, "Ada", 100) == ""
    assert players.meet(BRUNO, "Ada", 200) == short_form(ADA), "remembered till the end"
    assert not (tmp_path / "known_players").exists()


def test_who_damages_the_file_meanwhile_ends_no_match(tmp_path: Path) -> None:
    path = tmp_path / "known_players"
    players = KnownPlayers(path)
    players.meet(ADA, "Ada", 100)
    path.write_bytes(b"junk")
    assert players.meet(BRUNO, "Bruno", 200) == ""
    assert path.read_bytes() == b"junk"


@pytest.mark.parametrize("vector", json.loads((VECTORS / "words.json").read_text("utf-8")))
def test_the_words_of_a_key_are_the_same_for_ever(vector: dict[str, str]) -> None:
    assert spoken(bytes.fromhex(vector["key"])) == vector["words"]


def test_words_use_54_bits_of_a_key() -> None:
    every = {spoken(n.to_bytes(32, "big")) for n in range(500)}
    assert len(every) == 500
    syllables = {w[i : i + 2] for words in every for w in words.split() for i in (0, 2, 4)}
    assert len(syllables) == 64
    assert all(len(word) == 6 for words in every for word in words.split())
