"""The Linux console, whose suits stay apart and whose glyphs are there; a window that is small."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from node.language import CODES, language
from node.screen.cells import width
from node.screen.console import GLYPHS, console_output, few_colours
from node.screen.lobby_page import too_small
from node.screen.paint import paint_waiting
from node.screen.theme import SUITS, Role, ThemeName, theme
from tests.node.screen.terminal import Paper

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
PICTURES = "☺☻♥♦♣♠•◘○◙♂♀♪♫☼►◄↕‼¶§▬↨↑↓→←∟↔▲▼"
FONT = set(bytes(range(32, 256)).decode("cp437") + PICTURES)
"""What a console's font has: the glyphs of code page 437."""
COLOURED = [name for name in ThemeName if name is not ThemeName.NONE]


@pytest.mark.parametrize("name", COLOURED)
def test_suits_stay_apart_and_everything_can_be_read(name: ThemeName) -> None:
    few = few_colours(theme(name))
    inks = [few.look(role).ink for role in SUITS]
    assert len(set(inks)) == len(SUITS)
    for role in Role:
        look = few.look(role)
        assert look.ink.startswith("ansi"), role
        assert look.ground.startswith("ansi"), role
        assert look.ink != look.ground, role
    dim = [few.look(role) for role in (Role.RED_DIM, Role.GOLD_DIM, Role.BLUE_DIM, Role.GREEN_DIM)]
    for one, other in combinations([few.look(role) for role in SUITS], 2):
        assert one != other
    for strong, weak in zip([few.look(role) for role in SUITS], dim, strict=True):
        assert strong != weak


def test_no_colours_stay_none() -> None:
    none = theme(ThemeName.NONE)
    assert few_colours(none) is none


def test_a_glyph_is_replaced_by_one_as_wide_that_the_console_has() -> None:
    for lacking, has in GLYPHS.items():
        assert chr(lacking) not in FONT
        assert chr(has) in FONT
        assert width(chr(lacking)) == width(chr(has)) == 1


def test_all_signs_of_the_screens_are_in_the_font() -> None:
    """But for names of people, in which any letter may stand."""
    painted = {c for path in GOLDEN.glob("*/*.txt") for c in path.read_text("utf-8")}
    signs = {c for c in painted if not c.isalpha() and not c.isspace()}
    lacking = {c for c in "".join(signs).translate(GLYPHS) if c not in FONT}
    assert {c for c in lacking if width(c) == 1} <= {"\u0301"}


def test_what_is_sent_has_only_its_glyphs() -> None:
    paper = Paper()
    output = console_output(paper, "linux")
    output.write("╭─╮ ✓ ● “Cucina” …")
    output.write_raw("\x1b[0m")
    output.flush()
    assert paper.getvalue() == '┌─┐ √ • "Cucina" .\x1b[0m'


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(("columns", "rows"), [(40, 10), (59, 19), (20, 12)])
def test_a_window_that_is_too_small_says_so_whole(code: str, columns: int, rows: int) -> None:
    t = language(code).text
    wanted = t("This window is too small: {0} columns and {1} rows are needed.").format(60, 20)
    way = t("Make it larger, or leave with F10 and play with --plain.")
    for grid in (
        paint_waiting(columns, rows, theme(ThemeName.DARK), code),
        too_small(columns, rows, theme(ThemeName.DARK), code),
    ):
        said = " ".join(" ".join(grid.lines()).split())
        assert said == f"{wanted} {way}"
