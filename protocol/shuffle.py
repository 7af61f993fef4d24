"""Shuffling an encrypted deck, and the proof that nothing but the order and the masks changed.

Law: this file knows ciphertexts, a joint key and a context. It must never know cards, seats or
what is played. The prover draws nothing: permutation, masks and nonces are functions of the seed
and of the statement, so that an audit re-derives every octet, and no nonce serves two statements.

The proof is Terelius and Wikström's (2010) in the form whose equations can be checked all at
once; `PROOFS.md` ("Shuffle") gives every formula, and the names here are the names there. Claim:
a'_i = a_pi(i) + r_i G and b'_i = b_pi(i) + r_i pk for some permutation pi and masks r. A reseal of
n slots is the same proof with N = n and a context that names the slots.

    body = a'_0 || b'_0 || .. || c || d || t || T1 || T2 || T3 || T4a || T4b || s1..s4 || y || s'
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Sequence
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
from protocol.hashing import (
    MAX_CARDS,
    challenge,
    derive,
    encode_list,
    generators,
    hash_parts,
    second_generator,
    u64le,
)

CIPHERTEXT_SIZE = 2 * POINT_SIZE
WEIGHT_BITS = 128


@dataclass(frozen=True, slots=True)
class Ciphertext:
    """One slot, (a, b) = (r G, M + r pk), with its 64 octets."""

    a: Point
    b: Point
    encoded: bytes


@dataclass(frozen=True, slots=True)
class Deck:
    """1 to 160 ciphertexts in order; build one with `make_deck` or `decode_deck`."""

    cards: tuple[Ciphertext, ...]

    def __len__(self) -> int:
        """The number of slots, N."""
        return len(self.cards)

    def __getitem__(self, slot: int) -> Ciphertext:
        """The ciphertext of a slot."""
        return self.cards[slot]

    @property
    def encoded(self) -> bytes:
        """N x 64 octets."""
        return b"".join(card.encoded for card in self.cards)

    @property
    def firsts(self) -> tuple[Point, ...]:
        """The first components a_i."""
        return tuple(card.a for card in self.cards)

    @property
    def seconds(self) -> tuple[Point, ...]:
        """The second components b_i."""
        return tuple(card.b for card in self.cards)


@dataclass(frozen=True, slots=True)
class Shuffled:
    """A shuffle by this node: the new deck, its proof, and (secret) where each card came from.

    `permutation[i]` is the input slot of output slot i.
    """

    deck: Deck
    proof: bytes = field(repr=False)
    permutation: tuple[int, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Witness:
    """What the prover knows: pi and the masks r_i of the outputs."""

    permutation: tuple[int, ...] = field(repr=False)
    masks: tuple[int, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Nonces:
    """The prover's one-time scalars, named as in `PROOFS.md`: rh, v, w' and w1..w4."""

    rh: tuple[int, ...] = field(repr=False)
    v: tuple[int, ...] = field(repr=False)
    w_prime: tuple[int, ...] = field(repr=False)
    w: tuple[int, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Proof:
    """A proof as group elements and scalars, in the order of its octets."""

    c: tuple[Point, ...]
    d: tuple[Point, ...]
    t: tuple[Point, ...]
    tees: tuple[Point, ...]
    """T1, T2, T3, T4a, T4b."""
    s: tuple[int, ...]
    """s1..s4."""
    y: tuple[int, ...]
    s_prime: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Checked:
    """A parsed proof with what the verifier computes from the statement: u, x and U."""

    proof: Proof
    u: list[int]
    x: int
    product: int


# --- Decks and encodings -----------------------------------------------------------------------


def proof_size(count: int) -> int:
    """Octets of a proof for N cards: (5N + 9) x 32."""
    return (3 * count + 5) * POINT_SIZE + (2 * count + 4) * SCALAR_SIZE


def body_size(count: int) -> int:
    """Octets of a shuffle body: the deck and the proof."""
    return count * CIPHERTEXT_SIZE + proof_size(count)


def _check_count(count: int) -> None:
    if not 1 <= count <= MAX_CARDS:
        raise ValueError("a deck has 1 to 160 cards")


def make_deck(group: Group, pairs: Sequence[tuple[Point, Point]]) -> Deck:
    """A deck of pairs (a, b); ValueError: none, or more than 160 (our own bug)."""
    _check_count(len(pairs))
    encoded = group.encode_many([point for pair in pairs for point in pair])
    return Deck(
        tuple(
            Ciphertext(a, b, encoded[2 * i] + encoded[2 * i + 1]) for i, (a, b) in enumerate(pairs)
        )
    )


def start_deck(group: Group, points: Sequence[Point], pk: Point) -> Deck:
    """The deck before the first shuffle: (G, M_i + pk), the public mask 1 for each card.

    Never (0, M): components are not the identity, here as everywhere.
    """
    return make_deck(group, [(group.generator, group.add(m, pk)) for m in points])


def decode_deck(group: Group, data: bytes) -> Deck:
    """The deck of N x 64 octets, 1 <= N <= 160.

    EncodingError: another length, or a component that isn't canonical or is the identity.
    """
    if len(data) % CIPHERTEXT_SIZE or not 1 <= len(data) // CIPHERTEXT_SIZE <= MAX_CARDS:
        raise EncodingError("A deck has a wrong length.")
    raw = bytes(data)
    points = group.decode_many(raw)
    return Deck(
        tuple(
            Ciphertext(
                points[2 * i],
                points[2 * i + 1],
                raw[CIPHERTEXT_SIZE * i : CIPHERTEXT_SIZE * (i + 1)],
            )
            for i in range(len(points) // 2)
        )
    )


def encode_proof(group: Group, proof: Proof) -> bytes:
    """The (5N + 9) x 32 octets of a proof."""
    points = group.encode_many([*proof.c, *proof.d, *proof.t, *proof.tees])
    return b"".join(points) + b"".join(map(encode_scalar, (*proof.s, *proof.y, *proof.s_prime)))


def decode_proof(group: Group, data: bytes, count: int) -> Proof:
    """The proof for N = `count` cards; EncodingError for any other length or encoding.

    Its points may be the identity: a valid proof can have one (when the sum of rc is 0).
    """
    if len(data) != proof_size(count):
        raise EncodingError("A shuffle proof has a wrong length.")
    raw = bytes(data)
    split = (3 * count + 5) * POINT_SIZE
    points = tuple(group.decode_many(raw[:split], allow_identity=True))
    scalars = tuple(
        decode_scalar(raw[i : i + SCALAR_SIZE]) for i in range(split, len(raw), SCALAR_SIZE)
    )
    n = count
    return Proof(
        c=points[:n],
        d=points[n : 2 * n],
        t=points[2 * n : 3 * n],
        tees=points[3 * n :],
        s=scalars[:4],
        y=scalars[4 : 4 + n],
        s_prime=scalars[4 + n :],
    )


def encode_shuffle_body(shuffled: Shuffled) -> bytes:
    """What is published: the output deck, then the proof."""
    return shuffled.deck.encoded + shuffled.proof


def decode_shuffle_body(group: Group, body: bytes, count: int) -> tuple[Deck, Proof]:
    """Deck and proof of a body for N = `count` cards, both still unproven.

    ProofError: wrong length or an encoding that isn't canonical.
    """
    _check_count(count)
    size = body_size(count)
    if len(body) != size:
        raise ProofError(f"A shuffle of {count} cards is {len(body)} octets long, not {size}.")
    split = count * CIPHERTEXT_SIZE
    try:
        return decode_deck(group, body[:split]), decode_proof(group, body[split:], count)
    except EncodingError as error:
        raise ProofError(f"A shuffle can't be read: {error}") from error


# --- The statement -----------------------------------------------------------------------------


def _deck_list(deck: Deck) -> bytes:
    return encode_list([card.encoded for card in deck.cards])


def input_digest(group: Group, ctx: bytes, pk: bytes, deck: Deck) -> bytes:
    """I = H("shuffle-input", group, ctx, pk, e): what permutation and masks are derived from."""
    return hash_parts("shuffle-input", group.name.encode("ascii"), ctx, pk, _deck_list(deck))


def statement_digest(
    group: Group, ctx: bytes, pk: bytes, decks: tuple[Deck, Deck], c: Sequence[bytes]
) -> bytes:
    """S = H("shuffle", group, ctx, N, pk, h, h_i, e, e', c): the whole statement and step 1."""
    count = len(decks[0])
    return hash_parts(
        "shuffle",
        group.name.encode("ascii"),
        ctx,
        u64le(count),
        pk,
        group.encode(second_generator(group)),
        encode_list(group.encode_many(generators(group, count))),
        _deck_list(decks[0]),
        _deck_list(decks[1]),
        encode_list(c),
    )


def exponents(digest: bytes, count: int) -> list[int]:
    """u_j = C128("u", S, j)."""
    return [challenge("u", digest, u64le(j)) for j in range(count)]


def final_challenge(
    digest: bytes, d: Sequence[bytes], t: Sequence[bytes], tees: Sequence[bytes]
) -> int:
    """x = C128("c", S, d, t, T1, T2, T3, T4a, T4b)."""
    return challenge("c", digest, encode_list(d), encode_list(t), *tees)


# --- Prover ------------------------------------------------------------------------------------


def apply_witness(group: Group, pk: Point, deck: Deck, witness: Witness) -> Deck:
    """e'_i = e_pi(i) + r_i (G, pk)."""
    firsts = group.mul_base_each(witness.masks)
    seconds = group.mul_fixed_each(witness.masks, pk)
    return make_deck(
        group,
        [
            (group.add(deck[j].a, first), group.add(deck[j].b, second))
            for j, first, second in zip(witness.permutation, firsts, seconds, strict=True)
        ],
    )


def commit_permutation(group: Group, permutation: Sequence[int], rc: Sequence[int]) -> list[Point]:
    """c with c_pi(i) = rc_pi(i) G + h_i."""
    hs = generators(group, len(permutation))
    masks = group.mul_base_each(rc)
    c = list(masks)
    for i, j in enumerate(permutation):
        c[j] = group.add(masks[j], hs[i])
    return c


def derive_nonces(seed: bytes, digest: bytes, count: int) -> Nonces:
    """All scalars of steps 4 to 6, from the seed and S."""
    return Nonces(
        rh=derive(seed, "shuffle-chain", digest).scalars(count),
        v=derive(seed, "shuffle-step", digest).scalars(count),
        w_prime=derive(seed, "shuffle-exponent", digest).scalars(count),
        w=derive(seed, "shuffle-sum", digest).scalars(4),
    )


def prove(
    group: Group,
    ctx: bytes,
    pk: Point,
    decks: tuple[Deck, Deck],
    witness: Witness,
    *,
    rc: Sequence[int],
    nonces: Callable[[bytes], Nonces],
) -> Proof:
    """The proof for (input, output) with all its scalars given; `nonces` maps S to them.

    `shuffle` is the only caller outside the tests, which also ask for proofs of false claims.
    """
    count, pi = len(decks[0]), witness.permutation
    h, hs, g_n = second_generator(group), generators(group, count), range(count)
    c = commit_permutation(group, pi, rc)
    digest = statement_digest(group, ctx, group.encode(pk), decks, group.encode_many(c))
    u = exponents(digest, count)
    u_prime = [u[j] for j in pi]
    z = nonces(digest)

    chain, product = 0, 1  # R_{i-1} and U_{i-1}
    d_base, d_h, t_base, t_h = [], [], [], []
    for i in g_n:
        t_base.append(z.v[i] + z.w_prime[i] * chain)
        t_h.append(z.w_prime[i] * product)
        chain = (z.rh[i] + u_prime[i] * chain) % Q
        product = u_prime[i] * product % Q
        d_base.append(chain)
        d_h.append(product)
    both = group.commit_each(d_base + t_base, d_h + t_h, h)
    d, t = both[:count], both[count:]

    w1, w2, w3, w4 = z.w
    out = decks[1]
    tees = (
        group.mul_base(w1),
        group.mul_base(w2),
        group.add(group.mul_base(w3), group.msm(z.w_prime, hs)),
        group.sub(group.msm(z.w_prime, out.firsts), group.mul_base(w4)),
        group.sub(group.msm(z.w_prime, out.seconds), group.mul(w4, pk)),
    )
    x = final_challenge(digest, group.encode_many(d), group.encode_many(t), group.encode_many(tees))
    s = (
        w1 + x * sum(rc),
        w2 + x * chain,
        w3 + x * sum(u[j] * rc[j] for j in g_n),
        w4 + x * sum(u_prime[i] * witness.masks[i] for i in g_n),
    )
    return Proof(
        c=tuple(c),
        d=tuple(d),
        t=tuple(t),
        tees=tees,
        s=tuple(k % Q for k in s),
        y=tuple((z.v[i] + x * z.rh[i]) % Q for i in g_n),
        s_prime=tuple((z.w_prime[i] + x * u_prime[i]) % Q for i in g_n),
    )


def derive_witness(group: Group, seed: bytes, ctx: bytes, pk: Point, deck: Deck) -> Witness:
    """The permutation and masks that a seed gives for one context, key and input deck."""
    digest = input_digest(group, ctx, group.encode(pk), deck)
    return Witness(
        derive(seed, "shuffle-permutation", digest).permutation(len(deck)),
        derive(seed, "shuffle-masks", digest).scalars(len(deck)),
    )


def shuffle(group: Group, seed: bytes, ctx: bytes, pk: Point, deck: Deck) -> Shuffled:
    """Permute and re-encrypt 1 to 160 ciphertexts, with the proof of it.

    A function of its arguments: the audit calls it again and compares. `ctx` must name match,
    roster, hand, step, seat, all hand keys and the log head (and, for a reseal, the slots).
    """
    _check_count(len(deck))
    witness = derive_witness(group, seed, ctx, pk, deck)
    out = apply_witness(group, pk, deck, witness)
    inputs = input_digest(group, ctx, group.encode(pk), deck)
    rc = derive(seed, "shuffle-commitment", inputs, _deck_list(out)).scalars(len(deck))
    proof = prove(
        group,
        ctx,
        pk,
        (deck, out),
        witness,
        rc=rc,
        nonces=lambda s: derive_nonces(seed, s, len(deck)),
    )
    return Shuffled(out, encode_proof(group, proof), witness.permutation)


# --- Verifier ----------------------------------------------------------------------------------


def _check_statement(
    group: Group, ctx: bytes, pk: Point, deck_in: Deck, body: bytes
) -> tuple[Deck, _Checked]:
    """Parse a body and recompute S, u, x and U."""
    count = len(deck_in)
    out, proof = decode_shuffle_body(group, body, count)
    # The encodings are taken from the body: each was found canonical, so it is the point's own.
    start = count * CIPHERTEXT_SIZE
    raw = bytes(body)
    points = [raw[start + 32 * i : start + 32 * (i + 1)] for i in range(3 * count + 5)]
    digest = statement_digest(group, ctx, group.encode(pk), (deck_in, out), points[:count])
    u = exponents(digest, count)
    x = final_challenge(
        digest, points[count : 2 * count], points[2 * count : 3 * count], points[3 * count :]
    )
    product = 1
    for u_j in u:
        product = product * u_j % Q
    return out, _Checked(proof, u, x, product)


_WRONG = "A shuffle is wrong: its proof doesn't hold for the deck that it gives."


def verify_shuffle(
    group: Group,
    ctx: bytes,
    pk: Point,
    deck_in: Deck,
    body: bytes,
    *,
    weight_source: Callable[[int], int] = secrets.randbits,
) -> Deck:
    """The output deck of a shuffle body, once its proof holds: all equations in one sum.

    `weight_source(bits)` gives the N + 4 random weights, drawn after the body was received; only
    tests pass another. ProofError: the body is malformed or its proof is wrong.
    """
    out, k = _check_statement(group, ctx, pk, deck_in, body)
    n, p = len(deck_in), k.proof
    # The first equation may have weight 1: the others' weights don't depend on it.
    m2, m3, m4a, m4b = (weight_source(WEIGHT_BITS) for _ in range(4))
    m = [weight_source(WEIGHT_BITS) for _ in range(n)]

    on_c = [k.x * (1 + m3 * u_j) for u_j in k.u]
    on_h_i = [-k.x - m3 * s for s in p.s_prime]
    on_a = [m4a * k.x * u_j for u_j in k.u]
    on_b = [m4b * k.x * u_j for u_j in k.u]
    on_a_out = [-m4a * s for s in p.s_prime]
    on_b_out = [-m4b * s for s in p.s_prime]
    on_d = [m[i] * k.x - (m[i + 1] * p.s_prime[i + 1] if i + 1 < n else 0) for i in range(n)]
    on_d[-1] += m2 * k.x
    on_h = -m2 * k.x * k.product - m[0] * p.s_prime[0]
    on_base = p.s[0] + m2 * p.s[1] + m3 * p.s[2] - m4a * p.s[3]
    on_base += sum(w * y for w, y in zip(m, p.y, strict=True))

    scalars = [*on_c, *on_h_i, *on_a, *on_b, *on_a_out, *on_b_out, *on_d, *m]
    points = [*p.c, *generators(group, n), *deck_in.firsts, *deck_in.seconds]
    points += [*out.firsts, *out.seconds, *p.d, *p.t]
    scalars += [on_h, m4b * p.s[3], m2, m3, m4a, m4b]
    points += [second_generator(group), pk, *p.tees[1:]]
    total = group.add(p.tees[0], group.msm(scalars, points))
    if not group.equal(total, group.mul_base(on_base)):
        raise ProofError(_WRONG)
    return out


def verify_shuffle_by_equation(
    group: Group, ctx: bytes, pk: Point, deck_in: Deck, body: bytes
) -> Deck:
    """As `verify_shuffle`, one equation at a time and without weights: the tests' oracle."""
    out, k = _check_statement(group, ctx, pk, deck_in, body)
    n, p, x, base = len(deck_in), k.proof, k.x, group.mul_base
    h, hs = second_generator(group), generators(group, n)
    t1, t2, t3, t4a, t4b = p.tees
    s1, s2, s3, s4 = p.s

    def plus(t: Point, point: Point) -> Point:
        return group.add(t, group.mul(x, point))

    sums = group.sub(group.sum(p.c), group.sum(hs))
    last = group.sub(p.d[-1], group.mul(k.product, h))
    mixed_out_a = group.msm(p.s_prime, out.firsts)
    mixed_out_b = group.msm(p.s_prime, out.seconds)
    equations = [
        (plus(t1, sums), base(s1)),
        (plus(t2, last), base(s2)),
        (plus(t3, group.msm(k.u, p.c)), group.add(base(s3), group.msm(p.s_prime, hs))),
        (plus(t4a, group.msm(k.u, deck_in.firsts)), group.sub(mixed_out_a, base(s4))),
        (plus(t4b, group.msm(k.u, deck_in.seconds)), group.sub(mixed_out_b, group.mul(s4, pk))),
    ]
    before = h
    for i in range(n):
        right = group.add(base(p.y[i]), group.mul(p.s_prime[i], before))
        equations.append((plus(p.t[i], p.d[i]), right))
        before = p.d[i]
    if not all(group.equal(left, right) for left, right in equations):
        raise ProofError(_WRONG)
    return out
