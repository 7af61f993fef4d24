"""Finding and loading libsodium.

Law: this file knows where a libsodium may lie and how to load it safely. It must never know what
is computed with it, and it never executes code of the package that carries it.

The `rbcl` wheel carries a libsodium as a hexadecimal literal in its module `_sodium`. Importing
that module writes a temporary file that nobody deletes, once an import; so the module is only
read, and the library is written once into a private cache folder, named by its SHA-256, and
compared with the wheel's again before each load. Where no folder can be written, Linux loads it
from an anonymous file in memory. After the wheel's, the system's own libsodium is tried.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import hashlib
import importlib.util
import os
import re
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import platformdirs

MAX_MODULE = 64 * 2**20
"""Octets of a `_sodium` module that are read at most (1.1.2 has 5.6 million)."""

_LITERAL = re.compile(rb"bytes\.fromhex\('([0-9a-f]{2,})'\)")

SYSTEM_NAMES = {
    "win32": ("libsodium.dll",),
    "darwin": ("libsodium.26.dylib", "libsodium.23.dylib", "libsodium.dylib"),
}
_UNIX_NAMES = ("libsodium.so.26", "libsodium.so.23", "libsodium.so")


def find_wheel_module() -> Path | None:
    """The `_sodium` module file of an installed `rbcl`, found without importing anything."""
    try:
        spec = importlib.util.find_spec("rbcl")
    except (ImportError, ValueError):
        return None
    if spec is None or spec.submodule_search_locations is None:
        return None
    for folder in spec.submodule_search_locations:
        path = Path(folder) / "_sodium.py"
        if path.is_file():
            return path
    return None


def read_wheel_library(module: Path) -> bytes | None:
    """The library inside a `_sodium` module file; None if it isn't in the form expected."""
    try:
        with module.open("rb") as file:
            text = file.read(MAX_MODULE + 1)
    except OSError:
        return None
    match = _LITERAL.search(text) if len(text) <= MAX_MODULE else None
    if match is None or len(match[1]) % 2:
        return None
    return bytes.fromhex(match[1].decode("ascii"))


def _is_private_folder(folder: Path) -> bool:
    info = folder.lstat()
    if not stat.S_ISDIR(info.st_mode):
        return False
    if sys.platform == "win32":  # the profile folder's access list protects it
        return True
    return info.st_uid == os.geteuid() and not info.st_mode & 0o077


def cache_library(blob: bytes, folder: Path) -> Path:
    """The path of a file in the private `folder` that holds exactly `blob`.

    OSError: the folder can't be made, isn't private, or can't be written.
    """
    suffix = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
    path = folder / f"libsodium-{hashlib.sha256(blob).hexdigest()}{suffix}"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not _is_private_folder(folder):
        raise PermissionError(f"{folder} can be changed by others")
    if not path.is_symlink() and path.is_file() and path.read_bytes() == blob:
        return path
    handle, name = tempfile.mkstemp(dir=folder, prefix="libsodium-", suffix=".new")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(blob)
        Path(name).chmod(0o700)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    return path


def cache_folder() -> Path:
    """Where libraries are cached: a folder of this user alone."""
    return Path(platformdirs.user_cache_dir("busso", appauthor=False)) / "native"


def _load_from_memory(blob: bytes) -> ctypes.CDLL:
    """Load `blob` without a folder (Linux); OSError where that isn't possible."""
    if sys.platform != "linux":
        raise OSError("no anonymous files on this system")
    handle = os.memfd_create("libsodium", os.MFD_CLOEXEC)
    try:
        with os.fdopen(os.dup(handle), "wb") as file:
            file.write(blob)
        # The loader knows libraries by their path: once loaded, this number must stay taken,
        # or the next file that gets it would be answered with this library.
        return ctypes.CDLL(f"/proc/self/fd/{handle}")
    except OSError:
        os.close(handle)
        raise


def _load_from_wheel(folder: Path) -> ctypes.CDLL:
    module = find_wheel_module()
    blob = read_wheel_library(module) if module is not None else None
    if blob is None:
        raise OSError("no wheel carries a libsodium")
    try:
        return ctypes.CDLL(str(cache_library(blob, folder)))
    except OSError:  # read-only home, full disk, or a file system without execution
        return _load_from_memory(blob)


def _load_by_search() -> ctypes.CDLL:
    name = ctypes.util.find_library("sodium")
    if name is None:
        raise OSError("the system has no libsodium")
    return ctypes.CDLL(name)


def libraries(folder: Path | None = None) -> Iterator[ctypes.CDLL]:
    """Every libsodium that loads, best first; none at all is an empty iterator, not an error.

    `folder` is the cache folder (default: `cache_folder()`).
    """
    where = cache_folder() if folder is None else folder
    loaders: list[Callable[[], ctypes.CDLL]] = [lambda: _load_from_wheel(where)]
    names = SYSTEM_NAMES.get(sys.platform, _UNIX_NAMES)
    loaders += [functools.partial(ctypes.CDLL, name) for name in names]
    loaders.append(_load_by_search)
    for load in loaders:
        try:
            yield load()
        except OSError:
            continue
