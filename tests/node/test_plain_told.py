"""What has happened is told in plain lines: silence and votes, cheating, a match taken up again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from node.errors import need
from node.language import CODES, ENGLISH, Language, language
from node.notices import EvidenceKept, Joined, NotSent, Person, Presence, Started, Talked
from node.plain_lines import stopped
from node.plain_told import told
from node.screen import words
from node.screen.hearing import Ear, Heard
from node.screen.memory import Memory
from node.screen.story import Happening, Story, Told
from node.waiting import Waiting
from protocol.contribution import Kind
from protocol.errors import Fault
from protocol.messages import Role
from protocol.table_events import Accused, Advanced, CutBack, Finished, Outgoing, Voted
from tests.node.plain_desk import Desk, heard
from tests.protocol.ring import Ring
from tests.protocol.test_absence import finished, waiting


class Teller:
    """One seat's lines of a match, as it goes on."""

    def __init__(self, ring: Ring, seat: int, tongue: Language = ENGLISH) -> None:
        self.ear = Ear()
        self.memory = Memory()
        self.lines: list[str] = []
        self._tongue = tongue
        self.hear(Started(ring.tables[seat], seat, Path("match.busso")))
        for event in ring.events[seat]:
            self.hear(event)

        def more(to: int, event: object) -> None:
            if to == seat:
                self.hear(event)

        ring.on_event = more

    def hear(self, event: object) -> None:
        if isinstance(event, Outgoing):
            return
        one = event if isinstance(event, Heard) else self.ear.hear(event)
        before = one.before(self.memory)
        self.memory = one.remembered(self.memory)
        self.lines += told(self._tongue, one.event, before, self.memory)


@pytest.mark.parametrize("kind", [Kind.FLIP_COMMIT, Kind.SHARES, Kind.CHECKPOINT])
def test_a_vote_and_what_it_decides_are_told_whenever_it_happens(kind: Kind) -> None:
    """Also before the seats are known, when there is no table to look at."""
    with waiting(kind) as (ring, gone):
        me = ring.present()[0]
        seen = Teller(ring, me)
        names = ring.header.header.labels
        ring.vote()
        assert any(
            line == f"{names[me]} votes to go on without {names[gone]}." for line in seen.lines
        )
        assert any("go" in line and f"on without {names[gone]}, who" in line for line in seen.lines)
        finished(ring, {gone})
        assert seen.lines[-1] == "The match is over, and everybody has signed how it ended."


def test_a_log_that_is_cut_back_says_so() -> None:
    with waiting(Kind.SHARES) as (ring, _):
        seen = Teller(ring, ring.present()[0])
        seen.hear(CutBack(9, None))
        assert seen.lines[-1] == "The log was taken back to entry 9, as the table decided."


def test_every_line_of_a_match_is_what_the_screen_tells() -> None:
    """Of each happening that shows in the log of the screen there is the sentence, or the move."""
    with waiting(Kind.FOOTER) as (ring, _):
        seat = ring.present()[0]
        seen = Teller(ring, seat)
        view = need(seen.memory.look())
        for one in view.story.happenings:
            text = stopped(words.happened(ENGLISH, view, one))
            silent = one.kind is Told.SEALED or (one.note and one.note.kind == "deals")
            assert silent or one.kind is Told.MOVE or text in seen.lines, text
        moves = [one for one in view.story.happenings if one.kind is Told.MOVE]
        assert moves
        for one in moves:
            name = view.seat(one.seat).name
            assert any(line.startswith(name) for line in seen.lines)


def names(desk: Desk) -> list[str]:
    return [need(desk.table._memory.position).header.labels[seat] for seat in range(3)]


TURN = ("petrangola", 3, "exchange")


@pytest.mark.parametrize("code", CODES)
def test_notices_beside_the_game_are_told_in_every_language(code: str) -> None:
    desk = Desk(heard(*TURN), language=language(code))
    start = len(desk.said)
    bruno = Person(bytes(32), "Bruno", "Bruno", Role.SEAT, ready=True)
    fault = Fault(1, 4, "proof", "the shuffle's proof is wrong")
    desk.hear(
        Joined("Zoe", 1),
        Presence(1, up=False),
        Presence(1, up=True),
        Talked(bruno, "ciao"),
        NotSent("The host has left the table."),
        EvidenceKept(Accused(fault, b"", ()), Path("evidence.busso")),
        Waiting((1,), (1,)),
    )
    said = desk.said[start:]
    assert len(said) == 8
    assert said[3] == "<Bruno> ciao"
    assert "Zoe" in said[0]
    assert all(names(desk)[1] in line for line in (said[1], said[2], said[5], said[7]))
    assert said[6].endswith("evidence.busso")
    english = Desk(heard(*TURN)).said
    assert (set(said) & set(english) == set()) or code == "en"


