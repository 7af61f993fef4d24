"""What Picchetto tells to whom: nothing by hidden cards, no ciphertext to two (PIC-14, PIC-26).

Whole hands are played live with real reseals, by several house rules.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

import pytest

from engine.cards import UNKNOWN
from engine.contract import (
    Cards,
    Decide,
    Draw,
    Drawn,
    Input,
    Move,
    Open,
    Over,
    Reseal,
    Resealed,
    Seen,
    Show,
    Shuffle,
)
from engine.games.picchetto import GAME, Phase, PicchettoState
from engine.games.picchetto_bot import suggest
from engine.record import read_record, write_record
from engine.replay import check, record_of
from tests.engine.picchetto_desk import Desk, Sealed, begin, desk, is_shown_once, make_options

HOUSES = [
    (),
    ("irregular_hands=true", "packet=2"),
    ("deck=regional32", "trick_scoring=two_per_trick", "must_win=false"),
    ("bianca_must_announce=true", "min_exchange=2"),
]
each_house = pytest.mark.parametrize(
    "given", HOUSES, ids=["plain", "irregular", "regional", "must"]
)


def played(made: Desk, rng: Random) -> Iterator[tuple[PicchettoState, Move]]:
    """Play the hand, half by advice and half by chance: each position and the move made in it."""
    hand = made.state.hand
    while made.state.hand == hand and isinstance(turn := made.state.turn(), Decide):
        view = made.seen(turn.seat)
        legal = view.legal()
        move = suggest(view, turn.seat, rng) if rng.random() < 0.5 else rng.choice(legal)
        yield made.state, move
        made.lie(move, honest=True)


@each_house
@pytest.mark.rule("PIC-14")
@pytest.mark.parametrize("seed", range(5))
def test_no_ciphertext_goes_to_two_seats(given: tuple[str, ...], seed: int) -> None:
    made = desk("", "", "", *given, live=True, seed=seed)
    made.dealer.rng = Random(seed)
    for _ in played(made, Random(seed)):
        pass
    assert is_shown_once(made.dealer.asked)
    elder, younger = 0, 1
    shows = [r for r in made.dealer.asked if isinstance(r, Show)]
    assert {r.to for r in shows} == {elder, younger}


def test_the_law_about_ciphertexts_can_fail() -> None:
    assert not is_shown_once([Show((1,), 0), Show((1,), 1)])
    assert not is_shown_once([Show((1, 2), 0), Reseal((2,), 0), Show((1,), 1)])
    assert is_shown_once([Show((1, 2), 0), Reseal((1, 2), 0), Show((1,), 1)])


@each_house
@pytest.mark.rule("PIC-14")
def test_a_live_state_never_holds_a_card_that_is_not_public(given: tuple[str, ...]) -> None:
    """After a reseal neither faces nor bits are left; what is known is what lies there now."""
    for seed in range(3):
        made = desk("", "", "", *given, live=True, seed=seed)
        for state, _ in played(made, Random(seed)):
            for slot, face in enumerate(state.faces):
                assert (face != UNKNOWN) == bool(state.opened >> slot & 1)
                if face != UNKNOWN:
                    assert face == made.dealer.faces[slot]


def test_a_reseal_clears_what_was_known_of_its_slots() -> None:
    made = Desk(begin(), Sealed(True, Random(1), bytes(range(32))))
    while isinstance(turn := made.state.turn(), Cards):
        before = made.state
        made.give(made.dealer.answer(turn))
        if isinstance(turn.requests[0], Reseal):
            mask = sum(1 << slot for slot in turn.requests[0].slots)
            for known in (made.state.opened, *made.state.shown):
                assert not known & mask
            assert made.state.reseals == before.reseals + 1


# ---------------------------------------------------------------------------------------------
# Two deals that differ in what a seat can't know


def swapped(made: Desk, blind: int, rng: Random) -> Desk:
    """The same position in another deal: the cards that seat `blind` doesn't see are dealt
    otherwise, among themselves."""
    mask = made.state.visible(blind)
    hidden = [slot for slot in range(32) if not mask >> slot & 1]
    faces = list(made.dealer.faces)
    others = [faces[slot] for slot in hidden]
    rng.shuffle(others)
    for slot, face in zip(hidden, others, strict=True):
        faces[slot] = face
    return Desk(made.state, Sealed(True, Random(0), made.dealer.deck, faces))


@each_house
@pytest.mark.rule("PIC-26", "PIC-14", "PIC-20")
@pytest.mark.parametrize("seed", range(4))
def test_hidden_cards_change_neither_the_public_state_nor_the_live_moves(
    given: tuple[str, ...], seed: int
) -> None:
    """At every decision the other player's cards are dealt otherwise. Whatever then is answered
    in words, both tables look alike, and so do the moves that a spectator thinks there are."""
    rng = Random(seed)
    made = desk("", "", "", *given, live=True, seed=seed)
    compared = 0
    for state, move in played(made, rng):
        seat = made.to_move
        other = swapped(made, 1 - seat, rng)
        assert other.state.public() == state.public()
        assert list(other.state.legal()) == list(state.legal())
        opened = isinstance(after := state.apply(move).turn(), Cards) and any(
            isinstance(request, Open) for request in after.requests
        )
        if opened or move not in other.seen(seat).legal():
            continue
        mine, theirs = state.apply(move), other.state.apply(move)
        assert mine.public() == theirs.public()
        assert mine.notes == theirs.notes
        assert mine.promises == theirs.promises
        compared += 1
    assert compared > 4


@pytest.mark.rule("PIC-26")
@pytest.mark.parametrize("seed", range(6))
def test_a_spectator_of_the_live_state_sees_the_same_moves_whatever_is_held(seed: int) -> None:
    """The lists of a live state through a whole hand, against another deal of the same hand in
    which everything that never came out lies otherwise."""
    made = desk(live=True, seed=seed)
    script: list[tuple[object, list[Move]]] = []
    moves: list[Move] = []
    state = made.state
    for position, move in played(made, Random(seed)):
        script.append((position.public(), list(position.legal())))
        moves.append(move)
    again = state
    for (public, legal), move in zip(script, moves, strict=True):
        assert (again.public(), list(again.legal())) == (public, legal)
        again = again.apply(move)
        while isinstance(turn := again.turn(), Cards) and again.hand == state.hand:
            if again.phase is Phase.REVEAL:
                break
            if isinstance(turn.requests[0], Reseal):
                again = again.apply(Resealed())
                continue
            opens = [slot for r in turn.requests if isinstance(r, Open) for slot in r.slots]
            again = again.apply(Seen(tuple(made.dealer.faces[slot] for slot in opens)))
    assert again.phase is Phase.REVEAL


@each_house
def test_advice_depends_on_what_the_seat_sees_alone(given: tuple[str, ...]) -> None:
    made = desk("", "", "", *given, live=True, seed=7)
    rng = Random(7)
    for _, _ in played(made, rng):
        seat = made.to_move
        other = swapped(made, seat, rng)
        mine, theirs = made.seen(seat), other.seen(seat)
        assert list(mine.legal()) == list(theirs.legal())
        assert suggest(mine, seat, Random(1)) == suggest(theirs, seat, Random(1))
        assert [GAME.format(mine, m) for m in mine.legal()[:50]] == [
            GAME.format(theirs, m) for m in theirs.legal()[:50]
        ]


# ---------------------------------------------------------------------------------------------
# Open, live and written down


@each_house
@pytest.mark.parametrize("seed", range(3))
def test_a_live_match_with_real_reseals_is_its_record(given: tuple[str, ...], seed: int) -> None:
    rng = Random(seed)
    options = make_options(*given, "target=60")
    state = GAME.start(options, 2)
    inputs: list[Input] = []
    dealer = Sealed(True, rng)
    made = Desk(state, dealer)
    while not isinstance(turn := made.state.turn(), Over):
        match turn:
            case Decide(seat):
                view = made.seen(seat)
                choice = rng.choice(view.legal())
                inputs.append(suggest(view, seat, rng) if rng.random() < 0.5 else choice)
            case Cards((Draw(), *_)):
                inputs.append(Drawn(tuple(rng.sample(range(32), 32))))
            case Cards():
                if isinstance(turn.requests[0], Shuffle):
                    dealer.deck = bytes(rng.sample(range(32), 32))
                inputs.append(dealer.answer(turn))
        made.give(inputs[-1])
    record = record_of(GAME, options, ["Ada", "Bruno"], inputs)
    text = write_record(record)
    assert read_record(text) == record
    end = check(record)
    assert end.standing() == made.state.standing()
    assert end.scores() == made.state.scores()


@pytest.mark.parametrize("seed", range(3))
def test_a_live_position_can_be_played_on_openly(seed: int) -> None:
    """From any point of a hand, card requests that are due included."""
    rng = Random(seed)
    made = desk(live=True, seed=seed)
    for state, move in played(made, rng):
        faces = bytes(made.dealer.faces)
        for position in (state, state.apply(move)):
            opened = position.played_openly(faces)
            hand = state.hand
            while opened.hand == hand and isinstance(opened.turn(), Decide):
                opened = opened.apply(rng.choice(opened.legal()))
            assert opened.hand == hand + 1 or isinstance(opened.turn(), Over)


@each_house
@pytest.mark.parametrize("live", [False, True], ids=["open", "live"])
def test_sampled_deals_agree_with_what_a_seat_sees_and_was_told(
    given: tuple[str, ...], live: bool
) -> None:
    rng = Random(3)
    made = desk("", "", "", *given, live=live, seed=3)
    for state, _ in played(made, rng):
        seat = made.to_move
        view = made.seen(seat)
        world = GAME.determine(view, seat, Random(5))
        for slot, face in enumerate(view.faces):
            assert not view.visible(seat) >> slot & 1 or world.faces[slot] == face
        assert world.public() == state.public()
        if live:
            other = swapped(made, seat, rng)
            again = GAME.determine(other.seen(seat), seat, Random(5))
            assert again.faces == world.faces, "nothing hidden is looked up"
        assert abs(GAME.roll_out(world, seat, rng)) < 1000


def test_a_sampled_deal_holds_what_the_other_claimed() -> None:
    made = desk(live=True, seed=1)
    for _ in range(2):
        made.say(made.may()[0])
    made.say(made.may()[-1])
    size = made.told("claims-point")[0][1][0]
    assert size > 3
    for seed in range(20):
        world = GAME.determine(made.seen(1), 1, Random(seed))
        assert isinstance(world, PicchettoState)
        hand = world.known.hand(world.held[0])
        assert max((hand >> 8 * suit & 255).bit_count() for suit in range(4)) >= size
