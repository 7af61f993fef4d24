"""The shuffle proof: completeness, both verifiers, every false claim, nonces, weights."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.group import (
    EncodingError,
    Group,
    Point,
    ProofError,
    Q,
    decode_scalar,
    encode_scalar,
)
from protocol.hashing import card_points, generators
from protocol.shuffle import (
    Deck,
    Nonces,
    Witness,
    apply_witness,
    body_size,
    decode_deck,
    decode_shuffle_body,
    derive_nonces,
    derive_witness,
    encode_proof,
    encode_shuffle_body,
    final_challenge,
    make_deck,
    prove,
    shuffle,
    start_deck,
    statement_digest,
    verify_shuffle,
    verify_shuffle_by_equation,
)
from tests.protocol.groups import CTX, FAST, SEED, each_backend, names, vector

Verify = Callable[[Group, bytes, Point, Deck, bytes], Deck]
VERIFIERS: list[Verify] = [verify_shuffle, verify_shuffle_by_equation]
SECRET = 424242


def pk_of(group: Group) -> Point:
    return group.mul_base(SECRET)


def a_deck(group: Group, n: int) -> Deck:
    """A deck with distinct masks, as after somebody else's shuffle."""
    start = start_deck(group, card_points(group, "test", n), pk_of(group))
    masks = tuple(range(5, 5 + n))
    return apply_witness(group, pk_of(group), start, Witness(tuple(range(n)), masks))


def plain_cards(group: Group, deck: Deck) -> list[bytes]:
    """The decrypted cards of a deck under SECRET."""
    return group.encode_many([group.sub(c.b, group.mul(SECRET, c.a)) for c in deck.cards])


def accept(group: Group, deck: Deck, body: bytes, ctx: bytes = CTX) -> Deck:
    outs = [verify(group, ctx, pk_of(group), deck, body) for verify in VERIFIERS]
    assert outs[0] == outs[1]
    return outs[0]


def refuse(
    group: Group, deck: Deck, body: bytes, *, ctx: bytes = CTX, pk: Point | None = None
) -> None:
    for verify in VERIFIERS:
        with pytest.raises(ProofError):
            verify(group, ctx, pk_of(group) if pk is None else pk, deck, body)


def body_for(group: Group, deck: Deck, seed: bytes = SEED, ctx: bytes = CTX) -> bytes:
    return encode_shuffle_body(shuffle(group, seed, ctx, pk_of(group), deck))


def split(body: bytes) -> list[bytes]:
    return [body[i : i + 32] for i in range(0, len(body), 32)]


# --- Completeness ------------------------------------------------------------------------------


@each_backend
@pytest.mark.parametrize("n", [1, 2, 5])
def test_an_honest_shuffle_is_accepted_and_keeps_the_cards(group: Group, n: int) -> None:
    deck = a_deck(group, n)
    made = shuffle(group, SEED, CTX, pk_of(group), deck)
    body = encode_shuffle_body(made)
    assert len(body) == body_size(n) == (2 * n + 5 * n + 9) * 32
    out = accept(group, deck, body)
    assert out == made.deck
    before, after = plain_cards(group, deck), plain_cards(group, out)
    assert after == [before[j] for j in made.permutation]
    assert not set(deck.firsts) & set(out.firsts)


@pytest.mark.parametrize("n", [40, 160])
def test_large_decks(n: int) -> None:
    deck = a_deck(FAST, n)
    body = body_for(FAST, deck)
    out = verify_shuffle(FAST, CTX, pk_of(FAST), deck, body)
    assert sorted(plain_cards(FAST, out)) == sorted(plain_cards(FAST, deck))
    # The last octet is in the last s', far from where a short loop would look.
    with pytest.raises(ProofError):
        verify_shuffle(FAST, CTX, pk_of(FAST), deck, body[:-32] + encode_scalar(1))


@settings(max_examples=15, deadline=None)
@given(seed=st.binary(min_size=32, max_size=32), n=st.integers(1, 6), ctx=st.binary(max_size=64))
def test_every_seed_gives_an_accepted_shuffle(seed: bytes, n: int, ctx: bytes) -> None:
    deck = a_deck(FAST, n)
    out = accept(FAST, deck, body_for(FAST, deck, seed, ctx), ctx)
    assert sorted(plain_cards(FAST, out)) == sorted(plain_cards(FAST, deck))


@each_backend
def test_trap_2_the_start_deck_has_no_identity_in_it(group: Group) -> None:
    cards = card_points(group, "test", 3)
    deck = start_deck(group, cards, pk_of(group))
    assert all(group.equal(c.a, group.generator) for c in deck.cards)
    assert [group.sub(c.b, pk_of(group)) for c in deck.cards] == list(cards)
    assert decode_deck(group, deck.encoded) == deck


