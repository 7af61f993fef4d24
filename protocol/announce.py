"""The datagrams by which tables are found (`WIRE.md`, "Discovery").

Law: this file knows their shape, their bounds and the signature of an announcement. It must never
know a socket, a clock or an address: where a table is, the datagram's source says.

    datagram     = [version, type, field, ...]      canonical encoding, at most MAX_DATAGRAM octets
    query        = [1, 48, token, padding]          exactly MAX_DATAGRAM octets
    answer       = [1, 49, token, announcement]     token 0: nobody asked
    callback     = [1, 50, token, port, padding]    exactly MAX_DATAGRAM octets
    announcement = [game, rules, name, host, seats, free, phase, code, port, key, table, serial,
                    signature]

A question is padded so that no answer is longer than it: a forged source gains nothing by it.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from protocol.contribution import KEY_SIZE, MAX_SEATS, SIGNATURE_SIZE
from protocol.encoding import Value, array, clean_text, integer, octets, pack, text, unpack
from protocol.errors import EncodingError, LocalProtocolError
from protocol.identity import Identity, admit_key, verify
from protocol.messages import MAX_NAME, TABLE_SIZE, TOKEN_SIZE, VERSION
from protocol.wire import OtherVersion, WireError

MAX_DATAGRAM: Final = 560
"""The longest answer fits, and one Ethernet frame holds it with room to spare."""
MAX_ANNOUNCEMENT: Final = 536
UNASKED: Final = bytes(TOKEN_SIZE)

_QUERY: Final = 48
_ANSWER: Final = 49
_CALLBACK: Final = 50
_TAG: Final = b"busso/announcement/1\x00"


class Phase(enum.IntEnum):
    """What a table is doing."""

    LOBBY = 0
    PLAYING = 1
    CLOSED = 2
    """It was taken away: the goodbye."""


@dataclass(frozen=True, slots=True)
class Announcement:
    """What a table says of itself to everybody; signed by its host's key.

    `rules` names a preset, "" for options of its own, which the card tells; `name` is the table's,
    `host` the player's; `free` counts the seats left of `seats`; `code` says whether joining takes
    the table's code; `port` is the door's; `table` 16 random octets; a later `serial` replaces an
    earlier one of the same key and table.
    """

    game: str
    rules: str
    name: str
    host: str
    seats: int
    free: int
    phase: Phase
    code: bool
    port: int
    key: bytes
    table: bytes
    serial: int
    signature: bytes = b""


@dataclass(frozen=True, slots=True)
class Query:
    """Who is there? The answer repeats `token` (8 octets, not all zero)."""

    token: bytes


@dataclass(frozen=True, slots=True)
class Answer:
    """A table is here: `announcement` (octets, `read_announcement`), asked for by `token`."""

    token: bytes
    announcement: bytes


@dataclass(frozen=True, slots=True)
class Callback:
    """Please connect to TCP port `port` (1024 or more) at my address and send `token`."""

    token: bytes
    port: int


Datagram: TypeAlias = Query | Answer | Callback


def encode_datagram(datagram: Datagram) -> bytes:
    """Its octets; `LocalProtocolError` if nobody would accept them."""
    match datagram:
        case Query(token):
            data = _padded((VERSION, _QUERY, token))
        case Callback(token, port):
            data = _padded((VERSION, _CALLBACK, token, port))
        case Answer(token, announcement):
            data = pack((VERSION, _ANSWER, token, announcement))
    try:
        decode_datagram(data)
    except EncodingError as error:
        raise LocalProtocolError(f"not a datagram that can be sent: {error}") from error
    return data


def decode_datagram(data: bytes) -> Datagram:
    """The datagram that `data` encodes; `WireError` for all else.

    An answer's announcement is left unread: most are repetitions of one read before.
    """
    try:
        items = array(unpack(data, limit=MAX_DATAGRAM, depth=1, items=8), "datagram", 2, 8)
        version = integer(items[0], "version", 0, 2**16)
        if version != VERSION:
            raise OtherVersion(version)
        return _datagram(integer(items[1], "type", 0, 2**16), items[2:], len(data))
    except WireError:
        raise
    except EncodingError as error:
        raise WireError(str(error)) from error


def sign_announcement(announcement: Announcement, identity: Identity) -> bytes:
    """The octets of `announcement` under the key and signature of `identity`.

    `LocalProtocolError` if a field is out of its bounds.
    """
    try:
        mine = replace(announcement, key=identity.public)
        data = pack(_fields(replace(mine, signature=identity.sign(_signed(mine)))))
        read_announcement(data)
    except EncodingError as error:
        raise LocalProtocolError(f"not an announcement that can be sent: {error}") from error
    return data


def read_announcement(data: bytes) -> Announcement:
    """The announcement that `data` encodes, its signature verified; `WireError` for all else."""
    try:
        announcement = _announcement(unpack(data, limit=MAX_ANNOUNCEMENT, depth=1, items=13))
        # The cheap test first: admitting an unknown key takes ten times as long as a signature.
        if not verify(announcement.key, _signed(announcement), announcement.signature):
            raise WireError("a wrong signature")
        admit_key(announcement.key)
    except WireError:
        raise
    except EncodingError as error:
        raise WireError(str(error)) from error
    return announcement


def _datagram(number: int, fields: tuple[Value, ...], size: int) -> Datagram:
    if number == _QUERY:
        token, padding = array(fields, "query", 2)
        _check_padding(padding, size)
        return Query(_asked(token))
    if number == _ANSWER:
        token, announcement = array(fields, "answer", 2)
        content = octets(announcement, "announcement", 1, MAX_ANNOUNCEMENT)
        return Answer(octets(token, "token", TOKEN_SIZE), content)
    if number == _CALLBACK:
        token, port, padding = array(fields, "callback", 3)
        _check_padding(padding, size)
        return Callback(_asked(token), integer(port, "port", 1_024, 65_535))
    raise WireError("a datagram of unknown type")


def _asked(value: Value) -> bytes:
    token = octets(value, "token", TOKEN_SIZE)
    if token == UNASKED:
        raise WireError("a token of zeros")
    return token


def _check_padding(value: Value, size: int) -> None:
    if size != MAX_DATAGRAM or any(octets(value, "padding", 256, MAX_DATAGRAM)):
        raise WireError("a question that is not padded as it must be")


def _padded(fields: tuple[Value, ...]) -> bytes:
    # Padding of 256 octets or more costs three octets of its own, whatever its length.
    bare = len(pack((*fields, bytes(256)))) - 256
    return pack((*fields, bytes(MAX_DATAGRAM - bare)))


def _fields(m: Announcement) -> tuple[Value, ...]:
    head = (m.game, m.rules, m.name, m.host, m.seats, m.free, int(m.phase), int(m.code), m.port)
    return (*head, m.key, m.table, m.serial, m.signature)


def _signed(m: Announcement) -> bytes:
    """The tag, then the encoding of every field but the signature."""
    return _TAG + pack(_fields(m)[:-1])


def _announcement(value: Value) -> Announcement:
    items = array(value, "announcement", 13)
    game, rules, name, host, seats, free, phase, code, port = items[:9]
    key, table, serial, signature = items[9:]
    wanted = integer(seats, "seats", 1, MAX_SEATS)
    preset = text(rules, "rules", 0, MAX_NAME)
    return Announcement(
        clean_text(text(game, "game", 1, MAX_NAME), MAX_NAME),
        clean_text(preset, MAX_NAME) if preset else "",
        clean_text(text(name, "table name", 1, MAX_NAME), MAX_NAME),
        clean_text(text(host, "host's name", 1, MAX_NAME), MAX_NAME),
        wanted,
        integer(free, "free seats", 0, wanted),
        Phase(integer(phase, "phase", 0, max(Phase))),
        integer(code, "code", 0, 1) == 1,
        integer(port, "port", 1, 65_535),
        octets(key, "key", KEY_SIZE),
        octets(table, "table", TABLE_SIZE),
        integer(serial, "serial"),
        octets(signature, "signature", SIGNATURE_SIZE),
    )
