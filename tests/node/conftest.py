"""What tests of the node may ask for by name.

Law: only fixtures; what they need stands beside them.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest


@pytest.fixture
def no_thread_left() -> Iterator[None]:
    """Fail a test after which a thread of the mesh still runs."""
    yield
    assert not [t.name for t in threading.enumerate() if t.name.startswith("busso-")]
