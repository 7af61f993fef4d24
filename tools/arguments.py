"""The parser of the command line, made of the verbs' words and of the flags that all of them have.

Law: this file checks words; it runs nothing and imports no verb, so that `busso --help` is
immediate. What verbs there are is `tools.verbs`' to say, in which language help is `tools.help`'s.
The engine is imported only by `table_rules`, which the verbs call.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NoReturn

from tools.errors import UsageError
from tools.values import LANGUAGES, RULES_LANGUAGES
from tools.verbs import HIDDEN, VERBS, Word, switch, word

if TYPE_CHECKING:
    from engine.contract import Game

MAX_COMPLAINT: Final = 300
"""Characters of a complaint: what was typed may be of any length."""


def _cut(text: str) -> str:
    return text if len(text) <= MAX_COMPLAINT else f"{text[:MAX_COMPLAINT]}…"


class Parser(argparse.ArgumentParser):
    """An argparse parser whose errors are one sentence, and without abbreviations.

    `retell` puts what it says into another language, once it is needed; `say` is where its help
    goes (default: standard output, as it is); `verbs` are the parsers of the words after a verb.
    """

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("allow_abbrev", False)
        settings.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        if sys.version_info >= (3, 14):
            settings.setdefault("color", False)  # which knows nothing of --plain
        super().__init__(**settings)
        self.retell: Callable[[Parser], None] | None = None
        self.verbs: dict[str, Parser] = {}
        self.say: Callable[[str], object] = sys.stdout.write if sys.stdout else len

    def error(self, message: str) -> NoReturn:
        """Raise UsageError instead of printing the usage and ending the process."""
        given, bad_choice, _ = message.partition(" (choose from ")
        prefix = "argument VERB: invalid choice: "
        if bad_choice and given.startswith(prefix):
            message = f"there is no verb {given[len(prefix) :]}"
        raise UsageError(_cut(message), f"{self.prog} --help shows what can be said.")

    def understood(self, argv: Sequence[str]) -> argparse.Namespace:
        """As `parse_args`, but what is left over is told by the verb that has no use for it.
        UsageError."""
        known, left = self.parse_known_args(argv)
        if left:
            self.verbs.get(known.verb, self).error(f"unrecognized arguments: {' '.join(left)}")
        return known

    def format_help(self) -> str:
        """The help, in the language that is spoken."""
        retell, self.retell = self.retell, None
        if retell is not None:
            retell(self)
        return super().format_help()

    def print_help(self, file: Any = None) -> None:
        """Say the help; `file` is argparse's and nobody's here."""
        self.say(self.format_help())


class _Version(argparse.Action):
    """`--version`: looks the version up only when it is asked for."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, nargs=0)

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415  # slow

        try:
            number = version("busso")
        except PackageNotFoundError:
            number = "(not installed)"
        if isinstance(parser, Parser):
            parser.say(f"busso {number}\n")
        parser.exit()


_FLAGS: Final = (
    word("--json", action="store_true", help="data for programs instead of words"),
    *switch("plain", help="lines only: no colours, no full screen"),
    *switch("ascii", help="nothing but ASCII characters"),
    word("--color", "--colour", dest="colour", action="store_true", help=argparse.SUPPRESS),
    word(
        "--no-color",
        "--no-colour",
        dest="colour",
        action="store_false",
        help="no colours (as NO_COLOR does)",
    ),
    word("-q", "--quiet", action="store_true", help="only what matters"),
    word("-v", "--verbose", action="store_true", help="more about it"),
    word("--lang", choices=LANGUAGES, help="the language"),
)
SWITCHES: Final = ("plain", "ascii", "colour")
"""Flags that have an opposite: None if neither was said."""
_RULES_FLAGS: Final = (*_FLAGS[:-1], word("--lang", choices=RULES_LANGUAGES, help="the language"))


def _add(parser: argparse._ActionsContainer, words: Iterable[Word], **settings: Any) -> None:
    """Have `parser` take these words, with `settings` on top."""
    for each in words:
        parser.add_argument(*each.names, **{**each.settings, **settings})


