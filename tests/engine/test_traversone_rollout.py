"""Traversone counted and played out: continuations, roll-outs, worlds for players that search."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from engine.contract import Cards, Decide, Open, Over, Reveal, Seen, Shuffled, State
from engine.errors import OutOfTurn
from engine.games.traversone import GAME, Phase, play_out
from tests.engine.traversone_desk import DRAWS, FOUR, four, own, three, two
from tests.engine.tricks_desk import counts_of, options_of, perft_cases, set_up, sit_down

# ---------------------------------------------------------------------------------------------
# Numbers


@pytest.mark.rule("TRA-03", "TRA-30", "TRA-31")
@pytest.mark.parametrize(
    "case", perft_cases("traversone"), ids=lambda c: f"{c['seats']}-after-{len(c['moves'])}"
)
def test_continuations_are_as_many_as_they_were_counted(case: Any) -> None:
    assert counts_of(set_up(case).state, len(case["counts"])) == case["counts"]


def outcomes(state: State, hand: int) -> set[tuple[int, ...]]:
    """The penalties of every way to play the hand to its end, from no total."""
    if state.hand != hand:
        return {state.scores()}
    return set().union(*(outcomes(state.apply(move), hand) for move in state.legal()))


@pytest.mark.rule("TRA-03", "TRA-11", "TRA-30", "TRA-31")
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_roll_out_reaches_exactly_what_the_moves_reach(seats: int) -> None:
    case = [c for c in perft_cases("traversone") if c["seats"] == seats][-1]
    state = own(set_up(case).state)
    rng = Random(1)
    found = set()
    for _ in range(1500):
        penalties = dict(zip(state.players, play_out(state, rng).penalties, strict=True))
        found.add(tuple(penalties[seat] for seat in range(seats)))
    assert found == outcomes(state, 1)
    assert own(set_up(case).state).public() == state.public(), "a roll-out changes nothing"


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_roll_outs_sum_to_the_whole_from_anywhere(seats: int) -> None:
    rng = Random(2)
    state = sit_down("traversone", seats, DRAWS[seats]).deal().state
    while state.hand == 1:
        counted = play_out(own(state), rng)
        whole = 11 * (seats - 1) if counted.cappotto >= 0 else 11
        assert sum(counted.penalties) == whole
        state = state.apply(rng.choice(state.legal()))


def test_a_roll_out_needs_all_cards() -> None:
    live = four(live=True)
    with pytest.raises(OutOfTurn):
        play_out(own(live.state), Random(1))
    with pytest.raises(OutOfTurn):
        play_out(own(GAME.start(options_of("traversone"), 4)), Random(1))
    guess = own(live.say("6d").state).played_openly(live.deck)
    assert sum(play_out(guess, Random(1)).penalties) == 11


def test_a_position_played_openly_must_agree_with_what_is_known() -> None:
    desk = four(live=True).say("6d")
    wrong = bytes((desk.deck[3], *desk.deck[1:3], desk.deck[0], *desk.deck[4:]))
    with pytest.raises(ValueError, match="slot 3"):
        own(desk.state).played_openly(wrong)
    opened = own(desk.state).played_openly(desk.deck)
    assert opened.phase is Phase.PLAY
    assert list(opened.legal()) == list(desk.seen(1).legal())
    assert opened.public() == desk.state.public()


def test_a_deck_that_contradicts_what_was_opened_is_our_own_fault() -> None:
    desk = four(live=True)
    desk.give(GAME.parse(desk.seen(0), "6d"))
    with pytest.raises(OutOfTurn):
        desk.state.apply(Seen())
    with pytest.raises(ValueError, match="slot"):
        desk.state.apply(Seen((200,)))


@pytest.mark.rule("GEN-02")
def test_a_seat_that_leaves_voids_the_hand_and_the_table_shrinks() -> None:
    desk = four().say("6d 4d Rd 3b").leave(3)
    assert desk.said("void") == [(-1, ())]
    assert (desk.state.hand, desk.state.dealer) == (2, 0), "the dealer left"
    assert desk.state.scores() == (0, 0, 0, 0)
    assert desk.state.faces == b""
    desk.deal(*" ".join(FOUR).split())
    assert [len(pile.slots) for pile in desk.state.piles() if pile.name == "hand"] == [14, 13, 13]
    desk.leave(1)
    assert (desk.state.hand, desk.state.dealer, desk.state.players) == (3, 0, (2, 0))
    desk.leave(2)
    assert desk.result.winners == (0,)
    assert desk.result.reason == "others-left"


@pytest.mark.rule("GEN-01", "GEN-02")
def test_who_goes_away_at_the_reveal_does_not_undo_the_hand() -> None:
    desk = four(live=True)
    while not (isinstance(turn := desk.state.turn(), Cards) and turn == Cards((Reveal(),))):
        if isinstance(turn, Cards):
            slots = [s for r in turn.requests if isinstance(r, Open) for s in r.slots]
            desk.give(Seen(tuple(desk.deck[s] for s in slots)))
        else:
            desk.give(desk.seen(desk.to_move).legal()[0])
    played = {seat: values[0] for seat, values in desk.said("counts")}
    desk.leave(1)
    assert desk.state.scores() == tuple(played[seat] for seat in range(4))
    assert desk.state.players == (2, 3, 0)
    assert desk.state.dealer == 0


def test_leaving_is_refused_after_the_end() -> None:
    desk = two().leave(0)
    assert isinstance(desk.state.turn(), Over)
    assert desk.result.winners == (1,)
    with pytest.raises(OutOfTurn):
        desk.leave(1)


# ---------------------------------------------------------------------------------------------
# Worlds for players that search


@pytest.mark.rule("TRA-04")
def test_a_world_holds_what_is_seen_and_what_was_promised() -> None:
    """Seat 3 has promised to hold no denari: no world gives it one."""
    desk = four(live=True).say("6d 4d Rd 3b 3d 2b 7d 5d")
    view = desk.seen(2)
    for seed in range(60):
        world = GAME.determine(view, 2, Random(seed))
        assert sorted(world.faces) == list(range(40))
        mask = view.visible(2)
        assert all(world.faces[s] == desk.deck[s] for s in range(40) if mask >> s & 1)
        held = [GAME.kind.text(world.faces[slot]) for slot in world.hand_of(3)]
        assert not [card for card in held if card.endswith("d")]
        assert world.public() == desk.state.public()
    worlds = {GAME.determine(view, 2, Random(seed)).faces for seed in range(60)}
    assert len(worlds) == 60, "the rest is chance"


@pytest.mark.rule("TRA-31")
def test_a_world_of_three_has_a_card_aside_that_only_its_dealer_knows() -> None:
    desk = three(live=True).say("aside 3b 4c")
    slot = own(desk.state).aside
    asides = {GAME.determine(desk.seen(1), 1, Random(n)).faces[slot] for n in range(60)}
    assert len(asides) > 5
    mine = {GAME.determine(desk.seen(2), 2, Random(n)).faces[slot] for n in range(10)}
    assert mine == {desk.deck[slot]}


def test_a_roll_out_is_the_others_penalties_less_the_own() -> None:
    """And an ended hand is worth what it was counted to."""
    case = next(c for c in perft_cases("traversone") if c["seats"] == 4 and len(c["moves"]) == 27)
    state = own(set_up(case).state)
    rng = Random(4)
    for seat in range(4):
        totals = [GAME.roll_out(state, seat, rng) for _ in range(50)]
        assert -33 <= min(totals) <= max(totals) <= 33
    last = state
    while last.hand == 1:
        last = own(last.apply(last.legal()[0]))
    by_seat = {seat: values[0] for seat, values in notes_of(last)}
    for seat in range(4):
        due = sum(by_seat.values()) - 4 * by_seat[seat]
        assert GAME.roll_out(last, seat, rng) == due


def notes_of(state: State) -> list[tuple[int, tuple[int, ...]]]:
    return [(note.seat, note.values) for note in state.notes if note.kind == "counts"]


def test_advice_beats_chance() -> None:
    """A hundred deals of four, seat 2 by advice: fewer penalties than the others on average."""
    rng = Random(6)
    mine = others = 0
    for _ in range(100):
        state: State = sit_down("traversone", 4, DRAWS[4]).state
        faces = list(range(40))
        rng.shuffle(faces)
        state = state.apply(Shuffled(bytes(faces)))
        while isinstance(turn := state.turn(), Decide):
            seat = turn.seat
            view = state.view(seat)
            move = GAME.suggest(view, seat, rng) if seat == 2 else rng.choice(view.legal())
            state = state.apply(move)
        scores = state.scores()
        mine += scores[2]
        others += sum(scores) - scores[2]
    assert mine * 3 < others * 0.7
