"""A scene for every phase of every game: what is due, from whom, and what may be chosen.

Law: data, but for `stage`, which asks a view for those three. test_phases.py plays matches by
chance and fails where one comes to a stage that has no scene in the golden screens.
"""

from __future__ import annotations

from typing import Final

from engine.contract import Cards, Over
from node.screen.situation import phase
from node.screen.view import TableView
from tests.node.screen.scenes import Moment, Table

MINE: Final = "mine"
OTHERS: Final = "others'"
OVER: Final = "over"
Stage = tuple[str, str, str, str]
"""The game, its phase, who is to choose (or which cards are asked for), and what may be said."""

_LOW: Final = "7h 8h 9h Th 7d 8d 9d Td 7c 8c 9c As"
_ACES: Final = "Ac Ad As Ab"


def stage(view: TableView) -> Stage:
    """Where a view is."""
    turn = view.state.turn()
    kind = MINE if view.deciding else OTHERS
    if isinstance(turn, Cards):
        kind = type(turn.requests[0]).__name__.lower()
    elif isinstance(turn, Over):
        kind = OVER
    words = " ".join(sorted(view.choices.words))
    return (view.state.game.name, phase(view.state), kind, words)


def _scene(name: str, kind: str, table: Table, words: str = "") -> Moment:
    wanted = (table.game, name, kind, words)
    parts = [table.game, name.lower(), *words.split()]
    if kind != MINE:
        parts.append("waiting" if kind == OTHERS else kind)
    return Moment("-".join(parts), table, lambda view: stage(view) == wanted)


