"""An advice: every reason has its sentence, every number is one that was counted."""

from __future__ import annotations

from itertools import islice
from random import Random

import pytest

from engine import registry
from engine.contract import Reason
from engine.errors import IllegalMove
from node.language import CODES, language
from node.screen import accounts, counsel, words
from node.screen.advice import DEALS, advise
from node.screen.desk import Advice, Key, Ui, Why, begin, press, ready
from node.screen.paint import paint
from node.screen.theme import ThemeName, theme
from node.screen.view import TableView
from node.search import Comparison
from tests.engine.test_advice import CHECKS
from tests.node.screen.scenes import Table, scenes

EN, IT = language("en"), language("it")
TABLES = (
    Table("petrangola", 4, 2),
    Table("petrangola", 2, 5),
    Table("mambassa", 3, 1),
    Table("traversone", 4, 2),
    Table("traversone", 3, 3),
    Table("briscola", 2, 1),
    Table("briscola", 4, 2),
    Table("picchetto", 2, 1),
    Table("picchetto", 2, 3, me=1),
)


def still() -> float:
    """A clock that stands, so that the budget alone is counted."""
    return 0.0


def first(table: Table, *words: str) -> TableView:
    """The first decision with one of these words, and something to choose."""
    return next(
        view
        for view in scenes(table)
        if view.choices.words & set(words) and len(view.choices.items) > 1
    )


