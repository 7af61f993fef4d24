"""The result of a hand: what each held or took, what counts of it, and what it costs or brings.

Law: rows of pieces for a dialog; the words are those of `reckoning`, the numbers the engine's. It
must never know a rule, nor where on the screen it is.
"""

from __future__ import annotations

from typing import Final

from node.screen import reckoning, words
from node.screen.cells import Span, fill, wrap
from node.screen.glossary import running_words, score_label
from node.screen.scene import Scene
from node.screen.story import HandResult, Row
from node.screen.theme import Role, suit_role

Rows = list[list[Span]]
_NAME: Final = 12


def prose(text: str, room: int, role: Role = Role.TEXT) -> Rows:
    """Running text in lines of so many cells."""
    return [[(line, role)] for line in wrap(text, room)]


def indented(text: str, room: int, role: Role = Role.DIM) -> Rows:
    """The same, two cells to the right; nothing if there is no text."""
    return [[("  ", Role.TEXT), (line, role)] for line in wrap(text, room - 2) if text]


def result(s: Scene, room: int) -> tuple[str, Rows]:
    """The title and the rows."""
    view, t = s.view, s.text
    ended = view.story.result
    if ended is None:
        return "", []
    names = view.names
    rows: Rows = []
    if view.state.game.hands_compare:
        for row in ended.rows:
            rows += _shown_hand(s, ended, row, room, names)
    else:
        rows += _counts(s, ended, room, names)
    rows.append([])
    for note in ended.notes:
        if not reckoning.in_rows(note):
            rows += prose(words.note_words(s.language, view.state.game, note, names), room)
    if ended.checked:
        rows += prose(t("Checked: every seed derives every card again."), room, Role.FAIR)
    elif view.around.fairness.step:  # without a log, as in a lesson, there are no seeds
        rows += prose(t("The seeds are coming out, so that all can be checked."), room, Role.DIM)
    if view.result is not None and ended.checked:
        rows += [[], *prose(words.ended(s.language, view.result, names), room, Role.STRONG)]
    return t("The end of hand {0}").format(ended.hand), rows


def _faces(s: Scene, faces: tuple[int, ...]) -> list[Span]:
    kind = s.view.kind
    spans: list[Span] = []
    for face in faces:
        text = kind.text(face)
        known = text != "??"
        role = suit_role(kind.suits, kind.suit(face)) if known else Role.BACK
        spans += [(text, role), (" ", Role.TEXT)]
    return spans


def _who(s: Scene, row: Row, names: list[str]) -> str:
    name = names[row.seat]
    return s.text("{0} (you)").format(name) if row.seat == s.view.me else name


def _shown_hand(s: Scene, ended: HandResult, row: Row, room: int, names: list[str]) -> Rows:
    """A hand with its rank, what it costs or brings, its worth, and why it ranks so."""
    change = row.change
    rank = f"{row.rank}" if row.rank else " "
    spans: list[Span] = [
        (f"{rank} ", Role.DIM),
        (fill(_who(s, row, names), _NAME + 4), Role.NAME),
        *_faces(s, row.faces),
    ]
    if change:
        spans.append((f" {change:+d}", Role.WARN if change < 0 else Role.FAIR))
        spans.append((f" → {row.before + change}", Role.TEXT))
    kind = s.view.kind
    worth = reckoning.worth(s.language, s.view.state.game, kind, row.worth)
    why = reckoning.ground(s.language, kind, ended, row)
    return [spans, *indented(worth, room, Role.TEXT), *indented(why, room)]


def _counted(s: Scene, row: Row, names: list[str]) -> list[Span]:
    """What a seat took, what that counts, and its score."""
    change = row.after - row.before
    points = running_words(s.language, s.view.state.game.name, row.running)
    return [
        (fill(_who(s, row, names), _NAME + 4), Role.NAME),
        (f" {row.taken:>5} ", Role.TEXT),
        (f"{points or '0':>9} ", Role.TEXT),
        (f"{row.after:>9}", Role.STRONG),
        (f" ({change:+d})" if change else "", Role.DIM),
    ]


def _counts(s: Scene, ended: HandResult, room: int, names: list[str]) -> Rows:
    """The same of all seats, under a line of titles, each with what it is made of."""
    t = s.text
    game = s.view.state.game
    label = score_label(s.language, game).lower()
    head = f"{'':{_NAME + 4}} {t('cards'):>5} {t('this hand'):>9} {label:>9}"
    rows: Rows = [[(head, Role.DIM)]]
    for row in ended.rows:
        rows.append(_counted(s, row, names))
        pieces = reckoning.made_of(s.language, game, ended, row)
        rows += indented(" · ".join(pieces), room)
    return rows