def test_a_match_that_was_closed_before_its_end_says_so() -> None:
    with waiting(Kind.KEY, count=2) as (ring, gone):
        me = ring.present()[0]
        seen = Teller(ring, me)
        assert ring.tables[me].abandon({gone})
        ring.run(start=False)
        assert seen.memory.finished
        assert seen.lines[-1] == "The match was closed before its end."
        assert any(f"Without {ring.header.header.labels[gone]} too few" in x for x in seen.lines)


@pytest.mark.parametrize(("closing", "verb"), [(False, "votes to go on"), (True, "wants to close")])
def test_a_vote_is_told_as_what_it_would_bring_about(closing: bool, verb: str) -> None:
    with waiting(Kind.KEY, count=3) as (ring, gone):
        seen = Teller(ring, ring.present()[0])
        voter = ring.present()[1]
        seen.hear(Voted(voter, (gone,), closing))
        who, whom = (ring.header.header.labels[seat] for seat in (voter, gone))
        assert seen.lines[-1].startswith(f"{who} {verb}")
        assert whom in seen.lines[-1]


def test_a_match_taken_up_again_tells_how_it_stands(tmp_path: Path) -> None:
    ring = Ring(tmp_path, 3, game="petrangola", hands=1)
    first = Teller(ring, 0)
    ring.run(until=lambda: len(ring.tables[0].steps) >= 11)
    ring.on_event = lambda _, event: None
    ring.reopen(0)
    ring.events[0].clear()
    again = Teller(ring, 0)
    assert first.lines[0].startswith("The match begins. At the table: Ada, Bruno, Carla.")
    assert again.lines[0].startswith("The match goes on. At the table: Ada, Bruno, Carla.")
    assert any(line.startswith("Tokens: ") for line in again.lines)
    assert any(line.startswith("Your hand: ") for line in again.lines)
    assert again.memory.story == first.memory.story
    ring.run()
    ring.close()
    assert again.lines[-1] == "The match is over, and everybody has signed how it ended."


def test_who_hears_late_of_a_match_is_told_each_step_once(tmp_path: Path) -> None:
    """On another thread than the session's the log may be ahead of what was told."""
    ring = Ring(tmp_path, 2, game="briscola", hands=1)
    live = Teller(ring, 0)
    ring.run()
    events = [event for event in ring.events[0] if isinstance(event, Advanced | Finished)]
    late = Teller.__new__(Teller)
    late.ear, late.memory, late.lines, late._tongue = Ear(), Memory(), [], ENGLISH
    late.hear(Started(ring.tables[0], 0, Path("match.busso")))
    del late.lines[:]
    for event in events:
        late.hear(event)
    ring.close()
    assert late.memory.story.count == live.memory.story.count
    assert late.memory.story.happenings == live.memory.story.happenings
    plays = [line for line in live.lines if " plays " in line]
    assert [line for line in late.lines if " plays " in line] == plays
    assert len(plays) == 40


def test_a_spectator_is_told_what_all_see(tmp_path: Path) -> None:
    ring = Ring(tmp_path, 3, game="petrangola", hands=1)
    ring.tables[0].player, player = None, ring.tables[0].player
    seen = Teller(ring, 0)
    seen.memory = replace(seen.memory, seat=None)
    ring.tables[0].player = player
    ring.run()
    ring.close()
    assert seen.lines[-1] == "The match is over, and everybody has signed how it ended."
    before = seen.lines[: seen.lines.index("The end of hand 1.")]
    assert not any("Your" in line or "You " in line for line in seen.lines)
    assert any(" gives " in line or " knocks" in line for line in before)
    for line in before:
        given = line.partition(" gives ")[2].partition(" for ")[0]
        assert "hidden" not in given, "what is given lies open in the monte"


def test_what_is_told_since_includes_a_move_whose_cards_came_out_later() -> None:
    hidden = Happening(Told.MOVE, 1, "?? ??")
    named = Happening(Told.MOVE, 1, "7b 3c")
    other = Happening(Told.OPENED, text="Ad")
    before = Story().add(other, hidden)
    after = Story((other, named), count=2).add(other)
    assert after.since(before) == (named, other)
    assert after.since(after) == ()


def test_a_long_story_forgets_but_tells_what_is_new() -> None:
    one = Happening(Told.OPENED, text="Ad")
    story = Story().add(*[one] * 399)
    more = story.add(*(Happening(Told.OPENED, text=str(n)) for n in range(3)))
    assert len(more.happenings) == 400
    assert [told.text for told in more.since(story)] == ["0", "1", "2"]
