"""A fast roll-out: the rest of an open hand of Picchetto, without a state for each move.

Law: this file repeats what picchetto_exchange, picchetto_talk and picchetto_play do with cards and
points (PIC-11..PIC-13, PIC-20..PIC-25, PIC-30..PIC-35) and nothing else of them; a test plays both
side by side. It takes the worth of cards from picchetto_cards and picchetto_declare.

Both put aside what helps least, claim the best they hold, and mostly win a trick as cheaply as
they can. A hand is a mask of codes (picchetto_cards).
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import cache
from typing import Final

from engine.cards import UNKNOWN
from engine.contract import Decide
from engine.errors import OutOfTurn
from engine.games.picchetto_cards import (
    BEST_RUN,
    RANKS,
    RUNS,
    SHORTEST,
    SUITS,
    Pack,
    runs_of,
    slots_of,
    suits_of,
    threes_of,
)
from engine.games.picchetto_declare import SEQUENCE_POINTS, SET_POINTS, Category
from engine.games.picchetto_exchange import BONUS_AT, NOVANTA
from engine.games.picchetto_frame import DEALT, ELDER, ELDERS_TALON, Layout, Phase
from engine.games.picchetto_play import CAPPOTTO_POINTS, CARDS_POINTS, SESSANTA
from engine.games.picchetto_state import PicchettoState

_CHANCE: Final = 0.15
"""How often any legal card is played, so that all hands do not go alike."""
_MOST_MOVES: Final = 16
"""No dialogue about a category takes so many moves."""
_SUM_BITS: Final = 7
_LONGEST: Final = 1.5
_RANK_VALUES: Final = (0.0, 0.0, 0.0, 0.1, 0.3, 0.6, 1.8, 4.0)
_Points = list[int]
"""What the elder and the younger have."""


def _helps(suit: int, byte: int, more: float) -> tuple[tuple[float, int], ...]:
    """How much each card of a suit helps, by what else is held of the suit, and the card."""
    found = []
    for strength in range(RANKS):
        if byte >> strength & 1:
            runs = sum(n for n, top in RUNS[byte] if top - n < strength <= top)
            near = (byte & 0b11111 << strength >> 2).bit_count()
            own = _RANK_VALUES[strength] + 0.8 * (byte.bit_count() + runs) + 0.3 * near
            found.append((own + more, 1 << suit * RANKS + strength))
    return tuple(found)


_HELPS: Final = tuple(
    tuple(_helps(suit, byte, more) for more in (0.0, _LONGEST) for byte in range(256))
    for suit in range(SUITS)
)
"""_HELPS[suit][byte], and for a suit that is the longest _HELPS[suit][256 + byte]."""
_ALL: Final = (1 << SUITS * RANKS) - 1
_OF_SUIT: Final = tuple(255 << code // RANKS * RANKS for code in range(SUITS * RANKS))
_ABOVE: Final = tuple(_OF_SUIT[code] & _ALL << code + 1 for code in range(SUITS * RANKS))
"""By code: the cards of its suit, and those of them that are stronger."""
_LOWEST: Final = 0x01010101
"""The cards of strength 0."""


def discard(hand: int, number: int, rng: random.Random) -> int:
    """So many cards of `hand` that help least (PIC-11, PIC-13), of sets none if that can be;
    chance adds up to 1 to what each is worth."""
    a, b, c, d = octets = suits_of(hand)
    longest = max(a.bit_count(), b.bit_count(), c.bit_count(), d.bit_count())
    threes = threes_of(a, b, c, d)
    chance = rng.random
    order: list[tuple[float, int]] = []
    for helps, byte in zip(_HELPS, octets, strict=True):
        known = helps[byte + 256 if byte.bit_count() == longest else byte]
        order += [(value + chance(), card) for value, card in known]
    if threes:
        sets = threes * _LOWEST
        others = [pair for pair in order if not pair[1] & sets]
        if len(others) >= number:
            order = others
    order.sort()
    return sum([card for _, card in order[:number]])


def gain(points: _Points, at: int, number: int, bonus: int, lay: Layout) -> bool:
    """What Exchanging._gain does: True if the deal is over (PIC-40)."""
    if lay.mute == at:
        return False
    before = points[at]
    after = before + number
    if bonus and before < BONUS_AT <= after and not points[1 - at] and lay.white != 1 - at:
        after += bonus
    points[at] = after
    return after >= lay.limits[at]


def _one(points: _Points, at: int, limits: tuple[int, int], lay: Layout) -> bool:
    """`gain` of one point in the play, which below `limits` mostly does nothing else."""
    after = points[at] + 1
    if after != BONUS_AT and after < limits[at]:
        points[at] = after
        return False
    return gain(points, at, 1, 0 if at else SESSANTA, lay)


# ---------------------------------------------------------------------------------------------
# Declarations


@cache  # two packs
def _point_keys(pack: Pack) -> tuple[int, ...]:
    """By suit byte, cards * 128 + their sum as a point; 0 if there are too few (PIC-21)."""
    return tuple(
        byte.bit_count() << _SUM_BITS | pack.prices[byte] if byte.bit_count() >= SHORTEST else 0
        for byte in range(256)
    )


def declare(
    pack: Pack, hands: Sequence[int], points: _Points, lay: Layout, first: Category
) -> bool:
    """The dialogue from category `first` on, if both claim the best that they hold (PIC-21 to
    PIC-25); True if it ends the deal."""
    a, b, c, d = suits_of(hands[0])
    e, f, g, h = suits_of(hands[1])
    if first is Category.POINT:
        keys = _point_keys(pack)
        mine, theirs = (
            max(keys[a], keys[b], keys[c], keys[d]),
            max(keys[e], keys[f], keys[g], keys[h]),
        )
        at, best = (ELDER, mine) if mine > theirs else (1, theirs)
        if mine != theirs and gain(points, at, best >> _SUM_BITS, NOVANTA, lay):
            return True
    if first is not Category.SET:
        runs = BEST_RUN
        mine, theirs = (
            max(runs[a], runs[b], runs[c], runs[d]),
            max(runs[e], runs[f], runs[g], runs[h]),
        )
        if mine != theirs:
            at = ELDER if mine > theirs else 1
            for length, _ in runs_of(hands[at]):
                if gain(points, at, SEQUENCE_POINTS[length], NOVANTA, lay):
                    return True
    mine, theirs = threes_of(a, b, c, d), threes_of(e, f, g, h)
    if not (mine or theirs):
        return False
    fours, others = a & b & c & d & mine, e & f & g & h & theirs
    if (fours, mine) < (others, theirs):  # of two sets the greater number has the higher rank
        at, fours, mine = 1, others, theirs
    else:
        at = ELDER
    numbers = [SET_POINTS[4]] * fours.bit_count() + [SET_POINTS[3]] * (mine ^ fours).bit_count()
    return any(gain(points, at, number, NOVANTA, lay) for number in numbers)


# ---------------------------------------------------------------------------------------------
# Tricks


def choose(legal: int, led: int, rng: random.Random) -> int:
    """The code of one of the cards `legal`: a lead by chance; else the cheapest that wins, or the
    lowest of what can't."""
    if led < 0 or rng.random() < _CHANCE:
        codes = slots_of(legal)
        return codes[int(rng.random() * len(codes))]
    same = legal & _OF_SUIT[led]
    if same:
        same = same & _ABOVE[led] or same
        return (same & -same).bit_length() - 1
    either = legal | legal >> 16
    ranks = (either | either >> 8) & 255
    level = (ranks & -ranks) * _LOWEST & legal  # all that are as low as the lowest
    return (level & -level).bit_length() - 1


