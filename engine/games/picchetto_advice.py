"""What speaks for a move of Picchetto: what is kept, what is claimed, what a card takes.

Law: this file reads a position through what its seat may see; what it says is true in every deal
that the seat can't tell from this one. It chooses nothing: that is picchetto_bot's.

    kind           faces         values          what is so
    -------------  ------------  --------------  -------------------------------------------------
    keeps-set      the cards     n               n of a rank stay in the hand
    keeps-run      the cards     n               a sequence of n cards stays
    keeps-point    the cards     n, sum          n cards of one suit stay
    bianca         -                             it counts 10 and keeps the other from a bonus
    claims-all     -             size            no better claim is true of the hand
    claims-part    -             size, best      a part of what the hand holds
    no-better      -             size, own       the own best is smaller than what was claimed
    as-many        -             size            the own best is as large as what was claimed
    leads-master   card                          no card of its suit that is out is higher
    leads-long     card          n               of its suit the hand holds n, and of none more
    takes-cheaply  card                          it takes, and none that takes is lower
    takes-last     card                          it takes, and nothing else does
    under          card                          nothing in the hand takes, and it is the lowest
    throws-low     card                          it can't follow, and no card of the hand is lower
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from engine.cards import UNKNOWN
from engine.contract import Move, Reason
from engine.games.picchetto_cards import LOWEST_SET, RANKS, SHORTEST, codes_of, hand_of, suits_of
from engine.games.picchetto_declare import Category, Claim, true_claims
from engine.games.picchetto_moves import (
    GOOD,
    HOW_MUCH,
    Announce,
    Bianca,
    Change,
    Play,
    slots_of,
)

if TYPE_CHECKING:
    from engine.games.picchetto_state import PicchettoState

_ALL_CODES = (1 << 4 * RANKS) - 1


def reasons(view: PicchettoState, seat: int, move: Move) -> tuple[Reason, ...]:
    """See the module; nothing while a card of the hand isn't known."""
    visible = view.visible(seat)
    codes = view.match.pack.codes
    seen = {slot: codes[face] for slot, face in enumerate(view.faces) if visible >> slot & 1}
    hand = view.hand_of(seat)
    if any(seen.get(slot, UNKNOWN) == UNKNOWN for slot in hand):
        return ()
    held = hand_of(seen[slot] for slot in hand)
    match move:
        case Bianca():
            return (Reason("bianca"),)
        case Change(given=given):
            return _kept(view, held & ~hand_of(seen[slot] for slot in slots_of(given)))
        case Announce(claim=claim):
            return _claimed(claim, held)
        case Play(slot=slot):
            return _played(view, seen, held, seen[slot])
    return _answered(view, move, held)


def _faces(view: PicchettoState, hand: int) -> tuple[int, ...]:
    """The faces of a hand, the highest first."""
    codes = sorted(codes_of(hand), key=lambda code: (-(code % RANKS), code))
    return tuple(view.match.pack.faces[code] for code in codes)


def _kept(view: PicchettoState, kept: int) -> tuple[Reason, ...]:
    """What the hand holds still, the dearest first."""
    found: list[tuple[int, Reason]] = []
    for rank in range(LOWEST_SET, RANKS):
        same = kept & 0x01010101 << rank
        size = same.bit_count()
        if size >= SHORTEST:
            weight = 14 if size == 4 else 3
            found.append((weight, Reason("keeps-set", _faces(view, same), (size,))))
    for suit in range(4):
        byte = kept & 255 << suit * RANKS
        run = _longest_run(byte)
        size = run.bit_count()
        if size >= SHORTEST:
            weight = size + (10 if size > 4 else 0)
            found.append((weight, Reason("keeps-run", _faces(view, run), (size,))))
    longest = max((kept & 255 << suit * RANKS for suit in range(4)), key=_length(view))
    size = longest.bit_count()
    if size >= SHORTEST:
        price = view.match.pack.price(longest)
        found.append((size, Reason("keeps-point", _faces(view, longest), (size, price))))
    found.sort(key=lambda item: -item[0])
    return tuple(reason for _, reason in found)


def _length(view: PicchettoState) -> Callable[[int], tuple[int, int]]:
    return lambda hand: (hand.bit_count(), view.match.pack.price(hand))


def _longest_run(suit: int) -> int:
    """The longest run of neighbouring codes in the cards of one suit, of two the higher."""
    best = run = last = 0
    for code in sorted(codes_of(suit)):
        run = run | 1 << code if run and code == last + 1 else 1 << code
        last = code
        if run.bit_count() >= best.bit_count():
            best = run
    return best


def _claimed(claim: Claim, held: int) -> tuple[Reason, ...]:
    best = true_claims(claim.category, held)[-1]
    if claim == best:
        return (Reason("claims-all", (), (claim.size,)),)
    if claim.size < best.size:
        return (Reason("claims-part", (), (claim.size, best.size)),)
    return ()


def _answered(view: PicchettoState, move: Move, held: int) -> tuple[Reason, ...]:
    """What the own hand is beside the claim that is answered."""
    talk = view.talk
    if talk is None or talk.claim is None or talk.claim.category is Category.SET:
        return ()
    true = true_claims(talk.claim.category, held)
    own = true[-1].size if true else 0
    if move == GOOD and own < talk.claim.size:
        return (Reason("no-better", (), (talk.claim.size, own)),)
    if move == HOW_MUCH and own == talk.claim.size:
        return (Reason("as-many", (), (own,)),)
    return ()


def _played(view: PicchettoState, seen: dict[int, int], held: int, code: int) -> tuple[Reason, ...]:
    suit, strength = divmod(code, RANKS)
    own = held >> suit * RANKS & 255
    if view.led < 0:
        out = _out(view, seen)
        if not out >> suit * RANKS & 255 & -1 << strength:
            return (Reason("leads-master", _faces(view, 1 << code)),)
        lengths = [byte.bit_count() for byte in suits_of(held)]
        if lengths[suit] == max(lengths):
            return (Reason("leads-long", _faces(view, 1 << code), (lengths[suit],)),)
        return ()
    led = seen[view.led]
    card = _faces(view, 1 << code)
    if suit != led // RANKS:
        lowest = min(other % RANKS for other in codes_of(held))
        return (Reason("throws-low", card),) if strength == lowest else ()
    winners = own & -2 << led % RANKS
    if code > led:
        if winners.bit_count() == 1:
            return (Reason("takes-last", card),)
        return (Reason("takes-cheaply", card),) if winners & -winners == 1 << strength else ()
    return (Reason("under", card),) if not winners and own & -own == 1 << strength else ()


def _out(view: PicchettoState, seen: dict[int, int]) -> int:
    """The cards that the other may hold: those that weren't seen, and those it has shown."""
    other = view.hand_of(view.players[1 - view.at])
    shown = [seen[slot] for slot in other if seen.get(slot, UNKNOWN) != UNKNOWN]
    known = hand_of(code for code in seen.values() if code != UNKNOWN)
    return _ALL_CODES & ~known | hand_of(shown)
