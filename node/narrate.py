"""A match in plain lines: for replays, and for tables without a screen of their own.

Law: pure functions from states, positions and names to lines in a language; no terminal. Each
sentence is one whole template, of this file or of `Game.phrases`, and one message of the catalogue;
cards and worths are named by the glossary, written in notation. A reader is told only what `faces`
holds: the card of every slot as that reader knows it, UNKNOWN for the rest.

Seats: functions that take a State number seats as the engine does, by the order of play, and so do
the `names` that they take (`names_of`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from engine.cards import UNKNOWN, DeckKind
from engine.contract import (
    Answers,
    Cards,
    Decide,
    Drawn,
    Game,
    Input,
    Move,
    Note,
    Open,
    Pile,
    Reseal,
    Resealed,
    Result,
    Revealed,
    Seen,
    Show,
    Shuffled,
    State,
)
from engine.errors import NotationError
from engine.replay import shortest_draw
from node.inputs import inputs
from node.language import ENGLISH, Language, mark
from node.screen import story
from node.screen.glossary import card_word, worth_words
from node.screen.words import ended, note_words
from protocol.contribution import Kind
from protocol.deal import Act, Phase
from protocol.log import Step
from protocol.position import Position
from protocol.stages import Broken, Stage
from protocol.votes import DECISIONS, read_vote

NEW_HAND: Final = "deals"
"""The kind of note with which a game announces a hand: a heading can stand for it."""
SCORES: Final = "scores"
"""The key of `Game.phrases` for the line that tells every player's score."""
ALL: Final = -1
TABLE: Final = -2
"""Views beside a seat's: every card, or only those that lie open."""


SHORT: Final = 4
"""Cards of a hand that is told as it lies."""
_PILES: Final = {
    "stock": mark("stock"),
    "monte": mark("monte"),
    "discard": mark("put aside"),
    "aside": mark("put aside"),
    "won": mark("taken"),
    "trick": mark("trick"),
    "talon": mark("talon"),
    "briscola": mark("briscola"),
}
"""What piles are called; one without a name here is told by the engine's."""


# -- knowledge --------------------------------------------------------------------------------

merged: Final = story.merged
"""What two readers of one deck know together, as the story of a table has it."""


def names_of(position: Position) -> tuple[str, ...]:
    """The players' names by the engine's seats; in the header's order before that is known."""
    labels = position.header.labels
    return tuple(labels[seat] for seat in position.order or range(len(labels)))


def known_faces(state: State, deck: bytes, view: int) -> bytes:
    """The card of every slot of `state` for a reader: a seat of the engine, ALL or TABLE.

    `deck` is the card of every slot as it lies now (`deck_in`), b"" where the seeds aren't out:
    then what the state knows is all that can be told.
    """
    if not deck or view == TABLE or not state.faces:
        return state.faces
    mask = (1 << len(state.faces)) - 1 if view == ALL else state.visible(view)
    return bytes(
        deck[slot] if face == UNKNOWN and mask >> slot & 1 else face
        for slot, face in enumerate(state.faces)
    )


def deck_in(position: Position, revealed: Revealed | None) -> bytes:
    """The card of every slot as it lies at `position` of a hand whose seeds told `revealed`: the
    dealt deck, moved by the hand's reseals so far. b"" where nothing was revealed."""
    if revealed is None:
        return b""
    if position.deal is None:
        return revealed.moved()
    return revealed.moved(sum(sent.act is Act.RESEAL for sent in position.deal.sent))


# -- cards ------------------------------------------------------------------------------------


def card_names(kind: DeckKind, faces: Sequence[int], *, language: Language = ENGLISH) -> str:
    """Cards by their names, with commas between: `seven of cups, a hidden card`."""
    return ", ".join(card_word(language, kind, face) for face in faces)


def worth(state: State, faces: Sequence[int], *, language: Language = ENGLISH) -> str:
    """What a hand of known cards is worth by the table's rules: `27 points`, `scala of 30`; ""
    if the game values no such hand, or a card isn't known."""
    return worth_words(language, story.scored(state, faces))


def pile_name(language: Language, name: str) -> str:
    """What a pile is called."""
    return language.text(_PILES[name]) if name in _PILES else name


