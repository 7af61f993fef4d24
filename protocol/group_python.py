"""ristretto255 in Python, from RFC 9496: the oracle of the tests and the last resort of users.

Law: this file knows field and curve arithmetic. It must never know what points stand for.

NOT constant-time: the time of an operation depends on its scalar. It also holds the GIL for tens
of milliseconds at a time, so it must be kept off the thread of an interface (`PROOFS.md`).

The curve is -x^2 + y^2 = 1 + D x^2 y^2 over the integers modulo P = 2^255 - 19. A point is held
in extended coordinates (X : Y : Z : T), x = X/Z, y = Y/Z, xy = T/Z. Additions use the complete
formulas for a = -1 (Hisil, Wong, Carter, Dawson 2008, section 3.1) with the second operand in
the form (Y + X, Y - X, 2 D T, 2 Z); tables hold it with Z = 1, where the last part is constant.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence

from protocol.group import (
    FIELD_PRIME,
    POINT_SIZE,
    UNIFORM_SIZE,
    EncodingError,
    Group,
    Point,
    Q,
    canonical_field_element,
)

P = FIELD_PRIME

# RFC 9496, section 4.1. Each literal is checked against its defining equation by the tests.
D = 37095705934669439343138083508754565189542113879843219016388785533085940283555
SQRT_M1 = 19681161376707505956807079304988542015446066515923890162744021073123829784752
SQRT_AD_MINUS_ONE = 25063068953384623474111414158702152701244531502492656460079210482610430750235
INVSQRT_A_MINUS_D = 54469307008909316920995813868745141605393597292927456921205312896311721017578
ONE_MINUS_D_SQ = 1159843021668779879193775521855586647937357759715417654439879720876111806838
D_MINUS_ONE_SQ = 40440834346308536858101042469323190826248399146238708352240133220865137265952

D2 = 2 * D % P
_ROOT_EXPONENT = (P - 5) // 8

Extended = tuple[int, int, int, int]
Affine = tuple[int, int, int]
"""(y + x, y - x, 2 D x y) of a point with Z = 1."""
Cached = tuple[int, int, int, int]
"""(Y + X, Y - X, 2 D T, 2 Z)."""

_NEUTRAL: Extended = (0, 1, 1, 0)
_BASE_BITS = 7
_FIXED_BITS = 5
_FIXED_MIN = 6
"""Multiples of one point from which on a table for it pays (measured)."""
_PIPPENGER_MIN = 150
"""Terms from which on buckets beat interleaving (measured)."""


class PythonPoint(Point):
    """A point in extended coordinates; equality is the quotient group's (RFC 9496, 4.3.3)."""

    __slots__ = ("_encoded", "xyzt")

    def __init__(self, xyzt: Extended, encoded: bytes | None = None) -> None:
        """Hold coordinates, and the encoding where it is known."""
        self.xyzt = xyzt
        self._encoded = encoded

    @property
    def encoded(self) -> bytes:
        """The canonical octets, computed once."""
        if self._encoded is None:
            self._encoded = _encode(self.xyzt)
        return self._encoded

    def __eq__(self, other: object) -> bool:
        """Equality in the quotient group."""
        if not isinstance(other, PythonPoint):
            return NotImplemented
        return _equal(self.xyzt, other.xyzt)

    def __hash__(self) -> int:
        """Of the encoding: equal points have equal hashes."""
        return hash(self.encoded)

    def __repr__(self) -> str:
        """For failing tests."""
        return f"PythonPoint({self.encoded.hex()})"


# --- Field and encoding ------------------------------------------------------------------------


def sqrt_ratio(u: int, v: int) -> tuple[bool, int]:
    """SQRT_RATIO_M1 (RFC 9496, 4.2): (whether u/v is a square, the even root of u/v or i u/v)."""
    v3 = v * v % P * v % P
    r = u * v3 % P * pow(u * v3 % P * v3 % P * v % P, _ROOT_EXPONENT, P) % P
    check = v * r % P * r % P
    minus_u = -u % P
    flipped = check == minus_u
    if flipped or check == minus_u * SQRT_M1 % P:
        r = r * SQRT_M1 % P
    if r & 1:
        r = P - r
    return check == u % P or flipped, r


