"""What is said on the screen: deeds, questions, what happened. One sentence, whole, in a language.

Law: from values of `view`, `choices` and `story` to text; it must never know a colour or a place on
the screen. Every sentence is one message of the catalogue: no sentence is put together from parts
that another language would order otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

from engine.cards import UNKNOWN, DeckKind
from engine.contract import Cards, Decide, Game, Note, Result, Reveal
from engine.errors import EngineError, IllegalMove
from node.language import Language, mark
from node.rule_files import rule_text
from node.screen.choices import Choice
from node.screen.glossary import (
    card_words,
    rank_of_letter,
    running_words,
    suit_word,
    worth_words,
)
from node.screen.story import Happening, Told, scored
from node.screen.view import SeatView, TableView

# -- deeds ----------------------------------------------------------------------------------------

_LABELS: Final = {
    "stay": mark("Turn it up"),
    "camicia": mark("Cambio camicia"),
    "knock": mark("Knock"),
    "knock-show": mark("Knock and show"),
    "discard": mark("Only discard"),
    "declare": mark("Declare"),
    "none": mark("Nothing to declare"),
    "reenter": mark("Pay and re-enter"),
    "decline": mark("Stay out"),
    "pass": mark("Pass"),
    "good": mark("Good"),
    "not-good": mark("Not good"),
    "how-much": mark("How much?"),
    "equal": mark("Equal"),
}
_DEEDS: Final = {
    "stay": mark("turn the monte up, play the hidden hand"),
    "camicia": mark("all your cards for the monte: a knock"),
    "knock": mark("keep your hand; the others play once more"),
    "knock-show": mark("show your hand; the others play once more"),
    "discard": mark("put a card under the stock, draw another"),
    "declare": mark("open your hand: the deal ends"),
    "none": mark("your hand is no mambassa, no quarantuna"),
    "reenter": mark("pay the stake again and play on"),
    "decline": mark("stay out of this match for good"),
    "pass": mark("declare nothing in this category"),
    "good": mark("admit that the claim is good"),
    "not-good": mark("say that you hold better"),
    "how-much": mark("say that you hold as many, and ask for more"),
    "equal": mark("say that you hold the same"),
}
_SEQUENCES: Final = {
    3: mark("Terza"),
    4: mark("Quarta"),
    5: mark("Quinta"),
    6: mark("Sesta"),
    7: mark("Settima"),
    8: mark("Ottava"),
}


def label(language: Language, view: TableView, choice: Choice) -> str:
    """What stands on a button."""
    t = language.text
    rest = choice.rest
    match choice.word:
        case "cut":
            return t("Cut {0}").format(*rest)
        case "point":
            return language.count("Point of {n} card", "Point of {n} cards", rest[0])
        case "sequence":
            return t(_SEQUENCES[rest[0]])
        case "set":
            kings = rank_of_letter(language, _last_letter(view, choice), many=True)
            if rest[0] == 4:
                return t("Quattordici of {0}").format(kings)
            return t("Tris of {0}").format(kings)
        case "sum":
            return t("The sum is {0}").format(*rest)
        case "top":
            top = rank_of_letter(language, _last_letter(view, choice))
            return t("Up to the {0}").format(top)
        case "bianca":
            if not rest[0]:
                return t("Carta bianca")
            return t("Carta bianca, exchange {0}").format(*rest)
        case "show":
            faces = sorted((view.face(slot) for slot in choice.give), reverse=True)
            return t("Show {0}").format(view.kind.join(faces))
    return t(_LABELS[choice.word]) if choice.word in _LABELS else choice.word


def _last_letter(view: TableView, choice: Choice) -> str:
    """The rank at the end of a move's text: `four K`."""
    return view.state.game.format(view.state, choice.move)[-1]


def deed(language: Language, view: TableView, choice: Choice, *, letters: bool = False) -> str:
    """What Enter would do, as a person says it; with `letters` cards aren't named in full."""
    t = language.text
    named = (lambda kind, faces: kind.join(faces)) if letters else partial(card_words, language)
    give = faces_of(view, view.choices.hand, choice.give)
    take = faces_of(view, view.choices.table, choice.take)
    cards = named(view.kind, give)
    match choice.word:
        case "play":
            return t("play the {0}").format(cards)
        case "aside":
            return t("put the {0} aside, face down").format(cards)
        case "bottom":
            return t("put the {0} under the stock and draw").format(cards)
        case "exchange":
            taken = named(view.kind, take)
            if choice.rest and choice.rest[0]:
                return t("give {0} for {1}, then discard").format(cards, taken)
            return t("give {0} for {1}").format(cards, taken)
        case "change":
            some = view.kind.join(give)
            return language.count(
                "put {0} aside and take {n} card",
                "put {0} aside and take {n} cards",
                choice.rest[0],
                some,
            )
        case "show":
            return t("lay {0} open").format(view.kind.join(give))
        case "stay" | "camicia" if "stay" in view.choices.words and choice.word == "camicia":
            return t("keep the monte as your hand: a knock")
    if choice.word in _DEEDS:
        return t(_DEEDS[choice.word])
    text = label(language, view, choice)
    return text[:1].lower() + text[1:]


