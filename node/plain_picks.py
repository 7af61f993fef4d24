"""What somebody picks by a number or by naming cards, and why a card may be chosen or not.

Law: typed text and a TableView to a choice or to lines; the engine says what is legal and why. What
is typed comes from outside: anything may be in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.errors import NotationError
from node.language import Language
from node.plain_lines import confirmed_deed, sentence
from node.screen import accounts, counsel
from node.screen.choices import Choice, forbidden
from node.screen.glossary import card_word
from node.screen.view import TableView

MAX_CARDS: Final = 40
"""More cards than this nobody names at once."""


def numbered(view: TableView, number: int) -> Choice | None:
    """The choice with that number: its place in the list, or the number that it is."""
    if view.choices.numbers:
        return next((c for c in view.choices.numbers if c.rest[0] == number), None)
    return view.listed[number - 1] if 1 <= number <= len(view.listed) else None


def faces_in(view: TableView, text: str) -> list[int] | None:
    """The cards that `text` names and nothing else; None if it doesn't."""
    written = text.replace(",", " ").replace(">", " ").split()
    if not 0 < len(written) <= MAX_CARDS:
        return None
    try:
        return [view.kind.parse(_as_written(word)) for word in written]
    except NotationError:
        return None


def _as_written(word: str) -> str:
    """A card as the notation has it, whatever the size of its letters."""
    return word[:1].upper() + word[1:].lower()


def slots_of(view: TableView, faces: Sequence[int]) -> list[int] | None:
    """Where these cards lie, each once: in the own hand first, then among what can be taken."""
    slots: list[int] = []
    for face in faces:
        places = (*view.hand, *view.choices.table)
        slot = next((s for s in places if view.face(s) == face and s not in slots), -1)
        if slot < 0:
            return None
        slots.append(slot)
    return slots


def chosen_cards(view: TableView, text: str) -> tuple[Choice, ...] | None:
    """The choices that move just the cards that `text` names; None if it names no cards."""
    faces = faces_in(view, text)
    if faces is None:
        return None
    slots = frozenset(slots_of(view, faces) or ())
    give = slots & frozenset(view.choices.hand)
    return view.choices.by_cards.get((give, slots - give), ()) if slots else ()


def why_lines(language: Language, view: TableView, text: str) -> list[str]:
    """Why what `text` names, a number or a card, may be chosen now or not, and the rule."""
    t = language.text
    if text.isascii() and text.isdigit():
        choice = numbered(view, int(text[:6]))
        if choice is None:
            return [t("There are choices 1 to {most}. ? helps.").format(most=len(view.listed))]
        return [*_allowed(language, view, choice), *_rule(language, view)]
    faces = faces_in(view, text)
    if faces is None or len(faces) != 1:
        return [t("Name one card as it is written, or a number of the list.")]
    card = card_word(language, view.kind, faces[0])
    slots = slots_of(view, faces)
    if slots is None:
        return [t("You don't see the {0} among your cards.").format(card)]
    choice = next((c for c in view.listed if slots[0] in c.give | c.take), None)
    if choice is None:
        error = forbidden(view.state, view.choices, slots[0])
        if error is not None:
            return accounts.refusal(language, view, error)
        return [t("The {0} can't be chosen now.").format(card), *_rule(language, view)]
    if view.choices.single:
        return [*_allowed(language, view, choice), *_rule(language, view)]
    return [t("The {0} can be chosen now.").format(card), *_rule(language, view)]


def _allowed(language: Language, view: TableView, choice: Choice) -> list[str]:
    """What the choice is, and what is so of it."""
    text = language.text("Allowed: {0}").format(confirmed_deed(language, view, choice))
    return [sentence(text), *counsel.facts(language, view, choice.move)]


def _rule(language: Language, view: TableView) -> list[str]:
    """The rule that matters most just now."""
    return [rule for rule, _ in accounts.rules(language, view)[:1]]
