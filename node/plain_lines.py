"""What is said at a table in plain lines: one pure function for each thing that can be asked.

Law: a TableView to lines, in the words of the screen; it must never know a terminal, a session or a
rule. Lines are short and without boxes, for whoever hears them: what is due stands first, then the
cards. A card is named and written, since what is written can be typed.

    Your turn: exchange, or knock. 24 seconds left.
    Monte: five of batons 5b, seven of swords 7s, five of swords 5s.
    Your hand: two of swords 2s, two of cups 2c, king of batons Rb. 10 points.
    1 Knock. 2 Give Rb for 5b (Rb>5b) = 5 points. 3 Give Rb for 7s (Rb>7s) = 9 points.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Final

from engine.cards import UNKNOWN, DeckKind
from engine.contract import Ask
from node.language import Language, mark
from node.narrate import pile_name, standing_line
from node.screen import accounts, reckoning, situation, words
from node.screen.choices import Choice
from node.screen.glossary import (
    card_word,
    rank_word,
    running_words,
    score_label,
    suit_word,
    worth_words,
)
from node.screen.story import HandResult, Row, Trick, scored
from node.screen.view import Line, SeatView, TableView

MANY: Final = 24
"""More choices than this are not listed one by one."""
WIDTH: Final = 78
NAMED: Final = 4
"""So many cards are named one by one; more are told suit by suit."""
RECENT: Final = 20
"""Happenings, or lines of talk, that are told when somebody asks for them."""
HELP: Final = (
    mark("A number makes that choice once you confirm it, a move as it is written at once."),
    mark("Cards alone choose as well: those that you give, then those that you take."),
    mark("?: this help. ? CARD: why it may be played, or why not. list: the choices again."),
    mark("h: your hand and the table. t: the scores. u: the tricks and the story of the hand."),
    mark("s: a suggestion, and why. r: the rules of the moment. r PET-22: one rule."),
    mark("o: why this deal is fair. log: all that happened. result: the end of the last hand."),
    mark("chat TEXT: talk. chat: what was said. time: seconds left. lang: the other language."),
    mark("goon, wait, abandon: what to do about somebody who doesn't answer. q: leave."),
)


def stopped(text: str) -> str:
    """`text` with a full stop, so that a voice pauses there; a name at its head stays as it is."""
    return text if text.endswith((".", "?", "!", "…", ":")) else f"{text}."


def sentence(text: str) -> str:
    """`text` as a sentence: a capital first, a full stop at the end."""
    return stopped(f"{text[:1].upper()}{text[1:]}")


def names_of(language: Language, view: TableView) -> list[str]:
    """The name of every seat, `You` for the reader's own."""
    you = language.text("You")
    return [you if seat.me else seat.name for seat in in_order(view)]


def in_order(view: TableView) -> list[SeatView]:
    """The seats in the order of play."""
    return sorted(view.seats, key=lambda seat: seat.seat)


def packed(items: Sequence[str]) -> list[str]:
    """Items as sentences, as many a line as fit."""
    lines: list[str] = []
    for item in map(sentence, items):
        if lines and len(lines[-1]) + 1 + len(item) <= WIDTH:
            lines[-1] += f" {item}"
        else:
            lines.append(item)
    return lines


# -- cards ----------------------------------------------------------------------------------------


def said_card(language: Language, kind: DeckKind, face: int) -> str:
    """`seven of batons 7b`."""
    word = card_word(language, kind, face)
    return word if face == UNKNOWN else f"{word} {kind.text(face)}"


def said_cards(language: Language, kind: DeckKind, faces: Sequence[int]) -> str:
    """Cards by their names; many suit by suit: `cups 2c 6c Rc, coins Ad`; hidden ones counted."""
    known = [face for face in faces if face != UNKNOWN]
    hidden = len(faces) - len(known)
    if len(known) <= NAMED:
        parts = [said_card(language, kind, face) for face in known]
    else:
        parts = [
            f"{suit_word(language, kind, cards[0])} {kind.join(cards)}"
            for cards in _suits(kind, known)
        ]
    if hidden:
        parts.append(language.count("{n} hidden card", "{n} hidden cards", hidden))
    return ", ".join(parts)


def _suits(kind: DeckKind, faces: Sequence[int]) -> list[list[int]]:
    """The cards of each suit."""
    return [list(cards) for _, cards in groupby(sorted(faces), key=kind.suit)]


