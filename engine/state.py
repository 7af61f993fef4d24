"""A state of a game, and everything that goes into it and comes out of it.

Law: a state knows what has been made public and, where it was told so, more; it never asks where
cards come from. `turn()` says what is due and `apply(given)` is the only way forward; both are
pure. A state is immutable to its users: `apply` returns another one, cheaply.

    turn()            what may be applied
    ----------------  ---------------------------------------------------------------
    Decide(seat)      a Move of the game, by that seat
    Ask(seats)        Answers, one Move for each of those seats
    Cards(requests)   Shuffled | Seen | Resealed | Revealed | Drawn, by the requests' kind
    Over(result)      nothing
    any but Over      Leave: seats that go away while the match is on

Three ways of knowing the cards run through the same code:

* *live*: `Shuffled(None)`; faces become known by `Seen` as they are opened, all of them by
  `Revealed`. The state holds public cards only, so it is the same at every node.
* *open*: `Shuffled(faces)`; every card is known, so a state answers its own `Show`, `Open`,
  `Reseal` and `Reveal` and never stops at them. Records, tests and roll-outs play so.
* *informed*: a live state plus the cards that one player sees (`informed`), or an open state less
  the cards that one player doesn't see (`view`): for `legal`, `format`, `parse` and `suggest`.

What a hidden card makes impossible to check becomes a `Promise`, settled when the cards are known,
at the latest at `Revealed` (`GEN-01`); a broken one appears in `breaches`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, ClassVar

from engine.cards import UNKNOWN, Deck

if TYPE_CHECKING:
    from engine.contract import Game

Public = int | str | tuple["Public", ...]
"""A canonical value: what a state's public part, a move or a result is made of."""

# ---------------------------------------------------------------------------------------------
# Requests to whoever deals


@dataclass(frozen=True, slots=True)
class Draw:
    """Shuffle `deck` openly by joint randomness and show all of it; answered by `Drawn`."""

    deck: Deck


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Shuffle `deck` face down: the hand begins. Answered by `Shuffled`.

    Slot i of the dealt deck is position (i + cut) mod deck.size of the shuffled one (`PET-06`).
    """

    deck: Deck
    cut: int = 0


@dataclass(frozen=True, slots=True)
class Show:
    """Let seat `to`, and nobody else, see `slots`."""

    slots: tuple[int, ...]
    to: int


@dataclass(frozen=True, slots=True)
class Open:
    """Let everybody see `slots`."""

    slots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reseal:
    """Let seat `by` re-encrypt and permute `slots` among themselves, so nobody can follow a card.

    Afterwards nobody but `by`, who made the permutation, knows anything about those slots until
    they are shown or opened again.
    """

    slots: tuple[int, ...]
    by: int


@dataclass(frozen=True, slots=True)
class Reveal:
    """The hand is over: bring all seeds out. Answered by `Revealed` with the whole deck."""


Request = Draw | Shuffle | Show | Open | Reseal | Reveal

# ---------------------------------------------------------------------------------------------
# Turns


@dataclass(frozen=True, slots=True)
class Decide:
    """`seat` chooses one of `legal()`."""

    seat: int


@dataclass(frozen=True, slots=True)
class Ask:
    """Each of `seats` (ascending) chooses one of `legal(seat)`; nobody waits for another."""

    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Cards:
    """The deal must do all of `requests`: exactly one Draw, Shuffle, Reseal or Reveal, or else
    any number of Show and Open."""

    requests: tuple[Request, ...]


@dataclass(frozen=True, slots=True)
class Result:
    """How a match stands or ended. `won` and `paid` are in whole units of the stake's kind.

    `reason` is one word: `last-alive`, `dealer-wins`, `split`, `unfinished` ...
    """

    winners: tuple[int, ...]
    scores: tuple[int, ...]
    paid: tuple[int, ...]
    won: tuple[int, ...]
    reason: str

    def public(self) -> Public:
        """Canonical form, for digests and for the footer of a log."""
        return (self.winners, self.scores, self.paid, self.won, self.reason)


@dataclass(frozen=True, slots=True)
class Over:
    """The match has ended."""

    result: Result


Turn = Decide | Ask | Cards | Over

# ---------------------------------------------------------------------------------------------
# Inputs


class Move:
    """Base of every game's moves, which are frozen dataclasses: compared by value, hashable."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers to an `Ask`: one (seat, move) for each asked seat, ascending."""

    moves: tuple[tuple[int, Move], ...]


