"""The list of tables under a virtual clock: what is merged, what expires, what is dropped."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.discovery_listing import Listed, Listing, ListingLimits, Service, Way
from protocol.announce import Announcement, Phase, sign_announcement
from protocol.identity import Identity, fingerprint
from tests.node.nodes import identity
from tests.protocol.announce_samples import ADA, BRUNO, SIGNED, announcement, bad_announcements

HERE = "192.168.1.7"
THERE = "10.0.0.7"


def signed(who: Identity = ADA, **changes: object) -> bytes:
    return sign_announcement(replace(announcement(), **changes), who)  # type: ignore[arg-type] # each test its fields


def service(**changes: object) -> Service:
    """Ada's table as DNS-SD has it."""
    said = announcement()
    plain = Service(
        instance="Cucina (00010203)._busso._tcp.local.",
        name=said.name,
        host=said.host,
        game=said.game,
        rules=said.rules,
        seats=said.seats,
        free=said.free,
        phase=said.phase,
        code=said.code,
        addresses=(THERE,),
        port=said.port,
        fingerprint=fingerprint(ADA.public),
        table=said.table,
    )
    return replace(plain, **changes)  # type: ignore[arg-type] # as above


def only(listing: Listing) -> Listed:
    (table,) = listing.tables()
    return table


def test_a_table_is_listed_as_it_says_and_where_it_came_from() -> None:
    listing = Listing(0.0)
    listing.hear(SIGNED, HERE, 0.0)
    assert only(listing) == Listed(
        name="Cucina",
        host="Ada",
        game="petrangola",
        rules="marche",
        seats=4,
        free=3,
        phase=Phase.LOBBY,
        code=True,
        addresses=(HERE,),
        port=28_776,
        fingerprint=fingerprint(ADA.public),
        key=ADA.public,
        table=bytes(range(16)),
        ping=None,
        ways=Way.UDP,
    )
    assert only(listing).open


@pytest.mark.parametrize(("phase", "patience"), [(Phase.LOBBY, 6.0), (Phase.PLAYING, 15.0)])
def test_it_is_forgotten_after_three_intervals(phase: Phase, patience: float) -> None:
    listing = Listing(0.0)
    listing.hear(signed(phase=phase), HERE, 0.0)
    listing.hear(signed(phase=phase), HERE, 1.0)
    listing.expire(1.0 + patience - 0.01)
    assert only(listing).phase is phase
    assert not replace(only(listing), phase=Phase.PLAYING).open
    listing.expire(1.0 + patience)
    assert listing.tables() == ()
    listing.hear(signed(phase=phase), HERE, 20.0)
    assert only(listing).addresses == (HERE,)


def test_addresses_are_gathered_and_expire_one_by_one() -> None:
    listing = Listing(0.0, nearness=lambda host: host == HERE)
    listing.hear(SIGNED, HERE, 0.0)
    listing.hear(SIGNED, THERE, 0.0)
    assert only(listing).addresses == (THERE, HERE)
    listing.hear(SIGNED, HERE, 4.0)
    listing.expire(7.0)
    assert only(listing).addresses == (HERE,)


def test_a_later_word_replaces_an_earlier_one_and_never_the_other_way() -> None:
    listing = Listing(0.0)
    listing.hear(signed(serial=8, free=2), HERE, 0.0)
    listing.hear(signed(serial=7), HERE, 1.0)
    listing.hear(signed(serial=8, free=1), HERE, 1.0)
    assert only(listing).free == 2
    assert listing.counters.outdated == 2
    listing.hear(signed(serial=9, free=0), HERE, 1.0)
    assert only(listing).free == 0
    listing.hear(signed(serial=8, free=2), HERE, 1.0)
    assert only(listing).free == 0


def test_a_table_that_goes_stays_away() -> None:
    listing = Listing(0.0)
    listing.hear(SIGNED, HERE, 0.0)
    listing.service(service())
    listing.hear(signed(serial=8, phase=Phase.CLOSED), HERE, 1.0)
    assert listing.tables() == ()
    listing.hear(SIGNED, HERE, 1.1)  # one that was on its way, or is repeated by somebody else
    listing.service(service())
    assert listing.tables() == ()
    listing.service_gone(service().instance)
    listing.expire(31.5)
    listing.hear(signed(serial=9), HERE, 32.0)
    assert only(listing).name == "Cucina"


def test_nobody_else_closes_or_renames_a_table() -> None:
    listing = Listing(0.0)
    listing.hear(SIGNED, HERE, 0.0)
    listing.hear(signed(BRUNO, serial=99, phase=Phase.CLOSED), HERE, 0.0)
    listing.hear(signed(BRUNO, serial=100, name="Bad"), HERE, 0.0)
    assert {table.name for table in listing.tables()} == {"Cucina", "Bad"}
    assert {table.key for table in listing.tables()} == {ADA.public, BRUNO.public}


