"""What a player may choose, by the cards that each choice moves.

Law: the engine lists the moves and says what each is, in the form in which a log holds it; this
file only sorts them by the slots that they name, so that cards can be picked one by one. It must
never know why a move is allowed.

    in a log                       give            take            rest
    -----------------------------  --------------  --------------  --------------------
    ("play", 17)  ("aside", 39)    that slot
    ("bottom", 2)                  hand[2]
    ("exchange", (0,), (2,), 1)    hand[0]         monte[2]        1: a discard follows
    ("change", (3, 17), 2)         those slots                     2 are taken
    any other                                                      its numbers
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from engine.contract import Ask, Decide, Move, Public, State
from engine.errors import IllegalMove, NotationError

_NO_SLOTS: Final[frozenset[int]] = frozenset()
NUMBERS: Final = 9
"""More choices than this that differ by a number only are chosen as a number."""
_ALL: Final = "camicia"
"""The exchange of all cards: it can be picked card by card too, where single ones can."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One legal move. `word` is the first word of its form in a log, `rest` its other numbers."""

    move: Move
    word: str
    give: frozenset[int] = _NO_SLOTS
    take: frozenset[int] = _NO_SLOTS
    rest: tuple[int, ...] = ()

    @property
    def bare(self) -> bool:
        """Whether it names no card."""
        return not self.give and not self.take


def _slots(value: Public) -> frozenset[int]:
    return (
        frozenset(v for v in value if isinstance(v, int)) if isinstance(value, tuple) else _NO_SLOTS
    )


def _numbers(values: Sequence[Public]) -> tuple[int, ...]:
    return tuple(v for v in values if isinstance(v, int))


def choice(state: State, move: Move, hand: Sequence[int], table: Sequence[int]) -> Choice:
    """`move` by the slots of the hand and of the table's cards that can be taken."""
    match state.game.encode(move):
        case (("play" | "aside") as word, int(slot)):
            return Choice(move, word, frozenset((slot,)))
        case ("bottom", int(place)):
            return Choice(move, "bottom", frozenset((hand[place],)))
        case ("exchange", tuple(give), tuple(take), *rest):
            given = frozenset(hand[n] for n in _numbers(give))
            return Choice(
                move, "exchange", given, frozenset(table[n] for n in _numbers(take)), _numbers(rest)
            )
        case ("change", tuple(slots), *rest):
            return Choice(move, "change", _slots(slots), rest=_numbers(rest))
        case ("show", tuple(slots)):
            return Choice(move, "show", _slots(slots))
        case (str(word), *rest):
            return Choice(move, word, rest=_numbers(rest))
    raise NotationError("a move without a word")


@dataclass(frozen=True)
class Choices:
    """All that a seat may choose now; empty when nothing is asked of it.

    hand, table  the slots that can be given and taken, as the engine has them
    asked        whether all of several seats are asked at once
    """

    items: tuple[Choice, ...] = ()
    hand: tuple[int, ...] = ()
    table: tuple[int, ...] = ()
    asked: bool = False

    def __bool__(self) -> bool:
        return bool(self.items)

    @cached_property
    def by_cards(self) -> Mapping[tuple[frozenset[int], frozenset[int]], tuple[Choice, ...]]:
        """The choices that move exactly these cards, in the engine's order."""
        found: dict[tuple[frozenset[int], frozenset[int]], tuple[Choice, ...]] = {}
        for item in self.items:
            if item.bare or item.word == "show":
                continue
            key = (item.give, item.take)
            found[key] = (*found.get(key, ()), item)
        everything = (frozenset(self.hand), frozenset(self.table))
        if any(take for _, take in found):
            found.update((everything, (c,)) for c in self.items if c.word == _ALL)
        return found

    @cached_property
    def usable(self) -> frozenset[int]:
        """The slots that some choice gives or takes."""
        return frozenset().union(*(give | take for give, take in self.by_cards))

    @cached_property
    def single(self) -> bool:
        """Whether a card is played as soon as it is named: no choice moves two."""
        return bool(self.by_cards) and all(
            len(give) == 1 and not take for give, take in self.by_cards
        )

    @cached_property
    def numbers(self) -> tuple[Choice, ...]:
        """The choices as numbers in ascending order, where they are nothing else."""
        same = {item.word for item in self.items}
        if len(self.items) <= NUMBERS or len(same) != 1:
            return ()
        if any(not item.bare or len(item.rest) != 1 for item in self.items):
            return ()
        return tuple(sorted(self.items, key=lambda item: item.rest))

    @cached_property
    def buttons(self) -> tuple[Choice, ...]:
        """The choices that are made by their words."""
        if self.numbers:
            return ()
        return tuple(item for item in self.items if item.bare or item.word == "show")

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of all choices: what kind of decision it is."""
        return frozenset(item.word for item in self.items)


NONE: Final = Choices()


def choices(state: State, seat: int) -> Choices:
    """What `seat` may choose in `state`, which is its view; empty if nothing is due from it."""
    turn = state.turn()
    asked = isinstance(turn, Ask) and seat in turn.seats
    if not asked and not (isinstance(turn, Decide) and turn.seat == seat):
        return NONE
    piles = state.piles()
    hand = next((p.slots for p in piles if p.name == "hand" and p.seat == seat), ())
    table = next((p.slots for p in piles if p.name == "monte"), ())
    items = tuple(choice(state, move, hand, table) for move in state.legal(seat))
    return Choices(items, hand, table, asked)


def forbidden(state: State, offered: Choices, slot: int) -> IllegalMove | None:
    """Why the card in `slot` can't be chosen now; None if the engine gives no reason."""
    for word in ("play", "aside"):
        if word in offered.words:
            try:
                state.apply(state.game.decode((word, slot)))
            except IllegalMove as error:
                return error
            except NotationError:
                return None
    return None
