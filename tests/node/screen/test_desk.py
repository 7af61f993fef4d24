"""What keys do before anything is played: picking, two steps, and the way back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from engine.errors import IllegalMove
from node.language import language
from node.screen import situation, words
from node.screen.desk import (
    MAX_TYPED,
    Dialog,
    Do,
    Key,
    Place,
    Say,
    Ui,
    Wish,
    begin,
    focused,
    items,
    matching,
    open_dialog,
    press,
    ready,
    variants,
)
from node.screen.view import TableView
from tests.node.screen.golden import due, follows, knocked
from tests.node.screen.scenes import Table, ends, is_over, scenes

EN = language("en")


def first(table: Table, wanted: Callable[[TableView], bool]) -> TableView:
    return next(view for view in scenes(table) if wanted(view))


def keys(view: TableView, *pressed: str) -> tuple[Ui, list[object]]:
    """The Ui after keys, and their effects."""
    ui = begin(view, Ui(seen=99))
    effects: list[object] = []
    for key in pressed:
        ui, effect = press(view, ui, key)
        if effect is not None:
            effects.append(effect)
    return ui, effects


TURN = first(Table("petrangola", 4, 2), due("exchange"))
LONG_TURN = first(Table("mambassa", 3, 1), due("exchange"))
CUT = first(Table("petrangola", 3, 3), due("cut"))
FOLLOW = first(Table("traversone", 4, 2), follows)
CLAIM = first(Table("picchetto", 2, 1), due("point"))


def test_the_cards_of_an_exchange_are_picked_one_by_one() -> None:
    ui, effects = keys(TURN, "1", "2", "4", "6")
    assert effects == []
    chosen = ready(TURN, ui)
    assert chosen is not None
    assert chosen.give == frozenset(TURN.hand[:2])
    assert chosen.take == frozenset({TURN.choices.table[0], TURN.choices.table[2]})
    _, effects = keys(TURN, "1", "2", "4", "6", Key.ENTER)
    assert effects == [Do(chosen.move)]


def test_a_choice_that_is_not_complete_plays_nothing() -> None:
    for pressed in (("1",), ("4",), ("1", "2", "4"), ("1", "4", "5")):
        ui, effects = keys(TURN, *pressed)
        assert ready(TURN, ui) is None, pressed
        ui, effects = keys(TURN, *pressed, Key.ENTER)
        assert effects == [], pressed


def test_enter_alone_can_pick_too() -> None:
    _, effects = keys(TURN, Key.ENTER, Key.UP, Key.ENTER, Key.ENTER)
    assert len(effects) == 1
    assert isinstance(effects[0], Do)


def test_picking_all_is_the_cambio_camicia() -> None:
    ui, _ = keys(TURN, "1", "2", "3", "4", "5", "6")
    chosen = ready(TURN, ui)
    assert chosen is not None
    assert chosen.word == "camicia"


def test_a_picked_card_is_put_back() -> None:
    ui, _ = keys(TURN, "1", "1")
    assert ui.marked == frozenset()
    ui, _ = keys(TURN, "1", "4", Key.ESCAPE)
    assert ui.marked == frozenset()
    ui, _ = keys(TURN, Key.SPACE, Key.RIGHT, Key.SPACE)
    assert ui.marked == frozenset(TURN.hand[:2])


def test_buttons_take_the_numbers_after_the_cards() -> None:
    found = items(TURN)
    assert [item.number for item in found] == [1, 2, 3, 4, 5, 6, 7, 8]
    places = [item.place for item in found]
    assert places == [Place.HAND] * 3 + [Place.TABLE] * 3 + [Place.BUTTON] * 2
    ui, effects = keys(TURN, "7")
    assert effects == []
    chosen = ready(TURN, ui)
    assert chosen is not None
    assert chosen.word == "knock"


def test_the_tenth_thing_has_the_nought_and_no_more_have_a_digit() -> None:
    numbers = [item.number for item in items(LONG_TURN)]
    assert numbers == [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, -1]


def test_arrows_go_up_to_the_table_and_down_to_the_buttons() -> None:
    def place(*pressed: str) -> Place:
        item = focused(TURN, keys(TURN, *pressed)[0])
        assert item is not None
        return item.place

    assert place() is Place.HAND
    assert place(Key.UP) is Place.TABLE
    assert place(Key.UP, Key.UP) is Place.TABLE
    assert place(Key.DOWN) is Place.BUTTON
    assert place(Key.DOWN, Key.UP) is Place.HAND
    ui, _ = keys(TURN, Key.LEFT)
    assert ui.focus == 2
    ui, _ = keys(TURN, Key.LEFT, Key.RIGHT)
    assert ui.focus == 0


def test_tab_goes_through_the_choices_with_the_same_cards() -> None:
    ui, _ = keys(LONG_TURN, "1", "5")
    assert variants(LONG_TURN, ui) == 2
    plain = ready(LONG_TURN, ui)
    ui, _ = press(LONG_TURN, ui, Key.TAB)
    with_discard = ready(LONG_TURN, ui)
    assert plain is not None
    assert with_discard is not None
    assert (plain.rest, with_discard.rest) == ((0,), (1,))
    ui, _ = press(LONG_TURN, ui, Key.TAB)
    assert ready(LONG_TURN, ui) == plain
    assert len(matching(LONG_TURN, ui)) == 2


def test_the_new_worth_is_seen_before_anything_is_confirmed() -> None:
    ui, _ = keys(TURN, "1", "2", "4", "6")
    chosen = ready(TURN, ui)
    assert chosen is not None
    after = TURN.state.apply(chosen.move)
    (hand,) = (p for p in after.piles() if p.name == "hand" and p.seat == TURN.me)
    text = after.deck.kind.join(TURN.face(slot) for slot in hand.slots)
    (judged,) = TURN.state.game.score(TURN.state.options, [text])
    assert str(judged.points) in words.outcome(EN, TURN, chosen)


def test_a_number_is_typed_or_counted() -> None:
    last = len(CUT.choices.numbers)
    ui, _ = keys(CUT)
    assert ui.number == last // 2
    for pressed, cut in (
        (("7",), 7),
        (("1", "7"), 17),
        (("1", "7", "3"), 3),
        (("3", "9"), 39),
        (("9", "9"), 9),
        (("1", Key.RIGHT), 2),
        (("1", Key.LEFT), 1),
        (("3", "9", Key.UP), 39),
        (("5", Key.PAGE_UP), 15),
    ):
        ui, effects = keys(CUT, *pressed)
        chosen = ready(CUT, ui)
        assert chosen is not None
        assert chosen.rest == (cut,), pressed
        assert effects == []
    _, effects = keys(CUT, "1", "7", Key.ENTER)
    assert len(effects) == 1


def test_a_card_that_must_not_be_played_is_not_played_and_says_why() -> None:
    found = items(FOLLOW)
    usable = [item for item in found if item.usable]
    assert [item.number for item in usable] == list(range(1, len(usable) + 1))
    assert all(item.number == -1 for item in found if not item.usable)
    item = focused(FOLLOW, keys(FOLLOW)[0])
    assert item is not None
    assert item.usable
    at = next(n for n, item in enumerate(found) if not item.usable)
    for key in (Key.ENTER, Key.WHY):
        ui, effect = press(FOLLOW, replace(begin(FOLLOW, Ui(seen=99)), focus=at), key)
        assert effect is None
        assert ui.dialog is Dialog.NOTICE
        assert isinstance(ui.notice, IllegalMove)
        assert ui.notice.rule == "TRA-03"
        assert "must follow" in words.refused(EN, FOLLOW, ui.notice)


def test_a_card_is_chosen_by_its_digit_and_played_by_enter() -> None:
    ui, effects = keys(FOLLOW, "1")
    assert effects == []
    chosen = ready(FOLLOW, ui)
    assert chosen is not None
    _, effects = keys(FOLLOW, "1", Key.ENTER)
    assert effects == [Do(chosen.move)]
    ui, effects = keys(FOLLOW, "9")
    assert (effects, ui) == ([], begin(FOLLOW, Ui(seen=99)))


def test_claims_are_buttons() -> None:
    labels = [words.label(EN, CLAIM, c) for c in CLAIM.choices.buttons]
    assert labels[0] == "Pass"
    assert labels[1] == "Point of 3 cards"
    _, effects = keys(CLAIM, "2", Key.ENTER)
    assert effects == [Do(CLAIM.choices.buttons[1].move)]


def test_every_choice_of_every_decision_can_be_reached() -> None:
    """Whatever the rules allow is some button, some number or some set of cards."""
    tables = (
        Table("petrangola", 3, 5),
        Table("mambassa", 3, 5),
        Table("traversone", 3, 5),
        Table("picchetto", 2, 4, given=(("irregular_hands", "true"),)),
        Table("briscola", 3, 5),
    )
    for table in tables:
        for n, view in enumerate(scenes(table)):
            offered = view.choices
            reached = {c.move for c in (*offered.buttons, *offered.numbers)}
            reached |= {c.move for found in offered.by_cards.values() for c in found}
            assert reached == {c.move for c in offered.items}
            for choice in offered.items[:40]:
                assert words.deed(EN, view, choice).strip()
                assert words.label(EN, view, choice).strip()
            if offered:
                assert situation.question(EN, view)
                assert situation.rules_now(view)
            if n > 200:
                break


@pytest.mark.parametrize(
    ("key", "dialog"),
    [
        (Key.HELP, Dialog.HELP),
        (Key.RULES, Dialog.RULES),
        (Key.LOG, Dialog.LOG),
        (Key.LEAVE, Dialog.LEAVE),
    ],
)
def test_a_function_key_opens_and_closes(key: Key, dialog: Dialog) -> None:
    ui, _ = keys(TURN, key)
    assert ui.dialog is dialog
    ui, _ = keys(TURN, key, key)
    assert ui.dialog is Dialog.NONE
    ui, effects = keys(TURN, "1", key, Key.ESCAPE)
    assert (ui.dialog, ui.marked, effects) == (Dialog.NONE, frozenset(TURN.hand[:1]), [])


def test_nothing_can_be_played_through_a_dialog() -> None:
    _, effects = keys(TURN, "1", "4", Key.HELP, Key.ENTER)
    assert effects == []


def test_leaving_takes_a_yes() -> None:
    for yes in ("y", "Y", "s"):
        assert keys(TURN, Key.LEAVE, yes)[1] == [Wish.LEAVE]
    for no in ("n", Key.ENTER, Key.ESCAPE, "x", Key.LEAVE):
        assert keys(TURN, Key.LEAVE, no)[1] == []


def test_an_interrupt_asks_and_the_second_one_leaves() -> None:
    ui, effects = keys(TURN, Key.INTERRUPT)
    assert (ui.dialog, effects) == (Dialog.LEAVE, [])
    assert keys(TURN, Key.INTERRUPT, Key.INTERRUPT)[1] == [Wish.LEAVE]
    view = replace(TURN, around=replace(TURN.around, can_chat=True))
    ui, effects = keys(view, Key.CHAT, "x", Key.INTERRUPT)
    assert (ui.dialog, effects) == (Dialog.LEAVE, [])


def test_letters_do_what_function_keys_do_while_no_dialog_is_open() -> None:
    assert keys(TURN, "h")[0].dialog is Dialog.HELP
    assert keys(TURN, "q")[0].dialog is Dialog.LEAVE
    assert keys(TURN, "s")[1] == [Wish.ADVICE]
    assert keys(TURN, "l")[0].language == "it"
    assert keys(TURN, "q", "s")[1] == [Wish.LEAVE]
    assert keys(TURN, "h", "q")[0].dialog is Dialog.HELP
    view = replace(TURN, around=replace(TURN.around, can_chat=True))
    assert keys(view, "c", *"so che", Key.ENTER)[1] == [Say("so che")]


def test_leaving_is_not_asked_about_when_the_match_is_over() -> None:
    view = first(Table("briscola", 2, 1), is_over)
    assert press(view, Ui(seen=99), Key.LEAVE) == (Ui(seen=99), Wish.LEAVE)


def test_a_result_stays_until_it_is_put_away() -> None:
    view = first(Table("petrangola", 4, 2), ends)
    ui = Ui()
    assert open_dialog(view, ui) is Dialog.RESULT
    ui, _ = press(view, ui, "x")
    assert open_dialog(view, ui) is Dialog.RESULT
    ui, _ = press(view, ui, Key.ENTER)
    assert open_dialog(view, ui) is Dialog.NONE
    last = first(Table("petrangola", 4, 5), knocked)
    assert open_dialog(last, Ui()) is Dialog.NONE


def test_chat_is_typed_within_bounds() -> None:
    view = replace(TURN, around=replace(TURN.around, can_chat=True))
    ui, effects = keys(view, Key.CHAT, *"ciao", Key.SPACE, "1", Key.BACKSPACE, "!", Key.ENTER)
    assert effects == [Say("ciao !")]
    assert ui.dialog is Dialog.NONE
    ui, _ = keys(view, Key.CHAT, *("x" * (MAX_TYPED + 50)))
    assert len(ui.line) == MAX_TYPED
    assert keys(view, Key.CHAT, Key.SPACE, Key.ENTER)[1] == []
    assert keys(view, Key.CHAT, "\x1b[0m", "\x07", Key.ENTER)[1] == []
    ui, _ = keys(TURN, Key.CHAT)
    assert ui.dialog is Dialog.NOTICE


def test_the_language_changes_and_nothing_else() -> None:
    ui, _ = keys(TURN, "1", Key.LANGUAGE)
    assert ui == replace(keys(TURN, "1")[0], language="it")


def test_advice_is_for_who_has_to_choose() -> None:
    assert keys(TURN, Key.ADVICE)[1] == [Wish.ADVICE]
    waiting = first(Table("petrangola", 4, 2), lambda view: view.waiting_for == (2,))
    assert press(waiting, Ui(seen=99), Key.ADVICE)[1] is None
    assert press(waiting, Ui(seen=99), Key.ENTER) == (Ui(seen=99), None)


def test_a_suspended_match_can_be_closed_for_good() -> None:
    """Where enough players are left nobody can."""
    assert keys(TURN, Key.LEAVE, "x")[1] == []
    view = replace(TURN, around=replace(TURN.around, suspended=True))
    ui, effects = keys(view, Key.LEAVE, "x")
    assert (ui.dialog, effects) == (Dialog.NONE, [Wish.ABANDON])
