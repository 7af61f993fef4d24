"""Roll-outs of Briscola for players that search: with care, so that what they find is of use.

Law: this file repeats the tricks of briscola_state for speed (BRI-06 to BRI-08), as
briscola_playout does by chance; a test plays both side by side. Each player of a roll-out looks at
its own cards and at the trick, as at the table.
"""

from __future__ import annotations

import random
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from engine.games.briscola_cards import NOTHING, RANKS, Cardset

if TYPE_CHECKING:
    from engine.games.briscola_state import BriscolaState

TRUMP_COST: Final = 6.0
"""What spending the lowest briscola is worth in points; a higher one costs more."""
TRUMP_STEP: Final = 0.7
"""The same for each rank above it."""
_RANDOM: Final = 0.1
"""How often a player of a roll-out takes any card, so that all do not always play alike."""
_WIN: Final = 30
"""What it is worth to have more than half of the points, in points."""


@lru_cache(maxsize=32)
def costs(cards: Cardset, trump: int) -> tuple[float, ...]:
    """By face: what playing it gives away for later, in points."""
    return tuple(
        0.01 * strength + (TRUMP_COST + TRUMP_STEP * strength if face // RANKS == trump else 0.0)
        for face, strength in enumerate(cards.strength)
    )


def roll_out(state: BriscolaState, seat: int, rng: random.Random) -> int:
    """The points of `seat`'s side less those of the others on average, times the other sides,
    and as much as _WIN more for who has the most. `state`: an open hand in play."""
    sums = play_out(state, rng)
    sides: dict[int, int] = {}
    for player, points in zip(state.players, sums, strict=True):
        side = state.side(player)
        sides[side] = sides.get(side, 0) + points
    own = sides.pop(state.side(seat))
    best = max(sides.values())
    won = _WIN * ((own > best) - (own < best))
    return own * len(sides) - sum(sides.values()) + won


def play_out(state: BriscolaState, rng: random.Random) -> list[int]:
    """The points that each of `state.players` has after the hand (BRI-01)."""
    faces, worth, beats = state.faces, state.cards.points, state.beats
    trump = faces[state.briscola] // RANKS
    cost, chance = costs(state.cards, trump), rng.random
    n = len(state.players)
    hands = [[faces[slot] for slot in held] for held in state.held]
    sums = list(state.points())
    size = state.deck.size
    stock = [] if state.stock > size else [*faces[state.stock : size], faces[state.briscola]]
    stock.reverse()
    side = [state.side(player) for player in state.players]
    at, taker, best = state.at, state.taker, state.best
    table = len(state.trick)
    pot = sum(worth[faces[slot]] for slot in state.trick)
    while hands[at]:
        for place in range(table, n):
            hand = hands[at]
            if chance() < _RANDOM:
                face = hand[int(chance() * len(hand))]
            elif place == 0:
                face = min(hand, key=lambda face: worth[face] + cost[face])
            else:
                take = beats[best]
                sure = 1.0 if place == n - 1 or best // RANKS == trump else 0.6
                mine = side[taker] == side[at]
                face = max(
                    hand,
                    key=lambda face, t=take, m=mine, p=pot, s=sure: (  # type: ignore[misc]
                        (p + worth[face] if t[face] or m else -p - worth[face]) * s - cost[face]
                    ),
                )
            hand.remove(face)
            pot += worth[face]
            if best == NOTHING or beats[best][face]:
                best, taker = face, at
            at = at + 1 if at + 1 < n else 0
        sums[taker] += pot
        pot = table = 0
        best, at = NOTHING, taker
        if stock:
            for ahead in range(n):
                hands[(taker + ahead) % n].append(stock.pop())
    return sums