# --- Vectors -----------------------------------------------------------------------------------


def statement_of(group: Group, v: dict[str, Any]) -> tuple[bytes, Point, Deck]:
    pk = group.decode(bytes.fromhex(v["pk"]))
    return bytes.fromhex(v["ctx"]), pk, decode_deck(group, bytes.fromhex(v["input"]))


@each_backend
@pytest.mark.parametrize("name", names("proofs/shuffle.json"))
def test_golden_shuffles(group: Group, name: str) -> None:
    v = vector("proofs/shuffle.json", name)
    ctx, pk, deck = statement_of(group, v)
    made = shuffle(group, bytes.fromhex(v["seed"]), ctx, pk, deck)
    body = encode_shuffle_body(made)
    assert list(made.permutation) == v["permutation"]
    assert hashlib.sha256(body).hexdigest() == v["sha256"]
    if "body" in v:
        assert body.hex() == v["body"]
    assert verify_shuffle(group, ctx, pk, deck, body) == made.deck


@each_backend
@pytest.mark.parametrize("name", names("proofs/shuffle_verify.json"))
def test_vectors_for_verifiers(group: Group, name: str) -> None:
    v = vector("proofs/shuffle_verify.json", name)
    ctx, pk, deck = statement_of(group, v)
    body = bytes.fromhex(v["body"])
    for verify in VERIFIERS:
        if v["valid"]:
            assert verify(group, ctx, pk, deck, body).encoded == body[: len(deck) * 64]
        else:
            with pytest.raises(ProofError, match=v["reason"]):
                verify(group, ctx, pk, deck, body)


# --- The prover with chosen scalars ------------------------------------------------------------


def some_nonces(n: int) -> Nonces:
    row = range(1, n + 1)
    return Nonces(
        tuple(31 * i for i in row),
        tuple(37 * i for i in row),
        tuple(41 * i for i in row),
        (43, 47, 53, 59),
    )


def crafted(
    group: Group,
    deck: Deck,
    out: Deck,
    witness: Witness,
    *,
    rc: Sequence[int] | None = None,
    nonces: Nonces | None = None,
) -> bytes:
    """A body for any claim, with the proof computed honestly from a possibly false witness."""
    n = len(deck)
    z = some_nonces(n) if nonces is None else nonces
    rc = [17 * i + 3 for i in range(n)] if rc is None else rc
    proof = prove(group, CTX, pk_of(group), (deck, out), witness, rc=rc, nonces=lambda _: z)
    return out.encoded + encode_proof(group, proof)


@each_backend
def test_trap_2_identities_in_between_are_judged_by_the_equations(group: Group) -> None:
    """sum rc = 0 makes sum c - sum h_i the identity; w1 = w2 = 0 makes T1 and T2 the identity."""
    deck = a_deck(group, 3)
    witness = Witness((2, 0, 1), (7, 8, 9))
    out = apply_witness(group, pk_of(group), deck, witness)
    zero_sum = [5, 6, Q - 11]
    body = crafted(group, deck, out, witness, rc=zero_sum)
    c = [group.decode(part) for part in split(body)[6:9]]
    assert group.is_identity(group.sub(group.sum(c), group.sum(generators(group, 3))))
    assert accept(group, deck, body) == out
    silent = dataclasses.replace(some_nonces(3), w=(0, 0, 53, 59))
    body = crafted(group, deck, out, witness, rc=zero_sum, nonces=silent)
    assert split(body)[15:17] == [bytes(32), bytes(32)]
    assert accept(group, deck, body) == out


@each_backend
@pytest.mark.parametrize("which", [(0, 0, 2), (0, 1, 1), (2, 2, 2)])
def test_a_doubled_card_is_refused(group: Group, which: tuple[int, ...]) -> None:
    """One card twice and another dropped, with every way to tell the proof about it."""
    deck = a_deck(group, 3)
    out = apply_witness(group, pk_of(group), deck, Witness(which, (7, 8, 9)))
    for told in (which, (0, 1, 2), (2, 0, 1)):
        refuse(group, deck, crafted(group, deck, out, Witness(told, (7, 8, 9))))


def replaced(group: Group, out: Deck, slot: int, a: Point, b: Point) -> Deck:
    pairs = [(c.a, c.b) for c in out.cards]
    pairs[slot] = (group.add(pairs[slot][0], a), group.add(pairs[slot][1], b))
    return make_deck(group, pairs)


