"""One seat's private side of a match: what it signs, what it draws, what it sees.

Law: this is the only part of the protocol that holds secrets. It gives away exactly one thing,
the contribution that a Position says is due from this seat; the journal has it on disk before
anybody else can have it. It never decides a move: that comes in as an argument.
"""

from __future__ import annotations

from engine.cards import UNKNOWN
from engine.contract import Answers, Ask, Cards, Decide, Move, State
from protocol import flip as flips
from protocol.contribution import Entry, Kind, Place
from protocol.deal import Act, DealSecrets, Phase, Sent
from protocol.errors import LocalProtocolError
from protocol.identity import Identity
from protocol.journal import Journal
from protocol.position import Position
from protocol.rounds import (
    checkpoint_body,
    following,
    footer_body,
    pack_answer,
    pack_move,
    resealing,
)
from protocol.votes import Vote, vote_place

DECISIONS = (Kind.MOVE, Kind.ANSWER)
"""The kinds for which somebody must choose; every other body follows from what is known."""


class Player:
    """The holder of one seat. `seat` is an index into the header's list."""

    def __init__(self, identity: Identity, seat: int, journal: Journal) -> None:
        """Play `seat` with its key; `journal` is this seat's own, in this match's folder."""
        self.identity = identity
        self.seat = seat
        self._journal = journal
        self._hand = 0
        self._known: dict[int, int] = {}
        self._public = b""
        self._followed = 0
        self.cut_back = False
        """Whether the log was cut back: what takes the place of its end stands on other heads."""

    def is_due(self, position: Position) -> bool:
        """Whether the step needs something from this seat."""
        return position.due is not None and self.seat in position.due.seats

    def must_decide(self, position: Position) -> bool:
        """Whether the step needs a choice from this seat."""
        due = position.due
        return due is not None and due.kind in DECISIONS and self.seat in due.seats

    def signed(self, position: Position) -> Entry | None:
        """What this seat has signed for the due step already, if anything.

        A decision that went to the disk, and perhaps out, before a crash or before the log was cut
        back behind it is not free again.
        """
        before = self._journal.signed_at(position.place)
        return Entry(position.place, before) if before else None

    def all_signed(self, match: bytes) -> list[Entry]:
        """What this seat has signed in a match, oldest first."""
        return [e for e in self._journal.entries(match) if e.contribution.seat == self.seat]

    def look_again(self, position: Position) -> None:
        """The log was cut back to `position`: know what its cards tell and nothing else."""
        self._hand = 0
        self._public = position.state.faces
        self.follow(position)

    def follow(self, position: Position) -> None:
        """Look at the cards that have just been shown to this seat."""
        if position.state.hand != self._hand:
            self._hand = position.state.hand
            self._known = {}
            self._followed = 0
        public, self._public = self._public, position.state.faces
        deal = position.deal
        if deal is None or deal.phase is not Phase.READY or self.seat not in deal.terms.seats:
            return
        for sent in deal.sent[self._followed :]:
            if sent.act is Act.RESEAL:
                self._follow_reseal(position, sent, public)
        self._followed = len(deal.sent)
        new = [s for s, to in deal.shown.items() if to == self.seat and s not in self._known]
        if new:
            cards = self._secrets(position).see(deal, new)
            self._known.update((slot, deal.terms.deck.face(card)) for slot, card in cards.items())

    def _follow_reseal(self, position: Position, sent: Sent, public: bytes) -> None:
        """Only who permuted the cards knows where they are now, those too that lay open, as the
        state before the reseal had them: `public`."""
        before = [self._known.pop(slot, public[slot]) for slot in sent.slots]
        if sent.seat != self.seat:
            return
        moved = self._secrets(position).moved(position.dealt(), sent)
        for slot, source in zip(sent.slots, moved, strict=True):
            if before[source] != UNKNOWN:
                self._known[slot] = before[source]

    def view(self, position: Position) -> State:
        """The state of the game with the cards that this seat sees, and no others."""
        return position.state.informed(self._known if position.deal else {})

    def contribute(self, position: Position, move: Move | None = None) -> Entry:
        """The signed contribution that is due from this seat, already in the journal.

        `move` is needed for a decision and for nothing else. IllegalMove: the rules forbid it to
        whoever sees this seat's cards. LocalProtocolError: nothing is due, or not that.
        """
        due = position.due
        if due is None or self.seat not in due.seats:
            raise LocalProtocolError("nothing is due from this seat")
        if (due.kind in DECISIONS) != (move is not None):
            raise LocalProtocolError(f"a {due.kind} needs a move if and only if it is a decision")
        body = self._body(position, due.kind, move)
        return self._signed(position, position.place, due.kind, body)

    def vote(self, position: Position, vote: Vote) -> Entry:
        """This seat's vote about the step that is due, already in the journal."""
        return self._signed(
            position, vote_place(position.place, vote.attempt), vote.kind, vote.body()
        )

    def _signed(self, position: Position, place: Place, kind: Kind, body: bytes) -> Entry:
        contribution = self._journal.sign(
            self.identity,
            place,
            self.seat,
            kind,
            body,
            position.digest,
            release=position.decided > 0 or self.cut_back,
        )
        return Entry(place, contribution)

    def forget(self, position: Position) -> None:
        """Erase the seed of a void hand: revealed or found, it would open everybody's hand."""
        self._journal.erase_seed(self._hand_id(position))

    def _body(self, position: Position, kind: Kind, move: Move | None) -> bytes:
        if move is not None:
            return self._decision(position, kind, move)
        match kind:
            case Kind.FLIP_COMMIT:
                secret = self._journal.flip_secret(_flip_id(position.header.match, position.head))
                return flips.commitment(position.header.match, self.seat, position.head, secret)
            case Kind.FLIP_REVEAL:
                head = position.flip.head if position.flip else b""
                return self._journal.flip_secret(_flip_id(position.header.match, head))
            case Kind.CHECKPOINT:
                return checkpoint_body(position)
            case Kind.FOOTER:
                return footer_body(position)
        return self._deal_body(position, kind)

    def _deal_body(self, position: Position, kind: Kind) -> bytes:
        secrets, deal = self._secrets(position), position.dealt()
        match kind:
            case Kind.COMMIT:
                return secrets.commit(deal.group, deal.terms, position.head)
            case Kind.KEY:
                return secrets.open_key(deal, position.place)
            case Kind.SHUFFLE:
                return secrets.shuffle(deal, position.place)
            case Kind.SHARES:
                turn = position.state.turn()
                if not isinstance(turn, Cards):
                    raise LocalProtocolError("no cards are asked for")
                return secrets.shares(deal, position.owed(self.seat, turn), position.place)
            case Kind.RESEAL:
                return secrets.reseal(deal, resealing(position).slots, position.place)
            case Kind.REVEAL:
                return secrets.seed
        raise LocalProtocolError(f"a {kind} can't be made")

    def _decision(self, position: Position, kind: Kind, move: Move) -> bytes:
        view = self.view(position)
        turn = view.turn()
        if kind is Kind.ANSWER and isinstance(turn, Ask):
            chair = position.chair(self.seat)
            said = {seat: view.legal(seat)[0] for seat in turn.seats} | {chair: move}
            view.apply(Answers(tuple(said.items())))  # the others' answers are beside the point
            return pack_answer(position, move)
        if not isinstance(turn, Decide):
            raise LocalProtocolError("no move is asked for")
        view.apply(move)  # what this seat sees may forbid what the public cards allow
        _, slots = following(position, move)
        shares = b""
        if slots:
            shares = self._secrets(position).shares(position.dealt(), slots, position.place)
        return pack_move(position, move, shares)

    def _hand_id(self, position: Position) -> bytes:
        return position.header.match + position.dealt().terms.hand.to_bytes(8, "big")

    def _secrets(self, position: Position) -> DealSecrets:
        return DealSecrets(self._journal.seed(self._hand_id(position)), self.seat)


def _flip_id(match: bytes, head: bytes) -> bytes:
    return match + head
