"""What a seat signs, and what it refuses to sign."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from node.lobby import (
    MAX_AGE,
    LobbyError,
    Rematch,
    agree,
    header_entry,
    is_agreement,
    make_card,
    playable,
    propose,
    sealed,
)
from protocol.errors import InvalidHeader
from protocol.header import Header, parse_core, parse_header
from protocol.identity import Identity
from protocol.messages import Hello, Propose, Role, TableCard
from protocol.stages import first_dealer
from protocol.wire import encode, sign
from tests.node.tables import offer

NOW = 1_700_000_000
HOST, GUEST, OTHER = (Identity(bytes([n]) * 32) for n in (1, 2, 3))
TABLE = bytes(16)


def card(**changes: Any) -> TableCard:
    """A table of two with a limit of three hands, as its host shows it."""
    made = make_card(offer(2, 3), HOST, (bytes(range(32)), 4711), TABLE, 1)
    return sign(replace(made, **changes), HOST) if changes else made


def hello(identity: Identity, name: str, **changes: Any) -> Hello:
    """An introduction of `identity` at that table."""
    fields: dict[str, Any] = {
        "key": identity.public,
        "curve": identity.public,
        "table": TABLE,
        "session": bytes(16),
        "name": name,
        "role": Role.SEAT,
        "port": 4712,
        "nonce": bytes([len(name)]) * 16,
    }
    return sign(Hello(**{**fields, **changes}), identity)


OWN = hello(GUEST, "Bruno")


def proposal(shown: TableCard, hellos: tuple[Hello, ...], created: int = NOW) -> Propose:
    """What the host proposes of `shown` to those."""
    seated = {h.key: (h, encode(h), ("127.0.0.1", h.port)) for h in hellos}
    return propose(shown, seated, created)


def good() -> Propose:
    """An honest proposal."""
    return proposal(card(), (hello(HOST, "Ada"), OWN))


def with_core(changed: Callable[[Header], Header]) -> Propose:
    """The honest proposal with another header in it."""
    return replace(good(), core=changed(parse_core(good().core)).core)


def test_everybody_signs_what_the_card_offered() -> None:
    header = agree(card(), OWN, good(), NOW)
    assert {seat.name for seat in header.seats} == {"Ada", "Bruno"}
    assert header.options == card().options
    assert header.extensions == (("hands", 3),)
    entries = {e.contribution.seat: e for e in (header_entry(header, k) for k in (HOST, GUEST))}
    assert all(is_agreement(header, entry) for entry in entries.values())
    signed = sealed(header, entries)
    assert signed is not None
    assert parse_header(signed.payload).match == header.match


def test_a_header_is_not_sealed_before_all_have_signed() -> None:
    header = agree(card(), OWN, good(), NOW)
    own = header_entry(header, GUEST)
    assert sealed(header, {own.contribution.seat: own}) is None


@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (lambda: with_core(lambda h: replace(h, options=h.options[:-1])), "other rules"),
        (lambda: with_core(lambda h: replace(h, extensions=())), "other rules"),
        (lambda: with_core(lambda h: replace(h, game="briscola")), "other rules"),
        (lambda: with_core(lambda h: replace(h, rules=99)), "version of the rules"),
        (lambda: with_core(lambda h: replace(h, created=NOW + MAX_AGE + 1)), "clock"),
        (lambda: replace(good(), addresses=good().addresses[:1]), "addresses"),
        (lambda: replace(good(), hellos=good().hellos[::-1]), "introduce themselves"),
        (lambda: replace(good(), core=b"\\xff"), "can't be accepted"),
        (lambda: proposal(card(), (hello(HOST, "Ada"), hello(OTHER, "Zoe"))), "the seat that we"),
        (lambda: proposal(card(), (hello(HOST, "Ada"), hello(GUEST, "Bruna"))), "the seat that we"),
        (
            lambda: proposal(card(), (hello(HOST, "Ada"), hello(GUEST, "Bruno", nonce=bytes(16)))),
            "the seat that we",
        ),
        (
            lambda: proposal(card(), (hello(HOST, "Ada", table=bytes(15) + b"1"), OWN)),
            "another table",
        ),
        (lambda: proposal(card(), (hello(HOST, "Ada", role=Role.WATCH), OWN)), "another table"),
    ],
)
def test_nothing_else_is_signed(bad: Callable[[], Propose], says: str) -> None:
    with pytest.raises(LobbyError, match=says):
        agree(card(), OWN, bad(), NOW)


SESSIONS = {HOST.public: bytes(16), GUEST.public: bytes(16)}


def again(rematch: Rematch | None, *hellos: Hello) -> Propose:
    """What the host proposes for the next match."""
    seated = {h.key: (h, encode(h), ("127.0.0.1", h.port)) for h in hellos}
    return propose(card(), seated, NOW, rematch)


def test_a_rematch_names_the_first_dealer_and_everybody_checks_it() -> None:
    rematch = Rematch(SESSIONS, GUEST.public)
    proposal = again(rematch, hello(HOST, "Ada"), OWN)
    header = agree(card(), OWN, proposal, NOW, rematch)
    assert first_dealer(header) == header.keys.index(GUEST.public)
    assert dict(header.extensions)["hands"] == 3
    with pytest.raises(LobbyError, match="other rules"):
        agree(card(), OWN, proposal, NOW, Rematch(SESSIONS, HOST.public))
    with pytest.raises(LobbyError, match="other rules"):
        agree(card(), OWN, proposal, NOW)
    with pytest.raises(LobbyError, match="other rules"):
        agree(card(), OWN, good(), NOW, rematch)
    assert agree(card(), None, proposal, NOW) == header, "a watcher takes what the seats sign"


@pytest.mark.parametrize(
    "other", [hello(OTHER, "Carla"), hello(GUEST, "Bruno", session=b"another run.....")]
)
def test_it_is_no_rematch_with_another_player_or_after_a_restart(other: Hello) -> None:
    rematch = Rematch(SESSIONS, HOST.public)
    proposal = again(rematch, hello(HOST, "Ada"), other)
    assert first_dealer(agree(card(), other, proposal, NOW)) is None


def test_an_agreement_is_a_signature_of_this_header_by_that_seat() -> None:
    header = agree(card(), OWN, good(), NOW)
    entry = header_entry(header, GUEST)
    other = replace(header, created=NOW + 1)
    assert not is_agreement(other, entry)
    c = entry.contribution
    assert not is_agreement(header, replace(entry, contribution=replace(c, seat=1 - c.seat)))
    assert not is_agreement(header, replace(entry, contribution=replace(c, seat=7)))
    assert not is_agreement(header, replace(entry, contribution=replace(c, body=b"x")))
    with pytest.raises(InvalidHeader):
        header.seal([c.signature, c.signature])


def test_a_card_that_cant_be_played_is_refused_before_anything_is_signed() -> None:
    assert playable(card()).seats == 2
    for changes in ({"game": "poker"}, {"options": ()}, {"seats": 60}):
        with pytest.raises(LobbyError, match="can't be joined"):
            playable(card(**changes))
