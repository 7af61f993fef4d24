"""Every moment of every game looks as its file says, and fits its window."""

from __future__ import annotations

import pytest

from engine import registry
from node.screen.cells import width
from node.screen.theme import ThemeName, suit_role
from tests.node.screen import golden
from tests.node.screen.golden import ASCII, FOLDER, IN_ASCII, MOMENTS
from tests.node.screen.scenes import Moment

OTHERS = dict(golden.others())


def read(name: str) -> str:
    return (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize("moment", MOMENTS, ids=lambda moment: moment.name)
def test_a_moment_looks_as_agreed(moment: Moment) -> None:
    assert golden.painted(moment) == read(moment.name)


@pytest.mark.parametrize("name", OTHERS)
def test_another_screen_looks_as_agreed(name: str) -> None:
    assert OTHERS[name] == read(name)


def test_there_is_no_file_too_many() -> None:
    names = {path.stem for path in FOLDER.glob("*.txt")}
    assert names == {moment.name for moment in MOMENTS} | set(OTHERS)


def test_every_game_and_every_theme_is_there() -> None:
    assert {moment.table.game for moment in MOMENTS} == set(registry.GAMES)
    assert {f"theme-{name.value}" for name in ThemeName} <= set(OTHERS)


def test_every_line_is_as_wide_as_its_window() -> None:
    for path in FOLDER.glob("*.txt"):
        if path.stem.startswith("theme-"):
            continue
        columns = 0
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("+"):
                columns = len(line)
            elif line.startswith("|"):
                assert width(line) == columns, f"{path.name}: {line}"


def test_the_fairness_line_is_always_there() -> None:
    for moment in MOMENTS:
        frames = read(moment.name).split("# ")[1:]
        assert len(frames) == len(golden.SIZES)
        for frame in frames:
            rows = [line for line in frame.splitlines() if line.startswith("|")]
            assert rows[-3].startswith(("|── ✓ ", "|── ! ")), moment.name


def test_ascii_is_ascii_in_every_game() -> None:
    assert read(ASCII).isascii()
    games = {moment.table.game for moment in MOMENTS if moment.name in IN_ASCII}
    assert games == set(registry.GAMES)
    assert all(f"# {name} 60x20 it" in read(ASCII) for name in IN_ASCII)


def test_no_colour_means_no_colour() -> None:
    assert "fg:" not in read("theme-none")
    assert "bg:" not in read("theme-none")
    assert "reverse" in read("theme-none")


@pytest.mark.parametrize(
    ("suits", "letter", "colour"),
    [
        ("cdsb", "c", "#d55e00"),
        ("cdsb", "d", "#f0e442"),
        ("cdsb", "s", "#56b4e9"),
        ("cdsb", "b", "#009e73"),
        ("dsbc", "c", "#d55e00"),
        ("hdcs", "h", "#d55e00"),
        ("hdcs", "d", "#f0e442"),
        ("hdcs", "s", "#56b4e9"),
        ("hdcs", "c", "#009e73"),
    ],
)
def test_the_suits_have_their_colours(suits: str, letter: str, colour: str) -> None:
    role = suit_role(suits, suits.index(letter))
    assert golden.DARK.look(role).ink == colour
    dim = suit_role(suits, suits.index(letter), dim=True)
    assert golden.DARK.look(dim).ink not in ("", colour)


def test_the_table_in_the_readme_is_one_of_them() -> None:
    """Whoever reads the front page sees what there is to see now."""
    readme = (FOLDER.parent.parent.parent / "README.md").read_text(encoding="utf-8")
    picture = readme.partition("## A table\n\n```\n")[2].partition("\n```\n")[0]
    frame = read("petrangola-picked").partition("# 80x24 en\n")[2].partition("\n\n")[0]
    rows = [line[1:-1].rstrip() for line in frame.splitlines() if line.startswith("|")]
    assert picture.splitlines() == rows
