"""The languages that the program speaks, and how it finds a sentence in one of them.

Law: the English sentence is the key (a few keys have a context, where one English word is two
elsewhere). A language is a catalogue in gettext's text format, `locale/<code>.po` and
`locale/<code>-*.po`, read when it is first asked for, so that an editable install and a wheel need
no build step. This file knows how catalogues are written, never what they say; no terminal, no
card. `busso --help` waits for it, so it does without dataclasses, which start
slowly, and no pattern is compiled before it is needed.

    >>> language("it").text("Your turn")
    'Tocca a te'
    >>> language("it").retold("No answer from ada.local port 7000 within 3 seconds.")
    'Nessuna risposta da ada.local port 7000 entro 3 secondi.'

Layers that know no language, other threads and other processes say their sentences in English, as
text: `retold` finds the template that a sentence was made from (its messages have the context
SAID), and fills the translation with the same values.

A sentence that isn't in the catalogue comes out in English: the tests, not the player, find it.
"""

from __future__ import annotations

import functools
import gettext
import locale as system
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, NamedTuple

CODES: Final = ("it", "en")
"""Every language, in the order in which F9 goes through them."""
SOURCE: Final = "en"
"""The language of the keys."""
_FOLDER: Final = Path(__file__).with_name("locale")
SAID: Final = "said"
"""The context of sentences that come as English text from layers without a language."""
MAX_SAID: Final = 2_000
"""Characters of a sentence that are looked at: what is longer is nobody's sentence."""
MAX_NESTED: Final = 4
"""Sentences within sentences: a counter's error in a finding, a fault's in an error."""
_FIELD: Final = r"\{(\w*)[^{}]*\}"
_CONTEXT: Final = "\x04"
"""What gettext puts between a context and its message."""
_STRINGS: Final = r'("[^"\\\n]*(?:\\.[^"\\\n]*)*"(?:\n"[^"\\\n]*(?:\\.[^"\\\n]*)*")*)'
"""Strings in quotes, each on its line: they make one."""
_ENTRY: Final = (
    rf"(?m)^(?:msgctxt {_STRINGS}\n)?msgid {_STRINGS}\n"
    rf"(?:msgid_plural {_STRINGS}\nmsgstr\[0\] {_STRINGS}\nmsgstr\[1\] {_STRINGS}"
    rf"|msgstr {_STRINGS})$"
)
"""One message: context, itself, its plural and two forms, or its only form."""
_BESIDE: Final = r"(?:(?:#.*|[ \t]*)\n)*(?:#.*|[ \t]*)"
"""What may stand between messages: comments and blank lines."""
_PLURAL: Final = r"(?m)^Plural-Forms:.*\bplural=([^;]*)"
_ESCAPES: Final = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}


class CatalogueError(ValueError):
    """Our own bug: a catalogue isn't written as gettext's text format says."""


def mark(message: str) -> str:
    """`message` itself, marked as one that catalogues have to translate."""
    return message


def said(message: str) -> str:
    """`message` itself, marked as one that a layer says in English, to be retold."""
    return message


class Language:
    """One language: sentences by their English. There is one of each: `language` gives it.

    messages    key (a context, U+0004 and the message) -> its forms
    """

    __slots__ = ("code", "messages")

    def __init__(self, code: str, messages: Mapping[str, tuple[str, ...]]) -> None:
        self.code: Final = code
        self.messages: Final = messages

    def __repr__(self) -> str:
        """Without a thousand sentences."""
        return f"language({self.code!r})"

    def text(self, message: str, context: str = "") -> str:
        """The sentence for `message`."""
        forms = self.messages.get(f"{context}{_CONTEXT}{message}" if context else message)
        return forms[0] if forms else message

    def count(self, one: str, many: str, number: int, *values: object, **fields: object) -> str:
        """The sentence for `number` things: `{n}` is the number, `{0}`, `{1}` ... the values."""
        forms = self.messages.get(f"{one}\0{many}")
        form = forms[_plural(self.code)(number)] if forms else one if number == 1 else many
        return form.format(*values, n=number, **fields)

    def retold(self, text: str, depth: int = 0) -> str:
        """The sentence or word `text`, which somebody said in English, with its values retold too;
        itself if no message of the context SAID is like it."""
        if self.code == SOURCE or len(text) > MAX_SAID or depth > MAX_NESTED:
            return text
        found = self.text(text, SAID)
        if found != text:
            return found
        for template in _templates(self.code):
            values = template.values_in(text)
            if values is not None:
                told = {name: self.retold(value, depth + 1) for name, value in values.items()}
                return template.translation.format(**told)
        return text

    def refilled(self, template: str, values: Mapping[str, object]) -> str:
        """The sentence of a template of the context SAID; values that are text are retold."""
        told = {
            name: self.retold(value) if isinstance(value, str) else value
            for name, value in values.items()
        }
        return self.text(template, SAID).format(**told)


