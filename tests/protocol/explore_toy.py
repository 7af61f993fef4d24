"""A match that costs nothing: what `Table` needs of a game and a deal, without cards or proofs.

Law: steps, signatures and a disk, as a table sees them, and no more. It must never know what a vote
means: the votes, the journal's guard and all of `protocol.table` are the real ones.

A hand is a script: rounds of all its seats and moves of single ones, then `reveal` and
`checkpoint`. A decision of the table makes the hand void and the next one begins; from the reveal
on it changes nothing but who is there. After the last hand comes the footer. A move is a choice,
and each time it is asked for another one is made.

Signatures are keyed hashes, so a seat can sign as often as it likes and nobody can for another. The
disk keeps what was signed; of the log it may lose what wasn't synced.
"""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, cast

from engine.contract import Cards, Decide, Leave, Move, Over, Reveal, Shuffle, Turn
from protocol.contribution import SIGNATURE_SIZE, Contribution, Entry, Kind, Place, statement
from protocol.encoding import Value
from protocol.errors import Fault, LocalProtocolError
from protocol.group import Group
from protocol.header import SignedHeader
from protocol.identity import Identity
from protocol.journal import Journal, _slot
from protocol.log import LogFile, LogWriter, Step, first_head, next_head
from protocol.player import Player
from protocol.position import Position
from protocol.stages import Checked, Due, Stage
from tests.protocol.ring import identities, signed_header

Script = tuple[Kind | int, ...]
"""What a hand is made of: a Kind is a round of all its seats, a number k a move of the k-th one."""
ROUNDS: Script = (Kind.COMMIT, Kind.KEY, 0, 1)
GOOD = b"ok"
"""What right bodies begin with."""


class Killed(BaseException):
    """The process is gone."""


def secret(seat: int) -> bytes:
    """What only `seat` can sign with."""
    return b"secret" + bytes([seat])


def sign(seat: int, signed: bytes, variant: int = 0) -> bytes:
    """The signature of `seat`; there are several for the same octets, as with Ed25519."""
    return hashlib.sha256(secret(seat) + signed).digest() + bytes([variant]) * 32


def entry_of(place: Place, c: Contribution, variant: int = 0) -> Entry:
    """`c` signed by its seat for `place`."""
    return Entry(place, replace(c, signature=sign(c.seat, statement(place, c), variant)))


@dataclass(frozen=True, slots=True)
class ToyState:
    """What the engine would know: the hand, how far it is, who plays it, and the script."""

    script: Script
    hands: int
    chairs: tuple[int, ...]
    hand: int = 1
    at: int = 0

    def public(self) -> Value:
        """As the digest has it."""
        return (self.hand, self.at, self.chairs)

    def turn(self) -> Turn:
        """What is due, as far as `decisions` asks."""
        if len(self.chairs) < 2 or self.hand > self.hands:
            return cast(Turn, Over(cast(Any, None)))
        if self.at >= len(self.script):
            return cast(Turn, Cards((Reveal(),)))
        what = self.script[self.at]
        if isinstance(what, int):
            return cast(Turn, Decide(self.chairs[what % len(self.chairs)]))
        return cast(Turn, Cards((Shuffle(cast(Any, None)),)))

    def apply(self, done: object) -> ToyState:
        """Who leaves is gone; before the reveal the hand is void."""
        if not isinstance(done, Leave):
            raise LocalProtocolError("a toy is told of nothing else")
        chairs = tuple(chair for chair in self.chairs if chair not in done.seats)
        late = self.at >= len(self.script)
        return replace(
            self,
            chairs=chairs,
            hand=self.hand + (0 if late else 1),
            hands=self.hands + (0 if late else 1),
            at=self.at if late else 0,
        )

    def after_step(self) -> ToyState:
        """One item of the script is done."""
        return replace(self, at=self.at + 1)

    def next_hand(self) -> ToyState:
        """The hand is over."""
        return replace(self, hand=self.hand + 1, at=0)

    @property
    def breaches(self) -> tuple[()]:
        """Nobody promises anything."""
        return ()


