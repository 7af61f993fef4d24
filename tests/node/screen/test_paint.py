"""Painting, whatever comes: any moment of any match, any window, any name."""

from __future__ import annotations

import functools
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import UNKNOWN
from engine.contract import Decide, Note
from node.language import CODES
from node.screen.cells import Grid, clean, width
from node.screen.desk import Dialog, Key, Ui, begin, items, press
from node.screen.paint import MIN_HEIGHT, MIN_WIDTH, asciified, fits, paint, paint_waiting
from node.screen.story import Story, Told
from node.screen.theme import ThemeName, theme
from node.screen.view import SPECTATOR, Line, Surroundings, TableView, look
from tests.engine.table import Dealer, at_random, next_input
from tests.node.screen.scenes import Table, ends, scenes

TABLES = (
    Table("petrangola", 5, 4),
    Table("petrangola", 2, 7, given=(("decks", "3"),)),
    Table("mambassa", 4, 4, given=(("deck", "french40"),)),
    Table("picchetto", 2, 8, given=(("deck", "regional32"), ("irregular_hands", "true"))),
    Table("traversone", 3, 6, me=2),
    Table("briscola", 4, 6, me=SPECTATOR),
)


@functools.cache
def views(table: Table) -> tuple[TableView, ...]:
    """The beginning of a match."""
    found = []
    for view in scenes(table):
        found.append(view)
        if len(found) == 150:
            break
    return tuple(found)


def is_whole(grid: Grid, columns: int, rows: int) -> bool:
    """Every row takes exactly the window's columns."""
    return len(grid.rows) == rows and all(
        len(row) == columns and sum(width(cell) for cell in row) == columns for row in grid.rows
    )


NAME = st.text(max_size=30).map(clean)


@settings(max_examples=150)
@given(
    st.sampled_from(TABLES),
    st.integers(0, 149),
    st.tuples(st.integers(1, 160), st.integers(1, 60)),
    st.lists(st.sampled_from([*Key, "1", "2", "3", "5", "9", "0"]), max_size=6),
    st.sampled_from(CODES),
    st.lists(NAME, min_size=5, max_size=5),
)
def test_no_window_no_name_and_no_key_breaks_a_row(  # noqa: PLR0917 - each a strategy of its own
    table: Table, at: int, size: tuple[int, int], keys: list[str], code: str, names: list[str]
) -> None:
    columns, rows = size
    seen = views(table)
    view = seen[min(at, len(seen) - 1)]
    chat = tuple(Line(name, " ".join(names)) for name in names)
    seats = tuple(replace(seat, name=names[seat.seat % 5]) for seat in view.seats)
    around = replace(view.around, title=names[0], chat=chat, can_chat=True)
    view = replace(view, seats=seats, around=around)
    ui = begin(view, Ui(language=code))
    for key in keys:
        ui, _ = press(view, ui, key)
    for unicode in (True, False):
        grid = paint(view, columns, rows, theme(ThemeName.DARK, unicode=unicode), ui)
        assert is_whole(grid, columns, rows)
        assert unicode or all(line.isascii() for line in grid.lines())


@pytest.mark.parametrize("table", TABLES, ids=lambda table: f"{table.game}-{table.seats}")
def test_what_the_engine_hides_is_not_in_a_view(table: Table) -> None:
    """Only the reader's own cards and those that lie open have a face."""
    for view in views(table):
        state = view.state
        if not state.faces:
            continue
        mask = state.opened if table.me == SPECTATOR else state.visible(table.me)
        for slot, face in enumerate(state.faces):
            assert face == UNKNOWN or mask >> slot & 1
        for seat in view.seats:
            pile = next(
                (p for p in state.piles() if p.name == "hand" and p.seat == seat.seat), None
            )
            if pile is not None:
                assert sorted(seat.cards) == sorted(state.faces[slot] for slot in pile.slots)


def test_running_numbers_are_the_games_own() -> None:
    for name, seats in (("briscola", 3), ("picchetto", 2)):
        for view in scenes(Table(name, seats, 3)):
            state: Any = view.state
            if not state.faces or view.story.hand != state.hand:
                continue
            points = state.points() if callable(state.points) else state.points
            for seat, worth in zip(state.players, points, strict=True):
                assert view.story.running[seat] == worth
            if ends(view):
                break


def test_tricks_are_told_as_they_were_played() -> None:
    for view in scenes(Table("traversone", 4, 5)):
        if not ends(view):
            continue
        assert len(view.story.tricks) == 10
        piles = {p.seat: set(p.slots) for p in view.state.piles() if p.name == "won"}
        for trick in view.story.tricks:
            assert len({seat for seat, _ in trick.laid}) == 4
            assert {slot for _, slot in trick.laid} <= piles[trick.taker]
        for before, after in zip(view.story.tricks, view.story.tricks[1:], strict=False):
            assert after.laid[0][0] == before.taker
        return


def test_moves_are_told_with_the_cards_that_came_out() -> None:
    """A played card is named as soon as it is open, though it was hidden when it was chosen."""
    for view in scenes(Table("traversone", 4, 5)):
        texts = [told.text for told in view.story.happenings if told.kind is Told.MOVE]
        state: Any = view.state
        if state.phase.name == "PLAY" and texts:
            assert "??" not in texts
        if ends(view):
            return


