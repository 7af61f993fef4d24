"""Lines that somebody types, read on a thread of its own.

Law: octets to lines; it knows no game. It reads below Python's buffered streams: a thread that
waits inside one would keep the interpreter from ending.
"""

from __future__ import annotations

import io
import sys
import threading
from collections import deque
from collections.abc import Callable
from typing import Final, TextIO

MAX_LINE: Final = 1_024
"""Octets of a line; the rest of a longer one is dropped."""
_CHUNK: Final = 4_096
_WAITING: Final = 1_024


class Lines:
    """Cuts octets into lines of bounded length, whatever they are."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self._rest = b""

    def take(self, data: bytes) -> list[str]:
        """The lines that `data` completes; b"" (the end) completes what is left."""
        lines = []
        for part in data.splitlines(keepends=True):
            self._rest += part
            ended = part.endswith((b"\n", b"\r"))
            if ended:
                lines.append(self._cut())
            elif len(self._rest) > MAX_LINE:
                self._rest = self._rest[:MAX_LINE]
        if not data and self._rest:
            lines.append(self._cut())
        return lines

    def _cut(self) -> str:
        line, self._rest = self._rest[:MAX_LINE].rstrip(b"\r\n"), b""
        return line.decode(self._encoding, "replace")


class Keyboard:
    """Gives every line of `stream`, and None after the last one, to whoever listens at the time.

    What is typed before anybody listens waits.
    """

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stdin if stream is None else stream
        self._lock = threading.Lock()
        self._waiting: deque[str | None] = deque(maxlen=_WAITING)
        self._listener: Callable[[str | None], None] | None = None

    def start(self) -> None:
        """Begin to read; the thread ends with the stream or with the process."""
        threading.Thread(target=self._read, name="keyboard", daemon=True).start()

    def to(self, listener: Callable[[str | None], None] | None) -> None:
        """Everything goes to `listener` from now on, what waited first; None: to nobody."""
        with self._lock:
            self._listener = listener
            while listener is not None and self._waiting:
                listener(self._waiting.popleft())

    def back(self, line: str | None) -> None:
        """Nobody used this line: it waits for whoever listens next."""
        with self._lock:
            self._waiting.append(line)

    def _give(self, line: str | None) -> None:
        with self._lock:
            if self._listener is None:
                self._waiting.append(line)
            else:
                self._listener(line)

    def _read(self) -> None:
        lines = Lines(_encoding(self._stream))
        try:
            for data in iter(lambda: _chunk(self._stream), b""):
                for line in lines.take(data):
                    self._give(line)
        except (OSError, ValueError, AttributeError):
            pass  # closed under us, or no stream at all: nobody types
        for line in lines.take(b""):
            self._give(line)
        self._give(None)


def _encoding(stream: TextIO | None) -> str:
    encoding = getattr(stream, "encoding", None)
    return encoding if isinstance(encoding, str) else "utf-8"


def _chunk(stream: TextIO) -> bytes:
    """Some octets as soon as there are any; b"" at the end."""
    buffer = stream.buffer
    raw = getattr(buffer, "raw", None)
    if isinstance(raw, io.RawIOBase):
        return raw.read(_CHUNK) or b""
    return buffer.read1(_CHUNK) if hasattr(buffer, "read1") else buffer.read(_CHUNK)
