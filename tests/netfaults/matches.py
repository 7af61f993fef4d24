"""Whole matches over a virtual network: real tables, logs and journals; no threads, no waiting.

Law: this file sits players down and lets them choose; what happens between them is the network's
script. `crash` and `restart` are what `kill -9` and a new start of the program do.

    with Matches(tmp_path, 4, seed=7) as table:
        table.net.at(105.0, lambda: table.net.cut(table.keys[0], table.keys[1]))
        table.run()
        assert len(table.logs()) == 1
"""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from engine.contract import Move
from node.match import Agreed, Match, MatchFiles, create_files
from node.notices import MatchNotice
from node.waiting import Absent
from protocol.identity import Identity
from protocol.journal import Journal
from protocol.log import LogWriter
from protocol.messages import Propose
from protocol.player import Player
from protocol.table import Accused, YourMove
from tests.netfaults.meshes import VirtualMesh
from tests.netfaults.virtual import Network, Way
from tests.protocol.groups import FAST
from tests.protocol.ring import identities, signed_header
from tests.protocol.wire_samples import card

THINKING = 0.01
"""Seconds that a player takes for a choice."""


class Seat:
    """One player's node: the process may end and begin again, the files stay."""

    def __init__(self, table: Matches, number: int) -> None:
        self.table = table
        self.number = number
        self.identity: Identity = table.identities[number]
        self.folder = table.folder / str(number)
        self.notices: list[MatchNotice] = []
        self.asked: list[Absent] = []
        self.mesh: VirtualMesh | None = None
        self.match: Match | None = None
        self.files: MatchFiles | None = None

    def start(self) -> None:
        """Begin the match, or take it up where the files end."""
        if self.files is None:
            self.files = create_files(
                self.folder, self.table.agreed.signed, self.number, self.table.net.random.randbytes
            )
        else:
            log = self.files.log
            mine = log.parent / f"seat-{self.number}"
            kept = Journal(mine, random=self.table.net.random.randbytes)
            self.files = MatchFiles(log, LogWriter.reopen(log), kept)
        journal = self.files.journal
        if journal is None:
            raise AssertionError("a seat has a journal")
        events: list[Any] = []
        mesh: Any = VirtualMesh(self.table.net, self.identity.public, events.append)
        self.mesh = mesh
        self.match = Match(
            self.table.agreed,
            mesh,
            Player(self.identity, self.number, journal),
            self.files,
            group=FAST,
            on_event=self.notices.append,
            decide=self._decide,
            choose=self._chosen,
            ask=self._asked,
            clock=self.table.net.clock,
        )
        mesh._on_event = self.match.handle
        self.match.start()
        for event in events:
            self.match.handle(event)
        mesh.node.every(0.1, self.match.tick)

    def crash(self) -> None:
        """End without a word."""
        if self.mesh is not None and self.files is not None:
            self.mesh.node.detach()
            self.files.close()
            self.match = self.mesh = None

    def _asked(self, absent: Absent) -> None:
        self.asked.append(absent)
        match, mesh = self.match, self.mesh
        if match is not None and mesh is not None and not self.table.patient:
            mesh.node.after(THINKING, match.go_on)

    def _chosen(self, move: Move, decision: YourMove) -> None:
        """The one answer that is possible."""
        match, mesh = self.match, self.mesh
        if mesh is None:
            return
        if match is None:
            mesh.node.after(0.0, partial(self._chosen, move, decision))
            return
        mesh.node.after(THINKING, partial(match.play, move, decision))

    def _decide(self, decision: YourMove) -> None:
        match, mesh = self.match, self.mesh
        if mesh is None:
            return
        if match is None:  # a decision that was due when the match was taken up
            mesh.node.after(0.0, partial(self._decide, decision))
            return
        move = self.table.choose(self.number, decision)
        mesh.node.after(THINKING, partial(match.play, move, decision))


class Matches:
    """The seats of one match, each a node of its own on one network."""

    def __init__(
        self,
        folder: Path,
        count: int,
        *,
        seed: int = 1,
        hands: int = 1,
        game: str = "briscola",
        way: Way | None = None,
        net: Network | None = None,
        patient: bool = True,
    ) -> None:
        """`patient` players wait for ever for who is away; others go on when they are asked."""
        self.patient = patient
        self.folder = folder
        self.net = net or Network(seed, way=way)
        self.rng = random.Random(seed)
        self.identities = identities(count)
        self.keys = tuple(identity.public for identity in self.identities)
        signed = signed_header(self.identities, game=game, hands=hands)
        # Whoever kept the table has left: nobody introduces anybody any more.
        self.agreed = Agreed(card(), Propose(signed.header.core, (), ()), signed, ())
        self.seats = [Seat(self, number) for number in range(count)]

    def choose(self, number: int, decision: YourMove) -> Any:
        """What a player does: the game's own suggestion."""
        chair = decision.position.chair(number)
        return decision.position.game.suggest(decision.view, chair, self.rng)

    def start(self) -> None:
        """Start every node that doesn't run."""
        for seat in self.seats:
            if seat.match is None:
                seat.start()

    def closed(self) -> bool:
        """Whether every node that runs has the signed footer."""
        running = [seat.match for seat in self.seats if seat.match is not None]
        return bool(running) and all(match.table.position.closed for match in running)

    def run(self, until: Callable[[], bool] | None = None, limit: float = 120.0) -> float:
        """Start, and play until the end or `until`; how many seconds that took."""
        begun = self.net.now
        self.start()
        return self.net.run_until(until or self.closed, limit) - begun

    def step(self, number: int) -> int:
        """The step that a seat waits for."""
        match = self.seats[number].match
        return 0 if match is None else match.table.position.step

    def logs(self) -> set[bytes]:
        """The different logs on the disks: one, if all went well."""
        return {seat.files.log.read_bytes() for seat in self.seats if seat.files is not None}

    def accusations(self) -> list[Accused]:
        """Who was accused by anybody."""
        return [notice for s in self.seats for notice in s.notices if isinstance(notice, Accused)]

    def __enter__(self) -> Matches:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for seat in self.seats:
            seat.crash()
