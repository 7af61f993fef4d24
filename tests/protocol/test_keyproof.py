"""Hand keys and their proof: completeness, binding, rogue keys, nonces."""

from __future__ import annotations

import dataclasses

import pytest

from protocol.group import Group, Point, ProofError, Q, decode_scalar, encode_scalar
from protocol.hashing import challenge
from protocol.keyproof import (
    KEY_PROOF_SIZE,
    KeyPair,
    KeyStatement,
    hand_key,
    joint_key,
    key_digest,
    prove_key,
    verify_key,
)
from tests.protocol.groups import FAST, SEED, each_backend, names, vector

STATEMENT = KeyStatement(
    match=b"match" * 6 + b"12",
    roster=(b"A" * 32, b"B" * 32, b"C" * 32),
    hand=4,
    seat=1,
    commitments=(b"x" * 64, b"y" * 64, b"z" * 64),
    head=b"head" * 8,
)
OTHERS = {
    "match": dataclasses.replace(STATEMENT, match=b"other" * 6 + b"12"),
    "roster": dataclasses.replace(STATEMENT, roster=(b"A" * 32, b"B" * 32, b"D" * 32)),
    "order of the roster": dataclasses.replace(STATEMENT, roster=(b"B" * 32, b"A" * 32, b"C" * 32)),
    "length of the roster": dataclasses.replace(STATEMENT, roster=(b"A" * 32, b"B" * 32)),
    "hand": dataclasses.replace(STATEMENT, hand=5),
    "seat": dataclasses.replace(STATEMENT, seat=0),
    "a commitment": dataclasses.replace(STATEMENT, commitments=(b"x" * 64, b"y" * 64, b"!" * 64)),
    "number of commitments": dataclasses.replace(STATEMENT, commitments=(b"x" * 64, b"y" * 64)),
    "head": dataclasses.replace(STATEMENT, head=b"tail" * 8),
}


def key_for(group: Group, statement: KeyStatement = STATEMENT, seed: bytes = SEED) -> KeyPair:
    return hand_key(group, seed, statement.match, statement.hand, statement.seat, statement.head)


@each_backend
def test_an_honest_key_is_accepted(group: Group) -> None:
    key = key_for(group)
    body = prove_key(group, SEED, STATEMENT, key)
    assert len(body) == KEY_PROOF_SIZE
    assert group.equal(verify_key(group, STATEMENT, body), key.public)
    assert group.encode(group.mul_base(key.secret)) == key.encoded == body[:32]


@each_backend
@pytest.mark.parametrize("name", names("proofs/keyproof.json"))
def test_golden_key_proofs(group: Group, name: str) -> None:
    v = vector("proofs/keyproof.json", name)
    statement = KeyStatement(
        bytes.fromhex(v["match"]),
        tuple(bytes.fromhex(k) for k in v["roster"]),
        v["hand"],
        v["seat"],
        tuple(bytes.fromhex(c) for c in v["commitments"]),
        bytes.fromhex(v["head"]),
    )
    seed = bytes.fromhex(v["seed"])
    key = key_for(group, statement, seed)
    assert encode_scalar(key.secret).hex() == v["secret"]
    assert key_digest(group, statement, key.encoded).hex() == v["digest"]
    assert prove_key(group, seed, statement, key).hex() == v["body"]
    assert group.encode(verify_key(group, statement, bytes.fromhex(v["body"]))) == key.encoded


@each_backend
@pytest.mark.parametrize("field", OTHERS)
def test_trap_9_a_key_copied_to_another_place_fails(group: Group, field: str) -> None:
    key = key_for(group)
    body = prove_key(group, SEED, STATEMENT, key)
    with pytest.raises(ProofError, match="wrong"):
        verify_key(group, OTHERS[field], body)


@pytest.mark.parametrize("field", OTHERS)
def test_trap_5_every_field_changes_the_challenge(field: str) -> None:
    x = key_for(FAST).encoded
    assert key_digest(FAST, OTHERS[field], x) != key_digest(FAST, STATEMENT, x)


def test_trap_5_the_key_itself_is_in_its_challenge() -> None:
    one, two = (FAST.encode(FAST.mul_base(k)) for k in (1, 2))
    assert key_digest(FAST, STATEMENT, one) != key_digest(FAST, STATEMENT, two)


