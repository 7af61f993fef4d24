"""What every test gets: a home of its own, quiet surroundings, and a look at what it left behind.

Law: this file knows processes, threads and variables. It must never know cards or tables; the
fixtures of a layer are in that layer's folder.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# No profile judges by the clock: a loaded machine is not a defect.
_CALM = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("dev", **_CALM)  # type: ignore[arg-type] # one dict, several types
settings.register_profile("ci", derandomize=True, **_CALM)  # type: ignore[arg-type] # as above
settings.load_profile("ci" if os.environ.get("CI") else "dev")

_HOMES = {
    "HOME": ".",
    "USERPROFILE": ".",
    "APPDATA": "AppData/Roaming",
    "LOCALAPPDATA": "AppData/Local",
    "XDG_CACHE_HOME": ".cache",
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_STATE_HOME": ".local/state",
    "XDG_RUNTIME_DIR": ".run",
}
_PERSONAL = {
    *("CLICOLOR", "COLORTERM", "COLUMNS", "FORCE_COLOR", "LINES", "NO_COLOR", "TERM_PROGRAM"),
    *(
        "DEV_FAILED_STAGES",
        "LANGUAGE",
        "LC_ALL",
        "LC_CTYPE",
        "LC_MESSAGES",
        "PROMPT_TOOLKIT_COLOR_DEPTH",
    ),
}
_PATIENCE = 2.0
"""Seconds that a thread which is already ending gets to end."""
_numbers = itertools.count()


@pytest.fixture(scope="session")
def _homes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("homes")


@pytest.fixture(autouse=True)
def home(_homes: Path) -> Iterator[Path]:
    """An empty home folder, and no setting of whoever runs the tests; children inherit both."""
    folder = _homes / str(next(_numbers))
    folder.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name in _PERSONAL or name.startswith(("BUSSO_", "XDG_")):
                patch.delenv(name)
        for name, place in _HOMES.items():
            patch.setenv(name, str(folder / place))
        patch.setenv("LANG", "C.UTF-8")
        patch.setenv("TERM", "xterm-256color")
        yield folder


@pytest.fixture(autouse=True)
def _nothing_left_running() -> Iterator[None]:
    """Fail a test that leaves a thread or a child process behind for the next one."""
    threads, children = set(threading.enumerate()), _children()
    yield
    left = []
    for thread in threading.enumerate():
        if thread not in threads and not thread.daemon:
            thread.join(_PATIENCE)
            if thread.is_alive():
                left.append(f"thread {thread.name}")
    left += [f"process {number}" for number in sorted(_children() - children)]
    if left:
        pytest.fail(f"the test left running: {', '.join(left)}", pytrace=False)


def _children() -> set[int]:
    """The numbers of our children that still run; on Linux all, elsewhere multiprocessing's."""
    own = {child.pid for child in multiprocessing.active_children() if child.pid is not None}
    if sys.platform != "linux":
        return own
    for listing in Path("/proc/self/task").glob("*/children"):
        try:
            own.update(int(number) for number in listing.read_text("ascii").split())
        except OSError:  # the thread of that listing has ended since
            continue
    return {number for number in own if _runs(number)}


def _runs(number: int) -> bool:
    """Whether a process exists and is more than the exit code that nobody has asked for yet."""
    try:
        stat = Path(f"/proc/{number}/stat").read_text("utf-8", "replace")
    except OSError:
        return False
    # The name in parentheses may hold anything, so the state is what follows the last one.
    return stat.rpartition(")")[2].split()[0] not in {"Z", "X"}


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name the stages that `tools/dev.py test` saw fail before pytest: this is its last word."""
    stages = os.environ.get("DEV_FAILED_STAGES")
    if stages:
        terminalreporter.section("failed before pytest", red=True, bold=True)
        terminalreporter.line(stages)
