"""What speaks for a card in Briscola: what it takes, what it keeps back, what it gives away.

Law: this file reads a position through what its seat may see; what it says is true in every deal
that the seat can't tell from this one. It chooses nothing: that is briscola_bot's.

    kind            faces   values     what is so
    --------------  ------  ---------  -----------------------------------------------------------
    takes-by-trump  card    n          a briscola without points takes a whole trick of n points
    takes           card    n          it takes the whole trick, of n points
    takes-empty     card               the same, of no points: it leads next
    takes-surely    card               it has the trick, and nothing that is out beats it
    takes-so-far    card    n          it has the trick, n cards that are out beat it
    feeds-partner   card    n          the partner takes the whole trick, to which it adds n points
    partner-has     card               the partner has the trick so far
    empty           card               neither the trick nor the card counts
    gives-nothing   card    n          it doesn't take, and adds nothing to the n points that lie
    gives-least     card    n          it doesn't take, and none in the hand counts less than its n
    leads-nothing   card               it leads a card that counts nothing and is no briscola
    leads-least     card    n          it leads, and none in the hand counts less than its n points
    keeps-trumps    -       n          n briscole stay in the hand
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.cards import UNKNOWN
from engine.contract import Move, Reason
from engine.games.briscola_cards import RANKS

if TYPE_CHECKING:
    from engine.games.briscola_state import BriscolaState


def reasons(view: BriscolaState, seat: int, move: Move) -> tuple[Reason, ...]:
    """See the module; nothing while a card of the hand isn't known."""
    slot = getattr(move, "slot", -1)
    visible = view.visible(seat)
    faces = bytes(f if visible >> s & 1 else UNKNOWN for s, f in enumerate(view.faces))
    hand = [faces[own] for own in view.hand_of(seat)]
    if slot not in view.hand_of(seat) or UNKNOWN in hand:
        return ()
    face, trump = faces[slot], faces[view.briscola] // RANKS
    found = _answer(view, seat, faces, face, hand) if view.trick else _lead(view, face, hand, trump)
    kept = sum(other // RANKS == trump for other in hand if other != face)
    if kept and face // RANKS != trump:
        found.append(Reason("keeps-trumps", (), (kept,)))
    return tuple(found)


def _lead(view: BriscolaState, face: int, hand: Sequence[int], trump: int) -> list[Reason]:
    points = view.cards.points
    if not points[face] and face // RANKS != trump:
        return [Reason("leads-nothing", (face,))]
    if points[face] == min(points[other] for other in hand):
        return [Reason("leads-least", (face,), (points[face],))]
    return []


def _answer(
    view: BriscolaState, seat: int, faces: bytes, face: int, hand: Sequence[int]
) -> list[Reason]:
    points = view.cards.points
    own = points[face]
    pot = sum(points[faces[slot]] for slot in view.trick)
    last = len(view.trick) == len(view.players) - 1
    if view.beats[view.best][face]:
        return [_takes(view, faces, face, pot + own) if last else _has(view, faces, face, hand)]
    if view.side(view.players[view.taker]) == view.side(seat):
        if last and own:
            return [Reason("feeds-partner", (face,), (own,))]
        return [Reason("partner-has", (face,))]
    if not own:
        return [Reason("gives-nothing", (face,), (pot,)) if pot else Reason("empty", (face,))]
    if own == min(points[other] for other in hand):
        return [Reason("gives-least", (face,), (own,))]
    return []


def _takes(view: BriscolaState, faces: bytes, face: int, total: int) -> Reason:
    """Of the last card of a trick of `total` points."""
    if not total:
        return Reason("takes-empty", (face,))
    trump = faces[view.briscola] // RANKS
    cheap = face // RANKS == trump and not view.cards.points[face]
    return Reason("takes-by-trump" if cheap else "takes", (face,), (total,))


def _has(view: BriscolaState, faces: bytes, face: int, hand: Sequence[int]) -> Reason:
    """Of a card that has the trick while others are to play; nobody can play the briscola that
    lies under the stock."""
    away = (pile.slots for pile in view.piles() if pile.name in ("won", "briscola"))
    gone = {faces[slot] for slots in away for slot in slots}
    out = set(range(len(view.cards.points))) - gone - set(hand)
    above = sum(view.beats[face][other] for other in out)
    return Reason("takes-so-far", (face,), (above,)) if above else Reason("takes-surely", (face,))
