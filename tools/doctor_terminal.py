"""What the terminal is, asked of it where it answers.

Law: this file knows terminals and variables. It leaves a terminal as it found it, and waits no
longer than PATIENCE for one that doesn't answer.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import sys
import time
from collections.abc import Mapping
from typing import Final, TextIO

from node.doctor import BOX, Terminal
from tools.output import is_terminal, wants_colour

PATIENCE: Final = 0.5
"""Seconds that a terminal gets to say where its cursor is."""
_WHERE: Final = b"\x1b[6n"
_MAX_ANSWER: Final = 64


def find_terminal(
    out: TextIO, stdin: TextIO | None, environ: Mapping[str, str], *, ask: bool = True
) -> Terminal:
    """The terminal behind these streams; without `ask` nothing is written to it."""
    interactive = is_terminal(out) and stdin is not None and is_terminal(stdin)
    size = shutil.get_terminal_size()
    box = None
    if ask and interactive and stdin is not None and environ.get("TERM", "") != "dumb":
        with contextlib.suppress(OSError, ValueError):
            box = ask_width(stdin.fileno(), out.fileno(), BOX, out.encoding or "ascii")
    return Terminal(
        interactive=interactive,
        encoding=out.encoding or "unknown",
        columns=size.columns,
        lines=size.lines,
        name=environ.get("TERM", ""),
        colours=wants_colour(out, environ, sys.platform == "win32"),
        box=box,
    )


def ask_width(keys: int, screen: int, text: str, encoding: str) -> int | None:
    """How many columns the terminal at these file descriptors moves for `text`.

    It is written at the beginning of the line and wiped away. None if the terminal can't be asked
    (Windows, a job in the background), doesn't answer, or can't show the text.
    """
    if sys.platform == "win32":
        return None
    import termios  # noqa: PLC0415  # there is none on Windows
    import tty  # noqa: PLC0415  # as above

    try:
        octets = text.encode(encoding)
        if os.tcgetpgrp(keys) != os.getpgrp():
            return None  # setting a terminal would stop a job in the background
        before = termios.tcgetattr(keys)
    except (OSError, termios.error, UnicodeEncodeError, LookupError):
        return None
    try:
        tty.setcbreak(keys, termios.TCSANOW)
        os.write(screen, b"\r" + octets + _WHERE)
        answer = _read_answer(keys)
        os.write(screen, b"\r\x1b[K")
    finally:
        termios.tcsetattr(keys, termios.TCSANOW, before)
    return answer


def _read_answer(keys: int) -> int | None:
    """The columns before the cursor, from ESC [ row ; column R."""
    deadline = time.monotonic() + PATIENCE
    answer = b""
    while len(answer) < _MAX_ANSWER and (left := deadline - time.monotonic()) > 0:
        ready, _, _ = select.select([keys], [], [], left)
        if not ready:
            break
        part = os.read(keys, 1)
        if not part:
            break
        answer += part
        if part == b"R":
            column = answer.rpartition(b";")[2][:-1]
            plain = column.isdigit() and len(column) < 6
            return int(column) - 1 if plain else None
    return None
