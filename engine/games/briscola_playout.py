"""A fast roll-out: the rest of a hand of Briscola by chance, without a state for each card.

Law: this file repeats the tricks of briscola_state for speed (BRI-06, BRI-07) and nothing else of
it; a test compares what both reach.
"""

from __future__ import annotations

import random

from engine.cards import UNKNOWN
from engine.errors import OutOfTurn
from engine.games.briscola_cards import MAX_SEATS, NOTHING
from engine.games.briscola_state import BriscolaState, Phase

_ORDERS = tuple(
    tuple(tuple((at + n) % players for n in range(players)) for at in range(players))
    for players in range(MAX_SEATS + 1)
)
"""_ORDERS[players][at]: who plays in a trick that `at` leads."""


def play_out(state: BriscolaState, rng: random.Random) -> tuple[int, ...]:
    """The points that each of `state.players` has at the end of the hand, everybody playing any
    card. `state`: in phase PLAY with all cards known; OutOfTurn otherwise."""
    faces = state.faces
    if UNKNOWN in faces or state.phase is not Phase.PLAY:
        raise OutOfTurn("a roll-out needs a hand in play with all cards known")
    worth, takes, chance = state.cards.points, state.beats, rng.random
    players = len(state.players)
    hands = [[faces[slot] for slot in hand] for hand in state.held]
    stock = list(faces[: state.stock - 1 : -1])
    if state.stock <= state.deck.size:
        stock.insert(0, faces[state.briscola])
    sums = list(state.points())
    orders = _ORDERS[players]
    best, taker = state.best, state.taker
    pot = sum(worth[faces[slot]] for slot in state.trick)
    order = orders[state.at][: players - len(state.trick)]
    for _ in range(len(hands[order[-1]]) + len(stock) // players):
        for at in order:
            hand = hands[at]
            face = hand.pop(int(chance() * len(hand)))
            if takes[best][face]:
                best = face
                taker = at
            pot += worth[face]
        sums[taker] += pot
        pot = 0
        best = NOTHING
        order = orders[taker]
        if stock:
            for at in order:
                hands[at].append(stock.pop())
    return tuple(sums)
