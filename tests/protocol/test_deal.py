"""The deal: who can open what and when (PET-12), and a state machine that gives no card away."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.cards import ITALIAN, Deck
from engine.contract import Move
from engine.games.petrangola import PetrangolaState
from engine.games.petrangola_moves import CAMICIA, STAY
from protocol.contribution import Kind, Place
from protocol.deal import Act, Deal, DealSecrets, Phase, Terms, key_hash, seed_hash
from protocol.encoding import array, unpack
from protocol.errors import LocalProtocolError
from protocol.group import Point, ProofError
from protocol.hashing import card_points
from protocol.log import read_log
from protocol.position import Position
from protocol.table import YourMove
from tests.protocol.groups import FAST, VECTORS, vectors
from tests.protocol.ring import Record, record

DECK = Deck(ITALIAN, 1)


# -- who can open what -------------------------------------------------------------------


def card_table(deal: Deal) -> dict[bytes, int]:
    points = card_points(deal.group, deal.terms.deck.kind.name, deal.terms.deck.size)
    return {deal.group.encode(point): card for card, point in enumerate(points)}


def openings(deal: Deal, slot: int, keys: Mapping[int, int]) -> set[int]:
    """The cards to which `slot` opens for whoever has the log and the secret keys of `keys`.

    Tried without trusting any rule about who holds what: b less every subset of the shares that
    are out or can be computed.
    """
    group, table = deal.group, card_table(deal)
    ciphertext = deal._deck()[slot]
    known: dict[int, Point] = {s: group.mul(k, ciphertext.a) for s, k in keys.items()}
    known.update(deal.shares.get(slot, {}))
    found = set()
    for count in range(len(known) + 1):
        for chosen in itertools.combinations(known.values(), count):
            point = group.sub(ciphertext.b, group.sum(list(chosen)))
            found |= {table[e] for e in [group.encode(point)] if e in table}
    return found


def keys_of(match: Record, at: Position, seats: tuple[int, ...]) -> dict[int, int]:
    """The hand's secret keys of `seats`."""
    deal = at.dealt()
    return {
        seat: DealSecrets(match.seeds[seat, deal.terms.hand], seat)
        .key(deal.group, deal.terms, deal.head)
        .secret
        for seat in seats
    }


def sets_of(seats: tuple[int, ...], sizes: range) -> Iterator[tuple[int, ...]]:
    for size in sizes:
        yield from itertools.combinations(seats, size)


def holder(at: Position, slot: int) -> int | None:
    """The seat in whose hand `slot` lies, hidden from the others."""
    state = at.state
    if not isinstance(state, PetrangolaState):
        raise TypeError("another game")
    for chair in state.players:
        if slot in state.hand_of(chair):
            return at.order[chair]
    return None


def dealt(match: Record) -> list[Position]:
    """Every Position with a deck lying dealt and seeds not yet out."""
    found = [m.after for m in match.moments]
    return [
        p for p in found if p.deal is not None and p.deal.phase is Phase.READY and p.state.faces
    ]


Which = tuple[int, str, Move]


def stays(seat: int, event: YourMove) -> Move | None:
    return STAY if STAY in event.view.legal(event.position.chair(seat)) else None


def swaps(seat: int, event: YourMove) -> Move | None:
    return CAMICIA if stays(seat, event) else None


CHOOSERS = {STAY: stays, CAMICIA: swaps}
MATCHES: list[Which] = [(2, "marche", STAY), (3, "marche", STAY), (3, "pagat", CAMICIA)]
"""(seats, preset, what the dealer chooses)."""


def the(match: Which) -> Record:
    return record(match[0], preset=match[1], chooser=CHOOSERS[match[2]])


