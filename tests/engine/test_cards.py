"""Cards and decks: the text of a card both ways, and what a whole deck is."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import DECK_KINDS, FRENCH32, ITALIAN, REGIONAL32, UNKNOWN, Deck, DeckKind
from engine.errors import NotationError

KINDS = tuple(DECK_KINDS.values())
kinds = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)


@pytest.mark.rule("CARD-01", "CARD-02", "CARD-03")
@pytest.mark.parametrize(
    ("kind", "size", "ranks", "suits"),
    [
        (ITALIAN, 40, set("A234567FCR"), set("cdsb")),
        (FRENCH32, 32, set("AKQJT987"), set("hdcs")),
        (REGIONAL32, 32, set("A4567FCR"), set("cdsb")),
    ],
    ids=lambda value: value.name if isinstance(value, DeckKind) else "",
)
def test_each_deck_has_its_cards(
    kind: DeckKind, size: int, ranks: set[str], suits: set[str]
) -> None:
    texts = [kind.text(face) for face in range(kind.size)]
    assert kind.size == size == len(set(texts))
    assert set(texts) == {rank + suit for rank in ranks for suit in suits}
    assert len(kind.rank_names) == len(ranks)
    assert len(kind.suit_names) == len(suits)


@pytest.mark.rule("CARD-01")
def test_no_card_lies_between_the_seven_and_the_fante() -> None:
    assert ITALIAN.ranks.index("F") == ITALIAN.ranks.index("7") + 1


@pytest.mark.rule("CARD-01", "CARD-03")
@pytest.mark.parametrize("kind", [ITALIAN, REGIONAL32], ids=lambda kind: kind.name)
def test_the_letters_are_those_of_the_names(kind: DeckKind) -> None:
    words = dict(zip(kind.ranks, kind.rank_names, strict=True))
    digits = {"2": "due", "3": "tre", "4": "quattro", "5": "cinque", "6": "sei", "7": "sette"}
    assert all(digits.get(letter, letter) == words[letter] for letter in words if letter in digits)
    assert {letter: words[letter] for letter in "AFCR"} == {
        "A": "asso",
        "F": "fante",
        "C": "cavallo",
        "R": "re",
    }
    assert [name[0] for name in kind.suit_names] == list(kind.suits)


@pytest.mark.rule("CARD-02")
def test_the_french_letters_are_those_of_the_names() -> None:
    assert [name[0] for name in FRENCH32.suit_names] == list(FRENCH32.suits)
    words = dict(zip(FRENCH32.ranks, FRENCH32.rank_names, strict=True))
    assert words == {
        "7": "seven",
        "8": "eight",
        "9": "nine",
        "T": "ten",
        "J": "jack",
        "Q": "queen",
        "K": "king",
        "A": "ace",
    }


@pytest.mark.rule("CARD-05")
@kinds
def test_the_text_of_each_card_reads_back(kind: DeckKind) -> None:
    for face in range(kind.size):
        text = kind.text(face)
        assert kind.parse(text) == face
        assert text == kind.ranks[kind.rank(face)] + kind.suits[kind.suit(face)]


@pytest.mark.rule("CARD-05")
def test_the_deck_decides_what_c_and_s_mean() -> None:
    assert ITALIAN.suit_names[ITALIAN.suit(ITALIAN.parse("7c"))] == "coppe"
    assert FRENCH32.suit_names[FRENCH32.suit(FRENCH32.parse("7c"))] == "clubs"
    assert ITALIAN.suit_names[ITALIAN.suit(ITALIAN.parse("As"))] == "spade"
    assert FRENCH32.suit_names[FRENCH32.suit(FRENCH32.parse("As"))] == "spades"


def test_an_unknown_card_is_shown_but_never_read() -> None:
    assert ITALIAN.text(UNKNOWN) == "??"
    assert ITALIAN.join((ITALIAN.parse("Ac"), UNKNOWN)) == "Ac ??"
    with pytest.raises(NotationError):
        ITALIAN.parse("??")


@pytest.mark.parametrize(
    "text",
    ["", "A", "Acc", "ac", "AC", "cA", "8c", "9c", "Tc", "1c", "10c", "Ah", "A c", " Ac", "Ac ",
     "Ac\n", "Аc", "Ａc", "A\u0441", "\u00b2c", "\x00\x00", "A" * 100_000],
)  # fmt: skip
def test_what_is_no_italian_card_is_refused(text: str) -> None:
    with pytest.raises(NotationError) as caught:
        ITALIAN.parse(text)
    assert len(str(caught.value)) < 200


@kinds
@given(text=st.text(max_size=3))
def test_any_other_text_is_refused(kind: DeckKind, text: str) -> None:
    if text in {kind.text(face) for face in range(kind.size)}:
        assert kind.text(kind.parse(text)) == text
    else:
        with pytest.raises(NotationError):
            kind.parse(text)


@kinds
@given(data=st.data())
def test_lists_of_cards_read_back(kind: DeckKind, data: st.DataObject) -> None:
    faces = tuple(data.draw(st.lists(st.integers(0, kind.size - 1), max_size=12)))
    text = kind.join(faces)
    assert kind.split(text) == faces
    assert kind.split(f"  {text.replace(' ', '   ')} ") == faces


@pytest.mark.rule("CARD-04")
@pytest.mark.parametrize("copies", [1, 2, 4])
@kinds
def test_a_deck_of_copies_holds_each_card_that_often(kind: DeckKind, copies: int) -> None:
    deck = Deck(kind, copies)
    assert deck.size == kind.size * copies
    faces = [deck.face(physical) for physical in range(deck.size)]
    assert sorted(faces) == sorted(list(range(kind.size)) * copies)
    Random(copies).shuffle(faces)
    deck.check(faces)
    deck.check(bytes(faces))


@pytest.mark.parametrize("copies", [1, 3])
@given(data=st.data())
def test_a_deck_with_one_card_changed_is_refused(copies: int, data: st.DataObject) -> None:
    deck = Deck(ITALIAN, copies)
    faces = [deck.face(physical) for physical in range(deck.size)]
    place = data.draw(st.integers(0, deck.size - 1))
    other = data.draw(st.integers(-3, 300).filter(lambda face: face != faces[place]))
    faces[place] = other
    with pytest.raises(NotationError):
        deck.check(faces)


@pytest.mark.parametrize("change", [-40, -1, 1, 40])
def test_a_deck_of_another_size_is_refused(change: int) -> None:
    faces = (list(range(40)) * 3)[: 40 + change]
    with pytest.raises(NotationError, match="40 cards"):
        Deck(ITALIAN).check(faces)


def test_a_deck_names_the_card_that_is_wrong() -> None:
    faces = list(range(40))
    faces[ITALIAN.parse("Rb")] = ITALIAN.parse("Ac")
    with pytest.raises(NotationError, match="Ac is 2 times"):
        Deck(ITALIAN).check(faces)
    faces = [*list(range(40))[:-1], UNKNOWN]
    with pytest.raises(NotationError, match="255"):
        Deck(ITALIAN).check(faces)
