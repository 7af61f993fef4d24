"""The words of the command line: verbs, flags, and what may follow each.

Law: this file declares and checks words; it runs nothing and imports no verb, so that `busso
--help` is immediate. The engine is imported only by `table_rules`, which the verbs call.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final, NoReturn

from tools.errors import UsageError

if TYPE_CHECKING:
    from engine.contract import Game

MAX_PLAYERS: Final = 64
MAX_HANDS: Final = 10_000
MAX_THINK: Final = 60.0
HIDDEN: Final = ("node",)
"""Verbs that Busso says to itself."""


class Parser(argparse.ArgumentParser):
    """An argparse parser whose errors are one sentence, and without abbreviations."""

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("allow_abbrev", False)
        settings.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(**settings)

    def error(self, message: str) -> NoReturn:
        """Raise UsageError instead of printing the usage and ending the process."""
        given, bad_choice, _ = message.partition(" (choose from ")
        prefix = "argument VERB: invalid choice: "
        if bad_choice and given.startswith(prefix):
            message = f"there is no verb {given[len(prefix) :]}"
        raise UsageError(message, f"{self.prog} --help shows what can be said.")


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
        sys.stdout.write(f"busso {number}\n")
        parser.exit()


_FLAGS: Final[tuple[tuple[tuple[str, ...], dict[str, Any], str], ...]] = (
    (("--json",), {}, "data for programs instead of words"),
    (("--plain",), {}, "lines only: no colours, no full screen"),
    (("--ascii",), {}, "nothing but ASCII characters"),
    (("--no-color", "--no-colour"), {"dest": "no_color"}, "no colours (as NO_COLOR does)"),
    (("-q", "--quiet"), {}, "only what matters"),
    (("-v", "--verbose"), {}, "more about it"),
)


LANGUAGES: Final = ("it", "en")
RULES_LANGUAGES: Final = (*LANGUAGES, "fa")
"""In which the rules may be read; a game that lacks one is answered in English."""


def _add_flags(
    parser: argparse.ArgumentParser, *, top: bool, languages: tuple[str, ...] = LANGUAGES
) -> None:
    """The flags that stand before or after the verb. Below the top they have no default, so that
    a verb's parser doesn't undo what stood before the verb."""
    group = parser.add_argument_group("flags of every verb, before or after it")
    for names, settings, text in _FLAGS:
        default = False if top else argparse.SUPPRESS
        group.add_argument(*names, action="store_true", default=default, help=text, **settings)
    group.add_argument(
        "--lang",
        choices=languages,
        default=None if top else argparse.SUPPRESS,
        help="the language",
    )
    group.add_argument(
        "--version", action=_Version, default=argparse.SUPPRESS, help="print the version and end"
    )


def number(low: int, high: int) -> Callable[[str], int]:
    """A converter for a whole number from `low` to `high`, written plainly."""

    def convert(text: str) -> int:
        plain = text.isascii() and text.isdigit() and len(text) <= 20
        if not plain or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(
                f"a whole number from {low} to {high} is needed, not '{text[:40]}'"
            )
        return int(text)

    return convert


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"'{text[:40]}' is not NAME=VALUE, as in tokens=5")
    return name, value


def _add_rules(parser: argparse.ArgumentParser) -> None:
    """The house rules of a table, which `table_rules` reads."""
    parser.add_argument("--preset", metavar="P", help="a set of house rules (marche, emilia, ...)")
    parser.add_argument(
        "--option",
        metavar="NAME=VALUE",
        dest="options",
        action="append",
        type=_option,
        default=[],
        help="one house rule on top; may be given several times",
    )


def _add_game(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--game", metavar="G", help="the game (default: petrangola)")
    _add_rules(parser)


def _add_game_first(parser: argparse.ArgumentParser) -> None:
    """The game as the first word, as `host` takes it, or by `--game`."""
    parser.add_argument(
        "game", metavar="GAME", nargs="?", default=argparse.SUPPRESS, help="the game"
    )
    _add_game(parser)


def _add_hands(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument("--hands", metavar="H", type=number(1, MAX_HANDS), help=text)


def _add_port(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--port",
        metavar="P",
        type=number(1, 65_535),
        default=0,
        help="where the table's door is (default: any free port)",
    )


LEVELS: Final = ("easy", "medium", "hard")


def seconds(low: float, high: float) -> Callable[[str], float]:
    """A converter for a plain decimal number of seconds from `low` to `high`."""

    def convert(text: str) -> float:
        whole, _, part = text.partition(".")
        digits = whole + part
        plain = digits.isascii() and digits.isdigit() and whole and len(text) <= 12
        if not plain or not low <= float(text) <= high:
            raise argparse.ArgumentTypeError(
                f"seconds from {low:g} to {high:g} are needed, not '{text[:40]}'"
            )
        return float(text)

    return convert


def _add_level(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--level", choices=LEVELS, default="medium", help="how well computer players play (medium)"
    )
    _add_think(parser, 1.0)


def _add_think(parser: argparse.ArgumentParser, default: float) -> None:
    parser.add_argument(
        "--think",
        metavar="SECONDS",
        type=seconds(0.001, MAX_THINK),
        default=default,
        help=f"how long the hard level thinks about a choice ({default:g})",
    )


def _demo(parser: argparse.ArgumentParser) -> None:
    _add_game_first(parser)
    parser.add_argument(
        "--players", metavar="N", type=number(2, MAX_PLAYERS), default=4, help="how many (4)"
    )
    _add_hands(parser, "end the match after so many hands")
    _add_level(parser)
    parser.add_argument("--log", metavar="FILE", help="where to keep the log of the match")
    parser.add_argument(
        "--backend",
        choices=("auto", "sodium", "python"),
        default="auto",
        help="what computes the deal's proofs",
    )
    _add_port(parser)


def _play(parser: argparse.ArgumentParser) -> None:
    _add_game_first(parser)
    parser.add_argument(
        "--bots", metavar="N", type=number(1, MAX_PLAYERS - 1), default=3, help="how many (3)"
    )
    parser.add_argument("--name", metavar="NAME", help="your name at the table")
    _add_port(parser)
    _add_hands(parser, "end the match after so many hands")
    _add_level(parser)
    parser.add_argument("--log", metavar="FILE", help="where to keep the log of the match")
    _add_screen(parser)


def _add_screen(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--theme",
        choices=("dark", "light", "safe", "none"),
        help="the colours of the screen (dark; safe: for colour-blind people)",
    )
    parser.add_argument(
        "--no-bell",
        dest="bell",
        action="store_false",
        help="no bell when your turn comes",
    )


def _verify(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the log of a match, or a file of evidence")


def _replay(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the log of a match, or a file of evidence")
    parser.add_argument(
        "--as",
        metavar="SEAT",
        dest="view",
        default="all",
        help="what to show: all hands (default), only the table, or what one seat saw, which is "
        "named or numbered as verify does",
    )
    parser.add_argument(
        "--hand", metavar="N", type=number(1, 10**9), help="only this hand of the match"
    )


def _export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="the log of a match")
    parser.add_argument(
        "--format",
        choices=("json", "record"),
        required=True,
        help="json: everything, for programs; record: text that busso check reads",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="where to write it")


def _check(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="RECORD", help="a text record; - is standard input")


def _score(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help="the game")
    _add_rules(parser)
    parser.add_argument(
        "hands", metavar="HAND", nargs="+", help='a hand, as "2d 2c 2s"; with --last what each took'
    )
    parser.add_argument(
        "--last",
        metavar="SEAT",
        type=number(0, MAX_PLAYERS - 1),
        help="judge a whole deal: which seat, from 0, took the last trick",
    )


def _rules(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "game", metavar="GAME", nargs="?", help="the game, or general (default: list them)"
    )
    parser.add_argument("rule", metavar="RULE-ID", nargs="?", help="this rule only, as PET-22")


def _learn(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", nargs="?", help="the game (default: list them)")


def _stats(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--game", metavar="G", help="this game only")


def _config(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--write", action="store_true", help="make the file, every key explained in it"
    )


SHELLS: Final = ("bash", "zsh", "fish")


def _completion(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "shell", nargs="?", choices=SHELLS, help="which shell (default: say where it goes)"
    )


def _bench(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        choices=("deal", "verify", "engine", "bots", "mesh", "screen"),
        help="what to measure",
    )
    parser.add_argument(
        "--players", metavar="N", type=number(2, MAX_PLAYERS), help="how many (4, or as few as can)"
    )
    parser.add_argument("--game", metavar="G", help="this game only (engine, bots)")
    parser.add_argument(
        "--games",
        metavar="N",
        type=number(2, 100_000),
        default=50,
        help="deals for each pair of levels (bots: 50)",
    )
    parser.add_argument(
        "--first",
        metavar="DEAL",
        type=number(0, 1_000_000_000),
        default=0,
        help="the number of the first deal, to try others (bots: 0)",
    )
    _add_think(parser, 0.1)
    parser.add_argument(
        "--samples",
        metavar="N",
        type=number(1, 1_000_000),
        help="count roll-outs instead of seconds, so that the figures can be had again (bots)",
    )


def _doctor(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "host",
        metavar="HOST",
        nargs="?",
        help="also try the way to the table there, in both directions: an address, a name, "
        "with :PORT where it isn't the usual one, or an invitation",
    )
    parser.add_argument("--iface", metavar="NAME", help="look at this network interface only")


def _hexadecimal(octets: int) -> Callable[[str], str]:
    """A converter for so many octets in hexadecimal digits."""

    def convert(text: str) -> str:
        if len(text) != 2 * octets or not set(text) <= set("0123456789abcdef"):
            raise argparse.ArgumentTypeError(f"{2 * octets} hexadecimal digits are needed")
        return text

    return convert


def _add_person(parser: argparse.ArgumentParser) -> None:
    """What every verb that sits down at a table takes."""
    parser.add_argument("--name", metavar="NAME", help="your name at the table")
    parser.add_argument("--iface", metavar="NAME", help="use this network interface only")
    _add_level(parser)
    _add_screen(parser)


def _host(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", nargs="?", help="the game (default: petrangola)")
    _add_rules(parser)
    parser.add_argument(
        "--seats", metavar="N", type=number(2, MAX_PLAYERS), help="how many play (4, if they can)"
    )
    parser.add_argument(
        "--bots",
        metavar="N",
        type=number(0, MAX_PLAYERS - 1),
        default=0,
        help="so many of them are computer players of this computer (0)",
    )
    parser.add_argument(
        "--code",
        metavar="CODE",
        nargs="?",
        const="",
        help="only who knows this code gets in (without CODE: a new one)",
    )
    parser.add_argument("--table", metavar="NAME", help="what the table is called")
    parser.add_argument(
        "--no-watchers", dest="watchers", action="store_false", help="let nobody watch"
    )
    parser.add_argument(
        "--patience",
        metavar="SECONDS",
        type=number(1, 86_400),
        default=0,
        help="how long the table waits for somebody who is gone before it asks what to do (120)",
    )
    parser.add_argument(
        "--timer",
        metavar="SECONDS",
        type=number(1, 86_400),
        default=0,
        help="how long a turn may take before the table asks what to do (as long as you like)",
    )
    parser.add_argument(
        "--hidden",
        action="store_true",
        help="don't show the table to the network: who comes needs the address or an invitation",
    )
    _add_port(parser)
    _add_hands(parser, "end the match after so many hands")
    _add_person(parser)


def _join(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "table",
        metavar="TABLE",
        nargs="?",
        help="a table's or host's name, HOST[:PORT] or an invitation; without it all are listed",
    )
    parser.add_argument("--code", metavar="CODE", help="the table's code, if it has one")
    _add_person(parser)


def _resume(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "match", metavar="MATCH", nargs="?", help="a part of its name (default: the newest)"
    )
    parser.add_argument("--list", action="store_true", help="only list what can be taken up")
    parser.add_argument("--at", metavar="HOST[:PORT]", help="look for the others there too")
    _add_person(parser)


def _id(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        nargs="?",
        default="show",
        choices=("show", "name", "passphrase", "known", "forget"),
        help="show yourself (default), set your name, lock your key by a passphrase, "
        "list whom you have met, forget one",
    )
    parser.add_argument("value", metavar="NAME", nargs="?", help="the name")


def _node(parser: argparse.ArgumentParser) -> None:
    _add_game(parser)
    _add_hands(parser, "end the match after so many hands")
    _add_level(parser)
    parser.add_argument("--players", metavar="N", type=number(2, MAX_PLAYERS), default=4)
    parser.add_argument("--join", metavar="HOST:PORT")
    _add_port(parser)
    parser.add_argument("--name", metavar="NAME", required=True)
    parser.add_argument("--folder", metavar="DIR", required=True)
    parser.add_argument("--seed", metavar="N", type=number(0, 2**63 - 1))
    parser.add_argument("--owner", metavar="KEY", type=_hexadecimal(32), help=argparse.SUPPRESS)
    parser.add_argument("--voucher", metavar="SIG", type=_hexadecimal(64), help=argparse.SUPPRESS)
    parser.add_argument("--stay", action="store_true", help=argparse.SUPPRESS)


_VERBS: Final = {
    "host": (_host, "open a table for others of this network"),
    "join": (_join, "sit down at a table of this network"),
    "watch": (_join, "watch a table of this network"),
    "resume": (_resume, "go back to a match that you left or that was interrupted"),
    "id": (_id, "show who you are to others: name, three words, fingerprint"),
    "demo": (_demo, "watch players of this computer play a match over real connections"),
    "play": (_play, "play here against computer players"),
    "verify": (_verify, "judge the log of a match: every signature, proof, move and card"),
    "replay": (_replay, "tell a match again, step by step, with all hands"),
    "export": (_export, "write a match as JSON or as a text record"),
    "check": (_check, "play a text record by the rules and tell the first thing wrong"),
    "score": (_score, "say what hands are worth and which is best"),
    "learn": (_learn, "learn a game by a guided hand of two minutes"),
    "rules": (_rules, "read the rules of a game, its options and presets"),
    "stats": (_stats, "add up what your verified logs tell: results, streaks, who met whom"),
    "config": (_config, "show what is set, and where from"),
    "completion": (_completion, "print what the Tab key of your shell has to know"),
    "doctor": (_doctor, "find what keeps this computer from playing with others"),
    "bench": (_bench, "measure how fast this computer deals, verifies and plays, and how well"),
    "node": (_node, ""),
}
VERBS: Final = tuple(_VERBS)

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


def make_parser(defaults: Defaults | None = None) -> Parser:
    """The parser of the whole command line; `verb` is None if none was given.

    `defaults` stand where nothing is said; a verb without such an argument has no use for them.
    """
    chosen = defaults or {}
    parser = Parser(
        prog="busso",
        description="Card games without a server: nobody deals, nobody can cheat, "
        "everybody can check.",
        epilog=_EXAMPLES,
    )
    _add_flags(parser, top=True)
    verbs = parser.add_subparsers(title="verbs", metavar="VERB", dest="verb")
    for name, (declare, text) in _VERBS.items():
        about: dict[str, Any] = {} if name in HIDDEN else {"help": text}
        verb = verbs.add_parser(name, description=f"{text[:1].upper()}{text[1:]}.", **about)
        declare(verb)
        _set(
            verb,
            {} if name in HIDDEN else {d: v for d, (v, no) in chosen.items() if name not in no},
        )
        _add_flags(verb, top=False, languages=RULES_LANGUAGES if name == "rules" else LANGUAGES)
    _set(parser, {dest: value for dest, (value, _) in chosen.items()})
    return parser


def _set(parser: argparse.ArgumentParser, values: Mapping[str, Any]) -> None:
    """Set those defaults for which `parser` has an argument by now."""
    there = {action.dest for action in parser._actions}
    parser.set_defaults(**{dest: value for dest, value in values.items() if dest in there})


def table_rules(args: argparse.Namespace) -> tuple[Game, Any]:
    """The game and its options that `--game`, `--preset` and `--option` ask for.

    UsageError for an unknown preset; OptionError for the rest.
    """
    from engine import options, registry  # noqa: PLC0415  # only the verbs that play need them

    game = registry.get(args.game or registry.DEFAULT)
    name: str = args.preset or game.default_preset
    preset = game.presets.get(name)
    if preset is None:
        known = ", ".join(game.presets)
        raise UsageError(f"{game.title} has no preset '{name[:40]}'; there are: {known}")
    given: Iterable[tuple[str, str]] = args.options
    return game, options.make(game.options_type, preset, given)
