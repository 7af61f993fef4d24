"""The lobby over real meshes: sitting down, talk, removal, codes, watchers, rematches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from engine import registry
from engine.options import make
from node.door import find_table
from node.errors import Stopped, TurnedAway
from node.events import Inbox, PeerUp, Received
from node.known import KnownPlayers
from node.lobby import LobbyError, Offer, next_dealer
from node.mesh import Mesh
from node.notices import (
    BackInLobby,
    CodeChanged,
    Gone,
    Joined,
    LobbyChanged,
    NotSent,
    Started,
    Stranger,
    Talked,
)
from node.session import need
from node.sitting import Manner, new_profile
from protocol.audit import audit_file
from protocol.group import default_group
from protocol.identity import Identity, short_form
from protocol.messages import Bye, Reason, Role
from protocol.stages import first_dealer
from protocol.table import Advanced, Finished
from tests.node.lobbies import LOOPBACK, Node, full
from tests.node.tables import offer

CODE = "K7F29QXM"


@contextmanager
def table(*nodes: Node) -> Iterator[None]:
    """Whatever happens, everybody leaves."""
    try:
        yield
    finally:
        for node in reversed(nodes):
            node.stop()


def test_a_match_begins_when_every_seat_is_taken_and_ready(tmp_path: Path) -> None:
    ada, bruno = Node(tmp_path, "Ada"), Node(tmp_path, "Bruno")
    with table(ada, bruno):
        port = ada.host()
        bruno.join(port)
        for node in (ada, bruno):
            view = node.sees(full)
            assert [p.label for p in view.people] == ["Ada", "Bruno"]
            assert [p.host for p in view.people] == [True, False]
            assert [p.label for p in view.awaited] == ["Ada", "Bruno"]
            assert need(view.you).label == node.session.name
        bruno.session.ready()
        ada.sees(lambda view: full(view) and [p.label for p in view.awaited] == ["Ada"])
        assert not ada.told(Started)
        bruno.session.ready(False)
        ada.wait(LobbyChanged, lambda e: len(e.view.awaited) == 2 and full(e.view), nth=2)
        ada.session.ready()
        bruno.sees(lambda view: [p.label for p in view.awaited] == ["Bruno"])
        bruno.session.ready()
        assert ada.wait(Started).log.name == bruno.wait(Started).log.name


def test_who_leaves_frees_the_seat_and_another_takes_it(tmp_path: Path) -> None:
    ada, bruno, carla = (Node(tmp_path, name) for name in ("Ada", "Bruno", "Carla"))
    with table(ada, bruno, carla):
        port = ada.host()
        bruno.join(port)
        assert ada.wait(Joined).free == 0
        assert find_table(LOOPBACK, port, 10)[0].free == 0
        bruno.stop()
        gone = ada.wait(Gone)
        assert (gone.person.label, gone.removed) == ("Bruno", False)
        assert find_table(LOOPBACK, port, 10)[0].free == 1
        carla.join(port)
        assert ada.wait(Joined, nth=2).name == "Carla"


def test_a_late_guest_of_a_full_table_is_told_so(tmp_path: Path) -> None:
    ada, bruno, carla = (Node(tmp_path, name) for name in ("Ada", "Bruno", "Carla"))
    with table(ada, bruno, carla):
        port = ada.host()
        bruno.join(port)
        bruno.sees(full)
        carla.join(port)
        assert "every seat is taken" in str(carla.ended())
        assert not carla.told(LobbyChanged)


def test_nobody_sits_down_twice_at_its_own_table(tmp_path: Path) -> None:
    ada = Node(tmp_path, "Ada")
    again = Node(tmp_path, "Ada", identity=ada.identity)
    with table(ada):
        port = ada.host()
        with pytest.raises(LobbyError, match="your own"):
            again.join(port)


def test_when_the_host_leaves_the_guests_are_told(tmp_path: Path) -> None:
    ada, bruno = Node(tmp_path, "Ada"), Node(tmp_path, "Bruno")
    with table(ada, bruno):
        bruno.join(ada.host())
        bruno.sees(full)
        ada.stop()
        assert str(bruno.ended()) == "The host has left the table."


def test_guests_hear_each_other_once_through_the_host(tmp_path: Path) -> None:
    ada, bruno, carla = (Node(tmp_path, name) for name in ("Ada", "Bruno", "Carla"))
    with table(ada, bruno, carla):
        port = ada.host(offer(3, 1))
        bruno.join(port)
        carla.join(port)
        for node in (ada, bruno, carla):
            node.sees(full)
        bruno.session.say("  buona\x1b[31m fortuna!\u202e ")
        for node in (ada, bruno, carla):
            line = node.wait(Talked)
            assert (line.person.label, line.text) == ("Bruno", "buona[31m fortuna!")
        carla.session.say("grazie")
        for node in (ada, bruno, carla):
            assert node.wait(Talked, nth=2).text == "grazie"
        assert [len(node.told(Talked)) for node in (ada, bruno, carla)] == [2, 2, 2]


def test_an_empty_line_is_not_sent(tmp_path: Path) -> None:
    ada = Node(tmp_path, "Ada")
    with table(ada):
        ada.host()
        ada.session.say(" \x07 ")
        assert "Nothing was said" in ada.wait(NotSent).why


def test_talk_goes_on_while_a_match_is_on_and_after_it(tmp_path: Path) -> None:
    ada, bruno = Node(tmp_path, "Ada"), Node(tmp_path, "Bruno")
    with table(ada, bruno):
        bruno.join(ada.host())
        for node in (ada, bruno):
            node.sees(full)
            node.session.ready()
        ada.wait(Started)
        bruno.wait(Started)
        ada.session.say("during")
        bruno.wait(Talked, lambda e: e.text == "during")
        for node in (ada, bruno):
            node.wait(BackInLobby)
        bruno.session.say("after")
        ada.wait(Talked, lambda e: e.text == "after")


def test_who_is_removed_is_told_and_cant_come_back(tmp_path: Path) -> None:
    ada, bruno, carla = (Node(tmp_path, name) for name in ("Ada", "Bruno", "Carla"))
    again = Node(tmp_path, "Bruno", identity=bruno.identity)
    with table(ada, bruno, carla, again):
        port = ada.host(offer(3, 1))
        carla.join(port)
        bruno.join(port)
        carla.sees(full)
        ada.session.remove(bruno.identity.public)
        assert "removed" in str(bruno.ended())
        for node in (ada, carla):
            gone = node.wait(Gone)
            assert (gone.person.label, gone.removed) == ("Bruno", True)
        again.join(port)
        assert isinstance(again.ended(), Stopped)
        assert not again.told(LobbyChanged)
        assert ada.session.lobby is not None
        assert ada.session.lobby.free == 1


def test_only_the_host_removes_and_never_itself(tmp_path: Path) -> None:
    ada, bruno = Node(tmp_path, "Ada"), Node(tmp_path, "Bruno")
    with table(ada, bruno):
        bruno.join(ada.host())
        bruno.sees(full)
        bruno.session.remove(ada.identity.public)
        assert "Only the host" in bruno.wait(NotSent).why
        ada.session.remove(ada.identity.public)
        assert "Nobody was removed" in ada.wait(NotSent).why
        ada.session.remove(b"\x22" * 32)
        ada.wait(NotSent, nth=2)


def test_two_players_of_one_name_are_told_apart(tmp_path: Path) -> None:
    ada, one, two = (Node(tmp_path, name) for name in ("Ada", "Bob", "bob"))
    with table(ada, one, two):
        port = ada.host(offer(3, 1))
        one.join(port)
        two.join(port)
        for node in (ada, one, two):
            shown = {p.label for p in node.sees(full).people}
            assert shown == {
                "Ada",
                f"Bob·{short_form(one.identity.public)}",
                f"bob·{short_form(two.identity.public)}",
            }


def test_a_known_name_with_another_key_is_a_loud_warning(tmp_path: Path) -> None:
    known = KnownPlayers(tmp_path / "known_players")
    true = Identity.generate()
    assert known.meet(true.public, "Bruno", 1_700_000_000) == ""
    ada = Node(tmp_path, "Ada", known=known)
    false, friend = Node(tmp_path, "bruno"), Node(tmp_path, "Carla")
    with table(ada, false, friend):
        port = ada.host(offer(3, 1))
        false.join(port)
        friend.join(port)
        warning = ada.wait(Stranger)
        assert warning.known == short_form(true.public)
        assert warning.person.key == false.identity.public
        ada.sees(full)
        assert len(ada.told(Stranger)) == 1
    assert {k.name for k in KnownPlayers(tmp_path / "known_players")} == {"Bruno", "bruno", "Carla"}


def test_a_bot_is_shown_with_its_owner(tmp_path: Path) -> None:
    ada, bruno, carla = Node(tmp_path, "Ada"), Node(tmp_path, "Bruno"), Identity.generate()
    with table(ada, bruno):
        port = ada.host(offer(3, 1))
        bruno.join(port)
        bruno.sees(lambda view: view.you)
        manner = Manner(eager=True, owned=bruno.session.vouch(carla.public))
        bot = Node(tmp_path, "Carla", identity=carla, manner=manner).join(port)
        with table(bot):
            for node in (ada, bruno):
                view = node.sees(lambda view: view.seated[-1].owner and view.seated[-1].ready)
                assert [p.owner for p in view.people] == ["", "", "Bruno"]


def test_a_voucher_for_another_key_makes_nobody_an_owner(tmp_path: Path) -> None:
    ada = Node(tmp_path, "Ada")
    with table(ada):
        port = ada.host()
        manner = Manner(eager=True, owned=ada.session.vouch(b"\x22" * 32))
        bot = Node(tmp_path, "Carla", manner=manner).join(port)
        with table(bot):
            view = ada.sees(lambda view: full(view) and view.seated[-1].ready)
            assert view.seated[-1].owner == ""


def test_the_same_table_plays_another_match(tmp_path: Path) -> None:
    ada, bruno = Node(tmp_path, "Ada"), Node(tmp_path, "Bruno")
    with table(ada, bruno):
        bruno.join(ada.host())
        for node in (ada, bruno):
            node.sees(full)
            node.session.ready()
        for node in (ada, bruno):
            node.wait(BackInLobby)
            view = node.wait(LobbyChanged, lambda e: len(e.view.awaited) == 2, nth=2).view
            assert full(view)
        assert len(ada.told(Started)) == 1, "nobody has said that it is ready again"
        for node in (ada, bruno):
            node.session.ready()
        for node in (ada, bruno):
            node.wait(BackInLobby, nth=2)
    logs = [[e.log.read_bytes() for e in node.told(Started)] for node in (ada, bruno)]
    assert logs[0] == logs[1]
    assert len(set(logs[0])) == 2
    assert all(audit_file(log, default_group()).good for log in logs[0])


def test_the_winner_of_a_match_of_picchetto_deals_in_the_rematch(tmp_path: Path) -> None:
    """PIC-02; for the first match a draw decides, for the next ones the result of the last."""
    ada, bruno = Node(tmp_path, "Ada"), Node(tmp_path, "Bruno")
    game = registry.get("picchetto")
    options: Any = make(game.options_type, game.presets[game.default_preset], [("target", "21")])
    with table(ada, bruno):
        bruno.join(ada.host(Offer(game, options, 2)))
        for number in (1, 2):
            for node in (ada, bruno):
                node.wait(BackInLobby) if number > 1 else node.sees(full)
                node.session.ready()
        for node in (ada, bruno):
            node.wait(BackInLobby, nth=2)
    reports = [audit_file(e.log, default_group()) for e in ada.told(Started)]
    assert all(report.good for report in reports)
    won = [next_dealer(need(report.last)) for report in reports]
    dealt = {
        e.after.header.match: e.after.header.keys[e.after.order[note.seat]]
        for e in reversed(ada.told(Advanced))
        for note in e.after.state.notes
        if note.kind == "deals" and note.values == (1,)
    }
    headers = [need(report.header) for report in reports]
    agreed = [first_dealer(header) for header in headers]
    assert agreed[0] is None
    assert won[0] == headers[1].keys[need(agreed[1])] == dealt[headers[1].match]


def test_between_matches_another_player_may_take_a_seat(tmp_path: Path) -> None:
    ada, bruno, carla = (Node(tmp_path, name) for name in ("Ada", "Bruno", "Carla"))
    with table(ada, bruno, carla):
        port = ada.host()
        bruno.join(port)
        for node in (ada, bruno):
            node.session.ready()
        for node in (ada, bruno):
            node.wait(BackInLobby)
        bruno.stop()
        ada.wait(Gone)
        carla.join(port)
        for node in (ada, carla):
            node.session.ready()
        carla.wait(BackInLobby)
        ada.wait(BackInLobby, nth=2)


def test_a_watcher_sees_the_lobby_and_takes_no_seat(tmp_path: Path) -> None:
    ada, bruno, wanda = (Node(tmp_path, name) for name in ("Ada", "Bruno", "Wanda"))
    with table(ada, bruno, wanda):
        port = ada.host()
        wanda.join(port, role=Role.WATCH)
        view = ada.sees(lambda view: view.watching)
        assert [p.label for p in view.watching] == ["Wanda"]
        assert view.free == 1
        wanda.session.ready()
        bruno.join(port)
        for node in (ada, bruno, wanda):
            assert len(node.sees(full).people) == 3
        wanda.session.say("forza!")
        assert bruno.wait(Talked).person.role is Role.WATCH
        for node in (ada, bruno):
            node.session.ready()
        started = wanda.wait(Started)
        assert started.seat is None
        assert started.table.player is None
        wanda.wait(Finished)
        ada.wait(Finished)
    assert wanda.told(Started)[0].log.read_bytes() == ada.told(Started)[0].log.read_bytes()


def test_a_watcher_may_come_while_a_match_is_on(tmp_path: Path) -> None:
    ada, bruno, wanda = (Node(tmp_path, name) for name in ("Ada", "Bruno", "Wanda"))
    with table(ada, bruno, wanda):
        port = ada.host(offer(2, 3))
        bruno.join(port)
        for node in (ada, bruno):
            node.session.ready()
        ada.wait(Started)
        wanda.join(port, role=Role.WATCH)
        wanda.wait(Finished)
        ada.wait(Finished)
        assert wanda.wait(Started).log.read_bytes() == ada.told(Started)[0].log.read_bytes()


def test_a_host_may_want_no_watchers(tmp_path: Path) -> None:
    ada, wanda = Node(tmp_path, "Ada"), Node(tmp_path, "Wanda")
    with table(ada, wanda):
        port = ada.host(replace(offer(2, 1), watchers=False))
        assert not find_table(LOOPBACK, port, 10)[0].watchers
        wanda.join(port, role=Role.WATCH)
        assert "no spectators" in str(wanda.ended())


def test_who_knows_the_code_sits_down(tmp_path: Path) -> None:
    ada, bruno, carla = (Node(tmp_path, name) for name in ("Ada", "Bruno", "Carla"))
    with table(ada, bruno, carla):
        port = ada.host(offer(3, 1), code=CODE)
        assert find_table(LOOPBACK, port, 10)[0].code
        bruno.join(port, code=CODE)
        carla.join(port, code=CODE)
        for node in (ada, bruno, carla):
            node.sees(full)
            node.session.ready()
        assert need(ada.session.lobby).code == CODE
        assert need(bruno.session.lobby).code == ""
        for node in (ada, bruno, carla):
            node.wait(BackInLobby)


def test_a_wrong_code_never_gets_in(tmp_path: Path) -> None:
    ada, bruno = Node(tmp_path, "Ada"), Node(tmp_path, "Bruno")
    with table(ada, bruno):
        port = ada.host(code=CODE)
        for wrong in ("K7F29QXN", "00000000"):
            with pytest.raises(TurnedAway, match="not the table's code"):
                bruno.join(port, code=wrong)
        assert not ada.told(Joined)
        assert need(ada.session._mesh).peers() == ()


def test_the_mesh_of_a_table_with_a_code_lets_in_nobody_who_came_past_the_door(
    tmp_path: Path,
) -> None:
    ada = Node(tmp_path, "Ada")
    with table(ada):
        card, host = find_table(LOOPBACK, ada.host(code=CODE), 10)
        inbox = Inbox()
        profile = new_profile(card.table, "Eve", bytes)
        with Mesh(Identity.generate(), profile, inbox, host=LOOPBACK) as eve:
            eve.dial(card.key, card.curve, host, card.port, at_once=True)
            events = [inbox.get(10)]
            while events[-1] is not None and not isinstance(events[-1], Received):
                events.append(inbox.get(10))
        assert events[-1] == Received(card.key, Bye(Reason.CLOSED))
        assert not any(isinstance(event, PeerUp) for event in events)
        assert not ada.told(Joined)


def test_ten_wrong_codes_give_the_host_another_one(tmp_path: Path) -> None:
    ada = Node(tmp_path, "Ada")
    with table(ada):
        ada.host(code=CODE)
        guard = need(ada.session._door)._guard
        for number in range(10):
            guard._failed(f"10.0.0.{number}")  # type: ignore[union-attr] # a CodeGuard
        code = ada.wait(CodeChanged).code
        assert code != CODE
        ada.session.ready(False)
        assert ada.session.lobby is not None
        assert ada.session.lobby.code == code


def test_a_node_that_plays_one_match_ends_with_it(tmp_path: Path) -> None:
    ada, bruno = (Node(tmp_path, name, manner=Manner(), stay=False) for name in ("Ada", "Bruno"))
    bruno.join(ada.host())
    assert [ada.ended(), bruno.ended()] == [None, None]
    assert ada.end is not None
    assert ada.end.closed
