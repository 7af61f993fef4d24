"""`busso`: from the words of the command line to a verb, and from its end to an exit code.

Law: this file finds the verb, hands it its arguments and an `Output`, and lets nothing out but an
exit code. A verb is a module `tools.<verb>` with `run(args, out) -> int`, imported when it is used.
What a person has set is known before anything is said, so that help and complaints come in the
language of the settings; what is wrong with the settings stops only verbs that use them.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import TextIO

from node.language import SOURCE
from tools import errors, settings
from tools.arguments import Defaults, Parser, make_parser
from tools.errors import CommandError, ExitCode, UsageError
from tools.help import asked_language, translate
from tools.output import Output, is_terminal, wants_colour
from tools.verbs import HIDDEN

MODULES = {"node": "tools.node_process", "id": "tools.identity"}
"""The modules of verbs that aren't called as the verb is: `tools/node.py` would hide `node`."""
UNSET = (*HIDDEN, "config", "completion")
"""Verbs without a person's settings: told everything by flags, or about the settings themselves."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; `argv` as after the word `busso`. Returns its exit code."""
    out = Output(_stream(sys.stdout), _stream(sys.stderr))
    if sys.stdin is None:  # closed: nobody types
        sys.stdin = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    try:
        try:
            code = _run(sys.argv[1:] if argv is None else argv, out)
        except SystemExit as error:  # --help and --version have said what there is to say
            code = error.code if isinstance(error.code, int) else ExitCode.USAGE
        out.out.flush()
    except BrokenPipeError:
        _let_go(out.out)
        return ExitCode.PIPE
    except (Exception, KeyboardInterrupt) as error:  # whatever it is, it becomes a sentence
        return _end(error, out)
    return code


def _run(argv: Sequence[str], out: Output) -> int:
    if any("\0" in word for word in argv):
        raise UsageError("a word of the command line holds a NUL character")
    own, defaults, wrong = _own(argv)
    language: str | None = asked_language(argv) or defaults.get("lang", (None,))[0]
    out.language = language
    out.ascii = "--ascii" in argv or ("ascii" in defaults and bool(defaults["ascii"][0]))
    args = _parser(out, argv, defaults).understood(argv)
    _configure(out, args, language)
    if args.verb in UNSET:
        args = make_parser(among=argv).understood(argv)
    elif wrong is not None:
        raise wrong
    if args.verb is None:
        parser = _parser(out, [*argv, "join"], defaults)
        if args.json or not (is_terminal(out.out) and is_terminal(_stream(sys.stdin))):
            parser.print_help()
            return ExitCode.FINE
        args = parser.understood([*argv, "join"])
        taken_up = importlib.import_module("tools.resume").offer(args, out)
        if taken_up is not None:
            return int(taken_up)
    if own is not None:
        own.settle(args)
    module = importlib.import_module(MODULES.get(args.verb, f"tools.{args.verb}"))
    code: int = module.run(args, out)
    return code


def _own(argv: Sequence[str]) -> tuple[settings.Settings | None, Defaults, CommandError | None]:
    """What is set, the defaults that follow from it, and what is wrong with it."""
    if argv and argv[0] in HIDDEN:
        return None, {}, None
    try:
        own = settings.load()
        return own, own.defaults(os.environ), None
    except CommandError as error:
        return None, {}, error


def _parser(out: Output, argv: Sequence[str], defaults: Defaults) -> Parser:
    """The parser, whose help is in the language that is spoken and goes where words go."""

    def say(text: str) -> None:
        for line in text.splitlines():
            out.line(line)

    parser = make_parser(defaults, argv, say)
    if out.speech.code != SOURCE:
        translate(parser, out.speech)
    return parser


def _configure(out: Output, args: argparse.Namespace, language: str | None) -> None:
    out.json, out.plain, out.ascii = args.json, bool(args.plain), bool(args.ascii)
    out.quiet, out.verbose, out.language = args.quiet, args.verbose, args.lang or language
    windows = sys.platform == "win32"
    allowed = not (out.plain or out.json)
    out.colour = allowed and wants_colour(out.out, os.environ, windows, args.colour)


def _end(error: BaseException, out: Output) -> int:
    """Say in one sentence what stopped the command."""
    code, text, hint = errors.ending(error)
    try:
        out.out.flush()
    except (OSError, ValueError):  # what stopped it, perhaps
        _let_go(out.out)
    try:
        if os.environ.get("BUSSO_DEBUG"):
            import traceback  # noqa: PLC0415  # slow, and for those who write the program

            traceback.print_exception(error, file=out.err)
        speech = out.speech
        out.error(speech.retold(text), speech.retold(hint))
        out.err.flush()
    except (OSError, ValueError):  # nobody can be told
        _let_go(out.out)
    return code


def _stream(stream: TextIO | None) -> TextIO:
    """The stream, or nowhere if the program has none (as under `pythonw`)."""
    return stream if stream is not None else io.StringIO()


def _let_go(stream: TextIO) -> None:
    """Point a stream that nobody reads any more at the void, or Python complains at its end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        void = os.open(os.devnull, os.O_WRONLY)
        os.dup2(void, stream.fileno())
        os.close(void)
