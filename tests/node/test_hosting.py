"""The host's desk and what guests believe of it, without a network."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from node.company import Company
from node.hosting import MAX_WATCHERS, Desk
from node.lobby import LobbyError
from protocol.identity import Identity
from protocol.messages import Hello, Lobby, Member, Owned, Reason, Role
from protocol.wire import encode, sign, vouch
from tests.node.tables import offer
from tests.node.test_lobby import GUEST, HOST, OTHER, TABLE, card, hello

ADA = hello(HOST, "Ada")
BRUNO = hello(GUEST, "Bruno")
CARLA = hello(OTHER, "Carla")
HERE = ("10.0.0.7", 5000)


def desk(seats: int = 2, **changes: Any) -> Desk:
    """Ada's table, with nobody else there."""
    return Desk(replace(offer(seats, 3), **changes), ADA, encode(ADA))


def enter(table: Desk, who: Hello) -> Reason | None:
    return table.enter(who, encode(who), HERE)


def ready(table: Desk, *keys: Identity) -> None:
    for key in keys:
        table.ready(key.public, True)


def test_a_match_is_complete_when_all_are_there_and_ready() -> None:
    table = desk()
    ready(table, HOST)
    assert table.complete() is None
    assert enter(table, BRUNO) is None
    assert table.complete() is None
    ready(table, GUEST)
    seats = table.complete()
    assert seats is not None
    assert seats.keys() == {HOST.public, GUEST.public}
    assert seats[GUEST.public] == (BRUNO, encode(BRUNO), (HERE[0], BRUNO.port))
    table.ready(GUEST.public, False)
    assert table.complete() is None


def test_a_nonce_serves_for_one_match() -> None:
    """A guest that hasn't introduced itself anew isn't ready, whatever it says."""
    table = desk()
    enter(table, BRUNO)
    ready(table, HOST, GUEST)
    assert table.complete()
    table.begin([HOST.public, GUEST.public], [ADA.nonce, BRUNO.nonce])
    table.end()
    again = hello(HOST, "Ada", nonce=b"2" * 16)
    table.own(again, encode(again))
    ready(table, HOST, GUEST)
    assert table.complete() is None
    assert [m.ready for m in table.lobby().members] == [True, False]
    enter(table, hello(GUEST, "Bruno", nonce=b"3" * 16))
    assert table.complete() is None, "a new introduction has to say again that it is ready"
    ready(table, GUEST)
    assert table.complete()


def test_who_comes_to_a_full_or_a_playing_table_is_refused() -> None:
    table = desk()
    assert table.free == 1
    enter(table, BRUNO)
    assert table.free == 0
    assert enter(table, CARLA) is Reason.FULL
    assert enter(table, BRUNO) is None, "a member isn't a stranger"
    table.begin([HOST.public, GUEST.public], [])
    assert table.playing
    assert enter(table, CARLA) is Reason.FULL
    assert enter(table, replace(CARLA, table=b"1" * 16)) is Reason.OTHER_TABLE


def test_a_seat_of_the_match_keeps_its_place_and_may_return() -> None:
    table = desk()
    enter(table, BRUNO)
    table.begin([HOST.public, GUEST.public], [ADA.nonce, BRUNO.nonce])
    assert table.down(GUEST.public, for_good=True) is False
    assert table.free == 0
    assert table.returns(hello(GUEST, "Bruno", curve=b"4" * 32))
    assert not table.returns(CARLA)
    assert not table.returns(hello(GUEST, "Bruno", table=b"1" * 16))
    assert not table.remove(GUEST.public), "not during a match"
    table.end()
    assert table.free == 1
    assert not table.returns(BRUNO)


def test_a_lost_link_gives_the_place_back_if_it_is_still_free() -> None:
    table = desk()
    enter(table, BRUNO)
    ready(table, GUEST)
    assert table.down(GUEST.public)
    assert table.free == 1
    assert table.up(GUEST.public)
    assert table.free == 0
    assert not table.lobby().members[1].ready
    table.down(GUEST.public)
    enter(table, CARLA)
    assert not table.up(GUEST.public)
    assert [m.hello for m in table.lobby().members] == [encode(ADA), encode(CARLA)]


def test_who_said_goodbye_doesnt_come_back_without_an_introduction() -> None:
    table = desk()
    enter(table, BRUNO)
    assert table.down(GUEST.public, for_good=True)
    assert not table.up(GUEST.public)


