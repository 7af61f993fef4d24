"""Which backend is chosen, and how a libsodium is found and loaded."""

from __future__ import annotations

import ctypes.util
import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from protocol import group_sodium, sodium_library
from protocol.group import (
    BackendError,
    Group,
    Point,
    choose_group,
    default_group,
    known_answers,
)
from protocol.group_python import PythonGroup
from tests.protocol.groups import each_backend, needs_sodium

BLOB = b"\x7fELF not really a library"


@pytest.fixture
def no_sodium(monkeypatch: pytest.MonkeyPatch) -> None:
    group_sodium.open_sodium.cache_clear()
    monkeypatch.setattr(sodium_library, "libraries", lambda: iter(()))


@needs_sodium
def test_libsodium_is_preferred() -> None:
    assert choose_group({}).backend == "sodium"
    assert choose_group({"BUSSO_GROUP": "sodium"}).backend == "sodium"


def test_python_can_be_forced() -> None:
    assert choose_group({"BUSSO_GROUP": "python"}).backend == "python"


def test_the_default_is_chosen_once() -> None:
    assert default_group() is default_group()


@pytest.mark.usefixtures("no_sodium")
def test_python_serves_where_there_is_no_libsodium() -> None:
    assert choose_group({}).backend == "python"


@pytest.mark.usefixtures("no_sodium")
def test_forcing_an_absent_libsodium_is_a_clear_error() -> None:
    with pytest.raises(BackendError, match="No usable libsodium"):
        choose_group({"BUSSO_GROUP": "sodium"})


def test_an_unknown_backend_is_a_clear_error() -> None:
    with pytest.raises(BackendError, match="BUSSO_GROUP"):
        choose_group({"BUSSO_GROUP": "openssl"})


def test_trap_1_a_libsodium_with_wrong_results_is_not_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    group_sodium.open_sodium.cache_clear()

    def wrong(_: Group) -> None:
        raise BackendError("wrong results")

    monkeypatch.setattr(group_sodium, "known_answers", wrong)
    assert choose_group({}).backend == "python"


def test_a_library_without_ristretto_is_not_used() -> None:
    with pytest.raises(BackendError, match="no ristretto255"):
        group_sodium.SodiumGroup(object())  # type: ignore[arg-type]  # no function at all


@each_backend
def test_known_answers_accept_both_backends(group: Group) -> None:
    known_answers(group)


Break = Callable[[Group], object]


def broken(name: str, result: Break) -> PythonGroup:
    class Broken(PythonGroup):
        """A backend with one wrong operation."""

    setattr(Broken, name, lambda self, *_, **__: result(self))
    return Broken()


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("mul", lambda g: g.generator),
        ("mul_base", lambda g: g.generator),
        ("add", lambda g: g.generator),
        ("sub", lambda g: g.identity),
        ("msm", lambda g: g.identity),
        ("from_uniform", lambda g: g.generator),
        ("encode", lambda _: bytes(32)),
        ("is_identity", lambda _: False),
    ],
)
def test_trap_1_known_answers_find_a_wrong_operation(name: str, result: Break) -> None:
    with pytest.raises(BackendError, match="wrong results"):
        known_answers(broken(name, result))


def test_trap_1_known_answers_find_a_decoder_that_accepts_too_much() -> None:
    class Lenient(PythonGroup):
        """Ignores bit 255, as libsodium 1.0.18 does."""

        def decode(self, data: bytes, *, allow_identity: bool = False) -> Point:
            low = data[:31] + bytes([data[31] & 0x7F])
            return super().decode(low, allow_identity=allow_identity)

    with pytest.raises(BackendError, match="wrong results"):
        known_answers(Lenient())


# --- The library's file ------------------------------------------------------------------------


def module_text(blob: bytes) -> str:
    return f"import x\nsodium_bs = bytes.fromhex('{blob.hex()}') # a comment\nraise SystemExit\n"


def test_the_wheel_is_read_and_never_imported(tmp_path: Path) -> None:
    module = tmp_path / "_sodium.py"
    module.write_text(module_text(BLOB), encoding="ascii")
    assert sodium_library.read_wheel_library(module) == BLOB
    list(sodium_library.libraries(tmp_path / "native"))
    assert not {"rbcl", "rbcl._sodium", "_sodium"} & set(sys.modules)


@pytest.mark.parametrize(
    "text", ["", "sodium_bs = b''", "bytes.fromhex('abc')", "bytes.fromhex('zz')"]
)
def test_a_wheel_of_another_form_is_passed_over(tmp_path: Path, text: str) -> None:
    module = tmp_path / "_sodium.py"
    module.write_text(text, encoding="ascii")
    assert sodium_library.read_wheel_library(module) is None
    assert sodium_library.read_wheel_library(tmp_path / "absent.py") is None


