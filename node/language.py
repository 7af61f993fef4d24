"""The languages that the program speaks, and how it finds a sentence in one of them.

Law: the English sentence is the key (a few keys have a context, where one English word is two
elsewhere). A language is a catalogue in gettext's text format, `locale/<code>.po` and
`locale/<code>-*.po`, compiled in memory when it is first asked for, so that an editable install and
a wheel need no build step. This file knows how catalogues are written, never what they say; no
terminal, no card.

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
import io
import locale as system
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

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
_FIELD: Final = re.compile(r"\{(\w*)[^{}]*\}")
_CONTEXT: Final = "\x04"
"""What gettext puts between a context and its message."""
_MAGIC: Final = 0x950412DE
_STRING: Final = re.compile(r'"((?:[^"\\]|\\.)*)"')
_ESCAPES: Final = {"n": "\n", "t": "\t", '"': '"', "\\": "\\"}


class CatalogueError(ValueError):
    """Our own bug: a catalogue isn't written as gettext's text format says."""


def mark(message: str) -> str:
    """`message` itself, marked as one that catalogues have to translate."""
    return message


def said(message: str) -> str:
    """`message` itself, marked as one that a layer says in English, to be retold."""
    return message


@dataclass(frozen=True, slots=True)
class Language:
    """One language: sentences by their English."""

    code: str
    _catalogue: gettext.NullTranslations = field(repr=False, compare=False)

    def text(self, message: str, context: str = "") -> str:
        """The sentence for `message`."""
        if context:
            return self._catalogue.pgettext(context, message)
        return self._catalogue.gettext(message)

    def count(self, one: str, many: str, number: int, *values: object, **fields: object) -> str:
        """The sentence for `number` things: `{n}` is the number, `{0}`, `{1}` ... the values."""
        return self._catalogue.ngettext(one, many, number).format(*values, n=number, **fields)

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


@dataclass(frozen=True, slots=True)
class _Template:
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
    for key, forms in _messages(code).items():
        context, _, message = key.partition(_CONTEXT)
        if context == SAID and _FIELD.search(message):
            parts = _FIELD.split(message)
            found.append(_Template(tuple(parts[::2]), tuple(parts[1::2]), forms[0]))
    return tuple(sorted(found, key=lambda one: -sum(map(len, one.texts))))


@functools.cache
def language(code: str) -> Language:
    """The language `code`, one of CODES (KeyError: our own bug)."""
    if code not in CODES:
        raise KeyError(code)
    if code == SOURCE:
        return Language(code, gettext.NullTranslations())
    return Language(code, gettext.GNUTranslations(io.BytesIO(_packed(_messages(code)))))


@functools.cache
def _messages(code: str) -> dict[str, tuple[str, ...]]:
    """The messages of a catalogue, read once."""
    return read(catalogue_text(code))


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
    parts: dict[str, str] = {}
    part = ""
    for number, line in enumerate([*text.splitlines(), ""], 1):
        word, _, rest = line.partition(" ")
        if line.startswith('"') and part:
            parts[part] += _unquoted(line, number)
        elif line and not line.startswith("#"):
            if word in ("msgctxt", "msgid") and part.startswith("msgstr"):
                _keep(found, parts, number)
                parts = {}
            part = word
            parts[part] = _unquoted(rest, number)
    if parts:
        _keep(found, parts, 0)
    return found


def _unquoted(text: str, number: int) -> str:
    text = text.strip()
    bare = text[1:-1]
    if text[:1] == text[-1:] == '"' and len(text) > 1 and '"' not in bare and "\\" not in bare:
        return bare  # as most are
    match = _STRING.fullmatch(text)
    if match is None:
        raise CatalogueError(f"line {number} of the catalogue is no string")
    return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[1]), match[1])


def _keep(found: dict[str, tuple[str, ...]], parts: Mapping[str, str], number: int) -> None:
    forms = tuple(value for name, value in parts.items() if name.startswith("msgstr"))
    context = parts["msgctxt"] + _CONTEXT if "msgctxt" in parts else ""
    plural = "\0" + parts["msgid_plural"] if "msgid_plural" in parts else ""
    if "msgid" not in parts or not forms:
        raise CatalogueError(f"before line {number} of the catalogue a message isn't whole")
    key = context + parts["msgid"] + plural
    if key in found and (key or found[key] != forms):
        raise CatalogueError(f"before line {number} of the catalogue: {key!r} is there twice")
    found[key] = forms


def compiled(text: str) -> bytes:
    """A catalogue in gettext's binary format, which the standard library reads."""
    return _packed(read(text))


def _packed(messages: Mapping[str, tuple[str, ...]]) -> bytes:
    keys = sorted(key.encode() for key in messages)
    values = ["\0".join(messages[key.decode()]).encode() for key in keys]
    start = 7 * 4
    at = start + 16 * len(keys)
    tables: list[bytes] = []
    octets = b""
    for strings in (keys, values):
        for string in strings:
            tables.append(struct.pack("<II", len(string), at + len(octets)))
            octets += string + b"\0"
    head = struct.pack("<7I", _MAGIC, 0, len(keys), start, start + 8 * len(keys), 0, 0)
    return head + b"".join(tables) + octets
