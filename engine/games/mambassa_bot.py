"""A player for Mambassa: the best hand in reach, a discard where a drawn card likely helps.

Law: this file reads a position through what its seat may see, and asks it for the legal moves.
It must never read a card that `visible` hides, nor know a rule of its own.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.cards import UNKNOWN
from engine.contract import Move
from engine.games.mambassa_hands import HAND, TRIS
from engine.games.mambassa_moves import (
    BOTTOMS,
    CAMICIA,
    DISCARD,
    EXCHANGES,
    KNOCK,
    STAY,
    Bottom,
    Exchange,
)
from engine.games.mambassa_playout import LONG, NEAR, STEP, Faces, enough, near

if TYPE_CHECKING:
    from engine.games.mambassa_state import MambassaState

_ONE_TURN = 6
"""How much less is enough for the dealer's swap, after which the others have one turn."""
_SHORTLIST = 8
"""Exchanges that are worth searching."""
_SAMPLE = 10
"""Cards that are tried to see what a drawn one may be worth."""


def suggest(view: MambassaState, seat: int, rng: random.Random) -> Move:
    """A sensible legal move of `seat`; ties are broken by `rng`."""
    legal = list(view.legal(seat))
    first = legal[0]
    visible = view.visible(seat)
    faces = tuple(face if visible >> slot & 1 else UNKNOWN for slot, face in enumerate(view.faces))
    hand = tuple(faces[slot] for slot in view.hand_of(seat))
    monte = tuple(faces[slot] for slot in view.monte)
    if isinstance(first, Bottom | type(KNOCK)) and UNKNOWN not in hand:
        unseen = [face for face in range(view.deck.size) if face not in faces]
        trial = rng.sample(unseen, min(_SAMPLE, len(unseen)))
        if isinstance(first, Bottom):
            return BOTTOMS[_discard(view, hand, trial)[0]]
        if UNKNOWN not in monte:
            return _turn(view, hand, monte, trial, rng)
    if first is STAY and UNKNOWN not in monte:
        enough = _enough(view) - _ONE_TURN
        return legal[1] if view.match.judge.value(monte).halves >= enough else first
    return legal[-1] if len(legal) == 2 else rng.choice(legal)


def shortlist(view: MambassaState, seat: int) -> Sequence[Move]:
    """The moves without an exchange, and the exchanges whose hands are worth most by themselves."""
    legal = view.legal(seat)
    visible = view.visible(seat)
    slots = (*view.hand_of(seat), *view.monte)
    cards = tuple(view.faces[slot] if visible >> slot & 1 else UNKNOWN for slot in slots)
    if UNKNOWN in cards or Exchange not in map(type, legal):
        return legal
    exchanges = [move for move in legal if isinstance(move, Exchange)]
    exchanges.sort(key=lambda move: -_worth(view, move.hand(cards)))
    others = [move for move in legal if not isinstance(move, Exchange)]
    return [*exchanges[:_SHORTLIST], *others]


def _enough(view: MambassaState) -> float:
    players = len(view.players)
    return enough(players, view.turns // players) / STEP


def _worth(view: MambassaState, hand: Faces) -> float:
    """Half points, and a little for what decides between equal ones."""
    return view.match.judge.value(hand).key / STEP


def _discard(view: MambassaState, hand: Faces, trial: Sequence[int]) -> tuple[int, float]:
    """The position whose card is best changed for one of `trial`, and what the hand is then worth
    on the average."""
    means = []
    for place in range(HAND):
        kept = hand[:place] + hand[place + 1 :]
        means.append(sum(_worth(view, (*kept, face)) for face in trial) / max(1, len(trial)))
    best = max(range(HAND), key=means.__getitem__)
    return best, means[best]


def _turn(
    view: MambassaState, hand: Faces, monte: Faces, trial: Sequence[int], rng: random.Random
) -> Move:
    """A last turn takes what is best on the average; before that a knock must be worth it."""
    last = view.left >= 0
    cards = hand + monte
    plain = EXCHANGES[: len(EXCHANGES) // 2]
    scored = [
        (_worth(view, move.hand(cards)) + _near(move.hand(cards), last), move) for move in plain
    ]
    most = max(worth for worth, _ in scored)
    move = rng.choice([move for worth, move in scored if worth == most])
    after = move.hand(cards)
    options: list[tuple[float, Move]] = [
        (most, move),
        (_drawn(view, after, trial), Exchange(move.give, move.take, True)),
        (_drawn(view, hand, trial), DISCARD),
    ]
    if last:
        options += [(_worth(view, hand), KNOCK), (_worth(view, monte), CAMICIA)]
    else:
        enough = _enough(view)
        for result, knock in ((hand, KNOCK), (monte, CAMICIA)):
            worth = _worth(view, result)
            done = worth + 2 >= most or view.turns >= LONG * len(view.players)
            if worth >= enough and done:
                options.append((1000 + worth, knock))
    best = max(worth for worth, _ in options)
    return next(move for worth, move in options if worth == best)


def _drawn(view: MambassaState, hand: Faces, trial: Sequence[int]) -> float:
    """What a hand is worth once its worst card was changed for an unknown one."""
    if view.match.judge.value(hand).halves >= TRIS:
        return 0.0  # it is declared, or the fourth card decides nothing
    return _discard(view, hand, trial)[1]


def _near(hand: Faces, last: bool) -> float:
    """What one card short of a declared hand is worth."""
    return NEAR / STEP if not last and near(hand) else 0.0
