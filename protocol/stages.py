"""What a match is doing and what completes a step: the words that `position` and `rounds` share.

Law: plain types and the one agreement that isn't the game's (after how many hands to stop).
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

from protocol.contribution import Contribution, Kind
from protocol.errors import InvalidHeader
from protocol.header import Header

HANDS_EXTENSION = "hands"
"""Header extension: the number of hands after which the match is closed by agreement."""


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


def hands_limit(header: Header) -> int:
    """After how many hands the table agreed to close the match, 0 for none; InvalidHeader."""
    limit = 0
    for name, value in header.extensions:
        if name != HANDS_EXTENSION:
            raise InvalidHeader(f"an extension '{name}' that this program doesn't know")
        if type(value) is not int or not 1 <= value <= 10_000:
            raise InvalidHeader("the agreed number of hands must be from 1 to 10000")
        limit = value
    return limit
