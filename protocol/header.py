"""The header of a match: what is played, by whom, signed by every seat (step 0).

Law: this file knows the agreed terms of a match and who signed them. It must never know what an
option means to a game, nor what happens after the match has begun.

    payload = [core, [signature of each seat]]                         core as one byte string
    core    = [format, lowest reader, game, rules version, [[option, value], ...], created,
               [[name, public key, nonce], ...], [[extension, value], ...]]
    match   = SHA-256("busso/match/1" 0x00 core)
    signed  = "busso/header/1" 0x00 core

The core travels as octets, so what is hashed and signed is what was received. Seats stand in the
order of their keys; options and extensions in that of their names. Each seat's nonce makes the
match new for that seat, so that its signatures can't be played back in another.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from protocol.contribution import KEY_SIZE, MAX_SEATS, SIGNATURE_SIZE
from protocol.encoding import Value, array, clean_text, integer, octets, pack, text, unpack
from protocol.errors import InvalidHeader, UnsupportedFormat
from protocol.identity import Identity, admit_key, labels, verify

FORMAT: Final = 1
"""The log format that this program writes and the newest that it reads."""
NONCE_SIZE: Final = 16
MIN_SEATS: Final = 2
MAX_NAME: Final = 32
MAX_OPTIONS: Final = 64
MAX_OPTION_TEXT: Final = 256
MAX_CREATED: Final = 2**40
MAX_VERSION: Final = 2**16
MAX_CORE: Final = 32_768
MAX_HEADER: Final = MAX_CORE + MAX_SEATS * (SIGNATURE_SIZE + 2) + 16

_IDENTIFIER: Final = re.compile(r"[a-z][a-z0-9_.-]{0,31}")
_MATCH_TAG: Final = b"busso/match/1\x00"
_SIGNED_TAG: Final = b"busso/header/1\x00"

Option = tuple[str, int | str]


@dataclass(frozen=True, slots=True)
class Seat:
    """A player's place at the table: a name for people, a key, 16 octets that the player drew."""

    name: str
    key: bytes
    nonce: bytes


@dataclass(frozen=True, slots=True)
class Header:
    """The terms of a match. Making one checks everything but signatures (`InvalidHeader`).

    `lowest_reader` is the lowest format whose readers understand the log; `created` seconds since
    1970 in UTC; options and extensions ascend by name, seats by key.
    """

    game: str
    rules: int
    options: tuple[Option, ...]
    created: int
    seats: tuple[Seat, ...]
    extensions: tuple[Option, ...] = ()
    format: int = FORMAT
    lowest_reader: int = FORMAT
    core: bytes = field(init=False, repr=False, compare=False)
    """The canonical octets of the terms."""
    match: bytes = field(init=False, repr=False, compare=False)
    """SHA-256(tag, core): the match's name in every signature."""

    def __post_init__(self) -> None:
        """Refuse terms that no table may agree on."""
        integer(self.format, "format", 1, MAX_VERSION)
        integer(self.lowest_reader, "lowest reader", 1, self.format)
        _identifier(self.game, "game")
        integer(self.rules, "rules version", 1, MAX_VERSION)
        integer(self.created, "created", 0, MAX_CREATED)
        _check_options(self.options, "option")
        _check_options(self.extensions, "extension")
        _check_seats(self.seats)
        core = pack(
            (
                self.format,
                self.lowest_reader,
                self.game,
                self.rules,
                self.options,
                self.created,
                tuple((seat.name, seat.key, seat.nonce) for seat in self.seats),
                self.extensions,
            )
        )
        if len(core) > MAX_CORE:
            raise InvalidHeader(f"a header of more than {MAX_CORE} octets")
        # Derived once; the class is frozen, so this is the only moment to store them.
        object.__setattr__(self, "core", core)
        object.__setattr__(self, "match", match_id(core))

    @classmethod
    def draft(
        cls, game: str, rules: int, options: Iterable[Option], created: int, seats: Iterable[Seat]
    ) -> Header:
        """The header of these terms, put in order."""
        return cls(
            game=game,
            rules=rules,
            options=tuple(sorted(options, key=lambda option: option[0])),
            created=created,
            seats=tuple(sorted(seats, key=lambda seat: seat.key)),
        )

    @property
    def keys(self) -> tuple[bytes, ...]:
        """The seats' public keys; a seat's index here is its number."""
        return tuple(seat.key for seat in self.seats)

    @property
    def labels(self) -> tuple[str, ...]:
        """What to call the seats, in their order: names, told apart where two are alike."""
        return _labels(self.seats)

    def sign(self, identity: Identity) -> bytes:
        """The signature of a seat that agrees to these terms."""
        return identity.sign(signed_octets(self.core))

    def is_signed_by(self, seat: int, signature: bytes) -> bool:
        """Whether `signature` is that seat's agreement."""
        return verify(self.seats[seat].key, signed_octets(self.core), signature)

    def seal(self, signatures: Sequence[bytes]) -> SignedHeader:
        """The header with the signature of each seat, in seat order; `InvalidHeader`."""
        return SignedHeader(self, tuple(signatures))


