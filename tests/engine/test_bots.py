"""What games offer to computer players: worlds that agree with the view, and roll-outs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import cast

import pytest

from engine import registry, worlds
from engine.contract import Answers, Ask, Cards, Decide, Move, Over, Shuffle, State
from engine.errors import EngineError
from engine.games import briscola_careful, mambassa_playout, mambassa_settle, petrangola_playout
from engine.games.briscola_state import BriscolaState
from engine.games.mambassa_hands import DECLARED, is_declared
from engine.games.mambassa_position import Phase as MambassaPhase
from engine.games.mambassa_state import MambassaState
from engine.games.petrangola import Exchange, PetrangolaState
from engine.games.petrangola_bot import suggest as petrangola_move
from engine.games.petrangola_moves import CAMICIA, KNOCK, KNOCK_SHOW, STAY
from engine.games.petrangola_position import Phase
from tests.engine.petrangola_desk import seat_down
from tests.engine.table import Dealer, Setting, at_random, by_advice, play

every_game = pytest.mark.parametrize("name", registry.GAMES)
Choice = tuple[State, State, int]


def setting(name: str) -> Setting:
    game = registry.get(name)
    return Setting(name, game.default_preset, min(max(3, game.min_seats), game.max_seats))


@cache
def choices(name: str, most: int = 40) -> tuple[Choice, ...]:
    """(live state, the view of who is to choose, that seat) where a deck lies dealt."""
    found: list[Choice] = []
    for seed in range(3):
        rng = Random(seed)
        dealer = Dealer(rng, live=True)
        choose = by_advice(rng) if seed else at_random(rng)
        for state, _, _ in itertools.islice(play(setting(name).start(), dealer, choose), 500):
            turn = state.turn()
            if state.faces and isinstance(turn, Decide | Ask):
                seats = (turn.seat,) if isinstance(turn, Decide) else turn.seats
                found += [(state, dealer.seen_by(state, seat), seat) for seat in seats]
    return tuple(found[:: max(1, len(found) // most)])


# -- worlds ----------------------------------------------------------------------------------------


@every_game
def test_a_world_is_a_whole_deck_that_holds_what_the_seat_sees(name: str) -> None:
    for n, (_, view, seat) in enumerate(choices(name)):
        world = view.game.determine(view, seat, Random(n))
        world.deck.check(world.faces)
        mask = view.visible(seat)
        seen = [slot for slot in range(world.deck.size) if mask >> slot & 1]
        assert [world.faces[slot] for slot in seen] == [view.faces[slot] for slot in seen]


@every_game
def test_in_a_world_the_seat_has_the_same_choice(name: str) -> None:
    for n, (_, view, seat) in enumerate(choices(name)):
        world = view.game.determine(view, seat, Random(n))
        assert world.turn() == view.turn()
        assert set(world.legal(seat)) == set(view.legal(seat))
        assert world.public() == view.public()


@every_game
def test_worlds_differ_where_cards_are_hidden(name: str) -> None:
    for _, view, seat in choices(name, 12):
        if len(worlds.hidden(view, seat)[0]) > 8:
            found = {view.game.determine(view, seat, Random(n)).faces for n in range(6)}
            assert len(found) > 1


@every_game
def test_a_world_breaks_no_promise(name: str) -> None:
    """Played on openly to the end of its hand, nothing in it is refuted."""
    for n, (_, view, seat) in enumerate(choices(name)):
        world = view.game.determine(view, seat, Random(n))
        for state in to_the_end(world, Random(n)):
            assert not state.breaches


def to_the_end(world: State, rng: Random) -> Iterator[State]:
    """The positions of an open hand by chance, the one after it included."""
    state, hand = world, world.hand
    while state.hand == hand and not isinstance(turn := state.turn(), Cards | Over):
        seat = turn.seat if isinstance(turn, Decide) else turn.seats[0]
        given = worlds.chosen(state, seat, rng.choice(state.legal(seat)), rng)
        state = state.apply(given)
        yield state


def test_a_guess_refuses_cards_that_are_no_deck() -> None:
    view = next(view for _, view, seat in choices("traversone") if view.visible(seat))
    seat = cast(Decide, view.turn()).seat
    slots = [slot for slot in range(40) if view.visible(seat) >> slot & 1][:2]
    faces = bytearray(view.faces)
    faces[slots[0]] = faces[slots[1]]
    with pytest.raises(EngineError, match="part of the deck"):
        worlds.guess(view.with_faces(bytes(faces)), seat, Random(1))


def spectator() -> tuple[State, int]:
    """A view at the first turn of Petrangola: 31 cards can't be seen."""
    view = next(v for _, v, _ in choices("petrangola") if cast(PetrangolaState, v).turns == 0)
    return view, cast(Decide, view.turn()).seat


