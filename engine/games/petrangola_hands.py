"""What three cards are worth in Petrangola (PET-30..PET-35).

Law: this file knows three faces and the options that rank hands. It must never know who holds
them, when they were completed or what a fall costs.

    >>> judge(PetrangolaOptions()).value(ITALIAN.split("3c 6c 7d"))
    Value(key=9, kind='points', points=9)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement, permutations, product
from typing import Final

from engine import options as house
from engine.cards import ITALIAN, Deck
from engine.contract import Scored
from engine.errors import NotationError, OptionError
from engine.options import choice, number, switch

MIN_SEATS: Final = 2
MAX_DECKS: Final = 4
_DECKS: Final = tuple(Deck(ITALIAN, copies) for copies in range(1, MAX_DECKS + 1))
HAND: Final = 3
"""Cards in a hand, and in the monte."""
MAX_SEATS: Final = (MAX_DECKS * ITALIAN.size - HAND) // HAND
AUTO: Final = 0
LOWEST_PETRANGOLA: Final = 100
THREE_ACES: Final = 300
_PETRANGULO: Final = 400
"""`Value.key` of the lowest hand of a class; tris and scale lie between the first two."""

_ACE, _TOP_PIP = 0, 6
_SPADE = ITALIAN.suits.index("s")
_FACES: Final = ITALIAN.size
_POINTS = tuple(11 if r == _ACE else r + 1 if r <= _TOP_PIP else 10 for r in range(10))
_SUIT: Final = bytes(face // 10 for face in range(_FACES))
FACE_POINTS: Final = _POINTS * len(ITALIAN.suits)
"""What each face counts (PET-30)."""
MAX_POINTS: Final = HAND * max(_POINTS)


@dataclass(frozen=True, slots=True)
class PetrangolaOptions:
    """The house rules, each with its default outside presets; rules/petrangola.md explains them."""

    decks: int = number(AUTO, 1, MAX_DECKS, "PET-01", {"auto": AUTO})
    tokens: int = number(3, 1, 9, "PET-02")
    stake: int = number(1, 1, 1_000_000, "PET-03")
    pot: str = choice("bought", "lost_tokens", rule="PET-03")
    open_after_dealer_swap: bool = switch(False, "PET-14")
    show_petrangola_on_knock: bool = switch(False, "PET-24")
    max_rounds: int = number(0, 0, 99, "PET-26")
    ace_low: bool = switch(False, "PET-32")
    tris_beats_scala: bool = switch(False, "PET-34")
    low_tris_wins: bool = switch(False, "PET-34")
    court_tris: str = choice("equal_by_points", "by_rank", rule="PET-34")
    petrangulo: bool = switch(False, "PET-35")
    equal_petrangole_last_loses: bool = switch(False, "PET-36")
    lowest_tie: str = choice("each_loses_one", "all_out", rule="PET-41")
    aces_bonus: int = number(1, 0, 9, "PET-42")
    final_tie: str = choice("nondealer_loses_token", "both_lose", rule="PET-44")
    all_die: str = choice("dealer_wins", "replay", "split_pot", rule="PET-45")
    reentries: int = number(1, 0, 9, "PET-50")
    reentry_min_alive: int = number(2, 2, MAX_SEATS, "PET-52")

    def __post_init__(self) -> None:
        house.check(self)
        if self.pot == "lost_tokens" and self.reentries:
            raise OptionError(
                "pot=lost_tokens needs reentries=0: a re-entry is paid into a pot that was bought"
            )


PRESETS: Final[Mapping[str, Mapping[str, house.Value]]] = {
    "marche": {
        "tris_beats_scala": False,
        "low_tris_wins": False,
        "court_tris": "equal_by_points",
        "open_after_dealer_swap": True,
        "show_petrangola_on_knock": True,
        "equal_petrangole_last_loses": True,
        "final_tie": "nondealer_loses_token",
        "reentries": 1,
        "pot": "bought",
        "petrangulo": True,
    },
    "emilia": {
        "tris_beats_scala": True,
        "low_tris_wins": True,
        "court_tris": "by_rank",
        "open_after_dealer_swap": False,
        "show_petrangola_on_knock": False,
        "equal_petrangole_last_loses": False,
        "final_tie": "nondealer_loses_token",
        "reentries": 0,
        "pot": "lost_tokens",
        "petrangulo": False,
    },
    "pagat": {
        "tris_beats_scala": False,
        "low_tris_wins": True,
        "court_tris": "by_rank",
        "open_after_dealer_swap": False,
        "show_petrangola_on_knock": False,
        "equal_petrangole_last_loses": False,
        "final_tie": "both_lose",
        "reentries": 1,
        "pot": "bought",
        "petrangulo": False,
    },
}


def decks_needed(seats: int) -> int:
    """The smallest number of decks that deals a hand to each of `seats` and a monte (PET-01)."""
    return -(-(HAND * seats + HAND) // ITALIAN.size)


def deck_for(options: PetrangolaOptions, seats: int) -> Deck:
    """The deck of a match of `seats` (PET-01); OptionError where the table can't be served."""
    if type(seats) is not int or seats < MIN_SEATS:
        raise OptionError(f"Petrangola needs at least {MIN_SEATS} players")
    needed = decks_needed(seats)
    if needed > MAX_DECKS:
        raise OptionError(
            f"{seats} players would need {needed} decks; with the most, {MAX_DECKS}, "
            f"{MAX_SEATS} can play"
        )
    copies = options.decks or needed
    if copies < needed:
        raise OptionError(f"{seats} players need decks={needed}, not decks={copies}")
    return _DECKS[copies - 1]


