"""What is said in plain lines, at every moment of matches of every game: laws, and examples."""

from __future__ import annotations

import functools
import random
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.cards import UNKNOWN
from node import plain_lines as lines
from node.errors import need
from node.language import CODES, ENGLISH, language
from node.plain_lines import MANY, NAMED, WIDTH
from node.plain_picks import MAX_CARDS, chosen_cards, faces_in, numbered, why_lines
from node.screen import accounts, words
from node.screen.advice import advise
from node.screen.view import SPECTATOR, Line, TableView
from tests.node.screen.scenes import Table, ends, is_over, scenes

TABLES = (
    Table("petrangola", 3),
    Table("petrangola", 2, seed=5),
    Table("mambassa", 3),
    Table("traversone", 3),
    Table("picchetto", 2),
    Table("briscola", 4, seed=3),
    Table("petrangola", 3, me=SPECTATOR),
)
BOXES = re.compile("[\u2190-\u21ff\u2500-\u25ff✓·×]")
SHOWN = (
    lines.turn_lines,
    lines.table_lines,
    lines.score_lines,
    lines.story_lines,
    lines.log_lines,
    lines.result_lines,
    lines.time_lines,
    lines.rules_lines,
    accounts.fairness,
)


@functools.cache
def moments(table: Table) -> tuple[TableView, ...]:
    """Every fourth view of a match, each choice of the reader, and the ends of hands."""
    found = []
    for n, view in enumerate(scenes(table)):
        if n % 4 == 0 or view.deciding or ends(view) or is_over(view):
            found.append(view)
        if len(found) == 120:
            break
    return tuple(found)


def choices_of(table: Table) -> list[TableView]:
    return [view for view in moments(table) if view.deciding]


@pytest.mark.parametrize("table", TABLES, ids=str)
@pytest.mark.parametrize("code", CODES)
def test_whatever_is_asked_is_answered_in_plain_lines(table: Table, code: str) -> None:
    tongue = language(code)
    for view in moments(table)[::3]:
        for shown in SHOWN:
            said = shown(tongue, view)
            assert said, shown
            for line in said:
                assert line == line.strip()
                assert line
                assert "{" not in line
                assert not BOXES.search(line), line
                assert line[-1] in ".?!…:", line


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_what_is_due_stands_first_and_the_choices_last(table: Table) -> None:
    for view in choices_of(table)[:30]:
        said = lines.turn_lines(ENGLISH, view)
        assert said[0].startswith(("Your turn: ", "You are asked: "))
        assert not any(line.startswith(("Your turn", "You are asked")) for line in said[1:])
        if len(view.listed) <= MANY and not view.choices.numbers:
            told = " ".join(said)
            for number in range(1, len(view.listed) + 1):
                assert re.search(rf"(^|\s){number} \w", told), told


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_nobody_hears_of_a_card_that_is_not_seen(table: Table) -> None:
    """Every card that is written is one of those that the view knows, or that was told before."""
    for view in moments(table)[::2]:
        known = {view.kind.text(face) for face in view.state.faces if face != UNKNOWN}
        known |= {
            view.kind.text(f)
            for row in (view.story.result.rows if view.story.result else ())
            for f in row.faces
            if f != UNKNOWN
        }
        for shown in (lines.turn_lines, lines.table_lines, lines.result_lines):
            said = " ".join(shown(ENGLISH, view))
            written = set(re.findall(r"\b[A2-7FCRTJQK89][cdsbh]\b", said))
            rest = written - known
            assert not rest or rest <= _examples(view), (rest, said)


