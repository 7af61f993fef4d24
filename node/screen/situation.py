"""What is going on at a table: the question to the reader, and the rules that matter just now.

Law: it asks the engine in which phase its state is and which options are in force, and keeps the
list of the rules about each; it must never know what a rule says, nor apply one. A rule that an
option switches off isn't shown where it is off.

    F2 while the monte is being exchanged:  PET-21 PET-22 PET-23 ..., PET-24 only where it is played
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Protocol, runtime_checkable

from engine.contract import State
from engine.options import specs, text_of
from node.language import Language, mark
from node.screen.view import TableView


@dataclass(frozen=True, slots=True)
class Situation:
    """A kind of decision: the words of its choices, and the question."""

    words: frozenset[str]
    question: str


def _case(words: str, question: str) -> Situation:
    return Situation(frozenset(words.split()), question)


SITUATIONS: Final = (
    _case("cut", mark("cut the deck")),
    _case("stay", mark("turn the monte up, or keep it?")),
    _case("reenter", mark("do you come back in?")),
    _case("bottom", mark("which card goes under the stock?")),
    _case("knock knock-show", mark("exchange, or knock")),
    _case("declare none", mark("do you declare your hand?")),
    _case("aside", mark("put a card aside")),
    _case("bianca change", mark("which cards do you put aside?")),
    _case("sum top", mark("what do you state?")),
    _case("good not-good how-much equal", mark("what do you answer?")),
    _case("point sequence set pass", mark("what do you declare?")),
    _case("show", mark("lay the cards of your claim open")),
    _case("play", mark("play a card")),
)


def situation(view: TableView) -> Situation | None:
    """What kind of decision is due from the reader; None if none is."""
    words = view.choices.words
    return next((case for case in SITUATIONS if case.words & words), None)


def question(language: Language, view: TableView) -> str:
    """What the reader is asked."""
    case = situation(view)
    if case is None:
        return ""
    text = language.text(case.question)
    if "knock" in case.words and view.story.dies_with >= 0:
        return language.text("{0}: your last turn").format(text)
    return text


# -- rules ----------------------------------------------------------------------------------------

ALWAYS: Final = {
    "petrangola": "PET-20 PET-22 PET-25 PET-30 PET-31 PET-40",
    "mambassa": "MAM-06 MAM-11 MAM-30 MAM-31",
    "traversone": "TRA-03 TRA-10 TRA-11 TRA-12",
    "picchetto": "PIC-21 PIC-22 PIC-23 PIC-31 PIC-33",
    "briscola": "BRI-06 BRI-01 BRI-07",
}
"""The heart of each game: what is shown where the engine tells no phase."""

_PET_TURN: Final = "PET-21 PET-22 PET-23 PET-24 PET-20 PET-26 PET-30 PET-31 PET-62"
_PET_END: Final = "PET-25 PET-30 PET-31 PET-33 PET-34 PET-36 PET-40 PET-41 PET-42 PET-43 PET-44"
_MAM_TURN: Final = "MAM-10 MAM-11 MAM-12 MAM-31 MAM-20 MAM-06"
_MAM_UNDER: Final = "MAM-10 MAM-12 MAM-13 MAM-14"
_MAM_SAID: Final = "MAM-32 MAM-31 MAM-20"
_MAM_END: Final = "MAM-20 MAM-21 MAM-22 MAM-23 MAM-30 MAM-31 MAM-33 GEN-01"
_TRA_PLAY: Final = "TRA-03 TRA-04 TRA-34 TRA-01 TRA-30 TRA-10 TRA-13 TRA-11 TRA-12"
_TRA_COUNT: Final = "TRA-10 TRA-13 TRA-11 TRA-12 TRA-31 TRA-20 TRA-21 TRA-23 GEN-01"
_PIC_CHANGE: Final = "PIC-11 PIC-15 PIC-12 PIC-13 PIC-14 PIC-10 PIC-22 PIC-23"
_PIC_TALK: Final = "PIC-20 PIC-21 PIC-22 PIC-23 PIC-26 PIC-24 PIC-25"
_PIC_PLAY: Final = "PIC-30 PIC-36 PIC-31 PIC-32 PIC-35 PIC-33 PIC-34 PIC-40"
_BRI_PLAY: Final = "BRI-06 BRI-01 BRI-07 BRI-08"

RULES: Final[Mapping[str, Mapping[str, str]]] = {
    "petrangola": {
        "DRAW": "PET-04 PET-01 PET-02 PET-03",
        "CUT": "PET-06 PET-05 CARD-06",
        "SHUFFLE": "PET-10 PET-05 CARD-06 GEN-03",
        "LOOK": "PET-10 PET-11 PET-12",
        "CHOOSE": "PET-11 PET-12 PET-13 PET-14",
        "TURNUP": "PET-11 PET-13 PET-14 PET-20",
        "PLAY": _PET_TURN,
        "OPENING": _PET_TURN,
        "PROVE": f"PET-24 {_PET_TURN}",
        "SHOW": _PET_END,
        "REVEAL": f"{_PET_END} PET-45 PET-46 PET-47 PET-61 GEN-01",
        "ASK": "PET-50 PET-51 PET-52 PET-53",
        "OVER": "PET-60 PET-45 PET-46 PET-03",
    },
    "mambassa": {
        "DRAW": "MAM-03 MAM-01 MAM-02",
        "SHUFFLE": "MAM-04 MAM-05 MAM-06 CARD-06 GEN-03",
        "LOOK": "MAM-04 MAM-05 MAM-06",
        "CHOOSE": "MAM-04 MAM-06",
        "TURNUP": "MAM-04 MAM-05 MAM-06 MAM-32",
        "STATEMENTS": _MAM_SAID,
        "PLAY": _MAM_TURN,
        "OPENING": _MAM_TURN,
        "STATEMENT": _MAM_SAID,
        "RESEAL": _MAM_UNDER,
        "BOTTOM": _MAM_UNDER,
        "DRAWING": _MAM_UNDER,
        "SHOW": _MAM_END,
        "REVEAL": _MAM_END,
        "OVER": "MAM-33 MAM-02",
    },
    "traversone": {
        "DRAW": "TRA-33 TRA-01",
        "SHUFFLE": "TRA-02 TRA-30 TRA-31 TRA-32 TRA-20 TRA-22 CARD-06 GEN-03",
        "LOOK": "TRA-02 TRA-30 TRA-31 TRA-32",
        "ASIDE": "TRA-31 TRA-34 TRA-10 TRA-13",
        "PLAY": _TRA_PLAY,
        "OPENING": _TRA_PLAY,
        "DRAWING": f"TRA-30 {_TRA_PLAY}",
        "COUNT": _TRA_COUNT,
        "REVEAL": _TRA_COUNT,
        "OVER": "TRA-20 TRA-21 TRA-22 TRA-23",
    },
    "picchetto": {
        "DRAW": "PIC-02 PIC-01",
        "SHUFFLE": "PIC-03 PIC-50 PIC-40 CARD-06 GEN-03",
        "SERVE": "PIC-03 PIC-14 PIC-10 PIC-12 PIC-13",
        "ELDER": _PIC_CHANGE,
        "FIX": f"PIC-10 {_PIC_CHANGE}",
        "CHANGE": f"PIC-10 {_PIC_CHANGE}",
        "YOUNGER": f"PIC-13 {_PIC_CHANGE}",
        "CLAIM": _PIC_TALK,
        "COUNTER": _PIC_TALK,
        "STATE": "PIC-21 PIC-22 PIC-26 PIC-20",
        "VERDICT": "PIC-21 PIC-22 PIC-26 PIC-20",
        "PRODUCE": "PIC-26 PIC-21 PIC-22 PIC-23 PIC-27",
        "PLAY": _PIC_PLAY,
        "REVEAL": "PIC-40 PIC-32 PIC-33 PIC-34 PIC-35 PIC-50 PIC-20 GEN-01",
        "OVER": "PIC-40 PIC-41 PIC-50 PIC-51 PIC-52",
    },
    "briscola": {
        "DRAW": "BRI-03 BRI-02",
        "SHUFFLE": "BRI-04 BRI-02 BRI-10 CARD-06 GEN-03",
        "LOOK": "BRI-04 BRI-05 BRI-02",
        "PLAY": _BRI_PLAY,
        "OPENING": _BRI_PLAY,
        "DRAWING": f"BRI-07 {_BRI_PLAY}",
        "REVEAL": "BRI-08 BRI-01 BRI-09 BRI-10 GEN-01",
        "OVER": "BRI-10 BRI-11",
    },
}
"""By game and phase: what matters most stands first."""

_LAST_TURNS: Final = "PET-23"
"""What stands first once somebody has knocked, in the games with a monte."""
_OFF: Final[Mapping[str, tuple[str, str]]] = {
    "PET-14": ("open_after_dealer_swap", "false"),
    "PET-24": ("show_petrangola_on_knock", "false"),
    "PET-26": ("max_rounds", "0"),
    "PET-36": ("equal_petrangole_last_loses", "false"),
    "PET-42": ("aces_bonus", "0"),
    "TRA-13": ("ace_of_bastoni", "false"),
    "PIC-15": ("irregular_hands", "false"),
    "PIC-35": ("trick_scoring", "battuta_presa"),
    "PIC-40": ("mode", "rubicone"),
    "PIC-50": ("mode", "target"),
    "PIC-51": ("mode", "target"),
    "PIC-52": ("mode", "target"),
}
"""Rules that an option's value puts out of force."""
_TABLES: Final[Mapping[str, int]] = {"TRA-30": 2, "TRA-31": 3, "TRA-32": 5}
"""Rules for one number of players."""


