"""The prime-order group of the deal: ristretto255 (RFC 9496), behind one small interface.

Law: this file knows group elements, scalars and how a backend is chosen. It must never know
cards, decks, proofs or seats, and it never draws randomness.

Two backends give byte-identical results: `group_sodium` (libsodium through ctypes) and
`group_python` (from the RFC; the oracle of the tests, used where no libsodium is found).

Conventions (`PROOFS.md`, "Group"): additive notation, base `G`, order `Q`; a scalar is an `int`
in [0, Q) encoded in 32 little-endian octets; a point is opaque and encoded in 32 octets. All
operations are total: the identity is a point like any other, and only `decode` may refuse it.

The environment variable `BUSSO_GROUP` (`python` or `sodium`) forces a backend. `BUSSO_THREADS=1`
keeps long lists on one thread: better where as many nodes as cores share a computer.
"""

from __future__ import annotations

import abc
import functools
import os
from collections.abc import Mapping, Sequence

from protocol.errors import EncodingError, LocalProtocolError, RemoteProtocolError

__all__ = [
    "POINT_SIZE",
    "SCALAR_SIZE",
    "UNIFORM_SIZE",
    "BackendError",
    "EncodingError",
    "Group",
    "Point",
    "ProofError",
    "Q",
    "choose_group",
    "decode_scalar",
    "default_group",
    "encode_scalar",
    "known_answers",
]

Q = 2**252 + 27742317777372353535851937790883648493
"""The prime order of the group (RFC 9496, section 4.4)."""

POINT_SIZE = 32
SCALAR_SIZE = 32
UNIFORM_SIZE = 64

IDENTITY_BYTES = bytes(POINT_SIZE)
FIELD_PRIME = 2**255 - 19


class ProofError(RemoteProtocolError):
    """A peer's proof or proven message is wrong; the sentence says what about it."""


class BackendError(LocalProtocolError):
    """The group backend that was asked for can't be used on this computer."""


class Point:
    """A group element of one backend; opaque, immutable, hashable, equal by value.

    Points of different backends must not be mixed: carry encodings across instead.
    """

    __slots__ = ()


def encode_scalar(k: int) -> bytes:
    """32 little-endian octets of `k`, which must be in [0, Q) (ValueError: our own bug)."""
    if not 0 <= k < Q:
        raise ValueError("a scalar must be reduced before it is encoded")
    return k.to_bytes(SCALAR_SIZE, "little")


def decode_scalar(data: bytes) -> int:
    """The scalar encoded by exactly 32 octets; EncodingError if not below Q."""
    if len(data) != SCALAR_SIZE:
        raise EncodingError("A scalar is not 32 octets long.")
    k = int.from_bytes(data, "little")
    if k >= Q:
        raise EncodingError("A scalar is not below the group order.")
    return k


def canonical_field_element(data: bytes) -> int:
    """The even field element below 2^255 - 19 in 32 octets (RFC 9496, 4.3.1, step 1).

    Shared by the backends because libsodium 1.0.18 ignores bit 255 of an encoding.
    """
    if len(data) != POINT_SIZE:
        raise EncodingError("A group element is not 32 octets long.")
    s = int.from_bytes(data, "little")
    if s >= FIELD_PRIME or s & 1:
        raise EncodingError("A group element is not in its canonical form.")
    return s


class Group(abc.ABC):
    """ristretto255 with total operations; one instance is safe to share between threads.

    Scalars given to any method may be any `int`; they are reduced modulo Q.
    """

    name = "ristretto255"
    """Names the group in hashes: the same for every backend."""

    backend: str
    """Names the backend for people; never hashed."""

    identity: Point
    generator: Point

    @abc.abstractmethod
    def decode(self, data: bytes, *, allow_identity: bool = False) -> Point:
        """The point encoded by 32 octets (RFC 9496, 4.3.1).

        EncodingError: wrong length, bit 255 set, not canonical, not a point, or the identity
        where `allow_identity` is false (keys and deck components are never the identity).
        """

    @abc.abstractmethod
    def encode(self, point: Point) -> bytes:
        """The canonical 32 octets of a point (RFC 9496, 4.3.2)."""

    @abc.abstractmethod
    def from_uniform(self, data: bytes) -> Point:
        """The point derived from 64 uniform octets (RFC 9496, 4.3.4); ValueError otherwise."""

    @abc.abstractmethod
    def equal(self, p: Point, q: Point) -> bool:
        """Whether two points are the same group element."""

    @abc.abstractmethod
    def add(self, p: Point, q: Point) -> Point:
        """p + q."""

    @abc.abstractmethod
    def sub(self, p: Point, q: Point) -> Point:
        """p - q."""

    @abc.abstractmethod
    def mul(self, k: int, p: Point) -> Point:
        """k p, total: the identity if k is 0 modulo Q or p is the identity."""

    @abc.abstractmethod
    def mul_base(self, k: int) -> Point:
        """k G."""

    @abc.abstractmethod
    def msm(self, scalars: Sequence[int], points: Sequence[Point]) -> Point:
        """The sum of scalars[i] points[i]; the identity for no terms. Equal lengths."""

    @abc.abstractmethod
    def mul_each(self, k: int, points: Sequence[Point]) -> list[Point]:
        """[k p for p in points]."""

    @abc.abstractmethod
    def commit_each(
        self,
        base_scalars: Sequence[int],
        scalars: Sequence[int],
        point: Point,
    ) -> list[Point]:
        """[r_i G + s_i P] for one P and equally many r and s."""

    @abc.abstractmethod
    def mul_fixed_each(self, scalars: Sequence[int], point: Point) -> list[Point]:
        """[s_i P] for one P."""

    def mul_base_each(self, scalars: Sequence[int]) -> list[Point]:
        """[k_i G]."""
        return [self.mul_base(k) for k in scalars]

    def is_identity(self, point: Point) -> bool:
        """Whether the point is the neutral element."""
        return self.equal(point, self.identity)

    def neg(self, point: Point) -> Point:
        """-p."""
        return self.sub(self.identity, point)

    def sum(self, points: Sequence[Point]) -> Point:
        """The sum of the points; the identity for none."""
        total = self.identity
        for point in points:
            total = self.add(total, point)
        return total

    def encode_many(self, points: Sequence[Point]) -> list[bytes]:
        """The encodings of the points, in order."""
        return [self.encode(point) for point in points]

    def decode_many(self, data: bytes, *, allow_identity: bool = False) -> list[Point]:
        """The points of a string of 32-octet encodings; EncodingError as for `decode`."""
        if len(data) % POINT_SIZE:
            raise EncodingError("A list of group elements is not a multiple of 32 octets long.")
        return [
            self.decode(data[i : i + POINT_SIZE], allow_identity=allow_identity)
            for i in range(0, len(data), POINT_SIZE)
        ]


