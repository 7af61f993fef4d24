"""Laws of `engine.contract` that every registered game keeps, with each preset and some tables.

Each law plays matches by chance, openly or live, and looks at every position on the way. A game
is tested here as soon as it has its line in the registry.
"""

from __future__ import annotations

import copy
import hashlib
import itertools
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import given as for_all
from hypothesis import strategies as st

import engine
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
    Input,
    Leave,
    Move,
    Open,
    Over,
    Public,
    Result,
    Revealed,
    Seen,
    Show,
    Shuffle,
    Shuffled,
    State,
    mask_of,
)
from engine.errors import IllegalMove, NotationError, OutOfTurn
from engine.record import HandLine, read_record, write_record
from engine.replay import check, normalize, record_of
from tests.engine import table
from tests.engine.table import Dealer, Setting, at_random, by_advice, play, play_open

RULES = Path(engine.__file__).parent / "rules"
SETTINGS = table.settings()
every_setting = pytest.mark.parametrize("setting", SETTINGS, ids=str)
every_game = pytest.mark.parametrize("name", registry.GAMES)
seeds = st.integers(0, 2**32 - 1)
few = settings(
    max_examples=3,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],  # a seed doesn't shrink to a simpler match
    suppress_health_check=[HealthCheck.too_slow],
)
Position = tuple[State, Input, State]


@cache
def positions(setting: Setting, seed: int = 1) -> tuple[Position, ...]:
    """A whole open match, kept for all laws that only look at it."""
    return tuple(play_open(setting, seed))


@cache
def live_positions(setting: Setting, seed: int = 1) -> tuple[Position, ...]:
    rng = Random(seed)
    return tuple(play(setting.start(), Dealer(rng, live=True), at_random(rng)))


