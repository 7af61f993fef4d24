"""A fast roll-out: the rest of an open hand by chance, without a state for each card.

Law: this file repeats the tricks of traversone_state for speed (TRA-03, TRA-30, TRA-31) and
nothing else of it; a test plays both side by side. It takes the counting from traversone_count.
"""

from __future__ import annotations

import random
from typing import Final

from engine.cards import UNKNOWN
from engine.errors import OutOfTurn
from engine.games.traversone_count import (
    ACE,
    ACE_OF_BASTONI,
    DECK,
    RANKS,
    STRENGTH,
    THIRDS,
    Count,
    count,
)
from engine.games.traversone_moves import slots_of
from engine.games.traversone_position import DRAWING_PLAYERS, SUITS, Phase
from engine.games.traversone_state import TraversoneState
from engine.games.tricks import ORDERS

# A card is a bit here, at SUITS times its strength plus its suit: so a mask of cards has the lowest
# one at its low end, and of two cards of one suit the greater number takes the other.
_SUIT: Final = bytes(face // RANKS for face in range(DECK.size))
_BIT: Final = tuple(1 << SUITS * STRENGTH[face] + _SUIT[face] for face in range(DECK.size))
_OF_SUIT: Final = tuple(
    sum(_BIT[face] for face in range(DECK.size) if _SUIT[face] == suit) for suit in range(SUITS)
)
_OF_LEVEL: Final = (1 << SUITS) - 1
_WORTH: Final = tuple(
    tuple(
        (worth, sum(_BIT[f] for f, own in enumerate(row) if own == worth))
        for worth in sorted({*row} - {0})
    )
    for row in THIRDS
)
"""_WORTH[ace_of_bastoni]: thirds of a point, and the mask of the cards that count so many."""
_ACES: Final = sum(_BIT[face] for face in range(DECK.size) if face % RANKS == ACE)
_RANDOM: Final = 0.15
"""How often a careful player takes any card, so that all do not always play alike."""


def play_out(state: TraversoneState, rng: random.Random, careful: bool = False) -> Count:
    """Play the hand of `state` to its end: every player takes any legal card; with `careful` most
    of the time one that ducks, or that it is well rid of.

    `state`: in phase PLAY or ASIDE with all cards known; OutOfTurn otherwise. The result is
    indexed like `state.players`. Totals and places aren't touched: `traversone_match.settle` does
    that.
    """
    if UNKNOWN in state.faces or state.phase not in (Phase.PLAY, Phase.ASIDE):
        raise OutOfTurn("a roll-out needs a hand in play with all cards known")
    deal = state.deal
    players = len(deal.players)
    costly, chance = deal.options.ace_of_bastoni, rng.random
    dear = _BIT[ACE_OF_BASTONI] if costly else 0
    bits = [_BIT[face] for face in deal.faces]
    hands = [_cards(bits, packet & state.left) for packet in state.packets]
    won = [_cards(bits, mask) for mask in state.won]
    aside = bits[deal.aside] if deal.aside >= 0 else 0
    if state.phase is Phase.ASIDE:
        aside = _any(hands[-1], chance())
        hands[-1] ^= aside
    stock = bits[: state.stock - 1 : -1] if players == DRAWING_PLAYERS else []
    orders = ORDERS[players]
    taker = state.taker
    led = best = 0
    if state.best >= 0:
        led, best = _OF_SUIT[state.led], _BIT[state.best]
    trick = sum([bits[slot] for slot in state.trick])
    order = orders[state.at][: players - len(state.trick)]
    while hands[order[-1]]:
        last = order[-1]
        for at in order:
            hand = hands[at]
            own = hand & led
            if not careful or chance() < _RANDOM:
                bit = _any(own or hand, chance())
            else:
                bit = _careful(hand, own, best, at == last, dear)
            hands[at] = hand ^ bit
            trick |= bit
            if own:
                if bit > best:
                    best = bit
                    taker = at
            elif not led:
                led = _OF_SUIT[bit.bit_length() - 1 & SUITS - 1]
                best = bit
                taker = at
        won[taker] |= trick
        trick = led = best = 0
        order = orders[taker]
        if stock:
            for at in order:
                hands[at] |= stock.pop()
    won[taker] |= aside
    sums = [sum([n * (mask & own).bit_count() for n, mask in _WORTH[costly]]) for own in won]
    return count(deal.options, sums, taker)


def _cards(bits: list[int], slots: int) -> int:
    return sum([bits[slot] for slot in slots_of(slots)])


def _any(cards: int, chance: float) -> int:
    """One of the cards by `chance`, from 0 to less than 1."""
    places = slots_of(cards)
    return 1 << places[int(chance * len(places))]


def _careful(hand: int, own: int, best: int, last: bool, dear: int) -> int:
    """The card of a careful player. `own`: those of the led suit, `best`: what has the trick, 0
    before a lead; `last`: nobody else is to play."""
    if own:
        below = own & best - 1
        if below or last:
            return 1 << (below or own).bit_length() - 1
        return own & -own
    if not best:
        return hand & -hand
    # It can't take the trick: away with an ace, or with one of the highest.
    hand = hand & dear or hand & _ACES or hand
    level = (hand.bit_length() - 1) // SUITS * SUITS
    top = hand >> level & _OF_LEVEL
    return (top & -top) << level


def roll_out(state: TraversoneState, seat: int, rng: random.Random) -> int:
    """How well the hand goes for `seat` if all play on with care: the others' penalties less as
    many times its own. `state` is an open hand in play, or the position that its last card led to.
    """
    counts = {note.seat: note.values[0] for note in state.notes if note.kind == "counts"}
    if not counts:
        counts = dict(zip(state.players, play_out(state, rng, careful=True).penalties, strict=True))
    return sum(counts.values()) - len(counts) * counts[seat]
