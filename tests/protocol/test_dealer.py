"""The first dealer that a rematch agrees on: the flip still seats, the drawn chair is that seat's.

Harm would be that the agreement changes who sits beside whom, or that it can name nobody.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from engine import registry
from engine.options import items, make
from protocol import flip as flips
from protocol.contribution import Contribution, Kind, Place, statement
from protocol.errors import InvalidHeader
from protocol.header import Header, Seat
from protocol.identity import Identity
from protocol.position import Position, first_position
from protocol.stages import agreements, first_dealer
from tests.protocol.groups import FAST
from tests.protocol.ring import identities
from tests.protocol.samples import header

GAMES = ("picchetto", "briscola", "petrangola")


def opening(game: str, dealer: int | None, secrets: bytes) -> Position:
    """The position after the first flip of a match of two in which those secrets came out."""
    played = registry.get(game)
    options: Any = make(played.options_type, played.presets[played.default_preset])
    keys = identities(2)
    terms = Header(
        game=game,
        rules=played.version,
        options=tuple(sorted(items(options))),
        created=0,
        seats=tuple(Seat(n, k.public, bytes(16)) for n, k in zip("AB", keys, strict=True)),
        extensions=() if dealer is None else (("dealer", dealer + 1),),
    )
    payload = terms.seal([terms.sign(key) for key in keys]).payload
    position = first_position(terms, payload, FAST)
    for kind in (Kind.FLIP_COMMIT, Kind.FLIP_REVEAL):
        place, checked = position.place, []
        for seat, secret in enumerate((secrets, secrets[::-1])):
            body = secret
            if kind is Kind.FLIP_COMMIT:
                body = flips.commitment(place.match, seat, place.head, secret)
            c = Contribution(seat, kind, body, position.digest, b"")
            checked.append(position.check(sign(keys[seat], place, c)))
        _, position = position.advance(checked)
    return position


def sign(identity: Identity, place: Place, c: Contribution) -> Contribution:
    return replace(c, signature=identity.sign(statement(place, c)))


def dealing(position: Position) -> int:
    """The seat that deals the first hand."""
    note = next(n for n in position.state.notes if n.kind == "deals")
    return position.order[note.seat]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("dealer", [0, 1])
def test_the_agreed_seat_deals_first_whatever_the_flip_says(game: str, dealer: int) -> None:
    drawn = set()
    for number in range(6):
        secrets = bytes([number]) * 31 + b"x"
        drawn.add(dealing(opening(game, None, secrets)))
        assert dealing(opening(game, dealer, secrets)) == dealer
    assert drawn == {0, 1}, "without it the draw decides"


def test_it_must_be_a_seat() -> None:
    good = header()
    for value, fine in ((1, True), (len(good.seats), True), (len(good.seats) + 1, False)):
        terms = replace(good, extensions=(("dealer", value),))
        if fine:
            assert first_dealer(terms) == value - 1
        else:
            with pytest.raises(InvalidHeader, match="nobody's seat"):
                agreements(terms)
    beyond: tuple[int | str, ...] = (0, "1", 65)
    for wrong in beyond:
        with pytest.raises(InvalidHeader):
            first_dealer(replace(good, extensions=(("dealer", wrong),)))
    assert first_dealer(good) is None