@dataclass(frozen=True, slots=True)
class _Terms:
    hand: int


@dataclass(frozen=True, slots=True)
class ToyDeal:
    """That a hand is being dealt."""

    terms: _Terms

    def revealed(self) -> ToyDeal:
        """Nothing to tell."""
        return self


@dataclass(frozen=True)
class ToyPosition(Position):
    """A Position over a script; what votes do to it is the real thing's business."""

    @property
    def toy(self) -> ToyState:
        """The state."""
        return cast(ToyState, self.state)

    @functools.cached_property
    def due(self) -> Due | None:
        """As the module's script says."""
        if self.stage is Stage.CLOSED:
            return None
        there = tuple(sorted(set(self.hand_seats) - self.out))
        if self.stage is not Stage.PLAY:
            return Due(Kind.CHECKPOINT if self.stage is Stage.CHECKPOINT else Kind.FOOTER, there)
        turn = self.state.turn()
        if isinstance(turn, Decide):
            return Due(Kind.MOVE, (turn.seat,))
        if self.toy.at >= len(self.toy.script):
            return Due(Kind.REVEAL, there)
        return Due(cast(Kind, self.toy.script[self.toy.at]), there)

    def is_signed(self, seat: int, signed: bytes, signature: bytes) -> bool:
        """By a keyed hash."""
        return signature[:32] == sign(seat, signed)[:32] and len(signature) == SIGNATURE_SIZE

    def check(self, c: Contribution) -> Checked:
        """In the order of the real one."""
        self.verify_signature(c)
        due = self.due
        if due is None or c.kind is not due.kind or c.seat not in due.seats:
            raise Fault(c.seat, self.step, "not-due", "it isn't due")
        if c.digest != self.digest:
            raise Fault(c.seat, self.step, "digest", "another state")
        if not c.body.startswith(GOOD):
            raise Fault(c.seat, self.step, "malformed", "it is wrong")
        return Checked(c)

    def advance(self, checked: Iterable[Checked]) -> tuple[Step, Position]:
        """One item further."""
        parts = sorted((part.contribution for part in checked), key=lambda c: c.seat)
        due = self.due
        if due is None or tuple(c.seat for c in parts) != due.seats:
            raise LocalProtocolError("a step is completed by exactly the contributions due")
        step = Step(self.step, tuple(parts))
        after = replace(
            self,
            step=self.step + 1,
            head=next_head(self.head, step.pack()),
            signed={**self.signed, **dict.fromkeys(due.seats, self.step)},
            later=False,
        )
        return step, after._stepped(due.kind)

    def _stepped(self, kind: Kind) -> ToyPosition:
        if kind is Kind.FOOTER:
            return replace(self, stage=Stage.CLOSED)
        if kind is Kind.REVEAL:
            return replace(self, stage=Stage.CHECKPOINT)
        if kind is not Kind.CHECKPOINT:
            return replace(self, state=cast(Any, self.toy.after_step()))
        after = replace(self, stage=Stage.PLAY, deal=None, state=cast(Any, self.toy.next_hand()))
        return after.settle()

    def settle(self) -> ToyPosition:
        """Begin the next hand, or end the match."""
        if isinstance(self.state.turn(), Over):
            return replace(self, stage=Stage.FOOTER)
        deal: Any = self.deal or ToyDeal(_Terms(self.toy.hand))
        return replace(self, deal=deal, hand_seats=self.toy.chairs)


@functools.cache
def header_of(count: int) -> SignedHeader:
    """The header of a table of `count`; nothing of its game is used."""
    return signed_header(identities(count))


@functools.cache
def first_toy(count: int, script: Script = ROUNDS, hands: int = 1) -> ToyPosition:
    """Where a toy match begins."""
    header = header_of(count)
    state: Any = ToyState(script, hands, tuple(range(count)))
    return ToyPosition(
        cast(Group, None),
        header.header,
        cast(Any, None),
        state,
        1,
        first_head(header.payload),
        stage=Stage.PLAY,
        order=tuple(range(count)),
    ).settle()


