"""`busso rules [GAME] [RULE-ID]`: the rules as readable text, wrapped to the terminal.

Law: what is said stands in `engine/rules` and in the options' own specs; this file lays it out and
adds no rule. A language that lacks a game's text is answered in English, and that is said.

JSON: {name, title, language, rules: [{id, text}], options: [{name, rule, default, allowed}],
presets: {name: {option: value}}, default_preset}; the last three only for a game. Without GAME:
{games: [{name, text}]}.

Text that runs from right to left is printed in its logical order, as a file holds it; a terminal
that isn't known to order it gets a note first. An identifier stands on a line of its own there, so
that the line after it begins with a letter of its language. A terminal takes the direction of a
line from its first letter, so a wrapped line that begins with a card or a name gets a mark first
(U+200F, UAX #9, which has no width); notation alone runs from left to right everywhere.
"""

from __future__ import annotations

import argparse
import os
import shutil
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any, Final

from engine import registry
from engine.contract import Game
from engine.options import Spec, Value, specs
from node.habits import preset_lines
from node.language import preferred
from node.rule_files import (
    GENERAL,
    RIGHT_TO_LEFT,
    SOURCE,
    Block,
    Example,
    Heading,
    Paragraph,
    Rule,
    Table,
    Title,
    document,
    languages,
    rules_of,
    words,
)
from tools import settings
from tools.errors import ExitCode, UsageError
from tools.output import Output, fitting, is_terminal, to_ascii

NARROW: Final = 30
WIDE: Final = 88
"""Columns of text: fewer can't be read, and neither can longer lines."""
MARK: Final = "\u200f"
"""Begins a line that runs from right to left, though its first letter doesn't say so."""
_NOTE: Final = (
    "This text runs from right to left, and this terminal may not order it. If it looks reversed, "
    "write it to a file (busso rules ... > rules.txt) and open that in an editor."
)


def run(args: argparse.Namespace, out: Output) -> int:
    """Print the rules, one rule, or the list of games. UsageError, OptionError."""
    name, identifier = args.game, args.rule
    if name and identifier is None and "-" in name:
        name, identifier = None, name
    code = out.language or preferred(None, os.environ)
    if name is None and identifier is None:
        return _list(out, code)
    name = _text_of(name, identifier)
    if code not in languages(name):
        told = out.t("These rules aren't there in the language '{0}' yet; here is the English.")
        out.remark(told.format(code))
        code = SOURCE
    blocks = document(name, code)
    if identifier is not None:
        return _one(out, name, code, identifier.upper())
    if out.json:
        out.data(_data(name, code, blocks))
        return ExitCode.FINE
    own = _own(name, out)
    _say(out, code, _lay_out(name, code, blocks, _width()))
    for line in own:
        out.line()
        for part in _wrapped(line, _width(), "", "    "):
            out.line(part)
    return ExitCode.FINE


def _own(name: str, out: Output) -> list[str]:
    """The player's own sets of house rules for a game. UnusableFile."""
    if name == GENERAL:
        return []
    game, habits = registry.get(name), settings.load().habits()
    lines = preset_lines(game, habits.own, habits.preset(game), language=out.speech)
    return lines[len(game.presets) :]


def _text_of(name: str | None, identifier: str | None) -> str:
    """The text that is meant by its name or by a rule in it. UsageError, OptionError."""
    if name is not None:
        return name if name == GENERAL else registry.get(name).name
    wanted = (identifier or "").upper()
    for known in (*registry.GAMES, GENERAL):
        if wanted in rules_of(document(known, SOURCE)):
            return known
    raise _unknown(wanted)


def _unknown(identifier: str) -> UsageError:
    return UsageError(
        f"there is no rule '{identifier[:20]}' there", "busso rules GAME shows all of a game."
    )


def _width() -> int:
    return max(NARROW, min(WIDE, shutil.get_terminal_size().columns - 1))