def _decode(s: int) -> Extended | None:
    """RFC 9496, 4.3.1, from step 2 on: extended coordinates with Z = 1, or None."""
    ss = s * s % P
    u1 = (1 - ss) % P
    u2 = (1 + ss) % P
    u2_sqr = u2 * u2 % P
    v = (-D * u1 % P * u1 - u2_sqr) % P
    was_square, root = sqrt_ratio(1, v * u2_sqr % P)
    den_x = root * u2 % P
    x = 2 * s * den_x % P
    if x & 1:
        x = P - x
    y = u1 * (root * den_x % P) % P * v % P
    t = x * y % P
    if not was_square or t & 1 or y == 0:
        return None
    return x, y, 1, t


def _encode(point: Extended) -> bytes:
    """RFC 9496, 4.3.2."""
    x0, y0, z0, t0 = point
    u1 = (z0 + y0) * (z0 - y0) % P
    u2 = x0 * y0 % P
    root = sqrt_ratio(1, u1 * u2 % P * u2 % P)[1]
    den1 = root * u1 % P
    den2 = root * u2 % P
    z_inv = den1 * den2 % P * t0 % P
    if t0 * z_inv % P & 1:
        x, y = y0 * SQRT_M1 % P, x0 * SQRT_M1 % P
        den_inv = den1 * INVSQRT_A_MINUS_D % P
    else:
        x, y, den_inv = x0, y0, den2
    if x * z_inv % P & 1:
        y = -y
    s = den_inv * (z0 - y) % P
    if s & 1:
        s = P - s
    return s.to_bytes(POINT_SIZE, "little")


def _elligator(data: bytes) -> Extended:
    """MAP (RFC 9496, 4.3.4) of 32 octets, bit 255 ignored."""
    t = int.from_bytes(data, "little") % 2**255 % P
    r = SQRT_M1 * t % P * t % P
    u = (r + 1) * ONE_MINUS_D_SQ % P
    v = (-1 - r * D) * (r + D) % P
    was_square, s = sqrt_ratio(u, v)
    c = -1
    if not was_square:
        s = s * t % P
        s = s if s & 1 else -s % P
        c = r
    n = (c * (r - 1) * D_MINUS_ONE_SQ - v) % P
    w0 = 2 * s * v % P
    w1 = n * SQRT_AD_MINUS_ONE % P
    ss = s * s % P
    w2, w3 = 1 - ss, 1 + ss
    return w0 * w3 % P, w2 * w1 % P, w1 * w3 % P, w0 * w2 % P


def _equal(p: Extended, q: Extended) -> bool:
    x1, y1, x2, y2 = p[0], p[1], q[0], q[1]
    return (x1 * y2 - y1 * x2) % P == 0 or (y1 * y2 - x1 * x2) % P == 0


# --- Group law ---------------------------------------------------------------------------------


def _cached(p: Extended) -> Cached:
    x, y, z, t = p
    return y + x, y - x, t * D2 % P, 2 * z


def _neg_cached(c: Cached) -> Cached:
    return c[1], c[0], -c[2], c[3]


def _neg(p: Extended) -> Extended:
    return -p[0] % P, p[1], p[2], -p[3] % P


def _add(p: Extended, q: Cached) -> Extended:
    x, y, z, t = p
    plus, minus, td, zz = q
    a = (y - x) * minus % P
    b = (y + x) * plus % P
    c = t * td % P
    d = z * zz % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _add_affine(p: Extended, q: Affine) -> Extended:
    x, y, z, t = p
    plus, minus, td = q
    a = (y - x) * minus % P
    b = (y + x) * plus % P
    c = t * td % P
    d = 2 * z
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def _double(p: Extended) -> Extended:
    x, y, z, _ = p
    a = x * x % P
    b = y * y % P
    h = a + b
    e = h - (x + y) ** 2 % P
    g = a - b
    f = 2 * z * z % P + g
    return e * f % P, g * h % P, f * g % P, e * h % P


def _to_affine(points: Sequence[Extended]) -> list[Affine]:
    """Table form of many points with one field inversion (Montgomery's trick)."""
    prefix = list(itertools.accumulate((p[2] for p in points), lambda a, z: a * z % P, initial=1))
    inverse = pow(prefix[-1], -1, P)
    out: list[Affine] = []
    for i in range(len(points) - 1, -1, -1):
        px, py, pz, _ = points[i]
        z_inv = inverse * prefix[i] % P
        inverse = inverse * pz % P
        x, y = px * z_inv % P, py * z_inv % P
        out.append((y + x, y - x, x * y % P * D2 % P))
    out.reverse()
    return out