@dataclass(frozen=True, slots=True, order=True)
class Value:
    """A hand's worth. `key` orders all hands, the better the higher; equal keys are equal hands.

    kind    points, tris, scala, three-aces or petrangulo
    points  the sum that is announced: of the suit, or of all three cards; 31 for three aces
    """

    key: int
    kind: str
    points: int

    @property
    def petrangola(self) -> bool:
        """PET-31: anything but a hand of points."""
        return self.key >= LOWEST_PETRANGOLA


_PLAIN: Final = tuple(Value(points, "points", points) for points in range(MAX_POINTS + 1))
"""The hands of points, by their points, which are their grades as well."""
PETRANGOLA: Final = len(_PLAIN)
"""The grade of the lowest petrangola; see `Judge`."""


def _scala_top(ranks: set[int], ace_low: bool) -> int | None:
    """Place of the top card in 2 3 4 5 6 7 F C R A, the 2 being 1; None if it is no sequence."""
    if len(ranks) != HAND:
        return None
    places = [10 if rank == _ACE else rank for rank in ranks]
    if max(places) - min(places) == HAND - 1:
        return max(places)
    if ace_low and ranks == {0, 1, 2}:
        return 2
    return None


def _plain(a: int, b: int, c: int) -> int:
    """The points of three faces that are no petrangola: those of the best suit (PET-30)."""
    x, y, z = FACE_POINTS[a], FACE_POINTS[b], FACE_POINTS[c]
    s, t, u = _SUIT[a], _SUIT[b], _SUIT[c]
    if s == t == u:
        return x + y + z
    if s == t:
        x += y
    elif s == u:
        x += z
    elif t == u:
        y += z
    return max(x, y, z)


@lru_cache(maxsize=2)
def petrangole(ace_low: bool) -> frozenset[int]:
    """Every petrangola in every order, as (a * 40 + b) * 40 + c."""
    found: set[tuple[int, ...]] = set()
    for rank in range(10):
        found.update(product([suit * 10 + rank for suit in range(4)], repeat=HAND))
    for suit in range(4):
        for ranks in permutations(range(10), HAND):
            if _scala_top(set(ranks), ace_low) is not None:
                a, b, c = ranks
                found.add((suit * 10 + a, suit * 10 + b, suit * 10 + c))
    return frozenset((a * 40 + b) * 40 + c for a, b, c in found)


@lru_cache(maxsize=1)
def _points() -> bytes:
    """The points of three faces a, b, c, by (a * 40 + b) * 40 + c."""
    found = bytearray(_FACES**HAND)
    for faces in combinations_with_replacement(range(_FACES), HAND):
        points = _plain(*faces)
        for a, b, c in permutations(faces):
            found[(a * _FACES + b) * _FACES + c] = points
    return bytes(found)


