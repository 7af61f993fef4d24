"""Wrong bodies for every kind of contribution, for the tests that send them.

What is wrong with a proof is made with the prover's own formulas on false claims, so that only
the check in question can find it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

from engine.contract import Move, State
from engine.games.petrangola_moves import KNOCK, KNOCK_SHOW, Exchange
from protocol.contribution import Entry, Kind
from protocol.deal import Act, DealSecrets
from protocol.encoding import Value, array, octets, pack, unpack
from protocol.group import Q, encode_scalar
from protocol.keyproof import prove_key
from protocol.player import Player
from protocol.position import Position
from protocol.rounds import following, pack_move
from protocol.shares import make_shares
from protocol.shuffle import (
    Deck,
    Witness,
    apply_witness,
    derive_nonces,
    derive_witness,
    encode_proof,
    make_deck,
    prove,
)
from protocol.table import YourMove
from tests.protocol.ring import Ring

OTHER = bytes(range(7, 39))
"""A seed that no seat committed to."""
Change = Callable[[Ring, Position, Entry], bytes | None]
"""The wrong body that replaces the right one, None to wait for another chance."""


# -- wrong bodies -----------------------------------------------------------------------------


def seed(ring: Ring, at: Position, seat: int) -> bytes:
    """The seat's own seed of this hand."""
    name = at.header.match + at.dealt().terms.hand.to_bytes(8, "big")
    return ring.journals[seat].seed(name)


def constant(body: bytes) -> Change:
    return lambda ring, at, entry: body


def flipped(offset: int) -> Change:
    """The right body with the low bit of one octet changed."""

    def change(ring: Ring, at: Position, entry: Entry) -> bytes:
        body = bytearray(entry.contribution.body)
        body[offset] ^= 1
        return bytes(body)

    return change


def shorter(ring: Ring, at: Position, entry: Entry) -> bytes:
    return entry.contribution.body[:-1]


def longer(ring: Ring, at: Position, entry: Entry) -> bytes:
    return entry.contribution.body + b"\x00"


def other_key(ring: Ring, at: Position, entry: Entry) -> bytes:
    """A key with a right proof that isn't the one committed to."""
    return DealSecrets(OTHER, entry.contribution.seat).open_key(at.dealt(), at.place)


def rogue_key(ring: Ring, at: Position, entry: Entry) -> bytes:
    """The key that would make the joint key the cheat's own: chosen minus all the others'."""
    deal, seat = at.dealt(), entry.contribution.seat
    chosen = ring.group.mul_base(5)
    others = [
        DealSecrets(seed(ring, at, s), s).key(deal.group, deal.terms, deal.head).public
        for s in deal.terms.seats
        if s != seat
    ]
    rogue = ring.group.encode(ring.group.sub(chosen, ring.group.sum(others)))
    return rogue + entry.contribution.body[32:]


def borrowed(ring: Ring, at: Position, entry: Entry) -> bytes:
    """Another seat's body, octet for octet."""
    seat = entry.contribution.seat
    other = next(s for s in at.dealt().terms.seats if s != seat)
    made = ring.players[other]._deal_body(at, entry.contribution.kind)
    if made == entry.contribution.body:
        raise AssertionError("two seats with equal bodies")
    return made


Claim = Callable[[Ring, Position, Witness, Deck], tuple[Deck, Witness]]


def shuffle_of(claim: Claim) -> Change:
    """A shuffle whose proof is made, by the prover's formulas, for another deck or witness."""

    def change(ring: Ring, at: Position, entry: Entry) -> bytes:
        deal, group = at.dealt(), ring.group
        seat, before, pk = entry.contribution.seat, deal._deck(), deal._joint()
        ctx = deal._ctx(seat, at.place, Act.SHUFFLE)
        witness = derive_witness(group, OTHER, ctx, pk, before)
        after = apply_witness(group, pk, before, witness)
        deck, claimed = claim(ring, at, witness, after)
        n = len(before)
        proof = prove(
            group,
            ctx,
            pk,
            (before, deck),
            claimed,
            rc=range(1, n + 1),
            nonces=lambda s: derive_nonces(OTHER, s, n),
        )
        return deck.encoded + encode_proof(group, proof)

    return change


def doubled(ring: Ring, at: Position, witness: Witness, deck: Deck) -> tuple[Deck, Witness]:
    return Deck((deck.cards[1], *deck.cards[1:])), witness


def doubled_and_masked(
    ring: Ring, at: Position, witness: Witness, deck: Deck
) -> tuple[Deck, Witness]:
    """One card twice under fresh masks, and the claim to match: not a permutation."""
    pi = (witness.permutation[1], *witness.permutation[1:])
    claimed = Witness(pi, witness.masks)
    return apply_witness(ring.group, at.dealt()._joint(), at.dealt()._deck(), claimed), claimed


