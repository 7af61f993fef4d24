"""From the hands on the table to tokens, the pot and the end (MAM-02, MAM-30..MAM-33).

Law: this file knows a match between two deals and what a deal does to it. It must never know
slots, turns or who may see what.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from engine.cards import Deck
from engine.contract import Note
from engine.games import monte_tokens
from engine.games.mambassa_hands import Judge, MambassaOptions, Value, judge
from engine.games.monte_tokens import Tokens, ranked
from engine.position import note

MAMBASSA: Final = "mambassa"


@dataclass(slots=True)
class Match(Tokens):
    """What outlives a deal."""

    options: MambassaOptions
    judge: Judge


def new_match(options: MambassaOptions, seats: int, deck: Deck) -> Match:
    """A match before its first deal: of the tokens each bought one lies in the pot (MAM-02)."""
    return Match(
        options,
        deck,
        judge(options),
        (options.tokens - 1,) * seats,
        (options.stake,) * seats,
        (0,) * seats,
    )


Shown = monte_tokens.Shown[Value]


class Outcome(NamedTuple):
    """What the hands mean for `match`, which it becomes once the deal stands (GEN-01).

    players, values  the hands in dealing order
    lost, gained     the seats that pay a token, and those that take one out of the pot
    """

    players: tuple[int, ...]
    values: tuple[Value, ...]
    lost: tuple[int, ...]
    gained: tuple[int, ...]
    match: Match
    notes: tuple[Note, ...]

    @property
    def shown(self) -> tuple[Shown, ...]:
        """The hands in dealing order."""
        lost, gained = dict.fromkeys(self.lost, 1), dict.fromkeys(self.gained, 1)
        keys = [value.key for value in self.values]
        return ranked(self.players, self.values, keys, lost, gained)


def settle(
    match: Match, players: tuple[int, ...], values: Sequence[Value], declared: tuple[int, ...]
) -> Outcome:
    """MAM-30 to MAM-32: `players` in the order of play, the dealer last, the worth of each hand,
    and the seats that declared, rightly, in the order of play."""
    keys = [value.key for value in values]
    worst = min(keys)
    lost = tuple([seat for seat, key in zip(players, keys, strict=True) if key == worst])
    gained: tuple[int, ...] = ()
    notes: tuple[Note, ...] = ()
    if declared:
        first = declared[0]  # of several the first in the order of play counts (MAM-32)
        kind = values[players.index(first)].kind
        notes = (note(kind, first),)
        if kind == MAMBASSA:
            lost = tuple(seat for seat in players if seat != first)
        else:
            gained = (first,)  # the worst has just paid, so that the pot isn't empty
    stake = match.options.stake
    tokens, paid, drawn = list(match.tokens), list(match.paid), match.drawn
    for seat in lost:
        tokens[seat] -= 1
        paid[seat] += stake
    notes += tuple([note("pays", seat, (tokens[seat],)) for seat in lost])
    if len(lost) > 1:
        notes += (note("pay-together", -1, (len(lost),)),)
    for seat in gained:
        tokens[seat] += 1
        drawn = (*drawn[:seat], drawn[seat] + stake, *drawn[seat + 1 :])
        notes += (note("extra-life", seat, (tokens[seat],)),)
    after = Match(match.options, match.deck, match.judge, tuple(tokens), tuple(paid), drawn)
    return Outcome(players, tuple(values), lost, gained, after, notes)


def put_out(match: Match, seats: Collection[int]) -> Match:
    """GEN-01, GEN-02: `seats` are dead, their tokens go into the pot as all lost ones do."""
    return match.without(seats, match.options.stake)
