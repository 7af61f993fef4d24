"""The octets of the messages in `protocol.messages` (`WIRE.md`).

Law: this file knows the shape, the bounds and, where a message carries its own key, the signature
of every message. It must never know a socket, a clock, or whether an entry is right for its step.

    message = [version, type, field, ...]           canonical encoding, at most MAX_MESSAGE octets

`decode` returns a message only if its octets are the one encoding of it, every field is in its
bounds and a signature by a key inside it (card, HELLO, chat) is valid. The signatures of entries
need the match's header and are checked where that is known.

    EncodingError
    └── WireError           not a message of this protocol
        └── OtherVersion    a message of another protocol version
"""

from __future__ import annotations

import ipaddress
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias, TypeVar, cast

from protocol.contribution import (
    DIGEST_SIZE,
    HASH_SIZE,
    KEY_SIZE,
    MAX_ATTEMPT,
    MAX_BODY,
    MAX_SEATS,
    MAX_STEP,
    SIGNATURE_SIZE,
    Class,
    Contribution,
    Entry,
    Kind,
    Place,
)
from protocol.encoding import Value, array, clean_text, integer, octets, pack, text, unpack
from protocol.errors import EncodingError, LocalProtocolError
from protocol.identity import Identity, admit_key, verify
from protocol.messages import (
    MAX_BATCH,
    MAX_CARD,
    MAX_CHAT,
    MAX_CORE,
    MAX_HELLO,
    MAX_MESSAGE,
    MAX_NAME,
    MAX_REASON,
    MAX_SETTING,
    MAX_SETTINGS,
    NONCE_SIZE,
    SESSION_SIZE,
    TABLE_SIZE,
    TOKEN_SIZE,
    VERSION,
    Ask,
    Batch,
    Bye,
    Chat,
    EntryMessage,
    Get,
    Hello,
    Knock,
    Message,
    Ping,
    Pong,
    Propose,
    Reason,
    Refusal,
    Role,
    Setting,
    State,
    TableCard,
    Welcome,
)

_CARD_TAG: Final = b"busso/card/1\x00"
_HELLO_TAG: Final = b"busso/hello/1\x00"
_CHAT_TAG: Final = b"busso/chat/1\x00"
_MAX_KIND: Final = 32
_MAX_CLASS: Final = max(Class)


class WireError(EncodingError):
    """Octets that are not a message of this protocol, or one whose signature is wrong."""


class OtherVersion(WireError):
    """A message of protocol version `version`, which is not ours."""

    def __init__(self, version: int) -> None:
        super().__init__(f"protocol version {version}; this Busso speaks version {VERSION}")
        self.version = version

    def __reduce__(self) -> tuple[type[OtherVersion], tuple[int]]:
        """Rebuild from the version, so that it survives a worker process."""
        return type(self), (self.version,)


_Signed = TypeVar("_Signed", TableCard, Hello, Chat)
_M = TypeVar("_M", bound=Message)


def encode(message: Message) -> bytes:
    """The octets of `message`; `LocalProtocolError` if it is one that nobody would accept."""
    codec = _BY_CLASS[type(message)]
    try:
        fields = codec.write(message)
        data = pack((VERSION, codec.number, *fields))
        if len(data) > codec.limit:
            raise WireError(f"{len(data)} octets where at most {codec.limit} are allowed")
        codec.read(fields)
    except EncodingError as error:
        raise LocalProtocolError(f"not a message that can be sent: {error}") from error
    return data


def decode(data: bytes) -> Message:
    """The message that `data` encodes, its own signature verified; `WireError` for all else."""
    try:
        items = array(unpack(data, limit=MAX_MESSAGE), "message", 2, 32)
        version = integer(items[0], "version", 0, 2**16)
        if version != VERSION:
            raise OtherVersion(version)
        codec = _BY_NUMBER.get(integer(items[1], "type", 0, 2**16))
        if codec is None:
            raise WireError("a message of unknown type")
        if len(data) > codec.limit:
            raise WireError(f"{len(data)} octets where at most {codec.limit} are allowed")
        message = codec.read(items[2:])
        if isinstance(message, TableCard | Hello | Chat):
            _check_signature(message)
    except WireError:
        raise
    except EncodingError as error:
        raise WireError(str(error)) from error
    return message


def decode_hello(data: bytes) -> Hello:
    """As `decode`, and it must be a HELLO."""
    message = decode(data)
    if not isinstance(message, Hello):
        raise WireError("not a HELLO")
    return message