@runtime_checkable
class _Phased(Protocol):
    """A state that tells in which phase of its game it is."""

    @property
    def phase(self) -> Enum: ...


def phase(state: State) -> str:
    """The name of the phase that the engine is in; "" if a game has none."""
    return state.phase.name if isinstance(state, _Phased) else ""


def rules_now(view: TableView) -> tuple[str, ...]:
    """The identifiers of the rules about what is happening now, the nearest first."""
    state = view.state
    name = state.game.name
    known = RULES.get(name, {}).get(_told(state), ALWAYS.get(name, "")).split()
    if view.around.absent:
        known.insert(0, "GEN-02")
    if view.story.dies_with >= 0 and _LAST_TURNS in known:
        known.insert(0, _LAST_TURNS)
    return tuple(dict.fromkeys(rule for rule in known if _holds(state, rule)))


def _told(state: State) -> str:
    """The phase, or what the cards that are being served lead to."""
    found = phase(state)
    if found == "SERVE":
        aim = getattr(getattr(state, "wait", None), "aim", None)
        return _AIMS.get(getattr(aim, "name", ""), found)
    return found


_AIMS: Final = {
    "ELDER": "SERVE",
    "WHITE_ELDER": "FIX",
    "CHANGE": "CHANGE",
    "YOUNGER": "YOUNGER",
    "WHITE_YOUNGER": "YOUNGER",
    "TALK": "CLAIM",
    "PRODUCED": "PRODUCE",
    "LAID": "PLAY",
}
"""Picchetto: what the cards that are being served lead to."""


def _holds(state: State, rule: str) -> bool:
    """Whether the table plays by the rule."""
    if len(state.players) != _TABLES.get(rule, len(state.players)):
        return False
    option, value = _OFF.get(rule, ("", ""))
    return not option or text_of(state.options, option) != value


def in_force(state: State, rule: str) -> tuple[str, ...]:
    """The options that the rule leaves to the table."""
    options: Any = state.options
    return tuple(name for name, spec in specs(type(options)).items() if spec.rule == rule)
