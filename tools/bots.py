"""Bots as processes of their own: started, listened to, and never left behind.

Law: it knows command lines and JSON lines (`node.process`), no game and no socket. A bot ends when
its standard input closes, so whatever becomes of this process, none survives it.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from tools.errors import NetworkFailed

SILENCE = 120.0
"""Seconds without a word from any bot after which something is taken to be stuck."""


@dataclass(frozen=True, slots=True)
class Said:
    """One line of a bot: its number and what it said; None when it ended."""

    bot: int
    line: dict[str, Any] | None


CODE = "BUSSO_CODE"
"""The variable that tells a bot the table's code: others can read a command line."""


class Bots:
    """A group of bot processes. Use it as a context: leaving it ends them all."""

    def __init__(self, folder: Path, backend: str = "auto", code: str = "") -> None:
        self.folder = folder
        # They share this computer, so that a thread of one only takes from another.
        self._environment = {**os.environ, "BUSSO_THREADS": "1"}
        if backend != "auto":
            self._environment["BUSSO_GROUP"] = backend
        self.code = code
        self._said: queue.SimpleQueue[Said] = queue.SimpleQueue()
        self._processes: list[subprocess.Popen[str]] = []
        self._threads: list[threading.Thread] = []
        self._errors: list[Any] = []

    def start(self, name: str, arguments: Sequence[str], seed: int) -> int:
        """Start a bot called `name`; its number."""
        number, place = len(self._processes), self.next_folder
        # -P: a folder called `tools` where the user happens to be must not be imported.
        command = [sys.executable, "-P", "-m", "tools", "node", "--name", name]
        command += ["--folder", str(place), "--seed", str(seed), *arguments]
        errors = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        self._errors.append(errors)
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            encoding="utf-8",
            env={**self._environment, CODE: self.code},
        )
        self._processes.append(process)
        thread = threading.Thread(target=self._listen, args=(number, process), daemon=True)
        thread.start()
        self._threads.append(thread)
        return number

    @property
    def next_folder(self) -> Path:
        """Where the next bot keeps its files, its identity among them."""
        return self.folder / f"bot-{len(self._processes)}"

    def _listen(self, number: int, process: subprocess.Popen[str]) -> None:
        for line in process.stdout or ():
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if isinstance(value, dict):
                self._said.put(Said(number, value))
        self._said.put(Said(number, None))

    def listen(self) -> Iterator[Said]:
        """What the bots say, as they say it; NetworkFailed after a long silence of all."""
        while True:
            try:
                yield self._said.get(timeout=SILENCE)
            except queue.Empty:
                text = f"the computer players have said nothing for {SILENCE:.0f} seconds"
                raise NetworkFailed(text) from None

    def last_words(self, number: int) -> str:
        """The last line that a bot wrote to its standard error, or how its process ended."""
        errors: TextIO = self._errors[number]
        errors.seek(0)
        lines = [line for line in errors.read().splitlines() if line.strip()]
        if lines:
            return lines[-1][:200]
        return f"its process ended with code {self._processes[number].wait(5)}"

    def __enter__(self) -> Bots:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in self._processes:
            if process.stdin:
                process.stdin.close()
        for process in self._processes:
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        for thread in self._threads:
            thread.join()
        for process, errors in zip(self._processes, self._errors, strict=True):
            if process.stdout:
                process.stdout.close()
            errors.close()
