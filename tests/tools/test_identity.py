"""`busso id`: who you are, under which name, whom you have met; the secret is never shown."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from node.known import KnownPlayers
from node.words import spoken
from protocol.identity import Identity, is_locked, short_form
from tests.tools.running import busso
from tools import person


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("BUSSO_HOME", str(tmp_path / "home"))
    for name in (person.PASSPHRASE, person.NAME):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "home"


def test_the_first_start_makes_a_key_and_shows_its_words(home: Path) -> None:
    said = busso("id", "show", "Ada")
    key = Identity.load_or_create(home / "identity")
    assert said.code == 0
    assert f"Ada·{short_form(key.public)}" in said.out
    assert spoken(key.public) in said.out
    assert key._seed.hex() not in said.out
    assert busso("id", "--json").json()["key"] == key.public.hex()
    if sys.platform != "win32":
        assert (home / "identity").stat().st_mode & 0o077 == 0
        assert home.stat().st_mode & 0o077 == 0


def test_a_name_is_kept_and_others_come_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Carla" in busso("id", "name", "Carla").out
    assert busso("id", "--json").json()["name"] == "Carla"
    monkeypatch.setenv(person.NAME, "Dino")
    assert busso("id", "--json").json()["name"] == "Dino"
    assert person.player_name("Elsa") == "Elsa"


@pytest.mark.parametrize("bad", ["", "a\x1b[31m", "x" * 33, " a", "\u202eeve"])
def test_what_cant_be_a_name_is_refused(bad: str) -> None:
    said = busso("id", "name", bad)
    assert said.code == 2
    assert "name" in said.complaint()


def test_a_damaged_name_file_is_no_trap(home: Path) -> None:
    home.mkdir()
    (home / "name").write_bytes(b"\xff\xfe")
    assert busso("id").code == 0


def test_a_passphrase_locks_the_key(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = busso("id", "--json").json()
    said = iter(["sette bello", "sette bello"])
    monkeypatch.setattr("tools.identity.ask_passphrase", lambda _: next(said))
    assert busso("id", "passphrase").code == 0
    assert is_locked(home / "identity")
    locked = busso("id", "--json")
    assert locked.code == 5
    assert person.PASSPHRASE in locked.complaint()
    monkeypatch.setenv(person.PASSPHRASE, "sette bello")
    assert busso("id", "--json").json() == before | {"locked": True}
    monkeypatch.setenv(person.PASSPHRASE, "wrong")
    refused = busso("id", "--json")
    assert refused.code == 3
    assert "doesn't open" in refused.complaint()


def test_two_different_passphrases_change_nothing(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = iter(["one", "two"])
    monkeypatch.setattr("tools.identity.ask_passphrase", lambda _: next(said))
    assert "differ" in busso("id", "passphrase").complaint()
    assert not is_locked(home / "identity")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no file modes")
def test_a_key_that_others_can_read_is_refused_with_what_mends_it(home: Path) -> None:
    busso("id")
    (home / "identity").chmod(0o644)
    said = busso("id")
    assert said.code == 3
    assert "chmod 600" in said.complaint()


def test_known_players_are_listed_and_forgotten(home: Path) -> None:
    assert "met nobody" in busso("id", "known").out
    KnownPlayers(home / "known_players").meet(b"\x01" * 32, "Bruno", 100)
    assert [known["name"] for known in busso("id", "known", "--json").json()] == ["Bruno"]
    assert "Bruno·" in busso("id", "known").out
    assert busso("id", "forget", "bruno").code == 0
    assert "nobody called" in busso("id", "forget", "bruno").complaint()
    assert "needs a name" in busso("id", "forget").complaint()
    assert "needs a name" in busso("id", "name").complaint()
