"""What the games of tricks share: packets, hands and what is taken, as masks of slots.

Law: it asks positions of both games, after plays by chance, for the same in plain sets of cards;
who takes a trick is in each game's own tests.
"""

from __future__ import annotations

from random import Random
from typing import cast

import pytest

from engine.contract import Decide, Show, State, mask_of
from engine.games.tricks import NOTHING, ORDERS, WORTH_AT, Round, packets
from tests.engine.table import Dealer, Setting, at_random, play

TABLES = [
    *(Setting("briscola", "classic", seats) for seats in (2, 3, 4)),
    *(Setting("traversone", "ciapano", seats) for seats in (2, 3, 4, 5)),
]
at_each_table = pytest.mark.parametrize("table", TABLES, ids=str)


def _course(table: Setting, live: bool = False, hands: int = 2) -> list[tuple[Round, Round]]:
    """Each position of some hands with the one after it."""
    rng = Random(str(table))
    found = []
    for before, _, after in play(table.start(), Dealer(rng, live=live), at_random(rng)):
        found.append((cast(Round, before), cast(Round, after)))
        if after.hand > hands:
            break
    return found


def _piles(state: State, name: str) -> dict[int, tuple[int, ...]]:
    return {pile.seat: pile.slots for pile in state.piles() if pile.name == name}


def test_packets_lie_one_behind_the_other() -> None:
    assert packets((2, 3)) == ((0b00011, 0b11100), 0b11111)
    assert packets(n for n in (1, 1)) == ((0b01, 0b10), 0b11)


def test_whoever_leads_is_followed_by_the_next_ones() -> None:
    assert ORDERS[3][1] == (1, 2, 0)
    assert [len(rows) for rows in ORDERS] == [0, 1, 2, 3, 4, 5]


@at_each_table
def test_a_trick_goes_to_its_taker_with_all_that_it_is_worth(table: Setting) -> None:
    tricks = 0
    for before, after in _course(table):
        taken = [note for note in after.notes if note.kind == "takes"]
        if not taken or not after.packets:
            continue
        (told,) = taken
        tricks += 1
        at = after.players.index(told.seat)
        trick = mask_of(slot for slot in _piles(after, "won")[told.seat]) & ~before.won[at]
        assert mask_of(before.trick) & ~trick == 0
        assert trick.bit_count() == len(after.players)
        worths = sum(after.deal.worth[slot] for slot in range(40) if trick >> slot & 1)
        assert told.values == (worths,)
        assert after.took[at] - before.took[at] == worths << WORTH_AT | trick
        others = [n for n in range(len(after.players)) if n != at]
        assert [after.took[n] for n in others] == [before.took[n] for n in others]
        assert (after.trick, after.best, after.at) == ((), NOTHING, at)
        if after.left:
            assert after.turn() == Decide(told.seat)
    assert tricks > 10


@at_each_table
def test_every_card_dealt_lies_in_one_pile(table: Setting) -> None:
    for state, _ in _course(table, live=True):
        if not state.faces:
            assert state.piles() == ()
            assert [state.hand_of(seat) for seat in range(table.seats)] == [()] * table.seats
            continue
        piles = [slot for pile in state.piles() for slot in pile.slots]
        assert len(piles) == len({*piles})
        hands = _piles(state, "hand")
        assert list(hands) == sorted(state.players)
        assert hands == {seat: state.hand_of(seat) for seat in state.players}
        assert mask_of(slot for hand in hands.values() for slot in hand) == state.left
        assert _piles(state, "trick") == {-1: state.trick}
        won = _piles(state, "won")
        assert tuple(mask_of(won[seat]) for seat in state.players) == state.won


@at_each_table
def test_each_sees_the_hand_that_was_dealt_to_it(table: Setting) -> None:
    dealt = [after for _, after in _course(table, live=True) if after.phase.name == "LOOK"]
    assert dealt
    for state in dealt:
        shows = [r for r in state.turn().requests if isinstance(r, Show)]  # type: ignore[union-attr]  # it is Cards
        assert [show.to for show in shows] == list(state.players)
        assert [show.slots for show in shows] == [state.hand_of(show.to) for show in shows]


@at_each_table
def test_other_faces_are_another_position_with_the_same_notes(table: Setting) -> None:
    state = next(s for s, _ in _course(table) if s.packets and s.notes)
    unknown = state.with_faces(b"\xff" * len(state.faces))
    assert unknown.notes == state.notes
    assert {*unknown.faces} == {255}
    assert 255 not in state.faces
    assert (unknown.left, unknown.packets, unknown.trick) == (
        *(state.left, state.packets, state.trick),
    )