def test_every_kind_of_reason_has_a_sentence_and_no_other_has() -> None:
    kinds = {kind for checks in CHECKS.values() for kind in checks}
    assert set(counsel.KINDS) == kinds


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_every_reason_is_said_in_both_languages(table: Table) -> None:
    """Whatever speaks for any move: a whole sentence, with its blanks filled."""
    rng = Random(1)
    said = 0
    for view in islice(scenes(table), 160):
        for choice in rng.sample(view.choices.items, min(6, len(view.choices.items))):
            for one in view.state.game.reasons(view.state, view.me, choice.move):
                for code in CODES:
                    text = counsel.reason(language(code), view, one)
                    assert text.endswith(".")
                    assert not set("{}") & set(text)
                said += 1
    assert said > 10


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_an_advice_is_a_deed_with_what_was_found_out(table: Table) -> None:
    views = [v for v in islice(scenes(table), 200) if v.deciding]
    for view in views[:: max(1, len(views) // 3)]:
        found = advise(view.state, view.me, Random(2), still)
        assert found.move in view.state.legal(view.me)
        told = accounts.advice(EN, view, found)
        assert len(told) > 1
        assert len(told) == len(accounts.advice(IT, view, found))
        if len(view.choices.items) == 1:
            assert (found.why, told[1:]) == (Why.ONLY, ["It is the only thing that you may do."])
            continue
        assert found.reasons == view.state.game.reasons(view.state, view.me, found.move)
        spoken = [counsel.reason(EN, view, one) for one in found.reasons]
        assert told[1 : 1 + min(counsel.REASONS, len(spoken))] == spoken[: counsel.REASONS]
        if found.compared is not None:
            assert found.why is Why.WORLDS
            assert found.compared.move == found.move
            assert found.compared.worlds > 100
            assert any(f"In {found.compared.worlds} sampled deals" in text for text in told)


def test_the_same_seed_gives_the_same_advice() -> None:
    view = first(Table("traversone", 4, 2), "play")
    one, other = (advise(view.state, view.me, Random(3), still) for _ in range(2))
    assert one == other


def test_what_is_measured_is_told_in_the_games_own_unit() -> None:
    view = first(Table("traversone", 4, 2), "play")
    move, other = (choice.move for choice in view.choices.items[:2])
    compared = Comparison(move, other, 200, 480, 90, 20)
    told = counsel.advice(EN, view, Advice(move, Why.WORLDS, (), compared, 3))
    assert re_numbers(told[1]) == ["200", "90", "20"]
    assert told[2] == "On average 0.8 penalties less, against the others' average."
    told = counsel.advice(IT, view, Advice(move, Why.WORLDS, (), compared, 3))
    assert told[2].startswith("In media 0,8 penalità in meno")


def re_numbers(text: str) -> list[str]:
    """The numbers of a sentence but those of cards."""
    return [word.strip(".,()") for word in text.split() if word.strip(".,()").isdigit()]


@pytest.mark.parametrize(
    ("compared", "text"),
    [
        ((200, 0, 10, 10), "In 200 sampled deals no other choice was clearly better."),
        ((200, -30, 10, 40), "In 200 sampled deals no other choice was clearly better."),
        ((200, 30, 10, 40), "In 200 sampled deals it did better on the whole than the next best"),
        ((200, 30, 40, 10), "In 200 sampled deals it did better than the next best"),
        ((4, 30, 4, 0), "It is what a computer player of this game usually does here."),
    ],
)
def test_what_was_measured_is_told_as_it_is(compared: tuple[int, int, int, int], text: str) -> None:
    """No lead, none that is certain, a lead by few but high gains, too few deals to tell."""
    view = first(Table("briscola", 2, 1), "play")
    move, other = (choice.move for choice in view.choices.items[:2])
    found = Advice(move, Why.WORLDS, (), Comparison(move, other, *compared))
    told = counsel.advice(EN, view, found)
    assert told[1].startswith(text)
    assert len(told) == 2


@pytest.mark.parametrize(
    ("kind", "values", "en", "it"),
    [
        ("leads-risk", (1, 3), "1 of the 3 cards of its suit that are still out beats it.", None),
        ("leads-risk", (2, 3), "2 of the 3 cards of its suit that are still out beat it.", None),
        ("leads-long", (1,), "You hold no two cards of one suit.", None),
        ("leads-long", (4,), None, "È del tuo seme più lungo, di 4 carte."),
        ("leads-risk", (1, 3), None, "Delle 3 carte del suo seme ancora in giro la batte 1."),
        ("gives-least", (4,), "It adds 4 points to the trick, and you hold nothing cheaper.", None),
    ],
)
def test_one_card_is_said_as_one(
    kind: str, values: tuple[int, ...], en: str | None, it: str | None
) -> None:
    view = first(Table("traversone", 4, 2), "play")
    one = Reason(kind, (view.face(view.hand[0]),), values)
    assert en is None or counsel.reason(EN, view, one) == en
    assert it is None or counsel.reason(IT, view, one) == it


def test_a_better_hand_of_the_same_worth_is_no_gain_of_points() -> None:
    """By rank, kings beat jacks: both are a tris of 30."""
    table = Table("petrangola", 4, 1, preset="pagat", hand="Fc Fd Fb")
    view = next(v for v in scenes(table) if v.choices.words & {"exchange"})
    cards = [view.kind.text(view.face(slot)) for slot in view.hand]
    assert sorted(cards) == ["Fb", "Fc", "Fd"]
    for kind in ("raises", "best-hand"):
        one = Reason(kind, tuple(view.kind.split("Cs Cc Cb")))
        assert counsel.reason(EN, view, one) == "Your hand stays tris of 30, but a better one."
        assert counsel.reason(IT, view, one) == "La tua mano resta tris da 30, ma migliore."
    more = Reason("raises", tuple(view.kind.split("Ac Ad Ab")))
    assert "instead of tris of 30" in counsel.reason(EN, view, more)


def test_without_a_reason_nothing_is_made_up() -> None:
    view = first(Table("briscola", 2, 1), "play")
    move = view.choices.items[0].move
    told = counsel.advice(EN, view, Advice(move, Why.HABIT, (Reason("whatever"),)))
    assert told[1:] == ["It is what a computer player of this game usually does here."]


def test_an_advice_for_a_choice_that_has_passed_says_so() -> None:
    view = first(Table("petrangola", 4, 2), "exchange")
    other = first(Table("briscola", 2, 1), "play")
    found = Advice(view.choices.items[0].move, Why.HABIT)
    assert counsel.advice(EN, other, found) == ["There is nothing to choose any more."]


def knocking(hand: str) -> tuple[TableView, Advice]:
    """A turn with such a hand in which the advice is to knock; any reader's cards are dealt."""
    for seed in range(1, 40):
        for view in islice(scenes(Table("petrangola", 4, seed, hand=hand)), 60):
            if view.choices.words & {"knock", "knock-show"}:
                found = advise(view.state, view.me, Random(1), still)
                if found.holds is not None:
                    return view, found
                break
    raise AssertionError("nobody knocks with such a hand")


def test_a_knock_is_told_with_how_often_the_hand_is_not_the_worst() -> None:
    view, found = knocking("Ac Ad As")
    assert found.holds == (DEALS, DEALS)
    text = f"As the cards lie, yours isn't the worst hand in {DEALS} of {DEALS} sampled deals."
    assert text in accounts.advice(EN, view, found)


def test_how_often_a_hand_is_not_the_worst_is_counted() -> None:
    """By a seed of its own, in other deals: nearly as often."""
    view, found = knocking("Rd Ad 7d")
    assert found.holds is not None
    game, rng = view.state.game, Random(99)
    good = 0
    for _ in range(DEALS):
        world = game.determine(view.state, view.me, rng)
        keys = {
            pile.seat: game.score(
                world.options, [world.deck.kind.join(world.faces[n] for n in pile.slots)]
            )[0]
            for pile in world.piles()
            if pile.name == "hand"
        }
        texts = [keys[seat].hand for seat in sorted(keys)]
        ranks = dict(
            zip(sorted(keys), [s.rank for s in game.score(world.options, texts)], strict=True)
        )
        good += ranks[view.me] < max(ranks.values())
    assert abs(good - found.holds[0]) < DEALS // 8
    assert 0 < found.holds[0] <= DEALS


def test_games_that_compare_no_hands_say_nothing_of_a_worst_one() -> None:
    view = first(Table("briscola", 2, 1), "play")
    assert not registry.get("briscola").hands_compare
    assert advise(view.state, view.me, Random(1), still).holds is None


def test_f2_says_what_is_so_of_the_choice_in_focus() -> None:
    view = first(Table("traversone", 4, 2), "play")
    ui, _ = press(view, begin(view, Ui(seen=99)), Key.WHY)
    chosen = ready(view, ui)
    assert chosen is not None
    facts = counsel.facts(EN, view, chosen.move)
    assert facts
    lines = "\n".join(paint(view, 120, 60, theme(ThemeName.DARK), ui).lines())
    assert all(text in lines for text in facts)
    other, _ = press(view, ui, Key.ESCAPE)
    other, _ = press(view, other, Key.RIGHT)
    other, _ = press(view, other, Key.RULES)
    after = ready(view, other)
    assert after is not None
    assert after.move != chosen.move
    assert words.deed(EN, view, after) in "\n".join(
        paint(view, 120, 60, theme(ThemeName.DARK), other).lines()
    )


@pytest.mark.parametrize(
    ("error", "english", "italian"),
    [
        (
            IllegalMove("TRA-03", "that card isn't in the hand"),
            "That card isn't in the hand.",
            "Quella carta non è tra quelle in mano.",
        ),
        (
            IllegalMove("PIC-11", "here {low} cards are exchanged", low=3),
            "Here 3 cards are exchanged.",
            "Qui le carte da cambiare sono 3.",
        ),
    ],
)
def test_a_refusal_is_what_the_engine_says(error: IllegalMove, english: str, italian: str) -> None:
    view = first(Table("traversone", 4, 2), "play")
    assert words.refused(EN, view, error) == english
    assert words.refused(IT, view, error) == italian
