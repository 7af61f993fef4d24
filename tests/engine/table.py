"""A table for the tests of the engine: a dealer that is trusted, and players that choose at random.

Law: this file asks the contract alone; it knows no game. Every choice comes from a `Random`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

from engine import options as house_rules
from engine import registry
from engine.cards import Deck
from engine.contract import (
    Answers,
    Ask,
    Cards,
    Decide,
    Draw,
    Drawn,
    Game,
    Input,
    Move,
    Open,
    Over,
    Reseal,
    Resealed,
    Reveal,
    Revealed,
    Seen,
    Show,
    Shuffle,
    Shuffled,
    State,
)

MAX_STEPS = 20_000
"""No match of the tests is longer; one that is doesn't end."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A game with one of its presets and a number of seats."""

    game: str
    preset: str
    seats: int

    def __str__(self) -> str:
        return f"{self.game}-{self.preset}-{self.seats}"

    def start(self) -> State:
        game = registry.get(self.game)
        return game.start(options_of(game, self.preset), self.seats)


def options_of(game: Game, preset: str, given: Sequence[tuple[str, str]] = ()) -> Any:
    return house_rules.make(game.options_type, game.presets[preset], given)


def some_seats(game: Game) -> list[int]:
    """The fewest seats, one more, some in the middle, the most that are quick to play."""
    most = min(game.max_seats, 13)
    middle = (game.min_seats + most) // 2
    return sorted({game.min_seats, min(game.min_seats + 1, most), middle, most})


@cache
def settings() -> tuple[Setting, ...]:
    """Every registered game with every preset and some numbers of seats."""
    return tuple(
        Setting(name, preset, seats)
        for name in registry.GAMES
        for preset in registry.get(name).presets
        for seats in some_seats(registry.get(name))
    )


def shuffled(size: int, faces: Callable[[int], int], rng: Random) -> tuple[int, ...]:
    cards = [faces(physical) for physical in range(size)]
    rng.shuffle(cards)
    return tuple(cards)


def rich(deck: Deck, rng: Random) -> tuple[int, ...]:
    """A deck of triples of one rank: what is rare by chance comes up in every hand."""
    cards = list(shuffled(deck.size, deck.face, rng))
    ranks = sorted(range(len(deck.kind.ranks)), key=lambda _: rng.random())
    threes = [[c for c in cards if deck.kind.rank(c) == rank][:3] for rank in ranks]
    top = list(itertools.chain(*threes))
    for card in top:
        cards.remove(card)
    return (*top, *cards)


@dataclass(slots=True)
class Dealer:
    """Answers card requests; `live` face down, else openly. `faces` lie as they lie now.

    With `generous` every other deck is a rich one.
    """

    rng: Random
    live: bool = False
    generous: bool = False
    dealt: bytes = b""
    faces: list[int] = field(default_factory=list)

    def answer(self, turn: Cards) -> Input:
        first = turn.requests[0]
        match first:
            case Draw(deck):
                return Drawn(shuffled(deck.size, deck.face, self.rng))
            case Shuffle(deck):
                self.dealt = bytes(shuffled(deck.size, deck.face, self.rng))
                if self.generous and self.rng.random() < 0.5:
                    self.dealt = bytes(rich(deck, self.rng))
                self.faces = list(self.dealt)
                return Shuffled(None if self.live else self.dealt)
            case Reseal():
                return Resealed()  # of all permutations the one that changes nothing
            case Reveal():
                return Revealed(self.dealt)
        slots = [request.slots for request in turn.requests if isinstance(request, Open)]
        return Seen(tuple(self.faces[slot] for slot in itertools.chain(*slots)))

    def seen_by(self, state: State, seat: int) -> State:
        """`state` as `seat` sees it, who was shown some cards."""
        if not self.live:
            return state.view(seat)
        mask = state.visible(seat)
        known = {n: face for n, face in enumerate(self.faces) if mask >> n & 1}
        return state.informed(known) if state.faces else state


Choose = Callable[[State, int], Move]


def at_random(rng: Random) -> Choose:
    """A player who takes any legal move."""

    def choose(view: State, seat: int) -> Move:
        return rng.choice(view.legal(seat))

    return choose


def by_advice(rng: Random) -> Choose:
    """A player who does what the game suggests."""

    def choose(view: State, seat: int) -> Move:
        return view.game.suggest(view, seat, rng)

    return choose


def next_input(state: State, dealer: Dealer, choose: Choose) -> Input | None:
    """What comes next in `state`, None when the match is over."""
    turn = state.turn()
    match turn:
        case Decide(seat):
            return choose(dealer.seen_by(state, seat), seat)
        case Ask(seats):
            return Answers(tuple((s, choose(dealer.seen_by(state, s), s)) for s in seats))
        case Cards():
            return dealer.answer(turn)
        case Over():
            return None


def play(state: State, dealer: Dealer, choose: Choose) -> Iterator[tuple[State, Input, State]]:
    """Play to the end: (state, input, state after it) for each input."""
    for _ in range(MAX_STEPS):
        given = next_input(state, dealer, choose)
        if given is None:
            return
        after = state.apply(given)
        yield state, given, after
        state = after
    raise AssertionError(f"no end after {MAX_STEPS} inputs")


def play_open(
    setting: Setting, seed: int, *, advice: bool = False
) -> Iterator[tuple[State, Input, State]]:
    """A whole open match by chance."""
    rng = Random(seed)
    choose = by_advice(rng) if advice else at_random(rng)
    return play(setting.start(), Dealer(rng, generous=True), choose)


def inputs_of(setting: Setting, seed: int, *, advice: bool = False) -> list[Input]:
    """The inputs of a whole open match."""
    return [given for _, given, _ in play_open(setting, seed, advice=advice)]


def requests_kind_ok(requests: Sequence[object]) -> bool:
    """One Draw, Shuffle, Reseal or Reveal alone, or any number of Show and Open."""
    if all(isinstance(request, Show | Open) for request in requests):
        return len(requests) > 0
    return len(requests) == 1 and isinstance(requests[0], Draw | Shuffle | Reseal | Reveal)