@pytest.mark.rule("PET-12")
@pytest.mark.parametrize("which", MATCHES, ids=str)
def test_nobody_can_open_the_dealers_first_hand_before_the_choice(
    which: Which,
) -> None:
    """Not the dealer, no other seat, no spectator, and not all but one of the seats together."""
    match = the(which)
    choice = next(
        m for m in match.moments if m.step.entries[0].kind is Kind.MOVE and len(m.before.moves) == 1
    )
    at = choice.before
    state = at.state
    assert isinstance(state, PetrangolaState)
    hand = state.hand_of(state.dealer)
    assert len(hand) == 3
    seats = at.dealt().terms.seats
    assert at.order[state.dealer] in seats
    for position in [p for p in dealt(match) if p.step <= at.step]:
        for slot in hand:
            for known in sets_of(seats, range(len(seats))):
                assert not openings(position.dealt(), slot, keys_of(match, position, known))
            everybody = keys_of(match, position, seats)
            assert len(openings(position.dealt(), slot, everybody)) == 1  # the test can succeed


@pytest.mark.rule("PET-11", "PET-12")
@pytest.mark.parametrize("which", MATCHES, ids=str)
def test_a_hidden_card_opens_for_its_owner_alone(which: Which) -> None:
    """In every Position of the hand, for every card in a hand that isn't open: no spectator, no
    other seat and not all the other seats together; the owner can once the card was shown."""
    match = the(which)
    tried = 0
    for position in dealt(match):
        deal = position.dealt()
        seats = deal.terms.seats
        for slot in range(3 * len(seats) + 3):
            owner = holder(position, slot)
            if owner is None or position.state.opened >> slot & 1:
                continue
            rest = tuple(seat for seat in seats if seat != owner)
            if deal.shown.get(slot) == owner:
                assert not openings(deal, slot, {})
                assert not openings(deal, slot, keys_of(match, position, rest))
                assert len(openings(deal, slot, keys_of(match, position, (owner,)))) == 1
                tried += 1
            else:
                for known in sets_of(seats, range(len(seats))):
                    assert not openings(deal, slot, keys_of(match, position, known))
    assert tried


@pytest.mark.parametrize("which", MATCHES, ids=str)
def test_the_stock_opens_for_nobody_before_the_reveal(which: Which) -> None:
    match = the(which)
    position = dealt(match)[-1]
    seats = position.dealt().terms.seats
    for slot in (3 * len(seats) + 3, DECK.size - 1):
        for known in sets_of(seats, range(len(seats))):
            assert not openings(position.dealt(), slot, keys_of(match, position, known))


def test_both_choices_of_the_dealer_are_among_these_matches() -> None:
    """What follows `stay` and `camicia` is different, so both must have been tried."""
    made = set()
    for which in MATCHES:
        for moment in the(which).moments:
            c = moment.step.entries[0]
            if c.kind is Kind.MOVE and len(moment.before.moves) == 1:
                encoded, _ = array(unpack(c.body, limit=60_000), "move", 2)
                made.add(moment.before.game.decode(encoded))
    assert made == {STAY, CAMICIA}


def test_after_the_reveal_everybody_knows_every_card() -> None:
    """GEN-03: the deck that the seeds give is the one that was played."""
    match = the((3, "marche", STAY))
    reveal = match.first(Kind.REVEAL)
    deal = reveal.before.dealt()
    told = reveal.after.revealed
    assert told is not None
    assert sorted(told.faces) == list(range(40))
    keys = keys_of(match, reveal.before, deal.terms.seats)
    for slot in range(deal.terms.deck.size):
        (card,) = openings(deal, slot, keys)
        assert deal.terms.deck.face(card) == told.faces[slot]


# -- the state machine -------------------------------------------------------------------