class _Template(NamedTuple):
    """A message with fields: `texts` stand around the fields `names`, one more than they are."""

    texts: tuple[str, ...]
    names: tuple[str, ...]
    translation: str

    def values_in(self, text: str) -> dict[str, str] | None:
        """The values that make `text` of it, each as short as can be; None if none do.

        One pass without going back, so that nobody's long name makes it slow."""
        first, *between, last = self.texts
        if not text.startswith(first) or not text.endswith(last):
            return None
        at, end = len(first), len(text) - len(last)
        values: dict[str, str] = {}
        for name, literal in zip(self.names, [*between, ""], strict=True):
            found = text.find(literal, at, end) if literal else end
            if found < at or values.setdefault(name, text[at:found]) != text[at:found]:
                return None
            at = found + len(literal)
        return values if at == end else None


@functools.cache
def _templates(code: str) -> tuple[_Template, ...]:
    """The templates of the context SAID, the most telling first."""
    found = []
    for key, forms in language(code).messages.items():
        context, _, message = key.partition(_CONTEXT)
        if context == SAID and re.search(_FIELD, message):
            parts = re.split(_FIELD, message)
            found.append(_Template(tuple(parts[::2]), tuple(parts[1::2]), forms[0]))
    return tuple(sorted(found, key=lambda one: -sum(map(len, one.texts))))


@functools.cache
def language(code: str) -> Language:
    """The language `code`, one of CODES (KeyError: our own bug)."""
    if code not in CODES:
        raise KeyError(code)
    return Language(code, {} if code == SOURCE else read(catalogue_text(code)))


@functools.cache
def _plural(code: str) -> Callable[[int], int]:
    """Which form a number of things takes in a language, as its catalogue's header says."""
    rule = re.search(_PLURAL, language(code).text(""))
    if rule is None:
        raise CatalogueError(f"the catalogue {code} doesn't say which plural is whose")
    return gettext.c2py(rule[1])


ENGLISH: Final = language(SOURCE)
"""The language of the keys: of logs, of JSON, and of whoever asks for no other."""


def following(code: str) -> str:
    """The language after `code`: what F9 switches to."""
    return CODES[(CODES.index(code) + 1) % len(CODES)]


def preferred(given: str | None, environ: Mapping[str, str]) -> str:
    """The language that was asked for, by a flag or by BUSSO_LANG, else the system's, else
    English."""
    for asked in (given, environ.get("BUSSO_LANG")):
        if asked in CODES:
            return str(asked)
    names = [environ.get(name, "") for name in ("LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")]
    names += [system.getlocale()[0] or ""]
    for name in names:
        code = re.split(r"[_.@:-]", name.lower())[0]
        if code in CODES or name.startswith("Italian"):
            return code if code in CODES else "it"
        if code not in ("", "c", "posix"):
            return SOURCE
    return SOURCE


def catalogue_text(code: str) -> str:
    """A catalogue as it is written, its files one after the other."""
    paths = [_FOLDER / f"{code}.po", *sorted(_FOLDER.glob(f"{code}-*.po"))]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


# -- gettext's text format ------------------------------------------------------------------------


def read(text: str) -> dict[str, tuple[str, ...]]:
    """The messages of a catalogue: key (a context, U+0004 and the message) -> its forms.

    The empty key is the header, which every file of a catalogue has, the same. CatalogueError: a
    line that isn't the format's, a key twice.
    """
    found: dict[str, tuple[str, ...]] = {}
    at = 0
    for entry in re.finditer(_ENTRY, text):
        _beside(text, at, entry.start())
        at = entry.end()
        context, one, many, *forms = entry.groups()
        before = f"{_unquoted(context)}{_CONTEXT}" if context is not None else ""
        after = f"\0{_unquoted(many)}" if many is not None else ""
        key = f"{before}{_unquoted(one)}{after}"
        told = tuple(_unquoted(form) for form in forms if form is not None)
        if found.setdefault(key, told) is not told and (key or found[key] != told):
            line = text.count("\n", 0, entry.start()) + 1
            raise CatalogueError(f"line {line} of the catalogue: {key!r} is there twice")
    _beside(text, at, len(text))
    return found


def _beside(text: str, start: int, end: int) -> None:
    """CatalogueError: what stands there is no message, and no comment."""
    between = text[start:end]
    if not re.fullmatch(_BESIDE, between):
        line = text.count("\n", 0, end - len(between.lstrip())) + 1
        raise CatalogueError(f"from line {line} of the catalogue a message isn't whole")


def _unquoted(strings: str) -> str:
    """What the strings say."""
    bare = strings[1:-1] if "\n" not in strings else strings[1:-1].replace('"\n"', "")
    if "\\" not in bare:
        return bare  # as most are
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), bare)
