"""`busso id`: who you are to others, under which name, whom you have met.

Law: it shows and changes the files of `tools.person`; the secret itself is never shown.
"""

from __future__ import annotations

import argparse
import os
from typing import Any

from node.words import spoken
from protocol.identity import DOT, Identity, fingerprint, is_locked, short_form
from tools.errors import ExitCode, UsageError
from tools.output import Output
from tools.person import (
    NAME,
    PASSPHRASE,
    ask_passphrase,
    identity_file,
    keep_name,
    known_players,
    load_identity,
    player_name,
)
from tools.settings import FILE


def run(args: argparse.Namespace, out: Output) -> int:
    """Show or change who you are. FileError, UsageError, TerminalNeeded."""
    match args.what:
        case "show":
            _show(args, out)
        case "name":
            if args.value is None:
                raise UsageError("id name needs a name", "busso id name Ada")
            _name(args.value, out)
        case "passphrase":
            _passphrase(out)
        case "known":
            _known(out)
        case "forget":
            if args.value is None:
                raise UsageError("id forget needs a name", "busso id known lists those you met.")
            count = known_players().forget(args.value)
            if not count:
                raise UsageError(f"you have met nobody called '{args.value[:40]}'")
            out.line(out.t("Forgotten: {count}.").format(count=count))
    return ExitCode.FINE


def _name(wanted: str, out: Output) -> None:
    """Keep a name; say so if another one comes before it all the same."""
    kept = keep_name(wanted)
    name = player_name(None)
    out.line(out.t("You play as {name} from now on.").format(name=name))
    if name != kept:
        first = NAME if os.environ.get(NAME) else FILE
        told = out.t("That is what {source} says, which comes before the name {kept}.")
        out.line(told.format(source=first, kept=kept))


def _show(args: argparse.Namespace, out: Output) -> None:
    identity, name = load_identity(), player_name(args.value)
    path = identity_file()
    if out.json:
        out.data(_value(identity, name, locked=is_locked(path)))
        return
    out.line(f"{name}{DOT}{short_form(identity.public)}")
    locked = out.t("yes") if is_locked(path) else out.t("none")
    out.line(f"  {out.t('three words'):<16}{spoken(identity.public)}")
    out.line(f"  {out.t('fingerprint'):<16}{fingerprint(identity.public)}")
    out.line(f"  {out.t('passphrase'):<16}{locked}")
    told = out.t("The key is in {path}; whoever has it can play as you.")
    out.remark("  " + told.format(path=path))
    told = out.t("Read the three words aloud to whoever wants to be sure that it is you.")
    out.remark("  " + told)


def _value(identity: Identity, name: str, *, locked: bool) -> dict[str, Any]:
    return {
        "name": name,
        "short": short_form(identity.public),
        "words": spoken(identity.public).split(),
        "fingerprint": fingerprint(identity.public),
        "key": identity.public.hex(),
        "locked": locked,
    }


def _passphrase(out: Output) -> None:
    """Lock the key by a new passphrase, or by none. TerminalNeeded."""
    identity = load_identity()
    # The variable opens the old lock; a new passphrase is somebody's to choose.
    given = os.environ.pop(PASSPHRASE, None)
    try:
        first = ask_passphrase(out.t("New passphrase (empty: none):") + " ")
        if ask_passphrase(out.t("Once more:") + " ") != first:
            raise UsageError("those two differ; nothing was changed")
    finally:
        if given is not None:
            os.environ[PASSPHRASE] = given
    identity.save(identity_file(), first)
    taken, none = out.t("Your key takes the passphrase now."), out.t("It takes no passphrase now.")
    out.line(taken if first else none)


def _known(out: Output) -> None:
    players = list(known_players())
    if out.json:
        out.data(
            [
                {
                    "name": known.name,
                    "short": short_form(known.key),
                    "words": spoken(known.key).split(),
                    "first": known.first,
                    "last": known.last,
                }
                for known in players
            ]
        )
        return
    for known in sorted(players, key=lambda known: known.name.casefold()):
        out.line(f"{known.name}{DOT}{short_form(known.key)}   {spoken(known.key)}")
    if not players:
        out.line(out.t("You have met nobody yet."))
