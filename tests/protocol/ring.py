"""A ring of tables in one process: real protocol, real journals, no sockets.

Entries travel through one queue; `tamper` may change, drop or multiply what a seat sends.
"""

from __future__ import annotations

import functools
import random
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from engine import registry
from engine.options import items, make
from protocol.contribution import Entry
from protocol.group import Group, default_group
from protocol.header import Header, Seat, SignedHeader
from protocol.identity import Identity
from protocol.journal import Journal
from protocol.log import LogWriter
from protocol.player import Player
from protocol.stages import HANDS_EXTENSION
from protocol.table import Accused, Event, Outgoing, Table, YourMove

NAMES = ("Ada", "Bruno", "Carla", "Dino", "Elsa", "Fosco", "Gina", "Ivo")
Tamper = Callable[[int, Entry], Iterable[Entry]]


def identities(count: int) -> list[Identity]:
    """Fixed keys, in the order of their public keys: index = seat."""
    keys = [Identity(bytes([i + 1]) * 32) for i in range(count)]
    return sorted(keys, key=lambda identity: identity.public)


def signed_header(
    keys: list[Identity],
    game: str = "petrangola",
    preset: str = "",
    hands: int = 0,
    given: Iterable[tuple[str, str]] = (),
) -> SignedHeader:
    """A header for `keys`, signed by all."""
    g = registry.get(game)
    options: Any = make(g.options_type, g.presets[preset or g.default_preset], given)
    header = Header(
        game,
        g.version,
        tuple(sorted(items(options))),
        1_700_000_000,
        tuple(Seat(NAMES[i], k.public, bytes([i]) * 16) for i, k in enumerate(keys)),
        ((HANDS_EXTENSION, hands),) if hands else (),
    )
    return header.seal([header.sign(k) for k in keys])


class Ring:
    """`count` tables that hear each other."""

    def __init__(
        self,
        folder: Path,
        count: int = 3,
        *,
        hands: int = 1,
        preset: str = "",
        group: Group | None = None,
        seed: int = 1,
        tamper: Tamper | None = None,
        given: Iterable[tuple[str, str]] = (),
    ) -> None:
        self.keys = identities(count)
        self.header = signed_header(self.keys, preset=preset, hands=hands, given=given)
        self.rng = random.Random(seed)
        self.tamper = tamper or (lambda _, entry: (entry,))
        self.queue: deque[tuple[int, Entry]] = deque()
        self.events: list[list[Event]] = [[] for _ in self.keys]
        self.logs = [folder / f"{seat}.busso" for seat in range(count)]
        self.players: list[Player] = []
        self.tables: list[Table] = []
        for seat, key in enumerate(self.keys):
            journal = Journal(folder / f"journal-{seat}", random=self.rng.randbytes)
            self.players.append(Player(key, seat, journal))
            self.tables.append(
                Table(
                    self.header,
                    group or default_group(),
                    functools.partial(self._event, seat),
                    player=self.players[seat],
                    writer=LogWriter.create(self.logs[seat], self.header.payload),
                )
            )

    def _event(self, seat: int, event: Event) -> None:
        self.events[seat].append(event)
        if isinstance(event, Outgoing):
            self.queue.extend((seat, entry) for entry in self.tamper(seat, event.entry))

    def choose(self, seat: int, event: YourMove) -> None:
        """Seat's decision, by the game's own suggestion."""
        chair = event.position.chair(seat)
        move = event.position.game.suggest(event.view, chair, self.rng)
        self.tables[seat].play(move)

    def run(self, limit: int = 100_000) -> None:
        """Play until nothing moves any more."""
        for table in self.tables:
            table.start()
        for _ in range(limit):
            if self.queue:
                author, entry = self.queue.popleft()
                for seat, table in enumerate(self.tables):
                    if seat != author:
                        table.receive(entry)
            elif not self._decide():
                return
        raise AssertionError("the match doesn't end")

    def _decide(self) -> bool:
        decided = False
        for seat, events in enumerate(self.events):
            if events and isinstance(events[-1], YourMove) and not self.tables[seat].halted:
                event = events[-1]
                events.append(Outgoing.__new__(Outgoing))  # answered
                self.choose(seat, event)
                decided = True
        return decided

    def accused(self, seat: int) -> Accused | None:
        """What the table of `seat` accuses somebody of."""
        return self.tables[seat].accusation

    def close(self) -> None:
        """Let go of the journals and logs."""
        for player, table in zip(self.players, self.tables, strict=True):
            player._journal.close()
            if table._writer:
                table._writer.close()
