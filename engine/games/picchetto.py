"""Picchetto, and Rubicone: two players, twelve cards, claims and tricks.

Rules: rules/picchetto.md (PIC-01..PIC-52). Law: this file joins the parts of the game to the
contract: the cards (picchetto_cards), claims (picchetto_declare), moves (picchetto_moves,
picchetto_notation), totals (picchetto_match), the order of a hand (picchetto_exchange,
picchetto_dialogue, picchetto_talk, picchetto_play, picchetto_state), how it is stored
(picchetto_forms, picchetto_short, picchetto_tricks), a player (picchetto_bot) and deals for it to
think about (picchetto_worlds). It must never hold a rule of its own.

Notes, each with its seat (-1: the table) and values (see picchetto_phrases for their meaning):

    dealer-drawn  seat, cards drawn          draws-again    -1
    deals         seat, number of the hand   bianca         seat, cards to be exchanged (elder)
    counts-bianca seat, points, total        fixes          seat, cards put aside, taken
    exchanges     seat, put aside, taken     passes         seat, category
    claims-point, claims-sequence  seat, size     claims-set  seat, size, rank
    good, not-good, how-much, equal  seat, category
    states-sum    seat, sum                  states-top     seat, rank
    counts-point, counts-sequence, counts-set  seat, points, total
    nobody-scores -1, category               novanta, sessanta  seat, total, bonus
    leads, takes, last-trick, cards, cappotto  seat, total
    scores-deal   seat, factor, points, points of the match
    broken-promise  seat                     void           -1
    leaves        seat                       draw           -1
    wins          seat, units of stake
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Final

from engine.cards import FRENCH32, UNKNOWN, DeckKind
from engine.contract import Game, Move, Public, Reason, Scored, State
from engine.errors import OutOfTurn
from engine.games import (
    picchetto_advice,
    picchetto_bot,
    picchetto_moves,
    picchetto_notation,
    picchetto_score,
    picchetto_worlds,
)
from engine.games.picchetto_forms import begin
from engine.games.picchetto_frame import Phase
from engine.games.picchetto_match import PRESETS, SEATS, PicchettoOptions
from engine.games.picchetto_phrases import PHRASES
from engine.games.picchetto_state import PicchettoState
from engine.options import Value

__all__ = ["GAME", "Phase", "Picchetto", "PicchettoOptions", "PicchettoState"]


class Picchetto(Game):
    """Options, first state, and the forms of moves; see the module for the notes."""

    name = "picchetto"
    title = "Picchetto"
    version = 1
    kind: DeckKind = FRENCH32
    options_type = PicchettoOptions
    presets: Mapping[str, Mapping[str, Value]] = PRESETS
    default_preset = "classic"
    min_seats = SEATS
    max_seats = SEATS
    winner_deals = True
    phrases = PHRASES

    def start(self, options: PicchettoOptions, seats: int) -> PicchettoState:
        return begin(options, seats)

    def format(self, state: State, move: Move) -> str:
        own = _own(state)
        return picchetto_notation.format_move(move, own.match.pack, own.faces)

    def parse(self, state: State, text: str, seat: int | None = None) -> Move:
        own = _own(state)
        at = own.at if seat is None or seat not in own.players else own.players.index(seat)
        faces = own.faces
        slots = picchetto_moves.slots_of(own.held[at]) if faces else ()
        hand = {faces[slot]: slot for slot in slots if faces[slot] != UNKNOWN}
        return picchetto_notation.parse_move(text, own.match.pack, hand)

    def encode(self, move: Move) -> Public:
        return picchetto_moves.encode_move(move)

    def decode(self, data: object) -> Move:
        return picchetto_moves.decode_move(data)

    def score(self, options: PicchettoOptions, hands: Sequence[str]) -> tuple[Scored, ...]:
        return picchetto_score.score(options, hands)

    def reasons(self, view: State, seat: int, move: Move) -> tuple[Reason, ...]:
        return picchetto_advice.reasons(_own(view), seat, move)

    def suggest(self, view: State, seat: int, rng: random.Random) -> Move:
        return picchetto_bot.suggest(_own(view), seat, rng)

    def determine(self, view: State, seat: int, rng: random.Random) -> PicchettoState:
        return picchetto_worlds.determine(_own(view), seat, rng)

    def roll_out(self, state: State, seat: int, rng: random.Random) -> int:
        return picchetto_worlds.roll_out(_own(state), seat, rng)


def _own(state: State) -> PicchettoState:
    if not isinstance(state, PicchettoState):
        raise OutOfTurn("the state belongs to another game")
    return state


GAME: Final = Picchetto()
PicchettoState.game = GAME