def _examples(view: TableView) -> set[str]:
    """Cards in the sentences of the last hand, of which the view knows no card any more."""
    notes = view.story.result.notes if view.story.result else ()
    names = [seat.name for seat in lines.in_order(view)]
    told = " ".join(words.note_words(ENGLISH, view.state.game, note, names) for note in notes)
    return set(re.findall(r"\b[A2-7FCRTJQK89][cdsbh]\b", told))


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_every_number_is_its_own_choice_and_every_choice_has_one(table: Table) -> None:
    for view in choices_of(table)[:20]:
        if view.choices.numbers:
            found = [numbered(view, choice.rest[0]) for choice in view.choices.numbers]
        else:
            found = [numbered(view, n) for n in range(1, len(view.listed) + 1)]
        assert set(found) == set(view.choices.items)
        assert len(found) == len(view.choices.items)
        assert numbered(view, 0) is None or view.choices.numbers
        assert numbered(view, 100_000) is None


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_cards_alone_pick_what_the_screen_would_pick(table: Table) -> None:
    """The cards of each choice, written in any case and order, lead to it and its variants."""
    rng = random.Random(1)
    for view in choices_of(table)[:12]:
        for key, found in list(view.choices.by_cards.items())[:40]:
            slots = [*key[0], *key[1]]
            rng.shuffle(slots)
            cards = [view.kind.text(view.face(slot)) for slot in slots]
            if len(set(cards)) < len(cards):
                continue  # cards that look alike are taken from the hand first
            text = " ".join(cards).lower() if rng.random() < 0.5 else ", ".join(cards)
            picked = chosen_cards(view, text)
            assert picked is not None
            assert {lines.notation(view, c) for c in picked} == {
                lines.notation(view, c) for c in found
            }


@pytest.mark.parametrize("table", TABLES, ids=str)
def test_a_list_fits_the_width_but_for_what_has_a_line_of_its_own(table: Table) -> None:
    for code in CODES:
        for view in choices_of(table)[:12]:
            for line in lines.choice_lines(language(code), view):
                items = re.findall(r"(?:^|\. )\d+ ", line)
                assert len(line) <= WIDTH or len(items) <= 1, line


@given(st.text(max_size=60), st.integers(0, 30))
def test_whatever_is_typed_gets_an_answer(text: str, number: int) -> None:
    views = [view for table in TABLES[:5] for view in choices_of(table)]
    view = views[number % len(views)]
    assert why_lines(ENGLISH, view, text)
    picked = chosen_cards(view, text)
    assert picked is None or all(choice in view.choices.items for choice in picked)


def test_more_cards_than_anybody_holds_are_none() -> None:
    view = choices_of(TABLES[0])[0]
    assert faces_in(view, "Ac " * MAX_CARDS) is not None
    assert faces_in(view, "Ac " * (MAX_CARDS + 1)) is None
    assert faces_in(view, "") is None


# -- examples --------------------------------------------------------------------------------------


def test_a_card_is_named_and_written() -> None:
    view = choices_of(TABLES[3])[0]
    kind = view.kind
    face = kind.parse("7b")
    assert lines.said_card(ENGLISH, kind, face) == "seven of batons 7b"
    assert lines.said_card(language("it"), kind, face) == "sette di bastoni 7b"
    few = kind.split("7b Ad")
    assert lines.said_cards(ENGLISH, kind, few) == "seven of batons 7b, ace of coins Ad"
    many = kind.split("7b Ad Rb 2c 3c")
    assert len(many) > NAMED
    said = lines.said_cards(ENGLISH, kind, (*many, UNKNOWN, UNKNOWN))
    assert said == "cups 2c 3c, coins Ad, batons 7b Rb, 2 hidden cards"


def test_why_a_card_may_not_be_played_names_the_rule() -> None:
    view = next(
        view
        for view in choices_of(TABLES[3])
        if "play" in view.choices.words and len(view.choices.items) < len(view.hand)
    )
    usable = {slot for choice in view.listed for slot in choice.give}
    other = next(slot for slot in view.hand if slot not in usable)
    said = why_lines(ENGLISH, view, view.kind.text(view.face(other)))
    assert "were led, and whoever has" in said[0]
    assert said[1].startswith("TRA-03: ")
    mine = view.kind.text(view.face(next(iter(usable))))
    assert why_lines(ENGLISH, view, mine)[0].startswith("Allowed: play the ")
    assert why_lines(ENGLISH, view, "1")[0].startswith("Allowed: play the ")
    assert why_lines(ENGLISH, view, "99")[0].startswith("There are choices 1 to ")
    assert why_lines(ENGLISH, view, "rubbish")[0].startswith("Name one card")
    absent = next(face for face in range(40) if face not in {view.face(slot) for slot in view.hand})
    assert why_lines(ENGLISH, view, view.kind.text(absent))[0].startswith("You don't see the ")