@dataclass(frozen=True, slots=True)
class Drawn:
    """The faces of an openly shuffled deck, top first."""

    faces: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Shuffled:
    """The deck lies ready: face down (None), or with the face of every slot for an open game."""

    faces: bytes | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """The Show and Open requests are done; `faces` are those of the Open requests' slots, in the
    order of the requests."""

    faces: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Resealed:
    """The Reseal is done."""


@dataclass(frozen=True, slots=True)
class Revealed:
    """The face of every slot as the deck was dealt, and how each Reseal of the hand moved cards.

    A reseal is (slots, permutation), in their order: what lay in slots[i] after it had lain in
    slots[permutation[i]] before.
    """

    faces: bytes
    reseals: tuple[tuple[tuple[int, ...], tuple[int, ...]], ...] = ()

    def moved(self, count: int | None = None) -> bytes:
        """The face of every slot after the first `count` reseals (None: after all of them)."""
        faces = bytearray(self.faces)
        for slots, permutation in self.reseals[:count]:
            before = bytes(faces)
            for slot, source in zip(slots, permutation, strict=True):
                faces[slot] = before[slots[source]]
        return bytes(faces)


@dataclass(frozen=True, slots=True)
class Leave:
    """`seats` are out (`GEN-02`): absent, resigned or excluded. A hand in play is void.

    Seats that are out already change nothing. `may_return`: whether the game's rules on coming
    back apply to them (not after cheating).
    """

    seats: tuple[int, ...]
    may_return: bool = False


Input = Move | Answers | Drawn | Shuffled | Seen | Resealed | Revealed | Leave

# ---------------------------------------------------------------------------------------------
# What a state tells


@dataclass(frozen=True, slots=True)
class Promise:
    """Something that `seat` asserted by its move and hidden cards will show: `rule` says what.

    `move` counts the hand's Moves and Answers from 0, so that a log can name the step.
    """

    seat: int
    rule: str
    slots: tuple[int, ...]
    move: int


@dataclass(frozen=True, slots=True)
class Breach:
    """A promise that the cards refuted, with one sentence for people."""

    promise: Promise
    text: str


@dataclass(frozen=True, slots=True)
class Note:
    """Something worth announcing that the last input brought about (`PET-61`): a kind from the
    game's list, the seat it is about (-1: the table) and numbers that belong to it."""

    kind: str
    seat: int = -1
    values: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Pile:
    """Slots that lie together. `name` is `hand`, `monte`, `stock`, ...; `seat` its owner or -1."""

    name: str
    seat: int
    slots: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Reason:
    """What speaks for a move, in every deal that its player can't tell from this one: a kind from
    the game's list, the faces that it is about, and numbers that belong to it."""

    kind: str
    faces: tuple[int, ...] = ()
    values: tuple[int, ...] = ()


class Ground(Enum):
    """What puts a shown hand above the next worse one."""

    KIND = "kind"
    """It is of a better kind."""
    POINTS = "points"
    """It has more points."""
    HIGHER = "higher"
    """Both are equal cards, and the higher ones are better here."""
    LOWER = "lower"
    """Both are equal cards, and the lower ones are better here."""
    TOP = "top"
    """Both are sequences, and its top card is higher."""
    SUIT = "suit"
    """Both are sequences up to the same rank, and its suit is better."""
    EARLIER = "earlier"
    """Both are worth the same, and it was completed earlier."""
    EQUAL = "equal"
    """It isn't above it: another hand is worth the same."""
    LAST_TWO = "last two"
    """The same between the last two, where a rule of its own says who loses."""


@dataclass(frozen=True, slots=True)
class Detail:
    """What a hand scores in one category (`point`, `novanta`), in words and in points."""

    category: str
    text: str
    points: int