class ToyIdentity(Identity):
    """Signs by a keyed hash."""

    def __init__(self, seat: int) -> None:
        self.number = seat

    def sign(self, message: bytes) -> bytes:
        """A signature of this seat."""
        return sign(self.number, message)


class ToyDisk:
    """Counts what goes to the disk, and kills the process instead of the operation `kill_at`."""

    def __init__(self, kill_at: int = -1) -> None:
        self.kill_at = kill_at
        self.done = 0

    def operation(self) -> None:
        """One more; Killed."""
        if self.kill_at >= 0 and self.done >= self.kill_at:
            raise Killed
        self.done += 1


class ToyJournal(Journal):
    """The real journal's guard over a list that is always on the disk."""

    def __init__(self, disk: ToyDisk) -> None:
        self._entries: list[Entry] = []
        self._slots = {}
        self.disk = disk
        self.erased: set[bytes] = set()

    def sign(  # noqa: PLR0917  # as the real one
        self,
        identity: Identity,
        place: Place,
        seat: int,
        kind: Kind,
        body: bytes,
        digest: bytes,
        *,
        release: bool = False,
    ) -> Contribution:
        """As the real one, but for the key that a repetition is tried with."""
        before = self._slots.get(_slot(place), {}).get(place.head)
        if before == Contribution(seat, kind, body, digest, before.signature if before else b""):
            return before
        return super().sign(identity, place, seat, kind, body, digest, release=release)

    def _record(self, value: Value) -> None:
        self.disk.operation()

    def erase_seed(self, hand_id: bytes) -> None:
        """Remember that it is gone."""
        if hand_id not in self.erased:
            self.disk.operation()
            self.erased.add(hand_id)


class ToyPlayer(Player):
    """A seat whose bodies say nothing."""

    def __init__(self, seat: int, journal: ToyJournal) -> None:
        super().__init__(ToyIdentity(seat), seat, journal)
        self.toy_journal = journal

    def follow(self, position: Position) -> None:
        """There are no cards."""

    def look_again(self, position: Position) -> None:
        """There are no cards."""

    def view(self, position: Position) -> Any:
        """All of it."""
        return position.state

    def forget(self, position: Position) -> None:
        """Erase what a real one would."""
        self._journal.erase_seed(self._hand_id(position))

    def _body(self, position: Position, kind: Kind, move: Move | None) -> bytes:
        if kind is Kind.REVEAL and self._hand_id(position) in self.toy_journal.erased:
            raise LocalProtocolError("the seed of this hand was erased")
        if move is None:
            return GOOD
        return GOOD + len(self.toy_journal._entries).to_bytes(2, "big")


class ToyWriter(LogWriter):
    """A log of which the disk has the first `synced` steps, and perhaps the others."""

    def __init__(self, header: bytes, steps: tuple[Step, ...], disk: ToyDisk) -> None:
        self.opened = LogFile(header, (), steps, (), (), b"")  # type: ignore[misc]
        self.kept = list(steps)
        self.synced = len(steps)
        self.disk = disk

    def append(self, step: Step | bytes) -> bytes:
        """Write a step."""
        if not isinstance(step, Step) or step.number != len(self.kept) + 1:
            raise LocalProtocolError("a step that can't follow")
        self.disk.operation()
        self.kept.append(step)
        return b""

    def sync(self) -> None:
        """All is on the disk."""
        if self.synced < len(self.kept):
            self.disk.operation()
            self.synced = len(self.kept)

    def cut_to(self, step: int) -> Path | None:
        """As the real one: on the disk when it returns."""
        self.disk.operation()
        del self.kept[step:]
        self.synced = len(self.kept)
        return None

    def close(self) -> None:
        """Nothing to close."""
