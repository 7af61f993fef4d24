"""`busso play`: you at a table of this computer, against bots that are processes of their own.

Law: it opens a table on the loopback, starts the bots and the interface, and clears up after them.
The person's node is a node like any other: its moves are signed, its log is kept.
"""

from __future__ import annotations

import argparse
import random
import secrets
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path

from node.lobby import Offer
from node.plain import Left, PlainTable
from node.process import LOOPBACK
from node.session import Session
from protocol.group import default_group
from tools.arguments import table_rules
from tools.bots import Bots
from tools.demo import check_target, keep_log, level_arguments
from tools.demo import player_name as bot_names
from tools.errors import ExitCode, UsageError
from tools.output import Output
from tools.person import load_identity, own_folder, player_name


def run(args: argparse.Namespace, out: Output) -> int:
    """Play one match. UsageError, OptionError, NodeError."""
    if out.json:
        raise UsageError("play talks to a person and has no JSON", "busso demo --json plays alone.")
    game, options = table_rules(args)
    offer = Offer(game, options, args.bots + 1, args.hands or 0)
    offer.check()
    target = check_target(args.log)
    name = player_name(args.name)
    table = PlainTable(out.line, _asker(out), random.Random(secrets.randbits(64)))
    session = Session(
        load_identity(),
        name,
        own_folder(),
        group=default_group(),
        chooser=table,
        on_event=table.on_event,
    )
    out.line(f"{game.title} with {args.bots} computer players of this computer. ? helps.")
    out.line("After each hand all its cards become public, so that everybody can check the deal.")
    try:
        return _play(args, out, session, table, offer)
    finally:
        if session.log is not None:
            kept = session.log
            if target is not None:
                keep_log(session.log.read_bytes(), target)
                kept = target
            out.line(f"The log: {kept}")
            out.remark(f"busso verify {kept}")


def _play(
    args: argparse.Namespace, out: Output, session: Session, table: PlainTable, offer: Offer
) -> int:
    with tempfile.TemporaryDirectory(prefix="busso-play-") as place, Bots(Path(place)) as bots:
        port = session.host(offer, address=LOOPBACK, port=args.port)
        thread = threading.Thread(target=_session, args=(session, table), daemon=True)
        thread.start()
        seed = secrets.randbits(32)
        for number in range(args.bots):
            join = [*level_arguments(args), "--join", f"{LOOPBACK}:{port}"]
            bots.start(bot_name(number, session.name), join, seed + number)
        try:
            table.run(session)
        except Left:
            out.line("You leave the table.")
            return ExitCode.FINE
        finally:
            session.stop()
            thread.join()
    return ExitCode.FINE


def _session(session: Session, table: PlainTable) -> None:
    try:
        session.run()
    except Exception as error:  # shown, or raised again, on the interface's thread
        table.ended(error)
    else:
        table.ended(None)


def bot_name(number: int, own: str) -> str:
    """The name of a bot, told apart from the player's own."""
    name = bot_names(number)
    return name if name.casefold() != own.casefold() else f"{name} (bot)"


def _asker(out: Output) -> Callable[[str], str | None]:
    def ask(prompt: str) -> str | None:
        out.out.write(prompt)
        out.out.flush()
        try:
            line = sys.stdin.readline()
        except UnicodeDecodeError:
            return "?"
        if not line:
            return None
        if not sys.stdin.isatty():
            out.line(line.rstrip("\n"))  # what a pipe types isn't seen otherwise
        return line[:200].rstrip("\n")

    return ask
