"""House rules: typed, bounded, named options of a game, and presets of them.

Law: an options class is a frozen dataclass whose fields are made by `switch`, `number` and
`choice`. This file alone turns them into text (`name=value`) and into the items that a log's
header holds, and back; a value that isn't allowed raises OptionError with the ways out.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from engine.errors import OptionError

Value = bool | int | str
Item = tuple[str, int | str]
T = TypeVar("T")
_KEY = "busso"


@dataclass(frozen=True, slots=True)
class Spec:
    """One option: its default, what it may be, the rule that explains it, words for numbers."""

    default: Value
    rule: str
    low: int = 0
    high: int = 0
    choices: tuple[str, ...] = ()
    words: tuple[tuple[str, int], ...] = ()

    def allowed(self) -> str:
        """What a person may write, in words."""
        if isinstance(self.default, bool):
            return "true or false"
        if self.choices:
            return " or ".join(self.choices)
        named = "".join(f"{word} or " for word, _ in self.words)
        return f"{named}a whole number from {self.low} to {self.high}"


def switch(default: bool, rule: str) -> Any:
    """An option that is on or off."""
    return _field(Spec(default, rule))


def number(
    default: int, low: int, high: int, rule: str, words: Mapping[str, int] | None = None
) -> Any:
    """A whole number low..high, or one of `words`, which stand for numbers outside the range."""
    return _field(Spec(default, rule, low, high, words=tuple((words or {}).items())))


def choice(*choices: str, rule: str) -> Any:
    """One of several words; the first is the default."""
    return _field(Spec(choices[0], rule, choices=choices))


def _field(spec: Spec) -> Any:
    return dataclasses.field(default=spec.default, metadata={_KEY: spec})


def specs(options_type: type) -> dict[str, Spec]:
    """The options of a class by name, in their declared order."""
    return {f.name: f.metadata[_KEY] for f in dataclasses.fields(options_type)}


def check(options: Any) -> None:
    """Raise OptionError unless every field has the exact type and range of its Spec."""
    for name, spec in specs(type(options)).items():
        value = getattr(options, name)
        if isinstance(spec.default, bool):
            good = type(value) is bool
        elif spec.choices:
            good = type(value) is str and value in spec.choices
        else:
            named = {n for _, n in spec.words}
            good = type(value) is int and (spec.low <= value <= spec.high or value in named)
        if not good:
            raise OptionError(f"{name} must be {spec.allowed()}, not {str(value)[:40]}")


def make(
    options_type: type[T], preset: Mapping[str, Value], given: Iterable[tuple[str, str]] = ()
) -> T:
    """Options from a preset and `name`, `text` pairs on top; a name given twice is refused."""
    known = specs(options_type)
    values: dict[str, Value] = dict(preset)
    seen: set[str] = set()
    for name, text in given:
        if name not in known:
            raise OptionError(f"there is no option '{name[:40]}'; there are: {', '.join(known)}")
        if name in seen:
            raise OptionError(f"option {name} is given twice")
        seen.add(name)
        values[name] = _parse(name, known[name], text)
    return options_type(**values)


def _parse(name: str, spec: Spec, text: str) -> Value:
    if isinstance(spec.default, bool):
        if text in {"true", "false"}:
            return text == "true"
    elif spec.choices:
        if text in spec.choices:
            return text
    else:
        for word, value in spec.words:
            if text == word:
                return value
        plain = text.isascii() and text.isdigit() and len(text) <= 9
        if plain and spec.low <= int(text) <= spec.high:
            return int(text)
    raise OptionError(f"{name} must be {spec.allowed()}, not '{text[:40]}'")


def text_of(options: Any, name: str) -> str:
    """The value of one option as `make` reads it."""
    spec = specs(type(options))[name]
    value = getattr(options, name)
    if isinstance(value, bool):
        return "true" if value else "false"
    for word, number_ in spec.words:
        if value == number_:
            return word
    return str(value)


def items(options: Any) -> tuple[Item, ...]:
    """All options as the header of a log holds them: switches are 0 or 1."""
    return tuple(
        (name, int(value) if isinstance(value, bool) else value)
        for name in specs(type(options))
        for value in [getattr(options, name)]
    )


def from_items(options_type: type[T], given: Iterable[Item]) -> T:
    """The inverse of `items`, in any order; each option exactly once, else OptionError."""
    pairs = tuple(given)
    known = specs(options_type)
    names = [name for name, _ in pairs]
    if len(names) != len(known) or set(names) != set(known):
        raise OptionError("the options are not those of this version of the rules")
    values: dict[str, Value] = {}
    for name, value in pairs:
        if isinstance(known[name].default, bool):
            if type(value) is not int or value not in (0, 1):
                raise OptionError(f"{name} must be 0 or 1")
            values[name] = bool(value)
        else:
            values[name] = value
    return options_type(**values)


def preset_of(options: Any, presets: Mapping[str, Mapping[str, Value]]) -> tuple[str, list[str]]:
    """The preset that fits best and the options that differ from it, as `name=value`."""
    best: tuple[str, list[str]] | None = None
    for name, values in presets.items():
        base = type(options)(**values)
        differing = [
            f"{n}={text_of(options, n)}"
            for n in specs(type(options))
            if getattr(options, n) != getattr(base, n)
        ]
        if best is None or len(differing) < len(best[1]):
            best = (name, differing)
    if best is None:
        raise OptionError("this game has no presets")
    return best
