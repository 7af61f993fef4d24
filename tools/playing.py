"""A table on the loopback for one person, with computer players that are processes of their own.

Law: it makes the session, starts it and the bots, and clears up after them, whatever interface the
person has. What it imports is slow: a screen shows itself first and imports this afterwards.
"""

from __future__ import annotations

import argparse
import secrets
import tempfile
import threading
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Protocol

from engine.contract import Game
from node.lobby import Offer
from node.process import LOOPBACK
from node.session import Chooser, Session
from protocol.group import default_group
from protocol.identity import Identity
from tools.bots import Bots
from tools.demo import check_target, keep_log, level_arguments
from tools.demo import player_name as bot_names
from tools.output import Output
from tools.person import own_folder, player_name


class Interface(Chooser, Protocol):
    """What a person sees and types at."""

    def on_event(self, event: Any) -> None:
        """Called on the session's thread for everything that happens."""

    def ended(self, error: Exception | None) -> None:
        """Called on the session's thread when it is over."""


class HomeTable:
    """One match against bots; `close` ends them and keeps the log."""

    def __init__(
        self,
        args: argparse.Namespace,
        out: Output,
        rules: tuple[Game, Any],
        identity: Identity,
        interface: Interface,
    ) -> None:
        self._args = args
        self._out = out
        self._rules = rules
        self._identity = identity
        self._interface = interface
        self._target: Path | None = None
        self._session: Session | None = None
        self._thread: threading.Thread | None = None
        self._stack = ExitStack()

    def check(self) -> Offer:
        """What the table offers, once it is known to be possible. UsageError, OptionError."""
        offer = Offer(*self._rules, self._args.bots + 1, self._args.hands or 0)
        offer.check()
        self._target = check_target(self._args.log)
        return offer

    def start(self) -> Session:
        """Open the table, start the session and the bots. UsageError, OptionError, NodeError."""
        args = self._args
        offer = self.check()
        session = Session(
            self._identity,
            player_name(args.name),
            own_folder(),
            group=default_group(),
            chooser=self._interface,
            on_event=self._interface.on_event,
        )
        self._session = session
        place = self._stack.enter_context(tempfile.TemporaryDirectory(prefix="busso-play-"))
        bots = self._stack.enter_context(Bots(Path(place)))
        port = session.host(offer, address=LOOPBACK, port=args.port)
        self._thread = threading.Thread(target=self._run, args=(session,), daemon=True)
        self._thread.start()
        seed = secrets.randbits(32)
        for number in range(args.bots):
            join = [*level_arguments(args), "--join", f"{LOOPBACK}:{port}"]
            bots.start(bot_name(number, session.name), join, seed + number)
        return session

    def _run(self, session: Session) -> None:
        try:
            session.run()
        except Exception as error:  # shown, or raised again, on the interface's thread
            self._interface.ended(error)
        else:
            self._interface.ended(None)

    def close(self) -> None:
        """End the session and the bots, and say where the log lies."""
        session, thread = self._session, self._thread
        if session is not None:
            session.stop()
        if thread is not None:
            thread.join()
        self._stack.close()
        if session is not None and session.log is not None:
            kept = session.log
            if self._target is not None:
                keep_log(session.log.read_bytes(), self._target)
                kept = self._target
            self._out.line(self._out.t("The log: {path}").format(path=kept))
            self._out.remark(f"busso verify {kept}")


def bot_name(number: int, own: str) -> str:
    """The name of a bot, told apart from the player's own."""
    name = bot_names(number)
    return name if name.casefold() != own.casefold() else f"{name} (bot)"
