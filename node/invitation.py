"""Invitations, and every other way to write down where a table is.

    busso1-0c381hg-rg4z9k2-...      an invitation: `Invitation`
    ada.local:7000  [fe80::1%en0]   a place: `Place`

Law: this file knows texts and octets. It resolves no name and opens no connection; nothing that it
reads is believed before the door's card agrees (`Invitation.matches`).

    text     = "busso1" base32(payload, checksum)       Crockford's digits, no padding
    payload  = flags, port (u16be), table (4), key (10), [code (5)], address, ...
    flags    = number of addresses (1 to 8), + 16 if there is a code
    address  = 4, IPv4 (4)  |  6, IPv6 (16)
    table    = the first octets of the table's identifier
    key      = the first octets of SHA-256(host's public key)
    checksum = the first 4 octets of SHA-256("busso/invitation/1" 0x00 payload)

Hyphens, spaces and case mean nothing; O is read as 0, I and L as 1, as Crockford has it. Every
invitation has one set of digits: whatever else would read as the same one is refused.
"""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from node.errors import NodeError
from protocol.messages import TableCard

DEFAULT_PORT: Final = 28_776
"""Where a door is if nothing else is said: BUSSO on a telephone's keys. UDP and TCP."""
MAX_ADDRESSES: Final = 8
TABLE_PREFIX: Final = 4
KEY_PREFIX: Final = 10
CODE_LENGTH: Final = 8
DIGITS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

_PREFIX: Final = "BUSSO1"
_TAG: Final = b"busso/invitation/1\x00"
_CHECKSUM: Final = 4
_HAS_CODE: Final = 16
_CODE_SIZE: Final = 5
_GROUP: Final = 7
_MAX_TEXT: Final = 512
_MAX_HOST: Final = 253
_ALIKE: Final = str.maketrans("OIL", "011")

IPAddress: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address


class BadInvitation(NodeError, ValueError):
    """Not an invitation, or one that was mistyped; the text is one sentence."""


class BadPlace(NodeError, ValueError):
    """Not a host with or without a port; the text is one sentence."""


