"""Worlds: open positions that one player can't tell from the real one, and a way to play them on.

Law: this file asks the contract alone and knows no game; the defaults of `Game` are made of it.
What `visible` hides from a seat it must never read: a world is sampled, never looked up.

    faces = guess(view, seat, rng)          a deck that agrees with what `seat` sees
    state = view.played_openly(faces)       the world; a live one asks for its cards
    state = advance(state, faces)           ... which are answered here, until somebody chooses
"""

from __future__ import annotations

import random

from engine.cards import UNKNOWN
from engine.contract import (
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
from engine.errors import EngineError

MAX_INPUTS = 5_000
"""No hand that is played by chance is longer."""


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