def test_a_hand_that_has_ended_is_told_with_worth_and_rank() -> None:
    view = next(view for view in moments(TABLES[0]) if ends(view))
    said = lines.result_rows(ENGLISH, view)
    result = need(view.story.result)
    assert said[0] == f"The end of hand {result.hand}."
    assert len(said) == 1 + len(result.rows)
    for line, row in zip(said[1:], result.rows, strict=True):
        assert line.startswith(f"{row.rank}. ")
        assert view.kind.join(row.faces) in line
    assert [row.rank for row in result.rows] == sorted(row.rank for row in result.rows)


def test_points_are_final_only_when_all_is_checked() -> None:
    ended = [view for view in moments(TABLES[3]) if view.story.result is not None]
    first = next(view for view in ended if not need(view.story.result).checked)
    checked = next(view for view in ended if need(view.story.result).checked)
    assert not any("penalties" in line for line in lines.result_rows(ENGLISH, first))
    assert all("penalties" in line for line in lines.result_rows(ENGLISH, checked)[1:])
    assert "The seeds are coming out, so that all can be checked." in lines.result_lines(
        ENGLISH, first
    )


def test_a_match_that_is_over_says_who_has_won() -> None:
    view = moments(TABLES[6])[-1]
    over = replace(view, result=view.state.standing())
    said = lines.result_lines(ENGLISH, over)
    assert said[-1] == words.ended(
        ENGLISH, need(over.result), [seat.name for seat in lines.in_order(over)]
    )


def test_tricks_are_told_one_by_one() -> None:
    view = next(view for view in moments(TABLES[5]) if len(view.story.tricks) == 3)
    said = lines.story_lines(ENGLISH, view)
    assert [line.partition(":")[0] for line in said[:3]] == ["Trick 1", "Trick 2", "Trick 3"]
    for line, trick in zip(said, view.story.tricks, strict=False):
        taker = view.seat(trick.taker).name
        assert line.endswith(f". {taker} takes it.")
        for _, slot in trick.laid:
            assert f" {view.kind.text(view.face(slot))}" in line


def test_talk_is_told_with_who_said_it() -> None:
    chat = (Line("Ada", "buona fortuna!"),)
    assert lines.chat_lines(ENGLISH, chat) == ["<Ada> buona fortuna!"]
    assert lines.chat_lines(ENGLISH, ()) == ["Nobody has said anything yet."]


def test_an_advice_is_a_choice_that_is_listed_and_says_why() -> None:
    for table in TABLES[:3]:
        view = choices_of(table)[0]
        found = advise(view.state, view.me, random.Random(2))
        said = accounts.advice(ENGLISH, view, found)
        choice = next(c for c in view.listed if c.move == found.move)
        assert said[0].casefold() == f"{words.deed(ENGLISH, view, choice)}.".casefold()
        assert all(said[1:]), "and a reason"
        assert len(said) > 1


def test_the_seconds_are_counted_in_words() -> None:
    view = choices_of(TABLES[0])[0]
    for seconds, said in ((1, "1 second left."), (24, "24 seconds left.")):
        timed = replace(view, around=replace(view.around, seconds=seconds))
        assert lines.due_line(ENGLISH, timed).endswith(said)
        assert lines.time_lines(ENGLISH, timed) == [lines.due_line(ENGLISH, timed)]


def test_what_is_wrong_with_the_deal_is_said_first() -> None:
    view = next(v for v in choices_of(TABLES[0]) if v.around.fairness.shuffles)
    fair = replace(view.around.fairness, warnings=(("Bruno", 31, "PET-24"),))
    warned = replace(view, around=replace(view.around, fairness=fair))
    assert accounts.fairness(ENGLISH, warned)[0] == (
        "Bruno broke a rule (PET-24): see entry 31 of the log."
    )
    begun = replace(fair, warnings=(), shuffles=fair.shuffles[:1])
    shuffling = replace(view, around=replace(view.around, fairness=begun))
    assert "The deck is being shuffled: 1 of 3." in accounts.fairness(ENGLISH, shuffling)


def test_a_name_is_never_written_otherwise() -> None:
    """Who calls herself `ada` isn't called `Ada`, whatever stands before the name or after it."""
    for table in (TABLES[0], TABLES[5]):
        for view in moments(table)[::5]:
            small = replace(view, seats=tuple(replace(s, name=s.name.lower()) for s in view.seats))
            for shown in SHOWN[:7]:
                said = " ".join(shown(ENGLISH, small))
                assert not re.search(r"\b(Tina|Ada|Bruno|Carla)\b", said), said
