"""`busso play`: you at a table of this computer, against bots that are processes of their own.

Law: it chooses between the full screen and lines, and has a table of this computer played there.
The screen shows itself before anything slow is imported. The person's node is a node like any
other: its moves are signed, its log is kept.
"""

from __future__ import annotations

import argparse
import random
import secrets
import sys
from typing import TYPE_CHECKING, Any

from tools.arguments import seats_of, table_rules
from tools.errors import ExitCode, UsageError
from tools.output import Output
from tools.person import load_identity
from tools.screen import full_screen

if TYPE_CHECKING:
    from engine.contract import Game
    from node.screen.app import ScreenTable
    from node.session import Session
    from tools.playing import HomeTable

    Rules = tuple[Game, Any]


def run(args: argparse.Namespace, out: Output) -> int:
    """Play one match. UsageError, OptionError, NodeError."""
    if out.json:
        raise UsageError("play talks to a person and has no JSON", "busso demo --json plays alone.")
    rules = table_rules(args)
    if args.bots is None:
        args.bots = seats_of(rules[0]) - 1
    rng = random.Random(secrets.randbits(64))
    screen = full_screen(args, out, rng)
    if screen is not None:
        return _on_screen(args, out, rules, screen)
    return _in_lines(args, out, rules, rng)


def _on_screen(args: argparse.Namespace, out: Output, rules: Rules, screen: ScreenTable) -> int:
    identity = load_identity()  # which may ask for a passphrase, so before the screen
    opened: list[HomeTable] = []

    def start() -> Session:
        from tools.playing import HomeTable  # noqa: PLC0415  # slow: the first screen is there by now

        opened.append(HomeTable(args, out, rules, identity, screen))
        return opened[0].start()

    try:
        if not screen.run_from(start):
            out.line(out.t("You leave the table."))
    finally:
        for table in opened:
            table.close()
    return ExitCode.FINE


def _in_lines(args: argparse.Namespace, out: Output, rules: Rules, rng: random.Random) -> int:
    from node.plain import Left  # noqa: PLC0415  # slow, and not for the screen
    from node.plain_match import Ahead, PlainMatch  # noqa: PLC0415  # as above
    from tools.keyboard import Keyboard  # noqa: PLC0415  # as above
    from tools.meanwhile import Meanwhile  # noqa: PLC0415  # as above
    from tools.playing import HomeTable  # noqa: PLC0415  # as above

    meanwhile = Meanwhile(out, out.t("The table is being set."))

    class Lines(PlainMatch):
        """Plain lines, and what is waited for between them."""

        def on_event(self, event: Any) -> None:
            meanwhile.note(event)
            super().on_event(event)

    def say(text: str) -> None:
        out.line(text)
        out.out.flush()

    def answered(line: str) -> None:
        out.answered()
        if not person:
            say(line)  # what a pipe types isn't seen otherwise

    person = sys.stdin.isatty()
    lines = Lines(
        say,
        out.prompt,
        rng,
        ahead=Ahead.PERSON if person else Ahead.SCRIPT,
        answered=answered,
        language=out.speech,
        spoken=meanwhile.speak,
    )
    table = HomeTable(args, out, rules, load_identity(), lines)
    table.check()
    told = out.speech.count(
        "{game} with {n} computer player of this computer. ? helps.",
        "{game} with {n} computer players of this computer. ? helps.",
        args.bots,
        game=rules[0].title,
    )
    out.line(told)
    out.line(
        out.t("After each hand all its cards become public, so that everybody can check the deal.")
    )
    keyboard = Keyboard()
    keyboard.to(lines.typed)
    try:
        with meanwhile:
            session = table.start()
            keyboard.start()
            lines.run(session)
    except Left:
        out.line(out.t("You leave the table."))
    finally:
        table.close()
    return ExitCode.FINE
