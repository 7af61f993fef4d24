"""Traversone (Tressette a perdere, Ciapanò, Rovescino): points taken are penalties.

Rules: rules/traversone.md (TRA-01..TRA-41). Law: this file joins the parts of the game to the
contract: what cards cost (traversone_count), moves (traversone_moves), totals and places
(traversone_match), the order of a hand (traversone_state), a player (traversone_bot). It must
never hold a rule of its own.

Notes, each with its seat (-1: the table) and values:

    dealer-drawn  seat, cards drawn       draws-again   seat
    deals         seat, number of the hand  puts-aside  the dealer of three
    takes         seat, thirds in the trick  last-trick seat
    counts        seat, penalties, thirds taken          cappotto     seat
    broken-promise  seat                  void          -1
    leaves        seat                    out           seat, total
    further-deal  seat that is tied       wins          seat
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final

from engine.cards import ITALIAN, UNKNOWN, DeckKind
from engine.contract import Detail, Game, Move, Public, Reason, Scored, State
from engine.errors import NotationError
from engine.games import (
    traversone_advice,
    traversone_bot,
    traversone_count,
    traversone_moves,
    traversone_playout,
)
from engine.games.phases import own
from engine.games.traversone_count import MAX_SEATS, MIN_SEATS, TraversoneOptions
from engine.games.traversone_moves import Aside, Play
from engine.games.traversone_playout import play_out
from engine.games.traversone_position import Phase
from engine.games.traversone_state import TraversoneState, begin
from engine.options import Value

__all__ = [
    "GAME",
    "Aside",
    "Phase",
    "Play",
    "Traversone",
    "TraversoneOptions",
    "TraversoneState",
    "play_out",
]

PHRASES: Final[Mapping[str, str]] = {
    "dealer-drawn": "{name} draws the lowest card and deals first; {0} were drawn.",
    "draws-again": "{name} is tied for the lowest card and draws from a new deck.",
    "deals": "{name} deals hand {0}.",
    "puts-aside": "{name} puts a card aside, face down, for the last trick.",
    "takes": "{name} takes the trick: {0} thirds of a point.",
    "takes.0": "{name} takes the trick: scartine only.",
    "takes.1": "{name} takes the trick: a third of a point.",
    "takes.3": "{name} takes the trick: a point.",
    "last-trick": "{name} has the last trick, and what is left of the count.",
    "cappotto": "Cappotto! {name} took it all: the others pay.",
    "counts": "{name} scores {0}; thirds taken: {1}.",
    "broken-promise": "{name} didn't follow suit with a card that did: a broken promise.",
    "void": "The deal is void: nothing of it counts.",
    "leaves": "{name} leaves the match.",
    "out": "{name} is out with {0}.",
    "further-deal": "{name} is tied for a place: a further deal decides.",
    "wins": "{name} wins.",
    "scores": "Penalties: {0}.",
}
"""Note kind, perhaps with its first values -> sentence; `scores` is the line of all totals."""


_own: Final = partial(own, TraversoneState)


class Traversone(Game):
    """Options, first state, and the forms of moves; see the module for the notes."""

    name = "traversone"
    title = "Traversone"
    version = 1
    kind: DeckKind = ITALIAN
    options_type = TraversoneOptions
    presets: Mapping[str, Mapping[str, Value]] = {"ciapano": {}}
    default_preset = "ciapano"
    min_seats = MIN_SEATS
    max_seats = MAX_SEATS
    low_score_wins = True
    phrases = PHRASES

    def start(self, options: TraversoneOptions, seats: int) -> TraversoneState:
        return begin(options, seats)

    def format(self, state: State, move: Move) -> str:
        return traversone_moves.format_move(move, _own(state).faces)

    def parse(self, state: State, text: str, seat: int | None = None) -> Move:
        own = _own(state)
        if seat is None and own.players:
            seat = own.players[own.at] if own.phase is Phase.PLAY else own.dealer
        hand = own.hand_of(-1 if seat is None else seat)
        faces = own.faces
        return traversone_moves.parse_move(
            text, {faces[slot]: slot for slot in hand if faces[slot] != UNKNOWN}
        )

    def encode(self, move: Move) -> Public:
        return traversone_moves.encode_move(move)

    def decode(self, data: object) -> Move:
        return traversone_moves.decode_move(data)

    def score(self, options: TraversoneOptions, hands: Sequence[str]) -> tuple[Scored, ...]:
        """Refused: what a pile costs depends on the last trick (TRA-11); see score_piles."""
        raise NotationError("Traversone counts whole deals: say who took the last trick")

    def score_piles(self, options: Any, piles: Sequence[str], last: int) -> tuple[Scored, ...]:
        return traversone_count.score_piles(options, piles, last)

    def tally(self, state: State, seat: int) -> tuple[Detail, ...]:
        own = _own(state)
        won = (p.slots for p in own.piles() if p.name == "won" and p.seat == seat)
        slots = next(won, ())
        return traversone_count.tally(own.options, [own.faces[slot] for slot in slots])

    def reasons(self, view: State, seat: int, move: Move) -> tuple[Reason, ...]:
        return traversone_advice.reasons(_own(view), seat, move)

    def suggest(self, view: State, seat: int, rng: random.Random) -> Move:
        return traversone_bot.suggest(_own(view), seat, rng)

    def determine(self, view: State, seat: int, rng: random.Random) -> TraversoneState:
        return traversone_bot.determine(_own(view), seat, rng)

    def roll_out(self, state: State, seat: int, rng: random.Random) -> int:
        return traversone_playout.roll_out(_own(state), seat, rng)

    def lead_parts(self, state: State) -> int:
        return len(state.players) - 1


GAME: Final = Traversone()
TraversoneState.game = GAME
