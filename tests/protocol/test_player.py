"""A player: sees its own cards and no others, forgets what it must, and signs once."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.cards import UNKNOWN
from engine.errors import IllegalMove
from engine.games.petrangola import PetrangolaState
from engine.games.petrangola_moves import KNOCK, KNOCK_SHOW, Cut
from protocol.contribution import Kind
from protocol.errors import FileError, LocalProtocolError
from protocol.journal import Journal
from protocol.player import Player
from protocol.position import Position
from protocol.table import Event, YourMove
from tests.protocol.cheats import hunt
from tests.protocol.ring import Ring, record


def held(at: Position, seat: int) -> tuple[int, ...]:
    if not isinstance(at.state, PetrangolaState):
        raise TypeError("another game")
    return at.state.hand_of(at.chair(seat))


def test_a_view_holds_what_was_shown_and_what_is_open_and_is_true(tmp_path: Path) -> None:
    """Compared, card by card, with what the seeds reveal at the end."""
    ring = Ring(tmp_path, 3)
    ring.run()
    ring.close()
    match = record(3)
    told = match.first(Kind.REVEAL).after.revealed
    assert told is not None
    seen = 0
    for seat in range(3):
        views = [e for e in ring.events[seat] if isinstance(e, YourMove) and e.view.faces]
        for event in views:
            chair = event.position.chair(seat)
            mask = event.position.state.visible(chair)
            for slot, face in enumerate(event.view.faces):
                if mask >> slot & 1:
                    assert face == told.faces[slot]
                    seen += 1
                else:
                    assert face == UNKNOWN
            assert event.view.public() == event.position.state.public()
    assert seen


@pytest.mark.rule("PET-12")
def test_the_dealer_chooses_blind() -> None:
    match = record(2)
    choice = next(
        m for m in match.moments if m.step.entries[0].kind is Kind.MOVE and len(m.before.moves) == 1
    )
    (dealer,) = choice.before.due.seats if choice.before.due else (-1,)
    own = held(choice.before, dealer)
    assert not any(choice.before.dealt().shown.get(slot) == dealer for slot in own)
    assert not any(choice.before.dealt().shares.get(slot) for slot in own)


def test_the_players_own_cards_forbid_what_public_ones_allow(tmp_path: Path) -> None:
    """The wrong form of a knock is refused before anything is signed."""
    tried: list[int] = []

    def try_wrong(seat: int, event: Event) -> None:
        if not isinstance(event, YourMove):
            return
        legal = set(event.view.legal(event.position.chair(seat))) & {KNOCK, KNOCK_SHOW}
        if len(legal) == 1:
            (wrong,) = {KNOCK, KNOCK_SHOW} - legal
            before = len(ring.journals[seat].entries(ring.header.match))
            with pytest.raises(IllegalMove) as caught:
                ring.tables[seat].play(wrong)
            assert caught.value.rule == "PET-24"
            assert len(ring.journals[seat].entries(ring.header.match)) == before
            tried.append(seat)

    ring = Ring(tmp_path, 2)
    ring.on_event = try_wrong
    ring.run()
    ring.close()
    assert tried


def test_a_forgotten_hand_can_not_be_opened_again(tmp_path: Path) -> None:
    """A void hand: its seed is gone from the disk, and none is drawn in its place."""
    ring = Ring(tmp_path, 2)
    ring.run(lambda: ring.reach(9))
    at, player = ring.tables[0].position, ring.players[0]
    folder = tmp_path / "journal-0" / "seeds"
    assert len(list(folder.iterdir())) == 1
    player.forget(at)
    assert not list(folder.iterdir())
    with pytest.raises(LocalProtocolError, match="erased"):
        player._secrets(at)
    ring.close()
    with Journal(tmp_path / "journal-0") as journal:
        again = Player(ring.keys[0], 0, journal)
        with pytest.raises(LocalProtocolError, match="erased"):
            again._secrets(at)


def test_a_lost_seed_is_never_replaced(tmp_path: Path) -> None:
    """Its commitment is out: another seed would make this seat a cheat."""
    ring = Ring(tmp_path, 2)
    ring.run(lambda: ring.reach(5))
    for path in (tmp_path / "journal-0" / "seeds").iterdir():
        path.unlink()
    ring.close()
    with Journal(tmp_path / "journal-0") as journal:
        player = Player(ring.keys[0], 0, journal)
        with pytest.raises(FileError):
            player._secrets(ring.tables[0].position)


def test_what_was_signed_before_is_found_again(tmp_path: Path) -> None:
    match = record(2)
    at = match.first(Kind.MOVE).before
    (seat,) = at.due.seats if at.due else (-1,)
    key = Ring(tmp_path / "ring", 2).keys[seat]
    with Journal(tmp_path / "own") as journal:
        player = Player(key, seat, journal)
        assert player.signed(at) is None
        entry = player.contribute(at, Cut(9))
    with Journal(tmp_path / "own") as journal:
        again = Player(key, seat, journal)
        assert again.signed(at) == entry
        assert again.signed(match.moments[0].before) is None
        assert again.contribute(at, Cut(9)) == entry


def test_hunting_players_end_with_true_views(tmp_path: Path) -> None:
    """Several rounds of exchanges: what a player took from the monte it sees in its hand."""
    ring = Ring(tmp_path, 2, chooser=lambda seat, e: None if e.position.moves else hunt(seat, e))
    ring.run()
    ring.close()
    for seat in (0, 1):
        for event in ring.events[seat]:
            if isinstance(event, YourMove) and len(event.position.moves) > 2:
                assert all(event.view.faces[s] != UNKNOWN for s in held(event.position, seat))
