"""Laws of `engine.contract` that every registered game keeps, with each preset and some tables.

Each law plays matches by chance, openly or live, and looks at every position on the way. A game
is tested here as soon as it has its line in the registry.
"""

from __future__ import annotations

import copy
import hashlib
import itertools
from functools import cache
from random import Random

import pytest
from hypothesis import given as for_all
from hypothesis import settings
from hypothesis import strategies as st

from engine import options as house_rules
from engine import registry
from engine.cards import UNKNOWN
from engine.contract import (
    Answers,
    Ask,
    Cards,
    Decide,
    Draw,
    Drawn,
    Leave,
    Move,
    Public,
    Revealed,
    Seen,
    Shuffle,
    Shuffled,
)
from engine.errors import IllegalMove, NotationError, OutOfTurn
from tests.engine import table
from tests.engine.laws import (
    SETTINGS,
    deciders,
    every_game,
    every_setting,
    fields,
    live_positions,
    positions,
    rule_ids,
    sample,
    with_move,
)
from tests.engine.table import Setting, play_open

# ---------------------------------------------------------------------------------------------
# Moves


@every_setting
def test_legal_moves_apply_and_are_unique_and_stable(setting: Setting) -> None:
    for state, _, _ in sample(setting):
        for seat in deciders(state):
            moves = list(state.legal(seat))
            assert moves
            assert len(set(moves)) == len(moves)
            assert moves == list(state.legal(seat)) == list(copy.copy(state).legal(seat))
            for move in moves:
                state.apply(with_move(state, seat, move))
        if isinstance(state.turn(), Decide):
            assert list(state.legal()) == list(state.legal(deciders(state)[0]))


@cache
def all_moves(name: str) -> frozenset[Move]:
    """Every move that was legal anywhere in the sampled matches of a game."""
    return frozenset(
        move
        for setting in SETTINGS
        if setting.game == name
        for state, _, _ in sample(setting)
        for seat in deciders(state)
        for move in state.legal(seat)
    )


@every_setting
def test_any_other_move_is_illegal_with_a_rule_or_out_of_turn(setting: Setting) -> None:
    moves = sorted(all_moves(setting.game), key=repr)
    rng = Random(3)
    for state, _, _ in sample(setting, 30):
        for seat in deciders(state):
            legal = set(state.legal(seat))
            for move in rng.sample(moves, min(12, len(moves))):
                if move in legal:
                    continue
                with pytest.raises((IllegalMove, OutOfTurn)) as caught:
                    state.apply(with_move(state, seat, move))
                if isinstance(caught.value, IllegalMove):
                    assert caught.value.rule in rule_ids()
                assert "\n" not in str(caught.value)


class _Strange(Move):
    """A move of no game."""

    __slots__ = ()


@every_setting
def test_moves_of_other_games_and_inputs_that_are_not_due_are_refused(setting: Setting) -> None:
    strange: list[object] = [_Strange(), Drawn(()), Drawn((0,)), Shuffled(b""), Shuffled(b"\x00")]
    strange += [Answers(()), Answers(((0, _Strange()),)), Answers(((99, _Strange()),))]
    strange += [Revealed(b""), Leave(()), Leave((-1,)), Leave((99,)), None, 0, "knock", (0, 1)]
    strange += [Seen((250,) * 9), Revealed(bytes(len(setting.start().faces)))]
    for state, _, _ in sample(setting, 30):
        for odd in strange:
            with pytest.raises((IllegalMove, OutOfTurn, NotationError)):
                state.apply(odd)  # type: ignore[arg-type]  # hostile on purpose


