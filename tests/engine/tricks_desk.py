"""A desk for the tests of trick-taking games: hands laid out by hand, moves spoken as text.

Law: this file deals what a test writes down and passes on what players say. It judges nothing.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from engine import options as house_rules
from engine import registry
from engine.contract import (
    Cards,
    Decide,
    Draw,
    Drawn,
    Input,
    Leave,
    Note,
    Open,
    Over,
    Result,
    Reveal,
    Revealed,
    Seen,
    Shuffle,
    Shuffled,
    State,
)

VECTORS = Path(__file__).parents[1] / "vectors"


def options_of(name: str, *given: str) -> Any:
    game = registry.get(name)
    pairs = [(n, text) for n, _, text in (item.partition("=") for item in given)]
    return house_rules.make(game.options_type, game.presets[game.default_preset], pairs)


def filled(state: State, cards: str) -> bytes:
    """A deck that begins with `cards`; the rest is filled up in the order of the deck."""
    named = list(state.deck.kind.split(cards))
    return bytes(named + [face for face in range(state.deck.size) if face not in named])


@dataclass(slots=True)
class Desk:
    """One hand or more, open or live. `notes` are all since the desk was set."""

    state: State
    deck: bytes = b""
    live: bool = False
    notes: list[Note] = field(default_factory=list)

    def give(self, given: Input) -> None:
        self.state = self.state.apply(given)
        self.notes += self.state.notes

    def deal(self, *packets: str) -> Desk:
        """The hand that is due, with the cards of `packets` on top of the deck."""
        turn = self.state.turn()
        assert isinstance(turn, Cards)
        assert isinstance(turn.requests[0], Shuffle)
        self.deck = filled(self.state, " ".join(packets))
        self.give(Shuffled(None if self.live else self.deck))
        return self.settle()

    def settle(self) -> Desk:
        """Answer requests until a player is to decide or another hand is to be dealt."""
        while isinstance(turn := self.state.turn(), Cards):
            first = turn.requests[0]
            if isinstance(first, Shuffle | Draw):
                break
            if isinstance(first, Reveal):
                self.give(Revealed(self.deck))
                continue
            slots = [s for r in turn.requests if isinstance(r, Open) for s in r.slots]
            self.give(Seen(tuple(self.deck[slot] for slot in slots)))
        return self

    def seen(self, seat: int) -> State:
        """The position as `seat` sees it."""
        mask = self.state.visible(seat)
        known = {slot: face for slot, face in enumerate(self.deck) if mask >> slot & 1}
        return self.state.informed(known) if self.state.faces else self.state

    def say(self, texts: str, *, cheating: bool = False) -> Desk:
        """Each word is the move of whoever is to decide (`aside` takes the next word too)."""
        for word in texts.replace("aside ", "aside_").split():
            text = word.replace("_", " ")
            view = self.seen(self.to_move)
            move = view.game.parse(view, text)
            assert view.game.format(view, move) == text
            if not cheating:
                view.apply(move)
            self.give(move)
            self.settle()
        return self

    def leave(self, *seats: int) -> Desk:
        self.give(Leave(seats))
        return self

    def said(self, kind: str) -> list[tuple[int, tuple[int, ...]]]:
        """Seat and values of each note of a kind."""
        return [(note.seat, note.values) for note in self.notes if note.kind == kind]

    def may(self) -> str:
        """What the player to move may play, as text."""
        view = self.seen(self.to_move)
        return " ".join(view.game.format(view, move) for move in view.legal())

    def pile(self, name: str, seat: int = -1) -> str:
        """The cards of a pile, by the deck."""
        for pile in self.state.piles():
            if (pile.name, pile.seat) == (name, seat):
                return self.state.deck.kind.join(self.deck[slot] for slot in pile.slots)
        raise AssertionError(f"there is no pile {name} of {seat}")

    @property
    def to_move(self) -> int:
        turn = self.state.turn()
        assert isinstance(turn, Decide), turn
        return turn.seat

    @property
    def result(self) -> Result:
        turn = self.state.turn()
        assert isinstance(turn, Over), turn
        return turn.result


def sit_down(name: str, seats: int, draw: str, *given: str, live: bool = False) -> Desk:
    """A match after its first draw, in which the seats drew the cards of `draw`."""
    state = registry.get(name).start(options_of(name, *given), seats)
    desk = Desk(state, live=live)
    desk.give(Drawn(tuple(filled(state, draw))))
    return desk


def continuations(state: State, depth: int) -> int:
    """In how many ways `depth` moves can be made from an open position, within its hand."""
    turn = state.turn()
    if not isinstance(turn, Decide):
        return 0
    moves = state.legal()
    if depth == 1:
        return len(moves)
    hand = state.hand
    after = [state.apply(move) for move in moves]
    return sum(continuations(s, depth - 1) for s in after if s.hand == hand)


def perft_cases(name: str) -> list[Any]:
    """The cases of the perft files of a game."""
    paths = sorted((VECTORS / "perft").glob(f"{name}*.json"))
    return [case for path in paths for case in json.loads(path.read_text(encoding="utf-8"))]


def set_up(case: Any) -> Desk:
    """The open position of a perft case: {game, seats, draw, deck, moves, counts}."""
    desk = sit_down(case["game"], case["seats"], case["draw"])
    desk.deal(case["deck"])
    for text in case["moves"]:
        desk.give(desk.state.game.parse(desk.state, text))
    return desk


def counts_of(state: State, depth: int) -> Sequence[int]:
    """Continuations for 1 to `depth` moves."""
    return [continuations(state, moves) for moves in range(1, depth + 1)]