def faces_of(view: TableView, order: Sequence[int], slots: frozenset[int]) -> list[int]:
    """The faces of some slots, in the order in which they lie."""
    return [view.face(slot) for slot in order if slot in slots]


def outcome(language: Language, view: TableView, choice: Choice) -> str:
    """What the own hand would be worth; "" where the choice doesn't change it or none can tell."""
    if not isinstance(view.state.turn(), Decide) or not view.state.game.hands_compare:
        return ""
    try:
        after = view.state.apply(choice.move)
    except EngineError:
        return ""
    old = view.choices.hand
    new = next((p.slots for p in after.piles() if p.name == "hand" and p.seat == view.me), ())
    if set(new) == set(old):
        return ""
    return worth_words(language, scored(after, [view.face(slot) for slot in new]))


def own_worth(language: Language, view: TableView) -> str:
    """What the own hand is worth now."""
    return worth_words(language, scored(view.state, [view.face(slot) for slot in view.hand]))


def numbers(language: Language, view: TableView, seat: SeatView) -> list[str]:
    """What a seat has besides its hand and its score: cards taken, what they count, cards aside."""
    parts = []
    if seat.taken:
        parts.append(language.count("{n} taken", "{n} taken", seat.taken))
    if seat.aside and not seat.taken:
        parts.append(language.count("{n} aside", "{n} aside", seat.aside))
    if seat.running:
        parts.append(running_words(language, view.state.game.name, seat.running))
    return parts


def own_numbers(language: Language, view: TableView) -> str:
    """The same for the reader."""
    own = view.seats[-1]
    return " · ".join(numbers(language, view, own)) if own.me else ""


# -- rules and waiting ---------------------------------------------------------------------------


def rule_words(language: Language, rule: str) -> str:
    """A rule's text with its identifier; "" if there is no such rule."""
    return rule_text(rule, language.code)


def waiting(language: Language, view: TableView) -> str:
    """What the table waits for, when it isn't the reader."""
    t = language.text
    if view.around.absent:
        names = join_names(language, [view.seat(n).name for n in view.around.absent])
        if view.around.suspended:
            return t("Too few are here to go on without {0}: the match waits.").format(names)
        return language.count(
            "{0} can't be reached: the table waits.",
            "{0} can't be reached: the table waits for them.",
            len(view.around.absent),
            names,
        )
    if view.result is not None:
        return ended(language, view.result, view.names)
    seats = [n for n in view.waiting_for if n != view.me]
    if seats:
        names = join_names(language, [view.seat(n).name for n in seats])
        return language.count("{0} is to choose.", "{0} are to choose.", len(seats), names)
    if view.waiting_for:
        return t("One moment…")
    fair = view.around.fairness
    if not view.state.faces and fair.sharers:
        done = len(fair.shuffles)
        return t("The deck is being shuffled: {0} of {1}.").format(done, fair.sharers)
    turn = view.state.turn()
    if isinstance(turn, Cards) and isinstance(turn.requests[0], Reveal) and fair.step:
        return t("The seeds are coming out, so that all can be checked.")
    return t("The cards are being dealt with.")


def join_names(language: Language, names: Sequence[str]) -> str:
    """`Ada, Bruno and Carla`."""
    if len(names) < 2:
        return "".join(names)
    return language.text("{0} and {1}").format(", ".join(names[:-1]), names[-1])


# -- what happened --------------------------------------------------------------------------------


def note_words(language: Language, game: Game, note: Note, names: Sequence[str]) -> str:
    """The sentence of a note: the game's phrase for its kind and as many of its values as have
    one of their own."""
    for length in range(len(note.values), -1, -1):
        key = ".".join([note.kind, *map(str, note.values[:length])])
        phrase = game.phrases.get(key)
        if phrase is not None:
            fields: dict[str, object] = {
                f"name{i}": names[v] for i, v in enumerate(note.values) if 0 <= v < len(names)
            }
            fields["name"] = names[note.seat] if note.seat >= 0 else ""
            return language.text(phrase).format(*note.values, **fields)
    return ""


_MANY_DRAWN: Final = 8
"""Of a longer draw only the end is told, which decided it; the log has all of it."""
_ROUTINE: Final = frozenset({"takes", "leads", "exchanges", "silent"})


