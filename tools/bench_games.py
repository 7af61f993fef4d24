"""`busso bench engine` and `busso bench bots`: how fast the games are, and how well bots play.

Law: what is measured goes through the contract, with every move's legality checked again. Speed is
told with a floor, a bare loop of as many calls, in time of the processor as well as of the clock.
Floor and game take turns of a few hundredths of a second, since the pace of a busy computer changes
within a second: the ratio says most.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final

from engine import registry
from engine.contract import Answers, Cards, Decide, Draw, Game, Input, Over, Shuffle, State
from node.search import Budget
from tools.duels import PAIRS, duel, shuffled, usual_options, usual_players
from tools.output import Output, Progress

_SECONDS: Final = 1.0
"""How long each speed is measured, at least."""
_TURNS: Final = 20
"""Turns that the floor and a game take."""
_HANDS: Final = 20
"""Hands between two looks at the clock."""
_DECKS: Final = 97
_DECKS_ASKED: Final = (Draw, Shuffle)
_MASK: Final = 2**32 - 1


@dataclass(frozen=True, slots=True)
class Pace:
    """Work done, with the seconds of the clock and of the processor that it took."""

    done: int
    wall: float
    cpu: float

    @property
    def per_s(self) -> int:
        """By the processor's time, since others may be using it."""
        return round(self.done / max(self.cpu, 1e-9))

    @property
    def per_wall_s(self) -> int:
        return round(self.done / max(self.wall, 1e-9))


def pace(work: Callable[[], int], seconds: float | None = None) -> Pace:
    """Repeat `work`, which says how much it did, for `seconds` of the processor."""
    least = _SECONDS if seconds is None else seconds
    done = 0
    wall, cpu = time.perf_counter(), time.process_time()
    while True:
        done += work()
        spent = time.process_time() - cpu
        if spent >= least:
            return Pace(done, time.perf_counter() - wall, spent)


def in_turns(
    work: Callable[[], int], other: Callable[[], int], seconds: float | None = None
) -> tuple[Pace, Pace]:
    """`pace` of both, each in as many turns, `other` in shorter ones."""
    slice_ = (_SECONDS if seconds is None else seconds) / _TURNS
    turns = [(pace(other, slice_ / 4), pace(work, slice_)) for _ in range(_TURNS)]
    others, works = zip(*turns, strict=True)
    return together(works), together(others)


def together(paces: Sequence[Pace]) -> Pace:
    """All that was done in all the time it took."""
    return Pace(
        sum(one.done for one in paces),
        sum(one.wall for one in paces),
        sum(one.cpu for one in paces),
    )


class _Empty:
    """A position that does nothing: what the calls alone cost."""

    __slots__ = ("due", "moves")

    def __init__(self) -> None:
        self.due = Decide(0)
        self.moves = (0, 1, 2)

    def turn(self) -> object:
        return self.due

    def legal(self) -> tuple[int, ...]:
        return self.moves

    def apply(self, _: int) -> _Empty:
        return _Empty()


def floor() -> int:
    """As many calls a move as `walk` makes, on positions that do nothing."""
    state, chance = _Empty(), 1
    for _ in range(1000):
        turn = state.turn()
        if isinstance(turn, Decide):
            legal = state.legal()
            chance = chance * 1664525 + 1013904223 & _MASK
            state = state.apply(legal[(chance >> 8) % len(legal)])
    return 1000


class Walk:
    """Open matches by chance through `turn`, `legal` and `apply`, one after another."""

    def __init__(self, game: Game, seats: int) -> None:
        self.game = game
        self.seats = seats
        self.options = usual_options(game)
        self.decks: dict[object, list[Input]] = {}
        self.dealt = 0
        self.chance = 1
        self.state: State = game.start(self.options, seats)

    def hands(self) -> int:
        """Play on for some hands; the moves made."""
        state, chance, moves, ended = self.state, self.chance, 0, 0
        while ended < _HANDS:
            turn = state.turn()
            if isinstance(turn, Decide):
                legal = state.legal()
                chance = chance * 1664525 + 1013904223 & _MASK
                state = state.apply(legal[(chance >> 8) % len(legal)])
                moves += 1
            elif isinstance(turn, Cards):
                ended += 1
                state = state.apply(self._deck(turn))
            elif isinstance(turn, Over):
                state = self.game.start(self.options, self.seats)
            else:
                chance = chance * 1664525 + 1013904223 & _MASK
                answers = []
                for seat in turn.seats:
                    legal = state.legal(seat)
                    answers.append((seat, legal[(chance >> 8) % len(legal)]))
                state = state.apply(Answers(tuple(answers)))
                moves += len(answers)
        self.state, self.chance = state, chance
        return moves

    def _deck(self, turn: Cards) -> Input:
        """One of some decks that were shuffled beforehand: shuffling is no move of a game."""
        request = turn.requests[0]
        key = type(request), request.deck.size if isinstance(request, _DECKS_ASKED) else 0
        decks = self.decks.get(key)
        if decks is None:
            found = [shuffled(turn, random.Random(n)) for n in range(_DECKS)]
            decks = self.decks[key] = [given for given in found if given is not None]
            if not decks:
                raise TypeError(f"{self.game.name}: an open state asks for {turn.requests}")
        self.dealt += 1
        return decks[self.dealt % _DECKS]


