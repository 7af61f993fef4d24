"""The ten traps of the deal's cryptography, each at a table.

The formulas have tests of their own (`test_group`, `test_hashing`, `test_keyproof`, `test_shares`,
`test_shuffle`); here it is shown that the deal, the positions and the players keep out of them too.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from engine.cards import ITALIAN, Deck
from engine.games.petrangola_moves import STAY, Cut
from protocol.audit import Status, audit_file
from protocol.contribution import Contribution, Entry, Kind, Place
from protocol.deal import Act, Deal, DealSecrets, Terms, key_hash, seed_hash
from protocol.errors import Fault, LocalProtocolError, WouldContradict
from protocol.group import ProofError, Q
from protocol.hashing import card_points, challenge, encode_list, hash_parts
from protocol.journal import Journal
from protocol.keyproof import KeyPair, joint_key, prove_key
from protocol.log import Step
from protocol.player import Player
from protocol.position import Position, checked_step
from protocol.table import Table
from tests.protocol.groups import FAST, PYTHON
from tests.protocol.ring import Ring, file_of, identities, record, resign

HERE = Path(__file__).parent
SPEC = HERE.parent.parent / "protocol" / "DEAL.md"
MATCH = record(2)
KEYS = identities(2)


@pytest.mark.parametrize("trap", range(1, 11))
def test_each_trap_has_a_test_by_its_name(trap: int) -> None:
    sources = [path.read_text("utf-8") for path in HERE.glob("test_*.py")]
    assert any(re.search(rf"def test_trap_{trap}_\w+\(", source) for source in sources)


def blamed(at: Position, c: Contribution, **change: object) -> Fault:
    """What the table says when `c` is changed and signed again by its author."""
    with pytest.raises(Fault) as caught:
        at.check(resign(KEYS[c.seat], at.place, c, **change).contribution)
    return caught.value


@pytest.mark.parametrize("kind", [Kind.KEY, Kind.SHUFFLE, Kind.SHARES])
def test_trap_1_encodings_that_are_not_canonical_are_the_authors_fault(kind: Kind) -> None:
    """Bit 255 of the first point; a scalar that isn't below q at the end."""
    moment = MATCH.first(kind)
    c = moment.step.entries[0]
    bit = c.body[:31] + bytes([c.body[31] | 0x80]) + c.body[32:]
    s = int.from_bytes(c.body[-32:], "little") + Q
    scalar = c.body[:-32] + s.to_bytes(32, "little")
    for body in (bit, scalar):
        fault = blamed(moment.before, c, body=body)
        assert (fault.seat, fault.kind) == (c.seat, "proof")


@pytest.mark.parametrize("kind", [Kind.KEY, Kind.SHUFFLE])
def test_trap_2_keys_and_components_that_are_the_identity_are_refused(kind: Kind) -> None:
    moment = MATCH.first(kind)
    c = moment.step.entries[0]
    fault = blamed(moment.before, c, body=bytes(32) + c.body[32:])
    assert (fault.seat, fault.kind) == (c.seat, "proof")


def test_trap_2_the_start_deck_has_no_identity_in_it() -> None:
    deal = MATCH.first(Kind.SHUFFLE).before.dealt()
    for card, point in zip(deal._deck().cards, card_points(deal.group, "italian", 40), strict=True):
        assert card.encoded[:32] == deal.group.encode(deal.group.generator)
        assert deal.group.equal(card.b, deal.group.add(point, deal._joint()))


def test_trap_3_no_two_proofs_share_a_nonce() -> None:
    """t = w G, so equal nonces show as equal points; all proofs of two matches are compared."""
    seen: set[bytes] = set()
    count = 0
    for match in (MATCH, record(3, hands=2, seed=4, preset="pagat")):
        for moment in match.moments:
            for c in moment.step.entries:
                if c.kind is Kind.KEY:
                    seen.add(c.body[32:64])
                elif c.kind is Kind.SHARES:
                    seen.add(c.body[-96:-64])
                else:
                    continue
                count += 1
    assert count > 10
    assert len(seen) == count


def extract(one: tuple[int, int], two: tuple[int, int]) -> int:
    """The key from two responses (c, s) to one nonce: (s1 - s2) / (c1 - c2)."""
    (c1, s1), (c2, s2) = one, two
    return (s1 - s2) * pow(c1 - c2, -1, Q) % Q


