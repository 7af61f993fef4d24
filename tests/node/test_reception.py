"""Whatever a bound peer or a stranger sends: it is taken, counted or struck, and nothing breaks."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from node.carrier import Origin
from node.counters import Counters
from node.events import Event, HelloReceived, Received, Struck
from node.link import Limits, Path, Side
from node.reception import Reception
from node.roster import Roster
from protocol.messages import Get, Hello, Role
from protocol.wire import encode, sign
from tests.node.nodes import HOST, TABLE, identity
from tests.protocol.groups import vectors

GOOD = [bytes.fromhex(vector["hex"]) for vector in vectors("wire/good.json")]
BAD = [bytes.fromhex(vector["hex"]) for vector in vectors("wire/bad.json")]
CURVE, STRANGE = b"c" * 32, b"d" * 32
WHO = identity(3)
HELLO = sign(Hello(b"", CURVE, TABLE, b"s" * 16, "x", Role.SEAT, 9, b"n" * 16), WHO)


class Desk:
    """A reception without a mesh; one peer is bound."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.now = 100.0
        self.events: list[Event] = []
        self.sent: list[tuple[Path, bytes]] = []
        self.counters = Counters()
        self.roster = Roster(identity(1).public, b"o" * 32, self.now, limits or Limits())
        self.reception = Reception(
            self.roster,
            self.counters,
            clock=lambda: self.now,
            table=lambda: TABLE,
            put=self._put,
            emit=self.events.append,
            act=lambda: None,
        )
        self.say(encode(HELLO))
        assert self.events == [HelloReceived(HELLO, (HOST, 9))]
        self.events.clear()

    def _put(self, way: Path, data: bytes) -> bool:
        self.sent.append((way, data))
        return True

    def say(
        self, data: bytes, *, curve: bytes = CURVE, frames: int = 1, ident: bytes = b""
    ) -> None:
        """A message arrives."""
        way = Path(Side.IN, ident or b"\0" + curve[:4])
        self.reception.arrived(Origin(curve, way, HOST), data, frames)


octets = st.binary(max_size=200) | st.sampled_from(GOOD + BAD)


@st.composite
def bent(draw: st.DrawFn) -> bytes:
    """A good message with some octets changed, cut off or put in."""
    data = bytearray(draw(st.sampled_from(GOOD)))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(data)))
        match draw(st.integers(0, 2)):
            case 0 if at < len(data):
                data[at] = draw(st.integers(0, 255))
            case 1:
                del data[at:]
            case _:
                data[at:at] = draw(st.binary(min_size=1, max_size=4))
    return bytes(data)


@given(st.lists(st.tuples(octets | bent(), st.booleans(), st.integers(1, 2)), max_size=30))
def test_whatever_arrives_is_taken_or_struck_and_nothing_breaks(
    messages: list[tuple[bytes, bool, int]],
) -> None:
    desk = Desk()
    for data, bound, frames in messages:
        before = len(desk.events), desk.counters.strikes, len(desk.sent)
        desk.say(data, curve=CURVE if bound else STRANGE, frames=frames)
        new = desk.events[before[0] :]
        assert len(new) <= 1
        strikes = desk.counters.strikes - before[1]
        assert strikes == sum(isinstance(event, Struck) for event in new)
        if frames > 1:
            assert strikes == 1
        for event in new:
            if isinstance(event, Received):
                assert bound
                assert event.key == WHO.public
            elif isinstance(event, HelloReceived):
                assert event.hello.curve == (CURVE if bound else STRANGE)
        assert len(desk.sent) - before[2] <= 1
    assert len(desk.reception.hellos) <= 1


def test_the_vectors_that_no_reader_takes_are_strikes_one_each() -> None:
    desk = Desk(Limits(strikes=len(BAD) + 1))
    for data in BAD:
        desk.say(data)
    assert desk.counters.strikes == len(BAD)
    assert {type(event) for event in desk.events} == {Struck}


def test_a_rate_is_charged_before_anything_is_read() -> None:
    desk = Desk(Limits(messages_a_second=1.0, message_burst=5.0))
    data: Any = encode(Get(bytes(32), 1))
    for _ in range(20):
        desk.say(data)
        desk.say(b"\xff")
    assert len(desk.events) == 5
    assert desk.counters.over_rate == 35
