"""Petrangola: not to be the worst. Rules: rules/petrangola.md (PET-01..PET-62).

Law: this file joins the parts of the game to the contract: hands (petrangola_hands), moves
(petrangola_moves), tokens (petrangola_settle), the order of a hand (petrangola_state), a
player (petrangola_bot), its roll-outs (petrangola_playout) and worlds (petrangola_worlds). It must
never hold a rule of its own.

Notes, each with its seat (-1: the table) and values:

    dealer-drawn  seat, cards dealt face up      deals   seat, number of the hand
    cut           seat, where                    stays   the dealer
    swaps         seat (cambio camicia)          knocks  seat
    shows         seat (a petrangola)            dies-with  the last seat to play
    falls         seat, tokens lost, left        fall-together  -1, how many
    fallen-with-petrangola  seat                 bisciola  seat, deals in a row
    bonus         seat, tokens gained, now       broken-promise  seat
    void          -1 (the deal counts nothing)   replayed  -1 (PET-45)
    leaves        seat                           dies      seat
    asked         seat, tokens offered, price    reenters  seat, tokens, price
    declines      seat                           pot       -1, what it holds (when it grew)
    wins          seat, units of stake
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from engine.cards import ITALIAN, DeckKind
from engine.contract import Game, Ground, Move, Public, Reason, Scored, State
from engine.games import (
    petrangola_advice,
    petrangola_bot,
    petrangola_hands,
    petrangola_moves,
    petrangola_playout,
    petrangola_reasons,
    petrangola_worlds,
)
from engine.games.petrangola_hands import MAX_SEATS, PRESETS, PetrangolaOptions, Value, value
from engine.games.petrangola_moves import Exchange
from engine.games.petrangola_phrases import PHRASES
from engine.games.petrangola_position import Phase
from engine.games.petrangola_settle import Shown
from engine.games.petrangola_state import PetrangolaState, begin
from engine.games.phases import own

__all__ = [
    "GAME",
    "Exchange",
    "Petrangola",
    "PetrangolaOptions",
    "PetrangolaState",
    "Phase",
    "Shown",
    "Value",
    "value",
]


_own: Final = partial(own, PetrangolaState)


class Petrangola(Game):
    """Options, first state, and the forms of moves; see the module for phases and notes."""

    name = "petrangola"
    title = "Petrangola"
    version = 1
    kind: DeckKind = ITALIAN
    options_type = PetrangolaOptions
    presets = PRESETS
    default_preset = "marche"
    hands_compare = True
    min_seats = petrangola_hands.MIN_SEATS
    max_seats = MAX_SEATS
    phrases = PHRASES

    def start(self, options: PetrangolaOptions, seats: int) -> PetrangolaState:
        return begin(options, seats)

    def format(self, state: State, move: Move) -> str:
        return petrangola_moves.format_move(move, *_cards(state, None))

    def parse(self, state: State, text: str, seat: int | None = None) -> Move:
        return petrangola_moves.parse_move(text, *_cards(state, seat))

    def encode(self, move: Move) -> Public:
        return petrangola_moves.encode_move(move)

    def decode(self, data: object) -> Move:
        return petrangola_moves.decode_move(data)

    def score(self, options: PetrangolaOptions, hands: Sequence[str]) -> tuple[Scored, ...]:
        """`2d 2c 2s` or `2d2c2s`; see petrangola_reasons.score."""
        return petrangola_reasons.score(options, hands)

    def grounds(self, state: State) -> Mapping[int, Ground]:
        own = _own(state)
        return petrangola_reasons.grounds(own.options, own.showdown())

    def reasons(self, view: State, seat: int, move: Move) -> tuple[Reason, ...]:
        return petrangola_advice.reasons(_own(view), seat, move)

    def suggest(self, view: State, seat: int, rng: random.Random) -> Move:
        return petrangola_bot.suggest(_own(view), seat, rng)

    def shortlist(self, view: State, seat: int) -> Sequence[Move]:
        return petrangola_bot.shortlist(_own(view), seat)

    def determine(self, view: State, seat: int, rng: random.Random) -> PetrangolaState:
        return petrangola_worlds.determine(_own(view), seat, rng)

    def roll_out(self, state: State, seat: int, rng: random.Random) -> int:
        return petrangola_playout.play_out(_own(state), seat, rng)


def _cards(state: State, seat: int | None) -> tuple[list[int], list[int]]:
    """The faces of the hand that is meant and of the monte, while cards can be exchanged."""
    own = _own(state)
    if own.phase is not Phase.PLAY:
        return [], []
    slots = own.hand_of(own.players[own.at] if seat is None else seat)
    return [own.faces[s] for s in slots], [own.faces[s] for s in own.monte]


GAME: Final = Petrangola()
PetrangolaState.game = GAME
