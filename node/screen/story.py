"""What has happened at a table, kept so that it can be told in any language at any time.

Law: pure values from states and inputs of the engine, each as one reader sees it; not a word of a
language but moves in notation. Which numbers a hand has brought so far is what the game's notes
said, in the way that `_RUNNING` writes down for each game; nothing is counted here by a rule.

    story = story.told(before, given, after, notes)      the reader's states around one input
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final, Protocol, runtime_checkable

from engine.cards import UNKNOWN
from engine.contract import (
    Answers,
    Cards,
    Decide,
    Detail,
    Drawn,
    Ground,
    Input,
    Leave,
    Move,
    Note,
    Open,
    Reseal,
    Resealed,
    Reveal,
    Revealed,
    Scored,
    Seen,
    State,
)
from engine.errors import EngineError
from engine.options import specs

KEPT: Final = 400
"""Happenings that are kept; older ones are in the log."""


class Told(Enum):
    """Kinds of happenings."""

    NOTE = "note"
    """The game announced something: `note`."""
    MOVE = "move"
    """`seat` moved: `text` in notation."""
    DRAWN = "drawn"
    """Cards were drawn in the open: `text`."""
    OPENED = "opened"
    """Cards were turned up: `text`."""
    SEALED = "sealed"
    """`seat` sealed cards anew, so many: `values[0]`."""
    AUDITED = "audited"
    """The seeds came out and all is right, in step `values[0]`."""
    BROKEN = "broken"
    """`seat` broke a promise: `text` is the rule, `values[0]` the step; seats as in the header."""
    VOTED = "voted"
    """Somebody (`text`) voted to go on without `names`; without any: nobody is missing."""
    CLOSING = "closing"
    """Somebody (`text`) voted to close the match, since too few are there without `names`."""
    WITHOUT = "without"
    """The table decided to go on without `names`."""
    EXCLUDED = "excluded"
    """The table decided to go on without `names`, of whom one has cheated."""
    CLOSED = "closed"
    """Too few were left to go on without `names`, and closed the match."""
    CUT = "cut"
    """Steps from `values[0]` on were taken out of the log."""
    SIGNED = "signed"
    """All have signed the hand, in step `values[0]`."""


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that happened."""

    kind: Told
    seat: int = -1
    text: str = ""
    note: Note | None = None
    values: tuple[int, ...] = ()
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trick:
    """Cards that were laid, in the order of play, as (seat, slot); `taker` -1 while they lie."""

    laid: tuple[tuple[int, int], ...] = ()
    taker: int = -1


@dataclass(frozen=True, slots=True)
class Entry:
    """What a seat counted in a hand by one kind of note: how often, and how much together."""

    kind: str
    times: int
    amount: int


@dataclass(frozen=True, slots=True)
class Row:
    """What a hand came to for one seat. `rank` 1 is best, 0 where the game ranks no hands.

    ground  what puts the hand above the next worse one
    taken   the number of cards won; `parts` what they count
    ledger  what was counted on the way, in its order
    """

    seat: int
    faces: tuple[int, ...]
    worth: Scored | None
    rank: int
    lost: int
    gained: int
    taken: int
    running: int
    before: int
    after: int
    ground: Ground | None = None
    parts: tuple[Detail, ...] = ()
    ledger: tuple[Entry, ...] = ()

    @property
    def change(self) -> int:
        """What the hand cost the seat or brought it, as far as that is known."""
        return self.after - self.before or self.gained - self.lost


@dataclass(frozen=True, slots=True)
class HandResult:
    """The end of a hand. `checked`: it has been audited, so that its scores are final."""

    hand: int
    rows: tuple[Row, ...]
    notes: tuple[Note, ...] = ()
    checked: bool = False


@runtime_checkable
class _Showdown(Protocol):
    """A state that ranks hands when they are shown."""

    def showdown(self) -> Sequence[_Shown]: ...


class _Shown(Protocol):
    @property
    def seat(self) -> int: ...
    @property
    def rank(self) -> int: ...
    @property
    def lost(self) -> int: ...
    @property
    def gained(self) -> int: ...


_SUM: Final = -1
_RUNNING: Final[Mapping[str, Mapping[str, int]]] = {
    "briscola": {"takes": _SUM},
    "traversone": {"takes": _SUM},
    "picchetto": {
        **{f"counts-{what}": 1 for what in ("bianca", "point", "sequence", "set")},
        **dict.fromkeys(
            ("novanta", "sessanta", "leads", "takes", "last-trick", "cards", "cappotto"), 0
        ),
    },
}
"""For each game, the notes that tell what a seat has in this hand: the place of the total among a
note's values, or _SUM where the first value adds to it."""
_EXTRA: Final = frozenset({"novanta", "sessanta"})
"""Notes whose second value came on top of what the note beside them of the same seat counts: both
have the total after both."""