def hand_line(language: Language, view: TableView) -> str:
    """`Your hand: ... 10 points.`; "" for who holds none."""
    faces = [view.face(slot) for slot in view.hand]
    if not faces:
        return ""
    line = language.text("Your hand: {0}.").format(said_cards(language, view.kind, faces))
    worth = words.own_worth(language, view)
    return f"{line} {sentence(worth)}" if worth else line


def open_hands(language: Language, view: TableView) -> list[str]:
    """The hands of others of which a card is known."""
    found = []
    for seat in in_order(view):
        if seat.me or not any(face != UNKNOWN for face in seat.cards):
            continue
        worth = worth_words(language, scored(view.state, seat.cards))
        cards = said_cards(language, view.kind, seat.cards)
        found.append(f"{seat.name}: {cards}." + (f" {sentence(worth)}" if worth else ""))
    return found


# -- the table ------------------------------------------------------------------------------------


def middle_lines(language: Language, view: TableView) -> list[str]:
    """What lies open in the middle: the trick and who takes it, the monte, the trump."""
    t = language.text
    lines = []
    laid = view.story.trick.laid
    if laid:
        names = names_of(language, view)
        cards = [f"{names[by]} {said_card(language, view.kind, view.face(s))}" for by, s in laid]
        lines.append(t("On the table: {0}.").format(", ".join(cards)))
        best = next((by for by, slot in laid if slot == view.winning), -1)
        if best >= 0:
            lines[-1] += " " + t("{0} takes it so far.").format(view.seat(best).name)
    for name in ("monte", "briscola"):
        faces = [view.face(slot) for slot in view.pile(name)]
        if any(face != UNKNOWN for face in faces):
            cards_said = said_cards(language, view.kind, faces)
            lines.append(sentence(f"{pile_name(language, name)}: {cards_said}"))
    return lines


def table_lines(language: Language, view: TableView) -> list[str]:
    """The own hand, then all that lies on the table."""
    own = hand_line(language, view)
    lines = [*([own] if own else []), *middle_lines(language, view)]
    lines += open_hands(language, view)
    if view.discard:
        cards = said_cards(language, view.kind, [view.face(slot) for slot in view.discard])
        lines.append(sentence(f"{language.text('your discard')}: {cards}"))
    for pile in view.piles:
        if pile.name in ("trick", "monte", "briscola") or not pile.slots:
            continue
        cards = said_cards(language, view.kind, [view.face(slot) for slot in pile.slots])
        lines.append(sentence(f"{pile_name(language, pile.name)}: {cards}"))
    return lines or [language.text("No cards have been dealt yet.")]


def score_lines(language: Language, view: TableView) -> list[str]:
    """Scores, the pot, what this hand has brought so far, and who is out or away."""
    t = language.text
    names = names_of(language, view)
    seats = in_order(view)
    lines = [standing_line(view.state, names, language=language)]
    if view.pot is not None:
        lines.append(sentence(t("pot {0}").format(view.pot)))
    game = view.state.game.name
    running = [(names[s.seat], running_words(language, game, s.running)) for s in seats]
    if any(seat.running for seat in seats):
        told = ", ".join(f"{name} {number or 0}" for name, number in running)
        lines.append(t("In this hand so far: {0}.").format(told))
    if any(seat.taken for seat in seats):
        taken = ", ".join(f"{names[seat.seat]} {seat.taken}" for seat in seats)
        lines.append(t("Cards taken: {0}.").format(taken))
    out = [seat.name for seat in seats if not seat.playing] if view.state.players else []
    if out:
        lines.append(t("Out: {0}.").format(words.join_names(language, out)))
    away = [seat.name for seat in seats if not seat.present]
    if away:
        lines.append(t("Not reachable now: {0}.").format(words.join_names(language, away)))
    return lines


# -- a choice -------------------------------------------------------------------------------------


def time_line(language: Language, view: TableView) -> str:
    """The seconds left."""
    seconds = view.around.seconds
    if seconds is None:
        return language.text("Nobody's time is running.")
    return language.count("{n} second left.", "{n} seconds left.", seconds)


def time_lines(language: Language, view: TableView) -> list[str]:
    """Who is waited for, and how long."""
    none = [] if view.around.seconds is not None else [time_line(language, view)]
    return [due_line(language, view), *none]


def due_line(language: Language, view: TableView) -> str:
    """What is due from whom, and how long it may take."""
    if not view.deciding:
        line = words.waiting(language, view)
    else:
        asked = isinstance(view.state.turn(), Ask)
        text = language.text("You are asked: {0}" if asked else "Your turn: {0}")
        line = sentence(text.format(situation.question(language, view)))
    if view.around.seconds is not None:
        line += f" {time_line(language, view)}"
    return line


