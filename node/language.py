"""The languages that the program speaks, and how it finds a sentence in one of them.

Law: the English sentence is the key (a few keys have a context, where one English word is two
elsewhere). A language is one catalogue in gettext's text format, `locale/<code>.po`, compiled in
memory when it is first asked for, so that an editable install and a wheel need no build step. This
file knows how catalogues are written, never what they say; no terminal, no card.

    >>> language("it").text("Your turn")
    'Tocca a te'

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

    def count(self, one: str, many: str, number: int, *values: object) -> str:
        """The sentence for `number` things: `{n}` is the number, `{0}`, `{1}` ... the values."""
        return self._catalogue.ngettext(one, many, number).format(*values, n=number)


@functools.cache
def language(code: str) -> Language:
    """The language `code`, one of CODES (KeyError: our own bug)."""
    if code not in CODES:
        raise KeyError(code)
    if code == SOURCE:
        return Language(code, gettext.NullTranslations())
    return Language(code, gettext.GNUTranslations(io.BytesIO(compiled(catalogue_text(code)))))


def following(code: str) -> str:
    """The language after `code`: what F9 switches to."""
    return CODES[(CODES.index(code) + 1) % len(CODES)]


def preferred(given: str | None, environ: Mapping[str, str]) -> str:
    """The language that was asked for, else the system's, else English."""
    if given in CODES:
        return str(given)
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
    """A catalogue as it is written."""
    return (_FOLDER / f"{code}.po").read_text(encoding="utf-8")


# -- gettext's text format ------------------------------------------------------------------------


def read(text: str) -> dict[str, tuple[str, ...]]:
    """The messages of a catalogue: key (a context, U+0004 and the message) -> its forms.

    The empty key is the header. CatalogueError: a line that isn't the format's, a key twice.
    """
    found: dict[str, tuple[str, ...]] = {}
    parts: dict[str, str] = {}
    part = ""
    for number, line in enumerate([*text.splitlines(), ""], 1):
        word, _, rest = line.partition(" ")
        if line.startswith('"') and part:
            parts[part] += _unquoted(line, number)
        elif line and not line.startswith("#"):
            if word in ("msgctxt", "msgid") and any(k.startswith("msgstr") for k in parts):
                _keep(found, parts, number)
                parts = {}
            part = word
            parts[part] = _unquoted(rest, number)
    if parts:
        _keep(found, parts, 0)
    return found


def _unquoted(text: str, number: int) -> str:
    match = _STRING.fullmatch(text.strip())
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
    if key in found:
        raise CatalogueError(f"before line {number} of the catalogue: {key!r} is there twice")
    found[key] = forms


def compiled(text: str) -> bytes:
    """A catalogue in gettext's binary format, which the standard library reads."""
    messages = read(text)
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