def false_decks(group: Group, out: Deck) -> Iterator[tuple[str, Deck]]:
    cards, g, zero = card_points(group, "test", 4), group.generator, group.identity
    another = group.sub(cards[3], cards[0])
    yield "a card replaced", replaced(group, out, 1, zero, another)
    yield "a first component", replaced(group, out, 0, g, zero)
    yield "a second component", replaced(group, out, 2, zero, g)
    yield "masked under another key", replaced(group, out, 0, g, group.mul_base(SECRET + 1))
    moved = replaced(group, out, 0, zero, g)
    yield "changes that cancel", replaced(group, moved, 1, zero, group.neg(g))
    pairs = [(c.a, c.b) for c in out.cards]
    yield (
        "components exchanged",
        make_deck(group, [(pairs[1][0], pairs[0][1]), (pairs[0][0], pairs[1][1]), pairs[2]]),
    )
    yield "slots exchanged", make_deck(group, [pairs[1], pairs[0], pairs[2]])


@each_backend
@pytest.mark.parametrize("index", range(7))
def test_a_changed_card_is_refused(group: Group, index: int) -> None:
    deck = a_deck(group, 3)
    witness = Witness((2, 0, 1), (7, 8, 9))
    out = apply_witness(group, pk_of(group), deck, witness)
    assert accept(group, deck, crafted(group, deck, out, witness)) == out
    what, false = list(false_decks(group, out))[index]
    assert false != out, what
    refuse(group, deck, crafted(group, deck, false, witness))
    # Nor does an honest proof carry over to it.
    refuse(group, deck, false.encoded + crafted(group, deck, out, witness)[3 * 64 :])


@each_backend
def test_a_false_mask_or_a_false_order_is_refused(group: Group) -> None:
    deck = a_deck(group, 3)
    out = apply_witness(group, pk_of(group), deck, Witness((2, 0, 1), (7, 8, 9)))
    refuse(group, deck, crafted(group, deck, out, Witness((2, 0, 1), (7, 8, 10))))
    refuse(group, deck, crafted(group, deck, out, Witness((2, 1, 0), (7, 8, 9))))


# --- Any change anywhere -----------------------------------------------------------------------


@each_backend
def test_any_changed_element_of_a_body_fails(group: Group) -> None:
    deck = a_deck(group, 2)
    parts = split(body_for(group, deck))
    first_scalar = 2 * 2 + 3 * 2 + 5
    for i, part in enumerate(parts):
        if i >= first_scalar:
            changed = encode_scalar((decode_scalar(part) + 1) % Q)
        else:
            changed = group.encode(group.add(group.decode(part), group.generator))
        bad = b"".join([*parts[:i], changed, *parts[i + 1 :]])
        for verify in VERIFIERS if group is FAST else VERIFIERS[:1]:
            with pytest.raises(ProofError):
                verify(group, CTX, pk_of(group), deck, bad)


def test_any_changed_octet_of_a_body_fails() -> None:
    deck = a_deck(FAST, 1)
    body = body_for(FAST, deck)
    for i in range(len(body)):
        changed = bytearray(body)
        changed[i] ^= 1 << (i % 8)
        with pytest.raises(ProofError):
            verify_shuffle(FAST, CTX, pk_of(FAST), deck, bytes(changed))


@each_backend
def test_trap_5_a_proof_holds_for_its_statement_only(group: Group) -> None:
    deck = a_deck(group, 2)
    body = body_for(group, deck)
    g, zero = group.generator, group.identity
    refuse(group, deck, body, ctx=CTX[:-1] + b"!")
    refuse(group, deck, body, ctx=b"")
    refuse(group, deck, body, pk=group.mul_base(SECRET + 1))
    for slot in range(2):
        refuse(group, replaced(group, deck, slot, g, zero), body)
        refuse(group, replaced(group, deck, slot, zero, g), body)
    refuse(group, Deck((deck[1], deck[0])), body)
    refuse(group, Deck(deck.cards[:1]), body)