def _pile_line(
    state: State, pile: Pile, names: Sequence[str], faces: bytes, language: Language
) -> str:
    cards = [faces[slot] for slot in pile.slots]
    if pile.name == "hand" and len(cards) > SHORT:
        cards.sort()  # by suits: nobody finds a card in a long hand as it was dealt
    called = pile_name(language, pile.name)
    owner = names[pile.seat] if pile.seat >= 0 else called
    if pile.seat >= 0 and pile.name != "hand":
        owner = f"{owner} ({called})"
    text = state.deck.kind.join(cards)
    value = worth(state, cards, language=language) if pile.name == "hand" else ""
    return f"{owner}: {text}, {value}" if value else f"{owner}: {text}"


def table_lines(
    state: State, names: Sequence[str], faces: bytes = b"", *, language: Language = ENGLISH
) -> list[str]:
    """A line for each pile of which a card is known: hands first, then the table's."""
    faces = faces or state.faces
    return [
        _pile_line(state, pile, names, faces, language)
        for pile in state.piles()
        if pile.name != "stock" and any(faces[slot] != UNKNOWN for slot in pile.slots)
    ]


def standing_line(state: State, names: Sequence[str], *, language: Language = ENGLISH) -> str:
    """`Tokens: Ada 3, Bruno 2.`: the scores, by the game's phrase `scores` if it has one."""
    scores = ", ".join(f"{n} {score}" for n, score in zip(names, state.scores(), strict=True))
    return language.text(state.game.phrases.get(SCORES, "Scores: {0}.")).format(scores)


def result_line(result: Result, names: Sequence[str], *, language: Language = ENGLISH) -> str:
    """How a match ended."""
    return ended(language, result, names)


# -- notes and moves --------------------------------------------------------------------------


def phrase(game: Game, note: Note, names: Sequence[str], *, language: Language = ENGLISH) -> str:
    """The sentence of a note: the game's phrase for its kind and its first values, for as many of
    them as there is one; a bare announcement if the game has none."""
    told = note_words(language, game, note, names)
    if told:
        return told
    who = names[note.seat] if note.seat >= 0 else language.text("table")
    return f"{who}: {note.kind} {' '.join(map(str, note.values))}".rstrip() + "."


def move_text(before: State, move: Move, faces: bytes = b"") -> str:
    """`move` in notation, as the reader of `faces` would write it; `??` for hidden cards."""
    state = before.with_faces(faces) if faces and before.faces else before
    return state.game.format(state, move)


def move_sentence(kind: DeckKind, text: str, name: str, *, language: Language = ENGLISH) -> str:
    """What a move does that is written as a card (`7c`), an exchange (`Rd,Cd>7c,2s`) or cards
    that are shown, and that of a bare discard; "" for any other, which the game's notes tell of."""
    given, arrow, taken = text.removesuffix(" discard").partition(">")
    if arrow:
        template = language.text(
            "{0} gives {1} for {2}, then discards."
            if text.endswith(" discard")
            else "{0} gives {1} for {2}."
        )
        return template.format(name, _named(kind, given, language), _named(kind, taken, language))
    if _is_card(kind, text):
        return language.text("{0} plays {1}.").format(name, _named(kind, text, language))
    word, _, rest = text.partition(" ")
    if word == "show":
        return language.text("{0} shows {1}.").format(name, rest)
    if text == "discard":
        return language.text("{name} discards without an exchange.").format(name=name)
    return ""


def _is_card(kind: DeckKind, text: str) -> bool:
    if text == kind.text(UNKNOWN):
        return True
    try:
        kind.parse(text)
    except NotationError:
        return False
    return True


def _named(kind: DeckKind, words: str, language: Language) -> str:
    """The names of cards that are written as in a move."""
    return card_names(
        kind,
        [
            UNKNOWN if word.startswith("??") else kind.parse(word.rstrip("'"))
            for word in words.split(",")
        ],
        language=language,
    )


# -- inputs -----------------------------------------------------------------------------------


