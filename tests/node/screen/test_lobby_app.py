"""From a list of tables to a match and back: by keys, with real nodes on the loopback."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

from node.language import language
from node.notices import BackInLobby, Gone, LobbyChanged, Started, Talked
from node.screen.desk import Dialog
from node.screen.list_desk import Sit
from node.screen.lobby_app import Where
from node.screen.lobby_page import Over
from node.screen.lobby_paint import told_words
from node.screen.lobby_room import Entry, Told
from node.screen.view import SPECTATOR
from tests.node.lobbies import full
from tests.node.screen.lobby_terminal import Street, Visitor, in_the_street, listed
from tests.node.tables import offer


async def play(visitor: Visitor) -> None:
    """Play one hand of Briscola by Enter, until the table is back in its lobby."""
    lobby = visitor.lobby
    while not lobby._back:
        await visitor.until(lambda: lobby._back or bool(lobby.view and lobby.view.deciding))
        view = lobby.view
        if view is not None and view.deciding:
            made = lobby.decisions
            await visitor.press("enter")
            await visitor.until(partial(_moved_on, visitor, made))


def _moved_on(visitor: Visitor, made: int) -> bool:
    lobby = visitor.lobby
    due = lobby.view is not None and lobby.view.deciding
    return lobby._back or not due or lobby.decisions > made


def test_from_the_list_to_a_hand_and_a_rematch(tmp_path: Path) -> None:
    async def script(visitor: Visitor, street: Street) -> None:
        ada = street.node("Ada")
        port = ada.host(offer(2, 1, "briscola"))
        await visitor.sees("No table is to be seen yet")
        street.show(listed(port))
        await visitor.sees("Briscola", "1 of 2 free")
        await visitor.press("1", "enter")
        await visitor.at(Where.LOBBY)
        await visitor.sees("Seats: 2 of 2 taken", "The match waits for you and Ada.")
        await visitor.press("c", *"ciao", "enter")
        said = await asyncio.to_thread(ada.wait, Talked)
        assert said.text == "ciao"
        await visitor.sees("Vera: ciao")
        ada.session.ready()
        await visitor.press("r")
        await visitor.at(Where.TABLE)
        await visitor.sees("hand 1")
        assert "Vera: ciao" in visitor.shows()
        await play(visitor)
        await visitor.sees("The end of hand 1")
        assert "back to the lobby" not in visitor.shows()
        await visitor.press("enter")
        await visitor.sees("The match is over. Enter: back to the lobby")
        await visitor.press("enter")
        assert visitor.lobby.where is Where.LOBBY
        await visitor.sees("Another one? Get", "The match waits for you and Ada.")
        ada.session.ready()
        await visitor.press("r")
        await visitor.at(Where.TABLE)
        await visitor.sees("hand 1")
        assert len(ada.told(Started)) == 2
        await visitor.press("f10", "y")
        await visitor.until(lambda: visitor.lobby.running is None)
        street.leave()

    in_the_street(tmp_path, script)


def test_who_opens_a_table_starts_it_with_computer_players(tmp_path: Path) -> None:
    async def script(visitor: Visitor, street: Street) -> None:
        await visitor.press("n")
        await visitor.sees("A table of your own", "Enter opens the table")
        await visitor.press("down", "left", "left", "enter")  # briscola
        await visitor.at(Where.LOBBY)
        await visitor.sees("Seats: 1 of 4 taken")
        await visitor.press("i")
        await visitor.sees("busso1-0c381hg", f"127.0.0.1:{street.port}")
        await visitor.press("enter")
        bruno = await asyncio.to_thread(street.node("Bruno").join, street.port)
        await visitor.sees("Bruno sits down.")
        await visitor.press("down", "k")
        await visitor.sees("Remove Bruno?")
        await visitor.press("n")
        assert not bruno.told(Gone)
        await visitor.press("k", "y")
        assert await asyncio.to_thread(bruno.ended) is not None
        await visitor.sees("Bruno was removed.")
        await visitor.press("s")
        await visitor.at(Where.TABLE)
        assert Entry(Told.COMING, text="3") in visitor.lobby.room.entries
        await visitor.sees("hand 1")

    in_the_street(tmp_path, script)


def test_no_more_computer_players_come_than_there_are_free_seats(tmp_path: Path) -> None:
    async def script(visitor: Visitor, street: Street) -> None:
        street.slow = True
        await visitor.press("n")
        await visitor.sees("A table of your own", "Enter opens the table")
        await visitor.press("enter")
        await visitor.at(Where.LOBBY)
        room = await visitor.room(lambda room: room.view is not None and room.view.people)
        free = room.view.free if room.view is not None else 0
        await visitor.press(*"b" * (free + 1))
        await visitor.room(lambda room: Entry(Told.ALL_COMING) in room.entries)
        assert len(street.coming) == free > 1

    in_the_street(tmp_path, script)


def test_computer_players_on_their_way_are_told() -> None:
    entry = Entry(Told.COMING, text="3")
    assert told_words(language("en"), entry) == "Computer players on their way: 3"
    assert told_words(language("it"), entry) == "Giocatori automatici in arrivo: 3"


def test_a_wrong_code_is_asked_for_again(tmp_path: Path) -> None:
    async def script(visitor: Visitor, street: Street) -> None:
        port = street.node("Ada").host(offer(2, 1), code="K7F29QXM")
        street.show(listed(port))
        await visitor.sees("1 of 2 free, code")
        await visitor.press("enter")
        await visitor.sees("The table's code:")
        await visitor.press(*"00000000", "enter")
        await visitor.sees("That is not the table's code.")
        await visitor.press("enter")
        await visitor.press(*"K7F29QXM", "enter")
        await visitor.at(Where.LOBBY)
        await visitor.sees("Seats: 2 of 2 taken")

    in_the_street(tmp_path, script)


def test_what_comes_in_the_way_is_told_in_the_list(tmp_path: Path) -> None:
    async def script(visitor: Visitor, street: Street) -> None:
        await visitor.sees("That is neither an address nor the name of a computer.")
        assert street.sits == [Sit("no such/place", watch=False)]
        await visitor.press("enter")
        assert "> no such/place_" in visitor.shows()
        await visitor.press("escape")
        ada = street.node("Ada")
        port = ada.host(offer(2, 1))
        street.show(listed(port))
        await visitor.sees("1 of 2 free")
        await visitor.press("1", "enter")
        await visitor.sees("Seats: 2 of 2 taken")
        await asyncio.to_thread(ada.stop)
        await visitor.at(Where.LIST)
        await visitor.sees("The host has left the table.")
        await visitor.press("enter")
        await visitor.sees("1 of 2 free")
        assert visitor.lobby.room.view is None

    in_the_street(tmp_path, script, sit="no such/place")


def test_who_watches_sees_no_hand(tmp_path: Path) -> None:
    async def script(visitor: Visitor, street: Street) -> None:
        ada = street.node("Ada")
        port = ada.host(offer(2, 1, "briscola"))
        street.show(listed(port))
        await visitor.sees("Enter watches")
        await visitor.press("enter")
        await visitor.at(Where.LOBBY)
        bruno = await asyncio.to_thread(street.node("Bruno").join, port)
        await visitor.sees("They watch:", "Seats: 2 of 2 taken")
        assert "r Ready" not in visitor.shows()
        bruno.session.ready()
        ada.session.ready()
        await visitor.at(Where.TABLE)
        seen = set()

        def over() -> bool:
            view = visitor.lobby.view
            if view is not None:
                assert view.me == SPECTATOR
                assert not view.hand
                seen.add(view.state.hand)
            return visitor.lobby._back

        await visitor.until(over)
        assert 1 in seen
        await visitor.sees("The end of hand 1")
        await visitor.press("f10")
        await visitor.sees("They watch:", "Another one? Get")
        assert ada.told(BackInLobby)

    in_the_street(tmp_path, script, watches=True)


def test_the_language_is_one_on_all_pages(tmp_path: Path) -> None:
    async def script(visitor: Visitor, street: Street) -> None:
        await visitor.sees("Tables of this network")
        await visitor.press("f9")
        await visitor.sees("Tavoli di questa rete")
        await visitor.press("n")
        await visitor.sees("Un tavolo tuo")
        await visitor.press("enter")
        await visitor.at(Where.LOBBY)
        await visitor.sees("Posti: 1 di 4 presi")
        assert visitor.lobby.ui.language == "it"
        await visitor.resize(60, 20)
        await visitor.sees("Posti: 1 di 4 presi")
        await visitor.resize(50, 20)
        await visitor.sees("60")
        await visitor.resize(110, 34)
        await visitor.sees("Posti: 1 di 4 presi")

    in_the_street(tmp_path, script)


def test_a_key_that_leads_nowhere_sends_nothing(tmp_path: Path) -> None:
    async def script(visitor: Visitor, street: Street) -> None:
        await visitor.sees("Tables of this network")
        assert await visitor.press("z") == ""
        await visitor.press("enter")
        await visitor.press("enter")
        await visitor.at(Where.LOBBY)
        await visitor.sees("Seats: 1 of 4 taken")
        assert await visitor.press("z") == ""
        assert await visitor.press("escape") == ""
        sent = await visitor.press("right")
        assert 0 < len(sent.encode()) < 1_500

    in_the_street(tmp_path, script)


def test_a_guest_is_told_of_everybody(tmp_path: Path) -> None:
    async def script(visitor: Visitor, street: Street) -> None:
        ada = street.node("Ada")
        port = ada.host(offer(3, 1))
        street.show(listed(port))
        await visitor.sees("2 of 3 free")
        await visitor.press("enter")
        await visitor.at(Where.LOBBY)
        bruno = await asyncio.to_thread(street.node("Bruno").join, port)
        await asyncio.to_thread(ada.wait, LobbyChanged, lambda event: full(event.view))
        await visitor.sees("Bruno sits down.")
        bruno.session.ready()
        await visitor.sees("Bruno is ready.")
        await asyncio.to_thread(bruno.stop)
        await visitor.sees("Bruno leaves.")
        await visitor.press("f2")
        await visitor.sees("The rules of this table", "tokens at the beginning: 3")
        assert visitor.lobby._room_ui.over is Over.RULES
        await visitor.press("escape", "f10")
        await visitor.sees("Leave the table?")
        assert visitor.lobby.ui.dialog is Dialog.NONE

    in_the_street(tmp_path, script)
