"""Terminals of few colours and few glyphs: the Linux console, and what is like it.

Law: from a theme to one of the sixteen colours that such a terminal has, and from the signs that
are painted to those that its font has, cell for cell. Nothing else knows that such terminals exist.
It must never know a card.

Left to themselves the suits would fall together: the sixteen colour nearest to the sky blue of
swords is that of the clubs' green. The console's font has the glyphs of code page 437 for sure:
square corners and no check mark.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final, TextIO

from prompt_toolkit.output.vt100 import Vt100_Output

from node.screen.theme import SUITS, Look, Role, Theme, ThemeName

GLYPHS: Final = str.maketrans("╭╮╰╯✓●“”…–—’×", '┌┐└┘√•"".--\'x')
"""What the console's font lacks -> what it has, each one cell wide."""
_DIM: Final = (Role.RED_DIM, Role.GOLD_DIM, Role.BLUE_DIM, Role.GREEN_DIM)
_BRIGHT: Final = ("ansibrightred", "ansibrightyellow", "ansibrightcyan", "ansibrightgreen")
_DARK: Final = ("ansired", "ansiyellow", "ansiblue", "ansigreen")
_SOFT: Final = ("ansired", "ansiyellow", "ansicyan", "ansigreen")


def few_colours(theme: Theme) -> Theme:
    """The theme in the sixteen colours of a console; one without colours is itself."""
    if theme.name is ThemeName.NONE:
        return theme
    light = theme.name is ThemeName.LIGHT
    ground, ink, bar = ("ansigray", "ansiblack", "ansiblack") if light else (
        "ansiblack", "ansigray", "ansigray",
    )  # fmt: skip
    bar_ink = "ansigray" if light else "ansiblack"
    inks = {
        Role.DIM: "ansibrightblack",
        Role.RULE: "ansibrightblack",
        Role.BACK: "ansiblue" if light else "ansibrightblue",
        Role.FAIR: "ansigreen",
        Role.WARN: "ansired" if light else "ansibrightred",
        **dict(zip(SUITS, _DARK if light else _BRIGHT, strict=True)),
        **dict(zip(_DIM, _DARK if light else _SOFT, strict=True)),
    }
    looks = []
    for role in Role:
        look = theme.look(role)
        if role in (Role.BAR, Role.TURN, Role.CHOSEN):
            looks.append(replace(look, ink=bar_ink, ground=bar, bold=False))
        elif role in (*SUITS, *_DIM):
            # Bold is another colour there, not another weight.
            looks.append(Look(inks[role], ground, underline=role in SUITS and light))
        else:
            looks.append(replace(look, ink=inks.get(role, ink), ground=ground))
    return replace(theme, looks=tuple(looks))


class ConsoleOutput(Vt100_Output):
    """A terminal that is sent only glyphs that a console has."""

    def write(self, data: str) -> None:
        """Send text, its glyphs replaced."""
        super().write(data.translate(GLYPHS))


def console_output(stdout: TextIO, term: str) -> ConsoleOutput:
    """The output to a console at `stdout`."""
    output = ConsoleOutput.from_pty(stdout, term=term)
    if not isinstance(output, ConsoleOutput):  # which its declaration leaves open
        raise TypeError(type(output).__name__)
    return output
