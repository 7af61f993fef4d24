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

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar, cast

from protocol import shapes
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
    MAX_MEMBERS,
    MAX_MESSAGE,
    MAX_NAME,
    MAX_REASON,
    MAX_REMOVED,
    NONCE_SIZE,
    PAKE_SIZE,
    PROOF_SIZE,
    SESSION_SIZE,
    TABLE_SIZE,
    TOKEN_SIZE,
    VERSION,
    Ask,
    Batch,
    Bye,
    Chat,
    CodeHello,
    CodeProof,
    CodeReply,
    EntryMessage,
    Get,
    Hello,
    Knock,
    Lobby,
    Member,
    Message,
    Owned,
    Ping,
    Pong,
    Propose,
    Refusal,
    Role,
    State,
    TableCard,
    Welcome,
)
from protocol.shapes import Fields

WireError = shapes.WireError

_CARD_TAG: Final = b"busso/card/1\x00"
_HELLO_TAG: Final = b"busso/hello/1\x00"
_BOT_TAG: Final = b"busso/bot/1\x00"
_CHAT_TAG: Final = b"busso/chat/1\x00"
_MAX_KIND: Final = 32
_MAX_CLASS: Final = max(Class)


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


def vouch(identity: Identity, table: bytes, bot: bytes) -> bytes:
    """The owner's voucher for a bot: `bot`'s key is mine, at `table`."""
    return identity.sign(_BOT_TAG + table + bot)


def vouched(owner: bytes, table: bytes, bot: bytes, voucher: bytes) -> bool:
    """Whether `owner` vouched for `bot` at `table`."""
    return verify(owner, _BOT_TAG + table + bot, voucher)


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

_MAX_ENTRIES: Final = 512


def _write_card(m: TableCard) -> Fields:
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
        int(m.code),
        int(m.watchers),
        int(m.playing),
        m.signature,
    )


def _read_card(fields: Fields) -> TableCard:
    game, options, extensions, name, seats, free, key, curve, port, table, *rest = shapes.exactly(
        fields, 14
    )
    code, watchers, playing, signature = rest
    wanted = integer(seats, "seats", 1, MAX_SEATS)
    return TableCard(
        clean_text(text(game, "game", 1, MAX_NAME), MAX_NAME),
        shapes.settings(options, "options"),
        shapes.settings(extensions, "extensions"),
        clean_text(text(name, "table name", 1, MAX_NAME), MAX_NAME),
        wanted,
        integer(free, "free seats", 0, wanted),
        octets(key, "key", KEY_SIZE),
        octets(curve, "CURVE key", KEY_SIZE),
        shapes.port(port),
        octets(table, "table", TABLE_SIZE),
        shapes.flag(code, "code"),
        shapes.flag(watchers, "watchers"),
        shapes.flag(playing, "playing"),
        octets(signature, "signature", SIGNATURE_SIZE),
    )


def _write_hello(m: Hello) -> Fields:
    role = m.role.value
    return m.key, m.curve, m.table, m.session, m.name, role, m.port, m.nonce, m.signature


def _read_hello(fields: Fields) -> Hello:
    key, curve, table, session, name, role, port, nonce, signature = shapes.exactly(fields, 9)
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
        shapes.port(port),
        octets(nonce, "nonce", NONCE_SIZE),
        octets(signature, "signature", SIGNATURE_SIZE),
    )


def _write_propose(m: Propose) -> Fields:
    return m.core, m.hellos, m.addresses


def _read_propose(fields: Fields) -> Propose:
    core, hellos, addresses = shapes.exactly(fields, 3)
    seats = array(hellos, "hellos", 2, MAX_SEATS)
    return Propose(
        octets(core, "header core", 1, MAX_CORE),
        tuple(octets(hello, "hello", 1, MAX_HELLO) for hello in seats),
        tuple(shapes.address(item) for item in array(addresses, "addresses", len(seats))),
    )


def _write_entry(entry: Entry) -> Fields:
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
        shapes.seat(seat, "seat"),
        as_kind,
        octets(body, "body", 0, MAX_BODY),
        octets(digest, "digest", DIGEST_SIZE),
        octets(signature, "signature", SIGNATURE_SIZE),
    )
    return Entry(place, contribution)


def _write_entry_message(m: EntryMessage) -> Fields:
    return m.entry.place.match, _write_entry(m.entry)


def _read_entry_message(fields: Fields) -> EntryMessage:
    match, entry = shapes.exactly(fields, 2)
    return EntryMessage(_read_entry(octets(match, "match", HASH_SIZE), entry))


def _write_state(m: State) -> Fields:
    return m.match, m.step, m.head, m.settled, m.links, int(m.ready)


def _read_state(fields: Fields) -> State:
    match, step, head, settled, links, ready = shapes.exactly(fields, 6)
    next_step = integer(step, "step", 0, MAX_STEP)
    return State(
        octets(match, "match", HASH_SIZE),
        next_step,
        octets(head, "head", HASH_SIZE),
        integer(settled, "settled step", 0, next_step),
        shapes.seats(links, "links"),
        shapes.flag(ready, "ready"),
    )


def _write_get(m: Get) -> Fields:
    return m.match, m.step, m.held


def _read_get(fields: Fields) -> Get:
    match, step, held = shapes.exactly(fields, 3)
    return Get(
        octets(match, "match", HASH_SIZE),
        integer(step, "step", 0, MAX_STEP),
        shapes.seats(held, "seats held"),
    )


