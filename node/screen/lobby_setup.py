"""A table about to be opened: what can be chosen, and what keys do to it.

Law: pure; the game's own specs say what is allowed, and `problem` asks the game. It must never know
how anything looks. A form is always complete: Enter opens the table wherever the focus is. It
begins with what the player is used to (`Habits`), whose own house rules are offered beside the
built-in ones.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

from engine import registry
from engine.contract import Game
from engine.errors import EngineError
from engine.options import Spec, make, specs, text_of
from node.habits import NO_HABITS, Habits, OwnPreset, own_of, presets_of
from node.language import following
from node.lobby import Offer
from node.screen.desk import Key
from node.screen.lobby_page import SCROLLS, Over, edited, scrolled
from protocol.encoding import clean_text
from protocol.errors import EncodingError
from protocol.messages import MAX_NAME

SEATS: Final = 4
MAX_HANDS: Final = 10_000
MAX_SECONDS: Final = 86_400
_TIMES: Final = (0, 15, 30, 60, 90, 120, 180, 300, 600)
"""Seconds that the arrows go through; any number can be typed."""


class Field(Enum):
    """What is chosen besides the game's options."""

    NAME = "name"
    GAME = "game"
    PRESET = "preset"
    SEATS = "seats"
    BOTS = "bots"
    CODE = "code"
    WATCHERS = "watchers"
    HANDS = "hands"
    TIMER = "timer"
    PATIENCE = "patience"


Spot = Field | str
"""A field, or the name of an option."""


@dataclass(frozen=True, slots=True)
class Form:
    """What was chosen. `given` are the options that were changed, as name and text; `wanted` the
    seats that were asked for, as many of which there are as the game allows."""

    name: str
    game: str = registry.DEFAULT
    preset: str = ""
    given: tuple[tuple[str, str], ...] = ()
    seats: int = SEATS
    wanted: int = SEATS
    bots: int = 0
    code: bool = False
    watchers: bool = True
    hands: int = 0
    timer: int = 0
    patience: int = 0
    habits: Habits = NO_HABITS


@dataclass(frozen=True, slots=True)
class Plan:
    """A table to open: the offer, the computer players to bring along, whether it has a code."""

    offer: Offer
    bots: int = 0
    code: bool = False


@dataclass(frozen=True, slots=True)
class FormUi:
    """Where the reader stands; `typed` the digits typed so far for the number in focus."""

    language: str = "en"
    at: int = 0
    typed: str = ""
    over: Over = Over.NONE
    scroll: int = 0
    notice: str = ""
    busy: bool = False


class Want(Enum):
    """Effects without a value."""

    BACK = "back"
    LEAVE = "leave"


Effect = Plan | Want


def begin(name: str, habits: Habits = NO_HABITS) -> Form:
    """The form that is filled in already."""
    form = Form(name, timer=habits.timer, patience=habits.patience, habits=habits)
    return with_game(form, registry.DEFAULT)


def game_of(form: Form) -> Game:
    """The game that was chosen."""
    return registry.get(form.game)


def with_game(form: Form, name: str) -> Form:
    """The form for another game: its usual rules, as many seats as before where they can be."""
    game = registry.get(name)
    seats = max(game.min_seats, min(game.max_seats, form.wanted))
    bots = min(form.bots, seats - 1)
    preset = form.habits.preset(game)
    return replace(form, game=name, preset=preset, given=(), seats=seats, bots=bots)


def presets(form: Form) -> tuple[str, ...]:
    """The sets of house rules that can be chosen, the player's own last."""
    return tuple(presets_of(game_of(form), form.habits.own))


def preset_options(form: Form, preset: str = "") -> Any:
    """The options of a set of house rules, by default of the chosen one."""
    game = game_of(form)
    values = presets_of(game, form.habits.own)[preset or form.preset]
    return make(game.options_type, values)


