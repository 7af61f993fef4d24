"""A fast roll-out: the rest of an open hand by chance, without a state for each card.

Law: this file repeats the tricks of traversone_state for speed (TRA-03, TRA-30, TRA-31) and
nothing else of it; a test plays both side by side. It takes the counting from traversone_count.
"""

from __future__ import annotations

import random

from engine.cards import UNKNOWN
from engine.errors import OutOfTurn
from engine.games.traversone_count import (
    DECK,
    MAX_SEATS,
    RANKS,
    STRENGTH,
    THIRDS,
    Count,
    count,
)
from engine.games.traversone_moves import slots_of
from engine.games.traversone_position import SUITS, Phase
from engine.games.traversone_state import TraversoneState

_SUIT = bytes(face // RANKS for face in range(DECK.size))
_ORDERS = tuple(
    tuple(tuple((at + n) % players for n in range(players)) for at in range(players))
    for players in range(MAX_SEATS + 1)
)
"""_ORDERS[players][at]: who plays in a trick that `at` leads."""

Hand = list[list[int]]
"""The faces in a hand, a list for each suit."""


def play_out(state: TraversoneState, rng: random.Random, careful: bool = False) -> Count:
    """Play the hand of `state` to its end: every player takes any legal card; with `careful` most
    of the time one that ducks, or that it is well rid of.

    `state`: in phase PLAY or ASIDE with all cards known; OutOfTurn otherwise. The result is
    indexed like `state.players`. Totals and places aren't touched: `traversone_match.settle` does
    that.
    """
    if UNKNOWN in state.faces or state.phase not in (Phase.PLAY, Phase.ASIDE):
        raise OutOfTurn("a roll-out needs a hand in play with all cards known")
    players = len(state.players)
    worth = THIRDS[state.options.ace_of_bastoni]
    faces, chance = state.faces, rng.random
    hands = [_hand(state, at) for at in range(players)]
    sums = [sum(worth[faces[slot]] for slot in slots_of(mask)) for mask in state.won]
    extra = worth[faces[state.aside]] if state.aside >= 0 else 0
    if state.phase is Phase.ASIDE:
        aside = _any(hands[-1], chance())
        hands[-1][_SUIT[aside]].remove(aside)
        extra = worth[aside]
    stock = list(faces[: state.stock - 1 : -1]) if players == 2 else []
    orders = _ORDERS[players]
    led, taker = state.led, state.taker
    best = STRENGTH[state.best] if led >= 0 else -1
    pot = sum(worth[faces[slot]] for slot in state.trick)
    order = orders[state.at][: players - len(state.trick)]
    for _ in range(sum(map(len, hands[order[-1]])) + len(stock) // 2):
        for at in order:
            hand = hands[at]
            care = careful and chance() > _RANDOM
            if led >= 0 and (own := hand[led]):
                last = at == order[-1]
                face = _duck(own, best, last) if care else own[int(chance() * len(own))]
                own.remove(face)
                if STRENGTH[face] > best:
                    best = STRENGTH[face]
                    taker = at
            else:
                face = _free(hand, led < 0, worth) if care else _any(hand, chance())
                hand[_SUIT[face]].remove(face)
                if led < 0:
                    led = _SUIT[face]
                    best = STRENGTH[face]
                    taker = at
            pot += worth[face]
        sums[taker] += pot
        pot = 0
        led = -1
        order = orders[taker]
        if stock:
            for at in order:
                face = stock.pop()
                hands[at][_SUIT[face]].append(face)
    sums[taker] += extra
    return count(state.options, sums, taker)


def _hand(state: TraversoneState, at: int) -> Hand:
    hand: Hand = [[] for _ in range(SUITS)]
    for slot in slots_of(state.packets[at] & state.left):
        hand[_SUIT[state.faces[slot]]].append(state.faces[slot])
    return hand


def _any(hand: Hand, chance: float) -> int:
    a, b, c, d = hand
    cards = a + b + c + d
    return cards[int(chance * len(cards))]


_RANDOM = 0.15
"""How often a careful player takes any card, so that all do not always play alike."""
_strength = STRENGTH.__getitem__


def _duck(own: list[int], best: int, last: bool) -> int:
    """The highest that doesn't take the trick; else the lowest, or the highest if nobody else is
    to play."""
    below = [face for face in own if STRENGTH[face] < best]
    if below:
        return max(below, key=_strength)
    return max(own, key=_strength) if last else min(own, key=_strength)


def _free(hand: Hand, leads: bool, worth: bytes) -> int:
    """The lowest card to lead; to throw away an ace, or the highest."""
    a, b, c, d = hand
    cards = a + b + c + d
    if leads:
        return min(cards, key=_strength)
    return max(cards, key=lambda face: 3 * worth[face] + STRENGTH[face])


def roll_out(state: TraversoneState, seat: int, rng: random.Random) -> int:
    """How well the hand goes for `seat` if all play on with care: the others' penalties less as
    many times its own. `state` is an open hand in play, or the position that its last card led to.
    """
    counts = {note.seat: note.values[0] for note in state.notes if note.kind == "counts"}
    if not counts:
        counts = dict(zip(state.players, play_out(state, rng, careful=True).penalties, strict=True))
    return sum(counts.values()) - len(counts) * counts[seat]
