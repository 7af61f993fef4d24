"""A table's code: only who knows it gets in, and nobody learns it from what is sent."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from node.code import (
    FAILURES_A_TABLE,
    FAILURES_AN_ADDRESS,
    LOCKED_FOR,
    BadCode,
    CodeGuard,
    _Exchange,
    _Terms,
    new_code,
    read_code,
    show_at_door,
    show_code,
)
from node.door import Caller, Door, DoorLimits
from node.errors import NotATable, TurnedAway
from node.invitation import DIGITS
from protocol.messages import (
    CodeHello,
    CodeProof,
    CodeReply,
    Hello,
    Message,
    Reason,
    Refusal,
)
from protocol.wire import WireError, encode
from tests.node.test_lobby import GUEST, OTHER, TABLE, card, hello

CODE = "K7F29QXM"
LOOPBACK = "127.0.0.1"
CARD = card(code=True)
OWN = encode(hello(GUEST, "Bruno"))


@dataclass
class Table:
    """The door's side of a coded table, and what it did."""

    admitted: list[Hello] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)
    now: float = 1_000.0
    refusal: Reason | None = None
    guard: CodeGuard = field(init=False)

    def __post_init__(self) -> None:
        seeded = random.Random(5)
        self.guard = CodeGuard(
            CARD,
            CODE,
            may_enter=lambda _: self.refusal,
            admit=self.admitted.append,
            renewed=self.codes.append,
            clock=lambda: self.now,
            random=seeded.randbytes,
        )

    def visit(
        self, code: str, data: bytes = OWN, host: str = "10.0.0.7", seed: int = 1
    ) -> Message | None:
        """One whole visit with that code; the last answer."""
        visit = object()
        exchange = _Exchange(code, TABLE, random.Random(seed).randbytes)
        reply = self.guard.answer(CodeHello(data, exchange.message), host, visit)
        if not isinstance(reply, CodeReply):
            return reply
        key = exchange.key(reply.pake)
        ours, theirs = terms().proofs(key, data, exchange.message, reply.pake)
        answer = self.guard.answer(CodeProof(ours), host, visit)
        self.guard.gone(visit)
        if isinstance(answer, CodeProof):
            assert answer.proof == theirs
        return answer


def terms(**changes: Any) -> _Terms:
    return replace(_Terms(CARD.table, CARD.key, CARD.curve), **changes)


@contextmanager
def open_door(table: Table) -> Iterator[Door]:
    limits = DoorLimits(visits_a_second=1000, visit_burst=1000)
    with Door(lambda: CARD, guard=table.guard, host=LOOPBACK, limits=limits) as door:
        yield door


def test_who_knows_the_code_is_let_in_over_a_real_door() -> None:
    table = Table()
    with open_door(table) as door:
        show_at_door(LOOPBACK, door.port, card=CARD, hello=OWN, code=CODE)
    assert [h.key for h in table.admitted] == [GUEST.public]


def test_who_does_not_is_told_so_and_not_let_in() -> None:
    table = Table()
    with open_door(table) as door, pytest.raises(TurnedAway, match="not the table's code"):
        show_at_door(LOOPBACK, door.port, card=CARD, hello=OWN, code="K7F29QXN")
    assert table.admitted == []
    assert table.guard.failures == 1


def test_a_door_without_a_code_hangs_up() -> None:
    with Door(lambda: CARD, host=LOOPBACK) as door, pytest.raises(NotATable):
        show_at_door(LOOPBACK, door.port, card=CARD, hello=OWN, code=CODE)