@dataclass(frozen=True, slots=True)
class Story:
    """What one reader was told so far.

    hand      the number of the hand that `tricks` and `running` belong to
    running   for each seat what the hand has brought it so far, in the game's unit
    ledgers   for each seat what that is made of
    tricks    the hand's tricks that were taken; `trick` the one that lies on the table
    dies_with the seat with whom the hand dies once somebody has knocked, -1 before that
    pending   the last move with cards that weren't open when it was made: state, move, seat
    result    the last hand that ended
    count     how many happenings there were, forgotten ones included
    """

    happenings: tuple[Happening, ...] = ()
    hand: int = 0
    running: tuple[int, ...] = ()
    ledgers: tuple[tuple[Entry, ...], ...] = ()
    tricks: tuple[Trick, ...] = ()
    trick: Trick = Trick()
    dies_with: int = -1
    pending: tuple[State, Move, int] | None = None
    result: HandResult | None = None
    count: int = 0

    def add(self, *happenings: Happening) -> Story:
        """The story with more happenings."""
        told = (*self.happenings, *happenings)[-KEPT:]
        return replace(self, happenings=told, count=self.count + len(happenings))

    def since(self, before: Story) -> tuple[Happening, ...]:
        """What has been told since an earlier story, with what was told then without its cards."""
        new = min(max(0, self.count - before.count), len(self.happenings))
        old = self.happenings[: len(self.happenings) - new]
        pairs = zip(reversed(old), reversed(before.happenings), strict=False)
        named = [now for now, then in pairs if now != then]
        return (*reversed(named), *self.happenings[len(old) :])

    def told(self, before: State, given: Input, after: State, notes: tuple[Note, ...]) -> Story:
        """What follows from one input; `before` and `after` as the reader sees them, `notes` those
        of the state itself: a view of it has none."""
        story = self._named(given, after)
        if after.hand != story.hand or len(story.running) != after.seats:
            story = replace(
                story,
                hand=after.hand,
                running=(0,) * after.seats,
                ledgers=((),) * after.seats,
                tricks=(),
                trick=Trick(),
                dies_with=-1,
            )
        story = story._moves(before, given, after)
        story = story._cards(before, given, after)
        story = story._counted(after, notes)
        story = story.add(*(Happening(Told.NOTE, note.seat, note=note) for note in notes))
        return story._ended(before, given, after, notes)

    # -- parts of it --------------------------------------------------------------------------

    def _named(self, given: Input, after: State) -> Story:
        """Name the cards of the last move by what came out since."""
        if self.pending is None:
            return self
        state, move, seat = self.pending
        story = replace(self, pending=None)
        if not isinstance(given, Seen) or len(after.faces) != len(state.faces):
            return story
        text = _text(state, move, after.faces)
        items = list(self.happenings)
        for n in range(len(items) - 1, max(-1, len(items) - 9), -1):
            if items[n].kind is Told.MOVE and items[n].seat == seat:
                items[n] = replace(items[n], text=text)
                break
        return replace(story, happenings=tuple(items))

    def _moves(self, before: State, given: Input, after: State) -> Story:
        turn = before.turn()
        moves: tuple[tuple[int, Move], ...] = ()
        if isinstance(given, Answers):
            moves = given.moves
        elif isinstance(given, Move) and isinstance(turn, Decide):
            moves = ((turn.seat, given),)
        story = self
        for seat, move in moves:
            text = _text(before, move, after.faces)
            if "??" in text:
                story = replace(story, pending=(before, move, seat))
            story = story.add(Happening(Told.MOVE, seat, text))
            match before.game.encode(move):
                case ("play", int(slot)):
                    laid = (*story.trick.laid, (seat, slot))
                    story = replace(story, trick=Trick(laid))
        return story

    def _cards(self, before: State, given: Input, after: State) -> Story:
        turn = before.turn()
        requests = turn.requests if isinstance(turn, Cards) else ()
        kind = after.deck.kind
        if isinstance(given, Drawn):
            from engine.replay import shortest_draw  # noqa: PLC0415  # slow, needed once a match

            text = before.deck.kind.join(shortest_draw(before, given.faces))
            return self.add(Happening(Told.DRAWN, text=text))
        if isinstance(given, Resealed):
            return self.add(
                *(
                    Happening(Told.SEALED, request.by, values=(len(request.slots),))
                    for request in requests
                    if isinstance(request, Reseal)
                )
            )
        if isinstance(given, Seen):
            opened = [slot for r in requests if isinstance(r, Open) for slot in r.slots]
            named = self.happenings[-1] if self.happenings else None
            cards = [kind.text(after.faces[slot]) for slot in opened if after.faces]
            if named and named.kind is Told.MOVE and all(card in named.text for card in cards):
                return self
            if cards:
                return self.add(Happening(Told.OPENED, text=" ".join(cards)))
        return self

    def _counted(self, after: State, notes: tuple[Note, ...]) -> Story:
        """The running numbers, and a trick that somebody took."""
        kinds = _RUNNING.get(after.game.name, {})
        running, ledgers = list(self.running), list(self.ledgers)
        for seat, before in enumerate(self.running):
            own = [note for note in notes if note.seat == seat and note.kind in kinds]
            amounts = _amounts(own, kinds, before)
            running[seat] += sum(amounts)
            for note, amount in zip(own, amounts, strict=True):
                ledgers[seat] = _entered(ledgers[seat], note.kind, amount)
        last = next((n.seat for n in notes if n.kind == "dies-with"), self.dies_with)
        story = replace(self, running=tuple(running), ledgers=tuple(ledgers), dies_with=last)
        if not self.trick.laid:
            return story
        laid = {slot for _, slot in self.trick.laid}
        taker = next((p.seat for p in after.piles() if p.name == "won" and laid & set(p.slots)), -1)
        if taker < 0:
            return story
        tricks = (*self.tricks, Trick(self.trick.laid, taker))
        return replace(story, tricks=tricks, trick=Trick())

    def _ended(self, before: State, given: Input, after: State, notes: tuple[Note, ...]) -> Story:
        """The result of the hand: what the hands show, and the scores once all is checked."""
        if ends(after) and not ends(before):
            return replace(self, result=_shown(self, after, notes))
        if not isinstance(given, Revealed):
            if isinstance(given, Leave) and self.result and not self.result.checked:
                return replace(self, result=None)
            return self
        shown = self.result if self.result and self.result.hand == before.hand else None
        scores = after.scores()
        shown = shown or _shown(self, before, ())
        rows = tuple(replace(row, after=scores[row.seat]) for row in shown.rows)
        result = replace(shown, rows=rows, notes=shown.notes + notes, checked=True)
        return replace(self, result=result)


