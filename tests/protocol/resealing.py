"""A match of Mambassa with many discards, for the tests of reseals, and attacks on its ciphertexts.

    python -m tests.protocol.resealing        play the vector again (only when the log's format or
                                              the rules' version has changed)

Three seats play one hand. Each turn exchanges a card and discards one, now the card that was just
taken openly, now another; the stock of 24 goes round, so that discards are drawn again, and one
turn without a discard lets another seat draw them.
"""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from engine.contract import Move, Reseal, Revealed
from engine.games.mambassa import MambassaState, Phase
from engine.games.mambassa_moves import BOTTOMS, EXCHANGES, KNOCK
from protocol.audit import Moment, moments
from protocol.contribution import Kind
from protocol.deal import Act, Deal, DealSecrets, _card_table
from protocol.group import Point
from protocol.header import SignedHeader, parse_header
from protocol.log import read_log
from protocol.position import Position
from protocol.shuffle import Ciphertext
from protocol.table import YourMove
from tests.protocol.groups import FAST
from tests.protocol.ring import Ring

VECTOR = Path(__file__).parents[1] / "vectors" / "mambassa" / "three-seats.busso"
DISCARDING = 28
"""Turns before the first knock."""
WITHOUT = 5
"""The turn without a discard."""
ONE_FOR_ONE = EXCHANGES[0]
ONE_AND_DISCARD = EXCHANGES[len(EXCHANGES) // 2]


def state_of(position: Position) -> MambassaState:
    state = position.state
    if not isinstance(state, MambassaState):
        raise TypeError("this is a match of another game")
    return state


class Discarders:
    """Chooses for every seat: `discarding` turns with a discard, then knocks."""

    def __init__(self, discarding: int) -> None:
        self.discarding = discarding
        self.taken = 0

    def __call__(self, seat: int, event: YourMove) -> Move | None:
        view = event.view
        if not isinstance(view, MambassaState):
            raise TypeError("this is a match of another game")
        if view.phase is Phase.PLAY:
            self.taken = view.faces[view.monte[0]]
            if view.turns >= self.discarding:
                return KNOCK
            return ONE_FOR_ONE if view.turns == WITHOUT else ONE_AND_DISCARD
        if view.phase is Phase.BOTTOM:
            hand = [view.faces[slot] for slot in view.held[view.at]]
            return BOTTOMS[hand.index(self.taken if view.turns % 2 else min(hand))]
        return view.legal(event.position.chair(seat))[0]


@dataclass(frozen=True)
class Discarded:
    """A discard: the steps of the reseal and of the move, whose it was, where its card went."""

    reseal: Moment
    bottom: Moment
    seat: int
    slot: int
    count: int
    """Reseals of the hand so far, this one included."""


@dataclass(frozen=True)
class Match:
    """The vector, replayed."""

    header: SignedHeader
    payloads: tuple[bytes, ...]
    moments: tuple[Moment, ...]

    @cached_property
    def seeds(self) -> dict[int, bytes]:
        """Every seat's seed, as it was revealed."""
        (reveal,) = (m for m in self.moments if m.step.entries[0].kind is Kind.REVEAL)
        return {c.seat: c.body for c in reveal.step.entries}

    @cached_property
    def told(self) -> Revealed:
        """What the reveal told."""
        return next(m.after.revealed for m in self.moments if m.after.revealed)

    @cached_property
    def discards(self) -> tuple[Discarded, ...]:
        """All of them, in their order."""
        found: list[Discarded] = []
        reseal: Moment | None = None
        for moment in self.moments:
            c = moment.step.entries[0]
            if c.kind is Kind.RESEAL:
                reseal = moment
            elif state_of(moment.before).phase is Phase.BOTTOM and reseal is not None:
                slot = state_of(moment.after).stock[-1]
                found.append(Discarded(reseal, moment, c.seat, slot, len(found) + 1))
        return tuple(found)

    def secrets(self, seat: int) -> DealSecrets:
        """What only `seat` had during the hand."""
        return DealSecrets(self.seeds[seat], seat)

    def key(self, deal: Deal, seat: int) -> int:
        """The secret scalar of `seat`."""
        return self.secrets(seat).key(FAST, deal.terms, deal.head).secret


@cache
def match() -> Match:
    """The vector, its proofs checked."""
    log = read_log(VECTOR.read_bytes())
    signed = parse_header(log.header)
    return Match(signed, log.payloads, tuple(moments(signed, log, FAST)))


def resealed_slots(moment: Moment) -> tuple[int, ...]:
    """The slots that the step of `moment` resealed."""
    turn = moment.before.state.turn()
    request = turn.requests[0]  # type: ignore[union-attr]  # a reseal was due, so it is Cards
    if not isinstance(request, Reseal):
        raise TypeError("no reseal was due")
    return request.slots


def published(deals: Iterable[Deal], slots: Iterable[int] | None = None) -> dict[int, list[Point]]:
    """seat -> every share of it that stands in these deals, for `slots` or for all."""
    found: dict[int, dict[bytes, Point]] = {}
    for deal in deals:
        for slot, given in deal.shares.items():
            if slots is None or slot in slots:
                for seat, share in given.items():
                    found.setdefault(seat, {})[FAST.encode(share)] = share
    return {seat: list(points.values()) for seat, points in found.items()}


def openings(
    deal: Deal, ciphertext: Ciphertext, shares: dict[int, list[Point]], own: dict[int, int]
) -> Iterator[int]:
    """The cards that come out of a ciphertext by one share of each seat, whatever it was made
    for, or by none of it, and by the secret scalars in `own` (seat -> scalar)."""
    kind = deal.terms.deck.kind
    table = _card_table(FAST, kind.name, deal.terms.deck.size)
    rest = ciphertext.b
    for scalar in own.values():
        rest = FAST.sub(rest, FAST.mul(scalar, ciphertext.a))
    choices = [[None, *points] for seat, points in shares.items() if seat not in own]
    for choice in itertools.product(*choices):
        point = rest
        for share in choice:
            if share is not None:
                point = FAST.sub(point, share)
        card = table.get(FAST.encode(point))
        if card is not None:
            yield card


def reseals_before(position: Position) -> int:
    """How many reseals of the hand a position has behind it."""
    return sum(sent.act is Act.RESEAL for sent in position.deal.sent) if position.deal else 0


def play(folder: Path, discarding: int = DISCARDING) -> bytes:
    """The log of a match of three by `Discarders`."""
    ring = Ring(folder, 3, game="mambassa", chooser=Discarders(discarding), group=FAST)
    ring.run()
    ring.close()
    return ring.log()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        VECTOR.write_bytes(play(Path(name)))
