"""Nodes of a toy match as values: a node's state is a number, what happens to it a function.

Law: a table that hears something becomes another table, the same every time; so each such step is
worked out once and remembered, and a search over whole networks costs a look-up a step. It knows
nothing of what is being searched for.

What a node signed is on its disk before it is sent and may reach anybody at any time, or never: the
network is the set of all that was ever signed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast

from engine.contract import Move
from protocol.ballot import Ballot
from protocol.branch import Branch
from protocol.contribution import Contribution, Entry
from protocol.convictions import Conviction, Convictions
from protocol.errors import ProtocolError
from protocol.position import Position
from protocol.stages import Checked
from protocol.table import Accused, Event, Outgoing, Table, YourMove
from protocol.votes import DECISIONS
from tests.protocol.explore_toy import (
    ROUNDS,
    Killed,
    Script,
    ToyDisk,
    ToyJournal,
    ToyPlayer,
    ToyPosition,
    ToyWriter,
    first_toy,
    header_of,
)

SPECTATOR = -1


class Violation(AssertionError):
    """A property doesn't hold; `trace` is how it came about."""

    def __init__(self, text: str, trace: Iterable[object] = ()) -> None:
        super().__init__(text)
        self.text = text
        self.trace = tuple(trace)

    def __str__(self) -> str:
        return "\n  ".join((self.text, *map(str, self.trace)))


@dataclass(frozen=True, slots=True)
class Hear:
    """An entry arrives; `entry` is its number in the world."""

    entry: int


@dataclass(frozen=True, slots=True)
class GoOn:
    """The player chooses to go on without `away` and whoever is missing."""

    away: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Abandon:
    """The player chooses to close the match."""

    away: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Crash:
    """The process dies and is started again; of the log's unsynced steps `lost` are gone.

    With `during`, it dies in the midst of that action, at its operation `at` on the disk.
    """

    lost: int = 0
    during: Action | None = None
    at: int = 0


Action = Hear | GoOn | Abandon | Crash

_COPIED = (Table, Branch, Convictions, Ballot, ToyPlayer, ToyJournal, ToyWriter, ToyDisk)
_SHARED = (bytes, int, str, tuple, frozenset, Position, Entry, Contribution, Checked)
_LEFT_OUT = {"_emit", "header", "opened", "identity", "_seeds"}


def _fields(value: Any) -> dict[str, Any]:
    slots = [name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ())]
    found = dict(getattr(value, "__dict__", {}))
    found.update({name: getattr(value, name) for name in slots if hasattr(value, name)})
    return found


def copied(value: Any, made: dict[int, Any]) -> Any:
    """A copy of a table that shares what can't change; anything unknown is refused."""
    if value is None or isinstance(value, _SHARED):
        return value
    if isinstance(value, dict):
        return {key: copied(item, made) for key, item in value.items()}
    if isinstance(value, list):
        return [copied(item, made) for item in value]
    if isinstance(value, set):
        return set(value)
    if isinstance(value, _COPIED):
        if id(value) not in made:
            made[id(value)] = new = object.__new__(type(value))
            for name, item in _fields(value).items():
                new_item = item if name in _LEFT_OUT else copied(item, made)
                object.__setattr__(new, name, new_item)
        return made[id(value)]
    if isinstance(value, (Accused, Conviction)) or type(value).__module__ == "protocol.log":
        return value
    raise TypeError(f"don't know how to copy a {type(value)}")


def frozen(value: Any) -> Any:
    """What makes a node's state the same as another's, hashable."""
    if isinstance(value, Position):
        return value.head
    if isinstance(value, dict):
        return frozenset((key, frozen(item)) for key, item in value.items())
    if isinstance(value, list):
        return tuple(frozen(item) for item in value)
    if isinstance(value, set):
        return frozenset(value)
    if isinstance(value, Accused):
        return True
    if isinstance(value, ToyDisk):
        return None
    if isinstance(value, _COPIED):
        return tuple(
            frozen(item) for name, item in sorted(_fields(value).items()) if name not in _LEFT_OUT
        )
    return value


