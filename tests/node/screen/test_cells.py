"""Cells: nothing lands outside, wide characters shift nothing, names can't steer a terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wcwidth import wcwidth

from node.screen.cells import Grid, clean, cut, fill, width, wrap
from node.screen.theme import Role

TEXT = st.text(st.characters(codec="utf-8"), max_size=40)
ROOM = st.integers(0, 30)


@given(TEXT, ROOM)
def test_a_cut_text_fits(text: str, room: int) -> None:
    assert width(cut(clean(text), room)) <= room


@given(TEXT, ROOM)
def test_a_filled_text_fits_exactly(text: str, room: int) -> None:
    assert width(fill(clean(text), room)) == room


@given(TEXT, st.integers(1, 30))
def test_wrapped_lines_fit(text: str, room: int) -> None:
    assert all(width(line) <= room for line in wrap(clean(text), room))


@given(st.text("ab cd", max_size=60), st.integers(5, 30))
def test_wrapping_loses_no_word(text: str, room: int) -> None:
    assert "".join(wrap(text, room)).replace(" ", "") == text.replace(" ", "")


@given(st.lists(st.tuples(st.integers(-5, 25), st.integers(-2, 4), TEXT), max_size=8))
def test_no_row_ever_changes_its_width(puts: list[tuple[int, int, str]]) -> None:
    grid = Grid(20, 3)
    for x, y, text in puts:
        grid.put(x, y, clean(text), Role.STRONG)
        for row in grid.rows:
            assert len(row) == 20
            assert sum(width(cell) for cell in row) == 20


def test_half_of_a_wide_character_is_never_left() -> None:
    grid = Grid(6, 1)
    grid.put(0, 0, "日本語")
    grid.put(1, 0, "x")
    assert grid.lines() == [" x本語"]
    grid.put(3, 0, "y")
    assert grid.lines() == [" x y語"]


def test_a_wide_character_that_does_not_fit_is_left_out() -> None:
    grid = Grid(3, 1)
    assert grid.put(0, 0, "日本") == 2
    assert grid.lines() == ["日 "]


@given(TEXT)
def test_what_is_clean_steers_no_terminal(text: str) -> None:
    kept = clean(text)
    assert all(wcwidth(c) >= 0 for c in kept)
    assert not set(kept) & set("\x1b\x07\n\r\t\u202e\u2066\u200f\u200b\ufeff")


@pytest.mark.parametrize("name", ["\x1b[31mAda", "Ada\u202e", "\u2066Ada\u2069", "A\u200bda\x07"])
def test_names_are_stripped(name: str) -> None:
    assert clean(name).replace("[31m", "") == "Ada"


def test_runs_are_the_row() -> None:
    grid = Grid(5, 1)
    grid.put(1, 0, "ab", Role.STRONG)
    assert list(grid.runs(0)) == [(" ", Role.TEXT), ("ab", Role.STRONG), ("  ", Role.TEXT)]
