"""The deal of one hand as a state machine: bytes go in, cards come out when they are due.

Law: a `Deal` holds public data only and is the same at every node; it knows seats, slots and
proofs, and must never know a game, a socket or a clock. What one seat alone knows lives in
`DealSecrets`, made from that seat's 32-octet seed; everything a seat sends is a function of its
seed and of public data, so that `check_reveal` can derive every octet again (`DEAL.md`).

    phase     body of each seat                                       checked by
    --------  ------------------------------------------------------  -------------
    COMMIT    hash of the seed, hash of the public key                check_commit
    KEY       public key and proof that its secret is known           check_key
    SHUFFLE   output deck and proof, one seat after the other         check_shuffle
    READY     decryption shares for the slots that the engine names   check_shares
              some slots permuted and encrypted anew, with a proof    check_reseal
    REVEALED  the seed                                                check_reveal

`check_*` raises `ProofError` (the author's fault) and changes nothing; `with_*` returns the next
Deal. Seats are indices into the roster. Asking for what the phase doesn't allow is our own bug:
`LocalProtocolError`.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from engine.cards import Deck as CardDeck
from protocol.contribution import Place
from protocol.errors import LocalProtocolError
from protocol.group import Group, Point, ProofError
from protocol.hashing import (
    SEED_SIZE,
    VERSION,
    card_points,
    encode_list,
    generators,
    hash_parts,
    second_generator,
    u64le,
)
from protocol.keyproof import KeyPair, KeyStatement, hand_key, joint_key, prove_key, verify_key
from protocol.shares import decode_shares, make_shares, open_card, shares_size, verify_shares
from protocol.shuffle import (
    Deck,
    decode_shuffle_body,
    encode_shuffle_body,
    shuffle,
    start_deck,
    verify_shuffle,
)

COMMIT_SIZE = 64
Slots = tuple[int, ...]


class Phase(enum.Enum):
    """How far the deal is; each member's meaning stands in the module's table."""

    COMMIT = enum.auto()
    KEY = enum.auto()
    SHUFFLE = enum.auto()
    READY = enum.auto()
    REVEALED = enum.auto()


@dataclass(frozen=True, slots=True)
class Terms:
    """What a hand's deal is bound to: everything of it is hashed into every proof.

    `roster` holds all seats' identity keys; `seats` those that take part, in the order in which
    they shuffle; slot i of the dealt deck is position (i + cut) mod deck.size of the last shuffle.
    """

    match: bytes
    roster: tuple[bytes, ...]
    hand: int
    seats: tuple[int, ...]
    deck: CardDeck
    cut: int


class Act(enum.Enum):
    """What a seat did to the deck with its key; the value is hashed into the context."""

    SHUFFLE = b"shuffle"
    SHARES = b"shares"
    RESEAL = b"reseal"


@dataclass(frozen=True, slots=True)
class Sent:
    """What one seat did to `deck`, kept so that its seed can derive the octets again.

    `slots` are all slots of `deck` in order, for a reseal and for shares the ones concerned.
    """

    seat: int
    act: Act
    ctx: bytes
    slots: tuple[int, ...]
    deck: Deck
    body: bytes


@dataclass(frozen=True, slots=True)
class Opened:
    """What a revealed seed tells: the seat's shuffle, and its reseals in their order.

    Output i of each is its input permutation[i].
    """

    permutation: tuple[int, ...]
    reseals: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Deal:
    """The public state of one hand's deal."""

    group: Group
    terms: Terms
    phase: Phase = Phase.COMMIT
    head: bytes = b""
    """The chain value on which the commitments stand."""
    commits: Mapping[int, bytes] = field(default_factory=dict)
    key_head: bytes = b""
    key_bodies: Mapping[int, bytes] = field(default_factory=dict)
    keys: Mapping[int, Point] = field(default_factory=dict)
    joint: Point | None = None
    deck: Deck | None = None
    """The deck as last shuffled; in READY its position i is slot i."""
    shuffled: int = 0
    """How many seats have shuffled."""
    shares: Mapping[int, Mapping[int, Point]] = field(default_factory=dict)
    """slot -> seat -> share of the slot's ciphertext."""
    shown: Mapping[int, int] = field(default_factory=dict)
    """slot -> the one seat that it was shown to."""
    sent: tuple[Sent, ...] = ()

    # -- commitments and keys -------------------------------------------------------------

    def check_commit(self, body: bytes) -> None:
        """A commitment is 64 octets; what they commit to shows later."""
        self._expect(Phase.COMMIT)
        if len(body) != COMMIT_SIZE:
            raise ProofError(f"a commitment has {COMMIT_SIZE} octets, not {len(body)}")

    def with_commits(self, bodies: Mapping[int, bytes], place: Place) -> Deal:
        """All seats have committed at `place`."""
        self._expect(Phase.COMMIT)
        return replace(self, phase=Phase.KEY, commits=dict(bodies), head=place.head)

    def check_key(self, seat: int, body: bytes, place: Place) -> Point:
        """An opened key: as committed, not the identity, its secret known to its author."""
        self._expect(Phase.KEY)
        public = verify_key(self.group, self._key_statement(seat, place.head), body)
        encoded = body[:32]
        if key_hash(self.terms, seat, self.head, encoded) != self.commits[seat][32:]:
            raise ProofError("the opened key is not the one that was committed to")
        return public

    def with_keys(self, bodies: Mapping[int, bytes], keys: Mapping[int, Point], at: Place) -> Deal:
        """All seats have opened their keys: the deck starts under their sum."""
        self._expect(Phase.KEY)
        joint = joint_key(self.group, [keys[seat] for seat in self.terms.seats])
        deck = self.terms.deck
        points = card_points(self.group, deck.kind.name, deck.size)
        return replace(
            self,
            phase=Phase.SHUFFLE,
            key_head=at.head,
            key_bodies=dict(bodies),
            keys=dict(keys),
            joint=joint,
            deck=start_deck(self.group, points, joint),
        )

    # -- shuffles -------------------------------------------------------------------------

    @property
    def shuffler(self) -> int:
        """The seat whose shuffle is due."""
        self._expect(Phase.SHUFFLE)
        return self.terms.seats[self.shuffled]

    def check_shuffle(self, body: bytes, place: Place, *, later: bool = False) -> Deck:
        """The shuffled deck, once its proof holds: the due seat permuted and re-encrypted.

        `later`: the caller will have `check_reveal` derive these octets from the seat's seed. The
        prover's formulas give nothing but valid proofs, so that settles it, and it is needed
        anyway; the proof is only read here.
        """
        if later:
            return decode_shuffle_body(self.group, body, self.terms.deck.size)[0]
        ctx = self._ctx(self.shuffler, place, Act.SHUFFLE)
        return verify_shuffle(self.group, ctx, self._joint(), self._deck(), body)

    def with_shuffle(self, body: bytes, output: Deck, place: Place) -> Deal:
        """The due seat has shuffled; after the last one the deck is cut and lies ready."""
        seat = self.shuffler
        ctx = self._ctx(seat, place, Act.SHUFFLE)
        everything = tuple(range(self.terms.deck.size))
        sent = (*self.sent, Sent(seat, Act.SHUFFLE, ctx, everything, self._deck(), body))
        count = self.shuffled + 1
        if count < len(self.terms.seats):
            return replace(self, deck=output, shuffled=count, sent=sent)
        k = self.terms.cut
        dealt = Deck(output.cards[k:] + output.cards[:k])
        return replace(self, phase=Phase.READY, deck=dealt, shuffled=count, sent=sent)

    # -- shares ---------------------------------------------------------------------------

    def owed(self, seat: int, show: Iterable[tuple[int, int]], open_: Iterable[int]) -> list[int]:
        """The slots, ascending, for which `seat` still owes a share.

        `show` holds (slot, receiver) pairs, `open_` slots to open. One ciphertext is shown to one
        seat at most (a second one needs a reseal first), and only to a seat of this hand, without
        whose own share it would be open to everybody: LocalProtocolError.
        """
        self._expect(Phase.READY)
        receivers = dict(self.shown)
        wanted = set(open_)
        for slot, to in show:
            if to not in self.terms.seats:
                raise LocalProtocolError(f"slot {slot} would be shown to a seat without a key")
            if receivers.setdefault(slot, to) != to:
                raise LocalProtocolError(f"slot {slot} would be shown to two seats")
            if to != seat:
                wanted.add(slot)
        if not wanted <= set(range(self.terms.deck.size)):
            raise LocalProtocolError("a card is asked for that isn't in the deck")
        if seat not in self.terms.seats:
            return []
        return sorted(slot for slot in wanted if seat not in self.shares.get(slot, ()))

    def check_shares(
        self,
        seat: int,
        slots: Sequence[int],
        body: bytes,
        place: Place,
        *,
        later: bool = False,
    ) -> tuple[Point, ...]:
        """The shares of `seat` for exactly `slots`, once their proof holds; `later` as for
        `check_shuffle`."""
        self._expect(Phase.READY)
        if not slots:
            if body:
                raise ProofError("shares were given although none are due")
            return ()
        if len(body) != shares_size(len(slots)):
            raise ProofError(f"shares for {len(slots)} cards are due, these octets are not that")
        if later:
            return decode_shares(self.group, body, len(slots))
        ctx = self._ctx(seat, place, Act.SHARES, slots)
        return verify_shares(self.group, ctx, self.keys[seat], self._firsts(slots), body)

    def with_shares(
        self, seat: int, slots: Sequence[int], body: bytes, points: Sequence[Point], place: Place
    ) -> Deal:
        """`seat` has given its shares for `slots`."""
        self._expect(Phase.READY)
        if not slots:
            return self
        shares = dict(self.shares)
        for slot, point in zip(slots, points, strict=True):
            shares[slot] = {**shares.get(slot, {}), seat: point}
        ctx = self._ctx(seat, place, Act.SHARES, slots)
        sent = (*self.sent, Sent(seat, Act.SHARES, ctx, tuple(slots), self._deck(), body))
        return replace(self, shares=shares, sent=sent)

    def with_shown(self, show: Iterable[tuple[int, int]]) -> Deal:
        """Those slots have now been shown to those seats."""
        return replace(self, shown={**self.shown, **dict(show)})

    def card(self, slot: int, own: Mapping[int, Point] | None = None) -> int:
        """The physical card in `slot`, all of whose shares are out or in `own` (seat -> share)."""
        self._expect(Phase.READY)
        known = {**self.shares.get(slot, {}), **(own or {})}
        if set(known) != set(self.terms.seats):
            raise LocalProtocolError(f"slot {slot} can't be opened: shares are missing")
        ciphertext = self._deck().cards[slot]
        point = open_card(self.group, ciphertext.b, list(known.values()))
        deck = self.terms.deck
        table = _card_table(self.group, deck.kind.name, deck.size)
        physical = table.get(self.group.encode(point))
        if physical is None:  # every shuffle and every share was proved: only a bug leads here
            raise LocalProtocolError(f"slot {slot} opened to a point that is no card")
        return physical

    # -- reseals --------------------------------------------------------------------------

    def check_reseal(
        self,
        seat: int,
        slots: Sequence[int],
        body: bytes,
        place: Place,
        *,
        later: bool = False,
    ) -> Deck:
        """The new ciphertexts of `slots`, once the proof holds that `seat` only permuted and
        re-encrypted those that lay there; `later` as for `check_shuffle`."""
        self._expect(Phase.READY)
        if later:
            return decode_shuffle_body(self.group, body, len(slots))[0]
        ctx = self._ctx(seat, place, Act.RESEAL, slots)
        return verify_shuffle(self.group, ctx, self._joint(), self._part(slots), body)

    def with_reseal(
        self, seat: int, slots: Sequence[int], body: bytes, output: Deck, place: Place
    ) -> Deal:
        """`seat` has resealed `slots`: what was shown or shared of them is void."""
        self._expect(Phase.READY)
        ctx = self._ctx(seat, place, Act.RESEAL, slots)
        sent = (*self.sent, Sent(seat, Act.RESEAL, ctx, tuple(slots), self._part(slots), body))
        cards = list(self._deck().cards)
        for slot, card in zip(slots, output.cards, strict=True):
            cards[slot] = card
        gone = set(slots)
        return replace(
            self,
            deck=Deck(tuple(cards)),
            shares={s: given for s, given in self.shares.items() if s not in gone},
            shown={s: to for s, to in self.shown.items() if s not in gone},
            sent=sent,
        )

    # -- the audit at the end of the hand ---------------------------------------------------

    def check_reveal(self, seat: int, seed: bytes) -> Opened:
        """How `seat` permuted cards, once its seed derives every octet that it has sent."""
        if self.phase not in (Phase.READY, Phase.REVEALED):
            raise LocalProtocolError("a seed is revealed after the deal, not before")
        if len(seed) != SEED_SIZE:
            raise ProofError(f"a seed has {SEED_SIZE} octets, not {len(seed)}")
        if seed_hash(self.terms, seat, self.head, seed) != self.commits[seat][:32]:
            raise ProofError("the revealed seed is not the one that was committed to")
        key = DealSecrets(seed, seat).key(self.group, self.terms, self.head)
        statement = self._key_statement(seat, self.key_head)
        if prove_key(self.group, seed, statement, key) != self.key_bodies[seat]:
            raise ProofError("the opened key was not derived from the revealed seed")
        permutations: list[tuple[int, ...]] = []
        for sent in self.sent:
            if sent.seat != seat:
                continue
            if sent.act is Act.SHARES:
                firsts = [sent.deck[slot].a for slot in sent.slots]
                body = make_shares(self.group, seed, sent.ctx, key, firsts)
            else:
                done = shuffle(self.group, seed, sent.ctx, self._joint(), sent.deck)
                permutations.append(done.permutation)
                body = encode_shuffle_body(done)
            if body != sent.body:
                raise ProofError(f"the {sent.act.name.lower()} was not derived from its seed")
        if not permutations:
            raise LocalProtocolError(f"seat {seat} has not shuffled")
        return Opened(permutations[0], tuple(permutations[1:]))

    def reseals(self, opened: Mapping[int, Opened]) -> tuple[tuple[Slots, Slots], ...]:
        """The reseals of the hand in their order: (slots, permutation); what lies in slots[i]
        afterwards lay in slots[permutation[i]] before."""
        left = {seat: list(what.reseals) for seat, what in opened.items()}
        return tuple(
            (sent.slots, left[sent.seat].pop(0)) for sent in self.sent if sent.act is Act.RESEAL
        )

    def order(self, opened: Mapping[int, Opened]) -> tuple[int, ...]:
        """The physical card of every slot as it was dealt, from the secrets of all seats.

        Output i of a shuffle is its input permutation[i], the start deck is in order.
        """
        cards = tuple(range(self.terms.deck.size))
        for seat in self.terms.seats:
            cards = tuple(cards[j] for j in opened[seat].permutation)
        k = self.terms.cut
        return cards[k:] + cards[:k]

    def revealed(self) -> Deal:
        """All seeds are out."""
        return replace(self, phase=Phase.REVEALED)

    # -- shared with DealSecrets --------------------------------------------------------------

    def _expect(self, phase: Phase) -> None:
        if self.phase is not phase:
            raise LocalProtocolError(f"the deal is at {self.phase.name}, not at {phase.name}")

    def _joint(self) -> Point:
        if self.joint is None:
            raise LocalProtocolError("the keys have not been opened yet")
        return self.joint

    def _deck(self) -> Deck:
        if self.deck is None:
            raise LocalProtocolError("the keys have not been opened yet")
        return self.deck

    def _firsts(self, slots: Sequence[int]) -> list[Point]:
        deck = self._deck()
        return [deck[slot].a for slot in slots]

    def _key_statement(self, seat: int, head: bytes) -> KeyStatement:
        commits = tuple(self.commits[s] for s in self.terms.seats)
        return KeyStatement(
            self.terms.match, self.terms.roster, self.terms.hand, seat, commits, head
        )

    def _part(self, slots: Sequence[int]) -> Deck:
        deck = self._deck()
        return Deck(tuple(deck[slot] for slot in slots))

    def _ctx(self, seat: int, place: Place, act: Act, slots: Sequence[int] = ()) -> bytes:
        """H(version, match, roster, hand, step, seat, all hand keys, log head, act, slots)."""
        return hash_parts(
            "ctx",
            VERSION,
            self.terms.match,
            encode_list(self.terms.roster),
            u64le(self.terms.hand),
            u64le(place.step),
            u64le(seat),
            encode_list([self.key_bodies[s][:32] for s in self.terms.seats]),
            place.head,
            act.value,
            encode_list([u64le(slot) for slot in slots]),
        )


