"""Reseals: nobody can open or follow a discard, cheats are named, the audit derives them again.

All over the log of `resealing.VECTOR`, in which 27 cards are discarded, and over a few rings.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cards import UNKNOWN
from engine.contract import Move, Show
from engine.errors import IllegalMove
from engine.games.mambassa_moves import CAMICIA, DECLARE, STAY
from engine.record import read_record, write_record
from engine.replay import check, record_of
from node.inputs import inputs
from protocol.audit import Status, audit_file
from protocol.contribution import Contribution, Entry, Kind
from protocol.deal import Act, DealSecrets
from protocol.errors import Fault, LocalProtocolError
from protocol.evidence_file import Case, Charge, pack_evidence
from protocol.group import Point, ProofError
from protocol.player import Player
from protocol.position import Position
from protocol.rounds import pack_answer, resealing
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
from tests.protocol.groups import FAST
from tests.protocol.resealing import (
    VECTOR,
    Discarded,
    Discarders,
    match,
    openings,
    published,
    resealed_slots,
    reseals_before,
    state_of,
)
from tests.protocol.ring import Ring, identities, resign
from tests.protocol.test_cheating import convicted

MATCH = match()
KEYS = identities(3)
SEATED_OTHERWISE = 4
"""A seed with which who reseals first doesn't play in the order of the keys."""
OTHER = bytes(range(7, 39))
"""A seed that no seat committed to."""
REDRAWN = next(
    (first, later)
    for first in MATCH.discards
    for later in MATCH.discards
    if state_of(later.bottom.before).stock[0] == first.slot and first.seat != later.seat
)
"""A discard, and that of another seat which then drew the card."""
samples = pytest.mark.parametrize("discard", MATCH.discards[::4], ids=lambda d: f"step-{d.count}")


def third(discard: Discarded) -> list[int]:
    return [seat for seat in range(3) if seat != discard.seat]


def while_hidden(discard: Discarded) -> list[Position]:
    """The positions from the reseal on, as long as the discard lies in the stock."""
    found = [discard.reseal.after]
    for moment in MATCH.moments[discard.bottom.step.number - 1 :]:
        position = moment.after
        if position.deal is None or discard.slot not in state_of(position).stock:
            break
        found.append(position)
    return found


# -- who can open and follow ------------------------------------------------------------------


@samples
@pytest.mark.rule("MAM-13", "MAM-14")
def test_the_discard_opens_to_no_other_seat_and_to_no_spectator(discard: Discarded) -> None:
    """One share of each seat from the whole log up to then, or none, and one seat's key."""
    positions = while_hidden(discard)
    assert len(positions) > 5
    last = positions[-1].dealt()
    ciphertext = last._deck()[discard.slot]
    near = [discard.reseal.before.dealt(), *(p.dealt() for p in positions)]
    past = [m.after.dealt() for m in MATCH.moments[: positions[-1].step - 1] if m.after.deal]
    hand = resealed_slots(discard.reseal)
    assert not any(p.dealt().shares.get(discard.slot) for p in positions)
    assert not list(openings(last, ciphertext, published(near, hand), {}))
    for seat in third(discard):
        own = {seat: MATCH.key(last, seat)}
        assert not list(openings(last, ciphertext, published(near, hand), own))
    everything = {s: points[-40:] for s, points in published(past).items()}
    seat = third(discard)[0]
    assert not list(openings(last, ciphertext, everything, {seat: MATCH.key(last, seat)}))
    # The attack is the right one: with the shares of all keys the card does come out.
    keys = {seat: MATCH.key(last, seat) for seat in range(3)}
    card = MATCH.told.moved(discard.count)[discard.slot]
    assert list(openings(last, ciphertext, {}, keys)) == [card]


@samples
@pytest.mark.rule("MAM-14")
def test_the_kept_cards_open_to_their_owner_alone(discard: Discarded) -> None:
    at = next(m for m in MATCH.moments if m.step.number == discard.bottom.step.number + 1).after
    deal, hand = at.dealt(), resealed_slots(discard.reseal)
    faces = MATCH.told.moved(discard.count)
    for slot in (*hand, *at.state.hand_of(at.chair(discard.seat))):  # type: ignore[attr-defined]
        if slot == discard.slot:
            continue
        assert deal.shown[slot] == discard.seat
        assert MATCH.secrets(discard.seat).see(deal, [slot]) == {slot: faces[slot]}
        shares = published([deal], [slot])
        for seat in third(discard):
            own = {seat: MATCH.key(deal, seat)}
            assert not list(openings(deal, deal._deck()[slot], shares, own))
            with pytest.raises(LocalProtocolError):
                MATCH.secrets(seat).see(deal, [slot])


