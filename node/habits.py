"""What a player usually wants of a table of its own: its sets of house rules, which one, the times.

    OwnPreset("casa", "petrangola", "marche", (("tokens", "5"),))

is marche with five tokens. Law: pure values from somebody's settings and what a game makes of them.
No name of an own set is ever sent: the others hear of its options. It must never know a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from engine.contract import Game
from engine.errors import OptionError
from engine.options import Value, make, specs, text_of
from node.language import ENGLISH, Language


@dataclass(frozen=True, slots=True)
class OwnPreset:
    """House rules under a name of the player's: those of `like` ("": the game's usual ones), but
    for the options `given`, as name and text."""

    name: str
    game: str
    like: str = ""
    given: tuple[tuple[str, str], ...] = ()

    def base(self, game: Game) -> str:
        """The built-in set that it is like."""
        return self.like or game.default_preset


@dataclass(frozen=True, slots=True)
class Habits:
    """What a new table is to begin with.

    own       the player's own sets of house rules
    usual     game and set: what is played there if nothing else is said
    timer     seconds for a turn, 0: no limit
    patience  seconds that who is gone is waited for, 0: as usual
    """

    own: tuple[OwnPreset, ...] = ()
    usual: tuple[tuple[str, str], ...] = ()
    timer: int = 0
    patience: int = 0

    def preset(self, game: Game) -> str:
        """The set that a table of `game` begins with."""
        return dict(self.usual).get(game.name, game.default_preset)


NO_HABITS: Final = Habits()


def own_of(game: Game, own: Iterable[OwnPreset]) -> dict[str, OwnPreset]:
    """The player's own sets of house rules for `game`, by name."""
    return {one.name: one for one in own if one.game == game.name}


def presets_of(game: Game, own: Iterable[OwnPreset] = ()) -> dict[str, Mapping[str, Value]]:
    """All sets of house rules for `game`, the built-in ones first: name -> the values of options,
    those of defaults perhaps left out.

    OptionError: an own one is like none that there is, hides one, or can't be.
    """
    found = dict(game.presets)
    for one in own_of(game, own).values():
        if one.name in game.presets:
            raise OptionError(f"{game.name} has a preset '{one.name}' already")
        like = game.presets.get(one.base(game))
        if like is None:
            raise no_preset(game, one.like, game.presets)
        options: Any = make(game.options_type, like, one.given)
        found[one.name] = {name: getattr(options, name) for name in specs(game.options_type)}
    return found


def no_preset(game: Game, preset: str, known: Iterable[str]) -> OptionError:
    """That a game has no such set of house rules, and which ones it has."""
    text = f"{game.name} has no preset '{preset[:40]}'; there are: {', '.join(known)}"
    return OptionError(text)


def preset_lines(
    game: Game, own: Iterable[OwnPreset], usual: str, *, language: Language = ENGLISH
) -> list[str]:
    """Each set of house rules and how it differs: a built-in one from the usual one of the game,
    an own one from what it is like. OptionError as `presets_of`."""
    t = language.text
    mine = own_of(game, own)
    found: dict[str, Any] = {
        name: make(game.options_type, values) for name, values in presets_of(game, own).items()
    }
    lines = []
    for name, options in found.items():
        base = mine[name].base(game) if name in mine else game.default_preset
        changed = ", ".join(
            f"{option} = {text_of(options, option)}"
            for option in specs(game.options_type)
            if getattr(options, option) != getattr(found[base], option)
        )
        head = t("{name} (yours)").format(name=name) if name in mine else name
        if name == usual:
            head = t("{name}, played unless you say otherwise").format(name=head)
        told = t("{head}: as {base}, but {changed}") if changed else t("{head}: as {base}")
        lines.append(head if base == name else told.format(head=head, base=base, changed=changed))
    return lines
