"""Roll-outs of Mambassa for players that search.

Law: this file repeats the turns of mambassa_state and what the worst hand costs for speed (MAM-10,
MAM-11, MAM-30, MAM-31), and nothing else. Each player of a roll-out sees its own hand and the
monte, as at the table. What hands are worth comes from mambassa_hands, what a declaration costs
from mambassa_settle.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final

from engine import worlds
from engine.contract import Cards, Decide, Over
from engine.games import mambassa_settle
from engine.games.mambassa_hands import DECLARED, HAND, Judge
from engine.games.mambassa_moves import BOTTOMS
from engine.games.mambassa_position import Phase
from engine.games.mambassa_state import MambassaState

Faces = tuple[int, ...]
STEP: Final = 1000
"""Half points count so much in a key, and what decides between equal ones less."""
NEAR: Final = 4 * STEP
"""What one card short of a declared hand is worth, while the hand may go on."""
LONG: Final = 4
"""Rounds after which a hand that is good enough knocks, whatever it could become."""
_POINTS_ONLY: Final = 76
"""The most half points of a hand that is nothing but points."""
_MAX_ROUNDS: Final = 8
"""Rounds after which everybody knocks, so that every roll-out ends."""
_RANKS: Final = 10
_SUITS: Final = 4
_DECK: Final = _RANKS * _SUITS
_ONE_SUIT: Final = (1 << _RANKS) - 1
_ONE_RANK: Final = sum(1 << _RANKS * suit for suit in range(_SUITS))
_D, _S, _B, _C = (_ONE_SUIT << _RANKS * suit for suit in range(_SUITS))
"""Masks of the four suits, in the deck's order."""
_HIGH: Final = (11, 2, 3, 4, 5, 6, 7, 10, 10, 10)
_DECLARED_RANKS: Final = frozenset({0, 7, 8, 9})
# Half points with which a player likely isn't the worst once all others have had their last turn,
# by the number of players. A few more or less make little difference among players of this kind.
_ENOUGH: Final = {2: 62, 3: 58, 4: 56, 5: 54}
_ENOUGH_MANY: Final = 52
_PATIENCE: Final = 2
"""Half points that a knock may be worse for each round that has gone."""
_TRIED: Final = 6
"""Cards that are tried where it isn't plain which one to discard."""


class Keys(dict[int, int]):
    """`Value.key` of four faces, a mask, worked out when first asked for."""

    __slots__ = ("_judge",)

    def __init__(self, judge: Judge) -> None:
        super().__init__()
        self._judge = judge

    def __missing__(self, hand: int) -> int:
        key = self[hand] = self._judge.value(faces_of(hand)).key
        return key


class Worths(dict[int, int]):
    """The same, and NEAR more where one card is wanted for a declared hand."""

    __slots__ = ("_keys",)

    def __init__(self, keys: Keys) -> None:
        super().__init__()
        self._keys = keys

    def __missing__(self, hand: int) -> int:
        worth = self[hand] = self._keys[hand] + NEAR * near(faces_of(hand))
        return worth


class Cores(dict[int, tuple[int, int]]):
    """Of cards of one suit, or of one rank, those that make the best hand, with what that is
    worth: (worth, mask). Beside less than four of them the rest of the hand counts for nothing."""

    __slots__ = ("_table",)

    def __init__(self, table: dict[int, int]) -> None:
        super().__init__()
        self._table = table

    def __missing__(self, cards: int) -> tuple[int, int]:
        bits = [1 << face for face in faces_of(cards)]
        cores = map(sum, combinations(bits, min(HAND, len(bits))))
        found = self[cards] = max((self._table[_filled(core)], core) for core in cores)
        return found


def _filled(core: int) -> int:
    """`core` with low cards of other suits and other ranks, which add nothing."""
    for suit in range(_SUITS):
        for rank in (1, 2, 3, 4):
            if core.bit_count() == HAND:
                return core
            alike = core >> rank & _ONE_RANK or core >> _RANKS * suit & _ONE_SUIT
            if not alike:
                core |= 1 << _RANKS * suit + rank
    return core


@dataclass(frozen=True, slots=True)
class Tables:
    """What was worked out for one judge: of hands, with and without what they may become, and
    what is best of some cards."""

    keys: Keys
    worths: Worths
    best_now: Cores
    best: Cores


@lru_cache(maxsize=8)
def tables(judge: Judge) -> Tables:
    """What was worked out for `judge` so far."""
    keys = Keys(judge)
    worths = Worths(keys)
    return Tables(keys, worths, Cores(keys), Cores(worths))


def faces_of(mask: int) -> Faces:
    """The faces of a mask, ascending."""
    found = []
    while mask:
        found.append((mask & -mask).bit_length() - 1)
        mask &= mask - 1
    return tuple(found)


