"""`busso completion SHELL`: what the Tab key of a shell has to know, made from the parser itself.

Law: shtab writes the script; this file adds what the parser leaves open, the names of games and
presets and which arguments are files. A verb without help, which Busso says to itself, is left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Final

from engine import registry
from tools.arguments import make_parser
from tools.errors import ExitCode, UsageError
from tools.output import Output

FILES: Final = frozenset({"FILE", "RECORD"})
"""The metavariables of arguments that are files."""
_WHERE: Final = {
    "bash": "busso completion bash > ~/.local/share/bash-completion/completions/busso",
    "zsh": "busso completion zsh > DIR/_busso, where DIR is a folder of your fpath",
    "fish": "busso completion fish > ~/.config/fish/completions/busso.fish",
}


def run(args: argparse.Namespace, out: Output) -> int:
    """Print the script for `args.shell`, or where it goes. UsageError: asked for JSON."""
    if out.json:
        raise UsageError("completion prints a script and has no JSON", "busso completion bash")
    if args.shell is None:
        for line in _WHERE.values():
            out.line(line)
        return ExitCode.FINE
    out.text(script(args.shell))
    return ExitCode.FINE


def script(shell: str) -> str:
    """The script for one of `tools.values.SHELLS`."""
    import shtab  # noqa: PLC0415  # only for this

    parser = make_parser()
    verbs = _verbs(parser)
    presets = sorted({p for game in registry.GAMES for p in registry.get(game).presets})
    for action in _arguments(verbs):
        if action.dest == "game":
            action.choices = [*registry.GAMES]
        elif action.dest == "preset":
            action.choices = presets
        elif action.metavar in FILES:
            action.complete = shtab.FILE  # type: ignore[attr-defined] # where shtab looks for it
    return shtab.complete(parser, shell=shell)


class _Verbs(argparse.Action):
    """The type of the action that holds the verbs, whose class argparse keeps to itself."""

    choices: dict[str, argparse.ArgumentParser]


def _verbs(parser: argparse.ArgumentParser) -> _Verbs:
    return next(action for action in parser._actions if action.dest == "verb")  # type: ignore[return-value] # see _Verbs


def _arguments(verbs: _Verbs) -> Iterator[argparse.Action]:
    for verb in verbs.choices.values():
        yield from verb._actions