@samples
@pytest.mark.rule("MAM-14")
def test_nothing_of_the_old_ciphertexts_comes_back(discard: Discarded) -> None:
    """No octets link the cards before and after: no component, no difference, no share."""
    slots = resealed_slots(discard.reseal)
    before, after = discard.reseal.before.dealt(), discard.reseal.after.dealt()
    old, new = ([deal._deck()[slot] for slot in slots] for deal in (before, after))
    encode, minus = FAST.encode, FAST.sub
    assert not {encode(p) for c in old for p in (c.a, c.b)} & {
        encode(p) for c in new for p in (c.a, c.b)
    }
    # b' - b is r times the joint key and a' - a is r times G for one pair only; without r that
    # can't be told. What can be: that they aren't equal, and that no seat's own key tells them.
    pairs = list(itertools.product(old, new))
    for seat in range(3):
        key = MATCH.key(after, seat)
        for c, d in pairs:
            assert encode(minus(d.b, c.b)) not in (
                encode(minus(d.a, c.a)),
                encode(FAST.mul(key, minus(d.a, c.a))),
            )
    assert not any(slot in after.shares or slot in after.shown for slot in slots)


@pytest.mark.rule("MAM-14")
def test_where_a_card_lies_after_a_reseal_says_nothing() -> None:
    """The card taken openly was at place 0 each time; it is discarded from every place."""
    permutations = [permutation for _, permutation in MATCH.told.reseals]
    assert len(permutations) == len(MATCH.discards) == 27
    assert {permutation.index(0) for permutation in permutations} == {0, 1, 2, 3}
    odd = [d for d in MATCH.discards if (state_of(d.bottom.before).turns - 1) % 2]
    places = {resealed_slots(d.reseal).index(d.slot) for d in odd}
    assert len(places) > 2


@pytest.mark.rule("MAM-13")
def test_a_discard_that_another_draws_is_known_to_both_and_nobody_else() -> None:
    first, later = REDRAWN
    at = next(m for m in MATCH.moments if m.step.number == later.bottom.step.number + 1).after
    deal, slot = at.dealt(), first.slot
    face = MATCH.told.moved(first.count)[slot]
    drawer, discarder = at.chair(later.seat), at.chair(first.seat)
    nobody = 3 - drawer - discarder
    assert Show((slot,), drawer) in later.bottom.after.state.turn().requests  # type: ignore[union-attr]
    assert [at.state.visible(seat) >> slot & 1 for seat in (drawer, discarder, nobody)] == [1, 1, 0]
    assert MATCH.secrets(later.seat).see(deal, [slot]) == {slot: face}
    for seat in (first.seat, at.order[nobody]):  # what the discarder remembers isn't in the deal
        own = {seat: MATCH.key(deal, seat)}
        assert not list(openings(deal, deal._deck()[slot], published([deal], [slot]), own))
    watchers = watch(later.bottom.step.number + 1)
    assert watchers[first.seat]._known[slot] == face
    assert watchers[later.seat]._known[slot] == face
    assert slot not in watchers[at.order[nobody]]._known


# -- what a player's node knows ------------------------------------------------------------------


class Watcher(Player):
    """A player of the vector, with the seed that was revealed later, who only looks."""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self._hand = 0
        self._known: dict[int, int] = {}
        self._public = b""
        self._followed = 0

    def _secrets(self, position: Position) -> DealSecrets:
        return MATCH.secrets(self.seat)


def watch(
    steps: int, look: Callable[[Watcher, Position], None] = lambda watcher, position: None
) -> list[Watcher]:
    """Let all seats follow the first `steps` steps."""
    watchers = [Watcher(seat) for seat in range(3)]
    for moment in MATCH.moments[:steps]:
        for watcher in watchers:
            watcher.follow(moment.after)
            look(watcher, moment.after)
    return watchers


