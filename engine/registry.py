"""The games, by name. A game is one file in `engine/games/` and one line here.

A file is imported when its game is asked for, so that a command that needs one game, or none,
starts fast.
"""

from __future__ import annotations

import importlib

from engine.contract import Game
from engine.errors import OptionError

GAMES = {
    "petrangola": "engine.games.petrangola",
    "mambassa": "engine.games.mambassa",
    "traversone": "engine.games.traversone",
    "briscola": "engine.games.briscola",
    "picchetto": "engine.games.picchetto",
}
DEFAULT = "petrangola"


def get(name: str) -> Game:
    """The game called `name`; OptionError with the names there are if there is none."""
    module = GAMES.get(name)
    if module is None:
        raise OptionError(f"there is no game '{name[:40]}'; there are: {', '.join(GAMES)}")
    game = importlib.import_module(module).GAME
    if not isinstance(game, Game):
        raise TypeError(f"{module}.GAME is no Game")
    return game