def _left(table: Table) -> Iterable[int]:
    ballot = table._ballots.get(table.position.step)
    if ballot is None or table.player is None:
        return
    for c, vote in ballot.casts():
        dead = ballot.dead(vote, table.position.in_play)
        if c.seat == table.player.seat and vote.kind in DECISIONS and not dead:
            yield from vote.away


@dataclass(slots=True)
class Facts:
    """What a search asks of a node's state, worked out once. Step i stands at `heads[i]`."""

    seat: int
    heads: tuple[bytes, ...]
    settled: int
    signed: frozenset[int]
    closed: bool
    bound: bool
    left: frozenset[int]
    """Whom its own votes that could still decide leave out."""
    latest: int
    convicted: frozenset[int]
    decided: tuple[int, ...]
    position: ToyPosition
    retained: tuple[bytes, ...]
    unsynced: int
    table: Table
    told: dict[int, tuple[int, ...]] = field(default_factory=dict)

    @property
    def step(self) -> int:
        """The step that is due."""
        return len(self.heads)


class World:
    """All states that nodes of one match were seen in, and what leads from one to the other."""

    def __init__(self, count: int, script: Script = ROUNDS, hands: int = 1) -> None:
        self.count = count
        self.first = first_toy(count, script, hands)
        self.header = header_of(count)
        self.entries: list[Entry] = []
        self.positions: dict[bytes, ToyPosition] = {self.first.head: self.first}
        self.nodes: list[Facts] = []
        self.worked_out = 0
        self._numbers: dict[Entry, int] = {}
        self._ids: dict[Any, int] = {}
        self._results: dict[tuple[int, Action], int] = {}
        self._sent: dict[tuple[int, Action], tuple[int, ...]] = {}
        self._asked: list[YourMove] = []
        self._out: list[int] = []

    # -- entries ----------------------------------------------------------------------------------

    def number(self, entry: Entry) -> int:
        """The number of an entry, the same every time."""
        found = self._numbers.get(entry)
        if found is None:
            found = self._numbers[entry] = len(self.entries)
            self.entries.append(entry)
        return found

    def text(self, number: int) -> str:
        """An entry in words."""
        entry = self.entries[number]
        place, c = entry.place, entry.contribution
        votes = f" attempt {place.attempt}" if place.cls else ""
        return (
            f"{c.kind} of seat {c.seat} step {place.step}@{place.head.hex()[:4]}{votes}"
            f" {self._content(entry)}"
        )

    @staticmethod
    def _content(entry: Entry) -> str:
        from protocol.votes import VOTES, read_vote  # noqa: PLC0415  # for messages only

        c = entry.contribution
        if c.kind not in VOTES:
            return f"{c.body!r} {c.signature[-1]}"
        vote = read_vote(c.kind, c.body)
        kept = [(k.kind.value, k.seat) for k in vote.kept]
        return f"away {vote.away} kept {kept}{' firm' * vote.firm}"

    # -- nodes ------------------------------------------------------------------------------------

    def begin(self, seat: int) -> int:
        """The node of `seat`, or a spectator, at the beginning."""
        disk = ToyDisk()
        return self._known(self._start(seat, (), ToyJournal(disk), disk))

    def _start(
        self, seat: int, steps: tuple[Any, ...], journal: ToyJournal, disk: ToyDisk
    ) -> Table:
        player = None if seat == SPECTATOR else ToyPlayer(seat, journal)
        table = Table(
            self.header,
            cast(Any, None),
            self._emit,
            player=player,
            writer=ToyWriter(self.header.payload, steps, disk),
            first=self.first,
        )
        table.start()
        self._decide(table)
        return table

    def _emit(self, event: Event) -> None:
        if isinstance(event, YourMove):
            self._asked.append(event)
        if isinstance(event, Outgoing):
            self._out.append(self.number(event.entry))

    def _decide(self, table: Table) -> None:
        while self._asked:
            event = self._asked.pop(0)
            player = table.player
            if player is None or table.halted or event.position is not table.position:
                continue
            if not table.bound and player.seat not in table.held:
                table.play(cast(Move, object()))

    def act(self, node: int, action: Action) -> int:
        """What `action` makes of a node; Violation if our own code finds itself at fault."""
        known = self._results.get((node, action))
        if known is None:
            self.worked_out += 1
            try:
                known = self._known(self._act(self.nodes[node], action))
            except ProtocolError as error:
                what = self.text(action.entry) if isinstance(action, Hear) else action
                text = f"seat {self.nodes[node].seat}, {what}: {type(error).__name__} {error}"
                raise Violation(text) from error
            self._results[node, action] = known
            if self._out:
                self._sent[node, action] = tuple(self._out)
        return known

    def sent(self, node: int, action: Action) -> tuple[int, ...]:
        """What goes out to everybody when `action` happens to `node`."""
        self.act(node, action)
        return self._sent.get((node, action), ())

    def _act(self, facts: Facts, action: Action) -> Table:
        self._asked.clear()
        self._out.clear()
        table: Table = copied(facts.table, {})
        if isinstance(action, Crash):
            return self._crash(table, action)
        self._do(table, action)
        return table

    def _do(self, table: Table, action: Action) -> None:
        match action:
            case Hear(entry=number):
                table.receive(self.entries[number])
            case GoOn(away=away):
                table.go_on(away)
            case Abandon(away=away):
                table.abandon(away)
        self._decide(table)

    def _crash(self, table: Table, crash: Crash) -> Table:
        writer = cast(ToyWriter, table._branch._writer)
        if crash.during is not None:
            writer.disk.kill_at = writer.disk.done + crash.at
            with contextlib.suppress(Killed):
                self._do(table, crash.during)
            self._asked.clear()
        kept = max(writer.synced, len(writer.kept) - crash.lost)
        disk = ToyDisk()
        journal = ToyJournal(disk)
        seat = SPECTATOR
        if isinstance(table.player, ToyPlayer):
            seat = table.player.seat
            old = table.player.toy_journal
            journal.erased = set(old.erased)
            for entry in old._entries:
                journal._remember(entry)
        return self._start(seat, tuple(writer.kept[:kept]), journal, disk)

    def _known(self, table: Table) -> int:
        self._asked.clear()
        key = frozen(table)
        found = self._ids.get(key)
        if found is None:
            found = self._ids[key] = len(self.nodes)
            self.nodes.append(self._facts(table))
        return found

    def _facts(self, table: Table) -> Facts:
        branch, player = table._branch, table.player
        writer = cast(ToyWriter, branch._writer)
        for position in branch._positions.values():
            self.positions.setdefault(position.head, cast(ToyPosition, position))
        entries = player.all_signed(self.header.header.match) if player else ()
        return Facts(
            player.seat if player else SPECTATOR,
            tuple(branch.heads),
            branch.position.settled,
            frozenset(self.number(entry) for entry in entries),
            branch.position.closed,
            table.bound,
            frozenset(_left(table)),
            max((b._last(table._seat) for b in table._ballots.values()), default=-1),
            frozenset(c.seat for c in table._convictions._all),
            tuple(s for s in range(1, len(branch.heads)) if branch.is_decision(s)),
            cast(ToyPosition, branch.position),
            tuple(branch.heads[s - 1] for s in branch._positions),
            len(writer.kept) - writer.synced,
            table,
        )

    def told(self, node: int, step: int) -> tuple[int, ...]:
        """What the node answers to who asks for the entries from `step` on."""
        facts = self.nodes[node]
        if step not in facts.told:
            facts.told[step] = tuple(self.number(e) for e in facts.table.entries_from(step))
        return facts.told[step]
