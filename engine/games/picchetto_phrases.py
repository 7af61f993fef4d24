"""What Picchetto says: an English sentence for every kind of note, with its own terms.

Law: sentences only; this file knows no state. Each is whole, so that a translation may order its
words as it likes. `{name}` is the note's seat, `{0}`, `{1}` its values. A kind followed by values
(`passes.1`) is said when the note's first values are those, and the plain kind otherwise.
`scores` is no note: its `{0}` is the list of players with their points.

Values, where a kind isn't plain: categories are 0 point, 1 sequences, 2 sets; ranks are strengths,
7 the ace, 6 the king, 5 the queen (cavallo), 4 the jack (fante), 3 the ten (sette).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_RANKS: Final = {3: "tens", 4: "jacks", 5: "queens", 6: "kings", 7: "aces"}
_TOPS: Final = {
    2: "third lowest",
    3: "ten",
    4: "jack",
    5: "queen",
    6: "king",
    7: "ace",
}
_SEQUENCES: Final = {
    3: "a terza",
    4: "a quarta",
    5: "a quinta",
    6: "a sesta",
    7: "a settima",
    8: "an ottava",
}

PHRASES: Final[Mapping[str, str]] = {
    "dealer-drawn": "{name} draws the lower card and deals first; {0} were drawn.",
    "draws-again": "All pairs were equal: both draw from a new deck.",
    "deals": "{name} deals hand {0} and is cartaro.",
    "bianca": "{name} says mano bianca: no figure in the hand, scarta per mano bianca!",
    **{
        f"bianca.{n}": f"{{name}}: Scarta per mano bianca! And {n} will be exchanged."
        for n in range(1, 6)
    },
    "counts-bianca": "{name} shows a carta bianca: {0} points, {1} in all.",
    "fixes": "{name} fixes the discard: {0} cards for {1} of the talon.",
    "exchanges": "{name} puts {0} cards aside and takes {1} of the talon (accomodo).",
    "exchanges.1.1": "{name} puts a card aside and takes one of the talon (accomodo).",
    "passes": "{name} declares nothing.",
    "passes.0": "{name} declares no point.",
    "passes.1": "{name} declares no sequence.",
    "passes.2": "{name} declares no quattordici and no tris.",
    "claims-point": "{name}: {0} carte.",
    "claims-sequence": "{name} claims a sequence of {0}.",
    **{f"claims-sequence.{n}": f"{{name}} claims {word}." for n, word in _SEQUENCES.items()},
    "claims-set": "{name} claims {0} of a rank.",
    **{f"claims-set.3.{rank}": f"{{name}}: tris of {word}." for rank, word in _RANKS.items()},
    **{
        f"claims-set.4.{rank}": f"{{name}}: quattordici of {word}." for rank, word in _RANKS.items()
    },
    "good": "{name}: buone!",
    "not-good": "{name}: non buone!",
    "how-much": "{name}: quanto?",
    "equal": "{name}: pari.",
    "states-sum": "{name}: the prezzo is {0}.",
    "states-top": "{name} states the top card.",
    **{f"states-top.{n}": f"{{name}}: up to the {word}." for n, word in _TOPS.items()},
    "counts-point": "{name} counts {0} for the point: {1}.",
    "counts-sequence": "{name} counts {0} for a sequence: {1}.",
    "counts-set": "{name} counts {0} for a set: {1}.",
    "counts-set.3": "{name} counts 3 for a tris: {1}.",
    "counts-set.14": "{name} counts 14 for a quattordici: {1}.",
    "nobody-scores": "Nobody scores in this category.",
    "novanta": "{name}: Novanta! 60 more.",
    "sessanta": "{name}: Sessanta! 30 more.",
    "leads": "{name} leads (battuta): {0}.",
    "takes": "{name} takes the trick (presa): {0}.",
    "last-trick": "{name} has the last trick: {0}.",
    "cards": "{name} fa le carte, more than six tricks: {0}.",
    "cappotto": "Cappotto! {name} took all twelve tricks: {0}.",
    "scores-deal": "{name} scores {1} in this deal and has {2}.",
    "scores-deal.2": "{name} scores {1} in this deal, which is doubled, and has {2}.",
    "broken-promise": "{name} broke a promise: the cards refute it.",
    "void": "The deal is void: nothing of it counts.",
    "leaves": "{name} leaves the match.",
    "draw": "The match is a draw.",
    "wins": "{name} wins the match, and the other pays {0}.",
    "scores": "Points: {0}.",
}
"""Note kind, perhaps with its first values -> sentence."""
