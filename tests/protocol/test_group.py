"""The group: RFC 9496 and totality, on each backend."""

from __future__ import annotations

import pytest

from protocol import group_python
from protocol.group import (
    FIELD_PRIME,
    EncodingError,
    Group,
    Q,
    decode_scalar,
    encode_scalar,
)
from protocol.group_sodium import SodiumError, SodiumGroup
from protocol.sodium_library import libraries
from tests.protocol.groups import PYTHON, SODIUM, each_backend, needs_sodium, vectors

RFC = vectors("group/rfc9496.json")
REFUSED = [(v["why"], v["encoding"]) for v in RFC["refused"]]


def test_constants_of_the_curve_satisfy_their_equations() -> None:
    p, d = FIELD_PRIME, group_python.D
    assert d * 121666 % p == -121665 % p
    assert group_python.SQRT_M1**2 % p == p - 1
    assert group_python.SQRT_AD_MINUS_ONE**2 % p == (-d - 1) % p
    assert group_python.INVSQRT_A_MINUS_D**2 * (-1 - d) % p == 1
    assert (1 - d * d) % p == group_python.ONE_MINUS_D_SQ
    assert (d - 1) ** 2 % p == group_python.D_MINUS_ONE_SQ


@each_backend
def test_multiples_of_the_generator(group: Group) -> None:
    total = group.identity
    for k, text in enumerate(RFC["multiples"]):
        want = bytes.fromhex(text)
        assert group.encode(total) == want
        assert group.encode(group.mul_base(k)) == want
        assert group.encode(group.mul(k, group.generator)) == want
        decoded = group.decode(want, allow_identity=True)
        assert group.equal(decoded, total)
        assert group.encode(decoded) == want
        total = group.add(total, group.generator)


@each_backend
@pytest.mark.parametrize(("why", "text"), REFUSED, ids=[f"{i}" for i in range(len(REFUSED))])
def test_trap_1_encodings_that_are_not_canonical_are_refused(
    group: Group, why: str, text: str
) -> None:
    with pytest.raises(EncodingError):
        group.decode(bytes.fromhex(text), allow_identity=True)


@each_backend
def test_trap_1_bit_255_is_refused_on_every_valid_point(group: Group) -> None:
    for text in RFC["multiples"]:
        data = bytearray.fromhex(text)
        data[31] |= 0x80
        with pytest.raises(EncodingError):
            group.decode(bytes(data), allow_identity=True)


@pytest.mark.parametrize("value", [Q, Q + 1, 2**255 - 20, 2**256 - 1])
def test_trap_1_scalars_from_the_order_on_are_refused(value: int) -> None:
    with pytest.raises(EncodingError):
        decode_scalar(value.to_bytes(32, "little"))


@pytest.mark.parametrize("value", [0, 1, Q - 1])
def test_scalars_below_the_order_survive_a_round_trip(value: int) -> None:
    assert decode_scalar(encode_scalar(value)) == value


@pytest.mark.parametrize("size", [0, 31, 33, 64])
def test_scalars_of_another_length_are_refused(size: int) -> None:
    with pytest.raises(EncodingError):
        decode_scalar(bytes(size))


@pytest.mark.parametrize("value", [-1, Q])
def test_an_unreduced_scalar_is_our_own_bug(value: int) -> None:
    with pytest.raises(ValueError, match="reduced"):
        encode_scalar(value)


@each_backend
@pytest.mark.parametrize("size", [0, 31, 33, 64])
def test_points_of_another_length_are_refused(group: Group, size: int) -> None:
    with pytest.raises(EncodingError):
        group.decode(bytes(size), allow_identity=True)


@each_backend
def test_a_list_of_points_is_decoded_or_refused_as_a_whole(group: Group) -> None:
    data = bytes.fromhex("".join(RFC["multiples"][1:4]))
    assert b"".join(group.encode_many(group.decode_many(data))) == data
    with pytest.raises(EncodingError):
        group.decode_many(data + b"\0")
    with pytest.raises(EncodingError):
        group.decode_many(data + bytes(32))
    assert group.is_identity(group.decode_many(data + bytes(32), allow_identity=True)[3])


@each_backend
@pytest.mark.parametrize("entry", RFC["uniform"], ids=lambda e: str(e["input"][:8]))
def test_hash_to_group(group: Group, entry: dict[str, str]) -> None:
    point = group.from_uniform(bytes.fromhex(entry["input"]))
    assert group.encode(point).hex() == entry["point"]
    for size in (63, 65):
        with pytest.raises(ValueError, match="64 octets"):
            group.from_uniform(bytes(size))


@each_backend
def test_the_identity_is_refused_unless_it_is_allowed(group: Group) -> None:
    with pytest.raises(EncodingError):
        group.decode(bytes(32))
    assert group.is_identity(group.decode(bytes(32), allow_identity=True))
    assert group.encode(group.identity) == bytes(32)