def sample(setting: Setting, most: int = 60) -> list[Position]:
    """Some positions of an open match and the first and last of it."""
    found = positions(setting)
    if len(found) <= most:
        return list(found)
    return [*found[: most // 3], *Random(7).sample(found, most // 3), *found[-most // 3 :]]


@cache
def rule_ids() -> frozenset[str]:
    """The rules that the texts in engine/rules explain."""
    texts = (path.read_text(encoding="utf-8") for path in sorted(RULES.glob("*.md")))
    return frozenset(itertools.chain(*(re.findall(r"\b[A-Z]{3,4}-\d\d\b", t) for t in texts)))


def fields(state: State) -> tuple[object, ...]:
    """All that the contract lets one read of a state."""
    return (
        state.public(),
        state.turn(),
        state.seats,
        state.hand,
        state.players,
        state.dealer,
        state.deck,
        state.faces,
        state.opened,
        state.shown,
        state.promises,
        state.breaches,
        state.notes,
        state.piles(),
        state.scores(),
        state.standing(),
    )


def deciders(state: State) -> tuple[int, ...]:
    match state.turn():
        case Decide(seat):
            return (seat,)
        case Ask(seats):
            return seats
    return ()


def with_move(state: State, seat: int, move: Move) -> Input:
    """The input by which `seat` chooses `move`; other asked seats take what they may."""
    turn = state.turn()
    if isinstance(turn, Ask):
        return Answers(tuple((s, move if s == seat else state.legal(s)[0]) for s in turn.seats))
    return move


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
    for _, _, state in (*sample(setting), *live_positions(setting)[:80]):
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


# ---------------------------------------------------------------------------------------------
# Three ways of knowing the cards


@every_setting
@few
@for_all(seed=seeds)
def test_live_and_open_play_agree(setting: Setting, seed: int) -> None:
    """The same moves on the same decks, live and open, lead to the same public states."""
    rng = Random(seed)
    dealer = Dealer(rng, live=True)
    live = opened = setting.start()
    for _, given, after in play(live, dealer, at_random(rng)):
        match given:
            case Shuffled():
                opened = opened.apply(Shuffled(dealer.dealt))
            case Seen() | Revealed():
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


@every_setting
@pytest.mark.rule("GEN-03")
def test_all_cards_of_a_hand_that_ended_are_public(setting: Setting) -> None:
    """Live and open alike, so that a match and its record end in the same public state."""
    for found in (live_positions(setting), positions(setting)):
        for _, given, after in found:
            ended = isinstance(after.turn(), Ask | Over) and not isinstance(given, Leave | Answers)
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
    for state, _, after in play(last, Dealer(rng, live=True), by_advice(rng)):
        last = after
        for seat in deciders(state):
            view = state.view(seat)
            before = fields(view)
            assert game.suggest(view, seat, Random(1)) in view.legal(seat)
            assert fields(view) == before
    assert isinstance(last.turn(), Over)


# ---------------------------------------------------------------------------------------------
# Ends


def check_result(state: State, result: Result) -> None:
    seats = state.seats
    assert len(result.scores) == len(result.paid) == len(result.won) == seats
    assert list(result.winners) == sorted(set(result.winners))
    assert set(result.winners) <= set(range(seats))
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", result.reason)
    assert all(amount >= 0 for amount in (*result.paid, *result.won))
    assert result.scores == state.scores()
    if result.winners:
        assert sum(result.won) == sum(result.paid)


@every_setting
@few
@for_all(seed=seeds)
def test_every_match_ends_with_a_balanced_result(setting: Setting, seed: int) -> None:
    last = setting.start()
    hand = last.hand
    assert last.standing().winners == ()
    for _, _, after in play_open(setting, seed):
        assert after.hand - hand in (0, 1), "hands are counted one by one"
        hand = after.hand
        last = after
        turn = after.turn()
        if not isinstance(turn, Over):
            assert after.standing().reason == "unfinished"
            assert sum(after.standing().won) <= sum(after.standing().paid)
    turn = last.turn()
    assert isinstance(turn, Over)
    assert turn.result.winners
    assert turn.result == last.standing()
    check_result(last, turn.result)


@every_setting
@few
@for_all(seed=seeds)
def test_a_match_is_its_record(setting: Setting, seed: int) -> None:
    game = registry.get(setting.game)
    rng = Random(seed)
    dealer = Dealer(rng, live=rng.random() < 0.5)
    start = setting.start()
    played = list(play(start, dealer, at_random(rng)))
    stop = rng.choice([len(played), rng.randrange(len(played)) + 1])
    inputs = [given for _, given, _ in played[:stop]]
    names = [f"P{seat}" for seat in range(setting.seats)]
    record = record_of(game, start.options, names, inputs)
    text = write_record(record)
    again = read_record(text)
    assert again == record
    assert write_record(again) == text
    assert normalize(again) == record
    last = check(again)
    if stop == len(played) or not dealer.live:
        end = played[stop - 1][2]
        assert last.public() == end.public()
        assert (last.turn(), last.piles(), last.faces) == (end.turn(), end.piles(), end.faces)


# ---------------------------------------------------------------------------------------------
# Leaving


def leavers(state: State, rng: Random) -> tuple[int, ...]:
    """Some seats of the hand or of the question that is open."""
    there = sorted({*state.players, *deciders(state)}) or list(range(state.seats))
    return tuple(sorted(rng.sample(there, rng.randint(1, min(2, len(there))))))


def play_and_leave(setting: Setting, seed: int, live: bool) -> Iterator[Position]:
    """A match by chance that seats leave at any point of it."""
    rng = Random(seed)
    dealer = Dealer(rng, live=live)
    state = setting.start()
    for _ in range(table.MAX_STEPS):
        given = table.next_input(state, dealer, at_random(rng))
        if given is None:
            return
        chance = 0.2 if isinstance(given, Revealed) else 0.03
        if rng.random() < chance:
            given = Leave(leavers(state, rng), rng.random() < 0.5)
        after = state.apply(given)
        yield state, given, after
        state = after
    raise AssertionError("the match doesn't end")


@every_setting
@few
@for_all(seed=seeds, live=st.booleans())
def test_seats_may_leave_at_any_point_and_the_match_still_ends(
    setting: Setting, seed: int, live: bool
) -> None:
    last = setting.start()
    for state, given, after in play_and_leave(setting, seed, live):
        if isinstance(given, Leave):
            check_left(state, given, after)
        last = after
    turn = last.turn()
    assert isinstance(turn, Over)
    check_result(last, turn.result)


@every_setting
@few
@for_all(seed=seeds, live=st.booleans())
def test_a_match_that_seats_left_is_its_record(setting: Setting, seed: int, live: bool) -> None:
    """Void hands, whose deck is unknown, and hands left after their showdown included."""
    start = setting.start()
    played = list(play_and_leave(setting, seed, live))
    names = [f"P{seat}" for seat in range(setting.seats)]
    record = record_of(start.game, start.options, names, [given for _, given, _ in played])
    text = write_record(record)
    assert read_record(text) == record
    assert normalize(record) == record
    last, end = check(record), played[-1][2]
    assert last.turn() == end.turn()
    assert last.public() == end.public()
    hands = [state.hand for state, given, _ in played if isinstance(given, Shuffled)]
    written = [entry.number for entry in record.entries if isinstance(entry, HandLine)]
    assert set(hands) <= set(written)
    assert written == sorted(set(written))


def check_left(state: State, given: Leave, after: State) -> None:
    """GEN-02: who left doesn't act; a hand in play is void, its number is used up."""
    asked = after.turn()
    hand_was_on = bool(state.faces)
    if isinstance(asked, Decide):
        assert asked.seat not in given.seats
    if isinstance(asked, Ask) and not given.may_return:
        assert not set(asked.seats) & set(given.seats)
    if not isinstance(asked, Ask | Over):
        assert not set(after.players) & set(given.seats)
    if hand_was_on and not isinstance(asked, Over | Ask):
        assert after.hand == state.hand + 1
        assert after.faces == b""
        assert after.promises == ()


@every_setting
def test_the_others_win_when_all_but_one_leave(setting: Setting) -> None:
    for state, _, _ in sample(setting, 20):
        if isinstance(state.turn(), Over) or not state.players:
            continue
        stays = state.players[0]
        gone = Leave(tuple(sorted(set(range(setting.seats)) - {stays})))
        try:
            after = state.apply(gone)
        except (IllegalMove, OutOfTurn):
            gone = Leave(tuple(sorted(set(state.players) - {stays})))
            after = state.apply(gone)
        turn = after.turn()
        assert isinstance(turn, Over), (state.turn(), turn)
        assert turn.result.winners == (stays,)
        check_result(after, turn.result)


@every_setting
def test_leaving_voids_a_hand_wherever_it_stands(setting: Setting) -> None:
    """A void hand's effect is who left: the point in the hand and its cards don't matter, which
    is why a record can say it without the deck."""
    for early, late in voided(setting):
        assert early.turn() == late.turn()
        assert early.standing() == late.standing()
        assert (early.hand, early.dealer) == (late.hand, late.dealer)
        if not isinstance(early.turn(), Ask | Over):
            assert early.public() == late.public()


@every_game
def test_nothing_of_a_void_hand_is_left(name: str) -> None:
    for setting in SETTINGS:
        if setting.game == name:
            for early, late in voided(setting):
                assert late.faces == b""
                assert late.promises == ()
                assert early.public() == late.public()


def voided(setting: Setting) -> Iterator[tuple[State, State]]:
    """A hand left at once, and the same hand left by the same seats later on."""
    first: dict[int, State] = {}
    rng = Random(2)
    for state, given, after in live_positions(setting):
        if isinstance(given, Shuffled):
            first[after.hand] = after
        turn = state.turn()
        playing = isinstance(turn, Decide) or (
            isinstance(turn, Cards) and isinstance(turn.requests[0], Show | Open)
        )
        if playing and state.faces and rng.random() < 0.3:
            gone = Leave(tuple(sorted(state.players[: rng.randint(1, len(state.players))])))
            yield first[state.hand].apply(gone), state.apply(gone)


@every_game
def test_errors_of_the_rules_name_rules_that_are_written(name: str) -> None:
    game = registry.get(name)
    for spec in house_rules.specs(game.options_type).values():
        assert spec.rule in rule_ids()


# ---------------------------------------------------------------------------------------------
# Tokens and the pot of Petrangola


@pytest.mark.rule("PET-03", "PET-50", "PET-51")
@pytest.mark.parametrize("preset", ["marche", "emilia", "pagat"])
@pytest.mark.parametrize("leaving", [False, True], ids=["staying", "leaving"])
@few
@for_all(seed=seeds, seats=st.integers(2, 9), stake=st.integers(1, 9))
def test_tokens_and_the_pot_are_conserved(
    preset: str, leaving: bool, seed: int, seats: int, stake: int
) -> None:
    """`bought`: the pot is what was paid, a full price a purchase. `lost_tokens`: a token is in
    somebody's hand or in the pot, and the bonus comes from there."""
    game = registry.get("petrangola")
    options = table.options_of(game, preset, [("stake", str(stake))])
    start = game.start(options, seats)
    price = stake * options.tokens
    again = 0
    rng = Random(seed)
    state = start
    dealer = Dealer(rng)
    for _ in range(table.MAX_STEPS):
        given = table.next_input(state, dealer, at_random(rng))
        if given is None:
            break
        if leaving and rng.random() < 0.03:
            given = Leave(leavers(state, rng), rng.random() < 0.5)
        if isinstance(given, Answers):
            again += sum(game.encode(move) == ("reenter",) for _, move in given.moves)
        state = state.apply(given)
        result = state.standing()
        drawn = result.won if not isinstance(state.turn(), Over) else (0,)
        if options.pot == "bought":
            assert sum(result.paid) == price * (seats + again)
            assert sum(drawn) == 0
        elif not isinstance(state.turn(), Over):
            assert stake * sum(state.scores()) + sum(result.paid) - sum(drawn) == price * seats
    assert isinstance(state.turn(), Over)