@dataclass(frozen=True, slots=True)
class DealSecrets:
    """One seat's side of a deal: everything that follows from its seed. Never shared."""

    seed: bytes = field(repr=False)
    seat: int

    def key(self, group: Group, terms: Terms, head: bytes) -> KeyPair:
        """The hand's key; `head` is the chain value on which the commitments stand."""
        return hand_key(group, self.seed, terms.match, terms.hand, self.seat, head)

    def commit(self, group: Group, terms: Terms, head: bytes) -> bytes:
        """The body of COMMIT: both hashes name match, hand, seat and head, so a copy is useless."""
        public = self.key(group, terms, head).encoded
        return seed_hash(terms, self.seat, head, self.seed) + key_hash(
            terms, self.seat, head, public
        )

    def open_key(self, deal: Deal, place: Place) -> bytes:
        """The body of KEY."""
        key = self.key(deal.group, deal.terms, deal.head)
        return prove_key(deal.group, self.seed, deal._key_statement(self.seat, place.head), key)

    def shuffle(self, deal: Deal, place: Place) -> bytes:
        """The body of SHUFFLE, when it is this seat's turn."""
        if deal.shuffler != self.seat:
            raise LocalProtocolError("it is another seat's turn to shuffle")
        ctx = deal._ctx(self.seat, place, Act.SHUFFLE)
        done = shuffle(deal.group, self.seed, ctx, deal._joint(), deal._deck())
        return encode_shuffle_body(done)

    def reseal(self, deal: Deal, slots: Sequence[int], place: Place) -> bytes:
        """The body of RESEAL for slots that the engine asks this seat to reseal now."""
        ctx = deal._ctx(self.seat, place, Act.RESEAL, slots)
        done = shuffle(deal.group, self.seed, ctx, deal._joint(), deal._part(slots))
        return encode_shuffle_body(done)

    def moved(self, deal: Deal, sent: Sent) -> tuple[int, ...]:
        """How this seat permuted in a reseal of its own."""
        return shuffle(deal.group, self.seed, sent.ctx, deal._joint(), sent.deck).permutation

    def shares(self, deal: Deal, slots: Sequence[int], place: Place) -> bytes:
        """The shares for `slots`, which the caller must have from `Deal.owed`; b"" for none."""
        if not slots:
            return b""
        key = self.key(deal.group, deal.terms, deal.head)
        ctx = deal._ctx(self.seat, place, Act.SHARES, slots)
        return make_shares(deal.group, self.seed, ctx, key, deal._firsts(slots))

    def see(self, deal: Deal, slots: Sequence[int]) -> dict[int, int]:
        """The physical cards in slots that were shown to this seat: slot -> card."""
        key = self.key(deal.group, deal.terms, deal.head)
        seen: dict[int, int] = {}
        for slot in slots:
            if deal.shown.get(slot) != self.seat:
                raise LocalProtocolError(f"slot {slot} was not shown to seat {self.seat}")
            own = deal.group.mul(key.secret, deal._firsts([slot])[0])
            seen[slot] = deal.card(slot, {self.seat: own})
        return seen