def test_trap_5_every_input_changes_the_challenge() -> None:
    deck, n = a_deck(FAST, 2), 2
    out = shuffle(FAST, SEED, CTX, pk_of(FAST), deck).deck
    p = FAST.encode_many([FAST.mul_base(i) for i in range(1, 30)])
    c, swap = p[:2], [p[1], p[0]]
    one, two = p[10], p[11]
    first, g, zero = deck.cards[:1], FAST.generator, FAST.identity
    other_in, other_out = (replaced(FAST, x, 0, g, zero) for x in (deck, out))
    digests = [
        statement_digest(FAST, CTX, one, (deck, out), c),
        statement_digest(FAST, CTX[:-1], one, (deck, out), c),
        statement_digest(FAST, CTX, two, (deck, out), c),
        statement_digest(FAST, CTX, one, (other_in, out), c),
        statement_digest(FAST, CTX, one, (deck, other_out), c),
        statement_digest(FAST, CTX, one, (Deck(first), out), c),
        statement_digest(FAST, CTX, one, (deck, out), swap),
        statement_digest(FAST, CTX, one, (deck, out), p[:3]),
        statement_digest(FAST, CTX, one, (out, deck), c),
    ]
    assert len(set(digests)) == len(digests)
    d, t, tees = p[2 : 2 + n], p[4 : 4 + n], p[6:11]
    base = final_challenge(digests[0], d, t, tees)
    changed = [
        final_challenge(digests[1], d, t, tees),
        final_challenge(digests[0], [p[20], d[1]], t, tees),
        final_challenge(digests[0], [d[0], p[20]], t, tees),
        final_challenge(digests[0], d, [p[20], t[1]], tees),
        final_challenge(digests[0], d, [t[0], p[20]], tees),
        *(final_challenge(digests[0], d, t, [*tees[:i], p[20], *tees[i + 1 :]]) for i in range(5)),
    ]
    assert len({base, *changed}) == 1 + len(changed)


# --- Parsing -----------------------------------------------------------------------------------


@each_backend
def test_bodies_have_an_exact_length(group: Group) -> None:
    deck = a_deck(group, 2)
    body = body_for(group, deck)
    for bad in (b"", body[:-1], body + b"\0", body[32:], body + bytes(32)):
        with pytest.raises(ProofError, match="octets long"):
            verify_shuffle(group, CTX, pk_of(group), deck, bad)
    shuffled, proof = decode_shuffle_body(group, body, 2)
    assert shuffled.encoded + encode_proof(group, proof) == body


@each_backend
def test_elements_that_are_not_canonical_are_refused(group: Group) -> None:
    deck = a_deck(group, 1)
    parts = split(body_for(group, deck))
    first_scalar = 2 + 3 + 5
    for i, part in enumerate(parts):
        if i < first_scalar:
            bad = part[:31] + bytes([part[31] | 0x80])
        else:
            bad = (decode_scalar(part) + Q).to_bytes(32, "little")
        with pytest.raises(ProofError, match="read"):
            verify_shuffle(
                group, CTX, pk_of(group), deck, b"".join([*parts[:i], bad, *parts[i + 1 :]])
            )


@each_backend
@pytest.mark.parametrize("part", [0, 1])
def test_trap_2_a_deck_never_holds_the_identity(group: Group, part: int) -> None:
    deck = a_deck(group, 1)
    parts = split(body_for(group, deck))
    parts[part] = bytes(32)
    with pytest.raises(ProofError, match="identity"):
        verify_shuffle(group, CTX, pk_of(group), deck, b"".join(parts))
    with pytest.raises(EncodingError, match="identity"):
        decode_deck(group, b"".join(parts[:2]))


def test_sizes_of_decks_are_bounded() -> None:
    pair = (FAST.generator, FAST.generator)
    with pytest.raises(ValueError, match="160"):
        make_deck(FAST, [])
    with pytest.raises(ValueError, match="160"):
        make_deck(FAST, [pair] * 161)
    one = make_deck(FAST, [pair]).encoded
    for data in (b"", one[:-1], one * 161):
        with pytest.raises(EncodingError):
            decode_deck(FAST, data)
    assert len(decode_deck(FAST, one * 160)) == 160
    with pytest.raises(ValueError, match="160"):
        decode_shuffle_body(FAST, b"", 161)
    with pytest.raises(ValueError, match="160"):
        shuffle(FAST, SEED, CTX, pk_of(FAST), Deck(()))


# --- Trap 3: derivation ------------------------------------------------------------------------


def test_trap_3_the_audit_rederives_every_octet() -> None:
    deck = a_deck(FAST, 3)
    assert body_for(FAST, deck) == body_for(FAST, decode_deck(FAST, deck.encoded))


