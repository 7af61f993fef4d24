"""`busso score GAME HAND...`: what hands are worth, and how they rank among each other.

Law: this file shows what the game's own `score` and `score_piles` say.

JSON: [{hand, kind, points, parts, rank}], in the order given; rank 1 is best, equal hands share a
rank; points are counted in 1/parts of a point. With `--last`, where the hands are what each seat
took in a whole deal: {penalties: [...], last, piles: [as above]}, in the order of seats. Of a game
that counts several things (Picchetto: the elder's hand, then the younger's):
{categories: [{category, points: [of each hand]}], totals: [...], novanta: [whether each has one],
hands: [as above, and details: [{category, text, points}]]}.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from engine.contract import Scored
from tools.arguments import table_rules
from tools.errors import ExitCode
from tools.output import Output


def run(args: argparse.Namespace, out: Output) -> int:
    """Judge `args.hands`."""
    game, options = table_rules(args)
    if args.last is None:
        scored = game.score(options, args.hands)
    else:
        scored = game.score_piles(options, args.hands, args.last)
    if out.json:
        rows = [_row(one) for one in scored]
        if any(one.details for one in scored):
            out.data(_categories(scored, rows))
        elif args.last is None:
            out.data(rows)
        else:
            penalties = [one.points for one in scored]
            out.data({"penalties": penalties, "last": args.last, "piles": rows})
    else:
        _table(scored, out)
    return ExitCode.FINE


def _categories(scored: Sequence[Scored], rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Who scores what in each category, in the order in which they are counted."""
    names = list(dict.fromkeys(d.category for one in scored for d in one.details))
    details = [{d.category: d for d in one.details} for one in scored]
    for row, own in zip(rows, details, strict=True):
        row["details"] = [
            {"category": d.category, "text": d.text, "points": d.points} for d in own.values()
        ]
    return {
        "categories": [
            {"category": n, "points": [own[n].points if n in own else 0 for own in details]}
            for n in names
        ],
        "totals": [one.points for one in scored],
        "novanta": ["novanta" in own for own in details],
        "hands": rows,
    }


def _row(one: Scored) -> dict[str, Any]:
    return {
        "hand": one.hand,
        "kind": one.kind,
        "points": one.points,
        "parts": one.parts,
        "rank": one.rank,
    }


def _table(scored: Sequence[Scored], out: Output) -> None:
    width = max(4, *(len(one.hand) for one in scored))
    kinds = max(4, *(len(one.kind) for one in scored))
    out.remark(f"rank  {'hand':<{width}}  {'kind':<{kinds}}  points")
    for one in scored:
        out.line(f"{one.rank:4}  {one.hand:<{width}}  {one.kind:<{kinds}}  {one.amount:>6}")
        for detail in one.details:
            out.line(f"      {detail.category}: {detail.text}")
