"""A desk for the tests of Mambassa: hands laid out by hand, moves spoken as text.

Law: this file deals what a test writes down and passes on what players say. It judges nothing. A
live desk really permutes the cards that are resealed, by `shuffle`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine import options as house_rules
from engine.cards import ITALIAN
from engine.contract import (
    Answers,
    Ask,
    Cards,
    Decide,
    Drawn,
    Input,
    Leave,
    Move,
    Note,
    Open,
    Over,
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
from engine.games.mambassa import GAME, MambassaState

POOR = {0: "2c 3d 4s 5b", 1: "3c 4d 5s 7b", 2: "4c 5d 6s 2b"}
MONTE = "7c 6d 3b Fs"
STOCK = "Rc Rd Rs"
LEFT = (1, 2, 3, 0)
"""A reseal that moves every card: what lay second lies first."""


def make_options(*given: str) -> Any:
    pairs = [(name, text) for name, _, text in (item.partition("=") for item in given)]
    return house_rules.make(GAME.options_type, {}, pairs)


def begin(seats: int = 3, dealer: int = 0, given: Sequence[str] = ()) -> MambassaState:
    """A match before its first deal: `dealer` drew the ace of the best suit."""
    state = GAME.start(make_options(*given), seats)
    best = state.deck.kind.parse("Ah" if "deck=french40" in given else "Ad")
    cards = [face for face in range(40) if face != best]
    cards.insert(dealer, best)
    return state.apply(Drawn(tuple(cards)))


def with_tokens(state: MambassaState, tokens: Sequence[int]) -> MambassaState:
    """The same position in a match where `tokens` are left: dead seats get no cards."""
    new = state.with_faces(b"")
    new.match = replace(state.match, tokens=tuple(tokens))
    new.hand -= 1
    return new._to_shuffle(state.dealer)


def lay(state: MambassaState, hands: Mapping[int, str], monte: str = "", stock: str = "") -> bytes:
    """A deck that deals these hands, this monte and this top of the stock; what isn't named is
    filled up."""
    kind = state.deck.kind
    named = [kind.split(hands.get(seat, "")) for seat in state.players]
    named += [kind.split(monte), kind.split(stock)]
    used = [face for hand in named for face in hand]
    assert len(set(used)) == len(used), "a card is laid twice"
    spare = [face for face in reversed(range(40)) if face not in used]
    faces: list[int] = []
    for hand in named[:-1]:
        faces += hand or [spare.pop() for _ in range(4)]
    return bytes([*faces, *named[-1], *spare])


@dataclass(slots=True)
class Desk:
    """One hand or more, open or live. `notes` are all since the desk was set."""

    state: MambassaState
    deck: bytes
    live: bool = False
    shuffle: tuple[int, ...] = LEFT
    lies: bytes = b""
    known: dict[int, dict[int, int]] = field(default_factory=dict)
    """seat -> slot -> face: what each has been shown or followed, as players' nodes do."""
    reseals: list[tuple[tuple[int, ...], tuple[int, ...]]] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)

    def give(self, given: Input) -> None:
        self.state = self.state.apply(given)
        self.inputs.append(given)
        self.notes += self.state.notes

    def deal(self, *, stop: type | None = None, most: int = 99) -> None:
        """Answer requests, `most` of them, until a player is to decide; stops before another
        hand's shuffle, and before a request of the kind `stop`."""
        for _ in range(most):
            turn = self.state.turn()
            if not isinstance(turn, Cards):
                return
            first = turn.requests[0]
            if stop is not None and isinstance(first, stop):
                return
            match first:
                case Shuffle():
                    if self.lies:
                        return
                    self.lies = self.deck
                    self.known = {seat: {} for seat in range(self.state.seats)}
                    self.give(Shuffled(None if self.live else self.deck))
                case Reseal(slots, by):
                    self._reseal(slots, by)
                case Reveal():
                    self.give(Revealed(self.deck, tuple(self.reseals)))
                case _:
                    self._see(turn)

    def _see(self, turn: Cards) -> None:
        opened: list[int] = []
        for request in turn.requests:
            if isinstance(request, Open):
                opened += request.slots
            elif isinstance(request, Show):
                self.known[request.to].update((s, self.lies[s]) for s in request.slots)
        self.give(Seen(tuple(self.lies[slot] for slot in opened)))

    def _reseal(self, slots: tuple[int, ...], by: int) -> None:
        self.reseals.append((slots, self.shuffle))
        self.lies = Revealed(self.deck, tuple(self.reseals)).moved()
        for seat, known in self.known.items():
            for slot in slots:
                known.pop(slot, None)
                if seat == by:
                    known[slot] = self.lies[slot]
        self.give(Resealed())

    def seen(self, seat: int) -> MambassaState:
        """The position as `seat` sees it."""
        if not self.live:
            view = self.state.view(seat)
        else:
            view = self.state.informed(self.known.get(seat, {}))
        assert isinstance(view, MambassaState)
        return view

    def parse(self, seat: int, text: str) -> Move:
        view = self.seen(seat)
        move = GAME.parse(view, text, seat)
        assert GAME.format(view, move) == text
        return move

    def say(self, *texts: str) -> Desk:
        """Each text is the move of whoever is to decide; `none` to all who are asked is implied
        where a text comes that isn't an answer."""
        for text in texts:
            self.deal()
            turn = self.state.turn()
            if isinstance(turn, Ask):
                words = text.split(",") if text.split(",")[0] in ("none", "declare") else []
                said = words or ["none"] * len(turn.seats)
                moves = zip(turn.seats, said, strict=True)
                self.give(Answers(tuple((s, self.parse(s, word)) for s, word in moves)))
                self.deal()
                if words:
                    continue
                turn = self.state.turn()
            assert isinstance(turn, Decide), f"nobody is to say {text}: {turn}"
            move = self.parse(turn.seat, text)
            self.seen(turn.seat).apply(move)
            self.give(move)
            self.deal()
        return self

    def leave(self, *seats: int) -> Desk:
        self.give(Leave(seats))
        return self

    def said(self, kind: str) -> list[tuple[int, tuple[int, ...]]]:
        """Seat and values of each note of a kind."""
        return [(note.seat, note.values) for note in self.notes if note.kind == kind]

    @property
    def to_move(self) -> int:
        turn = self.state.turn()
        assert isinstance(turn, Decide)
        return turn.seat

    @property
    def result(self) -> Result:
        turn = self.state.turn()
        assert isinstance(turn, Over)
        return turn.result


def seat_down(
    hands: Mapping[int, str],
    monte: str = "",
    stock: str = "",
    *,
    seats: int = 3,
    dealer: int = 0,
    given: Sequence[str] = (),
    tokens: Sequence[int] = (),
    live: bool = False,
) -> Desk:
    """A desk where the dealer is to choose."""
    state = begin(seats, dealer, given)
    if tokens:
        state = with_tokens(state, tokens)
    desk = Desk(state, lay(state, hands, monte, stock), live)
    desk.deal()
    return desk


def table(live: bool, **more: Any) -> Desk:
    """A desk of three with POOR hands, where the dealer is to choose."""
    return seat_down(POOR, MONTE, STOCK, live=live, **more)


def pile(state: MambassaState, name: str, seat: int = -1) -> tuple[int, ...]:
    return next(p.slots for p in state.piles() if (p.name, p.seat) == (name, seat))


def cards(desk: Desk, seat: int) -> str:
    """The hand of `seat`, in the order of the deck, as it sees it."""
    view = desk.seen(seat)
    return ITALIAN.join(sorted(view.faces[slot] for slot in view.hand_of(seat)))