def replaced(ring: Ring, at: Position, witness: Witness, deck: Deck) -> tuple[Deck, Witness]:
    """A fresh, well-formed encryption of a card of the cheat's choice in slot 0."""
    group, pk = ring.group, at.dealt()._joint()
    card = group.sub(at.dealt()._deck()[3].b, pk)
    pairs = [(c.a, c.b) for c in deck.cards]
    pairs[0] = (group.mul_base(9), group.add(card, group.mul(9, pk)))
    return make_deck(group, pairs), witness


def nudged(ring: Ring, at: Position, witness: Witness, deck: Deck) -> tuple[Deck, Witness]:
    """One ciphertext opens to another point."""
    pairs = [(c.a, c.b) for c in deck.cards]
    pairs[5] = (pairs[5][0], ring.group.add(pairs[5][1], ring.group.generator))
    return make_deck(ring.group, pairs), witness


def swapped(ring: Ring, at: Position, witness: Witness, deck: Deck) -> tuple[Deck, Witness]:
    """Two output cards change places after the proof was made for them."""
    return Deck((deck.cards[1], deck.cards[0], *deck.cards[2:])), witness


def dropped_card(ring: Ring, at: Position, entry: Entry) -> bytes:
    """A deck of one card fewer, proof and all."""
    deal, seat = at.dealt(), entry.contribution.seat
    short = dataclasses.replace(deal, deck=Deck(deal._deck().cards[1:]))
    return DealSecrets(OTHER, seat).shuffle(short, at.place)


def unshuffled(ring: Ring, at: Position, entry: Entry) -> bytes:
    """The input deck under the proof of the output."""
    deck = at.dealt()._deck().encoded
    return deck + entry.contribution.body[len(deck) :]


def slots_due(at: Position, seat: int) -> list[int]:
    turn = at.state.turn()
    return at.owed(seat, turn)  # type: ignore[arg-type] # shares are due, so it is Cards


def shares_with(at: Position, seat: int, seed: bytes, slots: list[int], claim: list[int]) -> bytes:
    """Shares of `slots` under the key of `seed`, in the context of `claim`."""
    deal = at.dealt()
    key = DealSecrets(seed, seat).key(deal.group, deal.terms, deal.head)
    ctx = deal._ctx(seat, at.place, Act.SHARES, claim)
    return make_shares(deal.group, seed, ctx, key, deal._firsts(slots))


def wrong_key_shares(ring: Ring, at: Position, entry: Entry) -> bytes:
    seat = entry.contribution.seat
    slots = slots_due(at, seat)
    return shares_with(at, seat, OTHER, slots, slots)


def other_slots(ring: Ring, at: Position, entry: Entry) -> bytes:
    """Right shares of as many other slots, proved for those that are due."""
    seat = entry.contribution.seat
    slots = slots_due(at, seat)
    return shares_with(at, seat, seed(ring, at, seat), [s + 12 for s in slots], slots)


def other_context(ring: Ring, at: Position, entry: Entry) -> bytes:
    """Right shares whose proof names another list of slots."""
    seat = entry.contribution.seat
    slots = slots_due(at, seat)
    return shares_with(at, seat, seed(ring, at, seat), slots, [s + 1 for s in slots])


def one_share_more(ring: Ring, at: Position, entry: Entry) -> bytes:
    seat = entry.contribution.seat
    slots = [*slots_due(at, seat), 39]
    return shares_with(at, seat, seed(ring, at, seat), slots, slots)


def changed_share(ring: Ring, at: Position, entry: Entry) -> bytes:
    """The first share plus G."""
    body = entry.contribution.body
    group = ring.group
    return group.encode(group.add(group.decode(body[:32]), group.generator)) + body[32:]


def changed_response(ring: Ring, at: Position, entry: Entry) -> bytes:
    body = entry.contribution.body
    return body[:-32] + encode_scalar((int.from_bytes(body[-32:], "little") + 1) % Q)


def first_turn(at: Position) -> bool:
    return at.state.faces != b"" and len(at.moves) == 2


def knock_show(ring: Ring, at: Position, entry: Entry) -> bytes | None:
    """A petrangola is shown that isn't one, with right shares for the hand."""
    seat = entry.contribution.seat
    view = ring.players[seat].view(at)
    if not first_turn(at) or KNOCK_SHOW in view.legal():
        return None
    _, slots = following(at, KNOCK_SHOW)
    shares = shares_with(at, seat, seed(ring, at, seat), slots, slots)
    return pack((at.game.encode(KNOCK_SHOW), shares))


