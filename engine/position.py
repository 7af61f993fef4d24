"""What the positions of all games have in common: cards that come out, seats that leave, notes.

Law: this file knows decks, slots and what the contract asks for. It must never know a rule of one
game, nor when something is due.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from operator import attrgetter
from typing import Any, ClassVar, Final, Self

from engine.cards import UNKNOWN
from engine.contract import Cards, Leave, Note, Open, Over, Public, Seen, State, Turn
from engine.errors import OutOfTurn

new_blank: Final = object.__new__
"""A position without fields, for whoever sets them all."""
new_tuple: Final = tuple.__new__
"""A NamedTuple of all its fields in order, at half the price of calling its class."""


class Dealt(State):
    """A position that keeps what is due in the field `due`."""

    __slots__ = ()
    due: Turn

    def turn(self) -> Turn:
        return self.due

    def _end(self) -> Public:
        """How the match ended, for `public`; () while it goes on."""
        return self.due.result.public() if isinstance(self.due, Over) else ()

    def _table(self) -> Public:
        """The cards that lie open, for `public`."""
        opened = self.opened
        return tuple((slot, face) for slot, face in enumerate(self.faces) if opened >> slot & 1)

    def _broken(self) -> Public:
        """The breaches, for `public`."""
        return tuple((b.promise.seat, b.promise.rule, b.promise.move) for b in self.breaches)

    def _promised(self) -> Public:
        """The promises, for `public`."""
        return tuple((p.seat, p.rule, p.slots, p.move) for p in self.promises)

    def _order(self) -> list[int]:
        """Indices into `players`, by ascending seat."""
        return sorted(range(len(self.players)), key=self.players.__getitem__)

    def _shown_by(self, given: Seen) -> bytes:
        """The faces, with those that the due Open requests showed; OutOfTurn if `given` has more
        or fewer, ValueError if one can't be: that is a fault of whoever opened them."""
        slots = open_slots(self.due)
        if len(given.faces) != len(slots):
            raise OutOfTurn(f"{len(slots)} faces are due, not {len(given.faces)}")
        faces = bytearray(self.faces)
        size = self.deck.kind.size
        for slot, face in zip(slots, given.faces, strict=True):
            if not 0 <= face < size or faces[slot] not in (face, UNKNOWN):
                raise ValueError(f"slot {slot} can't show the face {face}")
            faces[slot] = face
        return bytes(faces)

    def _checked(self, faces: Sequence[int]) -> bytes:
        """`faces` if they are the deck; else NotationError, which says what is wrong."""
        self.deck.check(faces)
        return bytes(faces)

    def _agree(self, faces: bytes) -> None:
        """ValueError unless the whole deck, as it lies now, agrees with every card known so far:
        whoever opened or dealt them had to see to that, so it is no player's fault."""
        for slot, face in enumerate(self.faces):
            if face not in (faces[slot], UNKNOWN):
                raise ValueError(f"slot {slot} was opened as {face} and is revealed otherwise")

    def _gone(self, given: Leave) -> set[int]:
        """The seats that leave; OutOfTurn unless they are different seats of this match."""
        gone = set(given.seats)
        if not gone or len(gone) != len(given.seats) or not gone <= set(range(self.seats)):
            raise OutOfTurn(f"{given.seats} aren't different seats of this match")
        return gone


class Kept:
    """Base of what many positions share, so that a move copies a reference to it and no fields.

    A subclass is a dataclass with slots, not frozen, since that takes several times as long to
    make; nobody changes one: `but` makes another.
    """

    __slots__ = ()
    values: ClassVar[Callable[[Any], tuple[Any, ...]]]

    def but(self, **changes: Any) -> Self:
        """The same with `changes`: what dataclasses.replace does, several times faster."""
        new = type(self)(*type(self).values(self))
        for name, value in changes.items():
            setattr(new, name, value)
        return new


def keeps(kept: type[Kept]) -> tuple[str, ...]:
    """Let `but` work for this dataclass; the names of its fields."""
    names = tuple(kept.__dataclass_fields__)  # type: ignore[attr-defined]  # each is a dataclass
    kept.values = staticmethod(attrgetter(*names))
    return names


def reads_from(position: type[Any], field: str, kept: type[Kept]) -> None:
    """Let each field of `kept` be read from a position that holds one in `field`."""
    for name in keeps(kept):
        setattr(position, name, property(attrgetter(f"{field}.{name}"), _writer(field, name)))


def _writer(field: str, name: str) -> Callable[[Any, Any], None]:
    """For a position that somebody is making: it gets other kept values of its own."""

    def write(position: Any, value: object) -> None:
        setattr(position, field, getattr(position, field).but(**{name: value}))

    return write


OCTETS: Final = tuple(
    tuple(tuple(base + bit for bit in range(8) if octet >> bit & 1) for octet in range(256))
    for base in range(0, 40, 8)
)
"""OCTETS[n][octet]: the slots in octet n of a mask of forty."""
_S0, _S1, _S2, _S3, _S4 = OCTETS


def slots_of(mask: int) -> tuple[int, ...]:
    """The slots in a mask of forty, ascending."""
    return (
        _S0[mask & 255]
        + _S1[mask >> 8 & 255]
        + _S2[mask >> 16 & 255]
        + _S3[mask >> 24 & 255]
        + _S4[mask >> 32 & 255]
    )


@lru_cache(maxsize=1 << 13)
def note(kind: str, seat: int = -1, values: tuple[int, ...] = ()) -> Note:
    """A note, made once for all positions that announce the same."""
    return Note(kind, seat, values)


_blank_kind, _blank_seat, _blank_values = (
    Note.__dict__[name].__set__ for name in ("kind", "seat", "values")
)


def fresh_note(kind: str, seat: int, values: tuple[int, ...]) -> Note:
    """A note with numbers that hardly come again, made without the frozen class's own way, which
    takes twice as long."""
    new = new_blank(Note)
    _blank_kind(new, kind)
    _blank_seat(new, seat)
    _blank_values(new, values)
    return new


def open_slots(due: Turn) -> tuple[int, ...]:
    """The slots that the due requests open, in their order."""
    requests = due.requests if isinstance(due, Cards) else ()
    return tuple(slot for r in requests if isinstance(r, Open) for slot in r.slots)
