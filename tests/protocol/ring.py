"""A ring of tables in one process: real protocol, real journals, no sockets.

What a seat sends becomes one delivery to each other seat, in one list; `pick` says which is next.
`tamper` changes, drops or multiplies what a seat sends; a seat with a player of its own making
(`players`) is a crook: its table may find its own contributions wrong, which ends that table only.
"""

from __future__ import annotations

import dataclasses
import functools
import random
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from engine import registry
from engine.contract import Move
from engine.options import items, make
from protocol.audit import Moment
from protocol.contribution import Contribution, Entry, Kind, Place, statement
from protocol.errors import LocalProtocolError
from protocol.frames import Magic, frame
from protocol.group import Group
from protocol.header import Header, Seat, SignedHeader
from protocol.identity import Identity
from protocol.journal import Journal
from protocol.log import LogWriter
from protocol.player import Player
from protocol.stages import HANDS_EXTENSION
from protocol.table import Accused, Advanced, Event, Outgoing, Table, Verdict, YourMove
from tests.protocol.groups import FAST

NAMES = ("Ada", "Bruno", "Carla", "Dino", "Elsa", "Fosco", "Gina", "Ivo")
Tamper = Callable[[int, Entry], Iterable[Entry | tuple[int, Entry]]]
"""(author, entry) -> what goes out instead: to everybody, or (seat, entry) to that seat alone."""


def identities(count: int, first: int = 1) -> list[Identity]:
    """Fixed keys, in the order of their public keys: index = seat. `first` makes them others."""
    keys = [Identity(bytes([i + first]) * 32) for i in range(count)]
    return sorted(keys, key=lambda identity: identity.public)


def seed_of(identity: Identity) -> bytes:
    """The Ed25519 seed of one of `identities`, for signing as only its owner could."""
    return next(
        s for i in range(32) if Identity(s := bytes([i + 1]) * 32).public == identity.public
    )


def signed_header(
    keys: list[Identity],
    *,
    game: str = "petrangola",
    preset: str = "",
    hands: int = 0,
    given: Iterable[tuple[str, str]] = (),
    created: int = 1_700_000_000,
) -> SignedHeader:
    """A header for `keys`, signed by all."""
    g = registry.get(game)
    options: Any = make(g.options_type, g.presets[preset or g.default_preset], given)
    header = Header(
        game,
        g.version,
        tuple(sorted(items(options))),
        created,
        tuple(Seat(NAMES[i], k.public, bytes([i]) * 16) for i, k in enumerate(keys)),
        ((HANDS_EXTENSION, hands),) if hands else (),
    )
    return header.seal([header.sign(k) for k in keys])


def resign(identity: Identity, place: Place, c: Contribution, **changes: Any) -> Entry:
    """`c` with `changes`, signed for `place` by `identity`."""
    changed = dataclasses.replace(c, **changes)
    signature = identity.sign(statement(place, changed))
    return Entry(place, dataclasses.replace(changed, signature=signature))


