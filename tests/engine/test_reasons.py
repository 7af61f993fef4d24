"""What counts in a shown hand and what puts it above another: true of whatever is dealt."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import registry
from engine.cards import ITALIAN
from engine.contract import Ground
from engine.games import (
    mambassa_hands,
    mambassa_reasons,
    mambassa_settle,
    petrangola_hands,
    petrangola_reasons,
    petrangola_settle,
)
from engine.games.mambassa_hands import FRENCH40, MambassaOptions
from engine.games.petrangola_hands import PetrangolaOptions
from engine.options import make
from tests.engine.table import Dealer, Setting, at_random, play

PETRANGOLA = registry.get("petrangola")
MAMBASSA = registry.get("mambassa")
WHOLE = {"three-aces", "petrangulo"}


def ranked(table: list[int]) -> list[int]:
    return [1 + sum(other > one for other in table) for one in table]


house = st.builds(
    PetrangolaOptions,
    decks=st.just(4),
    ace_low=st.booleans(),
    tris_beats_scala=st.booleans(),
    low_tris_wins=st.booleans(),
    court_tris=st.sampled_from(["equal_by_points", "by_rank"]),
    petrangulo=st.booleans(),
)
three = st.lists(st.integers(0, 39), min_size=3, max_size=3)
four = st.lists(st.integers(0, 39), min_size=4, max_size=4, unique=True)


@given(house, three)
def test_the_cards_of_petrangola_that_count_add_up(
    options: PetrangolaOptions, faces: list[int]
) -> None:
    (one,) = PETRANGOLA.score(options, [ITALIAN.join(faces)])
    cards = [text for text, _ in one.counted]
    assert set(cards) <= set(one.hand.split())
    if one.kind in WHOLE:
        assert [points for _, points in one.counted] == [0, 0, 0]
        return
    assert sum(points for _, points in one.counted) == one.points
    if one.kind != "tris":
        assert len({text[1] for text in cards}) == 1
    assert len(cards) == (3 if one.kind != "points" else len(cards))
    assert [points for _, points in one.counted] == sorted(
        (points for _, points in one.counted), reverse=True
    )


@given(st.sampled_from([MambassaOptions(), MambassaOptions(deck="french40", ace_low=True)]), four)
def test_the_cards_of_mambassa_that_count_are_those_without_which_it_is_worth_less(
    options: MambassaOptions, faces: list[int]
) -> None:
    kind = FRENCH40 if options.deck == "french40" else ITALIAN
    (one,) = MAMBASSA.score(options, [kind.join(faces)])
    cards = [text for text, _ in one.counted]
    assert set(cards) <= set(one.hand.split())
    if one.kind == "points":
        assert sum(points for _, points in one.counted) == one.points
        assert len({text[1] for text in cards}) == 1
        return
    assert len(cards) == (3 if one.kind in {"tris", "scala-corta"} else 4)
    assert {points for _, points in one.counted} == {0}
    if one.kind == "tris":
        assert len({text[0] for text in cards}) == 1
    if one.kind.startswith("scala"):
        assert len({text[1] for text in cards}) == 1


def above(ground: Ground, own: str, other: str) -> bool:
    """Whether a ground may be given for a hand of kind `own` over one of kind `other`."""
    if ground is Ground.KIND:
        return own != other
    if ground is Ground.POINTS:
        return own == other == "points"
    if ground in {Ground.TOP, Ground.SUIT}:
        return own == other and own.startswith(("scala", "quarantuna"))
    return own == other and own in {"tris", "quartina", "petrangulo"}


@given(house, st.lists(three, min_size=2, max_size=6))
def test_a_hand_of_petrangola_is_above_the_next_for_the_ground_that_is_told(
    options: PetrangolaOptions, hands: list[list[int]]
) -> None:
    values = [petrangola_hands.value(faces, options, 4) for faces in hands]
    ranks = ranked([value.key for value in values])
    shown = [
        petrangola_settle.Shown(seat, value, rank, 0, 0)
        for seat, (value, rank) in enumerate(zip(values, ranks, strict=True))
    ]
    found = petrangola_reasons.grounds(options, shown)
    for own in shown:
        ground = found.get(own.seat)
        if ranks.count(own.rank) > 1:
            assert ground is (Ground.LAST_TWO if len(shown) == 2 else Ground.EQUAL)
            continue
        worse = sorted((o for o in shown if o.rank > own.rank), key=lambda o: o.rank)
        if not worse:
            assert ground is None
            continue
        assert ground is not None
        assert above(ground, own.value.kind, worse[0].value.kind)
        mine = {face % 10 for face in hands[own.seat]}
        theirs = {face % 10 for face in hands[worse[0].seat]}
        if ground is Ground.LOWER:
            assert options.low_tris_wins
            assert sum(mine) < sum(theirs)
        if ground is Ground.HIGHER and own.value.kind == "tris":
            assert not options.low_tris_wins
            assert sum(mine) > sum(theirs)


@given(st.lists(four, min_size=2, max_size=6))
def test_a_hand_of_mambassa_is_above_the_next_for_the_ground_that_is_told(
    hands: list[list[int]],
) -> None:
    options = MambassaOptions()
    values = [mambassa_hands.value(faces, options) for faces in hands]
    ranks = ranked([value.key for value in values])
    shown = [
        mambassa_settle.Shown(seat, value, rank, 0, 0)
        for seat, (value, rank) in enumerate(zip(values, ranks, strict=True))
    ]
    found = mambassa_reasons.grounds(shown)
    for own in shown:
        ground = found.get(own.seat)
        if ranks.count(own.rank) > 1:
            assert ground is Ground.EQUAL
            continue
        worse = sorted((o for o in shown if o.rank > own.rank), key=lambda o: o.rank)
        assert (ground is None) is (not worse)
        if ground is not None:
            assert above(ground, own.value.kind, worse[0].value.kind)


@pytest.mark.parametrize(
    ("better", "worse", "ground"),
    [
        ("4d 5d 6d 7d", "4s 5s 6s 7s", Ground.SUIT),
        ("5s 6s 7s Fs", "4d 5d 6d 7d", Ground.TOP),
        ("5s 6s 7s Ab", "4s 5s 6s 7d", Ground.TOP),
        ("2c 2d 2s 4b", "3c 3d 3s 5b", Ground.LOWER),
        ("2c 2d 2s 2b", "Rc Rd Rs Rb", Ground.LOWER),
        ("2c 2d 2s 4b", "5s 6s 7s Ab", Ground.KIND),
        ("Ac Rc 2d 3d", "Ac 7c 2d 3d", Ground.POINTS),
        ("Ad Rd Cd Fd", "As Rs Cs Fs", Ground.SUIT),
    ],
)
def test_what_decides_between_two_hands_of_mambassa(
    better: str, worse: str, ground: Ground
) -> None:
    options = MambassaOptions()
    shown = [
        mambassa_settle.Shown(seat, mambassa_hands.value(ITALIAN.split(text), options), rank, 0, 0)
        for seat, text, rank in ((0, better, 1), (1, worse, 2))
    ]
    assert shown[0].value.key > shown[1].value.key
    assert mambassa_reasons.grounds(shown) == {0: ground}


@pytest.mark.parametrize(
    "setting",
    [
        Setting("petrangola", "marche", 4),
        Setting("petrangola", "emilia", 2),
        Setting("mambassa", "mambassa", 3),
    ],
    ids=str,
)
def test_every_shown_hand_but_the_worst_has_a_ground(setting: Setting) -> None:
    rng = Random(5)
    game = registry.get(setting.game)
    hands = 0
    for _, _, after in play(setting.start(), Dealer(rng, live=True, generous=True), at_random(rng)):
        shown: Sequence[Any] = getattr(after, "showdown", tuple)()
        found = game.grounds(after)
        assert set(found) <= {one.seat for one in shown}
        if shown:
            hands += 1
            worst = max(one.rank for one in shown)
            assert {one.seat for one in shown if one.rank < worst} <= set(found)
    assert hands > 5


@pytest.mark.parametrize(
    ("preset", "better", "worse", "ground"),
    [
        ("emilia", "2c 2d 2s", "7c 7d 7s", Ground.LOWER),
        ("marche", "7c 7d 7s", "2c 2d 2s", Ground.HIGHER),
        ("marche", "5d 6d 7d", "2c 2d 2s", Ground.KIND),
        ("emilia", "2c 2d 2s", "5d 6d 7d", Ground.KIND),
        ("marche", "Cd Rd Ad", "5d 6d 7d", Ground.TOP),
        ("marche", "Ac Ad As", "Cd Rd Ad", Ground.KIND),
        ("marche", "2c 2d 2s", "Ad Rd 7d", Ground.KIND),
        ("marche", "Ad Rd 7d", "Ad Rd 6d", Ground.POINTS),
    ],
)
def test_what_decides_between_two_hands_of_petrangola(
    preset: str, better: str, worse: str, ground: Ground
) -> None:
    options = make(PetrangolaOptions, PETRANGOLA.presets[preset])
    values = [petrangola_hands.value(ITALIAN.split(text), options) for text in (better, worse)]
    assert values[0].key > values[1].key
    shown = [petrangola_settle.Shown(n, value, n + 1, 0, 0) for n, value in enumerate(values)]
    assert petrangola_reasons.grounds(options, shown) == {0: ground}


def test_a_petrangola_that_was_completed_earlier_is_above_its_equal() -> None:
    options = make(PetrangolaOptions, PETRANGOLA.presets["marche"])
    value = petrangola_hands.value(ITALIAN.split("Rc Rd Rs"), options)
    shown = [petrangola_settle.Shown(seat, value, rank, 0, 0) for seat, rank in ((0, 2), (1, 1))]
    assert petrangola_reasons.grounds(options, shown) == {1: Ground.EARLIER}


def test_a_game_that_compares_no_hands_gives_no_ground() -> None:
    state = Setting("briscola", "classic", 2).start()
    assert registry.get("briscola").grounds(state) == {}


@pytest.mark.parametrize(
    "setting",
    [
        Setting("briscola", "classic", 2),
        Setting("briscola", "classic", 3),
        Setting("briscola", "classic", 4),
        Setting("traversone", "ciapano", 2),
        Setting("traversone", "ciapano", 3),
        Setting("traversone", "ciapano", 5),
    ],
    ids=str,
)
def test_what_taken_cards_count_adds_up_to_what_the_deal_brought(setting: Setting) -> None:
    rng = Random(8)
    game = registry.get(setting.game)
    took: dict[int, int] = {}
    counted: dict[int, int] = {}
    ends = 0
    for _, _, after in play(setting.start(), Dealer(rng, live=True), at_random(rng)):
        for note in after.notes:
            if note.kind == "deals":
                took, counted = {}, {}
            if note.kind == "takes":
                took[note.seat] = took.get(note.seat, 0) + note.values[0]
            if note.kind == "counts":
                counted[note.seat] = note.values[-1]
        told = {seat: game.tally(after, seat) for seat in after.players}
        if not after.faces:
            assert not any(told.values())
            continue
        for seat in after.players:
            own = [part for part in told[seat] if part.category != "partner"]
            cards = [card for part in own for card in part.text.split()]
            won = [p.slots for p in after.piles() if p.name == "won" and p.seat == seat]
            assert set(cards) <= {after.deck.kind.text(after.faces[n]) for n in won[0]}
            assert len(set(cards)) == len(cards)
            assert all(card[0] in part.category for part in own for card in part.text.split())
            if counted:
                assert sum(part.points for part in own) == counted[seat]
            else:
                assert sum(part.points for part in own) == took.get(seat, 0)
            partner = [part.points for part in told[seat] if part.category == "partner"]
            if setting.seats == 4 and setting.game == "briscola":
                assert partner == [took.get((seat + 2) % 4, 0)]
            else:
                assert partner == []
        ends += bool(counted)
    assert ends
