"""Laws of what is known: live, open and informed states of every registered game agree, and nobody
is told anything by a card that they can't see.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given as for_all

from engine import registry
from engine.cards import UNKNOWN
from engine.contract import (
    Answers,
    Ask,
    Cards,
    Decide,
    Draw,
    Input,
    Leave,
    Open,
    Over,
    Resealed,
    Revealed,
    Seen,
    Show,
    Shuffle,
    Shuffled,
    State,
    mask_of,
)
from engine.errors import IllegalMove
from tests.engine.laws import (
    deciders,
    every_setting,
    few,
    fields,
    live_positions,
    positions,
    sample,
    seeds,
)
from tests.engine.table import Dealer, Setting, at_random, by_advice, play, play_open


@every_setting
@few
@for_all(seed=seeds)
def test_live_and_open_play_agree(setting: Setting, seed: int) -> None:
    """The same moves on the same decks, live and open, lead to the same public states."""
    rng = Random(seed)
    dealer = Dealer(rng, live=True, generous=True)
    live = opened = setting.start()
    for _, given, after in play(live, dealer, at_random(rng)):
        match given:
            case Shuffled():
                opened = opened.apply(Shuffled(dealer.dealt))
            case Seen() | Resealed() | Revealed():
                pass
            case _:
                opened = opened.apply(given)
        live = after
        assert not after.breaches
        turn = live.turn()
        if isinstance(turn, Cards) and not isinstance(turn.requests[0], Draw | Shuffle):
            continue  # the open state has answered this one itself
        assert turn == opened.turn()
        assert live.scores() == opened.scores()
        assert (live.hand, live.players, live.dealer) == (
            opened.hand,
            opened.players,
            opened.dealer,
        )
        assert (live.opened, live.shown, live.piles()) == (
            opened.opened,
            opened.shown,
            opened.piles(),
        )
        assert live.public() == opened.view(None).public() == opened.public()
        for seat in deciders(live):
            seen = dealer.seen_by(live, seat)
            assert list(seen.legal(seat)) == list(opened.view(seat).legal(seat))
            assert list(seen.legal(seat)) == list(opened.legal(seat))
            assert set(live.legal(seat)) >= set(seen.legal(seat))
    assert isinstance(live.turn(), Over)


def in_hand(state: State) -> bool:
    """Whether the state's cards are in play, even if seats are asked something meanwhile."""
    turn = state.turn()
    if not isinstance(turn, Ask):
        return not isinstance(turn, Over)
    plain = state.view(None)  # where cards force no answer
    answers = tuple((seat, plain.legal(seat)[-1]) for seat in turn.seats)
    return bool(plain.apply(Answers(answers)).faces)


@every_setting
@pytest.mark.rule("GEN-03")
def test_all_cards_of_a_hand_that_ended_are_public(setting: Setting) -> None:
    """Live and open alike, so that a match and its record end in the same public state."""
    for found in (live_positions(setting), positions(setting)):
        for _, given, after in found:
            ended = not in_hand(after) and not isinstance(given, Leave | Answers)
            if ended and after.faces:
                assert after.opened == (1 << after.deck.size) - 1
                assert UNKNOWN not in after.faces


@every_setting
def test_a_live_state_holds_public_cards_only(setting: Setting) -> None:
    for _, _, state in live_positions(setting):
        for slot, face in enumerate(state.faces):
            assert (face != UNKNOWN) == bool(state.opened >> slot & 1)


@every_setting
def test_a_view_holds_exactly_the_visible_cards(setting: Setting) -> None:
    for _, _, state in sample(setting, 30):
        for seat in (None, *range(setting.seats)):
            view = state.view(seat)
            mask = state.opened if seat is None else state.visible(seat)
            assert len(view.faces) == len(state.faces)
            for slot, face in enumerate(state.faces):
                assert view.faces[slot] == (face if mask >> slot & 1 else UNKNOWN)
            assert view.turn() == state.turn()
            assert view.public() == state.public()


@every_setting
def test_cards_are_seen_only_when_the_game_asked_for_it(setting: Setting) -> None:
    """What a seat sees grows by Show and Open requests and by nothing else."""
    for state, given, after in live_positions(setting):
        if isinstance(given, Shuffled | Revealed | Leave) or not after.faces or not state.faces:
            continue
        allowed = [state.visible(seat) for seat in range(setting.seats)]
        turn = state.turn()
        for request in turn.requests if isinstance(turn, Cards) else ():
            for seat in range(setting.seats):
                if isinstance(request, Open) or (isinstance(request, Show) and request.to == seat):
                    allowed[seat] |= mask_of(request.slots)
        for seat in range(setting.seats):
            assert after.visible(seat) & ~allowed[seat] == 0


def reshuffle_hidden(faces: bytes, mask: int, rng: Random) -> bytes:
    """`faces` with those outside `mask` in another order."""
    hidden = [slot for slot in range(len(faces)) if not mask >> slot & 1]
    moved = hidden[:]
    rng.shuffle(moved)
    made = bytearray(faces)
    for old, new in zip(hidden, moved, strict=True):
        made[new] = faces[old]
    return bytes(made)


def other_worlds(setting: Setting, seed: int) -> Iterator[tuple[State, State, int]]:
    """Positions with another one that the deciding seat can't tell from it: its hidden cards
    are dealt otherwise and the same moves have led there."""
    rng = Random(seed)
    start, dealt = setting.start(), b""
    moves: list[Input] = []
    for state, given, _ in play_open(setting, seed):
        if isinstance(given, Shuffled) and given.faces:
            start, moves, dealt = state, [], given.faces
            continue
        if isinstance(state.turn(), Decide) and state.faces:
            seat = deciders(state)[0]
            for _ in range(3):
                faces = reshuffle_hidden(dealt, state.visible(seat), rng)
                try:
                    other = start.apply(Shuffled(faces))
                    for move in moves:
                        other = other.apply(move)
                except IllegalMove:
                    continue  # a move that a player who sees these cards couldn't make
                yield state, other, seat
                break
        moves.append(given)


@every_setting
def test_nothing_that_a_seat_is_told_depends_on_cards_hidden_from_it(setting: Setting) -> None:
    game = registry.get(setting.game)
    found = 0
    for state, other, seat in itertools.islice(other_worlds(setting, 5), 40):
        found += 1
        assert state.turn() == other.turn()
        assert state.public() == other.public()
        assert state.scores() == other.scores()
        assert state.piles() == other.piles()
        assert state.promises == other.promises
        assert state.notes == other.notes
        mine, theirs = state.view(seat), other.view(seat)
        assert mine.faces == theirs.faces
        assert list(mine.legal(seat)) == list(theirs.legal(seat))
        for move in mine.legal(seat):
            assert game.format(mine, move) == game.format(theirs, move)
        advice = game.suggest(mine, seat, Random(9))
        assert advice == game.suggest(theirs, seat, Random(9))
    assert found


@every_setting
@few
@for_all(seed=seeds)
def test_advice_is_legal_and_a_match_of_advice_ends(setting: Setting, seed: int) -> None:
    rng = Random(seed)
    game = registry.get(setting.game)
    last = setting.start()
    for state, _, after in play(last, Dealer(rng, live=True, generous=True), by_advice(rng)):
        last = after
        for seat in deciders(state):
            view = state.view(seat)
            before = fields(view)
            assert game.suggest(view, seat, Random(1)) in view.legal(seat)
            assert fields(view) == before
    assert isinstance(last.turn(), Over)
