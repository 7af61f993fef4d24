"""The fast roll-outs of Picchetto against the states that they stand for."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from engine.contract import Decide, Drawn, Move, Shuffled
from engine.errors import OutOfTurn
from engine.games import picchetto_rollout as fast
from engine.games.picchetto import GAME, Phase, PicchettoState
from engine.games.picchetto_cards import hand_of
from engine.games.picchetto_declare import Category
from engine.games.picchetto_moves import (
    EQUAL,
    HOW_MUCH,
    NOT_GOOD,
    Announce,
    Change,
    Play,
    Produce,
)
from tests.engine.picchetto_desk import make_options

SETTINGS = [
    (),
    ("must_win=false",),
    ("trick_scoring=two_per_trick",),
    ("irregular_hands=true", "min_exchange=2"),
    ("target=60",),
    ("mode=rubicone", "deck=regional32"),
]
every_setting = pytest.mark.parametrize("given", SETTINGS, ids=",".join)


def dealt(given: Sequence[str], rng: Random) -> PicchettoState:
    state = GAME.start(make_options(*given), 2)
    faces = list(range(32))
    state = state.apply(Drawn(tuple(faces)))
    rng.shuffle(faces)
    return state.apply(Shuffled(bytes(faces)))


def best(state: PicchettoState) -> Move:
    """What says the most of all that is true."""
    legal = state.legal()
    talk = state.talk
    if state.phase in {Phase.CLAIM, Phase.COUNTER}:
        claims = [move for move in legal if isinstance(move, Announce)]
        if state.phase is Phase.COUNTER and talk and talk.claim:
            claims = [move for move in claims if move.claim.beats(talk.claim)]
            if not claims and HOW_MUCH in legal:
                return HOW_MUCH
        return max(claims, key=lambda m: (m.claim.size, m.claim.value)) if claims else legal[0]
    if state.phase is Phase.VERDICT:
        return next(word for word in (NOT_GOOD, EQUAL, legal[0]) if word in legal)
    if state.phase is Phase.PRODUCE:
        shown = [move for move in legal if isinstance(move, Produce)]
        price = state.match.pack.price
        return max(shown, key=lambda m: (m.cards.bit_count(), price(state.known.hand(m.cards))))
    return legal[-1]


def exchanged(state: PicchettoState, rng: Random) -> PicchettoState:
    """After exchanges by chance."""
    while state.phase in {Phase.ELDER, Phase.YOUNGER}:
        changes = [move for move in state.legal() if isinstance(move, Change)]
        state = state.apply(rng.choice(changes or state.legal()))
    while state.phase in {Phase.FIX, Phase.CHANGE}:
        state = state.apply(rng.choice(state.legal()))
    return state


def to_the_end(state: PicchettoState, rng: Random) -> tuple[list[int], PicchettoState]:
    """The points when the hand is over, by the states alone, and the last position in it."""
    hand, codes = state.hand, state.known.codes
    while True:
        before = state
        if state.phase is Phase.PLAY:
            plays = {codes[move.slot]: move for move in state.legal() if isinstance(move, Play)}
            led = codes[state.led] if state.led >= 0 else -1
            state = state.apply(plays[fast.choose(hand_of(plays), led, rng)])
        else:
            state = state.apply(best(state))
        if state.hand != hand or not isinstance(state.turn(), Decide):
            factor = before.match.factor
            gained = [
                (after - was) // factor
                for after, was in zip(state.scores(), before.scores(), strict=True)
            ]
            return [gained[seat] for seat in before.players], before


@every_setting
@pytest.mark.rule("PIC-22", "PIC-23", "PIC-25", "PIC-30", "PIC-34", "PIC-40")
def test_a_roll_out_counts_what_the_states_count(given: tuple[str, ...]) -> None:
    for seed in range(60):
        rng = Random(seed)
        state = exchanged(dealt(given, rng), rng)
        if state.phase is not Phase.CLAIM:
            continue
        points, _ = to_the_end(state, Random(seed))
        assert list(fast.play_out(state, Random(seed))) == points, seed


@every_setting
def test_a_roll_out_goes_on_from_the_middle_of_a_hand(given: tuple[str, ...]) -> None:
    for seed in range(25):
        rng = Random(seed)
        state = exchanged(dealt(given, rng), rng)
        for _ in range(rng.randrange(30)):
            after = state.apply(best(state))
            if after.hand != state.hand or not isinstance(after.turn(), Decide):
                break
            state = after
        if state.phase not in {Phase.CLAIM, Phase.PLAY}:
            continue
        points, _ = to_the_end(state, Random(seed))
        assert list(fast.play_out(state, Random(seed))) == points, seed


def test_an_exchange_keeps_the_sizes_of_hands_and_what_helps() -> None:
    rng = Random(3)
    for _ in range(50):
        codes = rng.sample(range(32), 12)
        hand = sum(1 << code for code in codes)
        put = fast.discard(hand, 5, rng)
        assert put & ~hand == 0
        assert put.bit_count() == 5
    aces = sum(1 << 8 * suit + 7 for suit in range(4))
    low = sum(1 << code for code in (0, 1, 8, 9, 16, 17, 24, 25))
    assert not fast.discard(aces | low, 5, rng) & aces


def test_a_roll_out_goes_on_from_any_choice_of_a_hand() -> None:
    for seed in range(40):
        rng = Random(seed)
        state = dealt(SETTINGS[seed % len(SETTINGS)], rng)
        for _ in range(rng.randrange(14)):
            if isinstance(state.turn(), Decide):
                state = state.apply(rng.choice(state.legal()))
        one, other = (fast.roll_out(state, seat, Random(seed)) for seat in (0, 1))
        assert one == -other
        assert abs(one) < 1000


def test_a_roll_out_needs_an_open_hand() -> None:
    view = dealt((), Random(1)).view(0)
    assert isinstance(view, PicchettoState)
    with pytest.raises(OutOfTurn):
        fast.play_out(view, Random(1))


def test_whoever_can_win_a_trick_wins_it_cheaply() -> None:
    rng = Random(1)
    rng.random = lambda: 0.99  # type: ignore[method-assign]  # no card by chance
    ace, king, seven, ten = 7, 6, 0, 8 + 3
    assert fast.choose(hand_of([seven, king, ace]), 5, rng) == king
    assert fast.choose(hand_of([seven, 1]), 5, rng) == seven
    assert fast.choose(hand_of([ten + 1, ten + 8, ten]), 5, rng) == ten
    assert fast.follow(hand_of([seven, king, ten]), 5, must_win=True) == hand_of([king])
    assert fast.follow(hand_of([seven, king, ten]), 5, must_win=False) == hand_of([seven, king])
    assert fast.follow(hand_of([ten]), 5, must_win=True) == hand_of([ten])


def test_equal_claims_and_no_claims_count_nothing() -> None:
    state = dealt((), Random(1))
    points = [0, 0]
    three = 0b0111
    hands = (three, three << 8)
    pack = state.match.pack
    assert not fast.declare(pack, hands, points, state.lay, Category.POINT)
    assert points == [0, 0]
    assert not fast.declare(pack, (three << 1, three << 8), points, state.lay, Category.POINT)
    assert points == [3 + 3, 0]
