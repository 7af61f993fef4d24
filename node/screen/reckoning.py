"""How a hand came out, in words: what each held or took, what of it counts, and why it ranks so.

Law: every number and every reason is the engine's (`Scored`, `Ground`, `Detail`, notes), put into
words here; nothing is added up or compared by a rule. Pieces that stand side by side are whole.

    26 of coins: A 11 + R 10 + 5
    scala of cups, 27 (R 10 + C 10 + 7): three cards of one suit in a row
    2 aces = 2 · 5 cards of a third = 1 2/3 · last trick: what is missing to 11, so 6
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.cards import DeckKind
from engine.contract import Detail, Game, Ground, Note, Scored
from node.language import Language, mark
from node.screen.glossary import (
    amount,
    kind_word,
    rank_of_letter,
    reason_words,
    running_words,
    suit_word,
)
from node.screen.story import Entry, HandResult, Row

_OF_A_RANK: Final = frozenset({"tris", "quartina"})
_OF_A_SUIT: Final = frozenset({"scala", "scala-lunga", "scala-corta", "quarantuna"})


_SILENT: Final = frozenset(
    {"takes", "leads", "deals", "scores-deal.1", "counts", "last-trick", "cards", "sessanta"}
)
"""Notes that the rows of a result say already, or that belong to the next hand, also with their
first value."""


def in_rows(note: Note) -> bool:
    """Whether the rows of a result say what a note says."""
    return bool({note.kind, ".".join([note.kind, *map(str, note.values[:1])])} & _SILENT)


# -- hands that are compared ----------------------------------------------------------------------


def worth(language: Language, game: Game, kind: DeckKind, scored: Scored | None) -> str:
    """What a hand is worth, and which of its cards make it so; "" for what has no worth."""
    if scored is None or not scored.counted:
        return ""
    t = language.text
    points = amount(language, scored.amount)
    added = _sum(language, scored)
    first, _ = scored.counted[0]
    if scored.kind == "points":
        suit = suit_word(language, kind, kind.parse(first))
        return t("{points} of {suit}: {added}").format(points=points, suit=suit, added=added)
    name = kind_word(language, scored.kind)
    if scored.kind in _OF_A_RANK:
        name = t("{kind} of {name}").format(
            name=rank_of_letter(language, first[0], many=True), kind=name
        )
    elif scored.kind in _OF_A_SUIT:
        name = t("{kind} of {name}").format(
            name=suit_word(language, kind, kind.parse(first)), kind=name
        )
    why = reason_words(language, game.name, scored)
    if added:
        return f"{name}, {points} ({added}): {why}"
    return f"{name}, {points}: {why}"


def _sum(language: Language, scored: Scored) -> str:
    """`A 11 + R 10 + 5`; "" where the cards aren't added up."""
    parts = []
    for text, points in scored.counted:
        if points:
            number = amount(language, _whole(points, scored.parts))
            parts.append(number if text[:-1] == number else f"{text[:-1]} {number}")
    return " + ".join(parts)


def _whole(points: int, parts: int) -> str:
    return Scored("", "", points, 1, parts).amount


_GROUNDS: Final = {
    Ground.LOWER: mark("its cards are lower, which is better here"),
    Ground.HIGHER: mark("its cards are higher"),
    Ground.TOP: mark("its top card is higher"),
    Ground.EARLIER: mark("as good as the next, but completed earlier"),
    Ground.EQUAL: mark("equal hands: they share the place"),
}


def ground(language: Language, kind: DeckKind, result: HandResult, row: Row) -> str:
    """What puts a hand above the next worse one; "" where its points say it, and for the worst."""
    t = language.text
    if row.ground is Ground.LAST_TWO:
        if all(other.lost for other in result.rows):
            return t("equal hands of the last two: each loses a token")
        return t("equal hands of the last two: who didn't deal loses a token")
    below = next((other for other in result.rows if other.rank > row.rank), None)
    if row.ground in _GROUNDS:
        return t(_GROUNDS[row.ground])
    if row.worth is None or below is None or below.worth is None:
        return ""
    if row.ground is Ground.KIND:
        better, worse = (kind_word(language, one.kind) for one in (row.worth, below.worth))
        return t("{0} beats {1}").format(better, worse)
    if row.ground is Ground.SUIT:
        suits = [
            suit_word(language, kind, kind.parse(one.counted[0][0]))
            for one in (row.worth, below.worth)
        ]
        return t("up to the same card, but {0} go before {1}").format(*suits)
    return ""


# -- cards that were taken ------------------------------------------------------------------------


def made_of(language: Language, game: Game, result: HandResult, row: Row) -> list[str]:
    """What a seat's points or penalties are made of, piece by piece."""
    pieces = [_taken(language, game, part) for part in row.parts if part.category != "partner"]
    partner = [part.points for part in row.parts if part.category == "partner"]
    if partner:
        both = sum(part.points for part in row.parts)
        pieces.append(language.text("with the partner {0}").format(both))
    if not any(other.parts for other in result.rows):
        pieces += [_entry(language, entry) for entry in row.ledger if entry.kind in _ENTRIES]
    pieces += _written(language, result.notes, row.seat)
    return pieces


def _taken(language: Language, game: Game, part: Detail) -> str:
    """`3 aces = 33`: cards that count alike, and what they come to."""
    cards = len(part.text.split())
    points = running_words(language, game.name, part.points)
    count = language.count
    match part.category:
        case "A":
            return count("{n} ace = {0}", "{n} aces = {0}", cards, points)
        case "3":
            return count("{n} three = {0}", "{n} threes = {0}", cards, points)
        case "R":
            return count("{n} king = {0}", "{n} kings = {0}", cards, points)
        case "C":
            return count("{n} knight = {0}", "{n} knights = {0}", cards, points)
        case "F":
            return count("{n} jack = {0}", "{n} jacks = {0}", cards, points)
    return count("{n} card of a third = {0}", "{n} cards of a third = {0}", cards, points)


_ENTRIES: Final = {
    "counts-bianca": mark("carta bianca {0}"),
    "counts-point": mark("point {0}"),
    "counts-sequence": mark("sequences {0}"),
    "counts-set": mark("sets {0}"),
    "novanta": mark("Novanta {0}"),
    "leads": mark("leads {0}"),
    "takes": mark("tricks taken {0}"),
    "sessanta": mark("Sessanta {0}"),
    "last-trick": mark("last trick {0}"),
    "cards": mark("the cards {0}"),
    "cappotto": mark("cappotto {0}"),
}


def _entry(language: Language, entry: Entry) -> str:
    return language.text(_ENTRIES[entry.kind]).format(entry.amount)


def _written(language: Language, notes: Sequence[Note], seat: int) -> list[str]:
    """Traversone: what the count makes of the thirds that a seat took (TRA-11, TRA-12)."""
    counts = {note.seat: note.values[0] for note in notes if note.kind == "counts"}
    last = next((note.seat for note in notes if note.kind == "last-trick"), -1)
    if seat not in counts or last not in counts:
        return []
    t = language.text
    if any(note.kind == "cappotto" for note in notes):
        if seat == last:
            return [t("cappotto: writes nothing")]
        return [t("against a cappotto: writes {0}").format(counts[seat])]
    if seat == last:
        whole = sum(counts.values())
        return [t("last trick: what is missing to {0}, so {1}").format(whole, counts[seat])]
    return [t("whole points: writes {0}").format(counts[seat])]
