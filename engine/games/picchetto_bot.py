"""A player for Picchetto: keeps its long suit and its sets, claims what it has, plays to win.

Law: this file reads a position through what its seat may see, and asks it for the legal moves.
It must never read a card that `visible` hides, nor know a rule of its own.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from engine.cards import UNKNOWN
from engine.contract import Move
from engine.errors import OutOfTurn
from engine.games.picchetto_cards import (
    ACE,
    LOWEST_SET,
    RANKS,
    RUNS,
    SUITS,
    codes_of,
    hand_of,
    suits_of,
)
from engine.games.picchetto_declare import SEQUENCE_POINTS, SET_POINTS, Category
from engine.games.picchetto_moves import (
    EQUAL,
    GOOD,
    HOW_MUCH,
    NOT_GOOD,
    PASS,
    Announce,
    Bianca,
    Change,
    Play,
    Produce,
    Tell,
    slots_of,
)

if TYPE_CHECKING:
    from engine.games.picchetto_state import PicchettoState

_KEEP: float = 5.0
"""A card that is worth so much isn't put aside, unless one has to be."""
_SURE: int = 11
"""Sure tricks from which a cappotto is likely enough to say less than one holds."""
_CHEAP: int = 3
"""What a silence may cost for it (a terza, a tris, a point of three)."""


def suggest(view: PicchettoState, seat: int, rng: random.Random) -> Move:
    """A sensible legal move of `seat`; ties are broken by `rng`."""
    legal = list(view.legal(seat))
    if not legal:
        raise OutOfTurn(f"seat {seat} isn't to move")
    visible = view.visible(seat)
    codes = view.match.pack.codes
    seen = {slot: codes[face] for slot, face in enumerate(view.faces) if visible >> slot & 1}
    hand = view.hand_of(seat)
    if any(seen.get(slot, UNKNOWN) == UNKNOWN for slot in hand):
        return rng.choice(legal)
    held = hand_of(seen[slot] for slot in hand)
    match legal[0]:
        case Bianca():
            return _white(legal, held)
        case Change():
            return _exchange(legal, seen, held)
        case Play():
            return _trick(view, legal, seen, held, rng)
        case Produce():
            return max(legal, key=lambda m: _laid_open(m, seen))
        case Tell():
            return legal[-1]
    return _speak(view, legal, seen, held)


# ---------------------------------------------------------------------------------------------
# Exchange


def _white(legal: Sequence[Move], held: int) -> Move:
    """Ten points, and no bonus for the other: carta bianca is always worth it."""
    number = sum(value < _KEEP for value in _values(held).values())
    announced = [move for move in legal if isinstance(move, Bianca)]
    return min(announced, key=lambda move: abs(move.number - number))


def _values(held: int) -> dict[int, float]:
    """By card of the hand: how much it helps to point, sequences, sets and tricks."""
    bytes_ = suits_of(held)
    lengths = [byte.bit_count() for byte in bytes_]
    longest = max(lengths)
    found = {}
    for code in codes_of(held):
        suit, strength = divmod(code, RANKS)
        value = (0.0, 0.0, 0.0, 0.1, 0.3, 0.6, 1.8, 4.0)[strength]
        value += 0.8 * lengths[suit] + (1.5 if lengths[suit] == longest else 0.0)
        for length, top in RUNS[bytes_[suit]]:
            if top - length < strength <= top:
                value += length * 0.8
        near = bytes_[suit] & 0b11111 << strength >> 2
        value += 0.3 * near.bit_count()
        same = sum(byte >> strength & 1 for byte in bytes_)
        if strength >= LOWEST_SET:
            value += (0.0, 0.0, 0.6, 3.0, 7.0)[same]
        found[code] = value
    return found


def _exchange(legal: Sequence[Move], seen: dict[int, int], held: int) -> Move:
    """Put aside what is worth least: as many as aren't worth keeping, and take as many."""
    values = _values(held)
    changes = [move for move in legal if isinstance(move, Change)]
    regular = [move for move in changes if move.taken == move.given.bit_count()]
    order = sorted(values, key=lambda code: values[code])
    cheap = sum(value < _KEEP for value in values.values())
    fewest = min(move.taken for move in regular)
    most = max(move.taken for move in regular)
    number = min(max(cheap, fewest), most)
    where = {code: slot for slot, code in seen.items()}
    given = sum(1 << where[code] for code in order[:number])
    return next(move for move in regular if move.given == given)


