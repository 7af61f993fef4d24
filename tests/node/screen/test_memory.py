"""What the screen makes of a session's notices: whole matches, silence, decisions of the table."""

from __future__ import annotations

import functools
import tempfile
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cards import UNKNOWN
from node.errors import need
from node.language import CODES, language
from node.notices import EvidenceKept, Person, Presence, Started, Talked
from node.screen import past, words
from node.screen.desk import Ui, begin
from node.screen.hearing import Ear, Hearing
from node.screen.memory import Memory
from node.screen.paint import paint
from node.screen.story import Story, Told
from node.screen.theme import ThemeName, theme
from node.screen.view import Fairness, SeatView
from node.waiting import Absent, Waiting
from protocol.contribution import Kind
from protocol.errors import Fault
from protocol.messages import Role
from protocol.table_events import Accused, Advanced, Outgoing
from tests.node.tables import DEADLINE, start
from tests.node.test_absence import LOOPBACK, table_of, vanish_at
from tests.node.test_reunion import taken_up
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


def test_what_was_said_in_the_lobby_is_still_there_when_the_match_begins(tmp_path: Path) -> None:
    ring = Ring(tmp_path, 2, game="briscola")
    hearing = Hearing()
    bruno = Person(bytes(32), "Bruno", "Bruno", Role.SEAT, ready=True)
    hearing.hear(Talked(bruno, "ciao"))
    hearing.hear(Started(ring.tables[0], 0, tmp_path))
    ring.close()
    assert hearing.read().started
    assert [(line.name, line.text) for line in hearing.memory.chat] == [("Bruno", "ciao")]


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


# -- a match that is taken up again ----------------------------------------------------------------


def bare(story: Story) -> tuple[Story, object]:
    """A story without the state of a move whose cards aren't named yet, which has no equal."""
    return replace(story, pending=None), story.pending and story.pending[1:]


def shown(memory: Memory) -> tuple[object, bytes, object, tuple[SeatView, ...], Fairness]:
    """What is seen of a table: the game and the reader's cards, the story, the seats, the deal."""
    view = need(replace(memory, down=frozenset()).look())  # links are no matter of the log
    return (
        *(view.state.public(), view.state.faces, bare(view.story), view.seats),
        view.around.fairness,
    )


@pytest.mark.parametrize(
    ("game", "seats", "stops"),
    [
        ("petrangola", 3, (1, 14, 26)),
        ("mambassa", 3, (20, 50)),
        ("traversone", 3, (14, 30)),
        ("picchetto", 2, (14, 36, 90)),
        ("briscola", 2, (3, 30, 60)),
    ],
)
def test_what_is_seen_after_a_resume_is_what_was_seen_before(
    tmp_path: Path, game: str, seats: int, stops: tuple[int, ...]
) -> None:
    """In any hand of a match, before its first card and after: tricks, numbers, what happened."""
    ring = Ring(tmp_path, seats, game=game, hands=4)
    live = Hearing()
    live.hear(Started(ring.tables[0], 0, tmp_path))
    ring.on_event = lambda seat, event: live.hear(event) if seat == 0 else None
    for stop in stops:
        ring.run(functools.partial(ring.reach, stop + 1), start=stop == stops[0])
        if stop == stops[-1]:  # by another process, which has nothing but the files
            ring.on_event = lambda _, event: None
            ring.reopen(0)
        after = need(Ear().hear(Started(ring.tables[0], 0, tmp_path)).begun)
        live.read()
        before = live.memory
        assert bare(after.story) == bare(before.story)
        assert after.shuffles == before.shuffles
        assert (after.audited, after.warnings) == (before.audited, before.warnings)
        if before.look() is not None:
            assert shown(after) == shown(before)
            assert before.story.happenings
    ring.close()


@pytest.mark.parametrize(("game", "seats", "steps"), [("briscola", 2, 40), ("petrangola", 3, 26)])
def test_every_step_shows_the_cards_that_it_showed_then(
    tmp_path: Path, game: str, seats: int, steps: int
) -> None:
    """And none that this seat drew or took since."""
    ring = Ring(tmp_path, seats, game=game, hands=2)
    ear, faces = Ear(), dict[int, bytes]()
    ear.hear(Started(ring.tables[0], 0, tmp_path))

    def hear(seat: int, event: object) -> None:
        state = ear.hear(event).state if seat == 0 else None
        if isinstance(event, Advanced) and state is not None:
            faces[event.step.number] = state.faces

    ring.on_event = hear
    ring.run(until=lambda: len(ring.tables[0].steps) >= steps)
    ring.on_event = lambda _, event: None
    ring.reopen(0)
    events = past.kept(ring.tables[0])
    again = past.seen(ring.tables[0], events)
    ring.close()
    assert {e.step.number: s.faces for e, s in zip(events, again, strict=True)} == faces
    assert len({seen for seen in faces.values() if seen}) > 3


