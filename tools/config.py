"""`busso config`: what is set, and where from; `--write` makes the commented file to begin with.

Law: it shows and writes; which keys there are and what they may be is `tools.settings`' to say.

JSON: {file, exists, keys: {name: {value, source}}, presets: {game: name}, own: {name: {game, like,
options: {name: value}}}}. `source` is flag, environment, file or default; a value is null where the
default is worked out later, as `like` is where it is the game's usual preset.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from typing import Any, Final

from node.language import mark
from protocol.files import Disk
from tools.errors import ExitCode, UnusableFile
from tools.keys import KEYS, Key, Value, toml
from tools.output import Output
from tools.settings import PRESETS, Settings, config_file, load, template

_FLAGS: Final = ("lang", "plain", "ascii", "colour")
"""The arguments of every verb that can be set; None without a flag."""
_NONE: Final = mark("{0} (there is none; --write makes it)")


def run(args: argparse.Namespace, out: Output) -> int:
    """Show what is set, or write the file. UnusableFile."""
    if args.write:
        return _write(out)
    settings = load()
    settings.habits()  # which looks at every preset
    if out.json:
        out.data(_data(args, settings))
        return ExitCode.FINE
    exists = settings.path.exists()
    out.line(str(settings.path) if exists else out.t(_NONE).format(settings.path))
    for key in KEYS:
        value, source = _found(key, args, settings, os.environ)
        shown = out.t(key.default) if value is None else toml(value)
        out.line(f"  {key.name:<12} {shown:<20} {_told(source, key, settings, out)}")
        out.remark(f"{'':15}{out.t(key.text)}")
    for game, preset in settings.presets.items():
        line = settings.lines.get(f"{PRESETS}.{game}", 0)
        where = out.t("line {0}").format(line)
        out.line(f"  {PRESETS}.{game} = {toml(preset)}, {where}")
    for one in settings.own:
        line = settings.lines.get(f"{PRESETS}.{one.name}", 0)
        where = out.t("line {0}").format(line)
        given = "".join(f", {name} = {value}" for name, value in one.given)
        like = f", like = {toml(one.like)}" if one.like else ""
        out.line(f"  {PRESETS}.{one.name}: game = {toml(one.game)}{like}{given}; {where}")
    return ExitCode.FINE


def _found(
    key: Key, args: argparse.Namespace, settings: Settings, environ: Mapping[str, str]
) -> tuple[Value | None, str]:
    """What holds for a key, and where from."""
    if key.dest in _FLAGS and getattr(args, key.dest) is not None:
        return getattr(args, key.dest), "flag"
    given = environ.get(key.environment, "") if key.environment else ""
    if given:
        return (False if key.name == "colour" else given), "environment"
    if key.name in settings.values:
        return settings.values[key.name], "file"
    return None, "default"


def _told(source: str, key: Key, settings: Settings, out: Output) -> str:
    match source:
        case "environment":
            return out.t("from {0}").format(key.environment)
        case "file":
            return out.t("line {0}").format(settings.lines[key.name])
        case "flag":
            return out.t("from a flag")
    return out.t("default")


def _write(out: Output) -> int:
    path = config_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        Disk().publish(path, template(out.speech).encode("utf-8"))
    except FileExistsError as error:
        raise UnusableFile(f"{path} exists already", "Change it, or move it away.") from error
    except OSError as error:
        raise UnusableFile(f"{path} can't be written: {error.strerror}") from error
    out.line(out.t("Written: {0}").format(path))
    return ExitCode.FINE


def _data(args: argparse.Namespace, settings: Settings) -> dict[str, Any]:
    keys = {}
    for key in KEYS:
        value, source = _found(key, args, settings, os.environ)
        keys[key.name] = {"value": value, "source": source}
    return {
        "file": str(settings.path),
        "exists": settings.path.exists(),
        "keys": keys,
        "presets": dict(settings.presets),
        "own": {
            one.name: {"game": one.game, "like": one.like or None, "options": dict(one.given)}
            for one in settings.own
        },
    }
