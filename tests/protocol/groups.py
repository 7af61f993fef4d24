"""The two group backends as a parameter, and the vectors: shared by the tests of the proofs."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from protocol.group import BackendError, Group
from protocol.group_python import PythonGroup
from protocol.group_sodium import SodiumGroup
from protocol.sodium_library import libraries

VECTORS = Path(__file__).parent.parent / "vectors"
SEED = bytes(range(32))
CTX = bytes(range(64, 128))


def _sodium() -> SodiumGroup | None:
    """The first libsodium with the functions, loaded without touching the user's own cache.

    Its results aren't looked at here: a wrong backend must fail the tests, not skip them.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for library in libraries(Path(folder) / "native"):
            try:
                return SodiumGroup(library)
            except BackendError:
                continue
    return None


PYTHON = PythonGroup()
SODIUM = _sodium()

needs_sodium = pytest.mark.skipif(SODIUM is None, reason="no usable libsodium on this computer")
each_backend = pytest.mark.parametrize(
    "group",
    [pytest.param(PYTHON, id="python"), pytest.param(SODIUM, id="sodium", marks=needs_sodium)],
)
FAST: Group = SODIUM or PYTHON
"""For tests of formulas, which don't depend on the backend, with many verifications."""


def vectors(path: str) -> Any:
    """A vector file below tests/vectors."""
    return json.loads((VECTORS / path).read_text(encoding="utf-8"))


def names(path: str) -> list[str]:
    """The names in a file that is a list of named vectors."""
    return [vector["name"] for vector in vectors(path)]


def vector(path: str, name: str) -> Any:
    """One named vector."""
    return next(v for v in vectors(path) if v["name"] == name)