def test_a_seat_is_told_again_of_no_card_that_it_did_not_see(tmp_path: Path) -> None:
    """What the others put aside in this hand stays hidden, though this node holds their shares."""
    ring = Ring(tmp_path, 2, game="picchetto", hands=1)
    ring.run(until=lambda: len(ring.tables[0].steps) >= 20)
    for seat in (0, 1):
        ring.reopen(seat)
    stories = [
        need(Ear().hear(Started(ring.tables[seat], seat, tmp_path)).begun).story for seat in (0, 1)
    ]
    chairs = [ring.tables[seat].position.chair(seat) for seat in (0, 1)]
    ring.close()
    for chair, story in zip(chairs, stories, strict=True):
        changes = [
            told
            for told in story.happenings
            if told.kind is Told.MOVE and told.text.startswith("change")
        ]
        assert {told.seat for told in changes} == {0, 1}
        for told in changes:
            assert ("??" in told.text) == (told.seat != chair), told


def test_a_spectator_takes_the_story_up_from_what_all_saw(tmp_path: Path) -> None:
    ring = Ring(tmp_path, 2, game="briscola", hands=1)
    ring.run(until=lambda: len(ring.tables[0].steps) >= 30)
    table = ring.tables[0]
    table.player = None
    memory = need(Ear().hear(Started(table, None, tmp_path)).begun)
    ring.close()
    view = need(memory.look())
    assert view.story.tricks
    assert all(set(seat.cards) <= {UNKNOWN} for seat in view.seats)


def test_a_player_whose_process_died_sees_the_same_table_again(tmp_path: Path) -> None:
    """Over real meshes: killed in the middle of a hand, and taken up by the next process."""
    nodes = table_of(tmp_path, 3, patience=600)
    live, late = Hearing(), Hearing()
    for node in nodes:
        vanish_at(node, Kind.SHARES)
    tell = nodes[0].session._on_event

    def heard_first(event: object) -> None:
        live.hear(event)
        tell(event)  # type: ignore[arg-type]  # whatever the session tells

    nodes[0].session._on_event = heard_first
    start(nodes)
    for node in nodes:
        need(node.thread).join(DEADLINE)
    again, found = taken_up(nodes[0], 0, tmp_path)
    began = threading.Event()

    def heard_again(event: object) -> None:
        if not began.is_set():
            late.hear(event)
        if isinstance(event, Started):
            began.set()

    again.session._on_event = heard_again
    again.session.resume(found, address=LOOPBACK, search=False)
    start([again])
    assert began.wait(DEADLINE)
    again.session.stop()
    need(again.thread).join(DEADLINE)
    live.read()
    late.read()
    assert live.memory.story.happenings
    view = need(late.memory.look())
    assert view.hand, "the cards have been dealt"
    assert shown(late.memory) == shown(live.memory)


def test_what_is_older_than_the_positions_at_hand_is_counted_from_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("protocol.branch.RETAINED", 8)
    ring = Ring(tmp_path, 2, game="petrangola", hands=4)
    live = Hearing()
    live.hear(Started(ring.tables[0], 0, tmp_path))
    ring.on_event = lambda seat, event: live.hear(event) if seat == 0 else None
    ring.run(until=lambda: live_hand(ring) == 3)
    late = need(Ear().hear(Started(ring.tables[0], 0, tmp_path)).begun)
    ring.close()
    live.read()
    assert live.memory.audited == 2
    assert (late.audited, late.shuffles) == (2, live.memory.shuffles)
    assert len(late.story.happenings) < len(live.memory.story.happenings)


def live_hand(ring: Ring) -> int:
    """The hand in which cards are being moved."""
    position = ring.tables[0].position
    return position.state.hand if position.state.faces else 0


def test_what_is_cut_out_of_the_log_is_forgotten(tmp_path: Path) -> None:
    """A trick that the table took back isn't in the panel any more; talk and links stay."""
    ring = Ring(tmp_path, 3, game="briscola", hands=1)
    live = Hearing()
    bruno = Person(bytes(32), "Bruno", "Bruno", Role.SEAT, ready=True)
    live.hear(Started(ring.tables[0], 0, tmp_path))
    stories: dict[int, Story] = {}

    def hear(seat: int, event: object) -> None:
        if seat == 0 and not isinstance(event, Outgoing):
            live.hear(event)
            live.read()
            stories[len(ring.tables[0].steps)] = live.memory.story

    ring.on_event = hear
    ring.run(functools.partial(ring.reach, 26))
    live.hear(Talked(bruno, "ciao"))
    live.hear(Presence(1, up=False))
    fault = Fault(1, 9, "proof", "the shuffle's proof is wrong")
    live.hear(EvidenceKept(Accused(fault, b"", ()), tmp_path))
    live.read()
    table = ring.tables[0]
    last = len(table.steps)
    there = table.position.settled + 1
    then = stories[there - 1]
    assert then != stories[last]
    table._cut(there)
    live.read()
    ring.close()
    after = live.memory
    *kept, cut = after.story.happenings
    assert (cut.kind, cut.values) == (Told.CUT, (there,))
    assert tuple(kept) == then.happenings
    assert (after.story.tricks, after.story.trick) == (then.tricks, then.trick)
    assert need(after.position).step == there
    assert need(after.state).public() == table.position.state.public()
    assert len(after.chat) == 1
    assert after.down == {1}
    assert after.warnings == (("Bruno", 9, "proof"),)
