"""A desk for the tests of Petrangola: hands laid out by hand, moves spoken as text.

Law: this file deals what a test writes down and passes on what players say. It judges nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine import options as house_rules
from engine import registry
from engine.cards import ITALIAN
from engine.contract import (
    Answers,
    Ask,
    Cards,
    Decide,
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
)
from engine.games.petrangola import GAME, PetrangolaState


def make_options(preset: str = "marche", *given: str) -> Any:
    pairs = [(name, text) for name, _, text in (item.partition("=") for item in given)]
    return house_rules.make(GAME.options_type, GAME.presets[preset], pairs)


def begin(
    seats: int = 3, dealer: int = 0, preset: str = "pagat", given: Sequence[str] = ()
) -> PetrangolaState:
    """A match before its first cut: `dealer` got the ace of denari."""
    state = registry.get("petrangola").start(make_options(preset, *given), seats)
    assert isinstance(state, PetrangolaState)
    ace = ITALIAN.parse("Ad")
    cards = [face for face in map(state.deck.face, range(state.deck.size)) if face != ace]
    cards.insert(dealer, ace)
    cards += [ace] * (state.deck.copies - 1)
    return state.apply(Drawn(tuple(cards)))


def with_tokens(state: PetrangolaState, tokens: Sequence[int]) -> PetrangolaState:
    """The same position in a match where `tokens` are left: dead seats get no cards."""
    new = state.with_faces(b"")
    new.match = replace(state.match, tokens=tuple(tokens))
    new.hand -= 1
    new.notes = ()
    return new._to_cut(state.dealer)


def lay(state: PetrangolaState, hands: Mapping[int, str], monte: str = "") -> bytes:
    """A deck that deals these hands and this monte; what isn't named is filled up."""
    rest = Counter(state.deck.face(card) for card in range(state.deck.size))
    named = [ITALIAN.split(hands.get(seat, "")) for seat in state.players]
    named.append(ITALIAN.split(monte))
    for face in (face for hand in named for face in hand):
        rest[face] -= 1
        assert rest[face] >= 0, f"{ITALIAN.text(face)} is laid too often"
    spare = [face for face in reversed(range(ITALIAN.size)) for _ in range(rest[face])]
    faces: list[int] = []
    for hand in named:
        faces += hand or [spare.pop() for _ in range(3)]
    return bytes(faces + spare)


@dataclass(slots=True)
class Desk:
    """One hand or more, open or live. `notes` are all since the desk was set."""

    state: PetrangolaState
    deck: bytes
    live: bool = False
    notes: list[Note] = field(default_factory=list)

    def give(self, given: Input) -> None:
        self.state = self.state.apply(given)
        self.notes += self.state.notes

    def deal(self) -> None:
        """Answer requests until a player is to decide; stops before another hand's shuffle."""
        while isinstance(turn := self.state.turn(), Cards):
            first = turn.requests[0]
            if isinstance(first, Shuffle):
                self.give(Shuffled(None if self.live else self.deck))
            elif isinstance(first, Reveal):
                self.give(Revealed(self.deck))
            else:
                slots = [s for r in turn.requests if isinstance(r, Open) for s in r.slots]
                self.give(Seen(tuple(self.deck[slot] for slot in slots)))

    def seen(self, seat: int) -> PetrangolaState:
        """The position as `seat` sees it."""
        mask = self.state.visible(seat)
        known = {slot: face for slot, face in enumerate(self.deck) if mask >> slot & 1}
        view = self.state.informed(known) if self.state.faces else self.state
        assert isinstance(view, PetrangolaState)
        return view

    def say(self, *texts: str) -> Desk:
        """Each text is the move of whoever is to decide."""
        for text in texts:
            turn = self.state.turn()
            if isinstance(turn, Ask):
                words = dict(zip(turn.seats, text.split(","), strict=True))
                moves = tuple((s, GAME.parse(self.state, w, s)) for s, w in words.items())
                self.give(Answers(moves))
                continue
            assert isinstance(turn, Decide), f"nobody is to say {text}: {turn}"
            view = self.seen(turn.seat)
            move = GAME.parse(view, text)
            assert GAME.format(view, move) == text
            view.apply(move)
            self.give(move)
            self.deal()
        return self

    def leave(self, *seats: int, may_return: bool = False) -> Desk:
        self.give(Leave(seats, may_return))
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
    *,
    seats: int = 3,
    dealer: int = 0,
    preset: str = "pagat",
    given: Sequence[str] = (),
    tokens: Sequence[int] = (),
    live: bool = False,
) -> Desk:
    """A desk where the dealer is to choose."""
    state = begin(seats, dealer, preset, given)
    if tokens:
        state = with_tokens(state, tokens)
    desk = Desk(state, lay(state, hands, monte), live)
    return desk.say("cut 1")
