"""What a table gives account of, as whole sentences: the deal, the rules of the moment, an advice.

Law: a TableView to sentences in a language, for whoever lays them out: a dialog, or lines for a
screen reader. It must never know a width, a colour or a key of the keyboard.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.cards import UNKNOWN
from engine.errors import IllegalMove
from node.language import Language
from node.screen import situation, words
from node.screen.cells import clean
from node.screen.counsel import advice
from node.screen.lobby_terms import option_words
from node.screen.view import TableView

__all__ = ["advice", "fairness", "happenings", "leaving", "missing", "refusal", "rules"]


def fairness(language: Language, view: TableView) -> list[str]:
    """Who shuffled in which entry of the log, what is proved, what is sealed, what is checked."""
    fair, t = view.around.fairness, language.text
    found = [
        t("{0} broke a rule ({1}): see entry {2} of the log.").format(name, rule, step)
        for name, step, rule in fair.warnings
    ]
    found += [
        t("{0} shuffled the deck and proved it: entry {1} of the log.").format(name, step)
        for name, step in fair.shuffles
    ]
    done = len(fair.shuffles)
    if done < fair.sharers:
        found.append(t("The deck is being shuffled: {0} of {1}.").format(done, fair.sharers))
    if done:
        found.append(t("Every proof was checked here: no card was added or changed."))
        found.append(t("Nobody knows the order: it takes all of them to see a card."))
    sealed = view.state.faces.count(UNKNOWN)
    if sealed:
        found.append(
            language.count(
                "{n} card is still sealed to you.", "{n} cards are still sealed to you.", sealed
            )
        )
    found.append(t("When a hand ends everybody's secret comes out and all of it is derived again."))
    if fair.hands:
        found.append(
            language.count("{n} hand was checked so.", "{n} hands were checked so.", fair.hands)
        )
    if fair.step:
        found.append(
            language.count(
                "The log has {n} entry; all have signed up to entry {0}.",
                "The log has {n} entries; all have signed up to entry {0}.",
                max(0, fair.step - 1),
                fair.settled,
            )
        )
    if fair.log:
        found.append(t("It lies in {0}").format(clean(fair.log)))
    return found


def happenings(language: Language, view: TableView, most: int) -> list[str]:
    """What happened, the latest first, so many at the most."""
    found: list[str] = []
    for told in reversed(view.story.happenings):
        text = words.happened(language, view, told)
        if len(found) == most:
            break
        if text:
            found.append(text)
    return found


def rules(language: Language, view: TableView) -> list[tuple[str, str]]:
    """The rules about what is happening now, each with what the table made of its options; "" of
    one that leaves it no choice."""
    found = []
    for rule in situation.rules_now(view):
        options = situation.in_force(view.state, rule)
        here = "; ".join(option_words(language, view.state.options, name) for name in options)
        chosen = language.text("At this table: {0}.").format(here) if here else ""
        found.append((words.rule_words(language, rule), chosen))
    return found


def refusal(language: Language, view: TableView, error: IllegalMove) -> list[str]:
    """Why a card can't be chosen, and the rule that says so."""
    rule = words.rule_words(language, error.rule)
    return [words.refused(language, view, error), *([rule] if rule else [])]


def missing(language: Language, view: TableView) -> list[str]:
    """The question about those who keep the table waiting: away, or there and silent."""
    t = language.text
    seats = [view.seat(n) for n in view.around.question]
    names = [seat.name for seat in seats]
    away = words.join_names(language, names)
    if any(seat.present for seat in seats):
        question = language.count(
            "{0} takes too long. Wait, or go on without?",
            "{0} take too long. Wait, or go on without?",
            len(seats),
            away,
        )
    else:
        question = unreachable(language, names)
    text = t("If most of you go on, this hand is void and the match goes on without {0}.")
    return [question, text.format(away)]


def unreachable(language: Language, names: Sequence[str]) -> str:
    """The question about those who are away."""
    return language.count(
        "{0} can't be reached. Wait, or go on without?",
        "{0} can't be reached. Wait, or go on without them?",
        len(names),
        words.join_names(language, names),
    )


def leaving(language: Language, view: TableView) -> list[str]:
    """What leaving means now."""
    t = language.text
    found = [t("The others can't go on with this hand without you.")]
    if view.around.suspended:
        found.append(t("x closes the match for good; the log will say that you did."))
    return found
