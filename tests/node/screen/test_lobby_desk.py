"""Keys in the lobby, in the list of tables and in the form of a new one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import registry
from engine.options import specs
from node.habits import Habits, OwnPreset
from node.language import language
from node.notices import BackInLobby, CodeChanged, LobbyChanged, NotSent, Started, Stranger, Talked
from node.screen import list_desk, lobby_room, lobby_setup
from node.screen.list_desk import ListUi, Sit, Spot, Tables, Want
from node.screen.list_paint import paint_list
from node.screen.lobby_page import Over, Rows
from node.screen.lobby_room import Ask, Button, Remove, Room, RoomUi, Speak, Told
from node.screen.lobby_setup import Form, FormUi, Plan, begin
from node.screen.lobby_setup_paint import explained
from node.screen.theme import ThemeName, theme
from protocol.announce import Phase
from tests.node.screen.lobby_golden import (
    ADA,
    BRUNO,
    COMPANY,
    FOSCO,
    GUEST,
    STRANGE,
    TABLES,
    WANDA,
    heard,
    listed,
    view,
)

NAMED = ("left", "right", "up", "down", "enter", "space", "tab", "escape", "backspace")
KEYS = st.sampled_from([*NAMED, "pageup", "pagedown", "f1", "f2", "f3", "f9", *"rsbikoc1290yx?"])


def room_after(room: Room, *keys: str) -> tuple[RoomUi, list[lobby_room.Effect]]:
    ui, effects = RoomUi(), []
    for key in keys:
        ui, effect = lobby_room.press(room, ui, key)
        effects += [effect] if effect is not None else []
    return ui, effects


def list_after(tables: Tables, *keys: str) -> tuple[ListUi, list[list_desk.Effect]]:
    ui, effects = ListUi(), []
    for key in keys:
        ui, effect = list_desk.press(tables, ui, key)
        effects += [effect] if effect is not None else []
    return ui, effects


def form_after(*keys: str) -> tuple[Form, FormUi, list[lobby_setup.Effect]]:
    form, ui, effects = begin("Ada"), FormUi(), []
    for key in keys:
        form, ui, effect = lobby_setup.press(form, ui, key)
        effects += [effect] if effect is not None else []
    return form, ui, effects


# -- the lobby ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "effect"),
    [
        (("r",), Ask.READY),
        (("enter",), Ask.READY),
        (("s",), Ask.START),
        (("right", "enter"), Ask.START),
        (("b",), Ask.BOT),
        (("i",), Ask.INVITE),
        (("down", "k", "y"), Remove(BRUNO.key)),
        (("down", "k", "s"), Remove(BRUNO.key)),
        (("c", *"ciao", "space", *"rsk", "enter"), Speak("ciao rsk")),
        (("f3", "x", "y", "backspace", "enter"), Speak("x")),
        (("f10", "y"), Ask.LEAVE),
        (("q", "s"), Ask.LEAVE),
        (("c-c", "c-c"), Ask.LEAVE),
    ],
)
def test_a_key_in_the_lobby_does_what_it_says(
    keys: tuple[str, ...], effect: lobby_room.Effect
) -> None:
    _, effects = room_after(COMPANY, *keys)
    assert effects == [effect]


@pytest.mark.parametrize(
    "keys",
    [("k", "y"), ("down", "k", "n"), ("down", "k", "enter"), ("c", "enter"), ("c", "x", "escape")],
)
def test_nobody_is_removed_and_nothing_said_by_mistake(keys: tuple[str, ...]) -> None:
    assert room_after(COMPANY, *keys)[1] == []


def test_leaving_is_asked_about() -> None:
    ui, effects = room_after(COMPANY, "f10")
    assert (ui.over, effects) == (Over.LEAVE, [])
    assert room_after(COMPANY, "f10", "x")[0].over is Over.NONE


def test_a_guest_has_no_keys_of_a_host() -> None:
    found = lobby_room.buttons(GUEST, RoomUi())
    assert found == (Button.READY, Button.RULES, Button.CHAT)
    for key in "sbik":
        assert room_after(GUEST, key)[1] == []


def test_a_watcher_can_only_look_and_talk() -> None:
    you = replace(WANDA, you=True)
    room = heard(LobbyChanged(view(replace(ADA, you=False), you, code="")))
    assert lobby_room.buttons(room, RoomUi()) == (Button.RULES, Button.CHAT)


def test_who_is_ready_can_take_it_back() -> None:
    room = heard(LobbyChanged(view(replace(ADA, ready=True), BRUNO)))
    assert room_after(room, "r")[1] == [Ask.UNREADY]


def test_a_warning_stays_until_it_is_read() -> None:
    assert lobby_room.on_top(STRANGE, RoomUi()) is Over.STRANGER
    for key in ("r", "x", "down"):
        ui, effects = room_after(STRANGE, key)
        assert effects == []
        assert lobby_room.on_top(STRANGE, ui) is Over.STRANGER
    assert room_after(STRANGE, "enter")[1] == [Ask.HEED]


def test_warnings_are_bounded() -> None:
    room = Room()
    for _ in range(100):
        room = room.heard(Stranger(BRUNO, "k7f2"))
    assert len(room.warned) == lobby_room.MAX_STRANGERS


def test_talk_is_bounded() -> None:
    room = Room()
    for number in range(300):
        room = room.heard(Talked(BRUNO, str(number)))
    assert len(room.entries) == lobby_room.KEPT
    assert room.entries[-1].text == "299"


def test_the_story_tells_who_gets_ready_and_whose_bot_it_is() -> None:
    ready = replace(ADA, ready=True)
    bot = replace(FOSCO, owner="", ready=False)
    room = heard(LobbyChanged(view(ADA, bot)))
    room = room.heard(LobbyChanged(view(ready, FOSCO))).heard(LobbyChanged(view(ADA, FOSCO)))
    kinds = [entry.told for entry in room.entries]
    assert kinds == [Told.READY, Told.BOT, Told.UNREADY]


def test_a_match_makes_nobody_change_their_mind() -> None:
    ready = replace(ADA, ready=True)
    room = heard(LobbyChanged(view(ready, BRUNO)))
    started = Started(None, 0, "log")  # type: ignore[arg-type]  # nothing of it is looked at
    room = room.heard(started).heard(BackInLobby("log"))  # type: ignore[arg-type]  # as above
    room = room.heard(LobbyChanged(view(ADA, replace(BRUNO, ready=False))))
    assert [entry.told for entry in room.entries] == [Told.OVER]
    room = room.heard(LobbyChanged(view(ready, BRUNO))).heard(LobbyChanged(view(ADA, BRUNO)))
    assert [entry.told for entry in room.entries][-1] is Told.UNREADY


def test_a_new_code_is_shown_at_once() -> None:
    room = COMPANY.heard(CodeChanged("ABCDEFGH"))
    assert room.view is not None
    assert room.view.code == "ABCDEFGH"


def test_what_was_not_done_is_told() -> None:
    assert COMPANY.heard(NotSent("Only the host can.")).entries[-1].told is Told.NOTE


@given(st.lists(KEYS, max_size=30), st.sampled_from([COMPANY, GUEST, STRANGE, Room()]))
def test_any_keys_lead_somewhere_in_the_lobby(keys: list[str], room: Room) -> None:
    ui, _ = room_after(room, *keys)
    assert len(ui.line) <= 200
    found = lobby_room.buttons(room, ui)
    assert lobby_room.chosen(room, ui) in (found or (None,))


# -- the list -------------------------------------------------------------------------------------


def test_enter_sits_down_and_w_watches() -> None:
    tables = Tables("Ada", TABLES)
    assert list_after(tables, "enter")[1] == [Sit(TABLES[0])]
    assert list_after(tables, "w")[1] == [Sit(TABLES[0], watch=True)]
    assert list_after(replace(tables, watches=True), "enter")[1] == [Sit(TABLES[0], watch=True)]


def test_where_no_seat_is_free_one_watches() -> None:
    tables = Tables("Ada", TABLES)
    assert TABLES[2].phase is Phase.PLAYING
    assert list_after(tables, "3", "enter")[1] == [Sit(TABLES[2], watch=True)]
    assert list_after(tables, "4", "enter")[1] == [Sit(TABLES[3], watch=True)]


def test_a_code_is_asked_for_before_the_door_is() -> None:
    tables = Tables("Ada", TABLES)
    ui, effects = list_after(tables, "2", "enter")
    assert (ui.asking, effects) == (Sit(TABLES[1]), [])
    _, effects = list_after(tables, "2", "enter", "enter", *"k7q", "enter")
    assert effects == [Sit(TABLES[1], code="k7q")]
    ui, effects = list_after(tables, "2", "enter", "x", "escape")
    assert (ui.asking, ui.line, effects) == (None, "", [])


def test_a_code_that_was_given_with_the_command_is_tried_at_once() -> None:
    coded = Tables("Ada", TABLES, coded=True)
    ui, effects = list_after(coded, "2", "enter")
    assert (ui.asking, ui.busy, effects) == (None, True, [Sit(TABLES[1])])
    ui = list_desk.ask(ui, Sit(TABLES[1]), "That is not the table's code.")
    assert list_desk.press(coded, ui, "enter")[0].asking == Sit(TABLES[1])


@pytest.mark.parametrize(("watches", "said"), [(False, "Enter sits down"), (True, "Enter watches")])
def test_while_a_code_is_typed_enter_says_what_comes_of_it(watches: bool, said: str) -> None:
    tables = Tables("Ada", TABLES, watches=watches)
    ui, _ = list_after(tables, "2", "enter")
    grid = paint_list(tables, 80, 24, theme(ThemeName.NONE), ui)
    assert any(said in line for line in grid.lines())


def test_the_line_takes_an_address_typed_or_pasted() -> None:
    tables = Tables("Ada", TABLES)
    assert list_after(tables, "up", *"10.0.0.7:1", "enter")[1] == [Sit("10.0.0.7:1")]
    ui = list_desk.pasted(ListUi(), " busso1-abc\r\n def\x1b[A ")
    assert ui.focus is Spot.LINE
    assert ui.line == "busso1-abc def[A"
    assert list_desk.press(tables, ui, "enter")[1] == Sit("busso1-abc def[A")


def test_letters_are_text_in_the_line() -> None:
    ui, effects = list_after(Tables("Ada"), "up", *"hqlnw")
    assert (ui.line, effects) == ("hqlnw", [])


def test_while_a_door_is_called_nothing_else_is_done() -> None:
    ui, effects = list_after(Tables("Ada", TABLES), "enter", "enter", "n", "w", "down")
    assert ui.busy
    assert len(effects) == 1
    assert list_after(Tables("Ada", TABLES), "enter", "f10")[1][-1] is Want.LEAVE


def test_an_unfinished_match_is_on_top() -> None:
    tables = Tables("Ada", TABLES, "petrangola with Bruno")
    assert list_after(tables, "enter")[1] == [Want.RESUME]


def test_a_new_table_can_be_opened_from_anywhere() -> None:
    assert list_after(Tables("Ada", TABLES), "n")[1] == [Want.OPEN]
    assert list_after(Tables("Ada"), "enter")[1] == [Want.OPEN]


def test_nothing_moves_under_a_finger() -> None:
    tables = Tables("Ada").seen(TABLES[1:3])
    ui, _ = list_after(tables, "down")
    assert ui.focus == list_desk.table_id(TABLES[2])
    tables = tables.seen((TABLES[0], TABLES[4], replace(TABLES[2], ping=1.0), TABLES[1]))
    assert [table.name[:6] for table in tables.tables] == [
        "Terraz",
        "日本語の卓",
        "Cucina",
        "Futuro",
    ]
    assert tables.tables[1].ping == 1.0
    assert list_desk.focus_of(tables, ui) == list_desk.table_id(TABLES[2])
    tables = tables.seen((TABLES[1],))
    assert list_desk.focus_of(tables, ui) == list_desk.table_id(TABLES[1])


@given(st.lists(KEYS, max_size=30), st.integers(0, 5))
def test_any_keys_lead_somewhere_in_the_list(keys: list[str], count: int) -> None:
    tables = Tables("Ada", TABLES[:count])
    ui, _ = list_after(tables, *keys)
    assert list_desk.focus_of(tables, ui) in list_desk.spots(tables)


# -- the form -------------------------------------------------------------------------------------


def test_enter_opens_the_table_as_it_stands() -> None:
    _, ui, effects = form_after("enter")
    (plan,) = effects
    assert isinstance(plan, Plan)
    assert (plan.offer.game.name, plan.offer.seats, plan.bots) == (registry.DEFAULT, 4, 0)
    assert (plan.offer.name, plan.code, plan.offer.watchers) == ("Ada", False, True)
    assert ui.busy


def test_all_that_is_chosen_is_in_the_offer() -> None:
    keys = ["backspace", "backspace", "backspace", *"Cucina"]
    keys += ["down", "right", "right"]  # traversone
    keys += ["down", "left"]  # three seats
    keys += ["down", "right", "down", "space", "down", "space", "down", "5", "down", "4", "5"]
    keys += ["down", "right", "enter"]
    (plan,) = form_after(*keys)[2]
    assert isinstance(plan, Plan)
    offer = plan.offer
    assert (offer.name, offer.game.name, offer.seats) == ("Cucina", "traversone", 3)
    assert (plan.bots, plan.code, offer.watchers) == (1, True, False)
    assert (offer.hands, offer.timer, offer.patience) == (5, 45, 15)


def test_options_that_contradict_each_other_are_refused_with_the_reason() -> None:
    at = [*lobby_setup.spots(begin("Ada"))].index("pot")
    _, ui, effects = form_after(*["down"] * at, "right", "enter")
    assert effects == []
    assert ui.over is Over.NOTICE
    assert "reentries=0" in ui.notice
    again = [*lobby_setup.spots(begin("Ada"))].index("reentries")
    keys = ["down"] * at + ["right"] + ["down"] * (again - at) + ["0", "enter"]
    assert isinstance(form_after(*keys)[2][0], Plan)


def test_a_preset_takes_the_place_of_changes() -> None:
    at = [*lobby_setup.spots(begin("Ada"))].index("tokens")
    form, _, _ = form_after(*["down"] * at, "5")
    assert form.given == (("tokens", "5"),)
    form, _, _ = form_after(*["down"] * at, "5", "3")
    assert form.given == ()
    form, _, _ = form_after(*["down"] * at, "5", *["up"] * (at - 2), "right")
    assert (form.preset, form.given) == ("emilia", ())


CASA = OwnPreset("casa", "petrangola", "emilia", (("tokens", "5"),))
HABITS = Habits((CASA, OwnPreset("corta", "briscola", "", (("games", "1"),))),
                (("petrangola", "casa"), ("picchetto", "rubicone")), 45, 300)  # fmt: skip


def words(rows: Rows) -> str:
    return " ".join(text for row in rows for text, _ in row)


def test_house_rules_of_ones_own_are_offered_beside_the_built_in_ones() -> None:
    form = begin("Ada", HABITS)
    assert lobby_setup.presets(form) == ("marche", "emilia", "pagat", "casa")
    assert lobby_setup.presets(lobby_setup.with_game(form, "briscola")) == ("classic", "corta")
    assert (form.preset, form.timer, form.patience) == ("casa", 45, 300)
    plan = lobby_setup.plan(form)
    assert plan.offer.options == replace(lobby_setup.preset_options(form, "emilia"), tokens=5)
    for name, usual in (("picchetto", "rubicone"), ("briscola", "classic"), ("petrangola", "casa")):
        assert lobby_setup.with_game(form, name).preset == usual


def test_the_arrows_go_through_ones_own_house_rules_and_back_to_the_first() -> None:
    form, ui = begin("Ada", HABITS), FormUi(at=2)
    seen = []
    for _ in range(4):
        form, ui, _ = lobby_setup.press(form, ui, "right")
        seen.append(form.preset)
        assert lobby_setup.shown_value(form, "tokens") == str(lobby_setup.options_of(form).tokens)
    assert seen == ["marche", "emilia", "pagat", "casa"]
    assert lobby_setup.shown_value(form, "tokens") == "5"


def test_a_change_of_ones_own_house_rules_is_a_change_and_undone_is_none() -> None:
    form = begin("Ada", HABITS)
    ui = FormUi(at=[*lobby_setup.spots(form)].index("tokens"))
    form, ui, _ = lobby_setup.press(form, ui, "3")
    assert form.given == (("tokens", "3"),)
    form, ui, _ = lobby_setup.press(form, ui, "5")
    assert form.given == ()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", "casa is a set of your own, from your settings; it is like emilia."),
        ("it", "casa: regole tue, scritte nelle impostazioni; partono da emilia."),
    ],
)
def test_how_ones_own_house_rules_differ_is_explained(code: str, said: str) -> None:
    form = begin("Ada", HABITS)
    told = words(explained(language(code), form, lobby_setup.Field.PRESET, 70))
    assert said in told
    for name in (*lobby_setup.presets(form), "casa 5"):
        assert f" {name} " in f" {told} "
    other = replace(form, preset="marche")
    assert said not in words(explained(language(code), other, lobby_setup.Field.PRESET, 70))


def test_a_game_with_one_built_in_set_offers_ones_own_too() -> None:
    one = next(name for name in registry.GAMES if len(registry.get(name).presets) == 1)
    without = lobby_setup.with_game(begin("Ada"), one)
    assert lobby_setup.Field.PRESET not in lobby_setup.spots(without)
    own = lobby_setup.with_game(begin("Ada", Habits((OwnPreset("mine", one),))), one)
    assert lobby_setup.Field.PRESET in lobby_setup.spots(own)


def test_another_game_keeps_the_seats_where_they_can_be() -> None:
    for name in registry.GAMES:
        form = lobby_setup.with_game(replace(begin("Ada"), wanted=40, bots=39), name)
        game = registry.get(name)
        assert game.min_seats <= form.seats <= game.max_seats
        assert form.bots < form.seats
        assert lobby_setup.problem(lobby_setup.with_game(begin("Ada"), name)) == ""


def test_going_past_a_game_for_two_loses_no_seats() -> None:
    form, _, _ = form_after("down", "left", "left")
    assert (form.game, form.seats) == ("briscola", 4)


def test_there_are_fewer_computer_players_than_seats() -> None:
    seats = ["down"] * 3
    form, _, _ = form_after(*seats, "down", "3", "up", "left", "left")
    assert (form.seats, form.bots) == (2, 1)
    form, _, _ = form_after(*seats, "down", "9")
    assert form.bots == 0
    form, _, _ = form_after(*seats, "down", *["right"] * 9)
    assert form.bots == 3


def test_a_table_without_a_name_is_refused() -> None:
    _, ui, effects = form_after("backspace", "backspace", "backspace", "enter")
    assert (effects, ui.over) == ([], Over.NOTICE)


def test_the_way_back_and_out() -> None:
    assert form_after("escape")[2] == [lobby_setup.Want.BACK]
    assert form_after("f10")[2] == [lobby_setup.Want.LEAVE]


@given(st.lists(KEYS, max_size=40))
def test_any_keys_leave_a_form_that_says_what_is_wrong_with_it(keys: list[str]) -> None:
    form, ui, _ = form_after(*keys)
    game = registry.get(form.game)
    assert game.min_seats <= form.seats <= game.max_seats
    assert 0 <= form.bots < form.seats
    assert lobby_setup.spot(form, ui) in lobby_setup.spots(form)
    for name in specs(game.options_type):
        assert lobby_setup.shown_value(form, name)
    closed = replace(ui, over=Over.NONE, busy=False)
    _, _, effect = lobby_setup.press(form, closed, "enter")
    assert isinstance(effect, Plan) == (lobby_setup.problem(form) == "")


def test_a_listed_table_of_an_unknown_game_is_no_problem() -> None:
    table = replace(listed(1, "Nuovo", "Zoe"), game="scopa")
    assert list_after(Tables("Ada", (table,)), "enter")[1] == [Sit(table)]