def test_trap_3_every_input_changes_permutation_masks_and_nonces() -> None:
    deck = a_deck(FAST, 6)
    pk, g = pk_of(FAST), FAST.generator
    cases = [
        (SEED, CTX, pk, deck),
        (SEED[::-1], CTX, pk, deck),
        (SEED, CTX[:-1], pk, deck),
        (SEED, CTX, g, deck),
        (SEED, CTX, pk, replaced(FAST, deck, 5, g, FAST.identity)),
        (SEED, CTX, pk, replaced(FAST, deck, 5, FAST.identity, g)),
        (SEED, CTX, pk, Deck(deck.cards[::-1])),
    ]
    witnesses = [derive_witness(FAST, *case) for case in cases]
    assert len({w.permutation for w in witnesses}) == len(cases)
    assert len({m for w in witnesses for m in w.masks}) == 6 * len(cases)
    proofs = [
        decode_shuffle_body(FAST, encode_shuffle_body(shuffle(FAST, *case)), 6)[1] for case in cases
    ]
    # c, d, t and the five T are each other one-time scalars' images: none may come twice.
    points = [p for proof in proofs for p in (*proof.c, *proof.d, *proof.t, *proof.tees)]
    assert len(set(points)) == len(points)


def test_trap_3_the_commitment_depends_on_the_output_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Same seed, context, key and input, other output: c must be masked by other rc."""
    deck = a_deck(FAST, 2)
    c = decode_shuffle_body(FAST, body_for(FAST, deck), 2)[1].c
    pi = derive_witness(FAST, SEED, CTX, pk_of(FAST), deck).permutation
    monkeypatch.setattr("protocol.shuffle.derive_witness", lambda *_: Witness(pi, (1000, 2000)))
    assert not set(decode_shuffle_body(FAST, body_for(FAST, deck), 2)[1].c) & set(c)


def test_trap_3_no_two_nonces_of_a_proof_are_the_same() -> None:
    z, other = (derive_nonces(SEED, s, 4) for s in (b"S" * 64, b"T" * 64))
    drawn = [*z.rh, *z.v, *z.w_prime, *z.w, *other.rh, *other.v, *other.w_prime, *other.w]
    assert len(set(drawn)) == 2 * 16


# --- Trap 7: weights ---------------------------------------------------------------------------


@each_backend
def test_trap_7_fresh_128_bit_weights_are_drawn_after_parsing(group: Group) -> None:
    deck = a_deck(group, 2)
    body = body_for(group, deck)
    asked: list[int] = []

    def weights(bits: int) -> int:
        asked.append(bits)
        return 3 + len(asked)

    with pytest.raises(ProofError):
        verify_shuffle(group, CTX, pk_of(group), deck, body[:-1], weight_source=weights)
    bad = body[:-32] + b"\xff" * 32
    with pytest.raises(ProofError):
        verify_shuffle(group, CTX, pk_of(group), deck, bad, weight_source=weights)
    assert asked == []
    verify_shuffle(group, CTX, pk_of(group), deck, body, weight_source=weights)
    assert asked == [128] * (4 + 2)


@each_backend
def test_trap_7_errors_that_cancel_under_foreseen_weights_are_caught(group: Group) -> None:
    """s2 + 1 and s3 - 1 cancel if both equations have the same weight."""
    deck = a_deck(group, 2)
    parts = split(body_for(group, deck))
    s2 = 2 * 2 + 3 * 2 + 5 + 1
    parts[s2] = encode_scalar((decode_scalar(parts[s2]) + 1) % Q)
    parts[s2 + 1] = encode_scalar((decode_scalar(parts[s2 + 1]) - 1) % Q)
    body = b"".join(parts)
    verify_shuffle(group, CTX, pk_of(group), deck, body, weight_source=lambda _: 7)
    refuse(group, deck, body)


def dealt(weights: Sequence[int]) -> Callable[[int], int]:
    """A source of these weights, in order."""
    left = iter(weights)
    return lambda _: next(left)


def test_every_equation_is_in_the_batch() -> None:
    """Weights of 0 switch an equation off; with all but one off, its error is still found."""
    n = 2
    deck = a_deck(FAST, n)
    parts = split(body_for(FAST, deck))
    first = 2 * n + 3 * n + 5
    # Which scalar is in which equation: s1..s4 in 1, 2, 3, 4a and 4b; y_i in the chain.
    places = {
        "1": first,
        "2": first + 1,
        "3": first + 2,
        "4a": first + 3,
        "4b": first + 3,
        "chain 0": first + 4,
        "chain 1": first + 5,
    }
    order = ["2", "3", "4a", "4b", "chain 0", "chain 1"]
    for name, place in places.items():
        changed = list(parts)
        changed[place] = encode_scalar((decode_scalar(parts[place]) + 1) % Q)
        body = b"".join(changed)
        on = [5 if other == name else 0 for other in order]
        with pytest.raises(ProofError):
            verify_shuffle(FAST, CTX, pk_of(FAST), deck, body, weight_source=dealt(on))
        off = [0 if places[other] == place else 5 for other in order]
        if name != "1":
            verify_shuffle(FAST, CTX, pk_of(FAST), deck, body, weight_source=dealt(off))
