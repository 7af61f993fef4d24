"""Where a command's words go: standard output, standard error, and how they look there.

Law: this file alone writes to the terminal for the commands without a screen of their own. Nothing
that it is given can crash it or steer the terminal: control and bidirectional characters become
`?`, and what the terminal's encoding can't hold becomes ASCII. It knows no game and no file, and
which language a person wants; the sentences are the commands'.
"""

from __future__ import annotations

import json
import os
import time
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, BinaryIO, Final, TextIO, cast

from node.language import ENGLISH, Language, preferred
from node.language import language as language_of

PROGRESS_AFTER: Final = 0.3
"""Seconds of work after which a progress line appears."""
_PROGRESS_EVERY: Final = 0.1
_ASCII: Final = {
    "✓": "OK",
    "✗": "X",
    "…": "...",
    "–": "-",
    "—": "-",
    "·": "-",
    "→": "->",
    "←": "<-",
    "’": "'",
    "“": '"',
    "”": '"',
    "×": "x",
    "ß": "ss",
    "ø": "o",
    "Ø": "O",
    "ł": "l",
    "Ł": "L",
    "æ": "ae",
    "Æ": "AE",
}
_GREEN, _RED, _PLAIN = "\x1b[32m", "\x1b[31m", "\x1b[0m"
_UNSAFE: Final = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}


def safe(text: str) -> str:
    """`text` as one line that can't steer a terminal."""
    if text.isprintable():
        return text
    return "".join("?" if unicodedata.category(c) in _UNSAFE else c for c in text)


def to_ascii(text: str) -> str:
    """`text` in ASCII: symbols as words, letters without accents, `?` for the rest."""
    if text.isascii():
        return text
    text = "".join(_ASCII.get(c, c) for c in text)
    bare = (c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return "".join(c if c.isascii() else "?" for c in bare)


def fitting(text: str, encoding: str) -> str:
    """`text`, and what of it `encoding` can't hold in ASCII."""
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return "".join(c if _holds(encoding, c) else to_ascii(c) for c in text)
    return text


def _holds(encoding: str, c: str) -> bool:
    try:
        c.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def spoken(code: str | None) -> Language:
    """The language `code`, English if there is none."""
    return language_of(code) if code is not None else ENGLISH


def wants_colour(
    stream: TextIO, environ: Mapping[str, str], windows: bool, asked: bool | None = None
) -> bool:
    """Whether `stream` is a terminal with colours (TERM) whose user has nothing against them:
    `asked` says so, else NO_COLOR."""
    against = bool(environ.get("NO_COLOR")) if asked is None else not asked
    if against or environ.get("TERM", "") == "dumb" or not is_terminal(stream):
        return False
    return not windows or bool(environ.get("WT_SESSION") or environ.get("ANSICON"))


def is_terminal(stream: TextIO) -> bool:
    """Whether somebody sits at `stream`; a closed one is none."""
    try:
        return stream.isatty()
    except ValueError:
        return False


@dataclass
class Output:
    """The two streams and the flags that every verb has.

    json      print data for programs instead of words
    plain     no colours and nothing but lines
    ascii     nothing but ASCII
    colour    the terminal may be coloured
    quiet     only what was asked for, no remarks
    verbose   more about how it came out
    language  `it`, `en`, or None to follow the system
    """

    out: TextIO
    err: TextIO
    json: bool = False
    plain: bool = False
    ascii: bool = False
    colour: bool = False
    quiet: bool = False
    verbose: bool = False
    language: str | None = None
    clock: Callable[[], float] = field(default=time.monotonic)
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)

    @property
    def speech(self) -> Language:
        """The language to speak; data for programs are in English, whatever was asked for."""
        return spoken(None if self.json else preferred(self.language, self.environ))

    def t(self, message: str) -> str:
        """The sentence of the catalogue for `message`."""
        return self.speech.text(message)

    def line(self, text: str = "") -> None:
        """One line of what was asked for."""
        self._write(self.out, text, "")

    def prompt(self, text: str) -> None:
        """What stands before an answer, on the same line."""
        self.out.write(self._fit(self.out, text))
        self.out.flush()

    def good(self, text: str) -> None:
        """A line that says that all is well."""
        self._write(self.out, f"✓ {text}", _GREEN)

    def bad(self, text: str) -> None:
        """A line that says what is wrong."""
        self._write(self.out, f"✗ {text}", _RED)

    def remark(self, text: str) -> None:
        """A line that `-q` leaves out."""
        if not self.quiet:
            self.line(text)

    def detail(self, text: str) -> None:
        """A line that only `-v` shows."""
        if self.verbose:
            self.line(text)

    def error(self, text: str, hint: str = "") -> None:
        """One sentence on standard error, and what to do."""
        end = f". {hint}" if hint else "."
        self._write(self.err, f"busso: {text.removesuffix('.')}{end}", "")

    def data(self, value: Any) -> None:
        """A value as JSON, on standard output; ASCII, so that any terminal takes it."""
        self.out.write(json.dumps(value, indent=2, ensure_ascii=True) + "\n")

    def text(self, text: str) -> None:
        """The content of a file, to standard output: UTF-8 whatever the encoding is, unless
        somebody looks at it."""
        buffer = cast("BinaryIO | None", getattr(self.out, "buffer", None))
        if buffer is None or is_terminal(self.out):
            for line in text.splitlines():
                self.line(line)
            return
        self.out.flush()
        buffer.write(text.encode("utf-8", "replace"))
        buffer.flush()

    def progress(self, what: str) -> Progress:
        """A progress line on standard error, if somebody sits there and it takes long."""
        return Progress(self, what, is_terminal(self.err) and not self.quiet)

    def _fit(self, stream: TextIO, text: str) -> str:
        line = safe(text)
        return to_ascii(line) if self.ascii else fitting(line, stream.encoding or "ascii")

    def _write(self, stream: TextIO, text: str, colour: str) -> None:
        line = self._fit(stream, text)
        if colour and self.colour:
            mark, _, rest = line.partition(" ")
            line = f"{colour}{mark}{_PLAIN} {rest}"
        stream.write(line + "\n")


class Progress:
    """Call it with the steps done and all of them; use it as a context, so that its line goes."""

    def __init__(self, output: Output, what: str, shown: bool) -> None:
        self._output = output
        self._what = what
        self._next = output.clock() + PROGRESS_AFTER if shown else float("inf")
        self._width = 0

    def __call__(self, done: int, total: int) -> None:
        """Show how far it is, not oftener than ten times a second."""
        if self._next == float("inf"):
            return
        now = self._output.clock()
        if now < self._next:
            return
        self._next = now + _PROGRESS_EVERY
        far = self._output.t("{what}: {done} of {total} steps").format(
            what=self._what, done=done, total=total
        )
        line = fitting(far, self._output.err.encoding or "ascii")
        self._output.err.write("\r" + line.ljust(self._width))
        self._output.err.flush()
        self._width = len(line)

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_: object) -> None:
        """Take the line away."""
        if self._width:
            self._output.err.write("\r" + " " * self._width + "\r")
            self._output.err.flush()
