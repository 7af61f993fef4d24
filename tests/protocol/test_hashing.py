"""Hashes, derivations and points without a known logarithm: formulas, vectors, separation."""

from __future__ import annotations

import hashlib
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import hashing
from protocol.group import Group, Q
from protocol.hashing import (
    MAX_CARDS,
    Stream,
    card_points,
    challenge,
    derive,
    encode_list,
    frame,
    generators,
    hash_parts,
    second_generator,
    u64le,
)
from tests.protocol.groups import SEED, each_backend, vectors

VECTORS = vectors("proofs/hashing.json")


def plain(*parts: bytes) -> bytes:
    """H written out once more, without the code under test."""
    data = b"".join(len(p).to_bytes(8, "little") + p for p in parts)
    return hashlib.sha512(data).digest()


def test_the_formula_of_the_hash() -> None:
    assert hash_parts("x", b"ab", b"") == plain(b"busso/1/x", b"ab", b"")
    assert encode_list([b"a", b""]) == u64le(2) + frame(b"a") + frame(b"")
    assert frame(b"abc") == b"\3\0\0\0\0\0\0\0abc"
    assert challenge("x", b"ab") == int.from_bytes(plain(b"busso/1/x", b"ab")[:16], "little")
    stream = plain(b"busso/1/derive", SEED, b"key", b"m")
    blocks = [plain(b"busso/1/stream", stream, u64le(i)) for i in range(2)]
    want = tuple(int.from_bytes(b, "little") % Q for b in blocks)
    assert derive(SEED, "key", b"m").scalars(2) == want


@pytest.mark.parametrize("n", [-1, 2**64])
def test_integers_outside_eight_octets_are_our_own_bug(n: int) -> None:
    with pytest.raises(OverflowError):
        u64le(n)


def test_golden_hashes_and_derivations() -> None:
    for v in VECTORS["hashes"]:
        parts = [bytes.fromhex(p) for p in v["parts"]]
        assert hash_parts(v["tag"], *parts).hex() == v["hash"]
        assert challenge(v["tag"], *parts) == int(v["c128"])
    for v in VECTORS["derivations"]:
        parts = [bytes.fromhex(p) for p in v["parts"]]
        seed = bytes.fromhex(v["seed"])
        scalars = derive(seed, v["label"], *parts).scalars(len(v["scalars"]))
        assert [k.to_bytes(32, "little").hex() for k in scalars] == v["scalars"]
        permutation = derive(seed, v["label"], *parts).permutation(len(v["permutation"]))
        assert list(permutation) == v["permutation"]


@each_backend
def test_golden_points(group: Group) -> None:
    points = VECTORS["points"]
    assert group.encode(second_generator(group)).hex() == points["h"]
    count = len(points["h_i"])
    assert [e.hex() for e in group.encode_many(generators(group, count))] == points["h_i"]
    cards = points["cards"]
    made = card_points(group, cards["deck_kind"], len(cards["points"]))
    assert [e.hex() for e in group.encode_many(made)] == cards["points"]


@each_backend
def test_trap_6_generators_and_cards_come_from_hash_to_group_only(group: Group) -> None:
    name = b"ristretto255"

    def point(tag: bytes, *parts: bytes) -> bytes:
        return group.encode(group.from_uniform(plain(b"busso/1/" + tag, name, *parts)))

    assert group.encode(second_generator(group)) == point(b"generator")
    for i, h_i in enumerate(generators(group, 3)):
        assert group.encode(h_i) == point(b"generators", u64le(i))
    for i, card in enumerate(card_points(group, "italian-40", 3)):
        assert group.encode(card) == point(b"card", b"italian-40", u64le(i))


@each_backend
def test_trap_6_no_two_cards_or_generators_are_the_same(group: Group) -> None:
    points = [
        group.generator,
        second_generator(group),
        *generators(group, 40),
        *card_points(group, "a", 40),
        *card_points(group, "b", 40),
    ]
    assert len(set(group.encode_many(points))) == len(points)
    assert card_points(group, "a", 80)[:40] == card_points(group, "a", 40)


@each_backend
def test_numbers_of_cards_are_bounded(group: Group) -> None:
    for count in (0, -1, MAX_CARDS + 1):
        with pytest.raises(ValueError, match="160"):
            card_points(group, "a", count)
    for count in (-1, MAX_CARDS + 1):
        with pytest.raises(ValueError, match="generators"):
            generators(group, count)


