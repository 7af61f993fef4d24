"""`busso score GAME HAND...`: what hands are worth, and how they rank among each other.

Law: this file shows what the game's own `score` says.

JSON: [{hand, kind, points, parts, rank}], in the order given; rank 1 is best, equal hands share a
rank; points are counted in 1/parts of a point.
"""

from __future__ import annotations

import argparse

from tools.arguments import table_rules
from tools.errors import ExitCode
from tools.output import Output


def run(args: argparse.Namespace, out: Output) -> int:
    """Judge `args.hands`."""
    game, options = table_rules(args)
    scored = game.score(options, args.hands)
    if out.json:
        out.data(
            [
                {
                    "hand": one.hand,
                    "kind": one.kind,
                    "points": one.points,
                    "parts": one.parts,
                    "rank": one.rank,
                }
                for one in scored
            ]
        )
        return ExitCode.FINE
    width = max(4, *(len(one.hand) for one in scored))
    kinds = max(4, *(len(one.kind) for one in scored))
    out.remark(f"rank  {'hand':<{width}}  {'kind':<{kinds}}  points")
    for one in scored:
        out.line(f"{one.rank:4}  {one.hand:<{width}}  {one.kind:<{kinds}}  {one.amount:>6}")
    return ExitCode.FINE
