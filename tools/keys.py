"""The keys of `config.toml`: what each is for, what it may be, and where its value goes.

Law: a table of data; a key is here only if something reads it. It knows no file and no verb.
"""

from __future__ import annotations

import enum
from typing import Final, NamedTuple

from node.language import mark
from tools.values import DAY, LANGUAGES, LEVELS, MAX_THINK, THEMES

MAX_TEXT: Final = 64

Value = bool | int | float | str


class Kind(enum.Enum):
    """What may stand after a key."""

    SWITCH = enum.auto()
    NUMBER = enum.auto()
    SECONDS = enum.auto()
    TEXT = enum.auto()
    CHOICE = enum.auto()


class Key(NamedTuple):
    """One key: where its value goes, and what it may be.

    text         what it is for, a message of the catalogue
    dest         the argument of the command line; "" if something else reads it
    environment  the variable that comes first, "" if there is none
    default      as it is shown, since it may be worked out (`the system's`)
    example      a value, as the commented file shows it
    skip         verbs whose argument of that name means something else
    """

    name: str
    kind: Kind
    dest: str
    text: str
    default: str
    example: Value
    environment: str = ""
    low: float = 0
    high: float = 0
    choices: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()

    def allowed(self) -> str:
        """What may be written, in words that `retold` knows."""
        low, high = f"{self.low:g}", f"{self.high:g}"
        choices = ", ".join(map(toml, self.choices))
        match self.kind:
            case Kind.CHOICE:
                text = f"one of {choices}"
            case Kind.NUMBER:
                text = f"a whole number from {low} to {high}"
            case Kind.SECONDS:
                text = f"a number from {low} to {high}"
            case Kind.TEXT:
                text = "a text in quotes"
            case Kind.SWITCH:
                text = "true or false"
        return text

    def fits(self, value: object) -> bool:
        """Whether `value` has exactly the type and the bounds of this key."""
        match self.kind:
            case Kind.SWITCH:
                return type(value) is bool
            case Kind.CHOICE:
                return type(value) is str and value in self.choices
            case Kind.TEXT:
                return type(value) is str and 0 < len(value) <= MAX_TEXT and value.isprintable()
            case Kind.NUMBER:
                return type(value) is int and self.low <= value <= self.high
            case Kind.SECONDS:
                return type(value) in (int, float) and self.low <= value <= self.high  # type: ignore[operator] # a number


KEYS: Final = (
    Key(
        "language",
        Kind.CHOICE,
        "lang",
        mark("the language that is spoken"),
        mark("the system's"),
        "it",
        environment="BUSSO_LANG",
        choices=LANGUAGES,
    ),
    Key(
        "name",
        Kind.TEXT,
        "",
        mark("your name at a table (busso id name comes after it)"),
        mark("the user's"),
        "Ada",
        environment="BUSSO_NAME",
    ),
    Key(
        "theme",
        Kind.CHOICE,
        "theme",
        mark("the colours of the full screen; safe is for colour-blind people"),
        '"dark"',
        "light",
        environment="BUSSO_THEME",
        choices=THEMES,
    ),
    Key(
        "bell",
        Kind.SWITCH,
        "bell",
        mark("whether the screen rings when your turn comes"),
        "true",
        False,
    ),
    Key(
        "plain", Kind.SWITCH, "plain", mark("lines only: no full screen, no colours"), "false", True
    ),
    Key("ascii", Kind.SWITCH, "ascii", mark("nothing but ASCII characters"), "false", True),
    Key(
        "colour",
        Kind.SWITCH,
        "colour",
        mark("colours at all"),
        "true",
        False,
        environment="NO_COLOR",
    ),
    Key(
        "interface",
        Kind.TEXT,
        "iface",
        mark("use this network interface only"),
        mark("all of them"),
        "eth0",
    ),
    Key(
        "patience",
        Kind.NUMBER,
        "patience",
        mark("seconds that a table of yours waits for somebody who is gone"),
        "120",
        60,
        low=1,
        high=DAY,
    ),
    Key(
        "timer",
        Kind.NUMBER,
        "timer",
        mark("seconds that a turn at a table of yours may take"),
        mark("as long as you like"),
        90,
        low=1,
        high=DAY,
    ),
    Key(
        "bots.level",
        Kind.CHOICE,
        "level",
        mark("how well computer players play"),
        '"medium"',
        "hard",
        choices=LEVELS,
    ),
    Key(
        "bots.think",
        Kind.SECONDS,
        "think",
        mark("seconds that the hard level thinks about a choice"),
        "1",
        0.5,
        low=0.001,
        high=MAX_THINK,
        skip=("bench",),
    ),
)


def toml(value: Value) -> str:
    """A value as the file has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"{value:g}" if isinstance(value, float) else str(value)
