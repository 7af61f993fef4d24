"""The order of a hand of Petrangola: who acts, what is opened, who may see what, when it ends."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from engine.cards import ITALIAN, UNKNOWN
from engine.contract import (
    Answers,
    Ask,
    Cards,
    Decide,
    Draw,
    Drawn,
    Move,
    Open,
    Over,
    Seen,
    Show,
    Shuffle,
    Shuffled,
    mask_of,
)
from engine.errors import IllegalMove, NotationError, OutOfTurn
from engine.games.petrangola import GAME, Exchange, PetrangolaState
from engine.games.petrangola_moves import CAMICIA, EXCHANGES, KNOCK, KNOCK_SHOW, REENTER, STAY, Cut
from tests.engine.petrangola_desk import Desk, begin, lay, make_options, seat_down, with_tokens
from tests.engine.petrangola_hands import MONTE, OPEN_AND_LIVE, POOR, TRIS


def words(state: PetrangolaState) -> set[str]:
    return {GAME.format(state, move) for move in state.legal()}


# ---------------------------------------------------------------------------------------------
# Before the deal


@pytest.mark.rule("PET-02", "PET-03")
def test_tokens_and_stakes_at_the_start() -> None:
    state = GAME.start(make_options("pagat", "tokens=5", "stake=3"), 4)
    assert state.scores() == (5,) * 4
    assert state.standing().paid == (15,) * 4
    assert GAME.start(make_options("emilia"), 4).standing().paid == (0,) * 4
    assert GAME.start(make_options(), 4).scores() == (3,) * 4


@pytest.mark.rule("PET-04")
@pytest.mark.parametrize(("place", "dealer"), [(0, 0), (1, 1), (3, 0), (5, 2), (39, 0)])
def test_the_first_ace_of_denari_makes_the_dealer(place: int, dealer: int) -> None:
    state = GAME.start(make_options(), 3)
    assert state.turn() == Cards((Draw(state.deck),))
    cards = [face for face in range(40) if face != ITALIAN.parse("Ad")]
    cards.insert(place, ITALIAN.parse("Ad"))
    after = state.apply(Drawn(tuple(cards)))
    assert after.dealer == dealer
    assert (after.notes[0].seat, after.notes[0].values) == (dealer, (place + 1,))


@pytest.mark.rule("PET-04")
def test_with_two_decks_the_first_of_both_aces_counts() -> None:
    state = GAME.start(make_options("marche", "decks=2"), 3)
    ace = ITALIAN.parse("Ad")
    cards = [face for face in range(40) if face != ace] * 2
    cards[4:4] = [ace]
    cards[9:9] = [ace]
    assert state.apply(Drawn(tuple(cards))).dealer == 1


@pytest.mark.rule("PET-06")
@pytest.mark.parametrize("seats", [2, 5])
def test_the_player_on_the_dealers_left_cuts(seats: int) -> None:
    state = begin(seats, 1)
    assert state.turn() == Decide((1 - 1) % seats)
    assert state.legal() == tuple(Cut(k) for k in range(1, 40))
    after = state.apply(Cut(39))
    assert after.turn() == Cards((Shuffle(state.deck, 39),))
    for wrong in (Cut(40), STAY, KNOCK):
        with pytest.raises(IllegalMove) as caught:
            state.apply(wrong)
        assert caught.value.rule == "PET-06"
    assert begin(2, 0, given=["decks=2"]).apply(Cut(79)).turn() != state.turn()


@pytest.mark.rule("CARD-06", "PET-10")
def test_packets_of_three_from_the_dealers_right_then_the_monte() -> None:
    state = begin(4, 2).apply(Cut(1)).apply(Shuffled())
    assert state.players == (3, 0, 1, 2)
    slots = {pile.seat: pile.slots for pile in state.piles() if pile.name == "hand"}
    assert slots == {3: (0, 1, 2), 0: (3, 4, 5), 1: (6, 7, 8), 2: (9, 10, 11)}
    assert [p.slots for p in state.piles() if p.name == "monte"] == [(12, 13, 14)]
    assert [p.slots for p in state.piles() if p.name == "stock"] == [tuple(range(15, 40))]
    shows = [Show((0, 1, 2), 3), Show((3, 4, 5), 0), Show((6, 7, 8), 1), Show((12, 13, 14), 2)]
    assert state.turn() == Cards(tuple(shows))


@pytest.mark.rule("PET-10")
def test_the_dead_get_no_cards() -> None:
    state = with_tokens(begin(5, 2), [3, 0, 3, 0, 3]).apply(Cut(1)).apply(Shuffled())
    assert state.players == (4, 0, 2)
    assert [p.seat for p in state.piles() if p.name == "hand"] == [0, 2, 4]


# ---------------------------------------------------------------------------------------------
# The dealer's choice


@OPEN_AND_LIVE
@pytest.mark.rule("PET-11", "PET-12")
def test_the_dealer_sees_the_monte_and_not_the_hand(live: bool) -> None:
    desk = seat_down(POOR, MONTE, live=live)
    state = desk.state
    assert state.turn() == Decide(0)
    own, monte = mask_of(state.hand_of(0)), mask_of(state.monte)
    assert state.visible(0) == monte
    assert state.opened == 0
    assert not any(state.visible(seat) & own for seat in range(3))
    assert [state.visible(s) for s in (1, 2)] == [mask_of(state.hand_of(s)) for s in (1, 2)]
    view = desk.seen(0) if live else state.view(0)
    assert [view.faces[s] for s in state.hand_of(0)] == [UNKNOWN] * 3
    assert ITALIAN.join(view.faces[s] for s in state.monte) == MONTE
    with pytest.raises(OutOfTurn):
        state.apply(Seen((1, 2, 3)))
    for wrong in (KNOCK, EXCHANGES[0], Cut(1)):
        with pytest.raises(IllegalMove) as caught:
            state.apply(wrong)
        assert caught.value.rule == "PET-11"


@pytest.mark.rule("PET-12")
@pytest.mark.parametrize("choice", [STAY, CAMICIA])
def test_nothing_asks_for_the_dealers_hand_before_the_choice(choice: Move) -> None:
    state = begin(3, 0, "marche")
    hidden = {6, 7, 8}
    for given in (Cut(3), Shuffled(), Seen()):
        turn = state.turn()
        if isinstance(turn, Cards):
            asked = [s for r in turn.requests if isinstance(r, Show | Open) for s in r.slots]
            assert not hidden & set(asked)
        state = state.apply(given)
    assert state.turn() == Decide(0)
    turn = state.apply(choice).turn()
    assert isinstance(turn, Cards)
    asked = [s for r in turn.requests if isinstance(r, Show | Open) for s in r.slots]
    assert hidden <= set(asked)


@pytest.mark.rule("PET-11")
def test_stay_turns_the_monte_up_and_shows_the_hand_to_the_dealer() -> None:
    desk = seat_down(POOR, MONTE, live=True)
    after = desk.state.apply(STAY)
    assert after.turn() == Cards((Open((9, 10, 11)), Show((6, 7, 8), 0)))
    desk.say("stay")
    assert desk.state.opened == mask_of((9, 10, 11))
    assert desk.state.visible(0) == mask_of((6, 7, 8, 9, 10, 11))
    assert desk.to_move == 1


@pytest.mark.rule("PET-11", "PET-14")
@pytest.mark.parametrize("opened", [False, True])
def test_camicia_turns_the_blind_hand_up_and_keeps_the_monte_closed(opened: bool) -> None:
    given = [f"open_after_dealer_swap={str(opened).lower()}"]
    desk = seat_down(POOR, MONTE, live=True, given=given)
    after = desk.state.apply(CAMICIA)
    opens = [Open((6, 7, 8)), Open((0, 1, 2, 3, 4, 5))]
    assert after.turn() == Cards(tuple(opens[: 1 + opened]))
    desk.say("camicia")
    assert desk.state.hand_of(0) == (9, 10, 11)
    assert desk.state.monte == (6, 7, 8)
    assert desk.state.visible(0) & mask_of((9, 10, 11)) == mask_of((9, 10, 11))
    assert not desk.state.visible(1) & mask_of((9, 10, 11))
    assert desk.state.opened == mask_of(range(9) if opened else (6, 7, 8))


@OPEN_AND_LIVE
@pytest.mark.rule("PET-13")
def test_after_the_dealers_camicia_each_other_has_one_turn(live: bool) -> None:
    desk = seat_down(POOR, MONTE, seats=4, dealer=2, live=live).say("camicia")
    assert desk.said("dies-with") == [(1, ())]
    turns = []
    while desk.state.hand == 1:
        turns.append(desk.to_move)
        desk.say("knock" if len(turns) == 2 else desk_exchange(desk))
    assert turns == [3, 0, 1]


def desk_exchange(desk: Desk) -> str:
    """An exchange of the first card of the hand for the first of the monte."""
    return GAME.format(desk.seen(desk.to_move), EXCHANGES[0])


# ---------------------------------------------------------------------------------------------
# Turns


@OPEN_AND_LIVE
@pytest.mark.rule("PET-20")
def test_the_dealers_right_begins_and_the_dealer_is_last(live: bool) -> None:
    desk = seat_down({}, seats=4, dealer=1, live=live).say("stay")
    turns = []
    for _ in range(9):
        turns.append(desk.to_move)
        desk.say(desk_exchange(desk))
    assert turns == [2, 3, 0, 1, 2, 3, 0, 1, 2]


@pytest.mark.rule("PET-21")
def test_an_exchange_is_public() -> None:
    desk = seat_down({**POOR, 1: "Rd Cd 4b"}, "7c 2b 2s", live=True).say("stay")
    view = desk.seen(1)
    move = GAME.parse(view, "Rd,Cd>7c,2s")
    assert move == Exchange((0, 1), (0, 2))
    after = desk.state.apply(move)
    assert after.turn() == Cards((Open((0, 1)),))
    desk.say("Rd,Cd>7c,2s")
    state = desk.state
    assert state.hand_of(1) == (9, 11, 2)
    assert state.monte == (0, 10, 1)
    assert ITALIAN.join(state.faces[s] for s in state.monte) == "Rd 2b Cd"
    assert ITALIAN.join(state.faces[s] for s in state.hand_of(1)) == "7c 2s ??"
    assert desk.to_move == 2


@pytest.mark.rule("PET-21")
def test_what_is_public_already_is_not_opened_again() -> None:
    desk = seat_down(POOR, MONTE, live=True).say("stay", "3c>7c", "4c>3c", "2c>2b")
    after = desk.state.apply(GAME.parse(desk.seen(1), "7c>2c"))
    assert after.turn() == Decide(2)
    partly = desk.state.apply(GAME.parse(desk.seen(1), "7c,4d>4c,6d"))
    assert partly.turn() == Cards((Open((1,)),))


@pytest.mark.rule("PET-21", "PET-22", "PET-62")
def test_a_turn_is_any_exchange_or_a_knock_and_never_a_pass() -> None:
    state = seat_down({}, seats=2).say("stay").state
    moves = state.legal()
    assert len(moves) == len(set(moves)) == 1 + 9 + 9 + 1
    assert set(moves) == {KNOCK, CAMICIA, *EXCHANGES}
    outcomes = set()
    for move in moves:
        after = state.apply(move)
        outcomes.add((frozenset(after.hand_of(1)), frozenset(after.monte)))
        assert after.left == (1 if move in (KNOCK, CAMICIA) else -1)
    assert len(outcomes) == 20
    for wrong in (STAY, Cut(1), REENTER):
        with pytest.raises(IllegalMove) as caught:
            state.apply(wrong)
        assert caught.value.rule == "PET-21"


@OPEN_AND_LIVE
@pytest.mark.rule("PET-22", "PET-23")
@pytest.mark.parametrize("knock", ["knock", "camicia"])
@pytest.mark.parametrize("before", [0, 1, 3, 4, 6])
def test_after_the_first_bussata_each_other_has_one_turn(
    before: int, knock: str, live: bool
) -> None:
    desk = seat_down({}, seats=4, dealer=3, live=live).say("stay")
    for _ in range(before):
        desk.say(desk_exchange(desk))
    first = desk.to_move
    desk.say(knock)
    assert desk.said("dies-with") == [((first - 1) % 4, ())]
    turns = []
    for last in ("camicia", "", "knock"):
        assert desk.state.hand == 1
        turns.append(desk.to_move)
        desk.say(last or desk_exchange(desk))
    assert turns == [(first + k) % 4 for k in (1, 2, 3)]
    assert desk.state.hand == 2
    assert len(desk.said("dies-with")) == 1


@pytest.mark.rule("PET-23")
def test_all_exchanges_are_allowed_in_a_last_turn() -> None:
    desk = seat_down({}, seats=2).say("stay", "knock")
    assert len(desk.state.legal()) == 20
    for move in desk.state.legal():
        assert desk.state.apply(move).hand == 2


@OPEN_AND_LIVE
@pytest.mark.rule("PET-26")
def test_max_rounds(live: bool) -> None:
    desk = seat_down({}, seats=3, given=["max_rounds=2"], live=live).say("stay")
    for turn in range(6):
        assert desk.state.hand == 1, turn
        desk.say(desk_exchange(desk))
    assert desk.state.hand == 2
    desk = seat_down({}, seats=3, given=["max_rounds=1"], live=live).say("stay")
    for move in ("", "", "knock"):
        desk.say(move or desk_exchange(desk))
    assert (desk.state.hand, desk.to_move) == (1, 1)
    for _ in range(2):
        desk.say(desk_exchange(desk))
    assert desk.state.hand == 2


@pytest.mark.rule("PET-26")
def test_without_max_rounds_a_hand_goes_on() -> None:
    desk = seat_down({}, seats=2).say("stay")
    for _ in range(300):
        desk.say(desk_exchange(desk))
    assert desk.state.hand == 1


@OPEN_AND_LIVE
@pytest.mark.rule("PET-25")
def test_all_hands_are_shown_at_the_end(live: bool) -> None:
    desk = seat_down(POOR, MONTE, live=live).say("stay", "3c>7c", "knock")
    if live:
        after = desk.state.apply(KNOCK).apply(KNOCK)
        assert after.turn() == Cards((Open((1, 2, 3, 4, 5, 6, 7, 8)),))
    desk.say("knock", "knock")
    points = {shown.seat: shown.value.points for shown in desk.state.showdown()}
    assert points == {0: 4, 1: 7, 2: 6}
    desk.say("cut 5")
    assert desk.state.showdown() == ()


# ---------------------------------------------------------------------------------------------
# What is said


@pytest.mark.rule("PET-61")
def test_who_falls_in_two_deals_in_a_row_has_the_bisciola() -> None:
    desk = seat_down({0: "Rc Fc 2d", 1: "2c 3d 4s", 2: "Rd Fd 2s"})
    hands = [{1: "2c 3d 4s"}, {0: "2c 3d 4s"}, {1: "2c 3d 4s"}]
    for hand in [{1: "2c 3d 4s"}, *hands]:
        others = iter(["Rc Fc 2d", "Rd Fd 2s"])
        full = {s: hand.get(s) or next(others) for s in range(3)}
        desk.deck = lay(desk.state, full)
        desk.say(*["cut 1"] * (desk.state.phase.name == "CUT"), "stay", *["knock"] * 3)
        if isinstance(desk.state.turn(), Ask):
            desk.say("reenter")
    assert desk.said("bisciola") == [(1, (2,))]
    assert [seat for seat, _ in desk.said("falls")] == [1, 1, 0, 1]


@pytest.mark.rule("CARD-04", "PET-35")
def test_equal_cards_have_names_of_their_own() -> None:
    desk = seat_down({1: "7c 7c Rd", 0: "2c 3d 4s"}, "7c 5b 5b", given=["decks=3"], live=True)
    desk.say("stay")
    view = desk.seen(1)
    texts = [GAME.format(view, move) for move in view.legal()]
    assert len(set(texts)) == len(texts)
    assert [GAME.parse(view, text) for text in texts] == list(view.legal())
    assert GAME.parse(view, "7c'>5b'") == Exchange((1,), (2,))
    desk.say("7c'>7c")
    assert desk.state.hand_of(1) == (0, 9, 2)


@pytest.mark.parametrize(
    "text",
    [
        *("", "pass", "Knock", "knock ", " knock", "cut", "cut 0", "cut 01", "cut 160", "cut 1 "),
        *("cut ١", "cut -1", "Rd", "Rd>", ">7c", "Rd>7c>2s", "Rd,Cd>7c", "Rd>7c,2s", "Cd,Rd>7c,2s"),
        *("Rd,Cd>2s,7c", "Rd,Rd>7c,2s", "Rd, Cd>7c,2s", "Rd>Rd", "7c>Rd", "rd>7c", "Rd'>7c"),
        *("??>7c", "Rd>??", "Rd,Cd,4b>7c,2b,2s", "Rd,Cd,4b,Rd>7c,2b,2s,7c", "8d>7c", "Rd>7c\n"),
    ],
)
def test_text_that_is_no_move(text: str) -> None:
    desk = seat_down({**POOR, 1: "Rd Cd 4b"}, "7c 2b 2s").say("stay")
    with pytest.raises(NotationError):
        GAME.parse(desk.state, text)


@pytest.mark.parametrize(
    "data",
    [
        *(None, 1, "knock", b"knock", (), [], ["knock"], ("pass",), ("knock", 1), ("cut",)),
        *(("cut", 0), ("cut", 160), ("cut", True), ("cut", "1"), ("cut", 1.0), ("cut", 1, 1)),
        *(("exchange", (0,)), ("exchange", (0,), (3,)), ("exchange", (1, 0), (0, 1))),
        *(("exchange", (0, 0), (0, 1)), ("exchange", (0,), (0, 1)), ("exchange", (), ())),
        *(("exchange", (0, 1, 2), (0, 1, 2)), ("exchange", (True,), (0,)), ("exchange", [0], [0])),
        *(("exchange", ((0,),), (0,)), (("knock",),), ("exchange", (-1,), (0,))),
    ],
)
def test_data_that_is_no_move(data: object) -> None:
    with pytest.raises(NotationError):
        GAME.decode(data)


def test_a_hidden_card_is_written_as_such() -> None:
    desk = seat_down(POOR, MONTE, live=True).say("stay")
    assert GAME.format(desk.state, EXCHANGES[0]) == "??>7c"


# ---------------------------------------------------------------------------------------------
# The player, and roll-outs


@pytest.mark.parametrize("preset", GAME.presets)
@pytest.mark.parametrize("seats", [2, 5])
def test_advice_ends_matches_and_never_breaks_a_petrangola(preset: str, seats: int) -> None:
    rng = Random(seats)
    state: PetrangolaState = GAME.start(make_options(preset), seats)
    turns: Counter[int] = Counter()
    while not isinstance(turn := state.turn(), Over):
        deck = bytes(rng.sample(range(40), 40))
        if isinstance(turn, Decide):
            view = state.view(turn.seat)
            assert isinstance(view, PetrangolaState)
            move = GAME.suggest(view, turn.seat, rng)
            assert move in view.legal()
            if state.phase.name == "PLAY":
                turns[state.hand] += 1
                before = state.match.judge.value([state.faces[s] for s in state.hand_of(turn.seat)])
                if before.petrangola and move not in (KNOCK, KNOCK_SHOW):
                    slots = state.apply(move)
                    after = (
                        [state.faces[s] for s in slots.hand_of(turn.seat)]
                        if slots.hand == state.hand and slots.faces
                        else None
                    )
                    assert after is None or state.match.judge.value(after) >= before
            state = state.apply(move)
        elif isinstance(turn, Ask):
            moves = tuple((s, GAME.suggest(state.view(s), s, rng)) for s in turn.seats)
            state = state.apply(Answers(moves))
        else:
            shuffle = isinstance(turn, Cards) and isinstance(turn.requests[0], Shuffle)
            state = state.apply(Shuffled(deck) if shuffle else Drawn(tuple(deck)))
    assert max(turns.values()) < 20 * seats


def test_advice_reads_nothing_that_the_view_hides() -> None:
    rng = Random(5)
    for _ in range(60):
        order = rng.sample(range(40), 40)
        state = begin(3, 0, "marche").apply(Cut(1)).apply(Shuffled(bytes(order))).apply(STAY)
        hidden = [s for s in range(40) if not state.visible(1) >> s & 1]
        swapped = list(order)
        for a, b in pairwise(hidden):
            swapped[a], swapped[b] = swapped[b], swapped[a]
        other = state.played_openly(bytes(order)).with_faces(bytes(swapped))
        for seen in (state.view(1), state, other):
            assert GAME.suggest(seen, 1, Random(9)) == GAME.suggest(state.view(1), 1, Random(9))


def test_a_position_can_be_played_on_openly() -> None:
    desk = seat_down(TRIS, "Rc 2b 3b", preset="marche", live=True).say("stay")
    asked = desk.state.apply(EXCHANGES[0])
    assert isinstance(asked.turn(), Cards)
    opened = asked.played_openly(desk.deck)
    assert opened.turn() == Decide(2)
    assert opened.apply(KNOCK).apply(KNOCK).apply(KNOCK).hand == 2
    with pytest.raises(ValueError, match="slot 9"):
        asked.played_openly(desk.deck[::-1])