def routine(told: Happening) -> bool:
    """Whether it shows on the table anyhow: cards that are played, hands that are sealed."""
    if told.note is not None:
        return told.note.kind in _ROUTINE
    return told.kind is Told.SEALED or is_card(told)


def is_card(told: Happening) -> bool:
    """Whether somebody played a card."""
    return told.kind is Told.MOVE and len(told.text) == 2


def happened(language: Language, view: TableView, told: Happening) -> str:
    """One happening as a sentence; "" for what another one tells."""
    t = language.text
    names = view.names
    match told.kind:
        case Told.NOTE:
            return note_words(language, view.state.game, told.note, names) if told.note else ""
        case Told.MOVE:
            return _moved(language, view.kind, names[told.seat], told.text)
        case Told.DRAWN:
            cards = told.text.split(" ")
            shown = " ".join(cards if len(cards) <= _MANY_DRAWN else ["…", *cards[-3:]])
            return t("Cards are drawn in the open: {0}").format(shown)
        case Told.OPENED:
            return t("Turned up: {0}").format(told.text)
        case Told.SEALED:
            return t("{0} seals the own cards anew: nobody can follow them.").format(
                names[told.seat]
            )
    return table_told(language, told)


_OF_THE_TABLE: Final = {
    Told.AUDITED: mark("Checked: every seed derives every card again."),
    Told.BROKEN: mark("{0} broke a promise."),
    Told.VOTED: mark("{0} votes to go on without {1}."),
    Told.CLOSING: mark("{0} wants to close the match: too few are here without {1}."),
    Told.WITHOUT: mark("The table goes on without {1}, who doesn't answer."),
    Told.EXCLUDED: mark("The table goes on without {1}, who has cheated: the proof is in the log."),
    Told.CLOSED: mark("Without {1} too few are left: the match is closed."),
    Told.CUT: mark("The log was taken back to entry {2}, as the table decided."),
    Told.SIGNED: mark("All have signed up to step {2}."),
}
"""`{0}`: who, `{1}`: the names of others, `{2}`: an entry of the log."""


def table_told(language: Language, told: Happening) -> str:
    """What happened to the match as such."""
    message = _OF_THE_TABLE[told.kind]
    if told.kind is Told.VOTED and not told.names:
        message = mark("{0} says that nobody is missing.")
    step = told.values[0] if told.values else 0
    return language.text(message).format(told.text, join_names(language, told.names), step)


def _moved(language: Language, kind: DeckKind, name: str, text: str) -> str:
    """A move that is written with cards; "" for one of which a note tells."""
    t = language.text
    words = text.split()
    given, arrow, taken = words[0].partition(">") if words else ("", "", "")
    if arrow:
        return t("{0} gives {1} for {2}.").format(
            name, given.replace(",", " "), taken.replace(",", " ")
        )
    if len(words) == 1 and len(text) == 2:
        if text == kind.text(UNKNOWN):
            return t("{0} plays a card.").format(name)
        return t("{0} plays {1}.").format(name, text)
    if words and words[0] == "show":
        return t("{0} shows {1}.").format(name, " ".join(words[1:]))
    if words and words[0] == "change" and "??" not in words:
        return t("{0} puts {1} aside.").format(name, " ".join(words[1:]))
    return ""


def refused(language: Language, view: TableView, error: IllegalMove) -> str:
    """Why a card can't be chosen: what the engine says, with the suit in the reader's words."""
    led = view.trick.laid[0][1] if view.story.trick.laid else -1
    suit = suit_word(language, view.kind, view.face(led)) if led >= 0 else ""
    t = language.text
    if suit and "suit" in error.values:
        if error.rule == "TRA-03":
            return _sentence(t("{0} were led, and whoever has {0} must follow.").format(suit))
        if error.rule == "PIC-30":
            text = t("{0} were led: follow suit, and take the trick if you can.").format(suit)
            return _sentence(text)
    return _sentence(language.refilled(error.template, error.values)) + "."


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


# -- the end --------------------------------------------------------------------------------------

_ENDS: Final = {
    "last-alive": mark("{0} is the last one with tokens and wins."),
    "dealer-wins": mark("Nobody has a token left: {0} dealt and wins."),
    "split": mark("Nobody has a token left: {0} share the pot."),
    "abandoned": mark("Everybody has left: nobody wins."),
    "unfinished": mark("The match ends here, as the table agreed before it."),
}


def ended(language: Language, result: Result, names: Sequence[str]) -> str:
    """How a match ended."""
    t = language.text
    winners = join_names(language, [names[seat] for seat in result.winners])
    if result.reason in _ENDS:
        return t(_ENDS[result.reason]).format(winners)
    if not winners:
        return t("Nobody wins the match.")
    return language.count("{0} wins the match.", "{0} win the match.", len(result.winners), winners)
