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
from typing import Any, Final

from engine.contract import Detail, Scored
from node.language import mark, said
from node.screen.glossary import amount
from tools.arguments import table_rules
from tools.errors import ExitCode
from tools.output import Output

_KINDS: Final = {
    "petrangulo": mark("petranguló"),
    "three-aces": mark("three aces"),
    "scala-lunga": mark("scala lunga"),
    "scala-corta": mark("scala corta"),
    "points": mark("points"),
    "nothing": mark("nothing"),
    "declared": mark("declared"),
}
"""Kinds of hands whose word isn't the engine's in every language."""
_PARTS: Final = (
    *(said("point"), said("sequences"), said("sets"), said("novanta"), said("equal, nothing")),
    said("{size} cards of {sum} = {points}"),
    said("{size} to the {rank} = {points}"),
    said("{size} of {rank} = {points}"),
)
"""What the engine calls the parts of a count."""


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
    titles = [out.t("rank"), out.t("hand"), out.t("kind"), out.t("points")]
    words = [out.t(_KINDS[one.kind]) if one.kind in _KINDS else one.kind for one in scored]
    width = max(width, len(titles[1]))
    kinds = max(4, *(len(word) for word in words))
    out.remark(f"{titles[0]:>4}  {titles[1]:<{width}}  {titles[2]:<{kinds}}  {titles[3]:>6}")
    for one, word in zip(scored, words, strict=True):
        points = amount(out.speech, one.amount)
        out.line(f"{one.rank:4}  {one.hand:<{width}}  {word:<{kinds}}  {points:>6}")
        for detail in one.details:
            out.line(f"      {_detail(out, detail)}")


def _detail(out: Output, detail: Detail) -> str:
    """A category and what counts in it, part by part."""
    retold = out.speech.retold
    whole = retold(detail.text)
    if whole == detail.text:
        whole = ", ".join(retold(part) for part in detail.text.split(", "))
    return f"{retold(detail.category)}: {whole}"
