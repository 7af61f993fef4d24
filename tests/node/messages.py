"""The messages that the node layer says, found in its source and in the games' phrases.

Law: reads source; knows no catalogue. A message is a literal in `text`, `t`, `mark` or `count`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from engine import registry
from node.screen import words

ROOT = Path(__file__).resolve().parent.parent.parent
_SAYS = {"text", "t", "mark"}


class Message(NamedTuple):
    """A key of a catalogue; `many` is "" but for messages with a number."""

    one: str
    many: str = ""
    context: str = ""

    @property
    def key(self) -> str:
        """As `node.language.read` writes it."""
        context = f"{self.context}\x04" if self.context else ""
        return f"{context}{self.one}" + (f"\0{self.many}" if self.many else "")


def _literal(node: ast.expr) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def in_source(source: str) -> Iterator[Message]:
    """The messages of one module."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
        literals = [_literal(argument) for argument in node.args[:2]]
        first = literals[0]
        second = literals[1] if len(literals) > 1 else None
        if first is None:
            continue
        if name == "count" and second is not None:
            yield Message(first, second)
        elif name in _SAYS:
            yield Message(first, context=second or "")


def needed() -> list[Message]:
    """Every message that a language has to translate, each once, in the order of finding."""
    found: dict[Message, None] = {}
    for path in sorted((ROOT / "node" / "screen").glob("*.py")):
        found.update(dict.fromkeys(in_source(path.read_text("utf-8"))))
    for name in registry.GAMES:
        found.update(dict.fromkeys(Message(p) for p in registry.get(name).phrases.values()))
    rules = [rule for case in words.SITUATIONS for rule in case.rules]
    rules += [rule for text in words.ALWAYS.values() for rule in text.split()]
    found.update(dict.fromkeys(Message(rule, context="rule") for rule in rules))
    return list(found)
