"""The form of a new table painted: its fields, and an explanation of the one in focus.

Law: pure: a Form and a size become a grid; what is explained stands in the game's specs and in the
rules' texts.
"""

from __future__ import annotations

from typing import Final

from engine.options import specs, text_of
from node.language import Language, mark
from node.screen.cells import Grid, Span, clean, cut, width
from node.screen.lobby_page import (
    Edges,
    Over,
    Page,
    Rows,
    box,
    finish,
    indented,
    inner_width,
    keys_table,
    page,
    prose,
    too_small,
)
from node.screen.lobby_rules import rule_words, rules_rows
from node.screen.lobby_setup import (
    Field,
    Form,
    FormUi,
    Spot,
    game_of,
    own_preset,
    preset_options,
    presets,
    problem,
    shown_value,
    spot,
    spots,
)
from node.screen.lobby_terms import (
    differences,
    option_name,
    value_words,
)
from node.screen.paint import WIDE_FROM
from node.screen.scene import Area
from node.screen.theme import Role, Theme

_PANEL: Final = 5
"""Rows of explanation under the fields, where they don't stand beside them."""
_WIDE_PANEL: Final = 46
_COLUMN: Final = 44
"""Where the values begin, at most."""
_LABELS: Final = {
    Field.NAME: mark("name of the table"),
    Field.GAME: mark("game"),
    Field.PRESET: mark("house rules"),
    Field.SEATS: mark("seats"),
    Field.BOTS: mark("computer players"),
    Field.CODE: mark("only with a code"),
    Field.WATCHERS: mark("others may watch"),
    Field.HANDS: mark("ends after"),
    Field.TIMER: mark("time for a turn"),
    Field.PATIENCE: mark("waiting for who is gone"),
}
_WHY: Final = {
    Field.NAME: mark("So it is called in everybody's list."),
    Field.GAME: mark("Arrows left and right change it; F2 shows its rules."),
    Field.SEATS: mark("So many play. The match begins when all seats are taken and all are ready."),
    Field.BOTS: mark("They sit down at once. They run on this computer and the table says so."),
    Field.CODE: mark("A new code is made; only those whom you tell it get in."),
    Field.WATCHERS: mark("Who watches sees the open cards only, never a hand."),
    Field.HANDS: mark("The match ends after so many hands; 0: when the game's rules say so."),
    Field.TIMER: mark("After so many seconds the table asks what to do; 0: no limit."),
    Field.PATIENCE: mark(
        "So many seconds the table waits for somebody who can't be reached before it asks what to "
        "do; 0: 120."
    ),
}


def paint_setup(form: Form, columns: int, rows: int, theme: Theme, ui: FormUi) -> Grid:
    """The screen of `columns` x `rows` cells, in the language of `ui`."""
    p = page(columns, rows, theme, ui.language)
    if p is None:
        return too_small(columns, rows, theme, ui.language)
    here = spot(form, ui)
    if columns >= WIDE_FROM:
        beside = Area(columns - _WIDE_PANEL, 1, _WIDE_PANEL, p.area.height)
        fields = Area(0, 1, columns - _WIDE_PANEL, p.area.height)
        for row in range(beside.y, beside.bottom):
            p.grid.put(beside.x, row, "│", Role.RULE)
        panel = Area(beside.x + 2, beside.y, beside.width - 3, beside.height)
    else:
        fields = p.area.above(_PANEL + 1)
        p.grid.put(0, fields.bottom, "─" * columns, Role.RULE)
        panel = Area(2, fields.bottom + 1, columns - 4, _PANEL)
    _fields(p, fields, form, here)
    lines = explained(p.language, form, here, panel.width)
    for n, line in enumerate(lines[: panel.height]):
        p.grid.spans(panel.x, panel.y + n, line, panel.width)
    if len(lines) > panel.height:
        text = f" {p.text('F2 more')} "
        p.grid.put(panel.x + panel.width - width(text), panel.bottom - 1, text, Role.STRONG)
    _over(p, form, ui, here)
    return finish(p, _edges(p, form, ui))


def _edges(p: Page, form: Form, ui: FormUi) -> Edges:
    t = p.text
    if ui.over is not Over.NONE:
        hints = [t("Enter goes on"), t("↑↓ scroll")]
    elif ui.busy:
        hints = [t("The table is being opened.")]
    else:
        hints = [t("↑↓ choose"), t("←→ change"), t("Enter opens the table"), t("Esc goes back")]
    wrong = p.language.retold(problem(form))
    left = t("A table of your own")
    return Edges(
        left, game_of(form).title, hints, t("F1 help F2 rules F9 language F10 leave"), "", wrong
    )


# -- the fields -----------------------------------------------------------------------------------


def label(language: Language, here: Spot) -> str:
    """What a field is called."""
    return option_name(language, here) if isinstance(here, str) else language.text(_LABELS[here])


