"""What the screen makes of a session's notices: whole matches, silence, decisions of the table."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

import pytest

from engine.cards import UNKNOWN
from node.language import CODES, language
from node.notices import Started
from node.screen import words
from node.screen.desk import Ui, begin
from node.screen.hearing import Hearing
from node.screen.paint import paint
from node.screen.story import Told
from node.screen.theme import ThemeName, theme
from node.waiting import Absent, Waiting
from protocol.contribution import Kind
from protocol.table_events import Advanced, Outgoing
from tests.protocol.ring import Ring
from tests.protocol.test_absence import finished, waiting


@functools.cache
def heard(game: str, seats: int) -> Hearing:
    """What seat 0 heard of a whole match of one hand."""
    hearing = Hearing()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        ring = Ring(Path(name), seats, game=game, hands=1)
        hearing.hear(Started(ring.tables[0], 0, Path(name)))

        def hear(seat: int, event: object) -> None:
            if seat == 0 and not isinstance(event, Outgoing):
                hearing.hear(event)

        ring.on_event = hear
        ring.run()
        ring.close()
    hearing.read()
    return hearing


def _shuffles(told: list[Advanced], seat: int, event: object) -> None:
    if seat == 0 and isinstance(event, Advanced):
        told += [event] if event.step.entries[0].kind is Kind.SHUFFLE else []


def test_a_match_that_is_taken_up_again_knows_who_shuffled(tmp_path: Path) -> None:
    live = heard("traversone", 2).memory
    ring = Ring(tmp_path, 2, game="traversone", hands=1)
    told: list[Advanced] = []
    ring.on_event = lambda seat, event: _shuffles(told, seat, event)
    ring.run()
    late = Hearing()
    late.hear(Started(ring.tables[0], 0, tmp_path))
    for event in told:  # that were on their way while the log was read
        late.hear(event)
    ring.close()
    late.read()
    assert late.memory.shuffles == live.shuffles
    assert len(late.memory.shuffles) == 2


GAMES = (
    ("petrangola", 2),
    ("mambassa", 2),
    ("traversone", 2),
    ("picchetto", 2),
    ("briscola", 2),
)


@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_a_whole_match_is_remembered(game: str, seats: int) -> None:
    memory = heard(game, seats).memory
    assert memory.finished
    assert memory.audited == 1
    assert len(memory.shuffles) == seats
    assert memory.warnings == ()
    view = memory.look()
    assert view is not None
    assert view.result is not None
    result = view.story.result
    assert result is not None
    assert result.checked
    assert {row.seat for row in result.rows} == set(range(seats))
    assert [row.after for row in sorted(result.rows, key=lambda r: r.seat)] == list(
        view.state.scores()
    )
    if view.state.game.hands_compare:
        assert all(UNKNOWN not in row.faces for row in result.rows)
        assert all(row.worth is not None and row.rank for row in result.rows)


@pytest.mark.parametrize(("game", "seats"), GAMES)
def test_everything_that_happened_is_told_in_every_language(game: str, seats: int) -> None:
    memory = heard(game, seats).memory
    view = memory.look()
    assert view is not None
    for code in CODES:
        for told in memory.story.happenings:
            text = words.happened(language(code), view, told)
            assert "{" not in text
            if told.kind is Told.NOTE:
                assert text.strip(), told.note


def test_who_shuffled_is_named_with_the_entry_of_the_log() -> None:
    memory = heard("petrangola", 2).memory
    assert memory.position is not None
    names = [seat.name for seat in memory.position.header.seats]
    assert sorted(name for name, _ in memory.shuffles) == sorted(names)
    steps = [step for _, step in memory.shuffles]
    assert steps == sorted(set(steps))


def test_a_seat_that_is_gone_is_left_out_by_a_decision_that_is_told() -> None:
    hearing = Hearing()
    with waiting(Kind.SHARES) as (ring, gone):
        me = ring.present()[0]
        hearing.hear(Started(ring.tables[me], me, Path("x")))
        for event in ring.events[me]:
            if not isinstance(event, Outgoing):
                hearing.hear(event)
        hearing.read()

        def hear(seat: int, event: object) -> None:
            if seat == me and not isinstance(event, Outgoing):
                hearing.hear(event)

        ring.on_event = hear
        name = ring.header.header.labels[gone]
        hearing.hear(Waiting((gone,), (gone,), 60.0))
        hearing.hear(Absent((gone,)))
        hearing.read()
        view = hearing.memory.look()
        assert view is not None
        assert [view.seat(n).name for n in view.around.question] == [name]
        assert [view.seat(n).name for n in view.around.absent] == [name]
        ring.vote()
        hearing.read()
        kinds = [told.kind for told in hearing.memory.story.happenings]
        assert Told.VOTED in kinds
        assert Told.WITHOUT in kinds
        finished(ring, {gone})
        hearing.read()
    memory = hearing.memory
    assert memory.finished
    view = memory.look()
    assert view is not None
    assert view.around.absent == ()
    assert view.around.question == ()
    told = [words.happened(language("en"), view, h) for h in memory.story.happenings]
    assert f"The table goes on without {name}, who doesn't answer." in told
    assert f"{name} leaves the match." in told


def test_a_story_taken_up_in_the_middle_is_no_fault() -> None:
    """After a restart the first notice may be of any step."""
    hearing = Hearing()
    with waiting(Kind.MOVE) as (ring, _):
        me = ring.present()[0]
        steps = [event for event in ring.events[me] if isinstance(event, Advanced)]
        hearing.hear(Started(ring.tables[me], me, Path("x")))
        for event in steps[len(steps) // 2 :: 2]:
            hearing.hear(event)
        hearing.read()
    view = hearing.memory.look()
    assert view is not None
    for code in CODES:
        assert paint(view, 80, 24, theme(ThemeName.DARK), begin(view, Ui(language=code))).height