def dealt(game: Game, seats: int, number: int) -> State:
    """The first choice after the deal of a first hand."""
    decks = random.Random(number)
    state: State = game.start(usual_options(game), seats)
    while True:
        turn = state.turn()
        if isinstance(turn, Cards):
            given = shuffled(turn, decks)
            if given is not None:
                state = state.apply(given)
                continue
        if isinstance(turn, Decide) and not state.faces:
            state = state.apply(state.legal()[0])
            continue
        return state


def moves_of_a_hand(game: Game, seats: int, hands: int = 20) -> float:
    """How many moves a hand has on average, as it is suggested to play it."""
    chance = random.Random(2)
    moves = 0
    for number in range(hands):
        state = dealt(game, seats, number)
        hand = state.hand
        while state.hand == hand and not isinstance(turn := state.turn(), Cards | Over):
            asked = (turn.seat,) if isinstance(turn, Decide) else turn.seats
            chosen = [(s, game.suggest(state.view(s), s, chance)) for s in asked]
            state = state.apply(
                chosen[0][1] if isinstance(turn, Decide) else Answers(tuple(chosen))
            )
            moves += len(asked)
    return moves / hands


class RollOuts:
    """Whole hands by the games' fast policies."""

    def __init__(self, game: Game, seats: int) -> None:
        self.game = game
        self.chance = random.Random(3)
        self.starts = [dealt(game, seats, number) for number in range(20)]
        self.moves = moves_of_a_hand(game, seats)

    def some(self) -> int:
        """Roll every start out once; how many."""
        for state in self.starts:
            self.game.roll_out(state, 0, self.chance)
        return len(self.starts)


def speed(
    game: Game, seats: int, bare: Pace | None = None, seconds: float | None = None
) -> dict[str, Any]:
    """The figures of one game; `bare` is the floor, by default measured in turns with the game."""
    public, beside = in_turns(Walk(game, seats).hands, floor, seconds)
    bare = bare or beside
    rolled = RollOuts(game, seats)
    roll_outs = pace(rolled.some, seconds)
    return {
        "players": seats,
        "moves_per_s": public.per_s,
        "moves_per_wall_s": public.per_wall_s,
        "floor_moves_per_s": bare.per_s,
        "ratio": round(bare.per_s / public.per_s, 1),
        "roll_outs_per_s": roll_outs.per_s,
        "moves_per_hand": round(rolled.moves, 1),
        "roll_out_moves_per_s": round(roll_outs.per_s * rolled.moves),
        "cpu_s": round(public.cpu + roll_outs.cpu, 2),
        "wall_s": round(public.wall + roll_outs.wall, 2),
    }


def _games(args: argparse.Namespace) -> list[Game]:
    return [registry.get(name) for name in ([args.game] if args.game else registry.GAMES)]


def engine(args: argparse.Namespace, out: Output) -> int:
    """Moves a second of each game."""
    bare = pace(floor)
    value: dict[str, Any] = {"floor_moves_per_s": bare.per_s, "games": {}}
    if not out.json:
        out.line(f"{'bare calls':<12} {bare.per_s:>10,} moves/s")
    for game in _games(args):
        found = speed(game, usual_players(game, args.players))
        value["games"][game.name] = found
        if not out.json:
            out.line(
                f"{game.name:<12} {found['moves_per_s']:>10,} moves/s, "
                f"{found['ratio']:.1f} times the floor; "
                f"{found['roll_outs_per_s']:,} roll-outs/s of {found['moves_per_hand']:g} moves: "
                f"{found['roll_out_moves_per_s']:,} moves/s"
            )
    if out.json:
        out.data(value)
    return 0


def _told(progress: Progress, total: int, done: int) -> None:
    progress(done, total)


def bots(args: argparse.Namespace, out: Output) -> int:
    """Each pair of levels in each game; 1 if one of them isn't surely stronger."""
    budget = Budget(float("inf"), args.samples) if args.samples else Budget(args.think)
    value: dict[str, Any] = {
        "think": None if args.samples else args.think,
        "samples": args.samples,
        "first": args.first,
        "games": {},
    }
    sure = True
    for game in _games(args):
        seats = usual_players(game, args.players)
        pairs = []
        for pair in PAIRS:
            begun = time.process_time()
            with out.progress(f"{game.name}: {pair[0]} against {pair[1]}") as progress:
                told = partial(_told, progress, args.games)
                found = duel(game, seats, args.games, pair, budget, first=args.first, told=told)
            sure = sure and found.sure
            cpu = round(time.process_time() - begun, 1)
            pairs.append({**asdict(found), "sure": found.sure, "cpu_s": cpu})
            if not out.json:
                tell = out.good if found.sure else out.bad
                tell(
                    f"{game.name}, {seats} players, {found.deals} deals: {found.better} against "
                    f"{found.worse} {found.margin:+.3f} a hand (95 %: ± {found.error:.3f})"
                )
        value["games"][game.name] = {"players": seats, "pairs": pairs}
    if out.json:
        out.data(value)
    return 0 if sure else 1