def test_hands_are_dealt_by_their_weights() -> None:
    view, seat = spectator()
    slots, pool = worlds.hidden(view, seat)
    never, rare, often = ((pool[n],) for n in range(3))
    hands = worlds.weighed((slots[5],), (never, rare, often), (0.0, 1.0, 3.0))
    assert hands is not None
    dealt = [worlds.likely(view, seat, [hands], Random(n))[slots[5]] for n in range(400)]
    assert set(dealt) == {*rare, *often}
    assert 250 < dealt.count(*often) < 350
    assert worlds.weighed((slots[5],), (never,), (0.0,)) is None


def test_weighed_hands_share_no_card() -> None:
    """Two players of whom each holds one of two cards; a third for whom nothing is left."""
    view, seat = spectator()
    slots, pool = worlds.hidden(view, seat)
    both = ((pool[0],), (pool[1],))
    hands = [worlds.weighed((slot,), both, (1.0, 1.0)) for slot in slots[:3]]
    for count in (2, 3):
        for n in range(50):
            given = [hand for hand in hands[:count] if hand]
            deck = worlds.likely(view, seat, given, Random(n))
            view.deck.check(deck)
            if count == 2:
                assert {deck[slot] for slot in slots[:2]} == {pool[0], pool[1]}


@pytest.mark.parametrize("most", [1, 10, 100, 5000])
def test_some_hands_lie_evenly_among_all(most: int) -> None:
    hands = worlds.some_hands(range(20), 3, most)
    assert len(hands) <= most or len(hands) == math.comb(20, 3)
    assert len(hands) >= min(most, math.comb(20, 3)) / 3
    assert len(set(hands)) == len(hands)
    if most >= 100:
        assert {face for hand in hands for face in hand} == set(range(20))


# -- roll-outs -------------------------------------------------------------------------------------


@every_game
def test_a_roll_out_is_a_whole_number_that_chance_alone_changes(name: str) -> None:
    for n, (_, view, seat) in enumerate(choices(name, 15)):
        world = view.game.determine(view, seat, Random(n))
        turn = world.turn()
        move = world.legal(seat)[0]
        others = turn.seats if isinstance(turn, Ask) else (seat,)
        given = (
            Answers(tuple((s, move if s == seat else world.legal(s)[0]) for s in others))
            if isinstance(turn, Ask)
            else move
        )
        after = world.apply(given)
        once, again = (view.game.roll_out(after, seat, Random(3)) for _ in range(2))
        assert type(once) is int
        assert once == again


@every_game
def test_the_default_advances_a_live_state_by_the_deck(name: str) -> None:
    """A hand that stays live is played to its end with the cards of one deck."""
    state = setting(name).start()
    rng = Random(2)
    dealer = Dealer(rng, live=True)
    while not state.faces:
        turn = state.turn()
        given = dealer.answer(turn) if isinstance(turn, Cards) else state.legal()[0]
        state = state.apply(given)
    known = state.with_faces(dealer.dealt)
    hand = known.hand
    for _ in range(500):
        known = worlds.advance(known, dealer.dealt)
        turn = known.turn()
        if known.hand != hand or isinstance(turn, Over | Cards):
            break
        seat = turn.seat if isinstance(turn, Decide) else turn.seats[0]
        known = known.apply(worlds.chosen(known, seat, rng.choice(known.legal(seat)), rng))
    turn = known.turn()
    assert known.hand == hand + 1 or isinstance(turn, Over)
    assert not isinstance(turn, Cards) or isinstance(turn.requests[0], Shuffle)
    assert not known.breaches