@dataclass(frozen=True, slots=True)
class Scored:
    """One hand's worth in `busso score`: rank 1 is best, equal hands share a rank.

    `points` counts 1/`parts` of a point: 79 with parts 2 is 39.5. `details` say what they are
    made of, where the game has several things to count. `counted` are the cards that make the
    hand what it is, the dearest first, each with what it adds to `points`; nothing where the kind
    alone gives them.
    """

    hand: str
    kind: str
    points: int
    rank: int
    parts: int = 1
    details: tuple[Detail, ...] = ()
    counted: tuple[tuple[str, int], ...] = ()

    @property
    def amount(self) -> str:
        """The points in words: `39.5`, `1 2/3`."""
        whole, rest = divmod(self.points, self.parts)
        if not rest:
            return str(whole)
        return f"{whole}.5" if self.parts == 2 else f"{whole} {rest}/{self.parts}"


class State(ABC):
    """A position of a game. Fields are for reading.

    game     the Game it belongs to
    seats    how many took part at the start; seats are 0..seats-1 in the order of play
    hand     the number of the hand being played, from its first input on (a cut too), or just
             played; from 1, 0 before the first. A void hand uses its number up
    players  the seats of this hand in the order of dealing: they alone hold keys
    dealer   the seat that deals this hand, -1 before it is known
    deck     the deck in play
    faces    one octet a slot: the face, or UNKNOWN; b"" while no deck lies dealt
    opened   bit i set: slot i is public
    shown    for each seat, bit i set: slot i was shown to it
    promises what was promised in this hand and isn't settled
    breaches what the hand just ended refuted
    notes    announcements of the last input
    """

    __slots__ = ()
    game: ClassVar[Game]
    options: Any
    seats: int
    hand: int
    players: tuple[int, ...]
    dealer: int
    deck: Deck
    faces: bytes
    opened: int
    shown: tuple[int, ...]
    promises: tuple[Promise, ...]
    breaches: tuple[Breach, ...]
    notes: tuple[Note, ...]

    @abstractmethod
    def turn(self) -> Turn:
        """What is due now."""

    @abstractmethod
    def legal(self, seat: int | None = None) -> Sequence[Move]:
        """The moves among which `seat` (default: the one to decide) may choose, in a fixed order.

        Hidden cards rule out nothing, so on a live state the list may hold moves that are a
        broken promise for the one who sees the cards: ask `informed` or `view` for theirs.
        """

    @abstractmethod
    def apply(self, given: Input) -> State:
        """The state after `given`. IllegalMove if a rule forbids it, OutOfTurn if it isn't due."""

    @abstractmethod
    def public(self) -> Public:
        """All that every node knows, in canonical form: what digests are made of."""

    @abstractmethod
    def piles(self) -> tuple[Pile, ...]:
        """Where the cards lie: every seat's hand first, then what is on the table."""

    @abstractmethod
    def scores(self) -> tuple[int, ...]:
        """One integer a seat, in the game's own unit (tokens, thirds of points ...)."""

    @abstractmethod
    def standing(self) -> Result:
        """The result if the match ended now, between hands (`reason` `unfinished` unless over)."""

    @abstractmethod
    def with_faces(self, faces: bytes) -> State:
        """The same state with other knowledge of the cards; stays live (never answers itself)."""

    def played_openly(self, faces: bytes) -> State:
        """This position with the whole deck `faces` known, for roll-outs; the cards known here
        must agree with it. A game may make an open state of it; this default stays live, so card
        requests still come up, and `worlds.advance` answers them."""
        return self.with_faces(faces)

    def visible(self, seat: int) -> int:
        """Bit i set: `seat` may see slot i."""
        return self.opened | self.shown[seat]

    def informed(self, known: Mapping[int, int]) -> State:
        """This live state as somebody sees it who also knows `known` (slot -> face)."""
        if not known or not self.faces:
            return self
        faces = bytearray(self.faces)
        for slot, face in known.items():
            faces[slot] = face
        return self.with_faces(bytes(faces))

    def view(self, seat: int | None) -> State:
        """This state as `seat` sees it (None: a spectator), every other card unknown."""
        mask = self.opened if seat is None else self.visible(seat)
        return self.with_faces(
            bytes(face if mask >> slot & 1 else UNKNOWN for slot, face in enumerate(self.faces))
        )


def mask_of(slots: Iterable[int]) -> int:
    """The bit mask of `slots`."""
    mask = 0
    for slot in slots:
        mask |= 1 << slot
    return mask