def _add_flags(parser: Parser, words: Iterable[Word], **settings: Any) -> None:
    """The flags that stand before or after the verb. Below the top they have no default, so that
    a verb's parser doesn't undo what stood before the verb."""
    group = parser.add_argument_group("flags of every verb, before or after it")
    _add(group, words, **settings)
    group.add_argument(
        "--version", action=_Version, default=argparse.SUPPRESS, help="print the version and end"
    )


_EXAMPLES: Final = """\
examples:
  busso host traversone --bots 2
  busso join
  busso play --bots 3
  busso verify match.busso
  busso replay match.busso --hand 2 | less
  busso score petrangola --preset emilia "2d 2c 2s" "Rd Cd Ad"
exit codes:
  0 fine, 1 a verification failed, 2 usage, 3 unreadable or unsupported file,
  4 network, 5 needs a terminal, 70 a bug of Busso, 130 interrupted
"""

Defaults = Mapping[str, tuple[Any, tuple[str, ...]]]
"""Defaults of another's choice: argument -> its value, and the verbs that don't take it."""


def make_parser(
    defaults: Defaults | None = None,
    among: Sequence[str] | None = None,
    say: Callable[[str], object] | None = None,
) -> Parser:
    """The parser of the whole command line; `verb` is None if none was given.

    `defaults` stand where nothing is said; a verb without such an argument has no use for them.
    With `among`, only verbs that are one of these words have words of their own: to parse `among`,
    or a part of it, no others are needed. `say` is where help goes.
    """
    chosen = defaults or {}
    parser = Parser(
        prog="busso",
        description="Card games without a server: nobody deals, nobody can cheat, "
        "everybody can check.",
        epilog=_EXAMPLES,
    )
    _add_flags(parser, _FLAGS)
    parser.set_defaults(**dict.fromkeys(SWITCHES))
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", dest="verb")
    for name, verb in VERBS.items():
        hidden = name in HIDDEN
        about: dict[str, Any] = {} if hidden else {"help": verb.text}
        text = f"{verb.text[:1].upper()}{verb.text[1:]}."
        below: Parser = verbs.add_parser(name, description=text, **about)
        parser.verbs[name] = below
        below.say = say or below.say
        if among is not None and name not in among:
            continue
        _add(below, verb.words)
        _set(below, {} if hidden else {d: v for d, (v, no) in chosen.items() if name not in no})
        flags = _RULES_FLAGS if name == "rules" else _FLAGS
        _add_flags(below, flags, default=argparse.SUPPRESS)
    _set(parser, {dest: value for dest, (value, _) in chosen.items()})
    parser.say = say or parser.say
    return parser


def _set(parser: argparse.ArgumentParser, values: Mapping[str, Any]) -> None:
    """Set those defaults for which `parser` has an argument by now."""
    there = {action.dest for action in parser._actions}
    parser.set_defaults(**{dest: value for dest, value in values.items() if dest in there})


SEATS: Final = 4
"""Players at a table if nobody says how many, and the game takes so many."""


def seats_of(game: Game, wanted: int = SEATS) -> int:
    """So many seats, or the number nearest to it that the game takes."""
    return max(game.min_seats, min(game.max_seats, wanted))


def table_rules(args: argparse.Namespace) -> tuple[Game, Any]:
    """The game and its options that `--game`, `--preset` and `--option` ask for.

    UsageError for an unknown preset; OptionError for the rest.
    """
    from engine import options, registry  # noqa: PLC0415  # only the verbs that play need them

    game = registry.get(args.game or registry.DEFAULT)
    name: str = args.preset or game.default_preset
    preset = game.presets.get(name)
    if preset is None:
        known = ", ".join((*game.presets, *getattr(args, "own_presets", ())))
        raise UsageError(f"{game.title} has no preset '{name[:40]}'; there are: {known}")
    given: Iterable[tuple[str, str]] = args.options
    return game, options.make(game.options_type, preset, given)
