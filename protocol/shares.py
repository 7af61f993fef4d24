"""Decryption shares for a list of slots, with one batched proof.

Law: this file knows a key, a context and the slots' first components. It must never know which
seat may see what: who owes shares, and for which slots, is decided elsewhere, and `make_shares`
is a decryption oracle for whatever it is given. The prover draws nothing.

    D_i = k a_i;  B = H("dleq", group, ctx, X, a, D);  rho_i = C128("r", B, i)
    A = sum rho_i a_i;  w = derive(seed, "dleq-nonce", B);  t = (w G, w A)
    c = C128("c", B, t_1, t_2);  s = w + c k
    body = D_0 .. D_{n-1} || t_1 || t_2 || s

The verifier checks s G = t_1 + c X and s A = t_2 + c sum rho_i D_i (`PROOFS.md`, "Shares"), both
at once: the first with a random 128-bit weight drawn after the body was received.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass

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
from protocol.hashing import MAX_CARDS, challenge, derive, encode_list, hash_parts, u64le
from protocol.keyproof import KeyPair

WEIGHT_BITS = 128


def shares_size(count: int) -> int:
    """Octets of a body for `count` slots: (count + 3) x 32."""
    return (count + 2) * POINT_SIZE + SCALAR_SIZE


@dataclass(frozen=True, slots=True)
class _Proof:
    """A parsed body with everything that its statement determines."""

    shares: list[Point]
    t1: Point
    t2: Point
    s: int
    rho: list[int]
    c: int


def _digest(
    group: Group, ctx: bytes, key: bytes, firsts: Sequence[bytes], shares: Sequence[bytes]
) -> bytes:
    return hash_parts(
        "dleq", group.name.encode("ascii"), ctx, key, encode_list(firsts), encode_list(shares)
    )


def _weights(digest: bytes, count: int) -> list[int]:
    return [challenge("r", digest, u64le(i)) for i in range(count)]


def _check_count(count: int) -> None:
    if not 1 <= count <= MAX_CARDS:
        raise ValueError("shares are made for 1 to 160 slots")


def make_shares(
    group: Group, seed: bytes, ctx: bytes, key: KeyPair, firsts: Sequence[Point]
) -> bytes:
    """The shares of `key` for the first components a_i of 1 to 160 slots, with their proof.

    `ctx` must name the step and the slots. ValueError: no slots, or too many (our own bug).
    """
    _check_count(len(firsts))
    shares = group.encode_many(group.mul_each(key.secret, firsts))
    digest = _digest(group, ctx, key.encoded, group.encode_many(firsts), shares)
    combined = group.msm(_weights(digest, len(firsts)), firsts)
    w = derive(seed, "dleq-nonce", digest).scalar()
    t1, t2 = group.encode_many((group.mul_base(w), group.mul(w, combined)))
    c = challenge("c", digest, t1, t2)
    return b"".join(shares) + t1 + t2 + encode_scalar((w + c * key.secret) % Q)


def decode_shares(group: Group, body: bytes, count: int) -> tuple[Point, ...]:
    """The shares in a body for `count` slots, unproven; ProofError unless they can be read."""
    _check_count(count)
    if len(body) != shares_size(count):
        raise ProofError(f"Shares for {count} slots are {len(body)} octets long.")
    try:
        return tuple(group.decode_many(body[: count * POINT_SIZE], allow_identity=True))
    except EncodingError as error:
        raise ProofError(f"Shares can't be read: {error}") from error


def _parse(group: Group, ctx: bytes, public: Point, firsts: Sequence[Point], body: bytes) -> _Proof:
    count = len(firsts)
    _check_count(count)
    size = shares_size(count)
    if len(body) != size:
        raise ProofError(f"Shares for {count} slots are {len(body)} octets long, not {size}.")
    data = bytes(body)
    points = data[: (count + 2) * POINT_SIZE]
    try:
        decoded = group.decode_many(points, allow_identity=True)
        s = decode_scalar(data[len(points) :])
    except EncodingError as error:
        raise ProofError(f"Shares can't be read: {error}") from error
    encoded = [points[i : i + POINT_SIZE] for i in range(0, len(points), POINT_SIZE)]
    digest = _digest(group, ctx, group.encode(public), group.encode_many(firsts), encoded[:count])
    c = challenge("c", digest, encoded[count], encoded[count + 1])
    return _Proof(
        decoded[:count], decoded[count], decoded[count + 1], s, _weights(digest, count), c
    )


def verify_shares(
    group: Group,
    ctx: bytes,
    public: Point,
    firsts: Sequence[Point],
    body: bytes,
    *,
    weight_source: Callable[[int], int] = secrets.randbits,
) -> tuple[Point, ...]:
    """The shares D_i of the seat with key `public`, once their proof holds.

    `weight_source(bits)` gives the random weight; only tests pass another. ProofError: wrong
    length, an encoding that isn't canonical, or a wrong proof. ValueError: no slots or too many.
    """
    p = _parse(group, ctx, public, firsts, body)
    omega = weight_source(WEIGHT_BITS)
    scalars = [p.s * r for r in p.rho]
    scalars += [-p.c * r for r in p.rho]
    scalars += [-omega, -omega * p.c]
    points = [*firsts, *p.shares, p.t1, public]
    total = group.add(group.msm(scalars, points), group.mul_base(omega * p.s))
    if not group.equal(total, p.t2):
        raise ProofError("Decryption shares are wrong: they weren't made with the seat's key.")
    return tuple(p.shares)


def verify_shares_by_equation(
    group: Group, ctx: bytes, public: Point, firsts: Sequence[Point], body: bytes
) -> tuple[Point, ...]:
    """As `verify_shares`, one equation at a time: the oracle that the batched form is held to."""
    p = _parse(group, ctx, public, firsts, body)
    combined = group.msm(p.rho, firsts)
    first = group.equal(group.mul_base(p.s), group.add(p.t1, group.mul(p.c, public)))
    right = group.add(p.t2, group.mul(p.c, group.msm(p.rho, p.shares)))
    if not (first and group.equal(group.mul(p.s, combined), right)):
        raise ProofError("Decryption shares are wrong: they weren't made with the seat's key.")
    return tuple(p.shares)


def open_card(group: Group, second: Point, shares: Sequence[Point]) -> Point:
    """The card point of a slot: its second component less ALL seats' shares for it."""
    return group.sub(second, group.sum(shares))