def _say(out: Output, code: str, lines: Iterator[str]) -> None:
    """Print the project's own text. It isn't made `safe`: that would take the joiners out of
    words that need them, and there is nothing of a stranger's in it."""
    if code in RIGHT_TO_LEFT and is_terminal(out.out) and not orders(os.environ):
        out.remark(_NOTE)
        out.remark("")
    for line in lines:
        text = to_ascii(line) if out.ascii else fitting(line, out.out.encoding or "ascii")
        out.out.write(text.rstrip() + "\n")


def orders(environ: Mapping[str, str]) -> bool:
    """Whether the terminal is known to order text that runs from right to left (VTE from 0.58,
    Konsole, mlterm, Apple's Terminal)."""
    vte = environ.get("VTE_VERSION", "")
    return (
        (vte.isascii() and vte.isdigit() and len(vte) < 7 and int(vte) >= 5800)
        or bool(environ.get("KONSOLE_VERSION"))
        or environ.get("TERM", "").startswith("mlterm")
        or environ.get("TERM_PROGRAM", "") == "Apple_Terminal"
    )


# -- what is printed ------------------------------------------------------------------------------


def _list(out: Output, code: str) -> int:
    """The games, a sentence for each."""
    names = (*registry.GAMES, GENERAL)
    said = words(code)
    if out.json:
        out.data({"games": [{"name": name, "text": said[name]} for name in names]})
        return ExitCode.FINE
    wide = max(map(len, names))
    lines: list[str] = []
    for name in names:
        parts = _wrapped(said[name], _width(), f"{name:<{wide}}  ", " " * (wide + 2))
        lines += _directed(parts, code in RIGHT_TO_LEFT)
    _say(out, code, iter(lines))
    return ExitCode.FINE


def _one(out: Output, name: str, code: str, identifier: str) -> int:
    """One rule, of the game or of all games."""
    for source in (name, GENERAL):
        language = code if code in languages(source) else SOURCE
        text = rules_of(document(source, language)).get(identifier)
        if text is not None:
            if out.json:
                out.data({"id": identifier, "text": text, "language": language})
            else:
                lines = _block(Rule(identifier, text), _width(), language in RIGHT_TO_LEFT)
                _say(out, language, iter(lines))
            return ExitCode.FINE
    raise _unknown(identifier)


def _lay_out(name: str, code: str, blocks: tuple[Block, ...], width: int) -> Iterator[str]:
    """A whole text: the rules, then the game's options and presets."""
    reverse = code in RIGHT_TO_LEFT
    previous: Block | None = None
    pending: Heading | None = None
    for block in blocks:
        if isinstance(block, Heading):
            pending = block  # it is shown with what stands under it, if anything does
            continue
        for shown in (pending, block) if pending else (block,):
            if previous is not None:
                yield ""
            yield from _block(shown, width, reverse)
            previous = shown
        pending = None
    if name == GENERAL:
        return
    game = registry.get(name)
    yield from _house_rules(game, words(code), width, reverse)


def _block(block: Block, width: int, reverse: bool) -> list[str]:
    match block:
        case Title(text):
            return [text, "=" * len(text)]
        case Heading(text):
            return [text, "-" * len(text)]
        case Paragraph(text):
            return _directed(_wrapped(text, width), reverse)
        case Rule(identifier, text) if reverse:
            return [f"[{identifier}]", *_directed(_wrapped(text, width), reverse)]
        case Rule(identifier, text):
            return _wrapped(text, width, f"{identifier:<8}", " " * 8)
        case Example(lines):
            return [part for line in lines for part in _wrapped(line, width, "    ", "        ")]
        case Table(rows):
            return _directed(_table(rows, width), reverse)


def _directed(lines: list[str], reverse: bool) -> list[str]:
    """Lines of a text that runs from right to left, with a mark where the first letter or digit is
    a Latin one; itself any other text."""
    if not reverse:
        return lines
    heads = [next((c for c in line if c.isalnum()), "") for line in lines]
    return [
        MARK + line if head.isascii() else line for head, line in zip(heads, lines, strict=True)
    ]