class Ring:
    """`count` tables that hear each other."""

    def __init__(
        self,
        folder: Path,
        count: int = 3,
        *,
        hands: int = 1,
        game: str = "petrangola",
        preset: str = "",
        group: Group | None = None,
        seed: int = 1,
        tamper: Tamper | None = None,
        given: Iterable[tuple[str, str]] = (),
        players: Mapping[int, type[Player]] | None = None,
        chooser: Callable[[int, YourMove], Move | None] | None = None,
        pick: Callable[[int], int] | None = None,
        created: int = 1_700_000_000,
        first_key: int = 1,
    ) -> None:
        self.folder = folder
        self.group = group or FAST
        self.keys = identities(count, first_key)
        self.header = signed_header(
            self.keys, game=game, preset=preset, hands=hands, given=given, created=created
        )
        self.rng = random.Random(seed)
        self.tamper = tamper or (lambda _, entry: (entry,))
        self.chooser = chooser
        self.pick = pick or (lambda _: 0)
        self.classes = players or {}
        self.pool: list[tuple[int, Entry]] = []
        self.sent: list[list[Entry]] = [[] for _ in self.keys]
        self.events: list[list[Event]] = [[] for _ in self.keys]
        self.verdicts: list[tuple[int, Entry, Verdict]] = []
        self.crashed: set[int] = set()
        self.on_event: Callable[[int, Event], None] = lambda seat, event: None
        """Called for every event before it has any effect; it may end the node."""
        self._turns: dict[int, YourMove] = {}
        self.logs = [folder / f"{seat}.busso" for seat in range(count)]
        self.journals: list[Journal] = []
        self.writers: list[LogWriter] = []
        self.players: list[Player] = []
        self.tables: list[Table] = []
        for seat in range(count):
            self.journals.append(self._journal(seat))
            self.writers.append(LogWriter.create(self.logs[seat], self.header.payload))
            self.players.append(self._player(seat))
            self.tables.append(self._table(seat))

    def _journal(self, seat: int) -> Journal:
        return Journal(self.folder / f"journal-{seat}", random=self.rng.randbytes)

    def _player(self, seat: int) -> Player:
        return self.classes.get(seat, Player)(self.keys[seat], seat, self.journals[seat])

    def _table(self, seat: int) -> Table:
        return Table(
            self.header,
            self.group,
            functools.partial(self._event, seat),
            player=self.players[seat],
            writer=self.writers[seat],
        )

    def _event(self, seat: int, event: Event) -> None:
        self.events[seat].append(event)
        self.on_event(seat, event)
        if isinstance(event, YourMove):
            self._turns[seat] = event
        if isinstance(event, Outgoing):
            self.sent[seat].append(event.entry)
            for out in self.tamper(seat, event.entry):
                self.send(seat, out)

    def send(self, author: int, out: Entry | tuple[int, Entry]) -> None:
        """Put deliveries into the pool: to everybody but `author`, or to one seat."""
        if isinstance(out, Entry):
            self.pool += [(seat, out) for seat in range(len(self.keys)) if seat != author]
        else:
            self.pool.append(out)

    def deliver(self, to: int, entry: Entry) -> None:
        """Hand an entry to the table of `to`."""
        if to not in self.crashed:
            verdict = self._guard(to, lambda: self.tables[to].receive(entry))
            if verdict is not None:
                self.verdicts.append((to, entry, verdict))

    def _guard(self, seat: int, act: Callable[[], Any]) -> Any:
        """Let a crook's own table fall over its lies, and nobody else's over anything."""
        try:
            return act()
        except LocalProtocolError:
            if seat not in self.classes:
                raise
            self.crashed.add(seat)
            return None

    def choose(self, seat: int, event: YourMove) -> Move:
        """Seat's decision: the test's, or else the game's own suggestion."""
        move = self.chooser(seat, event) if self.chooser else None
        chair = event.position.chair(seat)
        return move or event.position.game.suggest(event.view, chair, self.rng)

    def start(self) -> None:
        """Let every table begin."""
        for seat, table in enumerate(self.tables):
            self._guard(seat, table.start)

    def run(self, until: Callable[[], bool] = lambda: False, *, start: bool = True) -> None:
        """Play until nothing moves any more, or `until`."""
        if start:
            self.start()
        for _ in range(100_000):
            if until():
                return
            if self.pool:
                self.deliver(*self.pool.pop(self.pick(len(self.pool))))
            elif not self._decide():
                return
        raise AssertionError("the match doesn't end")

    def _decide(self) -> bool:
        for seat, event in sorted(self._turns.items()):
            del self._turns[seat]
            table = self.tables[seat]
            if seat not in self.crashed and not table.halted and event.position is table.position:
                move = self.choose(seat, event)
                self._guard(seat, functools.partial(table.play, move))
                return True
        return False

    def reach(self, step: int) -> bool:
        """Whether every table waits for `step` or a later one."""
        return all(table.position.step >= step for table in self.tables)

    def reopen(self, seat: int) -> None:
        """Kill the node of `seat` and start another from what is on its disk."""
        self.journals[seat].close()
        self.writers[seat].close()
        self._turns.pop(seat, None)
        self.journals[seat] = self._journal(seat)
        self.writers[seat] = LogWriter.reopen(self.logs[seat])
        self.players[seat] = self._player(seat)
        self.tables[seat] = self._table(seat)

    def heal(self) -> None:
        """Every table asks every other one for what it lacks."""
        for to, table in enumerate(self.tables):
            for author, other in enumerate(self.tables):
                if author != to:
                    entries = other.entries_from(table.floor)
                    self.pool += [(to, entry) for entry in entries]

    def honest(self) -> list[int]:
        """The seats that play by the protocol."""
        return [seat for seat in range(len(self.keys)) if seat not in self.classes]

    def accused(self, seat: int) -> Accused | None:
        """What the table of `seat` accuses somebody of."""
        return self.tables[seat].accusation

    def log(self, seat: int = 0) -> bytes:
        """The log of `seat` as it lies on the disk."""
        return self.logs[seat].read_bytes()

    def close(self) -> None:
        """Let go of the journals and logs."""
        for journal, writer in zip(self.journals, self.writers, strict=True):
            journal.close()
            writer.close()


@dataclasses.dataclass(frozen=True)
class Record:
    """A match that was played to its end, for tests that only read it."""

    header: SignedHeader
    log: bytes
    payloads: tuple[bytes, ...]
    moments: tuple[Moment, ...]
    seeds: dict[tuple[int, int], bytes]
    """(seat, hand) -> the seed that the seat drew."""
    group: Group

    def first(self, kind: Kind) -> Moment:
        """The first step of that kind."""
        return next(m for m in self.moments if m.step.entries[0].kind is kind)


@functools.cache
def record(
    count: int = 2,
    *,
    hands: int = 1,
    seed: int = 1,
    preset: str = "",
    created: int = 1_700_000_000,
    first_key: int = 1,
    chooser: Callable[[int, YourMove], Move | None] | None = None,
) -> Record:
    """Play a match and keep what it left; nothing of it stays on the disk."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        ring = Ring(
            Path(name),
            count,
            hands=hands,
            seed=seed,
            preset=preset,
            created=created,
            first_key=first_key,
            chooser=chooser,
        )
        ring.run()
        ring.close()
        log = ring.log()
        if (
            any(ring.log(seat) != log for seat in range(count))
            or not ring.tables[0].position.closed
        ):
            raise AssertionError("an honest match went wrong")
        advanced = [e for e in ring.events[0] if isinstance(e, Advanced)]
    moments = tuple(Moment(e.step, e.before, e.after) for e in advanced)
    seeds = {
        (c.seat, m.before.dealt().terms.hand): c.body
        for m in moments
        for c in m.step.entries
        if c.kind is Kind.REVEAL
    }
    payloads = tuple(m.step.pack() for m in moments)
    return Record(ring.header, log, payloads, moments, seeds, ring.group)


def file_of(header: bytes, payloads: Iterable[bytes]) -> bytes:
    """A log file of these payloads, its frames right whatever they hold."""
    return Magic.LOG.value + b"".join(frame(payload) for payload in (header, *payloads))
