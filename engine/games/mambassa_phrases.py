"""What Mambassa says: an English sentence for every kind of note, with the game's own terms.

Law: sentences only; this file knows no state. They are made as those of petrangola_phrases.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PHRASES: Final[Mapping[str, str]] = {
    "dealer-drawn": "{name} draws the highest card and deals first.",
    "deals": "{name} deals hand {0}.",
    "stays": "{name} turns the monte up.",
    "swaps": "{name} makes a cambio camicia: the monte for all four cards.",
    "knocks": "{name} knocks: busso!",
    "dies-with": "Il gioco muore con {name}, who plays last.",
    "discards": "{name} puts a card face down under the mazzo and draws its top card.",
    "declares": "{name} declares, and the deal ends.",
    "silent": "{name} has nothing to declare.",
    "mambassa": "Mambassa! {name} holds four aces: everybody else pays a token.",
    "quarantuna": "Quarantuna! {name} holds asso, re, cavallo and fante of one suit.",
    "pays": "{name} pays a token into the pot and keeps {0}.",
    "pays.0": "{name} pays the last token into the pot.",
    "pays.1": "{name} pays a token into the pot and keeps one.",
    "pay-together": "{0} pay a token each.",
    "extra-life": "{name} takes a token out of the pot and now holds {0}.",
    "broken-promise": "{name} broke a promise: the cards refute it.",
    "void": "The deal is void: nothing of it counts.",
    "leaves": "{name} leaves the match.",
    "dies": "{name} is out.",
    "wins": "{name} wins {0} from the pot.",
    "scores": "Tokens: {0}.",
}
"""Note kind, perhaps with its first values -> sentence."""
