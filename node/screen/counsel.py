"""An advice in words: what to do, one or two reasons, and how it did in sampled deals.

Law: every reason is the engine's (`Reason`) or was measured (`Comparison`); none is thought of
here. A kind of reason without a sentence says nothing.

    Exchange 5d for Rd.
    It makes your hand worth 26 points instead of 21, the most that the monte offers.
    In 469 sampled deals: better than the next best (give 4c for Rd) 61 times, worse 12 times.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from engine.contract import Move, Reason
from node.language import Language, mark
from node.screen import words
from node.screen.desk import Advice, Why
from node.screen.glossary import (
    amount,
    card_word,
    rank_of_letter,
    running_words,
    suit_word,
    worth_words,
)
from node.screen.story import scored
from node.screen.view import TableView

REASONS: Final = 2
"""So many are told at the most."""
_ENOUGH: Final = 8
"""Deals without which nothing was measured."""


def advice(language: Language, view: TableView, found: Advice) -> list[str]:
    """The sentences of an advice, the deed first."""
    t = language.text
    chosen = next((c for c in view.choices.items if c.move == found.move), None)
    if chosen is None:
        return [t("There is nothing to choose any more.")]
    deed = words.deed(language, view, chosen)
    told = [deed[:1].upper() + deed[1:] + "."]
    if found.why is Why.ONLY:
        return [*told, t("It is the only thing that you may do.")]
    reasons = [reason(language, view, one) for one in found.reasons]
    reasons = [text for text in reasons if text][:REASONS]
    measured = [*_holds(language, found), *_measured(language, view, found)]
    if not reasons and not measured:
        reasons = [t("It is what a computer player of this game usually does here.")]
    return told + reasons + measured


def facts(language: Language, view: TableView, move: Move) -> list[str]:
    """What is so if the reader does this: all that the game has to say for it."""
    found = view.state.game.reasons(view.state, view.me, move)
    return [text for one in found if (text := reason(language, view, one))]


def reason(language: Language, view: TableView, one: Reason) -> str:
    """The sentence of a reason; "" if it has none."""
    if one.kind in _PLAIN:
        return _plain(language, view, one)
    make = _MADE.get(one.kind)
    return make(language, view, one) if make else ""


_PLAIN: Final = {
    "ducks": mark("It stays under the {last}: somebody else has the trick."),
    "ducks-high": mark("It stays under the {last}, and is the highest of your cards that does."),
    "sheds": mark("It is of another suit, so somebody else takes it."),
    "sheds-ace": mark("It is of another suit: somebody else takes the trick, with your ace."),
    "takes-nothing": mark("It takes the trick, which costs nothing."),
    "must-take": mark("Whatever you play takes, as the cards lie."),
    "leads-top": mark("No card of its suit that is still out beats it."),
    "aside": mark("It lies aside, and counts for whoever takes the last trick."),
    "voids": mark("You hold no card of {suit} after it, and can throw others away there."),
    "takes-by-trump": mark("It takes {0} points for a briscola that counts nothing."),
    "takes-empty": mark("It takes the trick, so that you lead."),
    "takes-surely": mark("It has the trick, and nothing that is still out beats it."),
    "feeds-partner": mark("Your partner takes the trick, and {0} points more with it."),
    "partner-has": mark("Your partner has the trick so far."),
    "empty": mark("The trick is empty, and the card counts nothing."),
    "gives-nothing": mark("It adds nothing to the {0} points that lie there."),
    "gives-least": mark("It adds {0} points to the trick, and you hold nothing cheaper."),
    "leads-nothing": mark("It counts nothing and is no briscola."),
    "leads-least": mark("You hold nothing cheaper to lead: it counts {0}."),
    "keeps-run": mark("It keeps a sequence of {0}: {cards}."),
    "keeps-point": mark("It keeps a point of {0}, of {1} together: {cards}."),
    "bianca": mark("It counts 10, and keeps the other from a Sessanta or a Novanta."),
    "claims-all": mark("It is the most that you can claim here."),
    "claims-part": mark("It says less than you hold: {0} of {1}."),
    "as-many": mark("You hold as many, {0}: the rest of it decides."),
    "leads-master": mark("No card of its suit that the other may hold is higher."),
    "takes-cheaply": mark("It takes the trick, with the lowest of your cards that does."),
    "takes-last": mark("It is your only card that takes the trick."),
    "under": mark("You can't take the trick, and it is your lowest card of the suit."),
    "throws-low": mark("You can't follow suit, and none of your cards is lower."),
    "cut": mark("It makes no difference: the deck is shuffled after it."),
    "nothing": mark("Nothing on the table makes your hand better."),
    "spare": mark("The {card} doesn't count in your hand."),
}
"""`{card}` and `{last}`: the first and the last card of the reason, `{cards}` all of them by their
letters, `{suit}` the suit of the first, `{0}`, `{1}` its numbers."""


def _plain(language: Language, view: TableView, one: Reason) -> str:
    kind, faces = view.kind, one.faces
    fields = {}
    if faces:
        fields = {
            "card": card_word(language, kind, faces[0]),
            "last": card_word(language, kind, faces[-1]),
            "cards": kind.join(faces),
            "suit": suit_word(language, kind, faces[0]),
        }
    return language.text(_PLAIN[one.kind]).format(*one.values, **fields)


def _takes(language: Language, view: TableView, one: Reason) -> str:
    game = view.state.game
    points = running_words(language, game.name, one.values[0])
    if game.low_score_wins:
        return language.text("It takes the trick, which costs {0}.").format(points)
    return language.text("It takes the trick, with {0} points.").format(points)


def _takes_now(language: Language, view: TableView, one: Reason) -> str:
    points = running_words(language, view.state.game.name, one.values[0])
    text = language.text("Nothing that is still out beats it: it takes the trick, {0} so far.")
    return text.format(points)


def _overtaken(language: Language, _: TableView, one: Reason) -> str:
    return language.count(
        "It has the trick so far; {n} card that is still out beats it.",
        "It has the trick so far; {n} cards that are still out beat it.",
        one.values[0],
    )


def _leads_risk(language: Language, _: TableView, one: Reason) -> str:
    above, out = one.values
    return language.count(
        "{n} of the {0} cards of its suit that are still out beats it.",
        "{n} of the {0} cards of its suit that are still out beat it.",
        above,
        out,
    )


def _leads_long(language: Language, _: TableView, one: Reason) -> str:
    return language.count(
        "You hold no two cards of one suit.",
        "It is of your longest suit, of {n} cards.",
        one.values[0],
    )


def _leads_below(language: Language, _: TableView, one: Reason) -> str:
    return language.count(
        "The only other card of its suit that is still out beats it.",
        "All {n} cards of its suit that are still out beat it.",
        one.values[0],
    )


def _exits(language: Language, _: TableView, one: Reason) -> str:
    return language.count(
        "{n} card that you keep is under all that are still out of its suit.",
        "{n} cards that you keep are under all that are still out of their suit.",
        one.values[0],
    )


def _keeps_trumps(language: Language, _: TableView, one: Reason) -> str:
    return language.count("You keep {n} briscola.", "You keep {n} briscole.", one.values[0])


def _keeps_set(language: Language, view: TableView, one: Reason) -> str:
    rank = rank_of_letter(language, view.kind.text(one.faces[0])[0], many=True)
    if one.values[0] == 4:
        return language.text("It keeps the quattordici of {0}.").format(rank)
    return language.text("It keeps the tris of {0}.").format(rank)


def _no_better(language: Language, _: TableView, one: Reason) -> str:
    claimed, own = one.values
    if not own:
        return language.text("You hold nothing of the kind.")
    return language.text("{0} were claimed, and you hold {1} at the most.").format(claimed, own)


def _worth(language: Language, view: TableView, faces: tuple[int, ...]) -> str:
    return worth_words(language, scored(view.state, faces))


def _monte(language: Language, view: TableView, one: Reason) -> str:
    return language.text("The monte is worth {0}.").format(_worth(language, view, one.faces))


def _raises(language: Language, view: TableView, one: Reason) -> str:
    now, then = words.own_worth(language, view), _worth(language, view, one.faces)
    if now == then:  # of a kind whose cards decide between equal sums
        return language.text("Your hand stays {0}, but a better one.").format(now)
    text = language.text("It makes your hand worth {1} instead of {0}.")
    if one.kind == "best-hand":
        text = language.text(
            "It makes your hand worth {1} instead of {0}, the most that the monte offers."
        )
    return text.format(now, then)


def _denies(language: Language, view: TableView, one: Reason) -> str:
    text = language.text("It doesn't leave {0} to {1}, who could make a strong hand with it.")
    return text.format(view.kind.join(one.faces), view.seat(one.values[0]).name)


_MADE: Final[dict[str, Callable[[Language, TableView, Reason], str]]] = {
    "takes": _takes,
    "takes-now": _takes_now,
    "overtaken": _overtaken,
    "takes-so-far": _overtaken,
    "leads-below": _leads_below,
    "leads-risk": _leads_risk,
    "leads-long": _leads_long,
    "exits": _exits,
    "keeps-trumps": _keeps_trumps,
    "keeps-set": _keeps_set,
    "no-better": _no_better,
    "monte": _monte,
    "raises": _raises,
    "best-hand": _raises,
    "denies": _denies,
}
KINDS: Final = frozenset(_PLAIN) | frozenset(_MADE)
"""The kinds of reasons that have a sentence."""


# -- what was measured ----------------------------------------------------------------------------


def _holds(language: Language, found: Advice) -> list[str]:
    if found.holds is None:
        return []
    text = language.text(
        "As the cards lie, yours isn't the worst hand in {0} of {1} sampled deals."
    )
    return [text.format(*found.holds)]


_AHEAD: Final = {
    "traversone": mark("On average {0} penalties less, against the others' average."),
    "picchetto": mark("On average {0} points more of a lead."),
    "petrangola": mark("On average {0} tokens more, against the others' average."),
    "mambassa": mark("On average {0} tokens more, against the others' average."),
}
_FINE: Final = frozenset({"petrangola", "mambassa"})
"""Games in which a lead is told in hundredths."""


def _measured(language: Language, view: TableView, found: Advice) -> list[str]:
    """How the move did beside the next best one."""
    compared = found.compared
    if compared is None or compared.worlds < _ENOUGH:
        return []
    t = language.text
    if compared.lead <= 0:
        text = t("In {0} sampled deals no other choice was clearly better.")
        return [text.format(compared.worlds)]
    other = _deed(language, view, compared.other)
    text = t("In {0} sampled deals it did better than the next best ({1}) in {2}, worse in {3}.")
    if compared.better <= compared.worse:  # less often, but by more
        text = t("In {0} sampled deals it did better on the whole than the next best ({1}).")
    told = [text.format(compared.worlds, other, compared.better, compared.worse)]
    name = view.state.game.name
    if found.parts and name in _AHEAD:
        ahead = f"{compared.lead / (found.parts * compared.worlds):.{2 if name in _FINE else 1}f}"
        if float(ahead):
            told.append(t(_AHEAD[name]).format(amount(language, ahead)))
    return told


def _deed(language: Language, view: TableView, move: Move) -> str:
    choice = next((c for c in view.choices.items if c.move == move), None)
    return words.deed(language, view, choice, letters=True) if choice else ""