def test_a_replayed_visit_does_not_get_in() -> None:
    """The door's own part is new each time, so another's octets prove nothing."""
    table = Table()
    exchange = _Exchange(CODE, TABLE, random.Random(1).randbytes)
    first, again = object(), object()
    opening = CodeHello(OWN, exchange.message)
    reply = table.guard.answer(opening, "10.0.0.7", first)
    assert isinstance(reply, CodeReply)
    ours, _ = terms().proofs(exchange.key(reply.pake), OWN, exchange.message, reply.pake)
    assert isinstance(table.guard.answer(CodeProof(ours), "10.0.0.7", first), CodeProof)
    table.guard.gone(first)
    other = table.guard.answer(opening, "10.0.0.9", again)
    assert isinstance(other, CodeReply)
    assert other.pake != reply.pake
    answer = table.guard.answer(CodeProof(ours), "10.0.0.9", again)
    assert answer == Refusal(Reason.WRONG_CODE)
    assert len(table.admitted) == 1


@pytest.mark.parametrize(
    "changed",
    [
        terms(table=b"1" * 16),
        terms(host=OTHER.public),
        terms(curve=bytes(32)),
    ],
)
def test_both_confirm_over_the_table_and_the_hosts_keys(changed: _Terms) -> None:
    key, parts = b"k" * 32, (OWN, b"g" * 33, b"d" * 33)
    assert set(changed.proofs(key, *parts)).isdisjoint(terms().proofs(key, *parts))


def test_both_confirm_over_all_that_the_visitor_says_of_itself() -> None:
    key, parts = b"k" * 32, (b"g" * 33, b"d" * 33)
    others = [
        hello(OTHER, "Bruno"),
        hello(GUEST, "Bruno", curve=bytes(32)),
        hello(GUEST, "Brunx"),
        hello(GUEST, "Bruno", table=b"1" * 16),
    ]
    proofs = {terms().proofs(key, encode(h), *parts) for h in others}
    proofs.add(terms().proofs(key, OWN, *parts))
    assert len(proofs) == len(others) + 1


def test_an_introduction_that_is_swapped_on_the_way_does_not_get_in() -> None:
    """Somebody in between passes the exchange on and puts its own HELLO in."""
    table = Table()
    visit = object()
    exchange = _Exchange(CODE, TABLE, random.Random(1).randbytes)
    swapped = encode(hello(OTHER, "Eve"))
    reply = table.guard.answer(CodeHello(swapped, exchange.message), "10.0.0.7", visit)
    assert isinstance(reply, CodeReply)
    ours, _ = terms().proofs(exchange.key(reply.pake), OWN, exchange.message, reply.pake)
    answer = table.guard.answer(CodeProof(ours), "10.0.0.7", visit)
    assert answer == Refusal(Reason.WRONG_CODE)
    assert table.admitted == []


def test_the_code_of_another_table_is_worthless() -> None:
    """The exchange is bound to the table: the same code elsewhere gives another key."""
    here, there = (
        _Exchange(CODE, t, random.Random(n).randbytes) for n, t in enumerate((b"a", b"b"))
    )
    assert here.key(there.message) != there.key(here.message)


def test_no_guess_can_be_told_from_the_code_by_what_was_sent() -> None:
    """Whoever saw or answered a whole visit tries every code on it: none fits, the right one
    neither, since a key takes one side's secret besides."""
    secret = itertools.count(7)
    guest = _Exchange("00000000", TABLE, random.Random(next(secret)).randbytes)
    door = _Exchange("00000000", TABLE, random.Random(next(secret)).randbytes)
    key = guest.key(door.message)
    seen = terms().proofs(key, OWN, guest.message, door.message)
    for guess in ["00000000", *(f"0000000{digit}" for digit in "123456789")]:
        for mine, theirs in ((guest.message, door.message), (door.message, guest.message)):
            tried = _Exchange(guess, TABLE, random.Random(99).randbytes).key(theirs)
            assert terms().proofs(tried, OWN, mine, theirs) != seen


def test_an_impostor_at_the_door_learns_nothing_before_it_proves_itself() -> None:
    """The door's proof is checked: somebody who only knows the card isn't believed."""

    class Impostor(CodeGuard):
        def answer(self, message: Message, host: str, visit: object) -> Message | None:
            if isinstance(message, CodeProof):
                return CodeProof(bytes(32))
            return super().answer(message, host, visit)

    guard = Impostor(CARD, CODE, lambda _: None, lambda _: None, lambda _: None)
    door = Door(lambda: CARD, guard=guard, host=LOOPBACK)
    with door, pytest.raises(NotATable, match="doesn't know"):
        show_at_door(LOOPBACK, door.port, card=CARD, hello=OWN, code=CODE)


