"""How the parts of the screen look: what a role is, and the colours that a theme gives it.

Law: this file knows roles and colours. It must never know cards or tables. Colour never says
anything alone: a selection has a double border, a suit its letter, whose turn it is a mark.

The suits' colours are told apart by people who don't see red, green or blue as others do: cups
(hearts) vermilion, coins (diamonds) yellow, swords (spades) sky blue, clubs (of both decks) green.
On a light ground each is darkened until it can be read.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final


class Role(IntEnum):
    """What a cell is for."""

    TEXT = 0
    DIM = 1
    STRONG = 2
    BAR = 3
    TURN = 4
    """It is somebody's turn: the mark that must not be overlooked."""
    RED = 5
    GOLD = 6
    BLUE = 7
    GREEN = 8
    RED_DIM = 9
    GOLD_DIM = 10
    BLUE_DIM = 11
    GREEN_DIM = 12
    BACK = 13
    """The back of a card."""
    EDGE = 14
    """The border of a card."""
    PICKED = 15
    """The border of a selected card."""
    NUMBER = 16
    CHOSEN = 17
    """A number or a button that is selected."""
    FAIR = 18
    WARN = 19
    NAME = 20
    RULE = 21
    """Lines between the parts of the screen."""


SUITS: Final = (Role.RED, Role.GOLD, Role.BLUE, Role.GREEN)
_DIM_SUITS: Final = {
    Role.RED: Role.RED_DIM,
    Role.GOLD: Role.GOLD_DIM,
    Role.BLUE: Role.BLUE_DIM,
    Role.GREEN: Role.GREEN_DIM,
}
_ITALIAN: Final = {"c": Role.RED, "d": Role.GOLD, "s": Role.BLUE, "b": Role.GREEN}
_FRENCH: Final = {"h": Role.RED, "d": Role.GOLD, "s": Role.BLUE, "c": Role.GREEN}


def suit_role(suits: str, suit: int, dim: bool = False) -> Role:
    """The role of the `suit`-th of a deck's suits, which are written `suits`."""
    role = (_FRENCH if "h" in suits else _ITALIAN)[suits[suit]]
    return _DIM_SUITS[role] if dim else role


@dataclass(frozen=True, slots=True)
class Look:
    """What a terminal is told: colours as `#rrggbb` ("" leaves the terminal's own)."""

    ink: str = ""
    ground: str = ""
    bold: bool = False
    dim: bool = False
    underline: bool = False
    reverse: bool = False

    @property
    def style(self) -> str:
        """As prompt_toolkit writes it."""
        words = [f"fg:{self.ink}"] if self.ink else []
        words += [f"bg:{self.ground}"] if self.ground else []
        words += [
            name for name in ("bold", "dim", "underline", "reverse") if getattr(self, name) is True
        ]
        return " ".join(words)


class ThemeName(StrEnum):
    """The themes, in the order in which they are offered."""

    DARK = "dark"
    LIGHT = "light"
    SAFE = "safe"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Theme:
    """A look for each role. `unicode`: box characters and signs, else ASCII only."""

    name: ThemeName
    looks: tuple[Look, ...]
    unicode: bool = True

    def look(self, role: Role) -> Look:
        """How a role looks."""
        return self.looks[role]


@dataclass(frozen=True, slots=True)
class _Palette:
    ground: str
    ink: str
    faint: str
    bar_ground: str
    bar_ink: str
    suits: tuple[str, str, str, str]
    faint_suits: tuple[str, str, str, str]
    back: str
    good: str
    bad: str


_PALETTES: Final[Mapping[ThemeName, _Palette]] = {
    ThemeName.DARK: _Palette(
        *("#14171c", "#d8d8d8", "#8b8f97", "#d8d8d8", "#14171c"),
        ("#d55e00", "#f0e442", "#56b4e9", "#009e73"),
        ("#8f5a35", "#8e8a4c", "#567d95", "#3d7361"),
        *("#7f7fa6", "#5fbf7f", "#ff9f5f"),
    ),
    ThemeName.LIGHT: _Palette(
        *("#fdf6e3", "#2b2b2b", "#6e6a5e", "#3a3a3a", "#fdf6e3"),
        ("#a84300", "#7a6500", "#005f99", "#006b4e"),
        ("#b58a6c", "#a1966a", "#7a9cb4", "#74a596"),
        *("#7a7aa0", "#1f6b35", "#a84300"),
    ),
    ThemeName.SAFE: _Palette(
        *("#000000", "#ffffff", "#a8a8a8", "#ffffff", "#000000"),
        ("#d55e00", "#f0e442", "#56b4e9", "#009e73"),
        ("#a65a24", "#a8a150", "#6a97b3", "#4a8f78"),
        *("#9a9ac0", "#56b4e9", "#f0e442"),
    ),
}


def _coloured(p: _Palette) -> tuple[Look, ...]:
    plain = Look(p.ink, p.ground)
    faint = Look(p.faint, p.ground)
    strong = Look(p.ink, p.ground, bold=True)
    looks = {
        Role.TEXT: plain,
        Role.DIM: faint,
        Role.STRONG: strong,
        Role.BAR: Look(p.bar_ink, p.bar_ground),
        Role.TURN: Look(p.bar_ink, p.bar_ground, bold=True),
        Role.BACK: Look(p.back, p.ground),
        Role.EDGE: plain,
        Role.PICKED: strong,
        Role.NUMBER: plain,
        Role.CHOSEN: Look(p.bar_ink, p.bar_ground, bold=True),
        Role.FAIR: Look(p.good, p.ground),
        Role.WARN: Look(p.bad, p.ground, bold=True),
        Role.NAME: strong,
        Role.RULE: faint,
    }
    for role, ink, pale in zip(SUITS, p.suits, p.faint_suits, strict=True):
        looks[role] = Look(ink, p.ground, bold=True)
        looks[_DIM_SUITS[role]] = Look(pale, p.ground)
    return tuple(looks[role] for role in Role)


def _colourless() -> tuple[Look, ...]:
    special = {
        Role.DIM: Look(dim=True),
        Role.STRONG: Look(bold=True),
        Role.BAR: Look(reverse=True),
        Role.TURN: Look(reverse=True, bold=True),
        Role.PICKED: Look(bold=True),
        Role.CHOSEN: Look(reverse=True, bold=True),
        Role.WARN: Look(bold=True, underline=True),
        Role.NAME: Look(bold=True),
        Role.RULE: Look(dim=True),
        Role.BACK: Look(dim=True),
        **dict.fromkeys(SUITS, Look(bold=True)),
        **dict.fromkeys(_DIM_SUITS.values(), Look(dim=True)),
    }
    return tuple(special.get(role, Look()) for role in Role)


def theme(name: ThemeName, *, unicode: bool = True) -> Theme:
    """The theme `name`; without `unicode` nothing but ASCII is painted."""
    palette = _PALETTES.get(name)
    return Theme(name, _coloured(palette) if palette else _colourless(), unicode)