def narrate(
    before: State,
    given: Input,
    after: State,
    names: Sequence[str],
    *,
    faces: bytes = b"",
    held: bytes = b"",
    skip: Collection[str] = (),
    named: str = "",
    language: Language = ENGLISH,
) -> list[str]:
    """What one input of the engine did, in the order of telling.

    `faces` and `held` are the cards that the reader knows after and before it (default: what the
    states know); `skip` leaves out notes by their kind; cards that are turned up aren't told again
    where the move `named`, in notation, has told all of them.
    """
    faces = faces or after.faces or before.faces
    held = held or before.faces
    notes = list(after.notes)
    lines = _decisions(before, given, names, faces, notes, language=language)
    if story.ends(after) and not story.ends(before):
        if any(pile.name == "hand" and pile.slots for pile in after.piles()):
            lines.append(language.text("The hands are shown."))
        lines += table_lines(after, names, faces, language=language)
    elif isinstance(given, Drawn):
        cards = before.deck.kind.join(shortest_draw(before, given.faces))
        lines.append(language.text("Cards are drawn in the open: {0}").format(cards))
    elif isinstance(given, Shuffled):
        lines += table_lines(after, names, faces, language=language)
    elif isinstance(given, Resealed):
        lines += _resealed_lines(before, names, language)
    elif isinstance(given, Seen):
        lines += _opened_lines(before, faces, named, language)
        lines += _seen_lines(before, names, faces, held, language)
    told = [note for note in notes if note.kind not in skip]
    return lines + [phrase(after.game, note, names, language=language) for note in told]


def _decisions(
    before: State,
    given: Input,
    names: Sequence[str],
    faces: bytes,
    notes: list[Note],
    *,
    language: Language,
) -> list[str]:
    """The moves in `given`: each in notation, with the sentence of the exchange or of the first
    note about its seat, which is taken out of `notes`."""
    turn = before.turn()
    moves: tuple[tuple[int, Move], ...] = ()
    if isinstance(given, Answers):
        moves = given.moves
    elif isinstance(given, Move) and isinstance(turn, Decide):
        moves = ((turn.seat, given),)
    lines = []
    for seat, move in moves:
        text = move_text(before, move, faces)
        sentence = move_sentence(before.deck.kind, text, names[seat], language=language)
        note = next((note for note in notes if note.seat == seat), None)
        if not sentence and note is not None:
            notes.remove(note)
            sentence = phrase(before.game, note, names, language=language)
        lines.append(f"{text:<13} {sentence or names[seat]}")
    return lines


def _resealed_lines(before: State, names: Sequence[str], language: Language) -> list[str]:
    turn = before.turn()
    return [
        language.count(
            "{name} seals {n} card anew and proves it: nobody can follow it.",
            "{name} seals {n} cards anew and proves it: nobody can follow them.",
            len(request.slots),
            name=names[request.by],
        )
        for request in (turn.requests if isinstance(turn, Cards) else ())
        if isinstance(request, Reseal)
    ]


def _opened_lines(before: State, faces: bytes, named: str, language: Language) -> list[str]:
    """The cards that a Seen opened, unless the move `named` has named all of them."""
    turn = before.turn()
    requests = turn.requests if isinstance(turn, Cards) else ()
    cards = [
        before.deck.kind.text(faces[slot])
        for r in requests
        if isinstance(r, Open)
        for slot in r.slots
    ]
    if all(card in named for card in cards):
        return []
    return [language.text("Turned up: {0}").format(" ".join(cards))]


def _seen_lines(
    before: State, names: Sequence[str], faces: bytes, held: bytes, language: Language
) -> list[str]:
    """The piles of which the reader alone saw cards."""
    turn = before.turn()
    seen = {
        slot
        for r in (turn.requests if isinstance(turn, Cards) else ())
        if isinstance(r, Show)
        for slot in r.slots
        if held[slot] == UNKNOWN and faces[slot] != UNKNOWN
    }
    return [
        _pile_line(before, pile, names, faces, language)
        for pile in before.piles()
        if seen.intersection(pile.slots)
    ]


# -- steps ------------------------------------------------------------------------------------


