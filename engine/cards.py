"""Cards: what is printed on them, and their text form.

Law: this file knows faces and decks, no game. A **face** is a small integer, suit-major: face =
suit * len(ranks) + rank. A **slot** is a place in the dealt deck, 0 the top; which face lies in a
slot may be unknown (`UNKNOWN`). Several decks may be shuffled into one (`CARD-04`): the physical
card p shows the face p mod `DeckKind.size`.

    >>> ITALIAN.text(ITALIAN.parse("Rd"))
    'Rd'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from engine.errors import NotationError

UNKNOWN = 255
"""The face of a slot that has not been seen; also the octet that stands for it in `bytes`."""


@dataclass(frozen=True, slots=True)
class DeckKind:
    """A kind of deck: one letter a rank, lowest first in the printed order, one a suit."""

    name: str
    ranks: str
    suits: str
    rank_names: tuple[str, ...]
    suit_names: tuple[str, ...]
    _faces: dict[str, int] = field(init=False, repr=False, compare=False, hash=False)
    _texts: tuple[str, ...] = field(init=False, repr=False, compare=False, hash=False)

    def __post_init__(self) -> None:
        texts = tuple(rank + suit for suit in self.suits for rank in self.ranks)
        object.__setattr__(self, "_texts", texts)
        object.__setattr__(self, "_faces", {text: face for face, text in enumerate(texts)})

    @property
    def size(self) -> int:
        """Number of different faces."""
        return len(self._texts)

    def suit(self, face: int) -> int:
        """Index into `suits`."""
        return face // len(self.ranks)

    def rank(self, face: int) -> int:
        """Index into `ranks`."""
        return face % len(self.ranks)

    def text(self, face: int) -> str:
        """`Rd`; `??` for a card that isn't known (which `parse` refuses)."""
        return "??" if face == UNKNOWN else self._texts[face]

    def parse(self, text: str) -> int:
        """The face written `text`, exactly as `CARD-05` writes it; else NotationError."""
        face = self._faces.get(text)
        if face is None:
            raise NotationError(
                f"'{text[:20]}' is no card of the {self.name} deck: a card is a rank of "
                f"{self.ranks} and a suit of {self.suits}, as in {self._texts[-1]}"
            )
        return face

    def join(self, faces: Iterable[int]) -> str:
        """Cards with one space between."""
        return " ".join(self.text(face) for face in faces)

    def split(self, text: str) -> tuple[int, ...]:
        """The faces of a list of cards with blanks between; else NotationError."""
        return tuple(self.parse(word) for word in text.split())


ITALIAN = DeckKind(
    "italian",
    "A234567FCR",
    "cdsb",
    ("asso", "due", "tre", "quattro", "cinque", "sei", "sette", "fante", "cavallo", "re"),
    ("coppe", "denari", "spade", "bastoni"),
)
"""CARD-01: forty cards; no 8, 9, 10, so that the 7 is next below the fante."""

FRENCH32 = DeckKind(
    "french",
    "789TJQKA",
    "hdcs",
    ("seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"),
    ("hearts", "diamonds", "clubs", "spades"),
)
"""CARD-02: thirty-two cards."""

REGIONAL32 = DeckKind(
    "regional",
    "A4567FCR",
    "cdsb",
    ("asso", "quattro", "cinque", "sei", "sette", "fante", "cavallo", "re"),
    ("coppe", "denari", "spade", "bastoni"),
)
"""CARD-03: the Italian deck without the 2s and the 3s."""

DECK_KINDS = {kind.name: kind for kind in (ITALIAN, FRENCH32, REGIONAL32)}


@dataclass(frozen=True, slots=True)
class Deck:
    """`copies` decks of one kind shuffled into one."""

    kind: DeckKind
    copies: int = 1
    size: int = field(init=False, repr=False, compare=False)
    """Number of cards, which is the number of slots."""
    _ordered: list[int] = field(init=False, repr=False, compare=False)
    _each: bytes = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        ordered = [face for face in range(self.kind.size) for _ in range(self.copies)]
        object.__setattr__(self, "size", len(ordered))
        object.__setattr__(self, "_ordered", ordered)
        object.__setattr__(self, "_each", bytes(range(self.kind.size)))

    def face(self, physical: int) -> int:
        """The face of physical card `physical`, 0 <= physical < size."""
        return physical % self.kind.size

    def check(self, faces: Sequence[int]) -> None:
        """Raise NotationError unless `faces` holds each card as often as the deck does."""
        if type(faces) is bytes and len(faces) == len(self._each) == self.size:
            if not self._each.translate(None, faces):  # less the faces that are there
                return
        elif sorted(faces) == self._ordered:
            return
        if len(faces) != self.size:
            raise NotationError(f"the deck has {self.size} cards, not {len(faces)}")
        counts = [0] * self.kind.size
        for face in faces:
            if not 0 <= face < self.kind.size:
                raise NotationError(f"{face} is no face of the {self.kind.name} deck")
            counts[face] += 1
        for face, count in enumerate(counts):
            if count != self.copies:
                card = self.kind.text(face)
                raise NotationError(f"{card} is {count} times in the deck, not {self.copies}")
