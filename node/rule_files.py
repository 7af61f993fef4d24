"""The rules' texts as documents: which languages there are, and what stands in a text.

Law: this file knows how the texts of `engine/rules` are written (README.md there), never what they
say. English lies in the folder itself, any other language in a folder named by its code; a language
is there for a game as soon as its file is.

    - **PET-22** To exchange nothing ...      a Rule
    ## Turns                                  a Heading
    | Option | `marche` |                     a Table; one that begins with `Option` is left out,
                                              since what it says is in the options' own specs
"""

from __future__ import annotations

import functools
import itertools
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Final

from engine import registry

SOURCE: Final = "en"
GENERAL: Final = "general"
"""The rules of every game."""
RIGHT_TO_LEFT: Final = frozenset({"fa"})
_GENERATED: Final = "Option"
_RULE: Final = re.compile(r"- \*\*([A-Z]{3,4}-\d{2})\*\* ?(.*)")


@dataclass(frozen=True, slots=True)
class Title:
    """The name of the game."""

    text: str


@dataclass(frozen=True, slots=True)
class Heading:
    """What the following is about."""

    text: str


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Running text in one line."""

    text: str


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule in one line."""

    identifier: str
    text: str


@dataclass(frozen=True, slots=True)
class Example:
    """Lines that are shown as they are."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells; the first row is the head."""

    rows: tuple[tuple[str, ...], ...]


Block = Title | Heading | Paragraph | Rule | Example | Table


def _folder(code: str) -> Traversable:
    rules = resources.files("engine").joinpath("rules")
    return rules if code == SOURCE else rules.joinpath(code)


@functools.cache
def languages(name: str) -> tuple[str, ...]:
    """The languages in which the text `name` (a game, GENERAL) is there, English first."""
    found = [
        place.name
        for place in _folder(SOURCE).iterdir()
        if place.is_dir() and place.joinpath(f"{name}.md").is_file()
    ]
    return (SOURCE, *sorted(found))


@functools.cache
def document(name: str, code: str) -> tuple[Block, ...]:
    """The text `name` in a language of `languages(name)`."""
    text = _folder(code).joinpath(f"{name}.md").read_text(encoding="utf-8")
    return tuple(read(text))


@functools.cache
def words(code: str) -> Mapping[str, str]:
    """The few words of a language that stand around the texts, by their keys (`words.toml`)."""
    text = _folder(code).joinpath("words.toml").read_text(encoding="utf-8")
    return {key: str(value) for key, value in tomllib.loads(text).items()}


def rules_of(blocks: tuple[Block, ...]) -> dict[str, str]:
    """The rules of a document by their identifiers."""
    return {block.identifier: block.text for block in blocks if isinstance(block, Rule)}


def bare_rule(rule: str, code: str = SOURCE) -> str:
    """What a rule says, in English where the language lacks it; "" if no game has it."""
    return _all_rules(code).get(rule) or _all_rules(SOURCE).get(rule, "")


def rule_text(rule: str, code: str = SOURCE) -> str:
    """The same in one line with its identifier: `PET-22: ...`."""
    text = bare_rule(rule, code)
    return f"{rule}: {text}" if text else ""


@functools.cache
def _all_rules(code: str) -> Mapping[str, str]:
    """The rules of every text that is there in a language."""
    found: dict[str, str] = {}
    for name in (*registry.GAMES, GENERAL):
        if code in languages(name):
            found |= rules_of(document(name, code))
    return found


# -- reading --------------------------------------------------------------------------------------


def read(text: str) -> list[Block]:
    """The blocks of a text."""
    blocks: list[Block] = []
    lines = iter(text.splitlines())
    part: list[str] = []
    for line in lines:
        if line.startswith("```"):
            blocks += _block(part)
            part = []
            blocks.append(Example(tuple(_fenced(lines))))
            continue
        if part and (not line or _starts(line, part[0])):
            blocks += _block(part)
            part = []
        if line:
            part.append(line)
    return [*blocks, *_block(part)]


def _fenced(lines: Iterator[str]) -> Iterator[str]:
    """The lines up to the end of the example."""
    return itertools.takewhile(lambda line: not line.startswith("```"), lines)


def _starts(line: str, first: str) -> bool:
    """Whether `line` doesn't go on with the part that `first` began."""
    return line.startswith(("- ", "#")) or first.startswith("#") or line[0] == "|" != first[0]


def _block(part: list[str]) -> list[Block]:
    """What a part says, if it says anything."""
    if not part:
        return []
    first = part[0]
    joined = plain(" ".join(line.strip() for line in part))
    if first.startswith("# "):
        return [Title(joined[2:])]
    if first.startswith("#"):
        return [Heading(joined.lstrip("# "))]
    if first.startswith("|"):
        rows = tuple(_cells(line) for line in part if not set(line) <= set("|-: "))
        return [] if rows[0][0] == _GENERATED else [Table(rows)]
    match = _RULE.match(" ".join(line.strip() for line in part))
    if match:
        return [Rule(match[1], plain(match[2]))]
    return [Paragraph(joined)]


def _cells(line: str) -> tuple[str, ...]:
    return tuple(plain(cell.strip()) for cell in line.strip().strip("|").split(" | "))


def plain(text: str) -> str:
    """`text` without marks."""
    return text.replace("`", "").replace("**", "").strip()
