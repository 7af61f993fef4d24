"""ristretto255 computed by libsodium through ctypes.

Law: this file knows libsodium's functions and their return codes. It must never let one pass
unread, nor hand libsodium an encoding that it hasn't checked itself.

A point is its canonical 32 octets. libsodium answers -1 for an identity result and for an invalid
point alike, and 1.0.18 ignores bit 255; so encodings are checked here, and multiplication by 0 or
of the identity never reaches it: any other -1 is then our own bug. Its multiplication takes the
same time for every scalar, and sums of products are taken term by term, so nothing here depends
on a secret. ctypes releases the GIL: long lists are split over a few threads.
"""

from __future__ import annotations

import ctypes
import functools
import itertools
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, cast

from protocol import sodium_library
from protocol.group import (
    IDENTITY_BYTES,
    POINT_SIZE,
    UNIFORM_SIZE,
    BackendError,
    EncodingError,
    Group,
    Point,
    Q,
    canonical_field_element,
    known_answers,
)

_G = bytes.fromhex("e2f2ae0a6abc4e71a884a961c500515f58e30b6aa582dd8db6a65945e08d2d76")
_MAX_THREADS = 4
_MIN_TERMS = 8
"""Terms that a thread must get to be worth waking: about 0.5 ms of work."""

T = TypeVar("T")
Buffer = ctypes.Array[ctypes.c_char]
_Call = Callable[..., int]


class SodiumPoint(bytes, Point):
    """A point as its 32 canonical octets."""

    __slots__ = ()