@pytest.mark.parametrize("name", bad_announcements())
def test_what_is_no_announcement_is_counted(name: str) -> None:
    listing = Listing(0.0)
    listing.hear(bad_announcements()[name][0], HERE, 0.0)
    assert listing.tables() == ()
    assert listing.counters.malformed == 1


def test_the_fastest_answer_to_the_latest_question_is_the_ping() -> None:
    listing = Listing(0.0)
    listing.hear(SIGNED, HERE, 1.005, asked=1.0)
    listing.hear(SIGNED, THERE, 1.002, asked=1.0)
    listing.hear(SIGNED, HERE, 1.009, asked=1.0)
    assert only(listing).ping == pytest.approx(0.002)
    listing.hear(SIGNED, HERE, 6.004, asked=6.0)
    assert only(listing).ping == pytest.approx(0.004)
    listing.hear(SIGNED, HERE, 6.9, asked=1.0)
    listing.hear(SIGNED, HERE, 7.0)
    assert only(listing).ping == pytest.approx(0.004)


# -- both ways --------------------------------------------------------------------------------


def test_both_ways_are_one_table_and_the_signed_word_counts() -> None:
    for udp_first in (True, False):
        listing = Listing(0.0)
        if udp_first:
            listing.hear(SIGNED, HERE, 0.0)
        listing.service(service(name="Other", free=0, phase=Phase.PLAYING))
        if not udp_first:
            assert only(listing).key == b""
            assert only(listing).ways is Way.DNS_SD
            listing.hear(SIGNED, HERE, 0.0)
        table = only(listing)
        assert (table.name, table.free, table.phase) == ("Cucina", 3, Phase.LOBBY)
        assert table.addresses == (HERE, THERE)
        assert table.ways == Way.UDP | Way.DNS_SD


def test_when_udp_falls_silent_dns_sd_keeps_the_table() -> None:
    listing = Listing(0.0)
    listing.hear(SIGNED, HERE, 0.0)
    listing.service(service())
    listing.expire(10.0)
    assert only(listing).ways is Way.DNS_SD
    assert only(listing).addresses == (THERE,)
    assert only(listing).key == ADA.public
    listing.service_gone(service().instance)
    assert listing.tables() == ()


def test_when_dns_sd_says_goodbye_udp_keeps_the_table() -> None:
    listing = Listing(0.0)
    listing.hear(SIGNED, HERE, 0.0)
    listing.service(service())
    listing.service_gone(service().instance)
    listing.service_gone("another")
    assert only(listing).addresses == (HERE,)
    assert only(listing).ways is Way.UDP


def test_a_service_with_another_port_adds_no_address() -> None:
    listing = Listing(0.0)
    listing.hear(SIGNED, HERE, 0.0)
    listing.service(service(port=1))
    assert only(listing).addresses == (HERE,)


def test_an_instance_that_becomes_another_table_leaves_the_first() -> None:
    listing = Listing(0.0)
    listing.service(service())
    listing.service(service(table=b"one more" * 2))
    assert only(listing).table == b"one more" * 2
    listing.service(service(table=b"one more" * 2, free=1))
    assert only(listing).free == 1


def test_a_door_confirms_the_key_behind_a_service() -> None:
    listing = Listing(0.0)
    listing.service(service())
    assert listing.unconfirmed() == listing.tables()
    listing.confirm(service().id, BRUNO.public, 0.1)
    assert only(listing).key == b""
    listing.confirm((fingerprint(BRUNO.public), bytes(8)), BRUNO.public, 0.1)
    listing.confirm(service().id, ADA.public, 0.003)
    assert only(listing).key == ADA.public
    assert only(listing).ping == 0.003
    assert listing.unconfirmed() == ()
    listing.service(service(free=1))
    assert only(listing).key == ADA.public


# -- bounds -----------------------------------------------------------------------------------


def test_a_source_has_eight_tables_and_the_first_stay() -> None:
    listing = Listing(0.0)
    for number in range(12):
        listing.hear(signed(table=bytes([number]) * 16), HERE, 0.0)
    assert {table.table[0] for table in listing.tables()} == set(range(8))
    assert listing.counters.over_bound == 4
    listing.hear(signed(table=b"x" * 16), THERE, 0.0)
    assert len(listing.tables()) == 9


def test_there_are_64_tables_at_most_by_whatever_way() -> None:
    limits = ListingLimits(unknown_rate=(1_000, 1_000))
    listing = Listing(0.0, limits=limits)
    for number in range(40):
        listing.service(service(instance=str(number), table=bytes([number]) * 16))
    for number in range(40):
        listing.hear(signed(table=bytes([100 + number]) * 16), f"10.0.0.{number}", 0.0)
    listing.service(service(instance="one more", table=b"one more" * 2))
    assert len(listing.tables()) == 64
    assert listing.counters.over_bound == 17


