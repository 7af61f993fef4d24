"""The rules of a table in full: its options by name, then the text of the game.

Law: rows of text from specs and from the rules' own files; it must never know a rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from engine.options import specs
from node.language import Language
from node.rule_files import (
    GENERAL,
    SOURCE,
    Block,
    Example,
    Heading,
    Rule,
    Table,
    Title,
    document,
    languages,
    rules_of,
)
from node.screen.lobby_page import Rows, indented, prose
from node.screen.lobby_terms import agreed_words, changed_options, option_words, rules_name
from node.screen.theme import Role


def terms(
    language: Language,
    known: tuple[Any, Any] | None,
    seats: int,
    extensions: Mapping[str, int | str],
    room: int,
) -> Rows:
    """What this table has agreed on: `known` is its game with the options, None if this program
    doesn't know them."""
    if known is None:
        return prose(language.text("This program doesn't know the rules of this table."), room)
    game, options = known
    head = language.count("{0} for {n}", "{0} for {n}", seats, game.title)
    rows = prose(f"{head}: {rules_name(language, game, options)}", room, Role.STRONG)
    changed = changed_options(game, options)
    for name in specs(game.options_type):
        role = Role.STRONG if name in changed else Role.TEXT
        rows += indented(option_words(language, options, name), room, role)
    for text in agreed_words(language, extensions):
        rows += prose(text, room)
    return rows


def rule_words(language: Language, game: str, rule: str) -> str:
    """`PET-22: ...`, one rule of a game; in English where there is no other."""
    for text in (game, GENERAL):
        code = language.code if language.code in languages(text) else SOURCE
        found = rules_of(document(text, code)).get(rule)
        if found is not None:
            return f"{rule}: {found}"
    return rule


def rules_rows(language: Language, name: str, room: int) -> Rows:
    """The text of a game and what holds for every game; in English where there is no other."""
    rows: Rows = []
    for text in (name, GENERAL):
        code = language.code if language.code in languages(text) else SOURCE
        if code != language.code:
            rows += prose(language.text("These rules are there in English only."), room, Role.DIM)
        rows += [list(row) for row in _document(text, code, room)]
        rows.append([])
    return rows[:-1]


@lru_cache(maxsize=16)
def _document(name: str, code: str, room: int) -> tuple[tuple[tuple[str, Role], ...], ...]:
    rows: Rows = []
    for block in document(name, code):
        rows += [*_block(block, room), []]
    return tuple(tuple(row) for row in rows[:-1])


def _block(block: Block, room: int) -> Rows:
    match block:
        case Title(text=text) | Heading(text=text):
            return prose(text, room, Role.STRONG)
        case Rule(identifier=identifier, text=text):
            return prose(f"{identifier}: {text}", room)
        case Example(lines=lines):
            return [row for line in lines for row in indented(line, room)]
        case Table(rows=cells):
            return [row for line in cells for row in indented(" · ".join(line), room)]
    return prose(block.text, room)
