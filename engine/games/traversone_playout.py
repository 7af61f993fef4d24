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


def play_out(state: TraversoneState, rng: random.Random) -> Count:
    """Play the hand of `state` to its end, every player taking any legal card.

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
        extra = worth[_take_any(hands[-1], chance())]
    stock = list(faces[: state.stock - 1 : -1]) if players == 2 else []
    orders = _ORDERS[players]
    led, taker = state.led, state.taker
    best = STRENGTH[state.best] if led >= 0 else -1
    pot = sum(worth[faces[slot]] for slot in state.trick)
    order = orders[state.at][: players - len(state.trick)]
    for _ in range(sum(map(len, hands[order[-1]])) + len(stock) // 2):
        for at in order:
            hand = hands[at]
            if led >= 0 and (own := hand[led]):
                face = own.pop(int(chance() * len(own)))
                if STRENGTH[face] > best:
                    best = STRENGTH[face]
                    taker = at
            else:
                face = _take_any(hand, chance())
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


def _take_any(hand: Hand, chance: float) -> int:
    a, b, c, d = hand
    cards = a + b + c + d
    face = cards[int(chance * len(cards))]
    hand[_SUIT[face]].remove(face)
    return face


def roll_out(state: TraversoneState, seat: int, rng: random.Random) -> int:
    """How well the hand goes for `seat` if all play on by chance: the others' penalties less as
    many times its own. `state` is an open hand in play, or the position that its last card led to.
    """
    counts = {note.seat: note.values[0] for note in state.notes if note.kind == "counts"}
    if not counts:
        counts = dict(zip(state.players, play_out(state, rng).penalties, strict=True))
    return sum(counts.values()) - len(counts) * counts[seat]
