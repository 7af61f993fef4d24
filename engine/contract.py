"""The contract between a game and everything that plays, deals, logs, checks or shows it.

Law: a game is a `Game` and the `State`s of its matches, and nobody needs to know more of it. What
a state is and what may be applied to it is in engine.state; all of it can be had from here.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from engine import worlds
from engine.cards import DeckKind
from engine.errors import NotationError
from engine.options import Value
from engine.state import (
    Answers,
    Ask,
    Breach,
    Cards,
    Decide,
    Detail,
    Draw,
    Drawn,
    Ground,
    Input,
    Leave,
    Move,
    Note,
    Open,
    Over,
    Pile,
    Promise,
    Public,
    Reason,
    Request,
    Reseal,
    Resealed,
    Result,
    Reveal,
    Revealed,
    Scored,
    Seen,
    Show,
    Shuffle,
    Shuffled,
    State,
    Turn,
    mask_of,
)

__all__ = [
    "Answers",
    "Ask",
    "Breach",
    "Cards",
    "Decide",
    "Detail",
    "Draw",
    "Drawn",
    "Game",
    "Ground",
    "Input",
    "Leave",
    "Move",
    "Note",
    "Open",
    "Over",
    "Pile",
    "Promise",
    "Public",
    "Reason",
    "Request",
    "Reseal",
    "Resealed",
    "Result",
    "Reveal",
    "Revealed",
    "Scored",
    "Seen",
    "Show",
    "Shuffle",
    "Shuffled",
    "State",
    "Turn",
    "mask_of",
]


class Game(ABC):
    """One game: its options, its first state, and the text and data forms of its moves."""

    name: str
    title: str
    version: int
    kind: DeckKind
    options_type: type
    presets: Mapping[str, Mapping[str, Value]]
    default_preset: str
    min_seats: int
    max_seats: int
    low_score_wins: bool = False
    """Whether `State.scores` are better the lower (penalties)."""
    hands_compare: bool = False
    """Whether hands as they are held are compared, so that one has a worth to be told."""
    winner_deals: bool = False
    """Whether the winner of a match deals first in the next one of the same players at a table."""
    phrases: Mapping[str, str] = {}
    """Note kind -> an English sentence for people, with `{name}` for the note's seat and `{0}`,
    `{1}` ... for its values (`{name0}` for a value that is a seat). Translations start from it.
    A key may go on with first values (`falls.1.2`), and `scores` is the line of all scores."""

    @abstractmethod
    def start(self, options: Any, seats: int) -> State:
        """The first state of a match of `seats`. OptionError if the game can't be played so."""

    @abstractmethod
    def format(self, state: State, move: Move) -> str:
        """`move` as the player in `state` would write it; unknown cards as `??`."""

    @abstractmethod
    def parse(self, state: State, text: str, seat: int | None = None) -> Move:
        """The move that `text` names exactly. NotationError (invalid text), AmbiguousMove;
        whether the rules allow it is `apply`'s question (IllegalMove)."""

    @abstractmethod
    def encode(self, move: Move) -> Public:
        """`move` as a log holds it: slots' positions, never faces."""

    @abstractmethod
    def decode(self, data: object) -> Move:
        """The inverse of `encode`, for data from outside; NotationError unless exact."""

    @abstractmethod
    def score(self, options: Any, hands: Sequence[str]) -> tuple[Scored, ...]:
        """Judge hands written as text (`busso score`). NotationError for what is no hand."""

    def score_piles(self, options: Any, piles: Sequence[str], last: int) -> tuple[Scored, ...]:
        """Judge a whole deal: what each seat took, in the order of seats, where seat `last` took
        the last trick (`busso score --last`). NotationError for what is no such deal, and from
        a game where the last trick isn't charged."""
        raise NotationError(f"{self.title} is scored without the last trick (--last)")

    def tally(self, state: State, seat: int) -> tuple[Detail, ...]:
        """What the cards that `seat` took in this hand count, the dearest first: of those that
        count alike the ranks (`A`, `32RCF`), the cards, and their points in the game's own unit;
        `partner` is what a partner's count. Cards that aren't known count nothing."""
        return ()

    def grounds(self, state: State) -> Mapping[int, Ground]:
        """For each seat whose hand the end of a deal showed what puts it above the next worse one;
        nothing for the worst, and from a game that compares no hands."""
        return {}

    @abstractmethod
    def suggest(self, view: State, seat: int, rng: random.Random) -> Move:
        """A sensible legal move of `seat`, from what `view` shows to it and nothing else."""

    def reasons(self, view: State, seat: int, move: Move) -> tuple[Reason, ...]:
        """What speaks for `move`, the weightiest first, from what `view` shows to `seat`: facts
        that hold in every deal that `seat` can't tell from this one. By default none."""
        return ()

    def easy(self, view: State, seat: int, rng: random.Random) -> Move:
        """A legal move of a weak player; by default every second one is left to chance."""
        if rng.random() < 0.5:
            return self.suggest(view, seat, rng)
        return rng.choice(view.legal(seat))

    def shortlist(self, view: State, seat: int) -> Sequence[Move]:
        """The legal moves among which `seat` may have to search, by default all of them."""
        return view.legal(seat)

    def determine(self, view: State, seat: int, rng: random.Random) -> State:
        """A world that `seat` can't tell from the real one: `view.played_openly` with every card
        that `seat` doesn't see sampled. By default all decks are alike that agree with the cards
        seen; a game adds what others have promised or shown by their moves.

        `view`: with a deck dealt (`faces`); no card hidden from `seat` may be read.
        """
        return view.played_openly(worlds.guess(view, seat, rng))

    def roll_out(self, state: State, seat: int, rng: random.Random) -> int:
        """How well the hand of `state` goes for `seat`, the higher the better, if all go on by a
        fast policy; comparable between the moves of one decision.

        `state`: from `determine`, perhaps with moves after it, even if they ended the hand. By
        default everybody chooses by chance and `seat`'s score is compared with the others'.
        """
        return worlds.play_out(state, seat, rng)

    def lead_parts(self, state: State) -> int:
        """How much of `roll_out` is one point (token, penalty) of lead over the others' average in
        `state`; 0 where a roll-out counts more than that."""
        return state.seats - 1
