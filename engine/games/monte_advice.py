"""What speaks for a move where hands are exchanged with a monte: Petrangola and Mambassa.

Law: this file reads a position through what its seat may see; what it says is true in every deal
that the seat can't tell from this one. What a hand is worth is the game's judge's to say. It
chooses nothing: that is the bots'.

    kind         faces               values       what is so
    -----------  ------------------  -----------  -----------------------------------------------
    cut          -                                the deck is shuffled after it
    monte        the monte                        it is what the dealer chooses about
    best-hand    the hand after it                no exchange makes a better one
    raises       the hand after it                it is better than the hand before
    denies       the cards taken     seat, cards  with what is known of the next player's cards (so
                                                  many) the monte made a special hand, and no more
    nothing      the hand                         no exchange makes it better: it is kept
    spare        card                             the card doesn't count in the hand
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

from engine.cards import UNKNOWN
from engine.contract import Move, Reason
from engine.games.monte_moves import Camicia, Exchange

Faces = tuple[int, ...]


class Turn:
    """One seat's turn, as it sees the cards.

    key      of a hand: the better one has the higher one
    special  from this key on a hand is what nobody likes to leave to another
    """

    def __init__(self, view: Any, seat: int, special: int) -> None:
        judge = view.match.judge
        visible = view.visible(seat)
        self.hand = _faces(view, view.hand_of(seat), visible)
        self.monte = _faces(view, view.monte, visible)
        self.key: Callable[[Faces], int] = lambda hand: judge.value(hand).key
        self.special = special
        after = (view.at + 1) % len(view.players) if view.players else 0
        self.next_seat = view.players[after] if view.players else -1
        ends = view.most and view.turns + 1 >= view.most  # PET-26
        self.next_plays = view.left > 1 or (view.left < 0 and not ends)
        held = _faces(view, view.held[after], visible) if view.held else ()
        self.next_known = tuple(face for face in held if face != UNKNOWN)

    @property
    def known(self) -> bool:
        """Whether every card of the hand and the monte is."""
        return bool(self.hand) and UNKNOWN not in self.hand + self.monte

    def chosen(self) -> tuple[Reason, ...]:
        """Of the dealer's choice between the hand, unseen, and the monte."""
        return (Reason("monte", self.monte),) if UNKNOWN not in self.monte else ()

    def moved(self, move: Move, exchanges: Sequence[Exchange]) -> tuple[Reason, ...]:
        """Of an exchange, a camicia or a turn without either; `exchanges`: those that the game
        allows beside the camicia. Nothing while a card isn't known."""
        if not self.known:
            return ()
        cards = self.hand + self.monte
        others = [*(exchange.hand(cards) for exchange in exchanges), self.monte]
        if isinstance(move, Exchange):
            return self.exchanged(move.hand(cards), move.monte(cards), others)
        if isinstance(move, Camicia):
            return self.exchanged(self.monte, self.hand, others)
        return self.kept(others)

    def exchanged(self, hand: Faces, monte: Faces, others: Sequence[Faces]) -> tuple[Reason, ...]:
        """Of an exchange that leads to `hand` and `monte`; `others`: the hands of all of them."""
        found = []
        own = self.key(hand)
        if own > self.key(self.hand):
            best = own >= max(map(self.key, others))
            found.append(Reason("best-hand" if best else "raises", hand))
        if self._reach(self.monte) >= self.special > self._reach(monte):
            taken = tuple(face for face in self.monte if face not in monte)
            if taken:
                values = (self.next_seat, len(self.next_known))
                found.append(Reason("denies", taken, values))
        return tuple(found)

    def kept(self, others: Sequence[Faces]) -> tuple[Reason, ...]:
        """Of a turn without an exchange."""
        if others and self.key(self.hand) >= max(map(self.key, others)):
            return (Reason("nothing", self.hand),)
        return ()

    def _reach(self, monte: Faces) -> int:
        """The best key that the next player's known cards make with some of the monte."""
        if not self.next_plays:
            return 0
        size = len(self.hand)
        cards = self.next_known + monte
        hands = (
            hand
            for hand in combinations(range(len(cards)), size)
            if any(place < len(self.next_known) for place in hand)
        )
        return max((self.key(tuple(cards[p] for p in hand)) for hand in hands), default=0)


def _faces(view: Any, slots: Sequence[int], visible: int) -> Faces:
    return tuple(view.faces[slot] if visible >> slot & 1 else UNKNOWN for slot in slots)