def split_move(body: bytes) -> tuple[Value, bytes]:
    encoded, shares = array(unpack(body, limit=60_000), "move", 2)
    return encoded, octets(shares, "shares", 0, 60_000)


def move(encoded: Value, *, after: int) -> Change:
    """Another move, with the shares of the right one, once `after` moves of the hand are made."""

    def change(ring: Ring, at: Position, entry: Entry) -> bytes | None:
        if len(at.moves) != after:
            return None
        return pack((encoded, split_move(entry.contribution.body)[1]))

    return change


def shares_of_move(alter: Callable[[bytes], bytes], *, after: int, due: bool) -> Change:
    """The right move with other shares."""

    def change(ring: Ring, at: Position, entry: Entry) -> bytes | None:
        encoded, shares = split_move(entry.contribution.body)
        if len(at.moves) != after or bool(shares) != due:
            return None
        return pack((encoded, alter(shares)))

    return change


def packed(alter: Callable[[list[Value]], None]) -> Change:
    """A body of packed values of which one was altered."""

    def change(ring: Ring, at: Position, entry: Entry) -> bytes:
        values = list(array(unpack(entry.contribution.body, limit=60_000), "values", 2, 3))
        alter(values)
        return pack(tuple(values))

    return change


def richer(values: list[Value]) -> None:
    first, *others = array(values[1], "scores", 2, 64)
    values[1] = (first, *others[:-1], 9)


def another_hand(values: list[Value]) -> None:
    values[0] = 2


def another_state(values: list[Value]) -> None:
    values[-1] = bytes(32)


def another_winner(values: list[Value]) -> None:
    values[0] = ((0,), *array(values[0], "result", 5)[1:])


def exchanged(shares: bytes) -> bytes:
    """The first two shares in the other order."""
    return shares[32:64] + shares[:32] + shares[64:]


def none(shares: bytes) -> bytes:
    return b""


def some(shares: bytes) -> bytes:
    return bytes(128)


CHEATS: list[tuple[str, Kind, Change, str]] = [
    ("flip commitment cut", Kind.FLIP_COMMIT, shorter, "malformed"),
    ("flip opened otherwise", Kind.FLIP_REVEAL, constant(OTHER), "proof"),
    ("flip secret cut", Kind.FLIP_REVEAL, shorter, "proof"),
    ("a move of another phase", Kind.MOVE, move(("stay",), after=0), "illegal-move"),
    ("a cut behind the deck", Kind.MOVE, move(("cut", 40), after=0), "illegal-move"),
    ("no move at all", Kind.MOVE, constant(b"\x00"), "malformed"),
    ("a move of no game", Kind.MOVE, move(("win",), after=0), "malformed"),
    ("a cut with shares", Kind.MOVE, shares_of_move(some, after=0, due=False), "proof"),
    ("commitment cut", Kind.COMMIT, shorter, "proof"),
    ("key not committed to", Kind.KEY, other_key, "proof"),
    ("rogue key", Kind.KEY, rogue_key, "proof"),
    ("borrowed key", Kind.KEY, borrowed, "proof"),
    ("key proof changed", Kind.KEY, flipped(64), "proof"),
    ("key proof longer", Kind.KEY, longer, "proof"),
    ("doubled card", Kind.SHUFFLE, shuffle_of(doubled), "proof"),
    ("doubled card, masked: no permutation", Kind.SHUFFLE, shuffle_of(doubled_and_masked), "proof"),
    ("replaced card", Kind.SHUFFLE, shuffle_of(replaced), "proof"),
    ("changed ciphertext", Kind.SHUFFLE, shuffle_of(nudged), "proof"),
    ("swapped after the proof", Kind.SHUFFLE, shuffle_of(swapped), "proof"),
    ("dropped card", Kind.SHUFFLE, dropped_card, "proof"),
    ("deck not shuffled", Kind.SHUFFLE, unshuffled, "proof"),
    ("shuffle proof changed", Kind.SHUFFLE, flipped(-32), "proof"),
    ("shares with another key", Kind.SHARES, wrong_key_shares, "proof"),
    ("shares of other slots", Kind.SHARES, other_slots, "proof"),
    ("proof for another list of slots", Kind.SHARES, other_context, "proof"),
    ("one share more", Kind.SHARES, one_share_more, "proof"),
    ("no shares", Kind.SHARES, constant(b""), "proof"),
    ("borrowed shares", Kind.SHARES, borrowed, "proof"),
    ("a changed share", Kind.SHARES, changed_share, "proof"),
    ("a changed response", Kind.SHARES, changed_response, "proof"),
    ("choice without its shares", Kind.MOVE, shares_of_move(none, after=1, due=True), "proof"),
    ("choice, shares changed", Kind.MOVE, shares_of_move(exchanged, after=1, due=True), "proof"),
    ("a card that isn't there", Kind.MOVE, move(("exchange", (3,), (0,)), after=2), "malformed"),
    ("a cut in the middle of a hand", Kind.MOVE, move(("cut", 3), after=2), "illegal-move"),
    ("knock-show without a petrangola", Kind.MOVE, knock_show, "illegal-move"),
    ("another seed revealed", Kind.REVEAL, constant(OTHER), "proof"),
    ("a seed cut short", Kind.REVEAL, shorter, "proof"),
    ("another seat's seed", Kind.REVEAL, borrowed, "proof"),
    ("better scores", Kind.CHECKPOINT, packed(richer), "checkpoint"),
    ("another hand's number", Kind.CHECKPOINT, packed(another_hand), "checkpoint"),
    ("a checkpoint of another state", Kind.CHECKPOINT, packed(another_state), "checkpoint"),
    ("another winner", Kind.FOOTER, packed(another_winner), "footer"),
    ("a footer of another state", Kind.FOOTER, packed(another_state), "footer"),
]  # fmt: skip