# -- Petrangola ------------------------------------------------------------------------------------


def petrangola_worlds(preset: str, seats: int, count: int) -> Iterator[PetrangolaState]:
    """Open positions at the first turn, or after the dealer's swap."""
    rng = Random(seats)
    for n in range(count):
        state: State = Setting("petrangola", preset, seats).start()
        dealer = Dealer(rng, generous=n % 2 == 0)
        while cast(PetrangolaState, state).phase is not Phase.PLAY:
            turn = state.turn()
            given = dealer.answer(turn) if isinstance(turn, Cards) else rng.choice(state.legal())
            state = state.apply(given)
        yield cast(PetrangolaState, state)


def move_to(state: PetrangolaState, hand: tuple[int, ...]) -> Move:
    """The move after which these faces are in the hand of whoever is to move."""
    held = tuple(state.faces[slot] for slot in (*state.held[state.at], *state.monte))
    for move in state.legal():
        after = held[3:] if move == CAMICIA else held[:3]
        if isinstance(move, Exchange):
            after = move.hand(held)
        if sorted(after) == sorted(hand):
            return move
    raise AssertionError("no move leads there")


@pytest.mark.rule("PET-20", "PET-23")
@pytest.mark.parametrize("preset", ["marche", "emilia", "pagat"])
@pytest.mark.parametrize("seats", [2, 4, 14])
def test_a_roll_out_plays_as_the_states_do(preset: str, seats: int) -> None:
    """The same plans move by move: the same hands, completed at the same times."""
    p = petrangola_playout
    for start in petrangola_worlds(preset, seats, 12):
        hands, when = p.finish(start)
        keys, worths = p.tables(start.match.judge)
        own = [tuple(start.faces[s] for s in held) for held in start.held]
        monte = tuple(start.faces[s] for s in start.monte)
        state = start
        while state.phase is Phase.PLAY:
            at, cards = state.at, own[state.at] + monte
            if state.left < 0:
                plan = p.on(cards, p.enough(seats, state.turns // seats), worths)
            else:
                plan = p.last(cards, keys)
            places = p.SIX[plan]
            own[at] = tuple(cards[place] for place in places)
            monte = tuple(cards[place] for place in range(6) if place not in places)
            state = state.apply(move_to(state, own[at]))
        assert own == hands
        outcome = state.outcome or start.outcome
        assert outcome is not None
        assert [start.match.judge.value(hand) for hand in hands] == list(outcome.values)
        tokens = outcome.match.tokens
        for seat in range(seats):
            due = tokens[seat] * seats - sum(tokens)
            assert p.play_out(start, seat, Random(1)) == due
            assert p.play_out(state, seat, Random(1)) == due
        late = [w for w, v in zip(when, outcome.values, strict=True) if v.petrangola]
        assert len(set(when)) == seats or not late


@pytest.mark.parametrize(("seats", "hands"), [(2, 400), (3, 60), (7, 30)])
def test_hands_of_players_by_advice_end_soon(seats: int, hands: int) -> None:
    """Nobody waits for ever for a better hand than the others."""
    longest = 0
    for start in petrangola_worlds("emilia", seats, hands):
        state, turns = start, 0
        while state.phase is Phase.PLAY and state.hand == start.hand and turns < 20 * seats:
            seat = state.players[state.at]
            view = cast(PetrangolaState, state.view(seat))
            move = petrangola_move(view, seat, Random(turns))
            state = state.apply(move)
            turns += 1
        longest = max(longest, turns)
    assert longest <= 9 * seats


@pytest.mark.parametrize(("monte", "expected"), [("Ac Rc 4d", CAMICIA), ("2c 5d 7s", STAY)])
def test_the_dealer_keeps_a_good_monte_unseen_and_turns_a_bad_one_up(
    monte: str, expected: Move
) -> None:
    desk = seat_down({}, monte, seats=4)
    assert petrangola_move(desk.seen(0), 0, Random(1)) == expected


def open_slots(state: PetrangolaState, *slots: int) -> PetrangolaState:
    """The same position with these cards public."""
    new = state.with_faces(state.faces)
    new.opened |= sum(1 << slot for slot in slots)
    return new


@pytest.mark.rule("PET-62")
def test_a_card_that_the_next_player_collects_is_denied() -> None:
    """Seat 1 could have 19 points of bastoni; seat 2 is known to want the 7 of spade."""
    desk = seat_down({1: "2c 4d 6b", 2: "7c 7d Ac"}, "7s Cb 3b").say("stay")
    state = desk.state
    seven = state.monte[0]
    free = petrangola_move(desk.seen(1), 1, Random(1))
    assert isinstance(free, Exchange)
    assert 0 not in free.take, "what seat 2 holds isn't known yet"
    seen = open_slots(desk.seen(1), *state.held[1][:2])
    for seed in range(5):
        move = petrangola_move(seen, 1, Random(seed))
        after = state.apply(move)
        assert seven in after.hand_of(1)


def test_the_last_turn_beats_the_hand_that_is_known_to_be_bad() -> None:
    """Seat 1 knocked with a known hand of 12; seat 2 takes what is surely better."""
    desk = seat_down({1: "Ac 2d 3s", 2: "4b 5d 6c", 0: "Rd Cd 2s"}, "7b Fs 3b").say("stay", "knock")
    state = open_slots(desk.seen(2), *desk.state.held[0])
    hand = state.apply(petrangola_move(state, 2, Random(1))).hand_of(2)
    assert desk.state.match.judge.value([desk.deck[slot] for slot in hand]).points == 14


def test_whoever_holds_a_petrangola_knocks() -> None:
    desk = seat_down({1: "2c 2d 2s"}, "7s Cb 3b").say("stay")
    assert petrangola_move(desk.seen(1), 1, Random(1)) == KNOCK
    shown = seat_down({1: "2c 2d 2s"}, "7s Cb 3b", preset="marche").say("stay")
    assert petrangola_move(shown.seen(1), 1, Random(1)) == KNOCK_SHOW


@pytest.mark.rule("PET-24")
def test_no_world_gives_a_petrangola_to_who_knocked_plain() -> None:
    hands = {1: "Ac Rc 3s", 2: "4b 5d 6c", 0: "Rd Cd 2s"}
    desk = seat_down(hands, "7b Fs 3b", preset="marche", live=True).say("stay", "knock")
    view = desk.seen(2)
    (promise,) = view.promises
    judge = view.match.judge
    for seed in range(200):
        world = view.game.determine(view, 2, Random(seed))
        assert not judge.value([world.faces[slot] for slot in promise.slots]).petrangola


def test_who_knocked_is_taken_to_have_had_a_reason() -> None:
    """No world gives the player who knocked a hand that nobody knocks with."""
    desk = seat_down({}, "7s Cb 3b", live=True).say("stay", "knock")
    view = desk.seen(2)
    judge = view.match.judge
    for seed in range(60):
        world = view.game.determine(view, 2, Random(seed))
        assert judge.value([world.faces[slot] for slot in view.held[0]]).key >= 17


# -- Briscola --------------------------------------------------------------------------------------


@pytest.mark.rule("BRI-06", "BRI-07")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_careful_roll_outs_reach_what_moves_can_reach(seats: int) -> None:
    rng = Random(seats)
    for seed in range(3):
        state = Setting("briscola", "classic", seats).start()
        dealer = Dealer(Random(seed))
        while not (state.faces and ends_soon(cast(BriscolaState, state))):
            turn = state.turn()
            given = dealer.answer(turn) if isinstance(turn, Cards) else rng.choice(state.legal())
            state = state.apply(given)
        reached = outcomes(state)
        for _ in range(20):
            points = briscola_careful.play_out(cast(BriscolaState, state), rng)
            assert sum(points) == 120
            assert tuple(sorted(zip(state.players, points, strict=True))) in reached


def ends_soon(state: BriscolaState, cards: int = 2) -> bool:
    return state.stock > state.deck.size and max(map(len, state.held)) <= cards


def outcomes(state: State) -> set[tuple[tuple[int, int], ...]]:
    """(seat, points) of every end of the hand."""
    counts = [(note.seat, note.values[0]) for note in state.notes if note.kind == "counts"]
    if counts:
        return {tuple(sorted(counts))}
    return set(itertools.chain(*(outcomes(state.apply(move)) for move in state.legal())))


@pytest.mark.parametrize("seed", range(12))
def test_two_players_play_the_last_cards_as_well_as_can_be(seed: int) -> None:
    """By every line of moves, each player choosing what is best for itself."""
    state: State = Setting("briscola", "classic", 2).start()
    dealer, rng = Dealer(Random(seed)), Random(seed)
    while not (state.faces and ends_soon(cast(BriscolaState, state), 3)):
        turn = state.turn()
        given = dealer.answer(turn) if isinstance(turn, Cards) else rng.choice(state.legal())
        state = state.apply(given)
    for _ in range(3):  # a lead, the answer, a lead
        last = cast(BriscolaState, state)
        points = briscola_careful.best_play(last)
        assert dict(zip(last.players, points, strict=True)) == best_end(state)
        state = state.apply(rng.choice(state.legal()))


def best_end(state: State) -> dict[int, int]:
    """The points of each seat after the best play of both."""
    counts = [(note.seat, note.values[0]) for note in state.notes if note.kind == "counts"]
    if counts:
        return dict(counts)
    seat = cast(Decide, state.turn()).seat
    return max((best_end(state.apply(m)) for m in state.legal()), key=lambda ends: ends[seat])


# -- Mambassa --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seats", [2, 4, 8])
def test_a_roll_out_of_mambassa_keeps_all_cards_and_ends_as_the_rules_do(seats: int) -> None:
    rng = Random(seats)
    ends = set()
    for seed in range(60):
        state: State = Setting("mambassa", "mambassa", seats).start()
        dealer = Dealer(Random(seed), generous=True)
        while cast(MambassaState, state).phase is not MambassaPhase.PLAY:
            turn = state.turn()
            if isinstance(turn, Cards):
                state = state.apply(dealer.answer(turn))
                continue
            due = turn.seat if isinstance(turn, Decide) else cast(Ask, turn).seats[0]
            move = rng.choice(state.legal(due))
            state = state.apply(worlds.chosen(state, due, move, rng))
        hands, declared = mambassa_playout.finish(cast(MambassaState, state))
        together = [face for hand in hands for face in mambassa_playout.faces_of(hand)]
        assert len(together) == len(set(together)) == 4 * seats
        special = [s for s, h in zip(state.players, hands, strict=True) if h in DECLARED]
        assert tuple(special) == declared
        ends.add(len(declared))
        own = cast(MambassaState, state)
        values = [own.match.judge.value(mambassa_playout.faces_of(hand)) for hand in hands]
        settled = mambassa_settle.settle(own.match, own.players, values, declared).match.tokens
        assert tuple(mambassa_playout.after_the_hand(own, hands, declared)) == settled
    assert 0 in ends


def test_no_world_gives_a_hand_that_was_denied() -> None:
    """What `none` said, for all hands that were not resealed since."""
    found = 0
    for _, view, seat in choices("mambassa"):
        mine = cast(MambassaState, view)
        for seed in range(5):
            world = view.game.determine(view, seat, Random(seed))
            for promise, (declares, reseals) in zip(mine.promises, mine.claims, strict=True):
                if not declares and reseals == mine.reseals:
                    assert not is_declared([world.faces[slot] for slot in promise.slots])
                    found += 1
    assert found
