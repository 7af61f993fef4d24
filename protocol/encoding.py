"""The canonical encoding: a strict subset of msgpack, one octet string for each value.

Law: this file knows octets and plain values. It must never know what a value means.

    value = int (-2^63 .. 2^64 - 1) | bytes | str | array of values, arrays nested 6 deep at most

Arrays are tuples. Types are exact: `True` is not 1. No maps, floats, booleans, nil or extensions.
A decoded value must encode to the very octets that it came from, so a signature over octets is a
signature over one value. Strings are NFC and hold no control, format, bidirectional, private or
unassigned characters. What is assigned is read from Unicode 3.2: the one version that every Python
carries unchanged, so two nodes with different Pythons never disagree about a string.
"""

from __future__ import annotations

import unicodedata
from typing import Final, TypeAlias

import msgpack  # type: ignore[import-untyped]  # the library ships no types

from protocol.errors import EncodingError

Value: TypeAlias = "int | bytes | str | tuple[Value, ...]"

MAX_DEPTH: Final = 6
MAX_ITEMS: Final = 1024
"""Items of one array. The decoder reserves room for what a length claims, hence a small bound."""
MAX_TOTAL: Final = 65_536
"""Items of a whole value, nested ones included."""
INT_MIN: Final = -(2**63)
INT_MAX: Final = 2**64 - 1

_BANNED_CATEGORIES: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Invisible in today's Unicode although 3.2 called them letters, spaces, marks or punctuation.
_BANNED_CHARACTERS: Final = frozenset(
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180e\u200b\u2800\u3164\uffa0"
) | frozenset(map(chr, range(0xFE00, 0xFE10)))
_MARKS: Final = frozenset({"Mn", "Mc", "Me"})
_MAX_MARKS_IN_A_ROW: Final = 2


def pack(value: Value) -> bytes:
    """Encode `value`; `EncodingError` if it is outside the subset."""
    _check(value, MAX_DEPTH)
    return _pack(value)


def unpack(data: bytes, *, limit: int, depth: int = MAX_DEPTH, items: int = MAX_ITEMS) -> Value:
    """Decode exactly one value from `data`, at most `limit` octets, or raise `EncodingError`.

    `depth` bounds the nesting of arrays, `items` the length of each.
    """
    if len(data) > limit:
        raise EncodingError(f"{len(data)} octets where at most {limit} are allowed")
    try:
        value: Value = msgpack.unpackb(
            data,
            raw=False,
            use_list=False,
            max_array_len=items,
            max_map_len=0,
            max_ext_len=0,
            max_str_len=limit,
            max_bin_len=limit,
        )
    except (ValueError, TypeError, OverflowError, msgpack.UnpackException) as error:
        raise EncodingError("these octets are not one value of the encoding") from error
    _check(value, depth)
    if _pack(value) != data:
        raise EncodingError("these octets are not the canonical encoding of their value")
    return value


def _pack(value: Value) -> bytes:
    encoded: bytes = msgpack.packb(value, use_bin_type=True)
    return encoded


def _check(value: object, depth: int) -> None:
    """Raise unless every part of `value` is allowed."""
    if _count((value,), depth) > MAX_TOTAL:
        raise EncodingError(f"more than {MAX_TOTAL} items")


def _count(items: tuple[object, ...], depth: int) -> int:
    """How many items `items` holds, inner ones included; arrays in it nest `depth` deep at most.

    The types are compared as such, since `isinstance` would let subclasses in; commonest first.
    """
    total = len(items)
    for item in items:
        kind = type(item)
        if kind is bytes:
            continue
        if kind is int:
            if not INT_MIN <= item <= INT_MAX:  # type: ignore[operator]  # exact int
                raise EncodingError("an integer of more than 64 bits")
        elif kind is str:
            check_text(item)  # type: ignore[arg-type]  # exact str
        elif kind is tuple:
            if depth == 0:
                raise EncodingError("arrays nested too deep")
            total += _count(item, depth - 1)  # type: ignore[arg-type]  # exact tuple
        else:
            raise EncodingError(f"a value of type {kind.__name__} can't be encoded")
    return total


def check_text(s: str) -> None:
    """Raise `EncodingError` unless `s` may be a string of the encoding."""
    if s.isascii():
        if s.isprintable():
            return
        raise EncodingError("a string with control characters")
    for c in s:
        if c in _BANNED_CHARACTERS or _category(c) in _BANNED_CATEGORIES:
            raise EncodingError(f"a string with the character U+{ord(c):04X}, which is not allowed")
    if not unicodedata.is_normalized("NFC", s):
        raise EncodingError("a string that is not in normal form C")


def clean_text(s: str, limit: int) -> str:
    """Return `s` if it can stand as a name: one line of 1 to `limit` characters, else raise.

    Beyond `check_text`: no space but U+0020, none at an end or doubled; no combining mark at the
    start, no more than two in a row.
    """
    if not 1 <= len(s) <= limit:
        raise EncodingError(f"a name of {len(s)} characters; 1 to {limit} are allowed")
    check_text(s)
    marks = _MAX_MARKS_IN_A_ROW  # at the start of the name no mark may follow
    previous = " "
    for c in s:
        category = _category(c)
        if category == "Zs" and (c != " " or previous == " "):
            raise EncodingError("a name with odd spaces")
        marks = marks + 1 if category in _MARKS else 0
        if marks > _MAX_MARKS_IN_A_ROW:
            raise EncodingError("a name with stray combining marks")
        previous = c
    if previous == " ":
        raise EncodingError("a name with odd spaces")
    return s


def _category(c: str) -> str:
    return unicodedata.ucd_3_2_0.category(c)


# Typed readers: each returns its argument with its type known, or says what was expected. With one
# bound the size is exact, with two it lies between them, both included.


def integer(value: Value, what: str, low: int = 0, high: int = INT_MAX) -> int:
    """`value` as an int in low..high."""
    if type(value) is not int:
        raise _unexpected(what, "an integer", value)
    if not low <= value <= high:
        raise EncodingError(f"{what}: {value} is not in {low}..{high}")
    return value


def octets(value: Value, what: str, low: int, high: int | None = None) -> bytes:
    """`value` as bytes of `low` (to `high`) octets."""
    if type(value) is not bytes:
        raise _unexpected(what, "octets", value)
    _sized(what, len(value), low, high, "octets")
    return value


def text(value: Value, what: str, low: int, high: int | None = None) -> str:
    """`value` as a str of `low` (to `high`) characters."""
    if type(value) is not str:
        raise _unexpected(what, "a string", value)
    _sized(what, len(value), low, high, "characters")
    return value


def array(value: Value, what: str, low: int, high: int | None = None) -> tuple[Value, ...]:
    """`value` as an array of `low` (to `high`) items."""
    if type(value) is not tuple:
        raise _unexpected(what, "an array", value)
    _sized(what, len(value), low, high, "items")
    return value


def _unexpected(what: str, wanted: str, value: Value) -> EncodingError:
    return EncodingError(f"{what}: {wanted} expected, {type(value).__name__} found")


def _sized(what: str, size: int, low: int, high: int | None, unit: str) -> None:
    if high is None:
        if size != low:
            raise EncodingError(f"{what}: {low} {unit} expected, {size} found")
    elif not low <= size <= high:
        raise EncodingError(f"{what}: {low} to {high} {unit} expected, {size} found")
