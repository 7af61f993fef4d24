"""The verbs of the command line, and the words that may follow each.

Law: a table of data, which `tools.arguments` makes a parser of; what runs a verb is its module. A
word that several verbs take stands once. Nothing is imported but what the words may be, no
dataclasses either, since `busso --help` waits for them.

    Word    one argument: its names, and how argparse takes it
    Verb    a line for the list of verbs, and the words
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from tools.values import (
    DAY,
    LEVELS,
    MAX_HANDS,
    MAX_PLAYERS,
    MAX_THINK,
    SHELLS,
    THEMES,
    hexadecimal,
    number,
    option,
    seconds,
)


class Word(NamedTuple):
    """One argument: its names, and what `add_argument` is told of it."""

    names: tuple[str, ...]
    settings: Mapping[str, Any]


class Verb(NamedTuple):
    """What a verb is for (nothing: Busso says it to itself), and its words in order."""

    text: str
    words: tuple[Word, ...]


def word(*names: str, **settings: Any) -> Word:
    """An argument as `add_argument` takes it."""
    return Word(names, settings)


def switch(name: str, *, off: bool = False, help: str) -> tuple[Word, Word]:  # noqa: A002  # as argparse has it
    """A flag that switches `name` on (with `off`: off), and its opposite, which undoes for once
    what is set and which help leaves out: few need it."""
    names = (f"--{name}", f"--no-{name}")
    actions = ("store_true", "store_false")
    told, other = (1, 0) if off else (0, 1)
    return (
        word(names[told], dest=name, action=actions[told], default=off, help=help),
        word(names[other], dest=name, action=actions[other], default=off, help=argparse.SUPPRESS),
    )


def _think(default: float) -> Word:
    return word(
        "--think",
        metavar="SECONDS",
        type=seconds(0.001, MAX_THINK),
        default=default,
        help=f"how long the hard level thinks about a choice ({default:g})",
    )


# -- words that several verbs take ----------------------------------------------------------------

_RULES: Final = (
    word("--preset", metavar="P", help="a set of house rules (marche, emilia, ...)"),
    word(
        "--option",
        metavar="NAME=VALUE",
        dest="options",
        action="append",
        type=option,
        default=[],
        help="one house rule on top; may be given several times",
    ),
)
"""The house rules of a table, which `table_rules` reads."""
_GAME: Final = word("--game", metavar="G", help="the game (default: petrangola)")
_ONE_GAME: Final = word("--game", metavar="G", help="this game only")
_GAME_FIRST: Final = (
    word("game", metavar="GAME", nargs="?", default=argparse.SUPPRESS, help="the game"),
    _GAME,
    *_RULES,
)
"""The game as the first word, as `host` takes it, or by `--game`."""
_HANDS: Final = word(
    "--hands", metavar="H", type=number(1, MAX_HANDS), help="end the match after so many hands"
)
_PORT: Final = word(
    "--port",
    metavar="P",
    type=number(1, 65_535),
    default=0,
    help="where the table's door is (default: any free port)",
)
_LEVEL: Final = (
    word(
        "--level", choices=LEVELS, default="medium", help="how well computer players play (medium)"
    ),
    _think(1.0),
)
_NAME: Final = word("--name", metavar="NAME", help="your name at the table")
_IFACE: Final = word("--iface", metavar="NAME", help="use this network interface only")
_LOG: Final = word("--log", metavar="FILE", help="where to keep the log of the match")
_THEME: Final = word(
    "--theme",
    choices=THEMES,
    help="the colours of the screen (dark; safe: for colour-blind people)",
)
_SCREEN: Final = (
    _THEME,
    *switch("bell", off=True, help="no bell when your turn comes"),
)
_PERSON: Final = (_NAME, _IFACE, *_LEVEL, *_SCREEN)
"""What every verb that sits down at a table takes."""
_JOIN: Final = (
    word(
        "table",
        metavar="TABLE",
        nargs="?",
        help="a table's or host's name, HOST[:PORT] or an invitation; without it all are listed",
    ),
    word("--code", metavar="CODE", help="the table's code, if it has one"),
    *_PERSON,
)
_FILE: Final = word("file", metavar="FILE", help="the log of a match, or a file of evidence")

# -- words of one verb ----------------------------------------------------------------------------

_HOST: Final = (
    word("game", metavar="GAME", nargs="?", help="the game (default: petrangola)"),
    *_RULES,
    word(
        "--seats", metavar="N", type=number(2, MAX_PLAYERS), help="how many play (4, if they can)"
    ),
    word(
        "--bots",
        metavar="N",
        type=number(0, MAX_PLAYERS - 1),
        default=0,
        help="so many of them are computer players of this computer (0)",
    ),
    word(
        "--code",
        metavar="CODE",
        nargs="?",
        const="",
        help="only who knows this code gets in (without CODE: a new one)",
    ),
    word("--table", metavar="NAME", help="what the table is called"),
    word("--no-watchers", dest="watchers", action="store_false", help="let nobody watch"),
    word(
        "--patience",
        metavar="SECONDS",
        type=number(1, DAY),
        default=0,
        help="how long the table waits for somebody who is gone before it asks what to do (120)",
    ),
    word(
        "--timer",
        metavar="SECONDS",
        type=number(1, DAY),
        default=0,
        help="how long a turn may take before the table asks what to do (as long as you like)",
    ),
    word(
        "--hidden",
        action="store_true",
        help="don't show the table to the network: who comes needs the address or an invitation",
    ),
    _PORT,
    _HANDS,
    *_PERSON,
)
_RESUME: Final = (
    word("match", metavar="MATCH", nargs="?", help="a part of its name (default: the newest)"),
    word("--list", action="store_true", help="only list what can be taken up"),
    word("--at", metavar="HOST[:PORT]", help="look for the others there too"),
    *_PERSON,
)
_ID: Final = (
    word(
        "what",
        nargs="?",
        default="show",
        choices=("show", "name", "passphrase", "known", "forget"),
        help="show yourself (default), set your name, lock your key by a passphrase, "
        "list whom you have met, forget one",
    ),
    word("value", metavar="NAME", nargs="?", help="the name"),
)
_DEMO: Final = (
    *_GAME_FIRST,
    word(
        "--players",
        metavar="N",
        type=number(2, MAX_PLAYERS),
        help="how many (4, or as many as the game takes)",
    ),
    _HANDS,
    *_LEVEL,
    _LOG,
    word(
        "--backend",
        choices=("auto", "sodium", "python"),
        default="auto",
        help="what computes the deal's proofs",
    ),
    _PORT,
)
_PLAY: Final = (
    *_GAME_FIRST,
    word(
        "--bots",
        metavar="N",
        type=number(1, MAX_PLAYERS - 1),
        help="how many (3, or as many as the game takes)",
    ),
    _NAME,
    _PORT,
    _HANDS,
    *_LEVEL,
    _LOG,
    *_SCREEN,
)
_REPLAY: Final = (
    _FILE,
    word(
        "--as",
        metavar="SEAT",
        dest="view",
        default="all",
        help="what to show: all hands (default), only the table, or what one seat saw, which is "
        "named or numbered as verify does",
    ),
    word("--hand", metavar="N", type=number(1, 10**9), help="only this hand of the match"),
)
_EXPORT: Final = (
    word("file", metavar="FILE", help="the log of a match"),
    word(
        "--format",
        choices=("json", "record"),
        required=True,
        help="json: everything, for programs; record: text that busso check reads",
    ),
    word("-o", "--output", metavar="FILE", help="where to write it"),
)
_CHECK: Final = (word("file", metavar="RECORD", help="a text record; - is standard input"),)
_SCORE: Final = (
    word("game", metavar="GAME", help="the game"),
    *_RULES,
    word(
        "hands", metavar="HAND", nargs="+", help='a hand, as "2d 2c 2s"; with --last what each took'
    ),
    word(
        "--last",
        metavar="SEAT",
        type=number(0, MAX_PLAYERS - 1),
        help="judge a whole deal: which seat, from 0, took the last trick",
    ),
)
_LEARN: Final = (
    word("game", metavar="GAME", nargs="?", help="the game (default: list them)"),
    _THEME,
)
_READ: Final = (
    word("game", metavar="GAME", nargs="?", help="the game, or general (default: list them)"),
    word("rule", metavar="RULE-ID", nargs="?", help="this rule only, as PET-22"),
)
_CONFIG: Final = (
    word("--write", action="store_true", help="make the file, every key explained in it"),
)
_COMPLETION: Final = (
    word("shell", nargs="?", choices=SHELLS, help="which shell (default: say where it goes)"),
)
_DOCTOR: Final = (
    word(
        "host",
        metavar="HOST",
        nargs="?",
        help="also try the way to the table there, in both directions: an address, a name, "
        "with :PORT where it isn't the usual one, or an invitation",
    ),
    word("--iface", metavar="NAME", help="look at this network interface only"),
)
_BENCH: Final = (
    word(
        "what",
        choices=("deal", "verify", "engine", "bots", "mesh", "screen"),
        help="what to measure",
    ),
    word(
        "--players", metavar="N", type=number(2, MAX_PLAYERS), help="how many (4, or as few as can)"
    ),
    word("--game", metavar="G", help="this game only (engine, bots)"),
    word(
        "--games",
        metavar="N",
        type=number(2, 100_000),
        default=50,
        help="deals for each pair of levels (bots: 50)",
    ),
    word(
        "--first",
        metavar="DEAL",
        type=number(0, 1_000_000_000),
        default=0,
        help="the number of the first deal, to try others (bots: 0)",
    ),
    _think(0.1),
    word(
        "--samples",
        metavar="N",
        type=number(1, 1_000_000),
        help="count roll-outs instead of seconds, so that the figures can be had again (bots)",
    ),
)
_NODE: Final = (
    _GAME,
    *_RULES,
    _HANDS,
    *_LEVEL,
    word("--players", metavar="N", type=number(2, MAX_PLAYERS), default=4),
    word("--join", metavar="HOST:PORT"),
    _PORT,
    word("--name", metavar="NAME", required=True),
    word("--folder", metavar="DIR", required=True),
    word("--seed", metavar="N", type=number(0, 2**63 - 1)),
    word("--owner", metavar="KEY", type=hexadecimal(32), help=argparse.SUPPRESS),
    word("--voucher", metavar="SIG", type=hexadecimal(64), help=argparse.SUPPRESS),
    word("--stay", action="store_true", help=argparse.SUPPRESS),
)

VERBS: Final = {
    "host": Verb("open a table for others of this network", _HOST),
    "join": Verb("sit down at a table of this network", _JOIN),
    "watch": Verb("watch a table of this network", _JOIN),
    "resume": Verb("go back to a match that you left or that was interrupted", _RESUME),
    "id": Verb("show who you are to others: name, three words, fingerprint", _ID),
    "demo": Verb("watch players of this computer play a match over real connections", _DEMO),
    "play": Verb("play here against computer players", _PLAY),
    "verify": Verb("judge the log of a match: every signature, proof, move and card", (_FILE,)),
    "replay": Verb("tell a match again, step by step, with all hands", _REPLAY),
    "export": Verb("write a match as JSON or as a text record", _EXPORT),
    "check": Verb("play a text record by the rules and tell the first thing wrong", _CHECK),
    "score": Verb("say what hands are worth and which is best", _SCORE),
    "learn": Verb("learn a game by a guided hand of a few minutes", _LEARN),
    "rules": Verb("read the rules of a game, its options and presets", _READ),
    "stats": Verb(
        "add up what your verified logs tell: results, streaks, who met whom", (_ONE_GAME,)
    ),
    "config": Verb("show what is set, and where from", _CONFIG),
    "completion": Verb("print what the Tab key of your shell has to know", _COMPLETION),
    "doctor": Verb("find what keeps this computer from playing with others", _DOCTOR),
    "bench": Verb("measure how fast this computer deals, verifies and plays, and how well", _BENCH),
    "node": Verb("", _NODE),
}
HIDDEN: Final = ("node",)
"""Verbs that Busso says to itself."""