def test_who_was_removed_doesnt_come_back_in_any_way() -> None:
    table = desk()
    enter(table, BRUNO)
    assert table.remove(GUEST.public)
    assert not table.up(GUEST.public)
    assert enter(table, BRUNO) is Reason.REMOVED
    assert enter(table, hello(GUEST, "Other", role=Role.WATCH)) is Reason.REMOVED
    assert table.lobby().removed == (GUEST.public,)
    assert not table.remove(HOST.public)


def test_watchers_take_no_seat_and_are_bounded() -> None:
    table = desk()
    for number in range(MAX_WATCHERS):
        key = Identity(bytes([100 + number]) * 32)
        assert enter(table, hello(key, f"W{number}", role=Role.WATCH)) is None
        assert not table.ready(key.public, True)
    assert table.free == 1
    assert enter(table, hello(OTHER, "Wanda", role=Role.WATCH)) is Reason.FULL
    assert enter(desk(watchers=False), hello(OTHER, "W", role=Role.WATCH)) is Reason.NO_WATCHERS


def test_a_watcher_may_sit_down_where_there_is_room() -> None:
    table = desk()
    enter(table, hello(GUEST, "Bruno", role=Role.WATCH))
    assert enter(table, BRUNO) is None
    assert table.free == 0


def test_only_a_true_voucher_makes_an_owner() -> None:
    table = desk()
    enter(table, BRUNO)
    voucher = vouch(HOST, TABLE, GUEST.public)
    assert not table.owned(GUEST.public, Owned(OTHER.public, voucher))
    assert not table.owned(OTHER.public, Owned(HOST.public, voucher))
    assert table.owned(GUEST.public, Owned(HOST.public, voucher))
    assert not table.owned(GUEST.public, Owned(HOST.public, voucher)), "no news"
    assert table.lobby().members[1].owner == HOST.public


def told(*members: Member, serial: int = 1, removed: tuple[bytes, ...] = ()) -> Lobby:
    return Lobby(serial, members, removed)


def member(who: Hello, **fields: Any) -> Member:
    return Member(encode(who), HERE, **fields)


def company() -> Company:
    return Company(card(), GUEST.public)


def test_a_guest_believes_the_latest_list_only() -> None:
    guest = company()
    change = guest.take(told(member(ADA), member(BRUNO), serial=5))
    assert change is not None
    assert [p.label for p in change.come] == ["Ada", "Bruno"]
    assert guest.take(told(member(ADA), serial=5)) is None
    assert guest.take(told(member(ADA), serial=4)) is None
    change = guest.take(told(member(ADA), member(CARLA), serial=6, removed=(GUEST.public,)))
    assert change is not None
    assert ([p.label for p in change.come], [p.label for p in change.gone]) == (
        ["Carla"],
        ["Bruno"],
    )
    assert change.removed == (GUEST.public,)
    assert guest.shut_out(GUEST.public)


FORGED = replace(BRUNO, name="Eve")


@pytest.mark.parametrize(
    ("lie", "says"),
    [
        (told(member(BRUNO)), "not at its own table"),
        (told(member(ADA), member(BRUNO), member(BRUNO)), "twice"),
        (told(member(ADA), Member(encode(FORGED), HERE)), "introduction that is none"),
        (told(member(ADA), Member(b"junk", HERE)), "introduction that is none"),
        (told(member(ADA), member(hello(GUEST, "B", table=b"1" * 16))), "another table"),
        (
            told(
                member(ADA),
                member(BRUNO, owner=HOST.public, voucher=vouch(OTHER, TABLE, GUEST.public)),
            ),
            "nobody signed it",
        ),
    ],
)
def test_a_host_that_lies_about_the_company_is_caught(lie: Lobby, says: str) -> None:
    with pytest.raises(LobbyError, match=says):
        company().take(lie)


def test_a_bot_whose_owner_has_left_keeps_its_mark() -> None:
    guest = company()
    voucher = vouch(OTHER, TABLE, GUEST.public)
    guest.take(told(member(ADA), member(BRUNO, owner=OTHER.public, voucher=voucher)))
    assert guest.view.people[1].owner


def test_a_voucher_of_another_table_is_worthless() -> None:
    elsewhere = sign(replace(BRUNO, table=TABLE), GUEST)
    voucher = vouch(HOST, b"1" * 16, GUEST.public)
    with pytest.raises(LobbyError):
        company().take(told(member(ADA), member(elsewhere, owner=HOST.public, voucher=voucher)))
