"""From the hands on the table to tokens, the pot and the end (PET-40..PET-53, PET-60).

Law: this file knows a match between two deals and what a deal does to it. It must never know
slots, turns or who may see what.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from engine.cards import Deck
from engine.contract import Note, Result
from engine.games.petrangola_hands import Judge, PetrangolaOptions, Value, judge

PLAY_ON: Final = ""
DEALER_WINS: Final = "dealer-wins"
SPLIT: Final = "split"
REPLAY: Final = "replay"
LAST_ALIVE: Final = "last-alive"
ABANDONED: Final = "abandoned"
UNFINISHED: Final = "unfinished"


@dataclass(frozen=True, slots=True)
class Match:
    """What outlives a deal; one integer a seat in each tuple.

    tokens  held now; 0 is dead
    paid    into the pot, in units of the stake's kind
    drawn   out of the pot before the end (bonus tokens of `pot=lost_tokens`), in the same units
    used    re-entries taken
    streak  deals in a row in which the seat fell
    """

    options: PetrangolaOptions
    deck: Deck
    judge: Judge
    tokens: tuple[int, ...]
    paid: tuple[int, ...]
    drawn: tuple[int, ...]
    used: tuple[int, ...]
    streak: tuple[int, ...]

    @property
    def pot(self) -> int:
        """What lies in the pot now (PET-03)."""
        return sum(self.paid) - sum(self.drawn)

    def living(self) -> tuple[int, ...]:
        """The seats with tokens, ascending."""
        return tuple(seat for seat, tokens in enumerate(self.tokens) if tokens)

    def first_living(self, start: int) -> int:
        """The first living seat from `start` on, in the order of play (PET-05)."""
        seats = len(self.tokens)
        return next(s % seats for s in range(start, start + seats) if self.tokens[s % seats])


def new_match(options: PetrangolaOptions, seats: int, deck: Deck) -> Match:
    """A match before its first deal (PET-02, PET-03)."""
    bought = options.stake * options.tokens if options.pot == "bought" else 0
    nothing = (0,) * seats
    return Match(
        options,
        deck,
        judge(options, deck.copies),
        (options.tokens,) * seats,
        (bought,) * seats,
        nothing,
        nothing,
        nothing,
    )


@dataclass(frozen=True, slots=True)
class Shown:
    """One hand at the showdown: rank 1 is best, equal hands share one, PET-36 included."""

    seat: int
    value: Value
    rank: int
    lost: int
    gained: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the showdown means for `match`, which it becomes once the deal stands (GEN-01).

    verdict  PLAY_ON, or what PET-45 makes of a table without tokens
    """

    shown: tuple[Shown, ...]
    match: Match
    verdict: str
    notes: tuple[Note, ...]


def settle(
    match: Match, players: Sequence[int], values: Sequence[Value], when: Sequence[int]
) -> Outcome:
    """PET-47, steps 1 to 5: `players` in dealing order, the dealer last, with the worth of each
    hand and when it was completed (the higher the later)."""
    options = match.options
    late = options.equal_petrangole_last_loses
    strength = [
        (v.key, -w if late and v.petrangola else 0) for v, w in zip(values, when, strict=True)
    ]
    lost = _losses(match, players, strength)
    tokens = list(match.tokens)
    paid = list(match.paid)
    for seat, n in lost.items():
        tokens[seat] -= n
        if options.pot == "lost_tokens":
            paid[seat] += n * options.stake
    after_losses = tuple(tokens)
    paid_in = replace(match, paid=tuple(paid))
    gained = _bonuses(paid_in, players, values)
    drawn = list(match.drawn)
    for seat, n in gained.items():
        tokens[seat] += n
        if options.pot == "lost_tokens":
            drawn[seat] += n * options.stake
    streak = tuple(
        (n + 1 if seat in lost else 0) if seat in players else n
        for seat, n in enumerate(match.streak)
    )
    after = replace(paid_in, tokens=tuple(tokens), drawn=tuple(drawn), streak=streak)
    verdict = PLAY_ON
    if not any(tokens):
        verdict = {"dealer_wins": DEALER_WINS, "replay": REPLAY, "split_pot": SPLIT}[
            options.all_die
        ]
    shown = tuple(
        Shown(seat, v, 1 + sum(o > s for o in strength), lost.get(seat, 0), gained.get(seat, 0))
        for seat, v, s in zip(players, values, strength, strict=True)
    )
    return Outcome(shown, after, verdict, _announce(shown, after_losses, after))