def own_preset(form: Form, preset: str) -> OwnPreset | None:
    """What the player has set down under that name; None for a built-in set."""
    return own_of(game_of(form), form.habits.own).get(preset)


def options_of(form: Form) -> Any:
    """The game's options. OptionError: they contradict each other."""
    game = game_of(form)
    values = presets_of(game, form.habits.own)[form.preset]
    return make(game.options_type, values, form.given)


def shown_value(form: Form, name: str) -> str:
    """The text of an option, whatever the others are."""
    changed = dict(form.given)
    return changed[name] if name in changed else text_of(preset_options(form), name)


def spots(form: Form) -> tuple[Spot, ...]:
    """All that can be chosen, from the top."""
    game = game_of(form)
    fields = [field for field in Field if field is not Field.PRESET or len(presets(form)) > 1]
    return (*fields, *specs(game.options_type))


def spot(form: Form, ui: FormUi) -> Spot:
    """What is in focus."""
    found = spots(form)
    return found[min(ui.at, len(found) - 1)]


def plan(form: Form) -> Plan:
    """The table. OptionError, EncodingError: it can't be."""
    offer = Offer(
        game_of(form),
        options_of(form),
        form.seats,
        form.hands,
        name=clean_text(form.name, MAX_NAME),
        watchers=form.watchers,
        patience=form.patience,
        timer=form.timer,
    )
    offer.check()
    return Plan(offer, form.bots, form.code)


def problem(form: Form) -> str:
    """Why the table can't be opened so, as the game says it; "" if it can."""
    try:
        plan(form)
    except (EngineError, EncodingError) as error:
        return str(error)
    return ""


# -- keys -----------------------------------------------------------------------------------------


def press(form: Form, ui: FormUi, key: str) -> tuple[Form, FormUi, Effect | None]:
    """What `key` leads to."""
    if key == Key.LANGUAGE:
        return form, replace(ui, language=following(ui.language)), None
    if key in (Key.LEAVE, Key.INTERRUPT):
        return form, ui, Want.LEAVE
    if ui.over is not Over.NONE:
        return form, _in_box(ui, key), None
    if ui.busy:
        return form, ui, None
    if key in (Key.HELP, Key.RULES):
        over = Over.HELP if key == Key.HELP else Over.RULES
        return form, replace(ui, over=over, scroll=0), None
    if key == Key.ESCAPE:
        return form, ui, Want.BACK
    if key == Key.ENTER:
        wrong = problem(form)
        if wrong:
            return form, told(ui, wrong), None
        return form, replace(ui, busy=True), plan(form)
    return (*_choose(form, ui, key), None)


def told(ui: FormUi, notice: str) -> FormUi:
    """Tell why the table can't be opened."""
    return replace(ui, over=Over.NOTICE, notice=notice, scroll=0, busy=False)


def _in_box(ui: FormUi, key: str) -> FormUi:
    if key in SCROLLS:
        return replace(ui, scroll=scrolled(ui.scroll, key))
    if key in (Key.ENTER, Key.ESCAPE, Key.SPACE, Key.HELP, Key.RULES):
        return replace(ui, over=Over.NONE, notice="")
    return ui


def _choose(form: Form, ui: FormUi, key: str) -> tuple[Form, FormUi]:
    found = spots(form)
    here = spot(form, ui)
    steps = {Key.UP: -1, Key.DOWN: 1, Key.TAB: 1, Key.PAGE_UP: -8, Key.PAGE_DOWN: 8}
    if key in steps:
        at = found.index(here) + steps[Key(key)]
        at = at % len(found) if abs(steps[Key(key)]) == 1 else max(0, min(len(found) - 1, at))
        return form, replace(ui, at=at, typed="")
    if key in (Key.LEFT, Key.RIGHT) or (key == Key.SPACE and here is not Field.NAME):
        return _step(form, here, -1 if key == Key.LEFT else 1), replace(ui, typed="")
    if here is Field.NAME:
        return replace(form, name=edited(form.name, key, MAX_NAME)), ui
    return _typed(form, ui, here, key)


