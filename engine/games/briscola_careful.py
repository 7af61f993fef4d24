"""Roll-outs of Briscola for players that search: with care, so that what they find is of use.

Law: this file repeats the tricks of briscola_state for speed (BRI-06 to BRI-08); a test compares
what both reach. Each player of a roll-out looks at its own cards and at the trick, as at the table.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from engine.games.briscola_cards import ALL_POINTS, RANKS, Cardset, beats
from engine.games.briscola_ending import Ending
from engine.games.briscola_position import plays
from engine.games.tricks import NOTHING, ORDERS

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
_LEAST: Final = float("-inf")


@lru_cache(maxsize=32)
def costs(cards: Cardset, trump: int) -> tuple[float, ...]:
    """By face: what playing it gives away for later, in points."""
    return tuple(
        0.01 * strength + (TRUMP_COST + TRUMP_STEP * strength if face // RANKS == trump else 0.0)
        for face, strength in enumerate(cards.strength)
    )


def roll_out(state: BriscolaState, seat: int, rng: random.Random) -> int:
    """The points of `seat`'s side less those of the others on average, times the other sides,
    and as much as _WIN more for who has the most. `state`: an open hand in play, or just ended.

    Two players who see each other's cards, as the last three are played, play as well as can be.
    """
    exact = len(state.players) == 2 and state.stock > len(state.faces)
    sums = best_play(state) if exact else play_out(state, rng)
    sides: dict[int, int] = {}
    for player, points in zip(state.players, sums, strict=True):
        side = state.side(player)
        sides[side] = sides.get(side, 0) + points
    own = sides.pop(state.side(seat))
    best = max(sides.values())
    won = _WIN * ((own > best) - (own < best))
    return own * len(sides) - sum(sides.values()) + won


def best_play(state: BriscolaState) -> list[int]:
    """The points that each of two players has after the hand if both play as well as can be: at
    the end of the stock, where each knows what the other holds."""
    deal, at = state.deal, state.at
    faces, in_hand = deal.faces, state.left
    hands = [
        tuple([faces[play.slot] for play in plays(packet & in_hand, deal.briscola)])
        for packet in state.packets
    ]
    sums = list(state.points())
    ending = Ending(deal.cards.points, deal.beats)
    own, other = hands[at], hands[1 - at]
    margin = ending.margin(own, other, state.best)
    left = ALL_POINTS - sum(sums)
    sums[at] += (left + margin) // 2
    sums[1 - at] += (left - margin) // 2
    return sums


@dataclass(frozen=True, slots=True)
class _Tables:
    """What every answer is worth, but for what lies on the table already.

    lead     by face: what leading it gives away
    answers  [last][best]: how sure the trick is to stay where it goes, then by face what playing
             it brings, if a partner has the trick and if an opponent has; `last`: nobody else is
             to play, `best`: the face that takes the trick so far
    """

    lead: Callable[[int], float]
    answers: tuple[tuple[tuple[float, Callable[[int], float], tuple[float, ...]], ...], ...]


@lru_cache(maxsize=32)
def _tables(cards: Cardset, players: int, trump: int) -> _Tables:
    worth, cost, takes = cards.points, costs(cards, trump), beats(players, trump)
    faces = range(len(worth))

    def answer(best: int, last: bool) -> tuple[float, Callable[[int], float], tuple[float, ...]]:
        sure = 1.0 if last or best // RANKS == trump else 0.6
        mine = tuple(worth[face] * sure - cost[face] for face in faces)
        other = tuple(
            (worth[face] if takes[best][face] else -worth[face]) * sure - cost[face]
            for face in faces
        )
        return sure, mine.__getitem__, other

    return _Tables(
        tuple(worth[face] + cost[face] for face in faces).__getitem__,
        tuple(tuple(answer(best, last) for best in faces) for last in (False, True)),
    )


def play_out(state: BriscolaState, rng: random.Random) -> list[int]:
    """The points that each of `state.players` has after the hand (BRI-01)."""
    deal = state.deal
    faces, worth, takes, players = deal.faces, deal.cards.points, deal.beats, deal.players
    n, chance = len(players), rng.random
    briscola = deal.briscola
    tables = _tables(deal.cards, n, faces[briscola] // RANKS)
    lead, answers = tables.lead, tables.answers
    in_hand = state.left
    hands = [[faces[play.slot] for play in plays(p & in_hand, briscola)] for p in state.packets]
    sums = list(state.points())
    left = state.stock
    stock = [] if left > len(faces) else [*faces[left:], faces[briscola]]
    stock.reverse()
    side = [state.side(player) for player in players]
    orders = ORDERS[n]
    taker, best = state.taker, state.best
    pot = sum([deal.worth[slot] for slot in state.trick])
    order = orders[state.at][: n - len(state.trick)]
    while hands[order[0]]:
        last = order[-1]
        for at in order:
            hand = hands[at]
            if chance() < _RANDOM:
                face = hand[int(chance() * len(hand))]
            elif best < 0:
                face = min(hand, key=lead)
            else:
                sure, mine, other = answers[at == last][best]
                if side[taker] == side[at]:
                    face = max(hand, key=mine)
                else:
                    take, stake, most = takes[best], pot * sure, _LEAST
                    for card in hand:
                        value = other[card] + stake if take[card] else other[card] - stake
                        if value > most:
                            face = card
                            most = value
            hand.remove(face)
            pot += worth[face]
            if best < 0 or takes[best][face]:
                best = face
                taker = at
        sums[taker] += pot
        pot = 0
        best = NOTHING
        order = orders[taker]
        if stock:
            for at in order:
                hands[at].append(stock.pop())
    return sums