def sign(message: _Signed, identity: Identity) -> _Signed:
    """`message` with the key and the signature of `identity`."""
    mine = replace(message, key=identity.public)
    try:
        return replace(mine, signature=identity.sign(_signed_octets(mine)))
    except EncodingError as error:
        raise LocalProtocolError(f"not a message that can be signed: {error}") from error


def introductions(proposal: Propose) -> tuple[Hello, ...]:
    """The HELLOs of the seats in `proposal`, each verified; `WireError`."""
    return tuple(decode_hello(data) for data in proposal.hellos)


def paginate(match: bytes, entries: Sequence[Entry]) -> Iterator[Batch | EntryMessage]:
    """`entries` of `match` as messages within `MAX_BATCH`; an entry too large for a page alone.

    All batches but the last say `more`. Nothing to send gives one empty batch.
    """
    page: list[Entry] = []
    size = 64
    for entry in entries:
        need = len(entry.contribution.body) + 256
        if page and (size + need > MAX_BATCH or len(page) >= _MAX_ENTRIES):
            yield Batch(match, tuple(page), more=True)
            page, size = [], 64
        if size + need > MAX_BATCH:
            yield EntryMessage(entry)
            continue
        page.append(entry)
        size += need
    yield Batch(match, tuple(page))


# Signatures.


def _signed_octets(message: TableCard | Hello | Chat) -> bytes:
    """The type's tag, then the encoding of every field but the signature (the last one)."""
    codec = _BY_CLASS[type(message)]
    return codec.tag + pack(codec.write(message)[:-1])


def _check_signature(message: TableCard | Hello | Chat) -> None:
    # The cheap test first: admitting an unknown key takes ten times as long as a signature.
    if not verify(message.key, _signed_octets(message), message.signature):
        raise WireError("a wrong signature")
    admit_key(message.key)


# Shapes. A writer gives the fields, a reader checks them and makes the message.

_Fields: TypeAlias = tuple[Value, ...]
_MAX_ENTRIES: Final = 512


def _exactly(fields: _Fields, count: int) -> _Fields:
    return array(fields, "message", count)


def _port(value: Value) -> int:
    return integer(value, "port", 1, 65_535)


def _seat(value: Value, what: str) -> int:
    return integer(value, what, 0, MAX_SEATS - 1)


def _flag(value: Value, what: str) -> bool:
    return integer(value, what, 0, 1) == 1


def _seats(value: Value, what: str) -> tuple[int, ...]:
    seats = tuple(_seat(item, what) for item in array(value, what, 0, MAX_SEATS))
    if any(a >= b for a, b in itertools.pairwise(seats)):
        raise WireError(f"{what} that don't ascend")
    return seats


def _settings(value: Value, what: str) -> tuple[Setting, ...]:
    settings: list[Setting] = []
    for item in array(value, what, 0, MAX_SETTINGS):
        name, setting = array(item, what, 2)
        if not isinstance(setting, int):
            setting = text(setting, what, 0, MAX_SETTING)
        settings.append((text(name, what, 1, MAX_NAME), setting))
    if any(a[0] >= b[0] for a, b in itertools.pairwise(settings)):
        raise WireError(f"{what} that don't ascend by name")
    return tuple(settings)


def _reason(value: Value) -> Reason:
    try:
        return Reason(integer(value, "reason"))
    except ValueError as error:
        raise WireError("an unknown reason") from error


def _host(value: Value) -> str:
    """A numeric host in its canonical form, without a scope: names could stall whoever dials."""
    host = text(value, "host", 0, 45)
    if not host:
        return host
    try:
        canonical = str(ipaddress.ip_address(host))
    except ValueError as error:
        raise WireError("a host that is not numeric") from error
    if "%" in host or host != canonical:
        raise WireError("a host that is not in canonical form")
    return host


def _address(value: Value) -> tuple[str, int]:
    host, port = array(value, "address", 2)
    numeric = _host(host)
    return numeric, integer(port, "port", 1 if numeric else 0, 65_535 if numeric else 0)


def _write_card(m: TableCard) -> _Fields:
    return (
        m.game,
        m.options,
        m.extensions,
        m.name,
        m.seats,
        m.free,
        m.key,
        m.curve,
        m.port,
        m.table,
        m.signature,
    )