@dataclass(frozen=True, slots=True)
class SignedHeader:
    """A header that every seat signed; making one checks all signatures (`InvalidHeader`)."""

    header: Header
    signatures: tuple[bytes, ...]

    def __post_init__(self) -> None:
        """Refuse a header that some seat did not agree to."""
        if len(self.signatures) != len(self.header.seats):
            raise InvalidHeader(
                f"{len(self.signatures)} signatures under a header of "
                f"{len(self.header.seats)} seats"
            )
        message = signed_octets(self.header.core)
        for number, seat in enumerate(self.header.seats):
            if not verify(seat.key, message, self.signatures[number]):
                raise InvalidHeader(f"seat {number} ({seat.name}) did not sign this header")

    @property
    def payload(self) -> bytes:
        """The octets of the log's first frame."""
        return pack((self.header.core, self.signatures))

    @property
    def match(self) -> bytes:
        """The match's id."""
        return self.header.match


@functools.lru_cache(maxsize=64)
def _labels(seats: tuple[Seat, ...]) -> tuple[str, ...]:
    told = labels({seat.key: seat.name for seat in seats})
    return tuple(told[seat.key] for seat in seats)


def match_id(core: bytes) -> bytes:
    """SHA-256("busso/match/1" 0x00 core)."""
    return hashlib.sha256(_MATCH_TAG + core).digest()


def signed_octets(core: bytes) -> bytes:
    """What each seat signs: a tag that no other signature uses, then the core."""
    return _SIGNED_TAG + core


def parse_header(payload: bytes) -> SignedHeader:
    """Read and verify a log's first frame.

    `UnsupportedFormat` for a later format; `EncodingError` (or its child `InvalidHeader`) if any
    part is malformed, a key is not admitted or a signature is missing or wrong.
    """
    core, signatures = array(unpack(payload, limit=MAX_HEADER), "header", 2)
    header = parse_core(octets(core, "header core", 1, MAX_CORE))
    return header.seal(
        tuple(
            octets(signature, "header signature", SIGNATURE_SIZE)
            for signature in array(signatures, "header signatures", MIN_SEATS, MAX_SEATS)
        )
    )


def parse_core(core: bytes) -> Header:
    """Read the terms alone, as they travel before they are signed; raises as `parse_header`."""
    items = array(unpack(core, limit=MAX_CORE), "header core", 2, 64)
    written = integer(items[0], "format", 1, MAX_VERSION)
    lowest = integer(items[1], "lowest reader", 1, written)
    if lowest > FORMAT:
        raise UnsupportedFormat(
            f"this match is in log format {written}; it takes a Busso that reads format {lowest} "
            f"or later, and this one reads format {FORMAT}"
        )
    _, _, game, rules, options, created, seats, extensions = array(items, "header core", 8)
    return Header(
        format=written,
        lowest_reader=lowest,
        game=text(game, "game", 1, 32),
        rules=integer(rules, "rules version", 1, MAX_VERSION),
        options=_parse_options(options, "option"),
        created=integer(created, "created", 0, MAX_CREATED),
        seats=tuple(_parse_seat(seat) for seat in array(seats, "seats", MIN_SEATS, MAX_SEATS)),
        extensions=_parse_options(extensions, "extension"),
    )


def _parse_seat(value: Value) -> Seat:
    name, key, nonce = array(value, "seat", 3)
    return Seat(
        text(name, "seat name", 1, MAX_NAME),
        octets(key, "seat key", KEY_SIZE),
        octets(nonce, "seat nonce", NONCE_SIZE),
    )


def _parse_options(value: Value, what: str) -> tuple[Option, ...]:
    options: list[Option] = []
    for item in array(value, f"{what}s", 0, MAX_OPTIONS):
        name, setting = array(item, what, 2)
        if not isinstance(setting, int | str):
            raise InvalidHeader(f"{what}: its value is neither an integer nor a string")
        options.append((text(name, f"{what} name", 1, 32), setting))
    return tuple(options)


def _identifier(value: str, what: str) -> None:
    if type(value) is not str or not _IDENTIFIER.fullmatch(value):
        raise InvalidHeader(f"{what}: {value!r} is not a name of small letters and digits")


def _check_options(options: tuple[Option, ...], what: str) -> None:
    if len(options) > MAX_OPTIONS:
        raise InvalidHeader(f"more than {MAX_OPTIONS} {what}s")
    previous = ""
    for name, setting in options:
        _identifier(name, what)
        if name <= previous:
            raise InvalidHeader(f"{what}s out of order or doubled at {name!r}")
        previous = name
        if type(setting) is str and len(setting) > MAX_OPTION_TEXT:
            raise InvalidHeader(f"{what} {name!r} is longer than {MAX_OPTION_TEXT} characters")


def _check_seats(seats: tuple[Seat, ...]) -> None:
    if not MIN_SEATS <= len(seats) <= MAX_SEATS:
        raise InvalidHeader(f"{len(seats)} seats; {MIN_SEATS} to {MAX_SEATS} can play")
    previous = b""
    for seat in seats:
        clean_text(seat.name, MAX_NAME)
        octets(seat.nonce, "seat nonce", NONCE_SIZE)
        admit_key(seat.key)
        if seat.key == previous:
            raise InvalidHeader(f"two seats with the key of {seat.name}")
        if seat.key < previous:
            raise InvalidHeader("seats that don't stand in the order of their keys")
        previous = seat.key