def test_trap_3_another_step_or_head_gives_another_nonce() -> None:
    """One seed for one set of slots at several places: no pair of proofs gives the key away."""
    deal = MATCH.first(Kind.SHARES).before.dealt()
    seat = deal.terms.seats[0]
    secrets = DealSecrets(MATCH.seeds[seat, 1], seat)
    key = secrets.key(deal.group, deal.terms, deal.head)
    proofs = []
    for step, head, slots in (
        (8, b"a" * 32, [3]),
        (9, b"a" * 32, [3]),
        (8, b"b" * 32, [3]),
        (8, b"a" * 32, [4]),
    ):
        place = Place(deal.terms.match, head, step)
        body = secrets.shares(deal, slots, place)
        firsts = encode_list(deal.group.encode_many(deal._firsts(slots)))
        ctx = deal._ctx(seat, place, Act.SHARES, slots)
        name = deal.group.name.encode("ascii")
        b = hash_parts("dleq", name, ctx, key.encoded, firsts, encode_list([body[:32]]))
        c = challenge("c", b, body[32:64], body[64:96])
        proofs.append((c, int.from_bytes(body[96:], "little")))
    nonces = {(s - c * key.secret) % Q for c, s in proofs}
    assert len(nonces) == len(proofs)
    assert all(extract(a, b) != key.secret for a in proofs for b in proofs if a is not b)
    w, (c1, _), (c2, _) = nonces.pop(), proofs[0], proofs[1]
    reused = [(c, (w + c * key.secret) % Q) for c in (c1, c2)]
    assert extract(*reused) == key.secret  # what the trap is: the test would see it


def test_trap_3_every_hand_and_head_has_its_own_key() -> None:
    terms = MATCH.first(Kind.KEY).before.dealt().terms
    secrets = DealSecrets(bytes(32), 0)
    made = {
        secrets.key(FAST, replace(terms, **change), head).encoded
        for change in ({}, {"hand": 2}, {"match": bytes(32)})
        for head in (b"a" * 32, b"b" * 32)
    }
    made.add(DealSecrets(bytes(32), 1).key(FAST, terms, b"a" * 32).encoded)
    assert len(made) == 7


def test_trap_4_no_key_is_opened_before_all_are_committed() -> None:
    """With one commitment missing, a key isn't due; so nobody can choose theirs by another's."""
    commit, key = MATCH.first(Kind.COMMIT), MATCH.first(Kind.KEY)
    c = key.step.entries[0]
    fault = blamed(commit.before, c, digest=commit.before.digest)
    assert (fault.seat, fault.kind) == (c.seat, "not-due")
    assert set(key.before.dealt().commits) == set(key.before.dealt().terms.seats)


def conspiracy() -> tuple[list[bytes], Position, list[Entry]]:
    """Two seats whose keys cancel out, committed and proved: (payloads, position, key entries)."""
    moment = MATCH.first(Kind.COMMIT)
    deal, at, group = moment.before.dealt(), moment.before, FAST
    pairs = {}
    for seat, secret in ((0, 12345), (1, Q - 12345)):
        public = group.mul_base(secret)
        pairs[seat] = KeyPair(secret, public, group.encode(public))
    checked = []
    for c in moment.step.entries:
        bound = (deal.terms, c.seat, at.head)
        body = seed_hash(*bound, bytes(32)) + key_hash(*bound, pairs[c.seat].encoded)
        checked.append(at.check(resign(KEYS[c.seat], at.place, c, body=body).contribution))
    step, at = at.advance(checked)
    entries = []
    for c in MATCH.first(Kind.KEY).step.entries:
        statement = at.dealt()._key_statement(c.seat, at.head)
        body = prove_key(group, bytes(32), statement, pairs[c.seat])
        entries.append(resign(KEYS[c.seat], at.place, c, body=body, digest=at.digest))
    return [*MATCH.payloads[: step.number - 1], step.pack()], at, entries