def test_three_failures_shut_an_address_out_for_a_minute() -> None:
    table = Table()
    for _ in range(FAILURES_AN_ADDRESS):
        assert table.visit("00000000") == Refusal(Reason.WRONG_CODE)
    assert table.visit(CODE) == Refusal(Reason.LOCKED), "even with the right code"
    assert isinstance(table.visit(CODE, host="10.0.0.8"), CodeProof), "others are let in"
    table.now += LOCKED_FOR - 0.5
    assert table.visit(CODE) == Refusal(Reason.LOCKED)
    table.now += 0.5
    assert isinstance(table.visit(CODE), CodeProof)


def test_visits_side_by_side_are_guesses_one_by_one() -> None:
    """Many connections are opened before the first guess fails: the later ones aren't looked at."""
    table = Table()
    visits = []
    for seed in range(8):
        exchange = _Exchange(CODE, TABLE, random.Random(seed).randbytes)
        visit = object()
        reply = table.guard.answer(CodeHello(OWN, exchange.message), "10.0.0.7", visit)
        assert isinstance(reply, CodeReply)
        proof = terms().proofs(exchange.key(reply.pake), OWN, exchange.message, reply.pake)[0]
        visits.append((visit, proof))
    wrong = [table.guard.answer(CodeProof(bytes(32)), "10.0.0.7", v) for v, _ in visits[:3]]
    assert wrong == [Refusal(Reason.WRONG_CODE)] * 3
    visit, proof = visits[3]
    assert table.guard.answer(CodeProof(proof), "10.0.0.7", visit) == Refusal(Reason.LOCKED)
    assert table.admitted == []


def test_a_visit_is_one_guess() -> None:
    table = Table()
    visit = object()
    exchange = _Exchange("00000000", TABLE, random.Random(1).randbytes)
    opening = CodeHello(OWN, exchange.message)
    assert isinstance(table.guard.answer(opening, "10.0.0.7", visit), CodeReply)
    assert table.guard.answer(opening, "10.0.0.7", visit) is None
    assert table.guard.answer(CodeProof(bytes(32)), "10.0.0.7", visit) == Refusal(Reason.WRONG_CODE)
    assert table.guard.answer(CodeProof(bytes(32)), "10.0.0.7", visit) is None
    assert table.guard.failures == 1


def test_a_proof_without_an_exchange_is_hung_up_on() -> None:
    assert Table().guard.answer(CodeProof(bytes(32)), "10.0.0.7", object()) is None


def test_ten_failures_give_the_table_another_code() -> None:
    table = Table()
    for number in range(FAILURES_A_TABLE):
        assert table.codes == []
        table.visit("00000000", host=f"10.0.1.{number}")
    (code,) = table.codes
    assert code != CODE
    assert read_code(code) == code
    assert table.visit(CODE) == Refusal(Reason.WRONG_CODE)
    assert isinstance(table.visit(code), CodeProof)


def test_an_exchange_begun_under_the_old_code_is_not_finished_under_the_new_one() -> None:
    table = Table()
    visit = object()
    exchange = _Exchange(CODE, TABLE, random.Random(1).randbytes)
    reply = table.guard.answer(CodeHello(OWN, exchange.message), "10.0.0.7", visit)
    assert isinstance(reply, CodeReply)
    for number in range(FAILURES_A_TABLE):
        table.visit("00000000", host=f"10.0.1.{number}")
    proof = terms().proofs(exchange.key(reply.pake), OWN, exchange.message, reply.pake)[0]
    answer = table.guard.answer(CodeProof(proof), "10.0.0.7", visit)
    assert answer == Refusal(Reason.WRONG_CODE)


