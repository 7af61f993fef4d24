"""What speaks for a card in Traversone: what it takes, what it is rid of, what is left to lead.

Law: this file reads a position through what its seat may see; what it says is true in every deal
that the seat can't tell from this one. It chooses nothing: that is traversone_bot's.

    kind            faces             values           what is so
    --------------  ----------------  ---------------  ------------------------------------------
    ducks           card, best card                    it doesn't take, another card has the trick
    ducks-high      card, best card                    the same, and it is the highest that doesn't
    sheds           card                               of another suit, so it can't take
    sheds-ace       card                               the same, and it is an ace
    takes           card              thirds           it takes the trick, which costs so much
    takes-nothing   card                               it takes the trick, which costs nothing
    must-take       card                               every card that may be played takes
    overtaken       card              n                it has the trick, n cards still out beat it
    takes-now       card              thirds           it has the trick, and no card still out
                                                       beats it: so much lies there so far
    leads-top       card                               no card of its suit still out beats it
    leads-below     card              n                all n cards of its suit that are out beat it
    leads-risk      card              n, m             n of the m that are out beat it
    aside           card                               whoever takes the last trick gets it
    voids           card                               it is the last one of its suit
    exits           -                 n                n cards that are left are beaten by all that
                                                       are out of their suit
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from engine.cards import UNKNOWN
from engine.contract import Move, Reason
from engine.games.traversone_count import ACE, BEATS, DECK, RANKS, STRENGTH, THIRDS
from engine.games.traversone_moves import Aside, Play

if TYPE_CHECKING:
    from engine.games.traversone_state import TraversoneState


def reasons(view: TraversoneState, seat: int, move: Move) -> tuple[Reason, ...]:
    """See the module; nothing while a card of the hand isn't known."""
    visible = view.visible(seat)
    faces = bytes(f if visible >> s & 1 else UNKNOWN for s, f in enumerate(view.faces))
    hand = [faces[slot] for slot in view.hand_of(seat)]
    if not isinstance(move, Play | Aside) or UNKNOWN in hand:
        return ()
    face = faces[move.slot]
    rest = [other for other in hand if other != face]
    out = _out(view, faces, hand)
    if isinstance(move, Aside):
        found = [Reason("aside", (face,))]
    elif not view.trick:
        found = _led(face, out)
    elif face // RANKS != view.led:
        found = [Reason("sheds-ace" if face % RANKS == ACE else "sheds", (face,))]
    else:
        found = _followed(view, faces, hand, face, out)
    if all(other // RANKS != face // RANKS for other in rest):
        found.append(Reason("voids", (face,)))
    exits = sum(_is_exit(other, out) for other in rest)
    if exits:
        found.append(Reason("exits", (), (exits,)))
    return tuple(found)


def _out(view: TraversoneState, faces: bytes, hand: Collection[int]) -> frozenset[int]:
    """The cards that others may still play, as far as can be told."""
    played = view.opened & ~view.left
    gone = {face for slot, face in enumerate(faces) if played >> slot & 1}
    if view.aside >= 0:
        gone.add(faces[view.aside])
    return frozenset(range(DECK.size)) - gone - frozenset(hand)


def _split(face: int, out: Collection[int]) -> tuple[int, int]:
    """How many cards of its suit that are out beat a card, and how many there are."""
    suit = [other for other in out if other // RANKS == face // RANKS]
    return sum(BEATS[face][other] for other in suit), len(suit)


def _is_exit(face: int, out: Collection[int]) -> bool:
    above, all_ = _split(face, out)
    return 0 < above == all_


def _led(face: int, out: Collection[int]) -> list[Reason]:
    above, all_ = _split(face, out)
    if not above:
        return [Reason("leads-top", (face,))]
    if above == all_:
        return [Reason("leads-below", (face,), (above,))]
    return [Reason("leads-risk", (face,), (above, all_))]


def _followed(
    view: TraversoneState, faces: bytes, hand: Sequence[int], face: int, out: Collection[int]
) -> list[Reason]:
    suit = [other for other in hand if other // RANKS == view.led]
    takes = BEATS[view.best]
    if not takes[face]:
        below = [other for other in suit if not takes[other]]
        high = len(below) > 1 and max(below, key=STRENGTH.__getitem__) == face
        return [Reason("ducks-high" if high else "ducks", (face, view.best))]
    found = []
    if all(takes[other] for other in suit):
        found.append(Reason("must-take", (face,)))
    worth = THIRDS[view.options.ace_of_bastoni]
    cost = worth[face] + sum(worth[faces[slot]] for slot in view.trick)
    if len(view.trick) == len(view.players) - 1:
        found.append(
            Reason("takes", (face,), (cost,)) if cost else Reason("takes-nothing", (face,))
        )
        return found
    above, _ = _split(face, out)
    now = Reason("overtaken", (face,), (above,)) if above else Reason("takes-now", (face,), (cost,))
    return [now, *found]
