"""The command line's help in the language of whoever asks for it.

Law: it changes what a parser says, never what it understands. The words themselves stand where the
arguments are declared; here they are only found and retold, once a help is really printed. What
only those who write the program use (UNTOLD) stays English.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from node.language import Language, said
from tools.arguments import Parser

UNTOLD: Final = ("node", "bench")
"""Verbs of which only the line in the list of verbs is retold."""
USAGE: Final = said("usage:")


def asked_language(argv: Sequence[str]) -> str | None:
    """What `--lang` says, before anything is parsed: `--help` and errors are in a language too."""
    for number, word in enumerate(argv):
        flag, equals, value = word.partition("=")
        if word == "--":
            break
        if flag == "--lang":
            return value if equals else next(iter(argv[number + 1 :]), None)
    return None


def parsers(parser: Parser) -> Iterator[Parser]:
    """`parser` and those of its verbs, but UNTOLD."""
    yield parser
    for action in _verbs(parser):
        for name, verb in action.choices.items():
            if name not in UNTOLD:
                yield verb


def _verbs(parser: Parser) -> Iterator[argparse._SubParsersAction[Parser]]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield action


def help_texts(parser: Parser) -> Iterator[str]:
    """Everything that a help says, as it is declared."""
    for one in parsers(parser):
        yield from (group.title for group in one._action_groups if group.title)
        yield from (text for text in (_plain(one.description), (one.epilog or "").strip()) if text)
        for action in one._actions:
            if action.help and action.help != argparse.SUPPRESS:
                yield action.help
        for verbs in _verbs(one):
            yield from (choice.help for choice in verbs._choices_actions if choice.help)


def translate(parser: Parser, language: Language) -> None:
    """Have `parser` and its verbs say their help in `language`, from when it is asked for."""
    for one in parsers(parser):
        one.retell = partial(_retell, language)


def _retell(language: Language, parser: Parser) -> None:
    retold = language.retold

    class Formatter(argparse.RawDescriptionHelpFormatter):
        """With this language's word for the usage."""

        def add_usage(self, usage, actions, groups, prefix=None):  # type: ignore[no-untyped-def]  # as its base has it
            start = f"{retold(USAGE)} " if prefix is None else prefix
            super().add_usage(usage, actions, groups, start)

    parser.formatter_class = Formatter
    for group in parser._action_groups:
        group.title = retold(group.title) if group.title else group.title
    if parser.description:
        plain = retold(_plain(parser.description))
        end = "." if parser.description.endswith(".") and not plain.endswith(".") else ""
        parser.description = f"{plain[:1].upper()}{plain[1:]}{end}"
    if parser.epilog:
        parser.epilog = retold(parser.epilog.strip())
    for action in parser._actions:
        if action.help and action.help != argparse.SUPPRESS:
            action.help = retold(action.help)
    for verbs in _verbs(parser):
        for choice in verbs._choices_actions:
            choice.help = retold(choice.help) if choice.help else choice.help


def _plain(description: str | None) -> str:
    """A verb's description is its help, made a sentence: the help again."""
    text = description or ""
    if text.count(".") == 1 and text.endswith("."):
        text = text.removesuffix(".")
        return f"{text[:1].lower()}{text[1:]}"
    return text