class SodiumError(RuntimeError):
    """libsodium refused an operation on checked operands: a bug of this program."""


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class SodiumGroup(Group):
    """The group on one loaded libsodium; `threads` (default: up to 4 cores) share long lists."""

    backend = "sodium"

    def __init__(self, library: ctypes.CDLL, threads: int | None = None) -> None:
        """Bind the functions; BackendError if the library lacks one or doesn't initialise."""
        pointer, data = ctypes.c_void_p, ctypes.c_char_p

        def bind(name: str, *types: type) -> _Call:
            function = getattr(library, name)
            function.argtypes = types
            function.restype = ctypes.c_int
            return cast(_Call, function)

        try:
            init = bind("sodium_init")
            self._valid = bind("crypto_core_ristretto255_is_valid_point", data)
            self._add = bind("crypto_core_ristretto255_add", pointer, pointer, pointer)
            self._sub = bind("crypto_core_ristretto255_sub", pointer, pointer, data)
            self._from_hash = bind("crypto_core_ristretto255_from_hash", pointer, data)
            self._mul = bind("crypto_scalarmult_ristretto255", pointer, data, data)
            self._base = bind("crypto_scalarmult_ristretto255_base", pointer, data)
        except AttributeError as error:
            raise BackendError("The libsodium found has no ristretto255.") from error
        if init() < 0:
            raise BackendError("The libsodium found doesn't initialise.")
        self.identity = SodiumPoint(IDENTITY_BYTES)
        self.generator = SodiumPoint(_G)
        self._threads = min(_MAX_THREADS, _cores()) if threads is None else threads

    # --- Encoding ---------------------------------------------------------------------------

    def decode(self, data: bytes, *, allow_identity: bool = False) -> Point:
        """As `Group.decode`; the canonical form is checked before libsodium sees it."""
        canonical_field_element(data)
        raw = bytes(data)
        if raw == IDENTITY_BYTES:
            if not allow_identity:
                raise EncodingError("A group element is the identity where it must not be.")
        elif self._valid(raw) != 1:
            raise EncodingError("A group element is not on the curve.")
        return SodiumPoint(raw)

    def encode(self, point: Point) -> bytes:
        """The octets themselves."""
        return bytes(_raw(point))

    def from_uniform(self, data: bytes) -> Point:
        """As `Group.from_uniform`."""
        if len(data) != UNIFORM_SIZE:
            raise ValueError("a point is derived from 64 octets")
        out = ctypes.create_string_buffer(POINT_SIZE)
        _must(self._from_hash(out, bytes(data)))
        return SodiumPoint(out.raw)

    def equal(self, p: Point, q: Point) -> bool:
        """Equal octets: encodings are canonical."""
        return _raw(p) == _raw(q)

    # --- Single operations ------------------------------------------------------------------

    def add(self, p: Point, q: Point) -> Point:
        """p + q."""
        out = ctypes.create_string_buffer(POINT_SIZE)
        _must(self._add(out, _raw(p), _raw(q)))
        return SodiumPoint(out.raw)

    def sub(self, p: Point, q: Point) -> Point:
        """p - q."""
        out = ctypes.create_string_buffer(POINT_SIZE)
        _must(self._sub(out, _raw(p), _raw(q)))
        return SodiumPoint(out.raw)

    def mul(self, k: int, p: Point) -> Point:
        """k p, total."""
        out = ctypes.create_string_buffer(POINT_SIZE)
        self._mul_into(out, k, _raw(p))
        return SodiumPoint(out.raw)

    def mul_base(self, k: int) -> Point:
        """k G."""
        out = ctypes.create_string_buffer(POINT_SIZE)
        self._base_into(out, k)
        return SodiumPoint(out.raw)

    def _mul_into(self, out: Buffer, k: int, p: SodiumPoint) -> None:
        k %= Q
        if k == 0 or p == IDENTITY_BYTES:
            out.raw = IDENTITY_BYTES
        else:
            _must(self._mul(out, k.to_bytes(32, "little"), p))

    def _base_into(self, out: Buffer, k: int) -> None:
        k %= Q
        if k == 0:
            out.raw = IDENTITY_BYTES
        else:
            _must(self._base(out, k.to_bytes(32, "little")))

    # --- Lists ------------------------------------------------------------------------------

    def msm(self, scalars: Sequence[int], points: Sequence[Point]) -> Point:
        """Term by term (so in constant time for each), split over the threads."""
        terms = list(zip(scalars, points, strict=True))
        return self.sum(self._split(self._msm_part, terms))

    def _msm_part(self, terms: Sequence[tuple[int, Point]]) -> list[Point]:
        total = ctypes.create_string_buffer(POINT_SIZE)
        product = ctypes.create_string_buffer(POINT_SIZE)
        multiply, add = self._mul_into, self._add
        multiply(total, terms[0][0], _raw(terms[0][1]))
        for k, p in terms[1:]:
            multiply(product, k, _raw(p))
            _must(add(total, total, product))
        return [SodiumPoint(total.raw)]

    def mul_each(self, k: int, points: Sequence[Point]) -> list[Point]:
        """[k p for p in points]."""
        return self._split(lambda part: [self.mul(k, p) for p in part], points)

    def mul_base_each(self, scalars: Sequence[int]) -> list[Point]:
        """[k_i G]."""
        return self._split(lambda part: [self.mul_base(k) for k in part], scalars)

    def mul_fixed_each(self, scalars: Sequence[int], point: Point) -> list[Point]:
        """[s_i P] for one P."""
        return self._split(lambda part: [self.mul(k, point) for k in part], scalars)

    def commit_each(
        self, base_scalars: Sequence[int], scalars: Sequence[int], point: Point
    ) -> list[Point]:
        """[r_i G + s_i P] for one P."""

        def part(pairs: Sequence[tuple[int, int]]) -> list[Point]:
            return [self.add(self.mul_base(r), self.mul(s, point)) for r, s in pairs]

        return self._split(part, list(zip(base_scalars, scalars, strict=True)))

    def _split(self, work: Callable[[Sequence[T]], list[Point]], items: Sequence[T]) -> list[Point]:
        """`work` over consecutive parts of `items`, in order; nothing for no items."""
        if not items:
            return []
        parts = min(self._threads, len(items) // _MIN_TERMS)
        if parts < 2:
            return work(items)
        bounds = [len(items) * i // parts for i in range(parts + 1)]
        chunks = [items[a:b] for a, b in itertools.pairwise(bounds)]
        # Threads live for one list only: starting one costs a hundredth of what it saves, and
        # nothing is left to stop. The calling thread takes the last part.
        with ThreadPoolExecutor(parts - 1, "busso-group") as pool:
            futures = [pool.submit(work, chunk) for chunk in chunks[:-1]]
            last = work(chunks[-1])
            return [point for future in futures for point in future.result()] + last


def _must(code: int) -> None:
    """Stop at a return code other than 0."""
    if code != 0:
        raise SodiumError("libsodium refused a group operation on checked operands")


def _raw(point: Point) -> SodiumPoint:
    """Narrow a point to this backend; TypeError for another backend's."""
    if type(point) is not SodiumPoint:
        raise TypeError("a point of another backend")
    return point


@functools.lru_cache(maxsize=1)
def open_sodium(threads: int | None = None) -> SodiumGroup:
    """The group on the first libsodium that loads and passes the known answers; `threads` as for
    SodiumGroup.

    BackendError: there is none. The failure isn't cached.
    """
    for library in sodium_library.libraries():
        try:
            group = SodiumGroup(library, threads)
            known_answers(group)
        except (BackendError, SodiumError):
            continue
        return group
    raise BackendError("No usable libsodium was found; install 'rbcl' or your system's libsodium.")