@dataclass(frozen=True, slots=True)
class Place:
    """A door: a numeric address or a name, and a TCP port."""

    host: str
    port: int = DEFAULT_PORT

    def __str__(self) -> str:
        """As `parse_place` reads it; the default port is left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORT else f"{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Invitation:
    """Where a table is, how to recognise it, and its code if it has one.

    `addresses` are numeric and without a scope, the likeliest first; `port` is the door's;
    `table` and `key` the prefixes of the module's docstring; `code` 8 of `DIGITS`, or "".
    """

    addresses: tuple[str, ...]
    port: int
    table: bytes
    key: bytes
    code: str = ""

    @property
    def places(self) -> tuple[Place, ...]:
        """Where to look for the door, in this order."""
        return tuple(Place(address, self.port) for address in self.addresses)

    def matches(self, card: TableCard) -> bool:
        """Whether `card` is that of the table which was meant."""
        return card.table[:TABLE_PREFIX] == self.table and _key_prefix(card.key) == self.key

    def __str__(self) -> str:
        """The text to hand on: lower case, in groups."""
        digits = _base32(_pack(self)).lower()
        groups = (digits[i : i + _GROUP] for i in range(0, len(digits), _GROUP))
        return "-".join((_PREFIX.lower(), *groups))


def invite(card: TableCard, addresses: Iterable[str], port: int, code: str = "") -> Invitation:
    """An invitation to the table of `card`, whose door is on `port` at `addresses`.

    Addresses that mean nothing elsewhere (loopback, IPv6 link-local, unspecified, multicast) are
    left out, as is what goes beyond `MAX_ADDRESSES`. BadInvitation if none is left, or for a code
    that can't be one.
    """
    found: dict[str, None] = {}
    for text in addresses:
        address = _address(text)
        scoped = address.version == 6 and address.is_link_local
        if not (_nowhere(address) or address.is_loopback or scoped):
            found[str(address)] = None
    kept = tuple(found)[:MAX_ADDRESSES]
    if not kept:
        raise BadInvitation("This computer has no address that others could reach.")
    invitation = Invitation(kept, port, card.table[:TABLE_PREFIX], _key_prefix(card.key), code)
    return parse_invitation(str(invitation))


def parse_invitation(text: str) -> Invitation:
    """The invitation that `text` writes down; BadInvitation for anything else."""
    if len(text) > _MAX_TEXT:
        raise BadInvitation("That is too long for an invitation.")
    digits = "".join(c for c in text.upper() if c not in "- \t\r\n")
    if not digits.startswith(_PREFIX):
        if digits.startswith(_PREFIX[:-1]) and digits[5:6].isdigit():
            raise BadInvitation("That invitation was made by another version of Busso.")
        raise BadInvitation("That is no invitation: one starts with busso1.")
    data = _unbase32(digits[len(_PREFIX) :])
    payload, checksum = data[:-_CHECKSUM], data[-_CHECKSUM:]
    if checksum != _checksum(payload):
        raise BadInvitation("That invitation was mistyped: its checksum is wrong.")
    return _unpack(payload)


def parse_place(text: str) -> Place:
    """The HOST[:PORT] that `text` writes down; BadPlace for anything else.

    An IPv6 address with a port stands in brackets.
    """
    text = text.strip()
    if text.startswith("["):
        host, closed, rest = text[1:].partition("]")
        if not closed or ":" not in host or (rest and not rest.startswith(":")):
            raise BadPlace("An IPv6 address with a port is written [fe80::1]:7000.")
        return Place(_ipv6(host), _port(rest[1:]) if rest else DEFAULT_PORT)
    if text.count(":") > 1:
        return Place(_ipv6(text))
    host, colon, port = text.partition(":")
    return Place(_host(host), _port(port) if colon else DEFAULT_PORT)


def parse_target(text: str) -> Invitation | Place:
    """Whatever `busso join` accepts: an invitation or a place. BadInvitation, BadPlace."""
    # A name may begin with "busso1"; only an invitation has no dot and no colon and is long.
    looks = text.strip().upper().startswith(_PREFIX[:-1])
    if looks and len(text) > 32 and not set(text) & set(".:[]"):
        return parse_invitation(text)
    return parse_place(text)


def qr_lines(text: str, *, ascii_only: bool = False, border: int = 2) -> tuple[str, ...]:
    """A QR code of `text` for a terminal with a dark background: light squares are drawn.

    Two rows of squares a line in half blocks; with `ascii_only` one row a line, two columns each.
    """
    import segno  # noqa: PLC0415  # slow, and rarely needed

    code = segno.make_qr(text.upper(), error="l", boost_error=False)
    rows = [[not dark for dark in row] for row in code.matrix_iter(scale=1, border=border)]
    if ascii_only:
        return tuple("".join("##" if light else "  " for light in row) for row in rows)
    if len(rows) % 2:
        rows.append([False] * len(rows[0]))
    return tuple(_half_blocks(rows[i], rows[i + 1]) for i in range(0, len(rows), 2))


def _half_blocks(upper: Sequence[bool], lower: Sequence[bool]) -> str:
    return "".join(" ▄▀█"[2 * high + low] for high, low in zip(upper, lower, strict=True))


# Places.


def _host(text: str) -> str:
    if not text:
        raise BadPlace("A host is missing, as in 192.168.1.5 or ada.local.")
    if set(text) <= set("0123456789.") or text[:2].lower() == "0x":
        # The system's resolver would read 10.1 as 10.0.0.1 and 7 as 0.0.0.7.
        try:
            return str(ipaddress.IPv4Address(text))
        except ValueError as error:
            raise BadPlace(f"{_shown(text)} is not an IPv4 address.") from error
    plain = all(c.isalnum() or c in "-._" for c in text) and ".." not in text
    if not plain or len(text) > _MAX_HOST or text[0] in "-.":
        raise BadPlace("That is neither an address nor the name of a computer.")
    return text


def _ipv6(text: str) -> str:
    address, percent, scope = text.partition("%")
    try:
        found = ipaddress.IPv6Address(address)
    except ValueError as error:
        raise BadPlace(f"{_shown(text)} is not an IPv6 address.") from error
    if not percent:
        return str(found.ipv4_mapped or found)
    if not found.is_link_local or not 1 <= len(scope) <= 32 or not scope.isprintable():
        raise BadPlace(f"{_shown(text)} is not an IPv6 address with a scope.")
    return f"{found}%{scope}"


def _port(text: str) -> int:
    plain = text.isascii() and text.isdigit() and len(text) <= 5
    if not plain or not 1 <= int(text) <= 65_535:
        raise BadPlace(f"{_shown(text)} is not a port: one is from 1 to 65535.")
    return int(text)


def _shown(text: str) -> str:
    """`text` as a sentence may quote it."""
    return f"'{text[:48]}'" if text.isprintable() else "That"


# Octets.


def _address(text: str) -> IPAddress:
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError as error:
        raise BadInvitation(f"{_shown(text)} is not a numeric address.") from error
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


def _nowhere(address: IPAddress) -> bool:
    return address.is_unspecified or address.is_multicast


def _key_prefix(key: bytes) -> bytes:
    return hashlib.sha256(key).digest()[:KEY_PREFIX]


def _checksum(payload: bytes) -> bytes:
    return hashlib.sha256(_TAG + payload).digest()[:_CHECKSUM]


def _pack(invitation: Invitation) -> bytes:
    flags = len(invitation.addresses) + (_HAS_CODE if invitation.code else 0)
    parts = [bytes([flags]), invitation.port.to_bytes(2, "big"), invitation.table, invitation.key]
    if invitation.code:
        parts.append(_unbase32(invitation.code))
    for text in invitation.addresses:
        address = _address(text)
        parts += [bytes([address.version]), address.packed]
    payload = b"".join(parts)
    return payload + _checksum(payload)


def _unpack(payload: bytes) -> Invitation:
    """The invitation in a payload whose checksum was right; BadInvitation."""
    reader = _Reader(payload)
    flags = reader.take(1)[0]
    count = flags & 15
    if flags & ~(_HAS_CODE | 15) or not 1 <= count <= MAX_ADDRESSES:
        raise _damaged()
    port = int.from_bytes(reader.take(2), "big")
    table, key = reader.take(TABLE_PREFIX), reader.take(KEY_PREFIX)
    code = _base32(reader.take(_CODE_SIZE)) if flags & _HAS_CODE else ""
    addresses = [_read_address(reader) for _ in range(count)]
    if reader.left or not port or len(set(addresses)) != count:
        raise _damaged()
    return Invitation(tuple(addresses), port, table, key, code)


def _read_address(reader: _Reader) -> str:
    version = reader.take(1)[0]
    if version == 4:
        address: IPAddress = ipaddress.IPv4Address(reader.take(4))
    elif version == 6:
        address = ipaddress.IPv6Address(reader.take(16))
    else:
        raise _damaged()
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    if mapped or _nowhere(address):
        raise _damaged()
    return str(address)


class _Reader:
    """Octets from front to back."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        return len(self._data) - self._at

    def take(self, count: int) -> bytes:
        if count > self.left:
            raise _damaged()
        self._at += count
        return self._data[self._at - count : self._at]


def _damaged() -> BadInvitation:
    return BadInvitation("That invitation makes no sense; ask for a new one.")


def _base32(data: bytes) -> str:
    """Five bits a digit, the last one filled with zeros."""
    count = -(-len(data) * 8 // 5)
    number = int.from_bytes(data, "big") << (count * 5 - len(data) * 8)
    return "".join(DIGITS[number >> (5 * i) & 31] for i in reversed(range(count)))


def _unbase32(text: str) -> bytes:
    number = 0
    for c in text.upper().translate(_ALIKE):
        value = DIGITS.find(c)
        if value < 0:
            raise BadInvitation(f"'{c if c.isprintable() else '?'}' is in no invitation or code.")
        number = number << 5 | value
    size, spare = divmod(len(text) * 5, 8)
    if spare >= 5 or number & ((1 << spare) - 1):
        raise BadInvitation("That invitation was mistyped: a character is missing or too many.")
    return (number >> spare).to_bytes(size, "big")
