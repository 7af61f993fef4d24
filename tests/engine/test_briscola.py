"""Briscola: cards, dealing, tricks, hidden draws, sides, the match (BRI-01..BRI-11)."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine import registry
from engine.cards import ITALIAN, UNKNOWN
from engine.contract import Cards, Decide, Open, Over, Reveal, Revealed, Seen, Show, Shuffled, State
from engine.errors import EngineError, IllegalMove, NotationError, OptionError, OutOfTurn
from engine.games import briscola_cards
from engine.games.briscola import GAME, BriscolaOptions, BriscolaState, Phase, Play
from engine.games.briscola_cards import CARDSETS, FULL, WITHOUT_2C, beats
from engine.games.briscola_careful import play_out
from tests.engine.table import Dealer, at_random, by_advice, play
from tests.engine.tricks_desk import (
    Desk,
    counts_of,
    filled,
    options_of,
    perft_cases,
    set_up,
    sit_down,
)

DRAWS = {2: "Ac 4d", 3: "Ac Ad 4d", 4: "Ac Ad As 4d"}
"""The last seat draws the lowest card."""


def desk_of(seats: int, *packets: str, live: bool = False, games: int = 3) -> Desk:
    desk = sit_down("briscola", seats, DRAWS[seats], f"games={games}", live=live)
    return desk.deal(*packets)


def own(desk: Desk) -> BriscolaState:
    assert isinstance(desk.state, BriscolaState)
    return desk.state


def play_on(desk: Desk) -> Desk:
    """The first legal moves, till the hand is over."""
    hand = desk.state.hand
    while desk.state.hand == hand and isinstance(desk.state.turn(), Decide):
        desk.give(desk.seen(desk.to_move).legal()[0])
        desk.settle()
    return desk


# ---------------------------------------------------------------------------------------------
# Cards


@pytest.mark.rule("BRI-01")
def test_the_points_are_a_hundred_and_twenty() -> None:
    worth = {"A": 11, "3": 10, "R": 4, "C": 3, "F": 2}
    for players in (2, 3, 4):
        cards = CARDSETS[players]
        kind = cards.deck.kind
        for face in range(kind.size):
            assert cards.points[face] == worth.get(kind.text(face)[0], 0)
        assert sum(cards.points) == 120


@pytest.mark.rule("BRI-01", "BRI-06")
@pytest.mark.parametrize("players", [2, 3])
def test_what_takes_a_trick(players: int) -> None:
    kind = CARDSETS[players].deck.kind
    order = "A3RCF76542"
    for trump in range(4):
        takes = beats(players, trump)
        for best in range(kind.size):
            for face in range(kind.size):
                card, other = kind.text(face), kind.text(best)
                higher = order.index(card[0]) < order.index(other[0])
                trumps = card[1] == kind.suits[trump]
                due = higher if card[1] == other[1] else trumps
                assert takes[best][face] == due
        assert all(takes[-1][face] for face in range(kind.size))


@pytest.mark.rule("BRI-02")
def test_three_play_without_the_two_of_coppe() -> None:
    texts = {WITHOUT_2C.text(face) for face in range(39)}
    assert WITHOUT_2C.size == len(texts) == 39
    assert texts == {ITALIAN.text(face) for face in range(40)} - {"2c"}
    with pytest.raises(NotationError):
        WITHOUT_2C.parse("2c")
    for face in range(39):
        text = WITHOUT_2C.text(face)
        twin = ITALIAN.parse(text)
        assert WITHOUT_2C.parse(text) == face
        suit, rank = WITHOUT_2C.suit(face), WITHOUT_2C.rank(face)
        assert WITHOUT_2C.suit_names[suit] == ITALIAN.suit_names[ITALIAN.suit(twin)]
        assert WITHOUT_2C.rank_names[rank] == ITALIAN.rank_names[ITALIAN.rank(twin)]
    assert CARDSETS[2] is CARDSETS[4] is FULL
    assert desk_of(3).state.deck.kind is WITHOUT_2C


@pytest.mark.rule("BRI-02")
def test_two_to_four_play() -> None:
    for seats in (0, 1, 5, True):
        with pytest.raises(OptionError):
            GAME.start(BriscolaOptions(), seats)


@pytest.mark.rule("BRI-01")
def test_piles_are_scored() -> None:
    scored = GAME.score(BriscolaOptions(), ["Ac 3d", "2c 4c", "Rd Cd Fd", "Rc Cc Fc"])
    assert [(one.points, one.rank) for one in scored] == [(21, 1), (0, 4), (9, 2), (9, 2)]
    for wrong in (["Ac Ac"], ["Ac", "Ac"], [""], ["8c"]):
        with pytest.raises(NotationError):
            GAME.score(BriscolaOptions(), wrong)


# ---------------------------------------------------------------------------------------------
# The deal and the tricks


@pytest.mark.rule("BRI-03")
@pytest.mark.parametrize(
    ("seats", "draw", "dealer"),
    [(2, "Ac 2d", 1), (2, "2d 2c", 1), (2, "2c 2d", 0), (3, "2d 4c 2s", 0), (4, "3c Ad 4s 5b", 2)],
)
def test_the_lowest_card_deals(seats: int, draw: str, dealer: int) -> None:
    assert sit_down("briscola", seats, draw).state.dealer == dealer


@pytest.mark.rule("BRI-04", "BRI-05")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_three_cards_each_and_one_is_turned_up(seats: int) -> None:
    state = sit_down("briscola", seats, DRAWS[seats]).state.apply(Shuffled(None))
    turn = state.turn()
    assert isinstance(turn, Cards)
    hands = [Show((3 * i, 3 * i + 1, 3 * i + 2), i) for i in range(seats)]
    assert turn.requests == (*hands, Open((3 * seats,)))
    assert state.visible(0) == 0, "nothing is seen before it is shown"
    state = state.apply(Seen((5,)))
    assert state.turn() == Decide(0), "the right of the dealer leads"
    assert state.faces[3 * seats] == 5
    assert [state.visible(seat).bit_count() for seat in range(seats)] == [4] * seats
    piles = {pile.name: len(pile.slots) for pile in state.piles()}
    assert (piles["briscola"], piles["stock"]) == (1, state.deck.size - 3 * seats - 1)


@pytest.mark.rule("BRI-06")
def test_nobody_has_to_follow_and_briscola_takes() -> None:
    desk = desk_of(4, "Ac 3c 4c", "5c 2d 6s", "Rc 7s 7b", "Fc Ab 6b", "Fd")
    desk.say("Ac")
    assert desk.may() == "5c 2d 6s"
    desk.say("2d Rc Fc")
    assert desk.said("takes") == [(1, (17,))]
    assert desk.to_move == 1
    assert desk.pile("won", 1) == "Ac 2d Rc Fc"


@pytest.mark.rule("BRI-06")
def test_without_briscola_the_highest_of_the_led_suit_takes() -> None:
    desk = desk_of(4, "4c 3c Ac", "Ab 2d 6s", "5c 7s 7b", "2c As 6b", "Fd")
    desk.say("4c Ab 5c As")
    assert desk.said("takes") == [(2, (22,))]


@pytest.mark.rule("BRI-06")
def test_a_card_that_is_not_in_the_hand_is_illegal() -> None:
    desk = desk_of(2, "4c 3c Ac", "Ab 2d 6s", "Fd").say("4c")
    for slot in (0, 1, 6, 7, 39, 200, -1):
        with pytest.raises(IllegalMove) as caught:
            desk.state.apply(Play(slot))
        assert caught.value.rule == "BRI-06"
    with pytest.raises(NotationError):
        GAME.parse(desk.state, "4c")


@pytest.mark.rule("BRI-07")
def test_draws_are_seen_by_the_drawer_alone() -> None:
    desk = desk_of(2, "4c 3c Ac", "5c 2d 6s", "Fd 7b 6b 5b", live=True)
    for seat, text, slot in ((0, "4c", 0), (1, "5c", 3)):
        desk.give(GAME.parse(desk.seen(seat), text))
        desk.give(Seen((desk.deck[slot],)))
    assert desk.state.turn() == Cards((Show((7,), 1), Show((8,), 0))), "the winner draws first"
    assert not desk.state.visible(1) >> 7 & 1
    desk.settle()
    assert [desk.state.visible(seat) >> 7 & 3 for seat in (0, 1)] == [2, 1]
    assert desk.state.faces[7] == desk.state.faces[8] == UNKNOWN
    assert desk.pile("hand", 1) == "2d 6s 7b"
    assert desk.pile("hand", 0) == "3c Ac 6b"
    assert desk.to_move == 1


@pytest.mark.rule("BRI-07")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_the_last_card_drawn_is_the_briscola(seats: int) -> None:
    desk = desk_of(seats, live=True)
    briscola = own(desk).briscola
    shown: list[int] = []
    while isinstance(desk.state.turn(), Decide):
        desk.give(desk.seen(desk.to_move).legal()[0])
        while isinstance(turn := desk.state.turn(), Cards) and turn != Cards((Reveal(),)):
            if own(desk).phase is Phase.DRAWING and own(desk).stock > desk.state.deck.size:
                last = (own(desk).taker - 1) % seats
                assert own(desk).held[last][-1] == briscola
            shown += [s for r in turn.requests if isinstance(r, Show) for s in r.slots]
            opened = [s for r in turn.requests if isinstance(r, Open) for s in r.slots]
            assert briscola not in opened, "it lies open already"
            desk.give(Seen(tuple(desk.deck[slot] for slot in opened)))
    assert shown == list(range(briscola + 1, desk.state.deck.size))
    assert all(len(hand) == 0 for hand in own(desk).held)
    assert sum(own(desk).points()) == 120
    assert own(desk).stock == desk.state.deck.size + 1, "everybody drew equally often"


# ---------------------------------------------------------------------------------------------
# The count and the match

ALL_COPPE = "Ac 3c Rc"


@pytest.mark.rule("BRI-08", "BRI-09")
def test_partners_count_together() -> None:
    for seed in range(5):
        rng = Random(seed)
        start = GAME.start(BriscolaOptions(games=1), 4)
        for _, _, after in play(start, Dealer(rng), at_random(rng)):
            turn = after.turn()
            counted = {n.seat: n.values[0] for n in after.notes if n.kind == "counts"}
            if counted:
                assert sum(counted.values()) == 120
                even, odd = counted[0] + counted[2], counted[1] + counted[3]
                if even == odd:
                    assert after.scores() == (0, 0, 0, 0)
                    continue
                winners = (0, 2) if even > odd else (1, 3)
                assert isinstance(turn, Over)
                assert turn.result.winners == winners
                assert turn.result.scores == tuple(int(s in winners) for s in range(4))


@pytest.mark.rule("BRI-09")
@pytest.mark.parametrize("seats", [2, 3])
def test_the_most_points_win_the_deal_and_equal_ones_nobody(seats: int) -> None:
    """By chance, until a draw was seen."""
    drawn = 0
    for seed in range(600):
        rng = Random(seed)
        state = GAME.start(BriscolaOptions(games=21), seats)
        for before, _, after in play(state, Dealer(rng), at_random(rng)):
            counted = {n.seat: n.values[0] for n in after.notes if n.kind == "counts"}
            if not counted:
                continue
            best = [seat for seat, points in counted.items() if points == max(counted.values())]
            won = [a - b for a, b in zip(after.scores(), before.scores(), strict=True)]
            assert won == [int(best == [seat]) for seat in range(seats)]
            drawn += len(best) > 1
            assert ("drawn" in [n.kind for n in after.notes]) == (len(best) > 1)
        if drawn:
            return
    raise AssertionError("no draw")


@pytest.mark.rule("BRI-03", "BRI-10")
@pytest.mark.parametrize("games", [1, 2, 5])
def test_the_match_goes_to_so_many_deals_and_the_deal_passes(games: int) -> None:
    rng = Random(games)
    dealer = -1
    last: State = GAME.start(BriscolaOptions(games=games), 3)
    for _, given, after in play(last, Dealer(rng), at_random(rng)):
        if isinstance(given, Shuffled):
            assert dealer in (-1, (after.dealer - 1) % 3)
            dealer = after.dealer
        if not isinstance(after.turn(), Over):
            assert max(after.scores()) < games
        last = after
    turn = last.turn()
    assert isinstance(turn, Over)
    (winner,) = turn.result.winners
    assert turn.result.scores[winner] == games
    for wrong in ("0", "22", "x"):
        with pytest.raises(OptionError):
            options_of("briscola", f"games={wrong}")


@pytest.mark.rule("BRI-11", "GEN-02")
def test_who_is_left_plays_on_or_has_won() -> None:
    two = desk_of(2).leave(0)
    assert two.result.winners == (1,)
    three = desk_of(3).leave(2)
    assert (three.state.hand, three.state.players) == (2, (1, 0)), "the dealer left"
    assert three.state.deck == FULL.deck
    assert sum(own(play_on(three.deal())).games) == 1
    four = desk_of(4).leave(1)
    assert four.result.winners == (0, 2)
    singles = desk_of(4).leave(0, 3)
    assert singles.state.players == (2, 1)
    assert singles.leave(2).result.winners == (1,)
    partners = desk_of(4).leave(0, 2)
    assert partners.result.winners == (1, 3)
    nobody = desk_of(4).leave(0, 1, 2, 3)
    assert (nobody.result.winners, nobody.result.reason) == ((), "abandoned")


@pytest.mark.rule("BRI-11", "GEN-01")
def test_who_goes_away_at_the_reveal_does_not_undo_the_deal() -> None:
    desk = desk_of(3, live=True)
    while desk.state.turn() != Cards((Reveal(),)):
        turn = desk.state.turn()
        if isinstance(turn, Cards):
            opened = [s for r in turn.requests if isinstance(r, Open) for s in r.slots]
            desk.give(Seen(tuple(desk.deck[slot] for slot in opened)))
        else:
            desk.give(desk.seen(desk.to_move).legal()[0])
    points = dict(zip(desk.state.players, own(desk).points(), strict=True))
    best = [seat for seat in range(3) if points[seat] == max(points.values())]
    desk.leave(0)
    assert desk.state.scores() == tuple(int(best == [seat]) for seat in range(3))
    assert desk.state.players == (2, 1)
    assert desk.state.deck == FULL.deck


def test_a_deck_that_contradicts_what_was_opened_is_our_own_fault() -> None:
    desk = desk_of(2, "4c 3c Ac", "Ab 2d 6s", "Fd", live=True)
    desk.give(GAME.parse(desk.seen(0), "4c"))
    with pytest.raises(OutOfTurn):
        desk.state.apply(Seen())
    with pytest.raises(ValueError, match="slot"):
        desk.state.apply(Seen((77,)))
    with pytest.raises(OutOfTurn):
        desk.state.apply(Revealed(desk.deck))


@pytest.mark.rule("BRI-06", "BRI-07")
@pytest.mark.parametrize(
    "case", perft_cases("briscola"), ids=lambda c: f"{c['seats']}-after-{len(c['moves'])}"
)
def test_continuations_are_as_many_as_they_were_counted(case: Any) -> None:
    assert counts_of(set_up(case).state, len(case["counts"])) == case["counts"]


def outcomes(state: State, hand: int) -> set[tuple[int, ...]]:
    """The points by seat of every way to play the hand to its end."""
    if state.hand != hand or isinstance(state.turn(), Over):
        points = {note.seat: note.values[0] for note in state.notes if note.kind == "counts"}
        return {tuple(points[seat] for seat in range(state.seats))}
    return set().union(*(outcomes(state.apply(move), hand) for move in state.legal()))


class Careless(Random):
    """Every other number is the lowest, at which a player of a roll-out takes any card."""

    careless = False

    def random(self) -> float:
        self.careless = not self.careless
        return 0.0 if self.careless else super().random()


@pytest.mark.rule("BRI-06", "BRI-07")
@pytest.mark.parametrize("seats", [2, 3, 4])
def test_a_roll_out_reaches_exactly_what_the_moves_reach(seats: int) -> None:
    case = [c for c in perft_cases("briscola") if c["seats"] == seats][-1]
    desk = set_up(case)
    while sum(map(len, own(desk).held)) + desk.state.deck.size - own(desk).stock > 2 * seats:
        desk.give(desk.state.legal()[0])
    state, rng = own(desk), Careless(1)
    found = set()
    for _ in range(600):
        points = dict(zip(state.players, play_out(state, rng), strict=True))
        found.add(tuple(points[seat] for seat in range(seats)))
    assert found == outcomes(state, 1)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_roll_outs_share_all_points_from_anywhere(seats: int) -> None:
    rng = Random(2)
    desk = desk_of(seats)
    while desk.state.hand == 1:
        assert sum(play_out(own(desk), rng)) == 120
        desk.give(rng.choice(desk.state.legal()))


def test_advice_beats_chance() -> None:
    """A hundred single deals, seat 1 by advice and seat 0 by chance: no coin does so well."""
    rng = Random(5)
    players = (at_random(rng), by_advice(rng))
    wins = 0
    for _ in range(100):
        last: State = GAME.start(BriscolaOptions(games=1), 2)
        for _, _, after in play(last, Dealer(rng), lambda view, seat: players[seat](view, seat)):
            last = after
        wins += last.standing().winners == (1,)
    assert wins > 70


# ---------------------------------------------------------------------------------------------
# What the game is for: a check of the contract


def test_no_other_module_knows_briscola() -> None:
    """The game is its own modules and one line of the registry."""
    root = Path(registry.__file__).parents[1]
    known = [
        path.name
        for layer in ("engine", "protocol", "node", "tools")
        for path in (root / layer).rglob("*.py")
        if not path.name.startswith("briscola") and path.name != "registry.py"
        if re.search(r"^\s*(import|from)\b.*briscola", path.read_text(encoding="utf-8"), re.M)
    ]
    assert known == []
    lines = Path(registry.__file__).read_text(encoding="utf-8").splitlines()
    assert sum("briscola" in line for line in lines) == 1


def test_the_game_reads_no_card_it_was_not_shown() -> None:
    """A live position has nothing to tell of hidden cards, to advice neither."""
    desk = desk_of(2, "4c 3c Ac", "Ab 2d 6s", "Fd", live=True)
    with pytest.raises(EngineError):
        GAME.suggest(desk.state, 1, Random(1))
    assert GAME.suggest(desk.state, 0, Random(1)) in desk.state.legal()
    assert filled(desk.state, "4c")[0] == ITALIAN.parse("4c")
    assert briscola_cards.ALL_POINTS == 120