# --- Known answers -----------------------------------------------------------------------------

_MULTIPLES = {
    1: "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76",
    2: "6a493210f7499cd17fecb510ae0cea23a110e8d5b901f8acadd3095c73a3b919",
    15: "e0c418f7c8d9c4cdd7395b93ea124f3ad99021bb681dfc3302a9d99a2e53e64e",
}
_UNIFORM = (
    "5d1be09e3d0c82fc538112490e35701979d99e06ca3e2b5b54bffe8b4dc772c1"
    "4d98b696a1bbfb5ca32c436cc61c16563790306c79eaca7705668b47dffe5bb6",
    "3066f82a1a747d45120d1740f14358531a8f04bbffe6a819f86dfe50f44a0a46",
)
_REFUSED = (
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",  # not below the prime
    "0100000000000000000000000000000000000000000000000000000000000000",  # negative
    "26948d35ca62e643e26a83177332e6b6afeb9d08e4268b650f1f5bbd8d81d371",  # no square root
    "3eb858e78f5a7254d8c9731174a94f76755fd3941c0ac93735c07ba14579630e",  # negative xy
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",  # y = 0
    "e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2df6",  # G with bit 255 set
    "0000000000000000000000000000000000000000000000000000000000000000",  # identity, not allowed
)


def known_answers(group: Group) -> None:
    """Check a backend against vectors of RFC 9496 before it is trusted with a deal.

    BackendError: some result differs, so this library must not be used.
    """
    try:
        right = all(_known_results(group))
    except EncodingError:  # a right encoding was refused
        right = False
    for text in _REFUSED:
        try:
            group.decode(bytes.fromhex(text))
        except EncodingError:
            continue
        right = False
    if not right:
        raise BackendError(f"The group backend {group.backend!r} gives wrong results.")


def _known_results(group: Group) -> list[bool]:
    enc, g = group.encode, group.generator
    two = bytes.fromhex(_MULTIPLES[2])
    return [
        *(enc(group.mul_base(k)).hex() == want for k, want in _MULTIPLES.items()),
        *(enc(group.mul(k, g)).hex() == want for k, want in _MULTIPLES.items()),
        enc(group.from_uniform(bytes.fromhex(_UNIFORM[0]))).hex() == _UNIFORM[1],
        enc(group.add(g, g)) == two,
        enc(group.sub(group.decode(two), g)) == enc(g),
        enc(group.msm((Q - 3, 5), (g, g))) == two,
        enc(group.mul(Q - 1, g)) == enc(group.neg(g)),
        group.is_identity(group.mul(0, g)),
        group.is_identity(group.mul_base(Q)),
        group.is_identity(group.mul(7, group.identity)),
        group.is_identity(group.sub(g, g)),
        enc(group.identity) == IDENTITY_BYTES,
    ]


# --- Choice of the backend ---------------------------------------------------------------------


def choose_group(environ: Mapping[str, str]) -> Group:
    """The best usable backend, or the one that `BUSSO_GROUP` in `environ` asks for.

    BackendError: the backend asked for is unknown, absent or gives wrong results.
    """
    # Imported here so that neither backend is needed to import this interface.
    from protocol.group_python import PythonGroup  # noqa: PLC0415
    from protocol.group_sodium import open_sodium  # noqa: PLC0415

    wanted = environ.get("BUSSO_GROUP", "")
    threads = 1 if environ.get("BUSSO_THREADS") == "1" else None
    if wanted not in ("", "python", "sodium"):
        raise BackendError("BUSSO_GROUP must be 'python' or 'sodium'.")
    if wanted != "python":
        try:
            return open_sodium(threads)
        except BackendError:
            if wanted == "sodium":
                raise
    group = PythonGroup()
    known_answers(group)
    return group


@functools.lru_cache(maxsize=1)
def default_group() -> Group:
    """`choose_group(os.environ)`, once a process."""
    return choose_group(os.environ)
