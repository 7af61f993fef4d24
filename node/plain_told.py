"""What has happened at a table, in plain lines: one pure function from a notice to sentences.

Law: a notice of the session and what was remembered before and after it; it must never know a
terminal, nor decide anything. What the story of the table tells is told from there, so that the
screen and these lines say the same; only what no story holds has its sentence here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.cards import UNKNOWN
from node.language import Language, mark
from node.narrate import (
    NEW_HAND,
    deal_lines,
    hand_heading,
    hand_number,
    move_sentence,
    standing_line,
    verdict_lines,
)
from node.narrate import names_of as names_in
from node.notices import EvidenceKept, Joined, Presence, Started, Suspended
from node.plain_lines import (
    hand_line,
    names_of,
    result_rows,
    score_lines,
    stopped,
    table_lines,
)
from node.screen import accounts, words
from node.screen.memory import Memory
from node.screen.reckoning import in_rows
from node.screen.story import Happening, Told
from node.screen.view import TableView
from node.waiting import Absent, Waiting
from protocol.contribution import Kind
from protocol.position import Position
from protocol.table_events import Advanced, Finished

_ELSEWHERE: Final = frozenset({Told.BROKEN, Told.SEALED})
"""Happenings that another line tells with more (which promise was broken, by which rule), and the
sealings of every exchange, of which the log tells whoever asks."""


def told(
    language: Language, notice: object, before: Memory, after: Memory, *, begins: bool = False
) -> list[str]:
    """What `notice` says, which led from one memory to the other; `begins`: a hand, with it."""
    match notice:
        case Started():
            return _started(language, notice, after)
        case Advanced():
            heading = _heading(language, notice) if begins else []
            return [*heading, *_advanced(language, notice, before, after)]
        case Finished(position=position):
            return _finished(language, position, after)
        case Joined(name=name, free=free):
            text = mark("{name} sits down; seats still free: {free}.")
            return [language.text(text).format(name=name, free=free)]
        case Presence(seat=seat, up=up):
            if after.finished:
                return []
            text = mark("{name} is here.") if up else mark("{name} can't be reached at the moment.")
            return [language.text(text).format(name=after.name(seat))]
        case EvidenceKept():
            return _evidence(language, notice, after)
        case Waiting() | Absent() | Suspended():
            return _missing(language, notice, after)
    return _since(language, before, after)


def _started(language: Language, notice: Started, after: Memory) -> list[str]:
    """Who plays; of a match that is taken up again also how it stands."""
    players = ", ".join(notice.table.header.header.labels)
    if after.position is None or after.position.step == 1:  # as it was heard, not as it is now
        text = language.text("The match begins. At the table: {players}.")
        return [text.format(players=players)]
    lines = [language.text("The match goes on. At the table: {players}.").format(players=players)]
    view = after.look()
    if view is None:
        return lines
    return [*lines, *score_lines(language, view), *table_lines(language, view)]


def _since(language: Language, before: Memory, after: Memory) -> list[str]:
    """What the story has told since. Where a hand ends the hands stand before what follows."""
    view = after.look()
    new = after.story.since(before.story)
    if view is None:  # before the seats are known only the table as such can have said something
        return [text for one in new if (text := _voted(language, one))]
    result = view.story.result if _shown(before) != _shown(after) else None
    notes = {one.seat for one in new if one.kind is Told.NOTE}
    lines: list[str] = []
    follows: list[str] = []
    for one in new:
        if one.kind in _ELSEWHERE or (one.note is not None and one.note.kind == NEW_HAND):
            continue
        moved = _moved(language, view, one, one.seat in notes)
        text = words.happened(language, view, one) if moved is None else moved
        ends = result is not None and one.note is not None and not in_rows(one.note)
        (follows if ends else lines).append(text)
    rows = result_rows(language, view) if result is not None else []
    return [stopped(line) for line in (*lines, *rows, *follows) if line]


def _voted(language: Language, one: Happening) -> str:
    if one.kind not in (Told.VOTED, Told.CLOSING) or not one.names:
        return ""
    return words.table_told(language, one)


def _moved(language: Language, view: TableView, one: Happening, noted: bool) -> str | None:
    """A move with its cards by their names, for ears; None for any other happening."""
    if one.kind is not Told.MOVE:
        return None
    name = view.seat(one.seat).name
    text = move_sentence(view.kind, one.text, name, language=language)
    return text or ("" if noted else f"{name}: {one.text}.")


def hand_of(event: Advanced) -> int:
    """The hand that a step belongs to, once the seats are known; 0 for none."""
    return hand_number(event.before) if event.before.order else 0


def _heading(language: Language, event: Advanced) -> list[str]:
    names = names_in(event.after)
    return ["", *hand_heading(event.before.state, names, language=language)]


def _advanced(language: Language, event: Advanced, before: Memory, after: Memory) -> list[str]:
    """One more step of the log: what it means for the deal, what happened, what came of it."""
    kind = event.step.entries[0].kind
    lines = deal_lines(event.step, event.before, event.after, language=language)
    view = after.look()
    if view is None:  # nobody's seat is known yet
        return [*lines, *verdict_lines(event.step, event.after, language=language)]
    lines += _since(language, before, after)
    if kind is Kind.CHECKPOINT:
        lines.append(standing_line(view.state, names_of(language, view), language=language))
    if kind is Kind.SHARES:
        lines += _dealt(language, before.look(), view)
    return lines


def _shown(memory: Memory) -> int:
    """The last hand whose end was seen."""
    return memory.story.result.hand if memory.story.result is not None else 0


def _dealt(language: Language, earlier: TableView | None, view: TableView) -> list[str]:
    """The own hand, once all of it is there, if it is another; not while it is open to all."""
    faces = [view.face(slot) for slot in view.hand]
    if view.state.opened or UNKNOWN in faces:
        return []
    if earlier is not None and faces == [earlier.face(slot) for slot in earlier.hand]:
        return []
    own = hand_line(language, view)
    return [own] if own else []


def _finished(language: Language, position: Position, after: Memory) -> list[str]:
    t = language.text
    if position.abandoned_by:
        return [t("The match was closed before its end.")]
    lines = [t("The match is over, and everybody has signed how it ended.")]
    view = after.look()
    if view is not None and view.result is not None:
        lines[:0] = [
            words.ended(language, view.result, view.names),
            standing_line(view.state, names_of(language, view), language=language),
        ]
    return lines


def _evidence(language: Language, notice: EvidenceKept, after: Memory) -> list[str]:
    fault = notice.accused.fault
    text = language.text("{name} broke the rules at step {step}: {text}")
    return [
        text.format(name=after.name(fault.seat), step=fault.step, text=language.retold(str(fault))),
        language.text("The evidence is in {path}").format(path=notice.path),
    ]


def _missing(language: Language, notice: Waiting | Absent | Suspended, after: Memory) -> list[str]:
    """For whom the table waits, and what can be done about it."""
    t = language.text
    names = words.join_names(language, after.names(notice.seats))
    if isinstance(notice, Suspended):
        text = t("Too few are here to go on without {0}: the match waits.").format(names)
        return [text, t("x closes the match for good; the log will say that you did.")]
    plays = after.seat is not None
    if isinstance(notice, Absent):
        return _question(language, after.names(notice.seats), after) if plays else []
    if notice.left is None:
        return [t("Waiting for {names}.").format(names=names)] if notice.away else []
    seconds = round(notice.left)
    if after.seat in notice.seats:
        return [t("You have {seconds} s to choose.").format(seconds=seconds)]
    if plays:
        text = t("Waiting for {names}; in {seconds} s you are asked what to do.")
        return [text.format(names=names, seconds=seconds)]
    return [t("Waiting for {names}.").format(names=names)]


def _question(language: Language, names: Sequence[str], after: Memory) -> list[str]:
    """Whether to go on without somebody; before the seats are known in short."""
    t = language.text
    view = after.look()
    if view is None:
        asked = [accounts.unreachable(language, names)]
    else:
        asked = accounts.missing(language, view)
    return [*asked, t("g goes on, w waits longer.")]
