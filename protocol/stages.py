"""What a match is doing and what completes a step: the words that `position` and `rounds` share.

Law: plain types and the one agreement that isn't the game's (after how many hands to stop).
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

from protocol.contribution import MAX_SEATS, Contribution, Kind
from protocol.errors import InvalidHeader
from protocol.header import Header

HANDS_EXTENSION = "hands"
"""Header extension: the number of hands after which the match is closed by agreement."""
PATIENCE_EXTENSION = "patience"
"""Header extension: seconds that the table waits for somebody who is away before it is asked."""
TIMER_EXTENSION = "timer"
"""Header extension: seconds for a turn, after which the table is asked what to do."""
DEALER_EXTENSION = "dealer"
"""Header extension: the seat that deals the first hand, counted from 1; without it the draw says.
A rematch agrees on it where the game's rules name the first dealer of one."""
AGREEMENTS = {
    DEALER_EXTENSION: (1, MAX_SEATS),
    HANDS_EXTENSION: (1, 10_000),
    PATIENCE_EXTENSION: (1, 86_400),
    TIMER_EXTENSION: (1, 86_400),
}
"""What a table may agree on besides the game's options: the least and the greatest value."""


class Stage(enum.Enum):
    """Which part of a match is under way; the module's table says what each demands."""

    FLIP_COMMIT = enum.auto()
    FLIP_REVEAL = enum.auto()
    PLAY = enum.auto()
    CHECKPOINT = enum.auto()
    FOOTER = enum.auto()
    CLOSED = enum.auto()


@dataclass(frozen=True, slots=True)
class Due:
    """Whose contributions complete the step, all of one kind; seats ascending."""

    kind: Kind
    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """A contribution that is right at its Position, with what its check has worked out."""

    contribution: Contribution
    found: Any = None


@dataclass(frozen=True, slots=True)
class Broken:
    """A promise that the cards refuted: by whom, in which step it was made."""

    seat: int
    step: int
    rule: str
    text: str


def agreements(header: Header) -> dict[str, int]:
    """What the table agreed on besides the game's options; InvalidHeader."""
    found: dict[str, int] = {}
    for name, value in header.extensions:
        if name not in AGREEMENTS:
            raise InvalidHeader(f"an extension '{name}' that this program doesn't know")
        low, high = AGREEMENTS[name]
        if type(value) is not int or not low <= value <= high:
            raise InvalidHeader(f"'{name}' must be agreed to be from {low} to {high}")
        found[name] = value
    if found.get(DEALER_EXTENSION, 0) > len(header.seats):
        raise InvalidHeader("the agreed first dealer is nobody's seat")
    return found


def first_dealer(header: Header) -> int | None:
    """The seat that was agreed to deal first, None where a draw decides; InvalidHeader."""
    number = agreements(header).get(DEALER_EXTENSION)
    return None if number is None else number - 1


def hands_limit(header: Header) -> int:
    """After how many hands the table agreed to close the match, 0 for none; InvalidHeader."""
    return agreements(header).get(HANDS_EXTENSION, 0)