def turn_lines(language: Language, view: TableView) -> list[str]:
    """A choice that is due: what, the table, the hand, and what may be chosen."""
    due = due_line(language, view)
    if len(view.listed) == 1 and not view.choices.by_cards:
        only = sentence(item(language, view, 1, view.listed[0]))
        return [due, f"{only} {language.text('Enter does it: there is no other choice.')}"]
    lines = [due, *middle_lines(language, view), *open_hands(language, view)]
    if view.choices.single:
        return [*lines, *_card_lines(language, view)]
    own = hand_line(language, view)
    return [*lines, *([own] if own else []), *choice_lines(language, view)]


def _card_lines(language: Language, view: TableView) -> list[str]:
    """The hand with a number before each card that may be chosen, and the others after them."""
    t, kind, listed = language.text, view.kind, view.listed
    numbers = {slot: n for n, choice in enumerate(listed, 1) for slot in choice.give}
    faces = {slot: view.face(slot) for slot in view.hand}
    rest = [face for slot, face in faces.items() if slot not in numbers]
    if len(numbers) <= NAMED:
        cards = [f"{n} {said_card(language, kind, faces[slot])}" for slot, n in numbers.items()]
        lines = packed([t("You may choose: {0}").format(cards[0]), *cards[1:]])
    else:
        lines = []
        for _, group in groupby(numbers, key=lambda slot: kind.suit(faces[slot])):
            slots = list(group)
            cards = [
                f"{numbers[s]} {rank_word(language, kind, faces[s])} {kind.text(faces[s])}"
                for s in slots
            ]
            suit = suit_word(language, kind, faces[slots[0]])
            lines.append(sentence(f"{suit}: {', '.join(cards)}"))
    buttons = [c for c in listed if not c.give]
    if buttons:
        lines += packed([item(language, view, listed.index(c) + 1, c) for c in buttons])
    if rest:
        lines.append(t("Not now: {0}.").format(said_cards(language, kind, rest)))
    return lines


def choice_lines(language: Language, view: TableView) -> list[str]:
    """The choices with their numbers; where there are too many, how to make one."""
    t, listed = language.text, view.listed
    if view.choices.numbers:
        low, high = listed[0].rest[0], listed[-1].rest[0]
        return [t("A number from {0} to {1}; Enter leaves it to chance.").format(low, high)]
    if len(listed) > MANY:
        said = [item(language, view, n, c) for n, c in enumerate(listed, 1) if c.bare]
        moves = [notation(view, choice) for choice in listed if not choice.bare]
        text = t("{0} more choices, such as '{1}'; Enter leaves it to chance.")
        if not said:
            text = t("{0} choices, such as '{1}'; Enter leaves it to chance.")
        return [*packed(said), text.format(len(moves), moves[0]), t(HELP[1])]
    return packed([item(language, view, n, choice) for n, choice in enumerate(listed, 1)])


def item(language: Language, view: TableView, number: int, choice: Choice) -> str:
    """`2 Give Rb for 5b (Rb>5b) = 5 points`: a choice in a list."""
    written = notation(view, choice)
    if choice.bare or choice.word == "show":
        text = words.label(language, view, choice)
    else:
        text = words.deed(language, view, choice, letters=True)
    evident = choice.word == "show" or written == text.casefold()
    text = f"{number} {text[:1].upper()}{text[1:]}" + ("" if evident else f" ({written})")
    worth = words.outcome(language, view, choice)
    return f"{text} = {worth}" if worth else text


def notation(view: TableView, choice: Choice) -> str:
    """A choice as it is written in a log."""
    return view.state.game.format(view.state, choice.move)


def confirmed_deed(language: Language, view: TableView, choice: Choice) -> str:
    """A choice in full, and what the hand would be worth then."""
    text = words.deed(language, view, choice)
    worth = words.outcome(language, view, choice)
    return f"{text} = {worth}" if worth else text


def confirmed(language: Language, view: TableView, choice: Choice) -> str:
    """What is asked before a choice is made."""
    deed = confirmed_deed(language, view, choice)
    text = language.text("{move}: Enter to confirm, else no.")
    return text.format(move=deed[:1].upper() + deed[1:])


# -- what can be asked ----------------------------------------------------------------------------