# --- Multiplication ----------------------------------------------------------------------------


def _signed_digits(k: int, bits: int, count: int) -> list[int]:
    """`count` digits of k in base 2^bits, each in [-2^(bits-1), 2^(bits-1))."""
    half, full = 1 << (bits - 1), 1 << bits
    digits = []
    for _ in range(count):
        digit = k & (full - 1)
        k >>= bits
        if digit >= half:
            digit -= full
            k += 1
        digits.append(digit)
    return digits


class FixedBase:
    """Tables for many multiples of one point: 1 .. 2^(bits-1) times 2^(bits i) P."""

    __slots__ = ("_bits", "_rows")

    def __init__(self, point: Extended, bits: int) -> None:
        """Compute ceil(253 / bits) + 1 rows at most; about 3 ms for 5 bits."""
        half = 1 << (bits - 1)
        flat: list[Extended] = []
        for _ in range(253 // bits + 1):
            step = _cached(point)
            multiple = point
            flat.append(multiple)
            for _ in range(half - 1):
                multiple = _add(multiple, step)
                flat.append(multiple)
            point = _double(multiple)
        affine = _to_affine(flat)
        self._bits = bits
        self._rows = [affine[i : i + half] for i in range(0, len(affine), half)]

    def multiply(self, k: int, start: Extended = _NEUTRAL) -> Extended:
        """start + k P for k in [0, Q)."""
        total = start
        for digit, row in zip(
            _signed_digits(k, self._bits, len(self._rows)), self._rows, strict=True
        ):
            if digit > 0:
                total = _add_affine(total, row[digit - 1])
            elif digit < 0:
                plus, minus, td = row[-digit - 1]
                total = _add_affine(total, (minus, plus, -td))
        return total


def _wnaf(k: int, width: int) -> Iterable[tuple[int, int]]:
    """(position, odd digit) pairs with |digit| < 2^(width-1), least significant first."""
    position = 0
    full, half = 1 << width, 1 << (width - 1)
    while k:
        zeros = (k & -k).bit_length() - 1
        k >>= zeros
        position += zeros
        digit = k & (full - 1)
        if digit >= half:
            digit -= full
        yield position, digit
        k = (k - digit) >> width
        position += width


def _straus(scalars: Sequence[int], points: Sequence[Extended]) -> Extended:
    """Interleaved sliding windows: one chain of doublings for all terms."""
    due: list[list[Cached]] = [[] for _ in range(255)]
    for k, p in zip(scalars, points, strict=True):
        twice = _cached(_double(p))
        odd = [p]
        for _ in range(7):
            odd.append(_add(odd[-1], twice))
        table = [_cached(m) for m in odd]
        for position, digit in _wnaf(k, 5):
            entry = table[digit >> 1] if digit > 0 else _neg_cached(table[-digit >> 1])
            due[position].append(entry)
    total = _NEUTRAL
    for row in reversed(due):
        if total is not _NEUTRAL:
            total = _double(total)
        for entry in row:
            total = _add(total, entry)
    return total


def _pippenger(scalars: Sequence[int], points: Sequence[Extended]) -> Extended:
    """Signed buckets: for long sums, where interleaving would need too many tables."""
    # A column costs one short addition a term and about three long ones a bucket.
    bits = min(range(4, 11), key=lambda b: (253 // b + 1) * (len(points) + 3 * 2 ** (b - 1)))
    count = 253 // bits + 1
    half = 1 << (bits - 1)
    table = _to_affine(points)
    digits = [_signed_digits(k, bits, count) for k in scalars]
    total = _NEUTRAL
    for column in range(count - 1, -1, -1):
        for _ in range(bits):
            total = _double(total)
        buckets: list[Extended | None] = [None] * (half + 1)
        for entry, row in zip(table, digits, strict=True):
            digit = row[column]
            if digit:
                index = abs(digit)
                held = buckets[index]
                signed = entry if digit > 0 else (entry[1], entry[0], -entry[2])
                buckets[index] = _add_affine(_NEUTRAL if held is None else held, signed)
        running = weighted = _NEUTRAL
        for held in reversed(buckets[1:]):
            if held is not None:
                running = _add(running, _cached(held))
            if running is not _NEUTRAL:
                weighted = _add(weighted, _cached(running))
        total = _add(total, _cached(weighted))
    return total


def _msm(scalars: Sequence[int], points: Sequence[Extended]) -> Extended:
    if len(points) < _PIPPENGER_MIN:
        return _straus(scalars, points)
    return _pippenger(scalars, points)


class PythonGroup(Group):
    """The reference backend. Not constant-time; holds the GIL."""

    backend = "python"

    def __init__(self) -> None:
        """Nothing is computed before it is needed."""
        self.identity = PythonPoint(_NEUTRAL, bytes(POINT_SIZE))
        generator = bytes.fromhex(
            "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76"
        )
        self.generator = self.decode(generator)
        self._table = functools.lru_cache(maxsize=8)(self._make_table)

    def _make_table(self, point: PythonPoint) -> FixedBase:
        return FixedBase(point.xyzt, _BASE_BITS if point is self.generator else _FIXED_BITS)

    def decode(self, data: bytes, *, allow_identity: bool = False) -> Point:
        """As `Group.decode`."""
        s = canonical_field_element(data)
        if s == 0:
            if not allow_identity:
                raise EncodingError("A group element is the identity where it must not be.")
            return self.identity
        point = _decode(s)
        if point is None:
            raise EncodingError("A group element is not on the curve.")
        return PythonPoint(point, bytes(data))

    def encode(self, point: Point) -> bytes:
        """The canonical octets; computed once a point."""
        return _own(point).encoded

    def from_uniform(self, data: bytes) -> Point:
        """As `Group.from_uniform`."""
        if len(data) != UNIFORM_SIZE:
            raise ValueError("a point is derived from 64 octets")
        return PythonPoint(_add(_elligator(data[:32]), _cached(_elligator(data[32:]))))

    def equal(self, p: Point, q: Point) -> bool:
        """Equality in the quotient group, without encoding."""
        return _equal(_own(p).xyzt, _own(q).xyzt)

    def add(self, p: Point, q: Point) -> Point:
        """p + q."""
        return PythonPoint(_add(_own(p).xyzt, _cached(_own(q).xyzt)))

    def sub(self, p: Point, q: Point) -> Point:
        """p - q."""
        return PythonPoint(_add(_own(p).xyzt, _cached(_neg(_own(q).xyzt))))

    def mul(self, k: int, p: Point) -> Point:
        """k p, total."""
        return PythonPoint(_straus((k % Q,), (_own(p).xyzt,)))

    def mul_base(self, k: int) -> Point:
        """k G from tables."""
        return PythonPoint(self._table(_own(self.generator)).multiply(k % Q))

    def msm(self, scalars: Sequence[int], points: Sequence[Point]) -> Point:
        """Straus or Pippenger, by the number of terms."""
        if len(scalars) != len(points):
            raise ValueError("as many scalars as points")
        return PythonPoint(_msm([k % Q for k in scalars], [_own(p).xyzt for p in points]))

    def mul_each(self, k: int, points: Sequence[Point]) -> list[Point]:
        """[k p for p in points]."""
        return [self.mul(k, p) for p in points]

    def mul_fixed_each(self, scalars: Sequence[int], point: Point) -> list[Point]:
        """[s_i P], from a table of P where there are enough of them."""
        if len(scalars) < _FIXED_MIN:
            return [self.mul(s, point) for s in scalars]
        table = self._table(_own(point))
        return [PythonPoint(table.multiply(s % Q)) for s in scalars]

    def commit_each(
        self, base_scalars: Sequence[int], scalars: Sequence[int], point: Point
    ) -> list[Point]:
        """[r_i G + s_i P]."""
        base = self._table(_own(self.generator))
        multiples = self.mul_fixed_each(scalars, point)
        return [
            PythonPoint(base.multiply(r % Q, _own(m).xyzt))
            for r, m in zip(base_scalars, multiples, strict=True)
        ]


def _own(point: Point) -> PythonPoint:
    """Narrow a point to this backend; TypeError for another backend's."""
    if type(point) is not PythonPoint:
        raise TypeError("a point of another backend")
    return point