def test_a_table_has_eight_addresses_and_the_first_stay() -> None:
    listing = Listing(0.0)
    listing.hear(SIGNED, HERE, 0.0)
    for number in range(20):
        listing.hear(SIGNED, f"10.0.0.{number}", 0.0)
        listing.service(service(instance=str(number), addresses=(f"10.1.0.{number}",)))
    assert len(only(listing).addresses) == 8
    assert HERE in only(listing).addresses
    (entry,) = listing._entries.values()
    assert (len(entry.heard), len(entry.services)) == (8, 8)
    for number in range(20):
        listing.service_gone(str(number))
    assert only(listing).ways is Way.UDP


def test_a_flood_from_one_source_leaves_room_for_others() -> None:
    listing = Listing(0.0)
    assert sum(listing.admit("flood", 0.0) for _ in range(1_000)) == 64
    assert listing.admit(HERE, 0.0)
    assert listing.counters.over_rate == 936


def test_unknown_announcements_are_bounded_and_repetitions_are_not() -> None:
    listing = Listing(0.0)
    listing.hear(SIGNED, HERE, 0.0)
    for _ in range(200):
        listing.hear(b"noise", THERE, 0.0)
    assert listing.counters.malformed == 24
    listing.hear(signed(BRUNO), "10.0.0.8", 0.0)  # one source doesn't use up what is all's
    assert len(listing.tables()) == 2
    for number in range(200):
        listing.hear(b"noise", f"10.1.0.{number}", 0.0)
    assert listing.counters.malformed == 78
    for _ in range(200):
        listing.hear(SIGNED, HERE, 0.1)
    assert listing.counters.repeated == 200
    listing.hear(signed(serial=8), HERE, 1.0)
    assert listing.counters.heard == 3


def test_closed_tables_are_remembered_within_a_bound() -> None:
    listing = Listing(0.0, limits=ListingLimits(closed=4, unknown_rate=(1_000, 1_000)))
    for number in range(9):
        listing.hear(signed(table=bytes([number]) * 16, phase=Phase.CLOSED), HERE, 0.0)
    assert len(listing._closed) == 4
    assert listing.tables() == ()


KEYS = [identity(number) for number in (1, 2)]
EVENTS = st.lists(
    st.one_of(
        st.tuples(
            st.just("hear"),
            st.builds(
                Announcement,
                game=st.just("briscola"),
                rules=st.just(""),
                name=st.sampled_from(["A", "B"]),
                host=st.just("H"),
                seats=st.just(4),
                free=st.integers(0, 4),
                phase=st.sampled_from(Phase),
                code=st.booleans(),
                port=st.just(7),
                key=st.just(b""),
                table=st.sampled_from([b"1" * 16, b"2" * 16]),
                serial=st.integers(0, 5),
            ),
            st.sampled_from(KEYS),
            st.sampled_from([HERE, THERE]),
        ),
        st.tuples(st.just("service"), st.integers(0, 3), st.sampled_from(KEYS), st.booleans()),
        st.tuples(st.just("wait"), st.floats(0, 20), st.none(), st.none()),
    ),
    max_size=40,
)


@given(EVENTS)
def test_whatever_comes_the_list_is_consistent_and_says_when_it_changed(
    events: list[tuple[str, object, Identity, str]],
) -> None:
    listing = Listing(0.0)
    now, before, changes = 0.0, listing.tables(), 0
    for kind, what, who, where in events:
        if kind == "hear" and isinstance(what, Announcement):
            listing.hear(sign_announcement(what, who), where, now)
        elif kind == "service":
            one = service(
                instance=f"i{what}", fingerprint=fingerprint(who.public), table=b"1" * 16, port=7
            )
            if where:
                listing.service(one)
            else:
                listing.service_gone(one.instance)
        elif isinstance(what, float):
            now += what
            listing.expire(now)
        tables = listing.tables()
        assert tables == before or listing.changes > changes
        before, changes = tables, listing.changes
        assert len({(t.fingerprint, t.table) for t in tables}) == len(tables)
        assert all(t.addresses and t.ways and t.phase is not Phase.CLOSED for t in tables)
        assert all(bool(t.key) or t.ways is Way.DNS_SD for t in tables)
        assert set(listing._known.values()) == {
            (t.fingerprint, t.table) for t in tables if Way.UDP in t.ways
        }
    for number in range(4):
        listing.service_gone(f"i{number}")
    listing.expire(now + 100)
    assert listing.tables() == ()
    assert not listing._entries
    assert not listing._instances
    assert not listing._known
    assert not listing._closed
