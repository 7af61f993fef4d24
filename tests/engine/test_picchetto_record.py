"""A live hand of Picchetto written down: the reseals are gone, the cards go to the same hands.

Every reseal here moves every card that it can, so nothing depends on chance.
"""

from __future__ import annotations

from collections.abc import MutableSequence
from random import Random
from typing import Any

import pytest

from engine.contract import Move, Reseal, State
from engine.games.picchetto import GAME, PicchettoState
from engine.games.picchetto_moves import Change
from engine.record import DeckLine, Record, read_record, write_record
from engine.replay import check, normalize, record_of, replay
from tests.engine.picchetto_desk import Desk, desk, draw_for, make_options

ELDER = "Qh Qd Qc Qs Js 9s 8s 9c Td 9d 7d 7h"
YOUNGER = "Kc Jc Tc 7c As 7s Jh Th 9h 8h Jd Ac"
TALON = "Ad 8c Kh Ts Ah 8d Kd Ks"
WHITE = "Ts 9s 8s 7s Th 9h 8h 7h 9d 8d 7d 7c"
"""A hand without a figure."""
TAKEN = [(elder, younger) for elder in range(1, 6) for younger in range(1, 9 - elder)]
"""How many cards the elder can take of the talon, and then the younger."""


class Turning(Random):
    """What was first comes last."""

    def shuffle(self, x: MutableSequence[Any]) -> None:
        x.append(x.pop(0))


def table(elder: str = ELDER, younger: str = YOUNGER, talon: str = TALON, *given: str) -> Desk:
    """A live hand whose reseals turn their cards around."""
    return desk(elder, younger, talon, *given, live=True, rng=Turning())


def take(made: Desk, number: int) -> Desk:
    """Whoever is to move exchanges so many cards."""
    legal = made.seen(made.to_move).legal()
    return made.lie(next(m for m in legal if isinstance(m, Change) and m.taken == number))


def hands(state: State, faces: bytes | list[int]) -> list[set[int]]:
    """The cards of both, as they lie in `faces`."""
    if not isinstance(state, PicchettoState):
        raise AssertionError("a state of another game")
    return [{faces[slot] for slot in state.hand_of(seat)} for seat in range(2)]


def written(made: Desk, *given: str) -> Record:
    """The record of what was played at the desk, as a reader gets it."""
    options, names = make_options(*given), ["Ada", "Bruno"]
    record = record_of(GAME, options, names, [draw_for(made.state.deck.kind), *made.inputs])
    assert normalize(record) == record
    return read_record(write_record(record))


def exchanged(record: Record) -> list[set[int]]:
    """The hands of a record when the last card was exchanged."""
    states = [step.state for step in replay(record) if isinstance(step.given, Change)]
    return hands(states[-1], states[-1].faces)


def is_the_record(made: Desk, *given: str) -> None:
    """From the declarations on: each has the same cards in the record, and scores the same."""
    dealt = hands(made.state, made.dealer.faces)
    made.finish().serve()
    record = written(made, *given)
    assert exchanged(record) == dealt
    assert check(record).scores() == made.state.scores()
    said = [step.given for step in replay(record) if isinstance(step.given, Move)]
    assert len(said) == len(made.moves)


@pytest.mark.rule("PIC-12", "PIC-13", "PIC-14")
@pytest.mark.parametrize(("elder", "younger"), TAKEN)
def test_the_younger_draws_the_same_cards_in_the_record(elder: int, younger: int) -> None:
    made = table()
    is_the_record(take(take(made, elder), younger))


@pytest.mark.rule("PIC-12", "PIC-14")
def test_what_the_elder_left_stands_in_the_deck_as_the_elder_sealed_it() -> None:
    """By hand: of Kh Ts Ah the younger draws the first two, after the reseal Ts and Ah."""
    made = table().say("change 7h 9c", "change Jd 7s")
    assert any(r == Reseal((26, 27, 28), 0) for r in made.dealer.asked)
    assert set(made.state.deck.kind.split("Ts Ah")) <= hands(made.state, made.dealer.faces)[1]
    record = written(made.finish().serve())
    (deck,) = (entry for entry in record.entries if isinstance(entry, DeckLine))
    kind = made.state.deck.kind
    dealt = [kind.text(face) for face in made.dealer.deck]
    assert list(deck.cards[:24]) == dealt[:24]  # hands that are sealed stand as they were dealt
    assert " ".join(deck.cards[24:]) == "Ad 8c Ts Ah Kh 8d Kd Ks"


@pytest.mark.rule("PIC-10", "PIC-12")
@pytest.mark.parametrize("elder", range(1, 6))
def test_a_discard_that_was_fixed_takes_the_same_cards_in_the_record(elder: int) -> None:
    made = table(WHITE, "", "").say(f"bianca {elder}")
    take(take(made, 1), elder)
    is_the_record(made)


@pytest.mark.rule("PIC-15")
def test_irregular_hands_take_the_same_cards_in_the_record() -> None:
    irregular = "irregular_hands=true"
    made = table(ELDER, YOUNGER, TALON, irregular)
    is_the_record(made.say("change 7h 9c take 1", "change Jd 7s"), irregular)
