"""Briscola: take the cards that count, with a suit that beats the others.

Rules: rules/briscola.md (BRI-01..BRI-11). Law: this file joins the parts of the game to the
contract: cards (briscola_cards), the order of a hand (briscola_state), a player (briscola_bot). It
must never hold a rule of its own. A move is a card (`3s`); a log holds its slot, ("play", 17).

Notes, each with its seat (-1: the table) and values:

    dealer-drawn  seat                 deals   seat, number of the hand
    takes         seat, points taken   counts  seat, points in the deal
    game          seat, games won      drawn   -1 (nobody wins the deal)
    leaves        seat                 void    -1
    wins          seat
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from engine.cards import ITALIAN, UNKNOWN, DeckKind
from engine.contract import Detail, Game, Move, Public, Reason, Scored, State
from engine.errors import NotationError
from engine.games import (
    briscola_advice,
    briscola_bot,
    briscola_cards,
    briscola_careful,
)
from engine.games.briscola_cards import MAX_SEATS, MIN_SEATS, BriscolaOptions
from engine.games.briscola_state import PLAYS, BriscolaState, Phase, Play, begin
from engine.games.phases import own
from engine.options import Value

__all__ = ["GAME", "Briscola", "BriscolaOptions", "BriscolaState", "Phase", "Play"]

PHRASES: Final[Mapping[str, str]] = {
    "dealer-drawn": "{name} draws the lowest card and deals first.",
    "deals": "{name} deals hand {0}.",
    "takes": "{name} takes the trick: {0} points.",
    "takes.0": "{name} takes the trick: nothing but scartine.",
    "counts": "{name} took {0} points.",
    "game": "{name} wins the deal, and has won {0} now.",
    "drawn": "The deal is a draw (patta): nobody wins it.",
    "leaves": "{name} leaves the match.",
    "void": "The deal is void: nothing of it counts.",
    "wins": "{name} wins.",
    "scores": "Deals won: {0}.",
}
"""Note kind, perhaps with its first values -> sentence; `scores` is the line of all scores."""


_own: Final = partial(own, BriscolaState)


class Briscola(Game):
    """Options, first state, and the forms of moves; see the module for the notes."""

    name = "briscola"
    title = "Briscola"
    version = 1
    kind: DeckKind = ITALIAN
    options_type = BriscolaOptions
    presets: Mapping[str, Mapping[str, Value]] = {"classic": {}}
    default_preset = "classic"
    min_seats = MIN_SEATS
    max_seats = MAX_SEATS
    phrases = PHRASES

    def start(self, options: BriscolaOptions, seats: int) -> BriscolaState:
        return begin(options, seats)

    def format(self, state: State, move: Move) -> str:
        return state.deck.kind.text(_own(state).faces[_play(move).slot])

    def parse(self, state: State, text: str, seat: int | None = None) -> Move:
        own, kind = _own(state), state.deck.kind
        if text == "??":
            raise NotationError("?? stands for a card that can't be seen from here")
        face = kind.parse(text)
        hand = own.hand_of(own.players[own.at] if seat is None else seat)
        for slot in hand:
            if own.faces[slot] == face:
                return PLAYS[slot]
        known = [own.faces[slot] for slot in hand if own.faces[slot] != UNKNOWN]
        raise NotationError(f"{text} is not in the hand: {kind.join(known)}")

    def encode(self, move: Move) -> Public:
        return ("play", _play(move).slot)

    def decode(self, data: object) -> Move:
        if type(data) is tuple and len(data) == 2 and type(data[0]) is str and data[0] == "play":
            slot = data[1]
            if type(slot) is int and 0 <= slot < len(PLAYS):
                return PLAYS[slot]
        raise NotationError("the data is no move of Briscola")

    def score(self, options: BriscolaOptions, hands: Sequence[str]) -> tuple[Scored, ...]:
        """`Ac 3d Rd`: see briscola_cards.score."""
        return briscola_cards.score(hands)

    def tally(self, state: State, seat: int) -> tuple[Detail, ...]:
        own = _own(state)
        won = {pile.seat: pile.slots for pile in own.piles() if pile.name == "won"}
        if seat not in won:
            return ()
        count = zip(own.players, own.points(), strict=True)
        partners = tuple(
            Detail("partner", "", points)
            for other, points in count
            if other != seat and own.side(other) == own.side(seat)
        )
        return briscola_cards.tally(own.cards, [own.faces[slot] for slot in won[seat]]) + partners

    def reasons(self, view: State, seat: int, move: Move) -> tuple[Reason, ...]:
        return briscola_advice.reasons(_own(view), seat, move)

    def suggest(self, view: State, seat: int, rng: random.Random) -> Move:
        return briscola_bot.suggest(_own(view), seat, rng)

    def roll_out(self, state: State, seat: int, rng: random.Random) -> int:
        return briscola_careful.roll_out(_own(state), seat, rng)

    def lead_parts(self, state: State) -> int:
        return 0  # to win the deal is worth something by itself


def _play(move: Move) -> Play:
    if not isinstance(move, Play):
        raise NotationError(f"{type(move).__name__} is no move of Briscola")
    return move


GAME: Final = Briscola()
BriscolaState.game = GAME