def _write_batch(m: Batch) -> Fields:
    if any(entry.place.match != m.match for entry in m.entries):
        raise WireError("a batch of entries of several matches")
    return m.match, tuple(_write_entry(entry) for entry in m.entries), int(m.more)


def _read_batch(fields: Fields) -> Batch:
    match, entries, more = shapes.exactly(fields, 3)
    of = octets(match, "match", HASH_SIZE)
    read = tuple(_read_entry(of, item) for item in array(entries, "entries", 0, _MAX_ENTRIES))
    if any(a.place.step > b.place.step for a, b in itertools.pairwise(read)):
        raise WireError("a batch whose steps don't ascend")
    return Batch(of, read, shapes.flag(more, "more"))


def _read_token(fields: Fields) -> bytes:
    return octets(shapes.exactly(fields, 1)[0], "token", TOKEN_SIZE)


def _read_bye(fields: Fields) -> Bye:
    reason, words = shapes.exactly(fields, 2)
    return Bye(shapes.reason(reason), text(words, "reason text", 0, MAX_REASON))


def _read_refusal(fields: Fields) -> Refusal:
    bye = _read_bye(fields)
    return Refusal(bye.reason, bye.text)


def _read_chat(fields: Fields) -> Chat:
    key, table, session, number, words, signature = shapes.exactly(fields, 6)
    return Chat(
        octets(key, "key", KEY_SIZE),
        octets(table, "table", TABLE_SIZE),
        octets(session, "session", SESSION_SIZE),
        integer(number, "number", 0, MAX_STEP),
        text(words, "text", 1, MAX_CHAT),
        octets(signature, "signature", SIGNATURE_SIZE),
    )


def _write_lobby(m: Lobby) -> Fields:
    members = tuple(
        (member.hello, member.address, int(member.ready), member.owner, member.voucher)
        for member in m.members
    )
    return m.serial, members, m.removed


def _read_lobby(fields: Fields) -> Lobby:
    serial, members, removed = shapes.exactly(fields, 3)
    gone = tuple(
        octets(key, "removed key", KEY_SIZE)
        for key in array(removed, "removed keys", 0, MAX_REMOVED)
    )
    here = array(members, "members", 1, MAX_MEMBERS)
    return Lobby(
        integer(serial, "serial", 0, MAX_STEP), tuple(_read_member(item) for item in here), gone
    )


def _read_member(value: Value) -> Member:
    hello, address, ready, owner, voucher = array(value, "member", 5)
    of = octets(owner, "owner", 0, KEY_SIZE)
    if len(of) not in (0, KEY_SIZE):
        raise WireError("an owner that is no key")
    return Member(
        octets(hello, "hello", 1, MAX_HELLO),
        shapes.address(address),
        shapes.flag(ready, "ready"),
        of,
        octets(voucher, "voucher", SIGNATURE_SIZE if of else 0),
    )


def _read_owned(fields: Fields) -> Owned:
    owner, voucher = shapes.exactly(fields, 2)
    return Owned(octets(owner, "owner", KEY_SIZE), octets(voucher, "voucher", SIGNATURE_SIZE))


def _read_code_hello(fields: Fields) -> CodeHello:
    hello, pake = shapes.exactly(fields, 2)
    return CodeHello(octets(hello, "hello", 1, MAX_HELLO), octets(pake, "exchange", PAKE_SIZE))


def _read_code_reply(fields: Fields) -> CodeReply:
    return CodeReply(octets(shapes.exactly(fields, 1)[0], "exchange", PAKE_SIZE))


def _read_code_proof(fields: Fields) -> CodeProof:
    return CodeProof(octets(shapes.exactly(fields, 1)[0], "proof", PROOF_SIZE))


def _read_ask(fields: Fields) -> Ask:
    shapes.exactly(fields, 0)
    return Ask()


def _read_welcome(fields: Fields) -> Welcome:
    shapes.exactly(fields, 0)
    return Welcome()


def _read_knock(fields: Fields) -> Knock:
    return Knock(octets(shapes.exactly(fields, 1)[0], "hello", 1, MAX_HELLO))


@dataclass(frozen=True, slots=True)
class _Codec:
    number: int
    limit: int
    write: Callable[[Message], Fields]
    read: Callable[[Fields], Message]
    tag: bytes


_BY_CLASS: Final[dict[type[object], _Codec]] = {}
_BY_NUMBER: Final[dict[int, _Codec]] = {}


def _register(
    number: int,
    cls: type[_M],
    write: Callable[[_M], Fields],
    read: Callable[[Fields], _M],
    *,
    limit: int = MAX_MESSAGE,
    tag: bytes = b"",
) -> None:
    """One line a type; 12 (PROBE) is kept free."""
    codec = _Codec(number, limit, cast("Callable[[Message], Fields]", write), read, tag)
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
_register(11, Lobby, _write_lobby, _read_lobby)
_register(13, Owned, lambda m: (m.owner, m.voucher), _read_owned)
_register(32, Ask, lambda _: (), _read_ask)
_register(33, TableCard, _write_card, _read_card, limit=MAX_CARD, tag=_CARD_TAG)
_register(34, Refusal, lambda m: (int(m.reason), m.text), _read_refusal)
_register(35, Knock, lambda m: (m.hello,), _read_knock)
_register(36, Welcome, lambda _: (), _read_welcome)
_register(40, CodeHello, lambda m: (m.hello, m.pake), _read_code_hello)
_register(41, CodeReply, lambda m: (m.pake,), _read_code_reply)
_register(42, CodeProof, lambda m: (m.proof,), _read_code_proof)
