"""A player at a table of the network, from the lobby on: what `host`, `join` and `watch` share.

Law: it brings the node, the keyboard, the lines and the computer players together, and clears up
after them. It decides nothing: commands go to the session, events to lines or to JSON.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import secrets
import sys
import tempfile
import threading
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from node.errors import Stopped
from node.language import Language
from node.notices import LobbyView, NotSent, SessionEvent, Started
from node.plain import Left
from node.plain_lobby import Means, PlainLobby
from node.plain_match import Ahead
from node.session import Session
from node.sitting import Manner
from protocol.group import default_group
from protocol.identity import Identity
from tools.bots import Bots
from tools.demo import NAMES, level_arguments
from tools.errors import ExitCode, NetworkFailed
from tools.keyboard import Keyboard
from tools.meanwhile import Meanwhile
from tools.output import Output
from tools.person import known_players, load_identity, own_folder, player_name


@dataclass(frozen=True, slots=True)
class Doorway:
    """Where a table's door is, for computer players of this one, and its code."""

    host: str
    port: int
    code: str = ""

    def __str__(self) -> str:
        """As `busso node --join` reads it."""
        return f"{self.host}:{self.port}"


class Teller:
    """Says everything as lines, or as JSON lines."""

    def __init__(self, out: Output, observe: Callable[[SessionEvent], None]) -> None:
        self._out = out
        self._observe = observe
        self._seat: int | None = None
        self.json = out.json
        self.language = out.speech

    def say(self, text: str) -> None:
        """A line for people."""
        if self._out.json:
            self.data({"event": "text", "text": text})
        else:
            self._out.line(text)
            self._out.out.flush()

    def speak(self, language: Language) -> None:
        """Another language from now on."""
        self.language = language

    def tell(self, message: str, **fields: object) -> None:
        """A message of the catalogue for people, its fields filled in."""
        self.say(self.language.text(message).format(**fields))

    def retell(self, text: str) -> None:
        """A sentence that somebody said in English."""
        self.say(self.language.retold(text))

    def prompt(self, text: str) -> None:
        """What stands before an answer."""
        if self._out.json:
            self.data({"event": "asked", "text": text})
        else:
            self._out.prompt(text)

    def answered(self, _: str = "") -> None:
        """An answer was typed, which ended the line at a terminal."""
        if sys.stdin.isatty():
            self._out.answered()

    def data(self, value: dict[str, Any]) -> None:
        """One line of JSON, at once."""
        self._out.out.write(json.dumps(value, ensure_ascii=True) + "\n")
        self._out.out.flush()

    def event(self, event: SessionEvent) -> None:
        """An event, before it is put into words."""
        self._observe(event)
        if not self._out.json:
            return
        from tools.json_events import event_data  # noqa: PLC0415  # for --json alone

        if isinstance(event, Started):
            self._seat = event.seat
        value = event_data(event, self._seat)
        if value is not None:
            self.data(value)