@each_backend
def test_trap_2_multiplication_is_total(group: Group) -> None:
    p, zero = group.mul_base(7), group.identity
    for result in (
        group.mul(0, p),
        group.mul(Q, p),
        group.mul(-Q, p),
        group.mul(5, zero),
        group.mul_base(0),
        group.mul_base(Q),
        group.mul_base_each([0])[0],
        group.mul_each(0, [p])[0],
        group.mul_each(3, [zero])[0],
        *group.mul_fixed_each([0] * 10, p),
        *group.mul_fixed_each([3] * 10, zero),
        *group.commit_each([7, 0], [Q - 1, 0], p),
        group.msm([], []),
        group.msm([0, 0], [p, zero]),
        group.msm([1, Q - 1], [p, p]),
        group.msm([7, -1], [group.generator, p]),
        group.sum([]),
        group.sub(p, p),
        group.add(p, group.neg(p)),
    ):
        assert group.is_identity(result)
        assert group.encode(result) == bytes(32)
    assert group.equal(group.add(p, zero), p)
    assert group.equal(group.msm([3, 2, 0], [p, p, p]), group.mul_base(35))


@each_backend
def test_lists_agree_with_single_operations(group: Group) -> None:
    p = group.mul_base(11)
    scalars = [0, 1, 2, Q - 1, Q // 2, *range(100, 140)]
    others = list(reversed(scalars))
    points = [group.mul_base(k + 3) for k in range(len(scalars))]

    def same(left: list[object], right: list[object]) -> None:
        assert left == right

    same([*group.mul_base_each(scalars)], [group.mul_base(k) for k in scalars])
    same([*group.mul_fixed_each(scalars, p)], [group.mul(k, p) for k in scalars])
    same([*group.mul_fixed_each(scalars[:3], p)], [group.mul(k, p) for k in scalars[:3]])
    same([*group.mul_each(9, points)], [group.mul(9, q) for q in points])
    same(
        [*group.commit_each(scalars, others, p)],
        [group.mul_base(r + 11 * s) for r, s in zip(scalars, others, strict=True)],
    )
    want = group.mul_base(sum(k * (i + 3) for i, k in enumerate(scalars)))
    assert group.equal(group.msm(scalars, points), want)


@each_backend
def test_lists_of_different_lengths_are_our_own_bug(group: Group) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - zip's own message differs between backends
        group.msm([1, 2], [group.generator])
    with pytest.raises(ValueError):  # noqa: PT011 - as above
        group.commit_each([1, 2], [1], group.generator)


@each_backend
def test_points_are_values(group: Group) -> None:
    p, q = group.mul_base(2), group.add(group.generator, group.generator)
    assert p == q
    assert hash(p) == hash(q)
    assert p != group.generator
    assert p != object()


@needs_sodium
def test_points_of_two_backends_do_not_mix() -> None:
    assert SODIUM is not None
    with pytest.raises(TypeError):
        SODIUM.add(SODIUM.generator, PYTHON.generator)
    with pytest.raises(TypeError):
        PYTHON.add(PYTHON.generator, SODIUM.generator)


@needs_sodium
@pytest.mark.parametrize("name", ["_add", "_sub", "_mul", "_base", "_from_hash"])
def test_trap_2_no_return_code_of_libsodium_is_ignored(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    group = SodiumGroup(next(libraries()), threads=1)
    p = group.mul_base(5)
    monkeypatch.setattr(group, name, lambda *_: -1)
    calls = {
        "_add": lambda: group.add(p, p),
        "_sub": lambda: group.sub(p, p),
        "_mul": lambda: group.mul(2, p),
        "_base": lambda: group.mul_base(2),
        "_from_hash": lambda: group.from_uniform(bytes(64)),
    }
    with pytest.raises(SodiumError):
        calls[name]()
    if name in ("_add", "_mul"):
        with pytest.raises(SodiumError):
            group.msm([2, 3], [p, p])


@needs_sodium
def test_threads_change_nothing() -> None:
    library = next(libraries())
    one, many = SodiumGroup(library, threads=1), SodiumGroup(library, threads=3)
    for n in (0, 1, 15, 16, 17, 50):
        scalars = [pow(3, i, Q) for i in range(n)]
        points = one.mul_base_each(scalars)
        assert many.mul_base_each(scalars) == points
        assert many.msm(scalars, points) == one.msm(scalars, points)
        assert many.mul_each(5, points) == one.mul_each(5, points)
        g2 = one.mul_base(2)
        assert many.mul_fixed_each(scalars, g2) == one.mul_fixed_each(scalars, g2)
        assert many.commit_each(scalars, scalars, g2) == one.commit_each(scalars, scalars, g2)


@needs_sodium
def test_an_error_in_a_thread_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    group = SodiumGroup(next(libraries()), threads=3)
    points = [group.generator] * 40
    real, calls = group._mul, iter(range(10**6))
    monkeypatch.setattr(group, "_mul", lambda *a: -1 if next(calls) == 2 else real(*a))
    with pytest.raises(SodiumError):
        group.msm([5] * 40, points)