def test_reading_the_wheel_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "_sodium.py"
    module.write_text(module_text(BLOB), encoding="ascii")
    monkeypatch.setattr(sodium_library, "MAX_MODULE", 40)
    assert sodium_library.read_wheel_library(module) is None


def test_the_cache_is_private_and_named_by_its_hash(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "native"
    path = sodium_library.cache_library(BLOB, folder)
    assert hashlib.sha256(BLOB).hexdigest() in path.name
    assert path.read_bytes() == BLOB
    before = path.stat().st_mtime_ns
    assert sodium_library.cache_library(BLOB, folder) == path
    assert path.stat().st_mtime_ns == before
    assert [p.name for p in folder.iterdir()] == [path.name]
    if os.name == "posix":
        assert folder.stat().st_mode & 0o777 == 0o700
        assert path.stat().st_mode & 0o777 == 0o700


def test_a_changed_cache_file_is_never_loaded(tmp_path: Path) -> None:
    path = sodium_library.cache_library(BLOB, tmp_path / "native")
    path.write_bytes(BLOB[:-1] + b"!")
    assert sodium_library.cache_library(BLOB, tmp_path / "native").read_bytes() == BLOB


@pytest.mark.skipif(os.name != "posix", reason="links and modes are POSIX's")
def test_a_link_in_the_cache_is_replaced(tmp_path: Path) -> None:
    path = sodium_library.cache_library(BLOB, tmp_path / "native")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(BLOB)
    path.unlink()
    path.symlink_to(elsewhere)
    assert not sodium_library.cache_library(BLOB, tmp_path / "native").is_symlink()
    assert elsewhere.read_bytes() == BLOB


@pytest.mark.skipif(os.name != "posix", reason="links and modes are POSIX's")
def test_a_folder_that_others_can_write_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "native"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(PermissionError):
        sodium_library.cache_library(BLOB, folder)
    real = tmp_path / "real"
    real.mkdir(mode=0o700)
    link = tmp_path / "link"
    link.symlink_to(real)
    with pytest.raises(PermissionError):
        sodium_library.cache_library(BLOB, link)


def test_a_failed_write_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Path, target: Path) -> Path:
        raise OSError("disk full")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(OSError, match="disk full"):
        sodium_library.cache_library(BLOB, tmp_path / "native")
    assert list((tmp_path / "native").iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has anonymous files")
def test_a_home_that_cannot_be_written_is_no_obstacle(tmp_path: Path) -> None:
    if sodium_library.find_wheel_module() is None:
        pytest.skip("no wheel to load")
    blocker = tmp_path / "file"
    blocker.write_bytes(b"")
    library = sodium_library._load_from_wheel(blocker / "native")
    known_answers(group_sodium.SodiumGroup(library))


def test_a_home_that_cannot_be_written_never_raises(tmp_path: Path) -> None:
    blocker = tmp_path / "file"
    blocker.write_bytes(b"")
    for library in sodium_library.libraries(blocker / "native"):
        assert library.sodium_init() >= 0


def test_no_library_anywhere_is_an_empty_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sodium_library, "find_wheel_module", lambda: None)
    monkeypatch.setattr(sodium_library, "_UNIX_NAMES", ())
    monkeypatch.setattr(sodium_library, "SYSTEM_NAMES", {})
    monkeypatch.setattr(ctypes.util, "find_library", lambda _: None)
    assert list(sodium_library.libraries(tmp_path)) == []


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has anonymous files")
@needs_sodium
def test_a_library_from_memory_is_never_mistaken_for_another() -> None:
    """The loader of Linux answers a path that it knows with the library it loaded from there."""
    module = sodium_library.find_wheel_module()
    blob = sodium_library.read_wheel_library(module) if module is not None else None
    if blob is None:
        pytest.skip("no wheel to load twice")
    known_answers(group_sodium.SodiumGroup(sodium_library._load_from_memory(blob)))
    with pytest.raises(OSError, match=r"ELF|too short"):
        sodium_library._load_from_memory(BLOB)


def test_a_wheel_with_a_file_that_is_no_library_falls_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = tmp_path / "_sodium.py"
    module.write_text(module_text(BLOB), encoding="ascii")
    monkeypatch.setattr(sodium_library, "find_wheel_module", lambda: module)
    monkeypatch.setattr(sodium_library, "_UNIX_NAMES", ())
    monkeypatch.setattr(sodium_library, "SYSTEM_NAMES", {})
    monkeypatch.setattr(ctypes.util, "find_library", lambda _: None)
    assert list(sodium_library.libraries(tmp_path / "native")) == []
