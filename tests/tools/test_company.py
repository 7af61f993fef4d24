"""A player's computer players: no more are started than there are seats, and no name is twice."""

from __future__ import annotations

import argparse
import queue
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from node.notices import LobbyView, NotSent, Person, SessionEvent
from node.session import Session
from protocol.identity import Identity
from protocol.messages import Owned, Role
from tests.node.test_lobby import HOST, card
from tools.bots import Bots, Said
from tools.table import Company, Doorway

ADA = Person(HOST.public, "Ada", "Ada", Role.SEAT, ready=False, host=True, you=True)


class Slow:
    """Stands for processes that were started and haven't come yet."""

    def __init__(self, folder: Path) -> None:
        self.code = ""
        self.names: list[str] = []
        self.said: queue.SimpleQueue[Said] = queue.SimpleQueue()
        self._folder = folder

    @property
    def next_folder(self) -> Path:
        return self._folder / f"bot-{len(self.names)}"

    def start(self, name: str, words: Sequence[str], seed: int) -> int:
        self.names.append(name)
        return len(self.names) - 1

    def listen(self) -> Iterator[Said]:
        while True:
            yield self.said.get()

    def person(self, number: int) -> Person:
        """One of them, once it sits."""
        key = Identity.load_or_create(self._folder / f"bot-{number}" / "identity").public
        name = self.names[number]
        return Person(key, name, name, Role.SEAT, ready=True, owner="Ada")


class Hosting:
    """Stands for the session of a table of five."""

    name = "Ada"

    def __init__(self) -> None:
        self.lobby = LobbyView(replace(card(), seats=5), (ADA,))

    def vouch(self, bot: bytes) -> Owned:
        return Owned(HOST.public, b"")


def company(folder: Path) -> tuple[Company, Slow, Hosting, queue.SimpleQueue[SessionEvent]]:
    slow, hosting = Slow(folder), Hosting()
    told: queue.SimpleQueue[SessionEvent] = queue.SimpleQueue()
    args = argparse.Namespace(level="medium", think=1.0)
    session, bots = cast(Session, hosting), cast(Bots, slow)
    return Company(bots, session, Doorway("::1", 1), args, told.put), slow, hosting, told


def sits(hosting: Hosting, *people: Person) -> None:
    hosting.lobby = replace(hosting.lobby, people=(ADA, *people))


def test_those_that_are_on_their_way_are_counted(tmp_path: Path) -> None:
    bring, slow, hosting, _ = company(tmp_path)
    assert [bring(1), bring(1), bring(4), bring(1)] == [1, 1, 2, 0]
    assert len({"Ada", *slow.names}) == 5
    sits(hosting, *map(slow.person, range(3)))
    assert bring(1) == 0
    sits(hosting, *map(slow.person, range(4)))
    assert bring(1) == 0


def test_one_that_has_stopped_makes_room_for_another(tmp_path: Path) -> None:
    bring, slow, hosting, told = company(tmp_path)
    assert bring(9) == 4
    line: dict[str, Any] = {"event": "stopped", "text": "The host has removed you."}
    slow.said.put(Said(2, line))
    assert told.get(timeout=10) == NotSent(f"{slow.names[2]} has stopped: {line['text']}")
    sits(hosting, *(slow.person(number) for number in (0, 1, 3)))
    assert bring(9) == 1
    assert len(slow.names) == 5
