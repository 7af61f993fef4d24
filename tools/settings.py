"""What a person has set: `config.toml`, between the environment and the defaults.

Law: flags come before the environment, the environment before this file, this file before the
defaults. The file is somebody's to write: an unknown key or a wrong value is one sentence with its
line (UnusableFile), never ignored and never a traceback. Which keys there are is `tools.keys`' to
say. It imports no verb, and no game before one is needed, so that a command that has no such file
starts as fast as before.

    language = "it"             a key is one of KEYS
    [bots]
    level = "hard"
    [presets]
    petrangola = "casa"         any game; what a table plays without --preset
    [presets.casa]              a set of house rules of one's own
    game = "petrangola"
    like = "marche"             any built-in set of that game; its usual one if there is no `like`
    tokens = 5                  any option of that game
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from node.language import ENGLISH, Language, mark
from tools.errors import UnusableFile, UsageError
from tools.keys import KEYS, MAX_TEXT, Value, toml
from tools.places import data_folder
from tools.values import LANGUAGES

if TYPE_CHECKING:
    import argparse

    from engine.contract import Game
    from node.habits import Habits, OwnPreset

FILE: Final = "config.toml"
PRESETS: Final = "presets"
MAX_FILE: Final = 65_536
MAX_NUMBER: Final = 10**9
MAX_OWN: Final = 64
"""Sets of house rules of one's own."""
_OWN_NAME: Final = r"[a-z0-9][a-z0-9_-]{0,19}"
_ABOUT: Final = ("game", "like")
"""What is said of a set of house rules besides its options."""
_AT: Final = r"(?s)(.*) \(at line (\d+), column \d+\)"

_BY_NAME: Final = {key.name: key for key in KEYS}
_TABLES: Final = {name.partition(".")[0] for name in _BY_NAME if "." in name} | {PRESETS}
GAMES: Final = ("petrangola", "mambassa", "traversone", "briscola", "picchetto")
"""The games that may have a preset; the same as the registry's, which isn't imported for this."""


class Settings(NamedTuple):
    """What the file says: each key's value, the preset of a game, one's own presets, and the line
    of each (0 where it can't be told)."""

    values: Mapping[str, Value]
    presets: Mapping[str, str]
    lines: Mapping[str, int]
    path: Path
    own: tuple[OwnPreset, ...] = ()

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

    def habits(self) -> Habits:
        """What a new table begins with. UnusableFile: a set of house rules that can't be."""
        from engine import registry  # noqa: PLC0415  # the games are needed by now
        from node.habits import Habits  # noqa: PLC0415  # as above

        for name in GAMES:
            self._check(registry.get(name))
        times = {name: self.values.get(name, 0) for name in ("timer", "patience")}
        return Habits(
            self.own,
            tuple(self.presets.items()),
            **{name: value for name, value in times.items() if type(value) is int},
        )

    def settle(self, args: argparse.Namespace) -> None:
        """Say in built-in terms which house rules `args` ask for, where they may: a set that is
        set for the game if none is named, options for a set of one's own. An unknown one stays.

        UnusableFile: a set of the file is no preset, or can't be.
        """
        if not hasattr(args, "preset"):
            return
        name = args.game or GAMES[0]
        if name not in GAMES or not (self.presets or self.own):
            return
        from engine import registry  # noqa: PLC0415  # the game is needed by now
        from node.habits import own_of  # noqa: PLC0415  # as above

        game = registry.get(name)
        mine = own_of(game, self.own)
        wanted = args.preset or self.presets.get(name)
        if args.preset is None or args.preset in mine:
            self._check(game)
        args.own_presets = tuple(mine)
        if wanted in mine:
            said = {option for option, _ in args.options}
            given = [pair for pair in mine[wanted].given if pair[0] not in said]
            args.preset, args.options = mine[wanted].base(game), [*given, *args.options]
        else:
            args.preset = wanted

    def _check(self, game: Game) -> None:
        """UnusableFile: a set of house rules for `game` can't be, or there is none of that name."""
        from engine.errors import OptionError  # noqa: PLC0415  # the game is needed by now
        from node.habits import no_preset, own_of, presets_of  # noqa: PLC0415  # as above

        for one in own_of(game, self.own).values():
            try:
                presets_of(game, (one,))
            except OptionError as error:
                line = self.lines.get(f"{PRESETS}.{one.name}", 0)
                raise _wrong(self.path, line, str(error)) from error
        name = self.presets.get(game.name)
        known = presets_of(game, self.own)
        if name is not None and name not in known:
            line = self.lines.get(f"{PRESETS}.{game.name}", 0)
            raise _wrong(self.path, line, str(no_preset(game, name, known)))


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
        match = re.fullmatch(_AT, str(error))
        said = (match[1] if match else str(error)).removesuffix(".")
        line = int(match[2]) if match else text.count("\n") + 1
        raise _wrong(path, line, f"{said[:1].lower()}{said[1:]}"[:200]) from error
    except RecursionError as error:
        raise _wrong(path, 0, "it is nested too deeply") from error
    except ValueError as error:  # a number of thousands of digits
        raise _wrong(path, 0, "a number is too long") from error
    flat = _flat(tree, text, path)
    lines = {name: _line_of(text, name) for name in flat}
    values: dict[str, Value] = {}
    presets: dict[str, str] = {}
    own: list[OwnPreset] = []
    for name, value in flat.items():
        table, _, rest = name.partition(".")
        if table == PRESETS:
            if isinstance(value, dict):
                own.append(_own(rest, value, text, path))
            else:
                presets[rest] = _preset(rest, value, path, lines[name])
            continue
        key = _BY_NAME.get(name)
        if key is None:
            raise _wrong(path, lines[name], f"there is no key {_shown(name)}")
        if not key.fits(value):
            raise _wrong(path, lines[name], f"{name} must be {key.allowed()}")
        values[name] = value
    if len(own) > MAX_OWN:
        raise _wrong(path, 0, f"there are more than {MAX_OWN} presets")
    return Settings(values, presets, lines, path, tuple(own))


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
        raise _wrong(path, line, f"the preset of {game} must be a text in quotes")
    return value


