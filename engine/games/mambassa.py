"""Mambassa: Petrangola with four cards, a stock and a discard that nobody may follow.

Rules: rules/mambassa.md (MAM-01..MAM-33). Law: this file joins the parts of the game to the
contract: hands (mambassa_hands), moves (mambassa_moves), tokens (mambassa_settle), the order of a
hand (mambassa_state, mambassa_ending), a player (mambassa_bot), its roll-outs (mambassa_playout)
and worlds (mambassa_worlds). It must never hold a rule of its own.

Notes, each with its seat (-1: the table) and values:

    dealer-drawn  seat                     deals        seat, number of the hand
    stays         the dealer               swaps        seat (cambio camicia)
    knocks        seat                     dies-with    the last seat to play
    discards      seat (and draws)         declares     seat
    silent        seat (nothing to declare)
    mambassa      whose declaration counts quarantuna   whose declaration counts
    pays          seat, tokens left        pay-together -1, how many
    extra-life    seat, tokens now         broken-promise  seat
    void          -1                       leaves       seat
    dies          seat                     wins         seat, units of stake
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from engine.cards import ITALIAN, DeckKind
from engine.contract import Game, Ground, Move, Public, Reason, Scored, State
from engine.games import (
    mambassa_advice,
    mambassa_bot,
    mambassa_moves,
    mambassa_playout,
    mambassa_reasons,
    mambassa_worlds,
)
from engine.games.mambassa_hands import (
    FRENCH40,
    MAX_SEATS,
    MIN_SEATS,
    PRESETS,
    MambassaOptions,
    Value,
    value,
)
from engine.games.mambassa_moves import Bottom, Exchange
from engine.games.mambassa_phrases import PHRASES
from engine.games.mambassa_position import Phase
from engine.games.mambassa_settle import Shown
from engine.games.mambassa_state import MambassaState, begin
from engine.games.phases import own

__all__ = [
    "FRENCH40",
    "GAME",
    "Bottom",
    "Exchange",
    "Mambassa",
    "MambassaOptions",
    "MambassaState",
    "Phase",
    "Shown",
    "Value",
    "value",
]


_own: Final = partial(own, MambassaState)


class Mambassa(Game):
    """Options, first state, and the forms of moves; see the module for notes."""

    name = "mambassa"
    title = "Mambassa"
    version = 1
    kind: DeckKind = ITALIAN
    options_type = MambassaOptions
    presets = PRESETS
    default_preset = "mambassa"
    hands_compare = True
    min_seats = MIN_SEATS
    max_seats = MAX_SEATS
    phrases = PHRASES

    def start(self, options: MambassaOptions, seats: int) -> MambassaState:
        return begin(options, seats)

    def format(self, state: State, move: Move) -> str:
        own = _own(state)
        return mambassa_moves.format_move(own.deck.kind, move, *_cards(own, None))

    def parse(self, state: State, text: str, seat: int | None = None) -> Move:
        own = _own(state)
        return mambassa_moves.parse_move(own.deck.kind, text, *_cards(own, seat))

    def encode(self, move: Move) -> Public:
        return mambassa_moves.encode_move(move)

    def decode(self, data: object) -> Move:
        return mambassa_moves.decode_move(data)

    def score(self, options: MambassaOptions, hands: Sequence[str]) -> tuple[Scored, ...]:
        """`2d 2c 2s 7b` or `2d2c2s7b`, in half points; see mambassa_reasons.score."""
        return mambassa_reasons.score(options, hands)

    def grounds(self, state: State) -> Mapping[int, Ground]:
        own = _own(state)
        return mambassa_reasons.grounds(own.showdown())

    def reasons(self, view: State, seat: int, move: Move) -> tuple[Reason, ...]:
        return mambassa_advice.reasons(_own(view), seat, move)

    def suggest(self, view: State, seat: int, rng: random.Random) -> Move:
        return mambassa_bot.suggest(_own(view), seat, rng)

    def shortlist(self, view: State, seat: int) -> Sequence[Move]:
        return mambassa_bot.shortlist(_own(view), seat)

    def determine(self, view: State, seat: int, rng: random.Random) -> MambassaState:
        return mambassa_worlds.determine(_own(view), seat, rng)

    def roll_out(self, state: State, seat: int, rng: random.Random) -> int:
        return mambassa_playout.roll_out(_own(state), seat, rng)


def _cards(state: MambassaState, seat: int | None) -> tuple[list[int], list[int]]:
    """The faces of the hand that is meant, while a move names its cards, and of the monte, while
    cards can be exchanged."""
    if state.phase not in (Phase.PLAY, Phase.BOTTOM):
        return [], []
    slots = state.hand_of(state.players[state.at] if seat is None else seat)
    monte = state.monte if state.phase is Phase.PLAY else ()
    return [state.faces[s] for s in slots], [state.faces[s] for s in monte]


GAME: Final = Mambassa()
MambassaState.game = GAME