@every_setting
def test_nothing_but_what_is_due_is_taken(setting: Setting) -> None:
    """Any input of another position whose kind isn't due here is refused."""
    kinds = {type(given).__name__: given for _, given, _ in positions(setting)}
    for state, given, _ in sample(setting, 30):
        turn = state.turn()
        for other in kinds.values():
            if isinstance(other, type(given)) or (
                isinstance(turn, Decide) and isinstance(other, Move)
            ):
                continue
            with pytest.raises((IllegalMove, OutOfTurn)):
                state.apply(other)
    last = positions(setting)[-1][2]
    for given in (*kinds.values(), Leave((0,)), Leave((0,), may_return=True)):
        with pytest.raises((IllegalMove, OutOfTurn)):
            last.apply(given)


@every_setting
def test_only_a_whole_deck_can_be_dealt_drawn_or_revealed(setting: Setting) -> None:
    found = (*positions(setting), *live_positions(setting))
    for state, given, _ in found[:60]:
        if isinstance(given, Drawn | Shuffled | Revealed) and given.faces:
            faces = tuple(given.faces)
            twice = faces[1:2] + faces[1:]  # one card twice, another not at all
            for wrong in (faces[:-1], faces + faces[:1], twice, (254, *faces[1:])):
                made = wrong if isinstance(given, Drawn) else bytes(wrong)
                with pytest.raises(NotationError):
                    state.apply(type(given)(made))  # type: ignore[arg-type]  # of either type


@every_setting
def test_answers_must_come_from_exactly_the_seats_asked(setting: Setting) -> None:
    for state, given, _ in positions(setting):
        if not isinstance(given, Answers):
            continue
        moves = given.moves
        others = [(s, moves[0][1]) for s in range(state.seats) if s not in dict(moves)]
        wrong = [moves[:-1], moves + moves[:1], *((*moves, other) for other in others)]
        if len(moves) > 1:
            wrong.append(moves[::-1])
        for answers in wrong:
            with pytest.raises((IllegalMove, OutOfTurn)):
                state.apply(Answers(answers))


# ---------------------------------------------------------------------------------------------
# States are values


@every_setting
def test_apply_changes_nothing_but_makes_another_state(setting: Setting) -> None:
    for state, given, after in sample(setting):
        before = fields(state)
        again = state.apply(given)
        assert fields(state) == before
        assert fields(again) == fields(after)


@every_setting
def test_a_copy_is_equal_and_goes_its_own_way(setting: Setting) -> None:
    for state, given, after in sample(setting, 30):
        twin = copy.copy(state)
        assert fields(twin) == fields(state)
        assert fields(twin.apply(given)) == fields(after)
        assert fields(twin) == fields(state)


def canonical(value: object, depth: int = 0) -> bool:
    """Whether `value` is made of exact ints, strs and tuples, not deeper than an encoding goes."""
    if type(value) is tuple:
        return depth < 6 and all(canonical(item, depth + 1) for item in value)
    return type(value) is str or (type(value) is int and -(2**63) <= value < 2**64)


def digest(value: Public) -> str:
    return hashlib.sha256(repr(value).encode()).hexdigest()


@every_setting
def test_what_is_public_is_canonical_and_changes_with_every_input(setting: Setting) -> None:
    for state, given, after in sample(setting):
        assert canonical(state.public())
        assert canonical(state.standing().public())
        assert digest(state.public()) == digest(copy.copy(state).public())
        assert hash(state.public()) == hash(copy.copy(state).public())
        assert after.public() != state.public(), given


@every_setting
def test_fields_keep_their_shapes(setting: Setting) -> None:
    advised = itertools.islice(play_open(setting, 3, advice=True), 300)
    for _, _, state in (*sample(setting), *live_positions(setting)[:80], *advised):
        assert state.seats == setting.seats
        assert len(state.shown) == len(state.scores()) == setting.seats
        assert set(state.players) <= set(range(setting.seats))
        assert len(set(state.players)) == len(state.players)
        assert state.dealer == -1 or 0 <= state.dealer < setting.seats
        assert state.faces == b"" or len(state.faces) == state.deck.size
        assert all(face == UNKNOWN or face < state.deck.kind.size for face in state.faces)
        slots = list(itertools.chain(*(pile.slots for pile in state.piles())))
        assert len(set(slots)) == len(slots), "a card lies in two piles"
        assert all(0 <= slot < state.deck.size for slot in slots)
        for mask in (state.opened, *state.shown):
            assert 0 <= mask < 1 << state.deck.size
        assert len(set(state.promises)) == len(state.promises)
        for promise in state.promises:
            assert promise.rule in rule_ids()
            assert promise.seat in state.players
        turn = state.turn()
        if isinstance(turn, Cards):
            assert table.requests_kind_ok(turn.requests)
        if isinstance(turn, Ask):
            assert list(turn.seats) == sorted(set(turn.seats))
            assert turn.seats