@pytest.mark.rule("MAM-13", "MAM-14")
def test_what_a_node_knows_is_exactly_what_the_engine_says_its_seat_sees() -> None:
    """At every step, through all reseals, cards taken openly before them included."""
    looked = 0

    def look(watcher: Watcher, position: Position) -> None:
        nonlocal looked
        state = position.state
        if position.deal is None or not state.faces:
            return
        faces = MATCH.told.moved(reseals_before(position))
        mask = state.visible(position.chair(watcher.seat))
        view = watcher.view(position)
        assert view.faces == bytes(
            face if mask >> slot & 1 else UNKNOWN for slot, face in enumerate(faces)
        )
        looked += 1

    watch(len(MATCH.moments), look)
    assert looked > 3 * 150


def test_the_moved_deck_agrees_with_every_card_that_was_opened() -> None:
    dealt: list[bytes] = []
    told = MATCH.told
    for moment in MATCH.moments:
        position = moment.after
        if position.deal is None or not position.state.faces:
            continue
        faces = told.moved(reseals_before(position))
        for slot, face in enumerate(position.state.faces):
            if face != UNKNOWN:
                assert face == faces[slot]
        dealt.append(faces)
    assert dealt[0] == told.faces == told.moved(0)
    assert dealt[-1] == told.moved() == told.moved(27)
    assert len(set(dealt)) > 20


def test_the_record_of_a_match_with_reseals_reads_without_them() -> None:
    last = MATCH.moments[-1].after
    given = [one for m in MATCH.moments for one in inputs(m.step, m.before, m.after)]
    record = record_of(last.game, last.state.options, ["Ada", "Bruno", "Carla"], given)
    again = read_record(write_record(record))
    state = check(again)
    assert state.standing() == last.state.standing()
    assert (state.hand, state.dealer) == (last.state.hand, last.state.dealer)
    texts = write_record(record).splitlines()
    assert sum(" bottom " in text for text in texts) == 27


# -- cheats --------------------------------------------------------------------------------------


Claim = Callable[[Deck, Witness, Point], tuple[Deck, Witness]]


def wrong_reseal(claim: Claim) -> Callable[[Position, Contribution], bytes]:
    """A reseal whose proof is made, by the prover's formulas, for another deck or witness."""

    def change(at: Position, c: Contribution) -> bytes:
        deal, slots = at.dealt(), resealing(at).slots
        before, pk = deal._part(slots), deal._joint()
        ctx = deal._ctx(c.seat, at.place, Act.RESEAL, slots)
        witness = derive_witness(FAST, OTHER, ctx, pk, before)
        deck, claimed = claim(before, witness, pk)
        n = len(before)
        proof = prove(
            FAST,
            ctx,
            pk,
            (before, deck),
            claimed,
            rc=range(1, n + 1),
            nonces=lambda s: derive_nonces(OTHER, s, n),
        )
        return deck.encoded + encode_proof(FAST, proof)

    return change


def doubled(before: Deck, witness: Witness, pk: Point) -> tuple[Deck, Witness]:
    """One card twice under fresh masks: a permutation that is none."""
    pi = (witness.permutation[1], *witness.permutation[1:])
    claimed = Witness(pi, witness.masks)
    return apply_witness(FAST, pk, before, claimed), claimed


def replaced(before: Deck, witness: Witness, pk: Point) -> tuple[Deck, Witness]:
    """A fresh encryption of the first card, well-formed, in place of another."""
    deck = apply_witness(FAST, pk, before, witness)
    pairs = [(c.a, c.b) for c in deck.cards]
    first = before[0]
    fresh = FAST.add(first.a, FAST.mul_base(9)), FAST.add(first.b, FAST.mul(9, pk))
    pairs[witness.permutation.index(2)] = fresh
    return make_deck(FAST, pairs), witness


def other_slots(at: Position, c: Contribution) -> bytes:
    """A right reseal of four cards of the stock, in the context of those that are due."""
    deal = at.dealt()
    ctx = deal._ctx(c.seat, at.place, Act.RESEAL, resealing(at).slots)
    return reseal_in(at, c.seat, state_of(at).stock[:4], ctx)


def one_of_the_stock(at: Position, c: Contribution) -> bytes:
    """The hand with its last card changed for the top of the stock."""
    slots = (*resealing(at).slots[:3], state_of(at).stock[0])
    return reseal_in(at, c.seat, slots, at.dealt()._ctx(c.seat, at.place, Act.RESEAL, slots))