def seed_hash(terms: Terms, seat: int, head: bytes, seed: bytes) -> bytes:
    """H("commit-seed", version, match, hand, seat, head, seed), its first 32 octets."""
    return _commitment("commit-seed", terms, seat, head, seed)


def key_hash(terms: Terms, seat: int, head: bytes, public: bytes) -> bytes:
    """H("commit-key", version, match, hand, seat, head, X), its first 32 octets."""
    return _commitment("commit-key", terms, seat, head, public)


def _commitment(tag: str, terms: Terms, seat: int, head: bytes, value: bytes) -> bytes:
    parts = (VERSION, terms.match, u64le(terms.hand), u64le(seat), head, value)
    return hash_parts(tag, *parts)[:32]


def warm_up(group: Group, deck: CardDeck) -> None:
    """Compute what every deal of `deck` needs and no deal changes, so that the first one doesn't
    wait for it: generators, card points, tables of the group."""
    second_generator(group)
    generators(group, deck.size)
    _card_table(group, deck.kind.name, deck.size)
    group.mul_base(1)


_tables: dict[tuple[str, str, int], dict[bytes, int]] = {}


def _card_table(group: Group, kind: str, size: int) -> dict[bytes, int]:
    """Encoded card point -> physical card; the same for every backend, built once a process."""
    table = _tables.get((group.backend, kind, size))
    if table is None:
        encoded = group.encode_many(card_points(group, kind, size))
        table = {data: physical for physical, data in enumerate(encoded)}
        _tables[group.backend, kind, size] = table
    return table
