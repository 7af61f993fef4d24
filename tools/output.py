"""Where a command's words go: standard output, standard error, and how they look there.

Law: this file alone writes to the terminal for the commands without a screen of their own. Nothing
that it is given can crash it or steer the terminal: control and bidirectional characters become
`?`, and what the terminal's encoding can't hold becomes ASCII. It knows no game and no file, and
which language a person wants; the sentences are the commands'.
"""

from __future__ import annotations

import io
import os
import re
import stat
import threading
import time
import unicodedata
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, Final, TextIO, cast

from node.language import ENGLISH, Language, preferred
from node.language import language as language_of

MAX_ERROR: Final = 1_000
"""Characters of a complaint: names of files and what was typed may be of any length."""
PROGRESS_AFTER: Final = 0.3
"""Seconds of work after which a progress line appears."""
PROGRESS_EVERY: Final = 0.1
"""Seconds between two of its states."""
LINES_AFTER: Final = 1.0
LINES_EVERY: Final = 5.0
"""The same where nothing can be taken back: in plain lines and on a dumb terminal."""
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
_COLOURLESS: Final = r"dumb|unknown|vt(52|1\d\d|2\d\d|3[0-35-9]\d|4\d\d)|.*-(m|mono)"
"""Terminals (TERM) that have no colours."""
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
    if against or not is_terminal(stream) or re.fullmatch(_COLOURLESS, environ.get("TERM", "")):
        return False
    return not windows or bool(environ.get("WT_SESSION") or environ.get("ANSICON"))


def is_terminal(stream: TextIO) -> bool:
    """Whether somebody sits at `stream`; a closed one is none."""
    try:
        return stream.isatty()
    except ValueError:
        return False


def _is_pipe(stream: TextIO) -> bool:
    """Whether `stream` goes to another program, as `| less`, which may show itself meanwhile."""
    try:
        return stat.S_ISFIFO(os.fstat(stream.fileno()).st_mode)
    except (OSError, ValueError, io.UnsupportedOperation):
        return False


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

    def __init__(
        self,
        out: TextIO,
        err: TextIO,
        *,
        json: bool = False,
        plain: bool = False,
        ascii: bool = False,  # noqa: A002  # as the flag is called
        colour: bool = False,
        quiet: bool = False,
        verbose: bool = False,
        language: str | None = None,
        clock: Callable[[], float] = time.monotonic,
        environ: Mapping[str, str] = os.environ,
    ) -> None:
        self.out, self.err = out, err
        self.json, self.plain, self.ascii, self.colour = json, plain, ascii, colour
        self.quiet, self.verbose, self.language = quiet, verbose, language
        self.clock, self.environ = clock, environ
        self.lock = threading.RLock()
        self.shown: Progress | None = None
        """The progress line that stands on the terminal now, if any."""
        self._asked = False

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
        """What stands before an answer, on the same line. Lines that come before `answered`
        have theirs to themselves."""
        with self.lock:
            self._away()
            self._asked = True  # first, for Ctrl-C may come as soon as it is seen
            self.out.write(self._fit(self.out, text))
            self.out.flush()

    def answered(self) -> None:
        """Whoever was asked has ended the line."""
        self._asked = False

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
        text = text if len(text) <= MAX_ERROR else f"{text[:MAX_ERROR]}…"
        self._write(self.err, f"busso: {text.removesuffix('.')}{end}", "")

    def aside(self, text: str) -> None:
        """A line on standard error that is no error, such as what is waited for."""
        self.out.flush()
        self._write(self.err, text, "")
        self.err.flush()

    def data(self, value: Any) -> None:
        """A value as JSON, on standard output; ASCII, so that any terminal takes it."""
        from json import dumps  # noqa: PLC0415  # slow, and only for programs

        self.out.write(dumps(value, indent=2, ensure_ascii=True) + "\n")

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
        """A progress line on standard error, if somebody sits there and it takes long; never beside
        data for programs, nor where another program shows what is printed."""
        wanted = is_terminal(self.err) and not (self.quiet or self.json or _is_pipe(self.out))
        dumb = self.environ.get("TERM", "") in ("", "dumb", "unknown") and os.name != "nt"
        return Progress(self, what, wanted, stays=self.plain or dumb)

    def _fit(self, stream: TextIO, text: str) -> str:
        line = safe(text)
        return to_ascii(line) if self.ascii else fitting(line, stream.encoding or "ascii")

    def _write(self, stream: TextIO, text: str, colour: str) -> None:
        line = self._fit(stream, text)
        if colour and self.colour:
            mark, _, rest = line.partition(" ")
            line = f"{colour}{mark}{_PLAIN} {rest}"
        with self.lock:
            self._away()
            stream.write(line + "\n")

    def _away(self) -> None:
        """Take the progress line away, end that of a question: something else is to stand there."""
        if self.shown is not None:
            self.shown.away()
        if self._asked:
            self._asked = False
            self.out.write("\n")
            self.out.flush()


class Progress:
    """Call it with the steps done and all of them, or `tell` it what is done now; use it as a
    context, so that its line goes. While nobody tells it anything it counts the seconds.

    With `stays` a line isn't taken back: there is a new one now and then.
    """

    def __init__(self, output: Output, what: str, shown: bool, *, stays: bool = False) -> None:
        self._output = output
        self._what = self._text = what
        self._stays = stays
        self._after, self._every = (
            (LINES_AFTER, LINES_EVERY) if stays else (PROGRESS_AFTER, PROGRESS_EVERY)
        )
        self._begun = output.clock()
        self._next = self._begun + self._after if shown else float("inf")
        self._width = 0
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def __call__(self, done: int, total: int) -> None:
        """Show how far it is."""
        far = self._output.t("{what}: {done} of {total} steps")
        self._now(far.format(what=self._what, done=done, total=total))

    def tell(self, text: str) -> None:
        """Show what is done now, where nobody knows how much there is."""
        self._now(f"{self._what}: {text}")

    def _now(self, text: str) -> None:
        """Show a text, not oftener than ten times a second."""
        with self._output.lock:
            self._text = text
            now = self._output.clock()
            if now >= self._next:
                self._next = now + self._every
                self._show(text)

    def _watch(self) -> None:
        """Show that work goes on while it says nothing."""
        wait = self._after
        while not self._over.wait(wait):
            wait = LINES_EVERY if self._stays else 1.0
            with self._output.lock:
                now = self._output.clock()
                if now >= self._next + wait or not self._width:
                    seconds = int(now - self._begun)
                    self._show(f"{self._text} ({seconds} s)" if seconds else f"{self._text} ...")

    def _show(self, text: str) -> None:
        from shutil import get_terminal_size  # noqa: PLC0415  # slow, and seldom needed

        output, err = self._output, self._output.err
        line = output._fit(err, text)
        with output.lock:
            if self._stays:
                err.write(line + "\n")
            else:
                output.out.flush()
                line = line[: max(1, get_terminal_size().columns - 1)]
                err.write("\r" + line.ljust(self._width))
                output.shown = self
            self._width = len(line)
            err.flush()

    def away(self) -> None:
        """Take the line away, if it is there."""
        output, err = self._output, self._output.err
        with output.lock:
            if output.shown is self:
                err.write("\r" + " " * self._width + "\r")
                err.flush()
                output.shown = None
                self._width = 0

    def __enter__(self) -> Progress:
        """Begin to count, unless nobody would see it or the time is another's."""
        if self._next != float("inf") and self._output.clock is time.monotonic:
            self._thread = threading.Thread(target=self._watch, name="progress", daemon=True)
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Take the line away."""
        self._over.set()
        if self._thread is not None:
            self._thread.join()
        self.away()