def other_step(at: Position, c: Contribution) -> bytes:
    """A right reseal of the right cards that was proved for another step."""
    place = replace(at.place, step=at.step + 1)
    slots = resealing(at).slots
    return reseal_in(at, c.seat, slots, at.dealt()._ctx(c.seat, place, Act.RESEAL, slots))


def reseal_in(at: Position, seat: int, slots: tuple[int, ...], ctx: bytes) -> bytes:
    deal = at.dealt()
    before, pk = deal._part(slots), deal._joint()
    witness = derive_witness(FAST, OTHER, ctx, pk, before)
    deck = apply_witness(FAST, pk, before, witness)
    n = len(slots)
    proof = prove(
        FAST,
        ctx,
        pk,
        (before, deck),
        witness,
        rc=range(1, n + 1),
        nonces=lambda s: derive_nonces(OTHER, s, n),
    )
    return deck.encoded + encode_proof(FAST, proof)


def unchanged(at: Position, c: Contribution) -> bytes:
    """The old ciphertexts under the proof of the new ones."""
    deck = at.dealt()._part(resealing(at).slots).encoded
    return deck + c.body[len(deck) :]


def swapped(at: Position, c: Contribution) -> bytes:
    return c.body[64:128] + c.body[:64] + c.body[128:]


def three_cards(at: Position, c: Contribution) -> bytes:
    slots = resealing(at).slots[:3]
    return reseal_in(at, c.seat, slots, at.dealt()._ctx(c.seat, at.place, Act.RESEAL, slots))


def cut_short(at: Position, c: Contribution) -> bytes:
    return c.body[:-1]


def flipped(at: Position, c: Contribution) -> bytes:
    return c.body[:-32] + bytes([c.body[-32] ^ 1]) + c.body[-31:]


CHEATS = {
    "doubled card": wrong_reseal(doubled),
    "replaced card": wrong_reseal(replaced),
    "other slots": other_slots,
    "a card of the stock": one_of_the_stock,
    "another step's proof": other_step,
    "nothing resealed": unchanged,
    "swapped after the proof": swapped,
    "three cards": three_cards,
    "cut short": cut_short,
    "changed proof": flipped,
}


def right(before: Deck, witness: Witness, pk: Point) -> tuple[Deck, Witness]:
    return apply_witness(FAST, pk, before, witness), witness


def test_the_forger_can_make_right_reseals_too() -> None:
    """Else the cheats below might be refused for another reason than theirs."""
    at = MATCH.discards[3].reseal.before
    c = MATCH.discards[3].reseal.step.entries[0]
    body = wrong_reseal(right)(at, c)
    assert at.dealt().check_reseal(c.seat, resealing(at).slots, body, at.place)


@pytest.mark.parametrize("name", CHEATS)
def test_a_wrong_reseal_is_evidence_against_its_author(name: str) -> None:
    moment = MATCH.discards[3].reseal
    at, c = moment.before, moment.step.entries[0]
    entry = resign(KEYS[c.seat], at.place, c, body=CHEATS[name](at, c))
    with pytest.raises(Fault) as caught:
        at.check(entry.contribution)
    fault = caught.value
    assert (fault.seat, fault.step, fault.kind) == (c.seat, at.step, "proof")


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_only_the_owner_reseals(seat: int) -> None:
    moment = MATCH.discards[0].reseal
    at, c = moment.before, moment.step.entries[0]
    if seat == c.seat:
        assert at.check(c)
        return
    body = MATCH.secrets(seat).reseal(at.dealt(), resealing(at).slots, at.place)
    entry = resign(KEYS[seat], at.place, c, seat=seat, body=body)
    with pytest.raises(Fault) as caught:
        at.check(entry.contribution)
    assert (caught.value.seat, caught.value.kind) == (seat, "not-due")


def test_a_file_of_evidence_convicts_a_wrong_reseal() -> None:
    moment = MATCH.discards[0].reseal
    at, c = moment.before, moment.step.entries[0]
    entry = resign(KEYS[c.seat], at.place, c, body=CHEATS["doubled card"](at, c))
    payloads = MATCH.payloads[: at.step - 1]
    for found, status in ((entry, Status.DISPUTED), (Entry(at.place, c), Status.UNFOUNDED)):
        case = Case(Charge.INVALID, (found,))
        report = audit_file(pack_evidence(MATCH.header.payload, payloads, case), FAST)
        assert report.status is status
        if status is Status.DISPUTED:
            (fault,) = report.faults
            assert (fault.seat, fault.step, fault.kind) == (c.seat, at.step, "proof")