def test_any_changed_octet_of_a_proof_fails() -> None:
    body = prove_key(FAST, SEED, STATEMENT, key_for(FAST))
    for i in range(len(body)):
        for bit in (1, 0x80):
            changed = bytearray(body)
            changed[i] ^= bit
            with pytest.raises(ProofError):
                verify_key(FAST, STATEMENT, bytes(changed))


@each_backend
def test_malformed_proofs_are_refused(group: Group) -> None:
    body = prove_key(group, SEED, STATEMENT, key_for(group))
    for bad in (b"", body[:-1], body + b"\0"):
        with pytest.raises(ProofError, match="octets long"):
            verify_key(group, STATEMENT, bad)
    too_large = (decode_scalar(body[64:]) + Q).to_bytes(32, "little")
    for bad in (bytes(32) + body[32:], body[:31] + b"\xff" + body[32:], body[:64] + too_large):
        with pytest.raises(ProofError, match="read"):
            verify_key(group, STATEMENT, bad)


@each_backend
def test_trap_2_an_identity_commitment_in_a_proof_is_judged_by_its_equation(group: Group) -> None:
    """w = 0 is foolish, but a proof with it is valid, whatever libsodium thinks of t."""
    key = key_for(group)
    c = challenge("k", key_digest(group, STATEMENT, key.encoded), bytes(32))
    body = key.encoded + bytes(32) + encode_scalar(c * key.secret % Q)
    assert group.equal(verify_key(group, STATEMENT, body), key.public)


@each_backend
def test_trap_4_a_rogue_key_cannot_be_proved(group: Group) -> None:
    """X = T - (sum of the others): the joint key would be T, whose secret the cheat knows."""
    honest = key_for(group).public
    target = 12345
    rogue = group.sub(group.mul_base(target), honest)
    assert group.equal(joint_key(group, [honest, rogue]), group.mul_base(target))
    x = group.encode(rogue)
    w = 777
    t = group.encode(group.mul_base(w))
    c = challenge("k", key_digest(group, STATEMENT, x), t)
    with pytest.raises(ProofError, match="secret"):
        verify_key(group, STATEMENT, x + t + encode_scalar((w + c * target) % Q))
    # The simulator's way, t = s G - c X for a c chosen first, needs the hash to hit that c.
    simulated = group.encode(group.sub(group.mul_base(w), group.mul(c, rogue)))
    with pytest.raises(ProofError, match="secret"):
        verify_key(group, STATEMENT, x + simulated + encode_scalar(w))


@each_backend
def test_trap_4_a_rogue_key_cannot_borrow_the_honest_proof(group: Group) -> None:
    body = prove_key(group, SEED, STATEMENT, key_for(group))
    rogue = group.encode(group.sub(group.mul_base(5), key_for(group).public))
    with pytest.raises(ProofError, match="secret"):
        verify_key(group, STATEMENT, rogue + body[32:])


@each_backend
def test_trap_4_keys_that_cancel_out_are_refused(group: Group) -> None:
    keys: list[Point] = [group.mul_base(3), group.mul_base(4), group.mul_base(Q - 7)]
    with pytest.raises(ProofError, match="cancel"):
        joint_key(group, keys)
    assert group.equal(joint_key(group, keys[:2]), group.mul_base(7))


@pytest.mark.parametrize("field", OTHERS)
def test_trap_3_no_nonce_serves_two_statements(field: str) -> None:
    """With one nonce for both, (s - s') / (c - c') would be the key."""
    key = key_for(FAST)
    bodies = [prove_key(FAST, SEED, st, key) for st in (STATEMENT, OTHERS[field])]
    assert bodies[0][32:64] != bodies[1][32:64]
    c, c2 = (
        challenge("k", key_digest(FAST, st, key.encoded), b[32:64])
        for st, b in zip((STATEMENT, OTHERS[field]), bodies, strict=True)
    )
    s, s2 = (decode_scalar(b[64:]) for b in bodies)
    assert (s - s2) * pow(c - c2, -1, Q) % Q != key.secret


@pytest.mark.parametrize("field", ["match", "hand", "seat", "head"])
def test_trap_3_every_place_has_its_own_key(field: str) -> None:
    assert key_for(FAST, OTHERS[field]).secret != key_for(FAST).secret


def test_trap_3_the_audit_rederives_every_octet() -> None:
    bodies = {prove_key(FAST, SEED, STATEMENT, key_for(FAST)) for _ in range(3)}
    assert len(bodies) == 1


def test_the_secret_is_not_shown() -> None:
    key = key_for(FAST)
    assert str(key.secret) not in repr(key)
