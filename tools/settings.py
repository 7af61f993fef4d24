"""What a person has set: `config.toml`, between the environment and the defaults.

Law: this file alone says which keys there are and what each may be; a key is here only if something
reads it. Flags come before the environment, the environment before this file, this file before the
defaults. The file is somebody's to write: an unknown key or a wrong value is one sentence with its
line (UnusableFile), never ignored and never a traceback. It imports no verb and no game, so that a
command that has no such file starts as fast as before.

    language = "it"             a key is one of KEYS
    [bots]
    level = "hard"
    [presets]
    petrangola = "emilia"       any game; what a table plays without --preset
"""

from __future__ import annotations

import enum
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from node.language import mark
from tools.errors import UnusableFile, UsageError
from tools.places import data_folder
from tools.values import DAY, LANGUAGES, LEVELS, MAX_THINK, THEMES

FILE: Final = "config.toml"
PRESETS: Final = "presets"
MAX_FILE: Final = 65_536
MAX_TEXT: Final = 64
_HINT: Final = "busso config shows what can be set."
_AT: Final = re.compile(r"(.*) \(at line (\d+), column \d+\)", re.DOTALL)

Value = bool | int | float | str


class Kind(enum.Enum):
    """What may stand after a key."""

    SWITCH = "true or false"
    NUMBER = "a whole number"
    SECONDS = "a number"
    TEXT = "a text in quotes"
    CHOICE = "one of"


@dataclass(frozen=True, slots=True)
class Key:
    """One key: where its value goes, and what it may be.

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
        """What may be written, in words."""
        if self.kind is Kind.CHOICE:
            return f"one of {', '.join(map(toml, self.choices))}"
        if self.kind in (Kind.NUMBER, Kind.SECONDS):
            return f"{self.kind.value} from {self.low:g} to {self.high:g}"
        return str(self.kind.value)

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
        "the language that is spoken",
        mark("the system's"),
        "it",
        environment="BUSSO_LANG",
        choices=LANGUAGES,
    ),
    Key(
        "name",
        Kind.TEXT,
        "",
        "your name at a table (busso id name comes after it)",
        mark("the user's"),
        "Ada",
        environment="BUSSO_NAME",
    ),
    Key(
        "theme",
        Kind.CHOICE,
        "theme",
        "the colours of the full screen; safe is for colour-blind people",
        '"dark"',
        "light",
        environment="BUSSO_THEME",
        choices=THEMES,
    ),
    Key(
        "bell",
        Kind.SWITCH,
        "bell",
        "whether the screen rings when your turn comes",
        "true",
        False,
    ),
    Key("plain", Kind.SWITCH, "plain", "lines only: no full screen, no colours", "false", True),
    Key("ascii", Kind.SWITCH, "ascii", "nothing but ASCII characters", "false", True),
    Key(
        "colour",
        Kind.SWITCH,
        "colour",
        "colours at all",
        "true",
        False,
        environment="NO_COLOR",
    ),
    Key(
        "interface",
        Kind.TEXT,
        "iface",
        "use this network interface only",
        mark("all of them"),
        "eth0",
    ),
    Key(
        "patience",
        Kind.NUMBER,
        "patience",
        "seconds that a table of yours waits for somebody who is gone",
        "120",
        60,
        low=1,
        high=DAY,
    ),
    Key(
        "timer",
        Kind.NUMBER,
        "timer",
        "seconds that a turn at a table of yours may take",
        mark("as long as you like"),
        90,
        low=1,
        high=DAY,
    ),
    Key(
        "bots.level",
        Kind.CHOICE,
        "level",
        "how well computer players play",
        '"medium"',
        "hard",
        choices=LEVELS,
    ),
    Key(
        "bots.think",
        Kind.SECONDS,
        "think",
        "seconds that the hard level thinks about a choice",
        "1",
        0.5,
        low=0.001,
        high=MAX_THINK,
        skip=("bench",),
    ),
)
_BY_NAME: Final = {key.name: key for key in KEYS}
_TABLES: Final = {name.partition(".")[0] for name in _BY_NAME if "." in name} | {PRESETS}
GAMES: Final = ("petrangola", "mambassa", "traversone", "briscola", "picchetto")
"""The games that may have a preset; the same as the registry's, which isn't imported for this."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the file says: each key's value and its line (0 where it can't be told)."""

    values: Mapping[str, Value]
    presets: Mapping[str, str]
    lines: Mapping[str, int]
    path: Path

    def defaults(self, environ: Mapping[str, str]) -> dict[str, tuple[Value, tuple[str, ...]]]:
        """For each argument of the command line its default, and the verbs that don't take it:
        from the environment where only this file reads the variable, else from the file.

        UsageError: BUSSO_LANG names no language.
        """
        found: dict[str, tuple[Value, tuple[str, ...]]] = {}
        for key in KEYS:
            given = environ.get(key.environment, "") if key.environment else ""
            if key.name == "language" and given:
                found[key.dest] = _language(given), key.skip
            elif not given and key.dest and key.name in self.values:
                found[key.dest] = self.values[key.name], key.skip
        return found

    def preset(self, game: str) -> str | None:
        """What tables of `game` play unless a flag says otherwise. UnusableFile: no such preset."""
        name = self.presets.get(game)
        if name is None:
            return None
        from engine import registry  # noqa: PLC0415  # the game is needed by now

        known = registry.get(game).presets
        if name not in known:
            text = f"{game} has no preset {toml(name)}; there are: {', '.join(known)}"
            raise _wrong(self.path, self.lines.get(f"{PRESETS}.{game}", 0), text)
        return name


