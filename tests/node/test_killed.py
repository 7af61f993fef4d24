"""Processes killed at writes of their journals and logs, twenty times in one match."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from protocol.audit import Status, audit_file
from protocol.group import default_group
from tests.node.killed import PLAYERS

KILLS = 20
ROOT = Path(__file__).parents[2]
NAMES = ("Ada", "Bruno", "Carla")


class Process:
    """One player's node; when it has died another takes its place."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.name = folder, name
        folder.mkdir()

    def start(self, what: str, *more: str) -> dict[str, Any]:
        """What it says first."""
        words = [sys.executable, "-m", "tests.node.killed", what, str(self.folder), self.name]
        self.child = subprocess.Popen(
            [*words, *more], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        said = self.said()
        if said is None:
            raise AssertionError(f"{self.name} said nothing")
        return said

    def said(self) -> dict[str, Any] | None:
        """Its next line; None when it has ended."""
        line = self.child.stdout.readline() if self.child.stdout else ""
        return json.loads(line) if line else None

    def die(self, write: int) -> bool:
        """Have it die at its `write`-th write from now on; False if the match ended before."""
        if self.child.stdin is None:
            return False
        self.child.stdin.write(f"die {write}\n")
        self.child.stdin.flush()
        if self.said() is not None:
            return False
        assert self.child.wait() == -signal.SIGKILL
        self.close()
        return True

    def close(self) -> None:
        for stream in (self.child.stdin, self.child.stdout):
            if stream is not None:
                stream.close()


@pytest.mark.timeout(900)
def test_a_match_survives_twenty_kills_at_any_write(tmp_path: Path) -> None:
    """Each time the next process plays the same hand on, and at the end all logs are equal."""
    rng = random.Random(20)
    nodes = [Process(tmp_path / name, name) for name in NAMES[:PLAYERS]]
    port = nodes[0].start("host")["port"]
    for node in nodes[1:]:
        node.start("join", str(port))
    for node in nodes:
        assert node.said() == {"event": "started"}
    try:
        for _ in range(KILLS):
            node = rng.choice(nodes)
            assert node.die(rng.randint(1, 10)), "the match was over before the last kill"
            assert node.start("resume") == {"event": "started"}
        ends = [node.said() for node in nodes]
        assert all(end is not None and end["event"] == "finished" for end in ends)
        (log,) = {Path(end["log"]).read_bytes() for end in ends if end}
        report = audit_file(log, default_group())
        assert (report.status, report.faults) == (Status.COMPLETE, ())
        assert report.rulings == ()
    finally:
        for node in nodes:
            node.child.kill()
            node.child.wait()
            node.close()