def test_trap_4_keys_that_cancel_out_are_nobodys_single_fault() -> None:
    """Only all seats together can do it. A verifier and a spectator say so, and don't fall over."""
    payloads, at, entries = conspiracy()
    with pytest.raises(ProofError):
        joint_key(FAST, [FAST.mul_base(5), FAST.mul_base(Q - 5)])
    with pytest.raises(Fault, match="cancel out") as caught:
        checked_step(at, [entry.contribution for entry in entries])
    assert (caught.value.seat, caught.value.step) == (None, at.step)
    events: list[object] = []
    spectator = Table(MATCH.header, FAST, events.append)
    places = [moment.before.place for moment in MATCH.moments[: at.step - 1]]
    for place, payload in zip(places, payloads, strict=True):
        for c in Step.parse(payload).entries:
            spectator.receive(Entry(place, c))
    assert audit_file(file_of(MATCH.header.payload, payloads), FAST).status is Status.OPEN
    for entry in entries:
        spectator.receive(entry)
    assert spectator.halted
    assert spectator.accusation is not None
    assert spectator.accusation.fault.seat is None
    assert spectator.accusation.evidence == b""


CONTEXT: list[Callable[[Deal, Place], bytes]] = [
    lambda deal, at: deal._ctx(0, at, Act.SHARES, [3]),
    lambda deal, at: deal._ctx(1, at, Act.SHARES, [3]),
    lambda deal, at: deal._ctx(0, at, Act.RESEAL, [3]),
    lambda deal, at: deal._ctx(0, at, Act.SHARES, [4]),
    lambda deal, at: deal._ctx(0, at, Act.SHARES, [3, 4]),
    lambda deal, at: deal._ctx(0, at, Act.SHARES, []),
    lambda deal, at: deal._ctx(0, replace(at, step=at.step + 1), Act.SHARES, [3]),
    lambda deal, at: deal._ctx(0, replace(at, head=bytes(32)), Act.SHARES, [3]),
    *(
        lambda deal, at, change=change: replace(deal, terms=replace(deal.terms, **change))._ctx(
            0, at, Act.SHARES, [3]
        )
        for change in (
            {"match": bytes(32)},
            {"roster": (bytes(32), bytes(32))},
            {"hand": 2},
            {"seats": (1, 0)},
        )
    ),
    lambda deal, at: replace(deal, key_bodies={0: bytes(96), 1: bytes(96)})._ctx(
        0, at, Act.SHARES, [3]
    ),
]


def test_trap_5_every_input_changes_the_context() -> None:
    moment = MATCH.first(Kind.SHARES)
    deal = replace(moment.before.dealt(), terms=replace(moment.before.dealt().terms, seats=(0, 1)))
    made = [make(deal, moment.before.place) for make in CONTEXT]
    assert len(set(made)) == len(made)


def test_trap_6_cards_of_several_decks_have_their_own_points() -> None:
    terms = Terms(b"m" * 32, (b"a" * 32, b"b" * 32), 1, (0, 1), Deck(ITALIAN, 2), 1)
    deal = Deal(FAST, terms)
    place = Place(terms.match, b"h" * 32, 4)
    own = {s: DealSecrets(bytes([s]) * 32, s) for s in (0, 1)}
    deal = deal.with_commits({s: o.commit(FAST, terms, place.head) for s, o in own.items()}, place)
    bodies = {s: o.open_key(deal, place) for s, o in own.items()}
    keys = {s: deal.check_key(s, body, place) for s, body in bodies.items()}
    start = deal.with_keys(bodies, keys, place)._deck()
    assert len({card.encoded for card in start.cards}) == 80
    assert terms.deck.face(7) == terms.deck.face(47)


def test_trap_7_a_wrong_proof_is_refused_however_often_it_is_tried() -> None:
    """The weights are drawn anew for each check (`test_shares`, `test_shuffle`)."""
    moment = MATCH.first(Kind.SHARES)
    c = moment.step.entries[0]
    s = (int.from_bytes(c.body[-32:], "little") + 1) % Q
    for _ in range(5):
        blamed(moment.before, c, body=c.body[:-32] + s.to_bytes(32, "little"))
        assert moment.before.check(c).contribution == c


def player_of(folder: Path, seat: int) -> Player:
    return Player(KEYS[seat], seat, Journal(folder / str(seat)))


def test_trap_8_a_player_gives_only_what_is_due(tmp_path: Path) -> None:
    """At every Position of a match a seat that isn't due is no oracle for anything."""
    tried = 0
    for seat in (0, 1):
        player = player_of(tmp_path, seat)
        for moment in MATCH.moments:
            at = moment.before
            if at.due is None or seat not in at.due.seats:
                for move in (None, STAY, Cut(3)):
                    with pytest.raises(LocalProtocolError, match="nothing is due"):
                        player.contribute(at, move)
                    tried += 1
            elif player.must_decide(at):
                with pytest.raises(LocalProtocolError, match="if and only if"):
                    player.contribute(at)
            else:
                with pytest.raises(LocalProtocolError, match="if and only if"):
                    player.contribute(at, STAY)
        with pytest.raises(LocalProtocolError, match="nothing is due"):
            player.contribute(MATCH.moments[-1].after)
        player._journal.close()
    assert tried


