"""What cards are worth in Briscola: decks, points, what takes what (BRI-01, BRI-02, BRI-06).

Law: this file knows faces and the options. It must never know slots, turns or whose cards they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final

from engine import options as house
from engine.cards import ITALIAN, Deck, DeckKind
from engine.contract import Detail, Scored
from engine.errors import NotationError
from engine.options import number

MIN_SEATS: Final = 2
MAX_SEATS: Final = 4
HAND: Final = 3
_ORDER = "24567FCR3A"
_POINTS = {"A": 11, "3": 10, "R": 4, "C": 3, "F": 2}


class _LessOne(DeckKind):
    """A deck without the last card of its printed order, so that suits keep their arithmetic."""

    __slots__ = ()

    def __post_init__(self) -> None:
        DeckKind.__post_init__(self)
        object.__setattr__(self, "_texts", self._texts[:-1])
        object.__setattr__(self, "_faces", {text: face for face, text in enumerate(self._texts)})


def _last(names: tuple[str, ...], at: int) -> tuple[str, ...]:
    return (*names[:at], *names[at + 1 :], names[at])


WITHOUT_2C: Final = _LessOne(
    "italian-39",
    "A34567FCR2",
    "dsbc",
    _last(ITALIAN.rank_names, ITALIAN.ranks.index("2")),
    _last(ITALIAN.suit_names, ITALIAN.suits.index("c")),
)
"""BRI-02: the Italian deck without the 2 of coppe, for three."""
RANKS: Final = 10


@dataclass(frozen=True, slots=True)
class BriscolaOptions:
    """The house rules; rules/briscola.md explains them."""

    games: int = number(3, 1, 21, "BRI-10")

    def __post_init__(self) -> None:
        house.check(self)


@dataclass(frozen=True, slots=True)
class Cardset:
    """A deck with what its faces are worth: octets indexed by face."""

    deck: Deck
    strength: bytes
    points: bytes


def _cardset(kind: DeckKind) -> Cardset:
    ranks = [kind.ranks[kind.rank(face)] for face in range(kind.size)]
    strength = bytes(_ORDER.index(rank) for rank in ranks)
    return Cardset(Deck(kind), strength, bytes(_POINTS.get(rank, 0) for rank in ranks))


FULL: Final = _cardset(ITALIAN)
CARDSETS: Final = {2: FULL, 3: _cardset(WITHOUT_2C), 4: FULL}
ALL_POINTS: Final = sum(FULL.points)


@cache  # two decks of four suits each
def beats(players: int, trump: int) -> tuple[bytes, ...]:
    """beats[best][face]: `face` takes the trick from `best` (BRI-06); beats[NOTHING][face]: what
    is led takes it for the time being. `trump` is a suit of the deck for so many players."""
    strength = CARDSETS[players].strength
    size = len(strength)

    def wins(face: int, best: int) -> bool:
        if face // RANKS == best // RANKS:
            return strength[face] > strength[best]
        return face // RANKS == trump

    rows = [bytes(wins(face, best) for face in range(size)) for best in range(size)]
    return (*rows, bytes((True,)) * size)


def score(hands: Sequence[str]) -> tuple[Scored, ...]:
    """The points of piles of cards (BRI-01), no card twice; the most points rank first."""
    piles = [ITALIAN.split(hand) for hand in hands]
    if not all(piles):
        raise NotationError("a pile is one card at least, as in Ac 3d")
    together = [face for pile in piles for face in pile]
    for face in together:
        if together.count(face) > 1:
            raise NotationError(f"{ITALIAN.text(face)} is there more than once")
    sums = [sum(FULL.points[face] for face in pile) for pile in piles]
    return tuple(
        Scored(hand, "points", points, 1 + sum(other > points for other in sums))
        for hand, points in zip(hands, sums, strict=True)
    )


def tally(cards: Cardset, faces: Iterable[int]) -> tuple[Detail, ...]:
    """What taken cards bring, rank by rank (BRI-01)."""
    kind, points = cards.deck.kind, cards.points
    found: dict[int, list[int]] = {}
    for face in sorted(faces):
        if face < len(points) and points[face]:
            found.setdefault(points[face], []).append(face)
    return tuple(
        Detail(kind.ranks[kind.rank(own[0])], kind.join(own), worth * len(own))
        for worth, own in sorted(found.items(), reverse=True)
    )
