"""What a result says of each hand is what the engine counted, in both languages."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import registry
from engine.cards import ITALIAN
from engine.contract import Ground, Note, Scored
from engine.games.mambassa_hands import FRENCH40
from node.language import language
from node.screen import reckoning
from node.screen.story import HandResult, Row
from tests.engine.table import options_of
from tests.node.screen.scenes import Table, scenes

EN, IT = language("en"), language("it")
PETRANGOLA, MAMBASSA = registry.get("petrangola"), registry.get("mambassa")


def judged(name: str, hand: str, *given: tuple[str, str]) -> Scored:
    game = registry.get(name)
    options = options_of(game, game.default_preset, given)
    (found,) = game.score(options, [hand])
    return found


@pytest.mark.parametrize(
    ("name", "hand", "english", "italian"),
    [
        ("petrangola", "5d Ad Rd", "26 of coins: A 11 + R 10 + 5", "26 di denari: A 11 + R 10 + 5"),
        ("petrangola", "Fs 4d 2c", "10 of swords: F 10", "10 di spade: F 10"),
        (
            "petrangola",
            "Rc 7c Cc",
            "27 of cups: R 10 + C 10 + 7",
            "27 di coppe: R 10 + C 10 + 7",
        ),
        (
            "petrangola",
            "Cc Fc Rc",
            "scala of cups, 30 (R 10 + C 10 + F 10): three cards of one suit in a row",
            "scala di coppe, 30 (R 10 + C 10 + F 10): tre carte di un seme in fila",
        ),
        (
            "petrangola",
            "2c 2d 2s",
            "tris of twos, 6 (2 + 2 + 2): three cards of one rank",
            "tris di due, 6 (2 + 2 + 2): tre carte dello stesso valore",
        ),
        (
            "petrangola",
            "Ac Ad As",
            "three aces, 31: three aces beat every other petrangola",
            "tre assi, 31: tre assi battono ogni altra petrangola",
        ),
        (
            "mambassa",
            "Fc 7c 6c 2d",
            "scala corta of cups, 38.5: three cards of one suit in a row",
            "scala corta di coppe, 38,5: tre carte di un seme in fila",
        ),
        (
            "mambassa",
            "Rc Rd Rs Rb",
            "quartina of kings, 40: four cards of one rank",
            "quartina di re, 40: quattro carte dello stesso valore",
        ),
        ("mambassa", "Ab 7b 2c 3s", "18 of batons: A 11 + 7", "18 di bastoni: A 11 + 7"),
        (
            "mambassa",
            "Ac Ad As Ab",
            "mambassa, 44: four aces beat everything",
            "mambassa, 44: quattro assi battono tutto",
        ),
    ],
)
def test_a_hand_is_told_by_the_cards_that_count(
    name: str, hand: str, english: str, italian: str
) -> None:
    game, found = registry.get(name), judged(name, hand)
    assert reckoning.worth(EN, game, ITALIAN, found) == english
    assert reckoning.worth(IT, game, ITALIAN, found) == italian


@given(st.lists(st.integers(0, 39), min_size=4, max_size=4, unique=True))
def test_the_numbers_of_a_hand_add_up_to_its_worth(faces: list[int]) -> None:
    for name, kind, cards in (
        ("petrangola", ITALIAN, faces[:3]),
        ("mambassa", ITALIAN, faces),
        ("mambassa", FRENCH40, faces),
    ):
        given = (("deck", "french40"),) if kind is FRENCH40 else ()
        found = judged(name, kind.join(cards), *given)
        text = reckoning.worth(EN, registry.get(name), kind, found)
        assert text
        match = re.search(r"[:(] ?((?:[A-Z] )?\d+(?: \+ (?:[A-Z] )?\d+)*)\)?", text)
        if match:
            added = sum(int(part.split()[-1]) for part in match[1].split(" + "))
            assert str(added) == found.amount
        else:
            assert found.kind != "points"


def row(name: str, hand: str, rank: int, ground: Ground | None, lost: int) -> Row:
    """The row of seat `rank`."""
    worth = judged(name, hand)
    return Row(rank, ITALIAN.split(hand), worth, rank, lost, 0, 0, 0, 3, 3 - lost, ground)


@pytest.mark.parametrize(
    ("name", "better", "worse", "ground", "text"),
    [
        ("petrangola", "Cc Fc Rc", "2c 2d 2s", Ground.KIND, "scala beats tris"),
        ("petrangola", "2c 2d 2s", "Ad Rd 2s", Ground.KIND, "tris beats mere points"),
        ("petrangola", "Ac Rc 2d", "Ac 7c 2d", Ground.POINTS, ""),
        ("petrangola", "Cc Fc Rc", "4d 5d 6d", Ground.TOP, "its top card is higher"),
        ("petrangola", "4c 4d 4s", "2c 2d 2s", Ground.HIGHER, "its cards are higher"),
        (
            "mambassa",
            "2c 2d 2s 4b",
            "3c 3d 3s 5b",
            Ground.LOWER,
            "its cards are lower, which is better here",
        ),
        (
            "mambassa",
            "4d 5d 6d 7d",
            "4s 5s 6s 7s",
            Ground.SUIT,
            "up to the same card, but coins go before swords",
        ),
        (
            "petrangola",
            "4c 4d 4s",
            "4c 4d 4b",
            Ground.EARLIER,
            "as good as the next, but completed earlier",
        ),
    ],
)
def test_why_a_hand_is_above_the_next(
    name: str, better: str, worse: str, ground: Ground, text: str
) -> None:
    rows = (row(name, better, 1, ground, 0), row(name, worse, 2, None, 1))
    result = HandResult(1, rows)
    assert reckoning.ground(EN, ITALIAN, result, rows[0]) == text
    assert reckoning.ground(EN, ITALIAN, result, rows[1]) == ""
    assert bool(reckoning.ground(IT, ITALIAN, result, rows[0])) is bool(text)


def test_equal_hands_of_the_last_two_say_who_loses() -> None:
    one, other = (row("petrangola", "Ac Rc 2d", 1, Ground.LAST_TWO, lost) for lost in (1, 0))
    text = reckoning.ground(EN, ITALIAN, HandResult(1, (one, other)), one)
    assert text == "equal hands of the last two: who didn't deal loses a token"
    both = HandResult(1, (one, replace(other, lost=1)))
    text = reckoning.ground(EN, ITALIAN, both, one)
    assert text == "equal hands of the last two: each loses a token"


@pytest.mark.parametrize(
    "table",
    [
        Table("petrangola", 4, 2),
        Table("petrangola", 2, 4, preset="emilia"),
        Table("petrangola", 3, 6, preset="pagat"),
        Table("mambassa", 4, 4, given=(("deck", "french40"),)),
    ],
    ids=str,
)
def test_every_hand_that_is_shown_is_told(table: Table) -> None:
    told = 0
    for view in scenes(table):
        result = view.story.result
        for own in result.rows if result else ():
            assert reckoning.worth(IT, view.state.game, view.kind, own.worth)
            ranks = [other.rank for other in result.rows] if result else []
            text = reckoning.ground(IT, view.kind, result, own) if result else ""
            assert text or own.ground in {None, Ground.POINTS}
            assert (own.ground is None) is (own.rank == max(ranks) and ranks.count(own.rank) == 1)
            told += 1
    assert told > 20


def first_result(table: Table) -> tuple[HandResult, list[str]]:
    """The first result, and what it says of each row in English."""
    view = next(view for view in scenes(table) if view.story.result)
    result = view.story.result
    assert result is not None
    pieces = (reckoning.made_of(EN, view.state.game, result, own) for own in result.rows)
    return result, [" · ".join(own) for own in pieces]


def test_thirds_are_told_with_what_is_written() -> None:
    result, texts = first_result(Table("traversone", 4, 1))
    assert texts[0] == (
        "2 aces = 2 · 14 cards of a third = 4 2/3 · last trick: what is missing to 11, so 7"
    )
    assert texts[1] == "whole points: writes 0"
    written = [int(text.split()[-1]) for text in texts]
    assert sum(written) == 11
    assert [row.seat for row in result.rows] == [1, 2, 3, 0]


def test_what_is_missing_goes_by_what_the_table_counts_to() -> None:
    table = Table("traversone", 4, 1, given=(("ace_of_bastoni", "true"),))
    _, texts = first_result(table)
    assert sum("last trick: what is missing to 21, so " in text for text in texts) == 1
    assert sum(int(text.split()[-1]) for text in texts) == 21


def test_a_cappotto_is_told_to_each() -> None:
    """What a count with a cappotto announces: one seat writes nothing, the others 11."""
    result, _ = first_result(Table("traversone", 2, 1))
    notes = (Note("last-trick", 1), Note("cappotto", 1), Note("counts", 1, (0, 26)))
    result = replace(result, notes=(*notes, Note("counts", 0, (11, 6))))
    game = registry.get("traversone")
    for own in result.rows:
        tail = "against a cappotto: writes 11" if own.seat == 0 else "cappotto: writes nothing"
        assert reckoning.made_of(EN, game, result, own)[-1] == tail


def test_cards_of_briscola_are_told_by_rank_and_partners_together() -> None:
    result, texts = first_result(Table("briscola", 2, 1))
    assert texts[0] == "3 aces = 33 · 3 threes = 30 · 2 kings = 8 · 3 jacks = 6"
    result, texts = first_result(Table("briscola", 4, 2))
    both = {int(text.rpartition(" ")[2]) for text in texts}
    assert sum(both) == 120
    assert len(result.rows) == 4


def test_picchetto_tells_what_was_counted_aloud() -> None:
    result, texts = first_result(Table("picchetto", 2, 1))
    assert texts[1] == (
        "point 4 · sequences 3 · tricks taken 4 · leads 6 · last trick 1 · the cards 10"
    )
    for own, text in zip(result.rows, texts, strict=True):
        assert sum(int(piece.split()[-1]) for piece in text.split(" · ")) == own.running


def test_a_game_of_tricks_has_no_grounds() -> None:
    result, _ = first_result(Table("briscola", 2, 1))
    assert all(own.ground is None for own in result.rows)
