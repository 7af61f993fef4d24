"""Deals of Picchetto that one player can't tell from the real one; picchetto_rollout plays them on.

Law: this file samples the cards that a seat doesn't see, by what it sees and by what the other
has promised. It must never look up a hidden card.
"""

from __future__ import annotations

import random
from typing import Final

from engine import worlds
from engine.games.picchetto_cards import hand_of
from engine.games.picchetto_declare import choices
from engine.games.picchetto_rollout import roll_out
from engine.games.picchetto_state import PicchettoState

__all__ = ["determine", "roll_out"]

_TRIES: Final = 200
"""Samples among which one is looked for that agrees with all that was said."""


def determine(view: PicchettoState, seat: int, rng: random.Random) -> PicchettoState:
    """A deal that agrees with what `seat` sees and with every claim and promise of the other; if
    that is too rare to be found, with what `seat` sees alone."""
    faces = worlds.guess(view, seat, rng)
    for _ in range(_TRIES):
        if _agrees(view, seat, faces):
            break
        faces = worlds.guess(view, seat, rng)
    return view.played_openly(faces)


def _agrees(view: PicchettoState, seat: int, faces: bytes) -> bool:
    """Whether the other's promises about cards that lie where they lay are true of `faces`, and
    the cards that are due from the other are there."""
    codes = view.match.pack.codes
    for promise, vow in zip(view.promises, view.vows, strict=True):
        if promise.seat == seat or vow.reseals != view.reseals:
            continue
        if not vow.kept(view.match, hand_of(codes[faces[slot]] for slot in promise.slots)):
            return False
    for demand in view.talk.due if view.talk else ():
        other = view.players[demand.player]
        if other != seat:
            hand = hand_of(codes[faces[slot]] for slot in view.hand_of(other))
            if not choices(view.match.pack, demand, hand):
                return False
    return True