def value(language: Language, form: Form, here: Spot) -> str:
    """What was chosen in a field."""
    t = language.text
    match here:
        case str():
            return value_words(language, shown_value(form, here))
        case Field.NAME:
            return clean(form.name)
        case Field.GAME:
            return game_of(form).title
        case Field.PRESET:
            if not form.given:
                return form.preset
            more = language.count("{n} change", "{n} changes", len(form.given))
            return f"{form.preset}, {more}"
        case Field.SEATS | Field.BOTS:
            return str(getattr(form, here.value))
        case Field.CODE | Field.WATCHERS:
            return t("yes") if getattr(form, here.value) else t("no")
        case Field.HANDS:
            if not form.hands:
                return t("as the rules say")
            return language.count("{n} hand", "{n} hands", form.hands)
        case Field.TIMER:
            if not form.timer:
                return t("no limit")
            return language.count("{n} second", "{n} seconds", form.timer)
        case Field.PATIENCE:
            return language.count("{n} second", "{n} seconds", form.patience or 120)


def _fields(p: Page, area: Area, form: Form, here: Spot) -> None:
    found: list[Spot | None] = [*spots(form)]
    first_option = next((n for n, one in enumerate(found) if isinstance(one, str)), len(found))
    found.insert(first_option, None)
    at = found.index(here)
    column = max(32, min(_COLUMN, area.width - 24))
    first = max(0, min(at - area.height // 2, len(found) - area.height))
    for n, one in enumerate(found[first : first + area.height]):
        y = area.y + n
        if one is None:
            p.grid.put(1, y, p.text("house rules, one by one").upper(), Role.DIM)
            continue
        focus = one == here
        changed = isinstance(one, str) and one in dict(form.given)
        if focus:
            p.grid.put(1, y, "►", Role.STRONG)
        role = Role.STRONG if focus or changed else Role.TEXT
        p.grid.put(3, y, cut(label(p.language, one), column - 4), role)
        text = value(p.language, form, one)
        if focus and one is Field.NAME:
            text = f"{text}_"
        elif focus:
            text = f"◄ {text} ►"
        p.grid.put(column, y, cut(text, area.width - column - 2), role)
    if first > 0:
        p.grid.put(area.width - 2, area.y, "↑", Role.STRONG)
    if first + area.height < len(found):
        p.grid.put(area.width - 2, area.bottom - 1, "↓", Role.STRONG)


# -- explanations ---------------------------------------------------------------------------------


def explained(language: Language, form: Form, here: Spot, room: int) -> Rows:
    """What the field in focus is about."""
    if isinstance(here, str):
        rule = specs(game_of(form).options_type)[here].rule
        return [
            *prose(f"{here} = {shown_value(form, here)}", room, Role.DIM),
            *prose(rule_words(language, form.game, rule), room),
        ]
    if here is Field.PRESET:
        return compared(language, form, room)
    return prose(language.text(_WHY[here]), room)


def compared(language: Language, form: Form, room: int) -> Rows:
    """How the sets of house rules differ, option by option; the chosen one's value is strong."""
    found = {preset: preset_options(form, preset) for preset in presets(form)}
    rows: Rows = []
    mine = own_preset(form, form.preset)
    if mine is not None:
        told = language.text("{name} is a set of your own, from your settings; it is like {base}.")
        base = mine.base(game_of(form))
        rows += prose(told.format(name=mine.name, base=base), room)
    for name in differences([*found.values()]):
        rows += prose(option_name(language, name), room, Role.STRONG)
        line: list[Span] = [("  ", Role.TEXT)]
        used = 2
        for preset, options in found.items():
            text = value_words(language, text_of(options, name))
            piece = f"{preset} {text}"
            if used + width(piece) + 3 > room and used > 2:
                rows.append(line)
                line, used = [("  ", Role.TEXT)], 2
            role = Role.TEXT if preset == form.preset else Role.DIM
            line += [(piece, role), ("   ", Role.TEXT)]
            used += width(piece) + 3
        rows.append(line)
    return rows


# -- boxes ----------------------------------------------------------------------------------------


def _over(p: Page, form: Form, ui: FormUi, here: Spot) -> None:
    if ui.over is Over.NONE:
        return
    t = p.text
    room = inner_width(p.area)
    if ui.over is Over.NOTICE:
        title, rows = t("Please note"), prose(clean(p.language.retold(ui.notice)), room)
    elif ui.over is Over.HELP:
        title, rows = t("Keys"), _help(p, room)
    elif here is Field.PRESET or isinstance(here, str):
        title, rows = label(p.language, here), explained(p.language, form, here, room)
    else:
        title = t("The rules of {0}").format(game_of(form).title)
        rows = rules_rows(p.language, form.game, room)
    box(p, p.area, title, rows, scroll=ui.scroll)


def _help(p: Page, room: int) -> Rows:
    t = p.text
    keys = (
        ("↑ ↓", t("go through the fields")),
        ("← →", t("the next value, or the one before")),
        ("0-9", t("type a number")),
        (t("Enter"), t("open the table as it stands here")),
        ("Esc", t("back to the list of tables")),
        ("F2", t("the rules of the game; how its house rules differ")),
        ("F9", t("the other language, at once")),
        ("F10", t("leave")),
    )
    rows = keys_table(p, keys, room)
    return [*rows, [], *indented(t("What differs from the chosen house rules is bold."), room)]
