"""Whole nodes in threads: real meshes on the loopback, real logs, and one that may cheat."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from engine import registry
from engine.options import make
from node.bot import Bot
from node.door import find_table
from node.lobby import Offer
from node.match import Agreed, Match, MatchFiles
from node.session import EvidenceKept, Session, SessionEvent, Stopped, need
from protocol.contribution import Contribution, Entry, statement
from protocol.group import Group, default_group
from protocol.identity import Identity
from protocol.messages import EntryMessage
from protocol.player import Player
from protocol.position import Position
from protocol.table import Event, Outgoing

NAMES = ("Ada", "Bruno", "Carla", "Dino")
DEADLINE = 30.0
Tamper = Callable[["CheatingSession", Entry], Iterable[Entry]]


def offer(players: int, hands: int, name: str = registry.DEFAULT) -> Offer:
    """A table of the game called `name`, by its default preset."""
    game = registry.get(name)
    options: Any = make(game.options_type, game.presets[game.default_preset])
    return Offer(game, options, players, hands)


@dataclass
class Seated:
    """One node of a table and what came of it."""

    session: Session
    identity: Identity
    events: list[SessionEvent] = field(default_factory=list)
    end: Position | None = None
    error: Exception | None = None
    thread: threading.Thread | None = None

    def run(self) -> None:
        """Play; keep how it ended."""
        try:
            self.end = self.session.run()
        except Exception as error:  # looked at by the test
            self.error = error

    @property
    def evidence(self) -> Path | None:
        """The evidence file that this node kept."""
        kept = [event.path for event in self.events if isinstance(event, EvidenceKept)]
        return kept[0] if kept else None


class CheatingSession(Session):
    """Plays along at its own table and sends the others what `tamper` makes of it."""

    tamper: Tamper
    cheat: Identity

    def _make_match(self, agreed: Agreed, player: Player | None, files: MatchFiles) -> Match:
        match = super()._make_match(agreed, player, files)
        honest = match._table_event

        def table_event(event: Event) -> None:
            if not isinstance(event, Outgoing):
                honest(event)
                return
            for entry in self.tamper(self, event.entry):
                need(self._mesh).broadcast(EntryMessage(entry))

        match.table._emit = table_event
        return match


def resign(identity: Identity, entry: Entry, body: bytes) -> Entry:
    """The same contribution with another body, properly signed."""
    blank = replace(entry.contribution, body=body, signature=b"")
    signature = identity.sign(statement(entry.place, blank))
    return Entry(entry.place, replace(blank, signature=signature))


def forge(entry: Entry, **changes: Any) -> Entry:
    """The same contribution with other fields under the old signature."""
    contribution: Contribution = replace(entry.contribution, **changes)
    return Entry(entry.place, contribution)


def play(
    folder: Path,
    *,
    players: int = 3,
    hands: int = 1,
    tamper: Tamper | None = None,
    group: Group | None = None,
    game: str = registry.DEFAULT,
) -> list[Seated]:
    """Play a match of `players` nodes; the last one to join cheats if `tamper` is given."""
    nodes: list[Seated] = []
    port = 0
    for number in range(players):
        cheats = tamper if number == players - 1 else None
        node = seat(folder, number, tamper=cheats, group=group)
        nodes.append(node)
        if number == 0:
            port = node.session.host(offer(players, hands, game), address="127.0.0.1")
        else:
            card, address = find_table("127.0.0.1", port, 10)
            node.session.join(card, address, address="127.0.0.1")
    start(nodes)
    honest = nodes[:-1] if tamper else nodes
    for node in honest:
        need(node.thread).join(DEADLINE)
    for node in nodes:
        node.session.stop()
        need(node.thread).join(DEADLINE)
    running = [node.session.name for node in nodes if need(node.thread).is_alive()]
    if running:  # the cheat's own node must end, too
        raise AssertionError(f"these never end: {running}")
    return nodes


def seat(
    folder: Path, number: int, *, tamper: Tamper | None = None, group: Group | None = None
) -> Seated:
    """A bot's node that has no table yet."""
    identity = Identity.generate()
    events: list[SessionEvent] = []
    kind = CheatingSession if tamper else Session
    session = kind(
        identity,
        NAMES[number],
        folder / str(number),
        group=group or default_group(),
        chooser=Bot(random.Random(number)),
        on_event=events.append,
    )
    if isinstance(session, CheatingSession) and tamper is not None:
        session.tamper, session.cheat = tamper, identity
    return Seated(session, identity, events)


def start(nodes: Iterable[Seated]) -> list[threading.Thread]:
    """Let nodes play, each on a thread of its own."""
    threads = []
    for node in nodes:
        node.thread = threading.Thread(target=node.run, daemon=True)
        node.thread.start()
        threads.append(node.thread)
    return threads


def stopped(node: Seated) -> str:
    """Why a node's session ended, which must be by Stopped."""
    if not isinstance(node.error, Stopped):
        raise AssertionError(f"{node.session.name} ended by {node.error!r} at {node.end}")
    return str(node.error)
