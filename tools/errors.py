"""What stops a command, and the exit code of everything that can.

Law: this file alone turns an exception of any layer into a sentence and a code. It imports a layer
only to recognise that layer's errors, and never shows a traceback.

    CommandError        a command can't go on; its text is one sentence, `hint` what to do
    |-- UsageError      2   it was asked for something that it can't do
    |-- UnusableFile    3   a file or its format
    |-- NetworkFailed   4   nobody there, or no way to them
    `-- TerminalNeeded  5   it needs somebody at a keyboard
"""

from __future__ import annotations

import enum
from typing import ClassVar, NamedTuple


class ExitCode(enum.IntEnum):
    """What `busso` ends with."""

    FINE = 0
    WRONG = 1
    """A verification failed."""
    USAGE = 2
    UNREADABLE = 3
    NETWORK = 4
    TERMINAL = 5
    BUG = 70
    """Busso itself is at fault (EX_SOFTWARE of sysexits.h)."""
    INTERRUPTED = 130
    """Ctrl-C: 128 + SIGINT."""
    PIPE = 141
    """Whoever read the output has gone: 128 + SIGPIPE, as other commands end then."""


class CommandError(Exception):
    """A command can't go on: one sentence, and what to do about it."""

    code: ClassVar[ExitCode] = ExitCode.BUG

    def __init__(self, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.hint = hint


class UsageError(CommandError):
    """The command line asks for what can't be done."""

    code = ExitCode.USAGE


class UnusableFile(CommandError):
    """A file can't be read or written, or is of a format that this program doesn't know."""

    code = ExitCode.UNREADABLE


class NetworkFailed(CommandError):
    """The network doesn't do what is needed."""

    code = ExitCode.NETWORK


class TerminalNeeded(CommandError):
    """The command needs a terminal that somebody types at."""

    code = ExitCode.TERMINAL


class Ending(NamedTuple):
    """How a command ends that an exception stopped."""

    code: ExitCode
    text: str
    hint: str = ""


_REPORT = "Set BUSSO_DEBUG=1 to see where, and please report it."


def ending(error: BaseException) -> Ending:
    """The code, the sentence and the advice for whatever a command raised."""
    if isinstance(error, KeyboardInterrupt):
        return Ending(ExitCode.INTERRUPTED, "interrupted")
    if isinstance(error, CommandError):
        return Ending(error.code, str(error), error.hint)
    found = _of_engine(error) or _of_protocol(error) or _of_node(error)
    if found is not None:
        return found
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return Ending(ExitCode.UNREADABLE, f"{where}{error.strerror or type(error).__name__}")
    if isinstance(error, MemoryError):
        return Ending(ExitCode.BUG, "there is not enough memory for this")
    # Its own text may hold anything, so only the kind is told.
    return Ending(ExitCode.BUG, f"Busso has a bug here ({type(error).__name__})", _REPORT)


def _of_engine(error: BaseException) -> Ending | None:
    from engine.errors import EngineError, OutOfTurn  # noqa: PLC0415  # only for what has failed

    if isinstance(error, OutOfTurn) or not isinstance(error, EngineError):
        return None
    return Ending(ExitCode.USAGE, str(error))


def _of_protocol(error: BaseException) -> Ending | None:
    from protocol.errors import (  # noqa: PLC0415  # only for what has failed
        CorruptLog,
        Fault,
        FileError,
        LocalProtocolError,
        ProtocolError,
    )
    from protocol.group import BackendError  # noqa: PLC0415  # only for what has failed

    if not isinstance(error, ProtocolError):
        return None
    text = str(error)
    if isinstance(error, BackendError):
        return Ending(ExitCode.USAGE, text, "Without BUSSO_GROUP the best one is chosen.")
    if isinstance(error, LocalProtocolError):
        return Ending(ExitCode.BUG, f"Busso has a bug here: {text}", _REPORT)
    if isinstance(error, Fault | CorruptLog):
        return Ending(ExitCode.WRONG, text, "busso verify says more about a file.")
    if isinstance(error, FileError):
        return Ending(ExitCode.UNREADABLE, text)
    return Ending(ExitCode.WRONG, text)


def _of_node(error: BaseException) -> Ending | None:
    # Asking for the module would import the node; whoever raised its errors has done so.
    tree = {kind.__name__: kind for kind in type(error).__mro__}
    if "NodeError" not in tree or tree["NodeError"].__module__ != "node.errors":
        return None
    if "NodeFailed" in tree:
        return Ending(ExitCode.BUG, f"Busso has a bug here: {error}", _REPORT)
    return Ending(ExitCode.NETWORK, str(error))