def ring(folder: Path, count: int, **settings: object) -> Ring:
    return Ring(
        folder,
        count,
        game="mambassa",
        chooser=Discarders(1),
        group=FAST,
        **settings,  # type: ignore[arg-type]  # any of Ring's
    )


def test_all_tables_name_whoever_reseals_wrongly(tmp_path: Path) -> None:
    sent: list[Entry] = []
    asked: list[Position] = []

    def tamper(author: int, entry: Entry) -> tuple[Entry, ...]:
        c = entry.contribution
        if sent or c.kind is not Kind.RESEAL:
            return (entry,)
        asked.append(tables.tables[author].position)
        body = CHEATS["doubled card"](asked[0], c)
        sent.append(resign(tables.keys[author], entry.place, c, body=body))
        return (sent[0],)

    tables = ring(tmp_path, 3, tamper=tamper, seed=SEATED_OTHERWISE)
    tables.run(lambda: bool(sent) and not tables.pool)
    author = sent[0].contribution.seat
    at = asked[0]
    assert resealing(at).by == at.chair(author) != author
    convicted(tables, sent[0], "proof")
    tables.close()


def test_a_reseal_that_the_seed_does_not_derive_convicts_at_the_reveal() -> None:
    moment = next(m for m in MATCH.moments if m.step.entries[0].kind is Kind.REVEAL)
    at = moment.before
    deal = at.dealt()
    c = moment.step.entries[1]
    assert deal.check_reveal(c.seat, c.body).reseals
    number = next(i for i, s in enumerate(deal.sent) if s.act is Act.RESEAL and s.seat == c.seat)
    own = deal.sent[number]
    before = MATCH.discards[[d.seat for d in MATCH.discards].index(c.seat)].reseal.before
    other = DealSecrets(OTHER, c.seat).reseal(before.dealt(), own.slots, before.place)
    assert before.dealt().check_reseal(c.seat, own.slots, other, before.place)  # a right proof
    changed = [replace(s, body=other) if i == number else s for i, s in enumerate(deal.sent)]
    lying = replace(at, deal=replace(deal, sent=tuple(changed)))
    for part in moment.step.entries:
        if part.seat != c.seat:
            lying.check(part)
    with pytest.raises(ProofError, match="reseal"):
        lying.dealt().check_reveal(c.seat, c.body)
    with pytest.raises(Fault) as caught:
        lying.check(c)
    assert (caught.value.seat, caught.value.kind) == (c.seat, "proof")


# -- statements ------------------------------------------------------------------------------------


class Boaster(Player):
    """Declares a hand that is none."""

    def _decision(self, position: Position, kind: Kind, move: Move) -> bytes:
        if kind is Kind.ANSWER:
            return pack_answer(position, DECLARE)
        return super()._decision(position, kind, move)


@pytest.mark.rule("GEN-01", "MAM-32")
def test_a_false_declaration_names_the_step_of_the_answers(tmp_path: Path) -> None:
    tables = ring(tmp_path, 2, players={1: Boaster})
    tables.run()
    report = audit_file(tables.log(), FAST)
    assert report.status is Status.COMPLETE
    (found,) = report.faults
    assert (found.seat, found.kind) == (1, "broken-promise")
    assert [c.kind for c in tables.tables[0].steps[found.step - 1].entries] == [Kind.ANSWER] * 2
    assert report.result is not None
    assert report.last is not None
    assert report.result.winners == (report.last.chair(0),)
    tables.close()


def test_a_forbidden_answer_is_refused_with_the_rule_of_its_game(tmp_path: Path) -> None:
    tables = ring(tmp_path, 2)
    tables.run(lambda: tables.tables[0].position.due is not None and is_asking(tables))
    position = tables.tables[0].position
    for move in (DECLARE, STAY, CAMICIA):
        with pytest.raises(IllegalMove) as caught:
            tables.players[0].contribute(position, move)
        assert caught.value.rule == "MAM-32"
    tables.close()


def is_asking(tables: Ring) -> bool:
    due = tables.tables[0].position.due
    return due is not None and due.kind is Kind.ANSWER


def test_the_vector_is_a_good_log() -> None:
    report = audit_file(VECTOR, FAST)
    assert report.good
    assert report.steps == len(MATCH.moments)