class Hand:
    """A deal of its own, without a game: seats, seeds and a place that moves on."""

    def __init__(self, seats: tuple[int, ...] = (1, 0), cut: int = 7, salt: int = 0) -> None:
        roster = tuple(bytes([i]) * 32 for i in range(3))
        self.terms = Terms(b"m" * 32, roster, 1, seats, DECK, cut)
        self.secrets = {s: DealSecrets(bytes([s + 10 + salt]) * 32, s) for s in seats}
        self.deal = Deal(FAST, self.terms)
        self.step = 3

    @property
    def place(self) -> Place:
        return Place(self.terms.match, bytes([self.step]) * 32, self.step)

    def commit(self) -> Hand:
        bodies = {
            s: own.commit(FAST, self.terms, self.place.head) for s, own in self.secrets.items()
        }
        for body in bodies.values():
            self.deal.check_commit(body)
        self.deal = self.deal.with_commits(bodies, self.place)
        self.step += 1
        return self

    def open_keys(self) -> Hand:
        bodies = {s: own.open_key(self.deal, self.place) for s, own in self.secrets.items()}
        keys = {s: self.deal.check_key(s, body, self.place) for s, body in bodies.items()}
        self.deal = self.deal.with_keys(bodies, keys, self.place)
        self.step += 1
        return self

    def shuffle(self) -> Hand:
        while self.deal.phase is Phase.SHUFFLE:
            body = self.secrets[self.deal.shuffler].shuffle(self.deal, self.place)
            output = self.deal.check_shuffle(body, self.place)
            self.deal = self.deal.with_shuffle(body, output, self.place)
            self.step += 1
        return self

    def share(self, seat: int, slots: list[int]) -> None:
        body = self.secrets[seat].shares(self.deal, slots, self.place)
        points = self.deal.check_shares(seat, slots, body, self.place)
        self.deal = self.deal.with_shares(seat, slots, body, points, self.place)
        self.step += 1


@pytest.fixture(scope="module")
def ready() -> Deal:
    return Hand().commit().open_keys().shuffle().deal


def test_slot_i_is_position_i_plus_cut_of_the_last_shuffle() -> None:
    """PET-06, and the order that the seeds give is the order that opens."""
    hand = Hand(cut=7).commit().open_keys()
    last: list[bytes] = []
    while hand.deal.phase is Phase.SHUFFLE:
        body = hand.secrets[hand.deal.shuffler].shuffle(hand.deal, hand.place)
        output = hand.deal.check_shuffle(body, hand.place)
        last = [card.encoded for card in output.cards]
        hand.deal = hand.deal.with_shuffle(body, output, hand.place)
        hand.step += 1
    deck = hand.deal._deck()
    assert [deck[i].encoded for i in range(40)] == [last[(i + 7) % 40] for i in range(40)]
    opened = {s: hand.deal.check_reveal(s, own.seed) for s, own in hand.secrets.items()}
    order = hand.deal.order(opened)
    assert sorted(order) == list(range(40))
    for seat in (0, 1):
        hand.share(seat, list(range(40)))
    assert tuple(hand.deal.card(slot) for slot in range(40)) == order


def test_every_phase_refuses_what_is_not_due(ready: Deal) -> None:
    hand = Hand()
    place = hand.place
    with pytest.raises(LocalProtocolError):
        hand.deal.check_key(0, b"", place)
    with pytest.raises(LocalProtocolError):
        _ = hand.deal.shuffler
    with pytest.raises(LocalProtocolError):
        hand.deal.owed(0, [], [])
    with pytest.raises(LocalProtocolError):
        hand.deal.check_reveal(0, bytes(32))
    hand.commit()
    with pytest.raises(LocalProtocolError):
        hand.deal.check_commit(bytes(64))
    with pytest.raises(LocalProtocolError):
        hand.secrets[0].shuffle(hand.deal, place)
    hand.open_keys()
    with pytest.raises(LocalProtocolError, match="another seat's turn"):
        hand.secrets[0].shuffle(hand.deal, place)
    for act in (
        lambda: ready.check_commit(bytes(64)),
        lambda: ready.check_key(0, bytes(96), place),
        lambda: ready.check_shuffle(b"", place),
        lambda: ready.revealed().owed(0, [], [1]),
        lambda: ready.revealed().check_shares(0, [1], b"", place),
        lambda: ready.card(0),
    ):
        with pytest.raises(LocalProtocolError):
            act()


def test_who_owes_shares(ready: Deal) -> None:
    """All but the receiver for a card that is shown, all for one that is opened; nobody twice."""
    assert ready.owed(0, [(5, 0), (3, 1)], []) == [3]
    assert ready.owed(1, [(5, 0), (3, 1)], []) == [5]
    assert ready.owed(0, [], [9, 2, 2]) == [2, 9]
    assert ready.owed(2, [(5, 0)], [9]) == []  # has no key in this hand
    given = replace(ready, shares={5: {1: ready.group.generator}})
    assert given.owed(1, [(5, 0)], [5]) == []
    assert given.owed(0, [(5, 0)], [5]) == [5]