def _losses(
    match: Match, players: Sequence[int], strength: Sequence[tuple[int, int]]
) -> dict[int, int]:
    """PET-40, PET-41, PET-44: how many tokens each of the fallen loses."""
    options = match.options
    worst = min(strength)
    fallen = [seat for seat, s in zip(players, strength, strict=True) if s == worst]
    if len(players) == 2 and len(fallen) == 2:
        if options.final_tie == "nondealer_loses_token":
            fallen = fallen[:1]
        return dict.fromkeys(fallen, 1)
    if len(fallen) > 1 and options.lowest_tie == "all_out":
        return {seat: match.tokens[seat] for seat in fallen}
    return dict.fromkeys(fallen, 1)


def _bonuses(match: Match, players: Sequence[int], values: Sequence[Value]) -> dict[int, int]:
    """PET-42, and PET-03 for where the tokens come from: `players` is the order of play."""
    bonus = match.options.aces_bonus
    found = {}
    bank = match.pot // match.options.stake
    for seat, v in zip(players, values, strict=True):
        if v.points == 31 and v.kind in {"three-aces", "petrangulo"}:
            n = bonus
            if match.options.pot == "lost_tokens":
                n = min(bonus, bank)
                bank -= n
            if n:
                found[seat] = n
    return found


def _announce(
    shown: Sequence[Shown], after_losses: Sequence[int], after: Match
) -> tuple[Note, ...]:
    """PET-61, for the table to hear before the audit."""
    fallen = [s for s in shown if s.lost]
    notes = [Note("falls", s.seat, (s.lost, after_losses[s.seat])) for s in fallen]
    if len(fallen) > 1:
        notes.append(Note("fall-together", -1, (len(fallen),)))
    for s in fallen:
        if s.value.petrangola:
            notes.append(Note("fallen-with-petrangola", s.seat))
        if after.streak[s.seat] > 1:
            notes.append(Note("bisciola", s.seat, (after.streak[s.seat],)))
    notes.extend(Note("bonus", s.seat, (s.gained, after.tokens[s.seat])) for s in shown if s.gained)
    return tuple(notes)


def put_out(match: Match, seats: Iterable[int]) -> Match:
    """GEN-01, GEN-02: `seats` are dead, their tokens lost (into the pot with lost_tokens)."""
    tokens, paid = list(match.tokens), list(match.paid)
    for seat in seats:
        if match.options.pot == "lost_tokens":
            paid[seat] += tokens[seat] * match.options.stake
        tokens[seat] = 0
    return replace(match, tokens=tuple(tokens), paid=tuple(paid))


def may_reenter(match: Match, dead: Iterable[int]) -> tuple[int, ...]:
    """Which of the seats that died now are asked (PET-50, PET-52), ascending."""
    if len(match.living()) < match.options.reentry_min_alive:
        return ()
    limit = match.options.reentries
    return tuple(s for s in sorted(dead) if not match.tokens[s] and match.used[s] < limit)


def offer(match: Match) -> tuple[int, int]:
    """Tokens that a re-entry gives (PET-50) and what it costs (PET-51)."""
    fewest = min(tokens for tokens in match.tokens if tokens)
    return fewest, match.options.stake * match.options.tokens


def reenter(match: Match, seats: Iterable[int]) -> Match:
    """PET-50: all who re-enter together receive the same number of tokens."""
    fewest, price = offer(match)
    tokens, paid, used = list(match.tokens), list(match.paid), list(match.used)
    for seat in seats:
        tokens[seat] = fewest
        paid[seat] += price
        used[seat] += 1
    return replace(match, tokens=tuple(tokens), paid=tuple(paid), used=tuple(used))


def result(match: Match, winners: Sequence[int], reason: str, dealer: int = -1) -> Result:
    """PET-60 and PET-45: the winners share the pot equally, the remainder is the dealer's.

    `won` counts bonus tokens drawn from the pot too, so that paid and won balance at the end.
    """
    won = list(match.drawn)
    if winners:
        share, rest = divmod(match.pot, len(winners))
        for seat in winners:
            won[seat] += share
        won[dealer if dealer in winners else winners[0]] += rest
    return Result(tuple(winners), match.tokens, match.paid, tuple(won), reason)
