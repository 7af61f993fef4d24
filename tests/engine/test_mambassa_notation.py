"""How moves of Mambassa are written; roll-outs, advice and sentences."""

from __future__ import annotations

from random import Random

import pytest

from engine.cards import ITALIAN
from engine.contract import (
    Answers,
    Ask,
    Cards,
    Decide,
    Drawn,
    Move,
    Resealed,
    Shuffle,
)
from engine.errors import NotationError
from engine.games.mambassa import GAME, Phase
from engine.games.mambassa_moves import (
    BOTTOMS,
    CAMICIA,
    DECLARE,
    DISCARD,
    EXCHANGES,
    KNOCK,
    NONE,
    STAY,
    decode_move,
    encode_move,
)
from engine.record import read_record, write_record
from engine.replay import RecordWriter, check
from tests.engine.mambassa_desk import (
    MONTE,
    POOR,
    Desk,
    begin,
    lay,
    make_options,
    seat_down,
    table,
    with_tokens,
)

OPEN_AND_LIVE = pytest.mark.parametrize("live", [False, True], ids=["open", "live"])


# ---------------------------------------------------------------------------------------------
# Notation


@pytest.mark.rule("CARD-05")
def test_cards_are_written_in_the_order_of_the_deck_not_as_they_lie() -> None:
    desk = table(True).say("stay", "discard", "bottom 5s", "none")
    desk.say("4c>7c", "none", "2c>4c", "none")
    view = desk.seen(1)
    lying = [view.faces[slot] for slot in view.hand_of(1)]
    assert lying != sorted(lying)  # the reseal has laid them otherwise
    for move in EXCHANGES:
        text = GAME.format(view, move)
        given, taken = (
            ITALIAN.split(part.replace(",", " "))
            for part in text.removesuffix(" discard").split(">")
        )
        assert list(given) == sorted(given)
        assert list(taken) == sorted(taken)
        assert GAME.parse(view, text) == move
        assert {view.faces[view.hand_of(1)[i]] for i in move.give} == set(given)
    assert len({GAME.format(view, move) for move in view.legal()}) == 139


@pytest.mark.parametrize(
    "text",
    [
        "3c>7c  discard", "3c>7c discard discard", "discard 3c", "bottom",
        "4d,3c>7c,6d", "3c,4d>7c", "3c,3c>7c,6d", "3c>4d", "7c>3c", "3c>??", "??>7c", "3c>7c ",
        "3c,4d,5s,7b>7c,6d,Fs,3b", "KNOCK", "3c>", ">7c", "declare 3c", "3c> discard",
    ],
)  # fmt: skip
def test_what_is_no_move_is_refused(text: str) -> None:
    desk = table(False).say("stay")
    desk.give(Answers(tuple((s, NONE) for s in range(3))))
    with pytest.raises(NotationError):
        GAME.parse(desk.state, text)


@pytest.mark.parametrize("text", ["bottom", "bottom 3c,4d", "bottom ??", "bottom Rb", "bottom 3C"])
def test_a_discard_names_one_card_of_the_hand(text: str) -> None:
    desk = table(False).say("stay", "discard")
    with pytest.raises(NotationError):
        GAME.parse(desk.state, text)
    assert GAME.format(desk.state.view(None), BOTTOMS[1]) == "bottom ??"


MOVES = (STAY, CAMICIA, KNOCK, DISCARD, DECLARE, NONE, *BOTTOMS, *EXCHANGES)


def test_moves_and_their_data_are_one_to_one() -> None:
    data = [encode_move(move) for move in MOVES]
    assert len(set(data)) == len(set(MOVES)) == len(MOVES)
    assert [decode_move(d) for d in data] == list(MOVES)


@pytest.mark.parametrize(
    "data",
    [
        ("bottom", True), ("bottom", 4), ("bottom", -1), ("bottom",), ("discard", 1),
        ("exchange", (0,), (0,)), ("exchange", (0,), (0,), 2), ("exchange", (0,), (0,), True),
        ("exchange", (0, 1, 2, 3), (0, 1, 2, 3), 0), ("exchange", (0,), (0, 1), 0),
        ("exchange", (1, 0), (0, 1), 0), ("exchange", (), (), 1), ("exchange", (False,), (0,), 0),
        ("exchange", [0], (0,), 0), ["none"], ("none", 0), ("nothing",),
    ],
)  # fmt: skip
def test_hostile_data_is_no_move(data: object) -> None:
    with pytest.raises(NotationError):
        decode_move(data)