# -- players that cheat ------------------------------------------------------------------------


class Liar(Player):
    """Knocks as if it held no petrangola: what its own cards forbid doesn't stop it."""

    def _decision(self, position: Position, kind: Kind, move: Move) -> bytes:
        if move != KNOCK:
            return super()._decision(position, kind, move)
        return pack_move(position, move, b"")


class Shuffler(Player):
    """Shuffles with randomness of its own choice, though its proof is right."""

    def _deal_body(self, position: Position, kind: Kind) -> bytes:
        if kind is not Kind.SHUFFLE:
            return super()._deal_body(position, kind)
        return DealSecrets(OTHER, self.seat).shuffle(position.dealt(), position.place)


class Noncer(Player):
    """Opens its own key with another nonce than its seed gives: a valid proof all the same."""

    def _deal_body(self, position: Position, kind: Kind) -> bytes:
        if kind is not Kind.KEY:
            return super()._deal_body(position, kind)
        deal = position.dealt()
        key = self._secrets(position).key(deal.group, deal.terms, deal.head)
        statement = deal._key_statement(self.seat, position.head)
        return prove_key(deal.group, OTHER, statement, key)


class Sharer(Player):
    """Proves its shares with another nonce than its seed gives."""

    def _deal_body(self, position: Position, kind: Kind) -> bytes:
        if kind is not Kind.SHARES:
            return super()._deal_body(position, kind)
        deal, slots = position.dealt(), slots_due(position, self.seat)
        key = self._secrets(position).key(deal.group, deal.terms, deal.head)
        ctx = deal._ctx(self.seat, position.place, Act.SHARES, slots)
        return make_shares(deal.group, OTHER, ctx, key, deal._firsts(slots))


class Committer(Player):
    """Commits to its key rightly and to a seed that it doesn't have."""

    def _deal_body(self, position: Position, kind: Kind) -> bytes:
        body = super()._deal_body(position, kind)
        return OTHER + body[32:] if kind is Kind.COMMIT else body


def lie(seat: int, event: YourMove) -> Move | None:
    """Knock without showing whenever the hand is a petrangola."""
    legal = event.view.legal(event.position.chair(seat))
    return KNOCK if KNOCK_SHOW in legal and KNOCK not in legal else None


def hunt(seat: int, event: YourMove) -> Move:
    """Exchange until the hand is a petrangola, then knock without showing.

    No bot has a say in it, so that one seed leads to one course of a match for good.
    """
    legal = event.view.legal(event.position.chair(seat))
    exchanges = [move for move in legal if isinstance(move, Exchange)]
    if KNOCK_SHOW in legal or not exchanges:
        return lie(seat, event) or legal[0]
    good = [m for m in exchanges if KNOCK_SHOW in after(event.view, m).legal()]
    options = good or exchanges
    return options[event.position.step % len(options)]


def steady(seat: int, event: YourMove) -> Move:
    """Exchange one card after the other, and never knock."""
    legal = event.view.legal(event.position.chair(seat))
    exchanges = [move for move in legal if isinstance(move, Exchange)]
    return exchanges[event.position.step % len(exchanges)] if exchanges else legal[0]


def one_hunts(seat: int, event: YourMove) -> Move:
    """Seat 1 hunts in the first hand; everything else is done steadily."""
    hunts = seat == 1 and event.position.state.hand == 1
    return hunt(seat, event) if hunts else steady(seat, event)


def after(view: State, move: Move) -> State:
    """What `view` would be if it were this player's turn again after `move`."""
    state = view.apply(move)
    state = state.with_faces(view.faces)
    state.at, state.phase, state.due = view.at, view.phase, view.due  # type: ignore[attr-defined]
    return state
