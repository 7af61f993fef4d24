"""Random differential tests: both backends do the same, and Python's two sums agree."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from protocol.group import FIELD_PRIME, EncodingError, Group, Point, Q
from protocol.group_python import PythonPoint, _pippenger, _straus, sqrt_ratio
from tests.protocol.groups import PYTHON, SODIUM, needs_sodium

EDGES = st.sampled_from([0, 1, 2, 15, 16, 31, 32, Q - 1, Q - 2, Q // 2, 2**252, 2**128, 2**251])
SCALARS = st.one_of(EDGES, st.integers(0, Q - 1))
UNIFORM = st.binary(min_size=64, max_size=64)
QUICK = settings(max_examples=40, deadline=None)


def both(point: bytes) -> tuple[Point, Point]:
    assert SODIUM is not None
    return PYTHON.from_uniform(point), SODIUM.from_uniform(point)


def agree(left: Point, right: Point) -> None:
    assert SODIUM is not None
    assert PYTHON.encode(left) == SODIUM.encode(right)


@needs_sodium
@QUICK
@given(u=UNIFORM, v=UNIFORM, k=SCALARS)
def test_single_operations(u: bytes, v: bytes, k: int) -> None:
    assert SODIUM is not None
    (p, ps), (q, qs) = both(u), both(v)
    agree(p, ps)
    agree(PYTHON.add(p, q), SODIUM.add(ps, qs))
    agree(PYTHON.sub(p, q), SODIUM.sub(ps, qs))
    agree(PYTHON.neg(p), SODIUM.neg(ps))
    agree(PYTHON.add(p, p), SODIUM.add(ps, ps))
    agree(PYTHON.mul(k, p), SODIUM.mul(k, ps))
    agree(PYTHON.mul_base(k), SODIUM.mul_base(k))
    agree(PYTHON.decode(PYTHON.encode(p), allow_identity=True), ps)


@needs_sodium
@QUICK
@given(terms=st.lists(st.tuples(SCALARS, UNIFORM), max_size=12), r=SCALARS, u=UNIFORM)
def test_lists(terms: list[tuple[int, bytes]], r: int, u: bytes) -> None:
    assert SODIUM is not None
    scalars = [k for k, _ in terms]
    points = [both(x) for _, x in terms]
    mine, theirs = [p for p, _ in points], [p for _, p in points]
    agree(PYTHON.msm(scalars, mine), SODIUM.msm(scalars, theirs))
    p, ps = both(u)
    for a, b in (
        (PYTHON.mul_each(r, mine), SODIUM.mul_each(r, theirs)),
        (PYTHON.mul_fixed_each(scalars, p), SODIUM.mul_fixed_each(scalars, ps)),
        (
            PYTHON.commit_each(scalars[::-1], scalars, p),
            SODIUM.commit_each(scalars[::-1], scalars, ps),
        ),
    ):
        assert PYTHON.encode_many(a) == SODIUM.encode_many(b)


@needs_sodium
@settings(max_examples=150, deadline=None)
@given(
    data=st.one_of(
        st.binary(min_size=32, max_size=32),
        st.integers(0, (FIELD_PRIME - 1) // 2).map(lambda s: (2 * s).to_bytes(32, "little")),
        st.integers(FIELD_PRIME - 5, 2**255 + 5).map(lambda s: s.to_bytes(32, "little")),
    )
)
@example(data=bytes(32))
@example(data=bytes(31) + b"\x80")
def test_both_accept_the_same_encodings(data: bytes) -> None:
    assert SODIUM is not None
    groups: list[Group] = [PYTHON, SODIUM]
    results: list[bytes | None] = []
    for group in groups:
        try:
            results.append(group.encode(group.decode(data, allow_identity=True)))
        except EncodingError:
            results.append(None)
    assert results[0] == results[1]
    assert results[0] in (None, data)


@QUICK
@given(terms=st.lists(st.tuples(SCALARS, SCALARS), min_size=1, max_size=30))
def test_straus_and_pippenger_agree_with_the_logarithms(terms: list[tuple[int, int]]) -> None:
    scalars = [k for k, _ in terms]
    points = [PYTHON.mul_base(e) for _, e in terms]
    raw = [p.xyzt for p in points if isinstance(p, PythonPoint)]
    want = PYTHON.mul_base(sum(k * e for k, e in terms))
    assert PythonPoint(_straus(scalars, raw)) == want
    assert PythonPoint(_pippenger(scalars, raw)) == want


@pytest.mark.parametrize("n", [149, 150])
def test_long_sums_on_both_sides_of_the_switch(n: int) -> None:
    base = [PYTHON.mul_base(e) for e in range(1, 11)]
    scalars = [pow(7, i, Q) for i in range(n)]
    points = [base[i % 10] for i in range(n)]
    want = sum(k * (i % 10 + 1) for i, k in enumerate(scalars))
    assert PYTHON.msm(scalars, points) == PYTHON.mul_base(want)


@QUICK
@given(u=st.integers(0, FIELD_PRIME - 1), v=st.integers(0, FIELD_PRIME - 1))
@example(u=0, v=0)
@example(u=0, v=1)
@example(u=1, v=0)
@example(u=2, v=1)
@example(u=4, v=1)
def test_square_roots_of_ratios(u: int, v: int) -> None:
    """RFC 9496, 4.2, by Euler's criterion."""
    p = FIELD_PRIME
    was_square, r = sqrt_ratio(u, v)
    assert r % 2 == 0
    if u == 0 or v == 0:
        assert (was_square, r) == (u == 0, 0)
        return
    ratio = u * pow(v, -1, p) % p
    assert was_square == (pow(ratio, (p - 1) // 2, p) == 1)
    root_of_minus_one = pow(2, (p - 1) // 4, p)
    assert r * r % p == (ratio if was_square else root_of_minus_one * ratio % p)
