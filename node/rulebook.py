"""The rules' texts, as they lie beside the engine.

Law: finds a rule by its identifier in `engine/rules/*.md`, where each stands as a list item that
begins with it in bold; knows no rule itself.
"""

from __future__ import annotations

import functools
import re
from importlib import resources

_ITEM = re.compile(r"^- \*\*([A-Z]{3,4}-\d{2})\*\* ?(.*(?:\n(?!- |#|\n|\|).*)*)", re.MULTILINE)


@functools.cache
def _rules() -> dict[str, str]:
    found: dict[str, str] = {}
    for file in resources.files("engine").joinpath("rules").iterdir():
        if file.name.endswith(".md"):
            for rule, text in _ITEM.findall(file.read_text(encoding="utf-8")):
                plain = text.replace("`", "").replace("**", "")
                found[rule] = " ".join(plain.split())
    return found


def rule_text(rule: str) -> str:
    """`PET-22: ...` in one line; "" if there is no such rule."""
    text = _rules().get(rule)
    return f"{rule}: {text}" if text else ""
