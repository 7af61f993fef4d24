"""A fast roll-out: the rest of an open hand of Petrangola, without a state for each turn.

Law: this file repeats the turns of petrangola_state for speed (PET-20 to PET-23, PET-26) and
nothing else of it; a test plays both side by side. Each player of a roll-out sees its own hand
and the monte, as at the table. What hands are worth comes from petrangola_hands, what they cost
from petrangola_settle.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from operator import itemgetter
from typing import Final

from engine.cards import UNKNOWN
from engine.errors import OutOfTurn
from engine.games import petrangola_settle
from engine.games.petrangola_hands import HAND, LOWEST_PETRANGOLA, Judge
from engine.games.petrangola_moves import STAY
from engine.games.petrangola_position import Phase
from engine.games.petrangola_state import PetrangolaState

Faces = tuple[int, int, int]

NEAR_PETRANGOLA: Final = 2.5
"""What two cards towards a petrangola are worth in points, while the hand may go on."""
SIX: Final = tuple(combinations(range(2 * HAND), HAND))
"""A turn is a choice of three of the six cards of hand and monte: SIX[KNOCK] keeps the hand,
SIX[SWAP] takes the monte."""
KNOCK: Final = 0
SWAP: Final = len(SIX) - 1
_HANDS: Final = tuple(itemgetter(*places) for places in SIX)
_MONTES: Final = tuple(
    itemgetter(*(place for place in range(2 * HAND) if place not in places)) for places in SIX
)

MOST_MEASURED: Final = 8
ENOUGH: Final = (
    (25, 19, 17, 17),
    (23, 22, 18, 16),
    (22, 22, 21, 18),
    (23, 21, 21, 17),
    (21, 21, 19, 17),
    (21, 19, 19, 16),
    (20, 19, 17, 15),
)
"""[players - 2][rounds gone]: measured, and smoothed by hand where it was noise; see
engine/BOTS.md."""


class Keys(dict[Faces, int]):
    """`Value.key` of three faces, worked out when first asked for."""

    __slots__ = ("_judge",)

    def __init__(self, judge: Judge) -> None:
        super().__init__()
        self._judge = judge

    def __missing__(self, faces: Faces) -> int:
        key = self[faces] = self._judge.value(faces).key
        return key


class Worths(dict[Faces, float]):
    """What three faces are worth to a player who will have another turn."""

    __slots__ = ("_keys",)

    def __init__(self, keys: Keys) -> None:
        super().__init__()
        self._keys = keys

    def key(self, faces: tuple[int, ...]) -> int:
        """What they are worth when the hand ends now."""
        a, b, c = faces
        return self._keys[a, b, c]

    def __missing__(self, faces: Faces) -> float:
        worth = float(self._keys[faces])
        if worth < LOWEST_PETRANGOLA and near_petrangola(faces):
            worth += NEAR_PETRANGOLA
        self[faces] = worth
        return worth


@lru_cache(maxsize=16)
def tables(judge: Judge) -> tuple[Keys, Worths]:
    """What was worked out for `judge` so far."""
    keys = Keys(judge)
    return keys, Worths(keys)


def near_petrangola(faces: Sequence[int]) -> bool:
    """Two of equal rank, or two of a suit at most one apart, may become a petrangola."""
    return any(
        x % 10 == y % 10 or (x // 10 == y // 10 and abs(x - y) <= 2)
        for x, y in combinations(faces, 2)
    )


def enough(players: int, rounds: int) -> int:
    """The lowest key with which to knock, after so many whole rounds."""
    row = ENOUGH[min(players, MOST_MEASURED) - 2]
    return row[rounds] if rounds < len(row) else 0


def play_out(state: PetrangolaState, seat: int, rng: random.Random) -> int:
    """How far `seat`'s tokens are above the average after this hand, times the seats.

    `state`: a position with all cards known, of a hand in play or just ended.
    """
    match = state.match
    tokens = list(match.tokens)
    if state.phase is Phase.CHOOSE:
        state = state.apply(STAY)
    if state.phase is Phase.PLAY:
        if UNKNOWN in state.faces:
            raise OutOfTurn("a roll-out needs a hand with all cards known")
        hands, when = finish(state)
        values = [match.judge.value(hand) for hand in hands]
        lost, gained = petrangola_settle.changes(match, state.players, values, when)
        for s, n in lost.items():
            tokens[s] -= n
        for s, n in gained.items():
            tokens[s] += n
    return tokens[seat] * len(tokens) - sum(tokens)


def finish(state: PetrangolaState) -> tuple[list[Faces], list[int]]:
    """The hands at the showdown and when each was completed, in the order of `state.players`."""
    keys, worths = tables(state.match.judge)
    faces = state.faces
    hands: list[Faces] = [(faces[a], faces[b], faces[c]) for a, b, c in state.held]
    a, b, c = state.monte
    monte: Faces = (faces[a], faces[b], faces[c])
    when = list(state.when)
    n, at, left, turns = len(hands), state.at, state.left, state.turns
    limit = n * state.match.options.max_rounds or -1
    while left and not (left < 0 and turns == limit):
        cards = hands[at] + monte
        plan = on(cards, enough(n, turns // n), worths) if left < 0 else last(cards, keys)
        if plan != KNOCK:
            hands[at], monte = _HANDS[plan](cards), _MONTES[plan](cards)
            when[at] = n + 1 + turns
        if left > 0:
            left -= 1
        elif plan in (KNOCK, SWAP):
            left = n - 1
        turns += 1
        at += 1
        if at == n:
            at = 0
    return hands, when


def last(cards: tuple[int, ...], keys: Keys) -> int:
    """The place in SIX of a last turn: the best hand there is, the own one if it is."""
    found = list(map(keys.__getitem__, combinations(cards, HAND)))
    return found.index(max(found))


def on(cards: tuple[int, ...], least: int, worths: Worths) -> int:
    """The place in SIX of a turn before any bussata: a petrangola is knocked with, or got; then
    whatever is worth `least` is knocked with; else the best prospects are kept."""
    found = list(map(worths.__getitem__, combinations(cards, HAND)))
    best = max(found)
    own = found[KNOCK]
    if own == best and own >= LOWEST_PETRANGOLA:
        return KNOCK
    going = max(found[KNOCK + 1 : SWAP])
    if best < LOWEST_PETRANGOLA:
        swap = worths.key(cards[HAND:])
        own = worths.key(cards[:HAND])
        if max(own, swap) >= least:
            return KNOCK if own >= swap else SWAP
    elif going < best:
        return SWAP if found[SWAP] == best else KNOCK
    return found.index(going, KNOCK + 1)
