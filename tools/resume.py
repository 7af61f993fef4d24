"""`busso resume`: back to a match that was left, or that a crash interrupted.

Law: from the files of the data folder to a session that takes a match up; the rest is
`tools.table`'s. What was signed stays signed: the same hand is played on.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from node.invitation import BadPlace, Place, parse_target
from node.language import ENGLISH, Language
from node.screen.paint import fits
from node.session import Session
from node.unfinished import Unfinished, first_choice, unfinished
from tools.errors import ExitCode, UsageError
from tools.keyboard import MAX_LINE, Keyboard
from tools.output import Output
from tools.person import load_identity, own_folder
from tools.screen import lobby_screen, wanted
from tools.table import Doorway, Seat

LISTED = 20
"""Matches that are listed at most."""


def run(args: argparse.Namespace, out: Output) -> int:
    """Take a match up again, or list those that can be. UsageError, NodeError, FileError."""
    found = tuple(unfinished(own_folder(), load_identity()))
    if args.list:
        return _list(found, out)
    match = choose(found, args.match)
    at = _place(args.at)
    return take_up(args, out, match, at)


def offer(args: argparse.Namespace, out: Output) -> int | None:
    """Ask somebody at the terminal whether to go back to an unfinished match; None: there is none,
    or not now, or the full screen offers it."""
    if wanted(out, os.environ) and fits(*shutil.get_terminal_size()):
        return None
    match = first_choice(unfinished(own_folder(), load_identity()))
    if match is None:
        return None
    told = out.t("You left a match before its end: {match}.")
    out.line(told.format(match=describe(match, out.speech)))
    out.prompt(out.t("Enter: go back to it. n: not now.") + " ")
    line = sys.stdin.readline(MAX_LINE)
    if line:
        out.answered()
    if not line or line.strip():
        return None
    return take_up(args, out, match)


def choose(found: Sequence[Unfinished], name: str | None) -> Unfinished:
    """The match of that name, or whose name has that part; the newest by default. UsageError."""
    if name is None:
        match = first_choice(found)
        if match is None:
            raise UsageError("there is no match to take up again")
        return match
    meant = [match for match in found if name in match.name]
    if len(meant) != 1:
        raise UsageError(
            f"more than one match is called '{name[:60]}'"
            if meant
            else f"no match is called '{name[:60]}'",
            "busso resume --list",
        )
    return meant[0]


def take_up(
    args: argparse.Namespace, out: Output, match: Unfinished, at: Place | None = None
) -> int:
    """Play `match` on; look for the others at `at` too."""
    screen = lobby_screen(args, out)
    if screen is not None:
        from tools.room import Home, at_the_screen  # noqa: PLC0415  # slow, and only for a screen

        def start(home: Home) -> Session:
            return home.take_up(match, at)

        return at_the_screen(args, out, screen, start)
    keyboard = Keyboard()
    seat = Seat(args, out, keyboard)
    with out.progress(out.t("reading the match again")):
        door = seat.session.resume(match)
    told = out.t("Back at {match}. Looking for the others.")
    seat.teller.say(told.format(match=describe(match, out.speech)))
    if at is not None and not seat.session.visit(at.host, at.port):
        told = out.t("Nobody of this match is at {host} port {port}.")
        seat.teller.say(told.format(host=at.host, port=at.port))
    if match.local:
        seat.teller.tell(
            "Computer players ended when the match was left; if nobody comes back, "
            "'abandon' closes it."
        )
    keyboard.start()
    return seat.play(Doorway("127.0.0.1", door))


def describe(match: Unfinished, language: Language = ENGLISH) -> str:
    """The match in a few words."""
    header = match.signed.header
    when = datetime.fromtimestamp(header.created).astimezone()
    others = [label for n, label in enumerate(header.labels) if n != match.seat]
    told = language.text("{game} with {names}, {when}, step {step}")
    return told.format(
        game=header.game,
        names=", ".join(others),
        when=f"{when:%Y-%m-%d %H:%M}",
        step=match.steps,
    )


def match_data(match: Unfinished) -> dict[str, Any]:
    """A match for programs."""
    header = match.signed.header
    return {
        "name": match.name,
        "game": header.game,
        "players": list(header.labels),
        "seat": match.seat,
        "created": header.created,
        "steps": match.steps,
        "local": match.local,
    }


def _list(found: Sequence[Unfinished], out: Output) -> int:
    if out.json:
        out.data({"matches": [match_data(match) for match in found]})
        return ExitCode.FINE
    for match in found[:LISTED]:
        told = out.t("{name}: {match}")
        if match.local:
            told = out.t("{name}: {match} (computer players of this computer, which ended with it)")
        out.line(told.format(name=match.name, match=describe(match, out.speech)))
    if not found:
        out.line(out.t("There is no match to take up again."))
    return ExitCode.FINE


def _place(text: str | None) -> Place | None:
    if text is None:
        return None
    try:
        target = parse_target(text)
    except BadPlace as error:
        raise UsageError(str(error)) from error
    if not isinstance(target, Place):
        raise UsageError("--at takes HOST or HOST:PORT")
    return target
