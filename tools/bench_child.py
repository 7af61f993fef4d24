"""Processes that `busso bench mesh` starts, and the lines of JSON over which it talks with them.

Law: a function's name and plain values go out, plain values come back; what they mean is the
bench's business. A child ends when its standard input does, so none outlives the bench.

    child: ["curve as hexadecimal", 40123]
    bench: [[["...", 40123], ["...", 40124]], 81.25]
"""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import threading
from contextlib import ExitStack, suppress
from typing import IO, Any, Final

PATIENCE: Final = 60.0
"""Seconds after which nothing more is expected."""
_END: Final = object()
_CODE: Final = "import sys, {0}; {0}.serve(*sys.argv[1:])"


class Ended(Exception):
    """The other process has ended or says nothing any more."""


class Wire:
    """One end: values go out at once, those that come in wait until they are asked for."""

    def __init__(self, source: IO[str], sink: IO[str]) -> None:
        self._sink = sink
        self._values: queue.SimpleQueue[Any] = queue.SimpleQueue()
        threading.Thread(target=self._read, args=(source,), daemon=True).start()

    def _read(self, source: IO[str]) -> None:
        with suppress(ValueError, OSError):  # closed meanwhile
            for line in source:
                self._values.put(json.loads(line))
        self._values.put(_END)

    def send(self, value: Any) -> None:
        """Give the other process a plain value; whoever has ended isn't told."""
        with suppress(OSError, ValueError):
            print(json.dumps(value), file=self._sink, flush=True)

    def recv(self) -> Any:
        """The next value; Ended."""
        try:
            value = self._values.get(timeout=PATIENCE)
        except queue.Empty:
            raise Ended(f"nothing was said for {PATIENCE:g} s") from None
        if value is _END:
            self._values.put(_END)
            raise Ended("the other process has ended")
        return value

    def poll(self) -> bool:
        """Whether `recv` wouldn't wait."""
        return not self._values.empty()


def child(stack: ExitStack, module: str, work: str, *given: Any) -> Wire:
    """Start `module`.serve(work, given as JSON) in a process, which ends with the stack."""
    process = subprocess.Popen(
        [sys.executable, "-c", _CODE.format(module), work, json.dumps(given)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    stdin, stdout = process.stdin, process.stdout
    if stdin is None or stdout is None:
        raise Ended("a process without pipes")

    def end() -> None:
        with suppress(OSError):
            stdin.close()
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        stdout.close()

    stack.callback(end)
    return Wire(stdout, stdin)
