"""The pages around a table look as their files say, fit their windows and stay harmless."""

from __future__ import annotations

import pytest

from node.screen.cells import width
from node.screen.lobby_paint import paint_lobby
from node.screen.theme import ThemeName, theme
from tests.node.screen import lobby_golden
from tests.node.screen.golden import SIZES
from tests.node.screen.lobby_golden import COMPANY, DARK, FOLDER, PLAIN, grids

CONTENTS = lobby_golden.contents()


def read(name: str) -> str:
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CONTENTS)
def test_a_page_looks_as_agreed(name: str) -> None:
    assert CONTENTS[name] == read(name)


def test_there_is_no_file_too_many() -> None:
    assert {path.stem for path in FOLDER.glob("*.txt")} == set(CONTENTS)


@pytest.mark.parametrize("size", [*SIZES, (200, 60, "it")])
def test_every_line_is_as_wide_as_its_window(size: tuple[int, int, str]) -> None:
    columns, rows, code = size
    for name, grid in grids(columns, rows, code, DARK):
        assert len(grid.lines()) == rows, name
        assert {width(line) for line in grid.lines()} == {columns}, name


@pytest.mark.parametrize("size", SIZES)
def test_nothing_of_a_stranger_steers_the_terminal(size: tuple[int, int, str]) -> None:
    for name, grid in grids(*size, DARK):
        text = "".join(grid.lines())
        assert "\x1b" not in text, name
        assert "\u202e" not in text, name


def test_ascii_is_ascii() -> None:
    for _, grid in grids(80, 24, "it", PLAIN):
        assert "".join(grid.lines()).isascii()


def test_the_fairness_line_is_there_but_on_the_invitation() -> None:
    for name, grid in grids(80, 24, "en", DARK):
        row = grid.lines()[-3]
        assert row.startswith(("── ✓ ", "── ! ")) or name == "lobby-invite", name


def test_a_window_that_is_too_small_says_so() -> None:
    for _, grid in grids(59, 20, "en", DARK):
        assert "This window is too small: 60 columns and 20 rows" in grid.lines()[0]


@pytest.mark.parametrize("name", ThemeName)
def test_a_qr_code_is_light_on_dark_in_every_theme(name: ThemeName) -> None:
    look = theme(name)
    ui = lobby_golden.room_ui(COMPANY, ("i",), "en")
    grid = paint_lobby(COMPANY, 80, 24, look, ui)
    assert grid.rows[0][1] == "█"
    shown = look.look(grid.roles[0][1])
    if shown.ink:
        assert brightness(shown.ink) > brightness(shown.ground) + 0.4
    else:
        assert not shown.reverse


def brightness(colour: str) -> float:
    """From 0, black, to 1."""
    return sum(int(colour[at : at + 2], 16) for at in (1, 3, 5)) / 765
