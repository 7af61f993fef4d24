"""What Petrangola says (PET-61): an English sentence for every kind of note, with its own terms.

Law: sentences only; this file knows no state. Each is whole, so that a translation may order its
words as it likes. `{name}` is the note's seat, `{0}`, `{1}` its values. A kind followed by values
(`falls.1.2`) is said when the note's first values are those, and the plain kind otherwise.
`scores` is no note: its `{0}` is the list of players with their tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

PHRASES: Final[Mapping[str, str]] = {
    "dealer-drawn": "Card {0} is the asso di denari: {name} deals first.",
    "deals": "{name} deals hand {0}.",
    "cut": "{name} cuts the deck at {0}.",
    "stays": "{name} says sto! and turns the monte up.",
    "swaps": "{name} makes a cambio camicia: the monte for all three cards.",
    "knocks": "{name} knocks: busso!",
    "shows": "{name} shows a petrangola.",
    "dies-with": "Il gioco muore con {name}, who plays last.",
    "falls": "{name} falls (casca), loses {0} and goes on dalle {1}.",
    "falls.1.0": "{name} falls (casca) and has no token left.",
    "falls.1.1": "{name} falls (casca) and goes on dalla una.",
    "falls.1.2": "{name} falls (casca) and goes on dalle due.",
    "falls.1.3": "{name} falls (casca) and goes on dalle tre.",
    "falls.1.4": "{name} falls (casca) and goes on dalle quattro.",
    "fall-together": "They are equal: cadono in {0}.",
    "fall-together.2": "They are equal: cadono in due.",
    "fall-together.3": "They are equal: cadono in tre.",
    "fall-together.4": "They are equal: cadono in quattro.",
    "fallen-with-petrangola": "{name} is caduto con una petrangola: fallen in spite of it.",
    "bisciola": "{name} ha preso la bisciòla: fallen in {0} deals in a row.",
    "bonus": "Three aces: {name} gains {0} and now holds {1}.",
    "broken-promise": "{name} broke a promise: the cards refute it.",
    "void": "The deal is void: nothing of it counts.",
    "replayed": "Nobody would be left with a token: the deal is void and the same dealer deals.",
    "leaves": "{name} leaves the match.",
    "dies": "{name} is dead (muore).",
    "asked": "{name} may pay {1} and re-enter with as many as the poorest has: {0}.",
    "reenters": "{name} pays {1} and rinvivisce delle {0}.",
    "reenters.1": "{name} pays {1} and rinvivisce della una.",
    "reenters.2": "{name} pays {1} and rinvivisce delle due.",
    "reenters.3": "{name} pays {1} and rinvivisce delle tre.",
    "declines": "{name} stays out for good.",
    "pot": "The pot grows to {0}.",
    "wins": "{name} wins {0} from the pot.",
    "scores": "Tokens: {0}.",
}
"""Note kind, perhaps with its first values -> sentence."""