def toml(value: Value) -> str:
    """A value as the file has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"{value:g}" if isinstance(value, float) else str(value)


def _language(given: str) -> str:
    if given not in LANGUAGES:
        raise UsageError(
            f"BUSSO_LANG={given[:20]} is no language", f"Choose one of {', '.join(LANGUAGES)}."
        )
    return given


# -- reading --------------------------------------------------------------------------------------


def config_file(environ: Mapping[str, str] = os.environ) -> Path:
    """Where the file lies: by platformdirs, or in BUSSO_HOME where that is set."""
    if environ.get("BUSSO_HOME"):
        return data_folder() / FILE
    from platformdirs import user_config_path  # noqa: PLC0415  # slow, and not for --help

    return user_config_path("busso", appauthor=False) / FILE


def load(path: Path | None = None) -> Settings:
    """What is set; nothing if there is no file. UnusableFile."""
    path = path or config_file()
    try:
        with path.open("rb") as file:
            data = file.read(MAX_FILE + 1)
    except FileNotFoundError:
        return Settings({}, {}, {}, path)
    except OSError as error:
        raise UnusableFile(f"{path} can't be read: {error.strerror}") from error
    if len(data) > MAX_FILE:
        raise _wrong(path, 0, f"it has more than {MAX_FILE} octets")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _wrong(path, data.count(b"\n", 0, error.start) + 1, "this isn't UTF-8") from error
    return read(text, path)


def read(text: str, path: Path) -> Settings:
    """The settings that `text` writes. UnusableFile."""
    import tomllib  # noqa: PLC0415  # only where there is such a file

    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        match = _AT.fullmatch(str(error))
        said = (match[1] if match else str(error)).removesuffix(".")
        line = int(match[2]) if match else text.count("\n") + 1
        raise _wrong(path, line, f"{said[:1].lower()}{said[1:]}"[:200]) from error
    except RecursionError as error:
        raise _wrong(path, 0, "it is nested too deeply") from error
    flat = _flat(tree, text, path)
    lines = {name: _line_of(text, name) for name in flat}
    values: dict[str, Value] = {}
    presets: dict[str, str] = {}
    for name, value in flat.items():
        table, _, rest = name.partition(".")
        if table == PRESETS:
            presets[rest] = _preset(rest, value, path, lines[name])
            continue
        key = _BY_NAME.get(name)
        if key is None:
            raise _wrong(path, lines[name], f"there is no key {_shown(name)}")
        if not key.fits(value):
            raise _wrong(path, lines[name], f"{name} must be {key.allowed()}")
        values[name] = value
    return Settings(values, presets, lines, path)


def _flat(tree: Mapping[str, Any], text: str, path: Path) -> dict[str, Any]:
    """The values by their dotted names; a table where none may be is an unknown key."""
    found: dict[str, Any] = {}
    for name, value in tree.items():
        if not isinstance(value, dict):
            if name in _TABLES:
                raise _wrong(path, _line_of(text, name), f"{name} is a table: write [{name}]")
            found[name] = value
            continue
        if name not in _TABLES:
            raise _wrong(path, _line_of(text, name), f"there is no table [{_shown(name)}]")
        found.update({f"{name}.{key}": each for key, each in value.items()})
    return found


def _preset(game: str, value: object, path: Path, line: int) -> str:
    if game not in GAMES:
        raise _wrong(path, line, f"there is no game {_shown(game)}; there are: {', '.join(GAMES)}")
    if type(value) is not str or not 0 < len(value) <= MAX_TEXT:
        raise _wrong(path, line, f"the preset of {game} must be {Kind.TEXT.value}")
    return value


def _shown(name: str) -> str:
    return f"'{name[:40]}'"


def _line_of(text: str, name: str) -> int:
    """The line that sets `name` (or opens the table of that name), 0 if none clearly does."""
    table, _, rest = name.rpartition(".")
    current = ""
    for number, line in enumerate(text.splitlines(), 1):
        head = re.match(r"\s*\[+\s*([^\]]*?)\s*\]", line)
        if head:
            current = head[1].replace(" ", "").replace('"', "").replace("'", "")
            if current == name:
                return number
            continue
        left = line.partition("=")[0].strip().replace(" ", "").replace('"', "").replace("'", "")
        if left and (left == name if not current else (current, left) == (table, rest)):
            return number
    return 0


def _wrong(path: Path, line: int, text: str) -> UnusableFile:
    where = f"{path}, line {line}" if line else str(path)
    return UnusableFile(f"{where}: {text}", _HINT)


# -- writing --------------------------------------------------------------------------------------


def template() -> str:
    """The file with every key explained and commented out."""
    lines = [
        "# Settings of Busso. A flag comes before the environment, the environment before this",
        "# file. Take the '#' away before what you want to set; busso config shows what holds.",
        "# A switch has two flags: --plain and --no-plain, --ascii and --no-ascii, --bell and",
        "# --no-bell, --color and --no-color.",
    ]
    table = ""
    for key in KEYS:
        where, _, name = key.name.rpartition(".")
        if where != table:
            lines += ["", f"# [{where}]"]
            table = where
        first = f" {key.environment} comes first." if key.environment else ""
        lines += [
            "",
            f"# {key.text[:1].upper()}{key.text[1:]}: {key.allowed()}.",
            f"# Default: {key.default}.{first}",
            f"# {name} = {toml(key.example)}",
        ]
    lines += [
        "",
        f"# [{PRESETS}]",
        "",
        "# What a table of a game plays without --preset; busso rules GAME lists them.",
        '# petrangola = "emilia"',
        '# picchetto = "rubicone"',
    ]
    return "\n".join(lines) + "\n"
