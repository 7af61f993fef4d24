"""Identities: one Ed25519 key for each player (RFC 8032).

Law: this file knows keys, messages and signatures. It must never know what is signed.

Signing and verifying are the `cryptography` library's everywhere and alone, since two verifiers can
disagree about an odd signature and their nodes would then fork. That library accepts public keys
of small order, for which one signature fits every message; `admit_key` keeps those, and keys with a
small-order part, away from every table.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import os
import secrets
import stat
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)

from protocol.contribution import KEY_SIZE, SIGNATURE_SIZE
from protocol.errors import FileError, InvalidKey
from protocol.files import Disk, read_file, reason

SEED_SIZE: Final = 32
DOT: Final = "\u00b7"
"""What stands between a name and the short form of its key."""
_FILE_TAG: Final = b"busso identity 1\n"
_FILE_SIZE: Final = len(_FILE_TAG) + 2 * SEED_SIZE + 1
_LOCKED_TAG: Final = b"-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
_MAX_FILE: Final = 2_048
MAX_PASSPHRASE: Final = 512

# RFC 8032, section 5.1: the field, the curve -x^2 + y^2 = 1 + d x^2 y^2, the order of its base.
_P: Final = 2**255 - 19
_D: Final = -121665 * pow(121666, -1, _P) % _P
_L: Final = 2**252 + 27742317777372353535851937790883648493
_SQRT_M1: Final = pow(2, (_P - 1) // 4, _P)

_Point = tuple[int, int, int, int]
"""Extended coordinates (X, Y, Z, T): x = X/Z, y = Y/Z, x y = T/Z."""
_NEUTRAL: Final[_Point] = (0, 1, 1, 0)


class WrongPassphrase(FileError):
    """The identity is locked, and was not opened."""


class Identity:
    """A player's signing key. Its seed is secret and never shown, not even by `repr`."""

    __slots__ = ("_key", "_seed", "public")

    def __init__(self, seed: bytes) -> None:
        """The key whose RFC 8032 seed is `seed` (32 octets)."""
        if len(seed) != SEED_SIZE:
            raise InvalidKey(f"a seed has {SEED_SIZE} octets, not {len(seed)}")
        self._seed = seed
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public: Final[bytes] = self._key.public_key().public_bytes_raw()

    @classmethod
    def generate(cls, random: Callable[[int], bytes] = secrets.token_bytes) -> Identity:
        """A new key from `random`, a source of secret octets."""
        return cls(random(SEED_SIZE))

    @classmethod
    def load_or_create(
        cls,
        path: Path,
        *,
        passphrase: Callable[[], str] | None = None,
        random: Callable[[int], bytes] = secrets.token_bytes,
        disk: Disk | None = None,
    ) -> Identity:
        """The key kept in `path`, made there first if there is no such file; `FileError`.

        The file is readable by its owner only, appears whole or not at all and is on the disk
        before this returns. One that others can read is refused: its key may be stolen. A locked
        one is opened with what `passphrase` gives (WrongPassphrase).
        """
        if not os.path.lexists(path):
            identity = cls.generate(random)
            try:
                (disk or Disk()).publish(path, identity._content(""))
            except FileExistsError:
                pass  # another process was faster: its key is the player's
            except OSError as error:
                raise FileError(f"{path.name} can't be written: {reason(error)}") from error
        return cls._load(path, passphrase)

    def save(self, path: Path, passphrase: str, *, disk: Disk | None = None) -> None:
        """Keep the key in `path`, locked by `passphrase` unless that is ""; `FileError`.

        The old file is replaced at once, so there is always one whole file.
        """
        try:
            (disk or Disk()).replace(path, self._content(passphrase))
        except OSError as error:
            raise FileError(f"{path.name} can't be written: {reason(error)}") from error

    def _content(self, passphrase: str) -> bytes:
        if not passphrase:
            return _FILE_TAG + self._seed.hex().encode("ascii") + b"\n"
        return self._key.private_bytes(
            Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(_octets(passphrase))
        )

    @classmethod
    def _load(cls, path: Path, passphrase: Callable[[], str] | None) -> Identity:
        if path.is_symlink():
            raise FileError(f"{path.name} is a symbolic link; an identity must be a file")
        data = read_file(path, _MAX_FILE)
        if sys.platform != "win32" and stat.S_IMODE(path.stat().st_mode) & 0o077:
            raise FileError(
                f"{path.name} can be read by others; set its mode to 600: chmod 600 {path}"
            )
        if data.startswith(_LOCKED_TAG):
            return cls._unlock(path, data, passphrase)
        digits = data[len(_FILE_TAG) : -1]
        if len(data) != _FILE_SIZE or not data.startswith(_FILE_TAG) or data[-1:] != b"\n":
            raise FileError(f"{path.name} is not an identity file")
        try:
            seed = bytes.fromhex(digits.decode("ascii"))
        except ValueError as error:
            raise FileError(f"{path.name} is not an identity file") from error
        if seed.hex().encode("ascii") != digits:
            raise FileError(f"{path.name} is not an identity file")
        return cls(seed)

    @classmethod
    def _unlock(cls, path: Path, data: bytes, passphrase: Callable[[], str] | None) -> Identity:
        if passphrase is None:
            raise WrongPassphrase(f"{path.name} is locked by a passphrase")
        words = passphrase()
        if not words:
            raise WrongPassphrase(f"{path.name} is locked, and no passphrase was given")
        try:
            key = load_pem_private_key(data, _octets(words))
        except ValueError as error:
            # The library can't tell a wrong passphrase from damage, and neither can we.
            raise WrongPassphrase(f"that passphrase doesn't open {path.name}") from error
        except (TypeError, UnsupportedAlgorithm) as error:
            raise FileError(f"{path.name} is not an identity file") from error
        if not isinstance(key, Ed25519PrivateKey):
            raise FileError(f"{path.name} holds a key of another kind")
        return cls(key.private_bytes_raw())

    def sign(self, message: bytes) -> bytes:
        """The 64-octet signature of `message`: deterministic, so twice the same."""
        return self._key.sign(message)

    def __repr__(self) -> str:
        return f"Identity({fingerprint(self.public)})"