def _turn(words: tuple[str, ...], now: str, step: int) -> str:
    return words[(words.index(now) + step) % len(words)]


def _step(form: Form, here: Spot, step: int) -> Form:
    """The next value, or the one before."""
    match here:
        case str():
            return _option(form, here, step)
        case Field.GAME:
            return with_game(form, _turn(tuple(registry.GAMES), form.game, step))
        case Field.PRESET:
            return replace(form, preset=_turn(presets(form), form.preset, step), given=())
        case Field.CODE:
            return replace(form, code=not form.code)
        case Field.WATCHERS:
            return replace(form, watchers=not form.watchers)
        case Field.TIMER | Field.PATIENCE:
            return _number(form, here, _time(getattr(form, here.value), step))
        case Field.SEATS | Field.BOTS | Field.HANDS:
            return _number(form, here, getattr(form, here.value) + step)
    return form


def _time(now: int, step: int) -> int:
    """The next usual time after `now`, or the one before."""
    if step > 0:
        return next((time for time in _TIMES if time > now), now)
    return next((time for time in reversed(_TIMES) if time < now), 0)


def _bounds(form: Form, here: Field) -> tuple[int, int]:
    """The least and the greatest number of a field."""
    game = game_of(form)
    match here:
        case Field.SEATS:
            return game.min_seats, game.max_seats
        case Field.BOTS:
            return 0, form.seats - 1
        case Field.HANDS:
            return 0, MAX_HANDS
    return 0, MAX_SECONDS


def _number(form: Form, here: Field, value: int) -> Form:
    low, high = _bounds(form, here)
    value = max(low, min(high, value))
    match here:
        case Field.SEATS:
            return replace(form, seats=value, wanted=value, bots=min(form.bots, value - 1))
        case Field.BOTS:
            return replace(form, bots=value)
        case Field.HANDS:
            return replace(form, hands=value)
        case Field.TIMER:
            return replace(form, timer=value)
        case Field.PATIENCE:
            return replace(form, patience=value)
    return form


def values(spec: Spec) -> tuple[str, ...]:
    """The values of an option that the arrows go through; () for a plain number."""
    if isinstance(spec.default, bool):
        return ("false", "true")
    return spec.choices


def _option(form: Form, name: str, step: int) -> Form:
    spec = specs(game_of(form).options_type)[name]
    now = shown_value(form, name)
    words = values(spec)
    if words:
        return _with(form, name, _turn(words, now, step))
    named = tuple(word for word, _ in spec.words)
    if now in named:
        text = str(spec.low) if step > 0 else now
    elif int(now) + step < spec.low and named:
        text = named[0]
    else:
        text = str(max(spec.low, min(spec.high, int(now) + step)))
    return _with(form, name, text)


def _with(form: Form, name: str, text: str) -> Form:
    """The form with an option changed; one that is as in the preset is no change."""
    given = {**dict(form.given), name: text}
    if text_of(preset_options(form), name) == text:
        del given[name]
    return replace(form, given=tuple(given.items()))


def _typed(form: Form, ui: FormUi, here: Spot, key: str) -> tuple[Form, FormUi]:
    """A digit of a number in focus."""
    if isinstance(here, str):
        spec = specs(game_of(form).options_type)[here]
        if values(spec):
            return form, ui
        low, high = spec.low, spec.high
    elif here in (Field.SEATS, Field.BOTS, Field.HANDS, Field.TIMER, Field.PATIENCE):
        low, high = _bounds(form, here)
    else:
        return form, ui
    if not (len(key) == 1 and key in "0123456789"):
        return form, ui
    for digits in (ui.typed + key, key):
        if int(digits) <= high:
            ui = replace(ui, typed=digits)
            if int(digits) < low:
                return form, ui
            if isinstance(here, str):
                return _with(form, here, str(int(digits))), ui
            return _number(form, here, int(digits)), ui
    return form, ui
