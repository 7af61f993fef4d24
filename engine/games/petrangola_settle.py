"""From the hands on the table to tokens, the pot and the end (PET-40..PET-53, PET-60).

Law: this file knows a match between two deals and what a deal does to it. It must never know
slots, turns or who may see what.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, NamedTuple

from engine.cards import Deck
from engine.contract import Note
from engine.games import monte_tokens
from engine.games.monte_tokens import DEALER_WINS, Tokens, ranked
from engine.games.petrangola_hands import (
    PETRANGOLA,
    Judge,
    PetrangolaOptions,
    Value,
    judge,
)
from engine.position import note

PLAY_ON: Final = ""
SPLIT: Final = "split"
REPLAY: Final = "replay"
_outcome: Final[Callable[..., Outcome]] = tuple.__new__  # the half of what Outcome(...) takes
_LATER: Final = 64
"""Bits by which the worth of a hand outweighs when it was completed, a number of turns."""
_VERDICTS: Final = {"dealer_wins": DEALER_WINS, "replay": REPLAY, "split_pot": SPLIT}


@dataclass(slots=True)
class Match(Tokens):
    """What outlives a deal: tokens, and further ones for each seat.

    used    re-entries taken
    streak  deals in a row in which the seat fell
    told    the grades of hands where a knock has to show a petrangola (PET-24), else None
    """

    options: PetrangolaOptions
    judge: Judge
    used: tuple[int, ...]
    streak: tuple[int, ...]
    told: bytes | None


def new_match(options: PetrangolaOptions, seats: int, deck: Deck) -> Match:
    """A match before its first deal (PET-02, PET-03)."""
    bought = options.stake * options.tokens if options.pot == "bought" else 0
    nothing, ranks = (0,) * seats, judge(options, deck.copies)
    return Match(
        options,
        deck,
        ranks,
        (options.tokens,) * seats,
        (bought,) * seats,
        nothing,
        nothing,
        nothing,
        ranks.grades if options.show_petrangola_on_knock else None,
    )


Shown = monte_tokens.Shown[Value]


class Outcome(NamedTuple):
    """What the showdown means for `match`, which it becomes once the deal stands (GEN-01).

    players, grades, strength  the hands in dealing order; the higher the strength the better
    lost, gained               tokens, for the seats that lose or gain any
    verdict                    PLAY_ON, or what PET-45 makes of a table without tokens
    """

    players: tuple[int, ...]
    grades: Sequence[int]
    strength: Sequence[int]
    lost: dict[int, int]
    gained: dict[int, int]
    match: Match
    verdict: str
    notes: tuple[Note, ...]

    @property
    def values(self) -> tuple[Value, ...]:
        """The worth of the hands, in dealing order."""
        return tuple(map(self.match.judge.values.__getitem__, self.grades))

    @property
    def shown(self) -> tuple[Shown, ...]:
        """The hands in dealing order."""
        return ranked(self.players, self.values, self.strength, self.lost, self.gained)


def settle(
    match: Match,
    players: tuple[int, ...],
    grades: list[int],
    when: Callable[[], Sequence[int]],
) -> Outcome:
    """PET-47, steps 1 to 5: `players` in dealing order, the dealer last, with the grade of each
    hand; `when` says, if that matters, when each was completed (the higher the later)."""
    options, before, strength = match.options, match.streak, grades
    ranked = sorted(grades)
    best, proud = ranked[-1], False
    if best >= PETRANGOLA:
        proud = ranked[0] >= PETRANGOLA
        if options.equal_petrangole_last_loses:
            strength = _strength(match, grades, when())
            ranked = sorted(strength)
    tokens, streak = [*match.tokens], [0] * len(before)
    if len(players) < len(before):  # who isn't in the deal neither falls nor stays
        streak = [0 if seat in players else falls for seat, falls in enumerate(before)]
    if ranked[0] != ranked[1]:  # one falls alone, as in most deals
        seat = players[strength.index(ranked[0])]
        lost = {seat: 1}
        streak[seat] = falls = before[seat] + 1
        tokens[seat] = left = tokens[seat] - 1
        notes = _fall(seat, left, falls, proud)
    else:
        lost = _losses(match, players, strength)
        for seat, n in lost.items():
            streak[seat] = before[seat] + 1
            tokens[seat] -= n
        notes = _announce(lost, tokens, streak, proud)
    gained = _bonuses(match, players, grades, lost) if best >= match.judge.aces else {}
    if gained:
        for seat, n in gained.items():
            tokens[seat] += n
        notes += tuple([note("bonus", seat, (n, tokens[seat])) for seat, n in gained.items()])
    paid, drawn = match.paid, match.drawn
    if options.pot == "lost_tokens":
        paid, drawn = _add(paid, lost, options.stake), _add(drawn, gained, options.stake)
    after = Match(
        options,
        match.deck,
        match.judge,
        (*tokens,),
        paid,
        drawn,
        match.used,
        (*streak,),
        match.told,
    )
    verdict = PLAY_ON if any(tokens) else _VERDICTS[options.all_die]
    return _outcome(Outcome, (players, grades, strength, lost, gained, after, verdict, notes))


def changes(
    match: Match, players: tuple[int, ...], grades: list[int], when: Sequence[int]
) -> tuple[dict[int, int], dict[int, int]]:
    """The tokens that seats lose and gain: `settle` for a roll-out, which asks for no more."""
    lost = _losses(match, players, _strength(match, grades, when))
    return lost, _bonuses(match, players, grades, lost)


def _strength(match: Match, grades: list[int], when: Sequence[int]) -> list[int]:
    """PET-36: the higher the better."""
    if max(grades) < PETRANGOLA or not match.options.equal_petrangole_last_loses:
        return grades
    return [
        (grade << _LATER) - (late if grade >= PETRANGOLA else 0)
        for grade, late in zip(grades, when, strict=True)
    ]


def _add(numbers: tuple[int, ...], more: dict[int, int], times: int) -> tuple[int, ...]:
    changed = list(numbers)
    for seat, n in more.items():
        changed[seat] += n * times
    return tuple(changed)


def _losses(match: Match, players: Sequence[int], strength: list[int]) -> dict[int, int]:
    """PET-40, PET-41, PET-44: how many tokens each of the fallen loses."""
    options = match.options
    worst = min(strength)
    if strength.count(worst) == 1:
        return {players[strength.index(worst)]: 1}
    fallen = [seat for seat, s in zip(players, strength, strict=True) if s == worst]
    if len(players) == 2:
        if options.final_tie == "nondealer_loses_token":
            fallen = fallen[:1]
        return dict.fromkeys(fallen, 1)
    if options.lowest_tie == "all_out":
        return {seat: match.tokens[seat] for seat in fallen}
    return dict.fromkeys(fallen, 1)


def _bonuses(
    match: Match, players: Sequence[int], grades: Sequence[int], lost: dict[int, int]
) -> dict[int, int]:
    """PET-42, and PET-03 for where the tokens come from: `players` is the order of play."""
    found: dict[int, int] = {}
    for seat, grade in zip(players, grades, strict=True):
        if grade >= match.judge.aces and match.judge.values[grade].points == 31:
            n = match.options.aces_bonus
            if match.options.pot == "lost_tokens":
                in_pot = match.pot // match.options.stake + sum(lost.values()) - sum(found.values())
                n = min(n, in_pot)
            if n:
                found[seat] = n
    return found


@lru_cache(maxsize=1 << 12)
def _fall(seat: int, left: int, falls: int, proud: bool) -> tuple[Note, ...]:
    """`_announce` for one that falls alone and loses one token, made once for all such deals."""
    return _announce({seat: 1}, {seat: left}, {seat: falls}, proud)


def _announce(
    lost: Mapping[int, int],
    left: Sequence[int] | Mapping[int, int],
    streak: Sequence[int] | Mapping[int, int],
    proud: bool,
) -> tuple[Note, ...]:
    """PET-61, for the table to hear before the audit: the tokens `left` to each of the fallen and
    its falls in a row; `proud`: even the worst is a petrangola."""
    notes = []
    for seat, n in lost.items():
        notes.append(note("falls", seat, (n, left[seat])))
    if len(lost) > 1:
        notes.append(note("fall-together", -1, (len(lost),)))
    for seat in lost:
        if proud:
            notes.append(note("fallen-with-petrangola", seat))
        if streak[seat] > 1:
            notes.append(note("bisciola", seat, (streak[seat],)))
    return tuple(notes)


def put_out(match: Match, seats: Collection[int]) -> Match:
    """GEN-01, GEN-02: `seats` are dead, their tokens lost (into the pot with lost_tokens)."""
    return match.without(seats, match.options.stake if match.options.pot == "lost_tokens" else 0)


def may_reenter(match: Match, dead: Iterable[int]) -> tuple[int, ...]:
    """Which of the seats that died now are asked (PET-50, PET-52), ascending."""
    tokens, used = match.tokens, match.used
    if len(tokens) - tokens.count(0) < match.options.reentry_min_alive:
        return ()
    limit = match.options.reentries
    return tuple([s for s in sorted(dead) if not tokens[s] and used[s] < limit])


def offer(match: Match) -> tuple[int, int]:
    """Tokens that a re-entry gives (PET-50) and what it costs (PET-51)."""
    fewest = min([tokens for tokens in match.tokens if tokens])
    return fewest, match.options.stake * match.options.tokens


def reenter(match: Match, seats: Iterable[int]) -> Match:
    """PET-50: all who re-enter together receive the same number of tokens."""
    fewest, price = offer(match)
    tokens, paid, used = list(match.tokens), list(match.paid), list(match.used)
    for seat in seats:
        tokens[seat] = fewest
        paid[seat] += price
        used[seat] += 1
    return Match(  # dataclasses.replace takes longer
        *(match.options, match.deck, match.judge, tuple(tokens), tuple(paid), match.drawn),
        *(tuple(used), match.streak, match.told),
    )
