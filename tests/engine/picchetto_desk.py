"""A desk for the tests of Picchetto: hands laid out by hand, moves spoken as text.

Law: this file deals what a test writes down, reseals by real permutations, and passes on what
players say as each of them sees it. It judges nothing.

`desk(...)` gives a Desk with the cards dealt, `after(...)` one with the exchange behind it, at the
first declaration. Seat 0 is the elder. `both` plays a test openly and live.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine import options as house_rules
from engine.cards import DeckKind
from engine.contract import (
    Cards,
    Decide,
    Drawn,
    Input,
    Move,
    Note,
    Open,
    Over,
    Request,
    Reseal,
    Resealed,
    Result,
    Reveal,
    Revealed,
    Seen,
    Show,
    Shuffle,
    Shuffled,
)
from engine.games.picchetto import GAME, Phase, PicchettoState

VECTORS = Path(__file__).parents[1] / "vectors"
both = pytest.mark.parametrize("live", [False, True], ids=["open", "live"])


def make_options(*given: str) -> Any:
    pairs = [(name, text) for name, _, text in (item.partition("=") for item in given)]
    return house_rules.make(GAME.options_type, GAME.presets["classic"], pairs)


def begin(*given: str, dealer: int = 1) -> PicchettoState:
    """A match before its first shuffle: `dealer` drew the lower card."""
    state = GAME.start(make_options(*given), 2)
    return state.apply(draw_for(state.deck.kind, dealer))


def draw_for(kind: DeckKind, dealer: int = 1) -> Drawn:
    """The draw by which `dealer` has the lower card."""
    low, high = kind.parse("7" + kind.suits[0]), kind.parse("A" + kind.suits[0])
    top = [low, high] if dealer == 0 else [high, low]
    return Drawn((*top, *(face for face in range(kind.size) if face not in top)))


@dataclass(slots=True)
class Sealed:
    """Deals face down or openly. `faces` lie as they lie now; reseals are by chance."""

    live: bool
    rng: Random
    deck: bytes = b""
    faces: list[int] = field(default_factory=list)
    reseals: list[tuple[tuple[int, ...], tuple[int, ...]]] = field(default_factory=list)
    asked: list[Request] = field(default_factory=list)

    def answer(self, turn: Cards) -> Input:
        self.asked += turn.requests
        match turn.requests[0]:
            case Shuffle():
                self.faces = list(self.deck)
                self.reseals.clear()
                return Shuffled(None if self.live else self.deck)
            case Reseal(slots):
                order = list(range(len(slots)))
                self.rng.shuffle(order)
                before = list(self.faces)
                for slot, source in zip(slots, order, strict=True):
                    self.faces[slot] = before[slots[source]]
                self.reseals.append((slots, tuple(order)))
                return Resealed()
            case Reveal():
                return Revealed(self.deck, tuple(self.reseals))
        opens = [request.slots for request in turn.requests if isinstance(request, Open)]
        return Seen(tuple(self.faces[slot] for slot in itertools.chain(*opens)))


@dataclass(slots=True)
class Desk:
    """A position and whoever deals to it; `notes` are those of all `inputs` so far."""

    state: PicchettoState
    dealer: Sealed
    notes: list[Note] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)

    def give(self, given: Input) -> Desk:
        self.state = self.state.apply(given)
        self.inputs.append(given)
        self.notes += self.state.notes
        return self

    def serve(self, until: Phase | None = None) -> Desk:
        """Answer what cards are asked for, but not the shuffle of a further hand."""
        while isinstance(turn := self.state.turn(), Cards):
            fresh = isinstance(turn.requests[0], Shuffle) and bool(self.dealer.faces)
            if fresh or self.state.phase is until:
                break
            self.give(self.dealer.answer(turn))
        return self

    def seen(self, seat: int) -> PicchettoState:
        """The position as `seat` sees it."""
        mask = self.state.visible(seat)
        known = {n: face for n, face in enumerate(self.dealer.faces) if mask >> n & 1}
        view = self.state.informed(known) if self.dealer.live else self.state.view(seat)
        if not isinstance(view, PicchettoState):
            raise AssertionError("a view is a position of the same game")
        return view

    @property
    def to_move(self) -> int:
        turn = self.state.turn()
        if not isinstance(turn, Decide):
            raise AssertionError(f"{turn} is due")
        return turn.seat

    def say(self, *texts: str) -> Desk:
        """Whoever is to move says each of the texts, by the own view; cards are served."""
        for text in texts:
            self.lie(GAME.parse(self.seen(self.to_move), text, self.to_move), honest=True)
        return self

    def lie(self, move: Move, *, honest: bool = False) -> Desk:
        """Make a move that only the table has to accept."""
        if honest:
            self.seen(self.to_move).apply(move)
        self.moves.append(move)
        return self.give(move).serve()

    def may(self) -> list[str]:
        """The texts of all moves of whoever is to move, by the own view."""
        view = self.seen(self.to_move)
        return [GAME.format(view, move) for move in view.legal()]

    def claim(self, text: str) -> Move:
        """A move that needs no cards, as a liar would make it."""
        return GAME.parse(self.state, text, self.to_move)

    def slots(self, seat: int, cards: str) -> tuple[int, ...]:
        """Where these cards of the hand of `seat` lie."""
        kind = self.state.deck.kind
        hand = {self.dealer.faces[slot]: slot for slot in self.state.hand_of(seat)}
        return tuple(sorted(hand[face] for face in kind.split(cards)))

    def hand(self, seat: int) -> str:
        """The cards in the hand of `seat`, in the order of the deck."""
        faces = sorted(self.dealer.faces[slot] for slot in self.state.hand_of(seat))
        return self.state.deck.kind.join(faces)

    def told(self, kind: str) -> list[tuple[int, tuple[int, ...]]]:
        """Seat and values of each note of that kind so far."""
        return [(note.seat, note.values) for note in self.notes if note.kind == kind]

    def points(self) -> tuple[int, int]:
        """What each seat has scored in the deal, by seat."""
        mine, theirs = self.state.points
        return (mine, theirs) if self.state.players[0] == 0 else (theirs, mine)

    def scored(self) -> tuple[int, int]:
        """What each seat scored in the deal that just ended."""
        last = self.told("scores-deal")[-2:]
        return last[0][1][1], last[1][1][1]

    def result(self) -> Result:
        turn = self.state.turn()
        if not isinstance(turn, Over):
            raise AssertionError(f"{turn} is due")
        return turn.result

    def finish(self, choose: Callable[[Sequence[Move]], Move] = lambda legal: legal[0]) -> Desk:
        """Play the hand to its end."""
        hand = self.state.hand
        while self.state.hand == hand and isinstance(self.state.turn(), Decide):
            view = self.seen(self.to_move)
            self.lie(choose(view.legal()), honest=True)
        return self


def rest_of(kind: DeckKind, *used: str) -> list[int]:
    """The faces that the given cards leave, ascending."""
    taken = [face for cards in used for face in kind.split(cards)]
    if len(set(taken)) != len(taken):
        raise AssertionError("a card is used twice")
    return [face for face in range(kind.size) if face not in taken]


def stack(kind: DeckKind, elder: str, younger: str, talon: str, packet: int = 3) -> bytes:
    """The deck that deals these hands and this talon; what isn't given is filled up."""
    rest = rest_of(kind, elder, younger, talon)
    piles = []
    for cards, size in ((elder, 12), (younger, 12), (talon, 8)):
        pile = list(kind.split(cards))
        while len(pile) < size:
            pile.append(rest.pop(0))
        piles.append(pile)
    deck: list[int] = []
    hands = [iter(piles[0]), iter(piles[1])]
    for at in itertools.islice(itertools.cycle((0, 1)), 24 // packet):
        deck += itertools.islice(hands[at], packet)
    return bytes([*deck, *piles[2]])


def desk(
    elder: str = "",
    younger: str = "",
    talon: str = "",
    *given: str,
    live: bool = False,
    seed: int = 1,
    state: PicchettoState | None = None,
    rng: Random | None = None,
) -> Desk:
    """The cards are dealt and looked at: the elder is to exchange. Reseals permute by `rng`."""
    start = state or begin(*given)
    kind = start.deck.kind
    deck = stack(kind, elder, younger, talon, start.options.packet)
    made = Desk(start, Sealed(live, rng or Random(seed), deck))
    return made.serve()


def after(
    elder: str,
    younger: str,
    *given: str,
    live: bool = False,
    seed: int = 1,
    state: PicchettoState | None = None,
) -> Desk:
    """Both have exchanged as few cards as they may and hold twelve, these ones: the elder speaks.

    Cards that aren't given are filled up; each exchange is for the first cards of the hand.
    """
    start = state or begin(*given)
    kind, few = start.deck.kind, start.options.min_exchange
    rest = rest_of(kind, elder, younger)
    hands = []
    for cards in (elder, younger):
        hand = list(kind.split(cards))
        while len(hand) < 12:
            hand.append(rest.pop(0))
        hands.append(hand)
    # a figure where there is one, so that nobody has a carta bianca to announce
    rest.sort(key=lambda face: kind.text(face)[0] not in "KQJRCF")
    dealt = [[*rest[few * at : few * at + few], *hands[at][few:]] for at in (0, 1)]
    talon = [*hands[0][:few], *hands[1][:few], *rest[2 * few :]]
    texts = [kind.join(faces) for faces in (*dealt, talon)]
    made = desk(*texts, live=live, seed=seed, state=start)
    for at in (0, 1):
        given_away = sum(1 << slot for slot in made.slots(at, kind.join(dealt[at][:few])))
        made.lie(
            next(m for m in made.state.legal() if getattr(m, "given", 0) == given_away),
            honest=True,
        )
    return made


def silent(made: Desk) -> Desk:
    """Nobody declares anything that is left to declare: the elder leads."""
    while made.state.phase in (Phase.CLAIM, Phase.COUNTER):
        made.say("pass")
    return made


def is_shown_once(asked: Iterable[Request]) -> bool:
    """Whether no ciphertext goes to two seats: a slot is shown to another one only after a
    reseal, and is never shown again to the same one."""
    seen: dict[int, int] = {}
    for request in asked:
        match request:
            case Shuffle():
                seen.clear()
            case Reseal(slots):
                for slot in slots:
                    seen.pop(slot, None)
            case Show(slots, to):
                if any(slot in seen for slot in slots):
                    return False
                seen.update(dict.fromkeys(slots, to))
    return True
