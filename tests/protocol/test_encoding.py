"""The canonical encoding: one value, one octet string, and nothing else gets in."""

from __future__ import annotations

import json
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocol import encoding
from protocol.encoding import Value, array, clean_text, integer, octets, pack, text, unpack
from protocol.errors import EncodingError

VECTORS = Path(__file__).parent.parent / "vectors" / "log"
GOOD = json.loads((VECTORS / "encoding-good.json").read_text("utf-8"))
BAD = json.loads((VECTORS / "encoding-bad.json").read_text("utf-8"))


def from_json(value: Any) -> Value:
    if isinstance(value, dict):
        return bytes.fromhex(value["octets"])
    if isinstance(value, list):
        return tuple(map(from_json, value))
    assert isinstance(value, int | str)
    return value


def is_text(s: str) -> bool:
    try:
        encoding.check_text(s)
    except EncodingError:
        return False
    return True


texts = st.text(max_size=20).map(lambda s: unicodedata.normalize("NFC", s)).filter(is_text)
leaves = st.one_of(st.integers(encoding.INT_MIN, encoding.INT_MAX), st.binary(max_size=300), texts)
# Five wrappings around a leaf or an empty array: six arrays deep at most.
values: st.SearchStrategy[Value] = leaves
for _ in range(encoding.MAX_DEPTH):
    values = st.one_of(leaves, st.lists(values, max_size=4).map(tuple))


@pytest.mark.parametrize("vector", GOOD, ids=lambda v: v["name"])
def test_golden_values(vector: dict[str, Any]) -> None:
    value, data = from_json(vector["value"]), bytes.fromhex(vector["hex"])
    assert pack(value) == data
    assert unpack(data, limit=len(data)) == value


@pytest.mark.parametrize("vector", BAD, ids=lambda v: v["name"])
def test_refused_octets(vector: dict[str, Any]) -> None:
    with pytest.raises(EncodingError):
        unpack(bytes.fromhex(vector["hex"]), limit=1000)


@given(values)
def test_what_is_packed_is_unpacked(value: Value) -> None:
    data = pack(value)
    again = unpack(data, limit=len(data))
    assert again == value
    assert repr(again) == repr(value)  # types too: 1 == True


@given(st.binary(max_size=64))
@example(b"\xdc\x00\x01\x00")
def test_arbitrary_octets_are_canonical_or_refused(data: bytes) -> None:
    try:
        value = unpack(data, limit=64)
    except EncodingError:
        return
    assert pack(value) == data


@given(values, st.data())
def test_a_changed_octet_never_gives_the_same_value(value: Value, data: st.DataObject) -> None:
    octets_ = bytearray(pack(value))
    octets_[data.draw(st.integers(0, len(octets_) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        changed = unpack(bytes(octets_), limit=len(octets_))
    except EncodingError:
        return
    assert repr(changed) != repr(value)


@pytest.mark.parametrize(
    "value",
    [
        *(True, None, 1.0, [1], {"a": 1}, bytearray(b"a"), memoryview(b"a"), (1, (None,))),
        *(2**64, -(2**63) - 1, "e\u0300", "a\nb", "\ud800", ((((((((),),),),),),),)),
        (0,) * 70_000,
    ],
    ids=lambda v: type(v).__name__ if isinstance(v, memoryview) else repr(v)[:20],
)
def test_pack_refuses_what_it_could_not_read_back(value: Any) -> None:
    with pytest.raises(EncodingError):
        pack(value)


def test_subclasses_are_refused() -> None:
    class Loud(str):
        __slots__ = ()

    with pytest.raises(EncodingError):
        pack(Loud("a"))


def test_bounds() -> None:
    data = pack((b"x" * 10, 1))
    assert unpack(data, limit=len(data))
    with pytest.raises(EncodingError):
        unpack(data, limit=len(data) - 1)
    with pytest.raises(EncodingError):
        unpack(data, limit=100, depth=0)
    with pytest.raises(EncodingError):
        unpack(data, limit=100, items=1)
    assert unpack(pack((0,) * encoding.MAX_ITEMS), limit=5000)
    with pytest.raises(EncodingError):
        unpack(pack((0,) * (encoding.MAX_ITEMS + 1)), limit=5000)
    with pytest.raises(EncodingError, match="more than 65536 items"):
        unpack(b"\xdc\x00\x42" + pack((0,) * 1000) * 66, limit=100_000)


def test_deep_nesting_is_refused_without_exhausting_the_stack() -> None:
    for data in (b"\x91" * 100_000, b"\x91" * 900 + b"\x90", b"\x81" * 100_000):
        with pytest.raises(EncodingError):
            unpack(data, limit=200_000)


def test_every_refused_character() -> None:
    """No character that some Unicode calls control, format, separator or private passes."""
    banned = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
    passed = [chr(i) for i in range(sys.maxunicode + 1) if unicodedata.category(chr(i)) in banned]
    passed = [c for c in passed if is_text(c)]
    assert passed == []


@pytest.mark.parametrize("name", ["Ada", "Élia", "O'Neill", "Anna Maria", "李", "x" * 32, "☺"])
def test_names(name: str) -> None:
    assert clean_text(name, 32) == name


@pytest.mark.parametrize(
    "name",
    [
        *("", " ", " a", "a ", "a  b", "a\u00a0b", "a\u3000b", "x" * 33, "a\tb", "\u0301a"),
        *("x\u0323\u0323\u0323", "a\u200bb", "a\u202eb", "a\x1b[31m", "\U0001f9e9"),
    ],
    ids=ascii,
)
def test_names_that_could_deceive(name: str) -> None:
    with pytest.raises(EncodingError):
        clean_text(name, 32)


def test_two_marks_in_a_row_are_a_name() -> None:
    assert clean_text("x\u0323\u0302", 32)


def test_readers_return_what_they_checked() -> None:
    assert integer(5, "n", 0, 5) == 5
    assert octets(b"ab", "o", 2) == b"ab"
    assert text("ab", "t", 1, 2) == "ab"
    assert array((1, 2), "a", 0, 2) == (1, 2)


@pytest.mark.parametrize(
    ("read", "message"),
    [
        (lambda: integer("5", "n"), "n: an integer expected, str found"),
        (lambda: integer(True, "n"), "n: an integer expected, bool found"),
        (lambda: integer(6, "n", 0, 5), r"n: 6 is not in 0\.\.5"),
        (lambda: octets("a", "o", 1), "o: octets expected, str found"),
        (lambda: octets(b"a", "o", 2), "o: 2 octets expected, 1 found"),
        (lambda: octets(b"abc", "o", 0, 2), "o: 0 to 2 octets expected, 3 found"),
        (lambda: text(b"a", "t", 1), "t: a string expected, bytes found"),
        (lambda: text("", "t", 1, 2), "t: 1 to 2 characters expected, 0 found"),
        (lambda: array(b"a", "a", 1), "a: an array expected, bytes found"),
        (lambda: array((1,), "a", 2), "a: 2 items expected, 1 found"),
    ],
)
def test_readers_say_what_they_expected(read: Any, message: str) -> None:
    with pytest.raises(EncodingError, match=message):
        read()
