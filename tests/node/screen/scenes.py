"""Tables to look at: a live match of any game, dealt from a seed, as one seat sees it.

Law: the engine plays, moves are drawn by chance (so that no better player changes a scene), `Story`
is told each input; a scene is the view at a moment. Nothing here paints.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random

from engine import registry
from engine.contract import Cards, Move, Over, Reveal, Shuffle, Shuffled, State
from node.screen.story import Story
from node.screen.view import SPECTATOR, Fairness, Surroundings, TableView, look
from tests.engine.table import Choose, Dealer, at_random, next_input, options_of

Wanted = Callable[[TableView], bool]
NAMES = ("Tina", "Ada", "Bruno", "Carla", "Dino", "Elsa", "Fabio", "Gina", "Ugo", "Ivo")
MAX_SCENES = 40_000


@dataclass(frozen=True, slots=True)
class Table:
    """A match to look at: a game, its house rules, seats, the seed, and whose eyes are used.

    `hand`: the cards that seat `holder` is dealt in every deal, by default the reader;
    `prefers`: a word that everybody says who may.
    """

    game: str
    seats: int
    seed: int = 1
    preset: str = ""
    given: tuple[tuple[str, str], ...] = ()
    me: int = 0
    hand: str = ""
    holder: int | None = None
    prefers: str = ""

    def start(self) -> State:
        game = registry.get(self.game)
        options = options_of(game, self.preset or game.default_preset, self.given)
        return game.start(options, self.seats)


@dataclass(frozen=True, slots=True)
class Moment:
    """`name` names the file; the view of `table` that is `wanted`, changed by `turned`; `keys`."""

    name: str
    table: Table
    wanted: Wanted
    keys: tuple[str, ...] = ()
    turned: Callable[[TableView], TableView] = lambda view: view
    result: bool = False
    """Whether the result of a hand lies over the table."""


class Reel:
    """The scenes of a table, played once for all who look at them and as far as they look."""

    def __init__(self, table: Table) -> None:
        self._seen: list[TableView] = []
        self._rest = scenes(table)

    def __iter__(self) -> Iterator[TableView]:
        for n in itertools.count():
            if n == len(self._seen):
                view = next(self._rest, None)
                if view is None:
                    return
                self._seen.append(view)
            yield self._seen[n]


@functools.lru_cache(maxsize=8)
def reel(table: Table) -> Reel:
    """The scenes of a table; the last tables are kept."""
    return Reel(table)


def fairness(state: State, names: tuple[str, ...]) -> Fairness:
    """What a table of the engine alone would know of its deal."""
    turn = state.turn()
    shuffling = isinstance(turn, Cards) and isinstance(turn.requests[0], Shuffle)
    done = tuple((names[seat], 9 + n) for n, seat in enumerate(state.players))
    shuffles = done[:1] if shuffling else done if state.faces else ()
    return Fairness(shuffles, len(state.players), 40, 38, max(0, state.hand - 1))


def scenes(table: Table) -> Iterator[TableView]:
    """The view of `table.me` after every input, the first position included."""
    rng = Random(table.seed)
    dealer = Dealer(rng, live=True, generous=table.seed % 2 == 0)
    choose = preferring(table.prefers, at_random(rng))
    state = table.start()
    story = Story()
    names = tuple(
        NAMES[n % len(NAMES)] + (str(n) if n >= len(NAMES) else "") for n in range(table.seats)
    )
    around = Surroundings(names, (True,) * table.seats)
    for _ in range(MAX_SCENES):
        seen = seen_by(dealer, state, table.me)
        yield look(seen, table.me, story, replace(around, fairness=fairness(state, names)))
        given = next_input(state, dealer, choose)
        if given is None:
            return
        if table.hand and isinstance(given, Shuffled):
            deal(dealer, state.apply(given), table)
        after = state.apply(given)
        now = seen_by(dealer, after, table.me)
        story = story.told(seen, given, now, after.notes)
        state = after
    raise AssertionError("the match doesn't end")


def deal(dealer: Dealer, state: State, table: Table) -> None:
    """Put the cards of the holder where they were dealt to it; `state` is after the shuffle."""
    holder = table.me if table.holder is None else table.holder
    slots = next(p.slots for p in state.piles() if (p.name, p.seat) == ("hand", holder))
    deck = list(dealer.dealt)
    for slot, face in zip(slots, state.deck.kind.split(table.hand), strict=True):
        there = deck.index(face)
        deck[slot], deck[there] = deck[there], deck[slot]
    dealer.dealt = bytes(deck)
    dealer.faces = deck


def preferring(word: str, choose: Choose) -> Choose:
    """A player who says `word` whenever that is possible, and chooses by `choose` otherwise."""

    def chosen(view: State, seat: int) -> Move:
        for move in view.legal(seat) if word else ():
            if move_word(view, move) == word:
                return move
        return choose(view, seat)

    return chosen


def move_word(state: State, move: Move) -> str:
    """The first word of a move's form in a log."""
    form = state.game.encode(move)
    return str(form[0]) if isinstance(form, tuple) else ""


def seen_by(dealer: Dealer, state: State, seat: int) -> State:
    """The state as a seat sees it; a spectator sees what lies open."""
    return dealer.seen_by(state, seat) if state.faces and seat != SPECTATOR else state


def ends(view: TableView) -> bool:
    """Whether the hand has just been played to its end."""
    turn = view.state.turn()
    return isinstance(turn, Cards) and isinstance(turn.requests[0], Reveal)


def is_over(view: TableView) -> bool:
    return isinstance(view.state.turn(), Over)