def _read_card(fields: _Fields) -> TableCard:
    game, options, extensions, name, seats, free, key, curve, port, table, signature = _exactly(
        fields, 11
    )
    wanted = integer(seats, "seats", 1, MAX_SEATS)
    return TableCard(
        clean_text(text(game, "game", 1, MAX_NAME), MAX_NAME),
        _settings(options, "options"),
        _settings(extensions, "extensions"),
        clean_text(text(name, "table name", 1, MAX_NAME), MAX_NAME),
        wanted,
        integer(free, "free seats", 0, wanted),
        octets(key, "key", KEY_SIZE),
        octets(curve, "CURVE key", KEY_SIZE),
        _port(port),
        octets(table, "table", TABLE_SIZE),
        octets(signature, "signature", SIGNATURE_SIZE),
    )


def _write_hello(m: Hello) -> _Fields:
    role = m.role.value
    return m.key, m.curve, m.table, m.session, m.name, role, m.port, m.nonce, m.signature


def _read_hello(fields: _Fields) -> Hello:
    key, curve, table, session, name, role, port, nonce, signature = _exactly(fields, 9)
    try:
        as_role = Role(text(role, "role", 1, 8))
    except ValueError as error:
        raise WireError("an unknown role") from error
    return Hello(
        octets(key, "key", KEY_SIZE),
        octets(curve, "CURVE key", KEY_SIZE),
        octets(table, "table", TABLE_SIZE),
        octets(session, "session", SESSION_SIZE),
        clean_text(text(name, "name", 1, MAX_NAME), MAX_NAME),
        as_role,
        _port(port),
        octets(nonce, "nonce", NONCE_SIZE),
        octets(signature, "signature", SIGNATURE_SIZE),
    )


def _write_propose(m: Propose) -> _Fields:
    return m.core, m.hellos, m.addresses


def _read_propose(fields: _Fields) -> Propose:
    core, hellos, addresses = _exactly(fields, 3)
    seats = array(hellos, "hellos", 2, MAX_SEATS)
    return Propose(
        octets(core, "header core", 1, MAX_CORE),
        tuple(octets(hello, "hello", 1, MAX_HELLO) for hello in seats),
        tuple(_address(item) for item in array(addresses, "addresses", len(seats))),
    )


def _write_entry(entry: Entry) -> _Fields:
    place, c = entry.place, entry.contribution
    return (
        place.head,
        place.step,
        place.attempt,
        int(place.cls),
        c.seat,
        c.kind.value,
        c.body,
        c.digest,
        c.signature,
    )


def _read_entry(match: bytes, value: Value) -> Entry:
    head, step, attempt, cls, seat, kind, body, digest, signature = array(value, "entry", 9)
    try:
        as_kind = Kind(text(kind, "kind", 1, _MAX_KIND))
    except ValueError as error:
        raise WireError("an unknown kind of contribution") from error
    place = Place(
        match,
        octets(head, "head", HASH_SIZE),
        integer(step, "step", 0, MAX_STEP),
        integer(attempt, "attempt", 0, MAX_ATTEMPT),
        Class(integer(cls, "class", 0, _MAX_CLASS)),
    )
    contribution = Contribution(
        _seat(seat, "seat"),
        as_kind,
        octets(body, "body", 0, MAX_BODY),
        octets(digest, "digest", DIGEST_SIZE),
        octets(signature, "signature", SIGNATURE_SIZE),
    )
    return Entry(place, contribution)


def _write_entry_message(m: EntryMessage) -> _Fields:
    return m.entry.place.match, _write_entry(m.entry)


def _read_entry_message(fields: _Fields) -> EntryMessage:
    match, entry = _exactly(fields, 2)
    return EntryMessage(_read_entry(octets(match, "match", HASH_SIZE), entry))


def _write_state(m: State) -> _Fields:
    return m.match, m.step, m.head, m.settled, m.links, int(m.ready)


def _read_state(fields: _Fields) -> State:
    match, step, head, settled, links, ready = _exactly(fields, 6)
    next_step = integer(step, "step", 0, MAX_STEP)
    return State(
        octets(match, "match", HASH_SIZE),
        next_step,
        octets(head, "head", HASH_SIZE),
        integer(settled, "settled step", 0, next_step),
        _seats(links, "links"),
        _flag(ready, "ready"),
    )


def _write_get(m: Get) -> _Fields:
    return m.match, m.step, m.held


