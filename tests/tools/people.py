"""Processes of `busso host`, `join` and `watch`, and somebody who types at each."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

DEADLINE = 60.0


class Person:
    """One `busso ... --json` process on the loopback, with files of its own.

    `plays` answers every question with the first choice. Leaving the context ends the process.
    """

    def __init__(self, home: Path, *words: str, plays: bool = True, **environment: str) -> None:
        self.lines: list[dict[str, Any]] = []
        self._plays = plays
        self._told = threading.Condition()
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tools", *words, "--json"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "BUSSO_HOME": str(home), "BUSSO_THREADS": "1", **environment},
        )
        self._streams: Sequence[Any] = (
            self._process.stdin,
            self._process.stdout,
            self._process.stderr,
        )
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        for text in self._process.stdout or ():
            line = json.loads(text)
            with self._told:
                self.lines.append(line)
                self._told.notify_all()
            if self._plays and line["event"] == "your_move":
                self.enter(next(iter(line["moves"]), ""))
        with self._told:
            self.lines.append({"event": "ended"})
            self._told.notify_all()

    def enter(self, line: str) -> None:
        """Type a line."""
        if self._process.stdin:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()

    def wait(
        self, event: str, test: Callable[[dict[str, Any]], object] = lambda _: True, nth: int = 1
    ) -> dict[str, Any]:
        """The `nth` line of that kind that passes the test; fails if the process ends first."""

        def found() -> list[dict[str, Any]]:
            return [line for line in self.lines if line["event"] == event and test(line)]

        with self._told:
            self._told.wait_for(
                lambda: len(found()) >= nth or self.lines[-1:] == [{"event": "ended"}], DEADLINE
            )
            if len(found()) < nth:
                raise AssertionError(f"no {event} in {self.lines[-20:]}")
            return found()[nth - 1]

    def hang_up(self) -> None:
        """Close the keyboard."""
        self._streams[0].close()

    def said(self) -> str:
        """All that was said in words up to now."""
        return "\n".join(line["text"] for line in self.lines if line["event"] == "text")

    def end(self, *typed: str) -> tuple[int, str]:
        """Type the last lines; the exit code and what was complained of."""
        for line in typed:
            self.enter(line)
        code = self._process.wait(DEADLINE)
        self._thread.join(DEADLINE)
        return code, self._process.stderr.read() if self._process.stderr else ""

    def __enter__(self) -> Person:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait(DEADLINE)
        self._thread.join(DEADLINE)
        for stream in self._streams:
            try:
                stream.close()
            except BrokenPipeError:
                continue
