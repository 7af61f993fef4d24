"""Hand keys and the proof that a seat knows its own.

Law: this file knows one seat's key for one hand and the statement it is proved for. It must
never know decks or cards, and the prover draws nothing: all is a function of seed and statement.

A key without a proof of knowledge could be chosen as "the joint key I want, minus the others'
keys" (a rogue key). Two things stop it: every seat commits to its key before any is opened, and
this proof (Schnorr, `PROOFS.md` "Key proof") names match, hand, seat, all commitments and the log
head, so that nobody can copy it either.

    k = derive(seed, "key", match, hand, seat, head), not 0;  X = k G
    Q = H("key", group, version, match, roster, hand, seat, commitments, head, X)
    w = derive(seed, "key-nonce", Q);  t = w G;  c = C128("k", Q, t);  s = w + c k
    body = X || t || s;  the verifier checks s G = t + c X
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from protocol.group import (
    POINT_SIZE,
    SCALAR_SIZE,
    EncodingError,
    Group,
    Point,
    ProofError,
    Q,
    decode_scalar,
    encode_scalar,
)
from protocol.hashing import VERSION, challenge, derive, encode_list, hash_parts, u64le

KEY_PROOF_SIZE = 2 * POINT_SIZE + SCALAR_SIZE


@dataclass(frozen=True, slots=True)
class KeyPair:
    """A seat's key for one hand: secret k (never shown), X = k G and its encoding."""

    secret: int = field(repr=False)
    public: Point
    encoded: bytes


@dataclass(frozen=True, slots=True)
class KeyStatement:
    """What a key proof is bound to, besides the key itself.

    `roster` are the identity keys in order of seats, `commitments` all seats' key commitments in
    the same order (octets of any length), `head` the log head that they stand on.
    """

    match: bytes
    roster: tuple[bytes, ...]
    hand: int
    seat: int
    commitments: tuple[bytes, ...]
    head: bytes


def hand_key(  # noqa: PLR0917 - the statement's fields, in their order in the hash
    group: Group, seed: bytes, match: bytes, hand: int, seat: int, head: bytes
) -> KeyPair:
    """The key that a seed gives for one match, hand, seat and log head (derived, not drawn)."""
    secret = derive(seed, "key", match, u64le(hand), u64le(seat), head).nonzero_scalar()
    public = group.mul_base(secret)
    return KeyPair(secret, public, group.encode(public))


def key_digest(group: Group, statement: KeyStatement, encoded_key: bytes) -> bytes:
    """Q: the hash of the whole statement."""
    return hash_parts(
        "key",
        group.name.encode("ascii"),
        VERSION,
        statement.match,
        encode_list(statement.roster),
        u64le(statement.hand),
        u64le(statement.seat),
        encode_list(statement.commitments),
        statement.head,
        encoded_key,
    )


def prove_key(group: Group, seed: bytes, statement: KeyStatement, key: KeyPair) -> bytes:
    """The body X || t || s (96 octets) that opens a key and proves that k is known."""
    digest = key_digest(group, statement, key.encoded)
    w = derive(seed, "key-nonce", digest).scalar()
    t = group.encode(group.mul_base(w))
    c = challenge("k", digest, t)
    return key.encoded + t + encode_scalar((w + c * key.secret) % Q)


def verify_key(group: Group, statement: KeyStatement, body: bytes) -> Point:
    """The public key X of a proved opening.

    ProofError: wrong length, an encoding that isn't canonical, X the identity, or a wrong proof.
    """
    if len(body) != KEY_PROOF_SIZE:
        raise ProofError(f"A key proof is {len(body)} octets long, not {KEY_PROOF_SIZE}.")
    encoded, t_bytes, s_bytes = body[:32], body[32:64], body[64:]
    try:
        public = group.decode(encoded)
        t = group.decode(t_bytes, allow_identity=True)
        s = decode_scalar(s_bytes)
    except EncodingError as error:
        raise ProofError(f"A key proof can't be read: {error}") from error
    c = challenge("k", key_digest(group, statement, bytes(encoded)), bytes(t_bytes))
    if not group.equal(group.mul_base(s), group.add(t, group.mul(c, public))):
        raise ProofError("A key proof is wrong: its author doesn't know the secret key.")
    return public


def joint_key(group: Group, keys: Sequence[Point]) -> Point:
    """The sum of all seats' keys, under which the deck is encrypted.

    ProofError: the sum is the identity, which would leave every card open (its chance among
    honest keys is 2^-252).
    """
    total = group.sum(keys)
    if group.is_identity(total):
        raise ProofError("The seats' keys cancel out.")
    return total
