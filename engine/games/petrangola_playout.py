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

LOWEST: Final = 9
"""The first key of the tables below; with a lower one nobody is safe."""
_BETTER: Final = (
    # Nobody knocked before, or the dealer swapped; then one round had gone, then two, then more.
    (99, 98, 96, 94, 90, 86, 81, 74, 66, 62, 57, 49, 40, 36, 32, 29, 26, 23, 20, 17, 17, 17, 16),
    (100, 100, 99, 98, 96, 94, 91, 86, 80, 76, 71, 64, 56, 51, 46, 43, 39, 34, 29, 26, 26, 26, 24),
    (100, 100, 99, 98, 96, 93, 89, 83, 76, 71, 64, 57, 49, 45, 41, 38, 35, 30, 26, 24, 24, 24, 23),
    (100, 99, 99, 98, 96, 91, 84, 76, 64, 57, 50, 45, 40, 36, 33, 31, 30, 24, 22, 20, 20, 20, 20),
)
_BETTER_OF_TWO: Final = (
    (100, 99, 97, 95, 91, 86, 80, 73, 65, 61, 56, 46, 38, 35, 31, 28, 25, 21, 18, 15, 15, 15, 15),
    (100, 99, 98, 96, 93, 89, 84, 77, 69, 65, 60, 50, 39, 34, 28, 25, 23, 19, 16, 15, 15, 15, 14),
    (100, 99, 98, 96, 92, 88, 81, 72, 61, 55, 48, 35, 21, 16, 11, 9, 8, 7, 6, 6, 6, 6, 5),
    (100, 99, 98, 95, 90, 84, 76, 65, 47, 37, 30, 18, 7, 4, 2, 2, 2, 1, 1, 1, 1, 1, 1),
)
"""[rounds before the knock][key - 9]: per cent of other players who end with a better key, in
20,000 hands of the roll-outs' policy with its first thresholds; for many players those of 4. The
first row for many lies, by hand, between a knock in the first round and the dealer's swap."""
FAIR: Final = 0.7
"""A knock must make it so much less likely to be the worst than it is with equal chances. From
0.5 to 0.9 no difference was found in 1,200 deals of 4; 1.2 lost."""
IMPATIENCE: Final = 0.2
"""How much likelier it may be for each round from the third on, so that every hand ends."""


class Keys(dict[tuple[int, ...], int]):
    """`Value.key` of three faces, worked out when first asked for."""

    __slots__ = ("_judge",)

    def __init__(self, judge: Judge) -> None:
        super().__init__()
        self._judge = judge

    def __missing__(self, faces: tuple[int, ...]) -> int:
        key = self[faces] = self._judge.value(faces).key
        return key


class Worths(dict[tuple[int, ...], float]):
    """What three faces are worth to a player who will have another turn; `now`: to one without."""

    __slots__ = ("now",)

    def __init__(self, keys: Keys) -> None:
        super().__init__()
        self.now = keys

    def __missing__(self, faces: tuple[int, ...]) -> float:
        worth = float(self.now[faces])
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


def better(players: int, rounds: int) -> Sequence[int]:
    """Per cent of other players who end with a better key than LOWEST, LOWEST + 1 ..., the last
    standing for all keys above it, if nobody knocked in so many whole rounds."""
    rows = _BETTER_OF_TWO if players == 2 else _BETTER
    return rows[min(rounds, len(rows) - 1)]


def fair(players: int, rounds: int) -> float:
    """The chance of being the worst that a player risks who knocks after so many whole rounds."""
    return FAIR / players + IMPATIENCE * max(0, rounds - 2)


@lru_cache(maxsize=1024)
def enough(players: int, rounds: int) -> int:
    """The lowest key with which to knock, after so many whole rounds, where no card of the others
    is known."""
    risk = fair(players, rounds)
    if risk >= 1.0:
        return 0
    row = better(players, rounds)
    chances = [(percent / 100) ** (players - 1) for percent in row]
    return LOWEST + next((at for at, chance in enumerate(chances) if chance <= risk), len(row))


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
        grades = [match.judge.grade(hand) for hand in hands]
        lost, gained = petrangola_settle.changes(match, state.players, grades, when)
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
    found = [*map(keys.__getitem__, combinations(cards, HAND))]
    return found.index(max(found))


def on(cards: tuple[int, ...], least: int, worths: Worths) -> int:
    """The place in SIX of a turn before any bussata: who has a petrangola, or `least` with none in
    reach, knocks with it; else the best prospects are kept."""
    found = [*map(worths.__getitem__, combinations(cards, HAND))]
    now = worths.now
    own, swap = now[cards[:HAND]], now[cards[HAND:]]
    knock = own if own >= swap else swap
    if knock >= least and (knock >= LOWEST_PETRANGOLA or max(found) < LOWEST_PETRANGOLA):
        return KNOCK if own == knock else SWAP
    going = found[KNOCK + 1 : SWAP]
    return found.index(max(going), KNOCK + 1)
