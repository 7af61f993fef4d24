"""What may stand after a flag: bounds of numbers, languages, levels, and the converters.

Law: words to values, each converter with one sentence for what it refuses (ArgumentTypeError). It
imports no verb and no game: settings and the command line share it, and `--help` is immediate.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Final

MAX_PLAYERS: Final = 64
MAX_HANDS: Final = 10_000
MAX_THINK: Final = 60.0
"""Seconds."""
DAY: Final = 86_400
"""Seconds: the longest that a table may wait for anything."""
LANGUAGES: Final = ("it", "en")
RULES_LANGUAGES: Final = (*LANGUAGES, "fa")
"""In which the rules may be read; a game that lacks one is answered in English."""
LEVELS: Final = ("easy", "medium", "hard")
THEMES: Final = ("dark", "light", "safe", "none")
SHELLS: Final = ("bash", "zsh", "fish")
_SHOWN: Final = 40
"""Characters of a refused word that are said again."""


def number(low: int, high: int) -> Callable[[str], int]:
    """A converter for a whole number from `low` to `high`, written plainly."""

    def convert(text: str) -> int:
        if not _plain(text, 20) or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(
                f"a whole number from {low} to {high} is needed, not '{text[:_SHOWN]}'"
            )
        return int(text)

    return convert


def seconds(low: float, high: float) -> Callable[[str], float]:
    """A converter for a plain decimal number of seconds from `low` to `high`."""

    def convert(text: str) -> float:
        whole, point, part = text.partition(".")
        plain = _plain(whole, 12) and (not point or not part or _plain(part, 12))
        if not plain or not low <= float(text) <= high:
            raise argparse.ArgumentTypeError(
                f"seconds from {low:g} to {high:g} are needed, not '{text[:_SHOWN]}'"
            )
        return float(text)

    return convert


def _plain(text: str, longest: int) -> bool:
    """Whether `text` is digits, which Python reads more widely than people write them."""
    return text.isascii() and text.isdigit() and len(text) <= longest


def option(text: str) -> tuple[str, str]:
    """A house rule: its name and what it is set to."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError(f"'{text[:_SHOWN]}' is not NAME=VALUE, as in tokens=5")
    return name, value


def hexadecimal(octets: int) -> Callable[[str], str]:
    """A converter for so many octets in hexadecimal digits."""

    def convert(text: str) -> str:
        if len(text) != 2 * octets or not set(text) <= set("0123456789abcdef"):
            raise argparse.ArgumentTypeError(f"{2 * octets} hexadecimal digits are needed")
        return text

    return convert