def _wrapped(text: str, width: int, first: str = "", after: str = "") -> list[str]:
    """`text` in lines of `width` columns; the blanks of an example are kept where it fits."""
    if len(first) + len(text) <= width:
        return [first + text]
    return textwrap.wrap(
        text, width, initial_indent=first, subsequent_indent=after, break_on_hyphens=False
    )


def _table(rows: tuple[tuple[str, ...], ...], width: int) -> list[str]:
    """Columns side by side where that fits; the last one is wrapped."""
    columns = max(map(len, rows))
    sizes = [max((len(row[n]) for row in rows if n < len(row)), default=0) for n in range(columns)]
    indent = sum(sizes[:-1]) + 2 * (columns - 1)
    if indent > width // 2:
        return [line for row in rows for line in _wrapped("  ".join(row), width, "", "    ")]
    lines: list[str] = []
    for row in rows:
        head = "".join(f"{cell:<{sizes[n] + 2}}" for n, cell in enumerate(row[:-1]))
        lines += _wrapped(row[-1], width, head, " " * indent)
    return lines


# -- options --------------------------------------------------------------------------------------


def _house_rules(game: Game, said: Mapping[str, str], width: int, reverse: bool) -> Iterator[str]:
    """The options, from their specs, and how each preset differs from their defaults."""
    yield ""
    yield from _block(Heading(said["house_rules"]), width, False)
    for name, spec in specs(game.options_type).items():
        yield ""
        yield f"{name} = {_text(spec, spec.default)}"
        where = said["explained"].format(spec.rule)
        told = said["option"].format(_allowed(spec, said), where)
        yield from _directed(_wrapped(told, width, "    ", "    "), reverse)
    yield ""
    yield from _block(Heading(said["presets"]), width, False)
    usual = _wrapped(said["default_preset"].format(game.default_preset), width)
    yield from _directed(usual, reverse)
    for name, values in game.presets.items():
        changed = _changed(game, values)
        yield ""
        if not changed:
            yield from _directed(_wrapped(said["same"].format(name), width), reverse)
            continue
        yield from _directed(_wrapped(said["differs"].format(name), width), reverse)
        for option, value in changed.items():
            yield f"    {option} = {value}"


def _text(spec: Spec, value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return next((word for word, number in spec.words if number == value), str(value))


def _allowed(spec: Spec, said: Mapping[str, str]) -> str:
    """What may be written, in the language of `said`."""
    either = f" {said['or']} "
    if isinstance(spec.default, bool):
        return said["switch"]
    if spec.choices:
        return either.join(spec.choices)
    numbers = said["number"].format(spec.low, spec.high)
    return either.join([*(word for word, _ in spec.words), numbers])


def _changed(game: Game, values: Mapping[str, Value]) -> dict[str, str]:
    """What a preset changes, as text."""
    known = specs(game.options_type)
    return {
        name: _text(spec, values[name])
        for name, spec in known.items()
        if name in values and values[name] != spec.default
    }


def _data(name: str, code: str, blocks: tuple[Block, ...]) -> dict[str, Any]:
    title = next((block.text for block in blocks if isinstance(block, Title)), name)
    found: dict[str, Any] = {
        "name": name,
        "title": title,
        "language": code,
        "rules": [{"id": rule, "text": text} for rule, text in rules_of(blocks).items()],
    }
    if name == GENERAL:
        return found
    game = registry.get(name)
    found["options"] = [
        {
            "name": option,
            "rule": spec.rule,
            "default": _text(spec, spec.default),
            "allowed": _allowed(spec, words(SOURCE)),
        }
        for option, spec in specs(game.options_type).items()
    ]
    found["presets"] = {preset: _changed(game, values) for preset, values in game.presets.items()}
    found["default_preset"] = game.default_preset
    return found