def narrate_step(
    step: Step,
    before: Position,
    after: Position,
    *,
    deck: bytes = b"",
    view: int = TABLE,
    skip: Collection[str] = (),
    language: Language = ENGLISH,
) -> list[str]:
    """What one step of a match did, for a reader with `view` (a seat of the engine, ALL, TABLE).

    `deck` as in `known_faces`, after the step.
    """
    names = names_of(after)
    state = before.state
    told = verdict_lines(step, after, language=language)
    told += deal_lines(step, before, after, language=language)
    moved = ""
    for given in inputs(step, before, after):
        following = state.apply(given)
        held = known_faces(state, deck, view)
        faces = known_faces(following, deck, view) or held
        if isinstance(given, Move):  # what it opens at once may be named by it
            faces = merged(faces, after.state.faces)
            moved = move_text(state, given, faces)
        told += narrate(
            *(state, given, following, names),
            faces=faces,
            held=held,
            skip=skip,
            named=moved,
            language=language,
        )
        state = following
    kind = step.entries[0].kind
    if kind in (Kind.CHECKPOINT, Kind.FOOTER):
        if kind is Kind.FOOTER:
            told.append(result_line(after.state.standing(), names, language=language))
        told.append(standing_line(after.state, names, language=language))
        signers = ", ".join(_signers(step, before))
        told.append(language.text("Signed by {names}.").format(names=signers))
    return told


def _signers(step: Step, position: Position) -> list[str]:
    return [position.header.labels[entry.seat] for entry in step.entries]


def verdict_lines(step: Step, after: Position, *, language: Language = ENGLISH) -> list[str]:
    """What a step decides or proves about the match as such."""
    t = language.text
    kind = step.entries[0].kind
    if kind in DECISIONS:
        return [_decision_line(step, after, language)]
    if kind is Kind.REVEAL and not after.broken:
        return [t("Audit: every seed fits its commitment and derives every card and proof again.")]
    return []


def deal_lines(
    step: Step, before: Position, after: Position, *, language: Language = ENGLISH
) -> list[str]:
    """What a step means for the fairness of the match, and the game has no word for."""
    t = language.text
    kind = step.entries[0].kind
    if kind in DECISIONS and before.stage is Stage.PLAY and after.stage is Stage.CHECKPOINT:
        return [t("The result stands; with a seed kept back the hand can't be audited in full.")]
    if kind is Kind.FLIP_REVEAL:
        if before.order:
            return [t("The seats have flipped a coin together.")]
        everybody = ", ".join(names_of(after))
        return [t("A joint coin flip seats the players: {names}.").format(names=everybody)]
    if kind is Kind.SHUFFLE and after.deal is not None and after.deal.phase is Phase.READY:
        seats = after.deal.terms.seats
        who = ", ".join(after.header.labels[seat] for seat in seats)
        return [t("Shuffled by {names}: each proved it.").format(names=who)]
    if kind is Kind.REVEAL:
        return [_broken_line(broken, after, language) for broken in after.broken]
    return []


_DECISIONS: Final = {
    Kind.ABSENT: mark("{voters} go on without {away}, who doesn't answer."),
    Kind.EXCLUDE: mark("{voters} go on without {away}, who has cheated: the proof is in the log."),
    Kind.ABANDON: mark("{voters} close the match: too few are left without {away}."),
}


def _decision_line(step: Step, position: Position, language: Language) -> str:
    first = step.entries[0]
    labels = position.header.labels
    away = ", ".join(labels[seat] for seat in read_vote(first.kind, first.body).away)
    voters = ", ".join(_signers(step, position))
    return language.text(_DECISIONS[first.kind]).format(voters=voters, away=away)


def _broken_line(broken: Broken, position: Position, language: Language) -> str:
    return language.text("Audit: {name} broke a promise in step {step}: {text} ({rule}).").format(
        name=position.header.labels[broken.seat],
        step=broken.step,
        text=language.retold(broken.text),
        rule=broken.rule,
    )


def hand_number(before: Position) -> int:
    """The hand that a step belongs to, from 1; 0 for what comes before the first hand and for the
    end of the match."""
    if before.stage is Stage.FOOTER:
        return 0
    return before.deal.terms.hand if before.deal else before.state.hand


def hand_heading(state: State, names: Sequence[str], *, language: Language = ENGLISH) -> list[str]:
    """The title of the hand that `state` begins."""
    title = language.text("Hand {number}").format(number=state.hand)
    if state.dealer < 0:
        return [title]
    note = Note(NEW_HAND, state.dealer, (state.hand,))
    return [title, phrase(state.game, note, names, language=language)]