def _amounts(notes: Sequence[Note], kinds: Mapping[str, int], before: int) -> list[int]:
    """What each of a seat's notes of one input counts, where it had `before`."""
    amounts = []
    total = before
    for note in notes:
        place = kinds[note.kind]
        after = total + note.values[0] if place == _SUM else note.values[place]
        amounts.append(after - total)
        total = after
    for n, note in enumerate(notes):
        if note.kind in _EXTRA:
            beside = n + 1 if amounts[n] else n - 1
            if 0 <= beside < len(amounts):
                amounts[beside] += amounts[n] - note.values[1]
                amounts[n] = note.values[1]
    return amounts


def _entered(ledger: tuple[Entry, ...], kind: str, amount: int) -> tuple[Entry, ...]:
    """A ledger with one more amount."""
    for n, entry in enumerate(ledger):
        if entry.kind == kind:
            more = Entry(kind, entry.times + 1, entry.amount + amount)
            return (*ledger[:n], more, *ledger[n + 1 :])
    return (*ledger, Entry(kind, 1, amount))


def merged(faces: bytes, more: bytes) -> bytes:
    """`faces`, and where they are unknown what `more` knows of the same deck."""
    if len(faces) != len(more):
        return faces
    return bytes(b if a == UNKNOWN else a for a, b in zip(faces, more, strict=True))


def _text(state: State, move: Move, faces: bytes) -> str:
    """`move` in notation, with the cards that `faces` knows as well."""
    known = state.with_faces(merged(state.faces, faces)) if state.faces else state
    return state.game.format(known, move)


def scored(state: State, faces: Sequence[int]) -> Scored | None:
    """What a hand of known cards is worth by the table's rules; None if the game values no such
    hand, or a card isn't known."""
    if not faces or UNKNOWN in faces or not state.game.hands_compare:
        return None
    try:
        (found,) = scores(state, [faces])
    except EngineError:
        return None
    return found


def scores(state: State, hands: Sequence[Sequence[int]]) -> tuple[Scored, ...]:
    """What hands of known cards are worth beside each other by the table's rules; EngineError if
    the game values no such hands."""
    options: Any = state.options
    if "decks" in specs(type(options)):  # the number in play, whatever `auto` would mean here
        options = replace(options, decks=state.deck.copies)
    return state.game.score(options, [state.deck.kind.join(faces) for faces in hands])


def ends(state: State) -> bool:
    """Whether only the audit of the hand is due."""
    turn = state.turn()
    return isinstance(turn, Cards) and isinstance(turn.requests[0], Reveal)


def _shown(story: Story, state: State, notes: tuple[Note, ...]) -> HandResult:
    """The rows of a hand that has just been played, best first where hands are ranked."""
    ranked = {}
    if isinstance(state, _Showdown):
        ranked = {shown.seat: shown for shown in state.showdown()}
    piles = state.piles()
    totals = state.scores()
    grounds = state.game.grounds(state)
    current = story.hand == state.hand and bool(story.running)
    rows = []
    for seat in state.players:
        slots = next((p.slots for p in piles if p.name == "hand" and p.seat == seat), ())
        faces = tuple(state.faces[slot] for slot in slots)
        shown = ranked.get(seat)
        rows.append(
            Row(
                seat,
                faces,
                scored(state, faces),
                shown.rank if shown else 0,
                shown.lost if shown else 0,
                shown.gained if shown else 0,
                sum(len(p.slots) for p in piles if p.name == "won" and p.seat == seat),
                story.running[seat] if current else 0,
                totals[seat],
                totals[seat],
                grounds.get(seat),
                state.game.tally(state, seat),
                story.ledgers[seat] if current else (),
            )
        )
    rows.sort(key=lambda row: row.rank)
    return HandResult(state.hand, tuple(rows), notes)
