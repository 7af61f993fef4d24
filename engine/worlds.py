"""Worlds: open positions that one player can't tell from the real one, and a way to play them on.

Law: this file asks the contract alone and knows no game; the defaults of `Game` are made of it.
What `visible` hides from a seat it must never read: a world is sampled, never looked up.

    faces = guess(view, seat, rng)          a deck that agrees with what `seat` sees
    faces = likely(view, seat, hands, rng)  the same, where some hands were weighed before
    state = view.played_openly(faces)       the world; a live one asks for its cards
    state = advance(state, faces)           ... which are answered here, until somebody chooses
"""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, combinations, islice
from math import comb

from engine.cards import UNKNOWN
from engine.errors import EngineError
from engine.state import (
    Answers,
    Ask,
    Cards,
    Decide,
    Draw,
    Input,
    Move,
    Open,
    Over,
    Reseal,
    Resealed,
    Reveal,
    Revealed,
    Seen,
    Shuffle,
    State,
)

MAX_INPUTS = 5_000
"""No hand that is played by chance is longer."""
MAX_DEALS = 40
"""How often hands are dealt again that share a card."""


def hidden(view: State, seat: int) -> tuple[list[int], list[int]]:
    """The slots that `seat` doesn't know, ascending, and the faces that lie there in some order.

    EngineError if the known cards aren't part of the deck.
    """
    visible = view.visible(seat)
    left = [view.deck.copies] * view.deck.kind.size
    slots = []
    for slot, face in enumerate(view.faces):
        if visible >> slot & 1 and face != UNKNOWN:
            left[face] -= 1
        else:
            slots.append(slot)
    faces = [face for face, count in enumerate(left) for _ in range(count)]
    if len(faces) != len(slots):
        raise EngineError("the cards that are seen aren't part of the deck")
    return slots, faces


def guess(view: State, seat: int, rng: random.Random) -> bytes:
    """The face of every slot: those that `seat` sees, the others by chance."""
    slots, faces = hidden(view, seat)
    rng.shuffle(faces)
    deck = bytearray(view.faces)
    for slot, face in zip(slots, faces, strict=True):
        deck[slot] = face
    return bytes(deck)


@dataclass(frozen=True, slots=True)
class Hands:
    """The hidden slots of one player, and what may lie there.

    faces    hands of as many faces as there are slots
    weights  running sums of how likely each is; the last one is more than 0
    """

    slots: tuple[int, ...]
    faces: Sequence[tuple[int, ...]]
    weights: Sequence[float]


def some_hands(pool: Sequence[int], count: int, most: int) -> list[tuple[int, ...]]:
    """All hands of `count` faces of `pool`; of more than `most`, so many that lie evenly."""
    step = -(-comb(len(pool), count) // most) | 1
    return list(islice(combinations(pool, count), step // 2, None, step))


def weighed(
    slots: tuple[int, ...], faces: Sequence[tuple[int, ...]], weights: Iterable[float]
) -> Hands | None:
    """Hands with their weights; None if none of them is possible."""
    sums = tuple(accumulate(weights))
    return Hands(slots, faces, sums) if sums and sums[-1] > 0 else None


def pick(weights: Sequence[float], rng: random.Random) -> int:
    """An index by chance, where `weights` are running sums of its chances."""
    return min(bisect(weights, rng.random() * weights[-1]), len(weights) - 1)


def likely(view: State, seat: int, hands: Sequence[Hands], rng: random.Random) -> bytes:
    """The face of every slot: those that `seat` sees, `hands` by their weights so that they share
    no card, the rest by chance. A hand for which nothing is found beside the others is left to
    chance, too."""
    slots, pool = hidden(view, seat)
    for attempt in range(MAX_DEALS):
        left, deck = list(pool), dict[int, int]()
        for hand in hands:
            faces = hand.faces[pick(hand.weights, rng)]
            if _take(left, faces):
                deck.update(zip(hand.slots, faces, strict=True))
            elif attempt < MAX_DEALS - 1:
                break
        else:
            break
    rng.shuffle(left)
    whole = bytearray(view.faces)
    for slot in slots:
        whole[slot] = deck[slot] if slot in deck else left.pop()
    return bytes(whole)


def _take(pool: list[int], faces: Sequence[int]) -> bool:
    """Take `faces` out of `pool` if all of them are there."""
    for at, face in enumerate(faces):
        if face not in pool:
            pool += faces[:at]
            return False
        pool.remove(face)
    return True


def advance(state: State, faces: bytes) -> State:
    """Answer the card requests of this hand with the deck `faces`, until somebody is to choose,
    another deck is asked for, or the match is over. Every reseal leaves the cards in place."""
    for _ in range(MAX_INPUTS):
        turn = state.turn()
        if not isinstance(turn, Cards) or isinstance(turn.requests[0], Shuffle | Draw):
            return state
        given: Input
        match turn.requests[0]:
            case Reseal():
                state = state.apply(Resealed()).with_faces(faces)
                continue
            case Reveal():
                given = Revealed(faces)
            case _:
                opened = [r.slots for r in turn.requests if isinstance(r, Open)]
                given = Seen(tuple(faces[slot] for slots in opened for slot in slots))
        state = state.apply(given)
    raise EngineError(f"the hand asks for cards without end ({MAX_INPUTS} times)")


def chosen(state: State, seat: int, move: Move, rng: random.Random) -> Input:
    """The input by which `seat` chooses `move`; others who are asked too answer by chance."""
    turn = state.turn()
    if not isinstance(turn, Ask):
        return move
    return Answers(
        tuple(
            (other, move if other == seat else rng.choice(state.legal(other)))
            for other in turn.seats
        )
    )


def play_out(state: State, seat: int, rng: random.Random) -> int:
    """Everybody chooses by chance until the hand is over: `seat`'s score then, less the others'
    on average, times the number of seats (a whole number; the higher the better)."""
    hand, faces = state.hand, state.faces
    for _ in range(MAX_INPUTS):
        state = advance(state, faces)
        turn = state.turn()
        if isinstance(turn, Cards | Over) or state.hand != hand:
            return margin(state, seat)
        due = turn.seat if isinstance(turn, Decide) else turn.seats[0]
        state = state.apply(chosen(state, due, rng.choice(state.legal(due)), rng))
    raise EngineError(f"a hand of more than {MAX_INPUTS} inputs")


def margin(state: State, seat: int) -> int:
    """How far `seat`'s score is above the average, times the number of seats."""
    scores = state.scores()
    ahead = scores[seat] * len(scores) - sum(scores)
    return -ahead if state.game.low_score_wins else ahead
