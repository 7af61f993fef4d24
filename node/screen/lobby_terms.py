"""House rules in words: what an option is called, what its values mean, how presets differ.

Law: from a game's own specs to text; it must never know a rule, nor a place on the screen. An
option without a name here is called as in the log, so a new one is never missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from engine.contract import Game
from engine.errors import OptionError
from engine.options import preset_of, specs, text_of
from node.language import Language, mark
from protocol.stages import HANDS_EXTENSION, PATIENCE_EXTENSION, TIMER_EXTENSION

_NAMES: Final[Mapping[str, str]] = {
    "decks": mark("number of decks"),
    "tokens": mark("tokens at the beginning"),
    "stake": mark("what a stake is worth"),
    "pot": mark("what is in the pot"),
    "open_after_dealer_swap": mark("hands are opened after the dealer's swap"),
    "show_petrangola_on_knock": mark("who knocks shows a petrangola"),
    "max_rounds": mark("rounds without a knock before the showdown"),
    "ace_low": mark("ace, two, three is a sequence"),
    "tris_beats_scala": mark("a tris beats a scala"),
    "low_tris_wins": mark("the lower tris is better"),
    "court_tris": mark("tris of kings, knights and jacks"),
    "petrangulo": mark("the petranguló exists"),
    "equal_petrangole_last_loses": mark("of equal petrangole the later one is worse"),
    "lowest_tie": mark("who share the worst hand"),
    "aces_bonus": mark("tokens for three aces"),
    "final_tie": mark("equal hands of the last two"),
    "all_die": mark("if no token is left at all"),
    "reentries": mark("how often one may re-enter"),
    "reentry_min_alive": mark("others alive for a re-entry"),
    "deck": mark("deck"),
    "mode": mark("kind of match"),
    "packet": mark("cards in a packet"),
    "bianca_must_announce": mark("a carta bianca must be announced"),
    "min_exchange": mark("cards to exchange at least"),
    "irregular_hands": mark("hands of eleven or thirteen cards"),
    "must_win": mark("one must win the trick if able"),
    "trick_scoring": mark("what tricks score"),
    "target": mark("points that win"),
    "settle": mark("what the loser pays"),
    "point_value": mark("what a point is worth"),
    "rubicon_bonus": mark("bonus for crossing the rubicon alone"),
    "rubicon_inclusive": mark("exactly 100 crosses the rubicon"),
    "cappotto": mark("cappotto"),
    "ace_of_bastoni": mark("the ace of batons costs 11"),
    "threshold": mark("points that put one out"),
    "winners": mark("how many win"),
    "tie_break": mark("ties for the last winning place"),
    "games": mark("deals that win the match"),
}
_VALUES: Final[Mapping[str, str]] = {
    "true": mark("yes"),
    "false": mark("no"),
    "auto": mark("as few as suffice"),
    "bought": mark("all tokens are bought first"),
    "lost_tokens": mark("tokens go in as they are lost"),
    "equal_by_points": mark("are equal"),
    "by_rank": mark("differ by rank"),
    "each_loses_one": mark("lose one token each"),
    "all_out": mark("lose all they have"),
    "nondealer_loses_token": mark("who didn't deal loses a token"),
    "both_lose": mark("each loses a token"),
    "dealer_wins": mark("the dealer wins"),
    "replay": mark("the deal is void"),
    "split_pot": mark("they share the pot"),
    "italian40": mark("Italian, 40 cards"),
    "french40": mark("French, 40 cards"),
    "french32": mark("French, 32 cards"),
    "regional32": mark("Italian, 32 cards"),
    "target": mark("first to the target"),
    "rubicone": mark("four deals, rubicone"),
    "battuta_presa": mark("leading and taking, one point each"),
    "two_per_trick": mark("two points a trick"),
    "stake": mark("the stake"),
    "difference": mark("the difference"),
    "counted": mark("if the count says so"),
    "all_points": mark("only with all the points"),
    "deal": mark("a further deal"),
    "share": mark("all of them win"),
}


def option_name(language: Language, name: str) -> str:
    """What an option is called."""
    return language.text(_NAMES[name]) if name in _NAMES else name


def value_words(language: Language, text: str) -> str:
    """What a value means; a number is itself."""
    return language.text(_VALUES[text]) if text in _VALUES else text


def option_words(language: Language, options: Any, name: str) -> str:
    """`tokens at the beginning: 3`."""
    value = value_words(language, text_of(options, name))
    return f"{option_name(language, name)}: {value}"


def differences(made: Sequence[Any]) -> tuple[str, ...]:
    """The options in which these differ, which are of one game."""
    known = specs(type(made[0])) if made else {}
    return tuple(name for name in known if len({text_of(options, name) for options in made}) > 1)


def rules_name(language: Language, game: Game, options: Any) -> str:
    """`marche`, or `marche, 2 changes`."""
    try:
        preset, changed = preset_of(options, game.presets)
    except OptionError:
        return ""
    if not changed:
        return preset
    more = language.count("{n} change", "{n} changes", len(changed))
    return f"{preset}, {more}"


def changed_options(game: Game, options: Any) -> frozenset[str]:
    """The options that differ from those of the nearest preset."""
    _, changed = preset_of(options, game.presets)
    return frozenset(one.partition("=")[0] for one in changed)


def agreed_words(language: Language, extensions: Mapping[str, int | str]) -> list[str]:
    """What the players agree on besides the game's own rules."""

    def number(name: str) -> int:
        value = extensions.get(name)
        return value if isinstance(value, int) else 0

    found = []
    hands, timer, patience = map(number, (HANDS_EXTENSION, TIMER_EXTENSION, PATIENCE_EXTENSION))
    count = language.count
    if hands:
        found.append(
            count("The match ends after {n} hand.", "The match ends after {n} hands.", hands)
        )
    if timer:
        found.append(count("A turn has {n} second.", "A turn has {n} seconds.", timer))
    if patience:
        found.append(
            count(
                "Who is gone is waited for {n} second.",
                "Who is gone is waited for {n} seconds.",
                patience,
            )
        )
    return found
