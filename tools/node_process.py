"""`busso node`: one bot as a process, started by `demo` and `play`; nothing for people."""

from __future__ import annotations

import argparse
import os
import signal
from pathlib import Path

from node.lobby import Offer
from node.process import run_node
from node.search import Budget, Level
from protocol.group import default_group
from protocol.messages import Owned
from tools.arguments import table_rules
from tools.bots import CODE
from tools.errors import UsageError
from tools.output import Output


def run(args: argparse.Namespace, _: Output) -> int:
    """Join `--join HOST:PORT`, or host the game that the other arguments describe."""
    # Ctrl-C goes to every process of the terminal; this one ends when its parent closes stdin.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    offer = None
    join = None
    if args.join is None:
        game, options = table_rules(args)
        offer = Offer(game, options, args.players, args.hands or 0)
    else:
        host, _, port = args.join.rpartition(":")
        if not host or not port.isdigit():
            raise UsageError(f"'{args.join[:60]}' is not HOST:PORT")
        join = (host, int(port))
    owned = None
    if args.owner and args.voucher:
        owned = Owned(bytes.fromhex(args.owner), bytes.fromhex(args.voucher))
    return run_node(
        name=args.name,
        folder=Path(args.folder),
        seed=args.seed,
        group=default_group(),
        offer=offer,
        port=args.port,
        join=join,
        level=Level(args.level),
        budget=Budget(args.think),
        owned=owned,
        code=os.environ.get(CODE, ""),
        stay=args.stay,
    )
