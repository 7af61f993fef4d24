"""`busso watch`: look on at a table of this network. It signs nothing and sees no hidden card."""

from __future__ import annotations

import argparse

from protocol.messages import Role
from tools.join import sit_down
from tools.output import Output


def run(args: argparse.Namespace, out: Output) -> int:
    """Watch until the table is left. UsageError, NodeError, FileError."""
    return sit_down(args, out, Role.WATCH)
