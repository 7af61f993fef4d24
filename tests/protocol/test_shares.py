"""Decryption shares: completeness, both verifiers, every wrong share, nonces."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from protocol.group import Group, Point, ProofError, Q, decode_scalar, encode_scalar
from protocol.hashing import card_points, challenge, encode_list, hash_parts, u64le
from protocol.keyproof import KeyPair, hand_key, joint_key
from protocol.shares import (
    make_shares,
    open_card,
    shares_size,
    verify_shares,
    verify_shares_by_equation,
)
from protocol.shuffle import shuffle, start_deck
from tests.protocol.groups import CTX, FAST, SEED, each_backend, names, vector

Verify = Callable[[Group, bytes, Point, Sequence[Point], bytes], tuple[Point, ...]]
VERIFIERS: list[Verify] = [verify_shares, verify_shares_by_equation]


def key_for(group: Group, seat: int = 0, seed: bytes = SEED) -> KeyPair:
    return hand_key(group, seed, b"m" * 32, 1, seat, b"h" * 32)


def some_firsts(group: Group, n: int) -> list[Point]:
    return [group.mul_base(1000 + i) for i in range(n)]


def refuse(
    group: Group, public: Point, firsts: Sequence[Point], body: bytes, ctx: bytes = CTX
) -> None:
    for verify in VERIFIERS:
        with pytest.raises(ProofError):
            verify(group, ctx, public, firsts, body)


def split(body: bytes) -> list[bytes]:
    return [body[i : i + 32] for i in range(0, len(body), 32)]


@each_backend
@pytest.mark.parametrize("n", [1, 2, 7])
def test_honest_shares_are_accepted(group: Group, n: int) -> None:
    key, firsts = key_for(group), some_firsts(group, n)
    body = make_shares(group, SEED, CTX, key, firsts)
    assert len(body) == shares_size(n) == (n + 3) * 32
    for verify in VERIFIERS:
        shares = verify(group, CTX, key.public, firsts, body)
        assert list(shares) == [group.mul(key.secret, a) for a in firsts]


@pytest.mark.parametrize("n", [0, 161])
def test_the_number_of_slots_is_bounded(n: int) -> None:
    with pytest.raises(ValueError, match="160"):
        make_shares(FAST, SEED, CTX, key_for(FAST), some_firsts(FAST, n))
    with pytest.raises(ValueError, match="160"):
        verify_shares(FAST, CTX, key_for(FAST).public, some_firsts(FAST, n), b"")


def test_the_largest_number_of_slots_works() -> None:
    key, firsts = key_for(FAST), some_firsts(FAST, 160)
    body = make_shares(FAST, SEED, CTX, key, firsts)
    assert len(verify_shares(FAST, CTX, key.public, firsts, body)) == 160


@each_backend
def test_all_shares_together_open_a_card_and_fewer_do_not(group: Group) -> None:
    seeds = [bytes([i]) * 32 for i in range(3)]
    keys = [key_for(group, i, seed) for i, seed in enumerate(seeds)]
    pk = joint_key(group, [k.public for k in keys])
    cards = card_points(group, "test", 3)
    deck = start_deck(group, cards, pk)
    for i, seed in enumerate(seeds):
        deck = shuffle(group, seed, CTX + bytes([i]), pk, deck).deck
    shares = [
        verify_shares(
            group, CTX, k.public, deck.firsts, make_shares(group, seed, CTX, k, deck.firsts)
        )
        for seed, k in zip(seeds, keys, strict=True)
    ]
    opened = [open_card(group, deck[i].b, [s[i] for s in shares]) for i in range(3)]
    assert set(opened) == set(cards)
    for i in range(3):
        assert open_card(group, deck[i].b, [s[i] for s in shares[:2]]) not in cards


@each_backend
@pytest.mark.parametrize("name", names("proofs/shares.json"))
def test_golden_shares(group: Group, name: str) -> None:
    v = vector("proofs/shares.json", name)
    seed, ctx = bytes.fromhex(v["seed"]), bytes.fromhex(v["ctx"])
    secret = decode_scalar(bytes.fromhex(v["secret"]))
    public = group.mul_base(secret)
    key = KeyPair(secret, public, group.encode(public))
    assert key.encoded.hex() == v["key"]
    firsts = [group.decode(bytes.fromhex(a)) for a in v["firsts"]]
    body = bytes.fromhex(v["body"])
    assert make_shares(group, seed, ctx, key, firsts) == body
    for verify in VERIFIERS:
        assert len(verify(group, ctx, public, firsts, body)) == len(firsts)


@each_backend
def test_any_changed_element_fails(group: Group) -> None:
    key, firsts = key_for(group), some_firsts(group, 3)
    parts = split(make_shares(group, SEED, CTX, key, firsts))
    for i, part in enumerate(parts):
        if i == len(parts) - 1:
            changed = encode_scalar((decode_scalar(part) + 1) % Q)
        else:
            changed = group.encode(group.add(group.decode(part), group.generator))
        refuse(group, key.public, firsts, b"".join([*parts[:i], changed, *parts[i + 1 :]]))


def test_any_changed_octet_fails() -> None:
    key, firsts = key_for(FAST), some_firsts(FAST, 1)
    body = make_shares(FAST, SEED, CTX, key, firsts)
    for i in range(len(body)):
        for bit in (1, 0x80):
            changed = bytearray(body)
            changed[i] ^= bit
            refuse(FAST, key.public, firsts, bytes(changed))


@each_backend
def test_malformed_shares_are_refused(group: Group) -> None:
    key, firsts = key_for(group), some_firsts(group, 2)
    body = make_shares(group, SEED, CTX, key, firsts)
    too_large = (decode_scalar(body[-32:]) + Q).to_bytes(32, "little")
    for bad in (b"", body[:-1], body + b"\0", body[:-32], body[32:], body[:-32] + too_large):
        refuse(group, key.public, firsts, bad)


@each_backend
def test_trap_5_shares_hold_for_their_statement_only(group: Group) -> None:
    key, firsts = key_for(group), some_firsts(group, 3)
    body = make_shares(group, SEED, CTX, key, firsts)
    refuse(group, key.public, firsts, body, ctx=CTX[:-1] + b"!")
    refuse(group, key_for(group, 1).public, firsts, body)
    refuse(group, key.public, [firsts[1], firsts[0], firsts[2]], body)
    refuse(group, key.public, [*firsts[:2], group.mul_base(5)], body)
    parts = split(body)
    refuse(group, key.public, firsts, b"".join([parts[1], parts[0], *parts[2:]]))


def forge(group: Group, key: KeyPair, firsts: Sequence[Point], shares: Sequence[Point]) -> bytes:
    """A body for any D, honest in everything else: the best that a cheat can do unguided."""
    encoded = group.encode_many(shares)
    digest = hash_parts(
        "dleq",
        group.name.encode(),
        CTX,
        key.encoded,
        encode_list(group.encode_many(firsts)),
        encode_list(encoded),
    )
    rho = [challenge("r", digest, u64le(i)) for i in range(len(firsts))]
    w = 4242
    t = group.encode_many([group.mul_base(w), group.mul(w, group.msm(rho, firsts))])
    c = challenge("c", digest, *t)
    return b"".join([*encoded, *t, encode_scalar((w + c * key.secret) % Q)])


@each_backend
def test_the_forger_is_right_where_the_shares_are(group: Group) -> None:
    key, firsts = key_for(group), some_firsts(group, 3)
    body = forge(group, key, firsts, group.mul_each(key.secret, firsts))
    for verify in VERIFIERS:
        verify(group, CTX, key.public, firsts, body)


@each_backend
def test_wrong_shares_are_refused(group: Group) -> None:
    key, firsts = key_for(group), some_firsts(group, 3)
    right = group.mul_each(key.secret, firsts)
    g = group.generator
    for shares in (
        [group.add(right[0], g), *right[1:]],
        [group.add(right[0], g), group.sub(right[1], g), right[2]],  # errors that cancel
        [right[1], right[0], right[2]],
        [group.identity, *right[1:]],
        [group.neg(d) for d in right],
        group.mul_each(key.secret + 1, firsts),
    ):
        refuse(group, key.public, firsts, forge(group, key, firsts, shares))


@each_backend
def test_trap_2_an_identity_in_a_proof_is_judged_by_its_equations(group: Group) -> None:
    """w = 0 makes both t the identity; the proof is valid for both verifiers."""
    key, firsts = key_for(group), some_firsts(group, 2)
    shares = group.encode_many(group.mul_each(key.secret, firsts))
    digest = hash_parts(
        "dleq",
        group.name.encode(),
        CTX,
        key.encoded,
        encode_list(group.encode_many(firsts)),
        encode_list(shares),
    )
    c = challenge("c", digest, bytes(32), bytes(32))
    body = b"".join(shares) + bytes(64) + encode_scalar(c * key.secret % Q)
    for verify in VERIFIERS:
        verify(group, CTX, key.public, firsts, body)


def test_trap_3_no_nonce_serves_two_statements() -> None:
    """With one nonce for both, (s - s') / (c - c') would be the key."""
    key, firsts = key_for(FAST), some_firsts(FAST, 2)
    cases = [(CTX, firsts), (CTX[:-1] + b"!", firsts), (CTX, firsts[::-1]), (CTX, firsts[:1])]
    bodies = [make_shares(FAST, SEED, ctx, key, a) for ctx, a in cases]
    t1s = {body[-96:-64] for body in bodies}
    assert len(t1s) == len(cases)
    assert make_shares(FAST, SEED, CTX, key, firsts) == bodies[0]
    other = make_shares(FAST, SEED[::-1], CTX, key, firsts)
    assert other[:64] == bodies[0][:64]
    assert other[64:96] != bodies[0][64:96]


@each_backend
def test_trap_7_a_fresh_128_bit_weight_is_drawn_after_parsing(group: Group) -> None:
    key, firsts = key_for(group), some_firsts(group, 2)
    body = make_shares(group, SEED, CTX, key, firsts)
    asked: list[int] = []

    def weights(bits: int) -> int:
        asked.append(bits)
        return 3

    with pytest.raises(ProofError):
        verify_shares(group, CTX, key.public, firsts, body[:-1], weight_source=weights)
    assert asked == []
    verify_shares(group, CTX, key.public, firsts, body, weight_source=weights)
    assert asked == [128]


def test_trap_7_the_weight_is_what_ties_the_equations_together() -> None:
    """A proof of a false first equation would pass under a weight that its author foresees."""
    key, firsts = key_for(FAST), some_firsts(FAST, 2)
    shares = FAST.encode_many(FAST.mul_each(key.secret, firsts))
    digest = hash_parts(
        "dleq",
        FAST.name.encode(),
        CTX,
        key.encoded,
        encode_list(FAST.encode_many(firsts)),
        encode_list(shares),
    )
    rho = [challenge("r", digest, u64le(i)) for i in range(2)]
    t = FAST.encode_many([FAST.mul_base(99), FAST.mul(5, FAST.msm(rho, firsts))])
    c = challenge("c", digest, *t)
    body = b"".join([*shares, *t, encode_scalar((5 + c * key.secret) % Q)])
    verify_shares(FAST, CTX, key.public, firsts, body, weight_source=lambda _: 0)
    refuse(FAST, key.public, firsts, body)