@every_setting
def test_an_open_state_never_waits_for_what_it_knows(setting: Setting) -> None:
    for state, _, _ in positions(setting):
        turn = state.turn()
        if isinstance(turn, Cards):
            assert isinstance(turn.requests[0], Draw | Shuffle)


# ---------------------------------------------------------------------------------------------
# Text and data


@every_setting
def test_text_and_data_of_every_legal_move_read_back(setting: Setting) -> None:
    game = registry.get(setting.game)
    for state, _, _ in sample(setting):
        for seat in deciders(state):
            texts: set[str] = set()
            for move in state.legal(seat):
                text = game.format(state, move)
                assert game.parse(state, text, seat) == move
                assert text.isprintable()
                assert text == text.strip()
                texts.add(text)
                data = game.encode(move)
                assert canonical(data)
                assert game.decode(data) == move
            assert len(texts) == len(state.legal(seat))


@every_setting
def test_players_and_spectators_can_write_every_move_they_see(setting: Setting) -> None:
    """In a seat's own view each of its moves has the same text as in the open state."""
    game = registry.get(setting.game)
    for state, _, _ in sample(setting, 30):
        for seat in deciders(state):
            view = state.view(seat)
            for move in view.legal(seat):
                text = game.format(view, move)
                assert text == game.format(state, move)
                assert game.parse(view, text, seat) == move
                game.format(state.view(None), move)


HOSTILE_TEXTS = ["", " ", "??", ">", ",", "??>??", "0", "-1", "é", "a" * 5000, "\x00", "None"]
HOSTILE_DATA: list[object] = [
    None, 0, "", b"", (), [], {}, ("",), (0,), (("cut",),), ("cut", True), ("cut", 10**30),
    ("cut", "1"), ("exchange", (0,), ()), ("exchange", (True,), (0,)), ((),) * 9, 1.5,
]  # fmt: skip


@every_game
def test_hostile_text_and_data_are_no_moves(name: str) -> None:
    game = registry.get(name)
    for state, _, _ in sample(next(s for s in SETTINGS if s.game == name), 30):
        for seat in deciders(state):
            for text in HOSTILE_TEXTS:
                with pytest.raises(NotationError) as caught:
                    game.parse(state, text, seat)
                assert len(str(caught.value)) < 400
    for data in HOSTILE_DATA:
        with pytest.raises(NotationError):
            game.decode(data)
    for text in HOSTILE_TEXTS:
        options = table.options_of(game, game.default_preset)
        with pytest.raises(NotationError):
            game.score(options, [text])


@every_game
@for_all(text=st.text(max_size=12))
@settings(max_examples=50, deadline=None)
def test_any_text_is_a_move_or_notation_error(name: str, text: str) -> None:
    game = registry.get(name)
    setting = next(s for s in SETTINGS if s.game == name)
    for state, _, _ in sample(setting, 6):
        for seat in deciders(state):
            try:
                move = game.parse(state, text, seat)
            except NotationError:
                continue
            assert game.format(state, move) == text


@every_game
def test_errors_of_the_rules_name_rules_that_are_written(name: str) -> None:
    game = registry.get(name)
    for spec in house_rules.specs(game.options_type).values():
        assert spec.rule in rule_ids()