def _own(name: str, table: Mapping[str, Any], text: str, path: Path) -> OwnPreset:
    """A set of house rules; what its options may be is asked when the game is there."""
    from node.habits import OwnPreset  # noqa: PLC0415  # slow, and only where there is one

    def wrong(key: str, said: str) -> UnusableFile:
        return _wrong(path, _line_of(text, f"{PRESETS}.{name}{key}"), said)

    if not re.fullmatch(_OWN_NAME, name) or name in GAMES:
        hint = "small letters, digits, - and _, 20 at most, and no game's name"
        raise wrong("", f"{_shown(name)} can't be the name of a preset: {hint}")
    if "game" not in table:
        raise wrong("", f"the preset {name} needs its game, as in game = {toml(GAMES[0])}")
    if table["game"] not in GAMES:
        known = ", ".join(GAMES)
        raise wrong(".game", f"there is no game {_shown(table['game'])}; there are: {known}")
    like = table.get("like", "")
    if type(like) is not str or len(like) > MAX_TEXT:
        raise wrong(".like", "like must be a text in quotes")
    given = []
    for key, value in table.items():
        if key in _ABOUT:
            continue
        small = type(value) is not int or abs(value) < MAX_NUMBER
        if type(value) not in (bool, int, str) or not small:
            raise wrong(f".{key}", f"{_shown(key)} must be a number, a text or true or false")
        given.append((key, str(value) if type(value) is not bool else toml(value)))
    return OwnPreset(name, table["game"], like, tuple(given))


def _shown(name: object) -> str:
    """A name as it is said again; what is none may be a number of any length."""
    return f"'{name[:40]}'" if isinstance(name, str) else type(name).__name__


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


def _wrong(path: Path, line: int, said: str) -> UnusableFile:
    text = f"{path}, line {line}: {said}" if line else f"{path}: {said}"
    hint = "busso config shows what can be set."
    return UnusableFile(text, hint)


# -- writing --------------------------------------------------------------------------------------


ABOUT: Final = (
    mark(
        "Settings of Busso. A flag comes before the environment, the environment before this file. "
        "Take the '#' away before what you want to set; busso config shows what holds."
    ),
    mark(
        "A switch has two flags: --plain and --no-plain, --ascii and --no-ascii, --bell and "
        "--no-bell, --color and --no-color."
    ),
)
_PRESET: Final = mark("What a table of a game plays without --preset; busso rules GAME lists them.")
_OWN: Final = mark(
    "House rules of your own, under any name: for which game, which set they are like, and the "
    "options that differ. A new table offers them, and --preset takes them."
)
_COLUMNS: Final = 96


def template(language: Language = ENGLISH) -> str:
    """The file with every key explained and commented out."""
    t = language.text
    lines = [line for text in ABOUT for line in _comment(t(text))]
    table = ""
    for key in KEYS:
        where, _, name = key.name.rpartition(".")
        if where != table:
            lines += ["", f"# [{where}]"]
            table = where
        default = t("Default: {0}.").format(t(key.default))
        if key.environment:
            default += " " + t("{0} comes first.").format(key.environment)
        about = t(key.text)
        lines += [
            "",
            *_comment(f"{about[:1].upper()}{about[1:]}: {language.retold(key.allowed())}."),
            *_comment(default),
            f"# {name} = {toml(key.example)}",
        ]
    lines += ["", f"# [{PRESETS}]", "", *_comment(t(_PRESET))]
    lines += ['# petrangola = "emilia"', '# picchetto = "rubicone"', "", *_comment(t(_OWN))]
    lines += ["# [presets.casa]", '# game = "petrangola"', '# like = "marche"', "# tokens = 5"]
    return "\n".join(lines) + "\n"


def _comment(text: str) -> list[str]:
    import textwrap  # noqa: PLC0415  # only for the file that is written

    return textwrap.wrap(
        text, _COLUMNS, initial_indent="# ", subsequent_indent="# ", break_on_hyphens=False
    )
