"""Which interface a person gets at a table: the full screen, or plain lines.

Law: it looks at the terminal, the flags and the environment: `--plain` or no terminal means lines;
a window that is too small means lines and a sentence about it. It imports prompt_toolkit only when
the full screen is wanted.

    --theme light|dark|safe|none, BUSSO_THEME     the colours (NO_COLOR and --no-color mean none)
    --no-bell                                     no bell when it is the player's turn
"""

from __future__ import annotations

import argparse
import os
import random
import secrets
import shutil
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from node.language import preferred
from node.screen.paint import MIN_HEIGHT, MIN_WIDTH, fits
from node.screen.theme import Theme, ThemeName, theme
from tools.errors import UsageError
from tools.output import Output, is_terminal

if TYPE_CHECKING:
    from prompt_toolkit.output import Output as ScreenOutput

    from node.screen.app import ScreenTable
    from node.screen.lesson_app import ScreenLesson
    from node.screen.lobby_app import ScreenLobby

CONSOLES: Final = ("linux", "ansi", "cygwin", "eterm-color", "xterm-16color")
"""Terminals (TERM) of sixteen colours and of few glyphs."""


def full_screen(
    args: argparse.Namespace,
    out: Output,
    rng: random.Random,
    environ: Mapping[str, str] = os.environ,
) -> ScreenTable | None:
    """The screen for this terminal; None where lines are the way. `rng` is for advice.

    UsageError: BUSSO_THEME names no theme.
    """
    look = _look(out, args.theme, environ)
    if look is None:
        return None
    from node.screen.app import ScreenTable  # noqa: PLC0415  # slow, and only for a terminal

    code, sink = preferred(out.language, environ), _sink(environ)
    return ScreenTable(look, code, rng, sink=sink, bell=args.bell)


def lobby_screen(
    args: argparse.Namespace, out: Output, environ: Mapping[str, str] = os.environ
) -> ScreenLobby | None:
    """The same with the list of tables and the lobby. UsageError."""
    look = _look(out, args.theme, environ)
    if look is None:
        return None
    from node.screen.lobby_app import ScreenLobby  # noqa: PLC0415  # slow, and only for a terminal

    rng = random.Random(secrets.randbits(64))
    code, sink = preferred(out.language, environ), _sink(environ)
    return ScreenLobby(look, code, rng, sink=sink, bell=args.bell)


def lesson_screen(
    args: argparse.Namespace, out: Output, name: str, environ: Mapping[str, str] = os.environ
) -> ScreenLesson | None:
    """The same for lessons; `name` is the learner's. UsageError."""
    look = _look(out, args.theme, environ)
    if look is None:
        return None
    from node.screen.lesson_app import ScreenLesson  # noqa: PLC0415  # slow, and only for a terminal

    return ScreenLesson(look, preferred(out.language, environ), name, sink=_sink(environ))


def _look(out: Output, given: str | None, environ: Mapping[str, str]) -> Theme | None:
    """How the screen looks on this terminal; None where lines are the way."""
    if not wanted(out, environ):
        return None
    columns, rows = shutil.get_terminal_size()
    if not fits(columns, rows):
        told = out.t(
            "The full screen needs {min_columns} columns and {min_rows} rows; this window has "
            "{columns} and {rows}, so here are plain lines."
        )
        size = {"columns": columns, "rows": rows}
        out.line(told.format(min_columns=MIN_WIDTH, min_rows=MIN_HEIGHT, **size))
        return None
    found = theme(theme_name(out, given, environ), unicode=not out.ascii and _unicode(out))
    if _is_console(environ):
        from node.screen.console import few_colours  # noqa: PLC0415  # slow, for few terminals

        return few_colours(found)
    return found


def _is_console(environ: Mapping[str, str]) -> bool:
    return environ.get("TERM", "") in CONSOLES


def _sink(environ: Mapping[str, str]) -> ScreenOutput | None:
    """Where the screen goes; None for the terminal as it is."""
    if not _is_console(environ):
        return None
    from node.screen.console import console_output  # noqa: PLC0415  # as above

    return console_output(sys.stdout, environ["TERM"])


def wanted(out: Output, environ: Mapping[str, str]) -> bool:
    """Whether the full screen can be shown and nobody asked for lines."""
    if out.plain or out.json or environ.get("TERM", "") in ("", "dumb", "unknown"):
        return sys.platform == "win32" and not (out.plain or out.json) and _both(out)
    return _both(out)


def _both(out: Output) -> bool:
    """Whether somebody sits at both ends."""
    return is_terminal(sys.stdin) and is_terminal(out.out)


def _unicode(out: Output) -> bool:
    return (out.out.encoding or "").lower().replace("-", "") in ("utf8", "utf16", "cp65001")


def theme_name(out: Output, given: str | None, environ: Mapping[str, str]) -> ThemeName:
    """The theme that is asked for, by a flag or else by the environment. UsageError."""
    if not out.colour:
        return ThemeName.NONE
    name = given or environ.get("BUSSO_THEME", "") or ThemeName.DARK
    try:
        return ThemeName(name)
    except ValueError:
        raise UsageError(
            f"BUSSO_THEME={name[:20]} is no theme",
            f"Choose one of {', '.join(ThemeName)}.",
        ) from None