class Judge:
    """Values hands by one choice of the ranking options.

    grades  by (a * 40 + b) * 40 + c, for faces a, b, c in any order: the place of their worth in
            `values`. All of them in octets, for a table of objects is ten times as large, and
            every hand would wait for memory
    values  what hands can be worth, worst first: points, then, from PETRANGOLA on, petrangole
    aces    the grade of three aces
    """

    __slots__ = (
        *("_court_equal", "_low_tris", "_petrangulo", "_tris_first"),
        *("ace_low", "aces", "grades", "values"),
    )

    def __init__(
        self, ace_low: bool, tris_first: bool, low_tris: bool, court_equal: bool, petrangulo: bool
    ) -> None:
        self.ace_low = ace_low
        self._tris_first = tris_first
        self._low_tris = low_tris
        self._court_equal = court_equal
        self._petrangulo = petrangulo
        special = {code: self._special(code) for code in petrangole(ace_low)}
        self.values = (*_PLAIN, *sorted(set(special.values())))
        place = {value.key: grade for grade, value in enumerate(self.values)}
        grades = bytearray(_points())
        for code, value in special.items():
            grades[code] = place[value.key]
        self.grades = bytes(grades)
        self.aces = place[THREE_ACES]

    def grade(self, faces: Sequence[int]) -> int:
        """The place in `values` of three faces, in any order."""
        a, b, c = faces
        return self.grades[(a * _FACES + b) * _FACES + c]

    def value(self, faces: Sequence[int]) -> Value:
        """The worth of three faces, in any order."""
        return self.values[self.grade(faces)]

    def graded(self, faces: bytes, hands: Iterable[Sequence[int]]) -> list[int]:
        """The grade of each of `hands`, three slots each, where slot i holds `faces[i]`."""
        grades, found = self.grades, []
        for a, b, c in hands:  # a comprehension takes a third longer, by the names from outside
            found.append(grades[(faces[a] * _FACES + faces[b]) * _FACES + faces[c]])
        return found

    def _special(self, code: int) -> Value:
        """The worth of a petrangola."""
        faces = (code // _FACES**2, code // _FACES % _FACES, code % _FACES)
        ranks = {face % 10 for face in faces}
        total = sum(FACE_POINTS[face] for face in faces)
        top = _scala_top(ranks, self.ace_low)
        if top is None:
            return self._tris(faces, faces[0] % 10, total)
        return Value(100 * (1 if self._tris_first else 2) + top, "scala", total)

    def _tris(self, faces: tuple[int, ...], rank: int, total: int) -> Value:
        points = 31 if rank == _ACE else total
        identical_spades = set(faces) == {_SPADE * 10 + rank}
        if self._petrangulo and identical_spades and (rank == _ACE or rank > _TOP_PIP):
            return Value(_PETRANGULO + (10 if rank == _ACE else rank), "petrangulo", points)
        if rank == _ACE:
            return Value(THREE_ACES, "three-aces", points)
        order = total if self._court_equal else rank
        if self._low_tris:
            order = 99 - order
        return Value(100 * (2 if self._tris_first else 1) + order, "tris", points)


@lru_cache(maxsize=64)
def _shared(low: bool, tris: bool, low_tris: bool, court: bool, petrangulo: bool) -> Judge:
    return Judge(low, tris, low_tris, court, petrangulo)


def judge(options: PetrangolaOptions, decks: int = 0) -> Judge:
    """The judge for `options` with `decks` shuffled into one (0: as the options say, at least 1).

    The petranguló exists with three decks or more only (PET-35).
    """
    copies = decks or options.decks or 1
    return _shared(
        options.ace_low,
        options.tris_beats_scala,
        options.low_tris_wins,
        options.court_tris == "equal_by_points",
        options.petrangulo and copies >= 3,
    )


def value(faces: Sequence[int], options: PetrangolaOptions, decks: int = 0) -> Value:
    """The worth of three faces by `options`; `decks` as in `judge`."""
    return judge(options, decks).value(faces)


def score(options: PetrangolaOptions, hands: Sequence[str]) -> tuple[Scored, ...]:
    """Judge hands written as `2d 2c 2s` or `2d2c2s`; NotationError for what is no hand.

    Each hand is judged alone, so hands may share cards. A card may be in one hand as often as
    the decks allow; with decks=auto, as many as a table of that many hands plays with.
    """
    copies = options.decks or min(MAX_DECKS, decks_needed(max(MIN_SEATS, len(hands))))
    ranks = judge(options, copies)
    found = [_read(text, copies) for text in hands]
    values = [ranks.value(faces) for faces in found]
    return tuple(
        Scored(
            ITALIAN.join(faces), v.kind, v.points, 1 + sum(other.key > v.key for other in values)
        )
        for faces, v in zip(found, values, strict=True)
    )


def _read(text: str, copies: int) -> tuple[int, ...]:
    words = text.split()
    if len(words) == 1 and len(words[0]) == 2 * HAND:
        words = [words[0][i : i + 2] for i in range(0, 2 * HAND, 2)]
    if len(words) != HAND:
        raise NotationError(f"'{text[:40]}' is no hand: a hand is three cards, as in 2d 2c 2s")
    faces = tuple(ITALIAN.parse(word) for word in words)
    for face in faces:
        if faces.count(face) > copies:
            raise NotationError(
                f"{ITALIAN.text(face)} is {faces.count(face)} times in the hand, and the "
                f"decks hold it {copies} times (decks={copies})"
            )
    return faces