def test_a_move_that_is_none_of_this_game_has_no_form() -> None:
    class Odd(Move):
        __slots__ = ()

    with pytest.raises(NotationError):
        encode_move(Odd())
    with pytest.raises(NotationError):
        GAME.format(begin(), Odd())


# ---------------------------------------------------------------------------------------------
# Roll-outs and advice


def test_a_position_can_be_played_openly_from_anywhere() -> None:
    """As the cards lie at that moment, in every phase of live hands."""
    phases = set()
    rng = Random(1)
    for n in range(12):
        start = with_tokens(begin(2), [5, 5])
        deck = lay(start, {0: "Ad Rd Cd Fd"} if n == 5 else {})
        desk = Desk(start, bytes(rng.sample(deck, 40)) if n != 5 else deck, True)
        while desk.state.hand == start.hand:
            phases.add(desk.state.phase)
            if desk.state.faces:
                check_openly(desk)
            step(desk, rng)
    assert phases == set(Phase) - {Phase.DRAW, Phase.OVER}


def check_openly(desk: Desk) -> None:
    opened = desk.state.played_openly(desk.lies)
    turn = opened.turn()
    assert isinstance(turn, Decide | Ask) or turn == Cards((Shuffle(opened.deck),))
    if desk.state.opened:
        with pytest.raises(ValueError, match="revealed otherwise"):
            desk.state.played_openly(desk.lies[1:] + desk.lies[:1])


def step(desk: Desk, rng: Random) -> None:
    """One input, by chance where somebody chooses."""
    turn = desk.state.turn()
    match turn:
        case Decide(seat):
            desk.give(rng.choice(desk.seen(seat).legal()))
        case Ask(seats):
            desk.give(Answers(tuple((s, desk.seen(s).legal(s)[0]) for s in seats)))
        case Cards():
            desk.deal(most=1)


def test_advice_takes_what_is_declared() -> None:
    desk = seat_down({**POOR, 1: "Ac Rc Cc 7d"}, "Fc 6d 3b Fs", live=True).say("stay")
    desk.give(Answers(tuple((s, NONE) for s in range(3))))
    move = GAME.suggest(desk.seen(1), 1, Random(1))
    assert GAME.format(desk.seen(1), move).startswith("7d>Fc")
    drop = seat_down({1: "Ac Ad As 2c"}, MONTE, live=True).say("stay", "discard")
    assert GAME.format(drop.seen(1), GAME.suggest(drop.seen(1), 1, Random(1))) == "bottom 2c"


def test_hands_by_advice_come_to_an_end_soon() -> None:
    rng = Random(3)
    for n in range(12):
        start = begin(2 + n % 4)
        desk = Desk(start, bytes(rng.sample(range(40), 40)))
        desk.deal()
        for _ in range(300):
            if desk.state.hand != start.hand:
                break
            turn = desk.state.turn()
            if isinstance(turn, Decide):
                desk.give(GAME.suggest(desk.seen(turn.seat), turn.seat, rng))
            else:
                step(desk, rng)
        assert desk.state.hand != start.hand


def test_every_note_has_its_sentence() -> None:
    desk = table(False).say(
        "stay", "discard", "bottom 3c", "none", "knock", "camicia", "none", "knock"
    )
    kinds = {note.kind for note in desk.notes}
    assert {"stays", "discards", "knocks", "swaps", "pays"} <= kinds <= set(GAME.phrases)
    for kind in kinds:
        words = GAME.phrases[kind].format(4, name="Ada")
        assert "{" not in words


def test_the_record_of_a_live_hand_says_what_was_played() -> None:
    """Reseals that move every card leave no trace in it."""
    writer = RecordWriter(GAME, make_options(), ["Ada", "Bruno", "Carla"])
    best = ITALIAN.parse("Ad")
    writer.add(Drawn((best, *(face for face in range(40) if face != best))))
    desk = table(True)
    moves = ["stay", "3c>7c discard", "none", "bottom 4d", "none", "4c>3c discard", "none"]
    moves += ["bottom 3c", "none", "2c,3d>4c,6d", "none", "knock", "knock", "knock"]
    desk.say(*moves)
    assert len(desk.reseals) == 2
    for given in desk.inputs:
        writer.add(given)
    text = write_record(writer.record())
    played = [line[2:] for line in text.splitlines() if line[:2] in ("0 ", "1 ", "2 ")]
    assert played == [moves[0], *["none"] * 3, *moves[1:]]
    assert check(read_record(text)).standing() == desk.state.standing()
    assert Resealed() in desk.inputs
