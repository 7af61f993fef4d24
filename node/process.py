"""A node that is a process of its own, driven by nobody: `busso node`.

Law: it joins or hosts one table, plays one match as a bot and reports to whoever started it, one
JSON object a line on standard output. It ends when the match does, or when its standard input
closes, so that no bot outlives the command that started it.

    {"event": "hosting", "port": N}
    {"event": "step", "step": N, "hand": N, "shuffled": N}       so many have shuffled that hand
    {"event": "dealt", "hand": N, "ms": T}
    {"event": "finished", "log": PATH, "deal_ms": [...]}
    {"event": "stopped", "text": "...", "evidence": PATH or "", "network": BOOL}
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from node.bot import Bot
from node.door import find_table
from node.errors import NodeError
from node.lobby import Offer
from node.search import Budget, Level
from node.session import Session, SessionEvent, Stopped
from node.sitting import Manner
from protocol.contribution import Kind
from protocol.group import Group
from protocol.identity import Identity
from protocol.messages import Owned
from protocol.table import Advanced

LOOPBACK = "127.0.0.1"
JOIN_TIMEOUT = 10.0


class DealClock:
    """How long each deal took here: from the first commitment being due to the last share."""

    def __init__(
        self,
        told: Callable[[int, float], None] = lambda hand, ms: None,
        clock: Callable[[], float] = time.perf_counter,
        stepped: Callable[[int, int, int], None] = lambda step, hand, shuffled: None,
    ) -> None:
        self.milliseconds: list[float] = []
        self._told = told
        self._clock = clock
        self._stepped = stepped
        self._since: float | None = None
        self._hand = 0
        self._shuffled = 0

    def note(self, event: SessionEvent) -> None:
        """Look at what happened."""
        if not isinstance(event, Advanced):
            return
        due, kind = event.after.due, event.step.entries[0].kind
        if due is not None and due.kind is Kind.COMMIT:
            self._since = self._clock()
            self._hand, self._shuffled = self._hand + 1, 0
        elif kind is Kind.SHARES and self._since is not None:
            self.milliseconds.append(round((self._clock() - self._since) * 1000, 1))
            self._since = None
            self._told(len(self.milliseconds), self.milliseconds[-1])
        self._shuffled += kind is Kind.SHUFFLE
        self._stepped(event.step.number, self._hand, self._shuffled)


class BotNode:
    """One bot at one table, in this process."""

    def __init__(
        self,
        name: str,
        folder: Path,
        seed: int | None,
        group: Group,
        *,
        deals: DealClock | None = None,
        level: Level = Level.MEDIUM,
        budget: Budget | None = None,
        owned: Owned | None = None,
        stay: bool = False,
    ) -> None:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        identity = Identity.load_or_create(folder / "identity")
        self.deals = deals or DealClock()
        self.session = Session(
            identity,
            name,
            folder,
            group=group,
            chooser=Bot(random.Random(seed), level, budget),
            on_event=self.deals.note,
            manner=Manner(owned=owned),
            stay=stay,
        )
        # A bot of somebody's plays with guests from elsewhere too, who must be able to dial it.
        self._alone = owned is None

    def join(self, host: str, port: int, code: str = "") -> None:
        """Take a seat at the table behind that door. DoorError, LobbyError."""
        card, address = find_table(host, port, JOIN_TIMEOUT)
        at = LOOPBACK if address == LOOPBACK and self._alone else "*"
        self.session.join(card, address, address=at, code=code, door=port)

    def run(self, out: TextIO) -> int:
        """Play; 0 when the match was finished, 1 when it was stopped."""
        try:
            self.session.run()
        except Stopped as error:
            evidence = str(self.session.evidence or "")
            report(out, event="stopped", text=str(error), evidence=evidence, network=False)
            return 1
        report(out, event="finished", log=str(self.session.log), deal_ms=self.deals.milliseconds)
        return 0


def report(out: TextIO, **fields: object) -> None:
    """One line of JSON, at once."""
    print(json.dumps(fields), file=out, flush=True)


def run_node(
    *,
    name: str,
    folder: Path,
    seed: int | None,
    group: Group,
    offer: Offer | None = None,
    port: int = 0,
    join: tuple[str, int] | None = None,
    level: Level = Level.MEDIUM,
    budget: Budget | None = None,
    owned: Owned | None = None,
    code: str = "",
    stay: bool = False,
) -> int:
    """Host `offer` or join a door, play the match, report; the exit code.

    A bot that is `owned` says whose it is; with `stay` it plays match after match.
    """
    try:
        deals = DealClock(
            lambda hand, ms: report(sys.stdout, event="dealt", hand=hand, ms=ms),
            stepped=lambda step, hand, shuffled: report(
                sys.stdout, event="step", step=step, hand=hand, shuffled=shuffled
            ),
        )
        node = BotNode(
            name,
            folder,
            seed,
            group,
            deals=deals,
            level=level,
            budget=budget,
            owned=owned,
            stay=stay,
        )
        if offer is not None:
            door = node.session.host(offer, address=LOOPBACK, port=port)
            report(sys.stdout, event="hosting", port=door)
        elif join is not None:
            node.join(*join, code=code)
        threading.Thread(target=_watch_parent, args=(node.session,), daemon=True).start()
        return node.run(sys.stdout)
    except NodeError as error:
        report(sys.stdout, event="stopped", text=str(error), evidence="", network=True)
        return 4


def _watch_parent(session: Session) -> None:
    while sys.stdin.readline():
        pass
    session.stop("The command that started this node has ended.")