def test_a_story_keeps_no_more_than_it_may() -> None:
    table = Table("briscola", 2, 1)
    dealer, choose = Dealer(Random(1), live=True), at_random(Random(2))
    state, story = table.start(), Story()
    for _ in range(900):
        given = next_input(state, dealer, choose)
        if given is None:
            break
        after = state.apply(given)
        story = story.told(state, given, after, after.notes)
        state = after
    assert len(story.happenings) <= 400


def test_small_windows_say_what_they_need() -> None:
    assert fits(MIN_WIDTH, MIN_HEIGHT)
    assert not fits(MIN_WIDTH - 1, MIN_HEIGHT)
    assert not fits(MIN_WIDTH, MIN_HEIGHT - 1)
    text = "\n".join(paint_waiting(59, 20, theme(ThemeName.DARK), "en").lines())
    assert "60 columns and 20 rows" in text


def test_what_has_no_ascii_form_becomes_a_question_mark() -> None:
    grid = Grid(6, 1)
    grid.put(0, 0, "è日本─●")
    assert asciified(grid).lines() == ["e? ? -"]


@pytest.mark.parametrize("key", [Key.HELP, Key.RULES, Key.LOG, Key.LEAVE])
def test_every_dialog_scrolls_no_further_than_its_end(key: Key) -> None:
    view = views(TABLES[0])[60]
    ui, _ = press(view, begin(view, Ui(seen=99)), key)
    assert ui.dialog is not Dialog.NONE
    if key is Key.LEAVE:
        return
    for _ in range(300):
        ui, _ = press(view, ui, Key.DOWN)
    grid = paint(view, 60, 20, theme(ThemeName.DARK), ui)
    assert "↓" not in "\n".join(grid.lines()[:-2])


def test_an_answer_that_several_give_at_once_is_asked_of_each() -> None:
    view = next(v for v in scenes(Table("mambassa", 3, 1)) if v.choices.asked)
    assert items(view)
    assert not isinstance(view.state.turn(), Decide)


def test_surroundings_are_enough_to_look() -> None:
    state = Table("petrangola", 2, 1).start()
    view = look(state, 0, Story(), Surroundings(("A", "B")))
    assert [seat.name for seat in view.seats] == ["B", "A"]
    assert not view.deciding
    assert view.dealing


def test_a_choice_that_was_made_is_not_offered_again() -> None:
    view = next(v for v in scenes(Table("petrangola", 4, 2)) if v.deciding)
    assert look(view.state, view.me, view.story, view.around).deciding
    assert not look(view.state, view.me, view.story, view.around, answered=True).deciding


@pytest.mark.parametrize(
    "table",
    [
        Table("picchetto", 2, 3),
        Table("picchetto", 2, 4),
        Table("picchetto", 2, 11, given=(("trick_scoring", "two_per_trick"),)),
        Table("briscola", 3, 3),
        Table("traversone", 3, 3),
    ],
    ids=str,
)
def test_a_ledger_adds_up_to_what_the_hand_brought(table: Table) -> None:
    """Whatever is counted on the way stands under its kind, a bonus apart from what reached it."""
    for view in scenes(table):
        for seat, ledger in enumerate(view.story.ledgers):
            assert sum(entry.amount for entry in ledger) == view.story.running[seat]
            for entry in ledger:
                assert entry.amount >= 0 < entry.times
                if entry.kind in {"leads", "last-trick"}:
                    assert entry.amount == entry.times
                if entry.kind in {"novanta", "sessanta"}:
                    assert entry.amount == {"novanta": 60, "sessanta": 30}[entry.kind]
                if entry.kind in {"cards", "cappotto"}:
                    assert entry.amount == {"cards": 10, "cappotto": 40}[entry.kind]


@pytest.mark.parametrize(
    ("notes", "amounts"),
    [
        ([("leads", 60), ("sessanta", 60, 30)], [("leads", 1), ("sessanta", 30)]),
        ([("novanta", 92, 60), ("counts-set", 3, 92)], [("novanta", 60), ("counts-set", 3)]),
        (
            [("takes", 29), ("sessanta", 60, 30), ("last-trick", 60)],
            [("takes", 0), ("sessanta", 30), ("last-trick", 1)],
        ),
    ],
)
def test_a_bonus_is_told_apart_from_what_reached_it(
    notes: list[tuple[Any, ...]], amounts: list[tuple[str, int]]
) -> None:
    state = next(v.state for v in scenes(Table("picchetto", 2, 1)) if v.deciding)
    story = Story(hand=state.hand, running=(29, 0), ledgers=((), ()))
    told = tuple(Note(kind, 0, values) for kind, *rest in notes for values in [tuple(rest)])
    after = story._counted(state, told)
    assert [(entry.kind, entry.amount) for entry in after.ledgers[0]] == amounts
    assert after.running[0] == 29 + sum(amount for _, amount in amounts)


def test_what_was_told_is_gone_from_the_table_once_a_trick_was_played() -> None:
    """The deal is told in the line under the cards as long as the first trick lies there."""
    shown = {}
    for view in views(Table("briscola", 4, 6, me=SPECTATOR)):
        if view.trick.laid and view.state.hand == 1:
            grid = paint(view, 60, 20, theme(ThemeName.DARK), Ui())
            key = (len(view.story.tricks), len(view.trick.laid))
            shown[key] = any("Turned up: " in line for line in grid.lines())
    assert shown[0, 1]
    assert not any(told for (tricks, _), told in shown.items() if tricks > 1)
    assert len(shown) > 8
