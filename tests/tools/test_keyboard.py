"""What is typed: lines of bounded length from any octets, to whoever listens at the time."""

from __future__ import annotations

import io
import queue
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.keyboard import MAX_LINE, Keyboard, Lines


def cut(*chunks: bytes) -> list[str]:
    lines = Lines("utf-8")
    return [line for chunk in (*chunks, b"") for line in lines.take(chunk)]


@pytest.mark.parametrize(
    ("chunks", "lines"),
    [
        ((b"ready\n",), ["ready"]),
        ((b"rea", b"dy\nst", b"art\n"), ["ready", "start"]),
        ((b"a\r\nb\rc\n",), ["a", "b", "c"]),
        ((b"no end",), ["no end"]),
        ((b"\n\n",), ["", ""]),
        ((b"\xff\xfe\n",), ["\ufffd\ufffd"]),
        ((b"perch\xc3", b"\xa9\n"), ["perché"]),
        ((b"x" * 5_000, b"y" * 5_000, b"\nz\n"), ["x" * MAX_LINE, "z"]),
    ],
)
def test_octets_become_lines(chunks: tuple[bytes, ...], lines: list[str]) -> None:
    assert cut(*chunks) == lines


@given(st.lists(st.binary(max_size=3_000), max_size=8))
def test_a_line_is_never_longer_than_its_bound(chunks: Iterable[bytes]) -> None:
    lines = Lines("utf-8")
    for chunk in chunks:
        for line in lines.take(chunk):
            assert len(line) <= MAX_LINE
            assert "\n" not in line


def typed(text: str) -> Keyboard:
    return Keyboard(io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8"))


def test_lines_go_to_whoever_listens_and_wait_for_it() -> None:
    keyboard = typed("one\ntwo\n")
    first: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    keyboard.to(first.put)
    keyboard.start()
    assert [first.get(timeout=10) for _ in range(3)] == ["one", "two", None]
    second: list[str | None] = []
    keyboard.to(None)
    keyboard.back("two")
    keyboard.back(None)
    assert not second
    keyboard.to(second.append)
    assert second == ["two", None]


def test_a_stream_that_is_closed_is_a_keyboard_without_anybody() -> None:
    stream = io.TextIOWrapper(io.BytesIO(b"x\n"), encoding="utf-8")
    stream.close()
    heard: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    keyboard = Keyboard(stream)
    keyboard.to(heard.put)
    keyboard.start()
    assert heard.get(timeout=10) is None