def near(faces: Faces) -> bool:
    """Three aces, or three of A R C F of one suit, want one card only."""
    if sum(face % _RANKS == 0 for face in faces) == HAND - 1:
        return True
    courts = [face // _RANKS for face in faces if face % _RANKS in _DECLARED_RANKS]
    return any(courts.count(suit) == HAND - 1 for suit in set(courts))


def enough(players: int, rounds: int) -> int:
    """The least key with which to knock after so many whole rounds."""
    return (_ENOUGH.get(players, _ENOUGH_MANY) - _PATIENCE * rounds) * STEP


def best_of(cards: int, cores: Cores) -> tuple[int, int]:
    """What the best four of `cards` are worth, and which they are (four or fewer that count)."""
    a, b, c, d = cards & _D, cards & _S, cards & _B, cards & _C
    found = max(cores[a], cores[b], cores[c], cores[d])
    b >>= _RANKS
    c >>= 2 * _RANKS
    d >>= 3 * _RANKS
    ranks = a & b & c & d or a & b & c | a & b & d | a & c & d | b & c & d
    if ranks:
        alike = cores[cards & _ONE_RANK * (ranks & -ranks)]
        return alike if alike > found else found
    return found


def suit_apart(hand: int, keys: Keys) -> int:
    """The card of a hand of points that a drawn one can but improve: the lowest outside its best
    suit, as a mask. 0 if the hand is better than points or of one suit."""
    return 0 if keys[hand] // STEP > _POINTS_ONLY else _lowest_apart(hand)


@lru_cache(maxsize=1 << 17)  # more than there are hands
def _lowest_apart(hand: int) -> int:
    sums = [0] * _SUITS
    faces = faces_of(hand)
    for face in faces:
        sums[face // _RANKS] += _HIGH[face % _RANKS]
    suit = sums.index(max(sums))
    outside = [face for face in faces if face // _RANKS != suit]
    return 1 << min(outside, key=lambda face: _HIGH[face % _RANKS]) if outside else 0


def roll_out(state: MambassaState, seat: int, rng: random.Random) -> int:
    """How far `seat`'s tokens are above the average after this hand, times the seats."""
    hand, current = state.hand, state
    while current.hand == hand and current.phase is not Phase.PLAY:
        turn = current.turn()
        if isinstance(turn, Cards | Over):
            break
        due = turn.seat if isinstance(turn, Decide) else turn.seats[0]
        if current.phase is Phase.BOTTOM:
            current = current.apply(BOTTOMS[discard(current, rng)])
        else:
            move = rng.choice(current.legal(due))
            current = current.apply(worlds.chosen(current, due, move, rng))
    if current.phase is not Phase.PLAY:
        return worlds.margin(current, seat)
    hands, declared = finish(current)
    tokens = after_the_hand(current, hands, declared)
    return tokens[seat] * len(tokens) - sum(tokens)


def after_the_hand(
    state: MambassaState, hands: Sequence[int], declared: tuple[int, ...]
) -> Sequence[int]:
    """Every seat's tokens after `hands`, where nobody declared by MAM-30 alone."""
    judge = state.match.judge
    if declared:
        values = [judge.value(faces_of(hand)) for hand in hands]
        return mambassa_settle.settle(state.match, state.players, values, declared).match.tokens
    found = list(map(tables(judge).keys.__getitem__, hands))
    worst, tokens = min(found), list(state.match.tokens)
    for seat, key in zip(state.players, found, strict=True):
        if key == worst:
            tokens[seat] -= 1
    return tokens


def discard(state: MambassaState, rng: random.Random) -> int:
    """Which card of the hand goes to the bottom, by who doesn't know what will be drawn."""
    keys = tables(state.match.judge).keys
    bits = [1 << state.faces[slot] for slot in state.held[state.at]]
    hand = sum(bits)
    apart = suit_apart(hand, keys)
    if apart:
        return bits.index(apart)
    tried = rng.sample([1 << face for face in range(_DECK) if not hand >> face & 1], _TRIED)
    sums = [sum(keys[hand ^ bit | other] for other in tried) for bit in bits]
    return sums.index(max(sums))


def finish(state: MambassaState) -> tuple[list[int], tuple[int, ...]]:
    """The hands at the end, masks in the order of `state.players`, and who declared."""
    known = tables(state.match.judge)
    keys = known.keys
    faces, players = state.faces, state.players
    hands = [sum([1 << faces[slot] for slot in held]) for held in state.held]
    monte = sum([1 << faces[slot] for slot in state.monte])
    stock = [1 << faces[slot] for slot in state.stock]
    n, at, left, turns = len(hands), state.at, state.left, state.turns
    limit = n * state.match.options.max_rounds or -1
    while left and not (left < 0 and turns == limit):
        own = hands[at]
        if left < 0:
            hand, knocks = _going(own, monte, n, turns // n, known)
        else:
            hand = _four(best_of(own | monte, known.best_now)[1], own | monte)
            knocks = hand == monte
        monte ^= own ^ hand
        if not knocks:
            given = suit_apart(hand, keys)
            if given and stock:
                stock.append(given)
                hand ^= given | stock.pop(0)
        hands[at] = hand
        if hand != own and hand in DECLARED:
            return hands, (players[at],)
        if left > 0:
            left -= 1
        elif knocks:
            left = n - 1
        turns += 1
        at = at + 1 if at + 1 < n else 0
    return hands, ()


def _going(own: int, monte: int, players: int, rounds: int, known: Tables) -> tuple[int, bool]:
    """The hand after a turn before any bussata, without a draw, and whether it is a bussata: it
    is worth it with enough, the own hand or the whole monte, if hardly more is in reach."""
    keys = known.keys
    most, core = best_of(own | monte, known.best)
    if rounds >= _MAX_ROUNDS:
        return own, True
    knock = own if keys[own] >= keys[monte] else monte
    worth = keys[knock]
    if worth >= enough(players, rounds) and (worth + 2 * STEP >= most or rounds >= LONG):
        return knock, True
    hand = _four(core, own | monte)
    if hand == monte:  # to take all four would be a bussata
        apart = hand & ~core or hand
        hand ^= (apart & -apart) | (own & -own)
    return hand, False


def _four(core: int, cards: int) -> int:
    """`core` and as many of the other cards as a hand needs."""
    rest = cards ^ core
    for _ in range(HAND - core.bit_count()):
        low = rest & -rest
        core |= low
        rest ^= low
    return core
