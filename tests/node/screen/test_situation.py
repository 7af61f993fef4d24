"""The rules of the moment: every phase has some, and they are those that a refusal names."""

from __future__ import annotations

import functools
from collections import defaultdict
from dataclasses import replace

import pytest

from engine import registry
from engine.contract import Decide, Move
from engine.errors import IllegalMove
from engine.games import (
    briscola_position,
    mambassa_position,
    petrangola_position,
    picchetto_position,
    traversone_position,
)
from node.language import language
from node.rule_files import GENERAL, SOURCE, document, rules_of
from node.screen import situation
from node.screen.desk import Key, Ui, begin, press
from node.screen.paint import paint, settled
from node.screen.theme import ThemeName, theme
from node.screen.view import TableView
from node.screen.words import rule_words
from tests.node.screen.scenes import Table, scenes

EN = language("en")
PHASES = {
    "petrangola": petrangola_position.Phase,
    "mambassa": mambassa_position.Phase,
    "traversone": traversone_position.Phase,
    "picchetto": picchetto_position.Phase,
    "briscola": briscola_position.Phase,
}
MATCHES = (
    Table("petrangola", 3, 3),
    Table("petrangola", 4, 4, preset="marche"),
    Table("petrangola", 2, 5, preset="emilia"),
    Table("mambassa", 3, 1),
    Table("mambassa", 3, 2, hand="Ac Ad As Ab"),
    Table("traversone", 2, 1),
    Table("traversone", 3, 3),
    Table("traversone", 4, 2),
    Table("picchetto", 2, 1),
    Table("picchetto", 2, 2),
    Table("picchetto", 2, 3, me=1),
    Table("briscola", 2, 1),
    Table("briscola", 4, 2),
)


@functools.cache
def views(table: Table) -> tuple[TableView, ...]:
    """The beginning of a match."""
    found = []
    for view in scenes(table):
        found.append(view)
        if len(found) == 240:
            break
    return tuple(found)


def at_phase(table: Table, name: str) -> TableView:
    return next(view for view in views(table) if situation.phase(view.state) == name)


@pytest.mark.parametrize("name", registry.GAMES)
def test_every_phase_of_a_game_has_rules_of_that_game(name: str) -> None:
    own = rules_of(document(name, SOURCE))
    known = {*own, *rules_of(document(GENERAL, SOURCE))}
    told = situation.RULES[name]
    assert set(told) == {phase.name for phase in PHASES[name]}
    for text in (*told.values(), situation.ALWAYS[name]):
        rules = text.split()
        assert rules[0] in own
        assert set(rules) <= known


@pytest.mark.parametrize("table", MATCHES, ids=lambda t: f"{t.game}-{t.seats}-{t.seed}")
def test_whatever_happens_some_rules_are_shown_and_each_has_a_text(table: Table) -> None:
    for view in views(table):
        shown = situation.rules_now(view)
        assert shown
        assert len(set(shown)) == len(shown)
        assert all(rule_words(EN, rule) for rule in shown)


def refusals(view: TableView, moves: list[Move]) -> set[str]:
    """The rules by which the engine refuses what doesn't belong here."""
    found = set()
    for move in moves:
        try:
            view.state.apply(move)
        except IllegalMove as error:
            found.add(error.rule)
    return found


@pytest.mark.parametrize("table", MATCHES, ids=lambda t: f"{t.game}-{t.seats}-{t.seed}")
def test_the_rule_by_which_a_move_is_refused_is_among_those_shown(table: Table) -> None:
    """What the engine says when something wrong is tried is what F2 has to explain."""
    moves: dict[str, Move] = {}
    for view in views(table):
        for choice in view.choices.items[:12]:
            moves.setdefault(choice.word + str(len(choice.give)), choice.move)
        plays = [c for c in view.choices.items if c.word == "play"]
        moves.update({f"play{n}": choice.move for n, choice in enumerate(plays)})
    tried: defaultdict[str, set[str]] = defaultdict(set)
    for view in views(table):
        if isinstance(view.state.turn(), Decide):
            refused = refusals(view, list(moves.values()))
            tried[situation.phase(view.state)] |= refused
            assert refused <= set(situation.rules_now(view))
    assert any(tried.values())


def test_a_rule_that_an_option_switches_off_is_not_shown() -> None:
    off = at_phase(Table("petrangola", 2, 5, preset="emilia"), "PLAY")
    on = at_phase(Table("petrangola", 4, 4, preset="marche"), "PLAY")
    assert "PET-24" not in situation.rules_now(off)
    assert "PET-24" in situation.rules_now(on)
    assert situation.in_force(on.state, "PET-24") == ("show_petrangola_on_knock",)
    plain = at_phase(Table("picchetto", 2, 1), "ELDER")
    assert "PIC-15" not in situation.rules_now(plain)
    irregular = Table("picchetto", 2, 1, given=(("irregular_hands", "true"),))
    assert "PIC-15" in situation.rules_now(at_phase(irregular, "ELDER"))


def test_a_rule_for_so_many_players_is_shown_to_them_alone() -> None:
    shown = {
        seats: situation.rules_now(at_phase(Table("traversone", seats, 3), "SHUFFLE"))
        for seats in (2, 3, 4, 5)
    }
    for rule, seats in (("TRA-30", 2), ("TRA-31", 3), ("TRA-32", 5)):
        assert [n for n, rules in shown.items() if rule in rules] == [seats]


def test_what_is_most_pressing_stands_first() -> None:
    view = at_phase(Table("petrangola", 3, 3), "PLAY")
    assert situation.rules_now(view)[0] == "PET-21"
    knocked = replace(view, story=replace(view.story, dies_with=1))
    assert situation.rules_now(knocked)[0] == "PET-23"
    away = replace(view, around=replace(view.around, absent=(1,)))
    assert situation.rules_now(away)[0] == "GEN-02"


def test_paging_past_the_end_needs_no_paging_back() -> None:
    view = at_phase(Table("petrangola", 3, 3), "PLAY")
    look = theme(ThemeName.DARK)
    ui, _ = press(view, begin(view, Ui(seen=99)), Key.RULES)

    def pressed(ui: Ui, key: Key) -> Ui:
        ui, _ = press(view, ui, key)
        return settled(view, 60, 20, look, ui)

    for _ in range(40):
        ui = pressed(ui, Key.PAGE_DOWN)
    end = ui.scroll
    assert 10 < end < 200
    assert pressed(ui, Key.DOWN) == ui
    assert "↓" not in "\n".join(paint(view, 60, 20, look, ui).lines()[1:16])
    back = pressed(ui, Key.UP)
    assert back.scroll == end - 1
    assert "↓" in "\n".join(paint(view, 60, 20, look, back).lines()[1:17])


def test_a_short_text_does_not_scroll() -> None:
    view = at_phase(Table("petrangola", 3, 3), "PLAY")
    ui, _ = press(view, begin(view, Ui(seen=99)), Key.LEAVE)
    ui, _ = press(view, ui, Key.PAGE_DOWN)
    assert settled(view, 80, 24, theme(ThemeName.DARK), ui).scroll == 0


def test_a_rule_says_what_this_table_plays() -> None:
    view = at_phase(Table("petrangola", 4, 4, preset="marche"), "PLAY")
    ui, _ = press(view, begin(view, Ui(language="it", seen=99)), Key.RULES)
    text = "\n".join(paint(view, 120, 80, theme(ThemeName.DARK), ui).lines())
    assert "A questo tavolo: chi bussa mostra la petrangola: sì." in text
