"""Positions of an open hand of Picchetto that store some of their fields.

Law: this file knows how a short position gets at what it doesn't store, and how it may end a
match. It must never know what is stored (picchetto_forms, picchetto_tricks).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from engine.contract import Input, Move, Over, Turn
from engine.games import picchetto_match
from engine.games.picchetto_frame import Deal
from engine.games.picchetto_position import FIELDS
from engine.games.picchetto_state import PicchettoState


class Short(PicchettoState):
    """Every card is known, and nothing is made that the next move doesn't need. What led to the
    position is kept, so that a Whole, which is given the same inputs once more, tells the rest when
    somebody asks."""

    __slots__ = ("_whole",)

    @abstractmethod
    def _begun(self) -> tuple[PicchettoState, list[Input]]:
        """A whole position before this one, and the inputs that led from it to this one, the last
        one first."""

    def whole_of(self) -> PicchettoState:
        """The same position with every field."""
        found: PicchettoState | None = getattr(self, "_whole", None)
        if found is None:
            found, inputs = self._begun()
            for given in reversed(inputs):
                found = PicchettoState.apply(found, given)
            self._whole = found
        return found


class Ended(Short):
    """`given` in the position `before` ended the match."""

    __slots__ = ("before", "due", "given")
    before: Short
    given: Input

    def turn(self) -> Turn:
        return self.due

    def legal(self, _: int | None = None) -> Sequence[Move]:
        return ()

    def apply(self, given: Input) -> PicchettoState:
        return self.whole_of().apply(given)

    def _begun(self) -> tuple[PicchettoState, list[Input]]:
        return self.before.whole_of(), [self.given]


def ended(before: Short, given: Input, deal: Deal, points: tuple[int, int]) -> PicchettoState:
    """After `given`, which ends the deal with these points of the elder and the younger."""
    match = picchetto_match.settle(deal.match, points if deal.dealer else points[::-1])
    if not match.ended:
        return before.whole_of().apply(given)
    new = Ended()
    new.before = before
    new.given = given
    new.due = Over(match.result())
    return new


def _from_whole(name: str) -> Callable[[Short], object]:
    return lambda self: getattr(self.whole_of(), name)


def tells(short: type[Short], cheap: Mapping[str, Callable[[Any], object]]) -> None:
    """Let this class tell the fields that it doesn't store, `cheap` ones without a Whole."""
    for name in set(FIELDS) - set(short.__dict__):
        setattr(short, name, property(cheap.get(name) or _from_whole(name)))