def rules_lines(language: Language, view: TableView) -> list[str]:
    """The question of the moment and the rules about it."""
    question = situation.question(language, view)
    first = [sentence(question)] if question else []
    return [sentence(language.text("The rules of the moment")), *first, *rules(language, view)]


def rules(language: Language, view: TableView) -> list[str]:
    """The rules about what is happening now."""
    return [text for both in accounts.rules(language, view) for text in both if text]


def log_lines(language: Language, view: TableView) -> list[str]:
    """What happened, the latest first."""
    found = map(stopped, accounts.happenings(language, view, RECENT))
    return [language.text("What happened, the latest first:"), *found]


def story_lines(language: Language, view: TableView) -> list[str]:
    """The tricks of the hand, then what else was told of it, the latest at the end."""
    story = view.story
    lines = []
    if story.hand == view.state.hand:
        lines = [_trick(language, view, n, trick) for n, trick in enumerate(story.tricks, 1)]
    told = [
        words.happened(language, view, one)
        for one in story.happenings[-3 * RECENT :]
        if not words.routine(one)
    ]
    lines += [stopped(text) for text in told if text][-RECENT // 2 :]
    return lines or [language.text("Nothing has happened yet.")]


def _trick(language: Language, view: TableView, number: int, trick: Trick) -> str:
    names = names_of(language, view)
    cards = ", ".join(f"{names[by]} {view.kind.text(view.face(s))}" for by, s in trick.laid)
    taker = view.seat(trick.taker).name
    return language.text("Trick {0}: {1}. {2} takes it.").format(number, cards, taker)


def chat_lines(language: Language, chat: Sequence[Line]) -> list[str]:
    """What was said last."""
    said = [f"<{line.name}> {line.text}" for line in chat[-RECENT:]]
    return said or [language.text("Nobody has said anything yet.")]


# -- results --------------------------------------------------------------------------------------


def result_lines(language: Language, view: TableView) -> list[str]:
    """The end of the last hand: what each had, what followed; and of the match."""
    t, result = language.text, view.story.result
    if result is None:
        return [t("No hand has ended yet.")]
    lines = result_rows(language, view)
    for note in result.notes:
        text = words.note_words(language, view.state.game, note, view.names)
        if text and not reckoning.in_rows(note):
            lines.append(text)
    if result.checked:
        lines.append(t("Checked: every seed derives every card again."))
    else:
        lines.append(t("The seeds are coming out, so that all can be checked."))
    if view.result is not None:
        lines.append(words.ended(language, view.result, view.names))
    return lines


def result_rows(language: Language, view: TableView) -> list[str]:
    """A line for each seat of the hand that has ended, the best first where hands are ranked."""
    result = view.story.result
    if result is None:
        return []
    title = sentence(language.text("The end of hand {0}").format(result.hand))
    told = _ranked if view.state.game.hands_compare else _counted
    return [title, *(told(language, view, result, row) for row in result.rows)]


def _who(language: Language, view: TableView, row: Row) -> str:
    name = view.seat(row.seat).name
    return language.text("{0} (you)").format(name) if row.seat == view.me else name


def _change(row: Row) -> str:
    """What the hand cost a seat or brought it, as far as that is known."""
    return f"{row.change:+d}" if row.change else ""


def _ranked(language: Language, view: TableView, result: HandResult, row: Row) -> str:
    """`1. Carla: 2s As 5s. 18 of swords: ...`, what it costs, and what puts it above the next."""
    kind = view.kind
    cards = ", ".join(part for part in (kind.join(row.faces), _change(row)) if part)
    reasons = (
        reckoning.worth(language, view.state.game, kind, row.worth),
        reckoning.ground(language, kind, result, row),
    )
    said = [f"{_who(language, view, row)}: {cards}.", *(sentence(why) for why in reasons if why)]
    line = " ".join(said)
    return f"{row.rank}. {line}" if row.rank else line


def _counted(language: Language, view: TableView, result: HandResult, row: Row) -> str:
    """What a seat took and what of it counts; its score once that is final."""
    t, game = language.text, view.state.game
    points = running_words(language, game.name, row.running) or "0"
    parts = [
        language.count("{n} taken", "{n} taken", row.taken),
        f"{t('this hand')} {points}",
    ]
    if result.checked:
        parts += [f"{score_label(language, game).lower()} {row.after}", _change(row)]
    line = f"{_who(language, view, row)}: {', '.join(part for part in parts if part)}."
    pieces = reckoning.made_of(language, game, result, row)
    return f"{line} {sentence('; '.join(pieces))}" if pieces else line