def verify(key: bytes, message: bytes, signature: bytes) -> bool:
    """Whether `signature` is one of `message` under `key`, a key that `admit_key` let in."""
    if len(key) != KEY_SIZE or len(signature) != SIGNATURE_SIZE:
        return False
    try:
        _public_key(key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


@functools.lru_cache(maxsize=256)
def _public_key(key: bytes) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(key)


def is_locked(path: Path) -> bool:
    """Whether the identity in `path` takes a passphrase; `FileError`."""
    return path.exists() and read_file(path, _MAX_FILE).startswith(_LOCKED_TAG)


def _octets(passphrase: str) -> bytes:
    """A passphrase as octets, the same on every keyboard: NFKC, UTF-8."""
    if not 1 <= len(passphrase) <= MAX_PASSPHRASE:
        raise FileError(f"a passphrase has 1 to {MAX_PASSPHRASE} characters")
    return unicodedata.normalize("NFKC", passphrase).encode("utf-8", "surrogatepass")


def fingerprint(key: bytes) -> str:
    """A short form of `key` that people compare: 100 bits of its SHA-256 in base32.

    Five groups of four characters, for example "ABCD-EFGH-IJKL-MNOP-QRST".
    """
    digits = base64.b32encode(hashlib.sha256(key).digest())[:20].decode("ascii")
    return "-".join(digits[i : i + 4] for i in range(0, 20, 4))


def short_form(key: bytes) -> str:
    """The first group of the fingerprint in small letters: what tells two Bobs apart at a table."""
    return fingerprint(key)[:4].lower()


def labels(names: Mapping[bytes, str]) -> dict[bytes, str]:
    """What to call the players with these keys, so that no two are called alike.

    The name, with the short form where another has the same name in any case (`Bob·k7f2`); always
    with it where the name has a dot of its own, or somebody could call himself another's label.
    The same short form under the same name (one key in a million) gives longer ones.
    """
    counts = Counter(_folded(name) for name in names.values())
    plain = {key for key, name in names.items() if counts[_folded(name)] == 1 and DOT not in name}
    for groups in range(1, 6):
        told = {
            key: name if key in plain else name + DOT + _groups(key, groups)
            for key, name in names.items()
        }
        if len(set(told.values())) == len(told):
            break
    return told


def _folded(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _groups(key: bytes, count: int) -> str:
    return "-".join(fingerprint(key).split("-")[:count]).lower()


def admit_key(key: bytes) -> None:
    """Raise `InvalidKey` unless `key` may sit at a table.

    It must be the canonical encoding of a point other than the neutral one in the subgroup of
    prime order L. The check takes a few milliseconds; no secrets are involved.
    """
    if len(key) != KEY_SIZE:
        raise InvalidKey(f"a public key has {KEY_SIZE} octets, not {len(key)}")
    _admit(bytes(key))


@functools.lru_cache(maxsize=256)
def _admit(key: bytes) -> None:
    point = _decompress(key)
    if _is_neutral(point) or not _is_neutral(_multiply(_L, point)):
        raise InvalidKey("a public key outside the prime-order subgroup")


def _decompress(key: bytes) -> _Point:
    """RFC 8032, section 5.1.3: y in 255 bits, then the low bit of x."""
    number = int.from_bytes(key, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    if y >= _P:
        raise InvalidKey("a public key that is not encoded canonically")
    # x^2 = u / v; x = u v^3 (u v^7)^((p-5)/8), times sqrt(-1) where that is off by a sign
    u, v = (y * y - 1) % _P, (_D * y * y + 1) % _P
    x = u * pow(v, 3, _P) * pow(u * pow(v, 7, _P), (_P - 5) // 8, _P) % _P
    if (v * x * x + u) % _P == 0:
        x = x * _SQRT_M1 % _P
    if (v * x * x - u) % _P != 0:
        raise InvalidKey("a public key that is not on the curve")
    if x == 0 and sign:
        raise InvalidKey("a public key that is not encoded canonically")
    if x & 1 != sign:
        x = _P - x
    return x, y, 1, x * y % _P


def _add(p: _Point, q: _Point) -> _Point:
    """RFC 8032, section 5.1.4: complete, so it doubles as well."""
    a = (p[1] - p[0]) * (q[1] - q[0]) % _P
    b = (p[1] + p[0]) * (q[1] + q[0]) % _P
    c = 2 * p[3] * q[3] * _D % _P
    d = 2 * p[2] * q[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _multiply(n: int, p: _Point) -> _Point:
    result = _NEUTRAL
    for bit in bin(n)[2:]:
        result = _add(result, result)
        if bit == "1":
            result = _add(result, p)
    return result


def _is_neutral(p: _Point) -> bool:
    return p[0] == 0 and p[1] == p[2]