@given(
    st.lists(st.tuples(st.integers(0, 39), st.integers(0, 1)), max_size=6),
    st.lists(st.integers(0, 39), max_size=4),
)
@settings(max_examples=50)
def test_a_receiver_never_owes_the_card_it_is_shown(
    ready: Deal, show: list[tuple[int, int]], open_: list[int]
) -> None:
    twice = len({slot for slot, _ in show}) < len(set(show))
    if twice:
        with pytest.raises(LocalProtocolError, match="shown to two seats"):
            ready.owed(0, show, open_)
        return
    for seat in (0, 1):
        owed = ready.owed(seat, show, open_)
        assert owed == sorted({s for s, to in show if to != seat} | set(open_))


def test_shares_are_for_exactly_the_slots_that_are_due(ready: Deal) -> None:
    hand = Hand()
    body = hand.secrets[0].shares(ready, [3], hand.place)
    ready.check_shares(0, [3], body, hand.place)
    with pytest.raises(ProofError, match="none are due"):
        ready.check_shares(0, [], body, hand.place)
    for slots in ([3, 4], [4]):
        with pytest.raises(ProofError):
            ready.check_shares(0, slots, body, hand.place)
    with pytest.raises(ProofError):
        ready.check_shares(1, [3], body, hand.place)
    assert ready.check_shares(0, [], b"", hand.place) == ()
    assert hand.secrets[0].shares(ready, [], hand.place) == b""
    assert ready.with_shares(0, [], b"", [], hand.place) is ready


def test_a_seat_sees_only_what_was_shown_to_it(ready: Deal) -> None:
    hand = Hand()
    body = hand.secrets[1].shares(ready, [4], hand.place)
    points = ready.check_shares(1, [4], body, hand.place)
    deal = ready.with_shares(1, [4], body, points, hand.place).with_shown([(4, 0)])
    assert hand.secrets[0].see(deal, [4]).keys() == {4}
    with pytest.raises(LocalProtocolError, match="not shown to seat 1"):
        hand.secrets[1].see(deal, [4])
    with pytest.raises(LocalProtocolError, match="not shown to seat 0"):
        hand.secrets[0].see(deal, [5])
    with pytest.raises(LocalProtocolError, match="shares are missing"):
        deal.card(4)


def test_a_reseal_voids_what_was_shown_and_shared(ready: Deal) -> None:
    """Nobody can follow a card through it, and every octet of it follows from the seed."""
    hand = Hand()
    hand.deal = ready
    hand.step = 9
    hand.share(1, [4, 5, 6])
    hand.deal = hand.deal.with_shown([(4, 0), (5, 0), (6, 0)])
    before = hand.secrets[0].see(hand.deal, [4, 5, 6])
    slots, place = (4, 5, 6), hand.place
    body = hand.secrets[0].reseal(hand.deal, slots, place)
    output = hand.deal.check_reseal(0, slots, body, place)
    after = hand.deal.with_reseal(0, slots, body, output, place)
    assert not {c.encoded for c in output.cards} & {hand.deal._deck()[s].encoded for s in slots}
    assert [after._deck()[s].encoded for s in (3, 7)] == [ready._deck()[s].encoded for s in (3, 7)]
    assert not set(slots) & (after.shown.keys() | after.shares.keys())
    assert after.owed(1, [(4, 0)], []) == [4]
    moved = hand.secrets[0].moved(after, after.sent[-1])
    hand.deal, hand.step = after, hand.step + 1
    for seat in (0, 1):
        hand.share(seat, list(slots))
    cards = [hand.deal.card(slot) for slot in slots]
    assert cards == [before[slots[source]] for source in moved]
    opened = {s: hand.deal.check_reveal(s, own.seed) for s, own in hand.secrets.items()}
    assert hand.deal.reseals(opened) == ((slots, moved),)
    for wrong in ((4, 5, 7), (5, 4, 6)):
        with pytest.raises(ProofError):
            ready.check_reseal(0, wrong, body, place)
    with pytest.raises(ProofError):
        ready.check_reseal(1, slots, body, place)