def test_trap_8_one_ciphertext_is_shown_to_one_seat() -> None:
    shares = MATCH.first(Kind.SHARES)
    deal = shares.after.dealt()
    slot, to = next(iter(deal.shown.items()))
    other = 1 - to
    for seat in (0, 1):
        with pytest.raises(LocalProtocolError, match="two seats"):
            deal.owed(seat, [(slot, other)], [])
        with pytest.raises(LocalProtocolError, match="two seats"):
            deal.owed(seat, [(20, 0), (20, 1)], [])
        with pytest.raises(LocalProtocolError, match="without a key"):
            deal.owed(seat, [(20, 2)], [])
        for wrong in (-1, 40):
            with pytest.raises(LocalProtocolError, match="isn't in the deck"):
                deal.owed(seat, [], [wrong])
    assert deal.owed(to, [(slot, to)], []) == []


def test_trap_8_a_player_signs_once_at_a_place(tmp_path: Path) -> None:
    at = MATCH.first(Kind.MOVE).before
    seat = at.due.seats[0] if at.due else -1
    player = player_of(tmp_path, seat)
    first = player.contribute(at, Cut(3))
    assert player.contribute(at, Cut(3)) == first
    with pytest.raises(WouldContradict):
        player.contribute(at, Cut(4))
    player._journal.close()


def test_trap_9_a_copied_commitment_cannot_be_opened() -> None:
    """Another seat's, of the same hand: its own key doesn't fit, and the other's isn't its."""
    commit, key = MATCH.first(Kind.COMMIT), MATCH.first(Kind.KEY)
    victim, copier = commit.step.entries
    at = commit.before
    copy = resign(KEYS[copier.seat], at.place, copier, body=victim.body).contribution
    _, after = at.advance([at.check(victim), at.check(copy)])
    deal, seat = after.dealt(), copier.seat
    own = DealSecrets(MATCH.seeds[seat, 1], seat).open_key(deal, after.place)
    borrowed = DealSecrets(MATCH.seeds[victim.seat, 1], victim.seat).open_key(deal, after.place)
    for body in (own, borrowed):
        with pytest.raises(ProofError):
            deal.check_key(seat, body, after.place)
    assert key.before.check(key.step.entries[0])


@pytest.mark.parametrize("change", ["match", "hand", "head", "seat"])
def test_trap_9_commitments_name_match_hand_seat_and_head(change: str) -> None:
    terms = MATCH.first(Kind.COMMIT).before.dealt().terms
    seat, head = 0, b"h" * 32
    for commit in (seed_hash, key_hash):
        before = commit(terms, seat, head, bytes(32))
        if change == "seat":
            after = commit(terms, 1, head, bytes(32))
        elif change == "head":
            after = commit(terms, seat, b"g" * 32, bytes(32))
        else:
            value = 2 if change == "hand" else bytes(32)
            after = commit(replace(terms, **{change: value}), seat, head, bytes(32))  # type: ignore[arg-type]
        assert before != after
    assert seed_hash(terms, 0, head, bytes(32)) != key_hash(terms, 0, head, bytes(32))


def test_trap_9_seeds_are_drawn_anew_for_every_hand() -> None:
    match = record(3, hands=2, seed=4, preset="pagat")
    assert len(match.seeds) == 6
    assert len(set(match.seeds.values())) == 6


def test_trap_10_the_specification_warns_of_the_python_backend() -> None:
    text = " ".join(SPEC.read_text("utf-8").split())
    assert "constant time" in text
    assert "GIL" in text


def test_trap_10_both_backends_judge_a_match_alike() -> None:
    report = audit_file(MATCH.log, PYTHON)
    assert report.good
    assert report.last is not None
    assert report.last.head == MATCH.moments[-1].after.head


def test_trap_10_both_backends_write_the_same_log(tmp_path: Path) -> None:
    """One seat with each: nobody can tell which one computes in which way."""
    ring = Ring(tmp_path, 2, group=PYTHON)
    ring.run(lambda: ring.reach(9))
    ring.close()
    done = ring.tables[0].steps[:8]
    assert [step.pack() for step in done] == list(MATCH.payloads[:8])