class Seat:
    """This player, about to sit down: `open` a session's table or join one, then `play`."""

    def __init__(
        self,
        args: argparse.Namespace,
        out: Output,
        keyboard: Keyboard,
        observe: Callable[[SessionEvent], None] = lambda _: None,
    ) -> None:
        """Load the key, the name and the known players. FileError, UsageError."""
        self._args = args
        self._out = out
        self._keyboard = keyboard
        self.teller = Teller(out, observe)
        self.means = Means()
        self._meanwhile = Meanwhile(out)
        self.lobby = PlainLobby(
            self.teller.say,
            self.teller.prompt,
            random.Random(secrets.randbits(64)),
            means=self.means,
            ahead=Ahead.PERSON if sys.stdin.isatty() else Ahead.PROGRAM,
            observe=self.teller.event,
            answered=self.teller.answered,
            language=self.teller.language,
            spoken=self._speak,
        )
        self.session = Session(
            load_identity(),
            player_name(args.name),
            own_folder(),
            group=default_group(),
            chooser=self.lobby,
            on_event=self._on_event,
            manner=Manner(eager=False),
            stay=True,
            known=known_players(),
        )

    def _speak(self, language: Language) -> None:
        """Another language, for all that is said at this seat."""
        self.teller.speak(language)
        self._meanwhile.speak(language)

    def _on_event(self, event: SessionEvent) -> None:
        """On the session's thread."""
        self._meanwhile.note(event)
        self.lobby.on_event(event)

    def play(self, doorway: Doorway, bots: int = 0) -> int:
        """Stay at the table until somebody ends it; `bots` computer players come along."""
        with ExitStack() as stack:
            stack.enter_context(self._meanwhile)
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="busso-bots-"))
            company = stack.enter_context(Bots(Path(folder), code=doorway.code))
            bring = Company(company, self.session, doorway, self._args, self.lobby.on_event)
            self.means.bring = bring
            thread = threading.Thread(target=self._run, daemon=True)
            thread.start()
            self._keyboard.to(self.lobby.typed)
            try:
                if bots:
                    bring(bots)
                self.lobby.run(self.session)
            except Left:
                self.teller.tell("You leave the table.")
            except Stopped as error:
                raise NetworkFailed(str(error)) from error
            finally:
                self.session.stop()
                thread.join()
        return ExitCode.FINE

    def _run(self) -> None:
        try:
            self.session.run()
        except Exception as error:  # shown, or raised again, on the interface's thread
            self.lobby.ended(error)
        else:
            self.lobby.ended(None)


class Company:
    """Starts this player's computer players and has them say whose they are; no more than there
    are free seats, those that are on their way counted. May be called on any thread."""

    def __init__(
        self,
        bots: Bots,
        session: Session,
        doorway: Doorway,
        args: argparse.Namespace,
        told: Callable[[SessionEvent], None],
    ) -> None:
        """`told` hears, on another thread, of one that couldn't sit down."""
        self._bots = bots
        self._told = told
        self._names: list[str] = []
        self._keys: list[bytes] = []
        self._stopped: set[int] = set()
        self._lock = threading.Lock()
        self._session = session
        self._doorway = doorway
        self._level = level_arguments(args)

    def __call__(self, count: int) -> int:
        """Start `count` of them, or as many as there are seats for; how many. NodeError, OSError,
        FileError."""
        with self._lock:
            view = self._session.lobby
            coming = self._coming(view)
            if view is not None:
                count = max(0, min(count, view.free - len(coming)))
                self._bots.code = view.code or self._bots.code
            taken = {person.name.casefold() for person in view.people} if view else set()
            taken |= {self._session.name.casefold(), *(self._names[n].casefold() for n in coming)}
            for _ in range(count):
                name = free_name(taken)
                taken.add(name.casefold())
                self._start(name)
            return count

    def _coming(self, view: LobbyView | None) -> list[int]:
        """The numbers of those that were started, run, and sit nowhere yet."""
        here = {person.key for person in view.people} if view is not None else set()
        keys = enumerate(self._keys)
        return [number for number, key in keys if key not in here and number not in self._stopped]

    def _start(self, name: str) -> None:
        folder = self._bots.next_folder
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        key = Identity.load_or_create(folder / "identity").public
        owned = self._session.vouch(key)
        words = ["--join", str(self._doorway), "--stay", *self._level]
        words += ["--owner", owned.owner.hex(), "--voucher", owned.voucher.hex()]
        self._bots.start(name, words, secrets.randbits(32))
        self._names.append(name)
        self._keys.append(key)
        if len(self._names) == 1:
            threading.Thread(target=self._listen, name="bots", daemon=True).start()

    def _listen(self) -> None:
        """Tell of those that stop by themselves; there is no end but the process's."""
        while True:
            with contextlib.suppress(NetworkFailed):  # they have nothing to say between matches
                for said in self._bots.listen():
                    if said.line is None or said.line["event"] == "stopped":
                        self._stopped.add(said.bot)
                    if said.line is not None and said.line["event"] == "stopped":
                        text = f"{self._names[said.bot]} has stopped: {said.line['text']}"
                        self._told(NotSent(text))


def free_name(taken: set[str]) -> str:
    """A name for a computer player that nobody at the table has."""
    for name in NAMES:
        if name.casefold() not in taken:
            return name
    number = next(n for n in range(1, 1_000) if f"bot {n}" not in taken)
    return f"Bot {number}"