def follow(hand: int, led: int, must_win: bool) -> int:
    """PIC-30: the cards of `hand` that may follow `led`."""
    above = hand & _ABOVE[led] if must_win else 0
    return above or hand & _OF_SUIT[led] or hand


def tricks(
    state: PicchettoState, hands: Sequence[int], points: _Points, rng: random.Random
) -> None:
    """The play from where `state` stands in phase PLAY, or from the first lead (PIC-30 to PIC-35).

    `hands`: what is left of them.
    """
    lay, options = state.lay, state.deal.options
    cards = list(hands)
    limits = lay.limits if lay.mute < 0 else (0, 0)  # so that `gain` sees to it
    battuta, must_win = options.trick_scoring == "battuta_presa", options.must_win
    won = [(mask.bit_count() + 1) // 2 for mask in state.won]
    playing = state.phase is Phase.PLAY
    at = state.at if playing else ELDER
    led = state.deal.known.codes[state.led] if playing and state.led >= 0 else -1
    while True:
        own = cards[at]
        taker = at
        if led < 0:
            code = choose(own, led, rng)
            cards[at] = own ^ 1 << code
            if battuta and _one(points, at, limits, lay):
                return
            if cards[1 - at]:
                led, at = code, 1 - at
                continue
        else:
            code = choose(follow(own, led, must_win), led, rng)
            cards[at] = own ^ 1 << code
            if code >> 3 != led >> 3 or code < led:
                taker = 1 - at
        won[taker] += 1
        if battuta:
            if led >= 0 and taker == at and _one(points, at, limits, lay):
                return
        elif gain(points, taker, 2, 0 if taker else SESSANTA, lay):
            return
        led, at = -1, taker
        if not (cards[0] and cards[1]):  # PIC-15: after eleven cards a lone one is a trick
            at = ELDER if cards[0] else 1
            if not cards[at] or lay.sizes[at] != DEALT:
                break
    _count(points, won, taker, battuta, lay)


def _count(points: _Points, won: list[int], last: int, battuta: bool, lay: Layout) -> None:
    """PIC-32, PIC-33."""
    cappotto = won[last] == DEALT
    if battuta and not cappotto and gain(points, last, 1, 0 if last else SESSANTA, lay):
        return
    for at, number in enumerate(won):
        if number > DEALT // 2:
            gain(points, at, CAPPOTTO_POINTS if cappotto else CARDS_POINTS, 0, lay)


# ---------------------------------------------------------------------------------------------
# Whole hands


def play_out(state: PicchettoState, rng: random.Random) -> tuple[int, int]:
    """What the elder and the younger have when the hand of `state` has been played on.

    `state`: open, at somebody's choice; OutOfTurn otherwise.
    """
    deal = state.deal
    if UNKNOWN in deal.faces or not isinstance(state.due, Decide):
        raise OutOfTurn("a roll-out needs a hand in play with all cards known")
    points = list(state.points)
    lay, phase, talk, held = state.lay, state.phase, state.talk, state.held
    known = deal.known
    hands = [known.holding(held[0]).hand, known.holding(held[1]).hand]
    first: Category | None = None
    if phase is _ELDER or phase is _YOUNGER:
        first = Category.POINT
        codes = known.codes
        talon = [1 << codes[slot] for slot in lay.talon]
        if phase is _ELDER:
            hands[0] ^= discard(hands[0], ELDERS_TALON, rng) | sum(talon[:ELDERS_TALON])
            del talon[:ELDERS_TALON]
        hands[1] ^= discard(hands[1], len(talon), rng) | sum(talon)
    elif phase is Phase.CLAIM and talk:
        first = talk.category
    if first is None or not declare(deal.match.pack, hands, points, lay, first):
        tricks(state, hands, points, rng)
    return points[0], points[1]


def roll_out(state: PicchettoState, seat: int, rng: random.Random) -> int:
    """What `seat` is ahead of the other when the hand has been played on. A dialogue that has begun
    is ended by chance; if it comes to a claim which its author can't prove in this deal, the hand
    is judged as it stands then."""
    hand = state.hand
    for _ in range(_MOST_MOVES):
        if state.hand != hand or not isinstance(state.due, Decide) or state.phase in _FAST:
            break
        legal = state.legal()
        if not legal:
            break
        state = state.apply(legal[int(rng.random() * len(legal))])
    scores = list(state.scores())
    if state.hand == hand and isinstance(state.due, Decide):
        points = play_out(state, rng) if state.phase in _FAST else state.points
        factor = state.match.factor
        for player, own in zip(state.players, points, strict=True):
            scores[player] += own * factor
    return scores[seat] - scores[1 - seat]


_ELDER: Final = Phase.ELDER
_YOUNGER: Final = Phase.YOUNGER
_FAST: Final = (Phase.ELDER, Phase.YOUNGER, Phase.CLAIM, Phase.PLAY)