def _read_get(fields: _Fields) -> Get:
    match, step, held = _exactly(fields, 3)
    return Get(
        octets(match, "match", HASH_SIZE),
        integer(step, "step", 0, MAX_STEP),
        _seats(held, "seats held"),
    )


def _write_batch(m: Batch) -> _Fields:
    if any(entry.place.match != m.match for entry in m.entries):
        raise WireError("a batch of entries of several matches")
    return m.match, tuple(_write_entry(entry) for entry in m.entries), int(m.more)


def _read_batch(fields: _Fields) -> Batch:
    match, entries, more = _exactly(fields, 3)
    of = octets(match, "match", HASH_SIZE)
    read = tuple(_read_entry(of, item) for item in array(entries, "entries", 0, _MAX_ENTRIES))
    if any(a.place.step > b.place.step for a, b in itertools.pairwise(read)):
        raise WireError("a batch whose steps don't ascend")
    return Batch(of, read, _flag(more, "more"))


def _read_token(fields: _Fields) -> bytes:
    return octets(_exactly(fields, 1)[0], "token", TOKEN_SIZE)


def _read_bye(fields: _Fields) -> Bye:
    reason, words = _exactly(fields, 2)
    return Bye(_reason(reason), text(words, "reason text", 0, MAX_REASON))


def _read_refusal(fields: _Fields) -> Refusal:
    bye = _read_bye(fields)
    return Refusal(bye.reason, bye.text)


def _read_chat(fields: _Fields) -> Chat:
    key, table, session, number, words, signature = _exactly(fields, 6)
    return Chat(
        octets(key, "key", KEY_SIZE),
        octets(table, "table", TABLE_SIZE),
        octets(session, "session", SESSION_SIZE),
        integer(number, "number", 0, MAX_STEP),
        text(words, "text", 1, MAX_CHAT),
        octets(signature, "signature", SIGNATURE_SIZE),
    )


def _read_ask(fields: _Fields) -> Ask:
    _exactly(fields, 0)
    return Ask()


def _read_welcome(fields: _Fields) -> Welcome:
    _exactly(fields, 0)
    return Welcome()


def _read_knock(fields: _Fields) -> Knock:
    return Knock(octets(_exactly(fields, 1)[0], "hello", 1, MAX_HELLO))


@dataclass(frozen=True, slots=True)
class _Codec:
    number: int
    limit: int
    write: Callable[[Message], _Fields]
    read: Callable[[_Fields], Message]
    tag: bytes


_BY_CLASS: Final[dict[type[object], _Codec]] = {}
_BY_NUMBER: Final[dict[int, _Codec]] = {}


def _register(
    number: int,
    cls: type[_M],
    write: Callable[[_M], _Fields],
    read: Callable[[_Fields], _M],
    *,
    limit: int = MAX_MESSAGE,
    tag: bytes = b"",
) -> None:
    """One line a type; 12 (PROBE) and 40 to 47 (the code exchange at the door) are kept free."""
    codec = _Codec(number, limit, cast("Callable[[Message], _Fields]", write), read, tag)
    _BY_CLASS[cls] = _BY_NUMBER[number] = codec


_register(1, Hello, _write_hello, _read_hello, limit=MAX_HELLO, tag=_HELLO_TAG)
_register(2, Propose, _write_propose, _read_propose)
_register(3, EntryMessage, _write_entry_message, _read_entry_message)
_register(4, State, _write_state, _read_state)
_register(5, Get, _write_get, _read_get)
_register(6, Batch, _write_batch, _read_batch, limit=MAX_BATCH)
_register(7, Ping, lambda m: (m.token,), lambda fields: Ping(_read_token(fields)))
_register(8, Pong, lambda m: (m.token,), lambda fields: Pong(_read_token(fields)))
_register(9, Bye, lambda m: (int(m.reason), m.text), _read_bye)
_register(
    10,
    Chat,
    lambda m: (m.key, m.table, m.session, m.number, m.text, m.signature),
    _read_chat,
    tag=_CHAT_TAG,
)
_register(32, Ask, lambda _: (), _read_ask)
_register(33, TableCard, _write_card, _read_card, limit=MAX_CARD, tag=_CARD_TAG)
_register(34, Refusal, lambda m: (int(m.reason), m.text), _read_refusal)
_register(35, Knock, lambda m: (m.hello,), _read_knock)
_register(36, Welcome, lambda _: (), _read_welcome)
