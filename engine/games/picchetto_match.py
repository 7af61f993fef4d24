"""House rules of Picchetto, and from the points of deals to the end of a match (PIC-40..PIC-52).

Law: this file knows a match between two deals and what a deal or a departure does to it. It must
never know slots, turns or who may see what.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Final

from engine.contract import Result
from engine.errors import OptionError
from engine.games.picchetto_cards import PACKS, Pack
from engine.options import Value, check, choice, number, switch

SEATS: Final = 2
RUBICON: Final = 100
"""The score that has to be crossed (PIC-51)."""
_DEALS: Final = 4
_FURTHER_DEALS: Final = 6
"""Deals of a Rubicone, and with the two that follow when it is level (PIC-52)."""
_DOUBLED: Final = (1, 4)
_NO_LIMIT: Final = 1 << 30

PLAY_ON: Final = ""
TARGET: Final = "target-reached"
DIFFERENCE: Final = "difference"
CROSSED_ALONE: Final = "rubicon"
DRAW: Final = "draw"
OTHERS_LEFT: Final = "others-left"
ABANDONED: Final = "abandoned"
UNFINISHED: Final = "unfinished"


@dataclass(frozen=True, slots=True)
class PicchettoOptions:
    """The house rules; the identifiers lead to the rules' text."""

    mode: str = choice("target", "rubicone", rule="PIC-50")
    deck: str = choice("french32", "regional32", rule="PIC-01")
    packet: int = number(3, 2, 3, "PIC-03")
    bianca_must_announce: bool = switch(False, "PIC-10")
    min_exchange: int = number(1, 1, 2, "PIC-11")
    irregular_hands: bool = switch(False, "PIC-15")
    must_win: bool = switch(True, "PIC-30")
    trick_scoring: str = choice("battuta_presa", "two_per_trick", rule="PIC-35")
    target: int = number(151, 21, 999, "PIC-40")
    settle: str = choice("stake", "difference", rule="PIC-41")
    stake: int = number(1, 1, 1000, "PIC-41")
    point_value: int = number(1, 1, 1000, "PIC-41")
    rubicon_bonus: int = number(0, 0, 1000, "PIC-51")
    rubicon_inclusive: bool = switch(True, "PIC-52")

    def __post_init__(self) -> None:
        check(self)


PRESETS: Final[Mapping[str, Mapping[str, Value]]] = {
    "classic": {},
    "rubicone": {"mode": "rubicone"},
}


@dataclass(slots=True)
class Match:
    """What outlives a deal. Nobody changes one: it isn't frozen since one is made for each deal,
    and that would take several times as long.

    pack     the deck in play
    totals   points of each seat
    deals    deals that counted
    ended    why the match is over, PLAY_ON while it isn't
    winners  who won it; both if it is a draw
    amount   what the loser pays to the winner
    """

    options: PicchettoOptions
    pack: Pack
    totals: tuple[int, int] = (0, 0)
    deals: int = 0
    ended: str = PLAY_ON
    winners: tuple[int, ...] = ()
    amount: int = 0

    @property
    def factor(self) -> int:
        """What the points of the next deal are multiplied by (PIC-50, PIC-52)."""
        return 2 if self.options.mode == "rubicone" and self.deals + 1 in _DOUBLED else 1

    def limit(self, seat: int) -> int:
        """Points with which `seat` ends the next deal (PIC-40); out of reach in a Rubicone."""
        if self.options.mode == "rubicone":
            return _NO_LIMIT
        return self.options.target - self.totals[seat]

    def result(self) -> Result:
        """How it ended, or how it stands (`unfinished`): the loser pays, the winner receives."""
        alone = len(self.winners) == 1
        won = tuple(self.amount if alone and s in self.winners else 0 for s in range(SEATS))
        reason = self.ended or UNFINISHED
        return Result(self.winners, self.totals, won[::-1], won, reason)


def new_match(options: PicchettoOptions, seats: int) -> Match:
    """A match before its first deal; OptionError unless two play."""
    if seats != SEATS:
        raise OptionError(f"Picchetto is for {SEATS} players, not {seats}")
    return Match(options, PACKS[options.deck])


def settle(match: Match, points: tuple[int, int]) -> Match:
    """What a deal does in which seat 0 and seat 1 scored `points` (undoubled)."""
    factor = match.factor
    mine, theirs = match.totals
    totals = (mine + factor * points[0], theirs + factor * points[1])
    match = Match(match.options, match.pack, totals, match.deals + 1)
    if match.options.mode == "rubicone":
        return _settle_rubicone(match)
    target = match.options.target
    if max(totals) < target:
        return match
    reached = [seat for seat in range(SEATS) if totals[seat] >= target]
    winner = reached[0]  # the count stops at the first who reaches it, so there is no other
    if match.options.settle == "stake":
        amount = match.options.stake
    else:
        amount = (totals[winner] - totals[1 - winner]) * match.options.point_value
    return replace(match, ended=TARGET, winners=(winner,), amount=amount)


def _settle_rubicone(match: Match) -> Match:
    """PIC-50 to PIC-52."""
    mine, theirs = match.totals
    if match.deals not in (_DEALS, _FURTHER_DEALS) or (
        mine == theirs and match.deals < _FURTHER_DEALS
    ):
        return match
    if mine == theirs:
        return replace(match, ended=DRAW, winners=(0, 1))
    winner = 0 if mine > theirs else 1
    crossed = [_crossed(match.options, total) for total in match.totals]
    if crossed[0] == crossed[1]:
        amount, reason = abs(mine - theirs), DIFFERENCE
    else:
        amount, reason = mine + theirs + match.options.rubicon_bonus, CROSSED_ALONE
    amount *= match.options.point_value
    return replace(match, ended=reason, winners=(winner,), amount=amount)


def _crossed(options: PicchettoOptions, total: int) -> bool:
    return total >= RUBICON if options.rubicon_inclusive else total > RUBICON


def put_out(match: Match, seats: Collection[int]) -> Match:
    """GEN-01, GEN-02: `seats` go away, so the other has won; an ended match stays as it ended.

    The price of going is what the other would get for an end that may still come: the stake; with
    `difference` the other's points, as if the target had been reached, less one's own; in a
    Rubicone what is due when the other alone has crossed it.
    """
    gone = set(seats)
    if match.ended or not gone:
        return match
    if len(gone) == SEATS:
        return replace(match, ended=ABANDONED)
    winner = 1 - gone.pop()
    own, other = match.totals[winner], match.totals[1 - winner]
    options = match.options
    if options.mode == "rubicone":
        amount = (own + other + options.rubicon_bonus) * options.point_value
    elif options.settle == "stake":
        amount = options.stake
    else:
        amount = (max(own, options.target) - other) * options.point_value
    return replace(match, ended=OTHERS_LEFT, winners=(winner,), amount=amount)