PHASES: Final = (
    _scene("DRAW", "draw", Table("briscola", 2, 1)),
    _scene("LOOK", "show", Table("briscola", 2, 1)),
    _scene("OPENING", "open", Table("briscola", 2, 1)),
    _scene("PLAY", OTHERS, Table("briscola", 2, 1)),
    _scene("REVEAL", "reveal", Table("briscola", 4, 1)),
    _scene("BOTTOM", OTHERS, Table("mambassa", 2, 1)),
    _scene("CHOOSE", OTHERS, Table("mambassa", 2, 1, me=1)),
    _scene("DRAW", "draw", Table("mambassa", 2, 1)),
    _scene("DRAWING", "show", Table("mambassa", 2, 1)),
    _scene("LOOK", "show", Table("mambassa", 2, 1)),
    _scene("OPENING", "open", Table("mambassa", 2, 1)),
    _scene("OVER", "over", Table("mambassa", 3, 2, hand=_ACES, holder=0)),
    _scene("PLAY", OTHERS, Table("mambassa", 2, 1)),
    _scene("RESEAL", "reseal", Table("mambassa", 2, 1)),
    _scene("SHOW", "open", Table("mambassa", 3, 2, hand=_ACES, holder=0)),
    _scene("STATEMENT", MINE, Table("mambassa", 2, 1, me=1), "none"),
    _scene("STATEMENT", OTHERS, Table("mambassa", 2, 1)),
    _scene("STATEMENTS", OTHERS, Table("mambassa", 3, 4, me=1, hand=_ACES, holder=0)),
    _scene("TURNUP", "open", Table("mambassa", 2, 1)),
    _scene("ASK", OTHERS, Table("petrangola", 4, 5, me=1)),
    _scene("CHOOSE", OTHERS, Table("petrangola", 2, 1, me=1)),
    _scene("DRAW", "draw", Table("petrangola", 2, 1)),
    _scene("LOOK", "show", Table("petrangola", 2, 1)),
    _scene("OPENING", "open", Table("petrangola", 2, 1)),
    _scene("PROVE", "open", Table("petrangola", 4, 16, preset="marche", prefers="knock-show")),
    _scene("SHOW", "open", Table("petrangola", 2, 4)),
    _scene("SHUFFLE", "shuffle", Table("petrangola", 2, 1)),
    _scene("TURNUP", "open", Table("petrangola", 2, 1)),
    _scene(
        "CHANGE", MINE, Table("picchetto", 2, 1, hand=_LOW, holder=0, prefers="bianca"), "change"
    ),
    _scene("CHANGE", OTHERS, Table("picchetto", 2, 2, hand=_LOW, holder=1, prefers="bianca")),
    _scene("CLAIM", MINE, Table("picchetto", 2, 1), "pass"),
    _scene("CLAIM", MINE, Table("picchetto", 2, 2, me=1), "pass sequence"),
    _scene("CLAIM", MINE, Table("picchetto", 2, 1), "pass set"),
    _scene("CLAIM", OTHERS, Table("picchetto", 2, 1, me=1)),
    _scene("COUNTER", MINE, Table("picchetto", 2, 6, me=1), "good"),
    _scene("COUNTER", MINE, Table("picchetto", 2, 4), "good how-much"),
    _scene(
        "COUNTER",
        MINE,
        Table("picchetto", 2, 2, hand=_LOW, holder=0, prefers="bianca"),
        "good how-much sequence",
    ),
    _scene("COUNTER", MINE, Table("picchetto", 2, 6, me=1), "good set"),
    _scene("COUNTER", MINE, Table("picchetto", 2, 5), "pass"),
    _scene("COUNTER", MINE, Table("picchetto", 2, 5), "pass point"),
    _scene("COUNTER", MINE, Table("picchetto", 2, 1, me=1), "pass sequence"),
    _scene("COUNTER", MINE, Table("picchetto", 2, 3, me=1), "pass set"),
    _scene("COUNTER", OTHERS, Table("picchetto", 2, 1)),
    _scene("DRAW", "draw", Table("picchetto", 2, 1)),
    _scene(
        "ELDER",
        MINE,
        Table("picchetto", 2, 1, hand=_LOW, holder=0, prefers="bianca"),
        "bianca change",
    ),
    _scene("ELDER", OTHERS, Table("picchetto", 2, 1, me=1)),
    _scene("FIX", MINE, Table("picchetto", 2, 2, hand=_LOW, holder=1, prefers="bianca"), "change"),
    _scene("FIX", OTHERS, Table("picchetto", 2, 1, hand=_LOW, holder=0, prefers="bianca")),
    _scene("OVER", "over", Table("picchetto", 2, 1)),
    _scene("PLAY", OTHERS, Table("picchetto", 2, 3, me=1)),
    _scene("PRODUCE", OTHERS, Table("picchetto", 2, 1)),
    _scene("REVEAL", "reveal", Table("picchetto", 2, 6)),
    _scene("SERVE", "open", Table("picchetto", 2, 1, hand=_LOW, holder=0, prefers="bianca")),
    _scene("SERVE", "reseal", Table("picchetto", 2, 1)),
    _scene("SERVE", "show", Table("picchetto", 2, 1)),
    _scene("STATE", MINE, Table("picchetto", 2, 2, me=1), "top"),
    _scene("STATE", OTHERS, Table("picchetto", 2, 2)),
    _scene(
        "VERDICT",
        MINE,
        Table("picchetto", 2, 1, me=1, hand=_LOW, holder=1, prefers="bianca"),
        "equal good",
    ),
    _scene("VERDICT", MINE, Table("picchetto", 2, 2), "good"),
    _scene(
        "VERDICT",
        MINE,
        Table("picchetto", 2, 2, hand=_LOW, holder=1, prefers="bianca"),
        "good not-good",
    ),
    _scene("VERDICT", OTHERS, Table("picchetto", 2, 2, me=1)),
    _scene("YOUNGER", OTHERS, Table("picchetto", 2, 1)),
    _scene("ASIDE", OTHERS, Table("traversone", 3, 1, me=1)),
    _scene("COUNT", "open", Table("traversone", 3, 1)),
    _scene("DRAW", "draw", Table("traversone", 2, 1)),
    _scene("DRAWING", "open", Table("traversone", 2, 1)),
    _scene("LOOK", "show", Table("traversone", 2, 1)),
    _scene("OPENING", "open", Table("traversone", 2, 1)),
    _scene("OVER", "over", Table("traversone", 2, 1)),
)
"""The stages that no other moment of the golden screens shows."""