@pytest.mark.parametrize("reason", [Reason.FULL, Reason.REMOVED, Reason.NO_WATCHERS])
def test_who_may_not_come_in_is_told_before_it_tries(reason: Reason) -> None:
    table = Table(refusal=reason)
    assert table.visit(CODE) == Refusal(reason)
    assert table.admitted == []


def test_the_last_seat_may_be_taken_while_the_code_is_shown() -> None:
    table = Table()
    visit = object()
    exchange = _Exchange(CODE, TABLE, random.Random(1).randbytes)
    reply = table.guard.answer(CodeHello(OWN, exchange.message), "10.0.0.7", visit)
    assert isinstance(reply, CodeReply)
    table.refusal = Reason.FULL
    proof = terms().proofs(exchange.key(reply.pake), OWN, exchange.message, reply.pake)[0]
    assert table.guard.answer(CodeProof(proof), "10.0.0.7", visit) == Refusal(Reason.FULL)
    assert table.admitted == []


POINTLESS = {
    "the neutral point": b"S\x01" + bytes(31),
    "the zero of the library": b"S" + b"\x01" + bytes(31),
    "another side": b"A" + _Exchange(CODE, TABLE, random.Random(2).randbytes).message[1:],
    "off the curve": b"S\x02" + bytes(31),
    "order two": b"S" + bytes.fromhex("ec" + "ff" * 30 + "7f"),
    "order eight": b"S"
    + bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
}


@pytest.mark.parametrize("name", POINTLESS)
def test_what_is_no_point_of_the_group_is_refused(name: str) -> None:
    with pytest.raises(WireError, match="not an exchange"):
        Table().guard.answer(CodeHello(OWN, POINTLESS[name]), "10.0.0.7", object())


@given(st.binary(min_size=33, max_size=33))
def test_any_octets_are_an_exchange_or_a_wire_error(octets: bytes) -> None:
    try:
        Table().guard.answer(CodeHello(OWN, octets), "10.0.0.7", object())
    except WireError:
        return


def test_a_reflected_message_is_no_exchange() -> None:
    mine = _Exchange(CODE, TABLE, random.Random(1).randbytes)
    with pytest.raises(ValueError, match="not a message"):
        mine.key(mine.message)


def test_an_introduction_that_is_forged_is_hung_up_on() -> None:
    forged = encode(replace(hello(GUEST, "Bruno"), name="Eve"))
    table = Table()
    with open_door(table) as door, Caller(LOOPBACK, door.port, 5) as caller:
        message = _Exchange(CODE, TABLE, random.Random(1).randbytes).message
        with pytest.raises(NotATable, match="hung up"):
            caller.ask(CodeHello(forged, message))


@pytest.mark.parametrize("typed", ["k7f2-9qxm", "K7F2 9QXM", "k7f29qxm", "K-7-F-2-9-Q-X-M"])
def test_a_code_is_read_as_people_type_it(typed: str) -> None:
    assert read_code(typed) == CODE


def test_letters_that_look_like_digits_are_digits() -> None:
    assert read_code("oOiIlL01") == "00111101"
    assert show_code(CODE) == "K7F2-9QXM"


@pytest.mark.parametrize("typed", ["", "K7F29QX", "K7F29QXMM", "K7F29QXU", "K7F29QX!", "é" * 8])
def test_what_is_no_code_is_told_so(typed: str) -> None:
    with pytest.raises(BadCode, match="8 letters and digits"):
        read_code(typed)


def test_a_new_code_uses_every_digit_alike() -> None:
    octets = iter(range(256))
    every = [new_code(lambda n: bytes(itertools.islice(octets, n))) for _ in range(32)]
    counts = {digit: "".join(every).count(digit) for digit in DIGITS}
    assert set(counts.values()) == {8}


def test_addresses_are_remembered_in_a_bounded_number() -> None:
    table = Table()
    for number in range(600):
        table.guard._failed(f"10.1.{number // 256}.{number % 256}")
    assert len(table.guard._tries) <= 512