def test_a_reveal_answers_for_every_octet(ready: Deal) -> None:
    secrets = Hand().secrets
    assert ready.check_reveal(0, secrets[0].seed)
    with pytest.raises(ProofError, match="32 octets"):
        ready.check_reveal(0, secrets[0].seed[:-1])
    with pytest.raises(ProofError, match="committed to"):
        ready.check_reveal(0, secrets[1].seed)
    wrong_key = replace(ready, key_bodies={**ready.key_bodies, 0: bytes(96)})
    with pytest.raises(ProofError, match="opened key"):
        wrong_key.check_reveal(0, secrets[0].seed)
    for index, sent in enumerate(ready.sent):
        changed = [*ready.sent]
        changed[index] = replace(sent, body=sent.body[:-1] + bytes([sent.body[-1] ^ 1]))
        with pytest.raises(ProofError, match="shuffle"):
            replace(ready, sent=tuple(changed)).check_reveal(sent.seat, secrets[sent.seat].seed)


def test_the_example_of_the_specification() -> None:
    """Its lines are steps of the golden log that it names."""
    log = read_log(VECTORS / "golden" / "petrangola-1-two-seats.busso")
    text = (Path(__file__).parent.parent.parent / "protocol" / "DEAL.md").read_text("utf-8")
    lines = re.findall(r"^ ?(\d+) +((?:\d )+) +([a-z-]+) +(\d+)  \w", text.split("```")[1], re.M)
    assert len(lines) == 14
    for number, seats, kind, size in lines:
        entries = log.steps[int(number) - 1].entries
        assert [c.seat for c in entries] == [int(seat) for seat in seats.split()]
        assert {(str(c.kind), len(c.body)) for c in entries} == {(kind, int(size))}
    assert int(lines[-1][0]) == len(log.steps)


# -- vectors -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["two seats of three", "two decks"])
def test_golden_commitments_and_contexts(name: str) -> None:
    v = next(v for v in vectors("deal/deal.json") if v["name"] == name)
    terms = Terms(
        bytes.fromhex(v["match"]),
        tuple(map(bytes.fromhex, v["roster"])),
        v["hand"],
        tuple(v["seats"]),
        Deck(ITALIAN, v["decks"]),
        v["cut"],
    )
    head, key_head = bytes.fromhex(v["commit_head"]), bytes.fromhex(v["key_head"])
    deal = Deal(FAST, terms)
    bodies = {}
    for seat, one in zip(v["seats"], v["each"], strict=True):
        seed = bytes.fromhex(one["seed"])
        secrets = DealSecrets(seed, seat)
        key = secrets.key(FAST, terms, head)
        assert key.encoded.hex() == one["key"]
        assert seed_hash(terms, seat, head, seed).hex() == one["seed_hash"]
        assert key_hash(terms, seat, head, key.encoded).hex() == one["key_hash"]
        bodies[seat] = secrets.commit(FAST, terms, head)
        assert bodies[seat].hex() == one["seed_hash"] + one["key_hash"]
    deal = deal.with_commits(bodies, Place(terms.match, head, v["commit_step"]))
    place = Place(terms.match, key_head, v["commit_step"] + 1)
    opened = {}
    for seat, one in zip(v["seats"], v["each"], strict=True):
        opened[seat] = DealSecrets(bytes.fromhex(one["seed"]), seat).open_key(deal, place)
        assert opened[seat].hex() == one["key_body"]
    keys = {seat: deal.check_key(seat, body, place) for seat, body in opened.items()}
    deal = deal.with_keys(opened, keys, place)
    assert FAST.encode(deal._joint()).hex() == v["joint_key"]
    for c in v["contexts"]:
        at = Place(terms.match, bytes.fromhex(c["head"]), c["step"])
        act = Act[c["act"].upper()]
        assert deal._ctx(c["seat"], at, act, c["slots"]).hex() == c["ctx"]