# ---------------------------------------------------------------------------------------------
# Declarations


def _speak(view: PicchettoState, legal: Sequence[Move], seen: dict[int, int], held: int) -> Move:
    """Say the most; ask on equality; keep quiet about little when a cappotto is in sight."""
    if NOT_GOOD in legal:
        return NOT_GOOD
    if EQUAL in legal:
        return EQUAL
    claims = [move for move in legal if isinstance(move, Announce)]
    if claims:
        best = claims[-1]
        if legal[0] == PASS and _points(best) <= _CHEAP and _in_sight(view, seen, held):
            return PASS
        return best
    return HOW_MUCH if HOW_MUCH in legal else legal[0] if GOOD not in legal else GOOD


def _points(move: Announce) -> int:
    claim = move.claim
    if claim.category is Category.POINT:
        return claim.size
    return (SET_POINTS if claim.category is Category.SET else SEQUENCE_POINTS)[claim.size]


def _in_sight(view: PicchettoState, seen: dict[int, int], held: int) -> bool:
    """Whether the elder may well win all tricks."""
    elder = view.players[view.at] == view.players[0]
    return elder and _SURE <= _sure_tricks(held, _unseen(view, seen)) < RANKS * SUITS


def _unseen(view: PicchettoState, seen: dict[int, int]) -> int:
    """The cards that the other may hold, as far as can be told."""
    return ((1 << RANKS * SUITS) - 1) & ~hand_of(c for c in seen.values() if c != UNKNOWN)


def _sure_tricks(held: int, unseen: int) -> int:
    """Tricks that a leader makes from the top: masters, and cards behind them when the suit is
    likely to be exhausted."""
    total = 0
    for own, theirs in zip(suits_of(held), suits_of(unseen), strict=True):
        masters = 0
        for strength in range(ACE, -1, -1):
            if own >> strength & 1:
                masters += 1
            elif theirs >> strength & 1:
                break
        total += own.bit_count() if masters * 2 >= theirs.bit_count() and masters else masters
    return total


def _laid_open(move: Move, seen: dict[int, int]) -> tuple[int, int]:
    """More points first, then fewer cards."""
    if not isinstance(move, Produce):
        return (0, 0)
    hand = hand_of(seen[slot] for slot in slots_of(move.cards))
    return (hand.bit_count(), -hand)


# ---------------------------------------------------------------------------------------------
# Tricks


def _trick(
    view: PicchettoState,
    legal: Sequence[Move],
    seen: dict[int, int],
    held: int,
    rng: random.Random,
) -> Move:
    """Lead masters of long suits, else low from the longest; win as cheaply as one can."""
    unseen = _unseen(view, seen)
    led = seen[view.led] if view.led >= 0 else -1
    worths = {move: _worth(seen[_slot(move)], led, held, unseen) for move in legal}
    most = max(worths.values())
    return rng.choice([move for move in legal if worths[move] == most])


def _slot(move: Move) -> int:
    return move.slot if isinstance(move, Play) else -1


def _worth(code: int, led: int, held: int, unseen: int) -> float:
    """How good it is to play this card now."""
    suit, strength = divmod(code, RANKS)
    own, theirs = held >> suit * RANKS & 255, unseen >> suit * RANKS & 255
    stronger = theirs >> strength + 1
    if led < 0:
        length = own.bit_count()
        if not stronger:
            return 20.0 + length + 0.1 * strength
        return length - 0.5 * strength + (1.0 if _guards(own, theirs) else 0.0)
    if suit == led // RANKS:
        wins = code > led
        return (50.0 if wins else 0.0) - strength
    return -_loss(own, theirs, strength)


def _guards(own: int, theirs: int) -> int:
    """How many of the suit are masters."""
    return sum(not theirs >> strength for strength in _ranks(own))


def _loss(own: int, theirs: int, strength: int) -> float:
    """What throwing a card away costs: masters most, then the cards that guard a near one."""
    if not theirs >> strength:
        return 20.0 + strength
    top = max(_ranks(own))
    above = (theirs >> top).bit_count()
    guarding = 0 < above < own.bit_count() and top != strength
    return strength + (4.0 if guarding and own.bit_count() == above + 1 else 0.0)


def _ranks(byte: int) -> Iterable[int]:
    return (strength for strength in range(RANKS) if byte >> strength & 1)