PARTS = st.lists(st.binary(max_size=20), max_size=5)


@given(a=PARTS, b=PARTS)
def test_trap_5_different_parts_never_share_octets(a: list[bytes], b: list[bytes]) -> None:
    assert (hash_parts("x", *a) == hash_parts("x", *b)) == (a == b)
    assert (encode_list(a) == encode_list(b)) == (a == b)
    assert hash_parts("x", *a) != hash_parts("y", *a)
    assert (
        hash_parts("x", encode_list(a), encode_list(b))
        == hash_parts("x", encode_list(b), encode_list(a))
    ) == (a == b)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((b"ab", b"c"), (b"a", b"bc")),
        ((b"abc",), (b"abc", b"")),
        ((b"",), ()),
        ((frame(b"a"),), (b"a",)),
        ((encode_list([b"a", b"b"]),), (encode_list([b"a"]), b"b")),
    ],
)
def test_trap_5_moving_a_border_changes_the_hash(
    left: tuple[bytes, ...], right: tuple[bytes, ...]
) -> None:
    assert hash_parts("x", *left) != hash_parts("x", *right)


def test_trap_3_label_seed_and_statement_all_change_the_stream() -> None:
    other = bytes([1]) + SEED[1:]
    streams = [
        derive(SEED, "a", b"x"),
        derive(SEED, "b", b"x"),
        derive(SEED, "a", b"y"),
        derive(SEED, "a", b"x", b""),
        derive(SEED, "a"),
        derive(other, "a", b"x"),
    ]
    drawn = [s.scalars(3) for s in streams]
    assert len(set(itertools.chain(*drawn))) == 18
    assert derive(SEED, "a", b"x").scalars(3) == drawn[0]


@pytest.mark.parametrize("size", [0, 31, 33])
def test_a_seed_of_another_length_is_our_own_bug(size: int) -> None:
    with pytest.raises(ValueError, match="32"):
        derive(bytes(size), "a")


class Fixed(Stream):
    """A stream whose blocks are given."""

    __slots__ = ("blocks",)

    def __init__(self, *blocks: bytes) -> None:
        super().__init__(b"")
        self.blocks = list(blocks)

    def block(self) -> bytes:
        return self.blocks.pop(0)


def words(*values: int) -> bytes:
    return b"".join(v.to_bytes(8, "little") for v in values)


def test_a_biased_word_is_rejected() -> None:
    limit = 2**64 - 2**64 % 3
    assert Fixed(words(limit, 2**64 - 1, limit - 1)).below(3) == (limit - 1) % 3
    assert Fixed(words(5)).below(1) == 0
    assert Fixed(words(2**64 - 1)).below(4) == 3


def test_words_are_used_once_and_in_order() -> None:
    stream = Fixed(words(*range(8)), words(*range(8, 16)))
    assert [stream.below(2**32) for _ in range(16)] == list(range(16))


def test_fisher_yates_from_the_last_place_down() -> None:
    # i = 3, 2, 1 with j = 0, 2, 0: 0123 -> 3120 -> 3120 -> 1320
    assert Fixed(words(0, 2, 0)).permutation(4) == (1, 3, 2, 0)


def test_the_zero_scalar_is_skipped_for_keys() -> None:
    zero, one = bytes(64), (Q + 1).to_bytes(64, "little")
    assert Fixed(zero, Q.to_bytes(64, "little"), one).nonzero_scalar() == 1


@given(n=st.integers(0, MAX_CARDS), salt=st.binary(max_size=8))
def test_permutations_are_permutations(n: int, salt: bytes) -> None:
    assert sorted(derive(SEED, "p", salt).permutation(n)) == list(range(n))


def test_every_order_of_three_is_about_as_frequent() -> None:
    counts: dict[tuple[int, ...], int] = {}
    for i in range(3000):
        order = derive(SEED, "p", u64le(i)).permutation(3)
        counts[order] = counts.get(order, 0) + 1
    chi = sum((c - 500) ** 2 / 500 for c in counts.values())
    assert len(counts) == 6
    assert chi < 20.5  # 0.1 % of fair streams exceed it; this one is fixed


def test_the_version_is_one_and_in_every_tag() -> None:
    assert hashing.DOMAIN.encode() == hashing.VERSION + b"/"
